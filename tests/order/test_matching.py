"""Reordered text matched to its source."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from wordorder.errors import InputError
from wordorder.order.matching import MatchedTextReader, WordIdReader, match_words, word_ids

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


@given(source=WORDS, data=st.data())
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


@given(source=WORDS, words=WORDS)
def test_words_that_do_not_fit(source: list[str], words: list[str]) -> None:
    if any(words.count(word) > source.count(word) for word in words):
        with pytest.raises(InputError):
            match_words(source, words)
    else:
        assert sorted(match_words(source, words)) == sorted(set(match_words(source, words)))


@given(rows=st.lists(WORDS, max_size=4))
def test_word_ids(rows: list[list[str]]) -> None:
    ids = word_ids(rows).to_lists()
    assert len(ids) == len(rows)
    for row, numbers in zip(rows, ids, strict=True):
        assert len(row) == len(numbers)
        assert len(set(zip(row, numbers, strict=True))) == len(set(row)) == len(set(numbers))


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_reader(tmp_path: Path) -> None:
    source = written(tmp_path, "source", "the cat saw the dog\r\n\na\tb\nx\n")
    system = written(tmp_path, "system", "the dog  the cat saw\n\n b a\n\n")
    with MatchedTextReader(system, source) as reader:
        first = reader.take(2)
        assert [str(order) for order in first] == ["0 4 3 1 2", ""]
        assert reader.lines == 2
        assert [str(order) for order in reader.take(100)] == ["1 0", ""]
        assert len(reader.take(1)) == 0
        assert (reader.name, reader.source_name, reader.lines) == (str(system), str(source), 4)


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
    source = written(tmp_path, "source", "x\nc 猫 a c\n")
    system = written(tmp_path, "system", f"x\n{line}\n")
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
    source = written(tmp_path, "source", "a\n" * source_lines)
    system = written(tmp_path, "system", "a\n" * system_lines)
    reader = MatchedTextReader(system, source)
    with reader, pytest.raises(InputError) as error:
        piece_sizes(reader, take)
    assert f"{system}: {system_lines} line" in str(error.value)
    assert f"{source} has {source_lines}" in str(error.value)


def test_word_id_reader(tmp_path: Path) -> None:
    path = written(tmp_path, "source", "a b a\n\nc\n")
    with WordIdReader(path) as reader:
        assert reader.take(2).to_lists() == [[0, 1, 0], []]
        assert reader.take(2).to_lists() == [[0]]
        assert len(reader.take(2)) == 0
        assert (reader.name, reader.lines) == (str(path), 3)


def test_very_long_lines_come_in_smaller_pieces(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wordorder.text.blocks.BLOCK_BYTES", 10)
    monkeypatch.setattr("wordorder.text.opening.CHUNK", 10)
    source = written(tmp_path, "source", "a b c d\n" * 7)
    system = written(tmp_path, "system", "d c b a\n" * 7)
    with MatchedTextReader(system, source) as reader:
        sizes = piece_sizes(reader, 100)
    assert (sum(sizes), max(sizes) < 4) == (7, True)
