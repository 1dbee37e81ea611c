"""Bracketing orders: the arrays that the kernel reads, the model, its settings and its learner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Float64, Int32, Int64, OnProgress, Ragged, UInt64
from wordorder.errors import InputError, ModelError, UsageError, choose
from wordorder.kernels import call, learned as kernel, piece_spans, run_pieces
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import UpdateCounts
from wordorder.reordering.learned.agreement import order_similarity
from wordorder.reordering.learned.examples import (
    OrderExamples,
    join_pieces,
    local_heads,
    piece_offsets,
)
from wordorder.reordering.learned.learned_order import INPUT_LEVELS, attribute_hash
from wordorder.text.sparse_weights import dense, halved, packed_weights, weights_of
from wordorder.treebank.folds import grouped_folds
from wordorder.treebank.treebank import Column, Treebank

# Attributes of words that features read. The hash of a string depends on its attribute: the word
# "NOUN" differs from the tag "NOUN".
WORD_ATTRIBUTES = ("form", "class", "xpos", "upos", "label")
TAG_COLUMNS = ("xpos", "upos")
# Words that occur this often are classes of their own, see `word_class`.
MIN_CLASS_COUNT = 8

# Number of words that one thread orders in one call.
WORDS_PER_CALL = 1 << 12

# The weights are a table of 2**bits pairs, indexed by the hashes of features. Collisions cost no
# accuracy: tables of 2^16 to 2^22 pairs give the same scores on a few thousand sentences. A table
# that fits in the processor's cache is three times as fast.
MIN_BITS, MAX_BITS = 16, 22

# Pairs of weights per training word.
PAIRS_PER_WORD = 8

MAX_BEAM = 1000

# Bonuses of straight splits to try. With the last one, nearly all sentences keep the source order.
BONUSES = (0.0, 0.02, 0.04, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 1.0)

# The smallest bonus is chosen whose score is within this margin of the best one: the maximum is
# flat, and a model of one run needs a larger bonus than the mean of several.
SCORE_MARGIN = 0.002

# Number of parts of the examples, one of which each probe leaves out, and number of probes.
HELD_OUT_PARTS, PROBES = 4, 2

# The smallest number of sentences from which a bonus is chosen, and the largest one used.
MIN_PROBE_SENTENCES, MAX_PROBE_SENTENCES = 40, 2000

MAX_STEP = 1.0

# Number of words learned from between two checks for an interrupt.
LEARNED_WORDS_PER_CALL = 1 << 12


@dataclass(frozen=True, eq=False)
class WordArrays:
    """Flat arrays of the words of sentences; long sentences are split into pieces.

    Attributes
    ----------
    attributes : uint64[N * columns]
        The hashes of the attributes, word by word.
    heads : int32[N]
        The position of each word's head in its piece; -1 if it is not in it.
    labels : uint64[N]
    offsets : int64[P+1]
        The offsets of the pieces, each of at most `MAX_WORDS` words.
    """

    attributes: UInt64
    heads: Int32
    labels: UInt64
    offsets: Int64

    @property
    def longest(self) -> int:
        """Number of words of the longest piece."""
        return int(np.diff(self.offsets).max(initial=1))


def frequent_words(form: Column) -> tuple[str, ...]:
    """Return the words that occur at least eight times, in lower case, sorted.

    Examples
    --------
    >>> frequent_words(Column.of(["The", "cat", *["the"] * 7]))
    ('the',)
    """
    return tuple(sorted(form.map(str.lower).by_frequency(MIN_CLASS_COUNT)))


def word_class(form: str, frequent: frozenset[str]) -> str:
    """Return the class of a word without tags: a frequent word, a number, a name, or a suffix.

    Examples
    --------
    >>> [word_class(form, frozenset(["of"])) for form in ("Of", "1997", "Rome", "reads", "学生")]
    ['of', '0', 'A', '-ds', '-学生']
    """
    lower = form.lower()
    if lower in frequent:
        return lower
    if any(letter.isdigit() for letter in form):
        return "0"
    if form[:1].isupper():
        return "A"
    return f"-{form[-2:]}"


def word_arrays(
    treebank: Treebank, attributes: tuple[str, ...], *, trees: bool, frequent: Sequence[str] = ()
) -> WordArrays:
    """Return the arrays that the kernel reads; `frequent` words are classes of their own.

    Raises
    ------
    InputError
        If a sentence lacks a column that is read: a tree, or the tags of all words.
    """
    _check_columns(treebank, attributes, trees=trees)
    offsets = piece_offsets(treebank.offsets)
    class_words = frozenset(frequent)
    columns = {
        **treebank.columns,
        "class": treebank.form.map(lambda form: word_class(form, class_words)),
    }
    hashes = [_hashes(columns[name], name) for name in attributes]
    if trees:
        heads = local_heads(treebank, offsets)
        labels = _hashes(treebank.label, "label")
    else:
        heads, labels = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    return WordArrays(np.stack(hashes, axis=1).reshape(-1), heads, labels, offsets)


def _hashes(column: Column, name: str) -> UInt64:
    return column.apply(lambda word: attribute_hash(f"{name}\t{word}"), np.uint64)


def _check_columns(treebank: Treebank, attributes: tuple[str, ...], *, trees: bool) -> None:
    """Refuse sentences without the columns that are read."""
    if trees and not treebank.has_trees:
        raise _missing_column(treebank, int(np.argmax(treebank.heads < 0)), "tree", "heads")
    for name in TAG_COLUMNS:
        if name in attributes and treebank.words:
            has_value = treebank.columns[name].has_value()
            if not has_value.any():
                raise _missing_column(treebank, 0, name.upper(), "tags")


def _missing_column(treebank: Treebank, word: int, problem: str, expected: str) -> InputError:
    row = int(np.searchsorted(treebank.offsets, word, side="right")) - 1
    return InputError(
        f"sentence {row + 1}", f"no {problem}", f"{expected}, as the model was trained"
    )


@dataclass(frozen=True, eq=False)
class OrderLists:
    """The best orders of each sentence, best first.

    Attributes
    ----------
    orders : Orders
        The orders of all sentences, sentence by sentence, without duplicates.
    sentence : int64[R]
        The sentence of each order.
    score : float64[R]
        The score of the best derivation of each order that the search visited.
    """

    orders: Orders
    sentence: Int64
    score: Float64


class Bracketing:
    """Orders a sentence by splitting it recursively in two, straight or inverted (Nakagawa 2015).

    Attributes
    ----------
    settings : BracketingSettings
    weights : float32
        Pairs of weights of features: for straight and for inverted splits.
    straight : float
        The bonus of each straight split.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.reordering.learned.examples import order_examples
    >>> bank = Treebank.from_words([["he", "ate", "rice"], ["she", "saw", "him"]])
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1)]] * 2)
    >>> learner = Bracketing.learner(order_examples(bank, links))
    >>> for epoch in range(1, learner.epochs + 1):
    ...     _ = learner.learn(epoch)
    >>> learner.model().orders(Treebank.from_words([["he", "saw", "rice"]])).to_text(0)
    '0 2 1'
    """

    kind: ClassVar[str] = "bracketing"

    def __init__(self, settings: BracketingSettings, weights: Array, straight: float = 0.0) -> None:
        self.settings = settings
        self.weights = weights
        self.straight = straight

    @property
    def reads(self) -> str:
        """The input that it reads: ``words``, ``tags`` or ``trees``."""
        return self.settings.reads

    @classmethod
    def learner(
        cls, examples: OrderExamples, *, seed: int = 0, **options: Any
    ) -> BracketingLearner:
        """Return a learner of this kind of model; see `BracketingLearner` for its options."""
        return BracketingLearner(cls, examples, seed=seed, **options)

    def preferring(self, straight: float) -> Bracketing:
        """Return the same model with another bonus of straight splits."""
        return Bracketing(self.settings, self.weights, straight)

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks input that the model reads.
        """
        words = self.settings.words(treebank)
        order = np.zeros(treebank.words, np.int32)
        scores = np.zeros(len(words.offsets) - 1)

        def work(rows: tuple[int, int]) -> None:
            first, last = rows
            longest = int(np.diff(words.offsets[first : last + 1]).max(initial=1))
            search = self._search(words, longest)
            call(kernel.best_orders, search, words.offsets, order, scores, first, last)

        run_pieces(work, piece_spans(words.offsets, WORDS_PER_CALL))
        return join_pieces(order, words.offsets, treebank.offsets)

    def kbest_orders(self, treebank: Treebank, k: int) -> OrderLists:
        """Return up to `k` different orders of each sentence, and not more than the beam width.

        Raises
        ------
        UsageError
            If `k` is less than 1, or a sentence has more than 512 words.
        InputError
            If a sentence lacks input that the model reads.
        """
        if k < 1:
            raise UsageError(f"lists have at least 1 order, not {k}")
        words = self.settings.words(treebank)
        if len(words.offsets) != len(treebank.offsets):
            raise UsageError("a sentence is too long for lists of its orders")
        search = self._search(words)
        beam = self.settings.beam
        lists: list[tuple[int, Int32, float]] = []
        for row, (start, n) in enumerate(
            zip(words.offsets[:-1].tolist(), treebank.lengths.tolist(), strict=True)
        ):
            if n < 2:
                lists.append((row, np.arange(n, dtype=np.int32), 0.0))
                continue
            positions = np.zeros((beam, n), np.int32)
            scores = np.zeros(beam)
            count = call(kernel.listed_orders, search, start, n, positions.reshape(-1), scores)
            # If several derivations give the same order, the first one has the best score.
            _, first = np.unique(positions[:count], axis=0, return_index=True)
            lists += [(row, positions[p], float(scores[p])) for p in np.sort(first)[:k].tolist()]
        return OrderLists(
            Orders(Ragged.from_rows([order for _, order, _ in lists])),
            np.array([row for row, _, _ in lists], np.int64),
            np.array([score for _, _, score in lists]),
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the metadata of the model, and its arrays by name."""
        metadata = {**self.settings.parts(), "straight": self.straight}
        return metadata, packed_weights(self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Bracketing:
        """Rebuild the model from its saved state.

        Raises
        ------
        ModelError
            If the state is inconsistent.
        """
        settings = BracketingSettings.from_parts(about)
        straight = about.get("straight")
        if type(straight) is not float or not 0.0 <= straight < float("inf"):
            raise ModelError("the preference of the model for straight splits is damaged")
        return cls(settings, weights_of(arrays, settings.weights), straight)

    def _search(self, words: WordArrays, longest: int | None = None) -> Any:
        """Return a search of the kernel with the weights of the model."""
        return self.settings.search(words, self.weights, longest=longest, bonus=self.straight)

    def __repr__(self) -> str:
        attributes = ", ".join(self.settings.attributes)
        return f"Bracketing({attributes}; {np.count_nonzero(self.weights)} weights)"


@dataclass(frozen=True)
class BracketingSettings:
    """The input and the search of a bracketing model.

    Attributes
    ----------
    attributes : tuple of str
        The attributes of words that features read; the first is the form.
    trees : bool
        Whether features read a dependency tree.
    bits : int
        The model has ``2**bits`` pairs of weights.
    beam : int
        The number of derivations that the search keeps.
    frequent : tuple of str
        Words that are classes of their own, if no tags are read.
    """

    attributes: tuple[str, ...]
    trees: bool
    bits: int
    beam: int = 20
    frequent: tuple[str, ...] = ()

    @classmethod
    def for_training(
        cls, treebank: Treebank, *, reads: str | None = None, beam: int = 20
    ) -> BracketingSettings:
        """Return the settings for training on some sentences.

        Parameters
        ----------
        treebank : Treebank
        reads : "words", "tags", "trees" or None
            The input of the model; by default all that the sentences have.
        beam : int

        Raises
        ------
        UsageError
            If the beam is not from 1 to 1,000, or the sentences lack a column that is read.
        """
        if not 1 <= beam <= MAX_BEAM:
            raise UsageError(f"a beam is from 1 to {MAX_BEAM} wide, not {beam}")
        tags = [name for name in TAG_COLUMNS if treebank.columns[name].has_value().any()]
        trees = treebank.has_trees and treebank.words > 0
        if reads is None:
            reads = "trees" if trees else "tags" if tags else "words"
        choose("reads", reads, INPUT_LEVELS)
        if reads == "trees" and not trees:
            raise UsageError("the sentences have no trees to learn from; parse them first")
        if reads == "tags" and not tags:
            raise UsageError("the sentences have no tags to learn from; tag them first")
        if reads == "words":
            attributes = ("form", "class")
        else:
            attributes = ("form", *tags, *(("label",) if reads == "trees" else ()))
        bits = (PAIRS_PER_WORD * treebank.words).bit_length()
        bits = min(max(bits, MIN_BITS), MAX_BITS)
        frequent = frequent_words(treebank.form) if reads == "words" else ()
        return cls(attributes, reads == "trees", bits, beam, frequent)

    @classmethod
    def from_parts(cls, metadata: Any) -> BracketingSettings:
        """Rebuild the settings from the metadata of a file.

        Raises
        ------
        ModelError
            If the metadata is damaged.
        """
        scalars = metadata["trees"], metadata["bits"], metadata["beam"]
        settings = cls(tuple(metadata["attributes"]), *scalars, tuple(metadata["frequent"]))
        names = settings.attributes
        if not (
            names
            and set(names) <= set(WORD_ATTRIBUTES)
            and type(settings.trees) is bool
            and type(settings.bits) is int
            and MIN_BITS <= settings.bits <= MAX_BITS
            and type(settings.beam) is int
            and 1 <= settings.beam <= MAX_BEAM
            and all(isinstance(word, str) for word in settings.frequent)
        ):
            raise ModelError("the settings of the model are damaged")
        return settings

    @property
    def reads(self) -> str:
        """The input of the model: ``words``, ``tags`` or ``trees``."""
        if self.trees:
            return "trees"
        return "tags" if set(self.attributes) & set(TAG_COLUMNS) else "words"

    @property
    def weights(self) -> int:
        """The number of weights."""
        return 2 << self.bits

    def parts(self) -> dict[str, Any]:
        """Return the settings as metadata of a file."""
        lists = {"attributes": list(self.attributes), "frequent": list(self.frequent)}
        return {**asdict(self), **lists}

    def words(self, treebank: Treebank) -> WordArrays:
        """Return the arrays of sentences that the kernel reads.

        Raises
        ------
        InputError
            If a sentence lacks a column that is read.
        """
        return word_arrays(treebank, self.attributes, trees=self.trees, frequent=self.frequent)

    def search(
        self, words: WordArrays, weights: Array, *, longest: int | None = None, bonus: float = 0.0
    ) -> Any:
        """Return a search of the kernel over some sentences with some weights.

        `bonus` is added to the score of each straight split.
        """
        tag_or_class = (*TAG_COLUMNS, "class")
        tag = next((k for k, name in enumerate(self.attributes) if name in tag_or_class), 0)
        max_length = words.longest if longest is None else longest
        shape = (max_length, len(self.attributes), tag, self.trees, self.beam)
        search = call(kernel.BracketingSearch, *shape, 64 - self.bits)
        arrays = (words.attributes, words.heads, words.labels, weights)
        call(
            kernel.set_sentences, search, *(np.ascontiguousarray(array) for array in arrays), bonus
        )
        return search


def held_out(treebank: Treebank, *, seed: int) -> list[Int64]:
    """Return the sentences that each probe leaves out; empty if there are too few sentences."""
    if len({tuple(words) for words in treebank.sentences()}) < MIN_PROBE_SENTENCES:
        return []
    folds = grouped_folds(treebank, HELD_OUT_PARTS, seed=seed)
    return [np.flatnonzero(folds == part) for part in range(PROBES)]


def choose_bonus(
    probes: Sequence[Bracketing], unseen: Sequence[OrderExamples], *, metric: str = "frs"
) -> float:
    """Return the bonus with which models order unseen sentences best; 0 for too few sentences.

    Parameters
    ----------
    probes : sequence of Bracketing
    unseen : sequence of OrderExamples
        For each model, sentences that it was not trained on.
    metric : str
        The metric that compares two orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    similarity = order_similarity(metric)
    totals = np.zeros(len(BONUSES))
    weight = 0.0
    count = 0
    for model, examples in zip(probes, unseen, strict=True):
        rows = np.flatnonzero(examples.ranked & (examples.weights > 0))[:MAX_PROBE_SENTENCES]
        if not len(rows):
            continue
        held = examples.take(rows)
        for index, bonus in enumerate(BONUSES):
            orders = model.preferring(bonus).orders(held.treebank)
            totals[index] += np.dot(similarity(orders, held.references), held.weights)
        weight += float(held.weights.sum())
        count += len(rows)
    if count < MIN_PROBE_SENTENCES:
        return 0.0
    means = totals / weight
    return BONUSES[int(np.argmax(means >= means.max() - SCORE_MARGIN))]


class BracketingLearner:
    """Learns a bracketing model: structured passive-aggressive learning with a latent derivation.

    For each sentence, a beam search finds the best derivation and the best valid one, the
    reference. A derivation is valid if it puts as few pairs of words as possible in the wrong
    order, which is none for most sentences (Nakagawa 2015, section 3). Words without a link may be
    anywhere. If no valid derivation is left in the beam, the search ends (early update). If the two
    derivations differ, the weights are updated so that the reference wins by the square root of the
    number of actions after the first difference; the step is at most the weight of the sentence
    (PA-I; Crammer et al. 2006). The model is the mean of the weights after each sentence (Collins
    2002) and of all runs.

    Parameters
    ----------
    model : class
        The class of the model.
    examples : OrderExamples
    seed : int
        Determines the random order of the sentences, which differs by epoch and run.
    epochs : int
        Passes over the examples; a run ends earlier after a pass without an update.
    beam : int
        The number of derivations that the search keeps, in training and later.
    runs : int
        The number of models that are trained, on sentences in different orders, and averaged.
    reads : "words", "tags", "trees" or None
        The input of the features; by default all that the sentences have.
    straight : float, optional
        The bonus of straight splits, 0 or more. By default it is chosen: two further runs are
        trained, each without a quarter of the sentences, and the bonus is taken that orders the
        quarters best. With fewer than 40 different sentences it is 0.
    metric : str
        The metric by which the bonus is chosen.

    Raises
    ------
    UsageError
        If an option is out of range, no sentence has an order to learn, or the sentences lack the
        input.
    """

    is_whole = True

    def __init__(
        self,
        model: type[Bracketing],
        examples: OrderExamples,
        *,
        seed: int = 0,
        epochs: int = 10,
        beam: int = 20,
        runs: int = 8,
        reads: str | None = None,
        straight: float | None = None,
        metric: str = "frs",
    ) -> None:
        for name, number in (("epochs", epochs), ("runs", runs)):
            if number < 1:
                raise UsageError(f"{name} are at least 1, not {number}")
        if straight is not None and not 0 <= straight < float("inf"):
            raise UsageError(f"straight is at least 0, not {straight}")
        self._kind = model
        self.epochs = epochs
        self.settings = BracketingSettings.for_training(examples.treebank, reads=reads, beam=beam)
        self._words = self.settings.words(examples.treebank)
        self._low, self._high = examples.low, examples.high
        sentences = np.searchsorted(examples.treebank.offsets, self._words.offsets, "right") - 1
        # An empty piece may be assigned to any sentence, since it has no words.
        self._sentence_weights = examples.weights[
            np.minimum(sentences[:-1], len(examples) - 1)
        ].astype(np.float64)
        self._rows = np.flatnonzero(self._sentence_weights > 0)
        if not len(self._rows):
            raise UsageError("no sentence has two linked words: there is no order to learn")
        self._seed = seed
        size = self.settings.weights, len(self._words.offsets) - 1
        self._runs = [_Run(self._rows, *size) for _ in range(runs)]
        self._straight, self._metric = straight, metric
        self._unseen: list[OrderExamples] = []
        self._probes: list[_Run] = []
        if straight is None:
            for left_out in held_out(examples.treebank, seed=seed):
                seen = self._rows[~np.isin(sentences[self._rows], left_out)]
                if len(seen):
                    self._probes.append(_Run(seen, *size))
                    self._unseen.append(examples.take(left_out))

    @property
    def forced(self) -> Int64:
        """The number of pairs of words of each sentence that every derivation puts in wrong order.

        It is -1 before the first epoch. The pieces of long sentences are listed separately.
        """
        return self._runs[0].wrong.astype(np.int64)

    @property
    def forced_share(self) -> float:
        """The share of sentences that no derivation orders correctly; known after one epoch."""
        return float(np.mean(self.forced[self._rows] > 0))

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples; `epoch` counts from 1."""
        counts = run_pieces(
            lambda index: self._learn(index, epoch, progress if index == 0 else None),
            list(range(len(self._runs) + len(self._probes))),
        )
        return sum(counts[: len(self._runs)], UpdateCounts())

    def state(self) -> dict[str, Array]:
        """Return all arrays that change during training."""
        arrays: dict[str, Array] = {}
        for number, run in enumerate([*self._runs, *self._probes]):
            for name in ("weights", "average"):
                values = getattr(run, name)
                rows = np.flatnonzero(values).astype(np.int32)
                arrays[f"{name}.{number}.rows"] = rows
                arrays[f"{name}.{number}"] = values[rows]
            arrays[f"wrong.{number}"] = run.wrong
            arrays[f"ended.{number}"] = np.array([run.ended], np.int32)
        return arrays

    def restore(self, arrays: dict[str, Array]) -> None:
        """Restore an earlier `state` of a learner with the same examples and options."""
        for number, run in enumerate([*self._runs, *self._probes]):
            for name in ("weights", "average"):
                stored = arrays[f"{name}.{number}.rows"], arrays[f"{name}.{number}"]
                getattr(run, name)[:] = dense(*stored, self.settings.weights)
            run.wrong[:] = arrays[f"wrong.{number}"]
            run.ended = bool(arrays[f"ended.{number}"][0])

    def model(self) -> Bracketing:
        """Return the model: the mean of the runs."""
        mean = np.zeros(self.settings.weights, np.float64)
        for run in self._runs:
            mean += run.average
        straight = self._straight
        if straight is None:
            probes = [self._kind(self.settings, run.average) for run in self._probes]
            straight = choose_bonus(probes, self._unseen, metric=self._metric)
        return self._kind(self.settings, halved(mean / len(self._runs)), float(straight))

    def _learn(self, index: int, epoch: int, progress: OnProgress | None) -> UpdateCounts:
        """Do one pass of one run or probe."""
        run = [*self._runs, *self._probes][index]
        if run.ended:
            return UpdateCounts()
        random = np.random.default_rng([self._seed, index, epoch])
        shuffled = random.permutation(run.rows)
        search = self.settings.search(self._words, run.weights)
        call(kernel.prepare_to_learn, search)
        total = self.epochs * len(shuffled)
        updates = 0
        seen = (epoch - 1) * len(shuffled)
        for rows in self._batches(shuffled):
            updates += call(
                kernel.learn_bracketings,
                search,
                *(self._words.offsets, self._low, self._high, self._sentence_weights),
                *(run.weights, run.average, run.delta, run.wrong),
                *(rows, MAX_STEP, seen, total),
            )
            seen += len(rows)
            if progress is not None:
                progress(len(rows))
        run.ended = updates == 0
        return UpdateCounts(len(shuffled), updates)

    def _batches(self, rows: Int64) -> list[Int64]:
        """Split sentences into batches of about `LEARNED_WORDS_PER_CALL` words."""
        step = LEARNED_WORDS_PER_CALL
        words = np.cumsum(np.diff(self._words.offsets)[rows])
        cuts = np.searchsorted(words, np.arange(step, int(words[-1]), step))
        return [np.ascontiguousarray(batch) for batch in np.split(rows, cuts) if len(batch)]


class _Run:
    """The weights of one run, and the sentences that it is trained on."""

    def __init__(self, rows: Int64, weights: int, sentences: int) -> None:
        self.rows = rows
        self.weights = np.zeros(weights, np.float32)
        self.average = np.zeros(weights, np.float32)
        self.delta = np.zeros(weights, np.int16)
        self.wrong = np.full(sentences, -1, np.int32)
        self.ended = False
