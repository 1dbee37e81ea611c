"""Beginning a project from files, or going on with it if it was made from the same."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.people.items import annotation_items, control_items, rating_items, read_input
from wordorder.people.plan import NewProject, fewest_raters
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE, rating_protocol
from wordorder.scoring.files import Systems, named_paths
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name


def rating_project(
    output: Path,
    source: Path,
    reference: Path,
    systems: Systems,
    *,
    protocol: str,
    scale: Path | None = None,
    raters: int | None = None,
    ratings: int | None = None,
    max_share: float | None = None,
    words: str | None = None,
    control: Path | None = None,
    instructions: Path | None = None,
    seed: int = 12345,
) -> Project:
    """Make a project of ratings, or go on with it.

    Parameters
    ----------
    output : path
        The file of the project.
    source, reference : path
        Texts, one sentence per line.
    systems : path, sequence of path, or mapping of name to path
        Translations of the source.
    protocol : "talbot", "preference" or "scale"
    scale : path, optional
        The TOML file of protocol "scale".
    raters : int, optional
        As many as the protocol needs unless given.
    ratings, max_share : optional
        How many ratings an item has, and the largest share of the items of one rater, instead of
        what the protocol says.
    words : str, optional
        The fewest and the most words of a reference that is used: ``"15-30"``.
    control : path, optional
        For "preference": a table of items with known answers.
    instructions : path, optional
        A text in Markdown that raters read first.

    Raises
    ------
    UsageError
        If options contradict each other, raters are too few, or the project was made from
        something else.
    InputError
        If a file cannot be read, or they differ in length.
    """
    if control is not None and protocol != "preference":
        raise UsageError(f"--control: protocol {protocol} has no items with known answers")
    named = named_paths(systems)
    given, right = read_input("SOURCE", source), read_input("REFERENCE", reference)
    outputs = [(name, read_input(f"system {name}", path)) for name, path in named]
    said = "" if instructions is None else _text(instructions)
    limits: dict[str, Any] = {"scale": scale, "ratings": ratings, "max_share": max_share}
    asked = rating_protocol(protocol, instructions=said, **limits)
    items = rating_items(given, right, outputs, asked.outputs, words=_range(words))
    inputs = [given, right, *(text for _, text in outputs)]
    if raters is None:
        raters = fewest_raters(len(items), asked.ratings, asked.max_share)
    if control is not None:
        items += control_items(control)
        inputs.append(read_input("--control", control))
    options = "" if words is None else " ".join(["--words", words])
    new = NewProject(asked, items, raters, seed=seed, inputs=inputs, options=options)
    return Project.begin(output, new)


def annotation_project(
    output: Path,
    source: Path,
    target: Path | None = None,
    *,
    alignments: Path | None = None,
    raters: int = 1,
    instructions: Path | None = None,
    seed: int = 12345,
) -> Project:
    """Make a project of alignments, or go on with it.

    Parameters
    ----------
    output : path
        The file of the project.
    source, target : path
        Tokenised texts, one sentence per line; without a target, annotators translate.
    alignments : path, optional
        Links that are shown as suggestions, in any notation.
    raters : int
        Annotators; each aligns all sentences.
    instructions : path, optional
        A text in Markdown, the guideline of the project, above what the page says itself.

    Raises
    ------
    UsageError
        If the project was made from something else.
    InputError
        If a file cannot be read, or they differ in length.
    """
    inputs = [read_input("SOURCE", source)]
    given = None if target is None else read_input("TARGET", target)
    items = annotation_items(inputs[0], given, alignments)
    inputs += [] if given is None else [given]
    if alignments is not None:
        inputs.append(read_input("--alignments", alignments))
    if not items:
        raise InputError(display_name(source), "no sentence", "one sentence per line")
    said = "" if instructions is None else _text(instructions)
    asked = replace(ANNOTATE, instructions=said)
    return Project.begin(output, NewProject(asked, items, raters, seed=seed, inputs=inputs))


def continued_project(
    path: Path, *, add: int = 0, revoke: Sequence[str] = (), renew: Sequence[str] = ()
) -> Project:
    """Open a project, and change who may take part.

    Parameters
    ----------
    path : path
    add : int
        How many raters come.
    revoke, renew : sequence of str
        Names of raters whose link is closed, or takes the place of the old one.

    Raises
    ------
    InputError
        If it is no project, of another version, or a file that it was made of has changed.
    UsageError
        If there is no rater of a name; then nothing has changed.
    """
    with Project.open(path).kept() as project:
        known = [rater.name for rater in project.raters()]
        for name in (*revoke, *renew):
            if name not in known:
                raise unknown_name("rater", name, known)
        for name in revoke:
            project.revoke(name)
        for name in renew:
            project.renew(name)
        if add:
            project.add_raters(add)
    return project


def _range(words: str | None) -> tuple[int, int] | None:
    """Return the fewest and the most words.

    Examples
    --------
    >>> _range("15-30")
    (15, 30)
    """
    if words is None:
        return None
    least, dash, most = words.partition("-")
    if not (dash and least.isdecimal() and most.isdecimal() and int(least) <= int(most)):
        raise UsageError(f"--words={words}; expected the fewest and the most, such as 15-30")
    return int(least), int(most)


def _text(path: Path) -> str:
    lines = list(read_lines(path))
    if not any(map(str.strip, lines)):
        raise InputError(display_name(path), "no text", "instructions")
    return "\n".join(lines)
