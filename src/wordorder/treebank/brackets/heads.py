"""Finding the heads of phrases, with verbs of content and predicates as heads, or without."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.treebank.brackets.coordination import join
from wordorder.treebank.brackets.head_table import head_part
from wordorder.treebank.brackets.phrase import Phrase

BE = frozenset("be am is are was were been being 's 're 'm ’s ’re ’m ai".split())
HAVE = frozenset("have has had having 've 'd ’ve ’d".split())
DO = frozenset("do does did doing done".split())
_GET = frozenset("get gets got gotten getting".split())
VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
CLAUSES = ("S", "SINV", "SQ", "SBARQ", "SBAR", "FRAG")
_PREDICATES = ("ADJP", "NP", "UCP", "NX", "JJ")
# What an NP with one of these is, it is no predicate.
_ADVERBIAL = frozenset({"TMP", "ADV", "LOC", "DIR", "EXT", "MNR", "SBJ", "VOC", "LGS"})


def find_heads(phrase: Phrase, style: str, *, existential: bool = False) -> None:
    """Find the head of a phrase and of all below it.

    Parameters
    ----------
    phrase : Phrase
    style : {"stanford", "surface"}
        Whether words of content are heads, or words of grammar.
    existential : bool
        Whether the clause begins with "there", so that "is" is no copula.
    """
    if phrase.is_word:
        return
    existential = existential and phrase.category in ("VP", "SQ")
    existential |= any(_is_there(part) for part in phrase.parts)
    phrase.existential = existential
    for part in phrase.parts:
        find_heads(part, style, existential=existential)
    if style == "stanford":
        join(phrase.parts)
        _number(phrase)
        phrase.head = _verbal_head(phrase) or _predicate_clause(phrase)
    if phrase.head is None:
        phrase.head = _by_table(phrase, style)
    # A list is headed by its first member.
    while phrase.head.governor is not None and phrase.head.role == "conj":
        phrase.head = phrase.head.governor
    phrase.head.governor = None
    phrase.passive |= phrase.head.passive


def _number(phrase: Phrase) -> None:
    """In "$ 5 million", 5 belongs to "million" and that to the sign."""
    if phrase.category == "QP" and phrase.has("$", "#"):
        numbers = [part for part in phrase.parts if part.category == "CD" and not part.role]
        for part in numbers[:-1]:
            part.governor, part.role = numbers[-1], "number"


def _is_there(part: Phrase) -> bool:
    return not part.is_word and [each.category for each in part.parts] == ["EX"]


def _by_table(phrase: Phrase, style: str) -> Phrase:
    """Ask the table of heads."""
    by_node = {id(part.node): part for part in phrase.parts}
    return by_node[id(head_part(phrase.category, [part.node for part in phrase.parts], style))]


def _verbal_head(phrase: Phrase) -> Phrase | None:
    """Return the verb phrase behind an auxiliary, or the predicate behind a copula."""
    if phrase.category not in ("VP", "SQ", "SINV"):
        return None
    verbs = [part for part in phrase.parts if part.category in (*VERBS, "MD", "TO", "AUX")]
    verbs = [part for part in verbs if part.role != "conj"]
    if not verbs:
        return None
    verb = verbs[0]
    behind = phrase.parts[phrase.parts.index(verb) + 1 :]
    below = next((part for part in behind if part.category == "VP" and part.role != "conj"), None)
    if below is not None:
        role = _auxiliary(verb, below)
        if role:
            for each in verbs:
                each.role = role if each is verb else "aux"
            phrase.passive = role == "auxpass"
            return below
    elif verb.text in BE and not phrase.existential:
        predicate = _predicate(phrase, behind)
        if predicate is not None:
            verb.role = "cop"
            return predicate
    return None


def _auxiliary(verb: Phrase, below: Phrase) -> str:
    """Return the relation of a verb to the verb phrase behind it, if it is an auxiliary."""
    if verb.category in ("MD", "TO"):
        return "aux"
    tag, word = _leading(below)
    if tag in ("VBN", "VBD"):
        if verb.text in BE and word != "been":
            return "auxpass"
        if verb.text in _GET:
            return "auxpass"
        return "aux" if verb.text in HAVE | BE else ""
    if verb.text in BE:
        return "aux"
    return "aux" if verb.text in DO | HAVE else ""


def _leading(phrase: Phrase) -> tuple[str, str]:
    """Return tag and word of the first verb of a verb phrase."""
    while not phrase.is_word:
        verb = next((part for part in phrase.parts if part.category in (*VERBS, "VP")), None)
        if verb is None:
            return "", ""
        phrase = verb
    return phrase.category, phrase.text


def _predicate(phrase: Phrase, behind: Sequence[Phrase]) -> Phrase | None:
    """Return what a copula says of its subject."""
    found = [
        part
        for part in behind
        if part.category in _PREDICATES
        and part.role != "conj"
        and not (part.category == "NP" and part.functions & _ADVERBIAL)
    ]
    marked = [part for part in found if "PRD" in part.functions]
    if phrase.category == "VP":
        return next(iter(marked or found), None)
    # In a question the subject is behind the copula too: "Is he a doctor?"
    subjects = sum(part.category == "NP" for part in behind)
    others = [part for part in found if part.category != "NP"]
    if marked or others:
        return (marked or others)[0]
    return found[-1] if subjects > 1 and found else None


def _predicate_clause(phrase: Phrase) -> Phrase | None:
    """Return the predicate of a clause without a verb: "consider [him happy]"."""
    if phrase.category != "S" or phrase.has("VP", "S"):
        return None
    return next((part for part in phrase.parts if "PRD" in part.functions), None)
