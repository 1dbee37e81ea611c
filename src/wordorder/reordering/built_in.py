"""The rule sets that come with the package: files of rules like any other."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from wordorder.reordering.precedence import PrecedenceRules

FOLDER = Path(__file__).parent / "sets"


def shipped(name: str) -> PrecedenceRules:
    """Read a rule set that comes with the package.

    Examples
    --------
    >>> shipped("R2").rule_names
    ('reverse',)
    """
    return PrecedenceRules.read(FOLDER / f"{name}.toml")


R1 = partial(shipped, "R1")
R2 = partial(shipped, "R2")
R3 = partial(shipped, "R3")
R4 = partial(shipped, "R4")
R5 = partial(shipped, "R5")
R5_SD = partial(shipped, "R5-sd")
HEAD_FINAL = partial(shipped, "head-final")
