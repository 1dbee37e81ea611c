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
    added,
    declared,
    option,
    refuse,
    refuse_overwriting,
    setting,
    title,
    verb,
)
from wordorder.cli.messages import put, show
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

# What only one kind of input has a use for: parameters.
ORDERS_ONLY = (
    *options_of(TreeOptions, RuleOptions, RootOptions),
    *("gold_trees", "target", "words", "name"),
)
TEXT_ONLY = (
    *(options_of(FileOptions).keys() - {*options_of(GridOptions), "reference_alignments"}),
    *("hypothesis", "word_basis", "by", "documents"),
)
# What follows the findings where the tables are not printed.
NOT_SHOWN = (
    "Not shown: {missing}. --tables prints all; --html FILE writes a page with all of them, "
    "sentences and pictures."
)
IN_REPORT = "The report, with all tables and sentences, is in"
# Options that are not called as the arguments of the functions are.
_ARGUMENTS = {"name": "metric", "top": "rows", "word_basis": "words"}

# Systems, source and reference, and how they are read.
input_options = added(
    click.argument("reference"),
    option(
        "-i --system [NAME=]FILE ...",
        "Systems: translations, where REFERENCE is one. Where it is orders, .orders "
        "files or reordered lines of --source, instead of trees and rules.",
        title="Systems and files",
        name="systems",
    ),
    declared(
        InputOptions,
        kind={
            "help": "What REFERENCE holds; auto: .orders, .align and .talbot files say so "
            "themselves, others hold orders if every line reads as one, else text, which is "
            "translations.",
            "choices": ("auto", "orders", "alignments", "text"),
        },
    ),
    shared.tree_and_rule_options,
    option("--gold-trees FILE", "Gold trees and tags, in CoNLL-U.", title="Systems and files"),
    option("--target FILE", "The target sentences, for the report.", title="Systems and files"),
    declared(
        TranslationOptions,
        NotationOptions,
        GoldNotationOptions,
        aligner={
            "help": "How words of translation and reference are matched for orders: exact, "
            "exact+stem; with -O aligner-synonyms and -O aligner-paraphrases also synonym and "
            "paraphrase. Or what links both with --source: agreement, hmm, ibm1, trained on all "
            "these translations together, or the file of a model. [default: exact+stem]"
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


@verb(
    "analyze",
    example="wordorder analyze reference.txt -i a.txt b.txt --html report.html",
    usual="system metrics html tables focus trees parser source rules target reference aligner "
    "figures format",
)
@input_options
@title("What is shown")
@option(
    "--focus SYSTEM",
    "A system to look at closely; may be repeated, the first being compared with the others. "
    "[default: the best one, and the best with the same rules and other trees, or the second best]",
    multiple=True,
)
@title("Intervals and tests")
@option(
    "--hypothesis KIND",
    'A kind of words that you chose before you saw the outputs, as "verbs of subordinate '
    'clauses": its part of the difference is tested alone. May be repeated: then it is corrected '
    "for the kinds that were named.",
    multiple=True,
)
@shared.words_option("word_basis")
@setting("--word WORD", "Show its tags; may be repeated.", name="words", multiple=True)
@title("What is shown")
@option("--top N", "Rows of each table.", least=1, default=20)
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
    "Write a report, one HTML file with everything; the answer and the findings are printed, and "
    "where the report is.",
)
@option("--tables", "Print all tables below the findings; the other forms of --format have them.")
@setting("--pictures N", "How many sentences of the report have pictures.", least=0, default=50)
@title("What is shown")
@option(
    "--sentence N",
    "A sentence that is shown in any case, in the report with pictures; may be repeated.",
    name="sentences",
    least=1,
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
    (-i). Or it holds reference orders (.orders), or word alignments of which they are made: then
    systems are trees with rules, as for `wordorder evaluate`, or orders (-i) with the words of the
    source. What needs trees, rules or links is left out where there are none.
    """
    from wordorder.analysis.files import analysed_kind
    from wordorder.analysis.sentence_tables import with_sentences
    from wordorder.report.page.page import report_page
    from wordorder.report.sections import analysis_output
    from wordorder.text.display import printable
    from wordorder.text.output import write_text

    # Trees and rules take the place of systems: beside systems they say nothing of the reference.
    has_trees_or_rules = any(options[name] for name in ("trees", "parsers", "rule_sets"))
    grid = has_trees_or_rules and not options["systems"]
    if not options["systems"] and not grid and reference != "-":
        options["systems"] = shared.piped()
    if tables and form != "text":
        raise UsageError(f"--tables is for --format text; --format {form} has all tables")
    kind = analysed_kind(reference, options["kind"], grid=grid)
    input_values = _options_of(kind, reference, options)
    if kind == "text" and options["kind"] == "auto" and options["systems"]:
        _refuse_tables(reference, input_values)
    _check_report(html, kind, reference, input_values)
    # Opened first: what cannot be written should fail before the work.
    with nullcontext() if html is None else write_text(html) as page:
        analysis = _analysis(kind, reference, input_values)
        if any(number > analysis.size for number in sentences):
            there = counted(analysis.size, "sentence")
            raise UsageError(f"--sentence {max(sentences)}: there are {there}")
        chosen = [number - 1 for number in dict.fromkeys(sentences)]
        if page is not None:
            page.write(report_page(analysis, title=title, pictures=pictures, sentences=chosen))
    if figures is not None:
        from wordorder.report.figures.verbs import analysis_figures

        shared.draw(figures, analysis_figures(analysis, options["level"]))
    remainder_note = "" if tables else NOT_SHOWN if html is None else IN_REPORT
    # The sentences of a report are there.
    if not (form == "text" and remainder_note == IN_REPORT):
        analysis = with_sentences(analysis, chosen)
    show(analysis_output(analysis, remainder_note, arrays=True), form)
    if tables and html is not None:
        put(f"\n{IN_REPORT}\n")
    if form == "text" and html is not None:
        put(f"{printable(html)}\n")


def _options_of(kind: str, reference: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that go with a kind of input.

    Parameters
    ----------
    kind : "orders", "alignments" or "text"
    reference : str
        What messages call the input.
    options : mapping of name to value
        All of them.

    Raises
    ------
    UsageError
        If one is given that only the other kind has a use for.
    """
    text = kind == "text"
    foreign = ORDERS_ONLY if text else TEXT_ONLY
    content, other_content = ("translations", "orders") if text else (kind, "translations")
    hint = f"(--input {'orders' if text else 'text'}, if it holds {other_content})"
    refuse(foreign, f"is for {other_content}, but {reference} is taken for {content} {hint}")
    accepted = {name: value for name, value in options.items() if name not in foreign}
    alignments = accepted.pop("reference_alignments")
    if text:
        # What was not said has another default than for orders.
        ctx = click.get_current_context()
        unsaid = (None, ParameterSource.DEFAULT)
        systems = accepted.pop("systems")
        accepted = {
            n: value for n, value in accepted.items() if ctx.get_parameter_source(n) not in unsaid
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

    options = {_ARGUMENTS.get(name, name): value for name, value in options.items()}
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
    """Return all files that are read."""
    from wordorder.analysis.files import AnalysisFiles
    from wordorder.scoring.files import Files

    field_names = {field.name for field in fields(Files if kind == "text" else AnalysisFiles)}
    files = {name: value for name, value in options.items() if name in field_names}
    if kind == "text":
        return Files.of(reference, files.pop("systems", ()), files).paths
    return AnalysisFiles.of(reference, files).paths
