"""Meta-evaluation of metrics against people, on sets made by hand and on the sample."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from tests import oracles_correlation as oracles
from tests.files import data
from tests.notes import noted
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.errors import InputError, UsageError
from wordorder.judgement import EvaluationSet, PairJudgements, ScoreTable, bootstrap_test, correlate
from wordorder.judgement.set_correlations import Resampling, pair_correlations
from wordorder.report.correlations import correlation_output
from wordorder.samples import sample_path

NAN = math.nan
SYSTEMS = ("A", "B", "C", "D", "E", "F")
JUDGED = sample_path("judged.toml", "judged")


def _tables(seed: int = 1, segments: int = 30) -> tuple[ScoreTable, ScoreTable, ScoreTable]:
    """Return people, a metric that is close to them, and one that is not."""
    rng = np.random.default_rng(seed)
    good = np.linspace(0, 3, len(SYSTEMS))[:, None]
    human = np.round(good + rng.normal(size=(len(SYSTEMS), segments)), 1)
    close = human + rng.normal(size=human.shape) * 0.3
    far = human + rng.normal(size=human.shape) * 6
    return _table("mqm", human), _table("close", close), _table("far", far)


def _table(name: str, scores: np.ndarray, **more: Any) -> ScoreTable:
    return ScoreTable(name, SYSTEMS[: len(scores)], scores, **more)


def _set(*metrics: ScoreTable, seed: int = 1, name: str = "s", **more: Any) -> EvaluationSet:
    """Return a set of these metrics, or of both, and people: those of `_tables`, or others."""
    people, *both = _tables(seed)
    human = more.pop("human", people)
    tables = {table.name: table for table in metrics or both}
    return EvaluationSet(
        name, human.systems, human.segments.shape[1], human={"mqm": human}, metrics=tables, **more
    )


def test_systems_are_correlated_by_their_means() -> None:
    given = _set()
    found = correlate(given, unit="system").sets[0]
    human, *metrics = _tables()
    assert (found.unit, found.statistic, found.interval) == ("system", "pearson", "fisher")
    for row, table in zip(found.rows, metrics, strict=True):
        expected = scipy.stats.pearsonr(table.segments.mean(1), human.segments.mean(1)).statistic
        assert row.value == pytest.approx(expected, abs=1e-12)
        assert row.low < row.value < row.high
        assert row.n == 6


@pytest.mark.parametrize(
    ("systems", "statistic", "said"),
    [
        (6, "pearson", "with 6 systems only |r| > .81 differs from 0 (95 %)"),
        (6, "spearman", "with 6 systems only |rho| >= .89 differs from 0 (95 %)"),
        # Below one.
        (3, "pearson", "with 3 systems only |r| > .9969 differs from 0 (95 %)"),
    ],
)
def test_the_least_correlation_is_told(systems: int, statistic: str, said: str) -> None:
    human = _table("mqm", _tables()[0].segments[:systems])
    (found,) = correlate(_set(human, human=human), unit="system", statistic=statistic).sets
    assert said in found.remarks


def test_segments_are_compared_within_each_by_default() -> None:
    human, close, far = _tables(segments=8)
    scores = far.segments.copy()
    scores[2, 3] = scores[:, 5] = NAN
    metrics = close, _table("far", scores)
    found = correlate(_set(*metrics, human=human), unit="segment").sets[0]
    assert (found.statistic, found.by, found.interval) == ("acc-eq", "item", "bootstrap")
    tables = [table.segments for table in metrics] + [np.zeros((6, 8))]
    *wanted, flat = (
        float(oracles.acc_eq(oracles.groups(each.tolist(), human.segments.tolist(), "item"))[0])
        for each in tables
    )
    assert [row.value for row in found.rows] == pytest.approx(wanted, abs=1e-12)
    assert [row.n for row in found.rows] == [48, 41]
    assert [row.cluster for row in found.rows] == [1, 2]
    assert found.p_values is not None
    assert found.p_values[0, 1] < 0.05 < found.p_values[1, 0]
    assert "far leaves out 7 of 48 rated outputs (15 %)" in found.remarks
    assert found.remarks[0] == f"a metric that calls all outputs equal has acc-eq {flat:.4f}"


def test_both_units_by_default_and_documents_on_demand() -> None:
    documents = [f"d{n // 3}" for n in range(30)]
    given = _set(documents=documents)
    assert [each.unit for each in correlate(given).sets] == ["system", "segment"]
    (found,) = correlate(given, unit="document", by="none").sets
    human, close, _ = _tables()
    means = [t.segments.reshape(6, 10, 3).mean(2).ravel() for t in (close, human)]
    assert found.rows[0].value == pytest.approx(scipy.stats.pearsonr(*means).statistic, abs=1e-12)
    assert found.rows[0].n == 60
    message = "does not say which segments form a document"
    refuses(UsageError, message, correlate, _set(), unit="document")


def _pairs(rows: list[tuple[int, int, int, int]]) -> PairJudgements:
    """Make judgements of rows of item, first, second and outcome."""
    columns = np.array(rows).T
    items = tuple(str(n + 1) for n in range(columns[0].max() + 1))
    item, first, second = (column.astype(np.int32) for column in columns[:3])
    unknown = np.full(len(rows), -1, np.int32)
    number = np.arange(len(rows), dtype=np.int32)
    outcome = columns[3].astype(np.int8)
    return PairJudgements(SYSTEMS, (), items, item, unknown, first, second, outcome, number)


def test_pairs_give_consistency_with_ties_as_half_and_as_nothing() -> None:
    rng = np.random.default_rng(3)
    rows = [(int(rng.integers(20)), *rng.permutation(6)[:2].tolist(), 1) for _ in range(200)]
    rows += [(0, 0, 1, 0), (3, 4, 2, -1)]
    scores = rng.integers(0, 4, (6, 20)).astype(float)
    scores[0, 3] = NAN
    agree = wrong = tied = 0
    for item, first, second, outcome in rows:
        gap = (scores[first, item] - scores[second, item]) * outcome
        if outcome and not math.isnan(gap):
            agree, wrong, tied = agree + (gap > 0), wrong + (gap < 0), tied + (gap == 0)
    number = agree + wrong + tied
    expected = {
        "consistency": (agree + tied / 2) / number,
        "consistency-strict": agree / number,
        "kendall-10": (agree - wrong - tied) / number,
        "kendall-13": (agree - wrong) / (agree + wrong),
        "kendall-14": (agree - wrong) / number,
    }
    table = ScoreTable("m", SYSTEMS, scores)
    for statistic, value in expected.items():
        (row,), p_values, test, remarks = pair_correlations(
            _pairs(rows), [table], statistic, resampling=Resampling(resamples=50)
        )
        assert row.value == pytest.approx(value, abs=1e-12), statistic
        assert row.low < row.value < row.high
        assert row.n == number
        assert (p_values, test) == (None, "")
        missing = f"m leaves out {201 - number} choices"
        assert any(remark.startswith(missing) for remark in remarks)


@pytest.mark.parametrize("test", ["perm-inputs", "bootstrap"])
def test_choices_that_one_metric_leaves_out_are_no_evidence_for_the_other(test: str) -> None:
    rng = np.random.default_rng(3)
    quality = rng.normal(size=(3, 100))
    rows = [
        (item, a, b, 1 if quality[a, item] > quality[b, item] else -1)
        for item in range(100)
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    # Right on one half of the segments, by chance on the other; the copy leaves out the first half.
    easy = np.arange(100) < 50
    scores = np.zeros((6, 100))
    scores[:3] = np.where(easy, quality, rng.normal(size=quality.shape))
    tables = [
        ScoreTable("whole", SYSTEMS, scores),
        ScoreTable("half", SYSTEMS, np.where(easy, NAN, scores)),
    ]
    (whole, half), p_values, _, _ = pair_correlations(
        _pairs(rows), tables, "consistency", resampling=Resampling(test=test, resamples=99)
    )
    assert whole.value - half.value > 0.15
    assert p_values is not None
    assert p_values[0, 1] > 0.4
    assert p_values[1, 0] > 0.4


def test_systems_are_ranked_by_the_pairs_that_they_won() -> None:
    rows = [(0, 0, 1, 1), (1, 0, 1, 1), (2, 0, 1, -1), (0, 1, 2, 1), (0, 0, 2, 0), (1, 3, 2, 1)]
    metric = ScoreTable("m", SYSTEMS, np.arange(18.0).reshape(6, 3))
    given = EvaluationSet("s", SYSTEMS, 3, metrics={"m": metric}, rankings=_pairs(rows))
    with noted("nobody judged 2 systems of 6: E, F"):
        found = correlate(given, unit="system").sets[0]
    assert found.human.name == "rankings"
    assert found.human.system_scores().tolist() == [2 / 3, 1 / 2, 0, 1]
    # Of segment 1: A beat B, B beat C.
    np.testing.assert_array_equal(found.human.segments[:, 0], [1, 0.5, 0, NAN])
    assert found.pairs is not None
    assert found.pairs.systems == ("A", "B", "C", "D")


def test_an_output_that_systems_share_counts_once_and_for_all_of_them() -> None:
    pairs = _pairs([(0, 0, 1, 1)])
    shared = PairJudgements(
        *(pairs.systems, pairs.raters, pairs.items, pairs.item, pairs.rater),
        *(pairs.first, pairs.second, pairs.outcome, pairs.ranking, {(0, 0): (2,)}),
    )
    # Without the first system the other one of the same output is the judged one.
    left = shared.of_systems(("B", "C"))
    assert left.systems == ("B", "C")
    assert (left.first.tolist(), left.second.tolist(), left.shared) == ([1], [0], {})
    assert shared.of_systems(("A", "B", "C")).shared == {(0, 0): (2,)}
    assert len(shared.of_systems(("A", "C"))) == 0


def test_human_translations_are_left_out_unless_they_are_wanted() -> None:
    names = ("refA", "ref-B", "HUMAN.0", "translator-A", "sysA", "reformer", "B")
    human = ScoreTable("mqm", names, np.arange(70.0).reshape(7, 10))
    metric = ScoreTable("m", names, np.arange(70.0).reshape(7, 10) % 9)
    given = EvaluationSet("s", names, 10, human={"mqm": human}, metrics={"m": metric})
    assert given.human_translations == names[:4]
    with noted(r"left out 4 human translations .*refA, ref-B"):
        found = correlate(given, unit="system").sets[0]
    assert found.human.systems == names[4:]
    (found,) = correlate(given, unit="system", human_translations=True).sets
    assert found.human.systems == names


def test_systems_that_do_not_match_are_named_and_counted() -> None:
    human = _tables()[0]
    scored = np.full((6, 30), NAN)
    scored[:4] = human.segments[:4] * 2
    with noted(r"left out 2 systems of 6 that people judged.*E, F"):
        found = correlate(_set(_table("m", scored)), unit="system").sets[0]
    assert found.human.systems == SYSTEMS[:4]
    nothing = _set(_table("m", np.full((6, 30), NAN)))
    refuses(InputError, r"people judged A, B, C, D, E, ..., but metrics sc", correlate, nothing)


@pytest.mark.parametrize(
    ("human", "message"),
    [
        ("X\t1\nX\t2\n", "people judged X, but the outputs are of A, B; expected some systems"),
        ("A\tNone\nA\tNone\n", "people judged no system; expected a human score"),
    ],
)
def test_outputs_of_systems_that_nobody_judged(tmp_path: Path, human: str, message: str) -> None:
    for name in ("A", "B", "ref"):
        (tmp_path / f"{name}.en").write_text("one\ntwo\n")
    (tmp_path / "human.seg.score").write_text(human)
    (tmp_path / "s.toml").write_text(
        '[set]\nreferences = ["ref.en"]\noutputs = { A = "A.en", B = "B.en" }\n'
        'segment_scores = { human = "human.seg.score" }\n'
    )
    refuses(InputError, message, correlate, tmp_path / "s.toml", "chrf")


def test_one_system_has_no_number_and_no_remark_on_ties() -> None:
    human = _table("mqm", np.arange(30.0).reshape(1, 30))
    found = correlate(_set(human, human=human))
    assert [each.remarks for each in found.sets] == [[], []]
    text = correlation_output(found).printed("text")
    assert "systems: no number\n" in text
    assert "nan" not in text


def test_documents_are_the_unit_if_people_scored_nothing_else() -> None:
    scores = np.random.default_rng(3).normal(size=(6, 4))
    human = _table("mqm", np.full((6, 30), NAN), documents=scores)
    metric = _table("m", np.full((6, 30), NAN), documents=scores + 1)
    names = [f"d{n % 4}" for n in range(30)]
    (found,) = correlate(_set(metric, human=human, documents=names)).sets
    assert (found.unit, found.rows[0].n, round(found.rows[0].value, 9)) == ("document", 24, 1)
    few = "4 documents: resamples of so few differ too little, so intervals are too narrow"
    assert few in found.remarks


@pytest.mark.parametrize(
    ("statistic", "scores", "reason"),
    [
        ("spa", np.ones((6, 30)), "the metric gives all of them the same score"),
        ("pce", np.ones((6, 30)), "the metric gives all of them the same score"),
        (
            *("kendall-17", _tables()[0].segments),
            "people's scores of no two of them differ by 25 or more",
        ),
    ],
)
def test_a_metric_without_a_number_has_a_reason(
    statistic: str, scores: np.ndarray, reason: str
) -> None:
    given = _set(_table("m", scores))
    (row,) = correlate(given, unit="system", statistic=statistic).sets[0].rows
    assert row.reason == reason


def test_intervals_without_width_and_metrics_that_do_no_better_are_named() -> None:
    (found,) = correlate(_set(_tables()[0]), unit="system", statistic="spearman").sets
    assert (found.rows[0].low, found.rows[0].high) == (1, 1)
    assert any('over="systems" makes it by the bootstrap' in each for each in found.remarks)
    scores = np.random.default_rng(5).normal(size=(6, 30))
    rated = np.where(np.arange(30) % 2, scores, 0.0)
    human, bad = _table("mqm", rated), _table("bad", -scores)
    (found,) = correlate(_set(human, bad, human=human), unit="segment").sets
    all_equal = "a metric that calls all outputs equal has acc-eq 0.5000; bad does no better"
    assert all_equal in found.remarks


def test_a_metric_without_enough_scores_says_so() -> None:
    _, close, _ = _tables()
    few, part, flat = np.full((3, 6, 30), NAN)
    few[0, :9] = 1.0
    part[:3] = close.segments[:3]
    flat[:] = 0.5
    given = _set(_table("few", few), _table("part", part), _table("flat", flat), close)
    systems, segments = correlate(given, statistic="pearson").sets
    assert [row.reason for row in systems.rows] == [
        "scores 1 of 6 systems; at least 3 systems are needed",
        "scores 3 of 6 systems",
        "the metric gives all of them the same score",
        "",
    ]
    assert segments.rows[0].reason == (
        "scores 9 of 180 rated outputs; at least 10 rated outputs are needed"
    )
    assert math.isnan(systems.rows[0].value)
    assert segments.rows[1].n == 90
    # One metric with a number is compared with none.
    assert systems.p_values is None
    assert {row.cluster for row in systems.rows} == {None}


def test_metrics_with_scores_of_systems_alone_are_tested_by_williams() -> None:
    nothing = np.full((6, 30), NAN)
    metrics = (_table(t.name, nothing, whole=t.segments.mean(1)) for t in _tables()[1:])
    given = _set(*metrics)
    systems, segments = correlate(given).sets
    assert systems.test == "williams"
    assert segments.rows[0].reason.startswith("scores 0 of 180 rated outputs")
    message = 'test="perm-both" needs scores of segments'
    refuses(UsageError, message, correlate, given, unit="system", test="perm-both")
    (systems,) = correlate(given, unit="system", statistic="spearman").sets
    assert systems.test == ""
    assert "metrics are not compared: a metric lacks scores of segments" in systems.remarks


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"human": "mqn"}, "did you mean 'mqm'"),
        ({"unit": "segments"}, "did you mean 'segment'"),
        ({"by": "items"}, "did you mean 'item'"),
        ({"test": "perm"}, "unknown value for"),
        ({"over": "segment"}, "did you mean 'segments'"),
        ({"statistic": "spearmen"}, "did you mean 'spearman'"),
        (
            {"statistic": "consistency", "unit": "segment"},
            "people compared pairs of outputs, not for scores of segments",
        ),
        ({"statistic": "spa", "unit": "segment"}, 'statistic="spa" is not for scores of segments'),
        ({"test": "williams", "unit": "segment"}, 'test="williams" is for pearson of systems'),
        ({"test": "bootstrap", "statistic": "spa", "unit": "system"}, "which draws at random"),
        ({"by": "item", "unit": "system"}, "by= is not for systems: they have one score each"),
        (
            {"statistic": "consistency"},
            "people compared pairs of outputs, not for scores of systems",
        ),
        ({"level": 1.0}, "level= is between 0 and 1"),
        ({"metrics": "bleu"}, "unknown metric with scores in s 'bleu'"),
        ({"metrics": "closed"}, "did you mean 'close'"),
        ({"lower_is_better": ["clos"]}, "did you mean 'close'"),
        ({"human": "rankings"}, "unknown human score of s 'rankings'"),
    ],
)
def test_wrong_options_are_named(options: dict[str, object], message: str) -> None:
    refuses(UsageError, message, correlate, _set(), **options)


@pytest.mark.parametrize(
    ("options", "units"),
    [
        ({"statistic": "spa"}, ["system"]),
        ({"test": "williams"}, ["system"]),
        ({"test": "williams", "statistic": "pearson"}, ["system"]),
        ({"by": "system"}, ["segment"]),
        ({"statistic": "kendall"}, ["system", "segment"]),
    ],
)
def test_units_go_with_the_other_options(options: dict[str, str], units: list[str]) -> None:
    found = correlate(_set(), resamples=20, **options)  # type: ignore[arg-type]
    assert [each.unit for each in found.sets] == units


def test_a_metric_of_errors_can_be_turned() -> None:
    _, close, _ = _tables()
    given = _set(_table("errors", -close.segments), close)
    found = correlate(given, unit="system").sets[0]
    assert found.rows[0].value == pytest.approx(-found.rows[1].value, abs=1e-12)
    assert any("errors agrees with people backwards" in remark for remark in found.remarks)
    turned = correlate(given, unit="system", lower_is_better=["errors,close"]).sets[0]
    assert turned.rows[0].value == pytest.approx(found.rows[1].value, abs=1e-12)
    assert turned.rows[1].value == pytest.approx(-found.rows[1].value, abs=1e-12)


def test_several_sets_have_a_mean() -> None:
    sets = [_set(name="one"), _set(name="two", seed=2)]
    found = correlate(sets, unit="system")
    values = [[row.value for row in each.rows] for each in found.sets]
    (mean,) = found.averages
    assert mean.sets == ["one", "two"]
    assert [row.value for row in mean.rows] == pytest.approx(np.mean(values, axis=0).tolist())
    first, second = (each.rows[0] for each in found.sets)
    below = math.hypot(first.value - first.low, second.value - second.low) / 2
    assert mean.rows[0].low == pytest.approx(mean.rows[0].value - below)
    refuses(UsageError, "two sets are called 'one'", correlate, [sets[0], sets[0]])
    only = _set(_tables(2)[1], name="two", seed=2)
    (mean,) = correlate([sets[0], only], unit="system").averages
    assert [row.reason for row in mean.rows] == ["", "a number on 1 of 2 sets"]


def test_further_scores_come_from_files(tmp_path: Path) -> None:
    _, close, _ = _tables()
    block = "".join(
        f"{system}\t{value!r}\n"
        for system, row in zip(SYSTEMS, close.segments.tolist(), strict=True)
        for value in row
    )
    (tmp_path / "mine.seg.score").write_text(block)
    (tmp_path / "mine.sys.score").write_text("".join(f"{s} {n}\n" for n, s in enumerate("ABCDEFX")))
    rows = [
        f"{system}\t{i}\tours\t{value!r}\n"
        for system, row in zip(SYSTEMS, close.segments.tolist(), strict=True)
        for i, value in enumerate(row, 1)
    ]
    (tmp_path / "long.tsv").write_text("system\tsegment\tmetric\tvalue\n" + "".join(rows))
    files = [tmp_path / name for name in ("mine.seg.score", "mine.sys.score", "long.tsv")]
    with noted("left out 1 system that s does not have: X"):
        found = correlate(_set(), scores=files)
    systems, segments = found.sets
    assert [row.metric for row in systems.rows] == ["close", "far", "mine", "ours"]
    assert systems.rows[3].value == pytest.approx(systems.rows[0].value, abs=1e-12)
    assert systems.rows[2].value != systems.rows[0].value
    assert segments.rows[2].value == segments.rows[3].value == segments.rows[0].value
    twice = [f"close={tmp_path / 'mine.seg.score'}"]
    refuses(UsageError, "has scores of close already", correlate, _set(), scores=twice)
    for name, text, message in (
        ("other.score", "X 1\n", r"scores of X; expected of systems: s has A, B, C, D and"),
        ("short.seg.score", "A 1\nA 2\n", r"short\.seg\.score: 2 scores of A; expected 30"),
    ):
        (tmp_path / name).write_text(text)
        refuses(InputError, message, correlate, _set(), scores=[tmp_path / name])


def test_each_language_pair_has_its_tokenizer(tmp_path: Path) -> None:
    """Metrics computed together are those of each set alone with its tokenizer."""
    texts = {"zh": "我们昨天在北京见面了。 他明天要去上海开会。 这本书非常有意思。".split()}
    texts["cs"] = ["Sešli jsme se v Praze.", "Jede zítra do Brna, na schůzku.", "Je to kniha."]
    sets = []
    for language, lines in texts.items():
        systems = {}
        for number, name in enumerate("ABC"):
            path = tmp_path / f"{language}.{name}"
            path.write_text("".join(f"{line[: len(line) - 3 * number]}\n" for line in lines))
            systems[name] = str(path)
        reference = tmp_path / f"{language}.ref"
        reference.write_text("".join(f"{line}\n" for line in lines))
        human = ScoreTable("da", tuple("ABC"), np.array([[9.0], [5], [2]]) + np.zeros((3, 3)))
        more: dict[str, Any] = {
            "references": {"ref": str(reference)},
            "outputs": systems,
            "human": {"da": human},
        }
        sets.append(EvaluationSet(language, tuple("ABC"), 3, f"en-{language}", **more))
    found = correlate(sets, "bleu,wer", unit="system", tokenizer="13a,zh=zh")
    for given, name in zip(sets, ("zh", "13a"), strict=True):
        alone = correlate(given, "bleu,wer", unit="system", tokenizer=name)
        together = next(each for each in found.sets if each.name == given.name)
        assert [row.value for row in together.rows] == [row.value for row in alone.sets[0].rows]
        for metric, signature in alone.signatures.items():
            assert found.signature(metric, "system", given.name) == signature
    assert len(found.shown_signatures) == 4
    refuses(UsageError, "tokenizer .ja.; .*cs", correlate, sets, "wer", tokenizer="ja=zh")
    refuses(UsageError, "two tokenizers for zh", correlate, sets, tokenizer="zh=zh,zh=char")


def test_computed_and_stored_metrics_are_compared_together() -> None:
    given = EvaluationSet.read(JUDGED)
    stored = ScoreTable("COMET", given.systems, given.human["human"].segments * 2)
    with_stored = EvaluationSet(
        *(given.name, given.systems, given.segments, "ja-en", given.source, given.references),
        *(given.outputs, None, None, given.human, {"COMET": stored}, None),
    )
    found = correlate(with_stored, "cder,stored", unit="system")
    assert [row.metric for row in found.sets[0].rows] == ["COMET", "cder"]
    assert found.sets[0].rows[0].value == pytest.approx(1, abs=1e-12)
    assert list(found.signatures) == ["cder"]
    # Without names only what is stored.
    assert [row.metric for row in correlate(with_stored).sets[0].rows] == ["COMET"]


def test_the_same_seed_gives_the_same_numbers_whatever_the_threads() -> None:
    def work(seed: int = 12345) -> str:
        found = correlate(_set(), resamples=99, seed=seed)
        return json.dumps(correlation_output(found).data())

    one, two = with_threads(work, 1, 2)
    assert one == two != work(seed=1)


@pytest.mark.allow_notes("judged ja-en. people are human")
def test_text_json_and_tsv_say_the_same() -> None:
    found = correlate(JUDGED, "bleu,ter,per", human="rankings", resamples=99)
    text = correlation_output(found).printed("text")
    assert text.startswith("judged ja-en: 6 systems, 40 segments; people: rankings\n")
    assert "Systems: bleu agrees best with people" in text
    whole = correlation_output(found).data()
    assert json.loads(json.dumps(whole, allow_nan=False)) == whole
    lines = [line.split("\t") for line in correlation_output(found).printed("tsv").splitlines()]
    assert len(lines) == 1 + len(whole["results"]) == 7
    for line, result in zip(lines[1:], whole["results"], strict=True):
        cells = dict(zip(lines[0], line, strict=True))
        for key in ("set", "human", "metric", "unit", "statistic", "reason"):
            assert cells[key] == (result[key] or "")
        assert [float(cells[key]) for key in ("value", "low", "high")] == [
            result[key] for key in ("value", "low", "high")
        ]
        assert f"{result['value']:.4f} [{result['low']:.4f}, {result['high']:.4f}]" in text
    # Single segments are scored with effective order, and their signature says so.
    for result in whole["results"]:
        if result["metric"] == "bleu":
            own = "yes" if result["unit"] == "segment" else "no"
            assert f"sacrebleu-eff:{own}" in result["signature"]
            assert result["signature"] in text


def test_progress_of_the_tests_is_told() -> None:
    _, close, far = _tables()
    given = _set(*(_table(name, far.segments) for name in "ab"), close)
    told: list[tuple[str, int, int]] = []
    for unit in ("system", "segment"):
        correlate(
            *(given, "a,close"),
            unit=unit,
            statistic="pearson",
            resamples=2,
            on_work=lambda *done: told.append(done),
        )
    assert told == [("tests", 1, 1), ("intervals", 1, 2), ("intervals", 2, 2), ("tests", 1, 1)]


@pytest.mark.allow_notes
def test_bleu_on_published_judgements(tmp_path: Path) -> None:
    # sacreBLEU against the share of pairs won, Spearman: computed without our code.
    expected = {"cs-en": 1.0, "de-en": 0.775, "fr-en": 0.929}
    for pair, value in expected.items():
        folder = data("human", "wmt14-rr-pairs", pair)
        path = tmp_path / f"{pair}.toml"
        path.write_text(
            f'[set]\nreferences = "{folder}/reference.en.gz"\n'
            f'outputs = "{folder}/outputs/*.en.gz"\n'
            f'rankings = "{folder}/pairs.tsv.gz"\n'
        )
        (found,) = correlate(path, "bleu", unit="system", statistic="spearman").sets
        assert found.rows[0].value == pytest.approx(value, abs=5e-4)


def test_the_bootstrap_compares_metrics_on_the_outputs_that_both_score() -> None:
    human, close, _ = _tables()
    noise = np.random.default_rng(3).normal(size=human.segments.shape) * 0.3
    far = _table("far", human.segments + noise)
    close.segments[:, :10] = np.nan
    far.segments[:, 20:] = np.nan
    options: dict[str, Any] = {"statistic": "pearson", "by": "none", "resamples": 50}
    found = correlate(_set(close, far), unit="segment", test="bootstrap", **options)
    p_values = found.sets[0].p_values
    assert p_values is not None
    tables = (table.segments for table in (close, far, human))
    expected = bootstrap_test(*tables, over="segments", **options)
    assert 0.1 < expected.p_value < 0.9
    assert p_values[0, 1] == expected.p_value
    assert p_values[1, 0] == expected.p_value_of_b
