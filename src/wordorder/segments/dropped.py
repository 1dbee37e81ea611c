"""Words without a place in the orders that are compared, counted on both sides."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.counts import percent


@dataclass(frozen=True)
class DroppedWords:
    """How many words of a system and of its references have no counterpart, and of how many.

    Attributes
    ----------
    system, reference : int
        Words without a counterpart.
    system_words, reference_words : int
        All words; a system's words count once for each reference.

    Examples
    --------
    >>> DroppedWords(1, 4, 0, 3) + DroppedWords(2, 6, 1, 2)
    DroppedWords(system=3, system_words=10, reference=1, reference_words=5)
    >>> DroppedWords(3, 10, 1, 5).shares
    "30 % of the system's, 20 % of the references'"
    """

    system: int = 0
    system_words: int = 0
    reference: int = 0
    reference_words: int = 0

    def __add__(self, other: DroppedWords) -> DroppedWords:
        return DroppedWords(
            self.system + other.system,
            self.system_words + other.system_words,
            self.reference + other.reference,
            self.reference_words + other.reference_words,
        )

    @property
    def total(self) -> int:
        """Words without a counterpart, on both sides."""
        return self.system + self.reference

    @property
    def shares(self) -> str:
        """Both shares in words."""
        ours = percent(self.system, self.system_words)
        theirs = percent(self.reference, self.reference_words)
        return f"{ours} of the system's, {theirs} of the references'"
