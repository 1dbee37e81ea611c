"""Systems ranked by people: as a table, as JSON, as TSV."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from wordorder.counts import counted, number, percent
from wordorder.judgement.judgements import FailedRater
from wordorder.judgement.project_file import ProjectProgress, RaterProgress
from wordorder.judgement.ranking import Ranking
from wordorder.report.document import Table
from wordorder.report.ranking import cluster_reading
from wordorder.report.tables import Cell, columns_tsv, paragraph, paragraphs, table, tsv

NAMES = {
    "wins": "ratio of wins: won / (won + lost), ties ignored",
    "expected-wins": "Expected Wins: the mean share won over the opponents, ties ignored",
    "bradley-terry": "Bradley-Terry: logarithm of the odds, ties ignored",
    "trueskill": "TrueSkill: mean skill over the runs",
    "z": "mean standard score over the segments",
}

RANKING_HEADER = ["rank", "system", "value", "interval", "judgements"]


def ranking_text(ranking: Ranking) -> str:
    """Lay out the systems, the best first, a blank line between clusters, and how they came."""
    rows: list[list[Cell]] = []
    for system in ranking.systems:
        ranks = str(system.best)
        if system.worst > system.best:
            ranks = f"{system.best}-{system.worst}"
        known = not math.isnan(system.value)
        interval = f"[{number(system.low)}, {number(system.high)}]" if known else ""
        value = system.value if known else None
        rows.append([ranks, system.name, value, interval, system.judgements])
    ends = tuple(
        place
        for place, (system, following) in enumerate(pairwise(ranking.systems))
        if following.cluster > system.cluster
    )
    shown = Table(rows, RANKING_HEADER, ends=ends).to_text()
    text = "\n\n".join([shown, *map(paragraphs, (_reading(ranking), _how(ranking)))]) + "\n"
    everybody = None if ranking.everybody is None else ranking_text(ranking.everybody)
    return text + collected_text(ranking.signature, ranking.failed, everybody)


def ranking_json(ranking: Ranking) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    return {
        "by": ranking.by,
        "judgements": ranking.judgements,
        "ties": ranking.ties,
        "items": ranking.items,
        "level": ranking.level,
        "resamples": ranking.resamples,
        "seed": ranking.seed,
        **({"over": "raters", "raters": ranking.raters} if ranking.over == "raters" else {}),
        "systems": [
            {
                "name": system.name,
                "value": _plain(system.value),
                "low": _plain(system.low),
                "high": _plain(system.high),
                "cluster": system.cluster,
                "rank_range": [system.best, system.worst],
                "judgements": system.judgements,
            }
            for system in ranking.systems
        ],
        **collected_json(
            ranking.signature,
            ranking.failed,
            None if ranking.everybody is None else ranking_json(ranking.everybody),
        ),
    }


def ranking_tsv(ranking: Ranking) -> str:
    """Write a row for each system, in full precision."""
    return columns_tsv(ranking.to_columns())


def _reading(ranking: Ranking) -> str:
    """Say in one sentence which systems are told apart."""
    clusters: dict[int, list[int]] = {}
    for place, system in enumerate(ranking.systems):
        clusters.setdefault(system.cluster, []).append(place)
    names = [system.name for system in ranking.systems]
    return cluster_reading(names, list(clusters.values()), subject="ranking", level=ranking.level)


def _how(ranking: Ranking) -> str:
    """Say what the numbers are and what they rest on."""
    what = "rating" if ranking.by == "z" else "judged pair"
    ties = ""
    if what == "judged pair":
        share = percent(ranking.ties, ranking.judgements)
        ties = f" ({counted(ranking.ties, 'tie')}, {share})"
    drawn = "items"
    if ranking.over == "raters":
        drawn = counted(ranking.raters, "rater")
    return (
        f"{NAMES[ranking.by]}\n"
        f"{counted(ranking.judgements, what)}{ties} on {counted(ranking.items, 'item')}; [low, "
        f"high] and the ranks hold in {100 * ranking.level:g} % of "
        f"{counted(ranking.resamples, 'resample')} of the {drawn}, seed {ranking.seed}"
    )


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def collected_text(signature: str, failed: Sequence[FailedRater], everybody: str | None) -> str:
    r"""Say how judgements were collected and who is left out, with what they would change.

    Parameters
    ----------
    signature : str
        Empty if the judgements come from a file of another kind: then nothing is said.
    failed : sequence of FailedRater
    everybody : str, optional
        The results with those who failed, laid out.

    Examples
    --------
    >>> print(collected_text("talbot|ratings:3", [FailedRater("rater2", 1, 4)], "A 0.5\n"), end="")
    <BLANKLINE>
    signature: talbot|ratings:3
    left out 1 rater with fewer than 60 % of the control items right: rater2 (1 of
    4, 25 %)
    <BLANKLINE>
    With everybody:
    <BLANKLINE>
    A 0.5
    """
    if not signature:
        return ""
    lines = ["", f"signature: {signature}"]
    if failed:
        names = ", ".join(
            f"{each.name} ({each.right} of {each.asked}, {percent(each.right, each.asked)})"
            for each in failed
        )
        raters = counted(len(failed), "rater")
        how = f"left out {raters} with fewer than 60 % of the control items right: {names}"
        lines.append(paragraph(how))
    text = "\n".join(lines) + "\n"
    return text if everybody is None else f"{text}\nWith everybody:\n\n{everybody}"


def collected_json(
    signature: str, failed: Sequence[FailedRater], everybody: dict[str, Any] | None
) -> dict[str, Any]:
    """Return the same as further keys of a result; none without a signature."""
    if not signature:
        return {}
    return {
        "signature": signature,
        "failed_raters": [
            {"rater": each.name, "right": each.right, "asked": each.asked} for each in failed
        ],
        "everybody": everybody,
    }


PROGRESS_HEADER = ["rater", "done", "of", "last seen", "control", ""]


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
    return f"{table(rows, PROGRESS_HEADER)}\n\n{items}\nsignature: {found.signature}\n"


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


# More words are in the JSON.
_WORDS = 10


def annotator_agreement_text(found: dict[str, Any]) -> str:
    """Lay out each two annotators, the words on which they differ most, and the sentences."""
    rows: list[list[Cell]] = [
        [each["first"], each["second"], each["sentences"], each["f1"], each["kappa"]]
        for each in found["pairs"]
    ]
    parts = [table(rows, ["first", "second", "sentences", "F1", "kappa"])]
    for each in found["pairs"]:
        who = f"{each['first']} and {each['second']}"
        if each["words"]:
            shown = [[word["word"], word["differ"], word["of"]] for word in each["words"][:_WORDS]]
            parts.append(
                f"Words on which {who} differ most\n"
                + table(shown, ["word", "links differ", "occurrences"])
            )
        lines = [
            f"  {row['sentence']}: {_words(row, 'only_first', each['first'])}"
            f"{_words(row, 'only_second', each['second'])}".rstrip("; ")
            for row in each["differences"]
        ]
        if lines:
            number = counted(len(lines), "sentence")
            verb = "differs" if len(lines) == 1 else "differ"
            parts.append("\n".join([f"{number} of {who} {verb}", *lines]))
        if each["not_compared"]:
            listed = ", ".join(map(str, each["not_compared"]))
            parts.append(f"Not compared, since their translations differ: {listed}")
    parts.append(
        "F1: 2 x links of both / (links of the one + links of the other)\n"
        "kappa: Cohen's, of linked or not over all pairs of words\n"
        f"signature: {found['signature']}"
    )
    return "\n\n".join(parts) + "\n"


def annotator_agreement_tsv(found: dict[str, Any]) -> str:
    """Write a row for each two annotators, in full precision."""
    header = ["first", "second", "sentences", "f1", "kappa"]
    rows: list[list[Cell]] = [[each[name] for name in header] for each in found["pairs"]]
    return tsv(rows, header, decimals=None) + "\n"


def _words(row: dict[str, Any], key: str, name: str) -> str:
    """Name the links of one annotator alone by their words."""
    links = ", ".join(f"{row['source'][s]}-{row['target'][t]}" for s, t in row[key])
    return f"{name} {links}; " if links else ""
