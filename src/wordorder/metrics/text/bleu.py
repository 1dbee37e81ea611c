"""BLEU, as sacreBLEU computes it."""

from __future__ import annotations

from math import exp, log
from typing import TYPE_CHECKING

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.metrics.options import LONGEST_NGRAMS, real, switch, whole
from wordorder.metrics.text.sacrebleu_metric import SacreBleuMetric
from wordorder.types import Float64

if TYPE_CHECKING:
    from sacrebleu.metrics.bleu import BLEU


class Bleu(SacreBleuMetric):
    """BLEU by sacreBLEU (Papineni, Roukos, Ward and Zhu 2002; Post 2018), from 0 to 1.

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
        Use only the orders that a text has n-grams of; for the scores of single segments.

    Raises
    ------
    UsageError
        If a value is unknown or of another kind, or what a tokenizer needs is not installed.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Bleu(effective_order=True).segment_scores(segments).round(4)
    array([0.4273])
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
        from sacrebleu.metrics.bleu import BLEU

        self.tokenize = choose("bleu.tokenize", tokenize, tuple(BLEU.TOKENIZERS))
        self.smooth_method = choose(
            "bleu.smooth_method", smooth_method, tuple(BLEU.SMOOTH_DEFAULTS)
        )
        self.lowercase = switch("bleu.lowercase", lowercase)
        self.smooth_value = _smoothing(smooth_value, BLEU.SMOOTH_DEFAULTS[smooth_method])
        self.max_ngram_order = whole("bleu.max_ngram_order", max_ngram_order, 1, LONGEST_NGRAMS)
        self.effective_order = switch("bleu.effective_order", effective_order)
        # A tokenizer that is not installed is a mistake in the call, not in the first segment.
        self._scorer = self.scorer()

    @property
    def width(self) -> int:
        """Two lengths, and matches and totals of each order."""
        return 2 + 2 * self.max_ngram_order

    @property
    def unsigned(self) -> tuple[tuple[str, str], ...]:
        """The longest n-grams, and the digits of the smoothing value beyond the second."""
        order = ("order", str(self.max_ngram_order))
        value = self.smooth_value
        return (order,) if value is None else (order, ("smooth_value", repr(value)))

    def score(self, totals: Float64) -> Float64:
        """Return sacreBLEU's score of summed statistics, divided by 100.

        The common case is computed for many rows at once, by the same operations, logarithms and
        sums of Python among them, so that each digit is sacreBLEU's.
        """
        rows = totals.reshape(-1, self.width + 1)
        order = self.max_ngram_order
        correct, total = np.floor(rows[:, 2 : 2 + order]), np.floor(rows[:, 2 + order : -1])
        common = (rows[:, -1] != 0) & (total > 0).all(axis=1) & (correct > 0).any(axis=1)
        if self.smooth_method != "exp":
            common &= (correct > 0).all(axis=1) & (self.smooth_method != "add-k")
        if len(rows) == 1 or not common.any():
            return super().score(totals)
        scores = np.empty(len(rows))
        scores[~common] = super().score(rows[~common])
        scores[common] = _common_scores(rows[common, :2], correct[common], total[common])
        return scores.reshape(totals.shape[:-1])

    def scorer(self) -> BLEU:
        """Return sacreBLEU's metric with the options of this one."""
        from sacrebleu.metrics.bleu import BLEU

        try:
            return BLEU(
                tokenize=self.tokenize,
                lowercase=self.lowercase,
                smooth_method=self.smooth_method,
                smooth_value=self.smooth_value,
                max_ngram_order=self.max_ngram_order,
                effective_order=self.effective_order,
                # Without its advice about tokenised text, which it would log for every piece.
                force=True,
            )
        except (ImportError, RuntimeError) as error:
            reason = " ".join(str(error).split())
            raise UsageError(f"bleu.tokenize={self.tokenize}: {reason}") from None


def _common_scores(lengths: Float64, correct: Float64, total: Float64) -> Float64:
    """Return BLEU with n-grams of each order and a match of some, each missing one halved."""
    halved = np.exp2(np.cumsum(correct == 0, axis=1))
    with np.errstate(divide="ignore"):
        precision = np.where(correct == 0, 100.0 / (halved * total), 100.0 * correct / total)
    order = precision.shape[1]
    logs = np.reshape(list(map(log, precision.ravel().tolist())), precision.shape).tolist()
    means = [exp(sum(row) / order) for row in logs]
    ours, theirs = np.floor(lengths).T
    shorter = np.where(ours < theirs, 1 - theirs / np.maximum(ours, 1), 0.0)
    penalties = np.array(list(map(exp, shorter.tolist())))
    return np.minimum(penalties * means / 100, 1.0)


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
