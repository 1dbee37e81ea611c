"""``wordorder path``: the edits and jumps behind a distance, drawn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from wordorder.cli.files_or_texts import are_files, literal_option, number_option
from wordorder.cli.messages import print_json
from wordorder.cli.systems import format_option, refuse_overwriting

if TYPE_CHECKING:
    from wordorder.metrics.text.grid_path import GridPath
    from wordorder.text.texts import Texts


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
@number_option
@literal_option
@click.option("--svg", metavar="FILE", help="Write a picture (one pair of sentences only).")
@format_option
def command(
    hypothesis: str,
    reference: str,
    metric: str,
    direction: str,
    substitution: str,
    number: int | None,
    literal: bool,
    svg: str | None,
    form: str,
) -> None:
    """Show which words are matched, substituted, inserted, deleted and jumped over.

    HYPOTHESIS and REFERENCE are sentences in quotes, their words between blanks, or two files of
    such lines. The path is a cheapest one of the distance that cder or long-jump counts.
    """
    from wordorder.errors import UsageError, location
    from wordorder.metrics.text.grid_path import FIELDS
    from wordorder.report.tables import tsv
    from wordorder.text.opening import display_name
    from wordorder.text.output import write_text
    from wordorder.text.texts import Texts

    if svg == "-" and form != "text":
        raise UsageError(f"--svg - and --format {form} would mix on standard output")
    if metric != "cder" and (direction, substitution) != ("reference", "constant"):
        raise UsageError("--direction and --substitution are for --metric cder")
    given = {"HYPOTHESIS": hypothesis, "REFERENCE": reference}
    files = are_files(given, number=number, literal=literal)
    lines = [number or 1]
    if files:
        refuse_overwriting(svg, [hypothesis, reference])
        texts = _texts(hypothesis, reference, number)
        if number is None:
            lines = list(range(1, len(texts.hypothesis) + 1))
    else:
        texts = Texts.from_segments([hypothesis], [reference])
    if svg is not None and len(lines) != 1:
        raise UsageError(
            f"--svg takes one pair of sentences, {display_name(hypothesis)} has {len(lines)}; "
            "--number N chooses one"
        )
    paths = _paths(texts, metric, direction, substitution)
    if svg is not None:
        path = next(paths)
        with write_text(svg) as stream:
            stream.write(path.to_svg())
        paths = iter([path])
    if form == "json" and not files:
        print_json({"path": next(paths).to_json()})
    elif form == "json":
        found = zip(lines, paths, strict=True)
        print_json({"paths": [{"line": line, **path.to_json()} for line, path in found]})
    elif form == "tsv":
        numbered = zip(lines, paths, strict=True)
        rows = [(line, *row) if files else row for line, path in numbered for row in path.rows()]
        click.echo(tsv(rows, ("line", *FIELDS) if files else FIELDS, decimals=None))
    elif svg != "-":
        for line, path in zip(lines, paths, strict=True):
            if len(lines) > 1:
                place = location(display_name(hypothesis), line)
                click.echo(f"{chr(10) if line > 1 else ''}{place}")
            click.echo(path.to_text())


def _texts(hypothesis: str, reference: str, number: int | None) -> Texts:
    """Read two files, or one line of each."""
    from wordorder.text.in_step import CHUNK, mismatch
    from wordorder.text.lines import no_such_line
    from wordorder.text.texts import Texts
    from wordorder.text.words import word_reader

    columns: list[list[str]] = []
    with word_reader(hypothesis) as ours, word_reader(reference) as theirs:
        for reader in (ours, theirs):
            lines: list[str] = []
            while len(part := reader.take(CHUNK)):
                lines += part.strings()
            columns.append(lines)
        if ours.lines != theirs.lines:
            raise mismatch([ours, theirs])
        if number is not None and number > ours.lines:
            raise no_such_line(ours.name, ours.lines, number)
    if number is not None:
        columns = [lines[number - 1 : number] for lines in columns]
    return Texts.from_segments(*columns)


def _paths(texts: Texts, metric: str, direction: str, substitution: str) -> Iterator[GridPath]:
    """Yield the path of each pair of sentences."""
    from wordorder.metrics.text.cover_path import cover_paths
    from wordorder.metrics.text.long_jump_path import long_jump_path

    if metric == "cder":
        yield from cover_paths(texts, direction=direction, substitution=substitution)
        return
    columns = map(texts.words_of, (texts.hypothesis, texts.references))
    for words, others in zip(*columns, strict=True):
        yield long_jump_path(words, others)
