"""``wordorder tree``: permutation trees, drawn."""

from __future__ import annotations

import math

import click

from wordorder.cli.files_or_texts import is_file, literal_option, number_option
from wordorder.cli.messages import print_json
from wordorder.cli.systems import format_option, refuse_overwriting

MAX_DIGITS = 4300


@click.command("tree")
@click.argument("permutation")
@click.option("--forest", is_flag=True, help="Show all trees at once, packed.")
@click.option("--svg", metavar="FILE", help="Write a picture (one permutation only).")
@click.option("--words", metavar="TEXT", help="Words to write at the leaves, in the drawn order.")
@number_option
@literal_option
@format_option
def command(
    permutation: str,
    forest: bool,
    svg: str | None,
    words: str | None,
    number: int | None,
    literal: bool,
    form: str,
) -> None:
    """Draw the permutation tree of a permutation.

    PERMUTATION is numbers in quotes ("2 4 5 6 1 3"), or a file of such lines. Numbers start at 0 or
    at 1, whichever the smallest is; the drawing counts from 1, as the papers do.
    """
    from wordorder.counts import counted
    from wordorder.errors import UsageError
    from wordorder.order.permutation_forest import PermutationForest
    from wordorder.order.permutation_text import read_permutations
    from wordorder.report.tables import Cell, tsv
    from wordorder.text.lines import tokens
    from wordorder.text.output import write_text

    if svg == "-" and form != "text":
        raise UsageError(f"--svg - and --format {form} would mix on standard output")
    refuse_overwriting(svg, [permutation])
    if number is not None and (literal or not is_file(permutation)):
        raise UsageError("--number is for files")
    rows = read_permutations(permutation, literal=literal, number=number)
    forests = [(place, PermutationForest(row)) for place, row in rows]
    if len(forests) > 1 and not (svg is None and words is None):
        raise UsageError(
            f"--svg and --words take one permutation, {permutation} has {len(forests)}; "
            "--number N chooses one"
        )
    spoken = None if words is None else tokens(words)
    if svg is not None:
        drawn = forests[0][1]
        with write_text(svg) as stream:
            stream.write(drawn.to_svg(spoken) if forest else drawn.tree.to_svg(spoken))
    if form == "json":
        found = [
            {
                "permutation": (each.tree.permutation + 1).tolist(),
                "nodes": each.tree.node_count,
                "max_arity": each.tree.max_arity,
                "trees": _exact(each.tree_count),
                "log10_trees": math.log10(each.tree_count),
                "operators": [list(operator) for operator in each.tree.operators()],
            }
            for _, each in forests
        ]
        print_json({"trees": found})
    elif form == "tsv":
        table: list[list[Cell]] = [
            [
                " ".join(map(str, (each.tree.permutation + 1).tolist())),
                each.tree.node_count,
                each.tree.max_arity,
                _exact(each.tree_count),
                math.log10(each.tree_count),
            ]
            for _, each in forests
        ]
        header = ["permutation", "nodes", "max_arity", "trees", "log10_trees"]
        click.echo(tsv(table, header, decimals=None))
    elif svg != "-":
        for number, (place, each) in enumerate(forests):
            if len(forests) > 1:
                click.echo(f"{chr(10) if number else ''}{place}")
            if forest:
                click.echo(each.to_text(spoken))
            else:
                click.echo(each.tree.to_text(spoken))
                nodes = counted(each.tree.node_count, "node")
                trees = counted(each.tree_count, "permutation tree")
                click.echo(f"{nodes}, longest operator {each.tree.max_arity}, {trees}")


def _exact(count: int) -> int | None:
    """Return a count, or None for one of so many digits that readers of JSON refuse it."""
    return count if math.log10(count) < MAX_DIGITS else None
