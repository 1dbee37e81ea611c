"""Tables and text in stores: a server that speaks S3, and one that stops in mid-read."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from tests.text.test_stores import ROWS, cells, command, write_csv, write_parts

from wordorder.errors import InputError
from wordorder.text.lines import read_lines

pytest.importorskip("moto")
pytest.importorskip("s3fs")

SECRET = "not-to-be-printed"


@pytest.fixture(scope="module")
def bucket() -> Iterator[Any]:
    """Start a server that speaks S3, and give the store that it is."""
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    known = {
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }
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
    local = command("score", f"{tmp_path}/parts#ref", "-i", f"{tmp_path}/parts#a", "-m", "wer")
    for engine in ((), ("--engine", "local")):
        stored = command(
            "score", "s3://corpus/parts#ref", "-i", "s3://corpus/parts#a", "-m", "wer", *engine
        )
        assert (stored.returncode, stored.stderr, stored.stdout) == (0, "", local.stdout)


def test_signed_addresses_are_not_printed(bucket: Any) -> None:
    bucket.pipe("corpus/b.jsonl", b"".join(json.dumps(row).encode() + b"\n" for row in ROWS))
    signed = bucket.sign("corpus/b.jsonl")
    found = command("score", f"{signed}#ref", "-i", f"{signed}#a", "-m", "wer", "--format", "json")
    assert found.returncode == 0
    lost = command("score", f"{signed}#ref", "-i", f"{signed.replace('b.json', 'c.json')}#a")
    assert lost.returncode == 1
    assert "/corpus/c.jsonl: No such file or directory; expected a file to read" in lost.stderr
    for text in (found.stdout, found.stderr, lost.stdout, lost.stderr):
        assert "Signature" not in text
        assert SECRET not in text


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
    found = command("align", f"{address}#t", f"{address}#t", "--model", "ibm1", "-o", str(output))
    server.shutdown()
    server.server_close()
    assert found.returncode == 1
    assert found.stderr.startswith("wordorder: error: http://127.0.0.1:")
    assert found.stderr.count("\n") == 1
    assert SECRET not in found.stderr
    assert list(tmp_path.iterdir()) == []
