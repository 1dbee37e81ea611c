"""The scores of all systems under every metric, with intervals and tests on the same resamples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.analysis.score_intervals import ScoreIntervals
from wordorder.analysis.translations.translations import Translations
from wordorder.signature import labels
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import estimated_on
from wordorder.statistics.paired_tests import compared_on
from wordorder.statistics.resampling import bootstrap_scores


@dataclass(frozen=True)
class TestedScores:
    """What the systems score, and which differences are more than chance.

    Attributes
    ----------
    intervals : tuple of ScoreIntervals
        One a metric.
    comparisons : tuple of Comparison
        One a metric: paired bootstrap tests of all pairs of systems.
    level : float
        Of the intervals.
    resamples, seed : int
    """

    # Not a test, whatever pytest takes the name for.
    __test__ = False

    intervals: tuple[ScoreIntervals, ...]
    comparisons: tuple[Comparison, ...]
    level: float
    resamples: int
    seed: int

    @classmethod
    def of(
        cls,
        translations: Translations,
        *,
        level: float = 0.95,
        resamples: int = 1000,
        seed: int = 12345,
    ) -> TestedScores:
        """Resample the segments once for all metrics and systems.

        Examples
        --------
        >>> from wordorder.analysis.translations.given_translations import translations_of
        >>> lines = {"A": ["b a", "a b"], "B": ["a b", "a b"]}
        >>> found = TestedScores.of(translations_of(lines, ["a b", "a b"], metrics="frs,cder"))
        >>> [(each.metric, each.ranked()) for each in found.intervals]
        [('frs', [1, 0]), ('cder', [1, 0])]
        """
        count = len(translations.metrics)
        measurements = [translations.measurement(number) for number in range(count)]
        samples = bootstrap_scores(measurements, resamples=resamples, seed=seed)
        drawn = list(zip(measurements, samples, strict=True))
        signatures: Sequence[object] = translations.signatures
        intervals = tuple(
            ScoreIntervals(
                label,
                translations.names,
                tuple(estimated_on(*each, level)),
                each[0].higher_is_better,
                str(signature),
            )
            for label, signature, each in zip(
                labels(translations.signatures), signatures, drawn, strict=True
            )
        )
        return cls(
            intervals,
            tuple(compared_on(*each, seed=seed) for each in drawn),
            level,
            resamples,
            seed,
        )

    def signature(self, metric: int) -> str:
        """Return what produced the numbers of a metric, and how its intervals were drawn."""
        how = f"{100 * self.level:g} % intervals by {self.resamples} resamples, seed {self.seed}"
        return f"{self.intervals[metric].signature} ({how})"
