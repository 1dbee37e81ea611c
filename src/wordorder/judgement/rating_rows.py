"""Read ratings of single outputs from tables: values of raters, direct assessment, MQM."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from wordorder.errors import UsageError
from wordorder.judgement.judgements import Ratings
from wordorder.judgement.table_rows import NamedRows, TableRows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.text.blocks import quoted
from wordorder.text.opening import Path

# The weights of MQM errors (Freitag et al. 2021, Table 4). Critical errors weigh as much as major
# ones, as in WMT's official scores of 2024.
_MQM_WEIGHTS = {"no-error": 0.0, "neutral": 0.0, "minor": 1.0, "major": 5.0, "critical": 5.0}
_PUNCTUATION_CATEGORY, _NON_TRANSLATION_CATEGORY = "fluency/punctuation", "non-translation"
_PUNCTUATION_WEIGHT, _NON_TRANSLATION_WEIGHT = 0.1, 25.0

# The severity of planted errors, which test raters and are not errors of the system.
_RATER_CHECK = "hotw-test"


class RatingRows(NamedRows):
    """Collects the ratings in a file."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[tuple[int, ...]] = []
        self.values: list[float] = []

    def add(self, item: str, rater: str, system: str, value: float) -> None:
        """Add one rating; an empty `rater` is unknown."""
        self.rows.append(self.ids(item, rater, system))
        self.values.append(value)

    def ratings(self, standard: Iterable[float] | None = None) -> Ratings:
        """Return all ratings.

        `standard` has the same values standardised for each rater, one per rating in the order of
        `add`, if the file gives them; they are not computed here.
        """
        item, rater, system = np.array(self.rows, np.int32).reshape(-1, 3).T.copy()
        values = np.array(self.values, np.float64)
        standardised = None if standard is None else np.array(list(standard), np.float64)
        return Ratings(*self.names, item, rater, system, values, standardised)


def rater_values(rows: TableRows) -> Ratings:
    """Read ratings of raters: rater, item, system and value; higher is better."""
    ratings = RatingRows()
    for rater, item, system, value in rows.cells("rater", "item", "system", "value"):
        names = rows.filled(rater, "rater"), rows.filled(system, "system")
        ratings.add(rows.filled(item, "item"), *names, rows.number(value, "value"))
    return ratings.ratings()


def direct_assessment(rows: TableRows) -> Ratings:
    """Read the segment scores of WMT's direct assessment: SYS, SID, RAW.SCR, Z.SCR and N.

    A row is the mean of N unnamed raters; Z.SCR is standardised for each rater.
    """
    ratings = RatingRows()
    standard: list[float] = []
    for system, item, raw, z in rows.cells("SYS", "SID", "RAW.SCR", "Z.SCR"):
        ratings.add(item, "", system, rows.number(raw, "RAW.SCR"))
        standard.append(rows.number(z, "Z.SCR"))
    return ratings.ratings(standard)


def judged_items(rows: TableRows, items: Path | None) -> Ratings:
    """Read scores of items: item, judge and score.

    Parameters
    ----------
    rows : TableRows
    items : path
        A table with the columns item, system and source_line. Each item without a source line is a
        separate segment.
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
    """Read MQM errors, one per row: a rating is minus the sum of the weights of its errors.

    A minor error weighs 1, in punctuation .1, a major or critical error 5, and a non-translation 25
    (Freitag et al. 2021, Table 4). Rows of rater checks (``HOTW-test``) are skipped, with a note.
    """
    ratings = RatingRows()
    read = checks = 0
    weights: dict[tuple[int, ...], list[float]] = {}
    segment = "seg_id" if "seg_id" in rows.header else "globalSegId"
    for system, item, rater, category, severity in rows.cells(
        "system", segment, "rater", "category", "severity"
    ):
        read += 1
        if severity.lower() == _RATER_CHECK:
            checks += 1
            continue
        item_and_rater = rows.filled(item, segment), rows.filled(rater, "rater")
        ids = ratings.ids(*item_and_rater, rows.filled(system, "system"))
        weights.setdefault(ids, []).append(_weight(rows, category.lower(), severity))
    if checks:
        share = percent(checks, read)
        note(
            f"{rows.name}: left out {checks} of {counted(read, 'row')} ({share}): rater checks "
            f"(HOTW-test)"
        )
    ratings.rows = list(weights)
    # Sum integer tenths: rounding errors would break ties between outputs.
    ratings.values = [
        0.0 - sum(round(10 * weight) for weight in error_weights) / 10
        for error_weights in weights.values()
    ]
    return ratings.ratings()


def mqm_means(rows: TableRows) -> Ratings:
    """Read the mean MQM score of each system and segment; unrated segments have None."""
    ratings = RatingRows()
    read = unrated = 0
    for system, score, item in rows.cells("system", "mqm_avg_score", "seg_id"):
        read += 1
        if score == "None":
            unrated += 1
        else:
            ratings.add(item, "", system, 0.0 + rows.number(score, "mqm_avg_score"))
    if unrated:
        share = percent(unrated, read)
        note(
            f"{rows.name}: {counted(unrated, 'output')} of {read} ({share}) without a score (None)"
        )
    return ratings.ratings()


def _weight(rows: TableRows, category: str, severity: str) -> float:
    """Return the weight of an error."""
    if severity.lower() not in _MQM_WEIGHTS:
        names = "Critical, Major, Minor, Neutral, No-error or HOTW-test"
        raise rows.error(f"severity is {quoted(severity.encode())}", names)
    weight = _MQM_WEIGHTS[severity.lower()]
    if category.startswith(_NON_TRANSLATION_CATEGORY) and weight:
        return _NON_TRANSLATION_WEIGHT
    if category == _PUNCTUATION_CATEGORY and weight == _MQM_WEIGHTS["minor"]:
        return _PUNCTUATION_WEIGHT
    return weight
