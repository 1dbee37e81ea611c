"""Relations of Stanford Dependencies (de Marneffe and Manning 2008), from phrases and functions."""

from wordorder.treebank.brackets.heads import (
    BE,
    CLAUSE_CATEGORIES,
    DO,
    HAVE,
    PUNCTUATION_TAGS,
    VERB_TAGS,
    is_punctuation_word,
)
from wordorder.treebank.brackets.phrase import Phrase, by_category

NOUN_PHRASES = ("NP", "WHNP", "NX", "NML", "NAC")
_OBJECTS = (*NOUN_PHRASES, *"QP CD DT PRP NN NNS NNP NNPS WP WDT".split())
_NEGATIONS = ("not", "n't", "n’t", "never")
_ADVERB_TAGS = ("RB", "RBR", "RBS", "ADVP", "WRB", "WHADVP")
NOUNS = ("NN", "NNS", "NNP", "NNPS", "FW")
_COMPLEMENTIZERS = ("that", "whether", "if")
_SUBJECTS = ("NP", "NX", "NML", "WHNP", "QP", "UCP")
_ADVERBIAL_CLAUSE = {"ADV", "TMP", "LOC", "DIR", "MNR", "CND", "EXT"}
_TIMES = frozenset(
    "today yesterday tomorrow tonight monday tuesday wednesday thursday friday saturday sunday "
    "jan. feb. aug. sept. oct. nov. dec. january february march april may june july august "
    "september october november december".split()
)
_TIME_UNITS = frozenset("week month year day morning afternoon evening night summer winter".split())
_TIME_DETERMINERS = frozenset("this last next every each that".split())

# Relations of the parts of a noun phrase.
_NOUN_RELATIONS = by_category(
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
_MODIFIER_RELATIONS = by_category(
    advmod="RB RBR RBS ADVP WRB WHADVP WHADJP IN NN",
    prep="PP WHPP",
    npadvmod="NP QP CD",
    det="DT WDT",
    xcomp="S",
    ccomp="SBAR",
    amod="JJ JJR ADJP",
)

# Relations of the parts of a clause, and of the parts that introduce one.
_CLAUSE_RELATIONS = by_category(
    aux="MD TO",
    prep="PP WHPP",
    advmod="ADVP RB RBR RBS WHADVP WRB",
    acomp="ADJP JJ WHADJP JJR",
    xcomp="VP",
    mark="IN",
)

_MARKER_RELATIONS = by_category(
    prep="WHPP PP", advmod="WHADVP RB ADVP WRB WHADJP", mwe="JJ", npadvmod="NP"
)


def relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part to the head of a phrase.

    Parameters
    ----------
    part : Phrase
        A part of `phrase` that is not its head.
    phrase : Phrase
    above : Phrase or None
        The phrase of which `phrase` is a part.
    """
    if part.role:
        return part.role
    if part.category in PUNCTUATION_TAGS or is_punctuation_word(part.lexical.node):
        return "punct"
    if part.category in ("CC", "CONJP"):
        return "cc"
    if part.category in ("PRT", "RP") and phrase.category in ("VP", "SQ", "ADJP"):
        return "prt"
    if part.category in _ADVERB_TAGS and part.text in _NEGATIONS:
        return "neg"
    if part.category in ("INTJ", "UH"):
        return "discourse"
    if part.category == "PRN":
        verbal = part.head is not None and part.head.category in (*CLAUSE_CATEGORIES, "VP")
        return "parataxis" if verbal else _phrase_relation(part, phrase, above)
    return _phrase_relation(part, phrase, above)


def _phrase_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part according to the category of its phrase."""
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
        return _preposition_relation(part, phrase)
    if category == "QP":
        return _number_relation(part, phrase)
    if category == "CONJP":
        return "cc"
    return _MODIFIER_RELATIONS.get(part.category, "dep")


def _is_nominal(phrase: Phrase) -> bool:
    """True if a fragment or parenthesis is not headed by a verb."""
    if phrase.category not in ("FRAG", "X", "PRN"):
        return False
    return phrase.lexical.category not in (*VERB_TAGS, "MD")


def _preposition_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a part to a preposition."""
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


def _number_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a part to a number or a currency sign."""
    if part.category in ("CD", "QP"):
        return "num" if phrase.lexical.category in ("$", "#") else "number"
    return "quantmod"


def noun_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a part to the head of a noun phrase."""
    category = part.category
    if category == "DT":
        return _determiner_relation(part, phrase)
    if category in _NOUN_RELATIONS:
        return _NOUN_RELATIONS[category]
    if category.startswith(("JJ", "VB")):
        return "amod"
    if category in ("NP", "WHNP", "PRN"):
        return _noun_phrase_relation(part, phrase)
    if category == "VP":
        return "infmod" if _has_to(part) else "partmod"
    if category == "S":
        return "infmod" if _has_to(part) else "partmod" if part.text.endswith("ing") else "ccomp"
    if category in ("SBAR", "SBARQ"):
        return _noun_clause_relation(part)
    return "dep"


def _determiner_relation(part: Phrase, phrase: Phrase) -> str:
    """Return ``predet`` for "all" in "all the boys", otherwise ``det``."""
    index = phrase.parts.index(part)
    later = [later_part.category for later_part in phrase.parts[index + 1 :]]
    return "predet" if any(category in ("DT", "PRP$") for category in later) else "det"


def _noun_phrase_relation(part: Phrase, phrase: Phrase) -> str:
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
        is_aside = (
            part.category == "PRN" or "," in earlier_categories or "-LRB-" in earlier_categories
        )
        return "appos" if is_aside or not functions else "dep"
    return "nn"


def _noun_clause_relation(part: Phrase) -> str:
    """Return ``rcmod`` for a relative clause, ``ccomp`` for "the fact that it rained"."""
    first = part.parts[0]
    if first.category == "IN" and first.text in _COMPLEMENTIZERS:
        return "ccomp"
    if first.category == "IN":
        return "advcl" if first.text not in ("where", "when") else "rcmod"
    return "rcmod"


def _has_to(phrase: Phrase) -> bool:
    """True if a verb phrase, or the verb phrase at the head of a clause, has "to"."""
    return any(
        part.category == "TO" for head_phrase in phrase.heads() for part in head_phrase.parts
    )


def clause_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of a part of a clause or of a verb phrase to its verb or predicate."""
    category = part.category
    if category in (*_SUBJECTS, "NAC", *NOUNS, "PRP", "CD", "DT", "EX"):
        return _nominal_relation(part, phrase)
    if category in ("S", "SBAR", "SINV", "SQ", "SBARQ", "FRAG"):
        return _verb_clause_relation(part, phrase, above)
    return _CLAUSE_RELATIONS.get(category, "dep")


def marker_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
    """Return the relation of the part that introduces a clause to its verb or predicate."""
    if part.category in ("IN", "DT"):
        is_argument = (
            above is not None and above.category != "PP" and not is_adverbial(phrase, above)
        )
        return "complm" if is_argument and part.text in _COMPLEMENTIZERS else "mark"
    if part.category == "WHNP":
        passive = "pass" if phrase.passive else ""
        role = _trace_function(part, phrase)
        if role == "SBJ" or (not role and not _has_subject(phrase)):
            return f"nsubj{passive}"
        is_relative = above is not None and above.category in ("NP", "WHNP", "NX")
        return "rel" if is_relative else "attr" if role == "PRD" else "dobj"
    return _MARKER_RELATIONS.get(part.category, "dep")


def is_adverbial(clause: Phrase, above: Phrase) -> bool:
    """True if a clause with a conjunction is adverbial in its phrase."""
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


def _nominal_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase to a verb."""
    functions = part.functions
    if part.lexical.category == "EX":
        return "expl"
    if "SBJ" in functions:
        return _subject_relation(phrase)
    if "TMP" in functions or (not functions and _is_time(part)):
        return "tmod"
    if functions & {"ADV", "EXT", "MNR", "LOC", "DIR", "CLR"} and phrase.category != "VP":
        return "npadvmod"
    if functions & {"ADV", "EXT", "MNR", "LOC", "DIR"}:
        return "npadvmod"
    if "VOC" in functions or "TTL" in functions:
        return "dep"
    if phrase.category == "VP":
        return _object_relation(part, phrase)
    if phrase.category == "SBARQ":
        return _question_relation(part, phrase)
    if part.category == "WHNP":
        return "dobj"
    if phrase.category == "SQ" and not is_inverted(phrase):
        return _object_relation(part, phrase)
    if phrase.category in ("SQ", "SINV"):
        return _subject_relation(phrase)
    return "dep" if part.lexical.place > phrase.lexical.place else _subject_relation(phrase)


def is_inverted(question: Phrase) -> bool:
    """True if a question has its subject after an auxiliary or a copula, unlike "who came"."""
    verb = next((part for part in question.parts if part.category in (*VERB_TAGS, "MD")), None)
    return verb is None or verb.category == "MD" or verb.text in BE | HAVE | DO


def _subject_relation(phrase: Phrase) -> str:
    return "nsubjpass" if phrase.passive else "nsubj"


def _is_time(part: Phrase) -> bool:
    """True if a noun phrase without a function is a time: "last week"."""
    if part.is_word:
        return False
    last = part.text
    return last in _TIMES or (last in _TIME_UNITS and part.parts[0].text in _TIME_DETERMINERS)


def _object_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a noun phrase in a verb phrase."""
    head = phrase.head
    precedes_head = part.lexical.place < phrase.lexical.place
    if head is not None and head.category in ("NP", "ADJP", "UCP"):
        return "nsubj" if precedes_head else "dep"
    # In "there is a bridge", "bridge" is the subject.
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


def _question_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of the question phrase to the verb."""
    role = _trace_function(part, phrase)
    if role == "SBJ" or (not role and not _has_subject(phrase)):
        return _subject_relation(phrase)
    is_copula = phrase.lexical.category.startswith("VB") and any(
        head_phrase.is_word and head_phrase.text in ("is", "are", "was", "were", "'s")
        for head_phrase in phrase.heads()
    )
    return "attr" if role == "PRD" or (is_copula and not role) else "dobj"


def _trace_function(part: Phrase, phrase: Phrase) -> str:
    """Return the function of the trace that a part is coindexed with, or ""."""
    index = part.node.index
    trace_kinds = {
        trace.partition(":")[0] for trace in phrase.traces if trace.partition(":")[2] == index
    }
    return next(iter(sorted(trace_kinds, reverse=True)), "") if index else ""


def _has_subject(phrase: Phrase) -> bool:
    """True if a clause has a subject before its verb phrase, or after its auxiliary."""
    for phrase_part in phrase.heads():
        if phrase_part.category == "SQ" and not is_inverted(phrase_part):
            return False
        if phrase_part.category in ("S", "SQ", "SINV") and any(
            part.category in (*_SUBJECTS, "EX", "S", "SBAR") and part is not phrase_part.head
            for part in phrase_part.parts
        ):
            return True
    return False


def _verb_clause_relation(part: Phrase, phrase: Phrase, above: Phrase | None) -> str:
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
    return _bare_clause_relation(part, phrase)


def _bare_clause_relation(part: Phrase, phrase: Phrase) -> str:
    """Return the relation of a clause without a conjunction."""
    functions = part.functions
    has_to = any(
        daughter.category == "TO" for head_phrase in part.heads() for daughter in head_phrase.parts
    )
    has_subject = any(
        daughter.category in _SUBJECTS or "SBJ" in daughter.functions for daughter in part.parts
    )
    has_subject = has_subject and part.head is not None and len(part.parts) != 1
    if "PRP" in functions and has_to:
        return "purpcl"
    if functions & _ADVERBIAL_CLAUSE or "PRP" in functions or phrase.category not in ("VP", "SINV"):
        if has_subject and not functions:
            return "ccomp" if phrase.category in ("S", "SINV") else "dep"
        return "advcl" if has_subject else "purpcl" if has_to else "partmod"
    return "ccomp" if has_subject else "xcomp"


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
