"""A learned order as rule sets are used: a model, its name, and what it was trained on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from wordorder.order.orders import Orders
from wordorder.reordering.learned.base import OrderModel
from wordorder.reordering.learned.kinds import LEARNED
from wordorder.reordering.learned.pieces import note_long
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class LearnedOrder:
    """A model that puts the words of sentences in order, used wherever a rule set is.

    Attributes
    ----------
    name : str
        What tables and signatures call it: ``en-ja``.
    model : OrderModel
    about : dict
        What its file says: ``data``, ``licence``, ``rule``, ``unaligned``, ``metric``, ``seed``,
        ``parser``, ``wordorder`` (the version that trained it), and more.
    identity : str
        Eight hexadecimal digits that tell its file from all others.
    """

    name: str
    model: OrderModel
    about: dict[str, Any] = field(default_factory=dict)
    identity: str = "unsaved"

    @property
    def kind(self) -> str:
        """The kind of the model: ``linear``, ``bracketing``, ``consensus``."""
        return self.model.kind

    @property
    def reads(self) -> str:
        """What it needs of a sentence: ``words``, ``tags`` or ``trees``."""
        return self.model.reads

    @property
    def parser(self) -> str | None:
        """The parser whose trees it was trained on; None if it never saw one."""
        name = self.about.get("parser")
        return name if isinstance(name, str) else None

    @property
    def tagger(self) -> str | None:
        """What tagged the sentences that it was trained on, where it saw no trees."""
        name = self.about.get("tagger")
        return name if isinstance(name, str) else None

    @property
    def summary(self) -> str:
        """What it is and what it was trained on, in one line, as its file says."""
        said = self.about.get("title")
        if isinstance(said, str):
            return said
        data = self.about.get("data")
        files = ", ".join(map(str, data)) if isinstance(data, list) else "unknown data"
        return f"a learned order ({self.kind}), trained on {files}"

    @property
    def provenance(self) -> tuple[tuple[str, str], ...]:
        """What the orders say of how they came about."""
        return (("rules", f"{self.name}@{self.identity}"),)

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks what the model reads, such as a tree.

        Warns
        -----
        WordOrderWarning
            If a sentence has more than 512 words: it is ordered in pieces, which keep their order.
        """
        if self.kind in LEARNED.built_in:
            note_long(treebank.lengths)
        found = self.model.orders(treebank)
        return Orders(found.positions, found.ranks, self.provenance)

    def __repr__(self) -> str:
        return f"LearnedOrder({self.name}: {self.kind})"
