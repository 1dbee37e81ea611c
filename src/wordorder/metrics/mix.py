"""Mix: a weighted sum of metrics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.errors import UsageError, choose
from wordorder.metrics.contract import BaseMetric, statistics_width
from wordorder.metrics.registry import weighted_metrics
from wordorder.segments import Segments
from wordorder.segments.columns import Provenance
from wordorder.signature import Signature

# With weights up to this sum, no score overflows a float, even in mixes of mixes.
MAX_TOTAL_WEIGHT = 1e9


class Mix(BaseMetric):
    """Weighted sum of the scores of other metrics.

    ``0.6*cder + 0.4*per`` is the combination that agreed best with human judgements in Leusch et
    al. (2006, section 5.5). The statistics are the concatenated statistics of all members, so the
    corpus score is the weighted sum of the members' corpus scores, and intervals and tests work as
    for any metric.

    Parameters
    ----------
    formula : str
        Terms ``number*name`` or ``number*name(option=value,...)``, joined by ``+`` or ``-``.
    better : "auto", "higher" or "lower"
        Which values are good. "auto": as the members have it; a negative weight reverses the
        direction of its member.

    Raises
    ------
    UsageError
        If the formula cannot be read, all its weights are 0, they sum to more than 1e9, or a metric
        is unknown; if the members disagree about the better direction and `better` is "auto".

    Notes
    -----
    A segment is skipped only if all members leave it out. A member that leaves it out adds 0 to the
    score of that segment.

    Examples
    --------
    >>> mix = Mix(formula="0.5*frs + 0.5*kendall")
    >>> mix.segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.7])
    """

    name = "mix"

    def __init__(self, *, formula: str = "", better: str = "auto") -> None:
        if not isinstance(formula, str) or not formula.strip():
            raise UsageError('mix needs a formula: formula="0.6*cder + 0.4*per"')
        self.members = weighted_metrics(formula)
        if sum(abs(weight) for weight, _ in self.members) > MAX_TOTAL_WEIGHT:
            raise UsageError(
                f"the weights of {formula!r} are more than {MAX_TOTAL_WEIGHT:g} together"
            )
        choose("mix.better", better, ("auto", "higher", "lower"))
        self.higher_is_better = (
            better == "higher" if better != "auto" else _is_higher_better(self.members)
        )
        column_names = [column for _, member in self.members for column in member.columns]
        self.columns = tuple(dict.fromkeys(column_names))

    @property
    def needs_preparation(self) -> bool:
        """Whether a member must see the references before it can make statistics."""
        return any(member.needs_preparation for _, member in self.members)

    def prepare(self, references: Segments | Iterable[Segments]) -> Mix:
        """Return a mix whose members are prepared with the references of all segments."""
        pieces = [references] if isinstance(references, Segments) else list(references)
        prepared = copy(self)
        prepared.members = [
            (weight, member.prepare(pieces) if member.needs_preparation else member)
            for weight, member in self.members
        ]
        return prepared

    def with_tokenizer(self, tokenizer: str) -> Mix:
        """Return a mix whose members use the tokenizer."""
        tokenized = copy(self)
        tokenized.members = [(weight, m.with_tokenizer(tokenizer)) for weight, m in self.members]
        return tokenized

    def statistics(self, segments: Segments) -> Float64:
        """Return the concatenated statistics of all members, float64[S, k]."""
        return np.concatenate([m.statistics(segments) for _, m in self.members], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the weighted sum of the members' scores."""
        return self._weighted_sum(
            [member.score(columns) for member, columns in self._member_columns(totals)]
        )

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the weighted sum of the members' scores of each segment, float64[S]."""
        return self._weighted_sum(
            [member.score_segments(columns) for member, columns in self._member_columns(statistics)]
        )

    def origin(self, segments: Segments) -> Provenance:
        """Return the signature fields about the origin of the columns that the members read."""
        fields = dict(super().origin(segments))
        for _, member in self.members:
            fields |= dict(member.origin(segments))
        return tuple(fields.items())

    def signature(self) -> Signature:
        """Return the formula with all options of the members."""
        return self._build_signature([member.signature() for _, member in self.members])

    def segment_signature(self) -> Signature:
        """Return the formula with the signatures of the members' segment scores."""
        return self._build_signature([member.segment_signature() for _, member in self.members])

    def named_options(self) -> dict[str, Any]:
        """Return `formula`, with the options of the members, and `better`."""
        from wordorder.metrics.accumulator import format_metric

        terms = [
            f"{_format_weight(weight)}*{format_metric(member)}" for weight, member in self.members
        ]
        formula = "+".join(terms).replace("+-", "-")
        return {"formula": formula, "better": "higher" if self.higher_is_better else "lower"}

    def _build_signature(self, signatures: Sequence[Signature]) -> Signature:
        """Return the signature of the formula, with the members' signatures in it."""
        terms = [
            f"{_format_weight(weight)}*{_inline(signature)}"
            for (weight, _), signature in zip(self.members, signatures, strict=True)
        ]
        formula = " + ".join(terms).replace(" + -", " - ")
        better = "higher" if self.higher_is_better else "lower"
        return Signature(self.name, (("formula", formula), ("better", better)))

    @cached_property
    def _column_offsets(self) -> list[int]:
        """The start of each member's columns in the statistics; the last is the column count."""
        widths = (statistics_width(member) for _, member in self.members)
        return list(accumulate(widths, initial=0))

    def _member_columns(self, statistics: Float64) -> Iterator[tuple[BaseMetric, Float64]]:
        """Yield each member with its columns of statistics."""
        spans = pairwise(self._column_offsets)
        for (_, member), (start, end) in zip(self.members, spans, strict=True):
            yield member, statistics[..., start:end]

    def _weighted_sum(self, scores: list[Float64]) -> Float64:
        products = [w * values for (w, _), values in zip(self.members, scores, strict=True)]
        return np.asarray(np.sum(products, axis=0), np.float64)


def _is_higher_better(members: Sequence[tuple[float, BaseMetric]]) -> bool:
    """Return whether a larger weighted sum is better; refuse members that disagree."""
    term_by_direction: dict[bool, str] = {}
    for weight, member in members:
        if weight:
            term_by_direction[(weight > 0) == member.higher_is_better] = (
                f"{_format_weight(weight)}*{member.name}"
            )
    if not term_by_direction:
        raise UsageError("all weights of the formula are 0")
    if len(term_by_direction) > 1:
        problem = (
            f"higher is better for {term_by_direction[True]}, lower for {term_by_direction[False]}"
        )
        remedy = "change the sign of a weight, or say which is better"
        terms = "+".join(f"{_format_weight(weight)}*{member.name}" for weight, member in members)
        example = f"'mix(formula={terms},better=higher)'"
        raise UsageError(f"{problem}: {remedy}: {example.replace('+-', '-')}")
    return True in term_by_direction


def _format_weight(weight: float) -> str:
    return repr(weight).removesuffix(".0")


def _inline(signature: Signature) -> str:
    """Format a member's signature so that it fits into a field of another signature."""
    fields = signature.fields
    if signature.version != Signature(signature.metric).version:
        fields = (*fields, ("v", signature.version))
    return f"{signature.metric}({','.join(f'{key}:{value}' for key, value in fields)})"
