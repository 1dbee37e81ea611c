"""Lists of trees over several tag sequences of each sentence (Hall et al. 2011, section 6)."""

from __future__ import annotations

from itertools import pairwise
from typing import Protocol, runtime_checkable

import numpy as np

from wordorder.errors import UsageError
from wordorder.parsing.base import ListParser
from wordorder.parsing.given_tags import TAGS, keep_tags
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


@runtime_checkable
class ListTagger(Protocol):
    """A tagger that gives several tag sequences of each sentence."""

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences a sentence, best first, without heads."""
        ...


def trees_over_tags(
    parser: ListParser, tagger: ListTagger, given: Treebank, k: int, sequences: int
) -> KBest:
    """Parse each of the best tag sequences of a sentence, and merge their trees into one list.

    Parameters
    ----------
    parser, tagger
    given : Treebank
        Tags that words have stay; so there may be fewer sequences.
    k : int
        Trees of a list; they are shared out evenly among its sequences, and the better sequences
        get what is over.
    sequences : int, 1 to `k`
        Tag sequences of a sentence.

    Returns
    -------
    KBest
        The score of a tree is that of the parser and that of its tags together.

    Raises
    ------
    UsageError
        If there are more sequences than trees.

    Notes
    -----
    The trees of the best sequences alone would fill a list that is ranked by score, and a reading
    that the tagger finds unlikely would never be seen (Katz-Brown et al. 2011, section 5.3.1).
    """
    if type(sequences) is not int or not 1 <= sequences <= k:
        raise UsageError(
            f"tag sequences of a list of {k} trees: a whole number from 1 to {k}, not {sequences!r}"
        )
    tagged = _sequences(tagger, given, sequences)
    counts = np.diff(tagged.offsets)
    # Of lists with as many sequences, those of one rank get as many trees.
    share = k // np.maximum(counts, 1)
    quota = np.repeat(share, counts) + (tagged.rank <= np.repeat(k - share * counts, counts))
    most = int(quota.max(initial=1))
    found = parser.kbest(tagged.trees, most)
    kept = np.flatnonzero(found.rank <= quota[found.sentence])
    sequence = found.sentence[kept]
    sentence = tagged.sentence[sequence]
    scores = found.scores[kept] + tagged.scores[sequence]
    order = np.lexsort((-scores, sentence))
    sizes = np.bincount(sentence, minlength=len(given))
    return KBest(found.trees.take(kept[order]), np.append(0, np.cumsum(sizes)), scores[order])


def _sequences(tagger: ListTagger, given: Treebank, most: int) -> KBest:
    """Return the tag sequences of sentences, each once after given tags were put back."""
    found = tagger.kbest_tags(given, most)
    rows = found.sentence
    if not any(given.columns[name].said().any() for name in TAGS):
        return found
    trees = keep_tags(given.take(rows), found.trees)
    upos, xpos = trees.upos.codes, trees.xpos.codes
    cuts = list(pairwise(trees.offsets.tolist()))
    seen: set[tuple[int, bytes, bytes]] = set()
    kept = []
    for tree, (row, (first, last)) in enumerate(zip(rows.tolist(), cuts, strict=True)):
        key = (row, upos[first:last].tobytes(), xpos[first:last].tobytes())
        if key not in seen:
            seen.add(key)
            kept.append(tree)
    places: Int64 = np.array(kept, np.int64)
    sizes = np.bincount(rows[places], minlength=len(given))
    return KBest(trees.take(places), np.append(0, np.cumsum(sizes)), found.scores[places])
