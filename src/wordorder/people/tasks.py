"""Tasks of raters, as pages show them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wordorder.errors import WordOrderError
from wordorder.people.protocol import Protocol


class NotYoursError(WordOrderError):
    """A task is unknown, or belongs to another rater."""


class ConflictError(WordOrderError):
    """An answer would replace one that its page did not show, or a finished one by a draft."""


@dataclass(frozen=True)
class Rater:
    """A person with a link to the pages."""

    id: int
    name: str
    token: str
    revoked: bool = False


@dataclass(frozen=True)
class Task:
    """The contents of one page for one rater, without names of systems.

    Attributes
    ----------
    id : str
    protocol : Protocol
    place, total : int
        Number of this task among those of the rater, from 1, and the number of all.
    answer : the last answer, or None
    version : str or None
        The key of the last answer, which the next one must name; None before the first answer.
    previous, next : str or None
        Names of the previous and the next task.
    content : dict
        ``source`` and ``reference``, or the data of an annotation item.
    outputs : list of str
        Texts in the order shown.
    has_checks : bool
        Whether the project has control items; not whether this is one.
    """

    id: str
    protocol: Protocol
    place: int
    total: int
    answer: Any
    version: str | None
    previous: str | None
    next: str | None
    content: dict[str, Any]
    outputs: list[str]
    has_checks: bool

    def as_json(self) -> dict[str, Any]:
        """Return the JSON data of ``GET /api/task``."""
        data = {
            "task": self.id,
            "protocol": self.protocol.name,
            "place": self.place,
            "total": self.total,
            "answer": self.answer,
            "version": self.version,
            "saved": self.answer is not None,
            "before": self.previous,
            "after": self.next,
            "instructions": self.protocol.instructions,
            "checks": self.has_checks,
            **self.content,
        }
        if self.outputs:
            data["outputs"] = self.outputs
        if self.protocol.scale is not None:
            data["scale"] = self.protocol.scale.as_json()
        return data


@dataclass(frozen=True)
class Saved:
    """A saved answer.

    Attributes
    ----------
    event : int
    done, total : int
        Numbers of finished and of all tasks of the rater.
    feedback : dict, optional
        After a missed control item: the ``right`` answer and its ``explanation``.
    """

    event: int
    done: int
    total: int
    feedback: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the JSON data of ``POST /api/answers``."""
        data: dict[str, Any] = {"event": self.event, "done": self.done, "total": self.total}
        return data if self.feedback is None else data | {"feedback": self.feedback}
