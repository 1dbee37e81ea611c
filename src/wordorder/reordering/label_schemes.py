"""Label schemes: which relations an annotation has, and which of some labels it does not know."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.reordering.conditions import Pattern
from wordorder.text.toml import TomlFile, read_toml
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
        pattern = Pattern("label", (text,))
        if any(map(pattern.matches, self._known)):
            return True
        base, colon, subtype = text.partition(":")
        if not (self.any_subtype and colon and subtype):
            return not _WILD & set(text) and self.knows(text)
        if _WILD & set(text):
            return self.means(base)
        return base in self._known and self.nearest(text) is None

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


@dataclass(frozen=True)
class UnknownLabel:
    """A label or pattern in a file of rules that no label of its scheme fits.

    Attributes
    ----------
    place : str
        Its file and line.
    label : str
    scheme : LabelScheme
    """

    place: str
    label: str
    scheme: LabelScheme

    @property
    def what(self) -> str:
        """What is wrong, with what was perhaps meant."""
        near = self.scheme.nearest(self.label)
        hint = f" (did you mean {near!r}?)" if near else ""
        return f"{self.label!r} is no label of {self.scheme.name}{hint}"

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


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


def unknown_labels(file: TomlFile) -> tuple[UnknownLabel, ...]:
    r"""Return the labels of a file of rules that its scheme does not know.

    Parameters
    ----------
    file : TomlFile
        One that `wordorder.reordering.rule_reading.rules_of` accepts.

    Returns
    -------
    tuple of UnknownLabel
        In the order of the file, each once; none if the scheme is ``any``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.toml")
    >>> _ = path.write_text('[[rule]]\nname = "a"\norder = ["nsbj", "*", "self"]\n')
    >>> [str(found).split(":", 1)[1] for found in unknown_labels(read_toml(path))]
    ["3: 'nsbj' is no label of Universal Dependencies (did you mean 'nsubj'?)"]
    """
    key = file.data.get("scheme", "ud")
    if key == "any":
        return ()
    scheme = label_scheme(key)
    found: dict[str, UnknownLabel] = {}
    for text, place in _labels_of_file(file):
        if text not in found and not scheme.means(text):
            found[text] = UnknownLabel(file.place(*place, text), text, scheme)
    return tuple(found.values())


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


def _labels_of_file(file: TomlFile) -> Iterator[tuple[str, tuple[str, int, str]]]:
    """Yield each label and pattern of a file with its table, its number and the key."""
    data = file.data
    classes: Mapping[str, Any] = data.get("classes", {})
    for label in _labels(data.get("barriers", []), classes):
        yield label, ("", 0, "barriers")
    for name, said in classes.items():
        for label in _labels(said, classes):
            yield label, ("classes", 0, name)
    for number, rule in enumerate(data.get("rule", [])):
        for key in ("head", "order", "weights", "barriers"):
            said = rule.get(key, [])
            for label in _labels(list(said) if key == "weights" else said, classes):
                yield label, ("rule", number, key)


def _labels(said: object, classes: Mapping[str, Any]) -> Iterator[str]:
    """Yield the labels of a condition, or of a list of what may stand in an order."""
    if isinstance(said, str):
        if said not in classes and said not in ("self", "*"):
            yield said
    elif isinstance(said, list):
        for each in said:
            yield from _labels(each, classes)
    elif isinstance(said, dict):
        if "equal" in said:
            yield from _labels(said["equal"], classes)
            return
        texts = said.get("label", [])
        # Not the name of a class, even if one has it.
        yield from texts if isinstance(texts, list) else [texts]
        for key in ("parent", "child", "not"):
            yield from _labels(said.get(key, []), classes)
