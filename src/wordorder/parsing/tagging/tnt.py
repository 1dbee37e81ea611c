"""TnT: a trigram hidden Markov tagger (Brants 2000), and tags of a treebank by its own folds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64, concat_ranges, row_offsets, row_positions
from wordorder.errors import ModelError, UsageError, choose
from wordorder.kernels import tagging as kernel
from wordorder.kernels._run import call
from wordorder.parsing.base import Tagger
from wordorder.parsing.random_order import shuffled
from wordorder.parsing.tagging import tnt_counts
from wordorder.parsing.tagging.tag_set import Choices, TagSet
from wordorder.treebank.treebank import Column, Treebank

KNOWN_WORDS = ("seen", "open")

# Sequences that are less likely than the best by this factor are dropped.
BEAM = 1000.0

# Beyond all differences of scores.
NO_BEAM = 1 << 60

# Two tables of this number of tags squared are small enough.
MOST_TAGS = 4096

# Words times tags that are looked at at a time.
PIECE = 1 << 20

# Nodes and arcs that there is room for at first.
ROOM = 1 << 18

# What the suffix of a known word weighs beside its own tags, if these are not all: one occurrence.
OPEN_COUNT = 1.0


class TnT(tnt_counts.SequenceTagger):
    """Tags words by the most likely sequence under a trigram hidden Markov model.

    Parameters
    ----------
    tag_set : TagSet
    counts : TnTCounts
    known_words : {"seen", "open"}
        Whether a word that occurs in training may only have the tags that it has there, as in
        Brants (2000), or any: then ``P(t|w) = (c(w, t) + P_suffix(t|w)) / (c(w) + 1)``.
    beam : float or None
        Tag pairs less likely than the best by this factor are dropped; None keeps all of them.
    lowercase : bool
        Put words in lower case, in training and in tagging.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["He", "runs"]], xpos=[["P", "V"], ["P", "V"]])
    >>> tagger = TnT.train(bank)
    >>> tagger.tag(Treebank.from_words([["He", "rains"]])).xpos.strings()
    ['P', 'V']
    """

    kind: ClassVar[str] = "tnt"
    unit = tnt_counts.LOG_UNIT

    def __init__(
        self,
        tag_set: TagSet,
        counts: tnt_counts.TnTCounts,
        *,
        known_words: str = "seen",
        beam: float | None = BEAM,
        lowercase: bool = False,
    ) -> None:
        self.known_words = choose("known_words", known_words, KNOWN_WORDS)
        number = isinstance(beam, (int, float)) and not isinstance(beam, bool)
        if beam is not None and (not number or not 1 <= beam < math.inf):
            raise UsageError(f"the beam of TnT is a factor of at least 1, or None, not {beam!r}")
        if len(tag_set) > MOST_TAGS:
            raise UsageError(f"{len(tag_set)} tags; TnT takes at most {MOST_TAGS}")
        self.tag_set = tag_set
        self.counts = counts
        self.beam = beam
        self.lowercase = lowercase

    @classmethod
    def train(
        cls,
        treebank: Treebank,
        *,
        tags: str = "both",
        known_words: str = "seen",
        beam: float | None = BEAM,
        lowercase: bool = False,
    ) -> TnT:
        """Count in tagged sentences.

        Parameters
        ----------
        treebank : Treebank
        tags : {"both", "upos", "xpos"}
            Which columns it will fill; with both, each pair that occurs is a tag.
        known_words, beam, lowercase
            As for `TnT`.

        Raises
        ------
        InputError
            If there are no words, or words without a tag.
        UsageError
            If an option has no such value, or if there are more than 4096 tags.
        """
        tag_set, gold = TagSet.learn(treebank, tags)
        form = treebank.form.map(str.lower) if lowercase else treebank.form
        counts = tnt_counts.TnTCounts.of(treebank.offsets, form, gold, len(tag_set))
        return cls(tag_set, counts, known_words=known_words, beam=beam, lowercase=lowercase)

    @cached_property
    def transitions(self) -> tnt_counts.Transitions:
        """Scores of tags after two others, and the weights of the interpolation."""
        return tnt_counts.Transitions.of(self.counts)

    @cached_property
    def _emissions(self) -> Emissions:
        """Scores of words given tags."""
        return Emissions(self.counts, self.known_words)

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""
        return self.counts.words

    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time."""
        # The tables are made before threads ask for them.
        _ = self.transitions, self._emissions
        return max(1, PIECE // len(self.tag_set))

    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> tnt_counts.Found:
        """Return up to `k` tag sequences of some sentences, of the tags that words may have."""
        used, words = np.unique(form.codes, return_inverse=True)
        spelled = [form.vocabulary.words[code] for code in used.tolist()]
        if self.lowercase:
            spelled = [word.lower() for word in spelled]
        emissions = self._emissions.of(spelled)
        if choices is not None:
            kind, allowed = choices
            pairs, words = np.unique(words * len(allowed) + kind, return_inverse=True)
            words = words.reshape(-1)
            emissions = restricted(emissions, *np.divmod(pairs, len(allowed)), allowed)
        beam = NO_BEAM if self.beam is None else round(math.log(self.beam) * tnt_counts.LOG_UNIT)
        table = call(kernel.TagTransitions, len(self.tag_set), *self.transitions.arrays)
        inputs = (table, offsets, words.astype(np.int32), *emissions)
        parts: list[tnt_counts.Found] = []
        done, room, last = 0, ROOM, len(offsets) - 1
        while done < last:
            positions = int(offsets[-1] - offsets[done]) + last - done
            lattice = tnt_counts.Lattice.room(positions, room, room)
            reached = call(kernel.tag_lattice, *inputs, beam, *lattice.arrays, done, last)
            if reached > done:
                parts.append(lattice.best(offsets, done, reached, k))
            else:
                room *= 2
            done = reached
        tags, counts, scores = map(np.concatenate, zip(*parts, strict=True))
        return tags, counts, scores

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the model, and its arrays by name."""
        about = {
            **self.tag_set.about(),
            "known_words": self.known_words,
            "beam": self.beam,
            "lowercase": self.lowercase,
        }
        return about, self.counts.arrays()

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> TnT:
        """Rebuild the tagger from its saved state; ModelError if it is inconsistent."""
        tag_set = TagSet.from_about(about)
        if type(about.get("lowercase")) is not bool:
            raise ModelError("lowercase: not true or false")
        options = {name: about.get(name) for name in ("known_words", "beam", "lowercase")}
        counts = tnt_counts.TnTCounts.from_arrays(len(tag_set), arrays)
        try:
            return cls(tag_set, counts, **options)  # type: ignore[arg-type]
        except UsageError as error:
            raise ModelError(str(error)) from None


class Emissions:
    """Scores of words given tags.

    Parameters
    ----------
    counts : TnTCounts
    known_words : {"seen", "open"}
        Whether a known word may only have the tags that it was seen with.
    """

    def __init__(self, counts: tnt_counts.TnTCounts, known_words: str) -> None:
        self._counts = counts
        self._open = known_words == "open"
        self._number = {word: number for number, word in enumerate(counts.words)}
        self._suffixes = tnt_counts.SuffixModel(counts)

    def of(self, words: Sequence[str]) -> tuple[Int64, Int32, Int32]:
        """Return the tags that each word may have, and their scores.

        Returns
        -------
        start : int64[W+1]
            The tags of word ``w`` are ``start[w] .. start[w+1]-1`` of the next two.
        tag : int32 array
        score : int32 array
            The logarithm of ``P(w|t)``, for unknown words that of ``P(t|w) / P(t)``, which
            differs from it by a number that depends on the word alone.
        """
        counts = self._counts
        totals = counts.tag_counts()[:-1]
        number = np.array([self._number.get(word, -1) for word in words], np.int64)
        known_words = np.flatnonzero(number >= 0)
        begins = counts.word_start[number[known_words]]
        sizes = counts.word_start[number[known_words] + 1] - begins
        row = np.repeat(known_words, sizes)
        place = concat_ranges(begins, sizes)
        tag, count = counts.word_tag[place], counts.word_count[place]
        if self._open:
            guessed = np.arange(len(words))
            share = self._suffixes.probabilities(words)
            frequency = np.bincount(row, count, len(words))[known_words, None]
            share[row, tag] += count / OPEN_COUNT
            # P(t|w) P(w) / P(t), where P(w) is c(w) / N.
            share[known_words] *= frequency / (frequency / OPEN_COUNT + 1) / totals.sum()
            row, tag, count = row[:0], tag[:0], count[:0]
        else:
            guessed = np.flatnonzero(number < 0)
            share = self._suffixes.probabilities([words[place] for place in guessed.tolist()])
        share *= totals.sum() / totals
        guess, guess_tag = np.nonzero(share > 0)
        rows = np.concatenate([row, guessed[guess]])
        tags = np.concatenate([tag, guess_tag.astype(np.int32)])
        chances = np.concatenate([count / totals[tag], share[guess, guess_tag]])
        order = np.lexsort((tags, rows))
        start = np.append(0, np.cumsum(np.bincount(rows, minlength=len(words))))
        return start, tags[order], tnt_counts.log_scores(chances[order])


def restricted(
    emissions: tuple[Int64, Int32, Int32], word: Int64, kind: Int64, allowed: Bool
) -> tuple[Int64, Int32, Int32]:
    """Return the emissions of words that may only have some tags.

    Parameters
    ----------
    emissions : (start, tag, score)
        As `Emissions.of` returns them.
    word, kind : int64[W]
        Which of their words each word is, and its kind.
    allowed : bool[K, T]
        The tags that each kind may have. A word that gives none of them gives all of them alike.

    Examples
    --------
    >>> one = np.array([0, 2]), np.array([0, 1], np.int32), np.array([-5, -7], np.int32)
    >>> allowed = np.array([[False, True, False], [False, False, True]])
    >>> restricted(one, np.array([0, 0]), np.array([0, 1]), allowed)[1:]
    (array([1, 2], dtype=int32), array([-7,  0], dtype=int32))
    """
    start, tag, score = emissions
    entries, ends = row_positions(start, word)
    row = np.repeat(np.arange(len(word)), np.diff(ends))
    fits = allowed[kind[row], tag[entries]]
    row, entries = row[fits], entries[fits]
    # Words that fit none: all tags that they may have, which say nothing.
    without = np.flatnonzero(np.bincount(row, minlength=len(word)) == 0)
    further_rows, any_tag = np.nonzero(allowed[kind[without]])
    rows = np.concatenate([row, without[further_rows]])
    order = np.argsort(rows, kind="stable")
    tags = np.concatenate([tag[entries], any_tag.astype(np.int32)])[order]
    scores = np.concatenate([score[entries], np.zeros(len(further_rows), np.int32)])[order]
    return row_offsets(np.bincount(rows, minlength=len(word))), tags, scores


def jackknife(
    treebank: Treebank,
    train: Callable[[Treebank], Tagger],
    *,
    folds: int = 10,
    seed: int = 1,
    groups: Int64 | None = None,
) -> Treebank:
    """Tag each part of a treebank by a tagger that is trained on the other parts.

    A parser that is trained on such tags has seen the mistakes that it will meet.

    Parameters
    ----------
    treebank : Treebank
    train : callable
        Trains a tagger.
    folds : int, at least 2
        Number of random parts of the sentences; at most one per sentence.
    seed : int
    groups : int64[S], optional
        The number of each sentence's group, counted from 0; a group is never cut apart.

    Returns
    -------
    Treebank
        The same sentences in the same order, with predicted tags.

    Raises
    ------
    UsageError
        If there are fewer than two folds or sentences.

    Examples
    --------
    >>> class First:
    ...     def __init__(self, seen):
    ...         self.tag_seen = seen.xpos.strings()[0]
    ...     def tag(self, sentences):
    ...         return sentences.replace(xpos=sentences.xpos.map(lambda _: self.tag_seen))
    >>> bank = Treebank.from_words([["a"], ["b"]], xpos=[["A"], ["B"]])
    >>> jackknife(bank, First).xpos.strings()
    ['B', 'A']
    """
    if type(folds) is not int or folds < 2:
        raise UsageError(f"jackknifing takes at least 2 folds, not {folds!r}")
    groups = np.arange(len(treebank)) if groups is None else groups
    number = int(groups.max(initial=-1)) + 1
    if number < 2:
        raise UsageError(f"jackknifing takes at least 2 sentences, not {number}")
    chosen = np.array_split(shuffled(number, seed), min(folds, number))
    parts = [np.flatnonzero(np.isin(groups, part)) for part in chosen]
    tagged = []
    for part in parts:
        training_rows = np.setdiff1d(np.arange(len(treebank)), part)
        tagged.append(train(treebank.take(training_rows)).tag(treebank.take(part)))
    back = np.argsort(np.concatenate(parts))
    return Treebank.concatenate(tagged).take(back)
