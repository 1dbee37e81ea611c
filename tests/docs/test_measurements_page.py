"""The page of measurements has the figures that the benchmarks keep."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_has_the_figures_that_are_kept() -> None:
    script = "import run_all, measurements_page as m; print(m.page(m.RESULTS, run_all.BENCHMARKS))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    page = ROOT / "docs/reference/measurements.md"
    assert page.read_text("utf-8").rstrip() == done.stdout.rstrip(), "run_all.py --page writes it"
