"""Write rules as TOML that people can edit, and that reads back as the same rules."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from wordorder.errors import UsageError
from wordorder.reordering import conditions
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# Comments on a rule, with the key (rule,), or on a class or label in it, with (rule, entry).
Comments = Mapping[tuple[str, ...], str]
TomlValue = str | list["TomlValue"] | dict[str, "TomlValue"]
# Keys that TOML allows without quotes.
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
MAX_LINE_LENGTH = 100


def write_rules(
    rules: PrecedenceRules, path: Path, *, header: str = "", comments: Comments | None = None
) -> None:
    """Write rules to a file; read back, they order every tree in the same way.

    Parameters
    ----------
    rules : PrecedenceRules
        Rules from any source: a file, a built-in set, training, or parts of other rules.
    path : path or "-"
    header : str
        Lines for the start of the file, written as comments.
    comments : mapping of (rule,) or (rule, entry) to str, optional
        Comments written above a rule, and after one of its entries.

    Raises
    ------
    UsageError
        If a condition cannot be expressed in a file of rules, or the file cannot be created.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.reordering import open_rules
    >>> path = pathlib.Path(tempfile.mkdtemp(), "turned.toml")
    >>> write_rules(open_rules("R2-literal"), path, comments={("reverse",): "the whole tree"})
    >>> print(path.read_text(), end="")
    name = "R2-literal"
    about = "the reverse of the source order, final punctuation too"
    scheme = "any"
    <BLANKLINE>
    # the whole tree
    [[rule]]
    name = "reverse"
    order = [{ equal = ["*", "self"], order = "reverse" }]
    """
    text = rules_text(rules.file, header=header, comments=comments)
    with write_text(path) as stream:
        stream.write(text)


def rules_text(
    file: conditions.RuleFile, *, header: str = "", comments: Comments | None = None
) -> str:
    """Return the text of a file of rules; see `write_rules`."""
    return _Writer(file, comments or {}).text(header)


class _Writer:
    """Writes one file, and names the classes in it."""

    def __init__(self, file: conditions.RuleFile, comments: Comments) -> None:
        self.file = file
        self.comments = comments
        self.classes: dict[str, conditions.Condition] = {}
        members = [m for rule in file.rules for m in (*rule.members, *rule.barriers)]
        # Names that a class cannot have, because it would replace the label in all rules.
        self.label_names = {conditions.SELF, conditions.OTHER_CHILDREN} | {
            m.name for m in members if m.condition is None
        }
        barriers = {rule.barriers for rule in file.rules}
        self.shared_barriers = barriers.pop() if len(barriers) == 1 else ()

    def text(self, header: str) -> str:
        """Return the whole file."""
        rules = [self.rule(rule) for rule in self.file.rules]
        top = [f"# {line}".rstrip() for line in header.splitlines()]
        top.append(f"name = {_quoted(self.file.name)}")
        if self.file.about:
            top.append(f"about = {_quoted(self.file.about)}")
        top.append(f"scheme = {_quoted(self.file.scheme)}")
        if self.shared_barriers:
            top.append(f"barriers = {_value(self.barriers(self.shared_barriers))}")
        if self.classes:
            top += ["", "[classes]"]
            top += [f"{_key(name)} = {_value(_to_toml(c))}" for name, c in self.classes.items()]
        return "\n".join([*top, *(line for lines in rules for line in ("", *lines)), ""])

    def rule(self, rule: conditions.Rule) -> list[str]:
        """Return the lines of a rule."""
        lines = _comment(self.comments.get((rule.name,), ""))
        lines += ["[[rule]]", f"name = {_quoted(rule.name)}"]
        if rule.head != conditions.Condition((conditions.Clause(),)):
            lines.append(f"head = {_value(_to_toml(rule.head))}")
        if rule.barriers != self.shared_barriers:
            lines.append(f"barriers = {_value(self.barriers(rule.barriers))}")
        ranks = [member.rank for member in rule.members]
        if ranks == sorted(ranks):
            return lines + self.ordered(rule)
        return lines + self.weighted(rule)

    def ordered(self, rule: conditions.Rule) -> list[str]:
        """Return the lines of the entries as a list, first to last."""
        items: list[TomlValue] = []
        comments: list[str] = []
        for rank, equal_members in groupby(rule.members, key=lambda member: member.rank):
            members = list(equal_members)
            entries = [self.entry(member) for member in members]
            items.append(
                {"equal": entries, "order": "reverse"}
                if rule.turned[rank]
                else (entries[0] if len(entries) == 1 else entries)
            )
            # If several entries share a line, each comment names its entry.
            comments.append(
                "; ".join(
                    comment if len(members) == 1 else f"{member.name}: {comment}"
                    for member in members
                    if (comment := self.comment(rule, member))
                )
            )
        line = f"order = {_value(items)}"
        if not any(comments) and len(line) <= MAX_LINE_LENGTH:
            return [line]
        lines = [
            _with_comment(f"    {_value(item)},", comment)
            for item, comment in zip(items, comments, strict=True)
        ]
        return ["order = [", *lines, "]"]

    def weighted(self, rule: conditions.Rule) -> list[str]:
        """Return the lines of entries with weights: conditions in their order, labels by weight."""
        conditioned = [member for member in rule.members if member.condition]
        labels = [member for member in rule.members if not member.condition]
        # The order of patterns matters: the first one that matches is used.
        if not any(
            member.name != conditions.OTHER_CHILDREN and set(member.name) & set("*?[")
            for member in labels
        ):
            labels.sort(key=lambda member: member.rank)
        zero = next(
            member.rank for member in rule.members if member.name == conditions.OTHER_CHILDREN
        )
        ranks = sorted({member.rank for member in rule.members})
        lines = ["[rule.weights]"]
        for member in (*conditioned, *labels):
            weight = str(ranks.index(zero) - ranks.index(member.rank))
            if rule.turned[member.rank]:
                weight = f'[{weight}, "reverse"]'
            key = self.name(member) if member.condition else member.name
            lines.append(_with_comment(f"{_key(key)} = {weight}", self.comment(rule, member)))
        return lines

    def comment(self, rule: conditions.Rule, member: conditions.Member) -> str:
        return self.comments.get((rule.name, member.name), "")

    def barriers(self, members: Sequence[conditions.Member]) -> list[TomlValue]:
        return [self.entry(member) for member in members]

    def entry(self, member: conditions.Member) -> TomlValue:
        """Return an entry of a list: a label, the name of a class, or an unnamed condition."""
        if member.condition is None:
            return member.name
        if member.name.startswith("{") and len(member.condition.clauses) == 1:
            return _to_toml(member.condition)
        return self.name(member)

    def name(self, member: conditions.Member) -> str:
        """Return the name of the class of a condition; a new class if it has none."""
        condition = member.condition
        assert condition is not None
        name = member.name
        if name.startswith("{"):
            name = "_".join(re.findall(r"\w+", name))[:40] or "class"
        number = 1
        unused = name
        while unused in self.label_names or self.classes.get(unused, condition) != condition:
            number += 1
            unused = f"{name}_{number}"
        self.classes[unused] = condition
        return unused


def _to_toml(condition: conditions.Condition) -> TomlValue:
    tables: list[TomlValue] = [_clause_table(clause) for clause in condition.clauses]
    return tables[0] if len(tables) == 1 else tables


def _clause_table(clause: conditions.Clause) -> dict[str, TomlValue]:
    table = _requirements(clause.own, clause.parent, clause.child)
    banned = _requirements(clause.not_own, clause.not_parent, clause.not_child)
    return {**table, "not": banned} if banned else table


def _requirements(
    own: Sequence[conditions.Predicate],
    parent: Sequence[conditions.Predicate],
    child: Sequence[conditions.Condition],
) -> dict[str, TomlValue]:
    """Return the conditions on a word, its parent and its children as a table."""
    table = _columns(own)
    if parent:
        table["parent"] = _columns(parent)
    if child:
        if len(child) > 1:
            raise UsageError("rule files have one condition on children in a table")
        table["child"] = _to_toml(child[0])
    return table


def _columns(predicates: Sequence[conditions.Predicate]) -> dict[str, TomlValue]:
    table: dict[str, TomlValue] = {}
    for predicate in predicates:
        if isinstance(predicate, conditions.Pattern):
            key, texts = predicate.column, predicate.texts
        else:
            key, texts = "position", predicate.places
        if key in table:
            raise UsageError(f"rule files have one {key} in a table")
        table[key] = texts[0] if len(texts) == 1 else list(texts)
    return table


def _value(value: TomlValue) -> str:
    """Format a string, a list or a table as TOML on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    inside = ", ".join(f"{_key(key)} = {_value(value)}" for key, value in value.items())
    return f"{{ {inside} }}" if inside else "{}"


def _key(name: str) -> str:
    return name if _BARE_KEY.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    # TOML has the escapes of JSON, and also forbids U+007F.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _with_comment(line: str, note: str) -> str:
    return f"{line}  # {' '.join(note.split())}" if note else line


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]
