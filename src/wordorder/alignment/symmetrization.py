"""Symmetrisation: two directed alignments of the same sentence pairs become one."""

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import require_alignments
from wordorder.arrays import Int64, concat_ranges, row_offsets
from wordorder.errors import InputError, choose
from wordorder.kernels import alignment as kernel, run_rows
from wordorder.text.lockstep import line_count_mismatch

# What the kernel takes: the marks that a first link needs (1 forward, 2 backward, 0 any), which
# neighbours grow (1 straight, 2 diagonal too), how many words of a final link must be uncovered.
_STEPS = {
    "forward": (1, 0, 0),
    "backward": (2, 0, 0),
    "intersection": (3, 0, 0),
    "union": (0, 0, 0),
    "grow": (3, 1, 0),
    "grow-diag": (3, 2, 0),
    "grow-diag-final": (3, 2, 1),
    "grow-diag-final-and": (3, 2, 2),
}
METHODS = tuple(_STEPS)
# The words of one sentence pair, multiplied: one byte each is needed.
MOST_CELLS = 1 << 28


def symmetrize(
    forward: Alignments, backward: Alignments, method: str = "grow-diag-final-and"
) -> Alignments:
    """Join two alignments of the same sentence pairs.

    Parameters
    ----------
    forward, backward : Alignments
        Row by row the same sentence pairs, both as source-target; sure and possible links count
        alike. Usually each links every target word (`forward`), or every source word
        (`backward`), at most once.
    method : str
        ``intersection``: links that both have; ``union``: that one has. ``grow``: from the
        intersection, links of the union that neighbour a link and cover a word that has none,
        until there are no more; ``grow-diag``: also those that touch at a corner; ``-final``:
        then links of `forward`, and of `backward`, with a word that is still uncovered,
        ``-final-and``: with both uncovered. ``forward``, ``backward``: one of the two.

    Returns
    -------
    Alignments
        Sorted by source, then target position; with the lengths that one of the two knows.

    Raises
    ------
    InputError
        If the numbers of rows or the lengths of a sentence differ, or a pair is too long.
    UsageError
        If `method` is unknown, or one of the two is no Alignments.

    Notes
    -----
    Links are visited target word by target word, as Koehn et al. (2005) and Moses do: what is
    added before the place of the visit waits for the next round.

    Examples
    --------
    >>> forward = Alignments.from_rows([[(0, 0), (1, 1), (3, 3)]])
    >>> backward = Alignments.from_rows([[(0, 0), (1, 2), (3, 2)]])
    >>> for method in ("intersection", "grow-diag", "grow-diag-final-and", "union"):
    ...     print(symmetrize(forward, backward, method)[0])
    0-0
    0-0 1-1 1-2
    0-0 1-1 1-2 3-3
    0-0 1-1 1-2 3-2 3-3
    """
    needed, growth, final = _STEPS[choose("method", method, METHODS)]
    require_alignments(forward=forward, backward=backward)
    if len(forward) != len(backward):
        raise line_count_mismatch(forward.path, len(forward), backward.path, len(backward))
    source_lengths, source_known = _lengths("source", forward, backward)
    target_lengths, target_known = _lengths("target", forward, backward)
    cells = source_lengths * target_lengths
    if len(cells) and int(cells.max()) > MOST_CELLS:
        row = int(np.argmax(cells > MOST_CELLS))
        sizes = f"{source_lengths[row]} and {target_lengths[row]} words"
        raise InputError(forward.location_of(row), sizes, f"a product of at most {MOST_CELLS}")
    room = forward.offsets + backward.offsets
    source, target = (np.empty(int(room[-1]), np.int32) for _ in range(2))
    counts = np.empty(len(forward), np.int64)
    longest = max(source_lengths.max(initial=0), target_lengths.max(initial=0))
    run_rows(
        kernel.symmetrize_rows,
        row_offsets(cells),
        *(forward.source, forward.target, forward.offsets, backward.source, backward.target),
        *(backward.offsets, source_lengths, target_lengths, needed, growth, final, source),
        *(target, counts),
        scratch=lambda most: tuple(np.empty(size, np.uint8) for size in (most, longest, longest)),
    )
    offsets, link_indices = row_offsets(counts), concat_ranges(room[:-1], counts)
    return Alignments(
        source[link_indices],
        target[link_indices],
        offsets,
        source_lengths=source_lengths if source_known else None,
        target_lengths=target_lengths if target_known else None,
        path=forward.path,
        first_line=forward.first_line,
    )


def _lengths(side: str, forward: Alignments, backward: Alignments) -> tuple[Int64, bool]:
    """Return the lengths of a side, as known or else what the links of both reach, and which."""
    both_lengths = [getattr(a, f"{side}_lengths") for a in (forward, backward)]
    known_lengths: list[Int64] = [lengths for lengths in both_lengths if lengths is not None]
    reached = np.zeros(len(forward), np.int64)
    for alignments in (forward, backward):
        rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
        np.maximum.at(reached, rows, getattr(alignments, side).astype(np.int64) + 1)
    if not known_lengths:
        return reached, False
    right, compared = known_lengths[0], known_lengths[-1] if len(known_lengths) > 1 else reached
    wrong = compared != right if len(known_lengths) > 1 else compared > right
    if np.any(wrong):
        row = int(np.argmax(wrong))
        problem = f"a {side} of {right[row]} words, and of {compared[row]} in {backward.path}"
        raise InputError(forward.location_of(row), problem, "alignments of the same sentences")
    return right, True
