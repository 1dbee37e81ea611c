"""Moses' phrase alignments: ``0=0 1-2=1-2``, and the translation with ``|0-1|`` behind phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import MAX_INDEX
from wordorder.alignment.formats import Parsed
from wordorder.errors import InputError
from wordorder.types import UInt8

# Far more than any decoder has; a slip must not make a billion links.
LONGEST_PHRASE = 1000

_TOKEN = re.compile(rb"[^ \t\r\n]+")
_PHRASES = re.compile(rb"([0-9]{1,8})(?:-([0-9]{1,8}))?=([0-9]{1,8})(?:-([0-9]{1,8}))?")
_SPAN = re.compile(rb"\|([0-9]{1,8})-([0-9]{1,8})\|")

Token = re.Match[bytes]
# A token of a line with the source and the target words of its phrase; None: it is no phrase.
Phrase = tuple[Token, range, range] | None


class MosesPhrases:
    """Pairs of source and target spans, ``i=k`` or ``i-j=k-l``, as in Moses' n-best lists.

    Each word of the source phrase is linked with each of the target phrase.

    Examples
    --------
    >>> text = np.frombuffer(b"0=0 1-2=1-2\\n", np.uint8)
    >>> parsed = MosesPhrases().parse(text, 1)
    >>> list(zip(parsed.source.tolist(), parsed.target.tolist()))
    [(0, 0), (1, 1), (1, 2), (2, 1), (2, 2)]
    """

    name = "moses-phrases"
    empty_lines = True
    target_indices = True
    target_fields = False
    separators = b" \t"
    link = _TOKEN
    noun = "phrase pair"
    expected = (
        "i=k or i-j=k-l (first and last word of the source and the target phrase) in ASCII "
        f"digits, at most {LONGEST_PHRASE} words"
    )
    # Whether the translation is there too, which tells how long it is.
    _translation = False

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        text = data.tobytes()
        links: list[tuple[int, int]] = []
        offsets = np.zeros(lines + 1, np.int64)
        lengths = np.zeros(lines, np.int64)
        begin = 0
        for number, line in enumerate(text.split(b"\n", lines)[:lines]):
            words = 0
            for phrase in self.phrases(line):
                if phrase is None:
                    at = begin + self._bad_token(line)
                    nothing = np.empty(0, np.int32)
                    return Parsed(nothing, nothing, None, offsets, None, at)
                links.extend(product(phrase[1], phrase[2]))
                words = max(words, phrase[2].stop)
            offsets[number + 1] = len(links)
            lengths[number] = words
            begin += len(line) + 1
        source, target = np.array(links, np.int32).reshape(-1, 2).T
        return Parsed(
            np.ascontiguousarray(source),
            np.ascontiguousarray(target),
            None,
            offsets,
            lengths if self._translation else None,
            -1,
        )

    def phrases(self, line: bytes) -> Iterator[Phrase]:
        """Yield the phrase pairs of a line; None for a token that is none."""
        for token in _TOKEN.finditer(line):
            found = _PHRASES.fullmatch(token.group())
            if found is None:
                yield None
                return
            i, j, k, m = found.groups()
            source, target = _words(i, j), _words(k, m)
            yield (token, source, target) if source and target else None

    def token_of(self, line: bytes, link: int) -> tuple[bytes, int]:
        """Return the token that has a link of a line that is right, and where it begins."""
        for phrase in self.phrases(line):
            if phrase is not None:
                token, source, target = phrase
                if link < len(source) * len(target):
                    return token.group(), token.start()
                link -= len(source) * len(target)
        raise IndexError(link)

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end; each link is a pair of phrases of one word.

        Raises
        ------
        InputError
            If a link is only possible.
        """
        for number, row in enumerate(alignments):
            if row.possible:
                raise InputError(
                    alignments.where(number),
                    "a possible link",
                    "sure links: Moses' notation has no others",
                )
            yield " ".join(f"{s}={t}" for s, t in row.links)

    def _bad_token(self, line: bytes) -> int:
        """Return where the first token that is no phrase begins."""
        good = sum(phrase is not None for phrase in self.phrases(line))
        return [token.start() for token in _TOKEN.finditer(line)][good]


class MosesTrace(MosesPhrases):
    """The translation with the source span of each phrase behind it, ``we met |0-1| there |2-2|``.

    Moses writes it with ``-t`` (``--report-segmentation``). Each word of the phrase is linked with
    each word of the span; a span without words before it is not translated.

    Examples
    --------
    >>> text = np.frombuffer(b"we met |1-2| there |0-0|\\n", np.uint8)
    >>> parsed = MosesTrace().parse(text, 1)
    >>> list(zip(parsed.source.tolist(), parsed.target.tolist())), parsed.target_lengths.tolist()
    ([(1, 0), (1, 1), (2, 0), (2, 1), (0, 2)], [3])
    """

    name = "moses-trace"
    target_indices = False
    link = _SPAN
    noun = "span"
    expected = (
        "words and |i-j| (the first and the last source word of their phrase) behind each phrase, "
        f"at most {LONGEST_PHRASE} words"
    )
    _translation = True

    def phrases(self, line: bytes) -> Iterator[Phrase]:
        """Yield the phrases of a line; None for a bad span, or words without a span behind them."""
        first = last = 0
        for token in _TOKEN.finditer(line):
            found = _SPAN.fullmatch(token.group())
            if found is None:
                last += 1
                continue
            source = _words(*found.groups())
            if not source or last - first > LONGEST_PHRASE:
                yield None
                return
            yield token, source, range(first, last)
            first = last
        if last > first:
            yield None

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Refuse to write: the notation has the words of the translation."""
        raise InputError(
            alignments.path,
            "links without the words of the translation",
            "another notation: moses-trace has the translation in it",
        )

    def _bad_token(self, line: bytes) -> int:
        """Return where the bad span, or the first word without a span behind it, begins."""
        good = sum(phrase is not None for phrase in self.phrases(line))
        tokens = list(_TOKEN.finditer(line))
        spans = [n for n, token in enumerate(tokens) if _SPAN.fullmatch(token.group())]
        if good < len(spans):
            return tokens[spans[good]].start()
        return tokens[spans[-1] + 1 if spans else 0].start()


def _words(first: bytes, last: bytes | None) -> range:
    """Return the words of a span; none if it ends before it begins or is far too long."""
    begin = int(first)
    end = begin if last is None else int(last)
    if not begin <= end < min(begin + LONGEST_PHRASE, MAX_INDEX + 1):
        return range(0)
    return range(begin, end + 1)
