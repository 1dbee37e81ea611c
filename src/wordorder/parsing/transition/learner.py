"""TransitionLearner: a structured perceptron over the beam of the transition parser."""

from __future__ import annotations

from collections.abc import Callable

from wordorder.errors import UsageError, choose
from wordorder.parsing.learner import Step, Tally
from wordorder.parsing.transition.encoding import Encoding
from wordorder.parsing.transition.feature_sets import FEATURE_SETS
from wordorder.parsing.transition.lister import TransitionLister
from wordorder.parsing.transition.parser import TransitionParser, check_beam
from wordorder.parsing.transition.search import Search, check_lengths
from wordorder.parsing.transition.sentences import EncodedSentences, Heads, Labels
from wordorder.parsing.transition.system import TransitionSystem
from wordorder.parsing.weights import Weights
from wordorder.treebank.one_list import OneList
from wordorder.treebank.projectivity import projectivize
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees
from wordorder.types import Int32, Int64, UInt64

UPDATES = ("early", "max-violation")


class TransitionLearner:
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

    Attributes
    ----------
    lifted : int64[S]
        How many words of each sentence got another head to make the tree projective.

    Raises
    ------
    InputError
        If a sentence has no tree or not exactly one root, or there is none.
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
    Tally(instances=3, updates=1, losses=())
    """

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
    ) -> None:
        choose("features", features, FEATURE_SETS)
        if type(least) is not int or least < 1:
            raise UsageError(f"least is a whole number of at least 1, not {least!r}")
        self._rule = UPDATES.index(choose("update", update, UPDATES))
        self.beam = check_beam(beam)
        check_trees(treebank)
        trees, self.lifted = projectivize(treebank)
        encoding = Encoding.learn(trees, least=least, lowercase=lowercase, text=text)
        self.system = TransitionSystem.learn(trees, encoding, features)
        self._gold = self.system.required_derivations(trees)
        self._sentences = EncodedSentences(self.system, trees)

    @property
    def instances(self) -> int:
        """How many sentences there are to learn from."""
        return len(self._sentences.offsets) - 1

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(self.system.actions)

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        """Process sentences in the given order and change the weights in place.

        Parameters
        ----------
        rows : int64 array
            Numbers of sentences.
        weights : Weights
        before : int
            How many instances these weights have seen.
        """
        step = self.step(weights)
        updates = sum(step(row, seen) for seen, row in enumerate(rows.tolist(), before))
        return Tally(len(rows), updates)

    def step(self, weights: Weights) -> Step:
        """Return what processes one sentence at a time, as `learn` does."""
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

    def lister(self, sentences: Treebank) -> Callable[[Weights], TransitionLister]:
        """Return what makes listers of any tagged sentences, with lists from this beam or wider.

        The update favours the whole derivation of a tree over that of the first one.

        Raises
        ------
        InputError
            If a sentence is too long for the beam.
        """
        encoded = EncodedSentences(self.system, sentences)
        check_lengths(encoded.offsets, self.beam)
        return lambda weights: TransitionLister(encoded, OneList(sentences), weights, self.beam)

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence, as `EncodedSentences.features` does."""
        return self._sentences.features(row, heads, labels)

    def update(
        self,
        weights: Weights,
        row: int,
        better: tuple[Heads, Labels],
        worse: tuple[Heads, Labels],
        before: int,
    ) -> bool:
        """Favour one tree of a sentence over another, as `EncodedSentences.update` does."""
        return self._sentences.update(weights, row, better, worse, before)

    def model(self, weights: Weights) -> TransitionParser:
        """Return the parser that has these weights."""
        return TransitionParser(self.system, weights, beam=self.beam)
