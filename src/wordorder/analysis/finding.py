"""Finding: one thing that is wrong with an order, in a sentence, and how much it explains."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """One sentence about what goes wrong, that can be read alone.

    Attributes
    ----------
    sentence : str
        Names the system, what is wrong, and how many points of the score that explains.
    explained : float
        How much of what the score lacks is explained, in points: 0.021 of FRS are 2.1 points.
        All findings of one analysis count the same points, so that they can be ranked: FRS for
        orders, CDER for translations. Not negative.
    examples : tuple of int
        Sentences that show it, counted from 0, the best first.
    theme : str
        Findings of one theme look at the same errors from several sides, and only the first of
        them is among the top findings. Empty for a finding of its own.

    Examples
    --------
    >>> Finding("A puts 'not' too late in 12 sentences: 0.4 points of FRS.", 0.4, (3,)).to_json()
    {'sentence': "A puts 'not' too late in 12 sentences: 0.4 points of FRS.", 'explained': 0.4, \
'examples': [4]}
    """

    sentence: str
    explained: float
    examples: tuple[int, ...] = ()
    theme: str = ""

    def to_json(self) -> dict[str, object]:
        """Return the finding as a dictionary; sentences are counted from 1."""
        return {
            "sentence": self.sentence,
            "explained": self.explained,
            "examples": [number + 1 for number in self.examples],
        }
