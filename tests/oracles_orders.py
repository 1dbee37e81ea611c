"""Slow, obvious twins of the `.orders` reader and of the line reader."""

import re


def lines_of(data: bytes) -> list[bytes]:
    """Cut bytes into lines that keep their ends."""
    return re.findall(rb"[^\n]*\n|[^\n]+", data)


def order_line(line: bytes) -> list[list[int]] | int:
    """Return the groups of a line, or the column, from 1, of what is wrong with it."""
    if line.endswith(b"\r\n"):
        line = line[:-2]
    elif line.endswith(b"\n"):
        line = line[:-1]
    groups: list[list[int]] = []
    seen: set[int] = set()
    bad: int | None = None
    repeated: int | None = None
    for token in re.finditer(rb"[^ \t]+", line):
        group = []
        whole = re.fullmatch(rb"[0-9]+(,[0-9]+)*", token[0]) is not None
        if not whole or any(int(part) >= 1 << 24 for part in token[0].split(b",")):
            bad = token.start() + 1
            break
        for number in re.finditer(rb"[0-9]+", token[0]):
            if int(number[0]) in seen and repeated is None:
                repeated = token.start() + number.start() + 1
            seen.add(int(number[0]))
            group.append(int(number[0]))
        groups.append(group)
    if repeated is not None:
        return repeated
    return groups if bad is None else bad


def orders_file(data: bytes) -> list[list[list[int]]] | tuple[int, int]:
    """Return the groups of all lines, or line and column of the first mistake."""
    rows = []
    for number, line in enumerate(lines_of(data), 1):
        row = order_line(line)
        if isinstance(row, int):
            return number, row
        rows.append(row)
    return rows


def order_text(groups: list[list[int]]) -> bytes:
    """Write the groups of one order as a line."""
    return b" ".join(b",".join(b"%d" % p for p in group) for group in groups) + b"\n"
