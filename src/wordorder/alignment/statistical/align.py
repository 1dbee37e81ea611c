"""Aligning the words of parallel text with a model that is trained on it."""

from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import WRITERS, WRITTEN_LINES, write_alignments
from wordorder.alignment.statistical.aligner import StatisticalAligner, read_model
from wordorder.alignment.statistical.parallel_text import Rows
from wordorder.alignment.symmetrization import METHODS
from wordorder.arrays import OnProgress
from wordorder.errors import UsageError, choose
from wordorder.progress import Progress, shows_progress
from wordorder.registry import Registry
from wordorder.text.lockstep import parallel_rows, read_parallel
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.text.preparation import Preparation
from wordorder.text.readers import word_reader


def _progress_arguments(line: Progress) -> dict[str, OnProgress]:
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
    """Train a model on sentence pairs and link their words with it.

    Parameters
    ----------
    source, target : lines, rows of tokens, or Ragged of word numbers
        One row per sentence; in lines, words are separated by blanks.
    model : str
        ``agreement`` (the best), ``hmm``, ``ibm1``, or the name of one that is installed.
    symmetrize : str
        How the two directions are joined; see `wordorder.alignment.symmetrization.symmetrize`.
    iterations : int, optional
        Passes over the text; without it, as many as the model is tuned for.
    progress : callable, optional
        Told how many sentence pairs have been worked through, all passes together.

    Returns
    -------
    Alignments
        One row per sentence pair, 0-based; without links where a side is empty.

    Raises
    ------
    InputError
        If the columns differ in length or a sentence pair is too long.
    UsageError
        If a name is unknown, `iterations` is not a whole number of at least 1, or `progress` cannot
        be called.

    Warns
    -----
    WordOrderWarning
        Before the work, if a sentence pair is so long that it takes a second or more.

    Notes
    -----
    The same text gives the same links, with any number of threads: nothing is drawn at random.
    Time and memory grow with the sum over the pairs of the product of both lengths; the time of
    all but ``ibm1`` with another length, up to some two hundred words.

    Examples
    --------
    >>> source, target = ["the house", "the book", "a book"], ["das haus", "das buch", "ein buch"]
    >>> [str(row) for row in align(source, target)]
    ['0-0 1-1', '0-0 1-1', '0-0 1-1']
    """
    chosen = ALIGNERS.load(str(model))
    choose("symmetrize", symmetrize, METHODS)
    trained = chosen.train(source, target, iterations=iterations, progress=progress)
    alignments: Alignments = trained.align(source, target, symmetrize=symmetrize)
    return alignments


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


def load_aligner(path: Path) -> StatisticalAligner:
    """Read a model that was saved, of whatever kind.

    Raises
    ------
    ModelError
        If the file is no model, or damaged.
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
    name, *learned = read_model(path)
    aligner: StatisticalAligner = ALIGNERS.make(name, *learned)
    return aligner


# In which a link can have a score.
SCORED_FORMATS = ("pharaoh", "pharaoh-reversed")


@dataclass(frozen=True)
class AlignedFiles:
    """What was aligned.

    Attributes
    ----------
    sentence_pairs : int
    links : int
    without_links : int
        Sentence pairs without a link, those with an empty side included.
    """

    sentence_pairs: int
    links: int
    without_links: int


@shows_progress("sentence pairs", _progress_arguments)
def align_files(
    source: Path,
    target: Path,
    output: Path,
    *,
    model: str = "agreement",
    symmetrize: str = "grow-diag-final-and",
    iterations: int | None = None,
    lowercase: bool = False,
    save: Path | None = None,
    load: Path | None = None,
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
        Where the links go, one line per sentence pair.
    model, symmetrize, iterations, progress
        As `wordorder.align` takes them.
    lowercase : bool
        Whether to forget case first; a saved model does what was done to its own text.
    save : path, optional
        Where the trained model goes.
    load : path, optional
        A saved model, which is used as it is; `model`, `iterations` and `save` do nothing then.
    format : str
        A notation of `wordorder.alignment.reading.write_alignments`.
    scores : bool
        Whether to write how probably each link is right, ``i-j:0.93``, in Pharaoh's notation.
    min_score : float in [0, 1], optional
        Leave out the links with a lower score.

    Raises
    ------
    InputError
        If a file cannot be read, the numbers of lines differ, or a sentence pair is too long.
    ModelError
        If `load` is no model.
    UsageError
        If a name is unknown, an output cannot be created, or `lowercase` is asked of a model that
        has learned upper and lower case apart.
    """
    choose("symmetrize", symmetrize, METHODS)
    choose("format", format, tuple(WRITERS))
    if scores and format not in SCORED_FORMATS:
        raise UsageError(f"scores are written in {' and '.join(SCORED_FORMATS)}, not {format}")
    if min_score is not None and not 0 <= min_score <= 1:
        raise UsageError(f"min_score={min_score} is no number in [0, 1]")
    if save is not None and load is None:
        from wordorder.text.tensors import require_writable

        require_writable(save)
    aligner: Any = ALIGNERS.load(model) if load is None else load_aligner(load)
    case = "lower" if lowercase else "keep"
    if load is not None:
        if lowercase and aligner.case != case:
            raise UsageError(f"{load} was trained on text with its case: align without --lowercase")
        case = aligner.case
    prepared = Preparation(case=case)
    align_options: dict[str, Any] = {"symmetrize": symmetrize}
    if scores or min_score is not None:
        if "scores" not in signature(aligner.align).parameters:
            raise UsageError(f"the model {aligner.name} gives no scores")
        align_options["scores"] = True

    def link(source: Any, target: Any) -> Alignments:
        alignments: Alignments = aligner.align(source, target, **align_options)
        if min_score is not None:
            alignments = alignments.at_least(min_score)
        if not scores:
            alignments.scores = None
        # Where a message says that a notation cannot write a row.
        alignments.path = display_name(target_name)
        return alignments

    target_name = target
    if load is not None and format in WRITTEN_LINES:
        # The model does not learn from these lines, so a part of them is in memory at a time.
        notation = WRITTEN_LINES[format]
        counts = np.zeros(3, np.int64)
        with (
            word_reader(source) as first,
            word_reader(target) as second,
            write_output(output) as out,
        ):
            for chunk in parallel_rows([first, second]):
                linked = link(*(prepared.normal(part.rows()) for part in chunk))
                linked.first_line = int(counts[0]) + 1
                out.write("".join(f"{row}\n" for row in notation.rows(linked)).encode("utf-8"))
                counts += _count_links(linked)
        return AlignedFiles(*counts.tolist())
    with word_reader(source) as first, word_reader(target) as second:
        sides = read_parallel([first, second])
    lines = [prepared.normal(side) for side in sides]
    if load is None:
        aligner = aligner.train(*lines, iterations=iterations, progress=progress)
        if isinstance(aligner, StatisticalAligner):
            aligner = replace(aligner, case=case)
        if save is not None:
            aligner.save(save)
    alignments = link(*lines)
    write_alignments(alignments, output, format=format)
    return AlignedFiles(*_count_links(alignments))


def _count_links(alignments: Alignments) -> tuple[int, int, int]:
    """Return the numbers of sentence pairs, of links, and of pairs without one."""
    return (
        len(alignments),
        len(alignments.source),
        int(np.count_nonzero(np.diff(alignments.offsets) == 0)),
    )
