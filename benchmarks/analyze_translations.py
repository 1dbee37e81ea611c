"""``wordorder analyze`` of translations, whole processes beside compare-mt on the same files.

Two systems of compare-mt's TED talks (2,445 sentences), and five systems of WMT13 German-English
(3,000 sentences, tokenised by 13a), with the page. Needs the folders compare-mt-ted and
human/wmt13-rr-pairs of WORDORDER_DATA; compare-mt is run where it is installed.
"""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from pathlib import Path

from measuring import Report, main, measure_process, wordorder_command

SYSTEMS = 5
# The page is complete, parsed references included.
MOST_SECONDS, MOST_BYTES = 5.0, 5_000_000


def benchmark(report: Report) -> None:
    if "WORDORDER_DATA" not in os.environ:
        print("WORDORDER_DATA is not set: nothing to analyse", file=sys.stderr)
        return
    data = Path(os.environ["WORDORDER_DATA"])
    lines = 300 if report.quick else None
    start = measure_process(wordorder_command("--version")).least_cpu
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        ted = data / "compare-mt-ted"
        files = [
            plain(ted / f"ted.{name}.eng.gz", place / f"ted.{name}", lines)
            for name in ("ref", "sys1", "sys2")
        ]
        compared(report, "TED, 2 systems", files, start, place)
        wmt = data / "human" / "wmt13-rr-pairs" / "de-en"
        outputs = sorted((wmt / "outputs").glob("*.gz"))[:SYSTEMS]
        files = [plain(wmt / "reference.en.gz", place / "wmt.ref", lines)]
        files += [plain(path, place / f"wmt.sys{n}", lines) for n, path in enumerate(outputs, 1)]
        tokenizer = ("--tokenizer", "13a")
        compared(report, f"WMT13, {SYSTEMS} systems", files, start, place, *tokenizer)


def compared(
    report: Report, name: str, files: list[Path], start: float, folder: Path, *options: str
) -> None:
    """Measure both programs on the same files."""
    page = folder / "page.html"
    systems: tuple[str | Path, ...] = ("-i", *files[1:])
    own = measure_process(
        wordorder_command("analyze", files[0], *systems, *options, "--html", page), 3
    )
    tables = measure_process(wordorder_command("analyze", files[0], *systems, *options), 3)
    program = Path(sys.executable).with_name("compare-mt")
    peers = {}
    if program.exists():
        command: list[str | Path] = [program, *files[:3]]
        command += ["--output_directory", folder / "compare-mt"]
        peers["compare-mt, 2 systems"] = measure_process(command, 2).least_cpu
    report.add_seconds(
        f"{name}: tables and page, start-up included",
        own,
        peers=peers,
        megabytes=round(own.megabytes),
    )
    report.add(
        f"{name}: tables and page after start-up",
        own.least_cpu - start,
        "CPU-s",
        at_most=MOST_SECONDS,
    )
    report.add_seconds(f"{name}: tables alone, start-up included", tables)
    report.add(f"{name}: size of the page", page.stat().st_size, "bytes", at_most=MOST_BYTES)


def plain(path: Path, copy: Path, lines: int | None) -> Path:
    """Unpack a file, or its first lines."""
    with gzip.open(path, "rb") as stream:
        copy.write_bytes(b"".join(stream.readlines()[:lines]))
    return copy


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
