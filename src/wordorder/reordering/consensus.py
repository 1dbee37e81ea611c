"""*consensus*: several models, the order that they agree on best, and how they are trained."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.arrays import Array, OnProgress
from wordorder.errors import ModelError, UsageError, unknown_name
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import UpdateCounts
from wordorder.reordering.learned import learned_order
from wordorder.reordering.learned.agreement import (
    AGREEMENT_WEIGHTS,
    agreed_orders,
    order_similarity,
)
from wordorder.reordering.learned.examples import OrderExamples, in_pieces
from wordorder.reordering.learned.learned_order import model_of
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RULES, RuleSet, open_rules
from wordorder.text.tensors import select_arrays
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from typing_extensions import Self


# What descriptions call a rule set, of which they keep the name.
WRITTEN = "rules"

# What can learn as a member; `words` are bracketing models that read words alone.
LEARNED_MEMBERS = ("bracketing", "words", "linear")

# How many of each are members unless told otherwise. Those of one name differ in the order in which
# they see the sentences, and linear ones in how much each sentence counts (`WEIGHED`). The source
# order is a member too: where the others disagree, it decides.
MEMBERS: Mapping[str, int] = {"bracketing": 6, "words": 6, "linear": 8, "unchanged": 1}

# Default weights of members, and default options of their learners: bracketing models that
# read trees are the best ones, and their agreement takes the place of averaged runs.
WEIGHTS: Mapping[str, float] = {"words": 0.5, "linear": 0.5, "unchanged": 1.5}

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "bracketing": {"runs": 1, "straight": 0.0},
    "words": {"runs": 1, "straight": 0.0, "reads": "words"},
}

# Without trees, linear models have nothing to read.
TREELESS: Mapping[str, int] = {name: MEMBERS[name] for name in MEMBERS if name != "linear"}

# Logistic regression gives nearly the same weights for any order of its pairs: its members
# differ as if each had seen another sample of the sentences (the Bayesian bootstrap; Rubin 1981).
WEIGHED = ("linear",)

# Random choices of one member depend on the seed times this, plus its number.
STRIDE = 1009

EPOCHS = {"bracketing": 10, "words": 10, "linear": 15}

# How long an epoch of each takes beside one of the first, about.
DURATIONS = {"bracketing": 1.0, "words": 0.55, "linear": 0.25}


@dataclass(frozen=True)
class ConsensusMember:
    """One that takes part in a consensus.

    Attributes
    ----------
    model : OrderModel or RuleSet
    weight : float
        How much its order counts, more than 0.
    """

    model: learned_order.OrderModel | RuleSet
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Consensus:
    """Gives each sentence the order that the orders of its members agree with best.

    Sentences of more than 512 words are ordered in pieces, which keep their order.

    Attributes
    ----------
    members : sequence of Member
    metric : str
        What agreement is measured in, as `agreed_orders` takes it.
    """

    kind: ClassVar[str] = "consensus"

    members: Sequence[ConsensusMember]
    metric: str = "frs"

    @property
    def reads(self) -> str:
        """What the members need of a sentence: the most of what any of them needs."""
        needs = [getattr(member.model, "reads", learned_order.READS[-1]) for member in self.members]
        return max(needs, key=learned_order.READS.index)

    @property
    def rule_identities(self) -> tuple[str, ...]:
        """The hashes of the rule files among the members."""
        models = [member.model for member in self.members]
        return tuple(m.file.identity for m in models if isinstance(m, PrecedenceRules))

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks what a member reads.
        """
        return in_pieces(self._orders, treebank, trees=self.reads == "trees")

    def _orders(self, treebank: Treebank) -> Orders:
        return agreed_orders(
            [member.model.orders(treebank) for member in self.members],
            weights=[member.weight for member in self.members],
            metric=self.metric,
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of all members, and their arrays by number and name."""
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        for number, member in enumerate(self.members):
            if isinstance(member.model, learned_order.OrderModel):
                metadata, parts = member.model.parts()
                entries.append(
                    {"kind": member.model.kind, "model": metadata, "weight": member.weight}
                )
                arrays |= {f"{number}.{name}": array for name, array in parts.items()}
            else:
                entry = {"kind": WRITTEN, "model": {"name": member.model.name}}
                entries.append({**entry, "weight": member.weight})
        return {"metric": self.metric, "members": entries}, arrays

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again.

        Raises
        ------
        ModelError
            If the parts do not fit together.
        """
        members = [_member(entry, number, arrays) for number, entry in enumerate(about["members"])]
        metric = about["metric"]
        if not members or not isinstance(metric, str):
            raise ModelError("a consensus without members or metric")
        if metric not in AGREEMENT_WEIGHTS:
            # An unknown name is found now, and not at the first sentence.
            order_similarity(metric)
        return cls(members, metric)

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> ConsensusLearner:
        """Return what learns such a model; see `ConsensusLearner` for the options."""

        return ConsensusLearner(examples, seed=seed, **options)


def _member(entry: dict[str, Any], number: int, arrays: dict[str, Array]) -> ConsensusMember:
    """Make a member of its parts."""
    weight = entry["weight"]
    if not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise ModelError(f"a member of the weight {weight!r}")
    if entry["kind"] == WRITTEN:
        name = entry["model"]["name"]
        # Only what comes with the package: a file of that name may be anybody's.
        if name not in RULES.built_in:
            raise ModelError(f"a consensus with the rule set {name!r}, which is not installed")
        return ConsensusMember(open_rules(name), float(weight))
    model = model_of(entry["kind"], entry["model"], select_arrays(arrays, f"{number}."))
    return ConsensusMember(model, float(weight))


def _fixed_member(name: str) -> learned_order.OrderModel | RuleSet:
    """Return a member that does not learn; refuse an unknown name."""
    if name == learned_order.Unchanged.kind:
        return learned_order.Unchanged()
    if name not in RULES.built_in:
        raise unknown_name(
            "member", name, [*LEARNED_MEMBERS, learned_order.Unchanged.kind, *RULES.built_in]
        )
    return open_rules(name)


def check_members(names: Iterable[str]) -> None:
    """Raise `UsageError`, which tells the legal names, if one cannot be a member.

    Examples
    --------
    >>> check_members(["linear", "unchanged", "R5"])
    """
    for name in names:
        if name not in LEARNED_MEMBERS:
            _fixed_member(name)


class ConsensusLearner:
    """Learns several models on the same examples, and lets them agree.

    Parameters
    ----------
    examples : OrderExamples
    seed : int
    metric : str
        What the members agree under, as `agreed_orders` takes it.
    members : mapping of name to number, optional
        How many of ``bracketing``, ``words`` (bracketing models that read words alone) and
        ``linear`` there are, whether the source order (``unchanged``) and which of the package's
        rule sets join in: ``{"bracketing": 3, "R5": 1}``. Where nothing that learns is named, the
        default members (`MEMBERS`) are there too.
    weights : mapping of name to float, optional
        How much each of them counts; as `WEIGHTS` says unless given, and 1 for all others.
    epochs : int, optional
        Passes of each member over the examples.
    settings : mapping of name to mapping, optional
        Further options of the learners of a member.

    Raises
    ------
    UsageError
        If there are no such members or no such metric.
    """

    def __init__(
        self,
        examples: OrderExamples,
        *,
        seed: int = 0,
        metric: str = "frs",
        members: Mapping[str, int] | None = None,
        weights: Mapping[str, float] | None = None,
        epochs: int | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> None:
        if metric not in AGREEMENT_WEIGHTS:
            order_similarity(metric)
        self._metric = metric
        self._examples = examples
        self._weights = {**WEIGHTS, **(weights or {})}
        chosen = dict(members or {})
        if not set(chosen) & set(LEARNED_MEMBERS):
            chosen = {**MEMBERS, **chosen}
        self._fixed = {
            name: _fixed_member(name)
            for name, count in chosen.items()
            if name not in LEARNED_MEMBERS and count
        }
        self._kinds = [name for name in LEARNED_MEMBERS for _ in range(chosen.get(name, 0))]
        if not self._kinds:
            raise UsageError("a consensus learns at least one linear or bracketing model")
        self._options = [
            {
                "epochs": epochs or EPOCHS[kind],
                **SETTINGS.get(kind, {}),
                **(settings or {}).get(kind, {}),
                "seed": STRIDE * seed + number,
            }
            for number, kind in enumerate(self._kinds)
        ]
        self._models: list[learned_order.OrderModel | RuleSet] = []
        self._learner: learned_order.OrderLearner | None = None

    @property
    def epochs(self) -> int:
        """How many passes over the examples all members need."""
        return sum(options["epochs"] for options in self._options)

    @property
    def work(self) -> float:
        """How many times as long as its first epoch all its epochs take, about."""
        pairs = zip(self._kinds, self._options, strict=True)
        every: float = sum(DURATIONS[kind] * options["epochs"] for kind, options in pairs)
        return every / DURATIONS[self._kinds[0]]

    @property
    def is_whole(self) -> bool:
        """Whether each member so far has had all its passes."""
        return self._learner is None

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples for the member whose turn it is."""
        number = 0
        while epoch > self._options[number]["epochs"]:
            epoch -= self._options[number]["epochs"]
            number += 1
        if self._learner is None:
            self._learner = self._make_learner(number)
        tally = self._learner.learn(epoch, progress)
        if epoch == self._options[number]["epochs"]:
            self._models.append(self._learner.model())
            self._learner = None
        return tally

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns: the members so far, and the one at work."""
        metadata, arrays = Consensus(
            [ConsensusMember(model) for model in self._models], self._metric
        ).parts()
        state = {f"done.{name}": array for name, array in arrays.items()}
        state["said"] = np.frombuffer(json.dumps(metadata).encode(), np.uint8)
        state["begun"] = np.array([self._learner is not None], np.int8)
        if self._learner is not None:
            state |= {f"now.{name}": array for name, array in self._learner.state().items()}
        return state

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state` of a learner with the same examples and options."""
        metadata = json.loads(arrays["said"].tobytes())
        if metadata["members"]:
            consensus = Consensus.from_parts(metadata, select_arrays(arrays, "done."))
            self._models = [member.model for member in consensus.members]
        if arrays["begun"][0]:
            self._learner = self._make_learner(len(self._models))
            self._learner.restore(select_arrays(arrays, "now."))

    def model(self) -> Consensus:
        """Return the members so far, and how they agree."""
        models = list(self._models)
        if self._learner is not None:
            models.append(self._learner.model())
        members = [
            ConsensusMember(model, self._weights.get(kind, 1.0))
            for model, kind in zip(models, self._kinds, strict=False)
        ]
        members += [
            ConsensusMember(model, self._weights.get(name, 1.0))
            for name, model in self._fixed.items()
        ]
        return Consensus(members, self._metric)

    def _make_learner(self, number: int) -> learned_order.OrderLearner:
        """Return what learns a member."""
        kind, options = self._kinds[number], self._options[number]
        model_class: type[learned_order.OrderModel] = learned_order.LEARNED.load(
            "bracketing" if kind == "words" else kind
        )
        examples = self._examples
        if kind in WEIGHED:
            weights = np.random.default_rng(options["seed"]).exponential(size=len(examples))
            examples = replace(examples, weights=examples.weights * weights)
        return model_class.learner(examples, **options)
