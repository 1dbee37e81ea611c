"""What survives other conventions, as text, JSON and TSV."""

import json
from dataclasses import replace

import pytest
from tests.flat import flat
from tests.report.grids import small_grid, small_sensitivity

from wordorder.analysis.grid import Grid
from wordorder.analysis.sensitivity import Convention, Sensitivity, survivals
from wordorder.messages import number
from wordorder.report.grids import sensitivity_output, sensitivity_text
from wordorder.statistics.intervals import Estimate


@pytest.fixture(scope="module")
def found() -> Sensitivity:
    return small_sensitivity()


def test_text_has_a_row_for_each_convention(
    found: Sensitivity, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    text = sensitivity_text(found)
    blocks = text.split("\n\n")
    for m, name in enumerate(("frs", "exact")):
        block = blocks[blocks.index(f"{name} ↑") + 1].splitlines()
        conventions = found.of_metric(m)
        assert len(block) == 2 + len(conventions)
        for (convention, grid), line in zip(conventions, block[2:], strict=True):
            assert line.startswith(str(convention))
            for estimate in grid.estimates[m]:
                assert number(estimate.value) in line
        assert block[2].endswith("  1.0000")


def test_text_counts_each_ranking(found: Sensitivity) -> None:
    text = sensitivity_text(found)
    names = [system.name for system in found.grids[0].evaluation.systems]
    total = len(found.of_metric(0))
    pairs = survivals(found, 0)
    for pair in pairs:
        sign = ">" if pair.ranked else "="
        ranking = f"{names[pair.better]} {sign} {names[pair.worse]}"
        counts = [pair.holds, pair.surely, pair.equal, pair.turned, pair.turned_surely]
        lines = [line.split() for line in text.splitlines() if line.startswith(f"{ranking} ")]
        assert [*ranking.split(), *map(str, counts)] in lines
    ranked = [pair for pair in pairs if pair.ranked]
    firm = [pair for pair in ranked if pair.holds == total]
    assert f"hold under all {total} conventions: {len(firm)} of {len(ranked)};" in flat(text)
    shaky = next(pair for pair in ranked if pair.holds < total)
    said = f"{names[shaky.better]} > {names[shaky.worse]} under {shaky.holds} of {total}"
    assert said in flat(text).split("Not under all: ")[1].split(". ")[0]


def test_many_systems_are_shown_by_their_range() -> None:
    wide = small_sensitivity(3, ("R1", "R2", "R3", "R4"))
    text = sensitivity_text(wide)
    assert text.splitlines()[2].split() == "convention scored lowest highest best tau".split()
    names = [system.name for system in wide.grids[0].evaluation.systems]
    pairs = survivals(wide, 0)
    assert len(pairs) > 15
    total = len(wide.of_metric(0))
    listed = text.split("\n\n")[2].splitlines()[2:]
    changing = [p for p in pairs if total != (p.holds if p.ranked else p.equal)]
    assert len(listed) == len(changing) < len(pairs)
    assert listed[0].startswith(names[changing[0].better])


def test_json_has_everything(found: Sensitivity) -> None:
    everything = json.loads(json.dumps(sensitivity_output(found).data(), allow_nan=False))
    assert [each["rule"] for each in everything["conventions"]][:1] == ["talbot"]
    assert len(everything["conventions"]) == len(found.conventions)
    frs, exact = everything["metrics"]
    assert len(frs["conventions"]) == len(found.conventions) > len(exact["conventions"])
    for (convention, grid), each in zip(found.of_metric(0), frs["conventions"], strict=True):
        assert each["ties"] == convention.ties
        assert [s["value"] for s in each["systems"]] == [e.value for e in grid.estimates[0]]
    assert frs["conventions"][0]["tau"] == pytest.approx(1)
    assert [pair["holds"] for pair in frs["pairs"]] == [p.holds for p in survivals(found, 0)]
    assert frs["reading"][0].startswith("Best under ")


def test_tsv_has_a_row_for_each_convention_system_and_metric(found: Sensitivity) -> None:
    header, *rows = [
        line.split("\t") for line in sensitivity_output(found).printed("tsv").splitlines()
    ]
    assert header[:5] == ["rule", "unaligned", "links", "ties", "system"]
    assert len(rows) == len(found.conventions) * 6 * 2
    first = dict(zip(header, rows[0], strict=True))
    shown = (first["rule"], first["unaligned"], first["links"], first["ties"])
    assert shown == ("talbot", "next", "", "best")
    assert float(first["value"]) == found.grids[0].estimates[0][0].value


def test_where_nothing_varies_it_says_so() -> None:
    grid = small_grid()
    alone = Sensitivity((Convention("talbot"),), ((Convention("lader"),),), (grid,))
    text = sensitivity_text(alone)
    assert "There is only one convention: nothing varies." in text
    assert "the same as talbot: lader" in text
    assert "under how many conventions the system at the left has the better value" in flat(text)
    single = small_sensitivity(1, ("R1",))
    assert "There is only one system to rank." in sensitivity_text(single)


def test_winners_that_look_alike_when_shortened_are_told_apart() -> None:
    """Of four equal systems two are named: P1R1, P1R2 and 2 more."""
    grid = small_grid()

    def of_values(values: list[float]) -> Grid:
        estimates = [[Estimate(value, value, value) for value in values], *grid.estimates[1:]]
        return replace(grid, estimates=estimates)

    grids = (of_values([1, 1, 1, 1, 0, 0]), of_values([1, 1, 0, 0, 1, 1]))
    found = Sensitivity((Convention("talbot"), Convention("lader")), ((), ()), grids)
    said = "Best under 1 of 2 conventions: P1R1, P1R2 and 2 more; P1R1, P1R2 and 2 more under 1."
    assert said in flat(sensitivity_text(found))
