"""The data from which an order is learned: sentences, their annotation and word alignments."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments, describe_swapped_sides
from wordorder.alignment.reading import AlignmentReader
from wordorder.arrays import row_and_entry
from wordorder.errors import InputError, UsageError
from wordorder.notes import note
from wordorder.parsing.pipeline.sentence_reading import SentenceReader, read_sentences
from wordorder.reordering.consensus import TREELESS
from wordorder.reordering.learned.examples import (
    OrderExamples,
    joined_examples,
    note_long,
    order_examples,
)
from wordorder.reordering.learned.learned_order import ORDER_KINDS
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.training.order_scores import other_examples
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import NO_HEAD, Treebank

# Choose the kind of model by held-out sentences. Bracketing alone is not tried: it takes as long as
# the consensus of which it is a member, and is not reliably better.
AUTO = "auto"

# The default parser, for English text, as in `wordorder reorder`.
DEFAULT_PARSER = "en"


@dataclass(frozen=True)
class AnnotationSources:
    """How to obtain the trees, tags and reference orders of sentences.

    Attributes
    ----------
    reads : "words", "tags" or "trees"
        The annotation that a model needs.
    parser, tagger : path or name, optional
        Accepted values: see `wordorder.parsing.pipeline.loading.open_parser`.
    rule, unaligned, links : str, optional
        How links become orders; see `order_examples`.
    alignment_format, one_based, strict
        How links are read; see `AlignmentReader`.
    reverse : bool
        Whether the links are target-source. Links of many sentences that fit only in this
        direction are reversed with a note.
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
    reverse: bool = False

    def examples(
        self, text: Path, alignments: Path, *, trees: Path | None = None, weight: float = 1.0
    ) -> OrderExamples:
        """Read sentences with their links.

        Parameters
        ----------
        text : path
            Tokenised text, one sentence per line; or CoNLL-U.
        alignments : path
            Links with a translation, one row per sentence.
        trees : path, optional
            The trees of the sentences, in CoNLL-U.
        weight : float
            The weight of each sentence.

        Raises
        ------
        InputError
            If a file cannot be read, or the files differ in their sentences.
        UsageError
            If a model cannot be found.
        """
        return self.make_examples(*self.read(text, alignments, trees=trees), weight=weight)

    def make_examples(
        self, treebank: Treebank, alignments: Alignments, *, weight: float = 1.0
    ) -> OrderExamples:
        """Make examples of sentences and their links."""
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
        """Read sentences with the annotation that is needed, and their links."""
        sentences, name = read_sentences(text)
        if trees is not None:
            sentences = _with_trees(sentences, name, trees)
        # Links are read first, since parsing takes longer.
        links = self._links(alignments, sentences, name)
        return self._annotate(sentences, name), links

    def _links(self, path: Path, sentences: Treebank, name: str) -> Alignments:
        if self.reverse:
            return self._read_links(path, sentences, name, "target").transpose()
        try:
            return self._read_links(path, sentences, name, "source")
        except InputError as error:
            try:
                reversed_links = self._read_links(path, sentences, name, "target").transpose()
            except InputError:
                raise error from None
            # If many lines fit only in this direction, the links are target-source.
            ends = (reversed_links.target, reversed_links.source, reversed_links.offsets)
            if not describe_swapped_sides(ends, (sentences.lengths, None), 0, "")[0]:
                raise
            note(
                f"{display_name(path)}: the links fit {name} only as target-source, so they are "
                "reversed (--reverse does so without this note)"
            )
            return reversed_links

    def _read_links(self, path: Path, sentences: Treebank, name: str, side: str) -> Alignments:
        """Read links; `side`, "source" or "target", is the side of the sentences."""
        with AlignmentReader(
            path,
            format=self.alignment_format,
            format_option="--alignment-format",
            one_based=self.one_based,
            sentences=len(sentences),
            strict=self.strict,
            **{f"{side}_name": name},
        ) as reader:
            lengths = {f"{side}_lengths": sentences.lengths}
            links = reader.take(len(sentences) + 1, **lengths)
            if len(links) != len(sentences):
                raise line_count_mismatch(reader.name, len(links), name, len(sentences))
        return links

    def _annotate(self, sentences: Treebank, name: str) -> Treebank:
        """Return the sentences with the tags or trees that are needed."""
        if self.reads == "trees":
            if sentences.has_trees and self.parser is None:
                return sentences
            from wordorder.parsing.pipeline.file_parser import parsed_by

            return parsed_by(self.parser or DEFAULT_PARSER, sentences, name=name)
        if self.tagger is not None:
            from wordorder.parsing.pipeline.loading import open_tagger

            return open_tagger(self.tagger).tag(sentences)
        return sentences


@dataclass(frozen=True, kw_only=True)
class OrderData:
    """The sentences and word alignments from which an order is learned.

    Attributes
    ----------
    text : path
        The source side: tokenised text, one sentence per line; or CoNLL-U.
    alignments : path
        Its links with a translation, one row per sentence.
    trees : path, optional
        The trees of `text`, in CoNLL-U.
    parser : path or name, optional
        The parser of `text`, also used wherever the model is used. Without `trees` and `parser`
        the trees of CoNLL-U are used; text is parsed by the model ``en``, except for
        ``bracketing``, which then reads words alone. Text in another language than English is not
        parsed: ``auto`` and ``consensus`` then read words alone, and ``linear`` is refused.
    tagger : path or name, optional
        For ``bracketing`` without trees: the tagger of `text`, also used with the model.
    reverse : bool
        The links are target-source: `text` is their second text. Links that fit only in this
        direction are reversed with a note.
    rule, unaligned, links
        How links become orders, as in `order_examples`; by default ``topdown-btg``, which drops
        unaligned words.
    dev : pair of paths, optional
        A text and its alignments on which the model is scored.
    add : sequence of (text, alignments, weight)
        Further data, each sentence of which counts as `weight` sentences.
    alignment_format, one_based, strict
        How alignments are read, as in `wordorder.alignment.read_alignments`.
    """

    text: Path
    alignments: Path
    trees: Path | None = None
    parser: Path | None = None
    tagger: Path | None = None
    reverse: bool = False
    rule: str | None = None
    unaligned: str | None = None
    links: str = "all"
    dev: tuple[Path, Path] | None = None
    add: Sequence[tuple[Path, Path, float]] = ()
    alignment_format: str = "auto"
    one_based: bool = False
    strict: bool = False

    def sources(self, reads: str) -> AnnotationSources:
        """Return the reader of the sentences, for a model that needs this annotation."""
        shared = {field.name for field in fields(self)} & {
            field.name for field in fields(AnnotationSources)
        }
        return AnnotationSources(reads, **{name: getattr(self, name) for name in shared})

    @property
    def names(self) -> list[str]:
        """The names of all texts that the model learns from."""
        return [display_name(self.text), *(display_name(text) for text, _, _ in self.add)]


@dataclass(frozen=True)
class OrderCorpus:
    """The sentences that a training reads.

    Attributes
    ----------
    main : OrderExamples
        Examples of the main text.
    other_treatment : OrderExamples
        The same sentences with the other treatment of unaligned words.
    examples : OrderExamples
        All examples to learn from, those of further data included.
    dev, dev_other : OrderExamples, optional
        The same of the development part.
    reads : {"words", "tags", "trees"}
        The annotation that the model reads.
    is_parsed : bool
        Whether a parser makes the trees.
    """

    main: OrderExamples
    other_treatment: OrderExamples
    examples: OrderExamples
    dev: OrderExamples | None
    dev_other: OrderExamples | None
    reads: str
    is_parsed: bool


def read_corpus(
    data: OrderData,
    model: str,
    settings: Mapping[str, Any] | None,
    report: Callable[[OrderExamples, str, str], None],
) -> OrderCorpus:
    """Read the sentences of a training, with the annotation that its model needs.

    Parameters
    ----------
    data : OrderData
    model : str
        The kind of model, or ``auto``.
    settings : mapping, optional
        Options of the learner; members of a consensus say whether it needs trees.
    report : callable
        Takes the examples of each text, with the names of text and alignments.

    Raises
    ------
    InputError
        If a file cannot be read, or `dev` has no sentence with a reference order.
    UsageError
        If options contradict each other, or a model needs trees that it cannot have.
    """
    reads = needed_annotation(model, trees=data.trees, parser=data.parser, tagger=data.tagger)
    is_parsed = data.parser is not None or (
        reads == "trees" and data.trees is None and _was_parsed(data.text)
    )
    if is_parsed and data.parser is None:
        is_parsed = is_parseable(data.text, model, settings)
        reads = "trees" if is_parsed else "own"
    sources = data.sources("words" if reads == "own" else reads)
    treebank, alignments = sources.read(data.text, data.alignments, trees=data.trees)
    main = sources.make_examples(treebank, alignments)
    if reads == "own":
        reads = own_columns(treebank)
    example_sets = [main]
    report(main, display_name(data.text), display_name(data.alignments))
    for text, links, weight in data.add:
        example_sets.append(sources.examples(text, links, weight=weight))
        report(example_sets[-1], display_name(text), display_name(links))
    read_texts = list(zip(data.names, (part.treebank for part in example_sets), strict=True))
    dev = dev_other = None
    if data.dev is not None:
        dev_part = sources.read(*data.dev)
        dev = sources.make_examples(*dev_part)
        if not dev.ranked.any():
            problem = f"no sentence with a reference order under {dev.rule}/{dev.unaligned}"
            raise InputError(
                display_name(data.dev[1]), problem, "at least one to score the model on"
            )
        dev_other = other_examples(*dev_part, dev, data.links)
        read_texts.append((display_name(data.dev[0]), dev_part[0]))
    for name, sentences in read_texts if model in (AUTO, *ORDER_KINDS.built_in) else []:
        with sentences_of(name, np.arange(len(sentences))):
            note_long(sentences.lengths)
    other_treatment = other_examples(treebank, alignments, main, data.links)
    return OrderCorpus(
        main, other_treatment, joined_examples(example_sets), dev, dev_other, reads, is_parsed
    )


def needed_annotation(
    model: str, *, trees: Path | None, parser: Path | None, tagger: Path | None
) -> str:
    """Return the annotation that a model reads: ``trees``, ``tags``, or ``own``.

    ``own`` is the annotation that the sentences have: *bracketing* can do with words alone.

    Raises
    ------
    UsageError
        If the options contradict each other.
    """
    if trees is not None and parser is not None:
        raise UsageError("--trees are trees already: --trees or --parser, not both")
    if tagger is not None and (trees is not None or parser is not None):
        raise UsageError("--tagger is for models without trees; a parser brings its own tagger")
    if trees is not None or parser is not None:
        return "trees"
    if tagger is not None:
        if model not in ("bracketing", AUTO):
            raise UsageError(f"{model} reads trees: --parser or --trees instead of --tagger")
        return "tags"
    if model != "bracketing":
        return "trees"
    return "own"


def own_columns(treebank: Treebank) -> str:
    """Return the annotation that the sentences have: ``trees``, ``tags`` or ``words``."""
    if treebank.words and treebank.has_trees:
        return "trees"
    tagged = treebank.upos.has_value().all() or treebank.xpos.has_value().all()
    return "tags" if treebank.words and tagged else "words"


def _with_trees(sentences: Treebank, name: str, trees: Path) -> Treebank:
    """Return the trees of sentences, read from a file with one tree per sentence."""
    treebank, trees_name = read_sentences(trees, kind="conllu")
    if len(treebank) != len(sentences):
        raise line_count_mismatch(trees_name, len(treebank), name, len(sentences))
    if not np.array_equal(treebank.lengths, sentences.lengths):
        row = int(np.argmax(treebank.lengths != sentences.lengths))
        raise InputError(
            f"{trees_name}: sentence {row + 1}",
            f"{treebank.lengths[row]} words",
            f"the {sentences.lengths[row]} words of {name}",
        )
    words = zip(treebank.form.strings(), sentences.form.strings(), strict=True)
    for index, (tree_word, word) in enumerate(words):
        # Spaces inside words become no-break spaces in lines of text.
        if tree_word.replace(" ", "\u00a0") != word.replace(" ", "\u00a0"):
            row, _ = row_and_entry(treebank.offsets, index)
            raise InputError(
                f"{trees_name}: sentence {row + 1}",
                f"the word {tree_word!r}",
                f"{word!r}, as in {name}",
            )
    if not treebank.has_trees:
        row, _ = row_and_entry(treebank.offsets, int(np.argmax(treebank.heads == NO_HEAD)))
        raise InputError(f"{trees_name}: sentence {row + 1}", "no tree", "a head for each word")
    return treebank


def name_of(path: Path | None) -> str | None:
    """Return the name of a model or file as it is kept in metadata."""
    return None if path is None else os.fspath(path)


def is_parseable(text: Path, model: str, settings: Mapping[str, Any] | None) -> bool:
    """Return whether the default parser knows the language of a text; note it if not.

    Raises
    ------
    UsageError
        If the parser does not know it, and the model needs trees.
    """
    from wordorder.parsing.language import LanguageCheck
    from wordorder.parsing.pipeline.loading import open_parser

    pipeline = open_parser(DEFAULT_PARSER)
    check = LanguageCheck.of(pipeline.parser, pipeline.unknown)
    if check is None:
        return True
    check.add(read_sentences(text)[0].form)
    language_note = check.message(DEFAULT_PARSER)
    if not language_note:
        return True
    problem = f"{display_name(text)}: {language_note}"
    members = (settings or {}).get("members", {})
    if model not in (AUTO, "consensus") or set(members) - set(TREELESS):
        raise UsageError(
            f"{problem}. {'A member' if members else model} reads trees: --parser=MODEL for its "
            "language, --trees=FILE, or --model=bracketing, which reads words alone"
        )
    note(
        f"{problem}. Without --parser the model reads words alone (--parser=MODEL or --trees=FILE "
        "gives it trees)"
    )
    return False


def _was_parsed(text: Path) -> bool:
    """Whether sentences without trees were parsed by the default model."""
    with SentenceReader(text) as reader:
        return reader.kind == "text" or not reader.take(1).has_trees
