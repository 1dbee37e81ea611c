"""The README's table and the page of measurements have the figures that the benchmarks keep."""

import json
import subprocess
from datetime import datetime
from pathlib import Path

from tests.cli.running import python

ROOT = Path(__file__).parents[2]


def run(script: str) -> str:
    """Run Python beside the benchmarks."""
    code = f"import measurements_page as m, run_all as r; {script}"
    return python("-c", code, cwd=ROOT / "benchmarks").good().text


def test_the_readme_has_the_figures_that_are_kept() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    written = run(
        "print(m.with_table(m.README.read_text('utf-8'), m.readme_table(r.RESULTS)), end='')"
    )
    assert written == readme, "python benchmarks/run_all.py --page writes it"
    kept = json.loads((ROOT / "benchmarks/results/text_metrics.json").read_text("utf-8"))
    (ribes,) = (each for each in kept["figures"] if each["name"] == "ribes")
    assert f"| `ribes` | {ribes['value']:,.0f} pairs/s | nltk" in readme


def test_the_page_has_each_figure_that_is_kept() -> None:
    page = run("print(m.page(r.RESULTS))")
    for path in (ROOT / "benchmarks/results").glob("*.json"):
        for figure in json.loads(path.read_text("utf-8")).get("figures", ()):
            assert f"| {figure['name'].replace('|', chr(92) + '|')} | " in page, figure["name"]


def test_stale_results_are_named() -> None:
    """A result without a day, or of code that has changed since, is stale."""
    names = {path.stem for path in (ROOT / "benchmarks/results").glob("*.json")}
    measured = json.loads(
        run("import json; print(json.dumps({n: b.measures for n, b in r.BENCHMARKS.items()}))")
    )
    assert set(measured) == names
    for name, places in measured.items():
        for place in places:
            assert (ROOT / "src/wordorder" / place).exists(), (name, place)
    said = python("run_all.py", "--check", cwd=ROOT / "benchmarks").good().text
    for path in (ROOT / "benchmarks/results").glob("*.json"):
        (row,) = (row for row in said.splitlines() if row.startswith(f"{path.stem} "))
        day = json.loads(path.read_text("utf-8")).get("date")
        places = [f"src/wordorder/{each}" for each in measured[path.stem]]
        last = ["git", "log", "-1", "--format=%cI", "--", *places]
        changed = subprocess.run(last, cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
        times = [
            datetime.fromisoformat(each.replace("Z", "+00:00"))
            for each in (changed.stdout.strip(), day)
            if each
        ]
        fresh = len(times) == 2 and times[0] <= times[1]
        assert (len(row.split()) == 2) == fresh, row
