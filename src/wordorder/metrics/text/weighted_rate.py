"""What WER, PER and CDER share: word-dependent costs of substitutions."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from typing import Any

from wordorder.errors import UsageError
from wordorder.metrics.text.error_rate import ErrorRate
from wordorder.metrics.text.word_costs import Cost, Fields, WordCosts, open_costs
from wordorder.segments import Segments


class WeightedErrorRate(ErrorRate):
    """An error rate whose substitutions may cost what the two words differ by.

    Costs are above 0 and at most 2, 0 for equal words and the same in both directions; insertions
    and deletions cost 1 (Leusch et al. 2006, section 4.1).

    Parameters
    ----------
    substitution : str or function
        "constant": 1. "prefix" or "levenshtein": by spelling, see `substitution_cost`. "stem",
        "synonym": `similar` for words of one stem or synonym set, else 1. "table": as the file
        `costs` lists. "information": by the information of both words, see `InformationCosts`. Or
        a Python function of two words.
    language : str
        For "stem": ``en``, ``de``, ... as METEOR names languages.
    synonyms : path
        For "synonym": WordNet's directory, or a file with one synonym set a line.
    costs : path
        For "table": a file with two words and a cost on each line; other pairs cost 1.
    similar : float
        What words of one stem or synonym set cost: above 0, at most 2.
    ref_len : "best" or "average"
        As `ErrorRate`.

    Raises
    ------
    UsageError
        If a value is unknown or out of range, or a file is missing.
    InputError
        If a file cannot be read, or lists costs that break the rules.
    """

    def __init__(
        self,
        *,
        substitution: str | Cost = "constant",
        language: str = "en",
        synonyms: str = "",
        costs: str = "",
        similar: float = 0.5,
        ref_len: str = "best",
    ) -> None:
        super().__init__(ref_len=ref_len)
        self.substitution = substitution
        self.language = language
        self.synonyms = synonyms
        self.costs = costs
        self.similar = similar
        self.word_costs: WordCosts = open_costs(
            substitution,
            language=language,
            synonyms=synonyms,
            costs=costs,
            similar=similar,
            metric=self.name,
        )

    @property
    def cost_fields(self) -> Fields:
        """The signature's fields of the costs of substitutions."""
        return (("substitution", self.word_costs.name), *self.word_costs.fields)

    @property
    def constant(self) -> bool:
        """Whether every substitution costs 1."""
        return self.word_costs.name == "constant"

    @property
    def needs_preparation(self) -> bool:
        """Whether the costs depend on the references, which have not been seen."""
        return self.word_costs.needs_preparation

    def prepare(self, references: Segments | Iterable[Segments]) -> WeightedErrorRate:
        """Return the metric once its costs have seen the references of all segments."""
        pieces = [references] if isinstance(references, Segments) else references
        prepared = copy(self)
        prepared.word_costs = self.word_costs.prepare(pieces)
        return prepared

    def named_options(self) -> dict[str, Any]:
        """Return the options by name.

        Raises
        ------
        UsageError
            If costs come from a Python function, which has no name that makes it again.
        """
        if callable(self.substitution):
            raise UsageError(
                f"{self.name}.substitution is a Python function: it cannot be written to a file or "
                "sent to other processes; write its costs to a table (substitution='table')"
            )
        return super().named_options()
