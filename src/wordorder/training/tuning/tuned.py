"""What tuning found."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.types import Float64


@dataclass(frozen=True, eq=False)
class Tuned:
    """Tuned weights, and what they are worth on the candidates that they were tuned on.

    Attributes
    ----------
    objective : str
        The signature of the metric; ``bleu`` for Moses' statistics.
    value : float
        The metric's value of the candidates that the weights choose.
    weights : float64[F]
        Their absolute values sum up to 1, but for PRO and MIRA.
    names : tuple of str
        The features: ``d_0``, ``d_1``, ``lm_0``.
    before : float
        The value at the weights that tuning began with.
    starts : tuple of float
        The value that each start reached; for PRO and MIRA that of the weights alone.
    sentences, candidates : int
        How many there were; candidates that no weights tell apart count once.
    interval : (low, high), optional
        The bootstrap interval of `value` over the sentences, for these weights.
    spread : float64[F, 2], optional
        The lowest and the highest of each weight when it is tuned on resampled sentences.
    """

    objective: str
    value: float
    weights: Float64
    names: tuple[str, ...]
    before: float
    starts: tuple[float, ...]
    sentences: int
    candidates: int
    interval: tuple[float, float] | None = None
    spread: Float64 | None = None
