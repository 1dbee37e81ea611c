"""Scores of links: how they are spelled in files, and what a model's posteriors make of them."""

import re

import numpy as np

from wordorder.arrays import Float64, UInt8

# A link with a score behind a colon, or with SimAlign's mean and highest similarity.
_SCORED = re.compile(
    rb"(?<![^ \t\r\n])[0-9]+[-p?][0-9]+(?P<colon>:(?P<score>[^ \t\r\n]*)|"
    rb"-(?P<mean>[01]?\.[0-9]+)-[01]?\.[0-9]+(?![^ \t\r\n]))"
)
# SimAlign begins a line with the number of the sentence and a tab.
_NUMBER = re.compile(rb"(?m)^[0-9]+\t(?=[0-9]+-[0-9]+-[01]?\.[0-9]|\r?$)")
_SIMALIGN = re.compile(rb"(?m)^[0-9]+\t[0-9]+-[0-9]+-[01]?\.[0-9]")
_NUMERAL = re.compile(rb"[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?")
# Behind how many nines a posterior counts as certain.
_NEAREST = 1e-6


def without_scores(data: UInt8) -> tuple[UInt8, Float64, int]:
    """Replace the scores in lines of links by spaces, and return them.

    Returns
    -------
    data : uint8[B]
    scores : float64[L]
        As they stand, those that are no number in [0, 1] left out.
    bad : int
        Where the first link with such a score is, or -1.

    Examples
    --------
    >>> text = np.frombuffer(b"0-0:0.9 1-1:1\\n", np.uint8)
    >>> left, scores, bad = without_scores(text)
    >>> left.tobytes(), scores.tolist(), bad
    (b'0-0     1-1  \\n', [0.9, 1.0], -1)
    >>> without_scores(np.frombuffer(b"7\\t0-0-.91-.95\\n", np.uint8))[1].tolist()
    [0.91]
    """
    text = data.tobytes()
    unscored = bytearray(text)
    scores = []
    bad = -1
    for match in _NUMBER.finditer(text) if _SIMALIGN.search(text) else ():
        unscored[match.start() : match.end()] = b" " * (match.end() - match.start())
    for match in _SCORED.finditer(text):
        start, end = match.span("colon")
        unscored[start:end] = b" " * (end - start)
        if (mean := match["mean"]) is not None:
            # SimAlign cuts the first digit off: its .0 is a one, as no similarity is exactly 0.
            scores.append(float(mean) if float(mean) else 1.0)
        elif _NUMERAL.fullmatch(match["score"]) and float(match["score"]) <= 1:
            scores.append(float(match["score"]))
        elif bad < 0:
            bad = match.start()
    return np.frombuffer(bytes(unscored), np.uint8), np.array(scores), bad


def calibrated(evidence: Float64, weights: tuple[float, ...]) -> Float64:
    """Return how probably links are right, by a logistic regression.

    The posteriors of the model are too sure, above all of rare words: the weights were fitted to
    links made by hand.

    Examples
    --------
    >>> calibrated(np.array([[1.0, 0.0], [1.0, 2.0]]), (0.0, 1.0)).round(2).tolist()
    [0.5, 0.88]
    """
    return np.asarray(1 / (1 + np.exp(-evidence @ np.array(weights))), np.float64)


def log_odds(posteriors: Float64) -> Float64:
    """Return the logarithms of the odds, of which none is farther from 0 than 14."""
    near = np.clip(posteriors, _NEAREST, 1 - _NEAREST)
    return np.asarray(np.log(near / (1 - near)), np.float64)
