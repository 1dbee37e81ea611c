"""Alignment of parallel text, word by word, with a model that is trained on it or loaded."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from inspect import signature
from itertools import starmap
from typing import Any, BinaryIO

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import Writer
from wordorder.alignment.reading import WRITERS, WRITTEN_LINES, write_alignments
from wordorder.alignment.statistical.aligner import StatisticalAligner, read_model
from wordorder.alignment.statistical.parallel_text import Rows
from wordorder.alignment.symmetrization import SYMMETRIZATION_METHODS
from wordorder.arrays import OnProgress
from wordorder.errors import UsageError, choose
from wordorder.options import take_options
from wordorder.progress import Progress, shows_progress
from wordorder.registry import Registry
from wordorder.text.lockstep import parallel_rows, read_parallel
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.text.preparation import Preparation
from wordorder.text.readers import word_reader

ALIGNERS = Registry(
    "aligner",
    "wordorder.aligners",
    {
        "agreement": "wordorder.alignment.statistical.aligner:AgreementAligner",
        "hmm": "wordorder.alignment.statistical.aligner:HMMAligner",
        "ibm1": "wordorder.alignment.statistical.aligner:IBMModel1",
    },
    needs=("train", "load"),
    class_methods=True,
    listed_by="wordorder list aligners",
)

# Notations in which a link can have a score.
SCORED_FORMATS = ("pharaoh", "pharaoh-reversed")


def _progress_arguments(line: Progress) -> dict[str, OnProgress]:
    """Return the argument `progress` that shows the sentence pairs processed."""
    return {"progress": lambda done: line.show("all passes", done, None)}


@shows_progress("sentence pairs", _progress_arguments)
def align(
    source: Rows,
    target: Rows,
    *,
    model: str = "agreement",
    symmetrize: str = "grow-diag-final-and",
    iterations: int | None = None,
    progress: OnProgress | None = None,
) -> Alignments:
    """Train a model on sentence pairs and align their words with it.

    Parameters
    ----------
    source, target : lines, rows of tokens, or Ragged of word numbers
        One row per sentence; in lines, words are separated by spaces.
    model : str
        ``agreement`` (the best), ``hmm``, ``ibm1``, or the name of an installed aligner.
    symmetrize : str
        How both directions are combined; see `wordorder.alignment.symmetrization.symmetrize`.
    iterations : int, optional
        Passes over the text; by default the model's own number.
    progress : callable, optional
        Called with the number of sentence pairs processed, in all passes together.

    Returns
    -------
    Alignments
        One row per sentence pair, 0-based; it has no links if a sentence is empty.

    Raises
    ------
    InputError
        If source and target have different numbers of rows, or a sentence pair is too long.
    UsageError
        If a name is unknown, `iterations` is not a whole number of at least 1, or `progress` cannot
        be called.

    Warns
    -----
    note
        Before training, if a sentence pair is so long that it takes a second or more.

    Notes
    -----
    The same text gives the same links with any number of threads; no step is random.
    Time and memory grow with the product of both lengths of a pair, summed over the pairs. Except
    with ``ibm1``, time grows with a further factor of the length, up to about two hundred words.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> [str(row) for row in align(source, target)]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """
    aligner_class = ALIGNERS.load(str(model))
    choose("symmetrize", symmetrize, SYMMETRIZATION_METHODS)
    trained = aligner_class.train(source, target, iterations=iterations, progress=progress)
    alignments: Alignments = trained.align(source, target, symmetrize=symmetrize)
    return alignments


def load_aligner(path: Path) -> StatisticalAligner:
    """Read a saved model of any kind.

    Raises
    ------
    ModelError
        If the file is not a model, or is damaged.
    UsageError
        If there is no such file, or no aligner of the model's kind is installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "en-de.model")
    >>> ALIGNERS.load("hmm").train(["a b"], ["x y"]).save(path)
    >>> load_aligner(path).name
    'hmm'
    """
    name, *aligner_state = read_model(path)
    aligner: StatisticalAligner = ALIGNERS.make(name, *aligner_state)
    return aligner


@dataclass(frozen=True)
class AlignedFiles:
    """Counts of the sentence pairs and links of two aligned files.

    Attributes
    ----------
    sentence_pairs : int
    links : int
    without_links : int
        Sentence pairs without a link, including those with an empty sentence.
    """

    sentence_pairs: int
    links: int
    without_links: int


@dataclass(frozen=True, kw_only=True)
class AlignerRecipe:
    """The type of model to train on two files, and its training options.

    Attributes
    ----------
    model, iterations
        See `align`.
    lowercase : bool
        Whether to ignore case, also when a saved model is used later.
    """

    model: str = "agreement"
    iterations: int | None = None
    lowercase: bool = False


def align_with_options(**options: Any) -> AlignedFiles:
    """Call `align_files` with the options of `AlignerRecipe` as plain keyword arguments."""
    recipe = AlignerRecipe(**take_options(options, AlignerRecipe))
    return align_files(**options, recipe=recipe)


@shows_progress("sentence pairs", _progress_arguments)
def align_files(
    source: Path,
    target: Path,
    output: Path,
    *,
    recipe: AlignerRecipe | None = None,
    save: Path | None = None,
    load: Path | None = None,
    symmetrize: str = "grow-diag-final-and",
    format: str = "pharaoh",
    scores: bool = False,
    min_score: float | None = None,
    progress: OnProgress | None = None,
) -> AlignedFiles:
    """Align two files line by line, as `wordorder.align` does.

    Parameters
    ----------
    source, target : path or "-"
        Tokenised text, one sentence per line; or a treebank, ``.conllu``.
    output : path or "-"
        The file of the links, one line per sentence pair.
    recipe : AlignerRecipe, optional
        The model to train.
    save : path, optional
        Where to save the trained model.
    load : path, optional
        A saved model, used without training. `recipe` and `save` are then ignored, except that
        ``lowercase=True`` is an error if the model distinguishes case.
    symmetrize, progress
        See `wordorder.align`.
    format : str
        A notation of `wordorder.alignment.reading.write_alignments`.
    scores : bool
        Whether to write the probability that each link is right, ``i-j:0.93``, in Pharaoh's
        notation.
    min_score : float in [0, 1], optional
        Omit links with a lower score.

    Raises
    ------
    InputError
        If a file cannot be read, the numbers of lines differ, or a sentence pair is too long.
    ModelError
        If `load` is not a model.
    UsageError
        If a name is unknown, an output cannot be created, or case is to be ignored by a model that
        distinguishes it.
    """
    recipe = recipe or AlignerRecipe()
    choose("symmetrize", symmetrize, SYMMETRIZATION_METHODS)
    choose("format", format, tuple(WRITERS))
    if scores and format not in SCORED_FORMATS:
        raise UsageError(f"scores are written in {' and '.join(SCORED_FORMATS)}, not {format}")
    if min_score is not None and not 0 <= min_score <= 1:
        raise UsageError(f"min_score={min_score} is no number in [0, 1]")
    if save is not None and load is None:
        from wordorder.text.tensors import require_writable

        require_writable(save)
    aligner, case_mode = _open_aligner(recipe, load)
    preparation = Preparation(case=case_mode)
    align_options: dict[str, Any] = {"symmetrize": symmetrize}
    if scores or min_score is not None:
        if "scores" not in signature(aligner.align).parameters:
            raise UsageError(f"the model {aligner.name} gives no scores")
        align_options["scores"] = True

    def align_part(source: Any, target_lines: Any) -> Alignments:
        """Align sentence pairs in memory."""
        alignments: Alignments = aligner.align(source, target_lines, **align_options)
        if min_score is not None:
            alignments = alignments.at_least(min_score)
        if not scores:
            alignments.scores = None
        # The name in messages about rows that a format cannot represent.
        alignments.path = display_name(target)
        return alignments

    with word_reader(source) as source_reader, word_reader(target) as target_reader:
        if load is not None and format in WRITTEN_LINES:
            # No training needs all lines in memory, so they are aligned in parts.
            with write_output(output) as stream:
                chunks = parallel_rows([source_reader, target_reader])
                prepared_chunks = (
                    [preparation.normal(part.rows()) for part in chunk] for chunk in chunks
                )
                return _write_in_parts(
                    starmap(align_part, prepared_chunks), WRITTEN_LINES[format], stream
                )
        prepared = [
            preparation.normal(side) for side in read_parallel([source_reader, target_reader])
        ]
    if load is None:
        aligner = aligner.train(*prepared, iterations=recipe.iterations, progress=progress)
        if isinstance(aligner, StatisticalAligner):
            aligner = replace(aligner, case=case_mode)
        if save is not None:
            aligner.save(save)
    alignments = align_part(*prepared)
    write_alignments(alignments, output, format=format)
    return AlignedFiles(*_count_links(alignments))


def _open_aligner(recipe: AlignerRecipe, load: Path | None) -> tuple[Any, str]:
    """Return the aligner class to train, or the loaded aligner; and "lower" or "keep" for case."""
    if load is None:
        return ALIGNERS.load(recipe.model), "lower" if recipe.lowercase else "keep"
    aligner: Any = load_aligner(load)
    if recipe.lowercase and aligner.case != "lower":
        raise UsageError(f"{load} was trained on text with its case: align without --lowercase")
    return aligner, aligner.case


def _write_in_parts(parts: Iterable[Alignments], writer: Writer, stream: BinaryIO) -> AlignedFiles:
    """Write alignments part by part, and return their total counts."""
    counts = np.zeros(3, np.int64)
    for alignments in parts:
        alignments.first_line = int(counts[0]) + 1
        stream.write("".join(f"{row}\n" for row in writer.rows(alignments)).encode("utf-8"))
        counts += _count_links(alignments)
    return AlignedFiles(*counts.tolist())


def _count_links(alignments: Alignments) -> tuple[int, int, int]:
    """Return the numbers of sentence pairs, of links, and of pairs without a link."""
    return (
        len(alignments),
        len(alignments.source),
        int(np.count_nonzero(np.diff(alignments.offsets) == 0)),
    )
