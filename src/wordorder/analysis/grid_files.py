"""The files of evaluations and analyses: reference orders, treebanks, parsers, rule sets."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.grid_systems import check_same_words
from wordorder.arrays import Bool, OnProgress
from wordorder.errors import InputError, UsageError, choose, location, unknown_name
from wordorder.messages import percent
from wordorder.metrics.contract import BaseMetric, require_segments
from wordorder.options import (
    ALIGNED_KINDS,
    RULE_SETS,
    UNALIGNED,
    GridOptions,
    NotationOptions,
    OrderOptions,
    options_of,
    with_options,
)
from wordorder.order.orders import Orders
from wordorder.order.reading import read_orders
from wordorder.order.reference import LIMITED, RULES, linked_words, reference_orders
from wordorder.order.unlinked import UnlinkedWords, moved_orders, unlinked_rows
from wordorder.reordering.rules import RuleSet, check_orders, open_rules
from wordorder.scoring.files import ALIGNED, named_paths, paths
from wordorder.scoring.unlinked import other_winners
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.names import refuse_two_pipes, split_name, without_compression
from wordorder.text.opening import Path, display_name
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from typing_extensions import Self


Named = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
@with_options
class GridFiles(GridOptions):
    """Reference, trees and rules, and how the reference becomes orders.

    `trees` are treebanks of the source sentences, `parsers` models that parse the text `source`;
    in `rule_sets` the name is empty where the rules' own is meant.

    Attributes
    ----------
    reference : str
        Orders, or alignments of which they are made.
    **options
        As `wordorder.options.GridOptions` declares them.
    """

    reference: str

    @classmethod
    def of(cls, reference: Path, options: Mapping[str, Any]) -> Self:
        """Take what a function was given: names by mapping or ``NAME=FILE``, paths of any type.

        Raises
        ------
        UsageError
            If there is no such option, two files have one name, or a value is not legal.
        """
        legal = [field.name for field in fields(cls)][1:]
        given: dict[str, Any] = {}
        for name, value in options.items():
            if name not in legal:
                raise unknown_name("option", name, legal)
            if name == "rule_sets":
                items = (
                    value.items() if isinstance(value, Mapping) else map(split_name, paths(value))
                )
                given[name] = tuple(items)
            elif isinstance(getattr(cls, name), tuple):
                given[name] = named_paths(value)
            else:
                given[name] = os.fspath(value) if isinstance(value, os.PathLike) else value
        files = cls(os.fspath(reference), **given)
        choose("--input", files.kind, ALIGNED_KINDS)
        return files

    @property
    def paths(self) -> list[str | None]:
        """All files that are read."""
        named = (*self.trees, *self.rule_sets)
        return [self.reference, self.source, *(path for _, path in named)]

    @property
    def holds_alignments(self) -> bool:
        """Whether the reference is alignments, not orders."""
        if self.kind != "auto":
            return self.kind == "alignments"
        return without_compression(self.reference).endswith(ALIGNED)

    @property
    def convention(self) -> dict[str, Any]:
        """How alignments become orders, as `reference_orders` takes it."""
        return {
            "rule": self.rule or "talbot",
            "unaligned": self.unaligned,
            "links": self.links or "all",
        }

    def check(self) -> None:
        """Raise a UsageError for options that contradict each other."""
        refuse_two_pipes(self.paths)
        if self.parsers and self.source is None:
            raise UsageError("--parser needs a text to parse: --source=FILE")
        if not self.holds_alignments:
            for name, option in options_of(OrderOptions, NotationOptions).items():
                if getattr(self, name) != option.default:
                    raise UsageError(
                        f"{option.flags[0]} is for alignments, but {self.reference} is "
                        "read as orders, which are used as they are (if it holds alignments: "
                        "--input=alignments)"
                    )
        if self.rule == "aligned":
            raise UsageError(
                "--rule=aligned renumbers the aligned words, so orders of all words do not fit; "
                "--rule=lrscore --unaligned=drop does the same with source positions"
            )


@dataclass(frozen=True, eq=False)
class Reference:
    """Reference orders, and the alignments that they were made of, if they were.

    Attributes
    ----------
    name : str
        What messages call the file.
    orders : Orders
    alignments : Alignments or None
    linked : bool[N], optional
        Which source words have a link, if that is known.
    unlinked : UnlinkedWords, optional
        What is beside a file of orders.
    """

    name: str
    orders: Orders
    alignments: Alignments | None = None
    linked: Bool | None = None
    unlinked: UnlinkedWords | None = None

    def treatments(
        self, words: Treebank, convention: Mapping[str, str | None]
    ) -> Iterator[tuple[str, Orders]]:
        """Yield the orders under each treatment of words without a link, these orders first.

        Parameters
        ----------
        words : Treebank
            The source sentences.
        convention : mapping
            How alignments became orders: `rule`, `unaligned` and `links` of `reference_orders`.
        """
        if self.alignments is not None:
            rule, links = str(convention["rule"]), str(convention["links"])
            asked = convention["unaligned"] or RULES[rule]
            yield asked, self.orders
            for unaligned in LIMITED.get(rule, UNALIGNED):
                if unaligned != asked:
                    form = words.sentences() if rule == "lader" else None
                    how = {"rule": rule, "unaligned": unaligned, "links": links}
                    orders = reference_orders(self.alignments, words.lengths, **how, words=form)
                    yield unaligned, orders
        elif self.unlinked is not None and self.linked is not None:
            yield self.unlinked.unaligned, self.orders
            rows = unlinked_rows(self.linked, words.lengths)
            for unaligned in self.unlinked.others:
                yield unaligned, moved_orders(self.orders, rows, self.unlinked.rule, unaligned)

    def winners(
        self,
        names: Sequence[str],
        metric: BaseMetric,
        values: Mapping[str, Sequence[float]],
        *,
        called: str = "",
        more: str = "",
    ) -> str:
        """Say if another system is best under another of the `treatments`; see `other_winners`."""
        if self.linked is None or len(values) < 2:
            return ""
        unlinked = percent(int(np.count_nonzero(~self.linked)), len(self.linked))
        share = f"{unlinked} of the words"
        choice = "" if self.alignments is None else "--unaligned, "
        return other_winners(names, metric, values, share, called=called, choice=choice, more=more)


@dataclass(frozen=True)
class Origin:
    """Where the trees of a parser, or rules, came from.

    Attributes
    ----------
    name : str
        What tables call them.
    path : str
        The file, model or name that the command line has.
    parsed : bool
        Whether `path` is a model by which the source was parsed.
    """

    name: str
    path: str
    parsed: bool = False


@dataclass(frozen=True, eq=False)
class GridInputs:
    """What was read.

    Attributes
    ----------
    reference : Reference
    treebanks : dict of name to Treebank
    rules : dict of name to RuleSet
    parsers, rule_sets : tuples of Origin
        Of `treebanks` and `rules`, in their order.
    """

    reference: Reference
    treebanks: dict[str, Treebank]
    rules: dict[str, RuleSet]
    parsers: tuple[Origin, ...]
    rule_sets: tuple[Origin, ...]

    @property
    def words(self) -> Treebank:
        """The source sentences: those of the first treebank."""
        return next(iter(self.treebanks.values()))

    def description(self) -> dict[str, Any]:
        """Return what was read, as plain dictionaries and lists."""
        reference = self.reference
        identities = [dict(getattr(r, "provenance", ())).get("rules") for r in self.rules.values()]
        return {
            "reference": {
                "file": reference.name,
                "holds": "orders" if reference.alignments is None else "alignments",
                **dict(reference.orders.provenance),
            },
            "trees": [
                {"name": each.name, "model" if each.parsed else "file": each.path}
                for each in self.parsers
            ],
            "rule_sets": [
                {"name": each.name, "rules": each.path, "identity": identity}
                for each, identity in zip(self.rule_sets, identities, strict=True)
            ],
        }


def read_grid(files: GridFiles, progress: OnProgress | None = None) -> GridInputs:
    """Read everything, and check that all is of the same sentences.

    Raises
    ------
    UsageError
        If options contradict each other, or a name is unknown.
    InputError
        If a file is wrong, or the files do not fit together.
    """

    files.check()
    if not files.trees and not files.parsers:
        raise UsageError("no trees: give --trees=P1=FILE, or --parser=P1=MODEL --source=TEXT")
    # Before the trees, which take longer.
    rule_sets, rules = _opened_rules(files.rule_sets or [("", each) for each in RULE_SETS])
    parsers = _distinct(
        [
            *(Origin(name, path) for name, path in files.trees),
            *(Origin(name, model, parsed=True) for name, model in files.parsers),
        ],
        "parsers",
    )
    treebanks = {
        each.name: _trees(each.path, multiple_roots=files.multiple_roots)
        for each in parsers
        if not each.parsed
    }
    if files.parsers:
        from wordorder.parsing.pipeline.file_parser import parsed_by, read_sentences

        sentences, text = read_sentences(str(files.source))
        for each in parsers[len(files.trees) :]:
            bank = parsed_by(each.path, sentences, name=text, progress=progress)
            treebanks[each.name] = bank
    called = {
        f"{files.source} ({each.path})" if each.parsed else display_name(each.path): bank
        for each, bank in zip(parsers, treebanks.values(), strict=True)
    }
    check_same_words(called)
    words = next(iter(treebanks.values()))
    name = str(files.source) if parsers[0].parsed else parsers[0].path
    reference = read_reference(files, words, display_name(name))
    return GridInputs(reference, treebanks, rules, parsers, rule_sets)


def read_reference(files: GridFiles, words: Treebank, words_name: str) -> Reference:
    """Read reference orders, or make them of alignments.

    Parameters
    ----------
    files : GridFiles
    words : Treebank
        The source sentences.
    words_name : str
        What messages call them.

    Raises
    ------
    InputError
        If the file is wrong or empty, or is not of these sentences.
    """
    from wordorder.analysis.sensitivity import reference_conventions

    name = display_name(files.reference)
    if files.holds_alignments:
        from wordorder.alignment.reading import read_alignments

        alignments = read_alignments(
            files.reference,
            format=files.alignment_format,
            format_option="--alignment-format",
            one_based=files.one_based,
            strict=files.strict,
            source_lengths=words.lengths,
            source_name=words_name,
        )
        require_segments(len(words), name)
        _, orders = next(reference_conventions(alignments, words, **files.convention))
        linked = linked_words(alignments, words.lengths, links=files.convention["links"])
        return Reference(name, orders, alignments, linked)
    try:
        orders = read_orders(files.reference)
    except InputError as error:
        called_orders = without_compression(files.reference).endswith(".orders")
        if files.kind != "auto" or (called_orders and error.where != location(name, 1, 1)):
            raise
        hint = f"{error.expected}; if the file holds alignments: --input=alignments"
        raise InputError(error.where, error.what, hint) from None
    if len(orders) != len(words):
        raise line_count_mismatch(name, len(orders), words_name, len(words), "sentence")
    require_segments(len(words), name)
    check_orders(orders, words, path=name)
    unlinked = UnlinkedWords.beside(files.reference)
    if unlinked is None:
        return Reference(name, orders)
    rows = unlinked.rows(words.lengths)
    linked = np.ones(words.words, np.bool_)
    linked[np.repeat(words.offsets[:-1], rows.lengths) + rows.values] = False
    signed = Orders(orders.positions, orders.ranks, unlinked.provenance)
    return Reference(name, signed, None, linked, unlinked)


def _opened_rules(
    named: Sequence[tuple[str, str]],
) -> tuple[tuple[Origin, ...], dict[str, RuleSet]]:
    """Open rule sets, each with its own name unless it was given one.

    Of two with the same own name, each is called as it was written.
    """

    opened = [open_rules(path) for _, path in named]
    own = [name or rules.name for (name, _), rules in zip(named, opened, strict=True)]
    counts = Counter(own)
    origins = _distinct(
        [
            Origin(name if chosen or counts[name] == 1 else path, path)
            for name, (chosen, path) in zip(own, named, strict=True)
        ],
        "rule sets",
    )
    return origins, {each.name: rules for each, rules in zip(origins, opened, strict=True)}


def _trees(path: str, *, multiple_roots: bool) -> Treebank:
    """Read the trees of a file: one tree per sentence."""

    bank = read_treebank(path, single_root=not multiple_roots)
    if len(bank) and bank.margins[0].value("rank") is not None:
        ranks = [margin.value("rank") for margin in bank.margins]
        second = next((i for i, rank in enumerate(ranks) if rank not in (None, "1")), None)
        if second is not None:
            raise InputError(
                display_name(path),
                f"a list of trees: tree {second + 1} has # rank = {ranks[second]}",
                "one tree per sentence",
            )
    return bank


def _distinct(origins: Sequence[Origin], what: str) -> tuple[Origin, ...]:
    """Raise a UsageError if two have one name."""
    twice = [name for name, count in Counter(each.name for each in origins).items() if count > 1]
    if twice:
        raise UsageError(f"two {what} are called {twice[0]!r}; NAME=FILE gives it another name")
    return tuple(origins)
