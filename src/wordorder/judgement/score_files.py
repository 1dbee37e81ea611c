"""Files of scores: a system and a score a line, as mt-metrics-eval has them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wordorder.counts import counted
from wordorder.errors import InputError, location
from wordorder.judgement.table_rows import LARGEST
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_text

# How a missing score is written.
MISSING = "None"


def read_scores(path: Path) -> dict[str, list[float]]:
    r"""Read the scores of systems, in the order of the file; NaN where there is none.

    Each line is a system, a blank or tab, and a number or ``None``. A system has a line for each
    segment, for each document, or one.

    Raises
    ------
    InputError
        At a line that has no system and score, or a score that is no finite number, such as
        ``nan``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "de-en.mqm.seg.score")
    >>> _ = path.write_text("A\t-1.5\nA\tNone\nB\t0\nB\t-2\n")
    >>> read_scores(path)
    {'A': [-1.5, nan], 'B': [0.0, -2.0]}
    """
    scores: dict[str, list[float]] = {}
    for number, line in enumerate(read_lines(path), 1):
        parts = line.split("\t") if "\t" in line else line.rsplit(None, 1)
        if len(parts) != 2 or not parts[0].strip():
            if not line.strip():
                continue
            where = location(display_name(path), number)
            raise InputError(where, repr(line[:60]), "a system and its score")
        score = _number(parts[1].strip())
        if score is None:
            where = location(display_name(path), number)
            raise InputError(where, f"score {parts[1].strip()!r}", f"a number or {MISSING}")
        scores.setdefault(parts[0].strip(), []).append(score)
    return scores


def check_lengths(path: Path, scores: Mapping[str, Sequence[float]], length: int, of: str) -> None:
    """Raise an InputError unless each system has a score for each segment, or document.

    Parameters
    ----------
    path : path
        Where the scores come from.
    scores : mapping of system to scores
    length : int
        How many are expected.
    of : str
        What each is a score of: ``"segment"``.
    """
    for system, values in scores.items():
        if len(values) != length:
            what = f"{counted(len(values), 'score')} of {system}"
            expected = f"{length}: one a {of}, {MISSING} where there is none"
            raise InputError(display_name(path), what, expected)


def write_scores(path: Path, scores: Mapping[str, Sequence[float]]) -> None:
    """Write the scores of systems, in full precision; ``None`` for NaN."""
    with write_text(path) as stream:
        for system, values in scores.items():
            for value in values:
                stream.write(f"{system}\t{MISSING if math.isnan(value) else repr(float(value))}\n")


def _number(text: str) -> float | None:
    """Return a score, NaN for a missing one; None if the text is neither."""
    if text == MISSING:
        return math.nan
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) <= LARGEST else None
