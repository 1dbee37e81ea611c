"""*consensus*: several models, and the order that they agree on best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wordorder.errors import ModelError
from wordorder.order.orders import Orders
from wordorder.reordering.base import RuleSet
from wordorder.reordering.learned.base import READS, OrderModel
from wordorder.reordering.learned.consensus.agreement import WORTH, agreed_orders, order_similarity
from wordorder.reordering.learned.pieces import in_pieces
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.reordering.learned.consensus.learner import ConsensusLearner
    from wordorder.reordering.learned.examples import OrderExamples

# What descriptions call a rule set, of which they keep the name.
WRITTEN = "rules"


@dataclass(frozen=True)
class Member:
    """One that takes part in a consensus.

    Attributes
    ----------
    model : OrderModel or RuleSet
    weight : float
        How much its order counts, more than 0.
    """

    model: OrderModel | RuleSet
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

    members: Sequence[Member]
    metric: str = "frs"

    @property
    def reads(self) -> str:
        """What the members need of a sentence: the most of what any of them needs."""
        needs = [getattr(member.model, "reads", READS[-1]) for member in self.members]
        return max(needs, key=READS.index)

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
        said: list[dict[str, Any]] = []
        arrays: dict[str, Array] = {}
        for number, member in enumerate(self.members):
            if isinstance(member.model, OrderModel):
                own, parts = member.model.parts()
                said.append({"kind": member.model.kind, "model": own, "weight": member.weight})
                arrays |= {f"{number}.{name}": array for name, array in parts.items()}
            else:
                entry = {"kind": WRITTEN, "model": {"name": member.model.name}}
                said.append({**entry, "weight": member.weight})
        return {"metric": self.metric, "members": said}, arrays

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
        if metric not in WORTH:
            # An unknown name is found now, and not at the first sentence.
            order_similarity(metric)
        return cls(members, metric)

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> ConsensusLearner:
        """Return what learns such a model; see `ConsensusLearner` for the options."""
        from wordorder.reordering.learned.consensus.learner import ConsensusLearner

        return ConsensusLearner(examples, seed=seed, **options)


def _member(entry: dict[str, Any], number: int, arrays: dict[str, Array]) -> Member:
    """Make a member of its parts."""
    from wordorder.reordering.learned.model_file import model_of
    from wordorder.reordering.rules import RULES, open_rules

    weight = entry["weight"]
    if not isinstance(weight, int | float) or not 0 < weight < float("inf"):
        raise ModelError(f"a member of the weight {weight!r}")
    if entry["kind"] == WRITTEN:
        name = entry["model"]["name"]
        # Only what comes with the package: a file of that name may be anybody's.
        if name not in RULES.built_in:
            raise ModelError(f"a consensus with the rule set {name!r}, which is not installed")
        return Member(open_rules(name), float(weight))
    start = f"{number}."
    own = {name[len(start) :]: part for name, part in arrays.items() if name.startswith(start)}
    return Member(model_of(entry["kind"], entry["model"], own), float(weight))
