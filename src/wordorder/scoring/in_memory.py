"""Texts in memory in the place of files: lists, and columns of pandas, Polars and pyarrow."""

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
    """Return reference, systems and options for `Files.of`, texts in memory under ``held``.

    Parameters
    ----------
    reference : path, column, or columns
        Strings, one per segment; or lists of strings, those of each segment or of each file.
    systems : mapping of name to path or column, or paths
        Of strings, or of lists of words; then `reference` has lists of words too, and these stay
        as they are.
    options : mapping
        With ``source``, a path or a column, perhaps.

    Raises
    ------
    UsageError
        If lists of references may be those of segments or of files: as many as segments, each as
        long.
    InputError
        If a column holds anything else than lines.
    """
    reference, systems = read_once(reference), read_once(systems)
    held: dict[str, RawLines] = {}
    found: dict[str, Any] = dict(options)
    if isinstance(systems, Mapping):
        named = {name: _word_lists(each, f"systems[{name!r}]") for name, each in systems.items()}
        if any(rows is not None for rows in named.values()):
            systems = {
                name: systems[name] if rows is None else rows for name, rows in named.items()
            }
            reference = _joined_references(reference)
            if found.get("tokenizer") in (None, "auto"):
                found["tokenizer"] = "none"

    def path_of(given: Any, name: str) -> str:
        if is_path(given):
            return os.fspath(given)
        held[name] = lines_of(given, name)
        return name

    if isinstance(systems, Mapping):
        systems = {name: path_of(each, f"systems[{name!r}]") for name, each in systems.items()}
    if found.get("source") is not None:
        found["source"] = path_of(read_once(found["source"]), "source")
    segments = next(map(len, held.values()), None)
    columns: list[Any] = [reference]
    if not is_path(reference):
        columns = reference_columns(reference, segments)
        note_single_words(
            columns, lambda: any(b" " in text.data.tobytes() for text in held.values())
        )
    if any(isinstance(column, list) and None in column for column in columns):
        # A segment with fewer references than others: those that are missing are empty lines.
        if any("" in column for column in columns):
            expected = "words: beside segments with fewer references it would count as none"
            raise InputError("references", "an empty reference", expected)
        columns = [[line or "" for line in column] for column in columns]
        found["empty_references"] = "none"
    names = ["references", *(f"references[{number}]" for number in range(1, len(columns)))]
    first, *more = [path_of(each, name) for each, name in zip(columns, names, strict=True)]
    if more:
        found["references"] = (*more, *found.get("references", ()))
    # Only texts are in memory; files hold what they hold.
    return first, systems, found | ({"held": held, "kind": "text"} if held else {})


def _word_lists(given: Any, name: str) -> list[str] | None:
    """Return a column of lists of words as lines; None if it is another one."""
    if is_path(given):
        return None
    rows = plain_text(input_text(list(given) if isinstance(given, tuple) else given, name))
    if not isinstance(rows, Sequence) or not len(rows) or not _is_list(rows[0]):
        return None
    return [_line(row, f"{name}, entry {number}") for number, row in enumerate(rows, 1)]


def _joined_references(given: Any) -> Any:
    """Return references that are lists of words, or lists of such lists, as lines."""
    if is_path(given) or isinstance(given, Mapping):
        return given
    rows = plain_text(input_text(list(given) if isinstance(given, tuple) else given, "references"))
    lines: list[str | tuple[str, ...]] = []
    for number, row in enumerate(rows, 1):
        where = f"references, entry {number}"
        several = _is_list(row) and len(row) > 0 and _is_list(row[0])
        lines.append(tuple(_line(each, where) for each in row) if several else _line(row, where))
    return lines


def _line(words: Any, where: str) -> str:
    """Return words with blanks between them.

    Examples
    --------
    >>> _line(["to", "be"], "references, entry 1")
    'to be'
    """
    if not _is_list(words):
        raise InputError(where, repr(words)[:30], "a list of words, as other segments are")
    for word in words:
        if not isinstance(word, str) or word.split() != [word]:
            raise InputError(where, f"the word {word!r}"[:40], "strings without blanks")
    return " ".join(words)


def _is_list(given: object) -> bool:
    return isinstance(given, (list, tuple))


def is_path(given: object) -> TypeGuard[str | os.PathLike[str]]:
    """Return whether something is the path of a file."""
    return isinstance(given, (str, os.PathLike))


def lines_of(given: Any, name: str) -> RawLines:
    """Return a column of strings as lines.

    Examples
    --------
    >>> lines_of(("to be", "or not"), "systems['A']").strings()
    ['to be', 'or not']

    Raises
    ------
    InputError
        If it holds anything else, or a line break.
    """
    column = input_text(list(given) if isinstance(given, tuple) else given, name)
    if isinstance(column, LineLists):
        raise InputError(name, "lists of strings", "one string per segment")
    return column if isinstance(column, RawLines) else encode_texts(sized(column, name), name)
