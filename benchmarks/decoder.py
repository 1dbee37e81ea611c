"""The decoder of the phrase-based translator: sentences per CPU second, and what its beam loses.

Needs ``WORDORDER_DATA`` with ``small_parallel_enja``: a model of its 50,000 sentence pairs, with
the weights that it has before tuning, translates the 500 sentences of its test part, of nine words
on average. A sentence counts as worse if a beam of 1,000 without a threshold finds a better score.
"""

from __future__ import annotations

import gzip
import os
import tempfile
from functools import partial
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Report, main, measure, measure_process, rounded, wordorder_command

import wordorder as wo
from wordorder.segments import Segments
from wordorder.translation import Decoder, Translated, TranslationModel, train_translation
from wordorder.translation.decoder import PhraseSearch

# Window, beam, translations listed, and how many sentences a second are asked for.
SETTINGS = (
    *((0, 40, 1, 4000), (4, 40, 1, 1000), (4, 40, 100, None)),
    *((2, 40, 1, None), (6, 40, 1, None), (63, 40, 1, None)),
    *((4, 10, 1, None), (4, 100, 1, None), (0, 100, 1, None)),
)


def benchmark(report: Report) -> None:
    folder = Path(os.environ["WORDORDER_DATA"]) / "small_parallel_enja"
    texts = {
        name: gzip.decompress((folder / f"{name}.gz").read_bytes()).decode().split("\n")[:-1]
        for name in ("train.en", "train.ja", "test.en", "test.ja")
    }
    lines = texts["test.en"][:50] if report.quick else texts["test.en"]
    pairs = 5000 if report.quick else len(texts["train.en"])
    model = train_translation(texts["train.en"][:pairs], texts["train.ja"][:pairs])
    # On one core.
    wo.set_threads(1)
    widest: dict[int, Translated] = {}
    for window, beam, nbest, asked in SETTINGS:
        if window not in widest and window in (0, 4):
            widest[window] = thorough(model, window).translate(lines)
        decoder = Decoder(model, window=window, beam=beam, nbest=nbest)
        details: dict[str, Any] = {}
        if nbest == 1:
            found = decoder.translate(lines)
            details["bleu"] = bleu(found, texts["test.ja"])
            if window in widest:
                best = widest[window]
                worse = found.scores < best.scores - 1e-5
                details["share_worse"] = rounded(float(worse.mean()))
                details["mean_score_lost"] = rounded(float((best.scores - found.scores).mean()))
                details["bleu_of_beam_1000"] = bleu(best, texts["test.ja"])
        lists = f", lists of {nbest}" if nbest > 1 else ""
        report.add_rate(
            f"translate, window {window}, beam {beam}{lists}",
            len(lines),
            measure(partial(decoder.translate, lines), 3),
            "sentences/s",
            at_least=asked,
            **details,
        )
    processes(report, model, lines)


def thorough(model: TranslationModel, window: int) -> Decoder:
    """Return a decoder with a wide beam and no threshold."""
    decoder = Decoder(model)
    decoder.search = PhraseSearch(
        *(model.phrases, model.language_model, np.array(model.weights), window),
        beam=1000,
        threshold=inf,
    )
    return decoder


def bleu(found: Translated, references: list[str]) -> float:
    """Return BLEU on the words as they are, in percent."""
    segments = Segments.from_text(found.lines, references[: len(found)])
    metric = wo.metric("bleu", tokenize="none")
    return rounded(100 * float(metric.score(metric.statistics(segments).sum(axis=0))))


def processes(report: Report, model: TranslationModel, lines: list[str]) -> None:
    """Measure `wordorder translate`, and its peak memory for more lines."""
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder, "model"), Path(folder, "text")
        model.save(path)
        for times in (1, 40):
            text.write_text("\n".join(lines * times) + "\n", encoding="utf-8", newline="\n")
            run = measure_process(wordorder_command("translate", path, text, "--threads", "1"), 2)
            report.add_seconds(
                f"wordorder translate, {times * len(lines):,} sentences, with starting Python",
                run,
                megabytes=round(run.megabytes),
            )


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
