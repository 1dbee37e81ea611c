"""Options that several commands have, each declared once, and what some of them do."""

from __future__ import annotations

import functools
import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.command import added, declared, named_files, option, refuse, setting
from wordorder.cli.messages import OUTPUT, put, say
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

# What `wordorder.report.document.Output` prints.
FORMATS = ("text", "json", "tsv", "markdown", "latex")
TAGGERS = ("perceptron", "tnt", "none")
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


# Parameters that name output files, and other values that are not input files.
_OUTPUTS = ("documents", "output", "orders", "alignment_output", "save", "html", "report", "title")


def read_by(function: Function) -> Function:
    """Add how the text of IN is read: kind and tokenizer."""
    return added(
        option(
            "--input {auto,conllu,text}",
            "What IN holds; auto: .conllu files say so themselves, others are looked at.",
            title="Systems and files",
            name="kind",
            default="auto",
        ),
        tokenizer_option("IN"),
    )(function)


def tokenizer_option(what: str) -> Callable[[Function], Function]:
    """Return ``--tokenizer`` for raw text or words between blanks."""
    return option(
        "--tokenizer {auto,none,model,english}",
        f"How {what} is cut into words; none: at blanks; model: raw text, as the treebank is that "
        "MODEL was trained on; english: raw English; auto: at blanks, and by MODEL where Japanese "
        "or Chinese has none.",
        title="Words of translations",
        name="tokenize",
        default="auto",
    )


def _set_threads(_: click.Context, __: click.Parameter, number: int | None) -> None:
    if number is not None:
        from wordorder.kernels import set_threads

        set_threads(number)


def _keep_output(ctx: click.Context, _: click.Parameter, path: str | None) -> None:
    if path not in (None, "-"):
        ctx.meta[OUTPUT] = path


seed_option = option(
    "--seed N", "The seed of the random choices.", title="Learning", least=0, default=12345
)
# Of resampling.
test_seed_option = added(seed_option, title="Intervals and tests")
threads_option = option(
    "--threads N",
    "Threads; results do not depend on it. [default: all cores]",
    title="Long and large jobs",
    least=1,
    expose_value=False,
    callback=_set_threads,
)
form_option = option(
    "--format",
    "How the result is printed.",
    title="Results",
    choices=FORMATS,
    name="form",
    default="text",
)
# Of all commands that print a result by `wordorder.cli.messages.show`.
format_option = added(
    form_option,
    option(
        "-o --output FILE",
        "Where the result goes. [default: stdout]",
        title="Results",
        expose_value=False,
        callback=_keep_output,
    ),
)
output_option = option(
    "-o --output FILE", "Where the result goes. [default: stdout]", title="Results", default="-"
)
level_option = option(
    "--level P",
    "The confidence of the intervals.",
    title="Intervals and tests",
    type=SHARE,
    default=0.95,
)
resamples_option = option(
    "--resamples N",
    "How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
    title="Intervals and tests",
    least=1,
)
interval_options = added(level_option, resamples_option, test_seed_option)
metric_option = declared(MetricOptions)
order_metric_option = option(
    "-m --metrics NAME",
    'A metric of orders; "frs(ties=rank)" gives it options. [default: frs]',
    title="Metrics",
    name="metric",
)
test_option = option(
    "--test {auto,bootstrap,randomization}",
    "Paired bootstrap resampling (Koehn 2004) or approximate randomization. auto: the bootstrap, "
    "with p-values by randomization for fewer than 100 segments. Of more than 100,000 segments the "
    "sums of 4,096 random buckets are drawn, as the signature then says.",
    title="Intervals and tests",
    default="auto",
)
# Of `score`, `compare` and `analyze`.
document_options = added(
    option(
        "--by {segment,document}",
        "What intervals and tests draw: segments, or whole documents, since segments of a document "
        "are not independent.",
        default="segment",
    ),
    option(
        "--documents FILE",
        "For --by document: the name of each segment's document, one per line, or FILE#COLUMN of a "
        "table. [default: the column document of REFERENCE]",
    ),
    title="Intervals and tests",
)
multiple_roots_option = declared(RootOptions)
resume_options = added(
    option("--resume", "Go on from the checkpoint that an interrupted run left."),
    setting("--restart", "Start from scratch even if there is a checkpoint."),
    title="Long and large jobs",
)


def order_metric_options(default: str) -> Callable[[Function], Function]:
    """Return ``-m`` and ``-O`` for metrics of orders; they become `metrics` and `settings`."""
    return added(
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
    """Return ``--words``, as a parameter with a name."""
    return option(
        "--words {common,own}",
        "On which words order metrics compare translations: on the words of the reference that "
        "both systems match, so that no system gains by leaving words out; or each on its own.",
        title="What is shown",
        default="common",
        name=name,
    )


# Words and matches of translations, in one set of them, and in several.
word_options = declared(WordOptions, AlignerOptions)
set_word_options = declared(
    WordOptions,
    AlignerOptions,
    tokenizer={
        "usage": "--tokenizer [PAIR=]NAME",
        "help": "auto, none or one of sacreBLEU's, as in score. Separated by commas, one for each "
        'language pair or target language: "13a,zh=zh,en-ja=ja-mecab".',
        "choices": None,
    },
)
# Alignments of which no orders are made, or by a rule with a default of its own.
all_links = {"default": "all"}
counting_option = declared(LinkOptions, links=all_links)
notation_options = declared(NotationOptions)
# How the texts and alignments of systems and references are read.
text_options = declared(TranslationOptions, NotationOptions, RootOptions, GoldNotationOptions)


# What REFERENCE holds, and how alignments become orders.
reference_options = declared(
    AlignedOptions,
    kind={
        "help": "What REFERENCE holds; auto: alignments in .align and .talbot files, orders in "
        "others.",
        "choices": ALIGNED_KINDS,
    },
)
# Trees and rules, and the source that they are of.
tree_and_rule_options = declared(
    TreeOptions,
    SourceOptions,
    RuleOptions,
    source={
        "help": "The source sentences, words between blanks (or CoNLL-U), for --parser. With "
        "--trees alone it must have as many sentences as these; analyze shows its lines."
    },
)


def column_option(function: Function) -> Function:
    """Add ``--column``: which column of tables is read where a name of a file does not say so."""

    @option(
        "--column NAME",
        "The column of .parquet and .jsonl files that are named without one; FILE#NAME names "
        "the column of one file.",
        title="Systems and files",
    )
    @functools.wraps(function)
    def with_columns(*args: Any, column: str | None, **options: Any) -> Any:
        if column is not None:
            inputs = {name: value for name, value in options.items() if name not in _OUTPUTS}
            named_options = {name: _add_column(value, column) for name, value in inputs.items()}
            if named_options == inputs:
                which = ".parquet and .jsonl files that are named without a column"
                raise UsageError(f"--column is for {which}, and there is none")
            options |= named_options
        return function(*args, **options)

    return with_columns  # type: ignore[return-value]  # the same, with one more option


def _add_column(value: Any, column: str) -> Any:
    """Return the value of an option with ``#COLUMN`` added to each name of a table."""
    if isinstance(value, tuple):
        return tuple(_add_column(item, column) for item in value)
    return with_column(value, column) if isinstance(value, str) else value


# Reference, systems, metrics and their options, of `score` and `compare`.
system_options = added(
    click.argument("reference"),
    option(
        "-i --system SYSTEM ...",
        "Systems, of the same kind as REFERENCE: translations, orders, reordered source lines "
        "(with --source), alignments or treebanks; NAME=FILE names one, NAME=FILE,FILE several "
        "runs of one.",
        title="Systems and files",
        name="inputs",
        callback=lambda ctx, _, given: _require_systems(ctx, given),
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
    declared(SourceOptions, InputOptions),
    column_option,
    text_options,
    resamples_option,
    test_seed_option,
    threads_option,
    format_option,
)


def piped() -> tuple[str, ...]:
    """Return standard input as the only system, if something is piped into the command."""
    try:
        # A terminal and /dev/null are devices.
        return () if stat.S_ISCHR(os.fstat(sys.stdin.fileno()).st_mode) else ("-",)
    except (AttributeError, OSError, ValueError):
        return ()


def _require_systems(ctx: click.Context, systems: tuple[str, ...]) -> tuple[str, ...]:
    sources = systems if systems or ctx.resilient_parsing else piped()
    if not sources and not ctx.resilient_parsing:
        raise UsageError("there is no system: -i FILE names one, or pipe it into the command")
    return sources


@dataclass(frozen=True)
class Engine:
    """What shares out the work, as options name it.

    Attributes
    ----------
    name : str
        As `wordorder.scale.engines.ENGINES` has it.
    address, state : str, optional
    plan : bool
        Whether only the plan is printed, without the work.
    """

    name: str
    address: str | None
    state: str | None
    plan: bool

    @property
    def place(self) -> dict[str, Any]:
        """The engine, as the functions of `wordorder.scale` take it."""
        return {"engine": self.name, "address": self.address, "state": self.state}


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine`` and three settings: an `Engine` or None."""

    @option(
        "--engine {local,dask,ray,spark}",
        "Share out the work in spans of the files; local: among processes of this machine. "
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
        "Keep what --engine has done in this folder; the same command goes on from there.",
    )
    @setting("--plan", "Print the spans of --engine and what they cost, and stop.")
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
    """Print spans and an estimate."""
    from wordorder.scale.plan import Plan

    put(Plan.of(spans).to_text())


def share_out(
    engine: Engine | None,
    verb: str,
    function: Callable[..., Result],
    options: dict[str, Any],
    result: Callable[..., Any] = dict,
) -> Result | None:
    """Do the work of a verb by a function, or on an engine, whose counts make a result.

    Returns nothing if the engine only said what would be done.
    """
    if engine is None:
        return function(**options)
    from wordorder.scale import engines, file_commands

    if engine.plan:
        engines.check_engine(engine.name, engine.address)
        print_plan(file_commands.file_spans(verb, options, "."))
        return None
    merged: Result = result(**file_commands.write_on_engine(verb, options, **engine.place))
    return merged


def _check_folder(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    """Refuse what cannot be a folder of figures, before the work."""
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


def draw(folder: str, figures: Iterable[Figure]) -> None:
    """Write figures, and print their names; a file that the command names is not overwritten."""
    from wordorder.report.figures.writing import write_figures

    inputs = list(named_files(click.get_current_context()))
    say(write_figures(folder, list(figures), inputs))


def draw_curves(folder: str | None, curves: Sequence[LearningCurve]) -> None:
    """Write the learning curves of a training, if figures are asked for."""
    if folder is not None:
        from wordorder.report.figures.verbs import training_figures

        draw(folder, training_figures(curves))
