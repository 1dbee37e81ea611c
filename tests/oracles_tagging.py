"""Slow, obvious twins of the taggers."""

import itertools
import math
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence

Sentence = Sequence[tuple[str, str]]
EDGE = "<s>"


class NaiveTnT:
    """The model of Brants (2000) as its equations stand, one sentence at a time."""

    def __init__(self, sentences: Sequence[Sentence]) -> None:
        self.one: Counter[str] = Counter()
        self.two: Counter[tuple[str, str]] = Counter()
        self.three: Counter[tuple[str, str, str]] = Counter()
        self.lexicon: dict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            if not sentence:
                continue
            tags = [EDGE, EDGE, *(tag for _, tag in sentence), EDGE]
            for first, second, third in zip(tags, tags[1:], tags[2:], strict=False):
                self.one[third] += 1
                self.two[second, third] += 1
                self.three[first, second, third] += 1
            for word, tag in sentence:
                self.lexicon[word][tag] += 1
        self.tags = sorted(set(self.one) - {EDGE})
        self.lambdas = self._lambdas()
        total = sum(self.one[tag] for tag in self.tags)
        self.prior = {tag: self.one[tag] / total for tag in self.tags}
        mean = 1 / len(self.tags)
        spread = sum((share - mean) ** 2 for share in self.prior.values())
        self.theta = math.sqrt(spread / (len(self.tags) - 1)) if len(self.tags) > 1 else 0.0

    def after(self, *context: str) -> int:
        """How often a context of one or two tags is followed by something."""
        if len(context) == 1:
            return sum(n for (tag, _), n in self.two.items() if tag == context[0])
        return sum(n for (a, b, _), n in self.three.items() if (a, b) == context)

    def _lambdas(self) -> list[float]:
        weight = [0.0, 0.0, 0.0]
        total = sum(self.one.values())
        for (first, second, third), count in self.three.items():
            pairs = [
                (self.one[third], total),
                (self.two[second, third], self.after(second)),
                (count, self.after(first, second)),
            ]
            shares = [(seen - 1) / (n - 1) if n > 1 else 0.0 for seen, n in pairs]
            winners = [order for order in range(3) if shares[order] == max(shares)]
            for order in winners:
                weight[order] += count / len(winners)
        return [one / sum(weight) for one in weight]

    def transition(self, first: str, second: str, third: str) -> float:
        """Interpolated probability of a tag after two others."""
        total = sum(self.one.values())
        found = self.lambdas[0] * self.one[third] / total
        if self.after(second):
            found += self.lambdas[1] * self.two[second, third] / self.after(second)
        if self.after(first, second):
            found += self.lambdas[2] * self.three[first, second, third] / self.after(first, second)
        return found

    def suffix(self, word: str) -> dict[str, float]:
        """P(t|suffix), by successive abstraction."""
        found = dict(self.prior)
        for length in range(1, min(len(word), 10) + 1):
            seen: Counter[str] = Counter()
            for known, tags in self.lexicon.items():
                same = known[:1].isupper() == word[:1].isupper() and len(known) >= length
                rare = sum(tags.values()) <= 10
                if same and rare and known[-length:] == word[-length:]:
                    seen.update(tags)
            if not seen:
                break
            for tag in self.tags:
                share = seen[tag] / sum(seen.values())
                found[tag] = (share + self.theta * found[tag]) / (1 + self.theta)
        return found

    def emission(self, word: str, tag: str, known_words: str) -> float:
        """P(w|t) for known words, P(t|w) / P(t) for unknown ones."""
        known = self.lexicon.get(word)
        if known is None:
            return self.suffix(word)[tag] / self.prior[tag]
        if known_words == "seen":
            return known[tag] / self.one[tag]
        count = sum(known.values())
        share = (known[tag] + self.suffix(word)[tag]) / (count + 1)
        return share * count / self.one[tag]

    def score(self, words: Sequence[str], tags: Sequence[str], known_words: str) -> float:
        """Logarithm of the probability of a sequence; minus infinity if it cannot be."""
        if not words:
            return 0.0
        padded = [EDGE, EDGE, *tags, EDGE]
        factors = [self.transition(*padded[i : i + 3]) for i in range(len(words) + 1)]
        factors += [self.emission(w, t, known_words) for w, t in zip(words, tags, strict=True)]
        return sum(map(math.log, factors)) if min(factors) > 0 else -math.inf

    def best(self, words: Sequence[str], k: int, known_words: str) -> list[float]:
        """Scores of the `k` best of all sequences."""
        every = itertools.product(self.tags, repeat=len(words))
        scores = [self.score(words, tags, known_words) for tags in every]
        return sorted((score for score in scores if score > -math.inf), reverse=True)[:k]


def all_paths(
    positions: Sequence[Sequence[tuple[int, Sequence[tuple[int, int]]]]],
) -> list[tuple[int, tuple[int, ...]]]:
    """Return scores and tags of all paths through a lattice.

    A position is a list of nodes, a node its tag and its arcs, an arc the node of the position
    before and what it scores.
    """
    ways: list[list[tuple[int, tuple[int, ...]]]] = [[(0, ())]]
    for nodes in positions:
        ways = [
            [(score + gain, (*tags, tag)) for origin, gain in arcs for score, tags in ways[origin]]
            for tag, arcs in nodes
        ]
    return [(score, tags[:-1]) for score, tags in ways[0]]


def spelled_attributes(word: str, *, symbols: bool = False) -> dict[str, object]:
    """The attributes of a word that tell it from others, as plain strings."""
    normal = "".join("0" if c.isdigit() else c for c in word.lower())
    found: dict[str, object] = {"form": word, "normal": normal}
    for length in range(1, 7):
        if length < len(normal):
            found[f"suffix{length}"] = normal[-length:]
            if length < 6:
                found[f"prefix{length}"] = normal[:length]
    classes = [
        "X"
        if c.isupper() or c.istitle()
        else "d"
        if c.isdigit()
        else "x"
        if c.isalpha()
        else "s"
        if symbols and unicodedata.category(c) in ("Sm", "Sc", "Sk", "So")
        else "=" + c
        for c in word
    ]
    found["shape"] = [c for c, _ in itertools.groupby(classes)]
    found["kind"] = (
        classes[:1] == ["X"],
        "X" in classes[1:],
        "d" in classes,
        "-" in word,
        all(c == "X" for c in classes),
    )
    found["length"] = min(len(word), 12)
    return found
