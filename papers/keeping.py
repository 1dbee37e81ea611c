"""What experiments share: their arguments, how results are kept, and paired comparisons."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from papers.parts import parts_of
from wordorder.arrays import Float64
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import paired_bootstrap

_QUIET: dict[str, Any] = {"capture_output": True, "text": True, "check": True}
# Results stand beside the script that runs.
OUTPUT = Path(sys.argv[0]).resolve().parent


def arguments_of(description: str | None, *, systems: bool = False) -> argparse.Namespace:
    """Read the folder of corpora, that of kept scores or translation systems, and of results."""
    parser = argparse.ArgumentParser(description=(description or "").split("\n")[0])
    data = os.environ.get("WORDORDER_DATA")
    parser.add_argument("data", type=Path, nargs="?", default=data, help="the folder of corpora")
    kept = "where systems are kept" if systems else "where scores are kept for the next run"
    parser.add_argument("--cache", type=Path, required=systems, help=kept)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    if systems:
        parser.add_argument("--so-far", action="store_true", help="make no system")
    given = parser.parse_args()
    if given.data is None:
        parser.error("give the folder of corpora, or set WORDORDER_DATA")
    given.data = Path(given.data)
    return given


def commit() -> str:
    """Return the commit of this repository, with a plus if code or experiments differ from it."""
    git = ("git", "-C", str(Path(__file__).parent))
    # Results that were written a moment ago, or a page of documentation, made nothing.
    code = (":/src", ":(top,glob)papers/**/*.py", ":(top,glob)tools/shipped/*.py")
    try:
        head = subprocess.run([*git, "rev-parse", "--short=8", "HEAD"], **_QUIET)
        changed = subprocess.run([*git, "status", "--porcelain", "-uno", "--", *code], **_QUIET)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head.stdout.strip()}{'+' if changed.stdout.strip() else ''}"


def keep(
    folder: Path,
    name: str,
    results: dict[str, Any],
    markdown: Callable[[dict[str, Any]], str],
    started: float,
) -> None:
    """Write results as JSON and as a page, and print the page."""
    kept = stamp() | results
    kept["cpu_seconds"] = round(time.process_time() - started, 1)
    kept["made"] = made_by(kept)
    page = markdown(kept)
    write(folder, name, kept, page)
    print(page)


def stamp() -> dict[str, Any]:
    """Return the day of a run, and what made it: versions and commit."""
    versions = {
        "wordorder": wo.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }
    return {"date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(), "versions": versions}


def made_by(stamped: Mapping[str, Any]) -> str:
    """Return the line below a page that says what made it."""
    versions = stamped["versions"]
    return f"{stamped['date']}, wordorder {versions['wordorder']}, commit {versions['commit']}."


def write(folder: Path, name: str, results: Mapping[str, Any], page: str | None = None) -> None:
    """Write results with their stamp as JSON, and a page with its line."""
    kept = stamp() | dict(results)
    kept.setdefault("rests on", parts_of(name))
    folder.mkdir(exist_ok=True)
    text = json.dumps(kept, indent=1, ensure_ascii=False) + "\n"
    (folder / f"{name}.json").write_text(text, encoding="utf-8")
    if page is not None:
        made = made_by(kept)
        page = page if made in page else f"{page.rstrip()}\n\n{made}\n"
        (folder / f"{name}.md").write_text(page, encoding="utf-8")


def marked(mean: float, deviation: float) -> str:
    """Write ``mean ± deviation``."""
    return f"{mean:.3f} ± {deviation:.3f}"


def compared(base: list[Float64], other: list[Float64], metric: str) -> dict[str, Any]:
    """Compare two parsers over the same sentences; the statistics are means over the seeds."""
    means = [np.mean(each, axis=0) for each in (base, other)]
    made = wo.metric(metric)
    (test,) = paired_bootstrap([Measurement(means, made.score)], resamples=2000)
    pair = test.pair(0, 1)
    low, high = pair.interval_95 or (0.0, 0.0)
    each = [
        float(made.score(two.sum(axis=0)) - made.score(one.sum(axis=0)))
        for one, two in zip(base, other, strict=True)
    ]
    return {
        "value": round(float(made.score(means[1].sum(axis=0))), 4),
        "difference": round(pair.difference, 4),
        "interval": [round(low, 4), round(high, 4)],
        "seeds": [round(value, 4) for value in each],
    }
