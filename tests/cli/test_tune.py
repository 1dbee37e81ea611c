"""``wordorder tune`` from the outside."""

import time
from pathlib import Path

import pytest
from tests.cli.running import call, interrupt, kill_at, process, ready, started, write
from tests.schemas.test_outputs import check
from tests.training.tuning.lists import translation_lists
from tests.training.tuning.test_candidates import FEATURES, SCORES


def test_weights_values_and_lists(tmp_path: Path) -> None:
    nbest, (reference, other) = translation_lists(tmp_path)
    output, ranked = tmp_path / "weights", tmp_path / "ranked.gz"
    answer = process(
        *("tune", nbest, reference, "-r", other, "-m", "0.6*cder+0.4*per", "-o", output),
        *("--reranked", ranked, "-O", "points=3", "--confidence", "-O", "retune=4"),
    ).good()
    lines = answer.text.splitlines()
    assert lines[0].startswith("mix|formula:0.6*cder(")
    assert "before), 6 sentences, " in lines[1]
    assert [line.split()[0] for line in lines[4:]] == ["feature", "-------", "d_0", "d_1", "lm_0"]
    weights = output.read_text().splitlines()
    assert weights[0].startswith("# mix|")
    assert [line.split("=")[0] for line in weights[1:]] == ["d", "lm"]
    assert not (tmp_path / "weights.checkpoint").exists()
    # The tuned weights, given as the start, are worth what tuning said.
    args = ("tune", nbest, reference, "-r", other, "-m", "0.6*cder+0.4*per", "--format", "json")
    found = call(*args, "--start", output, "-O", "points=1").good().json
    first = call(*args, "-O", "points=3").good().json
    assert found["before"] == pytest.approx(first["value"], abs=1e-12)
    assert set(found) == {
        *("version", "objective", "value", "weights", "names", "before", "starts"),
        *("method", "sentences", "candidates", "interval", "spread", "notes"),
    }
    # The first candidates of the new lists are those that the value is about.
    best = call("tune", ranked, reference, "-r", other, "-m", "0.6*cder+0.4*per", "-O", "points=1")
    assert best.good().status == 0


def test_a_metric_that_no_candidate_changes_is_noted(tmp_path: Path) -> None:
    lists = write(tmp_path, "l", "0 ||| a b c ||| f= 1 g= 0\n0 ||| c b a ||| f= 0 g= 1\n")
    # Words without their order: one of three is wrong, whatever the order.
    args = ("tune", lists, write(tmp_path, "r", "a b d\n"), "-m")
    for method in ("mert", "mira"):
        done = call(*args, "per", "--method", method).good()
        assert "no other candidate of a sentence changes per (0.333333)" in done.stderr
        assert "reached it" not in done.text
        moved = call(*args, "wer", "--method", method).good()
        assert "no other candidate" not in moved.stderr
        assert moved.text.splitlines()[1].startswith("0.333333 ")
    assert "\nnone of the 20 starts found a better value\n" in call(*args, "per").good().text


def test_moses_statistics(tmp_path: Path) -> None:
    features, scores = write(tmp_path, "F", FEATURES), write(tmp_path, "S", SCORES)
    start = write(tmp_path, "init", "0 0 -1\n0 0 0\n1 1 1\n")
    given = ("-O", f"moses-features={features}", "-O", f"moses-scores={scores}")
    args = ("tune", *given, "--start", start)
    found = call(*args, "--format", "json").good().json
    check("tune", found)
    assert found["objective"] == "bleu"
    assert len(found["weights"]) == 3
    shown = found["value"]
    assert shown == pytest.approx((7 / 8 * 5 / 6 * 3 / 4) ** 0.25 * 2.718281828 ** (-1 / 8))
    assert "of 3 starts reached it" in call(*args, "-O", "points=3").good().text
    call(*args[:-2]).refused(2, "-O moses-features, -O moses-scores and --start need each other")
    call(*args, "-m", "ter").refused(2, "-m is for n-best lists")
    call(*args, "--aligner", "exact").refused(2, "--aligner is for n-best lists")
    call(*args[:-1], write(tmp_path, "i", "1 2\n")).refused(1, "i:1: 2 weights; expected 3")


def test_lists_come_from_standard_input(tmp_path: Path) -> None:
    nbest, (reference, _) = translation_lists(tmp_path)
    text = Path(nbest).read_bytes()
    answer = process("tune", "-", reference, "-m", "ter", stdin=text).good()
    assert answer.stdout == call("tune", nbest, reference, "-m", "ter").good().stdout
    # Their alignments come with them, from the same stream; a translation without words has none.
    source, gold = write(tmp_path, "s", "x y\n"), write(tmp_path, "gold", "0-0 1-1\n")
    lines = b"0 ||| a b ||| d= 1 ||| -1 ||| 0-0 1-1\n0 |||  ||| d= 2 ||| -1 |||\n"
    args = ("--source", source, "--reference-alignments", gold, "-m", "kendall")
    one = write(tmp_path, "one", "a b\n")
    answer = process("tune", "-", one, *args, "--format", "json", stdin=lines).good()
    assert answer.json["value"] == 1.0


@pytest.mark.slow
def test_a_killed_tuning_goes_on(tmp_path: Path) -> None:
    nbest, (reference, _) = translation_lists(tmp_path, sentences=40, candidates=60)
    args = ["tune", nbest, reference, "-m", "chrf", "-O", "points=400"]
    output = tmp_path / "w"
    kill_at(tmp_path / "w.checkpoint", [*args, "-o", str(output)], tmp_path)
    assert not output.exists()
    call(*args, "-o", output, "--resume", "--seed", "3").refused(2, "resumed with other seed")
    answer = call(*args[:-1], "points=1", "-o", tmp_path / "new", "--resume").good()
    assert "no checkpoint to go on from" in answer.stderr
    again = started([*args, "-o", str(output), "--resume"], tmp_path)
    ready(again)
    time.sleep(1)
    assert "the same command with --resume continues" in interrupt(again)
    call(*args, "-o", output).refused(
        2, "w.checkpoint: an unfinished tuning left this; --resume continues it"
    )
    few = [*args[:-1], "points=4"]
    call(*few, "-o", output, "--resume").good()
    call(*few, "-o", tmp_path / "unbroken").good()
    assert output.read_bytes() == (tmp_path / "unbroken").read_bytes()
