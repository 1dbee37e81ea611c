"""Notations with a line for each sentence pair: Pharaoh's, Talbot's, lader's, Moses'."""

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

# Far more than any decoder has; a slip must not make a billion links.
LONGEST_PHRASE = 1000

TOKEN = re.compile(rb"[^ \t\r\n]+")
_PHRASES = re.compile(rb"([0-9]{1,8})(?:-([0-9]{1,8}))?=([0-9]{1,8})(?:-([0-9]{1,8}))?")
_SPAN = re.compile(rb"\|([0-9]{1,8})-([0-9]{1,8})\|")


class Pharaoh(LineFormat):
    """Links ``source-target``, blanks between them.

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
        room = len(data) // 4 + 1
        source = np.empty(room, np.int32)
        target = np.empty(room, np.int32)
        possible = np.empty(room, np.uint8)
        offsets = np.empty(lines + 1, np.int64)
        state = np.empty(4, np.int64)
        call(kernel.parse_pharaoh, data, source, target, possible, offsets, state, len(data))
        links, bad = int(state[0]), int(state[3])
        if bad >= 0 and self.scored:
            # Files without scores are read in one go; only here may there be some.
            text_without_scores, scores, wrong = remove_scores(data)
            if wrong >= 0:
                bad = wrong
            elif len(scores):
                return replace(_Unscored().parse(text_without_scores, lines), scores=scores)
        return Parsed(
            source[:links], target[:links], possible[:links].view(np.bool_), offsets, None, bad
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end."""
        source = alignments.source.tolist()
        target = alignments.target.tolist()
        marks = ["p" if flag else "-" for flag in alignments.possible.tolist()]
        links = [f"{s}{m}{t}" for s, m, t in zip(source, marks, target, strict=True)]
        if alignments.scores is not None:
            scores = alignments.scores.tolist()
            links = [f"{link}:{score:.4f}" for link, score in zip(links, scores, strict=True)]
        bounds = alignments.offsets.tolist()
        for first, last in pairwise(bounds):
            yield " ".join(links[first:last])


class _Unscored(Pharaoh):
    """Links without scores, as they stand within other notations."""

    scored = False


class ReversedPharaoh(Pharaoh):
    """Links ``target-source``, blanks between them.

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
        """Write each row as a line without its end."""
        return super().rows(alignments.transpose())


class Talbot(LineFormat):
    """The source words of each target word in turn (Talbot et al. 2011, Table 2).

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
        room = len(data) // 2 + 1
        source = np.empty(room, np.int32)
        target = np.empty(room, np.int32)
        offsets = np.empty(lines + 1, np.int64)
        target_lengths = np.empty(lines, np.int64)
        state = np.empty(4, np.int64)
        call(
            kernel.parse_talbot,
            *(data, source, target, offsets, target_lengths, state, len(data)),
        )
        links = int(state[0])
        return Parsed(source[:links], target[:links], None, offsets, target_lengths, int(state[3]))

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end.

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
        for number, row in enumerate(alignments):
            fields: list[list[str]] = [[] for _ in range(row.target_length or 0)]
            if len(fields) == 1 and not row.links:
                problem = "a single unaligned target word, which Talbot's notation cannot write"
                raise InputError(
                    alignments.location_of(number), problem, "the notation pharaoh here"
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
    # The first one follows the lengths and the bars.
    link = re.compile(rb"(?:^[^|]*\|\|\|[ \t]*)?([^ \t\r\n|]+)")
    noun = "link"
    expected = (
        "n-m ||| i-j ... (source and target length, then links) in ASCII digits, indices up to "
        f"{MAX_INDEX - 1}"
    )

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        text = data.tobytes()
        # Without the headers, and with all else at its place, the lines are Pharaoh's.
        links = data.copy()
        lengths = []
        starts = []
        bad = []
        for header in _HEADER.finditer(text):
            links[header.start() : header.end()] = _BLANK
            lengths.append([min(int(number), MAX_INDEX + 1) for number in header.groups()])
            starts.append(header.start())
            if max(lengths[-1]) > MAX_INDEX:
                bad.append(header.start(1))
        if len(lengths) < lines:
            bad.append(_without_header(data, starts))
        parsed = _Unscored().parse(links, lines)
        if parsed.bad >= 0:
            bad.append(parsed.bad)
        elif parsed.possible is not None and parsed.possible.any():
            mark = _POSSIBLE.search(links.tobytes())
            bad.append(mark.start() if mark else 0)
        ends = np.array(lengths, np.int64).reshape(-1, 2)
        return Parsed(
            parsed.source,
            parsed.target,
            None,
            parsed.offsets,
            np.ascontiguousarray(ends[:, 1]),
            min(bad, default=-1),
            np.ascontiguousarray(ends[:, 0]),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end.

        Raises
        ------
        InputError
            If the lengths are not known, or a link is only possible.
        """
        sources, targets = alignments.source_lengths, alignments.target_lengths
        if sources is None or targets is None:
            file_position = alignments.path
            expected = "them: lader's notation begins with the source and the target length"
            raise InputError(file_position, "the lengths of the sentences are not known", expected)
        alignments.require_sure("lader's notation")
        links = Pharaoh().rows(alignments)
        for n, m, row_links in zip(sources.tolist(), targets.tolist(), links, strict=True):
            yield f"{n}-{m} ||| {row_links}".rstrip(" ")


def _without_header(data: UInt8, starts: list[int]) -> int:
    """Return where the first line without a header has its first token, or its end."""
    begins = [0, *(np.flatnonzero(data[:-1] == ord("\n")) + 1).tolist()]
    missing = min(set(begins) - set(starts))
    line = data[missing:].tobytes()
    return missing + len(line) - len(line.lstrip(b" \t"))


Token = re.Match[bytes]

# A token of a line with the source and the target words of its phrase; None: it is no phrase.
Phrase = tuple[Token, range, range] | None


class MosesPhrases(LineFormat):
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
    link = TOKEN
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
                    bad_byte = begin + self._bad_token(line)
                    no_links = np.empty(0, np.int32)
                    return Parsed(no_links, no_links, None, offsets, None, bad_byte)
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
        """Yield the phrase pairs of a line; None for a token that is not a pair."""
        for token in TOKEN.finditer(line):
            match = _PHRASES.fullmatch(token.group())
            if match is None:
                yield None
                return
            i, j, k, m = match.groups()
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

    def _bad_token(self, line: bytes) -> int:
        """Return where the first token that is no phrase begins."""
        good = sum(phrase is not None for phrase in self.phrases(line))
        return [token.start() for token in TOKEN.finditer(line)][good]


class MosesTrace(MosesPhrases):
    """The translation with the source span after each phrase, ``we met |0-1| there |2-2|``.

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
        for token in TOKEN.finditer(line):
            match = _SPAN.fullmatch(token.group())
            if match is None:
                last += 1
                continue
            source = _words(*match.groups())
            if not source or last - first > LONGEST_PHRASE:
                yield None
                return
            yield token, source, range(first, last)
            first = last
        if last > first:
            yield None

    def _bad_token(self, line: bytes) -> int:
        """Return the start of the bad span, or of the first word that no span follows."""
        good = sum(phrase is not None for phrase in self.phrases(line))
        tokens = list(TOKEN.finditer(line))
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


LINE_FORMATS: dict[str, LineFormat] = {
    notation.name: notation
    for notation in (Talbot(), Pharaoh(), ReversedPharaoh(), Lader(), MosesPhrases(), MosesTrace())
}
