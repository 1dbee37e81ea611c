"""Detection of the kind of files from options, file names and first lines."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from itertools import islice

from wordorder.errors import UsageError
from wordorder.messages import joined
from wordorder.notes import note
from wordorder.scoring.files import ALIGNMENT_SUFFIXES, ORDER_SUFFIX, FileKind, Files
from wordorder.scoring.text_files import TextFiles, first_lines, read_stream_start
from wordorder.text.lines import read_lines
from wordorder.text.names import (
    can_be_peeked_at,
    is_treebank,
    read_only_once,
    table_column,
    without_compression,
)
from wordorder.text.opening import Path, display_name, first_bytes
from wordorder.text.sniffing import MIN_COLUMNS

# Headers of columns in tables of judgements and scores; columns of text rarely have two of them.
_TABLE_HEADERS = frozenset(
    "rater judge item system segment value score raw.scr z.scr sys sid seg_id severity category "
    "system_a system_b choice better worse ranking rank metric srcindex judgeid system1id "
    "system1rank mqm_avg_score globalsegid".split()
)
_NUMBER_CELL = re.compile(r"[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?|None")
_ORDER_LINE = re.compile(r"[0-9]+([ \t,]+[0-9]+)+")
_ALIGNMENT_LINE = re.compile(r"[0-9]+[-p?][0-9]+([ \t]+[0-9]+[-p?][0-9]+)+")
# Number of lines that are compared with these patterns.
_SAMPLE_LINES = 5

# Formats that are not lines of text, by suffix, with the way to extract lines.
_OTHER_FORMATS = {
    ".xlsx": ("a spreadsheet", "save it as CSV: FILE.csv#COLUMN"),
    ".xls": ("a spreadsheet", "save it as CSV: FILE.csv#COLUMN"),
    ".sgm": ("SGML", "take the text out of its <seg>s, one per line"),
    ".xml": ("XML", "take the text out of its elements, one segment per line"),
    ".json": ("JSON", "write JSON Lines: FILE.jsonl#COLUMN"),
    ".csv": ("a table", "FILE.csv#COLUMN names a column"),
}


def kind_of(files: Files, columns: set[str] | None) -> FileKind:
    """Return the kind of the files.

    Parameters
    ----------
    files : Files
    columns : set of str or None
        The columns that the metrics read; None if the metrics depend on the kind.

    Raises
    ------
    UsageError
        If a file seems to be of another kind, and no option names the kind.
    """
    name = _kind_name(files, columns)
    if name != "text":
        from wordorder.scoring.file_formats import AlignmentFiles, OrderFiles, TreeFiles

        classes: dict[str, type[FileKind]] = {"orders": OrderFiles, "trees": TreeFiles}
        return classes.get(name, AlignmentFiles)(files)
    files = read_stream_start(files)
    if files.kind == "auto":
        if columns is None and files.reference in files.streams:
            _refuse_number_lines(files.reference, first_lines(files, files.reference))
        for path in dict.fromkeys((files.reference, *files.references, *files.system_paths)):
            if path not in files.held:
                # Tables of judgements and scores belong to other commands, in CSV too.
                if without_compression(path).endswith(".csv"):
                    refuse_table(path)
                refuse_format(path)
                refuse_table(path)
    return TextFiles(files)


def _kind_name(files: Files, columns: set[str] | None) -> str:
    """Return "orders", "text", "alignments" or "trees"."""
    if files.kind in ("orders", "alignments"):
        return files.kind
    names = [without_compression(path) for path in (files.reference, *files.system_paths)]
    reference_has_orders = names[0].endswith(ORDER_SUFFIX)
    if files.kind == "text":
        # Systems may be reordered source lines, which are text; their reference is orders.
        only_orders = columns in (None, {"permutation"}) and not files.makes_orders
        has_source = columns is not None and files.source is not None
        if only_orders and (reference_has_orders or (has_source and _has_orders(files))):
            return "orders"
        return "text"
    if files.kind == "auto" and reference_has_orders:
        return "orders"
    if files.kind == "auto" and names[0].endswith(ALIGNMENT_SUFFIXES):
        return "alignments"
    if columns == {"trees"}:
        return "trees"
    are_treebanks = [is_treebank(name) for name in names if name != "-"]
    if files.kind == "conllu" or any(are_treebanks):
        # Treebanks contain trees and words; the metrics decide which of them are read.
        all_treebanks = files.kind == "conllu" or all(are_treebanks)
        return "trees" if columns is None and all_treebanks else "text"
    if columns is None:
        if any(name.endswith(ORDER_SUFFIX) for name in names):
            return "orders"
        if any(name.endswith(ALIGNMENT_SUFFIXES) for name in names):
            return "alignments"
        if files.reference not in files.held:
            refuse_numbers(files.reference)
        return "text"
    if columns == {"gold"}:
        return "alignments"
    only_orders = columns == {"permutation"} and not files.makes_orders
    return "orders" if only_orders and _has_orders(files) else "text"


def _has_orders(files: Files) -> bool:
    """Return whether the first lines of a reference look like orders.

    An empty reference, or a stream that cannot be read twice, counts as orders. Lines that look
    like alignments are refused.
    """
    path = files.reference
    if path in files.held or not read_only_once(path):
        sample = first_lines(files, path)
    else:
        sample = first_bytes(path).decode(errors="replace").split("\n")
    lines = [line for line in map(str.strip, sample) if line][:_SAMPLE_LINES]
    if any(map(_ORDER_LINE.fullmatch, lines)) or all(map(str.isdecimal, lines)):
        return True
    if all(map(_ALIGNMENT_LINE.fullmatch, lines)):
        raise _number_lines_error(path, "alignments")
    return False


def refuse_format(path: str) -> None:
    """Raise a UsageError for a file whose suffix is that of another format than lines of text.

    Examples
    --------
    >>> refuse_format("news.ref.sgm")
    Traceback (most recent call last):
    ...
    wordorder.errors.UsageError: news.ref.sgm: SGML, not lines of text: take the text out of its ...
    """
    for suffix, (format_name, remedy) in _OTHER_FORMATS.items():
        if without_compression(path).endswith(suffix) and table_column(path) is None:
            remedy = remedy.replace(f"FILE{suffix}", path)
            if suffix == ".csv" and can_be_peeked_at(path):
                header = _cells([next(read_lines(path), "")])[0]
                # The first line of a text is not a header of identifiers.
                if header[0].isidentifier():
                    remedy = remedy.replace("COLUMN", header[0])
            raise UsageError(
                f"{path}: {format_name}, not lines of text: {remedy}; `--input text` takes it as "
                "text"
            )


def refuse_table(path: Path) -> None:
    """Raise a UsageError if a file of text seems to be a table of judgements or scores.

    Warns
    -----
    note
        If all lines have the same number of columns, separated by tabs, with other contents.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> _ = path.write_text("segment\\tbetter\\tworse\\n7\\tA\\tB\\n")
    >>> refuse_table(path)
    Traceback (most recent call last):
    ...
    wordorder.errors.UsageError: ...pairs.tsv looks like a table of judgements (columns segment, ...
    """
    if read_only_once(str(path)) or table_column(path) is not None or is_treebank(path):
        return
    lines = [line for line in islice(read_lines(path), _SAMPLE_LINES) if line.strip()]
    if len(lines) < 2:
        return
    name = display_name(path)
    option = f"`--input text` takes {name} as text"
    header, *rows = _cells(lines)
    is_regular = len(header) > 1 and all(len(row) == len(header) for row in rows)
    if is_regular and len(_TABLE_HEADERS.intersection(c.strip().lower() for c in header)) > 1:
        contents = "judgements"
        commands = "`wordorder rank` (--pairs tests the systems) and `wordorder agreement` read"
        if "metric" in header:
            contents, commands = "scores", "`wordorder correlate` reads"
        columns = joined(header[:5]) + (", …" if len(header) > 5 else "")
        table = f"a table of {contents} (columns {columns})"
        raise UsageError(f"{name} looks like {table}, which {commands}; {option}")
    is_pair = is_regular and len(header) == 2
    if is_pair and all(_NUMBER_CELL.fullmatch(row[1]) for row in (header, *rows)):
        table = "a table of scores (a system and its score per line)"
        raise UsageError(f"{name} looks like {table}, which `wordorder correlate` reads; {option}")
    if is_regular and len(lines) > 2 and "\t" in lines[0] and len(header) < MIN_COLUMNS:
        table = f"looks like a table of {len(header)} columns between tabs"
        reading = "all of them are taken as text (cut -f N takes one)"
        note(f"{name}: {table}; {reading}; {option} without this note")


def refuse_numbers(path: str) -> None:
    """Raise a UsageError if the first lines of a text file look like orders or alignments."""
    if can_be_peeked_at(path) and not is_treebank(path):
        _refuse_number_lines(path, islice(read_lines(path), _SAMPLE_LINES))


def _refuse_number_lines(path: str, sample: Iterable[str]) -> None:
    """Raise a UsageError if all first lines of a text look like orders or alignments."""
    lines = [line for line in map(str.strip, islice(sample, _SAMPLE_LINES)) if line]
    for contents, pattern in (("orders", _ORDER_LINE), ("alignments", _ALIGNMENT_LINE)):
        if lines and all(pattern.fullmatch(line) for line in lines):
            raise _number_lines_error(path, contents)


def _number_lines_error(path: str, contents: str) -> UsageError:
    return UsageError(
        f"{display_name(path)} looks like {contents}; say what it is: --input={contents}, or text"
    )


def _cells(lines: Sequence[str]) -> list[list[str]]:
    """Split lines at tabs, or at commas, if the first line has tabs or commas.

    A first line with spaces is not a header between commas: "It cost 1,000".
    """
    if "\t" in lines[0]:
        return [line.split("\t") for line in lines]
    if "," not in lines[0] or " " in lines[0]:
        return [[line] for line in lines]
    try:
        return list(csv.reader(lines))
    except csv.Error:
        return [[line] for line in lines]
