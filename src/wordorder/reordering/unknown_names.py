"""Names in a file of rules that match nothing: misspelt labels, tags and features."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from wordorder.reordering.conditions import Pattern
from wordorder.reordering.label_schemes import FOLDER, NEAR_SUBTYPE, label_scheme
from wordorder.reordering.rule import OTHERS, SELF
from wordorder.text.toml import TomlFile, read_toml

# Names that get a proposal: to look for one takes longer than to read the name.
PROPOSALS = 100
# `Number[psor]` is the feature Number of a possessor.
_LAYER = re.compile(r"\[\w+\]")


@dataclass(frozen=True)
class UnknownName:
    """A label, tag or feature in a file of rules that no word can have.

    Attributes
    ----------
    place : str
        Its file and line.
    owner : str
        What names it: ``rule 'verb'``, ``class 'neg'``, ``barriers``.
    column : {"label", "upos", "xpos", "feats"}
    text : str
    what : str
        What is wrong, with what was perhaps meant.
    """

    place: str
    owner: str
    column: str
    text: str
    what: str

    def __str__(self) -> str:
        return f"{self.place}: {self.owner}: {self.what}; it matches nothing"


@cache
def known_tags(path: Path = FOLDER / "tags.toml") -> dict[str, Any]:
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
        what = f"{text!r} is no {kind}{hint}"
        names.append(UnknownName(file.place(*place, text), owner, column, text, what))
    return tuple(names)


_KINDS = {
    "label": "label of {}",
    "upos": "universal tag",
    "xpos": "tag of the Penn Treebank",
    "feats": "feature of Universal Dependencies",
}


def _is_known(column: str, text: str, scheme: str) -> bool:
    """Return whether a word may have a name in a column."""
    if column == "label":
        return scheme == "any" or label_scheme(scheme).means(text)
    if column == "feats":
        features = known_tags()["features"]
        name, _, values = _LAYER.sub("", text).partition("=")
        matching = [each for each in features if Pattern("upos", (name,)).matches(each)]
        return any(
            all(_alike(value, features[each]) for value in values.split(",")) for each in matching
        )
    return any(map(Pattern(column, (text,)).matches, _tags(column, scheme)))


def _alike(value: str, legal: list[str]) -> bool:
    """Return whether a value is one of some, either side of which may have ``*``."""
    pattern = Pattern("upos", (value,))
    return any(pattern.matches(each) or Pattern("upos", (each,)).matches(value) for each in legal)


def _tags(column: str, scheme: str) -> list[str]:
    """Return the tags that a column may have."""
    known = known_tags()
    if column == "xpos":
        return list(known["penn"])
    return [*known["universal"], *(known["older"] if scheme != "ud" else ())]


def _near(column: str, text: str, scheme: str, classes: Mapping[str, Any]) -> list[str]:
    """Return what a misspelt name was perhaps meant to be."""
    if column == "label":
        near = difflib.get_close_matches(text, classes, 1, NEAR_SUBTYPE)
        label = label_scheme(scheme).nearest(text)
        return near or ([label] if label else [])
    if column == "feats":
        features = known_tags()["features"].items()
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
    for each, said in classes.items():
        for name in _names(said, classes):
            yield name, f"class {each!r}", ("classes", 0, each)
    for number, rule in enumerate(data.get("rule", [])):
        owner = f"rule {rule.get('name', f'rule-{number + 1}')!r}"
        for key in ("head", "order", "weights", "barriers"):
            said = rule.get(key, [])
            for name in _names(list(said) if key == "weights" else said, classes):
                yield name, owner, ("rule", number, key)


def _names(said: object, classes: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of a condition, or of a list of entries of an order."""
    if isinstance(said, str):
        if said not in classes and said not in (SELF, OTHERS):
            yield "label", said
    elif isinstance(said, list):
        for each in said:
            yield from _names(each, classes)
    elif isinstance(said, dict):
        if "equal" in said:
            yield from _names(said["equal"], classes)
            return
        for column in _KINDS:
            # Not the name of a class, even if one has it.
            texts = said.get(column, [])
            for text in texts if isinstance(texts, list) else [texts]:
                for part in text.split("|") if column == "feats" else [text]:
                    yield column, part
        for key in ("parent", "child", "not"):
            yield from _names(said.get(key, []), classes)
