"""GraphParser: the best spanning trees under the scores of arcs, lists of them, and its learner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import (
    Array,
    Float64,
    Int32,
    Int64,
    UInt64,
    concat_ranges,
    row_offsets,
    row_positions,
)
from wordorder.errors import InputError, ModelError, UsageError, choose, whole_number
from wordorder.kernels import call, parsing as kernel, piece_spans, run_pieces
from wordorder.parsing.given_tags import FEATURE_SEPARATOR, known_feats
from wordorder.parsing.graph import arc_scores
from wordorder.parsing.learners import Best, CandidateSentences, SentenceLearner, concatenate_trees
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.weights import UNIT, Step, Weights
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NOTHING, Column, Treebank
from wordorder.treebank.trees import check_trees

# The arcs that are scored at a time: some megabytes, on each thread.
CELLS = 1 << 18

# The length of lists that Hall et al. (2011) learn from, and the longest ones.
K = 8
MOST_TREES = 4096

# Heads of a sentence, counted from 1, and labels: strings, or their numbers in the parser.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32

NO_ARC = -(1 << 62)


class GraphParser:
    """A parser that scores each arc by itself, and finds the trees that score most.

    The score of an arc is that of its features (McDonald et al. 2005, with the list of Hall et
    al. 2011, section 3.1) with no label, and with its label: the best one of those that were
    seen between such tags. Trees may be non-projective, and have exactly one word at the root.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    weights : Weights
        One action for each label, and one more for the arc as such.
    features : {"hall", "rich"}
        ``hall``: words and tags (w, t) of the head h and the dependent i: each alone, (w, t) of
        each, (w_i, w_h), (t_i, t_h), all triples of these four; (t_h, t_h±1, t_i±1, t_i);
        (t_h, t_j, t_i) for each distinct tag in between; nothing. Each is listed twice, with the
        direction and with direction and length: 1, 2, 3, 4, 5 to 9, more. A tag is the pair of
        UPOS and XPOS. ``rich``: also (t_h, t_i) with one tag next to either, and all that has
        tags once more with UPOS alone; more accurate, at half the speed and with half as much
        memory again.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["go", "home"], ["it", "rains"]],
    ...     heads=[[0, 1], [2, 0]],
    ...     upos=[["VERB", "ADV"], ["PRON", "VERB"]],
    ...     label=[["root", "advmod"], ["expl", "root"]],
    ... )
    >>> learner = GraphLearner(bank)
    >>> weights = learner.new_weights()
    >>> for epoch in range(3):
    ...     tally = learner.learn(np.array([0, 1]), weights, before=2 * epoch)
    >>> parser = learner.model(weights.averaged(6))
    >>> parsed = parser.parse(Treebank.from_words([["it", "rains"]], upos=[["PRON", "VERB"]]))
    >>> parsed.heads.tolist(), parsed.label.strings()
    ([2, 0], ['expl', 'root'])
    """

    kind: ClassVar[str] = "graph"

    def __init__(
        self,
        numbering: arc_scores.Numbering,
        choice: arc_scores.LabelChoice,
        weights: Weights,
        *,
        features: str = "hall",
    ) -> None:
        self.features = choose("features", features, arc_scores.FEATURES)
        self.numbering = numbering
        self.choice = choice
        self.weights = weights

    def parse(self, sentences: Treebank, *, roots: Sequence[int] | Int64 | None = None) -> Treebank:
        """Return the same sentences with the best tree of each.

        Parameters
        ----------
        sentences : Treebank
            With tags; trees that are there are replaced.
        roots : int[S], optional
            The word that has to be the root of each sentence, counted from 1; 0 leaves it open.

        Raises
        ------
        InputError
            If a sentence is longer than 2000 words.
        UsageError
            If a root is not a word of its sentence.
        """
        heads, labels, _, _ = self._lists(sentences, 1, roots)
        return sentences.replace(heads=heads, label=self._column(labels))

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""
        return self.numbering.words

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags of the training data, ``upos`` and ``xpos``."""
        xpos = self.numbering.xpos
        if self.numbering.feats:
            xpos = [tag.partition(FEATURE_SEPARATOR)[0] for tag in xpos]
        tags_by_column = {"upos": self.numbering.upos, "xpos": xpos}
        return {name: frozenset(tags) - {NOTHING} for name, tags in tags_by_column.items()}

    def kbest(
        self, sentences: Treebank, k: int = K, *, roots: Sequence[int] | Int64 | None = None
    ) -> KBest:
        """Return the `k` best trees of each sentence, or all if there are fewer.

        Lists are exact: no other tree scores more than one of them. They differ in their heads;
        each arc has its best label.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
        roots : int[S], optional
            As in `parse`; each tree of the list has this root.

        Raises
        ------
        InputError, UsageError
            See `parse`.
        """
        heads, labels, scores, counts = self._lists(sentences, k, roots)
        label = self._column(labels)
        return KBest.of(sentences, counts, scores / UNIT, heads=heads, label=label)

    def score(self, trees: Treebank) -> Float64:
        """Return the score of each tree, float64[S], comparable with those of `kbest`.

        A label that the parser does not know counts nothing.
        """
        arcs = arc_scores.ArcScores(self.numbering, self.choice, trees, self.features)
        labels = trees.label.encode(self.choice.by_name, -1)
        sums = np.zeros(len(trees), np.int64)
        for row in range(len(trees)):
            words = slice(int(trees.offsets[row]), int(trees.offsets[row + 1]))
            check_heads(row, trees.heads[words])
            features = arcs.arc_features(row, trees.heads[words], labels[words])
            sums[row] = arc_scores.feature_scores(self.weights, *features).sum()
        return sums / UNIT

    def encoded(self, sentences: Treebank) -> GraphSentences:
        """Return sentences whose trees have features that can be asked for and learnt from."""
        return GraphSentences(self.numbering, self.choice, sentences, self.features)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the parser, and its arrays by name."""
        about: dict[str, Any] = {
            "features": self.features,
            "lowercase": self.numbering.lowercase,
            **({"feats": list(self.numbering.feats)} if self.numbering.feats else {}),
        }
        weights = weights_arrays(f"{arc_scores.NAME}.weights", self.weights)
        return about, {**self.numbering.arrays(), **self.choice.arrays(), **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> GraphParser:
        """Rebuild the parser from its saved state.

        Raises
        ------
        ModelError
            If anything does not fit together.
        """
        features, lowercase = about.get("features"), about.get("lowercase")
        if features not in arc_scores.FEATURES or not isinstance(lowercase, bool):
            legal = " or ".join(arc_scores.FEATURES)
            raise ModelError(
                f"features {features!r}, lowercase {lowercase!r}; expected {legal}, true or false"
            )
        options: dict[str, Any] = {"lowercase": lowercase, "feats": known_feats(about)}
        numbering = arc_scores.Numbering.from_arrays(arrays, **options)
        choice = arc_scores.LabelChoice.from_arrays(arrays, numbering.groups)
        weights = weights_from_arrays(f"{arc_scores.NAME}.weights", arrays, choice.attach + 1)
        return cls(numbering, choice, weights, features=features)

    def _column(self, labels: Int32) -> Column:
        """Return a column of labels."""
        return Column(labels, Vocabulary(self.choice.labels))

    def _lists(
        self, sentences: Treebank, k: int, roots: Sequence[int] | Int64 | None
    ) -> tuple[Any, ...]:
        """Return heads, labels and score of up to `k` trees per sentence, and how many it has."""
        whole_number("k", k, most=MOST_TREES)
        arcs = arc_scores.ArcScores(self.numbering, self.choice, sentences, self.features)
        forced = _roots(roots, sentences.lengths)

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            return best_lists(arcs, self.weights, *span, k, forced)

        spans = piece_spans(row_offsets(arcs.cells(0, len(sentences))), CELLS)
        return concatenate_trees(run_pieces(work, spans))


class GraphSentences(
    arc_scores.ArcScores, CandidateSentences[tuple[Heads, Labels], tuple[Int32, Int32]]
):
    """Sentences as a graph parser sees them, to learn from any trees of theirs.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    sentences : Treebank
        With tags; trees are not looked at.
    features : {"hall", "rich"}

    Raises
    ------
    InputError
        If a sentence is longer than 2000 words.
    """

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence.

        Parameters
        ----------
        row : int
            Number of the sentence.
        heads : int[n]
            Counted from 1; 0 is the artificial root.
        labels : str[n] or int[n]
            Labels, or their numbers in ``choice.labels`` of the parser; one that is not known has
            no features.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            One feature as often as the tree has it; the score of the tree is the sum of their
            weights.

        Raises
        ------
        InputError
            If the arcs are not those of a sentence of this length.
        """
        return self.arc_features(row, *self.numbered(row, (heads, labels)))

    def numbered(self, row: int, given: tuple[Heads, Labels]) -> tuple[Int32, Int32]:
        """Return heads and labels as arrays."""
        heads, labels = given
        self.require(row, heads=heads, labels=labels)
        label_numbers = self.choice.by_name
        label = np.array(
            [label_numbers.get(x, -1) if isinstance(x, str) else x for x in labels], np.int32
        )
        if np.any(label >= len(label_numbers)):
            max_label = len(label_numbers) - 1
            raise InputError(f"sentence {row + 1}", f"label {label.max()}", f"at most {max_label}")
        head = np.array(heads, np.int32)
        check_heads(row, head)
        return head, label

    def change(
        self,
        weights: Weights,
        row: int,
        better: tuple[Int32, Int32],
        worse: tuple[Int32, Int32],
        before: int,
    ) -> bool:
        """Favour one tree of a sentence over another; say whether they differ."""
        head_differs = better[0] != worse[0]
        differs = head_differs | (better[1] != worse[1])
        if not differs.any():
            return False
        changes = []
        for heads, labels in (better, worse):
            parts_of_word = head_differs + 2 * (differs & (labels >= 0))
            changes.append(self.arc_features(row, heads, labels, parts_of_word.astype(np.int32)))
        (keys, actions), (bad_keys, bad_actions) = changes
        delta = np.repeat(np.array([UNIT, -UNIT], np.int32), [len(keys), len(bad_keys)])
        keys, actions = np.append(keys, bad_keys), np.append(actions, bad_actions)
        weights.add(keys, actions, delta, before)
        return True


def check_heads(row: int, heads: Int32) -> None:
    """Refuse a head that is not a position of the sentence, or the word itself."""
    n = len(heads)
    bad = (heads < 0) | (heads > n) | (heads == np.arange(1, n + 1))
    if bad.any():
        word = int(np.argmax(bad))
        error_location = f"sentence {row + 1}, word {word + 1}"
        raise InputError(
            error_location, f"the head is {int(heads[word])}", f"another one of 0 to {n}"
        )


class GraphLearner(SentenceLearner[tuple[Heads, Labels]]):
    """Learns the weights of a `GraphParser` from trees, projective or not.

    The structured perceptron (Collins 2002): each sentence is parsed, and where the tree is not
    that of the treebank, the features of the arcs that are missing get 1 more and those of the
    arcs that are wrong 1 less. An arc with the right head and a wrong label changes only what
    belongs to the labels.

    Parameters
    ----------
    treebank : Treebank
        Whole trees, each with a single word at the root.
    features : {"hall", "rich"}
        See `GraphParser`.
    lowercase : bool
        Whether words are lowercased, here and by the parser that is learnt.
    least : int
        Words that the treebank has less often are all taken for one unknown word.
    text : Treebank, optional
        Further sentences, without trees, whose words are known too.
    feats : sequence of str
        Features of FEATS that count as part of the tag.

    Raises
    ------
    InputError
        If a sentence has no tree, more than one word at the root, or more than 2000 words, or if
        there are no words.

    Examples
    --------
    >>> import numpy as np
    >>> bank = Treebank.from_words(
    ...     [["go", "home"]], heads=[[0, 1]], upos=[["VERB", "ADV"]], label=[["root", "advmod"]]
    ... )
    >>> learner = GraphLearner(bank)
    >>> weights = learner.new_weights()
    >>> learner.learn(np.array([0, 0, 0]), weights, before=0)
    UpdateCounts(instances=3, updates=1, losses=())
    """

    _sentences: GraphSentences

    def __init__(
        self,
        treebank: Treebank,
        *,
        features: str = "hall",
        lowercase: bool = False,
        least: int = 1,
        text: Treebank | None = None,
        feats: Sequence[str] = (),
    ) -> None:
        self._features = choose("features", features, arc_scores.FEATURES)
        check_trees(treebank)
        options: dict[str, Any] = {"lowercase": lowercase, "least": least, "text": text}
        self.numbering = arc_scores.Numbering.learn(treebank, **options, feats=feats)
        self.choice = arc_scores.LabelChoice.learn(treebank, self.numbering)
        self._sentences = self.encoded(treebank)
        self._heads = treebank.heads
        self._labels = treebank.label.encode(self.choice.by_name, -1)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(self.choice.attach + 1)

    def step(self, weights: Weights) -> Step:
        """Return a function that processes one sentence at a time, as `learn` does."""
        sentences, offsets = self._sentences, self._sentences.offsets

        def process(row: int, before: int) -> bool:
            words = slice(int(offsets[row]), int(offsets[row + 1]))
            heads, labels, _, _ = best_lists(sentences, weights, row, row + 1, 1, None)
            gold = (self._heads[words], self._labels[words])
            return sentences.change(weights, row, gold, (heads, labels), before)

        return process

    def encoded(self, sentences: Treebank) -> GraphSentences:
        """Return sentences as the parser sees them."""
        return GraphSentences(self.numbering, self.choice, sentences, self._features)

    def best(self, sentences: GraphSentences, weights: Weights) -> Best:
        """Return a function that finds the best spanning trees of a sentence."""
        names = Vocabulary(self.choice.labels)

        def find_best(row: int, k: int) -> tuple[Any, Int64, dict[str, Any]]:
            heads, labels, scores, _ = best_lists(sentences, weights, row, row + 1, k, None)
            trees = np.stack(
                [column.reshape(len(scores), -1) for column in (heads, labels)], axis=1
            )
            return trees, scores, {"heads": heads, "label": Column(labels, names)}

        return find_best

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence, as `GraphSentences.features` does."""
        return self._sentences.features(row, heads, labels)

    def model(self, weights: Weights) -> GraphParser:
        """Return the parser that has these weights."""
        return GraphParser(self.numbering, self.choice, weights, features=self._features)


def best_lists(
    arcs: arc_scores.ArcScores, weights: Weights, first: int, last: int, k: int, roots: Int64 | None
) -> tuple[Int32, Int32, Int64, Int64]:
    """Return heads, labels and score of each tree of some sentences, and how many each has."""
    cells, cell_labels = arcs.score(weights, first, last)
    offsets = arcs.offsets[first : last + 1] - arcs.offsets[first]
    lists = tree_lists(cells, offsets, k, None if roots is None else roots[first:last])
    lengths = np.diff(offsets)
    # Of the room for k trees of each sentence, that of the trees it has.
    room = row_offsets(np.repeat(lengths, k))
    is_there = np.arange(k) < lists.counts[:, None]
    tree = np.flatnonzero(is_there.ravel())
    heads = lists.heads[row_positions(room, tree)[0]]
    # Where the cells of each word begin.
    start = row_offsets(np.repeat(lengths + 1, lengths))
    labels = cell_labels[start[row_positions(offsets, tree // k)[0]] + heads]
    return heads, labels.astype(np.int32), lists.scores[is_there], lists.counts


def _roots(roots: Sequence[int] | Int64 | None, lengths: Int64) -> Int64 | None:
    """Check the roots that are asked for."""
    if roots is None:
        return None
    array = np.asarray(roots)
    if array.shape != lengths.shape or array.dtype.kind not in "iu":
        raise UsageError(f"roots are {len(lengths)} whole numbers, one per sentence")
    bad = (array < 0) | (array > lengths)
    if bad.any():
        row = int(np.argmax(bad))
        raise UsageError(
            f"root {int(array[row])} of sentence {row + 1}, which has {int(lengths[row])} words"
        )
    return array.astype(np.int64)


@dataclass(frozen=True)
class TreeLists:
    """Trees of sentences, best first.

    Attributes
    ----------
    heads : int32[k * N]
        Tree `t` of sentence `s`, which has `n` words, begins at ``k * offsets[s] + t * n``.
    scores : int64[S, k]
    counts : int64[S]
        How many trees each sentence has.
    """

    heads: Int32
    scores: Int64
    counts: Int64


def tree_lists(scores: Int64, offsets: Int64, k: int, roots: Int64 | None = None) -> TreeLists:
    """Find the `k` best trees of each sentence that have a single word at the root.

    The set of all trees but those found is cut into sets that share no tree. Of each the best
    tree is known by its score and by the one arc that it changes in a tree that was found; the
    best of all is made, and its set is cut once more (Camerini, Fratta and Maffioli 1980, as
    Hall 2007 uses it for parsing). Lists are exact and without duplicates; trees that score the
    same come in an order that depends on the scores alone.

    Parameters
    ----------
    scores : int64, ``n * (n + 1)`` a sentence
        Row ``i - 1`` of a sentence holds the arcs to word `i` from the heads 0 .. n; -2**62 where
        there can be none. All others are within ±2**34.
    offsets : int64[S+1]
        Words of the sentences, at most 2000 each.
    k : int, at least 1
    roots : int64[S], optional
        The word that has to be the root, counted from 1; 0 where any may be.

    Examples
    --------
    Two words; either may be the root.

    >>> scores = np.array([5, NO_ARC, 1, 3, 2, NO_ARC])
    >>> lists = tree_lists(scores, np.array([0, 2]), k=8)
    >>> lists.counts.tolist(), lists.scores[0, :2].tolist(), lists.heads[:4].tolist()
    ([2], [7, 4], [0, 1, 2, 0])
    """
    if k < 1:
        raise UsageError(f"k is at least 1, not {k}")
    sentences = len(offsets) - 1
    lengths = np.diff(offsets)
    cell_offsets = row_offsets(lengths * (lengths + 1))
    cells, penalties = _single_root(scores, lengths, cell_offsets, roots)
    heads, scores_found = (
        np.zeros(int(offsets[-1]) * k, np.int32),
        np.zeros((sentences, k), np.int64),
    )
    trees = call(kernel.SpanningTrees, int(lengths.max(initial=0)))
    inputs = (trees, cells, cell_offsets, lengths)
    no_conditions, known_arcs = np.zeros(0, np.int32), np.zeros(sentences, np.int32)
    score, second = np.zeros((2, sentences), np.int64)
    cut = np.zeros(sentences, np.int32)
    firsts = (np.arange(sentences), k * offsets[:-1], known_arcs, np.full(sentences, -1, np.int32))
    done = (heads, score, second, cut, sentences)
    call(kernel.best_trees, *inputs, *firsts, no_conditions, k > 1, *done)
    scores_found[:, 0], counts = score, (cut >= 0).astype(np.int64)
    for row in np.flatnonzero(cut > 0).tolist() if k > 1 else ():
        first = int(k * offsets[row]), int(lengths[row]), int(second[row]), int(cut[row])
        further_scores = _further(inputs, row, first, k, heads)
        scores_found[row, 1 : 1 + len(further_scores)], counts[row] = (
            further_scores,
            1 + len(further_scores),
        )
    return TreeLists(heads, scores_found + penalties[:, None], counts)


def _further(
    given: tuple[Any, Int64, Int64, Int64],
    row: int,
    first: tuple[int, int, int, int],
    k: int,
    heads: Int32,
) -> list[int]:
    """Find the trees of a sentence behind its best one; return their scores.

    Parameters
    ----------
    given : (Trees, int64[C], int64[S+1], int64[S])
        What the kernel works with, cells, where those of each sentence begin, its words.
    row : int
        Number of the sentence.
    first : (int, int, int, int)
        Where its trees go in `heads`, how many words it has, what its second best tree scores, and
        which word of the best tree that one changes.
    k : int
    heads : int32 array
        What the kernel writes to.
    """
    begin, n, bound, word = first
    conditions = np.zeros(8 * k, np.int32)
    place, score, second = np.zeros((3, 1), np.int64)
    known_arc, condition, cut = np.zeros((3, 1), np.int32)
    task = (*given, np.array([row]), place, known_arc, condition, conditions)
    done = (heads, score, second, cut, 1)
    demands = 0

    def run(tree: int, is_known: bool, under: int, with_second: bool) -> tuple[int, int]:
        """Return the word that the second best tree changes, and its score if there is one."""
        place[0], known_arc[0], condition[0] = begin + n * tree, is_known, under
        call(kernel.best_trees, *task, with_second, *done)
        word = int(cut[0])
        return word, int(second[0]) if word > 0 else NO_ARC

    def demand(head: int, at: int, wanted: int, before: int) -> int:
        nonlocal demands
        conditions[4 * demands : 4 * demands + 4] = head, at, wanted, before
        demands += 1
        return demands - 1

    # What waits: the score, the tree that is changed, at which word, and under which condition.
    waiting = [(bound, 0, word, -1)]
    scores: list[int] = []
    while len(scores) + 1 < k:
        best = max(range(len(waiting)), key=lambda number: waiting[number][0])
        bound, parent, position, previous_condition = waiting[best]
        if bound == NO_ARC:
            break
        head, new = int(heads[begin + n * parent + position - 1]), len(scores) + 1
        without = demand(head, position, 0, previous_condition)
        word, bound = run(new, False, without, new + 1 < k)
        # Where the next tree would have two words at the root, so have all others.
        if word < 0:
            break
        scores.append(int(score[0]))
        if new + 1 == k:
            break
        waiting.append((bound, new, word, without))
        with_arc = demand(head, position, 1, previous_condition)
        word, bound = run(parent, True, with_arc, True)
        waiting[best] = (bound, parent, word, with_arc)
    return scores


def _single_root(
    scores: Int64, lengths: Int64, cell_offsets: Int64, roots: Int64 | None
) -> tuple[Int64, Int64]:
    """Lower the arcs of the root so that trees with two of them come after all others.

    Two trees of a sentence differ by no more than the sum over its words of the distance between
    the best and the worst arc; the penalty is 1 more. So a tree with one arc from the root stays
    before any with two, for any scores.
    """
    widths = np.repeat(lengths + 1, lengths)
    starts = np.cumsum(widths) - widths
    cells = scores.copy()
    penalties = np.zeros(len(lengths), np.int64)
    if not len(starts):
        return cells, penalties
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    if roots is not None:
        position = concat_ranges(1, lengths)
        fixed = roots[sentence] > 0
        is_root = roots[sentence] == position
        at_root = cells[starts]
        cells[np.repeat(fixed & is_root, widths)] = NO_ARC
        cells[starts] = np.where(fixed & ~is_root, NO_ARC, at_root)
    exists = cells != NO_ARC
    highest = np.maximum.reduceat(cells, starts)
    lowest = np.minimum.reduceat(np.where(exists, cells, -NO_ARC), starts)
    np.add.at(penalties, sentence, np.where(highest == NO_ARC, 0, highest - lowest))
    penalties += 1
    cells[starts] -= np.where(cells[starts] == NO_ARC, 0, penalties[sentence])
    return cells, np.where(lengths > 0, penalties, 0)
