"""Grid: every parser with every rule set, scored on the same sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from wordorder.metrics.contract import BaseMetric
from wordorder.scoring.result_columns import columns
from wordorder.scoring.systems import Evaluation
from wordorder.signature import Signature
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.paired_tests import Comparison


@dataclass(frozen=True, eq=False)
class ParserRuleGrid:
    """Parsers × rule sets: system ``p * R + r`` has parser ``p`` and rules ``r``.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.

    Examples
    --------
    >>> grid = ParserRuleGrid(("P1", "P2"), ("R1", "R2", "R3"))
    >>> [list(group) for group in grid.under_rules]
    [[0, 3], [1, 4], [2, 5]]
    >>> [list(group) for group in grid.with_parser], grid.parser_of(3)
    ([[0, 1, 2], [3, 4, 5]], 'P2')
    """

    parsers: tuple[str, ...]
    rules: tuple[str, ...]

    @property
    def under_rules(self) -> list[range]:
        """Indices of the systems under each rule set."""
        size, step = len(self.parsers) * len(self.rules), len(self.rules)
        return [range(first, size, step) for first in range(step)]

    @property
    def with_parser(self) -> list[range]:
        """Indices of the systems with each parser."""
        size, step = len(self.parsers) * len(self.rules), len(self.rules)
        return [range(first, first + step) for first in range(0, size, step)]

    def parser_of(self, system: int) -> str:
        """Return the parser of a system, given its index."""
        return self.parsers[system // len(self.rules)]


@dataclass(frozen=True, eq=False)
class Grid(ParserRuleGrid):
    """The scores of parsers × rule sets, as in Talbot et al. (2011), section 4.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.
    evaluation : Evaluation
        P × R systems, parser by parser, named by `system_name`.
    metrics : tuple of BaseMetric
    estimates : for each metric, an Estimate a system
    by_rules : for each metric, a Comparison of the parsers under each rule set
        Empty with one parser.
    by_parser : for each metric, a Comparison of the rule sets under each parser
        Empty with one rule set.
    level : float
        Level of the intervals: .95.
    resamples, seed : int
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    estimates: Sequence[Sequence[Estimate]]
    by_rules: Sequence[Sequence[Comparison]]
    by_parser: Sequence[Sequence[Comparison]]
    level: float
    resamples: int
    seed: int

    def to_columns(self) -> dict[str, list[Any]]:
        """Return one row per metric and system, as columns for ``pandas.DataFrame``.

        Returns
        -------
        dict of str to list
            ``system``, ``parser``, ``rules``, ``metric``, ``value``, ``low``, ``high``, ``scored``
            and ``skipped`` sentences, ``signature``.
        """
        header = [
            *("system", "parser", "rules", "metric", "value", "low", "high"),
            *("scored", "skipped", "signature"),
        ]
        rows: list[list[Any]] = []
        for m, estimates in enumerate(self.estimates):
            for system, estimate, (parser, rules) in zip(
                self.evaluation.systems, estimates, product(self.parsers, self.rules), strict=True
            ):
                score = system.scores[m]
                rows.append(
                    [
                        *(system.name, parser, rules, score.signature.metric),
                        *(estimate.value, estimate.low, estimate.high),
                        *(score.segments - score.skipped, score.skipped, str(score.signature)),
                    ]
                )
        return columns(header, rows)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """For each metric, the fields that the signatures of all systems share."""
        signatures = []
        for m in range(len(self.metrics)):
            system_signatures = [system.scores[m].signature for system in self.evaluation.systems]
            shared = [
                f
                for f in system_signatures[0].fields
                if all(f in signature.fields for signature in system_signatures)
            ]
            signatures.append(replace(system_signatures[0], fields=tuple(shared)))
        return tuple(signatures)


def system_name(parser: str, rules: str) -> str:
    """Name a system after its parser and its rules, as Talbot et al. (2011) do.

    Examples
    --------
    >>> system_name("P1", "R5"), system_name("udpipe", "head-final")
    ('P1R5', 'udpipe/head-final')
    """
    short = rules[:1] == "R" and rules[1:].isdigit() and parser[:1] == "P" and parser[1:].isdigit()
    return f"{parser}{rules}" if short else f"{parser}/{rules}"
