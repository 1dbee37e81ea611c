"""Translate lines and files."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import BinaryIO

from wordorder.alignment.pharaoh import Pharaoh
from wordorder.arrays import Float64, OnProgress
from wordorder.errors import UsageError
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.progress import shows_progress
from wordorder.text.opening import Path, estimate_source_rows
from wordorder.text.output import flush_answers, require_different, write_output
from wordorder.text.raw_lines import RawLines
from wordorder.text.readers import ConlluWordReader, TextReader, word_reader
from wordorder.training.tuning.nbest import ESCAPED, SEPARATOR
from wordorder.translation.decoder import DEFAULT_BEAM, Decoder, Translated
from wordorder.translation.language_model import as_raw
from wordorder.translation.model import FEATURES, TranslationModel

# The size of the first batch of lines, the growth factor of later ones, and the largest.
FEW, GROWTH, MANY = 16, 4, 1 << 12

Weights = Sequence[float] | Float64 | Path


@dataclass(frozen=True)
class TranslatedFile:
    """The size of a translated file.

    Attributes
    ----------
    lines, words : int
    unknown_words : int
        The number of words that are unknown to the model, which were copied.
    """

    lines: int
    words: int
    unknown_words: int


def translate(
    model: TranslationModel | Path,
    lines: RawLines | Sequence[str],
    *,
    weights: Weights | None = None,
    window: int | None = None,
    beam: int = DEFAULT_BEAM,
    nbest: int = 1,
) -> Translated:
    """Translate lines with a phrase-based model, after its preordering.

    Parameters
    ----------
    model : TranslationModel or path
    lines : lines
        Words separated by spaces.
    weights : float64[15], sequence or path, optional
        The weight of each of `wordorder.translation.model.FEATURES`, or a file of
        ``wordorder tune -o``; by default the model's.
    window, beam, nbest
        See `wordorder.translation.decoder.Decoder`.

    Returns
    -------
    Translated

    Raises
    ------
    UsageError
        If a number is out of its range, or a file does not exist.
    InputError
        If the names of the weights are not those of the features, or a line cannot be parsed.
    ModelError
        If the model, or the parser that it needs, cannot be used.

    Examples
    --------
    >>> from wordorder.translation import train_translation
    >>> english = ["the house", "the book", "a book", "a house"] * 3
    >>> spanish = ["la casa", "el libro", "un libro", "una casa"] * 3
    >>> model = train_translation(english, spanish)
    >>> translated = translate(model, ["a book", "", "the house !"])
    >>> translated.lines
    ['un libro', '', 'la casa !']
    >>> str(translated.alignments[2]), translated.unknown_words
    ('0-0 1-1 2-2', 1)
    """
    model = _opened(model)
    decoder = Decoder(model, weights=_weights(weights), window=window, beam=beam, nbest=nbest)
    raw = as_raw(lines)
    orders = None if model.preordering is None else model.preordering.orders(raw, "lines")
    return decoder.translate(raw, orders)


@shows_progress("sentences", total=estimate_source_rows)
def translate_files(
    model: TranslationModel | Path,
    source: Path = "-",
    output: Path = "-",
    *,
    weights: Weights | None = None,
    window: int | None = None,
    beam: int = DEFAULT_BEAM,
    nbest: int | None = None,
    nbest_output: Path | None = None,
    alignment_output: Path | None = None,
    progress: OnProgress | None = None,
) -> TranslatedFile:
    """Translate a file; memory is bounded by a batch of lines.

    Parameters
    ----------
    model, weights, window, beam
        See `translate`.
    source : path or "-"
        Text, one sentence per line, words separated by spaces; or a treebank, ``.conllu``. Lines
        without words stay empty.
    output : path or "-"
        The file of the translations; with `nbest` and without `nbest_output`, of the n-best lists.
    nbest : int, optional
        The maximum number of different translations per line in n-best lists, in Moses' format:
        ``0 ||| text ||| LM0= -9.5 ... ||| score ||| 0-0 1-2``. A line without words has one empty
        translation with 0 for each feature.
    nbest_output : path or "-", optional
        The file of the n-best lists, in addition to `output`.
    alignment_output : path or "-", optional
        The file of the links, one line per sentence in the Pharaoh format, with positions in the
        original source order and in the best translation.
    progress : callable, optional
        Called with the number of lines translated so far.

    Returns
    -------
    TranslatedFile

    Raises
    ------
    UsageError, InputError, ModelError
        As raised by `translate`; also if a file cannot be read or written.

    Warns
    -----
    note
        If words are unknown to the model, or ``|||`` is written as ``&#124;&#124;&#124;`` in the
        lists.
    """
    if nbest_output is not None and nbest is None:
        raise UsageError("nbest_output is for lists: say how many translations (nbest)")
    require_different(output, nbest_output, alignment_output)
    model = _opened(model)
    batch_size = max(1, MANY // (nbest or 1))
    decoder = Decoder(model, weights=_weights(weights), window=window, beam=beam, nbest=nbest or 1)
    done = words = unknown = lower = escaped = 0
    with ExitStack() as stack:
        reader = word_reader(source)
        stack.enter_context(reader)
        preorderer = model.preordering.begin(reader.name) if model.preordering else None
        out = stack.enter_context(write_output(output))
        lists = out if nbest_output is None else stack.enter_context(write_output(nbest_output))
        links = (
            None
            if alignment_output is None
            else stack.enter_context(write_output(alignment_output))
        )
        for lines in _batches(reader, batch_size):
            orders = None if preorderer is None else preorderer.orders(lines)
            translated = decoder.translate(lines, orders)
            if nbest is not None:
                _write(lists, translated.nbest_lines(done))
                escaped += sum(SEPARATOR in text for text in translated.texts)
            if lists is not out or nbest is None:
                _write(out, translated.lines)
            if links is not None:
                _write(links, Pharaoh().rows(translated.alignments))
            for stream in (out, lists, links):
                if stream is not None:
                    flush_answers(stream)
            done += len(lines)
            words += translated.source_words
            unknown += translated.unknown_words
            lower += translated.unknown_capitals
            if progress is not None:
                progress(done)
        if preorderer is not None:
            preorderer.finish()
    if escaped:
        note(
            f"{reader.name}: {counted(escaped, 'translation')} in the lists "
            f"{'has' if escaped == 1 else 'have'} {SEPARATOR}, which separates the fields of a "
            f"list: it is written as {ESCAPED} there"
        )
    if unknown:
        _tell_unknown(reader.name, unknown, words, lower)
    return TranslatedFile(done, words, unknown)


def _opened(model: TranslationModel | Path) -> TranslationModel:
    return model if isinstance(model, TranslationModel) else TranslationModel.load(model)


def _weights(weights: Weights | None) -> Sequence[float] | Float64 | None:
    """Return weights; read them if they are a path."""
    if isinstance(weights, str | os.PathLike):
        from wordorder.training.tuning.weights_file import read_start

        return read_start(weights, FEATURES)[0]
    return weights


def _batches(reader: TextReader | ConlluWordReader, batch_size: int) -> Iterator[RawLines]:
    """Yield batches of lines of growing size; text from a pipe is not waited for."""
    size = FEW
    while True:
        size = min(size, batch_size)
        prompt = {"prompt": True} if isinstance(reader, TextReader) else {}
        lines = reader.take(size, **prompt)
        if not len(lines):
            return
        yield lines
        size *= GROWTH


def _write(stream: BinaryIO, lines: Iterable[str]) -> None:
    stream.write("".join(f"{line}\n" for line in lines).encode())


def _tell_unknown(name: str, unknown: int, words: int, lower: int) -> None:
    """Write a note about unknown words, with a possible cause."""
    problem = (
        f"{name}: the model does not know {counted(unknown, 'word')} ({percent(unknown, words)}), "
        "which are copied"
    )
    if 2 * lower > unknown:
        note(
            f"{problem}; it knows {percent(lower, unknown)} of them in lower case: give it text in "
            "the case that it was trained on, or train it with --lowercase"
        )
    elif 10 * unknown > words:
        note(f"{problem}: was the text that it was trained on tokenised in the same way?")
    else:
        note(f"{problem}; more training text helps")
