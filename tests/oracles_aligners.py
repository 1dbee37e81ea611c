"""Slow, obvious twins of the statistical aligners and of symmetrisation."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

Link = tuple[int, int]
NEIGHBOURS = ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1))


def symmetrized(forward: set[Link], backward: set[Link], method: str) -> set[Link]:
    """Follow the published pseudo-code, with target words as its rows (Koehn et al. 2005)."""
    if method in ("forward", "backward"):
        return set(forward if method == "forward" else backward)
    if method == "union":
        return forward | backward
    links = {(t, s) for s, t in forward & backward}
    union = {(t, s) for s, t in forward | backward}
    neighbours = NEIGHBOURS[:4] if method == "grow" else NEIGHBOURS
    rows = 1 + max((t for t, _ in union), default=-1)
    columns = 1 + max((s for _, s in union), default=-1)

    def covered(t: int, s: int) -> list[bool]:
        return [any(y == t for y, _ in links), any(x == s for _, x in links)]

    growing = method != "intersection"
    while growing:
        growing = False
        for t, s in product(range(rows), range(columns)):
            if (t, s) in links:
                for y, x in neighbours:
                    new = (t + y, s + x)
                    if new in union and new not in links and not all(covered(*new)):
                        links.add(new)
                        growing = True
    if "final" in method:
        for one, other in ((forward, backward), (backward, forward)):
            for new in sorted((t, s) for s, t in one - other):
                there = covered(*new)
                uncovered = not any(there) if method.endswith("and") else not all(there)
                if new not in links and uncovered:
                    links.add(new)
    return {(s, t) for t, s in links}


@dataclass
class Sums:
    """Posteriors by state and token, those of the null word by token, and expected jumps."""

    cells: npt.NDArray[np.float64]
    null: npt.NDArray[np.float64]
    jumps: dict[int, float]


def model1(emission: npt.NDArray[np.float64], null: npt.NDArray[np.float64], share: float) -> Sums:
    """Take each token by itself: emission[i, j] is the probability of token j given state i."""
    states, tokens = emission.shape
    cells, nulls = np.zeros((states, tokens)), np.zeros(tokens)
    for j in range(tokens):
        weights = [(1 - share) / states * emission[i, j] for i in range(states)]
        total = sum(weights) + share * null[j]
        nulls[j] = share * null[j] / total
        for i in range(states):
            cells[i, j] = weights[i] / total
    return Sums(cells, nulls, {})


def all_alignments(
    emission: npt.NDArray[np.float64],
    null: npt.NDArray[np.float64],
    share: float,
    weight: Callable[[int], float],
) -> Sums:
    """Sum the probability of every alignment of a sentence pair, one by one."""
    states, tokens = emission.shape
    cells, nulls = np.zeros((states, tokens)), np.zeros(tokens)
    jumps: dict[int, float] = defaultdict(float)
    total = 0.0

    def jump(origin: int, goal: int) -> float:
        goals = [k for k in range(states + 1) if origin >= 0 or k < states]
        return weight(goal - origin) / sum(weight(k - origin) for k in goals)

    for alignment in product(range(-1, states), repeat=tokens):
        probability, place, widths = 1.0, -1, []
        for j, state in enumerate(alignment):
            if state < 0:
                probability *= share * null[j]
                continue
            probability *= jump(place, state) * (1 - share) * emission[state, j]
            widths.append(state - place)
            place = state
        if place >= 0:
            probability *= jump(place, states)
            widths.append(states - place)
        total += probability
        for j, state in enumerate(alignment):
            if state < 0:
                nulls[j] += probability
            else:
                cells[state, j] += probability
        for width in widths:
            jumps[width] += probability
    return Sums(cells / total, nulls / total, {w: p / total for w, p in jumps.items()})


def chain(
    emission: npt.NDArray[np.float64],
    null: npt.NDArray[np.float64],
    share: float,
    weight: Callable[[int], float],
) -> Sums:
    """Run the textbook's recursions over the states, each with a null twin, and the start."""
    states, tokens = emission.shape
    start = 2 * states
    ends = np.array([weight(states - i) for i in range(states)])
    steps = np.array([[weight(k - i) for k in range(states)] for i in range(-1, states)])
    shares = steps.sum(1) + np.concatenate([[0.0], ends])
    move = np.zeros((start + 1, start + 1))
    for i in range(states):
        move[i, :states] = move[states + i, :states] = steps[i + 1] / shares[i + 1]
        move[i, states + i] = move[states + i, states + i] = 1.0
    move[start, :states] = steps[0] / shares[0]
    move[start, start] = 1.0
    emit = np.zeros((tokens, start + 1))
    emit[:, :states] = (1 - share) * emission.T
    emit[:, states:] = (share * null)[:, None]
    end = np.concatenate([ends / shares[1:], ends / shares[1:], [1.0]])
    alpha, beta = np.zeros((tokens, start + 1)), np.zeros((tokens, start + 1))
    alpha[0] = move[start] * emit[0]
    alpha[0] /= alpha[0].sum()
    for j in range(1, tokens):
        alpha[j] = (alpha[j - 1] @ move) * emit[j]
        alpha[j] /= alpha[j].sum()
    beta[-1] = end
    for j in range(tokens - 2, -1, -1):
        beta[j] = move @ (emit[j + 1] * beta[j + 1])
        beta[j] /= beta[j].max()
    gamma = alpha * beta
    gamma /= gamma.sum(1, keepdims=True)
    jumps: dict[int, float] = defaultdict(float)
    for j in range(tokens):
        before = np.eye(start + 1)[start] if j == 0 else alpha[j - 1]
        xi = before[:, None] * move * (emit[j] * beta[j])[None, :]
        xi /= xi.sum()
        for k in range(states):
            jumps[k + 1] += xi[start, k]
            for i in range(states):
                jumps[k - i] += xi[i, k] + xi[states + i, k]
    last = alpha[-1] * end / (alpha[-1] * end).sum()
    for i in range(states):
        jumps[states - i] += last[i] + last[states + i]
    return Sums(gamma[:, :states].T, gamma[:, states:].sum(1), jumps)


@dataclass(frozen=True)
class Numbers:
    """The numbers of a model, by the names that they have in the package."""

    agree: bool
    null_share: float
    smoothing: float
    identical: float = 0.0
    cognate: float = 0.0
    backing: float = 0.0


Sentence = Sequence[str]


def trained(
    source: Sequence[Sentence], target: Sequence[Sentence], jumping: Sequence[bool], model: Numbers
) -> list[list[Sums]]:
    """Train both directions word by word, in dictionaries, as many passes as `jumping` says.

    Return what a further pass, like the last one, finds for each sentence pair, by direction.
    """
    pairs = [list(zip(source, target, strict=True)), list(zip(target, source, strict=True))]
    words = {word for pair in pairs[0] for side in pair for word in side}
    models = [Direction(lambda s, t: 1 / len(words), lambda t: 1 / len(words))] * 2
    found: list[list[Sums]] = []
    for number in range(len(jumping) + 1):
        jumps = jumping[min(number, len(jumping) - 1)]
        found = [
            [models[d].sums(*pair, model.null_share, jumps) for pair in pairs[d]] for d in (0, 1)
        ]
        if number < len(jumping):
            models = [
                estimated(pairs[d], found[d], found[1 - d] if model.agree else None, words, model)
                for d in (0, 1)
            ]
    return found


@dataclass
class Direction:
    """The probabilities of one direction."""

    translation: Callable[[str, str], float]
    null: Callable[[str], float]
    weight: Callable[[int], float] = lambda width: 0.5

    def sums(self, states: Sentence, tokens: Sentence, share: float, jumps: bool) -> Sums:
        emission = np.array([[self.translation(s, t) for t in tokens] for s in states])
        null = np.array([self.null(t) for t in tokens])
        if jumps:
            return all_alignments(emission, null, share, self.weight)
        return model1(emission, null, share)


def estimated(
    pairs: Sequence[tuple[Sentence, Sentence]],
    found: Sequence[Sums],
    other: Sequence[Sums] | None,
    words: set[str],
    model: Numbers,
) -> Direction:
    """Make the probabilities of a direction of what it has found in the last pass."""
    count: dict[tuple[str, str], float] = {}
    null: dict[str, float] = dict.fromkeys(words, model.smoothing)
    jumps: dict[int, float] = defaultdict(lambda: 0.5)
    frequency: dict[str, int] = defaultdict(int)
    for number, (states, tokens) in enumerate(pairs):
        for j, token in enumerate(tokens):
            frequency[token] += 1
            null[token] += found[number].null[j]
            for i, state in enumerate(states):
                value = found[number].cells[i, j]
                if other is not None:
                    value *= other[number].cells[j, i]
                key = (state, token)
                count[key] = count.get(key, prior(state, token, model)) + value
        for width, times in found[number].jumps.items():
            jumps[width] += times
    total: dict[str, float] = defaultdict(float)
    stem_count: dict[tuple[str, str], float] = defaultdict(float)
    stem_total: dict[str, float] = defaultdict(float)
    stem_frequency: dict[str, int] = defaultdict(int)
    for (state, token), times in count.items():
        total[state] += times
        stem_count[stem(state), stem(token)] += times
        stem_total[stem(state)] += times
    for word, times in frequency.items():
        stem_frequency[stem(word)] += times

    def translation(state: str, token: str) -> float:
        rate = stem_count[stem(state), stem(token)] / stem_total[stem(state)]
        behind = rate * frequency[token] / stem_frequency[stem(token)]
        return (count[state, token] + model.backing * behind) / (total[state] + model.backing)

    return Direction(
        translation, lambda token: null[token] / sum(null.values()), lambda width: jumps[width]
    )


def prior(state: str, token: str, model: Numbers) -> float:
    """Return what a pair of words counts before it has been seen."""
    a, b = state.casefold(), token.casefold()
    alike = len(a) >= 4 and len(b) >= 4 and a[:4] == b[:4]
    return model.smoothing + (model.identical if a == b else model.cognate if alike else 0.0)


def stem(word: str) -> str:
    """Return the beginning of a word; for words of letters only."""
    return word.casefold()[:4]
