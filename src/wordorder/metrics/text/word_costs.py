"""What a substitution costs, by name: by spelling, stem, synonyms, a table, a function, rarity."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable

from wordorder.alignment.monolingual.languages import LANGUAGES
from wordorder.errors import UsageError, choose
from wordorder.metrics.text.substitution import SUBSTITUTIONS, CostTable, spelling_costs
from wordorder.segments import Segments
from wordorder.text.texts import Texts

KINDS = (*SUBSTITUTIONS, "stem", "synonym", "table", "information")

Cost = Callable[[str, str], float]
Fields = tuple[tuple[str, str], ...]


class WordCosts(ABC):
    """What it costs to substitute one word for another: above 0, at most 2, 0 for equal words."""

    name: str

    @abstractmethod
    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words that some texts compare."""

    @property
    def fields(self) -> Fields:
        """The signature's fields of what the costs depend on."""
        return ()

    @property
    def needs_preparation(self) -> bool:
        """Whether the costs depend on the references of the whole corpus."""
        return False

    def prepare(self, references: Iterable[Segments]) -> WordCosts:
        """Return the costs once they have seen all references; themselves unless they need that."""
        return self

    def __repr__(self) -> str:
        return f"<costs {self.name}>"


class SpellingCosts(WordCosts):
    """Costs of what words differ by in their characters, or 1.

    Parameters
    ----------
    name : "constant", "prefix" or "levenshtein"
        As for `wordorder.metrics.text.substitution.substitution_cost`.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def table(self, texts: Texts) -> CostTable:
        """Return the costs of all words of the vocabulary."""
        return spelling_costs(texts.vocabulary, self.name)


def open_costs(
    substitution: str | Cost | WordCosts,
    *,
    language: str = "en",
    synonyms: str = "",
    costs: str = "",
    similar: float = 0.5,
    metric: str = "substitution",
) -> WordCosts:
    """Return costs of words by their name.

    Parameters
    ----------
    substitution : str, function or WordCosts
        "constant", "prefix", "levenshtein", "stem", "synonym", "table" or "information"; or a
        function of two words.
    language : str
        Whose stems: ``en``, ``de``, ... as METEOR names languages.
    synonyms : path
        For "synonym": a WordNet directory, or a file with a synonym set a line.
    costs : path
        For "table": a file with two words and a cost a line.
    similar : float
        For "stem" and "synonym": what words of one stem or synonym set cost, above 0, at most 2.
    metric : str
        Who asks, for messages.

    Raises
    ------
    UsageError
        If a name is unknown, a file is missing or not wanted, or a value is out of range.
    InputError
        If a file cannot be read.
    """
    from wordorder.metrics.text.information_costs import InformationCosts
    from wordorder.metrics.text.listed_costs import FunctionCosts, TableCosts
    from wordorder.metrics.text.similar_words import StemCosts, SynonymCosts, checked_cost

    if isinstance(substitution, WordCosts):
        return substitution
    choose(f"{metric}.language", language, LANGUAGES)
    similar = checked_cost(f"{metric}.similar", similar)
    name = "function" if callable(substitution) else substitution
    for option, value, wanted in (("synonyms", synonyms, "synonym"), ("costs", costs, "table")):
        if value and name != wanted:
            raise UsageError(f"{metric}.{option} needs {metric}.substitution={wanted}")
        if name == wanted and not value:
            raise UsageError(f"{metric}.substitution={wanted} needs a file: {metric}.{option}=FILE")
    if callable(substitution):
        return FunctionCosts(substitution, metric)
    choose(f"{metric}.substitution", substitution, KINDS)
    if substitution == "stem":
        return StemCosts(language, similar, metric)
    if substitution == "synonym":
        return SynonymCosts(synonyms, similar, metric)
    if substitution == "table":
        return TableCosts(costs)
    if substitution == "information":
        return InformationCosts()
    return SpellingCosts(substitution)
