"""Orders that the links of their sentences speak against."""

import random
import re

import numpy as np
import pytest
from scipy.stats import norm
from tests.analysis.repair_oracles import frs

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.linked_orders import LinkedOrders
from wordorder.order.orders import Orders


def score(order: list[int], targets: dict[int, int]) -> float | None:
    """FRS of the linked words; None where there is nothing to order."""
    return frs(order, sorted(targets, key=targets.__getitem__)) if len(targets) > 1 else None


@pytest.mark.parametrize("seed", range(12))
def test_the_warning_is_a_paired_test_of_scores_by_the_definition(seed: int) -> None:
    draw = random.Random(seed)
    lengths = [draw.randrange(1, 7) for _ in range(40)]
    targets = [
        {word: at for at, word in enumerate(draw.sample(range(n), draw.randrange(n + 1)))}
        for n in lengths
    ]
    if seed % 3:
        # The target has the order of the source in most sentences.
        targets = [
            {word: i for i, word in enumerate(sorted(each))} if draw.random() < 0.2 * seed else each
            for each in targets
        ]
    orders = [draw.sample(range(n), n) for n in lengths]
    pairs = [
        (value, score(list(range(n)), each))
        for n, order, each in zip(lengths, orders, targets, strict=True)
        if (value := score(order, each)) is not None
    ]
    ours, source = (np.array(each, float) for each in zip(*pairs, strict=True))
    loss = source - ours
    surely = loss.mean() / (loss.std(ddof=1) / len(loss) ** 0.5) > norm.ppf(0.975)
    found = []
    for step in (40, 7):
        judge = LinkedOrders()
        for at in range(0, 40, step):
            rows = [sorted(each.items()) for each in targets[at : at + step]]
            links = Alignments.from_rows(rows, source_lengths=lengths[at : at + step])
            judge(links, Orders.from_rows(orders[at : at + step]))
        assert judge.sentences == len(pairs)
        found.append(judge.warning("R9"))
    assert found[0] == found[1]
    assert (found[0] is not None) == surely
    if found[0] is not None:
        values = [float(each) for each in re.findall(r"\d\.\d{4}", found[0])]
        assert values == pytest.approx([ours.mean(), source.mean()], abs=5e-5)
        assert "the order of R9 is worse than the source as it stands" in found[0]


def test_too_few_sentences_and_small_losses_say_nothing() -> None:
    judge = LinkedOrders()
    assert judge.warning("R1") is None
    one = Alignments.from_rows([[(0, 0), (1, 1)]], source_lengths=[2])
    judge(one, Orders.from_rows([[1, 0]]))
    assert judge.warning("R1") is None
    # A second sentence makes it sure: both lose all.
    judge(one, Orders.from_rows([[1, 0]]))
    assert judge.warning("R1") is not None
    for _ in range(40):
        judge(one, Orders.from_rows([[0, 1]]))
    assert judge.warning("R1") is None
