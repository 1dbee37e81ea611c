"""The options of `score` and `compare` for translations and their alignments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from wordorder.cli.alignment_options import alignment_format_option, strict_option, unaligned_option
from wordorder.cli.choices import (
    LINKS,
    NORMAL_FORMS,
    TOKENIZERS,
    WORD_RULES,
)
from wordorder.cli.tree_options import multiple_roots_option

Function = TypeVar("Function", bound=Callable[..., Any])


def language_option(said: str, default: str | None) -> Callable[[Function], Function]:
    """Return ``--language``, whose help says what it is for."""
    shown = default is not None
    return click.option(
        "--language", default=default, show_default=shown, metavar="CODE", help=said
    )


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
    language_option("The language of --aligner's stems (of meteor: -O meteor.language).", "en"),
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
