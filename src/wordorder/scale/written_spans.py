"""Work whose result is lines of a file: each span writes its own, and they are joined in order."""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import reduce
from typing import Any

from wordorder.kernels._crew import one_thread
from wordorder.notes import held_notes, note, one_note_of_a_kind
from wordorder.scale.span import Span
from wordorder.text.output import write_output
from wordorder.text.parts import reading_parts

# What does the work of each verb; it takes the task's options, and paths for its outputs.
_FUNCTIONS = {
    "align": "wordorder.alignment.align_files:align_files",
    "parse": "wordorder.parsing.parsing_files:parse_files",
    "reference": "wordorder.order.reference_files:convert_alignments",
    "reorder": "wordorder.reordering.reorder_files:reorder_files",
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
        done = _function(task["verb"])(**task["options"], **written)
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
    WordOrderWarning
        Of what was noted of the spans.
    """
    found = [json.loads(result) for result in results]
    for output, path in outputs.items():
        with write_output(path) as stream:
            for each in found:
                with open(each["written"][output], "rb") as part:
                    shutil.copyfileobj(part, stream)
    with one_note_of_a_kind():
        for each in found:
            for message in each["notes"]:
                note(message)
    return reduce(_added, (each["counts"] for each in found))


def _added(sums: dict[str, int], more: dict[str, int]) -> dict[str, int]:
    return {name: number + more[name] for name, number in sums.items()}


def _function(verb: str) -> Callable[..., Any]:
    module, name = _FUNCTIONS[verb].split(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function
