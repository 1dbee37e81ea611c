"""The options of `analyze`: those of orders, those of translations, and which are whose."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click
from click.core import ParameterSource

from wordorder.analysis.grid_files import RULE_SETS
from wordorder.cli import INTERRUPTED
from wordorder.cli.messages import say
from wordorder.cli.options import (
    ANALYSED,
    WORD_RULES,
    column_option,
    cutting_options,
    further_references,
    hypothesis_alignment_option,
    input_option,
    language_option,
    level_option,
    multiple_roots_option,
    one_based_reference_option,
    order_making_options,
    reference_options,
    resource_options,
    rule_option,
    seed_option,
)
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.people.project import Project


Function = TypeVar("Function", bound=Callable[..., Any])

# What only one kind of input has a use for, by the names of the parameters.
ORDERS_ONLY = {
    "trees": "--trees",
    "parsers": "--parser",
    "rule_sets": "--rules",
    "multiple_roots": "--multiple-roots",
    "gold_trees": "--gold-trees",
    "target": "--target",
    "words": "--word",
    "name": "--metric",
}

TEXT_ONLY = {
    "references": "-r",
    "empty_references": "--empty-references",
    "tokenizer": "--tokenizer",
    "lowercase": "--lowercase",
    "normalization": "--normalize",
    "aligner": "--aligner",
    "language": "--language",
    "synonyms": "--synonyms",
    "paraphrases": "--paraphrases",
    "hypothesis_alignments": "--hypothesis-alignment",
    "one_based_reference": "--one-based-reference",
}

aligner_option = click.option(
    "--aligner",
    metavar="MODULES",
    help="How words of translation and reference are matched for orders: exact, exact+stem; with "
    "--synonyms and --paraphrases also synonym and paraphrase. Or what links both with --source: "
    "agreement, hmm, ibm1, trained on all these translations together, or the file of a model. "
    "[default: exact+stem]",
)

reference_alignment_option = click.option(
    "--reference-alignment",
    "--alignment",
    "reference_alignments",
    multiple=True,
    metavar="FILE ...",
    help="Alignments from --source to REFERENCE and to each -r. Of orders: links from source to "
    "target, for the report, where REFERENCE holds none.",
)


def input_options(function: Function) -> Function:
    """Add what is analysed: reference, systems, source, and how they are read."""
    decorators = [
        click.argument("reference"),
        click.option(
            "-i",
            "--system",
            "systems",
            multiple=True,
            metavar="[NAME=]FILE ...",
            help="Systems: translations, where REFERENCE is one. Where it is orders, .orders "
            "files or reordered lines of --source, instead of trees and rules.",
        ),
        input_option(
            ANALYSED,
            ".orders, .align and .talbot files say so themselves, others hold orders if every line "
            "reads as one, else text, which is translations",
        ),
        *tree_and_rule_options,
        click.option("--gold-trees", metavar="FILE", help="Right trees and tags, in CoNLL-U."),
        click.option("--target", metavar="FILE", help="The target sentences, for the report."),
        *further_references,
        *cutting_options,
        aligner_option,
        language_option(
            "The language of the references, for stems, tags and trees. [default: en if most "
            "words are English, else other]",
            None,
        ),
        *resource_options,
        hypothesis_alignment_option,
        reference_alignment_option,
        rule_option("talbot; lrscore for translations"),
        *order_making_options,
        one_based_reference_option,
        column_option,
        multiple_roots_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def options_of(kind: str, reference: str, options: Mapping[str, Any]) -> dict[str, Any]:
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
    for name, option in foreign.items():
        if _given(name):
            held, other = ("translations", "orders") if text else (kind, "translations")
            say = "orders" if text else "text"
            raise UsageError(
                f"{option} is for {other}, but {reference} is taken for {held} (--input {say}, if "
                f"it holds {other})"
            )
    kept = {name: value for name, value in options.items() if name not in foreign}
    alignments = kept.pop("reference_alignments")
    if text:
        # What was not said has another default than for orders.
        kept = {name: value for name, value in kept.items() if _given(name)}
        rule = kept.get("rule")
        if rule is not None and rule not in WORD_RULES:
            raise UsageError(
                f"--rule {rule} is for orders; translations have {', '.join(WORD_RULES)}"
            )
        return kept | {"reference_alignments": alignments}
    if len(alignments) > 1:
        raise UsageError("--alignment: orders have one reference, and one file of alignments")
    return kept | {"alignment": alignments[0] if alignments else None}


def _given(name: str) -> bool:
    """Return whether the user named an option himself."""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (None, ParameterSource.DEFAULT)


# Trees and rules, and the source that they are of.
tree_and_rule_options = [
    click.option(
        "--trees",
        "trees",
        multiple=True,
        metavar="[NAME=]FILE ...",
        help="Trees of the source sentences in CoNLL-U, one file a parser.",
    ),
    click.option(
        "--parser",
        "parsers",
        multiple=True,
        metavar="[NAME=]MODEL ...",
        help="Parsers that parse --source: en, a model file, udpipe:FILE, spacy:NAME, stanza:LANG.",
    ),
    click.option(
        "--source",
        metavar="FILE",
        help="The source sentences, words between blanks (or CoNLL-U).",
    ),
    click.option(
        "--rules",
        "rule_sets",
        multiple=True,
        metavar="[NAME=]RULES ...",
        help="Rule sets, each a set of `wordorder rules list`, or a .toml file. "
        f"[default: {' '.join(RULE_SETS)}]",
    ),
]


def grid_options(function: Function) -> Function:
    """Add what `wordorder.analysis.grid_files.GridFiles` has, each option under its name there."""
    decorators = [
        click.argument("reference"),
        *tree_and_rule_options,
        reference_options,
        column_option,
        multiple_roots_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def order_metric_options(default: str) -> Callable[[Function], Function]:
    """Return what adds ``-m`` and ``-O`` for metrics of orders; they become `metrics`, `settings`.

    Parameters
    ----------
    default : str
        What help says of ``-m`` where it is not given.
    """

    def add(function: Function) -> Function:
        options = [
            click.option(
                "-m",
                "--metrics",
                multiple=True,
                metavar="NAMES",
                help='Metrics of orders, separated by commas; "all" for every fast one. '
                f"[default: {default}]",
            ),
            click.option(
                "-O",
                "--option",
                "settings",
                multiple=True,
                metavar="[METRIC.]KEY=VALUE",
                help="An option of one metric (-O frs.ties=rank) or of all (-O average=micro).",
            ),
        ]
        for option in reversed(options):
            function = option(function)
        return function

    return add


def interval_options(function: Function) -> Function:
    """Add ``--level``, ``--resamples`` and ``--seed``."""
    options = [
        level_option,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            help="How many resamples are drawn. [default: 1000; 10000 to test by randomization]",
        ),
        seed_option,
    ]
    for option in reversed(options):
        function = option(function)
    return function


# Always the same: what a page keeps in the browser, it finds again only under the same port.
PORT = 8765


def serving_options(function: Function) -> Function:
    """Add where the pages are served."""
    decorators = [
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=PORT,
            show_default=True,
            metavar="N",
            help="The port of 127.0.0.1 that the pages are served at; 0 takes a free one.",
        ),
        click.option("--no-browser", is_flag=True, help="Do not open the link in a browser."),
        click.option(
            "--lan",
            is_flag=True,
            help="Let other machines of the network connect too, by plain HTTP.",
        ),
        click.option(
            "--host",
            "hosts",
            multiple=True,
            metavar="NAME",
            help="With --lan: a further name of this machine in the network; links show the first. "
            "[default: its address]",
        ),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def require_pages() -> None:
    """Raise a UsageError if what serves the pages is not installed."""
    from wordorder.parsing.adapters.opening import load_package

    for module in ("starlette", "uvicorn"):
        load_package(module, "pages")


def serve_pages(
    opened: Callable[[], Project],
    *,
    port: int,
    no_browser: bool,
    lan: bool,
    hosts: tuple[str, ...],
) -> None:
    """Open a project, print the links of its raters and serve its pages until a signal comes."""
    require_pages()
    if hosts and not lan:
        raise UsageError("--host names this machine in its network; it needs --lan")
    from wordorder.people.serving import listen, serve

    with listen(port, lan=lan) as listening, opened() as project:
        # Only one rater is likely to sit here.
        interrupted = serve(
            project,
            listening,
            names=hosts if lan else None,
            show=_show,
            browser=not no_browser,
        )
        say(f"the server has ended; go on with: wordorder serve {project.path}")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _show(line: str) -> None:
    """Print a line at once: who started the program as a process waits for it."""
    click.echo(line)
    sys.stdout.flush()
