"""Language models: estimating one of order 4 and asking for probabilities, beside KenLM.

Needs ``WORDORDER_DATA`` with ``small_parallel_enja/train.en.gz``. KenLM's Python package takes part
where it is installed; ``--kenlm FOLDER`` is a folder with its built programs, of which ``lmplz``
estimates the same model.
"""

from __future__ import annotations

import gzip
import math
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
from measuring import Report, main, measure, measure_process

import wordorder as wo
from wordorder.arrays import Ragged
from wordorder.translation import LanguageModel

ORDER = 4
# Logarithms of sentences to base 10: KenLM keeps each number as a float32.
CLOSE = 1e-4
ESTIMATE = """
import sys
from wordorder.translation import LanguageModel
with open(sys.argv[1], encoding="utf-8", newline="\\n") as text:
    LanguageModel.estimate(text.read().split("\\n")[:-1], order=int(sys.argv[2]))
"""


def benchmark(report: Report) -> None:
    data = Path(os.environ["WORDORDER_DATA"]) / "small_parallel_enja" / "train.en.gz"
    lines = gzip.decompress(data.read_bytes()).decode().split("\n")[:-1]
    if report.quick:
        lines = lines[:5000]
    # Both work on one thread.
    wo.set_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        text = Path(folder, "text")
        text.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        estimating(report, text, len(lines))
        asking(report, Path(folder), lines)


def estimating(report: Report, text: Path, lines: int) -> None:
    """Measure whole processes, from a file to a model."""
    command: list[str | Path] = [sys.executable, "-c", ESTIMATE, text, str(ORDER)]
    ours = measure_process(command)
    start = measure_process(
        [sys.executable, "-c", "from wordorder.translation import LanguageModel"]
    )
    peers, megabytes = {}, {}
    if "kenlm" in report.sources:
        lmplz = report.sources["kenlm"] / "lmplz"
        theirs = measure_process([lmplz, "-o", str(ORDER), "-S", "1G", "--text", text])
        peers["lmplz, with writing the model"] = theirs.least_cpu
        megabytes["lmplz"] = round(theirs.megabytes)
    report.add_seconds(
        f"estimating a model of order {ORDER}, {lines:,} sentences, with starting Python",
        ours,
        at_most=2.0,
        peers=peers,
        of_which_starting=start.least_cpu,
        megabytes=round(ours.megabytes),
        peers_megabytes=megabytes,
    )


def asking(report: Report, folder: Path, lines: list[str]) -> None:
    """Measure the scores of all sentences, from lines and from numbers."""
    model = LanguageModel.estimate(lines, order=ORDER)
    numbers: Ragged = model.number(lines)
    words = len(numbers.values) + len(numbers)
    peers = {}
    path = folder / "model.arpa"
    model.save_arpa(path)
    try:
        import kenlm  # type: ignore[import-not-found]  # a peer that few have
    except ImportError:
        pass
    else:
        # It prints its progress.
        with open(os.devnull, "wb") as null:
            kept = os.dup(2)
            os.dup2(null.fileno(), 2)
            theirs = kenlm.Model(str(path))
            os.dup2(kept, 2)
        found = model.score(lines) / math.log(10)
        if not np.allclose(found, [theirs.score(line) for line in lines], atol=CLOSE, rtol=0):
            raise RuntimeError("KenLM finds other probabilities")
        asked = measure(lambda: [theirs.score(line) for line in lines])
        peers["KenLM, a call a sentence"] = words / asked.least_cpu
    report.add_rate(
        "score, lines", words, measure(lambda: model.score(lines)), "words/s", peers=peers
    )
    report.add_rate(
        "score, rows of numbers",
        words,
        measure(lambda: model.score(numbers)),
        "words/s",
        peers=peers,
    )
    timing = measure(lambda: model.save_arpa(path), 3)
    report.add_rate("save_arpa", len(model), timing, "n-grams/s")
    report.add_rate(
        "load_arpa", len(model), measure(lambda: LanguageModel.load_arpa(path), 3), "n-grams/s"
    )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark, sources=["kenlm"])
