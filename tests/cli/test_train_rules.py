"""Training rules from the command line: what is written, resumed, refused."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import REFERENCE, TREES, call, goes_on, interrupt, started, wait_for
from tests.training.rules.corpora import random_bank
from tests.training.rules.test_search import HIDDEN, START

import wordorder as wo
from wordorder.reordering import PrecedenceRules
from wordorder.training.rules.training import rules_from_text
from wordorder.treebank import write_treebank


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Trees, the orders that hidden rules give them, and other rules."""
    folder = tmp_path_factory.mktemp("corpus")
    bank = random_bank(1, 500)
    bank = bank.take(np.flatnonzero(bank.lengths > 0))
    write_treebank(folder / "a.conllu", bank)
    wo.write_orders(rules_from_text(HIDDEN).orders(bank), folder / "a.orders")
    (folder / "start.toml").write_text(START)
    return folder


def args(corpus: Path, output: Path) -> list[str]:
    files = [str(corpus / "a.conllu"), str(corpus / "a.orders")]
    return ["train", "rules", *files, "--start", str(corpus / "start.toml"), "-o", str(output)]


def test_what_is_written(corpus: Path, tmp_path: Path) -> None:
    output = tmp_path / "learned.toml"
    answer = call(*args(corpus, output)).good()
    assert "edits; frs of" in answer.stderr
    text = output.read_text()
    assert "-> " in text.splitlines()[3]
    assert "# fires " in text
    assert " words; frs +" in text
    call("rules", "check", output).good()
    rules = PrecedenceRules.read(output)
    assert rules.name == "learned"
    assert not list(tmp_path.glob("*.checkpoint"))
    found = call(
        *("evaluate", str(corpus / "a.orders"), "--trees", str(corpus / "a.conllu")),
        *("--rules", str(output), "-m", "frs", "--format", "tsv"),
    )
    assert "learned" in found.good().text
    # Edited by hand, and learned on from.
    edited = tmp_path / "edited.toml"
    edited.write_text(text.replace('name = "learned"', 'name = "edited"'))
    made = [*args(corpus, tmp_path / "b.toml"), "--start", str(edited)]
    again = call(*made, "-O", "name=mine", "-m", "kendall").good()
    assert "kendall of" in again.stderr
    assert PrecedenceRules.read(tmp_path / "b.toml").name == "mine"


def test_without_a_start_on_the_sample(tmp_path: Path) -> None:
    call("train", "rules", TREES, REFERENCE, "-o", tmp_path / "a.toml", "-O", "least=3").good()
    text = (tmp_path / "a.toml").read_text()
    assert "start nothing" in text
    found = PrecedenceRules.read(tmp_path / "a.toml")
    assert "VERB" in found.rule_names


def test_what_is_too_little_to_hold_out_is_said(tmp_path: Path) -> None:
    bank = random_bank(1, 12)
    write_treebank(tmp_path / "a.conllu", bank)
    wo.write_orders(rules_from_text(HIDDEN).orders(bank), tmp_path / "a.orders")
    command = ["train", "rules", str(tmp_path / "a.conllu"), str(tmp_path / "a.orders")]
    said = "too few different sentences to hold some out"
    assert said in call(*command, "-o", tmp_path / "a.toml").good().stderr
    none = call(*command, "-o", tmp_path / "b.toml", "-O", "held-out=0").good()
    assert said not in none.stderr


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_bytes(corpus: Path, tmp_path: Path) -> None:
    goes_on(args(corpus, tmp_path)[:-2], tmp_path, "made.checkpoint")


@pytest.mark.slow
def test_an_interrupt_keeps_the_best_rules_so_far(corpus: Path, tmp_path: Path) -> None:
    output = tmp_path / "a.toml"
    running = started(args(corpus, output), tmp_path)
    wait_for(Path(f"{output}.checkpoint"))
    said = interrupt(running).splitlines()[-1]
    assert said.endswith("has the best rules so far; the same command with --resume continues")
    assert "interrupted: --resume goes on" in output.read_text()
    assert PrecedenceRules.read(output).rule_names
    call(*args(corpus, output), "--resume").good()
    assert "interrupted" not in output.read_text()
