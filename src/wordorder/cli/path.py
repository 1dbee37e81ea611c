"""``wordorder path``: the edits and jumps behind a distance, drawn."""

from __future__ import annotations

import click

from wordorder.cli.messages import print_json
from wordorder.cli.systems import format_option


@click.command("path")
@click.argument("hypothesis")
@click.argument("reference")
@click.option(
    "--metric",
    type=click.Choice(["cder", "long-jump"]),
    default="cder",
    show_default=True,
    help="The distance: words of the hypothesis any number of times, or each once.",
)
@click.option(
    "--direction",
    type=click.Choice(["reference", "candidate"]),
    default="reference",
    show_default=True,
    help="Which sentence the path of cder covers exactly once.",
)
@click.option(
    "--substitution",
    type=click.Choice(["constant", "prefix", "levenshtein"]),
    default="constant",
    show_default=True,
    help="What a substitution costs on the path of cder.",
)
@click.option("--svg", metavar="FILE", help="Write a picture.")
@format_option
def command(
    hypothesis: str,
    reference: str,
    metric: str,
    direction: str,
    substitution: str,
    svg: str | None,
    form: str,
) -> None:
    """Show which words are matched, substituted, inserted, deleted and jumped over.

    HYPOTHESIS and REFERENCE are sentences in quotes, their words between blanks. The path is a
    cheapest one of the distance that cder or long-jump counts.
    """
    from wordorder.errors import UsageError
    from wordorder.metrics.text.cover_path import cover_paths
    from wordorder.metrics.text.grid_path import FIELDS
    from wordorder.metrics.text.long_jump_path import long_jump_path
    from wordorder.report.tables import tsv
    from wordorder.text.output import write_text
    from wordorder.text.texts import Texts

    if svg == "-" and form != "text":
        raise UsageError(f"--svg - and --format {form} would mix on standard output")
    texts = Texts.from_segments([hypothesis], [reference])
    if metric == "cder":
        path = cover_paths(texts, direction=direction, substitution=substitution)[0]
    elif (direction, substitution) != ("reference", "constant"):
        raise UsageError("--direction and --substitution are for --metric cder")
    else:
        [words], [others] = map(texts.words_of, (texts.hypothesis, texts.references))
        path = long_jump_path(words, others)
    if svg is not None:
        with write_text(svg) as stream:
            stream.write(path.to_svg())
    if form == "json":
        print_json({"path": path.to_json()})
    elif form == "tsv":
        click.echo(tsv(path.rows(), FIELDS, decimals=None))
    elif svg != "-":
        click.echo(path.to_text())
