"""The functions that take files give what the command line prints."""

from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write
from tests.refusing import refuses

from wordorder.analysis import analyze_files, evaluate_files
from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.report.grids import grid_json, sensitivity_output
from wordorder.report.sections import analysis_json

GRID: dict[str, Any] = {"trees": {"A": Path(TREES), "B": TREES}, "rule_sets": ["R1", "x=R5"]}
OPTIONS = ["--trees", f"A={TREES}", f"B={TREES}", "--rules", "R1", "x=R5"]
DRAWN: dict[str, Any] = {"resamples": 20, "seed": 4}
SEED = ["--resamples", "20", "--seed", "4", "--format", "json"]


def printed(*args: str) -> dict[str, Any]:
    found = call(*args, *SEED).good().json
    return {key: value for key, value in found.items() if key not in ("version", "notes")}


@pytest.mark.parametrize("reference", [REFERENCE, ALIGNMENTS])
def test_an_evaluation_is_that_of_the_command_line(reference: str) -> None:
    found = evaluate_files(reference, metrics="frs,ulam", **GRID, **DRAWN)
    shown = {**found.inputs.description(), **grid_json(found.grid)}
    assert shown == printed("evaluate", reference, *OPTIONS, "-m", "frs,ulam")
    assert found.sensitivity is None


def test_conventions_are_those_of_the_command_line() -> None:
    options: dict[str, Any] = {"rule": "lrscore", "unaligned": "drop"}
    written = ["--rule", "lrscore", "-O", "unaligned=drop", "--sensitivity"]
    with pytest.warns(WordOrderWarning, match="4 systems: left out 98 words each"):
        found = evaluate_files(ALIGNMENTS, sensitivity=True, **GRID, **DRAWN, **options)
    assert found.sensitivity is not None
    assert found.grid is found.sensitivity.grids[0]
    shown = {**found.inputs.description(), **sensitivity_output(found.sensitivity).data()}
    assert shown == printed("evaluate", ALIGNMENTS, *OPTIONS, *written)


def test_an_analysis_of_a_grid_is_that_of_the_command_line() -> None:
    more: dict[str, Any] = {
        "gold_trees": TREES,
        "target": TARGET,
        "focus": ["A/R1"],
        "words": ["the"],
        "rows": 3,
    }
    found = analyze_files(ALIGNMENTS, metric="kendall", **GRID, **DRAWN, **more)
    written = ["--gold-trees", TREES, "--target", TARGET, "--focus", "A/R1", "--word", "the"]
    written += ["--top", "3", "-O", "sentence-metric=kendall"]
    assert analysis_json(found) == printed("analyze", ALIGNMENTS, *OPTIONS, *written)


def test_an_analysis_of_systems_is_that_of_the_command_line() -> None:
    with pytest.warns(WordOrderWarning, match="no trees of the systems"):
        found = analyze_files(REFERENCE, systems=SYSTEMS[:2], source=Path(SOURCE), **DRAWN)
    args = ["analyze", REFERENCE, "-i", *SYSTEMS[:2], "--source", SOURCE]
    assert analysis_json(found) == printed(*args)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no trees: give trees=P1=FILE, or parsers=P1=MODEL source=TEXT"),
        ({"tree": TREES}, "unknown option 'tree' (did you mean 'trees'?)"),
        ({"trees": TREES, "source": SOURCE}, "source= is the text that parsers= parses"),
        ({"trees": TREES, "one_based": True}, "one_based=True is for alignments, but"),
        ({"trees": TREES, "kind": "text"}, "unknown value for kind 'text'"),
        ({"trees": [f"A={TREES}", f"A={SOURCE}"]}, "two systems have the same name, 'A'"),
        ({"trees": TREES, "rule_sets": ["a=R1", "a=R5"]}, "two rule sets are called 'a'"),
    ],
)
def test_messages_name_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        evaluate_files(REFERENCE, **options)
    assert message in str(error.value)
    assert "--" not in str(error.value)


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    short = write(tmp_path, "short.orders", "0 1\n")
    refuses(InputError, "short.orders: 1 sentence, but", evaluate_files, short, **GRID)
