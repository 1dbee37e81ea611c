"""Relations of Stanford Dependencies (de Marneffe and Manning 2008), from phrases and functions."""

from __future__ import annotations

from wordorder.treebank.brackets.head_table import PUNCTUATION
from wordorder.treebank.brackets.heads import CLAUSES, VERBS
from wordorder.treebank.brackets.noun_relations import noun_relation
from wordorder.treebank.brackets.phrase import Phrase
from wordorder.treebank.brackets.verb_relations import clause_relation, marker_relation

NOUN_PHRASES = ("NP", "WHNP", "NX", "NML", "NAC")
_NEGATIONS = ("not", "n't", "n’t", "never")
_ADVERBS = ("RB", "RBR", "RBS", "ADVP", "WRB", "WHADVP")


def relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part to the head of a phrase.

    Parameters
    ----------
    part : Phrase
        Not the head.
    phrase : Phrase
        What it is a part of.
    above : Phrase or None
        What `phrase` is a part of.
    """
    if part.role:
        return part.role
    if part.category in PUNCTUATION or part.lexical.category in PUNCTUATION:
        return "punct"
    if part.category in ("CC", "CONJP"):
        return "cc"
    if part.category in ("PRT", "RP") and phrase.category in ("VP", "SQ", "ADJP"):
        return "prt"
    if part.category in _ADVERBS and part.text in _NEGATIONS:
        return "neg"
    if part.category in ("INTJ", "UH"):
        return "discourse"
    if part.category == "PRN":
        verbal = part.head is not None and part.head.category in (*CLAUSES, "VP")
        return "parataxis" if verbal else _phrase_relation(part, phrase, above)
    return _phrase_relation(part, phrase, above)


def _phrase_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Ask those who know the category of the phrase."""
    category = phrase.category
    if category in ("S", "SINV", "SQ", "SBARQ", "VP", "FRAG", "RRC", "X", "PRN"):
        if _is_nominal(phrase):
            return noun_relation(part, phrase)
        return clause_relation(part, phrase, above)
    if category == "SBAR":
        return marker_relation(part, phrase, above)
    if category in NOUN_PHRASES:
        return noun_relation(part, phrase)
    if category in ("PP", "WHPP"):
        return _of_preposition(part, phrase)
    if category == "QP":
        return _of_number(part, phrase)
    if category == "CONJP":
        return "cc"
    return _of_modifier(part)


def _is_nominal(phrase: Phrase) -> bool:
    """Whether a phrase without a verb has a noun as its head: a heading, an aside."""
    if phrase.category not in ("FRAG", "X", "PRN"):
        return False
    return phrase.lexical.category not in (*VERBS, "MD")


def _of_preposition(part: Phrase, phrase: Phrase) -> str:
    """Return a relation to a preposition."""
    behind = part.lexical.place > phrase.lexical.place
    category = part.category
    if not behind:
        if category in ("NP", "QP"):
            return "npadvmod"
        return "mwe" if category in ("IN", "JJ", "TO", "VBG", "VBN") else "advmod"
    if category in (
        *NOUN_PHRASES,
        "QP",
        "CD",
        "DT",
        "PRP",
        "NN",
        "NNS",
        "NNP",
        "NNPS",
        "WP",
        "WDT",
    ):
        return "pobj"
    if category in ("RB", "JJ"):
        return "pobj" if part is phrase.parts[-1] else "advmod"
    if category == "PP" and phrase.head is not None and phrase.head.category == "PP":
        return "prep"
    return "pcomp" if category in ("PP", "S", "SBAR", "SQ", "VP", "ADVP", "ADJP", "UCP") else "dep"


def _of_number(part: Phrase, phrase: Phrase) -> str:
    """Return a relation to a number or to the sign of a currency."""
    if part.category in ("CD", "QP"):
        return "num" if phrase.lexical.category in ("$", "#") else "number"
    return "quantmod"


def _of_modifier(part: Phrase) -> str:
    """Return a relation to an adjective or an adverb."""
    category = part.category
    if category in _ADVERBS:
        return "advmod"
    if category in ("PP", "WHPP"):
        return "prep"
    if category in ("NP", "QP", "CD"):
        return "npadvmod"
    if category in ("DT", "WDT"):
        return "det"
    if category == "S":
        return "xcomp"
    if category == "SBAR":
        return "ccomp"
    if category in ("JJ", "JJR", "ADJP"):
        return "amod"
    return "advmod" if category in ("WHADJP", "IN", "NN") else "dep"
