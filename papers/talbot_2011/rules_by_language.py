"""FRS of rule sets from English to six languages: references from links by hand and by `align`.

Trees are those made by hand where there are some (PUD), elsewhere those of the model `en`. The
automatic links are those of `wordorder align` on the sentences of the set alone, as of a user with
little text. Words without a link are left out of the reference. Links of PUD made by hand are those
of content words, so that its AER counts automatic links of other words as errors.

    nice -n 19 python -m papers.talbot_2011.rules_by_language DATA
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import wordorder as wo
from papers.keeping import arguments_of, keep
from papers.rule_corpora import Parallel, kftt_dev, lines_of, words_of, wpt05_hindi
from papers.talbot_2011.talbot_rules import XU, agreement
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.treebank import read_treebank

RULES = ("R1", "head-final", XU, "R5", "vso")
# Languages of PUD whose links to English were made by hand.
PUD = {"ja": "Japanese", "ko": "Korean", "ar": "Arabic", "zh": "Chinese", "fr": "French"}
MODEL = "en"


def pud_by_hand(data: Path, language: str) -> Parallel:
    """Read PUD in English and another language: gold trees, links of content words by hand."""
    folder = data / "pud-word-alignments" / f"en-{language}"
    trees = read_treebank(folder / "en.conllu.gz")
    links = wo.read_alignments(folder / f"en-{language}.align.gz", source_lengths=trees.lengths)
    return Parallel(trees, lines_of(folder / f"{language}.tok.gz"), links)


def corpora(data: Path) -> dict[str, Parallel]:
    """Read all sets, by the names of the rows."""
    pud = {f"{name} (PUD)": pud_by_hand(data, language) for language, name in PUD.items()}
    return {
        **pud,
        "Japanese (KFTT dev)": kftt_dev(data, MODEL),
        "Hindi (WPT 2005)": wpt05_hindi(data, MODEL),
    }


def measured(corpus: Parallel) -> dict[str, Any]:
    """Evaluate the rule sets on a set with both kinds of links."""
    words = [[word.lower() for word in row] for row in words_of(corpus.trees)]
    automatic = wo.align(words, corpus.target)
    rows: dict[str, Any] = {"automatic links": agreement(corpus.links, automatic)}
    for kind, links in (("by hand", corpus.links), ("automatic", automatic)):
        reference = Parallel(corpus.trees, corpus.target, links).reference()
        grid = evaluate_grid(reference, {"trees": corpus.trees}, RULES, metrics=["frs"])
        rows[kind] = {
            "scored": grid.evaluation.segments - grid.evaluation.skipped,
            "frs": {
                system.name: [round(each, 4) for each in (one.value, one.low, one.high)]
                for system, one in zip(grid.evaluation.systems, grid.estimates[0], strict=True)
            },
        }
    return rows


def markdown(kept: dict[str, Any]) -> str:
    """Write the page."""
    systems = list(next(iter(kept["sets"].values()))["by hand"]["frs"])
    lines = [
        "# Rule sets by language, with links by hand and by `align`",
        "",
        "FRS with 95 % intervals; **bold** is the best of a row. AER is of the automatic links.",
        "",
        f"| to | links | scored | {' | '.join(systems)} |",
        f"|---|---|---|{'---|' * len(systems)}",
    ]
    for name, rows in kept["sets"].items():
        for kind in ("by hand", "automatic"):
            values = rows[kind]["frs"]
            best = max(value for value, *_ in values.values())
            cells = []
            for value, low, high in values.values():
                number = f"**{value:.3f}**" if value == best else f"{value:.3f}"
                cells.append(f"{number} [{low:.3f}, {high:.3f}]")
            error = f", AER {rows['automatic links']['aer']:.3f}" if kind == "automatic" else ""
            lines.append(
                f"| {name} | {kind}{error} | {rows[kind]['scored']} | {' | '.join(cells)} |"
            )
    return "\n".join(lines) + "\n"


def run(data: Path) -> dict[str, Any]:
    """Measure all sets."""
    sets = {}
    for name, corpus in corpora(data).items():
        sets[name] = measured(corpus)
        shares = sets[name]["automatic links"]
        # All links made by hand count alike: sure.
        both = shares["precision"] + shares["recall"]
        shares["aer"] = round(1 - 2 * shares["precision"] * shares["recall"] / both, 4)
    return {"sets": sets}


if __name__ == "__main__":
    given = arguments_of(__doc__)
    begun = time.process_time()
    keep(given.output, "rules_by_language", run(given.data), markdown, begun)
