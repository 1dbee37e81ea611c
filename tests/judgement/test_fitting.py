import json
import random
import re
import tempfile
import xml.etree.ElementTree as ET
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.judgement import computed_scores, read_evaluation_sets
from wordorder.judgement.fitting import FitInput, WeightFit, fit, fit_weights, parse_fit_target
from wordorder.judgement.judgements import PairJudgements, Preferences
from wordorder.judgement.score_table import ScoreTable
from wordorder.order.permutation_tree import PermutationTree
from wordorder.report.consistency_figure import consistency_svg
from wordorder.report.correlations import fit_output, formula
from wordorder.samples import sample_path
from wordorder.statistics.consistency import consistency, pair_differences

NAN = float("nan")


def made_up(pair: str, seed: int, size: int = 200, members: int = 2) -> FitInput:
    generator = np.random.default_rng(seed)
    truth = generator.normal(0.4, 1, size)
    noise = np.arange(1, members + 1)[:, None]
    return FitInput(pair, truth + generator.normal(0, noise, (members, size)))


def fitted(*, ties: str = "strict") -> WeightFit:
    sets = [made_up("de-en", 1), made_up("fr-en", 2), made_up("fi-en", 3)]
    return fit_weights(("words", "order"), sets, ties=ties, leave_out=True)


def best_by_trying(sets: list[FitInput]) -> float:
    """Try a thousand weights."""
    return max(
        float(np.mean([consistency(np.array([1 - a, a]) @ s.differences).strict for s in sets]))
        for a in np.linspace(0, 1, 1001)
    )


def test_all_sets_at_once_and_three_members() -> None:
    sets = [made_up("de-en", 1), made_up("fr-en", 2, size=50)]
    found = fit_weights(("words", "order"), sets)
    assert found.mean("fitted") >= best_by_trying(sets)
    assert found.best is not None
    assert found.mean("fitted") == pytest.approx(found.best.value)
    assert np.isnan(found.mean("held_out"))
    found = fit_weights(("a", "b", "c"), [made_up("de-en", 4, members=3)])
    assert found.curve is None
    assert sum(found.weights) == pytest.approx(1)
    assert found.sets[0].fitted.strict >= max(each.strict for each in found.sets[0].members)


def test_a_set_left_out_takes_no_part() -> None:
    sets = [made_up("de-en", 1), made_up("fr-en", 2), made_up("fi-en", 3)]
    found = fitted()
    for n, each in enumerate(found.sets):
        others = [given for m, given in enumerate(sets) if m != n]
        expected = fit_weights(("words", "order"), others).weights
        assert each.held_out_weights == pytest.approx(expected)
        assert each.held_out == consistency(np.array(expected) @ sets[n].differences)
        assert each.own.strict == pytest.approx(best_by_trying([sets[n]]), abs=0.011)
        assert each.own.strict >= each.fitted.strict


def test_what_cannot_be_fitted() -> None:
    one = made_up("de-en", 1)
    refuses(UsageError, "two metrics or more", fit_weights, ("a",), [one])
    refuses(UsageError, "at least one set", fit_weights, ("a", "b"), [])
    refuses(UsageError, "two or more of them", fit_weights, ("a", "b"), [one], leave_out=True)
    with pytest.raises(UsageError, match="fr-en: no preference of people has scores"):
        fit_weights(("a", "b"), [FitInput("fr-en", np.array([[NAN], [1.0]]))])
    refuses(UsageError, "differences of shape", fit_weights, ("a", "b", "c"), [one])


def test_preferences_of_rankings() -> None:
    judged = PairJudgements(
        ("B", "A"),
        ("judge",),
        ("2", "1"),
        np.array([0, 1, 1], np.int32),
        np.array([0, 0, 0], np.int32),
        np.array([0, 0, 1], np.int32),
        np.array([1, 1, 0], np.int32),
        np.array([1, -1, 0], np.int8),
        np.zeros(3, np.int32),
    )
    found = Preferences.of_rankings(judged, ("A", "B"), 2)
    assert (found.item.tolist(), found.ties) == ([1, 0], 1)
    assert (found.better.tolist(), found.worse.tolist()) == ([1, 0], [0, 1])
    with pytest.raises(UsageError, match="judged segment 2; expected a number from 1 to 1"):
        Preferences.of_rankings(judged, ("A", "B"), 1)
    with pytest.raises(UsageError, match="judged B, which has no scores"):
        Preferences.of_rankings(judged, ("A", "C"), 2)


def test_preferences_of_scores_which_are_equal_if_they_differ_by_rounding() -> None:
    errors = ScoreTable(
        "errors",
        ("A", "B", "C"),
        np.array([[1.0, 2.0], [3.0, 2.0], [NAN, 0.0]]),
        higher_is_better=False,
    )
    found = Preferences.of_scores(errors)
    rows = zip(found.item.tolist(), found.better.tolist(), found.worse.tolist(), strict=True)
    assert sorted(rows) == [(0, 0, 1), (1, 2, 0), (1, 2, 1)]
    assert found.ties == 1
    people = ScoreTable("mean", ("A", "B"), np.array([[0.1 + 0.2, 1.0], [0.3, 0.9]]))
    found = Preferences.of_scores(people)
    assert (found.item.tolist(), found.ties) == ([1], 1)


def test_text_has_both_counts_and_json_is_not_rounded() -> None:
    found = fitted()
    text = fit_output(found).printed("text")
    assert "a strict count rewards any weight that breaks ties" in text
    assert f"{100 * found.mean('fitted'):.2f} % strict" in text
    assert f"{100 * found.mean('held_out', 'half'):.2f} % with ties as half" in text
    assert all(each.name in text for each in found.sets)
    assert len(fit_output(found).printed("tsv").splitlines()) == 4
    found = fitted(ties="half")
    kept = json.loads(json.dumps(fit_output(found).data()))
    assert tuple(kept["weights"]) == found.weights
    assert kept["half"] == found.mean("fitted", "half")
    assert [each["name"] for each in kept["sets"]] == ["de-en", "fr-en", "fi-en"]
    assert kept["curve"][0]["strict"] == found.mean("fitted") or len(kept["curve"]) == 101


def test_the_picture_has_both_curves_inside_its_frame() -> None:
    found = fitted()
    assert found.curve is not None
    drawing = consistency_svg(found.curve, ends=("words <1>", "order"), sets={"<x>": found.curve})
    root = ET.fromstring(drawing)
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    lines = [
        [tuple(map(float, point.split())) for point in path.attrib["d"][1:].split("L")]
        for path in root.iter("{http://www.w3.org/2000/svg}path")
        if "L" in path.attrib["d"]
    ]
    assert [len(line) for line in lines] == [200] * 3
    assert all(0 <= x <= width and 0 <= y <= height for line in lines for x, y in line)
    assert drawing == consistency_svg(
        found.curve, ends=("words <1>", "order"), sets={"<x>": found.curve}
    )
    assert "<1>" not in drawing


JUDGED = sample_path("judged.toml", "judged")


def test_what_is_fitted_is_read() -> None:
    assert parse_fit_target("senscore(ordering=frs).alpha").metrics == (
        "senscore(ordering=frs,alpha=0)",
        "senscore(ordering=frs,alpha=1)",
        "senscore(ordering=frs,alpha=0.5)",
    )
    for wrong in ("bleu", ".alpha", "bleu."):
        refuses(UsageError, r"what to fit is METRIC\.OPTION", parse_fit_target, wrong)
    refuses(UsageError, "two metrics or more", fit, JUDGED, "0.5*cder", human="human")


@pytest.mark.allow_notes
def test_lrscore_is_fitted_as_its_two_parts() -> None:
    """The best of twenty values of alpha, each scored by the metric itself, is no better."""
    found = fit(JUDGED, "lr-kb1.alpha", human="rankings", aligner="exact")
    one = read_evaluation_sets(JUDGED)[0]
    assert one.rankings is not None
    for alpha in (0, 0.1, 0.35, 0.6, 1):
        table = computed_scores(one, f"lr-kb1(alpha={alpha})", aligner="exact").tables[0]
        kept = table.of_systems([name for name in table.systems if name in one.rankings.systems])
        pairs = Preferences.of_rankings(one.rankings, kept.systems, one.segments)
        scores = kept.segments
        counted = consistency(pair_differences(scores, pairs.item, pairs.better, pairs.worse))
        assert found.curve is not None
        assert found.curve.value(alpha) == pytest.approx(counted.strict)
        assert counted.strict <= found.mean("fitted")


@pytest.mark.allow_notes
def test_a_metric_that_is_not_linear_is_refused() -> None:
    with pytest.raises(UsageError, match=r"ribes.alpha cannot be fitted: .* not linear"):
        fit(JUDGED, "ribes.alpha", human="human")


def test_the_verb_prints_the_fit(tmp_path: Path) -> None:
    picture = tmp_path / "curve.svg"
    command: list[str | Path] = [
        *("correlate", JUDGED, "--fit", "0.6*cder + 0.4*per", "--human", "human"),
    ]
    text = call(*command, "-O", f"curve={picture}").good().stdout.decode()
    assert "*cder + " in text
    assert ET.parse(picture).getroot().tag.endswith("svg")
    assert call(*command, "--format", "json").good().json["names"] == ["cder", "per"]
    assert call(*command, "--format", "tsv").good().text.startswith("set\tpairs\tcder")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--fit", "0.6*cder + 0.4*per", "--test", "williams"],
            ("--test cannot be combined with --fit"),
        ),
        (["--fit", "0.6*cder + 0.4*per", "-O", "leave-out=pair"], "leave a language pair out"),
        (["--fit", "cder"], "what to fit is METRIC.OPTION, such as lr-kb1.alpha"),
        (["--fit", "1*cder+1*per+1*wer", "-O", "curve=x"], "-O curve is for an option, or a sum"),
        (["--fit", "1*cder+1*per", "-O", "curve=-"], "-O curve needs a file"),
        (["--fit", "1*cder+1*cder"], "a metric is listed twice in '1*cder+1*cder'"),
        (["-O", "fit-ties=half"], "-O fit-ties is for --fit"),
    ],
)
def test_wrong_commands_are_refused(options: list[str], said: str) -> None:
    call("correlate", JUDGED, "--human", "human", *options).refused(2, said)


def test_metrics_of_both_directions_are_subtracted() -> None:
    """A sum that is fitted as printed shares what the fit says."""
    found = fit(JUDGED, "0.5*cder - 0.5*chrf", human="rankings")
    assert found.names == ("cder", "-chrf")
    one = read_evaluation_sets(JUDGED)[0]
    assert one.rankings is not None
    table = computed_scores(one, formula(found)).tables[0].better_higher()
    pairs = Preferences.of_rankings(one.rankings, table.systems, one.segments)
    counted = consistency(pair_differences(table.segments, pairs.item, pairs.better, pairs.worse))
    assert counted.strict == pytest.approx(found.mean("fitted"), abs=0.01)


# Orders of six words whose canonical trees have every kind of operator that a cost is learnt for.
SIX_WORDS = (
    *("1 2 3 4 5 6", "2 1 3 4 5 6", "2 4 1 3 5 6", "3 1 4 2 5 6", "2 4 6 1 3 5", "6 5 4 3 2 1"),
    *("1 2 4 3 6 5", "5 6 2 4 1 3"),
)
TRUE_COSTS = {"12": 0.0, "21": 0.1, "2413": 0.2, "3142": 0.3, "*": 0.4}


@cache
def shares(order: str) -> list[float]:
    """Return the share of each operator, counted in the tree without the metric."""
    root = PermutationTree([int(word) for word in order.split()]).root
    found = ["".join(map(str, node.operator)) for node in root.walk() if node.children]
    kinds = [each if each in TRUE_COSTS else "*" for each in found]
    return [kinds.count(key) / len(kinds) for key in TRUE_COSTS]


@pytest.fixture
def judged_orders(tmp_path: Path) -> tuple[Path, list[list[str]]]:
    """Write five systems that order six words, judged by the mean of `TRUE_COSTS`."""
    random_ = random.Random(7)
    systems = [[random_.choice(SIX_WORDS) for _ in range(12)] for _ in range(5)]
    words = ["", "one", "two", "three", "four", "five", "six"]
    rows, outputs = "", ""
    for name, orders in zip("abcde", systems, strict=True):
        text = [" ".join(words[int(n)] for n in order.split()) for order in orders]
        (tmp_path / f"{name}.txt").write_text("".join(f"{line}\n" for line in text))
        costs = [np.dot(list(TRUE_COSTS.values()), shares(order)) for order in orders]
        rows += "".join(f"{name}\t{1 - cost:.6f}\n" for cost in costs)
        outputs += f'{name} = "{name}.txt"\n'
    (tmp_path / "reference.txt").write_text(f"{' '.join(words[1:])}\n" * 12)
    (tmp_path / "human.txt").write_text(rows)
    (tmp_path / "set.toml").write_text(
        f'[set]\nname = "orders"\nreferences = ["reference.txt"]\n[set.outputs]\n{outputs}'
        '[set.segment_scores]\nhuman = "human.txt"\n'
    )
    return tmp_path / "set.toml", systems


def consistent(systems: list[list[str]], costs: dict[str, float]) -> float:
    """Return the share of preferences by the true costs that these costs share."""
    truth, ours = (
        np.array([[np.dot(list(c.values()), shares(each)) for each in row] for row in systems])
        for c in (TRUE_COSTS, costs)
    )
    pairs = [
        (ours[b, n] - ours[a, n] > 1e-9)
        for n in range(truth.shape[1])
        for a, b in product(range(len(truth)), repeat=2)
        if truth[b, n] - truth[a, n] > 1e-6
    ]
    return float(np.mean(pairs))


def test_costs_are_as_good_as_any_of_a_grid(
    judged_orders: tuple[Path, list[list[str]]], tmp_path: Path
) -> None:
    """Learnt costs share what a search of all costs in steps of a tenth can share at most."""
    path, systems = judged_orders
    written = tmp_path / "costs.txt"
    found = fit(path, "tree-cost.costs", aligner="exact", costs=written)
    assert found.names == ("21", "2413", "3142", "*")
    grid = [
        dict(zip(TRUE_COSTS, (0.0, *(part / 10 for part in parts)), strict=True))
        for parts in product(range(11), repeat=4)
        if sum(parts) == 10
    ]
    best = max(consistent(systems, costs) for costs in grid)
    assert best == consistent(systems, TRUE_COSTS) == 1
    assert found.mean("fitted") == pytest.approx(consistent(systems, found.costs))
    assert found.mean("fitted") == pytest.approx(best)
    # Ranked by their own scores, the worst costs of the grid share far less.
    assert min(consistent(systems, costs) for costs in grid) < 0.8
    lines = [line.split() for line in written.read_text().splitlines()]
    assert {key: float(cost) for key, cost in lines} == found.costs
    one = read_evaluation_sets(path)[0]
    table = computed_scores(one, f"tree-cost(cost=table,costs={written})", aligner="exact").tables
    costs = [sum(map(np.multiply, found.costs.values(), shares(o))) for o in systems[0]]
    assert table[0].segments[0].tolist() == pytest.approx(costs)


def test_segments_left_out_take_no_part(judged_orders: tuple[Path, list[list[str]]]) -> None:
    """The weights of a fold are those that a fit finds on the other segments alone."""
    generator = np.random.default_rng(3)
    truth = generator.normal(0.3, 1, 200)
    rows = truth + generator.normal(0, [[1], [2]], (2, 200))
    items = np.repeat(np.arange(40), 5)
    found = fit_weights(("a", "b"), [FitInput("x", rows, items)], leave_out="segments", seed=5)
    assert len(found.folds) == 10
    assert found.sets[0].held_out is not None
    assert found.sets[0].held_out.pairs == 200
    part = (np.random.default_rng(5).permutation(40) % 10)[items]
    agreeing = 0
    for fold, weights in enumerate(found.folds):
        others = FitInput("x", rows[:, part != fold])
        assert weights == pytest.approx(fit_weights(("a", "b"), [others]).weights)
        agreeing += int(np.sum(np.array(weights) @ rows[:, part == fold] > 0))
    assert found.sets[0].held_out.agreeing == agreeing
    path, _ = judged_orders
    same, again, other = (
        fit(path, "tree-cost.costs", aligner="exact", seed=seed).folds for seed in (1, 1, 2)
    )
    assert same == again
    assert same != other


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("frs.costs", "costs of operators are those of tree-cost, not of frs"),
        ("tree-cost(combine=max).costs", "combine=average or sum"),
        ("tree-cost(tree=flat).costs", "the canonical tree"),
        ("tree-cost(cost=catalan).costs", "without cost="),
        ("tree-cost.cost", r"tree-cost.cost cannot be fitted, which tries 0 to 1: unknown value"),
        ("cder.foo", "cder.foo cannot be fitted, which tries 0 to 1: unknown option of cder"),
    ],
)
def test_what_has_no_costs_or_weight_to_fit(what: str, said: str) -> None:
    refuses(UsageError, said, parse_fit_target, what)


def test_the_verb_writes_the_costs(tmp_path: Path) -> None:
    path = tmp_path / "costs.txt"
    command = ("correlate", JUDGED, "--human", "rankings", "--aligner", "exact+stem", "--fit")
    text = call(*command, "tree-cost.costs", "-O", f"costs-output={path}").good().stdout.decode()
    assert text.startswith("tree-cost.costs = 12 0.0000, 21 ")
    assert "weights from the other segments: " in text
    scored = call(
        *("correlate", JUDGED, "--human", "rankings", "--aligner", "exact+stem"),
        *("-m", f"tree-cost(cost=table,costs={path})", "--statistic", "consistency-strict"),
    ).good()
    fitted_share = float(text.split("strict")[0].split()[-2])
    assert f"{fitted_share / 100:.3f}" in scored.stdout.decode()
    text = call(*command, "lr-kb1.alpha", "-O", "leave-out=segments").good().stdout.decode()
    assert re.search(r"^their range: lr-kb1.alpha 0.5\d+ to 0.7\d+$", text, re.MULTILINE)
    wrong = tmp_path / "a,b"
    wrong.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(wrong))
        with pytest.raises(UsageError, match=r"temporary files are in .*a,b.*set TMPDIR"):
            fit(JUDGED, "tree-cost.costs", human="rankings")
    call(*command, "lr-kb1.alpha", "-O", f"costs-output={path}").refused(
        2, "is for a fit of tree-cost"
    )
    alone = fit_weights(("a", "b"), [FitInput("x", np.ones((2, 3)), np.arange(3))])
    assert not alone.costs
    with pytest.raises(UsageError, match="x: 3 segments with preferences; to leave a tenth"):
        fit_weights(
            ("a", "b"), [FitInput("x", np.ones((2, 3)), np.arange(3))], leave_out="segments"
        )
