"""All trees of a text at once, for evaluations that begin with the text."""

from __future__ import annotations

import numpy as np

from wordorder.parsing.file_parser import FileParser
from wordorder.parsing.opened import SENTENCES, open_parser
from wordorder.parsing.sentence_reading import SentenceReader
from wordorder.text.opening import Path
from wordorder.treebank.treebank import Treebank
from wordorder.types import OnProgress


def read_sentences(path: Path, *, kind: str = "auto") -> tuple[Treebank, str]:
    r"""Read all sentences of a file: tokenised text, a sentence a line, or CoNLL-U.

    Parameters
    ----------
    path, kind
        As `wordorder.parsing.sentence_reading.SentenceReader` takes them.

    Returns
    -------
    Treebank, and what messages call the file
        An empty line is a sentence without words.

    Raises
    ------
    InputError
        If the file cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
    >>> _ = path.write_text("It rains .\n\n")
    >>> read_sentences(path)[0].lengths.tolist()
    [3, 0]
    """
    parts = []
    with SentenceReader(path, kind=kind) as reader:
        while len(part := reader.take(SENTENCES)):
            parts.append(part)
    return Treebank.concatenate(parts), reader.name


def parsed_by(
    model: Path,
    sentences: Treebank,
    *,
    name: str = "the source",
    progress: OnProgress | None = None,
) -> Treebank:
    """Parse sentences with the parser of a model.

    Parameters
    ----------
    model : path or name
        As `wordorder.parsing.opened.open_parser` takes it: ``en``, a file, ``udpipe:FILE``.
    sentences : Treebank
        Tags that are given stay; trees do not.
    name : str
        What messages call them.
    progress : callable, optional
        Called with the number of sentences parsed so far.

    Raises
    ------
    UsageError
        If there is no such model.
    ModelError
        If it cannot be used.
    InputError
        If words have no tags and the model has no tagger.

    Warns
    -----
    WordOrderWarning
        If tags of the sentences are used, or are not tags of the model; if most words are
        unknown to it.
    """
    opened = open_parser(model)
    parser = FileParser(opened, name)
    parts = []
    for first in range(0, len(sentences), opened.batch):
        part = sentences[first : first + opened.batch]
        parts.append(parser.parsed(part, first + np.arange(len(part))))
        if progress is not None:
            progress(first + len(part))
    parser.finish()
    return Treebank.concatenate(parts)
