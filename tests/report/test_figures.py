"""Figures for papers: what is drawn is what was found, and no label covers another."""

from __future__ import annotations

import csv
import json
import math
import random
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import REFERENCE, SAMPLE, SYSTEMS, TREES, call

from wordorder.drawing.figure import Figure, Label, figure_svg
from wordorder.errors import UsageError, WordOrderWarning
from wordorder.report.figures import writing
from wordorder.report.figures.axes import Scale
from wordorder.report.figures.plots import score_bars, score_curves, score_points
from wordorder.report.figures.writing import write_figures
from wordorder.statistics.intervals import Estimate

NAME = "{http://www.w3.org/2000/svg}"
EMPTY: dict[str, Any] = {"header": ("a",), "rows": ()}


@pytest.fixture
def no_png(monkeypatch: pytest.MonkeyPatch) -> None:
    """As without matplotlib: saves time."""
    monkeypatch.setattr(writing, "can_write_png", lambda: False)


def root_of(figure: Figure) -> ET.Element:
    return ET.fromstring(figure_svg(figure))


def table_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[0-9.]+", text)]


def axis(root: ET.Element, *, across: bool) -> tuple[float, float]:
    """Read a scale off its numbers: return slope and start, position = start + slope * value."""
    place = []
    for text in root.iter(f"{NAME}text"):
        anchor = text.attrib.get("text-anchor")
        if "transform" in text.attrib or not re.fullmatch(r"-?[0-9.]+", text.text or ""):
            continue
        if across and anchor == "middle":
            place.append((float(text.attrib["x"]), float(text.text or ""), text.attrib["y"]))
        if not across and anchor == "end" and float(text.attrib["x"]) < 60:
            place.append((float(text.attrib["y"]) - 2.8, float(text.text or ""), ""))
    # The row below the picture, not counts under it.
    row = [(at, value) for at, value, y in place if y == place[0][2]]
    slope, start = np.polyfit([value for _, value in row], [at for at, _ in row], 1)
    return float(slope), float(start)


def systems(count: int, seed: int = 1) -> list[str]:
    """Names as shared tasks have them, many of them long."""
    draw = random.Random(seed)
    parts = ["uedin", "online-B", "University-of-Somewhere", "primary", "2755", "unconstrained"]
    return ["-".join(draw.choices(parts, k=draw.randint(1, 4))) + f".{n}" for n in range(count)]


def estimates(count: int, seed: int = 1) -> list[Estimate]:
    draw = random.Random(seed)
    values = [draw.uniform(0.2, 0.9) for _ in range(count)]
    return [Estimate(v, v - draw.uniform(0, 0.1), v + draw.uniform(0, 0.1)) for v in values]


def all_figures(count: int) -> list[Figure]:
    """Every kind of figure for so many systems."""
    names, values = systems(count), estimates(count)
    draw = np.random.default_rng(count)
    bars = [
        score_bars("n", "t", names, values, "chrF (a metric with a long name)", bars=kind, **EMPTY)
        for kind in (True, False)
    ]
    lines = score_curves(
        "n",
        "t",
        names,
        draw.random((count, 7)).tolist(),
        ["1-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60+"],
        counts=["12345", "1", "999999", "5", "300", "9999", "0"],
        label="frs",
        places_label="words of the reference",
        **EMPTY,
    )
    spread = score_points(
        *("n", "t", draw.random(count), draw.random(count), names),
        across_label="frs " * 30,
        up_label="kendall " * 30,
        **EMPTY,
    )
    many = score_points(
        *("n", "t", draw.random(900), draw.random(900)),
        across_label=names[0],
        up_label=names[1],
        same_scale=True,
        **EMPTY,
    )
    return [*bars, lines, spread, many]


@pytest.mark.parametrize("count", [2, 3, 5, 8, 9, 13, 20, 30])
def test_labels_are_within_the_figure_and_cover_no_other(count: int) -> None:
    for number, figure in enumerate(all_figures(count)):
        boxes = [mark.box for mark in figure.marks if isinstance(mark, Label)]
        assert len(boxes) > count or number > 1
        for left, top, right, bottom in boxes:
            assert left >= 0
            assert top >= 0
            assert right <= figure.width
            assert bottom <= figure.height
        for n, one in enumerate(boxes):
            for other in boxes[:n]:
                wide = min(one[2], other[2]) - max(one[0], other[0])
                high = min(one[3], other[3]) - max(one[1], other[1])
                # The rows of letters of numbers beside crowded points may touch, no more.
                assert min(wide, high) < 0.5, (one, other)


def test_bars_end_at_their_values_and_intervals_at_theirs() -> None:
    values = [Estimate(0.75, 0.7, 0.8), Estimate(0.4, 0.3, 0.55), Estimate(-0.1, -0.2, 0.0)]
    root = root_of(score_bars("n", "t", ["A", "B", "C"], values, "frs", **EMPTY))
    slope, start = axis(root, across=True)
    bars = [
        numbers(p.attrib["d"]) for p in root.iter(f"{NAME}path") if "#56B4E9" in p.attrib.values()
    ]
    whiskers = [
        numbers(path.attrib["d"])
        for path in root.iter(f"{NAME}path")
        if path.attrib.get("stroke-width") == "1"
    ]
    level = [line for line in whiskers if line[1] == line[3]]
    assert len(bars) == len(level) == 3
    for each, bar, whisker in zip(values, bars, level, strict=True):
        ends = sorted([0.0, each.value])
        assert [(x - start) / slope for x in (bar[0], bar[2])] == pytest.approx(ends, abs=0.002)
        found = [(x - start) / slope for x in (whisker[0], whisker[2])]
        assert found == pytest.approx([each.low, each.high], abs=0.002)


def test_dots_are_on_a_scale_of_their_own() -> None:
    values = [Estimate(0.75, 0.74, 0.76), Estimate(0.77, math.nan, math.nan)]
    root = root_of(score_bars("n", "t", ["A", "B"], values, "frs", bars=False, **EMPTY))
    slope, start = axis(root, across=True)
    dots = [(float(dot.attrib["cx"]) - start) / slope for dot in root.iter(f"{NAME}circle")]
    assert dots == pytest.approx([0.75, 0.77], abs=0.0002)


def test_a_value_that_is_none_is_said() -> None:
    nothing = Estimate(math.nan, math.nan, math.nan)
    root = root_of(score_bars("n", "t", ["A"], [nothing], "frs", **EMPTY))
    assert "no number" in [text.text for text in root.iter(f"{NAME}text")]
    assert "NaN" not in figure_svg(score_bars("n", "t", ["A"], [nothing], "frs", **EMPTY)).replace(
        "no number", ""
    )


def test_points_are_where_their_scores_are() -> None:
    across, up = np.array([0.1, 0.5, 0.9, np.nan]), np.array([20.0, 35.0, 22.5, 1.0])
    figure = score_points(
        "n", "t", across, up, list("ABCD"), across_label="frs", up_label="bleu", **EMPTY
    )
    root = root_of(figure)
    slope, start = axis(root, across=True)
    down, top = axis(root, across=False)
    dots = list(root.iter(f"{NAME}circle"))
    assert [(float(d.attrib["cx"]) - start) / slope for d in dots] == pytest.approx(
        [0.1, 0.5, 0.9], abs=0.003
    )
    assert [(float(d.attrib["cy"]) - top) / down for d in dots] == pytest.approx(
        [20, 35, 22.5], abs=0.1
    )
    assert {"A", "B", "C"} <= {text.text for text in root.iter(f"{NAME}text")}


def test_many_points_are_counted_in_squares() -> None:
    draw = np.random.default_rng(1)
    across, up = draw.random(2000), draw.random(2000)
    figure = score_points(
        "n", "t", across, up, across_label="a", up_label="b", same_scale=True, **EMPTY
    )
    svg = figure_svg(figure)
    shades = ["#C6DBEF", "#9ECAE1", "#6BAED6", "#3182BD", "#08306B"]
    used = [shade for shade in shades if shade in svg]
    squares = [sum(f'fill="{shade}"' in line for line in svg.splitlines()) - 1 for shade in used]
    ranges = [
        [int(n) for n in text.text.split("–")]
        for text in ET.fromstring(svg).iter(f"{NAME}text")
        if text.text
        and re.fullmatch("[0-9]+(–[0-9]+)?", text.text)
        and "text-anchor" not in text.attrib
    ]
    assert sum(n * r[0] for n, r in zip(squares, ranges, strict=True)) <= 2000
    assert sum(n * r[-1] for n, r in zip(squares, ranges, strict=True)) >= 2000


def test_lines_pass_through_their_values_and_break_where_there_is_none() -> None:
    values = [[0.2, 0.4, math.nan, 0.3], [0.5, 0.6, 0.7, 0.8]]
    figure = score_curves(
        "n", "t", ["A", "B"], values, list("wxyz"), label="frs", places_label="words", **EMPTY
    )
    root = root_of(figure)
    down, top = axis(root, across=False)
    square = [
        numbers(p.attrib["d"])
        for p in root.iter(f"{NAME}path")
        if p.attrib.get("stroke-dasharray") == "4 2"
    ]
    (line,) = [line for line in square if len(line) == 8]
    assert [(y - top) / down for y in line[1::2]] == pytest.approx([0.5, 0.6, 0.7, 0.8], abs=0.003)
    round_ones = [
        (float(d.attrib["cy"]) - top) / down
        for d in root.iter(f"{NAME}circle")
        if float(d.attrib["cy"]) > line[-1]
    ]
    assert round_ones == pytest.approx([0.2, 0.4, 0.3], abs=0.003)


def test_numbers_of_a_scale_do_not_touch() -> None:
    for low, high, room in [(0.7112, 0.7113, 40), (0, 1e-5, 50), (-1, 1, 30), (0, 123456, 60)]:
        scale = Scale.across(low, high, 0, room)
        assert scale.steps[0] <= low
        assert high <= scale.steps[-1]
        assert 0 <= scale(low) <= scale(high) <= room


def test_files_and_the_line_that_names_them(tmp_path: Path) -> None:
    figure = Figure(
        "frs", "t", 20, 20, (Label(1, 9, "A"),), ("system", "frs"), (("=A", 0.1 + 0.2),)
    )
    line = write_figures(tmp_path / "new", [figure, figure])
    assert line == f"{tmp_path / 'new'}, 2 figures (each as svg, pdf, png, tsv): frs, frs-2"
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert sorted(written) == [
        f"{name}.{kind}" for name in ("frs-2", "frs") for kind in ("pdf", "png", "svg", "tsv")
    ]
    assert written["frs.tsv"].decode() == "system\tfrs\n'=A\t0.30000000000000004\n"
    write_figures(tmp_path / "new", [figure, figure])
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}


def test_without_matplotlib_there_is_no_png(tmp_path: Path, no_png: None) -> None:
    figure = Figure("frs", "t", 20, 20, (Label(1, 9, "語"),), ("system",), ())
    with pytest.warns(WordOrderWarning, match="SVG has them"):
        line = write_figures(tmp_path, [figure])
    assert line.endswith("1 figure (each as svg, pdf, tsv; png needs the extra plot): frs")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf", ".tsv"}


def test_nothing_to_draw_is_said(tmp_path: Path) -> None:
    assert write_figures(tmp_path / "new", []).endswith(
        "no figures: the result has nothing to draw"
    )


def test_an_input_is_never_written_over(tmp_path: Path) -> None:
    (tmp_path / "frs.tsv").write_text("mine")
    figure = Figure("frs", "t", 20, 20, (), ("a",), ())
    with pytest.raises(UsageError, match=r"frs\.tsv: is an input too"):
        write_figures(tmp_path, [figure], [tmp_path / "frs.tsv"])
    assert [path.name for path in tmp_path.iterdir()] == ["frs.tsv"]


def test_labels_that_a_format_cannot_write_are_said_once(tmp_path: Path) -> None:
    marks = (Label(1, 9, "語順"), Label(1, 30, "порядок"), Label(1, 40, "order"))
    figure = Figure("frs", "t", 90, 50, marks, ("a",), ())
    with pytest.warns(WordOrderWarning) as found:
        write_figures(tmp_path, [figure, figure])
    (message,) = [str(each.message) for each in found]
    assert message == (
        'figures: Helvetica, the font of PDF, lacks characters of "порядок" and 1 more '
        "(2 of 3 labels): PDF shows ? there; SVG has them"
    )


@pytest.mark.usefixtures("no_png")
def test_score_draws_what_it_prints(tmp_path: Path) -> None:
    args = ["score", REFERENCE, "-i", *SYSTEMS, "--confidence", "--resamples", "50"]
    plain = call(*args, "--format", "json").good()
    drawn = call(*args, "--format", "json", "--figures", tmp_path / "f").good()
    assert {**drawn.json, "notes": []} == {**plain.json, "notes": []}
    rows = table_of(tmp_path / "f" / "intervals-frs.tsv")
    for row, system in zip(rows, json.loads(plain.stdout)["systems"], strict=True):
        score = system["scores"][0]
        assert row["system"] == system["name"]
        assert [float(row[k]) for k in ("value", "low", "high")] == [
            score[k] for k in ("value", "low", "high")
        ]
    names = {path.stem for path in (tmp_path / "f").iterdir()}
    assert {"scores-frs", "length-kendall", "metrics-frs-kendall-systems"} <= names
    (line,) = [line for line in drawn.stderr.splitlines() if "figures (each" in line]
    assert all(name in line for name in names)


@pytest.mark.usefixtures("no_png")
def test_compare_draws_differences(tmp_path: Path) -> None:
    args = ["compare", REFERENCE, "-i", *SYSTEMS[:3], "-m", "frs", "--resamples", "50"]
    found = call(*args, "--format", "json", "--figures", tmp_path / "f").good().json
    rows = table_of(tmp_path / "f" / "differences-frs.tsv")
    pairs = found["metrics"][0]["pairs"]
    assert [(r["system"], r["minus"], float(r["difference"]), float(r["low"])) for r in rows] == [
        (p["b"], p["a"], p["difference"], p["interval_95"][0]) for p in pairs
    ]


@pytest.mark.usefixtures("no_png")
def test_of_many_pairs_those_with_the_best_system_are_drawn(tmp_path: Path) -> None:
    systems = [f"{name}{n}={SYSTEMS[n]}" for n in range(4) for name in "ab"]
    args = ["compare", REFERENCE, "-i", *systems, "-m", "frs", "--resamples", "50"]
    found = call(*args, "--format", "json", "--figures", tmp_path / "f").good().json["metrics"][0]
    rows = table_of(tmp_path / "f" / "differences-frs.tsv")
    best, *others = sorted(found["systems"], key=lambda each: -each["value"])
    assert [row["system"] for row in rows] == [each["name"] for each in others]
    assert {row["minus"] for row in rows} == {best["name"]}
    for row, other in zip(rows, others, strict=True):
        difference = float(row["difference"])
        assert difference == pytest.approx(other["value"] - best["value"])
        assert float(row["low"]) <= difference <= float(row["high"])


@pytest.mark.usefixtures("no_png")
def test_lengths_are_those_of_the_references(tmp_path: Path) -> None:
    """Counted again from the file, and scored again from the segments of each range."""
    call("score", REFERENCE, "-i", SYSTEMS[2], "-m", "frs", "--figures", tmp_path / "f").good()
    printed = call(
        *("score", REFERENCE, "-i", SYSTEMS[2], "-m", "frs", "--segments", "--format", "json")
    ).json
    scores = printed["systems"][0]["scores"][0]["segments"]
    lines = Path(REFERENCE).read_text().splitlines()
    lengths = [len(re.findall("[0-9]+", line)) for line in lines]
    rows = table_of(tmp_path / "f" / "length-frs.tsv")
    for row in rows:
        low, high = (int(n) for n in row["words"].split("-"))
        within = [s for s, n in zip(scores, lengths, strict=True) if low <= n <= high]
        assert len(within) == int(row["segments"]) > 0
        assert float(row["value"]) == pytest.approx(sum(within) / len(within))
    assert sum(int(row["segments"]) for row in rows) == len(lines)


def test_a_folder_that_cannot_be_is_refused_before_the_work(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    args = ["score", "no-such-file", "-i", "none"]
    call(*args, "--figures", tmp_path / "file").refused(2, "file", "cannot be created")
    call(*args, "--figures", "-").refused(2, "--figures needs a folder")
    call(*args, "--figures", tmp_path / "a" / "b").refused(2, "no folder")


@pytest.mark.usefixtures("no_png")
def test_a_new_folder_may_end_with_a_slash(tmp_path: Path) -> None:
    args = ["score", REFERENCE, "-i", SYSTEMS[0], "-m", "exact"]
    call(*args, "--figures", f"{tmp_path}/new/").good()
    assert (tmp_path / "new" / "scores-exact.svg").exists()


@pytest.mark.usefixtures("no_png")
def test_long_names_of_systems_are_told_apart(tmp_path: Path) -> None:
    """In the names of files, which have 255 bytes, and on both axes."""
    named = [f"{'翻訳' * 40}{n}{'翻訳' * 40}={path}" for n, path in enumerate(SYSTEMS)]
    call("score", REFERENCE, "-i", *named[:2], "-m", "exact", "--figures", tmp_path).good()
    (figure,) = tmp_path.glob("systems-*.svg")
    labels = [text.text or "" for text in ET.parse(figure).iter(f"{NAME}text")]
    one, other = (label for label in labels if label.endswith(", exact match"))
    assert one != other


def test_a_file_name_that_is_no_text_can_be_drawn(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 come as halves of surrogate pairs."""
    names = ["a\udcff\n<b>", "../c"]
    figure = score_bars("n", f"of {names}", names, estimates(2), "frs", **EMPTY)
    rows = tuple((name, 1.0) for name in names)
    with pytest.warns(WordOrderWarning):
        write_figures(tmp_path, [replace(figure, header=("system", "frs"), rows=rows)])
    assert [row["system"] for row in table_of(tmp_path / "n.tsv")] == ["a\\udcff\\n<b>", "../c"]
    texts = [t.text for t in ET.parse(tmp_path / "n.svg").iter(f"{NAME}text")]
    assert "a\ufffd\ufffd<b>" in texts


@pytest.mark.usefixtures("no_png")
def test_evaluate_and_analyze_draw_what_they_print(tmp_path: Path) -> None:
    grid = [REFERENCE, "--trees", f"hand={TREES}", "--rules", "R1", "R5", "--resamples", "50"]
    found = call("evaluate", *grid, "--format", "json", "--figures", tmp_path / "e").good().json
    rows = table_of(tmp_path / "e" / "scores-kendall.tsv")
    assert [(row["system"], float(row["value"]), float(row["high"])) for row in rows] == [
        (each["name"], each["value"], each["high"]) for each in found["metrics"][1]["systems"]
    ]
    call("analyze", *grid, "--figures", tmp_path / "a").good()
    for name in ("intervals-frs.svg", "length-frs.tsv", "systems-frs-hand-R5-hand-R1.tsv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "e" / name).read_bytes()


@pytest.mark.usefixtures("no_png")
def test_correlate_draws_what_it_prints(tmp_path: Path) -> None:
    judged = SAMPLE.parent / "judged" / "judged.toml"
    args: list[str | Path] = [
        "correlate",
        judged,
        "-m",
        "cder,bleu",
        "--resamples",
        "50",
        "--format",
        "json",
    ]
    found = call(*args, "--figures", tmp_path / "f").good().json["results"]
    for unit, kind in (("system", "system-pearson"), ("segment", "segment-acc-eq")):
        rows = table_of(tmp_path / "f" / f"correlations-judged-ja-en-{kind}.tsv")
        printed = {r["metric"]: (r["value"], r["low"]) for r in found if r["unit"] == unit}
        assert {r["metric"]: (float(r["value"]), float(r["low"])) for r in rows} == printed
        assert len(rows) == 2
    systems = table_of(tmp_path / "f" / "people-judged-ja-en-system-cder.tsv")
    assert [row["system"] for row in systems] == ["alder", "birch", "cedar", "elm", "fir", "hazel"]
    assert all(float(row["CDER (negated)"]) < 0 for row in systems)
    assert (tmp_path / "f" / "metrics-judged-ja-en-segment-bleu-cder.pdf").exists()


@pytest.mark.usefixtures("no_png")
def test_analyze_draws_translations_as_its_tables_have_them(tmp_path: Path) -> None:
    judged = SAMPLE.parent / "judged"
    args: list[str | Path] = ["analyze", judged / "reference.en", "--resamples", "50"]
    systems = ["-i", *(str(judged / f"{name}.en") for name in ("alder", "fir", "hazel"))]
    found = call(
        *(*args, *systems, "-m", "cder,frs", "--format", "json", "--figures", tmp_path / "f")
    ).good()
    sections = {section["key"]: section for section in found.json["sections"]}
    for key, metric in (("score-by-length", "cder"), ("score-by-length-2", "frs")):
        rows = table_of(tmp_path / "f" / f"length-{metric}.tsv")
        drawn = {(r["words"], r["system"]): (int(r["segments"]), float(r["value"])) for r in rows}
        printed = {
            (row["length"], row["system"]): (row["sentences"], row[metric.upper()])
            for row in sections[key]["rows"]
        }
        assert drawn.keys() == printed.keys()
        for place, (segments, value) in drawn.items():
            assert segments == printed[place][0]
            assert value == pytest.approx(printed[place][1])
    files = {path.name for path in (tmp_path / "f").iterdir()}
    assert {"differences-cder.svg", "systems-frs-alder.en-fir.en.pdf", "scores-cder.svg"} <= files


def test_points_at_one_place_share_a_label() -> None:
    both = np.array([0.2, 0.2, 0.9])
    root = root_of(
        score_points("n", "t", both, both, list("ABC"), across_label="a", up_label="b", **EMPTY)
    )
    assert {"A, B", "C"} <= {text.text for text in root.iter(f"{NAME}text")}


@pytest.mark.parametrize("value", [0.0, 0.5, -3.0])
def test_equal_values_are_on_a_scale_that_can_be_read(value: float) -> None:
    scale = Scale.up(value, value, 100, 0)
    assert scale.steps[0] <= value <= scale.steps[-1]
    assert scale.steps[-1] - scale.steps[0] >= 0.1 * abs(value) or scale.steps == (0.0, 1.0)
    assert all(len(f"{step:g}") < 6 for step in scale.steps)


def test_a_number_that_is_none_is_blank(tmp_path: Path) -> None:
    write_figures(tmp_path, [Figure("a", "t", 9, 9, (), ("x", "y"), ((math.nan, 1.0),))])
    assert (tmp_path / "a.tsv").read_text() == "x\ty\n\t1.0\n"
