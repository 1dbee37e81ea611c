"""Stanza: a tiny parser, trained here, where Stanza (and so PyTorch) is installed."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.parsing import small_treebank

from wordorder.errors import ModelError, UsageError
from wordorder.parsing.adapters.external import StanzaParser
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees

pytest.importorskip("stanza")

# Stanza's own, and there are many.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.allow_notes]

# A word vector each, no character model, a few steps: the least that Stanza trains.
SIZES = "hidden_dim deep_biaff_hidden_dim transformed_dim word_emb_dim char_hidden_dim".split()


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    from stanza.models import parser

    folder = tmp_path_factory.mktemp("stanza")
    (folder / "a.conllu").write_text(small_treebank.TREEBANK, encoding="utf-8")
    trees, steps = str(folder / "a.conllu"), ("max_steps", "eval_interval")
    given: dict[str, object] = {
        "mode": "train",
        "train_file": trees,
        "eval_file": trees,
        "shorthand": "en_tiny",
    }
    given |= {"output_file": folder / "out.conllu", "save_dir": folder, "save_name": "tiny.pt"}
    given |= {"num_layers": 1, **dict.fromkeys(steps, 2), **dict.fromkeys(SIZES, 10)}
    arguments = [text for name, value in given.items() for text in (f"--{name}", str(value))]
    parser.main([*arguments, "--no_pretrain", "--cpu"])
    (folder / "resources.json").write_text(json.dumps({}))
    given = {"depparse_model_path": str(folder / "tiny.pt"), "dir": str(folder)}
    return {**given, "use_gpu": False, "allow_unknown_language": True}


def test_parses_given_tags(options: dict[str, Any]) -> None:
    parser = StanzaParser("en", tags="given", options=options)
    words = [["She", "sees", "birds", "."], [], ["Go"]]
    upos = [["PRON", "VERB", "NOUN", "PUNCT"], [], ["VERB"]]
    xpos = [["PRP", "VBZ", "NNS", "."], [], ["VB"]]
    found = parser.parse(Treebank.from_words(words, upos=upos, xpos=xpos))
    for row in (0, 2):
        check_trees(found[row : row + 1])
    assert found.upos.strings() == [tag for row in upos for tag in row]
    assert "_" not in found.label.strings()
    assert parser.repaired == 0


def test_models_that_are_not_here(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"models of 'en_gum' are not here .*stanza\.download"):
        StanzaParser("en_gum", options={"dir": str(tmp_path)})


def test_models_that_are_damaged(options: dict[str, Any], tmp_path: Path) -> None:
    bad = tmp_path / "bad.pt"
    bad.write_bytes(b"no model")
    with pytest.raises(ModelError, match="stanza: 'en' cannot be loaded"):
        StanzaParser("en", tags="given", options={**options, "depparse_model_path": str(bad)})
