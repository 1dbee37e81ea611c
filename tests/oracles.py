"""Slow, obvious twins of the order metrics, straight from the papers' definitions."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import comb, prod

Permutation = Sequence[int]
Tree = tuple[int, int, tuple[int, ...], tuple["Tree", ...]]


def chunks(pi: Permutation) -> int:
    """Pieces that stand unbroken in the reference."""
    return sum(1 for i in range(len(pi)) if i == 0 or pi[i] != pi[i - 1] + 1)


def frs(pi: Permutation) -> Fraction:
    return 1 - Fraction(chunks(pi) - 1, len(pi) - 1) if len(pi) > 1 else Fraction(1)


def frs_boundary(pi: Permutation) -> Fraction:
    ends = [-1, *pi, len(pi)]
    wrong = sum(1 for a, b in pairwise(ends) if b != a + 1)
    return 1 - Fraction(wrong, len(pi) + 1)


def kendall(pi: Permutation) -> Fraction:
    pairs = list(combinations(pi, 2))
    return Fraction(sum(a < b for a, b in pairs), len(pairs)) if pairs else Fraction(1)


def spearman(pi: Permutation) -> Fraction:
    n = len(pi)
    if n == 1:
        return Fraction(1)
    return 1 - Fraction(3 * sum((p - i) ** 2 for i, p in enumerate(pi)), n * (n * n - 1))


def hamming(pi: Permutation) -> Fraction:
    return Fraction(sum(i == p for i, p in enumerate(pi)), len(pi))


def lcs(a: Permutation, b: Permutation) -> int:
    """Longest common subsequence by the textbook table."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = 0
        for j, y in enumerate(b, 1):
            before, row[j] = row[j], before + 1 if x == y else max(row[j], row[j - 1])
    return row[-1]


def ulam(pi: Permutation) -> Fraction:
    n = len(pi)
    return Fraction(lcs(pi, range(n)) - 1, n - 1) if n > 1 else Fraction(1)


def exact(pi: Permutation) -> Fraction:
    return Fraction(list(pi) == list(range(len(pi))))


def is_interval(values: Permutation) -> bool:
    return max(values) - min(values) == len(values) - 1


def trees(pi: Permutation, start: int = 0) -> Iterator[Tree]:
    """All permutation trees: factorise into the fewest parts, in every way, recursively."""
    n = len(pi)
    if n == 1:
        yield start, start + 1, (), ()
        return
    for arity in range(2, n + 1):
        found = False
        for borders in combinations(range(1, n), arity - 1):
            cuts = (0, *borders, n)
            parts = [pi[a:b] for a, b in pairwise(cuts)]
            if not all(map(is_interval, parts)):
                continue
            found = True
            lows = sorted(map(min, parts))
            operator = tuple(lows.index(min(part)) + 1 for part in parts)
            choices = [list(trees(part, start + a)) for part, a in zip(parts, cuts, strict=False)]
            for children in product(*choices):
                yield start, start + n, operator, tuple(children)
        if found:
            return


def operators(tree: Tree) -> list[tuple[int, ...]]:
    _, _, operator, children = tree
    own = [operator] if operator else []
    return own + [o for child in children for o in operators(child)]


def recursive_score(tree: Tree, beta: Fraction) -> Fraction:
    start, stop, operator, children = tree
    if not children:
        return Fraction(1)
    parts = sum(Fraction(c[1] - c[0], stop - start) * recursive_score(c, beta) for c in children)
    return beta * (operator == (1, 2)) + (1 - beta) * parts


def pef_recursive(pi: Permutation, beta: Fraction = Fraction(3, 5)) -> Fraction:
    def mean(order: Permutation) -> Fraction:
        scores = [recursive_score(tree, beta) for tree in trees(order)]
        return sum(scores, Fraction(0)) / len(scores)

    if len(pi) == 1:
        return Fraction(1)
    worst = mean(range(len(pi) - 1, -1, -1))
    return (mean(pi) - worst) / (1 - worst)


def pet(pi: Permutation) -> Fraction:
    n = len(pi)
    return Fraction(len(operators(next(trees(pi)))) - 1, n - 2) if n > 2 else Fraction(1)


def maxop(pi: Permutation) -> Fraction:
    n = len(pi)
    if n <= 2:
        return Fraction(1)
    return 1 - Fraction(max(map(len, operators(next(trees(pi))))) - 2, n - 2)


def pets(pi: Permutation) -> Fraction:
    n = len(pi)
    if n == 1:
        return Fraction(1)
    if n == 2:
        return exact(pi)
    return Fraction(sum(1 for _ in trees(pi)) - 1, comb(2 * n - 2, n - 1) // n - 1)


def shift_reduce(pi: Permutation) -> tuple[int, int, int]:
    """Nodes, longest operator and number of trees by the plain stack algorithm, for long rows."""
    stack: list[tuple[int, int, int, int, int]] = []  # low, high, size, direction, chain
    nodes = largest = 0
    chains: list[int] = []
    for value in pi:
        stack.append((value, value, 1, 0, 1))
        reduced = True
        while reduced:
            reduced = False
            low, high, size, _, _ = stack[-1]
            for k in range(2, len(stack) + 1):
                below = stack[-k]
                low, high, size = min(low, below[0]), max(high, below[1]), size + below[2]
                if high - low + 1 != size:
                    continue
                direction = 0
                chain = 1
                if k == 2:
                    direction = 1 if below[0] < stack[-1][0] else -1
                    chain = below[4] + 1 if below[3] == direction else 2
                    if below[3] != direction and below[3]:
                        chains.append(below[4])
                    if stack[-1][3]:
                        chains.append(stack[-1][4])
                else:
                    chains.extend(item[4] for item in stack[-k:] if item[3])
                nodes += 1
                largest = max(largest, k)
                del stack[-k:]
                stack.append((low, high, size, direction, chain))
                reduced = True
                break
    if stack[0][3]:
        chains.append(stack[0][4])
    return nodes, largest, prod(comb(2 * k - 2, k - 1) // k for k in chains)


def readings(groups: Sequence[int]) -> Iterator[list[int]]:
    """All permutations that a row of tied ranks can be read as."""
    members: dict[int, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    ordered = [members[group] for group in sorted(members)]
    for choice in product(*(list(permutations(places)) for places in ordered)):
        pi = [0] * len(groups)
        for rank, place in enumerate(place for places in choice for place in places):
            pi[place] = rank
        yield pi


METRICS = {
    "frs": frs,
    "frs-boundary": frs_boundary,
    "kendall": kendall,
    "spearman": spearman,
    "hamming": hamming,
    "ulam": ulam,
    "exact": exact,
    "pet": pet,
    "pets": pets,
    "maxop": maxop,
    "pef-recursive": pef_recursive,
}


def reduce_nested(pi: Permutation) -> Tree:
    """The canonical tree by the plain stack algorithm."""
    stack: list[Tree] = []
    lows: list[int] = []
    highs: list[int] = []
    for place, value in enumerate(pi):
        stack.append((place, place + 1, (), ()))
        lows.append(value)
        highs.append(value)
        low = high = value
        k = 2
        while k <= len(stack):
            start = stack[-k][0]
            low, high = min(low, lows[-k]), max(high, highs[-k])
            if high - low == place - start:
                ranks = sorted(lows[-k:])
                operator = tuple(ranks.index(each) + 1 for each in lows[-k:])
                stack[-k:] = [(start, place + 1, operator, tuple(stack[-k:]))]
                lows[-k:], highs[-k:] = [low], [high]
                k = 1
            k += 1
    return stack[0]


def inside_recursive(pi: Permutation, beta: float = 0.6) -> float:
    """The mean recursive score by summing over the brackets of every chain, not rescaled."""

    def catalan(k: int) -> int:
        return comb(2 * k, k) // (k + 1)

    def chain(tree: Tree, operator: tuple[int, ...]) -> list[Tree]:
        """The parts of a binary chain that branches to the left."""
        if tree[2] != operator:
            return [tree]
        return [*chain(tree[3][0], operator), tree[3][1]]

    def score(tree: Tree) -> float:
        start, stop, operator, children = tree
        if not children:
            return 1.0
        if len(children) > 2:
            inner = sum((c[1] - c[0]) * score(c) for c in children)
            return (1 - beta) * inner / (stop - start)
        parts = chain(tree, operator)
        op = float(operator == (1, 2))
        f = {(i, i): score(part) for i, part in enumerate(parts)}

        def size(i: int, j: int) -> int:
            return parts[j][1] - parts[i][0]

        for width in range(1, len(parts)):
            for i in range(len(parts) - width):
                j = i + width
                total = sum(
                    catalan(m - i)
                    * catalan(j - m - 1)
                    * (f[i, m] * size(i, m) + f[m + 1, j] * size(m + 1, j))
                    for m in range(i, j)
                )
                f[i, j] = beta * op + (1 - beta) / catalan(width) * total / size(i, j)
        return f[0, len(parts) - 1]

    return score(reduce_nested(pi))


def choices(
    output: Sequence[str], reference: Sequence[str], form: str, stems: Mapping[str, str]
) -> int:
    """Count the words of an output that can match a form, beyond those that it needs."""
    words = {word for word in (*output, *reference) if stems[word] == stems[form]}
    surplus = {word: output.count(word) - reference.count(word) for word in words}
    if surplus[form] < 0:
        free = sum(output.count(word) for word, more in surplus.items() if more > 0)
        return max(free + surplus[form], 0)
    return surplus[form]
