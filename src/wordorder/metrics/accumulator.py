"""Incremental scores, for corpora in chunks and for training loops."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.metrics import contract
from wordorder.metrics.registry import METRICS
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance, common_provenance
from wordorder.signature import Signature
from wordorder.statistics.bucket_sums import BucketSums
from wordorder.statistics.exact_sum import ExactSum
from wordorder.statistics.intervals import Estimate, confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.text.strict_json import STRICT_JSON

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.order.reading import OrderRows

INPUT_NAME = "partial result"
FORMAT_VERSION = 1

# Many times the size of a metric with many columns and intervals.
MAX_BYTES = 1 << 27

MAX_SEGMENTS = 1 << 62

# The options by signature, which are equal for all metrics with the same signature.
_OPTIONS_OF_SIGNATURE: dict[Signature, dict[str, Any]] = {}


class Accumulator:
    """Sums a metric's statistics chunk by chunk.

    Parameters
    ----------
    metric : Metric
    intervals : bool
        Whether to keep the sums of 4,096 buckets of segments too, for `estimate` and
        `bucket_measurement`; see `BucketSums`.
    seed : int
        The seed for the assignment to buckets and for resampling.

    Notes
    -----
    Sums are exact: any division of a corpus into chunks, in any order, gives exactly the same
    score. Memory does not grow.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> running = Accumulator(metric("frs"))
    >>> _ = running.update([[1, 0, 2]], [[0, 1, 2]])
    >>> _ = running.update([[0, 1, 2]], [[0, 1, 2]])
    >>> running.compute().value
    0.5
    >>> running.reset()
    >>> running.segments
    0
    """

    def __init__(
        self, metric: contract.Metric, *, intervals: bool = False, seed: int = 12345
    ) -> None:
        self.metric = contract.complete_metric(metric)
        self.intervals = intervals
        self.seed = seed
        self._signature: Signature | None = None
        self.reset()

    @property
    def signature(self) -> Signature:
        """The metric's signature; only accumulators with the same signature can be merged."""
        if self._signature is None:
            self._signature = self.metric.signature()
        return self._signature

    @property
    def segments(self) -> int:
        """The number of segments that have been added."""
        return self._segments

    def reset(self) -> None:
        """Remove all segments."""
        self._sum: ExactSum | None = None
        self._buckets: BucketSums | None = None
        self._segments = 0
        self._skipped = 0
        self._provenance: Provenance | None = None

    def update(
        self,
        system: Segments | OrderRows,
        reference: OrderRows | None = None,
        *,
        first_row: int | Int64 | None = None,
    ) -> Float64:
        """Add segments, relative permutations, or the orders of a system and of a reference.

        Parameters
        ----------
        system : Segments, or rows
        reference : rows, optional
        first_row : int or int64[S], optional
            The index of the first segment in the complete corpus, or the indices of all segments,
            which determine the buckets. By default the number of segments added before.

        Returns
        -------
        float64[S, k]
            The statistics that were added.

        Raises
        ------
        UsageError
            If the references were made in another way than earlier ones, so that no signature
            describes both.
        InputError
            If the orders are invalid; see `Segments`.
        """
        if isinstance(system, Segments):
            if reference is not None:
                raise UsageError("segments have their references already")
            segments = system
        elif reference is None:
            segments = Segments.from_permutations(system)  # type: ignore[arg-type]
        else:
            segments = Segments.from_orders(system, reference)
        statistics = contract.statistics_in_pieces(self.metric, segments)
        self.add(segments, statistics, first_row=first_row)
        return statistics

    def add(
        self, segments: Segments, statistics: Float64, *, first_row: int | Int64 | None = None
    ) -> None:
        """Add segments whose statistics have already been computed."""
        provenance = self._provenance
        if len(segments):
            provenances = [] if provenance is None else [provenance]
            provenance = common_provenance([*provenances, self.metric.origin(segments)])
        # Errors are raised before anything is added.
        if self.intervals:
            if self._buckets is None:
                self._buckets = BucketSums(statistics.shape[1], seed=self.seed)
            self._buckets.add(statistics, self._segments if first_row is None else first_row)
        if self._sum is None:
            self._sum = ExactSum(statistics.shape[1])
        self._sum.add(statistics)
        self._provenance = provenance
        self._segments += len(segments)
        self._skipped += int(np.count_nonzero(contract.left_out_segments(statistics)))

    def merge(self, other: Accumulator) -> None:
        """Add all segments of `other`, which is not changed.

        Raises
        ------
        UsageError
            If the two have different signatures, or their references were made in different ways;
            nothing is added then.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> first, second = Accumulator(metric("frs")), Accumulator(metric("frs"))
        >>> _ = first.update([[1, 0, 2]], [[0, 1, 2]])
        >>> _ = second.update([[0, 1, 2]], [[0, 1, 2]])
        >>> first.merge(second)
        >>> first.compute().value
        0.5
        """
        if other.signature != self.signature:
            same = "partial results have the same metric, options and version"
            raise UsageError(f"cannot merge {other.signature} into {self.signature}: {same}")
        buckets, other_buckets = _describe_buckets(self), _describe_buckets(other)
        if other_buckets != buckets:
            raise UsageError(f"cannot merge {self.metric.name} {other_buckets} into one {buckets}")
        provenances = [
            accumulator._provenance
            for accumulator in (self, other)
            if accumulator._provenance is not None
        ]
        if len(set(provenances)) > 1:
            fields, other_fields = (
                _format_fields(set(provenances[i]) - set(provenances[1 - i])) for i in (0, 1)
            )
            raise UsageError(
                f"cannot merge {self.metric.name} on references with {other_fields} into one with "
                f"{fields}: the references were made in different ways"
            )
        self._provenance = provenances[0] if provenances else None
        if other._sum is not None:
            if self._sum is None:
                self._sum = ExactSum(other._sum.columns)
            self._sum.merge(other._sum)
        if other._buckets is not None:
            if self._buckets is None:
                self._buckets = BucketSums(other._buckets.columns, seed=self.seed)
            self._buckets.merge(other._buckets)
        self._segments += other._segments
        self._skipped += other._skipped

    def to_bytes(self) -> bytes:
        """Return the sums as one line of ASCII JSON with sorted keys.

        Equal contents give equal bytes, regardless of how the segments were divided, ordered and
        merged. `metric` and `options` rebuild the metric. `signature`, `provenance` and the version
        of wordorder must agree to read and merge results; `segments` and `skipped` are counts.
        `sums` has the exact sum of each statistic: an odd number in hexadecimal digits, ``p`` and a
        power of two (``-5p-3`` is -5/8), or ``0``. With `intervals`, `buckets` has the `seed`, a
        line with the number of segments of each bucket, and a line of sums for each statistic.
        `version` is 1.

        Raises
        ------
        UsageError
            If the metric is not registered by name, or cannot be rebuilt from its options.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> running = Accumulator(metric("exact"))
        >>> _ = running.update([[1, 0, 2], [0, 1]])
        >>> print(running.to_bytes().decode())  # doctest: +ELLIPSIS
        {"metric":"exact","options":{},...,"segments":2,...,"sums":["1p0","1p1"],"version":1,...}
        """
        name, options = name_and_options(self.metric)
        is_nonempty = self._segments > 0
        content: dict[str, Any] = {
            "metric": name,
            "options": options,
            "signature": str(self.signature),
            "provenance": self._provenance or (),
            "segments": self._segments,
            "skipped": self._skipped,
            "sums": self._sum.to_text() if self._sum is not None and is_nonempty else [],
        }
        if self.intervals:
            lines = self._buckets.to_text() if self._buckets is not None and is_nonempty else []
            content["buckets"] = {"seed": self.seed, "sums": lines}
        return encode_partial_result(content)

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """Read a result of `to_bytes`, also from another machine.

        The bytes are parsed as text and numbers; no code in them is run. The metric is created from
        its name and options. A metric that needs all references first (`nist`) is not prepared: the
        accumulator can be merged and computed, but not updated.

        Raises
        ------
        InputError
            If the bytes are truncated, damaged, or from another version of the format or of
            wordorder, or name a metric that is not installed.
        """
        content = decode_partial_result(data)
        metric, signature, columns = read_metric(content)
        segments = read_count(content, "segments")
        buckets = read_buckets(content, columns)
        accumulator = cls(metric, intervals=buckets is not None)
        accumulator._signature = signature
        accumulator._segments = segments
        accumulator._skipped = read_count(content, "skipped", maximum=accumulator._segments)
        provenance = read_provenance(content)
        if accumulator._segments:
            accumulator._provenance = provenance
            accumulator._sum = read_sums(content, metric, columns)
        if buckets is not None:
            accumulator.seed = buckets.seed
            accumulator._buckets = buckets
        return accumulator

    def compute(self) -> contract.Score:
        """Return the score of everything added since the start or the last `reset`.

        Raises
        ------
        InputError
            If no segment was added.
        """
        contract.require_segments(self._segments)
        counts = self._segments, self._skipped
        value = contract.corpus_value(self.metric, self.totals(), *counts)
        signature = self.signature.with_fields(*(self._provenance or ()))
        return contract.Score(value, signature, *counts)

    def totals(self) -> Float64:
        """Return the sum of all statistics, float64[k], correctly rounded."""
        if self._sum is None:
            return np.zeros(contract.statistics_width(self.metric))
        return self._sum.totals()

    def estimate(self, confidence: float = 0.95, *, resamples: int = 1000) -> Estimate:
        """Return the score with its interval, by bootstrap resampling of buckets of segments.

        Raises
        ------
        UsageError
            If the accumulator was created without ``intervals=True``, or an option is out of range.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> running = Accumulator(metric("frs"), intervals=True)
        >>> _ = running.update([[0, 1, 2], [2, 1, 0]] * 10_000)
        >>> estimate = running.estimate()
        >>> estimate.value, round(estimate.low, 3), round(estimate.high, 3)
        (0.5, 0.493, 0.506)
        """
        sampling = {"resamples": resamples, "seed": self.seed}
        measurement = bucket_measurement([self])
        ((intervals,),) = confidence_intervals([measurement], confidence=confidence, **sampling)
        return intervals


def bucket_measurement(systems: Sequence[Accumulator]) -> Measurement:
    """Return the bucket sums of systems under one metric, for intervals and paired tests.

    Parameters
    ----------
    systems : sequence of Accumulator
        Accumulators with the same metric, segments and seed, created with ``intervals=True``.

    Raises
    ------
    UsageError
        If the list is empty, an accumulator has no buckets, or metric, seed or segments differ.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.statistics.paired_tests import compare
    >>> worse, better = (Accumulator(metric("frs"), intervals=True) for _ in range(2))
    >>> for _ in range(50):
    ...     _ = worse.update([[2, 1, 0], [0, 1, 2]])
    ...     _ = better.update([[1, 2, 0], [0, 1, 2]])
    >>> (comparison,) = compare([bucket_measurement([worse, better])])
    >>> comparison.pair(0, 1).difference, comparison.pair(0, 1).mark
    (0.25, '+**')
    """
    if not systems:
        raise UsageError("bucket_measurement needs at least one accumulator")
    first = systems[0]
    for system in systems:
        if not system.intervals:
            raise UsageError("an accumulator has buckets if it is made with intervals=True")
        if system.signature != first.signature:
            raise UsageError(f"{system.signature} cannot be compared with {first.signature}")
        if system.seed != first.seed:
            raise UsageError(f"buckets of seed {system.seed} and of seed {first.seed}")
    width = contract.statistics_width(first.metric)
    sums = [system._buckets or BucketSums(width, seed=first.seed) for system in systems]
    if any(not np.array_equal(bucket_sums.counts, sums[0].counts) for bucket_sums in sums):
        raise UsageError("the systems' accumulators have different segments")
    # Empty buckets must not be resampled.
    used = sums[0].counts > 0
    return Measurement(
        [bucket_sums.totals()[used] for bucket_sums in sums],
        first.metric.score,
        first.metric.higher_is_better,
        np.stack([system.totals() for system in systems]),
    )


def _describe_buckets(running: Accumulator) -> str:
    return f"with buckets of seed {running.seed}" if running.intervals else "without buckets"


def _format_fields(fields: Iterable[tuple[str, str]]) -> str:
    return "|".join(f"{key}:{value}" for key, value in sorted(fields)) or "no such field"


def encode_partial_result(content: Mapping[str, Any]) -> bytes:
    """Return content as one line of JSON; equal contents give equal bytes."""
    record = {"wordorder": INPUT_NAME, "version": FORMAT_VERSION, **content}
    return json.dumps(record, sort_keys=True, separators=(",", ":"), allow_nan=False).encode()


def decode_partial_result(data: bytes) -> dict[str, Any]:
    """Parse a result of `encode_partial_result`.

    Raises
    ------
    InputError
        If it is truncated, has another version, or is not a partial result.
    """
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise UsageError(f"a partial result is bytes, not {type(data).__name__}")
    if len(data) > MAX_BYTES:
        raise InputError(INPUT_NAME, f"{len(data)} bytes", f"at most {MAX_BYTES}")
    try:
        content = STRICT_JSON.decode(bytes(data).decode())
    except (ValueError, RecursionError):
        raise InputError(
            INPUT_NAME, "damaged or truncated", "what Accumulator.to_bytes wrote"
        ) from None
    if not isinstance(content, dict) or content.get("wordorder") != INPUT_NAME:
        raise InputError(INPUT_NAME, "something else", "what Accumulator.to_bytes wrote")
    version = content.get("version")
    if version != FORMAT_VERSION or isinstance(version, bool):
        version_text = version if isinstance(version, int) and abs(version) < 1e9 else "unknown"
        raise InputError(INPUT_NAME, f"format version {version_text}", f"version {FORMAT_VERSION}")
    return content


def read_metric(content: Mapping[str, Any]) -> tuple[contract.BaseMetric, Signature, int]:
    """Create the metric named in `content`; return it, its signature and number of statistics.

    A metric that needs all references first is not prepared: it can only score sums.

    Raises
    ------
    InputError
        If the metric is unknown, does not have the options, or has another signature here.
    """
    name, options, signature_text = (content.get(key) for key in ("metric", "options", "signature"))
    try:
        signature = Signature.parse(signature_text)  # type: ignore[arg-type]  # other values are refused
    except (ValueError, TypeError, AttributeError):
        raise InputError(
            INPUT_NAME, "it has no signature", "what Accumulator.to_bytes wrote"
        ) from None
    own_version = Signature("").version
    if signature.version != own_version:
        raise InputError(
            INPUT_NAME, f"made by wordorder {signature.version}", f"wordorder {own_version}"
        )
    if not isinstance(name, str) or not isinstance(options, dict):
        raise InputError(INPUT_NAME, "it names no metric", "what Accumulator.to_bytes wrote")
    if not all(isinstance(value, (str, int, float)) for value in options.values()):
        raise InputError(INPUT_NAME, f"{name} with an option that is no number, switch or text")
    metric, columns = _make_metric(name, json.dumps(options, sort_keys=True))
    if not has_signature(signature, metric):
        raise InputError(
            INPUT_NAME, f"made by {signature}", f"{metric.signature()}, as {name} is here"
        )
    return metric, signature, columns


def read_provenance(content: Mapping[str, Any]) -> Provenance:
    """Return the signature fields about the origin of the references.

    Raises
    ------
    InputError
        If they are not a list of pairs of text.
    """
    raw_pairs = content.get("provenance")
    fields: list[Any] = raw_pairs if isinstance(raw_pairs, list) else [None]
    if not all(isinstance(p, list) and list(map(type, p)) == [str, str] for p in fields):
        raise InputError(INPUT_NAME, "its provenance is no list of pairs")
    return tuple((key, value) for key, value in fields)


def read_count(content: Mapping[str, Any], key: str, maximum: int | None = MAX_SEGMENTS) -> int:
    """Return the integer under `key`.

    Raises
    ------
    InputError
        If it is not an integer from 0 to `maximum`.
    """
    count = content.get(key)
    if isinstance(count, int) and not isinstance(count, bool):
        last = count if maximum is None else maximum
        if 0 <= count <= last:
            return count
    text = f"{key} is {count!r}"[:100]
    end = "" if maximum is None else f" to {maximum}"
    raise InputError(INPUT_NAME, text, f"a whole number from 0{end}")


def read_sums(content: Mapping[str, Any], metric: contract.BaseMetric, columns: int) -> ExactSum:
    """Return the exact sums of all statistics of a metric.

    Raises
    ------
    InputError
        If their number is wrong, or the metric has no score for them.
    """
    raw_sums = content.get("sums")
    if not isinstance(raw_sums, list) or len(raw_sums) != columns:
        description = f"{len(raw_sums)} sums" if isinstance(raw_sums, list) else "no sums"
        raise InputError(INPUT_NAME, description, f"{columns} for {metric.name}")
    try:
        sums = ExactSum.from_text(raw_sums)
    except InputError as error:
        raise InputError(INPUT_NAME, error.what, error.expected) from None
    value = np.nan
    with np.errstate(all="ignore"), suppress(ArithmeticError, ValueError):
        value = float(metric.score(sums.totals()))
    if not np.isfinite(value):
        raise InputError(INPUT_NAME, f"{metric.name} has no score for its sums {raw_sums}"[:200])
    return sums


def read_buckets(content: Mapping[str, Any], columns: int) -> BucketSums | None:
    """Return the sums of buckets; None if the content has none.

    Raises
    ------
    InputError
        If they are damaged, or have another number of segments or columns.
    """
    buckets = content.get("buckets")
    if buckets is None:
        return None
    lines = buckets.get("sums") if isinstance(buckets, dict) else None
    if not isinstance(lines, list):
        raise InputError(INPUT_NAME, "buckets without sums")
    seed = read_count(buckets, "seed", maximum=None)
    segments = content["segments"]
    if not segments and not lines:
        return BucketSums(columns, seed=seed)
    if len(lines) != columns + 1:
        raise InputError(INPUT_NAME, f"buckets with {len(lines)} lines", f"{columns + 1}")
    try:
        sums = BucketSums.from_text(lines, seed=seed)
        sums.totals()
    except InputError as error:
        raise InputError(INPUT_NAME, error.what, error.expected) from None
    except OverflowError as error:
        raise InputError(INPUT_NAME, str(error)) from None
    if sums.counts.sum() != segments:
        raise InputError(INPUT_NAME, "buckets that do not add up", f"{segments} segments")
    return sums


@lru_cache(maxsize=64)
def _make_metric(name: str, options: str) -> tuple[contract.BaseMetric, int]:
    """Create a metric from its options in JSON; return it and its number of statistics.

    The result is cached, since many partial results have the same metric.

    Raises
    ------
    InputError
        If it cannot be created.
    """
    decoded_options = json.loads(options)
    for value in decoded_options.values():
        _refuse_streams(value)
    try:
        metric = METRICS.converted(name, decoded_options)
        return metric, contract.statistics_width(metric)
    except WordOrderError as error:
        raise InputError(INPUT_NAME, f"its metric cannot be made: {error}") from None
    except (TypeError, ValueError, RecursionError):
        raise InputError(INPUT_NAME, f"{name} does not take the options {options}"[:200]) from None


def _refuse_streams(value: object) -> None:
    """Raise an InputError if an option, or one in a formula, names a device or standard input."""
    for name in re.split("[=,()]", value) if isinstance(value, str) else ():
        is_stream = os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name))
        if is_stream or name == "-":
            raise InputError(INPUT_NAME, f"an option names {name}", "a file")


def name_and_options(metric: contract.BaseMetric) -> tuple[str, dict[str, Any]]:
    """Return the name of a metric and the fewest options that give its signature.

    Raises
    ------
    UsageError
        If no metric is registered under its name, or it cannot be rebuilt from its options.

    Examples
    --------
    >>> from wordorder import metric
    >>> name_and_options(metric("frs", ties="rank", match="index"))
    ('frs', {'ties': 'rank'})
    """
    signature = metric.signature()
    if signature not in _OPTIONS_OF_SIGNATURE:
        # Cached, because it creates metrics, some of which read files.
        _OPTIONS_OF_SIGNATURE[signature] = _find_fewest_options(metric, signature)
    return metric.name, dict(_OPTIONS_OF_SIGNATURE[signature])


def _find_fewest_options(metric: contract.BaseMetric, signature: Signature) -> dict[str, Any]:
    name = metric.name
    try:
        defaults = contract.default_options(METRICS.load(name))
    except UsageError:
        problem = f"the metric {name!r} is not registered, so a partial result cannot name it"
        needs = f"its package needs an entry point {name!r} in the group {METRICS.group!r}"
        raise UsageError(f"{problem}: {needs}") from None
    plain_options = {
        key: _to_plain_value(value)
        for key, value in metric.named_options().items()
        if key in defaults
    }
    options = {key: value for key, value in sorted(plain_options.items()) if value != defaults[key]}
    rebuilt = _try_make_metric(name, options)
    if rebuilt is None or not has_signature(signature, rebuilt):
        problem = (
            f"the metric {name!r} cannot be made again from its name and the options {options}"
        )
        expected = f"expected one with the signature {signature}"
        raise UsageError(f"{problem}: {expected}; its method named_options returns them")
    # Leave out options without effect, so that equal metrics have equal options.
    for key in list(options):
        fewer = {option: value for option, value in options.items() if option != key}
        simpler = _try_make_metric(name, fewer)
        if simpler is not None and simpler.signature() == rebuilt.signature():
            options = fewer
    return options


def format_metric(metric: contract.BaseMetric) -> str:
    """Return the name of a metric with its options, as in a formula.

    Examples
    --------
    >>> from wordorder import metric
    >>> format_metric(metric("cder", penalty="length")), format_metric(metric("per"))
    ('cder(penalty=length)', 'per')
    """
    name, options = name_and_options(metric)
    option_text = ",".join(f"{key}={value}" for key, value in options.items())
    return f"{name}({option_text})" if option_text else name


def has_signature(expected: Signature, metric: contract.BaseMetric) -> bool:
    """Return whether a metric has this signature; before `prepare`, only the keys are compared.

    Examples
    --------
    >>> from wordorder import metric
    >>> has_signature(Signature.parse("nist|order:5|information:12ab|v:1.0.0rc1"), metric("nist"))
    True
    """
    actual = metric.signature()
    if not metric.needs_preparation:
        return actual == expected
    keys = [key for key, _ in actual.fields]
    return actual.metric == expected.metric and keys == [key for key, _ in expected.fields]


def _try_make_metric(name: str, options: Mapping[str, Any]) -> contract.BaseMetric | None:
    try:
        return METRICS.converted(name, options)
    except (WordOrderError, TypeError, ValueError):
        return None


def _to_plain_value(value: Any) -> Any:
    """Return the value of an option as a JSON value."""
    if isinstance(value, np.generic):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else value
