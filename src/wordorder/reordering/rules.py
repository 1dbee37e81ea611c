"""Rule sets by what a user calls them: a built-in one, a file, another package's, a learned one."""

from __future__ import annotations

import os
import pathlib

from wordorder.errors import UsageError
from wordorder.registry import Registry
from wordorder.reordering.base import RuleSet
from wordorder.text.opening import Path
from wordorder.text.tensors import is_tensor_file

FOLDER = pathlib.Path(__file__).parent / "sets"

# Those of the package are the files in its folder: to add one is to add a file.
RULES = Registry(
    "rule set",
    "wordorder.rules",
    {
        path.stem: str(path)
        for ending in ("*.toml", "*.safetensors")
        for path in sorted(FOLDER.glob(ending))
    },
    needs=("orders",),
    listed_by="wordorder list rules",
)


def is_rule_file(name: str) -> bool:
    """Whether what a user calls rules is a file, and not the name of a rule set.

    Raises
    ------
    UsageError
        If it is neither; the message lists the names.

    Examples
    --------
    >>> is_rule_file("mine.toml"), is_rule_file("R5")
    (True, False)
    """
    # A file that happens to be called like a rule set does not take its place.
    if name in RULES.built_in:
        return False
    if (
        name == "-"
        or name.endswith((".toml", ".safetensors"))
        or os.sep in name
        or os.path.exists(name)
    ):
        return True
    if name not in RULES.installed:
        raise UsageError(f"{RULES.unknown(name)}; files of rules end in .toml")
    return False


def open_rules(rules: Path) -> RuleSet:
    """Return a rule set by its name, or read it from a file.

    Parameters
    ----------
    rules : name or path
        ``R5``, or a file: anything that ends in ``.toml`` or has a folder, or ``-``. A file of a
        learned order is recognised by how it begins.

    Raises
    ------
    UsageError
        If there is no such rule set; the message lists those that there are.
    InputError
        If a file is wrong; the message names the line.
    ModelError
        If the file of a learned order is damaged.

    Examples
    --------
    >>> open_rules("R1").name
    'R1'
    """
    from wordorder.reordering.precedence import PrecedenceRules

    name = os.fspath(rules)
    if name in RULES.built_in or is_rule_file(name):
        path = RULES.built_in.get(name, name)
        if is_tensor_file(path):
            from wordorder.reordering.learned.model_file import load_learned

            return load_learned(path)
        return PrecedenceRules.read(path)
    found: object = RULES.make(name)
    # A class has the attributes of its objects.
    if isinstance(found, type) or not isinstance(found, RuleSet):
        what = "makes a class" if isinstance(found, type) else "lacks name or orders(treebank)"
        raise UsageError(f"rule set {name!r} cannot be used: it {what}")
    return found
