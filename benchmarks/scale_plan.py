"""10^9 rows on 100 workers, on paper: a simulation from the figures that `engines.py` measured.

Workers count the lines of all files, then take spans in turn, and the driver merges what comes
back. Workers differ in speed, some die in the middle, and all read from one storage. What is
not measured here is assumed, and named: the speed of the storage and of the network, the spread of
the workers, how many die.
"""

from __future__ import annotations

import heapq
import json
from dataclasses import dataclass, replace

import numpy as np
from measuring import RESULTS, Report, main

ROWS = 10**9
# Two files of orders, as `engines.py` writes them.
ROW_BYTES = 98
# As `wordorder.scale.cutting` cuts.
SPAN_BYTES = 1 << 27
# Measured on one core: bytes of text that are searched for line ends in a second; what a span is on
# the wire; what comes back of two metrics, and what merging it takes.
INDEX_RATE = 3.4e9
JOB_BYTES = 919
PLAIN = (691, 0.0004)
INTERVALS = (200_076, 0.030)


@dataclass(frozen=True)
class Cluster:
    """What is assumed of a cluster.

    Attributes
    ----------
    workers : int
    storage : float
        Bytes a second for all readers together.
    link : float
        Bytes a second for one reader.
    spread : float
        Of the logarithm of the workers' speeds.
    slow : float
        Share of the workers that have half the speed.
    deaths : int
        Workers that die in the middle; their span begins again elsewhere a little later.
    notice : float
        Seconds until that is noticed.
    """

    workers: int = 100
    storage: float = 5e9
    link: float = 1.25e9
    spread: float = 0.1
    slow: float = 0.05
    deaths: int = 3
    notice: float = 10.0


def simulated(
    cluster: Cluster, seconds_a_million: float, merging: float, seed: int = 1
) -> dict[str, float]:
    """Return the seconds of each phase: count lines, work, merge behind the last span."""
    drawn = np.random.default_rng(seed)
    size = ROWS * ROW_BYTES
    spans = -(-size // SPAN_BYTES)
    speed = np.exp(drawn.normal(0, cluster.spread, cluster.workers))
    speed[: round(cluster.slow * cluster.workers)] /= 2
    reading = SPAN_BYTES / min(cluster.link, cluster.storage / cluster.workers)
    computing = seconds_a_million * SPAN_BYTES / ROW_BYTES / 1e6
    # Reading and computing overlap: the slower of the two decides.
    durations = np.maximum(computing / speed, reading)
    middle = 0.5 * spans / cluster.workers * float(np.median(durations))
    dying = set(drawn.choice(cluster.workers, cluster.deaths, replace=False).tolist())
    free = [(0.0, worker) for worker in range(cluster.workers)]
    heapq.heapify(free)
    arrivals: list[float] = []
    waiting = spans
    again: list[float] = []
    while waiting or again:
        now, worker = heapq.heappop(free)
        if not waiting and now < again[0]:
            now = again[0]
        if again and again[0] <= now:
            heapq.heappop(again)
        else:
            waiting -= 1
        done = now + durations[worker]
        if worker in dying and done > middle:
            dying.remove(worker)
            heapq.heappush(again, max(middle, now) + cluster.notice)
            continue
        arrivals.append(done)
        heapq.heappush(free, (done, worker))
    merged = 0.0
    for arrived in sorted(arrivals):
        merged = max(merged, arrived) + merging
    return {
        "count": size / min(cluster.storage, cluster.workers * min(INDEX_RATE, cluster.link)),
        "work": max(arrivals),
        "merge": merged - max(arrivals),
    }


def benchmark(report: Report) -> None:
    kept = json.loads((RESULTS / "engines.json").read_text())
    measured = {each["name"]: each["value"] for each in kept["figures"]}

    def add(name: str, cluster: Cluster, seconds: float, merging: float = PLAIN[1]) -> None:
        found = simulated(cluster, seconds, merging)
        count, work, merge = (found[phase] for phase in ("count", "work", "merge"))
        report.add(name, count + work + merge, "s", count=count, work=work, merge=merge)

    cluster = Cluster()
    cases = {
        "storage of 5 GB/s": cluster,
        "storage of 1 GB/s": replace(cluster, storage=1e9),
        "storage of 50 GB/s": replace(cluster, storage=50e9),
        "ten of a hundred workers die": replace(cluster, deaths=10),
    }
    costs = {e: measured[f"{e}: CPU of a million rows more"] for e in ("dask", "ray", "spark")}
    for engine, cost in costs.items():
        for name, case in cases.items():
            add(f"{engine}, {name}", case, cost)
    add("dask, storage of 5 GB/s, --confidence", cluster, costs["dask"], INTERVALS[1])
    # As it would be if the driver counted the lines: a single worker reads all.
    alone = ROWS * ROW_BYTES / min(INDEX_RATE, cluster.link)
    report.add("lines counted by the driver alone", alone, "s")
    # Such as metrics of text.
    add("dask, storage of 5 GB/s, 40 times the work a row", cluster, 40 * costs["dask"])
    spans = -(-ROWS * ROW_BYTES // SPAN_BYTES)
    report.add("spans", spans, "spans")
    report.add("from driver to workers", spans * JOB_BYTES / 1e6, "MB")
    report.add("from workers to driver", spans * PLAIN[0] / 1e6, "MB")
    report.add("from workers to driver, --confidence", spans * INTERVALS[0] / 1e6, "MB")
    report.add("from the storage, to count lines and to score", 2 * ROWS * ROW_BYTES / 1e9, "GB")


if __name__ == "__main__":
    main(__file__, __doc__ or "", benchmark)
