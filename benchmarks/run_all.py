"""Run all benchmarks, one after the other, and keep their figures in results/."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = ("command_line", "order_metrics", "growth", "resampling", "trees", "reading")


def main() -> None:
    """Run each in a process of its own, so that none warms up another."""
    for name in BENCHMARKS:
        print(f"\n== {name}", flush=True)
        script = Path(__file__).with_name(f"{name}.py")
        subprocess.run([sys.executable, script, *sys.argv[1:]], check=True)


if __name__ == "__main__":
    main()
