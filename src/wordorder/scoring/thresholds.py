"""Scores that must be reached."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordorder.errors import UsageError, unknown_name
from wordorder.messages import number
from wordorder.signature import Signature, labels

if TYPE_CHECKING:
    from wordorder.scoring.scores import Scores


@dataclass(frozen=True)
class Threshold:
    """The worst value of a metric that is good enough.

    Attributes
    ----------
    metric : str
        Its name, with options where two of the same name are scored: ``cder(penalty=none)``.
    value : float

    Examples
    --------
    >>> Threshold.parse("frs=0.7")
    Threshold(metric='frs', value=0.7)
    """

    metric: str
    value: float

    @classmethod
    def parse(cls, text: str) -> Threshold:
        """Read ``METRIC=VALUE``.

        Raises
        ------
        UsageError
            If it is anything else.
        """
        # From the right: options of a metric have signs of equality too.
        name, _, given = text.rpartition("=")
        try:
            value = float(given)
        except ValueError:
            value = math.nan
        if not name.strip() or not math.isfinite(value):
            raise UsageError(f"--fail-under={text}: expected METRIC=VALUE, such as frs=0.7")
        return cls(name.strip(), value)

    def place(self, signatures: Sequence[Signature]) -> int:
        """Return which of the scored metrics is meant.

        Raises
        ------
        UsageError
            If it is not scored, or several have this name; the message lists the names.
        """
        names = labels(signatures)
        wanted, small = self.metric.lower(), [name.lower() for name in names]
        if wanted in small:
            return small.index(wanted)
        known = [i for i, signature in enumerate(signatures) if signature.metric.lower() == wanted]
        if len(known) == 1:
            return known[0]
        if known:
            legal = ", ".join(names[i] for i in known)
            raise UsageError(f"--fail-under={self.metric}: which of them? legal names: {legal}")
        raise unknown_name("metric of --fail-under", self.metric, names)


def check_thresholds(thresholds: Sequence[Threshold], signatures: Sequence[Signature]) -> None:
    """Raise a UsageError for a threshold of a metric that is not scored."""
    for threshold in thresholds:
        threshold.place(signatures)


def missed_thresholds(found: Scores, thresholds: Sequence[Threshold]) -> list[str]:
    """Say which systems are worse than a threshold, a line for each.

    Of metrics where less is better, more than the threshold is worse.

    Raises
    ------
    UsageError
        If a metric is not scored.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> from wordorder.scoring.scores import score_files
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> found = score_files(system, reference, "frs")
    >>> missed_thresholds(found, [Threshold("frs", 0.5)])
    []
    >>> missed_thresholds(found, [Threshold("frs", 0.8)])
    ['head-final: frs is 0.7587, less than 0.8']
    """
    signatures = [metric.signature() for metric in found.metrics]
    missed = []
    for threshold in thresholds:
        place = threshold.place(signatures)
        higher = found.metrics[place].higher_is_better
        for system in found.evaluation.systems:
            value = system.scores[place].value
            # A value that is no number is never good enough.
            if not (value >= threshold.value if higher else value <= threshold.value):
                than = f"{'less' if higher else 'more'} than {threshold.value:g}"
                said = f"is {number(value)}, {than}"
                if math.isnan(value):
                    said = "has no value: all segments are skipped"
                missed.append(f"{system.name}: {threshold.metric} {said}")
    return missed
