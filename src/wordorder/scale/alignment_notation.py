"""The notation of files of alignments, which they show only at their beginning."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.alignment.notations import recognise
from wordorder.errors import UsageError
from wordorder.text.blocks import LineBlocks


def alignment_notation(paths: Sequence[str], given: str) -> str:
    """Return the notation of some files, or "auto" where none shows one.

    Raises
    ------
    UsageError
        If they are in several.
    """
    if given != "auto":
        return given
    shown: dict[str, str] = {}
    for path in paths:
        with LineBlocks(path) as blocks:
            found = recognise(blocks.take_ready(), blocks.name)
            if found is not None:
                shown.setdefault(found.name, path)
    if len(shown) > 1:
        both = " and ".join(f"{path} ({name})" for name, path in shown.items())
        raise UsageError(f"alignments are in several notations: {both}; spans need one (--engine)")
    return next(iter(shown), "auto")
