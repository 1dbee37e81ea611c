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
from wordorder.statistics.paired_tests import Comparison, PairTest, compared_on
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
    """Systems by their mean ratings, and the test of each two.

    Attributes
    ----------
    systems : tuple of str
        The worst first, so that what is better is marked with a plus, as in the papers.
    comparison : Comparison
        Of the systems in that order; the difference of two is that on the items rated for both.
    items : tuple of int
        One per pair of the comparison: how many items were rated for both.
    ratings, raters : int
        How many were given, and by how many people.
    over : "items", "raters" or "both"
        What was resampled.
    signature : str
        How a project of `rate` collected the ratings.
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
        found = []
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
            found.append(row)
        return tuple(found)

    def to_columns(self) -> Columns:
        """Return a row for each pair, as columns: ``pandas.DataFrame`` takes them.

        Returns
        -------
        dict of str to list
            The keys of `RatedPair`, None for NaN; of a project ``signature``.
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
    r"""Test the difference of the mean ratings of each two systems, paired by item.

    The mean of a system is that over items of the mean rating of its output. Two systems are
    compared on the items that were rated for both, by the test of `paired_bootstrap`: the mark is
    ``+*`` or ``+**`` if the interval of the difference leaves out 0 at 90 or at 95 % (Talbot et
    al. 2011, Table 3).

    Parameters
    ----------
    judgements : Ratings or path
        What `read_judgements` reads.
    over : "items", "raters" or "both"
        What is resampled: items with all their ratings, raters with all of theirs, or both.
    items : path, optional
        Passed on to `read_judgements`.
    resamples, seed : int

    Raises
    ------
    InputError
        As `read_judgements`.
    UsageError
        If the judgements are no ratings, or an option is wrong.

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
    whole = judgements.means()
    values = weighted_mean(whole, np.ones(whole.shape[1]))
    order = np.argsort(values, kind="stable")
    whole, values = whole[order], values[order]
    both = [(a, b, ~np.isnan(whole[a] + whole[b])) for a, b in combinations(range(len(order)), 2)]
    samples: list[list[Float64]] = [[] for _ in both]
    for weights, means in resampled_means(judgements, over=over, resamples=resamples, seed=seed):
        for (a, b, _), drawn in zip(both, samples, strict=True):
            two = means[order[[a, b]]]
            drawn.append(weighted_mean(two, weights * ~np.isnan(two.sum(axis=0))))
    tests = []
    for (a, b, shared), drawn in zip(both, samples, strict=True):
        known = np.array([two for two in drawn if not np.isnan(two).any()])
        if not shared.any() or not len(known):
            note(f"{judgements.systems[order[a]]} and {judgements.systems[order[b]]} share no item")
            tests.append(PairTest(a, b, np.nan, None, None, np.nan, NOT_COMPARED))
            continue
        size = int(shared.sum())
        measured = Measurement(whole[[a, b]][:, shared, np.newaxis], partial(_mean, items=size))
        (test,) = compared_on(measured, known.T, seed=seed).pairs
        tests.append(replace(test, first=a, second=b))
    found = Comparison("bootstrap", resamples, seed, True, tuple(values.tolist()), tuple(tests))
    names = tuple(judgements.systems[n] for n in order)
    sizes = tuple(int(shared.sum()) for _, _, shared in both)
    number = len(judgements), len(judgements.raters)
    return RatedPairs(names, found, sizes, *number, over, judgements.signature)


def _mean(totals: Float64, items: int) -> Float64:
    mean: Float64 = totals[..., 0] / items
    return mean


def resampled_means(
    ratings: Ratings, *, over: str, resamples: int, seed: int
) -> Iterator[tuple[Float64, Float64]]:
    """Yield how often each item is drawn, float64[I], and the means of systems on items.

    Parameters
    ----------
    ratings : Ratings
        With the names of raters, if they are resampled.
    over : "items", "raters" or "both"
    resamples, seed : int

    Yields
    ------
    weights : float64[I]
    means : float64[n, I]
        NaN where an output has no rating, or none by the raters that were drawn.
    """
    random = np.random.default_rng(seed)
    shape = len(ratings.systems), len(ratings.items)
    cells = ratings.system.astype(np.int64) * shape[1] + ratings.item
    means = ratings.means()
    weights = np.ones(shape[1])
    for _ in range(resamples):
        if over != "raters":
            weights = _drawn(random, shape[1])
        if over != "items":
            often = _drawn(random, len(ratings.raters))[ratings.rater]
            number = np.bincount(cells, often, means.size)
            sums = np.bincount(cells, often * ratings.value, means.size)
            known = np.where(number > 0, sums / np.maximum(number, 1), np.nan)
            means = known.reshape(shape)
        yield weights, means


def _drawn(random: np.random.Generator, size: int) -> Float64:
    """Draw as many as there are, with replacement; return how often each was drawn."""
    return np.bincount(random.integers(size, size=size), minlength=size).astype(np.float64)


def weighted_mean(means: Float64, weights: Float64) -> Float64:
    """Return the mean of each row over the items that have a value; NaN without any."""
    counted_in = np.where(np.isnan(means), 0.0, weights)
    total = counted_in.sum(axis=-1)
    sums = np.where(counted_in > 0, means, 0.0) * counted_in
    return np.where(total > 0, sums.sum(axis=-1) / np.maximum(total, 1e-300), np.nan)
