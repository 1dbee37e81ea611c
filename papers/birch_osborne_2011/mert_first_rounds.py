#!/usr/bin/env python3
"""Why MERT's weights are worth less to the decoder than to the lists, and what helps.

    python -m papers.birch_osborne_2011.mert_first_rounds DATA

English to Japanese, small_parallel_enja: the source as it stands, 50,000 pairs to train on, window
4, lists of 100, 20 starts, five rounds at most, tuned for BLEU on dev and judged on test. MERT is
run as it is, near the weights that made the lists, and once more without that bound; MIRA beside
it. Between the weights of the start and those of an unbounded first round, lists and decoder are
asked what they find.
"""

from __future__ import annotations

import argparse
import gzip
import os
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import wordorder as wo
from papers.keeping import OUTPUT, keep
from wordorder.arrays import Float64
from wordorder.messages import WordOrderWarning
from wordorder.segments import Segments
from wordorder.training.tuning import rounds
from wordorder.training.tuning.mert import unit
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuning import tune
from wordorder.training.tuning.weights_file import Round, Tuned
from wordorder.translation import Decoder, TranslationModel, train_translation, tune_translation

SEEDS, ROUNDS, WINDOW, LISTED = (1, 2, 3), 5, 4, 100
WAYS = ("MERT, near", "MERT, anywhere", "MIRA")
STEPS = (0.0, 0.25, 0.5, 0.75, 1.0)
BLEU = wo.metric("bleu", tokenize="none")


class Loop:
    """A model, and its dev and test parts."""

    def __init__(self, data: Path) -> None:
        folder = data / "small_parallel_enja"
        self.text = {
            f"{part}.{side}": gzip.decompress((folder / f"{part}.{side}.gz").read_bytes())
            .decode()
            .split("\n")[:-1]
            for part in ("train", "dev", "test")
            for side in ("en", "ja")
        }
        self.model: TranslationModel = train_translation(
            self.text["train.en"], self.text["train.ja"]
        )

    def decoded(self, weights: Float64, part: str) -> list[str]:
        """Return the best translations of a part."""
        decoder = Decoder(self.model, weights=weights, window=WINDOW)
        return decoder.translate(self.text[f"{part}.en"]).lines

    def bleu(self, lines: list[str], part: str) -> float:
        """Return the BLEU of translations of a part."""
        return BLEU.corpus_score(Segments.from_text(lines, self.text[f"{part}.ja"])).value

    def tuned(self, way: str, seed: int) -> dict[str, Any]:
        """Tune with a seed; return each round, and what its lists had promised."""
        made: list[dict[str, Any]] = []
        promised: list[float] = []

        def search(problem: Problem, **options: Any) -> Tuned:
            if way == "MERT, anywhere":
                weights = options["start"]
                # Only the random starts are near the weights before.
                options["bounds"] = np.minimum(2 * weights, 0), np.maximum(2 * weights, 0)
                options["within"] = False
            found = tune(problem, **options)
            promised.append(found.value)
            return found

        def after(_: int, each: Round) -> None:
            row = {"dev": each.value, "test": self.bleu(self.decoded(each.weights, "test"), "test")}
            if each.number:
                row["promised"] = promised[-1]
            row["weights"] = each.weights.tolist()
            made.append(row | {"candidates": each.candidates})

        method = way.partition(",")[0].lower()
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            source, reference = (Path(folder, name) for name in ("dev.en", "dev.ja"))
            for path in (source, reference):
                path.write_text("\n".join([*self.text[path.name], ""]), encoding="utf-8")
            # The search of this run in place of the one that rounds take.
            with patch.object(rounds, "tune", search):
                tuned = tune_translation(
                    self.model,
                    source,
                    reference,
                    "bleu(tokenize=none)",
                    window=WINDOW,
                    kbest=LISTED,
                    method=method,
                    rounds=ROUNDS,
                    seed=seed,
                    after=after,
                )
        found = {"rounds": made, "best": tuned.best.best.number}
        found["cpu_seconds"] = round(time.process_time() - begin, 1)
        print(way, seed, [round(each["test"], 4) for each in made], flush=True)
        return found

    def walk(self, end: Float64) -> list[dict[str, float]]:
        """Go from the start to other weights; ask the first lists, and the decoder."""
        start = unit(np.array(self.model.weights))
        decoder = Decoder(self.model, weights=start, window=WINDOW, nbest=LISTED)
        lists = decoder.translate(self.text["dev.en"]).nbest("dev")
        known = set(zip(lists.sentence.tolist(), lists.text, strict=True))
        found = []
        for step in STEPS:
            weights = (1 - step) * start + step * end
            lines = self.decoded(weights, "dev")
            new = [(row, line) not in known for row, line in enumerate(lines)]
            best = self.bleu(best_of(lists, weights), "dev")
            made = {"step": step, "lists": best, "decoder": self.bleu(lines, "dev")}
            found.append(made | {"not in the lists": float(np.mean(new))})
        return found


def best_of(lists: NBest, weights: Float64) -> list[str]:
    """Return the best translations of lists that have all sentences."""
    ranked = lists.reranked(weights)
    return [ranked.text[row] for row in ranked.offsets[:-1].tolist()]


def markdown(found: dict[str, Any]) -> str:
    """Write the results as a page."""
    lines = [
        "# MERT's first rounds",
        "",
        "small_parallel_enja, English to Japanese, 500 sentences each for dev and test; BLEU on",
        f"tokens (0 to 1). {found['made']}",
        "",
        "*Near*: no weight may leave the region between 0 and twice what it was in the round",
        "before. *Anywhere*: only random starts lie there. *Promised* is what the lists said of",
        "the new weights, *dev* what the decoder then found. CPU seconds hold the scoring of test.",
        "",
        "| | seed | promised | dev | test | | best round | dev | test | CPU-s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for way in WAYS:
        for seed, run in found["runs"][way].items():
            first, best = run["rounds"][1], run["rounds"][run["best"]]
            cells = [f"{first[name]:.4f}" for name in ("promised", "dev", "test")]
            after = f"{best['dev']:.4f} | {best['test']:.4f} | {run['cpu_seconds']}"
            lines.append(f"| {way} | {seed} | {' | '.join(cells)} | | {run['best']} | {after} |")
    start = found["runs"][WAYS[0]][str(SEEDS[0])]["rounds"][0]
    lines += [
        "",
        f"Before tuning: dev {start['dev']:.4f}, test {start['test']:.4f}. The first three columns",
        "are those of the first round.",
        "",
        "From the weights of the start, step by step, to those of the first round of *anywhere*",
        f"(seed {SEEDS[0]}):",
        "",
        "| step | BLEU in the first lists | BLEU of the decoder | translations not in the lists |",
        "|---|---|---|---|",
    ]
    for row in found["walk"]:
        share = f"{100 * row['not in the lists']:.0f} %"
        lines.append(f"| {row['step']} | {row['lists']:.4f} | {row['decoder']:.4f} | {share} |")
    return "\n".join([*lines, ""])


def main() -> None:
    """Tune in all ways with all seeds, and keep what came of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    data = os.environ.get("WORDORDER_DATA")
    parser.add_argument("data", type=Path, nargs="?", default=data, help="the folder of corpora")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    given = parser.parse_args()
    if given.data is None:
        parser.error("give the folder of corpora, or set WORDORDER_DATA")
    warnings.simplefilter("ignore", WordOrderWarning)
    wo.set_threads(1)
    started = time.process_time()
    loop = Loop(Path(given.data))
    runs = {way: {str(seed): loop.tuned(way, seed) for seed in SEEDS} for way in WAYS}
    end = np.array(runs["MERT, anywhere"][str(SEEDS[0])]["rounds"][1]["weights"])
    keep(
        given.output, "mert_first_rounds", {"runs": runs, "walk": loop.walk(end)}, markdown, started
    )


if __name__ == "__main__":
    main()
