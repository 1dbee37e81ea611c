"""The parser of one file: its tags and trees, and the notes on the file as a whole."""

from collections.abc import Iterator

import numpy as np

from wordorder.arrays import Int64, OnProgress
from wordorder.messages import percent
from wordorder.notes import note
from wordorder.parsing.given_tags import ForeignTagFilter
from wordorder.parsing.language import LanguageCheck
from wordorder.parsing.pipeline.loading import ParsingPipeline, open_parser
from wordorder.parsing.pipeline.sentence_reading import read_sentences as read_sentences
from wordorder.text.opening import Path
from wordorder.treebank.kbest import KBest
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import Treebank

_FOREIGN = {
    "auto": "predicted (--tags=keep uses those of the file)",
    "keep": "kept; the trees suffer (--tags=auto predicts them)",
}


class FileParser:
    """Parses the sentences of a file batch by batch.

    Parameters
    ----------
    opened : ParsingPipeline
    name : str
        What messages call the file.
    tell_tags : bool
        Whether to note which tags of the file are used; not needed where a user named them.
    """

    def __init__(self, opened: ParsingPipeline, name: str, *, tell_tags: bool = True) -> None:
        self._opened = opened
        self._tell_tags = tell_tags and opened.tags == "auto" and not opened.tags_itself
        self._name = name
        self._tags = ForeignTagFilter(opened.learnt_tags())
        self._language = LanguageCheck.of(opened.parser, opened.unknown)
        self._words = self._enhanced_words = 0

    @property
    def batch(self) -> int:
        """Number of sentences parsed at a time."""
        return self._opened.batch

    def parsed(self, sentences: Treebank, numbers: Int64) -> Treebank:
        """Return further sentences with their trees.

        Parameters
        ----------
        sentences : Treebank
        numbers : int64[S]
            Their numbers in the file, from 0.

        Raises
        ------
        InputError
            If a sentence cannot be parsed, or has words without tags that nothing predicts.
        """
        tagged = self._tagged(sentences, numbers)
        with sentences_of(self._name, numbers):
            return self._opened.parsed(tagged)

    def list_trees(
        self, sentences: Treebank, numbers: Int64, most: int, *, sequences: int = 1
    ) -> KBest:
        """Return lists of up to `most` trees of further sentences; see `parsed`.

        Parameters
        ----------
        sentences, numbers
        most : int
        sequences : int
            Over how many tag sequences of each sentence.
        """
        if sequences != 1:
            self._look_at_words(sentences, numbers)
            with sentences_of(self._name, numbers):
                return self._opened.listed_over_tags(sentences, most, sequences, self._tags)
        tagged = self._tagged(sentences, numbers)
        with sentences_of(self._name, numbers):
            return self._opened.list_trees(tagged, most)

    def finish(self) -> None:
        """Warn of tags that the model lacks, of dropped columns, and of another language."""
        for message in self._messages():
            note(f"{self._name}: {message}")

    def _tagged(self, sentences: Treebank, numbers: Int64) -> Treebank:
        """Return sentences with the tags that the parser is to see, and look at their words."""
        self._look_at_words(sentences, numbers)
        sentences_before = int(numbers[0]) if len(numbers) else 0
        return self._opened.tagged(sentences, self._name, sentences_before, self._tags)

    def _look_at_words(self, sentences: Treebank, numbers: Int64) -> None:
        """Count words of the model's language, and those with enhanced dependencies."""
        self._words += sentences.words
        self._enhanced_words += int(sentences.columns["deps"].has_value().sum())
        if self._language is not None:
            self._language.add(sentences.form, sentences.offsets, numbers)

    def _messages(self) -> Iterator[str]:
        opened, then = self._opened, _FOREIGN.get(self._opened.tags, "")
        if opened.tags == "auto" and opened.tagger is None:
            then = "used all the same, since no tagger predicts others (--tagger)"
        yield from self._tags.notes(opened.name, then)
        missing = opened.tags == "keep" and self._tags.describe_missing()
        if missing:
            yield f"{missing}, which {opened.name} was trained with; --tags=auto predicts them"
        used = self._tags.describe_used()
        if used and self._tell_tags:
            better = (
                f"; {opened.name} was trained for predicted tags (jackknife): with correct ones "
                "its trees are better than those of plain text"
            )
            yield (
                f"tags: {used}; `wordorder parse --tags predict` predicts them"
                f"{better if opened.jackknifed else ''}"
            )
        if self._enhanced_words:
            share = percent(self._enhanced_words, self._words)
            yield (
                f"left out the enhanced dependencies (DEPS) of {share} of the words: they belong "
                "to the trees that were replaced"
            )
        message = self._language and self._language.message(opened.name)
        if message:
            yield message


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
        Accepted values: see `wordorder.parsing.open_parser`; ``en``, a file, ``udpipe:FILE``.
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
    note
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
