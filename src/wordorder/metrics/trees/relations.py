"""The relations of Universal Dependencies, each of which names a metric."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any

from wordorder.errors import unknown_name
from wordorder.registry import Registry

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


class MetricRegistry(Registry):
    """The metrics by name, and by the name of a relation the F1 of its arcs.

    Examples
    --------
    >>> from wordorder.metrics import METRICS
    >>> METRICS.load("nsubj")().label
    'nsubj'
    """

    def load(self, name: str) -> Any:
        """Import the metric called `name`.

        Raises
        ------
        UsageError
            If there is none of that name (the message lists the names), or its package is broken.
        """
        if name in self.built_in or name in self.installed:
            return super().load(name)
        name = str(name)
        if is_relation(name):
            return _label_f1(name)
        # Only who meant a relation wants to read their names too.
        meant = get_close_matches(name.lower().partition(":")[0], RELATIONS, n=1)
        raise unknown_name(self.kind, name, [*self.names(), *(RELATIONS if meant else ())])


def _label_f1(label: str) -> Callable[..., Any]:
    """Return what makes the F1 of one label."""
    from wordorder.metrics.trees.label_f1 import LabelF1

    def made(
        *, head: str = "match", subtypes: str = "keep", punctuation: str = "include"
    ) -> LabelF1:
        return LabelF1(label=label, head=head, subtypes=subtypes, punctuation=punctuation)

    return made
