"""Corpus: the sentences of an analysis with their reference orders."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.alignment.alignments import Alignments
from wordorder.order.orders import Orders
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class Corpus:
    """What all systems of an analysis share.

    Attributes
    ----------
    words : Treebank
        The source sentences, S of them: their words, and tags, lemmas and comments (``sent_id``,
        ``text``) where they are known. Its heads are not used.
    reference : Orders
        S rows, over the words of the source; it may have ties, and lack words that are unaligned.
    alignments : Alignments, optional
        Links from source to target, if the reference came from some; S rows.
    target : tuple of tuples of str
        The words of each target sentence, if they are known; otherwise empty.
    gold : Treebank, optional
        Right trees and tags of the same words.
    """

    words: Treebank
    reference: Orders
    alignments: Alignments | None = None
    target: tuple[tuple[str, ...], ...] = ()
    gold: Treebank | None = None
