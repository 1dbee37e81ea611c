"""What BLEU and chrF share: sacreBLEU's numbers, counted on the lines as they are."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache

import numpy as np

from wordorder.metrics.text.text_metric import TextMetric
from wordorder.signature import Signature
from wordorder.text.raw_lines import RawLines
from wordorder.text.texts import Texts
from wordorder.types import Float64

Fields = tuple[tuple[str, str], ...]


class SacreBleuMetric(TextMetric):
    """A metric of sacreBLEU: its statistics and its score, from 0 to 1, to the last digit.

    The lines are read before any tokenizer chosen for other metrics. Segments may have different
    numbers of references; one without any is left out.
    """

    columns: tuple[str, ...] = ("lines",)
    lowercase: bool

    @property
    @abstractmethod
    def width(self) -> int:
        """How many statistics sacreBLEU makes of a segment."""

    @property
    @abstractmethod
    def unsigned(self) -> Fields:
        """The fields of options that sacreBLEU's own signature does not tell."""

    @property
    @abstractmethod
    def signed(self) -> Fields:
        """The fields of sacreBLEU's own signature, without case and version."""

    @abstractmethod
    def scores_of(self, counts: Float64) -> Float64:
        """Return the score of each row of sacreBLEU's statistics, float64[N, width]."""

    def score(self, totals: Float64) -> Float64:
        """Return sacreBLEU's score of summed statistics, divided by 100."""
        rows = totals.reshape(-1, self.width + 1)
        scores = np.zeros(len(rows))
        used = np.flatnonzero(rows[:, -1])
        # A perfect score is a geometric mean that may end a digit above 1.
        scores[used] = np.minimum(self.scores_of(np.floor(rows[used, :-1])) / 100, 1.0)
        return scores.reshape(totals.shape[:-1])

    def signature(self) -> Signature:
        """Return the name with sacreBLEU's own signature.

        Without the number of references, which belongs to the corpus.
        """
        case = ("case", "lc" if self.lowercase else "mixed")
        info = (case, *self.signed, ("version", _version()))
        theirs = ((f"sacrebleu-{key}", value) for key, value in info)
        return Signature(self.name, (*self.unsigned, *theirs))

    def cased(self, texts: Texts) -> tuple[RawLines, RawLines]:
        """Return the lines of hypotheses and of references, in the case that counts."""
        lines = (texts.hypothesis_raw, texts.reference_raw)
        return (lines[0].lower(), lines[1].lower()) if self.lowercase else lines


@cache
def _version() -> str:
    """Return the version of sacreBLEU without loading it."""
    from importlib.metadata import version

    return version("sacrebleu")
