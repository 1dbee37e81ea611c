"""``wordorder correlate`` as a program: what it prints, refuses and returns."""

from pathlib import Path

import pytest
from tests.cli.running import call

from wordorder.judgement import correlate
from wordorder.samples import sample_path

JUDGED = str(sample_path("judged.toml", "judged"))

FEW = ("-m", "per,f1", "--resamples", "20")


def test_json_has_the_numbers_of_python_unrounded() -> None:
    answer = call("correlate", JUDGED, *FEW, "--human", "rankings", "--format", "json").good()
    found = correlate(JUDGED, "per,f1", human="rankings", resamples=20)
    rows = [row for each in found.sets for row in each.rows]
    keys = ("metric", "unit", "statistic", "value", "low", "high", "n", "cluster")
    expected = [[getattr(row, key) for key in keys] for row in rows]
    assert [[each[key] for key in keys] for each in answer.json["results"]] == expected
    assert answer.json["averages"] == []


def test_what_score_prints_can_be_correlated(tmp_path: Path) -> None:
    outputs = sorted(Path(JUDGED).parent.glob("*.en"))
    systems = [f"{path.stem}={path}" for path in outputs if path.name != "reference.en"]
    scored = call(
        *("score", str(Path(JUDGED).with_name("reference.en")), "-i", *systems, "-m", "f1"),
        *("--segments", "--format", "tsv"),
    ).good()
    (tmp_path / "f1.tsv").write_text(scored.text)
    options = ("--human", "human", "--resamples", "20", "--format", "json")
    given = call("correlate", JUDGED, "--scores", tmp_path / "f1.tsv", *options).good()
    made = call("correlate", JUDGED, "-m", "f1", *options).good()
    for ours, theirs in zip(given.json["results"], made.json["results"], strict=True):
        assert ours["value"] == pytest.approx(theirs["value"], abs=1e-12)
        assert ours["n"] == theirs["n"]


@pytest.mark.usefixtures("only_data")
def test_page_and_pictures(tmp_path: Path) -> None:
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    options = ["-m", "per,f1", "--resamples", "20", "--seed", "3"]
    call("correlate", JUDGED, *options, "--html", page, "--figures", pictures).good()
    text = page.read_text("utf-8")
    assert "judged ja-en: pearson of systems" in text
    # The notes are on the page too.
    assert "--human rankings takes the rankings" in text
    names = sorted(path.name for path in pictures.iterdir())
    assert sum(name.startswith("correlations-") for name in names) == 2 * 4
    # Of both units: the coefficients, two metrics against people and against each other.
    assert len(names) == 2 * 4 * 4
    call("correlate", JUDGED, *options, "--html", tmp_path / "again.html").good()
    assert (tmp_path / "again.html").read_text("utf-8") == text


def test_soft_accuracy_rests_on_outputs() -> None:
    options = ["-m", "per,f1", "--human", "human", "--unit", "system", "--statistic", "spa"]
    # 36 segments of six systems were rated.
    assert "n = 216 outputs" in call("correlate", JUDGED, *options).good().text
