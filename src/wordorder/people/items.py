"""What is rated: sentences with the outputs of systems, and control items with known answers."""

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
from wordorder.messages import counted, note, percent
from wordorder.text.lines import tokens
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.text.readers import read_whole

CONTROL = ("source", "reference", "better", "worse", "explanation")


@dataclass(frozen=True)
class Output:
    """A translation by a system; of a control item also whether it is the better one."""

    system: str
    text: str
    better: bool | None = None


@dataclass(frozen=True)
class Item:
    """What one page asks about.

    Attributes
    ----------
    line : int
        Of the input, from 1; of a control item its number.
    content : dict
        What the page shows besides the outputs: ``source`` and ``reference``, or what an annotator
        gets.
    outputs : tuple of Output
    control : str, optional
        Of a control item the explanation of its answer.
    """

    line: int
    content: dict[str, Any]
    outputs: tuple[Output, ...] = ()
    control: str | None = None


@dataclass(frozen=True)
class InputText:
    """An input of a project: its lines, and how it is recognised later.

    Attributes
    ----------
    label : str
        What messages call it: "SOURCE".
    path : str
    lines : list of str
    """

    label: str
    path: str
    lines: list[str] = field(repr=False)

    @property
    def place(self) -> str:
        """Where it can be read again; empty if nowhere."""
        return os.path.abspath(self.path) if os.path.isfile(self.path) else ""

    @property
    def digest(self) -> str:
        """The SHA-256 of its lines, however the file is compressed and its lines end."""
        found = hashlib.sha256()
        for line in self.lines:
            found.update(line.encode() + b"\n")
        return found.hexdigest()


def read_input(label: str, path: Path) -> InputText:
    """Read an input of a project: lines of text, or the words of a treebank's sentences."""
    return InputText(label, os.fspath(path), read_whole(path).strings())


def _check_in_step(*texts: InputText) -> None:
    """Refuse two texts with other numbers of lines."""
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
    """Return what is rated of the outputs of systems.

    Parameters
    ----------
    source, reference : InputText
    systems : sequence of name and InputText
    outputs : "all", "pair" or "one"
        Whether an item has the outputs of all systems, of two, or of one. Of two systems with the
        same output nobody is asked which is better.
    words : tuple of int, optional
        The fewest and the most words of a reference that is used.

    Raises
    ------
    InputError
        If the numbers of lines differ.
    UsageError
        If nothing is left, or one system is given where two are compared.

    Examples
    --------
    >>> source, reference, a, b = (
    ...     InputText(name, name, [name + " one", name + " two"]) for name in ("s", "r", "a", "b"))
    >>> items = rating_items(source, reference, [("A", a), ("B", b)], "pair")
    >>> [(item.line, [output.text for output in item.outputs]) for item in items]
    [(1, ['a one', 'b one']), (2, ['a two', 'b two'])]
    """
    for text in (reference, *(text for _, text in systems)):
        _check_in_step(source, text)
    if outputs == "pair" and len(systems) < 2:
        raise UsageError("preferences are between two systems; give two or more with -i")
    items = []
    alike = left = 0
    both = zip(source.lines, reference.lines, strict=True)
    for line, (sentence, right) in enumerate(both, 1):
        if words is not None and not words[0] <= len(tokens(right)) <= words[1]:
            left += 1
            continue
        made = [Output(name, system.lines[line - 1]) for name, system in systems]
        size = {"all": len(made), "pair": 2, "one": 1}[outputs]
        for some in combinations(made, size):
            if outputs == "pair" and some[0].text == some[1].text:
                alike += 1
            else:
                items.append(Item(line, {"source": sentence, "reference": right}, some))
    if left and words is not None:
        share = percent(left, len(source.lines))
        what = f"left out {counted(left, 'sentence')} of {len(source.lines)} ({share})"
        note(f"{what}: references with other than {words[0]} to {words[1]} words")
    if alike:
        share = percent(alike, alike + len(items))
        note(f"left out {counted(alike, 'pair')} of equal outputs ({share}): nothing to prefer")
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
            both = (Output("better", better, True), Output("worse", worse, False))
            content = {"source": source, "reference": reference}
            items.append(Item(number, content, both, explanation))
    if not items:
        raise InputError(display_name(path), "no control item", "one or more after the header")
    return items


_RIGHT_TO_LEFT = {"R", "AL"}


def annotation_items(
    source: InputText, target: InputText | None = None, alignments: Path | None = None
) -> list[Item]:
    """Return the sentences that annotators align, one per item.

    Parameters
    ----------
    source : InputText
        Tokens separated by blanks; annotators can split and join them.
    target : InputText, optional
        Translations; without it, annotators type them.
    alignments : path, optional
        Links to start from, in any notation; shown as suggestions, with their scores.

    Raises
    ------
    InputError
        If the files are not in step, or a link points past its sentence.
    UsageError
        If there are links and no target.

    Examples
    --------
    >>> item = annotation_items(InputText("SOURCE", "", ["she sleeps"]))[0]
    >>> item.content["source"], item.content["target"], item.content["direction"]
    (['she', 'sleeps'], None, {'source': 'ltr', 'target': 'auto'})
    """
    if target is not None:
        _check_in_step(source, target)
    sources = [tokens(line) for line in source.lines]
    targets = None if target is None else [tokens(line) for line in target.lines]
    suggested = _suggested(alignments, sources, targets)
    given = "auto" if target is None else direction(target.lines)
    directions = {"source": direction(source.lines), "target": given}
    items = []
    for line, words in enumerate(sources, 1):
        content = {
            "source": words,
            "target": None if targets is None else targets[line - 1],
            "direction": directions,
            "suggestions": suggested[line - 1],
        }
        items.append(Item(line, content))
    return items


def direction(lines: Sequence[str]) -> str:
    """Return "rtl" if most letters of a text are written from right to left, else "ltr".

    Examples
    --------
    >>> direction(["שלום עולם (hello)"]), direction(["hello"]), direction([])
    ('rtl', 'ltr', 'ltr')
    """
    right = left = 0
    for line in lines:
        for letter in line:
            kind = unicodedata.bidirectional(letter)
            right += kind in _RIGHT_TO_LEFT
            left += kind == "L"
    return "rtl" if right > left else "ltr"


def _suggested(
    path: Path | None, sources: list[list[str]], targets: list[list[str]] | None
) -> list[list[list[int | str | float]]]:
    """Return the links of each sentence as pages take them."""
    if path is None:
        return [[] for _ in sources]
    if targets is None:
        raise UsageError(f"{display_name(path)}: links need a TARGET to point to")
    lengths = [[len(words) for words in side] for side in (sources, targets)]
    alignments = read_alignments(path, source_lengths=lengths[0], target_lengths=lengths[1])
    if len(alignments) != len(sources):
        what = f"{len(alignments)} alignments for {len(sources)} sentences"
        raise InputError(display_name(path), what, "one alignment a sentence")
    given = None if alignments.scores is None else alignments.scores.round(4).tolist()
    scores = iter(given) if given is not None else None
    found: list[list[list[int | str | float]]] = []
    for pair in alignments:
        kinds = {link: "possible" if link in pair.possible else "sure" for link in pair.links}
        found.append(
            [
                [*link, kinds[link], *([] if scores is None else [next(scores)])]
                for link in pair.links
            ]
        )
    return found
