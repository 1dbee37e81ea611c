"""Orders are written and read; reordered text is matched to its source."""

import gzip
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_orders import order_text, orders_file
from tests.order.test_orders import Groups, as_lists, groupings
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.order import reading
from wordorder.order.matching import MatchedTextReader, WordIdReader, match_words, word_ids
from wordorder.order.orders import MAX_POSITION, Orders
from wordorder.order.reading import OrderReader, read_orders, write_orders


def read(data: bytes) -> Orders:
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        return read_orders("-")


def written(orders: Orders) -> bytes:
    stream = io.BytesIO()
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(stream))
        write_orders(orders, "-")
        return stream.getvalue()


@given(st.lists(groupings(), max_size=6), st.booleans())
def test_what_is_written_is_read(rows: list[Groups], windows: bool) -> None:
    text = b"".join(map(order_text, rows))
    assert written(Orders.from_rows(rows)) == text
    if windows:
        text = text.replace(b"\n", b"\r\n")
    assert as_lists(read(text)) == rows
    if rows and rows[-1]:
        assert as_lists(read(text.rstrip(b"\r\n"))) == rows


PIECES = [b"\n", b" ", b"\t", b",", b"0", b"1", b"7", b"12", b"\r", b"\r\n", b"-", b"+", b"_"]
PIECES += [b"00", b"16777215", b"16777216", b"100000000000000000000", b"\xd9\xa3", b"\xff", b"a"]


def soup(pieces: list[bytes]) -> st.SearchStrategy[bytes]:
    return st.lists(st.sampled_from(pieces), max_size=30).map(b"".join)


MARKED = st.binary(max_size=50).filter(lambda data: not data.startswith(b"\xef\xbb\xbf"))


@settings(max_examples=150)
@given(soup(PIECES[:10]) | soup(PIECES) | MARKED)
def test_near_misses_soup_and_random_bytes_are_read_or_refused_at_their_place(data: bytes) -> None:
    expected = orders_file(data)
    if isinstance(expected, list):
        assert as_lists(read(data)) == expected
        return
    with pytest.raises(InputError) as caught:
        read(data)
    assert caught.value.where == f"<stdin>:{expected[0]}:{expected[1]}"
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("words", [0, 1, 2, 63, 64, 65, 1000])
@pytest.mark.parametrize("rows", [1, 2, 63, 64, 65])
def test_sizes(words: int, rows: int) -> None:
    generator = np.random.default_rng(words * 100 + rows)
    groups = [[[int(p)] for p in generator.permutation(words)] for _ in range(rows)]
    text = b"".join(map(order_text, groups))
    assert as_lists(read(text)) == groups
    assert written(read(text)) == text


@pytest.mark.parametrize("digits", range(1, 9))
def test_every_number_of_digits(digits: int) -> None:
    numbers = [n for n in (10 ** (digits - 1), 10**digits - 1) if n < MAX_POSITION]
    text = b" ".join(b"%d" % n for n in numbers) + b"\n"
    assert read(text).positions.to_lists() == [numbers]
    assert written(Orders.from_rows([numbers])) == text


@pytest.mark.parametrize(
    ("line", "column", "what"),
    [
        (b"0 1-a", 3, "'1-a'"),
        (b"--1", 1, "'--1'"),
        (b"0 1_0", 3, "'1_0'"),
        (b"+1", 1, "'+1'"),
        ("0 ٣".encode(), 3, "'٣'"),
        ("0\u00a01".encode(), 1, r"'0\xa01'"),
        (b"1 100000000000000000000", 3, "position '100000000000000000000'"),
        (b"16777216", 1, "position '16777216'"),
        (b"0 1,16777216", 3, "position '16777216'"),
        (b"3,,4", 1, "'3,,4'"),
        (b"2 ,3", 3, "',3'"),
        (b"2\t3, 4", 3, "'3,'"),
        (b",", 1, "','"),
        (b"5 3 5", 5, "position 5 is listed twice"),
        (b"5 3,4,3", 7, "position 3 is listed twice"),
        (b"1 1 x", 3, "position 1 is listed twice"),
        (b"x 1 1", 1, "'x'"),
        (b"0 \r1", 3, r"'\r1'"),
        (b"0 \x1b[31m", 3, r"'\x1b[31m'"),
        (b"0 \xff", 3, r"b'\xff'"),
        (b"0 " + b"a" * 50, 3, "'" + "a" * 30 + "'..."),
        (b"0 " + b"9" * 50, 3, "position '" + "9" * 30 + "'..."),
        (b"1.5", 1, "'1.5'"),
        (b"0 # a remark", 3, "'#'"),
    ],
)
@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n0 0\n"])
def test_mistakes(line: bytes, column: int, what: str, end: bytes) -> None:
    with pytest.raises(InputError) as caught:
        read(b"0 1\n\n" + line + end)
    assert caught.value.where == f"<stdin>:3:{column}"
    # A return at the very end of the data ends no line.
    assert caught.value.what == what


def test_empty_lines_are_orders_of_no_words_and_a_return_at_the_end_ends_no_line() -> None:
    assert as_lists(read(b"\n \t\n\r\n0\n\n")) == [[], [], [], [[0]], []]
    assert len(read(b"")) == 0
    refuses(InputError, r"<stdin>:1:1: '0\\r'", read, b"0\r")
    with pytest.MonkeyPatch.context() as monkeypatch:
        data = b"0 1\n" * 10 + b"0 x\n" + b"1 1\n"
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        reader = OrderReader("-")
        assert len(reader.take(7)) == 7
        refuses(InputError, "<stdin>:11:3", reader.take, 7)


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_reading_some_rows_at_a_time(tmp_path: Path, size: int) -> None:
    rows: list[Groups] = [[[i % 3, 5]] if i % 5 == 0 else [[i], [0]] for i in range(1, 64)]
    path = tmp_path / "a.orders.gz"
    path.write_bytes(gzip.compress(b"".join(map(order_text, rows))))
    found: list[Groups] = []
    with OrderReader(path) as reader:
        assert reader.name == str(path)
        while len(part := reader.take(size)):
            assert len(part) == min(size, len(rows) - len(found))
            found += as_lists(part)
            assert reader.lines == len(found)
        assert reader.lines == len(rows)
    assert found == rows


@pytest.mark.parametrize("rows", [0, 1, 2, 3, 4, 9])
def test_blocks_of_rows_join(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "CHUNK_ROWS", 2)
    groups: list[Groups] = [[[i, 99], [98]] if i % 3 else [[8]] for i in range(rows)]
    text = b"".join(map(order_text, groups))
    assert as_lists(read(text)) == groups
    assert written(read(text)) == text


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz", ".bz2", ".zst"])
def test_files(tmp_path: Path, suffix: str) -> None:
    orders = Orders.from_rows([[2, 0, [3, 4], 1], [], [0]])
    path = tmp_path / f"a.orders{suffix}"
    write_orders(orders, path)
    assert read_orders(path) == orders
    path.write_bytes(path.read_bytes()[:-5])
    if suffix:
        refuses(InputError, "breaks off", read_orders, path)


def test_a_file_that_cannot_be_written_or_read(tmp_path: Path) -> None:
    missing, path = tmp_path / "missing" / "a.orders", tmp_path / "a.orders"
    refuses(UsageError, "cannot be created", write_orders, Orders.from_rows([[0]]), missing)
    path.write_bytes(b"x\n")
    # It is closed after the mistake: an open file would be a warning, which is an error here.
    refuses(InputError, "a.orders:1:1", read_orders, path)


# -- Reordered text matched to its source.


LETTERS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(source=LETTERS, data=st.data())
def test_the_kth_occurrence_is_the_kth_in_the_source(
    source: list[str], data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(range(len(source))))
    kept = shuffled[: data.draw(st.integers(0, len(source)))]
    words = [source[position] for position in kept]
    order = match_words(source, words)
    for place, word in enumerate(words):
        occurrences = [position for position, other in enumerate(source) if other == word]
        assert order[place] == occurrences[words[:place].count(word)]


@given(source=LETTERS, words=LETTERS)
def test_words_that_do_not_fit(source: list[str], words: list[str]) -> None:
    if any(words.count(word) > source.count(word) for word in words):
        with pytest.raises(InputError):
            match_words(source, words)
    else:
        assert sorted(match_words(source, words)) == sorted(set(match_words(source, words)))


@given(rows=st.lists(LETTERS, max_size=4))
def test_word_ids(rows: list[list[str]]) -> None:
    ids = word_ids(rows).to_lists()
    assert len(ids) == len(rows)
    for row, numbers in zip(rows, ids, strict=True):
        assert len(row) == len(numbers)
        assert len(set(zip(row, numbers, strict=True))) == len(set(row)) == len(set(numbers))


def path_of(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_readers_of_text(tmp_path: Path) -> None:
    source = path_of(tmp_path, "source", "the cat saw the dog\r\n\na\tb\nx\n")
    system = path_of(tmp_path, "system", "the dog  the cat saw\n\n b a\n\n")
    with MatchedTextReader(system, source) as reader:
        first = reader.take(2)
        assert [str(order) for order in first] == ["0 4 3 1 2", ""]
        assert reader.lines == 2
        assert [str(order) for order in reader.take(100)] == ["1 0", ""]
        assert len(reader.take(1)) == 0
        assert (reader.name, reader.source_name, reader.lines) == (str(system), str(source), 4)
    path = path_of(tmp_path, "source", "a b a\n\nc\n")
    with WordIdReader(path) as reader:
        assert reader.take(2).to_lists() == [[0, 1, 0], []]
        assert reader.take(2).to_lists() == [[0]]
        assert len(reader.take(2)) == 0
        assert (reader.name, reader.lines) == (str(path), 3)


@pytest.mark.parametrize(
    ("line", "where", "what"),
    [
        ("a b", ":2:3", "the source has no word 'b'; expected words of the source line"),
        ("猫 a a", ":2:7", "one 'a' too many; expected it once, as in the source line"),
        ("猫 c c c", ":2:9", "one 'c' too many; expected it 2 times, as in the source line"),
        ("猫 a" + "b" * 50, ":2:5", "the source has no word 'a" + "b" * 29 + "'..."),
    ],
)
def test_reader_refuses(tmp_path: Path, line: str, where: str, what: str) -> None:
    source = path_of(tmp_path, "source", "x\nc 猫 a c\n")
    system = path_of(tmp_path, "system", f"x\n{line}\n")
    with MatchedTextReader(system, source) as reader, pytest.raises(InputError) as error:
        reader.take(10)
    assert str(error.value).startswith(f"{system}{where}: {what}")


def piece_sizes(reader: MatchedTextReader, take: int) -> list[int]:
    """Read to the end; say how many rows came at a time."""
    sizes = []
    while len(part := reader.take(take)):
        sizes.append(len(part))
    return sizes


@pytest.mark.parametrize("take", [1, 2, 3, 10])
@pytest.mark.parametrize(("system_lines", "source_lines"), [(2, 5), (5, 2), (0, 1), (1, 0)])
def test_files_of_different_length(
    tmp_path: Path, take: int, system_lines: int, source_lines: int
) -> None:
    source = path_of(tmp_path, "source", "a\n" * source_lines)
    system = path_of(tmp_path, "system", "a\n" * system_lines)
    reader = MatchedTextReader(system, source)
    with reader, pytest.raises(InputError) as error:
        piece_sizes(reader, take)
    assert f"{system}: {system_lines} line" in str(error.value)
    assert f"{source} has {source_lines}" in str(error.value)


def test_very_long_lines_come_in_smaller_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordorder.text.blocks.BLOCK_BYTES", 10)
    monkeypatch.setattr("wordorder.text.opening.READ_BYTES", 10)
    source = path_of(tmp_path, "source", "a b c d\n" * 7)
    system = path_of(tmp_path, "system", "d c b a\n" * 7)
    with MatchedTextReader(system, source) as reader:
        sizes = piece_sizes(reader, 100)
    assert (sum(sizes), max(sizes) < 4) == (7, True)
