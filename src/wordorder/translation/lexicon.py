"""How often words are linked with each other, and the lexical weights that follow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.kernels import lexical_weights as kernel
from wordorder.kernels._run import run_rows
from wordorder.ragged import Ragged
from wordorder.types import Float64, Int32, Int64, UInt64

# The word that those without a link are linked with.
NULL = 0


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Counts of linked words; words are numbered from 1 on, 0 is the null word.

    Attributes
    ----------
    row_offsets : int64[V+1]
        The target words that each source word is linked with.
    linked : int32[]
        These target words, sorted.
    counts : int64[]
        How often.
    source_totals, target_totals : int64[]
        Sums of the counts by source word and by target word.
    """

    row_offsets: Int64
    linked: Int32
    counts: Int64
    source_totals: Int64
    target_totals: Int64

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments) -> Lexicon:
        """Count the links of sentence pairs; a word without one is linked with the null word.

        Examples
        --------
        >>> links = Alignments.from_rows([[(0, 0), (0, 1)]])
        >>> lexicon = Lexicon.of(Ragged.from_rows([[1, 2]]), Ragged.from_rows([[3, 3]]), links)
        >>> lexicon.row_offsets.tolist(), lexicon.linked.tolist(), lexicon.counts.tolist()
        ([0, 0, 1, 2], [3, 0], [2, 1])
        """
        rows = np.repeat(np.arange(len(links)), np.diff(links.offsets))
        places = source.offsets[rows] + links.source, target.offsets[rows] + links.target
        lone = []
        for side, linked in zip((source, target), places, strict=True):
            without = np.ones(len(side.values), np.bool_)
            without[linked] = False
            lone.append(side.values[without])
        first = np.concatenate([source.values[places[0]], lone[0], np.full_like(lone[1], NULL)])
        second = np.concatenate([target.values[places[1]], np.full_like(lone[0], NULL), lone[1]])
        pairs, counts = np.unique((first.astype(np.int64) << 32) | second, return_counts=True)
        begins, ends = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
        size = int(source.values.max(initial=NULL)) + 1
        return cls(
            np.searchsorted(begins, np.arange(size + 1)).astype(np.int64),
            ends,
            counts.astype(np.int64),
            np.bincount(begins, counts, size).astype(np.int64),
            np.bincount(ends, counts, int(target.values.max(initial=NULL)) + 1).astype(np.int64),
        )

    def weights(self, source: Ragged, target: Ragged, masks: UInt64) -> Float64:
        """Return the logarithms of both lexical weights of phrase pairs.

        Parameters
        ----------
        source, target : Ragged
            The words of the phrases, a pair a row.
        masks : uint64[E]
            Their links, as `wordorder.translation.extraction.PhrasePairs` has them.

        Returns
        -------
        float64[E, 2]
            Of lex(f|e), the product over the source words of the mean of ``w(f_i|e_j)`` over the
            target words ``e_j`` that it is linked with, and of lex(e|f) likewise (Koehn, Och &
            Marcu 2003, section 3.2). ``w`` is the share among the links of the given word.
        """
        weights = np.empty((len(source), 2), np.float64)
        run_rows(
            kernel.weigh_pairs,
            source.offsets,
            source.values,
            source.offsets,
            target.values,
            target.offsets,
            masks,
            self.row_offsets,
            self.linked,
            self.counts,
            self.source_totals,
            self.target_totals,
            weights.reshape(-1),
        )
        return weights
