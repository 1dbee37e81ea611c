"""Progress of the people in a project: as a table, as JSON, as TSV."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from wordorder.counts import counted, percent
from wordorder.judgement.project_progress import ProjectProgress, RaterProgress
from wordorder.report.tables import Cell, table, tsv

HEADER = ["rater", "done", "of", "last seen", "control", ""]


def progress_text(found: ProjectProgress) -> str:
    """Lay out a row for each rater, and how many items are done."""
    rows: list[list[Cell]] = []
    for each in found.raters:
        remarks = ["link closed"] * each.revoked + ["too few control items right"] * each.failed
        if each.empty:
            remarks.append(f"{each.empty} with nothing to align")
        if each.unconfirmed:
            remarks.append(f"{each.unconfirmed} left empty, not confirmed: not done")
        control = f"{each.right} of {each.asked}" if each.asked else ""
        seen = _time(each)
        rows.append(
            [each.name, each.done, each.total, seen or "never", control, ", ".join(remarks)]
        )
    share = percent(found.done, found.items)
    items = f"{found.done} of {counted(found.items, 'item')} ({share}) have all their answers"
    return f"{table(rows, HEADER)}\n\n{items}\nsignature: {found.signature}\n"


def progress_json(found: ProjectProgress) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    return {
        "done": found.done,
        "items": found.items,
        "signature": found.signature,
        "raters": [
            {
                "name": each.name,
                "done": each.done,
                "total": each.total,
                "seen": _time(each),
                "revoked": each.revoked,
                "right": each.right,
                "asked": each.asked,
                "failed": each.failed,
                "empty": each.empty,
                "unconfirmed": each.unconfirmed,
            }
            for each in found.raters
        ],
    }


def progress_tsv(found: ProjectProgress) -> str:
    """Write a row for each rater."""
    header = ["rater", "done", "total", "seen", "revoked", "right", "asked", "failed"]
    header += ["empty", "unconfirmed"]
    rows: list[list[Cell]] = [
        [
            *(each.name, each.done, each.total, _time(each), int(each.revoked)),
            *(each.right, each.asked, int(each.failed), each.empty, each.unconfirmed),
        ]
        for each in found.raters
    ]
    return tsv(rows, header, decimals=None) + "\n"


def _time(rater: RaterProgress) -> str | None:
    """Write when a rater was there last, in UTC; None if he has not come."""
    if not rater.come:
        return None
    moment = datetime.fromtimestamp(rater.seen, timezone.utc)
    return moment.isoformat(timespec="seconds").replace("+00:00", "Z")
