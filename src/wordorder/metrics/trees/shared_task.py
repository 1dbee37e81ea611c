"""The scores of the CoNLL 2018 shared task, for trees of the same text."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from wordorder.arrays import Bool, Int64
from wordorder.metrics.trees.attachment import universal_part
from wordorder.metrics.trees.word_alignment import NOT_ALIGNED, SpannedWords, align_words
from wordorder.segments.trees import shared_codes
from wordorder.treebank.treebank import Treebank

# The relations of content words, and of function words.
CONTENT_RELATIONS = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod "
    "appos nummod acl amod conj fixed flat compound list parataxis orphan goeswith reparandum "
    "root dep".split()
)
FUNCTION_RELATIONS = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
# The universal features of Universal Dependencies; language-specific features are ignored.
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm "
    "Mood Tense Aspect Voice Evident Polarity Person Polite".split()
)
# The signature fields of each score.
SCORE_FIELDS: Mapping[str, tuple[tuple[str, str], ...]] = MappingProxyType(
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

# Heads that are no gold words: the root, and an unaligned word, which equals no gold head.
_ROOT, _UNALIGNED_HEAD = -1, -2


def shared_task_scores(
    system: Treebank,
    gold: Treebank,
    names: tuple[str, str] = ("the system", "the gold trees"),
) -> dict[str, float]:
    """Return the corpus F1 of each score of `SCORE_FIELDS`, in percent.

    Tokens and Sentences match if they span the same characters, Words if `align_words` aligns them.
    The other scores count aligned words (Zeman et al. 2018, section 4):

    - UPOS, XPOS, UFeats, Lemmas: with the right value in that column.
    - AllTags: with the right UPOS, XPOS and UFeats.
    - UAS: with the right head. LAS: with the right head and label.
    - CLAS: the LAS of words whose label is in `CONTENT_RELATIONS`.
    - MLAS: as CLAS, also with the right UPOS, UFeats and function words.
    - BLEX: as CLAS, also with the right lemma.

    Subtypes of labels are dropped; a gold lemma ``_`` accepts any lemma.

    Parameters
    ----------
    system, gold : Treebank
        Trees of the same text; words and sentences may be segmented differently.
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
    gold_word_of = align_words(*spanned)
    aligned_words = np.flatnonzero(gold_word_of != NOT_ALIGNED)
    aligned = aligned_words, gold_word_of[aligned_words]

    def find_equal(column: str, change: Callable[[str], str] | None = None) -> Bool:
        """Return which aligned words have the gold value in a column, bool[A]."""
        system_column, gold_column = (bank.columns[column] for bank in (system, gold))
        if change is not None:
            system_column, gold_column = system_column.map(change), gold_column.map(change)
        codes, gold_codes, _ = shared_codes(
            system_column.take(aligned[0]), gold_column.take(aligned[1])
        )
        result: Bool = codes == gold_codes
        return result

    heads = _map_heads_to_gold(system.above, gold_word_of)
    has_right_head = heads[aligned[0]] == gold.above[aligned[1]]
    has_right_arc = has_right_head & find_equal("label", universal_part)
    upos, xpos, feats = (
        find_equal("upos"),
        find_equal("xpos"),
        find_equal("feats", _keep_universal_features),
    )
    lemma = find_equal("lemma") | ~gold.columns["lemma"].take(aligned[1]).has_value()
    content, gold_content = (_has_label(bank, CONTENT_RELATIONS) for bank in (system, gold))
    content_arc = has_right_arc & gold_content[aligned[1]]
    has_right_function_words = _has_right_function_words(
        system, gold, aligned, has_right_arc & upos & feats
    )
    word_counts = system.words, gold.words
    content_counts = int(content.sum()), int(gold_content.sum())
    word_matches = {
        "UPOS": upos,
        "XPOS": xpos,
        "UFeats": feats,
        "AllTags": upos & xpos & feats,
        "Lemmas": lemma,
        "UAS": has_right_head,
        "LAS": has_right_arc,
    }
    content_matches = {
        "CLAS": content_arc,
        "MLAS": content_arc & upos & feats & has_right_function_words,
        "BLEX": content_arc & lemma,
    }
    return {
        "Tokens": _span_f1(*(side.tokens for side in spanned)),
        "Sentences": _span_f1(*(side.sentences for side in spanned)),
        "Words": _f1(len(aligned_words), *word_counts),
        **{name: _f1(int(right.sum()), *word_counts) for name, right in word_matches.items()},
        **{name: _f1(int(right.sum()), *content_counts) for name, right in content_matches.items()},
    }


def _f1(common: int, system_count: int, gold_count: int) -> float:
    """Return 100 times the harmonic mean of precision and recall; 0 if both sides are empty."""
    return 100 * (2 * common / (system_count + gold_count)) if system_count + gold_count else 0.0


def _span_f1(system_spans: Int64, gold_spans: Int64) -> float:
    """Return the F1 of spans, int64[n, 2] each; spans of the same side do not overlap."""
    _, index, gold_index = np.intersect1d(system_spans[:, 0], gold_spans[:, 0], return_indices=True)
    common = int((system_spans[index, 1] == gold_spans[gold_index, 1]).sum())
    return _f1(common, len(system_spans), len(gold_spans))


def _map_heads_to_gold(above: Int64, gold_word_of: Int64) -> Int64:
    """Return the head of each word as a gold word, `_ROOT` or `_UNALIGNED_HEAD`, int64[N]."""
    gold_or_unknown = np.where(gold_word_of == NOT_ALIGNED, _UNALIGNED_HEAD, gold_word_of)
    # The additional last entry is for the root, which has the head -1.
    return np.append(gold_or_unknown, _ROOT)[above]


def _has_label(treebank: Treebank, labels: frozenset[str]) -> Bool:
    """Return which words have one of the labels, ignoring subtypes, bool[N]."""
    return treebank.label.apply(lambda label: universal_part(label) in labels, np.bool_)


def _has_right_function_words(
    system: Treebank, gold: Treebank, aligned: tuple[Int64, Int64], is_right: Bool
) -> Bool:
    """Return for which aligned words no function word is missing, added or wrong, bool[A]."""
    all_right = np.ones(len(is_right), np.bool_)
    for bank, words in zip((system, gold), aligned, strict=True):
        # A right function word has the gold label, so its gold word is a function word too: the
        # same words are right on both sides.
        wrong = _has_label(bank, FUNCTION_RELATIONS) & (bank.above >= 0)
        wrong[words[is_right]] = False
        is_incomplete = np.zeros(bank.words, np.bool_)
        is_incomplete[bank.above[wrong]] = True
        all_right &= ~is_incomplete[words]
    return all_right


def _keep_universal_features(features: str) -> str:
    """Return the universal features of a word in alphabetical order.

    Examples
    --------
    >>> _keep_universal_features("Person=3|Case=Nom|Style=Coll"), _keep_universal_features("_")
    ('Case=Nom|Person=3', '')
    """
    feature_texts = features.split("|")
    return "|".join(
        sorted(pair for pair in feature_texts if pair.split("=", 1)[0] in UNIVERSAL_FEATURES)
    )
