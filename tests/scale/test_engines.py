"""Engines: the same bytes from each, errors in one line, and nothing done twice."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import REFERENCE, SYSTEMS, call, write
from tests.scale.inline import Inline, use

from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.scale import (
    engines,
    engines as local,
    file_commands as scored_files,
    plan as jobs,
    scoring as scored_spans,
)
from wordorder.scale.cutting import Sizes
from wordorder.scale.engines import run_spans
from wordorder.scale.line_output import Span
from wordorder.scale.scoring import merge, spans, work
from wordorder.scoring import systems
from wordorder.scoring.files import Files

SMALL = Sizes(1, 400, 1)
# Fewer spans, where each has sums of 4,096 buckets.
FEW = Sizes(1, 1000, 1)


@pytest.fixture
def cuts() -> list[Span]:
    found = spans(Files.of(REFERENCE, SYSTEMS, {}), "frs,kendall", sizes=SMALL)
    assert len(found) > 10
    return found


@pytest.fixture
def expected() -> bytes:
    (span,) = spans(Files.of(REFERENCE, SYSTEMS, {}), "frs,kendall")
    return work(span)


def test_local_processes_and_the_program(cuts: list[Span], expected: bytes) -> None:
    assert merge(run_spans(cuts)) == expected


PAIRS = ["compare", REFERENCE, "-i", *SYSTEMS[1:3], "-m", "frs,kendall", "--format", "json"]


@pytest.mark.parametrize("words", ["common", "own"])
def test_tests_on_common_words(words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pairs of many rows are added up from the spans, as one run adds them up."""
    engine = use(monkeypatch, Inline())
    draw = random.Random(4)
    rows = [draw.sample("abcdefgh", n % 9) for n in range(300)]
    paths = []
    for name in ("ref", "x", "y", "z"):
        lines = [" ".join(row) for row in rows]
        paths.append(write(tmp_path, name, "\n".join([*lines, ""])))
        rows = [draw.sample(row, draw.randint(0, len(row))) for row in rows]
    arguments = ["compare", paths[0], "-i", *paths[1:], "-m", "frs,bleu", "--format", "json"]
    arguments += ["--aligner", "exact", "--resamples", "40", "--words", words]
    for module in (systems, scored_files):
        monkeypatch.setattr(module, "BUCKETS_ABOVE", 50)
    monkeypatch.setattr(scored_spans.spans, "__kwdefaults__", {"sizes": FEW})
    many = call(*arguments).good()
    assert call(*arguments, "--engine", "local").good().stdout == many.stdout
    assert len(engine.done) > 3
    frs, bleu = many.json["metrics"]
    assert all((pair["common"] is not None) == (words == "common") for pair in frs["pairs"])
    assert ("|words:common|" in frs["signature"]) == (words == "common")
    assert all(pair["common"] is None for pair in bleu["pairs"])


@pytest.mark.parametrize(
    "command",
    [
        ["score", REFERENCE, "-i", SYSTEMS[0], "-m", "frs", "--confidence", "--level", "0.9"],
        [*PAIRS, "--test", "bootstrap"],
        [*PAIRS, "--test", "randomization"],
    ],
)
def test_intervals_and_tests(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few rows those of one run, which keeps them; of many those of the buckets of spans."""
    engine = use(monkeypatch, Inline())
    arguments = [*command, "--seed", "3", "--resamples", "40"]
    plain = call(*arguments).good()
    assert call(*arguments, "--engine", "local").good().stdout == plain.stdout
    assert not engine.done
    for module in (systems, scored_files):
        monkeypatch.setattr(module, "BUCKETS_ABOVE", 50)
    monkeypatch.setattr(scored_spans.spans, "__kwdefaults__", {"intervals": None, "sizes": FEW})
    many = call(*arguments).good()
    assert many.stdout != plain.stdout
    assert call(*arguments, "--engine", "local").good().stdout == many.stdout
    assert len(engine.done) > 3


@pytest.mark.allow_notes
@pytest.mark.filterwarnings("ignore")
def test_dask(cuts: list[Span], expected: bytes) -> None:
    """By an address, of a cluster that lives in this process."""
    from dask.distributed import LocalCluster

    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=False,
        dashboard_address=None,
        protocol="inproc",
    ) as cluster:
        done = run_spans(cuts, "dask", address=cluster.scheduler_address)
    assert merge(done) == expected


def test_the_program_prints_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for form in ("text", "json", "tsv"):
        arguments = ["score", REFERENCE, "-i", *SYSTEMS, "-m", "all", "--format", form]
        plain = call(*arguments).good()
        engine = use(monkeypatch, Inline())
        answer = call(*arguments, "--engine", "spark").good()
        assert engine.done
        said = [
            line for line in answer.stderr.splitlines(keepends=True) if "engine has" not in line
        ]
        assert said != answer.stderr.splitlines(keepends=True)
        assert (answer.stdout, "".join(said)) == (plain.stdout, plain.stderr)


@pytest.mark.slow
def test_a_local_worker_that_dies_loses_nothing(cuts: list[Span]) -> None:
    worker = engines._Worker()
    job = cuts[3].to_json()
    try:
        first = worker.perform(job)
        process = worker._process
        assert process is not None
        # It stops before it has the job, and is killed when it has it.
        process.send_signal(signal.SIGSTOP)
        found: list[bytes] = []
        thread = threading.Thread(target=lambda: found.append(worker.perform(job)))
        thread.start()
        time.sleep(0.05)
        process.kill()
        thread.join(60)
        assert found == [first]
        assert worker._process is not process
    finally:
        worker.stop()


def test_a_span_that_kills_its_workers_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def started() -> subprocess.Popen[bytes]:
        return subprocess.Popen(["true"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    monkeypatch.setattr(local, "_start_process", started)
    with pytest.raises(WordOrderError, match="4 local workers died on the same span"):
        list(engines.run_local([b"{}"], None, 1))


def is_running(pid: int) -> bool:
    """Return whether a process is there and has not ended."""
    try:
        return not Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].startswith("Z")
    except OSError:
        return False


WORKERS = """
import sys, threading, time
from wordorder.scale import engines, plan
worker = engines._Worker()
worker.perform(b'{"task":{}}')
print(worker._process.pid, flush=True)
job = open(sys.argv[1], "rb").read()
threading.Thread(target=worker.perform, args=(job,), daemon=True).start()
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("works", [False, True])
def test_local_workers_end_silently_with_their_parent(
    sent: signal.Signals, works: bool, tmp_path: Path
) -> None:
    """Within a second, whether they wait for a span or compute one that takes minutes."""
    letters = "a b c d e f g h i j k l m n o p q r s t u v w x y z".split()
    paths = [str(tmp_path / name) for name in ("reference.txt", "system.txt")]
    for path, words in zip(paths, (letters, letters[::-1]), strict=True):
        Path(path).write_text((" ".join(words * 20) + "\n") * 2000)
    span = spans(Files.of(paths[0], paths[1:], {}), "ter")[0]
    job = tmp_path / "job"
    job.write_bytes(span.to_json() if works else b'{"task":{}}')
    errors = tmp_path / "errors"
    command = [sys.executable, "-c", WORKERS, str(job)]
    with errors.open("wb") as stderr:
        parent = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr)
    with parent:
        assert parent.stdout is not None
        worker = int(parent.stdout.readline())
        time.sleep(0.3)
        parent.send_signal(sent)
        parent.wait()
        started = time.monotonic()
        while is_running(worker) and time.monotonic() < started + 10:
            time.sleep(0.02)
        took = time.monotonic() - started
        if is_running(worker):
            os.kill(worker, signal.SIGKILL)
    assert took < 1
    assert errors.read_bytes() == b""


def test_the_first_error_of_the_files_is_raised(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Though a later one is found before it."""
    lines = Path(REFERENCE).read_text().splitlines()
    lines[20] = "0 x"
    lines[60] = "0 y"
    path = tmp_path / "bad.orders"
    path.write_text("\n".join(lines) + "\n")
    engine = use(monkeypatch, Inline())
    with pytest.raises(InputError, match=r"bad\.orders:21:3"):
        run_spans(spans(Files.of(REFERENCE, [str(path)], {}), "frs", sizes=SMALL))
    assert engine.done


def test_what_is_kept_is_not_done_again(
    cuts: list[Span], expected: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    state = str(tmp_path / "state")
    use(monkeypatch, Inline(most=7))
    with pytest.raises(WordOrderError, match=r'engine="local": RuntimeError: the cluster is gone$'):
        run_spans(cuts, state=state)
    assert len(list(Path(state).iterdir())) == 7
    engine = use(monkeypatch, Inline())
    seen: list[int] = []
    assert merge(run_spans(cuts, state=state, progress=seen.append)) == expected
    assert len(engine.done) == len(cuts) - 7
    assert seen[-1] == 72
    engine = use(monkeypatch, Inline())
    assert merge(run_spans(cuts, state=state)) == expected
    assert engine.done == []


def test_a_damaged_result_is_made_again(
    cuts: list[Span], expected: bytes, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    use(monkeypatch, Inline())
    run_spans(cuts, state=str(tmp_path))
    for kept, size in zip(sorted(tmp_path.iterdir()), (0, 50), strict=False):
        os.truncate(kept, size)
    engine = use(monkeypatch, Inline())
    assert merge(run_spans(cuts, state=str(tmp_path))) == expected
    assert len(engine.done) == 2


def test_a_changed_file_has_other_spans(tmp_path: Path) -> None:
    path = tmp_path / "a.orders"
    path.write_text(Path(REFERENCE).read_text())
    files = Files.of(REFERENCE, [str(path)], {})
    before = spans(files, "frs")
    os.utime(path, ns=(0, 0))
    after = spans(files, "frs")
    assert before != after
    assert [work(span) for span in before] == [work(span) for span in after]


@pytest.mark.parametrize(
    ("change", "kind", "said"),
    [
        ({"version": "0.0.9"}, UsageError, "has wordorder .*, not 0.0.9: install one version"),
        ({"size": 3}, InputError, "bytes for the worker on .*, 3 when the spans were cut"),
        ({"path": "/no/such.orders"}, InputError, "such.orders: the worker on .*: No such file"),
    ],
)
def test_workers_that_differ(
    cuts: list[Span], change: dict[str, Any], kind: type[Exception], said: str
) -> None:
    span = cuts[0]
    task = {**span.task, "version": change.get("version", span.task["version"])}
    path = next(iter(span.files))
    files = {**span.files}
    if "size" in change:
        files[path] = (change["size"], 0)
    if "path" in change:
        files = {change["path"]: (3, 0)}
    with pytest.raises(kind, match=said) as caught:
        jobs.raise_failure(jobs.perform(Span(task, 0, span.rows, span.parts, files).to_json()))
    assert "\n" not in str(caught.value)


def test_an_extra_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None if name == "ray" else True)
    call("score", REFERENCE, "-i", SYSTEMS[0], "--engine", "ray").refused(
        2, '--engine ray: ray is not installed; pip install "wordorder[ray]"'
    )


def test_a_missing_file_has_the_name_that_was_given(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    plain = call("score", REFERENCE, "-i", "no.orders").refused(1, "no.orders: No such file")
    shared = call("score", REFERENCE, "-i", "no.orders", "--engine", "local")
    assert shared.refused(1, "no.orders: No such file").stderr == plain.stderr


@pytest.mark.parametrize(
    ("engine", "address"), [("dask", "tcp://127.0.0.1:9"), ("spark", "spark://localhost:9")]
)
def test_an_address_where_nobody_listens(
    engine: str, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, Inline())
    call(
        *("score", REFERENCE, "-i", SYSTEMS[0], "--engine", engine, "-O", f"address={address}")
    ).refused(2, f"--engine {engine} -O address={address}: nothing answers: ")


@pytest.mark.allow_notes
@pytest.mark.filterwarnings("ignore")
def test_an_address_that_is_none() -> None:
    call(
        *("score", REFERENCE, "-i", SYSTEMS[0]),
        *("--engine", "dask", "-O", "address=carrier-pigeon://here"),
    ).refused(2, "--engine dask -O address=carrier-pigeon://here: ValueError: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-O", "state=x"], "-O state is for --engine"),
        (["-O", "plan"], "-O plan is for --engine"),
        (["--engine", "local", "-O", "address=x"], "-O address is for dask, ray and spark"),
        (["--engine", "local", "--segments"], "--segments keeps all rows in memory"),
        (["--engine", "local", "--compat", "lader"], "--engine cannot be combined with --compat"),
        (["--engine", "local", "--source", "-"], "<stdin>: --engine reads files"),
    ],
)
def test_options_that_do_not_go_together(arguments: list[str], said: str) -> None:
    call("score", REFERENCE, "-i", SYSTEMS[0], *arguments).refused(2, said)


def test_figures_of_pairs_need_the_rows(tmp_path: Path) -> None:
    call(
        *("compare", REFERENCE, "-i", *SYSTEMS, "--engine", "local", "--figures", str(tmp_path))
    ).refused(2, "--figures keeps all rows in memory: not with --engine")


@pytest.mark.parametrize("verb", ["score", "compare"])
def test_a_plan_does_nothing(verb: str, tmp_path: Path) -> None:
    state = tmp_path / "state"
    answer = call(
        *(verb, REFERENCE, "-i", SYSTEMS[0], "--engine", "local"),
        *("-O", f"state={state!s}", "-O", "plan"),
    ).good()
    size = sum(Path(path).stat().st_size for path in (REFERENCE, SYSTEMS[0])) / 1e6
    assert answer.text.startswith(
        f"span\tfirst row\trows\n1\t1\t72\n1 span, 72 rows, {size:.1f} MB\nabout 0."
    )
    assert not state.exists()
