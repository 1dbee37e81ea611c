"""The owner's page of a project: progress, agreement so far, and export commands."""

import math
import os
from collections.abc import Mapping, Sequence
from shlex import quote
from statistics import median

from wordorder._version import __version__
from wordorder.judgement.project_file import MIN_RIGHT, ProjectProgress
from wordorder.messages import number, percent
from wordorder.report.page.template_data import templates
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
    """Return the state of a project as one HTML page, for its owner.

    Parameters
    ----------
    path : path
        The path of the project in the commands of the page.
    progress : ProjectProgress
    seconds : mapping of str to float
        The median seconds per item of each rater.
    agreement : sequence of (name, value, low, high, n)
        The agreement of raters; empty until two answers can be compared.
    exports : sequence of (what, format) or (what, format, rater)

    Returns
    -------
    str
        The page does not contain names of systems.

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
    environment = templates("wordorder.report.judgement_page", style="supervisor.css")
    template = environment.get_template("supervisor.html.j2")
    rows = [
        {
            "rater": rater,
            "share": percent(rater.done, rater.total) if rater.total else "",
            # In twentieths, like all bars of pages.
            "bar": max(1, round(20 * rater.done / rater.total)) if rater.done else 0,
            "seen": (rater.seen or "never").replace("T", " ").replace("Z", " UTC"),
            "seconds": f"{seconds[rater.rater]:.0f}" if rater.rater in seconds else "",
            "time": _clock(seconds[rater.rater]) if rater.rater in seconds else "",
            "remarks": ["link closed"] * rater.revoked
            + ["too few control items right"] * rater.failed
            + [f"{rater.empty} with nothing to align"] * bool(rater.empty)
            + [f"{rater.unconfirmed} left empty, not done"] * bool(rater.unconfirmed),
        }
        for rater in progress.raters
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
        named=any(export_type == "ratings" for export_type, *_ in exports),
        remarked=any(row["remarks"] for row in rows),
        controlled=any(each.asked for each in progress.raters),
        least=f"{100 * MIN_RIGHT:g} %",
        rows=rows,
        agreement=[
            (
                what,
                number(value, decimals),
                "" if math.isnan(low) else interval(low, high, decimals),
                n,
            )
            for what, value, low, high, n in agreement
            for decimals in [_digits(n)]
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
    """Estimate the remaining work from the time per item of each rater.

    Raters who have not started count with the median time.
    """
    unfinished = [rater for rater in progress.raters if rater.done < rater.total]
    if not unfinished or not seconds:
        return ""
    median_seconds = median(seconds.values())
    work = [
        seconds.get(each.rater, median_seconds) * (each.total - each.done) for each in unfinished
    ]
    sentence = f"About {_duration(sum(work))} of work is left"
    if _duration(max(work)) == _duration(sum(work)):
        return f"{sentence}."
    return f"{sentence}, {_duration(max(work))} of it for the person with the most."


def _duration(seconds: float) -> str:
    """Format an estimated time in minutes, or in hours from ten hours on."""
    hours, minutes = divmod(max(1, round(seconds / 60)), 60)
    if hours >= 10:
        return f"{round(seconds / 3600)} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _clock(seconds: float) -> str:
    """Format a time per item, in minutes and seconds."""
    minutes, remaining_seconds = divmod(round(seconds), 60)
    return f"{minutes} min {remaining_seconds} s" if minutes else f"{remaining_seconds} s"
