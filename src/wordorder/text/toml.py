"""TOML files with the line numbers of their keys."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from wordorder.errors import InputError, location
from wordorder.text.opening import Path, display_name
from wordorder.text.sources import Source

# Limits far above those of real files of rules. They are checked before the file is parsed, since
# the parser's time and memory grow with the square of the number of parts of a key.
MAX_FILE_BYTES = 1 << 20
MAX_DEPTH = 20
MAX_KEY_PARTS = 20
MAX_CHARACTERS = 200
_TABLE_HEADER = re.compile(r"\s*(\[\[?)([^\[\]#]+)\]\]?\s*(#.*)?$")
_KEY_LINE = re.compile(r"""\s*("[^"]*"|'[^']*'|[\w.-]+)\s*=""")
# Strings of several lines (to the end of the file, if nothing closes them), strings and comments,
# which hide what follows; line ends and brackets; dots; what separates values; long numbers.
_TOML_TOKEN = re.compile(
    r""""{3}(?:[^"\\]|\\.|"(?!""))*(?:"{3,5}|\\?\Z)|'{3}(?:[^']|'(?!''))*(?:'{3,5}|\Z)"""
    rf"""|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[\[\]{{}}\n.,=]|\b\w{{{MAX_CHARACTERS + 1}}}""",
    re.DOTALL,
)


@dataclass(frozen=True)
class TomlFile:
    """A parsed TOML file with the lines of its keys.

    Attributes
    ----------
    path : str
        The file's name in messages.
    data : dict
    lines : tuple of str
    """

    path: str
    data: dict[str, Any]
    lines: tuple[str, ...]

    def place(self, table: str = "", table_index: int = 0, key: str = "", text: str = "") -> str:
        """Return the location of a table, a key or a part of its value, as ``path:line``.

        Parameters
        ----------
        table : str
            The header of the table, ``rule.weights`` for ``[rule.weights]``; the beginning of the
            file if empty.
        table_index : int
            The index of the table ``[[rule]]`` that it is or belongs to, from 0.
        key : str, optional
            A key of the table.
        text : str, optional
            A part of the key's value; if it cannot be found, the line of the key is returned.
        """
        section = self._section(table, table_index)
        starts = section.keys.get(key, []) if section else []
        if key and not starts:
            # The key may be a table: [rule.head], [rule.head.not].
            inner = f"{table}.{key}".strip(".")
            starts = (
                self._lines_below.get((inner, table_index))
                or self._lines_below.get((inner, -1))
                or []
            )
        if not starts and section:
            starts = [section.start]
        elif not starts:
            # The tables may be in a list: rule = [{ name = "a" }].
            starts = self._sections["", -1].keys.get(table.partition(".")[0], [0])
            text = text or key
        if text:
            # obj is not in "iobj", nor in "ob*".
            pattern = re.compile(rf"(?<![\w:*?-]){re.escape(text)}(?![\w:*?-])")
            line = self._line_with(pattern, starts)
            if line is not None:
                return location(self.path, line + 1)
        return location(self.path, starts[0] + 1)

    def _section(self, table: str, number: int) -> _Section | None:
        return self._sections.get((table, number)) or self._sections.get((table, -1))

    def _line_with(self, pattern: re.Pattern[str], key_lines: list[int]) -> int | None:
        """Return the index of the first line with a pattern among the lines of some keys.

        The lines of a key, given by the index of the first one, end before the next key or table.
        """
        for key_line in key_lines:
            for line in range(key_line, len(self.lines)):
                if line > key_line and line in self._first_lines:
                    break
                if pattern.search(self.lines[line]):
                    return line
        return None

    @cached_property
    def _sections(self) -> dict[tuple[str, int], _Section]:
        """The tables by header and index of the ``[[...]]`` that they belong to; -1 if none."""
        section = _Section(0)
        sections = {("", -1): section}
        seen: dict[str, int] = {}
        for first_line in self._first_lines:
            line = self.lines[first_line]
            if header := _TABLE_HEADER.match(line):
                name = header[2].strip()
                outer = name.partition(".")[0]
                if header[1] == "[[" and name == outer:
                    seen[outer] = seen.get(outer, -1) + 1
                section = _Section(first_line)
                sections.setdefault((name, seen.get(outer, -1)), section)
            elif key := _KEY_LINE.match(line):
                bare = key[1][0] not in "\"'"
                name = key[1].split(".")[0] if bare else key[1][1:-1]
                section.keys.setdefault(name, []).append(first_line)
        return sections

    @cached_property
    def _lines_below(self) -> dict[tuple[str, int], list[int]]:
        """The lines of all tables below a header; ``rule.head`` and its keys for ``rule``."""
        children: dict[tuple[str, int], list[int]] = {}
        for (name, number), section in self._sections.items():
            lines = [section.start, *(line for lines in section.keys.values() for line in lines)]
            parts = name.split(".", 3)[:3]
            for count in range(2, len(parts) + 1):
                children.setdefault((".".join(parts[:count]), number), []).extend(sorted(lines))
        return children

    @cached_property
    def _first_lines(self) -> dict[int, None]:
        """The lines where a table or a key begins, in order."""
        return dict.fromkeys(_definition_lines(self.path, self.lines))


@dataclass
class _Section:
    """The first line of a table, and the lines of its keys: two for ``a.b = `` and ``a.c = ``."""

    start: int
    keys: dict[str, list[int]] = field(default_factory=dict)


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file.

    Raises
    ------
    InputError
        If it cannot be read, is larger than a megabyte, nests values or keys too deeply, or is not
        TOML; the message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "a.toml")
    >>> _ = file.write_text('name = "a"\\n[[rule]]\\nname = "verb"\\n')
    >>> rules = read_toml(file)
    >>> rules.data["rule"], rules.place("rule", 0, "name").rsplit(":", 1)[1]
    ([{'name': 'verb'}], '3')
    """
    name = display_name(path)
    parts = []
    size = 0
    with Source(path) as source:
        while block := source.read():
            size += len(block)
            if size > MAX_FILE_BYTES:
                raise InputError(name, "more than a megabyte", "a file of rules")
            parts.append(block)
    raw = b"".join(parts)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(location(name, line), "bytes that are not UTF-8", "UTF-8") from None
    return parse_toml(name, text)


def parse_toml(name: str, text: str) -> TomlFile:
    """Parse a text in TOML; `name` is the file's name in messages."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    lines = tuple(text.split("\n"))
    for _ in _definition_lines(name, lines):
        pass
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        position = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        message = re.sub(r" \(at .*\)$", "", str(error))
        # Errors without a position are at the end.
        last = len(text.rstrip("\n").split("\n"))
        context = location(name, *map(int, position.groups())) if position else location(name, last)
        raise InputError(context, message, "TOML") from None
    return TomlFile(name, data, lines)


def _definition_lines(path: str, lines: tuple[str, ...]) -> Iterator[int]:
    """Yield the lines where a table or a key starts, and check the limits of size and depth.

    Raises
    ------
    InputError
        At the line of a value that is nested too deeply, a key of too many parts, or a number of
        too many characters.
    """
    index = depth = dots = 0
    at_line_start = True
    for match in itertools.chain(_TOML_TOKEN.finditer("\n".join(lines)), [None]):
        if at_line_start and (_TABLE_HEADER.match(lines[index]) or _KEY_LINE.match(lines[index])):
            yield index
        text = match[0] if match else "\n"
        at_line_start = text == "\n" and depth == 0
        dots = dots + 1 if text == "." else dots * (text[0] in "\"'")
        depth += (text in "[{") - (text in "]}")
        if depth > MAX_DEPTH:
            raise _too_much(path, index, "values nested too deeply", MAX_DEPTH)
        if dots >= MAX_KEY_PARTS:
            raise _too_much(path, index, "a key of too many parts", MAX_KEY_PARTS)
        if text[0].isalnum():
            raise _too_much(path, index, "a key or number of too many characters", MAX_CHARACTERS)
        index += text.count("\n")


def _too_much(path: str, index: int, problem: str, limit: int) -> InputError:
    """Build the error for a limit that is exceeded on the line with an index."""
    return InputError(location(path, index + 1), problem, f"at most {limit}")
