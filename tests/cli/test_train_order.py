"""``wordorder train order``, and its models in other commands, from the outside."""

from pathlib import Path

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SAMPLE, SOURCE, call, write

from wordorder.reordering.consensus import Consensus
from wordorder.reordering.learned import load_learned
from wordorder.reordering.learned.learned_order import OrderCheckpoint

TREES = str(SAMPLE / "trees.conllu")
SHORT = ["--model", "linear", "--epochs", "3"]
JSON = ["-m", "frs", "--format", "json"]


@pytest.fixture(scope="module")
def linear(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("models") / "toy.safetensors"
    assert call("train", "order", TREES, ALIGNMENTS, "-o", str(path), *SHORT).status == 0
    return str(path)


@pytest.fixture
def model(tmp_path: Path) -> str:
    return str(tmp_path / "m.safetensors")


def test_a_model_says_what_it_was_trained_on(linear: str) -> None:
    about = load_learned(linear).about
    assert about["data"] == [TREES]
    assert (about["rule"], about["unaligned"], about["metric"]) == ("topdown-btg", "drop", "frs")
    # The trees were those of the treebank: no parser goes with it.
    assert (about["parser"], about["reads"], about["sentences"]) == (None, "trees", 72)


def test_a_model_reorders_better_than_the_source(linear: str, tmp_path: Path) -> None:
    orders = tmp_path / "mine.orders"
    call("reorder", TREES, "--rules", linear, "--to", "orders", "-o", str(orders)).good()
    unchanged = str(SAMPLE / "unchanged.orders")
    scored = call("score", REFERENCE, "-i", str(orders), "-i", unchanged, *JSON)
    values = [each["scores"][0]["value"] for each in scored.json["systems"]]
    assert values[0] > values[1] + 0.3


def test_a_model_takes_part_in_a_grid(linear: str) -> None:
    found = call(
        "evaluate", REFERENCE, "--trees", f"hand={TREES}", "--rules", linear, "--rules", "R5"
    ).good()
    assert "toy" in found.text


def test_scores_are_printed_under_both_treatments(model: str) -> None:
    done = call(
        *("train", "order", TREES, ALIGNMENTS, "-o", model, *SHORT),
        *("--dev", TREES, ALIGNMENTS, "-O", "folds=3"),
    ).good()
    for where, sentences in ((TREES, 72), ("held-out sentences", 72)):
        for under in ("topdown-btg/drop", "talbot/next"):
            assert f"linear on {where} ({sentences}, {under}): FRS " in done.stderr
    assert "training linear: 3 epochs, each a pass over all sentences" in done.stderr
    assert "mix(" not in done.stderr


def test_a_text_without_reference_orders_is_no_test(model: str, tmp_path: Path) -> None:
    """It is refused before the training, not after it."""
    text, links = (write(tmp_path, *each) for each in (("dev.txt", "a b c\n"), ("dev.align", "\n")))
    call(
        *("train", "order", SOURCE, ALIGNMENTS, "-o", model, *SHORT, "--model", "bracketing"),
        *("--dev", text, links),
    ).refused(1, "dev.align: no sentence with a reference order under topdown-btg/drop")
    assert not list(tmp_path.glob("m.*"))


def test_one_sentence_is_counted_as_one(model: str, tmp_path: Path) -> None:
    text = write(tmp_path, "a.txt", "a b\n")
    links = write(tmp_path, "a.align", "0-1 1-0\n")
    short = ["--model", "bracketing", "--epochs", "1"]
    done = call("train", "order", text, links, "-o", model, *short).good()
    assert "a.txt: 1 sentence, 2 words; 0 % of the words have no position" in done.stderr


def test_training_with_unaligned_words_needs_no_rule(model: str) -> None:
    call("train", "order", TREES, ALIGNMENTS, "-o", model, *SHORT, "-O", "unaligned=next").good()
    about = load_learned(model).about
    assert (about["rule"], about["unaligned"]) == ("talbot", "next")


def test_a_bracketing_model_needs_no_parser(model: str) -> None:
    call("train", "order", SOURCE, ALIGNMENTS, "-o", model, *SHORT, "--model", "bracketing").good()
    assert (load_learned(model).reads, load_learned(model).parser) == ("words", None)
    reordered = call("reorder", SOURCE, "--rules", model).good()
    assert "parsed" not in reordered.stderr
    lines = Path(SOURCE).read_text().splitlines()
    assert [sorted(line.split()) for line in reordered.text.splitlines()] == [
        sorted(line.split()) for line in lines
    ]


def test_a_consensus_has_the_members_asked_for(model: str) -> None:
    members = ["--member", "linear", "1", "--member", "bracketing", "1", "--member", "R5", "1"]
    call(
        *("train", "order", TREES, ALIGNMENTS, "-o", model, "--model", "linear", "--epochs", "1"),
        *("--model", "consensus", "-m", "kendall", *members),
    ).good()
    found = load_learned(model)
    assert isinstance(found.model, Consensus)
    assert (len(found.model.members), found.model.metric) == (3, "kendall")
    assert call("reorder", TREES, "--rules", model).status == 0


def test_rules_join_the_default_members(model: str) -> None:
    call(
        *("train", "order", TREES, ALIGNMENTS, "-o", model, "--model", "consensus"),
        *("--epochs", "1", "--member", "R5", "1"),
    ).good()
    found = load_learned(model).model
    assert isinstance(found, Consensus)
    kinds = [getattr(member.model, "kind", "rules") for member in found.members]
    assert kinds == ["bracketing"] * 12 + ["linear"] * 8 + ["unchanged", "rules"]


def test_a_bracketing_model_remembers_its_tagger(model: str) -> None:
    call(
        *("train", "order", SOURCE, ALIGNMENTS, "-o", model, *SHORT),
        *("--model", "bracketing", "--tagger", "en"),
    ).good()
    found = load_learned(model)
    assert (found.reads, found.tagger, found.parser) == ("tags", "en", None)
    assert call("reorder", SOURCE, "--rules", model).status == 0


def test_training_stops_at_a_checkpoint_and_goes_on(tmp_path: Path) -> None:
    whole, again = (str(tmp_path / name) for name in ("whole", "again"))
    command = ["train", "order", TREES, ALIGNMENTS, *SHORT, "-o"]
    stopped: list[int] = []
    write_checkpoint = OrderCheckpoint.write

    def write_then_stop(self: OrderCheckpoint, epoch: int, learner: object) -> None:
        write_checkpoint(self, epoch, learner)  # type: ignore[arg-type]
        stopped.append(epoch)
        if str(self.file.path).startswith(again) and len(stopped) == 2:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OrderCheckpoint, "write", write_then_stop)
        with pytest.raises(KeyboardInterrupt):
            call(*command, again)
    assert Path(f"{again}.checkpoint").exists()
    call(*command, again).refused(2, "--resume continues it")
    call(*command, again, "--resume", "--seed", "7").refused(2, "cannot be resumed with other seed")
    assert call(*command, again, "--resume").status == 0
    assert call(*command, whole).status == 0
    assert Path(again).read_bytes() == Path(whole).read_bytes()
    assert not Path(f"{again}.checkpoint").exists()


@pytest.mark.parametrize("kind", ["order", "tagger"])
def test_nothing_to_go_on_from_is_noted(kind: str, model: str) -> None:
    given = [TREES, ALIGNMENTS, *SHORT] if kind == "order" else [TREES, "--epochs", "1"]
    done = call("train", kind, *given, "-o", model, "--resume").good()
    name = model if kind == "order" else f"{model}.tagger"
    note = f"{name}.checkpoint: no checkpoint to go on from, so it starts from scratch"
    assert done.stderr.count(note) == 1


def test_a_damaged_model_is_no_rule_set(linear: str, tmp_path: Path) -> None:
    whole = Path(linear).read_bytes()
    broken = tmp_path / "broken.safetensors"
    broken.write_bytes(whole[:-3])
    call("reorder", TREES, "--rules", str(broken)).refused(1, "broken.safetensors")


def test_rules_explain_shows_the_weights_that_decide(linear: str) -> None:
    found = call("rules", "explain", linear, "--trees", TREES, "--sentence", "2").good()
    assert ": turned, score -" in found.text
    assert "a.label=" in found.text
    assert call("rules", "explain", linear, "--trees", TREES, "--format", "json").json["steps"]
    assert call("rules", "check", linear).refused(2, "learned order")


def test_analyze_says_that_a_learned_order_has_no_rules(linear: str) -> None:
    done = call(
        "analyze", ALIGNMENTS, "--trees", f"hand={TREES}", "--rules", linear, *JSON[2:]
    ).good()
    assert "a learned order has weights instead" in done.stderr
