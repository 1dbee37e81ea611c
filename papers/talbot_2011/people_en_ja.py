#!/usr/bin/env python3
"""Tables 6 and 7 of Talbot et al. (2011) with ratings of people: 75 outputs into Japanese.

    python -m papers.talbot_2011.people_en_ja FOLDER

FOLDER holds the corpora (or WORDORDER_DATA says where they are). The calibration tasks of WMT22
are the only English-Japanese ratings that are at hand: 95 outputs, each rated from 0 to 100 by all
19 judges. 75 of them are by machines and have a reference: a usual translation, with links made
by an aligner, so this is the last row of table 7. One minute.
"""

from __future__ import annotations

import csv
import gzip
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from sacrebleu.tokenizers.tokenizer_ja_mecab import TokenizerJaMecab

import wordorder as wo
from papers.keeping import arguments_of, keep
from papers.rule_corpora import tanaka_pairs
from wordorder.arrays import Float64, Int64
from wordorder.judgement import fisher_interval, pearson, spearman
from wordorder.scoring.scores import score_files

SEED, RESAMPLES, SPLITS = 12345, 2000, 200
# By whom the reference's words are linked with the output's, and the metrics of each.
ORDERS = ("frs", "kendall")
TEXTS = ("bleu-s", "chrf", "cder")
PAPER = {
    "FRS, alignment-oriented references, manual links": (0.435, 0.448),
    "FRS, usual references, automatic links": (0.177, 0.159),
    "Kendall's tau, alignment-oriented, manual": (0.371, 0.450),
    "BLEU": (0.279, 0.302),
}


def rows_of(path: Path) -> list[dict[str, str]]:
    """Read a compressed table."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def standard_ratings(folder: Path, items: Sequence[str]) -> Float64:
    """Return the ratings of each judge, less his mean and over his deviation, float64[J, N].

    NaN where a judge did not rate an item; two ratings of one item are averaged.
    """
    of_judge: dict[str, list[tuple[str, float]]] = {}
    for row in rows_of(folder / "scores.tsv.gz"):
        of_judge.setdefault(row["judge"], []).append((row["item"], float(row["score"])))
    ratings = np.full((len(of_judge), len(items)), np.nan)
    for ours, given in zip(ratings, of_judge.values(), strict=True):
        values = np.array([value for _, value in given])
        mean, deviation = values.mean(), values.std(ddof=1)
        for place, item in enumerate(items):
            mine = [(value - mean) / deviation for known, value in given if known == item]
            if mine:
                ours[place] = np.mean(mine)
    return ratings


def reliability(ratings: Float64) -> float:
    """Return the correlation of the means of two halves of the judges, stepped up to all.

    The mean over random halves, by the formula of Spearman and Brown.
    """
    generator = np.random.default_rng(SEED)
    found = []
    for _ in range(SPLITS):
        order = generator.permutation(len(ratings))
        halves = np.array_split(order, 2)
        found.append(pearson(*(np.nanmean(ratings[half], axis=0) for half in halves)))
    r = float(np.mean(found))
    return 2 * r / (1 + r)


def metric_scores(data: Path, texts: dict[str, list[str]]) -> dict[str, Float64]:
    """Return the scores of all outputs by metric and kind of links; higher is better."""
    cuts: list[Callable[[str], str]] = [Tokenizer13a(), TokenizerJaMecab()]  # type: ignore[no-untyped-call]
    japanese = {name: [cuts[1](row).split() for row in texts[name]] for name in texts}
    english = [cuts[0](row.lower()).split() for row in texts["source"]]
    more_english, more_japanese = tanaka_pairs(data)
    found: dict[str, Float64] = {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)

        def write(name: str, rows: Sequence[Sequence[str]]) -> Path:
            path = folder / name
            path.write_text("".join(f"{' '.join(row)}\n" for row in rows), encoding="utf-8")
            return path

        reference, output = (write(name, japanese[name]) for name in ("reference", "output"))
        links = wo.align(
            english * 2 + more_english, japanese["reference"] + japanese["output"] + more_japanese
        )
        n = len(english)
        made = {"reference": links[:n], "output": links[n : 2 * n]}
        alignments = {name: folder / f"{name}.align" for name in made}
        for name, rows in made.items():
            lines = [" ".join(f"{s}-{t}" for s, t in row.links) for row in rows]
            alignments[name].write_text("".join(f"{line}\n" for line in lines))
        ways: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
            "words": (TEXTS, {}),
            "equal words": (ORDERS, {"aligner": "exact"}),
            "links to the source": (
                ORDERS,
                {
                    "source": str(write("source", english)),
                    "reference_alignments": [str(alignments["reference"])],
                    "hypothesis_alignments": [str(alignments["output"])],
                },
            ),
        }
        for way, (metrics, options) in ways.items():
            results = score_files(
                [f"mt={output}"],
                str(reference),
                list(metrics),
                segments=True,
                kind="text",
                tokenizer="none",
                **options,
            )
            assert results.segments is not None
            for number, metric in enumerate(results.metrics):
                values = np.asarray(results.segments[0, number], np.float64)
                sign = 1 if metric.higher_is_better else -1
                found[f"{metrics[number]}, {way}"] = sign * values
    return found


def draws(documents: Int64) -> dict[str, list[Int64]]:
    """Draw the outputs, or the documents with all their outputs, with replacement."""
    generator = np.random.default_rng(SEED)
    size, number = len(documents), int(documents.max()) + 1
    places = [np.flatnonzero(documents == each) for each in range(number)]
    return {
        "outputs": list(generator.integers(0, size, (RESAMPLES, size))),
        "documents": [
            np.concatenate([places[each] for each in row])
            for row in generator.integers(0, number, (RESAMPLES, number))
        ],
    }


def agreement(metric: Float64, human: Float64, beside: Float64, documents: Int64) -> dict[str, Any]:
    """Return r and rho with intervals, and how far r is from that of the metric `beside`.

    *Within* is the correlation of what is left when each document's means are taken away.
    """
    of: dict[str, Any] = {}
    drawn = draws(documents)
    for name, function in (("r", pearson), ("rho", spearman)):
        value = function(metric, human)
        kind = "pearson" if name == "r" else "spearman"
        of[name] = {
            "value": value,
            "Fisher": fisher_interval(value, len(human), statistic=kind),
            **{
                way: _interval([function(metric[row], human[row]) for row in rows])
                for way, rows in drawn.items()
            },
        }
    apart = [
        pearson(metric[row], human[row]) - pearson(beside[row], human[row])
        for row in drawn["documents"]
    ]
    of["less BLEU"] = {
        "value": of["r"]["value"] - pearson(beside, human),
        "documents": _interval(apart),
    }
    sizes = np.bincount(documents)
    ours, theirs = (
        each - (np.bincount(documents, each) / sizes)[documents] for each in (metric, human)
    )
    of["within"] = pearson(ours, theirs)
    return of


def _interval(values: Sequence[float]) -> list[float]:
    return [float(each) for each in np.nanpercentile(values, (2.5, 97.5))]


def markdown(results: dict[str, Any]) -> str:
    """Write the tables."""
    lines = [
        "# Talbot et al. (2011), tables 6 and 7, with ratings of people: English to Japanese",
        "",
        f"{results['outputs']} outputs of {results['systems']} systems in {results['documents']} "
        "documents",
        f" (WMT22, calibration tasks), rated from 0 to 100 by {results['judges']} judges,",
        "each judge's ratings standardised and averaged. The means of two halves of the judges",
        f"correlate, stepped up to all judges, at {results['reliability']:.3f}. References are",
        "usual translations; words by MeCab; *links to the source* are those of our aligner, which",
        "learns from these sentences and 50,000 short ones. CDER is negated, as lower is better.",
        "",
        "| metric | r | drawing outputs | drawing documents | rho | drawing documents "
        "| r less that of BLEU | r within documents |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name, of in results["metrics"].items():
        r, rho, less = of["r"], of["rho"], of["less BLEU"]
        cells = [
            f"{r['value']:.3f}",
            _shown(r["outputs"]),
            _shown(r["documents"]),
            f"{rho['value']:.3f}",
            _shown(rho["documents"]),
            f"{less['value']:+.3f} {_shown(less['documents'])}",
            f"{of['within']:.3f}",
        ]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    lines += [
        "",
        "| paper | r | rho |",
        "|---|---|---|",
        *(f"| {name} | {r:.3f} | {rho:.3f} |" for name, (r, rho) in PAPER.items()),
        "",
        "*FRS, links to the source* is measured as the paper's *usual references, automatic",
        "links*; for its other rows there are no ratings. Each document is the work of one system",
        "and its outputs share a topic, so the interval that draws documents is the honest one; of",
        "so few documents it is too narrow rather than too wide. People rated the translation, not",
        "its order alone. *Equal words* leaves out the 44 % of words that the other text lacks.",
        "",
        results["made"],
        "",
    ]
    return "\n".join(lines)


def _shown(interval: Sequence[float]) -> str:
    return f"[{interval[0]:.3f}, {interval[1]:.3f}]"


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    folder = given.data / "human" / "wmt22-enja-calibration"
    items = [
        row
        for row in rows_of(folder / "items.tsv.gz")
        if row["reference_A"] and row["system"] != "translator-A"
    ]
    ratings = standard_ratings(folder, [row["item"] for row in items])
    human = np.nanmean(ratings, axis=0)
    names = [f"{row['system']} {row['doc']}" for row in items]
    _, documents = np.unique(names, return_inverse=True)
    columns = {"source": "source", "reference": "reference_A", "output": "output"}
    texts = {name: [row[column] for row in items] for name, column in columns.items()}
    scores = metric_scores(given.data, texts)
    bleu = scores["bleu-s, words"]
    results = {
        "outputs": len(items),
        "systems": len({row["system"] for row in items}),
        "documents": int(documents.max()) + 1,
        "judges": len(ratings),
        "seed": SEED,
        "reliability": reliability(ratings),
        "metrics": {name: agreement(each, human, bleu, documents) for name, each in scores.items()},
    }
    keep(given.output, "people_en_ja", results, markdown, started)


if __name__ == "__main__":
    main()
