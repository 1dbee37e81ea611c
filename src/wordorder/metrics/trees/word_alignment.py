"""Align the words of two treebanks of the same text by the characters that they span."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Bool, Int32, Int64, row_offsets
from wordorder.errors import InputError
from wordorder.segments.trees import sentence
from wordorder.treebank.treebank import Treebank

NOT_ALIGNED = -1


@dataclass(frozen=True, eq=False)
class SpannedWords:
    """The characters of a treebank, and the spans of its tokens, sentences and words.

    Attributes
    ----------
    name : str
        Display name used in messages.
    treebank : Treebank
    characters : str
        The concatenated tokens, without spaces.
    tokens, sentences, words : int64[n, 2]
        Start and end of each in `characters`. A word of a multiword token spans the complete token;
        sentences without words are left out.
    in_multiword : bool[N]
        Whether each word belongs to a multiword token.
    forms : list of str
        The forms of the words, which are compared inside multiword tokens.
    """

    name: str
    treebank: Treebank
    characters: str
    tokens: Int64
    sentences: Int64
    words: Int64
    in_multiword: Bool
    forms: list[str]

    @classmethod
    def of(cls, treebank: Treebank, name: str) -> SpannedWords:
        """Find the characters of all words; spaces inside a word are ignored.

        Raises
        ------
        InputError
            If a token consists of spaces.
        """
        forms = treebank.form.map(_without_spaces).strings()
        token_texts = list(forms)
        token_of_word = np.arange(treebank.words)
        for margin, start in zip(treebank.margins, treebank.offsets.tolist(), strict=False):
            for words_before, line in margin.extras:
                identifier, form, _ = line.split("\t", 2)
                _, dash, last = identifier.partition("-")
                if dash:
                    words = slice(start + words_before, start + int(last))
                    forms[words] = treebank.form[words].strings()
                    token_texts[words] = [
                        _without_spaces(form),
                        *[""] * (int(last) - words_before - 1),
                    ]
                    token_of_word[words] = words.start
        is_token = token_of_word == np.arange(treebank.words)
        edges = row_offsets(np.fromiter(map(len, token_texts), np.int64, len(token_texts)))
        spans = np.stack([edges[:-1], edges[1:]], axis=1)
        empty_tokens = np.flatnonzero(is_token & (spans[:, 0] == spans[:, 1]))
        if len(empty_tokens):
            file_position = f"{name}: {treebank.place(int(empty_tokens[0]))}"
            raise InputError(
                file_position, "a word of spaces alone", "at least one other character"
            )
        bounds = edges[treebank.offsets]
        sentences = np.stack([bounds[:-1], bounds[1:]], axis=1)[treebank.lengths > 0]
        in_multiword = (np.bincount(token_of_word, minlength=len(token_texts)) > 1)[token_of_word]
        words_spans = spans[token_of_word]
        text = "".join(token_texts)
        return cls(
            name, treebank, text, spans[is_token], sentences, words_spans, in_multiword, forms
        )

    def place(self, character: int) -> str:
        """Return the location of the sentence with a character, for messages."""
        ends = row_offsets(np.diff(self.sentences).reshape(-1))[1:]
        row = min(int(np.searchsorted(ends, character, side="right")), len(ends) - 1)
        if row < 0:
            return self.name
        nonempty = np.flatnonzero(self.treebank.lengths > 0)
        return sentence(self.name, self.treebank, int(nonempty[row]), 0)


def align_words(system: SpannedWords, gold: SpannedWords) -> Int64:
    """Return the index of the gold word of each system word, or `NOT_ALIGNED`, int64[N].

    Words are aligned if they span the same characters. Around a multiword token, the words of the
    shortest span that does not cut a multiword token of either treebank are aligned by a longest
    common subsequence of their forms, ignoring case (Zeman et al. 2018, section 4).

    Raises
    ------
    InputError
        If the characters differ; the message names the first sentence that differs.

    Notes
    -----
    Time is linear in the number of words, and quadratic in the words of a span with multiword
    tokens.
    """
    _check_same_characters(system, gold)
    walks = _Walk.of(system), _Walk.of(gold)
    system_walk, gold_walk = walks
    gold_words = np.full(len(system.words), NOT_ALIGNED, np.int64)
    while system_walk.index < system_walk.count and gold_walk.index < gold_walk.count:
        if system_walk.is_multiword() or gold_walk.is_multiword():
            first, gold_first = _skip_multiword_tokens(system_walk, gold_walk)
            system_forms, gold_forms = (
                [form.lower() for form in side.forms[start : walk.index]]
                for side, start, walk in (
                    (system, first, system_walk),
                    (gold, gold_first, gold_walk),
                )
            )
            for word, gold_word in _common_subsequence(system_forms, gold_forms):
                gold_words[first + word] = gold_first + gold_word
            continue
        if system_walk.span() == gold_walk.span():
            gold_words[system_walk.index] = gold_walk.index
            system_walk.index += 1
            gold_walk.index += 1
        elif gold_walk.start() <= system_walk.start():
            gold_walk.index += 1
        else:
            system_walk.index += 1
    return gold_words


@dataclass
class _Walk:
    """A walk through the words of one treebank.

    Attributes
    ----------
    spans : list of [int, int]
    in_multiword : list of bool
    count : int
        The number of words.
    index : int
        The index of the current word.
    """

    spans: list[list[int]]
    in_multiword: list[bool]
    count: int
    index: int = 0

    @classmethod
    def of(cls, side: SpannedWords) -> _Walk:
        return cls(side.words.tolist(), side.in_multiword.tolist(), len(side.words))

    def span(self) -> list[int]:
        return self.spans[self.index]

    def start(self) -> int:
        return self.spans[self.index][0]

    def is_multiword(self) -> bool:
        return self.in_multiword[self.index]

    def is_past(self, end: int) -> bool:
        """Return whether the current word is not completely before the character `end`."""
        if self.index == self.count:
            return True
        start, stop = self.span()
        return start >= end if self.is_multiword() else stop > end

    def skip_word(self, end: int) -> int:
        """Move to the next word; return `end`, or the later end of its multiword token."""
        skipped = self.index
        self.index += 1
        return max(end, self.spans[skipped][1]) if self.in_multiword[skipped] else end


def _skip_multiword_tokens(system: _Walk, gold: _Walk) -> tuple[int, int]:
    """Move both walks past the current multiword token; return the first words of the span.

    The span is extended until it does not cut a multiword token. A word that starts before it is
    left out.
    """
    multiword_walk, other_walk = (gold, system) if gold.is_multiword() else (system, gold)
    start, end = multiword_walk.span()
    if not other_walk.is_multiword() and other_walk.start() < start:
        other_walk.index += 1
    first_words = system.index, gold.index
    while not (system.is_past(end) and gold.is_past(end)):
        if system.index == system.count:
            end = gold.skip_word(end)
        elif gold.index == gold.count or system.start() < gold.start():
            end = system.skip_word(end)
        else:
            end = gold.skip_word(end)
    return first_words


def _common_subsequence(system: list[str], gold: list[str]) -> list[tuple[int, int]]:
    """Return the index pairs of a longest common subsequence; the leftmost one on ties.

    Examples
    --------
    >>> _common_subsequence(["a", "b", "c"], ["b", "x", "c"])
    [(1, 0), (2, 2)]
    """
    id_of_form: dict[str, int] = {}
    rows = [
        [id_of_form.setdefault(form, len(id_of_form)) for form in side] for side in (system, gold)
    ]
    is_equal = np.array(rows[1])[:, None] == np.array(rows[0])
    # lengths[g, s]: the length of the longest one from gold word g and system word s on.
    lengths: Int32 = np.zeros((len(gold) + 1, len(system) + 1), np.int32)
    for g in range(len(gold) - 1, -1, -1):
        longer = np.maximum(lengths[g + 1, :-1], is_equal[g] * (lengths[g + 1, 1:] + 1))
        lengths[g, :-1] = np.maximum.accumulate(longer[::-1])[::-1]
    pairs = []
    s = g = 0
    while s < len(system) and g < len(gold):
        if is_equal[g, s]:
            pairs.append((s, g))
            s, g = s + 1, g + 1
        elif lengths[g, s] == lengths[g + 1, s]:
            g += 1
        else:
            s += 1
    return pairs


def _check_same_characters(system: SpannedWords, gold: SpannedWords) -> None:
    """Raise an error if the characters of the treebanks differ."""
    system_text, gold_text = system.characters, gold.characters
    if system_text == gold_text:
        return
    character_pairs = zip(system_text, gold_text, strict=False)
    shorter = min(len(system_text), len(gold_text))
    index = next(
        (
            n
            for n, (system_character, gold_character) in enumerate(character_pairs)
            if system_character != gold_character
        ),
        shorter,
    )
    excerpts = [
        repr(text[index : index + 20]) if text[index:] else "the end"
        for text in (system_text, gold_text)
    ]
    problem = f"{excerpts[0]}, but {excerpts[1]} in {gold.place(index)}"
    raise InputError(system.place(index), problem, "the same characters in both, spaces aside")


def _without_spaces(form: str) -> str:
    """Return a form without its spaces (Unicode category Zs)."""
    return "".join(letter for letter in form if unicodedata.category(letter) != "Zs")
