"""Our metrics under torchmetrics: the states of ranks add up exactly."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

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


def test_two_processes(tmp_path: Any) -> None:
    """torch.distributed itself, with two processes."""
    import torch.multiprocessing as mp

    mp.spawn(_rank, (str(tmp_path),), nprocs=2)
    system, reference = rows(60, 9)
    expected = metric("kendall").corpus_score(Segments.from_orders(system, reference)).value
    values = [float((tmp_path / f"{rank}").read_text()) for rank in range(2)]
    assert values == [expected, expected]


def _rank(rank: int, folder: str) -> None:
    import torch.distributed as dist

    from wordorder.integrations.torchmetrics import WordOrderMetric

    dist.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=2)
    system, reference = rows(60, 9)
    made = WordOrderMetric(metric("kendall"))
    made.update(system[rank::2], reference[rank::2])
    with open(f"{folder}/{rank}", "w") as file:
        file.write(repr(made.compute().item()))
    dist.destroy_process_group()
