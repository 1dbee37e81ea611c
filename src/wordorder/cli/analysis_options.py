"""The options of `analyze`: those of orders, those of translations, and which are whose."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from wordorder.cli.alignment_options import input_option, order_making_options, rule_option
from wordorder.cli.choices import ANALYSED, WORD_RULES
from wordorder.cli.grid_options import tree_and_rule_options
from wordorder.cli.table_options import column_option
from wordorder.cli.text_options import (
    cutting_options,
    further_references,
    hypothesis_alignment_option,
    language_option,
    one_based_reference_option,
    resource_options,
)
from wordorder.cli.tree_options import multiple_roots_option
from wordorder.errors import UsageError

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
