"""The results of `talbot_rules.py` as tables for a reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

Table = dict[str, Any]


def markdown(results: Table) -> str:
    """Lay the results out as Markdown."""
    return "\n".join(_lines(results)) + "\n"


def _lines(results: Table) -> Iterator[str]:
    files = results["rule files"]
    yield "# Rule sets and parsers"
    yield ""
    yield f"Rules {files['R5']} and {files['R5-sd']}."
    yield "Marks: the system of the column is better (+) or worse (-) than that of the row, by a"
    yield "paired bootstrap of FRS, at 90 % (*) or 95 % (**)."
    yield ""
    for name, trained in results["models"].items():
        yield f"{name}: beam {trained['beam']}, {trained['epochs']} epochs, seed {trained['seed']}."
    for group in ("rules", "parsers", "stanford", "unseen"):
        for title, found in results[group].items():
            yield from _systems(title, found)
    yield ""
    yield "## Whole subtrees in the order of the reference"
    ceilings = [[title, f"{value:.4f}"] for title, value in results["ceilings"].items()]
    yield from _table(["corpus", "FRS"], ceilings)
    for title, found in results["references"].items():
        yield from _references(title, found)
    for title, found in results["parts"].items():
        for kind, rows in found.items():
            yield from _parts(f"What the {kind} of R5 add: {title}", rows)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield ""
    yield f"| {' | '.join(header)} |"
    yield "|" + "---|" * len(header)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def _systems(title: str, found: Table) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    rows = []
    for name, row in found["systems"].items():
        value, low, high = row["frs"]
        interval = f"[{low:.4f}, {high:.4f}]"
        others = [f"{row[metric][0]:.4f}" for metric in ("kendall", "exact")]
        rows.append([name, f"{value:.4f}", interval, *others])
    yield from _table(["system", "FRS", "95 %", "Kendall's tau", "exact"], rows)
    for triangle in found["triangles"]:
        names, marks = triangle["systems"], triangle["marks"]
        cells = [[names[i], *[""] * i, *row] for i, row in enumerate(marks)]
        yield from _table(["", *names[1:]], cells)
    for name, row in found.get("attachment", {}).items():
        yield ""
        yield f"{name}: " + ", ".join(f"{metric} {value:.4f}" for metric, value in row.items())
    yield ""
    left_out = f"; {found['left out']} sentences left out" if "left out" in found else ""
    yield f"n = {found['n']}{left_out}; {found['signatures'][0]}"


def _references(title: str, found: Table) -> Iterator[str]:
    yield ""
    yield f"## References by hand and automatic: {title}"
    for kind, each in found["links"].items():
        yield ""
        yield f"Links, {kind}: " + ", ".join(f"{name} {value:.4f}" for name, value in each.items())
    for unaligned, values in found["FRS"].items():
        rows = [
            [name, *(f"{each[name]:.4f}" for each in values.values())] for name in values["manual"]
        ]
        yield from _table([f"unaligned={unaligned}", *values], rows)
        for kind, each in found["rankings"][unaligned].items():
            differ = "; ".join(each["ranked differently"]) or "none"
            yield ""
            yield f"{kind}: tau of the rankings {each['tau']:.4f}; ranked differently: {differ}"


def _parts(title: str, rows: Table) -> Iterator[str]:
    yield ""
    yield f"## {title}"
    found = []
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["gain"]):
        low, high = row["interval"]
        interval = f"[{low:+.4f}, {high:+.4f}]"
        found.append([f"`{name}`", str(row["words"]), f"{row['gain']:+.4f}", interval, row["mark"]])
    yield from _table(["part", "words", "FRS", "95 %", "mark"], found)
