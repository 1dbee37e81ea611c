"""`wordorder correlate` writes its page and its pictures on the made-up sample."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

from tests.cli.running import call

from wordorder.samples import sample_path

SET = str(sample_path("judged.toml", "judged"))


def test_page_and_pictures(tmp_path: Path) -> None:
    page, pictures = tmp_path / "page.html", tmp_path / "pictures"
    options = ["-m", "per,f1", "--resamples", "20", "--seed", "3"]
    call("correlate", SET, *options, "--html", page, "--figures", pictures).good()
    text = page.read_text("utf-8")
    assert "judged ja-en: pearson of systems" in text
    # The notes are on the page too.
    assert "--human rankings takes the rankings" in text
    names = sorted(path.name for path in pictures.iterdir())
    assert sum(name.startswith("correlations-") for name in names) == 2 * 4
    # Of both units: the coefficients, two metrics against people and against each other.
    assert len(names) == 2 * 4 * 4
    for path in pictures.glob("*.svg"):
        ET.parse(path)
    call("correlate", SET, *options, "--html", tmp_path / "again.html").good()
    assert (tmp_path / "again.html").read_text("utf-8") == text


def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path) -> None:
    missing = tmp_path / "no" / "pictures"
    done = call("correlate", "no such set", "--figures", missing)
    done.refused(2, "cannot be created: no folder")


def test_soft_accuracy_rests_on_outputs() -> None:
    options = ["-m", "per,f1", "--human", "human", "--unit", "system", "--statistic", "spa"]
    # 36 segments of six systems were rated.
    assert "n = 216 outputs" in call("correlate", SET, *options).good().text
