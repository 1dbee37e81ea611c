"""chrF and chrF++, as sacreBLEU computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.errors import UsageError
from wordorder.metrics.options import LONGEST_NGRAMS, switch, whole
from wordorder.metrics.text.sacrebleu_metric import SacreBleuMetric

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF

# Precision counts a millionth of recall.
LARGEST_BETA = 1000


class Chrf(SacreBleuMetric):
    """chrF by sacreBLEU (Popović 2015; chrF++: Popović 2017), from 0 to 1.

    The F-score of character n-grams, and with ``word_order=2`` (chrF++) of words too.

    Parameters
    ----------
    char_order : int, default 6
    word_order : int, default 0
    beta : int, default 2
        How much more recall weighs than precision.
    lowercase, whitespace, eps_smoothing : bool, default False
        Ignore case; count blanks as characters; smooth as chrF++.py does.

    Raises
    ------
    UsageError
        If a value is of another kind, an order not from 0 to 100, both orders 0, or `beta` not
        from 1 to 1000.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> segments = Segments.from_text(["It is a test."], ["It was a test."])
    >>> Chrf().segment_scores(segments).round(4)
    array([0.5692])
    """

    name = "chrf"

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        self.char_order = whole("chrf.char_order", char_order, 0, LONGEST_NGRAMS)
        self.word_order = whole("chrf.word_order", word_order, 0, LONGEST_NGRAMS)
        if self.char_order + self.word_order == 0:
            raise UsageError("chrf.char_order and chrf.word_order are not both 0")
        self.beta = whole("chrf.beta", beta, 1, LARGEST_BETA)
        self.lowercase = switch("chrf.lowercase", lowercase)
        self.whitespace = switch("chrf.whitespace", whitespace)
        self.eps_smoothing = switch("chrf.eps_smoothing", eps_smoothing)

    @property
    def width(self) -> int:
        """Hypothesis, reference and match counts of each order."""
        return 3 * (self.char_order + self.word_order)

    @property
    def unsigned(self) -> tuple[tuple[str, str], ...]:
        """The weight of recall."""
        return (("beta", str(self.beta)),)

    def scorer(self) -> CHRF:
        """Return sacreBLEU's metric with the options of this one."""
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(
            char_order=self.char_order,
            word_order=self.word_order,
            beta=self.beta,
            lowercase=self.lowercase,
            whitespace=self.whitespace,
            eps_smoothing=self.eps_smoothing,
        )
