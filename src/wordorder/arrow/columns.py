"""Columns of text, integers or lists as numpy arrays, without copying where the layout allows."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrow.interface import Owned, broken, buffer, imported
from wordorder.errors import InputError


def _table(entries: str) -> dict[str, str]:
    """Return what ``key=value key=value`` says."""
    return dict(entry.split("=") for entry in entries.split())


INTEGERS = _table("c=i1 C=u1 s=<i2 S=<u2 i=<i4 I=<u4 l=<i8 L=<u8")
# Types by the letters of the specification, as messages name them.
_NAMES = {letters: np.dtype(kind).name for letters, kind in INTEGERS.items()} | _table(
    "n=null b=bool u=string U=large_string vu=string_view z=binary Z=large_binary vz=binary_view "
    "e=float16 f=float32 g=float64 +m=map +l=list +L=large_list +vl=list_view "
    "+vL=large_list_view +r=run_end_encoded tdD=date32 tdm=date64"
)
# Those that begin with letters and say more.
_BEGINNINGS = _table(
    "d:=decimal w:=fixed_size_binary +w:=fixed_size_list +u=union tt=time ts=timestamp "
    "tD=duration ti=interval"
)
_OFFSETS = _table("u=<i4 U=<i8 +l=<i4 +L=<i8 +vl=<i4 +vL=<i8")
# What a string view holds itself, behind its length.
_INLINE = 12
_VIEW = 16


@dataclass(frozen=True)
class Column:
    """Rows of one type.

    Attributes
    ----------
    rows : int
    missing : bool[rows] or None
        Which rows are null; None where none is.
    """

    rows: int
    missing: npt.NDArray[np.bool_] | None

    def first_missing(self) -> int | None:
        """Return the first row that is null or holds a null."""
        return None if self.missing is None else int(np.argmax(self.missing))


@dataclass(frozen=True)
class TextColumn(Column):
    """Row ``i`` is ``data[starts[i]:stops[i]]``, in UTF-8 if the producer keeps its word.

    From `text_begins` on, `data` holds nothing but text.
    """

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    text_begins: int = 0


@dataclass(frozen=True)
class IntegerColumn(Column):
    """One integer per row."""

    values: npt.NDArray[Any]


@dataclass(frozen=True)
class ListColumn(Column):
    """Row ``i`` holds the items ``offsets[i] .. offsets[i+1]-1``."""

    offsets: npt.NDArray[np.int64]
    items: Column

    def first_missing(self) -> int | None:
        """Return the first row that is null or holds a null."""
        found = super().first_missing()
        inside = self.items.first_missing()
        if inside is not None:
            row = int(np.searchsorted(self.offsets, inside, side="right")) - 1
            found = row if found is None else min(row, found)
        return found


def read_column(given: Any, name: str, legal: str) -> Column:
    """Read a column without nulls; otherwise as `decoded_column`.

    Raises
    ------
    InputError
        Also if a row is null; the message names it, counted from 1.
    """
    column = decoded_column(given, name, legal)
    row = column.first_missing()
    if row is not None:
        where = f"{name}, row {row + 1}".removeprefix(", ")
        raise InputError(where, "a missing value (null)", "a value in each row")
    return column


def decoded_column(given: Any, name: str, legal: str) -> Column:
    """Read a column, all chunks of it.

    Parameters
    ----------
    given : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    name : str
        What messages call it; may be empty.
    legal : str
        What it may hold, for messages: "strings".

    Raises
    ------
    InputError
        If its type is none of text, integers and lists of such; the message names the type.
    """
    try:
        schema, chunks = imported(given, name)
        kind = schema.struct
        _check_type(kind, name, legal)
        parts = [_decoded(kind, c.struct, c, 0, int(c.struct.length)) for c in chunks]
    except InputError as error:
        raise error if error.where else InputError(name, error.what, error.expected) from None
    return _joined(parts) if parts else _empty(kind)


def type_name(kind: Any) -> str:
    """Return what messages call the type of a schema: ``list<int64>``."""
    letters = _letters(kind)
    if kind.dictionary:
        return f"dictionary<{type_name(kind.dictionary.contents)}>"
    name = _NAMES.get(letters) or next(
        (name for start, name in _BEGINNINGS.items() if letters.startswith(start)), letters
    )
    children = [kind.children[i].contents for i in range(kind.n_children)]
    if letters == "+s":
        return f"struct<{', '.join((child.name or b'').decode() for child in children)}>"
    return f"{name}<{', '.join(map(type_name, children))}>" if children else name


def _check_type(kind: Any, name: str, legal: str) -> None:
    """Raise unless the type is one that `_decoded` knows."""
    whole, letters = kind, _letters(kind)
    if letters == "+s":
        fields = [(kind.children[i].contents.name or b"").decode() for i in range(kind.n_children)]
        what = f"a table with the columns {', '.join(fields)}" if fields else "an empty table"
        raise InputError(name, what, f"one column of it, with {legal}")
    while _is_list(letters) and not kind.dictionary:
        if kind.n_children != 1 or not kind.children:
            raise broken(f"a list with {kind.n_children} types of items")
        kind = kind.children[0].contents
        letters = _letters(kind)
    if kind.dictionary:
        if letters not in INTEGERS:
            raise broken(f"a dictionary with indices of type {_NAMES.get(letters, letters)}")
        kind = kind.dictionary.contents
        letters = _letters(kind)
    if letters not in INTEGERS and letters not in ("n", "u", "U", "vu"):
        raise InputError(name, f"a column of type {type_name(whole)}", f"a column of {legal}")


def _letters(kind: Any) -> str:
    """Return the letters of a type; none if the producer gives none."""
    return (kind.format or b"").decode("ascii", "replace")


def _is_list(letters: str) -> bool:
    return letters in ("+l", "+L", "+vl", "+vL") or (
        letters.startswith("+w:") and letters[3:].isdecimal()
    )


def _decoded(kind: Any, array: Any, owner: Owned, first: int, count: int) -> Column:
    """Return `count` rows of an array from row `first` on."""
    letters = _letters(kind)
    place = int(array.offset) + first
    if min(first, count, int(array.offset)) < 0 or first + count > array.length:
        raise broken(f"rows {place} to {place + count} of {array.length}")
    if letters == "n":
        return _nulls(count)
    missing = _missing(owner, array, place, count)
    if kind.dictionary:
        indices = buffer(owner, array, 1, place, count, INTEGERS[letters])
        if not array.dictionary:
            raise broken("indices without a dictionary")
        known = array.dictionary.contents
        words = _decoded(kind.dictionary.contents, known, owner, 0, int(known.length))
        return _taken(words, indices, missing)
    if letters in INTEGERS:
        values = buffer(owner, array, 1, place, count, INTEGERS[letters])
        return IntegerColumn(count, missing, values)
    if letters == "vu":
        return _views(array, owner, place, count, missing)
    if letters in ("u", "U"):
        offsets = _offsets(owner, array, place, count, _OFFSETS[letters])
        begin, end = int(offsets[0]), int(offsets[-1])
        data = buffer(owner, array, 2, begin, end - begin, "u1")
        offsets = offsets - begin if begin else offsets
        return TextColumn(count, missing, data, offsets[:-1], offsets[1:])
    if array.n_children != 1 or not array.children:
        raise broken("a list without items")
    items, child = kind.children[0].contents, array.children[0].contents
    if letters.startswith("+w:"):
        size = int(letters[3:])
        offsets = np.arange(count + 1, dtype=np.int64) * size
        return ListColumn(
            count, missing, offsets, _decoded(items, child, owner, place * size, count * size)
        )
    if letters.startswith("+v"):
        starts = buffer(owner, array, 1, place, count, _OFFSETS[letters])
        sizes = buffer(owner, array, 2, place, count, _OFFSETS[letters])
        everything = _decoded(items, child, owner, 0, int(child.length))
        return _gathered(everything, starts, sizes, missing)
    offsets = _offsets(owner, array, place, count, _OFFSETS[letters])
    begin, end = int(offsets[0]), int(offsets[-1])
    return ListColumn(
        count,
        missing,
        offsets if begin == 0 else offsets - begin,
        _decoded(items, child, owner, begin, end - begin),
    )


def _missing(owner: Owned, array: Any, place: int, count: int) -> npt.NDArray[np.bool_] | None:
    """Return which rows are null, by the bitmap of those that are not."""
    if array.null_count == 0 or not count or not array.n_buffers or not array.buffers[0]:
        return None
    first = place // 8
    bits = buffer(owner, array, 0, first, (place + count + 7) // 8 - first, "u1")
    there = np.unpackbits(bits, bitorder="little")[place % 8 : place % 8 + count]
    return None if there.all() else there == 0


def _offsets(owner: Owned, array: Any, place: int, count: int, kind: str) -> npt.NDArray[np.int64]:
    """Return the ``count + 1`` offsets of rows; an empty array need not have any."""
    if not count:
        return np.zeros(1, np.int64)
    offsets = buffer(owner, array, 1, place, count + 1, kind).astype(np.int64, copy=False)
    if offsets[0] < 0 or (offsets[1:] < offsets[:-1]).any():
        raise broken("offsets that decrease or are negative")
    return offsets


def _views(
    array: Any, owner: Owned, place: int, count: int, missing: npt.NDArray[np.bool_] | None
) -> TextColumn:
    """Return strings that are kept as views: short ones in the view, long ones in other buffers."""
    raw = buffer(owner, array, 1, place * _VIEW, count * _VIEW, "u1")
    views = raw.view("<i4").reshape(count, 4)
    lengths = views[:, 0].astype(np.int64)
    starts = np.arange(count, dtype=np.int64) * _VIEW + 4
    if missing is not None:
        lengths[missing] = 0
        starts[missing] = 0
    long = np.flatnonzero(lengths > _INLINE)
    # A slice of a column has the buffers of all of it: only what its rows need is taken.
    others = max(int(array.n_buffers) - 3, 0) if len(long) else 0
    held = buffer(owner, array, 2 + others, 0, others, "<i8")
    low, high = np.full(others, np.iinfo(np.int64).max), np.zeros(others, np.int64)
    which, begins = views[long, 2], views[long, 3].astype(np.int64)
    outside = (which < 0) | (which >= others) | (begins < 0)
    if (lengths < 0).any() or outside.any() or (begins + lengths[long] > held[which]).any():
        raise broken("views of text that is not there")
    np.minimum.at(low, which, begins)
    np.maximum.at(high, which, begins + lengths[long])
    low = np.minimum(low, high)
    spans = zip(low.tolist(), (high - low).tolist(), strict=True)
    texts = [buffer(owner, array, 2 + i, a, size, "u1") for i, (a, size) in enumerate(spans)]
    bases = np.cumsum([len(raw), *map(len, texts)], dtype=np.int64)[:-1]
    starts[long] = (bases - low)[which] + begins
    data = np.concatenate([raw, *texts])
    return TextColumn(count, missing, data, starts, starts + lengths, len(raw))


def _taken(column: Column, rows: npt.NDArray[Any], missing: npt.NDArray[np.bool_] | None) -> Column:
    """Return rows of a column by their numbers, as a dictionary wants it."""
    numbers = rows.astype(np.int64)
    if missing is not None:
        numbers[missing] = 0
    if column.rows == 0 and len(numbers):
        return _nulls(len(numbers))
    if len(numbers) and (numbers.min() < 0 or numbers.max() >= column.rows):
        raise broken(f"indices outside of {column.rows} entries")
    if column.missing is not None:
        lost = column.missing[numbers]
        missing = lost if missing is None else lost | missing
        missing = missing if missing.any() else None
    if isinstance(column, TextColumn):
        starts, stops = column.starts[numbers], column.stops[numbers]
        return replace(column, rows=len(numbers), missing=missing, starts=starts, stops=stops)
    if isinstance(column, IntegerColumn):
        return IntegerColumn(len(numbers), missing, column.values[numbers])
    assert isinstance(column, ListColumn)
    sizes = np.diff(column.offsets)[numbers]
    return _gathered(column.items, column.offsets[numbers], sizes, missing)


def _gathered(
    items: Column,
    starts: npt.NDArray[Any],
    sizes: npt.NDArray[Any],
    missing: npt.NDArray[np.bool_] | None,
) -> ListColumn:
    """Return lists whose items begin anywhere."""
    lengths = sizes.astype(np.int64)
    if missing is not None:
        lengths[missing] = 0
    if (lengths < 0).any():
        raise broken("lists of negative length")
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    places = np.arange(int(offsets[-1])) + np.repeat(starts - offsets[:-1], lengths)
    return ListColumn(len(lengths), missing, offsets, _taken(items, places, None))


def _joined(parts: Sequence[Any]) -> Column:
    """Put the chunks of a column one behind the other."""
    if len(parts) == 1:
        return parts[0]  # type: ignore[no-any-return]  # a column
    first = parts[0]
    rows = sum(part.rows for part in parts)
    missing = None
    if any(part.missing is not None for part in parts):
        missing = np.concatenate(
            [np.zeros(p.rows, np.bool_) if p.missing is None else p.missing for p in parts]
        )
    if isinstance(first, IntegerColumn):
        return IntegerColumn(rows, missing, np.concatenate([part.values for part in parts]))
    if isinstance(first, ListColumn):
        before = np.cumsum([0, *(part.items.rows for part in parts)])
        moved = [part.offsets[1:] + shift for part, shift in zip(parts, before, strict=False)]
        offsets = np.concatenate([np.zeros(1, np.int64), *moved])
        return ListColumn(rows, missing, offsets, _joined([part.items for part in parts]))
    return _joined_text(parts, rows, missing)


def _joined_text(
    parts: Sequence[TextColumn], rows: int, missing: npt.NDArray[np.bool_] | None
) -> TextColumn:
    """Put strings one behind the other: first all that is no text, then all that is."""
    views = np.cumsum([0, *(part.text_begins for part in parts)])
    sizes = [len(part.data) - part.text_begins for part in parts]
    texts = np.cumsum([int(views[-1]), *sizes])
    starts, stops = [], []
    for number, part in enumerate(parts):
        inline = part.starts < part.text_begins
        shift = np.where(inline, views[number], texts[number] - part.text_begins)
        starts.append(part.starts + shift)
        stops.append(part.stops + shift)
    data = [part.data[: part.text_begins] for part in parts]
    data += [part.data[part.text_begins :] for part in parts]
    return TextColumn(
        rows,
        missing,
        np.concatenate(data),
        np.concatenate(starts),
        np.concatenate(stops),
        int(views[-1]),
    )


def _empty(kind: Any) -> Column:
    """Return a column without rows."""
    letters = _letters(kind)
    if kind.dictionary:
        return _empty(kind.dictionary.contents)
    if letters in INTEGERS:
        return IntegerColumn(0, None, np.zeros(0, np.int64))
    if _is_list(letters):
        return ListColumn(0, None, np.zeros(1, np.int64), _empty(kind.children[0].contents))
    return _nulls(0)


def _nulls(rows: int) -> TextColumn:
    """Return rows of no type, all of them null."""
    missing = np.ones(rows, np.bool_) if rows else None
    places = np.zeros(rows, np.int64)
    return TextColumn(rows, missing, np.zeros(0, np.uint8), places, places)
