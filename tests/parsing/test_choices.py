"""What a training chooses: features of tags on held-out trees, the kind of parser on dev."""

import random
from pathlib import Path

import numpy as np
import pytest

from wordorder.errors import InputError, UsageError
from wordorder.parsing.graph.parser import GraphParser
from wordorder.parsing.model_file import load_models
from wordorder.parsing.opened import open_parser
from wordorder.parsing.sentence_files import parse_files, tag_files
from wordorder.parsing.training.choices import choose_feats, lacking, ranked_feats
from wordorder.parsing.training.train_files import train_parser_files
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank

NOUNS = ["kut", "maca", "hal", "fa", "tej", "has", "kert", "ut"]
VERBS = ["lat", "var", "ker"]


def free_order(number: int, seed: int) -> Treebank:
    """Two nouns and a verb in any order: -on does it, -ek suffers it; number means nothing."""
    rng = random.Random(seed)
    rows: dict[str, list[list[str]]] = {name: [] for name in ("form", "upos", "feats", "label")}
    heads = []
    for _ in range(number):
        words = [
            (rng.choice(NOUNS) + "on", "NOUN", "Case=Nom", "nsubj"),
            (rng.choice(NOUNS) + "ek", "NOUN", "Case=Acc", "obj"),
            (rng.choice(VERBS), "VERB", "_", "root"),
        ]
        words = [
            (form, upos, feats if feats == "_" else f"{feats}|Number={rng.choice('SP')}", label)
            for form, upos, feats, label in rng.sample(words, 3)
        ]
        verb = [label for *_, label in words].index("root") + 1
        heads.append([0 if label == "root" else verb for *_, label in words])
        for name, column in zip(rows, zip(*words, strict=True), strict=True):
            rows[name].append(list(column))
    form = rows.pop("form")
    return Treebank.from_words(form, heads=heads, **rows)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    train, dev = tmp_path / "train.conllu", tmp_path / "dev.conllu"
    write_treebank(train, free_order(150, 1))
    write_treebank(dev, free_order(30, 2))
    return train, dev


def test_nothing_is_chosen_where_no_tree_would_be_left_to_learn_from() -> None:
    def none(*_: object) -> None:
        raise AssertionError

    one, said = free_order(1, 1), list[str]()
    assert choose_feats(one, none, none, seed=1, groups=np.arange(1), say=said.append) == ()


def test_dev_trees_without_a_tag_that_is_learnt(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, dev = files
    rows = [line.split("\t") for line in dev.read_text("utf-8").splitlines()]
    bare = ["\t".join([*row[:3], "_", "X", "_", *row[6:]]) if len(row) > 1 else "" for row in rows]
    dev.write_text("\n".join(bare) + "\n", "utf-8")
    with pytest.raises(InputError, match="no tag in upos or feats"):
        train_parser_files(train, tmp_path / "m", dev=dev, epochs=1)


def test_what_a_treebank_lacks() -> None:
    assert lacking(free_order(3, 1), heads=True) == "no XPOS, few trees: 3"
    whole = free_order(600, 1)
    assert lacking(whole.replace(xpos=whole.upos), heads=True) == ""


def test_features_that_say_nothing_are_not_tried() -> None:
    """Number is drawn at random: what it seems to say is chance."""
    assert ranked_feats(free_order(300, 1)) == ["Case"]
    assert ranked_feats(Treebank.from_words([["a"]], heads=[[0]])) == []


def test_the_features_that_help_go_to_the_parser(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, dev = files
    said: list[str] = []
    model = tmp_path / "a.model"
    about = train_parser_files(train, model, dev=dev, epochs=3, say=said.append).about
    assert about["parser"]["feats"] == ["Case"]
    assert sum("features in the parser's tags: Case (" in line for line in said) == 1
    assert "train.conllu: no XPOS, few trees: 150" in said
    # Words that were never seen: the endings say what they are.
    words = Treebank.from_words([["ajtek", "ker", "ablakon"]])
    found = open_parser(model).parse(words)
    assert found.label.strings() == ["obj", "root", "nsubj"]
    shown = [s.split("|")[0] for s in found.columns["feats"].strings()[::2]]
    assert shown == ["Case=Acc", "Case=Nom"]
    # FEATS of a file stay, and are what the parser goes by.
    forms = [["kutek", "ker", "hason"]]
    given = Treebank.from_words(forms, feats=[["Case=Nom", "_", "Case=Acc"]])
    found = open_parser(model).parse(given)
    assert found.columns["feats"].strings() == ["Case=Nom", "_", "Case=Acc"]
    assert found.label.strings() == ["nsubj", "root", "obj"]
    same = open_parser(model, tags="predict").parse(given)
    assert same.columns["feats"].strings() != found.columns["feats"].strings()


def test_features_may_be_named(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = files
    for asked, feats in (("none", None), ("Number,Case", ["Number", "Case"])):
        about = train_parser_files(train, tmp_path / "a.model", epochs=1, feats=asked).about
        assert about["parser"].get("feats") == feats
    for asked, tagger, what in (("Tense", None, "feats 'Tense'"), ("auto", "tnt", "perceptron")):
        with pytest.raises(UsageError, match=what):
            train_parser_files(train, tmp_path / "b.model", feats=asked, tagger=tagger)
    assert not (tmp_path / "b.model").exists()


def test_the_choice_does_not_depend_on_the_order_of_the_trees() -> None:
    said: list[str] = []

    def none(part: Treebank, *names: object) -> object:
        raise AssertionError("no feature says anything: nothing is tried")

    bank = free_order(20, 1)
    empty = bank.replace(feats=bank.xpos)
    assert choose_feats(empty, none, none, seed=1, groups=np.arange(20), say=said.append) == ()


def crossing(number: int, seed: int) -> Treebank:
    """Each noun is two words before its adjective, across another noun's: no tree is projective."""
    rng = random.Random(seed)
    forms, heads = [], []
    for _ in range(number):
        forms.append([rng.choice(NOUNS) + end for end in ("a", "b", "x", "y")] + ["ker"])
        heads.append([5, 5, 1, 2, 0])
    upos = [["NOUN", "PROPN", "ADJ", "DET", "VERB"]] * number
    label = [["nsubj", "obj", "amod", "det", "root"]] * number
    return Treebank.from_words(forms, heads=heads, upos=upos, label=label)


def test_the_better_parser_on_dev_is_kept(tmp_path: Path) -> None:
    train, dev, model = (tmp_path / name for name in ("train.conllu", "dev.conllu", "a.model"))
    write_treebank(train, crossing(40, 1))
    write_treebank(dev, crossing(9, 2))
    said: list[str] = []
    about = train_parser_files(
        train, model, dev=dev, algorithm="auto", epochs=3, say=said.append
    ).about
    assert (about["parser"]["algorithm"], about["parser"]["dev_score"]) == ("graph", 1.0)
    assert "graph: better than the one before on dev" in said
    assert isinstance(load_models(model).parser, GraphParser)
    assert list(tmp_path.glob("*.checkpoint")) == []
    # Of equals the first stays.
    write_treebank(train, free_order(40, 1))
    write_treebank(dev, free_order(9, 2))
    about = train_parser_files(train, model, dev=dev, algorithm="auto", epochs=3).about
    assert about["parser"]["algorithm"] == "transition"
    with pytest.raises(UsageError, match="algorithm=auto chooses by the trees of dev"):
        train_parser_files(train, model, algorithm="auto")


def test_ranges_empty_nodes_and_blanks_survive(files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = files
    model, source = tmp_path / "a.model", tmp_path / "b.conllu"
    train_parser_files(train, model, epochs=1)
    row = "{}\t{}" + "\t_" * 8
    lines = ["1-2\tajton\t_\t_\t_\t_\t_\t_\t_\t_", row.format(1, "ajt on"), row.format(2, "on")]
    lines += ["2.1\tker\t_\t_\t_\t_\t_\t_\t2:conj\t_", row.format(3, "ker")]
    source.write_text("\n".join(lines) + "\n\n")
    for work in (parse_files, tag_files):
        work(model, source, tmp_path / "out")
        found = (tmp_path / "out").read_text().splitlines()[:5]
        assert [line.split("\t")[:2] for line in found] == [line.split("\t")[:2] for line in lines]
        assert [found[0], found[3]] == [lines[0], lines[3]]
        assert read_treebank(tmp_path / "out", trees="optional").upos.said().all()
