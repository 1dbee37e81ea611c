"""Permutation forests: all permutation trees of a permutation in one chart; costs of operators."""

import hashlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from math import comb, log2
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Float64, Int32, Int64, Ragged, concat_ranges
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.kernels import orders as kernel, run_rows
from wordorder.messages import counted
from wordorder.order import permutation_tree
from wordorder.order.permutation_tree import PermutationTree
from wordorder.text.lines import read_lines, tokens
from wordorder.text.opening import display_name

Span = tuple[int, int]

# The entries of longer permutations are not printed: there are too many.
_MAX_LISTED_WORDS = 12

Cost = Callable[[permutation_tree.Operator], float]
COMBINATIONS = ("average", "max", "sum")

# The kernel's types of inner nodes.
MONOTONE_CHAIN, INVERTED_CHAIN, SIMPLE_NODE = 1, 2, 3

# The key of all operators that a table of costs does not list.
OTHER_OPERATORS = "*"


@dataclass(frozen=True)
class Inference:
    """One decomposition of a part of a permutation into pieces.

    Attributes
    ----------
    operator : tuple of int
        The ranks of the pieces' values, counted from 1.
    splits : tuple of int
        The positions in the permutation at which all pieces but the first start.
    """

    operator: permutation_tree.Operator
    splits: tuple[int, ...]


class PermutationForest:
    """All permutation trees of a permutation (Stanojević & Sima'an 2016, section 5).

    Parameters
    ----------
    permutation : sequence of int
        The values ``0 .. n-1`` (or ``1 .. n``) in some order, at least one.

    Raises
    ------
    InputError
        If it is not a permutation.

    Notes
    -----
    Counting takes the time of one tree, `entries` takes O(n^3) time, and iteration takes time in
    proportion to the number of trees.

    Examples
    --------
    >>> forest = PermutationForest([4, 3, 2, 1])
    >>> forest.tree_count
    5
    >>> [inference.splits for inference in forest.entries[0, 4]]
    [(1,), (2,), (3,)]
    """

    def __init__(self, permutation: Sequence[int] | npt.NDArray[np.integer]) -> None:
        self.tree = PermutationTree(permutation)

    def __len__(self) -> int:
        return len(self.tree)

    @cached_property
    def tree_count(self) -> int:
        """The exact number of permutation trees.

        A chain of `k` parts has Catalan(k - 1) binary trees, a simple operator one tree.
        """
        count = 1
        for node in self.tree.flat.walk():
            if node.is_chain:
                k = len(node.children)
                count *= comb(2 * (k - 1), k - 1) // k
        return count

    @cached_property
    def entries(self) -> dict[Span, tuple[Inference, ...]]:
        """The inferences of every part ``(i, j)``, positions ``i .. j-1``; none for one word."""
        chart: dict[Span, tuple[Inference, ...]] = {}
        for node in self.tree.flat.walk():
            parts = node.children
            if not parts:
                chart[node.start, node.stop] = ()
            elif node.is_chain:
                operator = (1, 2) if parts[0].low < parts[1].low else (2, 1)
                cuts = [Inference(operator, (part.stop,)) for part in parts]
                for i, j in combinations(range(len(parts)), 2):
                    chart[parts[i].start, parts[j].stop] = tuple(cuts[i:j])
            else:
                splits = tuple(part.stop for part in parts[:-1])
                chart[node.start, node.stop] = (Inference(node.operator, splits),)
        return chart

    @property
    def entry_count(self) -> int:
        """The number of entries, including single words, computed without building them."""
        nodes = self.tree.flat.walk()
        return sum(comb(len(node.children), 2) if node.is_chain else 1 for node in nodes)

    @property
    def inference_count(self) -> int:
        """The number of inferences, computed without building the entries."""
        inner = (node for node in self.tree.flat.walk() if node.children)
        return sum(comb(len(node.children) + 1, 3) if node.is_chain else 1 for node in inner)

    @property
    def size(self) -> str:
        """The number of trees, entries and inferences, in words.

        Examples
        --------
        >>> PermutationForest([2, 4, 1, 3]).size
        '1 permutation tree, 5 entries, 1 inference'
        """
        entries = counted(self.entry_count, "entry", "entries")
        inferences = counted(self.inference_count, "inference")
        return f"{counted(self.tree_count, 'permutation tree')}, {entries}, {inferences}"

    def to_text(self, words: Sequence[str] | None = None) -> str:
        """Draw the forest with lines of text.

        Parameters
        ----------
        words : sequence of str, optional
            One word per position, in the permutation's order; printed next to the values.

        Returns
        -------
        str
            The flattened tree, see `wordorder.drawing.trees.tree_text`, with ``3 × ⟨2,1⟩`` for a
            chain of three binary nodes; the size of the forest; and, up to 12 words, a line for
            each entry of more than one word: its span ``[i, j]``, its operator, and the splits of
            each of its inferences.

        Raises
        ------
        InputError
            If there is not one word per position.

        Examples
        --------
        >>> print(PermutationForest([3, 2, 1]))
        2 × ⟨2,1⟩  places 1–3, values 1–3
        ├─ 3
        ├─ 2
        └─ 1
        2 permutation trees, 6 entries, 4 inferences
        [0, 3]: ⟨2,1⟩ at 1 | 2
        [0, 2]: ⟨2,1⟩ at 1
        [1, 3]: ⟨2,1⟩ at 2
        """
        from wordorder.drawing.trees import tree_text

        lines = [tree_text(self.tree.flat, words), self.size]
        if len(self) <= _MAX_LISTED_WORDS:
            lines.extend(self._entry_lines())
        return "\n".join(lines)

    def to_svg(self, words: Sequence[str] | None = None) -> str:
        """Draw the flattened tree and the size as an SVG picture, with `words` below the values.

        Examples
        --------
        >>> "5 permutation trees" in PermutationForest([4, 3, 2, 1]).to_svg()
        True
        """
        from wordorder.drawing.tree_svg import tree_svg

        return tree_svg(self.tree.flat, words, title="Permutation forest", note=self.size)

    def _entry_lines(self) -> Iterator[str]:
        """Yield a line for each entry of more than one word, the longest first."""
        from wordorder.drawing.trees import operator_label

        for i, j in sorted(self.entries, key=lambda span: (span[0] - span[1], span[0])):
            if inferences := self.entries[i, j]:
                splits = " | ".join(
                    ",".join(map(str, inference.splits)) for inference in inferences
                )
                yield f"[{i}, {j}]: {operator_label(inferences[0].operator)} at {splits}"

    def __iter__(self) -> Iterator[permutation_tree.Node]:
        """Yield the root of every permutation tree."""
        values = self.tree.permutation.tolist()
        for spans in self._spans((0, len(values))):
            yield permutation_tree.node_of_spans(values, spans)

    def _spans(self, span: Span) -> Iterator[set[Span]]:
        """Yield the inner spans of every tree over one part."""
        inferences = self.entries[span]
        if not inferences:
            yield set()
        for inference in inferences:
            pieces = tuple(pairwise((span[0], *inference.splits, span[1])))
            for choice in self._choices(pieces):
                yield {span} | choice

    def _choices(self, pieces: tuple[Span, ...]) -> Iterator[set[Span]]:
        """Yield the inner spans of every combination of trees over adjacent pieces."""
        if not pieces:
            yield set()
            return
        for spans in self._spans(pieces[0]):
            for further_spans in self._choices(pieces[1:]):
                yield spans | further_spans

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return repr(self.tree).replace("Tree", "Forest")


def length(operator: permutation_tree.Operator) -> float:
    """Return the length of an operator, the number of parts it orders.

    Examples
    --------
    >>> length((1, 2)), length((2, 4, 1, 3))
    (2, 4)
    """
    return len(operator)


def non_binary(operator: permutation_tree.Operator) -> float:
    """Return 1 for an operator of more than two parts, else 0.

    Examples
    --------
    >>> non_binary((2, 1)), non_binary((2, 4, 1, 3))
    (0, 1)
    """
    return int(len(operator) > 2)


def not_monotone(operator: permutation_tree.Operator) -> float:
    """Return 0 for a monotone operator, such as ``<1,2>``, and 1 for any other operator.

    Examples
    --------
    >>> not_monotone((1, 2)), not_monotone((2, 1)), not_monotone((1, 2, 3))
    (0, 1, 0)
    """
    return int(operator != tuple(range(1, len(operator) + 1)))


def catalan(operator: permutation_tree.Operator) -> float:
    """Return the base-2 logarithm of the number of trees of an operator.

    A chain of ``k`` parts, monotone or inverted, has Catalan(k - 1) binary trees; a simple operator
    has one. The sum over the flattened tree is the logarithm of the number of permutation trees.

    Examples
    --------
    >>> round(2 ** catalan((4, 3, 2, 1)), 9), catalan((2, 4, 1, 3))
    (5.0, 0.0)
    """
    k = len(operator)
    ascending = tuple(range(1, k + 1))
    if operator not in (ascending, ascending[::-1]):
        return 0.0
    return log2(comb(2 * (k - 1), k - 1) // k)


GROUND_METRICS: dict[str, Cost] = {
    "length": length,
    "non-binary": non_binary,
    "not-monotone": not_monotone,
    "catalan": catalan,
}


class OperatorCosts:
    """A table of operators' costs, such as trained ones.

    Parameters
    ----------
    table : mapping, or path
        The cost of each operator, a tuple of ranks from 1 or text like ``"2413"`` or ``"2,4,1,3"``;
        ``"*"`` for all others. A file has an operator and its cost on each line.

    Raises
    ------
    InputError
        If a key is not an operator, a cost is not a finite number of at least 0, or a line has
        another form.

    Examples
    --------
    >>> costs = OperatorCosts({"12": 0, "21": 0.5, "*": 2})
    >>> costs((2, 1)), costs((2, 4, 1, 3))
    (0.5, 2.0)
    """

    def __init__(self, table: Mapping[Any, float] | str | os.PathLike[str]) -> None:
        self.costs: dict[permutation_tree.Operator, float] = {}
        self.others: float | None = None
        self._name = "costs of operators" if isinstance(table, Mapping) else display_name(table)
        if isinstance(table, Mapping):
            for key, cost in table.items():
                self._add(key, cost, self._name)
        else:
            for number, line in enumerate(read_lines(table), 1):
                if line.strip():
                    self._read(line, location(table, number))

    @property
    def digest(self) -> str:
        """A hash of the costs for signatures, eight hexadecimal digits."""
        lines = [*sorted(self.costs.items()), ((), self.others)]
        return hashlib.sha256(repr(lines).encode()).hexdigest()[:8]

    def __call__(self, operator: permutation_tree.Operator) -> float:
        """Return the cost of an operator.

        Raises
        ------
        UsageError
            If the table neither lists the operator nor has a cost for all others.
        """
        cost = self.costs.get(operator, self.others)
        if cost is None:
            problem = f"{self._name}: no cost for the operator {format_operator(operator)}"
            raise UsageError(
                f"{problem}: list it, or give a cost for all others ({OTHER_OPERATORS!r})"
            )
        return cost

    def _read(self, line: str, where: str) -> None:
        fields = tokens(line)
        if len(fields) != 2:
            raise InputError(where, f"{line.strip()!r}", "an operator and its cost: 2413 1.5")
        try:
            cost = float(fields[1])
        except ValueError:
            raise InputError(where, repr(fields[1]), "a cost, a number") from None
        self._add(fields[0], cost, where)

    def _add(self, key: Any, cost: Any, where: str) -> None:
        if not isinstance(cost, Real) or not math.isfinite(cost) or cost < 0:
            raise InputError(where, f"cost {cost!r}", "a finite number of at least 0")
        if key == OTHER_OPERATORS:
            if self.others is not None:
                raise InputError(where, f"a second cost for {OTHER_OPERATORS!r}", "one")
            self.others = float(cost)
            return
        operator = _parse_operator(key, where)
        if operator in self.costs:
            raise InputError(where, f"a second cost for {format_operator(operator)}", "one")
        self.costs[operator] = float(cost)


def combined_cost(
    tree: permutation_tree.Node | PermutationTree, cost: Cost = length, combine: str = "average"
) -> float:
    """Return the complexity of an order: the combined costs of the operators of its tree.

    Parameters
    ----------
    tree : PermutationTree or Node
        A permutation tree, a flattened one (`PermutationTree.flat`), or any weak factorisation.
    cost : function
        The ground metric: takes an operator, a tuple of ranks from 1, and returns its cost;
        `length`, `non_binary`, `not_monotone`, `catalan`, an `OperatorCosts`, or another function.
    combine : "average", "max" or "sum"

    Returns
    -------
    float
        0 for a single word, which has no operator.

    Raises
    ------
    UsageError
        If `combine` is unknown.

    Notes
    -----
    ``AVG_C`` and ``MAX_C`` of Stanojević & Sima'an (2016, section 4). With `length`, "average" is
    tight (it falls with every further split of a part) and "max" is semi-tight (it never rises).
    For other costs this may not hold, contrary to the paper's theorem.

    Examples
    --------
    >>> tree = PermutationTree([2, 4, 5, 6, 1, 3])
    >>> combined_cost(tree), combined_cost(tree, combine="max")
    (2.6666666666666665, 4.0)
    >>> combined_cost(tree, non_binary, "sum"), 2 ** combined_cost(tree.flat, catalan, "sum")
    (1.0, 2.0)
    """
    choose("combine", combine, COMBINATIONS)
    root = tree.root if isinstance(tree, PermutationTree) else tree
    costs = [float(cost(node.operator)) for node in root.walk() if node.children]
    if not costs:
        return 0.0
    if combine == "max":
        return max(costs)
    return sum(costs) / (len(costs) if combine == "average" else 1)


def combined_costs(
    permutation: Ragged, cost: Cost = length, combine: str = "average", *, flat: bool = False
) -> Float64:
    """Return the combined costs of the operators of the permutation tree of every row.

    Parameters
    ----------
    permutation : Ragged
        Rows of values ``0 .. n-1``.
    cost, combine
        See `combined_cost`. The ground metric is called once per distinct operator.
    flat : bool
        Use the flattened trees, in which a chain of binary operators is one operator.

    Returns
    -------
    float64[S]
        0 for rows of fewer than two words.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 3, 4, 5, 0, 2], [2, 1, 0], [0]])
    >>> combined_costs(rows, not_monotone, "sum").tolist()
    [1.0, 2.0, 0.0]
    """
    choose("combine", combine, COMBINATIONS)
    nodes = _inner_nodes(permutation)
    costs = np.empty(len(nodes.kind))
    for node_type in (MONOTONE_CHAIN, INVERTED_CHAIN):
        chosen = nodes.kind == node_type
        arities = nodes.arity[chosen] if flat else np.full(int(chosen.sum()), 2, np.int32)
        sizes, operator_index = np.unique(arities, return_inverse=True)
        chain_costs = [_checked_cost(cost, _chain_operator(int(size), node_type)) for size in sizes]
        costs[chosen] = np.array(chain_costs)[operator_index] if chain_costs else 0.0
    simple = nodes.kind == SIMPLE_NODE
    costs[simple] = _simple_costs(nodes, simple, cost)
    times = np.where(simple | flat, 1, nodes.arity - 1)
    return _combine_costs(costs, times, nodes.row, len(permutation), combine)


@dataclass(frozen=True, eq=False)
class _InnerNodes:
    """The inner nodes of the flat trees of all rows."""

    row: Int64
    kind: Int32
    arity: Int32
    # The smallest values of the children of simple nodes, concatenated.
    lows: Int32


def _inner_nodes(permutation: Ragged) -> _InnerNodes:
    size = len(permutation.values)
    counts = np.empty(len(permutation), np.int64)
    kind, arity = np.zeros(size, np.int32), np.zeros(size, np.int32)
    lows = np.zeros(2 * size, np.int32)
    run_rows(
        *(kernel.tree_operators, permutation.offsets, permutation.offsets),
        *(counts, kind, arity, lows),
        scratch=permutation_tree.tree_builders(permutation),
    )
    rows = np.repeat(np.arange(len(permutation)), counts)
    starts = permutation.offsets[:-1]
    positions = concat_ranges(starts, counts)
    kind, arity = kind[positions], arity[positions]
    # The number of entries of `lows` before each node in its row.
    lows_counts = np.where(kind == SIMPLE_NODE, arity, 0).astype(np.int64)
    lows_before = np.cumsum(lows_counts) - lows_counts
    lows_before_in_row = lows_before - np.repeat(
        lows_before[(np.cumsum(counts) - counts)[counts > 0]], counts[counts > 0]
    )
    lows_starts = (2 * starts[rows] + lows_before_in_row)[kind == SIMPLE_NODE]
    lengths = arity[kind == SIMPLE_NODE].astype(np.int64)
    return _InnerNodes(rows, kind, arity, lows[concat_ranges(lows_starts, lengths)])


def _simple_costs(nodes: _InnerNodes, simple: Bool, cost: Cost) -> Float64:
    """Return the costs of simple operators, with one call per distinct operator."""
    lengths = nodes.arity[simple].astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    costs = np.empty(len(lengths))
    for size in np.unique(lengths).tolist():
        chosen = lengths == size
        children = nodes.lows[starts[chosen][:, np.newaxis] + np.arange(size)]
        ranks = np.argsort(np.argsort(children, axis=1), axis=1) + 1
        distinct, operator_index = np.unique(ranks, axis=0, return_inverse=True)
        operator_costs = np.array([_checked_cost(cost, tuple(row)) for row in distinct.tolist()])
        costs[chosen] = operator_costs[operator_index.ravel()]
    return costs


def _combine_costs(costs: Float64, times: Int64, rows: Int64, number: int, combine: str) -> Float64:
    if combine == "max":
        maxima = np.zeros(number)
        np.maximum.at(maxima, rows, costs)
        return maxima
    sums: Float64 = np.bincount(rows, costs * times, number).astype(np.float64)
    if combine == "sum":
        return sums
    counts = np.bincount(rows, times, number)
    return np.divide(sums, counts, out=np.zeros(number), where=counts > 0)


def _checked_cost(cost: Cost, operator: permutation_tree.Operator) -> float:
    """Return the cost of an operator; UsageError unless it is a finite number of at least 0."""
    value: Any = cost(operator)
    number = float(value) if isinstance(value, Real) else math.nan
    if not math.isfinite(number) or number < 0:
        problem = f"the cost of the operator {format_operator(operator)} is {value!r}"
        raise UsageError(f"{problem}, expected a finite number of at least 0")
    return number


def _chain_operator(size: int, kind: int) -> permutation_tree.Operator:
    ascending = tuple(range(1, size + 1))
    return ascending if kind == MONOTONE_CHAIN else ascending[::-1]


def format_operator(operator: permutation_tree.Operator) -> str:
    """Format an operator as in papers.

    Examples
    --------
    >>> format_operator((2, 4, 1, 3))
    '<2,4,1,3>'
    """
    return f"<{','.join(map(str, operator))}>"


def _parse_operator(key: Any, where: str) -> permutation_tree.Operator:
    """Parse an operator: at least two ranks from 1, each once."""
    fields = key.strip("<>") if isinstance(key, str) else key
    parts = fields.split(",") if isinstance(fields, str) and "," in fields else list(fields)
    try:
        operator = tuple(int(part) for part in parts)
    except (TypeError, ValueError):
        operator = ()
    if len(operator) < 2 or sorted(operator) != list(range(1, len(operator) + 1)):
        raise InputError(where, f"operator {key!r}", "the ranks 1, 2, ... in some order, like 2413")
    return operator
