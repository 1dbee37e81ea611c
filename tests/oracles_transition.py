"""Slow, obvious twins of the transition parser."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from tests.oracles_trees import is_tree, non_projective

Tree = tuple[tuple[int, ...], tuple[str, ...]]
ROOT = "root"


@dataclass
class State:
    """An item of arc-eager: words count from 1, a head of -1 is not yet known."""

    n: int
    stack: list[int] = field(default_factory=list)
    coming: int = 1
    heads: dict[int, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    last: str = ""

    def legal(self, labels: list[str]) -> list[str]:
        """What may come next, as text: ``left-arc nsubj``."""
        found = []
        last_word = self.coming == self.n
        more = self.coming <= self.n
        headless = [word for word in self.stack if word not in self.heads]
        if more and self.last != "reduce" and (not last_word or not self.stack):
            found.append("shift")
        if self.stack and self.stack[-1] in self.heads:
            found.append("reduce")
        if not more and self.stack and self.stack[-1] not in self.heads:
            found.append("pop-root")
        if more and self.stack and self.stack[-1] not in self.heads:
            found += [f"left-arc {label}" for label in labels]
        if more and self.stack and (not last_word or len(headless) == 1):
            found += [f"right-arc {label}" for label in labels]
        return found

    def apply(self, action: str) -> None:
        name, _, label = action.partition(" ")
        if name in ("shift", "right-arc"):
            if label:
                self.heads[self.coming], self.labels[self.coming] = self.stack[-1], label
            self.stack.append(self.coming)
            self.coming += 1
        else:
            word = self.stack.pop()
            if name == "left-arc":
                self.heads[word], self.labels[word] = self.coming, label
            elif name == "pop-root":
                self.heads[word], self.labels[word] = 0, ROOT
        self.last = name

    @property
    def done(self) -> bool:
        return self.coming > self.n and not self.stack

    def tree(self) -> Tree:
        words = range(1, self.n + 1)
        return tuple(self.heads[w] for w in words), tuple(self.labels[w] for w in words)


def replay(n: int, actions: list[str], labels: list[str]) -> Tree:
    """Take actions, each of which must be legal."""
    state = State(n)
    for action in actions:
        assert action in state.legal(labels), (action, state)
        state.apply(action)
    assert state.done
    return state.tree()


def derivations(n: int, labels: list[str]) -> Iterator[tuple[list[str], Tree]]:
    """All ways to the end, each with its tree; a dead end is an error."""

    def go(actions: list[str]) -> Iterator[list[str]]:
        state = State(n)
        for action in actions:
            state.apply(action)
        if state.done:
            yield actions
            return
        legal = state.legal(labels)
        assert legal, state
        for action in legal:
            yield from go([*actions, action])

    for actions in go([]):
        yield actions, replay(n, actions, labels)


def is_projective(heads: tuple[int, ...]) -> bool:
    """Whether it is a tree with one root in which no arc crosses another, or the root."""
    row = list(heads)
    return len(row) > 0 and is_tree(row, single_root=True) and not any(non_projective(row))


def projective_trees(n: int, labels: list[str]) -> set[Tree]:
    """All of them, of all assignments of heads."""
    found = set()
    for heads in product(range(n + 1), repeat=n):
        if is_projective(heads):
            for chosen in product(labels, repeat=n - 1):
                rest = iter(chosen)
                found.add((heads, tuple(next(rest) if head else ROOT for head in heads)))
    return found


def random_tree(rng: random.Random, n: int, labels: list[str]) -> Tree:
    """Any projective tree: of a span one word is the head, on both sides of it are subtrees."""
    heads, names = [0] * n, [ROOT] * n

    def grow(first: int, last: int, head: int) -> None:
        word = rng.randrange(first, last)
        heads[word] = head
        if head:
            names[word] = rng.choice(labels)
        for low, high in ((first, word), (word + 1, last)):
            while low < high:
                cut = rng.randint(low + 1, high)
                grow(low, cut, word + 1)
                low = cut

    if n:
        grow(0, n, 0)
    return tuple(heads), tuple(names)


def features(templates: tuple[str, ...], words: list[dict[str, int]], state: State) -> list[object]:
    """The features of a state: the template with the values of its atoms, all read off the tree.

    `words` gives the columns of each word. A feature whose first atom is missing is left out.
    """
    n = state.n
    stack = state.stack
    s0 = stack[-1] if stack else 0
    s1 = stack[-2] if len(stack) > 1 else 0
    n0 = state.coming if state.coming <= n else 0

    def children(word: int, side: int) -> list[int]:
        """Those on one side, the outermost first."""
        found = [c for c, head in state.heads.items() if head == word and (c > word) == (side > 0)]
        return sorted(found, reverse=side > 0) if word else []

    def at(row: list[int], i: int) -> int:
        return row[i] if i < len(row) else 0

    s0h = state.heads.get(s0, 0)
    places = {"S0": s0, "S1": s1, "S0h": s0h, "S0h2": state.heads.get(s0h, 0)}
    places |= {"S0l": at(children(s0, -1), 0), "S0l2": at(children(s0, -1), 1)}
    places |= {"S0r": at(children(s0, 1), 0), "S0r2": at(children(s0, 1), 1)}
    places |= {f"N{i}": n0 + i if n0 and n0 + i <= n else 0 for i in range(4)}
    places |= {"N0l": at(children(n0, -1), 0), "N0l2": at(children(n0, -1), 1)}

    def value(atom: str) -> object:
        part, _, column = atom.partition(".")
        if atom == "d":
            gap = n0 - s0 if s0 and n0 else 0
            return gap if gap < 6 else 6 if gap < 11 else 7
        word = places[part]
        if column in ("vl", "vr"):
            return len(children(word, 1 if column == "vr" else -1))
        if column in ("sl", "sr"):
            named = children(word, 1 if column == "sr" else -1)
            return frozenset(state.labels[child] for child in named)
        if column == "l":
            return state.labels.get(word, "")
        return words[word - 1][column] if word else 0

    found: list[object] = []
    for template in templates:
        values = tuple(value(atom) for atom in template.split())
        if values[0] not in (0, ""):
            found.append((template, values))
    return found
