"""What BLEU and chrF share: sacreBLEU counts, on the lines as they are."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordorder.metrics.text.text_metric import TextMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric as Scorer


class SacreBleuMetric(TextMetric):
    """A metric of sacreBLEU: its statistics and its score, from 0 to 1.

    The lines go to sacreBLEU before any tokenizer of ours. Segments may have different numbers of
    references; one without any is left out.
    """

    columns: tuple[str, ...] = ("lines",)

    @abstractmethod
    def scorer(self) -> Scorer:
        """Return sacreBLEU's metric with the options of this one."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many statistics sacreBLEU makes of a segment."""

    @property
    @abstractmethod
    def unsigned(self) -> tuple[tuple[str, str], ...]:
        """The fields of options that sacreBLEU's own signature does not tell."""

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, width+1]: what sacreBLEU counts, and 1."""
        texts = segments.texts
        statistics = np.zeros((len(texts), self.width + 1))
        bounds = texts.reference_offsets.tolist()
        used = np.flatnonzero(np.diff(texts.reference_offsets))
        if not len(used):
            return statistics
        hypotheses, lines = texts.hypothesis_lines, texts.reference_lines
        rows = [lines[bounds[s] : bounds[s + 1]] for s in used]
        # sacreBLEU takes references by file; None stands where a segment has no more.
        most = max(map(len, rows))
        files = [[row[i] if i < len(row) else None for row in rows] for i in range(most)]
        counted = self._scorer._extract_corpus_statistics(
            [hypotheses[s] for s in used],
            files,  # type: ignore[arg-type]  # its own manner to say that there is none
        )
        statistics[used, :-1] = counted
        statistics[used, -1] = 1
        return statistics

    def score(self, totals: Float64) -> Float64:
        """Return sacreBLEU's score of summed statistics, divided by 100."""
        rows = totals.reshape(-1, self.width + 1)
        scores = np.zeros(len(rows))
        compute = self._scorer._compute_score_from_stats
        for place in np.flatnonzero(rows[:, -1]):
            # Whole numbers: sacreBLEU prints some of its counts as such.
            score = compute(rows[place, :-1].astype(np.int64).tolist()).score / 100
            # A perfect score is a geometric mean that may end a digit above 1.
            scores[place] = min(score, 1.0)
        return scores.reshape(totals.shape[:-1])

    def signature(self) -> Signature:
        """Return the name with sacreBLEU's own signature.

        Without the number of references, which belongs to the corpus.
        """
        # Nothing was scored with it; its signature asks for a number nevertheless.
        self._scorer.num_refs = 1
        info = self._scorer.get_signature().format().split("|")
        fields = [field.split(":", 1) for field in info if not field.startswith("nrefs:")]
        theirs = ((f"sacrebleu-{key}", value) for key, value in fields)
        return Signature(self.name, (*self.unsigned, *theirs))

    @cached_property
    def _scorer(self) -> Scorer:
        return self.scorer()
