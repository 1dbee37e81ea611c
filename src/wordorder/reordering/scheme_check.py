"""Whether rules fit trees: names that only one of the two has, columns that say nothing."""

from collections.abc import Mapping

from wordorder.messages import joined
from wordorder.notes import note
from wordorder.reordering import unknown_names
from wordorder.reordering.conditions import OTHERS, SELF, Pattern, UnknownName
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.reordering.rules import RULES, RuleSet
from wordorder.treebank.treebank import Treebank

# Names that a note lists.
SHOWN = 5


def fit_problems(rules: RuleSet, treebank: Treebank) -> list[str]:
    """Return the reasons why rules may miss the words that they are meant for.

    Parameters
    ----------
    rules : RuleSet
        Nothing is known of rules that are no `PrecedenceRules`.
    treebank : Treebank
        Some of the trees that the rules are to order.

    Returns
    -------
    list of str
        One note a matter: labels of the trees that the rules' scheme does not know, or most of
        which no scheme knows; columns that the rules read and no word has.

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
        notes += _foreign(rules, treebank)
    elif _reads_labels(rules):
        notes += _labels_without_scheme(rules, treebank)
    empty = [
        name
        for name, column in treebank.columns.items()
        if name in rules.columns and name not in ("form", "label") and not column.has_value().any()
    ]
    if empty:
        notes.append(f"the rules {rules.name} read {joined(empty)}, which no word has")
    return notes


def note_fit_problems(rules: RuleSet, treebank: Treebank, name: str) -> None:
    """Warn where rules do not fit some trees.

    Parameters
    ----------
    rules, treebank
        As `fit_problems` takes them; the first sentences of a file are enough.
    name : str
        What the file is called.

    Warns
    -----
    note
        Once for each matter.
    """
    # These faults do not depend on the trees: without the name of a file, the note appears once.
    for problem in names_without_match(rules, treebank):
        note(problem)
    for problem in fit_problems(rules, treebank):
        note(f"{name}: {problem}")


def names_without_match(rules: RuleSet, treebank: Treebank) -> list[str]:
    """Return the labels, tags and features of rules that neither their scheme nor a tree has.

    Parameters
    ----------
    rules, treebank
        As `fit_problems` takes them.

    Returns
    -------
    list of str
        One note a name, with its file, line and rule; at most five, and how many more there are.
        Names in ``xpos`` count only where the trees' tags are the Penn Treebank's: others are not
        known.
    """
    if not isinstance(rules, PrecedenceRules) or not treebank.words:
        return []
    # A column of Penn tags alone.
    tags = treebank.columns["xpos"]
    penn_tags = set(unknown_names.tag_tables()["penn"])
    penn = bool(tags.has_value().any()) and penn_tags.issuperset(tags.vocabulary.words)
    missing = [
        str(unknown_name)
        for unknown_name in rules.file.unknown
        if (unknown_name.column != "xpos" or penn) and not _has(treebank, unknown_name)
    ]
    return shown_names(missing, rules.name)


def shown_names(notes: list[str], rules: str) -> list[str]:
    """Return the first notes on names in rules, and how many more there are.

    Examples
    --------
    >>> shown_names(list("abcdefg"), "R5")[4:]
    ['e', 'R5 has 2 more names like these']
    """
    hidden = len(notes) - SHOWN
    return notes[:SHOWN] + ([f"{rules} has {hidden} more names like these"] if hidden > 0 else [])


def _has(treebank: Treebank, name: UnknownName) -> bool:
    """Return whether trees have a name of their own."""
    words = treebank.columns[name.column].vocabulary.words
    return any(map(Pattern(name.column, (name.text,)).matches, words))


def _foreign(rules: PrecedenceRules, treebank: Treebank) -> list[str]:
    """Name labels of the trees that the rules' scheme does not have."""
    scheme = unknown_names.label_scheme(rules.scheme)
    counts = unknown_names.label_counts(treebank)
    for key in unknown_names.SCHEMES:
        if key in ("any", rules.scheme):
            continue
        other_scheme = unknown_names.label_scheme(key)
        only_other = {
            label: n for label, n in counts.items() if other_scheme.has(label) > scheme.has(label)
        }
        only_own = (n for label, n in counts.items() if scheme.has(label) > other_scheme.has(label))
        if sum(only_other.values()) > sum(only_own):
            reads = _sibling(rules.name, key)
            return [
                f"the trees seem to be of {other_scheme.name} ({_format_counts(only_other)}), "
                f"but {rules.name} reads {scheme.name}{f'; {reads} reads those' if reads else ''}"
            ]
    foreign = unknown_names.foreign_labels(scheme, treebank)
    if not foreign:
        return []
    lacks = f"the trees have labels that {scheme.name} lacks: {_format_counts(foreign)}"
    return [f"{lacks}; {rules.name} takes them like any other"]


def _labels_without_scheme(rules: PrecedenceRules, treebank: Treebank) -> list[str]:
    """Say how many words have labels of no scheme, if most have: rules for any scheme miss them."""
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
    """Return the built-in rules that are the same for another scheme, if there are any."""
    base = name.removesuffix("-sd")
    sibling = base if scheme == "ud" else f"{base}-{scheme}"
    return sibling if base in RULES.built_in and sibling in RULES.built_in else None


def _format_counts(labels: Mapping[str, int]) -> str:
    listing = [f"{label} {count:,}" for label, count in list(labels.items())[:SHOWN]]
    hidden = len(labels) - len(listing)
    return ", ".join(listing) + (f" and {hidden} more" if hidden else "")


def _reads_labels(rules: PrecedenceRules) -> bool:
    if "label" in rules.columns:
        return True
    return any(
        member.condition is None and member.name not in (SELF, OTHERS)
        for rule in rules.file.rules
        for member in rule.members
    )
