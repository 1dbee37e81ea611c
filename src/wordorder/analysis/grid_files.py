"""Input files of evaluations and analyses: reference orders, treebanks, parsers, rule sets."""

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
from wordorder.order.reference import (
    ALLOWED_UNALIGNED,
    DEFAULT_UNALIGNED,
    linked_words,
    reference_orders,
)
from wordorder.order.unlinked import UnlinkedWords, moved_orders, unlinked_rows
from wordorder.records import Record, key
from wordorder.reordering.rules import RuleSet, check_orders, open_rules
from wordorder.scoring.files import ALIGNMENT_SUFFIXES, named_paths, paths
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
    """Files of reference, trees and rules, and the options for reading them.

    `trees` are treebanks of the source sentences; `parsers` are models that parse the text
    `source`. Rule sets with an empty name in `rule_sets` are called by their own name.

    Attributes
    ----------
    reference : str
        A file of orders, or of alignments from which orders are built.
    **options
        As `wordorder.options.GridOptions` declares them.
    """

    reference: str

    @classmethod
    def of(cls, reference: Path, options: Mapping[str, Any]) -> Self:
        """Build the files from arguments: mappings or ``NAME=FILE`` strings, and paths of any type.

        Raises
        ------
        UsageError
            If an option is unknown, two files have the same name, or a value is not valid.
        """
        option_names = [field.name for field in fields(cls)][1:]
        values: dict[str, Any] = {}
        for name, value in options.items():
            if name not in option_names:
                raise unknown_name("option", name, option_names)
            if name == "rule_sets":
                items = (
                    value.items() if isinstance(value, Mapping) else map(split_name, paths(value))
                )
                values[name] = tuple(items)
            elif isinstance(getattr(cls, name), tuple):
                values[name] = named_paths(value)
            else:
                values[name] = os.fspath(value) if isinstance(value, os.PathLike) else value
        files = cls(os.fspath(reference), **values)
        choose("--input", files.kind, ALIGNED_KINDS)
        return files

    @property
    def paths(self) -> list[str | None]:
        """Paths of all input files."""
        sources = (*self.trees, *self.rule_sets)
        return [self.reference, self.source, *(path for _, path in sources)]

    @property
    def holds_alignments(self) -> bool:
        """Whether the reference consists of alignments, not orders."""
        if self.kind != "auto":
            return self.kind == "alignments"
        return without_compression(self.reference).endswith(ALIGNMENT_SUFFIXES)

    @property
    def convention(self) -> dict[str, Any]:
        """Arguments of `reference_orders`: how alignments become orders."""
        return {
            "rule": self.rule or "talbot",
            "unaligned": self.unaligned,
            "links": self.links or "all",
        }

    @property
    def _options_of_links(self) -> tuple[str, ...]:
        """Names of alignment options that are also used for a file other than the reference."""
        return ()

    def check(self) -> None:
        """Raise a UsageError for options that contradict each other."""
        refuse_two_pipes(self.paths)
        if self.parsers and self.source is None:
            raise UsageError("--parser needs a text to parse: --source=FILE")
        if not self.holds_alignments:
            for name, option in options_of(OrderOptions, NotationOptions).items():
                if name not in self._options_of_links and getattr(self, name) != option.default:
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
    """Reference orders, and the alignments from which they were built, if any.

    Attributes
    ----------
    name : str
        Display name of the file.
    orders : Orders
    alignments : Alignments or None
    linked : bool[N], optional
        Whether each source word has a link, if known.
    unlinked : UnlinkedWords, optional
        Information stored with a file of orders.
    """

    name: str
    orders: Orders
    alignments: Alignments | None = None
    linked: Bool | None = None
    unlinked: UnlinkedWords | None = None

    def treatments(
        self, words: Treebank, convention: Mapping[str, str | None]
    ) -> Iterator[tuple[str, Orders]]:
        """Yield the name and orders of each treatment of unlinked words, the current one first.

        Parameters
        ----------
        words : Treebank
            The source sentences.
        convention : mapping
            The arguments `rule`, `unaligned` and `links` of `reference_orders`.
        """
        if self.alignments is not None:
            rule, links = str(convention["rule"]), str(convention["links"])
            requested = convention["unaligned"] or DEFAULT_UNALIGNED[rule]
            yield requested, self.orders
            for unaligned in ALLOWED_UNALIGNED.get(rule, UNALIGNED):
                if unaligned != requested:
                    form = words.sentences() if rule == "lader" else None
                    convention_options = {"rule": rule, "unaligned": unaligned, "links": links}
                    orders = reference_orders(
                        self.alignments, words.lengths, **convention_options, words=form
                    )
                    yield unaligned, orders
        elif self.unlinked is not None and self.linked is not None:
            yield self.unlinked.unaligned, self.orders
            rows = unlinked_rows(self.linked, words.lengths)
            for unaligned in self.unlinked.other_treatments:
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
        """Describe the systems that win under other `treatments`; see `other_winners`."""
        if self.linked is None or len(values) < 2:
            return ""
        unlinked = percent(int(np.count_nonzero(~self.linked)), len(self.linked))
        share = f"{unlinked} of the words"
        choice = "" if self.alignments is None else "--unaligned, "
        return other_winners(
            names, metric, values, share, metric_name=called, option=choice, remark=more
        )


@dataclass(frozen=True)
class Origin:
    """The origin of trees or rules.

    Attributes
    ----------
    name : str
        Name in tables.
    path : str
        File, model or name as given on the command line.
    parsed : bool
        Whether `path` is a model that parsed the source.
    """

    name: str
    path: str
    parsed: bool = False


@dataclass(frozen=True, kw_only=True)
class ReadReference(Record):
    """The reference of a grid."""

    file: str = key("REFERENCE")
    holds: str = key("`orders` or `alignments`")
    provenance: Mapping[str, str] = key(
        "for alignments: how orders are made of them (`rule`), where words without a link go "
        "(`null`), and which links count (`links`); of the first convention"
    )


@dataclass(frozen=True, kw_only=True)
class ReadTrees(Record):
    """The trees of a parser."""

    name: str = key("the name of a parser")
    file: str | None = key("its trees; `null` for a parser of `--parser`")
    model: str | None = key("its model; `null` for trees")


@dataclass(frozen=True, kw_only=True)
class ReadRules(Record):
    """A rule set."""

    name: str = key("the name of a rule set")
    rules: str = key("what was given to `--rules`")
    identity: str | None = key(
        "what the rules call themselves, and a hash of what they say; `null` for rules that are no "
        "file"
    )


@dataclass(frozen=True)
class ReadFiles(Record):
    """What a grid is made of."""

    reference: ReadReference = key("the reference")
    trees: tuple[ReadTrees, ...] = key("the trees of each parser")
    rule_sets: tuple[ReadRules, ...] = key("the rule sets")


@dataclass(frozen=True, eq=False)
class GridInputs:
    """The inputs of a grid.

    Attributes
    ----------
    reference : Reference
    treebanks : dict of name to Treebank
    rules : dict of name to RuleSet
    parsers, rule_sets : tuples of Origin
        Origins of `treebanks` and `rules`, in the same order.
    """

    reference: Reference
    treebanks: dict[str, Treebank]
    rules: dict[str, RuleSet]
    parsers: tuple[Origin, ...]
    rule_sets: tuple[Origin, ...]

    @property
    def words(self) -> Treebank:
        """The source sentences, from the first treebank."""
        return next(iter(self.treebanks.values()))

    def description(self) -> ReadFiles:
        """Return the names of the reference, parsers and rule sets, for reports."""
        reference = self.reference
        identities = [dict(getattr(r, "provenance", ())).get("rules") for r in self.rules.values()]
        return ReadFiles(
            ReadReference(
                file=reference.name,
                holds="orders" if reference.alignments is None else "alignments",
                provenance=dict(reference.orders.provenance),
            ),
            tuple(
                ReadTrees(
                    name=origin.name,
                    file=None if origin.parsed else origin.path,
                    model=origin.path if origin.parsed else None,
                )
                for origin in self.parsers
            ),
            tuple(
                ReadRules(name=rules.name, rules=rules.path, identity=identity)
                for rules, identity in zip(self.rule_sets, identities, strict=True)
            ),
        )


def read_grid(files: GridFiles, progress: OnProgress | None = None) -> GridInputs:
    """Read all inputs of a grid, and check that they have the same sentences.

    Raises
    ------
    UsageError
        If options contradict each other, or a name is unknown.
    InputError
        If a file is not valid, or the files differ in their sentences.
    """

    files.check()
    if not files.trees and not files.parsers:
        raise UsageError("no trees: give --trees=P1=FILE, or --parser=P1=MODEL --source=TEXT")
    # Rules are opened first, so that their errors are reported before the slow parsing.
    rule_sets, rules = _open_rule_sets(
        files.rule_sets or [("", rule_name) for rule_name in RULE_SETS]
    )
    parsers = _check_distinct(
        [
            *(Origin(name, path) for name, path in files.trees),
            *(Origin(name, model, parsed=True) for name, model in files.parsers),
        ],
        "parsers",
    )
    treebanks = {
        origin.name: _read_trees(origin.path, multiple_roots=files.multiple_roots)
        for origin in parsers
        if not origin.parsed
    }
    if files.parsers:
        from wordorder.parsing.pipeline.file_parser import parsed_by, read_sentences

        sentences, text = read_sentences(str(files.source))
        for origin in parsers[len(files.trees) :]:
            treebank = parsed_by(origin.path, sentences, name=text, progress=progress)
            treebanks[origin.name] = treebank
    display_names = {
        f"{files.source} ({origin.path})" if origin.parsed else display_name(origin.path): bank
        for origin, bank in zip(parsers, treebanks.values(), strict=True)
    }
    check_same_words(display_names)
    words = next(iter(treebanks.values()))
    name = str(files.source) if parsers[0].parsed else parsers[0].path
    reference = read_reference(files, words, display_name(name))
    return GridInputs(reference, treebanks, rules, parsers, rule_sets)


def read_reference(files: GridFiles, words: Treebank, words_name: str) -> Reference:
    """Read reference orders, or build them from alignments.

    Parameters
    ----------
    files : GridFiles
    words : Treebank
        The source sentences.
    words_name : str
        Display name of the sentences.

    Raises
    ------
    InputError
        If the file is not valid or empty, or does not fit the sentences.
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
        is_named_orders = without_compression(files.reference).endswith(".orders")
        if files.kind != "auto" or (is_named_orders and error.where != location(name, 1, 1)):
            raise
        hint = f"{error.expected}; if the file holds alignments: --input=alignments"
        raise InputError(error.where, error.what, hint) from None
    if len(orders) != len(words):
        raise line_count_mismatch(name, len(orders), words_name, len(words), "sentence")
    require_segments(len(words), name)
    check_orders(orders, words, path=name)
    unlinked = UnlinkedWords.read_for(files.reference)
    if unlinked is None:
        return Reference(name, orders)
    rows = unlinked.rows(words.lengths)
    linked = np.ones(words.words, np.bool_)
    linked[np.repeat(words.offsets[:-1], rows.lengths) + rows.values] = False
    orders_with_provenance = Orders(orders.positions, orders.ranks, unlinked.provenance)
    return Reference(name, orders_with_provenance, None, linked, unlinked)


def _open_rule_sets(
    requested: Sequence[tuple[str, str]],
) -> tuple[tuple[Origin, ...], dict[str, RuleSet]]:
    """Open rule sets; each has its requested name, or else the name that its rules define.

    Rule sets without a requested name whose own names are the same are named by path.
    """

    opened = [open_rules(path) for _, path in requested]
    names = [name or rules.name for (name, _), rules in zip(requested, opened, strict=True)]
    counts = Counter(names)
    origins = _check_distinct(
        [
            Origin(name if requested_name or counts[name] == 1 else path, path)
            for name, (requested_name, path) in zip(names, requested, strict=True)
        ],
        "rule sets",
    )
    return origins, {origin.name: rules for origin, rules in zip(origins, opened, strict=True)}


def _read_trees(path: str, *, multiple_roots: bool) -> Treebank:
    """Read a treebank with one tree per sentence."""

    treebank = read_treebank(path, single_root=not multiple_roots)
    if len(treebank) and treebank.margins[0].value("rank") is not None:
        ranks = [margin.value("rank") for margin in treebank.margins]
        second = next((i for i, rank in enumerate(ranks) if rank not in (None, "1")), None)
        if second is not None:
            raise InputError(
                display_name(path),
                f"a list of trees: tree {second + 1} has # rank = {ranks[second]}",
                "one tree per sentence",
            )
    return treebank


def _check_distinct(origins: Sequence[Origin], noun: str) -> tuple[Origin, ...]:
    """Return the origins; raise a UsageError if two have the same name."""
    duplicates = [
        name for name, count in Counter(origin.name for origin in origins).items() if count > 1
    ]
    if duplicates:
        raise UsageError(
            f"two {noun} are called {duplicates[0]!r}; NAME=FILE gives it another name"
        )
    return tuple(origins)
