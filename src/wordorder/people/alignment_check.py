"""What the guideline says of an alignment while it is made, and the order that follows from it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.lint import DEFAULT_ALLOWED, Finding, lint
from wordorder.order.permutation_tree import PermutationTree
from wordorder.order.reference import reference_orders
from wordorder.people.alignment_answer import checked_alignment

# Longer sentences get no pictures: nobody can read them, and each key would draw them again.
DRAWN = 80


def check_alignment(
    answer: Any,
    content: dict[str, Any],
    *,
    allowed: Collection[str] = DEFAULT_ALLOWED,
) -> dict[str, Any]:
    """Check one alignment against the guideline of annotation for reordering.

    Only articles and punctuation stay unaligned, every target word has a source, and the target
    words of one source word are adjacent (Talbot et al. 2011, section 3.1). Suggestions that
    nobody confirmed count as links.

    Parameters
    ----------
    answer : dict
        As `checked_alignment` takes it; it need not be complete.
    content : dict
        The ``source`` and ``target`` that were given.
    allowed : collection of str
        Source words that may stay unaligned, whatever their case.

    Returns
    -------
    dict
        ``faults``: a list with ``side``, ``position``, ``kind`` and a sentence, ``message``;
        ``order``: the groups of source positions in target order, words of a group tie;
        ``order_svg``, ``tree_svg``: pictures of the order and of its permutation tree, None
        without words and beyond 80 of them.

    Raises
    ------
    InputError
        If the answer is no alignment of these words.

    Examples
    --------
    >>> words = {"source": ["she", "sleeps"], "target": ["dort", "elle"]}
    >>> found = check_alignment({**words, "links": [[0, 1, "sure"]]}, words)
    >>> [(each["side"], each["position"], each["kind"]) for each in found["faults"]]
    [('source', 1, 'unaligned'), ('target', 0, 'unaligned')]
    >>> found["faults"][0]["message"]
    '“sleeps” has no link: every word but articles and punctuation needs one'
    >>> found["order"]
    [[0], [1]]
    """
    kept = checked_alignment(answer, content)
    source, target = kept["source"], kept["target"]
    links = [(s, t, kind == "possible") for s, t, kind in kept["links"]]
    alignments = Alignments.from_rows(
        [links], source_lengths=[len(source)], target_lengths=[len(target)]
    )
    report = lint(alignments, [source], targets=[target], allowed=allowed)
    order = reference_orders(alignments, [len(source)])[0]
    drawn = 0 < len(source) <= DRAWN
    return {
        "faults": [
            {"side": side, "position": each.position, "kind": kind, "message": message}
            for sentence in report.findings
            for side, kind, each, message in (
                *(("source", "unaligned", f, _unaligned(f)) for f in sentence.unaligned),
                *(
                    ("target", "unaligned", f, _without_source(f))
                    for f in sentence.unaligned_target
                ),
                *(
                    ("source", "non-contiguous", f, _with_gap(f, target))
                    for f in sentence.non_contiguous
                ),
            )
        ],
        "order": [list(group) for group in order.groups],
        "order_svg": order.to_svg(source) if drawn else None,
        "tree_svg": _tree(order.positions, source) if drawn else None,
    }


def _tree(positions: tuple[int, ...], source: list[str]) -> str:
    """Draw the permutation tree with the words in target order."""
    return PermutationTree(list(positions)).to_svg([source[position] for position in positions])


def _unaligned(finding: Finding) -> str:
    return f"“{finding.word}” has no link: every word but articles and punctuation needs one"


def _without_source(finding: Finding) -> str:
    return f"“{finding.word}” has no source word: link it, or leave it out of the translation"


def _with_gap(finding: Finding, target: list[str]) -> str:
    """Say which words between the linked ones belong to another word, or to none."""
    linked = set(finding.targets)
    between = [
        f"“{target[position]}”"
        for position in range(min(linked), max(linked))
        if position not in linked
    ]
    shown = ", ".join(between[:3]) + (", …" if len(between) > 3 else "")
    return f"the translation of “{finding.word}” has a gap: {shown} inside it is not linked to it"
