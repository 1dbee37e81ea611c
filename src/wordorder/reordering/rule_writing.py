"""Writing rules as TOML that people read and edit, and that reads back as the same rules."""

import json
import re
from collections.abc import Mapping, Sequence
from itertools import groupby

from wordorder.errors import UsageError
from wordorder.reordering import conditions
from wordorder.reordering.precedence import PrecedenceRules
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# What a comment is about: (rule,), or (rule, entry) for a class or label in a rule.
Comments = Mapping[tuple[str, ...], str]
Said = str | list["Said"] | dict[str, "Said"]
_BARE = re.compile(r"[A-Za-z0-9_-]+")
WIDTH = 100


def write_rules(
    rules: PrecedenceRules, path: Path, *, header: str = "", comments: Comments | None = None
) -> None:
    """Write rules to a file; read back, they give every tree the same order.

    Parameters
    ----------
    rules : PrecedenceRules
        Read, built in, learned or made of the parts of others.
    path : path or "-"
    header : str
        Lines for the beginning of the file, as comments.
    comments : mapping of (rule,) or (rule, entry) to str, optional
        What is written above a rule, and beside one of its entries.

    Raises
    ------
    UsageError
        If the language of rule files cannot say a condition, or the file cannot be created.

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
    """Return what `write_rules` writes."""
    return _Writer(file, comments or {}).text(header)


class _Writer:
    """Writes one file: classes get their names first."""

    def __init__(self, file: conditions.RuleFile, comments: Comments) -> None:
        self.file = file
        self.comments = comments
        self.classes: dict[str, conditions.Condition] = {}
        members = [m for rule in file.rules for m in (*rule.members, *rule.barriers)]
        # A class takes the place of the label of its name in all rules.
        self.taken = {conditions.SELF, conditions.OTHERS} | {
            m.name for m in members if m.condition is None
        }
        shared = {rule.barriers for rule in file.rules}
        self.shared = shared.pop() if len(shared) == 1 else ()

    def text(self, header: str) -> str:
        """Return the whole file."""
        rules = [self.rule(rule) for rule in self.file.rules]
        top = [f"# {line}".rstrip() for line in header.splitlines()]
        top.append(f"name = {_quoted(self.file.name)}")
        if self.file.about:
            top.append(f"about = {_quoted(self.file.about)}")
        top.append(f"scheme = {_quoted(self.file.scheme)}")
        if self.shared:
            top.append(f"barriers = {_value(self.barriers(self.shared))}")
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
        if rule.barriers != self.shared:
            lines.append(f"barriers = {_value(self.barriers(rule.barriers))}")
        ranks = [member.rank for member in rule.members]
        if ranks == sorted(ranks):
            return lines + self.ordered(rule)
        return lines + self.weighted(rule)

    def ordered(self, rule: conditions.Rule) -> list[str]:
        """Return the entries as a list, first to last."""
        items: list[Said] = []
        notes: list[str] = []
        for rank, equals in groupby(rule.members, key=lambda member: member.rank):
            members = list(equals)
            entries = [self.entry(member) for member in members]
            turned = rule.turned[rank]
            items.append(
                {"equal": entries, "order": "reverse"}
                if turned
                else (entries[0] if len(entries) == 1 else entries)
            )
            said_of = [
                (member.name, note) for member in members if (note := self.note(rule, member))
            ]
            # Of several in one line, each comment names its entry.
            comments = [note if len(members) == 1 else f"{name}: {note}" for name, note in said_of]
            notes.append("; ".join(comments))
        line = f"order = {_value(items)}"
        if not any(notes) and len(line) <= WIDTH:
            return [line]
        return [
            "order = [",
            *(
                _with_comment(f"    {_value(item)},", n)
                for item, n in zip(items, notes, strict=True)
            ),
            "]",
        ]

    def weighted(self, rule: conditions.Rule) -> list[str]:
        """Return the entries with weights: conditions as they are asked, then labels by weight."""
        conditioned = [member for member in rule.members if member.condition]
        labels = [member for member in rule.members if not member.condition]
        # Of patterns, which are labels too, the first counts.
        if not any(
            member.name != conditions.OTHERS and set(member.name) & set("*?[") for member in labels
        ):
            labels.sort(key=lambda member: member.rank)
        zero = next(member.rank for member in rule.members if member.name == conditions.OTHERS)
        ranks = sorted({member.rank for member in rule.members})
        lines = ["[rule.weights]"]
        for member in (*conditioned, *labels):
            weight = str(ranks.index(zero) - ranks.index(member.rank))
            if rule.turned[member.rank]:
                weight = f'[{weight}, "reverse"]'
            key = self.name(member) if member.condition else member.name
            lines.append(_with_comment(f"{_key(key)} = {weight}", self.note(rule, member)))
        return lines

    def note(self, rule: conditions.Rule, member: conditions.Member) -> str:
        return self.comments.get((rule.name, member.name), "")

    def barriers(self, members: Sequence[conditions.Member]) -> list[Said]:
        return [self.entry(member) for member in members]

    def entry(self, member: conditions.Member) -> Said:
        """Return an entry of a list: a label, a class, or a condition that has no name."""
        if member.condition is None:
            return member.name
        if member.name.startswith("{") and len(member.condition.clauses) == 1:
            return _to_toml(member.condition)
        return self.name(member)

    def name(self, member: conditions.Member) -> str:
        """Return the class of a condition, a new one if it has none."""
        assert member.condition is not None
        name = member.name
        if name.startswith("{"):
            name = "_".join(re.findall(r"\w+", name))[:40] or "class"
        number = 1
        free = name
        while free in self.taken or self.classes.get(free, member.condition) != member.condition:
            number += 1
            free = f"{name}_{number}"
        self.classes[free] = member.condition
        return free


def _to_toml(condition: conditions.Condition) -> Said:
    """Return what a file says for a condition."""
    tables: list[Said] = [_table(clause) for clause in condition.clauses]
    return tables[0] if len(tables) == 1 else tables


def _table(clause: conditions.Clause) -> dict[str, Said]:
    table = _part(clause.own, clause.parent, clause.child)
    banned = _part(clause.not_own, clause.not_parent, clause.not_child)
    return {**table, "not": banned} if banned else table


def _part(
    own_predicates: Sequence[conditions.Predicate],
    parent: Sequence[conditions.Predicate],
    child: Sequence[conditions.Condition],
) -> dict[str, Said]:
    """Return the conditions on a word, its parent and its children, as TOML."""
    table = _columns(own_predicates)
    if parent:
        table["parent"] = _columns(parent)
    if child:
        if len(child) > 1:
            raise UsageError("rule files have one condition on children in a table")
        table["child"] = _to_toml(child[0])
    return table


def _columns(predicates: Sequence[conditions.Predicate]) -> dict[str, Said]:
    table: dict[str, Said] = {}
    for predicate in predicates:
        if isinstance(predicate, conditions.Pattern):
            key, texts = predicate.column, predicate.texts
        else:
            key, texts = "position", predicate.places
        if key in table:
            raise UsageError(f"rule files have one {key} in a table")
        table[key] = texts[0] if len(texts) == 1 else list(texts)
    return table


def _value(value: Said) -> str:
    """Return text, a list or a table, nested or not, as TOML on one line."""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    inside = ", ".join(f"{_key(key)} = {_value(value)}" for key, value in value.items())
    return f"{{ {inside} }}" if inside else "{}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quoted(name)


def _quoted(text: str) -> str:
    # TOML has the escapes of JSON, and forbids one more character.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")


def _with_comment(line: str, note: str) -> str:
    return f"{line}  # {' '.join(note.split())}" if note else line


def _comment(text: str) -> list[str]:
    return [f"# {line}".rstrip() for line in text.splitlines()]
