"""Rule: the order of the children of some heads, with the head among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordorder.reordering.conditions import Condition

if TYPE_CHECKING:
    from wordorder.reordering.unknown_names import UnknownName

SELF = "self"
OTHERS = "*"


@dataclass(frozen=True)
class Member:
    """A class of children with its place in the order.

    Attributes
    ----------
    name : str
        As in the file: ``nsubj``, the name of a class, ``self``, ``*``.
    rank : int
        Smaller ranks come first; of one rank are equals.
    condition : Condition or None
        What a child must be; None for a plain label, ``self`` and ``*``.
    """

    name: str
    rank: int
    condition: Condition | None = None


@dataclass(frozen=True)
class Rule:
    """The precedence of the children of some heads.

    Attributes
    ----------
    name : str
    head : Condition
        Whose families it orders.
    members : tuple of Member
        ``self`` and ``*`` are among them.
    turned : tuple of bool
        For each rank, whether equals come in the reverse of their source order.
    barriers : tuple of Member
        Children that keep their places, and across which nothing moves; their rank says nothing.
    line : int
        Its place in its file.
    """

    name: str
    head: Condition
    members: tuple[Member, ...]
    turned: tuple[bool, ...]
    barriers: tuple[Member, ...]
    line: int = 0

    def index(self, name: str) -> int:
        """Return the number of the member called `name`."""
        return next(i for i, member in enumerate(self.members) if member.name == name)


@dataclass(frozen=True)
class RuleFile:
    """What a file of rules says.

    Attributes
    ----------
    name, about : str
    scheme : str
        Whose labels it uses: ``ud``, ``sd`` or ``any``.
    rules : tuple of Rule
        Of several that fit a head, the first orders its family.
    path : str
        What messages call it.
    identity : str
        The first eight digits of a hash of what the file says, comments and layout aside.
    unknown : tuple of UnknownName
        Labels, tags and features that no word can have.
    """

    name: str
    about: str
    scheme: str
    rules: tuple[Rule, ...]
    path: str
    identity: str
    unknown: tuple[UnknownName, ...] = ()
