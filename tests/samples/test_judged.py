"""Checks of the made-up judgements that use none of the package's own code."""

import csv
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path

SAMPLE = files("wordorder") / "samples" / "judged"
SYSTEMS = ("alder", "birch", "cedar", "elm", "fir", "hazel")
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "shipped" / "make_sample_judgements.py"


def lines(name: str) -> list[str]:
    return (SAMPLE / name).read_text("utf-8").splitlines()


def test_the_script_writes_these_files() -> None:
    done = subprocess.run([sys.executable, SCRIPT, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_texts_have_a_line_a_segment() -> None:
    for name in ("source.ja", "reference.en", *(f"{system}.en" for system in SYSTEMS)):
        assert len(lines(name)) == 40, name
        assert all(line.split() for line in lines(name)), name
    assert set(lines("reference.en")) <= set(
        (files("wordorder") / "samples" / "enja" / "source.en").read_text("utf-8").splitlines()
    )


def test_the_mean_ratings_are_those_of_the_ratings() -> None:
    rows = list(csv.DictReader(lines("ratings.tsv"), delimiter="\t"))
    assert len(rows) == 432
    assert {row["rater"] for row in rows} == {"rater1", "rater2", "rater3"}
    found: dict[tuple[str, int], list[int]] = {}
    for row in rows:
        value = int(row["value"])
        assert 0 <= value <= 100
        found.setdefault((row["system"], int(row["item"])), []).append(value)
    scores = [line.split("\t") for line in lines("human.seg.score")]
    assert [name for name, _ in scores] == [name for name in SYSTEMS for _ in range(40)]
    for place, (name, score) in enumerate(scores):
        values = found.get((name, place % 40 + 1))
        assert (score == "None") == (values is None)
        assert values is None or abs(float(score) - sum(values) / len(values)) <= 0.005


def test_rankings_are_of_five_systems() -> None:
    rows = list(csv.DictReader(lines("rankings.csv")))
    assert len(rows) == 108
    for row in rows:
        names = [row[f"system{n}Id"] for n in range(1, 6)]
        ranks = [int(row[f"system{n}rank"]) for n in range(1, 6)]
        assert len(set(names)) == 5
        assert set(names) <= set(SYSTEMS)
        assert set(ranks) == set(range(1, max(ranks) + 1))
        assert 1 <= int(row["segmentId"]) <= 40
    again = Counter((row["judgeId"], row["segmentId"]) for row in rows)
    assert sorted(Counter(again.values()).items()) == [(1, 72), (2, 18)]


def test_it_is_small_and_says_that_it_is_made_up() -> None:
    assert sum(len(path.read_bytes()) for path in SAMPLE.iterdir()) < 60_000
    assert "Nothing in this folder is real" in (SAMPLE.parent / "README.md").read_text("utf-8")  # type: ignore[attr-defined]
