"""Training, tagging and parsing files from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.parsing.small_treebank import TREEBANK, without_trees

from wordorder.errors import InputError, UsageError
from wordorder.parsing.model_file import load_models
from wordorder.parsing.sentence_files import ParsedFile, TaggedFile, parse_files, tag_files
from wordorder.parsing.training.train_files import train_parser_files, train_tagger_files
from wordorder.treebank.reading import read_treebank

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
    options: dict[str, Any] = {"epochs": 2, "tags": "jackknife", "any_case": True}
    trained = train_parser_files(trees, tmp_path / "a.model", say=said.append, **options)
    copies = next(int(line.split()[0]) for line in said if "in lower case too" in line)
    assert (trained.sentences, trained.about["tagger"]["any_case"]) == (27 + copies, True)
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
    for option in ({"epochs": 3}, {"shards": 2}, {"compact": True}):
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
