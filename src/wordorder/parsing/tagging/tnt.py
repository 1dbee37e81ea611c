"""TnT: a trigram hidden Markov tagger with suffixes for unknown words (Brants 2000)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.kernels import tnt as kernel
from wordorder.kernels._run import call
from wordorder.parsing.tagging.emissions import Emissions, restricted
from wordorder.parsing.tagging.lattice import Found, Lattice, list_tags, tag_sentences
from wordorder.parsing.tagging.tag_set import Choices, TagSet
from wordorder.parsing.tagging.tnt_counts import TnTCounts
from wordorder.parsing.tagging.transitions import LOG_UNIT, Transitions
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array

KNOWN_WORDS = ("seen", "open")
# Sequences that are less likely than the best by this factor are dropped.
BEAM = 1000.0
# Beyond all differences of scores.
NO_BEAM = 1 << 60
# Two tables of so many tags squared are small enough.
MOST_TAGS = 4096
# Words times tags that are looked at at a time.
PIECE = 1 << 20
# Nodes and arcs that there is room for at first.
ROOM = 1 << 18


class TnT:
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

    def __init__(
        self,
        tag_set: TagSet,
        counts: TnTCounts,
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
        counts = TnTCounts.of(treebank.offsets, form, gold, len(tag_set))
        return cls(tag_set, counts, known_words=known_words, beam=beam, lowercase=lowercase)

    @cached_property
    def transitions(self) -> Transitions:
        """Scores of tags after two others, and the weights of the interpolation."""
        return Transitions.of(self.counts)

    @cached_property
    def _emissions(self) -> Emissions:
        """Scores of words given tags."""
        return Emissions(self.counts, self.known_words)

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags.

        Parameters
        ----------
        sentences : Treebank
            Only the forms are looked at.
        """
        self._prepare()
        words = max(1, PIECE // len(self.tag_set))
        return tag_sentences(
            sentences, self.tag_set, lambda rows, k: self._found(sentences, rows, k), words
        )

    def complete(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags that agree with those that they have.

        Parameters
        ----------
        sentences : Treebank
            As `PerceptronTagger.complete` takes them.
        """
        self._prepare()
        choices = self.tag_set.choices(sentences)
        return tag_sentences(
            sentences,
            self.tag_set,
            lambda rows, k: self._found(sentences, rows, k, choices),
            max(1, PIECE // len(self.tag_set)),
        )

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""
        return self.counts.words

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences of each sentence, best first.

        Parameters
        ----------
        sentences : Treebank
        k : int, 1 to 4096

        Returns
        -------
        KBest
            Its trees have no heads; a score is the logarithm of the probability of tags and
            words, less a number that depends on the words alone where some are unknown.

        Raises
        ------
        UsageError
            If `k` is not such a number.

        Notes
        -----
        Without a beam the list is exact; with one, among what the beam keeps.
        """
        self._prepare()
        return list_tags(
            sentences,
            self.tag_set,
            lambda rows, k: self._found(sentences, rows, k),
            max(1, PIECE // len(self.tag_set)),
            k,
            LOG_UNIT,
        )

    def _prepare(self) -> None:
        """Make the tables before threads ask for them."""
        _ = self.transitions, self._emissions

    def _found(
        self, sentences: Treebank, rows: slice, k: int, choices: Choices | None = None
    ) -> Found:
        """Tag some sentences."""
        offsets = sentences.offsets[rows.start : rows.stop + 1]
        span = slice(int(offsets[0]), int(offsets[-1]))
        form = sentences.form[span]
        offsets = offsets - offsets[0]
        used, words = np.unique(form.codes, return_inverse=True)
        spelled = [form.vocabulary.words[code] for code in used.tolist()]
        if self.lowercase:
            spelled = [word.lower() for word in spelled]
        emissions = self._emissions.of(spelled)
        if choices is not None:
            kinds = len(choices.allowed)
            pairs, words = np.unique(words * kinds + choices.kind[span], return_inverse=True)
            words = words.reshape(-1)
            emissions = restricted(emissions, *np.divmod(pairs, kinds), choices.allowed)
        beam = NO_BEAM if self.beam is None else round(math.log(self.beam) * LOG_UNIT)
        table = call(kernel.Transitions, len(self.tag_set), *self.transitions.arrays)
        parts: list[Found] = []
        done, room, last = 0, ROOM, len(offsets) - 1
        while done < last:
            positions = int(offsets[-1] - offsets[done]) + last - done
            lattice = Lattice.room(positions, room, room)
            reached = call(
                kernel.tag_lattice,
                table,
                offsets,
                words.astype(np.int32),
                *emissions,
                beam,
                *lattice.arrays,
                done,
                last,
            )
            if reached > done:
                parts.append(lattice.best(offsets, done, reached, k))
            else:
                room *= 2
            done = reached
        tags, counts, scores = (list(column) for column in zip(*parts, strict=True))
        return np.concatenate(tags), np.concatenate(counts), np.concatenate(scores)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        about = {
            **self.tag_set.about(),
            "known_words": self.known_words,
            "beam": self.beam,
            "lowercase": self.lowercase,
        }
        return about, self.counts.arrays()

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> TnT:
        """Make the tagger again; whatever does not fit together raises `ModelError`."""
        tag_set = TagSet.from_about(about)
        if type(about.get("lowercase")) is not bool:
            raise ModelError("lowercase: not true or false")
        options = {name: about.get(name) for name in ("known_words", "beam", "lowercase")}
        counts = TnTCounts.from_arrays(len(tag_set), arrays)
        try:
            return cls(tag_set, counts, **options)  # type: ignore[arg-type]
        except UsageError as error:
            raise ModelError(str(error)) from None
