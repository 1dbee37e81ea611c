"""Tokenizers learned from treebanks: the starts of tokens in raw text, and multiword tokens."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, TypeVar
from zlib import crc32

import numpy as np

from wordorder.arrays import Array, Bool, Int32, Int64, UInt8, row_offsets
from wordorder.errors import ModelError
from wordorder.kernels import call, run_rows, tagging as kernel
from wordorder.parsing.base import RawTokenizer
from wordorder.parsing.model_file import numbers_from_arrays
from wordorder.parsing.random_order import shuffled
from wordorder.text.graphemes import extends, is_regional, starts_of_characters
from wordorder.treebank.treebank import Treebank

# Passes over the treebank, and the margin in training.
CUT_EPOCHS, CUT_MARGIN = 16, 2

# The number of weights of a model, and of one for text without spaces, or with spaces in words.
WEIGHT_SLOTS, MAX_WEIGHT_SLOTS = 1 << 17, 1 << 20

# The largest weight in a file.
MAX_BYTE_WEIGHT = 127

# Character classes, numbers below `CLASSES`.
SPACE_CLASS, CLASSES = 1, 32
CATEGORIES = {
    **dict.fromkeys(("Lu", "Lt"), 2),
    "Ll": 3,
    **dict.fromkeys(("Lo", "Lm"), 4),
    "Nd": 8,
    **dict.fromkeys(("Nl", "No"), 9),
    **dict.fromkeys(("Mn", "Mc", "Me"), 10),
    **dict.fromkeys(("Pd", "Pc"), 11),
    **dict.fromkeys(("Ps", "Pi"), 12),
    **dict.fromkeys(("Pe", "Pf"), 13),
    "Po": 14,
    **dict.fromkeys(("Sm", "Sc", "Sk", "So"), 15),
}

# Scripts that are often mixed: first and last code point, and character class.
SCRIPTS = (
    *((0x3041, 0x309F, 5), (0x30A0, 0x30FF, 6), (0x31F0, 0x31FF, 6), (0xFF66, 0xFF9F, 6)),
    *((0x3400, 0x9FFF, 7), (0xF900, 0xFAFF, 7), (0x20000, 0x3FFFF, 7), (0xAC00, 0xD7A3, 17)),
)

# The character classes of scripts without spaces between words.
UNSPACED_SCRIPTS = (5, 6, 7)

# The minimum share of tokens without a space before them from which a tokenizer can be learned, and
# the minimum number of spaces inside of words between two classes of characters.
MIN_JOINED_SHARE, MIN_INNER_SPACES = 0.002, 5

# The words of a multiword token, or a rule that derives them.
Vote = TypeVar("Vote", tuple[str, ...], tuple[int, str, tuple[str, ...]])

# Passes over possible multiword tokens, and the number of weights of their context.
MULTIWORD_EPOCHS, MULTIWORD_SLOTS = 12, 1 << 14

# An ending of multiword tokens becomes a rule if this number of distinct multiword tokens have it,
# and at least this share of all distinct tokens with the ending; and the maximum length of endings.
ENDING_TYPES, ENDING_SHARE, ENDING_LENGTH = 3, 0.2, 6


def character_class(character: str) -> int:
    """Return the class of a character.

    Examples
    --------
    >>> [character_class(each) for each in "A b語カ9"]
    [2, 1, 3, 7, 6, 8]
    """
    if character.isspace():
        return SPACE_CLASS
    kind = CATEGORIES.get(unicodedata.category(character), 16)
    if kind == 4:
        place = ord(character)
        return next((script for first, last, script in SCRIPTS if first <= place <= last), kind)
    return kind


def _fold(character: str) -> int:
    """Return a code point for a character, the same for all digits and for both cases."""
    if character.isdigit():
        return 48
    plain = unicodedata.normalize("NFKC", character).lower()
    return ord(plain) if len(plain) == 1 else ord(character)


@dataclass(frozen=True)
class Characters:
    """The characters of lines, with one space per run of spaces and none at the ends.

    Attributes
    ----------
    lines : list of str
    chars : int32[C]
        Folded code points of the lines in NFC (unless that is longer), see `_fold`.
    classes : uint8[C]
        See `character_class`.
    inside : bool[C]
        Whether a code point continues a character, so that no word starts with it.
    offsets : int64[S+1]
    """

    lines: list[str]
    chars: Int32
    classes: UInt8
    inside: Bool
    offsets: Int64

    @classmethod
    def of(cls, texts: Sequence[str]) -> Characters:
        """Return the characters of lines."""
        lines = [_normalize_spaces(text) for text in texts]
        composed = list(map(_compose, lines))
        points = np.frombuffer("".join(composed).encode("utf-32-le", "surrogatepass"), np.uint32)
        distinct, inverse = np.unique(points, return_inverse=True)
        characters = list(map(chr, distinct.tolist()))
        folded = np.fromiter(map(_fold, characters), np.int32, len(characters))
        classes = np.fromiter(map(character_class, characters), np.uint8, len(characters))
        offsets = row_offsets(np.fromiter(map(len, composed), np.int64, len(lines)))
        inside = np.zeros(len(points), np.bool_)
        joining_characters = {
            character for character in characters if extends(character) or is_regional(character)
        }
        for start, line in zip(offsets.tolist(), composed, strict=False):
            if not joining_characters.isdisjoint(line):
                inside[start : start + len(line)] = True
                inside[[start + place for place in starts_of_characters(line)[:-1]]] = False
        return cls(lines, folded[inverse], classes[inverse], inside, offsets)


def _compose(text: str) -> str:
    """Return a text with each character in NFC, unless that is longer.

    Examples
    --------
    >>> [len(_compose(text)) for text in ("e\u0301", "e\u0315", "\u095d")]
    [1, 2, 1]
    """
    if unicodedata.is_normalized("NFC", text):
        return text
    letters = [text[start:stop] for start, stop in pairwise(starts_of_characters(text))]
    return "".join(min(unicodedata.normalize("NFC", letter), letter, key=len) for letter in letters)


def _normalize_spaces(text: str) -> str:
    """Return a line with the first space of each run, and none at its ends."""
    parts = text.split()
    joined = " ".join(parts)
    if "\u00a0" not in text and "\u3000" not in text:
        return joined
    # Special spaces are kept, since they can be part of a word.
    line_parts, position = [], 0
    for part in parts:
        position = text.index(part, position) + len(part)
        line_parts.append(part + text[position : position + 1])
    return "".join(line_parts).rstrip()


@dataclass(frozen=True)
class RawSentence:
    """The raw text of a sentence with its tokens.

    Attributes
    ----------
    text : str
    tokens : list of str
    begins : list of int
        The start of each token in the text.
    words : list of tuples of str
        The words of each token: one, or several of a multiword token.
    """

    text: str
    tokens: list[str]
    begins: list[int]
    words: list[tuple[str, ...]]


def raw_sentences(bank: Treebank) -> Iterator[RawSentence]:
    """Yield the raw text and the tokens of the sentences of a treebank.

    The text is that of the comment ``# text``; without it, words are joined according to
    ``SpaceAfter=No`` or, in a script without spaces, directly. Sentences whose text does not
    consist of their words are left out.
    """
    form, misc = bank.form.strings(), bank.columns["misc"].strings()
    unspaced = False
    if not any("SpaceAfter=No" in misc for misc in bank.columns["misc"].vocabulary.words):
        letters = [character_class(letter) for letter in "".join(form[:20000])]
        unspaced = sum(kind in UNSPACED_SCRIPTS for kind in letters) > len(letters) / 2
    for (start, stop), margin in zip(pairwise(bank.offsets.tolist()), bank.margins, strict=True):
        words, is_spaced = form[start:stop], ["SpaceAfter=No" not in m for m in misc[start:stop]]
        tokens, words_of_tokens, has_space, position_done = [], [], [], 0
        for position, line in margin.extras:
            fields = line.split("\t")
            _, dash, last = fields[0].partition("-")
            if not dash or position < position_done:
                continue
            tokens += [*words[position_done:position], fields[1]]
            words_of_tokens += [
                *((word,) for word in words[position_done:position]),
                tuple(words[position : int(last)]),
            ]
            has_space += [*is_spaced[position_done:position], "SpaceAfter=No" not in fields[-1]]
            position_done = int(last)
        tokens += words[position_done:]
        words_of_tokens += [(word,) for word in words[position_done:]]
        has_space += is_spaced[position_done:]
        text = margin.value("text")
        if text is None:
            if unspaced:
                has_space = [not _is_unspaced(*pair) for pair in pairwise([*tokens, ""])]
            pairs = zip(tokens, has_space, strict=True)
            text = "".join(f"{token} " if blank else token for token, blank in pairs)
        text, tokens = _compose(_normalize_spaces(text)), list(map(_compose, tokens))
        token_starts = _token_starts(text, tokens)
        if token_starts is not None:
            yield RawSentence(text, tokens, token_starts, words_of_tokens)


def _token_starts(text: str, tokens: Sequence[str]) -> list[int] | None:
    """Return the starts of tokens in a text with single spaces; None if it has other words."""
    starts, position = [], 0
    for token in tokens:
        position += text[position : position + 1].isspace()
        starts.append(position)
        # Spaces inside of a token may be other characters, but not more or fewer.
        if text[position : position + len(token)].split() != token.split():
            return None
        position += len(token)
    return starts if position == len(text) else None


def _is_unspaced(word: str, following: str) -> bool:
    """True if two words of a script without spaces are written without a space."""
    return not (word[-1:].isascii() and following[:1].isascii() and following[:1].isalnum())


class Tokenizer:
    """Splits raw text into words as in the treebank from which it was learned.

    Parameters
    ----------
    weights : int32 array, a power of two long
        The weights of hashed features.
    blanks : uint8[1024]
        Whether a space may be inside of a word, by the classes of the characters before and after
        it: entry ``32 * before + after``.
    multiwords : Multiwords
        The multiword tokens.
    unspaced : bool
        Whether the language is written without spaces between words.

    Notes
    -----
    The time is linear in the length of a line. Characters are neither changed nor lost: the tokens
    are the line without the spaces between them.

    Examples
    --------
    >>> bank = Treebank.from_words([["Il", "l'", "a", "vu", "."]] * 9, misc=[["_", "SpaceAfter=No",
    ...     "_", "SpaceAfter=No", "_"]] * 9)
    >>> tokenizer = learn_tokenizer(bank, seed=1)
    >>> tokenizer.tokens(["Il l'a vu.", ""])
    [['Il', "l'", 'a', 'vu', '.'], []]
    """

    kind: ClassVar[str] = "character-cuts"

    def __init__(
        self, weights: Int32, *, blanks: UInt8, multiwords: Multiwords, unspaced: bool
    ) -> None:
        self.weights = weights
        self.unspaced = unspaced
        self.blanks = blanks
        self.multiwords = multiwords

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each line, which is one sentence."""
        characters = Characters.of(lines)
        cuts = np.zeros(len(characters.chars), np.uint8)
        arrays = (characters.chars, characters.classes, characters.offsets, cuts)

        def cutter(longest: int) -> tuple[Any]:
            return (call(kernel.Cutter, self.weights, self.blanks, longest),)

        run_rows(kernel.split_rows, characters.offsets, *arrays, scratch=cutter)
        cuts[characters.inside] = 0
        cut_positions = np.flatnonzero(cuts)
        rows = np.searchsorted(cut_positions, characters.offsets).tolist()
        begins = cut_positions.tolist()
        token_rows = []
        for line, start, (first, last) in zip(
            characters.lines, characters.offsets.tolist(), pairwise(rows), strict=False
        ):
            token_starts = [place - start for place in begins[first:last]]
            composed = _compose(line)
            if composed != line:
                starts = dict(zip(*map(starts_of_characters, (composed, line)), strict=True))
                token_starts = [starts[place] for place in token_starts]
            token_rows.append([line[a:b].rstrip() for a, b in pairwise([*token_starts, len(line)])])
        return token_rows

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token of a sentence: one, or several of a multiword token."""
        return self.multiwords.words(tokens)

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the model, and its arrays by name."""
        multiwords_about, arrays = self.multiwords.parts()
        about = {
            "room": len(self.weights),
            "unspaced": self.unspaced,
            "multiwords": multiwords_about,
        }
        return about, {"blanks": self.blanks, **_weights_arrays("", self.weights), **arrays}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Tokenizer:
        """Rebuild the tokenizer from its saved state; ModelError if it is inconsistent."""
        weights = _weights_from_arrays("", arrays, about["room"], MAX_WEIGHT_SLOTS)
        multiwords = Multiwords.from_parts(about["multiwords"], arrays)
        blanks = numbers_from_arrays("blanks", arrays, 1, kind="u1", size=CLASSES**2)
        unspaced = bool(about["unspaced"])
        return cls(weights, blanks=blanks, multiwords=multiwords, unspaced=unspaced)


def _weights_arrays(prefix: str, weights: Int32) -> dict[str, Array]:
    """Return the arrays of a file with the weights that are not 0, and their indices."""
    positions = np.flatnonzero(weights)
    numbers, values = positions.astype(np.int32), weights[positions].astype(np.int8)
    return {f"{prefix}place": numbers, f"{prefix}weight": values}


def _weights_from_arrays(
    prefix: str, arrays: dict[str, Array], slots: Any, max_slots: int
) -> Int32:
    """Return weights as `_weights_arrays` describes them; `slots` is how many there are."""
    if type(slots) is not int or slots.bit_count() != 1 or slots > max_slots:
        raise ModelError(f"room for {slots!r} {prefix}weights")
    positions = numbers_from_arrays(f"{prefix}place", arrays, slots - 1)
    weights = np.zeros(slots, np.int32)
    weights[positions] = numbers_from_arrays(
        f"{prefix}weight",
        arrays,
        MAX_BYTE_WEIGHT,
        min_value=-MAX_BYTE_WEIGHT,
        kind="i1",
        size=len(positions),
    )
    return weights


def learn_tokenizer(bank: Treebank, *, seed: int) -> Tokenizer | None:
    """Learn a tokenizer from sentences and their texts; None if nearly all words have spaces.

    Parameters
    ----------
    bank : Treebank
        Sentences with ``# text`` or ``SpaceAfter=No``, and multiword ranges.
    seed : int
        Determines the order of the sentences in training.

    Notes
    -----
    An averaged structured perceptron with a margin.
    """
    sentences = list(raw_sentences(bank))
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    tokens_with_spaces = sum(
        any(map(str.isspace, token)) for row in sentences for token in row.tokens
    )
    spaces = sum(row.text.count(" ") for row in sentences)
    joined_tokens = tokens - len(sentences) - (spaces - tokens_with_spaces)
    if joined_tokens + tokens_with_spaces < MIN_JOINED_SHARE * tokens or not tokens:
        return None
    unspaced = joined_tokens > tokens / 2
    slots = MAX_WEIGHT_SLOTS if unspaced or tokens_with_spaces > tokens / 100 else WEIGHT_SLOTS
    inner_spaces = _inner_space_classes(sentences)
    return Tokenizer(
        _learn_cuts(sentences, slots, inner_spaces, seed),
        blanks=inner_spaces,
        multiwords=learn_multiwords(sentences, seed),
        unspaced=unspaced,
    )


def _inner_space_classes(sentences: Sequence[RawSentence]) -> UInt8:
    """Return the pairs of character classes between which a word may have a space, uint8[1024]."""
    counts = np.zeros(CLASSES**2, np.int64)
    for sentence in sentences:
        for token in sentence.tokens:
            for position, character in enumerate(token[1:-1], 1):
                if character.isspace():
                    class_before, after = map(
                        character_class, (token[position - 1], token[position + 1])
                    )
                    counts[class_before * CLASSES + after] += 1
    return (counts >= MIN_INNER_SPACES).astype(np.uint8)


def _learn_cuts(sentences: Sequence[RawSentence], slots: int, blanks: UInt8, seed: int) -> Int32:
    """Learn the weights that decide where tokens start."""
    characters = Characters.of([sentence.text for sentence in sentences])
    offsets = characters.offsets
    gold = np.zeros(len(characters.chars), np.uint8)
    for start, sentence in zip(offsets.tolist(), sentences, strict=False):
        gold[[start + place for place in sentence.begins]] = 1
    weights, totals = np.zeros(slots, np.int32), np.zeros(slots, np.int64)
    seen, longest = np.zeros(slots, np.uint8), int(np.diff(offsets).max())
    cutter = call(kernel.Cutter, weights, blanks, longest)
    inputs = (cutter, characters.chars, characters.classes, offsets, gold)
    call(kernel.count_cut_features, *inputs, seen, len(sentences))
    cuts = np.zeros(longest + 1, np.uint8)
    for epoch in range(CUT_EPOCHS):
        order = shuffled(len(sentences), seed, epoch)
        state = (totals, seen, CUT_MARGIN, epoch * len(sentences), cuts)
        call(kernel.learn_cuts, *inputs, order, *state)
    # Integers so far, so that the weights are the same on all machines.
    return quantize_weights(weights.astype(np.int64) * (CUT_EPOCHS * len(sentences)) - totals)


def quantize_weights(weights: Int64) -> Int32:
    """Scale weights to integers from -127 to 127; the few largest are clipped."""
    magnitudes = np.sort(np.abs(weights[weights != 0]))
    if not len(magnitudes):
        return weights.astype(np.int32)
    top = max(int(magnitudes[(len(magnitudes) - 1) * 1999 // 2000]), MAX_BYTE_WEIGHT)
    # Round to the nearest integer, halves upwards.
    return np.clip(
        (2 * weights * MAX_BYTE_WEIGHT + top) // (2 * top), -MAX_BYTE_WEIGHT, MAX_BYTE_WEIGHT
    ).astype(np.int32)


def token_f1(tokenizer: RawTokenizer, bank: Treebank) -> float:
    """Return the F1 of a tokenizer's tokens on the texts of sentences.

    Examples
    --------
    >>> bank = Treebank.from_words([["Il", "l'", "a", "."]] * 9, misc=[["_", "SpaceAfter=No",
    ...     "SpaceAfter=No", "_"]] * 9)
    >>> tokenizer = learn_tokenizer(bank, seed=1)
    >>> token_f1(tokenizer, bank)
    1.0
    """
    sentences = list(raw_sentences(bank))
    correct = total = 0
    token_rows = tokenizer.tokens([sentence.text for sentence in sentences])
    for row, sentence in zip(token_rows, sentences, strict=True):
        spans, gold_spans = _spans(row), _spans(sentence.tokens)
        correct += len(spans & gold_spans)
        total += len(spans) + len(gold_spans)
    return 2 * correct / max(total, 1)


def _spans(tokens: Sequence[str]) -> set[tuple[int, int]]:
    """Return the start and end of each token, not counting spaces."""
    spans, start = set(), 0
    for token in tokens:
        stop = start + len("".join(token.split()))
        spans.add((start, stop))
        start = stop
    return spans


class Multiwords:
    """Splits multiword tokens into words, depending on the words around them.

    Parameters
    ----------
    known : mapping of str to tuple of str
        The words of known multiword tokens, in lower case.
    endings : mapping of str to (int, str, tuple of str)
        Rules by the ending of a token: the number of letters to remove for the first word, what is
        appended instead, and the other words.
    weights : int32 array, a power of two long
        The weights of hashed context features, which decide whether a token is split.
    """

    def __init__(
        self,
        known: dict[str, tuple[str, ...]],
        endings: dict[str, tuple[int, str, tuple[str, ...]]],
        weights: Int32,
    ) -> None:
        self.known = known
        self.endings = endings
        self.weights = weights
        self._longest = max(map(len, endings), default=0)

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token of a sentence."""
        if not self.known and not self.endings:
            return [(token,) for token in tokens]
        word_rows = []
        composed = list(map(_compose, tokens))
        for place, token in enumerate(tokens):
            parts = self.parts_of(composed[place])
            if parts is not None:
                features = _context_features(composed, place)
                mask = len(self.weights) - 1
                if sum(int(self.weights[crc32(feature) & mask]) for feature in features) <= 0:
                    parts = None
            word_rows.append(parts or (token,))
        return word_rows

    def parts_of(self, token: str) -> tuple[str, ...] | None:
        """Return the words that a multiword token may consist of; None for other tokens.

        Examples
        --------
        >>> found = Multiwords({"du": ("de", "le")}, {"ki": (2, "", ("ki",))}, np.ones(1, np.int32))
        >>> found.parts_of("Du"), found.parts_of("DU"), found.parts_of("evdeki")
        (('De', 'le'), ('DE', 'LE'), ('evde', 'ki'))
        """
        lower = token.lower()
        parts = self.known.get(lower)
        if parts is not None:
            if token == lower:
                return parts
            if len(token) > 1 and token.isupper():
                return tuple(map(str.upper, parts))
            return (parts[0][:1].upper() + parts[0][1:], *parts[1:])
        for length in range(min(self._longest, len(token) - 1), 0, -1):
            rule = self.endings.get(lower[-length:])
            if rule is not None:
                lost, instead, further_parts = rule
                first = token[: len(token) - lost] + instead
                return (first, *further_parts) if first else None
        return None

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata, and the arrays by name."""
        about = {
            "room": len(self.weights),
            "known": {token: list(parts) for token, parts in self.known.items()},
            "endings": {end: [lost, new, list(o)] for end, (lost, new, o) in self.endings.items()},
        }
        return about, _weights_arrays("multiword.", self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Multiwords:
        """Rebuild the multiword tokens from their saved state; ModelError if it is inconsistent."""
        known_tokens, endings = about["known"], about["endings"]
        weights = _weights_from_arrays("multiword.", arrays, about["room"], WEIGHT_SLOTS)
        lists = [*known_tokens.values(), *(rule[2] for rule in endings.values())]
        words = [word for parts in lists for word in parts]
        if not all(lists) or not all(isinstance(word, str) and word for word in words):
            raise ModelError("a multiword token without words")
        rules = {}
        for end, (lost, instead, further_parts) in endings.items():
            if type(lost) is not int or lost < 0 or not isinstance(instead, str):
                raise ModelError(f"the words of tokens in {end!r}")
            rules[end] = (lost, instead, tuple(further_parts))
        return cls({token: tuple(parts) for token, parts in known_tokens.items()}, rules, weights)


def learn_multiwords(sentences: Sequence[RawSentence], seed: int) -> Multiwords:
    """Learn which tokens are multiword tokens, and their words.

    A known multiword token has its most frequent words; unknown tokens are split by rules for
    their endings. An averaged perceptron decides by the context whether a token is split.
    """
    seen: dict[str, Counter[tuple[str, ...]]] = {}
    types: set[str] = set()
    for sentence in sentences:
        for token, words in zip(sentence.tokens, sentence.words, strict=True):
            lower = token.lower()
            if len(words) > 1:
                seen.setdefault(lower, Counter())[tuple(word.lower() for word in words)] += 1
            else:
                types.add(lower)
    known_tokens = {token: _most_frequent(votes) for token, votes in sorted(seen.items())}
    multiwords = Multiwords(known_tokens, _ending_rules(known_tokens, types), np.zeros(1, np.int32))
    examples = []
    for sentence in sentences:
        for place, (token, words) in enumerate(zip(sentence.tokens, sentence.words, strict=True)):
            if multiwords.parts_of(token) is not None:
                sign = 1 if len(words) > 1 else -1
                keys = [
                    crc32(feature) % MULTIWORD_SLOTS
                    for feature in _context_features(sentence.tokens, place)
                ]
                examples.append((np.array(keys), sign))
    weights, totals = np.zeros(MULTIWORD_SLOTS, np.int64), np.zeros(MULTIWORD_SLOTS, np.int64)
    examples_seen = 0
    for epoch in range(MULTIWORD_EPOCHS if examples else 0):
        for number in shuffled(len(examples), seed, epoch).tolist():
            keys, sign = examples[number]
            if sign * int(weights[keys].sum()) <= CUT_MARGIN:
                np.add.at(weights, keys, sign)
                np.add.at(totals, keys, sign * examples_seen)
            examples_seen += 1
    return Multiwords(
        known_tokens, multiwords.endings, quantize_weights(weights * examples_seen - totals)
    )


def _most_frequent(votes: Counter[Vote]) -> Vote:
    """Return the most frequent value, the smallest on ties."""
    return min(votes, key=lambda vote: (-votes[vote], vote))


def _ending_rules(
    known: dict[str, tuple[str, ...]], single_words: set[str]
) -> dict[str, tuple[int, str, tuple[str, ...]]]:
    """Return the rules that derive the words of multiword tokens from their endings."""
    votes: dict[str, Counter[tuple[int, str, tuple[str, ...]]]] = {}
    for token, words in known.items():
        prefix = 0
        while prefix < min(len(token), len(words[0])) and token[prefix] == words[0][prefix]:
            prefix += 1
        rule = (len(token) - prefix, words[0][prefix:], words[1:])
        for length in range(max(rule[0], 1), min(len(token) - 1, rule[0] + 2, ENDING_LENGTH) + 1):
            votes.setdefault(token[-length:], Counter())[rule] += 1
    single_word_counts: Counter[str] = Counter()
    for token in sorted(single_words - set(known)):
        for length in range(1, min(len(token) - 1, ENDING_LENGTH) + 1):
            single_word_counts[token[-length:]] += 1
    rules = {}
    for ending, rules_of_ending in sorted(votes.items()):
        rule = _most_frequent(rules_of_ending)
        times, total = rules_of_ending[rule], rules_of_ending.total()
        share = total / (total + single_word_counts[ending])
        if times >= ENDING_TYPES and 2 * times > total and share >= ENDING_SHARE:
            rules[ending] = rule
    return rules


def _context_features(tokens: Sequence[str], place: int) -> list[bytes]:
    """Return the features of a token and its neighbours."""
    token = tokens[place].lower()
    previous = tokens[place - 1].lower() if place else "<"
    after = tokens[place + 1].lower() if place + 1 < len(tokens) else ">"
    earlier = tokens[place - 2].lower() if place > 1 else "<"
    features = (
        *(f"w {token}", f"b {token} {previous}", f"a {token} {after}"),
        *(f"B {token} {previous[-3:]}", f"A {token} {after[-3:]}", f"F {token} {after[:3]}"),
        *(f"v {token} {previous[-2:]}", f"l {token} {after[-2:]}", f"f {token} {after[:2]}"),
        *(f"p {token} {previous} {after}", f"e {token} {earlier} {previous}"),
        *(f"E {earlier[-2:]} {token} {previous[-2:]}", f"c {token} {tokens[place][:1].isupper()}"),
        *(f"s4 {token[-4:]}", f"s3 {token[-3:]}", f"s2 {token[-2:]}", f"n {len(token)}"),
        *(f"q {token[-3:]} {previous[-3:]}", f"r {token[-3:]} {after[-3:]}"),
    )
    return [feature.encode("utf-8", "surrogatepass") for feature in features]
