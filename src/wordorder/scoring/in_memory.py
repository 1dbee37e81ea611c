"""Texts in memory instead of files: lists, and columns of pandas, Polars and pyarrow."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from wordorder.errors import InputError
from wordorder.text.inputs import (
    LineLists,
    encode_texts,
    input_text,
    note_single_words,
    plain_text,
    read_once,
    reference_columns,
    sized,
)
from wordorder.text.raw_lines import RawLines


def texts_in_memory(
    reference: Any, systems: Any, options: Mapping[str, Any]
) -> tuple[str, Any, dict[str, Any]]:
    """Return reference, systems and options for `Files.of`, with texts in memory as ``held``.

    Parameters
    ----------
    reference : path, column, or columns
        Strings, one per segment; or lists of strings, one list per segment or per file.
    systems : mapping of name to path or column, or paths
        Columns of strings or of lists of words; with lists of words, `reference` has lists of words
        too, and words are not tokenised.
    options : mapping
        May contain ``source``, a path or a column.

    Raises
    ------
    UsageError
        If lists of references may be per segment or per file, because their number and their
        lengths are the number of segments.
    InputError
        If a column contains anything but lines.
    """
    reference, systems = read_once(reference), read_once(systems)
    held: dict[str, RawLines] = {}
    new_options: dict[str, Any] = dict(options)
    if isinstance(systems, Mapping):
        lines_of_words = {
            name: _join_word_lists(system, f"systems[{name!r}]") for name, system in systems.items()
        }
        if any(lines is not None for lines in lines_of_words.values()):
            systems = {
                name: systems[name] if lines is None else lines
                for name, lines in lines_of_words.items()
            }
            reference = _join_reference_words(reference)
            if new_options.get("tokenizer") in (None, "auto"):
                new_options["tokenizer"] = "none"

    def path_of(value: Any, name: str) -> str:
        if is_path(value):
            return os.fspath(value)
        held[name] = lines_of(value, name)
        return name

    if isinstance(systems, Mapping):
        systems = {name: path_of(system, f"systems[{name!r}]") for name, system in systems.items()}
    if new_options.get("source") is not None:
        new_options["source"] = path_of(read_once(new_options["source"]), "source")
    segments = next(map(len, held.values()), None)
    columns: list[Any] = [reference]
    if not is_path(reference):
        columns = reference_columns(reference, segments)
        note_single_words(
            columns, lambda: any(b" " in text.data.tobytes() for text in held.values())
        )
    if any(isinstance(column, list) and None in column for column in columns):
        # Segments with fewer references than others get empty lines, which do not count.
        if any("" in column for column in columns):
            expected = "words: beside segments with fewer references it would count as none"
            raise InputError("references", "an empty reference", expected)
        columns = [[line or "" for line in column] for column in columns]
        new_options["empty_references"] = "none"
    names = ["references", *(f"references[{index}]" for index in range(1, len(columns)))]
    first, *further = [path_of(column, name) for column, name in zip(columns, names, strict=True)]
    if further:
        new_options["references"] = (*further, *new_options.get("references", ()))
    # Only texts can be in memory.
    return first, systems, new_options | ({"held": held, "kind": "text"} if held else {})


def _read_rows(column: Any, name: str) -> Any:
    return plain_text(input_text(list(column) if isinstance(column, tuple) else column, name))


def _join_word_lists(column: Any, name: str) -> list[str] | None:
    """Return a column of lists of words as lines, or None for other columns and paths."""
    if is_path(column):
        return None
    rows = _read_rows(column, name)
    if not isinstance(rows, Sequence) or not len(rows) or not _is_list(rows[0]):
        return None
    return [_join_words(row, f"{name}, entry {number}") for number, row in enumerate(rows, 1)]


def _join_reference_words(references: Any) -> Any:
    """Return references that are lists of words, or lists of such lists, as lines."""
    if is_path(references) or isinstance(references, Mapping):
        return references
    lines: list[str | tuple[str, ...]] = []
    for number, row in enumerate(_read_rows(references, "references"), 1):
        where = f"references, entry {number}"
        if _is_list(row) and len(row) > 0 and _is_list(row[0]):
            lines.append(tuple(_join_words(words, where) for words in row))
        else:
            lines.append(_join_words(row, where))
    return lines


def _join_words(words: Any, where: str) -> str:
    """Return words as a line, with spaces between them.

    Examples
    --------
    >>> _join_words(["to", "be"], "references, entry 1")
    'to be'
    """
    if not _is_list(words):
        raise InputError(where, repr(words)[:30], "a list of words, as other segments are")
    for word in words:
        if not isinstance(word, str) or word.split() != [word]:
            raise InputError(where, f"the word {word!r}"[:40], "strings without blanks")
    return " ".join(words)


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether a value is a path, as a string or a path object."""
    return isinstance(value, (str, os.PathLike))


def lines_of(value: Any, name: str) -> RawLines:
    """Return a column of strings as lines.

    Examples
    --------
    >>> lines_of(("to be", "or not"), "systems['A']").strings()
    ['to be', 'or not']

    Raises
    ------
    InputError
        If an entry is not a string, or contains a line break.
    """
    column = input_text(list(value) if isinstance(value, tuple) else value, name)
    if isinstance(column, LineLists):
        raise InputError(name, "lists of strings", "one string per segment")
    return column if isinstance(column, RawLines) else encode_texts(sized(column, name), name)
