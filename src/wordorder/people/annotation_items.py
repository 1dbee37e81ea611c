"""What is annotated: sentences, their translations if there are any, and suggested links."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from wordorder.alignment.reading import read_alignments
from wordorder.errors import InputError, UsageError
from wordorder.people.items import InputText, Item
from wordorder.text.lines import line_count_mismatch, tokens
from wordorder.text.opening import Path, display_name

_RIGHT_TO_LEFT = {"R", "AL"}


def annotation_items(
    source: InputText, target: InputText | None = None, alignments: Path | None = None
) -> list[Item]:
    """Return the sentences that annotators align, one an item.

    Parameters
    ----------
    source : InputText
        Tokens separated by blanks; annotators can split and join them.
    target : InputText, optional
        Translations; without it, annotators type them.
    alignments : path, optional
        Links to start from, in any notation; shown as suggestions.

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
    if target is not None and len(target.lines) != len(source.lines):
        raise line_count_mismatch(
            display_name(source.path),
            len(source.lines),
            display_name(target.path),
            len(target.lines),
        )
    sources = [tokens(line) for line in source.lines]
    targets = None if target is None else [tokens(line) for line in target.lines]
    suggested = _suggested(alignments, sources, targets)
    directions = {
        "source": direction(source.lines),
        "target": "auto" if target is None else direction(target.lines),
    }
    return [
        Item(
            line,
            {
                "source": words,
                "target": None if targets is None else targets[line - 1],
                "direction": directions,
                "suggestions": suggested[line - 1],
            },
        )
        for line, words in enumerate(sources, 1)
    ]


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
) -> list[list[list[int | str]]]:
    """Return the links of each sentence as pages take them."""
    if path is None:
        return [[] for _ in sources]
    if targets is None:
        raise UsageError(f"{display_name(path)}: links need a TARGET to point to")
    alignments = read_alignments(
        path,
        source_lengths=[len(words) for words in sources],
        target_lengths=[len(words) for words in targets],
    )
    if len(alignments) != len(sources):
        raise InputError(
            display_name(path),
            f"{len(alignments)} alignments for {len(sources)} sentences",
            "one alignment a sentence",
        )
    return [
        [[s, t, "possible" if (s, t) in pair.possible else "sure"] for s, t in pair.links]
        for pair in alignments
    ]
