"""Sentences that are too long for a learned order: in pieces, with a note, in bounded time."""

import random
import time
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call
from tests.notes import noted
from tests.oracles_families import LABELS, TAGS, WORDS
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.kernels import INTERPRETED_BY_CHOICE
from wordorder.order.orders import Orders
from wordorder.reordering import open_rules
from wordorder.reordering.consensus import (
    Consensus,
    ConsensusMember,
)
from wordorder.reordering.learned import LearnedOrder, examples, order_examples, save_learned
from wordorder.reordering.learned.agreement import agreed_orders, order_similarity
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.examples import MAX_WORDS, note_long
from wordorder.reordering.learned.learned_order import OrderModel, learn_order
from wordorder.reordering.learned.linear_model import Linear
from wordorder.reordering.learned_explanation import explain_learned
from wordorder.treebank import Treebank
from wordorder.treebank.reading import write_treebank

pytestmark = pytest.mark.skipif(INTERPRETED_BY_CHOICE, reason="too slow as plain Python")

KINDS = ("linear", "bracketing", "consensus")


def treebank(heads: list[list[int]], seed: int = 1) -> Treebank:
    """Make sentences of random words with these trees."""
    rng = random.Random(seed)

    def drawn(names: list[str]) -> list[list[str]]:
        return [[rng.choice(names) for _ in row] for row in heads]

    columns = {"upos": drawn(["NOUN", "VERB", "ADP"]), "xpos": drawn(TAGS), "label": drawn(LABELS)}
    return Treebank.from_words(drawn(WORDS), heads=heads, **columns)


def near(words: int) -> list[int]:
    """Heads of a tree: each word but the first hangs on one of the eight before it."""
    rng = random.Random(words)
    return [0, *(rng.randint(max(1, at - 8), at) for at in range(1, words))][:words]


def flat(words: int) -> list[int]:
    return [0, *([1] * (words - 1))][:words]


@pytest.fixture(scope="module")
def models() -> dict[str, OrderModel]:
    """Models of each kind that learned to put words in reverse, or nearly so."""
    rng = random.Random(4)
    bank = treebank([near(n) for n in (3, 5, 8, 12) * 6])
    links = [
        [(k, n - k + rng.randrange(3)) for k in range(n)] for n in map(int, np.diff(bank.offsets))
    ]
    examples = order_examples(bank, Alignments.from_rows(links))
    linear = learn_order(Linear.learner(examples, epochs=3))
    bracketing = learn_order(Bracketing.learner(examples, epochs=3, runs=1))
    members = [
        ConsensusMember(linear, 0.5),
        ConsensusMember(bracketing),
        ConsensusMember(open_rules("R5")),
    ]
    return {"linear": linear, "bracketing": bracketing, "consensus": Consensus(members)}


def by_hand(model: OrderModel, bank: Treebank) -> list[int]:
    """The order of the only sentence: each piece as a sentence of its own, one behind the other."""
    words, heads = bank.words, bank.heads.tolist()
    number = -(-words // MAX_WORDS)
    found: list[int] = []
    for k in range(number):
        begin, end = words * k // number, words * (k + 1) // number
        local = [head - begin if begin < head <= end else 0 for head in heads[begin:end]]
        columns = {
            name: [bank.columns[name].strings()[begin:end]] for name in ("upos", "xpos", "label")
        }
        piece = Treebank.from_words([bank.form.strings()[begin:end]], heads=[local], **columns)
        found += [begin + at for at in model.orders(piece)[0].positions]
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [near, flat])
def test_long_sentences_are_ordered_piece_by_piece(
    models: dict[str, OrderModel], kind: str, shape: object
) -> None:
    assert callable(shape)
    lengths = [7, MAX_WORDS + 1, 0, 2 * MAX_WORDS + 1, 3]
    bank = treebank([shape(n) for n in lengths])
    found = models[kind].orders(bank)
    for row, n in enumerate(lengths):
        order = list(found[row].positions)
        assert sorted(order) == list(range(n))
        assert order == (by_hand(models[kind], bank[row : row + 1]) if n else [])


@pytest.mark.parametrize("kind", KINDS)
def test_up_to_the_limit_sentences_are_ordered_at_once(
    models: dict[str, OrderModel], kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = treebank([near(MAX_WORDS), flat(MAX_WORDS)])
    found = models[kind].orders(bank)
    # As if nothing were ever cut.
    monkeypatch.setattr(examples, "MAX_WORDS", 10 * MAX_WORDS)
    assert models[kind].orders(bank).positions == found.positions
    # Words of different pieces change places, so that the pieces above are no accident.
    half = MAX_WORDS // 2
    assert sorted(found[0].positions[:half]) != list(range(half))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [near, flat])
def test_time_grows_with_the_pieces(
    models: dict[str, OrderModel], kind: str, shape: object
) -> None:
    """Four times as many words take about four times as long, not 16 or 64 times."""
    assert callable(shape)
    seconds = []
    for words in (1024, 4096):
        bank = treebank([shape(words)])
        begin = time.process_time()
        orders = models[kind].orders(bank)
        seconds.append(time.process_time() - begin)
        assert sorted(orders[0].positions) == list(range(words))
    # A constant for clocks and for work that does not grow.
    assert seconds[1] < 10 * (seconds[0] + 0.05)


@pytest.mark.parametrize("name", ["frs", "frs-boundary", "kendall"])
def test_of_long_orders_the_best_candidate_wins(name: str) -> None:
    rng = np.random.default_rng(1)
    lengths = [MAX_WORDS + 88, 5, 20_000]
    candidates = [Orders.from_rows([rng.permutation(n) for n in lengths]) for _ in range(3)]
    candidates.append(candidates[1])
    found = agreed_orders(candidates, metric=name)
    compare = order_similarity(name)
    values = np.sum([[compare(one, two) for two in candidates] for one in candidates], axis=1)
    for row in (0, 2):
        assert found[row].positions == candidates[int(values[:, row].argmax())][row].positions
    alone = agreed_orders([each[1:2] for each in candidates], metric=name)
    assert found[1].positions == alone[0].positions


def test_a_tree_that_is_none_is_told_by_its_sentence(models: dict[str, OrderModel]) -> None:
    bank = treebank([near(2000), near(3), [-1] * 5])
    refuses(InputError, "sentence 3: no tree", models["linear"].orders, bank)
    refuses(InputError, "sentence 3: no tree", models["consensus"].orders, bank)


@pytest.mark.parametrize("kind", KINDS)
def test_learned_orders_say_what_they_cut(models: dict[str, OrderModel], kind: str) -> None:
    learned = LearnedOrder("mine", models[kind])
    with noted() as notes:
        learned.orders(treebank([near(3), near(600), near(1026)]))
    assert notes == [
        "sentence 2: 600 words are ordered in 2 pieces of at most 512, which keep their order (so "
        "long: 2 of 3 sentences; expected: one sentence per line)"
    ]
    # Nothing is said of shorter ones.
    note_long(np.array([0, 3, MAX_WORDS]))
    with pytest.raises(UsageError, match="at most 512 words, and this one has 600"):
        explain_learned(learned, treebank([near(600)]))


def test_the_program_says_where_a_long_sentence_is(
    models: dict[str, OrderModel], tmp_path: Path
) -> None:
    model = tmp_path / "m.safetensors"
    save_learned(model, models["linear"], {"parser": "en"})
    text, trees = tmp_path / "a.txt", tmp_path / "a.conllu"
    bank = treebank([near(3)] * 40 + [near(1998), near(600)] + [near(3)] * 50 + [near(700)])
    text.write_text("".join(f"{' '.join(words)}\n" for words in bank.sentences()))
    write_treebank(trees, bank)
    for path, place in ((text, f"{text}:41"), (trees, f"{trees}: sentence 41")):
        done = call("reorder", "--rules", str(model), str(path)).good()
        lines = [line for line in done.stderr.splitlines() if "pieces" in line]
        assert lines[0].startswith(f"wordorder: note: {place}: 1,998 words are ordered in 4 pieces")
        # One line of each kind, however many batches there are.
        assert len(lines) <= 2
        assert [len(row.split()) for row in done.text.splitlines()] == bank.lengths.tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_long_sentences_are_learned_from_in_pieces(kind: str, tmp_path: Path) -> None:
    trees, links = tmp_path / "a.conllu", tmp_path / "a.align"
    lengths = [6, 1030, 6, 600]
    write_treebank(trees, treebank([near(6), near(1030), near(6), flat(600)]))
    links.write_text("".join(f"{' '.join(f'{k}-{n - k}' for k in range(n))}\n" for n in lengths))
    model = tmp_path / "m.safetensors"
    members = ["--member", "bracketing", "1", "--member", "linear", "1"]
    begin = time.process_time()
    done = call(
        *("train", "order", str(trees), str(links), "-o", str(model), "--model", kind),
        *("--epochs", "1", *(members if kind == "consensus" else [])),
    ).good()
    assert time.process_time() - begin < 20
    assert f"{trees}: sentence 2: 1,030 words are ordered in 3 pieces" in done.stderr
    assert call("reorder", "--rules", str(model), str(trees)).good().stdout.count(b"\n") == 4
