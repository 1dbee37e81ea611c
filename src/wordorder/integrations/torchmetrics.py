"""Metrics for torchmetrics, whose states are exact sums for any number of ranks (processes)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import numpy as np
import torch
import torchmetrics

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.metrics import contract
from wordorder.segments import Segments
from wordorder.statistics.exact_sum import MAX_BITS, UNITS_PER_ONE, ExactSum, read_sum

# An exact sum is an integer in limbs of `LIMB_BITS` bits, the lowest limb first.
LIMB_BITS = 32
LIMB_COUNT = MAX_BITS // LIMB_BITS + 2
LIMB_MASK = (1 << LIMB_BITS) - 1


class WordOrderMetric(torchmetrics.Metric):  # type: ignore[misc]  # torchmetrics may be absent
    """A metric as a `torchmetrics.Metric`.

    Parameters
    ----------
    metric : Metric
    aligner : str, optional
        See `Segments.from_text`; with an aligner, metrics of orders accept translations.
    torch_options : dict, optional
        Options of `torchmetrics.Metric`.
    options
        Further options of `Segments.from_text`.

    Notes
    -----
    Sums of statistics are integers in limbs of 32 bits: int64 tensors that are reduced by ``sum``.
    Any number of ranks therefore gives the score of one process to the last bit, for up to 2^31
    updates in total.

    `torchmetrics.MetricCollection` merges metrics if their states have the same names and are
    equal after the first batch, and then updates only one of them. The names of states therefore
    contain the metric and its options.

    Examples
    --------
    >>> from wordorder import metric
    >>> cder = WordOrderMetric(metric("cder"))  # doctest: +SKIP
    >>> cder.update(["the cat sat"], [["the cat sat down"]])  # doctest: +SKIP
    >>> cder.compute().item()  # doctest: +SKIP
    0.25
    """

    is_differentiable = False
    full_state_update = False

    def __init__(
        self,
        metric: contract.Metric,
        *,
        aligner: str | None = None,
        torch_options: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**(torch_options or {}))
        self.metric = contract.complete_metric(metric).with_tokenizer(
            options.get("tokenizer") or "none"
        )
        if self.metric.needs_preparation:
            raise UsageError(f"{self.metric.name} has to see all references first")
        self.options = options if aligner is None else {**options, "aligner": aligner}
        self.from_text = aligner is not None or "permutation" not in self.metric.columns
        width = contract.statistics_width(self.metric)
        self._suffix = state_suffix(self.metric, self.options)
        for name, shape in (
            ("sums", (width, LIMB_COUNT)),
            ("segments", ()),
            ("skipped", ()),
            ("characters", ()),
        ):
            zeros = torch.zeros(shape, dtype=torch.int64)
            self.add_state(f"{name}_{self._suffix}", zeros, dist_reduce_fx="sum")

    @property
    def sums(self) -> Any:
        """The sums of statistics in limbs, int64[k, LIMB_COUNT]."""
        return getattr(self, f"sums_{self._suffix}")

    @property
    def segments(self) -> Any:
        """Number of segments, int64."""
        return getattr(self, f"segments_{self._suffix}")

    @property
    def skipped(self) -> Any:
        """Number of segments that the metric left out, int64."""
        return getattr(self, f"skipped_{self._suffix}")

    @property
    def characters(self) -> Any:
        """Number of segments split into characters by the default tokenizer, int64."""
        return getattr(self, f"characters_{self._suffix}")

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value means a better system."""
        return self.metric.higher_is_better

    def set_dtype(self, dst_type: Any) -> WordOrderMetric:
        """Return the metric unchanged: floats cannot represent the integers of its states."""
        return self

    def update(self, predictions: Any, target: Any = None) -> None:
        """Add segments.

        Parameters
        ----------
        predictions : Segments, or rows
            Translations; or orders, for metrics of orders without an aligner.
        target : rows
            References: one per segment, or a list of them.
        """
        if isinstance(predictions, Segments):
            segments = predictions
        elif self.from_text:
            segments = Segments.from_text(predictions, target, **self.options)
        else:
            segments = Segments.from_orders(predictions, target)
        statistics = contract.statistics_in_pieces(self.metric, segments)
        # In place, because metrics that a collection has merged share these tensors.
        self.sums.add_(torch.from_numpy(limbs_of(statistics)).to(self.sums.device))
        self.segments.add_(len(segments))
        if segments.cut_by_default == "char":
            self.characters.add_(len(segments))
        self.skipped.add_(int(np.count_nonzero(contract.left_out_segments(statistics))))

    def compute(self) -> Any:
        """Return the score of all segments of all ranks, a tensor of float64.

        Raises
        ------
        InputError
            If there is no segment.
        UsageError
            If some batches were split into words and others into characters.
        """
        contract.require_segments(int(self.segments))
        if 0 < int(self.characters) < int(self.segments):
            raise UsageError(
                f"{int(self.characters)} of {int(self.segments)} segments were cut into characters "
                'and the others into words: name a tokenizer, tokenizer="char"'
            )
        value = self.metric.score(totals_of(self.sums.cpu().numpy()))
        return torch.tensor(float(value), dtype=torch.float64)


def state_suffix(metric: contract.Metric, options: dict[str, Any]) -> str:
    """Return the suffix of the names of states: the metric's name, and a hash of its options.

    The hash does not include the version, so that later versions can read a checkpoint.
    """
    signature = metric.signature()
    option_values = {
        name: getattr(value, "fields", value) for name, value in sorted(options.items())
    }
    description = repr((signature.metric, signature.fields, option_values))
    name = re.sub(r"\W+", "_", signature.metric, flags=re.ASCII)
    return f"{name}_{hashlib.sha256(description.encode()).hexdigest()[:16]}"


def limbs_of(statistics: Float64) -> Int64:
    """Return the exact sum of each column in limbs, int64[k, LIMB_COUNT].

    Each limb has the sign of the sum.
    """
    exact_sums = ExactSum(statistics.shape[1])
    exact_sums.add(statistics)
    limbs = np.zeros((statistics.shape[1], LIMB_COUNT), np.int64)
    for column, text in enumerate(exact_sums.to_text()):
        units = read_sum(text)
        sign, units = (-1 if units < 0 else 1), abs(units)
        index = 0
        while units:
            limbs[column, index] = sign * (units & LIMB_MASK)
            units >>= LIMB_BITS
            index += 1
    return limbs


def totals_of(limbs: Int64) -> Float64:
    """Return the sums that `limbs_of` split into limbs, correctly rounded, float64[k]."""
    unit_sums = [
        sum(limb << (LIMB_BITS * index) for index, limb in enumerate(row)) for row in limbs.tolist()
    ]
    return np.array([units / UNITS_PER_ONE for units in unit_sums], np.float64)
