"""GraphParser: the best spanning trees under the scores of single arcs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.kernels._run import run_pieces
from wordorder.parsing.graph.arc_scores import FEATURES, ArcScores
from wordorder.parsing.graph.feature_scores import feature_scores
from wordorder.parsing.graph.label_choice import LabelChoice
from wordorder.parsing.graph.numbering import NAME, Numbering
from wordorder.parsing.graph.sentences import EncodedSentences, given_arcs
from wordorder.parsing.graph.tree_lists import tree_lists
from wordorder.parsing.model_arrays import weights_arrays, weights_from_arrays
from wordorder.parsing.weights import UNIT, Weights
from wordorder.ragged import row_places
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Float64, Int32, Int64

# The arcs that are scored at a time: some megabytes, on each thread.
CELLS = 1 << 18
# The length of lists that Hall et al. (2011) learn from, and the longest ones.
K = 8
MOST_TREES = 4096


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
    >>> from wordorder.parsing.graph.learner import GraphLearner
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
        numbering: Numbering,
        choice: LabelChoice,
        weights: Weights,
        *,
        features: str = "hall",
    ) -> None:
        self.features = choose("features", features, FEATURES)
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
        named = {"upos": self.numbering.upos, "xpos": self.numbering.xpos}
        return {name: frozenset(tags) - {NOTHING} for name, tags in named.items()}

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
            As in `parse`.
        """
        heads, labels, scores, counts = self._lists(sentences, k, roots)
        offsets = np.zeros(len(sentences) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        trees = sentences.take(np.repeat(np.arange(len(sentences)), counts))
        trees = trees.replace(heads=heads, label=self._column(labels))
        return KBest(trees, offsets, scores / UNIT)

    def score(self, trees: Treebank) -> Float64:
        """Return the score of each tree, float64[S], comparable with those of `kbest`.

        A label that the parser does not know counts nothing.
        """
        arcs = ArcScores(self.numbering, self.choice, trees, self.features)
        labels = trees.label.encode({name: n for n, name in enumerate(self.choice.labels)}, -1)
        sums = np.zeros(len(trees), np.int64)
        for row in range(len(trees)):
            words = slice(int(trees.offsets[row]), int(trees.offsets[row + 1]))
            found = arcs.features(row, *given_arcs(row, trees.heads[words], labels[words]))
            sums[row] = feature_scores(self.weights, *found).sum()
        return sums / UNIT

    def encoded(self, sentences: Treebank) -> EncodedSentences:
        """Return sentences whose trees have features that can be asked for and learnt from."""
        return EncodedSentences(self.numbering, self.choice, sentences, self.features)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the parser, and its arrays by name."""
        about = {"features": self.features, "lowercase": self.numbering.lowercase}
        weights = weights_arrays(f"{NAME}.weights", self.weights)
        return about, {**self.numbering.arrays(), **self.choice.arrays(), **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> GraphParser:
        """Make the parser again.

        Raises
        ------
        ModelError
            If anything does not fit together.
        """
        features, lowercase = about.get("features"), about.get("lowercase")
        if features not in FEATURES or not isinstance(lowercase, bool):
            legal = " or ".join(FEATURES)
            raise ModelError(
                f"features {features!r}, lowercase {lowercase!r}; expected {legal}, true or false"
            )
        numbering = Numbering.from_arrays(arrays, lowercase=lowercase)
        choice = LabelChoice.from_arrays(arrays, numbering.groups)
        weights = weights_from_arrays(f"{NAME}.weights", arrays, choice.attach + 1)
        return cls(numbering, choice, weights, features=features)

    def _column(self, labels: Int32) -> Column:
        """Return a column of labels."""
        return Column(labels, Vocabulary(self.choice.labels))

    def _lists(
        self, sentences: Treebank, k: int, roots: Sequence[int] | Int64 | None
    ) -> tuple[Int32, Int32, Int64, Int64]:
        """Return heads, labels and score of up to `k` trees a sentence, and how many it has."""
        if type(k) is not int or not 1 <= k <= MOST_TREES:
            raise UsageError(f"k is a whole number from 1 to {MOST_TREES}, not {k!r}")
        arcs = ArcScores(self.numbering, self.choice, sentences, self.features)
        forced = _roots(roots, sentences.lengths)

        def work(span: tuple[int, int]) -> tuple[Int32, Int32, Int64, Int64]:
            return best_lists(arcs, self.weights, *span, k, forced)

        pieces = run_pieces(work, _spans(arcs.cells(0, len(sentences))))
        if not pieces:
            nothing = np.zeros(0, np.int32)
            return nothing, nothing, np.zeros(0, np.int64), np.zeros(0, np.int64)
        heads, labels, scores, counts = zip(*pieces, strict=True)
        return (
            np.concatenate(heads),
            np.concatenate(labels),
            np.concatenate(scores),
            np.concatenate(counts),
        )


def best_lists(
    arcs: ArcScores, weights: Weights, first: int, last: int, k: int, roots: Int64 | None
) -> tuple[Int32, Int32, Int64, Int64]:
    """Return heads, labels and score of each tree of some sentences, and how many each has."""
    cells, cell_labels = arcs.score(weights, first, last)
    offsets = arcs.offsets[first : last + 1] - arcs.offsets[first]
    lists = tree_lists(cells, offsets, k, None if roots is None else roots[first:last])
    lengths = np.diff(offsets)
    # Of the room for k trees of each sentence, that of the trees it has.
    room = np.zeros(k * len(lengths) + 1, np.int64)
    np.cumsum(np.repeat(lengths, k), out=room[1:])
    is_there = np.arange(k) < lists.counts[:, None]
    tree = np.flatnonzero(is_there.ravel())
    heads = lists.heads[row_places(room, tree)[0]]
    width = lengths + 1
    cell_offsets = np.cumsum(lengths * width) - lengths * width
    word_row = np.arange(int(offsets[-1])) - np.repeat(offsets[:-1], lengths)
    start = np.repeat(cell_offsets, lengths) + word_row * np.repeat(width, lengths)
    labels = cell_labels[start[row_places(offsets, tree // k)[0]] + heads]
    return heads, labels.astype(np.int32), lists.scores[is_there], lists.counts


def _spans(cells: Int64) -> list[tuple[int, int]]:
    """Cut sentences into spans of so many cells, or of one sentence that has more."""
    spans = []
    first, size = 0, 0
    for row, more in enumerate(cells.tolist()):
        if row > first and size + more > CELLS:
            spans.append((first, row))
            first, size = row, 0
        size += more
    return [*spans, (first, len(cells))] if len(cells) else spans


def _roots(roots: Sequence[int] | Int64 | None, lengths: Int64) -> Int64 | None:
    """Check the roots that are asked for."""
    if roots is None:
        return None
    array = np.asarray(roots)
    if array.shape != lengths.shape or array.dtype.kind not in "iu":
        raise UsageError(f"roots are {len(lengths)} whole numbers, one a sentence")
    bad = (array < 0) | (array > lengths)
    if bad.any():
        row = int(np.argmax(bad))
        raise UsageError(
            f"root {int(array[row])} of sentence {row + 1}, which has {int(lengths[row])} words"
        )
    return array.astype(np.int64)
