"""The inputs of an evaluation, and the base class of the kinds of files that can be scored."""

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

# Suffixes of file names that determine the format.
ORDER_SUFFIX = ".orders"
ALIGNMENT_SUFFIXES = (".align", ".talbot")

Metrics = str | Sequence[str]

SegmentsFactory = Callable[[], "Segments"]
# For each file: its name, its number of rows, and how many of them have no link. Counts of the
# parts of a file are added.
Counts = Sequence[tuple[str, int, int]]

# Columns that need a run with files of their own.
_SEPARATE_RUNS = {
    "trees": "compares dependency trees, in a run of its own: `wordorder score GOLD.conllu "
    "-i SYS.conllu -m uas,las`",
    "gold": "compares alignments with gold alignments, in a run of its own: `wordorder score "
    "GOLD.align -i SYS.align -m aer,precision,recall`",
}


@dataclass(frozen=True, eq=False)
class StreamStart:
    """The first lines of an input that can be read only once, and a reader of the following lines.

    The reader is closed when the object is deleted, if not before.
    """

    first: RawLines
    rest: Any

    def __post_init__(self) -> None:
        finalize(self, self.rest.close)


@dataclass(frozen=True)
@with_options
class Files(FileOptions):
    """The reference and the systems of an evaluation, with options.

    `kind` is the format of the files. With "auto" it is determined by the suffixes ``.orders``,
    ``.conllu``, ``.align`` and ``.talbot``, otherwise by the columns that the metrics read. The
    aligner matches words of translation and reference, ``"exact+stem"``; or it links both with the
    source: ``"agreement"``, which is trained on the source with all references and systems, or the
    file of a model.

    Attributes
    ----------
    reference : str
    systems : tuple of (name, path)
    held : mapping of str to RawLines
        Texts in memory, by the name that takes the place of a path.
    streams : mapping of str to StreamStart
        References that can be read only once and whose first lines have been read, by path.
    **options
        See `wordorder.options.FileOptions`.
    """

    reference: str
    systems: tuple[tuple[str, str], ...]
    held: Mapping[str, RawLines] = field(default_factory=dict)
    streams: Mapping[str, StreamStart] = field(default_factory=dict)

    @classmethod
    def of(cls, reference: Texts, systems: Systems, options: Mapping[str, Any]) -> Files:
        """Check the arguments of a public function: systems by name or ``NAME=FILE``, any paths.

        Reference, source and the systems of a mapping may be texts in memory; see
        `wordorder.scoring.in_memory.texts_in_memory`.

        Raises
        ------
        UsageError
            If an option is unknown, two systems have one name, or a value is not valid.
        InputError
            If an object in memory is not a text.
        """
        valid_options = options_of(FileOptions)
        for name in options:
            if name not in valid_options:
                raise unknown_name("option", name, valid_options)
        choose("--input", options.get("kind", "auto"), INPUT_KINDS)
        texts = [reference, options.get("source")]
        texts += systems.values() if isinstance(systems, Mapping) else ()
        if not all(text is None or isinstance(text, (str, os.PathLike)) for text in texts):
            from wordorder.scoring.in_memory import texts_in_memory

            reference, systems, options = texts_in_memory(reference, systems, options)
        values = {name: _check_value(value, name) for name, value in options.items()}
        named_systems = named_paths(systems)
        if not named_systems:
            raise UsageError("there are no systems")
        files = cls(os.fspath(reference), named_systems, **values)
        if files.links != "all":
            from wordorder.alignment.alignments import check_links_option

            check_links_option(files.links)
        return files

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [name for name, _ in self.systems]

    @property
    def system_paths(self) -> list[str]:
        """The files of the systems."""
        return [path for _, path in self.systems]

    @property
    def compares_alignments(self) -> bool:
        """Whether there are files of alignments between source and translations."""
        return bool(self.hypothesis_alignments or self.reference_alignments)

    @property
    def makes_orders(self) -> bool:
        """Whether word orders are derived from translations."""
        return self.aligner is not None or self.compares_alignments

    def is_reordered_text(self, path: str) -> bool:
        """Return whether a system, scored against orders or alignments, is reordered source text.

        Raises
        ------
        UsageError
            If it is and there is no source.
        """
        has_orders = without_compression(path).endswith(ORDER_SUFFIX)
        has_source = self.source is not None
        if self.kind == "text" or (self.kind == "auto" and has_source and not has_orders):
            if self.source is None:
                raise UsageError(f"{path}: reordered text needs --source")
            return True
        return False

    def check_readings(self, readings: int) -> None:
        """Raise a UsageError if the source can be read only once, and there are more readings."""
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
        """Return the options of `wordorder.alignment.reading` for the notation of alignments."""
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
        """Raise a UsageError for the first of some options that has another value than default."""
        for name in names:
            if getattr(self, name) != getattr(type(self), name):
                raise UsageError(f"{OPTIONS[name].flags[0]} {why}")

    def check_one_each(self, name: str, noun: str, expected_count: int) -> None:
        """Raise a UsageError unless an option names one file per system, or per `noun`."""
        count = len(getattr(self, name))
        if count != expected_count:
            counts = f"names {counted(count, 'file')} for {counted(expected_count, noun)}"
            raise UsageError(
                f"{OPTIONS[name].flags[0]} {counts}; expected one per {noun}, in their order"
            )


def is_bilingual(aligner: str | None) -> bool:
    """Return whether an aligner links translations with their source.

    All aligners do except those with modules that match words of one language.
    """
    if aligner is None:
        return False
    from wordorder.alignment.monolingual.candidates import MODULES

    return not set(MODULES).intersection(re.split("[+,]", aligner))


def _check_value(value: Any, name: str) -> Any:
    """Return the value of an option: a bool, a string, or a tuple of strings; paths are strings."""
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


def named_paths(systems: Systems) -> tuple[tuple[str, str], ...]:
    """Return the name and path of each system, from a mapping or from ``NAME=FILE``.

    Raises
    ------
    UsageError
        If two systems have one name.
    """
    if isinstance(systems, Mapping):
        names = list(map(str, systems))
        if "" in names:
            raise UsageError("a system has an empty name")
        if len(set(names)) < len(names):
            repeated = next(name for index, name in enumerate(names) if name in names[:index])
            keys = joined([repr(key) for key in systems if str(key) == repeated])
            raise UsageError(f"two systems are called {repeated!r}: {keys}")
        return tuple(zip(names, map(os.fspath, systems.values()), strict=True))
    pairs = tuple(names_and_paths(paths(systems)))
    for _, path in pairs:
        if "," in path and not os.path.exists(path) and all(map(os.path.exists, path.split(","))):
            commands = "`wordorder score` and `wordorder compare`, without --engine"
            raise UsageError(f"{path}: several runs of a system are for {commands}")
    return pairs


def paths(value: Path | Iterable[Path]) -> tuple[str, ...]:
    """Return one or several paths as strings."""
    path_list = [value] if isinstance(value, (str, os.PathLike)) else value
    try:
        return tuple(os.fspath(path) for path in path_list)
    except TypeError:
        raise UsageError(f"{value!r}; expected the name of a file, or a list of them") from None


def make_metrics(
    metrics: Metrics, settings: Sequence[str], columns: set[str], tokenizer: str = "none"
) -> list[BaseMetric]:
    """Create the metrics of ``-m`` with the options of ``-O``.

    Parameters
    ----------
    metrics : str or sequence of str
        Names separated by commas, sums of metrics, names with options in parentheses, or "all".
    settings : sequence of str
        ``[METRIC.]KEY=VALUE``.
    columns : set of str
        The columns of the input; "all" stands for the metrics that read only these.
    tokenizer : str
        The tokenizer of the run, which metrics with a tokenizer of their own use too, unless an
        option names another.

    Raises
    ------
    UsageError
        If a name, an option or a value is unknown, or no metric has an option.
    """
    from wordorder.metrics.registry import is_formula, metric, metrics_for, refuse_bare_sum

    names = join_names(metrics)
    requested = metric_names(metrics)
    if "all" in requested:
        available = metrics_for(columns)
        requested = [*available, *(n for n in requested if n not in ("all", *available))]
    if not requested:
        raise UsageError("-m names no metric")
    if len(set(requested)) < len(requested):
        raise UsageError(f"-m names a metric twice: {names}")
    # Sums, and metrics with options in parentheses, have no options in `settings`.
    complete = {name for name in requested if "(" in name or is_formula(name)}
    options: dict[str, dict[str, str]] = {n: {} for n in requested if n not in complete}
    for name in options:
        refuse_bare_sum(name)
    for setting in settings:
        _assign_setting(setting, options, names)
    created = [metric(n, **options.get(n, {})).with_tokenizer(tokenizer) for n in requested]
    name_of: dict[Signature, str] = {}
    for new_metric, name in zip(created, requested, strict=True):
        first_name = name_of.setdefault(new_metric.signature(), name)
        if first_name != name:
            raise UsageError(f"-m names a metric twice: {first_name} and {name}")
    return created


def _assign_setting(setting: str, options: dict[str, dict[str, str]], names: str) -> None:
    """Add ``[METRIC.]KEY=VALUE`` to the options of one metric, or of all that have this option."""
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options

    key, equals, value = setting.partition("=")
    if not equals:
        raise UsageError(f"-O={setting}: expected [METRIC.]KEY=VALUE")
    name, dot, option = key.rpartition(".")
    name = METRICS.spelling(name) if dot else name
    if dot and name not in options:
        near = near_names(name, options)
        hint = f" (did you mean {near[0]!r}?)" if near else ""
        raise UsageError(f"-O={setting}: {name!r} is not among the metrics {names}{hint}")
    option_names = {n: default_options(METRICS.load(n)) for n in options} if not dot else {}
    metrics = [name] if dot else [n for n, known in option_names.items() if option in known]
    if not metrics:
        near = near_names(option, {known for of in option_names.values() for known in of})
        hint = f" (did you mean {joined(list(map(repr, near)), 'or')}?)" if near else ""
        problem = f"none of the metrics {names} has an option {option!r}"
        error = UsageError(f"-O={setting}: {problem}{hint}")
        error.setting = option
        raise error
    for metric_name in metrics:
        options[metric_name][option] = value


def leaves_open(metrics: Metrics) -> bool:
    """Return whether the metrics depend on the files: none or "all" is named by ``-m``."""
    return not metrics or "all" in metric_names(metrics)


def metric_names(metrics: Metrics) -> list[str]:
    """Return the names in ``-m``, in their registered spelling, and "all".

    Examples
    --------
    >>> metric_names("BLEU,0.5*TER+0.5*PER, All")
    ['bleu', '0.5*TER+0.5*PER', 'all']
    """
    from wordorder.metrics import METRICS
    from wordorder.metrics.registry import is_plain_name, split_names

    names = [name for name in split_names(join_names(metrics)) if name]
    return [
        "all" if name.lower() == "all" else METRICS.spelling(name) if is_plain_name(name) else name
        for name in names
    ]


def join_names(metrics: Metrics) -> str:
    """Return the names of metrics as one string, separated by commas.

    Raises
    ------
    UsageError
        If `metrics` is neither a string nor a list of strings.
    """
    if isinstance(metrics, str):
        return metrics
    if isinstance(metrics, (list, tuple)) and all(isinstance(name, str) for name in metrics):
        return ",".join(metrics)
    raise UsageError(f'metrics: {metrics!r}; expected names, "frs,bleu" or ["frs", "bleu"]')


@dataclass(frozen=True)
class Inputs:
    """Open files that are read row by row in parallel, with a function that builds segments.

    Attributes
    ----------
    sources : sequence of RowSource
        All files. If numbers of rows differ, the message names the first file and the other one.
    names : sequence of str
        The name of each system.
    segments : callable
        Called with the rows of a chunk, one part per source, and the number of rows before them;
        returns one function per system that builds its segments.
    """

    sources: Sequence[RowSource]
    names: Sequence[str]
    segments: Callable[[Sequence[Any], int], list[SegmentsFactory]]


class FileKind(ABC):
    """A kind of files: checks their options, opens them and knows the columns that they have.

    Parameters
    ----------
    files : Files

    Attributes
    ----------
    name : str
    default_metrics : str
        The metrics that are used if none is named.
    row : str
        The noun for a row in messages.
    dropped : str
        The note on words that only one of system and reference has, with ``{}`` for their number.
    orders_alone : bool
        Whether segments are left out only if they have too few words to order.
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
        """The columns of segments that can be built from these files."""

    @property
    def trains(self) -> bool:
        """Whether `learn` trains a model on the complete files."""
        return False

    @abstractmethod
    def check(self) -> None:
        """Raise a UsageError for options without an effect on these files, or without another."""

    @abstractmethod
    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open all files that the metrics need; `stack` closes them."""

    def learn(self, progress: OnProgress | None) -> None:  # noqa: B027  # most do not train
        """Train or load a model that building the segments needs, before rows are read."""

    def check_metrics(self, metrics: Sequence[BaseMetric]) -> None:
        """Raise a UsageError for the first metric that needs columns which are missing."""
        for metric in metrics:
            if missing := set(metric.columns) - self.columns:
                raise UsageError(f"{metric.name} {self.explain_missing(missing)}")

    def explain_missing(self, missing: set[str]) -> str:
        """Return the rest of a sentence about a metric that needs the missing columns."""
        return next((text for column, text in _SEPARATE_RUNS.items() if column in missing), "")

    def with_hint(self, error: InputError) -> InputError:
        """Return the error, with a hint at its probable cause."""
        return error

    def counts(self, inputs: Inputs) -> Counts:
        """Return the counts of rows without a link, after the files have been read."""
        return []

    def note_counts(self, counts: Counts) -> None:  # noqa: B027  # most kinds have no counts
        """Note the rows without a link."""
