"""The contract of metrics: additive statistics and a function of their sum."""

from __future__ import annotations

import inspect
import math
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
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

# Columns of segments that a metric may read; "gold": links that are compared with gold ones,
# "lines": text before it is cut into words.
COLUMNS = ("permutation", "text", "lines", "links", "gold", "trees")

# The longest n-grams of words or characters; the counts of all lengths are held in memory.
MAX_NGRAM_ORDER = 100

_MAX_FLOAT = sys.float_info.max


class Metric(Protocol):
    """The attributes that a metric must have; `BaseMetric` has defaults for all others.

    A class with these five that does not derive from `BaseMetric` gets the others from there
    (`complete_metric`).

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
        """Return the statistics, float64[S, k], one row per segment.

        Only a segment that is left out has a row of zeros. Called for parts of the segments, on
        several threads at the same time.
        """

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""

    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""


@dataclass(frozen=True)
class Score:
    """The value of a metric on a corpus.

    Attributes
    ----------
    value : float
        NaN if the metric left out all segments.
    signature : Signature
    segments : int
        The number of segments.
    skipped : int
        The number of segments that the metric left out because it is not defined on them.

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
        """Whether there is a value; False if the metric left out all segments."""
        return not math.isnan(self.value)

    def with_fields(self, *fields: tuple[str, str]) -> Score:
        """Return the score with further fields at the end of its signature."""
        return replace(self, signature=self.signature.with_fields(*fields))

    def to_dict(self) -> dict[str, str | float | int | None]:
        """Return the score as plain values, for JSON and table rows.

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
    """The base class of all metrics.

    A subclass defines `name`, `statistics`, `score` and `signature`. All other attributes that the
    package uses have defaults here.

    Attributes
    ----------
    name : str
        The name under which it is registered.
    higher_is_better : bool
    columns : tuple of str
        The columns that it reads, some of "permutation", "text", "lines", "links", "gold" and
        "trees". The input files must have them, and the signature describes their origin.
    slow : bool
        Whether ``-m all`` leaves it out.
    match : "index" or "first-unmatched"
        How repeated words of an order are matched; "first-unmatched" needs the source words.
    members : sequence of (weight, BaseMetric)
        The members of a weighted sum; empty for other metrics.
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
        """Return the statistics, float64[S, k], one row per segment.

        Only a segment that is left out has a row of zeros. Called for parts of the segments, on
        several threads at the same time.
        """

    @abstractmethod
    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""

    @abstractmethod
    def signature(self) -> Signature:
        """Return the name with every option that can change a value."""

    def origin(self, segments: Segments) -> Provenance:
        """Return the signature fields about the origin of the columns that the metric reads."""
        return segments.described(self.columns)

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each row of statistics: float64[S, k] to float64[S].

        Override it if a single segment is scored in another way than a corpus; sentence BLEU, for
        example, is smoothed.
        """
        return self.score(statistics)

    def segment_signature(self) -> Signature:
        """Return the signature of the scores of single segments.

        Override it if `score_segments` uses other options than `score`.
        """
        return self.signature()

    @property
    def needs_preparation(self) -> bool:
        """Whether `prepare` must be called with all references before `statistics`."""
        return False

    def prepare(self, references: Segments | Iterable[Segments]) -> Self:
        """Return a metric that has read all references; the metric itself by default.

        Parameters
        ----------
        references : Segments, or iterable of Segments
            A corpus, or its chunks; only the references are read.
        """
        return self

    def with_tokenizer(self, tokenizer: str) -> BaseMetric:
        """Return the metric with the tokenizer of the texts; the metric itself by default.

        Override it in a metric of lines that has its own tokenizer option: set the option, unless
        the user has chosen it.

        Parameters
        ----------
        tokenizer : str
            A tokenizer of sacreBLEU; "auto" and "none" do not change a metric.
        """
        return self

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether the metric counts words as this tokenizer of the texts cuts them."""
        return set(self.columns) != {"lines"}

    def with_options(self, **options: Any) -> Self:
        """Return a metric with some options changed."""
        return type(self)(**{**self.named_options(), **options})

    def named_options(self) -> dict[str, Any]:
        """Return the options with which the metric can be created again by its name.

        By default, these are the attributes with the names of the options. Override it if options
        are stored in another way.
        """
        return {
            name: getattr(self, name) for name in default_options(type(self)) if hasattr(self, name)
        }

    def segment_scores(self, segments: Segments) -> Float64:
        """Return the score of each segment, float64[S]; NaN for one that is left out.

        Pandas, Polars and pyarrow can use the array as a column without a copy.
        """
        ready = self._prepare_for(segments)

        def score_piece(piece: Segments) -> Float64:
            statistics = ready.statistics(piece)
            return np.where(left_out_segments(statistics), np.nan, ready.score_segments(statistics))

        # Score chunk by chunk: the statistics of all segments would not fit into the cache.
        return np.concatenate(run_pieces(score_piece, segments.pieces()))

    def corpus_score(self, segments: Any = None, references: Any = None, **options: Any) -> Score:
        """Return the score of a corpus.

        Parameters
        ----------
        segments : Segments, or sequence of str
            Segments, or the translations, one per segment, which need `references`. Translations
            may also be passed as `hypotheses`, as in sacreBLEU.
        references : sequence of str, or of lists of str, optional
            One reference per segment, one list per segment, or one list per reference file as in
            sacreBLEU.
        options
            Options for words and orders of translations: ``lowercase=True``,
            ``tokenizer="13a"``, ``aligner="exact"``, ``language="de"``.

        Returns
        -------
        Score
            NaN if the metric leaves out every segment.

        Raises
        ------
        InputError
            If there are no segments, or the numbers of texts and references differ.
        UsageError
            If an option is unknown, or it is ambiguous whether lists are per segment or per file.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> metric("cder").corpus_score(["on tuesday we met"], ["we met on tuesday"]).value
        0.75

        Notes
        -----
        Statistics are summed exactly, so the order of the segments and the chunk size do not
        matter.
        """
        segments = self._build_segments(segments, references, options)
        require_segments(len(segments))
        ready = self._prepare_for(segments)
        statistics = statistics_in_pieces(ready, segments)
        total = ExactSum(statistics.shape[1])
        total.add(statistics)
        origin = ready.origin(segments)
        skipped = int(np.count_nonzero(left_out_segments(statistics)))
        value = corpus_value(ready, total.totals(), len(segments), skipped)
        return Score(value, ready.signature().with_fields(*origin), len(segments), skipped)

    def sentence_score(
        self, hypothesis: str, references: str | Sequence[str], **options: Any
    ) -> Score:
        """Return the segment score of one translation.

        Parameters
        ----------
        hypothesis : str
        references : str, or sequence of str
        options
            See `corpus_score`.

        Examples
        --------
        >>> from wordorder.metrics.registry import metric
        >>> metric("cder").sentence_score("on tuesday we met", ["we met on tuesday"]).value
        0.75
        """
        if references is None or not isinstance(references, Iterable):
            raise UsageError(f"{self.name}: references: {references!r}; expected a list of strings")
        rows = [references] if isinstance(references, str) else [list(references)]
        segments = self._build_segments([hypothesis], rows, options)
        corpus = self.corpus_score(segments)
        value = float(self.segment_scores(segments)[0])
        tokenized = self.with_tokenizer(segments.tokenizer)
        return Score(value, signature_of_segments(tokenized, corpus.signature), 1, corpus.skipped)

    def _build_segments(
        self, hypotheses: Any, references: Any, options: dict[str, Any]
    ) -> Segments:
        """Return segments, passed as such or built from translations and references."""
        hypotheses = options.pop("hypotheses", None) if hypotheses is None else hypotheses
        if isinstance(hypotheses, Segments):
            if references is not None or options:
                raise UsageError("segments have their references: give nothing else")
            return hypotheses
        if hypotheses is None or references is None:
            raise UsageError(f"{self.name}: give hypotheses and references, or segments alone")
        from wordorder.segments.default_match import note_uncut, segments_for_metric

        ordering = "permutation" in self.columns
        segments = segments_for_metric(hypotheses, references, self.name, ordering, options)
        note_uncut(segments, self)
        return segments

    def _prepare_for(self, segments: Segments) -> BaseMetric:
        """Return the metric with the tokenizer of the segments, prepared with their references."""
        ready = self.with_tokenizer(segments.tokenizer)
        return ready.prepare(segments) if ready.needs_preparation else ready

    def __repr__(self) -> str:
        return f"<metric {self.signature()}>"


def complete_metric(metric: Metric) -> BaseMetric:
    """Return a metric with all attributes of `BaseMetric`.

    A metric that derives from `BaseMetric` is returned unchanged. Otherwise return a copy whose
    class derives from both its own class and `BaseMetric`.

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
        # A frozen dataclass forbids plain assignment.
        object.__setattr__(completed_metric, "__class__", complete_class(type(metric)))
    except TypeError as error:
        raise UsageError(f"{type(metric).__name__} must derive from BaseMetric: {error}") from None
    complete: BaseMetric = completed_metric
    return complete


@cache
def complete_class(metric_class: type) -> type[BaseMetric]:
    """Return a metric class with all attributes of `BaseMetric`.

    Raises
    ------
    UsageError
        If it lacks statistics, score or signature; the message names them.
    """
    complete_type = metric_class
    if not issubclass(metric_class, BaseMetric):
        names = {"__module__": metric_class.__module__, "__doc__": metric_class.__doc__}
        complete_type = type(metric_class.__name__, (metric_class, BaseMetric), names)
    assert issubclass(complete_type, BaseMetric)
    if complete_type.__abstractmethods__:
        missing = ", ".join(sorted(complete_type.__abstractmethods__))
        raise UsageError(f"{metric_class.__name__} is not a metric: it lacks {missing}")
    return complete_type


def require_segments(count: int, name: str = "") -> None:
    """Raise an error if there are no segments, which some metrics would score as perfect.

    Raises
    ------
    InputError
        If `count` is 0; `name` is the file or corpus without segments.
    """
    if not count:
        raise InputError(name, "no segments", "at least one to score")


def corpus_value(metric: BaseMetric, totals: Float64, segments: int, skipped: int) -> float:
    """Return the metric's value for sums of statistics; NaN if all segments were left out."""
    return float(metric.score(totals)) if skipped < segments else math.nan


def signature_of_segments(metric: BaseMetric, corpus: Signature) -> Signature:
    """Return the signature of a metric's segment scores, from that of its corpus score.

    The other fields of `corpus` (tokenizer, case, ...) are kept.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> bleu = metric("bleu", tokenize="none")
    >>> corpus = bleu.signature().with_fields(("case", "keep"))
    >>> fields = dict(signature_of_segments(bleu, corpus).fields)
    >>> dict(corpus.fields)["sacrebleu-eff"], fields["sacrebleu-eff"], fields["case"]
    ('no', 'yes', 'keep')
    """
    return metric.segment_signature().with_fields(*corpus.fields[len(metric.signature().fields) :])


def statistics_in_pieces(metric: Metric, segments: Segments) -> Float64:
    """Return ``metric.statistics(segments)``, float64[S, k], computed in chunks on threads."""
    pieces = segments.pieces()
    if len(pieces) == 1:
        return metric.statistics(segments)
    return np.concatenate(run_pieces(metric.statistics, pieces))


def statistics_width(metric: BaseMetric) -> int:
    """Return the number of statistics that a metric has per segment."""
    no_segments = Segments.empty(metric.columns)
    ready = metric.prepare(no_segments) if metric.needs_preparation else metric
    return int(ready.statistics(no_segments).shape[1])


def best_reference(costs: Float64, reference_offsets: Int64, rounding: float = 0.0) -> Int64:
    """Return the cheapest reference of each segment.

    Parameters
    ----------
    costs : float64[R]
        One per reference row; negate scores of which the largest is best.
    reference_offsets : int64[S+1]
    rounding : float
        The relative difference up to which costs are treated as equal.

    Returns
    -------
    int64[S]
        The row of the first smallest cost; -1 for a segment without references.

    Examples
    --------
    >>> best_reference(np.array([0.5, 0.2, 0.2, 0.1]), np.array([0, 3, 3, 4])).tolist()
    [1, -1, 3]
    """
    segment_count = len(reference_offsets) - 1
    counts = np.diff(reference_offsets)
    if len(costs) == segment_count and np.all(counts == 1):
        return np.arange(segment_count)
    best_rows = np.full(segment_count, -1, np.int64)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return best_rows
    starts = reference_offsets[:-1][filled]
    smallest = np.minimum.reduceat(costs, starts)
    if rounding:
        smallest += rounding * np.abs(smallest)
    rows = np.flatnonzero(costs <= np.repeat(smallest, counts[filled]))
    # `rows` has the cheapest rows of all segments: take the first one from each segment's start on.
    best_rows[filled] = rows[np.searchsorted(rows, starts)]
    return best_rows


def rows_or_zeros(rows: Float64, chosen: Int64) -> Float64:
    """Return the rows with the indices that `best_reference` returned; zeros for -1."""
    used = chosen >= 0
    result = np.zeros((len(chosen), *rows.shape[1:]))
    result[used] = rows[chosen[used]]
    return result


def quotient(part: Counts, total: Counts, empty: float | Float64 = 0.0) -> Float64:
    """Return ``part / total``, and `empty` where the total is 0.

    Examples
    --------
    >>> quotient(np.array([1.0, 0.0]), np.array([2.0, 0.0]), 1.0)
    array([0.5, 1. ])
    """
    value: Float64 = np.full(np.shape(total), empty, np.float64)
    return np.divide(part, total, out=value, where=np.asarray(total) > 0)


def left_out_segments(statistics: Float64) -> Bool:
    """Return which segments a metric left out (rows of zeros): float64[S, k] to bool[S]."""
    used = np.zeros(len(statistics), np.bool_)
    # Column by column: numpy is ten times slower along rows as short as these.
    for column in statistics.T:
        used |= column != 0
    return ~used


def default_options(factory: Callable[..., object]) -> dict[str, Any]:
    """Return the options of a metric with their defaults; those of its own class come first."""
    parameters = inspect.signature(factory).parameters.values()
    values = {p.name: p.default for p in parameters if p.kind is inspect.Parameter.KEYWORD_ONLY}
    classes = factory.__mro__ if isinstance(factory, type) else ()
    init_class = next((cls for cls in classes if "__init__" in cls.__dict__), object)
    if "__dataclass_fields__" not in init_class.__dict__:
        # A class with its own `__init__` lists its options in the order that it wants.
        return values
    declared = [name for cls in classes for name in inspect.get_annotations(cls)]
    return {name: values[name] for name in (*declared, *values) if name in values}


def parse_options(
    name: str, factory: Callable[..., object], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Check the names of options, and convert text to the type of the option's default.

    Raises
    ------
    UsageError
        If the metric `name` does not have the option, or its value has the wrong type.
    """
    option_defaults = default_options(factory)
    parsed = {}
    for option, value in options.items():
        if option not in option_defaults:
            raise unknown_name(f"option of {name}", option, option_defaults)
        parsed[option] = _parse_option(f"{name}.{option}", option_defaults[option], value)
    return parsed


def _parse_option(option: str, default: object, value: Any) -> Any:
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


def check_integer(option: str, value: Any, minimum: int, maximum: int) -> int:
    """Return `value` if it is a whole number from `minimum` to `maximum`.

    Raises
    ------
    UsageError
        Otherwise; the message names the option and the range. The other checks do the same.

    Examples
    --------
    >>> check_integer("nist.order", 5, 1, 100)
    5
    """
    if isinstance(value, Integral) and not isinstance(value, bool):
        value = int(value)
    return whole_number(option, value, minimum, maximum)


def check_number(option: str, value: Any, minimum: float, maximum: float = _MAX_FLOAT) -> float:
    """Return `value` if it is a finite number from `minimum` to `maximum`.

    Examples
    --------
    >>> check_number("ribes.alpha", 1, 0)
    1.0
    """
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not minimum <= value <= maximum:
        expected = (
            f"of at least {minimum:g}"
            if maximum == _MAX_FLOAT
            else f"from {minimum:g} to {maximum:g}"
        )
        raise UsageError(f"{option} is a number {expected}, not {value!r}")
    return float(value)


def check_switch_or_auto(option: str, value: Any) -> bool | str:
    """Return `value` if it is a bool or "auto"; convert the text of a bool, such as "yes".

    Examples
    --------
    >>> [check_switch_or_auto("ter.normalized", value) for value in ("yes", "auto")]
    [True, 'auto']
    """
    return "auto" if value == "auto" else check_switch(option, _parse_option(option, False, value))


def check_switch(option: str, value: Any) -> bool:
    """Return `value` if it is True or False.

    Examples
    --------
    >>> check_switch("bleu-s.boundaries", True)
    True
    """
    if not isinstance(value, bool):
        raise UsageError(f"{option} is True or False, not {value!r}")
    return value


def check_file_name(option: str, value: Any) -> str | os.PathLike[str]:
    """Return `value` if it is a path; empty text for None.

    Examples
    --------
    >>> check_file_name("meteor.synonyms", "wordnet"), check_file_name("meteor.synonyms", None)
    ('wordnet', '')
    """
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{option} is the name of a file, not {value!r}")
    return value or ""
