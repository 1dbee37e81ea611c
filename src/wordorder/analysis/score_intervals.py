"""ScoreIntervals: what all systems score under one metric, with intervals."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.statistics.intervals import Estimate


@dataclass(frozen=True)
class ScoreIntervals:
    """The value of each system on the whole corpus, as the picture of intervals shows it.

    Attributes
    ----------
    metric : str
        Its name, with options if two metrics of one name are shown: ``cder(penalty=mean)``.
    names : tuple of str
        The systems, n of them.
    estimates : tuple of Estimate
        n of them.
    higher_is_better : bool
    signature : str
        What produced the numbers.
    """

    metric: str
    names: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    higher_is_better: bool
    signature: str

    def ranked(self) -> list[int]:
        """Return the systems' numbers, the best first; of equal values the first one.

        Examples
        --------
        >>> two = (Estimate(0.5, 0.4, 0.6), Estimate(0.3, 0.2, 0.4))
        >>> [ScoreIntervals("m", ("A", "B"), two, up, "m|v:1").ranked() for up in (True, False)]
        [[0, 1], [1, 0]]
        """
        sign = -1.0 if self.higher_is_better else 1.0
        # Equal but for rounding is equal.
        keys = [sign * round(each.value, 12) for each in self.estimates]
        return sorted(range(len(keys)), key=lambda number: (keys[number], number))
