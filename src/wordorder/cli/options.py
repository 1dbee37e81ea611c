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

from wordorder.cli.command import added, named_files, option, refuse, setting
from wordorder.cli.messages import OUTPUT, put, say
from wordorder.errors import UsageError
from wordorder.text.names import INPUT_KINDS, RULE_SETS, with_column

if TYPE_CHECKING:
    from wordorder.drawing.figure import Figure
    from wordorder.parsing.epochs import LearningCurve
    from wordorder.scale.written_spans import Span


Function = TypeVar("Function", bound=Callable[..., Any])
Result = TypeVar("Result")

# What `wordorder.report.document.Output` prints.
FORMATS = ("text", "json", "tsv", "markdown", "latex")
RULES = ("talbot", "lrscore", "aligned", "lader", "topdown-btg")
# Those that order single words: what two translations of a source can be compared by.
WORD_RULES = ("lrscore", "talbot", "aligned")
UNALIGNED = ("next", "previous", "drop")
ALIGNED_KINDS = ("auto", "orders", "alignments")
ALIGNMENT_FORMATS = (
    "auto talbot pharaoh pharaoh-reversed lader naacl giza moses-phrases moses-trace"
).split()
TOKENIZERS = ("auto", "none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")
NORMAL_FORMS = ("none", "NFC", "NFKC", "NFD", "NFKD")
TAGGERS = ("perceptron", "tnt", "none")
SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


def read_by(function: Function) -> Function:
    """Add how the text of IN is read: kind and tokenizer."""
    return added(
        option(
            "--input {auto,conllu,text}",
            "What IN holds; auto: .conllu files say so themselves, others are looked at.",
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


seed_option = option("--seed N", "The seed of the random choices.", least=0, default=12345)
threads_option = option(
    "--threads N",
    "Threads; results do not depend on it. [default: all cores]",
    least=1,
    expose_value=False,
    callback=_set_threads,
)
form_option = option(
    "--format", "How the result is printed.", choices=FORMATS, name="form", default="text"
)
# Of all commands that print a result by `wordorder.cli.messages.show`.
format_option = added(
    form_option,
    option(
        "-o --output FILE",
        "Where the result goes. [default: stdout]",
        expose_value=False,
        callback=_keep_output,
    ),
)
output_option = option("-o --output FILE", "Where the result goes. [default: stdout]", default="-")
level_option = option("--level P", "The confidence of the intervals.", type=SHARE, default=0.95)
resamples_option = option(
    "--resamples N",
    "How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
    least=1,
)
interval_options = added(level_option, resamples_option, seed_option)
metric_option = option(
    "-O --option [METRIC.]KEY=VALUE",
    "An option of one metric (-O frs.ties=rank) or of all (-O average=micro); or a setting of "
    "this command, which --help-all lists.",
    name="settings",
    multiple=True,
)
order_metric_option = option(
    "-m --metrics NAME",
    'A metric of orders; "frs(ties=rank)" gives it options. [default: frs]',
    name="metric",
)
test_option = option(
    "--test {auto,bootstrap,randomization}",
    "Paired bootstrap resampling (Koehn 2004) or approximate randomization. auto: the bootstrap, "
    "with p-values by randomization for fewer than 100 segments. Of more than 100,000 segments the "
    "sums of 4,096 random buckets are drawn, as the signature then says.",
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
)
multiple_roots_option = setting(
    "--multiple-roots", "Take sentences of CoNLL-U with several roots. [default: an error]"
)
resume_options = added(
    option("--resume", "Go on from the checkpoint that an interrupted run left."),
    setting("--restart", "Start from scratch even if there is a checkpoint."),
)


def order_metric_options(default: str) -> Callable[[Function], Function]:
    """Return ``-m`` and ``-O`` for metrics of orders; they become `metrics` and `settings`."""
    return added(
        option(
            "-m --metrics NAMES",
            'Metrics of orders, separated by commas; "all" for every fast one. '
            f"[default: {default}]",
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
        default="common",
        name=name,
    )


def language_option(said: str, default: str | None) -> Callable[[Function], Function]:
    """Return ``--language``, whose help says what it is for."""
    return option("--language CODE", said, default=default)


_tokenizer_option = option(
    "--tokenizer",
    "auto: 13a, or char where REFERENCE is in a script without blanks between words; none where "
    "links count its words. none: words between blanks. Or one of sacreBLEU's, which cuts the "
    "words of bleu and chrf too (-O bleu.tokenize=NAME overrides it); ter splits Chinese and "
    "Japanese characters where it is zh, ja-mecab or char. With auto bleu, chrf and ter keep their "
    "own.",
    choices=TOKENIZERS,
    default="auto",
)
_case_options = added(
    option("--lowercase", "Ignore case."),
    setting(
        "--normalize",
        "A Unicode normal form for the text.",
        choices=NORMAL_FORMS,
        name="normalization",
        default="none",
    ),
)
# How text becomes words.
cutting_options = added(_tokenizer_option, _case_options)
resource_options = added(
    setting(
        "--aligner-synonyms PATH",
        "For --aligner: a WordNet folder, or a file with one set of synonyms per line.",
        name="synonyms",
    ),
    setting(
        "--aligner-paraphrases FILE",
        "For --aligner: a paraphrase table of METEOR's.",
        name="paraphrases",
    ),
)
# Which words of two translations match.
_matching_options = added(
    option(
        "--aligner MODULES",
        "How order metrics match the words of translation and reference: exact, exact+stem; "
        "with -O aligner-synonyms and -O aligner-paraphrases also synonym and paraphrase. Or how "
        "both are linked to --source (not in tune): agreement, hmm, ibm1, trained on all these "
        "translations together, or the file of a model.",
    ),
    language_option(
        "The language of --aligner's stems (of meteor: -O meteor.language). [default: told from "
        "the commonest words of REFERENCE, else en]",
        None,
    ),
    resource_options,
)
word_options = added(cutting_options, _matching_options)
# The same where there are several sets of translations.
set_word_options = added(
    option(
        "--tokenizer [PAIR=]NAME",
        "auto, none or one of sacreBLEU's, as in score. Separated by commas, one for each language "
        'pair or target language: "13a,zh=zh,en-ja=ja-mecab".',
        default="auto",
    ),
    _case_options,
    _matching_options,
)
further_references = added(
    option("-r --reference FILE ...", "Further reference translations.", name="references"),
    setting(
        "--empty-references {count,none}",
        "Whether an empty line is a reference without words, or no reference.",
        default="count",
    ),
)
hypothesis_alignments_option = option(
    "--hypothesis-alignments FILE ...",
    "Alignments from --source to each system, in the order of -i.",
)
reference_alignments_option = option(
    "--reference-alignments FILE ...",
    "Alignments from --source to REFERENCE and to each -r. Of orders: links from source to target, "
    "for the report, where REFERENCE holds none.",
)
one_based_reference_option = setting(
    "--one-based-reference",
    "Indices start at 1 in the alignments of REFERENCE (or in gold alignments) alone.",
)
_format_option = option(
    "--alignment-format",
    "How alignments are written, as in `wordorder reference --format`.",
    choices=ALIGNMENT_FORMATS,
    default="auto",
)
_one_based_option = option("--one-based", "Indices in alignments start at 1.")
strict_option = setting(
    "--strict", "Refuse links that are listed twice. [default: take each once, with a note]"
)


def _counting(default: str | None) -> Callable[[Function], Function]:
    """Return ``--links``; None as its default says that it was not given."""
    return setting(
        "--links all|sure|P",
        "Which links count: all, those that are not only possible (ipj, i?j), or those with a "
        "score of P or more. [default: all]",
        default=default,
        show_default=False,
    )


counting_option = _counting("all")
# How alignments are written.
notation_options = added(_format_option, _one_based_option, strict_option)


def making_options(
    rules: Sequence[str], default: str | None, said: str, *, one_based: bool = True
) -> Callable[[Function], Function]:
    """Return how alignments become orders: ``--rule`` and what goes with it.

    Parameters
    ----------
    rules : sequence of str
        The legal ones.
    default : str or None
    said : str
        What help says of the default where that is None.
    one_based : bool
        Whether there is ``--one-based``.
    """
    return added(
        option(
            "--rule",
            f"How alignments become orders, as in `wordorder reference`.{said}",
            choices=rules,
            default=default,
        ),
        setting(
            "--unaligned", "Where words without a link go. [default: the rule's]", choices=UNALIGNED
        ),
        _counting(default and "all"),
        notation_options if one_based else added(_format_option, strict_option),
    )


# How the texts and alignments of systems and references are read.
text_options = added(
    further_references,
    word_options,
    hypothesis_alignments_option,
    reference_alignments_option,
    making_options(WORD_RULES, "lrscore", ""),
    multiple_roots_option,
    one_based_reference_option,
)


def input_option(kinds: Sequence[str], auto: str) -> Callable[[Function], Function]:
    """Return ``--input``, whose help says what ``auto`` takes files for."""
    said = f"What REFERENCE holds; auto: {auto}."
    return option("--input", said, choices=kinds, name="kind", default="auto")


# What REFERENCE holds, and how alignments become orders.
reference_options = added(
    input_option(ALIGNED_KINDS, "alignments in .align and .talbot files, orders in others"),
    making_options(RULES, None, " [default: talbot]"),
)


# Trees and rules, and the source that they are of.
tree_and_rule_options = added(
    option(
        "--trees [NAME=]FILE ...",
        "Trees of the source sentences in CoNLL-U, one file per parser.",
        name="trees",
    ),
    option(
        "--parser [NAME=]MODEL ...",
        "Parsers that parse --source: en, a model file, udpipe:FILE, spacy:NAME, stanza:LANG.",
        name="parsers",
    ),
    option(
        "--source FILE",
        "The source sentences, words between blanks (or CoNLL-U), for --parser. With --trees alone "
        "it must have as many sentences as these; analyze shows its lines.",
    ),
    option(
        "--rules [NAME=]RULES ...",
        "Rule sets, each a set of `wordorder rules list`, or a .toml file. "
        f"[default: {' '.join(RULE_SETS)}]",
        name="rule_sets",
    ),
)


def column_option(function: Function) -> Function:
    """Add ``--column``: which column of tables is read where a name of a file does not say so."""

    @option(
        "--column NAME",
        "The column of .parquet and .jsonl files that are named without one; FILE#NAME names "
        "the column of one file.",
    )
    @functools.wraps(function)
    def with_columns(*args: Any, column: str | None, **options: Any) -> Any:
        if column is not None:
            inputs = {name: value for name, value in options.items() if name not in _OUTPUTS}
            named = {name: _named(value, column) for name, value in inputs.items()}
            if named == inputs:
                which = ".parquet and .jsonl files that are named without a column"
                raise UsageError(f"--column is for {which}, and there is none")
            options |= named
        return function(*args, **options)

    return with_columns  # type: ignore[return-value]  # the same, with one more option


# Parameters that name what is written, and other values that are no inputs.
_OUTPUTS = ("documents", "output", "orders", "alignment_output", "save", "html", "report", "title")


def _named(value: Any, column: str) -> Any:
    """Return a value of an option with the column behind each name of a table."""
    if isinstance(value, tuple):
        return tuple(_named(each, column) for each in value)
    return with_column(value, column) if isinstance(value, str) else value


# Reference, systems, metrics and their options, of `score` and `compare`.
system_options = added(
    click.argument("reference"),
    option(
        "-i --system SYSTEM ...",
        "Systems, of the same kind as REFERENCE: translations, orders, reordered source lines "
        "(with --source), alignments or treebanks; NAME=FILE names one, NAME=FILE,FILE several "
        "runs of one.",
        name="inputs",
        callback=lambda ctx, _, given: _some(ctx, given),
    ),
    option(
        "-m --metrics NAMES",
        'Metrics, separated by commas; also sums, "0.6*cder+0.4*per", and options, '
        '"cder(penalty=length)"; "all" for every fast one that the input serves. [default: '
        "frs,kendall for orders, frs,cder,bleu for text, aer,precision,recall for alignments, "
        "uas,las for .conllu]",
        multiple=True,
    ),
    metric_option,
    option(
        "--source FILE",
        "The source text: for alignments, for systems given as reordered source lines, "
        "and for -O match=first-unmatched.",
    ),
    option(
        "--input",
        "What the files hold; auto: .orders, .conllu, .align and .talbot files say so "
        "themselves, others hold what the metrics read. In treebanks, metrics of text read the "
        "words.",
        choices=INPUT_KINDS,
        name="kind",
        default="auto",
    ),
    column_option,
    text_options,
    resamples_option,
    seed_option,
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


def _some(ctx: click.Context, systems: tuple[str, ...]) -> tuple[str, ...]:
    found = systems if systems or ctx.resilient_parsing else piped()
    if not found and not ctx.resilient_parsing:
        raise UsageError("there is no system: -i FILE names one, or pipe it into the command")
    return found


@dataclass(frozen=True)
class Engine:
    """What shares out the work, as options name it.

    Attributes
    ----------
    name : str
        As `wordorder.scale.engines.ENGINES` has it.
    address, state : str, optional
    plan : bool
        Whether only to say what would be done.
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
        found = None if engine is None else Engine(engine, address, state, plan)
        return function(*args, engine=found, **options)

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
    from wordorder.scale import engines, written

    if engine.plan:
        engines.check_engine(engine.name, engine.address)
        print_plan(written.written_spans(verb, options, "."))
        return None
    made: Result = result(**written.write_on_engine(verb, options, **engine.place))
    return made


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
    callback=_check_folder,
)


def draw(folder: str, figures: Iterable[Figure]) -> None:
    """Write figures, but not over a file that the command names, and say which."""
    from wordorder.report.figures.writing import write_figures

    named = list(named_files(click.get_current_context()))
    say(write_figures(folder, list(figures), named))


def draw_curves(folder: str | None, curves: Sequence[LearningCurve]) -> None:
    """Write the learning curves of a training, if figures are asked for."""
    if folder is not None:
        from wordorder.report.figures.verbs import training_figures

        draw(folder, training_figures(curves))
