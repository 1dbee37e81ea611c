"""Meta-evaluation: correlate metrics with human judgements on one or more evaluation sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import OnProgress
from wordorder.errors import InputError, UsageError, choose, unknown_name
from wordorder.judgement import correlations
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.set_correlations import METRIC_TESTS, OnWork, Resampling, set_correlations
from wordorder.judgement.set_files import read_evaluation_sets
from wordorder.messages import joined, names_arguments
from wordorder.metrics.contract import BaseMetric, signature_of_segments
from wordorder.metrics.registry import split_names
from wordorder.notes import note
from wordorder.options import TOKENIZERS
from wordorder.progress import shows_progress
from wordorder.scoring.files import (
    ALIGNMENT_SUFFIXES,
    ORDER_SUFFIX,
    Metrics,
    is_bilingual,
    join_names,
)
from wordorder.scoring.scores import Scores, score_files
from wordorder.scoring.systems import measurements
from wordorder.signature import labels
from wordorder.statistics.correlation_bootstrap import RESAMPLED_UNITS
from wordorder.statistics.grouped_correlation import GROUPINGS
from wordorder.text.names import without_compression
from wordorder.text.opening import Path

# Stands for all metrics that a set has scores of.
STORED = "stored"

Sets = Path | EvaluationSet | Sequence[Path | EvaluationSet]


@names_arguments
@shows_progress("segments", lambda line: {"progress": line, "on_work": line.show})
def correlate(
    sets: Sets,
    metrics: Metrics = (),
    *,
    scores: Sequence[Path] = (),
    human: str | None = None,
    unit: str | None = None,
    by: str | None = None,
    statistic: str | None = None,
    test: str | None = None,
    over: str | None = None,
    human_translations: bool = False,
    lower_is_better: Sequence[str] = (),
    reference: str | None = None,
    settings: Sequence[str] = (),
    level: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
    progress: OnProgress | None = None,
    on_work: OnWork | None = None,
    **options: Any,
) -> correlations.MetaEvaluation:
    """Measure how well metrics agree with human judgements, as ``wordorder correlate`` does.

    Parameters
    ----------
    sets : EvaluationSet or path, or several
        One or more sets, see `read_evaluation_sets`; several are several language pairs.
    metrics : str or sequence of str
        Names separated by commas: metrics to compute, as in `score_files`, and metrics
        with scores in the set; "stored" stands for all of the latter. By default the stored ones
        and those of `scores`, or else frs, cder and bleu.
    scores : sequence of path
        Files of further metrics' scores, see `wordorder.judgement.given_scores`; for one set.
    human : str, optional
        The name of the human scores, or "rankings" for judgements of pairs; may be omitted if the
        set has only one.
    unit : "system", "segment" or "document", optional
        The unit whose scores are correlated; by default systems, and segments if people judged
        them, or documents if they judged nothing else.
    by : "none", "item" or "system", optional
        Which scores of segments are compared with each other: all; those of one segment (item);
        those of one system. By default "none" for Pearson's and Spearman's coefficients, "item" for
        those that count pairs.
    statistic : str, optional
        By default Pearson's coefficient for systems and documents and acc-eq for segments; for
        pairs of outputs that people compared, the share of their choices that the metric shares.
    test : str, optional
        How metrics are compared: "perm-both", "perm-inputs", "perm-systems", "williams" or
        "bootstrap". By default "perm-both"; "williams" where a metric has no scores of segments,
        and "perm-inputs" for pairs that people compared.
    over : "segments", "systems" or "both", optional
        What the bootstrap draws. If specified, all intervals are bootstrapped. By default,
        Pearson's, Spearman's and Kendall's coefficients of systems have intervals by Fisher's
        transformation, and all others by drawing segments.
    human_translations : bool
        Whether human translations among the systems are included.
    lower_is_better : sequence of str
        Metrics with stored scores for which lower is better.
    reference : str, optional
        The names of the references that metrics read; by default the first.
    settings, progress, options
        As in `score_files`. ``tokenizer`` may name one for each language pair, or
        target language: ``"13a,zh=zh,ja=ja-mecab"``.
    level : float
        The confidence of intervals and clusters.
    resamples, seed : int
        Used by intervals and tests that draw at random.
    on_work : callable, optional
        Called with "intervals" or "tests", the number of steps that are done, and of all steps.

    Returns
    -------
    MetaEvaluation

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other or do not apply to the judgements.
    InputError
        If a file is not valid, or a set has no judgements.

    Warns
    -----
    note
        About systems that are left out.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> path = sample_path("judged.toml", "judged")
    >>> result = correlate(path, "bleu,ter", human="human", unit="system")
    >>> [(row.metric, round(row.value, 2)) for row in result.sets[0].rows]
    [('bleu', 0.96), ('ter', 0.97)]
    """
    if unit is not None:
        choose("--unit", unit, correlations.UNITS)
    if by is not None:
        choose("--by", by, GROUPINGS)
    if test is not None:
        choose("--test", test, METRIC_TESTS)
    if over is not None:
        choose("--over", over, RESAMPLED_UNITS)
    if not 0 < level < 1:
        raise UsageError(f"--level is between 0 and 1, got {level}")
    read = judged_sets(sets, human)
    if scores and len(read) > 1:
        raise UsageError("--scores is for one SET; of several, each names its scores in its TOML")
    resampling = Resampling(test, over, level, resamples, seed, on_work)
    choice = correlations.CoefficientChoice(statistic, by, test)
    results: list[correlations.SetCorrelations] = []
    check_tokenizers(read, options.get("tokenizer", "auto"))
    scoring = {"reference": reference, "settings": settings, "progress": progress, **options}
    signatures: dict[str, dict[str, str]] = {}
    segment_signatures: dict[str, dict[str, str]] = {}
    for evaluation_set in read:
        judged = correlations.select_judgements(evaluation_set, human)
        units = _choose_units(evaluation_set, judged, unit, choice)
        stored, missing = _stored_tables(evaluation_set, metrics, [str(path) for path in scores])
        tables = stored
        if missing or not stored:
            systems = _systems_to_score(evaluation_set, judged, human_translations)
            computed = computed_scores(evaluation_set, missing, systems=systems, **scoring)
            stored_names = [table.name for table in stored]
            both = [table.name for table in computed.tables if table.name in stored_names]
            if both:
                problem = f"{both[0]} is computed and stored; choose one"
                raise UsageError(f"{evaluation_set.name}: {problem}")
            tables = [*stored, *computed.tables]
            signatures[evaluation_set.name] = computed.signatures
            segment_signatures[evaluation_set.name] = computed.segment_signatures
        tables = _mark_lower_is_better(tables, lower_is_better)
        judged, tables = correlations.keep_common_systems(
            evaluation_set, judged, tables, human_translations
        )
        results += [
            set_correlations(evaluation_set, judged, tables, resampling, name, choice)
            for name in units
        ]
    return correlations.MetaEvaluation(
        tuple(results),
        _merge_signatures(signatures),
        level,
        correlations.average_correlations(results),
        resamples,
        seed,
        _merge_signatures(segment_signatures),
    )


def _merge_signatures(signatures: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the signatures of all sets by metric, or by set and metric if sets differ."""
    by_metric: dict[str, set[str]] = {}
    for set_signatures in signatures.values():
        for metric, signature in set_signatures.items():
            by_metric.setdefault(metric, set()).add(signature)
    return {
        metric if len(by_metric[metric]) == 1 else f"{name}: {metric}": signature
        for name, set_signatures in signatures.items()
        for metric, signature in set_signatures.items()
    }


def set_tokenizer(evaluation_set: EvaluationSet, tokenizers: str) -> str:
    """Return the tokenizer of a set.

    Parameters
    ----------
    evaluation_set : EvaluationSet
    tokenizers : str
        Names separated by commas: ``PAIR=NAME`` for a language pair, a target language or the name
        of a set; ``NAME`` for all others, by default ``auto``.

    Examples
    --------
    >>> tokenizers = "13a,zh=zh,en-ja=ja-mecab"
    >>> sets = [EvaluationSet(pair, (), 0, pair) for pair in ("en-zh", "en-ja", "de-ja")]
    >>> [set_tokenizer(one, tokenizers) for one in sets]
    ['zh', 'ja-mecab', '13a']
    """
    by_key = _parse_tokenizers(tokenizers)
    return next((by_key[key] for key in (*_set_keys(evaluation_set), "") if key in by_key), "auto")


def check_tokenizers(sets: Sequence[EvaluationSet], tokenizers: str) -> None:
    """Refuse a tokenizer that does not exist, or whose key matches no set.

    Raises
    ------
    UsageError
        The message lists the allowed names.
    """
    set_keys = list(
        dict.fromkeys(key for evaluation_set in sets for key in _set_keys(evaluation_set))
    )
    for key, name in _parse_tokenizers(tokenizers).items():
        choose("--tokenizer", name, TOKENIZERS)
        if key and key not in set_keys:
            raise unknown_name("set or language of --tokenizer", key, set_keys)


def _parse_tokenizers(text: str) -> dict[str, str]:
    """Return the tokenizer for each key of a set, see `_set_keys`; the key "" is the default."""
    pairs = [part.strip().rpartition("=") for part in text.split(",")]
    keys = [key for key, _, _ in pairs]
    if len(set(keys)) < len(keys):
        duplicate = next(key for key in keys if keys.count(key) > 1)
        raise UsageError(f"--tokenizer={text}: two tokenizers for {duplicate or 'all sets'}")
    return {key: name for key, _, name in pairs}


def _set_keys(evaluation_set: EvaluationSet) -> list[str]:
    """Return the strings that select a set: its name, language pair and target language."""
    pair = evaluation_set.language_pair
    return [key for key in (evaluation_set.name, pair, pair.rpartition("-")[2]) if key]


def judged_sets(sets: Sets, human: str | None) -> list[EvaluationSet]:
    """Return evaluation sets, reading those that are paths; omit read sets without judgements.

    Raises
    ------
    UsageError
        If there is no set, or two have the same name.
    InputError
        If a file is not valid, or none of its sets was judged.
    """
    sources = (
        [sets] if isinstance(sets, (str, EvaluationSet)) or hasattr(sets, "__fspath__") else sets
    )
    read: list[EvaluationSet] = []
    for source in sources:
        if isinstance(source, EvaluationSet):
            read.append(source)
        else:
            file_sets = read_evaluation_sets(source, human=human)
            judged = [
                file_set
                for file_set in file_sets
                if file_set.human or file_set.rankings is not None
            ]
            if file_sets and not judged:
                raise InputError(str(source), "no human scores", "a set that people judged")
            if len(judged) < len(file_sets):
                names = [file_set.language_pair for file_set in file_sets if file_set not in judged]
                note(f"{source}: nobody judged {joined(names)}")
            read += judged
    if not read:
        raise UsageError("there is no set")
    names = [evaluation_set.name for evaluation_set in read]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two sets are called {name!r}: name = in their TOML tells them apart")
    return read


def _stored_tables(
    evaluation_set: EvaluationSet, metrics: Metrics, scores: Sequence[str]
) -> tuple[list[ScoreTable], list[str]]:
    """Return the requested tables of the set and of `scores`, and the metrics to compute."""
    stored = dict(evaluation_set.metrics)
    if scores:
        from wordorder.judgement.given_scores import read_given_scores

        for table in read_given_scores(evaluation_set, scores):
            if table.name in stored:
                raise UsageError(f"--scores: the set has scores of {table.name} already")
            stored[table.name] = table
    names = [name for name in split_names(join_names(metrics)) if name]
    if STORED in names and not stored:
        raise UsageError(f"{evaluation_set.name}: no metric has stored scores")
    missing = [name for name in names if name not in (*stored, STORED)]
    requested = [name for name in names if name in stored]
    if STORED in names or not names:
        requested = list(stored)
    elif scores:
        further = [name for name in stored if name not in evaluation_set.metrics]
        requested = list(dict.fromkeys([*requested, *further]))
    if missing and not evaluation_set.outputs:
        noun = f"metric with scores in {evaluation_set.name}"
        raise unknown_name(noun, missing[0], [*stored, STORED])
    return [stored[name] for name in requested], missing


def _systems_to_score(
    evaluation_set: EvaluationSet, judged: correlations.HumanJudgements, human_translations: bool
) -> list[str]:
    """Return the judged systems that have outputs."""
    left_out = () if human_translations else evaluation_set.human_translations
    names = [name for name in correlations.judged_systems(judged.table) if name not in left_out]
    systems = [name for name in names if name in evaluation_set.outputs]
    if evaluation_set.outputs and not systems:
        outputs = list(evaluation_set.outputs)
        raise correlations.no_common_systems(evaluation_set, names, "the outputs are of", outputs)
    return systems


def _mark_lower_is_better(tables: Sequence[ScoreTable], lower: Sequence[str]) -> list[ScoreTable]:
    """Mark the tables of the metrics in `lower`, names separated by commas, as lower is better."""
    names = [name for text in lower for name in split_names(text)]
    for name in names:
        if name not in {table.name for table in tables}:
            raise unknown_name("metric for --lower-is-better", name, [t.name for t in tables])
    return [
        replace(table, higher_is_better=False) if table.name in names else table for table in tables
    ]


def _choose_units(
    evaluation_set: EvaluationSet,
    judged: correlations.HumanJudgements,
    unit: str | None,
    choice: correlations.CoefficientChoice,
) -> list[str]:
    """Return the units whose scores are correlated: `unit`, or the default ones.

    The defaults are systems and, if they were judged, segments; or documents, if only these have
    human scores. Of the defaults, those that `choice` does not apply to are left out.
    """
    name, table = evaluation_set.name, judged.table
    pairs = judged.pairs is not None
    segments = pairs or not np.isnan(table.segments).all()
    if unit == "segment" and not segments:
        raise UsageError(f"{name}: {table.name} has no scores of segments")
    if unit == "document" and pairs:
        raise UsageError(f"{name}: --unit=document is not for judgements of pairs")
    if unit == "document" and table.documents is None and evaluation_set.documents is None:
        raise UsageError(f"{name}: it does not say which segments form a document")
    if unit is not None:
        correlations.check_choice(choice, unit, pairs=pairs)
        return [unit]
    documents = table.documents is not None and np.isnan(table.system_scores()).all()
    defaults = ("system", "segment") if segments else ("document",) if documents else ("system",)
    units, errors = [], []
    for default in defaults:
        try:
            correlations.check_choice(choice, default, pairs=pairs)
        except UsageError as error:
            errors.append(error)
        else:
            units.append(default)
    if not units:
        raise errors[0]
    return units


@dataclass(frozen=True)
class ComputedScores:
    """The result of `computed_scores`.

    Attributes
    ----------
    tables : list of ScoreTable
        One per metric.
    metrics : tuple of BaseMetric
    signatures, segment_signatures : dict of str to str
        The signatures of the scores of systems, and of segments, by the name of the table.
    """

    tables: list[ScoreTable]
    metrics: tuple[BaseMetric, ...]
    signatures: dict[str, str]
    segment_signatures: dict[str, str]


def computed_scores(
    evaluation_set: EvaluationSet,
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
    evaluation_set : EvaluationSet
    metrics, settings, progress, options
        See `score_files`; a tokenizer may be one per language pair, see `set_tokenizer`.
    systems : sequence of str, optional
        The systems to score; by default all that have an output.
    reference : str, optional
        The names of the references, separated by commas; by default the first.

    Returns
    -------
    ComputedScores
        The score of a segment that a metric leaves out is NaN.

    Raises
    ------
    UsageError
        If the set has no reference or no outputs, or a name is unknown.
    """
    references = _select_references(evaluation_set, reference)
    names = list(evaluation_set.outputs) if systems is None else systems
    outputs = {name: evaluation_set.outputs[name] for name in names if name not in references}
    if not outputs:
        problem = "no outputs of systems, which metrics are computed from"
        raise UsageError(f"{evaluation_set.name}: {problem}")
    first, *further = references.values()
    if "tokenizer" in options:
        options["tokenizer"] = set_tokenizer(evaluation_set, options["tokenizer"])
    guesses_kind = without_compression(first).endswith((ORDER_SUFFIX, *ALIGNMENT_SUFFIXES))
    options = {"kind": "auto" if guesses_kind else "text", **options}
    reads_source = (
        options.get("hypothesis_alignments")
        or options.get("reference_alignments")
        or is_bilingual(options.get("aligner"))
    )
    if evaluation_set.source is not None and reads_source:
        options = {"source": evaluation_set.source, **options}
    scores = score_files(
        outputs,
        first,
        metrics,
        settings=settings,
        segments=True,
        progress=progress,
        references=[*further, *options.pop("references", ())],
        **options,
    )
    signatures = [score.signature for score in scores.evaluation.systems[0].scores]
    metric_names = labels(signatures)
    return ComputedScores(
        _score_tables(scores, metric_names),
        scores.metrics,
        {name: str(signature) for name, signature in zip(metric_names, signatures, strict=True)},
        {
            name: str(signature_of_segments(metric, signature))
            for name, metric, signature in zip(
                metric_names, scores.metrics, signatures, strict=True
            )
        },
    )


def _score_tables(scores: Scores, names: Sequence[str]) -> list[ScoreTable]:
    """Return one table per metric, called `names`, from scores that include those of segments."""
    evaluation = scores.evaluation
    systems = tuple(system.name for system in evaluation.systems)
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
            zip(scores.metrics, names, measurements(evaluation, scores.metrics), strict=True)
        )
    ]


def _select_references(evaluation_set: EvaluationSet, reference: str | None) -> dict[str, str]:
    """Return the files of the references that metrics read, by name."""
    references = evaluation_set.references
    if not references:
        problem = "no reference, which metrics are computed from"
        raise UsageError(f"{evaluation_set.name}: {problem}")
    if reference is None:
        first = next(iter(references))
        if len(references) > 1:
            names = joined(list(references))
            choice = f"of {names} metrics read {first}; --reference=NAME changes it"
            note(f"{evaluation_set.name}: {choice}")
        return {first: references[first]}
    for name in reference.split(","):
        if name not in references:
            raise unknown_name(f"reference of {evaluation_set.name}", name, references)
    return {name: references[name] for name in reference.split(",")}
