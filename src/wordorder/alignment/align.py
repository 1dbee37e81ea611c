"""Aligning the words of parallel text with a model that is trained on it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments, Lengths
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.alignment.reading import WRITERS, WRITTEN_LINES, write_alignments
from wordorder.alignment.statistical.aligner import StatisticalAligner, read_model
from wordorder.alignment.statistical.parallel_text import Rows
from wordorder.alignment.symmetrization import METHODS
from wordorder.arrays import OnProgress
from wordorder.errors import InputError, UsageError, choose, location, unknown_name
from wordorder.progress import Progress, shows_progress
from wordorder.registry import Registry
from wordorder.text.blocks import quoted
from wordorder.text.lockstep import in_step, read_in_step
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.text.preparation import Preparation
from wordorder.text.readers import word_reader


def _told(line: Progress) -> dict[str, OnProgress]:
    return {"progress": lambda done: line.show("all passes", done, None)}


@shows_progress("sentence pairs", _told)
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


@shows_progress("sentence pairs", _told)
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
    wanted: dict[str, Any] = {"symmetrize": symmetrize}
    if scores or min_score is not None:
        if "scores" not in signature(aligner.align).parameters:
            raise UsageError(f"the model {aligner.name} gives no scores")
        wanted["scores"] = True

    def link(source: Any, target: Any) -> Alignments:
        found: Alignments = aligner.align(source, target, **wanted)
        if min_score is not None:
            found = found.at_least(min_score)
        if not scores:
            found.scores = None
        # Where a message says that a notation cannot write a row.
        found.path = display_name(target_name)
        return found

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
            for some in in_step([first, second]):
                found = link(*(prepared.normal(part.rows()) for part in some))
                found.first_line = int(counts[0]) + 1
                out.write("".join(f"{row}\n" for row in notation.rows(found)).encode("utf-8"))
                counts += _counted(found)
        return AlignedFiles(*counts.tolist())
    with word_reader(source) as first, word_reader(target) as second:
        sides = read_in_step([first, second])
    lines = [prepared.normal(side) for side in sides]
    if load is None:
        aligner = aligner.train(*lines, iterations=iterations, progress=progress)
        if isinstance(aligner, StatisticalAligner):
            aligner = replace(aligner, case=case)
        if save is not None:
            aligner.save(save)
    alignments = link(*lines)
    write_alignments(alignments, output, format=format)
    return AlignedFiles(*_counted(alignments))


def _counted(found: Alignments) -> tuple[int, int, int]:
    """Return the numbers of sentence pairs, of links, and of pairs without one."""
    return len(found), len(found.source), int(np.count_nonzero(np.diff(found.offsets) == 0))


Link = tuple[int, int] | tuple[int, int, bool]


def from_links(
    rows: Iterable[Any],
    *,
    method: str | None = None,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
    path: str = "links",
) -> Alignments:
    """Make alignments of the links that another aligner found, one entry per sentence pair.

    Parameters
    ----------
    rows : iterable
        Each entry is a list, set or int[L, 2] array of ``(source, target)`` pairs, 0-based; a
        mapping with such pairs as keys, whose values are left alone; a string in Pharaoh's
        notation; or a mapping from names of methods to any of these, as `simalign` returns it.
        A third element of a pair, True or False, says whether the link is only possible.
    method : str, optional
        Which method to take; needed where there are several.
    source_lengths, target_lengths : int64[S], optional
        Words of each sentence; links are then checked against them.
    path : str
        What messages call the links.

    Returns
    -------
    Alignments
        The links of sets ascend; others keep their order.

    Raises
    ------
    InputError
        At ``path:row`` for an entry that is none of these, a link that is none, out of range or
        twice there.
    UsageError
        If the method is unknown or must be named, or `rows` is a single entry or no list.

    Examples
    --------
    >>> rows = [{"inter": [(0, 0)], "itermax": [(0, 0), (1, 1)]}, {"inter": [], "itermax": []}]
    >>> [str(row) for row in from_links(rows, method="itermax")]
    ['0-0 1-1', '']
    >>> [str(row) for row in from_links([{(1, 0), (0, 1)}, "0-0 1p2"])]
    ['0-1 1-0', '0-0 1p2']
    """
    if isinstance(rows, (str, bytes, Mapping)) or not isinstance(rows, Iterable):
        raise UsageError(f"a single {type(rows).__name__} is no list with an entry a sentence pair")
    links = []
    by_method = False
    for number, row in enumerate(rows, 1):
        where = location(path, number)
        if isinstance(row, Mapping) and any(isinstance(key, str) for key in row):
            row = _of_method(row, method, where)
            by_method = True
        elif isinstance(row, Mapping) and not row and method is not None:
            raise InputError(where, "no methods", f"the links of {method!r}")
        links.append(_links(row, where))
    if method is not None and links and not by_method:
        raise UsageError(f"method={method!r}, but the entries are not told apart by methods")
    return Alignments.from_rows(
        links, source_lengths=source_lengths, target_lengths=target_lengths, path=path
    )


def _of_method(row: Mapping[str, Any], method: str | None, where: str) -> Any:
    """Return the links of one method."""
    if not all(isinstance(name, str) for name in row):
        raise InputError(where, "names and links as keys", "either")
    if method is None:
        if len(row) > 1:
            raise UsageError(
                f"{where}: several methods; say which (method=): {', '.join(sorted(row))}"
            )
        return next(iter(row.values()))
    if method not in row:
        raise unknown_name("method", method, row)
    return row[method]


def _links(row: Any, where: str) -> list[Link]:
    """Return the links of one entry."""
    if isinstance(row, str):
        return _of_text(row, where)
    if isinstance(row, np.ndarray):
        if row.ndim != 2 or row.shape[1] != 2 or row.dtype.kind not in "iu":
            what = f"an array of shape {row.shape} and type {row.dtype}"
            raise InputError(where, what, "whole numbers of shape (links, 2)")
        row = row.tolist()
    if isinstance(row, bytes) or not isinstance(row, Iterable):
        raise InputError(where, repr(row)[:30], "links: pairs (source, target), or Pharaoh's i-j")
    links = [_link(link, where) for link in row]
    return sorted(links) if isinstance(row, (set, frozenset)) else links


def _link(link: Any, where: str) -> Link:
    """Return a link as a tuple, if it has two ends and no more than a mark."""
    if isinstance(link, (tuple, list)) and len(link) in (2, 3):
        ends = [isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in link]
        # A third number would be a probability, which nobody should take for a mark.
        if all(ends[:2]) and (len(link) == 2 or isinstance(link[2], (bool, np.bool_))):
            return tuple(link)
    raise InputError(where, f"{repr(link)[:30]} is no link", "(source, target) positions")


def _of_text(line: str, where: str) -> list[Link]:
    """Return the links of a line in Pharaoh's notation."""
    text = line.removesuffix("\n").removesuffix("\r").encode("utf-8", "replace")
    if b"\n" in text:
        raise InputError(where, "several lines", "one line per sentence pair")
    notation = Pharaoh()
    notation.scored = False
    parsed = notation.parse(np.frombuffer(text, np.uint8), 1 if text else 0)
    if parsed.bad >= 0 or parsed.possible is None:
        token = text[parsed.bad :].replace(b"\t", b" ").split(b" ")[0]
        raise InputError(where, f"{quoted(token)} is no link", notation.expected)
    columns = (parsed.source, parsed.target, parsed.possible)
    return list(zip(*(column.tolist() for column in columns), strict=True))
