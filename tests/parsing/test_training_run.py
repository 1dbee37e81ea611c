"""The trees of a training, and what is refused before any work begins."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parsing.small_treebank import SENTENCES, TREEBANK, treebank, without_trees
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.parsing.model_file import load_models
from wordorder.parsing.sentence_files import ParsedFile, TaggedFile, parse_files, tag_files
from wordorder.parsing.training import training_run as preconditions
from wordorder.parsing.training.train_files import train_parser_files, train_tagger_files
from wordorder.parsing.training.training_run import read_training_text, require_memory
from wordorder.text.tensors import require_writable
from wordorder.treebank.reading import read_treebank


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    first, second = tmp_path / "a.conllu", tmp_path / "b.conllu"
    first.write_text(treebank(5))
    second.write_text(TREEBANK)
    return first, second


def test_several_files_and_weights(files: tuple[Path, Path]) -> None:
    said: list[str] = []
    text = read_training_text(files, dev=files[0], add=[(files[0], 3)], say=said.append)
    assert len(text.trees) == 5 + 27 + 5
    assert text.repeat.tolist() == [1] * 32 + [3] * 5
    assert len(text.repeated) == 32 + 15
    assert text.repeated[35].sent_id == text.repeated[37].sent_id == text.trees[33].sent_id
    assert text.name == "a.conllu, b.conllu, a.conllu"
    assert text.dev is not None
    assert len(text.dev) == 5
    assert len(said) == 5


def test_one_file(files: tuple[Path, Path]) -> None:
    text = read_training_text(files[1], say=print)
    assert text.repeated is text.trees
    assert text.trees.form.strings() == read_treebank(files[1]).form.strings()
    assert text.dev is None


def test_lists_of_trees_are_said(tmp_path: Path) -> None:
    ranks = [rank for _ in range(9) for rank in ("1", "2", "3")]
    trees = [f"# rank = {rank}\n{tree}" for rank, tree in zip(ranks, SENTENCES, strict=True)]
    path = tmp_path / "lists.conllu"
    path.write_text("".join(trees))
    said: list[str] = []
    assert len(read_training_text(path, say=said.append).trees) == 27
    assert "lists of trees; 18 further trees of lists count as sentences too" in said[1]


def test_split_hyphens(files: tuple[Path, Path]) -> None:
    text = read_training_text(files[1], dev=files[1], split=True, say=print)
    assert text.trees.words == read_treebank(files[1]).words + 18
    assert text.dev is not None
    assert text.dev.words == text.trees.words


def test_refusals(files: tuple[Path, Path], tmp_path: Path) -> None:
    refuses(UsageError, "no treebank", read_training_text, [], say=print)
    for weight in (0, -1, True, 1.5):
        with pytest.raises(UsageError, match="a weight is a whole number of at least 1"):
            read_training_text(files[0], add=[(files[1], weight)], say=print)  # type: ignore[list-item]
    bare = tmp_path / "bare.conllu"
    bare.write_text(without_trees(TREEBANK))
    refuses(InputError, r"bare\.conllu:3", read_training_text, bare, say=print)
    with pytest.raises(InputError, match="words without tags; expected UPOS or XPOS"):
        read_training_text(bare, heads=False, say=print)


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
    with pytest.warns(WordOrderWarning, match=r"about 3\.0 GB of memory; 2\.0 GB is free"):
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
    path = tmp_path / "train.conllu"
    path.write_text(TREEBANK)
    return path


def test_from_trees_to_trees(trees: Path, tmp_path: Path) -> None:
    said: list[str] = []
    model, out = tmp_path / "a.model", tmp_path / "out.conllu"
    trained = train_parser_files(trees, model, dev=trees, epochs=5, say=said.append)
    assert (trained.sentences, trained.words) == (27, WORDS)
    assert trained.about["parser"]["dev_score"] == 1.0
    assert trained.about["licence"] is None
    assert len([line for line in said if line.startswith("parser, epoch ")]) == 5
    bare = tmp_path / "bare.conllu"
    bare.write_text(without_trees(TREEBANK))
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


@pytest.mark.filterwarnings("ignore:.*tags. UPOS and XPOS of the file")
def test_a_model_for_any_case(trees: Path, tmp_path: Path) -> None:
    """Copies in lower case are learnt from, and capitals change nothing where all are."""
    said: list[str] = []
    options: dict[str, Any] = {"epochs": 2, "tags": "jackknife", "any_case": True, "hidden": 0.3}
    trained = train_parser_files(trees, tmp_path / "a.model", say=said.append, **options)
    copies = next(int(line.split()[0]) for line in said if "in lower case too" in line)
    assert (trained.sentences, trained.about["tagger"]["any_case"]) == (27 + copies, True)
    assert trained.about["tagger"]["hidden"] == 0.3
    with pytest.raises(UsageError, match="hidden is for tagger=perceptron"):
        train_parser_files(trees, tmp_path / "b.model", tagger="tnt", hidden=0.3)
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


@pytest.mark.filterwarnings("ignore:.*tags. UPOS and XPOS of the file")
def test_no_more_than_a_batch_is_in_memory(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "a.model"
    train_parser_files(trees, model, epochs=2)
    for function in (parse_files, tag_files):
        for kbest in (None, 2):
            whole, cut = tmp_path / "whole", tmp_path / "cut"
            function(model, trees, whole, kbest=kbest)
            counts: list[int] = []
            with monkeypatch.context() as patch:
                for limit in ("SENTENCES", "TAGGED_SENTENCES"):
                    patch.setattr(f"{function.__module__}.{limit}", 10)
                function(model, trees, cut, kbest=kbest, progress=counts.append)
            assert counts[-1] == 27
            assert max(np.diff([0, *counts])) <= 10
            assert cut.read_bytes() == whole.read_bytes()


def test_a_tagger_needs_no_trees(tmp_path: Path) -> None:
    path = tmp_path / "train.conllu"
    rows = [line.split("\t") for line in TREEBANK.split("\n")]
    path.write_text("\n".join("\t".join([*row[:6], *"____"] if row[1:] else row) for row in rows))
    trained = train_tagger_files(path, tmp_path / "a.model", epochs=2)
    assert trained.about["tagger"]["epochs"] == 2
    with pytest.raises(UsageError, match="known_words is for model=tnt"):
        train_tagger_files(path, tmp_path / "a.model", known_words="seen")
    for option in ({"epochs": 3}, {"shards": 2}, {"compact": True}, {"hidden": 0.3}):
        with pytest.raises(UsageError, match=f"{next(iter(option))} is for model=perceptron"):
            train_tagger_files(path, tmp_path / "a.model", model="tnt", **option)
    with pytest.raises(UsageError, match="legal names: perceptron, tnt"):
        train_tagger_files(path, tmp_path / "a.model", model="hmm")


def test_a_sentence_that_is_too_long_is_named_by_its_place_in_the_file(
    trees: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, text = tmp_path / "a.model", tmp_path / "a.txt"
    train_parser_files(trees, model, epochs=1, algorithm="graph", tagger="tnt")
    text.write_text("a b\n" * 7 + "a " * 2001 + "\n")
    monkeypatch.setattr(f"{parse_files.__module__}.SENTENCES", 3)
    with pytest.raises(InputError, match=r"a\.txt: sentence 8: 2001 words; expected at most 2000"):
        parse_files(model, text, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_beam_is_checked_before_anything_is_read(trees: Path, tmp_path: Path) -> None:
    said: list[str] = []
    with pytest.raises(UsageError, match="from 1 to 4096, not 4097"):
        train_parser_files(trees, tmp_path / "a.model", beam=4097, say=said.append)
    assert said == []


@pytest.mark.parametrize("kbest", [0, -1, True, 2.0])
def test_lists_of_a_wrong_length(kbest: int, trees: Path, tmp_path: Path) -> None:
    model = tmp_path / "a.model"
    train_parser_files(trees, model, epochs=1, tagger="tnt")
    for function in (parse_files, tag_files):
        with pytest.raises(UsageError, match="kbest is a whole number"):
            function(model, trees, tmp_path / "out", kbest=kbest)
    with pytest.raises(UsageError, match="a beam is a whole number"):
        parse_files(model, trees, tmp_path / "out", beam=kbest)
    assert not (tmp_path / "out").exists()
