"""*consensus*: several models, the order that they agree on best, and their training."""

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
from wordorder.reordering.learned.learned_order import rebuild_model
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RULES, RuleSet, open_rules
from wordorder.text.tensors import select_arrays
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from typing_extensions import Self


# `kind` of rule sets in saved metadata, which have only the name of the rule set.
RULES_KIND = "rules"

# Members that learn; `words` are bracketing models that read only words.
LEARNED_MEMBERS = ("bracketing", "words", "linear")

# The default number of members of each name. Members of one name see the sentences in different
# orders, and linear ones weight the sentences differently (`RANDOMLY_WEIGHTED`). The source order
# is a member that decides where the others disagree.
MEMBERS: Mapping[str, int] = {"bracketing": 6, "words": 6, "linear": 8, "unchanged": 1}

# Default weights of members, and default options of their learners. Bracketing models that read
# trees are the best; since several of them agree, each needs only one run.
WEIGHTS: Mapping[str, float] = {"words": 0.5, "linear": 0.5, "unchanged": 1.5}

SETTINGS: Mapping[str, Mapping[str, Any]] = {
    "bracketing": {"runs": 1, "straight": 0.0},
    "words": {"runs": 1, "straight": 0.0, "reads": "words"},
}

# Default members for sentences without trees, which linear models need.
TREELESS: Mapping[str, int] = {name: MEMBERS[name] for name in MEMBERS if name != "linear"}

# Logistic regression learns nearly the same weights from any order of its pairs. For different
# members, the sentences are weighted at random (the Bayesian bootstrap; Rubin 1981).
RANDOMLY_WEIGHTED = ("linear",)

# The seed of a member is the seed of the consensus times this, plus the index of the member.
SEED_FACTOR = 1009

MEMBER_EPOCHS = {"bracketing": 10, "words": 10, "linear": 15}

# Approximate durations of an epoch, relative to one of a bracketing model.
DURATIONS = {"bracketing": 1.0, "words": 0.55, "linear": 0.25}


@dataclass(frozen=True)
class ConsensusMember:
    """A member of a consensus.

    Attributes
    ----------
    model : OrderModel or RuleSet
    weight : float
        The weight of its order, more than 0.
    """

    model: learned_order.OrderModel | RuleSet
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Consensus:
    """Orders each sentence by the order that the orders of the members agree with best.

    Sentences of more than 512 words are ordered in pieces, which keep their order.

    Attributes
    ----------
    members : sequence of ConsensusMember
    metric : str
        The metric of agreement; see `agreed_orders`.
    """

    kind: ClassVar[str] = "consensus"

    members: Sequence[ConsensusMember]
    metric: str = "frs"

    @property
    def reads(self) -> str:
        """The richest input that a member needs: ``words``, ``tags`` or ``trees``."""
        levels = learned_order.INPUT_LEVELS
        needs = [getattr(member.model, "reads", levels[-1]) for member in self.members]
        return max(needs, key=levels.index)

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
            If a sentence lacks input that a member reads.
        """
        return in_pieces(self._orders, treebank, trees=self.reads == "trees")

    def _orders(self, treebank: Treebank) -> Orders:
        return agreed_orders(
            [member.model.orders(treebank) for member in self.members],
            weights=[member.weight for member in self.members],
            metric=self.metric,
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the metadata of all members, and their arrays as ``INDEX.NAME``."""
        entries: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        for index, member in enumerate(self.members):
            if isinstance(member.model, learned_order.OrderModel):
                kind = member.model.kind
                metadata, member_arrays = member.model.parts()
                arrays |= {f"{index}.{name}": array for name, array in member_arrays.items()}
            else:
                kind, metadata = RULES_KIND, {"name": member.model.name}
            entries.append({"kind": kind, "model": metadata, "weight": member.weight})
        return {"metric": self.metric, "members": entries}, arrays

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Rebuild the model from its saved state.

        Raises
        ------
        ModelError
            If the state is inconsistent.
        """
        members = [_load_member(entry, n, arrays) for n, entry in enumerate(about["members"])]
        metric = about["metric"]
        if not members or not isinstance(metric, str):
            raise ModelError("a consensus without members or metric")
        if metric not in AGREEMENT_WEIGHTS:
            # Refuse an unknown name when the model is loaded, not at the first sentence.
            order_similarity(metric)
        return cls(members, metric)

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> ConsensusLearner:
        """Return a learner of a consensus; see `ConsensusLearner` for the options."""
        return ConsensusLearner(examples, seed=seed, **options)


def _load_member(entry: dict[str, Any], index: int, arrays: dict[str, Array]) -> ConsensusMember:
    """Rebuild a member from its saved state."""
    weight = entry["weight"]
    if not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise ModelError(f"a member of the weight {weight!r}")
    if entry["kind"] == RULES_KIND:
        name = entry["model"]["name"]
        # Only built-in rules are loaded: a file of that name may have other contents.
        if name not in RULES.built_in:
            raise ModelError(f"a consensus with the rule set {name!r}, which is not installed")
        return ConsensusMember(open_rules(name), float(weight))
    model = rebuild_model(entry["kind"], entry["model"], select_arrays(arrays, f"{index}."))
    return ConsensusMember(model, float(weight))


def _fixed_member(name: str) -> learned_order.OrderModel | RuleSet:
    """Return a member that does not learn: built-in rules, or the source order."""
    if name == learned_order.Unchanged.kind:
        return learned_order.Unchanged()
    if name not in RULES.built_in:
        raise unknown_name(
            "member", name, [*LEARNED_MEMBERS, learned_order.Unchanged.kind, *RULES.built_in]
        )
    return open_rules(name)


def check_members(names: Iterable[str]) -> None:
    """Refuse names that cannot be members, with a `UsageError` that lists the valid ones.

    Examples
    --------
    >>> check_members(["linear", "unchanged", "R5"])
    """
    for name in names:
        if name not in LEARNED_MEMBERS:
            _fixed_member(name)


class ConsensusLearner:
    """Learns the members of a consensus from the same examples, one after the other.

    Parameters
    ----------
    examples : OrderExamples
    seed : int
    metric : str
        The metric of agreement; see `agreed_orders`.
    members : mapping of name to number, optional
        The number of members of each name: ``bracketing``, ``words`` (bracketing models that read
        only words), ``linear``, ``unchanged`` (the source order), and names of built-in rule sets:
        ``{"bracketing": 3, "R5": 1}``. If none of them learns, the default members (`MEMBERS`) are
        added.
    weights : mapping of name to float, optional
        The weight of the members of each name; by default that of `WEIGHTS`, or else 1.
    epochs : int, optional
        Passes of each member over the examples.
    settings : mapping of name to mapping, optional
        Further options of the learners, by name of the members.

    Raises
    ------
    UsageError
        If a member or the metric does not exist.
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
        counts = dict(members or {})
        if not set(counts) & set(LEARNED_MEMBERS):
            counts = {**MEMBERS, **counts}
        self._fixed = {
            name: _fixed_member(name)
            for name, count in counts.items()
            if name not in LEARNED_MEMBERS and count
        }
        self._kinds = [name for name in LEARNED_MEMBERS for _ in range(counts.get(name, 0))]
        if not self._kinds:
            raise UsageError("a consensus learns at least one linear or bracketing model")
        self._options = [
            {
                "epochs": epochs or MEMBER_EPOCHS[kind],
                **SETTINGS.get(kind, {}),
                **(settings or {}).get(kind, {}),
                "seed": SEED_FACTOR * seed + index,
            }
            for index, kind in enumerate(self._kinds)
        ]
        self._models: list[learned_order.OrderModel | RuleSet] = []
        self._learner: learned_order.OrderLearner | None = None

    @property
    def epochs(self) -> int:
        """The number of passes over the examples, of all members."""
        return sum(options["epochs"] for options in self._options)

    @property
    def work(self) -> float:
        """The approximate duration of all epochs, relative to the first epoch."""
        pairs = zip(self._kinds, self._options, strict=True)
        duration: float = sum(DURATIONS[kind] * options["epochs"] for kind, options in pairs)
        return duration / DURATIONS[self._kinds[0]]

    @property
    def is_whole(self) -> bool:
        """Whether no member is partly trained."""
        return self._learner is None

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples for the current member."""
        index = 0
        while epoch > self._options[index]["epochs"]:
            epoch -= self._options[index]["epochs"]
            index += 1
        if self._learner is None:
            self._learner = self._make_learner(index)
        counts = self._learner.learn(epoch, progress)
        if epoch == self._options[index]["epochs"]:
            self._models.append(self._learner.model())
            self._learner = None
        return counts

    def state(self) -> dict[str, Array]:
        """Return the arrays of the trained members, and of the member in training."""
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
        """Restore an earlier `state` of a learner with the same examples and options."""
        metadata = json.loads(arrays["said"].tobytes())
        if metadata["members"]:
            consensus = Consensus.from_parts(metadata, select_arrays(arrays, "done."))
            self._models = [member.model for member in consensus.members]
        if arrays["begun"][0]:
            self._learner = self._make_learner(len(self._models))
            self._learner.restore(select_arrays(arrays, "now."))

    def model(self) -> Consensus:
        """Return the consensus of the members so far."""
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

    def _make_learner(self, index: int) -> learned_order.OrderLearner:
        """Return the learner of a member."""
        kind, options = self._kinds[index], self._options[index]
        model_class: type[learned_order.OrderModel] = learned_order.ORDER_KINDS.load(
            "bracketing" if kind == "words" else kind
        )
        examples = self._examples
        if kind in RANDOMLY_WEIGHTED:
            weights = np.random.default_rng(options["seed"]).exponential(size=len(examples))
            examples = replace(examples, weights=examples.weights * weights)
        return model_class.learner(examples, **options)
