"""Grid: every parser with every rule set, scored on the same sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.metrics.base import Metric
from wordorder.metrics.systems import Evaluation
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import Estimate


@dataclass(frozen=True, eq=False)
class Grid:
    """The scores of parsers × rule sets, as in Talbot et al. (2011), section 4.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.
    evaluation : Evaluation
        P × R systems, parser by parser: system ``p * R + r`` has parser ``p`` and rules ``r``.
        Each is called ``PxRy`` (`system_name`).
    metrics : tuple of Metric
    estimates : for each metric, an Estimate a system
    by_rules : for each metric, a Comparison of the parsers under each rule set
        Empty with one parser.
    by_parser : for each metric, a Comparison of the rule sets under each parser
        Empty with one rule set.
    level : float
        Of the intervals: .95.
    resamples, seed : int
    """

    parsers: tuple[str, ...]
    rules: tuple[str, ...]
    evaluation: Evaluation
    metrics: tuple[Metric, ...]
    estimates: Sequence[Sequence[Estimate]]
    by_rules: Sequence[Sequence[Comparison]]
    by_parser: Sequence[Sequence[Comparison]]
    level: float
    resamples: int
    seed: int


def system_name(parser: str, rules: str) -> str:
    """Name a system after its parser and its rules, as Talbot et al. (2011) do.

    Examples
    --------
    >>> system_name("P1", "R5"), system_name("udpipe", "head-final")
    ('P1R5', 'udpipe/head-final')
    """
    short = rules[:1] == "R" and rules[1:].isdigit() and parser[:1] == "P" and parser[1:].isdigit()
    return f"{parser}{rules}" if short else f"{parser}/{rules}"
