"""Statistics of bleu and chrf on one core, beside sacreBLEU, which finds the same numbers.

3,000 lines of WMT13 French-English: a system and its reference, from the folder
human/wmt13-rr-pairs/fr-en of WORDORDER_DATA. Pairs per CPU second: of statistics alone, from
segments on which nothing was computed before; with making the segments from strings; and of the
scores of all segments from their statistics. sacreBLEU starts each time without what it remembers
of tokenised lines.
"""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

from measuring import Report, Timing, main, measure
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF

import wordorder as wo
from wordorder.metrics.text.ngrams import Bleu, Chrf

# How many times as fast as sacreBLEU the statistics are asked to be, from strings, too.
TIMES = 20
RUNS = 7
FOLDER = ("human", "wmt13-rr-pairs", "fr-en")
METRICS: dict[str, tuple[Bleu | Chrf, Callable[[], BLEU | CHRF]]] = {
    "bleu, 13a": (Bleu(), lambda: BLEU(force=True)),
    "bleu, none": (Bleu(tokenize="none"), lambda: BLEU(tokenize="none", force=True)),
    "bleu, 13a, lowercase": (Bleu(lowercase=True), lambda: BLEU(lowercase=True, force=True)),
    "chrf": (Chrf(), CHRF),
    "chrf++": (Chrf(word_order=2), lambda: CHRF(word_order=2)),
    "chrf++, lowercase": (
        Chrf(word_order=2, lowercase=True),
        lambda: CHRF(word_order=2, lowercase=True),
    ),
}


def benchmark(report: Report) -> None:
    if "WORDORDER_DATA" not in os.environ:
        print("WORDORDER_DATA is not set: nothing to measure on", file=sys.stderr)
        return
    folder = Path(os.environ["WORDORDER_DATA"], *FOLDER)
    size = 300 if report.quick else 3000
    references = lines(folder / "reference.en.gz")[:size]
    hypotheses = lines(min((folder / "outputs").iterdir()))[:size]
    wo.set_threads(1)
    for name, (ours, theirs) in METRICS.items():
        one_metric(report, name, ours, theirs, hypotheses, references)


def one_metric(
    report: Report,
    name: str,
    ours: Bleu | Chrf,
    theirs: Callable[[], BLEU | CHRF],
    hypotheses: list[str],
    references: list[str],
) -> None:
    """Compare the numbers, then measure both."""

    def made() -> wo.Segments:
        return wo.Segments.from_text(hypotheses, references)

    wanted = theirs()._extract_corpus_statistics(hypotheses, [references])
    statistics = ours.statistics(made())
    if statistics[:, :-1].tolist() != wanted:
        raise RuntimeError(f"{name}: sacreBLEU counts otherwise")
    slow = rate(
        hypotheses,
        measure(lambda: theirs()._extract_corpus_statistics(hypotheses, [references]), 3),
    )
    unused = [made() for _ in range(RUNS + 1)]
    report.add_rate(
        f"{name}: statistics",
        len(hypotheses),
        measure(lambda: ours.statistics(unused.pop()), RUNS),
        "pairs/s",
        at_least=TIMES * slow,
        peers={"sacrebleu": slow},
    )
    report.add_rate(
        f"{name}: statistics, from strings",
        len(hypotheses),
        measure(lambda: ours.statistics(made()), RUNS),
        "pairs/s",
        at_least=TIMES * slow,
        peers={"sacrebleu": slow},
    )
    scorer = theirs()
    scored = measure(lambda: [scorer._aggregate_and_compute([row]).score for row in wanted], 3)
    report.add_rate(
        f"{name}: scores of segments",
        len(hypotheses),
        measure(lambda: ours.score(statistics), RUNS),
        "segments/s",
        peers={"sacrebleu": rate(hypotheses, scored)},
    )


def rate(items: list[str], timing: Timing) -> float:
    return len(items) / timing.least_cpu


def lines(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().removesuffix("\n").split("\n")


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
