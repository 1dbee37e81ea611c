"""Items to rate or align: sentences with outputs of systems, and control items."""

import hashlib
import os
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from wordorder.alignment.reading import read_alignments
from wordorder.errors import InputError, UsageError
from wordorder.judgement.table_rows import TableRows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.text.lines import tokens
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.text.readers import read_whole

CONTROL = ("source", "reference", "better", "worse", "explanation")
# Bidirectional classes of letters that are written from right to left.
_RIGHT_TO_LEFT = {"R", "AL"}


@dataclass(frozen=True)
class Output:
    """A translation by a system; in a control item also whether it is the better one."""

    system: str
    text: str
    better: bool | None = None


@dataclass(frozen=True)
class Item:
    """The contents of one page: a sentence, and the outputs to rate.

    Attributes
    ----------
    line : int
        Line of the input, from 1; the number of a control item.
    content : dict
        What the page shows besides the outputs: ``source`` and ``reference``, or the data of
        `annotation_items`.
    outputs : tuple of Output
    control : str, optional
        The explanation of the answer to a control item; None for other items.
    """

    line: int
    content: dict[str, Any]
    outputs: tuple[Output, ...] = ()
    control: str | None = None


@dataclass(frozen=True)
class InputText:
    """An input of a project: its lines, and a digest by which it is recognised later.

    Attributes
    ----------
    label : str
        Name used in messages: "SOURCE".
    path : str
    lines : list of str
    """

    label: str
    path: str
    lines: list[str] = field(repr=False)

    @property
    def place(self) -> str:
        """Absolute path of the file; empty if it is not a regular file."""
        return os.path.abspath(self.path) if os.path.isfile(self.path) else ""

    @property
    def digest(self) -> str:
        """SHA-256 of the lines; it does not depend on compression or line ends."""
        digest = hashlib.sha256()
        for line in self.lines:
            digest.update(line.encode() + b"\n")
        return digest.hexdigest()


def read_input(label: str, path: Path) -> InputText:
    """Read an input of a project: lines of text, or the words of a treebank's sentences."""
    return InputText(label, os.fspath(path), read_whole(path).strings())


def _check_line_counts(*texts: InputText) -> None:
    """Refuse two texts with different numbers of lines."""
    names = [(display_name(text.path), len(text.lines)) for text in texts]
    if names[0][1] != names[1][1]:
        raise line_count_mismatch(*names[0], *names[1])


def rating_items(
    source: InputText,
    reference: InputText,
    systems: Sequence[tuple[str, InputText]],
    outputs: str = "all",
    *,
    words: tuple[int, int] | None = None,
) -> list[Item]:
    """Return the items to rate.

    Parameters
    ----------
    source, reference : InputText
    systems : sequence of name and InputText
    outputs : "all", "pair" or "one"
        Whether an item has the outputs of all systems, of two, or of one. Pairs of equal outputs
        are left out.
    words : tuple of int, optional
        Minimum and maximum length of the references that are used.

    Raises
    ------
    InputError
        If the texts differ in their numbers of lines.
    UsageError
        If no item remains, or there is one system where two are compared.

    Examples
    --------
    >>> source, reference, a, b = (
    ...     InputText(name, name, [name + " one", name + " two"]) for name in ("s", "r", "a", "b"))
    >>> items = rating_items(source, reference, [("A", a), ("B", b)], "pair")
    >>> [(item.line, [output.text for output in item.outputs]) for item in items]
    [(1, ['a one', 'b one']), (2, ['a two', 'b two'])]
    """
    for text in (reference, *(text for _, text in systems)):
        _check_line_counts(source, text)
    if outputs == "pair" and len(systems) < 2:
        raise UsageError("preferences are between two systems; give two or more with -i")
    items = []
    identical = filtered = 0
    sentence_pairs = zip(source.lines, reference.lines, strict=True)
    for line, (sentence, reference_line) in enumerate(sentence_pairs, 1):
        if words is not None and not words[0] <= len(tokens(reference_line)) <= words[1]:
            filtered += 1
            continue
        candidates = [Output(name, system.lines[line - 1]) for name, system in systems]
        size = {"all": len(candidates), "pair": 2, "one": 1}[outputs]
        for selection in combinations(candidates, size):
            if outputs == "pair" and selection[0].text == selection[1].text:
                identical += 1
            else:
                items.append(
                    Item(line, {"source": sentence, "reference": reference_line}, selection)
                )
    if filtered and words is not None:
        share = percent(filtered, len(source.lines))
        left_out = f"left out {counted(filtered, 'sentence')} of {len(source.lines)} ({share})"
        note(f"{left_out}: references with other than {words[0]} to {words[1]} words")
    if identical:
        share = percent(identical, identical + len(items))
        note(f"left out {counted(identical, 'pair')} of equal outputs ({share}): nothing to prefer")
    if not items:
        raise UsageError("nothing to rate: no sentence is left")
    return items


def control_items(path: Path) -> list[Item]:
    r"""Read control items: pairs of which the better output is known.

    A table with the columns source, reference, better, worse and explanation; raters who choose the
    worse output see the better one and the explanation.

    Raises
    ------
    InputError
        If a column is missing, or an output or the explanation is empty.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "control.tsv")
    >>> _ = path.write_text("\n".join("\t".join(row) for row in (
    ...     CONTROL, ("Hund", "dog", "dog", "cat", "A dog is no cat."))))
    >>> control_items(path)[0].control
    'A dog is no cat.'
    """
    items = []
    with TableRows(path) as rows:
        if missing := [name for name in CONTROL if name not in rows.header]:
            raise rows.error(f"no column {missing[0]}", f"the columns {', '.join(CONTROL)}")
        for number, cells in enumerate(rows.cells(*CONTROL), 1):
            source, reference, better, worse, explanation = cells
            for cell, name in ((better, "better"), (worse, "worse"), (explanation, "explanation")):
                rows.filled(cell, name)
            if better == worse:
                raise rows.error("better and worse are equal", "two outputs")
            outputs = (Output("better", better, True), Output("worse", worse, False))
            content = {"source": source, "reference": reference}
            items.append(Item(number, content, outputs, explanation))
    if not items:
        raise InputError(display_name(path), "no control item", "one or more after the header")
    return items


def annotation_items(
    source: InputText, target: InputText | None = None, alignments: Path | None = None
) -> list[Item]:
    """Return the sentences that annotators align, one per item.

    Parameters
    ----------
    source : InputText
        Tokens separated by spaces; annotators can split and join them.
    target : InputText, optional
        Translations; without it, annotators type them.
    alignments : path, optional
        Links to start from, in any notation; shown as suggestions, with their scores.

    Raises
    ------
    InputError
        If the files differ in their numbers of lines, or a link points past its sentence.
    UsageError
        If there are links, but no target.

    Examples
    --------
    >>> item = annotation_items(InputText("SOURCE", "", ["she sleeps"]))[0]
    >>> item.content["source"], item.content["target"], item.content["direction"]
    (['she', 'sleeps'], None, {'source': 'ltr', 'target': 'auto'})
    """
    if target is not None:
        _check_line_counts(source, target)
    sources = [tokens(line) for line in source.lines]
    targets = None if target is None else [tokens(line) for line in target.lines]
    suggestions = _read_suggestions(alignments, sources, targets)
    target_direction = "auto" if target is None else direction(target.lines)
    directions = {"source": direction(source.lines), "target": target_direction}
    items = []
    for line, words in enumerate(sources, 1):
        content = {
            "source": words,
            "target": None if targets is None else targets[line - 1],
            "direction": directions,
            "suggestions": suggestions[line - 1],
        }
        items.append(Item(line, content))
    return items


def direction(lines: Sequence[str]) -> str:
    """Return the direction of a text: "rtl" if most letters are written right to left, else "ltr".

    Examples
    --------
    >>> direction(["שלום עולם (hello)"]), direction(["hello"]), direction([])
    ('rtl', 'ltr', 'ltr')
    """
    right_to_left = left_to_right = 0
    for line in lines:
        for letter in line:
            bidirectional_class = unicodedata.bidirectional(letter)
            right_to_left += bidirectional_class in _RIGHT_TO_LEFT
            left_to_right += bidirectional_class == "L"
    return "rtl" if right_to_left > left_to_right else "ltr"


def _read_suggestions(
    path: Path | None, sources: list[list[str]], targets: list[list[str]] | None
) -> list[list[list[int | str | float]]]:
    """Return the suggested links of each sentence: source, target, type, and score if known."""
    if path is None:
        return [[] for _ in sources]
    if targets is None:
        raise UsageError(f"{display_name(path)}: links need a TARGET to point to")
    lengths = [[len(words) for words in side] for side in (sources, targets)]
    alignments = read_alignments(path, source_lengths=lengths[0], target_lengths=lengths[1])
    if len(alignments) != len(sources):
        problem = f"{len(alignments)} alignments for {len(sources)} sentences"
        raise InputError(display_name(path), problem, "one alignment a sentence")
    rounded = None if alignments.scores is None else alignments.scores.round(4).tolist()
    scores = iter(rounded) if rounded is not None else None
    suggestions: list[list[list[int | str | float]]] = []
    for pair in alignments:
        link_types = {link: "possible" if link in pair.possible else "sure" for link in pair.links}
        suggestions.append(
            [
                [*link, link_types[link], *([] if scores is None else [next(scores)])]
                for link in pair.links
            ]
        )
    return suggestions
