"""Two translations are compared on the words of the reference that both match; compare says so."""

from pathlib import Path

import pytest
from tests.cli.running import call, write

# By hand, FRS = 1 - (chunks - 1) / (words - 1). A and B both match a b c d of the first sentence
# and the cat sat of the second: 7 of 14 words. There A is 1 0 2 3, three chunks, and 1 0 2, three
# chunks: (1/3 + 0) / 2; B is in order: 1. On its own words A is 1/3, 1/3 (cat the sat mat: 1 0 2 3)
# and 0; B is 1. C matches no word.
REFERENCE = "a b c d e f\nthe cat sat on the mat\nx y\n"
SYSTEMS = {
    "A": "b a c d\ncat the sat mat\nq\n",
    "B": "a b c d e f\nthe cat sat on\nx y\n",
    "C": "q\nq\nq\n",
}


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    paths = [write(tmp_path, name, text) for name, text in SYSTEMS.items()]
    reference = write(tmp_path, "ref", REFERENCE)
    return ["compare", reference, "-i", *paths, "-m", "frs,bleu", "--aligner", "exact"]


def test_common_words(command: list[str]) -> None:
    frs, bleu = call(*command, "--format", "json").good().json["metrics"]
    first, *others = frs["pairs"]
    assert first["difference"] == pytest.approx(5 / 6)
    assert first["common"] == 0.5
    for pair in others:
        assert pair["common"] == 0
        assert [pair[name] for name in ("difference", "interval_95", "p", "mark")] == [None] * 4
    assert "|words:common|" in frs["signature"]
    assert "words:" not in bleu["signature"]
    assert all(pair["common"] is None for pair in bleu["pairs"])


def test_own_words(command: list[str]) -> None:
    frs, _ = call(*command, "--words", "own", "--format", "json").good().json["metrics"]
    assert [pair["common"] for pair in frs["pairs"]] == [None] * 3
    assert frs["pairs"][0]["difference"] == pytest.approx(7 / 9)
    assert "words:" not in frs["signature"]


def test_shares_are_shown(command: list[str]) -> None:
    text = call(*command).good().text
    frs, bleu = text.split("bleu ↑")
    rows = [line.split() for line in frs.splitlines()]
    assert "pair   difference  95 % interval     p             common words" in frs
    assert rows.count(["C", "-", "A", "not", "compared", "0", "%"]) == 1
    assert any(row[:3] == ["B", "-", "A"] and row[-2:] == ["50", "%"] for row in rows)
    assert "without a common pair of words: A and C or B and C." in " ".join(frs.split())
    assert "common words" not in bleu
    table = call(*command, "--format", "tsv").good().text
    header, first, second, *_ = (row.split("\t") for row in table.splitlines())
    assert header[-2:] == ["common", "signature"]
    assert (first[8], second[3:9]) == ("0.5", ["", "", "", "", "not compared", "0.0"])


def test_orders_have_all_words(tmp_path: Path) -> None:
    reference, system = (write(tmp_path, f"{n}.orders", "1 0 2\n0 1\n") for n in ("ref", "sys"))
    arguments = ["compare", reference, "-i", system, system.replace("sys", "ref"), "-m", "frs"]
    (frs,) = call(*arguments, "--format", "json").good().json["metrics"]
    assert frs["pairs"][0]["common"] is None
    assert "common words" not in call(*arguments).good().text
