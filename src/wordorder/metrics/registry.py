"""The metrics that are installed, by name."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from inspect import signature
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError
from wordorder.metrics.trees.relations import RELATIONS, is_relation
from wordorder.registry import Registry

# What makes metrics loads their contract, and the contract numpy: only where one is asked for.
if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.metrics.trees.label_f1 import LabelF1

    MakeMetric = Callable[..., BaseMetric]


class MetricRegistry(Registry):
    """The metrics by name, and by the name of a relation the F1 of its arcs.

    Examples
    --------
    >>> from wordorder.metrics import METRICS
    >>> METRICS.load("nsubj")().signature().metric
    'nsubj'
    """

    def load(self, name: str) -> MakeMetric:
        """Import what makes the metric called `name`: a class, or a function.

        Raises
        ------
        UsageError
            If there is none of that name (the message has the near ones), or its package is broken.
        """
        name = self.spelling(name)
        if name in self.built_in or name in self.installed:
            make: MakeMetric = super().load(name)
            return make
        if is_relation(name):
            return _label_f1(name)
        # Only who meant a relation wants to read their names too.
        meant = get_close_matches(name.lower().partition(":")[0], RELATIONS, n=1, cutoff=0.7)
        raise self.unknown(name, *(RELATIONS if meant else ()))

    def spelling(self, name: str) -> str:
        """Return a name as it is registered, given in any case; itself if it is not registered.

        Examples
        --------
        >>> from wordorder.metrics import METRICS
        >>> METRICS.spelling("BLEU"), METRICS.spelling("NSubj:Pass"), METRICS.spelling("Foo")
        ('bleu', 'nsubj:pass', 'Foo')
        """
        name = str(name)
        small = name.lower()
        # The environment is searched only for names that are not ours.
        for known in (self.built_in, self.installed):
            if name in known:
                return name
            if small in known:
                return small
        by_letters = {each.lower(): each for each in self.installed}
        return small if is_relation(small) else by_letters.get(small, name)

    def make(self, name: str, *arguments: Any, **options: Any) -> BaseMetric:
        """Return the metric called `name`, with its options by keyword."""
        from wordorder.metrics.contract import completed

        return completed(super().make(self.spelling(name), *arguments, **options))

    def checked(self, part: Any) -> Any:
        """Return a class of another package with everything that `BaseMetric` declares."""
        from wordorder.metrics.contract import COLUMNS, completed_class

        make = super().checked(part)
        # Its options are looked up there.
        signature(make)
        if isinstance(make, type):
            make = completed_class(make)
            if not isinstance(make.columns, tuple) or not set(make.columns) <= set(COLUMNS):
                raise UsageError(f"its columns are {make.columns!r}; legal ones: {COLUMNS}")
        return make


def _label_f1(label: str) -> Callable[..., LabelF1]:
    """Return what makes the F1 of one label."""
    from wordorder.metrics.trees.label_f1 import LabelF1

    def made(
        *, head: str = "match", subtypes: str = "keep", punctuation: str = "include"
    ) -> LabelF1:
        return LabelF1(label=label, head=head, subtypes=subtypes, punctuation=punctuation)

    return made
