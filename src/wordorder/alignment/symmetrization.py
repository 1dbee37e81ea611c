"""Symmetrisation: combine two directed alignments of the same sentence pairs."""

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import require_alignments
from wordorder.arrays import Int64, concat_ranges, row_offsets
from wordorder.errors import InputError, choose
from wordorder.kernels import alignment as kernel, run_rows
from wordorder.text.lockstep import line_count_mismatch

# The kernel's arguments: the alignments that must have an initial link (1 forward, 2 backward, 3
# both, 0 any), the neighbours that are added (1 adjacent, 2 diagonal too), and how many words of a
# final link must be unlinked.
_METHOD_STEPS = {
    "forward": (1, 0, 0),
    "backward": (2, 0, 0),
    "intersection": (3, 0, 0),
    "union": (0, 0, 0),
    "grow": (3, 1, 0),
    "grow-diag": (3, 2, 0),
    "grow-diag-final": (3, 2, 1),
    "grow-diag-final-and": (3, 2, 2),
}
SYMMETRIZATION_METHODS = tuple(_METHOD_STEPS)
# The product of the lengths of one sentence pair, each of which needs one byte.
MAX_WORD_PAIRS = 1 << 28


def symmetrize(
    forward: Alignments, backward: Alignments, method: str = "grow-diag-final-and"
) -> Alignments:
    """Combine two alignments of the same sentence pairs.

    Parameters
    ----------
    forward, backward : Alignments
        The same sentence pairs, both with links as source-target; sure and possible links are
        treated alike. Usually `forward` links every target word, and `backward` every source word,
        at most once.
    method : str
        ``intersection``: the links in both. ``union``: the links in either. ``grow``: start with
        the intersection, and repeatedly add links of the union that are adjacent to a link and have
        an unlinked word. ``grow-diag``: also add diagonal neighbours. ``-final``: then add links of
        `forward`, and of `backward`, with an unlinked word; ``-final-and``: with two unlinked
        words. ``forward``, ``backward``: one of the two.

    Returns
    -------
    Alignments
        Sorted by source, then target position, with the sentence lengths if one of the two has
        them.

    Raises
    ------
    InputError
        If the numbers of rows or the lengths of a sentence differ, or a pair is too long.
    UsageError
        If `method` is unknown, or an argument is not `Alignments`.

    Notes
    -----
    As in Koehn et al. (2005) and Moses, links are visited target word by target word; a link that
    is added at a position already visited is used in the next pass.

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
    needed, growth, final = _METHOD_STEPS[choose("method", method, SYMMETRIZATION_METHODS)]
    require_alignments(forward=forward, backward=backward)
    if len(forward) != len(backward):
        raise line_count_mismatch(forward.path, len(forward), backward.path, len(backward))
    source_lengths, source_known = _merge_lengths("source", forward, backward)
    target_lengths, target_known = _merge_lengths("target", forward, backward)
    cells = source_lengths * target_lengths
    if len(cells) and int(cells.max()) > MAX_WORD_PAIRS:
        row = int(np.argmax(cells > MAX_WORD_PAIRS))
        sizes = f"{source_lengths[row]} and {target_lengths[row]} words"
        raise InputError(forward.location_of(row), sizes, f"a product of at most {MAX_WORD_PAIRS}")
    max_offsets = forward.offsets + backward.offsets
    source, target = (np.empty(int(max_offsets[-1]), np.int32) for _ in range(2))
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
    offsets, link_indices = row_offsets(counts), concat_ranges(max_offsets[:-1], counts)
    return Alignments(
        source[link_indices],
        target[link_indices],
        offsets,
        source_lengths=source_lengths if source_known else None,
        target_lengths=target_lengths if target_known else None,
        path=forward.path,
        first_line=forward.first_line,
    )


def _merge_lengths(side: str, forward: Alignments, backward: Alignments) -> tuple[Int64, bool]:
    """Return the sentence lengths of a side, and whether they are known.

    If neither alignment has lengths, return the smallest lengths that contain all links.
    """
    both_lengths = [getattr(a, f"{side}_lengths") for a in (forward, backward)]
    known_lengths: list[Int64] = [lengths for lengths in both_lengths if lengths is not None]
    min_lengths = np.zeros(len(forward), np.int64)
    for alignments in (forward, backward):
        rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
        np.maximum.at(min_lengths, rows, getattr(alignments, side).astype(np.int64) + 1)
    if not known_lengths:
        return min_lengths, False
    lengths, other_lengths = (
        known_lengths[0],
        known_lengths[-1] if len(known_lengths) > 1 else min_lengths,
    )
    wrong = other_lengths != lengths if len(known_lengths) > 1 else other_lengths > lengths
    if np.any(wrong):
        row = int(np.argmax(wrong))
        problem = (
            f"a {side} of {lengths[row]} words, and of {other_lengths[row]} in {backward.path}"
        )
        raise InputError(forward.location_of(row), problem, "alignments of the same sentences")
    return lengths, True
