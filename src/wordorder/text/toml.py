"""TOML files of strangers: read whole, with the lines where keys stand."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any

from wordorder.errors import InputError, location
from wordorder.text.opening import Path, Source, display_name

# Larger files are no rules that anyone wrote.
MOST_BYTES = 1 << 20
_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]#]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")


@dataclass(frozen=True)
class TomlFile:
    """What a TOML file says, and where.

    Attributes
    ----------
    path : str
        What messages call it.
    data : dict
    lines : tuple of str
    """

    path: str
    data: dict[str, Any]
    lines: tuple[str, ...]

    def place(self, table: str = "", number: int = 0, key: str = "", text: str = "") -> str:
        """Return where something stands, as ``path:line``.

        Parameters
        ----------
        table : str
            The header of its table, ``rule.weights`` for ``[rule.weights]``; the beginning of the
            file if empty.
        number : int
            Which of the tables ``[[rule]]`` that it is or belongs to, from 0.
        key : str, optional
            A key of the table.
        text : str, optional
            A part of what the key says; the line of the key if it cannot be found.
        """
        start = 0
        if table:
            outer = table.partition(".")[0]
            seen = -1
            for at, line in enumerate(self.lines):
                header = _HEADER.match(line)
                if header is None:
                    continue
                seen += header[1] == "[[" and header[2] == outer
                if header[2] == table and seen in (-1, number):
                    start = at
                    break
        found = start
        if key:
            for at in range(start + bool(table), len(self.lines)):
                if _HEADER.match(self.lines[at]):
                    break
                match = _KEY.match(self.lines[at])
                if match and match[1].strip("\"'").split(".")[0] == key:
                    found = at
                    break
        if text:
            for at in range(found, len(self.lines)):
                if at > found and (_HEADER.match(self.lines[at]) or _KEY.match(self.lines[at])):
                    break
                if text in self.lines[at]:
                    found = at
                    break
        return location(self.path, found + 1)


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file.

    Raises
    ------
    InputError
        If it cannot be read, is larger than a megabyte, or is no TOML; the message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.toml")
    >>> _ = file.write_text('name = "a"\\n[[rule]]\\nname = "verb"\\n')
    >>> found = read_toml(file)
    >>> found.data["rule"], found.place("rule", 0, "name").rsplit(":", 1)[1]
    ([{'name': 'verb'}], '3')
    """
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    name = display_name(path)
    parts = []
    size = 0
    with Source(path) as source:
        while block := source.read():
            size += len(block)
            if size > MOST_BYTES:
                raise InputError(name, "more than a megabyte", "a file of rules")
            parts.append(block)
    raw = b"".join(parts)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(location(name, line), "bytes that are not UTF-8", "UTF-8") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = re.sub(r" \(at .*\)$", "", str(error))
        where = location(name, int(found[1]), int(found[2])) if found else name
        raise InputError(where, message, "TOML") from None
    except (RecursionError, ValueError):
        raise InputError(name, "values nested too deeply, or too large", "TOML") from None
    return TomlFile(name, data, tuple(text.split("\n")))
