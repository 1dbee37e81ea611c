"""The scores of the shared task of CoNLL 2018, for trees of the same words as the gold ones."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from wordorder.arrays import Bool
from wordorder.metrics.trees.attachment import universal_part
from wordorder.segments.trees import Trees

# Relations to a word of content, and to a word that only helps another.
CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
FUNCTION = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
# The features of Universal Dependencies that count; those of one language do not.
FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm "
    "Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)
# What each figure counts, as a signature says it.
FIGURES: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
    {
        "UPOS": (),
        "XPOS": (),
        "UFeats": (("features", "universal"),),
        "AllTags": (("features", "universal"),),
        "Lemmas": (),
        "UAS": (("punctuation", "include"),),
        "LAS": (("subtypes", "drop"), ("punctuation", "include")),
        "CLAS": (("subtypes", "drop"), ("words", "content")),
        "MLAS": (("subtypes", "drop"), ("words", "content"), ("features", "universal")),
        "BLEX": (("subtypes", "drop"), ("words", "content")),
    }
)


def shared_task_scores(trees: Trees) -> dict[str, float]:
    """Return the F1 of each of `FIGURES`, in percent, over all words of a corpus.

    UPOS, XPOS, UFeats and Lemmas are shares of words with the right entry of a column, AllTags of
    those with all three; UAS and LAS of words with the right head, and label. CLAS counts the words
    whose label is one of `CONTENT`; MLAS those of them whose tag, features and function words are
    right too, and BLEX whose lemma is (Zeman et al. 2018, section 4). Subtypes of labels are
    dropped; a gold lemma ``_`` accepts any.

    Parameters
    ----------
    trees : Trees
        Sentences of the same words.

    Raises
    ------
    InputError
        If a word has no head.

    Examples
    --------
    >>> from wordorder.segments.trees import matching_trees
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["It", "was", "eaten"]], [[3, 3, 0]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj:pass", "aux:pass", "root"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "cop", "root"]])
    >>> found = shared_task_scores(matching_trees(system, gold))
    >>> {name: round(found[name], 2) for name in ("UAS", "LAS", "CLAS", "MLAS")}
    {'UAS': 100.0, 'LAS': 66.67, 'CLAS': 100.0, 'MLAS': 50.0}
    """
    heads, gold_heads = trees.heads()
    equal = {name: _equal(trees, name) for name in ("upos", "xpos")}
    equal["feats"] = _equal(trees, "feats", _universal)
    lemma = trees.gold.columns["lemma"]
    accepts_any = np.array([word == "_" for word in lemma.vocabulary.words], np.bool_)
    equal["lemma"] = _equal(trees, "lemma") | accepts_any[lemma.codes]
    equal["label"] = _equal(trees, "label", universal_part)
    content, gold_content = _labelled(trees, CONTENT)
    right_head = heads == gold_heads
    arc = right_head & equal["label"]
    every = np.ones(len(heads), np.bool_)
    tags = equal["upos"] & equal["feats"]
    whole = arc & gold_content & tags & _right_function_words(trees, arc & tags)
    counts = {
        "UPOS": (equal["upos"], every, every),
        "XPOS": (equal["xpos"], every, every),
        "UFeats": (equal["feats"], every, every),
        "AllTags": (tags & equal["xpos"], every, every),
        "Lemmas": (equal["lemma"], every, every),
        "UAS": (right_head, every, every),
        "LAS": (arc, every, every),
        "CLAS": (arc & gold_content, content, gold_content),
        "MLAS": (whole, content, gold_content),
        "BLEX": (arc & gold_content & equal["lemma"], content, gold_content),
    }
    return {name: 100 * _f1(*counts[name]) for name in FIGURES}


def _f1(right: Bool, ours: Bool, theirs: Bool) -> float:
    """Return the harmonic mean of precision and recall; 0 where there is nothing."""
    words = np.count_nonzero(ours) + np.count_nonzero(theirs)
    return float(2 * np.count_nonzero(right) / words) if words else 0.0


def _equal(trees: Trees, column: str, change: Callable[[str], str] | None = None) -> Bool:
    """Return which words have the gold entry of a column, bool[N]."""
    ours, theirs, _ = trees.codes(column, change)
    found: Bool = ours == theirs
    return found


def _labelled(trees: Trees, labels: frozenset[str]) -> tuple[Bool, Bool]:
    """Return which words have one of some labels, in the system's trees and in the gold ones."""
    ours, theirs, numbers = trees.codes("label", universal_part)
    among = np.zeros(len(numbers), np.bool_)
    among[[number for label, number in numbers.items() if label in labels]] = True
    return among[ours], among[theirs]


def _right_function_words(trees: Trees, right: Bool) -> Bool:
    """Return which words have the gold function words, all of them `right`, and no others."""
    ours, theirs = _labelled(trees, FUNCTION)
    firsts = np.repeat(trees.offsets[:-1], np.diff(trees.offsets)) - 1
    wrong = np.zeros(len(firsts), np.bool_)
    for heads, function in zip(trees.heads(), (ours, theirs), strict=True):
        bad = function & (heads > 0) & ~(right & ours & theirs)
        wrong[(firsts + heads)[bad]] = True
    return ~wrong


def _universal(features: str) -> str:
    """Return the universal features of a word in alphabetical order.

    Examples
    --------
    >>> _universal("Person=3|Case=Nom|Style=Coll"), _universal("_")
    ('Case=Nom|Person=3', '')
    """
    each = features.split("|")
    return "|".join(sorted(one for one in each if one.split("=", 1)[0] in FEATURES))
