"""Errors of the aligners on alignments made by hand, and their speed.

WORDORDER_DATA names a folder with gold-alignments/, kftt-alignments-dev/, xl-wa/ and
small_parallel_enja/; EFLOMAL the program eflomal-align, which is measured too where it is given,
and fast_align where its form as a library is installed (pip install systran-align).
The models see no other text than the gold sentences, in lower case, unless a line says so. The
numbers of the model "agreement" were chosen on the sets marked "tuned"; the others had no part in
that, but for the rule that an ideograph is a stem, which was looked at on En-Ja and Zh-En.
"""

from __future__ import annotations

import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring import Report, main, measure

import wordorder as wo
from wordorder.alignment.statistical.align import ALIGNERS, align
from wordorder.alignment.symmetrization import symmetrize

Lines = list[str]
TUNED = ("En-Pt", "En-Hi", "En-Ja", "En-Bg", "En-Es", "En-Hu", "En-Nl")
# What is asked, and the figures of others on the same sentences, not measured here.
ASKED = {"En-Fr": 0.298, "Zh-En": 0.510}
PUBLISHED = {"En-Fr": {"fast_align": 0.298}, "Zh-En": {"fast_align": 0.510}}


@dataclass(frozen=True)
class Gold:
    """Sentence pairs with links made by hand."""

    source: Lines
    target: Lines
    links: wo.Alignments


def read(path: Path) -> Lines:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]


def lowered(lines: Sequence[str]) -> Lines:
    return [line.lower() for line in lines]


def pairs(rows: Sequence[str], base: int) -> wo.Alignments:
    """Read i-j (sure) and ipj (possible)."""
    return wo.Alignments.from_rows(
        [
            sorted(
                (int(a) - base, int(b) - base, "p" in link)
                for link in row.split()
                for a, b in [link.replace("p", "-").split("-")]
            )
            for row in rows
        ]
    )


def gold_sets(data: Path) -> dict[str, Gold]:
    """Read all gold sets, in lower case."""
    found = {}
    folder = data / "gold-alignments"
    for name, file in (("En-Fr", "hansards-en-fr/enfr"), ("Zh-En", "tsinghua-zh-en/zhen")):
        both = [row.split("|||") for row in read(folder / f"{file}.src-tgt.gz")]
        links = pairs(read(folder / f"{file}.gold.gz"), 1)
        found[name] = Gold(lowered([s for s, _ in both]), lowered([t for _, t in both]), links)
    for name, place in (
        ("En-Cs", "czenali-en-cs"),
        ("En-Pt", "graca-en-pt"),
        ("En-Hi", "wpt05-en-hi"),
    ):
        rows = [json.loads(row) for row in read(folder / place / "all.jsonl.gz")]
        source, target = ([" ".join(r[f"{s}_words"]) for r in rows] for s in ("src", "tgt"))
        # A few links of these sets begin before the sentence.
        links = wo.Alignments.from_rows(
            sorted({(s, t) for s, t in row["alignment"] if min(s, t) >= 0}) for row in rows
        )
        found[name] = Gold(lowered(source), lowered(target), links)
    kftt = data / "kftt-alignments-dev"
    english, japanese = (lowered(read(kftt / f"{language}.tok.gz")) for language in ("en", "ja"))
    found["En-Ja"] = Gold(english, japanese, pairs(read(kftt / "en-ja.align.gz"), 0))
    for language in ("bg", "da", "es", "hu", "it", "nl"):
        files = [data / "xl-wa" / language / f"{part}.tsv.gz" for part in ("dev", "test")]
        rows = [row.split("\t") for file in files for row in read(file)]
        source, target = (lowered([row[side] for row in rows]) for side in (0, 1))
        found[f"En-{language.capitalize()}"] = Gold(
            source, target, pairs([row[2] for row in rows], 0)
        )
    return found


def error_rate(found: wo.Alignments, gold: wo.Alignments) -> float:
    """Return 1 - (|A and S| + |A and P|) / (|A| + |S|), Och & Ney (2003), eq. 39."""
    sure = possible = 0
    for mine, right in zip(found, gold, strict=True):
        links = set(mine.links)
        possible += len(links & set(right.links))
        sure += len(links & (set(right.links) - right.possible))
    return 1 - (sure + possible) / (len(found.source) + len(gold.sure().source))


def eflomal(source: Lines, target: Lines) -> tuple[wo.Alignments, wo.Alignments, float]:
    """Run eflomal on one thread; return both directions and the CPU seconds."""
    with tempfile.TemporaryDirectory() as folder:
        names = [Path(folder, name) for name in ("source", "target", "forward", "backward")]
        for path, lines in zip(names, (source, target), strict=False):
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        options = [
            str(x) for pair in zip(("-s", "-t", "-f", "-r"), names, strict=True) for x in pair
        ]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            [os.environ["EFLOMAL"], *options],
            check=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        links = [wo.read_alignments(path, format="pharaoh") for path in names[2:]]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return links[0], links[1], seconds


def fast_align(source: Lines, target: Lines) -> tuple[wo.Alignments, float] | None:
    """Run fast_align with -d -o -v, as its page says; return links and CPU seconds."""
    try:
        import systran_align
    except ImportError:
        return None
    rows = [[line.split() for line in lines] for lines in (source, target)]
    with tempfile.TemporaryDirectory() as folder:
        text, *probabilities = (str(Path(folder, name)) for name in ("text", "forward", "backward"))
        Path(text).write_text(
            "".join(f"{s} ||| {t}\n" for s, t in zip(source, target, strict=True)), "utf-8"
        )
        begun = time.process_time()
        systran_align.generate_alignment_probabilities(
            text,
            *probabilities,
            favor_diagonal=True,
            optimize_tension=True,
            variational_bayes=True,
        )
        found = systran_align.Aligner(*probabilities).align_batch(*rows)
        seconds = time.process_time() - begun
    return wo.Alignments.from_rows([sorted(set(each["alignments"])) for each in found]), seconds


def errors(report: Report, gold: dict[str, Gold]) -> None:
    """Measure the error rate on each set."""
    for name, pair in gold.items():
        peers = dict(PUBLISHED.get(name, {}))
        if "EFLOMAL" in os.environ:
            forward, backward, _ = eflomal(pair.source, pair.target)
            peers["eflomal"] = error_rate(symmetrize(forward, backward), pair.links)
        if (others := fast_align(pair.source, pair.target)) is not None:
            peers["fast_align"] = error_rate(others[0], pair.links)
        for model in ALIGNERS.built_in:
            found = align(pair.source, pair.target, model=model)
            report.add(
                f"{name}{' (tuned)' if name in TUNED else ''}, {len(pair.source)} pairs, {model}",
                error_rate(found, pair.links),
                "AER",
                at_most=ASKED.get(name) if model == "agreement" else None,
                peers=peers if model == "agreement" else None,
            )


def with_more_text(report: Report, data: Path, gold: Gold) -> None:
    """Measure the error rate on En-Ja with 50,000 pairs of another domain behind the gold text."""
    more = [lowered(read(data / "small_parallel_enja" / f"train.{x}.gz")) for x in ("en", "ja")]
    size = len(gold.source)
    source, target = gold.source + more[0], gold.target + more[1]
    peers = {}
    if "EFLOMAL" in os.environ:
        forward, backward, _ = eflomal(source, target)
        peers["eflomal"] = error_rate(symmetrize(forward, backward)[:size], gold.links)
    found = align(source, target)[:size]
    report.add("En-Ja with 50,000 pairs more", error_rate(found, gold.links), "AER", peers=peers)


def speed(report: Report, data: Path) -> None:
    """Measure training and alignment of 51,000 pairs in both directions, on one thread."""
    folder = data / "small_parallel_enja"
    parts = ("train", "dev", "test")
    source, target = (
        [line for part in parts for line in read(folder / f"{part}.{x}.gz")] for x in ("en", "ja")
    )
    if report.quick:
        source, target = source[:2000], target[:2000]
    wo.set_threads(1)
    asked = {"ibm1": 10.0, "agreement": 60.0}
    peers = {"eflomal": eflomal(source, target)[2]} if "EFLOMAL" in os.environ else {}
    if (others := fast_align(source, target)) is not None:
        peers["fast_align"] = others[1]
    for model in ALIGNERS.built_in:
        timing = measure(lambda model=model: align(source, target, model=model), 3)  # type: ignore[misc]
        report.add_seconds(
            f"{len(source):,} pairs, {model}", timing, at_most=asked.get(model), peers=peers
        )
    trained = ALIGNERS.load("agreement").train(source, target)
    timing = measure(lambda: trained.align(source, target), 3)
    report.add_seconds(f"{len(source):,} pairs by a model that is there", timing)
    wo.set_threads(None)


def benchmark(report: Report) -> None:
    if "WORDORDER_DATA" not in os.environ:
        print("WORDORDER_DATA is not set: nothing to measure on", file=sys.stderr)
        return
    data = Path(os.environ["WORDORDER_DATA"])
    gold = gold_sets(data)
    if report.quick:
        gold = {name: gold[name] for name in ("En-Fr", "En-Pt")}
    errors(report, gold)
    if not report.quick:
        with_more_text(report, data, gold["En-Ja"])
    speed(report, data)


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
