"""Checks of one alignment against the guideline of annotation for reordering."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.lint import DEFAULT_ALLOWED, Finding, lint
from wordorder.judgement.alignment_answers import checked_alignment
from wordorder.order.permutation_tree import PermutationTree
from wordorder.order.reference import reference_orders

# Longer sentences have no pictures: they could not be read, and each key press redraws them.
MAX_DRAWN_WORDS = 80


def check_alignment(
    answer: Any, content: dict[str, Any], *, allowed: Collection[str] = DEFAULT_ALLOWED
) -> dict[str, Any]:
    """Check one alignment against the guideline of annotation for reordering.

    Only articles and punctuation stay unaligned, every target word has a source, and the target
    words of one source word are adjacent (Talbot et al. 2011, section 3.1). Unconfirmed
    suggestions count as links.

    Parameters
    ----------
    answer : dict
        Accepted values: see `checked_alignment`; it may be incomplete.
    content : dict
        The ``source`` and ``target`` shown to the annotator.
    allowed : collection of str
        Source words that may stay unaligned; case is ignored.

    Returns
    -------
    dict
        ``faults``: a list with ``side``, ``position``, ``kind`` and a sentence, ``message``;
        ``order``: the groups of source positions in target order, words of a group tie;
        ``order_svg``, ``tree_svg``: pictures of the order and of its permutation tree, None
        if there are no words or more than 80.

    Raises
    ------
    InputError
        If the answer is not an alignment of these words.

    Examples
    --------
    >>> words = {"source": ["she", "sleeps"], "target": ["dort", "elle"]}
    >>> result = check_alignment({**words, "links": [[0, 1, "sure"]]}, words)
    >>> [(fault["side"], fault["position"], fault["kind"]) for fault in result["faults"]]
    [('source', 1, 'unaligned'), ('target', 0, 'unaligned')]
    >>> result["faults"][0]["message"]
    '“sleeps” has no link: every word but articles and punctuation needs one'
    >>> result["order"]
    [[0], [1]]
    """
    checked = checked_alignment(answer, content)
    source, target = checked["source"], checked["target"]
    links = [(s, t, kind == "possible") for s, t, kind in checked["links"]]
    lengths: dict[str, Any] = {"source_lengths": [len(source)], "target_lengths": [len(target)]}
    alignments = Alignments.from_rows([links], **lengths)
    report = lint(alignments, [source], targets=[target], allowed=allowed)
    order = reference_orders(alignments, [len(source)])[0]
    positions, has_pictures = list(order.positions), 0 < len(source) <= MAX_DRAWN_WORDS
    typed = content["target"] is None
    faults: list[tuple[str, str, Finding, str]] = []
    for sentence in report.findings:
        faults += [("source", "unaligned", f, _describe_unaligned(f)) for f in sentence.unaligned]
        unlinked = sentence.unaligned_target
        faults += [("target", "unaligned", f, _describe_missing_source(f, typed)) for f in unlinked]
        gaps = sentence.non_contiguous
        faults += [("source", "non-contiguous", f, _describe_gap(f, target)) for f in gaps]
    return {
        "faults": [
            {"side": side, "position": finding.position, "kind": kind, "message": message}
            for side, kind, finding, message in faults
        ],
        "order": [list(group) for group in order.groups],
        "order_svg": order.to_svg(source) if has_pictures else None,
        "tree_svg": PermutationTree(positions).to_svg([source[n] for n in positions])
        if has_pictures
        else None,
    }


def _describe_unaligned(finding: Finding) -> str:
    return f"“{finding.word}” has no link: every word but articles and punctuation needs one"


def _describe_missing_source(finding: Finding, typed: bool) -> str:
    """Describe a target word without a source; only typed translations can be changed."""
    alternative = "leave it out of the translation" if typed else "save the sentence if it has none"
    return f"“{finding.word}” has no source word: link it, or {alternative}"


def _describe_gap(finding: Finding, target: list[str]) -> str:
    """Describe the words inside a translation that are not linked to its source word."""
    linked = set(finding.targets)
    inside = sorted({*range(min(linked), max(linked))} - linked)
    unlinked = [f"“{target[position]}”" for position in inside]
    examples = ", ".join(unlinked[:3]) + (", …" if len(unlinked) > 3 else "")
    return (
        f"the translation of “{finding.word}” has a gap: {examples} inside it is not linked to it"
    )
