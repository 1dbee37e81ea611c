"""Score lines of 100,000 words with every metric: each is done in seconds, or says so before.

Three kinds of lines: one word again and again, all words different and shuffled, two words in
turn. Each metric runs in a process of its own that is stopped after some CPU seconds; the script
leaves with 1 if one was stopped that had given no note. Metrics of trees read chains, stars and
pairs of words.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import wordorder as wo
from wordorder.metrics import METRICS
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import named_metric
from wordorder.segments import Segments

WORDS = 100_000
CPU_SECONDS = 5
SHAPES = ("equal", "different", "alternating")
# Metrics that are nothing without an option.
NAMED = {"mix": "mix(formula=0.6*cder)", "label-f1": "label-f1(label=root)"}


def orders(shape: str, words: int) -> list[int]:
    """Return an order: reversed for equal words, shuffled, or swapped in pairs."""
    if shape == "equal":
        return list(range(words))[::-1]
    if shape == "different":
        return random.Random(1).sample(range(words), words)
    return [n ^ 1 for n in range(words - words % 2)]


def lines(shape: str, words: int) -> tuple[str, str]:
    """Return a hypothesis and its reference; the last words differ, so that they are not equal."""
    if shape == "equal":
        row, other = ["a"] * words, ["a"] * words
    elif shape == "different":
        row = [f"w{n}" for n in range(words)]
        other = [row[n] for n in orders(shape, words)]
    else:
        row, other = ["a", "b"] * (words // 2), ["b", "a"] * (words // 2)
    return " ".join([*row, "x"]), " ".join([*other, "y"])


def tree_lines(shape: str, words: int) -> tuple[str, str]:
    """Return a system's tree and the gold one as CoNLL-U: a chain, a star, words in pairs."""
    chain = list(range(words))
    star = [0, *[1] * (words - 1)]
    pairs = [0, *(1 if n % 2 == 0 else n for n in range(1, words))]
    heads = {"equal": (star, chain), "different": (chain, star), "alternating": (pairs, chain)}
    row = "{}\ta\ta\tNOUN\tNN\t_\t{}\t{}\t_\t_\n"
    system, gold = (
        "".join(row.format(n, head, "dep" if head else "root") for n, head in enumerate(each, 1))
        for each in heads[shape]
    )
    return system + "\n", gold + "\n"


def segments_for(metric: BaseMetric, shape: str, words: int) -> Segments:
    """Return one segment with the columns that a metric reads."""
    columns = set(metric.columns)
    hypothesis, reference = lines(shape, words)
    order = orders(shape, words)
    if "trees" in columns:
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder, name) for name in ("system.conllu", "gold.conllu")]
            for path, text in zip(paths, tree_lines(shape, words), strict=True):
                path.write_text(text)
            return Segments.from_treebanks(*map(str, paths))
    moved, kept = [list(enumerate(order))], [[(n, n) for n in range(len(order))]]
    if "gold" in columns:
        return Segments.from_links(moved, kept)
    if "links" in columns:
        return Segments.from_alignments([hypothesis], [hypothesis], [reference], moved, kept)
    if columns == {"permutation"}:
        return Segments.from_permutations([order])
    aligner = "exact" if "permutation" in columns else None
    return Segments.from_text([hypothesis], [reference], aligner=aligner)


def score_one(name: str, shape: str, words: int, seconds: int) -> None:
    """Score one line; the process is stopped after so many CPU seconds more than it has taken."""
    warnings.simplefilter("always")
    wo.set_threads(1)
    metric = named_metric(name)
    start = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    limit = int(start) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    metric.segment_scores(segments_for(metric, shape, words))
    print(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) - start)


def main() -> None:
    """Sweep all metrics, or score the one that is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--words", type=int, default=WORDS)
    parser.add_argument("--seconds", type=int, default=CPU_SECONDS)
    parser.add_argument("--metrics", default="", help="names separated by commas; default: all")
    parser.add_argument("--one", nargs=2, metavar=("METRIC", "SHAPE"), help="score it here")
    options = parser.parse_args()
    if options.one:
        name, shape = options.one
        score_one(name, shape, options.words, options.seconds)
        return
    chosen = options.metrics.split(",") if options.metrics else METRICS.names()
    silent = []
    for name in [NAMED.get(each, each) for each in chosen]:
        for shape in SHAPES:
            given = ["--words", str(options.words), "--seconds", str(options.seconds)]
            done = subprocess.run(
                [sys.executable, __file__, *given, "--one", name, shape],
                capture_output=True,
                text=True,
                check=False,
            )
            noted = "of a long segment takes up to" in done.stderr
            if done.returncode == 0:
                said = f"{float(done.stdout):.2f} CPU s"
            elif done.returncode > 0:
                raise SystemExit(f"{name}, {shape}: {done.stderr}")
            else:
                said = f"stopped after {options.seconds} CPU s"
            print(f"{name:24} {shape:12} {said}{', noted before' if noted else ''}", flush=True)
            if done.returncode and not noted:
                silent.append(f"{name} on {shape}")
    if silent:
        raise SystemExit(f"no note, and not done: {', '.join(silent)}")


if __name__ == "__main__":
    main()
