"""``wordorder analyze``: where and why the order is wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordorder.cli import options as shared
from wordorder.cli.command import (
    combine_options,
    declared_options,
    named_command,
    option,
    refuse,
    refuse_overwriting,
    setting,
    title,
)
from wordorder.cli.messages import print_result, write_result
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.options import (
    RULE_HELP,
    RULES,
    WORD_RULES,
    FileOptions,
    GoldNotationOptions,
    GridOptions,
    InputOptions,
    NotationOptions,
    RootOptions,
    RuleOptions,
    TranslationOptions,
    TreeOptions,
    options_of,
)

if TYPE_CHECKING:
    from wordorder.report.sections import AnyAnalysis

# Parameters for one kind of input only.
ORDERS_ONLY = (
    *options_of(TreeOptions, RuleOptions, RootOptions),
    *("gold_trees", "target", "words", "name"),
)
TEXT_ONLY = (
    *(options_of(FileOptions).keys() - {*options_of(GridOptions), "reference_alignments"}),
    *("hypothesis", "word_basis", "by", "documents"),
)
# The line after the findings if the tables are not printed.
TABLES_HINT = (
    "Not shown: {missing}. --tables prints all; --html FILE writes a page with all of them, "
    "sentences and pictures."
)
REPORT_HINT = "The report, with all tables and sentences, is in"
# Options whose parameter differs from the argument of the functions below.
_ARGUMENT_NAMES = {"name": "metric", "top": "rows", "word_basis": "words"}

# Systems, source and reference, and the options for reading them.
input_options = combine_options(
    click.argument("reference"),
    option(
        "-i --system [NAME=]FILE ...",
        "Systems: translations, where REFERENCE is one. Where it is orders, .orders "
        "files or reordered lines of --source, instead of trees and rules.",
        title="Systems and files",
        name="systems",
    ),
    declared_options(
        InputOptions,
        kind={
            "help": "Content of REFERENCE; auto: .orders, .align and .talbot files by their names, "
            "others hold orders if every line is one, else text (translations).",
            "choices": ("auto", "orders", "alignments", "text"),
        },
    ),
    shared.tree_and_rule_options,
    option("--gold-trees FILE", "Gold trees and tags, in CoNLL-U.", title="Systems and files"),
    option("--target FILE", "The target sentences, for the report.", title="Systems and files"),
    declared_options(
        TranslationOptions,
        NotationOptions,
        GoldNotationOptions,
        aligner={
            "help": "How words of translation and reference are matched for orders: exact, "
            "exact+stem; with -O aligner-synonyms and -O aligner-paraphrases also synonym and "
            "paraphrase. Or an aligner that links both with --source: agreement, hmm, ibm1, "
            "trained on all these translations, or the file of a model. [default: exact+stem]"
        },
        language={
            "help": "The language of the references, for stems, tags and trees. [default: en if "
            "most words are English, else other]"
        },
        rule={
            "help": f"{RULE_HELP} [default: talbot; lrscore for translations]",
            "choices": RULES,
            "default": None,
        },
        links={"default": None},
    ),
    shared.column_option,
    shared.multiple_roots_option,
)


@named_command(
    "analyze",
    example="wordorder analyze reference.txt -i a.txt b.txt --html report.html",
    usual="system metrics html tables focus trees parser source rules target reference aligner "
    "figures format",
)
@input_options
@title("What is shown")
@option(
    "--focus SYSTEM",
    "A system to explain in detail; may be repeated: the first is compared with the others. "
    "[default: the best one, and the best with the same rules and other trees, or the second best]",
    multiple=True,
)
@title("Intervals and tests")
@option(
    "--hypothesis KIND",
    'A kind of words chosen before you saw the outputs, such as "verbs of subordinate clauses": '
    "its part of the difference is tested alone. May be repeated: then the test is corrected for "
    "the number of these kinds.",
    multiple=True,
)
@shared.words_option("word_basis")
@setting("--word WORD", "Show its tags; may be repeated.", name="words", multiple=True)
@title("What is shown")
@option("--top N", "Rows of each table.", min_value=1, default=20)
@title("Metrics")
@option(
    "-m --metrics NAMES",
    'Metrics, separated by commas; "all" for every fast one. For translations, the '
    "first one says which is best and scores single sentences. [default: "
    "frs,cder,bleu,kendall,ter for text; frs,kendall,exact for trees and rules]",
    multiple=True,
)
@shared.metric_option
@setting(
    "--sentence-metric NAME",
    "The metric that scores single sentences of orders; words and boundaries are always "
    "charged FRS.",
    name="name",
    default="frs",
)
@shared.interval_options
@shared.document_options
@title("Results")
@option(
    "--html FILE",
    "Write a report, one HTML file with everything; the answer, the findings and its path are "
    "printed.",
)
@option("--tables", "Print all tables below the findings; the other forms of --format have them.")
@setting(
    "--pictures N", "Number of sentences in the report with pictures.", min_value=0, default=50
)
@title("What is shown")
@option(
    "--sentence N",
    "A sentence to show in any case, in the report with pictures; may be repeated.",
    name="sentences",
    min_value=1,
    multiple=True,
)
@setting("--title N", "The title of the report.", default="Word order report", show_default=False)
@shared.figures_option
@shared.threads_option
@shared.format_option
def command(
    reference: str,
    html: str | None,
    tables: bool,
    pictures: int,
    sentences: tuple[int, ...],
    title: str,
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Find where and why the order of words is wrong.

    REFERENCE is a reference translation, one segment per line, and the systems are translations
    (-i). Or it holds reference orders (.orders), or word alignments that give them: then systems
    are trees with rules, as for `wordorder evaluate`, or orders (-i) of the source words. Tables
    that need trees, rules or links are left out if there are none.
    """
    from wordorder.analysis.files import analysed_kind
    from wordorder.analysis.sentence_tables import with_sentences
    from wordorder.report.page.page import report_page
    from wordorder.report.sections import analysis_output
    from wordorder.text.display import printable
    from wordorder.text.output import write_text

    # Without systems, trees and rules are the systems, so that REFERENCE holds orders.
    has_trees_or_rules = any(options[name] for name in ("trees", "parsers", "rule_sets"))
    grid = has_trees_or_rules and not options["systems"]
    if not options["systems"] and not grid and reference != "-":
        options["systems"] = shared.piped_input()
    if tables and form != "text":
        raise UsageError(f"--tables is for --format text; --format {form} has all tables")
    kind = analysed_kind(reference, options["kind"], grid=grid)
    input_values = _options_of(kind, reference, options)
    if kind == "text" and options["kind"] == "auto" and options["systems"]:
        _refuse_tables(reference, input_values)
    _check_report(html, kind, reference, input_values)
    # Opened first, so that a wrong path fails before the work.
    with nullcontext() if html is None else write_text(html) as page:
        analysis = _analysis(kind, reference, input_values)
        if any(number > analysis.size for number in sentences):
            size_text = counted(analysis.size, "sentence")
            raise UsageError(f"--sentence {max(sentences)}: there are {size_text}")
        chosen = [number - 1 for number in dict.fromkeys(sentences)]
        if page is not None:
            page.write(report_page(analysis, title=title, pictures=pictures, sentences=chosen))
    if figures is not None:
        from wordorder.report.figures.command_figures import analysis_figures

        shared.write_figures_of(figures, analysis_figures(analysis, options["level"]))
    remainder_note = "" if tables else TABLES_HINT if html is None else REPORT_HINT
    # The report shows the chosen sentences; the text need not.
    if not (form == "text" and remainder_note == REPORT_HINT):
        analysis = with_sentences(analysis, chosen)
    print_result(analysis_output(analysis, remainder_note, arrays=True), form)
    if tables and html is not None:
        write_result(f"\n{REPORT_HINT}\n")
    if form == "text" and html is not None:
        write_result(f"{printable(html)}\n")


def _options_of(kind: str, reference: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that apply to a kind of input.

    Parameters
    ----------
    kind : "orders", "alignments" or "text"
    reference : str
        The name of the input in messages.
    options : mapping of name to value

    Raises
    ------
    UsageError
        If the command line has an option for the other kind.
    """
    is_text = kind == "text"
    rejected_names = ORDERS_ONLY if is_text else TEXT_ONLY
    content, other_content = ("translations", "orders") if is_text else (kind, "translations")
    hint = f"(--input {'orders' if is_text else 'text'}, if it holds {other_content})"
    refuse(rejected_names, f"is for {other_content}, but {reference} is read as {content} {hint}")
    accepted = {name: value for name, value in options.items() if name not in rejected_names}
    alignments = accepted.pop("reference_alignments")
    if is_text:
        # Drop defaults: those of translations differ.
        ctx = click.get_current_context()
        default_sources = (None, ParameterSource.DEFAULT)
        systems = accepted.pop("systems")
        accepted = {
            name: value
            for name, value in accepted.items()
            if ctx.get_parameter_source(name) not in default_sources
        }
        rule = accepted.get("rule")
        if rule is not None and rule not in WORD_RULES:
            rules = ", ".join(WORD_RULES)
            raise UsageError(f"--rule {rule} is for orders; translations have {rules}")
        return accepted | {"systems": systems, "reference_alignments": alignments}
    if len(alignments) > 1:
        problem = "orders have one reference, and one file of alignments"
        raise UsageError(f"--reference-alignments: {problem}")
    return accepted | {"alignment": alignments[0] if alignments else None}


def _analysis(kind: str, reference: str, options: dict[str, Any]) -> AnyAnalysis:
    """Analyse orders or translations."""
    from wordorder.analysis import analyze_files, analyze_translations

    options = {_ARGUMENT_NAMES.get(name, name): value for name, value in options.items()}
    if kind != "text":
        return analyze_files(reference, **options)
    return analyze_translations(reference, options.pop("systems", ()), **options)


def _check_report(html: str | None, kind: str, reference: str, options: dict[str, Any]) -> None:
    """Raise a UsageError for options of a report that is not written, or written over an input."""
    if html == "-":
        raise UsageError("--html needs a file: standard output has the answer")
    if html is not None:
        refuse_overwriting(html, _inputs(kind, reference, options))
        return
    refuse(("pictures", "title"), "is for --html")


def _refuse_tables(reference: str, options: dict[str, Any]) -> None:
    """Raise a UsageError for a table among the translations or further references."""
    from wordorder.scoring.files import Files
    from wordorder.scoring.kind_detection import refuse_table

    references = {"references": options.get("references", ())}
    files = Files.of(reference, options.get("systems", ()), references)
    for path in dict.fromkeys((*files.references, *files.system_paths)):
        refuse_table(path)


def _inputs(kind: str, reference: str, options: dict[str, Any]) -> Sequence[str | None]:
    """Return the paths of all input files."""
    from wordorder.analysis.files import AnalysisFiles
    from wordorder.scoring.files import Files

    field_names = {field.name for field in fields(Files if kind == "text" else AnalysisFiles)}
    files = {name: value for name, value in options.items() if name in field_names}
    if kind == "text":
        return Files.of(reference, files.pop("systems", ()), files).paths
    return AnalysisFiles.of(reference, files).paths
