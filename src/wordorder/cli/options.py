"""What `score` and `compare` share: reference, systems, metrics and their options."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import say
from wordorder.errors import UsageError
from wordorder.scoring.files import KINDS
from wordorder.text.names import file_of, with_column

if TYPE_CHECKING:
    from wordorder.drawing.figure import Figure
    from wordorder.parsing.training.checkpoint import LearningCurve


Function = TypeVar("Function", bound=Callable[..., Any])

# Options that take all names that follow, up to the next option.
MANY = (
    *("-i", "--system", "-r", "--reference"),
    *("--hypothesis-alignment", "--reference-alignment"),
    *("--trees", "--parser", "--rules", "--nbest"),
)


class ManySystems(GroupedHelp):
    """A command whose ``-i`` takes all names that follow: ``-i A B C``; so do others of `MANY`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Repeat the option before each of its names, as click wants it."""
        spread: list[str] = []
        taking = ""
        for number, arg in enumerate(args):
            if arg == "--":
                spread += args[number:]
                break
            if arg in MANY:
                taking = arg
                if number + 1 == len(args):
                    spread.append(arg)
                continue
            if arg.startswith("-") and arg != "-":
                taking = ""
            spread += [taking, arg] if taking else [arg]
        taker = next((arg for arg in reversed(args) if arg in MANY), "") if len(args) > 2 else ""
        try:
            return super().parse_args(ctx, spread)
        except click.MissingParameter as error:
            if taker and error.param is not None and error.param.name == "reference":
                raise UsageError(
                    f"{ctx.info_name}: no REFERENCE: {taker} takes all names that follow; "
                    "put REFERENCE before it"
                ) from None
            raise


def system_options(function: Function) -> Function:
    """Add reference, systems, metrics and their options to a verb."""
    decorators = [
        click.argument("reference"),
        click.option(
            "-i",
            "--system",
            "inputs",
            multiple=True,
            required=True,
            metavar="SYSTEM ...",
            help="Systems; NAME=FILE names one. Translations, or orders, reordered source lines "
            "(with --source), alignments, or treebanks: what REFERENCE is.",
        ),
        click.option(
            "-m",
            "--metrics",
            multiple=True,
            metavar="NAMES",
            help='Metrics, separated by commas; also sums, "0.6*cder+0.4*per", and options, '
            '"cder(penalty=length)"; "all" for every fast one that the input serves. [default: '
            "frs,kendall for orders, cder,ter,bleu for text, aer,precision,recall for alignments, "
            "uas,las for .conllu]",
        ),
        metric_option,
        click.option(
            "--source",
            metavar="FILE",
            help="The source text: for alignments, for systems given as reordered source lines, "
            "and for -O match=first-unmatched.",
        ),
        click.option(
            "--input",
            "kind",
            type=click.Choice(KINDS),
            default="auto",
            show_default=True,
            help="What the files hold; auto: .orders, .conllu, .align and .talbot files say so "
            "themselves, others hold what the metrics read. In treebanks, metrics of text read the "
            "words.",
        ),
        column_option,
        *text_options,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            help="How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
        ),
        seed_option,
        threads_option,
        format_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def metric_option(function: Function) -> Function:
    """Add ``-O``."""
    return click.option(
        "-O",
        "--option",
        "settings",
        multiple=True,
        metavar="[METRIC.]KEY=VALUE",
        help="An option of one metric (-O frs.ties=rank) or of all (-O average=micro).",
    )(function)


def level_option(function: Function) -> Function:
    """Add ``--level``."""
    return click.option(
        "--level",
        type=click.FloatRange(0, 1, min_open=True, max_open=True),
        metavar="P",
        default=0.95,
        show_default=True,
        help="The confidence of the intervals.",
    )(function)


def seed_option(function: Function) -> Function:
    """Add ``--seed``."""
    return click.option(
        "--seed",
        type=click.IntRange(0),
        default=12345,
        show_default=True,
        metavar="N",
        help="Where the random choices start.",
    )(function)


def threads_option(function: Function) -> Function:
    """Add ``--threads``."""
    return click.option(
        "--threads",
        type=click.IntRange(1),
        metavar="N",
        expose_value=False,
        callback=_set_threads,
        help="Threads; results do not depend on it. [default: all cores]",
    )(function)


# What `wordorder.report.document.Output` prints.
FORMATS = ("text", "json", "tsv", "markdown", "latex")


def format_option(function: Function) -> Function:
    """Add ``--format``."""
    return click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How the result is printed.",
    )(function)


def _set_threads(ctx: click.Context, _: click.Parameter, number: int | None) -> None:
    if number is not None:
        from wordorder.kernels._run import set_threads

        set_threads(number)


def refuse_overwriting(output: str | None, inputs: Sequence[str | None]) -> None:
    """Raise a UsageError if the output would take the place of an input."""
    for given in inputs:
        path = None if given is None else file_of(given)
        known = output and path and os.path.exists(output) and os.path.exists(path)
        if known and os.path.samefile(str(output), str(path)):
            raise UsageError(f"{output}: is an input too; give the output another name")


def language_option(said: str, default: str | None) -> Callable[[Function], Function]:
    """Return ``--language``, whose help says what it is for."""
    shown = default is not None
    return click.option(
        "--language", default=default, show_default=shown, metavar="CODE", help=said
    )


TOKENIZERS = ("none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")

NORMAL_FORMS = ("none", "NFC", "NFKC", "NFD", "NFKD")

# How text becomes words.
cutting_options = [
    click.option(
        "--tokenizer",
        type=click.Choice(TOKENIZERS),
        default="none",
        show_default=True,
        help="none: words are separated by blanks; or one of sacreBLEU's. Not for ter, bleu and "
        "chrf, which have options of their own.",
    ),
    click.option("--lowercase", is_flag=True, help="Ignore case."),
    click.option(
        "--normalize",
        "normalization",
        type=click.Choice(NORMAL_FORMS),
        default="none",
        show_default=True,
        help="A Unicode normal form for the text.",
    ),
]

resource_options = [
    click.option(
        "--synonyms",
        metavar="PATH",
        help="For --aligner: a WordNet folder, or a file with a set of synonyms a line.",
    ),
    click.option(
        "--paraphrases", metavar="FILE", help="For --aligner: a paraphrase table of METEOR's."
    ),
]

# And which words of two translations match.
word_options = [
    *cutting_options,
    click.option(
        "--aligner",
        metavar="MODULES",
        help="How order metrics match the words of translation and reference: exact, exact+stem; "
        "with --synonyms and --paraphrases also synonym and paraphrase. Or how both are linked to "
        "--source (not in tune): agreement, hmm, ibm1, trained on all these translations together, "
        "or the file of a model.",
    ),
    language_option(
        "The language of --aligner's stems (of meteor: -O meteor.language). [default: en; where no "
        "--aligner is given, told from the words of REFERENCE]",
        None,
    ),
    *resource_options,
]

further_references = [
    click.option(
        "-r",
        "--reference",
        "references",
        multiple=True,
        metavar="FILE ...",
        help="Further reference translations.",
    ),
    click.option(
        "--empty-references",
        type=click.Choice(["count", "none"]),
        default="count",
        show_default=True,
        help="Whether an empty line is a reference without words, or no reference.",
    ),
]

hypothesis_alignment_option = click.option(
    "--hypothesis-alignment",
    "hypothesis_alignments",
    multiple=True,
    metavar="FILE ...",
    help="Alignments from --source to each system, in the order of -i.",
)

one_based_reference_option = click.option(
    "--one-based-reference",
    is_flag=True,
    help="Indices start at 1 in the alignments of REFERENCE (or in gold alignments) alone.",
)

multiple_roots_option = click.option(
    "--multiple-roots",
    is_flag=True,
    help="Take sentences of CoNLL-U with several roots. [default: an error]",
)

UNALIGNED = ("next", "previous", "drop")

unaligned_option = click.option(
    "--unaligned",
    type=click.Choice(UNALIGNED),
    help="Where words without a link go. [default: the rule's]",
)

ALIGNMENT_FORMATS = (
    *("auto", "talbot", "pharaoh", "pharaoh-reversed", "lader", "naacl", "giza"),
    *("moses-phrases", "moses-trace"),
)

alignment_format_option = click.option(
    "--alignment-format",
    type=click.Choice(ALIGNMENT_FORMATS),
    default="auto",
    show_default=True,
    help="How alignments are written, as in `wordorder reference --format`.",
)

strict_option = click.option(
    "--strict",
    is_flag=True,
    help="Refuse links that are listed twice. [default: take each once, with a note]",
)

# The rules that order single words: what two translations of a source can be compared by.
WORD_RULES = ("lrscore", "talbot", "aligned")

LINKS = ("all", "sure")

text_options = [
    *further_references,
    *word_options,
    hypothesis_alignment_option,
    click.option(
        "--reference-alignment",
        "reference_alignments",
        multiple=True,
        metavar="FILE ...",
        help="Alignments from --source to REFERENCE and to each -r.",
    ),
    click.option(
        "--rule",
        type=click.Choice(WORD_RULES),
        default="lrscore",
        show_default=True,
        help="How alignments become orders, as in `wordorder reference`.",
    ),
    unaligned_option,
    click.option(
        "--links",
        type=click.Choice(LINKS),
        default="all",
        show_default=True,
        help="Whether possible links (ipj, i?j) of these alignments count.",
    ),
    alignment_format_option,
    click.option("--one-based", is_flag=True, help="Indices in all alignments start at 1."),
    strict_option,
    multiple_roots_option,
    one_based_reference_option,
]


def monolingual_options(function: Function) -> Function:
    """Add the options that say how text becomes words and which words match."""
    for option in reversed(word_options):
        function = option(function)
    return function


# Parameters that name what is written, and other values that are no inputs.
_OUTPUTS = ("output", "orders", "alignment_output", "save", "html", "report", "title")


def column_option(function: Function) -> Function:
    """Add ``--column``: which column of tables is read where a name of a file does not say so."""

    @click.option(
        "--column",
        metavar="NAME",
        help="The column of .parquet and .jsonl files that are named without one; FILE#NAME names "
        "the column of one file.",
    )
    @functools.wraps(function)
    def with_columns(*args: Any, column: str | None, **options: Any) -> Any:
        if column is not None:
            named = {
                name: value if name in _OUTPUTS else _named(value, column)
                for name, value in options.items()
            }
            if named == options:
                raise UsageError(
                    "--column is for .parquet and .jsonl files that are named without a column, "
                    "and there is none"
                )
            options = named
        return function(*args, **options)

    return with_columns  # type: ignore[return-value]  # the same, with one more option


def _named(value: Any, column: str) -> Any:
    """Return a value of an option with the column behind each name of a table."""
    if isinstance(value, tuple):
        return tuple(_named(each, column) for each in value)
    return with_column(value, column) if isinstance(value, str) else value


ALIGNED_KINDS = ("auto", "orders", "alignments")

one_based_option = click.option(
    "--one-based", is_flag=True, help="Indices in alignments start at 1."
)


def input_option(kinds: Sequence[str], auto: str) -> Callable[[Function], Function]:
    """Return ``--input``, whose help says what ``auto`` takes files for."""
    return click.option(
        "--input",
        "kind",
        type=click.Choice(kinds),
        default="auto",
        show_default=True,
        help=f"What REFERENCE holds; auto: {auto}.",
    )


def rule_option(default: str) -> Callable[[Function], Function]:
    """Return ``--rule``, whose help says what the default is."""
    return click.option(
        "--rule",
        type=click.Choice(RULES),
        help=f"How alignments become orders, as in `wordorder reference`. [default: {default}]",
    )


# How alignments become orders, besides the rule.
order_making_options = [
    unaligned_option,
    click.option(
        "--links",
        type=click.Choice(LINKS),
        help="Whether possible links (ipj, i?j) count. [default: all]",
    ),
    alignment_format_option,
    one_based_option,
    strict_option,
]


def reference_options(function: Function) -> Function:
    """Add what REFERENCE holds, and how alignments become orders."""
    auto = "alignments in .align and .talbot files, orders in others"
    for decorator in reversed(
        [input_option(ALIGNED_KINDS, auto), rule_option("talbot"), *order_making_options]
    ):
        function = decorator(function)
    return function


RULES = ("talbot", "lrscore", "aligned", "lader", "topdown-btg")

BLOCKS = ("combine", "keep")

# What `analyze` is about.
ANALYSED = ("auto", "orders", "alignments", "text")

# What `tag` and `parse` read.
SENTENCES = ("auto", "conllu", "text")

# What `train` makes.
TAGGERS = ("perceptron", "tnt", "none")

ALGORITHMS = ("transition", "graph")

FEATURES = ("zhang-nivre", "katz-brown", "hall", "rich")

UPDATES = ("early", "max-violation")

TRAINING_TAGS = ("gold", "jackknife")

DATA_TAGS = ("predict", "auto")

TUNING_METHODS = ("mert", "pro", "mira")

RECIPES = ("P1", "P2", "P3", "P4", "P5")

# What `correlate` compares, and how.
UNITS = ("system", "segment", "document")

GROUPINGS = ("none", "item", "system")

COEFFICIENTS = (
    *("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"),
    *("kendall-10", "kendall-13", "kendall-14", "kendall-17", "kendall-23"),
    *("accuracy", "acc-eq", "spa", "pce", "consistency", "consistency-strict"),
)

DRAWN = ("segments", "systems", "both")

CORRELATION_TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")

# What `rank` ranks by.
RANKED_BY = ("wins", "expected-wins", "bradley-terry", "trueskill", "z")

# What `rank` resamples.
RESAMPLED = ("items", "raters")

# What a pair counts that a metric ties.
TIES = ("strict", "half")

# What `rate` asks of raters.
PROTOCOLS = ("talbot", "preference", "scale")

# What `export` writes of a project, and how.
EXPORTS = ("alignments", "ratings", "events")

EXPORT_FORMATS = ("pharaoh", "talbot", "tsv", "json")


def figures_option(function: Function) -> Function:
    """Add ``--figures``."""
    return click.option(
        "--figures",
        metavar="DIR",
        callback=_check_folder,
        help="Write figures for a paper into this folder: SVG, PDF, the data as TSV, and PNG with "
        "the extra plot.",
    )(function)


def draw(folder: str, figures: Iterable[Figure]) -> None:
    """Write figures, but not over a file that the command names, and say which."""
    from wordorder.report.figures.writing import write_figures

    named = list(_texts(click.get_current_context().params.values()))
    say(write_figures(folder, list(figures), named))


def draw_curves(folder: str | None, curves: Sequence[LearningCurve]) -> None:
    """Write the learning curves of a training, if figures are asked for."""
    if folder is not None:
        from wordorder.report.figures.verbs import training_figures

        draw(folder, training_figures(curves))


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Yield what may be names of files among the values of options, ``NAME=FILE`` without NAME."""
    from wordorder.text.names import split_name

    for value in values:
        if isinstance(value, str):
            yield value
            yield split_name(value)[1]
        elif isinstance(value, (list, tuple)):
            yield from _texts(value)


def _check_folder(_: click.Context, __: click.Parameter, folder: str | None) -> str | None:
    """Refuse what cannot be a folder of figures, before the work."""
    if folder is None:
        return None
    if folder == "-":
        raise UsageError("--figures needs a folder: standard output has the tables")
    from wordorder.text.output import require_folder

    require_folder(folder)
    return folder
