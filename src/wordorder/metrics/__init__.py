"""Metrics in families; each is additive statistics and a function of their sum.

`contract` says what a metric is, `registry` finds it by name, and each family has a folder:
`order`, `text`, `trees`, `links`. A metric knows segments and nothing of files, intervals or
tables: these are `scoring`, `statistics` and `report`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.metrics.registry import METRICS

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric

__all__ = ["METRICS", "metric", "metrics_for"]

# What these measure, only their options say.
_UNSAID = ("mix", "label-f1")


def metric(name: str, **options: Any) -> BaseMetric:
    """Make a metric by name.

    Parameters
    ----------
    name : str
        As ``wordorder list metrics`` shows it, in any case (``"BLEU"``), perhaps with options in
        parentheses, ``"cder(penalty=length)"``; or a weighted sum, ``"0.6*cder+0.4*per"``; or a
        relation of Universal Dependencies, whose F1 is meant: ``nsubj``.
    options
        The metric's options, by keyword; text is taken for numbers and switches too.

    Returns
    -------
    BaseMetric

    Raises
    ------
    UsageError
        If the name, an option or a value is unknown; the message has those that are near.

    Examples
    --------
    >>> str(metric("frs", ties="rank").signature())
    'frs|match:index|ties:rank|average:segment|degenerate:standard|v:0.2.0'
    """
    if isinstance(name, str) and not set(name).isdisjoint("*+("):
        from wordorder.metrics.mix import is_formula, named_metric, refuse_bare_sum

        if is_formula(name):
            return metric("mix", formula=name, **options)
        refuse_bare_sum(name)
        if options:
            raise UsageError(f"{name}: options go into its parentheses, or all beside the name")
        return named_metric(name)
    return METRICS.converted(name, options)


def metrics_for(columns: Collection[str]) -> list[str]:
    """Return the names of the metrics that read no more than some columns, without the slow ones.

    Parameters
    ----------
    columns : names among "permutation", "text", "lines", "links", "gold" and "trees"
        As `wordorder.segments.Segments` has them; ``gold``: gold alignments to be compared with.

    Warns
    -----
    WordOrderWarning
        If a metric of another package cannot be used; it is passed over.

    Examples
    --------
    >>> metrics_for({"gold"})
    ['aer', 'precision', 'recall']
    """
    served = []
    for name in METRICS.names():
        if name in _UNSAID:
            continue
        try:
            made = metric(name)
        except UsageError as error:
            if name in METRICS.built_in:
                raise
            METRICS.pass_over(name, error)
            continue
        if set(made.columns) <= set(columns) and not made.slow:
            served.append(name)
    return served
