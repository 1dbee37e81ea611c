"""CoNLL-U: what is read, and what is written."""

import gzip
import io
import os
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_trees import conllu_words, is_tree, random_tree
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.text import blocks as sentence_blocks
from wordorder.text.blocks import Block
from wordorder.text.lines import Source
from wordorder.treebank.reading import (
    TreebankReader,
    TreebankWriter,
    parse_sentences,
    read_treebank,
    write_treebank,
)
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, Column, Margin, Treebank

DATA = Path(os.environ.get("WORDORDER_DATA", "no data"))
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


def written(treebank: Treebank) -> bytes:
    stream = io.BytesIO()
    TreebankWriter(stream).write(treebank)
    return stream.getvalue()


def read(text: str | bytes, **options: object) -> Treebank:
    data = text.encode() if isinstance(text, str) else text
    block = Block(np.frombuffer(data, np.uint8), data.count(b"\n") + 1, 1)
    chosen: dict[str, object] = {"trees": "required", "single_root": True, **options}
    return parse_sentences(block, "a.conllu", **chosen)  # type: ignore[arg-type]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(text, **options)
    return str(caught.value)


@pytest.mark.parametrize("name", FILES)
def test_treebanks_are_written_as_they_stand(name: str) -> None:
    path = DATA / f"{name}.conllu.gz"
    if not path.exists():
        pytest.skip("WORDORDER_DATA names no folder with the treebanks")
    content = gzip.decompress(path.read_bytes())
    treebank = read_treebank(path)
    assert written(treebank) == content
    if treebank.words > 50_000:
        return
    words = conllu_words(content.decode())
    assert treebank.lengths.tolist() == list(map(len, words))
    flat = [fields for sentence in words for fields in sentence]
    assert treebank.heads.tolist() == [int(fields[6]) for fields in flat]
    for column, field in zip(COLUMNS, (1, 2, 3, 4, 5, 7, 8, 9), strict=True):
        assert treebank.columns[column].strings() == [fields[field] for fields in flat]


def test_ranges_empty_nodes_and_comments_are_kept() -> None:
    bank = read(SENTENCE * 2)
    assert bank.form.strings() == ["vamos", "nos", "a", "el", "mar"] * 2
    assert bank.heads.tolist() == [0, 1, 5, 5, 1] * 2
    margin = bank.margins[1]
    assert margin.value("sent_id") == "one"
    assert [before for before, _ in margin.extras] == [0, 2, 2]
    assert written(bank) == (SENTENCE * 2).encode()


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
    assert written(whole) == text.encode()
    assert reader.lines == len(whole)


class Pieces:
    """Gives the lines of a text some at a time, as `LineBlocks` gives those of a file."""

    name = "pieces"
    # Lines of the file before the first.
    before = 0

    def __init__(self, text: bytes, rng: random.Random) -> None:
        self._lines = text.splitlines(keepends=True)
        self._rng = rng

    def take_ready(self) -> Block:
        count = self._rng.randrange(1, 5)
        lines, self._lines = self._lines[:count], self._lines[count:]
        return Block(np.frombuffer(b"".join(lines), np.uint8), len(lines), 1)

    def close(self) -> None:
        pass


def test_files_of_all_kinds(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu.gz"
    path.write_bytes(gzip.compress(SENTENCE.encode()))
    assert written(read_treebank(path)) == SENTENCE.encode()
    empty = tmp_path / "empty.conllu"
    empty.write_bytes(b"")
    assert len(read_treebank(empty)) == 0
    empty.write_bytes(b"\n\r\n\n")
    assert len(read_treebank(empty)) == 0
    empty.write_bytes(b"\xef\xbb\xbf" + SENTENCE.encode())
    with pytest.warns(WordOrderWarning, match="byte order mark"):
        assert len(read_treebank(empty)) == 1
    empty.write_bytes(SENTENCE.encode().replace(b"mar", b"m\xffr", 1))
    refuses(InputError, r"empty.conllu:2:23: byte 0xff", read_treebank, empty)


def test_only_newlines_end_lines() -> None:
    form = "a\u2028b\x0bc\x0cd\x85e\rf g"
    bank = read(word(1, 0, form))
    assert bank.form.strings() == [form]
    assert written(bank).decode() == word(1, 0, form) + "\n"


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
    assert refusal(text) == (
        "a.conllu:2: a second root; expected one word with head 0 in a sentence"
    )
    assert read(text, single_root=False).heads.tolist() == [0, 0]


def test_conll_x_has_the_same_columns() -> None:
    text = "1\tHij\thij\tPron\tPron\tper|3\t0\tROOT\t0\tROOT\n\n"
    bank = read(text)
    assert bank.columns["deps"].strings() + bank.columns["misc"].strings() == ["0", "ROOT"]
    assert written(bank).decode() == text


def test_comments_alone_are_a_sentence_without_words() -> None:
    text = "# text =\n\n" + word(1, 0) + "\n# only this\n\n"
    bank = read(text)
    assert bank.lengths.tolist() == [0, 1, 0]
    assert written(bank).decode() == text


def test_conll_u_plus(tmp_path: Path) -> None:
    path = tmp_path / "a.conllup"
    columns = "ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC"
    path.write_text(f"# global.columns = {columns}\n" + word(1, 0) + "\n")
    assert written(read_treebank(path)) == path.read_bytes()
    path.write_text(f"# global.columns = {columns} PARSEME:MWE\n" + word(1, 0) + "\n")
    with pytest.raises(InputError, match=r"a.conllup:1: '# global.columns .*expected the columns"):
        read_treebank(path)


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


def test_a_range_may_not_be_followed_by_an_empty_node_before_its_word() -> None:
    text = word(1, 0) + word("2-3", "_") + word("1.1", "_") + word(2, 1) + word(3, 1)
    assert refusal(text).startswith("a.conllu:3: empty node '1.1'")


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
    for column in COLUMNS:
        assert again.columns[column].strings() == treebank.columns[column].strings()


@pytest.mark.parametrize("form", ["", "a\tb", "a\nb", "\ud800"])
def test_strings_that_cannot_be_written(form: str) -> None:
    stream = io.BytesIO()
    with pytest.raises(InputError, match="sentence 2, word 2: form .* expected some text"):
        TreebankWriter(stream).write(bank(form))
    assert stream.getvalue() == b""


def test_a_last_field_that_ends_like_a_line() -> None:
    treebank = bank().replace(misc=Column.of(["_", "a\r", "_"]))
    refuses(InputError, "sentence 2, word 1: misc", TreebankWriter(io.BytesIO()).write, treebank)


def test_strings_of_no_word_do_not_matter() -> None:
    treebank = bank("a\tb")[:1]
    stream = io.BytesIO()
    TreebankWriter(stream).write(treebank)
    assert stream.getvalue().count(b"\n") == 2


@pytest.mark.parametrize("line", ["no hash", "# two\nlines", "# return\r", "# \ud800", "", None])
def test_lines_that_cannot_be_written(line: str | None) -> None:
    margin = Margin((), ((0, "1-2\ta"),)) if line is None else Margin((line,))
    treebank = replace(bank(), margins=[Margin(("# fine\twith a tab",)), margin])
    refuses(InputError, "sentence 2: the line", TreebankWriter(io.BytesIO()).write, treebank)


def test_sentences_without_words_keep_their_place(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    treebank = Treebank.from_words([["a"], [], ["b"]], heads=[[0], [], [0]])
    write_treebank(path, treebank)
    assert read_treebank(path).lengths.tolist() == [1, 0, 1]


def test_nothing_is_left_of_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    with pytest.raises(InputError):
        write_treebank(path, bank("a\tb"))
    assert list(tmp_path.iterdir()) == []
