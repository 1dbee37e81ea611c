"""Span: some rows of files that are read in step, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from wordorder.text.parts import Part

# Bytes of a file, and when it was changed.
Stamp = tuple[int, int]


@dataclass(frozen=True)
class Span:
    """The same rows of some files, and what is to be done with them.

    Attributes
    ----------
    task : mapping
        What is to be done, as JSON has it: the verb, its files and options.
    first_row : int
        The number of the first row, from 0.
    rows : int
        How many there are; 0 where nobody has counted them, since all is one span.
    parts : mapping of path to Part
        Where they are in each file.
    files : mapping of path to (int, int)
        Bytes of each file, by which a worker knows that it sees the same one, and when it was
        changed, in nanoseconds, by which results that were kept know it.

    Examples
    --------
    >>> span = Span({"verb": "score"}, 8192, 100, {"a.orders": Part("a.orders", 0, 8, 9, 10, 10)})
    >>> Span.from_json(span.to_json()) == span
    True
    """

    task: Mapping[str, Any]
    first_row: int
    rows: int
    parts: Mapping[str, Part] = field(default_factory=dict)
    files: Mapping[str, Stamp] = field(default_factory=dict)

    def to_json(self) -> bytes:
        """Return the span as one line of JSON: equal spans, equal bytes."""
        parts = {
            name: [p.path, p.offset, p.skip, p.lines, p.lines_before, p.rows_before]
            for name, p in self.parts.items()
        }
        whole = {
            "task": self.task,
            "first_row": self.first_row,
            "rows": self.rows,
            "parts": parts,
            "files": self.files,
        }
        return json.dumps(whole, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Span:
        """Read what `to_json` wrote."""
        whole = json.loads(data)
        parts = {name: Part(*numbers) for name, numbers in whole["parts"].items()}
        files = {path: (size, changed) for path, (size, changed) in whole["files"].items()}
        return cls(whole["task"], whole["first_row"], whole["rows"], parts, files)
