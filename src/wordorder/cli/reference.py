"""``wordorder reference``: reference orders from word alignments."""

from typing import Any

import click

from wordorder import treebank
from wordorder.cli import options as shared
from wordorder.cli.command import (
    check_files,
    declared_options,
    named_command,
    option,
    refuse,
    setting,
    title,
)
from wordorder.cli.messages import print_message, print_result
from wordorder.errors import InputError, UsageError
from wordorder.notes import note
from wordorder.options import NotationOptions, OrderOptions
from wordorder.text.names import read_only_once, unlinked_paths

# Shares above which --check fails.
LIMIT_OPTIONS = ("max_unaligned", "max_unaligned_target", "max_non_contiguous")


@named_command(
    "reference",
    example="wordorder reference links.align --source source.txt -o reference.orders",
    usual="source target output rule option format one-based check report trees threads",
)
@click.argument("alignments")
@title("Systems and files")
@option("--source FILE", "The source text, tokenised.", required=True)
@option("--target FILE", "The target text, to check its positions too.")
@declared_options(
    NotationOptions,
    OrderOptions,
    alignment_format={
        "usage": "--format",
        "name": "format",
        "title": "Results",
        "help": "Format of the alignments.",
    },
    one_based={"help": "Indices in the alignments start at 1."},
    rule={
        "help": "Order of words linked to one target word. talbot: they tie; lrscore: they keep "
        "their order; aligned: so too, over aligned words only, renumbered; lader, topdown-btg: "
        "by target spans, as the evaluators of these tools do.",
        "default": "talbot",
    },
    unaligned={
        "help": "Words without a link go before the next aligned word, after the previous one, or "
        "are left out. [default: next for talbot and lader, previous for lrscore, drop for aligned "
        "and topdown-btg]"
    },
    links=shared.ALL_LINKS,
)
@option(
    "--trees FILE",
    "Dependency trees of the source in CoNLL-U: also count the phrases that are interleaved in the "
    "target (phrasal cohesion, Fox 2002).",
)
@title("Results")
@option("-o --output FILE", "Where the orders go. [default: stdout]")
@title("Checks")
@option(
    "--check",
    "Report words that break the rules of alignment-oriented annotation, instead of orders "
    "(with -o: in addition to them).",
)
@option("--report", "Format of --check.", choices=shared.FORMATS, name="form", default="text")
@setting(
    "--allow FILE",
    "Words that may stay unaligned, one per line. [default: a an the and punctuation]",
)
@setting(
    "--target-trees FILE",
    "For --check: the target in CoNLL-U with tags (UPOS). Pronouns and particles are checked too; "
    "the pronouns of the source are those of English, or of --trees.",
)
@setting("--max-unaligned SHARE", "--check exits 1 above it.", type=float)
@setting("--max-unaligned-target SHARE", "--check exits 1 above it.", type=float)
@setting("--max-non-contiguous SHARE", "--check exits 1 above it.", type=float)
@shared.engine_options
@shared.column_option
@shared.threads_option
def command(
    engine: shared.Engine | None,
    alignments: str,
    source: str,
    target: str | None,
    trees: str | None,
    output: str | None,
    check: bool,
    form: str,
    allow: str | None,
    target_trees: str | None,
    **options: Any,
) -> None:
    """Make reference orders from word alignments, or check the alignments.

    ALIGNMENTS are in the notation of Talbot et al. (2,0_1,,3), Pharaoh (0-1 1-0), lader, NAACL or
    GIZA++.
    """
    from wordorder.order.reference import ReferenceReport, reference_summary
    from wordorder.order.reference_files import convert_alignments
    from wordorder.text.output import is_stream

    limits = {name: options.pop(name) for name in LIMIT_OPTIONS}
    if not check:
        refuse(("allow", "target_trees", *limits), "is for --check")
    if target_trees is not None and target is None:
        raise UsageError("--target-trees needs --target")
    unlinked_path = next(iter(unlinked_paths(output or "-")), None)
    check_files([alignments, source, target, allow, trees, target_trees], output, unlinked_path)
    if trees is not None and (engine is not None or read_only_once(alignments)):
        raise UsageError("--trees reads the alignments a second time: they must be a file")
    if check and engine is not None:
        raise UsageError("--check reads all lines into memory: not with --engine")
    if check and output == "-":
        raise UsageError("--check prints its report on standard output: give -o a file")
    texts = [path for path in (alignments, source, target) if path is not None]
    if check and output is not None and any(map(read_only_once, texts)):
        raise UsageError("--check with -o reads its inputs twice: they must be files")
    if not check or output is not None:
        arguments = {"alignments": alignments, "source": source, "target": target, **options}
        arguments["output"] = "-" if output is None else output
        if engine is None and output is not None and not is_stream(output):
            arguments["unlinked"] = unlinked_path
        summary = shared.run_or_distribute(
            engine, "reference", convert_alignments, arguments, ReferenceReport
        )
        if summary is None:
            return
        print_message(reference_summary(summary))
        if options["rule"] == "aligned":
            remedy = "-O unaligned=drop keeps the numbers of the source"
            note(f"the aligned words are renumbered, so full orders do not fit; {remedy}")
    reading_options = {name: options[name] for name in ("format", "one_based", "strict", "links")}
    if trees is not None:
        from wordorder.reordering.cohesion import cohesion_of_files
        from wordorder.report.rules import cohesion_text

        for line in cohesion_text(cohesion_of_files(trees, alignments, **reading_options)):
            print_message(line)
    if check:
        from wordorder.alignment.lint import lint_files
        from wordorder.report.rules import lint_output

        report = lint_files(
            alignments,
            source,
            target=target,
            allow=allow,
            target_tags=None if target_trees is None else _universal_tags(target_trees),
            pronouns=None if target_trees is None or trees is None else _pronoun_positions(trees),
            **reading_options,
        )
        exceeded = report.exceeds(**limits)
        print_result(lint_output(report), form)
        if exceeded:
            click.get_current_context().exit(1)


def _universal_tags(path: str) -> list[tuple[str, ...]]:
    """Return the universal tags of each sentence of the target."""
    rows = [tree.upos for tree in treebank.read_treebank(path)]
    if rows and all(tag == "_" for row in rows for tag in row):
        raise InputError(path, "no word has a universal tag", "UPOS in column 4")
    return rows


def _pronoun_positions(path: str) -> list[list[int]]:
    """Return the positions of personal pronouns in each source sentence."""
    return [
        [n for n, feats in enumerate(tree.feats) if "PronType=Prs" in feats.split("|")]
        for tree in treebank.read_treebank(path)
    ]
