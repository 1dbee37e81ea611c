"""Run all benchmarks, one after the other; keep their figures in results/ and in the README.

    python benchmarks/run_all.py            # all but the longest
    python benchmarks/run_all.py --check    # which kept figures are older than what they measure

The page of measurements is made from results/ while the site is built.
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from pathlib import Path

import measurements_page
from measuring import BENCHMARKS, RESULTS

# Modules that register benchmarks when they are imported.
for _module in (
    *("aligners", "engines", "languages", "meta_evaluation", "parsers", "people_server"),
    *("processes", "rates", "reordering"),
):
    importlib.import_module(_module)

REGULAR = tuple(name for name, known in BENCHMARKS.items() if known.regular)
ROOT = Path(__file__).parents[1]


def stale(name: str) -> str:
    """Return why a kept result is stale; empty when it is not."""
    report = json.loads((RESULTS / f"{name}.json").read_text("utf-8"))
    if "date" not in report:
        return "names no day"
    for place in BENCHMARKS[name].measures:
        path = f"src/wordorder/{place}"
        changed = subprocess.run(
            ["git", "log", "-1", "--format=%cI", f"--since={report['date']}", "--", path],
            cwd=ROOT,
            capture_output=True,
            encoding="utf-8",
            check=False,
        ).stdout.strip()
        if changed:
            return f"{path} has changed since, last on {changed[:10]}"
    return ""


def main() -> None:
    """Run each in a process of its own, so that none warms up another."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the scripts out")
    parser.add_argument("-o", "--output", metavar="FOLDER", help=f"instead of {RESULTS.name}/")
    parser.add_argument("--check", action="store_true", help="only name the results that are stale")
    parser.add_argument("--page", action="store_true", help="only write the README's table")
    options = parser.parse_args()
    if options.check:
        print(f"{'result':<22} {'day':<11} stale")
        for name, report in measurements_page.read(RESULTS):
            print(f"{name:<22} {report.get('date', '-')[:10]:<11} {stale(name)}".rstrip())
        return
    more = ["--quick"] * options.quick + (["-o", options.output] if options.output else [])
    for name in () if options.page else REGULAR:
        print(f"\n== {name}", flush=True)
        script = Path(__file__).with_name(BENCHMARKS[name].script)
        subprocess.run([sys.executable, str(script), name, *more], check=True)
    if not more:
        readme = measurements_page.README
        table = measurements_page.readme_table(RESULTS)
        readme.write_text(measurements_page.with_table(readme.read_text("utf-8"), table), "utf-8")


if __name__ == "__main__":
    main()
