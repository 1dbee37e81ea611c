"""Relations to nouns."""

from __future__ import annotations

from wordorder.treebank.brackets.phrase import Phrase

NOUNS = ("NN", "NNS", "NNP", "NNPS", "FW")
_WORDS = {
    "WDT": "det",
    "PDT": "predet",
    "PRP$": "poss",
    "WP$": "poss",
    "POS": "possessive",
    "CD": "num",
    "QP": "num",
    "NX": "nn",
    "NAC": "nn",
    "NML": "nn",
    "PP": "prep",
    "WHPP": "prep",
    "ADVP": "advmod",
    "RB": "advmod",
    "RBR": "advmod",
    "RBS": "advmod",
    "RRC": "partmod",
    "UCP": "amod",
    "ADJP": "amod",
    "JJP": "amod",
    "PRP": "dep",
    "$": "dep",
}
_COMPLEMENTIZERS = ("that", "whether", "if")


def noun_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a part to the head of a noun phrase."""
    category = part.category
    if category == "DT":
        return _of_determiner(part, phrase)
    if category in _WORDS:
        return _WORDS[category]
    if category.startswith(("JJ", "VB")):
        return "amod"
    if category in NOUNS:
        return "nn"
    if category in ("NP", "WHNP", "PRN"):
        return _of_noun_phrase(part, phrase)
    if category == "VP":
        return "infmod" if _has_to(part) else "partmod"
    if category == "S":
        return "infmod" if _has_to(part) else "partmod" if part.text.endswith("ing") else "ccomp"
    if category in ("SBAR", "SBARQ"):
        return _of_clause(part)
    return "dep"


def _of_determiner(part: Phrase, phrase: Phrase) -> str:
    """Return ``predet`` for "all" in "all the boys"."""
    place = phrase.parts.index(part)
    later = [each.category for each in phrase.parts[place + 1 :]]
    return "predet" if any(each in ("DT", "PRP$") for each in later) else "det"


def _of_noun_phrase(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase in a noun phrase."""
    functions = part.functions
    if part.parts and part.parts[-1].category == "POS":
        return "poss"
    if "TMP" in functions:
        return "tmod"
    if functions & {"ADV", "EXT", "MNR", "DIR"}:
        return "npadvmod"
    if part.lexical.place > phrase.lexical.place:
        before = [each.category for each in phrase.parts[: phrase.parts.index(part)]]
        if ":" in before:
            return "dep"
        aside = part.category == "PRN" or "," in before or "-LRB-" in before
        return "appos" if aside or not functions else "dep"
    return "nn"


def _of_clause(part: Phrase) -> str:
    """Return ``rcmod`` for a relative clause, ``ccomp`` for "the fact that he left"."""
    first = part.parts[0]
    if first.category == "IN" and first.text in _COMPLEMENTIZERS:
        return "ccomp"
    if first.category == "IN":
        return "advcl" if first.text not in ("where", "when") else "rcmod"
    return "rcmod"


def _has_to(phrase: Phrase) -> bool:
    """Whether a verb phrase, or the verb phrase at the head of a clause, begins with "to"."""
    return any(part.category == "TO" for each in phrase.heads() for part in each.parts)
