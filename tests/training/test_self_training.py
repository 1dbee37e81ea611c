"""Self-training: what is trained on what, reports, refusals, going on after a kill; selection."""

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import PROGRAM, call
from tests.parsing.small_treebank import TREEBANK, words
from tests.refusing import refuses

from wordorder.arrays import Float64, Int64
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.metrics.registry import metric
from wordorder.options import take_options
from wordorder.order.orders import Orders
from wordorder.order.reading import write_orders
from wordorder.parsing.given_tags import without_tags
from wordorder.parsing.model_file import load_models
from wordorder.parsing.pipeline.loading import open_parser
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.train_files import train_parser_files
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.reordering import open_rules
from wordorder.segments import Segments
from wordorder.training import SelfTraining, select_files, self_train
from wordorder.training.cost import OrderCost
from wordorder.training.references import (
    TREES_PER_BATCH,
    Readings,
    Selection,
    best_of_lists,
    tree_batches,
)
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestReader, write_kbest
from wordorder.treebank.reading import read_treebank, write_treebank

pytestmark = [
    pytest.mark.allow_notes(".*left out 6 % of the sentences, which have no words"),
    pytest.mark.allow_notes(".*UPOS and XPOS of the file"),
]

LINES = [*words(TREEBANK).splitlines()[::2], "", "click here", "she sees a click", "birds"]
OPTIONS: dict[str, Any] = {"rules": "R5", "kbest": 6, "epochs": 3, "seed": 3}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A treebank, a text, and orders that head-final rules would give; all in a folder."""
    (tmp_path / "train.conllu").write_text(TREEBANK)
    (tmp_path / "a.txt").write_text("\n".join(LINES) + "\n")
    orders = [list(range(len(line.split())))[::-1] for line in LINES]
    write_orders(Orders.from_rows(orders), tmp_path / "a.orders")
    return tmp_path


def trained(files: Path, name: str = "my.model", **options: Any) -> Any:
    paths = [files / each for each in ("train.conllu", name, "a.txt", "a.orders")]
    return self_trained(*paths, **{**OPTIONS, **options})


def self_trained(train: Path, output: Path, text: Path, reference: Path, **options: Any) -> Any:
    """Train with options that belong to the data, the run, the lists or the parser."""
    data = TrainingFiles(train, **take_options(options, TrainingFiles))
    run = TrainingRun(output, **take_options(options, TrainingRun))
    chosen = take_options(options, SelfTraining)
    lists = SelfTraining(text=text, reference=reference, **chosen)
    parser = ParserOptions(**take_options(options, ParserOptions))
    return self_train(data, run, lists, parser, **options)


@pytest.mark.parametrize("standard", [False, True])
def test_one_round_is_what_its_steps_are(files: Path, standard: bool) -> None:
    """Train, list, choose, and train on the union: the same bytes, step by step."""
    done = trained(files, weight=2, standard=standard, words=["click"])
    options = ParserOptions(epochs=3)
    train_parser_files(files / "train.conllu", TrainingRun(files / "base", seed=3), options)
    text = [line for line in LINES if line]
    rows = np.array([row for row, line in enumerate(LINES) if line])
    lists = open_parser(files / "base").kbest(text, 6)
    reference = Orders.from_rows([list(range(len(line.split())))[::-1] for line in LINES])
    selection = Selection(OrderCost(open_rules("R5"), reference), standard=standard)
    write_treebank(files / "chosen.conllu", selection.choose(lists, rows))
    added = [(files / "chosen.conllu", 2)]
    data = TrainingFiles(files / "train.conllu", add=added)
    train_parser_files(data, TrainingRun(files / "again", seed=3), options)
    found, again = (load_models(files / name) for name in ("my.model", "again"))
    assert found.about["data_signature"] == again.about["data_signature"]
    for role in ("tagger", "parser"):
        arrays = [getattr(each, role).parts()[1] for each in (found, again)]
        assert all(np.array_equal(arrays[0][name], arrays[1][name]) for name in arrays[1])
    said = found.about["self_training"]
    assert (said["from"], said["rules"].partition("@")[0]) == ("a.txt", "R5")
    assert (said["kbest"], said["weight"], said["round"]) == (6, 2, 1)
    assert "self_training" not in again.about
    assert len(done.rounds) == 1
    assert done.rounds[0].lists == selection.report()
    assert done.trained.sentences == 27 + 2 * len(text)
    before = Readings(("click",))
    before.add(lists.best())
    assert done.rounds[0].before == before
    assert done.after.sentences == len(text)
    kept = {"train.conllu", "a.txt", "a.orders", "my.model"}
    assert {path.name for path in files.iterdir()} - kept == {"base", "again", "chosen.conllu"}


def test_each_round_begins_with_the_model_before_it(files: Path) -> None:
    done = trained(files, rounds=2, keep_rounds=True)
    names = ["my.model", "my.model.round0", "my.model.round1"]
    shown = [path.name for path in sorted(files.glob("my.model*"))]
    assert shown == [*names, "my.model.round1.conllu", "my.model.round2.conllu"]
    assert len(done.rounds) == 2
    # The second lists are those of the model of the first round.
    lists = open_parser(files / "my.model.round1").kbest([line for line in LINES if line], 6)
    found = Readings()
    found.add(lists.best())
    assert done.rounds[1].before == found
    # A model that is there makes the first lists as well as one that is trained for it.
    other = trained(files, "other.model", rounds=2, start=files / "my.model.round0")
    assert (files / "other.model").read_bytes().count(b"train.conllu") > 0
    assert other.rounds == done.rounds


def test_files_of_an_earlier_training_are_no_inputs_of_one_that_writes_them(files: Path) -> None:
    """The first lists by a model that the training would replace: it is not lost."""
    trained(files, keep_rounds=True)
    before = {path.name: path.read_bytes() for path in files.iterdir()}
    for options in (
        {"start": files / "my.model.round0"},
        {"add": [(files / "my.model.round1.conllu", 1)]},
        {"dev": files / "." / "my.model.round1.conllu"},
        {"start": files / "my.model"},
    ):
        with pytest.raises(UsageError, match="my.model.*: is an input, and the training writes"):
            trained(files, **options)
        assert {path.name: path.read_bytes() for path in files.iterdir()} == before


def test_lists_over_several_tag_sequences(files: Path) -> None:
    done = trained(files, kbest_tags=3, keep_rounds=True)
    assert done.rounds[0].lists.other_tags > 0
    options = {"kbest_tags": 3, "start": files / "my.model.round0"}
    assert trained(files, "b.model", **options, recipe="P2").rounds == done.rounds


def test_recipes_of_talbot_et_al(files: Path) -> None:
    about = {}
    for recipe in ("P3", "P4", "P5"):
        done = trained(files, f"{recipe}.model", recipe=recipe)
        about[recipe] = done.trained.about
        assert about[recipe]["parser"]["features"] == "katz-brown"
        assert about[recipe]["parser"]["beam"] == 8
        chosen = len([line for line in LINES if line])
        assert done.trained.sentences == 27 + chosen * (1 if recipe == "P3" else 10)
    lower = {name: each["parser"]["lowercase"] for name, each in about.items()}
    assert lower == {"P3": False, "P4": False, "P5": True}
    assert about["P5"]["tagger"]["lowercase"]
    with pytest.raises(UsageError, match="recipe P3 is trained by self-training"):
        train_parser_files(files / "train.conllu", files / "x", ParserOptions(recipe="P3"))


def test_what_makes_no_sense_is_refused(files: Path) -> None:
    for options, what in (
        ({"kbest": 0}, "kbest is a whole number of at least 1, not 0"),
        ({"kbest": 4097, "start": None}, "k is a whole number from 1 to 4096, not 4097"),
        ({"rounds": True}, "rounds is a whole number"),
        ({"weight": 1.5}, "weight is a whole number"),
        ({"rules": "R9"}, "unknown rule set 'R9'"),
        ({"metric": "las"}, "las does not compare orders"),
        ({"kbest_tags": 7}, "7 tag sequences for lists of 6 trees"),
        ({"convention": {"unaligned": "drop"}}, "unaligned= is for alignments"),
        ({"resume": True, "restart": True}, "one of the two"),
    ):
        refuses(UsageError, what, trained, files, "x.model", **{"start": "en", **options})
    # Nothing is left of a command that was wrong.
    with pytest.raises(UsageError, match="recipe P1 has beam 1, not 8"):
        trained(files, "x.model", recipe="P1", beam=8)
    assert not list(files.glob("x.model*"))
    (files / "a.orders").write_text("0\n")
    with pytest.raises(InputError, match=r"a.orders: 1 row, but .*a.txt has more sentences"):
        trained(files, "y.model", start="en")
    (files / "a.orders").write_text("9\n" * len(LINES))
    with pytest.raises(InputError, match=r"a.orders:1: position 9, but the sentence has 5 words"):
        trained(files, "z.model", start="en")


def test_an_interrupted_training_is_not_lost(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[str] = []
    whole = trained(files, rounds=2, keep_rounds=True, say=counts.append)
    wanted = {path.name: path.read_bytes() for path in files.glob("my.model*")}
    written: list[str] = []

    def stopping(at: int) -> Callable[..., None]:
        """Stop before the line of text with that number."""

        def say(message: str) -> None:
            written.append(message)
            if len(written) == at:
                raise KeyboardInterrupt

        return say

    for at in range(1, len(counts), 7):
        for path in files.glob("my.model*"):
            path.unlink()
        written.clear()
        with pytest.raises(KeyboardInterrupt):
            trained(files, rounds=2, keep_rounds=True, say=stopping(at))
        if any(path.suffix in (".rounds", ".checkpoint") for path in files.iterdir()):
            with pytest.raises(
                UsageError,
                match="an unfinished training left this; (--resume|resume=True) continues",
            ):
                trained(files, rounds=2, keep_rounds=True)
        again = trained(files, rounds=2, keep_rounds=True, resume=True)
        assert again.rounds == whole.rounds
        found = {path.name: path.read_bytes() for path in files.glob("my.model*")}
        assert found.keys() == wanted.keys()
        assert all(found[name] == wanted[name] for name in wanted), at


def interrupted(files: Path) -> None:
    """Stop behind the first round."""

    def stop(message: str) -> None:
        if message.startswith("round 1: trained"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trained(files, say=stop)


def test_other_data_are_not_gone_on_with(files: Path) -> None:
    interrupted(files)
    others: dict[str, Any] = {"kbest": 5, "data_tags": "auto"}
    for name, value in others.items():
        with pytest.raises(UsageError, match=f"cannot be resumed with other {name}"):
            trained(files, resume=True, **{name: value})
    (files / "a.txt").write_text("\n".join([*LINES[:-1], "cats"]) + "\n")
    refuses(UsageError, "cannot be resumed with other text", trained, files, resume=True)
    (files / "my.model.rounds").write_text("{}")
    refuses(ModelError, "my.model.rounds: .* damaged", trained, files, resume=True)
    (files / "a.txt").write_text("\n".join([*LINES, "birds"]) + "\n")
    refuses(InputError, r"a.orders: .* rows, but .*a.txt has more", trained, files, restart=True)


@pytest.mark.slow
def test_a_kill_at_any_moment(files: Path) -> None:
    command = [
        str(PROGRAM),
        *("train", "parser", str(files / "train.conllu"), "--self-train", str(files / "a.txt")),
        *(str(files / "a.orders"), "--rules", "R5", "-O", "kbest=6", "-O", "rounds=2"),
        *("--epochs", "3", "-o", str(files / "my.model")),
    ]
    subprocess.run(command, check=True, capture_output=True)
    wanted = (files / "my.model").read_bytes()
    (files / "my.model").unlink()
    for after in (0.7, 1.3):
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as running:
            time.sleep(after)
            running.send_signal(signal.SIGKILL)
        subprocess.run([*command, "--resume"], check=True, capture_output=True)
        assert (files / "my.model").read_bytes() == wanted
        (files / "my.model").unlink()
    assert not list(files.glob("my.model*"))


def test_on_the_command_line(files: Path) -> None:
    train, model = str(files / "train.conllu"), str(files / "my.model")
    own = ["--self-train", str(files / "a.txt"), str(files / "a.orders"), "--rules", "R5"]
    more = ["-O", "kbest=6", "-O", "word=click", "-O", f"report={files / 'report.json'}"]
    answer = call("train", "parser", train, *own, *more, "-o", model, "--epochs", "2").good()
    assert "distinct orders" in answer.stderr
    assert "sentences parsed as imperatives: " in answer.stderr
    assert "'click': " in answer.stderr
    report = json.loads((files / "report.json").read_text())
    assert report["rounds"][0]["lists"]["sentences"] == len(LINES) - 1
    assert report["after"]["words"] == ["click"]
    for options, what in (
        (["-O", "standard"], "-O standard is for --self-train"),
        (["-O", "word=a"], "-O word is for --self-train"),
        (own[:3], "--self-train needs --rules"),
        ([*own, "-O", f"report={files / 'a.txt'}"], "is an input too"),
        ([*own, "-O", f"report={files / 'no' / 'x'}"], "no/x"),
        (["--self-train", "-", "-", "--rules", "R5"], "one input can be standard input"),
    ):
        call("train", "parser", train, *options, "-o", str(files / "x")).refused(2, what)
    assert not list(files.glob("x*"))


@pytest.mark.parametrize("tags", ["predict", "auto", None])
def test_tags_of_a_text_are_predicted_unless_told_otherwise(files: Path, tags: str | None) -> None:
    """The treebank's own sentences with tags that its tagger would not give them."""
    bank = read_treebank(files / "train.conllu")
    odd = bank.replace(upos=bank.upos.map(lambda tag: "VERB" if tag == "NOUN" else tag))
    write_treebank(files / "a.conllu", odd)
    write_orders(open_rules("head-final").orders(bank), files / "b.orders")
    said: list[str] = []
    texts = (files / "train.conllu", files / "my.model", files / "a.conllu", files / "b.orders")
    done = self_trained(*texts, keep_rounds=True, data_tags=tags, say=said.append, **OPTIONS)
    chosen = read_treebank(files / "my.model.round1.conllu")
    tagger = load_models(files / "my.model.round0").tagger
    assert tagger is not None
    predicted = tagger.tag(without_tags(bank))
    wanted = odd if tags == "auto" else predicted
    assert chosen.xpos.strings() == wanted.xpos.strings()
    assert chosen.upos.strings() == wanted.upos.strings()
    assert done.rounds[0].lists.other_tags == 0
    about = load_models(files / "my.model").about["self_training"]
    assert about["data_tags"] == (tags or "predict")
    lines = [line for line in said if "all tags are predicted, as they will be in text" in line]
    assert len(lines) == (tags != "auto")


def test_no_tagger_for_a_text(files: Path) -> None:
    train_parser_files(files / "train.conllu", files / "no", ParserOptions(tagger="none", epochs=2))
    with pytest.raises(UsageError, match='no: has no tagger; data_tags="auto" takes the tags'):
        trained(files, start=files / "no")
    with pytest.raises(UsageError, match='data_tags="predict" needs a tagger'):
        trained(files, tagger="none", data_tags="predict")


# -- Algorithm 1 of Katz-Brown et al. (2011) and its traps; lists of a file. -----------------------


GENERATOR = np.random.default_rng(8)
SENTENCES = [
    "Wear sunscreen that has an SPF of 15 .",
    "Go",
    "The old man who lives here gave the dog a bone yesterday .",
    "Click on the link to download the file that you want .",
    "Can you tell me where the station is ?",
    "Because it rained , we stayed at home .",
] * 3


@pytest.fixture(scope="module")
def lists() -> KBest:
    return open_parser("en").kbest(SENTENCES, 12)


@pytest.fixture(scope="module")
def reference(lists: KBest) -> Orders:
    """Some word order that not all trees of a list hit, with dropped words."""
    found = open_rules("head-final").orders(lists.best())
    rows = [list(order.positions) for order in found]
    for row in rows[::2]:
        GENERATOR.shuffle(row)
    return Orders.from_rows([row[: max(1, len(row) - 2)] for row in rows])


def algorithm_1(scores: Float64, offsets: Int64) -> list[int]:
    """Take the first tree until another one is better."""
    chosen = []
    for first, last in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        best = first
        for tree in range(first + 1, last):
            if scores[tree] > scores[best]:
                best = tree
        chosen.append(best)
    return chosen


def test_the_best_of_each_list_is_that_of_the_loop() -> None:
    counts = GENERATOR.integers(1, 9, 300)
    offsets = np.append(0, np.cumsum(counts))
    scores = GENERATOR.choice([-np.inf, 0.0, 0.25, 0.5, 1.0], int(offsets[-1]))
    assert best_of_lists(scores, offsets).tolist() == algorithm_1(scores, offsets)


@pytest.mark.parametrize("value", [0.0, 1.0, -np.inf])
def test_of_equal_scores_the_highest_in_the_list_wins(value: float) -> None:
    # The printed algorithm starts from 0 and returns nothing here when all score 0.
    assert best_of_lists(np.full(5, value), np.array([0, 2, 5])).tolist() == [0, 2]
    assert best_of_lists(np.zeros(0), np.zeros(1, np.int64)).tolist() == []


def test_the_report_counts_what_a_slow_twin_counts(lists: KBest, reference: Orders) -> None:
    rules = open_rules("R5")
    selection = Selection(OrderCost(rules, reference))
    whole = selection.choose(lists, np.arange(len(lists)))
    report = selection.report()
    orders = [str(order) for order in rules.orders(lists.trees)]
    own = [orders[a:b] for a, b in zip(lists.offsets, lists.offsets[1:], strict=False)]
    assert report.orders == sum(len(set(each)) for each in own)
    assert report.one_order == sum(len(set(each)) == 1 for each in own)
    assert 0 < report.one_order < report.sentences == len(SENTENCES)
    behind = [order != each[0] for each in own for order in each[1:]]
    assert report.other_order == pytest.approx(sum(behind) / len(behind))
    heads = labels = words = 0
    for first, last in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True):
        best = lists.trees[first]
        for tree in range(first + 1, last):
            one = lists.trees[tree]
            heads += sum(a != b for a, b in zip(one.heads, best.heads, strict=True))
            labels += sum(a != b for a, b in zip(one.labels, best.labels, strict=True))
            words += len(one)
    assert report.other_heads == pytest.approx(heads / words)
    assert report.other_labels == pytest.approx(labels / words)
    for found, trees in ((report.first_score, lists.best()), (report.best_score, whole)):
        segments = Segments.from_orders(rules.orders(trees), reference)
        assert found == metric("frs").corpus_score(segments).value
    assert report.first_score < report.best_score


def test_standard_selection_takes_the_first_trees(lists: KBest, reference: Orders) -> None:
    selection = Selection(OrderCost(open_rules("R5"), reference), standard=True)
    chosen = selection.choose(lists, np.arange(len(lists)))
    np.testing.assert_array_equal(chosen.heads, lists.best().heads)
    targeted = Selection(OrderCost(open_rules("R5"), reference))
    targeted.choose(lists, np.arange(len(lists)))
    assert selection.report() == targeted.report()


def test_a_file_gives_what_the_lists_give(lists: KBest, reference: Orders, tmp_path: Path) -> None:
    write_kbest(tmp_path / "lists.conllu", lists)
    write_orders(reference, tmp_path / "a.orders")
    selection = Selection(OrderCost(open_rules("R5"), reference, "kendall"))
    expected = selection.choose(lists, np.arange(len(lists)))
    told: list[int] = []
    paths = [tmp_path / name for name in ("lists.conllu", "a.orders", "best.conllu")]
    report = select_files(*paths, rules="R5", metric="kendall", progress=told.append)
    found = read_treebank(tmp_path / "best.conllu")
    np.testing.assert_array_equal(found.heads, expected.heads)
    assert found.label.strings() == expected.label.strings()
    assert report == selection.report()
    assert told == [len(SENTENCES)]
    # In the command, with json and with text.
    command = ["select", *map(str, paths[:2]), "--rules", "R5", "-m", "kendall", "-o"]
    command += [str(tmp_path / "other.conllu")]
    assert call(*command, "--format", "json").good().json["best_score"] == report.best_score
    assert (tmp_path / "other.conllu").read_bytes() == (tmp_path / "best.conllu").read_bytes()
    result = call(*command).good()
    assert not result.stdout
    assert "distinct orders" in result.stderr


def test_batches_hold_about_as_many_trees(lists: KBest, tmp_path: Path) -> None:
    # Short lists first: those after them are not as short.
    ones = lists.take(np.zeros(16, np.int64), most=1)
    many = KBest.concatenate([ones, lists.take(np.repeat(np.arange(len(lists)), 80))])
    write_kbest(tmp_path / "lists.conllu", many)
    with KBestReader(tmp_path / "lists.conllu") as reader:
        sizes = [(len(batch), len(batch.trees)) for batch in tree_batches(reader)]
    assert sum(size for size, _ in sizes) == len(many)
    assert max(trees for _, trees in sizes) < 1.5 * TREES_PER_BATCH
    assert all(trees > TREES_PER_BATCH / 2 for _, trees in sizes[:-1])


def test_alignments_become_orders(tmp_path: Path, lists: KBest) -> None:
    write_kbest(tmp_path / "lists.conllu", lists[:2])
    (tmp_path / "a.align").write_text("0-1 1-0\n0-0\n")
    conventions: list[dict[str, Any]] = [{}, {"unaligned": "drop"}]
    paths = [tmp_path / name for name in ("lists.conllu", "a.align", "best.conllu")]
    found = [select_files(*paths, rules="R5", **each).best_score for each in conventions]
    assert found[1] != found[0]


def test_a_tree_of_fewer_words_is_refused_and_not_chosen(tmp_path: Path) -> None:
    row = "{0}\tword\t_\tNOUN\tNN\t_\t{1}\t{2}\t_\t_\n"
    root, other = row.format(1, 0, "root"), row.format(2, 1, "obj")
    heads = (f"# sent_id = 1\n# rank = {n}\n# score = {9 - n}\n" for n in (1, 2))
    text = f"{next(heads)}{root}{other}\n{next(heads)}{root}\n"
    (tmp_path / "lists.conllu").write_text(text)
    (tmp_path / "a.orders").write_text("1 0\n")
    paths = (tmp_path / name for name in ("lists.conllu", "a.orders", "best.conllu"))
    message = "lists.conllu:7: other words than the tree before"
    refuses(InputError, message, select_files, *paths, rules="R5")


def test_references_that_do_not_match_are_refused(lists: KBest, tmp_path: Path) -> None:
    write_kbest(tmp_path / "lists.conllu", lists[:2])
    output = tmp_path / "best.conllu"

    def chosen(text: str, name: str = "a.orders", **options: Any) -> None:
        (tmp_path / name).write_text(text)
        select_files(tmp_path / "lists.conllu", tmp_path / name, output, rules="R5", **options)

    refuses(InputError, r"a.orders: 1 row, but .*lists.conllu has more sent", chosen, "0\n")
    refuses(InputError, r"a.orders: more rows than the 2 sentences of", chosen, "0\n0\n0\n")
    refuses(InputError, r"a.orders:2: position 1, but the sentence has 1 word;", chosen, "0\n1 0\n")
    message = r"unaligned= is for alignments, but .* is read as orders"
    refuses(UsageError, message, chosen, "0\n0\n", unaligned="drop")
    refuses(UsageError, "las does not compare orders", chosen, "0\n0\n", metric="las")
    (tmp_path / "lists.conllu").write_text("")
    refuses(UsageError, "lists.conllu: no lists of trees", chosen, "")
    assert not output.exists()
    words = "# sent_id = 1\n1\tGo\t_\tVERB\t_\t_\t_\t_\t_\t_\n\n"
    (tmp_path / "lists.conllu").write_text(words)
    refuses(InputError, r"lists.conllu:2.*head", chosen, "0\n")


def test_one_standard_input_and_one_standard_output() -> None:
    for command, what in (
        (["select", "a", "b", "--rules", "R5", "--format", "json"], "-o FILE for the trees"),
        (["select", "-", "-", "--rules", "R5"], "only one input can be standard input"),
    ):
        call(*command).refused(2, what)
