"""How probably the links of `align --scores` are right: the weights, and the error on other sets.

The weights of a model are a logistic regression of what speaks for a link, fitted to the links that
the model finds on ten sets made by hand, each of which counts alike; two sets of fewer than 2,000
links are left out (this was decided after a look at all sets). The expected calibration error
(Naeini et al. 2015) has ten bins of equal width: the distance between the mean score of a bin and
the share of right links, and the mean of these distances, each weighted with its links.

It is measured twice. On each of the twelve sets by weights that were fitted to the others. And on
three sets that were chosen before anything was measured on them: English with Japanese, French and
Chinese of PUD. These have links of content words only, so that only links of words count that
people linked: of the others nobody knows whether they are right.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

from papers.keeping import arguments_of, keep

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from aligners import Gold, gold_sets, lowered, pairs, read

import wordorder as wo
from wordorder.alignment.scores import calibrate
from wordorder.alignment.statistical.align import ALIGNERS
from wordorder.arrays import Array, Bool, Float64

# Of how many links a set must be to be fitted to: the Portuguese and the Hindi set are smaller.
LEAST_LINKS = 2000


def right_links(found: wo.Alignments, gold: wo.Alignments) -> Bool:
    """Say of each link whether it was made by hand too, as a sure or a possible one."""
    return np.array(
        [
            link in links
            for row, right in zip(found, gold, strict=True)
            for links in [set(right.links)]
            for link in row.links
        ],
        np.bool_,
    )


def unseen_sets(data: Path) -> dict[str, Gold]:
    """Read the sets that nothing was fitted to or tuned on, in lower case."""
    found = {}
    for language in ("ja", "fr", "zh"):
        folder = data / "pud-word-alignments" / f"en-{language}"
        # A blank inside a word.
        sides = (read(folder / f"{side}.tok.gz") for side in ("en", language))
        source, target = (lowered([row.replace("\u00a0", "_") for row in rows]) for rows in sides)
        links = pairs(read(folder / f"en-{language}.align.gz"), 0)
        found[f"PUD en-{language}"] = Gold(source, target, links)
    return found


def looked_at(model: str, gold: Gold) -> tuple[Float64, Bool, Bool]:
    """Return what speaks for each link of a set, whether it is right, and whether it is judged."""
    seen: list[Float64] = []
    kind: Any = ALIGNERS.load(model)

    class Seen(kind):  # type: ignore[misc]  # a name says which
        """The aligner, which keeps what it judges its links by."""

        def link_probabilities(self, evidence: Float64) -> Float64:
            seen.append(evidence)
            return np.asarray(super().link_probabilities(evidence), np.float64)

    found = Seen.train(gold.source, gold.target).align(gold.source, gold.target, scores=True)
    return np.concatenate(seen), right_links(found, gold.links), judged_links(found, gold.links)


def judged_links(found: wo.Alignments, gold: wo.Alignments) -> Bool:
    """Say of each link whether its source word has a link made by hand."""
    rows = zip(found, gold, strict=True)
    linked = (({s for s, _ in right.links}, row.links) for row, right in rows)
    return np.array([s in words for words, links in linked for s, _ in links], np.bool_)


def fitted(features: Float64, right: Bool, share: Float64) -> Float64:
    """Fit a logistic regression by Newton's method."""
    weights = np.zeros(features.shape[1])
    for _ in range(30):
        found = 1 / (1 + np.exp(-features @ weights))
        slope = features.T @ (share * (right - found))
        curve = (features * (share * found * (1 - found))[:, None]).T @ features
        weights += np.linalg.solve(curve, slope)
    return weights


def calibration(scores: Float64, right: Array) -> dict[str, Any]:
    """Return the expected calibration error, and the share of right links around .9."""
    bins = np.minimum((scores * 10).astype(int), 9)
    links = np.bincount(bins, minlength=10)
    gaps = np.abs(np.bincount(bins, scores - right, minlength=10))
    near = (scores >= 0.85) & (scores < 0.95)
    return {
        "links": len(scores),
        "right": float(right.mean()),
        "mean": float(scores.mean()),
        "ece": float(gaps.sum() / links.sum()),
        "near": int(near.sum()),
        "right_near": float(right[near].mean()) if near.any() else None,
    }


def weights_of(parts: list[tuple[Float64, Bool, Bool]]) -> Float64:
    """Fit the weights to the large ones of some sets."""
    large = [(features, right) for features, right, _ in parts if len(right) >= LEAST_LINKS]
    return fitted(
        np.concatenate([features for features, _ in large]),
        np.concatenate([right for _, right in large]),
        np.concatenate([np.full(len(right), 1 / len(right)) for _, right in large]),
    )


def run(data: Path) -> dict[str, Any]:
    """Fit and measure each model."""
    sets, unseen = gold_sets(data), unseen_sets(data)
    results: dict[str, Any] = {"weights": {}, "sets": {}}
    for model in ALIGNERS.built_in:
        seen = {name: looked_at(model, gold) for name, gold in sets.items()}
        weights = weights_of(list(seen.values()))
        rows = {}
        for name, (features, right, _) in seen.items():
            others = weights_of([part for other, part in seen.items() if other != name])
            rows[name] = calibration(calibrate(features, tuple(others)), right)
        for name, gold in unseen.items():
            features, right, judged = looked_at(model, gold)
            scores = calibrate(features, tuple(weights))
            rows[name] = calibration(scores[judged], right[judged])
        results["weights"][model] = weights.tolist()
        results["sets"][model] = rows
    return results


def markdown(kept: dict[str, Any]) -> str:
    """Write the page."""
    lines = ["# Calibration of link scores", "", kept["made"], ""]
    lines += [
        "Each set by weights fitted to the others; PUD by the weights below.",
        "",
    ]
    for model, sets in kept["sets"].items():
        weights = ", ".join(f"{weight:.3f}" for weight in kept["weights"][model])
        lines += [f"## {model}", "", f"Weights: {weights}.", ""]
        lines += ["| set | links | right | mean score | ECE | right of links at .85–.95 |"]
        lines += ["|---|---|---|---|---|---|"]
        for name, row in sets.items():
            near = "" if row["right_near"] is None else f"{row['right_near']:.3f} of {row['near']}"
            lines.append(
                f"| {name} | {row['links']} "
                f"| {row['right']:.3f} | {row['mean']:.3f} | {row['ece']:.3f} | {near} |"
            )
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    given = arguments_of(__doc__)
    begun = time.process_time()
    keep(given.output, "link_calibration", run(given.data), markdown, begun)
