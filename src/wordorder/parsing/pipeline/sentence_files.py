"""Parsing and tagging of a file, some sentences at a time."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.arrays import Int64, OnProgress
from wordorder.errors import UsageError, choose, whole_number
from wordorder.messages import counted, joined, percent
from wordorder.notes import note
from wordorder.parsing.base import KnowsWords, ListParser, Parser
from wordorder.parsing.given_tags import fill_tags, untagged, without_tags
from wordorder.parsing.language import LanguageCheck
from wordorder.parsing.pipeline.file_parser import FileParser
from wordorder.parsing.pipeline.loading import (
    MAX_BATCH_SENTENCES,
    MAX_PARTIAL_TREES,
    ParsingPipeline,
    open_parser,
    open_tagging,
    raw_tokenizers,
)
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.progress import shows_progress
from wordorder.text.opening import Path, estimate_source_rows
from wordorder.text.output import flush_answers, write_output
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestWriter
from wordorder.treebank.reading import TreebankWriter, sentences_of
from wordorder.treebank.treebank import Column, Treebank

# The columns that the option `keep` may name.
_KEEPABLE_COLUMNS = ("lemma", "feats")

# The maximum number of sentences in a batch that is tagged.
MAX_TAGGED_SENTENCES = 1 << 13


@dataclass(frozen=True)
class ParsedFile:
    """Counts of a parsed file.

    Attributes
    ----------
    sentences, words : int
    trees : int
        The number of trees written, more than `sentences` in lists of trees.
    empty_lines : int
        Lines of text without a word, which become sentences without words.
    """

    sentences: int
    words: int
    trees: int
    empty_lines: int


@shows_progress("sentences", total=estimate_source_rows)
def parse_files(
    model: Path,
    source: Path = "-",
    output: Path = "-",
    *,
    kind: str = "auto",
    tokenize: str | bool = "auto",
    beam: int | None = None,
    kbest: int | None = None,
    kbest_tags: int | None = None,
    tags: str = "auto",
    tagger: Path | None = None,
    keep: str = "",
    progress: OnProgress | None = None,
) -> ParsedFile:
    r"""Parse the sentences of a file; memory is bounded by a batch of them.

    Parameters
    ----------
    model : path or name
        See `wordorder.parsing.model_file.load_models`, or the name of another package's
        parser, ``udpipe:FILE``.
    source, kind
        See `SentenceReader`.
    tokenize : {"auto", "none", "model", "english"} or bool
        How raw text is split into words, see `raw_tokenizers`.
    output : path or "-"
        The output in CoNLL-U. Comments, ranges and MISC are kept; enhanced dependencies are
        removed, as are LEMMA and FEATS unless the model predicts them or `keep` names them.
    beam : int, optional
        The beam width of a transition parser; by default that of its training.
    kbest : int, optional
        Maximum number of distinct trees per sentence, with ``# rank`` and ``# score``.
    kbest_tags : int, optional
        The number of tag sequences per sentence that are parsed, with the same number of trees
        each; without `kbest`, the best tree over these sequences is written.
    tags : {"auto", "keep", "predict"}
        ``auto`` keeps the tags of the input that the model knows (see `ForeignTagFilter`) and
        predicts the others; ``keep`` predicts none, ``predict`` predicts all.
    tagger : path or name, optional
        A model whose tagger is used instead of that of `model`.
    keep : str
        Columns of the input that are kept although the model does not predict them: ``"lemma"``,
        ``"feats"`` or ``"lemma,feats"``.
    progress : callable, optional
        Called with the number of sentences parsed so far.

    Raises
    ------
    UsageError
        If the model does not exist or has no k-best lists, or the output cannot be created.
    ModelError
        If a model is damaged.
    InputError
        If the input cannot be read, or words have no tags and there is no tagger.

    Warns
    -----
    note
        If lines have no words, or words have no tags and `tags` is ``keep``; if tags of the file
        are used, or are unknown to the model; if columns are left out; if most words are unknown.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.parsing import ParserOptions, train_parser_files
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON", 2, "expl") + row.format(2, "rains", "VERB", 0, "root")
    ... )
    >>> options = ParserOptions(tagger="tnt")
    >>> _ = train_parser_files(folder / "train.conllu", folder / "en.model", options)
    >>> _ = (folder / "a.txt").write_text("it rains\nit snows\n")
    >>> parse_files(folder / "en.model", folder / "a.txt", folder / "a.conllu")
    ParsedFile(sentences=2, words=4, trees=2, empty_lines=0)
    >>> print((folder / "a.conllu").read_text().split("\n\n")[1])
    # sent_id = 2
    # text = it snows
    1	it	_	PRON	_	_	2	expl	_	_
    2	snows	_	VERB	_	_	0	root	_	_
    """
    opened = open_parser(model, tags=tags, tagger=tagger)
    name = os.fspath(model)
    if beam is not None:
        whole_number("a beam", beam)
        if not hasattr(opened.parser, "beam"):
            raise UsageError(f"{name}: this parser has no beam")
        opened.parser.beam = beam
    if kbest is not None:
        _check_lists(opened.parser, kbest, name)
    elif kbest_tags is not None:
        _check_lists(opened.parser, kbest_tags, name, "kbest_tags")
    # Besides the trees of the beam, those of a list are in memory.
    width = max(getattr(opened.parser, "beam", 1), 2 * (kbest or kbest_tags or 0))
    batch = max(1, min(MAX_BATCH_SENTENCES, MAX_PARTIAL_TREES // width))
    without_tags = 0
    columns = _LeftOutColumns(opened, keep)
    tokenizers = raw_tokenizers(tokenize, model, lambda: opened.tokenizer)
    with SentenceReader(source, kind=kind, **tokenizers) as reader:
        parser = FileParser(opened, reader.name)

        def parsed(sentences: Treebank, numbers: Int64) -> Treebank | KBest:
            nonlocal without_tags
            if tags == "keep" and not opened.learnt_tags():
                without_tags += int(untagged(sentences).sum())
            columns.count(sentences)
            if tags == "predict":
                sentences = columns.blank(sentences)
            if kbest is None and kbest_tags is None:
                return columns.blank(parser.parsed(sentences, numbers))
            sequences = kbest_tags or 1
            lists = parser.list_trees(sentences, numbers, kbest or sequences, sequences=sequences)
            lists = replace(lists, trees=columns.blank(lists.trees))
            return lists if kbest else lists.best()

        words, trees = _write_results(reader, batch, parsed, output, progress)
    parser.finish()
    if left_out := columns.message():
        note(f"{reader.name}: {left_out}")
    if without_tags:
        note(
            f"{reader.name}: {100 * without_tags / words:.0f} % of the words have no tags; "
            "--tags=auto predicts them"
        )
    return ParsedFile(reader.sentences - reader.before, words, trees, reader.empty_lines)


class _LeftOutColumns:
    """The columns of a file that the parser does not predict and that are not kept.

    They are removed because lemmas or features of a gold file in the output would be scored as if
    the parser had predicted them.
    """

    def __init__(self, opened: ParsingPipeline, keep: str) -> None:
        names = [name.strip().lower() for name in keep.split(",") if name.strip()]
        for name in names:
            choose("--keep", name, _KEEPABLE_COLUMNS)
        self._model = opened.name
        self._words = {name: 0 for name in opened.unpredicted_columns() if name not in names}
        self._total = 0

    def count(self, sentences: Treebank) -> None:
        """Count the words of further sentences with a value in these columns."""
        self._total += sentences.words
        for name in self._words:
            self._words[name] += int(sentences.columns[name].has_value().sum())

    def blank(self, sentences: Treebank) -> Treebank:
        """Return the sentences with ``_`` in these columns."""
        empty_column: Any = Column.filled(sentences.words)
        return sentences.replace(**dict.fromkeys(self._words, empty_column))

    def message(self) -> str:
        """Describe the columns that were left out; empty if these columns were empty."""
        names = [name for name in _KEEPABLE_COLUMNS if self._words.get(name)]
        if not names:
            return ""
        shares = joined(
            [f"{name.upper()} of {percent(self._words[name], self._total)}" for name in names]
        )
        option_hint = f"--keep={','.join(names)} keeps them"
        return (
            f"left out {shares} of the words: {self._model} does not predict them ({option_hint})"
        )


def _write_results(
    reader: SentenceReader,
    batch: int,
    process: Callable[[Treebank, Int64], Treebank | KBest],
    output: Path,
    progress: OnProgress | None,
) -> tuple[int, int]:
    """Process all sentences batch by batch, write the results, and count words and results."""
    words = results = 0
    with write_output(output) as out:
        trees_writer, lists_writer = TreebankWriter(out), KBestWriter(out)
        while len(sentences := reader.take(batch)):
            numbers = reader.sentences - len(sentences) + np.arange(len(sentences))
            batch_results = process(sentences, numbers)
            with sentences_of(reader.name, numbers):
                if isinstance(batch_results, KBest):
                    lists_writer.write(batch_results)
                else:
                    trees_writer.write(batch_results)
            words += sentences.words
            results += len(
                batch_results.trees if isinstance(batch_results, KBest) else batch_results
            )
            flush_answers(out)
            if progress is not None:
                progress(reader.sentences)
        note_empty_lines(reader)
    return words, results


def _check_lists(parser: Parser, size: int, name: str, option: str = "kbest") -> None:
    """Raise a UsageError if a list size is invalid, or the parser has no k-best lists."""
    whole_number(option, size)
    if not isinstance(parser, ListParser):
        raise UsageError(f"{name}: this parser has no k-best lists of trees")


@dataclass(frozen=True)
class TaggedFile:
    """Counts of a tagged file.

    Attributes
    ----------
    sentences, words : int
    empty_lines : int
        Lines of text without a word, which become sentences without words.
    """

    sentences: int
    words: int
    empty_lines: int


@shows_progress("sentences", total=estimate_source_rows)
def tag_files(
    model: Path,
    source: Path = "-",
    output: Path = "-",
    *,
    kind: str = "auto",
    tokenize: str | bool = "auto",
    kbest: int | None = None,
    tags: str = "predict",
    progress: OnProgress | None = None,
) -> TaggedFile:
    r"""Tag the sentences of a file; memory is bounded by a batch of them.

    Parameters
    ----------
    model : path or name
        The model whose tagger is used, see `wordorder.parsing.model_file.load_models`.
    source, kind
        See `SentenceReader`.
    tokenize : {"auto", "none", "model", "english"} or bool
        How raw text is split into words, see `raw_tokenizers`.
    output : path or "-"
        The output in CoNLL-U, with comments and all other columns of the input.
    kbest : int, optional
        Maximum number of tag sequences per sentence, with ``# rank`` and ``# score``.
    tags : {"predict", "auto"}
        ``predict`` replaces tags of the input; ``auto`` keeps them and predicts the missing ones.
    progress : callable, optional
        Called with the number of sentences tagged so far.

    Raises
    ------
    UsageError
        If the model does not exist or has no tagger, or the output cannot be created.
    ModelError
        If the model is damaged.
    InputError
        If the input cannot be read.

    Warns
    -----
    note
        If lines have no words, or most words are unknown to the tagger.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.parsing import TaggerOptions, train_tagger_files
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}" + "\t_" * 6 + "\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON") + row.format(2, "rains", "VERB")
    ... )
    >>> options = TaggerOptions(model="tnt")
    >>> _ = train_tagger_files(folder / "train.conllu", folder / "en.model", options)
    >>> _ = (folder / "a.txt").write_text("it rains\nrains\n")
    >>> tag_files(folder / "en.model", folder / "a.txt", folder / "a.conllu")
    TaggedFile(sentences=2, words=3, empty_lines=0)
    >>> print((folder / "a.conllu").read_text().split("\n\n")[1])
    # sent_id = 2
    # text = rains
    1	rains	_	VERB	_	_	_	_	_	_
    """
    tagger: Any
    tagger, loaded = open_tagging(model)
    if kbest is not None:
        whole_number("kbest", kbest)
    choose("tags", tags, ("predict", "auto"))
    if kbest is not None and tags == "auto":
        raise UsageError("lists of tags (kbest) have only predicted tags: use tags=predict")
    if kbest is not None and not hasattr(tagger, "kbest_tags"):
        raise UsageError(f"{model}: its tagger gives no lists of tags")
    # The share of unknown words was measured with all words of the treebank. A parser knows all of
    # them, a tagger perhaps only the frequent ones.
    if isinstance(loaded.parser, KnowsWords):
        language = LanguageCheck.of(loaded.parser, loaded.unknown)
    else:
        language = LanguageCheck.of(tagger, None)
    batch = max(1, MAX_TAGGED_SENTENCES // (kbest or 1))

    def tagged(sentences: Treebank, numbers: Int64) -> Any:
        if language is not None:
            language.add(sentences.form, sentences.offsets, numbers)
        if kbest is not None:
            return tagger.kbest_tags(sentences, kbest)
        if tags == "auto":
            return fill_tags(sentences, tagger)
        return tagger.tag(without_tags(sentences))

    tokenizers = raw_tokenizers(tokenize, model, lambda: loaded.tokenizer)
    with SentenceReader(source, kind=kind, **tokenizers) as reader:
        words, _ = _write_results(reader, batch, tagged, output, progress)
    if message := language and language.message(os.fspath(model)):
        note(f"{reader.name}: {message}")
    return TaggedFile(reader.sentences, words, reader.empty_lines)


def note_empty_lines(reader: SentenceReader) -> None:
    """Note lines without words, whose empty sentences not every tool can read."""
    if reader.empty_lines:
        lines = counted(reader.empty_lines, "empty line")
        note(f"{reader.name}: {lines} became sentences without words")
