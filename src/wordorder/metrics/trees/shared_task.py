"""The scores of the shared task of CoNLL 2018, for trees of the same text."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from wordorder.arrays import Bool, Int64
from wordorder.metrics.trees.attachment import universal_part
from wordorder.metrics.trees.word_alignment import NOT_ALIGNED, SpannedWords, align_words
from wordorder.segments.trees import shared_codes
from wordorder.treebank.treebank import Treebank

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
        "Tokens": (),
        "Sentences": (),
        "Words": (),
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

# Heads of aligned words: the root, and a word that is not aligned, which is no gold word's head.
_ROOT, _UNKNOWN = -1, -2


def shared_task_scores(
    system: Treebank,
    gold: Treebank,
    names: tuple[str, str] = ("the system", "the gold trees"),
) -> dict[str, float]:
    """Return the F1 of each of `FIGURES`, in percent, over a corpus.

    Tokens and Sentences count those that span the same characters, Words those that `align_words`
    aligns. The others count aligned words: UPOS, XPOS, UFeats and Lemmas those with the right entry
    of a column, AllTags those with all three; UAS and LAS those with the right head, and label.
    CLAS counts the words whose label is one of `CONTENT`; MLAS those of them whose tag, features
    and function words are right too, and BLEX whose lemma is (Zeman et al. 2018, section 4).
    Subtypes of labels are dropped; a gold lemma ``_`` accepts any.

    Parameters
    ----------
    system, gold : Treebank
        Trees of the same text; words and sentences may be cut differently.
    names : pair of str
        Display names used in messages.

    Raises
    ------
    InputError
        If the characters of the two differ.

    Examples
    --------
    >>> words, heads = [["It", "was", "eaten"]], [[3, 3, 0]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj:pass", "aux:pass", "root"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "cop", "root"]])
    >>> scores = shared_task_scores(system, gold)
    >>> {name: round(scores[name], 2) for name in ("UAS", "LAS", "CLAS", "MLAS")}
    {'UAS': 100.0, 'LAS': 66.67, 'CLAS': 100.0, 'MLAS': 50.0}
    """
    spanned = SpannedWords.of(system, names[0]), SpannedWords.of(gold, names[1])
    gold_words = align_words(*spanned)
    words = np.flatnonzero(gold_words != NOT_ALIGNED)
    pairs = words, gold_words[words]

    def equal(column: str, change: Callable[[str], str] | None = None) -> Bool:
        """Return which aligned words have the gold entry of a column."""
        system_column, gold_column = (bank.columns[column] for bank in (system, gold))
        if change is not None:
            system_column, gold_column = system_column.map(change), gold_column.map(change)
        codes, gold_codes, _ = shared_codes(
            system_column.take(pairs[0]), gold_column.take(pairs[1])
        )
        result: Bool = codes == gold_codes
        return result

    heads = _aligned_heads(system.above, gold_words)
    right_head = heads[pairs[0]] == gold.above[pairs[1]]
    arc = right_head & equal("label", universal_part)
    upos, xpos, feats = equal("upos"), equal("xpos"), equal("feats", _universal)
    lemma = equal("lemma") | ~gold.columns["lemma"].take(pairs[1]).has_value()
    content, gold_content = (_has_label(bank, CONTENT) for bank in (system, gold))
    content_arc = arc & gold_content[pairs[1]]
    right_helpers = _right_function_words(system, gold, pairs, arc & upos & feats)
    every = system.words, gold.words
    content_words = int(content.sum()), int(gold_content.sum())
    of_words = {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": upos & xpos & feats,
        "Lemmas": lemma,
        "UAS": right_head,
        "LAS": arc,
    }
    of_content = {
        "CLAS": content_arc,
        "MLAS": content_arc & upos & feats & right_helpers,
        "BLEX": content_arc & lemma,
    }
    return {
        "Tokens": _span_f1(*(side.tokens for side in spanned)),
        "Sentences": _span_f1(*(side.sentences for side in spanned)),
        "Words": _f1(len(words), *every),
        **{name: _f1(int(right.sum()), *every) for name, right in of_words.items()},
        **{name: _f1(int(right.sum()), *content_words) for name, right in of_content.items()},
    }


def _f1(common: int, system_words: int, gold_words: int) -> float:
    """Return 100 times the harmonic mean of precision and recall; 0 where both sides are empty."""
    return 100 * (2 * common / (system_words + gold_words)) if system_words + gold_words else 0.0


def _span_f1(system_spans: Int64, gold_spans: Int64) -> float:
    """Return the F1 of spans, int64[., 2] each; those of a side do not overlap."""
    _, index, gold_index = np.intersect1d(system_spans[:, 0], gold_spans[:, 0], return_indices=True)
    common = int((system_spans[index, 1] == gold_spans[gold_index, 1]).sum())
    return _f1(common, len(system_spans), len(gold_spans))


def _aligned_heads(above: Int64, gold_words: Int64) -> Int64:
    """Return the gold word of the head of each word, `_ROOT` or `_UNKNOWN`, int64[N]."""
    known_words = np.where(gold_words == NOT_ALIGNED, _UNKNOWN, gold_words)
    # One more entry, the last, for the root.
    return np.append(known_words, _ROOT)[above]


def _has_label(treebank: Treebank, labels: frozenset[str]) -> Bool:
    """Return which words have one of some labels, subtypes aside, bool[N]."""
    return treebank.label.apply(lambda label: universal_part(label) in labels, np.bool_)


def _right_function_words(
    system: Treebank, gold: Treebank, pairs: tuple[Int64, Int64], right: Bool
) -> Bool:
    """Return which aligned words have the gold function words, all of them `right`, no others."""
    all_right = np.ones(len(right), np.bool_)
    for bank, words in zip((system, gold), pairs, strict=True):
        # A function word whose gold word is right has the same label, so that is one too.
        wrong = _has_label(bank, FUNCTION) & (bank.above >= 0)
        wrong[words[right]] = False
        is_incomplete = np.zeros(bank.words, np.bool_)
        is_incomplete[bank.above[wrong]] = True
        all_right &= ~is_incomplete[words]
    return all_right


def _universal(features: str) -> str:
    """Return the universal features of a word in alphabetical order.

    Examples
    --------
    >>> _universal("Person=3|Case=Nom|Style=Coll"), _universal("_")
    ('Case=Nom|Person=3', '')
    """
    pairs = features.split("|")
    return "|".join(sorted(pair for pair in pairs if pair.split("=", 1)[0] in FEATURES))
