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

# So large a sum of weights that no sum of scores is beyond a float, even with mixes in mixes.
HEAVIEST = 1e9


class Mix(BaseMetric):
    """Weighted sum of the scores of other metrics.

    ``0.6*cder + 0.4*per`` is the combination that agreed best with people's judgements in Leusch
    et al. (2006, section 5.5). The statistics are those of all members side by side, so the mix of
    a corpus is made of the members' corpus scores, and intervals and tests work as for any metric.

    Parameters
    ----------
    formula : str
        Terms ``number*name`` or ``number*name(option=value,...)``, joined by ``+`` or ``-``.
    better : "auto", "higher" or "lower"
        Which values are good. "auto" asks the members: each is better high or low, and a negative
        weight turns it round.

    Raises
    ------
    UsageError
        If the formula cannot be read, has no weight but 0 or weights of more than 1e9 together, or
        names unknown metrics; if its members disagree about the better direction and `better`
        does not say.

    Notes
    -----
    A segment that one member leaves out counts for the others, and is skipped only if all leave it
    out. In the score of that segment alone the member's part is 0.

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
        if sum(abs(weight) for weight, _ in self.members) > HEAVIEST:
            raise UsageError(f"the weights of {formula!r} are more than {HEAVIEST:g} together")
        choose("mix.better", better, ("auto", "higher", "lower"))
        self.higher_is_better = better == "higher" if better != "auto" else _direction(self.members)
        read = [column for _, member in self.members for column in member.columns]
        self.columns = tuple(dict.fromkeys(read))

    @property
    def needs_preparation(self) -> bool:
        """Whether a member must see the references before it can make statistics."""
        return any(member.needs_preparation for _, member in self.members)

    def prepare(self, references: Segments | Iterable[Segments]) -> Mix:
        """Return a mix whose members have seen the references of all segments."""
        pieces = [references] if isinstance(references, Segments) else list(references)
        prepared = copy(self)
        prepared.members = [
            (weight, member.prepare(pieces) if member.needs_preparation else member)
            for weight, member in self.members
        ]
        return prepared

    def with_tokenizer(self, tokenizer: str) -> Mix:
        """Return a mix whose members have the tokenizer."""
        tokenized = copy(self)
        tokenized.members = [(weight, m.with_tokenizer(tokenizer)) for weight, m in self.members]
        return tokenized

    def statistics(self, segments: Segments) -> Float64:
        """Return the statistics of all members side by side, float64[S, k]."""
        return np.concatenate([m.statistics(segments) for _, m in self.members], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return the weighted sum of the members' scores."""
        return self._sum([member.score(part) for member, part in self._parts(totals)])

    def score_segments(self, statistics: Float64) -> Float64:
        """Return the weighted sum of the members' scores of each segment, float64[S]."""
        return self._sum([member.score_segments(part) for member, part in self._parts(statistics)])

    def origin(self, segments: Segments) -> Provenance:
        """Return the fields of signatures that tell how what the members read came about."""
        fields = dict(super().origin(segments))
        for _, member in self.members:
            fields |= dict(member.origin(segments))
        return tuple(fields.items())

    def signature(self) -> Signature:
        """Return the formula with all options of the members."""
        return self._signed([member.signature() for _, member in self.members])

    def segment_signature(self) -> Signature:
        """Return the formula with what the members' scores of single segments are made with."""
        return self._signed([member.segment_signature() for _, member in self.members])

    def named_options(self) -> dict[str, Any]:
        """Return the formula, with the options of the members, and which sums are better."""
        from wordorder.metrics.accumulator import written_out

        terms = [f"{_weight(weight)}*{written_out(member)}" for weight, member in self.members]
        formula = "+".join(terms).replace("+-", "-")
        return {"formula": formula, "better": "higher" if self.higher_is_better else "lower"}

    def _signed(self, signatures: Sequence[Signature]) -> Signature:
        """Return the formula with the members' signatures."""
        terms = [
            f"{_weight(weight)}*{_inline(signature)}"
            for (weight, _), signature in zip(self.members, signatures, strict=True)
        ]
        formula = " + ".join(terms).replace(" + -", " - ")
        better = "higher" if self.higher_is_better else "lower"
        return Signature(self.name, (("formula", formula), ("better", better)))

    @cached_property
    def _borders(self) -> list[int]:
        """Where the statistics of each member begin, and where the last ones end."""
        widths = (statistics_width(member) for _, member in self.members)
        return list(accumulate(widths, initial=0))

    def _parts(self, statistics: Float64) -> Iterator[tuple[BaseMetric, Float64]]:
        """Yield each member with its columns of statistics."""
        for (_, member), (first, last) in zip(self.members, pairwise(self._borders), strict=True):
            yield member, statistics[..., first:last]

    def _sum(self, scores: list[Float64]) -> Float64:
        products = [w * values for (w, _), values in zip(self.members, scores, strict=True)]
        return np.asarray(np.sum(products, axis=0), np.float64)


def _direction(members: Sequence[tuple[float, BaseMetric]]) -> bool:
    """Return whether larger values of the sum are better, as its members have it."""
    directions: dict[bool, str] = {}
    for weight, member in members:
        if weight:
            directions[(weight > 0) == member.higher_is_better] = f"{_weight(weight)}*{member.name}"
    if not directions:
        raise UsageError("all weights of the formula are 0")
    if len(directions) > 1:
        problem = f"higher is better for {directions[True]}, lower for {directions[False]}"
        how = "change the sign of a weight, or say which is better"
        terms = "+".join(f"{_weight(weight)}*{member.name}" for weight, member in members)
        example = f"'mix(formula={terms},better=higher)'"
        raise UsageError(f"{problem}: {how}: {example.replace('+-', '-')}")
    return True in directions


def _weight(weight: float) -> str:
    return repr(weight).removesuffix(".0")


def _inline(signature: Signature) -> str:
    """Write a member's signature in one field of another."""
    fields = signature.fields
    if signature.version != Signature(signature.metric).version:
        fields = (*fields, ("v", signature.version))
    return f"{signature.metric}({','.join(f'{key}:{value}' for key, value in fields)})"
