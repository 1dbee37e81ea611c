"""Features of a transition parser: codes of words and tags, and templates for the kernel."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np

from wordorder.arrays import Array, Int32, UInt64
from wordorder.errors import choose
from wordorder.parsing.given_tags import FEATURE_SEPARATOR, with_features
from wordorder.parsing.model_file import strings_arrays, strings_from_arrays
from wordorder.treebank.treebank import NOTHING, Column, Treebank, combine_columns

# The parts of an item, in the order in which `kernels.parsing` writes them: words, labels of
# words (``S0.l``), numbers of children (``S0.vl``), sets of their labels (``S0.sl``, two numbers
# each), and the distance ``d``. S1 stands below S0; ``h``, ``l`` and ``r`` are head and outermost
# children, ``2`` is one further on.
PARTS = (
    *("S0", "S1", "S0.l"),
    *("S0.vl", "S0l", "S0l.l", "S0l2", "S0l2.l", "S0.sl", "S0.sl+"),
    *("S0.vr", "S0r", "S0r.l", "S0r2", "S0r2.l", "S0.sr", "S0.sr+"),
    *("N0.vl", "N0l", "N0l.l", "N0l2", "N0l2.l", "N0.sl", "N0.sl+"),
    *("N0", "N1", "N2", "N3"),
    *("d", "S1.l", "S0h", "S0h.l", "S0h2"),
)

# What is known about each word: form, tag and universal tag.
COLUMNS = ("w", "p", "u")

# Which parts change together.
FAMILIES = {
    "head": ("S1", "S0h", "S0h2", "S0.l", "S0h.l", "S1.l"),
    "left": ("S0l", "S0l2", "S0l.l", "S0l2.l", "S0.vl", "S0.sl", "S0.sl+"),
    "right": ("S0r", "S0r2", "S0r.l", "S0r2.l", "S0.vr", "S0.sr", "S0.sr+"),
    "children": ("N0l", "N0l2", "N0l.l", "N0l2.l", "N0.vl", "N0.sl", "N0.sl+"),
    "stack": ("S0", "d"),
    "buffer": ("N0", "N1", "N2", "N3"),
}

# Fewer templates are no group of their own.
FEW = 4

_WORDS = ("N0.w", "N1.w", "S0.w", "S0h.w")
_TAGS = ("N0.p", "N1.p", "N2.p", "N3.p", "S0.p", "S1.p")
_LABELS = ("S0.l", "S0l.l", "S0r.l", "N0l.l")

# Zhang & Nivre (2011), as ZPar has them.
_ZHANG_NIVRE = """
S0.w; S0.p; S0.w S0.p; N0.w; N0.p; N0.w N0.p; N1.w; N1.p; N1.w N1.p; N2.w; N2.p; N2.w N2.p
S0.w S0.p N0.w N0.p; S0.w S0.p N0.w; S0.w N0.w N0.p; S0.w S0.p N0.p; S0.p N0.w N0.p
S0.w N0.w; S0.p N0.p; N0.p N1.p
N0.p N1.p N2.p; S0.p N0.p N1.p; S0h.p S0.p N0.p; S0.p S0l.p N0.p; S0.p S0r.p N0.p; S0.p N0.p N0l.p
S0.w d; S0.p d; N0.w d; N0.p d; S0.w N0.w d; S0.p N0.p d
S0.w S0.vr; S0.p S0.vr; S0.w S0.vl; S0.p S0.vl; N0.w N0.vl; N0.p N0.vl
S0h.w; S0h.p; S0.l; S0l.w; S0l.p; S0l.l; S0r.w; S0r.p; S0r.l; N0l.w; N0l.p; N0l.l
S0h2.w; S0h2.p; S0h.l; S0l2.w; S0l2.p; S0l2.l; S0r2.w; S0r2.p; S0r2.l; N0l2.w; N0l2.p; N0l2.l
S0.p S0l.p S0l2.p; S0.p S0r.p S0r2.p; S0.p S0h.p S0h2.p; N0.p N0l.p N0l2.p
S0.w S0.sr; S0.p S0.sr; S0.w S0.sl; S0.p S0.sl; N0.w N0.sl; N0.p N0.sl
"""

# Not in the paper: tags are pairs of a universal tag and one of the language, and these use the
# universal tag alone.
_UNIVERSAL = """
S0.u; N0.u; S0.u N0.u; S0.w N0.u; S0.u N0.w; S0.u N0.u d; S0.u N0.u N1.u; N0.u N1.u N2.u
S0h.u S0.u N0.u; S0.u S0l.u N0.u; S0.u S0r.u N0.u; S0.u N0.u N0l.u
"""

FEATURE_SETS = ("katz-brown", "hall", "zhang-nivre")

# Tables of this number of tags squared are small enough; with more, universal tags are the
# classes, and of too many of these the rarest are one class.
MOST_CLASSES = 500

# Code 0: the word does not exist; code 1: the model does not know its string.
UNKNOWN = 1
KNOWN = 2
STRINGS = ("forms", "tags", "universal")


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Templates of features.

    Attributes
    ----------
    templates : tuple of str
        The atoms of each, separated by blanks: ``S0.w N0.p``.
    tables : tuple of int32 arrays
        The templates as `kernels.parsing` reads them: part and column of each atom; where the
        atoms of each template, the templates and the parts of each group start; parts and atoms.
    seeds : uint64[T]
        What the keys of each template start with; it depends on the template's text alone.
    """

    templates: tuple[str, ...]
    tables: tuple[Int32, ...]
    seeds: UInt64

    @classmethod
    def of(cls, templates: Iterable[str]) -> FeatureSet:
        """Group templates by the parts that they look at, and number their atoms."""
        template_list = list(templates)
        # Each group costs something whenever an item is looked at.
        groups = min(
            _groups(template_list, narrow=True), _groups(template_list, narrow=False), key=len
        )
        ordered = [template for group in groups for template in group]
        atoms: dict[tuple[str, str], int] = {}
        rows = [[atoms.setdefault(atom, len(atoms)) for atom in _atoms(t)] for t in ordered]
        parts = [
            sorted({PARTS.index(part) for t in group for part, _ in _atoms(t)}) for group in groups
        ]
        tables = [
            [PARTS.index(part) for part, _ in atoms],
            [COLUMNS.index(column) if column else -1 for _, column in atoms],
            *(_starts(rows), _starts(groups), _starts(parts)),
            [number for row in parts for number in row],
            [number for row in rows for number in row],
        ]
        digests = [hashlib.blake2b(t.encode(), digest_size=8).digest() for t in ordered]
        seeds = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
        return cls(tuple(ordered), tuple(np.array(table, np.int32) for table in tables), seeds)

    @property
    def groups(self) -> int:
        """Number of groups of templates."""
        return len(self.tables[3]) - 1

    @property
    def atoms(self) -> int:
        """Number of different atoms of the templates."""
        return len(self.tables[0])


def _atoms(template: str) -> list[tuple[str, str]]:
    """Return the atoms of a template: the part, and the column if the part is a word."""
    atom_pairs = []
    for atom in template.split():
        if atom in PARTS:
            atom_pairs.append((atom, ""))
            if atom + "+" in PARTS:
                atom_pairs.append((atom + "+", ""))
        else:
            part, _, column = atom.partition(".")
            atom_pairs.append((part, column))
    return atom_pairs


def _groups(templates: Iterable[str], *, narrow: bool) -> list[list[str]]:
    """Group templates by the families of their parts, with those that they hardly come without.

    Narrow groups see N0 only if a template of theirs does; those of few templates are joined.
    """
    groups: dict[frozenset[str], list[str]] = {}
    for template in templates:
        seen = {part for part, _ in _atoms(template)}
        names = {name for name, parts in FAMILIES.items() if seen & set(parts)}
        if not names <= {"buffer", "children"}:
            names.add("stack")
        if not narrow or len(names) == 1:
            names.add("buffer")
        groups.setdefault(frozenset(names), []).append(template)
    if not narrow:
        return list(groups.values())
    small_groups = [template for group in groups.values() if len(group) < FEW for template in group]
    return [group for group in groups.values() if len(group) >= FEW] + (
        [small_groups] if small_groups else []
    )


def _starts(rows: Sequence[Sequence[object]]) -> list[int]:
    return [0, *np.cumsum([len(row) for row in rows]).tolist()]


def _split(text: str) -> list[str]:
    return [t.strip() for line in text.strip().splitlines() for t in line.split(";") if t.strip()]


def _conjunctions(atoms: Sequence[str]) -> list[str]:
    return [" ".join(combination) for size in (2, 3) for combination in combinations(atoms, size)]


def _templates(name: str) -> list[str]:
    if name == "katz-brown":
        return [*_WORDS, *_TAGS, *_LABELS, *_conjunctions((*_TAGS, *_LABELS))]
    if name == "hall":
        atoms = (*_WORDS, *_TAGS, *_LABELS)
        return [*atoms, *_conjunctions(atoms)]
    return _split(_ZHANG_NIVRE + _UNIVERSAL)


@cache
def feature_set(name: str) -> FeatureSet:
    """Return a feature set by its name.

    Raises
    ------
    UsageError
        If the set is unknown.

    Examples
    --------
    >>> [len(feature_set(name).templates) for name in FEATURE_SETS]
    [179, 469, 84]
    """
    choose("features", name, FEATURE_SETS)
    return FeatureSet.of(_templates(name))


class Encoding:
    """Numbers for forms, tags and universal tags of words.

    The tag of a word is the pair of its universal tag and that of the language. A pair that was
    never seen counts as the most frequent one with the same tag of the language or else with the
    same universal tag; so a treebank that has only one of the two can be read, too.

    Parameters
    ----------
    forms, tags, universal : sequence of str
        The known strings, distinct, the most frequent first, numbered from 2 on. A tag is written
        with a tab between its two.
    lowercase : bool
        Whether words are read in lower case.
    feats : sequence of str
        The features of FEATS, such as ``Case``, that are part of the tag of the language: it is
        ``NN|Case=Acc`` then.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> encoding = Encoding.learn(bank)
    >>> encoding.encode(Treebank.from_words([["It", "snows"]], xpos=[["PRP", "VBZ"]])).tolist()
    [[2, 1, 1], [1, 1, 1]]
    """

    def __init__(
        self,
        forms: Sequence[str],
        tags: Sequence[str],
        universal: Sequence[str],
        *,
        lowercase: bool = False,
        feats: Sequence[str] = (),
    ) -> None:
        self.feats = tuple(feats)
        self.forms, self.tags = list(forms), list(tags)
        self.universal = list(universal)
        self.lowercase = lowercase
        # A treebank without universal tags has those of the language as both.
        self._one_kind = all(len(set(tag.split("\t"))) == 1 for tag in self.tags)
        self._form = _numbers(self.forms)
        self._universal = _numbers(self.universal)
        self._tag = _numbers(self.tags)
        for tag, number in _numbers(self.tags).items():
            universal_tag, _, own_tag = tag.partition("\t")
            keys = (_specific_key(own_tag), _bare_key(tag), _universal_key(universal_tag))
            for key in keys if self.feats else keys[::2]:
                self._tag.setdefault(key, number)

    @classmethod
    def learn(
        cls,
        treebank: Treebank,
        *,
        least: int = 1,
        lowercase: bool = False,
        text: Treebank | None = None,
        feats: Sequence[str] = (),
    ) -> Encoding:
        """Number the strings of a treebank.

        Parameters
        ----------
        treebank : Treebank
        least : int
            Forms that the treebank has less often are unknown.
        lowercase : bool
        text : Treebank, optional
            Further sentences whose forms count too; their tags do not.
        feats : sequence of str
            See `Encoding`.
        """
        form = treebank.form if text is None else Column.concatenate([treebank.form, text.form])
        forms = form.map(str.lower) if lowercase else form
        upos, xpos = _tag_columns(treebank, feats)
        tags = zip(upos.strings(), xpos.strings(), strict=True)
        return cls(
            forms.by_frequency(least),
            Column.of(map("\t".join, tags)).by_frequency(),
            upos.by_frequency(),
            lowercase=lowercase,
            feats=feats,
        )

    @property
    def classes(self) -> tuple[int, int, int]:
        """Upper bounds of the codes of forms, tags and universal tags."""
        return KNOWN + len(self.forms), KNOWN + len(self.tags), KNOWN + len(self.universal)

    @property
    def class_count(self) -> int:
        """Number of word classes, on which labels depend."""
        return min(self.classes[self._class_column], MOST_CLASSES)

    def word_classes(self, words: Int32) -> Int32:
        """Return the class of each word: the numbers of tags rise as they get rarer."""
        return np.minimum(words[:, self._class_column], self.class_count - 1)

    @property
    def _class_column(self) -> int:
        """The column whose numbers are classes: tags, or universal ones if there are too many."""
        return 1 if self.classes[1] <= MOST_CLASSES else 2

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags that are known, ``upos`` and ``xpos``; none where only the other is."""
        upos = () if self._one_kind else self.universal
        xpos = {tag.partition("\t")[2] for tag in self.tags}
        if self.feats:
            xpos = {tag.partition(FEATURE_SEPARATOR)[0] for tag in xpos}
        return {"upos": frozenset(upos) - {NOTHING}, "xpos": frozenset(xpos) - {NOTHING}}

    def encode(self, sentences: Treebank) -> Int32:
        """Return form, tag and universal tag of each word, int32[N, 3]."""
        forms = sentences.form.map(str.lower) if self.lowercase else sentences.form
        upos, xpos = _tag_columns(sentences, self.feats)
        if self._one_kind and xpos.has_value().any():
            upos = xpos
        codes = np.empty((sentences.words, 3), np.int32)
        codes[:, 0] = forms.encode(self._form, UNKNOWN)
        codes[:, 1] = self._tag_numbers(upos, xpos)
        codes[:, 2] = upos.encode(self._universal, UNKNOWN)
        return codes

    def arrays(self, prefix: str) -> dict[str, Array]:
        """Return all strings as arrays."""
        string_lists = zip(STRINGS, (self.forms, self.tags, self.universal), strict=True)
        arrays: dict[str, Array] = {}
        for name, strings in string_lists:
            arrays |= strings_arrays(f"{prefix}.{name}", strings)
        return arrays

    @classmethod
    def from_arrays(
        cls,
        prefix: str,
        arrays: Mapping[str, Array],
        *,
        lowercase: bool = False,
        feats: Sequence[str] = (),
    ) -> Encoding:
        """Rebuild it from such arrays.

        Raises
        ------
        ModelError
            If they are missing or damaged.
        """
        forms, tags, universal = (
            strings_from_arrays(f"{prefix}.{name}", arrays) for name in STRINGS
        )
        return cls(forms, tags, universal, lowercase=lowercase, feats=feats)

    def _tag_numbers(self, upos: Column, xpos: Column) -> Int32:
        """Return the number of each word's pair of tags."""
        pairs, places = combine_columns([upos, xpos])
        table = np.empty(len(pairs), np.int32)
        for i, (universal, specific) in enumerate(pairs):
            pair = f"{universal}\t{specific}"
            keys = (pair, _bare_key(pair), _specific_key(specific), _universal_key(universal))
            table[i] = next((self._tag[key] for key in keys if key in self._tag), UNKNOWN)
        return table[places]


def _specific_key(tag: str) -> str:
    """Return the key of the most frequent pair with a language-specific tag."""
    return f"\t\t{tag}" if tag != NOTHING else ""


def _universal_key(tag: str) -> str:
    """Return the key of the most frequent pair with a universal tag."""
    return f"{tag}\t\t" if tag != NOTHING else ""


def _bare_key(tag: str) -> str:
    """Return the key of the most frequent pair with the same tags and any features."""
    universal, _, specific = tag.partition("\t")
    return f"{universal}\t\t{specific.partition(FEATURE_SEPARATOR)[0]}"


def _tag_columns(treebank: Treebank, feats: Sequence[str]) -> tuple[Column, Column]:
    """Return universal tags and those of the language; the latter as both if they are all."""
    upos, xpos = treebank.upos, treebank.xpos
    if not upos.has_value().any():
        upos = xpos
    return upos, with_features(xpos, treebank.columns["feats"], feats) if feats else xpos


def _numbers(strings: Iterable[str]) -> dict[str, int]:
    return {string: number for number, string in enumerate(strings, KNOWN)}
