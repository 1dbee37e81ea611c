"""What is analysed: orders, alignments of which orders are made, or translations."""

from __future__ import annotations

import os
import re

from wordorder.errors import choose
from wordorder.scoring.files import ALIGNED, ORDERS
from wordorder.scoring.looks_like_table import refuse_table
from wordorder.scoring.text_files import refuse_numbers
from wordorder.text.compression import kind_of_bytes, without_compression
from wordorder.text.lines import read_lines
from wordorder.text.named_files import read_only_once
from wordorder.text.opening import Path, standard_input_begins

KINDS = ("auto", "orders", "alignments", "text")
_ORDER = re.compile(r"[0-9]+([ \t,]+[0-9]+)*")


def analysed_kind(reference: Path, kind: str = "auto", *, grid: bool = False) -> str:
    """Return what a reference holds.

    Parameters
    ----------
    reference : path
    kind : "auto", "orders", "alignments" or "text"
        What the user says. auto: ``.orders``, ``.align`` and ``.talbot`` files say so themselves;
        others hold orders if every line reads as one, else text. Of standard input the first
        lines are looked at. An empty file is text; a pipe, or compressed standard input, is taken
        for orders.
    grid : bool
        Whether there are trees, parsers or rules: then auto is never text.

    Returns
    -------
    "orders", "alignments" or "text"

    Raises
    ------
    UsageError
        If a file looks like orders or alignments, but not in all of its lines, or `kind` is
        unknown.
    InputError
        If it cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ref.txt")
    >>> _ = path.write_text("2 0 1\\n\\n0 1,2\\n")
    >>> analysed_kind(path)
    'orders'
    >>> _ = path.write_text("we met at 6\\n")
    >>> analysed_kind(path), analysed_kind("gold.align.gz"), analysed_kind(path, "orders")
    ('text', 'alignments', 'orders')
    """
    if choose("--input", kind, KINDS) != "auto":
        return kind
    path = os.fspath(reference)
    named = without_compression(path)
    if named.endswith(ALIGNED):
        return "alignments"
    if grid or named.endswith(ORDERS) or (path != "-" and read_only_once(path)):
        return "orders"
    begins = standard_input_begins() if path == "-" else b""
    if kind_of_bytes(begins) is not None:
        return "orders"
    found = False
    for line in read_lines(path) if path != "-" else _whole_lines(begins):
        text = line.strip()
        if text and not _ORDER.fullmatch(text):
            refuse_numbers(path)
            refuse_table(path)
            return "text"
        found = found or bool(text)
    return "orders" if found else "text"


def _whole_lines(begins: bytes) -> list[str]:
    """Return the lines of the beginning of a text; the last one may break off, and is left out."""
    lines = begins.decode(errors="replace").split("\n")
    return lines[:-1] or lines
