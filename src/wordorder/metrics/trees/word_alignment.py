"""Words of two treebanks of one text, aligned by the characters that they span."""

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
    """The characters of a treebank, and which of them each token, sentence and word spans.

    Attributes
    ----------
    name : str
        Display name used in messages.
    treebank : Treebank
    characters : str
        All tokens one after the other, without spaces.
    tokens, sentences, words : int64[., 2]
        The first character of each, and the one after its last. A word of a multiword token spans
        the whole token; sentences without words are left out.
    in_multiword : bool[N]
        Whether each word belongs to a multiword token.
    forms : list of str
        The words as they are compared inside multiword tokens.
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
        """Find the characters of all words; spaces inside a word do not count.

        Raises
        ------
        InputError
            If a token has nothing but spaces.
        """
        forms = treebank.form.map(_without_spaces).strings()
        written = list(forms)
        token_of_word = np.arange(treebank.words)
        for margin, start in zip(treebank.margins, treebank.offsets.tolist(), strict=False):
            for words_before, line in margin.extras:
                identifier, form, _ = line.split("\t", 2)
                _, dash, last = identifier.partition("-")
                if dash:
                    words = slice(start + words_before, start + int(last))
                    forms[words] = treebank.form[words].strings()
                    written[words] = [_without_spaces(form), *[""] * (int(last) - words_before - 1)]
                    token_of_word[words] = words.start
        is_token = token_of_word == np.arange(treebank.words)
        edges = row_offsets(np.fromiter(map(len, written), np.int64, len(written)))
        spans = np.stack([edges[:-1], edges[1:]], axis=1)
        blank = np.flatnonzero(is_token & (spans[:, 0] == spans[:, 1]))
        if len(blank):
            file_position = f"{name}: {treebank.place(int(blank[0]))}"
            raise InputError(
                file_position, "a word of spaces alone", "at least one other character"
            )
        bounds = edges[treebank.offsets]
        sentences = np.stack([bounds[:-1], bounds[1:]], axis=1)[treebank.lengths > 0]
        in_multiword = (np.bincount(token_of_word, minlength=len(written)) > 1)[token_of_word]
        words_spans = spans[token_of_word]
        text = "".join(written)
        return cls(
            name, treebank, text, spans[is_token], sentences, words_spans, in_multiword, forms
        )

    def place(self, character: int) -> str:
        """Return what messages call the sentence of a character."""
        ends = row_offsets(np.diff(self.sentences).reshape(-1))[1:]
        row = min(int(np.searchsorted(ends, character, side="right")), len(ends) - 1)
        with_words = np.flatnonzero(self.treebank.lengths > 0)
        return (
            sentence(self.name, self.treebank, int(with_words[row]), 0) if row >= 0 else self.name
        )


def align_words(system: SpannedWords, gold: SpannedWords) -> Int64:
    """Return the gold word of each word of the system, int64[N], or `NOT_ALIGNED`.

    Words are aligned if they span the same characters. Where a multiword token is, all words of
    the shortest stretch that cuts no multiword token of either side are aligned by a longest common
    subsequence of their forms, letter case aside (Zeman et al. 2018, section 4).

    Raises
    ------
    InputError
        If the two have other characters; the message names the first sentence that differs.

    Notes
    -----
    Linear in the words, and quadratic in those of a stretch with multiword tokens.
    """
    _check_same_characters(system, gold)
    sides = _Walk.of(system), _Walk.of(gold)
    system_side, gold_side = sides
    gold_words = np.full(len(system.words), NOT_ALIGNED, np.int64)
    while system_side.index < system_side.count and gold_side.index < gold_side.count:
        if system_side.is_multiword() or gold_side.is_multiword():
            first, gold_first = _pass_multiword_stretch(system_side, gold_side)
            ours_forms, gold_forms = (
                [form.lower() for form in side.forms[begin : walk.index]]
                for side, begin, walk in (
                    (system, first, system_side),
                    (gold, gold_first, gold_side),
                )
            )
            for word, gold_word in _common_subsequence(ours_forms, gold_forms):
                gold_words[first + word] = gold_first + gold_word
            continue
        if system_side.span() == gold_side.span():
            gold_words[system_side.index] = gold_side.index
            system_side.index += 1
            gold_side.index += 1
        elif gold_side.start() <= system_side.start():
            gold_side.index += 1
        else:
            system_side.index += 1
    return gold_words


@dataclass
class _Walk:
    """A walk through the words of one side.

    Attributes
    ----------
    spans : list of [int, int]
    in_multiword : list of bool
    count : int
        How many words there are.
    index : int
        The next word.
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
        """Whether the next word is not completely before the character `end`."""
        if self.index == self.count:
            return True
        start, stop = self.span()
        return start >= end if self.is_multiword() else stop > end

    def pass_word(self, end: int) -> int:
        """Move to the next word; return `end`, or the later end of its multiword token."""
        passed = self.index
        self.index += 1
        return max(end, self.spans[passed][1]) if self.in_multiword[passed] else end


def _pass_multiword_stretch(system: _Walk, gold: _Walk) -> tuple[int, int]:
    """Move both sides past the multiword tokens at hand; return the first words of the stretch.

    The stretch grows until it cuts no multiword token. A word that begins before it is left out.
    """
    inside, outside = (gold, system) if gold.is_multiword() else (system, gold)
    start, end = inside.span()
    if not outside.is_multiword() and outside.start() < start:
        outside.index += 1
    first = system.index, gold.index
    while not (system.is_past(end) and gold.is_past(end)):
        if system.index == system.count:
            end = gold.pass_word(end)
        elif gold.index == gold.count or system.start() < gold.start():
            end = system.pass_word(end)
        else:
            end = gold.pass_word(end)
    return first


def _common_subsequence(system: list[str], gold: list[str]) -> list[tuple[int, int]]:
    """Return the pairs of a longest common subsequence; of several, that of the first words.

    Examples
    --------
    >>> _common_subsequence(["a", "b", "c"], ["b", "x", "c"])
    [(1, 0), (2, 2)]
    """
    numbers: dict[str, int] = {}
    rows = [[numbers.setdefault(form, len(numbers)) for form in side] for side in (system, gold)]
    equal = np.array(rows[1])[:, None] == np.array(rows[0])
    # lengths[g, s]: of the longest one from gold word g and word s on.
    lengths: Int32 = np.zeros((len(gold) + 1, len(system) + 1), np.int32)
    for g in range(len(gold) - 1, -1, -1):
        longer = np.maximum(lengths[g + 1, :-1], equal[g] * (lengths[g + 1, 1:] + 1))
        lengths[g, :-1] = np.maximum.accumulate(longer[::-1])[::-1]
    pairs = []
    s = g = 0
    while s < len(system) and g < len(gold):
        if equal[g, s]:
            pairs.append((s, g))
            s, g = s + 1, g + 1
        elif lengths[g, s] == lengths[g + 1, s]:
            g += 1
        else:
            s += 1
    return pairs


def _check_same_characters(system: SpannedWords, gold: SpannedWords) -> None:
    """Refuse treebanks of two texts."""
    system_text, gold_text = system.characters, gold.characters
    if system_text == gold_text:
        return
    both = zip(system_text, gold_text, strict=False)
    shorter = min(len(system_text), len(gold_text))
    index = next(
        (
            n
            for n, (system_character, gold_character) in enumerate(both)
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
