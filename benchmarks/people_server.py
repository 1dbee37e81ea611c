"""The server of ratings: what it loses when it is killed, how long a save takes, what it needs.

Raters are threads of this process, each with a connection of its own; the server is a process of
its own on the same machine. A save is measured by the clock, from the request to the answer that
says that it is on disk.
"""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import Report, benchmark, main

sys.path.append(str(Path(__file__).parents[1]))

from tests.people.kills import Worker, answers_as_sent, kill_once, lost_and_doubled, moments
from tests.people.serving import PageOf, Running, ratings

PARTS = ("kills", "saves")
SEED = 12345


@benchmark("people", regular=False)
def people_server(report: Report) -> None:
    """Add the parts, or those that ``--only`` names."""
    parts = report.only or PARTS
    with tempfile.TemporaryDirectory() as folder:
        if "kills" in parts:
            kills(report, Path(folder, "kills.db"))
        if "saves" in parts:
            saves(report, Path(folder, "saves.db"))


def kills(report: Report, path: Path) -> None:
    """Kill the server at random moments; what had no reply is delivered again."""
    count = 5 if report.quick else 100
    project = ratings(path)
    workers = [Worker("rater1"), Worker("rater2")]
    for seconds in moments(count, SEED):
        kill_once(project, workers, seconds)
    lost, doubled = lost_and_doubled(project, workers)
    saved = sum(len(each.saved) for each in workers)
    repeated = sum(each.repeated for each in workers)
    details: dict[str, Any] = {"kills": count, "acknowledged": saved, "delivered_again": repeated}
    report.add("answers lost in kills", lost, "answers", at_most=0, **details)
    report.add("answers doubled in kills", doubled, "answers", at_most=0, **details)
    wrong = not answers_as_sent(project, workers)
    report.add("answers changed or out of order", float(wrong), "answers", at_most=0)


def saves(report: Report, path: Path) -> None:
    """Save many answers; look at time and memory at the beginning and at the end."""
    many = 2_000 if report.quick else 100_000
    few = many // 10
    with Running("serve", ratings(path), "--port", "0", links=2) as server:
        page = server.page("rater1")
        task = str(page.get("/api/next")[1]["task"])
        numbers = itertools.count()
        first = timed_saves(page, task, numbers, few)
        begin = megabytes(server.process.pid)
        last = timed_saves(page, task, numbers, many - few)[-few:]
        end = megabytes(server.process.pid)
        seen = []
        for _ in range(50):
            before = time.perf_counter()
            page.get(f"/api/task/{task}")
            seen.append(time.perf_counter() - before)
    for name, seconds in (("first", first), ("last", last)):
        ordered = sorted(seconds)
        report.add(
            f"a save, median of the {name} {few:,} of {many:,}",
            1000 * ordered[len(ordered) // 2],
            "ms",
            at_most=10,
            of_99_in_100=1000 * ordered[int(len(ordered) * 0.99)],
            longest=1000 * ordered[-1],
        )
    report.add(f"a task after {many:,} events, median", 1000 * sorted(seen)[25], "ms", at_most=10)
    report.add(
        f"memory after {many:,} events over {few:,}",
        end / begin,
        "times",
        at_most=1.05,
        megabytes_few=begin,
        megabytes_many=end,
    )


def timed_saves(page: PageOf, task: str, numbers: itertools.count[int], count: int) -> list[float]:
    """Return the seconds of each of some saves."""
    found = []
    for number in itertools.islice(numbers, count):
        begin = time.perf_counter()
        # Of the answer before, as a page that is open knows it.
        version = f"key {number - 1}" if number else None
        status, said = page.save(task, f"key {number}", [number % 7, 6], version)
        found.append(time.perf_counter() - begin)
        assert status == 200, said
    return found


def megabytes(process: int) -> float:
    """Return the memory that a process has in use."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


if __name__ == "__main__":
    main(__doc__)
