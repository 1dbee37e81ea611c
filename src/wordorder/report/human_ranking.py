"""Systems ranked by people: as a table, as JSON, as TSV."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from wordorder.counts import counted, number, percent
from wordorder.judgement.ranking import Ranking
from wordorder.report.document import Table
from wordorder.report.failed_raters import collected_json, collected_text
from wordorder.report.lines import paragraphs
from wordorder.report.ranking import cluster_reading
from wordorder.report.tables import Cell, columns_tsv

NAMES = {
    "wins": "ratio of wins: won / (won + lost), ties ignored",
    "expected-wins": "Expected Wins: the mean share won over the opponents, ties ignored",
    "bradley-terry": "Bradley-Terry: logarithm of the odds, ties ignored",
    "trueskill": "TrueSkill: mean skill over the runs",
    "z": "mean standard score over the segments",
}
HEADER = ["rank", "system", "value", "interval", "judgements"]


def ranking_text(ranking: Ranking) -> str:
    """Lay out the systems, the best first, a blank line between clusters, and how they came."""
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        ranks = str(system.best)
        if system.worst > system.best:
            ranks = f"{system.best}-{system.worst}"
        known = not math.isnan(system.value)
        interval = f"[{number(system.low)}, {number(system.high)}]" if known else ""
        value = system.value if known else None
        rows.append([ranks, system.name, value, interval, system.judgements])
    ends = tuple(
        place
        for place, (system, following) in enumerate(pairwise(ranking.systems))
        if following.cluster > system.cluster
    )
    shown = Table(rows, HEADER, ends=ends).to_text()
    text = "\n\n".join([shown, *map(paragraphs, (_reading(ranking), _how(ranking)))]) + "\n"
    everybody = None if ranking.everybody is None else ranking_text(ranking.everybody)
    return text + collected_text(ranking.signature, ranking.failed, everybody)


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    return {
        "by": ranking.by,
        "judgements": ranking.judgements,
        "ties": ranking.ties,
        "items": ranking.items,
        "level": ranking.level,
        "resamples": ranking.resamples,
        "seed": ranking.seed,
        **({"over": "raters", "raters": ranking.raters} if ranking.over == "raters" else {}),
        "systems": [
            {
                "name": system.name,
                "value": _plain(system.value),
                "low": _plain(system.low),
                "high": _plain(system.high),
                "cluster": system.cluster,
                "rank_range": [system.best, system.worst],
                "judgements": system.judgements,
            }
            for system in ranking.systems
        ],
        **collected_json(
            ranking.signature,
            ranking.failed,
            None if ranking.everybody is None else ranking_json(ranking.everybody),
        ),
    }


def ranking_tsv(ranking: Ranking) -> str:
    """Write a row for each system, in full precision."""
    return columns_tsv(ranking.to_columns())


def _reading(ranking: Ranking) -> str:
    """Say in one sentence which systems are told apart."""
    clusters: dict[int, list[int]] = {}
    for place, system in enumerate(ranking.systems):
        clusters.setdefault(system.cluster, []).append(place)
    names = [system.name for system in ranking.systems]
    return cluster_reading(names, list(clusters.values()), subject="ranking", level=ranking.level)


def _how(ranking: Ranking) -> str:
    """Say what the numbers are and what they rest on."""
    what = "rating" if ranking.by == "z" else "judged pair"
    ties = ""
    if what == "judged pair":
        share = percent(ranking.ties, ranking.judgements)
        ties = f" ({counted(ranking.ties, 'tie')}, {share})"
    drawn = "items"
    if ranking.over == "raters":
        drawn = counted(ranking.raters, "rater")
    return (
        f"{NAMES[ranking.by]}\n"
        f"{counted(ranking.judgements, what)}{ties} on {counted(ranking.items, 'item')}; [low, "
        f"high] and the ranks hold in {100 * ranking.level:g} % of "
        f"{counted(ranking.resamples, 'resample')} of the {drawn}, seed {ranking.seed}"
    )


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
