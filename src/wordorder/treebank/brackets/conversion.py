"""From trees in brackets to dependencies."""

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
    is_punctuation,
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

# Unknown labels that the note names, the most frequent ones.
NAMED = 5

# Trees that are in memory at the same time, or those of one sentence.
_BATCH = 512


def dependencies(trees: Sequence[Node], *, style: str = "stanford") -> Treebank:
    r"""Convert phrase-structure trees to dependencies.

    Parameters
    ----------
    trees : sequence of Node
        With functions and empty elements as the Penn Treebank has them, or without, as parsers
        write them. Empty elements are left out; their functions tell what a question word or a
        relative pronoun is.
    style : {"stanford", "surface"}
        ``stanford``: words of content are heads, as in Stanford Dependencies, with their labels.
        ``surface``: auxiliaries and words that open a clause are heads; labels are ``root``,
        ``punct`` and ``dep``.

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
        words.append([_unescaped(leaf.word or "") for leaf in leaves])
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
    waiting: list[tuple[Phrase, Phrase | None]] = [(top, None)]
    while waiting:
        phrase, above = waiting.pop()
        for part in phrase.parts:
            waiting.append((part, phrase))
            if part is phrase.head:
                continue
            governor = part.governor or phrase
            label = relation(part, phrase, above) if style == "stanford" else _plain(part)
            arcs[part.lexical.place] = governor.lexical.place, label
    return [arcs[place] for place in sorted(arcs)]


def _plain(part: Phrase) -> str:
    return "punct" if is_punctuation(part.lexical.node) else "dep"


def _unescaped(word: str) -> str:
    r"""Return a word without the signs that the brackets need.

    Examples
    --------
    >>> _unescaped(r"1\/2"), _unescaped("-LRB-")
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
        Trees that hold nothing but empty elements; they are left out.
    unlabelled : int
        Words whose relation could not be told: ``dep``.
    trees : int
        More than sentences where these have lists of trees; their words all count.
    unsorted : int
        Lists that were not best first and are now.
    labels : int
        Tags of words and categories of phrases, each as often as it occurs.
    unknown_labels : Counter
        Those that the Penn Treebank does not have, and how often they occur.
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
    r"""Convert trees in brackets to dependencies in CoNLL-U.

    Parameters
    ----------
    sources : sequence of paths
        Files as the Penn Treebank has them (``.mrg``) and as parsers write them, compressed or not;
        ``-`` is standard input. Their trees are written in this order. Lists of trees with scores
        (`wordorder.treebank.brackets.nbest.read_lists`) become lists in CoNLL-U, best first.
    output : path or "-"
        Each sentence gets a comment ``sent_id``, the name of its file and its number there. The
        trees of a list have the same, with ``rank`` and ``score``.
    heads : {"stanford", "surface"}
        See `wordorder.treebank.brackets.conversion.dependencies`.
    progress : callable, optional
        Called with the number of sentences so far.

    Raises
    ------
    UsageError
        If there is no such style, no file, or the output cannot be created.
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
    scored: bool | None = None
    with write_output(output) as stream:
        for source in sources:
            name = _sentence_name(source)
            batch: list[list[Bracketed]] = []
            number = trees = 0
            for tree_list in read_lists(source):
                if scored not in (None, tree_list[0].score is not None):
                    kinds = "single trees", "lists of trees with scores"
                    problem = f"{kinds[not scored]} behind a file of {kinds[bool(scored)]}"
                    raise InputError(display_name(source), problem, "files of one kind")
                scored = tree_list[0].score is not None
                batch.append(tree_list)
                trees += len(tree_list)
                if trees >= _BATCH:
                    counts.update(_converted(batch, stream, heads, name, number, unknown))
                    number, batch, trees = number + len(batch), [], 0
                    if progress is not None:
                        progress(counts["sentences"])
            counts.update(_converted(batch, stream, heads, name, number, unknown))
            if not number and not batch:
                note(f"{display_name(source)}: no trees")
        if progress is not None:
            progress(counts["sentences"])
    done = ConvertedFiles(**counts, unknown_labels=unknown)
    _note(done, heads)
    return done


def _converted(
    batch: Sequence[list[Bracketed]],
    stream: BinaryIO,
    heads: str,
    name: str,
    number: int,
    unknown: Counter[str],
) -> dict[str, int]:
    """Write some lists of trees, and count them; `number` lists of their file are before them."""
    # The sort is stable: of equal scores the first one stays first.
    best_first = [sorted(tree_list, key=lambda each: -(each.score or 0)) for tree_list in batch]
    places = [place for place, tree_list in enumerate(batch) if tree_list[0].tree.words()]
    trees = [scored_tree for place in places for scored_tree in best_first[place]]
    bank = dependencies([scored_tree.tree for scored_tree in trees], style=heads)
    labels = [node.category for scored_tree in trees for node in scored_tree.tree.walk()]
    unknown.update(label for label in labels if label not in known_labels())
    sizes = [len(batch[place]) for place in places]
    names = [f"# sent_id = {name}-{number + place + 1}" for place in places]
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
        "sentences": len(places),
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


def _note(done: ConvertedFiles, heads: str) -> None:
    """Note the trees that are missing in the result, or in another order."""
    if done.unsorted:
        were = "was" if done.unsorted == 1 else "were"
        note(f"{counted(done.unsorted, 'list')} of trees {were} not best first: sorted by score")
    if done.without_words:
        is_single = done.without_words == 1
        trees = "tree has no words and was" if is_single else "trees have no words and were"
        note(f"{done.without_words} {trees} left out")
    if done.unknown_labels:
        total = done.unknown_labels.total()
        share = 100 * total / done.labels
        names = ", ".join(label for label, _ in done.unknown_labels.most_common(NAMED))
        note(
            f"{total} of {done.labels} tags and categories ({share:.1f} %) are not of the Penn "
            f"Treebank ({names}): heads and relations there are guesses"
        )
    if heads == "stanford" and done.unlabelled:
        share = 100 * done.unlabelled / done.words
        note(f"{done.unlabelled} of {done.words} words ({share:.1f} %) have the label dep: unknown")
