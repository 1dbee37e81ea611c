"""Relations of Stanford Dependencies (de Marneffe and Manning 2008), from phrases and functions."""

from wordorder.treebank.brackets.heads import (
    BE,
    CLAUSES,
    DO,
    HAVE,
    PUNCTUATION,
    VERBS,
    is_punctuation,
)
from wordorder.treebank.brackets.phrase import Phrase

NOUN_PHRASES = ("NP", "WHNP", "NX", "NML", "NAC")
_OBJECTS = (*NOUN_PHRASES, *"QP CD DT PRP NN NNS NNP NNPS WP WDT".split())
_NEGATIONS = ("not", "n't", "n’t", "never")
_ADVERBS = ("RB", "RBR", "RBS", "ADVP", "WRB", "WHADVP")
NOUNS = ("NN", "NNS", "NNP", "NNPS", "FW")
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
    if part.category in PUNCTUATION or is_punctuation(part.lexical.node):
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
    return _OF_MODIFIERS.get(part.category, "dep")


def _is_nominal(phrase: Phrase) -> bool:
    """True if a phrase without a verb has a noun as its head: a heading, an aside."""
    if phrase.category not in ("FRAG", "X", "PRN"):
        return False
    return phrase.lexical.category not in (*VERBS, "MD")


def _of_preposition(part: Phrase, phrase: Phrase) -> str:
    """Return a relation to a preposition."""
    follows_head = part.lexical.place > phrase.lexical.place
    category = part.category
    if not follows_head:
        if category in ("NP", "QP"):
            return "npadvmod"
        return "mwe" if category in ("IN", "JJ", "TO", "VBG", "VBN") else "advmod"
    if category in _OBJECTS:
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


def _table(**relations: str) -> dict[str, str]:
    """Return the relation of each category, given the categories of each relation."""
    return {
        category: label
        for label, categories in relations.items()
        for category in categories.split()
    }


# Of words and phrases in a noun phrase.
_WORDS = _table(
    det="WDT",
    predet="PDT",
    poss="PRP$ WP$",
    possessive="POS",
    num="CD QP",
    nn="NX NAC NML NN NNS NNP NNPS FW",
    prep="PP WHPP",
    advmod="ADVP RB RBR RBS",
    partmod="RRC",
    amod="UCP ADJP JJP",
    dep="PRP $",
)


# Relations of the parts of an adjective or adverb phrase.
_OF_MODIFIERS = _table(
    advmod="RB RBR RBS ADVP WRB WHADVP WHADJP IN NN",
    prep="PP WHPP",
    npadvmod="NP QP CD",
    det="DT WDT",
    xcomp="S",
    ccomp="SBAR",
    amod="JJ JJR ADJP",
)


# Of words and phrases in a clause, and of what opens one.
_OF_CLAUSES = _table(
    aux="MD TO",
    prep="PP WHPP",
    advmod="ADVP RB RBR RBS WHADVP WRB",
    acomp="ADJP JJ WHADJP JJR",
    xcomp="VP",
    mark="IN",
)


_OF_MARKERS = _table(prep="WHPP PP", advmod="WHADVP RB ADVP WRB WHADJP", mwe="JJ", npadvmod="NP")


def noun_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a part to the head of a noun phrase."""
    category = part.category
    if category == "DT":
        return _of_determiner(part, phrase)
    if category in _WORDS:
        return _WORDS[category]
    if category.startswith(("JJ", "VB")):
        return "amod"
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
    later = [later_part.category for later_part in phrase.parts[place + 1 :]]
    return "predet" if any(category in ("DT", "PRP$") for category in later) else "det"


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
        earlier_categories = [
            earlier_part.category for earlier_part in phrase.parts[: phrase.parts.index(part)]
        ]
        if ":" in earlier_categories:
            return "dep"
        aside = part.category == "PRN" or "," in earlier_categories or "-LRB-" in earlier_categories
        return "appos" if aside or not functions else "dep"
    return "nn"


def _of_clause(part: Phrase) -> str:
    """Return ``rcmod`` for a relative clause, ``ccomp`` for "the fact that it rained"."""
    first = part.parts[0]
    if first.category == "IN" and first.text in _COMPLEMENTIZERS:
        return "ccomp"
    if first.category == "IN":
        return "advcl" if first.text not in ("where", "when") else "rcmod"
    return "rcmod"


def _has_to(phrase: Phrase) -> bool:
    """True if a verb phrase, or the one at the head of a clause, begins with "to"."""
    return any(
        part.category == "TO" for head_phrase in phrase.heads() for part in head_phrase.parts
    )


def clause_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part of a clause or of a verb phrase to its verb or predicate."""
    category = part.category
    if category in (*_SUBJECTS, "NAC", *NOUNS, "PRP", "CD", "DT", "EX"):
        return _of_nominal(part, phrase)
    if category in ("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG"):
        return _of_verb_clause(part, phrase, above)
    return _OF_CLAUSES.get(category, "dep")


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
    return _OF_MARKERS.get(part.category, "dep")


def is_adverbial(clause: Phrase, above: Phrase) -> bool:
    """True if a clause that a conjunction opens is adverbial in its phrase."""
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
    return "dep" if part.lexical.place > phrase.lexical.place else _subject(phrase)


def inverted(question: Phrase) -> bool:
    """True if a question has its subject after an auxiliary or a copula, unlike "who came"."""
    verb = next((part for part in question.parts if part.category in (*VERBS, "MD")), None)
    return verb is None or verb.category == "MD" or verb.text in BE | HAVE | DO


def _subject(phrase: Phrase) -> str:
    return "nsubjpass" if phrase.passive else "nsubj"


def _is_time(part: Phrase) -> bool:
    """True if a noun phrase without a function is a time: "last week"."""
    if part.is_word:
        return False
    last = part.text
    return last in _TIMES or (last in _SPANS and part.parts[0].text in _WHICH)


def _object(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase behind a verb."""
    head = phrase.head
    precedes_head = part.lexical.place < phrase.lexical.place
    if head is not None and head.category in ("NP", "ADJP", "UCP"):
        return "nsubj" if precedes_head else "dep"
    # "There is a bridge": what there is, is the subject.
    if phrase.existential and not precedes_head:
        return "nsubj"
    if "PRD" in part.functions:
        return "attr"
    if precedes_head:
        return "npadvmod"
    later = phrase.parts[phrase.parts.index(part) + 1 :]
    if any(
        later_part.category in ("NP", "NX")
        and later_part.role != "conj"
        and not later_part.functions & (_ADVERBIAL_CLAUSE | {"PRD"})
        and not _is_time(later_part)
        for later_part in later
    ):
        return "iobj"
    return "dobj"


def _question(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of what a question begins with."""
    role = _traced(part, phrase)
    if role == "SBJ" or (not role and not _has_subject(phrase)):
        return _subject(phrase)
    be = phrase.lexical.category.startswith("VB") and any(
        head_phrase.is_word and head_phrase.text in ("is", "are", "was", "were", "'s")
        for head_phrase in phrase.heads()
    )
    return "attr" if role == "PRD" or (be and not role) else "dobj"


def _traced(part: Phrase, phrase: Phrase) -> str:
    """Return the function of the empty place that a part fills, if the tree has one."""
    index = part.node.index
    trace_kinds = {
        trace.partition(":")[0] for trace in phrase.traces if trace.partition(":")[2] == index
    }
    return next(iter(sorted(trace_kinds, reverse=True)), "") if index else ""


def _has_subject(phrase: Phrase) -> bool:
    """True if a clause has a subject before its verb phrase, or after its auxiliary."""
    for phrase_part in phrase.heads():
        if phrase_part.category == "SQ" and not inverted(phrase_part):
            return False
        if phrase_part.category in ("S", "SQ", "SINV") and any(
            part.category in (*_SUBJECTS, "EX", "S", "SBAR") and part is not phrase_part.head
            for part in phrase_part.parts
        ):
            return True
    return False


def _of_verb_clause(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
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
    to = any(daughter.category == "TO" for below in part.heads() for daughter in below.parts)
    subject = any(
        daughter.category in _SUBJECTS or "SBJ" in daughter.functions for daughter in part.parts
    )
    subject = subject and part.head is not None and len(part.parts) != 1
    if "PRP" in functions and to:
        return "purpcl"
    if functions & _ADVERBIAL_CLAUSE or "PRP" in functions or phrase.category not in ("VP", "SINV"):
        if subject and not functions:
            return "ccomp" if phrase.category in ("S", "SINV") else "dep"
        return "advcl" if subject else "purpcl" if to else "partmod"
    return "ccomp" if subject else "xcomp"


def _is_clausal_subject(part: Phrase, phrase: Phrase) -> bool:
    """True if a clause without functions is at the position of the subject."""
    if part.functions or part.category not in ("SBAR", "S") or phrase.has("NP", ","):
        return False
    if part.category == "SBAR" and is_adverbial(part, phrase):
        return False
    return part.lexical.place < phrase.lexical.place and phrase.has("VP")


def _has_object(part: Phrase, phrase: Phrase) -> bool:
    """True if a verb phrase has an object before a clause."""
    earlier_parts = phrase.parts[: phrase.parts.index(part)]
    return any(earlier_part.category in ("NP", "ADJP") for earlier_part in earlier_parts)
