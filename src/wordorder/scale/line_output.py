"""Commands whose output is lines of a file: each span writes its own file, joined at the end."""

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

# The function of each command; its arguments are the options of the task and paths of outputs.
_FUNCTIONS = {
    "align": "wordorder.alignment.statistical.align:align_with_options",
    "parse": "wordorder.parsing.pipeline.sentence_files:parse_files",
    "reference": "wordorder.order.reference_files:convert_alignments",
    "reorder": "wordorder.reordering.reorder_files:reorder_with_options",
}


def write_span(span: Span) -> bytes:
    """Run the command of a span; it writes its output to files.

    Returns
    -------
    bytes
        JSON with the paths of the written files, the counts that the function returned, and notes.

    Raises
    ------
    WordOrderError
        If the function of the command raises it.
    """
    task = span.task
    name = hashlib.sha256(span.to_json()).hexdigest()
    output_paths = {
        output: os.path.join(task["folder"], f"{name}.{output}") for output in task["outputs"]
    }
    with one_thread(), reading_parts(span.parts), held_notes() as notes:
        counts = resolve_name(_FUNCTIONS[task["verb"]])(**task["options"], **output_paths)
    result = {
        "written": output_paths,
        "counts": asdict(counts),
        "notes": list(dict.fromkeys(notes)),
    }
    return json.dumps(result, sort_keys=True, separators=(",", ":")).encode()


def has_files(result: bytes) -> bool:
    """Return whether the files that a span wrote still exist."""
    return all(map(os.path.isfile, json.loads(result)["written"].values()))


def join_outputs(results: Sequence[bytes], outputs: Mapping[str, str]) -> dict[str, int]:
    """Concatenate the outputs of all spans, in their order, into the output files.

    Parameters
    ----------
    results : sequence of bytes
        The results of `write_span`.
    outputs : mapping of output to path or "-"

    Returns
    -------
    mapping of str to int
        The sums of the counts of all spans.

    Warns
    -----
    note
        The notes of the spans.
    """
    contents = [json.loads(result) for result in results]
    for output, path in outputs.items():
        with write_output(path) as stream:
            for content in contents:
                with open(content["written"][output], "rb") as span_output:
                    shutil.copyfileobj(span_output, stream)
    log_grouped([message for content in contents for message in content["notes"]])
    counts = [content["counts"] for content in contents]
    return {name: sum(row[name] for row in counts) for name in counts[0]}


# The number of bytes of a file, and the time of its last change in nanoseconds.
Stamp = tuple[int, int]


@dataclass(frozen=True)
class Span:
    """The same rows of some files, with the task to run on them.

    Attributes
    ----------
    task : mapping
        The command with its files and options, as JSON holds them.
    first_row : int
        The index of the first row in the files.
    rows : int
        The number of rows; 0 if all rows are one span, and were not counted.
    parts : mapping of path to FilePart
        The rows of each file.
    files : mapping of path to Stamp
        Workers compare the number of bytes, to be sure that they read the same file; stored results
        are reused only if the time of change is the same too.

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
        """Return the span as one line of JSON; equal spans give equal bytes."""
        parts = {
            name: [p.path, p.offset, p.skip, p.lines, p.lines_before, p.rows_before]
            for name, p in self.parts.items()
        }
        content = {
            "task": self.task,
            "first_row": self.first_row,
            "rows": self.rows,
            "parts": parts,
            "files": self.files,
        }
        return json.dumps(content, sort_keys=True, separators=(",", ":")).encode()

    @classmethod
    def from_json(cls, data: bytes) -> Span:
        """Read the output of `to_json`."""
        content = json.loads(data)
        parts = {name: FilePart(*fields) for name, fields in content["parts"].items()}
        files = {path: (size, changed_at) for path, (size, changed_at) in content["files"].items()}
        return cls(content["task"], content["first_row"], content["rows"], parts, files)


def alignment_notation(paths: Sequence[str], option: str) -> str:
    """Return the notation of files of alignments, or "auto" if no file has a recognisable line.

    `option` is the value of ``--format``, which is returned unless it is "auto".

    Raises
    ------
    UsageError
        If the files have different notations.
    """
    if option != "auto":
        return option
    first_paths: dict[str, str] = {}
    for path in paths:
        with LineBlocks(LinkSource(path)) as blocks:
            notation = recognise(blocks.take_ready(), blocks.name)
            if notation is not None:
                first_paths.setdefault(notation.name, path)
    if len(first_paths) > 1:
        examples = " and ".join(f"{path} ({name})" for name, path in first_paths.items())
        problem = f"alignments are in several notations: {examples}"
        raise UsageError(f"{problem}; spans need one (--engine)")
    return next(iter(first_paths), "auto")
