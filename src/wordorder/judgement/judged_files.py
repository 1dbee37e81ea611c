"""Judgements from files, put onto the lines of an evaluation set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError
from wordorder.judgement.judgement_files import read_judgements
from wordorder.judgement.judgements import PairJudgements, Ratings
from wordorder.judgement.project_file import is_project
from wordorder.judgement.score_table import MISSING, read_scores
from wordorder.notes import note
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name
from wordorder.types import Array, Int64


@dataclass(frozen=True)
class JudgedScores:
    """Scores of segments, documents or systems as a file has them.

    Attributes
    ----------
    path : str
    scores : mapping of system to (places, scores)
        The places are from 0: of the segments, say.
    numbered : bool
        Whether the file numbers what it scores; one that does not must score all of it.
    """

    path: str
    scores: Mapping[str, tuple[Sequence[int], Sequence[float]]]
    numbered: bool

    @property
    def length(self) -> int:
        """How many segments, say, there are at least."""
        return max((max(places, default=-1) + 1 for places, _ in self.scores.values()), default=0)

    def rows(self, length: int, of: str) -> dict[str, list[float]]:
        """Return the scores of each system, NaN where there is none.

        Parameters
        ----------
        length : int
            How many segments there are, or documents.
        of : str
            What is scored: ``"segment"``.

        Raises
        ------
        InputError
            If the file has more of them, or another number.
        """
        made = {}
        if not length and of == "document" and self.scores:
            what = "scores of documents, but the set does not say which segments form a document"
            raise InputError(self.path, what, "documents = FILE beside them")
        for system, (places, values) in self.scores.items():
            if not self.numbered and len(values) != length:
                what = f"{counted(len(values), 'score')} of {system}"
                expected = f"{length}: one a {of}, {MISSING} where there is none"
                raise InputError(self.path, what, expected)
            if max(places, default=-1) >= length:
                what = f"a score of {of} {max(places) + 1} by {system}"
                raise InputError(self.path, what, f"{of}s 1 to {length}")
            row = [math.nan] * length
            for place, value in zip(places, values, strict=True):
                row[place] = value
            made[system] = row
        return made


def plain_scores(path: Path) -> JudgedScores:
    """Read a system and a score a line; see `read_scores`."""
    scores = {system: (range(len(row)), row) for system, row in read_scores(path).items()}
    return JudgedScores(display_name(path), scores, False)


def read_judged_scores(path: Path) -> JudgedScores:
    """Read scores: a system and a score a line, or judgements with a header.

    Of ratings (direct assessment, MQM, values of raters) each system gets the mean of its raters
    on a segment; of direct assessment the standardised values, as WMT does.

    Raises
    ------
    InputError
        If a row is wrong, or a segment is not a line number, from 1.
    """
    if not _has_header(path):
        return plain_scores(path)
    name = display_name(path)
    ratings = read_judgements(path)
    if not isinstance(ratings, Ratings):
        raise InputError(name, "rankings or pairs", "ratings (rankings = names rankings)")
    _note_signature(name, ratings.signature)
    lines = line_numbers(ratings.items, path)
    of_system = {}
    for system, means in zip(ratings.systems, ratings.means(ratings.standard), strict=True):
        rated = ~np.isnan(means)
        of_system[system] = (lines[rated].tolist(), means[rated].tolist())
    return JudgedScores(name, of_system, True)


def read_rankings(paths: Sequence[Path], segments: int) -> PairJudgements:
    """Read rankings or pairs of outputs from one or several files, as one.

    Raises
    ------
    InputError
        If a file has other judgements, or a segment is not the number of a line, from 1.
    """
    parts = []
    for path in paths:
        judged = read_judgements(path)
        if not isinstance(judged, PairJudgements):
            expected = "rankings or pairs (segment_scores = names ratings)"
            raise InputError(display_name(path), "ratings", expected)
        _note_signature(display_name(path), judged.signature)
        lines = line_numbers(judged.items, path)
        if segments and lines.max(initial=0) >= segments:
            what = f"a judgement of segment {lines.max() + 1}"
            raise InputError(display_name(path), what, f"segments 1 to {segments}")
        parts.append(judged)
    return parts[0] if len(parts) == 1 else _joined(parts)


def _note_signature(name: str, signature: str) -> None:
    """Say how the judgements of a project were collected."""
    if signature:
        note(f"{name}: judgements {signature}")


def line_numbers(items: Sequence[str], path: Path) -> Int64:
    """Return the lines, from 0, that the names of items say.

    Raises
    ------
    InputError
        If a name is no whole number from 1.
    """
    for name in items:
        if not (name.isascii() and name.isdigit() and int(name) > 0):
            raise InputError(
                display_name(path), f"segment {name!r}", "the number of a line, from 1"
            )
    return np.array([int(name) - 1 for name in items], np.int64)


def _joined(parts: Sequence[PairJudgements]) -> PairJudgements:
    """Put judgements of several files one behind the other."""
    systems, raters, items = (
        tuple(dict.fromkeys(name for part in parts for name in getattr(part, names)))
        for names in ("systems", "raters", "items")
    )
    numbers = {
        names: {name: number for number, name in enumerate(whole)}
        for names, whole in (("systems", systems), ("raters", raters), ("items", items))
    }
    columns: dict[str, list[Array]] = {}
    shared: dict[tuple[int, int], tuple[int, ...]] = {}
    rankings = 0
    for part in parts:
        of = {
            names: np.array([number[name] for name in getattr(part, names)], np.int32)
            for names, number in numbers.items()
        }
        rater = np.where(part.rater < 0, -1, np.append(of["raters"], -1)[part.rater])
        item, first, second = part.item, of["systems"][part.first], of["systems"][part.second]
        for (place, system), others in part.shared.items():
            # In all files the first of all systems names the output that several share.
            named, *rest = sorted(of["systems"][[system, *others]].tolist())
            for end, given in ((first, part.first), (second, part.second)):
                end[(item == place) & (given == system)] = named
            shared[int(of["items"][place]), named] = tuple(rest)
        for name, column in (
            ("item", of["items"][item]),
            ("rater", rater.astype(np.int32)),
            ("first", first),
            ("second", second),
            ("outcome", part.outcome),
            ("ranking", part.ranking + rankings),
        ):
            columns.setdefault(name, []).append(column)
        rankings += int(part.ranking.max(initial=-1)) + 1
    joined: dict[str, Any] = {name: np.concatenate(each) for name, each in columns.items()}
    return PairJudgements(systems, raters, items, **joined, shared=shared)


def _has_header(path: Path) -> bool:
    """Return whether a file begins with a header, not with a system and its score."""
    if is_project(path):
        return True
    for line in read_lines(path):
        if not line.strip():
            continue
        parts = line.split("\t") if "\t" in line else line.rsplit(None, 1)
        if len(parts) != 2:
            return True
        try:
            return parts[1].strip() != MISSING and float(parts[1]) is None
        except ValueError:
            return True
    return False
