"""Scores of our own metrics on the outputs of an evaluation set, as score tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.counts import joined
from wordorder.errors import UsageError, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_table import ScoreTable
from wordorder.metrics.contract import BaseMetric, signature_of_segments
from wordorder.notes import note
from wordorder.scoring.files import ALIGNED, ORDERS, is_bilingual
from wordorder.scoring.named_metrics import Metrics
from wordorder.scoring.scores import Scores, score
from wordorder.scoring.systems import measurements
from wordorder.signature import labels
from wordorder.text.compression import without_compression
from wordorder.types import OnProgress


@dataclass(frozen=True)
class ComputedScores:
    """What `computed_scores` found.

    Attributes
    ----------
    tables : list of ScoreTable
        One a metric.
    metrics : tuple of BaseMetric
    signatures, segment_signatures : dict of str to str
        By the names of the tables: of the scores of systems, and of those of segments.
    """

    tables: list[ScoreTable]
    metrics: tuple[BaseMetric, ...]
    signatures: dict[str, str]
    segment_signatures: dict[str, str]


def computed_scores(
    given: EvaluationSet,
    metrics: Metrics = (),
    *,
    systems: Sequence[str] | None = None,
    reference: str | None = None,
    settings: Sequence[str] = (),
    progress: OnProgress | None = None,
    **options: Any,
) -> ComputedScores:
    """Score the outputs of a set, all systems in one pass over the reference.

    Parameters
    ----------
    given : EvaluationSet
    metrics, settings, progress, options
        As `wordorder.scoring.score` takes them.
    systems : sequence of str, optional
        Which ones; by default all that have an output.
    reference : str, optional
        The names of the references, separated by commas; by default the first.

    Returns
    -------
    ComputedScores
        A segment that a metric leaves out is NaN.

    Raises
    ------
    UsageError
        If the set lacks a reference or outputs, or a name is unknown.
    """
    names, paths = _references(given, reference)
    wanted = list(given.outputs) if systems is None else systems
    outputs = {name: given.outputs[name] for name in wanted if name not in names}
    if not outputs:
        raise UsageError(f"{given.name}: no outputs of systems, which metrics are computed from")
    named = without_compression(paths[0])
    options = {"kind": "auto" if named.endswith((ORDERS, *ALIGNED)) else "text", **options}
    if given.source is not None and _reads_source(options):
        options = {"source": given.source, **options}
    scores = score(
        paths[0],
        outputs,
        metrics,
        settings=settings,
        segments=True,
        progress=progress,
        references=[*paths[1:], *options.pop("references", ())],
        **options,
    )
    signatures = [score.signature for score in scores.evaluation.systems[0].scores]
    shown = labels(signatures)
    return ComputedScores(
        score_tables(scores, shown),
        scores.metrics,
        {name: str(signature) for name, signature in zip(shown, signatures, strict=True)},
        {
            name: str(signature_of_segments(metric, signature))
            for name, metric, signature in zip(shown, scores.metrics, signatures, strict=True)
        },
    )


def score_tables(scores: Scores, names: Sequence[str]) -> list[ScoreTable]:
    """Return scores with those of all segments as tables, one a metric, with the given names."""
    evaluation = scores.evaluation
    systems = tuple(system.name for system in evaluation.systems)
    made = measurements(evaluation, scores.metrics)
    return [
        ScoreTable(
            name,
            systems,
            scores.segment_scores(m),
            np.array([system.scores[m].value for system in evaluation.systems]),
            measurement,
            metric.higher_is_better,
        )
        for m, (metric, name, measurement) in enumerate(
            zip(scores.metrics, names, made, strict=True)
        )
    ]


def _references(given: EvaluationSet, reference: str | None) -> tuple[list[str], list[str]]:
    """Return names and files of the references that metrics read."""
    if not given.references:
        raise UsageError(f"{given.name}: no reference, which metrics are computed from")
    if reference is None:
        names = [next(iter(given.references))]
        if len(given.references) > 1:
            there = joined(list(given.references))
            note(f"{given.name}: of {there} metrics read {names[0]}; --reference=NAME changes it")
    else:
        names = reference.split(",")
        for name in names:
            if name not in given.references:
                raise unknown_name(f"reference of {given.name}", name, given.references)
    return names, [given.references[name] for name in names]


def _reads_source(options: Mapping[str, Any]) -> bool:
    """Return whether the options are of a kind that needs the source text."""
    return bool(
        options.get("hypothesis_alignments")
        or options.get("reference_alignments")
        or is_bilingual(options.get("aligner"))
    )
