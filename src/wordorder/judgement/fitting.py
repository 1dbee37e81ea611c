"""Fit weights to human judgements: an option of a metric, weights of a sum, costs of operators."""

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

# Caution about strict counts, printed with every fit.
NOTE = (
    "a strict count rewards any weight that breaks ties: compare it with the count in which a tie "
    "is half right"
)

# Held-out data: one language pair after the other, or a tenth of the segments.
LEAVE_OUT = ("pair", "segments")
FOLDS = 10

# Operators whose costs are fitted; "*" stands for all others. The monotone operator costs 0, so
# that a correct order costs 0; adding a constant to all costs would not change the mean.
OPERATORS = ("21", "2413", "3142", "*")
COSTS = ".costs"

# Tolerance for comparing scores, for rounding errors.
_SCORE_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class FitInput:
    """Human preferences of one set, with the scores of the M members of a sum.

    Attributes
    ----------
    name : str
        The set, such as a language pair.
    differences : float64[M, N]
        For each member and preference, the score of the preferred output minus that of the other;
        higher scores are better; NaN if a score is missing.
    items : int64[N], optional
        The segment of each preference; needed to leave segments out.
    """

    name: str
    differences: Float64
    items: Int64 | None = None


@dataclass(frozen=True)
class SetFit:
    """The result of a fit on one set.

    Attributes
    ----------
    name : str
    members : tuple of Consistency
        The consistency of each member alone.
    fitted : Consistency
        The consistency with the weights that are best on all sets together.
    own_weights, own
        The weights that are best on this set alone, and the consistency with them.
    held_out_weights, held_out
        The weights that are best on all other sets, and the consistency with them on this set; None
        if no set was left out. If segments were left out, the weights are None, and those of each
        fold are in `WeightFit.folds`.
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
    """The weights that agree best with human preferences, and the consistency with them.

    Attributes
    ----------
    names : tuple of str
        The M members; "-bleu" if bleu is subtracted.
    ties : "strict" or "half"
        How pairs that the sum ties counted when the weights were chosen.
    weights : tuple of float
        The weights with the best mean consistency over all sets; they sum to 1.
    sets : tuple of SetFit
    curve : ConsistencyCurve, optional
        The mean consistency for every weight of the second of two members.
    best : BestWeight, optional
        The best weight on the curve.
    option : str
        The fitted option of a metric, such as "lr-kb1.alpha"; its value is the second weight. For
        "tree-cost.costs", the weights are the costs of operators. Empty for a sum of metrics.
    folds : tuple of tuple of float
        For each tenth of the segments, the weights fitted to the others; empty if no segments were
        left out.
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
        """The fitted costs of operators, see `OperatorCosts`; empty for other fits.

        An operator absent from the judged outputs gets the cost of "*". If "*" was not fitted
        either, its cost is the highest fitted one.
        """
        if not self.option.endswith(COSTS):
            return {}
        fitted = dict(zip(self.names, self.weights, strict=True))
        return {"12": 0.0, **fitted, "*": fitted.get("*", max(self.weights))}

    def mean(self, part: str, ties: str = "strict") -> float:
        """Return the mean over sets of ``fitted``, ``own`` or ``held_out``; NaN if one is missing.

        Examples
        --------
        >>> one = FitInput("de-en", np.array([[1.0, -1.0], [-1.0, 3.0]]))
        >>> fit_weights(("words", "order"), [one]).mean("fitted")
        1.0
        """
        results = [getattr(set_fit, part) for set_fit in self.sets]
        if not results or any(result is None for result in results):
            return float("nan")
        return float(np.mean([getattr(result, ties) for result in results]))


def fit_weights(
    names: Sequence[str],
    sets: Sequence[FitInput],
    *,
    ties: str = "strict",
    leave_out: bool | str = False,
    option: str = "",
    seed: int = 12345,
) -> WeightFit:
    """Choose the weights of a sum that agree best with human preferences, over all sets together.

    The weights maximise the share of preferences that the sum agrees with, averaged over the sets
    (Birch & Osborne 2011, section 3 and table 3). For two members the maximum is exact, since the
    sum changes its choice in each pair at one weight.

    Parameters
    ----------
    names : sequence of str
        The members, two or more.
    sets : sequence of FitInput
    ties : "strict" or "half"
        Whether a pair that the sum ties counts as wrong or as half right.
    leave_out : bool or "segments"
        Whether to also test, on each set, weights fitted to all other sets; or weights fitted to
        nine tenths of the segments of all sets on the others (ten-fold cross-validation).
    option : str
        The option of a metric whose value is the second of two weights, if any.
    seed : int
        Draws the tenths of the segments.

    Raises
    ------
    UsageError
        If there are fewer than two members, no set, only one set where sets are left out, or a set
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
    matrices = [_scored_differences(fit_input, len(names)) for fit_input in sets]
    curves = [consistency.consistency_curve(*m) for m in matrices] if len(names) == 2 else []
    fitted = _best_weights(matrices, ties)
    segment_folds = leave_out == "segments"
    folds, cross_validated = _cross_validate(sets, ties, seed) if segment_folds else ([], [])
    fitted_sets = []
    for n, (fit_input, matrix) in enumerate(zip(sets, matrices, strict=True)):
        own = _best_weights([matrix], ties) if len(sets) > 1 else fitted
        held_out_weights = None
        held_out = cross_validated[n] if cross_validated else None
        if leave_out is True:
            held_out_weights = _best_weights([*matrices[:n], *matrices[n + 1 :]], ties)
            held_out = consistency.consistency(_weighted_sum(held_out_weights, matrix))
        fitted_sets.append(
            SetFit(
                fit_input.name,
                tuple(consistency.consistency(row) for row in matrix),
                consistency.consistency(_weighted_sum(fitted, matrix)),
                tuple(own.tolist()),
                consistency.consistency(_weighted_sum(own, matrix)),
                None if held_out_weights is None else tuple(held_out_weights.tolist()),
                held_out,
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
        tuple(tuple(weights.tolist()) for weights in folds),
    )


def _best_weights(matrices: Sequence[Float64], ties: str) -> Float64:
    """Return the best weights for these sets; those of two members are exact."""
    if len(matrices[0]) > 2:
        return consistency.best_weights(matrices, ties=ties)[0]
    curves = [consistency.consistency_curve(*matrix) for matrix in matrices]
    alpha = consistency.mean_curve(curves).best(ties).alpha
    return np.array([1 - alpha, alpha])


def _cross_validate(
    sets: Sequence[FitInput], ties: str, seed: int
) -> tuple[list[Float64], list[consistency.Consistency]]:
    """Return the weights of each fold, and the held-out consistency of each set.

    Each preference is scored once, with weights fitted without its segment.
    """
    generator = np.random.default_rng(seed)
    folds, matrices = [], []
    for fit_input in sets:
        if fit_input.items is None:
            raise UsageError(f"{fit_input.name}: the segments of its preferences are not known")
        scored = ~np.isnan(fit_input.differences).any(axis=0)
        segments, segment_of = np.unique(fit_input.items[scored], return_inverse=True)
        if len(segments) < FOLDS:
            count = counted(len(segments), "segment")
            raise UsageError(
                f"{fit_input.name}: {count} with preferences; to leave a tenth of them out takes "
                f"{FOLDS} or more"
            )
        folds.append((generator.permutation(len(segments)) % FOLDS)[segment_of])
        matrices.append(fit_input.differences[:, scored])
    weights, sums = [], [np.empty(matrix.shape[1]) for matrix in matrices]
    for fold in range(FOLDS):
        training = [matrix[:, f != fold] for matrix, f in zip(matrices, folds, strict=True)]
        weights.append(_best_weights(training, ties))
        for row, matrix, f in zip(sums, matrices, folds, strict=True):
            row[f == fold] = _weighted_sum(weights[-1], matrix[:, f == fold])
    return weights, [consistency.consistency(row) for row in sums]


def _scored_differences(fit_input: FitInput, members: int) -> Float64:
    """Return the differences of the preferences for which all members have scores."""
    name, differences = fit_input.name, fit_input.differences
    if differences.ndim != 2 or len(differences) != members:
        problem = f"differences of shape {differences.shape}, {counted(members, 'member')}"
        raise UsageError(f"{name}: {problem}")
    scored = differences[:, ~np.isnan(differences).any(axis=0)]
    if not scored.shape[1]:
        raise UsageError(f"{name}: no preference of people has scores for both outputs")
    return scored


def _weighted_sum(weights: Float64, matrix: Float64) -> Float64:
    """Return the weighted sum of the members, without those of weight 0, for exact results."""
    used = weights > 0
    return np.asarray(weights[used] @ matrix[used], np.float64)


@dataclass(frozen=True)
class FitTarget:
    """The option, costs or sum to fit.

    Attributes
    ----------
    option : str
        Such as "lr-kb1.alpha" or "tree-cost.costs"; empty for a sum.
    metrics : tuple of str
        The members of a sum; for an option, the metric with the option at 0, at 1, and at 0.5 to
        check linearity; for costs, the metric without costs.
    """

    option: str
    metrics: tuple[str, ...]


def parse_fit_target(text: str) -> FitTarget:
    """Read ``METRIC.OPTION`` or a sum of metrics.

    Parameters
    ----------
    text : str
        ``lr-kb1.alpha``, ``senscore(ordering=frs).alpha``, ``tree-cost.costs``, or a sum
        ``0.6*cder + 0.4*per``, whose weights are ignored.

    Raises
    ------
    UsageError
        If the text is neither, or a metric or option does not exist.

    Examples
    --------
    >>> parse_fit_target("lr-kb1.alpha").metrics
    ('lr-kb1(alpha=0)', 'lr-kb1(alpha=1)', 'lr-kb1(alpha=0.5)')
    >>> parse_fit_target("0.6*cder(penalty=length) + 0.4*per").metrics
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
    """Refuse targets without a curve: costs of operators, and sums of more than two metrics."""
    target = parse_fit_target(what)
    if len(target.metrics) == 1 or (not target.option and len(target.metrics) != 2):
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

    They maximise the share of human preferences within segments that the metric agrees with,
    averaged over the sets. Preferences are judgements of pairs, or differences between human
    scores of one segment.

    Parameters
    ----------
    sets : EvaluationSet or path, or several
        One or more sets, see `read_evaluation_sets`; several are several language pairs.
    what : str
        The option, costs or sum to fit, see `parse_fit_target`.
    ties : "strict" or "half"
        Whether a pair that the metric ties counts as wrong or as half right.
    leave_out : "pair" or "segments", optional
        Also fit to all language pairs but one, for each, and test on that one; or fit to nine
        tenths of the segments, and test on the others, which is the default for costs of operators.
    human : str, optional
        The name of the human scores, or "rankings" for judgements of pairs.
    human_translations : bool
        Whether human translations among the systems are included.
    reference : str, optional
        The names of the references that metrics read; by default the first.
    costs : path, optional
        Output file for the costs of operators, which ``tree-cost(cost=table,costs=FILE)`` reads.
    seed : int
        Draws the tenths of the segments.
    progress, options
        As in `score_files`: ``aligner="exact+stem"``.

    Raises
    ------
    UsageError
        If `what` is not valid, the score of a segment is not linear in the option, or a set has
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
    target = parse_fit_target(what)
    of_operators = target.option.endswith(COSTS)
    if costs is not None and not of_operators:
        raise UsageError(f"--costs-output is for a fit of tree-cost{COSTS}, not of {what!r}")
    inputs: list[FitInput] = []
    signs: list[bool] = []
    with tempfile.TemporaryDirectory() as folder:
        metrics = _operator_metrics(target.metrics[0], folder) if of_operators else target.metrics
        read = judged_sets(sets, human)
        check_tokenizers(read, options.get("tokenizer", "auto"))
        for evaluation_set in read:
            judged = select_judgements(evaluation_set, human)
            computed = computed_scores(
                evaluation_set,
                metrics,
                systems=[
                    name for name in judged_systems(judged.table) if name in evaluation_set.outputs
                ],
                reference=reference,
                progress=progress,
                **options,
            )
            judged, tables = keep_common_systems(
                evaluation_set, judged, computed.tables, human_translations
            )
            signs = [table.higher_is_better == tables[0].higher_is_better for table in tables]
            scores = [table.better_higher().segments for table in tables]
            if target.option and not of_operators:
                scores = _check_linear(target.option, scores)
            systems, segments = tables[0].systems, scores[0].shape[1]
            if judged.pairs is not None:
                pairs = Preferences.of_rankings(judged.pairs, systems, segments)
            else:
                pairs = Preferences.of_scores(judged.table)
            rows = [
                consistency.pair_differences(s, pairs.item, pairs.better, pairs.worse)
                for s in scores
            ]
            inputs.append(FitInput(evaluation_set.name, np.stack(rows), pairs.item))
    if of_operators:
        names, inputs = _drop_constant_operators(inputs)
    elif target.option:
        names = [f"{target.option}=0", f"{target.option}=1"]
    else:
        # Metrics of which lower is better are subtracted from those of which higher is better.
        names = [m if same else f"-{m}" for m, same in zip(target.metrics, signs, strict=True)]
    left_out = "segments" if of_operators and leave_out is None else leave_out
    weight_fit = fit_weights(
        names,
        inputs,
        ties=ties,
        leave_out=True if left_out == "pair" else left_out or False,
        option=target.option,
        seed=seed,
    )
    if costs is not None:
        with write_text(costs) as stream:
            stream.writelines(f"{key} {cost!r}\n" for key, cost in weight_fit.costs.items())
    return weight_fit


def _operator_metrics(name: str, folder: str) -> list[str]:
    """Return, for each operator, the metric in which only it costs 1; `folder` gets the tables."""
    if set(folder) & set(",()= "):
        raise UsageError(
            f"temporary files are in {folder!r}, which cannot be part of a metric's name: set "
            "TMPDIR to a folder without blanks, commas, brackets or ="
        )
    metrics = []
    for index, operator in enumerate(OPERATORS):
        path = os.path.join(folder, f"{index}.txt")
        with open(path, "w", encoding="utf-8") as stream:
            for key in ("12", *OPERATORS):
                stream.write(f"{key} {int(key == operator)}\n")
        metrics.append(_with_option(_with_option(name, "cost", "table"), "costs", path))
    return metrics


def _drop_constant_operators(inputs: Sequence[FitInput]) -> tuple[list[str], list[FitInput]]:
    """Drop operators whose count is the same in both outputs of every judged pair."""
    varying = [
        row
        for row in range(len(OPERATORS))
        if any(np.any(np.nan_to_num(fit_input.differences[row])) for fit_input in inputs)
    ]
    names = [OPERATORS[row] for row in varying]
    if len(names) < 2:
        raise UsageError(
            "there are no costs to choose: the outputs that people compared differ in "
            + (f"the operator {names[0]} alone" if names else "no operator")
        )
    return names, [
        FitInput(fit_input.name, fit_input.differences[varying], fit_input.items)
        for fit_input in inputs
    ]


def _check_linear(option: str, scores: Sequence[Float64]) -> list[Float64]:
    """Return the scores at 0 and at 1; refuse an option unless those at 0.5 are their mean."""
    at_0, at_1, halfway = scores
    errors = np.abs(halfway - (at_0 + at_1) / 2)
    if not np.all(errors[~np.isnan(errors)] <= _SCORE_TOLERANCE):
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
