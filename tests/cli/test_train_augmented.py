"""``wordorder train parser --augment`` from the outside."""

import sys
import textwrap
from pathlib import Path

import pytest
from tests.cli.running import Answer, call, goes_on, kill_at, write
from tests.parsing.small_treebank import TREEBANK, words

from wordorder.messages import percent
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.model_file import load_models
from wordorder.treebank.reading import read_treebank

TEXT = words(TREEBANK)
LINES = TEXT.splitlines()
BACKWARDS = "".join(" ".join(map(str, reversed(range(len(line.split()))))) + "\n" for line in LINES)
# The subject is what every sentence is about, or so these roots say.
ROOTS = "".join(
    "\t".join([*row[:6], "0" if row[7] == "nsubj" else "_", "_", "_", "_"]) + "\n"
    if len(row) == 10
    else "\t".join(row) + "\n"
    for row in (line.split("\t") for line in TREEBANK.splitlines())
)


@pytest.fixture
def trees(tmp_path: Path) -> str:
    write(tmp_path, "text.txt", TEXT)
    write(tmp_path, "text.orders", BACKWARDS)
    write(tmp_path, "roots.conllu", ROOTS)
    return write(tmp_path, "train.conllu", TREEBANK)


def order(folder: Path) -> list[str]:
    return [
        *("--augment", "order", str(folder / "text.txt")),
        *("-O", f"augment-reference={folder / 'text.orders'}", "--rules", "R5"),
    ]


def train(trees: str, model: Path, *options: str) -> Answer:
    return call("train", "parser", trees, "-o", str(model), "--epochs", "4", *options)


@pytest.mark.parametrize("algorithm", ["transition", "graph"])
def test_two_losses_and_what_is_said_of_them(algorithm: str, trees: str, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    options = ["--algorithm", algorithm, "-O", "kbest=2", "-O", "grow=8", "-O", "ratio=2"]
    roots = ["--augment", "root", str(tmp_path / "roots.conllu"), "-O", "ratio=0.5"]
    answer = train(trees, model, *options, *order(tmp_path), *roots).good()
    lines = answer.stderr.splitlines()
    number = len(TEXT.split())
    assert f"text.txt: 27 sentences, {number} words; loss order, 2 of them for 1 tree" in lines[2]
    assert "roots.conllu: 27 sentences" in lines[3]
    assert "heads of 17 % of the words; loss root, 0.5 of them for 1 tree" in lines[3]
    assert any("text.txt: predicted tags, UPOS of 100 % and XPOS of 100 %" in x for x in lines)
    epoch = next(line for line in lines if "parser, epoch 4 of 4" in line)
    assert " of 27 sentences led to an update, order " in epoch
    assert " of 54 led to an update (mean cost 0." in epoch
    assert " % of the lists all costs are equal), root " in epoch
    about = load_models(model).about["parser"]
    done = about["losses"]
    assert [entry["order"]["instances"] for entry in done] == [54] * 4
    assert [entry["root"]["instances"] for entry in done] == [13, 14, 13, 14]
    assert set(done[0]["root"]) == {"instances", "updates", "equal_costs", "mean_cost"}
    assert about["augmented_losses"]["k"] == 2
    assert about["augmented_losses"]["losses"][0]["data"] == "text.txt"


def test_tags_of_data_are_predicted_unless_told_otherwise(trees: str, tmp_path: Path) -> None:
    """The file's tags may be better than those that the parser meets later, and teach too much."""
    data = write(tmp_path, "odd.conllu", ROOTS.replace("\tNOUN\t", "\tVERB\t"))
    blank = "".join(
        "\t".join([*row[:3], "_", "_", *row[5:]]) + "\n"
        if len(row) == 10
        else "\t".join(row) + "\n"
        for row in (line.split("\t") for line in ROOTS.splitlines())
    )
    without = write(tmp_path, "blank.conllu", blank)
    found: dict[str, list[bytes]] = {}
    said: dict[str, str] = {}
    for name, options in (
        ("predict", ["--augment", "root", data]),
        ("blank", ["--augment", "root", without]),
        ("auto", ["--augment", "root", data, "-O", "data-tags=auto"]),
    ):
        model = tmp_path / name
        said[name] = train(trees, model, *options).good().stderr
        models = load_models(model)
        assert models.about["parser"]["augmented_losses"]["data_tags"] == (
            "auto" if name == "auto" else "predict"
        )
        arrays = models.parser.parts()[1]  # type: ignore[union-attr]
        found[name] = [arrays[key].tobytes() for key in sorted(arrays)]
    # Tags that are not there cannot be learnt from.
    assert found["predict"] == found["blank"] != found["auto"]
    tagger = load_models(tmp_path / "predict").tagger
    assert tagger is not None
    gold = read_treebank(data, trees="partial")
    predicted = tagger.tag(without_tags(gold))
    shares = [
        f"{percent(sum(a != b for a, b in zip(one, other, strict=True)), gold.words)} of the {name}"
        for name, one, other in (
            ("UPOS", gold.upos.strings(), predicted.upos.strings()),
            ("XPOS", gold.xpos.strings(), predicted.xpos.strings()),
        )
    ]
    line = (
        f"{data}: all tags are predicted, as they will be in text; {shares[0]} and {shares[1]} are "
        "others than those of the file, which -O data-tags=auto keeps"
    )
    assert said["predict"].count(line) == 1
    assert "100 % and XPOS of 100 % of the words" in said["blank"]
    kept = "tags: UPOS and XPOS of the file for 100 % of the words; in text the parser will meet"
    assert f"{data}: {kept} predicted ones" in said["auto"]


def test_without_a_tagger_the_tags_of_data_stay(trees: str, tmp_path: Path) -> None:
    options = ["--augment", "root", str(tmp_path / "roots.conllu"), "--tagger", "none"]
    model = tmp_path / "a.model"
    assert "UPOS and XPOS of the file" in train(trees, model, *options).good().stderr
    assert load_models(model).about["parser"]["augmented_losses"]["data_tags"] == "auto"


def test_the_same_seed_gives_the_same_bytes(trees: str, tmp_path: Path) -> None:
    found = []
    for threads in ("1", "3"):
        model = tmp_path / f"{threads}.model"
        train(trees, model, *order(tmp_path), "-O", "shards=2", "--threads", threads).good()
        found.append(model.read_bytes())
    assert found[0] == found[1]


def test_arc_length_as_the_primary_loss(trees: str, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    answer = train(trees, model, "-O", "primary=arc-length", "-O", "augment-start=2").good()
    lines = [line for line in answer.stderr.splitlines() if "parser, epoch" in line]
    assert all("primary" not in line for line in lines[:2])
    assert all(
        "0 of 0 sentences led to an update, primary arc-length " in line for line in lines[2:]
    )
    assert load_models(model).about["parser"]["losses"][3]["primary arc-length"]["instances"] == 27


def test_a_cost_of_ones_own(trees: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(
        tmp_path,
        "my_costs.py",
        textwrap.dedent(
            """
            import numpy as np

            def long_arcs(candidates, rows):
                trees = candidates.trees
                own = np.arange(trees.words) - np.repeat(trees.offsets[:-1], trees.lengths) + 1
                length = np.where(trees.heads > 0, abs(own - trees.heads), 0)
                return np.add.reduceat(length, trees.offsets[:-1])

            def fails(candidates, rows):
                if rows[0] == 4:
                    raise ValueError("too hard")
                return np.zeros(len(candidates.trees))
            """
        ),
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    mine = ["--augment", "my_costs:long_arcs", "text.txt"]
    assert "loss my_costs:long_arcs" in train(trees, tmp_path / "a.model", *mine).good().stderr
    failing = ["--augment", "my_costs:fails", "text.txt"]
    train(trees, tmp_path / "b.model", *failing).refused(
        2, "cost fails, sentence 5", "ValueError: too hard"
    )
    assert not (tmp_path / "b.model").exists()


@pytest.mark.slow
def test_a_killed_training_goes_on(trees: str, tmp_path: Path) -> None:
    args = ["train", "parser", trees, "--epochs", "8", *order(tmp_path)]
    other = "cannot be resumed with other augmented_losses"
    goes_on(args, tmp_path, "made.parser.checkpoint", [(["-O", "ratio=0.5"], other)])
    kill_at(tmp_path / "b.parser.checkpoint", [*args, "-o", "b"], tmp_path)
    write(tmp_path, "text.orders", BACKWARDS.replace("1 0\n", "0 1\n"))
    call(*args, "-o", tmp_path / "b", "--resume").refused(2, other)
