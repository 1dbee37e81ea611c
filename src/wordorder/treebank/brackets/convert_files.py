"""Files of trees in brackets to one file in CoNLL-U."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.text.compression import without_compression
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.treebank.brackets.conversion import dependencies
from wordorder.treebank.brackets.reading import Bracketed, read_brackets
from wordorder.treebank.treebank import Margin
from wordorder.treebank.writing import TreebankWriter
from wordorder.types import OnProgress

# Sentences that are in memory at the same time.
_BATCH = 512


@dataclass(frozen=True)
class ConvertedFiles:
    """What was converted.

    Attributes
    ----------
    files, sentences, words : int
    without_words : int
        Trees that hold nothing but empty elements; they are left out.
    unlabelled : int
        Words whose relation could not be told: ``dep``.
    """

    files: int
    sentences: int
    words: int
    without_words: int
    unlabelled: int


def convert_files(
    sources: Sequence[Path],
    output: Path = "-",
    *,
    heads: str = "stanford",
    progress: OnProgress | None = None,
) -> ConvertedFiles:
    r"""Convert trees in brackets to dependencies in CoNLL-U.

    Parameters
    ----------
    sources : sequence of paths
        Files as the Penn Treebank has them (``.mrg``) and as parsers write them, compressed or not;
        ``-`` is standard input. Their trees are written in this order.
    output : path or "-"
        Each sentence gets a comment ``sent_id``, the name of its file and its number there.
    heads : {"stanford", "surface"}
        As `wordorder.treebank.brackets.conversion.dependencies` takes it.
    progress : callable, optional
        Called with the number of sentences so far.

    Raises
    ------
    UsageError
        If there is no such style, no file, or the output cannot be created.
    InputError
        If a file cannot be read; at ``file:line`` if its brackets are wrong.

    Warns
    -----
    WordOrderWarning
        If trees have no words, or the relation of words is not known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.mrg").write_text("( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )\n")
    >>> convert_files([folder / "a.mrg"], folder / "a.conllu")
    ConvertedFiles(files=1, sentences=1, words=2, without_words=0, unlabelled=0)
    >>> print((folder / "a.conllu").read_text().strip())
    # sent_id = a-1
    1	It	_	_	PRP	_	2	nsubj	_	_
    2	rains	_	_	VBZ	_	0	root	_	_
    """
    if not sources:
        raise UsageError("no file of trees; expected at least one")
    done = ConvertedFiles(len(sources), 0, 0, 0, 0)
    with write_output(output) as stream:
        writer = TreebankWriter(stream)
        for source in sources:
            name = _sentence_name(source)
            batch: list[Bracketed] = []
            number = 0
            for tree in read_brackets(source):
                batch.append(tree)
                if len(batch) == _BATCH:
                    done, number = _convert(batch, writer, heads, name, number, done)
                    batch = []
                    if progress is not None:
                        progress(done.sentences)
            done, number = _convert(batch, writer, heads, name, number, done)
            if not number:
                note(f"{display_name(source)}: no trees")
        if progress is not None:
            progress(done.sentences)
    _note(done, heads)
    return done


def _convert(
    batch: Sequence[Bracketed],
    writer: TreebankWriter,
    heads: str,
    name: str,
    number: int,
    done: ConvertedFiles,
) -> tuple[ConvertedFiles, int]:
    """Write some trees; `number` trees of their file are before them."""
    places = [place for place, each in enumerate(batch) if each.tree.words()]
    bank = dependencies([batch[place].tree for place in places], style=heads)
    margins = [Margin((f"# sent_id = {name}-{number + place + 1}",)) for place in places]
    writer.write(replace(bank, margins=margins))
    done = replace(
        done,
        sentences=done.sentences + len(places),
        words=done.words + bank.words,
        without_words=done.without_words + len(batch) - len(places),
        unlabelled=done.unlabelled + bank.label.strings().count("dep"),
    )
    return done, number + len(batch)


def _sentence_name(source: Path) -> str:
    """Return what sentences of a file are called: its name without suffixes."""
    name = os.path.basename(without_compression(os.fspath(source)))
    return "stdin" if name == "-" else os.path.splitext(name)[0].replace(" ", "_")


def _note(done: ConvertedFiles, heads: str) -> None:
    """Say what is missing in the result."""
    if done.without_words:
        one = done.without_words == 1
        trees = "tree has no words and was" if one else "trees have no words and were"
        note(f"{done.without_words} {trees} left out")
    if heads == "stanford" and done.unlabelled:
        share = 100 * done.unlabelled / done.words
        note(f"{done.unlabelled} of {done.words} words ({share:.1f} %) have the label dep: unknown")
