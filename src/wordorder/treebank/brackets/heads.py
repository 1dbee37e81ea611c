"""Finding the heads of phrases: content words (Stanford style) or function words (surface)."""

import functools
import pathlib
from collections.abc import Mapping, Sequence

from wordorder.text.toml import read_toml
from wordorder.treebank.brackets.phrase import Node, Phrase, by_category
from wordorder.treebank.treebank import has_only_marks

BE = frozenset("be am is are was were been being 's 're 'm ’s ’re ’m ai".split())
HAVE = frozenset("have has had having 've 'd ’ve ’d".split())
DO = frozenset("do does did doing done".split())
_GET = frozenset("get gets got gotten getting".split())
VERB_TAGS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
CLAUSE_CATEGORIES = ("S", "SINV", "SQ", "SBARQ", "SBAR", "FRAG")
_PREDICATES = ("ADJP", "NP", "UCP", "NX", "JJ")

# Functions of an NP that is not a predicate.
_ADVERBIAL = frozenset({"TMP", "ADV", "LOC", "DIR", "EXT", "MNR", "SBJ", "VOC", "LGS"})

STYLES = ("stanford", "surface")

# A search for the head: from the last part or from the first, and the categories of heads.
Step = tuple[bool, frozenset[str]]

# The search in phrases whose category is not in the tables.
_VERBS_FIRST: Step = (False, frozenset({"V*"}))
PUNCTUATION_TAGS = frozenset(
    {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "HYPH", "NFP"}
)

# Tags and categories of the Penn Treebank, and of parsers trained on it, that are not in the table
# of heads.
_OTHER_LABELS = frozenset(
    """
    ADD AFX AUX AUXG CAPTION CODE EDITED EMBED GW LS LST META PDT PRP$ PRT ROOT S1 SYM TOP TYPO X XX
    """.split()
) | {"", "-NONE-"}

CONJUNCTIONS = ("CC", "CONJP")
PRECONJUNCTIONS = ("both", "either", "neither")
_COMMAS = (",", ":")
_ADVERB_CATEGORIES = ("RB", "ADVP")

# Classes of tags and categories that may be coordinated: "rice , beans and fresh fish".
_CONJUNCT_CLASS = by_category(
    NN="NN NNS NNP NNPS NP NX NML NAC PRP",
    VB="VB VBD VBG VBN VBP VBZ VP",
    JJ="JJ JJR JJS ADJP",
    RB="RB RBR RBS ADVP",
    S="S SINV SBAR",
)


def find_heads(phrase: Phrase, style: str, *, existential: bool = False) -> None:
    """Find the heads of a phrase and of all phrases in it.

    Parameters
    ----------
    phrase : Phrase
    style : {"stanford", "surface"}
        Whether content words or function words are heads.
    existential : bool
        Whether the clause has the subject "there", so that "is" is not a copula.
    """
    if phrase.is_word:
        return
    existential = existential and phrase.category in ("VP", "SQ")
    existential |= any(
        [daughter.category for daughter in part.parts] == ["EX"] for part in phrase.parts
    )
    phrase.existential = existential
    for part in phrase.parts:
        find_heads(part, style, existential=existential)
    if style == "stanford":
        attach_conjuncts(phrase.parts)
        _attach_numbers(phrase)
        phrase.head = _find_verbal_head(phrase) or _find_clause_predicate(phrase)
    if phrase.head is None:
        phrase.head = _head_by_table(phrase, style)
    # The head of a coordination is its first member.
    while phrase.head.governor is not None and phrase.head.role == "conj":
        phrase.head = phrase.head.governor
    phrase.head.governor = None
    phrase.passive |= phrase.head.passive


def _attach_numbers(phrase: Phrase) -> None:
    """In "$ 5 million", attach 5 to "million", which depends on the sign."""
    if phrase.category == "QP" and phrase.has("$", "#"):
        numbers = [part for part in phrase.parts if part.category == "CD" and not part.role]
        for part in numbers[:-1]:
            part.governor, part.role = numbers[-1], "number"


def _head_by_table(phrase: Phrase, style: str) -> Phrase:
    """Return the head according to the table of heads."""
    parts = [
        part for part in phrase.parts if not is_punctuation_word(part.lexical.node)
    ] or phrase.parts
    by_node = {id(part.node): part for part in parts}
    return by_node[id(head_part(phrase.category, [part.node for part in parts], style))]


def _find_verbal_head(phrase: Phrase) -> Phrase | None:
    """Return the verb phrase after an auxiliary or the predicate after a copula, if any."""
    if phrase.category not in ("VP", "SQ", "SINV"):
        return None
    verbs = [part for part in phrase.parts if part.category in (*VERB_TAGS, "MD", "TO", "AUX")]
    verbs = [part for part in verbs if part.role != "conj"]
    if not verbs:
        return None
    verb = verbs[0]
    later_parts = phrase.parts[phrase.parts.index(verb) + 1 :]
    lower_phrase = next(
        (part for part in later_parts if part.category == "VP" and part.role != "conj"), None
    )
    if lower_phrase is not None:
        role = _auxiliary_relation(verb, lower_phrase)
        if role:
            for verb_part in verbs:
                verb_part.role = role if verb_part is verb else "aux"
            phrase.passive = role == "auxpass"
            return lower_phrase
    elif verb.text in BE and not phrase.existential:
        predicate = _find_predicate(phrase, later_parts)
        if predicate is not None:
            verb.role = "cop"
            return predicate
    return None


def _auxiliary_relation(verb: Phrase, lower_phrase: Phrase) -> str:
    """Return the relation of an auxiliary to the next verb phrase; "" for other verbs."""
    if verb.category in ("MD", "TO"):
        return "aux"
    tag, word = _first_verb(lower_phrase)
    if tag in ("VBN", "VBD"):
        if verb.text in BE and word != "been":
            return "auxpass"
        if verb.text in _GET:
            return "auxpass"
        return "aux" if verb.text in HAVE | BE else ""
    if verb.text in BE:
        return "aux"
    return "aux" if verb.text in DO | HAVE else ""


def _first_verb(phrase: Phrase) -> tuple[str, str]:
    """Return the tag and the word of the first verb of a verb phrase; empty if it has none."""
    while not phrase.is_word:
        verb = next((part for part in phrase.parts if part.category in (*VERB_TAGS, "VP")), None)
        if verb is None:
            return "", ""
        phrase = verb
    return phrase.category, phrase.text


def _find_predicate(phrase: Phrase, later_parts: Sequence[Phrase]) -> Phrase | None:
    """Return the predicate of a copula, from the parts after it, if there is one."""
    candidates = [
        part
        for part in later_parts
        if part.category in _PREDICATES
        and part.role != "conj"
        and not (part.category == "NP" and part.functions & _ADVERBIAL)
    ]
    marked = [part for part in candidates if "PRD" in part.functions]
    if phrase.category == "VP":
        return next(iter(marked or candidates), None)
    # In a question the subject follows the copula, too: "Is it a doctor?"
    subjects = sum(part.category == "NP" for part in later_parts)
    not_nominal = [part for part in candidates if part.category != "NP"]
    if marked or not_nominal:
        return (marked or not_nominal)[0]
    return candidates[-1] if subjects > 1 and candidates else None


def _find_clause_predicate(phrase: Phrase) -> Phrase | None:
    """Return the predicate of a clause without a verb: "consider [it good]"."""
    if phrase.category != "S" or phrase.has("VP", "S"):
        return None
    return next((part for part in phrase.parts if "PRD" in part.functions), None)


@functools.cache
def head_table(style: str) -> Mapping[str, tuple[Step, ...]]:
    """Return the searches for the head by category of the phrase."""
    table = read_toml(pathlib.Path(__file__).parent / "heads.toml").data[style]
    return {
        category: tuple(
            (side == "last", frozenset(labels)) for step in steps for side, labels in step.items()
        )
        for category, steps in table.items()
    }


@functools.cache
def known_labels() -> frozenset[str]:
    """Return all tags and categories of the Penn Treebank."""
    tables = [head_table(style) for style in STYLES]
    listed_labels = (labels for table in tables for steps in table.values() for _, labels in steps)
    return _OTHER_LABELS | PUNCTUATION_TAGS | frozenset().union(*tables, *listed_labels)


def is_punctuation_word(word: Node) -> bool:
    """Return whether a word is punctuation, by its tag, or by its form if the tag is unknown.

    Examples
    --------
    >>> [is_punctuation_word(Node.of(*pair)) for pair in ((",", ","), ("PU", "。"), ("NN", "%"))]
    [True, True, False]
    """
    if word.category in known_labels():
        return word.category in PUNCTUATION_TAGS
    return word.word in PUNCTUATION_TAGS or has_only_marks(word.word or "")


def head_part(category: str, parts: Sequence[Node], style: str) -> Node:
    """Return the part of a phrase that is its head.

    Parameters
    ----------
    category : str
        The category of the phrase.
    parts : sequence of Node
        At least one.
    style : {"stanford", "surface"}

    Examples
    --------
    >>> parts = [Node.of("DT", "the"), Node.of("NN", "book"), Node.of("PP")]
    >>> head_part("NP", parts, "stanford").word
    'book'
    """
    steps = head_table(style).get(category, ())
    for last, labels in steps if category in known_labels() else (_VERBS_FIRST,):
        for part in reversed(parts) if last else parts:
            if part.category in labels or ("V*" in labels and part.category.startswith("V")):
                return part
    return next(
        (part for part in reversed(parts) if part.category not in PUNCTUATION_TAGS), parts[-1]
    )


def attach_conjuncts(parts: Sequence[Phrase]) -> None:
    """Make conjunctions and later members of each coordination depend on its first member.

    Sets ``governor`` and ``role`` of the parts.
    """
    chains: list[list[int]] = []
    for index, part in enumerate(parts):
        if part.category not in CONJUNCTIONS:
            continue
        left_conjunct = _find_left(parts, index)
        right = _find_right(parts, index, left_conjunct)
        if left_conjunct is None or right is None:
            continue
        chain = next((chain for chain in chains if left_conjunct in chain), None)
        if chain is None:
            chain = _list_members(parts, left_conjunct)
            chains.append(chain)
        _attach_conjunction(parts, chain, index, right)
        chain.append(right)
    for chain in chains:
        _attach_members(parts, chain)


def _find_left(parts: Sequence[Phrase], index: int) -> int | None:
    """Return the index of the left conjunct of a conjunction, or None."""
    for position in range(index - 1, -1, -1):
        category = parts[position].category
        if category in PUNCTUATION_TAGS:
            continue
        return None if category in (*CONJUNCTIONS, "DT", "PDT") else position
    return None


def _find_right(parts: Sequence[Phrase], index: int, left_conjunct: int | None) -> int | None:
    """Return the index of the right conjunct, or None; before a noun, that of the noun."""
    if left_conjunct is None:
        return None
    closers = (*PUNCTUATION_TAGS, *CONJUNCTIONS)
    candidates = [p for p in range(index + 1, len(parts)) if parts[p].category not in closers]
    if not candidates:
        return None
    while (
        len(candidates) > 1
        and parts[candidates[0]].category in _ADVERB_CATEGORIES
        and not _are_same_class(parts, left_conjunct, candidates[0])
    ):
        candidates.pop(0)
    right = candidates[0]
    # In "cats and white dogs" as one phrase, the conjunct is "dogs".
    if (
        parts[left_conjunct].is_word
        and _conjunct_class(parts[left_conjunct]) == "NN"
        and not _are_same_class(parts, left_conjunct, right)
    ):
        run = right
        while run + 1 < len(parts) and parts[run].category not in closers:
            if parts[run].is_word and _are_same_class(parts, left_conjunct, run):
                return run
            run += 1
        return run if _are_same_class(parts, left_conjunct, run) else right
    return right


def _conjunct_class(part: Phrase) -> str:
    return _CONJUNCT_CLASS.get(part.category, part.category)


def _are_same_class(parts: Sequence[Phrase], first: int, second: int) -> bool:
    """True if two parts may be coordinated."""
    return _conjunct_class(parts[first]) == _conjunct_class(parts[second])


def _list_members(parts: Sequence[Phrase], last_member: int) -> list[int]:
    """Return the indices of the members of a list that ends with `last_member`, in order."""
    chain = [last_member]
    while (
        chain[0] >= 2
        and parts[chain[0] - 1].category in _COMMAS
        and _are_same_class(parts, chain[0] - 2, chain[0])
    ):
        chain.insert(0, chain[0] - 2)
    return chain


def _attach_conjunction(
    parts: Sequence[Phrase], chain: Sequence[int], index: int, right: int
) -> None:
    """Make a conjunction depend on the first member, and words after it on the right member."""
    first = parts[chain[0]]
    parts[index].governor, parts[index].role = first, "cc"
    for modifier in range(index + 1, right):
        if parts[modifier].category not in PUNCTUATION_TAGS:
            parts[modifier].governor = parts[right]


def _attach_members(parts: Sequence[Phrase], chain: Sequence[int]) -> None:
    """Make the members of a coordination, and commas in it, depend on the first member."""
    first = parts[chain[0]]
    for index in chain[1:]:
        parts[index].governor, parts[index].role = first, "conj"
    for index in range(chain[0] + 1, chain[-1]):
        if parts[index].category in PUNCTUATION_TAGS:
            parts[index].governor = first
    for part in parts[: chain[0]]:
        if part.is_word and part.text in PRECONJUNCTIONS:
            part.governor, part.role = first, "preconj"
