"""A maximum-entropy reordering model: is the next phrase to the right or to the left?

After Zens & Ney (2006), the model predicts from the words, and their classes, at the end of the
last phrase whether the next phrase is to its right or to its left.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Array, Bool, Float32, Float64, Int32, Int64, Ragged
from wordorder.kernels import alignment as kernel, call, learned as learned_kernel, run_rows
from wordorder.translation.extraction import PhraseSpans
from wordorder.translation.phrase_table import PhraseTable

# The number of source words on each side of the end of a phrase that are features.
CONTEXT_WORDS = 2

# The number of word classes of each language, and of passes over the words to find them.
CLASSES, CLASS_PASSES = 50, 3

# Passes over the jumps, the initial learning rate, and the penalty of squared weights.
EPOCHS, RATE, PENALTY = 4, 0.2, 1.0


@dataclass(frozen=True, eq=False)
class Jumps:
    """The direction in which the translation continues after the ends of phrase pairs.

    Attributes
    ----------
    ends : int64[J]
        The last source word of the phrase pairs, as an index in the words of all sentences.
    last_words : int64[J]
        The last target word of the phrase pairs, likewise.
    right : bool[J]
        Whether the next linked target word is linked only to source words after `ends`.
    """

    ends: Int64
    last_words: Int64
    right: Bool

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments, longest: int) -> Jumps:
        """Find the jumps of sentence pairs, each pair of ends once.

        Parameters
        ----------
        source, target : Ragged
            Word ids, one row per sentence.
        links : Alignments
            One row per sentence pair.
        longest : int in 1 .. 8
            The maximum number of words of a phrase.

        Examples
        --------
        The translation of ``1 2 3`` starts with that of 2, and continues to the left.

        >>> links = Alignments.from_rows([[(0, 1), (1, 0), (2, 2)]])
        >>> jumps = Jumps.of(Ragged.from_rows([[1, 2, 3]]), Ragged.from_rows([[3, 4, 5]]), links, 3)
        >>> list(zip(jumps.ends.tolist(), jumps.last_words.tolist(), jumps.right.tolist()))
        [(1, 0, False), (1, 1, True), (0, 1, True)]
        """
        spans = PhraseSpans.of(source, target, links, longest)
        ends, last_words = np.empty(spans.pairs, np.int64), np.empty(spans.pairs, np.int64)
        sides = np.zeros(spans.pairs, np.uint8)
        columns = spans.offsets, ends, last_words, sides
        run_rows(kernel.list_jumps, spans.cost, *columns, scratch=spans.finder)
        has_jump = sides > 0
        return cls(ends[has_jump], last_words[has_jump], sides[has_jump] == 2)


def find_word_classes(sentences: Ragged, id_count: int, classes: int = CLASSES) -> Int32:
    """Cluster words into classes, so that the words of a class follow similar words.

    Parameters
    ----------
    sentences : Ragged
        Word ids, from 1 on.
    id_count : int
        The highest id plus 1.
    classes : int
        The number of classes.

    Returns
    -------
    int32[id_count]
        The class of each word, from 0 on.

    Notes
    -----
    The exchange algorithm (Martin, Liermann & Ney 1998) maximises the objective of Uszkoreit &
    Brants (2008), the sum over the text of log p(class | previous word) + log p(word | class).
    Words are assigned to classes in turn by frequency; then each word is moved to the class that
    increases the objective most. The result is deterministic.

    Examples
    --------
    >>> rows = Ragged.from_rows([[1, 3], [1, 4], [2, 3], [2, 4], [2, 3]])
    >>> classes = find_word_classes(rows, 5, 2).tolist()
    >>> classes[1] == classes[2] != classes[3] == classes[4]
    True
    """
    # Before the first word of a sentence there is id 0, which no word has.
    previous_words = np.roll(sentences.values, 1)
    previous_words[sentences.offsets[:-1][sentences.lengths > 0]] = 0
    pairs, counts = np.unique(
        sentences.values.astype(np.int64) * id_count + previous_words, return_counts=True
    )
    starts = np.searchsorted(pairs, np.arange(id_count + 1) * id_count)
    previous_words = (pairs % id_count).astype(np.int32)
    sizes = np.bincount(sentences.values, minlength=id_count).astype(np.float64)
    words = np.argsort(-sizes, kind="stable")
    words = words[sizes[words] > 0]
    class_of_word = np.zeros(id_count, np.int32)
    class_of_word[words] = np.arange(len(words)) % classes
    follower_counts = np.zeros((id_count, classes))
    np.add.at(follower_counts, (previous_words, class_of_word[pairs // id_count]), counts)
    totals = np.bincount(class_of_word[words], sizes[words], classes).astype(np.float64)
    for _ in range(CLASS_PASSES):
        for word in words.tolist():
            span = slice(starts[word], starts[word + 1])
            rows, class_counts, size = previous_words[span], counts[span, None], sizes[word]
            follower_counts[rows, class_of_word[word]] -= class_counts[:, 0]
            totals[class_of_word[word]] -= size
            row_counts = follower_counts[rows]
            gain = (_x_log_x(row_counts + class_counts) - _x_log_x(row_counts)).sum(axis=0)
            gain -= _x_log_x(totals + size) - _x_log_x(totals)
            best = int(np.argmax(gain))
            # Ignore gains that may be due to rounding.
            if gain[best] > gain[class_of_word[word]] + 1e-9 * size:
                class_of_word[word] = best
            follower_counts[rows, class_of_word[word]] += class_counts[:, 0]
            totals[class_of_word[word]] += size
    return class_of_word


def _x_log_x(values: Float64) -> Float64:
    return values * np.log(np.maximum(values, 1.0))


@dataclass(frozen=True, eq=False)
class JumpFeatures:
    """The features of a jump, whose weights sum to the log odds of a jump to the right.

    The features are each source word within `CONTEXT_WORDS` of the end of the phrase with its
    relative position, the last target word, and the pair of the last words; the same for their
    classes; and a bias.

    Attributes
    ----------
    words : int
        The number of source word ids; it is also the id of the sentence boundary.
    classes : int32[words + 1], int32[]
        The class of each source word, and of each target word.
    pairs : int64[]
        The pairs of last words that occur: 2^32 times the source id plus the target id.
    """

    words: int
    classes: tuple[Int32, Int32]
    pairs: Int64

    @classmethod
    def of(cls, source: Ragged, target: Ragged, jumps: Jumps, words: int) -> JumpFeatures:
        """Find the classes of words and the pairs of last words."""
        target_id_count = int(target.values.max(initial=0)) + 1
        source_classes, target_classes = (
            find_word_classes(source, words),
            find_word_classes(target, target_id_count),
        )
        last = source.values[jumps.ends].astype(np.int64) << 32 | target.values[jumps.last_words]
        border = np.array([CLASSES], np.int32)
        # Add the pair 0, which does not occur, so that there is at least one.
        return cls(
            words,
            (np.append(source_classes, border), target_classes),
            np.unique(np.append(last, 0)),
        )

    @property
    def feature_offsets(self) -> Int64:
        """The offset of each feature type in the weights, and the number of weights."""
        context_size = 2 * CONTEXT_WORDS + 1
        sizes = [1, *[self.words + 1] * context_size, *[CLASSES + 1] * context_size]
        sizes += [len(self.classes[1]), CLASSES, len(self.pairs), CLASSES * CLASSES]
        return np.cumsum([0, *sizes])

    def feature_ids(self, around: Int32, last: Int32) -> Int32:
        """Return the ids of the features of jumps, int32[J, feature types].

        Parameters
        ----------
        around : int32[J, 2 * CONTEXT_WORDS + 1]
            The source words around the end.
        last : int32[J]
            The last target word.
        """
        classes, target_classes = self.classes[0][around], self.classes[1][last]
        pair = np.searchsorted(self.pairs, around[:, CONTEXT_WORDS].astype(np.int64) << 32 | last)
        columns = [np.zeros(len(last), np.int64), *around.T, *classes.T, last, target_classes, pair]
        columns.append(classes[:, CONTEXT_WORDS] * CLASSES + target_classes)
        features = np.column_stack(columns) + self.feature_offsets[:-1]
        return features.astype(np.int32)

    def of_source(self, weights: Float64) -> Float32:
        """Return what each source word adds to the log odds, by relative position.

        The result is float32[words + 1, 2 * CONTEXT_WORDS + 1]. The bias is added at the position
        of the last word; unknown words (id 0) add nothing else.
        """
        context_size, offsets = 2 * CONTEXT_WORDS + 1, self.feature_offsets
        scores = np.zeros((self.words + 1, context_size), np.float32)
        for position in range(context_size):
            class_scores = weights[offsets[1 + context_size + position] :][self.classes[0]]
            scores[:, position] = weights[offsets[1 + position] :][: self.words + 1] + class_scores
        scores[0] = 0.0
        scores[:, CONTEXT_WORDS] += np.float32(weights[0])
        return scores

    def of_entries(self, weights: Float64, table: PhraseTable) -> Float32:
        """Return what the last words of each entry of a phrase table add, float32[E, 1]."""
        offsets = self.feature_offsets[-5:]
        source = table.source_words[table.source_offsets[1:] - 1]
        source = np.repeat(source, np.diff(table.entry_offsets))
        target = table.target_words[table.target_offsets[1:] - 1]
        keys = source.astype(np.int64) << 32 | target
        pair_index = np.minimum(np.searchsorted(self.pairs, keys), len(self.pairs) - 1)
        target_classes = self.classes[1][target]
        scores = weights[offsets[0] + target] + weights[offsets[1] + target_classes]
        scores += np.where(self.pairs[pair_index] == keys, weights[offsets[2] + pair_index], 0.0)
        scores += weights[offsets[3] + self.classes[0][source] * CLASSES + target_classes]
        rows: Float32 = scores.astype(np.float32)
        return rows[:, None]


def context_words(sentences: Ragged, border: int, reach: int = CONTEXT_WORDS) -> Int32:
    """Return the words around each word, int32[N, 2 * reach + 1]; `border` outside the sentence.

    Examples
    --------
    >>> context_words(Ragged.from_rows([[1, 2], [3]]), 9).tolist()
    [[9, 9, 1, 2, 9], [9, 1, 2, 9, 9], [9, 9, 3, 9, 9]]
    """
    rows = np.repeat(np.arange(len(sentences)), sentences.lengths)
    contexts = np.full((len(rows), 2 * reach + 1), border, np.int32)
    for shift in range(-reach, reach + 1):
        positions = np.arange(len(rows)) + shift
        in_sentence = (positions >= sentences.offsets[rows]) & (
            positions < sentences.offsets[rows + 1]
        )
        contexts[in_sentence, shift + reach] = sentences.values[positions[in_sentence]]
    return contexts


def learn_weights(
    feature_ids: Int32, right: Bool, size: int, *, seed: int = 0, epochs: int = EPOCHS
) -> Float64:
    """Learn the weights of features by logistic regression.

    The training minimises the sum of ``-log p(side)`` over the jumps, plus half the penalty times
    the sum of squared weights: maximum entropy with a Gaussian prior. The result is the mean of the
    weights over the second half of the epochs.

    Parameters
    ----------
    feature_ids : int32[J, feature types]
        The result of `JumpFeatures.feature_ids`.
    right : bool[J]
    size : int
        The number of weights.
    seed : int
        The seed for shuffling the jumps in each epoch.
    epochs : int

    Returns
    -------
    float64[size]
    """
    counts = np.bincount(feature_ids.reshape(-1), minlength=size)
    weights, sums, squares = np.zeros(size), np.zeros(size), np.full(size, 1e-8)
    labels, ones = right.astype(np.float64), np.ones(len(right))
    for epoch in range(epochs):
        order: Array = np.random.default_rng([seed, epoch]).permutation(len(right))
        call(
            learned_kernel.logistic_pass,
            *(
                np.ascontiguousarray(feature_ids).reshape(-1),
                feature_ids.shape[1],
                order,
                labels,
                ones,
            ),
            *(np.maximum(counts, 1).astype(np.float32), RATE, PENALTY, weights, squares),
            np.zeros(1, np.int64),
        )
        if 2 * epoch + 1 >= epochs:
            sums += weights
    return sums / ((epochs + 1) // 2)


def learn_jumps(
    source: Ragged,
    target: Ragged,
    links: Alignments,
    table: PhraseTable,
    words: int,
    *,
    longest: int,
    seed: int = 0,
) -> tuple[Float32, PhraseTable, int]:
    """Learn a maximum-entropy reordering model from sentence pairs.

    Parameters
    ----------
    source, target, links, longest
        See `Jumps.of`.
    table : PhraseTable
        The phrase table of these sentence pairs.
    words : int
        The highest id of a source word plus 1.
    seed : int
        See `learn_weights`.

    Returns
    -------
    jumps : float32[words + 1, 2 * CONTEXT_WORDS + 1]
        The argument of `jump_odds`.
    table : PhraseTable
        The table with what the last words of each entry add to the log odds instead of the
        orientations.
    size : int
        The number of jumps in the training data.
    """
    jump_examples = Jumps.of(source, target, links, longest)
    features = JumpFeatures.of(source, target, jump_examples, words)
    contexts = context_words(source, words)[jump_examples.ends]
    feature_ids = features.feature_ids(contexts, target.values[jump_examples.last_words])
    weights = learn_weights(
        feature_ids, jump_examples.right, int(features.feature_offsets[-1]), seed=seed
    )
    table = replace(table, reordering=features.of_entries(weights, table))
    return features.of_source(weights), table, len(jump_examples.ends)


def jump_odds(jumps: Float32, sentences: Ragged) -> Float64:
    """Return what the source adds to the log odds of a jump to the right after each word.

    Parameters
    ----------
    jumps : float32[V+1, 2 * reach + 1]
        The result of `JumpFeatures.of_source`.
    sentences : Ragged
        The ids of source words, 0 for unknown words.

    Returns
    -------
    float64[N]
    """
    contexts = context_words(sentences, len(jumps) - 1, jumps.shape[1] // 2)
    odds = np.zeros(len(contexts))
    for position in range(jumps.shape[1]):
        odds += jumps[contexts[:, position], position]
    return odds
