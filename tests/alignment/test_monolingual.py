"""The monolingual aligner against its slow twin, brute force, and METEOR's own printed example."""

import gzip
import importlib
import random
import re
from collections.abc import Sequence
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from snowballstemmer.english_stemmer import EnglishStemmer
from tests import oracles_meteor as oracles
from tests.files import written
from tests.refusing import refuses

from wordorder.alignment.monolingual import Matches, MonolingualAligner, as_aligner
from wordorder.alignment.monolingual.aligner import MAX_EXACT_CHOICES
from wordorder.alignment.monolingual.candidates import (
    LANGUAGES,
    METEOR_LANGUAGES,
    MODULES,
    STEMMERS,
    ParaphraseTable,
    SynonymSets,
    language_modules,
    stem_classes,
)
from wordorder.alignment.reading import write_alignments
from wordorder.errors import InputError, UsageError
from wordorder.samples import sample_path
from wordorder.text.texts import Texts

# Words of few stems, so that much is ambiguous.
WORDS = "cat cats sit sits sat the a of mats mat . ,".split()
sentences = st.lists(st.sampled_from(WORDS), max_size=9)
# Snowball in plain Python, whatever else is installed.
stem = EnglishStemmer().stemWord


def row(matches: Matches, number: int = 0) -> oracles.Listed:
    span = slice(int(matches.offsets[number]), int(matches.offsets[number + 1]))
    columns = matches.start, matches.length, matches.hypothesis_start, matches.hypothesis_length
    names = [matches.modules[m] for m in matches.module]
    return list(zip(*(list(column[span]) for column in (*columns, names)), strict=True))


def align(
    hypotheses: Sequence[Sequence[str]],
    references: Sequence[Sequence[Sequence[str]]],
    aligner: MonolingualAligner | None = None,
) -> Matches:
    return (aligner or MonolingualAligner()).align(Texts.from_segments(hypotheses, references))


def test_the_printed_example_of_meteor() -> None:
    texts = Texts.from_segments(["the cat sat on the mats"], ["on the mat the cats sat"])
    matches = row(MonolingualAligner().align(texts))
    assert [m[2] for m in matches] == [3, 4, 5, 0, 1, 2]
    assert [m[4] for m in matches] == ["exact", "exact", "stem", "exact", "stem", "exact"]


def test_whole_numbers_cut_off_halves_as_java_does() -> None:
    # One word on each side adds 0 + .5 -> 0; two words add 0 + 2 * .5 -> 1.
    aligner = MonolingualAligner(java=True)
    assert aligner.fields[-1] == ("totals", "java")
    hypothesis, reference = "cats x cat".split(), "mat y cat x".split()
    listed = oracles.word_matches(hypothesis, reference, stem)
    path = oracles.Path().with_match((0, 1, 0, 1, "stem"), True)
    assert path.key()[0] == 0
    assert oracles.Path().with_match((0, 2, 0, 2, "paraphrase"), True).key()[0] == -2
    found = row(align([hypothesis], [[reference]], aligner))
    assert found == oracles.beam_alignment(listed, 3, 4, 40, True)


@given(sentences, sentences, st.sampled_from([1, 2, 40]), st.booleans(), st.booleans())
def test_the_beam_is_its_slow_twin(
    hypothesis: list[str], reference: list[str], beam: int, java: bool, stems: bool
) -> None:
    aligner = MonolingualAligner(
        modules=["exact", "stem"] if stems else ["exact"], beam=beam, java=java
    )
    listed = oracles.word_matches(hypothesis, reference, stem if stems else None)
    if not java and beam < oracles.choices(listed) <= MAX_EXACT_CHOICES:
        beam = MAX_EXACT_CHOICES
    expected = oracles.beam_alignment(listed, len(hypothesis), len(reference), beam, java)
    assert row(align([hypothesis], [[reference]], aligner)) == expected


@given(
    st.lists(st.sampled_from(WORDS[:7]), max_size=6),
    st.lists(st.sampled_from(WORDS[:7]), max_size=6),
)
def test_no_choice_is_better_where_the_beam_holds_all(
    hypothesis: list[str], reference: list[str]
) -> None:
    matches = row(align([hypothesis], [[reference]], MonolingualAligner(beam=1 << 13)))
    listed = oracles.word_matches(hypothesis, reference, stem)
    assert all(match in listed for match in matches)
    assert oracles.quality(matches) == oracles.best_quality(listed)


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        # A beam of 40 misses the best choice of each.
        ("ccbddbddab", "dbacddbdcb"),
        ("adcbcdddcb", "dbccbcddad"),
        ("bcdbcbacdb", "ccbbddbcba"),
        ("cccbbcadab", "abbccacbdc"),
        ("dbadbcaacd", "ccbbddadaa"),
        ("ccbbadbdbd", "bbddcbadbc"),
    ],
)
def test_the_best_choice_is_found_where_there_are_few(hypothesis: str, reference: str) -> None:
    """All ways to match all words, one by one."""
    listed = oracles.word_matches(hypothesis, reference, None)
    letters = sorted(set(reference))
    orders = [
        permutations([n for n, word in enumerate(hypothesis) if word == letter])
        for letter in letters
    ]
    choices = []
    for chosen in product(*orders):
        rests = dict(zip(letters, map(iter, chosen), strict=True))
        choices.append([(n, 1, next(rests[word]), 1, "exact") for n, word in enumerate(reference)])
    assert 40 < len(choices) == oracles.choices(listed) <= MAX_EXACT_CHOICES
    for beam in (1, 40):
        aligner = MonolingualAligner(modules=["exact"], beam=beam)
        matches = row(align([list(hypothesis)], [[list(reference)]], aligner))
        assert oracles.quality(matches) == min(map(oracles.quality, choices))


@pytest.mark.parametrize("length", [0, 1, 2, 63, 64, 65, 129])
def test_lengths_at_the_borders_of_a_word_of_bits(length: int) -> None:
    rng = random.Random(length)
    for other in (0, 1, length, length + 1):
        hypothesis = [rng.choice("abcdefgh") for _ in range(length)]
        reference = [rng.choice("abcdefgh") for _ in range(other)]
        listed = oracles.word_matches(hypothesis, reference, None)
        expected = oracles.beam_alignment(listed, length, other, 3, False)
        aligner = MonolingualAligner(modules=["exact"], beam=3)
        assert row(align([hypothesis], [[reference]], aligner)) == expected


def test_rows_of_several_references() -> None:
    hypotheses = [["a", "b"], [], ["c"], ["the", "cat"]]
    references = [[["b", "a"], ["a"]], [["a"]], [], [["the", "cats"], [], ["the", "cat"]]]
    texts = Texts.from_segments(hypotheses, references)
    matches = MonolingualAligner().align(texts)
    flat = [(s, r) for s, rows in enumerate(references) for r in rows]
    assert len(matches) == len(flat) == 6
    for number, (segment, reference) in enumerate(flat):
        alone = row(align([hypotheses[segment]], [[reference]]))
        assert row(matches, number) == alone
    found = MonolingualAligner().permutations(texts).to_lists()
    assert found == [[1, 0], [0], [], [0, 1], [], [0, 1]]
    with_none = Texts.from_segments([["a"]], [[]])
    assert len(MonolingualAligner().align(with_none)) == 0


@given(st.lists(st.tuples(sentences, sentences), max_size=5))
def test_matches_as_permutations_chunks_and_links(pairs: list[tuple[list[str], list[str]]]) -> None:
    matches = align([pair[0] for pair in pairs], [[pair[1]] for pair in pairs])
    permutations, alignments = matches.permutations(), matches.alignments()
    for number, (hypothesis, reference) in enumerate(pairs):
        found = row(matches, number)
        assert permutations[number].tolist() == oracles.ss_permutation(found)
        assert matches.chunks()[number] == oracles.chunks(found)
        assert alignments[number].links == tuple(sorted((m[2], m[0]) for m in found))
        assert alignments[number].source_length == len(hypothesis)
        assert alignments[number].target_length == len(reference)


def test_links_of_phrases_are_all_pairs() -> None:
    one = np.ones(1, np.int32)
    lengths = np.array([4])
    matches = Matches(
        one, 2 * one, 0 * one, 3 * one, 0 * one, np.array([0, 1]), ("exact",), lengths, lengths
    )
    assert str(matches.alignments()[0]) == "0-1 0-2 1-1 1-2 2-1 2-2"
    assert matches.permutations().to_lists() == [[0, 1]]
    assert [int(side[0]) for side in matches.covered()] == [3, 2]


def test_links_can_be_written_and_read(tmp_path: Path) -> None:
    texts = Texts.from_segments(["a b", "c"], ["b a", "d"])
    path = tmp_path / "links.align"
    write_alignments(MonolingualAligner().alignments(texts), path)
    assert path.read_text() == "0-1 1-0\n\n"


def test_parts_share_their_matches_with_the_whole() -> None:
    rng = random.Random(3)
    rows = [[rng.choice(WORDS) for _ in range(rng.randrange(12))] for _ in range(40)]
    texts = Texts.from_segments(rows[:20], [[row] for row in rows[20:]])
    aligner = MonolingualAligner()
    whole = aligner.permutations(texts).to_lists()
    parts = [aligner.permutations(part).to_lists() for part in (texts[:7], texts[7:])]
    assert parts[0] + parts[1] == whole
    assert aligner.align(texts) is aligner.align(texts)


def test_words_are_stemmed_in_their_language() -> None:
    texts = Texts.from_segments(["Häuser häusern"], ["häuser"])
    assert row(MonolingualAligner("de").align(texts))[0][4] == "stem"
    assert MonolingualAligner("other").modules == ("exact",)
    assert MonolingualAligner("nl").fields[1] == ("stems", "nl")
    for language in METEOR_LANGUAGES:
        assert set(language_modules(language)) <= set(MODULES)
    for language in LANGUAGES:
        aligner = MonolingualAligner(language)
        assert row(aligner.align(Texts.from_segments(["x"], ["x"]))) == [(0, 1, 0, 1, "exact")]


ENDINGS = """
s ss sses ies ied us ed eed edly eedly ing ingly y yy Y tional enci anci abli entli izer ization
ational ation ator alism aliti alli fulness ousli ousness iveness iviti biliti bli ogi logi ogist
fulli lessli li icate ative alize iciti ical ful ness ic ance ence able ible ate ive ize iti al ism
sion tion er ous ant ent ment ement e l ll at bl iz bb dd tt succ proc exc even out inn cann earr
herr past inter later organ univers gener commun arsen emerg dy sk a b i o '
""".split()


@given(st.lists(st.sampled_from([*ENDINGS, *"bcdeghiklmnrstuvwxyz"]), max_size=5).map("".join))
def test_english_stems_are_snowballs(word: str) -> None:
    numbers = stem_classes([word, stem(word)], "en").tolist()
    assert numbers == [0, 0] if stem(stem(word)) == stem(word) else [0, 1]


@pytest.mark.parametrize("language", [name for name, stemmer in STEMMERS.items() if stemmer])
def test_stems_of_all_languages_are_snowballs(language: str) -> None:
    module = importlib.import_module(f"snowballstemmer.{STEMMERS[language]}_stemmer")
    title = "".join(part.capitalize() for part in STEMMERS[language].split("_"))
    slow = getattr(module, f"{title}Stemmer")().stemWord
    own = "skis skies sky idly gently ugly early only singly news howe atlas dying add a".split()
    words = sorted({*own, *re.findall(r"\w+", sample_path("source.en").read_text().lower())})
    first: dict[str, int] = {}
    wanted = [first.setdefault(slow(word), number) for number, word in enumerate(words)]
    assert stem_classes(words, language).tolist() == wanted


def test_an_aligner_is_named_by_its_modules() -> None:
    assert as_aligner("exact+stem").modules == ("exact", "stem")
    aligner = MonolingualAligner()
    assert as_aligner(aligner) is aligner
    refuses(UsageError, "did you mean 'exact'", as_aligner, "exakt")
    refuses(UsageError, "no aligner", as_aligner, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "xx"}, "unknown value for language 'xx'"),
        ({"modules": ["stem"]}, "'exact' is always needed"),
        ({"modules": "exact"}, "a list of names"),
        (
            {"modules": ["exact", "stem"], "language": "other"},
            "no stemmer for the language 'other'",
        ),
        ({"modules": ["exact", "synonym"]}, "needs a file: give synonyms="),
        ({"modules": ["exact"], "paraphrases": "x"}, "'paraphrase' is not chosen"),
        ({"beam": 0}, "from 1 to 1048575, not 0"),
        ({"beam": True}, "from 1 to 1048575, not True"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, object], message: str) -> None:
    refuses(UsageError, message, MonolingualAligner, **options)


# -- Synonyms and paraphrases: their files, and the matches that they allow. -----------------------


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
    refuses(InputError, "no-such-file", MonolingualAligner, synonyms="no-such-file")
    refuses(InputError, "no-such-file", MonolingualAligner, paraphrases="no-such-file")


def test_a_plain_file_of_synonym_sets(tmp_path: Path) -> None:
    path = written(tmp_path, "big large\thuge\n\nlarge spacious\n", "sets.txt")
    sets = SynonymSets(path)
    near = sets.neighbours(["big", "spacious", "large", "tiny"])
    assert near == {0: frozenset({2}), 1: frozenset({2}), 2: frozenset({0, 1})}
    other = written(tmp_path, "big large\thuge\n\nlarge spacious\nx\n", "other.txt")
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
    path = written(tmp_path, text, "table")
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
