"""Segments that a metric leaves out have no value, and a corpus of such segments has none."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call, notes_on, write

import wordorder as wo
from wordorder.scale import TableScores
from wordorder.scoring.comparisons import compare_files
from wordorder.scoring.scores import score_files

# The second row has no word; the third one is reversed.
REFERENCE, SYSTEM = "0 1 2\n\n0 1\n", "0 1 2\n\n1 0\n"


@pytest.fixture
def orders(tmp_path: Path) -> list[str]:
    reference = write(tmp_path, "reference.orders", REFERENCE)
    return [reference, "-i", write(tmp_path, "system.orders", SYSTEM), "-m", "frs"]


@pytest.fixture
def nothing(tmp_path: Path) -> list[str]:
    """Return the arguments of two systems whose forty rows are empty."""
    return [write(tmp_path, f"{name}.orders", "\n" * 40) for name in ("reference", "A", "B")]


@pytest.mark.allow_notes
def test_segments_that_are_left_out(orders: list[str]) -> None:
    lines = call("score", *orders, "--segments", "--format", "tsv").good().text.splitlines()[1:]
    assert [line.split("\t")[2:4] for line in lines] == [
        ["", "0.5"],
        ["1", "1.0"],
        ["2", ""],
        ["3", "0.0"],
    ]
    found = json.loads(call("score", *orders, "--segments", "--format", "json").good().text)
    assert found["systems"][0]["scores"][0]["segments"] == [1.0, None, 0.0]
    shown = call("score", *orders, "--segments").good().text.splitlines()
    assert [line.split() for line in shown if line[:7].strip() in ("1", "2", "3")] == [
        ["1", "1.0000"],
        ["2"],
        ["3", "0.0000"],
    ]
    scores = score_files(orders[2], orders[0], "frs", segments=True)
    np.testing.assert_array_equal(scores.segment_scores(0), [[1.0, np.nan, 0.0]])
    assert scores.segments is not None
    np.testing.assert_array_equal(scores.segments[0, 0], [1.0, np.nan, 0.0])


def test_no_score_of_any_system(nothing: list[str]) -> None:
    reference, first, second = nothing
    for verb in (["score"], ["score", "--confidence"], ["compare"]):
        arguments = [*verb, reference, "-i", first, second, "-m", "frs,kendall"]
        call(*arguments).refused(1, "40 of 40 segments skipped by all metrics")
    limits = ["-m", "frs", "--fail-under", "frs=0"]
    found = call("score", reference, "-i", first, *limits)
    assert found.status == 1
    assert "A: frs has no value" in found.stderr


@pytest.mark.allow_notes
def test_no_score_in_python(nothing: list[str]) -> None:
    reference, *systems = nothing
    scores = score_files(systems, reference, "frs", level=0.95)
    assert math.isnan(scores.values()["A"]["frs"])
    columns = scores.to_columns()
    assert [columns[name] for name in ("value", "low", "high")] == [[None, None]] * 3
    compared = compare_files(systems, reference, "frs")
    (pair,) = compared.comparisons[0].pairs
    assert pair.mark == "not compared"
    assert compared.to_columns()["difference"] == [None]
    score = wo.metric("frs").corpus_score(wo.Segments.from_orders([[], []], [[], []]))
    assert score.to_dict()["value"] is None
    assert str(score).startswith("no score (")


def test_one_system_without_a_value(tmp_path: Path) -> None:
    """No word of one system matches; the other system has its value."""
    gold = write(tmp_path, "gold.txt", "a b c\n" * 3)
    blank = write(tmp_path, "blank.txt", "\n" * 3)
    arguments = [gold, "-i", gold, blank, "-m", "frs", "-O", "few=skip"]
    found = call("compare", *arguments, "--format", "json").good().text
    (metric,) = json.loads(found)["metrics"]
    assert [system["value"] for system in metric["systems"]] == [1.0, None]
    assert metric["pairs"][0]["mark"] == "not compared"
    assert metric["pairs"][0]["difference"] is None
    assert metric["reading"].startswith("Not compared")
    shown = call("compare", *arguments).good().text
    assert "nan" not in shown
    scores = json.loads(call("score", *arguments, "--confidence", "--format", "json").good().text)
    entry = scores["systems"][1]["scores"][0]
    assert (entry["value"], entry["low"], entry["high"]) == (None, None, None)


@pytest.mark.allow_notes
def test_the_share_of_words_that_match(tmp_path: Path) -> None:
    """Of nine reference words `half` has five; of two references the better matched one counts."""
    reference = write(tmp_path, "reference.txt", "a b c d e\nf g h i\n")
    further = write(tmp_path, "further.txt", "a x y\np q r\n")
    systems = [
        write(tmp_path, "half.txt", "a b c\ng f z\n"),
        write(tmp_path, "all.txt", "a b c d e\ni h g f\n"),
    ]
    one = [reference, "-i", *systems, "-m", "frs,bleu", "--aligner", "exact"]
    for arguments in (one, [*one, "--reference", further]):
        found = call("score", *arguments, "--format", "json").json["systems"]
        shares = [[score["matched"] for score in system["scores"]] for system in found]
        assert shares == [[5 / 9, None], [1.0, None]]
        rows = call("score", *arguments, "--format", "tsv").rows
        assert [row["matched"] for row in rows] == [repr(5 / 9), "", "1.0", ""]
    lines = call("score", *one).text.splitlines()
    assert lines[0].split() == ["system", "frs", "↑", "bleu", "↑", "matched"]
    assert [line.split()[-1] for line in lines[2:4]] == ["0.5556", "1.0000"]
    compared = call("compare", *one)
    assert "0.5556" in compared.text
    found = call("compare", *one, "--format", "json").json["metrics"]
    assert [each["matched"] for each in found[0]["systems"]] == [5 / 9, 1.0]
    analysed = call("analyze", *one, "--format", "tsv").text
    assert repr(5 / 9) in analysed
    # Engines and tables add up the same words.
    table = {
        "r": ["a b c d e", "f g h i"],
        "half": ["a b c", "g f z"],
    }
    scores = TableScores("frs", "r", ("half",), "text", {"aligner": "exact"})
    parts = [scores.work([{name: rows[n : n + 1] for name, rows in table.items()}]) for n in (0, 1)]
    assert scores.result(parts).to_columns()["matched"] == [5 / 9]


def test_outputs_that_link_few_words(tmp_path: Path) -> None:
    """The reference links eight source words; `few` links three of them, and `most` six."""
    source = write(tmp_path, "source.txt", "a b c d\ne f g h\n")
    reference = write(tmp_path, "reference.txt", "A B C D\nE F G H\n")
    gold = write(tmp_path, "gold.align", "0-0 1-1 2-2 3-3\n0-0 1-1 2-2 3-3\n")
    links = [
        write(tmp_path, "few.align", "0-0 1-1\n3-3\n"),
        write(tmp_path, "most.align", "0-0 1-1 2-2\n1-1 2-2 3-3\n"),
    ]
    given = ["--source", source, "--reference-alignments", gold, "--hypothesis-alignments", *links]
    systems = [f"few={reference}", f"most={reference}"]
    found = call("score", reference, "-i", *systems, "-m", "frs", *given, "--format", "json")
    shares = [system["scores"][0]["matched"] for system in found.json["systems"]]
    assert shares == [3 / 8, 6 / 8]
    (note,) = [line for line in notes_on(found.stderr) if "link few" in line]
    assert note.endswith("the reference links, outputs link few: few 38 %")
