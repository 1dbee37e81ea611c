"""The trees of a training, what is refused before any work begins, and what is chosen."""

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files import written
from tests.notes import noted
from tests.parsing.small_treebank import SENTENCES, TREEBANK, treebank, without_trees
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.options import take_options
from wordorder.parsing.graph.parser import GraphParser
from wordorder.parsing.model_file import load_models
from wordorder.parsing.pipeline.loading import open_parser
from wordorder.parsing.pipeline.sentence_files import ParsedFile, TaggedFile, parse_files, tag_files
from wordorder.parsing.training import memory as preconditions
from wordorder.parsing.training.data_checks import (
    choose_feats,
    describe_missing_columns,
    rank_feats,
)
from wordorder.parsing.training.memory import require_memory
from wordorder.parsing.training.recipes import ParserOptions, TaggerOptions
from wordorder.parsing.training.train_files import train_parser_files, train_tagger_files
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles, read_training_text
from wordorder.text.tensors import require_writable
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text(treebank(5))
    second.write_text(TREEBANK)
    return first, second


def test_several_files_and_weights(files: tuple[Path, Path]) -> None:
    said: list[str] = []
    text = read_training_text(
        TrainingFiles(files, dev=files[0], add=[(files[0], 3)]), say=said.append
    )
    assert len(text.trees) == 5 + 27 + 5
    assert text.repeat.tolist() == [1] * 32 + [3] * 5
    assert len(text.repeated) == 32 + 15
    assert text.repeated[35].sent_id == text.repeated[37].sent_id == text.trees[33].sent_id
    assert text.name == "a.conllu, b.conllu, a.conllu"
    assert text.dev is not None
    assert len(text.dev) == 5
    assert len(said) == 5


def test_one_file(files: tuple[Path, Path]) -> None:
    text = read_training_text(TrainingFiles(files[1]), say=print)
    assert text.repeated is text.trees
    assert text.trees.form.strings() == read_treebank(files[1]).form.strings()
    assert text.dev is None
    # Hyphenated words may be split.
    text = read_training_text(TrainingFiles(files[1], dev=files[1], split_hyphens=True), say=print)
    assert text.trees.words == read_treebank(files[1]).words + 18
    assert text.dev is not None
    assert text.dev.words == text.trees.words


def test_lists_of_trees_are_said(tmp_path: Path) -> None:
    ranks = [rank for _ in range(9) for rank in ("1", "2", "3")]
    trees = [f"# rank = {rank}\n{tree}" for rank, tree in zip(ranks, SENTENCES, strict=True)]
    path = written(tmp_path, "".join(trees), "lists.conllu")
    said: list[str] = []
    assert len(read_training_text(TrainingFiles(path), say=said.append).trees) == 27
    assert "lists of trees; 18 further trees of lists count as sentences too" in said[1]


def test_refusals(files: tuple[Path, Path], tmp_path: Path) -> None:
    refuses(UsageError, "no treebank", read_training_text, TrainingFiles([]), say=print)
    for weight in (0, -1, True, 1.5):
        data = TrainingFiles(files[0], add=[(files[1], weight)])  # type: ignore[list-item]
        with pytest.raises(UsageError, match="a weight is a whole number of at least 1"):
            read_training_text(data, say=print)
    bare = written(tmp_path, without_trees(TREEBANK), "bare.conllu")
    refuses(InputError, r"bare\.conllu:3", read_training_text, TrainingFiles(bare), say=print)
    with pytest.raises(InputError, match="words without tags; expected UPOS or XPOS"):
        read_training_text(TrainingFiles(bare), heads=False, say=print)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    require_writable(tmp_path / "a")
    assert not list(tmp_path.iterdir())
    (tmp_path / "a").write_text("old")
    require_writable(tmp_path / "a")
    assert (tmp_path / "a").read_text() == "old"


def test_names_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("-", "", f"{tmp_path}/", f"{tmp_path}/folder", f"{tmp_path}/no/a", "/dev/null"):
        with pytest.raises(UsageError, match="cannot be created|a file that is not compressed"):
            require_writable(name)
    refuses(UsageError, "not compressed", require_writable, tmp_path / "a.zst")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write everywhere")
def test_no_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    refuses(UsageError, "no permission", require_writable, tmp_path / "a")


def test_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preconditions, "_memory", lambda: (8 * 10**9, 2 * 10**9))
    require_memory(10**9)
    with noted(r"about 3\.0 GB of memory; 2\.0 GB is free"):
        require_memory(3 * 10**9)
    refuses(UsageError, r"about 9\.0 GB of memory; there is 8\.0 GB", require_memory, 9 * 10**9)
    monkeypatch.setattr(preconditions, "_memory", lambda: (None, None))
    require_memory(10**20)


def test_this_machine() -> None:
    require_memory(1)


# -- Training, tagging and parsing files from Python. ----------------------------------------------

WORDS = sum("\t" in line for line in TREEBANK.split("\n"))


@pytest.fixture
def trees(tmp_path: Path) -> Path:
    return written(tmp_path, TREEBANK, "train.conllu")


def test_from_trees_to_trees(trees: Path, tmp_path: Path) -> None:
    said: list[str] = []
    model, out = tmp_path / "a.model", tmp_path / "out.conllu"
    trained = train_parser_files(
        TrainingFiles(trees, dev=trees), model, ParserOptions(epochs=5), say=said.append
    )
    assert (trained.sentences, trained.words) == (27, WORDS)
    assert trained.about["parser"]["dev_score"] == 1.0
    assert trained.about["licence"] is None
    assert len([line for line in said if line.startswith("parser, epoch ")]) == 5
    bare = written(tmp_path, without_trees(TREEBANK), "bare.conllu")
    counts: list[int] = []
    done = parse_files(model, bare, out, progress=counts.append)
    assert done == ParsedFile(27, WORDS, 27, 0)
    assert out.read_text() == TREEBANK
    # The first answers come before the whole file is read.
    assert counts == sorted(set(counts))
    assert counts[-1] == 27
    listed = parse_files(model, bare, out, kbest=2)
    assert 27 < listed.trees <= 54
    assert tag_files(model, bare, out) == TaggedFile(27, WORDS, 0)


@pytest.mark.allow_notes(".*tags. UPOS and XPOS of the file")
def test_a_model_for_any_case(trees: Path, tmp_path: Path) -> None:
    """Copies in lower case are learnt from, and capitals change nothing where all are."""
    said: list[str] = []
    data = TrainingFiles(trees, any_case=True)
    options = ParserOptions(epochs=2, tags="jackknife", hidden=0.3)
    trained = train_parser_files(data, tmp_path / "a.model", options, say=said.append)
    copies = next(int(line.split()[0]) for line in said if "in lower case too" in line)
    assert (trained.sentences, trained.about["tagger"]["any_case"]) == (27 + copies, True)
    assert trained.about["tagger"]["hidden"] == 0.3
    with pytest.raises(UsageError, match="hidden is for tagger=perceptron"):
        train_parser_files(trees, tmp_path / "b.model", ParserOptions(tagger="tnt", hidden=0.3))
    models = load_models(tmp_path / "a.model")
    assert models.tagger is not None
    assert models.parser is not None
    bank = read_treebank(trees)
    lower, upper = (
        models.parser.parse(models.tagger.tag(bank.replace(form=bank.form.map(change)))).heads
        for change in (str.lower, str.upper)
    )
    assert copies > 0
    assert lower.tolist() == upper.tolist()


@pytest.mark.allow_notes(".*tags. UPOS and XPOS of the file")
def test_no_more_than_a_batch_is_in_memory(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "a.model"
    train_parser_files(trees, model, ParserOptions(epochs=2))
    for function in (parse_files, tag_files):
        for kbest in (None, 2):
            whole, cut = tmp_path / "whole", tmp_path / "cut"
            function(model, trees, whole, kbest=kbest)
            counts: list[int] = []
            with monkeypatch.context() as patch:
                for limit in ("MAX_BATCH_SENTENCES", "MAX_TAGGED_SENTENCES"):
                    patch.setattr(f"{function.__module__}.{limit}", 10)
                function(model, trees, cut, kbest=kbest, progress=counts.append)
            assert counts[-1] == 27
            assert max(np.diff([0, *counts])) <= 10
            assert cut.read_bytes() == whole.read_bytes()


def test_a_tagger_needs_no_trees(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    rows = [line.split("\t") for line in TREEBANK.split("\n")]
    path.write_text("\n".join("\t".join([*row[:6], *"____"] if row[1:] else row) for row in rows))
    trained = train_tagger_files(path, tmp_path / "a.model", TaggerOptions(epochs=2))
    assert trained.about["tagger"]["epochs"] == 2
    with pytest.raises(UsageError, match="known_words is for model=tnt"):
        train_tagger_files(path, tmp_path / "a.model", TaggerOptions(known_words="seen"))
    for name, value in {"epochs": 3, "shards": 2, "compact": True, "hidden": 0.3}.items():
        given: dict[str, Any] = {name: value, "model": "tnt", "output": tmp_path / "a.model"}
        run = TrainingRun(**take_options(given, TrainingRun))
        with pytest.raises(UsageError, match=f"{name} is for model=perceptron"):
            train_tagger_files(path, run, TaggerOptions(**given))
    with pytest.raises(UsageError, match="legal names: perceptron, tnt"):
        train_tagger_files(path, tmp_path / "a.model", TaggerOptions(model="hmm"))


def test_a_sentence_that_is_too_long_is_named_by_its_place_in_the_file(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, text = tmp_path / "a.model", tmp_path / "a.txt"
    train_parser_files(trees, model, ParserOptions(epochs=1, algorithm="graph", tagger="tnt"))
    text.write_text("a b\n" * 7 + "a " * 2001 + "\n")
    monkeypatch.setattr(f"{parse_files.__module__}.MAX_BATCH_SENTENCES", 3)
    with pytest.raises(InputError, match=r"a\.txt: sentence 8: 2001 words; expected at most 2000"):
        parse_files(model, text, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_beam_is_checked_before_anything_is_read(trees: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(UsageError, match="from 1 to 4096, not 4097"):
        train_parser_files(trees, tmp_path / "a.model", ParserOptions(beam=4097), say=said.append)
    assert said == []


@pytest.mark.parametrize("kbest", [0, -1, True, 2.0])
def test_lists_of_a_wrong_length(kbest: int, trees: Path, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    train_parser_files(trees, model, ParserOptions(epochs=1, tagger="tnt"))
    for function in (parse_files, tag_files):
        with pytest.raises(UsageError, match="kbest is a whole number"):
            function(model, trees, tmp_path / "out", kbest=kbest)
    with pytest.raises(UsageError, match="a beam is a whole number"):
        parse_files(model, trees, tmp_path / "out", beam=kbest)
    assert not (tmp_path / "out").exists()


# -- What is chosen: features of tags on held-out trees, the kind of parser on dev. ----------------


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
def free_files(tmp_path: Path) -> tuple[Path, Path]:
    train, dev = tmp_path / "train.conllu", tmp_path / "dev.conllu"
    write_treebank(train, free_order(150, 1))
    write_treebank(dev, free_order(30, 2))
    return train, dev


def test_nothing_is_chosen_where_no_tree_would_be_left_to_learn_from() -> None:
    def none(*_: object) -> None:
        raise AssertionError

    one, said = free_order(1, 1), list[str]()
    assert choose_feats(one, none, none, seed=1, groups=np.arange(1), say=said.append) == ()


def test_dev_trees_without_a_tag_that_is_learnt(
    free_files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, dev = free_files
    rows = [line.split("\t") for line in dev.read_text("utf-8").splitlines()]
    bare = ["\t".join([*row[:3], "_", "X", "_", *row[6:]]) if len(row) > 1 else "" for row in rows]
    dev.write_text("\n".join(bare) + "\n", "utf-8")
    with pytest.raises(InputError, match="no tag in upos or feats"):
        train_parser_files(TrainingFiles(train, dev=dev), tmp_path / "m", ParserOptions(epochs=1))


def test_what_a_treebank_lacks() -> None:
    assert describe_missing_columns(free_order(3, 1), heads=True) == "no XPOS, few trees: 3"
    whole = free_order(600, 1)
    assert describe_missing_columns(whole.replace(xpos=whole.upos), heads=True) == ""


def test_features_that_say_nothing_are_not_tried() -> None:
    """Number is drawn at random: what it seems to say is chance."""
    assert rank_feats(free_order(300, 1)) == ["Case"]
    assert rank_feats(Treebank.from_words([["a"]], heads=[[0]])) == []


def test_the_features_that_help_go_to_the_parser(
    free_files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, dev = free_files
    said: list[str] = []
    model = tmp_path / "a.model"
    about = train_parser_files(
        TrainingFiles(train, dev=dev), model, ParserOptions(epochs=3), say=said.append
    ).about
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


def test_features_may_be_named(free_files: tuple[Path, Path], tmp_path: Path) -> None:
    train, _ = free_files
    for asked, feats in (("none", None), ("Number,Case", ["Number", "Case"])):
        about = train_parser_files(
            train, tmp_path / "a.model", ParserOptions(epochs=1, feats=asked)
        ).about
        assert about["parser"].get("feats") == feats
    for asked, tagger, what in (("Tense", None, "feats 'Tense'"), ("auto", "tnt", "perceptron")):
        with pytest.raises(UsageError, match=what):
            train_parser_files(
                train, tmp_path / "b.model", ParserOptions(feats=asked, tagger=tagger)
            )
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
        TrainingFiles(train, dev=dev),
        model,
        ParserOptions(algorithm="auto", epochs=3),
        say=said.append,
    ).about
    assert (about["parser"]["algorithm"], about["parser"]["dev_score"]) == ("graph", 1.0)
    assert "graph: better than the one before on dev" in said
    assert isinstance(load_models(model).parser, GraphParser)
    assert list(tmp_path.glob("*.checkpoint")) == []
    # Of equals the first stays.
    write_treebank(train, free_order(40, 1))
    write_treebank(dev, free_order(9, 2))
    about = train_parser_files(
        TrainingFiles(train, dev=dev), model, ParserOptions(algorithm="auto", epochs=3)
    ).about
    assert about["parser"]["algorithm"] == "transition"
    with pytest.raises(UsageError, match="algorithm=auto chooses by the trees of dev"):
        train_parser_files(train, model, ParserOptions(algorithm="auto"))


def test_ranges_empty_nodes_and_blanks_survive(
    free_files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, _ = free_files
    model, source = tmp_path / "a.model", tmp_path / "b.conllu"
    train_parser_files(train, model, ParserOptions(epochs=1))
    row = "{}\t{}" + "\t_" * 8
    lines = ["1-2\tajton\t_\t_\t_\t_\t_\t_\t_\t_", row.format(1, "ajt on"), row.format(2, "on")]
    lines += ["2.1\tker\t_\t_\t_\t_\t_\t_\t2:conj\t_", row.format(3, "ker")]
    source.write_text("\n".join(lines) + "\n\n")
    for work in (parse_files, tag_files):
        work(model, source, tmp_path / "out")
        found = (tmp_path / "out").read_text().splitlines()[:-1]
        # New trees leave no empty nodes of those that they replace.
        kept = [line for line in lines if work is tag_files or "." not in line.split("\t")[0]]
        assert [line.split("\t")[:2] for line in found] == [line.split("\t")[:2] for line in kept]
        unchanged = [line for line in kept if not line.split("\t")[0].isdigit()]
        assert [line for line in found if not line.split("\t")[0].isdigit()] == unchanged
        assert read_treebank(tmp_path / "out", trees="optional").upos.has_value().all()
