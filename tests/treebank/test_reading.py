"""CoNLL-U: what is read, and what is written; lists of trees."""

import gzip
import io
import math
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.files import data, written
from tests.notes import noted
from tests.oracles_trees import conllu_words, is_tree, random_tree
from tests.refusing import complains, refuses

from wordorder.errors import InputError, UsageError
from wordorder.text import blocks as sentence_blocks
from wordorder.text.blocks import TextBlock
from wordorder.text.sources import Source
from wordorder.treebank import kbest_files as kbest_reading
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestReader, KBestWriter, read_kbest, write_kbest
from wordorder.treebank.reading import (
    TreebankReader,
    TreebankWriter,
    parse_sentences,
    read_treebank,
    write_treebank,
)
from wordorder.treebank.treebank import NO_HEAD, STRING_COLUMNS, Column, Margin, Treebank

FILES = [
    *("ud-english-ewt/en_ewt-ud-train", "ud-english-ewt/en_ewt-ud-test"),
    *("ud-english-atis/en_atis-ud-dev", "ud-pud/hi_pud-ud-test", "ud-pud/ja_pud-999-older"),
]
SENTENCE = """\
# sent_id = one
# text = vámonos al mar
1-2	vámonos	_	_	_	_	_	_	_	_
1	vamos	ir	VERB	_	Mood=Imp	0	root	_	_
2	nos	nosotros	PRON	_	_	1	obj	1:obj|2.1:nsubj	_
2.1	fuimos	ir	VERB	_	_	_	_	0:root	_
3-4	al	_	_	_	_	_	_	_	_
3	a	a	ADP	_	_	5	case	_	_
4	el	el	DET	_	_	5	det	_	_
5	mar	mar	NOUN	_	_	1	obl	_	SpaceAfter=No

"""


def word(number: object, head: object, form: str = "w", label: str = "x") -> str:
    return f"{number}\t{form}\t_\t_\t_\t_\t{head}\t{label}\t_\t_\n"


def bytes_of(treebank: Treebank) -> bytes:
    stream = io.BytesIO()
    TreebankWriter(stream).write(treebank)
    return stream.getvalue()


def read(text: str | bytes, **options: object) -> Treebank:
    data = text.encode() if isinstance(text, str) else text
    block = TextBlock(np.frombuffer(data, np.uint8), data.count(b"\n") + 1, 1)
    chosen: dict[str, object] = {"trees": "required", "single_root": True, **options}
    return parse_sentences(block, "a.conllu", **chosen)  # type: ignore[arg-type]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_treebanks_are_written_as_they_stand(name: str) -> None:
    path = data(f"{name}.conllu.gz")
    content = gzip.decompress(path.read_bytes())
    treebank = read_treebank(path)
    assert bytes_of(treebank) == content
    if treebank.words > 50_000:
        return
    words = conllu_words(content.decode())
    assert treebank.lengths.tolist() == list(map(len, words))
    flat = [fields for sentence in words for fields in sentence]
    assert treebank.heads.tolist() == [int(fields[6]) for fields in flat]
    for column, field in zip(STRING_COLUMNS, (1, 2, 3, 4, 5, 7, 8, 9), strict=True):
        assert treebank.columns[column].strings() == [fields[field] for fields in flat]


def test_ranges_empty_nodes_and_comments_are_kept() -> None:
    bank = read(SENTENCE * 2)
    assert bank.form.strings() == ["vamos", "nos", "a", "el", "mar"] * 2
    assert bank.heads.tolist() == [0, 1, 5, 5, 1] * 2
    margin = bank.margins[1]
    assert margin.value("sent_id") == "one"
    assert [before for before, _ in margin.extras] == [0, 2, 2]
    assert bytes_of(bank) == (SENTENCE * 2).encode()


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(1, 9), st.booleans())
def test_any_cut_of_the_file_gives_the_same(seed: int, batch: int, returns: bool) -> None:
    rng = random.Random(seed)
    text = ""
    for _ in range(rng.randrange(8)):
        text += "# a comment\n" * rng.randrange(3)
        heads = random_tree(rng, rng.randrange(1, 8))
        text += "".join(
            word(i, head, rng.choice(["a", "bé", "語", "long-enough-to-hash"]))
            for i, head in enumerate(heads, 1)
        )
        text += "\n"
    given_text = text.rstrip("\n") + "\n" * rng.randrange(3)
    if returns:
        given_text = given_text.replace("\n", "\r\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentence_blocks, "BLOCK_BYTES", rng.choice([1, 100, 1 << 24]))
        patch.setattr(sentence_blocks, "LineBlocks", lambda text: Pieces(text, rng))
        patch.setattr(Source, "of", lambda text: text)
        reader = TreebankReader(given_text.encode())  # type: ignore[arg-type]
        parts = []
        while len(part := reader.take(batch)):
            assert len(part) <= batch
            parts.append(part)
    whole = Treebank.concatenate(parts)
    assert bytes_of(whole) == text.encode()
    assert reader.lines == len(whole)


class Pieces:
    """Gives the lines of a text some at a time, as `LineBlocks` gives those of a file."""

    name = "pieces"
    # Lines of the file before the first.
    lines_before = 0

    def __init__(self, text: bytes, rng: random.Random) -> None:
        self._lines = text.splitlines(keepends=True)
        self._rng = rng

    def take_ready(self) -> TextBlock:
        count = self._rng.randrange(1, 5)
        lines, self._lines = self._lines[:count], self._lines[count:]
        return TextBlock(np.frombuffer(b"".join(lines), np.uint8), len(lines), 1)

    def close(self) -> None:
        pass


def test_files_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(SENTENCE.encode()))
    assert bytes_of(read_treebank(path)) == SENTENCE.encode()
    empty = tmp_path / "empty.conllu"
    for nothing in (b"", b"\n\r\n\n"):
        empty.write_bytes(nothing)
        assert len(read_treebank(empty)) == 0
    empty.write_bytes(b"\xef\xbb\xbf" + SENTENCE.encode())
    with noted("byte order mark"):
        assert len(read_treebank(empty)) == 1
    empty.write_bytes(SENTENCE.encode().replace(b"mar", b"m\xffr", 1))
    refuses(InputError, r"empty.conllu:2:23: byte 0xff", read_treebank, empty)


def test_only_newlines_end_lines() -> None:
    form = "a\u2028b\x0bc\x0cd\x85e\rf g"
    bank = read(word(1, 0, form))
    assert bank.form.strings() == [form]
    assert bytes_of(bank).decode() == word(1, 0, form) + "\n"


def test_trees_may_be_missing() -> None:
    bare = word(1, "_") + word(2, "_")
    bank = read(bare + "\n" + word(1, 0), trees="optional")
    assert bank.heads.tolist() == [NO_HEAD, NO_HEAD, 0]
    assert refusal(bare).startswith("a.conllu:1: no head; expected a head for each word")
    half = "# c\n" + word(1, 0) + word(2, "_")
    hint = "(trees given in part are for `wordorder train parser --augment`)"
    every = "a.conllu:3: no head; expected a head for each word"
    assert refusal(half, trees="optional") == f"{every} of the sentence, or for none {hint}"
    assert refusal(half) == f"{every} {hint}"
    refuses(UsageError, "legal names: .*optional", TreebankReader, "a", trees="no")


def test_trees_may_be_given_in_part() -> None:
    half = word(1, "_") + word(2, 0) + word(3, 2)
    bare, whole = word(1, "_") + word(2, "_"), word(1, 2) + word(2, 0)
    bank = read(f"{half}\n{bare}\n{whole}", trees="partial")
    assert bank.heads.tolist() == [NO_HEAD, 0, 2, NO_HEAD, NO_HEAD, 2, 0]
    unknown_root = word(1, 2) + word(2, "_") + word(3, 1)
    assert read(unknown_root, trees="partial").heads.tolist() == [2, NO_HEAD, 1]
    for wrong, message in (
        (word(1, 2) + word(2, 1) + word(3, "_"), "a.conllu:1: a cycle"),
        (word(1, 0) + word(2, 0) + word(3, "_"), "a.conllu:2: a second root"),
        (word(1, "_") + word(2, 2), "a.conllu:2: a word that is its own head"),
        (word(1, "_") + word(2, 3), "a.conllu:2: head 3"),
        (word(1, 2) + word(2, 1), "a.conllu:1: no root"),
    ):
        assert refusal(wrong, trees="partial").startswith(message)


def test_several_roots_if_wanted() -> None:
    text = word(1, 0) + word(2, 0)
    message = "a.conllu:2: a second root; expected one word with head 0 in a sentence"
    assert refusal(text) == message
    assert read(text, single_root=False).heads.tolist() == [0, 0]


def test_conll_x_has_the_same_columns() -> None:
    text = "1\tHij\thij\tPron\tPron\tper|3\t0\tROOT\t0\tROOT\n\n"
    bank = read(text)
    assert bank.columns["deps"].strings() + bank.columns["misc"].strings() == ["0", "ROOT"]
    assert bytes_of(bank).decode() == text


def test_comments_alone_are_a_sentence_without_words() -> None:
    text = "# text =\n\n" + word(1, 0) + "\n# only this\n\n"
    bank = read(text)
    assert bank.lengths.tolist() == [0, 1, 0]
    assert bytes_of(bank).decode() == text


def test_conll_u_plus(tmp_path: Path) -> None:
    path = tmp_path / "a.conllup"
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    path.write_text(f"# global.columns = {columns}\n" + word(1, 0) + "\n")
    assert bytes_of(read_treebank(path)) == path.read_bytes()
    path.write_text(f"# global.columns = {columns} PARSEME:MWE\n" + word(1, 0) + "\n")
    message = r"a.conllup:1: '# global.columns .*expected the columns"
    refuses(InputError, message, read_treebank, path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\ta\tb\n", "1: columns: 3 in '1\\ta\\tb'; expected ten, separated by tabs"),
        (word(1, 0)[:-1] + "\t_\n", "1: columns: 11 in"),
        (word(1, 0).replace("\t", "  "), "1: columns: 1 in"),
        (word(1, 0) + " \t \n", "2: a line of blanks; expected an empty line after a sentence"),
        (word(1, 0, ""), "1: nothing in FORM; expected _ or some text"),
        (word(1, 0)[:-2] + "\n", "1: nothing in MISC"),
        (word(2, 0), "1: ID '2'; expected 1, the number of the word"),
        (word(1, 0) + word(3, 1), "2: ID '3'; expected 2"),
        (word("01", 0), "1: ID '01'; expected 1"),
        (word("+1", 0), "1: ID '+1'"),
        (word("", 0), "1: nothing in ID"),
        (word("١", 0), "1: ID '١'"),
        (word("1" + "0" * 20, 0), f"1: ID '1{'0' * 20}'"),
        (word(1, "1" + "0" * 20), f"1: head '1{'0' * 20}'; expected the number of a word"),
        (word(1, "0x"), "1: head '0x'"),
        (word(1, "-1"), "1: head '-1'"),
        (word(1, "00"), "1: head '00'"),
        (word(1, 2), "1: head 2; expected a number from 0 to 1, the words of the sentence"),
        (word(1, 0) + word(2, 2), "2: a word that is its own head"),
        (word(1, 2) + word(2, 1), "1: no root: no word of the sentence has head 0"),
        (word(1, 0) + word(2, 3) + word(3, 2), "2: a cycle"),
        (word("1-2", "_") + word(1, 0), "1: range '1-2' in a sentence of 1 words"),
        (word("2-3", "_") + word(1, 0), "1: range '2-3'; expected one that begins with 1"),
        (word("1-1", "_") + word(1, 0), "1: range '1-1'"),
        (word("1-", "_") + word(1, 0), "1: range '1-'"),
        (word("1-2x", "_") + word(1, 0), "1: range '1-2x'"),
        (word("1-2", "_") + word(1, 0) + word("2-3", "_"), "3: range '2-3'"),
        (word("1-3", "_") + word("1-2", "_"), "2: range '1-2'"),
        (word("1.1", "_") + word(1, 0), "1: empty node '1.1'; expected the word before it and .1"),
        (word("0.2", "_") + word(1, 0), "1: empty node '0.2'"),
        (word(1, 0) + word("1.1", "_") + word("1.1", "_"), "3: empty node '1.1'"),
        (word(1, 0) + word("1.1.1", "_"), "2: empty node '1.1.1'"),
        (word(1, 0) + word("2-3", "_") + word("1.1", "_") + word(2, 1), "3: empty node '1.1'"),
        (word(1, 0) + "# late\n" + word(2, 1), "2: a comment inside a sentence"),
        (word("0.1", "_") + "# late\n" + word(1, 0), "2: a comment inside a sentence"),
        (word(1, 2) + "\n" + word(1, 0) + "x\n", "1: head 2"),
        (word(1, 0) + "\n\n# c\n" + word(1, 5) + "\n" + word(1, 0), "5: head 5"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(text: str, message: str) -> None:
    for ends in ("\n", "\r\n"):
        for rest in ("", "\n", "\n" + word(1, 0)):
            found = refusal((text + rest).replace("\n", ends))
            assert found.startswith(f"a.conllu:{message}")


@given(st.lists(st.integers(0, 5), max_size=5), st.booleans())
def test_trees_are_told_from_other_heads(heads: list[int], single_root: bool) -> None:
    text = "".join(word(i, head) for i, head in enumerate(heads, 1))
    try:
        good = read(text, single_root=single_root).heads.tolist() == heads
    except InputError:
        good = False
    assert good == is_tree(heads, single_root=single_root)


def test_a_long_sentence_is_read_or_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.conllu"
    words = 30_000
    # A chain, the deepest tree.
    path.write_text("".join(word(i, i - 1) for i in range(1, words + 1)))
    assert read_treebank(path).words == words
    monkeypatch.setattr(sentence_blocks, "MAX_SENTENCE_BYTES", 100_000)
    path.write_text(word(1, 0) + "\n" + path.read_text())
    refuses(InputError, r"a.conllu:\d+: a sentence of more than 100000 bytes", read_treebank, path)


def test_many_comments_are_read_or_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.conllu"
    monkeypatch.setattr(sentence_blocks, "MAX_SENTENCE_LINES", 100)
    path.write_text("#\n\n" * 300 + "\n" * 300 + "#\n" * 100)
    assert len(read_treebank(path)) == 301
    path.write_text("#\n\n" * 300 + "\n" * 300 + "#\n" * 101)
    refuses(InputError, r"a.conllu:\d+: a sentence of more than 100 lines", read_treebank, path)


def test_the_line_of_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_text("\n# a = 1\n# b = 2\n" + word(1, 0) + "\n\n" + word(1, 0) + "\n" + SENTENCE)
    with TreebankReader(path) as reader:
        reader.take(1)
        assert (reader.line(0), reader.line(0, "b")) == (2, 3)
        reader.take(2)
        assert (reader.line(0), reader.line(1), reader.line(1, "text")) == (7, 9, 10)


FIELDS = st.text(st.characters(exclude_characters="\t\n", exclude_categories=["Cs"]), min_size=1)


def bank(form: str = "a") -> Treebank:
    return Treebank.from_words([["x"], ["x", form]], heads=[[0], [0, 1]])


@settings(max_examples=25)
@given(st.lists(st.lists(FIELDS, min_size=1, max_size=3), max_size=3))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[str]]
) -> None:
    path = tmp_path_factory.mktemp("any") / "a.conllu"
    misc = [[string.replace("\r", "") or "_" for string in row] for row in rows]
    treebank = Treebank.from_words(rows, upos=rows, label=rows, misc=misc)
    write_treebank(path, treebank)
    again = read_treebank(path, trees="optional")
    assert again.offsets.tolist() == treebank.offsets.tolist()
    assert set(again.heads.tolist()) <= {NO_HEAD}
    for column in STRING_COLUMNS:
        assert again.columns[column].strings() == treebank.columns[column].strings()


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb", "\ud800"])
def test_strings_that_cannot_be_written(form: str) -> None:
    stream = io.BytesIO()
    message = "sentence 2, word 2: form .* expected some text"
    refuses(InputError, message, TreebankWriter(stream).write, bank(form))
    assert stream.getvalue() == b""
    # Strings of no word do not matter.
    assert bytes_of(bank(form)[:1]).count(b"\n") == 2


def test_a_last_field_that_ends_like_a_line() -> None:
    treebank = bank().replace(misc=Column.of(["_", "a\r", "_"]))
    refuses(InputError, "sentence 2, word 1: misc", TreebankWriter(io.BytesIO()).write, treebank)


@pytest.mark.parametrize("line", ["no hash", "# two\nlines", "# return\r", "# \ud800", "", None])
def test_lines_that_cannot_be_written(line: str | None) -> None:
    margin = Margin((), ((0, "1-2\ta"),)) if line is None else Margin((line,))
    treebank = replace(bank(), margins=[Margin(("# fine\twith a tab",)), margin])
    refuses(InputError, "sentence 2: the line", TreebankWriter(io.BytesIO()).write, treebank)


def test_sentences_without_words_keep_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    refuses(InputError, "form", write_treebank, path, bank("a\tb"))
    assert list(tmp_path.iterdir()) == []
    write_treebank(path, Treebank.from_words([["a"], [], ["b"]], heads=[[0], [], [0]]))
    assert read_treebank(path).lengths.tolist() == [1, 0, 1]


# -- Lists of trees: in columns, written, read, and refused. ---------------------------------------


def some_lists(rng: random.Random, sizes: list[int]) -> KBest:
    words, heads, scores = [], [], []
    for size in sizes:
        sentence = rng.choices(["a", "bb", "語"], k=rng.randrange(1, 6))
        words += [sentence] * size
        heads += [random_tree(rng, len(sentence)) for _ in range(size)]
        scores += sorted(rng.choice([rng.gauss(0, 1e3), 1.5, 1e-310]) for _ in range(size))[::-1]
    offsets = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])
    return KBest(Treebank.from_words(words, heads=heads), offsets, np.array(scores, np.float64))


def test_lists_in_columns() -> None:
    lists = some_lists(random.Random(1), [2, 0, 3, 1])
    assert lists.sentence.tolist() == [0, 0, 2, 2, 2, 3]
    assert lists.rank.tolist() == [1, 2, 1, 2, 3, 1]
    assert len(lists.best()) == 3
    part = lists[2:9]
    assert (len(part), part.rank.tolist(), len(part.trees)) == (2, [1, 2, 3, 1], 4)
    assert part.scores.tolist() == lists.scores[2:].tolist()
    assert len(lists[3:1]) == 0
    with pytest.raises(IndexError):
        lists[::2]
    with pytest.raises(TypeError, match="taken by slices"):
        lists[0]  # type: ignore[index]
    whole = KBest.concatenate([lists[:2], lists[2:]])
    assert whole.offsets.tolist() == lists.offsets.tolist()
    assert whole.trees.heads.tolist() == lists.trees.heads.tolist()
    assert len(KBest.concatenate([])) == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.lists(st.integers(1, 4), max_size=5), st.integers(1, 3))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, seed: int, sizes: list[int], batch: int
) -> None:
    lists = some_lists(random.Random(seed), sizes)
    path = tmp_path_factory.mktemp("lists") / "a.conllu"
    write_kbest(path, lists)
    again = read_kbest(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kbest_reading, "READ_TREES", 1 + seed % 3)
        parts = []
        with KBestReader(path) as reader:
            while len(part := reader.take(batch)):
                assert len(part) <= batch
                parts.append(part)
        assert reader.lines == len(lists)
    for found in (again, KBest.concatenate(parts)):
        assert found.offsets.tolist() == lists.offsets.tolist()
        assert found.trees.heads.tolist() == lists.trees.heads.tolist()
        assert found.trees.form.strings() == lists.trees.form.strings()
        # To the last bit.
        assert found.scores.tolist() == lists.scores.tolist()
    stream = io.BytesIO()
    KBestWriter(stream).write(again)
    assert stream.getvalue() == path.read_bytes()


def tree(comments: str, form: str = "w") -> str:
    lines = "".join(f"# {comment}\n" for comment in comments.split("; ") if comment)
    return f"{lines}1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def listed(tmp_path: Path, *trees: str) -> KBest:
    path = written(tmp_path, "".join(trees), "a.conllu")
    return read_kbest(path)


@pytest.mark.parametrize(
    ("comments", "sizes"),
    [
        (["sent_id = a", "sent_id = a", "sent_id = b", "sent_id = a"], [2, 1, 1]),
        (["rank = 1", "rank = 2", "rank = 1"], [2, 1]),
        (["sent_id = a; rank = 1", "sent_id = a; rank = 1"], [1, 1]),
        (["sent_id = a", "sent_id = a; rank = 2", "sent_id = a"], [3]),
        (["sent_id = a", "rank = 1", "rank = 2", "sent_id = a"], [1, 2, 1]),
    ],
)
def test_where_lists_begin(tmp_path: Path, comments: list[str], sizes: list[int]) -> None:
    lists = listed(tmp_path, *map(tree, comments))
    assert np.diff(lists.offsets).tolist() == sizes
    assert all(map(math.isnan, lists.scores))


def test_ranks_and_scores_leave_the_comments(tmp_path: Path) -> None:
    text = "text = w; sent_id = a; rank = 1; score = 2.50; newpar"
    lists = listed(tmp_path, tree(text))
    assert lists.trees.margins[0].comments == ("# text = w", "# sent_id = a", "# newpar")
    stream = io.BytesIO()
    KBestWriter(stream).write(lists)
    expected = tree("text = w; sent_id = a; rank = 1; score = 2.5; newpar")
    assert stream.getvalue().decode() == expected


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (["text = w"], "1: a tree without sent_id and rank; expected a comment # sent_id ="),
        (["sent_id = a; rank = 2"], "2: rank '2'; expected 1"),
        (["rank = 1", "rank = 3"], "4: rank '3'; expected 2"),
        (["rank = 1", "rank = 2", "rank = 2"], "7: rank '2'; expected 3"),
        (["sent_id = a; rank = 1", "sent_id = b; rank = 2"], "6: rank '2'; expected 1"),
        (["rank = 1; score = x"], "2: score 'x'; expected a finite number"),
        (["rank = 1; score = nan"], "2: score 'nan'"),
        (["rank = 1; score = 1e999"], "2: score '1e999'"),
        (["rank = 1; score = 1_0"], "2: score '1_0'"),
        (["rank = 1; score = 1", "rank = 2; score = 2"], "6: score 2 after 1.0; expected scores"),
        (["rank = 1; score = 1", "rank = 2"], "5: a tree without a score after one with"),
        (["rank = 1", "rank = 2; score = 1"], "5: a score after a tree without one"),
        (["rank = 1", ("rank = 2", "v")], "4: other words than the tree before"),
    ],
)
@pytest.mark.parametrize("batch", [1, 100])
def test_lists_that_are_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trees: list[str | tuple[str, str]],
    message: str,
    batch: int,
) -> None:
    monkeypatch.setattr(kbest_reading, "READ_TREES", batch)
    texts = [tree(*each) if isinstance(each, tuple) else tree(each) for each in trees]
    complains(InputError, f"{tmp_path}/a.conllu:{message}", listed, tmp_path, *texts)


def test_lists_that_never_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kbest_reading, "MAX_TREES", 5)
    monkeypatch.setattr(kbest_reading, "READ_TREES", 2)
    refuses(
        InputError, "a list of more than 5 trees", listed, tmp_path, *[tree("sent_id = a")] * 20
    )


def test_lists_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    lists = some_lists(random.Random(1), [1, 0])
    refuses(InputError, "sentence 2: no trees", write_kbest, path, lists)
    infinite = KBest(lists.trees, lists.offsets[:2], np.array([np.inf]))
    refuses(InputError, "sentence 1: an infinite score", write_kbest, path, infinite)
    # Between lists scores may rise.
    pair = Treebank.from_words([["a"]] * 4, heads=[[0]] * 4)
    for bad in ([1.0, 2.0], [1.0, math.nan], [math.nan, 1.0]):
        wrong = KBest(pair, np.array([0, 2, 4]), np.array([0.5, 0.25, *bad]))
        with pytest.raises(InputError, match="sentence 2: score .* before .*; expected numbers"):
            write_kbest(path, wrong)
    assert not path.exists()


def test_a_treebank_is_a_list_of_one_tree_each(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    lists = listed(tmp_path, tree("sent_id = a"), tree("sent_id = b"))
    write_treebank(path, lists.best())
    assert np.diff(read_kbest(path).offsets).tolist() == [1, 1]
