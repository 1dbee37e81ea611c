"""Conditions on words that learned rules may use: those that hold often enough."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from wordorder.arrays import Int64
from wordorder.reordering.compiled import at_positions
from wordorder.reordering.conditions import Clause, Condition, Pattern, Position, Predicate
from wordorder.treebank.treebank import NO_VALUE, Column, Treebank

# Forms generalise less than tags and labels, so they must occur this many times as often.
FORM_FACTOR = 2
# Labels of function words, whose forms characterise a phrase.
MARKER_LABELS = ("case", "mark", "det", "aux", "cop", "advmod", "cc")


_CLAUSE_PARTS = fields(Clause)


@dataclass(frozen=True, eq=False)
class Feature:
    """A condition and the words for which it holds.

    Attributes
    ----------
    name : str
        A name for classes: ``obl``, ``of``, ``under_VERB``.
    clause : Clause
    words : int64
        Ascending indices of words in the treebank.
    """

    name: str
    clause: Clause
    words: Int64


def labels_of(treebank: Treebank, min_count: int) -> list[Feature]:
    """Return the labels that at least `min_count` words have, without and with subtypes."""
    with_subtype = [
        feature
        for feature in _column_features("label", treebank.label, min_count)
        if ":" in feature.name
    ]
    return [*_column_features("label", _base_labels(treebank.label), min_count), *with_subtype]


def features_of(treebank: Treebank, min_count: int) -> list[Feature]:
    """Return the conditions that hold for at least `min_count` words, except on their own labels.

    On the word: tags, forms, position. On its parent: tags, label, forms, position. On its
    children: labels, and forms of function words.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]], heads=[[2, 0]], label=[["nsubj", "root"]],
    ...                            upos=[["PRON", "VERB"]])
    >>> [each.name for each in features_of(bank, 1)][:4]
    ['PRON', 'VERB', 'at_left', 'at_root']
    """
    heads = treebank.above
    forms = treebank.form.merged(str.lower)
    features = [
        *_column_features("upos", treebank.upos, min_count),
        *_column_features("xpos", treebank.xpos, min_count),
        *_column_features("form", forms, FORM_FACTOR * min_count),
    ]
    for position in ("left", "right", "root", "first", "final"):
        words = np.flatnonzero(at_positions(treebank, [position]))
        features.append(Feature(f"at_{position}", Clause((Position((position,)),)), words))
    features += list(_child_features(treebank, heads, forms, min_count))
    features += list(_parent_features(treebank, heads, forms, min_count))
    return [feature for feature in features if min_count <= len(feature.words) < treebank.words]


def conjunction(first: Clause, second: Clause) -> Clause | None:
    """Return the conjunction of two conditions; None if no table of a rule file can express it."""
    clause = Clause(
        *(getattr(first, part.name) + getattr(second, part.name) for part in _CLAUSE_PARTS)
    )
    if len(clause.child) > 1 or _repeats(clause.own) or _repeats(clause.parent):
        return None
    return clause


def _repeats(predicates: tuple[Predicate, ...]) -> bool:
    columns = [p.column if isinstance(p, Pattern) else "position" for p in predicates]
    return len(set(columns)) < len(columns)


def _column_features(name: str, column: Column, min_count: int) -> Iterator[Feature]:
    """Yield a condition for each frequent text of a column."""
    for text, words in _frequent_texts(column, min_count):
        yield Feature(text, Clause((Pattern(name, (text,)),)), words)


def _child_features(
    treebank: Treebank, heads: Int64, forms: Column, min_count: int
) -> Iterator[Feature]:
    """Yield conditions on children."""
    bases = _base_labels(treebank.label)
    for label, words in _frequent_texts(bases, min_count):
        parent_label = Pattern("label", (label,))
        head_indices = np.unique(heads[words[heads[words] >= 0]])
        yield Feature(
            f"with_{label}", Clause(child=(Condition((Clause((parent_label,)),)),)), head_indices
        )
        if label not in MARKER_LABELS:
            continue
        for form, matches in _frequent_texts(forms.take(words), FORM_FACTOR * min_count):
            condition = Condition((Clause((parent_label, Pattern("form", (form,)))),))
            head_words = heads[words[matches]]
            yield Feature(
                f"with_{form}", Clause(child=(condition,)), np.unique(head_words[head_words >= 0])
            )


def _parent_features(
    treebank: Treebank, heads: Int64, forms: Column, min_count: int
) -> Iterator[Feature]:
    """Yield conditions on the parent."""
    dependents = np.flatnonzero(heads >= 0)
    columns = {
        "upos": treebank.upos,
        "xpos": treebank.xpos,
        "label": _base_labels(treebank.label),
        "form": forms,
    }
    for key, column in columns.items():
        min_text_count = FORM_FACTOR * min_count if key == "form" else min_count
        for text, matches in _frequent_texts(column.take(heads[dependents]), min_text_count):
            clause = Clause(parent=(Pattern(key, (text,)),))
            yield Feature(f"under_{text}", clause, dependents[matches])
    for position in ("left", "right", "root"):
        holds = at_positions(treebank, [position])
        words = dependents[holds[heads[dependents]]]
        yield Feature(f"under_{position}", Clause(parent=(Position((position,)),)), words)


def is_plain(text: str) -> bool:
    """Return whether a text has no characters that are special in rule files or labels."""
    return text != NO_VALUE and not set(text) & set("*?[]|:")


def _frequent_texts(column: Column, min_count: int) -> Iterator[tuple[str, Int64]]:
    """Yield the frequent plain texts of a column, with the indices of their words."""
    if not len(column):
        return
    order = np.argsort(column.codes, kind="stable")
    codes, starts = np.unique(column.codes[order], return_index=True)
    for code, words in zip(codes.tolist(), np.split(order, starts[1:]), strict=True):
        text = column.vocabulary.words[code]
        if len(words) >= min_count and is_plain(text):
            yield text, words


def _base_labels(column: Column) -> Column:
    """Return labels without subtypes: nsubj for nsubj:pass."""
    return column.merged(lambda label: label.partition(":")[0])
