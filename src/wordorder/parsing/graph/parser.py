"""GraphParser: a parser that finds the k best spanning trees of scored arcs, and its learner."""

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
    value_indices,
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
from wordorder.treebank.treebank import NO_VALUE, Column, Treebank
from wordorder.treebank.trees import check_trees

# Arcs that are scored at a time on each thread, in some megabytes.
MAX_CELLS = 1 << 18

# The default length of k-best lists, as in Hall et al. (2011), and the maximum.
DEFAULT_K = 8
MAX_KBEST = 4096

# Heads of a sentence, counted from 1, and labels: strings, or their indices in the parser.
Heads = Sequence[int] | Int32
Labels = Sequence[str] | Sequence[int] | Int32

# The score of an arc that cannot exist.
NO_ARC = -(1 << 62)


class GraphParser:
    """A parser that scores each arc independently, and finds the trees with the highest scores.

    The score of an arc is the sum of the weights of its features (McDonald et al. 2005, with the
    list of Hall et al. 2011, section 3.1) without a label and with its label, the best one of
    those seen between such tags. Trees may be non-projective, and have exactly one root.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    weights : Weights
        With one action per label, and a last one for the arc without a label.
    features : {"hall", "rich"}
        ``hall``: words and tags (w, t) of the head h and the dependent i: each alone, (w, t) of
        each, (w_i, w_h), (t_i, t_h), all triples of these four; (t_h, t_h±1, t_i±1, t_i);
        (t_h, t_j, t_i) for each distinct tag in between; a constant. Each is used twice, with the
        direction, and with direction and length: 1, 2, 3, 4, 5 to 9, more. A tag is the pair of
        UPOS and XPOS. ``rich``: also (t_h, t_i) with one tag next to either, and all features with
        tags again with UPOS alone; more accurate, at half the speed and 1.5 times the memory.

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
        self.features = choose("features", features, arc_scores.GRAPH_FEATURES)
        self.numbering = numbering
        self.choice = choice
        self.weights = weights

    def parse(self, sentences: Treebank, *, roots: Sequence[int] | Int64 | None = None) -> Treebank:
        """Return the same sentences with the best tree of each.

        Parameters
        ----------
        sentences : Treebank
            With tags; their trees are replaced.
        roots : int[S], optional
            The word that must be the root of each sentence, counted from 1; 0 for any word.

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
        return {name: frozenset(tags) - {NO_VALUE} for name, tags in tags_by_column.items()}

    def kbest(
        self, sentences: Treebank, k: int = DEFAULT_K, *, roots: Sequence[int] | Int64 | None = None
    ) -> KBest:
        """Return the `k` best trees of each sentence, or all if there are fewer.

        Lists are exact: no other tree has a higher score. The trees differ in their heads; each
        arc has its best label.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096
        roots : int[S], optional
            See `parse`; all trees of the list have this root.

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

        An unknown label adds nothing to the score.
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
        """Return encoded sentences, which compute features of trees and learn from them."""
        return GraphSentences(self.numbering, self.choice, sentences, self.features)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the parser, and its arrays by name."""
        about: dict[str, Any] = {
            "features": self.features,
            "lowercase": self.numbering.lowercase,
            **({"feats": list(self.numbering.feats)} if self.numbering.feats else {}),
        }
        weights = weights_arrays(f"{arc_scores.GRAPH_PREFIX}.weights", self.weights)
        return about, {**self.numbering.arrays(), **self.choice.arrays(), **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> GraphParser:
        """Rebuild the parser from its saved state.

        Raises
        ------
        ModelError
            If the saved state is inconsistent.
        """
        features, lowercase = about.get("features"), about.get("lowercase")
        if features not in arc_scores.GRAPH_FEATURES or not isinstance(lowercase, bool):
            expected = f"{' or '.join(arc_scores.GRAPH_FEATURES)}, true or false"
            raise ModelError(f"features {features!r}, lowercase {lowercase!r}; expected {expected}")
        options: dict[str, Any] = {"lowercase": lowercase, "feats": known_feats(about)}
        numbering = arc_scores.Numbering.from_arrays(arrays, **options)
        choice = arc_scores.LabelChoice.from_arrays(arrays, numbering.groups)
        weights = weights_from_arrays(
            f"{arc_scores.GRAPH_PREFIX}.weights", arrays, choice.attach + 1
        )
        return cls(numbering, choice, weights, features=features)

    def _column(self, labels: Int32) -> Column:
        """Return a column of labels from their indices."""
        return Column(labels, Vocabulary(self.choice.labels))

    def _lists(
        self, sentences: Treebank, k: int, roots: Sequence[int] | Int64 | None
    ) -> tuple[Any, ...]:
        """Return heads, labels and scores of up to `k` trees per sentence, and their numbers."""
        whole_number("k", k, most=MAX_KBEST)
        arcs = arc_scores.ArcScores(self.numbering, self.choice, sentences, self.features)
        forced_roots = _check_roots(roots, sentences.lengths)

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            return best_lists(arcs, self.weights, *span, k, forced_roots)

        spans = piece_spans(row_offsets(arcs.cells(0, len(sentences))), MAX_CELLS)
        return concatenate_trees(run_pieces(work, spans))


class GraphSentences(
    arc_scores.ArcScores, CandidateSentences[tuple[Heads, Labels], tuple[Int32, Int32]]
):
    """Encoded sentences, which compute features of trees and learn from them.

    Parameters
    ----------
    numbering : Numbering
    choice : LabelChoice
    sentences : Treebank
        With tags; trees are ignored.
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
            The index of the sentence.
        heads : int[n]
            Counted from 1; 0 is the artificial root.
        labels : str[n] or int[n]
            Labels, or their indices in ``choice.labels`` of the parser; an unknown label has no
            features.

        Returns
        -------
        keys : uint64[F]
        actions : int32[F]
            Each feature as often as the tree has it; the score of the tree is the sum of their
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
        """Prefer one tree of a sentence to another; return whether they differ."""
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
    """Raise an InputError if a head is not another word of the sentence, or 0."""
    n = len(heads)
    is_invalid = (heads < 0) | (heads > n) | (heads == np.arange(1, n + 1))
    if is_invalid.any():
        word = int(np.argmax(is_invalid))
        error_location = f"sentence {row + 1}, word {word + 1}"
        raise InputError(
            error_location, f"the head is {int(heads[word])}", f"another one of 0 to {n}"
        )


class GraphLearner(SentenceLearner[tuple[Heads, Labels]]):
    """Learns the weights of a `GraphParser` from trees, projective or not.

    The structured perceptron (Collins 2002): each sentence is parsed; if the tree is wrong, 1 is
    added to the weights of features of the missing arcs, and subtracted from those of the wrong
    arcs. An arc with the right head and a wrong label changes only the features with labels.

    Parameters
    ----------
    treebank : Treebank
        Complete trees with one root each.
    features : {"hall", "rich"}
        See `GraphParser`.
    lowercase : bool
        Whether words are lowercased, in training and by the parser.
    least : int
        Words that occur less often are treated as unknown.
    text : Treebank, optional
        Further sentences whose words are added to the vocabulary; trees are not needed.
    feats : sequence of str
        Features of FEATS that are part of the tag.

    Raises
    ------
    InputError
        If a sentence has no tree, more than one root, or more than 2000 words, or if there are no
        words.

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
        self._features = choose("features", features, arc_scores.GRAPH_FEATURES)
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
        """Return the encoded sentences."""
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
        """Return the parser with these weights."""
        return GraphParser(self.numbering, self.choice, weights, features=self._features)


def best_lists(
    arcs: arc_scores.ArcScores, weights: Weights, first: int, last: int, k: int, roots: Int64 | None
) -> tuple[Int32, Int32, Int64, Int64]:
    """Return heads, labels and scores of the trees of some sentences, and their numbers."""
    cells, cell_labels = arcs.score(weights, first, last)
    offsets = arcs.offsets[first : last + 1] - arcs.offsets[first]
    lists = tree_lists(cells, offsets, k, None if roots is None else roots[first:last])
    lengths = np.diff(offsets)
    # The arrays have space for k trees per sentence; copy those that it has.
    list_offsets = row_offsets(np.repeat(lengths, k))
    is_there = np.arange(k) < lists.counts[:, None]
    tree = np.flatnonzero(is_there.ravel())
    heads = lists.heads[value_indices(list_offsets, tree)[0]]
    # The offset of each word's cells.
    cell_starts = row_offsets(np.repeat(lengths + 1, lengths))
    labels = cell_labels[cell_starts[value_indices(offsets, tree // k)[0]] + heads]
    return heads, labels.astype(np.int32), lists.scores[is_there], lists.counts


def _check_roots(roots: Sequence[int] | Int64 | None, lengths: Int64) -> Int64 | None:
    """Check the forced roots, and return them as int64[S]."""
    if roots is None:
        return None
    array = np.asarray(roots)
    if array.shape != lengths.shape or array.dtype.kind not in "iu":
        raise UsageError(f"roots are {len(lengths)} whole numbers, one per sentence")
    is_invalid = (array < 0) | (array > lengths)
    if is_invalid.any():
        row = int(np.argmax(is_invalid))
        raise UsageError(
            f"root {int(array[row])} of sentence {row + 1}, which has {int(lengths[row])} words"
        )
    return array.astype(np.int64)


@dataclass(frozen=True)
class TreeLists:
    """The k best trees of sentences, best first.

    Attributes
    ----------
    heads : int32[k * N]
        Tree `t` of sentence `s` with `n` words starts at ``k * offsets[s] + t * n``.
    scores : int64[S, k]
    counts : int64[S]
        The number of trees of each sentence.
    """

    heads: Int32
    scores: Int64
    counts: Int64


def tree_lists(scores: Int64, offsets: Int64, k: int, roots: Int64 | None = None) -> TreeLists:
    """Find the `k` best trees of each sentence that have exactly one root.

    The trees not found yet are partitioned into sets. For each set, the score of its best tree is
    known, and the one arc in which this tree differs from a tree already found. The best tree of
    all sets is built, and its set is partitioned again (Camerini, Fratta and Maffioli 1980, used
    for parsing by Hall 2007). Lists are exact and without duplicates; the order of trees with equal
    scores depends on the scores alone.

    Parameters
    ----------
    scores : int64, ``n * (n + 1)`` per sentence
        Row ``i - 1`` of a sentence has the arcs to word `i` from the heads 0 .. n; -2**62 for an
        arc that cannot exist. All others are within ±2**34.
    offsets : int64[S+1]
        The offsets of the sentences, of at most 2000 words each.
    k : int, at least 1
    roots : int64[S], optional
        The word that must be the root, counted from 1; 0 for any word.

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
    cells, penalties = _penalize_roots(scores, lengths, cell_offsets, roots)
    heads, scores_found = (
        np.zeros(int(offsets[-1]) * k, np.int32),
        np.zeros((sentences, k), np.int64),
    )
    trees = call(kernel.SpanningTrees, int(lengths.max(initial=0)))
    inputs = (trees, cells, cell_offsets, lengths)
    no_conditions, known_arcs = np.zeros(0, np.int32), np.zeros(sentences, np.int32)
    score, second = np.zeros((2, sentences), np.int64)
    cut = np.zeros(sentences, np.int32)
    first_tasks = (
        np.arange(sentences),
        k * offsets[:-1],
        known_arcs,
        np.full(sentences, -1, np.int32),
    )
    outputs = (heads, score, second, cut, sentences)
    call(kernel.best_trees, *inputs, *first_tasks, no_conditions, k > 1, *outputs)
    scores_found[:, 0], counts = score, (cut >= 0).astype(np.int64)
    for row in np.flatnonzero(cut > 0).tolist() if k > 1 else ():
        first = int(k * offsets[row]), int(lengths[row]), int(second[row]), int(cut[row])
        further_scores = _further_trees(inputs, row, first, k, heads)
        scores_found[row, 1 : 1 + len(further_scores)], counts[row] = (
            further_scores,
            1 + len(further_scores),
        )
    return TreeLists(heads, scores_found + penalties[:, None], counts)


def _further_trees(
    kernel_inputs: tuple[Any, Int64, Int64, Int64],
    row: int,
    first: tuple[int, int, int, int],
    k: int,
    heads: Int32,
) -> list[int]:
    """Find the trees of a sentence after its best one, and return their scores.

    Parameters
    ----------
    kernel_inputs : (Trees, int64[C], int64[S+1], int64[S])
        The kernel's working memory, the cells, their offset per sentence, and its length.
    row : int
        The index of the sentence.
    first : (int, int, int, int)
        The offset of its trees in `heads`, its length, the score of its second best tree, and the
        word whose head differs from the best tree.
    k : int
    heads : int32 array
        The output of the kernel: the heads of all trees.
    """
    heads_start, word_count, bound, word = first
    conditions = np.zeros(8 * k, np.int32)
    heads_position, score, second = np.zeros((3, 1), np.int64)
    known_arc, condition, cut = np.zeros((3, 1), np.int32)
    task = (*kernel_inputs, np.array([row]), heads_position, known_arc, condition, conditions)
    outputs = (heads, score, second, cut, 1)
    condition_count = 0

    def run(tree: int, is_known: bool, condition_index: int, wants_second: bool) -> tuple[int, int]:
        """Return the word at which the next best tree differs, and its score or NO_ARC."""
        heads_position[0], known_arc[0], condition[0] = (
            heads_start + word_count * tree,
            is_known,
            condition_index,
        )
        call(kernel.best_trees, *task, wants_second, *outputs)
        word = int(cut[0])
        return word, int(second[0]) if word > 0 else NO_ARC

    def add_condition(head: int, position: int, is_required: int, previous: int) -> int:
        nonlocal condition_count
        conditions[4 * condition_count : 4 * condition_count + 4] = (
            head,
            position,
            is_required,
            previous,
        )
        condition_count += 1
        return condition_count - 1

    # Per set of trees: the best score, the tree that is changed, the word, and the condition.
    queue = [(bound, 0, word, -1)]
    scores: list[int] = []
    while len(scores) + 1 < k:
        best = max(range(len(queue)), key=lambda number: queue[number][0])
        bound, parent, position, previous_condition = queue[best]
        if bound == NO_ARC:
            break
        head, new_tree = (
            int(heads[heads_start + word_count * parent + position - 1]),
            len(scores) + 1,
        )
        without = add_condition(head, position, 0, previous_condition)
        word, bound = run(new_tree, False, without, new_tree + 1 < k)
        # If the next tree has two roots, all remaining trees have.
        if word < 0:
            break
        scores.append(int(score[0]))
        if new_tree + 1 == k:
            break
        queue.append((bound, new_tree, word, without))
        with_arc = add_condition(head, position, 1, previous_condition)
        word, bound = run(parent, True, with_arc, True)
        queue[best] = (bound, parent, word, with_arc)
    return scores


def _penalize_roots(
    scores: Int64, lengths: Int64, cell_offsets: Int64, roots: Int64 | None
) -> tuple[Int64, Int64]:
    """Lower the scores of arcs from the root, so that trees with two roots rank after all others.

    The scores of two trees of a sentence differ by at most the sum over its words of the difference
    between the best and the worst arc; the penalty is 1 more.

    Returns
    -------
    cells : int64[C]
        The lowered scores, in which forced roots are the only possible ones.
    penalties : int64[S]
        The penalty of each sentence.
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
