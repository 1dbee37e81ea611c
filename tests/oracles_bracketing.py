"""Slow, obvious twins of the bracketing kernel: features one by one, all derivations of a span."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MASK = (1 << 64) - 1
OUTSIDE = 0x94D049BB133111EB


def mixed(*values: int) -> int:
    """Hash values in turn."""
    key = 0
    for value in values:
        key = ((key ^ value) * 0xD6E8FEB86659FD93) & MASK
        key ^= key >> 32
    return key


def row_of(key: int, bits: int) -> int:
    """Return where the pair of weights of a feature is."""
    return ((key * 0x9E3779B97F4A7C15) & MASK) >> (64 - bits)


@dataclass
class Sentence:
    """Words with keys of their attributes, and a tree (heads from 0, -1 for none) or none."""

    attributes: Sequence[Sequence[int]]
    tag: int
    heads: Sequence[int] | None = None
    labels: Sequence[int] | None = None

    def at(self, word: int, column: int) -> int:
        """Return an attribute, or what is outside."""
        if 0 <= word < len(self.attributes):
            return self.attributes[word][column]
        return OUTSIDE

    def depth(self, word: int) -> int:
        """Return how far a word is below the root."""
        assert self.heads is not None
        return 0 if self.heads[word] < 0 else 1 + self.depth(self.heads[word])

    def top(self, b: int, e: int) -> int:
        """Return the highest word of a span, the first of several."""
        return min(range(b, e), key=self.depth)

    def state(self, b: int, e: int) -> int:
        """Return the open heads of a span, 4 at most, and whether words outside depend on it."""
        assert self.heads is not None
        inside = range(b, e)
        opened = sum(self.heads[i] not in inside for i in inside)
        others = [i for i in range(len(self.heads)) if i not in inside]
        return 2 * min(opened, 4) + any(self.heads[i] in inside for i in others)

    def relation(self, i: int, j: int) -> int:
        """Return how two words are related."""
        assert self.heads is not None
        assert self.labels is not None
        if self.heads[j] == i:
            return mixed(101, self.labels[j])
        if self.heads[i] == j:
            return mixed(102, self.labels[i])
        kind = 103 if self.heads[i] == self.heads[j] else 104
        return mixed(kind, self.labels[i], self.labels[j])

    def features(self, b: int, p: int, e: int, context: int) -> list[int]:
        """Return the keys of all features of a split."""
        found: list[int] = [mixed(1), mixed(4, min(e - b, 24))]
        found.append(mixed(30, 0 if p - b < e - p else 1 if p - b > e - p else 2))
        found.append(mixed(31, min(p - b, 5) * 8 + min(e - p, 5)))
        found += [mixed(context, 40), mixed(41, (context + 1) // 2)]
        if self.tag:
            found.append(mixed(2, self.at(p - 1, 0), self.at(p, self.tag)))
            found.append(mixed(3, self.at(p - 1, self.tag), self.at(p, 0)))
        for c in range(len(self.attributes[0])):
            t = 64 * (c + 1)
            before, first, last = self.at(b - 1, c), self.at(b, c), self.at(p - 1, c)
            start, end, after = self.at(p, c), self.at(e - 1, c), self.at(e, c)
            found += [
                *(mixed(t + 1, last), mixed(t + 2, start), mixed(t + 3, last, start)),
                mixed(t + 3, last, start, t + 4, self.at(p - 2, c)),
                mixed(t + 3, last, start, t + 5, self.at(p + 1, c)),
                *(mixed(t + 6, before), mixed(t + 7, first), mixed(t + 8, before, first)),
                *(mixed(t + 9, end), mixed(t + 10, after), mixed(t + 11, end, after)),
                mixed(t + 12, first, end),
                *(mixed(t + 13, first, last), mixed(t + 14, first, start)),
                mixed(t + 15, first, last, start),
                *(mixed(t + 16, start, end), mixed(t + 17, last, end)),
                mixed(t + 18, last, start, end),
            ]
            # Where there are tags, words have no features of four or of the context.
            if c == 0 and self.tag:
                continue
            found += [
                mixed(t + 19, first, last, start, end),
                *(mixed(context, t + 20, first), mixed(context, t + 21, end)),
                *(mixed(context, t + 22, last), mixed(context, t + 23, start)),
                mixed(context, t + 24, last, start),
            ]
        return found + (self.tree_features(b, p, e) if self.heads is not None else [])

    def tree_features(self, b: int, p: int, e: int) -> list[int]:
        """Return the keys of what the tree says."""
        assert self.heads is not None
        assert self.labels is not None
        found = []
        for t, begin, end in ((5, b, e), (10, b, p), (15, p, e)):
            top, state = self.top(begin, end), self.state(begin, end)
            label, tag = self.labels[top], self.at(top, self.tag)
            found += [mixed(t, state), mixed(t + 1, label, state), mixed(t + 2, label, tag)]
            found += [mixed(t + 3, label, tag, state), mixed(t + 4, self.at(top, 0), state)]
        i, j = self.top(b, p), self.top(p, e)
        related = self.relation(i, j)
        above = self.heads[j] if self.heads[i] == j else self.heads[i]
        tags = self.at(i, self.tag), self.at(j, self.tag)
        states = self.state(b, p) * 16 + self.state(p, e)
        found += [
            *(mixed(20, related), mixed(21, related, tags[0]), mixed(22, related, tags[1])),
            *(mixed(23, related, *tags), mixed(24, related, self.at(i, 0))),
            *(mixed(25, related, self.at(j, 0)), mixed(26, *tags)),
            mixed(27, self.at(i, 0), self.at(j, 0)),
            *(mixed(28, related, self.at(above, self.tag)), mixed(29, related, self.at(above, 0))),
            *(mixed(32, states), mixed(33, states, related)),
        ]
        return found

    def score(
        self, weights: Sequence[float], bits: int, action: tuple[int, int, int, int, int]
    ) -> float:
        """Return the sum of the weights of a split: b, p, e, context, turned."""
        *place, turned = action
        rows = [row_of(key, bits) for key in self.features(*place)]
        return sum(float(weights[2 * row + turned]) for row in rows)

    def derivations(
        self, weights: Sequence[float], bits: int, straight: float = 0.0
    ) -> Iterator[tuple[float, tuple[int, ...]]]:
        """Yield score and order of all derivations; `straight` is added for straight splits."""
        known: dict[tuple[int, ...], float] = {}

        def spans(b: int, e: int, context: int) -> Iterator[tuple[float, tuple[int, ...]]]:
            if e - b == 1:
                yield 0.0, (b,)
                return
            for p in range(b + 1, e):
                for turned in (0, 1):
                    action = (b, p, e, context, turned)
                    if action not in known:
                        known[action] = self.score(weights, bits, action)
                        known[action] += 0.0 if turned else straight
                    for one, left in spans(b, p, 1 + 2 * turned):
                        for two, right in spans(p, e, 2 + 2 * turned):
                            order = right + left if turned else left + right
                            yield known[action] + one + two, order

        yield from spans(0, len(self.attributes), 0)


def wrong_pairs(order: Sequence[int], low: Sequence[int], high: Sequence[int]) -> int:
    """Count the pairs of linked words that an order has the wrong way round."""
    count = 0
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if low[i] < 0 or low[j] < 0 or (low[i], high[i]) == (low[j], high[j]):
                continue
            count += low[j] <= low[i] and high[j] <= high[i]
    return count
