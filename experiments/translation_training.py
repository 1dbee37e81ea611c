#!/usr/bin/env python3
"""What the choices in training a translation model are worth, in BLEU, time and memory.

    python experiments/translation_training.py DATA --cache WORK

Are links better before or after the source is put in order? How long may phrases be, how are links
joined, what does significance pruning cost? On small_parallel_enja, 50,000 sentence pairs; BLEU on
tokens of dev and test, 500 sentences each, under the weights that a model has before it is tuned.
WORK keeps the orders; without them it takes about five minutes.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from keeping import arguments_of, keep
from translation_orders import PARTS, Sources

import wordorder as wo
from wordorder.alignment.reading import write_alignments
from wordorder.order.reference import reorder_alignments
from wordorder.text.lines import read_lines
from wordorder.translation import TranslationModel
from wordorder.translation.decoder import Decoder

ORDERS = ("as it stands", "head-final", "R5")
WINDOWS = (4, 0)
CHOICES: dict[str, tuple[str, ...]] = {
    "the defaults": (),
    "--max-phrase 3": ("-O", "max-phrase=3"),
    "--max-phrase 5": ("-O", "max-phrase=5"),
    "--max-phrase 8": ("-O", "max-phrase=8"),
    "--table-limit 50": ("-O", "table-limit=50"),
    "--lm-order 3": ("-O", "lm-order=3"),
    "--lm-order 5": ("-O", "lm-order=5"),
    "--prune a-e": ("-O", "prune=a-e"),
    "--prune a+e": ("-O", "prune=a+e"),
    "--symmetrize grow-diag": ("--symmetrize", "grow-diag"),
    "--symmetrize intersection": ("--symmetrize", "intersection"),
    "--symmetrize union": ("--symmetrize", "union"),
    "--aligner hmm": ("--aligner", "hmm"),
    "--aligner ibm1": ("--aligner", "ibm1"),
}


class Trials:
    """Trains models with the command and translates dev and test with them."""

    def __init__(self, sources: Sources, folder: Path) -> None:
        self.sources = sources
        self.folder = folder
        self.bleu = wo.metric("bleu", tokenize="none")

    def trained(self, order: str, *options: str) -> tuple[TranslationModel, dict[str, float]]:
        """Return a model, and what it took: seconds of the processor, megabytes of the file."""
        text, target = self.sources.text(order, "train"), self.sources.target("train")
        path = self.folder / "a.model"
        command = [
            sys.executable,
            "-m",
            "wordorder",
            "train",
            "translation",
            str(text),
            str(target),
        ]
        running = subprocess.Popen([*command, "-o", str(path), "--threads", "1", *options])
        _, status, used = os.wait4(running.pid, 0)
        running.returncode = status
        if status:
            raise SystemExit(f"training ended with {status}")
        seconds = used.ru_utime + used.ru_stime
        megabytes = path.stat().st_size / 1e6
        cost = {"cpu_seconds": round(seconds, 1), "file_megabytes": round(megabytes, 1)}
        return TranslationModel.load(path), cost

    def scores(self, model: TranslationModel, order: str, window: int) -> dict[str, float]:
        """Return BLEU of dev and test."""
        found = {}
        for part in ("dev", "test"):
            lines = list(read_lines(self.sources.text(order, part)))
            translated = Decoder(model, window=window).translate(lines).lines
            references = [[line] for line in read_lines(self.sources.target(part))]
            segments = wo.Segments.from_text(translated, references)
            found[part] = round(self.bleu.corpus_score(segments).value, 4)
        return found


def main() -> None:
    """Run the experiment and keep its result."""
    started = time.process_time()
    given = arguments_of(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        sources = Sources(given.data, given.cache or Path(folder, "orders"))
        trials = Trials(sources, Path(folder))
        results = {"links": links(trials), "choices": choices(trials)}
    keep(given.output, "translation_training", results, markdown, started)


def links(trials: Trials) -> list[dict[str, Any]]:
    """Compare links that are made before the source is put in order with links made after it."""
    rows = []
    for order in ORDERS:
        path = trials.folder / "before.align"
        orders = trials.sources.orders(order)[PARTS["train"]]
        moved = reorder_alignments(trials.sources.links[PARTS["train"]], orders)
        write_alignments(moved, path)
        for name, options in (("before", ("--alignments", str(path))), ("after", ())):
            model, _ = trials.trained(order, *options)
            for window in WINDOWS:
                scores = trials.scores(model, order, window)
                rows.append({"order": order, "aligned": name, "window": window, **scores})
    return rows


def choices(trials: Trials) -> list[dict[str, Any]]:
    """Compare options of training."""
    rows = []
    for order in ("as it stands", "R5"):
        for name, options in CHOICES.items():
            model, cost = trials.trained(order, *options)
            entries = {"phrase_pairs": model.phrases.entries, **cost}
            scores = trials.scores(model, order, WINDOWS[0])
            rows.append({"order": order, "options": name, **scores, **entries})
    return rows


def markdown(results: dict[str, Any]) -> str:
    """Return the results as a page."""
    lines = [
        "# Choices in training a translation model",
        "",
        f"{results['made']} `experiments/translation_training.py`: small_parallel_enja, 50,000",
        "sentence pairs, BLEU on tokens under weights that are not tuned.",
        "",
        "## Links before or after the source is put in order",
        "",
        "| source order | window | aligned | dev | test |",
        "|---|---|---|---|---|",
    ]
    for row in results["links"]:
        scores = f"{row['dev']:.4f} | {row['test']:.4f}"
        lines.append(f"| {row['order']} | {row['window']} | {row['aligned']} | {scores} |")
    lines += [
        "",
        "## Options, window 4",
        "",
        "CPU seconds are those of `wordorder train translation`, alignment included.",
        "",
        "| source order | options | dev | test | phrase pairs | CPU s | file MB |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in results["choices"]:
        cost = f"{row['cpu_seconds']} | {row['file_megabytes']}"
        lines.append(
            f"| {row['order']} | {row['options']} | {row['dev']:.4f} | {row['test']:.4f} | "
            f"{row['phrase_pairs']:,} | {cost} |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
