"""Calls of the front door that type checkers accept."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import wordorder as wo

lines = ["we met on tuesday", "it rains"]
words = [["we", "met"], ["it", "rains"]]


def read() -> Iterator[str]:
    yield from lines


def call(column: npt.NDArray[np.str_], path: Path) -> None:
    """Call everything in the forms that the docs show; checked, never run."""
    wo.score(lines, lines)
    wo.score({"A": lines, "B": tuple(lines)}, [lines, lines], "frs,bleu")
    wo.score({"A": words}, words, ["frs"])
    wo.score({"A": column}, column, tokenizer="13a", lowercase=True)
    wo.score("system.txt", path, source="source.txt", aligner="agreement", language=None)
    wo.score([path, path], path, confidence=True, level=0.9, resamples=100, seed=1)
    wo.score({"A": [lines, lines], "B": [lines]}, read(), by="document", documents=["a", "a"])
    wo.score({"A": path, "B": "b.orders"}, "reference.orders", links="0.5", one_based=True)
    wo.compare(
        {"A": lines}, lines, test="randomization", words="own", settings={"bleu.tokenize": "zh"}
    )
    wo.analyze({"A": lines}, lines, top=5, focus=["A"], hypothesis="verbs").save("report.html")
