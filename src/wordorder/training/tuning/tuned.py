"""What tuning found."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.counts import counted
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
    method : "mert", "pro" or "mira"
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
    method: str = "mert"

    def __repr__(self) -> str:
        return (
            f"Tuned({self.objective}: {self.before:.4f} -> {self.value:.4f}, "
            f"{counted(len(self.names), 'weight')}, {counted(self.sentences, 'sentence')})"
        )

    def _repr_html_(self) -> str:
        from wordorder.drawing.table_html import table_html

        header, rows = (
            ["feature", "weight"],
            [
                [name, f"{weight:.4f}"]
                for name, weight in zip(self.names, self.weights, strict=True)
            ],
        )
        if self.spread is not None:
            header += ["lowest", "highest"]
            rows = [
                [*row, *(f"{bound:.4f}" for bound in bounds)]
                for row, bounds in zip(rows, self.spread.tolist(), strict=True)
            ]
        return table_html(repr(self), header, rows)
