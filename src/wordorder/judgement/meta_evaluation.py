"""Meta-evaluation: which metrics agree with people, on one evaluation set or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import OnProgress
from wordorder.errors import InputError, UsageError, choose, unknown_name
from wordorder.judgement import correlations
from wordorder.judgement.evaluation_set import EvaluationSet, read_evaluation_sets
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.set_correlations import METRIC_TESTS, OnWork, Resampling, set_correlations
from wordorder.messages import joined, names_arguments
from wordorder.metrics.contract import BaseMetric, signature_of_segments
from wordorder.metrics.registry import split_names
from wordorder.notes import note
from wordorder.options import TOKENIZERS
from wordorder.progress import shows_progress
from wordorder.scoring.files import ALIGNED, ORDERS, Metrics, is_bilingual, joined_names
from wordorder.scoring.scores import Scores, score_files
from wordorder.scoring.systems import measurements
from wordorder.signature import labels
from wordorder.statistics.correlation_bootstrap import RESAMPLED_UNITS
from wordorder.statistics.grouped_correlation import GROUPINGS
from wordorder.text.names import without_compression
from wordorder.text.opening import Path

# Means all metrics that a set has scores of.
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
        As `read_evaluation_sets` takes them; several are several language pairs.
    metrics : str or sequence of str
        Names separated by commas: metrics to compute, as in `score_files`, and those
        of which the set has scores; "stored" is all of these. By default the stored ones and those
        of `scores`, or else frs, cder and bleu.
    scores : sequence of path
        Files of further metrics' scores, see `wordorder.judgement.given_scores`; for one set.
    human : str, optional
        Which of the human scores; "rankings" for judgements of pairs. Not needed if there is one.
    unit : "system", "segment" or "document", optional
        What is scored; by default systems, and segments if people judged them; documents if
        they judged nothing else.
    by : "none", "item" or "system", optional
        Which scores of segments are compared with each other: all; those of one segment (item);
        those of one system. By default "none" for Pearson's and Spearman's coefficients, "item" for
        those that count pairs.
    statistic : str, optional
        By default Pearson's coefficient of systems and documents, acc-eq of segments, and of pairs
        of outputs that people compared the share of their choices that the metric shares.
    test : str, optional
        How metrics are compared: "perm-both", "perm-inputs", "perm-systems", "williams" or
        "bootstrap". By default "perm-both"; "williams" where a metric has no scores of segments,
        and "perm-inputs" for pairs that people compared.
    over : "segments", "systems" or "both", optional
        What the bootstrap draws. If it is given, all intervals are made by the bootstrap; without,
        those of Pearson's, Spearman's and Kendall's coefficients of systems by Fisher's
        transformation, all others by drawing segments.
    human_translations : bool
        Whether human translations among the systems take part.
    lower_is_better : sequence of str
        Metrics with stored scores whose lower score is the better one.
    reference : str, optional
        The references that metrics read, by name; by default the first.
    settings, progress, options
        As in `score_files`. ``tokenizer`` may name one for each language pair, or
        target language: ``"13a,zh=zh,ja=ja-mecab"``.
    level : float
        The confidence of intervals and clusters.
    resamples, seed : int
        Of intervals and tests that draw at random.
    on_work : callable, optional
        Told of "intervals" and "tests" how many steps are done, and how many there are.

    Returns
    -------
    MetaEvaluation

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other or with the judgements.
    InputError
        If a file is wrong, or a set has no judgements.

    Warns
    -----
    note
        Of systems that do not take part.

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
    found: list[correlations.SetCorrelations] = []
    check_tokenizers(read, options.get("tokenizer", "auto"))
    signatures: dict[str, dict[str, str]] = {}
    segment_signatures: dict[str, dict[str, str]] = {}
    for given in read:
        judged = correlations.judged_by(given, human)
        units = _units(given, judged, unit, statistic, by, test)
        tables, made = _metrics(
            given,
            judged,
            metrics,
            [str(path) for path in scores],
            human_translations=human_translations,
            reference=reference,
            settings=settings,
            progress=progress,
            **options,
        )
        if made is not None:
            signatures[given.name] = made.signatures
            segment_signatures[given.name] = made.segment_signatures
        tables = _turned(tables, lower_is_better)
        judged, tables = correlations.matched(given, judged, tables, human_translations)
        chosen = {"statistic": statistic, "by": by}
        found += [
            set_correlations(given, judged, tables, resampling, unit=each, **chosen)
            for each in units
        ]
    return correlations.MetaEvaluation(
        tuple(found),
        _by_metric(signatures),
        level,
        correlations.average_correlations(found),
        resamples,
        seed,
        _by_metric(segment_signatures),
    )


def _by_metric(signatures: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Return the signatures of all sets by metric, by set and metric where sets differ."""
    found: dict[str, set[str]] = {}
    for of_set in signatures.values():
        for metric, signature in of_set.items():
            found.setdefault(metric, set()).add(signature)
    return {
        metric if len(found[metric]) == 1 else f"{name}: {metric}": signature
        for name, of_set in signatures.items()
        for metric, signature in of_set.items()
    }


def set_tokenizer(given: EvaluationSet, tokenizers: str) -> str:
    """Return the tokenizer of a set.

    Parameters
    ----------
    given : EvaluationSet
    tokenizers : str
        Names separated by commas: ``PAIR=NAME`` for a language pair, a target language or the name
        of a set; ``NAME`` for all others, ``auto`` without it.

    Examples
    --------
    >>> tokenizers = "13a,zh=zh,en-ja=ja-mecab"
    >>> sets = [EvaluationSet(pair, (), 0, pair) for pair in ("en-zh", "en-ja", "de-ja")]
    >>> [set_tokenizer(each, tokenizers) for each in sets]
    ['zh', 'ja-mecab', '13a']
    """
    chosen = _tokenizers(tokenizers)
    return next((chosen[key] for key in (*_set_keys(given), "") if key in chosen), "auto")


def check_tokenizers(sets: Sequence[EvaluationSet], tokenizers: str) -> None:
    """Refuse a tokenizer that does not exist, or is for no set.

    Raises
    ------
    UsageError
        The message has the legal names.
    """
    known = list(dict.fromkeys(key for each in sets for key in _set_keys(each)))
    for key, name in _tokenizers(tokenizers).items():
        choose("--tokenizer", name, TOKENIZERS)
        if key and key not in known:
            raise unknown_name("set or language of --tokenizer", key, known)


def _tokenizers(text: str) -> dict[str, str]:
    """Read names of tokenizers by the key of a set; that of all other sets has the key ""."""
    pairs = [part.strip().rpartition("=") for part in text.split(",")]
    keys = [key for key, _, _ in pairs]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise UsageError(f"--tokenizer={text}: two tokenizers for {twice or 'all sets'}")
    return {key: name for key, _, name in pairs}


def _set_keys(given: EvaluationSet) -> list[str]:
    """Return what may name a set: itself, its language pair, its target language."""
    pair = given.language_pair
    return [key for key in (given.name, pair, pair.rpartition("-")[2]) if key]


def judged_sets(sets: Sets, human: str | None) -> list[EvaluationSet]:
    """Read what is not read yet; sets that nobody judged are left out.

    Raises
    ------
    UsageError
        If there is no set, or two have the same name.
    InputError
        If a file is wrong, or nobody judged any of its sets.
    """
    some = [sets] if isinstance(sets, (str, EvaluationSet)) or hasattr(sets, "__fspath__") else sets
    read: list[EvaluationSet] = []
    for each in some:
        if isinstance(each, EvaluationSet):
            read.append(each)
        else:
            several = read_evaluation_sets(each, human=human)
            judged = [one for one in several if one.human or one.rankings is not None]
            if several and not judged:
                raise InputError(str(each), "no human scores", "a set that people judged")
            if len(judged) < len(several):
                names = [one.language_pair for one in several if one not in judged]
                note(f"{each}: nobody judged {joined(names)}")
            read += judged
    if not read:
        raise UsageError("there is no set")
    names = [each.name for each in read]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two sets are called {name!r}: name = in their TOML tells them apart")
    return read


def _metrics(
    given: EvaluationSet,
    judged: correlations.HumanJudgements,
    metrics: Metrics,
    scores: Sequence[str],
    *,
    human_translations: bool,
    **options: Any,
) -> tuple[list[ScoreTable], ComputedScores | None]:
    """Return the tables of the metrics that are asked for: stored, from files, and computed.

    The latter once more by themselves, with their signatures; None if none was computed.
    """

    stored = dict(given.metrics)
    if scores:
        from wordorder.judgement.given_scores import read_given_scores

        for table in read_given_scores(given, scores):
            if table.name in stored:
                raise UsageError(f"--scores: the set has scores of {table.name} already")
            stored[table.name] = table
    names = [name for name in split_names(joined_names(metrics)) if name]
    chosen = [name for name in names if name in stored]
    wanted = [name for name in names if name not in (*stored, STORED)]
    if STORED in names or not names:
        chosen = list(stored)
    elif scores:
        chosen = list(
            dict.fromkeys([*chosen, *(each for each in stored if each not in given.metrics)])
        )
    if STORED in names and not stored:
        raise UsageError(f"{given.name}: no metric has stored scores")
    tables = [stored[name] for name in chosen]
    if tables and not wanted:
        return tables, None
    left_out = () if human_translations else given.human_translations
    people = [name for name in correlations.judged_systems(judged.table) if name not in left_out]
    systems = [name for name in people if name in given.outputs]
    if not given.outputs and names:
        raise unknown_name(f"metric with scores in {given.name}", wanted[0], [*stored, STORED])
    if given.outputs and not systems:
        outputs = list(given.outputs)
        raise correlations.no_common_systems(given, people, "the outputs are of", outputs)
    made = computed_scores(given, wanted, systems=systems, **options)
    same = [table.name for table in made.tables if table.name in chosen]
    if same:
        raise UsageError(f"{given.name}: {same[0]} is computed and stored; choose one")
    return [*tables, *made.tables], made


def _turned(tables: Sequence[ScoreTable], lower: Sequence[str]) -> list[ScoreTable]:
    """Turn the metrics whose lower score is the better one."""

    names = [name for each in lower for name in split_names(each)]
    for name in names:
        if name not in {table.name for table in tables}:
            raise unknown_name("metric for --lower-is-better", name, [t.name for t in tables])
    return [
        replace(table, higher_is_better=False) if table.name in names else table for table in tables
    ]


def _units(
    given: EvaluationSet,
    judged: correlations.HumanJudgements,
    unit: str | None,
    statistic: str | None,
    by: str | None,
    test: str | None,
) -> list[str]:
    """Return what is scored: as asked for, or systems and, where they were judged, segments.

    Documents, if people scored nothing else. Without a unit, those that go with the other options.
    """
    pairs = judged.pairs is not None
    segments = pairs or not np.isnan(judged.table.segments).all()
    if unit == "segment" and not segments:
        raise UsageError(f"{given.name}: {judged.table.name} has no scores of segments")
    if unit == "document" and pairs:
        raise UsageError(f"{given.name}: --unit=document is not for judgements of pairs")
    if unit == "document" and judged.table.documents is None and given.documents is None:
        raise UsageError(f"{given.name}: it does not say which segments form a document")
    if unit is not None:
        correlations.check_choice(unit, statistic, by, test, pairs=pairs)
        return [unit]
    documents = judged.table.documents is not None and np.isnan(judged.table.system_scores()).all()
    usual = ("system", "segment") if segments else ("document",) if documents else ("system",)
    fitting, refused = [], []
    for each in usual:
        try:
            correlations.check_choice(each, statistic, by, test, pairs=pairs)
        except UsageError as error:
            refused.append(error)
        else:
            fitting.append(each)
    if not fitting:
        raise refused[0]
    return fitting


@dataclass(frozen=True)
class ComputedScores:
    """What `computed_scores` found.

    Attributes
    ----------
    tables : list of ScoreTable
        One per metric.
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
        As `score_files` takes them; a tokenizer as `set_tokenizer` does.
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
    if "tokenizer" in options:
        options["tokenizer"] = set_tokenizer(given, options["tokenizer"])
    options = {"kind": "auto" if named.endswith((ORDERS, *ALIGNED)) else "text", **options}
    reads_source = (
        options.get("hypothesis_alignments")
        or options.get("reference_alignments")
        or is_bilingual(options.get("aligner"))
    )
    if given.source is not None and reads_source:
        options = {"source": given.source, **options}
    scores = score_files(
        outputs,
        paths[0],
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
    """Return scores with those of all segments as tables, one per metric, with the given names."""
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
