#!/usr/bin/env python3
"""Findings that the papers mention in passing, each measured once on the data at hand.

    python -m papers.metrics.further_findings FOLDER

FOLDER holds the corpora (or WORDORDER_DATA says where they are). Does the company in which two
outputs are shown change the choice between them (Talbot et al. 2011, section 5)? How much sparser
are automatic links than manual ones (there too)? Which order metric ranks systems best where the
target's word order is free (Stanojević & Sima'an 2016, section 7)? Are orders that share operators
of their permutation trees alike (section 1 there)? And the corpora in the form of table 2 of Leusch
et al. (2006). Three minutes.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

import wordorder as wo
from papers.judged_sets import MQM, WMT, JudgedSet, read_set
from papers.keeping import OUTPUT, arguments_of, keep
from papers.rule_corpora import lines_of, pud_japanese, tanaka_pairs, words_of
from papers.scored_sets import cut
from wordorder.arrays import Float64, Int64
from wordorder.statistics.coefficients import spearman

SEED, RESAMPLES = 12345, 1000
RANKED = tuple(name for name in WMT if name[:5] in ("wmt12", "wmt15"))
METRICS = ("HAMMING", "KENDALL", "SPEARMAN", "FUZZY", "ULAM", "PET", "#PETS", "MAX")


def company(judged: JudgedSet) -> dict[str, Any] | None:
    """Compare choices between two systems in stronger and in weaker company.

    For each two systems their judgements are cut at the median of the mean strength (ratio of
    wins) of the other systems of the same ranking. Rankings are drawn with replacement.
    """
    given = judged.judgements
    assert given is not None
    wins = given.wins()
    strength = wins.sum(1) / np.maximum(wins.sum(1) + wins.sum(0), 1)
    members: dict[int, set[int]] = {}
    for ranking, a, b in zip(given.ranking, given.first, given.second, strict=True):
        members.setdefault(int(ranking), set()).update((int(a), int(b)))
    rows: list[tuple[int, int, int, float, int]] = []
    for ranking, a, b, outcome in zip(
        given.ranking.tolist(),
        given.first.tolist(),
        given.second.tolist(),
        given.outcome.tolist(),
        strict=True,
    ):
        others = members[ranking] - {a, b}
        if not others:
            continue
        better, worse = (a, b) if strength[a] >= strength[b] else (b, a)
        mean = float(np.mean([strength[each] for each in others]))
        rows.append((ranking, better, worse, mean, outcome if better == a else -outcome))
    number, better, worse, company_of, outcome = map(np.array, zip(*rows, strict=True))
    pair = better.astype(np.int64) * len(given.systems) + worse
    strong = np.zeros(len(rows), np.bool_)
    for each in np.unique(pair):
        own = pair == each
        strong[own] = company_of[own] > np.median(company_of[own])
    _, group = np.unique(number, return_inverse=True)
    counts = np.stack(
        [
            np.bincount(group, (strong == side) & test)
            for side in (False, True)
            for test in (outcome > 0, outcome < 0, outcome == 0)
        ]
    )

    def shares(sums: Float64) -> Float64:
        """Return, of both sides, the share of the better system, and of ties."""
        won, lost, tied = sums.reshape(2, 3).T
        return np.concatenate([won / (won + lost), tied / (won + lost + tied)])

    generator = np.random.default_rng(SEED)
    found = shares(counts.sum(axis=1))
    drawn = np.array(
        [
            shares(counts[:, generator.integers(0, counts.shape[1], counts.shape[1])].sum(axis=1))
            for _ in range(RESAMPLES)
        ]
    )
    said = {}
    for name, place in (("better wins", 0), ("ties", 2)):
        moved = drawn[:, place + 1] - drawn[:, place]
        said[name] = {
            "weaker": found[place],
            "stronger": found[place + 1],
            "interval": np.percentile(moved, (2.5, 97.5)).tolist(),
        }
    return {"judgements": len(rows), "rankings": int(counts.shape[1]), **said}


def density(links: wo.Alignments, lengths: Int64) -> dict[str, float]:
    """Return links for each source word, and the share of source words without one."""
    rows = [row.links for row in links]
    linked = sum(len({link[0] for link in row}) for row in rows)
    words = int(lengths.sum())
    return {"links": sum(map(len, rows)) / words, "unaligned": 1 - linked / words}


def linked_by_hand(data: Any) -> dict[str, Any]:
    """Return English sentences, Japanese ones, and links that people made, by corpus."""
    pud = pud_japanese(data)
    folder = data / "kftt-alignments-dev"
    return {
        "PUD en-ja, content words by hand": (words_of(pud.trees), pud.target, pud.links),
        "KFTT dev, all words by hand": (
            lines_of(folder / "en.tok.gz"),
            lines_of(folder / "ja.tok.gz"),
            wo.read_alignments(folder / "en-ja.align.gz"),
        ),
    }


def sparser(data: Any) -> dict[str, Any]:
    """Compare manual links with those of our aligner, and the orders that follow from both."""
    english, japanese = tanaka_pairs(data)
    found = {}
    for name, (source, target, manual) in linked_by_hand(data).items():
        lower = [[word.lower() for word in row] for row in source]
        automatic = wo.align(lower + english, target + japanese)[: len(source)]
        lengths = np.array(list(map(len, source)))
        orders = [wo.reference_orders(each, lengths) for each in (automatic, manual)]
        segments = wo.Segments.from_orders(*orders)
        found[name] = {
            "manual": density(manual, lengths),
            "automatic": density(automatic, lengths),
            "frs": float(np.mean(wo.metric("frs").segment_scores(segments))),
        }
    return found


def shared_operators(data: Any) -> dict[str, Any]:
    """Say how many operators orders share, and whether such orders are alike.

    Of two different reference orders of as many words: the share of the operators of their
    permutation trees that both have (Dice's coefficient of the multisets), beside the score of
    one order against the other.
    """
    found = {}
    for name, (source, _, links) in linked_by_hand(data).items():
        lengths = np.array(list(map(len, source)))
        orders = wo.reference_orders(links, lengths)
        rows = [tuple(row.tolist()) for row in orders.positions]
        operators = [
            Counter(wo.PermutationTree(row).operators() if len(row) > 1 else ()) for row in rows
        ]
        kinds: Counter[str] = Counter()
        for own in operators:
            for operator, times in own.items():
                shown = "".join(map(str, operator)) if len(operator) <= 4 else "longer"
                kinds[shown] += times
        pairs = [
            (one, other)
            for one, other in combinations(range(len(rows)), 2)
            if lengths[one] == lengths[other] and rows[one] != rows[other]
        ]
        first, second = map(np.array, zip(*pairs, strict=True))
        share = np.array(
            [
                2 * (mine & theirs).total() / (mine.total() + theirs.total())
                for mine, theirs in ((operators[a], operators[b]) for a, b in pairs)
            ]
        )
        segments = wo.Segments.from_orders(orders.take(first), orders.take(second))
        found[name] = {
            "operators": dict(kinds),
            "orders": len(rows),
            "with longer ones": sum(any(len(each) > 3 for each in own) for own in operators),
            "pairs": len(pairs),
            "shared": float(share.mean()),
            "rho": {
                metric: spearman(
                    without_length(share, lengths[first]),
                    without_length(wo.metric(metric).segment_scores(segments), lengths[first]),
                )
                for metric in ("kendall", "frs")
            },
        }
    return found


def without_length(values: Float64, lengths: Int64) -> Float64:
    """Return by how much values are above the mean of those of the same length."""
    _, group = np.unique(lengths, return_inverse=True)
    means = np.bincount(group, values) / np.bincount(group)
    return np.asarray(values - means[group])


def statistics(judged: JudgedSet) -> dict[str, Any]:
    """Return what table 2 of Leusch et al. says of a corpus."""
    lengths = [len(cut(line).split()) for line in judged.reference]
    return {
        "sentences": len(lengths),
        "words": sum(lengths),
        "references": 1,
        "mean": sum(lengths) / len(lengths),
        "systems": len(judged.outputs),
        "preferences": len(judged.pairs),
    }


def languages() -> tuple[dict[str, Any], list[float]]:
    """Return the kept rank correlations by test set, and their extreme deviations."""
    kept = json.loads((OUTPUT / "stanojevic_simaan_2016.json").read_text("utf-8"))
    return {
        name: {metric: of["values"][metric]["mean"] for metric in METRICS}
        for name, of in kept["sets"].items()
    }, [
        float(extreme(of["values"][m]["sd"] for of in kept["sets"].values() for m in METRICS))
        for extreme in (min, max)
    ]


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# Findings that the papers mention in passing",
        "",
        "## Company: does a choice between two outputs depend on the others that are shown?",
        "",
        "Rankings of three outputs and more. For each two systems, their judgements in weaker and",
        "in stronger company; how often the system that wins more over all was preferred, and how",
        "often both were called equal. Intervals of the change draw rankings.",
        "",
        "| set | judgements | better wins: weaker | stronger | change | ties: weaker | stronger "
        "| change |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, of in results["company"].items():
        cells = [f"{of['judgements']:,}"]
        for what in ("better wins", "ties"):
            weaker, stronger = of[what]["weaker"], of[what]["stronger"]
            low, high = of[what]["interval"]
            cells += [f"{weaker:.3f}", f"{stronger:.3f}"]
            cells.append(f"{stronger - weaker:+.3f} [{low:.3f}, {high:.3f}]")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    moved = {
        what: sum(
            of[what]["interval"][0] > 0 or of[what]["interval"][1] < 0
            for of in results["company"].values()
        )
        for what in ("better wins", "ties")
    }
    lines += [
        "",
        f"Of {len(results['company'])} sets the preference moves in {moved['better wins']}, and",
        f"the share of ties in {moved['ties']} (95 %). Talbot et al. saw the effect in ratings",
        "(P5R5: 2.501 in one experiment, 2.529 in the other); no ratings of one output in two",
        "companies are at hand. Choices between two outputs do not show it.",
        "",
        "## Automatic links are sparser",
        "",
        "| set | links a word, by hand | automatic | without a link, by hand | automatic "
        "| FRS of the automatic order |",
        "|---|---|---|---|---|---|",
    ]
    for name, of in results["links"].items():
        manual, automatic = of["manual"], of["automatic"]
        lines.append(
            f"| {name} | {manual['links']:.3f} | {automatic['links']:.3f} | "
            f"{manual['unaligned']:.3f} | {automatic['unaligned']:.3f} | {of['frs']:.3f} |"
        )
    kftt = list(results["links"].values())[-1]
    fewer = 1 - kftt["automatic"]["links"] / kftt["manual"]["links"]
    lines += [
        "",
        f"Where all words are linked by hand, automatic links are {100 * fewer:.0f} % fewer, as",
        "the paper says of its own. On PUD people linked content words alone, and the aligner",
        "links function words too. FRS: of the orders of the automatic links against those of the",
        "manual ones, unaligned words before the next.",
        "",
        "## Free word order and #PETs; Czech-English and FUZZY",
        "",
        "Spearman's rho between rankings of systems by SenScore with each ordering and by people",
        "(`stanojevic_simaan_2016`). Paper: #PETs is best into Czech and Russian, whose order is",
        "free; FUZZY is best from Czech.",
        "",
        "| set | " + " | ".join(METRICS) + " | best |",
        "|---" * (len(METRICS) + 2) + "|",
    ]
    for name, of in results["languages"].items():
        best = max(of, key=lambda metric: of[metric])
        lines.append(f"| {name} | " + " | ".join(f"{of[m]:.3f}" for m in METRICS) + f" | {best} |")
    lines += [
        "",
        "Into Finnish, whose order is free, #PETs is the worst; it is the best into German. From",
        "Czech (five systems) FUZZY is behind #PETs alone. Means of 1,000 draws of the sentences,",
        f"with deviations of {results['deviations'][0]:.3f} to {results['deviations'][1]:.3f}.",
    ]
    lines += [
        "",
        "## Do orders that share operators of their permutation trees look alike?",
        "",
        "Reference orders by links made by hand, and pairs of different ones of as many words.",
        "*Shared*: of the operators of both trees (Dice's coefficient). *rho*: Spearman's, of that",
        "share with the score of one order against the other, both less the mean of their length.",
        "",
        "| set | orders | ⟨1,2⟩ | ⟨2,1⟩ | ⟨2,4,1,3⟩ | ⟨3,1,4,2⟩ | longer | orders with one of the "
        "last three | pairs | shared | rho, Kendall's tau | rho, FRS |",
        "|---" * 12 + "|",
    ]
    for name, of in results["operators"].items():
        counts = [f"{of['operators'][kind]:,}" for kind in ("12", "21", "2413", "3142", "longer")]
        longer = f"{100 * of['with longer ones'] / of['orders']:.0f} %"
        rhos = [f"{of['rho'][metric]:.2f}" for metric in ("kendall", "frs")]
        pairs = f"{of['pairs']:,}"
        cells = [f"{of['orders']:,}", *counts, longer, pairs, f"{of['shared']:.2f}", *rhos]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += ["", "## The corpora, in the form of table 2 of Leusch et al. (2006)", ""]
    heads = {
        "sentences": "Sentences",
        "words": "Running words",
        "references": "Ref. translations",
        "mean": "Avg. ref. length",
        "systems": "Candidate systems",
        "preferences": "Preferences of people",
    }
    lines += ["| | " + " | ".join(results["corpora"]) + " |"]
    lines.append("|---" * (len(results["corpora"]) + 1) + "|")
    for key, head in heads.items():
        cells = [
            f"{of[key]:.1f}" if key == "mean" else f"{of[key]:,}"
            for of in results["corpora"].values()
        ]
        lines.append(f"| {head} | " + " | ".join(cells) + " |")
    lines += ["", results["made"], ""]
    return "\n".join(lines)


def main(names: Sequence[str] = (*WMT, *MQM)) -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    sets = {name: read_set(given.data, name) for name in names}
    of_languages, deviations = languages()
    results = {
        "seed": SEED,
        "company": {name: company(sets[name]) for name in RANKED},
        "links": sparser(given.data),
        "operators": shared_operators(given.data),
        "languages": of_languages,
        "deviations": deviations,
        "corpora": {name: statistics(each) for name, each in sets.items()},
    }
    keep(given.output, "further_findings", results, markdown, started)


if __name__ == "__main__":
    main()
