"""Bad input of every kind on every verb: one message, exit 1 or 2, never a traceback."""

from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, process, write

HUGE = "1" + "0" * 20
NO_NUMBERS = ["1-a", "--1", "1_0-2", "+1", "-1", "٣", "²", "1.0", "1e3", "0x1", HUGE, "nan", "∞"]


@pytest.mark.parametrize("bad", [*NO_NUMBERS, "1,", ",1", "1,,2", "1;2", "16777216"])
@pytest.mark.parametrize("place", [0, 1])
def test_orders_take_ascii_numbers_only(tmp_path: Path, bad: str, place: int) -> None:
    good = write(tmp_path, "good.orders", "0 1\n1 0 2\n")
    wrong = write(tmp_path, "wrong.orders", f"0 1\n0  {bad}\n")
    paths = [good, good]
    paths[place] = wrong
    for verb in ("score", "compare"):
        call(verb, paths[0], "-i", paths[1]).refused(1, f"{wrong}:2:4: ")


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


def test_a_position_that_stands_twice(tmp_path: Path) -> None:
    wrong = write(tmp_path, "wrong.orders", "0 1\n10 11,10 0\n")
    call("score", wrong, "-i", wrong).refused(1, f"{wrong}:2:7: position 10 is listed twice")


@pytest.mark.parametrize(
    "bad",
    [
        *(*NO_NUMBERS, "0--1", "0-1-2", "0-", "-0", "0p", "0?1?", "0:1", f"{HUGE}-0"),
        *("0-" + HUGE, "０-1"),
    ],
)
def test_pharaoh_links_are_strict(tmp_path: Path, bad: str) -> None:
    alignments = write(tmp_path, "a.align", f"0-0\n0-0  {bad}\n")
    source = write(tmp_path, "s.txt", "a b\na b\n")
    out = tmp_path / "out.orders"
    form = ["reference", alignments, "--source", source]
    call(*form, "-o", out).refused(1, f"{alignments}:2:6: ")
    call(*form, "--check").refused(1, f"{alignments}:2:6: ")
    assert not out.exists()


@pytest.mark.parametrize(
    "bad", ["1-a", "--1", "1__0", "_1", "+1", "-1", "٣", "1.0", HUGE, "nan", " 1", "1 ", "1p0"]
)
def test_talbot_fields_are_strict(tmp_path: Path, bad: str) -> None:
    alignments = write(tmp_path, "a.align", f"0,1\n0,{bad},1\n")
    source = write(tmp_path, "s.txt", "a b\na b\n")
    call("reference", alignments, "--source", source).refused(1, f"{alignments}:2:3: ")


@pytest.mark.parametrize(
    ("line", "column", "part"),
    [
        ("0-0 2-0", 5, "points past the source (2 tokens). Are the files in step?"),
        ("0-0 0-3", 5, "points past the target (3 tokens)"),
        ("0-0 1-1 0-0", 9, "is listed twice"),
        ("0-0 1-1 0p0", 9, "is listed twice"),
        ("16777216-0", 1, ""),
    ],
)
def test_links_out_of_range_and_twice(tmp_path: Path, line: str, column: int, part: str) -> None:
    alignments = write(tmp_path, "a.align", f"0-0\n{line}\n")
    source = write(tmp_path, "s.txt", "a b\na b\n")
    target = write(tmp_path, "t.txt", "x y z\nx y z\n")
    form = ["reference", alignments, "--source", source, "--target", target, "-O", "strict"]
    call(*form).refused(1, f"{alignments}:2:{column}: ", part)
    call(*form, "--check").refused(1, f"{alignments}:2:{column}: ", part)


def test_an_index_0_in_a_file_that_counts_from_1(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a.align", "1-1 0-2\n")
    source = write(tmp_path, "s.txt", "a b\n")
    form = ["reference", alignments, "--source", source, "--one-based"]
    call(*form).refused(1, f"{alignments}:1:5: ", "below 1")


@pytest.mark.parametrize("bad", [*NO_NUMBERS, "1_0", "1,2", "2", "7"])
def test_permutations_are_strict(tmp_path: Path, bad: str) -> None:
    path = write(tmp_path, "p.txt", f"0 1\n2  {bad} 1\n")
    call("tree", path).refused(1, f"{path}:2:4: ")


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ("1 1", "permutation:3: 1 is listed twice"),
        ("5 6", "permutation:1: 5 is out of range"),
        ("0 2", "permutation:3: 2 is out of range"),
        ("", "permutation: no numbers"),
        ("1 -2", "permutation:3: '-2'"),
        ("no such file", "no such file: neither a file nor a permutation"),
        ("word " * 1000, f"{'word ' * 16}...: neither a file nor a permutation"),
        (HUGE, "permutation:1: "),
    ],
)
def test_permutations_in_the_command(given: str, place: str) -> None:
    call("tree", given).refused(1, f"wordorder: error: {place}")


def test_the_wrong_count_of_words_for_a_tree() -> None:
    call("tree", "1 2", "--words", "a b c").refused(1, "3 words; expected 2")
    call("tree", SYSTEMS[0], "--svg", "x.svg").refused(2, "one permutation")


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


def test_an_order_beyond_its_source(tmp_path: Path) -> None:
    source = write(tmp_path, "s.txt", "a b\n")
    orders = write(tmp_path, "r.orders", "0 2\n")
    options = ["--source", source, "-O", "match=first-unmatched", "-m", "frs"]
    call("score", orders, "-i", orders, *options).refused(1, "position 2 in a source of 2 words")


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
COMPAT = ["--compat", "lader"]
LINKED = ["score", TARGET, "-i", TARGET, "-m", "unaligned", "--source", SOURCE]
ALIGNED = ["score", TARGET, "-i", TARGET, "-m", "lrscore"]
ALIGNED += ["--hypothesis-alignments", ALIGNMENTS, "--reference-alignments", ALIGNMENTS]
PLACES: dict[str, list[str]] = {
    "score's reference": ["score", "FILE", "-i", SYSTEMS[0]],
    "score's system": ["score", REFERENCE, "-i", SYSTEMS[0], "FILE"],
    "score's text": ["score", REFERENCE, "-i", "FILE", "--source", SOURCE],
    "score's source": ["score", REFERENCE, "-i", SOURCE, "--source", "FILE"],
    "compare's reference": ["compare", "FILE", "-i", SYSTEMS[0]],
    "compare's system": ["compare", REFERENCE, "-i", SYSTEMS[0], "FILE"],
    "alignments": ["reference", "FILE", "--source", SOURCE],
    "pharaoh": ["reference", "FILE", "--source", SOURCE, "--format", "pharaoh"],
    "talbot": ["reference", "FILE", "--source", SOURCE, "--format", "talbot"],
    "reference's source": ["reference", ALIGNMENTS, "--source", "FILE"],
    "reference's target": ["reference", ALIGNMENTS, "--source", SOURCE, "--target", "FILE"],
    "checked alignments": ["reference", "FILE", "--source", SOURCE, "--check"],
    "checked source": ["reference", ALIGNMENTS, "--source", "FILE", "--check"],
    "tree": ["tree", "FILE"],
    "lader's source": ["reference", ALIGNMENTS, "--source", "FILE", "--rule", "lader"],
    **{
        f"reference's {name}": ["reference", "FILE", "--source", SOURCE, "--format", name]
        for name in ("lader", "naacl", "giza")
    },
    "reference translation": ["score", "FILE", "-i", SOURCE, "-m", "cder"],
    "reference read twice": ["score", "FILE", "-i", SOURCE, "-m", "nist"],
    "another reference": ["score", TARGET, "-r", "FILE", "-i", SOURCE],
    "translation": ["score", TARGET, "-i", SOURCE, "FILE"],
    "matched translation": ["score", TARGET, "-i", "FILE", "-m", "frs", "--aligner", "exact+stem"],
    "compared translation": ["compare", TARGET, "-i", SOURCE, "FILE"],
    "conllu": ["score", "FILE", "-i", "FILE", "--input", "conllu"],
    "aligned source": [*ALIGNED, "--source", "FILE"],
    "hypothesis alignment": [*LINKED, "--hypothesis-alignments", "FILE"],
    "reference alignment": [*ALIGNED[:-1], "FILE", "--source", SOURCE],
    "gold alignments": ["score", "FILE", "-i", ALIGNMENTS, "-m", "aer"],
    "alignments to judge": ["score", ALIGNMENTS, "-i", "FILE", "-m", "aer"],
    "compat's alignments": ["score", "FILE", "-i", "none", *COMPAT, "--source", SOURCE],
    "compat's system": ["score", ALIGNMENTS, "-i", "FILE", *COMPAT, "--source", SOURCE],
    "compat's source": ["score", ALIGNMENTS, "-i", SYSTEMS[0], *COMPAT, "--source", "FILE"],
}


EVERYWHERE = pytest.mark.parametrize("args", list(PLACES.values()), ids=list(PLACES))


def insisted(args: list[str], path: str) -> str:
    """Insist on one line of printable characters about a bad file, after notes; return it."""
    *notes, said = (
        call(*(path if arg == "FILE" else arg for arg in args)).refused(1).stderr.splitlines()
    )
    assert all(note.startswith("wordorder: note: ") for note in notes)
    assert len(said) < 1000
    assert said.isprintable()
    return said


@EVERYWHERE
def test_no_traceback_reaches_a_user(tmp_path: Path, args: list[str]) -> None:
    for number, content in enumerate(BAD_FILES.values()):
        path = tmp_path / f"file-{number}"
        if content is not None:
            path.write_bytes(content)
        insisted(args, str(path))


@EVERYWHERE
def test_what_is_no_file(args: list[str]) -> None:
    for path in (".", "", "a\0b", "/dev/null/x"):
        if path == "" and args[0] == "tree":
            call("tree", "").refused(1, "no numbers")
            continue
        shown = path.replace("\0", "\\x00")
        named = (f"wordorder: error: '{shown}': ", f"wordorder: error: {shown or 'nothing'}: ")
        assert insisted(args, path).startswith(named)


def test_bad_allowed_words(tmp_path: Path) -> None:
    form = ["reference", ALIGNMENTS, "--source", SOURCE, "--check", "--allow"]
    call(*form, tmp_path / "missing").refused(1, "No such file")
    call(*form, write(tmp_path, "bad", b"a\n\xff\n")).refused(1, "bad:2:1: byte 0xff")


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
def test_files_without_words_are_no_error(
    tmp_path: Path, content: bytes, options: list[str]
) -> None:
    path = write(tmp_path, "empty.orders", content)
    lines = content.count(b"\n")
    form = [path, "-i", path, f"other={path}", "-m", "all", "--format", "json"]
    scores = call("score", *form, *options).good()
    assert (scores.json["segments"], scores.json["skipped"]) == (lines, lines)
    assert "without a word to order" in scores.stderr
    assert call("compare", *form, "--resamples", "20").good().json["segments"] == lines
    made = call("reference", path, "--source", path).good()
    assert made.stdout == content
    call("reference", path, "--source", path, "--check").good()


def test_bad_input_as_processes(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing")
    process("score", missing, "-i", REFERENCE).refused(1, missing)
    process("compare", REFERENCE, "-i", ALIGNMENTS, SYSTEMS[0]).refused(1, f"{ALIGNMENTS}:1:3: ")
    process("reference", SOURCE, "--source", SOURCE).refused(1, f"{SOURCE}:1:1: ")
    process("tree", SOURCE).refused(1, f"{SOURCE}:1:1: ")
