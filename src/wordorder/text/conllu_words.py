"""The words of a CoNLL-U treebank, as lines of text."""

from __future__ import annotations

from itertools import pairwise

from wordorder.text.closeable import Closeable
from wordorder.text.conllu_lines import FIELDS, scan_conllu
from wordorder.text.opening import Path
from wordorder.text.raw_lines import RawLines
from wordorder.text.sentence_blocks import SentenceBlocks

_FORM = FIELDS.index("FORM")
# A word may hold blanks; a line of text separates words by them.
_NO_BREAK = "\u00a0"


class ConlluWordReader(Closeable):
    r"""Reads the FORM column of a CoNLL-U file, a sentence as a line.

    Words are the numbered tokens: ranges (``3-4``) and empty nodes (``5.1``) are no words of their
    own. A blank inside a word becomes a no-break space. Comments alone are a sentence without
    words.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.text.opening.Source` takes it.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Sentences read so far.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> row = "{}\t{}" + "\t_" * 8 + "\n"
    >>> _ = path.write_text("# a comment\n" + row.format(1, "It") + row.format(2, "rains") + "\n")
    >>> with ConlluWordReader(path) as reader:
    ...     reader.take(9).strings()
    ['It rains']
    """

    rows = "sentence"

    def __init__(self, path: Path) -> None:
        self._blocks = SentenceBlocks(path)
        self.name = self._blocks.name
        self.lines = 0

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further sentences; fewer if they are long, none at the end.

        Raises
        ------
        InputError
            As `wordorder.treebank.TreebankReader.take`, but for heads that make no tree.
        """
        found = scan_conllu(self._blocks.take(lines), self.name)
        if found.error:
            raise found.error
        words = [word.replace(" ", _NO_BREAK) for word in found.field(_FORM).strings()]
        bounds = pairwise(found.offsets.tolist())
        taken = RawLines.from_strings([" ".join(words[start:stop]) for start, stop in bounds])
        self.lines += len(taken)
        return taken

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()
