"""Options that several commands share, and the callbacks and helpers behind them."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.command import (
    combine_options,
    declared_options,
    option,
    possible_files,
    refuse,
    setting,
)
from wordorder.cli.messages import OUTPUT_KEY, print_message, write_result
from wordorder.errors import UsageError
from wordorder.options import (
    ALIGNED_KINDS,
    AlignedOptions,
    AlignerOptions,
    GoldNotationOptions,
    InputOptions,
    LinkOptions,
    MetricOptions,
    NotationOptions,
    RootOptions,
    RuleOptions,
    SourceOptions,
    TranslationOptions,
    TreeOptions,
    WordOptions,
)
from wordorder.text.names import with_column

if TYPE_CHECKING:
    from wordorder.drawing.figure import Figure
    from wordorder.parsing.epochs import LearningCurve
    from wordorder.scale.line_output import Span


Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

# The formats of `wordorder.report.document.Output`.
FORMATS = ("text", "json", "tsv", "markdown", "latex")
TAGGERS = ("perceptron", "tnt", "none")
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)

# Parameters that do not name input files: outputs, and the title of a report.
NOT_INPUTS = (
    "documents",
    "output",
    "orders",
    "alignment_output",
    "save",
    "html",
    "report",
    "title",
)


def input_reading_options(function: Function) -> Function:
    """Add the options on how the text of IN is read: ``--input`` and ``--tokenizer``."""
    return combine_options(
        option(
            "--input {auto,conllu,text}",
            "Format of IN; auto: conllu for .conllu files, others are detected by content.",
            title="Systems and files",
            name="kind",
            default="auto",
        ),
        tokenizer_option("IN"),
    )(function)


def tokenizer_option(input_name: str) -> Callable[[Function], Function]:
    """Return ``--tokenizer`` for raw text or words between spaces."""
    return option(
        "--tokenizer {auto,none,model,english}",
        f"How {input_name} is split into words. none: at spaces; model: raw text, as in the "
        "treebank that MODEL was trained on; english: raw English; auto: at spaces, or by MODEL "
        "if it is Japanese or Chinese without spaces.",
        title="Words of translations",
        name="tokenize",
        default="auto",
    )


def _set_threads(_: click.Context, __: click.Parameter, thread_count: int | None) -> None:
    if thread_count is not None:
        from wordorder.kernels import set_threads

        set_threads(thread_count)


def _store_output(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if path not in (None, "-"):
        ctx.meta[OUTPUT_KEY] = path


seed_option = option(
    "--seed N", "The seed of the random choices.", title="Learning", min_value=0, default=12345
)
# The seed of resampling.
test_seed_option = combine_options(seed_option, title="Intervals and tests")
threads_option = option(
    "--threads N",
    "Number of threads; results do not depend on it. [default: all cores]",
    title="Long and large jobs",
    min_value=1,
    expose_value=False,
    callback=_set_threads,
)
form_option = option(
    "--format",
    "Format of the result.",
    title="Results",
    choices=FORMATS,
    name="form",
    default="text",
)
# For commands that print a result by `wordorder.cli.messages.print_result`.
format_option = combine_options(
    form_option,
    option(
        "-o --output FILE",
        "Where the result goes. [default: stdout]",
        title="Results",
        expose_value=False,
        callback=_store_output,
    ),
)
output_option = option(
    "-o --output FILE", "Where the result goes. [default: stdout]", title="Results", default="-"
)
level_option = option(
    "--level P",
    "Confidence level of the intervals.",
    title="Intervals and tests",
    type=SHARE,
    default=0.95,
)
resamples_option = option(
    "--resamples N",
    "Number of resamples. [default: 1000; 10000 for tests by randomization]",
    title="Intervals and tests",
    min_value=1,
)
interval_options = combine_options(level_option, resamples_option, test_seed_option)
metric_option = declared_options(MetricOptions)
order_metric_option = option(
    "-m --metrics NAME",
    'A metric of orders; "frs(ties=rank)" gives it options. [default: frs]',
    title="Metrics",
    name="metric",
)
test_option = option(
    "--test {auto,bootstrap,randomization}",
    "Paired bootstrap resampling (Koehn 2004) or approximate randomization. auto: the bootstrap, "
    "with p-values by randomization for fewer than 100 segments. With more than 100,000 segments "
    "the sums of 4,096 random buckets are resampled, and the signature says so.",
    title="Intervals and tests",
    default="auto",
)
# For `score`, `compare` and `analyze`.
document_options = combine_options(
    option(
        "--by {segment,document}",
        "What intervals and tests resample: segments, or whole documents, whose segments are not "
        "independent.",
        default="segment",
    ),
    option(
        "--documents FILE",
        "For --by document: the name of each segment's document, one per line, or FILE#COLUMN of a "
        "table. [default: the column document of REFERENCE]",
    ),
    title="Intervals and tests",
)
multiple_roots_option = declared_options(RootOptions)
resume_options = combine_options(
    option("--resume", "Continue from the checkpoint of an interrupted run."),
    setting("--restart", "Start from scratch even if there is a checkpoint."),
    title="Long and large jobs",
)


def order_metric_options(default: str) -> Callable[[Function], Function]:
    """Return ``-m`` and ``-O`` for metrics of orders: the parameters `metrics` and `settings`."""
    return combine_options(
        option(
            "-m --metrics NAMES",
            'Metrics of orders, separated by commas; "all" for every fast one. '
            f"[default: {default}]",
            title="Metrics",
            multiple=True,
        ),
        metric_option,
    )


def words_option(name: str) -> Callable[[Function], Function]:
    """Return ``--words`` for a parameter of this name."""
    return option(
        "--words {common,own}",
        "Words on which order metrics compare two translations. common: the reference words that "
        "both match, so that no system gains by leaving words out; own: the words that each "
        "matches.",
        title="What is shown",
        default="common",
        name=name,
    )


# Words and matches of translations, for one data set and for several.
word_options = declared_options(WordOptions, AlignerOptions)
set_word_options = declared_options(
    WordOptions,
    AlignerOptions,
    tokenizer={
        "usage": "--tokenizer [PAIR=]NAME",
        "help": "auto, none or one of sacreBLEU's, as in score. Separated by commas, one for each "
        'language pair or target language: "13a,zh=zh,en-ja=ja-mecab".',
        "choices": None,
    },
)
# For alignments that do not become orders, or by a rule with a default of its own.
ALL_LINKS = {"default": "all"}
counting_option = declared_options(LinkOptions, links=ALL_LINKS)
notation_options = declared_options(NotationOptions)
# How the texts and alignments of systems and references are read.
text_options = declared_options(
    TranslationOptions, NotationOptions, RootOptions, GoldNotationOptions
)

# Content of REFERENCE, and how alignments become orders.
reference_options = declared_options(
    AlignedOptions,
    kind={
        "help": "Content of REFERENCE; auto: alignments for .align and .talbot files, orders for "
        "others.",
        "choices": ALIGNED_KINDS,
    },
)
# Trees and rules, and the source text of the trees.
tree_and_rule_options = declared_options(
    TreeOptions,
    SourceOptions,
    RuleOptions,
    source={
        "help": "The source sentences, tokenised (or CoNLL-U), for --parser. With --trees alone "
        "it must have the same number of sentences; analyze shows its lines."
    },
)


def column_option(function: Function) -> Function:
    """Add ``--column``: the column of tables whose file name has no ``#COLUMN``."""

    @option(
        "--column NAME",
        "The column of .parquet and .jsonl files that are given without one; FILE#NAME names "
        "the column of one file.",
        title="Systems and files",
    )
    @functools.wraps(function)
    def with_columns(*args: Any, column: str | None, **options: Any) -> Any:
        if column is not None:
            inputs = {name: value for name, value in options.items() if name not in NOT_INPUTS}
            named_options = {name: _add_column(value, column) for name, value in inputs.items()}
            if named_options == inputs:
                accepted_names = ".parquet and .jsonl files that are given without a column"
                raise UsageError(f"--column is for {accepted_names}, and there is none")
            options |= named_options
        return function(*args, **options)

    return with_columns  # type: ignore[return-value]  # the same, with one more option


def _add_column(value: Any, column: str) -> Any:
    """Return the value of an option with ``#COLUMN`` added to each name of a table."""
    if isinstance(value, tuple):
        return tuple(_add_column(item, column) for item in value)
    return with_column(value, column) if isinstance(value, str) else value


# Reference, systems, metrics and their options, of `score` and `compare`.
system_options = combine_options(
    click.argument("reference"),
    option(
        "-i --system SYSTEM ...",
        "Systems, of the same kind as REFERENCE: translations, orders, reordered source lines "
        "(with --source), alignments or treebanks; NAME=FILE names one, NAME=FILE,FILE several "
        "runs of one.",
        title="Systems and files",
        name="inputs",
        callback=lambda ctx, _, systems: _require_systems(ctx, systems),
    ),
    option(
        "-m --metrics NAMES",
        'Metrics, separated by commas; also sums, "0.6*cder+0.4*per", and options, '
        '"cder(penalty=length)"; "all" for every fast one that the input serves. [default: '
        "frs,kendall for orders, frs,cder,bleu for text, aer,precision,recall for alignments, "
        "uas,las for .conllu]",
        title="Metrics",
        multiple=True,
    ),
    metric_option,
    declared_options(SourceOptions, InputOptions),
    column_option,
    text_options,
    resamples_option,
    test_seed_option,
    threads_option,
    format_option,
)


def piped_input() -> tuple[str, ...]:
    """Return ("-",), standard input as the only system, if it is a pipe or a file; else ()."""
    try:
        # Terminals and /dev/null are character devices.
        return () if stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode) else ("-",)
    except (AttributeError, OSError, ValueError):
        return ()


def _require_systems(ctx: click.Context, systems: tuple[str, ...]) -> tuple[str, ...]:
    systems_or_input = systems if systems or ctx.resilient_parsing else piped_input()
    if not systems_or_input and not ctx.resilient_parsing:
        raise UsageError("there is no system: -i FILE names one, or pipe it into the command")
    return systems_or_input


@dataclass(frozen=True)
class Engine:
    """The engine that distributes the work, from the options.

    Attributes
    ----------
    name : str
        A name of `wordorder.scale.engines.ENGINES`.
    address, state : str, optional
    plan : bool
        Whether to print the plan only.
    """

    name: str
    address: str | None
    state: str | None
    plan: bool

    @property
    def place(self) -> dict[str, Any]:
        """The engine as arguments of the functions of `wordorder.scale`."""
        return {"engine": self.name, "address": self.address, "state": self.state}


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine`` and its settings; the parameter `engine` is an `Engine` or None."""

    @option(
        "--engine {local,dask,ray,spark}",
        "Distribute the work in spans of the files; local: to processes of this machine. "
        "The result is the same.",
        title="Long and large jobs",
    )
    @setting(
        "--address ADDRESS",
        "Where the --engine runs: tcp://HOST:8786 (dask), HOST:6379 (ray), spark://HOST:7077. "
        "[default: workers are started here, one per thread]",
    )
    @setting(
        "--state DIR",
        "Store the finished spans of --engine in this folder; the same command continues there.",
    )
    @setting("--plan", "Print the spans of --engine and their estimated cost, and exit.")
    @functools.wraps(function)
    def with_engine(
        *args: Any,
        engine: str | None,
        address: str | None,
        state: str | None,
        plan: bool,
        **options: Any,
    ) -> Any:
        if engine is None:
            refuse(("address", "state", "plan"), "is for --engine")
        chosen_engine = None if engine is None else Engine(engine, address, state, plan)
        return function(*args, engine=chosen_engine, **options)

    return with_engine


def print_plan(spans: list[Span]) -> None:
    """Print spans and the estimated cost."""
    from wordorder.scale.plan import Plan

    write_result(Plan.of(spans).to_text())


def run_or_distribute(
    engine: Engine | None,
    command: str,
    function: Callable[..., Result],
    options: dict[str, Any],
    result: Callable[..., Any] = dict,
) -> Result | None:
    """Run `function`, or its command on an engine, whose counts become keywords of `result`.

    Returns None if only the plan was printed.
    """
    if engine is None:
        return function(**options)
    from wordorder.scale import engines, file_commands

    if engine.plan:
        engines.check_engine(engine.name, engine.address)
        print_plan(file_commands.file_spans(command, options, "."))
        return None
    merged: Result = result(**file_commands.write_on_engine(command, options, **engine.place))
    return merged


def _check_folder(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    """Raise a UsageError, before the work, if figures cannot be written to this folder."""
    if folder is None:
        return None
    if folder == "-":
        raise UsageError("--figures needs a folder: standard output has the tables")
    from wordorder.drawing.figure import require_matplotlib
    from wordorder.text.output import require_folder

    require_matplotlib()
    require_folder(folder)
    return folder


figures_option = option(
    "--figures DIR",
    "Write figures for a paper into this folder: SVG, PDF, PNG, and the data as TSV. Needs "
    "matplotlib: pip install 'wordorder[plot]'.",
    title="Results",
    callback=_check_folder,
)


def write_figures_of(folder: str, figures: Iterable[Figure]) -> None:
    """Write figures and print their names; inputs of the command are not overwritten."""
    from wordorder.report.figures.writing import write_figures

    inputs = list(possible_files(click.get_current_context()))
    print_message(write_figures(folder, list(figures), inputs))


def write_curves(folder: str | None, curves: Sequence[LearningCurve]) -> None:
    """Write the learning curves of a training if a folder for figures is given."""
    if folder is not None:
        from wordorder.report.figures.command_figures import training_figures

        write_figures_of(folder, training_figures(curves))
