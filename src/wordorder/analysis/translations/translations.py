"""Translations: what an analysis of translations knows of all systems."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.alignment.links import Links
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.metrics.contract import BaseMetric, signature_of_segments
from wordorder.signature import Signature
from wordorder.statistics.measurement import Measurement
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class Translations:
    """The translations of all systems with their references, scores and what is known besides.

    Attributes
    ----------
    systems : tuple of TranslatedSystem
        At least one; S segments each.
    metrics : tuple of BaseMetric
        The first decides which system is best.
    signatures : tuple of Signature
        One a metric, with what says how words and orders came about.
    links : tuple of Links, or None
        One a system, if source and translations are aligned: the links of the source with the
        system (S rows) and with the references (R rows; None where only systems are aligned).
    trees : Treebank or None
        Tags and trees of the R references, word by word as the texts have them, if they are
        English.
    language : str
        Of the references: ``en``; ``other`` where nobody named it and it is not English.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["on tuesday we met"], "B": ["we met"]},
    ...                         ["we met on tuesday"])
    >>> found.names, len(found), found.texts.references.lengths.tolist()
    (('A', 'B'), 1, [4])
    >>> found.metrics[0].name, found.systems[0].scores[0].round(4).tolist()
    ('frs', [0.6667])
    """

    systems: tuple[TranslatedSystem, ...]
    metrics: tuple[BaseMetric, ...]
    signatures: tuple[Signature, ...]
    links: tuple[Links, ...] | None = None
    trees: Treebank | None = None
    language: str = "en"

    def __len__(self) -> int:
        return len(self.systems[0])

    @property
    def names(self) -> tuple[str, ...]:
        """What the systems are called."""
        return tuple(system.name for system in self.systems)

    @property
    def texts(self) -> Texts:
        """The texts of the first system: references, source and vocabulary are those of all."""
        return self.systems[0].texts

    def segment_signature(self, metric: int) -> str:
        """Return what produced the scores of single segments under a metric, by its number."""
        return str(signature_of_segments(self.metrics[metric], self.signatures[metric]))

    def measurement(self, metric: int) -> Measurement:
        """Return the statistics of all systems under a metric, by its number."""
        used = self.metrics[metric]
        return Measurement(
            [system.statistics[metric] for system in self.systems],
            used.score,
            used.higher_is_better,
        )
