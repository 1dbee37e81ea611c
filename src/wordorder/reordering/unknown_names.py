"""Names in a file of rules that match nothing: misspelt labels, tags and features."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from wordorder.reordering.conditions import OTHERS, SELF, WILD, Pattern, UnknownName
from wordorder.text.toml import TomlFile, read_toml
from wordorder.treebank.treebank import NOTHING, Treebank

# Names that get a proposal: to look for one takes longer than to read the name.
PROPOSALS = 100

# `Number[psor]` is the feature Number of a possessor.
_LAYER = re.compile(r"\[\w+\]")


FOLDER = Path(__file__).parent / "schemes"

_KINDS = {
    "label": "label of {}",
    "upos": "universal tag",
    "xpos": "tag of the Penn Treebank",
    "feats": "feature of Universal Dependencies",
}
SCHEMES = ("ud", "sd", "any")

# How near a label must be to one of the scheme to be taken for a misspelling of it.
NEAR = 0.6

# How near a subtype that the scheme does not list, although any is legal.
NEAR_SUBTYPE = 0.8


@cache
def tag_tables(path: Path = FOLDER / "tags.toml") -> dict[str, Any]:
    """Read the tags and features that are in use, by where they come from."""
    return read_toml(path).data


def unknown_names(file: TomlFile) -> tuple[UnknownName, ...]:
    r"""Return the names in a file of rules that nothing has.

    Parameters
    ----------
    file : TomlFile
        One that `wordorder.reordering.rule_reading.rules_of` accepts.

    Returns
    -------
    tuple of UnknownName
        In the order of the file, each once: labels that the file's scheme does not have (none if
        it is ``any``), tags in ``upos`` that are not universal, tags in ``xpos`` that are not the
        Penn Treebank's, features that Universal Dependencies does not have. Texts with ``*``,
        ``?`` and ``[...]`` are unknown if no known name fits them.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.toml")
    >>> _ = path.write_text(
    ...     '[[rule]]\nname = "verb"\nhead = { upos = "VRB" }\norder = ["nsbj", "*", "self"]\n'
    ... )
    >>> for found in unknown_names(read_toml(path)):
    ...     print(f"{found.place.rpartition(':')[2]}: {found.what}")
    3: 'VRB' is no universal tag (did you mean 'VERB'?)
    4: 'nsbj' is no label of Universal Dependencies (did you mean 'nsubj'?)
    """
    scheme = file.data.get("scheme", "ud")
    seen: set[tuple[str, str]] = set()
    names: list[UnknownName] = []
    for name, owner, place in _names_of_file(file):
        if name in seen or _is_known(*name, scheme):
            continue
        seen.add(name)
        column, text = name
        near = []
        if len(names) < PROPOSALS:
            near = _near(column, text, scheme, file.data.get("classes", {}))
        hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
        kind = _KINDS[column].format(label_scheme(scheme).name if column == "label" else "")
        problem = f"{text!r} is no {kind}{hint}"
        names.append(UnknownName(file.place(*place, text), owner, column, text, problem))
    return tuple(names)


def _is_known(column: str, text: str, scheme: str) -> bool:
    """Return whether a word may have a name in a column."""
    if column == "label":
        return scheme == "any" or label_scheme(scheme).means(text)
    if column == "feats":
        features = tag_tables()["features"]
        name, _, values = _LAYER.sub("", text).partition("=")
        matching = [
            feature_set for feature_set in features if Pattern("upos", (name,)).matches(feature_set)
        ]
        return any(
            all(_alike(value, features[name]) for value in values.split(",")) for name in matching
        )
    return any(map(Pattern(column, (text,)).matches, _tags(column, scheme)))


def _alike(value: str, legal: list[str]) -> bool:
    """Return whether a value is one of some, either side of which may have ``*``."""
    pattern = Pattern("upos", (value,))
    return any(
        pattern.matches(legal_value) or Pattern("upos", (legal_value,)).matches(value)
        for legal_value in legal
    )


def _tags(column: str, scheme: str) -> list[str]:
    """Return the tags that a column may have."""
    tags = tag_tables()
    if column == "xpos":
        return list(tags["penn"])
    return [*tags["universal"], *(tags["older"] if scheme != "ud" else ())]


def _near(column: str, text: str, scheme: str, classes: Mapping[str, Any]) -> list[str]:
    """Return what a misspelt name was perhaps meant to be."""
    if column == "label":
        near = difflib.get_close_matches(text, classes, 1, NEAR_SUBTYPE)
        label = label_scheme(scheme).nearest(text)
        return near or ([label] if label else [])
    if column == "feats":
        features = tag_tables()["features"].items()
        legal = [f"{name}={value}" for name, values in features for value in values]
        return difflib.get_close_matches(text, legal, 1)
    return difflib.get_close_matches(text.upper(), _tags(column, scheme), 2)


Place = tuple[str, int, str]


def _names_of_file(file: TomlFile) -> Iterator[tuple[tuple[str, str], str, Place]]:
    """Yield each name with its column, what names it and where."""
    data = file.data
    classes: Mapping[str, Any] = data.get("classes", {})
    for name in _names(data.get("barriers", []), classes):
        yield name, "barriers", ("", 0, "barriers")
    for class_name, value in classes.items():
        for name in _names(value, classes):
            yield name, f"class {class_name!r}", ("classes", 0, class_name)
    for number, rule in enumerate(data.get("rule", [])):
        owner = f"rule {rule.get('name', f'rule-{number + 1}')!r}"
        for key in ("head", "order", "weights", "barriers"):
            value = rule.get(key, [])
            for name in _names(list(value) if key == "weights" else value, classes):
                yield name, owner, ("rule", number, key)


def _names(value: object, classes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of a condition, or of a list of entries of an order."""
    if isinstance(value, str):
        if value not in classes and value not in (SELF, OTHERS):
            yield "label", value
    elif isinstance(value, list):
        for item in value:
            yield from _names(item, classes)
    elif isinstance(value, dict):
        if "equal" in value:
            yield from _names(value["equal"], classes)
            return
        for column in _KINDS:
            # Not the name of a class, even if one has it.
            texts = value.get(column, [])
            for text in texts if isinstance(texts, list) else [texts]:
                for part in text.split("|") if column == "feats" else [text]:
                    yield column, part
        for key in ("parent", "child", "not"):
            yield from _names(value.get(key, []), classes)


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

        A subtype that is one letter away from a listed one is not accepted as a new subtype.
        """
        if text in self._known_labels or text in self.patterns:
            return True
        base, _, subtype = text.partition(":")
        free = self.any_subtype and subtype != ""
        if WILD & set(text):
            fits = any(map(Pattern("label", (text,)).matches, self._known_labels))
            return fits or (free and self.means(base))
        if free:
            return base in self._known_labels and self.nearest(text) is None
        return self.knows(text.removesuffix(":"))

    def nearest(self, text: str) -> str | None:
        """Return the label that a misspelt one was meant to be, if one is near."""
        base = text.partition(":")[0]
        if self.any_subtype and base in self._known_labels:
            subtypes = [label for label in self.subtypes if label.startswith(f"{base}:")]
            tails = {label.partition(":")[2]: label for label in subtypes}
            close = difflib.get_close_matches(text.partition(":")[2], tails, 1, NEAR_SUBTYPE)
            return tails[close[0]] if close else None
        letters = {label.lower(): label for label in sorted(self._known_labels)}
        close = difflib.get_close_matches(text.lower(), letters, 1, NEAR)
        return letters[close[0]] if close else None

    @cached_property
    def _known_labels(self) -> frozenset[str]:
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
    data = read_toml(FOLDER / f"{key}.toml").data
    return LabelScheme(
        key,
        data["name"],
        tuple(data["labels"]),
        tuple(data.get("subtypes", ())),
        data.get("any_subtype", False),
        tuple(data.get("patterns", ())),
        tuple(data.get("others", ())),
    )


def label_counts(treebank: Treebank) -> dict[str, int]:
    """Count the words of each label, the most frequent first; those without (``_``) do not count.

    Examples
    --------
    >>> bank = Treebank.from_words([["it", "ate", "it"]], label=[["nsubj", "_", "dobj"]])
    >>> label_counts(bank)
    {'dobj': 1, 'nsubj': 1}
    """
    return {label: n for label, n in treebank.label.counts().items() if label != NOTHING}


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
