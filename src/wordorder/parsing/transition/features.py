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
from wordorder.treebank.treebank import NO_VALUE, Column, Treebank, combine_columns

# The parts of a configuration in the order of `kernels.parsing`: words, labels of words (``S0.l``),
# numbers of children (``S0.vl``), sets of their labels (``S0.sl``, two numbers each), and the
# distance ``d``. S0 is the top of the stack and S1 the word below it; ``h``, ``l`` and ``r`` are
# the head and the outermost children, ``2`` is the next head or child.
FEATURE_PARTS = (
    *("S0", "S1", "S0.l"),
    *("S0.vl", "S0l", "S0l.l", "S0l2", "S0l2.l", "S0.sl", "S0.sl+"),
    *("S0.vr", "S0r", "S0r.l", "S0r2", "S0r2.l", "S0.sr", "S0.sr+"),
    *("N0.vl", "N0l", "N0l.l", "N0l2", "N0l2.l", "N0.sl", "N0.sl+"),
    *("N0", "N1", "N2", "N3"),
    *("d", "S1.l", "S0h", "S0h.l", "S0h2"),
)

# The attributes of a word: form, tag and universal tag.
WORD_COLUMNS = ("w", "p", "u")

# Parts that change together.
FAMILIES = {
    "head": ("S1", "S0h", "S0h2", "S0.l", "S0h.l", "S1.l"),
    "left": ("S0l", "S0l2", "S0l.l", "S0l2.l", "S0.vl", "S0.sl", "S0.sl+"),
    "right": ("S0r", "S0r2", "S0r.l", "S0r2.l", "S0.vr", "S0.sr", "S0.sr+"),
    "children": ("N0l", "N0l2", "N0l.l", "N0l2.l", "N0.vl", "N0.sl", "N0.sl+"),
    "stack": ("S0", "d"),
    "buffer": ("N0", "N1", "N2", "N3"),
}

# Groups with fewer templates are merged.
MIN_GROUP_SIZE = 4

_WORD_ATOMS = ("N0.w", "N1.w", "S0.w", "S0h.w")
_TAG_ATOMS = ("N0.p", "N1.p", "N2.p", "N3.p", "S0.p", "S1.p")
_LABEL_ATOMS = ("S0.l", "S0l.l", "S0r.l", "N0l.l")

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

# Not in the paper. Tags are pairs of UPOS and XPOS; these templates use UPOS alone.
_UNIVERSAL = """
S0.u; N0.u; S0.u N0.u; S0.w N0.u; S0.u N0.w; S0.u N0.u d; S0.u N0.u N1.u; N0.u N1.u N2.u
S0h.u S0.u N0.u; S0.u S0l.u N0.u; S0.u S0r.u N0.u; S0.u N0.u N0l.u
"""

FEATURE_SETS = ("katz-brown", "hall", "zhang-nivre")

# Tables with this number of tags squared fit into memory. With more tags, universal tags are the
# classes; if there are also more of these, the rarest are one class.
MAX_CLASSES = 500

# Code 0: the word does not exist; code 1: the model does not know its string.
UNKNOWN_STRING = 1
FIRST_KNOWN = 2
STRING_ARRAYS = ("forms", "tags", "universal")


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Feature templates, grouped by the parts of the configuration that they read.

    Attributes
    ----------
    templates : tuple of str
        The atoms of each template, separated by spaces: ``S0.w N0.p``.
    tables : tuple of int32 arrays
        The templates encoded for `kernels.parsing`: part and column of each atom; the offsets of
        each template's atoms, of each group's templates and of each group's parts; parts; atoms.
    seeds : uint64[T]
        The start value of the keys of each template, which depends on its text alone.
    """

    templates: tuple[str, ...]
    tables: tuple[Int32, ...]
    seeds: UInt64

    @classmethod
    def of(cls, templates: Iterable[str]) -> FeatureSet:
        """Group templates by the parts that they read, and number their atoms."""
        template_list = list(templates)
        # Each group takes time for each hypothesis, so the smaller grouping is used.
        groups = min(
            _group_templates(template_list, narrow=True),
            _group_templates(template_list, narrow=False),
            key=len,
        )
        ordered = [template for group in groups for template in group]
        atoms: dict[tuple[str, str], int] = {}
        rows = [[atoms.setdefault(atom, len(atoms)) for atom in _parse_atoms(t)] for t in ordered]
        parts = [
            sorted({FEATURE_PARTS.index(part) for t in group for part, _ in _parse_atoms(t)})
            for group in groups
        ]
        tables = [
            [FEATURE_PARTS.index(part) for part, _ in atoms],
            [WORD_COLUMNS.index(column) if column else -1 for _, column in atoms],
            *(_row_starts(rows), _row_starts(groups), _row_starts(parts)),
            [number for row in parts for number in row],
            [number for row in rows for number in row],
        ]
        digests = [hashlib.blake2b(t.encode(), digest_size=8).digest() for t in ordered]
        seeds = np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)
        return cls(tuple(ordered), tuple(np.array(table, np.int32) for table in tables), seeds)

    @property
    def groups(self) -> int:
        """The number of groups of templates."""
        return len(self.tables[3]) - 1

    @property
    def atoms(self) -> int:
        """The number of distinct atoms of the templates."""
        return len(self.tables[0])


def _parse_atoms(template: str) -> list[tuple[str, str]]:
    """Return the atoms of a template: the part, and the column if the part is a word."""
    atom_pairs = []
    for atom in template.split():
        if atom in FEATURE_PARTS:
            atom_pairs.append((atom, ""))
            if atom + "+" in FEATURE_PARTS:
                atom_pairs.append((atom + "+", ""))
        else:
            part, _, column = atom.partition(".")
            atom_pairs.append((part, column))
    return atom_pairs


def _group_templates(templates: Iterable[str], *, narrow: bool) -> list[list[str]]:
    """Group templates by the families of their parts, to which stack and buffer may be added.

    With `narrow`, the buffer is added only to groups of one family, and small groups are merged.
    """
    groups: dict[frozenset[str], list[str]] = {}
    for template in templates:
        template_parts = {part for part, _ in _parse_atoms(template)}
        names = {name for name, parts in FAMILIES.items() if template_parts & set(parts)}
        if not names <= {"buffer", "children"}:
            names.add("stack")
        if not narrow or len(names) == 1:
            names.add("buffer")
        groups.setdefault(frozenset(names), []).append(template)
    if not narrow:
        return list(groups.values())
    small_groups = [
        template for group in groups.values() if len(group) < MIN_GROUP_SIZE for template in group
    ]
    return [group for group in groups.values() if len(group) >= MIN_GROUP_SIZE] + (
        [small_groups] if small_groups else []
    )


def _row_starts(rows: Sequence[Sequence[object]]) -> list[int]:
    return [0, *np.cumsum([len(row) for row in rows]).tolist()]


def _split_templates(text: str) -> list[str]:
    return [t.strip() for line in text.strip().splitlines() for t in line.split(";") if t.strip()]


def _conjunctions(atoms: Sequence[str]) -> list[str]:
    return [" ".join(combination) for size in (2, 3) for combination in combinations(atoms, size)]


def _templates(name: str) -> list[str]:
    if name == "katz-brown":
        return [
            *_WORD_ATOMS,
            *_TAG_ATOMS,
            *_LABEL_ATOMS,
            *_conjunctions((*_TAG_ATOMS, *_LABEL_ATOMS)),
        ]
    if name == "hall":
        atoms = (*_WORD_ATOMS, *_TAG_ATOMS, *_LABEL_ATOMS)
        return [*atoms, *_conjunctions(atoms)]
    return _split_templates(_ZHANG_NIVRE + _UNIVERSAL)


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
    """The codes of forms, tags and universal tags.

    The tag of a word is the pair of its UPOS and XPOS. An unknown pair is treated as the most
    frequent pair with the same XPOS, otherwise with the same UPOS, so that treebanks with only one
    of the two can be parsed.

    Parameters
    ----------
    forms, tags, universal : sequence of str
        The known strings, distinct, the most frequent first, with codes from 2 on. A tag is UPOS
        and XPOS with a tab in between.
    lowercase : bool
        Whether words are lowercased.
    feats : sequence of str
        The features of FEATS, such as ``Case``, that are added to XPOS, as in ``NN|Case=Acc``.

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
        # A treebank without UPOS has XPOS as both.
        self._one_kind = all(len(set(tag.split("\t"))) == 1 for tag in self.tags)
        self._form = _number_strings(self.forms)
        self._universal = _number_strings(self.universal)
        self._tag = _number_strings(self.tags)
        for tag, number in _number_strings(self.tags).items():
            universal_tag, _, specific_tag = tag.partition("\t")
            keys = (_specific_key(specific_tag), _bare_key(tag), _universal_key(universal_tag))
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
        """Return the encoding of the strings of a treebank.

        Parameters
        ----------
        treebank : Treebank
        least : int
            Forms that occur less often are unknown.
        lowercase : bool
        text : Treebank, optional
            Further sentences whose forms are added; their tags are not.
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
        """The number of codes of forms, tags and universal tags."""
        return (
            FIRST_KNOWN + len(self.forms),
            FIRST_KNOWN + len(self.tags),
            FIRST_KNOWN + len(self.universal),
        )

    @property
    def class_count(self) -> int:
        """The number of word classes, on which the possible labels depend."""
        return min(self.classes[self._class_column], MAX_CLASSES)

    def word_classes(self, words: Int32) -> Int32:
        """Return the class of each word: its tag, or the last class for the rarest tags."""
        return np.minimum(words[:, self._class_column], self.class_count - 1)

    @property
    def _class_column(self) -> int:
        """The column of the classes: tags, or universal tags if there are too many tags."""
        return 1 if self.classes[1] <= MAX_CLASSES else 2

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the known tags of ``upos`` and ``xpos``; empty for a column it never saw."""
        upos = () if self._one_kind else self.universal
        xpos = {tag.partition("\t")[2] for tag in self.tags}
        if self.feats:
            xpos = {tag.partition(FEATURE_SEPARATOR)[0] for tag in xpos}
        return {"upos": frozenset(upos) - {NO_VALUE}, "xpos": frozenset(xpos) - {NO_VALUE}}

    def encode(self, sentences: Treebank) -> Int32:
        """Return the codes of form, tag and universal tag of each word, int32[N, 3]."""
        forms = sentences.form.map(str.lower) if self.lowercase else sentences.form
        upos, xpos = _tag_columns(sentences, self.feats)
        if self._one_kind and xpos.has_value().any():
            upos = xpos
        codes = np.empty((sentences.words, 3), np.int32)
        codes[:, 0] = forms.encode(self._form, UNKNOWN_STRING)
        codes[:, 1] = self._tag_numbers(upos, xpos)
        codes[:, 2] = upos.encode(self._universal, UNKNOWN_STRING)
        return codes

    def arrays(self, prefix: str) -> dict[str, Array]:
        """Return the arrays of all strings by name."""
        string_lists = zip(STRING_ARRAYS, (self.forms, self.tags, self.universal), strict=True)
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
        """Rebuild the encoding from the result of `arrays`.

        Raises
        ------
        ModelError
            If an array is missing or damaged.
        """
        forms, tags, universal = (
            strings_from_arrays(f"{prefix}.{name}", arrays) for name in STRING_ARRAYS
        )
        return cls(forms, tags, universal, lowercase=lowercase, feats=feats)

    def _tag_numbers(self, upos: Column, xpos: Column) -> Int32:
        """Return the code of each word's pair of tags."""
        pairs, rows = combine_columns([upos, xpos])
        pair_numbers = np.empty(len(pairs), np.int32)
        for i, (universal, specific) in enumerate(pairs):
            pair = f"{universal}\t{specific}"
            keys = (pair, _bare_key(pair), _specific_key(specific), _universal_key(universal))
            pair_numbers[i] = next(
                (self._tag[key] for key in keys if key in self._tag), UNKNOWN_STRING
            )
        return pair_numbers[rows]


def _specific_key(tag: str) -> str:
    """Return the key of the most frequent pair with a language-specific tag."""
    return f"\t\t{tag}" if tag != NO_VALUE else ""


def _universal_key(tag: str) -> str:
    """Return the key of the most frequent pair with a universal tag."""
    return f"{tag}\t\t" if tag != NO_VALUE else ""


def _bare_key(tag: str) -> str:
    """Return the key of the most frequent pair with the same tags and any features."""
    universal, _, specific = tag.partition("\t")
    return f"{universal}\t\t{specific.partition(FEATURE_SEPARATOR)[0]}"


def _tag_columns(treebank: Treebank, feats: Sequence[str]) -> tuple[Column, Column]:
    """Return UPOS (XPOS if there is no UPOS), and XPOS with some features."""
    upos, xpos = treebank.upos, treebank.xpos
    if not upos.has_value().any():
        upos = xpos
    return upos, with_features(xpos, treebank.columns["feats"], feats) if feats else xpos


def _number_strings(strings: Iterable[str]) -> dict[str, int]:
    return {string: number for number, string in enumerate(strings, FIRST_KNOWN)}
