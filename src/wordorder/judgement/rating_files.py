"""Files of ratings: of raters, of direct assessment, of MQM errors and their means."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wordorder.counts import counted, percent
from wordorder.errors import UsageError
from wordorder.judgement.ratings import Ratings
from wordorder.judgement.table_rows import Names, TableRows
from wordorder.notes import note
from wordorder.text.opening import Path
from wordorder.text.quoting import quoted

# The weights of MQM errors (Freitag et al. 2021, Table 4).
_WEIGHTS = {"no-error": 0.0, "neutral": 0.0, "minor": 1.0, "major": 5.0}
_PUNCTUATION, _NON_TRANSLATION = "fluency/punctuation", "non-translation"
_PUNCTUATION_WEIGHT, _NON_TRANSLATION_WEIGHT = 0.1, 25.0


class RatingRows:
    """Ratings as they come from a file; `ratings` returns them all."""

    def __init__(self) -> None:
        self.systems, self.raters, self.items = Names(), Names(), Names()
        self.rows: list[tuple[int, int, int]] = []
        self.values: list[float] = []

    def key(self, item: str, rater: str, system: str) -> tuple[int, int, int]:
        """Return the numbers of the names; an empty `rater` is unknown."""
        who = self.raters.number(rater) if rater else -1
        return self.items.number(item), who, self.systems.number(system)

    def add(self, item: str, rater: str, system: str, value: float) -> None:
        """Take one rating; an empty `rater` is unknown."""
        self.rows.append(self.key(item, rater, system))
        self.values.append(value)

    def ratings(self, standard: Iterable[float] | None = None) -> Ratings:
        """Return all ratings, with their values standardised for each rater, if those are known."""
        item, rater, system = np.array(self.rows, np.int32).reshape(-1, 3).T.copy()
        return Ratings(
            self.systems.all(),
            self.raters.all(),
            self.items.all(),
            item,
            rater,
            system,
            np.array(self.values, np.float64),
            None if standard is None else np.array(list(standard), np.float64),
        )


def rater_values(rows: TableRows) -> Ratings:
    """Read ratings of raters: rater, item, system and value; higher is better."""
    ratings = RatingRows()
    for rater, item, system, value in rows.cells("rater", "item", "system", "value"):
        ratings.add(
            rows.filled(item, "item"),
            rows.filled(rater, "rater"),
            rows.filled(system, "system"),
            rows.number(value, "value"),
        )
    return ratings.ratings()


def direct_assessment(rows: TableRows) -> Ratings:
    """Read the segment scores of WMT's direct assessment: SYS, SID, RAW.SCR, Z.SCR and N.

    A row is the mean of N raters, who are not named; Z.SCR is standardised for each rater.
    """
    ratings = RatingRows()
    standard: list[float] = []
    for system, item, raw, z in rows.cells("SYS", "SID", "RAW.SCR", "Z.SCR"):
        ratings.add(item, "", system, rows.number(raw, "RAW.SCR"))
        standard.append(rows.number(z, "Z.SCR"))
    return ratings.ratings(standard)


def judged_items(rows: TableRows, items: Path | None) -> Ratings:
    """Read scores of items: item, judge and score; another file has the system of each item.

    Parameters
    ----------
    rows : TableRows
    items : path
        A table with the columns item, system and source_line. An item without a source line is a
        segment of its own.
    """
    if items is None:
        raise UsageError(f"{rows.name}: scores of items; --items names the file with their systems")
    with TableRows(items) as table:
        if missing := {"item", "system"} - set(table.header):
            columns = "the columns item, system and source_line"
            raise table.error(f"no column {min(missing)}", columns)
        outputs = {
            item: (system, line or f"item {item}")
            for item, system, line in table.cells("item", "system", "source_line")
        }
    ratings = RatingRows()
    for item, rater, score in rows.cells("item", "judge", "score"):
        if item not in outputs:
            raise rows.error(f"item is {quoted(item.encode())}", f"an item of {table.name}")
        system, segment = outputs[item]
        ratings.add(segment, rows.filled(rater, "judge"), system, rows.number(score, "score"))
    return ratings.ratings()


def mqm_errors(rows: TableRows) -> Ratings:
    """Read MQM errors, a row each: the value of a rating is minus the sum of its weights.

    A minor error weighs 1, one of punctuation .1, a major one 5, a non-translation 25 (Freitag et
    al. 2021, Table 4).
    """
    ratings = RatingRows()
    weights: dict[tuple[int, int, int], list[float]] = {}
    segment = "seg_id" if "seg_id" in rows.header else "globalSegId"
    for system, item, rater, category, severity in rows.cells(
        "system", segment, "rater", "category", "severity"
    ):
        key = ratings.key(
            rows.filled(item, segment), rows.filled(rater, "rater"), rows.filled(system, "system")
        )
        weights.setdefault(key, []).append(_weight(rows, category.lower(), severity))
    ratings.rows = list(weights)
    # In tenths, without rounding: ties of outputs depend on it.
    ratings.values = [
        0.0 - sum(round(10 * each) for each in some) / 10 for some in weights.values()
    ]
    return ratings.ratings()


def mqm_means(rows: TableRows) -> Ratings:
    """Read the mean MQM score of each system and segment; None is a segment that is not rated."""
    ratings = RatingRows()
    read = unrated = 0
    for system, score, item in rows.cells("system", "mqm_avg_score", "seg_id"):
        read += 1
        if score == "None":
            unrated += 1
        else:
            ratings.add(item, "", system, 0.0 + rows.number(score, "mqm_avg_score"))
    if unrated:
        what = f"{counted(unrated, 'output')} of {read} ({percent(unrated, read)}) without a score"
        note(f"{rows.name}: {what} (None)")
    return ratings.ratings()


def _weight(rows: TableRows, category: str, severity: str) -> float:
    """Return what an error weighs."""
    if severity.lower() not in _WEIGHTS:
        names = "Major, Minor, Neutral or No-error"
        raise rows.error(f"severity is {quoted(severity.encode())}", names)
    weight = _WEIGHTS[severity.lower()]
    if category.startswith(_NON_TRANSLATION) and weight:
        return _NON_TRANSLATION_WEIGHT
    if category == _PUNCTUATION and weight == _WEIGHTS["minor"]:
        return _PUNCTUATION_WEIGHT
    return weight
