"""How fast columns of tables become segments, against Python lists of the same rows.

Run: ``python benchmarks/columns.py``; the result goes to ``benchmarks/results/columns.json``.
CPU seconds (user and system) of this process, the best of several runs; each figure is the ratio
to the list.
"""

from __future__ import annotations

import importlib
import json
import platform
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from wordorder import Segments

ROWS = 200_000
RUNS = 5
RESULT = Path(__file__).parent / "results" / "columns.json"


def sentences(rng: np.random.Generator, rows: int) -> list[str]:
    """Draw sentences of 5 to 40 words, some of them not ASCII."""
    words = np.array([f"word{i}" if i % 7 else f"wörd{i}" for i in range(5000)], object)
    drawn = words[(5000 * rng.random(int(rows * 23)) ** 2).astype(np.int64)]
    lengths = rng.integers(5, 41, rows)
    ends = np.minimum(np.cumsum(lengths), len(drawn)).tolist()
    return [" ".join(drawn[a:b]) for a, b in zip([0, *ends], ends, strict=False)]


def orders(rng: np.random.Generator, rows: int) -> list[list[int]]:
    """Draw permutations of 5 to 40 words."""
    return [rng.permutation(int(n)).tolist() for n in rng.integers(5, 41, rows)]


def seconds(work: Callable[[], object]) -> float:
    """Return the CPU seconds of the fastest of some runs."""
    best = float("inf")
    for _ in range(RUNS):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def makers() -> dict[str, Callable[[Any], Any]]:
    """Return what makes a column of rows, for each library that is installed."""
    found: dict[str, Callable[[Any], Any]] = {}
    for library, name in (("pyarrow", "array"), ("polars", "Series"), ("pandas", "Series")):
        try:
            found[library] = getattr(importlib.import_module(library), name)
        except ImportError:
            print(f"{library} is not installed: left out")
    return found


def main() -> None:
    """Measure, print and keep the ratios."""
    rng = np.random.default_rng(1)
    text, other = sentences(rng, ROWS), sentences(rng, ROWS)
    ours = orders(rng, ROWS)
    theirs = [list(range(len(row))) for row in ours]
    lists = {
        "from_text": seconds(partial(Segments.from_text, text, other)),
        "from_orders": seconds(partial(Segments.from_orders, ours, theirs)),
    }
    result: dict[str, Any] = {
        "rows": ROWS,
        "python": platform.python_version(),
        "list_seconds": {name: round(value, 3) for name, value in lists.items()},
        "ratio_to_list": {},
    }
    for library, make in makers().items():
        columns = [make(rows) for rows in (text, other, ours, theirs)]
        measured = {
            "from_text": seconds(partial(Segments.from_text, *columns[:2])),
            "from_orders": seconds(partial(Segments.from_orders, *columns[2:])),
        }
        ratios = {name: round(value / lists[name], 3) for name, value in measured.items()}
        result["ratio_to_list"][library] = ratios
        print(library, ratios)
    RESULT.write_text(json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
