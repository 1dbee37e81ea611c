"""Slow, obvious twins of the rules and figures of other evaluators."""

from collections.abc import Sequence
from itertools import pairwise

from tests.oracles_lrscore import brevity, ranks as moses_ranks, similarity

__all__ = ["moses_ranks"]

Link = tuple[int, int]
Span = tuple[float, float]
OPENING = '(["\uff08「『【'
CLOSING = ')]"\uff09」』】'
FAR = float("inf")


def spans_of(links: Sequence[Link], words: int) -> list[Span | None]:
    """Return first and last target of each word, None for an unaligned one."""
    targets = [[t for s, t in links if s == word] for word in range(words)]
    return [(min(found), max(found)) if found else None for found in targets]


def is_below(one: Span, other: Span) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]


def weak_order(spans: Sequence[Span | None]) -> list[int] | None:
    """Rank the spans, -1 for None; None if two of them cannot be compared."""
    there = {span for span in spans if span is not None}
    for one in there:
        for other in there:
            if one != other and not is_below(one, other) and not is_below(other, one):
                return None
    return [-1 if span is None else sum(is_below(other, span) for other in there) for span in spans]


def merged(spans: Sequence[Span | None]) -> list[Span | None]:
    """Merge overlapping spans into blocks, from the lowest on; each takes what lies between."""
    spans = list(spans)
    left = sorted((span, word) for word, span in enumerate(spans) if span is not None)
    while left:
        (begin, end), word = left.pop(0)
        # An earlier block may have taken the word, and so changed its span.
        begin, end = spans[word] or (begin, end)
        block = range(word, word + 1)
        while left:
            now = spans[left[0][1]]
            assert now is not None
            if now[0] > end:
                break
            word = left.pop(0)[1]
            wider = range(min(block.start, word), max(block.stop, word + 1))
            end = max([end, *(s[1] for i in wider if (s := spans[i]) and i not in block)])
            block = wider
        for word in block:
            spans[word] = (begin, end)
    return spans


def bracketed(spans: Sequence[Span | None], words: Sequence[str]) -> list[Span | None]:
    """Put unaligned matching brackets around what they enclose."""
    spans = list(spans)
    waiting: list[int] = []
    for place, word in enumerate(words):
        if spans[place] is not None or word == "" or len(word) > 1:
            continue
        kind = CLOSING.find(word)
        if kind >= 0 and waiting and words[waiting[-1]] == OPENING[kind]:
            start = waiting.pop()
            inside = [span for span in spans[start + 1 : place] if span is not None]
            if inside:
                begin, end = min(s[0] for s in inside), max(s[1] for s in inside)
                spans[start] = (begin - 1e-4, begin - 1e-4)
                spans[place] = (end + 1e-4, end + 1e-4)
        elif word in OPENING:
            waiting.append(place)
    return spans


def attached(spans: Sequence[Span | None], side: str) -> list[Span | None]:
    """Give unaligned words the span of a neighbour; all None stays so."""
    aligned = [word for word, span in enumerate(spans) if span is not None]
    found: list[Span | None] = []
    for word, span in enumerate(spans):
        before = [a for a in aligned if a <= word]
        behind = [a for a in aligned if a >= word]
        if span is not None or not aligned:
            found.append(span)
        elif side == "next":
            found.append(spans[behind[0] if behind else before[-1]])
        elif behind:
            found.append(spans[before[-1] if before else behind[0]])
        else:
            found.append((FAR, FAR))
    return found


def lader_ranks(
    links: Sequence[Link], words: int, side: str, tokens: Sequence[str] | None = None
) -> list[int]:
    """Rank the words as lader does with blocks; one rank without any link."""
    spans = merged(spans_of(links, words))
    if tokens is not None:
        spans = bracketed(spans, tokens)
    ranks = weak_order(attached(spans, side))
    assert ranks is not None
    return [max(rank, 0) for rank in ranks]


def chunk_loss(order: Sequence[int], ranks: Sequence[int]) -> tuple[int, int]:
    """Return the broken neighbours of a sentence, both ends included, and all of them."""
    if len(set(ranks)) < 2:
        return 0, 0
    read = [-1, *(ranks[word] for word in order), max(ranks) + 1]
    return sum(b - a not in (0, 1) for a, b in pairwise(read)), len(order) + 1


def tau_loss(order: Sequence[int], ranks: Sequence[int]) -> tuple[int, int]:
    """Return the pairs of words in the wrong order, and those of different rank."""
    read = [ranks[word] for word in order]
    pairs = [(a, b) for i, a in enumerate(read) for b in read[i + 1 :]]
    return sum(a > b for a, b in pairs), sum(a != b for a, b in pairs)


def btg_values(order: Sequence[int], ranks: Sequence[int]) -> tuple[float, float, float]:
    """Return fuzzy reordering score, tau and complete match of a sentence."""
    read = [ranks[word] for word in order if ranks[word] >= 0]
    n = len(read)
    if n <= 1:
        return 1.0, 1.0, 1.0
    ends = [-1, *read, max(ranks) + 1]
    broken = sum(b - a not in (0, 1) for a, b in pairwise(ends))
    wrong = sum(a > b for i, a in enumerate(read) for b in read[i + 1 :])
    tau = 1.0 - wrong / (n * (n - 1) / 2)
    return 1.0 - broken / (n + 1), tau, float(tau == 1.0)


def moses_values(
    ours: Sequence[int], theirs: Sequence[int], length: int, reference_length: int
) -> tuple[float, float]:
    """Return what Hamming's and Kendall's distances give a sentence, brevity punished."""
    kept = brevity(length, reference_length)
    hamming, kendall = (similarity(ours, theirs, each) for each in ("hamming", "kendall"))
    return hamming * kept, kendall * kept
