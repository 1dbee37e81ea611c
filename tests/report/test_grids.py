"""Grids of parsers × rule sets, and what survives other conventions, as text, JSON and TSV."""

import json
from dataclasses import replace
from itertools import permutations

import pytest
from tests.flat import flat
from tests.report.grids import of_values, small_grid, small_sensitivity

from wordorder.analysis.grid import Grid
from wordorder.analysis.sensitivity import Convention, Sensitivity, survivals
from wordorder.messages import joined, number
from wordorder.report.document import Table
from wordorder.report.grids import (
    best_systems,
    grid_document,
    grid_table,
    grid_text,
    grid_tsv,
    sensitivity_output,
    sensitivity_text,
)
from wordorder.report.scores import triangle_table
from wordorder.scoring.significance_summary import triangle_reading


@pytest.fixture(scope="module")
def grid() -> Grid:
    return small_grid()


def test_text_has_each_value_with_its_interval(grid: Grid) -> None:
    lines = grid_text(grid).splitlines()
    assert lines[0].split() == ["system", "frs", "↑", "kendall", "↑"]
    for s, (system, line) in enumerate(zip(grid.evaluation.systems, lines[2:], strict=False)):
        cells = [
            f"{number(e[s].value)} [{number(e[s].low)}, {number(e[s].high)}]"
            for e in grid.estimates
        ]
        assert line == "  ".join([f"{system.name:<6}", *cells])


def test_text_has_the_grid_and_the_triangles_of_the_best(grid: Grid) -> None:
    text = grid_text(grid)
    names = [system.name for system in grid.evaluation.systems]
    for m in range(2):
        values = [number(e.value) for e in grid.estimates[m]]
        for p, parser in enumerate(grid.parsers):
            row = f"{parser}  {'  '.join(values[p * 3 : p * 3 + 3])}"
            assert row in text
        best, *others = best_systems(grid, m)
        p, r = divmod(best, 3)
        with_parser = [3 * p + i for i in range(3)]
        for title, group, comparison in (
            (f"Parsers with {grid.rules[r]}:", [r, 3 + r], grid.by_rules[m][r]),
            (
                f"Rule sets with {grid.parsers[p]}:",
                with_parser,
                grid.by_parser[m][p],
            ),
        ):
            of_group = [names[i] for i in group]
            marks = comparison.triangle()
            block = [title, triangle_table(of_group, marks), triangle_reading(of_group, marks)]
            assert "\n\n".join(block) in text
        winners = {best, *others}
        alike = set()
        for group, comparison in (
            *(([n, 3 + n], grid.by_rules[m][n]) for n in range(3)),
            *(([3 * n, 3 * n + 1, 3 * n + 2], grid.by_parser[m][n]) for n in range(2)),
        ):
            for one, other in permutations(range(len(group)), 2):
                if group[one] in winners and not comparison.beats()[one, other]:
                    alike.add(group[other])
        than = [names[i] for i in sorted(alike - winners)]
        who = joined([names[i] for i in (best, *others)])
        said = f"{who} {'are' if others else 'is'} best: {values[best]}."
        if than:
            listed = joined(than) if len(than) <= 3 else f"{len(than)} others"
            said = f"{who} {'have' if others else 'has'} the best value, {values[best]}, but not "
            said += f"significantly better (95 %) than {listed}."
        assert f"{said} (3 more triangles: -O triangles=all)" in text.replace("\n", " ")
    assert text.count("Parsers with") == text.count("Rule sets with") == 2


def test_all_triangles_on_demand_and_what_the_numbers_are(grid: Grid) -> None:
    text = grid_text(grid, all_triangles=True)
    assert text.count("Parsers with") == 2 * 3
    assert text.count("Rule sets with") == 2 * 2
    assert "more triangle" not in text
    *_, last = grid_text(grid).split("\n\n")
    assert f" 25 segments, {grid.evaluation.skipped} skipped; " in flat(last)
    assert "95 % interval by bootstrap resampling, 50 resamples, seed 12345" in flat(last)
    lines = last.splitlines()
    assert lines[-2:] == [str(each) for each in grid.signatures]
    rules = flat(last).partition("rules: R1@")[2].partition(" frs|")[0]
    assert rules.count("@") == 2


def test_a_grid_of_one_system_is_its_values() -> None:
    text = grid_text(small_grid(1, ("R4",)))
    assert "triangle" not in text
    assert "best" not in text.replace("ties:best", "")
    assert "A cell says" not in text
    assert "|rules:R4@" in text
    one_parser = grid_text(small_grid(1))
    assert one_parser.count("Rule sets with P1") == 2
    assert "Parsers with" not in one_parser
    grid = small_grid()
    odd = replace(grid, parsers=("a\nb", "P2"))
    assert "a\\nb" in grid_text(odd)
    assert "a\nb" not in grid_text(odd)


def test_equal_systems_are_best_together(grid: Grid) -> None:
    equal = of_values(grid, [0.3, 0.1 + 0.2, 0.2, 0.1, 0.1, 0.1])
    assert best_systems(equal, 0) == [0, 1]
    assert "P1R1 and P1R2 have the best value, 0.3000, but not significantly better" in " ".join(
        grid_text(equal).split()
    )
    falling = of_values(grid, [0.3, 0.2, 0.2, 0.1, 0.9, 0.9], falling=True)
    assert best_systems(falling, 0) == [3]


def test_many_metrics_take_several_tables(grid: Grid) -> None:
    many = replace(
        grid,
        metrics=grid.metrics * 3,
        estimates=list(grid.estimates) * 3,
        by_rules=list(grid.by_rules) * 3,
        by_parser=list(grid.by_parser) * 3,
        evaluation=replace(
            grid.evaluation,
            systems=tuple(replace(s, scores=s.scores * 3) for s in grid.evaluation.systems),
        ),
    )
    headers = [line.split() for line in grid_text(many).splitlines() if line.startswith("system")]
    assert headers == [["system", "frs", "↑", "kendall", "↑"]] * 3
    tables = [part for part in grid_document(many).parts if isinstance(part, Table)]
    assert [len(each.header) for each in tables[:2]] == [5, 3]


def test_json_has_everything(grid: Grid) -> None:
    found = json.loads(json.dumps(grid_table(grid).to_json(), allow_nan=False))
    assert found["parsers"] == ["P1", "P2"]
    assert found["rules"] == ["R1", "R2", "R4"]
    assert found["segments"] == 25
    assert found["skipped"] == len(found["skipped_lines"]) == grid.evaluation.skipped > 0
    for m, each in enumerate(found["metrics"]):
        assert each["signature"] == str(grid.signatures[m])
        assert [s["system"] for s in each["systems"]][:2] == ["P1R1", "P1R2"]
        assert [(s["parser"], s["rules"]) for s in each["systems"]][3] == ("P2", "R1")
        assert [(s["value"], s["low"], s["high"]) for s in each["systems"]] == [
            (e.value, e.low, e.high) for e in grid.estimates[m]
        ]
        assert {s["scored"] + s["skipped"] for s in each["systems"]} == {25}
        assert len({s["signature"] for s in each["systems"]}) == 6
        parsers, rules = each["parsers_compared"], each["rules_compared"]
        assert [p["rules"] for p in parsers] == ["R1", "R2", "R4"]
        assert [r["parser"] for r in rules] == ["P1", "P2"]
        assert [p["triangle"] for p in parsers] == [c.triangle() for c in grid.by_rules[m]]
        assert [len(r["pairs"]) for r in rules] == [3, 3]
        first = grid.by_parser[m][1].pair(0, 2)
        pair = rules[1]["pairs"][1]
        assert (pair["a"], pair["b"]) == ("P2R1", "P2R4")
        shown = (pair["difference"], pair["p"], pair["mark"])
        assert shown == (first.difference, first.p_value, first.mark)


def test_tsv_has_a_row_for_each_system_and_metric(grid: Grid) -> None:
    header, *rows = [line.split("\t") for line in grid_tsv(grid).splitlines()]
    assert header[:5] == ["system", "parser", "rules", "metric", "value"]
    assert len(rows) == 12
    for row, (m, s) in zip(rows, ((m, s) for m in range(2) for s in range(6)), strict=True):
        found = dict(zip(header, row, strict=True))
        estimate = grid.estimates[m][s]
        shown = [float(found[k]) for k in ("value", "low", "high")]
        assert shown == [estimate.value, estimate.low, estimate.high]
        assert found["system"] == grid.evaluation.systems[s].name
        assert found["signature"] == str(grid.evaluation.systems[s].scores[m].signature)
        assert int(found["scored"]) + int(found["skipped"]) == 25


# -- What survives other conventions.


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


def test_json_has_all_conventions(found: Sensitivity) -> None:
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
    grids = (of_values(grid, [1, 1, 1, 1, 0, 0]), of_values(grid, [1, 1, 0, 0, 1, 1]))
    found = Sensitivity((Convention("talbot"), Convention("lader")), ((), ()), grids)
    said = "Best under 1 of 2 conventions: P1R1, P1R2 and 2 more; P1R1, P1R2 and 2 more under 1."
    assert said in flat(sensitivity_text(found))
