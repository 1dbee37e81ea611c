"""Alignment formats with one line per sentence pair: Pharaoh's, Talbot's, lader's, Moses'."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, product

import numpy as np

from wordorder.alignment.alignments import MAX_INDEX, REVERSED_FORMAT, Alignments
from wordorder.alignment.formats import LineFormat, Parsed
from wordorder.alignment.scores import remove_scores
from wordorder.arrays import UInt8
from wordorder.errors import InputError
from wordorder.kernels import call, text as kernel

_HEADER = re.compile(
    rb"^[ \t]*([0-9]{1,19})-([0-9]{1,19})[ \t]+\|\|\|(?=[ \t\n]|\r\n|\Z)", re.MULTILINE
)
_POSSIBLE = re.compile(rb"[0-9][p?][0-9]")
_BLANK = 32

# No decoder has phrases of this length; a typing error must not create a billion links.
MAX_SPAN_WORDS = 1000

TOKEN = re.compile(rb"[^ \t\r\n]+")
_PHRASES = re.compile(rb"([0-9]{1,8})(?:-([0-9]{1,8}))?=([0-9]{1,8})(?:-([0-9]{1,8}))?")
_SPAN = re.compile(rb"\|([0-9]{1,8})-([0-9]{1,8})\|")


class Pharaoh(LineFormat):
    """Links ``source-target``, separated by spaces.

    Examples
    --------
    >>> text = np.frombuffer(b"0-1 1?0\\n\\n", np.uint8)
    >>> parsed = Pharaoh().parse(text, 2)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.offsets.tolist()
    ([0, 1], [1, 0], [0, 2, 2])
    """

    name = "pharaoh"
    empty_lines = True
    target_indices = True
    target_fields = False
    separators = b" \t"
    link = re.compile(rb"([^ \t\r\n]+)")
    noun = "link"
    expected = (
        f"i-j (sure), ipj or i?j (possible) in ASCII digits, indices up to {MAX_INDEX - 1}; "
        "or all of them with a score in [0, 1], i-j:0.93"
    )
    # Whether links may have scores.
    scored = True

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        capacity = len(data) // 4 + 1
        source = np.empty(capacity, np.int32)
        target = np.empty(capacity, np.int32)
        possible = np.empty(capacity, np.uint8)
        offsets = np.empty(lines + 1, np.int64)
        state = np.empty(4, np.int64)
        call(kernel.parse_pharaoh, data, source, target, possible, offsets, state, len(data))
        link_count, bad_offset = int(state[0]), int(state[3])
        if bad_offset >= 0 and self.scored:
            # Links with scores are invalid for the kernel, so files without scores are read once.
            text_without_scores, scores, bad_score_offset = remove_scores(data)
            if bad_score_offset >= 0:
                bad_offset = bad_score_offset
            elif len(scores):
                return replace(_Unscored().parse(text_without_scores, lines), scores=scores)
        return Parsed(
            source[:link_count],
            target[:link_count],
            possible[:link_count].view(np.bool_),
            offsets,
            None,
            bad_offset,
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield each row as a line without a line break."""
        source = alignments.source.tolist()
        target = alignments.target.tolist()
        marks = ["p" if flag else "-" for flag in alignments.possible.tolist()]
        links = [f"{s}{m}{t}" for s, m, t in zip(source, marks, target, strict=True)]
        if alignments.scores is not None:
            scores = alignments.scores.tolist()
            links = [f"{link}:{score:.4f}" for link, score in zip(links, scores, strict=True)]
        offsets = alignments.offsets.tolist()
        for start, end in pairwise(offsets):
            yield " ".join(links[start:end])


class _Unscored(Pharaoh):
    """Links without scores, which other formats contain."""

    scored = False


class ReversedPharaoh(Pharaoh):
    """Links ``target-source``, separated by spaces.

    Examples
    --------
    >>> text = np.frombuffer(b"0-1 2?0\\n", np.uint8)
    >>> parsed = ReversedPharaoh().parse(text, 1)
    >>> parsed.source.tolist(), parsed.target.tolist()
    ([1, 0], [0, 2])
    """

    name = REVERSED_FORMAT

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        parsed = super().parse(data, lines)
        return replace(parsed, source=parsed.target, target=parsed.source)

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield each row as a line without a line break."""
        return super().rows(alignments.transpose())


class Talbot(LineFormat):
    """One field per target word: the indices of its source words (Talbot et al. 2011, Table 2).

    ``_`` joins several source words, an empty field is an unaligned target word, and an empty
    line has no target words. There are no possible links.

    Examples
    --------
    >>> text = np.frombuffer(b"2,,0_1\\n", np.uint8)
    >>> parsed = Talbot().parse(text, 1)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.target_lengths.tolist()
    ([2, 0, 1], [0, 2, 2], [3])
    """

    name = "talbot"
    empty_lines = True
    target_indices = False
    target_fields = True
    separators = b","
    link = re.compile(rb"([0-9]+)")
    noun = "index"
    expected = f"source indices joined by _ in ASCII digits, up to {MAX_INDEX - 1}, or nothing"

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        capacity = len(data) // 2 + 1
        source = np.empty(capacity, np.int32)
        target = np.empty(capacity, np.int32)
        offsets = np.empty(lines + 1, np.int64)
        target_lengths = np.empty(lines, np.int64)
        state = np.empty(4, np.int64)
        call(
            kernel.parse_talbot,
            *(data, source, target, offsets, target_lengths, state, len(data)),
        )
        link_count = int(state[0])
        return Parsed(
            source[:link_count], target[:link_count], None, offsets, target_lengths, int(state[3])
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield each row as a line without a line break.

        Raises
        ------
        InputError
            If the target lengths are not known, a link is only possible, or the only target word
            of a row is unaligned: one empty field cannot be distinguished from no field.
        """
        if alignments.target_lengths is None:
            expected = "them: Talbot's notation has a field for each target word"
            raise InputError(alignments.path, "the target lengths are not known", expected)
        alignments.require_sure("Talbot's notation")
        for index, row in enumerate(alignments):
            fields: list[list[str]] = [[] for _ in range(row.target_length or 0)]
            if len(fields) == 1 and not row.links:
                problem = "a single unaligned target word, which Talbot's notation cannot write"
                raise InputError(
                    alignments.location_of(index), problem, "the notation pharaoh here"
                )
            for s, t in row.links:
                fields[t].append(str(s))
            yield ",".join(map("_".join, fields))


class Lader(LineFormat):
    """Source and target length, ``|||``, and links ``source-target`` (Neubig et al. 2012).

    Examples
    --------
    >>> text = np.frombuffer(b"3-2 ||| 0-0 2-1\\n0-0 |||\\n", np.uint8)
    >>> parsed = Lader().parse(text, 2)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.offsets.tolist()
    ([0, 2], [0, 1], [0, 2, 2])
    >>> parsed.source_lengths.tolist(), parsed.target_lengths.tolist()
    ([3, 0], [2, 0])
    """

    name = "lader"
    empty_lines = False
    target_indices = True
    target_fields = False
    separators = b" \t"
    # The first link follows the lengths and ``|||``.
    link = re.compile(rb"(?:^[^|]*\|\|\|[ \t]*)?([^ \t\r\n|]+)")
    noun = "link"
    expected = (
        "n-m ||| i-j ... (source and target length, then links) in ASCII digits, indices up to "
        f"{MAX_INDEX - 1}"
    )

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        text = data.tobytes()
        # With spaces for the headers, the lines are Pharaoh's, and byte offsets stay the same.
        link_text = data.copy()
        lengths = []
        header_starts = []
        bad_offsets = []
        for header in _HEADER.finditer(text):
            link_text[header.start() : header.end()] = _BLANK
            lengths.append([min(int(number), MAX_INDEX + 1) for number in header.groups()])
            header_starts.append(header.start())
            if max(lengths[-1]) > MAX_INDEX:
                bad_offsets.append(header.start(1))
        if len(lengths) < lines:
            bad_offsets.append(_missing_header_offset(data, header_starts))
        parsed = _Unscored().parse(link_text, lines)
        if parsed.bad >= 0:
            bad_offsets.append(parsed.bad)
        elif parsed.possible is not None and parsed.possible.any():
            possible_link = _POSSIBLE.search(link_text.tobytes())
            bad_offsets.append(possible_link.start() if possible_link else 0)
        length_pairs = np.array(lengths, np.int64).reshape(-1, 2)
        return Parsed(
            parsed.source,
            parsed.target,
            None,
            parsed.offsets,
            np.ascontiguousarray(length_pairs[:, 1]),
            min(bad_offsets, default=-1),
            np.ascontiguousarray(length_pairs[:, 0]),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield each row as a line without a line break.

        Raises
        ------
        InputError
            If the lengths are not known, or a link is only possible.
        """
        source_lengths, target_lengths = alignments.source_lengths, alignments.target_lengths
        if source_lengths is None or target_lengths is None:
            file_position = alignments.path
            expected = "them: lader's notation begins with the source and the target length"
            raise InputError(file_position, "the lengths of the sentences are not known", expected)
        alignments.require_sure("lader's notation")
        links = Pharaoh().rows(alignments)
        for n, m, row_links in zip(
            source_lengths.tolist(), target_lengths.tolist(), links, strict=True
        ):
            yield f"{n}-{m} ||| {row_links}".rstrip(" ")


def _missing_header_offset(data: UInt8, header_starts: list[int]) -> int:
    """Return the offset of the first token (or line break) of the first line without a header."""
    line_starts = [0, *(np.flatnonzero(data[:-1] == ord("\n")) + 1).tolist()]
    line_start = min(set(line_starts) - set(header_starts))
    text_from_line = data[line_start:].tobytes()
    return line_start + len(text_from_line) - len(text_from_line.lstrip(b" \t"))


Token = re.Match[bytes]

# The token of a phrase, and the indices of its source and target words; None if it is invalid.
Phrase = tuple[Token, range, range] | None


class MosesPhrases(LineFormat):
    """Pairs of source and target spans, ``i=k`` or ``i-j=k-l``, as in Moses' n-best lists.

    Each word of the source phrase is linked with each word of the target phrase.

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
    link = TOKEN
    noun = "phrase pair"
    expected = (
        "i=k or i-j=k-l (first and last word of the source and the target phrase) in ASCII "
        f"digits, at most {MAX_SPAN_WORDS} words"
    )
    # Whether lines contain the translation and so its length.
    _has_translation = False

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        text = data.tobytes()
        links: list[tuple[int, int]] = []
        offsets = np.zeros(lines + 1, np.int64)
        target_lengths = np.zeros(lines, np.int64)
        line_start = 0
        for row, line in enumerate(text.split(b"\n", lines)[:lines]):
            target_length = 0
            for phrase in self.phrases(line):
                if phrase is None:
                    bad_offset = line_start + self._bad_token(line)
                    no_links = np.empty(0, np.int32)
                    return Parsed(no_links, no_links, None, offsets, None, bad_offset)
                links.extend(product(phrase[1], phrase[2]))
                target_length = max(target_length, phrase[2].stop)
            offsets[row + 1] = len(links)
            target_lengths[row] = target_length
            line_start += len(line) + 1
        source, target = np.array(links, np.int32).reshape(-1, 2).T
        return Parsed(
            np.ascontiguousarray(source),
            np.ascontiguousarray(target),
            None,
            offsets,
            target_lengths if self._has_translation else None,
            -1,
        )

    def phrases(self, line: bytes) -> Iterator[Phrase]:
        """Yield the phrase pairs of a line; None for a token that is not a pair."""
        for token in TOKEN.finditer(line):
            match = _PHRASES.fullmatch(token.group())
            if match is None:
                yield None
                return
            i, j, k, m = match.groups()
            source, target = _span_words(i, j), _span_words(k, m)
            yield (token, source, target) if source and target else None

    def token_of(self, line: bytes, link: int) -> tuple[bytes, int]:
        """Return the token of a link in a valid line, and the token's byte offset in the line."""
        for phrase in self.phrases(line):
            if phrase is not None:
                token, source, target = phrase
                if link < len(source) * len(target):
                    return token.group(), token.start()
                link -= len(source) * len(target)
        raise IndexError(link)

    def _bad_token(self, line: bytes) -> int:
        """Return the byte offset of the first token that is not a phrase pair."""
        valid_count = sum(phrase is not None for phrase in self.phrases(line))
        return [token.start() for token in TOKEN.finditer(line)][valid_count]


class MosesTrace(MosesPhrases):
    """The translation with the source span after each phrase, ``we met |0-1| there |2-2|``.

    Moses writes it with ``-t`` (``--report-segmentation``). Each word of the phrase is linked with
    each word of the span; if no words precede a span, its source words are not translated.

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
        "words and |i-j| (the first and the last source word of their phrase) after each phrase, "
        f"at most {MAX_SPAN_WORDS} words"
    )
    _has_translation = True

    def phrases(self, line: bytes) -> Iterator[Phrase]:
        """Yield the phrases of a line; None for an invalid span, or words that no span follows."""
        start = end = 0
        for token in TOKEN.finditer(line):
            match = _SPAN.fullmatch(token.group())
            if match is None:
                end += 1
                continue
            source = _span_words(*match.groups())
            if not source or end - start > MAX_SPAN_WORDS:
                yield None
                return
            yield token, source, range(start, end)
            start = end
        if end > start:
            yield None

    def _bad_token(self, line: bytes) -> int:
        """Return the byte offset of the invalid span, or of the first word that no span follows."""
        valid_count = sum(phrase is not None for phrase in self.phrases(line))
        tokens = list(TOKEN.finditer(line))
        span_indices = [
            index for index, token in enumerate(tokens) if _SPAN.fullmatch(token.group())
        ]
        if valid_count < len(span_indices):
            return tokens[span_indices[valid_count]].start()
        return tokens[span_indices[-1] + 1 if span_indices else 0].start()


def _span_words(first: bytes, last: bytes | None) -> range:
    """Return the word indices of a span; none if it ends before its start or is too long."""
    start = int(first)
    end = start if last is None else int(last)
    if not start <= end < min(start + MAX_SPAN_WORDS, MAX_INDEX + 1):
        return range(0)
    return range(start, end + 1)


LINE_FORMATS: dict[str, LineFormat] = {
    notation.name: notation
    for notation in (Talbot(), Pharaoh(), ReversedPharaoh(), Lader(), MosesPhrases(), MosesTrace())
}
