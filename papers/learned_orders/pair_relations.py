"""Which relations turn round between English and other languages, and what a learned order gains.

For each pair of `language_pairs.py`, English parsed by the model `en`: of the dependents whose word
and head both have links, the share that stands on the other side of its head in the translation, by
relation of Universal Dependencies; a word stands at the mean of its links, and words at one place
are left out. The picture is the map of pairs and relations. Then, over the pairs, what goes with
the gain of the default order over the source order, as `language_pairs.py` found it: Spearman's
rank correlation, with a permutation test of both sides.

    nice -n 19 python -m papers.learned_orders.pair_relations DATA

Takes some seconds; the learned orders are read from the kept results.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape

import numpy as np

from papers.keeping import OUTPUT, arguments_of, keep
from papers.learned_orders.language_pairs import Row, pairs_of
from wordorder.arrays import Float64
from wordorder.parsing.pipeline.file_parser import parsed_by
from wordorder.treebank.treebank import Treebank

SEED, PERMUTATIONS = 1, 10_000
# A relation is on the map if half of the pairs have so many of it; a cell with fewer says little.
LEAST, FEW = 40, 20
WIDTH, HEIGHT, LEFT, TOP = 46, 24, 150, 92


def turned(rows: Sequence[Row]) -> dict[str, list[int]]:
    """Return how many dependents of each relation turn round, and how many there are."""
    bank = parsed_by("en", Treebank.from_words([list(row[0]) for row in rows]))
    starts = np.repeat(bank.offsets[:-1], bank.lengths)
    sums, links = np.zeros(bank.words), np.zeros(bank.words)
    for start, (_, _, found) in zip(bank.offsets.tolist(), rows, strict=False):
        for source, target in found:
            sums[start + source] += target
            links[start + source] += 1
    place = np.where(links > 0, sums / np.maximum(links, 1), np.nan)
    words = np.flatnonzero(bank.heads > 0)
    heads = (starts + bank.heads - 1)[words]
    with np.errstate(invalid="ignore"):
        there = np.sign(place[words] - place[heads])
    here = np.sign(words - heads)
    counted = np.abs(there) == 1
    labels = [label.partition(":")[0] for label in bank.label.strings()]
    found_: dict[str, list[int]] = {}
    for word, turns in zip(words[counted].tolist(), (there != here)[counted].tolist(), strict=True):
        count = found_.setdefault(labels[word], [0, 0])
        count[0] += turns
        count[1] += 1
    return found_


def on_the_map(pairs: dict[str, dict[str, list[int]]]) -> list[str]:
    """Return the relations that most pairs have, those that turn round most often first."""
    names = sorted({label for found in pairs.values() for label in found} - {"punct", "dep"})
    many = [
        name
        for name in names
        if 2 * sum(found.get(name, [0, 0])[1] >= LEAST for found in pairs.values()) >= len(pairs)
    ]
    return sorted(many, key=lambda name: (-mean_share(pairs, name), name))


def mean_share(pairs: dict[str, dict[str, list[int]]], name: str) -> float:
    """Return the mean over pairs of the share that turns round."""
    found = [each[name] for each in pairs.values() if name in each]
    return float(np.mean([turns / total for turns, total in found]))


def picture(pairs: dict[str, dict[str, list[int]]], relations: Sequence[str]) -> str:
    """Draw the map: the darker, the larger the share that turns round."""
    order = sorted(pairs, key=lambda pair: -share_of(pairs[pair]))
    width, height = LEFT + WIDTH * len(relations) + 12, TOP + HEIGHT * len(order) + 40
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="12" role="img">',
        "<title>Share of dependents that turn round, by language pair and relation</title>",
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        '<text x="12" y="20" font-size="14">Dependents on the other side of their head in the '
        "translation, per cent</text>",
    ]
    for column, relation in enumerate(relations):
        x = LEFT + WIDTH * column + WIDTH / 2
        parts.append(
            f'<text x="{x}" y="{TOP - 8}" transform="rotate(-40 {x} {TOP - 8})">{relation}</text>'
        )
    for row, pair in enumerate(order):
        y = TOP + HEIGHT * row
        parts.append(f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{escape(pair)}</text>')
        for column, relation in enumerate(relations):
            turns, total = pairs[pair].get(relation, [0, 0])
            x = LEFT + WIDTH * column
            if total < FEW:
                at = f'x="{x + WIDTH / 2}" y="{y + 16}"'
                parts.append(f'<text {at} text-anchor="middle" fill="#555">·</text>')
                continue
            share = turns / total
            shade = [round(255 + share * (end - 255)) for end in (8, 69, 148)]
            ink = "#fff" if share > 0.45 else "#111"
            parts.append(
                f'<rect x="{x}" y="{y}" width="{WIDTH - 1}" height="{HEIGHT - 1}" '
                f'fill="rgb({",".join(map(str, shade))})"/>'
                f'<text x="{x + WIDTH / 2}" y="{y + 16}" text-anchor="middle" fill="{ink}">'
                f"{100 * share:.0f}</text>"
            )
    parts.append(
        f'<text x="12" y="{height - 14}" fill="#444">Pairs by how much turns round in all; '
        f"·: fewer than {FEW} such dependents.</text></svg>"
    )
    return "\n".join(parts) + "\n"


def share_of(found: dict[str, list[int]]) -> float:
    """Return the share of all dependents that turns round."""
    return sum(turns for turns, _ in found.values()) / sum(total for _, total in found.values())


def regular(found: dict[str, list[int]]) -> float:
    """Return the share that would be right in addition if each relation that mostly turns did."""
    won = sum(max(0, 2 * turns - total) for turns, total in found.values())
    return won / sum(total for _, total in found.values())


def ranked(values: Sequence[float]) -> Float64:
    """Return ranks, those of equal values their mean."""
    given = np.array(values)
    return np.array([(given < each).sum() + ((given == each).sum() + 1) / 2 for each in given])


def spearman(one: Sequence[float], other: Sequence[float]) -> tuple[float, float]:
    """Return the rank correlation, and the share of permutations that are as far from 0."""
    x, y = (each - each.mean() for each in (ranked(one), ranked(other)))
    norm = float(np.sqrt((x @ x) * (y @ y)))
    generator = np.random.default_rng(SEED)
    drawn = np.array([generator.permutation(x) @ y for _ in range(PERMUTATIONS)]) / norm
    found = float(x @ y) / norm
    return found, float((np.abs(drawn) >= abs(found) - 1e-12).mean())


def predictors(
    pairs: dict[str, dict[str, list[int]]], kept: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return what goes with the gain, over the directions from English and over all."""
    rows = []
    for name, row in kept.items():
        if not name.endswith(("trees by en", "words alone")):
            continue
        frs, tau = (row["scores"]["default"][metric] for metric in ("frs", "kendall"))
        title = name.partition(", ")[0]
        rows.append(
            {
                "from English": title in pairs,
                "gain": frs["value"] - frs["source"],
                "FRS of the source order": frs["source"],
                "tau of the source order": tau["source"],
                "sentences": row["sentences"],
                **(
                    {
                        "share of dependents that turn": share_of(pairs[title]),
                        "share won by turning whole relations": regular(pairs[title]),
                    }
                    if title in pairs
                    else {}
                ),
            }
        )
    found = []
    for name in [key for key in rows[0] if key not in ("from English", "gain")]:
        for group in (True, False):
            some = [row for row in rows if row["from English"] == group and name in row]
            if len(some) < 3:
                continue
            r, p = spearman([row[name] for row in some], [row["gain"] for row in some])
            found.append(
                {
                    "what": name,
                    "directions": "from English, trees" if group else "into English, words",
                    "n": len(some),
                    "rho": round(r, 3),
                    "p": round(p, 4),
                }
            )
    return found


def page(results: dict[str, Any]) -> str:
    """Write the map as a table, and what predicts the gain."""
    relations = results["relations"]
    parts = ["# Relations that turn round\n", (__doc__ or "").split("\n\n")[1], ""]
    parts += ["![Share of dependents that turn round](pair_relations.svg)\n"]
    parts += [f"| pair | all | {' | '.join(relations)} |", "|---" * (len(relations) + 2) + "|"]
    for pair, found in results["pairs"].items():
        cells = [
            f"{100 * found[name][0] / found[name][1]:.0f} ({found[name][1]})"
            if found.get(name, [0, 0])[1] >= FEW
            else "–"
            for name in relations
        ]
        parts.append(f"| {pair} | {100 * share_of(found):.0f} | {' | '.join(cells)} |")
    parts += ["", "Per cent, and of how many.", "", "## What goes with the gain\n"]
    parts += ["| | directions | n | Spearman's ρ | p |", "|---|---|---|---|---|"]
    for row in results["predictors"]:
        parts.append(
            f"| {row['what']} | {row['directions']} | {row['n']} | {row['rho']:.2f} | {row['p']} |"
        )
    return "\n".join([*parts, "", results["made"], ""])


def main() -> None:
    """Count the relations of all pairs and keep the results."""
    arguments = arguments_of(__doc__)
    started = time.process_time()
    pairs = {name: turned(rows) for name, rows in pairs_of(arguments.data)}
    kept = json.loads((OUTPUT / "language_pairs.json").read_text("utf-8"))["pairs"]
    relations = on_the_map(pairs)
    results = {
        "pairs": pairs,
        "relations": relations,
        "predictors": predictors(pairs, kept),
        "seed": SEED,
    }
    (arguments.output / "pair_relations.svg").write_text(picture(pairs, relations), "utf-8")
    keep(arguments.output, "pair_relations", results, page, started)


if __name__ == "__main__":
    main()
