"""Rules compiled to arrays: predicates of words as bits, clauses over them, tables of labels."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from wordorder.arrays import Bool, Int32, UInt64
from wordorder.errors import InputError, UsageError, location
from wordorder.reordering import conditions
from wordorder.text.blocks import quoted
from wordorder.treebank.treebank import NO_VALUE, STRING_COLUMNS, Column, Treebank

Key = TypeVar("Key", conditions.Predicate, conditions.Condition)

Result = TypeVar("Result")

# The entry of a barrier, in the kernel too.
BARRIER = -2

# Each condition is a bit of a uint64.
MAX_CONDITIONS = 64

# Limit for the clauses of all rules, with classes expanded, so that memory suffices.
MAX_CLAUSES = 1 << 16

# Limit for cached strings, since a stream of text has new words without end.
_MAX_CACHED = 1 << 16

FACTOR_SEPARATOR = "|"

# Names of factors; ``_``, as in CoNLL-U, names a factor that is not used.
FACTORS = ("form", "lemma", "upos", "xpos", "feats", NO_VALUE)

# Labels of punctuation in Universal and in Stanford Dependencies.
PUNCTUATION_LABELS = ("punct", "p")


class CompiledRules:
    """The rules of a file, ready to be applied.

    Attributes
    ----------
    entry_names : list of str
        Name of each entry in its rule; entries of one rule are contiguous.
    entry_start : int32[R+1]
        The entries of rule ``r`` are ``entry_start[r] .. entry_start[r+1]-1``.
    rank : int32[E]
        The rank of each entry, over all rules; within a rule, smaller ranks come first.
    turned : int32
        For each rank, whether children of equal rank are reversed.
    own : int32[R]
        For each rule, the entry of the head itself.

    Raises
    ------
    InputError
        If the file has more than 64 different conditions.
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
        # The clauses of all heads come first, so that those of one rule are contiguous.
        for rule in file.rules:
            self._line = rule.line
            clauses += map(self._clause_bits, rule.head.clauses)
            self._check_clause_count(clauses)
            head_start.append(len(clauses))
        for rule in file.rules:
            self._line = rule.line
            first = entry_start[-1]
            cases = [(condition_of(barrier), BARRIER) for barrier in rule.barriers]
            cases += [
                (member.condition, first + index)
                for index, member in enumerate(rule.members)
                if member.condition is not None
            ]
            for condition, entry in cases:
                for clause in condition.clauses:
                    case_clause.append(len(clauses))
                    case_entry.append(entry)
                    clauses.append(self._clause_bits(clause))
            case_start.append(len(case_clause))
            rank += [len(turned) + member.rank for member in rule.members]
            turned += rule.turned
            self.entry_names += [member.name for member in rule.members]
            entry_start.append(len(rank))
            label_codes.append(first + rule.index(conditions.SELF))
            self._check_clause_count(clauses)
        self.head_start = np.array(head_start, np.int32)
        self._case_start = np.array(case_start, np.int32)
        self.case_clause = np.array(case_clause, np.int32)
        self.case_entry = np.array(case_entry, np.int32)
        self.clauses = np.array(clauses, np.uint64).reshape(-1)
        self.rank = np.array(rank, np.int32)
        self.turned = np.array(turned, np.int32)
        self.own = np.array(label_codes, np.int32)
        self.entry_start = np.array(entry_start, np.int32)
        self._word_bits: dict[str, dict[str, int]] = {}
        self._entries: dict[str, Int32] = {}
        self._last_results: dict[str, tuple[Sequence[str], Any]] = {}

    @property
    def columns(self) -> set[str]:
        """The columns of a treebank that conditions read."""
        return {
            predicate.column
            for predicate in self._predicates
            if isinstance(predicate, conditions.Pattern)
        }

    def predicates(self, treebank: Treebank) -> UInt64:
        """Return the bits of the predicates that hold for each word, uint64[N]."""
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
        """Return the bits of the conditions that a child of each word meets, uint64[N]."""
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
        """Return the entry of each label in each rule, int32[R * V]."""
        return self._cached("entries", labels, self._label_entries)

    def _label_entries(self, labels: Sequence[str]) -> Int32:
        entries, rules = self._entries, self._file.rules
        if len(entries) > _MAX_CACHED:
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
        """Return, for each rule and label, the cases that words with the label may meet.

        Returns
        -------
        case_start : int32[R * V + 1]
        cases : int32
            The cases of rule ``r`` and label ``l`` are ``case_start[k] .. case_start[k+1]-1`` with
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
        self, name: str, words: Sequence[str], function: Callable[[Sequence[str]], Result]
    ) -> Result:
        """Return `function(words)`, cached under a name as long as `words` is the same object.

        Sentences that are ordered one by one share their vocabulary.
        """
        last = self._last_results.get(name)
        if last is None or last[0] is not words:
            last = words, function(words)
            self._last_results[name] = last
        result: Result = last[1]
        return result

    def _check_clause_count(self, clauses: Sequence[object]) -> None:
        if len(clauses) > MAX_CLAUSES:
            file_line = location(self._file.path, self._line)
            problem = f"more than {MAX_CLAUSES:,} conditions, classes written out, up to here"
            raise InputError(file_line, problem, "fewer, or smaller classes")

    def _clause_bits(self, clause: conditions.Clause) -> tuple[int, ...]:
        """Return the six sets of bits of a clause, in the order of its fields."""
        predicates = (clause.own, clause.not_own, clause.parent, clause.not_parent)
        children = (
            sum(1 << self._child_bit(condition) for condition in set(child_conditions))
            for child_conditions in (clause.child, clause.not_child)
        )
        return (*map(self._union, predicates), *children)

    def _union(self, predicates: Sequence[conditions.Predicate]) -> int:
        """Return the set of the bits of some predicates."""
        return sum(1 << self._bit_of(self._predicates, predicate) for predicate in set(predicates))

    def _child_bit(self, condition: conditions.Condition) -> int:
        for clause in condition.clauses:
            self._union((*clause.own, *clause.not_own))
        return self._bit_of(self._children, condition)

    def _bit_of(self, bits: dict[Key, int], key: Key) -> int:
        """Return the index of the bit of a predicate or condition, which may be new."""
        bit = bits.setdefault(key, len(bits))
        if bit >= MAX_CONDITIONS:
            file_line = location(self._file.path, self._line)
            problem = f"more than {MAX_CONDITIONS} different conditions up to here"
            raise InputError(file_line, problem, "fewer")
        return bit

    def _table(self, name: str, words: Sequence[str]) -> UInt64:
        """Return the bits of the predicates that hold for each string of a column, uint64[V]."""
        plain, patterns = self._patterns[name]
        bits_by_word = self._word_bits.setdefault(name, {})
        if len(bits_by_word) > _MAX_CACHED:
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
        """For each column, the bits of strings without wildcards, and the other patterns.

        A look-up suffices for the strings of a vocabulary that no pattern matches.
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
    """Return a function from a label to the index of its entry, the most specific one.

    ``nsubj:`` comes before ``nsubj``, and the label before the label without its subtype; then the
    first pattern that matches; ``*`` is last.
    """
    plain = {
        member.name: index
        for index, member in enumerate(rule.members)
        if member.condition is None and member.name != conditions.SELF
    }
    other_entry = plain.pop(conditions.OTHER_CHILDREN)
    # Names without wildcards are looked up in `plain`.
    label_patterns = (
        (conditions.Pattern("label", (name,)), index) for name, index in plain.items()
    )
    patterns = [(pattern, index) for pattern, index in label_patterns if pattern.plain is None]

    def entry(label: str) -> int:
        for name in (f"{label}:", label, label.partition(":")[0]):
            if name in plain:
                return plain[name]
        return next((index for pattern, index in patterns if pattern.matches(label)), other_entry)

    return entry


def condition_of(member: conditions.Member) -> conditions.Condition:
    """Return the condition of a member; by default, the one that it has its label."""
    return member.condition or conditions.Condition(
        (conditions.Clause((conditions.Pattern("label", (member.name,)),)),)
    )


def check_factors(factors: Sequence[str]) -> None:
    """Refuse names of factors that are unknown or repeated, or do not include ``form``.

    Raises
    ------
    UsageError
    """
    names = [name for name in factors if name != NO_VALUE]
    for name in factors:
        if name not in FACTORS:
            raise UsageError(f"unknown factor {name!r}; legal names: {', '.join(FACTORS)}")
    if len(set(names)) < len(names) or "form" not in names:
        raise UsageError("factors have one form, the word itself, and each other name at most once")


def split_factors(
    sentences: Treebank, factors: Sequence[str], name: str, sentences_before: int
) -> Treebank:
    """Split the tokens ``word|tag|...`` of sentences into factors, one column each.

    Parameters
    ----------
    sentences : Treebank
        The forms are the tokens.
    factors : sequence of str
        The factors of a token, in order: ``form``, ``lemma``, ``upos``, ``xpos``, ``feats``,
        or ``_`` for one that is ignored.
    name : str
        The name of the input in messages.
    sentences_before : int
        The number of lines before these, for messages.

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
    tokens = [token.split(FACTOR_SEPARATOR) for token in form.vocabulary.words]
    bad = [i for i, parts in enumerate(tokens) if len(parts) != len(factors) or not all(parts)]
    bad_words = np.flatnonzero(np.isin(form.codes, bad)) if bad else np.zeros(0, np.int64)
    if len(bad_words):
        row = int(np.searchsorted(sentences.offsets, bad_words[0], side="right"))
        token = form.vocabulary.words[int(form.codes[bad_words[0]])]
        file_line = location(name, sentences_before + row)
        expected = f"{len(factors)} factors, {FACTOR_SEPARATOR.join(factors)}"
        raise InputError(file_line, f"the token {quoted(token.encode())}", expected)
    columns: dict[str, Column] = {}
    for index, factor in enumerate(factors):
        if factor in STRING_COLUMNS:
            strings = Column.of(p[index] if len(p) == len(factors) else NO_VALUE for p in tokens)
            columns[factor] = strings.take(form.codes)
    return sentences.replace(heads=None, **columns)


def at_positions(treebank: Treebank, positions: Sequence[str]) -> Bool:
    """Return the words at one of the named positions, bool[N].

    Parameters
    ----------
    treebank : Treebank
    positions : sequence of names in `wordorder.reordering.conditions.POSITIONS`

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left", "."]], heads=[[2, 0, 2]],
    ...                            label=[["nsubj", "root", "punct"]])
    >>> at_positions(bank, ["left", "root"]).tolist(), at_positions(bank, ["final"]).tolist()
    ([True, True, False], [False, True, True])
    """
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    word_number = np.arange(treebank.words) - starts + 1
    holds = np.zeros(treebank.words, np.bool_)
    for position in positions:
        if position == "left":
            holds |= treebank.heads > word_number
        elif position == "right":
            holds |= (treebank.heads > 0) & (treebank.heads < word_number)
        elif position == "root":
            holds |= treebank.heads == 0
        elif position == "first":
            holds |= word_number == 1
        else:
            holds |= _final_words(treebank)
    return holds


def _final_words(treebank: Treebank) -> Bool:
    """Return the words that are followed only by punctuation, bool[N]."""
    words_only = np.flatnonzero(
        treebank.label.apply(lambda label: label not in PUNCTUATION_LABELS, np.bool_)
    )
    sentence = np.repeat(np.arange(len(treebank)), treebank.lengths)
    last = treebank.offsets[:-1].copy()
    # For repeated indices, NumPy keeps the last value: the last word of the sentence.
    last[sentence[words_only]] = words_only
    is_final: Bool = np.arange(treebank.words) >= last[sentence]
    return is_final
