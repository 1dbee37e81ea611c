"""Our metrics under torchmetrics: the states of ranks add up exactly."""

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.cli.running import python

from wordorder import Segments, metric

torch = pytest.importorskip("torch")
pytest.importorskip("torchmetrics")


def rows(number: int, seed: int) -> tuple[list[list[int]], list[list[int]]]:
    generator = np.random.default_rng(seed)
    lengths = generator.integers(2, 20, number)
    system = [generator.permutation(n).tolist() for n in lengths]
    return system, [list(range(n)) for n in lengths]


def synced(ranks: list[Any]) -> Any:
    """Reduce the states of ranks as torchmetrics does; return the first rank."""
    first = ranks[0]
    states = [{name: getattr(each, name) for name in first._reductions} for each in ranks]
    for name, reduce in first._reductions.items():
        setattr(first, name, reduce(torch.stack([state[name] for state in states])))
    first._computed = None
    return first


@pytest.mark.parametrize("name", ["frs", "kendall", "spearman", "ulam"])
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_ranks_give_the_bits_of_one_process(name: str, ranks: int) -> None:
    from wordorder.integrations.torchmetrics import WordOrderMetric

    system, reference = rows(300, 4)
    expected = metric(name).corpus_score(Segments.from_orders(system, reference)).value
    made = [WordOrderMetric(metric(name)) for _ in range(ranks)]
    for number in range(0, 300, 7):
        part = slice(number, number + 7)
        made[number % ranks].update(system[part], reference[part])
    whole = synced(made)
    assert whole.compute().item() == expected
    assert whole.segments.item() == 300


def test_limbs_are_exact() -> None:
    from wordorder.integrations.torchmetrics import limbs_of, totals_of

    parts = [np.array([[1e308, 5e-324, -0.1]]), np.array([[1e308, 1e300, 0.3]])]
    parts += [np.array([[-1e308, -1e300, 1e-9]]), np.array([[-1e308, 0.0, 0.7]])]
    expected = [sum(Fraction(float(p[0, c])) for p in parts) for c in range(3)]
    found = totals_of(np.sum([limbs_of(part) for part in parts], axis=0))
    assert found.tolist() == [float(each) for each in expected]


def test_forward_reset_clone_and_text() -> None:
    from wordorder.integrations.torchmetrics import WordOrderMetric

    cder = WordOrderMetric(metric("cder"), case="lower")
    assert cder.higher_is_better is False
    assert cder(["The cat sat"], [["the cat sat down"]]).item() == 0.25
    assert cder(["a b c d"], [["a b c d"]]).item() == 0
    assert cder.compute().item() == 0.125
    assert cder.clone().compute().item() == 0.125
    cder.reset()
    assert cder.segments.item() == 0
    frs = WordOrderMetric(metric("frs"), aligner="exact")
    assert frs(["b c a"], ["a b c"]).item() == 0.5


# In the first batch no words are moved: CDER and WER count the same there. In the second, two
# neighbours are moved to the front of six words: four edits for WER, three long jumps for CDER.
BATCHES = [
    (["we saw her"], [["we saw him"]]),
    (["at six we met them again"], [["we met them again at six"]]),
]


@pytest.mark.parametrize("seen", ["update", "forward"])
def test_a_collection_keeps_metrics_apart(seen: str) -> None:
    """`MetricCollection` merges metrics whose states have the same names and are equal so far."""
    import jiwer
    from torchmetrics import MetricCollection

    from wordorder.integrations.torchmetrics import WordOrderMetric

    names = ("wer", "cder", "per", "ter")
    collection = MetricCollection({name: WordOrderMetric(metric(name)) for name in names})
    for batch in BATCHES:
        (collection if seen == "forward" else collection.update)(*batch)
    found = {name: value.item() for name, value in collection.compute().items()}
    predictions = [text for batch in BATCHES for text in batch[0]]
    references = [rows for batch in BATCHES for rows in batch[1]]
    assert found["wer"] == jiwer.wer([rows[0] for rows in references], predictions) == 5 / 9
    assert found["cder"] == 4 / 9
    assert found["per"] == 1 / 9
    whole = Segments.from_text(predictions, references)
    assert found == {name: metric(name).corpus_score(whole).value for name in names}


@pytest.mark.parametrize(
    ("options", "second", "plain"),
    [
        ({"case": "lower"}, (["A b"], [["a b"]]), 0.25),
        ({"tokenizer": "13a"}, (["a b."], [["a b ."]]), 0.4),
    ],
)
def test_a_collection_keeps_options_apart(
    options: dict[str, Any], second: Any, plain: float
) -> None:
    from torchmetrics import MetricCollection

    from wordorder.integrations.torchmetrics import WordOrderMetric

    wer = metric("wer")
    collection = MetricCollection(
        {
            "one": WordOrderMetric(wer, **options),
            "other": WordOrderMetric(wer, tokenizer="none"),
        }
    )
    for batch in ((["a b"], [["a b"]]), second):
        collection.update(*batch)
    found = {name: value.item() for name, value in collection.compute().items()}
    assert found == {"one": 0.0, "other": plain}


def test_a_collection_still_shares_the_work_of_equal_metrics() -> None:
    from torchmetrics import MetricCollection

    from wordorder.integrations.torchmetrics import WordOrderMetric

    collection = MetricCollection({name: WordOrderMetric(metric("wer")) for name in ("a", "b")})
    for batch in BATCHES:
        collection.update(*batch)
    assert collection.compute_groups == {0: ["a", "b"]}
    assert {value.item() for value in collection.compute().values()} == {5 / 9}


def test_states_have_names_of_their_metric_that_stay() -> None:
    """A checkpoint with states is read by another process, and by another version."""
    from wordorder.integrations.torchmetrics import WordOrderMetric

    made = WordOrderMetric(metric("mix", formula="0.6*wer + 0.4*per"), aligner="exact")
    names = sorted(made.metric_state)
    assert all(name.isidentifier() for name in names)
    script = (
        "from wordorder import metric\n"
        "from wordorder.integrations.torchmetrics import WordOrderMetric\n"
        "made = WordOrderMetric(metric('mix', formula='0.6*wer + 0.4*per'), aligner='exact')\n"
        "print(*sorted(made.metric_state))"
    )
    assert python("-c", script).good().text.split() == names


@pytest.mark.parametrize("kind", ["half", "double"])
def test_states_keep_all_digits_whatever_the_type(kind: str) -> None:
    """`set_dtype` would make floats of states; so would the types of a module around them."""
    from torchmetrics import MetricCollection

    from wordorder.integrations.torchmetrics import WordOrderMetric

    system, reference = rows(4000, 7)
    expected = metric("frs").corpus_score(Segments.from_orders(system, reference)).value
    made = WordOrderMetric(metric("frs"))
    held = torch.nn.Module()
    held.add_module("metrics", MetricCollection({"frs": made}))
    made.update(system[:2000], reference[:2000])
    dtype = {"half": torch.float16, "double": torch.float64}[kind]
    made.set_dtype(dtype)
    held.metrics.set_dtype(dtype)
    getattr(held, kind)()
    held.type(dtype)
    held.metrics.update(system[2000:], reference[2000:])
    assert {state.dtype for state in made.metric_state.values()} == {torch.int64}
    assert held.metrics.compute()["frs"].item() == expected
    held.metrics.reset()
    assert {state.dtype for state in made.metric_state.values()} == {torch.int64}


RANKS = 3


def test_three_ranks(tmp_path: Any) -> None:
    """torch.distributed itself, with three processes: a metric, a collection, forward and reset."""
    import torch.multiprocessing as mp

    mp.spawn(_rank, (str(tmp_path),), nprocs=RANKS)
    found = [json.loads((tmp_path / f"{rank}").read_text()) for rank in range(RANKS)]
    system, reference = rows(61, 9)

    def value(name: str, which: slice, spoken: bool) -> float:
        if spoken:
            segments = Segments.from_text(as_text(system[which]), as_text(reference[which]))
        else:
            segments = Segments.from_orders(system[which], reference[which])
        return metric(name).corpus_score(segments).value

    whole = slice(None)
    for rank, each in enumerate(found):
        own = slice(rank, None, RANKS)
        assert each["kendall"] == value("kendall", whole, False)
        assert each["own batch"] == value("kendall", own, False)
        assert each["again"] == value("kendall", slice(0, RANKS), False)
        assert each["segments"] == 61
        assert each["collection"] == {name: value(name, whole, True) for name in ("wer", "cder")}


def as_text(orders: list[list[int]]) -> list[str]:
    return [" ".join(f"w{place}" for place in row) for row in orders]


def _rank(rank: int, folder: str) -> None:
    import torch.distributed as dist
    from torchmetrics import MetricCollection

    from wordorder.integrations.torchmetrics import WordOrderMetric

    dist.init_process_group(
        "gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=RANKS
    )
    system, reference = (each[rank::RANKS] for each in rows(61, 9))
    made = WordOrderMetric(metric("kendall"))
    # Forward gives the score of the batch, and adds it.
    said = {"own batch": made(system, reference).item()}
    made.set_dtype(torch.float16)
    said["kendall"] = made.compute().item()
    with made.sync_context():
        said["segments"] = made.segments.item()
    made.reset()
    made.update(system[:1], reference[:1])
    said["again"] = made.compute().item()
    both = MetricCollection({name: WordOrderMetric(metric(name)) for name in ("wer", "cder")})
    for first in range(0, len(system), 7):
        part = slice(first, first + 7)
        both(as_text(system[part]), as_text(reference[part]))
    said["collection"] = {name: found.item() for name, found in both.compute().items()}
    with open(f"{folder}/{rank}", "w") as file:
        json.dump(said, file)
    dist.destroy_process_group()
