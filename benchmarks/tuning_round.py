"""A round of tuning the translator: decode, join the lists, count BLEU, search with 20 starts.

Needs ``WORDORDER_DATA`` with ``small_parallel_enja``: a model of its 50,000 sentence pairs is tuned
on the 500 sentences of its development part, with lists of 100, window 4 and two methods, five
rounds each. What a round takes, and which part of it, is that of one core.
"""

from __future__ import annotations

import gzip
import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import Report, main, rounded

import wordorder as wo
from wordorder.messages import WordOrderWarning
from wordorder.training.tuning import rounds
from wordorder.training.tuning.weights_file import Round
from wordorder.translation import (
    TranslationModel,
    train_translation,
    tune_translation,
    tuning as translation_tuning,
)

ROUNDS = 5
# What is asked of the slowest round, in CPU seconds.
ASKED = {"mert": 5.0, "mira": None}


def benchmark(report: Report) -> None:
    folder = Path(os.environ["WORDORDER_DATA"]) / "small_parallel_enja"
    texts = {
        name: gzip.decompress((folder / f"{name}.gz").read_bytes()).decode()
        for name in ("train.en", "train.ja", "dev.en", "dev.ja")
    }
    pairs, sentences = (5000, 50) if report.quick else (50_000, 500)
    train = [texts[f"train.{side}"].split("\n")[:-1][:pairs] for side in ("en", "ja")]
    model = train_translation(*train)
    warnings.simplefilter("ignore", WordOrderWarning)
    # On one core.
    wo.set_threads(1)
    spent: dict[str, float] = {}
    timed(spent, translation_tuning._Decoding, "__call__", "decode")
    timed(spent, rounds, "tune", "search")
    with tempfile.TemporaryDirectory() as work:
        dev = [Path(work, name) for name in ("dev.en", "dev.ja")]
        for path in dev:
            lines = texts[path.name].split("\n")[:sentences]
            path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        for method, asked in ASKED.items():
            measure_rounds(report, spent, method, asked, sentences, model, dev[0], dev[1])


def measure_rounds(
    report: Report,
    spent: dict[str, float],
    method: str,
    asked: float | None,
    sentences: int,
    model: TranslationModel,
    source: Path,
    reference: Path,
) -> None:
    """Tune once, and add what each round took; the first decoding is part of the first round."""
    seconds: list[float] = []
    parts: list[dict[str, float]] = []
    made: list[Round] = []
    spent.clear()
    last = time.process_time()

    def after(_: int, each: Round) -> None:
        nonlocal last
        made.append(each)
        if each.number:
            seconds.append(time.process_time() - last)
            parts.append(dict(spent))
            spent.clear()
            last = time.process_time()

    tune_translation(
        model,
        source,
        reference,
        "bleu(tokenize=none)",
        window=4,
        method=method,
        rounds=ROUNDS,
        after=after,
    )
    worst = max(range(len(seconds)), key=seconds.__getitem__)
    how = " with 20 starts" if method == "mert" else ""
    report.add(
        f"slowest of {len(seconds)} rounds, {method}{how}, {sentences} sentences, lists of 100",
        seconds[worst],
        "CPU-s",
        at_most=asked,
        seconds_of_rounds=[rounded(each) for each in seconds],
        candidates_of_rounds=[each.candidates for each in made],
        bleu_of_rounds=[rounded(100 * each.value) for each in made],
    )
    for part in ("decode", "search"):
        report.add(f"    of it: {part}", parts[worst][part], "CPU-s")


def timed(spent: dict[str, float], owner: Any, name: str, part: str) -> None:
    """Add up what a function takes."""
    function: Callable[..., Any] = getattr(owner, name)

    def measured(*args: Any, **options: Any) -> Any:
        begin = time.process_time()
        try:
            return function(*args, **options)
        finally:
            spent[part] = spent.get(part, 0.0) + time.process_time() - begin

    setattr(owner, name, measured)


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
