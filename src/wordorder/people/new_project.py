"""Creates projects from files, or continues those that were made from the same files."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.people.contents import NewProject
from wordorder.people.items import annotation_items, control_items, rating_items, read_input
from wordorder.people.plan import fewest_raters
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE, Protocol, rating_protocol
from wordorder.scoring.files import Systems, named_paths
from wordorder.text.lines import read_lines
from wordorder.text.opening import Path, display_name


def read_protocol(name: str, *, instructions: Path | None = None, **settings: Any) -> Protocol:
    """Return the protocol of a project of ratings, with its instructions read from a file.

    Parameters
    ----------
    name : "talbot", "preference" or "scale"
    instructions : path, optional
        A text in Markdown that raters read first.
    settings
        Further parameters of `rating_protocol`.

    Raises
    ------
    UsageError
        As `rating_protocol`.
    InputError
        If a file cannot be read or is not valid.
    """
    text = "" if instructions is None else _read_instructions(instructions)
    return rating_protocol(name, instructions=text, **settings)


def rating_project(
    output: Path,
    source: Path,
    reference: Path,
    systems: Systems,
    protocol: Protocol,
    *,
    raters: int | None = None,
    words: str | None = None,
    control: Path | None = None,
    seed: int = 12345,
) -> Project:
    """Create a project of ratings, or continue it.

    Parameters
    ----------
    output : path
        The file of the project.
    source, reference : path
        Texts, one sentence per line.
    systems : path, sequence of path, or mapping of name to path
        Translations of the source.
    protocol : Protocol
        See `read_protocol`.
    raters : int, optional
        Number of raters; by default the fewest that the protocol needs.
    words : str, optional
        Minimum and maximum length of the references that are used: ``"15-30"``.
    control : path, optional
        For "preference": a table of items with known answers.

    Raises
    ------
    UsageError
        If options contradict each other, there are too few raters, or the project was made from
        other contents.
    InputError
        If a file cannot be read, or the texts differ in their numbers of lines.
    """
    if control is not None and protocol.name != "preference":
        raise UsageError(f"--control: protocol {protocol.name} has no items with known answers")
    system_paths = named_paths(systems)
    texts = [read_input("SOURCE", source), read_input("REFERENCE", reference)]
    outputs = [(name, read_input(f"system {name}", path)) for name, path in system_paths]
    rated = protocol.outputs
    items = rating_items(texts[0], texts[1], outputs, rated, words=_parse_range(words))
    inputs = [*texts, *(text for _, text in outputs)]
    if raters is None:
        raters = fewest_raters(len(items), protocol.ratings, protocol.max_share)
    if control is not None:
        items += control_items(control)
        inputs.append(read_input("--control", control))
    options = "" if words is None else " ".join(["--words", words])
    new = NewProject(protocol, items, raters, seed=seed, inputs=inputs, options=options)
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
    """Create a project of alignments, or continue it.

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
        A text in Markdown, the guideline of the project, shown above the page's own instructions.

    Raises
    ------
    UsageError
        If the project was made from other contents.
    InputError
        If a file cannot be read, or the texts differ in their numbers of lines.
    """
    inputs = [read_input("SOURCE", source)]
    target_text = None if target is None else read_input("TARGET", target)
    items = annotation_items(inputs[0], target_text, alignments)
    inputs += [] if target_text is None else [target_text]
    if alignments is not None:
        inputs.append(read_input("--alignments", alignments))
    if not items:
        raise InputError(display_name(source), "no sentence", "one sentence per line")
    text = "" if instructions is None else _read_instructions(instructions)
    protocol = replace(ANNOTATE, instructions=text)
    return Project.begin(output, NewProject(protocol, items, raters, seed=seed, inputs=inputs))


def continued_project(
    path: Path, *, add: int = 0, revoke: Sequence[str] = (), renew: Sequence[str] = ()
) -> Project:
    """Open a project, and add, revoke or renew raters.

    Parameters
    ----------
    path : path
    add : int
        Number of raters to add.
    revoke, renew : sequence of str
        Names of raters whose link is closed, or replaced by a new one.

    Raises
    ------
    InputError
        If the file is not a project, is of another version, or an input has changed since.
    UsageError
        If a rater does not exist; then nothing is changed.
    """
    with Project.open(path).closing_on_error() as project:
        names = [rater.name for rater in project.raters()]
        for name in (*revoke, *renew):
            if name not in names:
                raise unknown_name("rater", name, names)
        for name in revoke:
            project.revoke(name)
        for name in renew:
            project.renew(name)
        if add:
            project.add_raters(add)
    return project


def _parse_range(words: str | None) -> tuple[int, int] | None:
    """Return the minimum and the maximum number of words.

    Examples
    --------
    >>> _parse_range("15-30")
    (15, 30)
    """
    if words is None:
        return None
    minimum, dash, maximum = words.partition("-")
    if not (dash and minimum.isdecimal() and maximum.isdecimal() and int(minimum) <= int(maximum)):
        raise UsageError(f"--words={words}; expected the fewest and the most, such as 15-30")
    return int(minimum), int(maximum)


def _read_instructions(path: Path) -> str:
    lines = list(read_lines(path))
    if not any(map(str.strip, lines)):
        raise InputError(display_name(path), "no text", "instructions")
    return "\n".join(lines)
