"""Finding the heads of phrases, with verbs of content and predicates as heads, or without."""

import functools
import pathlib
from collections.abc import Mapping, Sequence

from wordorder.text.toml import read_toml
from wordorder.treebank.brackets.phrase import Node, Phrase
from wordorder.treebank.treebank import has_only_marks

BE = frozenset("be am is are was were been being 's 're 'm ’s ’re ’m ai".split())
HAVE = frozenset("have has had having 've 'd ’ve ’d".split())
DO = frozenset("do does did doing done".split())
_GET = frozenset("get gets got gotten getting".split())
VERBS = ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ")
CLAUSES = ("S", "SINV", "SQ", "SBARQ", "SBAR", "FRAG")
_PREDICATES = ("ADJP", "NP", "UCP", "NX", "JJ")

# What an NP with one of these is, it is no predicate.
_ADVERBIAL = frozenset({"TMP", "ADV", "LOC", "DIR", "EXT", "MNR", "SBJ", "VOC", "LGS"})

STYLES = ("stanford", "surface")

# From which side, and the categories of the parts that are looked for.
Step = tuple[bool, frozenset[str]]

# What is the head in categories that the tables do not have.
_VERBS_FIRST: Step = (False, frozenset({"V*"}))
PUNCTUATION = frozenset(
    {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "HYPH", "NFP"}
)

# Tags and categories of the Penn Treebank and of parsers trained on it, but for those that the
# table of heads names.
_OTHER_LABELS = frozenset(
    """
    ADD AFX AUX AUXG CAPTION CODE EDITED EMBED GW LS LST META PDT PRP$ PRT ROOT S1 SYM TOP TYPO X XX
    """.split()
) | {"", "-NONE-"}

CONJUNCTIONS = ("CC", "CONJP")
BOTH = ("both", "either", "neither")
_COMMAS = (",", ":")
_ADVERBS = ("RB", "ADVP")

# Tags and categories that may be in one list: "rice , beans and fresh fish".
_KINDS = {
    "NN": ("NN", "NNS", "NNP", "NNPS", "NP", "NX", "NML", "NAC", "PRP"),
    "VB": ("VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "VP"),
    "JJ": ("JJ", "JJR", "JJS", "ADJP"),
    "RB": ("RB", "RBR", "RBS", "ADVP"),
    "S": ("S", "SINV", "SBAR"),
}
_KIND = {category: kind for kind, categories in _KINDS.items() for category in categories}


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
    existential |= any(
        [daughter.category for daughter in part.parts] == ["EX"] for part in phrase.parts
    )
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


def _by_table(phrase: Phrase, style: str) -> Phrase:
    """Ask the table of heads."""
    parts = [part for part in phrase.parts if not is_punctuation(part.lexical.node)] or phrase.parts
    by_node = {id(part.node): part for part in parts}
    return by_node[id(head_part(phrase.category, [part.node for part in parts], style))]


def _verbal_head(phrase: Phrase) -> Phrase | None:
    """Return the verb phrase behind an auxiliary, or the predicate behind a copula."""
    if phrase.category not in ("VP", "SQ", "SINV"):
        return None
    verbs = [part for part in phrase.parts if part.category in (*VERBS, "MD", "TO", "AUX")]
    verbs = [part for part in verbs if part.role != "conj"]
    if not verbs:
        return None
    verb = verbs[0]
    later_parts = phrase.parts[phrase.parts.index(verb) + 1 :]
    below = next(
        (part for part in later_parts if part.category == "VP" and part.role != "conj"), None
    )
    if below is not None:
        role = _auxiliary(verb, below)
        if role:
            for verb_part in verbs:
                verb_part.role = role if verb_part is verb else "aux"
            phrase.passive = role == "auxpass"
            return below
    elif verb.text in BE and not phrase.existential:
        predicate = _predicate(phrase, later_parts)
        if predicate is not None:
            verb.role = "cop"
            return predicate
    return None


def _auxiliary(verb: Phrase, below: Phrase) -> str:
    """Return the relation of an auxiliary to the next verb phrase; empty for other verbs."""
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
    """Return the predicate of a copula."""
    candidates = [
        part
        for part in behind
        if part.category in _PREDICATES
        and part.role != "conj"
        and not (part.category == "NP" and part.functions & _ADVERBIAL)
    ]
    marked = [part for part in candidates if "PRD" in part.functions]
    if phrase.category == "VP":
        return next(iter(marked or candidates), None)
    # In a question the subject follows the copula, too: "Is it a doctor?"
    subjects = sum(part.category == "NP" for part in behind)
    not_nominal = [part for part in candidates if part.category != "NP"]
    if marked or not_nominal:
        return (marked or not_nominal)[0]
    return candidates[-1] if subjects > 1 and candidates else None


def _predicate_clause(phrase: Phrase) -> Phrase | None:
    """Return the predicate of a clause without a verb: "consider [it good]"."""
    if phrase.category != "S" or phrase.has("VP", "S"):
        return None
    return next((part for part in phrase.parts if "PRD" in part.functions), None)


@functools.cache
def head_table(style: str) -> Mapping[str, tuple[Step, ...]]:
    """Return the steps of each category."""
    table = read_toml(pathlib.Path(__file__).parent / "heads.toml").data[style]
    return {
        category: tuple(
            (side == "last", frozenset(labels)) for step in steps for side, labels in step.items()
        )
        for category, steps in table.items()
    }


@functools.cache
def known_labels() -> frozenset[str]:
    """Return the tags and categories that the tables of heads are made for."""
    tables = [head_table(style) for style in STYLES]
    listed_labels = (labels for table in tables for steps in table.values() for _, labels in steps)
    return _OTHER_LABELS | PUNCTUATION | frozenset().union(*tables, *listed_labels)


def is_punctuation(word: Node) -> bool:
    """Return whether a word is punctuation: by its tag, or by its letters if the tag is unknown.

    Examples
    --------
    >>> [is_punctuation(Node.of(*pair)) for pair in ((",", ","), ("PU", "。"), ("NN", "%"))]
    [True, True, False]
    """
    if word.category in known_labels():
        return word.category in PUNCTUATION
    return word.word in PUNCTUATION or has_only_marks(word.word or "")


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
    return next((part for part in reversed(parts) if part.category not in PUNCTUATION), parts[-1])


def join(parts: Sequence[Phrase]) -> None:
    """Make later members of each coordination depend on the first, and conjunctions too.

    Sets ``governor`` and ``role`` of parts.
    """
    chains: list[list[int]] = []
    for place, part in enumerate(parts):
        if part.category not in CONJUNCTIONS:
            continue
        left_conjunct = _find_left(parts, place)
        right = _find_right(parts, place, left_conjunct)
        if left_conjunct is None or right is None:
            continue
        chain = next((chain for chain in chains if left_conjunct in chain), None)
        if chain is None:
            chain = _list_members(parts, left_conjunct)
            chains.append(chain)
        _attach(parts, chain, place, right)
        chain.append(right)
    for chain in chains:
        _mark(parts, chain)


def _find_left(parts: Sequence[Phrase], place: int) -> int | None:
    """Return the index of the left conjunct of a conjunction."""
    for position in range(place - 1, -1, -1):
        category = parts[position].category
        if category in PUNCTUATION:
            continue
        return None if category in (*CONJUNCTIONS, "DT", "PDT") else position
    return None


def _find_right(parts: Sequence[Phrase], place: int, left: int | None) -> int | None:
    """Return the index of the right conjunct: of words before a noun, the noun's."""
    if left is None:
        return None
    closers = (*PUNCTUATION, *CONJUNCTIONS)
    places = [p for p in range(place + 1, len(parts)) if parts[p].category not in closers]
    if not places:
        return None
    while (
        len(places) > 1
        and parts[places[0]].category in _ADVERBS
        and not _are_alike(parts, left, places[0])
    ):
        places.pop(0)
    right = places[0]
    # "cats and white dogs" in one phrase: the dogs are joined.
    if (
        parts[left].is_word
        and _alike_kind(parts[left]) == "NN"
        and not _are_alike(parts, left, right)
    ):
        run = right
        while run + 1 < len(parts) and parts[run].category not in closers:
            if parts[run].is_word and _are_alike(parts, left, run):
                return run
            run += 1
        return run if _are_alike(parts, left, run) else right
    return right


def _alike_kind(part: Phrase) -> str:
    return _KIND.get(part.category, part.category)


def _are_alike(parts: Sequence[Phrase], one: int, other: int) -> bool:
    """True if two parts may be members of one list."""
    return _alike_kind(parts[one]) == _alike_kind(parts[other])


def _list_members(parts: Sequence[Phrase], left: int) -> list[int]:
    """Return the members of a list that ends with `left`, the first one first."""
    chain = [left]
    while (
        chain[0] >= 2
        and parts[chain[0] - 1].category in _COMMAS
        and _are_alike(parts, chain[0] - 2, chain[0])
    ):
        chain.insert(0, chain[0] - 2)
    return chain


def _attach(parts: Sequence[Phrase], chain: Sequence[int], place: int, right: int) -> None:
    """Make a conjunction and the words before its right member depend on what they belong to."""
    first = parts[chain[0]]
    parts[place].governor, parts[place].role = first, "cc"
    for between in range(place + 1, right):
        if parts[between].category not in PUNCTUATION:
            parts[between].governor = parts[right]


def _mark(parts: Sequence[Phrase], chain: Sequence[int]) -> None:
    """Make the members of a list depend on the first."""
    first = parts[chain[0]]
    for place in chain[1:]:
        parts[place].governor, parts[place].role = first, "conj"
    for place in range(chain[0] + 1, chain[-1]):
        if parts[place].category in PUNCTUATION:
            parts[place].governor = first
    for part in parts[: chain[0]]:
        if part.is_word and part.text in BOTH:
            part.governor, part.role = first, "preconj"
