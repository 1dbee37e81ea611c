"""Mistakes in files of rules, for every format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from wordorder.errors import location
from wordorder.messages import counted
from wordorder.records import Record, key
from wordorder.report.document import Document, Part, Table
from wordorder.text.display import printable
from wordorder.text.opening import display_name


@dataclass(frozen=True)
class Fault(Record):
    """A mistake in a file of rules."""

    line: int | None = key(
        "a line, from 1; `null` where the file is not there, or as a whole is wrong"
    )
    what: str = key("what is wrong with it")


@dataclass(frozen=True)
class CheckedRules(Record):
    """A file of rules."""

    file: str = key("as it was given")
    name: str | None = key("what the file calls itself; `null` where it cannot be read")
    scheme: str | None = key("whose labels it reads; `null` where it cannot be read")
    rules: int = key("how many rules it has; 0 where it cannot be read")
    classes: int = key("how many classes it has; 0 where it cannot be read")
    faults: tuple[Fault, ...] = key("the mistakes; empty for a file without mistakes")


@dataclass(frozen=True)
class RuleChecks(Record, rows="files faults", first="file"):
    """The result of `wordorder rules check`."""

    files: tuple[CheckedRules, ...] = key("the files")


def checks_document(checks: RuleChecks) -> Document:
    """Return a table of mistakes, and a line for each file without mistakes."""
    columns = checks.to_columns()
    parts: list[Part] = [Table.of(columns)] if columns["file"] else []
    fine = "\n".join(line for file in checks.files if not file.faults for line in _lines(file))
    return Document((*parts, fine) if fine else tuple(parts))


def checks_text(checks: RuleChecks) -> str:
    """Return a line for each mistake, and one for each file without mistakes."""
    return "".join(f"{line}\n" for file in checks.files for line in _lines(file))


def _lines(file: CheckedRules) -> Iterator[str]:
    """Yield a line for each mistake of a file, or one that it has none."""
    name = display_name(file.file)
    for fault in file.faults:
        yield printable(f"{location(name, fault.line)}: {fault.what}")
    if not file.faults:
        counts = f"{counted(file.rules, 'rule')}, {counted(file.classes, 'class', 'classes')}"
        yield printable(f"{name}: {file.name}, scheme {file.scheme}, {counts}: fine")
