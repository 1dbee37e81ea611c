"""What a line and a token are, and what is refused, through the verbs."""

import gzip
import os
import re
from pathlib import Path

import pytest
from sacrebleu import corpus_bleu
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, Answer, call, write

LINKS = "--hypothesis-alignments"
ALIGNED = f"{LINKS} {ALIGNMENTS} --reference-alignments"
COMPAT = "--compat lader --input orders"

# Where a file in step with others is read: @ is before it, and OUT is a new one.
COMMANDS = f"""
score_reference: score @{REFERENCE} -i {SYSTEMS[0]}
score_system: score {REFERENCE} -i {SYSTEMS[0]} @{SYSTEMS[1]}
compare_system: compare {REFERENCE} -i {SYSTEMS[0]} @{SYSTEMS[1]}
score_text: score {REFERENCE} -i text=@{SOURCE} --source {SOURCE} --input text
score_source: score {REFERENCE} -i text={SOURCE} --source @{SOURCE} --input text
score_words: score {REFERENCE} -i {SYSTEMS[0]} --source @{SOURCE} -O match=first-unmatched
reference_alignments: reference @{ALIGNMENTS} --source {SOURCE} -o OUT
reference_source: reference {ALIGNMENTS} --source @{SOURCE} -o OUT
reference_target: reference {ALIGNMENTS} --source {SOURCE} --target @{TARGET} -o OUT
check_alignments: reference @{ALIGNMENTS} --source {SOURCE} --check
check_source: reference {ALIGNMENTS} --source @{SOURCE} --check
check_target: reference {ALIGNMENTS} --source {SOURCE} --target @{TARGET} --check
reference_lader: reference {ALIGNMENTS} --source @{SOURCE} --rule lader -o OUT
reference_translation: score @{TARGET} -i {SOURCE} -m cder --input text
reference_read_twice: score @{TARGET} -i {SOURCE} -m nist --input text
second_reference: score {TARGET} -r @{TARGET} -i {SOURCE} -m wer,bleu
translation: score {TARGET} -i {SOURCE} other=@{TARGET} -m cder,ter
compared_translation: compare {TARGET} -i {SOURCE} other=@{TARGET} -m per --resamples 20
matched_translation: score {TARGET} -i other=@{TARGET} -m senscore --aligner exact
aligned_source: score {TARGET} -i {TARGET} -m lrscore {ALIGNED} {ALIGNMENTS} --source @{SOURCE}
aligned_translation: score {TARGET} -i x=@{TARGET} -m frs {ALIGNED} {ALIGNMENTS} --source {SOURCE}
system_alignment: score {TARGET} -i {TARGET} -m unaligned --source {SOURCE} {LINKS} @{ALIGNMENTS}
reference_alignment: score {TARGET} -i {TARGET} -m frs {ALIGNED} @{ALIGNMENTS} --source {SOURCE}
gold_alignments: score @{ALIGNMENTS} -i x={ALIGNMENTS} --input alignments
judged_alignments: score {ALIGNMENTS} -i x=@{ALIGNMENTS} -m aer
compat_alignments: score @{ALIGNMENTS} -i none {COMPAT} --source {SOURCE}
compat_system: score {ALIGNMENTS} -i x=@{SYSTEMS[1]} {COMPAT} --source {SOURCE}
compat_source: score {ALIGNMENTS} -i {SYSTEMS[1]} {COMPAT} --source @{SOURCE}
"""
FILE = re.compile(r"@(\S+)")
# The file of the sample, and the command with {} in its place.
IN_STEP = {
    name: (FILE.findall(command)[0], FILE.sub("{}", command))
    for name, command in (row.split(": ") for row in COMMANDS.strip().split("\n"))
}
EACH = pytest.mark.parametrize("verb", IN_STEP)


def read_by(command: str, path: str, folder: Path) -> Answer:
    """What a command, or one of those above, says of the file."""
    words = (IN_STEP[command][1] if command in IN_STEP else command).split()
    return call(*(word.replace("{}", path).replace("OUT", f"{folder}/out") for word in words))


@EACH
@pytest.mark.parametrize("lines", [0, 1, 71, 73])
def test_files_out_of_step_are_both_named_with_their_counts(
    verb: str, tmp_path: Path, lines: int
) -> None:
    content = Path(IN_STEP[verb][0]).read_bytes().splitlines(keepends=True)
    path = write(tmp_path, "other", b"".join((content * 2)[:lines]))
    message = read_by(verb, path, tmp_path).refused(1).stderr
    noun = "line" if lines == 1 else "lines"
    if f"{path}: " in message:
        assert f"{path}: {lines} {noun}, but " in message
        assert message.endswith(" has 72; expected the same number of lines in both\n")
    else:
        assert ": 72 lines, but " in message
        assert message.endswith(f"{path} has {lines}; expected the same number of lines in both\n")
    assert [each.name for each in tmp_path.iterdir()] == ["other"]


@EACH
def test_a_final_newline_makes_no_difference(verb: str, tmp_path: Path) -> None:
    sample = Path(IN_STEP[verb][0])
    content = sample.read_bytes()
    other = (content.removesuffix(b"\n"), content.replace(b"\n", b"\r\n"))
    answers = set()
    for changed in (content, *other, b"\xef\xbb\xbf" + content):
        path = write(tmp_path, f"system{sample.suffix}", changed)
        answer = read_by(verb, path, tmp_path).good()
        made = tmp_path / "out"
        answers.add((answer.stdout, made.read_bytes() if made.exists() else b""))
        assert ("dropped the byte order mark" in answer.stderr) == (changed[:1] == b"\xef")
    assert len(answers) == 1


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\r", "\x1e"])
def test_nothing_else_ends_a_line(tmp_path: Path, end: str) -> None:
    """Inside a word it stays a part of the word; the line goes on."""
    source = write(tmp_path, "s", f"a b{end}c d\ne f\n")
    alignments = write(tmp_path, "a", "2-0 1-1 0-2\n1-0\n")
    answer = call("reference", alignments, "--source", source).good()
    assert answer.text == "2 1 0\n0,1\n" or answer.text == "2 1 0\n0 1\n"
    assert "2 sentences, 5 words" in answer.stderr
    turned = write(tmp_path, "t", f"d b{end}c a\nf e\n")
    orders = write(tmp_path, "r.orders", "2 1 0\n1 0\n")
    score = call("score", orders, "-i", turned, "--source", source, "-m", "exact").good()
    assert "1.0000" in score.text
    reference = write(tmp_path, "r.txt", f"a b{end}c d\ne f\n")
    other = write(tmp_path, "h.txt", "a b c d\ne f\n")
    form = ["-m", "wer", "--segments", "--tokenizer", "none", "--format", "json"]
    same = call("score", reference, "-i", reference, *form).good().json
    assert (same["segments"], same["systems"][0]["scores"][0]["value"]) == (2, 0)
    found = call("score", reference, "-i", other, *form).good().json["systems"][0]["scores"][0]
    # One word of three is another one, and one word is too many.
    assert found["segments"] == pytest.approx([2 / 3, 0])


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", "\u3000", "\u2003", "\ufeff", "\u200d"])
def test_only_ascii_blanks_and_tabs_split_tokens(tmp_path: Path, blank: str) -> None:
    source = write(tmp_path, "s", f"x{blank}y z\t w\n")
    alignments = write(tmp_path, "a", "2-0 1-1 0-2\n")
    answer = call("reference", alignments, "--source", source).good()
    assert answer.text == "2 1 0\n"
    turned = write(tmp_path, "t", f"w z x{blank}y\n")
    orders = write(tmp_path, "r.orders", "2 1 0\n")
    score = call("score", orders, "-i", turned, "--source", source, "-m", "exact").good()
    assert "1.0000" in score.text
    reference = write(tmp_path, "r.txt", f"x{blank}y z\t w \n")
    form = ["-m", "wer", "--tokenizer", "none", "--format", "json"]
    for given, errors in ((f" x{blank}y  z w", 0), ("x y z w", 2), (f"x{blank}y{blank}z w", 2)):
        system = write(tmp_path, "h.txt", given + "\n")
        found = call("score", reference, "-i", system, *form).good().json["systems"][0]["scores"]
        assert found[0]["value"] == pytest.approx(errors / 3)


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82", b"\x80"]
)
@pytest.mark.parametrize(
    "verb",
    [verb for verb, (sample, _) in IN_STEP.items() if sample in (SOURCE, TARGET)],
)
def test_bytes_that_are_not_utf_8_are_named(tmp_path: Path, verb: str, bad: bytes) -> None:
    lines = Path(IN_STEP[verb][0]).read_bytes().split(b"\n")
    byte = len(lines[2]) + 2
    lines[2] += b" " + bad
    path = write(tmp_path, "bad.txt", b"\n".join(lines))
    answer = read_by(verb, path, tmp_path).refused(1, f"{path}:3:{byte}: byte 0x{bad[0]:02x}")
    assert answer.stderr.endswith("expected UTF-8 text\n")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.txt"]


@pytest.mark.parametrize("verb", [*IN_STEP, "tree {}"])
def test_bytes_that_are_not_utf_8_in_numbers(verb: str, tmp_path: Path) -> None:
    content = b"0 1\n0 1" if verb == "tree {}" else Path(IN_STEP[verb][0]).read_bytes()
    lines = content.split(b"\n")
    lines[1] = b"\xff " + lines[1]
    path = write(tmp_path, "bad.txt", b"\n".join(lines))
    read_by(verb, path, tmp_path).refused(1, f"{path}:2:1: ")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.txt"]


def test_bleu_of_segments_takes_effective_order(tmp_path: Path) -> None:
    """As sacreBLEU's sentence_bleu: three right words are perfect; the corpus score stays."""
    lines = write(tmp_path, "r.txt", "Thank you .\n")
    system = write(tmp_path, "a.txt", "Thank you .\n")
    given = ("score", lines, "-i", system, "-m", "bleu", "--segments")
    [found] = call(*given, "--format", "json").good().json["systems"][0]["scores"]
    assert found["segments"] == [1.0]
    assert found["value"] == corpus_bleu(["Thank you ."], [["Thank you ."]]).score == 0.0
    assert "sacrebleu-eff:yes" in found["segments_signature"]
    assert "sacrebleu-eff:no" in found["signature"]
    text = call(*given).good().text
    assert re.search(r"^ *1 +1\.0000$", text, re.MULTILINE)
    assert re.search(r"^segments: bleu\|.*\|sacrebleu-eff:yes\|", text, re.MULTILINE)
    rows = [row.split("\t") for row in call(*given, "--format", "tsv").good().text.splitlines()]
    assert [row[3] for row in rows[1:]] == ["0.0", "1.0"]
    assert "sacrebleu-eff:yes" in rows[2][rows[0].index("signature")]
    # Metrics whose segment scores are made as those of a corpus are said once.
    assert "segments: " not in call(*given[:5], "cder", "--segments").good().text


def test_an_analysis_ranks_single_sentences_with_effective_order(tmp_path: Path) -> None:
    lines = write(tmp_path, "r.txt", "Thank you .\nwe met them at six on tuesday\n")
    system = write(tmp_path, "a.txt", "Thank you .\nthey at six met us\n")
    given = ("analyze", lines, "-i", system, "-m", "bleu", "--resamples", "20")
    found = call(*given, "--language", "other", "--format", "json").good().json
    worst = next(each for each in found["sections"] if each["key"] == "worst-sentences")
    assert [row["sentence"] for row in worst["rows"]] == [2, 1]
    assert worst["rows"][1]["BLEU"] == 1.0
    assert "sacrebleu-eff:yes" in worst["signature"]
    assert "sacrebleu-eff:no" in found["signatures"]["bleu"]


def test_a_pipe_gives_a_system_a_number_for_a_name(tmp_path: Path) -> None:
    """What a shell makes of ``<(COMMAND)``."""
    reference = write(tmp_path, "r.txt", "a b c\n")
    readers = []
    for _ in range(4):
        reader, writer = os.pipe()
        os.write(writer, b"a c b\n")
        os.close(writer)
        readers.append(reader)
    one, other, first, second = (f"/dev/fd/{reader}" for reader in readers)
    try:
        answer = call("score", reference, "-i", one, other, "-m", "bleu").good()
        numbers = f"{readers[0]} and {readers[1]}; NAME=<(COMMAND) gives another name"
        assert f"2 systems named after a pipe: {numbers}" in answer.stderr
        answer = call("score", reference, "-i", f"A={first}", f"B={second}", "-m", "bleu").good()
        assert "pipe" not in answer.stderr
        twice = call("score", reference, "-i", f"A={first}", f"B={first}", "-m", "bleu")
        twice.refused(2, f"only one input can be the pipe {first}")
    finally:
        for reader in readers:
            os.close(reader)


TREES = "1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t1\t{}\t_\t_\n\n"
PIPED = {
    "txt": ("a b c d\ne f g h\n", "a c b d\ne f g h\n"),
    "orders": ("0 1 2 3\n0 1\n", "0 2 1 3\n1 0\n"),
    "conllu": (TREES.format("obj"), TREES.format("det")),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("verb", "kind"),
    [
        ("score {} -i {} -m frs", "txt"),
        ("compare {} -i {} b.txt -m frs", "txt"),
        ("analyze {} -i {}", "txt"),
        ("score {} -i {} -m frs,kendall", "orders"),
        ("analyze {} -i a.orders --source source.txt", "orders"),
        ("score {} -i {} -m uas,las", "conllu"),
    ],
)
def test_pipes_are_read_as_files_are(tmp_path: Path, verb: str, kind: str, packed: bool) -> None:
    """A reference and a system by ``<(COMMAND)``, whatever they hold."""
    verb = verb.replace("b.txt", write(tmp_path, "b.txt", "d c b a\nh g f e\n"))
    verb = verb.replace("source.txt", write(tmp_path, "source.txt", "a b c d\ne f\n"))
    verb = verb.replace("a.orders", str(tmp_path / "a.orders"))
    files = [
        write(tmp_path, f"{name}.{kind}", text)
        for name, text in zip("ra", PIPED[kind], strict=True)
    ]
    pipes = []
    for text in PIPED[kind]:
        reader, writer = os.pipe()
        os.write(writer, gzip.compress(text.encode()) if packed else text.encode())
        os.close(writer)
        pipes.append(reader)
    try:
        answer = call(*verb.format(*(f"/dev/fd/{pipes[0]}", f"a=/dev/fd/{pipes[1]}")).split())
    finally:
        for reader in pipes:
            os.close(reader)
    assert answer.good().text == call(*verb.format(files[0], f"a={files[1]}").split()).good().text
