"""Tokenizers learnt from treebanks: where words begin in raw text, and which are several."""

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

# Passes over the treebank, and how many mistakes a wrong cut counts as while it learns.
EPOCHS, MARGIN = 16, 2

# Weights in a model: more where words follow each other without blanks, or have blanks inside.
ROOM, MUCH_ROOM = 1 << 17, 1 << 20

# What a weight in a file can be.
MOST = 127

# Character classes; each is one number to the features, below CLASSES.
BLANK, CLASSES = 1, 32
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

# Letters of scripts that are often mixed, by the first and last of them.
SCRIPTS = (
    *((0x3041, 0x309F, 5), (0x30A0, 0x30FF, 6), (0x31F0, 0x31FF, 6), (0xFF66, 0xFF9F, 6)),
    *((0x3400, 0x9FFF, 7), (0xF900, 0xFAFF, 7), (0x20000, 0x3FFFF, 7), (0xAC00, 0xD7A3, 17)),
)

# Scripts that put no blanks between words.
UNSPACED = (5, 6, 7)

# The share of words that no blank is between, and how many blanks inside of words are between
# characters of the same two classes, at least, for a treebank to tell of them.
FEWEST, FEW = 0.002, 5

# What is voted on: words, or rules that give words.
Vote = TypeVar("Vote", tuple[str, ...], tuple[int, str, tuple[str, ...]])

# Passes over the tokens that can be several words, and weights of what tells them.
MULTIWORD_EPOCHS, MULTIWORD_ROOM = 12, 1 << 14

# Endings of multiword tokens are rules if this number of different ones have them, and at least
# this share of all different tokens with the ending.
ENDING_TYPES, ENDING_SHARE, ENDING_LENGTH = 3, 0.2, 6


def character_class(character: str) -> int:
    """Return the class of a character.

    Examples
    --------
    >>> [character_class(each) for each in "A b語カ9"]
    [2, 1, 3, 7, 6, 8]
    """
    if character.isspace():
        return BLANK
    kind = CATEGORIES.get(unicodedata.category(character), 16)
    if kind == 4:
        place = ord(character)
        return next((script for first, last, script in SCRIPTS if first <= place <= last), kind)
    return kind


def _folded(character: str) -> int:
    """Return the code point of a character, the same for all digits and for both cases."""
    if character.isdigit():
        return 48
    plain = unicodedata.normalize("NFKC", character).lower()
    return ord(plain) if len(plain) == 1 else ord(character)


@dataclass(frozen=True)
class Characters:
    """Lines as a tokenizer sees them: a blank for each run of blanks, none at the ends.

    Attributes
    ----------
    lines : list of str
        As they are written.
    chars : int32[C]
        In NFC, unless it is longer.
    classes : uint8[C]
    inside : bool[C]
        Whether a character belongs to the one before it, so that no word begins with it.
    offsets : int64[S+1]
    """

    lines: list[str]
    chars: Int32
    classes: UInt8
    inside: Bool
    offsets: Int64

    @classmethod
    def of(cls, texts: Sequence[str]) -> Characters:
        """Look at lines."""
        lines = [_one_blank(text) for text in texts]
        composed = list(map(_composed, lines))
        points = np.frombuffer("".join(composed).encode("utf-32-le", "surrogatepass"), np.uint32)
        different, places = np.unique(points, return_inverse=True)
        characters = list(map(chr, different.tolist()))
        folded = np.fromiter(map(_folded, characters), np.int32, len(characters))
        kinds = np.fromiter(map(character_class, characters), np.uint8, len(characters))
        offsets = row_offsets(np.fromiter(map(len, composed), np.int64, len(lines)))
        inside = np.zeros(len(points), np.bool_)
        signs = {
            character for character in characters if extends(character) or is_regional(character)
        }
        for start, line in zip(offsets.tolist(), composed, strict=False):
            if not signs.isdisjoint(line):
                inside[start : start + len(line)] = True
                inside[[start + place for place in starts_of_characters(line)[:-1]]] = False
        return cls(lines, folded[places], kinds[places], inside, offsets)


def _composed(text: str) -> str:
    """Return a text whose characters are in NFC, unless that is longer.

    Examples
    --------
    >>> [len(_composed(text)) for text in ("e\u0301", "e\u0315", "\u095d")]
    [1, 2, 1]
    """
    if unicodedata.is_normalized("NFC", text):
        return text
    letters = [text[start:stop] for start, stop in pairwise(starts_of_characters(text))]
    return "".join(min(unicodedata.normalize("NFC", letter), letter, key=len) for letter in letters)


def _one_blank(text: str) -> str:
    """Return a line with its first blank of each run, and none at its ends."""
    parts = text.split()
    joined = " ".join(parts)
    if "\u00a0" not in text and "\u3000" not in text:
        return joined
    # Which blank it is can be part of a word.
    line_parts, place = [], 0
    for part in parts:
        place = text.index(part, place) + len(part)
        line_parts.append(part + text[place : place + 1])
    return "".join(line_parts).rstrip()


@dataclass(frozen=True)
class RawSentence:
    """A sentence as it is written.

    Attributes
    ----------
    text : str
    tokens : list of str
        What is between the cuts of the text.
    begins : list of int
        Where they begin in it.
    words : list of tuples of str
        The words of each token: itself, unless it is written together.
    """

    text: str
    tokens: list[str]
    begins: list[int]
    words: list[tuple[str, ...]]


def raw_sentences(bank: Treebank) -> Iterator[RawSentence]:
    """Yield the sentences of a treebank as they are written.

    By their comment ``# text``, else by ``SpaceAfter=No``; where a treebank has neither of them and
    its script has no blanks, by the letters. Sentences whose text has other words are left out.
    """
    form, misc = bank.form.strings(), bank.columns["misc"].strings()
    unspaced = False
    if not any("SpaceAfter=No" in misc for misc in bank.columns["misc"].vocabulary.words):
        letters = [character_class(letter) for letter in "".join(form[:20000])]
        unspaced = sum(kind in UNSPACED for kind in letters) > len(letters) / 2
    for (start, stop), margin in zip(pairwise(bank.offsets.tolist()), bank.margins, strict=True):
        words, spaced = form[start:stop], ["SpaceAfter=No" not in m for m in misc[start:stop]]
        tokens, parts, after, place = [], [], [], 0
        for position, line in margin.extras:
            fields = line.split("\t")
            _, dash, last = fields[0].partition("-")
            if not dash or position < place:
                continue
            tokens += [*words[place:position], fields[1]]
            parts += [
                *((word,) for word in words[place:position]),
                tuple(words[position : int(last)]),
            ]
            after += [*spaced[place:position], "SpaceAfter=No" not in fields[-1]]
            place = int(last)
        tokens += words[place:]
        parts += [(word,) for word in words[place:]]
        after += spaced[place:]
        text = margin.value("text")
        if text is None:
            if unspaced:
                after = [not _joined(*pair) for pair in pairwise([*tokens, ""])]
            pairs = zip(tokens, after, strict=True)
            text = "".join(f"{token} " if blank else token for token, blank in pairs)
        text, tokens = _composed(_one_blank(text)), list(map(_composed, tokens))
        begins = _begins(text, tokens)
        if begins is not None:
            yield RawSentence(text, tokens, begins, parts)


def _begins(text: str, tokens: Sequence[str]) -> list[int] | None:
    """Return the starts of tokens in a text with at most one space between two tokens."""
    begins, place = [], 0
    for token in tokens:
        place += text[place : place + 1].isspace()
        begins.append(place)
        # Spaces inside may be other characters, but the same number of them.
        if text[place : place + len(token)].split() != token.split():
            return None
        place += len(token)
    return begins if place == len(text) else None


def _joined(word: str, following: str) -> bool:
    """True if no space is between two words of a script that mostly has none."""
    return not (word[-1:].isascii() and following[:1].isascii() and following[:1].isalnum())


class Tokenizer:
    """Cuts raw text into words as the treebank does that it was learnt from.

    Parameters
    ----------
    weights : int32 array, a power of two long
        Of the features of places and words.
    blanks : uint8[1024]
        Between which classes of characters a blank may be inside of a word: not 0 at 32 times that
        of the character before plus that of the one after.
    multiwords : Multiwords
        Tokens that are several words.
    unspaced : bool
        Whether the language has no blanks between words.

    Notes
    -----
    Takes time linear in the length of a line. Characters are neither changed nor lost: the tokens
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
        """Return the tokens of lines, each of which is a sentence."""
        characters = Characters.of(lines)
        cuts = np.zeros(len(characters.chars), np.uint8)
        arrays = (characters.chars, characters.classes, characters.offsets, cuts)

        def cutter(longest: int) -> tuple[Any]:
            return (call(kernel.Cutter, self.weights, self.blanks, longest),)

        run_rows(kernel.split_rows, characters.offsets, *arrays, scratch=cutter)
        cuts[characters.inside] = 0
        places = np.flatnonzero(cuts)
        rows = np.searchsorted(places, characters.offsets).tolist()
        begins = places.tolist()
        token_rows = []
        for line, start, (first, last) in zip(
            characters.lines, characters.offsets.tolist(), pairwise(rows), strict=False
        ):
            token_starts = [place - start for place in begins[first:last]]
            composed = _composed(line)
            if composed != line:
                starts = dict(zip(*map(starts_of_characters, (composed, line)), strict=True))
                token_starts = [starts[place] for place in token_starts]
            token_rows.append([line[a:b].rstrip() for a, b in pairwise([*token_starts, len(line)])])
        return token_rows

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token of a sentence: itself, unless it is several."""
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
        weights = _weights_from_arrays("", arrays, about["room"], MUCH_ROOM)
        multiwords = Multiwords.from_parts(about["multiwords"], arrays)
        blanks = numbers_from_arrays("blanks", arrays, 1, kind="u1", size=CLASSES**2)
        unspaced = bool(about["unspaced"])
        return cls(weights, blanks=blanks, multiwords=multiwords, unspaced=unspaced)


def _weights_arrays(prefix: str, weights: Int32) -> dict[str, Array]:
    """Return the weights that are not 0, and their places, as a file has them."""
    place = np.flatnonzero(weights)
    numbers, values = place.astype(np.int32), weights[place].astype(np.int8)
    return {f"{prefix}place": numbers, f"{prefix}weight": values}


def _weights_from_arrays(prefix: str, arrays: dict[str, Array], room: Any, most: int) -> Int32:
    """Return weights as `_weights_arrays` describes them; `room` is how many there are."""
    if type(room) is not int or room.bit_count() != 1 or room > most:
        raise ModelError(f"room for {room!r} {prefix}weights")
    place = numbers_from_arrays(f"{prefix}place", arrays, room - 1)
    weights = np.zeros(room, np.int32)
    weights[place] = numbers_from_arrays(
        f"{prefix}weight", arrays, MOST, min_value=-MOST, kind="i1", size=len(place)
    )
    return weights


def learn_tokenizer(bank: Treebank, *, seed: int) -> Tokenizer | None:
    """Learn where words begin from sentences and their texts; None if nothing can be learnt.

    Parameters
    ----------
    bank : Treebank
        Sentences with ``# text`` or ``SpaceAfter=No``, and multiword ranges.
    seed : int
        In which order they are learnt from.

    Notes
    -----
    An averaged structured perceptron with a margin. Nothing can be learnt where words are joined
    by blanks throughout.
    """
    sentences = list(raw_sentences(bank))
    tokens = sum(len(sentence.tokens) for sentence in sentences)
    inside = sum(any(map(str.isspace, token)) for row in sentences for token in row.tokens)
    blanks = sum(row.text.count(" ") for row in sentences)
    joined = tokens - len(sentences) - (blanks - inside)
    if joined + inside < FEWEST * tokens or not tokens:
        return None
    unspaced = joined > tokens / 2
    room = MUCH_ROOM if unspaced or inside > tokens / 100 else ROOM
    between = _blanks(sentences)
    return Tokenizer(
        _learnt_cuts(sentences, room, between, seed),
        blanks=between,
        multiwords=learn_multiwords(sentences, seed),
        unspaced=unspaced,
    )


def _blanks(sentences: Sequence[RawSentence]) -> UInt8:
    """Return between which classes of characters a blank may be inside of a word."""
    counts = np.zeros(CLASSES**2, np.int64)
    for sentence in sentences:
        for token in sentence.tokens:
            for place, character in enumerate(token[1:-1], 1):
                if character.isspace():
                    class_before, after = map(character_class, (token[place - 1], token[place + 1]))
                    counts[class_before * CLASSES + after] += 1
    return (counts >= FEW).astype(np.uint8)


def _learnt_cuts(sentences: Sequence[RawSentence], room: int, blanks: UInt8, seed: int) -> Int32:
    """Return the weights of cuts."""
    characters = Characters.of([sentence.text for sentence in sentences])
    offsets = characters.offsets
    gold = np.zeros(len(characters.chars), np.uint8)
    for start, sentence in zip(offsets.tolist(), sentences, strict=False):
        gold[[start + place for place in sentence.begins]] = 1
    weights, totals = np.zeros(room, np.int32), np.zeros(room, np.int64)
    seen, longest = np.zeros(room, np.uint8), int(np.diff(offsets).max())
    cutter = call(kernel.Cutter, weights, blanks, longest)
    inputs = (cutter, characters.chars, characters.classes, offsets, gold)
    call(kernel.count_cut_features, *inputs, seen, len(sentences))
    cuts = np.zeros(longest + 1, np.uint8)
    for epoch in range(EPOCHS):
        order = shuffled(len(sentences), seed, epoch)
        learnt = (totals, seen, MARGIN, epoch * len(sentences), cuts)
        call(kernel.learn_cuts, *inputs, order, *learnt)
    # Whole numbers until here, so that they are the same on any machine.
    return in_a_byte(weights.astype(np.int64) * (EPOCHS * len(sentences)) - totals)


def in_a_byte(weights: Int64) -> Int32:
    """Return weights as numbers from -127 to 127; the few largest are cut off."""
    size = np.sort(np.abs(weights[weights != 0]))
    if not len(size):
        return weights.astype(np.int32)
    top = max(int(size[(len(size) - 1) * 1999 // 2000]), MOST)
    # Rounded half upwards.
    return np.clip((2 * weights * MOST + top) // (2 * top), -MOST, MOST).astype(np.int32)


def token_f1(tokenizer: RawTokenizer, bank: Treebank) -> float:
    """Return the F1 of the tokens of sentences, cut from their texts.

    Examples
    --------
    >>> bank = Treebank.from_words([["Il", "l'", "a", "."]] * 9, misc=[["_", "SpaceAfter=No",
    ...     "SpaceAfter=No", "_"]] * 9)
    >>> tokenizer = learn_tokenizer(bank, seed=1)
    >>> token_f1(tokenizer, bank)
    1.0
    """
    sentences = list(raw_sentences(bank))
    right = total = 0
    token_rows = tokenizer.tokens([sentence.text for sentence in sentences])
    for row, sentence in zip(token_rows, sentences, strict=True):
        spans, gold_spans = _spans(row), _spans(sentence.tokens)
        right += len(spans & gold_spans)
        total += len(spans) + len(gold_spans)
    return 2 * right / max(total, 1)


def _spans(tokens: Sequence[str]) -> set[tuple[int, int]]:
    """Return the start and end of each token, spaces not counted."""
    spans, start = set(), 0
    for token in tokens:
        stop = start + len("".join(token.split()))
        spans.add((start, stop))
        start = stop
    return spans


class Multiwords:
    """Tokens that are several words: which words, and where it depends on the words around.

    Parameters
    ----------
    known : mapping of str to tuple of str
        The words of tokens in lower case.
    endings : mapping of str to (int, str, tuple of str)
        By how a token ends: how many letters its first word lacks, what it has in their place, and
        the other words.
    weights : int32 array, a power of two long
        Of the features that tell such tokens from words that are written as they are.
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
        composed = list(map(_composed, tokens))
        for place, token in enumerate(tokens):
            parts = self.parts_of(composed[place])
            if parts is not None:
                features = _around(composed, place)
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
        """Rebuild it from its saved state; ModelError if that is inconsistent."""
        known_tokens, endings = about["known"], about["endings"]
        weights = _weights_from_arrays("multiword.", arrays, about["room"], ROOM)
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
    """Learn which tokens are several words.

    A token is what it most often was; one that was none so far is judged by its ending. An averaged
    perceptron decides by the words around which of them are such tokens where they stand.
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
    multiwords = Multiwords(known_tokens, _endings(known_tokens, types), np.zeros(1, np.int32))
    examples = []
    for sentence in sentences:
        for place, (token, words) in enumerate(zip(sentence.tokens, sentence.words, strict=True)):
            if multiwords.parts_of(token) is not None:
                sign = 1 if len(words) > 1 else -1
                keys = [
                    crc32(feature) % MULTIWORD_ROOM for feature in _around(sentence.tokens, place)
                ]
                examples.append((np.array(keys), sign))
    weights, totals = np.zeros(MULTIWORD_ROOM, np.int64), np.zeros(MULTIWORD_ROOM, np.int64)
    done = 0
    for epoch in range(MULTIWORD_EPOCHS if examples else 0):
        for number in shuffled(len(examples), seed, epoch).tolist():
            keys, sign = examples[number]
            if sign * int(weights[keys].sum()) <= MARGIN:
                np.add.at(weights, keys, sign)
                np.add.at(totals, keys, sign * done)
            done += 1
    return Multiwords(known_tokens, multiwords.endings, in_a_byte(weights * done - totals))


def _most_frequent(votes: Counter[Vote]) -> Vote:
    """Return the value with the most votes, the smallest if several have them."""
    return min(votes, key=lambda vote: (-votes[vote], vote))


def _endings(
    known: dict[str, tuple[str, ...]], others: set[str]
) -> dict[str, tuple[int, str, tuple[str, ...]]]:
    """Return the rules by which endings of multiword tokens give their words."""
    votes: dict[str, Counter[tuple[int, str, tuple[str, ...]]]] = {}
    for token, words in known.items():
        same = 0
        while same < min(len(token), len(words[0])) and token[same] == words[0][same]:
            same += 1
        rule = (len(token) - same, words[0][same:], words[1:])
        for length in range(max(rule[0], 1), min(len(token) - 1, rule[0] + 2, ENDING_LENGTH) + 1):
            votes.setdefault(token[-length:], Counter())[rule] += 1
    without: Counter[str] = Counter()
    for token in sorted(others - set(known)):
        for length in range(1, min(len(token) - 1, ENDING_LENGTH) + 1):
            without[token[-length:]] += 1
    rules = {}
    for ending, rules_of_ending in sorted(votes.items()):
        rule = _most_frequent(rules_of_ending)
        times, total = rules_of_ending[rule], rules_of_ending.total()
        share = total / (total + without[ending])
        if times >= ENDING_TYPES and 2 * times > total and share >= ENDING_SHARE:
            rules[ending] = rule
    return rules


def _around(tokens: Sequence[str], place: int) -> list[bytes]:
    """Return the features by which a token is judged."""
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
