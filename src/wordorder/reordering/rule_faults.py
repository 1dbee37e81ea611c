"""What is wrong with a file of rules that can be read: what it says without effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wordorder.reordering.compiled import CompiledRules, condition_of
from wordorder.reordering.implication import implies, is_impossible
from wordorder.reordering.rule import OTHERS, SELF, Rule, RuleFile
from wordorder.reordering.rule_reading import rules_of
from wordorder.text.toml import TomlFile


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
        names, conditions that contradict themselves, rules whose heads an earlier rule takes, and
        entries whose words an earlier entry or a barrier takes. What follows only from the trees
        is not seen.

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
        faults += _entry_faults(file, rule, number)
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


def _entry_faults(file: TomlFile, rule: Rule, number: int) -> Iterator[Fault]:
    """Say which entries of a rule no child can have."""
    key = "weights" if "weights" in file.data["rule"][number] else "order"
    cases = [(f"the barrier {each.name!r}", condition_of(each)) for each in rule.barriers]
    conditioned = [each for each in rule.members if each.condition is not None]
    labels = [each for each in rule.members if each.condition is None]
    for member in (*conditioned, *labels):
        if member.name in (SELF, OTHERS):
            continue
        text = "" if member.name.startswith("{") else member.name
        place = file.place("rule", number, key, text)
        condition = condition_of(member)
        said = f"{member.name!r} in the rule {rule.name!r} says nothing"
        taken = next((name for name, other in cases if implies(condition, other)), None)
        if all(map(is_impossible, condition.clauses)):
            yield Fault(place, f"{said}: its condition contradicts itself")
        elif taken is not None:
            yield Fault(place, f"{said}: {taken} takes all its words")
        elif member.condition is not None:
            cases.append((f"{member.name!r}", condition))
