"""The kept figures as tables: of the page of measurements, and of the README."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from measuring import readable

README = Path(__file__).parents[1] / "README.md"
BEGIN = "<!-- The table is written by benchmarks/run_all.py from the kept figures. -->\n"
END = "<!-- End of the table. -->\n"
# Rows of the README: what it calls the work, the benchmark, and the name of the figure.
ROWS = (
    (
        "`score -m frs,kendall`, two files of 20,000 lines, whole process",
        "command_line",
        "score -m frs,kendall, 20,000 lines, near",
    ),
    ("`ter`, same edit counts as sacreBLEU", "text_metrics", "ter"),
    ("`ribes`", "text_metrics", "ribes"),
    ("`bleu`, statistics from strings", "bleu_chrf", "bleu, 13a: statistics, from strings"),
    (
        "1,000 paired resamples, two systems, 20,000 rows",
        "resampling",
        "frs, 1,000 paired resamples, threads: 1",
    ),
    ("aligning 51,000 sentence pairs, both directions", "aligners", "51,000 pairs, agreement"),
    ("`R5` on trees of 21 words", "reordering", "R5, single trees"),
    ("parsing UD English EWT, gold tags, greedy", "parsers", "greedy: gold tags"),
    ("the same, beam 8", "parsers", "beam-8: gold tags"),
    ("the same with own tags", "parsers", "pipeline: own tags"),
    ("parsing, greedy", "parsers", "greedy: speed"),
    ("parsing, beam 8", "parsers", "beam-8: speed"),
)


def page(results: Path) -> str:
    """Return the tables of all figures in the folder `results` as Markdown."""
    return "\n".join(_section(report) for _, report in read(results))


def readme_table(results: Path) -> str:
    """Return the table of the README; others are of the same run, or published as it says."""
    kept = dict(read(results))
    lines = ["| | wordorder | others |", "|---|---|---|"]
    for label, benchmark, name in ROWS:
        (figure,) = (each for each in kept[benchmark]["figures"] if each["name"] == name)
        others = [f"{peer} {readable(of['value'])}" for peer, of in figure.get("peers", {}).items()]
        quoted = figure.get("details", {}).get("quoted", {})
        told = [f"{peer} {readable(value)}" for peer, value in quoted.items()]
        if told:
            others.append(f"once: {', '.join(told)}")
        value = f"{readable(figure['value'])} {figure['unit']}"
        lines.append(f"| {label} | {value} | {'; '.join(others)} |")
    return "\n".join(lines) + "\n"


def with_table(readme: str, table: str) -> str:
    """Return the README with this table in place of its own."""
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def read(results: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the content of each kept result."""
    for path in sorted(results.glob("*.json")):
        yield path.stem, json.loads(path.read_text("utf-8"))


def _section(report: dict[str, Any]) -> str:
    machine = report["machine"]
    made = f"{report['date'][:10]}, version {report['versions']['wordorder']}, "
    made += f"{machine['processor']}, {machine['cores']} cores, "
    made += f"Python {machine['python']}, load {machine['load_before'][0]:.1f}"
    lines = [f"## {report['benchmark']}\n", f"{made}.\n"]
    lines += ["| figure | value | asked | others |", "|---|---:|---:|---|"]
    lines += [_row(figure) for figure in report["figures"]]
    return "\n".join(lines) + "\n"


def _row(figure: dict[str, Any]) -> str:
    asked = ""
    for limit, sign in (("at_least", "≥"), ("at_most", "≤")):
        if limit in figure.get("asked", {}):
            asked = f"{sign} {readable(figure['asked'][limit])}"
            asked += "" if figure["met"] else " (**not met**)"
    others = "; ".join(
        f"{name} {readable(peer['value'])} ({readable(peer['times_better'])} times)"
        for name, peer in figure.get("peers", {}).items()
    )
    value = f"{readable(figure['value'])} {figure['unit']}".rstrip()
    cells = (figure["name"], value, asked, others)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
