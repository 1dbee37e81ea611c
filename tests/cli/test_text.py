"""What a line and a token are, and what is refused, through the verbs."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from sacrebleu import corpus_bleu
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, write

Verb = Callable[[str, Path], list[str]]


def score_reference(path: str, folder: Path) -> list[str]:
    return ["score", path, "-i", SYSTEMS[0]]


def score_system(path: str, folder: Path) -> list[str]:
    return ["score", REFERENCE, "-i", SYSTEMS[0], path]


def compare_system(path: str, folder: Path) -> list[str]:
    return ["compare", REFERENCE, "-i", SYSTEMS[0], path]


def score_text(path: str, folder: Path) -> list[str]:
    return ["score", REFERENCE, "-i", f"text={path}", "--source", SOURCE, "--input", "text"]


def score_source(path: str, folder: Path) -> list[str]:
    return ["score", REFERENCE, "-i", f"text={SOURCE}", "--source", path, "--input", "text"]


def score_words(path: str, folder: Path) -> list[str]:
    return ["score", REFERENCE, "-i", SYSTEMS[0], "--source", path, "-O", "match=first-unmatched"]


def reference_alignments(path: str, folder: Path) -> list[str]:
    return ["reference", path, "--source", SOURCE, "-o", str(folder / "out")]


def reference_source(path: str, folder: Path) -> list[str]:
    return ["reference", ALIGNMENTS, "--source", path, "-o", str(folder / "out")]


def reference_target(path: str, folder: Path) -> list[str]:
    return ["reference", ALIGNMENTS, "--source", SOURCE, "--target", path, "-o", f"{folder}/out"]


def check_alignments(path: str, folder: Path) -> list[str]:
    return ["reference", path, "--source", SOURCE, "--check"]


def check_source(path: str, folder: Path) -> list[str]:
    return ["reference", ALIGNMENTS, "--source", path, "--check"]


def check_target(path: str, folder: Path) -> list[str]:
    return ["reference", ALIGNMENTS, "--source", SOURCE, "--target", path, "--check"]


def reference_lader(path: str, folder: Path) -> list[str]:
    return ["reference", ALIGNMENTS, "--source", path, "--rule", "lader", "-o", f"{folder}/out"]


def reference_translation(path: str, folder: Path) -> list[str]:
    return ["score", path, "-i", SOURCE, "-m", "cder", "--input", "text"]


def reference_read_twice(path: str, folder: Path) -> list[str]:
    return ["score", path, "-i", SOURCE, "-m", "nist", "--input", "text"]


def second_reference(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-r", path, "-i", SOURCE, "-m", "wer,bleu"]


def translation(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-i", SOURCE, f"other={path}", "-m", "cder,ter"]


def compared_translation(path: str, folder: Path) -> list[str]:
    return ["compare", TARGET, "-i", SOURCE, f"other={path}", "-m", "per", "--resamples", "20"]


def matched_translation(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-i", f"other={path}", "-m", "senscore", "--aligner", "exact"]


ALIGNED = ["--hypothesis-alignments", ALIGNMENTS, "--reference-alignments", ALIGNMENTS]


def aligned_source(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-i", TARGET, "-m", "lrscore", *ALIGNED, "--source", path]


def aligned_translation(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-i", f"x={path}", "-m", "frs", *ALIGNED, "--source", SOURCE]


def hypothesis_alignment(path: str, folder: Path) -> list[str]:
    form = ["score", TARGET, "-i", TARGET, "-m", "unaligned", "--source", SOURCE]
    return [*form, "--hypothesis-alignments", path]


def reference_alignment(path: str, folder: Path) -> list[str]:
    return ["score", TARGET, "-i", TARGET, "-m", "frs", *ALIGNED[:-1], path, "--source", SOURCE]


def gold_alignments(path: str, folder: Path) -> list[str]:
    return ["score", path, "-i", f"x={ALIGNMENTS}", "--input", "alignments"]


def judged_alignments(path: str, folder: Path) -> list[str]:
    return ["score", ALIGNMENTS, "-i", f"x={path}", "-m", "aer"]


COMPAT = ["--compat", "lader", "--input", "orders"]


def compat_alignments(path: str, folder: Path) -> list[str]:
    return ["score", path, "-i", "none", *COMPAT, "--source", SOURCE]


def compat_system(path: str, folder: Path) -> list[str]:
    return ["score", ALIGNMENTS, "-i", f"x={path}", *COMPAT, "--source", SOURCE]


def compat_source(path: str, folder: Path) -> list[str]:
    return ["score", ALIGNMENTS, "-i", SYSTEMS[1], *COMPAT, "--source", path]


def tree(path: str, folder: Path) -> list[str]:
    return ["tree", path]


# The reader of a file in step with others, and which file of the sample it takes.
IN_STEP: dict[Verb, str] = {
    score_reference: REFERENCE,
    score_system: SYSTEMS[1],
    compare_system: SYSTEMS[1],
    score_text: SOURCE,
    score_source: SOURCE,
    score_words: SOURCE,
    reference_alignments: ALIGNMENTS,
    reference_source: SOURCE,
    reference_target: str(Path(SOURCE).with_name("target.ja")),
    check_alignments: ALIGNMENTS,
    check_source: SOURCE,
    check_target: str(Path(SOURCE).with_name("target.ja")),
    reference_lader: SOURCE,
    reference_translation: TARGET,
    reference_read_twice: TARGET,
    second_reference: TARGET,
    translation: TARGET,
    compared_translation: TARGET,
    matched_translation: TARGET,
    aligned_source: SOURCE,
    aligned_translation: TARGET,
    hypothesis_alignment: ALIGNMENTS,
    reference_alignment: ALIGNMENTS,
    gold_alignments: ALIGNMENTS,
    judged_alignments: ALIGNMENTS,
    compat_alignments: ALIGNMENTS,
    compat_system: SYSTEMS[1],
    compat_source: SOURCE,
}
READERS = [*IN_STEP, tree]


@pytest.fixture(params=list(IN_STEP), ids=lambda verb: verb.__name__)
def in_step(request: pytest.FixtureRequest) -> Verb:
    verb: Verb = request.param
    return verb


@pytest.fixture(params=READERS, ids=lambda verb: verb.__name__)
def reader(request: pytest.FixtureRequest) -> Verb:
    verb: Verb = request.param
    return verb


@pytest.mark.parametrize("lines", [0, 1, 71, 73])
def test_files_out_of_step_are_both_named_with_their_counts(
    in_step: Verb, tmp_path: Path, lines: int
) -> None:
    content = Path(IN_STEP[in_step]).read_bytes().splitlines(keepends=True)
    path = write(tmp_path, "other", b"".join((content * 2)[:lines]))
    message = call(*in_step(path, tmp_path)).refused(1).stderr
    noun = "line" if lines == 1 else "lines"
    if f"{path}: " in message:
        assert f"{path}: {lines} {noun}, but " in message
        assert message.endswith(" has 72; expected as many lines in both\n")
    else:
        assert ": 72 lines, but " in message
        assert message.endswith(f"{path} has {lines}; expected as many lines in both\n")
    assert [each.name for each in tmp_path.iterdir()] == ["other"]


def test_a_final_newline_makes_no_difference(in_step: Verb, tmp_path: Path) -> None:
    content = Path(IN_STEP[in_step]).read_bytes()
    answers = set()
    for changed in (
        content,
        content.removesuffix(b"\n"),
        content.replace(b"\n", b"\r\n"),
        b"\xef\xbb\xbf" + content,
    ):
        path = write(tmp_path, f"system{Path(IN_STEP[in_step]).suffix}", changed)
        answer = call(*in_step(path, tmp_path)).good()
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


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\x0c", "\x0b", "\r", "\x1e"])
def test_nothing_else_ends_a_line_of_a_translation(tmp_path: Path, end: str) -> None:
    reference = write(tmp_path, "r.txt", f"a b{end}c d\ne f\n")
    other = write(tmp_path, "h.txt", "a b c d\ne f\n")
    form = ["-m", "wer", "--segments", "--format", "json"]
    same = call("score", reference, "-i", reference, *form).good().json
    assert (same["segments"], same["systems"][0]["scores"][0]["value"]) == (2, 0)
    score = call("score", reference, "-i", other, *form).good().json["systems"][0]["scores"][0]
    # One word of three is another one, and one word is too many.
    assert score["segments"] == pytest.approx([2 / 3, 0])


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


@pytest.mark.parametrize("blank", ["\u00a0", "\u200b", "\u3000", "\u2003", "\ufeff", "\u200d"])
def test_only_ascii_blanks_and_tabs_split_translations(tmp_path: Path, blank: str) -> None:
    reference = write(tmp_path, "r.txt", f"x{blank}y z\t w \n")
    form = ["-m", "wer", "--format", "json"]
    for given, errors in ((f" x{blank}y  z w", 0), ("x y z w", 2), (f"x{blank}y{blank}z w", 2)):
        system = write(tmp_path, "h.txt", given + "\n")
        found = call("score", reference, "-i", system, *form).good().json["systems"][0]["scores"]
        assert found[0]["value"] == pytest.approx(errors / 3)


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xe2\x82", b"\x80"]
)
@pytest.mark.parametrize(
    "verb",
    [
        score_text,
        score_source,
        score_words,
        reference_source,
        reference_target,
        check_source,
        check_target,
        reference_lader,
        reference_translation,
        reference_read_twice,
        second_reference,
        translation,
        compared_translation,
        matched_translation,
        aligned_source,
        aligned_translation,
        compat_source,
    ],
)
def test_bytes_that_are_not_utf_8_are_named(tmp_path: Path, verb: Verb, bad: bytes) -> None:
    lines = Path(IN_STEP[verb]).read_bytes().split(b"\n")
    byte = len(lines[2]) + 2
    lines[2] += b" " + bad
    path = write(tmp_path, "bad.txt", b"\n".join(lines))
    answer = call(*verb(path, tmp_path)).refused(1, f"{path}:3:{byte}: byte 0x{bad[0]:02x}")
    assert answer.stderr.endswith("expected UTF-8 text\n")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.txt"]


def test_bytes_that_are_not_utf_8_in_numbers(reader: Verb, tmp_path: Path) -> None:
    lines = Path(IN_STEP.get(reader, REFERENCE)).read_bytes().split(b"\n")
    if reader is tree:
        lines = [b"0 1", b"0 1"]
    lines[1] = b"\xff " + lines[1]
    path = write(tmp_path, "bad.txt", b"\n".join(lines))
    call(*reader(path, tmp_path)).refused(1, f"{path}:2:1: ")
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
    assert "sacrebleu-eff:yes" in rows[2][6]
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
