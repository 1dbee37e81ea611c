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
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from measuring import Report, benchmark, main, measure, measure_process

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


Found = tuple[wo.Alignments, float]


def eflomal(source: Lines, target: Lines) -> Found | None:
    """Run eflomal on one thread; return links and CPU seconds."""
    if "EFLOMAL" not in os.environ:
        return None
    with tempfile.TemporaryDirectory() as folder:
        paths = {option: Path(folder, option) for option in ("-s", "-t", "-f", "-r")}
        for option, lines in (("-s", source), ("-t", target)):
            paths[option].write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        options = [part for pair in paths.items() for part in pair]
        command = ["env", "OMP_NUM_THREADS=1", os.environ["EFLOMAL"], *options]
        seconds = measure_process(command, 1, warm_up=False).least_cpu
        forward, backward = (
            wo.read_alignments(paths[option], format="pharaoh") for option in ("-f", "-r")
        )
    return symmetrize(forward, backward), seconds


def fast_align(source: Lines, target: Lines) -> Found | None:
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
        options = ("favor_diagonal", "optimize_tension", "variational_bayes")
        systran_align.generate_alignment_probabilities(
            text, *probabilities, **dict.fromkeys(options, True)
        )
        found = systran_align.Aligner(*probabilities).align_batch(*rows)
        seconds = time.process_time() - begun
    return wo.Alignments.from_rows([sorted(set(each["alignments"])) for each in found]), seconds


def others(source: Lines, target: Lines) -> dict[str, Found]:
    """Return what the other aligners find that are there."""
    found = {"eflomal": eflomal(source, target), "fast_align": fast_align(source, target)}
    return {name: each for name, each in found.items() if each is not None}


@benchmark("alignment kernels", needs="gold-alignments")
def aligners(report: Report) -> None:
    """Add the error rate on each gold set, also with more text behind it, and the speed."""
    data = report.data.parent
    for name, pair in gold_sets(data).items():
        if report.quick and name not in ("En-Fr", "En-Pt"):
            continue
        peers = dict(PUBLISHED.get(name, {}))
        for peer, (links, _) in others(pair.source, pair.target).items():
            peers[peer] = error_rate(links, pair.links)
        for model in ALIGNERS.built_in:
            ours = model == "agreement"
            report.add(
                f"{name}{' (tuned)' if name in TUNED else ''}, {len(pair.source)} pairs, {model}",
                error_rate(align(pair.source, pair.target, model=model), pair.links),
                "AER",
                at_most=ASKED.get(name) if ours else None,
                peers=peers if ours else None,
            )
        if name == "En-Ja":
            more = [lowered(parallel(data, ["train"], side)) for side in ("en", "ja")]
            texts = pair.source + more[0], pair.target + more[1]
            size = len(pair.source)
            peers = {
                peer: error_rate(links[:size], pair.links)
                for peer, (links, _) in others(*texts).items()
            }
            rate = error_rate(align(*texts)[:size], pair.links)
            report.add("En-Ja with 50,000 pairs more", rate, "AER", peers=peers)
    speed(report, data)


def parallel(data: Path, parts: Sequence[str], side: str) -> Lines:
    """Return one side of parts of the parallel text."""
    folder = data / "small_parallel_enja"
    return [line for part in parts for line in read(folder / f"{part}.{side}.gz")]


def speed(report: Report, data: Path) -> None:
    """Measure training and alignment of 51,000 pairs in both directions, on one thread."""
    most = 2000 if report.quick else None
    texts = [parallel(data, ("train", "dev", "test"), side)[:most] for side in ("en", "ja")]
    wo.set_threads(1)
    peers = {peer: seconds for peer, (_, seconds) in others(*texts).items()}
    title, asked = f"{len(texts[0]):,} pairs", {"ibm1": 10.0, "agreement": 60.0}
    for model in ALIGNERS.built_in:
        timing = measure(partial(align, *texts, model=model), 3)
        report.add_seconds(f"{title}, {model}", timing, at_most=asked.get(model), peers=peers)
    trained = ALIGNERS.load("agreement").train(*texts)
    report.add_seconds(
        f"{title} by a model that is there", measure(partial(trained.align, *texts), 3)
    )


if __name__ == "__main__":
    main(__doc__)
