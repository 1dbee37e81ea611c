"""Sentences as the bracketing kernel reads them: attributes of words, heads and labels."""

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
from wordorder.reordering.learned.learned_order import READS, attribute_hash
from wordorder.text.sparse_weights import dense, halved, packed_weights, weights_of
from wordorder.treebank.folds import grouped_folds
from wordorder.treebank.treebank import Column, Treebank

# What the features can read of a word. Strings of different attributes never have the same key:
# "NOUN" the word is not "NOUN" the tag.
ATTRIBUTES = ("form", "class", "xpos", "upos", "label")
TAGS = ("xpos", "upos")
# Words without tags are told apart by themselves if they came so often, by their form if not.
FREQUENT = 8

# Words that one thread orders at a time.
BATCH = 1 << 12

# The weights are a table of 2**bits pairs, indexed by the keys of features. Features that share a
# pair cost no accuracy: tables of 2^16 to 2^22 pairs give the same scores on a few thousand
# sentences. A table that the processor's cache holds is three times as fast.
FEWEST_BITS, MOST_BITS = 16, 22

# Pairs of weights for each word to learn from.
PAIRS_A_WORD = 8

WIDEST = 1000

# What is tried. The last one leaves every sentence in the source order, or nearly so.
BONUSES = (0.0, 0.02, 0.04, 0.07, 0.1, 0.14, 0.2, 0.28, 0.4, 1.0)

# The smallest bonus wins that is no further than this from the best: peaks are flat, and a model of
# one run needs a larger bonus than the mean of several.
NEAR = 0.002

# The number of parts, of which each probe leaves out one, and the number of probes.
PARTS, PROBES = 4, 2

# Fewer sentences than this decide nothing; more are not needed.
FEWEST, MOST = 40, 2000

MOST_STEP = 1.0

# Words that are learned from between two looks at an interrupt.
AT_ONCE = 1 << 12


@dataclass(frozen=True, eq=False)
class WordArrays:
    """Flat arrays of the words of sentences, which are cut where they are too long.

    Attributes
    ----------
    attributes : uint64[N * columns]
        A key for each attribute of each word, word by word.
    heads : int32[N]
        The position of each word's head in its piece, -1 if it is not there.
    labels : uint64[N]
    offsets : int64[P+1]
        Where the pieces begin, each of at most `LONGEST` words.
    """

    attributes: UInt64
    heads: Int32
    labels: UInt64
    offsets: Int64

    @property
    def longest(self) -> int:
        """Words of the longest piece."""
        return int(np.diff(self.offsets).max(initial=1))


def frequent_words(form: Column) -> tuple[str, ...]:
    """Return the words that came at least `FREQUENT` times, in lower case, sorted.

    Examples
    --------
    >>> frequent_words(Column.of(["The", "cat", *["the"] * 7]))
    ('the',)
    """
    return tuple(sorted(form.map(str.lower).by_frequency(FREQUENT)))


def word_class(form: str, frequent: frozenset[str]) -> str:
    """Return a frequent word itself, of others whether they are numbers or names, or their end.

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
    """Return what the kernel reads; `frequent` are the words that are classes by themselves.

    Raises
    ------
    InputError
        If a sentence lacks a column that is read: a tree, or the tags of all words.
    """
    _check(treebank, attributes, trees=trees)
    offsets = piece_offsets(treebank.offsets)
    frequent_words_set = frozenset(frequent)
    columns = {
        **treebank.columns,
        "class": treebank.form.map(lambda form: word_class(form, frequent_words_set)),
    }
    keys = [_keys(columns[name], name) for name in attributes]
    if trees:
        heads = local_heads(treebank, offsets)
        labels = _keys(treebank.label, "label")
    else:
        heads, labels = np.zeros(1, np.int32), np.zeros(1, np.uint64)
    return WordArrays(np.stack(keys, axis=1).reshape(-1), heads, labels, offsets)


def _keys(column: Column, name: str) -> UInt64:
    return column.apply(lambda word: attribute_hash(f"{name}\t{word}"), np.uint64)


def _check(treebank: Treebank, attributes: tuple[str, ...], *, trees: bool) -> None:
    """Raise unless the sentences have the columns that are read."""
    if trees and not treebank.has_trees:
        raise _missing_column(treebank, int(np.argmax(treebank.heads < 0)), "tree", "heads")
    for name in TAGS:
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
        Different ones for each sentence, one sentence after the other.
    sentence : int64[R]
        Which sentence each of them orders.
    score : float64[R]
        The score of the best derivation that was found for it.
    """

    orders: Orders
    sentence: Int64
    score: Float64


class Bracketing:
    """Splits a sentence and its parts in two, each time straight or inverted (Nakagawa 2015).

    Attributes
    ----------
    settings : Settings
    weights : float32
        A pair for each row of the table of features: straight, inverted.
    straight : float
        What each straight split scores on top of that.

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
        """What it needs of a sentence: ``words``, ``tags`` or ``trees``."""
        return self.settings.reads

    @classmethod
    def learner(
        cls, examples: OrderExamples, *, seed: int = 0, **options: Any
    ) -> BracketingLearner:
        """Return what learns such a model; see `BracketingLearner` for its options."""
        return BracketingLearner(cls, examples, seed=seed, **options)

    def preferring(self, straight: float) -> Bracketing:
        """Return the same model with another preference for straight splits."""
        return Bracketing(self.settings, self.weights, straight)

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks what the model reads.
        """
        words = self.settings.words(treebank)
        order = np.zeros(treebank.words, np.int32)
        scores = np.zeros(len(words.offsets) - 1)

        def work(rows: tuple[int, int]) -> None:
            first, last = rows
            longest = int(np.diff(words.offsets[first : last + 1]).max(initial=1))
            search = self._search(words, longest)
            call(kernel.best_orders, search, words.offsets, order, scores, first, last)

        run_pieces(work, piece_spans(words.offsets, BATCH))
        return join_pieces(order, words.offsets, treebank.offsets)

    def kbest_orders(self, treebank: Treebank, k: int) -> OrderLists:
        """Return up to `k` different orders of each sentence, at most the width of the beam.

        Raises
        ------
        UsageError
            If `k` is less than 1, or a sentence is longer than the tables have room for.
        InputError
            If a sentence lacks what the model reads.
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
            # Several derivations make the same order: the first one has the best score.
            _, first = np.unique(positions[:count], axis=0, return_index=True)
            lists += [(row, positions[p], float(scores[p])) for p in np.sort(first)[:k].tolist()]
        return OrderLists(
            Orders(Ragged.from_rows([order for _, order, _ in lists])),
            np.array([row for row, _, _ in lists], np.int64),
            np.array([score for _, _, score in lists]),
        )

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        metadata = {**self.settings.parts(), "straight": self.straight}
        return metadata, packed_weights(self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Bracketing:
        """Make the model again.

        Raises
        ------
        ModelError
            If the parts do not fit together.
        """
        settings = BracketingSettings.from_parts(about)
        straight = about.get("straight")
        if type(straight) is not float or not 0.0 <= straight < float("inf"):
            raise ModelError("the preference of the model for straight splits is damaged")
        return cls(settings, weights_of(arrays, settings.weights), straight)

    def _search(self, words: WordArrays, longest: int | None = None) -> Any:
        """Return a search over sentences."""
        return self.settings.search(words, self.weights, longest=longest, bonus=self.straight)

    def __repr__(self) -> str:
        read = ", ".join(self.settings.attributes)
        return f"Bracketing({read}; {np.count_nonzero(self.weights)} weights)"


@dataclass(frozen=True)
class BracketingSettings:
    """What a bracketing model reads and how it searches.

    Attributes
    ----------
    attributes : tuple of str
        What its features read of a word; the first is the form.
    trees : bool
        Whether they read a dependency tree.
    bits : int
        The weights are ``2**bits`` pairs.
    beam : int
        How many derivations the search keeps.
    frequent : tuple of str
        Words that are classes by themselves, where no tags are read.
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
            What the model reads; None is all that the sentences have.
        beam : int

        Raises
        ------
        UsageError
            If the beam is not from 1 to 1,000, or the sentences lack a column that is read.
        """
        if not 1 <= beam <= WIDEST:
            raise UsageError(f"a beam is from 1 to {WIDEST} wide, not {beam}")
        tags = [name for name in TAGS if treebank.columns[name].has_value().any()]
        trees = treebank.has_trees and treebank.words > 0
        if reads is None:
            reads = "trees" if trees else "tags" if tags else "words"
        choose("reads", reads, READS)
        if reads == "trees" and not trees:
            raise UsageError("the sentences have no trees to learn from; parse them first")
        if reads == "tags" and not tags:
            raise UsageError("the sentences have no tags to learn from; tag them first")
        if reads == "words":
            attributes = ("form", "class")
        else:
            attributes = ("form", *tags, *(("label",) if reads == "trees" else ()))
        bits = (PAIRS_A_WORD * treebank.words).bit_length()
        bits = min(max(bits, FEWEST_BITS), MOST_BITS)
        frequent = frequent_words(treebank.form) if reads == "words" else ()
        return cls(attributes, reads == "trees", bits, beam, frequent)

    @classmethod
    def from_parts(cls, metadata: Any) -> BracketingSettings:
        """Make settings of what a file says.

        Raises
        ------
        ModelError
            If that cannot be.
        """
        numbers = metadata["trees"], metadata["bits"], metadata["beam"]
        settings = cls(tuple(metadata["attributes"]), *numbers, tuple(metadata["frequent"]))
        names = settings.attributes
        if not (
            names
            and set(names) <= set(ATTRIBUTES)
            and type(settings.trees) is bool
            and type(settings.bits) is int
            and FEWEST_BITS <= settings.bits <= MOST_BITS
            and type(settings.beam) is int
            and 1 <= settings.beam <= WIDEST
            and all(isinstance(word, str) for word in settings.frequent)
        ):
            raise ModelError("the settings of the model are damaged")
        return settings

    @property
    def reads(self) -> str:
        """What the model needs of a sentence: ``words``, ``tags`` or ``trees``."""
        if self.trees:
            return "trees"
        return "tags" if set(self.attributes) & set(TAGS) else "words"

    @property
    def weights(self) -> int:
        """How many weights there are."""
        return 2 << self.bits

    def parts(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        lists = {"attributes": list(self.attributes), "frequent": list(self.frequent)}
        return {**asdict(self), **lists}

    def words(self, treebank: Treebank) -> WordArrays:
        """Return what the kernel reads of sentences.

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

        `bonus` goes to the score of each straight split.
        """
        tag = next((k for k, name in enumerate(self.attributes) if name in (*TAGS, "class")), 0)
        max_length = words.longest if longest is None else longest
        shape = (max_length, len(self.attributes), tag, self.trees, self.beam)
        search = call(kernel.BracketingSearch, *shape, 64 - self.bits)
        arrays = (words.attributes, words.heads, words.labels, weights)
        call(
            kernel.set_sentences, search, *(np.ascontiguousarray(array) for array in arrays), bonus
        )
        return search


def held_out(treebank: Treebank, *, seed: int) -> list[Int64]:
    """Return the sentences that each probe leaves out; none if there are too few sentences."""
    if len({tuple(words) for words in treebank.sentences()}) < FEWEST:
        return []
    folds = grouped_folds(treebank, PARTS, seed=seed)
    return [np.flatnonzero(folds == part) for part in range(PROBES)]


def chosen_bonus(
    probes: Sequence[Bracketing], unseen: Sequence[OrderExamples], *, metric: str = "frs"
) -> float:
    """Return the bonus under which models order unseen sentences best; 0 for too few of these.

    Parameters
    ----------
    probes : sequence of Bracketing
    unseen : sequence of OrderExamples
        For each model sentences that it has not learned from.
    metric : str
        What compares two orders.

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
        counted = np.flatnonzero(examples.ranked & (examples.weights > 0))[:MOST]
        if not len(counted):
            continue
        tested = examples.take(counted)
        for number, bonus in enumerate(BONUSES):
            orders = model.preferring(bonus).orders(tested.treebank)
            totals[number] += np.dot(similarity(orders, tested.references), tested.weights)
        weight += float(tested.weights.sum())
        count += len(counted)
    if count < FEWEST:
        return 0.0
    means = totals / weight
    return BONUSES[int(np.argmax(means >= means.max() - NEAR))]


class BracketingLearner:
    """Learns a bracketing model: structured passive-aggressive learning with a latent derivation.

    For each sentence a beam search looks for the best derivation of all and for the best valid one,
    the reference. A derivation is valid if it puts the fewest pairs of words in the wrong order;
    for a sentence that splits can put right, none (Nakagawa 2015, section 3). Words without a link
    are free. Where no valid derivation is left in the beam, both end there (early update). If they
    differ, the weights move until the reference wins by the square root of the number of actions
    after the first difference, by a step of at most the sentence's weight (PA-I; Crammer et al.
    2006). The model is the mean of all weights on the way (Collins 2002) and of all runs.

    Parameters
    ----------
    model : class
        What is made of the weights.
    examples : OrderExamples
    seed : int
        Where the random order of the sentences starts; it differs by epoch and run.
    epochs : int
        Passes over the examples; runs without an error end earlier.
    beam : int
        How many derivations the search keeps, in training and later.
    runs : int
        How many models are learned, each with a random order of its own; the result is their mean.
    reads : "words", "tags", "trees" or None
        What the features read; None is all that the sentences have.
    straight : float, optional
        What straight splits score more than their features say, 0 or more. None chooses it: two
        further runs learn without a quarter of the sentences each, and what orders these best is
        taken. With fewer than 40 different sentences that is 0.
    metric : str
        What it is chosen by.

    Raises
    ------
    UsageError
        If an option is out of range, there is nothing to learn from, or the sentences lack what is
        to be read.
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
        # An empty piece is at the end of one sentence and says nothing wherever it is counted.
        self._share = examples.weights[np.minimum(sentences[:-1], len(examples) - 1)].astype(
            np.float64
        )
        self._rows = np.flatnonzero(self._share > 0)
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
        """The pairs of words of each sentence that no derivation puts right, -1 if not known yet.

        They are known after one epoch. A sentence is cut where it is too long; its pieces count.
        """
        return self._runs[0].wrong.astype(np.int64)

    @property
    def forced_share(self) -> float:
        """The share of the sentences with a pair that no derivation puts right, after one epoch."""
        return float(np.mean(self.forced[self._rows] > 0))

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples; `epoch` counts from 1."""
        tallies = run_pieces(
            lambda number: self._learn(number, epoch, progress if number == 0 else None),
            list(range(len(self._runs) + len(self._probes))),
        )
        return sum(tallies[: len(self._runs)], UpdateCounts())

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
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
        """Go on from an earlier `state` of a learner with the same examples and options."""
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
            straight = chosen_bonus(probes, self._unseen, metric=self._metric)
        return self._kind(self.settings, halved(mean / len(self._runs)), float(straight))

    def _learn(self, number: int, epoch: int, progress: OnProgress | None) -> UpdateCounts:
        """Do one pass of one run."""
        run = [*self._runs, *self._probes][number]
        if run.ended:
            return UpdateCounts()
        random = np.random.default_rng([self._seed, number, epoch])
        turn = random.permutation(run.rows)
        search = self.settings.search(self._words, run.weights)
        call(kernel.prepare_to_learn, search)
        total = self.epochs * len(turn)
        updates = 0
        begin = 0
        for piece in self._in_pieces(turn):
            updates += call(
                kernel.learn_bracketings,
                search,
                *(self._words.offsets, self._low, self._high, self._share),
                *(run.weights, run.average, run.delta, run.wrong),
                *(piece, MOST_STEP, (epoch - 1) * len(turn) + begin, total),
            )
            begin += len(piece)
            if progress is not None:
                progress(len(piece))
        run.ended = updates == 0
        return UpdateCounts(len(turn), updates)

    def _in_pieces(self, turn: Int64) -> list[Int64]:
        """Cut sentences into pieces of about `AT_ONCE` words."""
        words = np.cumsum(np.diff(self._words.offsets)[turn])
        cuts = np.searchsorted(words, np.arange(AT_ONCE, int(words[-1]), AT_ONCE))
        return [np.ascontiguousarray(piece) for piece in np.split(turn, cuts) if len(piece)]


class _Run:
    """The weights of one run, and what it learns from."""

    def __init__(self, rows: Int64, weights: int, sentences: int) -> None:
        self.rows = rows
        self.weights = np.zeros(weights, np.float32)
        self.average = np.zeros(weights, np.float32)
        self.delta = np.zeros(weights, np.int16)
        self.wrong = np.full(sentences, -1, np.int32)
        self.ended = False
