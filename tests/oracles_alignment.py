"""Slow, obvious twins of the alignment parsers, the link checks and the reference orders."""

import re
from collections.abc import Iterable
from itertools import pairwise

Link = tuple[int, int]


def pharaoh_line(line: bytes) -> list[tuple[int, int, bool]] | int:
    """Return the links of a line, or the byte (from 0) where the first bad token begins."""
    links = []
    for token in re.finditer(rb"[^ \t]+", line):
        match = re.fullmatch(rb"([0-9]+)([-p?])([0-9]+)", token.group())
        if match is None or int(match[1]) > 1 << 24 or int(match[3]) > 1 << 24:
            return token.start()
        links.append((int(match[1]), int(match[3]), match[2] != b"-"))
    return links


def talbot_line(line: bytes) -> tuple[list[Link], int] | int:
    """Return the links of a line and its target words, or where the first bad field begins."""
    if not line:
        return [], 0
    links = []
    start = 0
    fields = line.split(b",")
    for target, field in enumerate(fields):
        if re.fullmatch(rb"([0-9]+(_[0-9]+)*)?", field) is None:
            return start
        for number in re.findall(rb"[0-9]+", field):
            if int(number) > 1 << 24:
                return start
            links.append((int(number), target))
        start += len(field) + 1
    return links, len(fields)


def first_fault(links: Iterable[Link], source_length: int, target_length: int) -> int:
    """Return the number of the first link that is out of range or is listed twice, or -1."""
    seen: set[Link] = set()
    for number, (s, t) in enumerate(links):
        if not (0 <= s < source_length and 0 <= t < target_length) or (s, t) in seen:
            return number
        seen.add((s, t))
    return -1


def reference_groups(
    links: Iterable[Link], words: int, rule: str, unaligned: str
) -> list[list[int]]:
    """Place each word as the definition says, one after the other."""
    targets: dict[int, list[int]] = {}
    for s, t in links:
        targets.setdefault(s, []).append(t)
    order = sorted(targets, key=lambda s: (min(targets[s]), s))
    if unaligned == "next":
        for word in reversed(range(words)):
            if word not in targets:
                place = order.index(word + 1) if word + 1 < words else len(order)
                order.insert(place, word)
    elif unaligned == "previous":
        for word in range(words):
            if word not in targets:
                place = order.index(word - 1) + 1 if word > 0 else 0
                order.insert(place, word)
    if rule == "aligned":
        numbers = {word: number for number, word in enumerate(sorted(order))}
        return [[numbers[word]] for word in order]
    if rule == "lrscore":
        return [[word] for word in order]
    groups = []
    while order:
        size = 1
        if order[0] in targets:
            tied = [
                place
                for place, word in enumerate(order)
                if word in targets and min(targets[word]) == min(targets[order[0]])
            ]
            size = tied[-1] + 1
        groups.append(order[:size])
        order = order[size:]
    return groups


def is_contiguous(numbers: Iterable[int]) -> bool:
    """Say whether different numbers follow one another without a gap."""
    ordered = sorted(numbers)
    return all(b - a == 1 for a, b in pairwise(ordered))
