"""What is scored against what, and what all kinds of files that are scored have in common."""

from __future__ import annotations

import os
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import finalize

from wordorder.errors import InputError, UsageError, choose, near_names, switch, unknown_name
from wordorder.messages import counted, joined
from wordorder.options import INPUT_KINDS, OPTIONS, FileOptions, options_of, with_options
from wordorder.text.names import (
    names_and_paths,
    read_only_once,
    refuse_two_pipes,
    without_compression,
)
from wordorder.text.opening import Path, display_name

if TYPE_CHECKING:
    from wordorder.arrays import OnProgress
    from wordorder.metrics.contract import BaseMetric
    from wordorder.segments import Segments
    from wordorder.signature import Signature
    from wordorder.text.lockstep import RowSource
    from wordorder.text.raw_lines import RawLines


# A path, or lines in memory: a list, or a column of pandas, Polars or pyarrow.
Texts = Any
Systems = Path | Sequence[Path] | Mapping[str, Texts]

# What the names of files end in that say what they hold.
ORDER_SUFFIX = ".orders"

ALIGNMENT_SUFFIXES = (".align", ".talbot")


@dataclass(frozen=True, eq=False)
class StreamStart:
    """The first lines of an input that can be read only once, and the reader of those after.

    The reader is closed with it at the latest.
    """

    first: RawLines
    rest: Any

    def __post_init__(self) -> None:
        finalize(self, self.rest.close)


@dataclass(frozen=True)
@with_options
class Files(FileOptions):
    """Reference, systems and options.

    `kind` is what the files hold; auto: ``.orders``, ``.conllu``, ``.align`` and ``.talbot`` files
    say so themselves, others hold what the metrics read. The aligner matches words of translation
    and reference, ``"exact+stem"``; or it links both with the source: ``"agreement"``, which is
    trained on the source with all references and systems, or the file of a model.

    Attributes
    ----------
    reference : str
    systems : tuple of (name, path)
    held : mapping of str to RawLines
        The texts among these that are in memory, by the name used instead of a path.
    streams : mapping of str to StreamStart
        References that can be read only once and whose first lines were looked at, by their path.
    **options
        As `wordorder.options.FileOptions` declares them.
    """

    reference: str
    systems: tuple[tuple[str, str], ...]
    held: Mapping[str, RawLines] = field(default_factory=dict)
    streams: Mapping[str, StreamStart] = field(default_factory=dict)

    @classmethod
    def of(cls, reference: Texts, systems: Systems, options: Mapping[str, Any]) -> Files:
        """Take what a function was given: systems by name or ``NAME=FILE``, paths of any type.

        Reference, source and the systems of a mapping may be texts in memory, as
        `wordorder.scoring.in_memory.texts_in_memory` takes them.

        Raises
        ------
        UsageError
            If there is no such option, two systems have one name, or a value is not legal.
        InputError
            If what is in memory is no text.
        """
        legal = options_of(FileOptions)
        for name in options:
            if name not in legal:
                raise unknown_name("option", name, legal)
        choose("--input", options.get("kind", "auto"), INPUT_KINDS)
        texts = [reference, options.get("source")]
        texts += systems.values() if isinstance(systems, Mapping) else ()
        if not all(each is None or isinstance(each, (str, os.PathLike)) for each in texts):
            from wordorder.scoring.in_memory import texts_in_memory

            reference, systems, options = texts_in_memory(reference, systems, options)
        given = {name: _plain(value, name) for name, value in options.items()}
        named = named_paths(systems)
        if not named:
            raise UsageError("there are no systems")
        files = cls(os.fspath(reference), named, **given)
        if files.links != "all":
            from wordorder.alignment.alignments import check_links_option

            check_links_option(files.links)
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
        named = without_compression(path).endswith(ORDER_SUFFIX)
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

    def notation(self, *, gold: bool = False) -> dict[str, Any]:
        """How alignments are written, as `wordorder.alignment.reading` takes it."""
        return {
            "format": self.alignment_format,
            "format_option": "--alignment-format",
            "one_based": self.one_based or (gold and self.one_based_reference),
            "strict": self.strict,
            "source_name": display_name(str(self.source)),
        }

    def check_standard_input(self) -> None:
        """Raise a UsageError if standard input would be read for two files."""
        refuse_two_pipes(self.paths)

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Raise a UsageError for the first of some options that is given."""
        for name in names:
            if getattr(self, name) != getattr(type(self), name):
                raise UsageError(f"{OPTIONS[name].flags[0]} {why}")

    def check_one_each(self, name: str, what: str, wanted: int) -> None:
        """Raise a UsageError unless an option names as many files as there are systems, say."""
        count = len(getattr(self, name))
        if count != wanted:
            named = f"names {counted(count, 'file')} for {counted(wanted, what)}"
            raise UsageError(
                f"{OPTIONS[name].flags[0]} {named}; expected one per {what}, in their order"
            )


def is_bilingual(aligner: str | None) -> bool:
    """Return whether an aligner links translations with their source.

    It does if it has none of the modules that match words of one language.
    """
    if aligner is None:
        return False
    from wordorder.alignment.monolingual.candidates import MODULES

    return not set(MODULES).intersection(re.split("[+,]", aligner))


def _plain(value: Any, name: str) -> Any:
    """Return the value of an option with text for paths and a tuple for several."""
    if name == "held":
        return value
    default = getattr(Files, name)
    if isinstance(default, bool):
        return switch(name, value)
    if isinstance(default, tuple):
        return paths(value)
    if value is not default and not isinstance(value, (str, os.PathLike)):
        raise UsageError(f"{name}: {value!r}; expected a string")
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def named_paths(given: Systems) -> tuple[tuple[str, str], ...]:
    """Return name and path of each of some files, given by name or as ``NAME=FILE``.

    Raises
    ------
    UsageError
        If two have one name.
    """
    if isinstance(given, Mapping):
        names = list(map(str, given))
        if "" in names:
            raise UsageError("a system has an empty name")
        if len(set(names)) < len(names):
            twice = next(name for number, name in enumerate(names) if name in names[:number])
            raise UsageError(f"two systems are called {twice!r}: {_quoted(given, twice)}")
        return tuple(zip(names, map(os.fspath, given.values()), strict=True))
    named = tuple(names_and_paths(paths(given)))
    for _, path in named:
        if "," in path and not os.path.exists(path) and all(map(os.path.exists, path.split(","))):
            where = "`wordorder score` and `wordorder compare`, without --engine"
            raise UsageError(f"{path}: several runs of a system are for {where}")
    return named


def _quoted(given: Mapping[Any, Texts], name: str) -> str:
    return joined([repr(each) for each in given if str(each) == name])


def paths(given: Path | Iterable[Path]) -> tuple[str, ...]:
    """Return one or several paths as text."""
    some = [given] if isinstance(given, (str, os.PathLike)) else given
    try:
        return tuple(os.fspath(path) for path in some)
    except TypeError:
        raise UsageError(f"{given!r}; expected the name of a file, or a list of them") from None


Metrics = str | Sequence[str]


def make_metrics(
    given: Metrics, settings: Sequence[str], columns: set[str], tokenizer: str = "none"
) -> list[BaseMetric]:
    """Make the metrics of ``-m`` with the options of ``-O``.

    Parameters
    ----------
    given : str or sequence of str
        Names separated by commas, sums of metrics, names with options in parentheses, or "all".
    settings : sequence of str
        ``[METRIC.]KEY=VALUE``.
    columns : set of str
        What the input can serve; "all" means the metrics that need no more.
    tokenizer : str
        Of the run: metrics with a tokenizer of their own get it, unless an option chose another.

    Raises
    ------
    UsageError
        If a name, an option or a value is unknown, or an option fits none of the metrics.
    """
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options
    from wordorder.metrics.registry import is_formula, metric, metrics_for, refuse_bare_sum

    names = join_names(given)
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
        refuse_bare_sum(name)
    for setting in settings:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UsageError(f"-O={setting}: expected [METRIC.]KEY=VALUE")
        name, dot, option = key.rpartition(".")
        name = METRICS.spelling(name) if dot else name
        if dot and name not in options:
            near = near_names(name, options)
            hint = f" (did you mean {near[0]!r}?)" if near else ""
            raise UsageError(f"-O={setting}: {name!r} is not among the metrics {names}{hint}")
        takers = (
            [name] if dot else [n for n in options if option in default_options(METRICS.load(n))]
        )
        if not takers:
            known = {each for n in options for each in default_options(METRICS.load(n))}
            near = near_names(option, known)
            hint = f" (did you mean {joined(list(map(repr, near)), 'or')}?)" if near else ""
            what = f"none of the metrics {names} has an option {option!r}"
            error = UsageError(f"-O={setting}: {what}{hint}")
            error.setting = option
            raise error
        for taker in takers:
            options[taker][option] = value
    made = [metric(name, **options.get(name, {})).with_tokenizer(tokenizer) for name in wanted]
    signed: dict[Signature, str] = {}
    for each, name in zip(made, wanted, strict=True):
        other = signed.setdefault(each.signature(), name)
        if other != name:
            raise UsageError(f"-m names a metric twice: {other} and {name}")
    return made


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
    from wordorder.metrics.registry import is_plain_name, split_names

    names = [name for name in split_names(join_names(given)) if name]
    return [
        "all" if name.lower() == "all" else METRICS.spelling(name) if is_plain_name(name) else name
        for name in names
    ]


def join_names(given: Metrics) -> str:
    """Return the names of metrics as one text, separated by commas.

    Raises
    ------
    UsageError
        If they are no names.
    """
    if isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)) and all(isinstance(each, str) for each in given):
        return ",".join(given)
    raise UsageError(f'metrics: {given!r}; expected names, "frs,bleu" or ["frs", "bleu"]')


SegmentsFactory = Callable[[], "Segments"]
# What was counted in each of some files: its name, its rows, and those of them without something.
# Of the parts of a file both add up.
Counts = Sequence[tuple[str, int, int]]

# Columns that only files of their own serve.
_OWN_RUN = {
    "trees": "compares dependency trees, in a run of its own: `wordorder score GOLD.conllu "
    "-i SYS.conllu -m uas,las`",
    "gold": "compares alignments with gold alignments, in a run of its own: `wordorder score "
    "GOLD.align -i SYS.align -m aer,precision,recall`",
}


@dataclass(frozen=True)
class Inputs:
    """Open files that are read in step, and what their rows become.

    Attributes
    ----------
    sources : sequence of RowSource
        All files; messages name the first when others differ from it in length.
    names : sequence of str
        One per system.
    segments : callable
        Given the rows that were read, one part per source, and how many rows came before them,
        returns what makes the segments of each system.
    """

    sources: Sequence[RowSource]
    names: Sequence[str]
    segments: Callable[[Sequence[Any], int], list[SegmentsFactory]]


class FileKind(ABC):
    """Files of one kind: their columns, their default metrics, their options, how they open.

    Parameters
    ----------
    files : Files

    Attributes
    ----------
    name : str
    default_metrics : str
        What scores them where no metric is named.
    row : str
        What messages call a row.
    dropped : str
        What is said of words without a counterpart, ``{}`` being how many.
    orders_alone : bool
        Whether only segments with too few words to order are left out; else whatever a metric
        cannot score.
    """

    name: ClassVar[str]
    default_metrics: ClassVar[str]
    row: ClassVar[str] = "line"
    orders_alone: ClassVar[bool] = False
    dropped: str = "left out {} that only one of system and reference has"

    def __init__(self, files: Files) -> None:
        self.files = files

    @property
    @abstractmethod
    def columns(self) -> set[str]:
        """The columns of segments that these files serve."""

    @property
    def trains(self) -> bool:
        """Whether `learn` reads whole files to train on them."""
        return False

    @abstractmethod
    def check(self) -> None:
        """Raise a UsageError for an option that these files leave without effect, or half given."""

    @abstractmethod
    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open everything that the metrics read; `stack` closes it."""

    def learn(self, progress: OnProgress | None) -> None:  # noqa: B027  # most learn nothing
        """Learn from whole files what their segments need, before they are read in step."""

    def check_metrics(self, metrics: Sequence[BaseMetric]) -> None:
        """Raise a UsageError that names what a metric lacks."""
        for metric in metrics:
            if missing := set(metric.columns) - self.columns:
                raise UsageError(f"{metric.name} {self.lacking(missing)}")

    def lacking(self, missing: set[str]) -> str:
        """Say of a metric why these files do not have the columns that it misses."""
        return next((why for column, why in _OWN_RUN.items() if column in missing), "")

    def with_hint(self, error: InputError) -> InputError:
        """Return the error, with a hint at its probable cause."""
        return error

    def counts(self, inputs: Inputs) -> Counts:
        """Return the counts of rows without a link, after the files have been read."""
        return []

    def note_counts(self, counts: Counts) -> None:  # noqa: B027  # most kinds have no counts
        """Note the rows without a link."""
