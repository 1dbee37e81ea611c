"""Write docs/reference/measurements.md: every figure in results/, with its date."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from measuring import RESULTS, readable

PAGE = Path(__file__).parents[1] / "docs/reference/measurements.md"
_HEAD = """# Measurements

All figures that `benchmarks/` keeps, as its scripts print them. `python benchmarks/run_all.py`
measures those of the first part again, one after the other, and writes this page. The scripts of
the second part need hours or other programs, and are run one by one. A rate is per CPU second of
the fastest run. "Others" are programs that did the same work in the same run, with how many times
better `wordorder` is.

Machines differ and are shared: compare ratios rather than seconds.
"""


def page(results: Path, regular: tuple[str, ...]) -> str:
    """Return the page as Markdown.

    Parameters
    ----------
    results : Path
        The folder of JSON files.
    regular : tuple of str
        The benchmarks that `run_all.py` runs, in its order.
    """
    kept: dict[str, dict[str, Any]] = {}
    for path in sorted(results.glob("*.json")):
        report = json.loads(path.read_text("utf-8"))
        if "figures" in report:
            kept[path.stem] = report
    ordered = [name for name in regular if name in kept]
    others = [name for name in kept if name not in regular]
    parts = [_HEAD, "## Measured together\n", *(_section(kept[name]) for name in ordered)]
    parts += ["## Measured one by one\n", *(_section(kept[name]) for name in others)]
    return "\n".join(parts)


def _section(report: dict[str, Any]) -> str:
    machine = report["machine"]
    made = f"{report['date'][:10]}, {machine['processor']}, {machine['cores']} cores, "
    made += f"Python {machine['python']}, load {machine['load_before'][0]:.1f}"
    lines = [f"### {report['benchmark']}.py\n", f"{made}.\n"]
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


def write(regular: tuple[str, ...]) -> None:
    """Write the page of the figures that are kept."""
    PAGE.write_text(page(RESULTS, regular), "utf-8")
