"""The coefficients of a meta-evaluation by name, and which of them goes with which judgements."""

from __future__ import annotations

from wordorder.errors import UsageError, unknown_name

UNITS = ("system", "segment", "document")
# Of two scores of each output.
OF_SCORES = (
    *("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"),
    *("kendall-10", "kendall-13", "kendall-14", "kendall-17", "kendall-23"),
    *("accuracy", "acc-eq"),
)
# Of a score of each system, and the significance of its differences.
OF_SYSTEMS = ("spa", "pce")
# Of pairs of which people said which is better.
OF_PAIRS = ("consistency", "consistency-strict", "kendall-10", "kendall-13", "kendall-14")
STATISTICS = tuple(dict.fromkeys((*OF_SCORES, *OF_SYSTEMS, *OF_PAIRS)))
# Of pairs of a segment only whole segments can be drawn, or swapped between metrics.
PAIR_TESTS = ("perm-inputs", "bootstrap")
# These draw at random themselves, too often to be resampled.
UNTESTED = OF_SYSTEMS
# Short for the usual variant.
_SHORT = {"kendall": "kendall-b", "tau": "kendall-b", "acc_eq": "acc-eq"}


def chosen_statistic(name: str | None, unit: str, *, pairs: bool) -> str:
    """Return the name of a coefficient in full, or the usual one.

    The usual ones: Pearson for systems and documents; acc-eq for scores of segments; consistency,
    the share of people's choices that the metric shares, for pairs.

    Parameters
    ----------
    name : str or None
    unit : "system", "segment" or "document"
    pairs : bool
        Whether people compared pairs of outputs of a segment.

    Raises
    ------
    UsageError
        If there is no such coefficient, or it cannot be combined with the judgements.

    Examples
    --------
    >>> chosen_statistic(None, "segment", pairs=False), chosen_statistic("kendall", "system",
    ...                                                                  pairs=True)
    ('acc-eq', 'kendall-b')
    """
    of_pairs = pairs and unit == "segment"
    if name is None:
        if of_pairs:
            return "consistency"
        return "acc-eq" if unit == "segment" else "pearson"
    whole = _SHORT.get(name, name)
    if whole not in STATISTICS:
        raise unknown_name("statistic", name, STATISTICS)
    legal = OF_PAIRS if of_pairs else (*OF_SCORES, *(OF_SYSTEMS if unit == "system" else ()))
    if whole not in legal:
        what = "pairs that people compared" if of_pairs else f"scores of {unit}s"
        how = "is not for"
        if whole in OF_PAIRS and not of_pairs:
            how = "is for segments of which people compared pairs of outputs, not for"
        raise UsageError(f"--statistic={name} {how} {what}; legal: {', '.join(legal)}")
    return whole


def check_choice(
    unit: str, statistic: str | None, by: str | None, test: str | None, *, pairs: bool
) -> None:
    """Raise a UsageError if coefficient, grouping or test cannot be combined with what is scored.

    Parameters
    ----------
    unit, statistic, by, test
        As `correlate` takes them.
    pairs : bool
        Whether people compared pairs of outputs of a segment.
    """
    name = chosen_statistic(statistic, unit, pairs=pairs)
    of_pairs = pairs and unit == "segment"
    if by is not None and (unit == "system" or of_pairs):
        what = "pairs that people compared" if of_pairs else "systems: they have one score each"
        raise UsageError(f"--by is not for {what}")
    if of_pairs and test is not None and test not in PAIR_TESTS:
        legal = " or ".join(PAIR_TESTS)
        raise UsageError(f"--test={test} is not for pairs that people compared: {legal}")
    if test == "williams" and (name, unit) != ("pearson", "system"):
        raise UsageError(f"--test=williams is for pearson of systems, not for {name} of {unit}s")
    if test is not None and name in UNTESTED:
        raise UsageError(f"--test={test} is not for {name}, which draws at random itself")


def chosen_grouping(by: str | None, unit: str, statistic: str, *, pairs: bool) -> str:
    """Return how scores of segments are grouped, unless told: by item where pairs are counted.

    Examples
    --------
    >>> chosen_grouping(None, "segment", "acc-eq", pairs=False)
    'item'
    """
    if unit == "system" or (pairs and unit == "segment"):
        return ""
    if by is not None:
        return by
    return "none" if statistic in ("pearson", "spearman") else "item"
