"""Which kind files are of: by what is asked, by their names, and by how they begin."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from itertools import islice

from wordorder.counts import joined
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.scoring.file_kind import FileKind
from wordorder.scoring.files import ALIGNED, ORDERS, Files
from wordorder.text.compression import without_compression
from wordorder.text.inputs import LEAST_COLUMNS
from wordorder.text.lines import read_lines
from wordorder.text.names import is_treebank, read_only_once, table_column
from wordorder.text.opening import Path, display_name

# Names that the headers of judgements and scores have; text in columns rarely has two of them.
_NAMES = frozenset(
    "rater judge item system segment value score raw.scr z.scr sys sid seg_id severity category "
    "system_a system_b choice better worse ranking rank metric srcindex judgeid system1id "
    "system1rank mqm_avg_score globalsegid".split()
)
_SCORE = re.compile(r"[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?|None")
# Lines that look like orders or alignments.
_ORDER = re.compile(r"[0-9]+([ \t,]+[0-9]+)+")
_LINKS = re.compile(r"[0-9]+[-p?][0-9]+([ \t]+[0-9]+[-p?][0-9]+)+")
# Lines that are compared.
_LOOKED_AT = 5


def kind_of(files: Files, needed: set[str] | None) -> FileKind:
    """Return the kind that files are of.

    Parameters
    ----------
    files : Files
    needed : set of str or None
        The columns that the metrics read; None where they are left open.

    Raises
    ------
    UsageError
        If a file looks like another kind, and nothing says which.
    """
    name = _kind(files, needed)
    if name == "text":
        from wordorder.scoring.text_files import TextFiles

        if files.kind == "auto":
            for path in dict.fromkeys((files.reference, *files.references, *files.system_paths)):
                refuse_table(path)
        return TextFiles(files)
    if name == "orders":
        from wordorder.scoring.kinds import OrderFiles

        return OrderFiles(files)
    if name == "trees":
        from wordorder.scoring.kinds import TreeFiles

        return TreeFiles(files)
    from wordorder.scoring.kinds import AlignmentFiles

    return AlignmentFiles(files)


def _kind(files: Files, needed: set[str] | None) -> str:
    """Return "orders", "text", "alignments" or "trees"."""
    if files.kind in ("orders", "alignments"):
        return files.kind
    names = [without_compression(path) for path in (files.reference, *files.system_paths)]
    orders = names[0].endswith(ORDERS)
    if files.kind == "text":
        # Reordered source lines are text too, but their reference is not.
        given = orders or (needed is not None and files.source is not None)
        reordered = needed in (None, {"permutation"}) and given and not files.makes_orders
        return "orders" if reordered else "text"
    if files.kind == "auto" and orders:
        return "orders"
    if files.kind == "auto" and names[0].endswith(ALIGNED):
        return "alignments"
    if needed == {"trees"}:
        return "trees"
    treebanks = [is_treebank(name) for name in names if name != "-"]
    if files.kind == "conllu" or any(treebanks):
        # Treebanks hold trees and words; which of them are read, the metrics say.
        whole = files.kind == "conllu" or all(treebanks)
        return "trees" if needed is None and whole else "text"
    if needed is None:
        if any(name.endswith(ORDERS) for name in names):
            return "orders"
        if any(name.endswith(ALIGNED) for name in names):
            return "alignments"
        refuse_numbers(files.reference)
        return "text"
    if needed == {"gold"}:
        return "alignments"
    return "orders" if needed == {"permutation"} and not files.makes_orders else "text"


def refuse_table(path: Path) -> None:
    """Raise a UsageError if a file that is taken for text is a table of judgements or scores.

    Warns
    -----
    WordOrderWarning
        If its lines have equally many columns of another kind between tabs.

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
    lines = [line for line in islice(read_lines(path), _LOOKED_AT) if line.strip()]
    if len(lines) < 2:
        return
    name = display_name(path)
    either = f"`--input text` takes {name} as text"
    header, *rows = _cells(lines)
    regular = len(header) > 1 and all(len(row) == len(header) for row in rows)
    if regular and len(_NAMES.intersection(cell.strip().lower() for cell in header)) > 1:
        held, verbs = "judgements", "`wordorder rank` and `wordorder agreement` read"
        if "metric" in header:
            held, verbs = "scores", "`wordorder correlate` reads"
        shown = joined(header[:5]) + (", …" if len(header) > 5 else "")
        raise UsageError(
            f"{name} looks like a table of {held} (columns {shown}), which {verbs}; {either}"
        )
    if regular and len(header) == 2 and all(_SCORE.fullmatch(cell[1]) for cell in (header, *rows)):
        raise UsageError(
            f"{name} looks like a table of scores (a system and its score a line), which "
            f"`wordorder correlate` reads; {either}"
        )
    if regular and len(lines) > 2 and "\t" in lines[0] and len(header) < LEAST_COLUMNS:
        note(
            f"{name}: looks like a table of {len(header)} columns between tabs; all of them are "
            f"taken as text (cut -f N takes one); {either} without this note"
        )


def refuse_numbers(path: str) -> None:
    """Raise a UsageError if a file that is taken for text begins like orders or alignments."""
    from wordorder.scoring.text_files import first_lines

    lines = [line.strip() for line in first_lines(path)[:_LOOKED_AT] if line.strip()]
    for held, form in (("orders", _ORDER), ("alignments", _LINKS)):
        if lines and all(form.fullmatch(line) for line in lines):
            raise UsageError(f"{path} looks like {held}; say what it is: --input={held}, or text")


def _cells(lines: Sequence[str]) -> list[list[str]]:
    """Cut lines at tabs, else at commas, as the first line has them.

    A line with blanks is no line of names between commas: "It cost 1,000".
    """
    if "\t" in lines[0]:
        return [line.split("\t") for line in lines]
    if "," not in lines[0] or " " in lines[0]:
        return [[line] for line in lines]
    try:
        return list(csv.reader(lines))
    except csv.Error:
        return [[line] for line in lines]
