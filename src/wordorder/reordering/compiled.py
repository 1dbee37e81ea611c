"""Rules as arrays: bits for what words are, clauses over them, and tables of labels."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import Bool, Int32, UInt64
from wordorder.errors import InputError, UsageError, location
from wordorder.reordering import conditions
from wordorder.text.blocks import quoted
from wordorder.treebank.treebank import COLUMNS, NOTHING, Column, Treebank

Key = TypeVar("Key", conditions.Predicate, conditions.Condition)

Made = TypeVar("Made")

# A word that bars movement has this entry, as the kernel knows it.
BARRIER = -2

BITS = 64

# Clauses of all rules together, classes written out: more would fill the memory.
MOST_CLAUSES = 1 << 16

BAR = "|"

# Legal names of factors; ``_``, as in CoNLL-U, names a factor that is not used.
FACTORS = ("form", "lemma", "upos", "xpos", "feats", NOTHING)

# What punctuation is labelled, in Universal and in Stanford dependencies.
PUNCTUATION = ("punct", "p")


class CompiledRules:
    """The rules of a file, ready to be applied.

    Attributes
    ----------
    entry_names : list of str
        What each entry is called in its rule; entries of one rule follow each other.
    entry_start : int32[R+1]
        The entries of rule ``r`` are ``entry_start[r] .. entry_start[r+1]-1``.
    rank : int32[E]
        The place of each entry among those of all rules; smaller ones of one rule come first.
    turned : int32
        For each rank, whether equals come in reverse order.
    own : int32[R]
        The entry of the head itself.

    Raises
    ------
    InputError
        If the file has more different conditions than bits.
    """

    def __init__(self, file: conditions.RuleFile) -> None:
        self._file = file
        self._predicates: dict[conditions.Predicate, int] = {}
        self._children: dict[conditions.Condition, int] = {}
        clauses: list[tuple[int, ...]] = []
        head_start, case_start = [0], [0]
        case_clause: list[int] = []
        case_entry: list[int] = []
        rank: list[int] = []
        turned: list[bool] = []
        self.entry_names: list[str] = []
        entry_start, label_codes = [0], []
        # The clauses of all heads come first: those of one rule are contiguous.
        for rule in file.rules:
            self._line = rule.line
            clauses += map(self._bits, rule.head.clauses)
            self._check_number(clauses)
            head_start.append(len(clauses))
        for rule in file.rules:
            self._line = rule.line
            first = entry_start[-1]
            cases = [(condition_of(barrier), BARRIER) for barrier in rule.barriers]
            cases += [
                (member.condition, first + number)
                for number, member in enumerate(rule.members)
                if member.condition is not None
            ]
            for condition, entry in cases:
                for clause in condition.clauses:
                    case_clause.append(len(clauses))
                    case_entry.append(entry)
                    clauses.append(self._bits(clause))
            case_start.append(len(case_clause))
            rank += [len(turned) + member.rank for member in rule.members]
            turned += rule.turned
            self.entry_names += [member.name for member in rule.members]
            entry_start.append(len(rank))
            label_codes.append(first + rule.index(conditions.SELF))
            self._check_number(clauses)
        self.head_start = np.array(head_start, np.int32)
        self._case_start = np.array(case_start, np.int32)
        self.case_clause = np.array(case_clause, np.int32)
        self.case_entry = np.array(case_entry, np.int32)
        self.clauses = np.array(clauses, np.uint64).reshape(-1)
        self.rank = np.array(rank, np.int32)
        self.turned = np.array(turned, np.int32)
        self.own = np.array(label_codes, np.int32)
        self.entry_start = np.array(entry_start, np.int32)
        self._known: dict[str, dict[str, int]] = {}
        self._entries: dict[str, Int32] = {}
        self._made: dict[str, tuple[Sequence[str], Any]] = {}

    @property
    def columns(self) -> set[str]:
        """The columns of a treebank that some condition reads."""
        return {
            predicate.column
            for predicate in self._predicates
            if isinstance(predicate, conditions.Pattern)
        }

    def predicates(self, treebank: Treebank) -> UInt64:
        """Return which predicates hold for each word, uint64[N]."""
        bits = np.zeros(treebank.words, np.uint64)
        for name in self.columns:
            column = treebank.columns[name]
            words = column.vocabulary.words
            table = self._cached(name, words, partial(self._table, name))
            bits |= table[column.codes]
        for predicate, bit in self._predicates.items():
            if not isinstance(predicate, conditions.Pattern):
                holds = at_positions(treebank, predicate.places)
                bits |= holds.astype(np.uint64) << np.uint64(bit)
        return bits

    def children(self, treebank: Treebank, predicates: UInt64) -> UInt64:
        """Return which conditions some child of each word meets, uint64[N]."""
        bits = np.zeros(treebank.words, np.uint64)
        if not self._children:
            return bits
        child_bits = np.zeros(treebank.words, np.uint64)
        for condition, bit in self._children.items():
            holds = np.zeros(treebank.words, np.bool_)
            for clause in condition.clauses:
                must, ban = (np.uint64(self._union(part)) for part in (clause.own, clause.not_own))
                holds |= ((predicates & must) == must) & ((predicates & ban) == 0)
            child_bits |= holds.astype(np.uint64) << np.uint64(bit)
        below = np.flatnonzero(treebank.heads > 0)
        np.bitwise_or.at(bits, treebank.above[below], child_bits[below])
        return bits

    def label_entries(self, labels: Sequence[str]) -> Int32:
        """Return the entry that each label has under each rule, int32[R * V]."""
        return self._cached("entries", labels, self._label_entries)

    def _label_entries(self, labels: Sequence[str]) -> Int32:
        entries, rules = self._entries, self._file.rules
        # As in `_table`.
        if len(entries) > 1 << 16:
            entries.clear()
        new = [label for label in labels if label not in entries]
        if new:
            new_entries = np.array(
                [list(map(entry_of_label(rule), new)) for rule in rules], np.int32
            )
            new_entries = new_entries.reshape(len(rules), len(new)) + self.entry_start[:-1, None]
            entries.update(zip(new, new_entries.T, strict=True))
        table = np.array([entries[label] for label in labels], np.int32)
        return np.ascontiguousarray(table.reshape(len(labels), len(rules)).T).reshape(-1)

    def label_cases(self, labels: Sequence[str]) -> tuple[Int32, Int32]:
        """Return the cases of each rule that a label does not rule out.

        Returns
        -------
        case_start : int32[R * V + 1]
        cases : int32
            Those of rule ``r`` and label ``l`` are ``case_start[k] .. case_start[k+1]-1`` at
            ``k = r * V + l``.
        """
        return self._cached("cases", labels, self._label_cases)

    def _label_cases(self, labels: Sequence[str]) -> tuple[Int32, Int32]:
        mask = np.uint64(
            sum(
                1 << bit
                for predicate, bit in self._predicates.items()
                if isinstance(predicate, conditions.Pattern) and predicate.column == "label"
            )
        )
        bits = self._table("label", labels) if mask else np.zeros(len(labels), np.uint64)
        clauses = self.clauses.reshape(-1, 6)[self.case_clause]
        must, ban = clauses[:, 0] & mask, clauses[:, 1] & mask
        possible = ((bits[:, None] & must) == must) & ((bits[:, None] & ban) == 0)
        counts, cases = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for first, last in pairwise(self._case_start.tolist()):
            label, case = np.nonzero(possible[:, first:last])
            counts.append(np.bincount(label, minlength=len(labels)))
            cases.append(first + case)
        starts = np.cumsum(np.concatenate(counts)).astype(np.int32)
        return starts, np.concatenate(cases).astype(np.int32)

    def _cached(
        self, description: str, words: Sequence[str], make: Callable[[Sequence[str]], Made]
    ) -> Made:
        """Return the result for the same strings as last time from the cache, or compute it.

        Who orders the trees of one sentence after the other has the same vocabulary each time.
        """
        last = self._made.get(description)
        if last is None or last[0] is not words:
            last = words, make(words)
            self._made[description] = last
        result: Made = last[1]
        return result

    def _check_number(self, clauses: Sequence[object]) -> None:
        """Refuse more clauses than anyone writes."""
        if len(clauses) > MOST_CLAUSES:
            file_position = location(self._file.path, self._line)
            problem = f"more than {MOST_CLAUSES:,} conditions, classes written out, up to here"
            raise InputError(file_position, problem, "fewer, or smaller classes")

    def _bits(self, clause: conditions.Clause) -> tuple[int, ...]:
        """Return the six sets of bits of a clause."""
        parts = map(self._union, (clause.own, clause.not_own, clause.parent, clause.not_parent))
        children = (clause.child, clause.not_child)
        return (
            *parts,
            *(
                sum(1 << self._child_bit(c) for c in set(children_bits))
                for children_bits in children
            ),
        )

    def _union(self, predicates: Sequence[conditions.Predicate]) -> int:
        return sum(1 << self._number(self._predicates, predicate) for predicate in set(predicates))

    def _child_bit(self, condition: conditions.Condition) -> int:
        for clause in condition.clauses:
            self._union((*clause.own, *clause.not_own))
        return self._number(self._children, condition)

    def _number(self, numbers: dict[Key, int], key: Key) -> int:
        """Return the bit of a predicate or a condition, a new one if it has none."""
        bit = numbers.setdefault(key, len(numbers))
        if bit >= BITS:
            file_position = location(self._file.path, self._line)
            raise InputError(
                file_position, f"more than {BITS} different conditions up to here", "fewer"
            )
        return bit

    def _table(self, name: str, words: Sequence[str]) -> UInt64:
        """Return which predicates hold for each text of a column's vocabulary."""
        plain, patterns = self._patterns[name]
        bits_by_word = self._known.setdefault(name, {})
        # What a stream of text can bring without end is not kept.
        if len(bits_by_word) > 1 << 16:
            bits_by_word.clear()
        column_bits = []
        for word in words:
            bits = bits_by_word.get(word)
            if bits is None:
                text = word.lower() if name in conditions.CASELESS else word
                bits = plain.get(text, 0) | sum(
                    bit for predicate, bit in patterns if predicate.matches(word)
                )
                bits_by_word[word] = bits
            column_bits.append(bits)
        return np.array(column_bits, np.uint64)

    @cached_property
    def _patterns(self) -> dict[str, tuple[dict[str, int], list[tuple[conditions.Pattern, int]]]]:
        """The bits of each column's patterns: by the text that each is, and the others one by one.

        Most of a vocabulary is in no pattern, and is found not to be at one look.
        """
        by_column: dict[str, tuple[dict[str, int], list[tuple[conditions.Pattern, int]]]] = {}
        for predicate, bit in self._predicates.items():
            if not isinstance(predicate, conditions.Pattern):
                continue
            plain, patterns = by_column.setdefault(predicate.column, ({}, []))
            if predicate.plain is None or predicate.column in ("label", "feats"):
                patterns.append((predicate, 1 << bit))
            else:
                for text in predicate.plain:
                    plain[text] = plain.get(text, 0) | 1 << bit
        return by_column


def entry_of_label(rule: conditions.Rule) -> Callable[[str], int]:
    """Return what finds the entry of a label: the nearest of those that mean it.

    The label itself comes before a label without its subtype, and ``nsubj:`` before ``nsubj``; both
    before a pattern, of which the first counts; ``*`` is last.
    """
    plain = {
        member.name: number
        for number, member in enumerate(rule.members)
        if member.condition is None and member.name != conditions.SELF
    }
    other_entry = plain.pop(conditions.OTHERS)
    # A name without wildcards means no label but those that are looked up.
    label_patterns = (
        (conditions.Pattern("label", (name,)), number) for name, number in plain.items()
    )
    patterns = [(pattern, number) for pattern, number in label_patterns if pattern.plain is None]

    def entry(label: str) -> int:
        for name in (f"{label}:", label, label.partition(":")[0]):
            if name in plain:
                return plain[name]
        return next((number for pattern, number in patterns if pattern.matches(label)), other_entry)

    return entry


def condition_of(member: conditions.Member) -> conditions.Condition:
    """Return the condition of a member, that of its label if it has no other."""
    return member.condition or conditions.Condition(
        (conditions.Clause((conditions.Pattern("label", (member.name,)),)),)
    )


def check_factors(factors: Sequence[str]) -> None:
    """Refuse names of factors that make no words.

    Raises
    ------
    UsageError
        If a name is unknown or is listed twice, or none is ``form``.
    """
    names = [name for name in factors if name != NOTHING]
    for name in factors:
        if name not in FACTORS:
            raise UsageError(f"unknown factor {name!r}; legal names: {', '.join(FACTORS)}")
    if len(set(names)) < len(names) or "form" not in names:
        raise UsageError("factors have one form, the word itself, and each other name at most once")


def split_factors(
    sentences: Treebank, factors: Sequence[str], name: str, sentences_before: int
) -> Treebank:
    """Return sentences whose words are cut at the bars, each factor in its column.

    Parameters
    ----------
    sentences : Treebank
        Whose forms are tokens ``word|tag|...``.
    factors : sequence of str
        What the factors are, in their order: ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``,
        or ``_`` for one that is not looked at.
    name : str
        What a message calls the input.
    sentences_before : int
        Lines before these, for messages.

    Raises
    ------
    InputError
        At ``file:line`` of the first token with more or fewer factors, or an empty one.

    Examples
    --------
    >>> bank = Treebank.from_words([["John|NNP", "hit|VBD"]])
    >>> found = split_factors(bank, ["form", "xpos"], "a.txt", 0)
    >>> found.form.strings(), found.xpos.strings()
    (['John', 'hit'], ['NNP', 'VBD'])
    """
    form = sentences.form
    cut = [token.split(BAR) for token in form.vocabulary.words]
    bad = [i for i, parts in enumerate(cut) if len(parts) != len(factors) or not all(parts)]
    places = np.flatnonzero(np.isin(form.codes, bad)) if bad else np.zeros(0, np.int64)
    if len(places):
        row = int(np.searchsorted(sentences.offsets, places[0], side="right"))
        token = form.vocabulary.words[int(form.codes[places[0]])]
        file_position = location(name, sentences_before + row)
        problem = f"the token {quoted(token.encode())}"
        raise InputError(file_position, problem, f"{len(factors)} factors, {BAR.join(factors)}")
    columns: dict[str, Column] = {}
    for number, factor in enumerate(factors):
        if factor in COLUMNS:
            strings = Column.of(p[number] if len(p) == len(factors) else NOTHING for p in cut)
            columns[factor] = strings.take(form.codes)
    return sentences.replace(heads=None, **columns)


def at_positions(treebank: Treebank, places: Sequence[str]) -> Bool:
    """Return which words are at one of some places, bool[N].

    Parameters
    ----------
    treebank : Treebank
    places : names of `wordorder.reordering.conditions.POSITIONS`

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left", "."]], heads=[[2, 0, 2]],
    ...                            label=[["nsubj", "root", "punct"]])
    >>> at_positions(bank, ["left", "root"]).tolist(), at_positions(bank, ["final"]).tolist()
    ([True, True, False], [False, True, True])
    """
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    number = np.arange(treebank.words) - starts + 1
    holds = np.zeros(treebank.words, np.bool_)
    for place in places:
        if place == "left":
            holds |= treebank.heads > number
        elif place == "right":
            holds |= (treebank.heads > 0) & (treebank.heads < number)
        elif place == "root":
            holds |= treebank.heads == 0
        elif place == "first":
            holds |= number == 1
        else:
            holds |= _final(treebank)
    return holds


def _final(treebank: Treebank) -> Bool:
    """Return the words that only punctuation follows."""
    words_only = np.flatnonzero(
        treebank.label.apply(lambda label: label not in PUNCTUATION, np.bool_)
    )
    sentence = np.repeat(np.arange(len(treebank)), treebank.lengths)
    last = treebank.offsets[:-1].copy()
    # Of several words of one sentence the last one stays.
    last[sentence[words_only]] = words_only
    is_final: Bool = np.arange(treebank.words) >= last[sentence]
    return is_final
