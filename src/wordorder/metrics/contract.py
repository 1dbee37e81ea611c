"""What a metric is: additive statistics and a function of their sum."""

from __future__ import annotations

import inspect
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.arrays import Bool, Float64, Int64
from wordorder.errors import InputError, UsageError, unknown_name, whole_number
from wordorder.kernels import run_pieces
from wordorder.metrics.options import check_options
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance
from wordorder.signature import Signature
from wordorder.statistics.exact_sum import ExactSum

if TYPE_CHECKING:
    from typing_extensions import Self


Counts = Float64 | Int64

# Columns of segments that a metric may name; "gold": links that are compared with gold ones,
# "lines": text before it is cut into words.
COLUMNS = ("permutation", "text", "lines", "links", "gold", "trees")

# Of words or of characters; nobody needs more, and the counts of all orders are kept in memory.
LONGEST_NGRAMS = 100

_LARGEST = sys.float_info.max


class Metric(Protocol):
    """The least that a metric has; `BaseMetric` declares everything else, with defaults.

    A class that has these five and does not derive from `BaseMetric` gets the rest from there
    wherever a metric is taken (`completed`).

    Attributes
    ----------
    name : str
        The name under which it is registered.
    higher_is_better : bool
    """

    @property
    def name(self) -> str:
        """The name under which the metric is registered."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value means a better system."""

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, k], one row per segment.

        A segment that is left out is a row of zeros, and no other is. Called for parts of the
        segments, on several threads at once.
        """

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""


@dataclass(frozen=True)
class Score:
    """The value of a metric on a corpus.

    Attributes
    ----------
    value : float
        NaN if the metric left out all segments: there is no score.
    signature : Signature
    segments : int
        How many segments there were.
    skipped : int
        How many of them the metric left out, because it is not defined on them.

    Examples
    --------
    >>> print(Score(0.5, Signature("frs", version="1"), segments=2))
    0.5000 (frs|v:1, 2 segments)
    """

    value: float
    signature: Signature
    segments: int
    skipped: int = 0

    def __float__(self) -> float:
        return self.value

    @property
    def is_known(self) -> bool:
        """Whether there is a value: the metric did not leave out all segments."""
        return not math.isnan(self.value)

    def to_dict(self) -> dict[str, str | float | int | None]:
        """Return the score as plain values, as JSON and rows of tables hold them.

        Examples
        --------
        >>> Score(0.5, Signature("frs", version="1"), segments=2).to_dict()
        {'metric': 'frs', 'value': 0.5, 'segments': 2, 'skipped': 0, 'signature': 'frs|v:1'}
        """
        value = self.value if self.is_known else None
        fields = {"value": value, "segments": self.segments, "skipped": self.skipped}
        return {"metric": self.signature.metric, **fields, "signature": str(self.signature)}

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import table_html

        cells = [
            f"{self.value:.4f}" if self.is_known else "",
            str(self.segments),
            str(self.skipped),
            str(self.signature),
        ]
        header = ["metric", "value", "segments", "skipped", "signature"]
        return table_html("", header, [[self.signature.metric, *cells]])

    def __str__(self) -> str:
        skipped = f", {self.skipped} of them skipped" if self.skipped else ""
        noun = "segment" if self.segments == 1 else "segments"
        value = f"{self.value:.4f}" if self.is_known else "no score"
        return f"{value} ({self.signature}, {self.segments} {noun}{skipped})"


class BaseMetric(ABC):
    """The contract of all metrics; a subclass defines `name`, `statistics`, `score`, `signature`.

    Everything else has a default, and is what the rest of the package may ask of a metric.

    Attributes
    ----------
    name : str
        The name under which it is registered.
    higher_is_better : bool
    columns : tuple of str
        What it reads, some of "permutation", "text", "lines", "links", "gold" and "trees". The
        files of a run must have them, and the signature says how they came about.
    slow : bool
        Whether ``-m all`` leaves it out.
    match : "index" or "first-unmatched"
        How repeated words of an order are matched; other than "index" needs the source words.
    members : sequence of (weight, BaseMetric)
        What a weighted sum adds up; empty for all others.
    """

    name: str
    higher_is_better: bool = True
    columns: tuple[str, ...] = ("permutation",)
    slow: bool = False
    match: str = "index"
    members: Sequence[tuple[float, BaseMetric]] = ()

    def __post_init__(self) -> None:
        """Check the options that a dataclass declares by `wordorder.metrics.options`."""
        check_options(self)

    @abstractmethod
    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, k], one row per segment.

        A segment that is left out is a row of zeros, and no other is. Called for parts of the
        segments, on several threads at once.
        """

    @abstractmethod
    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""

    @abstractmethod
    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""

    def origin(self, segments: Segments) -> Provenance:
        """Return the fields of signatures that tell how what the metric reads came about."""
        return segments.described(self.columns)

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each row of statistics: float64[S, k] to float64[S].

        To be overridden where a single segment is scored in another way than a corpus, as sentence
        BLEU is smoothed.
        """
        return self.score(statistics)

    def segment_signature(self) -> Signature:
        """Return the signature of the scores of single segments.

        To be overridden where `score_segments` scores with another option than `score`.
        """
        return self.signature()

    @property
    def needs_preparation(self) -> bool:
        """Whether the metric must see all references before it can make statistics."""
        return False

    def prepare(self, references: Segments | Iterable[Segments]) -> Self:
        """Return the metric once it has seen all references; itself unless it needs that.

        Parameters
        ----------
        references : Segments, or iterable of Segments
            A corpus, or its pieces; only the references are read.
        """
        return self

    def with_tokenizer(self, tokenizer: str) -> BaseMetric:
        """Return the metric as the tokenizer of a run leaves it.

        To be overridden where a metric of lines has a tokenizer of its own: then that is set,
        unless it was chosen already.

        Parameters
        ----------
        tokenizer : str
            One of sacreBLEU's; "auto" and "none" change no metric.
        """
        return self

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether the words that the metric counts are those of the tokenizer of a run."""
        return set(self.columns) != {"lines"}

    def with_options(self, **options: Any) -> Self:
        """Return a metric with some options changed."""
        return type(self)(**{**self.named_options(), **options})

    def named_options(self) -> dict[str, Any]:
        """Return the options that make the metric again under its name.

        By default the attributes that are called as the options are. To be overridden where they
        are kept in another way.
        """
        return {name: getattr(self, name) for name in defaults(type(self)) if hasattr(self, name)}

    def segment_scores(self, segments: Segments) -> Float64:
        """Return the score of each segment, float64[S]; NaN for one that is left out.

        The array is a column as it is: pandas, Polars and pyarrow take it without a copy.
        """
        ready = self._ready(segments)

        def score_piece(piece: Segments) -> Float64:
            statistics = ready.statistics(piece)
            return np.where(left_out(statistics), np.nan, ready.score_segments(statistics))

        # Piece by piece to the end: the statistics of all segments would leave the cache.
        return np.concatenate(run_pieces(score_piece, segments.pieces()))

    def corpus_score(self, segments: Any = None, references: Any = None, **options: Any) -> Score:
        """Return the score of a whole corpus.

        Parameters
        ----------
        segments : Segments, or sequence of str
            The second are translations, one per segment; then `references` are given too. They may
            be named `hypotheses`, as in sacreBLEU.
        references : sequence of str, or of lists of str, optional
            One per segment; or lists, those of each segment, or of each file as sacreBLEU takes
            them.
        options
            How translations become words and orders: ``lowercase=True``, ``tokenizer="13a"``,
            ``aligner="exact"``, ``language="de"``.

        Returns
        -------
        Score
            NaN if the metric leaves out every segment.

        Raises
        ------
        InputError
            If there are no segments, or texts and references do not fit together.
        UsageError
            If an option is unknown, or lists may be those of segments or of files.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> metric("cder").corpus_score(["on tuesday we met"], ["we met on tuesday"]).value
        0.75

        Notes
        -----
        Statistics are summed exactly, so the order of the segments and the cutting into chunks do
        not matter.
        """
        segments = self._segments(segments, references, options)
        require_segments(len(segments))
        ready = self._ready(segments)
        statistics = statistics_in_pieces(ready, segments)
        total = ExactSum(statistics.shape[1])
        total.add(statistics)
        origin = ready.origin(segments)
        skipped = int(np.count_nonzero(left_out(statistics)))
        value = corpus_value(ready, total.totals(), len(segments), skipped)
        return Score(value, ready.signature().with_fields(*origin), len(segments), skipped)

    def sentence_score(
        self, hypothesis: str, references: str | Sequence[str], **options: Any
    ) -> Score:
        """Return the score of one translation, as a segment is scored.

        Parameters
        ----------
        hypothesis : str
        references : str, or sequence of str
        options
            As in `corpus_score`.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> metric("cder").sentence_score("on tuesday we met", ["we met on tuesday"]).value
        0.75
        """
        if references is None or not isinstance(references, Iterable):
            raise UsageError(f"{self.name}: references: {references!r}; expected a list of strings")
        rows = [references] if isinstance(references, str) else [list(references)]
        segments = self._segments([hypothesis], rows, options)
        corpus = self.corpus_score(segments)
        value = float(self.segment_scores(segments)[0])
        tokenized = self.with_tokenizer(segments.tokenizer)
        return Score(value, signature_of_segments(tokenized, corpus.signature), 1, corpus.skipped)

    def _segments(self, hypotheses: Any, references: Any, options: dict[str, Any]) -> Segments:
        """Return segments, as they are or made of translations and references."""
        hypotheses = options.pop("hypotheses", None) if hypotheses is None else hypotheses
        if isinstance(hypotheses, Segments):
            if references is not None or options:
                raise UsageError("segments have their references: give nothing else")
            return hypotheses
        if hypotheses is None or references is None:
            raise UsageError(f"{self.name}: give hypotheses and references, or segments alone")
        from wordorder.segments.default_match import given_segments, note_uncut

        ordering = "permutation" in self.columns
        segments = given_segments(hypotheses, references, self.name, ordering, options)
        note_uncut(segments, self)
        return segments

    def _ready(self, segments: Segments) -> BaseMetric:
        """Return the metric with the tokenizer of the segments, once it has seen the references."""
        ready = self.with_tokenizer(segments.tokenizer)
        return ready.prepare(segments) if ready.needs_preparation else ready

    def __repr__(self) -> str:
        return f"<metric {self.signature()}>"


def completed(metric: Metric) -> BaseMetric:
    """Return a metric with everything that `BaseMetric` declares.

    A metric that derives from `BaseMetric` is returned itself. Of another, a copy whose class
    derives from both: what it does not define, `BaseMetric` does.

    Raises
    ------
    UsageError
        If it lacks statistics, score or signature (the message names them), or cannot be completed
        because its class has ``__slots__``.
    """
    if isinstance(metric, BaseMetric):
        return metric
    completed_metric: Any = copy(metric)
    try:
        # Past what a frozen dataclass forbids.
        object.__setattr__(completed_metric, "__class__", completed_class(type(metric)))
    except TypeError as error:
        raise UsageError(f"{type(metric).__name__} must derive from BaseMetric: {error}") from None
    complete: BaseMetric = completed_metric
    return complete


@cache
def completed_class(kind: type) -> type[BaseMetric]:
    """Return a class of metrics that has everything that `BaseMetric` declares.

    Raises
    ------
    UsageError
        If it lacks one of `statistics`, `score` and `signature`; the message names them.
    """
    complete = kind
    if not issubclass(kind, BaseMetric):
        names = {"__module__": kind.__module__, "__doc__": kind.__doc__}
        complete = type(kind.__name__, (kind, BaseMetric), names)
    assert issubclass(complete, BaseMetric)
    if complete.__abstractmethods__:
        missing = ", ".join(sorted(complete.__abstractmethods__))
        raise UsageError(f"{kind.__name__} is not a metric: it lacks {missing}")
    return complete


def require_segments(count: int, name: str = "") -> None:
    """Refuse to score nothing: some metrics would call it perfect.

    Raises
    ------
    InputError
        If there are no segments; `name` is the file or corpus without segments.
    """
    if not count:
        raise InputError(name, "no segments", "at least one to score")


def corpus_value(metric: BaseMetric, totals: Float64, segments: int, skipped: int) -> float:
    """Return the metric's value for sums of statistics; NaN if all segments were left out."""
    return float(metric.score(totals)) if skipped < segments else math.nan


def signature_of_segments(metric: BaseMetric, corpus: Signature) -> Signature:
    """Return the signature of a metric's segment scores, given that of its corpus score.

    What the corpus score's signature says besides (tokenizer, case, ...) is kept.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> bleu = metric("bleu", tokenize="none")
    >>> corpus = bleu.signature().with_fields(("case", "keep"))
    >>> found = dict(signature_of_segments(bleu, corpus).fields)
    >>> dict(corpus.fields)["sacrebleu-eff"], found["sacrebleu-eff"], found["case"]
    ('no', 'yes', 'keep')
    """
    return metric.segment_signature().with_fields(*corpus.fields[len(metric.signature().fields) :])


def statistics_in_pieces(metric: Metric, segments: Segments) -> Float64:
    """Return ``metric.statistics(segments)``, float64[S, k], computed piece by piece on threads."""
    pieces = segments.pieces()
    if len(pieces) == 1:
        return metric.statistics(segments)
    return np.concatenate(run_pieces(metric.statistics, pieces))


def statistics_width(metric: BaseMetric) -> int:
    """Return how many statistics a metric makes of a segment, k."""
    no_segments = Segments.empty(metric.columns)
    ready = metric.prepare(no_segments) if metric.needs_preparation else metric
    return int(ready.statistics(no_segments).shape[1])


def best_reference(costs: Float64, reference_offsets: Int64, rounding: float = 0.0) -> Int64:
    """Return the cheapest reference of each segment.

    Parameters
    ----------
    costs : float64[R]
        One per reference row; negate what should be large.
    reference_offsets : int64[S+1]
    rounding : float
        Costs that differ by no more than this share of themselves are equal.

    Returns
    -------
    int64[S]
        The row of the first smallest cost; -1 for a segment without references.

    Examples
    --------
    >>> best_reference(np.array([0.5, 0.2, 0.2, 0.1]), np.array([0, 3, 3, 4])).tolist()
    [1, -1, 3]
    """
    segments = len(reference_offsets) - 1
    counts = np.diff(reference_offsets)
    if len(costs) == segments and np.all(counts == 1):
        return np.arange(segments)
    best = np.full(segments, -1, np.int64)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return best
    starts = reference_offsets[:-1][filled]
    smallest = np.minimum.reduceat(costs, starts)
    if rounding:
        smallest += rounding * np.abs(smallest)
    rows = np.flatnonzero(costs <= np.repeat(smallest, counts[filled]))
    # Of the rows that are as cheap as their segment's cheapest, the first at or after its start.
    best[filled] = rows[np.searchsorted(rows, starts)]
    return best


def rows_or_zeros(rows: Float64, chosen: Int64) -> Float64:
    """Return the rows that `best_reference` chose, zeros where it chose none."""
    used = chosen >= 0
    result = np.zeros((len(chosen), *rows.shape[1:]))
    result[used] = rows[chosen[used]]
    return result


def quotient(part: Counts, total: Counts, empty: float | Float64 = 0.0) -> Float64:
    """Return ``part / whole``, `empty` where there is nothing.

    Examples
    --------
    >>> quotient(np.array([1.0, 0.0]), np.array([2.0, 0.0]), 1.0)
    array([0.5, 1. ])
    """
    value: Float64 = np.full(np.shape(total), empty, np.float64)
    return np.divide(part, total, out=value, where=np.asarray(total) > 0)


def left_out(statistics: Float64) -> Bool:
    """Return which segments a metric left out, bool[S] for float64[S, k]: the rows of zeros."""
    used = np.zeros(len(statistics), np.bool_)
    # Column by column: numpy is ten times slower along rows as short as these.
    for column in statistics.T:
        used |= column != 0
    return ~used


def defaults(factory: Callable[..., object]) -> dict[str, Any]:
    """Return the options that a metric takes, with their defaults; those of its own class first."""
    parameters = inspect.signature(factory).parameters.values()
    values = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    classes = factory.__mro__ if isinstance(factory, type) else ()
    maker = next((cls for cls in classes if "__init__" in cls.__dict__), object)
    if "__dataclass_fields__" not in maker.__dict__:
        # A class that lists its options in its own order.
        return values
    declared = [name for cls in classes for name in inspect.get_annotations(cls)]
    return {name: values[name] for name in (*declared, *values) if name in values}


def convert(
    name: str, factory: Callable[..., object], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Check option names and turn text into what the option's default is.

    Raises
    ------
    UsageError
        If the metric `name` has no such option or its value is not of the right kind.
    """
    option_defaults = defaults(factory)
    converted = {}
    for option, value in options.items():
        if option not in option_defaults:
            raise unknown_name(f"option of {name}", option, option_defaults)
        converted[option] = _convert(f"{name}.{option}", option_defaults[option], value)
    return converted


def _convert(option: str, default: object, value: Any) -> Any:
    if not isinstance(value, str) or isinstance(default, str):
        return value
    if isinstance(default, bool):
        if value.lower() in ("true", "yes", "1", "false", "no", "0"):
            return value.lower() in ("true", "yes", "1")
        raise UsageError(f"{option} is true or false, not {value!r}")
    if isinstance(default, (int, float)):
        try:
            return type(default)(value)
        except ValueError:
            raise UsageError(f"{option} is a number, not {value!r}") from None
    return value


def whole(option: str, value: Any, least: int, most: int) -> int:
    """Return `value` if it is a whole number from `least` to `most`.

    Raises
    ------
    UsageError
        Otherwise; the message names the option and the range. So of the others.

    Examples
    --------
    >>> whole("nist.order", 5, 1, 100)
    5
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)
    return whole_number(option, value, least, most)


def real(option: str, value: Any, least: float, most: float = _LARGEST) -> float:
    """Return `value` if it is a finite number from `least` to `most`.

    Examples
    --------
    >>> real("ribes.alpha", 1, 0)
    1.0
    """
    right_kind = isinstance(value, Real) and not isinstance(value, bool)
    if not right_kind or not least <= value <= most:
        legal = f"of at least {least:g}" if most == _LARGEST else f"from {least:g} to {most:g}"
        raise UsageError(f"{option} is a number {legal}, not {value!r}")
    return float(value)


def switch_or_auto(option: str, value: Any) -> bool | str:
    """Return `value` if it is True or False, or text for one of them, or "auto".

    Examples
    --------
    >>> switch_or_auto("ter.asian_support", "yes"), switch_or_auto("ter.asian_support", "auto")
    (True, 'auto')
    """
    return "auto" if value == "auto" else switch(option, _convert(option, False, value))


def switch(option: str, value: Any) -> bool:
    """Return `value` if it is True or False.

    Examples
    --------
    >>> switch("bleu-s.boundaries", True)
    True
    """
    if not isinstance(value, bool):
        raise UsageError(f"{option} is True or False, not {value!r}")
    return value


def file_name(option: str, value: Any) -> str | os.PathLike[str] | None:
    """Return `value` if it names a file; None if it is None or empty text.

    Examples
    --------
    >>> file_name("meteor.synonyms", "wordnet"), file_name("meteor.synonyms", "")
    ('wordnet', None)
    """
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{option} is the name of a file, not {value!r}")
    return value or None
