"""Metrics by their names, with options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric


Metrics = str | Sequence[str]


def make_metrics(given: Metrics, settings: Sequence[str], columns: set[str]) -> list[BaseMetric]:
    """Make the metrics of ``-m`` with the options of ``-O``.

    Parameters
    ----------
    given : str or sequence of str
        Names separated by commas, sums of metrics, names with options in parentheses, or "all".
    settings : sequence of str
        ``[METRIC.]KEY=VALUE``.
    columns : set of str
        What the input can serve; "all" means the metrics that need no more.

    Raises
    ------
    UsageError
        If a name, an option or a value is unknown, or an option fits none of the metrics.
    """
    from wordorder.metrics import METRICS, metric, metrics_for
    from wordorder.metrics.formula import is_formula, named_metric
    from wordorder.metrics.options import defaults

    names = joined_names(given)
    wanted = metric_names(given)
    if "all" in wanted:
        served = metrics_for(columns)
        wanted = [*served, *(name for name in wanted if name not in ("all", *served))]
    if not wanted:
        raise UsageError("-m names no metric")
    if len(set(wanted)) < len(wanted):
        raise UsageError(f"-m names a metric twice: {names}")
    written_out = {name for name in wanted if "(" in name or is_formula(name)}
    options: dict[str, dict[str, str]] = {n: {} for n in wanted if n not in written_out}
    for name in options:
        _refuse_bare_sum(name)
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"-O={setting}: expected [METRIC.]KEY=VALUE")
        name, dot, option = key.rpartition(".")
        name = METRICS.spelling(name) if dot else name
        if dot and name not in options:
            raise UsageError(f"-O={setting}: {name!r} is not among the metrics {names}")
        takers = [name] if dot else [n for n in options if option in defaults(METRICS.load(n))]
        if not takers:
            raise UsageError(f"-O={setting}: none of the metrics {names} has an option {option!r}")
        for taker in takers:
            options[taker][option] = value
    made: list[BaseMetric] = []
    for name in wanted:
        if is_formula(name):
            made.append(metric("mix", formula=name))
        elif name in written_out:
            made.append(named_metric(name))
        else:
            made.append(metric(name, **options[name]))
    return made


def _refuse_bare_sum(name: str) -> None:
    """Raise a UsageError for metrics that are joined by signs without their weights."""
    members = name.split("+")
    if len(members) < 2:
        return
    from wordorder.metrics import METRICS

    legal = METRICS.names()
    if name not in legal and all(METRICS.spelling(m.strip()) in legal for m in members):
        weighted = "+".join(f"1*{member.strip()}" for member in members)
        raise UsageError(f"-m={name}: the metrics of a sum have weights: {weighted}")


def leaves_open(given: Metrics) -> bool:
    """Return whether ``-m`` leaves it to the files which metrics there are."""
    return not given or "all" in metric_names(given)


def metric_names(given: Metrics) -> list[str]:
    """Return what ``-m`` names, one by one: plain names as they are registered, and "all".

    Examples
    --------
    >>> metric_names("BLEU,0.5*TER+0.5*PER, All")
    ['bleu', '0.5*TER+0.5*PER', 'all']
    """
    from wordorder.metrics import METRICS
    from wordorder.metrics.formula import is_plain_name, split_names

    names = [name for name in split_names(joined_names(given)) if name]
    known = ["all" if name.lower() == "all" else name for name in names]
    return [
        METRICS.spelling(name) if name != "all" and is_plain_name(name) else name for name in known
    ]


def joined_names(given: Metrics) -> str:
    """Return the names of metrics as one text, separated by commas."""
    return given if isinstance(given, str) else ",".join(given)
