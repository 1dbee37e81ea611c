"""What is scored against what, and how files are read: the inputs of `score` and `compare`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError, choose, unknown_name
from wordorder.text.compression import without_compression
from wordorder.text.names import names_and_paths, read_only_once
from wordorder.text.opening import Path

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric


Systems = Path | Sequence[Path] | Mapping[str, Path]

KINDS = ("auto", "orders", "text", "conllu", "alignments")

# What the names of files end in that say what they hold.
ORDERS = ".orders"

ALIGNED = (".align", ".talbot")

# Options that say how translations become words and orders, by the names of `Files`.
TEXT = ("references", "empty_references", "tokenizer", "lowercase", "normalization")

ALIGNER = ("aligner", "language", "synonyms", "paraphrases")

ALIGNMENTS = ("hypothesis_alignments", "reference_alignments", "rule", "unaligned", "links")

NOTATION = ("alignment_format", "one_based", "one_based_reference", "strict")

# Options of the command line that are not called like their field.
_OPTIONS = {
    "references": "-r",
    "normalization": "--normalize",
    "hypothesis_alignments": "--hypothesis-alignment",
    "reference_alignments": "--reference-alignment",
}


@dataclass(frozen=True)
class Files:
    """Reference, systems and options.

    Attributes
    ----------
    reference : str
    systems : tuple of (name, path)
    kind : "auto", "orders", "text", "conllu" or "alignments"
        What the files hold; auto: ``.orders``, ``.conllu``, ``.align`` and ``.talbot`` files say so
        themselves, others hold what the metrics read.
    source : str, optional
        The source text.
    references : tuple of str
        Further reference translations.
    empty_references : "count" or "none"
        Whether an empty line is a reference without words, or no reference.
    tokenizer, lowercase, normalization
        How text becomes words, as in `Preparation`.
    aligner : str, optional
        Modules that match words of translation and reference: ``"exact+stem"``; or a bilingual
        aligner that links both with the source: ``"agreement"``, which is trained on the source
        with all references and systems, or the file of a model.
    language, synonyms, paraphrases
        What the modules need, as in `MonolingualAligner`.
    hypothesis_alignments, reference_alignments : tuples of str
        Alignments of the source with each system and with each reference.
    rule, unaligned : str
        How alignments become orders, as in `reference_orders`.
    links : "all" or "sure"
        Whether links that are only possible count.
    alignment_format, one_based
        How alignments are written, as in `read_alignments`.
    one_based_reference : bool
        Whether only the alignments of the reference, or gold ones, count from 1.
    strict : bool
        Whether links that are listed twice are refused.
    multiple_roots : bool
        Whether sentences of gold trees may have several roots; those of systems always may.
    """

    reference: str
    systems: tuple[tuple[str, str], ...]
    kind: str = "auto"
    source: str | None = None
    references: tuple[str, ...] = ()
    empty_references: str = "count"
    tokenizer: str = "none"
    lowercase: bool = False
    normalization: str = "none"
    aligner: str | None = None
    language: str = "en"
    synonyms: str | None = None
    paraphrases: str | None = None
    hypothesis_alignments: tuple[str, ...] = ()
    reference_alignments: tuple[str, ...] = ()
    rule: str = "lrscore"
    unaligned: str | None = None
    links: str = "all"
    alignment_format: str = "auto"
    one_based: bool = False
    one_based_reference: bool = False
    strict: bool = False
    multiple_roots: bool = False

    @classmethod
    def of(cls, reference: Path, systems: Systems, options: Mapping[str, Any]) -> Files:
        """Take what a function was given: systems by name or ``NAME=FILE``, paths of any type.

        Raises
        ------
        UsageError
            If there is no such option, two systems have one name, or a value is not legal.
        """
        legal = [field.name for field in fields(cls)][2:]
        for name in options:
            if name not in legal:
                raise unknown_name("option", name, legal)
        given = {name: _plain(value, name) for name, value in options.items()}
        named = named_paths(systems)
        if not named:
            raise UsageError("there are no systems")
        files = cls(os.fspath(reference), named, **given)
        choose("--input", files.kind, KINDS)
        choose("--links", files.links, ("all", "sure"))
        return files

    @property
    def names(self) -> list[str]:
        """What the systems are called."""
        return [name for name, _ in self.systems]

    @property
    def system_paths(self) -> list[str]:
        """The files of the systems."""
        return [path for _, path in self.systems]

    @property
    def compares_alignments(self) -> bool:
        """Whether source and translations are aligned by files."""
        return bool(self.hypothesis_alignments or self.reference_alignments)

    @property
    def makes_orders(self) -> bool:
        """Whether word orders are made of translations."""
        return self.aligner is not None or self.compares_alignments

    def is_reordered_text(self, path: str) -> bool:
        """Return whether a system beside orders or alignments is given as reordered source lines.

        Raises
        ------
        UsageError
            If it is and there is no source.
        """
        named = without_compression(path).endswith(ORDERS)
        if self.kind == "text" or (self.kind == "auto" and self.source is not None and not named):
            if self.source is None:
                raise UsageError(f"{path}: reordered text needs --source")
            return True
        return False

    def check_readings(self, readings: int) -> None:
        """Raise a UsageError if the source can be read once and would be several times."""
        if self.source is not None and read_only_once(self.source) and readings > 1:
            raise UsageError("--source is read more than once here: it must be a file")

    @property
    def paths(self) -> list[str | None]:
        """All files that are read."""
        return [
            *(self.reference, *self.references, *self.system_paths, self.source),
            *(*self.hypothesis_alignments, *self.reference_alignments),
        ]

    def check_standard_input(self) -> None:
        """Raise a UsageError if standard input would be read for two files."""
        if self.paths.count("-") > 1:
            raise UsageError('only one input can be standard input ("-")')

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Raise a UsageError for the first of some options that is given."""
        for name in names:
            if getattr(self, name) != getattr(type(self), name):
                raise UsageError(f"{_option(name)} {why}")

    def check_one_each(self, name: str, what: str, wanted: int) -> None:
        """Raise a UsageError unless an option names as many files as there are systems, say."""
        count = len(getattr(self, name))
        if count != wanted:
            raise UsageError(
                f"{_option(name)} names {count} {'file' if count == 1 else 'files'} for {wanted} "
                f"{what if wanted == 1 else what + 's'}; expected one a {what}, in their order"
            )


def is_bilingual(aligner: str | None) -> bool:
    """Return whether an aligner links translations with their source.

    It does if it has none of the modules that match words of one language.
    """
    if aligner is None:
        return False
    from wordorder.alignment.monolingual.candidates import MODULES

    return not set(MODULES).intersection(re.split("[+,]", aligner))


def _option(name: str) -> str:
    """Return what the command line calls a field."""
    return _OPTIONS.get(name) or f"--{name.replace('_', '-')}"


def _plain(value: Any, name: str) -> Any:
    """Return the value of an option with text for paths and a tuple for several."""
    if isinstance(getattr(Files, name), tuple):
        return paths(value)
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def named_paths(given: Systems) -> tuple[tuple[str, str], ...]:
    """Return name and path of each of some files, given by name or as ``NAME=FILE``.

    Raises
    ------
    UsageError
        If two have one name.
    """
    if isinstance(given, Mapping):
        return tuple((name, os.fspath(path)) for name, path in given.items())
    return tuple(names_and_paths(paths(given)))


def paths(given: Path | Iterable[Path]) -> tuple[str, ...]:
    """Return one or several paths as text."""
    some = [given] if isinstance(given, (str, os.PathLike)) else given
    return tuple(os.fspath(path) for path in some)


Metrics = str | Sequence[str]


def make_metrics(given: Metrics, settings: Sequence[str], columns: set[str]) -> list[BaseMetric]:
    """Make the metrics of ``-m`` with the options of ``-O``.

    Parameters
    ----------
    given : str or sequence of str
        Names separated by commas, sums of metrics, names with options in parentheses, or "all".
    settings : sequence of str
        ``[METRIC.]KEY=VALUE``.
    columns : set of str
        What the input can serve; "all" means the metrics that need no more.

    Raises
    ------
    UsageError
        If a name, an option or a value is unknown, or an option fits none of the metrics.
    """
    from wordorder.metrics import METRICS, metric, metrics_for
    from wordorder.metrics.contract import defaults
    from wordorder.metrics.mix import is_formula, named_metric

    names = joined_names(given)
    wanted = metric_names(given)
    if "all" in wanted:
        served = metrics_for(columns)
        wanted = [*served, *(name for name in wanted if name not in ("all", *served))]
    if not wanted:
        raise UsageError("-m names no metric")
    if len(set(wanted)) < len(wanted):
        raise UsageError(f"-m names a metric twice: {names}")
    written_out = {name for name in wanted if "(" in name or is_formula(name)}
    options: dict[str, dict[str, str]] = {n: {} for n in wanted if n not in written_out}
    for name in options:
        _refuse_bare_sum(name)
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"-O={setting}: expected [METRIC.]KEY=VALUE")
        name, dot, option = key.rpartition(".")
        name = METRICS.spelling(name) if dot else name
        if dot and name not in options:
            raise UsageError(f"-O={setting}: {name!r} is not among the metrics {names}")
        takers = [name] if dot else [n for n in options if option in defaults(METRICS.load(n))]
        if not takers:
            raise UsageError(f"-O={setting}: none of the metrics {names} has an option {option!r}")
        for taker in takers:
            options[taker][option] = value
    made: list[BaseMetric] = []
    for name in wanted:
        if is_formula(name):
            made.append(metric("mix", formula=name))
        elif name in written_out:
            made.append(named_metric(name))
        else:
            made.append(metric(name, **options[name]))
    return made


def _refuse_bare_sum(name: str) -> None:
    """Raise a UsageError for metrics that are joined by signs without their weights."""
    members = name.split("+")
    if len(members) < 2:
        return
    from wordorder.metrics import METRICS

    legal = METRICS.names()
    if name not in legal and all(METRICS.spelling(m.strip()) in legal for m in members):
        weighted = "+".join(f"1*{member.strip()}" for member in members)
        raise UsageError(f"-m={name}: the metrics of a sum have weights: {weighted}")


def leaves_open(given: Metrics) -> bool:
    """Return whether ``-m`` leaves it to the files which metrics there are."""
    return not given or "all" in metric_names(given)


def metric_names(given: Metrics) -> list[str]:
    """Return what ``-m`` names, one by one: plain names as they are registered, and "all".

    Examples
    --------
    >>> metric_names("BLEU,0.5*TER+0.5*PER, All")
    ['bleu', '0.5*TER+0.5*PER', 'all']
    """
    from wordorder.metrics import METRICS
    from wordorder.metrics.mix import is_plain_name, split_names

    names = [name for name in split_names(joined_names(given)) if name]
    known = ["all" if name.lower() == "all" else name for name in names]
    return [
        METRICS.spelling(name) if name != "all" and is_plain_name(name) else name for name in known
    ]


def joined_names(given: Metrics) -> str:
    """Return the names of metrics as one text, separated by commas."""
    return given if isinstance(given, str) else ",".join(given)
