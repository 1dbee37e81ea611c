"""Tagging a file, some sentences at a time."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.notes import note
from wordorder.parsing.base import KnowsWords
from wordorder.parsing.given_tags import fill_tags, without_tags
from wordorder.parsing.language_check import LanguageCheck
from wordorder.parsing.opened import open_tagger
from wordorder.parsing.sentence_reading import SentenceReader
from wordorder.text.opening import Path
from wordorder.text.output import flush_answers, write_output
from wordorder.treebank.kbest_writing import KBestWriter
from wordorder.treebank.sentence_places import sentences_of
from wordorder.treebank.writing import TreebankWriter
from wordorder.types import OnProgress

# Sentences in a batch.
SENTENCES = 1 << 13


@dataclass(frozen=True)
class TaggedFile:
    """What was tagged.

    Attributes
    ----------
    sentences, words : int
    empty_lines : int
        Lines of text without a word, which become sentences without words.
    """

    sentences: int
    words: int
    empty_lines: int


def tag_files(
    model: Path,
    source: Path = "-",
    output: Path = "-",
    *,
    kind: str = "auto",
    tokenize: bool = False,
    kbest: int | None = None,
    tags: str = "predict",
    progress: OnProgress | None = None,
) -> TaggedFile:
    r"""Tag the sentences of a file; memory is bounded by a batch of them.

    Parameters
    ----------
    model : path or name
        As `wordorder.parsing.model_file.load_models` takes it; its tagger tags.
    source, kind, tokenize
        As `SentenceReader` takes them.
    output : path or "-"
        Where the sentences go, as CoNLL-U with comments and all other columns kept.
    kbest : int, optional
        Up to so many sequences of tags a sentence, with ``# rank`` and ``# score``.
    tags : {"predict", "auto"}
        ``predict`` replaces tags that the input has; ``auto`` keeps each and predicts each other.
    progress : callable, optional
        Called with the number of sentences tagged so far.

    Raises
    ------
    UsageError
        If there is no such model, it has no tagger, or the output cannot be created.
    ModelError
        If the model is damaged.
    InputError
        If the input cannot be read.

    Warns
    -----
    WordOrderWarning
        If there are lines of text without a word, or if most words are unknown to the tagger.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.parsing.training.train_files import train_tagger_files
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}" + "\t_" * 6 + "\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON") + row.format(2, "rains", "VERB")
    ... )
    >>> _ = train_tagger_files(folder / "train.conllu", folder / "en.model", model="tnt")
    >>> _ = (folder / "a.txt").write_text("it rains\nrains\n")
    >>> tag_files(folder / "en.model", folder / "a.txt", folder / "a.conllu")
    TaggedFile(sentences=2, words=3, empty_lines=0)
    >>> print((folder / "a.conllu").read_text().split("\n\n")[1])
    # sent_id = 2
    # text = rains
    1	rains	_	VERB	_	_	_	_	_	_
    """
    tagger: Any = open_tagger(model)
    if kbest is not None and (type(kbest) is not int or kbest < 1):
        raise UsageError(f"kbest is a whole number of at least 1, not {kbest!r}")
    choose("tags", tags, ("predict", "auto"))
    if kbest is not None and tags == "auto":
        raise UsageError("lists of tags (kbest) have only predicted tags: use tags=predict")
    if kbest is not None and not hasattr(tagger, "kbest_tags"):
        raise UsageError(f"{model}: its tagger gives no lists of tags")
    language = LanguageCheck(tagger.learnt_words()) if isinstance(tagger, KnowsWords) else None
    words = 0
    batch = max(1, SENTENCES // (kbest or 1))
    with (
        SentenceReader(source, kind=kind, tokenize=tokenize) as reader,
        write_output(output) as out,
    ):
        best, lists = TreebankWriter(out), KBestWriter(out)
        while len(sentences := reader.take(batch)):
            words += sentences.words
            numbers = reader.sentences - len(sentences) + np.arange(len(sentences))
            if language is not None:
                numbers = reader.sentences - len(sentences) + np.arange(len(sentences))
                language.add(sentences.form, sentences.offsets, numbers)
            if kbest is None:
                tagged = (
                    tagger.tag(without_tags(sentences))
                    if tags == "predict"
                    else fill_tags(sentences, tagger)
                )
                with sentences_of(reader.name, numbers):
                    best.write(tagged)
            else:
                found = tagger.kbest_tags(sentences, kbest)
                with sentences_of(reader.name, numbers):
                    lists.write(found)
            flush_answers(out)
            if progress is not None:
                progress(reader.sentences)
        note_empty_lines(reader)
        other = language and language.message(os.fspath(model))
    if other:
        note(f"{reader.name}: {other}")
    return TaggedFile(reader.sentences, words, reader.empty_lines)


def note_empty_lines(reader: SentenceReader) -> None:
    """Warn of lines of text without a word, if there are such: not every tool reads the result."""
    if reader.empty_lines:
        lines = "line" if reader.empty_lines == 1 else "lines"
        note(f"{reader.name}: {reader.empty_lines} empty {lines} became sentences without words")
