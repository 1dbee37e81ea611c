"""Reading orders and alignments, and reference orders from alignments; on one core."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from measuring import Report, main, measure
from workload import links, row_lengths, write_order_files

import wordorder as wo
from wordorder.alignment.reading import write_alignments

RULES = (("talbot", "next"), ("lrscore", "previous"), ("aligned", "drop"))


def benchmark(report: Report) -> None:
    rows = 2_000 if report.quick else 20_000
    wo.set_threads(1)
    with tempfile.TemporaryDirectory() as name:
        orders(report, Path(name), rows)
        alignments(report, Path(name), rows)


def orders(report: Report, folder: Path, rows: int) -> None:
    """Measure reading, writing and comparing `.orders` files."""
    reference, (system,) = write_order_files(folder, rows, "near")
    python = measure(lambda: python_orders(system), 3).least_cpu
    report.add_rate(
        "read_orders",
        rows,
        measure(lambda: wo.read_orders(system)),
        peers={"plain Python": rows / python},
        megabytes_a_row=system.stat().st_size / rows / 1e6,
    )
    ours, theirs = wo.read_orders(system), wo.read_orders(reference)
    report.add_rate(
        "Segments.from_orders", rows, measure(lambda: wo.Segments.from_orders(ours, theirs))
    )
    report.add_rate(
        "write_orders", rows, measure(lambda: wo.write_orders(ours, folder / "again.orders"))
    )


def alignments(report: Report, folder: Path, rows: int) -> None:
    """Measure reading alignments in both notations and the rules for reference orders."""
    lengths = row_lengths(rows)
    made = wo.Alignments.from_rows(links(rows, "near"), target_lengths=lengths)
    for notation in ("pharaoh", "talbot"):
        path = folder / f"a.{notation}"
        write_alignments(made, path, format=notation)
        peers = {}
        if notation == "pharaoh":
            python = measure(lambda path=path: python_alignments(path), 3)  # type: ignore[misc]
            peers["plain Python"] = rows / python.least_cpu
        report.add_rate(
            f"read_alignments, {notation}",
            rows,
            measure(lambda p=path, n=notation: wo.read_alignments(p, format=n)),  # type: ignore[misc]
            peers=peers,
        )
    pairs = python_alignments(folder / "a.pharaoh")
    python = measure(lambda: python_reference_orders(pairs, lengths.tolist()), 3)
    for rule, unaligned in RULES:
        report.add_rate(
            f"reference_orders, {rule} {unaligned}",
            rows,
            measure(
                lambda r=rule, u=unaligned: wo.reference_orders(  # type: ignore[misc]
                    made, lengths, rule=r, unaligned=u
                )
            ),
            peers={"plain Python": rows / python.least_cpu} if rule == "lrscore" else None,
        )
    found = wo.reference_orders(made, lengths, rule="lrscore", unaligned="previous")
    expected = python_reference_orders(pairs, lengths.tolist())
    if not np.array_equal(found.positions.values, np.concatenate(expected)):
        raise RuntimeError("plain Python finds other reference orders")


def python_orders(path: Path) -> list[list[int]]:
    """Read orders as a short script does."""
    with path.open() as lines:
        return [[int(word) for word in line.split()] for line in lines]


def python_alignments(path: Path) -> list[list[tuple[int, ...]]]:
    """Read links as a short script does."""
    with path.open() as lines:
        return [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]


def python_reference_orders(
    rows: list[list[tuple[int, ...]]], lengths: list[int]
) -> list[list[int]]:
    """Sort source words by first target word; a word without one goes behind the one before."""
    found = []
    for pairs, length in zip(rows, lengths, strict=True):
        first = [-1] * length
        for source, target in pairs:
            if first[source] < 0 or target < first[source]:
                first[source] = target
        for word in range(1, length):
            if first[word] < 0:
                first[word] = first[word - 1]
        found.append(sorted(range(length), key=first.__getitem__))
    return found


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
