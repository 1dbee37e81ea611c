"""Bad input of every kind on every verb: one message, exit 1 or 2, never a traceback."""

import os
import subprocess
from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, process, write
from tests.cli.test_text import IN_STEP, read_by

HUGE = "1" + "0" * 20
NO_NUMBERS = ["1-a", "--1", "1_0-2", "+1", "-1", "٣", "²", "1.0", "1e3", "0x1", HUGE, "nan", "∞"]


@pytest.mark.parametrize("threads", ["1", "2"])
@pytest.mark.parametrize("lines", [1, 3, 20_000])
@pytest.mark.parametrize("place", [0, 1])
def test_a_wrong_line_comes_before_a_difference_in_length(
    tmp_path: Path, lines: int, place: int, threads: str
) -> None:
    text = write(tmp_path, "r.txt", "fast cars\nslow cars\n")
    paths = [write(tmp_path, "x.orders", "1 0\n" * lines)]
    paths.insert(place, text)
    run = call("score", paths[0], "-i", paths[1], "--input", "orders", "--threads", threads)
    run.refused(1, f"{text}:1:1: 'fast'; expected positions")


@pytest.mark.parametrize("bad", [*NO_NUMBERS, "1_0", "1,2", "2", "7"])
def test_permutations_are_strict(tmp_path: Path, bad: str) -> None:
    path = write(tmp_path, "p.txt", f"0 1\n2  {bad} 1\n")
    call("tree", path).refused(1, f"{path}:2:4: ")


def test_words_that_the_source_does_not_have(tmp_path: Path) -> None:
    source = write(tmp_path, "s.txt", "a b\na b\n")
    orders = write(tmp_path, "r.orders", "0 1\n0 1\n")
    for text, message in (
        ("a b\nb  c\n", "2:4: the source has no word 'c'"),
        ("a b\nb a b\n", "2:5: one 'b' too many; expected it once"),
        ("a b\n語 a\n", "2:1: the source has no word '語'"),
    ):
        path = write(tmp_path, "t.txt", text)
        call("score", orders, "-i", path, "--source", source).refused(1, f"{path}:{message}")


@pytest.mark.parametrize("line", [1, 16_384, 16_385, 40_000])
def test_a_position_beyond_its_source_is_named_by_line(tmp_path: Path, line: int) -> None:
    rows = ["0 1"] * 40_001
    reference = write(tmp_path, "r.orders", "\n".join(rows) + "\n")
    source = write(tmp_path, "source", "a b\n" * len(rows))
    rows[line - 1] = "0 2"
    system = write(tmp_path, "s.orders", "\n".join(rows) + "\n")
    call(
        *("score", reference, "-i", system, "-m", "frs"),
        *("--source", source, "-O", "match=first-unmatched"),
    ).refused(1, f"s:{line}: position 2 in a source of 2 words")


@pytest.mark.skipif(not Path("/dev/urandom").exists(), reason="needs devices and pipes")
@pytest.mark.parametrize(
    "command",
    [
        "score {file} -i {endless} -m bleu",
        "score {endless} -i {file} -m bleu --segments",
        "score {file} -i {endless} -m frs --aligner exact",
        "score {file} -i {endless} -m aer",
        "analyze {file} -i {endless}",
        "align {endless} {file} -o {output}",
        "train translation {file} {endless} -o {output}",
    ],
)
def test_an_input_without_an_end(tmp_path: Path, command: str) -> None:
    """Is read to its first line too many, or to the first byte that is wrong."""
    file = write(tmp_path, "file.txt", "0-0 1-1\n" * 3 if "aer" in command else "a b\nc d\n0 1\n")
    output, endless = str(tmp_path / "output"), str(tmp_path / "endless")
    os.mkfifo(endless)
    paths = {"file": file, "output": output}
    with subprocess.Popen(["sh", "-c", f"exec yes 0-0 > {endless}"], stderr=subprocess.PIPE):
        arguments = command.format(endless=endless, **paths).split()
        call(*arguments).refused(1, "endless", "more than 3", "file.txt")
    # Random lines may be text for a while.
    call(*command.format(endless="/dev/urandom", **paths).split()).refused(1, "/dev/urandom:")
    assert not Path(output).exists()


# What no verb can take where it expects a file.
BAD_FILES: dict[str, bytes | None] = {
    "missing": None,
    "zero bytes": b"\0\0\0\n\0",
    "binary": bytes(range(256)) * 20,
    "not utf-8": b"\xff\xfe0\x001\x00\n\x00",
    "utf-16": "0 1\n".encode("utf-16"),
    "json": b'{"a": NaN, "a": [[[[[[[[]]]]]]]]}\n',
    "deep json": b"[" * 100_000,
    "pickle": b"\x80\x04\x8c\x05posix\x94\x8c\x06system\x94\x93\x94.",
    "markup": b"<script>alert(1)</script>\n",
    "one quote": b'"\n',
    "negative": b"-1 -2\n",
    "large": b"99999999999999999999999\n",
    "empty fields": b",,,,,,\n",
    "joiners": b"____\n",
    "escape": b"\x1b[2J\x1b]0;x\x07\n",
    "gzip without its name": b"\x1f\x8b\x08\x00",
    "spaces": b" \t \t\n" * 3 + b"\x0b",
    "a long token": b"9" * 100_000,
    "a long word": b"x" * 100_000,
}
PLACES = [*IN_STEP, "tree {}", f"compare {{}} -i {SYSTEMS[0]}", "score {} -i {} --input conllu"]
PLACES += [
    f"reference {{}} --source {SOURCE} --format {name}"
    for name in ("pharaoh", "talbot", "lader", "naacl", "giza")
]
EVERYWHERE = pytest.mark.parametrize("place", PLACES)


def insisted(place: str, path: str, folder: Path) -> str:
    """Insist on one line of printable characters about a bad file, after notes; return it."""
    *notes, said = read_by(place, path, folder).refused(1).stderr.splitlines()
    assert all(note.startswith("wordorder: note: ") for note in notes)
    assert len(said) < 1000
    assert said.isprintable()
    return said


@EVERYWHERE
def test_no_traceback_reaches_a_user(tmp_path: Path, place: str) -> None:
    for number, content in enumerate(BAD_FILES.values()):
        path = tmp_path / f"file-{number}"
        if content is not None:
            path.write_bytes(content)
        insisted(place, str(path), tmp_path)


@EVERYWHERE
def test_what_is_no_file(place: str, tmp_path: Path) -> None:
    for path in (".", "", "a\0b", "/dev/null/x"):
        if path == "" and place in ("tree {}", "score_words"):
            answer = read_by(place, path, tmp_path)
            answer.refused(*((1, "no numbers") if place == "tree {}" else (2, "give the source")))
            continue
        shown = path.replace("\0", "\\x00")
        named = (f"wordorder: error: '{shown}': ", f"wordorder: error: {shown or 'nothing'}: ")
        assert insisted(place, path, tmp_path).startswith(named)


@pytest.mark.parametrize("module", ["synonym", "paraphrase"])
@pytest.mark.parametrize("content", [None, b"\xff\n", b"\x1f\x8b\x08\x00"])
def test_bad_resources_of_the_aligner(tmp_path: Path, module: str, content: bytes | None) -> None:
    path = tmp_path / "resource"
    if content is not None:
        path.write_bytes(content)
    form = ["score", TARGET, "-i", SOURCE, "-m", "frs", "--aligner", f"exact+{module}"]
    answer = call(*form, "-O", f"aligner-{module}s={path}").refused(1, str(path))
    assert answer.stderr.count("\n") == 1


@pytest.mark.parametrize("content", [b"\n", b"\n\n\n"])
@pytest.mark.parametrize("options", [[], ["--confidence", "--segments"]])
def test_files_without_words_have_no_score(
    tmp_path: Path, content: bytes, options: list[str]
) -> None:
    """Nor a comparison; reference orders without words are no error."""
    path = write(tmp_path, "empty.orders", content)
    lines = content.count(b"\n")
    form = [path, "-i", path, f"other={path}", "-m", "all", "--format", "json"]
    what = f"{lines} of {lines} segment{'s' if lines > 1 else ''} skipped by all metrics"
    for arguments in (["score", *form, *options], ["compare", *form, "--resamples", "20"]):
        answer = call(*arguments)
        assert answer.status == 1
        assert what in answer.stderr
        assert "without a word to order" in answer.stderr
    made = call("reference", path, "--source", path).good()
    assert made.stdout == content
    call("reference", path, "--source", path, "--check").good()


def test_bad_input_as_processes(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    process("score", missing, "-i", REFERENCE).refused(1, missing)
    process("compare", REFERENCE, "-i", ALIGNMENTS, SYSTEMS[0]).refused(1, f"{ALIGNMENTS}:1:3: ")
    process("reference", SOURCE, "--source", SOURCE).refused(1, f"{SOURCE}:1:1: ")
    process("tree", SOURCE).refused(1, f"{SOURCE}:1:1: ")
