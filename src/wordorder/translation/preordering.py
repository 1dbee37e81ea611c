"""Reorder source sentences before translation and before training."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wordorder.arrays import Array, OnProgress
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.order.orders import Orders
from wordorder.reordering.learned.learned_order import LearnedOrder, rebuild_model
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.reordered_text import RuleOrders
from wordorder.reordering.rule_reading import rules_of
from wordorder.reordering.rule_writing import rules_text
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.text.opening import Path
from wordorder.text.raw_lines import RawLines
from wordorder.text.toml import parse_toml
from wordorder.text.vocabulary import number_lines
from wordorder.treebank.treebank import Column, Treebank

# The prefix of a learned order's arrays in the file of a model.
PREFIX = "order."


@dataclass(frozen=True, eq=False)
class Preordering:
    """Rules or a learned order, with the parser whose trees they read.

    Parameters
    ----------
    rules : RuleSet
    parser : str, optional
        See `wordorder.parsing.open_parser`; by default the parser of a learned order, or the
        bundled English model.

    Examples
    --------
    >>> orders = Preordering.open("R5").begin("a.txt").orders(RawLines.from_strings(["He saw it"]))
    >>> orders[0].positions
    (0, 2, 1)
    """

    rules: RuleSet
    parser: str | None = None

    @classmethod
    def open(cls, order: RuleSet | Path, parser: Path | None = None) -> Preordering:
        """Open rules; see `wordorder.reordering.rules.open_rules`.

        Raises
        ------
        UsageError
            If the rules do not exist.
        InputError
            If a file of rules is invalid.
        ModelError
            If the file of a learned order is damaged.
        """
        return cls(open_rules(order), None if parser is None else os.fspath(parser))

    @property
    def name(self) -> str:
        """The name of the rules."""
        return self.rules.name

    def orders(
        self, lines: RawLines | Treebank, name: str, progress: OnProgress | None = None
    ) -> Orders:
        """Return the orders of all lines, or trees, of a file; see `Preorderer.orders`."""
        preorderer = self.begin(name, "conllu" if isinstance(lines, Treebank) else "text")
        orders = preorderer.orders(lines, progress)
        preorderer.finish()
        return orders

    def begin(self, name: str, kind: str = "text") -> Preorderer:
        """Return a `Preorderer` for the lines of a file called `name`.

        Raises
        ------
        UsageError
            If the parser does not exist.
        ModelError
            If the parser cannot be used.
        """
        return Preorderer(self.rules, name, kind, self.parser)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return JSON-serialisable metadata, and arrays by name."""
        metadata: dict[str, Any] = {"name": self.name, "parser": self.parser}
        if isinstance(self.rules, LearnedOrder):
            learned = self.rules
            model, arrays = learned.model.parts()
            metadata |= {"kind": learned.kind, "model": model, "about": learned.about}
            metadata["identity"] = learned.identity
            return metadata, {f"{PREFIX}{name}": array for name, array in arrays.items()}
        if isinstance(self.rules, PrecedenceRules):
            metadata["rules"] = rules_text(self.rules.file)
        return metadata, {}

    @classmethod
    def from_parts(cls, metadata: Mapping[str, Any], arrays: dict[str, Array]) -> Preordering:
        """Rebuild a preordering from the result of `parts`; everything is checked.

        Raises
        ------
        ModelError
            If the parts are invalid.
        UsageError
            If it needs rules of another package that is not installed.
        """
        name, parser = metadata.get("name"), metadata.get("parser")
        if not isinstance(name, str) or not isinstance(parser, str | None):
            raise ModelError("the description of the order is damaged")
        if "kind" in metadata:
            about, identity = metadata.get("about"), metadata.get("identity")
            if not isinstance(about, dict) or not isinstance(identity, str):
                raise ModelError("the description of the order is damaged")
            learned = rebuild_model(metadata["kind"], metadata.get("model"), arrays)
            return cls(LearnedOrder(name, learned, about, identity), parser)
        if "rules" not in metadata:
            return cls(open_rules(name), parser)
        try:
            return cls(PrecedenceRules(rules_of(parse_toml(name, str(metadata["rules"])))), parser)
        except InputError as error:
            raise ModelError(f"the rules are damaged: {error}") from None


class Preorderer(RuleOrders):
    """Reorders lines with rules, batch by batch."""

    def orders(self, lines: RawLines | Treebank, progress: OnProgress | None = None) -> Orders:
        """Return the orders of the next sentences, of all words and without ties.

        `lines` are words separated by spaces, or trees. `progress` is called with the number of
        sentences done.

        Raises
        ------
        InputError
            If a sentence cannot be parsed, or the rules do not return a valid order.
        """
        batches = []
        for start in range(0, len(lines), self.batch):
            part: RawLines | Treebank = lines[start : start + self.batch]
            if not isinstance(part, Treebank):
                numbers, vocabulary = number_lines(part)
                part = Treebank.of_form(Column(numbers.values, vocabulary), numbers.offsets)
            batches.append(self.take(part)[1])
            if progress is not None:
                progress(start + len(part))
        return Orders.concatenate(batches) if batches else Orders.from_rows([])


def open_order(order: RuleSet | Path | None, parser: Path | None) -> Preordering | None:
    """Return the preordering of `order` and `parser`; None without `order`.

    Raises
    ------
    UsageError
        If a parser is named and no order.
    """
    if order is None:
        if parser is not None:
            raise UsageError("a parser is for an order: name the rules or the learned order too")
        return None
    return Preordering.open(order, parser)
