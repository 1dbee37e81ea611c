"""Figures for papers: what is drawn is what was found, and no label covers another."""

import csv
import math
import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import matplotlib.style
import numpy as np
import pytest
from matplotlib.text import Text
from tests.cli.running import REFERENCE, SAMPLE, SYSTEMS, TREES, call
from tests.notes import noted

from wordorder.drawing.figure import STYLE, Figure, figure_files, short_names
from wordorder.drawing.recording import record
from wordorder.errors import UsageError
from wordorder.report.figures.command_figures import (
    MetricScores,
    difference_figures,
    system_figures,
)
from wordorder.report.figures.plots import score_bars, score_curves, score_points
from wordorder.report.figures.writing import write_figures
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.paired_tests import Comparison, PairTest

NAME = "{http://www.w3.org/2000/svg}"
EMPTY: dict[str, Any] = {"header": ("a",), "rows": ()}


@contextmanager
def laid_out(figure: Figure) -> Iterator[Any]:
    """The figure as matplotlib holds it: what it draws can be asked for."""
    with matplotlib.style.context(["default", STYLE]):
        canvas = figure.draw()
        record(canvas)
        yield canvas


def shown(canvas: Any) -> list[Text]:
    """All texts but those of ticks beyond the ends of an axis, which are not drawn."""
    beyond = set()
    for axes in canvas.axes:
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            room = 1e-9 * (high - low)
            ticks = axis.get_major_ticks()
            beyond |= {t.label1 for t in ticks if not low - room <= t.get_loc() <= high + room}
    found = [text for text in canvas.findobj(Text) if text.get_visible() and text not in beyond]
    return [text for text in found if text.get_text().strip()]


def texts(canvas: Any) -> list[str]:
    return [text.get_text() for text in shown(canvas)]


def bars(names: Any, values: Any, label: str = "frs", **more: Any) -> Figure:
    return score_bars("n", "t", names, values, label, **EMPTY, **more)


def curves(names: Any, values: Any, places: Any, **more: Any) -> Figure:
    more = {"label": "frs", "places_label": "words", **more}
    return score_curves("n", "t", names, values, places, **EMPTY, **more)


def points(across: Any, up: Any, names: Any = (), **more: Any) -> Figure:
    more = {"across_label": "a", "up_label": "b", **more}
    return score_points("n", "t", across, up, names, **EMPTY, **more)


def small(name: str = "frs", **data: Any) -> Figure:
    return score_bars(name, "t", ["A"], [Estimate(0.5, 0.4, 0.6)], "frs", **{**EMPTY, **data})


def table_of(path: Path) -> list[dict[str, str]]:
    with open(path, newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t"))


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
    long = "chrF (a metric with a long name)"
    places = ["1-9", "10-19", "20-29", "30-39", "40-49", "50-59", "60+"]
    sizes = ["12345", "1", "999999", "5", "300", "9999", "0"]
    of_lengths = {"counts": sizes, "places_label": "words of the reference"}
    labels = {"across_label": "frs " * 30, "up_label": "kendall " * 30}
    both = {"across_label": names[0], "up_label": names[1], "same_scale": True}
    return [
        *(bars(names, values, long, bars=kind) for kind in (True, False)),
        curves(names, draw.random((count, 7)).tolist(), places, **of_lengths),
        points(draw.random(count), draw.random(count), names, **labels),
        points(draw.random(900), draw.random(900), **both),
    ]


@pytest.mark.parametrize("count", [2, 9, 30])
def test_labels_are_within_the_figure_and_cover_no_other(count: int) -> None:
    """matplotlib measures what it wrote."""
    for number, figure in enumerate(all_figures(count)):
        with laid_out(figure) as canvas:
            boxes = [(text.get_text(), text.get_window_extent()) for text in shown(canvas)]
            assert len(boxes) > count or number > 1
            right, top = canvas.bbox.width, canvas.bbox.height
            for said, box in boxes:
                assert min(box.x0, box.y0) > -0.5, said
                assert box.x1 < right + 0.5, said
                assert box.y1 < top + 0.5, said
            for (said, one), (also, other) in combinations(boxes, 2):
                wide = min(one.x1, other.x1) - max(one.x0, other.x0)
                high = min(one.y1, other.y1) - max(one.y0, other.y0)
                # Numbers beside crowded points may touch, no more.
                assert min(wide, high) < 1.5, (number, said, also)


def test_names_are_whole_but_for_what_all_share() -> None:
    names = [f"wmt.{name}.en" for name in systems(9)]
    for figure in (bars(names, estimates(9)), points(np.arange(9.0), np.ones(9), names)):
        with laid_out(figure) as canvas:
            written = "|".join(re.sub(r"\s", "", text) for text in texts(canvas))
            assert all(name in written for name in systems(9))
            assert "wmt." not in written


def test_bars_and_dots_are_at_their_values_and_none_is_said() -> None:
    values = [Estimate(0.75, 0.7, 0.8), Estimate(0.4, 0.3, 0.55), Estimate(-0.1, -0.2, 0.0)]
    with laid_out(bars("ABC", values)) as canvas:
        axes = canvas.axes[0]
        # One line each, broken between the rows.
        drawn, whiskers = (
            np.array(line.get_xydata()).reshape(3, 3, 2)[:, :2] for line in axes.lines[:2]
        )
        assert drawn[..., 0].tolist() == [[0, 0.75], [0, 0.4], [0, -0.1]]
        assert whiskers[..., 0].tolist() == [pytest.approx([v.low, v.high]) for v in values]
        # From the top down, each between its name and its number.
        assert axes.get_ylim()[0] > axes.get_ylim()[1]
        rows = drawn[:, 0, 1].tolist()
        assert rows == drawn[:, 1, 1].tolist() == sorted(rows)
        written = {(text.get_text(), text.get_position()) for text in shown(canvas)}
        for row, name, value in zip(rows, "ABC", ("0.7500", "0.4000", "-0.1000"), strict=True):
            assert {(name, (0, row)), (value, (1, row))} <= written
    values = [Estimate(0.75, 0.74, 0.76), Estimate(0.77, math.nan, math.nan)]
    with laid_out(bars("AB", values, bars=False)) as canvas:
        axes = canvas.axes[0]
        (dots,) = [line for line in axes.lines if line.get_marker() == "o"]
        assert list(dots.get_xdata()) == [0.75, 0.77]
        assert axes.get_xlim()[0] > 0.7
    nothing = Estimate(math.nan, math.nan, math.nan)
    with laid_out(bars("A", [nothing])) as canvas:
        assert "no number" in texts(canvas)
        assert not any("nan" in text.lower() for text in texts(canvas))


def test_points_are_where_their_scores_are() -> None:
    across, up = np.array([0.1, 0.5, 0.9, np.nan]), np.array([20.0, 35.0, 22.5, 1.0])
    with laid_out(points(across, up, "ABCD")) as canvas:
        (dots,) = canvas.axes[0].lines
        assert dots.get_xdata().tolist() == [0.1, 0.5, 0.9]
        assert dots.get_ydata().tolist() == [20, 35, 22.5]
        assert {"A", "B", "C"} <= set(texts(canvas))
        assert "D" not in texts(canvas)
        # Each name is nearer to its own point than to any other.
        places = canvas.axes[0].transData.transform(dots.get_xydata())
        for n, name in enumerate("ABC"):
            (label,) = [text for text in shown(canvas) if text.get_text() == name]
            box = label.get_window_extent()
            middle = np.array([(box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2])
            assert np.linalg.norm(places - middle, axis=1).argmin() == n
    both = np.array([0.2, 0.2, 0.9])
    with laid_out(points(both, both, "ABC")) as canvas:
        assert {"A, B", "C"} <= set(texts(canvas))


def test_many_points_are_counted_in_squares() -> None:
    draw = np.random.default_rng(1)
    across, up = draw.random(2000), draw.random(2000)
    with laid_out(points(across, up)) as canvas:
        ranges = [text for text in texts(canvas) if re.fullmatch("[0-9]+(–[0-9]+)?", text)]
        ends = [[int(n) for n in text.split("–")] for text in ranges]
        assert [each[0] for each in ends[1:]] == [each[-1] + 1 for each in ends[:-1]]
        # Squares of one shade are one shape; each has as many points as the legend says.
        found = []
        for patch, counts in zip(canvas.axes[0].patches, ends, strict=True):
            for square in patch.get_path().vertices.reshape(-1, 5, 2):
                (left, bottom), (right, top) = square.min(axis=0), square.max(axis=0)
                inside = (across >= left) & (across <= right) & (up >= bottom) & (up <= top)
                assert counts[0] <= inside.sum() <= counts[-1]
                found.append(inside.sum())
        assert (sum(found), max(found)) == (2000, ends[-1][-1])


@pytest.mark.parametrize("noise", [0.05, 0.2])
def test_equal_systems_look_equal(noise: float) -> None:
    """Means of segments that are alike on one axis would bend: .50 becomes .62 in simulations."""
    draw = np.random.default_rng(7)
    truth = draw.normal(0.5, 0.1, 4000)
    one, other = (truth + draw.normal(0, each, 4000) for each in (noise, 0.1))
    highest = np.argsort(one)[-400:]
    assert abs(one[highest].mean() - other[highest].mean()) > 0.02
    with laid_out(points(one, other, same_scale=True)) as canvas:
        drawn = [line for line in canvas.axes[0].lines if line.get_marker() == "D"]
        diagonal = [line for line in canvas.axes[0].lines if line.get_marker() != "D"]
        ((across, up),) = drawn[0].get_xydata().tolist()
        assert abs(across - up) < 4 * np.hypot(noise, 0.1) / np.sqrt(4000)
        assert len(drawn) == len(diagonal) == 1
        assert (diagonal[0].get_xdata() == diagonal[0].get_ydata()).all()
        assert canvas.axes[0].get_xlim() == canvas.axes[0].get_ylim()


def test_lines_pass_through_their_values_and_break_where_there_is_none() -> None:
    values = [[0.2, 0.4, math.nan, 0.3], [0.5, 0.6, 0.7, 0.8]]
    with laid_out(curves("AB", values, "wxyz")) as canvas:
        lines = canvas.axes[0].lines
        assert [line.get_ydata().tolist() for line in lines] == [
            pytest.approx(each, nan_ok=True) for each in values
        ]
        looks = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in lines}
        assert len(looks) == 2
        assert {"A", "B", "w", "x", "y", "z", "frs", "words"} <= set(texts(canvas))


def test_a_legend_names_eight_lines_and_counts_the_others() -> None:
    names, values = systems(11), [[float(n), n + 1.0] for n in range(11)]
    with laid_out(curves(names, values, "ab")) as canvas:
        (legend,) = canvas.legends
        written = [re.sub(r"\s", "", text.get_text()) for text in legend.get_texts()]
        assert written == [*short_names(names)[:8], "3more"]


def test_files_and_the_line_that_names_them(tmp_path: Path) -> None:
    figure = small(header=("system", "frs"), rows=(("=A", 0.1 + 0.2),))
    line = write_figures(tmp_path / "new", [figure, figure])
    assert line == f"{tmp_path / 'new'}, 2 figures (each as svg, pdf, png, tsv): frs, frs-2"
    written = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}
    assert sorted(written) == [
        f"{name}.{kind}" for name in ("frs-2", "frs") for kind in ("pdf", "png", "svg", "tsv")
    ]
    assert written["frs.tsv"].decode() == "system\tfrs\n=A\t0.30000000000000004\n"
    write_figures(tmp_path / "new", [figure, figure])
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir()}


def test_without_matplotlib_nothing_is_read(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("wordorder.drawing.figure.find_spec", lambda name: None)
    call("score", "no-such-file", "-i", "none", "--figures", tmp_path / "f").refused(
        2, "pip install 'wordorder[plot]'"
    )
    with pytest.raises(UsageError, match="pip install"):
        write_figures(tmp_path / "f", [small()])
    assert not list(tmp_path.iterdir())


def test_nothing_to_draw_numbers_that_are_none_and_inputs(tmp_path: Path) -> None:
    assert write_figures(tmp_path / "new", []).endswith(
        "no figures: the result has nothing to draw"
    )
    (tmp_path / "frs.tsv").write_text("mine")
    with pytest.raises(UsageError, match=r"frs\.tsv: is an input too"):
        write_figures(tmp_path, [small()], [tmp_path / "frs.tsv"])
    assert [path.name for path in tmp_path.iterdir()] == ["frs.tsv"]
    write_figures(tmp_path, [small("a", rows=((math.nan, 1.0),), header=("x", "y"))])
    assert (tmp_path / "a.tsv").read_text() == "x\ty\n\t1.0\n"


def test_labels_that_a_format_cannot_write_are_said_once(tmp_path: Path) -> None:
    figure = score_bars("frs", "t", ["語順", "порядок", "order"], estimates(3), "frs", **EMPTY)
    with noted() as found:
        write_figures(tmp_path, [figure, figure])
    (message,) = found
    assert message == (
        'figures: the font of PDF and PNG lacks characters of "語順" (1 label in all): '
        "they show ? there; SVG has them"
    )


@pytest.mark.usefixtures("only_data")
def test_score_draws_what_it_prints(tmp_path: Path) -> None:
    args = ["score", REFERENCE, "-i", *SYSTEMS, "--confidence", "--resamples", "50"]
    plain = call(*args, "--format", "json").good()
    drawn = call(*args, "--format", "json", "--figures", tmp_path / "f").good()
    assert {**drawn.json, "notes": []} == {**plain.json, "notes": []}
    rows = table_of(tmp_path / "f" / "intervals-frs.tsv")
    best_first = sorted(plain.json["systems"], key=lambda each: -each["scores"][0]["value"])
    for row, system in zip(rows, best_first, strict=True):
        score = system["scores"][0]
        assert row["system"] == system["system"]
        assert [float(row[k]) for k in ("value", "low", "high")] == [
            score[k] for k in ("value", "low", "high")
        ]
    names = {path.stem for path in (tmp_path / "f").iterdir()}
    assert {"scores-frs", "length-kendall", "metrics-frs-kendall-systems"} <= names
    (line,) = [line for line in drawn.stderr.splitlines() if "figures (each" in line]
    assert all(name in line for name in names)


@pytest.mark.usefixtures("only_data")
def test_compare_draws_differences(tmp_path: Path) -> None:
    args = ["compare", REFERENCE, "-i", *SYSTEMS[:3], "-m", "frs", "--resamples", "50"]
    found = call(*args, "--format", "json", "--figures", tmp_path / "f").good().json
    rows = table_of(tmp_path / "f" / "differences-frs.tsv")
    pairs = found["metrics"][0]["pairs"]
    assert [(r["system"], r["minus"], float(r["difference"]), float(r["low"])) for r in rows] == [
        (p["b"], p["a"], p["difference"], p["low95"]) for p in pairs
    ]


@pytest.mark.usefixtures("only_data")
def test_two_systems_have_one_figure_of_differences(tmp_path: Path) -> None:
    args = ["compare", REFERENCE, "-i", *SYSTEMS[:2], "-m", "frs,kendall", "--resamples", "50"]
    found = call(*args, "--format", "json", "--figures", tmp_path / "f").good().json
    assert {path.name for path in (tmp_path / "f").glob("differences*")} == {
        f"differences.{ending}" for ending in ("pdf", "png", "svg", "tsv")
    }
    rows = table_of(tmp_path / "f" / "differences.tsv")
    best = max(found["metrics"][0]["systems"], key=lambda system: system["value"])["system"]
    for row, metric in zip(rows, found["metrics"], strict=True):
        (pair,) = metric["pairs"]
        sign = 1 if pair["b"] == best else -1
        assert (row["metric"], row["system"]) == (metric["metric"], best)
        assert float(row["difference"]) == pytest.approx(sign * pair["difference"])


def test_rows_of_two_systems_point_to_the_better_one() -> None:
    """Metrics of which lower is better are reversed, and open dots are not significant."""
    pairs = [
        PairTest(0, 1, 0.02, None, (0.01, 0.03), 0.001, "+**"),
        PairTest(0, 1, -0.05, None, (-0.06, -0.04), 0.001, "+**"),
        PairTest(0, 1, 0.01, None, (-0.01, 0.03), 0.4, "0"),
    ]
    metrics = [
        MetricScores(
            *(name, higher, ("A", "B"), (Estimate(0, 0, 0), Estimate(at, at, at)), ("s", "s"))
        )
        for name, higher, at in (("frs", True, 0.02), ("cder", False, -0.05), ("bleu", True, 0.01))
    ]
    comparisons = [
        Comparison("bootstrap", 50, 1, scores.higher_is_better, (0.0, pair.difference), (pair,))
        for scores, pair in zip(metrics, pairs, strict=True)
    ]
    (figure,) = difference_figures(metrics, comparisons)
    assert figure.title == "B is better than A under 2 of 3 metrics, with 95 % intervals"
    drawn = figure_files(figure)[0]["svg"].decode()
    assert [text for text in ("2.00", "5.00", "1.00", "CDER, reversed") if text not in drawn] == []


def test_of_many_systems_bars_are_left_out_where_dots_say_the_same() -> None:
    for count, intervals, starts in (
        (30, True, {"scores", "intervals"}),
        (31, True, {"intervals"}),
        (31, False, {"scores"}),
    ):
        values = [
            v if intervals else Estimate(v.value, math.nan, math.nan) for v in estimates(count)
        ]
        names = tuple(systems(count))
        scores = MetricScores("frs", True, names, tuple(values), ("frs|v",) * count)
        assert {figure.name.split("-")[0] for figure in system_figures([scores])} == starts


@pytest.mark.usefixtures("only_data")
def test_of_many_pairs_those_with_the_best_system_are_drawn(tmp_path: Path) -> None:
    systems = [f"{name}{n}={SYSTEMS[n]}" for n in range(4) for name in "ab"]
    args = ["compare", REFERENCE, "-i", *systems, "-m", "frs", "--resamples", "50"]
    found = call(*args, "--format", "json", "--figures", tmp_path / "f").good().json["metrics"][0]
    rows = table_of(tmp_path / "f" / "differences-frs.tsv")
    best, *others = sorted(found["systems"], key=lambda each: -each["value"])
    assert [row["system"] for row in rows] == [each["system"] for each in others]
    assert {row["minus"] for row in rows} == {best["system"]}
    for row, other in zip(rows, others, strict=True):
        difference = float(row["difference"])
        assert difference == pytest.approx(other["value"] - best["value"])
        assert float(row["low"]) <= difference <= float(row["high"])


@pytest.mark.usefixtures("only_data")
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


@pytest.mark.usefixtures("only_data")
def test_a_new_folder_may_end_with_a_slash(tmp_path: Path) -> None:
    args = ["score", REFERENCE, "-i", SYSTEMS[0], "-m", "exact"]
    call(*args, "--figures", f"{tmp_path}/new/").good()
    assert (tmp_path / "new" / "scores-exact.svg").exists()


def test_names_that_begin_with_an_underscore_are_drawn(tmp_path: Path) -> None:
    figure = score_curves(
        *("n", "t", ["_x", "y"], [[0.1, 0.2], [0.3, 0.4]], ["1", "2"]),
        **{**EMPTY, "label": "frs", "places_label": "words"},
    )
    write_figures(tmp_path, [figure])
    assert ">_x<" in (tmp_path / "n.svg").read_text()


def test_long_names_of_systems_are_told_apart(tmp_path: Path) -> None:
    """In the names of files, which have 255 bytes, and on both axes."""
    named = [f"{'翻訳' * 40}{n}{'翻訳' * 40}={path}" for n, path in enumerate(SYSTEMS)]
    call("score", REFERENCE, "-i", *named[:2], "-m", "exact", "--figures", tmp_path).good()
    (figure,) = tmp_path.glob("systems-*.svg")
    labels = "".join(text.text or "" for text in ET.parse(figure).iter(f"{NAME}text"))
    assert "訳0翻" in labels
    assert "訳1翻" in labels


def test_a_file_name_that_is_no_text_can_be_drawn(tmp_path: Path) -> None:
    """Bytes that are not UTF-8 come as halves of surrogate pairs."""
    names = ["a\udcff\n<b>", "../c"]
    rows = tuple((name, 1.0) for name in names)
    values = estimates(2)
    figure = score_bars(
        "n", f"of {names}", names, values, "frs", header=("system", "frs"), rows=rows
    )
    write_figures(tmp_path, [figure])
    assert [row["system"] for row in table_of(tmp_path / "n.tsv")] == ["a\\udcff\\n<b>", "../c"]
    shown = [t.text for t in ET.parse(tmp_path / "n.svg").iter(f"{NAME}text")]
    assert "a\ufffd\ufffd<b>" in shown


@pytest.mark.usefixtures("only_data")
def test_evaluate_and_analyze_draw_what_they_print(tmp_path: Path) -> None:
    grid = [REFERENCE, "--trees", f"hand={TREES}", "--rules", "R1", "R5", "--resamples", "50"]
    found = call("evaluate", *grid, "--format", "json", "--figures", tmp_path / "e").good().json
    rows = table_of(tmp_path / "e" / "scores-kendall.tsv")
    assert [(row["system"], float(row["value"]), float(row["high"])) for row in rows] == [
        (each["system"], each["value"], each["high"])
        for each in sorted(found["metrics"][1]["systems"], key=lambda each: -each["value"])
    ]
    call("analyze", *grid, "--figures", tmp_path / "a").good()
    for name in ("intervals-frs.tsv", "length-frs.tsv", "systems-frs-hand-R5-hand-R1.tsv"):
        one, other = (table_of(tmp_path / folder / name) for folder in "ae")
        for row in (*one, *other):
            row.pop("signature", None)
        assert one == other


@pytest.mark.usefixtures("only_data")
def test_correlate_draws_what_it_prints(tmp_path: Path) -> None:
    judged = SAMPLE.parent / "judged" / "judged.toml"
    args: list[str | Path] = [
        *("correlate", judged, "-m", "cder,bleu", "--resamples", "50", "--format", "json"),
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


@pytest.mark.usefixtures("only_data")
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


@pytest.mark.parametrize("value", [0.0, 0.5, -3.0])
def test_equal_values_are_on_a_scale_that_can_be_read(value: float) -> None:
    same = [Estimate(value, value, value)] * 2
    with laid_out(bars("AB", same, bars=False)) as canvas:
        low, high = canvas.axes[0].get_xlim()
        assert low < value < high
        assert all(len(text) < 8 for text in texts(canvas))
