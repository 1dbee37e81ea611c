"""Run all benchmarks, one after the other; keep their figures in results/ and in the docs."""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import measurements_page
from measuring import RESULTS

BENCHMARKS = (
    *("command_line", "command_line_text", "beside_wc", "order_metrics", "text_metrics"),
    *("bleu_chrf", "beside_compare_mt", "analyze_translations"),
    *("growth", "resampling", "trees", "reading", "aligners", "treebank"),
    *("reordering", "evaluation", "language_model", "decoder", "tuning_round"),
)


def main() -> None:
    """Run each in a process of its own, so that none warms up another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the scripts out")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help=f"instead of {RESULTS.name}/"
    )
    parser.add_argument(
        "--page", action="store_true", help="only write the page of the figures that are kept"
    )
    options = parser.parse_args()
    if options.page:
        measurements_page.write(BENCHMARKS)
        return
    for name in BENCHMARKS:
        print(f"\n== {name}", flush=True)
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py"))]
        if options.quick:
            command.append("--quick")
        if options.output is not None:
            command += ["-o", str(options.output / f"{name}.json")]
        subprocess.run(command, check=True)
    if not options.quick and options.output is None:
        measurements_page.write(BENCHMARKS)


if __name__ == "__main__":
    main()
