"""Slow, obvious twins of the n-gram metrics and of RIBES, on lists of words."""

import math
from collections import Counter
from collections.abc import Sequence

Words = Sequence[str]


def ngrams(words: Words, n: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def ngram_statistics(hypothesis: Words, references: Sequence[Words], order: int) -> list[int]:
    """Clipped matches, totals, hypothesis length, closest reference length."""
    matches, totals = [], []
    for n in range(1, order + 1):
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= ngrams(reference, n)
        own = ngrams(hypothesis, n)
        matches.append(sum((own & most).values()))
        totals.append(sum(own.values()))
    length = len(hypothesis)
    closest = min((abs(len(r) - length), len(r)) for r in references)[1]
    return [*matches, *totals, length, closest]


def smoothed_bleu(
    hypothesis: Words, references: Sequence[Words], order: int = 4, boundaries: bool = False
) -> float:
    counted = [hypothesis, *references]
    if boundaries:
        counted = [["<s>", *words, "</s>"] for words in counted]
    counts = ngram_statistics(counted[0], counted[1:], order)
    closest = ngram_statistics(hypothesis, references, order)[-1]
    if not hypothesis or counts[0] == 0:
        return 0.0
    product = counts[0] / counts[order]
    for n in range(1, order):
        product *= (counts[n] + 1) / (counts[order + n] + 1)
    penalty = min(1.0, math.exp(1 - closest / len(hypothesis)))
    return float(penalty * product ** (1 / order))


def bag_f1(hypothesis: Words, reference: Words) -> tuple[float, int]:
    """F1 and matches of two bags of words."""
    matches = sum((Counter(hypothesis) & Counter(reference)).values())
    lengths = len(hypothesis) + len(reference)
    return (2 * matches / lengths if lengths else 0.0), matches


def nist(
    hypotheses: Sequence[Words],
    references: Sequence[Sequence[Words]],
    order: int = 5,
    corpus: Sequence[Sequence[Words]] | None = None,
) -> float:
    """NIST after mteval-v13a: clipping by the maximum, mean reference length.

    The information comes from the references of `corpus`, by default those that are scored.
    """
    count: Counter[tuple[str, ...]] = Counter()
    total = 0
    for several in corpus or references:
        for reference in several:
            total += len(reference)
            for n in range(1, order + 1):
                count.update(ngrams(reference, n))
    information = [0.0] * order
    counts = [0] * order
    length = reference_length = 0.0
    for hypothesis, several in zip(hypotheses, references, strict=True):
        if not several:
            continue
        length += len(hypothesis)
        reference_length += sum(map(len, several)) / len(several)
        for n in range(1, order + 1):
            most: Counter[tuple[str, ...]] = Counter()
            for reference in several:
                most |= ngrams(reference, n)
            own = ngrams(hypothesis, n)
            counts[n - 1] += sum(own.values())
            for ngram, matches in (own & most).items():
                shorter = count[ngram[:-1]] if n > 1 else total
                information[n - 1] += matches * math.log2(shorter / count[ngram])
    score = sum(i / max(c, 1) for i, c in zip(information, counts, strict=True))
    if 0 < length < reference_length:
        beta = math.log(0.5) / math.log(1.5) ** 2
        score *= math.exp(beta * math.log(length / reference_length) ** 2)
    return score


def occurrences(run: Words, words: Words) -> list[int]:
    """Where a run of words stands, overlapping instances included."""
    return [i for i in range(len(words) - len(run) + 1) if words[i : i + len(run)] == run]


def worder(hypothesis: list[str], reference: list[str]) -> list[int]:
    """The places of the hypothesis words in the reference, as the official script finds them."""
    found = []
    n = len(hypothesis)
    for i, word in enumerate(hypothesis):
        if word not in reference:
            continue
        if hypothesis.count(word) == reference.count(word) == 1:
            found.append(reference.index(word))
            continue
        for window in range(1, n):
            if window <= i:
                left = hypothesis[i - window : i + 1]
                places = occurrences(left, reference)
                if len(places) == len(occurrences(left, hypothesis)) == 1:
                    found.append(places[0] + window)
                    break
            if i + window < n:
                right = hypothesis[i : i + window + 1]
                places = occurrences(right, reference)
                if len(places) == len(occurrences(right, hypothesis)) == 1:
                    found.append(places[0])
                    break
    return found


def ribes(
    hypothesis: list[str],
    reference: list[str],
    alpha: float = 0.25,
    beta: float = 0.1,
    rank: str = "kendall",
) -> float:
    if not hypothesis:
        return 0.0
    order = worder(hypothesis, reference)
    n = len(order)
    if n == 1 and len(reference) == 1:
        correlation = 1.0
    elif n < 2:
        return 0.0
    elif rank == "kendall":
        pairs = [(a, b) for j, b in enumerate(order) for a in order[:j]]
        correlation = sum(a < b for a, b in pairs) / len(pairs)
    else:
        correlation = (_spearman(order) + 1) / 2
    penalty = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    return float(correlation * (n / len(hypothesis)) ** alpha * penalty**beta)


def _spearman(order: list[int]) -> float:
    from scipy import stats

    return float(stats.spearmanr(range(len(order)), order).statistic)
