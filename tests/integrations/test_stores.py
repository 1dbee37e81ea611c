"""Tables and text in stores: a server that speaks S3, and one that stops in mid-read."""

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.cli.running import process
from tests.text.test_table_cells import ROWS, cells, write_csv, write_parts

from wordorder.errors import InputError
from wordorder.text.lines import read_lines

pytest.importorskip("moto")
pytest.importorskip("s3fs")

SECRET = "not-to-be-printed"


def environment(address: str) -> dict[str, str]:
    """Return what leads to a store, and opens it."""
    names = ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "DEFAULT_REGION", "ENDPOINT_URL")
    values = ("testing", SECRET, "us-east-1", address)
    return {f"AWS_{name}": value for name, value in zip(names, values, strict=True)}


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """Start a server that speaks S3, and give the store that it is."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    known = environment(f"http://{host}:{port}")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in known.items():
            patch.setenv(name, value)
        store = s3fs.S3FileSystem()
        store.mkdir("corpus")
        yield store
        s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_tables_in_a_bucket(bucket: Any, tmp_path: Path) -> None:
    write_parts(tmp_path / "parts", ".parquet")
    write_csv(tmp_path / "a.csv", ROWS)
    bucket.put(str(tmp_path / "parts"), "corpus/parts", recursive=True)
    bucket.put(str(tmp_path / "a.csv"), "corpus/a.csv")
    assert list(read_lines("s3://corpus/parts#a")) == cells("a")
    assert list(read_lines("s3://corpus/parts/lang=fr/*.parquet#lang")) == ["fr"] * 496
    assert list(read_lines("s3://corpus/a.csv#a")) == cells("a")
    assert next(iter(read_lines("s3://corpus/a.csv"))) == "ref,a"
    where = "s3://corpus/parts/lang=de/part.0.parquet"
    with pytest.raises(InputError, match=f"{where}: no column 'x'; expected one of ref, a"):
        list(read_lines("s3://corpus/parts#x"))
    with pytest.raises(InputError, match="s3://corpus/b.txt: No such file or directory"):
        list(read_lines("s3://corpus/b.txt"))
    local = process("score", f"{tmp_path}/parts#ref", "-i", f"{tmp_path}/parts#a", "-m", "wer")
    for engine in ((), ("--engine", "local")):
        stored = process(
            "score", "s3://corpus/parts#ref", "-i", "s3://corpus/parts#a", "-m", "wer", *engine
        )
        assert (stored.status, stored.stderr, stored.text) == (0, "", local.text)


def test_signed_addresses_are_not_printed(bucket: Any) -> None:
    bucket.pipe("corpus/b.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in ROWS))
    signed = bucket.sign("corpus/b.jsonl")
    found = process("score", f"{signed}#ref", "-i", f"{signed}#a", "-m", "wer", "--format", "json")
    assert found.status == 0
    lost = process("score", f"{signed}#ref", "-i", f"{signed.replace('b.json', 'c.json')}#a")
    assert lost.status == 1
    assert "/corpus/c.jsonl: No such file or directory; expected a file to read" in lost.stderr
    for text in (found.text, found.stderr, lost.text, lost.stderr):
        assert "Signature" not in text
        assert SECRET not in text


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
def test_no_message_has_what_opens_a_store(bucket: Any, tmp_path: Path, suffix: str) -> None:
    """Neither errors of columns and of damaged files nor those of workers."""
    damaged = tmp_path / f"a.{suffix}"
    damaged.write_bytes(b'{"a": "x')
    bucket.put(str(damaged), f"corpus/damaged.{suffix}")
    if suffix == "parquet":
        write_parts(tmp_path / "whole", ".parquet")
        bucket.put(str(tmp_path / "whole/lang=de/part.0.parquet"), "corpus/whole.parquet")
    else:
        bucket.pipe(
            f"corpus/whole.{suffix}", b'{"a": "x"}\n' if suffix == "jsonl" else b"a,b\nx,y\n"
        )
    for name in ("damaged", "whole"):
        signed = bucket.sign(f"corpus/{name}.{suffix}")
        for engine in ((), ("--engine", "local")):
            found = process("score", f"{signed}#x", "-i", f"{signed}#ref", "-m", "wer", *engine)
            assert found.status == 1
            assert found.stderr.startswith("wordorder: error: http://127.0.0.1:")
            assert (found.text, found.stderr.count("\n")) == ("", 1)
            assert f"/corpus/{name}.{suffix}" in found.stderr
            assert "Signature" not in found.stderr
            assert SECRET not in found.stderr


def test_nobody_answers() -> None:
    with pytest.raises(
        InputError, match=r"^http://127\.0\.0\.1:9/a\.txt: \w+Error: .*127\.0\.0\.1:9"
    ):
        list(read_lines(f"http://me:{SECRET}@127.0.0.1:9/a.txt?sig={SECRET}"))


class Mortal:
    """A server of S3 in a process of its own, and the environment that leads to it."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        serve = ["-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen([sys.executable, *serve], **quiet)  # type: ignore[call-overload]
        self.known = environment(f"http://127.0.0.1:{port}") | {
            "AWS_MAX_ATTEMPTS": "1",
            # So many bytes are read ahead.
            "FSSPEC_S3": '{"default_block_size": 65536}',
        }
        while self.process.poll() is None:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port)).close()
                return
            time.sleep(0.05)

    def start(self, *args: str) -> subprocess.Popen[str]:
        """Start the program, with this store."""
        return subprocess.Popen(
            [sys.executable, "-m", "wordorder", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **self.known},
        )

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def mortal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Start a server that can be killed, and give it with its store."""
    import s3fs

    server = Mortal()
    for name, value in server.known.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    store = s3fs.S3FileSystem()
    store.mkdir("corpus")
    yield server, store
    server.kill()
    s3fs.S3FileSystem.clear_instance_cache()


def random_words(rows: int) -> list[str]:
    """Return lines of letters that no compression makes short."""
    drawn = random.Random(5)
    return ["".join(drawn.choices("abcdefgh ", k=120)).strip() or "a" for _ in range(rows)]


def test_a_server_that_is_killed_in_mid_read(mortal: Any, tmp_path: Path) -> None:
    """One line, nothing half-written: of text, of each kind of table and of its parts."""
    import pyarrow as pa
    from pyarrow import parquet

    server, store = mortal
    rows = random_words(60_000)
    table = pa.table({"t": rows})
    parquet.write_table(table, tmp_path / "a.parquet", row_group_size=2000)
    for number in range(4):
        part = table.slice(15_000 * number, 15_000)
        parquet.write_table(part, tmp_path / f"part.{number}.parquet", row_group_size=2000)
        store.put(str(tmp_path / f"part.{number}.parquet"), f"corpus/parts/part.{number}.parquet")
    store.put(str(tmp_path / "a.parquet"), "corpus/a.parquet")
    store.pipe("corpus/a.txt", "".join(f"{row}\n" for row in rows).encode())
    store.pipe("corpus/a.csv", "".join(["t,u\n", *(f"{row},x\n" for row in rows)]).encode())
    store.pipe("corpus/a.jsonl", "".join(json.dumps({"t": row}) + "\n" for row in rows).encode())
    folder = tmp_path / "made"
    folder.mkdir()
    runs = []
    for name in ("a.txt", "a.csv#t", "a.jsonl#t", "a.parquet#t", "parts#t"):
        # The program waits for the orders, while the server dies.
        by = tmp_path / f"{name.replace('#t', '')}.orders"
        os.mkfifo(by)
        output = str(folder / by.name)
        run = server.start("reorder", f"s3://corpus/{name}", "--by", str(by), "-o", output)
        file = by.open("w")
        file.write("".join(order(row) for row in rows[:9000]))
        file.flush()
        runs.append((name, run, file))
    for _, run, _ in runs:
        assert run.poll() is None
    server.kill()
    for name, run, file in runs:
        with contextlib.suppress(BrokenPipeError):
            file.write("".join(order(row) for row in rows[9000:]))
        with contextlib.suppress(BrokenPipeError):
            file.close()
        printed, said = run.communicate()
        assert (run.returncode, printed, said.count("\n")) == (1, "", 1), said
        where = "parts/part" if name == "parts#t" else name.removesuffix("#t")
        assert said.startswith(f"wordorder: error: s3://corpus/{where}"), said
        assert SECRET not in said
    assert list(folder.iterdir()) == []


def order(row: str) -> str:
    return " ".join(map(str, range(len(row.split())))) + "\n"


def test_workers_whose_server_is_killed(mortal: Any, tmp_path: Path) -> None:
    """The results of spans that were done are whole; nothing is printed but one line."""
    server, store = mortal
    rows = random_words(20_000)
    for number in range(12):
        text = "".join(json.dumps({"t": row}) + "\n" for row in rows)
        store.pipe(f"corpus/parts/part.{number}.jsonl", text.encode())
    state = tmp_path / "state"
    parts = "s3://corpus/parts#t"
    scored = ("score", parts, "-i", f"A={parts}", "-m", "wer", "-O", f"state={state}")
    run = server.start(*scored, "--engine", "local", "--threads", "2")
    while run.poll() is None and not list(state.glob("*.json")):
        time.sleep(0.01)
    server.kill()
    printed, said = run.communicate()
    assert (run.returncode, printed, said.count("\n")) == (1, "", 1), said
    # A worker may have been about to look which parts there are.
    assert said.startswith("wordorder: error: s3://corpus/parts"), said
    kept = [path.read_text() for path in state.iterdir()]
    assert kept
    assert all(isinstance(json.loads(each), dict) and SECRET not in each for each in kept)


class _Broken(BaseHTTPRequestHandler):
    """Promises 10,000 bytes and stops after some."""

    def do_HEAD(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "10000")
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        self.wfile.write(b'{"t": "a b"}\n' * 100)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def test_a_store_that_stops_leaves_nothing(tmp_path: Path) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Broken)
    Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://me:{SECRET}@127.0.0.1:{server.server_port}/a.jsonl?token={SECRET}"
    output = tmp_path / "links.align"
    found = process("align", f"{address}#t", f"{address}#t", "--model", "ibm1", "-o", str(output))
    server.shutdown()
    server.server_close()
    assert found.status == 1
    assert found.stderr.startswith("wordorder: error: http://127.0.0.1:")
    assert found.stderr.count("\n") == 1
    assert SECRET not in found.stderr
    assert list(tmp_path.iterdir()) == []
