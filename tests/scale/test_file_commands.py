"""Verbs that write a line for each they read: the same bytes in spans."""

import gzip
import json
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, TARGET, TREES, call
from tests.scale.inline import Inline, use

from wordorder.errors import WordOrderError
from wordorder.scale import file_commands
from wordorder.scale.cutting import Sizes
from wordorder.scale.file_commands import write_on_engine

# Of the sample's files some five spans.
SPAN_BYTES = 2000


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Inline:
    """Work in this process, in spans of some lines."""
    monkeypatch.setattr(file_commands, "WRITTEN", Sizes(1, SPAN_BYTES, 1))
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
    monkeypatch.setattr(file_commands, "WRITTEN", Sizes(1, 100, 1))
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
        arguments = ["reorder", SOURCE, "--by", REFERENCE, "--alignments", ALIGNMENTS]
        arguments += ["-o", made[0], "--orders-output", made[1], "--alignment-output", made[2]]
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
        *("--engine", "dask", "-O", "address=tcp://127.0.0.1:1"),
    ).refused(2, "workers write into -O state=DIR, a folder that all of them see")


def test_a_plan_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.orders"
    arguments = ("reference", ALIGNMENTS, "--source", SOURCE, "-o", str(path))
    answer = call(*arguments, "--engine", "local", "-O", "plan").good()
    assert " spans, 72 rows, " in answer.text
    assert not path.exists()


@pytest.mark.allow_notes(".*empty line|.*more note")
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
