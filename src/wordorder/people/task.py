"""Users of a project: who they are, what they see, and the reply to a saved answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from wordorder.errors import WordOrderError
from wordorder.people.protocol import Protocol


class NotYoursError(WordOrderError):
    """A task is unknown, or another rater's."""


@dataclass(frozen=True)
class Rater:
    """Who has a link to the pages."""

    id: int
    name: str
    token: str
    revoked: bool = False


@dataclass(frozen=True)
class Task:
    """What one page shows to one rater; names of systems are not in it.

    Attributes
    ----------
    id : str
    protocol : Protocol
    place, total : int
        The how manieth of the rater's tasks it is, from 1.
    answer : the last answer, or None
    before, after : str or None
        The tasks before and after it.
    content : dict
        ``source`` and ``reference``, or what an annotator gets.
    outputs : list of str
        In the order shown.
    """

    id: str
    protocol: Protocol
    place: int
    total: int
    answer: Any
    before: str | None
    after: str | None
    content: dict[str, Any]
    outputs: list[str]

    def as_json(self) -> dict[str, Any]:
        """Return it as ``GET /api/task`` answers."""
        found = {
            "task": self.id,
            "protocol": self.protocol.name,
            "place": self.place,
            "total": self.total,
            "answer": self.answer,
            "saved": self.answer is not None,
            "before": self.before,
            "after": self.after,
            "instructions": self.protocol.instructions,
            **self.content,
        }
        if self.outputs:
            found["outputs"] = self.outputs
        if self.protocol.scale is not None:
            found["scale"] = self.protocol.scale.as_json()
        return found


@dataclass(frozen=True)
class Saved:
    """An answer that is on disk.

    Attributes
    ----------
    event : int
    done, total : int
        Tasks of the rater.
    feedback : dict, optional
        After a missed control item: the ``right`` answer and its ``explanation``.
    """

    event: int
    done: int
    total: int
    feedback: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as ``POST /api/answers`` answers."""
        found: dict[str, Any] = {"event": self.event, "done": self.done, "total": self.total}
        return found if self.feedback is None else found | {"feedback": self.feedback}
