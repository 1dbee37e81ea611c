"""Explain learned orders: weights of linear models, members of a consensus, best candidates."""

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
from wordorder.reordering.learned.examples import MAX_WORDS
from wordorder.reordering.learned.learned_order import LearnedOrder, attribute_hash
from wordorder.treebank.treebank import Treebank

# Limit for the features of a pair, and for candidates.
MAX_SHOWN = 4
# Values that the kernel writes for the head among its children, and for missing words.
SPECIAL_HASHES = {0x94D049BB133111EB: "SELF", 0x2545F4914F6CDD1D: "none", 0: "none"}
SIDE_NAMES = {1: "head left", 2: "head right", 3: "both left", 4: "both right", 5: "across"}
# Attributes that are numbers, not hashes of strings.
NUMERIC_ATTRIBUTES = ("size", "length", "distance", "members", "comma", "conjunction")


@dataclass(frozen=True)
class Reason(Record):
    """A feature of a pair of members, and its weight."""

    feature: str = key(
        "what the pair has: `a.label=SELF b.label=obj side=head left`; `a` is the left member"
    )
    weight: float = key("a positive one speaks for the source order of the pair")


@dataclass(frozen=True)
class PairScore(Record):
    """The order of two members of a family by a linear model."""

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
    """The explanation of a learned order of a sentence."""

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
        """Return one row per feature shown, and one per candidate."""
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
    """Explain how a learned order orders a sentence.

    Parameters
    ----------
    learned : LearnedOrder
    sentence : Treebank
        One sentence, with the input that the model reads.

    Raises
    ------
    InputError
        If the sentence lacks input that the model reads.
    UsageError
        If it has more than 512 words, since longer ones are ordered in pieces.

    Notes
    -----
    For a linear model, each family has the pairs that are reversed, with the features that have the
    largest weights. For other models, there are only candidate orders.
    """
    if sentence.words > MAX_WORDS:
        raise UsageError(
            f"an order is explained for sentences of at most {MAX_WORDS} words, and this one has "
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
        kbest = model.kbest_orders(sentence, MAX_SHOWN)
        candidates = tuple(
            Candidate(str(rank), float(score), order.positions)
            for rank, (order, score) in enumerate(zip(kbest.orders, kbest.score, strict=True), 1)
        )
    return LearnedExplanation(learned.name, learned.kind, forms, order, steps, candidates)


def _name(member: object) -> str:
    """Return the name of a member for `--member`."""
    kind = getattr(member, "kind", getattr(member, "name", "rules"))
    return "words" if isinstance(member, Bracketing) and member.reads == "words" else str(kind)


def _steps(model: linear_model.Linear, sentence: Treebank) -> Iterator[FamilyStep]:
    """Explain the families of a sentence, heads from left to right."""
    families = linear_model.families_of(sentence)
    scores = model.scores(families)
    new_position = np.argsort(
        np.array(linear_model.orders_by_scores(families, scores)[0].positions, np.int64)
    )
    attributes = _attributes(families)
    strings = _HashedStrings(sentence)
    forms, labels = sentence.form.strings(), sentence.label.strings()
    for family, head in enumerate(families.heads.tolist()):
        start, end = families.starts[family : family + 2].tolist()
        members = families.members[start:end].tolist()
        texts = {member: _text(families, head, member, forms) for member in members}
        first_pair = int(families.pairs[family])
        pairs = []
        for pair, (left, right) in enumerate(combinations(members, 2), first_pair):
            score = float(scores[pair])
            is_reversed = bool(new_position[left] > new_position[right])
            reasons = tuple(_reasons(model, attributes[pair], strings))
            pairs.append(PairScore(texts[left], texts[right], is_reversed, score, reasons))
        after = sorted(members, key=lambda member: int(new_position[member]))
        yield FamilyStep(
            family + 1,
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


def _reasons(
    model: linear_model.Linear, attributes: UInt64, strings: _HashedStrings
) -> list[Reason]:
    """Return the features of a pair with the largest weights."""
    weights = model.pair_weights(attributes)
    largest = np.argsort(-np.abs(weights), kind="stable")[:MAX_SHOWN].tolist()
    return [
        Reason(
            " ".join(strings.describe(name, attributes) for name in model.templates[template]),
            float(weights[template]),
        )
        for template in largest
        if weights[template] != 0
    ]


class _HashedStrings:
    """The strings of a sentence by their hashes."""

    def __init__(self, sentence: Treebank) -> None:
        self._strings = dict(SPECIAL_HASHES)
        for form in sentence.form.strings():
            for text in (form.lower(), linear_model.suffix_of(form), linear_model.shape_of(form)):
                self._strings[attribute_hash(text)] = text
        for name in ("upos", "xpos", "label"):
            for text in sentence.columns[name].strings():
                self._strings[attribute_hash(text)] = text
        self._indices = {name: index for index, name in enumerate(linear_model.ATTRIBUTES)}

    def describe(self, name: str, attributes: UInt64) -> str:
        """Return an attribute with its value, or without it if its string is not known."""
        value = int(attributes[self._indices[name]])
        base = name.split(".")[-1]
        if base == "side":
            return SIDE_NAMES[value]
        if base in ("leftmost", "rightmost"):
            return base if value == 1 else f"not {base}"
        if base in ("comma", "conjunction"):
            return f"{base} between" if value > 1 else f"no {base} between"
        if base in NUMERIC_ATTRIBUTES:
            return f"{name}~{value}"
        return f"{name}={self._strings[value]}" if value in self._strings else name
