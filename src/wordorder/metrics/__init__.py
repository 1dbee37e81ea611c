"""One metric a file; all of them statistics and a function of their sum."""

from __future__ import annotations

from typing import Any

from wordorder.registry import Registry

METRICS = Registry(
    "metric",
    "wordorder.metrics",
    {
        "frs": "wordorder.metrics.frs:FuzzyReorderingScore",
        "frs-boundary": "wordorder.metrics.frs_boundary:BoundaryReorderingScore",
        "kendall": "wordorder.metrics.kendall:Kendall",
        "kendall-sqrt": "wordorder.metrics.kendall_sqrt:KendallSqrt",
        "spearman": "wordorder.metrics.spearman:Spearman",
        "hamming": "wordorder.metrics.hamming:Hamming",
        "ulam": "wordorder.metrics.ulam:Ulam",
        "exact": "wordorder.metrics.exact:Exact",
        "pet": "wordorder.metrics.pet:TreeNodes",
        "pets": "wordorder.metrics.pets:TreeCount",
        "maxop": "wordorder.metrics.maxop:LargestOperator",
        "pef-recursive": "wordorder.metrics.pef_recursive:RecursiveForest",
    },
)


def metric(name: str, **options: Any) -> Any:
    """Make a metric by name.

    Parameters
    ----------
    name : str
        As ``wordorder list metrics`` shows it.
    options
        The metric's options, by keyword; text is taken for numbers and switches too.

    Returns
    -------
    Metric

    Raises
    ------
    UsageError
        If the name, an option or a value is unknown; the message lists the legal ones.

    Examples
    --------
    >>> str(metric("frs", ties="rank").signature())
    'frs|match:index|ties:rank|average:segment|degenerate:standard|v:0.1.0'
    """
    from wordorder.metrics.options import convert

    factory = METRICS.load(name)
    return factory(**convert(name, factory, options))
