"""Run all benchmarks, one after the other; keep their figures in results/ and in the README.

The page of measurements is made from results/ while the site is built.
"""

from __future__ import annotations

import argparse
import json
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
# The code that each measures, beside its script: folders and files of the package.
MEASURED = {
    "aligners": "alignment kernels",
    "analyze_translations": "analysis report metrics kernels",
    "beside_compare_mt": "analysis metrics kernels",
    "beside_wc": "scoring metrics text order kernels",
    "bleu_chrf": "metrics/text text kernels",
    "columns": "arrow segments",
    "command_line": "cli scoring metrics order statistics kernels",
    "command_line_text": "cli scoring metrics text kernels",
    "decoder": "translation kernels",
    "engines": "scale scoring",
    "engine_tables": "scale text/table_cells.py",
    "evaluation": "analysis reordering metrics kernels",
    "evaluation_cell": "scoring metrics alignment kernels",
    "flat_memory": "scoring statistics",
    "growth": "metrics kernels",
    "language_model": "translation kernels",
    "languages": "parsing kernels",
    "meta_evaluation": "judgement statistics kernels",
    "order_metrics": "metrics/order order kernels",
    "parsers": "parsing kernels",
    "people_server": "people",
    "reading": "order alignment text kernels",
    "reordering": "reordering kernels",
    "resampling": "statistics kernels",
    "scale_plan": "scale",
    "text_metrics": "metrics/text alignment kernels",
    "treebank": "treebank text kernels",
    "trees": "order kernels",
    "tuning_round": "training/tuning translation kernels",
    "verbs_by_size": "scoring analysis alignment order parsing reordering kernels",
}
PACKAGE = "src/wordorder"


def stale(name: str) -> str:
    """Say why a kept result is stale; empty when it is not."""
    report = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    if "date" not in report:
        return "names no day"
    places = [f"{PACKAGE}/{place}" for place in MEASURED[name].split()]
    for place in (f"benchmarks/{name}.py", *places):
        changed = subprocess.run(
            ["git", "log", "-1", "--format=%cI", f"--since={report['date']}", "--", place],
            cwd=Path(__file__).parents[1],
            capture_output=True,
            encoding="utf-8",
            check=False,
        ).stdout.strip()
        if changed:
            return f"{place} has changed since, last on {changed[:10]}"
    return ""


def check() -> None:
    """Name each kept result with its day, and why it is stale."""
    print(f"{'result':<22} {'day':<11} stale")
    for name, report in measurements_page.read(RESULTS):
        print(f"{name:<22} {report.get('date', '-')[:10]:<11} {stale(name)}".rstrip())


def write_readme() -> None:
    """Write the README's table of the figures that are kept."""
    readme = measurements_page.README
    table = measurements_page.readme_table(RESULTS)
    readme.write_text(measurements_page.with_table(readme.read_text("utf-8"), table), "utf-8")


def main() -> None:
    """Run each in a process of its own, so that none warms up another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the scripts out")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FOLDER", help=f"instead of {RESULTS.name}/"
    )
    parser.add_argument("--check", action="store_true", help="only name the results that are stale")
    parser.add_argument(
        "--page", action="store_true", help="only write the README's table of the kept figures"
    )
    options = parser.parse_args()
    if options.check:
        check()
        return
    for name in () if options.page else BENCHMARKS:
        print(f"\n== {name}", flush=True)
        command = [sys.executable, str(Path(__file__).with_name(f"{name}.py"))]
        if options.quick:
            command.append("--quick")
        if options.output is not None:
            command += ["-o", str(options.output / f"{name}.json")]
        subprocess.run(command, check=True)
    if not options.quick and options.output is None:
        write_readme()


if __name__ == "__main__":
    main()
