"""Thresholds that the scores of systems must reach."""

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
    """The worst value of a metric that is accepted.

    Attributes
    ----------
    metric : str
        The metric's name, with options if two metrics have the same name: ``cder(penalty=none)``.
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
            If the text has another form.
        """
        # Split at the last "=", because options of a metric contain "=" too.
        name, _, number_text = text.rpartition("=")
        try:
            value = float(number_text)
        except ValueError:
            value = math.nan
        if not name.strip() or not math.isfinite(value):
            raise UsageError(f"--fail-under={text}: expected METRIC=VALUE, such as frs=0.7")
        return cls(name.strip(), value)

    def metric_index(self, signatures: Sequence[Signature]) -> int:
        """Return the index of the metric among the scored ones.

        Raises
        ------
        UsageError
            If the metric is not scored, or several have this name; the message lists the names.
        """
        names = labels(signatures)
        name, lower_names = self.metric.lower(), [label.lower() for label in names]
        if name in lower_names:
            return lower_names.index(name)
        matches = [i for i, signature in enumerate(signatures) if signature.metric.lower() == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            legal = ", ".join(names[i] for i in matches)
            raise UsageError(f"--fail-under={self.metric}: which of them? legal names: {legal}")
        raise unknown_name("metric of --fail-under", self.metric, names)


def check_thresholds(thresholds: Sequence[Threshold], signatures: Sequence[Signature]) -> None:
    """Raise a UsageError for a threshold of a metric that is not scored."""
    for threshold in thresholds:
        threshold.metric_index(signatures)


def missed_thresholds(scores: Scores, thresholds: Sequence[Threshold]) -> list[str]:
    """Return one line per system and threshold that the system misses.

    For metrics of which lower values are better, the threshold is the highest accepted value.

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
    signatures = [metric.signature() for metric in scores.metrics]
    lines = []
    for threshold in thresholds:
        index = threshold.metric_index(signatures)
        higher_is_better = scores.metrics[index].higher_is_better
        for system in scores.evaluation.systems:
            value = system.scores[index].value
            # NaN misses every threshold.
            if not (value >= threshold.value if higher_is_better else value <= threshold.value):
                comparison = f"{'less' if higher_is_better else 'more'} than {threshold.value:g}"
                result = f"is {number(value)}, {comparison}"
                if math.isnan(value):
                    result = "has no value: all segments are skipped"
                lines.append(f"{system.name}: {threshold.metric} {result}")
    return lines
