"""Check that rules fit trees: labels of another scheme, unknown names, empty columns."""

from collections.abc import Mapping

from wordorder.messages import joined
from wordorder.notes import note
from wordorder.reordering import unknown_names
from wordorder.reordering.conditions import OTHER_CHILDREN, SELF, Pattern, UnknownName
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RULES, RuleSet
from wordorder.treebank.treebank import Treebank

# Limit for the names in a note.
MAX_NAMES = 5


def fit_problems(rules: RuleSet, treebank: Treebank) -> list[str]:
    """Return reasons why rules may miss the words that they are meant for.

    Parameters
    ----------
    rules : RuleSet
        Only `PrecedenceRules` are checked.
    treebank : Treebank
        Some of the trees that the rules will order.

    Returns
    -------
    list of str
        One note per problem: labels of the trees that the scheme of the rules does not have, or
        most of which are in no scheme; columns that the rules read and that are empty.

    Examples
    --------
    >>> from wordorder.reordering import open_rules
    >>> bank = Treebank.from_words(
    ...     [["He", "ate", "it"]],
    ...     heads=[[2, 0, 2]],
    ...     upos=[["PRON", "VERB", "PRON"]],
    ...     xpos=[["PRP", "VBD", "PRP"]],
    ...     label=[["nsubj", "root", "dobj"]],
    ... )
    >>> fit_problems(open_rules("R1"), bank)
    []
    >>> print(fit_problems(open_rules("R5"), bank)[0].partition(",")[0])
    the trees seem to be of Stanford Dependencies (dobj 1)
    """
    if not isinstance(rules, PrecedenceRules) or not treebank.words:
        return []
    notes = []
    if not treebank.label.has_value().any():
        if _reads_labels(rules):
            notes.append(f"the rules {rules.name} read labels, which no word has")
    elif rules.scheme != "any":
        notes += _note_foreign_labels(rules, treebank)
    elif _reads_labels(rules):
        notes += _note_unknown_labels(rules, treebank)
    empty = [
        name
        for name, column in treebank.columns.items()
        if name in rules.columns and name not in ("form", "label") and not column.has_value().any()
    ]
    if empty:
        notes.append(f"the rules {rules.name} read {joined(empty)}, which no word has")
    return notes


def note_fit_problems(rules: RuleSet, treebank: Treebank, name: str) -> None:
    """Note the problems of rules with some trees.

    Parameters
    ----------
    rules, treebank
        See `fit_problems`; the first sentences of a file are enough.
    name : str
        The name of the file of the trees.

    Warns
    -----
    note
        One per problem.
    """
    # Without the name of a file, notes that do not depend on the trees appear only once.
    for problem in names_without_match(rules, treebank):
        note(problem)
    for problem in fit_problems(rules, treebank):
        note(f"{name}: {problem}")


def names_without_match(rules: RuleSet, treebank: Treebank) -> list[str]:
    """Return notes on the labels, tags and features of rules that no word can have.

    Parameters
    ----------
    rules, treebank
        See `fit_problems`. A name that occurs in the trees is not reported.

    Returns
    -------
    list of str
        One note per name, with its file, line and rule; at most five, and the number of others.
        Names in ``xpos`` are reported only if the trees have tags of the Penn Treebank, since
        other tag sets are not known.
    """
    if not isinstance(rules, PrecedenceRules) or not treebank.words:
        return []
    tags = treebank.columns["xpos"]
    penn_tags = set(unknown_names.tag_tables()["penn"])
    has_penn_tags = bool(tags.has_value().any()) and penn_tags.issuperset(tags.vocabulary.words)
    missing = [
        str(name)
        for name in rules.file.unknown
        if (name.column != "xpos" or has_penn_tags) and not _occurs(treebank, name)
    ]
    return limit_notes(missing, rules.name)


def limit_notes(notes: list[str], rules: str) -> list[str]:
    """Return the first notes on names in rules, and the number of others.

    Examples
    --------
    >>> limit_notes(list("abcdefg"), "R5")[4:]
    ['e', 'R5 has 2 more names like these']
    """
    hidden = len(notes) - MAX_NAMES
    more = [f"{rules} has {hidden} more names like these"] if hidden > 0 else []
    return notes[:MAX_NAMES] + more


def _occurs(treebank: Treebank, name: UnknownName) -> bool:
    """Return whether a name occurs in the trees."""
    words = treebank.columns[name.column].vocabulary.words
    return any(map(Pattern(name.column, (name.text,)).matches, words))


def _note_foreign_labels(rules: PrecedenceRules, treebank: Treebank) -> list[str]:
    """Return a note on labels of the trees that the scheme of the rules does not have."""
    scheme = unknown_names.label_scheme(rules.scheme)
    counts = unknown_names.label_counts(treebank)
    for key in unknown_names.SCHEMES:
        if key in ("any", rules.scheme):
            continue
        other_scheme = unknown_names.label_scheme(key)
        only_other = {
            label: n for label, n in counts.items() if other_scheme.has(label) > scheme.has(label)
        }
        only_this = [
            n for label, n in counts.items() if scheme.has(label) > other_scheme.has(label)
        ]
        if sum(only_other.values()) > sum(only_this):
            sibling = _sibling(rules.name, key)
            hint = f"; {sibling} reads those" if sibling else ""
            return [
                f"the trees seem to be of {other_scheme.name} ({_format_counts(only_other)}), "
                f"but {rules.name} reads {scheme.name}{hint}"
            ]
    foreign = unknown_names.foreign_labels(scheme, treebank)
    if not foreign:
        return []
    lacks = f"the trees have labels that {scheme.name} lacks: {_format_counts(foreign)}"
    return [f"{lacks}; {rules.name} takes them like any other"]


def _note_unknown_labels(rules: PrecedenceRules, treebank: Treebank) -> list[str]:
    """Return a note if most words have labels of no scheme, which rules for any scheme miss."""
    counts = unknown_names.label_counts(treebank)
    schemes = [unknown_names.label_scheme(key) for key in unknown_names.SCHEMES if key != "any"]
    foreign = {
        label: n
        for label, n in counts.items()
        if not any(scheme.knows(label) for scheme in schemes)
    }
    share = sum(foreign.values()) / sum(counts.values())
    if share <= 0.5:
        return []
    names = joined([scheme.name for scheme in schemes], "nor")
    return [
        f"{share:.0%} of the words have labels of neither {names} ({_format_counts(foreign)}); "
        f"{rules.name} takes them like any other"
    ]


def _sibling(name: str, scheme: str) -> str | None:
    """Return the name of the same built-in rules for another scheme, or None."""
    base = name.removesuffix("-sd")
    sibling = base if scheme == "ud" else f"{base}-{scheme}"
    return sibling if base in RULES.built_in and sibling in RULES.built_in else None


def _format_counts(labels: Mapping[str, int]) -> str:
    listing = [f"{label} {count:,}" for label, count in list(labels.items())[:MAX_NAMES]]
    hidden = len(labels) - len(listing)
    return ", ".join(listing) + (f" and {hidden} more" if hidden else "")


def _reads_labels(rules: PrecedenceRules) -> bool:
    if "label" in rules.columns:
        return True
    return any(
        member.condition is None and member.name not in (SELF, OTHER_CHILDREN)
        for rule in rules.file.rules
        for member in rule.members
    )
