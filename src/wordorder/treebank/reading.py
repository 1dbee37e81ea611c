"""Reading treebanks in CoNLL-U, some sentences at a time or as a whole."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from wordorder.errors import choose
from wordorder.text.blocks import Block
from wordorder.text.closeable import Closeable
from wordorder.text.opening import Path, Source
from wordorder.text.sentence_blocks import SentenceBlocks
from wordorder.text.treebank_names import refuse_brackets
from wordorder.treebank.conllu_fields import parse_sentences, refuse_lone_returns
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import LEGAL, Trees

# Sentences that are read at once where all of a file is wanted.
BATCH = 1 << 14


class TreebankReader(Closeable):
    r"""Reads a treebank in CoNLL-U some sentences at a time.

    Parameters
    ----------
    path : path, "-" or Source
        As `wordorder.text.opening.Source` takes it, compressed or not, or one that is open; ``-``
        is standard input.
    trees : {"required", "optional", "partial"}
        Whether every sentence must have heads; with ``optional`` all words of a sentence may have
        ``_`` there, which becomes `NO_HEAD`, and with ``partial`` any of them.
    single_root : bool
        Whether a second word with head 0 is an error, as in Universal Dependencies. Treebanks in
        CoNLL-X often have several.
    lone_returns : bool
        Whether a comment may hold other lines behind a carriage return, as all are held by the
        first in a file whose lines end with such alone.

    Attributes
    ----------
    name : str
        What messages call the input.
    lines : int
        Sentences read so far.
    rows : str
        What messages call that which is counted.

    Raises
    ------
    UsageError
        If the file is named as trees in brackets are (``.mrg``): `convert` reads those.

    Notes
    -----
    A line has ten columns separated by tabs, and a word's number is one more than that of the word
    before it. Comments, ranges (``3-4``) and empty nodes (``5.1``) become `Margin`; a block of
    comments alone is a sentence without words. Lines end with ``\n`` or ``\r\n``; an empty line
    ends a sentence, as does the end of the file. Files of CoNLL-X (2006, 2007) have the same
    columns but for the last two, PHEAD and PDEPREL, which go to ``deps`` and ``misc``. CoNLL-U
    Plus is refused if it has other columns than these ten.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t_\t_\t_\n"
    >>> _ = path.write_text(
    ...     row.format(1, "It", "PRON", 2) + row.format(2, "rains", "VERB", 0) + "\n"
    ... )
    >>> with TreebankReader(path) as reader:
    ...     bank = reader.take(9)
    >>> bank.form.strings(), bank.upos.strings(), bank.heads.tolist()
    (['It', 'rains'], ['PRON', 'VERB'], [2, 0])
    """

    rows = "sentence"

    def __init__(
        self,
        path: Path | Source,
        *,
        trees: Trees = "required",
        single_root: bool = True,
        lone_returns: bool = True,
    ) -> None:
        choose("trees", trees, LEGAL)
        if isinstance(path, str | os.PathLike):
            refuse_brackets(path)
        self._blocks = SentenceBlocks(path)
        self.name = self._blocks.name
        self.lines = 0
        self._block = Block(np.zeros(0, np.uint8), 0, 1)
        self._trees = trees
        self._single_root = single_root
        self._lone_returns = lone_returns

    def take(self, sentences: int, *, prompt: bool = False) -> Treebank:
        """Return up to `sentences` further sentences; fewer if they are long, none at the end.

        With `prompt` also fewer, but at least one, where more would have to be waited for.

        Raises
        ------
        InputError
            If the input cannot be read or a byte is not UTF-8, and at ``file:line`` if a line does
            not have ten columns or one of them is empty, if a number is out of order, if the heads
            of a sentence make no tree, or if a comment holds lines that it may not.
        """
        block = self._blocks.take(sentences, prompt=prompt)
        if not self._lone_returns:
            refuse_lone_returns(block, self.name)
        bank = parse_sentences(block, self.name, trees=self._trees, single_root=self._single_root)
        self.lines += len(bank)
        self._block = block
        return bank

    def line(self, sentence: int, comment: str = "") -> int:
        """Return where a sentence of the last `take` begins, as a line of the file from 1.

        Parameters
        ----------
        sentence : int
            Counted from 0.
        comment : str, optional
            The name of a comment of the sentence, whose line is wanted instead.
        """
        rows = self._block.data.tobytes().split(b"\n")
        left = sentence
        for number, (row, before) in enumerate(zip(rows, [b"", *rows], strict=False)):
            begins = row.strip(b"\r") and not before.strip(b"\r")
            left -= bool(begins)
            if left < 0:
                name = row[1:].partition(b"=")[0].strip().decode()
                if (begins and not comment) or name == comment:
                    return self._block.first_line + number
        return self._block.first_line

    def close(self) -> None:
        """Close the input."""
        self._blocks.close()


def read_treebank(
    path: Path | Source, *, trees: Trees = "required", single_root: bool = True
) -> Treebank:
    r"""Read a whole treebank in CoNLL-U.

    Parameters
    ----------
    path, trees, single_root
        As `TreebankReader` takes them.

    Raises
    ------
    InputError
        As `TreebankReader.take` does.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.conllu")
    >>> _ = path.write_text("1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n\n")
    >>> read_treebank(path)
    Treebank(1 sentence, 1 word)
    """
    parts = []
    options: dict[str, Any] = {"trees": trees, "single_root": single_root}
    with TreebankReader(path, **options, lone_returns=False) as reader:
        while len(part := reader.take(BATCH)):
            parts.append(part)
    return parts[0] if len(parts) == 1 else Treebank.concatenate(parts)
