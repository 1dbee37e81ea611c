"""Which systems are better, from files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordorder.option_names import names_arguments
from wordorder.scoring.files import Files, Systems
from wordorder.scoring.named_metrics import Metrics
from wordorder.scoring.result_columns import comparison_columns
from wordorder.scoring.scores import estimated, evaluate
from wordorder.scoring.systems import Evaluation, measurements
from wordorder.statistics import paired_tests
from wordorder.text.opening import Path
from wordorder.types import OnProgress

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.statistics.comparison import Comparison
    from wordorder.statistics.intervals import Estimate


@dataclass(frozen=True)
class ComparedSystems:
    """What `compare` found.

    Attributes
    ----------
    evaluation : Evaluation
        Each system with its scores, and what was left out.
    metrics : tuple of BaseMetric
        Those that made it, in their order.
    comparisons : tuple of Comparison
        One a metric: all pairs of systems.
    estimates : sequence of sequence of Estimate, or None
        By metric, then by system: the intervals of their values, if they were asked for.
    """

    evaluation: Evaluation
    metrics: tuple[BaseMetric, ...]
    comparisons: tuple[Comparison, ...]
    estimates: Sequence[Sequence[Estimate]] | None = None

    def to_columns(self) -> dict[str, list[Any]]:
        """Return a row for each metric and pair of systems, as columns.

        Returns
        -------
        dict of str to list
            ``metric``, ``a``, ``b``, ``difference`` (value of `b` minus value of `a`), ``low95``
            and ``high95`` (None for randomization), ``p``, ``mark``, ``signature``.
        """
        return comparison_columns(self.evaluation, self.comparisons)


@names_arguments
def compare(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    test: str = "bootstrap",
    resamples: int | None = None,
    seed: int = 12345,
    lengths: bool = False,
    confidence: float | None = None,
    progress: OnProgress | None = None,
    **options: Any,
) -> ComparedSystems:
    """Test which systems are better, pair by pair, as ``wordorder compare`` does.

    Parameters
    ----------
    reference, systems, metrics, settings, progress, options
        As in `score`.
    test : "bootstrap" or "randomization"
        Paired bootstrap resampling (Koehn 2004), or approximate randomization. With more than
        100,000 segments the sums of 4,096 buckets of them are resampled or swapped, and the
        signatures say so.
    resamples : int, optional
        How many resamples are drawn: 1,000 by default, 10,000 for randomization.
    seed : int
        Where the random choices start.
    lengths : bool
        Whether the lengths of the segments are kept, for `scores_by_length`.
    confidence : float, optional
        The level of intervals of each system's values by bootstrap resampling.

    Raises
    ------
    UsageError, InputError
        As in `score`.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> systems = [sample_path(f"{name}.orders") for name in ("unchanged", "head-final")]
    >>> (found,) = compare(sample_path("reference.orders"), systems, "frs").comparisons
    >>> found.pair(0, 1).mark
    '+**'
    """
    files = Files.of(reference, systems, options)
    evaluation, used = evaluate(
        files,
        metrics,
        settings,
        keep=lengths,
        lengths=lengths,
        intervals=seed,
        progress=progress,
    )
    found = paired_tests.compare(
        measurements(evaluation, used), test=test, resamples=resamples, seed=seed
    )
    estimates = None
    if confidence is not None:
        estimates = estimated(evaluation, used, confidence, None, seed)
    return ComparedSystems(evaluation, tuple(used), tuple(found), estimates)
