"""Human judgements of the outputs of systems."""

from __future__ import annotations

from dataclasses import dataclass, field

from wordorder.counts import counted
from wordorder.notes import note
from wordorder.types import Int32

# From so many items on their resamples say what other items would bring.
FEW = 20


@dataclass(frozen=True)
class FailedRater:
    """A rater who knew too few of the control items: `right` of `asked`."""

    name: str
    right: int
    asked: int


@dataclass(frozen=True, eq=False)
class Judgements:
    """Human judgements of outputs, one row each: `PairJudgements` or `Ratings`.

    `read_judgements` reads them from a file, whatever its form.

    Attributes
    ----------
    systems, raters, items : tuple of str
        The names that the numbers below refer to; an item is a segment. No raters if the file
        does not name them.
    item : int32[N]
    rater : int32[N]
        -1 where the file does not say who judged.
    signature : str
        How they were collected, of a project of `rate`.
    failed : tuple of FailedRater
        Whose judgements are left out, since they failed control items.
    everybody : Judgements, optional
        The judgements of all raters, if some failed.
    """

    systems: tuple[str, ...]
    raters: tuple[str, ...]
    items: tuple[str, ...]
    item: Int32
    rater: Int32
    signature: str = field(default="", kw_only=True)
    failed: tuple[FailedRater, ...] = field(default=(), kw_only=True)
    everybody: Judgements | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.item)

    def note_few_items(self, outcome: str) -> None:
        """Warn if there are too few items to resample."""
        if len(self.items) < FEW:
            items = counted(len(self.items), "item")
            note(f"{items}: resamples of so few differ too little, so {outcome}")
