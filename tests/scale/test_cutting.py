"""Spans hold all rows of all files, once and in step, however the files are stored."""

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.notes import noted
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.scale import cutting
from wordorder.scale.cutting import LineIndex, RowFile, Sizes, cut
from wordorder.scale.line_output import Span
from wordorder.scale.plan import perform, raise_failure
from wordorder.text.blocks import SentenceBlocks
from wordorder.text.lines import read_lines
from wordorder.text.parts import reading_parts
from wordorder.text.sources import Source

# Spans of few rows, so that small files have many.
SMALL = Sizes(1, 400, 1)
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
}


def lines_of(seed: int, count: int) -> list[str]:
    """Return lines of any length, some of them empty."""
    drawn = random.Random(seed)
    return [f"{seed}:{n} " + "x" * drawn.choice([0, 1, 60]) if n % 7 else "" for n in range(count)]


def written(path: Path, lines: list[str], *, ended: bool = True) -> str:
    text = "\n".join(lines) + "\n" * (ended and bool(lines))
    data = text.encode()
    if path.suffix in COMPRESSORS:
        # Members end anywhere, in the middle of lines too.
        drawn = random.Random(len(data))
        cuts = sorted(drawn.sample(range(1, len(data)), 20))
        pieces = [data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)], strict=True)]
        data = b"".join(map(COMPRESSORS[path.suffix], pieces))
    path.write_bytes(data)
    return str(path)


def read(span: Span, path: str) -> list[str]:
    with reading_parts(span.parts):
        return list(read_lines(path))


def check(spans: list[Span], files: dict[str, list[str]]) -> None:
    """Insist that spans hold the lines of all files in step."""
    first = 0
    for span in spans:
        assert span.first_row == first
        assert Span.from_json(span.to_json()) == span
        for path, lines in files.items():
            assert read(span, path) == lines[first : first + span.rows]
        first += span.rows
    assert first == len(next(iter(files.values())))


@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("count", [1, 2, 100, 301])
def test_plain_files(tmp_path: Path, count: int, ended: bool) -> None:
    files = {}
    for seed in range(3):
        lines = [*lines_of(seed, count - 1), "last"]
        files[written(tmp_path / f"{seed}.txt", lines, ended=ended or seed == 1)] = lines
    spans = cut([RowFile(path) for path in files], {}, sizes=SMALL)
    assert count < 100 or len(spans) > 20
    check(spans, files)


@pytest.mark.parametrize("suffix", COMPRESSORS)
def test_members_of_compressed_files(tmp_path: Path, suffix: str) -> None:
    """Some begin in the middle of a line; the other file is cut where they do."""
    lines = {name: lines_of(n, 200) for n, name in enumerate(["a.txt", f"b.txt{suffix}"])}
    files = {written(tmp_path / name, rows): rows for name, rows in lines.items()}
    spans = cut([RowFile(path) for path in files], {}, sizes=SMALL)
    assert 5 < len(spans) <= 21
    check(spans, files)


def test_compressed_files_whose_members_differ(tmp_path: Path) -> None:
    names = ["a.txt.gz", "b.txt.xz", "c.txt.bz2"]
    files = {written(tmp_path / name, rows): rows for name in names for rows in [lines_of(9, 150)]}
    check(cut([RowFile(path) for path in files], {}, sizes=SMALL), files)


def test_one_member_is_one_span_and_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "a.txt.gz"
    path.write_bytes(gzip.compress(b"line\n" * 1000))
    with noted(r"a\.txt\.gz: one gzip member, so that all is one"):
        spans = cut([RowFile(str(path))], {}, sizes=SMALL)
    assert [(span.first_row, span.rows) for span in spans] == [(0, 1000)]
    assert len(read(spans[0], str(path))) == 1000


def test_sentences_of_treebanks(tmp_path: Path) -> None:
    """Each span has whole sentences; comments and empty lines are between them."""
    drawn = random.Random(3)
    row = "{}\tw" + "\t_" * 8
    text = "\n\n"
    for n in range(60):
        words = [row.format(w + 1) for w in range(drawn.randrange(1, 6))]
        text += "\n".join([f"# sent_id = {n}", *words]) + "\n" * drawn.randrange(2, 5)
    path = tmp_path / "a.conllu"
    path.write_text(text.rstrip("\n") + "\n")
    beside = lines_of(1, 60)
    plain = written(tmp_path / "a.txt", beside)
    spans = cut([RowFile(str(path), sentences=True), RowFile(plain)], {}, sizes=Sizes(1, 300, 4))
    assert len(spans) > 5
    check(spans, {plain: beside})
    for span in spans:
        with reading_parts(span.parts), SentenceBlocks(Source(str(path))) as blocks:
            block = blocks.take(100)
        found = [n for n in range(60) if f"# sent_id = {n}\n".encode() in block.data.tobytes()]
        assert found == list(range(span.first_row, span.first_row + span.rows))
        assert blocks.sentences == span.rows


def test_an_empty_file_is_one_span(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", [])
    (span,) = cut([RowFile(path)], {})
    assert (span.rows, read(span, path)) == (0, [])


def test_files_of_different_length_are_refused(tmp_path: Path) -> None:
    paths = [written(tmp_path / f"{n}.txt", lines_of(0, n)) for n in (20, 30)]
    with pytest.raises(
        InputError, match=r"20 lines, but .*30\.txt has 30; expected the same number"
    ):
        cut([RowFile(path) for path in paths], {})


def test_streams_and_missing_files_are_refused(tmp_path: Path) -> None:
    refuses(UsageError, "<stdin>: engine= reads files", cut, [RowFile("-")], {})
    with pytest.raises(InputError, match=r"none\.txt: No such file or directory"):
        cut([RowFile(str(tmp_path / "none.txt"))], {})


def test_places_come_before_their_lines(tmp_path: Path) -> None:
    """Of a large plain file too, whose places are a megabyte apart."""
    lines = ["x" * 999] * 3500
    index = LineIndex.of_file(written(tmp_path / "a.txt", lines))
    assert index.members == 4
    for line in (0, 1, 1048, 1049, 2097, 3499):
        offset, skip = index.position(line)
        assert (offset + 999) // 1000 + skip - (offset % 1000 == 0) <= line + 1
        ends = [n for n in range(len(lines)) if (n + 1) * 1000 > offset]
        assert ends[0] + skip == line


def test_rows_of_tables(tmp_path: Path) -> None:
    """Parquet by row group, JSON Lines by line, beside a file of lines."""
    from pyarrow import parquet, table

    lines = [line or "-" for line in lines_of(4, 120)]
    other = [line + " b" for line in lines]
    path = tmp_path / "a.parquet"
    parquet.write_table(table({"a": lines, "b": other}), path, row_group_size=17)
    beside = tmp_path / "c.jsonl"
    rows = [json.dumps({"a": line, "c": line + " c"}) + "\n" for line in lines]
    beside.write_text("".join(rows))
    files = {
        f"{path}#a": lines,
        f"{path}#b": other,
        f"{beside}#c": [line + " c" for line in lines],
        written(tmp_path / "d.txt", lines): lines,
    }
    spans = cut([RowFile(path) for path in files], {}, sizes=SMALL)
    assert [span.first_row % 17 for span in spans] == [0] * 8
    check(spans, files)
    found = [span for span in cut([RowFile(f"{beside}#c")], {}, sizes=SMALL) if span.first_row]
    assert len(found) > 20


def test_groups_of_two_tables_need_not_be_alike(tmp_path: Path) -> None:
    from pyarrow import parquet, table

    lines = [line or "-" for line in lines_of(4, 120)]
    for name, size in (("a", 17), ("b", 11)):
        parquet.write_table(table({"x": lines}), tmp_path / f"{name}.parquet", row_group_size=size)
    files = {f"{tmp_path}/{name}.parquet#x": lines for name in "ab"}
    check(cut([RowFile(path) for path in files], {}, sizes=SMALL), files)


def test_errors_name_the_row_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "x"}\n' * 30 + '{"a": 3}\n')
    name = f"{path}#a"
    last = cut([RowFile(name)], {}, sizes=Sizes(1, 100, 1))[-1]
    assert last.first_row > 0
    refuses(InputError, r"a\.jsonl#a:31: 3; expected text", read, last, name)


def test_lines_of_large_files_are_counted_by_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many pieces as it takes give the index that one reader makes."""
    monkeypatch.setattr(cutting, "MIN_BYTES_FOR_WORKERS", 1000)
    monkeypatch.setattr(cutting, "COUNTED_BYTES", 1 << 20)
    paths = [
        written(tmp_path / "a.txt", ["x" * 999] * 3500),
        written(tmp_path / "b.txt", ["y"] * 10, ended=False),
        written(tmp_path / "c.txt.gz", lines_of(3, 40)),
    ]
    given: list[Span] = []

    def run_spans(spans: Sequence[Span]) -> list[bytes]:
        given.extend(spans)
        return [raise_failure(perform(span.to_json())) for span in spans]

    found = cutting.count_lines(paths, run_spans)
    assert len(given) == 5
    assert found == {path: LineIndex.of_file(path) for path in paths[:2]}
    few = cut([RowFile(paths[0])], {}, sizes=SMALL, run_spans=run_spans)
    assert few == cut([RowFile(paths[0])], {}, sizes=SMALL)
    assert len(given) == 9


def test_a_table_in_parts_is_cut_where_they_begin(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    sizes = [3000, 1, 5000, 0, 2500]
    rows = [f"{number} {'x' * 1000}" for number in range(sum(sizes))]
    first = 0
    for number, size in enumerate(sizes):
        table = pyarrow.table({"t": pyarrow.array(rows[first : first + size], pyarrow.string())})
        parquet.write_table(table, tmp_path / f"part.{number}.parquet", use_dictionary=False)
        first += size
    path = f"{tmp_path}#t"
    spans = cut([RowFile(path)], {"verb": "none"}, sizes=Sizes(1 << 10, 1 << 14, 1))
    assert len(spans) > 2
    assert {span.first_row for span in spans} <= {0, 3000, 3001, 8001}
    found = []
    for span in spans:
        with reading_parts(span.parts):
            lines = list(read_lines(path))
        assert len(lines) == span.rows
        found += lines
    assert found == rows
    assert len(spans[0].files) == len(sizes)
