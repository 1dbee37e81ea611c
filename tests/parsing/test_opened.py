"""Parsers by name, and which tags they see."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.parsing.small_treebank import TREEBANK
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.parsing import file_parser as parsed_trees
from wordorder.parsing.adapters.opening import PARSERS
from wordorder.parsing.file_parser import parsed_by, read_sentences
from wordorder.parsing.opened import TREES, Opened, open_parser, open_tagger
from wordorder.parsing.sentence_reading import SentenceReader, spaces_after
from wordorder.text.tokenizers import EnglishTokenizer
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

BANK = Treebank.from_words([["a", "b"]], upos=[["X", "_"]], xpos=[["_", "_"]])


class TagsWhileParsing:
    """Attaches all words to the first; gives own tags unless it is to keep those given."""

    def __init__(self, model: str, *, tags: str = "own") -> None:
        self.model, self.tags = model, tags

    def parse(self, sentences: Treebank) -> Treebank:
        heads = np.ones(sentences.words, np.int32)
        heads[sentences.offsets[:-1]] = 0
        found = sentences.replace(heads=heads)
        return found if self.tags == "given" else self.own(found)

    def own(self, sentences: Treebank) -> Treebank:
        tags = Column.filled(sentences.words, self.model)
        return sentences.replace(upos=tags, xpos=tags)


class TagsBefore(TagsWhileParsing):
    def tag(self, sentences: Treebank) -> Treebank:
        return self.own(sentences)


@pytest.fixture(autouse=True)
def fakes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TagsWhileParsing", "TagsBefore"):
        monkeypatch.setitem(PARSERS.built_in, name, f"{__name__}:{name}")


def tags(opened: Opened) -> tuple[list[str], list[str], list[str]]:
    """Return the tags that the parser sees, and those in the end."""
    seen = opened.tagged(BANK, "a.conllu", 0)
    found = opened.parsed(seen)
    assert found.heads.tolist() == [0, 1]
    return seen.upos.strings(), found.upos.strings(), found.xpos.strings()


@pytest.mark.parametrize(
    ("name", "mode", "expected"),
    [
        ("TagsWhileParsing:M", "auto", (["X", "_"], ["X", "M"], ["M", "M"])),
        ("TagsWhileParsing:M", "keep", (["X", "_"], ["X", "_"], ["_", "_"])),
        ("TagsWhileParsing:M", "predict", (["_", "_"], ["M", "M"], ["M", "M"])),
        ("TagsBefore:M", "auto", (["X", "M"], ["X", "M"], ["M", "M"])),
        ("TagsBefore:M", "keep", (["X", "_"], ["X", "_"], ["_", "_"])),
        ("TagsBefore:M", "predict", (["M", "M"], ["M", "M"], ["M", "M"])),
    ],
)
def test_parsers_of_others(
    name: str, mode: str, expected: tuple[list[str], list[str], list[str]]
) -> None:
    assert tags(open_parser(name, tags=mode)) == expected


@pytest.mark.parametrize("name", ["TagsWhileParsing:M", "TagsBefore:M"])
def test_another_tagger_than_the_parsers_own(name: str) -> None:
    opened = open_parser(name, tagger="TagsBefore:T")
    assert tags(opened) == (["X", "T"], ["X", "T"], ["T", "T"])
    opened = open_parser(name, tagger="TagsBefore:T", tags="predict")
    assert tags(opened) == (["T", "T"], ["T", "T"], ["T", "T"])


def test_taggers_and_a_parser_that_gives_no_lists() -> None:
    refuses(UsageError, "no lists of trees", open_parser("TagsBefore:M").listed, BANK, 2)
    assert open_tagger("TagsBefore:M").tag(BANK).upos.strings() == ["M", "M"]
    message = "TagsWhileParsing:M: gives tags only together with trees"
    refuses(UsageError, message, open_tagger, "TagsWhileParsing:M")


def test_nothing_predicts_tags() -> None:
    opened = Opened(TagsBefore("M"), None, "auto")
    with pytest.raises(InputError, match=r"a\.conllu: words without tags in sentence 8"):
        opened.tagged(BANK, "a.conllu", 7)
    whole = Treebank.from_words([["a"]], upos=[["X"]])
    assert opened.tagged(whole, "a.conllu", 0) is whole


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="legal names: auto, keep, predict"):
        open_parser("TagsBefore:M", tags="gold")
    with pytest.raises(UsageError, match="needs no tagger"):
        open_parser("TagsBefore:M", tags="keep", tagger="TagsBefore:T")
    refuses(UsageError, "unknown parser 'malt'", open_parser, "malt:model")
    refuses(UsageError, "no such model or file", open_parser, tmp_path / "none:model")


# -- Sentences to be parsed, from each kind of file. -----------------------------------------------


def read(path: Path, batch: int = 100, **options: object) -> tuple[Treebank, SentenceReader]:
    with SentenceReader(path, **options) as reader:  # type: ignore[arg-type]
        parts = []
        while len(part := reader.take(batch)):
            parts.append(part)
        return Treebank.concatenate(parts), reader


def test_lines_of_words_as_python_splits_them(tmp_path: Path) -> None:
    lines = ["It  rains\t.", "", " a\u00a0b \u3000 c ", "\t", "the the the", "# no comment", "x"]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(lines))
    for batch in (1, 2, 100):
        bank, reader = read(path, batch)
        rows = [[w for w in line.replace("\t", " ").split(" ") if w] for line in lines]
        ends = bank.offsets.tolist()
        forms = bank.form.strings()
        assert [forms[a:b] for a, b in pairwise(ends)] == rows
        assert [margin.value("sent_id") for margin in bank.margins] == list("1234567")
        assert [margin.value("text") for margin in bank.margins] == [" ".join(row) for row in rows]
        assert (reader.kind, reader.sentences, reader.empty_lines) == ("text", 7, 2)
        assert (bank.heads == NO_HEAD).all()
        assert set(bank.upos.strings()) == {"_"}


@pytest.mark.parametrize("name", ["a.conllu", "a.txt", "a"])
def test_a_treebank_under_any_name(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(TREEBANK)
    bank, reader = read(path)
    assert reader.kind == "conllu"
    assert len(bank) == reader.sentences == 27
    assert bank.has_trees
    assert bank.margins[4].value("sent_id") == "small-5"


def test_the_kind_can_be_told(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("It rains\n")
    bank, _ = read(path, kind="text")
    assert bank.form.strings() == ["It", "rains"]
    refuses(InputError, r"a\.conllu:1", read, path)
    refuses(UsageError, "legal names: auto, conllu, text", read, path, kind="words")
    with pytest.raises(UsageError, match="a tokenizer is for text"):
        read(path, kind="conllu", tokenizer=EnglishTokenizer())
    # By its name, and by how it begins.
    path.rename(tmp_path / "b.txt")
    (tmp_path / "b.txt").write_text(TREEBANK)
    for name, kind in (("a.conllu.gz", "auto"), ("b.txt", "auto")):
        (tmp_path / "a.conllu.gz").write_bytes(b"")
        with pytest.raises(UsageError, match=f"{name}: a tokenizer is for text"):
            read(tmp_path / name, kind=kind, tokenizer=EnglishTokenizer())
    bank, _ = read(tmp_path / "b.txt", kind="text", tokenizer=EnglishTokenizer())
    assert bank.form.strings()[0] == "#"


def test_raw_english(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("Don't go!\n\nIt rains.\n")
    bank, reader = read(path, tokenizer=EnglishTokenizer())
    assert bank.form.strings() == ["Do", "n't", "go", "!", "It", "rains", "."]
    assert bank.lengths.tolist() == [4, 0, 3]
    no = "SpaceAfter=No"
    assert bank.columns["misc"].strings() == [no, "_", no, "_", "_", no, "_"]
    assert bank.margins[0].value("text") == "Don't go!"
    assert reader.empty_lines == 1


class Cut:
    """Cuts after two characters, of which "du" is two words."""

    unspaced = True

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        return [
            [part[k : k + 2] for part in x.split() for k in range(0, len(part), 2)] for x in lines
        ]

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        return [("de", "le") if token == "du" else (token,) for token in tokens]


def test_tokens_of_several_words_are_ranges(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("dudu x\n\nab du\n")
    bank, _ = read(path, tokenizer=Cut())
    range_line = "{}\tdu" + "\t_" * 7 + "\t{}"
    assert bank.sentences() == [["de", "le", "de", "le", "x"], [], ["ab", "de", "le"]]
    assert bank.margins[0].extras == (
        (0, range_line.format("1-2", "SpaceAfter=No")),
        (2, range_line.format("3-4", "_")),
    )
    assert bank.margins[2].extras == ((1, range_line.format("2-3", "_")),)
    assert set(bank.columns["misc"].strings()) == {"_"}


def test_lines_without_blanks_are_cut_by_what_is_given(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("彼は昨日東京に行きました\n" * 3)
    with pytest.warns(WordOrderWarning, match="lines without blanks are cut by the tokenizer"):
        bank, _ = read(path, if_uncut=Cut)
    assert bank.lengths.tolist() == [6, 6, 6]
    # One that has none, text with blanks, and no text.
    assert read(path, if_uncut=lambda: None)[0].lengths.tolist() == [1, 1, 1]
    path.write_text("彼 は 昨日 東京 に 行き まし た\n" * 3)
    assert read(path, if_uncut=Cut)[0].lengths.tolist() == [8, 8, 8]
    path.write_text("")
    assert len(read(path, if_uncut=Cut)[0]) == 0


@given(st.lists(st.tuples(st.text("ab", min_size=1), st.booleans())))
def test_spaces_after_words(words: list[tuple[str, bool]]) -> None:
    text = "".join(word + " " * spaced for word, spaced in words)
    expected = [spaced for _, spaced in words]
    if expected:
        expected[-1] = True
    assert spaces_after(text.rstrip(), [word for word, _ in words]) == expected


def test_words_that_the_text_lacks_are_followed_by_blanks() -> None:
    assert spaces_after("ab c", ["a", "x", "c"]) == [False, True, True]


def test_no_sentences_and_no_file(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("")
    bank, reader = read(path)
    assert (len(bank), reader.empty_lines) == (0, 0)
    refuses(InputError, "No such file", read, tmp_path / "none.txt")


# -- Sentences that are parsed for an analysis, in batches that nobody sees. -----------------------


class Chains:
    """Hangs each word on the one before it; has no tree for a word called ``bad``."""

    def __init__(self) -> None:
        # So wide that a batch is four sentences.
        self.beam = TREES // 4
        self.sizes: list[int] = []

    def parse(self, sentences: Treebank) -> Treebank:
        self.sizes.append(len(sentences))
        for number in range(len(sentences)):
            if "bad" in sentences[number : number + 1].form.strings():
                raise InputError(f"sentence {number + 1} (x)", "no tree", "one")
        rows = [list(range(n)) for n in sentences.lengths.tolist()]
        heads = Treebank.from_words([["_"] * len(row) for row in rows], heads=rows).heads
        return sentences.replace(heads=heads)


@pytest.fixture
def chains(monkeypatch: pytest.MonkeyPatch) -> Chains:
    made = Chains()
    opened = Opened(made, None, "keep")
    monkeypatch.setattr(parsed_trees, "open_parser", lambda _: opened)
    return made


def test_batches_make_one_treebank(chains: Chains, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("".join(f"w{i} w{i}\n" if i % 3 else "\n" for i in range(10)))
    sentences, name = read_sentences(path)
    assert name == str(path)
    done: list[int] = []
    bank = parsed_by("any", sentences, progress=done.append)
    assert chains.sizes == [4, 4, 2]
    assert done == [4, 8, 10]
    assert bank.form.strings() == sentences.form.strings()
    assert bank.lengths.tolist() == [0 if i % 3 == 0 else 2 for i in range(10)]
    assert bank.heads.tolist() == [0, 1] * 6
    assert len(parsed_by("any", sentences[:0])) == 0


def test_errors_name_the_sentence_of_the_file(chains: Chains) -> None:
    sentences = Treebank.from_words([["w"]] * 6 + [["bad"]])
    with pytest.raises(InputError, match=r"^a\.txt: sentence 7 \(x\): no tree; expected one$"):
        parsed_by("any", sentences, name="a.txt")
