"""TransitionParser: the best trees that a beam of derivations leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.kernels._run import run_pieces
from wordorder.parsing.model_arrays import weights_arrays, weights_from_arrays
from wordorder.parsing.transition.growing import grown_lists
from wordorder.parsing.transition.search import Search, check_lengths
from wordorder.parsing.transition.sentences import EncodedSentences
from wordorder.parsing.transition.system import NAME, TransitionSystem
from wordorder.parsing.weights import UNIT, Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Bool, Float64, Int32, Int64

# Words times beam of the sentences that one thread parses at a time: some tenths of a second.
PIECE = 1 << 16
# Beyond, what is kept of scores takes more than some 100 MB.
MOST_BEAM = 1 << 12


class TransitionParser:
    """An arc-eager parser (Nivre 2003) with a beam.

    A sentence of n words takes 2n actions; the score of a tree is the sum over the actions of its
    only derivation of the weights of all features. All items of the beam take one action at a
    time, and the best `beam` of what they become are kept (Zhang & Clark 2008). There is always
    exactly one root, and trees are projective.

    Parameters
    ----------
    system : TransitionSystem
        Its feature set is one of

        - ``katz-brown`` (Katz-Brown et al. 2011, section 4.3): the words of N0, N1, S0 and S0's
          head; the tags of N0 to N3, S0 and the word below it; the labels of S0, of its leftmost
          and rightmost child and of N0's leftmost child; and all pairs and triples of the tags
          and labels;
        - ``hall`` (Hall et al. 2011, section 3.1): the same, but all pairs and triples of words,
          tags and labels, ten times as many features: gigabytes for a large treebank;
        - ``zhang-nivre`` (Zhang & Nivre 2011): words, tags, distance, children and heads up to the
          third order, numbers and labels of children; with more templates of universal tags.
    weights : Weights
    beam : int
        How many items are kept; 1 is a greedy parser.

    Attributes
    ----------
    beam : int
        May be set; a parser is best with the beam that it was trained with, or a larger one.

    Examples
    --------
    >>> from wordorder.parsing.transition.learner import TransitionLearner
    >>> bank = Treebank.from_words(
    ...     [["go", "home"], ["it", "rains"]],
    ...     heads=[[0, 1], [2, 0]],
    ...     upos=[["VERB", "ADV"], ["PRON", "VERB"]],
    ...     label=[["root", "advmod"], ["expl", "root"]],
    ... )
    >>> learner = TransitionLearner(bank)
    >>> weights = learner.new_weights()
    >>> for epoch in range(3):
    ...     tally = learner.learn(np.array([0, 1]), weights, before=2 * epoch)
    >>> parser = learner.model(weights.averaged(6))
    >>> parsed = parser.parse(Treebank.from_words([["it", "rains"]], upos=[["PRON", "VERB"]]))
    >>> parsed.heads.tolist(), parsed.label.strings()
    ([2, 0], ['expl', 'root'])
    """

    kind: ClassVar[str] = NAME

    def __init__(self, system: TransitionSystem, weights: Weights, *, beam: int = 8) -> None:
        self.system = system
        self.weights = weights
        self.beam = check_beam(beam)

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with the best tree of each.

        Parameters
        ----------
        sentences : Treebank
            With tags; trees that are there are replaced.

        Raises
        ------
        InputError
            If a sentence is too long for the beam: 524,288 words for one of 8.
        """
        heads, labels, _, _ = self._lists(sentences, 1, check_beam(self.beam))
        return sentences.replace(heads=heads, label=self.system.column(labels))

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""
        return self.system.encoding.forms

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags of the training data, ``upos`` and ``xpos``."""
        return self.system.encoding.learnt_tags()

    def kbest(self, sentences: Treebank, k: int, *, beam: int | None = None) -> KBest:
        """Return up to `k` distinct trees of each sentence, best first.

        They are the best of those that the beam ends with; a list for a smaller `k` from the same
        beam is the beginning of this one.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
        beam : int, at least `k`, optional
            The parser's own if not given, or `k` if that is larger.

        Raises
        ------
        UsageError
            If `k` is larger than the beam, or is no such number.
        InputError
            As `parse` does.
        """
        _check_k(k)
        width = check_beam(max(self.beam, k) if beam is None else beam)
        if width < k:
            raise UsageError(f"a beam of {width} does not give {k} trees")
        heads, labels, scores, counts = self._lists(sentences, k, width)
        offsets = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        trees = sentences.take(np.repeat(np.arange(len(sentences)), counts))
        trees = trees.replace(heads=heads, label=self.system.column(labels))
        return KBest(trees, offsets, scores / UNIT)

    def kbest_growing(
        self, sentences: Treebank, k: int, *, until: Callable[[KBest], Bool] | None = None
    ) -> KBest:
        """Return the best trees that beams of 2, 4, 8, … find (Hall et al. 2011, section 2.2).

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
            The trees of all beams together are cut to the best `k`; a sentence that has as many
            is done.
        until : callable, optional
            Takes the lists so far of the sentences that are not done and says of each whether
            its list is good enough, bool[S].

        Raises
        ------
        UsageError
            If `k` is no such number.
        InputError
            As `parse` does.
        """
        _check_k(k)
        return grown_lists(self.kbest, sentences, k, until)

    def score(self, trees: Treebank) -> Float64:
        """Return the score of each tree, float64[S], comparable with those of `kbest`.

        Any tree of known labels has a score. A relation that the training data never has between
        two such tags in that direction is not searched, though (unless it has none at all between
        them): a tree with one may score more than the best of the widest beam.

        Raises
        ------
        InputError
            If the parser cannot build a tree: it is not projective, has not exactly one root, or
            a label that the parser does not know.
        """
        actions = self.system.required_derivations(trees)
        words = self.system.encoding.encode(trees)
        search = Search(self.system, words, np.ascontiguousarray(trees.offsets), 1)
        return search.scores(self.weights, actions) / UNIT

    def encoded(self, sentences: Treebank) -> EncodedSentences:
        """Return sentences whose trees have features that can be asked for and learnt from."""
        return EncodedSentences(self.system, sentences)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the parser, and its arrays by name."""
        about, arrays = self.system.parts()
        weights = weights_arrays(f"{NAME}.weights", self.weights)
        return {**about, "beam": self.beam}, {**arrays, **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TransitionParser:
        """Make the parser again.

        Raises
        ------
        ModelError
            If anything does not fit together.
        """
        system = TransitionSystem.from_parts(about, arrays)
        beam = about.get("beam")
        if type(beam) is not int or not 1 <= beam <= MOST_BEAM:
            raise ModelError(f"{NAME}: beam {beam!r}; expected 1 to {MOST_BEAM}")
        weights = weights_from_arrays(f"{NAME}.weights", arrays, system.actions)
        return cls(system, weights, beam=beam)

    def _lists(
        self, sentences: Treebank, most: int, beam: int
    ) -> tuple[Int32, Int32, Int64, Int64]:
        """Return heads, labels and scores of up to `most` trees a sentence, and their numbers."""
        offsets = np.ascontiguousarray(sentences.offsets)
        # A piece would count its own sentences.
        check_lengths(offsets, beam)
        words = self.system.encoding.encode(sentences)
        rows = len(sentences)
        pieces = int(offsets[-1]) * beam // PIECE + 1
        targets = np.linspace(0, int(offsets[-1]), pieces + 1)[1:-1]
        cuts = [0, *np.searchsorted(offsets, targets).tolist(), rows]
        spans = [(first, last) for first, last in pairwise(cuts) if first < last]

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            first, last = span
            own = words[int(offsets[first]) : int(offsets[last])]
            cut = offsets[first : last + 1] - offsets[first]
            search = Search(self.system, own, cut, beam)
            return search.trees(self.weights, most)

        found = run_pieces(work, spans)
        if not found:
            nothing = np.zeros(0, np.int32)
            return nothing, nothing, np.zeros(0, np.int64), np.zeros(0, np.int64)
        heads, labels, scores, counts = zip(*found, strict=True)
        return (
            np.concatenate(heads),
            np.concatenate(labels),
            np.concatenate(scores),
            np.concatenate(counts),
        )


def _check_k(k: object) -> None:
    """Refuse a length of lists that no beam gives."""
    if type(k) is not int or not 1 <= k <= MOST_BEAM:
        raise UsageError(f"k is a whole number from 1 to {MOST_BEAM}, not {k!r}")


def check_beam(beam: object) -> int:
    """Return a beam.

    Raises
    ------
    UsageError
        If it cannot be one.
    """
    if type(beam) is not int or not 1 <= beam <= MOST_BEAM:
        raise UsageError(f"a beam is a whole number from 1 to {MOST_BEAM}, not {beam!r}")
    return beam
