"""TransitionParser: the best trees that a beam of derivations leads to, and how it learns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Bool, Float64, Int32, Int64, UInt64
from wordorder.errors import InputError, ModelError, UsageError, choose, whole_number
from wordorder.kernels import piece_spans, run_pieces
from wordorder.parsing.learners import Best, CandidateSentences, SentenceLearner, concatenate_trees
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.transition.features import FEATURE_SETS, Encoding
from wordorder.parsing.transition.search import Search, check_beam_lengths
from wordorder.parsing.transition.system import NAME, TransitionSystem
from wordorder.parsing.weights import UNIT, Step, Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees, projectivize

# The narrowest beam of lists that grow.
FIRST_BEAM = 2

# Words times beam of the sentences that one thread parses at a time: some tenths of a second.
PIECE = 1 << 16

# With more, the stored scores take more than some 100 MB.
MOST_BEAM = 1 << 12

# Heads of a sentence, counted from 1, and labels: strings, or their numbers in the system.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32

UPDATES = ("early", "max-violation")


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
          tags and labels, ten times the features: gigabytes for a large treebank;
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
    >>> from wordorder.parsing.transition.parser import TransitionLearner
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
        whole_number("k", k, most=MOST_BEAM)
        width = check_beam(max(self.beam, k) if beam is None else beam)
        if width < k:
            raise UsageError(f"a beam of {width} does not give {k} trees")
        heads, labels, scores, counts = self._lists(sentences, k, width)
        label = self.system.column(labels)
        return KBest.of(sentences, counts, scores / UNIT, heads=heads, label=label)

    def kbest_growing(
        self, sentences: Treebank, k: int, *, until: Callable[[KBest], Bool] | None = None
    ) -> KBest:
        """Return the best trees that beams of 2, 4, 8, … find (Hall et al. 2011, section 2.2).

        A sentence is done when its list has `k` trees, when `until` says so, or when a beam that
        could give `k` trees was searched.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
            The trees of all beams together are cut to the best `k`; a sentence with `k` trees is
            done.
        until : callable, optional
            Takes the lists so far of the sentences that are not done; returns bool[S], True where
            a list is good enough.

        Raises
        ------
        UsageError
            If `k` is no such number.
        InputError
            As `parse` does.
        """
        whole_number("k", k, most=MOST_BEAM)
        done: list[tuple[Int64, KBest]] = []
        still = np.arange(len(sentences))
        lists: KBest | None = None
        beam = FIRST_BEAM
        while len(still):
            new = self.kbest(sentences.take(still), beam, beam=beam)
            lists = new if lists is None else lists.united(new)
            finished = np.diff(lists.offsets) >= k
            if beam >= k:
                finished[:] = True
            elif until is not None and not finished.all():
                enough = np.asarray(until(lists))
                if enough.shape != finished.shape:
                    raise UsageError(f"until says of {len(finished)} lists whether they are enough")
                finished |= enough.astype(bool)
            done.append((still[finished], lists.take(np.flatnonzero(finished), most=k)))
            lists = lists.take(np.flatnonzero(~finished))
            still = still[~finished]
            beam *= 2
        if not done:
            return self.kbest(sentences, 1, beam=1)
        rows = np.concatenate([numbers for numbers, _ in done])
        return KBest.concatenate([part for _, part in done]).take(np.argsort(rows, kind="stable"))

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
        """Return the JSON-serialisable metadata of the parser, and its arrays by name."""
        about, arrays = self.system.parts()
        weights = weights_arrays(f"{NAME}.weights", self.weights)
        return {**about, "beam": self.beam}, {**arrays, **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TransitionParser:
        """Rebuild the parser from its saved state.

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

    def _lists(self, sentences: Treebank, most: int, beam: int) -> tuple[Any, ...]:
        """Return heads, labels and scores of up to `most` trees per sentence, and their numbers."""
        offsets = np.ascontiguousarray(sentences.offsets)
        # A piece would count its own sentences.
        check_beam_lengths(offsets, beam)
        words = self.system.encoding.encode(sentences)

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            first, last = span
            words_of_piece = words[int(offsets[first]) : int(offsets[last])]
            cut = offsets[first : last + 1] - offsets[first]
            return Search(self.system, words_of_piece, cut, beam).trees(self.weights, most)

        return concatenate_trees(run_pieces(work, piece_spans(offsets * beam, PIECE)))


def check_beam(beam: object) -> int:
    """Return a beam.

    Raises
    ------
    UsageError
        If it cannot be one.
    """
    return whole_number("a beam", beam, most=MOST_BEAM)


class EncodedSentences(CandidateSentences[tuple[Heads, Labels], Int32]):
    """Sentences as a transition parser sees them, to learn from any trees of theirs.

    Parameters
    ----------
    system : TransitionSystem
    sentences : Treebank
        With tags; trees are not looked at.
    """

    def __init__(self, system: TransitionSystem, sentences: Treebank) -> None:
        self.system = system
        self.offsets = np.ascontiguousarray(sentences.offsets)
        self.words = system.encoding.encode(sentences)
        # Features do not depend on any weights.
        self._none = Weights(system.actions)

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence: those of its only derivation.

        Parameters
        ----------
        row : int
            Number of the sentence.
        heads : int[n]
            Counted from 1; 0 is the root.
        labels : str[n] or int[n]
            Labels, or their numbers in ``system.labels``; that of the root does not matter.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            A feature as often as the derivation has it; the score of the tree is the sum of
            their weights.

        Raises
        ------
        InputError
            If the tree is not projective, has not exactly one root, or a label is not known.
        """
        actions = self.numbered(row, (heads, labels))
        return self._search(row).features(self._none, 0, actions)

    def change(self, weights: Weights, row: int, better: Int32, worse: Int32, before: int) -> bool:
        """Favour one derivation of a sentence over another; say whether they differ."""
        if np.array_equal(better, worse):
            return False
        for changes in self._search(row).changes(self._none, 0, better, worse):
            weights.add(*changes, before)
        return True

    def _search(self, row: int) -> Search:
        """Return a search of one sentence."""
        words = slice(int(self.offsets[row]), int(self.offsets[row + 1]))
        offsets = np.array([0, words.stop - words.start], np.int64)
        return Search(self.system, self.words[words], offsets, beam=1)

    def numbered(self, row: int, given: tuple[Heads, Labels]) -> Int32:
        """Return the derivation of a tree."""
        heads, labels = given
        self.require(row, heads=heads, labels=labels)
        names = self.system.labels
        places = [int(head) for head in heads]
        strings = [
            label if isinstance(label, str) else names[label] if 0 <= label < len(names) else ""
            for label in labels
        ]
        tree = Treebank.from_words([[""] * len(places)], heads=[places], label=[strings])
        try:
            return self.system.required_derivations(tree)
        except InputError as error:
            raise InputError(f"sentence {row + 1}", error.what, error.expected) from None


class TransitionLearner(SentenceLearner[tuple[Heads, Labels]]):
    """Learns the weights of a `TransitionParser` from trees.

    Each sentence is searched with the beam while the gold derivation (the only one that leads to
    the tree) is followed. With the early update (Collins & Roark 2004) the search stops as soon as
    no item is gold; with the max-violation update (Huang et al. 2012) it goes on, and the weights
    are changed where the best item was ahead of the gold one by most. There the features of the
    gold actions so far get 1 more, and those of the best item's actions 1 less.

    Parameters
    ----------
    treebank : Treebank
        Whole trees, each with one root. Those that are not projective are made so.
    features : {"zhang-nivre", "katz-brown", "hall"}
        See `TransitionParser`.
    beam : int
        How many items are kept.
    update : {"early", "max-violation"}
    lowercase : bool
        Whether words are lowercased, here and by the parser that is learnt.
    least : int
        Words that the treebank has less often are all taken for one unknown word.
    text : Treebank, optional
        Further sentences, without trees, whose words are known too.
    feats : sequence of str
        Features of FEATS that count as part of the tag.

    Attributes
    ----------
    lifted : int64[S]
        How many words of each sentence got another head to make the tree projective.

    Raises
    ------
    InputError
        If there are no sentences, or one has no tree or not exactly one root.
    UsageError
        If an option makes no sense.

    Examples
    --------
    >>> import numpy as np
    >>> bank = Treebank.from_words(
    ...     [["go", "home"]], heads=[[0, 1]], upos=[["VERB", "ADV"]], label=[["root", "advmod"]]
    ... )
    >>> learner = TransitionLearner(bank)
    >>> weights = learner.new_weights()
    >>> learner.learn(np.array([0, 0, 0]), weights, before=0)
    UpdateCounts(instances=3, updates=1, losses=())
    """

    _sentences: EncodedSentences

    def __init__(
        self,
        treebank: Treebank,
        *,
        features: str = "zhang-nivre",
        beam: int = 8,
        update: str = "early",
        lowercase: bool = False,
        least: int = 1,
        text: Treebank | None = None,
        feats: Sequence[str] = (),
    ) -> None:
        choose("features", features, FEATURE_SETS)
        whole_number("least", least)
        self._rule = UPDATES.index(choose("update", update, UPDATES))
        self.beam = check_beam(beam)
        check_trees(treebank)
        trees, self.lifted = projectivize(treebank)
        encoding = Encoding.learn(trees, least=least, lowercase=lowercase, text=text, feats=feats)
        self.system = TransitionSystem.learn(trees, encoding, features)
        self._gold = self.system.required_derivations(trees)
        self._sentences = EncodedSentences(self.system, trees)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(self.system.actions)

    def step(self, weights: Weights) -> Step:
        """Return a function that processes one sentence at a time, as `learn` does."""
        offsets = self._sentences.offsets
        search = Search(self.system, self._sentences.words, offsets, self.beam)

        def process(row: int, before: int) -> bool:
            gold = self._gold[2 * int(offsets[row]) : 2 * int(offsets[row + 1])]
            wrong = search.mistake(weights, row, gold, self._rule)
            if not len(wrong):
                return False
            for changes in search.changes(weights, row, gold[: len(wrong)], wrong):
                weights.add(*changes, before)
            return True

        return process

    def encoded(self, sentences: Treebank) -> EncodedSentences:
        """Return sentences as the parser sees them."""
        check_beam_lengths(sentences.offsets, self.beam)
        return EncodedSentences(self.system, sentences)

    def best(self, sentences: EncodedSentences, weights: Weights) -> Best:
        """Return a function that finds the best trees of a sentence, if needed by a wider beam."""
        searches: dict[int, Search] = {}

        def find_best(row: int, k: int) -> tuple[Any, Int64, dict[str, Any]]:
            beam = max(k, self.beam)
            if beam not in searches:
                searches[beam] = Search(self.system, sentences.words, sentences.offsets, beam)
            actions, scores = searches[beam].derivations(weights, row, k)
            heads, labels = searches[beam].tree_parts(actions)
            return actions, scores, {"heads": heads, "label": self.system.column(labels)}

        return find_best

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence, as `EncodedSentences.features` does."""
        return self._sentences.features(row, heads, labels)

    def model(self, weights: Weights) -> TransitionParser:
        """Return the parser that has these weights."""
        return TransitionParser(self.system, weights, beam=self.beam)
