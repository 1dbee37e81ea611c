"""Read precedence rules from TOML, and find rules and entries without effect."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordorder.errors import InputError, unknown_name
from wordorder.reordering.compiled import CompiledRules, condition_of
from wordorder.reordering.conditions import (
    MAX_ENTRIES,
    MAX_TEXT_LENGTH,
    OTHER_CHILDREN,
    SELF,
    Clause,
    Condition,
    Member,
    Rule,
    RuleFile,
    implies,
    is_impossible,
    label_condition,
    read_condition,
)
from wordorder.reordering.unknown_names import SCHEMES, unknown_names
from wordorder.text.opening import Path
from wordorder.text.toml import TomlFile, read_toml

FILE_KEYS = ("name", "about", "scheme", "barriers", "classes", "rule")

RULE_KEYS = ("name", "head", "order", "weights", "barriers")

DIRECTIONS = ("normal", "reverse")

_NAME = re.compile(r"[^\s|:]{1,100}")

LEGAL_NAME = "1 to 100 characters, no blanks, colons and bars"

# Keys of rules, entries and conditions whose values can name classes.
_KEYS_WITH_CLASSES = ("head", "order", "barriers", "equal", "child")


def read_rules(path: Path) -> RuleFile:
    r"""Read a file of precedence rules.

    Parameters
    ----------
    path : path or "-"
        A TOML file; its format is documented in ``docs/reference/rule-files.md``.

    Raises
    ------
    InputError
        If the file cannot be read or is not valid; the message names the line and valid values.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "sov.toml")
    >>> _ = file.write_text(
    ...     'name = "sov"\n[[rule]]\nname = "verb"\nhead = { upos = "VERB" }\n'
    ...     'order = ["nsubj", "*", "obj", "self"]\n'
    ... )
    >>> rules = read_rules(file)
    >>> rules.scheme, [member.name for member in rules.rules[0].members]
    ('ud', ['nsubj', '*', 'obj', 'self'])
    """
    return rules_of(read_toml(path))


def rules_of(file: TomlFile) -> RuleFile:
    """Return the rules in a TOML file; see `read_rules`."""
    return _Reader(file).read()


@dataclass
class _Reader:
    """Reads the rules in a TOML file."""

    file: TomlFile
    classes: dict[str, Condition | None] = field(default_factory=dict)

    def read(self) -> RuleFile:
        """Return the contents of the file."""
        data = self.file.data
        self.check_keys(data, FILE_KEYS, "", 0)
        name = self.text(data, "name", rules_name(self.file.path))
        if not is_rules_name(name):
            raise InputError(self.file.place(key="name"), f"the name {name!r}", LEGAL_NAME)
        scheme = self.text(data, "scheme", "ud")
        if scheme not in SCHEMES:
            raise self.unknown("scheme", scheme, SCHEMES, self.file.place(key="scheme"))
        classes = self.table(data, "classes")
        self.classes = dict.fromkeys(classes)
        for class_name, condition in classes.items():
            place = self.file.place("classes", key=class_name)
            if class_name in (SELF, OTHER_CHILDREN):
                raise InputError(place, f"a class called {class_name!r}", "another name")
            self.classes[class_name] = read_condition(condition, place, self.classes)
        shared = self.barriers(data, "", 0)
        rule_tables = data.get("rule", [])
        if not isinstance(rule_tables, list) or not all(
            isinstance(rule, dict) for rule in rule_tables
        ):
            raise InputError(self.file.place(key="rule"), "rules", "tables [[rule]]")
        if len(rule_tables) > MAX_ENTRIES:
            raise InputError(self.file.path, f"{len(rule_tables)} rules", f"at most {MAX_ENTRIES}")
        rules = tuple(self.rule(rule, number, shared) for number, rule in enumerate(rule_tables))
        names: set[str] = set()
        for number, rule in enumerate(rules):
            if rule.name in names:
                place = self.file.place("rule", number, "name")
                raise InputError(place, f"a second rule {rule.name!r}", "each name once")
            names.add(rule.name)
        canonical = json.dumps(data, sort_keys=True, ensure_ascii=False, default=str)
        identity = hashlib.sha256(canonical.encode()).hexdigest()[:8]
        about = self.text(data, "about", "")
        unknown = unknown_names(self.file)
        return RuleFile(name, about, scheme, rules, self.file.path, identity, unknown)

    def rule(self, table: dict[str, Any], number: int, shared: tuple[Member, ...]) -> Rule:
        """Read one rule."""
        self.check_keys(table, RULE_KEYS, "rule", number)
        place = self.file.place("rule", number)
        name = self.text(table, "name", f"rule-{number + 1}", "rule", number)
        if not name or not name.isprintable():
            file_position = self.file.place("rule", number, "name")
            raise InputError(file_position, f"the name {name!r}", "a word")
        head = Condition((Clause(),))
        if "head" in table:
            head = read_condition(
                table["head"], self.entry_location(number, "head", ""), self.classes
            )
        if ("order" in table) == ("weights" in table):
            raise InputError(place, "a rule", "either order = [...] or weights = {...}")
        if "order" in table:
            members, turned = self.ordered(table["order"], number)
        else:
            members, turned = self.weighted(table["weights"], number)
        barriers = self.barriers(table, "rule", number) if "barriers" in table else shared
        return Rule(name, head, members, turned, barriers, int(place.rsplit(":", 1)[1]))

    def ordered(self, entries: object, number: int) -> tuple[tuple[Member, ...], tuple[bool, ...]]:
        """Read the classes in a list; return them, and for each rank whether ties are reversed."""
        place = self.file.place("rule", number, "order")
        if not isinstance(entries, list):
            raise InputError(place, f"order = {entries!r}"[:60], "a list of classes")
        members: list[Member] = []
        turned = []
        for rank, item in enumerate(entries):
            equals, direction = item, "normal"
            if isinstance(item, dict) and "equal" in item:
                for key in sorted(set(item) - {"equal", "order"}):
                    file_position = self.entry_location(number, "order", key)
                    raise self.unknown("key", key, ("equal", "order"), file_position)
                equals, direction = item["equal"], item.get("order", "normal")
                if direction not in DIRECTIONS:
                    file_position = self.entry_location(number, "order", str(direction))
                    raise self.unknown("order", str(direction), DIRECTIONS, file_position)
            equal_entries = equals if isinstance(equals, list) else [equals]
            if not equal_entries:
                raise InputError(place, f"{item!r}", "at least one class")
            members += [self.member(entry, rank, number, "order") for entry in equal_entries]
            turned.append(direction == "reverse")
        self.check_members(members, number, "order")
        missing = [name for name in (SELF, OTHER_CHILDREN) if all(m.name != name for m in members)]
        if missing:
            raise InputError(place, f"no {missing[0]!r} in the order", 'both "self" and "*" in it')
        return tuple(members), tuple(turned)

    def weighted(self, table: object, number: int) -> tuple[tuple[Member, ...], tuple[bool, ...]]:
        """Read classes with weights: the largest comes first, all others have weight 0.

        Returns the classes, and for each rank whether ties are reversed.
        """
        if not isinstance(table, dict):
            place = self.file.place("rule", number, "weights")
            raise InputError(place, f"weights = {table!r}"[:60], "a table of classes")
        weights_by_name: dict[str, tuple[float, bool]] = {}
        for name, entry in table.items():
            pair = isinstance(entry, list) and len(entry) == 2
            weight, direction = entry if pair else (entry, "normal")
            problem, expected = f"weight {weight!r}"[:60], ""
            if isinstance(weight, bool) or not isinstance(weight, (int, float)):
                expected = 'a number, or [number, "reverse"]'
            # Written so that NaN is refused too.
            elif not abs(weight) <= 1e15:
                expected = "a number between -1e15 and 1e15"
            if expected:
                raise InputError(self.entry_location(number, "weights", name), problem, expected)
            if direction not in DIRECTIONS:
                place = self.entry_location(number, "weights", name)
                raise self.unknown("order", str(direction), DIRECTIONS, place)
            weights_by_name[name] = (float(weight), direction == "reverse")
        for name in (SELF, OTHER_CHILDREN):
            weights_by_name.setdefault(
                name, (0.0, any(r for w, r in weights_by_name.values() if w == 0))
            )
        directions: dict[float, bool] = {}
        for name, (weight, reverse) in weights_by_name.items():
            if directions.setdefault(weight, reverse) != reverse:
                file_position = self.file.place("rule", number, "weights", name)
                problem = f"{name} in another order than others of weight {weight:g}"
                raise InputError(file_position, problem, "one order for all of one weight")
        weights = sorted(directions, reverse=True)
        ranks = {weight: rank for rank, weight in enumerate(weights)}
        members = [
            self.member(name, ranks[weight], number, "weights")
            for name, (weight, _) in weights_by_name.items()
        ]
        self.check_members(members, number, "weights")
        return tuple(members), tuple(directions[weight] for weight in weights)

    def barriers(
        self, table_of_rule: Mapping[str, Any], table: str, number: int
    ) -> tuple[Member, ...]:
        """Read the barriers of a rule, or of the file."""
        entries = table_of_rule.get("barriers", [])
        place = self.file.place(table, number, "barriers")
        if not isinstance(entries, list):
            raise InputError(place, f"barriers = {entries!r}"[:60], "a list of classes")
        members = [self.member(item, 0, number, "barriers", table) for item in entries]
        for member in members:
            if member.name in (SELF, OTHER_CHILDREN):
                problem = f"{member.name!r} among the barriers"
                raise InputError(place, problem, "classes of children")
        return tuple(members)

    def member(
        self, entry: object, rank: int, number: int, key: str, table: str = "rule"
    ) -> Member:
        """Read a class of children: its name, a label, or a condition."""
        if isinstance(entry, dict):
            condition = read_condition(
                entry, self.entry_location(number, key, "", table), self.classes
            )
            parts = (f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in entry.items())
            return Member("{" + ", ".join(parts) + "}", rank, condition)
        if not isinstance(entry, str) or not entry:
            place = self.entry_location(number, key, "", table)
            raise InputError(
                place, f"{entry!r}"[:60], "a label, the name of a class or a condition"
            )
        if entry in self.classes:
            return Member(entry, rank, self.classes[entry])
        if len(entry) > MAX_TEXT_LENGTH:
            label_condition(entry, self.entry_location(number, key, entry, table))
        return Member(entry, rank)

    def check_members(self, members: list[Member], number: int, key: str) -> None:
        """Refuse a class that is listed twice, and too many classes."""
        if len(members) > MAX_ENTRIES:
            place = self.entry_location(number, key, "")
            raise InputError(place, f"{len(members)} classes", f"at most {MAX_ENTRIES}")
        seen = set()
        for member in members:
            if member.name in seen:
                place = self.entry_location(number, key, member.name)
                raise InputError(place, f"{member.name!r} is listed twice", "each class once")
            seen.add(member.name)

    def entry_location(self, number: int, key: str, text: str, table: str = "rule") -> str:
        """Return the line of a text in the value of a key of a rule."""
        return self.file.place(table, number, key, text)

    def check_keys(
        self, entries: Mapping[str, Any], legal: tuple[str, ...], table: str, number: int
    ) -> None:
        """Refuse unknown keys."""
        for key in entries:
            if key not in legal:
                raise self.unknown("key", key, legal, self.file.place(table, number, key))

    def table(self, data: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Return a table; an empty one if it is missing."""
        value = data.get(key, {})
        if not isinstance(value, dict):
            raise InputError(self.file.place(key=key), f"{key} = {value!r}"[:60], "a table")
        return value

    def text(
        self,
        table_read: Mapping[str, Any],
        key: str,
        default: str,
        table: str = "",
        number: int = 0,
    ) -> str:
        """Return the string of a key, or `default`."""
        value = table_read.get(key, default)
        if not isinstance(value, str):
            place = self.file.place(table, number, key)
            raise InputError(place, f"{key} = {value!r}"[:60], "a text")
        return value

    def unknown(self, kind: str, name: str, legal: tuple[str, ...], place: str) -> InputError:
        """Build the error for an unknown name."""
        return InputError(place, str(unknown_name(kind, name, legal)))


def is_rules_name(name: str) -> bool:
    """Return whether a name of rules is valid, so that it can be part of signatures."""
    return _NAME.fullmatch(name) is not None and name.isprintable()


def rules_name(path: str) -> str:
    """Return the default name of rules: that of their file without folder and suffixes."""
    stem = re.split(r"[\\/]", path)[-1].split(".")[0]
    return re.sub(r"[\s|:<>]+", "-", "".join(filter(str.isprintable, stem)))[:100] or "rules"


@dataclass(frozen=True)
class Fault:
    """A part of a file of rules that has no effect.

    Attributes
    ----------
    place : str
        The file and line.
    what : str
        The problem.
    """

    place: str
    what: str

    @property
    def line(self) -> int:
        """The line, from 1."""
        return int(self.place.rsplit(":", 1)[1])

    def __str__(self) -> str:
        return f"{self.place}: {self.what}"


def rule_faults(file: TomlFile) -> tuple[RuleFile, list[Fault]]:
    r"""Find the parts of a file of rules without effect: unknown names, rules that never fire.

    Parameters
    ----------
    file : TomlFile

    Returns
    -------
    rules : RuleFile
    faults : list of Fault
        In the order of the lines: labels that the scheme does not have, tags in ``upos`` that are
        not universal, features that Universal Dependencies does not have, unused classes,
        contradictory conditions, rules whose heads all match an earlier rule, entries whose words
        all match an earlier entry or a barrier, and prepositions after a noun that cannot cross
        words coordinated with it. Faults that depend on the trees are not detected.

    Raises
    ------
    InputError
        If the file is not valid; the message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.toml import read_toml
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.toml")
    >>> _ = path.write_text(
    ...     '[classes]\nneg = { form = "not" }\n'
    ...     '[[rule]]\nname = "all"\norder = ["*", "self"]\n'
    ...     '[[rule]]\nname = "verb"\nhead = { upos = "VERB" }\norder = ["self", "*"]\n'
    ... )
    >>> for fault in rule_faults(read_toml(path))[1]:
    ...     print(fault.line, fault.what)
    2 no rule names the class 'neg'
    8 the rule 'verb' never fires: 'all' (line 3) takes all its heads
    """
    rules = rules_of(file)
    CompiledRules(rules)
    # The tags in `xpos` depend on the treebank, so they may be known to its trees.
    faults = [Fault(name.place, name.what) for name in rules.unknown if name.column != "xpos"]
    faults += _unused_classes(file)
    for number, rule in enumerate(rules.rules):
        faults += _head_faults(file, rules.rules[:number], rule, number)
        faults += _entry_faults(file, rules.rules[:number], rule, number)
        faults += _barrier_faults(file, rule, number)
    return rules, sorted(faults, key=lambda fault: fault.line)


def _unused_classes(file: TomlFile) -> Iterator[Fault]:
    """Find classes that no rule names, directly or through another class."""
    classes: dict[str, Any] = file.data.get("classes", {})
    used: set[str] = set()
    pending = [file.data.get("barriers", []), file.data.get("rule", [])]
    while pending:
        value = pending.pop()
        if isinstance(value, str) and value in classes and value not in used:
            used.add(value)
            pending.append(classes[value])
        elif isinstance(value, list):
            pending += value
        elif isinstance(value, dict):
            # The keys of weights are names of classes.
            pending += value.get("weights", {})
            pending += [value[key] for key in (*_KEYS_WITH_CLASSES, "not") if key in value]
    for name in classes:
        if name not in used:
            yield Fault(file.place("classes", key=name), f"no rule names the class {name!r}")


def _head_faults(
    file: TomlFile, earlier: tuple[Rule, ...], rule: Rule, number: int
) -> Iterator[Fault]:
    """Return the fault of a rule that cannot fire."""
    place = file.place("rule", number, "head")
    message = f"the rule {rule.name!r} never fires"
    if all(map(is_impossible, rule.head.clauses)):
        yield Fault(place, f"{message}: its condition contradicts itself")
        return
    for earlier_rule in earlier:
        if implies(rule.head, earlier_rule.head):
            yield Fault(
                place,
                f"{message}: {earlier_rule.name!r} (line {earlier_rule.line}) takes all its heads",
            )
            return


def _entry_faults(
    file: TomlFile, earlier: tuple[Rule, ...], rule: Rule, number: int
) -> Iterator[Fault]:
    """Return the faults of entries of a rule that no child can have."""
    key = "weights" if "weights" in file.data["rule"][number] else "order"
    for name, reason in unreachable_entries(rule, earlier).items():
        place = file.place("rule", number, key, "" if name.startswith("{") else name)
        yield Fault(place, f"{name!r} in the rule {rule.name!r} says nothing: {reason}")


def unreachable_entries(rule: Rule, earlier: Sequence[Rule]) -> dict[str, str]:
    """Return the entries of a rule that no child can have, by name, each with the reason.

    Parameters
    ----------
    rule : Rule
    earlier : sequence of Rule
        The rules that are tried before it.
    """
    reasons: dict[str, str] = {}
    cases = [(f"the barrier {barrier.name!r}", condition_of(barrier)) for barrier in rule.barriers]
    conditioned = [member for member in rule.members if member.condition is not None]
    labels = [member for member in rule.members if member.condition is None]
    for member in (*conditioned, *labels):
        if member.name in (SELF, OTHER_CHILDREN):
            continue
        condition = condition_of(member)
        # The heads that have such a child.
        heads = tuple(
            replace(clause, child=(*clause.child, condition)) for clause in rule.head.clauses
        )
        earlier_name = next(
            (name for name, earlier_condition in cases if implies(condition, earlier_condition)),
            None,
        )
        earlier_rule = next(
            (candidate for candidate in earlier if implies(Condition(heads), candidate.head)), None
        )
        if all(map(is_impossible, condition.clauses)):
            reasons[member.name] = "its condition contradicts itself"
        elif earlier_name is not None:
            reasons[member.name] = f"{earlier_name} takes all its words"
        elif earlier_rule is not None:
            reasons[member.name] = (
                f"{earlier_rule.name!r} (line {earlier_rule.line}) takes all heads with it"
            )
        elif member.condition is not None:
            cases.append((f"{member.name!r}", condition))
    return reasons


def _barrier_faults(file: TomlFile, rule: Rule, number: int) -> Iterator[Fault]:
    """Return the fault of a rule that moves a preposition into a coordination after its noun."""
    ranks = {member.name: member.rank for member in rule.members}
    conj = label_condition("conj", rule.name)
    barrier = next(
        (candidate for candidate in rule.barriers if implies(conj, condition_of(candidate))), None
    )
    if barrier is None or ranks.get("case", ranks[SELF]) <= ranks[SELF]:
        return
    yield Fault(
        file.place("rule", number),
        f"the rule {rule.name!r} puts 'case' behind its head, and the barrier {barrier.name!r} "
        'keeps it inside a coordination ("the park in and the garden"): give the rule barriers '
        "without it, and 'conj' before 'case'",
    )
