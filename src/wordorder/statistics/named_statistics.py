"""Coefficients by name, with what each rests on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError, unknown_name
from wordorder.statistics.coefficients import (
    POOLED,
    VARIANTS,
    accuracies,
    counts_of_groups,
    kendalls,
    pearsons,
    spearmans,
    taus,
)
from wordorder.statistics.grouped_correlation import (
    Groups,
    grouped,
    mean_over_groups,
    soft_pairwise_accuracy,
)
from wordorder.statistics.tie_calibration import acc_eq
from wordorder.types import Float64

# "spa" and "pce" compare systems by all of their segments; the others take any scores.
NAMES = (
    *("pearson", "spearman", *(f"kendall-{variant}" for variant in VARIANTS)),
    *("accuracy", "acc-eq", "spa", "pce"),
)


@dataclass(frozen=True)
class Coefficient:
    """How closely a metric agrees with people, and on how much that rests.

    Attributes
    ----------
    value : float
        NaN if it is not defined.
    n : int
        Outputs with both scores, in groups that count.
    groups, left_out : int
        Groups whose mean, or sum, the value is, and groups without a value: too few scores, or all
        of them equal.
    threshold : float, optional
        Of acc-eq: differences of the metric up to it count as ties.
    """

    value: float
    n: int
    groups: int
    left_out: int
    threshold: float | None = None


def coefficient(
    statistic: str,
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    by: str = "none",
    *,
    seed: int = 12345,
) -> Coefficient:
    """Compute a coefficient by its name.

    Parameters
    ----------
    statistic : str
        One of `NAMES`; "kendall" is "kendall-b".
    metric, human : float64 of the same shape
        NaN where there is no score. For "item" and "system", and for "spa" and "pce",
        float64[systems, segments].
    by : "none", "item" or "system"
        Which outputs are compared with each other; "spa" and "pce" take no notice of it.
    seed : int
        Of "spa" and "pce".

    Raises
    ------
    UsageError
        If the name is unknown, the shapes do not fit or a score is infinite.

    Examples
    --------
    >>> coefficient("kendall-b", [[1.0, 2.0], [2.0, 2.0]], [[1.0, 1.0], [5.0, 4.0]], by="item")
    Coefficient(value=1.0, n=2, groups=1, left_out=1, threshold=None)
    """
    name = "kendall-b" if statistic == "kendall" else statistic
    if name not in NAMES:
        raise unknown_name("statistic", statistic, NAMES)
    if name in ("spa", "pce"):
        value = soft_pairwise_accuracy(metric, human, seed)
        known = ~(np.isnan(np.asarray(metric, float)) | np.isnan(np.asarray(human, float)))
        groups_used = 1 - int(np.isnan(value))
        value = value if name == "spa" else 1 - value
        return Coefficient(value, int(known.sum()), groups_used, 1 - groups_used)
    groups = grouped(metric, human, by)
    if name == "acc-eq":
        best = acc_eq(metric, human, by)
        number = int(groups.sizes[groups.pairs > 0].sum())
        left = len(groups.sizes) - best.groups
        return Coefficient(best.value, number, best.groups, left, best.threshold)
    value, values = value_and_parts(groups, name)
    defined = ~np.isnan(values)
    number = int(groups.sizes[defined].sum())
    return Coefficient(value, number, int(defined.sum()), int((~defined).sum()))


def value_and_parts(groups: Groups, name: str) -> tuple[float, Float64]:
    """Return a coefficient over groups, and that of each group, float64[G].

    Raises
    ------
    UsageError
        If one threshold serves all groups (acc-eq), or all segments together make the value.
    """
    if name == "pearson":
        values = pearsons(groups)
    elif name == "spearman":
        values = spearmans(groups)
    elif name == "accuracy":
        values = accuracies(counts_of_groups(groups))
    elif name.startswith("kendall-"):
        variant = name.removeprefix("kendall-")
        values, counts = kendalls(groups, variant)
        if variant in POOLED:
            return float(taus(counts.sum(axis=0, keepdims=True), variant)[0]), values
    else:
        raise UsageError(f"{name} has no value of each group")
    return mean_over_groups(values), values
