"""The moved blocks of one system, by path and by alignment, and their share of its CDER."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.analysis.translations.moved_blocks import Blocks, aligned_blocks, path_blocks
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.types import Bool

# What tables call the two sources of blocks.
PATH, ALIGNMENT = "CDER path", "word alignment"


@dataclass(frozen=True, eq=False)
class SystemBlocks:
    """The blocks of one system.

    Attributes
    ----------
    system : TranslatedSystem
    by_path : Blocks
        Of the cheapest CDER paths: words that are matched or substituted.
    by_alignment : Blocks
        Of the words that the monolingual alignment matches.
    """

    system: TranslatedSystem
    by_path: Blocks
    by_alignment: Blocks

    @classmethod
    def of(cls, system: TranslatedSystem) -> SystemBlocks:
        """Find the blocks of a system."""
        return cls(
            system,
            path_blocks(system.paths),
            aligned_blocks(system.texts, system.rows, system.matches),
        )

    @property
    def name(self) -> str:
        """What tables call the system."""
        return self.system.name

    @cached_property
    def words(self) -> int:
        """Words of the references that the translations are compared with."""
        return int(self.system.paths.lengths[1].sum())

    def points(self, edits: float) -> float:
        """Return edits and jumps as points of CDER: 100 times, over the reference words."""
        return 100 * edits / max(self.words, 1)

    @property
    def cder(self) -> float:
        """CDER in points: 41.3 for a rate of .413."""
        return self.points(float(self.system.paths.distance.sum()))

    def points_of(self, chosen: Bool) -> float:
        """Return what some of the path's blocks cost, in points of CDER."""
        return self.points(float(self.by_path.cost[chosen].sum()))

    def mean_distance(self, chosen: Bool) -> float:
        """Return how many words some of the path's blocks pass on average, in any direction."""
        distances = np.abs(self.by_path.distance[chosen])
        return float(distances.mean()) if len(distances) else 0.0
