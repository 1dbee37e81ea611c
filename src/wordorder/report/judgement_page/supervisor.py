"""The owner's page of a project: who has done what, agreement so far, and how to export."""

import math
import os
from collections.abc import Mapping, Sequence
from shlex import quote
from statistics import median

from wordorder._version import __version__
from wordorder.judgement.project_file import MIN_RIGHT, ProjectProgress
from wordorder.messages import number, percent
from wordorder.report.page.filling import templates
from wordorder.report.tables import interval
from wordorder.text.opening import Path


def supervisor_page(
    path: Path,
    progress: ProjectProgress,
    *,
    seconds: Mapping[str, float],
    agreement: Sequence[tuple[str, float, float, float, int]],
    exports: Sequence[tuple[str, ...]],
) -> str:
    """Write the state of a project as one HTML page, for its owner.

    Parameters
    ----------
    path : path
        The project, as the commands of the page name it.
    progress : ProjectProgress
    seconds : mapping of str to float
        The median time of each rater for an item.
    agreement : sequence of (name, value, low, high, n)
        Empty until two answers can be compared.
    exports : sequence of (what, format) or (what, format, rater)

    Returns
    -------
    str
        No name of a system is in it.

    Examples
    --------
    >>> from wordorder.judgement.project_file import RaterProgress
    >>> rater = RaterProgress("<rater1>", 3, 10, None, False, 0, 0, False, 0, 0)
    >>> page = supervisor_page("p.db", ProjectProgress(3, 10, "", (rater,)),
    ...                        seconds={"<rater1>": 60.0}, agreement=(), exports=())
    >>> "&lt;rater1&gt;" in page, "About 7 min of work is left" in page
    (True, True)
    """
    name = os.path.basename(os.fspath(path))
    filled = templates("wordorder.report.judgement_page", style="supervisor.css")
    template = filled.get_template("supervisor.html.j2")
    rows = [
        {
            "rater": each,
            "share": percent(each.done, each.total) if each.total else "",
            # In twentieths, as bars of all pages.
            "bar": max(1, round(20 * each.done / each.total)) if each.done else 0,
            "seen": (each.seen or "never").replace("T", " ").replace("Z", " UTC"),
            "seconds": f"{seconds[each.rater]:.0f}" if each.rater in seconds else "",
            "time": _clock(seconds[each.rater]) if each.rater in seconds else "",
            "remarks": ["link closed"] * each.revoked
            + ["too few control items right"] * each.failed
            + [f"{each.empty} with nothing to align"] * bool(each.empty)
            + [f"{each.unconfirmed} left empty, not done"] * bool(each.unconfirmed),
        }
        for each in progress.raters
    ]
    answers = sum(each.done for each in progress.raters)
    expected = sum(each.total for each in progress.raters)
    return template.render(
        title=f"Progress of {name}",
        progress=progress,
        answers=answers,
        expected=expected,
        share=percent(answers, expected) if expected else "",
        time_left=_time_left(progress, seconds),
        named=any(what == "ratings" for what, *_ in exports),
        remarked=any(row["remarks"] for row in rows),
        controlled=any(each.asked for each in progress.raters),
        least=f"{100 * MIN_RIGHT:g} %",
        rows=rows,
        agreement=[
            (what, number(value, at), "" if math.isnan(low) else interval(low, high, at), n)
            for what, value, low, high, n in agreement
            for at in [_digits(n)]
        ],
        exports=[
            f"wordorder export {quote(os.fspath(path))} --what {what} --format {form} "
            + "".join(f"--rater {quote(name)} " for name in rater)
            + f"-o {'-'.join([what, *map(quote, rater)])}.{form}"
            for what, form, *rater in exports
        ],
        version=__version__,
    )


def _digits(n: int) -> int:
    """Return the number of decimals that n answers support: their error is about 1 / sqrt(n)."""
    return 1 if n < 25 else 2 if n < 2500 else 3


def _time_left(progress: ProjectProgress, seconds: Mapping[str, float]) -> str:
    """Estimate the work that is left from the time per item of each person.

    The items of people who have not begun take the median time of the others.
    """
    left = [each for each in progress.raters if each.done < each.total]
    if not left or not seconds:
        return ""
    usual = median(seconds.values())
    work = [seconds.get(each.rater, usual) * (each.total - each.done) for each in left]
    sentence = f"About {_duration(sum(work))} of work is left"
    if _duration(max(work)) == _duration(sum(work)):
        return f"{sentence}."
    return f"{sentence}, {_duration(max(work))} of it for the person with the most."


def _duration(seconds: float) -> str:
    """Write an estimated time in minutes, or in hours from ten hours on."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    if hours >= 10:
        return f"{round(seconds / 3600)} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _clock(seconds: float) -> str:
    """Write a time per item, in minutes from the second minute on."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
