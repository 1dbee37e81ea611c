"""The notation of the shared tasks of NAACL 2003 and ACL 2005: a line a link, ``18 1 1 S``."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import MAX_INDEX
from wordorder.alignment.formats import NumberedLines, Records
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.text.quoting import quoted

_LINE = re.compile(
    rb"[ \t]*([0-9]{1,19})[ \t]+([0-9]{1,19})[ \t]+([0-9]{1,19})"
    rb"(?:[ \t]+([SP]))?(?:[ \t]+((?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))?[ \t]*"
)
_TOKEN = re.compile(rb"[^ \t]+")
_EXPECTED = (
    "sentence, source and target position, each from 1 in ASCII digits, then perhaps S or P, then "
    "perhaps a confidence"
)


class Naacl:
    """A line for each link: sentence, source position, target position, ``S`` or ``P``.

    All count from 1. ``S`` is a sure link, also where nothing is said, ``P`` a possible one
    (Mihalcea and Pedersen 2003). Sentences are in ascending order; those without a line have no
    links. Position 0 is the empty word: no link.

    Examples
    --------
    >>> found = Naacl().read([(1, b"1 1 2 S"), (2, b"3 2 1 P")], "a.naacl")
    >>> found.source.tolist(), found.target.tolist(), found.offsets.tolist()
    ([0, 1], [1, 0], [0, 1, 1, 2])
    >>> found.possible.tolist(), found.link_lines.tolist()
    ([False, True], [1, 2])
    """

    name = "naacl"
    empty_lines = False

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Read all lines.

        Raises
        ------
        InputError
            If a line has other fields, a number is not strictly one or above 16777216, or
            sentences do not ascend.

        Warns
        -----
        WordOrderWarning
            If there are confidences, which are not kept, or links with the empty word.
        """
        ends = array("i")
        possible = bytearray()
        places = array("q")
        sentences = array("q")
        last = confidences = empty = 0
        for number, line in lines:
            match = _LINE.fullmatch(line)
            if match is None:
                if line.strip(b" \t"):
                    raise _bad_line(path, number, line)
                continue
            sentence, source, target = map(int, match.group(1, 2, 3))
            if not 0 < sentence <= MAX_INDEX or max(source, target) > MAX_INDEX:
                raise _bad_line(path, number, line)
            if sentence < last:
                raise InputError(
                    location(path, number, match.start(1) + 1),
                    f"sentence {sentence} after sentence {last}",
                    "sentences in ascending order",
                )
            last = sentence
            confidences += match[5] is not None
            if source == 0 or target == 0:
                empty += 1
                continue
            ends.extend((source - 1, target - 1))
            possible.append(match[4] == b"P")
            places.append(number)
            sentences.append(sentence)
        if confidences:
            note(f"{path}: the confidences of {_lines(confidences)} are not kept")
        if empty:
            note(
                f"{path}: {_lines(empty)} with position 0, the empty word: no link. "
                "Positions of this notation count from 1"
            )
        links = np.array(ends, np.int32).reshape(-1, 2)
        return Records(
            np.ascontiguousarray(links[:, 0]),
            np.ascontiguousarray(links[:, 1]),
            np.frombuffer(possible, np.bool_),
            np.searchsorted(np.array(sentences, np.int64), np.arange(last + 1), "right"),
            np.array(places, np.int64),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each link as a line without its end; a sentence without links has none."""
        rows = np.repeat(np.arange(1, len(alignments) + 1), np.diff(alignments.offsets))
        columns = (rows, alignments.source + 1, alignments.target + 1, alignments.possible)
        for row, s, t, possible in zip(*(c.tolist() for c in columns), strict=True):
            yield f"{row} {s} {t} {'P' if possible else 'S'}"


def _bad_line(path: str, number: int, line: bytes) -> InputError:
    """Build the error for the first token of a line that does not fit."""
    tokens = list(_TOKEN.finditer(line))
    for place, token in enumerate(tokens[:3]):
        text = token.group()
        digits = text.isdigit() and len(text) < 20
        if not digits or int(text) > MAX_INDEX or (place == 0 and int(text) == 0):
            what = f"{quoted(text)} is no {('sentence', 'position')[place > 0]}"
            expected = f"{_EXPECTED}; numbers up to {MAX_INDEX}"
            return InputError(location(path, number, token.start() + 1), what, expected)
    if len(tokens) < 3:
        what = f"{len(tokens)} field{'s' if len(tokens) > 1 else ''}"
        return InputError(location(path, number), what, _EXPECTED)
    wrong = tokens[3]
    if len(tokens) > 4 and wrong.group() in (b"S", b"P"):
        wrong = tokens[4]
    # A good fourth and fifth field: one too many.
    if _LINE.fullmatch(line[: wrong.end()]):
        wrong = tokens[min(len(tokens) - 1, tokens.index(wrong) + 1)]
    what = f"{quoted(wrong.group())} does not belong there"
    return InputError(location(path, number, wrong.start() + 1), what, _EXPECTED)


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
