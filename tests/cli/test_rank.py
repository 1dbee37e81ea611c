"""``rank`` and ``agreement``: the same results as table, JSON and TSV, and what is refused."""

import math
import os
import re
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call, write

from wordorder.cli.judgements import RANKING_VALUES
from wordorder.judgement import agreement, krippendorff_alpha, rank, read_judgements
from wordorder.judgement.ranking import RANKED_BY as RANKING_METHODS

DATA = Path(os.environ.get("WORDORDER_DATA", "no data")) / "human"
WITH_DATA = pytest.mark.skipif(not DATA.is_dir(), reason="WORDORDER_DATA has no folder human/")


def rankings(folder: Path, items: int = 40) -> str:
    """Write rankings by two raters in which A is best, and B and C are hard to tell apart."""
    rows = ["ranking\tsegment\tjudge\tsystems\trank"]
    for item in range(items):
        for rater in "xy":
            turned = rater == "y" and item % 5 == 0
            ranks = (1, 2, 3) if item % 2 != turned else (1, 3, 2)
            if item % 10 == 3:
                ranks = (2, 1, 1)
            for system, place in zip("ABC", ranks, strict=True):
                rows.append(f"{rater}{item}\t{item}\t{rater}\t{system}\t{place}")
    return write(folder, "rankings.tsv", "\n".join(rows) + "\n")


def ratings(folder: Path) -> str:
    """Write ratings from 0 to 6 by two raters who use the scale differently."""
    rows = ["rater\titem\tsystem\tvalue\ttime"]
    for item in range(20):
        for system, value in (("A", 5), ("B", 2 + item % 2)):
            rows += [f"x\t{item}\t{system}\t{value}\t0", f"y\t{item}\t{system}\t{value / 2}\t0"]
    return write(folder, "ratings.tsv", "\n".join(rows) + "\n")


def test_the_names_on_the_command_line_are_those_in_python() -> None:
    assert RANKING_VALUES == RANKING_METHODS


@pytest.mark.parametrize("by", [*(by for by in RANKING_METHODS if by not in ("z", "mean")), None])
def test_rank_of_rankings(tmp_path: Path, by: str | None) -> None:
    path = rankings(tmp_path)
    options = ["--by", by] if by else []
    found = call("rank", path, *options, "--resamples", "60", "--format", "json").good().json
    again = rank(path, by=by, resamples=60)
    assert found["by"] == (by or "wins")
    assert found["systems"][0]["system"] == "A"
    assert [system["cluster"] for system in found["systems"]] == [1, 2, 2]
    assert found["notes"] == []
    for system, ranked in zip(found["systems"], again.systems, strict=True):
        shown = [system[key] for key in ("value", "low", "high")]
        assert shown == [ranked.value, ranked.low, ranked.high]
        assert system["low"] <= system["value"] <= system["high"]
    rows = call("rank", path, *options, "--resamples", "60", "--format", "tsv").good().text
    assert [row.split("\t")[2] for row in rows.splitlines()[1:]] == [
        repr(ranked.value) for ranked in again.systems
    ]


def test_rank_as_a_table(tmp_path: Path) -> None:
    text = call("rank", rankings(tmp_path), "--resamples", "40").good().text
    lines = text.splitlines()
    # In 4 of 40 items A is the worst: 144 : 16.
    assert lines[2].split()[:3] == ["1", "A", "0.9000"]
    assert lines[3] == ""
    assert lines[4].startswith("2-3   ")
    assert "The ranking tells 2 groups apart (95 %), best first: A; " in text
    assert "240 judged pairs (8 ties, 3 %) on 40 items; [low, high] and the ranks hold" in text


def test_wins_ignore_ties(tmp_path: Path) -> None:
    text = "rater\titem\tsystem_a\tsystem_b\tchoice\n" + "".join(
        f"r\t{n}\tA\tB\t{choice}\n" for n, choice in enumerate(["a", "a", "b", "tie", "tie"])
    )
    found = call("rank", write(tmp_path, "p.tsv", text), "--format", "json").good().json
    values = {system["system"]: system["value"] for system in found["systems"]}
    assert values == {"A": 2 / 3, "B": 1 / 3}
    assert (found["judgements"], found["ties"]) == (5, 2)


def test_rank_of_ratings(tmp_path: Path) -> None:
    path = ratings(tmp_path)
    found = call("rank", path, "--format", "json", "--resamples", "50").good().json
    assert (found["by"], found["judgements"]) == ("z", 80)
    assert [system["cluster"] for system in found["systems"]] == [1, 2]
    pairs = call("rank", path, "--by", "wins", "--format", "json").good().json
    assert [system["value"] for system in pairs["systems"]] == [1, 0]


def test_results_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    path = rankings(tmp_path)
    command = ["rank", path, "--by", "trueskill", "--resamples", "30", "--format", "json"]
    assert call(*command, "--threads", "1").stdout == call(*command, "--threads", "3").stdout
    assert call(*command).stdout != call(*command, "--seed", "7").stdout


def test_agreement_of_rankings(tmp_path: Path) -> None:
    path = rankings(tmp_path)
    found = call("agreement", path, "--format", "json", "--resamples", "50").good().json
    inter, uniform, intra, _ = found["measures"]
    assert (inter["raters"], inter["statistic"], inter["n"]) == ("inter", "kappa", 120)
    # In 8 of 40 items the raters differ on B and C.
    assert inter["observed"] == (120 - 8) / 120
    assert uniform["chance"] == 1 / 3
    assert (intra["n"], intra["value"]) == (0, None)
    text = call("agreement", path, "--resamples", "50").good().text
    assert "nothing judged twice" in text
    assert "240 judgements by 2 raters on 40 items" in text
    rows = call("agreement", path, "--format", "tsv", "--resamples", "50").good().text
    assert rows.splitlines()[1].split("\t")[2] == repr(inter["value"])


def test_agreement_of_ratings(tmp_path: Path) -> None:
    path = ratings(tmp_path)
    found = agreement(path, resamples=50)
    assert [(row.raters, row.statistic, row.n) for row in found.measures] == [
        ("inter", "krippendorff-ordinal", 40),
        ("inter", "krippendorff-interval", 40),
        ("intra", "krippendorff-ordinal", 0),
        ("intra", "krippendorff-interval", 0),
    ]
    assert all(row.low <= row.value <= row.high < 1 for row in found.measures[:2])
    with open(path, "a") as file:
        file.write("x\t0\tA\t4\t1\nx\t1\tA\t5\t1\nx\t2\tB\t1\t1\n")
    again = agreement(path, resamples=50).measures
    # Only what one rater rated twice counts.
    values = np.array([[5, 5, 2], [4, 5, 1]], np.float64)
    assert again[3].n == 3
    assert again[3].value == pytest.approx(krippendorff_alpha(values, "interval"))
    assert again[1].value != found.measures[1].value
    text = call("agreement", ratings(tmp_path), "--resamples", "50").good().text
    assert "P_A" not in text


def test_the_sign_test_of_birch_and_osborne(tmp_path: Path) -> None:
    """189 to 158: .054 by the exact test, their .048 by the normal approximation."""
    choices = ["a"] * 189 + ["b"] * 158 + ["tie"] * 187
    text = "rater\titem\tsystem_a\tsystem_b\tchoice\n" + "".join(
        f"r{n % 3}\t{n // 3}\tLR\tBLEU\t{choice}\n" for n, choice in enumerate(choices)
    )
    path = write(tmp_path, "p.tsv", text)
    shown = call("agreement", path, "--resamples", "20").good().text
    assert "LR is preferred to BLEU 189 : 158, 187 ties left out: one-sided p = 0.0536" in shown
    assert "(0.0480 by the normal approximation)" in shown
    test = call("agreement", path, "--resamples", "20", "--format", "json").json["sign_test"]
    assert (test["better"], test["wins"], round(test["p_normal"], 4)) == ("LR", 189, 0.048)


def test_what_is_refused(tmp_path: Path) -> None:
    pairs = write(tmp_path, "pairs.tsv", "segment\tbetter\tworse\n1\tA\tB\n2\tB\tC\n")
    call("rank", pairs, "--by", "z").refused(2, "z ranks by ratings, and these are pairs")
    said = "A never lost a pair with the others; C never won a pair with the others; -O prior=0.01"
    call("rank", pairs, "--by", "bradley-terry").refused(2, said)
    call("rank", pairs, "-O", "prior=1").refused(2, "prior is for --by bradley-terry")
    call("agreement", pairs).refused(2, "name no raters")
    call("rank", pairs + "x").refused(1, "No such file")
    call("rank", pairs, "--by", "elo").refused(2, "'elo' is not one of")
    bad = write(tmp_path, "bad.tsv", "rater\titem\tsystem\tvalue\nr\t1\tA\tsix\n")
    call("rank", bad).refused(1, "bad.tsv:2: value is 'six'; expected a number")
    alone = write(tmp_path, "alone.tsv", "rater\titem\tsystem\tvalue\nr\t1\tA\t6\ns\t1\tB\t6\n")
    call("rank", alone).refused(2, "no rater gave two different values")
    call("rank", alone, "--by", "wins").refused(2, "no rater rated two systems on one item")
    scores = write(tmp_path, "scores.tsv", "item\tjudge\tscore\n1\tj\t60\n")
    call("rank", scores).refused(2, "--items names the file with their systems")


def pair_rows(rows: list[tuple[int, str, str]]) -> str:
    return "segment\tbetter\tworse\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize("by", ["wins", "expected-wins", "bradley-terry", "trueskill"])
def test_systems_that_were_never_compared_have_no_order(tmp_path: Path, by: str) -> None:
    """The ranks of A and B are those of a file without C and D."""
    ours = [(n, "A", "B") for n in range(24)] + [(0, "B", "A")]
    theirs = [(n, "C", "D") for n in range(24, 48)] + [(n, "D", "C") for n in range(24, 30)]
    path = write(tmp_path, "pairs.tsv", pair_rows(ours + theirs))
    answer = call("rank", path, "--by", by, "--format", "json").good().json
    found = [
        (s["system"], s["component"], s["cluster"], [s["best"], s["worst"]], s["above"])
        for s in answer["systems"]
    ]
    assert found == [
        ("A", 1, 1, [1, 1], ["B"]),
        ("B", 1, 2, [2, 2], []),
        ("C", 2, 1, [1, 1], ["D"]),
        ("D", 2, 2, [2, 2], []),
    ]
    text = " ".join(call("rank", path, "--by", by).good().text.split())
    assert "2 components without an order between them" in text
    assert "never compared: A and B; C and D." in text
    if by == "bradley-terry":
        values = [system["value"] for system in answer["systems"]]
        odds = math.log(24 / 1) / 2, math.log(24 / 6) / 2
        assert values == pytest.approx([odds[0], -odds[0], odds[1], -odds[1]])


def test_ratings_without_a_common_item_or_rater_have_no_order(tmp_path: Path) -> None:
    rows = [("x", n, s, n % 3 + (s == "A")) for n in range(30) for s in "AB"]
    rows += [("y", n, s, n % 3) for n in range(30, 60) for s in "CD"]
    text = "rater\titem\tsystem\tvalue\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows)
    path = write(tmp_path, "ratings.tsv", text)
    for by in ("z", "mean"):
        found = call("rank", path, "--by", by, "--format", "json").good().json["systems"]
        assert [system["component"] for system in found] == [1, 1, 2, 2]
    # One rater in common is enough.
    joined = write(tmp_path, "joined.tsv", text.replace("\ny\t", "\nx\t"))
    found = call("rank", joined, "--format", "json").good().json["systems"]
    assert {system["component"] for system in found} == {1}


def test_a_chain_of_overlapping_ranks_is_no_equality(tmp_path: Path) -> None:
    """A and B tie, B and C tie, C and D tie: but D loses to A always."""
    rows = [(n, *pair) for n in range(40) for pair in ("AB", "BA", "AD", "BC", "CB", "CD", "DC")]
    path = write(tmp_path, "pairs.tsv", pair_rows(rows))
    text = " ".join(call("rank", path).good().text.split())
    assert "The ranking tells 3 groups apart (95 %), best first: A; B and C; D." in text
    noisy = [
        (n, *(pair if n % 5 else pair[::-1])) for n in range(40) for pair in ("AB", "BC", "AC")
    ]
    noisy += [(n, *pair) for n in range(40) for pair in (("AB", "BC") if n % 2 else ("BA", "CB"))]
    path = write(tmp_path, "noisy.tsv", pair_rows(noisy))
    found = call("rank", path, "--format", "json").good().json["systems"]
    assert "C" in found[0]["above"]


def test_ratings_that_are_left_out_are_not_counted(tmp_path: Path) -> None:
    """The rater y gave one value only."""
    rows = [("x", 1, "A", 1), ("x", 1, "B", 2), ("x", 2, "A", 3), ("x", 2, "B", 3)]
    rows += [("y", 1, "A", 4), ("y", 3, "B", 4)]
    text = "rater\titem\tsystem\tvalue\n" + "".join("\t".join(map(str, r)) + "\n" for r in rows)
    path = write(tmp_path, "ratings.tsv", text)
    found = call("rank", path, "--by", "z", "--format", "json").good().json
    assert (found["judgements"], found["items"]) == (4, 2)
    assert [system["judgements"] for system in found["systems"]] == [2, 2]
    found = call("rank", path, "--by", "mean", "--format", "json").good().json
    assert (found["judgements"], found["items"]) == (6, 3)


@pytest.mark.parametrize("verb", ["rank", "agreement"])
def test_options_for_other_files_are_refused(tmp_path: Path, verb: str) -> None:
    path = rankings(tmp_path)
    call(verb, path, "--languages", "French-English").refused(2, "--languages is for the rankings")
    call(verb, path, "--items", path).refused(2, "--items is for scores of items")


def test_two_systems_compared_by_unnamed_raters(tmp_path: Path) -> None:
    pairs = write(tmp_path, "pairs.tsv", "segment\tbetter\tworse\n1\tA\tB\n2\tA\tB\n")
    shown = call("agreement", pairs).good().text
    assert "A is preferred to B 2 : 0" in shown
    assert "2 judgements by unnamed raters on 2 items" in shown


def test_repeated_ratings_in_another_order_tie(tmp_path: Path) -> None:
    """.1 + .2 + .3 is not .3 + .2 + .1 in floating point."""
    rated = [("A", (0.1, 0.2, 0.3)), ("B", (0.3, 0.2, 0.1))]
    rows = [f"x\t1\t{system}\t{value}" for system, values in rated for value in values]
    path = write(tmp_path, "r.tsv", "\n".join(["rater\titem\tsystem\tvalue", *rows]) + "\n")
    assert call("rank", path, "--by", "wins", "--format", "json").json["ties"] == 1


def test_few_items_are_noted(tmp_path: Path) -> None:
    rows = "rater\titem\tsystem_a\tsystem_b\tchoice\nx\t1\tA\tB\ttie\ny\t1\tA\tB\t=\n"
    path = write(tmp_path, "ties.tsv", rows)
    answer = call("rank", path, "--format", "json").good()
    assert [system["value"] for system in answer.json["systems"]] == [None, None]
    (said,) = answer.json["notes"]
    assert said.startswith("1 item: resamples of so few differ too little, so intervals are too")
    answer = call("agreement", path).good()
    assert "1 item: resamples of so few" in answer.stderr
    assert "all judgements equal" in answer.text


@WITH_DATA
def test_the_official_ranking_of_wmt21() -> None:
    """All values of the published table of direct assessment."""
    rows = (DATA / "wmt21-da/zh-en/ad-sys-scores.csv").read_text().splitlines()[1:]
    official = {row.split()[3]: float(row.split()[1]) for row in rows}
    found = rank(DATA / "wmt21-da/zh-en/ad-seg-scores.csv.gz", resamples=20)
    assert len(found.systems) == len(official) == 24
    assert max(abs(system.value - official[system.system]) for system in found.systems) < 1e-12


@WITH_DATA
@pytest.mark.allow_notes
def test_the_official_values_of_wmt15() -> None:
    """Published skills are means of a thousand runs, to three digits."""
    rows = (DATA / "wmt15-rr/en-fi/official-trueskill-clusters.txt").read_text().splitlines()
    official = {
        row.split()[0].removeprefix("newstest2015.").removesuffix(".en-fi.txt"): float(
            row.split()[1]
        )
        for row in rows
        if not row.startswith("+")
    }
    judged = read_judgements(DATA / "wmt15-rr/en-fi/rankings.tsv.gz")
    found = rank(judged, by="trueskill", resamples=30)
    assert [system.system for system in found.systems] == list(official)
    assert max(abs(system.value - official[system.system]) for system in found.systems) < 0.03


def test_pairs_without_a_common_item_are_not_compared(tmp_path: Path) -> None:
    rows = [f"x\t{n}\t{name}\t{n % 3}\n" for n in range(30) for name in "AB"]
    rows += [f"x\t{n}\tC\t{n % 2}\n" for n in range(30, 60)]
    path = write(tmp_path, "ratings.tsv", "".join(["rater\titem\tsystem\tvalue\n", *rows]))
    shown = {
        form: call("rank", path, "--pairs", "--resamples", "50", "--format", form).good()
        for form in ("text", "tsv", "json", "markdown", "latex")
    }
    pairs = {pair["a"] + pair["b"]: pair for pair in shown["json"].json["pairs"]}
    assert [name for name, pair in pairs.items() if pair["p"] is None] == ["CA", "CB"]
    assert {pairs[name][key] for name in ("CA", "CB") for key in ("mark", "low95")} == {
        "not compared",
        None,
    }
    assert pairs["AB"]["mark"] == "0"
    assert shown["tsv"].text.count("\tnot compared\t0\n") == 2
    for form in ("text", "markdown", "latex"):
        text = " ".join(shown[form].text.split())
        # In the grid and below it, and in words.
        assert len(re.findall("not compared(?!,)", text)) == 4, text
        assert "not compared, without a common item: C and A or C and B." in text
        assert "1.0000 \n" not in text
        assert "nan" not in text
