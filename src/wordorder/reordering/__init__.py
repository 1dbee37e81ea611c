"""From a tree to an order: precedence rules, written and built in.

Rule sets are files of TOML; `learned` has models that are trained. Parsing comes before
(`parsing`), training and its files are in `training`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.reordering.precedence import PrecedenceRules
    from wordorder.reordering.rule_writing import write_rules
    from wordorder.reordering.rules import RuleSet, open_rules

_PLACES = {
    "PrecedenceRules": "precedence",
    "RuleSet": "rules",
    "open_rules": "rules",
    "write_rules": "rule_writing",
}

__all__ = ["PrecedenceRules", "RuleSet", "open_rules", "write_rules"]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
