"""Names in a file of rules that match nothing: misspelt labels, tags and features."""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from wordorder.reordering.conditions import OTHER_CHILDREN, SELF, WILDCARDS, Pattern, UnknownName
from wordorder.text.toml import TomlFile, read_toml
from wordorder.treebank.treebank import NO_VALUE, Treebank

# Limit for names that get a suggestion, which takes long to find.
MAX_SUGGESTIONS = 100

# Layers of features: `Number[psor]` is the feature Number of a possessor.
_LAYER = re.compile(r"\[\w+\]")


SCHEME_FOLDER = Path(__file__).parent / "schemes"

_COLUMN_NOUNS = {
    "label": "label of {}",
    "upos": "universal tag",
    "xpos": "tag of the Penn Treebank",
    "feats": "feature of Universal Dependencies",
}
SCHEMES = ("ud", "sd", "any")

# Smallest similarity, as in `difflib`, of a misspelt label to one of the scheme; and of a subtype,
# which need not be misspelt since schemes may allow any subtype.
MIN_SIMILARITY = 0.6
MIN_SUBTYPE_SIMILARITY = 0.8

Place = tuple[str, int, str]


@cache
def tag_tables(path: Path = SCHEME_FOLDER / "tags.toml") -> dict[str, Any]:
    """Read the known tags and features, by source: ``penn``, ``universal``, ``features``."""
    return read_toml(path).data


def unknown_names(file: TomlFile) -> tuple[UnknownName, ...]:
    r"""Return the names in a file of rules that no word can have.

    Parameters
    ----------
    file : TomlFile
        A valid file, see `wordorder.reordering.rule_reading.rules_of`.

    Returns
    -------
    tuple of UnknownName
        In the order of the file, without duplicates: labels that the file's scheme does not have
        (none if it is ``any``), tags in ``upos`` that are not universal, tags in ``xpos`` that are
        not the Penn Treebank's, features that Universal Dependencies does not have. Texts with
        ``*``, ``?`` and ``[...]`` are unknown if they match no known name.

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
        suggestions = []
        if len(names) < MAX_SUGGESTIONS:
            suggestions = _similar_names(column, text, scheme, file.data.get("classes", {}))
        hint = f" (did you mean {' or '.join(map(repr, suggestions))}?)" if suggestions else ""
        noun = _COLUMN_NOUNS[column].format(label_scheme(scheme).name if column == "label" else "")
        problem = f"{text!r} is no {noun}{hint}"
        names.append(UnknownName(file.place(*place, text), owner, column, text, problem))
    return tuple(names)


def _is_known(column: str, text: str, scheme: str) -> bool:
    """Return whether words can have a name in a column."""
    if column == "label":
        return scheme == "any" or label_scheme(scheme).means(text)
    if column == "feats":
        features = tag_tables()["features"]
        name, _, values = _LAYER.sub("", text).partition("=")
        matching = [
            feature_set for feature_set in features if Pattern("upos", (name,)).matches(feature_set)
        ]
        return any(
            all(_matches_any(value, features[name]) for value in values.split(","))
            for name in matching
        )
    return any(map(Pattern(column, (text,)).matches, _tags(column, scheme)))


def _matches_any(value: str, valid_values: list[str]) -> bool:
    """Return whether a value matches a valid one; both may have ``*``."""
    pattern = Pattern("upos", (value,))
    return any(
        pattern.matches(valid) or Pattern("upos", (valid,)).matches(value) for valid in valid_values
    )


def _tags(column: str, scheme: str) -> list[str]:
    """Return the valid tags of a column."""
    tags = tag_tables()
    if column == "xpos":
        return list(tags["penn"])
    return [*tags["universal"], *(tags["older"] if scheme != "ud" else ())]


def _similar_names(column: str, text: str, scheme: str, classes: Mapping[str, Any]) -> list[str]:
    """Return known names that are similar to a misspelt one."""
    if column == "label":
        class_names = difflib.get_close_matches(text, classes, 1, MIN_SUBTYPE_SIMILARITY)
        label = label_scheme(scheme).nearest(text)
        return class_names or ([label] if label else [])
    if column == "feats":
        features = tag_tables()["features"].items()
        valid = [f"{name}={value}" for name, values in features for value in values]
        return difflib.get_close_matches(text, valid, 1)
    return difflib.get_close_matches(text.upper(), _tags(column, scheme), 2)


def _names_of_file(file: TomlFile) -> Iterator[tuple[tuple[str, str], str, Place]]:
    """Yield each name as (column, text), its owner as in messages, and its place in the file."""
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
    """Yield the names, as (column, text), in a condition or in a list of entries of an order."""
    if isinstance(value, str):
        if value not in classes and value not in (SELF, OTHER_CHILDREN):
            yield "label", value
    elif isinstance(value, list):
        for item in value:
            yield from _names(item, classes)
    elif isinstance(value, dict):
        if "equal" in value:
            yield from _names(value["equal"], classes)
            return
        for column in _COLUMN_NOUNS:
            # Here a text is never the name of a class.
            texts = value.get(column, [])
            for text in texts if isinstance(texts, list) else [texts]:
                for part in text.split("|") if column == "feats" else [text]:
                    yield column, part
        for key in ("parent", "child", "not"):
            yield from _names(value.get(key, []), classes)


@dataclass(frozen=True)
class LabelScheme:
    """The relations of an annotation scheme.

    Attributes
    ----------
    key : str
        The name in files of rules: ``ud``, ``sd``.
    name : str
        The name in messages: ``Universal Dependencies``.
    labels, subtypes : tuple of str
        The relations, and their known subtypes.
    any_subtype : bool
        Whether all other subtypes of a relation are valid too.
    patterns : tuple of str
        Patterns of further labels.
    others : tuple of str
        Labels that are valid, but do not identify this scheme.

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
        """Return whether a label is valid in this scheme."""
        return label in self.others or self.has(label)

    def has(self, label: str) -> bool:
        """Return whether a label is valid and identifies this scheme."""
        base, colon, subtype = label.partition(":")
        if label in self.labels or label in self.subtypes or self._pattern.matches(label):
            return True
        return self.any_subtype and colon == ":" and base in self.labels and subtype != ""

    def means(self, text: str) -> bool:
        """Return whether a label or pattern of a rule matches a label of this scheme.

        A subtype similar to a known one does not match: it is probably misspelt.
        """
        if text in self._known_labels or text in self.patterns:
            return True
        base, _, subtype = text.partition(":")
        is_free_subtype = self.any_subtype and subtype != ""
        if WILDCARDS & set(text):
            matches = any(map(Pattern("label", (text,)).matches, self._known_labels))
            return matches or (is_free_subtype and self.means(base))
        if is_free_subtype:
            return base in self._known_labels and self.nearest(text) is None
        return self.knows(text.removesuffix(":"))

    def nearest(self, text: str) -> str | None:
        """Return the label of the scheme that is most similar to a misspelt one, or None."""
        base = text.partition(":")[0]
        if self.any_subtype and base in self._known_labels:
            subtypes = [label for label in self.subtypes if label.startswith(f"{base}:")]
            tails = {label.partition(":")[2]: label for label in subtypes}
            subtype = text.partition(":")[2]
            similar = difflib.get_close_matches(subtype, tails, 1, MIN_SUBTYPE_SIMILARITY)
            return tails[similar[0]] if similar else None
        lowercase = {label.lower(): label for label in sorted(self._known_labels)}
        similar = difflib.get_close_matches(text.lower(), lowercase, 1, MIN_SIMILARITY)
        return lowercase[similar[0]] if similar else None

    @cached_property
    def _known_labels(self) -> frozenset[str]:
        return frozenset((*self.labels, *self.subtypes, *self.others))

    @cached_property
    def _pattern(self) -> Pattern:
        return Pattern("label", self.patterns)


@cache
def label_scheme(key: str) -> LabelScheme:
    """Return a built-in scheme.

    Parameters
    ----------
    key : {"ud", "sd"}
    """
    data = read_toml(SCHEME_FOLDER / f"{key}.toml").data
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
    """Count the words with each label, the most frequent first; ``_`` is not a label.

    Examples
    --------
    >>> bank = Treebank.from_words([["it", "ate", "it"]], label=[["nsubj", "_", "dobj"]])
    >>> label_counts(bank)
    {'dobj': 1, 'nsubj': 1}
    """
    return {label: n for label, n in treebank.label.counts().items() if label != NO_VALUE}


def foreign_labels(scheme: LabelScheme, treebank: Treebank) -> dict[str, int]:
    """Count the words with each label that is not valid in a scheme, the most frequent first.

    Examples
    --------
    >>> bank = Treebank.from_words([["it", "ate", "it"]], label=[["nsubj", "root", "dobj"]])
    >>> foreign_labels(label_scheme("ud"), bank), foreign_labels(label_scheme("sd"), bank)
    ({'dobj': 1}, {})
    """
    counts = label_counts(treebank)
    return {label: count for label, count in counts.items() if not scheme.knows(label)}
