"""Parsing of one file batch by batch, with notes on the whole file."""

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

# What happens to tags that are unknown to the model, by the option `tags`.
_FOREIGN_OUTCOMES = {
    "auto": "predicted (--tags=keep uses those of the file)",
    "keep": "kept; the trees suffer (--tags=auto predicts them)",
}


class FileParser:
    """Parses the sentences of a file batch by batch.

    Parameters
    ----------
    opened : ParsingPipeline
    name : str
        The name of the file in messages.
    note_tags : bool
        Whether to note which tags of the file are used.
    """

    def __init__(self, opened: ParsingPipeline, name: str, *, note_tags: bool = True) -> None:
        self._opened = opened
        self._tell_tags = note_tags and opened.tags == "auto" and not opened.tags_itself
        self._name = name
        self._tags = ForeignTagFilter(opened.learnt_tags())
        self._language = LanguageCheck.of(opened.parser, opened.unknown)
        self._words = self._enhanced_words = 0

    @property
    def batch(self) -> int:
        """The number of sentences parsed at a time."""
        return self._opened.batch

    def parsed(self, sentences: Treebank, numbers: Int64) -> Treebank:
        """Return further sentences with their trees.

        Parameters
        ----------
        sentences : Treebank
        numbers : int64[S]
            Their indices in the file, from 0.

        Raises
        ------
        InputError
            If a sentence cannot be parsed, or a word has no tag and there is no tagger.
        """
        tagged = self._tagged(sentences, numbers)
        with sentences_of(self._name, numbers):
            return self._opened.parsed(tagged)

    def list_trees(
        self, sentences: Treebank, numbers: Int64, max_trees: int, *, sequences: int = 1
    ) -> KBest:
        """Return lists of up to `max_trees` trees of further sentences; see `parsed`.

        Parameters
        ----------
        sentences, numbers
        max_trees : int
        sequences : int
            The number of tag sequences of each sentence that are parsed.
        """
        if sequences != 1:
            self._look_at_words(sentences, numbers)
            with sentences_of(self._name, numbers):
                return self._opened.listed_over_tags(sentences, max_trees, sequences, self._tags)
        tagged = self._tagged(sentences, numbers)
        with sentences_of(self._name, numbers):
            return self._opened.list_trees(tagged, max_trees)

    def finish(self) -> None:
        """Note unknown tags, removed columns, and a text in another language."""
        for message in self._messages():
            note(f"{self._name}: {message}")

    def _tagged(self, sentences: Treebank, numbers: Int64) -> Treebank:
        """Count the words of sentences, and return them with the tags for the parser."""
        self._look_at_words(sentences, numbers)
        sentences_before = int(numbers[0]) if len(numbers) else 0
        return self._opened.tagged(sentences, self._name, sentences_before, self._tags)

    def _look_at_words(self, sentences: Treebank, numbers: Int64) -> None:
        """Count words for the check of the language, and words with enhanced dependencies."""
        self._words += sentences.words
        self._enhanced_words += int(sentences.columns["deps"].has_value().sum())
        if self._language is not None:
            self._language.add(sentences.form, sentences.offsets, numbers)

    def _messages(self) -> Iterator[str]:
        opened, outcome = self._opened, _FOREIGN_OUTCOMES.get(self._opened.tags, "")
        if opened.tags == "auto" and opened.tagger is None:
            outcome = "used all the same, since no tagger predicts others (--tagger)"
        yield from self._tags.notes(opened.name, outcome)
        missing = opened.tags == "keep" and self._tags.describe_missing()
        if missing:
            yield f"{missing}, which {opened.name} was trained with; --tags=auto predicts them"
        used = self._tags.describe_used()
        if used and self._tell_tags:
            hint = (
                f"; {opened.name} was trained for predicted tags (jackknife): with correct ones "
                "its trees are better than those of plain text"
            )
            yield (
                f"tags: {used}; `wordorder parse --tags predict` predicts them"
                f"{hint if opened.jackknifed else ''}"
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
        Their tags are kept, their trees replaced.
    name : str
        Their name in messages.
    progress : callable, optional
        Called with the number of sentences parsed so far.

    Raises
    ------
    UsageError
        If there is no such model.
    ModelError
        If the model is damaged.
    InputError
        If words have no tags and the model has no tagger.

    Warns
    -----
    note
        If tags of the sentences are used, or are unknown to the model; if most words are unknown.
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
