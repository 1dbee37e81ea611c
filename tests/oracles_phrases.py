"""Phrase pairs, their weights and orientations: slow and obvious."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

Words = tuple[int, ...]
Links = frozenset[tuple[int, int]]
Span = tuple[int, int, int, int]

MONOTONE, SWAP, OTHER = range(3)


def consistent_spans(source: int, target: int, links: Links, longest: int) -> set[Span]:
    """Return first and last words, source then target, of all consistent phrase pairs.

    Koehn, Och & Marcu 2003, section 2: all words of a phrase are linked only with words of the
    other phrase, and at least one link is inside.
    """
    found = set()
    for s1 in range(source):
        for s2 in range(s1, min(source, s1 + longest)):
            for t1 in range(target):
                for t2 in range(t1, min(target, t1 + longest)):
                    sides = [(s1 <= s <= s2, t1 <= t <= t2) for s, t in links]
                    if (True, True) in sides and all(a == b for a, b in sides):
                        found.add((s1, s2, t1, t2))
    return found


def orientations(span: Span, spans: set[Span], source: int, target: int) -> tuple[int, int]:
    """Return the orientation with regard to the previous phrase, and to the next one."""
    s1, s2, t1, t2 = span
    before = behind = OTHER
    if any(s == s2 + 1 and t == t1 - 1 for s, _, _, t in spans):
        before = SWAP
    if (s1, t1) == (0, 0) or any(s == s1 - 1 and t == t1 - 1 for _, s, _, t in spans):
        before = MONOTONE
    if any(s == s1 - 1 and t == t2 + 1 for _, s, t, _ in spans):
        behind = SWAP
    corner = (s2 + 1, t2 + 1)
    if corner == (source, target) or any((s, t) == corner for s, _, t, _ in spans):
        behind = MONOTONE
    return before, behind


class SlowPhrases:
    """All that is counted in some sentence pairs."""

    def __init__(
        self,
        source: Sequence[Sequence[int]],
        target: Sequence[Sequence[int]],
        links: Sequence[Sequence[tuple[int, int]]],
        longest: int,
    ) -> None:
        self.counts: Counter[tuple[Words, Words]] = Counter()
        self.previous: dict[tuple[Words, Words], Counter[int]] = defaultdict(Counter)
        self.next: dict[tuple[Words, Words], Counter[int]] = defaultdict(Counter)
        self.inside: dict[tuple[Words, Words], Counter[Links]] = defaultdict(Counter)
        # 0 is the null word.
        self.linked: Counter[tuple[int, int]] = Counter()
        for f, e, row in zip(source, target, links, strict=True):
            given = frozenset(row)
            spans = consistent_spans(len(f), len(e), given, longest)
            for span in spans:
                s1, s2, t1, t2 = span
                pair = tuple(f[s1 : s2 + 1]), tuple(e[t1 : t2 + 1])
                self.counts[pair] += 1
                before, behind = orientations(span, spans, len(f), len(e))
                self.previous[pair][before] += 1
                self.next[pair][behind] += 1
                inner = {(s - s1, t - t1) for s, t in given if s1 <= s <= s2 and t1 <= t <= t2}
                self.inside[pair][frozenset(inner)] += 1
            self.linked.update((f[s], e[t]) for s, t in given)
            self.linked.update((f[s], 0) for s in range(len(f)) if all(s != x for x, _ in given))
            self.linked.update((0, e[t]) for t in range(len(e)) if all(t != x for _, x in given))

    def direct(self, pair: tuple[Words, Words]) -> float:
        """Return φ(e|f)."""
        return self.counts[pair] / sum(n for (f, _), n in self.counts.items() if f == pair[0])

    def inverse(self, pair: tuple[Words, Words]) -> float:
        """Return φ(f|e)."""
        return self.counts[pair] / sum(n for (_, e), n in self.counts.items() if e == pair[1])

    def word_given_source(self, f: int, e: int) -> float:
        """Return w(e|f)."""
        return self.linked[f, e] / sum(n for (x, _), n in self.linked.items() if x == f)

    def word_given_target(self, f: int, e: int) -> float:
        """Return w(f|e)."""
        return self.linked[f, e] / sum(n for (_, x), n in self.linked.items() if x == e)

    def best_links(self, pair: tuple[Words, Words]) -> Links:
        """Return the most frequent links, of equals those whose bits make the lowest number."""
        inside = self.inside[pair]
        return min(inside, key=lambda x: (-inside[x], sum(1 << (8 * s + t) for s, t in x)))

    def lexical(self, pair: tuple[Words, Words]) -> tuple[float, float]:
        """Return lex(f|e) and lex(e|f)."""
        (f, e), links = pair, self.best_links(pair)
        of_source, of_target = 1.0, 1.0
        for i, word in enumerate(f):
            given = [e[t] for s, t in links if s == i] or [0]
            of_source *= sum(self.word_given_target(word, x) for x in given) / len(given)
        for i, word in enumerate(e):
            given = [f[s] for s, t in links if t == i] or [0]
            of_target *= sum(self.word_given_source(x, word) for x in given) / len(given)
        return of_source, of_target

    def reordering(self, pair: tuple[Words, Words], smoothing: float) -> list[float]:
        """Return the logarithms of the six probabilities of orientations."""
        found = []
        for table in (self.previous, self.next):
            whole = Counter(dict.fromkeys(range(3), 1))
            for counter in table.values():
                whole.update(counter)
            shares = [whole[kind] / whole.total() for kind in range(3)]
            counts = [table[pair][kind] + smoothing * shares[kind] for kind in range(3)]
            found += [math.log(count / sum(counts)) for count in counts]
        return found
