"""Fitting an option of a metric, or the weights of a sum of metrics, to what people preferred."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.judgement.fitting import FitInput, WeightFit, fit_weights
from wordorder.judgement.judged_systems import judged_by, judged_systems, matched
from wordorder.judgement.meta_evaluation import Sets, judged_sets
from wordorder.judgement.metric_scores import computed_scores
from wordorder.judgement.preferences import Preferences
from wordorder.metrics.formula import is_formula, named_metric, weighted_names
from wordorder.option_names import names_arguments
from wordorder.statistics.consistency import TIES, pair_differences
from wordorder.types import Float64, OnProgress

# Scores differ by more than rounding makes of them.
_DIFFERENT = 1e-9


@dataclass(frozen=True)
class Fitted:
    """What is fitted, read from text.

    Attributes
    ----------
    option : str
        Such as "lr-kb1.alpha"; empty for a sum.
    metrics : tuple of str
        The members: of an option, the metric at 0 and at 1, and half-way for a check.
    """

    option: str
    metrics: tuple[str, ...]


def what_to_fit(text: str) -> Fitted:
    """Read ``METRIC.OPTION`` or a sum of metrics.

    Parameters
    ----------
    text : str
        ``lr-kb1.alpha``, ``senscore(ordering=frs).alpha``, or a sum whose weights are to be found,
        ``0.6*cder + 0.4*per``.

    Raises
    ------
    UsageError
        If it is neither, or names no metric or option.

    Examples
    --------
    >>> what_to_fit("lr-kb1.alpha").metrics
    ('lr-kb1(alpha=0)', 'lr-kb1(alpha=1)', 'lr-kb1(alpha=0.5)')
    >>> what_to_fit("0.6*cder(penalty=length) + 0.4*per").metrics
    ('cder(penalty=length)', 'per')
    """
    if is_formula(text):
        names = tuple(name for _, name in weighted_names(text))
        if len(set(names)) < len(names):
            raise UsageError(f"a metric is listed twice in {text!r}")
        return Fitted("", names)
    name, dot, option = text.strip().rpartition(".")
    if not dot or not name or not option.isidentifier():
        raise UsageError(
            f"what to fit is METRIC.OPTION, such as lr-kb1.alpha, or a sum of metrics, such as "
            f'"0.6*cder + 0.4*per", not {text!r}'
        )
    ends = tuple(_with_option(name, option, value) for value in ("0", "1", "0.5"))
    for end in ends:
        named_metric(end)
    return Fitted(f"{name}.{option}", ends)


def require_curve(what: str) -> None:
    """Raise a UsageError if what is fitted has no curve: a sum of more than two metrics."""
    fitted = what_to_fit(what)
    if not fitted.option and len(fitted.metrics) != 2:
        raise UsageError(f"--curve is for an option, or a sum of two metrics, not {what!r}")


@names_arguments
def fit(
    sets: Sets,
    what: str,
    *,
    ties: str = "strict",
    leave_out: str | None = None,
    human: str | None = None,
    human_translations: bool = False,
    reference: str | None = None,
    progress: OnProgress | None = None,
    **options: Any,
) -> WeightFit:
    """Choose the option of a metric, or the weights of a sum, that agree best with people.

    The share of people's preferences that the metric shares, sentence by sentence, is averaged
    over the sets. Preferences are judgements of pairs, or differences between people's scores of
    one segment.

    Parameters
    ----------
    sets : EvaluationSet or path, or several
        As `read_evaluation_sets` takes them; several are several language pairs.
    what : str
        As `what_to_fit` takes it.
    ties : "strict" or "half"
        What a pair that the metric ties counts: nothing, or half.
    leave_out : "pair", optional
        Fit on all language pairs but one too, for each, and judge on that one.
    human : str, optional
        Which of the human scores; "rankings" for judgements of pairs.
    human_translations : bool
        Whether human translations among the systems take part.
    reference : str, optional
        The references that metrics read, by name; by default the first.
    progress, options
        As in `wordorder.scoring.score`: ``aligner="exact+stem"``.

    Raises
    ------
    UsageError
        If `what` names nothing, the score of a segment is not linear in the option, or a set has
        no preferences.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> path = sample_path("judged.toml", "judged")
    >>> result = fit(path, "0.5*bleu-s + 0.5*per", human="human")
    >>> result.names, len(result.weights)
    (('bleu-s', '-per'), 2)
    """
    choose("--ties", ties, TIES)
    if leave_out is not None:
        choose("--leave-out", leave_out, ("pair",))
    fitted = what_to_fit(what)
    inputs: list[FitInput] = []
    signs: list[bool] = []
    for given in judged_sets(sets, human):
        judged = judged_by(given, human)
        people = judged_systems(judged.table)
        computed = computed_scores(
            given,
            fitted.metrics,
            systems=[name for name in people if name in given.outputs],
            reference=reference,
            progress=progress,
            **options,
        )
        judged, tables = matched(given, judged, computed.tables, human_translations)
        signs = [table.higher_is_better == tables[0].higher_is_better for table in tables]
        scores = [table.better_higher().segments for table in tables]
        if fitted.option:
            scores = _ends(fitted.option, scores)
        systems, segments = tables[0].systems, scores[0].shape[1]
        if judged.pairs is not None:
            pairs = Preferences.of_rankings(judged.pairs, systems, segments)
        else:
            pairs = Preferences.of_scores(judged.table)
        rows = [pair_differences(s, pairs.item, pairs.better, pairs.worse) for s in scores]
        inputs.append(FitInput(given.name, np.stack(rows)))
    if fitted.option:
        names = [f"{fitted.option}=0", f"{fitted.option}=1"]
    else:
        # Where one is better high and another low, the sum is a difference.
        names = [m if same else f"-{m}" for m, same in zip(fitted.metrics, signs, strict=True)]
    return fit_weights(
        names, inputs, ties=ties, leave_out=leave_out is not None, option=fitted.option
    )


def _ends(option: str, scores: Sequence[Float64]) -> list[Float64]:
    """Return the scores at 0 and at 1, if those half-way are their mean."""
    at_0, at_1, between = scores
    apart = np.abs(between - (at_0 + at_1) / 2)
    if not np.all(apart[~np.isnan(apart)] <= _DIFFERENT):
        raise UsageError(f"{option} cannot be fitted: the score of a segment is not linear in it")
    return [at_0, at_1]


def _with_option(name: str, option: str, value: str) -> str:
    """Add an option to a metric's name.

    Examples
    --------
    >>> _with_option("senscore(ordering=frs(ties=rank))", "alpha", "0")
    'senscore(ordering=frs(ties=rank),alpha=0)'
    """
    if name.endswith(")"):
        return f"{name[:-1]},{option}={value})"
    return f"{name}({option}={value})"
