"""Metrics of dependency trees and tags.

Attachment, labels and tags of words that system and gold trees share.
Here are the relations of Universal Dependencies, each of which names a metric.
"""

from __future__ import annotations

import re

# https://universaldependencies.org/u/dep, version 2.
RELATIONS = frozenset(
    """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse
    dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis
    punct reparandum root vocative xcomp
    """.split()
)
_SUBTYPE = re.compile(r"[a-z]+", re.ASCII)


def is_relation(name: str) -> bool:
    """Say whether a name is a relation of Universal Dependencies, with or without a subtype.

    Examples
    --------
    >>> is_relation("nsubj"), is_relation("nsubj:pass"), is_relation("sbj"), is_relation("root:")
    (True, True, False, False)
    """
    label, colon, subtype = name.partition(":")
    return label in RELATIONS and (not colon or _SUBTYPE.fullmatch(subtype) is not None)
