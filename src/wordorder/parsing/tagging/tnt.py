"""TnT: a trigram hidden Markov tagger (Brants 2000); jackknifed tags of a treebank."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64, concat_ranges, row_offsets, value_indices
from wordorder.errors import ModelError, UsageError, choose
from wordorder.kernels import tagging as kernel
from wordorder.kernels._run import call
from wordorder.parsing.base import Tagger
from wordorder.parsing.random_order import shuffled
from wordorder.parsing.tagging import tnt_counts
from wordorder.parsing.tagging.tag_set import Choices, TagSet
from wordorder.treebank.treebank import Column, Treebank

# Values of the option `known_words`.
KNOWN_WORDS = ("seen", "open")

# Tag pairs that are less likely than the best by this factor are dropped.
DEFAULT_BEAM_FACTOR = 1000.0

# Larger than any difference of scores.
NO_BEAM = 1 << 60

# Two tables with this number of tags squared fit into memory.
MAX_TAGS = 4096

# Words times tags that are processed at a time.
MAX_EMISSIONS = 1 << 20

# Initial number of nodes and of arcs of a lattice.
INITIAL_NODES = 1 << 18

# With ``known_words="open"``, the suffix of a known word counts as this number of occurrences.
OPEN_COUNT = 1.0


class TnT(tnt_counts.SequenceTagger):
    """Tags words by the most likely sequence under a trigram hidden Markov model.

    Parameters
    ----------
    tag_set : TagSet
    counts : TnTCounts
    known_words : {"seen", "open"}
        "seen": a known word may only have the tags it has in training, as in Brants (2000).
        "open": it may have any tag, with ``P(t|w) = (c(w, t) + P_suffix(t|w)) / (c(w) + 1)``.
    beam : float or None
        Tag pairs less likely than the best by this factor are dropped; None keeps all of them.
    lowercase : bool
        Lowercase words, in training and in tagging.

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
        beam: float | None = DEFAULT_BEAM_FACTOR,
        lowercase: bool = False,
    ) -> None:
        self.known_words = choose("known_words", known_words, KNOWN_WORDS)
        is_number = isinstance(beam, (int, float)) and not isinstance(beam, bool)
        if beam is not None and (not is_number or not 1 <= beam < math.inf):
            raise UsageError(f"the beam of TnT is a factor of at least 1, or None, not {beam!r}")
        if len(tag_set) > MAX_TAGS:
            raise UsageError(f"{len(tag_set)} tags; TnT takes at most {MAX_TAGS}")
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
        beam: float | None = DEFAULT_BEAM_FACTOR,
        lowercase: bool = False,
    ) -> TnT:
        """Return a tagger with the counts of tagged sentences.

        Parameters
        ----------
        treebank : Treebank
        tags : {"both", "upos", "xpos"}
            The columns that the tagger fills; with both, each pair that occurs is a tag.
        known_words, beam, lowercase
            As for `TnT`.

        Raises
        ------
        InputError
            If there are no words, or words without a tag.
        UsageError
            If an option has an invalid value, or there are more than 4096 tags.
        """
        tag_set, gold = TagSet.learn(treebank, tags)
        form = treebank.form.map(str.lower) if lowercase else treebank.form
        counts = tnt_counts.TnTCounts.of(treebank.offsets, form, gold, len(tag_set))
        return cls(tag_set, counts, known_words=known_words, beam=beam, lowercase=lowercase)

    @cached_property
    def transitions(self) -> tnt_counts.Transitions:
        """The scores of tags after two others."""
        return tnt_counts.Transitions.of(self.counts)

    @cached_property
    def _emissions(self) -> Emissions:
        """The scores of words given tags."""
        return Emissions(self.counts, self.known_words)

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""
        return self.counts.words

    def piece(self, *, lists: bool) -> int:
        """Return the number of words tagged at a time."""
        # Threads share these tables, so they are built first.
        _ = self.transitions, self._emissions
        return max(1, MAX_EMISSIONS // len(self.tag_set))

    def find_sequences(
        self, form: Column, offsets: Int64, k: int, choices: Choices | None, *, lists: bool
    ) -> tnt_counts.TagSequences:
        """Return up to `k` tag sequences of each sentence, from the tags its words may have."""
        distinct, words = np.unique(form.codes, return_inverse=True)
        forms = [form.vocabulary.words[code] for code in distinct.tolist()]
        if self.lowercase:
            forms = [word.lower() for word in forms]
        emissions = self._emissions.of(forms)
        if choices is not None:
            kind, allowed = choices
            pairs, words = np.unique(words * len(allowed) + kind, return_inverse=True)
            words = words.reshape(-1)
            emissions = restrict_emissions(emissions, *np.divmod(pairs, len(allowed)), allowed)
        beam = NO_BEAM if self.beam is None else round(math.log(self.beam) * tnt_counts.LOG_UNIT)
        table = call(kernel.TagTransitions, len(self.tag_set), *self.transitions.arrays)
        inputs = (table, offsets, words.astype(np.int32), *emissions)
        parts: list[tnt_counts.TagSequences] = []
        done, node_capacity, last = 0, INITIAL_NODES, len(offsets) - 1
        while done < last:
            positions = int(offsets[-1] - offsets[done]) + last - done
            lattice = tnt_counts.Lattice.room(positions, node_capacity, node_capacity)
            end = call(kernel.tag_lattice, *inputs, beam, *lattice.arrays, done, last)
            if end > done:
                parts.append(lattice.best(offsets, done, end, k))
            else:
                node_capacity *= 2
            done = end
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
    """The scores of words given tags.

    Parameters
    ----------
    counts : TnTCounts
    known_words : {"seen", "open"}
        See `TnT`.
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
            The tags of word ``w`` are the entries ``start[w] .. start[w+1]-1`` of `tag`.
        tag : int32 array
        score : int32 array
            The logarithm of ``P(w|t)``; for unknown words that of ``P(t|w) / P(t)``, which
            differs from it by a constant of the word.
        """
        counts = self._counts
        totals = counts.tag_counts()[:-1]
        word_numbers = np.array([self._number.get(word, -1) for word in words], np.int64)
        known_words = np.flatnonzero(word_numbers >= 0)
        starts = counts.word_start[word_numbers[known_words]]
        sizes = counts.word_start[word_numbers[known_words] + 1] - starts
        row = np.repeat(known_words, sizes)
        entries = concat_ranges(starts, sizes)
        tag, count = counts.word_tag[entries], counts.word_count[entries]
        if self._open:
            guessed_words = np.arange(len(words))
            share = self._suffixes.probabilities(words)
            frequency = np.bincount(row, count, len(words))[known_words, None]
            share[row, tag] += count / OPEN_COUNT
            # P(t|w) P(w) / P(t), where P(w) is c(w) / N.
            share[known_words] *= frequency / (frequency / OPEN_COUNT + 1) / totals.sum()
            row, tag, count = row[:0], tag[:0], count[:0]
        else:
            guessed_words = np.flatnonzero(word_numbers < 0)
            share = self._suffixes.probabilities([words[place] for place in guessed_words.tolist()])
        share *= totals.sum() / totals
        guess_row, guess_tag = np.nonzero(share > 0)
        rows = np.concatenate([row, guessed_words[guess_row]])
        tags = np.concatenate([tag, guess_tag.astype(np.int32)])
        chances = np.concatenate([count / totals[tag], share[guess_row, guess_tag]])
        order = np.lexsort((tags, rows))
        start = np.append(0, np.cumsum(np.bincount(rows, minlength=len(words))))
        return start, tags[order], tnt_counts.log_scores(chances[order])


def restrict_emissions(
    emissions: tuple[Int64, Int32, Int32], word: Int64, kind: Int64, allowed: Bool
) -> tuple[Int64, Int32, Int32]:
    """Return the emissions of words, restricted to the tags that they may have.

    Parameters
    ----------
    emissions : (start, tag, score)
        See `Emissions.of`.
    word, kind : int64[W]
        The index of each word in `emissions`, and the index of its choice set.
    allowed : bool[K, T]
        The tags of each choice set. A word that emits none of them gets score 0 for each of them.

    Examples
    --------
    >>> one = np.array([0, 2]), np.array([0, 1], np.int32), np.array([-5, -7], np.int32)
    >>> allowed = np.array([[False, True, False], [False, False, True]])
    >>> restrict_emissions(one, np.array([0, 0]), np.array([0, 1]), allowed)[1:]
    (array([1, 2], dtype=int32), array([-7,  0], dtype=int32))
    """
    start, tag, score = emissions
    entries, ends = value_indices(start, word)
    row = np.repeat(np.arange(len(word)), np.diff(ends))
    is_allowed = allowed[kind[row], tag[entries]]
    row, entries = row[is_allowed], entries[is_allowed]
    # Words without an allowed tag get all tags of their choice set, with equal scores.
    unmatched = np.flatnonzero(np.bincount(row, minlength=len(word)) == 0)
    further_rows, any_tag = np.nonzero(allowed[kind[unmatched]])
    rows = np.concatenate([row, unmatched[further_rows]])
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
    """Tag each part of a treebank with a tagger that is trained on the other parts.

    A parser that learns from such tags has seen errors like those of predicted tags.

    Parameters
    ----------
    treebank : Treebank
    train : callable
        Takes sentences and returns a tagger trained on them.
    folds : int, at least 2
        The number of random parts of the sentences; at most one per sentence.
    seed : int
    groups : int64[S], optional
        The index of each sentence's group, from 0; the sentences of a group stay together.

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
    group_count = int(groups.max(initial=-1)) + 1
    if group_count < 2:
        raise UsageError(f"jackknifing takes at least 2 sentences, not {group_count}")
    group_parts = np.array_split(shuffled(group_count, seed), min(folds, group_count))
    parts = [np.flatnonzero(np.isin(groups, part)) for part in group_parts]
    tagged = []
    for part in parts:
        training_rows = np.setdiff1d(np.arange(len(treebank)), part)
        tagged.append(train(treebank.take(training_rows)).tag(treebank.take(part)))
    original_order = np.argsort(np.concatenate(parts))
    return Treebank.concatenate(tagged).take(original_order)
