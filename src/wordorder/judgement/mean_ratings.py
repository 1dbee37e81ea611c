"""Mean ratings of systems, tested pair by pair on the same sentences, as papers report them."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement.judgement_files import check_judgements
from wordorder.judgement.judgements import Judgements, Ratings
from wordorder.notes import note
from wordorder.records import Columns, Record, column_names, columns_of, key
from wordorder.statistics.measurement import NOT_COMPARED, Measurement
from wordorder.statistics.paired_tests import Comparison, PairTest, compare_resamples
from wordorder.text.opening import Path


@dataclass(frozen=True)
class RatedPair(Record):
    """The difference of two systems' mean ratings, on the items that were rated for both."""

    a: str = key("a system")
    b: str = key("another system")
    mean_a: float = key("the mean rating of `a`, over all its items")
    mean_b: float = key("the mean rating of `b`")
    difference: float = key(
        "`b` minus `a`; without a common item it and the keys below are missing", null=True
    )
    low90: float = key("the lower end of its 90 % interval", null=True)
    high90: float = key("the upper end of its 90 % interval", null=True)
    low95: float = key("the lower end of its 95 % interval", null=True)
    high95: float = key("the upper end of its 95 % interval", null=True)
    p: float = key("the two-sided p-value", null=True)
    mark: str = key(
        "`+` or `-` for the sign of the difference, with `*` or `**` where the interval at 90 or "
        "95 % leaves out 0; or `not compared`"
    )
    items: int = key("how many items were rated for both")


@dataclass(frozen=True)
class RatedPairs:
    """Systems ranked by their mean ratings, with a test of each pair.

    Attributes
    ----------
    systems : tuple of str
        From the worst to the best, so that better systems have a plus, as in the papers.
    comparison : Comparison
        The tests of the pairs, with the systems in that order; the difference of two systems is
        that on the items that were rated for both.
    items : tuple of int
        For each pair of the comparison, the number of items that were rated for both.
    ratings, raters : int
        The number of ratings, and of the people who gave them.
    over : "items", "raters" or "both"
        What was resampled.
    signature : str
        The signature of the project of `rate` that collected the ratings; empty without one.
    """

    systems: tuple[str, ...]
    comparison: Comparison
    items: tuple[int, ...]
    ratings: int
    raters: int
    over: str
    signature: str = ""

    @property
    def pairs(self) -> tuple[RatedPair, ...]:
        """Each pair of systems with its difference."""
        rows = []
        for pair, items in zip(self.comparison.pairs, self.items, strict=True):
            low90, high90 = pair.interval_90 or (np.nan, np.nan)
            low95, high95 = pair.interval_95 or (np.nan, np.nan)
            row = RatedPair(
                a=self.systems[pair.first],
                b=self.systems[pair.second],
                mean_a=self.comparison.values[pair.first],
                mean_b=self.comparison.values[pair.second],
                difference=pair.difference,
                low90=low90,
                high90=high90,
                low95=low95,
                high95=high95,
                p=pair.p_value,
                mark=pair.mark,
                items=items,
            )
            rows.append(row)
        return tuple(rows)

    def to_columns(self) -> Columns:
        """Return columns with a row for each pair, for ``pandas.DataFrame``.

        Returns
        -------
        dict of str to list
            A list for each key of `RatedPair`, with None for NaN; and ``signature`` if a project
            collected the ratings.
        """
        columns = columns_of(column_names(RatedPair), [(pair,) for pair in self.pairs])
        return columns | (
            {"signature": [self.signature] * len(self.pairs)} if self.signature else {}
        )


def rated_pairs(
    judgements: Judgements | Path,
    *,
    over: str = "items",
    items: Path | None = None,
    resamples: int = 1000,
    seed: int = 12345,
) -> RatedPairs:
    r"""Test the difference of the mean ratings of each pair of systems, paired by item.

    The mean of a system is computed in two steps: the ratings of each item are averaged, then the
    items. Two systems are compared on the items that were rated for both, by the test of
    `paired_bootstrap`: the mark is ``+*`` or ``+**`` if the interval of the difference leaves out 0
    at 90 or at 95 % (Talbot et al. 2011, Table 3).

    Parameters
    ----------
    judgements : Ratings or path
        Ratings, or a file that `read_judgements` can read.
    over : "items", "raters" or "both"
        What is resampled: items with all their ratings, raters with all of theirs, or both.
    items : path, optional
        Passed on to `read_judgements`.
    resamples, seed : int

    Raises
    ------
    InputError
        See `read_judgements`.
    UsageError
        If the judgements are not ratings, or an option is wrong.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ratings.tsv")
    >>> rows = [f"x\t{n}\t{name}\t{n % 3 + (name == 'B')}" for n in range(30) for name in "AB"]
    >>> _ = path.write_text("\n".join(["rater\titem\tsystem\tvalue", *rows]))
    >>> found = rated_pairs(path)
    >>> found.systems, found.comparison.values, found.comparison.pair(0, 1).mark
    (('A', 'B'), (1.0, 2.0), '+**')
    """
    judgements = check_judgements(judgements, items=items, over=over)
    if not isinstance(judgements, Ratings):
        raise UsageError("mean ratings are compared, and these judgements are pairs without values")
    judgements.note_few_items("intervals are too narrow")
    item_means = judgements.means()
    values = weighted_mean(item_means, np.ones(item_means.shape[1]))
    order = np.argsort(values, kind="stable")
    item_means, values = item_means[order], values[order]
    pairs = [
        (a, b, ~np.isnan(item_means[a] + item_means[b]))
        for a, b in combinations(range(len(order)), 2)
    ]
    samples: list[list[Float64]] = [[] for _ in pairs]
    for weights, means in resampled_means(judgements, over=over, resamples=resamples, seed=seed):
        for (a, b, _), pair_samples in zip(pairs, samples, strict=True):
            pair_means = means[order[[a, b]]]
            pair_samples.append(
                weighted_mean(pair_means, weights * ~np.isnan(pair_means.sum(axis=0)))
            )
    tests = []
    for (a, b, shared), pair_samples in zip(pairs, samples, strict=True):
        valid_samples = np.array([means for means in pair_samples if not np.isnan(means).any()])
        if not shared.any() or not len(valid_samples):
            note(f"{judgements.systems[order[a]]} and {judgements.systems[order[b]]} share no item")
            tests.append(PairTest(a, b, np.nan, None, None, np.nan, NOT_COMPARED))
            continue
        size = int(shared.sum())
        measured = Measurement(
            item_means[[a, b]][:, shared, np.newaxis], partial(_mean, items=size)
        )
        (test,) = compare_resamples(measured, valid_samples.T, seed=seed).pairs
        tests.append(replace(test, first=a, second=b))
    comparison = Comparison(
        "bootstrap", resamples, seed, True, tuple(values.tolist()), tuple(tests)
    )
    names = tuple(judgements.systems[n] for n in order)
    sizes = tuple(int(shared.sum()) for _, _, shared in pairs)
    rating_and_rater_counts = len(judgements), len(judgements.raters)
    return RatedPairs(
        names, comparison, sizes, *rating_and_rater_counts, over, judgements.signature
    )


def _mean(totals: Float64, items: int) -> Float64:
    mean: Float64 = totals[..., 0] / items
    return mean


def resampled_means(
    ratings: Ratings, *, over: str, resamples: int, seed: int
) -> Iterator[tuple[Float64, Float64]]:
    """Yield resamples: how often each item is drawn, and the mean of each system on each item.

    Parameters
    ----------
    ratings : Ratings
        They must name the raters, if these are resampled.
    over : "items", "raters" or "both"
    resamples, seed : int

    Yields
    ------
    weights : float64[I]
    means : float64[n, I]
        NaN for outputs without a rating by the raters drawn.
    """
    random = np.random.default_rng(seed)
    shape = len(ratings.systems), len(ratings.items)
    cells = ratings.system.astype(np.int64) * shape[1] + ratings.item
    means = ratings.means()
    weights = np.ones(shape[1])
    for _ in range(resamples):
        if over != "raters":
            weights = _bootstrap_counts(random, shape[1])
        if over != "items":
            rating_weights = _bootstrap_counts(random, len(ratings.raters))[ratings.rater]
            weight_sums = np.bincount(cells, rating_weights, means.size)
            sums = np.bincount(cells, rating_weights * ratings.value, means.size)
            drawn_means = np.where(weight_sums > 0, sums / np.maximum(weight_sums, 1), np.nan)
            means = drawn_means.reshape(shape)
        yield weights, means


def _bootstrap_counts(random: np.random.Generator, size: int) -> Float64:
    """Draw `size` of `size` indices with replacement; return how often each was drawn."""
    return np.bincount(random.integers(size, size=size), minlength=size).astype(np.float64)


def weighted_mean(means: Float64, weights: Float64) -> Float64:
    """Return the weighted mean of each row over its items that are not NaN; NaN without any."""
    effective_weights = np.where(np.isnan(means), 0.0, weights)
    total = effective_weights.sum(axis=-1)
    sums = np.where(effective_weights > 0, means, 0.0) * effective_weights
    return np.where(total > 0, sums.sum(axis=-1) / np.maximum(total, 1e-300), np.nan)
