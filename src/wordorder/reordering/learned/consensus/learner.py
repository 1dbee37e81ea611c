"""Learning the members of a consensus, one after the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError, unknown_name
from wordorder.parsing.learner import Tally
from wordorder.reordering.base import RuleSet
from wordorder.reordering.learned.base import OrderLearner, OrderModel
from wordorder.reordering.learned.consensus.agreement import WORTH, order_similarity
from wordorder.reordering.learned.consensus.model import Consensus, Member
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.learned.kinds import LEARNED
from wordorder.reordering.rules import RULES, open_rules
from wordorder.types import Array, OnProgress

# How many models of each kind are members unless told otherwise. Those of one kind differ in the
# order in which they see the sentences.
MEMBERS: Mapping[str, int] = {"bracketing": 6, "linear": 2}
# How much each counts, and what its learner is told, unless said otherwise: the bracketing models
# are better and differ more, and their agreement takes the place of averaged runs.
WEIGHTS: Mapping[str, float] = {"linear": 0.5}
SETTINGS: Mapping[str, Mapping[str, Any]] = {"bracketing": {"runs": 1, "straight": 0.0}}
# Random choices of one member depend on the seed times this, plus its number.
STRIDE = 1009
LEARNED_MEMBERS = ("bracketing", "linear")
EPOCHS = {"bracketing": 10, "linear": 15}


class ConsensusLearner:
    """Learns several models on the same examples, and lets them agree.

    Parameters
    ----------
    examples : OrderExamples
    seed : int
    metric : str
        What the members agree under, as `agreed_orders` takes it.
    members : mapping of kind to number, optional
        How many models of ``linear`` and ``bracketing`` there are, and which of the package's rule
        sets join in: ``{"bracketing": 3, "R5": 1}``. Rule sets alone join the default members.
    weights : mapping of kind to float, optional
        How much each of them counts; 1 unless given, and 0.5 for ``linear``.
    epochs : int, optional
        Passes of each member over the examples.
    settings : mapping of kind to mapping, optional
        Further options of the learners of a kind.

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
        if metric not in WORTH:
            order_similarity(metric)
        self._metric = metric
        self._examples = examples
        self._weights = {**WEIGHTS, **(weights or {})}
        chosen = dict(members or {})
        if not set(chosen) & set(LEARNED_MEMBERS):
            chosen = {**MEMBERS, **chosen}
        self._rules = [
            name for name, count in chosen.items() if name not in LEARNED_MEMBERS and count
        ]
        for name in self._rules:
            if name not in RULES.built_in:
                raise unknown_name("member", name, [*LEARNED_MEMBERS, *RULES.built_in])
        self._kinds = [kind for kind in LEARNED_MEMBERS for _ in range(chosen.get(kind, 0))]
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
        self._models: list[OrderModel | RuleSet] = []
        self._learner: OrderLearner | None = None

    @property
    def epochs(self) -> int:
        """How many passes over the examples all members need."""
        return sum(options["epochs"] for options in self._options)

    @property
    def is_whole(self) -> bool:
        """Whether each member so far has had all its passes."""
        return self._learner is None

    def learn(self, epoch: int, progress: OnProgress | None = None) -> Tally:
        """Do one pass over the examples for the member whose turn it is."""
        number = 0
        while epoch > self._options[number]["epochs"]:
            epoch -= self._options[number]["epochs"]
            number += 1
        if self._learner is None:
            self._learner = self._made(number)
        tally = self._learner.learn(epoch, progress)
        if epoch == self._options[number]["epochs"]:
            self._models.append(self._learner.model())
            self._learner = None
        return tally

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns: the members so far, and the one at work."""
        said, arrays = Consensus([Member(model) for model in self._models], self._metric).parts()
        found = {f"done.{name}": array for name, array in arrays.items()}
        found["said"] = np.frombuffer(json.dumps(said).encode(), np.uint8)
        found["begun"] = np.array([self._learner is not None], np.int8)
        if self._learner is not None:
            found |= {f"now.{name}": array for name, array in self._learner.state().items()}
        return found

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state`.

        Raises
        ------
        ModelError
            If it is of other examples or options.
        """
        try:
            said = json.loads(arrays["said"].tobytes())
            if said["members"]:
                whole = Consensus.from_parts(said, _named(arrays, "done."))
                self._models = [member.model for member in whole.members]
            if arrays["begun"][0]:
                self._learner = self._made(len(self._models))
                self._learner.restore(_named(arrays, "now."))
        except (KeyError, ValueError, IndexError, TypeError) as error:
            raise ModelError(f"the state of the training is damaged ({error})") from None

    def model(self) -> Consensus:
        """Return the members so far, and how they agree."""
        models = list(self._models)
        if self._learner is not None:
            models.append(self._learner.model())
        members = [
            Member(model, self._weights.get(kind, 1.0))
            for model, kind in zip(models, self._kinds, strict=False)
        ]
        members += [Member(open_rules(name), self._weights.get(name, 1.0)) for name in self._rules]
        return Consensus(members, self._metric)

    def _made(self, number: int) -> OrderLearner:
        """Return what learns a member."""
        made: type[OrderModel] = LEARNED.load(self._kinds[number])
        return made.learner(self._examples, **self._options[number])


def _named(arrays: dict[str, Array], start: str) -> dict[str, Array]:
    """Return the arrays whose names have this start, without it."""
    return {name[len(start) :]: array for name, array in arrays.items() if name.startswith(start)}
