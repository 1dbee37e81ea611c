"""Weights of a metric that agree best with people: of LRscore, of a sum, costs of operators."""

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64, OnProgress
from wordorder.errors import UsageError, choose
from wordorder.judgement.correlations import judged_systems, keep_common_systems, select_judgements
from wordorder.judgement.judgements import Preferences
from wordorder.judgement.meta_evaluation import (
    Sets,
    check_tokenizers,
    computed_scores,
    judged_sets,
)
from wordorder.messages import counted, names_arguments
from wordorder.metrics.order.trees import TreeCost
from wordorder.metrics.registry import is_formula, named_metric, weighted_names
from wordorder.progress import shows_progress
from wordorder.statistics import consistency
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# Why a strict count needs care; printed with every fit.
NOTE = (
    "a strict count rewards any weight that breaks ties: compare it with the count in which a tie "
    "is half right"
)


# What can be left out: one language pair after the other, or a tenth of the segments.
LEAVE_OUT = ("pair", "segments")
FOLDS = 10

# Operators with a cost of their own, and all others. The monotone one costs nothing: a constant
# that is added to all costs changes no mean, and an order without fault then costs 0.
OPERATORS = ("21", "2413", "3142", "*")
COSTS = ".costs"


@dataclass(frozen=True, eq=False)
class FitInput:
    """What a fit needs to know of one set.

    Attributes
    ----------
    name : str
        Such as the language pair.
    differences : float64[M, N]
        Of each member of the sum, higher being better: the score of the output that people prefer
        less that of the other; NaN without a score.
    items : int64[N], optional
        The segment of each preference; needed to leave segments out.
    """

    name: str
    differences: Float64
    items: Int64 | None = None


@dataclass(frozen=True)
class SetFit:
    """What a fit found on one set.

    Attributes
    ----------
    name : str
    members : tuple of Consistency
        Of each member alone.
    fitted : Consistency
        With the weights that are best on all sets together.
    own_weights, own
        The weights that are best on this set alone, and the consistency with them.
    held_out_weights, held_out
        The weights that are best on all other sets, and the consistency with them here; None if
        no set was left out. Of segments left out, the consistency alone: their weights are in
        `WeightFit.folds`.
    curve : ConsistencyCurve, optional
        The consistency for every weight of the second of two members.
    """

    name: str
    members: tuple[consistency.Consistency, ...]
    fitted: consistency.Consistency
    own_weights: tuple[float, ...]
    own: consistency.Consistency
    held_out_weights: tuple[float, ...] | None = None
    held_out: consistency.Consistency | None = None
    curve: consistency.ConsistencyCurve | None = None


@dataclass(frozen=True, eq=False)
class WeightFit:
    """The weights that agree best with people, and how well.

    Attributes
    ----------
    names : tuple of str
        The members, M of them; "-bleu" for one that is subtracted.
    ties : "strict" or "half"
        How a pair that the sum ties was counted when the weights were chosen.
    weights : tuple of float
        They sum to 1: the best for the mean consistency of all sets.
    sets : tuple of SetFit
    curve : ConsistencyCurve, optional
        The mean consistency for every weight of the second of two members.
    best : BestWeight, optional
        Of the curve.
    option : str
        The option of a metric that was fitted, whose value is the second weight: "lr-kb1.alpha".
        Or "tree-cost.costs": the weights are the costs of operators. Empty for a sum of metrics.
    folds : tuple of tuple of float
        The weights without each tenth of the segments; empty if no segments were left out.
    """

    names: tuple[str, ...]
    ties: str
    weights: tuple[float, ...]
    sets: tuple[SetFit, ...]
    curve: consistency.ConsistencyCurve | None = None
    best: consistency.BestWeight | None = None
    option: str = ""
    folds: tuple[tuple[float, ...], ...] = ()

    @property
    def costs(self) -> dict[str, float]:
        """Costs of operators that were fitted, as `OperatorCosts` takes them; empty for others.

        An operator that no judged output has costs what all others cost, and these, if none of
        them was seen, as much as the dearest.
        """
        if not self.option.endswith(COSTS):
            return {}
        seen = dict(zip(self.names, self.weights, strict=True))
        return {"12": 0.0, **seen, "*": seen.get("*", max(self.weights))}

    def mean(self, part: str, ties: str = "strict") -> float:
        """Return the mean over sets of ``fitted``, ``own`` or ``held_out``; NaN if there is none.

        Examples
        --------
        >>> one = FitInput("de-en", np.array([[1.0, -1.0], [-1.0, 3.0]]))
        >>> fit_weights(("words", "order"), [one]).mean("fitted")
        1.0
        """
        shares = [getattr(each, part) for each in self.sets]
        if not shares or any(each is None for each in shares):
            return float("nan")
        return float(np.mean([getattr(each, ties) for each in shares]))


def fit_weights(
    names: Sequence[str],
    sets: Sequence[FitInput],
    *,
    ties: str = "strict",
    leave_out: bool | str = False,
    option: str = "",
    seed: int = 12345,
) -> WeightFit:
    """Choose the weights of a sum that agree best with people, over all sets at once.

    The mean over sets of the share of preferences that the sum orders as people do is as high as
    it gets (Birch & Osborne 2011, section 3 and table 3). With two members that is exact: each
    preference turns at one weight.

    Parameters
    ----------
    names : sequence of str
        The members, two or more.
    sets : sequence of FitInput
    ties : "strict" or "half"
        What a pair that the sum ties counts: nothing, or half.
    leave_out : bool or "segments"
        Whether to fit, for each set, the weights on all others too, and judge them on it; or to
        do so with ten parts of the segments of all sets (ten-fold cross-validation).
    option : str
        What the second of two weights is, if it is an option of a metric.
    seed : int
        Draws the parts of the segments.

    Raises
    ------
    UsageError
        If there are fewer than two members, no set, no second set to leave one out, or a set
        without a pair that all members score.

    Examples
    --------
    >>> one = FitInput("de-en", np.array([[3.0, -1.0, 0.0], [-1.0, 1.0, 1.0]]))
    >>> result = fit_weights(("words", "order"), [one])
    >>> result.weights, result.sets[0].fitted.strict, round(result.sets[0].members[0].strict, 4)
    ((0.375, 0.625), 1.0, 0.3333)
    """
    if len(names) < 2:
        raise UsageError("a fit needs two metrics or more that are added up")
    if not sets:
        raise UsageError("a fit needs at least one set with preferences of people")
    if leave_out is True and len(sets) < 2:
        raise UsageError("to leave a language pair out, a fit needs two or more of them")
    used = [_usable(each, len(names)) for each in sets]
    curves = [consistency.consistency_curve(*each) for each in used] if len(names) == 2 else []
    everything = list(range(len(used)))

    def weights(chosen: Sequence[int]) -> Float64:
        return _best([used[n] for n in chosen], ties)

    fitted = weights(everything)
    folds, judged = _without_segments(sets, ties, seed) if leave_out == "segments" else ([], [])
    fitted_sets = []
    for n, (given, matrix) in enumerate(zip(sets, used, strict=True)):
        own = weights([n]) if len(sets) > 1 else fitted
        held_out = weights([m for m in everything if m != n]) if leave_out is True else None
        found = judged[n] if judged else None
        if held_out is not None:
            found = consistency.consistency(_sum(held_out, matrix))
        fitted_sets.append(
            SetFit(
                given.name,
                tuple(consistency.consistency(row) for row in matrix),
                consistency.consistency(_sum(fitted, matrix)),
                tuple(own.tolist()),
                consistency.consistency(_sum(own, matrix)),
                None if held_out is None else tuple(held_out.tolist()),
                found,
                curves[n] if curves else None,
            )
        )
    mean = consistency.mean_curve(curves) if curves else None
    return WeightFit(
        tuple(names),
        ties,
        tuple(fitted.tolist()),
        tuple(fitted_sets),
        mean,
        mean.best(ties) if mean else None,
        option,
        tuple(tuple(each.tolist()) for each in folds),
    )


def _best(matrices: Sequence[Float64], ties: str) -> Float64:
    """Return the best weights of these sets; those of two members are exact."""
    if len(matrices[0]) > 2:
        return consistency.best_weights(matrices, ties=ties)[0]
    alpha = (
        consistency.mean_curve([consistency.consistency_curve(*each) for each in matrices])
        .best(ties)
        .alpha
    )
    return np.array([1 - alpha, alpha])


def _without_segments(
    sets: Sequence[FitInput], ties: str, seed: int
) -> tuple[list[Float64], list[consistency.Consistency]]:
    """Return the weights without each part of the segments, and how each set fares with them.

    Each preference is judged once, by weights that saw none of its segment.
    """
    generator = np.random.default_rng(seed)
    parts, kept = [], []
    for each in sets:
        if each.items is None:
            raise UsageError(f"{each.name}: the segments of its preferences are not known")
        used = ~np.isnan(each.differences).any(axis=0)
        segments, place = np.unique(each.items[used], return_inverse=True)
        if len(segments) < FOLDS:
            raise UsageError(
                f"{each.name}: {counted(len(segments), 'segment')} with preferences; to leave a "
                f"tenth of them out takes {FOLDS} or more"
            )
        parts.append((generator.permutation(len(segments)) % FOLDS)[place])
        kept.append(each.differences[:, used])
    weights, sums = [], [np.empty(matrix.shape[1]) for matrix in kept]
    for fold in range(FOLDS):
        others = [matrix[:, part != fold] for matrix, part in zip(kept, parts, strict=True)]
        weights.append(_best(others, ties))
        for row, matrix, part in zip(sums, kept, parts, strict=True):
            row[part == fold] = _sum(weights[-1], matrix[:, part == fold])
    return weights, [consistency.consistency(row) for row in sums]


def _usable(given: FitInput, members: int) -> Float64:
    """Return the differences of the preferences for which all members have scores."""
    if given.differences.ndim != 2 or len(given.differences) != members:
        shape = given.differences.shape
        raise UsageError(
            f"{given.name}: differences of shape {shape}, {counted(members, 'member')}"
        )
    used = given.differences[:, ~np.isnan(given.differences).any(axis=0)]
    if not used.shape[1]:
        raise UsageError(f"{given.name}: no preference of people has scores for both outputs")
    return used


def _sum(weights: Float64, matrix: Float64) -> Float64:
    """Add up the members; a member of weight 0 takes no part, to the last digit."""
    used = weights > 0
    return np.asarray(weights[used] @ matrix[used], np.float64)


# Scores differ by more than rounding makes of them.
_DIFFERENT = 1e-9


@dataclass(frozen=True)
class FitTarget:
    """What is fitted, read from text.

    Attributes
    ----------
    option : str
        Such as "lr-kb1.alpha" or "tree-cost.costs"; empty for a sum.
    metrics : tuple of str
        The members: of an option, the metric at 0 and at 1, and half-way for a check; of costs,
        the metric without them.
    """

    option: str
    metrics: tuple[str, ...]


def what_to_fit(text: str) -> FitTarget:
    """Read ``METRIC.OPTION`` or a sum of metrics.

    Parameters
    ----------
    text : str
        ``lr-kb1.alpha``, ``senscore(ordering=frs).alpha``, ``tree-cost.costs``, or a sum whose
        weights are to be found, ``0.6*cder + 0.4*per``.

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
        return FitTarget("", names)
    name, dot, option = text.strip().rpartition(".")
    if not dot or not name or not option.isidentifier():
        raise UsageError(
            f"what to fit is METRIC.OPTION, such as lr-kb1.alpha, or a sum of metrics, such as "
            f'"0.6*cder + 0.4*per", not {text!r}'
        )
    if f".{option}" == COSTS:
        metric = named_metric(name)
        if not isinstance(metric, TreeCost):
            raise UsageError(f"costs of operators are those of tree-cost, not of {name}")
        if metric.combine == "max" or metric.tree == "flat" or metric.cost != "length":
            raise UsageError(
                "costs are fitted for tree-cost with combine=average or sum and the canonical "
                f"tree, and without cost=, not for {name}"
            )
        return FitTarget(f"{name}{COSTS}", (name,))
    ends = tuple(_with_option(name, option, value) for value in ("0", "1", "0.5"))
    named_metric(name)
    try:
        for end in ends:
            named_metric(end)
    except UsageError as error:
        raise UsageError(f"{name}.{option} cannot be fitted, which tries 0 to 1: {error}") from None
    return FitTarget(f"{name}.{option}", ends)


def require_curve(what: str) -> None:
    """Raise a UsageError if what is fitted has no curve: a sum of more than two metrics."""
    fitted = what_to_fit(what)
    if len(fitted.metrics) == 1 or (not fitted.option and len(fitted.metrics) != 2):
        raise UsageError(f"--curve is for an option, or a sum of two metrics, not {what!r}")


@names_arguments
@shows_progress("segments")
def fit(
    sets: Sets,
    what: str,
    *,
    ties: str = "strict",
    leave_out: str | None = None,
    human: str | None = None,
    human_translations: bool = False,
    reference: str | None = None,
    costs: Path | None = None,
    seed: int = 12345,
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
    leave_out : "pair" or "segments", optional
        Fit on all language pairs but one too, for each, and judge on that one; or on nine tenths
        of the segments, and judge on the others. Costs of operators always leave segments out,
        unless it is "pair".
    human : str, optional
        Which of the human scores; "rankings" for judgements of pairs.
    human_translations : bool
        Whether human translations among the systems take part.
    reference : str, optional
        The references that metrics read, by name; by default the first.
    costs : path, optional
        Where to write the costs of operators, as ``tree-cost(cost=table,costs=FILE)`` reads them.
    seed : int
        Draws the tenths of the segments.
    progress, options
        As in `score_files`: ``aligner="exact+stem"``.

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
    choose("--fit-ties", ties, consistency.TIE_RULES)
    if leave_out is not None:
        choose("--leave-out", leave_out, LEAVE_OUT)
    fitted = what_to_fit(what)
    of_operators = fitted.option.endswith(COSTS)
    if costs is not None and not of_operators:
        raise UsageError(f"--costs-output is for a fit of tree-cost{COSTS}, not of {what!r}")
    inputs: list[FitInput] = []
    signs: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        metrics = _operator_metrics(fitted.metrics[0], folder) if of_operators else fitted.metrics
        read = judged_sets(sets, human)
        check_tokenizers(read, options.get("tokenizer", "auto"))
        for given in read:
            judged = select_judgements(given, human)
            people = judged_systems(judged.table)
            computed = computed_scores(
                given,
                metrics,
                systems=[name for name in people if name in given.outputs],
                reference=reference,
                progress=progress,
                **options,
            )
            judged, tables = keep_common_systems(given, judged, computed.tables, human_translations)
            signs = [table.higher_is_better == tables[0].higher_is_better for table in tables]
            scores = [table.better_higher().segments for table in tables]
            if fitted.option and not of_operators:
                scores = _ends(fitted.option, scores)
            systems, segments = tables[0].systems, scores[0].shape[1]
            if judged.pairs is not None:
                pairs = Preferences.of_rankings(judged.pairs, systems, segments)
            else:
                pairs = Preferences.of_scores(judged.table)
            rows = [
                consistency.pair_differences(s, pairs.item, pairs.better, pairs.worse)
                for s in scores
            ]
            inputs.append(FitInput(given.name, np.stack(rows), pairs.item))
    if of_operators:
        names, inputs = _seen(inputs)
    elif fitted.option:
        names = [f"{fitted.option}=0", f"{fitted.option}=1"]
    else:
        # Where one is better high and another low, the sum is a difference.
        names = [m if same else f"-{m}" for m, same in zip(fitted.metrics, signs, strict=True)]
    left_out = "segments" if of_operators and leave_out is None else leave_out
    found = fit_weights(
        names,
        inputs,
        ties=ties,
        leave_out=True if left_out == "pair" else left_out or False,
        option=fitted.option,
        seed=seed,
    )
    if costs is not None:
        with write_text(costs) as stream:
            stream.writelines(f"{key} {cost!r}\n" for key, cost in found.costs.items())
    return found


def _operator_metrics(name: str, folder: str) -> list[str]:
    """Return, for each operator, the metric in which it alone costs 1; its table is in `folder`."""
    if set(folder) & set(",()= "):
        raise UsageError(
            f"temporary files are in {folder!r}, which cannot be part of a metric's name: set "
            "TMPDIR to a folder without blanks, commas, brackets or ="
        )
    metrics = []
    for number, operator in enumerate(OPERATORS):
        path = os.path.join(folder, f"{number}.txt")
        with open(path, "w", encoding="utf-8") as stream:
            for key in ("12", *OPERATORS):
                stream.write(f"{key} {int(key == operator)}\n")
        metrics.append(_with_option(_with_option(name, "cost", "table"), "costs", path))
    return metrics


def _seen(inputs: Sequence[FitInput]) -> tuple[list[str], list[FitInput]]:
    """Leave out the operators in which no two outputs differ that people compared."""
    seen = [
        row
        for row in range(len(OPERATORS))
        if any(np.any(np.nan_to_num(each.differences[row])) for each in inputs)
    ]
    names = [OPERATORS[row] for row in seen]
    if len(names) < 2:
        raise UsageError(
            "there are no costs to choose: the outputs that people compared differ in "
            + (f"the operator {names[0]} alone" if names else "no operator")
        )
    return names, [FitInput(each.name, each.differences[seen], each.items) for each in inputs]


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
