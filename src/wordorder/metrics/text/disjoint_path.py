"""From a path of the cover distance to one of the long jump distance."""

from __future__ import annotations

from dataclasses import replace

from wordorder.metrics.text.grid_path import GridPath, Step


def disjoint_path(path: GridPath) -> GridPath:
    """Change a path so that it takes every word of both sentences exactly once.

    The construction of Leusch, Ueffing and Ney (2006), figure 3. First, words that the path takes
    several times are left to one block of it; in the other ones they become insertions, and the
    jump to the block is moved. Then the words that the path never takes are deleted, one by one,
    before the block that follows them.

    Parameters
    ----------
    path : GridPath
        Such as one of `cover_paths`.

    Returns
    -------
    GridPath
        A path of the long jump distance, not always a cheapest one. It costs at most as much as
        the given one and its miscoverage together: the upper bound in the paper's equation 2.

    Notes
    -----
    A word stays with the block that begins furthest to the left; of those that begin together,
    with the longest, then the first. The others lose their first words, or all of them.

    Examples
    --------
    >>> from wordorder.metrics.text.cover_path import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["on tuesday on tuesday we met"], ["on tuesday we met"])
    >>> [path] = cover_paths(texts)
    >>> path, disjoint_path(path)
    (GridPath(1 jump, 4 matches: cost 1), GridPath(2 deletions, 4 matches: cost 2))
    """
    if path.jumps_in == "reference":
        return disjoint_path(path.turned()).turned()
    blocks = _taking_all(_taking_once(_blocks(path)), path)
    return _joined(blocks, path)


def read_in_reference(path: GridPath) -> GridPath:
    """Return the path with the same edits that jumps in the hypothesis, not in the reference.

    Parameters
    ----------
    path : GridPath
        With jumps in the reference, that takes every word of both sentences exactly once.

    Returns
    -------
    GridPath
        It has as many jumps at most: wherever two blocks follow each other on one side and not on
        the other, there is one on either path.
    """
    blocks: list[list[Step]] = []
    for block in _blocks(path):
        # Words to be deleted go with the block before them, which the hypothesis has there.
        if blocks and all(step.operation == "deletion" for step in block):
            blocks[-1] += block
        else:
            blocks.append(block)
    blocks = sorted((block for block in blocks if block), key=_first_line)
    return _joined(blocks, replace(path, jumps_in="hypothesis"))


def _first_line(block: list[Step]) -> tuple[int, int]:
    """Return where a block begins in the reference; of blocks without words there the first."""
    lines = [step.reference for step in block if step.operation != "deletion"]
    return (min(lines), 1) if lines else (0, 0)


def _joined(blocks: list[list[Step]], path: GridPath) -> GridPath:
    """Put blocks one behind the other, with the jumps that this needs."""
    steps: list[Step] = []
    at = line = 0
    for step in (step for block in blocks for step in block):
        if step.operation != "insertion" and step.hypothesis != at:
            steps.append(Step("jump", at, line, 1.0))
            at = step.hypothesis
        steps.append(replace(step, hypothesis=at, reference=line))
        at += step.operation != "insertion"
        line += step.operation != "deletion"
    if at != len(path.hypothesis):
        steps.append(Step("jump", at, line, 1.0))
    return replace(path, steps=tuple(steps))


def _blocks(path: GridPath) -> list[list[Step]]:
    """Cut a path at its jumps."""
    blocks: list[list[Step]] = [[]]
    for step in path.steps:
        if step.operation == "jump":
            blocks.append([])
        else:
            blocks[-1].append(step)
    return blocks


def _taken(block: list[Step]) -> tuple[int, int]:
    """Return the words of the hypothesis that a block takes, as a range; an empty one without."""
    words = [step.hypothesis for step in block if step.operation != "insertion"]
    return (words[0], words[-1] + 1) if words else (0, 0)


def _taking_once(blocks: list[list[Step]]) -> list[list[Step]]:
    """Take each word of the hypothesis in one block only; insert the reference's word elsewhere."""
    kept: list[list[Step]] = [[] for _ in blocks]
    ranges = [_taken(block) for block in blocks]
    covered = 0
    for number in sorted(range(len(blocks)), key=lambda n: (ranges[n][0], -ranges[n][1], n)):
        for step in blocks[number]:
            if step.operation == "insertion" or step.hypothesis >= covered:
                kept[number].append(step)
            # There is no reason to delete a word that another block takes.
            elif step.operation != "deletion":
                kept[number].append(Step("insertion", 0, step.reference, 1.0))
        covered = max(covered, ranges[number][1])
    return kept


def _taking_all(blocks: list[list[Step]], path: GridPath) -> list[list[Step]]:
    """Delete the words of the hypothesis that no block takes, before the block that follows."""
    ranges = [_taken(block) for block in blocks]
    taken = {word for start, stop in ranges for word in range(start, stop)}

    def before(word: int, line: int) -> list[Step]:
        start = word
        while start > 0 and start - 1 not in taken:
            start -= 1
        return [Step("deletion", at, line, 1.0) for at in range(start, word)]

    filled = [
        before(start, block[0].reference) + block if stop > start else block
        for block, (start, stop) in zip(blocks, ranges, strict=True)
    ]
    return [*filled, before(len(path.hypothesis), len(path.reference))]
