"""Synonyms and paraphrases: their files, and the matches that they allow."""

import gzip
import random
from pathlib import Path

import pytest
from tests import oracles_meteor as oracles
from tests.alignment.test_monolingual import row
from tests.refusing import refuses

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.alignment.monolingual.candidates import ParaphraseTable, SynonymSets
from wordorder.errors import InputError
from wordorder.text.texts import Texts

INDEX = """  1 This software and database is being provided to you
{lines}
"""
NOUNS = "car n 1 2 @ ~ 1 1 02961779  \nauto n 1 1 @ 1 0 02961779  \nman n 1 0 1 1 10289039  "
VERBS = "drive v 2 1 @ 2 1 01930874 01930875  \nmotor v 1 0 1 0 01930874  \nbe v 1 0 1 1 02604760  "


def wordnet(folder: Path) -> Path:
    """A WordNet of a few words in the format of its manual (wndb)."""
    for name, lines in {"noun": NOUNS, "verb": VERBS, "adj": "", "adv": ""}.items():
        text = INDEX.format(lines=lines) if lines else "  1 Licence\n"
        (folder / f"index.{name}").write_text(text)
        (folder / f"{name}.exc").write_text("drove drive\nwas be\n" if name == "verb" else "")
    return folder


@pytest.mark.parametrize("inner", ["", "dict"])
def test_wordnet_with_base_forms(tmp_path: Path, inner: str) -> None:
    (tmp_path / inner).mkdir(exist_ok=True)
    wordnet(tmp_path / inner)
    sets = SynonymSets(tmp_path)
    assert sets.of("car") & sets.of("autos")
    # An exception; rules for -ing with and without e; -men.
    assert sets.of("drove") == sets.of("drive") == sets.of("driving")
    assert sets.of("motoring") <= sets.of("drive")
    assert sets.of("men") == sets.of("man")
    # Nouns and verbs are numbered apart; short words and those in -ss have no base forms.
    assert not sets.of("car") & sets.of("drive")
    assert not sets.of("bs")
    assert not sets.of("cars" + "s")
    texts = Texts.from_segments(["he drove a car"], ["he motored an auto"])
    matches = row(MonolingualAligner(synonyms=tmp_path).align(texts))
    found = [(m[0], m[2], m[4]) for m in matches]
    assert found == [(0, 0, "exact"), (1, 1, "synonym"), (3, 3, "synonym")]


@pytest.mark.parametrize("line", ["car", "car n x 1", "car n 2 1 @ 1 02961779", "car n 0 0 1 1"])
def test_a_wrong_line_of_an_index_is_named(tmp_path: Path, line: str) -> None:
    wordnet(tmp_path)
    (tmp_path / "index.adj").write_text(f"  1 Licence\n{line}\n")
    refuses(InputError, r"index\.adj:2: .* a line of a WordNet index", SynonymSets, tmp_path)


def test_a_directory_without_wordnet_is_refused(tmp_path: Path) -> None:
    refuses(InputError, r"index\.noun", SynonymSets, tmp_path)


def test_a_plain_file_of_synonym_sets(tmp_path: Path) -> None:
    path = tmp_path / "sets.txt"
    path.write_text("big large\thuge\n\nlarge spacious\n")
    sets = SynonymSets(path)
    near = sets.neighbours(["big", "spacious", "large", "tiny"])
    assert near == {0: frozenset({2}), 1: frozenset({2}), 2: frozenset({0, 1})}
    other = tmp_path / "other.txt"
    other.write_text("big large\thuge\n\nlarge spacious\nx\n")
    assert SynonymSets(other).digest != sets.digest


def test_paraphrases_both_ways_and_compressed(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(b"0.5\nat once\nimmediately\n0.1\nunknown x\ny z\n"))
    for hypothesis, reference, expected in (
        ("he left immediately .", "he left at once .", (2, 2, 2, 1, "paraphrase")),
        ("he left at once .", "he left immediately .", (2, 1, 2, 2, "paraphrase")),
    ):
        texts = Texts.from_segments([hypothesis], [reference])
        matches = row(MonolingualAligner(paraphrases=path).align(texts))
        assert matches[2] == expected
        assert len(matches) == 4


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0.5\na\n", "table:2: the last entry is incomplete"),
        ("0.5\na\nb\nx\na\nb\n", "table:4: 'x'; expected a probability"),
        ("0.5\n\nb\n", "table:2: an empty line; expected a phrase"),
    ],
)
def test_a_wrong_table_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "table"
    path.write_text(text)
    refuses(InputError, message, ParaphraseTable(path).restricted, ["a", "b"])


@pytest.mark.parametrize("java", [False, True])
def test_all_modules_against_the_slow_twin(tmp_path: Path, java: bool) -> None:
    rng = random.Random(5)
    words = list("abcdef")
    (tmp_path / "sets").write_text("a b\nb c e\n")
    entries = [("a b", "c"), ("c", "a b"), ("a b", "c"), ("d", "e f"), ("e f", "a"), ("a", "b c d")]
    (tmp_path / "table").write_text("".join(f"0.5\n{one}\n{two}\n" for one, two in entries))
    synonyms = {("a", "b"), ("b", "c"), ("b", "e"), ("c", "e")}
    aligner = MonolingualAligner(
        "other", synonyms=tmp_path / "sets", paraphrases=tmp_path / "table", beam=6, java=java
    )
    seen = set()
    for _ in range(400):
        hypothesis = [rng.choice(words) for _ in range(rng.randrange(8))]
        reference = [rng.choice(words) for _ in range(rng.randrange(8))]
        listed = oracles.word_matches(hypothesis, reference, None)
        if hypothesis != reference:
            for start, word in enumerate(reference):
                for at, other in enumerate(hypothesis):
                    if tuple(sorted((word, other))) in synonyms:
                        listed.append((start, 1, at, 1, "synonym"))
            listed += phrases(hypothesis, reference, entries)
        if not java:
            listed = list(dict.fromkeys(listed))
        expected = oracles.beam_alignment(listed, len(hypothesis), len(reference), 6, java)
        texts = Texts.from_segments([hypothesis], [[reference]])
        assert row(aligner.align(texts)) == expected
        seen |= {m[4] for m in expected}
    assert seen == {"exact", "synonym", "paraphrase"}


def phrases(
    hypothesis: list[str], reference: list[str], entries: list[tuple[str, str]]
) -> oracles.Listed:
    """Paraphrase matches: phrases of the reference first, then those of the hypothesis."""
    found: oracles.Listed = []
    for turned, (left, right) in enumerate(((reference, hypothesis), (hypothesis, reference))):
        for start in range(len(left)):
            for length in range(1, len(left) - start + 1):
                for one, two in entries:
                    if " ".join(left[start : start + length]) != one:
                        continue
                    width = len(two.split())
                    for at in range(len(right)):
                        if right[at : at + width] == two.split():
                            span = (start, length, at, width)
                            found.append(
                                ((*span[2:], *span[:2]) if turned else span) + ("paraphrase",)
                            )
    return found
