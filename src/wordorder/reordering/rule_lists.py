"""The rule sets that are installed, and what each says of itself."""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from wordorder.errors import WordOrderError
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RULES, open_rules


@dataclass(frozen=True)
class ListedRules:
    """A rule set as a list shows it.

    Attributes
    ----------
    name : str
        What `wordorder.reordering.rules.open_rules` takes.
    about : str
        What it is for; why it cannot be used, if it cannot.
    scheme : str or None
        Whose labels it reads: ``ud``, ``sd``, ``any``; None for rules that are no file.
    rules : int or None
        How many rules it has; None for rules that are no file.
    package : str
        Where it comes from.
    """

    name: str
    about: str
    scheme: str | None
    rules: int | None
    package: str


def listed_rules() -> list[ListedRules]:
    """Return all rule sets that are installed, those of this package first.

    Examples
    --------
    >>> found = listed_rules()[1]
    >>> found.name, found.about, found.scheme, found.rules
    ('R2', 'the reverse of the source order', 'any', 1)
    """
    return [_listed(name) for name in RULES.names()]


def _listed(name: str) -> ListedRules:
    package = RULES.package(name)
    try:
        found = open_rules(name)
    except WordOrderError as error:
        return ListedRules(name, str(error), None, None, package)
    if isinstance(found, PrecedenceRules):
        about = " ".join(found.file.about.split())
        return ListedRules(name, about, found.scheme, len(found.file.rules), package)
    if isinstance(found, LearnedOrder):
        return ListedRules(name, found.summary, None, None, package)
    about = (inspect.getdoc(found) or "").split("\n\n")[0].replace("\n", " ")
    return ListedRules(name, about, None, None, package)
