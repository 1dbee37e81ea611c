"""What the page of papers shows of orders and links: the same values by the oracles."""

import shlex
from collections.abc import Callable
from fractions import Fraction
from math import comb
from pathlib import Path
from statistics import fmean

import pytest
from tests import oracles
from tests.cli.running import call
from tests.docs.test_papers_facts import near, outputs
from tests.docs.test_papers_page import CODE, ROWS, samples
from tests.oracles import Permutation, operators, reduce_nested

__all__ = ["samples"]

SYSTEM = "head-final"


def nodes(pi: Permutation) -> list[tuple[int, ...]]:
    return operators(reduce_nested(pi))


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


def tree_count(pi: Permutation) -> Fraction:
    trees = oracles.shift_reduce(pi)[2]
    return Fraction(trees - 1, catalan(len(pi) - 1) - 1)


def recursive(pi: Permutation) -> float:
    """The score between that of the full inversion and 1."""
    worst = oracles.inside_recursive(range(len(pi))[::-1])
    return (oracles.inside_recursive(pi) - worst) / (1 - worst)


# By line: the value of a permutation of three words or more.
OF_ORDERS: dict[str, Callable[[Permutation], Fraction | float]] = {
    "TAL-08": oracles.frs,
    "SS-02": oracles.kendall,
    "SS-03": oracles.hamming,
    "SS-04": oracles.spearman,
    "SS-05": oracles.ulam,
    "HALL-11": oracles.exact,
    "SS-13": lambda pi: fmean(map(len, nodes(pi))),
    "SS-16": lambda pi: sum(len(node) > 2 for node in nodes(pi)),
    "SS-20": lambda pi: Fraction(len(nodes(pi)) - 1, len(pi) - 2),
    "SS-21": tree_count,
    "SS-22": lambda pi: 1 - Fraction(max(map(len, nodes(pi))) - 2, len(pi) - 2),
    "SS-33": recursive,
    "SS-34": lambda pi: fmean(node != (1, 2) for node in nodes(pi)),
}


@pytest.mark.parametrize("line", OF_ORDERS)
def test_scores_of_orders_are_those_of_the_oracles(line: str, samples: None) -> None:
    """On the sentences of three words or more whose reference has no tie."""
    rows = [
        pair
        for pair in zip(
            *(Path(f"{name}.orders").read_text().splitlines() for name in ("reference", SYSTEM)),
            strict=True,
        )
        if "," not in pair[0] and pair[0].count(" ") > 1
    ]
    assert len(rows) > 40
    for name, texts in zip(("reference", SYSTEM), zip(*rows, strict=True), strict=True):
        Path(f"{name}.orders").write_text("".join(text + "\n" for text in texts))
    values = []
    for row in rows:
        reference, system = (list(map(int, text.split())) for text in row)
        values.append(float(OF_ORDERS[line]([reference.index(word) for word in system])))
    [[found]] = outputs(line, "score")
    assert len(set(values)) > 1
    assert near(float(found["value"]), fmean(values))


def reference_by_hand(row: str, words: int) -> str:
    """Rank each word by its first target word; one without any comes before the next that has one.

    Words of one target word tie, and are joined by commas.
    """
    first: dict[int, int] = {}
    for target, linked in enumerate(row.split(",")):
        for source in filter(None, linked.split("_")):
            first.setdefault(int(source), target)
    groups: dict[int, list[list[int]]] = {}
    waiting: list[int] = []
    for word in range(words):
        if word not in first:
            waiting.append(word)
            continue
        group = groups.setdefault(first[word], [[]])
        group[:0] = [[each] for each in waiting]
        group[-1].append(word)
        waiting = []
    found = [part for _, group in sorted(groups.items()) for part in group]
    found += [[word] for word in waiting]
    return " ".join(",".join(map(str, part)) for part in found)


@pytest.mark.parametrize("line", ["TAL-02", "TAL-06", "TAL-07", "TAL-26"])
def test_reference_orders_are_those_made_by_hand(line: str, samples: None) -> None:
    """From the notation `2,0_1,,3`: of each target word the source words."""
    links, sources = (
        Path(name).read_text("utf-8").splitlines() for name in ("alignments.talbot", "source.en")
    )
    assert any("_" in row for row in links)
    expected = [
        reference_by_hand(row, len(source.split()))
        for row, source in zip(links, sources, strict=True)
    ]
    codes = [each for each in CODE.findall(ROWS[line]) if each.startswith("wordorder reference ")]
    assert codes
    for code in codes:
        assert call(*shlex.split(code)[1:]).good().stdout.decode().splitlines() == expected


def test_careless_links_are_found(samples: None) -> None:
    """Of `it rains` one word has no link, the other has two that are apart; `go now` is right."""
    said = call(*shlex.split(next(iter(CODE.findall(ROWS["TAL-03"]))))[1:]).good().stdout.decode()
    rows = [row.split() for row in said.splitlines() if row[-7:-4] == " 0."]
    assert [row[-2] for row in rows] == ["1", "1", "1"]
    assert "4 source words" in said
    assert "1 sentence with findings" in said
