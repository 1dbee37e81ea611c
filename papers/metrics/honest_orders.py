#!/usr/bin/env python3
"""Do order metrics agree better with people since words that do not match count against a system?

    python -m papers.metrics.honest_orders FOLDER

FOLDER holds the corpora (or WORDORDER_DATA says where they are): rankings of WMT12 to WMT15 into
English, and ratings of WMT24 en-ja. Words are matched by form and stem, Japanese characters by
form; text is split at blanks. FRS and Kendall's tau are asked four times: with one matched word
or none as a value or left out (``few=one``), with 0 for both (``few=zero``), this times the share
of the reference that matches, and this times the brevity penalty of SenScore. The share of
matched words alone stands beside them.
"""

from __future__ import annotations

import csv
import gzip
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.judged_sets import JudgedSet, lines, read_set
from papers.keeping import arguments_of, keep
from wordorder.arrays import Float64, Int64
from wordorder.errors import WordOrderWarning
from wordorder.judgement import pearson
from wordorder.metrics.order.common_words import CommonWords

SETS = (
    *("wmt12 de-en", "wmt12 fr-en"),
    *("wmt13 cs-en", "wmt13 de-en", "wmt13 es-en", "wmt13 fr-en"),
    *("wmt14 cs-en", "wmt14 de-en", "wmt14 fr-en", "wmt15 de-en", "wmt15 fi-en", "wmt24 en-ja"),
)
METRICS = ("frs", "kendall")
BEFORE, NOW, COVERED, PENALTY = "few=one", "few=zero", "× matched share", "× brevity penalty"
SHARE, COMMON = "matched share alone", "common words"
WAYS = (BEFORE, NOW, COVERED, PENALTY)
# Of a prototype of these rules, by FRS: r by system, share of strict pairs, share of signs.
PROTOTYPE: dict[str, dict[str, tuple[float, ...]]] = {
    "system": {
        BEFORE: (0.845, 0.932, 0.797, 0.922, 0.759),
        NOW: (0.879, 0.953, 0.854, 0.949, 0.804),
        PENALTY: (0.967, 0.981, 0.960, 0.969, 0.884),
        SHARE: (0.976, 0.978, 0.948, 0.964, 0.918),
    },
    "segment": {
        BEFORE: (0.582, 0.561, 0.547, 0.572, 0.589),
        NOW: (0.594, 0.578, 0.560, 0.588, 0.600),
        PENALTY: (0.671, 0.649, 0.637, 0.688, 0.672),
        SHARE: (0.683, 0.666, 0.649, 0.709, 0.679),
    },
}
OF_PROTOTYPE = ("wmt13 de-en", "wmt13 fr-en", "wmt13 cs-en", "wmt13 es-en", "wmt14 de-en")
PROTOTYPE_SIGNS = {
    "wmt13 de-en": {BEFORE: 0.750, NOW: 0.757, COMMON: 0.779, SHARE: 0.897},
    "wmt13 cs-en": {BEFORE: 0.836, NOW: 0.909, COMMON: 0.855, SHARE: 0.782},
    "wmt14 de-en": {BEFORE: 0.731, NOW: 0.769, COMMON: 0.782, SHARE: 0.910},
}


@dataclass(frozen=True, eq=False)
class People:
    """A set with what people think of its systems.

    Attributes
    ----------
    judged : JudgedSet
    system : float64[n]
        The ratio of wins, or the mean rating.
    """

    judged: JudgedSet
    system: Float64


def read(data: Path, name: str) -> People:
    """Read a set of rankings, or the ratings of WMT24."""
    if name != "wmt24 en-ja":
        judged = read_set(data, name)
        assert judged.ratio is not None
        return People(judged, judged.ratio)
    folder = data / "human/wmt24-esa/en-ja"
    outputs = {
        path.name.removesuffix(".ja.gz"): lines(path)
        for path in sorted((folder / "outputs").iterdir())
    }
    source, reference = lines(folder / "source.en.gz"), lines(folder / "reference.ja.gz")
    human = np.full((len(outputs), len(source)), np.nan)
    ratings: dict[tuple[int, int], list[float]] = defaultdict(list)
    systems = list(outputs)
    first = first_line(folder / "ratings.tsv.gz", len(source))
    with gzip.open(folder / "ratings.tsv.gz", "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            if row["system"] in outputs:
                place = systems.index(row["system"]), int(row["segment"]) - first
                ratings[place].append(float(row["rating"]))
    for place, values in ratings.items():
        human[place] = np.mean(values)
    strict = np.argwhere(human[:, None, :] > human[None, :, :])
    pairs = strict[:, [2, 0, 1]]
    judged = JudgedSet(name, source, reference, outputs, pairs, human=human)
    return People(judged, np.nanmean(human, axis=1))


def first_line(path: Path, number: int) -> int:
    """Return whether segments are numbered from 0 or from 1."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        rows = csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
        numbers = {int(row["segment"]) for row in rows}
    assert min(numbers) > 0 or max(numbers) < number
    return int(max(numbers) == number)


def segments_of(judged: JudgedSet) -> list[wo.Segments]:
    """Match the words of each system with those of the reference."""
    target = judged.languages[1]
    tokenizer, aligner = ("char", "exact") if target == "ja" else ("none", "exact+stem")
    return [
        wo.Segments.from_text(text, list(judged.reference), tokenizer=tokenizer, aligner=aligner)
        for text in judged.outputs.values()
    ]


def shares_of(systems: list[wo.Segments]) -> Float64:
    """Return the share of each reference that each system matches, float64[n, S]."""
    return np.stack(
        [each.permutation.lengths / np.maximum(each.reference_lengths, 1) for each in systems]
    )


def values_of(metric: str, systems: list[wo.Segments], shares: Float64) -> dict[str, Float64]:
    """Return the values of each segment in each way, float64[n, S]; NaN where there is none."""
    before, now = (
        np.stack([wo.metric(metric, few=few).segment_scores(each) for each in systems])
        for few in ("one", "zero")
    )
    with np.errstate(divide="ignore"):
        penalty = np.exp(np.minimum(0.0, 1.0 - 1.0 / shares))
    return {BEFORE: before, NOW: now, COVERED: now * shares, PENALTY: now * penalty}


def by_segment(values: Float64, judged: JudgedSet) -> tuple[float, int]:
    """Return the share of strict pairs in people's order, and how many pairs there are.

    Pairs to which the metric gives equal values, or none, are left out.
    """
    segment, better, worse = judged.pairs.T
    difference = values[better, segment] - values[worse, segment]
    known = difference[np.isfinite(difference) & (difference != 0)]
    return float(np.mean(known > 0)), len(known)


def shared_signs(differences: Float64, people: Float64 | Int64) -> float:
    """Return the share of pairs of systems that a metric ranks as people do."""
    return float(np.mean(np.sign(differences) == np.sign(people)))


def on_common_words(metric: str, systems: list[wo.Segments]) -> tuple[Float64, float]:
    """Return the difference of each pair of systems, and the mean share of words compared."""
    differences, shares = [], []
    for first, second in combinations(systems, 2):
        both = CommonWords.of(first, second)
        one, two = (wo.metric(metric).corpus_score(each).value for each in both.systems)
        differences.append(one - two)
        shares.append(both.words / both.reference_words)
    return np.array(differences), float(np.mean(shares))


def of_set(people: People) -> dict[str, Any]:
    """Return the agreement with people of one set, of each metric in each way."""
    judged = people.judged
    systems = segments_of(judged)
    shares = shares_of(systems)
    pairs = list(combinations(range(len(systems)), 2))
    wins = np.zeros((len(systems), len(systems)), np.int64)
    np.add.at(wins, (judged.pairs[:, 1], judged.pairs[:, 2]), 1)
    preferred = np.array([wins[a, b] - wins[b, a] for a, b in pairs])

    def agreement(values: Float64) -> dict[str, Any]:
        of_system = np.nanmean(values, axis=1)
        segment, compared = by_segment(values, judged)
        differences = np.array([of_system[a] - of_system[b] for a, b in pairs])
        return {
            "system": round(float(pearson(of_system, people.system)), 3),
            "segment": round(segment, 3),
            "pairs compared": compared,
            "signs": round(shared_signs(differences, preferred), 3),
        }

    found: dict[str, Any] = {
        "systems": len(systems),
        "strict pairs": len(judged.pairs),
        "matched": round(float(shares.mean()), 3),
        SHARE: agreement(shares),
    }
    for metric in METRICS:
        made = values_of(metric, systems, shares)
        ways = {way: agreement(values) for way, values in made.items()}
        differences, compared = on_common_words(metric, systems)
        own = np.nanmean(made[BEFORE], axis=1)
        before = np.array([own[a] - own[b] for a, b in pairs])
        ways[COMMON] = {
            "signs": round(shared_signs(differences, preferred), 3),
            "words": round(compared, 3),
            "other sign than few=one": round(1 - shared_signs(differences, before), 3),
        }
        found[metric] = ways
    return found


def shown(value: float, before: float | None = None) -> str:
    """Write a share without the zero before its point; a prototype's in brackets."""
    text = f"{value:.3f}".replace("0.", ".", 1)
    return text if before is None else f"{text} ({shown(before)})"


def rows_of(results: dict[str, Any], metric: str, unit: str) -> list[str]:
    """Write a row for each way to ask a metric, and a column for each set."""
    ways = [*WAYS, SHARE] if unit != "signs" else [BEFORE, NOW, COMMON, SHARE]
    lines_of_table = []
    for way in ways:
        cells = []
        for name, of in results["sets"].items():
            value = (of[SHARE] if way == SHARE else of[metric][way])[unit]
            cells.append(shown(value, prototype(metric, unit, way, name)))
        lines_of_table.append(f"| {metric if way != SHARE else ''} | {way} | {' | '.join(cells)} |")
    return lines_of_table


def prototype(metric: str, unit: str, way: str, name: str) -> float | None:
    """Return the value of the prototype, where there is one."""
    if metric != "frs":
        return None
    if unit == "signs":
        return PROTOTYPE_SIGNS.get(name, {}).get(way)
    known = PROTOTYPE[unit].get(way)
    return known[OF_PROTOTYPE.index(name)] if known and name in OF_PROTOTYPE else None


def markdown(results: dict[str, Any]) -> str:
    """Write the tables as a page."""
    names = list(results["sets"])
    head = [f"| | | {' | '.join(names)} |", f"|---|---|{'---:|' * len(names)}"]
    titles = {
        "system": "By system: Pearson's r with the ratio of wins (WMT24: the mean rating)",
        "segment": "By segment: strict pairs of outputs in people's order (ties left out)",
        "signs": "Pairs of systems that have people's sign (who wins more of their strict pairs)",
    }
    page = [
        "# Order metrics and people, before and after words without a match count",
        "",
        "`few=one`: fewer than two matched words have a value or are left out; `few=zero`, the "
        "default: they score 0. In brackets: a prototype of these rules, on FRS; by segment it saw "
        "the first 40,000 strict pairs of a set.",
    ]
    for unit, title in titles.items():
        page += ["", f"## {title}", "", *head]
        for metric in METRICS:
            page += rows_of(results, metric, unit)
    words = [shown(of["frs"][COMMON]["words"]) for of in results["sets"].values()]
    other = [shown(of["frs"][COMMON]["other sign than few=one"]) for of in results["sets"].values()]
    page += [
        f"| | words that both match | {' | '.join(words)} |",
        f"| frs | other sign than `few=one` | {' | '.join(other)} |",
    ]
    return "\n".join([*page, "", results["made"], ""])


def main() -> None:
    """Score all sets and keep the tables."""
    given = arguments_of(__doc__)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", WordOrderWarning)
        sets = {name: of_set(read(given.data, name)) for name in SETS}
    keep(given.output, Path(__file__).stem, {"sets": sets}, markdown, started)


if __name__ == "__main__":
    main()
