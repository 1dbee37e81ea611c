#!/usr/bin/env python3
"""How often does `wordorder analyze` call a difference sure where there is none?

    python -m papers.differences.null_findings DATA

Two systems are mixed line by line, by lot: each of two new systems has about half of the lines of
either. They differ by chance alone. They are analysed as a user would, and what the findings call
sure is counted: the difference as a whole (which is the test of the answer, at 95 %), parts of it,
and all other findings that compare systems.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from papers.differences.planted_differences import lines, parsed
from papers.keeping import arguments_of, keep
from wordorder.analysis.section import Finding
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.files import translations_of
from wordorder.statistics.intervals import wilson_interval
from wordorder.treebank.treebank import Treebank

# The corpus, and the two systems that are mixed: near ones and different ones.
MIXED = (
    ("TED", "ted.sys1", "ted.sys2"),
    ("WMT12 de-en", "RWTH_primary", "jhu-hiero"),
)
DRAWS = 100
KINDS = ("the whole difference", "a part of it, or words that one lacks", "another finding")


def sure_kinds(
    references: list[str], trees: Treebank, systems: tuple[list[str], list[str]], seed: int
) -> list[bool]:
    """Mix two systems and say which of `KINDS` the findings call sure."""
    first = np.random.default_rng(seed).random(len(references)) < 0.5
    one, other = (
        [a if takes else b for takes, a, b in zip(chosen.tolist(), *systems, strict=True)]
        for chosen in (first, ~first)
    )
    made = translations_of({"A": one, "B": other}, references, metrics="frs,kendall,cder")
    report = analyze(replace(made, trees=trees))
    found: list[Finding] = [each for section in report.sections for each in section.findings]
    whole = next(each for each in found if each.level == 0)
    parts = any(each.level == 1 and each.sure for each in found)
    parts |= (
        "no part of it is significant" not in whole.sentence or "Fewer matches" in whole.sentence
    )
    tested = [each for each in found if each.compared is not None or each.p_value is not None]
    others = any(not each.sentence.endswith("This may be chance.") for each in tested)
    return [whole.sure, parts, others]


def measured(data: Path) -> dict[str, Any]:
    """Mix all pairs."""
    rows = []
    for corpus, *names in MIXED:
        references = lines(data, corpus, "ted.ref" if corpus == "TED" else "reference")
        one, other = (lines(data, corpus, name) for name in names)
        trees = parsed(references)
        found = np.array(
            [sure_kinds(references, trees, (one, other), seed) for seed in range(DRAWS)]
        )
        rows.append(
            {
                "corpus": corpus,
                "systems": names,
                "draws": DRAWS,
                "sure": found.sum(axis=0).tolist(),
                "any": int(found.any(axis=1).sum()),
                "any but the whole": int(found[:, 1:].any(axis=1).sum()),
            }
        )
        print(rows[-1], flush=True)
    return {"rows": rows}


def share(count: int, draws: int) -> str:
    """Write a share with its interval."""
    low, high = wilson_interval(count, draws)
    return f"{count} of {draws} ({100 * low:.1f} to {100 * high:.1f} %)"


def markdown(results: dict[str, Any]) -> str:
    """Write the counts as a page."""
    rows = results["rows"]
    draws = sum(row["draws"] for row in rows)
    page = [
        "# Findings where nothing is to be found",
        "",
        "Two systems are mixed line by line, by lot; the two mixtures differ by chance alone. "
        "Counted: the draws in which `wordorder analyze` calls something sure. The whole "
        "difference is the test of the answer, whose share of false claims is 5 % by itself.",
        "",
        "| corpus | mixed systems | " + " | ".join(KINDS) + " | anything |",
        "|---|---|---|---|---|---|",
    ]
    for row in rows:
        cells = [share(each, row["draws"]) for each in (*row["sure"], row["any"])]
        page.append(f"| {row['corpus']} | {', '.join(row['systems'])} | {' | '.join(cells)} |")
    sums = [sum(row["sure"][n] for row in rows) for n in range(len(KINDS))]
    cells = [share(each, draws) for each in (*sums, sum(row["any"] for row in rows))]
    page.append(f"| all | | {' | '.join(cells)} |")
    beyond = sum(row["any but the whole"] for row in rows)
    page += ["", f"A part or another finding: {share(beyond, draws)}.", "", results["made"], ""]
    return "\n".join(page)


def main() -> None:
    """Measure everything and keep it."""
    given = arguments_of(__doc__)
    started = time.process_time()
    keep(given.output, Path(__file__).stem, measured(given.data), markdown, started)


if __name__ == "__main__":
    main()
