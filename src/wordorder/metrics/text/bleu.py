"""BLEU, as sacreBLEU computes it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from copy import copy
from functools import partial

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.kernels import bleu_scores as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.options import LONGEST_NGRAMS, real, switch, whole
from wordorder.metrics.text.ngram_counts import ngram_statistics
from wordorder.metrics.text.sacrebleu_metric import Fields, SacreBleuMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.text.cut_words import cut_lines, cut_words
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.text.tokenizers import blank_words, changed_words, mteval_words, sacrebleu_tokenizer
from wordorder.types import Float64

# The ways of smoothing, with the value that each takes if none is given.
SMOOTHING: dict[str, float | None] = {"none": None, "floor": 0.1, "add-k": 1.0, "exp": None}
# What the kernel calls them.
NUMBERS = {"none": 0, "exp": 1, "floor": 2, "add-k": 3}
# Whether `sum` keeps what rounding takes away.
COMPENSATED = sys.version_info >= (3, 12)


class Bleu(SacreBleuMetric):
    """BLEU as sacreBLEU has it (Papineni, Roukos, Ward and Zhu 2002; Post 2018), from 0 to 1.

    The geometric mean of the n-gram precisions, times the brevity penalty.

    Parameters
    ----------
    tokenize : str, default "13a"
        sacreBLEU's tokenizer.
    lowercase : bool, default False
    smooth_method : "exp", "floor", "add-k" or "none"
    smooth_value : float, optional
        For "floor" (0.1 without it) and "add-k" (1 without it); the others do without.
    max_ngram_order : int, default 4
    effective_order : bool, default False
        Use only the orders that a text has n-grams of. The scores of single segments always do,
        as those of sacreBLEU's ``sentence_bleu``; this is for the score of a corpus.

    Raises
    ------
    UsageError
        If a value is unknown or of another kind, or what a tokenizer needs is not installed.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Bleu().segment_scores(segments).round(4)
    array([0.4273])
    >>> thanks = Segments.from_text(["Thank you ."], ["Thank you ."])
    >>> Bleu().segment_scores(thanks), Bleu().corpus_score(thanks).value
    (array([1.]), 0.0)
    """

    name = "bleu"

    def __init__(
        self,
        *,
        tokenize: str = "13a",
        lowercase: bool = False,
        smooth_method: str = "exp",
        smooth_value: float | str | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
    ) -> None:
        self._tokenizer, self._tokenizer_signature = _tokenizer_of(tokenize)
        self.tokenize = tokenize
        self.smooth_method = choose("bleu.smooth_method", smooth_method, tuple(SMOOTHING))
        self.lowercase = switch("bleu.lowercase", lowercase)
        self.smooth_value = _smoothing(smooth_value, SMOOTHING[smooth_method])
        self.max_ngram_order = whole("bleu.max_ngram_order", max_ngram_order, 1, LONGEST_NGRAMS)
        self.effective_order = switch("bleu.effective_order", effective_order)

    @property
    def width(self) -> int:
        """Two lengths, and matches and totals of each order."""
        return 2 + 2 * self.max_ngram_order

    @property
    def unsigned(self) -> Fields:
        """The longest n-grams, and the digits of the smoothing value beyond the second."""
        order = ("order", str(self.max_ngram_order))
        value = self.smooth_value
        return (order,) if value is None else (order, ("smooth_value", repr(value)))

    @property
    def signed(self) -> Fields:
        """The options by sacreBLEU's names."""
        value = "" if self.smooth_value is None else f"[{self.smooth_value:.2f}]"
        return (
            ("eff", "yes" if self.effective_order else "no"),
            ("tok", self._tokenizer_signature),
            ("smooth", f"{self.smooth_method}{value}"),
        )

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, width+1]: lengths, matches, totals, and 1."""
        texts = segments.texts
        words = self._words(texts)
        counts = ngram_statistics(words, self.max_ngram_order)
        used = np.diff(texts.reference_offsets) > 0
        return np.column_stack([counts[:, -2:], counts[:, :-2], used])

    def scores_of(self, counts: Float64) -> Float64:
        """Return sacreBLEU's scores, by its operations: logarithms and sums of Python too."""
        flat = np.ascontiguousarray(counts, np.float64).ravel()
        scores = np.empty(len(counts))
        run_rows(
            kernel.bleu_scores,
            np.arange(len(counts) + 1, dtype=np.int64) * counts.shape[1],
            flat,
            self.max_ngram_order,
            NUMBERS[self.smooth_method],
            self.smooth_value or 0.0,
            self.effective_order,
            COMPENSATED,
            scores,
        )
        return scores

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the score of each segment, with effective order: float64[S, k] to float64[S]."""
        return self._of_segments().score(statistics)

    def segment_signature(self) -> Signature:
        """Return the signature with effective order."""
        return self._of_segments().signature()

    def _of_segments(self) -> Bleu:
        """Return the metric with effective order."""
        if self.effective_order:
            return self
        made = copy(self)
        made.effective_order = True
        return made

    def _words(self, texts: Texts) -> Texts:
        """Return the texts as the tokenizer cuts their lines."""
        if self.tokenize == texts.preparation.tokenizer == "13a" and not self.lowercase:
            return texts
        if self._tokenizer is not None:
            cutter = partial(_cut_lines_by, self._tokenizer)
            return cut_lines(texts, cutter, lowercase=self.lowercase)
        if self.tokenize == "none":
            changed = None if self.lowercase else changed_words
            return cut_words(texts, blank_words, lowercase=self.lowercase, changed=changed)
        # What 13a does to a line break depends on whether the line ends behind it.
        if texts.lines is None and any("\n" in word for word in texts.vocabulary.words):
            return cut_lines(texts, mteval_words, lowercase=self.lowercase)
        return cut_words(texts, mteval_words, lowercase=self.lowercase)


def _tokenizer_of(name: str) -> tuple[Callable[[str], str] | None, str]:
    """Return a tokenizer of sacreBLEU's and its signature; none where it is ours too."""
    # Importing sacreBLEU takes as long as importing numpy.
    if name in ("13a", "none"):
        return None, name
    from sacrebleu.metrics.bleu import BLEU

    choose("bleu.tokenize", name, tuple(BLEU.TOKENIZERS))
    return sacrebleu_tokenizer(name, f"bleu.tokenize={name}")


def _cut_lines_by(tokenize: Callable[[str], str], lines: RawLines) -> RawLines:
    tokens = [tokenize(line.rstrip()) for line in lines.strings(surrogates=True)]
    return blank_words(RawLines.from_strings(tokens, surrogates=True))


def _smoothing(value: float | str | None, default: float | None) -> float | None:
    """Return the smoothing value, which comes as text from a command line.

    A method without a default has no use for any.
    """
    if value is None:
        return None if default is None else float(default)
    try:
        number = float(value) if isinstance(value, str) else value
    except ValueError:
        raise UsageError(f"bleu.smooth_value is a number, not {value!r}") from None
    checked = real("bleu.smooth_value", number, 0)
    return None if default is None else checked
