"""TransitionParser: an arc-eager parser with beam search, and its learner."""

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
from wordorder.parsing.transition.system import TRANSITION_PREFIX, TransitionSystem
from wordorder.parsing.weights import UNIT, Step, Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees, projectivize

# The first beam of `TransitionParser.kbest_growing`.
FIRST_BEAM = 2

# Words times beam of the sentences that one thread parses at a time, for some tenths of a second.
MAX_PIECE_ITEMS = 1 << 16

# With a wider beam, the stored scores take more than about 100 MB.
MAX_BEAM = 1 << 12

# Heads of a sentence, counted from 1, and labels: strings, or their indices in the system.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32

# The step of a wrong search at which weights are updated, see `TransitionLearner`.
UPDATE_RULES = ("early", "max-violation")


class TransitionParser:
    """An arc-eager parser (Nivre 2003) with a beam.

    A sentence of n words takes 2n actions. Each tree has exactly one derivation; its score is the
    sum of the weights of all features over its actions. At each step, all hypotheses of the beam
    are extended by one action, and the best `beam` of the results are kept (Zhang & Clark 2008).
    Trees are projective and have exactly one root.

    Parameters
    ----------
    system : TransitionSystem
        Its feature set is one of (S0 is the top of the stack, N0 the front of the buffer)

        - ``katz-brown`` (Katz-Brown et al. 2011, section 4.3): the words of N0, N1, S0 and S0's
          head; the tags of N0 to N3, S0 and the word below it; the labels of S0, of its leftmost
          and rightmost child and of N0's leftmost child; and all pairs and triples of the tags
          and labels;
        - ``hall`` (Hall et al. 2011, section 3.1): the same, but with all pairs and triples of
          words, tags and labels: ten times the features, gigabytes for a large treebank;
        - ``zhang-nivre`` (Zhang & Nivre 2011): words, tags, distance, children and heads up to the
          third order, numbers and labels of children; also templates of universal tags.
    weights : Weights
    beam : int
        The beam width; 1 is a greedy parser.

    Attributes
    ----------
    beam : int
        May be set; accuracy is best with the beam of the training or a wider one.

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

    kind: ClassVar[str] = TRANSITION_PREFIX

    def __init__(self, system: TransitionSystem, weights: Weights, *, beam: int = 8) -> None:
        self.system = system
        self.weights = weights
        self.beam = check_beam(beam)

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with the best tree of each.

        Parameters
        ----------
        sentences : Treebank
            With tags; their trees are replaced.

        Raises
        ------
        InputError
            If a sentence is too long for the beam: more than 524,288 words for a beam of 8.
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

        The trees are the best in the final beam; a list for a smaller `k` with the same beam is the
        beginning of this one.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
        beam : int, at least `k`, optional
            By default the parser's, or `k` if that is larger.

        Raises
        ------
        UsageError
            If `k` is invalid or larger than the beam.
        InputError
            As `parse` does.
        """
        whole_number("k", k, most=MAX_BEAM)
        width = check_beam(max(self.beam, k) if beam is None else beam)
        if width < k:
            raise UsageError(f"a beam of {width} does not give {k} trees")
        heads, labels, scores, counts = self._lists(sentences, k, width)
        label = self.system.column(labels)
        return KBest.of(sentences, counts, scores / UNIT, heads=heads, label=label)

    def kbest_growing(
        self, sentences: Treebank, k: int, *, until: Callable[[KBest], Bool] | None = None
    ) -> KBest:
        """Return the best trees of beams of 2, 4, 8, … together (Hall et al. 2011, section 2.2).

        A sentence is finished when its list has `k` trees, when `until` returns True for it, or
        when the beam was at least `k`.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
            The maximum number of trees of a list.
        until : callable, optional
            Takes the lists so far of the unfinished sentences; returns bool[S], True where a list
            is good enough.

        Raises
        ------
        UsageError
            If `k` is invalid.
        InputError
            As `parse` does.
        """
        whole_number("k", k, most=MAX_BEAM)
        done: list[tuple[Int64, KBest]] = []
        remaining = np.arange(len(sentences))
        lists: KBest | None = None
        beam = FIRST_BEAM
        while len(remaining):
            new_lists = self.kbest(sentences.take(remaining), beam, beam=beam)
            lists = new_lists if lists is None else lists.united(new_lists)
            finished = np.diff(lists.offsets) >= k
            if beam >= k:
                finished[:] = True
            elif until is not None and not finished.all():
                is_enough = np.asarray(until(lists))
                if is_enough.shape != finished.shape:
                    raise UsageError(f"until says of {len(finished)} lists whether they are enough")
                finished |= is_enough.astype(bool)
            done.append((remaining[finished], lists.take(np.flatnonzero(finished), most=k)))
            lists = lists.take(np.flatnonzero(~finished))
            remaining = remaining[~finished]
            beam *= 2
        if not done:
            return self.kbest(sentences, 1, beam=1)
        rows = np.concatenate([numbers for numbers, _ in done])
        return KBest.concatenate([part for _, part in done]).take(np.argsort(rows, kind="stable"))

    def score(self, trees: Treebank) -> Float64:
        """Return the score of each tree, float64[S], comparable with those of `kbest`.

        The search only tries labels that were seen in training for the tags and the direction of an
        arc (all labels if there were none). A tree with another label also has a score, which may
        be higher than that of the best tree of the widest beam.

        Raises
        ------
        InputError
            If the parser cannot build a tree: if it is not projective, does not have exactly one
            root, or has an unknown label.
        """
        actions = self.system.required_derivations(trees)
        words = self.system.encoding.encode(trees)
        search = Search(self.system, words, np.ascontiguousarray(trees.offsets), 1)
        return search.scores(self.weights, actions) / UNIT

    def encoded(self, sentences: Treebank) -> EncodedSentences:
        """Return encoded sentences, which compute features of trees and learn from them."""
        return EncodedSentences(self.system, sentences)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the parser, and its arrays by name."""
        about, arrays = self.system.parts()
        weights = weights_arrays(f"{TRANSITION_PREFIX}.weights", self.weights)
        return {**about, "beam": self.beam}, {**arrays, **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> TransitionParser:
        """Rebuild the parser from its saved state.

        Raises
        ------
        ModelError
            If the saved state is inconsistent.
        """
        system = TransitionSystem.from_parts(about, arrays)
        beam = about.get("beam")
        if type(beam) is not int or not 1 <= beam <= MAX_BEAM:
            raise ModelError(f"{TRANSITION_PREFIX}: beam {beam!r}; expected 1 to {MAX_BEAM}")
        weights = weights_from_arrays(f"{TRANSITION_PREFIX}.weights", arrays, system.actions)
        return cls(system, weights, beam=beam)

    def _lists(self, sentences: Treebank, max_trees: int, beam: int) -> tuple[Any, ...]:
        """Return heads, labels and scores of up to `max_trees` trees per sentence, and counts."""
        offsets = np.ascontiguousarray(sentences.offsets)
        # Checked for the whole input: in a piece, messages would have the wrong sentence number.
        check_beam_lengths(offsets, beam)
        words = self.system.encoding.encode(sentences)

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            first, last = span
            words_of_piece = words[int(offsets[first]) : int(offsets[last])]
            piece_offsets = offsets[first : last + 1] - offsets[first]
            return Search(self.system, words_of_piece, piece_offsets, beam).trees(
                self.weights, max_trees
            )

        return concatenate_trees(run_pieces(work, piece_spans(offsets * beam, MAX_PIECE_ITEMS)))


def check_beam(beam: object) -> int:
    """Return a valid beam width.

    Raises
    ------
    UsageError
        If it is not an integer from 1 to 4096.
    """
    return whole_number("a beam", beam, most=MAX_BEAM)


class EncodedSentences(CandidateSentences[tuple[Heads, Labels], Int32]):
    """Encoded sentences, which compute features of trees and learn from them.

    Parameters
    ----------
    system : TransitionSystem
    sentences : Treebank
        With tags; trees are ignored.
    """

    def __init__(self, system: TransitionSystem, sentences: Treebank) -> None:
        self.system = system
        self.offsets = np.ascontiguousarray(sentences.offsets)
        self.words = system.encoding.encode(sentences)
        # Features do not depend on any weights.
        self._none = Weights(system.actions)

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence, which are those of its derivation.

        Parameters
        ----------
        row : int
            The index of the sentence.
        heads : int[n]
            Counted from 1; 0 is the root.
        labels : str[n] or int[n]
            Labels, or their indices in ``system.labels``; that of the root is ignored.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            Each feature as often as the derivation has it; the score of the tree is the sum of
            their weights.

        Raises
        ------
        InputError
            If the tree is not projective, does not have exactly one root, or has an unknown label.
        """
        actions = self.numbered(row, (heads, labels))
        return self._search(row).features(self._none, 0, actions)

    def change(self, weights: Weights, row: int, better: Int32, worse: Int32, before: int) -> bool:
        """Prefer one derivation of a sentence to another; return whether they differ."""
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
        head_list = [int(head) for head in heads]
        strings = [
            label if isinstance(label, str) else names[label] if 0 <= label < len(names) else ""
            for label in labels
        ]
        tree = Treebank.from_words([[""] * len(head_list)], heads=[head_list], label=[strings])
        try:
            return self.system.required_derivations(tree)
        except InputError as error:
            raise InputError(f"sentence {row + 1}", error.what, error.expected) from None


class TransitionLearner(SentenceLearner[tuple[Heads, Labels]]):
    """Learns the weights of a `TransitionParser` from trees.

    Each sentence is searched with the beam. With the early update (Collins & Roark 2004) the search
    stops when the gold derivation falls out of the beam; with the max-violation update (Huang et
    al. 2012) it continues, and the update is at the step where the best hypothesis was farthest
    ahead of the gold one. The update adds 1 to the weights of the gold actions' features up to this
    step, and subtracts 1 from those of the best hypothesis.

    Parameters
    ----------
    treebank : Treebank
        Complete trees with one root each; non-projective trees are projectivized.
    features : {"zhang-nivre", "katz-brown", "hall"}
        See `TransitionParser`.
    beam : int
        The beam width.
    update : {"early", "max-violation"}
    lowercase : bool
        Whether words are lowercased, in training and by the parser.
    least : int
        Words that occur less often are treated as unknown.
    text : Treebank, optional
        Further sentences whose words are added to the vocabulary; trees are not needed.
    feats : sequence of str
        Features of FEATS that are part of the tag.

    Attributes
    ----------
    lifted : int64[S]
        The number of words of each sentence whose head was changed to make the tree projective.

    Raises
    ------
    InputError
        If there are no sentences, or one does not have a tree with exactly one root.
    UsageError
        If an option is invalid.

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
        self._rule = UPDATE_RULES.index(choose("update", update, UPDATE_RULES))
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
        """Return the encoded sentences."""
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
        """Return the parser with these weights."""
        return TransitionParser(self.system, weights, beam=self.beam)
