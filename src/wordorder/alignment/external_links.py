"""Create alignments from the links of other aligners, in the usual Python forms."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments, Lengths
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.errors import InputError, UsageError, location, unknown_name
from wordorder.text.blocks import quoted

Link = tuple[int, int] | tuple[int, int, bool]


def from_links(
    rows: Iterable[Any],
    *,
    method: str | None = None,
    source_lengths: Lengths | None = None,
    target_lengths: Lengths | None = None,
    path: str = "links",
) -> Alignments:
    """Create alignments from the links of another aligner, one entry per sentence pair.

    Parameters
    ----------
    rows : iterable
        Each entry is a list, set or int[L, 2] array of ``(source, target)`` pairs, 0-based; a
        mapping with such pairs as keys, whose values are ignored; a string in the Pharaoh format;
        or a mapping from names of methods to any of these, as returned by `simalign`. A third
        element of a pair, True or False, is whether the link is possible instead of sure.
    method : str, optional
        The method to use; required if there are several.
    source_lengths, target_lengths : int64[S], optional
        The number of words of each sentence, against which links are checked.
    path : str
        The name of the links in messages.

    Returns
    -------
    Alignments
        The links of sets are sorted; others keep their order.

    Raises
    ------
    InputError
        At ``path:row`` for an entry of another form, or a link that is malformed, out of range or
        listed twice.
    UsageError
        If the method is unknown or required, or `rows` is a single entry or not a list.

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
        file_position = location(path, number)
        if isinstance(row, Mapping) and any(isinstance(key, str) for key in row):
            row = _select_method(row, method, file_position)
            by_method = True
        elif isinstance(row, Mapping) and not row and method is not None:
            raise InputError(file_position, "no methods", f"the links of {method!r}")
        links.append(_read_entry(row, file_position))
    if method is not None and links and not by_method:
        raise UsageError(f"method={method!r}, but the entries are not told apart by methods")
    return Alignments.from_rows(
        links, source_lengths=source_lengths, target_lengths=target_lengths, path=path
    )


def _select_method(row: Mapping[str, Any], method: str | None, file_position: str) -> Any:
    """Return the links of one method."""
    if not all(isinstance(name, str) for name in row):
        raise InputError(file_position, "names and links as keys", "either")
    if method is None:
        if len(row) > 1:
            raise UsageError(
                f"{file_position}: several methods; say which (method=): {', '.join(sorted(row))}"
            )
        return next(iter(row.values()))
    if method not in row:
        raise unknown_name("method", method, row)
    return row[method]


def _read_entry(row: Any, file_position: str) -> list[Link]:
    """Return the links of one entry."""
    if isinstance(row, str):
        return _read_line(row, file_position)
    if isinstance(row, np.ndarray):
        if row.ndim != 2 or row.shape[1] != 2 or row.dtype.kind not in "iu":
            problem = f"an array of shape {row.shape} and type {row.dtype}"
            raise InputError(file_position, problem, "whole numbers of shape (links, 2)")
        row = row.tolist()
    if isinstance(row, bytes) or not isinstance(row, Iterable):
        raise InputError(
            file_position, repr(row)[:30], "links: pairs (source, target), or Pharaoh's i-j"
        )
    links = [_check_link(link, file_position) for link in row]
    return sorted(links) if isinstance(row, (set, frozenset)) else links


def _check_link(link: Any, file_position: str) -> Link:
    """Return a link as a tuple, if it has two positions and perhaps a bool."""
    if isinstance(link, (tuple, list)) and len(link) in (2, 3):
        ends = [isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in link]
        # A third number would be a probability, not a mark of possible links.
        if all(ends[:2]) and (len(link) == 2 or isinstance(link[2], (bool, np.bool_))):
            return tuple(link)
    raise InputError(file_position, f"{repr(link)[:30]} is no link", "(source, target) positions")


def _read_line(line: str, file_position: str) -> list[Link]:
    """Return the links of a line in the Pharaoh format."""
    text = line.removesuffix("\n").removesuffix("\r").encode("utf-8", "replace")
    if b"\n" in text:
        raise InputError(file_position, "several lines", "one line per sentence pair")
    notation = Pharaoh()
    notation.scored = False
    parsed = notation.parse(np.frombuffer(text, np.uint8), 1 if text else 0)
    if parsed.bad >= 0 or parsed.possible is None:
        token = text[parsed.bad :].replace(b"\t", b" ").split(b" ")[0]
        raise InputError(file_position, f"{quoted(token)} is no link", notation.expected)
    columns = (parsed.source, parsed.target, parsed.possible)
    return list(zip(*(column.tolist() for column in columns), strict=True))
