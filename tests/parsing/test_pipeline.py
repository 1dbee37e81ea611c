"""Parsers by name, and which tags they see."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.files import data, written
from tests.notes import noted
from tests.parsing.small_treebank import TREEBANK
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.parsing import given_tags as file_tags
from wordorder.parsing.adapters.external import PARSERS
from wordorder.parsing.given_tags import ForeignTagFilter, fill_tags, require_tags
from wordorder.parsing.pipeline import file_parser as parsed_trees
from wordorder.parsing.pipeline.file_parser import parsed_by, read_sentences
from wordorder.parsing.pipeline.loading import (
    MAX_PARTIAL_TREES,
    ParsingPipeline,
    as_treebank,
    open_parser,
    open_tagger,
)
from wordorder.parsing.pipeline.sentence_files import parse_files
from wordorder.parsing.pipeline.sentence_reading import SentenceReader, spaces_after
from wordorder.text.english_tokenizer import EnglishTokenizer
from wordorder.treebank.kbest_files import read_kbest
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, Column, Margin, Treebank

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


def tags(opened: ParsingPipeline) -> tuple[list[str], list[str], list[str]]:
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
    refuses(UsageError, "no k-best lists of trees", open_parser("TagsBefore:M").list_trees, BANK, 2)
    assert open_tagger("TagsBefore:M").tag(BANK).upos.strings() == ["M", "M"]
    message = "TagsWhileParsing:M: gives tags only together with trees"
    refuses(UsageError, message, open_tagger, "TagsWhileParsing:M")


def test_nothing_predicts_tags() -> None:
    opened = ParsingPipeline(TagsBefore("M"), None, "auto")
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
    path = written(tmp_path, "\n".join(lines))
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
    path = written(tmp_path, "It rains\n", "a.conllu")
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
    path = written(tmp_path, "Don't go!\n\nIt rains.\n")
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
    path = written(tmp_path, "dudu x\n\nab du\n")
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
    path = written(tmp_path, "彼は昨日東京に行きました\n" * 3)
    with noted("lines without spaces are split by the tokenizer"):
        bank, _ = read(path, if_unspaced=Cut)
    assert bank.lengths.tolist() == [6, 6, 6]
    # One that has none, text with blanks, and no text.
    assert read(path, if_unspaced=lambda: None)[0].lengths.tolist() == [1, 1, 1]
    path.write_text("彼 は 昨日 東京 に 行き まし た\n" * 3)
    assert read(path, if_unspaced=Cut)[0].lengths.tolist() == [8, 8, 8]
    path.write_text("")
    assert len(read(path, if_unspaced=Cut)[0]) == 0


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
    path = written(tmp_path, "")
    bank, reader = read(path)
    assert (len(bank), reader.empty_lines) == (0, 0)
    refuses(InputError, "No such file", read, tmp_path / "none.txt")


# -- Sentences that are parsed for an analysis, in batches that nobody sees. -----------------------


class Chains:
    """Hangs each word on the one before it; has no tree for a word called ``bad``."""

    def __init__(self) -> None:
        # So wide that a batch is four sentences.
        self.beam = MAX_PARTIAL_TREES // 4
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
    opened = ParsingPipeline(made, None, "keep")
    monkeypatch.setattr(parsed_trees, "open_parser", lambda _: opened)
    return made


def test_batches_make_one_treebank(chains: Chains, tmp_path: Path) -> None:
    path = written(tmp_path, "".join(f"w{i} w{i}\n" if i % 3 else "\n" for i in range(10)))
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


# -- Tags of a file and predicted ones: which of them a parser sees. -------------------------------


class Numbers:
    """Tags each word with its number; counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def tag(self, sentences: Treebank) -> Treebank:
        self.asked += 1
        numbers = Column.of(map(str, range(sentences.words)))
        return sentences.replace(upos=numbers, xpos=numbers)


def test_given_tags_stay_and_others_are_predicted() -> None:
    bank = Treebank.from_words(
        [["a", "b"], [], ["c"]], upos=[["X", "_"], [], ["Y"]], xpos=[["_", "_"], [], ["Z"]]
    )
    found = fill_tags(bank, Numbers())
    assert found.upos.strings() == ["X", "1", "Y"]
    assert found.xpos.strings() == ["0", "1", "Z"]


def test_nothing_is_predicted_where_all_is_given() -> None:
    bank = Treebank.from_words([["a"]], upos=[["X"]], xpos=[["Y"]])
    tagger = Numbers()
    assert fill_tags(bank, tagger) is bank
    assert tagger.asked == 0
    empty = Treebank.from_words([[]])
    assert fill_tags(empty, tagger) is empty


def test_the_sentence_without_tags_is_named() -> None:
    bank = Treebank.from_words([["a"], [], ["b", "c"]], upos=[["X"], [], ["_", "Y"]])
    with pytest.raises(InputError, match="a.txt: words without tags in sentence 13;"):
        require_tags(bank, "a.txt", 10)
    require_tags(bank[:2], "a.txt", 10)


EWT, PUD = "ud-english-ewt/en_ewt-ud-dev.conllu.gz", "ud-pud/en_pud-ud-test.conllu.gz"
# Two of these names are also Penn tags: the tags of 9 % of the words.
OTHER = {"ADJ": "POS", "NUM": "DT"}
KNOWN = {"upos": frozenset({"A", "B"}), "xpos": frozenset({"a", "b"})}


def naive(
    rows: list[list[str]], begins: list[bool], known: frozenset[str], window: int
) -> list[list[str]]:
    """Take out what counts as missing: for each sentence go back as far as its tags are few."""
    found = []
    for number, row in enumerate(rows):
        tags = [tag for tag in row if tag != "_"]
        before = number
        while len(tags) < window and before and not begins[before]:
            before -= 1
            tags += [tag for tag in rows[before] if tag != "_"]
        mostly = 2 * sum(tag not in known for tag in tags) >= len(tags)
        found.append(["_" if mostly or tag not in known else tag for tag in row])
    return found


def treebank(rows: list[list[str]], begins: list[bool]) -> Treebank:
    margins = [Margin(("# newdoc id = d",) if new else ("# text = newdoc",)) for new in begins]
    return replace(
        Treebank.from_words([["w"] * len(row) for row in rows], xpos=rows), margins=margins
    )


def own_xpos(bank: Treebank, size: int) -> list[str]:
    tags = ForeignTagFilter(KNOWN)
    parts = [tags.keep_known(bank[first : first + size]) for first in range(0, len(bank), size)]
    return [tag for part in parts for tag in part.xpos.strings()]


@pytest.mark.parametrize("seed", range(40))
def test_sentences_are_judged_by_their_document_and_window(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    window = rng.choice([1, 2, 3, 7, 50])
    monkeypatch.setattr(file_tags, "WINDOW_TAGS", window)
    odd = rng.choice([1, 2, 4])
    count = rng.choice([1, 12, 40])
    rows = [
        [rng.choice(["a", "b", "_"] + ["x"] * odd) for _ in range(rng.randint(0, 4))]
        for _ in range(count)
    ]
    begins = [rng.random() < rng.choice([0, 0.3]) for _ in rows]
    expected = [tag for row in naive(rows, begins, KNOWN["xpos"], window) for tag in row]
    bank = treebank(rows, begins)
    for size in (1, 5, count):
        assert own_xpos(bank, size) == expected


@pytest.mark.parametrize("documents", [True, False])
def test_what_comes_before_does_not_matter(documents: bool) -> None:
    """Tags of another set get the same verdict alone and behind any number of the model's own."""
    mine = [["a", "b"] * 20] * 30
    other = [["x", "y", "a"] * 20] * 30
    first = [documents] + [False] * 29
    for before, after in ((mine, other), (other, mine)):
        alone = own_xpos(treebank(after, first), 7)
        both = own_xpos(treebank(before + after, first * 2), 7)
        assert both[-len(alone) :] == alone
    assert set(own_xpos(treebank(other, first), 7)) == {"_"}


def test_the_window_takes_no_more_memory_with_the_file() -> None:
    tags = ForeignTagFilter(KNOWN)
    for row in (["a"], [], ["_", "x"], ["_"]):
        tags.keep_known(treebank([row] * 500, [False] * 500))
        assert len(tags._uses["xpos"].window) <= file_tags.WINDOW_TAGS


def test_notes_give_shares() -> None:
    tags = ForeignTagFilter(KNOWN)
    bank = Treebank.from_words([["w"] * 5], upos=[["A", "B", "C", "C", "D"]], xpos=[[*"aab_x"]])
    found = tags.keep_known(bank)
    assert found.upos.strings() == ["_"] * 5
    assert found.xpos.strings() == ["a", "a", "b", "_", "_"]
    assert list(tags.notes("M", "predicted")) == [
        "60 % of the UPOS are not tags of M, such as 'C': all predicted",
        "25 % of the XPOS are not tags of M, such as 'x': predicted",
    ]
    assert tags.describe_used() == "XPOS of the file for 60 % of the words"


def test_half_are_enough_and_all_is_only_said_of_all() -> None:
    half = treebank([["a", "x"]], [True])
    tags = ForeignTagFilter(KNOWN)
    assert tags.keep_known(half).xpos.strings() == ["_", "_"]
    assert [note.split(": ")[1] for note in tags.notes("M", "predicted")] == ["all predicted"]
    # Another document is judged by itself.
    assert tags.keep_known(treebank([["a", "b", "a", "x"]], [True])).xpos.strings() == [*"aba_"]
    assert list(tags.notes("M", "predicted")) == [
        "33 % of the XPOS are not tags of M, such as 'x': predicted; so are 25 % of the "
        "others, which stand among mostly such tags"
    ]


def test_missing_tags_give_shares() -> None:
    tags = ForeignTagFilter(KNOWN)
    tags.count(Treebank.from_words([["w"] * 4], upos=[[*"AB_A"]]))
    assert (
        tags.describe_missing() == "25 % of the words have no UPOS, 100 % of the words have no XPOS"
    )
    tags = ForeignTagFilter({"xpos": frozenset("a")})
    tags.count(Treebank.from_words([["w"] * 4]))
    assert tags.describe_missing() == "100 % of the words have no XPOS"


def test_a_model_that_knows_no_tags_of_a_kind_takes_all() -> None:
    tags = ForeignTagFilter({"upos": frozenset(), "xpos": frozenset({"a"})})
    bank = Treebank.from_words([["w"]], upos=[["Z"]], xpos=[["a"]])
    assert tags.keep_known(bank).upos.strings() == ["Z"]
    assert list(tags.notes("M", "predicted")) == []


def other_tags(bank: Treebank) -> Treebank:
    return bank.replace(
        upos=Column.filled(bank.words), xpos=bank.upos.map(lambda tag: OTHER.get(tag, f"Q{tag}"))
    )


def penn_tags(bank: Treebank) -> Treebank:
    return bank.replace(upos=Column.filled(bank.words))


def without_documents(bank: Treebank) -> Treebank:
    return replace(bank, margins=[Margin()] * len(bank))


@pytest.mark.parametrize(("tags", "others"), [(other_tags, penn_tags), (penn_tags, other_tags)])
@pytest.mark.allow_notes
def test_a_treebank_has_the_same_trees_behind_another(
    tags: Callable[[Treebank], Treebank], others: Callable[[Treebank], Treebank]
) -> None:
    gold, first = read_treebank(data(EWT))[:200], read_treebank(data(PUD))[:100]
    before = others(first)
    alone = parsed_by("en", tags(gold))
    both = parsed_by("en", Treebank.concatenate([before, tags(gold)]))
    assert both.heads[first.words :].tolist() == alone.heads.tolist()
    # Without documents the first 50 tags can have the wrong verdict, and what they change.
    both = parsed_by("en", without_documents(Treebank.concatenate([before, tags(gold)])))
    alone = parsed_by("en", without_documents(tags(gold)))
    other = np.flatnonzero(both.heads[first.words :] != alone.heads)
    assert not len(other) or other.max() < 100


@pytest.mark.allow_notes
def test_tags_of_the_model_all_count() -> None:
    gold = read_treebank(data(EWT))
    known = {"xpos": frozenset(gold.xpos.strings())}
    assert ForeignTagFilter(known).keep_known(penn_tags(gold)).xpos.strings() == gold.xpos.strings()


# -- Lists over several tag sequences, against parsing each sequence by itself. --------------------


SENTENCES = ["Click here to open the file .", "dogs bark", "saw", "Time flies like an arrow ."]


@pytest.fixture(scope="module")
def english() -> ParsingPipeline:
    return open_parser("en")


Reading = tuple[list[str], list[int], list[str]]


def readings(trees: Treebank) -> list[Reading]:
    return [
        (each.upos.strings() + each.xpos.strings(), each.heads.tolist(), each.label.strings())
        for each in (trees[i : i + 1] for i in range(len(trees)))
    ]


@pytest.mark.parametrize(("k", "sequences"), [(1, 1), (5, 2), (7, 7), (12, 5)])
def test_each_sequence_is_parsed_as_if_alone(
    english: ParsingPipeline, k: int, sequences: int
) -> None:
    lists = english.listed_over_tags(as_treebank(SENTENCES), k, sequences)
    for row, sentence in enumerate(SENTENCES):
        tags = english.tagger.kbest_tags(as_treebank([sentence]), sequences)  # type: ignore[union-attr]
        share, over = divmod(k, len(tags.trees))
        expected: list[tuple[float, Reading]] = []
        for rank in range(len(tags.trees)):
            most = share + (rank < over)
            if most:
                found = english.parser.kbest(tags.trees[rank : rank + 1], most)  # type: ignore[attr-defined]
                scores = found.scores + tags.scores[rank]
                expected += zip(scores.tolist(), readings(found.trees), strict=True)
        own = lists[row : row + 1]
        assert own.scores.tolist() == sorted((score for score, _ in expected), reverse=True)
        listed = list(zip(own.scores.tolist(), readings(own.trees), strict=True))
        assert sorted(listed) == sorted(expected)
        assert len({str(reading) for _, reading in listed}) == len(listed)


def test_given_tags_are_in_all_sequences(english: ParsingPipeline) -> None:
    given = Treebank.from_words(
        [["Time", "flies", "fast"]], upos=[["_", "NOUN", "_"]], xpos=[["_", "NNS", "_"]]
    )
    lists = english.kbest(given, 20, sequences=10)
    found = {tuple(tags) for tags, _, _ in readings(lists.trees)}
    assert {tags[4] for tags in found} == {"NNS"}
    assert len(found) > 1
    predicted = open_parser("en", tags="predict").kbest(given, 20, sequences=10)
    assert "VBZ" in {tags[4] for tags, _, _ in readings(predicted.trees)}


def test_lists_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(SENTENCES) + "\n")
    done = parse_files("en", tmp_path / "a.txt", tmp_path / "a.conllu", kbest=6, kbest_tags=3)
    lists = read_kbest(tmp_path / "a.conllu")
    assert done.trees == len(lists.trees)
    expected = open_parser("en").kbest(SENTENCES, 6, sequences=3)
    np.testing.assert_array_equal(lists.scores, expected.scores)


def test_the_best_tree_over_several_tag_sequences(tmp_path: Path) -> None:
    """Without a list: the best tree of those that each sequence has, by tags and trees together."""
    (tmp_path / "a.txt").write_text("\n".join(SENTENCES) + "\n")
    parse_files("en", tmp_path / "a.txt", tmp_path / "a.conllu", kbest_tags=4)
    found = read_treebank(tmp_path / "a.conllu")
    lists = open_parser("en").kbest(SENTENCES, 4, sequences=4)
    assert found.heads.tolist() == lists.best().heads.tolist()
    assert found.xpos.strings() == lists.best().xpos.strings()
    parse_files("en", tmp_path / "a.txt", tmp_path / "one.conllu", kbest_tags=1)
    parse_files("en", tmp_path / "a.txt", tmp_path / "plain.conllu")
    assert (tmp_path / "one.conllu").read_bytes() == (tmp_path / "plain.conllu").read_bytes()


def test_what_cannot_be_done_is_refused(english: ParsingPipeline, tmp_path: Path) -> None:
    for sequences in (0, 5, True):
        with pytest.raises(UsageError, match="a whole number from 1 to 4, not"):
            english.listed_over_tags(as_treebank(SENTENCES), 4, sequences)
    with pytest.raises(UsageError, match="predicts no tags, so there are not several"):
        open_parser("en", tags="keep").kbest(SENTENCES, 4, sequences=2)
    with pytest.raises(UsageError, match="kbest_tags is a whole number of at least 1, not 0"):
        parse_files("en", tmp_path / "none", kbest_tags=0)
    refuses(UsageError, "one string is not a list of sentences", english.parse, "It rains .")


def test_an_opened_parser_parses_words_and_lines(english: ParsingPipeline) -> None:
    lines = english.parse(SENTENCES)
    words = english.parse([sentence.split() for sentence in SENTENCES])
    assert lines.heads.tolist() == words.heads.tolist()
    assert lines.has_trees
    assert english.kbest(SENTENCES, 3).best().heads.tolist() == lines.heads.tolist()
