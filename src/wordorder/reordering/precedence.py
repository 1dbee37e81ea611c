"""Precedence rules: order the children of each head, and the head itself, by a list of classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.arrays import Int32, Ragged
from wordorder.errors import unknown_name
from wordorder.kernels import learned as kernel, run_rows
from wordorder.order.orders import Orders
from wordorder.reordering.compiled import CompiledRules
from wordorder.reordering.conditions import RuleFile
from wordorder.reordering.rule_reading import read_rules
from wordorder.text.opening import Path
from wordorder.treebank.preparation import projective
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class AppliedRules:
    """The result of applying rules to trees.

    Attributes
    ----------
    orders : Orders
        The orders: all words of each sentence, no ties.
    fired : int32[N]
        For each word, the index of the rule that orders its family; -1 if no rule does, or the word
        is a leaf.
    entry : int32[N]
        For each word, the index of its entry, over all rules, in the rule that orders the family of
        its head; -1 if no rule does, -2 for a barrier.
    treebank : Treebank
        The trees, made projective.
    """

    orders: Orders
    fired: Int32
    entry: Int32
    treebank: Treebank


class PrecedenceRules:
    """Rules that put the children of a head and the head itself in order.

    From the root down, the family of each word (its children and itself) is sorted by the first
    rule whose conditions the word meets; families that no rule orders stay as they are (Xu, Kang,
    Ringgaard and Och 2009; Talbot et al. 2011, section 4.1). Barriers stay in place: the children
    between two barriers are sorted separately.

    Parameters
    ----------
    file : RuleFile
        The rules; see `wordorder.reordering.rule_reading.read_rules`.

    Notes
    -----
    A word with a non-projective arc is treated as a child of an ancestor of its head
    (`wordorder.treebank.trees.projectivize`), so that rules that move nothing leave every sentence
    as it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "sov.toml")
    >>> _ = file.write_text(
    ...     '[[rule]]\\nname = "verb"\\nhead = { upos = "VERB" }\\n'
    ...     'order = ["nsubj", "*", "obj", "aux", "self"]\\nbarriers = ["punct"]\\n'
    ... )
    >>> bank = Treebank.from_words(
    ...     [["John", "can", "hit", "the", "ball", "."]],
    ...     heads=[[3, 3, 0, 5, 3, 3]],
    ...     upos=[["PROPN", "AUX", "VERB", "DET", "NOUN", "PUNCT"]],
    ...     label=[["nsubj", "aux", "root", "det", "obj", "punct"]],
    ... )
    >>> rules = PrecedenceRules.read(file)
    >>> rules.orders(bank)[0].positions
    (0, 3, 4, 1, 2, 5)
    >>> rules.fired(bank).tolist()
    [-1, -1, 0, -1, -1, -1]
    """

    def __init__(self, file: RuleFile) -> None:
        self.file = file
        self.compiled = CompiledRules(file)

    @classmethod
    def read(cls, path: Path) -> PrecedenceRules:
        """Read rules from a file.

        Raises
        ------
        InputError
            If the file is not valid; the message names the line.
        """
        return cls(read_rules(path))

    @property
    def name(self) -> str:
        """The name of the rules."""
        return self.file.name

    @property
    def scheme(self) -> str:
        """The scheme of the labels: ``ud``, ``sd`` or ``any``."""
        return self.file.scheme

    @property
    def rule_names(self) -> tuple[str, ...]:
        """The name of each rule."""
        return tuple(rule.name for rule in self.file.rules)

    @property
    def provenance(self) -> tuple[tuple[str, str], ...]:
        """Provenance stored with the orders: the rule set's name and content hash."""
        return (("rules", f"{self.file.name}@{self.file.identity}"),)

    @property
    def entry_names(self) -> tuple[str, ...]:
        """The names of the entries of all rules, indexed by `AppliedRules.entry`."""
        return tuple(self.compiled.entry_names)

    @property
    def columns(self) -> set[str]:
        """The columns of a treebank that the conditions of the rules read."""
        return self.compiled.columns

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence has no tree.
        """
        return self.apply(treebank).orders

    def fired(self, treebank: Treebank) -> Int32:
        """Return for each word the index of the rule that orders its family; -1 if none does."""
        return self.apply(treebank).fired

    def apply(self, treebank: Treebank) -> AppliedRules:
        """Return the orders, with the rules and entries that led to them.

        Raises
        ------
        InputError
            If a sentence has no tree; the message names it.
        """
        treebank = projective(treebank)
        compiled = self.compiled
        words, labels = treebank.words, treebank.label.vocabulary.words
        predicates = compiled.predicates(treebank)
        children = compiled.children(treebank, predicates)
        order, fired, entry = (np.zeros(words, np.int32) for _ in range(3))
        run_rows(
            kernel.precedence_orders,
            treebank.offsets,
            *(treebank.offsets, treebank.heads, predicates, children, treebank.label.codes),
            *(compiled.clauses, compiled.head_start, *compiled.label_cases(labels)),
            *(compiled.case_clause, compiled.case_entry, compiled.label_entries(labels)),
            *(compiled.rank, compiled.turned, compiled.own, fired, entry, order),
            scratch=lambda longest: (longest,),
        )
        orders = Orders(Ragged(order, treebank.offsets), None, self.provenance)
        return AppliedRules(orders, fired, entry, treebank)

    def without(self, name: str) -> PrecedenceRules:
        """Return all rules except one.

        Raises
        ------
        UsageError
            If the name is unknown.
        """
        self._check_rule_name(name)
        others = [rule_name for rule_name in self.rule_names if rule_name != name]
        return self.only(others, f"-{name}")

    def only(self, names: Sequence[str], change: str) -> PrecedenceRules:
        """Return some of the rules, in the same order.

        Parameters
        ----------
        names : sequence of str
        change : str
            A suffix for the name and the identity of the rules.
        """
        for name in names:
            self._check_rule_name(name)
        file = replace(
            self.file,
            name=f"{self.file.name}{change}",
            identity=f"{self.file.identity}{change}",
            rules=tuple(rule for rule in self.file.rules if rule.name in names),
        )
        return PrecedenceRules(file)

    def __repr__(self) -> str:
        return f"PrecedenceRules({self.name}: {', '.join(self.rule_names) or 'none'})"

    def _check_rule_name(self, name: str) -> None:
        if name not in self.rule_names:
            raise unknown_name("rule", name, self.rule_names)
