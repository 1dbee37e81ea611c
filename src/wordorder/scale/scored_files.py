"""Scores of files on an engine: the same as those of one machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder.notes import held_notes
from wordorder.scale.engines import check_engine, given_out
from wordorder.scale.scored_spans import check, merge, result, spans
from wordorder.scale.span import Span
from wordorder.scoring.files import Files, Systems
from wordorder.scoring.named_metrics import Metrics
from wordorder.scoring.scores import Scores, score
from wordorder.statistics.bucket_sums import MOST_SEGMENTS
from wordorder.text.opening import Path
from wordorder.types import OnProgress


def score_on_engine(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    engine: str = "local",
    address: str | None = None,
    state: str | None = None,
    settings: Sequence[str] = (),
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> Scores:
    """Score files as `wordorder.scoring.score` does, in spans on an engine.

    Parameters
    ----------
    reference, systems, metrics, settings, confidence, resamples, seed, progress, options
        As `wordorder.scoring.score` takes them.
    engine, address, state
        As `wordorder.scale.engines.given_out` takes them.

    Raises
    ------
    UsageError, InputError
        As `score`; and if the engine cannot be had, or a metric or an aligner must see all rows
        first.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> scores = score_on_engine(reference, system, "frs")
    >>> round(scores.values()["head-final"]["frs"], 4)
    0.7587
    """
    check_engine(engine, address)
    files = Files.of(reference, systems, options)
    drawn: dict[str, Any] = {"confidence": confidence, "resamples": resamples, "seed": seed}
    with held_notes():
        check(files, metrics, settings)
    intervals = None if confidence is None else seed

    def give_out(cuts: Sequence[Span]) -> list[bytes]:
        return given_out(cuts, engine, address=address, state=state)

    cuts = spans(files, metrics, settings, intervals=intervals, give_out=give_out)
    if confidence is not None and sum(span.rows for span in cuts) <= MOST_SEGMENTS:
        # Intervals of so few rows need the rows themselves, in one place.
        return score(
            reference, systems, metrics, settings=settings, progress=progress, **drawn, **options
        )
    done = given_out(cuts, engine, address=address, state=state, progress=progress)
    return result(merge(done), files, metrics, settings, **drawn)
