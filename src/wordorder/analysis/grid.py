"""Grid: every parser with every rule set, scored on the same sentences."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

from wordorder.metrics.contract import BaseMetric
from wordorder.records import Columns, Record, column_names, columns_of, key
from wordorder.scoring.systems import Evaluation
from wordorder.signature import Signature
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.paired_tests import Comparison


@dataclass(frozen=True, kw_only=True)
class GridScore(Record):
    """The value of a system under a metric."""

    system: str = key("the system: parser and rules")
    parser: str = key("its parser")
    rules: str = key("its rules")
    metric: str = key("the metric's name")
    value: float = key("the corpus score", null=True)
    low: float = key("the lower end of the interval", null=True)
    high: float = key("the upper end of the interval", null=True)
    scored: int = key("sentences that were scored")
    skipped: int = key("sentences that this metric left out")
    dropped: int = key("words that only one of system and reference has", column=False)
    signature: str = key("what produced the number")


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

    def scores(self, metric: int) -> tuple[GridScore, ...]:
        """Return the values of all systems under a metric, by its number."""
        names = product(self.parsers, self.rules)
        rows = []
        for system, estimate, (parser, rules) in zip(
            self.evaluation.systems, self.estimates[metric], names, strict=True
        ):
            score = system.scores[metric]
            row = GridScore(
                system=system.name,
                parser=parser,
                rules=rules,
                metric=score.signature.metric,
                value=estimate.value,
                low=estimate.low,
                high=estimate.high,
                scored=score.segments - score.skipped,
                skipped=score.skipped,
                dropped=system.dropped,
                signature=str(score.signature),
            )
            rows.append(row)
        return tuple(rows)

    def to_columns(self) -> Columns:
        """Return a row for each metric and system, as columns: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            The keys of `GridScore` without ``dropped``.
        """
        rows = [(row,) for metric in range(len(self.metrics)) for row in self.scores(metric)]
        return columns_of(column_names(GridScore), rows)

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
