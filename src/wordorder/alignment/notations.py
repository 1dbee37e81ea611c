"""Which notations of word alignments there are, and how a file shows its own."""

from __future__ import annotations

import re

from wordorder.alignment.formats import LineFormat, RecordFormat
from wordorder.alignment.giza import Giza
from wordorder.alignment.lader import Lader
from wordorder.alignment.moses import MosesPhrases, MosesTrace
from wordorder.alignment.naacl import Naacl
from wordorder.alignment.pharaoh import Pharaoh, ReversedPharaoh
from wordorder.alignment.talbot import Talbot
from wordorder.errors import InputError, location
from wordorder.text.blocks import Block
from wordorder.text.quoting import quoted

LINE_FORMATS: dict[str, LineFormat] = {
    n.name: n
    for n in (Talbot(), Pharaoh(), ReversedPharaoh(), Lader(), MosesPhrases(), MosesTrace())
}
# In which reordered links are written as they were read; phrases would be torn apart.
KEPT_FORMATS: dict[str, LineFormat] = {
    name: n for name, n in LINE_FORMATS.items() if not isinstance(n, MosesPhrases)
}
RECORD_FORMATS: dict[str, RecordFormat] = {n.name: n for n in (Naacl(), Giza())}
FORMATS: dict[str, LineFormat | RecordFormat] = {**LINE_FORMATS, **RECORD_FORMATS}

# How the first line that is not blank begins in each that shows itself, the narrower ones first.
_BEGINNINGS = {
    "giza": re.compile(rb"# Sentence pair "),
    "lader": re.compile(rb"[0-9]+-[0-9]+[ \t]+\|\|\|"),
    "naacl": re.compile(rb"[0-9]+[ \t]+[0-9]+[ \t]+[0-9]+([ \t]|\r?\n|\Z)"),
    "moses-phrases": re.compile(rb"[0-9]+(-[0-9]+)?="),
    "pharaoh": re.compile(rb"[0-9]+[-p?]"),
    "talbot": re.compile(rb",|[0-9]+([,_]|\r?\n|\Z)"),
}
_TOKEN = re.compile(rb"[^ \t\r\n]+")


def recognise(block: Block, path: str) -> LineFormat | RecordFormat | None:
    """Return the notation of the first line that is not blank; None if all are.

    Raises
    ------
    InputError
        If it is in no notation, or in one without empty lines while there is one before it.
    """
    text = block.data.tobytes()
    start = re.search(rb"[^ \t\r\n]", text)
    if start is None:
        return None
    line, column = block.place(start.start())
    for name, beginning in _BEGINNINGS.items():
        if beginning.match(text, start.start()):
            if line > 1 and not FORMATS[name].empty_lines:
                raise InputError(
                    location(path, line - 1),
                    f"an empty line before the notation {name}, which has none",
                    "no empty line, or the notation named (--format)",
                )
            return FORMATS[name]
    token = _TOKEN.match(text, start.start())
    raise InputError(
        location(path, line, column),
        f"{quoted(token.group() if token else b'')} is not an alignment in a known notation",
        "Pharaoh's i-j, Talbot's comma-separated fields, Moses' i-j=k-l, or lader's, NAACL's or "
        "GIZA++'s lines",
    )
