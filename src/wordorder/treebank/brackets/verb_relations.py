"""Relations to verbs and predicates, and those of the words that open a clause."""

from __future__ import annotations

from wordorder.treebank.brackets.heads import BE, DO, HAVE, VERBS
from wordorder.treebank.brackets.noun_relations import NOUNS
from wordorder.treebank.brackets.phrase import Phrase

_COMPLEMENTIZERS = ("that", "whether", "if")
_SUBJECTS = ("NP", "NX", "NML", "WHNP", "QP", "UCP")
_ADVERBIAL_CLAUSE = {"ADV", "TMP", "LOC", "DIR", "MNR", "CND", "EXT"}
_TIMES = frozenset(
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday "
    "jan. feb. aug. sept. oct. nov. dec. january february march april may june july august "
    "september october november december".split()
)
_SPANS = frozenset("week month year day morning afternoon evening night summer winter".split())
_WHICH = frozenset("this last next every each that".split())


def clause_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part of a clause or of a verb phrase to its verb or predicate."""
    category = part.category
    if category == "MD":
        return "aux"
    if category in ("PP", "WHPP"):
        return "prep"
    if category in ("ADVP", "RB", "RBR", "RBS", "WHADVP", "WRB"):
        return "advmod"
    if category in ("ADJP", "JJ", "WHADJP", "JJR"):
        return "acomp"
    if category in (*_SUBJECTS, "NAC", *NOUNS, "PRP", "CD", "DT", "EX"):
        return _of_nominal(part, phrase)
    if category in ("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG"):
        return _of_clause(part, phrase, above)
    if category == "VP":
        return "xcomp"
    return "aux" if category == "TO" else "mark" if category == "IN" else "dep"


def marker_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of what opens a clause to its verb or predicate."""
    if part.category in ("IN", "DT"):
        argument = above is not None and above.category != "PP" and not is_adverbial(phrase, above)
        return "complm" if argument and part.text in _COMPLEMENTIZERS else "mark"
    if part.category == "WHNP":
        passive = "pass" if phrase.passive else ""
        role = _traced(part, phrase)
        if role == "SBJ" or (not role and not _has_subject(phrase)):
            return f"nsubj{passive}"
        relative = above is not None and above.category in ("NP", "WHNP", "NX")
        return "rel" if relative else "attr" if role == "PRD" else "dobj"
    if part.category in ("WHPP", "PP"):
        return "prep"
    if part.category in ("WHADVP", "RB", "ADVP", "WRB", "WHADJP"):
        return "advmod"
    return "mwe" if part.category == "JJ" else "npadvmod" if part.category == "NP" else "dep"


def is_adverbial(clause: Phrase, above: Phrase) -> bool:
    """Whether a clause that a conjunction opens is adverbial in the phrase that it is a part of."""
    if clause.functions & (_ADVERBIAL_CLAUSE | {"PRP"}):
        return True
    if clause.functions & {"NOM", "SBJ", "TPC", "PRD"}:
        return False
    first = clause.parts[0]
    if first.category in ("ADVP", "RB") and len(clause.parts) > 1:
        first = clause.parts[1]
    if first.text == "if" and clause in above.parts:
        # "If it rains, …"; "call me if it rains"; but "ask if it rains".
        return above.category != "VP" or _has_object(clause, above)
    return first.category == "IN" and first.text not in _COMPLEMENTIZERS


def _of_nominal(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase to a verb."""
    functions = part.functions
    if part.lexical.category == "EX":
        return "expl"
    if "SBJ" in functions:
        return _subject(phrase)
    if "TMP" in functions or (not functions and _is_time(part)):
        return "tmod"
    if functions & {"ADV", "EXT", "MNR", "LOC", "DIR", "CLR"} and phrase.category != "VP":
        return "npadvmod"
    if functions & {"ADV", "EXT", "MNR", "LOC", "DIR"}:
        return "npadvmod"
    if "VOC" in functions or "TTL" in functions:
        return "dep"
    if phrase.category == "VP":
        return _object(part, phrase)
    if phrase.category == "SBARQ":
        return _question(part, phrase)
    if part.category == "WHNP":
        return "dobj"
    if phrase.category == "SQ" and not inverted(phrase):
        return _object(part, phrase)
    if phrase.category in ("SQ", "SINV"):
        return _subject(phrase)
    behind = part.lexical.place > phrase.lexical.place
    return "dep" if behind else _subject(phrase)


def inverted(question: Phrase) -> bool:
    """Whether a question has its subject behind an auxiliary or a copula, and not "who came"."""
    verb = next((part for part in question.parts if part.category in (*VERBS, "MD")), None)
    return verb is None or verb.category == "MD" or verb.text in BE | HAVE | DO


def _subject(phrase: Phrase) -> str:
    return "nsubjpass" if phrase.passive else "nsubj"


def _is_time(part: Phrase) -> bool:
    """Whether a noun phrase without a function says when: "last week"."""
    if part.is_word:
        return False
    last = part.text
    return last in _TIMES or (last in _SPANS and part.parts[0].text in _WHICH)


def _object(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase behind a verb."""
    head = phrase.head
    before = part.lexical.place < phrase.lexical.place
    if head is not None and head.category in ("NP", "ADJP", "UCP"):
        return "nsubj" if before else "dep"
    # "There is a bridge": what there is, is the subject.
    if phrase.existential and not before:
        return "nsubj"
    if "PRD" in part.functions:
        return "attr"
    if before:
        return "npadvmod"
    later = phrase.parts[phrase.parts.index(part) + 1 :]
    if any(
        each.category in ("NP", "NX")
        and each.role != "conj"
        and not each.functions & (_ADVERBIAL_CLAUSE | {"PRD"})
        and not _is_time(each)
        for each in later
    ):
        return "iobj"
    return "dobj"


def _question(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of what a question begins with."""
    role = _traced(part, phrase)
    if role == "SBJ" or (not role and not _has_subject(phrase)):
        return _subject(phrase)
    be = phrase.lexical.category.startswith("VB") and any(
        each.is_word and each.text in ("is", "are", "was", "were", "'s") for each in phrase.heads()
    )
    return "attr" if role == "PRD" or (be and not role) else "dobj"


def _traced(part: Phrase, phrase: Phrase) -> str:
    """Return the function of the empty place that a part fills, if the tree has one."""
    index = part.node.index
    found = {each.partition(":")[0] for each in phrase.traces if each.partition(":")[2] == index}
    return next(iter(sorted(found, reverse=True)), "") if index else ""


def _has_subject(phrase: Phrase) -> bool:
    """Whether a clause has a subject of its own before its verb phrase, or behind its auxiliary."""
    for each in phrase.heads():
        if each.category == "SQ" and not inverted(each):
            return False
        if each.category in ("S", "SQ", "SINV") and any(
            part.category in (*_SUBJECTS, "EX", "S", "SBAR") and part is not each.head
            for part in each.parts
        ):
            return True
    return False


def _of_clause(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a clause to a verb."""
    functions = part.functions
    if functions & {"SBJ"} or (
        phrase.category in ("S", "SQ") and _is_clausal_subject(part, phrase)
    ):
        return "csubjpass" if phrase.passive else "csubj"
    if "TPC" in functions:
        return "ccomp"
    if part.category == "SBAR":
        if part.has("WHNP") and not functions & _ADVERBIAL_CLAUSE:
            return "ccomp" if phrase.category == "VP" else "dep"
        if is_adverbial(part, phrase):
            return "advcl"
        if part.has("WHADVP") and (phrase.category != "VP" or _has_object(part, phrase)):
            return "advcl"
        return "ccomp" if phrase.category in ("VP", "S", "SINV") else "dep"
    return _of_sentence(part, phrase)


def _of_sentence(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a clause that nothing opens."""
    functions = part.functions
    to = any(each.category == "TO" for below in part.heads() for each in below.parts)
    subject = any(each.category in _SUBJECTS or "SBJ" in each.functions for each in part.parts)
    subject = subject and part.head is not None and len(part.parts) != 1
    if "PRP" in functions and to:
        return "purpcl"
    if functions & _ADVERBIAL_CLAUSE or "PRP" in functions or phrase.category not in ("VP", "SINV"):
        if subject and not functions:
            return "ccomp" if phrase.category in ("S", "SINV") else "dep"
        return "advcl" if subject else "purpcl" if to else "partmod"
    return "ccomp" if subject else "xcomp"


def _is_clausal_subject(part: Phrase, phrase: Phrase) -> bool:
    """Whether a clause without functions is where the subject should be."""
    if part.functions or part.category not in ("SBAR", "S") or phrase.has("NP", ","):
        return False
    if part.category == "SBAR" and is_adverbial(part, phrase):
        return False
    return part.lexical.place < phrase.lexical.place and phrase.has("VP")


def _has_object(part: Phrase, phrase: Phrase) -> bool:
    """Whether a verb phrase has an object before a clause."""
    before = phrase.parts[: phrase.parts.index(part)]
    return any(each.category in ("NP", "ADJP") for each in before)
