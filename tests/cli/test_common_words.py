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
        assert [pair[name] for name in ("difference", "low95", "high95", "p")] == [None] * 4
        assert pair["mark"] == "not compared"
    assert "|words:common|" in frs["signature"]
    assert "words:" not in bleu["signature"]
    assert all(pair["common"] is None for pair in bleu["pairs"])


def test_pairs_that_are_not_compared_have_no_share_of_words(command: list[str]) -> None:
    (frs, _) = call(*command, "--format", "json").good().json["metrics"]
    assert frs["reading"].endswith(
        "not compared, without a common pair of words: A and C or B and C. Each other pair is "
        "compared on the words that both match: 50 % of the reference's."
    )


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


# FRS on own words, by hand: A is "a b c d" and six single words, 1 - 6 / 9 = 1/3; B is "b c d" and
# "a", 1 - 1 / 3 = 2/3. On a b c d, the words of both, A is 1 and B 2/3.
TURNED = {"A": "a b c d j i h g f e\n", "B": "b c d a\n"}
LINES = 20


@pytest.fixture
def turned(tmp_path: Path) -> list[str]:
    paths = [write(tmp_path, name, text * LINES) for name, text in TURNED.items()]
    reference = write(tmp_path, "ref", "a b c d e f g h i j\n" * LINES)
    return [reference, "-i", *paths, "-m", "frs", "--aligner", "exact"]


def test_ranks_are_by_common_words(turned: list[str]) -> None:
    (frs,) = call("compare", *turned, "--format", "json").good().json["metrics"]
    assert frs["clusters"] == [["A"], ["B"]]
    assert [(s["best"], s["worst"]) for s in frs["systems"]] == [(1, 1), (2, 2)]
    assert [system["value"] for system in frs["systems"]] == pytest.approx([1 / 3, 2 / 3])
    both = "A is better than B (95 %), on the 40 % of the reference's words that both match. "
    both += "The scores, of each system's own words, put B before A."
    assert frs["reading"] == both
    text = call("compare", *turned).good().text
    assert [row.split()[:3] for row in text.splitlines()[4:7:2]] == [
        ["1", "A", "0.3333"],
        ["2", "B", "0.6667"],
    ]
    assert both in " ".join(text.split())
    (own,) = call("compare", *turned, "--words", "own", "--format", "json").good().json["metrics"]
    assert own["clusters"] == [["B"], ["A"]]
    assert own["reading"] == "B is better than A (95 %)."


def test_analyze_ranks_as_compare_does(turned: list[str]) -> None:
    found = call("analyze", *turned, "--format", "json").good().json
    assert found["answer"].startswith(
        "A orders words best on the 40 % of the reference's words that both match: there its fuzzy "
        "reordering score (FRS) is 33.3 points above that of B"
    )
    assert "On its own matched words B has the highest one, 0.6667" in found["answer"]
    sections = {section["key"]: section for section in found["sections"]}
    assert [row["system"] for row in sections["systems"]["rows"]] == ["A", "B"]


def test_equal_scores_turn_nothing(tmp_path: Path) -> None:
    """FRS on own words: A is "b c" and "a", 1 - 1/2; B is "e", "d" and "a b c", 1 - 2/4."""
    lines = {"A": "b c a\n", "B": "e d a b c\n"}
    paths = [write(tmp_path, name, text * LINES) for name, text in lines.items()]
    reference = write(tmp_path, "ref", "a b c d e\n" * LINES)
    turned = [reference, "-i", *paths, "-m", "frs", "--aligner", "exact"]
    (frs,) = call("compare", *turned, "--format", "json").good().json["metrics"]
    assert [system["value"] for system in frs["systems"]] == [0.5, 0.5]
    both = "on the 60 % of the reference's words that both match"
    assert frs["reading"] == f"B is better than A (95 %), {both}."
    answer = call("analyze", *turned, "--format", "json").good().json["answer"]
    assert answer.startswith("B orders words best: its fuzzy reordering score (FRS) is 0.5000 ")
    assert f"50.0 points above that of A {both}; the difference is significant" in answer


def test_orders_have_all_words(tmp_path: Path) -> None:
    reference, system = (write(tmp_path, f"{n}.orders", "1 0 2\n0 1\n") for n in ("ref", "sys"))
    arguments = ["compare", reference, "-i", system, system.replace("sys", "ref"), "-m", "frs"]
    (frs,) = call(*arguments, "--format", "json").good().json["metrics"]
    assert frs["pairs"][0]["common"] is None
    assert "common words" not in call(*arguments).good().text
