"""Scores of links: read them from files, and compute them from a model's posteriors."""

import re

import numpy as np

from wordorder.arrays import Float64, UInt8

# A link with a score after a colon, or with SimAlign's mean and highest similarity.
_SCORED_LINK = re.compile(
    rb"(?<![^ \t\r\n])[0-9]+[-p?][0-9]+(?P<colon>:(?P<score>[^ \t\r\n]*)|"
    rb"-(?P<mean>[01]?\.[0-9]+)-[01]?\.[0-9]+(?![^ \t\r\n]))"
)
# SimAlign starts a line with the number of the sentence and a tab.
_SENTENCE_NUMBER = re.compile(rb"(?m)^[0-9]+\t(?=[0-9]+-[0-9]+-[01]?\.[0-9]|\r?$)")
_SIMALIGN_LINE = re.compile(rb"(?m)^[0-9]+\t[0-9]+-[0-9]+-[01]?\.[0-9]")
_NUMERAL = re.compile(rb"[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?")
# Posteriors are clipped to this distance from 0 and 1.
_MIN_POSTERIOR = 1e-6


def remove_scores(data: UInt8) -> tuple[UInt8, Float64, int]:
    """Replace the scores in lines of links by spaces, and return them.

    Returns
    -------
    data : uint8[B]
    scores : float64[L]
        The valid scores, in their order.
    bad : int
        The byte offset of the first link with a score that is not in [0, 1], or -1.

    Examples
    --------
    >>> text = np.frombuffer(b"0-0:0.9 1-1:1\\n", np.uint8)
    >>> left, scores, bad = remove_scores(text)
    >>> left.tobytes(), scores.tolist(), bad
    (b'0-0     1-1  \\n', [0.9, 1.0], -1)
    >>> remove_scores(np.frombuffer(b"7\\t0-0-.91-.95\\n", np.uint8))[1].tolist()
    [0.91]
    """
    text = data.tobytes()
    unscored = bytearray(text)
    scores = []
    bad = -1
    for match in _SENTENCE_NUMBER.finditer(text) if _SIMALIGN_LINE.search(text) else ():
        unscored[match.start() : match.end()] = b" " * (match.end() - match.start())
    for match in _SCORED_LINK.finditer(text):
        start, end = match.span("colon")
        unscored[start:end] = b" " * (end - start)
        if (mean := match["mean"]) is not None:
            # SimAlign cuts off the first digit, so .0 is 1.0; no similarity is exactly 0.
            scores.append(float(mean) if float(mean) else 1.0)
        elif _NUMERAL.fullmatch(match["score"]) and float(match["score"]) <= 1:
            scores.append(float(match["score"]))
        elif bad < 0:
            bad = match.start()
    return np.frombuffer(bytes(unscored), np.uint8), np.array(scores), bad


def calibrate(evidence: Float64, weights: tuple[float, ...]) -> Float64:
    """Return the probability that links are right, by a logistic regression.

    The model's posteriors are overconfident, especially for rare words; the weights were fitted to
    manual links.

    Examples
    --------
    >>> calibrate(np.array([[1.0, 0.0], [1.0, 2.0]]), (0.0, 1.0)).round(2).tolist()
    [0.5, 0.88]
    """
    return np.asarray(1 / (1 + np.exp(-evidence @ np.array(weights))), np.float64)


def log_odds(posteriors: Float64) -> Float64:
    """Return the log odds of probabilities, limited to -14 .. 14."""
    clipped = np.clip(posteriors, _MIN_POSTERIOR, 1 - _MIN_POSTERIOR)
    return np.asarray(np.log(clipped / (1 - clipped)), np.float64)
