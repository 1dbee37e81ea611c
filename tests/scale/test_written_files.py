"""Verbs that write a line for each they read: the same bytes in spans."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, TARGET, TREES, call
from tests.scale.inline import Inline, use

from wordorder.errors import InputError, UsageError, WordOrderError, WordOrderWarning
from wordorder.scale import cutting as counted_lines
from wordorder.scale import written as written_files
from wordorder.scale.cutting import LineIndex, RowFile, Sizes, cut
from wordorder.scale.plan import checked, perform
from wordorder.scale.written import write_on_engine
from wordorder.scale.written_spans import Span
from wordorder.text.blocks import SentenceBlocks
from wordorder.text.inputs import Source
from wordorder.text.lines import read_lines
from wordorder.text.opening import reading_parts

# Of the sample's files some five spans.
SPAN_BYTES = 2000


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Work in this process, in spans of some lines."""
    monkeypatch.setattr(written_files, "WRITTEN", Sizes(1, SPAN_BYTES, 1))
    return use(monkeypatch, Inline())


def same(engine: Inline, *arguments: str, said: bool = True) -> bytes:
    """Insist that a verb prints the same with and without an engine."""
    plain = call(*arguments).good()
    answer = call(*arguments, "--engine", "spark").good()
    assert len(engine.done) > 3
    assert answer.stdout == plain.stdout
    if said:
        assert answer.stderr.replace("an engine has something to say\n", "") == plain.stderr
    return plain.stdout


@pytest.mark.parametrize("rule", ["talbot", "lader", "aligned"])
def test_reference(engine: Inline, rule: str) -> None:
    same(engine, "reference", ALIGNMENTS, "--source", SOURCE, "--rule", rule)


def test_align(engine: Inline, tmp_path: Path) -> None:
    model = str(tmp_path / "a.model")
    call("align", SOURCE, TARGET, "--model", "ibm1", "--save", model, "-o", "/dev/null").good()
    same(engine, "align", SOURCE, TARGET, "--load", model, "--format", "talbot")


def test_parse(engine: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences are numbered as in the whole file, and lists of trees are whole."""
    few = tmp_path / "few.en"
    monkeypatch.setattr(written_files, "WRITTEN", Sizes(1, 100, 1))
    few.write_text("".join(Path(SOURCE).read_text().splitlines(keepends=True)[:8]))
    printed = same(engine, "parse", "en", str(few), "--kbest", "2", "--beam", "2", said=False)
    assert b"# sent_id = 8\n" in printed


def test_reorder_a_treebank(engine: Inline) -> None:
    for form in ("text", "orders", "conllu"):
        same(engine, "reorder", TREES, "--rules", "R5", "--to", form)


def test_reorder_with_all_that_goes_along(engine: Inline, tmp_path: Path) -> None:
    """Several outputs, and the one that is compressed is compressed as a whole."""
    outputs = {}
    for name in ("plain", "engine"):
        made = [str(tmp_path / f"{name}.{n}") for n in ("txt.gz", "orders", "talbot")]
        arguments = ["reorder", SOURCE, "--by", REFERENCE, "--alignment", ALIGNMENTS, "-o", made[0]]
        arguments += ["--orders", made[1], "--alignment-output", made[2]]
        call(*arguments, *(["--engine", "local"] if name == "engine" else [])).good()
        outputs[name] = [gzip.decompress(Path(made[0]).read_bytes())]
        outputs[name] += [Path(path).read_bytes() for path in made[1:]]
    assert outputs["engine"] == outputs["plain"]
    assert all(outputs["plain"])


def test_what_is_kept_is_not_done_again(
    engine: Inline, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the file that a span wrote has gone."""
    state = tmp_path / "state"
    options = {"alignments": ALIGNMENTS, "source": SOURCE, "output": str(tmp_path / "a.orders")}
    engine.most = 2
    with pytest.raises(WordOrderError, match="the cluster is gone"):
        write_on_engine("reference", options, state=str(state))
    assert not (tmp_path / "a.orders").exists()
    engine = use(monkeypatch, Inline())
    write_on_engine("reference", options, state=str(state))
    every = len(engine.done) + 2
    next(state.glob("*.output")).unlink()
    engine = use(monkeypatch, Inline())
    done = write_on_engine("reference", options, state=str(state))
    assert len(engine.done) == 1 < every
    assert done["sentences"] == 72
    assert (tmp_path / "a.orders").read_bytes() == Path(REFERENCE).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["align", SOURCE, TARGET], "align trains on whole files: --engine is for --load MODEL"),
        (["parse", "en", TREES], "--engine needs --tags keep or predict"),
        (["parse", "en", "-"], "<stdin>: --engine reads files"),
        (
            ["reorder", TREES, "--rules", "R5", "--parser", "en"],
            "judges tags by the sentences before them",
        ),
        (["reference", ALIGNMENTS, "--source", SOURCE, "--check"], "--check reads all lines"),
    ],
)
def test_what_depends_on_other_spans_is_refused(arguments: list[str], said: str) -> None:
    call(*arguments, "--engine", "local").refused(2, said)


def test_a_cluster_needs_a_folder_that_all_see() -> None:
    call(
        *("reference", ALIGNMENTS, "--source", SOURCE),
        *("--engine", "dask", "--address", "tcp://127.0.0.1:1"),
    ).refused(2, "workers write into --state DIR, a folder that all of them see")


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.orders"
    arguments = ("reference", ALIGNMENTS, "--source", SOURCE, "-o", str(path))
    answer = call(*arguments, "--engine", "local", "--plan").good()
    assert " spans, 72 rows, " in answer.text
    assert not path.exists()


@pytest.mark.filterwarnings("ignore:.*empty line|.*more note")
def test_counts_are_those_of_the_whole(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("it rains\n\n" * 400)
    orders = tmp_path / "a.orders"
    orders.write_text("1 0\n\n" * 400)
    options = {"source": str(text), "by": str(orders), "output": str(tmp_path / "b.txt")}
    done = write_on_engine("reorder", options)
    assert json.loads(json.dumps(done)) == {
        "sentences": 800,
        "words": 800,
        "changed": 400,
        "empty_lines": 400,
        "parsed": 0,
        "dropped_words": 0,
        "dropped_links": 0,
        "lost_lines": 0,
        "spaced_words": 0,
    }


# -- Spans hold all rows of all files, once and in step, however the files are stored.


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
    with pytest.warns(WordOrderWarning, match=r"a\.txt\.gz: one gzip member, so that all is one"):
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
    with pytest.raises(InputError, match=r"20 lines, but .*30\.txt has 30; expected as many lines"):
        cut([RowFile(path) for path in paths], {})


def test_streams_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="<stdin>: engine= reads files"):
        cut([RowFile("-")], {})
    with pytest.raises(InputError, match=r"none\.txt: No such file or directory"):
        cut([RowFile(str(tmp_path / "none.txt"))], {})


def test_places_come_before_their_lines(tmp_path: Path) -> None:
    """Of a large plain file too, whose places are a megabyte apart."""
    lines = ["x" * 999] * 3500
    index = LineIndex.of_file(written(tmp_path / "a.txt", lines))
    assert index.members == 4
    for line in (0, 1, 1048, 1049, 2097, 3499):
        offset, skip = index.place(line)
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
    with pytest.raises(InputError, match=r"a\.jsonl#a:31: 3; expected text"):
        read(last, name)


def test_lines_of_large_files_are_counted_by_workers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many pieces as it takes give the index that one reader makes."""
    monkeypatch.setattr(counted_lines, "MANY_BYTES", 1000)
    monkeypatch.setattr(counted_lines, "PIECE_BYTES", 1 << 20)
    paths = [
        written(tmp_path / "a.txt", ["x" * 999] * 3500),
        written(tmp_path / "b.txt", ["y"] * 10, ended=False),
        written(tmp_path / "c.txt.gz", lines_of(3, 40)),
    ]
    given: list[Span] = []

    def give_out(spans: Sequence[Span]) -> list[bytes]:
        given.extend(spans)
        return [checked(perform(span.to_json())) for span in spans]

    found = counted_lines.counted_lines(paths, give_out)
    assert len(given) == 5
    assert found == {path: LineIndex.of_file(path) for path in paths[:2]}
    few = cut([RowFile(paths[0])], {}, sizes=SMALL, give_out=give_out)
    assert few == cut([RowFile(paths[0])], {}, sizes=SMALL)
    assert len(given) == 9
