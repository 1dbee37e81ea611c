"""Base classes of text metrics, and pairs of hypothesis and reference for kernels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Int64, Ragged
from wordorder.kernels import Kernel, announce, call, edits as kernel, run_rows
from wordorder.metrics.contract import BaseMetric
from wordorder.signature import Signature
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts


class TextMetric(BaseMetric):
    """A metric of translations and their references, cut into words."""

    columns: tuple[str, ...] = ("text",)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of hypothesis and reference; one of the two is the pattern, the other the text.

    Attributes
    ----------
    pattern, text : Ragged
        Rows of word ids. A kernel prepares each row of `pattern` once for all its pairs.
    offsets : int64[P+1]
        Row ``p`` of `pattern` is in the pairs ``offsets[p] .. offsets[p+1]-1``.
    text_rows : int64[R]
        The row of `text` in each pair.
    id_count : int
        Larger than all word ids.

    Examples
    --------
    >>> texts = Texts.from_segments(["a b", "c"], [["b a", "a"], "d"])
    >>> pairs = Pairs.of(texts, local=True, reverse=True)
    >>> pairs.pattern.to_lists(), pairs.text_rows.tolist()
    ([[1, 0], [0], [1]], [0, 0, 1])
    """

    pattern: Ragged
    text: Ragged
    offsets: Int64
    text_rows: Int64
    id_count: int

    @classmethod
    def of(cls, texts: Texts, *, local: bool = False, reverse: bool = False) -> Pairs:
        """Pair each reference with its hypothesis; pair ``r`` has reference ``r``.

        Parameters
        ----------
        texts : Texts
        local : bool
            Use word ids that are local to their segments, which are small.
        reverse : bool
            Use the references as patterns instead of the hypotheses.
        """
        rows = texts.local() if local else texts
        id_count = len(texts.vocabulary)
        if local:
            id_count = int(texts.local().distinct.max(initial=0))
        all_rows = np.arange(len(texts.references) + 1, dtype=np.int64)
        if reverse:
            return cls(rows.references, rows.hypothesis, all_rows, texts.segment_of, id_count)
        offsets = np.ascontiguousarray(texts.reference_offsets)
        return cls(rows.hypothesis, rows.references, offsets, all_rows[:-1], id_count)

    def __len__(self) -> int:
        return len(self.text_rows)

    @cached_property
    def rows(self) -> Any:
        """The pairs as a kernel object."""
        pattern, text = self.pattern, self.text
        return call(
            *(kernel.RowPairs, pattern.values, pattern.offsets, text.values, text.offsets),
            *(self.offsets, self.text_rows),
        )

    def run(self, pair_kernel: Kernel, *arrays: Any, scratch: Callable[[], Any]) -> None:
        """Run a kernel of distances over all pairs; `scratch` creates the work space of a chunk."""
        run_rows(
            *(pair_kernel, self.pattern.offsets, self.rows, *arrays), scratch=lambda _: (scratch(),)
        )

    def bit_parallel_distances(self, *, cover: bool = False) -> Float64:
        """Return Levenshtein distances, or cover distances, with constant costs, float64[R]."""
        announce("an edit distance", float(self.cells.max(initial=0)) / 64)
        distances, max_length = np.empty(len(self), np.int64), self.max_pattern_length
        self.run(
            *(kernel.bit_distances, cover, distances),
            scratch=lambda: call(kernel.BitGrid, self.rows, self.id_count, max_length),
        )
        return distances.astype(np.float64)

    @property
    def max_pattern_length(self) -> int:
        """The length of the longest pattern."""
        return int(self.pattern.lengths.max(initial=0))

    @property
    def surplus(self) -> Int64:
        """The number of words of the pattern minus those of the text, int64[R]; 0 if negative."""
        surplus: Int64 = np.maximum(np.subtract(*self._lengths), 0)
        return surplus

    @property
    def words(self) -> Int64:
        """The total number of words of each pair, int64[R]."""
        return np.add(*self._lengths)

    @property
    def cells(self) -> Int64:
        """The product of the two lengths of each pair, int64[R]."""
        return np.multiply(*self._lengths)

    @property
    def _lengths(self) -> tuple[Int64, Int64]:
        lengths = np.repeat(self.pattern.lengths, np.diff(self.offsets))
        return lengths, self.text.lengths[self.text_rows]


Fields = tuple[tuple[str, str], ...]


class SacreBleuMetric(TextMetric):
    """A metric of sacreBLEU: exactly its statistics and score, with the score from 0 to 1.

    The raw lines are cut by the metric's own tokenizer. Segments may have different numbers of
    references; a segment without references is left out.
    """

    columns: tuple[str, ...] = ("lines",)
    lowercase: bool
    tokenize: str

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of sacreBLEU's statistics per segment."""

    @property
    @abstractmethod
    def own_fields(self) -> Fields:
        """The fields of options that are not in sacreBLEU's own signature."""

    @property
    @abstractmethod
    def sacrebleu_fields(self) -> Fields:
        """The fields of sacreBLEU's own signature, without case and version."""

    @abstractmethod
    def score_counts(self, counts: Float64) -> Float64:
        """Return the scores from 0 to 100 of sacreBLEU's statistics, float64[N, width]."""

    def is_cut_by(self, tokenizer: str) -> bool:
        """Return whether this is the tokenizer of the metric."""
        return self.tokenize == tokenizer

    def score(self, totals: Float64) -> Float64:
        """Return sacreBLEU's score of summed statistics, divided by 100."""
        rows = totals.reshape(-1, self.width + 1)
        scores = np.zeros(len(rows))
        used = np.flatnonzero(rows[:, -1])
        # The geometric mean of a perfect score may be rounded to slightly more than 1.
        scores[used] = np.minimum(self.score_counts(np.floor(rows[used, :-1])) / 100, 1.0)
        return scores.reshape(totals.shape[:-1])

    def signature(self) -> Signature:
        """Return the name with sacreBLEU's own signature, except the number of references."""
        case = ("case", "lc" if self.lowercase else "mixed")
        info = (case, *self.sacrebleu_fields, ("version", _version()))
        sacrebleu_fields = ((f"sacrebleu-{key}", value) for key, value in info)
        return Signature(self.name, (*self.own_fields, *sacrebleu_fields))

    def raw_lines(self, texts: Texts) -> tuple[RawLines, RawLines]:
        """Return the lines of hypotheses and references, in lower case if `lowercase` is set."""
        lines = (texts.hypothesis_raw, texts.reference_raw)
        return (lines[0].lower(), lines[1].lower()) if self.lowercase else lines


@cache
def _version() -> str:
    """Return the version of sacreBLEU without loading it."""
    from importlib.metadata import version

    return version("sacrebleu")


def count_bag_matches(texts: Texts) -> Int64:
    """Count the words that each reference shares with its hypothesis, int64[R].

    If a word occurs twice in one sentence and three times in the other, two match. The counts are
    stored for other metrics of the same texts.

    Examples
    --------
    >>> count_bag_matches(Texts.from_segments(["a b a"], [["a a a", "b"]])).tolist()
    [2, 1]
    """
    return texts.derived("bag matches", lambda: _count_bag_matches(texts))


def _count_bag_matches(texts: Texts) -> Int64:
    pairs = Pairs.of(texts, local=True)
    common, scratch_size = np.empty(len(pairs), np.int64), pairs.id_count + 1
    pairs.run(kernel.common_words, common, scratch=lambda: np.zeros(scratch_size, np.int32))
    return common
