"""Alignment formats with one line per link (NAACL 2003) or three lines per pair (GIZA++)."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from wordorder.alignment.alignments import MAX_INDEX, Alignments
from wordorder.alignment.formats import NumberedLines, Records
from wordorder.arrays import Int64, row_offsets, value_indices
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.text.blocks import quoted

_LINK_LINE = re.compile(
    rb"[ \t]*([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([0-9]{1,19})"
    rb"(?:[ \t]+([SP]))?(?:[ \t]+((?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))?[ \t]*"
)

_TOKEN = re.compile(rb"[^ \t]+")

_EXPECTED = (
    "sentence, source and target position, each from 1 in ASCII digits, then perhaps S or P, then "
    "perhaps a confidence"
)

_HEADER = re.compile(
    rb"# Sentence pair \(([0-9]{1,19})\) source length ([0-9]{1,19}) target length ([0-9]{1,19})"
    rb"(?: alignment score : [^ \t]+)?[ \t]*"
)
_HEADER_FORM = "# Sentence pair (1) source length 4 target length 5 alignment score : 0.1"

# A source word and its target positions. Anchored at token starts, since otherwise a long token
# would take quadratic time.
_WORD_AT_TOKEN_START = re.compile(
    rb"(?<![^ \t])([^ \t]+)[ \t]+\(\{((?:[ \t]+[0-9]{1,19})*)[ \t]+\}\)"
)

_WORD = re.compile(_WORD_AT_TOKEN_START.pattern + rb"(?![^ \t])")
_NUMBER = re.compile(rb"[0-9]+")
_EMPTY_WORD = b"NULL"


class Naacl:
    """The format of the shared tasks of NAACL 2003 and ACL 2005: one line per link, ``18 1 1 S``.

    The fields are sentence, source position, target position, and ``S`` or ``P``. All numbers count
    from 1. ``S``, the default, marks a sure link, ``P`` a possible one (Mihalcea and Pedersen
    2003). Sentences are in ascending order; sentences without a line have no links. Position 0 is
    the empty word; such lines are ignored.

    Examples
    --------
    >>> records = Naacl().read([(1, b"1 1 2 S"), (2, b"3 2 1 P")], "a.naacl")
    >>> records.source.tolist(), records.target.tolist(), records.offsets.tolist()
    ([0, 1], [1, 0], [0, 1, 1, 2])
    >>> records.possible.tolist(), records.link_lines.tolist()
    ([False, True], [1, 2])
    """

    name = "naacl"
    empty_lines = False

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Read all lines.

        Raises
        ------
        InputError
            If the fields of a line are wrong, a number is malformed or above 16777216, or sentence
            numbers descend.

        Warns
        -----
        note
            If there are confidences, which are ignored, or links with the empty word.
        """
        link_ends = array("i")
        possible = bytearray()
        link_lines = array("q")
        sentences = array("q")
        last_sentence = confidence_count = null_link_count = 0
        for line_number, line in lines:
            match = _LINK_LINE.fullmatch(line)
            if match is None:
                if line.strip(b" \t"):
                    raise _line_error(path, line_number, line)
                continue
            sentence_number, source, target = map(int, match.group(1, 2, 3))
            if not 0 < sentence_number <= MAX_INDEX or max(source, target) > MAX_INDEX:
                raise _line_error(path, line_number, line)
            if sentence_number < last_sentence:
                file_position = location(path, line_number, match.start(1) + 1)
                problem = f"sentence {sentence_number} after sentence {last_sentence}"
                raise InputError(file_position, problem, "sentences in ascending order")
            last_sentence = sentence_number
            confidence_count += match[5] is not None
            if source == 0 or target == 0:
                null_link_count += 1
                continue
            link_ends.extend((source - 1, target - 1))
            possible.append(match[4] == b"P")
            link_lines.append(line_number)
            sentences.append(sentence_number)
        if confidence_count:
            note(f"{path}: the confidences of {_format_line_count(confidence_count)} are not kept")
        if null_link_count:
            note(
                f"{path}: {_format_line_count(null_link_count)} with position 0, the empty word: "
                "no link. Positions of this notation count from 1"
            )
        links = np.array(link_ends, np.int32).reshape(-1, 2)
        return Records(
            np.ascontiguousarray(links[:, 0]),
            np.ascontiguousarray(links[:, 1]),
            np.frombuffer(possible, np.bool_),
            np.searchsorted(np.array(sentences, np.int64), np.arange(last_sentence + 1), "right"),
            link_lines=np.array(link_lines, np.int64),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Yield one line per link, without a line end; a sentence without links has no line."""
        rows = np.repeat(np.arange(1, len(alignments) + 1), np.diff(alignments.offsets))
        columns = (rows, alignments.source + 1, alignments.target + 1, alignments.possible)
        for row, s, t, possible in zip(*(c.tolist() for c in columns), strict=True):
            yield f"{row} {s} {t} {'P' if possible else 'S'}"


def _line_error(path: str, number: int, line: bytes) -> InputError:
    """Build the error for the first invalid field of a line."""
    tokens = list(_TOKEN.finditer(line))
    for field_index, token in enumerate(tokens[:3]):
        text = token.group()
        is_number = text.isdigit() and len(text) < 20
        if not is_number or int(text) > MAX_INDEX or (field_index == 0 and int(text) == 0):
            problem = f"{quoted(text)} is no {('sentence', 'position')[field_index > 0]}"
            expected = f"{_EXPECTED}; numbers up to {MAX_INDEX}"
            return InputError(location(path, number, token.start() + 1), problem, expected)
    if len(tokens) < 3:
        problem = f"{len(tokens)} field{'s' if len(tokens) > 1 else ''}"
        return InputError(location(path, number), problem, _EXPECTED)
    wrong = tokens[3]
    if len(tokens) > 4 and wrong.group() in (b"S", b"P"):
        wrong = tokens[4]
    # If the line is valid up to this field, the next field is superfluous.
    if _LINK_LINE.fullmatch(line[: wrong.end()]):
        wrong = tokens[min(len(tokens) - 1, tokens.index(wrong) + 1)]
    problem = f"{quoted(wrong.group())} does not belong there"
    return InputError(location(path, number, wrong.start() + 1), problem, _EXPECTED)


def _format_line_count(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"


class _Header(NamedTuple):
    """The first line of a sentence pair, with its line number."""

    line: int
    pair: int
    source_length: int
    target_length: int


class Giza:
    """The format of GIZA++, with three lines per sentence pair.

    These are a header, the target sentence, and the source words, each with its target positions.
    Source words count from 1 after ``NULL``, the empty word; target positions count from 1. Pairs
    may come in any order and are sorted by their numbers. All links are sure; scores are ignored.

    Examples
    --------
    >>> text = [
    ...     b"# Sentence pair (1) source length 2 target length 3 alignment score : 0.1",
    ...     b"das Haus da ",
    ...     b"NULL ({ 3 }) the ({ 1 }) house ({ 2 }) ",
    ... ]
    >>> records = Giza().read(enumerate(text, 1), "a.A3.final")
    >>> records.source.tolist(), records.target.tolist(), records.target_lengths.tolist()
    ([0, 1], [0, 1], [3])
    """

    name = "giza"
    empty_lines = False

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Read all lines, and sort the sentence pairs.

        Raises
        ------
        InputError
            If a line is malformed, a length in a header is wrong, a position is out of range (or
            listed twice, if `strict`), or a pair is missing, listed twice or incomplete.
        """
        source, target = array("i"), array("i")
        headers, counts = array("q"), array("q")
        numbered_lines = iter(lines)
        for line_number, line in numbered_lines:
            if not line.strip(b" \t"):
                continue
            header = _parse_header(path, line_number, line)
            target_line, words_line = next(numbered_lines, None), next(numbered_lines, None)
            if target_line is None or words_line is None:
                problem = f"sentence pair {header.pair} is incomplete"
                raise InputError(
                    location(path, line_number), problem, "three lines per sentence pair"
                )
            tokens = _count_tokens(target_line[1])
            _check_length(path, target_line[0], "target", header.target_length, tokens)
            first_link = len(source)
            _parse_words_line(path, words_line, header, source, target, strict=strict)
            counts.append(len(source) - first_link)
            headers.extend(header)
        return _sort_pairs(path, headers, np.array(counts, np.int64), (source, target))


def _parse_header(path: str, number: int, line: bytes) -> _Header:
    match = _HEADER.fullmatch(line)
    if match is None:
        file_position = location(path, number, len(line) - len(line.lstrip(b" \t")) + 1)
        raise InputError(
            file_position, f"{quoted(line.strip(b' '))} begins no sentence pair", _HEADER_FORM
        )
    pair, source_length, target_length = map(int, match.groups())
    for group, value in enumerate((pair, source_length, target_length), 1):
        if value > MAX_INDEX:
            file_position = location(path, number, match.start(group) + 1)
            raise InputError(file_position, f"{value}", f"a number up to {MAX_INDEX}")
    if pair == 0:
        file_position = location(path, number, match.start(1) + 1)
        raise InputError(file_position, "sentence pair 0", "numbers from 1 on")
    return _Header(number, pair, source_length, target_length)


def _check_length(path: str, number: int, side: str, header_length: int, token_count: int) -> None:
    if header_length != token_count:
        tokens = "1 token" if token_count == 1 else f"{token_count} tokens"
        file_position = location(path, number)
        raise InputError(
            file_position, f"a {side} sentence of {tokens}", f"{header_length}, as the header says"
        )


def _parse_words_line(
    path: str,
    numbered_line: tuple[int, bytes],
    header: _Header,
    source: array[int],
    target: array[int],
    *,
    strict: bool,
) -> None:
    """Append the links of the third line of a sentence pair to `source` and `target`."""
    number, line = numbered_line
    fields = _WORD.findall(line)
    rows = [positions.split() for _, positions in fields]
    counts = list(map(len, rows))
    # `findall` skips text between matches: compare the number of tokens to detect it.
    if not fields or _count_tokens(line) != 3 * len(fields) + sum(counts):
        raise _word_error(path, number, line)
    if fields[0][0] != _EMPTY_WORD:
        file_position = location(path, number, line.index(fields[0][0]) + 1)
        raise InputError(
            file_position, f"{quoted(fields[0][0])} comes first", "NULL, the empty word"
        )
    _check_length(path, number, "source", header.source_length, len(fields) - 1)
    positions = list(map(int, chain.from_iterable(rows)))
    if positions and (min(positions) < 1 or max(positions) > header.target_length):
        raise _position_error(path, number, line, header.target_length)
    if strict and any(len({*map(int, f)}) < len(f) for f in rows):
        raise _position_error(path, number, line, header.target_length)
    target.extend(positions[counts[0] :])
    for word, count in enumerate(counts[1:]):
        source.extend([word] * count)


def _count_tokens(line: bytes) -> int:
    """Count the tokens, which are separated by spaces and tabs."""
    return sum(map(bool, line.replace(b"\t", b" ").split(b" ")))


def _word_error(path: str, number: int, line: bytes) -> InputError:
    """Build the error for the first source word that is not followed by its positions."""
    offset = 0
    token = _TOKEN.search(line)
    for word in _WORD_AT_TOKEN_START.finditer(line):
        if token is None or token.start() != word.start():
            break
        offset = word.end()
        # Text right after the closing brace counts as a token, but cannot start a word.
        token = _TOKEN.search(line, offset)
    file_position = location(path, number, (token.start() if token else len(line)) + 1)
    problem = quoted(token.group()) if token else "the end of the line"
    return InputError(
        file_position, problem, "a source word and its target positions, as in: word ({ 1 2 })"
    )


def _position_error(path: str, number: int, line: bytes, length: int) -> InputError:
    """Build the error for the first invalid target position."""
    positions = [
        (token, word.start())
        for word in _WORD.finditer(line)
        for token in _NUMBER.finditer(line, *word.span(2))
    ]
    seen: set[tuple[int, int]] = set()
    for token, word in positions:
        position = int(token.group())
        problem, expected = f"target position {position}", ""
        if not 1 <= position <= length:
            expected = f"positions from 1 to {length}" if length else "none: no target words"
        elif (word, position) in seen:
            problem, expected = f"{problem} is listed twice", "each once a source word"
        seen.add((word, position))
        if expected:
            break
    return InputError(location(path, number, token.start() + 1), problem, expected)


def _sort_pairs(
    path: str, headers: array[int], counts: Int64, links: tuple[array[int], array[int]]
) -> Records:
    """Sort the sentence pairs by number; raise an error unless each number occurs exactly once."""
    rows = np.array(headers, np.int64).reshape(-1, 4)
    order = np.argsort(rows[:, 1], kind="stable")
    sorted_rows = rows[order]
    wrong = np.flatnonzero(sorted_rows[:, 1] != np.arange(1, len(sorted_rows) + 1))
    if len(wrong):
        first = int(wrong[0])
        file_position = location(path, int(sorted_rows[first, 0]))
        pair = int(sorted_rows[first, 1])
        if pair == first:
            raise InputError(file_position, f"sentence pair {pair} is listed twice", "each once")
        problem = f"sentence pair {pair}, but no sentence pair {first + 1} in the whole file"
        raise InputError(file_position, problem, "all numbers from 1 on")
    offsets = row_offsets(counts)
    link_indices, offsets = value_indices(offsets, order)
    source, target = (np.array(column, np.int32)[link_indices] for column in links)
    return Records(
        source,
        target - 1,
        None,
        offsets,
        np.ascontiguousarray(sorted_rows[:, 3]),
        source_lengths=np.ascontiguousarray(sorted_rows[:, 2]),
        link_lines=np.repeat(sorted_rows[:, 0] + 2, np.diff(offsets)),
        row_lines=np.ascontiguousarray(sorted_rows[:, 0]),
    )
