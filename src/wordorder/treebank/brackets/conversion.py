"""Conversion of bracketed trees to dependencies."""

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import BinaryIO

import numpy as np

from wordorder.arrays import OnProgress
from wordorder.errors import InputError, UsageError, choose
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.progress import shows_progress
from wordorder.text.names import without_compression
from wordorder.text.opening import Path, display_name
from wordorder.text.output import write_output
from wordorder.treebank.brackets.heads import (
    STYLES,
    find_heads,
    is_punctuation_word,
    known_labels,
)
from wordorder.treebank.brackets.nbest import read_lists
from wordorder.treebank.brackets.phrase import Bracketed, Node, Phrase, phrases_of
from wordorder.treebank.brackets.relations import relation
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestWriter
from wordorder.treebank.reading import TreebankWriter
from wordorder.treebank.treebank import Margin, Treebank

_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}

# The number of unknown labels that a note names.
NAMED_LABELS = 5

# The number of trees in memory at a time, unless one sentence has more.
BATCH_TREES = 512


def dependencies(trees: Sequence[Node], *, style: str = "stanford") -> Treebank:
    r"""Convert phrase-structure trees to dependencies.

    Parameters
    ----------
    trees : sequence of Node
        With functions and empty elements, as in the Penn Treebank, or without, as in the output of
        parsers. Empty elements are left out; their functions determine the relations of question
        words and relative pronouns.
    style : {"stanford", "surface"}
        ``stanford``: content words are heads, with the labels of Stanford Dependencies.
        ``surface``: auxiliaries and complementizers are heads; labels are ``root``, ``punct`` and
        ``dep``.

    Returns
    -------
    Treebank
        A tree without words becomes a sentence without words. ``\/`` becomes ``/``, and ``-LRB-``
        becomes ``(``; tags are in ``xpos``.

    Raises
    ------
    UsageError
        If there is no such style.

    Examples
    --------
    >>> from wordorder.treebank.brackets.phrase import read_brackets
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.mrg")
    >>> _ = path.write_text("(S (NP (PRP It)) (VP (MD will) (VP (VB rain))) (. .))")
    >>> trees = [each.tree for each in read_brackets(path)]
    >>> bank = dependencies(trees)
    >>> bank.heads.tolist(), bank.label.strings()
    ([3, 3, 0, 3], ['nsubj', 'aux', 'root', 'punct'])
    >>> dependencies(trees, style="surface").heads.tolist()
    [2, 0, 2, 2]
    """
    choose("style", style, STYLES)
    words: list[list[str]] = []
    tags: list[list[str]] = []
    heads: list[list[int]] = []
    labels: list[list[str]] = []
    for tree in trees:
        leaves = tree.words()
        words.append([_unescape(leaf.word or "") for leaf in leaves])
        tags.append([leaf.category for leaf in leaves])
        arcs = _arcs(tree, style)
        heads.append([head for head, _ in arcs])
        labels.append([label for _, label in arcs])
    return Treebank.from_words(words, xpos=tags, heads=heads, label=labels)


def _arcs(tree: Node, style: str) -> list[tuple[int, str]]:
    """Return the head and the label of each word."""
    top = phrases_of(tree)
    if top is None:
        return []
    find_heads(top, style)
    arcs: dict[int, tuple[int, str]] = {top.lexical.place: (0, "root")}
    stack: list[tuple[Phrase, Phrase | None]] = [(top, None)]
    while stack:
        phrase, above = stack.pop()
        for part in phrase.parts:
            stack.append((part, phrase))
            if part is phrase.head:
                continue
            governor = part.governor or phrase
            label = (
                relation(part, phrase, above) if style == "stanford" else _surface_relation(part)
            )
            arcs[part.lexical.place] = governor.lexical.place, label
    return [arcs[place] for place in sorted(arcs)]


def _surface_relation(part: Phrase) -> str:
    return "punct" if is_punctuation_word(part.lexical.node) else "dep"


def _unescape(word: str) -> str:
    r"""Return a word without the escapes of bracketed trees.

    Examples
    --------
    >>> _unescape(r"1\/2"), _unescape("-LRB-")
    ('1/2', '(')
    """
    return _ESCAPES.get(word, word.replace("\\/", "/").replace("\\*", "*"))


@dataclass(frozen=True)
class ConvertedFiles:
    """Counts of converted files.

    Attributes
    ----------
    files, sentences, words : int
    without_words : int
        Trees without words, which are left out.
    unlabelled : int
        Words with the relation ``dep``, since it could not be determined.
    trees : int
        Trees written, more than `sentences` in lists of trees; `words` counts all of them.
    unsorted : int
        Lists that were not best first and were sorted.
    labels : int
        Occurrences of tags and categories.
    unknown_labels : Counter
        The frequency of labels that the Penn Treebank does not have.
    """

    files: int
    sentences: int
    words: int
    without_words: int
    unlabelled: int
    trees: int
    unsorted: int
    labels: int
    unknown_labels: Counter[str]


@shows_progress("sentences")
def convert_files(
    sources: Sequence[Path],
    output: Path = "-",
    *,
    heads: str = "stanford",
    progress: OnProgress | None = None,
) -> ConvertedFiles:
    r"""Convert files of bracketed trees to dependencies in CoNLL-U.

    Parameters
    ----------
    sources : sequence of paths
        Files of the Penn Treebank (``.mrg``) or of parsers, compressed or not; ``-`` is standard
        input. Their trees are written in this order. Lists of trees with scores
        (`wordorder.treebank.brackets.nbest.read_lists`) become lists in CoNLL-U, best first.
    output : path or "-"
        Each sentence gets a comment ``sent_id``: the name of its file and its number there. The
        trees of a list share it, and have ``rank`` and ``score``.
    heads : {"stanford", "surface"}
        See `wordorder.treebank.brackets.conversion.dependencies`.
    progress : callable, optional
        Called with the number of sentences converted so far.

    Raises
    ------
    UsageError
        If the style is unknown, there is no file, or the output cannot be created.
    InputError
        If a file cannot be read; at ``file:line`` if its brackets are wrong; if some files have
        lists and others have single trees.

    Warns
    -----
    note
        If trees have no words, the relation of words is not known, or lists were not best first.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.mrg").write_text("( (S (NP-SBJ (PRP It)) (VP (VBZ rains))) )\n")
    >>> done = convert_files([folder / "a.mrg"], folder / "a.conllu")
    >>> done.sentences, done.words
    (1, 2)
    >>> print((folder / "a.conllu").read_text().strip())
    # sent_id = a-1
    1	It	_	_	PRP	_	2	nsubj	_	_
    2	rains	_	_	VBZ	_	0	root	_	_
    """
    if not sources:
        raise UsageError("no file of trees; expected at least one")
    counts = Counter(files=len(sources))
    unknown: Counter[str] = Counter()
    has_scores: bool | None = None
    with write_output(output) as stream:
        for source in sources:
            name = _sentence_name(source)
            batch: list[list[Bracketed]] = []
            number = trees = 0
            for tree_list in read_lists(source):
                if has_scores not in (None, tree_list[0].score is not None):
                    kinds = "single trees", "lists of trees with scores"
                    problem = f"{kinds[not has_scores]} behind a file of {kinds[bool(has_scores)]}"
                    raise InputError(display_name(source), problem, "files of one kind")
                has_scores = tree_list[0].score is not None
                batch.append(tree_list)
                trees += len(tree_list)
                if trees >= BATCH_TREES:
                    counts.update(_convert_batch(batch, stream, heads, name, number, unknown))
                    number, batch, trees = number + len(batch), [], 0
                    if progress is not None:
                        progress(counts["sentences"])
            counts.update(_convert_batch(batch, stream, heads, name, number, unknown))
            if not number and not batch:
                note(f"{display_name(source)}: no trees")
        if progress is not None:
            progress(counts["sentences"])
    counts_of_files = ConvertedFiles(**counts, unknown_labels=unknown)
    _note_problems(counts_of_files, heads)
    return counts_of_files


def _convert_batch(
    batch: Sequence[list[Bracketed]],
    stream: BinaryIO,
    heads: str,
    name: str,
    lists_before: int,
    unknown: Counter[str],
) -> dict[str, int]:
    """Write some lists of trees and count them; `lists_before` lists of the file precede them."""
    # The sort is stable: trees with equal scores keep their order.
    best_first = [
        sorted(tree_list, key=lambda scored_tree: -(scored_tree.score or 0)) for tree_list in batch
    ]
    rows_with_words = [place for place, tree_list in enumerate(batch) if tree_list[0].tree.words()]
    trees = [scored_tree for place in rows_with_words for scored_tree in best_first[place]]
    bank = dependencies([scored_tree.tree for scored_tree in trees], style=heads)
    labels = [node.category for scored_tree in trees for node in scored_tree.tree.walk()]
    unknown.update(label for label in labels if label not in known_labels())
    sizes = [len(batch[place]) for place in rows_with_words]
    names = [f"# sent_id = {name}-{lists_before + place + 1}" for place in rows_with_words]
    margins = [
        Margin((name,)) for name, size in zip(names, sizes, strict=True) for _ in range(size)
    ]
    bank = replace(bank, margins=margins)
    scores = [scored_tree.score for scored_tree in trees if scored_tree.score is not None]
    if scores:
        KBestWriter(stream).write(KBest(bank, np.cumsum([0, *sizes]), np.array(scores)))
    else:
        TreebankWriter(stream).write(bank)
    return {
        "sentences": len(rows_with_words),
        "words": bank.words,
        "without_words": sum(map(len, batch)) - len(trees),
        "unlabelled": bank.label.strings().count("dep"),
        "trees": len(trees),
        "labels": len(labels),
        "unsorted": sum(a != b for a, b in zip(best_first, batch, strict=True)),
    }


def _sentence_name(source: Path) -> str:
    """Return the prefix of sentence names: the file's name without suffixes."""
    name = os.path.basename(without_compression(os.fspath(source)))
    return "stdin" if name == "-" else os.path.splitext(name)[0].replace(" ", "_")


def _note_problems(counts: ConvertedFiles, heads: str) -> None:
    """Note trees that were left out or sorted, and unknown labels and relations."""
    if counts.unsorted:
        were = "was" if counts.unsorted == 1 else "were"
        note(f"{counted(counts.unsorted, 'list')} of trees {were} not best first: sorted by score")
    if counts.without_words:
        is_single = counts.without_words == 1
        trees = "tree has no words and was" if is_single else "trees have no words and were"
        note(f"{counts.without_words} {trees} left out")
    if counts.unknown_labels:
        total = counts.unknown_labels.total()
        share = 100 * total / counts.labels
        names = ", ".join(label for label, _ in counts.unknown_labels.most_common(NAMED_LABELS))
        note(
            f"{total} of {counts.labels} tags and categories ({share:.1f} %) are not of the Penn "
            f"Treebank ({names}): heads and relations there are guesses"
        )
    if heads == "stanford" and counts.unlabelled:
        share = 100 * counts.unlabelled / counts.words
        words = f"{counts.unlabelled} of {counts.words} words ({share:.1f} %)"
        note(f"{words} have the label dep: unknown")
