"""``wordorder train`` from the outside."""

import signal
import time
from pathlib import Path

import pytest
from tests.cli.running import (
    Answer,
    call,
    goes_on,
    interrupt,
    kill_at,
    process,
    started,
    wait_for,
    write,
)
from tests.parsing.small_treebank import (
    CROSSING,
    SENTENCES,
    TREEBANK,
    treebank,
    without_trees,
    words,
)

from wordorder.parsing.model_file import load_models

WORDS = len(words(TREEBANK).split())


@pytest.fixture
def trees(tmp_path: Path) -> str:
    return write(tmp_path, "train.conllu", TREEBANK)


def train(kind: str, *args: str | Path) -> Answer:
    return call("train", kind, *args, "--epochs", "4").good()


def test_a_parser_learns_a_small_treebank_by_heart(trees: str, tmp_path: Path) -> None:
    model = str(tmp_path / "a.model")
    answer = process("train", "parser", trees, "-o", model, "--dev", trees).good()
    assert answer.stdout == b""
    lines = answer.stderr.splitlines()
    assert lines[0] == f"wordorder: {trees}: 27 sentences, {WORDS} words"
    epochs = [line for line in lines if "wordorder: parser, epoch " in line]
    assert [line.split(": ")[1] for line in epochs] == [
        f"parser, epoch {number} of 10" for number in range(1, 11)
    ]
    assert "dev LAS 100.00, dev UAS 100.00" in epochs[-1]
    assert "dev XPOS 100.00, dev UPOS 100.00" in answer.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.model", "train.conllu"]
    bare = write(tmp_path, "bare.conllu", without_trees(TREEBANK))
    assert call("parse", model, bare).good().text == TREEBANK
    assert call("tag", model, bare).good().text.count("\tVERB\tVBZ\t") == 27


def test_the_file_says_what_it_was_trained_on(trees: str, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    train("parser", trees, "-o", model, "--beam", "2", "-O", "licence=CC0", "--seed", "5")
    about = load_models(model).about
    assert about["data"] == "train.conllu"
    assert (about["sentences"], about["words"]) == (27, WORDS)
    assert (about["licence"], about["seed"]) == ("CC0", 5)
    assert about["parser"]["beam"] == 2
    assert about["parser"]["epochs"] == 4
    assert "dev_score" not in about["parser"]


@pytest.mark.parametrize(
    "options",
    [
        ["parser", "-O", "shards=2"],
        ["parser", "--recipe", "P1"],
        ["parser", "--recipe", "P2", "--tags", "jackknife"],
        ["parser", "--algorithm", "graph", "--lowercase"],
        ["parser", "--tags", "jackknife", "-O", "update=max-violation", "-Ocompact"],
        ["parser", "--features", "hall", "--tagger", "none", "-Osplit-hyphens"],
        ["tagger"],
        ["tagger", "--lowercase", "-Ocompact"],
    ],
    ids=" ".join,
)
def test_the_same_seed_gives_the_same_bytes(options: list[str], trees: str, tmp_path: Path) -> None:
    found = []
    for name, threads in (("a", "1"), ("b", "3")):
        model = tmp_path / name
        train(*options, trees, "-o", model, "--threads", threads)
        found.append(model.read_bytes())
    assert found[0] == found[1]
    given = write(tmp_path, "in.conllu", TREEBANK)
    verb = "tag" if options[0] == "tagger" else "parse"
    assert call(verb, tmp_path / "a", given).good().text.count("\n") == TREEBANK.count("\n")


def test_another_seed_gives_another_model(trees: str, tmp_path: Path) -> None:
    for seed in ("1", "2"):
        train("tagger", trees, "-o", tmp_path / seed, "--seed", seed)
    assert (tmp_path / "1").read_bytes() != (tmp_path / "2").read_bytes()


def test_tnt(trees: str, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    answer = call(
        *("train", "tagger", trees, "-o", model, "--model", "tnt", "-O", "known-words=open"),
        *("--dev", trees),
    ).good()
    assert "tagger: dev XPOS 100.00, dev UPOS 100.00" in answer.stderr
    given = write(tmp_path, "in.conllu", TREEBANK)
    assert call("tag", model, given).good().text == TREEBANK


def test_trees_that_are_not_projective_are_counted(tmp_path: Path) -> None:
    trees = write(tmp_path, "train.conllu", TREEBANK + CROSSING)
    answer = train("parser", trees, "-o", tmp_path / "a.model")
    assert "1 of 28 trees are not projective; words that get a head further up: 1" in answer.stderr
    answer = train("parser", trees, "-o", tmp_path / "a.model", "--algorithm", "graph")
    assert "projective" not in answer.stderr


def test_added_trees_count_as_often_as_they_weigh(tmp_path: Path) -> None:
    half = write(tmp_path, "a.conllu", treebank(13))
    rest = write(tmp_path, "b.conllu", TREEBANK.removeprefix(treebank(13)))
    answer = train("parser", half, "-o", tmp_path / "a.model", "--add", rest, "3")
    assert f"{rest}: each sentence is taken 3 times in an epoch" in answer.stderr
    assert f" of {13 + 3 * 14} sentences led to an update" in answer.stderr
    train("parser", half, rest, "-o", tmp_path / "b.model")
    train("parser", half, "-o", tmp_path / "c.model", "--add", rest, "1")
    train("parser", tmp_path / "a.conllu", tmp_path / "b.conllu", "-o", tmp_path / "d.model")
    assert (tmp_path / "b.model").read_bytes() == (tmp_path / "d.model").read_bytes()
    assert (tmp_path / "b.model").read_bytes() == (tmp_path / "c.model").read_bytes()
    assert (tmp_path / "b.model").read_bytes() != (tmp_path / "a.model").read_bytes()


def test_a_package_is_made(trees: str, tmp_path: Path) -> None:
    model = str(tmp_path / "a.model")
    answer = train("parser", trees, "-o", model, "--epochs", "1", "--package", "toy")
    wheel = tmp_path / "toy-1.0.0rc1-py3-none-any.whl"
    assert f"`pip install {wheel}`" in answer.stderr
    assert sorted(path.name for path in tmp_path.glob("*.*") if "toy" in path.name) == [wheel.name]


def test_hyphens_are_split(trees: str, tmp_path: Path) -> None:
    answer = train("parser", trees, "-o", tmp_path / "a.model", "-Osplit-hyphens")
    assert f"{trees}: splitting at hyphens made 18 more words" in answer.stderr


@pytest.mark.slow
@pytest.mark.parametrize("role", ["tagger", "parser"])
def test_a_killed_training_goes_on_to_the_same_bytes(trees: str, tmp_path: Path, role: str) -> None:
    args = ["train", "parser", trees, "--epochs", "30", "--dev", trees]
    wrong = [
        (["--lowercase"], "cannot be resumed with other lowercase (False then, True now)"),
        (["-O", "restart"], "--resume goes on, -O restart starts from scratch: one of the two"),
    ]
    goes_on(args, tmp_path, f"made.{role}.checkpoint", wrong)
    kill_at(tmp_path / f"b.{role}.checkpoint", [*args, "-o", "b"], tmp_path)
    answer = call("train", "tagger", trees, "-o", tmp_path / "b", "--resume", "--dev", trees)
    answer.refused(2, "other command ('train parser' then, 'train tagger' now)")


@pytest.mark.slow
def test_what_cannot_be_resumed_is_refused_before_the_tagger_is_trained(
    trees: str, tmp_path: Path
) -> None:
    args = ["train", "parser", trees, "-o", "a.model", "--epochs", "100000"]
    for tags in ("gold", "jackknife"):
        tagged = [*args, "--tags", tags, "--tagger", "tnt"]
        kill_at(tmp_path / "a.model.parser.checkpoint", tagged, tmp_path)
        same = [*args[:3], "-o", str(tmp_path / "a.model"), "--resume", "--tags", tags]
        for options, message in (
            (["--beam", "2"], "other beam (8 then, 2 now)"),
            (["--algorithm", "graph"], "other algorithm ('transition' then, 'graph' now)"),
            (["-O", "shards=2"], "other shards (1 then, 2 now)"),
            (["--dev", trees], "other dev"),
            (["--add", trees, "2"], "repeat"),
        ):
            epochs = ["--epochs", "100000"]
            answer = call(*same, *options, *epochs)
            answer.refused(2, "a.model.parser.checkpoint: training cannot be resumed", message)
            assert "epoch 1" not in answer.stderr
            assert "jackknifed tags" not in answer.stderr
        few = SENTENCES[0] + SENTENCES[3]
        other = write(tmp_path, "few.conllu", few)
        answer = call("train", "parser", other, *same[3:], "--epochs", "100000")
        answer.refused(2, "instances")
        call(*args[:3], "-o", tmp_path / "a.model", "-O", "restart", "--epochs", "1").good()
        assert not (tmp_path / "a.model.parser.checkpoint").exists()


@pytest.mark.slow
def test_fewer_epochs_than_were_done_are_refused_first(trees: str, tmp_path: Path) -> None:
    running = started(["train", "tagger", trees, "-o", "a", "--epochs", "100000"], tmp_path)
    wait_for(tmp_path / "a.tagger.checkpoint")
    time.sleep(0.3)
    running.send_signal(signal.SIGKILL)
    running.communicate()
    answer = call("train", "tagger", trees, "-o", tmp_path / "a", "--resume", "--epochs", "1")
    answer.refused(2, "epochs; expected at most 1")


@pytest.mark.slow
@pytest.mark.parametrize("model", ["a.model", "a.model.round0"])
def test_an_interrupt_says_how_to_go_on(model: str, trees: str, tmp_path: Path) -> None:
    args = ["train", "parser", trees, "-o", "a.model", "--epochs", "100000"]
    if model.endswith("round0"):
        text, orders = write(tmp_path, "a.txt", "a\n"), write(tmp_path, "a.orders", "0\n")
        args += ["--self-train", text, orders, "--rules", "R5"]
    running = started(args, tmp_path)
    wait_for(tmp_path / f"{model}.parser.checkpoint")
    assert interrupt(running).splitlines()[-1] == (
        "wordorder: the same command with --resume continues from the last complete epoch"
    )
    assert not (tmp_path / "a.model").exists()


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", ": no words"),
        ("# comments\n\n", ": no words"),
        ("It rains\n", ":1: "),
        (without_trees(TREEBANK), ":3: "),
        (TREEBANK.replace("\t0\troot", "\t1\troot", 1), ":"),
        (TREEBANK + "1\ta\t_\t_\t_\t_\t9\tx\t_\t_\n\n", ":"),
        (TREEBANK.encode() + b"\xff\n", ":"),
    ],
)
def test_bad_treebanks(content: str | bytes, part: str, trees: str, tmp_path: Path) -> None:
    bad = write(tmp_path, "bad.conllu", content)
    call("train", "parser", bad, "-o", tmp_path / "m").refused(1, bad + part)
    call("train", "parser", trees, "-o", tmp_path / "m", "--dev", bad).refused(1, bad + part)
    call("train", "parser", trees, "-o", tmp_path / "m", "--add", bad, "1").refused(1, bad + part)
    assert len(list(tmp_path.iterdir())) == 2


def test_compressed_treebanks_and_standard_input(trees: str, tmp_path: Path) -> None:
    import gzip

    packed = write(tmp_path, "packed.conllu.gz", gzip.compress(TREEBANK.encode()))
    train("tagger", packed, "-o", tmp_path / "a")
    answer = call(
        *("train", "tagger", "-", "-o", tmp_path / "b", "--epochs", "4"), stdin=TREEBANK.encode()
    ).good()
    assert "<stdin>: 27 sentences" in answer.stderr
