"""What a learned rule may ask of a word: conditions of the rule language that hold often enough."""

from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np

from wordorder.arrays import Int64
from wordorder.reordering.compiled import at_positions
from wordorder.reordering.conditions import Clause, Condition, Pattern, Position, Predicate
from wordorder.treebank.treebank import NOTHING, Column, Treebank

# A form says less about other texts than a tag or a label: it must occur so much more often.
FORMS = 2
# Words of grammar: a phrase is known by the form of one of these below it.
MARKERS = ("case", "mark", "det", "aux", "cop", "advmod", "cc")


_PARTS = fields(Clause)


@dataclass(frozen=True, eq=False)
class Feature:
    """A condition and the words for which it holds.

    Attributes
    ----------
    name : str
        For names of classes: ``obl``, ``of``, ``under_VERB``.
    clause : Clause
    words : int64
        Numbers of words in the treebank, rising.
    """

    name: str
    clause: Clause
    words: Int64


def labels_of(treebank: Treebank, least: int) -> list[Feature]:
    """Return the labels that at least `least` words have, without their subtypes and with them."""
    with_subtype = [
        feature for feature in _of_column("label", treebank.label, least) if ":" in feature.name
    ]
    return [*_of_column("label", _bases(treebank.label), least), *with_subtype]


def features_of(treebank: Treebank, least: int) -> list[Feature]:
    """Return the conditions that hold for at least `least` words, labels of their own aside.

    Of the word: tags, forms, position. Of its parent: tags, label, forms, position. Of its
    children: labels, and forms of words of grammar.

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
        *_of_column("upos", treebank.upos, least),
        *_of_column("xpos", treebank.xpos, least),
        *_of_column("form", forms, FORMS * least),
    ]
    for place in ("left", "right", "root", "first", "final"):
        words = np.flatnonzero(at_positions(treebank, [place]))
        features.append(Feature(f"at_{place}", Clause((Position((place,)),)), words))
    features += list(_below(treebank, heads, forms, least))
    features += list(_above(treebank, heads, forms, least))
    return [feature for feature in features if least <= len(feature.words) < treebank.words]


def conjunction(first: Clause, second: Clause) -> Clause | None:
    """Return the conjunction of two conditions; None if no table of a rule file can express it."""
    both = Clause(*(getattr(first, part.name) + getattr(second, part.name) for part in _PARTS))
    if len(both.child) > 1 or _repeats(both.own) or _repeats(both.parent):
        return None
    return both


def _repeats(predicates: tuple[Predicate, ...]) -> bool:
    columns = [p.column if isinstance(p, Pattern) else "position" for p in predicates]
    return len(set(columns)) < len(columns)


def _of_column(name: str, column: Column, least: int) -> Iterator[Feature]:
    """Yield the conditions that ask for one text of a column."""
    for text, words in _texts(column, least):
        yield Feature(text, Clause((Pattern(name, (text,)),)), words)


def _below(treebank: Treebank, heads: Int64, forms: Column, least: int) -> Iterator[Feature]:
    """Yield conditions on children."""
    bases = _bases(treebank.label)
    for label, words in _texts(bases, least):
        parent_label = Pattern("label", (label,))
        above = np.unique(heads[words[heads[words] >= 0]])
        yield Feature(
            f"with_{label}", Clause(child=(Condition((Clause((parent_label,)),)),)), above
        )
        if label not in MARKERS:
            continue
        for form, places in _texts(forms.take(words), FORMS * least):
            both = Condition((Clause((parent_label, Pattern("form", (form,)))),))
            head_words = heads[words[places]]
            yield Feature(
                f"with_{form}", Clause(child=(both,)), np.unique(head_words[head_words >= 0])
            )


def _above(treebank: Treebank, heads: Int64, forms: Column, least: int) -> Iterator[Feature]:
    """Yield conditions on the parent."""
    below = np.flatnonzero(heads >= 0)
    columns = {
        "upos": treebank.upos,
        "xpos": treebank.xpos,
        "label": _bases(treebank.label),
        "form": forms,
    }
    for key, column in columns.items():
        often = FORMS * least if key == "form" else least
        for text, places in _texts(column.take(heads[below]), often):
            clause = Clause(parent=(Pattern(key, (text,)),))
            yield Feature(f"under_{text}", clause, below[places])
    for place in ("left", "right", "root"):
        holds = at_positions(treebank, [place])
        words = below[holds[heads[below]]]
        yield Feature(f"under_{place}", Clause(parent=(Position((place,)),)), words)


def is_plain(text: str) -> bool:
    """Return whether a text of a treebank is no pattern in a rule file, and no part of a label."""
    return text != NOTHING and not set(text) & set("*?[]|:")


def _texts(column: Column, least: int) -> Iterator[tuple[str, Int64]]:
    """Yield each text that is frequent enough and is no pattern, with the words that have it."""
    if not len(column):
        return
    order = np.argsort(column.codes, kind="stable")
    codes, starts = np.unique(column.codes[order], return_index=True)
    for code, words in zip(codes.tolist(), np.split(order, starts[1:]), strict=True):
        text = column.vocabulary.words[code]
        if len(words) >= least and is_plain(text):
            yield text, words


def _bases(column: Column) -> Column:
    """Return labels without subtypes: nsubj for nsubj:pass."""
    return column.merged(lambda label: label.partition(":")[0])
