"""Work whose result is lines of a file: each span writes its own, and they are joined in order."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pkgutil import resolve_name
from typing import Any

from wordorder.alignment.reading import recognise
from wordorder.errors import UsageError
from wordorder.kernels import one_thread
from wordorder.notes import held_notes, log_grouped
from wordorder.text.blocks import LineBlocks
from wordorder.text.output import write_output
from wordorder.text.parts import FilePart, reading_parts
from wordorder.text.sources import LinkSource

# What does the work of each verb; it takes the task's options, and paths for its outputs.
_FUNCTIONS = {
    "align": "wordorder.alignment.statistical.align:align_with_options",
    "parse": "wordorder.parsing.pipeline.sentence_files:parse_files",
    "reference": "wordorder.order.reference_files:convert_alignments",
    "reorder": "wordorder.reordering.reorder_files:reorder_with_options",
}


def write_span(span: Span) -> bytes:
    """Do the work of a span whose task names a verb that writes files.

    Returns
    -------
    bytes
        JSON: the files that were written, what was counted, and what is to be said.

    Raises
    ------
    WordOrderError
        As the verb.
    """
    task = span.task
    name = hashlib.sha256(span.to_json()).hexdigest()
    written = {
        output: os.path.join(task["folder"], f"{name}.{output}") for output in task["outputs"]
    }
    with one_thread(), reading_parts(span.parts), held_notes() as notes:
        done = resolve_name(_FUNCTIONS[task["verb"]])(**task["options"], **written)
    found = {"written": written, "counts": asdict(done), "notes": list(dict.fromkeys(notes))}
    return json.dumps(found, sort_keys=True, separators=(",", ":")).encode()


def is_there(result: bytes) -> bool:
    """Return whether the files that a span wrote are still there."""
    return all(map(os.path.isfile, json.loads(result)["written"].values()))


def joined(results: Sequence[bytes], outputs: Mapping[str, str]) -> dict[str, int]:
    """Write the outputs of all spans, in their order, into one file each.

    Parameters
    ----------
    results : sequence of bytes
        What `write_span` returned.
    outputs : mapping of output to path or "-"

    Returns
    -------
    mapping of str to int
        What was counted, added up.

    Warns
    -----
    note
        Of what was noted of the spans.
    """
    found = [json.loads(result) for result in results]
    for output, path in outputs.items():
        with write_output(path) as stream:
            for each in found:
                with open(each["written"][output], "rb") as part:
                    shutil.copyfileobj(part, stream)
    log_grouped([message for each in found for message in each["notes"]])
    return {name: sum(each["counts"][name] for each in found) for name in found[0]["counts"]}


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
    >>> part = FilePart("a.orders", 0, 8, 9, 10, 10)
    >>> span = Span({"verb": "score"}, 8192, 100, {"a.orders": part})
    >>> Span.from_json(span.to_json()) == span
    True
    """

    task: Mapping[str, Any]
    first_row: int
    rows: int
    parts: Mapping[str, FilePart] = field(default_factory=dict)
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
        parts = {name: FilePart(*numbers) for name, numbers in whole["parts"].items()}
        files = {path: (size, changed) for path, (size, changed) in whole["files"].items()}
        return cls(whole["task"], whole["first_row"], whole["rows"], parts, files)


def alignment_notation(paths: Sequence[str], given: str) -> str:
    """Return the notation of some files, or "auto" where none shows one.

    Raises
    ------
    UsageError
        If they are in several.
    """
    if given != "auto":
        return given
    shown: dict[str, str] = {}
    for path in paths:
        with LineBlocks(LinkSource(path)) as blocks:
            found = recognise(blocks.take_ready(), blocks.name)
            if found is not None:
                shown.setdefault(found.name, path)
    if len(shown) > 1:
        both = " and ".join(f"{path} ({name})" for name, path in shown.items())
        raise UsageError(f"alignments are in several notations: {both}; spans need one (--engine)")
    return next(iter(shown), "auto")
