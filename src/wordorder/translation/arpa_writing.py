"""Writing a language model as text: the ARPA format, which all tools read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from wordorder.errors import InputError
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.types import Array, Float32, Int32

LOG_10 = math.log(10)
# What separates words and lines.
SEPARATORS = "\0\t\n\v\f\r "
# N-grams that are written at a time.
PIECE = 1 << 15


def write_arpa(
    path: Path,
    words: Sequence[str],
    order: int,
    parents: Int32,
    last_words: Int32,
    probability: Float32,
    backoff: Float32,
) -> None:
    """Write n-grams by length, each level in the order of the nodes.

    Nine digits: what is read back is the same to the last bit.
    """
    for number, word in enumerate(words):
        if not word or any(separator in word for separator in SEPARATORS):
            raise InputError(f"word {number}", repr(word)[:30], "a word without blanks")
    length = np.zeros(len(parents), np.int32)
    ancestors = np.arange(len(parents), dtype=np.int32)
    while ancestors.any():
        length += ancestors > 0
        ancestors = parents[ancestors]
    # Node 0 is no n-gram.
    levels = [np.flatnonzero(length == n) for n in range(1, order + 1)]
    with write_output(path) as stream:
        header = [f"ngram {n}={len(level)}\n" for n, level in enumerate(levels, 1)]
        stream.write(("\\data\\\n" + "".join(header)).encode())
        for n, level in enumerate(levels, 1):
            stream.write(f"\n\\{n}-grams:\n".encode())
            for first in range(0, len(level), PIECE):
                nodes = level[first : first + PIECE]
                columns: list[list[str]] = []
                here: Array = nodes
                for _ in range(n):
                    columns.append([words[word] for word in last_words[here].tolist()])
                    here = parents[here]
                ngrams = map(" ".join, zip(*reversed(columns), strict=True))
                scores = (probability[nodes].astype(np.float64) / LOG_10).tolist()
                weights = (backoff[nodes].astype(np.float64) / LOG_10).tolist()
                stream.write("".join(_lines(ngrams, scores, weights, n == order)).encode())
        stream.write(b"\n\\end\\\n")


def _lines(
    ngrams: Iterator[str], scores: list[float], weights: list[float], longest: bool
) -> Iterator[str]:
    """Write n-grams one a line; the longest have no weight."""
    for ngram, score, weight in zip(ngrams, scores, weights, strict=True):
        yield f"{score:.9g}\t{ngram}\n" if longest else f"{score:.9g}\t{ngram}\t{weight:.9g}\n"
