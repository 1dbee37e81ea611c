"""Traps that a careful user fell into: inputs as outputs, places in long files, sure links."""

from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, write


@pytest.mark.parametrize("which", ["alignments", "source", "link"])
def test_an_output_never_takes_the_place_of_an_input(tmp_path: Path, which: str) -> None:
    alignments = write(tmp_path, "alignments", Path(ALIGNMENTS).read_text("utf-8"))
    source = write(tmp_path, "source", Path(SOURCE).read_text("utf-8"))
    (tmp_path / "link").symlink_to(alignments)
    before = [Path(path).read_bytes() for path in (alignments, source)]
    call("reference", alignments, "--source", source, "-o", str(tmp_path / which)).refused(
        2, "is an input too; give the output another name"
    )
    assert [Path(path).read_bytes() for path in (alignments, source)] == before


def test_a_picture_never_takes_the_place_of_its_permutation(tmp_path: Path) -> None:
    given = write(tmp_path, "p.txt", "2 4 1 3\n")
    assert call("tree", given, "--svg", given).status == 2
    assert Path(given).read_text() == "2 4 1 3\n"


def test_a_report_and_orders_do_not_share_standard_output() -> None:
    answer = call("reference", ALIGNMENTS, "--source", SOURCE, "--check", "-o", "-")
    assert answer.status == 2
    assert answer.stdout == b""


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


def test_the_check_can_look_at_sure_links_alone(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a", "0-0 1p1\n")
    source = write(tmp_path, "s", "x y\n")
    form = ["reference", alignments, "--source", source, "--check", "--report", "json"]
    assert call(*form).good().json["unaligned"] == 0
    assert call(*form, "-O", "links=sure").good().json["unaligned"] == 1


@pytest.mark.parametrize("arguments", [["score"], ["score", "r", "-i"], ["tree", "1", "--nothing"]])
def test_a_wrong_command_is_one_line(arguments: list[str]) -> None:
    answer = call(*arguments)
    assert answer.status == 2
    assert answer.stderr.startswith("wordorder: error: ")
    assert answer.stderr.count("\n") == 1


def test_escapes_in_names_do_not_reach_the_terminal(tmp_path: Path) -> None:
    system = write(tmp_path, "e\x1b[2Jvil.orders", "0 2\n")
    reference = write(tmp_path, "r.orders", "0 1\n")
    answer = call("score", reference, "-i", system).good()
    assert "left out 2 words" in answer.stderr
    assert "\x1b" not in answer.stderr


def test_all_metrics_beside_others_are_all() -> None:
    form = ["score", REFERENCE, "-i", SYSTEMS[0], "--format", "json", "-m"]
    assert call(*form, "all,frs").good().stdout == call(*form, "all").good().stdout


def test_target_words_are_known_to_the_check() -> None:
    form = ["reference", ALIGNMENTS, "--source", SOURCE, "--target", TARGET, "--check"]
    assert "1447 target words" in call(*form).good().text
