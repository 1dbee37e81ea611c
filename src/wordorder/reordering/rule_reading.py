"""Reading rules from TOML."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from wordorder.errors import InputError, unknown_name
from wordorder.reordering.compiled import CompiledRules, condition_of
from wordorder.reordering.conditions import (
    LONGEST,
    MOST,
    OTHERS,
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


def read_rules(path: Path) -> RuleFile:
    r"""Read a file of precedence rules.

    Parameters
    ----------
    path : path or "-"
        TOML, as the documentation of the format has it.

    Raises
    ------
    InputError
        If the file cannot be read or is wrong; the message names the line and what is legal.

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
    """Return the rules that a TOML file says, as `read_rules` does."""
    return _Reader(file).read()


@dataclass
class _Reader:
    """Makes rules of what a file says."""

    file: TomlFile
    classes: dict[str, Condition | None] = field(default_factory=dict)

    def read(self) -> RuleFile:
        """Return all that the file says."""
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
        for each, said in classes.items():
            place = self.file.place("classes", key=each)
            if each in (SELF, OTHERS):
                raise InputError(place, f"a class called {each!r}", "another name")
            self.classes[each] = read_condition(said, place, self.classes)
        shared = self.barriers(data, "", 0)
        listed = data.get("rule", [])
        if not isinstance(listed, list) or not all(isinstance(rule, dict) for rule in listed):
            raise InputError(self.file.place(key="rule"), "rules", "tables [[rule]]")
        if len(listed) > MOST:
            raise InputError(self.file.path, f"{len(listed)} rules", f"at most {MOST}")
        rules = tuple(self.rule(rule, number, shared) for number, rule in enumerate(listed))
        names: set[str] = set()
        for number, rule in enumerate(rules):
            if rule.name in names:
                place = self.file.place("rule", number, "name")
                raise InputError(place, f"a second rule {rule.name!r}", "each name once")
            names.add(rule.name)
        said = json.dumps(data, sort_keys=True, ensure_ascii=False, default=str)
        identity = hashlib.sha256(said.encode()).hexdigest()[:8]
        about = self.text(data, "about", "")
        unknown = unknown_names(self.file)
        return RuleFile(name, about, scheme, rules, self.file.path, identity, unknown)

    def rule(self, said: dict[str, Any], number: int, shared: tuple[Member, ...]) -> Rule:
        """Read one rule."""
        self.check_keys(said, RULE_KEYS, "rule", number)
        place = self.file.place("rule", number)
        name = self.text(said, "name", f"rule-{number + 1}", "rule", number)
        if not name or not name.isprintable():
            where = self.file.place("rule", number, "name")
            raise InputError(where, f"the name {name!r}", "a word")
        head = Condition((Clause(),))
        if "head" in said:
            head = read_condition(said["head"], self.at(number, "head", ""), self.classes)
        if ("order" in said) == ("weights" in said):
            raise InputError(place, "a rule", "either order = [...] or weights = {...}")
        if "order" in said:
            members, turned = self.ordered(said["order"], number)
        else:
            members, turned = self.weighted(said["weights"], number)
        barriers = self.barriers(said, "rule", number) if "barriers" in said else shared
        return Rule(name, head, members, turned, barriers, int(place.rsplit(":", 1)[1]))

    def ordered(self, said: object, number: int) -> tuple[tuple[Member, ...], tuple[bool, ...]]:
        """Read an ordered list of classes."""
        place = self.file.place("rule", number, "order")
        if not isinstance(said, list):
            raise InputError(place, f"order = {said!r}"[:60], "a list of classes")
        members: list[Member] = []
        turned = []
        for rank, item in enumerate(said):
            equals, direction = item, "normal"
            if isinstance(item, dict) and "equal" in item:
                for key in sorted(set(item) - {"equal", "order"}):
                    where = self.at(number, "order", key)
                    raise self.unknown("key", key, ("equal", "order"), where)
                equals, direction = item["equal"], item.get("order", "normal")
                if direction not in DIRECTIONS:
                    where = self.at(number, "order", str(direction))
                    raise self.unknown("order", str(direction), DIRECTIONS, where)
            listed = equals if isinstance(equals, list) else [equals]
            if not listed:
                raise InputError(place, f"{item!r}", "at least one class")
            members += [self.member(each, rank, number, "order") for each in listed]
            turned.append(direction == "reverse")
        self.check_members(members, number, "order")
        missing = [name for name in (SELF, OTHERS) if all(m.name != name for m in members)]
        if missing:
            raise InputError(place, f"no {missing[0]!r} in the order", 'both "self" and "*" in it')
        return tuple(members), tuple(turned)

    def weighted(self, said: object, number: int) -> tuple[tuple[Member, ...], tuple[bool, ...]]:
        """Read classes with weights: the largest comes first, 0 is that of all others."""
        if not isinstance(said, dict):
            place = self.file.place("rule", number, "weights")
            raise InputError(place, f"weights = {said!r}"[:60], "a table of classes")
        found: dict[str, tuple[float, bool]] = {}
        for name, entry in said.items():
            pair = isinstance(entry, list) and len(entry) == 2
            weight, direction = entry if pair else (entry, "normal")
            what, wanted = f"weight {weight!r}"[:60], ""
            if isinstance(weight, bool) or not isinstance(weight, (int, float)):
                wanted = 'a number, or [number, "reverse"]'
            # Not so for NaN either.
            elif not abs(weight) <= 1e15:
                wanted = "a number between -1e15 and 1e15"
            if wanted:
                raise InputError(self.at(number, "weights", name), what, wanted)
            if direction not in DIRECTIONS:
                place = self.at(number, "weights", name)
                raise self.unknown("order", str(direction), DIRECTIONS, place)
            found[name] = (float(weight), direction == "reverse")
        for name in (SELF, OTHERS):
            found.setdefault(name, (0.0, any(r for w, r in found.values() if w == 0)))
        directions: dict[float, bool] = {}
        for name, (weight, reverse) in found.items():
            if directions.setdefault(weight, reverse) != reverse:
                where = self.file.place("rule", number, "weights", name)
                what = f"{name} in another order than others of weight {weight:g}"
                raise InputError(where, what, "one order for all of one weight")
        weights = sorted(directions, reverse=True)
        ranks = {weight: rank for rank, weight in enumerate(weights)}
        members = [
            self.member(name, ranks[weight], number, "weights")
            for name, (weight, _) in found.items()
        ]
        self.check_members(members, number, "weights")
        return tuple(members), tuple(directions[weight] for weight in weights)

    def barriers(self, said: Mapping[str, Any], table: str, number: int) -> tuple[Member, ...]:
        """Read what bars movement."""
        listed = said.get("barriers", [])
        place = self.file.place(table, number, "barriers")
        if not isinstance(listed, list):
            raise InputError(place, f"barriers = {listed!r}"[:60], "a list of classes")
        found = [self.member(item, 0, number, "barriers", table) for item in listed]
        for member in found:
            if member.name in (SELF, OTHERS):
                what = f"{member.name!r} among the barriers"
                raise InputError(place, what, "classes of children")
        return tuple(found)

    def member(self, said: object, rank: int, number: int, key: str, table: str = "rule") -> Member:
        """Read a class of children: its name, a label, or a condition."""
        if isinstance(said, dict):
            condition = read_condition(said, self.at(number, key, "", table), self.classes)
            parts = (f"{k} = {json.dumps(v, ensure_ascii=False)}" for k, v in said.items())
            return Member("{" + ", ".join(parts) + "}", rank, condition)
        if not isinstance(said, str) or not said:
            place = self.at(number, key, "", table)
            raise InputError(place, f"{said!r}"[:60], "a label, the name of a class or a condition")
        if said in self.classes:
            return Member(said, rank, self.classes[said])
        if len(said) > LONGEST:
            label_condition(said, self.at(number, key, said, table))
        return Member(said, rank)

    def check_members(self, members: list[Member], number: int, key: str) -> None:
        """Refuse a class that is listed twice, and more classes than anyone writes."""
        if len(members) > MOST:
            raise InputError(self.at(number, key, ""), f"{len(members)} classes", f"at most {MOST}")
        seen = set()
        for member in members:
            if member.name in seen:
                where = self.at(number, key, member.name)
                raise InputError(where, f"{member.name!r} is listed twice", "each class once")
            seen.add(member.name)

    def at(self, number: int, key: str, text: str, table: str = "rule") -> str:
        """Return the line of a part of what a key of a rule says."""
        return self.file.place(table, number, key, text)

    def check_keys(
        self, said: Mapping[str, Any], legal: tuple[str, ...], table: str, number: int
    ) -> None:
        """Refuse keys that mean nothing."""
        for key in said:
            if key not in legal:
                raise self.unknown("key", key, legal, self.file.place(table, number, key))

    def table(self, said: Mapping[str, Any], key: str) -> dict[str, Any]:
        """Return a table, empty if there is none."""
        found = said.get(key, {})
        if not isinstance(found, dict):
            raise InputError(self.file.place(key=key), f"{key} = {found!r}"[:60], "a table")
        return found

    def text(
        self, said: Mapping[str, Any], key: str, otherwise: str, table: str = "", number: int = 0
    ) -> str:
        """Return a text."""
        found = said.get(key, otherwise)
        if not isinstance(found, str):
            place = self.file.place(table, number, key)
            raise InputError(place, f"{key} = {found!r}"[:60], "a text")
        return found

    def unknown(self, kind: str, name: str, legal: tuple[str, ...], place: str) -> InputError:
        """Make an error for a name that is none of the legal ones."""
        return InputError(place, str(unknown_name(kind, name, legal)))


def is_rules_name(name: str) -> bool:
    """Return whether rules may be called so: a name is part of signatures."""
    return _NAME.fullmatch(name) is not None and name.isprintable()


def rules_name(path: str) -> str:
    """Return what rules are called after: the name of their file without folder and suffixes."""
    stem = re.split(r"[\\/]", path)[-1].split(".")[0]
    return re.sub(r"[\s|:<>]+", "-", "".join(filter(str.isprintable, stem)))[:100] or "rules"


@dataclass(frozen=True)
class Fault:
    """Something that a file of rules says without effect.

    Attributes
    ----------
    place : str
        Its file and line.
    what : str
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
    r"""Find what a file of rules says without effect: names nobody has, rules that never fire.

    Parameters
    ----------
    file : TomlFile

    Returns
    -------
    rules : RuleFile
    faults : list of Fault
        In the order of the lines: labels that the scheme does not know, tags in ``upos`` that are
        not universal, features that Universal Dependencies does not have, classes that no rule
        names, conditions that contradict themselves, rules whose heads an earlier rule takes,
        entries whose words an earlier entry or a barrier takes, and prepositions behind a noun that
        cannot pass words coordinated with it. Faults that only trees show are not detected.

    Raises
    ------
    InputError
        If the file is wrong; the message names the line.

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
    # The tags in `xpos` are those of a language: only trees tell whether they are unknown.
    faults = [Fault(each.place, each.what) for each in rules.unknown if each.column != "xpos"]
    faults += _unused_classes(file)
    for number, rule in enumerate(rules.rules):
        faults += _head_faults(file, rules.rules[:number], rule, number)
        faults += _entry_faults(file, rules.rules[:number], rule, number)
        faults += _barrier_faults(file, rule, number)
    return rules, sorted(faults, key=lambda fault: fault.line)


def _unused_classes(file: TomlFile) -> Iterator[Fault]:
    """Find classes that no rule names, not even by way of another class."""
    classes: dict[str, Any] = file.data.get("classes", {})
    used: set[str] = set()
    waiting = [file.data.get("barriers", []), file.data.get("rule", [])]
    while waiting:
        said = waiting.pop()
        if isinstance(said, str) and said in classes and said not in used:
            used.add(said)
            waiting.append(classes[said])
        elif isinstance(said, list):
            waiting += said
        elif isinstance(said, dict):
            # Weights name classes by their keys.
            waiting += [*said.get("weights", {}), *(said[key] for key in _NAMING if key in said)]
            if "not" in said:
                waiting.append(said["not"])
    for name in classes:
        if name not in used:
            yield Fault(file.place("classes", key=name), f"no rule names the class {name!r}")


# Keys of rules, of their entries and of conditions that can name classes.
_NAMING = ("head", "order", "barriers", "equal", "child")


def _head_faults(
    file: TomlFile, earlier: tuple[Rule, ...], rule: Rule, number: int
) -> Iterator[Fault]:
    """Say if a rule cannot fire."""
    place = file.place("rule", number, "head")
    said = f"the rule {rule.name!r} never fires"
    if all(map(is_impossible, rule.head.clauses)):
        yield Fault(place, f"{said}: its condition contradicts itself")
        return
    for other in earlier:
        if implies(rule.head, other.head):
            yield Fault(place, f"{said}: {other.name!r} (line {other.line}) takes all its heads")
            return


def _entry_faults(
    file: TomlFile, earlier: tuple[Rule, ...], rule: Rule, number: int
) -> Iterator[Fault]:
    """Say which entries of a rule no child can have."""
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
        Those that are tried before it.
    """
    reasons: dict[str, str] = {}
    cases = [(f"the barrier {each.name!r}", condition_of(each)) for each in rule.barriers]
    conditioned = [each for each in rule.members if each.condition is not None]
    labels = [each for each in rule.members if each.condition is None]
    for member in (*conditioned, *labels):
        if member.name in (SELF, OTHERS):
            continue
        condition = condition_of(member)
        # Heads that have such a child.
        heads = tuple(replace(each, child=(*each.child, condition)) for each in rule.head.clauses)
        taken = next((name for name, other in cases if implies(condition, other)), None)
        before = next((each for each in earlier if implies(Condition(heads), each.head)), None)
        if all(map(is_impossible, condition.clauses)):
            reasons[member.name] = "its condition contradicts itself"
        elif taken is not None:
            reasons[member.name] = f"{taken} takes all its words"
        elif before is not None:
            reasons[member.name] = f"{before.name!r} (line {before.line}) takes all heads with it"
        elif member.condition is not None:
            cases.append((f"{member.name!r}", condition))
    return reasons


def _barrier_faults(file: TomlFile, rule: Rule, number: int) -> Iterator[Fault]:
    """Say if a preposition goes behind its noun, but not behind what the noun is joined with."""
    ranks = {member.name: member.rank for member in rule.members}
    conj = label_condition("conj", rule.name)
    barrier = next((each for each in rule.barriers if implies(conj, condition_of(each))), None)
    if barrier is None or ranks.get("case", ranks[SELF]) <= ranks[SELF]:
        return
    yield Fault(
        file.place("rule", number),
        f"the rule {rule.name!r} puts 'case' behind its head, and the barrier {barrier.name!r} "
        'keeps it inside a coordination ("the park in and the garden"): give the rule barriers '
        "without it, and 'conj' before 'case'",
    )
