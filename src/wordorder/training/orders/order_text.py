"""Reading what a learned order is trained on: sentences, their trees or tags, their links."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader
from wordorder.errors import InputError, UsageError
from wordorder.parsing.opened import open_tagger
from wordorder.parsing.parsed_trees import parsed_by, read_sentences
from wordorder.reordering.learned.examples import OrderExamples, order_examples
from wordorder.text.lines import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.treebank.treebank import NO_HEAD, Treebank

# Parses English where nothing else is said, as in `wordorder reorder`.
DEFAULT_PARSER = "en"


@dataclass(frozen=True)
class Sources:
    """Where trees and tags of sentences come from, and how links are read.

    Attributes
    ----------
    reads : "words", "tags" or "trees"
        What is needed of a sentence.
    parser, tagger : path or name, optional
        As `wordorder.parsing.opened.open_parser` takes them.
    rule, unaligned, links : str, optional
        As `order_examples` takes them.
    alignment_format, one_based, strict
        As `AlignmentReader` takes them.
    """

    reads: str
    parser: Path | None = None
    tagger: Path | None = None
    rule: str | None = None
    unaligned: str | None = None
    links: str = "all"
    alignment_format: str = "auto"
    one_based: bool = False
    strict: bool = False

    def examples(
        self, text: Path, alignments: Path, *, trees: Path | None = None, weight: float = 1.0
    ) -> OrderExamples:
        """Read sentences with their links.

        Parameters
        ----------
        text : path
            Words between blanks, a sentence a line; or CoNLL-U.
        alignments : path
            Links with a translation, a row a sentence.
        trees : path, optional
            The trees of the sentences, in CoNLL-U.
        weight : float
            How much each sentence counts.

        Raises
        ------
        InputError
            If a file cannot be read, or the files are not in step.
        UsageError
            If a model cannot be found.
        """
        return self.made(*self.read(text, alignments, trees=trees), weight=weight)

    def made(
        self, treebank: Treebank, alignments: Alignments, *, weight: float = 1.0
    ) -> OrderExamples:
        """Make examples of what was read."""
        return order_examples(
            treebank,
            alignments,
            rule=self.rule,
            unaligned=self.unaligned,
            links=self.links,
            weight=weight,
        )

    def read(
        self, text: Path, alignments: Path, *, trees: Path | None = None
    ) -> tuple[Treebank, Alignments]:
        """Read sentences as they are needed, and their links."""
        sentences, name = read_sentences(text)
        if trees is not None:
            sentences = _with_trees(sentences, name, trees)
        # The links first: to parse takes longer.
        links = self._links(alignments, sentences, name)
        return self._complete(sentences, name), links

    def _links(self, path: Path, sentences: Treebank, name: str) -> Alignments:
        with AlignmentReader(
            path,
            format=self.alignment_format,
            format_option="--alignment-format",
            one_based=self.one_based,
            sentences=len(sentences),
            strict=self.strict,
            source_name=name,
        ) as reader:
            found = reader.take(len(sentences) + 1, source_lengths=sentences.lengths)
            if len(found) != len(sentences):
                raise line_count_mismatch(reader.name, len(found), name, len(sentences))
        return found

    def _complete(self, sentences: Treebank, name: str) -> Treebank:
        """Return sentences that have what is needed."""
        if self.reads == "trees":
            if sentences.has_trees and self.parser is None:
                return sentences
            return parsed_by(self.parser or DEFAULT_PARSER, sentences, name=name)
        if self.tagger is not None:
            return open_tagger(self.tagger).tag(sentences)
        return sentences


def what_is_read(
    model: str, *, trees: Path | None, parser: Path | None, tagger: Path | None
) -> str:
    """Return what a kind of model needs of the sentences, from what is given.

    *bracketing* works with words alone, and reads what there is (``own``); the others need trees.

    Raises
    ------
    UsageError
        If what is given contradicts itself.
    """
    if trees is not None and parser is not None:
        raise UsageError("--trees are trees already: --trees or --parser, not both")
    if tagger is not None and (trees is not None or parser is not None):
        raise UsageError("--tagger is for models without trees; a parser brings its own tagger")
    if trees is not None or parser is not None:
        return "trees"
    if tagger is not None:
        if model != "bracketing":
            raise UsageError(f"{model} reads trees: --parser or --trees instead of --tagger")
        return "tags"
    if model != "bracketing":
        return "trees"
    return "own"


def own_columns(treebank: Treebank) -> str:
    """Return what sentences have: ``trees``, ``tags`` or ``words``."""
    if treebank.words and treebank.has_trees:
        return "trees"
    tagged = treebank.upos.said().all() or treebank.xpos.said().all()
    return "tags" if treebank.words and tagged else "words"


def _with_trees(sentences: Treebank, name: str, trees: Path) -> Treebank:
    """Return the trees of sentences from a file in step with them."""
    bank, other = read_sentences(trees, kind="conllu")
    if len(bank) != len(sentences):
        raise line_count_mismatch(other, len(bank), name, len(sentences))
    if not np.array_equal(bank.lengths, sentences.lengths):
        row = int(np.argmax(bank.lengths != sentences.lengths))
        raise InputError(
            f"{other}: sentence {row + 1}",
            f"{bank.lengths[row]} words",
            f"the {sentences.lengths[row]} words of {name}",
        )
    for row, (there, here) in enumerate(zip(bank.sentences(), sentences.sentences(), strict=True)):
        for one, word in zip(there, here, strict=True):
            # Blanks inside words become no-break spaces in lines of text.
            if one.replace(" ", "\u00a0") != word.replace(" ", "\u00a0"):
                raise InputError(
                    f"{other}: sentence {row + 1}", f"the word {one!r}", f"{word!r}, as in {name}"
                )
    if np.any(bank.heads == NO_HEAD):
        without = int(np.argmax(bank.heads == NO_HEAD))
        row = int(np.searchsorted(bank.offsets, without, side="right"))
        raise InputError(f"{other}: sentence {row}", "no tree", "a head for each word")
    return bank


def told(path: Path | None) -> str | None:
    """Return the name of a model or file as a model file keeps it."""
    return None if path is None else os.fspath(path)


def shown(path: Path) -> str:
    """Return the name of a file as messages have it."""
    return display_name(os.fspath(path))


Say = Callable[[str], object]
