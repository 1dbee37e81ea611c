"""Word error rate: insertions, deletions and substitutions of words."""

from __future__ import annotations

from wordorder.kernels import edit_distance
from wordorder.metrics.text.pairs import Pairs
from wordorder.metrics.text.substitution import weighted_distances
from wordorder.metrics.text.symmetric_rate import SymmetricErrorRate
from wordorder.segments import Segments
from wordorder.types import Float64


class WordErrorRate(SymmetricErrorRate):
    """Levenshtein distance in words over the length of the reference.

    The fewest insertions, deletions and substitutions that turn one sentence into the other. A
    word that is in another place costs two of them, and a block of words two a word.

    Parameters and errors: `SymmetricErrorRate`.

    Notes
    -----
    Time: hypothesis times reference words, 64 of them at a time with constant costs. Memory grows
    with the length.

    Examples
    --------
    >>> segments = Segments.from_text(["on tuesday we met at six"], ["we met at six on tuesday"])
    >>> WordErrorRate().segment_scores(segments)
    array([0.66666667])
    """

    name = "wer"

    def symmetric_distances(self, segments: Segments) -> Float64:
        """Return Levenshtein distances, float64[R]."""
        texts = segments.texts
        if not self.constant:
            table = self.word_costs.table(texts)
            return weighted_distances(Pairs.of(texts), table, jumps=False)[0]
        return Pairs.of(texts, local=True).bit_parallel(edit_distance.levenshtein_distances)
