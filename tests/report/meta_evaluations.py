"""Meta-evaluations to show, with numbers that mean nothing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wordorder.judgement import Correlation, MetaEvaluation, ScoreTable, SetCorrelations
from wordorder.judgement.correlations import AverageCorrelations


def some_set(
    name: str,
    metrics: Sequence[str],
    systems: Sequence[str],
    segments: int,
    *,
    unit: str = "system",
    statistic: str = "pearson",
    tested: bool = True,
    seed: int = 1,
) -> SetCorrelations:
    """Make up scores, and correlations that fall from metric to metric, two in a cluster."""
    random = np.random.default_rng(seed)
    quality = np.linspace(0, 1, len(systems))[:, None]
    people = 50 + 30 * quality + random.normal(0, 10, (len(systems), segments))
    people[random.random(people.shape) < 0.1] = np.nan
    tables, rows = [], []
    for place, metric in enumerate(metrics):
        noise = 0.02 + 0.01 * place
        scores = 0.4 + 0.3 * quality + random.normal(0, noise, (len(systems), segments))
        tables.append(ScoreTable(metric, tuple(systems), scores))
        value = 0.95 - 0.03 * place
        cluster = place // 2 + 1 if tested else None
        low, high = value - 0.1, value + 0.04
        rows.append(Correlation(metric, unit, statistic, value, low, high, len(systems), cluster))
    cluster_of = np.arange(len(metrics)) // 2
    p = np.where(cluster_of[:, None] < cluster_of[None], 0.012, 0.4)
    p = np.where(cluster_of[:, None] > cluster_of[None], 0.988, p)
    np.fill_diagonal(p, np.nan)
    return SetCorrelations(
        name,
        unit,
        statistic,
        ScoreTable("mean rating", tuple(systems), people),
        tables,
        rows,
        p if tested else None,
        "perm-both" if tested else "",
        "none" if unit == "segment" else "",
        "fisher",
        None,
        (f"With {len(systems)} systems only |r| > 0.81 differs from 0.",),
    )


def small_meta() -> MetaEvaluation:
    """Two units of one set: six systems, three metrics."""
    systems = ("alder", "birch", "cedar", "elm", "fir", "hazel")
    metrics = ("chrf", "frs", "per")
    sets = [
        some_set("judged ja-en", metrics, systems, 40),
        some_set("judged ja-en", metrics, systems, 40, unit="segment", statistic="acc-eq"),
    ]
    return MetaEvaluation(sets, {"frs": "frs|match:index|v:1.0.0rc1"})


def large_meta(segments: int = 1000) -> MetaEvaluation:
    """Two sets, two units, 20 metrics, 25 systems with names of many kinds."""
    systems = [
        f"A-system-with-a-very-long-name-number-{n}"
        if n % 4 == 0
        else f"日本語システム{n}"
        if n % 4 == 1
        else f"نظام-{n}"
        if n % 4 == 2
        else f"sys-{n}"
        for n in range(25)
    ]
    metrics = ["日本語の指標", "مقياس", "<script>alert(1)</script>", "m" * 80]
    metrics += [f"metric-{n}" for n in range(16)]
    sets = [
        some_set(name, metrics, systems, segments, unit=unit, statistic=statistic, seed=seed)
        for unit, statistic in (("system", "pearson"), ("segment", "acc-eq"))
        for seed, name in enumerate(("wmt13 de-en", "wmt13 fr-en"))
    ]
    lacking = replace(sets[1].rows[-1], value=np.nan, low=np.nan, high=np.nan, cluster=None)
    rows = [*sets[1].rows[:-1], replace(lacking, reason="only 2 systems have scores")]
    sets[1] = replace(sets[1], rows=rows)
    means = [
        AverageCorrelations(unit, statistic, ("wmt13 de-en", "wmt13 fr-en"), sets[place].rows)
        for place, unit, statistic in ((0, "system", "pearson"), (2, "segment", "acc-eq"))
    ]
    signatures = {metric: f"{metric}|v:1.0.0rc1" for metric in metrics}
    return MetaEvaluation(sets, signatures, averages=means)


def hostile_meta(text: str) -> MetaEvaluation:
    """Put a text wherever a page has one."""
    systems = (text, "B", "C")
    sets = [
        some_set(text, (text, "frs"), systems, 5, statistic=text),
        some_set(text, ("frs", text), systems, 5, unit="segment", statistic=text),
    ]
    sets = [
        replace(
            each,
            human=replace(each.human, name=text),
            test=text,
            interval=text,
            remarks=(text,),
            rows=[
                *each.rows[:1],
                replace(each.rows[1], value=np.nan, reason=text),
            ],
        )
        for each in sets
    ]
    sets.append(some_set(text, (text, "frs"), systems, 5))
    return MetaEvaluation(sets, {text: text})
