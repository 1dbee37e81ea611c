"""Slow, obvious twins of monolingual alignment and of METEOR's score."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

# Reference start and length, hypothesis start and length, module.
Match = tuple[int, int, int, int, str]
Listed = list[Match]


def word_matches(
    hypothesis: Sequence[str], reference: Sequence[str], stem: Callable[[str], str] | None
) -> Listed:
    """All exact matches, then all stem matches; exact ones alone if the sentences are equal."""
    found: Listed = []
    for start, word in enumerate(reference):
        for at, other in enumerate(hypothesis):
            if word == other:
                found.append((start, 1, at, 1, "exact"))
    if stem is not None and list(hypothesis) != list(reference):
        for start, word in enumerate(reference):
            for at, other in enumerate(hypothesis):
                if word != other and stem(word) == stem(other):
                    found.append((start, 1, at, 1, "stem"))
    return found


def chunks(matches: Sequence[Match]) -> int:
    """Stretches that are unbroken on both sides, of matches in the order of the reference."""
    count = 0
    previous: Match | None = None
    for match in sorted(matches):
        start, _, at, _, _ = match
        joined = previous is not None and (
            previous[0] + previous[1] == start and previous[2] + previous[3] == at
        )
        count += not joined
        previous = match
    return count


def quality(matches: Sequence[Match]) -> tuple[float, int, int]:
    """What is compared, less being better: covered words, chunks, distances."""
    covered = sum((m[1] + m[3]) * (1.0 if m[4] == "exact" else 0.5) for m in matches)
    return -covered, chunks(matches), sum(abs(m[0] - m[2]) for m in matches)


def all_choices(listed: Sequence[Match]) -> Iterator[Listed]:
    """Yield all ways to choose matches that share no word."""
    if not listed:
        yield []
        return
    first, *rest = listed
    yield from all_choices(rest)
    yield from ([first, *more] for more in all_choices([m for m in rest if not overlap(first, m)]))


def overlap(one: Match, other: Match) -> bool:
    return bool(
        set(range(one[0], one[0] + one[1])) & set(range(other[0], other[0] + other[1]))
        or set(range(one[2], one[2] + one[3])) & set(range(other[2], other[2] + other[3]))
    )


def best_quality(listed: Sequence[Match]) -> tuple[float, int, int]:
    return min(quality(choice) for choice in all_choices(listed))


@dataclass
class Path:
    chosen: Listed = field(default_factory=list)
    total_left: float = 0.0
    total_right: float = 0.0
    chunks: int = 0
    distance: int = 0
    end: int | None = None
    upto: int = 0

    def key(self) -> tuple[float, int, int]:
        return -(self.total_left + self.total_right), self.chunks, self.distance

    def with_match(self, match: Match, java: bool) -> Path:
        start, length, at, covered, module = match
        weight = 1.0 if module == "exact" else 0.5
        left, right = self.total_left + covered * weight, self.total_right + length * weight
        if java:
            left, right = float(int(left)), float(int(right))
        broken = self.end is not None and self.end != at
        return Path(
            [*self.chosen, match],
            left,
            right,
            self.chunks + broken,
            self.distance + abs(start - at),
            at + covered,
            start + length,
        )


def choices(listed: Sequence[Match]) -> int:
    """In how many ways as many words of each class as possible match, if words match alone."""
    return math.prod(
        math.perm(max(count, len(words)), min(count, len(words)))
        for words, count in Counter(_partners(listed).values()).items()
    )


def _partners(listed: Sequence[Match]) -> dict[int, frozenset[int]]:
    """The hypothesis words of the class of each reference word."""
    starts = {match[0] for match in listed}
    return {s: frozenset(m[2] for m in listed if m[0] == s) for s in starts}


def beam_alignment(
    listed: Sequence[Match], hypothesis_length: int, reference_length: int, beam: int, java: bool
) -> Listed:
    """The beam search as its description reads, with nothing done for speed."""
    covers_left = [0] * hypothesis_length
    covers_right = [0] * reference_length
    for start, length, at, covered, _ in listed:
        for k in range(start, start + length):
            covers_right[k] += 1
        for k in range(at, at + covered):
            covers_left[k] += 1
    certain = {
        m[0]: m
        for m in listed
        if all(covers_right[k] == 1 for k in range(m[0], m[0] + m[1]))
        and all(covers_left[k] == 1 for k in range(m[2], m[2] + m[3]))
    }
    words_alone = not java and all(module in ("exact", "stem") for *_, module in listed)
    partners = _partners(listed)
    paths = [Path()]
    for position in range(reference_length):
        alike = partners.get(position)
        ahead = sum(at >= position and words == alike for at, words in partners.items())
        following = []
        for path in sorted(paths, key=Path.key)[:beam]:
            if path.upto > position:
                following.append(path)
            elif position in certain:
                following.append(path.with_match(certain[position], java))
            else:
                for match in listed:
                    if match[0] == position and not any(overlap(match, m) for m in path.chosen):
                        child = path.with_match(match, java)
                        if java:
                            child.distance, added = path.distance, child.distance - path.distance
                            path.distance += added
                        following.append(child)
                used = {match[2] for match in path.chosen}
                if words_alone and alike is not None and len(alike - used) >= ahead:
                    continue
                path.chunks += path.end is not None
                path.end = None
                path.upto = position + 1
                following.append(path)
        paths = following
    paths = sorted(paths, key=Path.key)[:beam]
    for path in paths:
        path.chunks += path.end is not None
    return min(paths, key=Path.key).chosen


def ss_permutation(matches: Sequence[Match]) -> list[int]:
    """Reference places in the order of the hypothesis, unmatched words left out."""
    read = [
        start + k
        for start, length, at, _, _ in sorted(matches, key=lambda m: m[2])
        for k in range(length)
    ]
    return [sorted(read).index(place) for place in read]


def score(
    matches: Sequence[Match],
    hypothesis: Sequence[str],
    reference: Sequence[str],
    parameters: tuple[float, float, float, float],
    weights: dict[str, float],
    function_words: Sequence[str] = (),
) -> float:
    """METEOR's score word by word."""
    alpha, beta, gamma, delta = parameters

    def importance(word: str) -> float:
        return 1 - delta if word in function_words else delta

    matched_left = sum(
        weights[m[4]] * sum(map(importance, hypothesis[m[2] :][: m[3]])) for m in matches
    )
    matched_right = sum(
        weights[m[4]] * sum(map(importance, reference[m[0] :][: m[1]])) for m in matches
    )
    if not matched_left or not matched_right:
        return 0.0
    precision = matched_left / sum(map(importance, hypothesis))
    recall = matched_right / sum(map(importance, reference))
    mean = 1 / ((1 - alpha) / precision + alpha / recall)
    covered_left, covered_right = sum(m[3] for m in matches), sum(m[1] for m in matches)
    fragmentation = chunks(matches) / ((covered_left + covered_right) / 2)
    if (covered_left, covered_right) == (len(hypothesis), len(reference)) and chunks(matches) == 1:
        fragmentation = 0.0
    return float(max(0.0, mean * (1 - gamma * fragmentation**beta)))
