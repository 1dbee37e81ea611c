"""How a learned order came about: the weights of a linear one, the members of a consensus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from wordorder.arrays import UInt64
from wordorder.errors import UsageError
from wordorder.kernels import learned as kernel
from wordorder.records import Columns, Record, computed, key
from wordorder.reordering.consensus import Consensus
from wordorder.reordering.learned import linear_model
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.examples import LONGEST
from wordorder.reordering.learned.learned_order import LearnedOrder, attribute_hash
from wordorder.treebank.treebank import Treebank

# Features of a pair, and orders of a list, that are shown.
SHOWN = 4
# What the kernel writes for a head among its children, and where nothing is.
SPECIAL = {0x94D049BB133111EB: "SELF", 0x2545F4914F6CDD1D: "none", 0: "none"}
SIDES = {1: "head left", 2: "head right", 3: "both left", 4: "both right", 5: "across"}
# Attributes that are counts or kinds, not strings.
NUMBERS = ("size", "length", "distance", "members", "comma", "conjunction")


@dataclass(frozen=True)
class Reason(Record):
    """A feature of a pair of members, and its weight."""

    feature: str = key(
        "what the pair has: `a.label=SELF b.label=obj side=head left`; `a` is the left member"
    )
    weight: float = key("a positive one speaks for the source order of the pair")


@dataclass(frozen=True)
class PairScore(Record):
    """What a linear order makes of two members of a family."""

    left: str = key("the words of the member that comes first in the source")
    right: str = key("the words of the other one")
    turned: bool = key("whether the pair is turned round")
    score: float = key("the sum of all weights; the pair keeps its order if it is positive")
    reasons: tuple[Reason, ...] = key("the features with the largest weights, of either sign")


@dataclass(frozen=True)
class FamilyStep(Record):
    """One family: a head with its children."""

    step: int = key("the number of the step, from 1")
    head: int = key("the head, from 1")
    form: str = key("its form")
    label: str = key("its label")
    before: tuple[str, ...] = key("the words of the members in the order of the source")
    after: tuple[str, ...] = key("the words of the members in their new order")
    pairs: tuple[PairScore, ...] = key("pairs that are turned round; all of them if none is")

    @computed("whether anything moves")
    def changed(self) -> bool:
        """Return whether a pair is reversed."""
        return any(pair.turned for pair in self.pairs)


@dataclass(frozen=True)
class Candidate(Record):
    """An order that a model considered."""

    name: str = key("the member of the model that it is from, or its rank")
    score: float = key("the score of a derivation, or the weight of a member")
    order: tuple[int, ...] = key("the positions of the words, from 0")


@dataclass(frozen=True)
class LearnedExplanation(
    Record, rows="steps pairs reasons", first="step head left right turned score"
):
    """How a learned order ordered a sentence."""

    rules: str = key("the name of the rules")
    kind: str = key("the kind of the model")
    forms: tuple[str, ...] = key("the words of the sentence")
    order: tuple[int, ...] = key("the positions of the words in the new order, from 0")
    steps: tuple[FamilyStep, ...] = key(
        "of a linear model: what happens in each family", default=()
    )
    candidates: tuple[Candidate, ...] = key(
        "of a bracketing model its best orders; of a consensus the orders of its members",
        default=(),
    )

    def words(self, order: tuple[int, ...]) -> str:
        """Return the words in an order."""
        return " ".join(self.forms[position] for position in order)

    def to_columns(self) -> Columns:
        """Return a row for each feature that is shown, and one for each candidate."""
        columns = super().to_columns()
        for candidate in self.candidates:
            row = {
                "left": candidate.name,
                "right": self.words(candidate.order),
                "score": candidate.score,
            }
            for name, cells in columns.items():
                cells.append(row.get(name))
        return columns


def explain_learned(learned: LearnedOrder, sentence: Treebank) -> LearnedExplanation:
    """Show how a learned order orders a sentence, and which weights decide.

    Parameters
    ----------
    learned : LearnedOrder
    sentence : Treebank
        One sentence, with what the model reads.

    Raises
    ------
    InputError
        If it lacks what the model reads.
    UsageError
        If it has more than 512 words, which are ordered in pieces.

    Notes
    -----
    Of a linear model each family is shown with the pairs that are reversed, and the features
    of each with the largest weights. Of other kinds only orders are shown.
    """
    if sentence.words > LONGEST:
        raise UsageError(
            f"an order is explained for sentences of at most {LONGEST} words, and this one has "
            f"{sentence.words:,}"
        )
    model = learned.model
    order = model.orders(sentence)[0].positions
    forms = tuple(sentence.form.strings())
    steps: tuple[FamilyStep, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    if isinstance(model, linear_model.Linear):
        steps = tuple(_steps(model, sentence))
    elif isinstance(model, Consensus):
        candidates = tuple(
            Candidate(
                _name(member.model),
                member.weight,
                member.model.orders(sentence)[0].positions,
            )
            for member in model.members
        )
    elif isinstance(model, Bracketing):
        kbest = model.kbest_orders(sentence, SHOWN)
        candidates = tuple(
            Candidate(str(rank), float(score), order.positions)
            for rank, (order, score) in enumerate(zip(kbest.orders, kbest.score, strict=True), 1)
        )
    return LearnedExplanation(learned.name, learned.kind, forms, order, steps, candidates)


def _name(member: object) -> str:
    """Return what a member is called, as `--member` calls it."""
    kind = getattr(member, "kind", getattr(member, "name", "rules"))
    return "words" if isinstance(member, Bracketing) and member.reads == "words" else str(kind)


def _steps(model: linear_model.Linear, sentence: Treebank) -> Iterator[FamilyStep]:
    """Explain the families of a sentence, heads from left to right."""
    families = linear_model.families_of(sentence)
    scores = model.scores(families)
    place = np.argsort(
        np.array(linear_model.orders_by_scores(families, scores)[0].positions, np.int64)
    )
    attributes = _attributes(families)
    words = _Words(sentence)
    forms, labels = sentence.form.strings(), sentence.label.strings()
    for number, head in enumerate(families.heads.tolist()):
        begin, end = families.starts[number : number + 2].tolist()
        members = families.members[begin:end].tolist()
        texts = {member: _text(families, head, member, forms) for member in members}
        first = int(families.pairs[number])
        pairs = []
        for pair, (left_member, right) in enumerate(combinations(members, 2), first):
            score = float(scores[pair])
            turned = bool(place[left_member] > place[right])
            reasons = tuple(_reasons(model, attributes[pair], words))
            pairs.append(PairScore(texts[left_member], texts[right], turned, score, reasons))
        after = sorted(members, key=lambda member: int(place[member]))
        yield FamilyStep(
            number + 1,
            head + 1,
            forms[head],
            labels[head],
            tuple(texts[member] for member in members),
            tuple(texts[member] for member in after),
            tuple(pair for pair in pairs if pair.turned) or tuple(pairs),
        )


def _text(families: linear_model.Families, head: int, member: int, forms: list[str]) -> str:
    if member == head:
        return forms[member]
    low, high = families.spans[2 * member : 2 * member + 2].tolist()
    return " ".join(forms[low : high + 1])


def _attributes(families: linear_model.Families) -> UInt64:
    """Return the attributes of all pairs, uint64[pairs, attributes]."""
    attributes = np.zeros(len(linear_model.ATTRIBUTES) * int(families.pairs[-1]), np.uint64)
    linear_model.run_pairs(kernel.pair_attributes, families, (("side",),), 1, attributes)
    return attributes.reshape(-1, len(linear_model.ATTRIBUTES))


def _reasons(model: linear_model.Linear, attributes: UInt64, words: _Words) -> list[Reason]:
    """Return the features of a pair with the largest weights."""
    weights = model.pair_weights(attributes)
    largest = np.argsort(-np.abs(weights), kind="stable")[:SHOWN].tolist()
    return [
        Reason(
            " ".join(words.describe(name, attributes) for name in model.templates[number]),
            float(weights[number]),
        )
        for number in largest
        if weights[number] != 0
    ]


class _Words:
    """The strings of a sentence by their hashes."""

    def __init__(self, sentence: Treebank) -> None:
        self._strings = dict(SPECIAL)
        for form in sentence.form.strings():
            for text in (form.lower(), linear_model.suffix_of(form), linear_model.shape_of(form)):
                self._strings[attribute_hash(text)] = text
        for name in ("upos", "xpos", "label"):
            for text in sentence.columns[name].strings():
                self._strings[attribute_hash(text)] = text
        self._numbers = {name: number for number, name in enumerate(linear_model.ATTRIBUTES)}

    def describe(self, name: str, attributes: UInt64) -> str:
        """Return an attribute with its value, as far as it is one that can be read."""
        value = int(attributes[self._numbers[name]])
        base = name.split(".")[-1]
        if base == "side":
            return SIDES[value]
        if base in ("leftmost", "rightmost"):
            return base if value == 1 else f"not {base}"
        if base in ("comma", "conjunction"):
            return f"{base} between" if value > 1 else f"no {base} between"
        if base in NUMBERS:
            return f"{name}~{value}"
        return f"{name}={self._strings[value]}" if value in self._strings else name
