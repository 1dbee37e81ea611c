"""Label schemes: which relations an annotation has, and which of some labels it does not know."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from wordorder.reordering.conditions import Pattern
from wordorder.text.toml import read_toml
from wordorder.treebank.column import NOTHING
from wordorder.treebank.treebank import Treebank

FOLDER = Path(__file__).parent / "schemes"
SCHEMES = ("ud", "sd", "any")
# How near a label must be to one of the scheme to be taken for a misspelling of it.
NEAR = 0.6
# How near a subtype that the scheme does not list, although any is legal.
NEAR_SUBTYPE = 0.8
_WILD = frozenset("*?[")


@dataclass(frozen=True)
class LabelScheme:
    """The relations of an annotation.

    Attributes
    ----------
    key : str
        What files of rules call it: ``ud``, ``sd``.
    name : str
        ``Universal Dependencies``
    labels, subtypes : tuple of str
        Its relations, and subtypes of them that are in use.
    any_subtype : bool
        Whether every other subtype of a relation is legal too.
    patterns : tuple of str
        What further labels look like.
    others : tuple of str
        Labels that are legal, but no sign of this scheme.

    Examples
    --------
    >>> scheme = label_scheme("ud")
    >>> scheme.knows("nsubj:pass"), scheme.knows("obl:anything"), scheme.knows("dobj")
    (True, True, False)
    >>> scheme.means("ob*"), scheme.means("nsbj"), scheme.nearest("nsbj")
    (True, False, 'nsubj')
    """

    key: str
    name: str
    labels: tuple[str, ...]
    subtypes: tuple[str, ...] = ()
    any_subtype: bool = False
    patterns: tuple[str, ...] = ()
    others: tuple[str, ...] = ()

    def knows(self, label: str) -> bool:
        """Return whether a tree of this scheme may have the label."""
        return label in self.others or self.has(label)

    def has(self, label: str) -> bool:
        """Return whether a label is one of the scheme's own."""
        base, colon, subtype = label.partition(":")
        if label in self.labels or label in self.subtypes or self._alike.matches(label):
            return True
        return self.any_subtype and colon == ":" and base in self.labels and subtype != ""

    def means(self, text: str) -> bool:
        """Return whether a label or pattern of a rule fits a label of this scheme.

        A subtype that is not listed but a letter away from one that is, is none.
        """
        if text in self._known or text in self.patterns:
            return True
        base, _, subtype = text.partition(":")
        free = self.any_subtype and subtype != ""
        if _WILD & set(text):
            fits = any(map(Pattern("label", (text,)).matches, self._known))
            return fits or (free and self.means(base))
        if free:
            return base in self._known and self.nearest(text) is None
        return self.knows(text.removesuffix(":"))

    def nearest(self, text: str) -> str | None:
        """Return the label that a misspelt one was meant to be, if one is near."""
        base = text.partition(":")[0]
        if self.any_subtype and base in self._known:
            subtypes = [label for label in self.subtypes if label.startswith(f"{base}:")]
            tails = {label.partition(":")[2]: label for label in subtypes}
            close = difflib.get_close_matches(text.partition(":")[2], tails, 1, NEAR_SUBTYPE)
            return tails[close[0]] if close else None
        letters = {label.lower(): label for label in sorted(self._known)}
        close = difflib.get_close_matches(text.lower(), letters, 1, NEAR)
        return letters[close[0]] if close else None

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset((*self.labels, *self.subtypes, *self.others))

    @cached_property
    def _alike(self) -> Pattern:
        return Pattern("label", self.patterns)


@cache
def label_scheme(key: str) -> LabelScheme:
    """Read a scheme of the package.

    Parameters
    ----------
    key : {"ud", "sd"}
    """
    said = read_toml(FOLDER / f"{key}.toml").data
    return LabelScheme(
        key,
        said["name"],
        tuple(said["labels"]),
        tuple(said.get("subtypes", ())),
        said.get("any_subtype", False),
        tuple(said.get("patterns", ())),
        tuple(said.get("others", ())),
    )


def label_counts(treebank: Treebank) -> dict[str, int]:
    """Count the words of each label, the most frequent first; those without (``_``) do not count.

    Examples
    --------
    >>> bank = Treebank.from_words([["it", "ate", "it"]], label=[["nsubj", "_", "dobj"]])
    >>> label_counts(bank)
    {'dobj': 1, 'nsubj': 1}
    """
    words = treebank.label.vocabulary.words
    counts = np.bincount(treebank.label.codes, minlength=len(words)).tolist()
    found: dict[str, int] = {}
    for word, count in zip(words, counts, strict=True):
        if count and word != NOTHING:
            found[word] = found.get(word, 0) + count
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def foreign_labels(scheme: LabelScheme, treebank: Treebank) -> dict[str, int]:
    """Count the words of each label that a scheme does not know, the most frequent first.

    Examples
    --------
    >>> bank = Treebank.from_words([["it", "ate", "it"]], label=[["nsubj", "root", "dobj"]])
    >>> foreign_labels(label_scheme("ud"), bank), foreign_labels(label_scheme("sd"), bank)
    ({'dobj': 1}, {})
    """
    counts = label_counts(treebank)
    return {label: count for label, count in counts.items() if not scheme.knows(label)}
