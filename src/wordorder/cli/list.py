"""``wordorder list``: what is installed."""

from __future__ import annotations

import click

from wordorder.cli.systems import format_option


@click.command("list")
@click.argument("kind", default="metrics", type=click.Choice(["metrics"]))
@format_option
def command(kind: str, form: str) -> None:
    """Show the metrics that are installed, with their options and defaults."""
    import inspect
    import json

    from wordorder.metrics import METRICS
    from wordorder.metrics.options import defaults
    from wordorder.report.tables import tsv

    rows = []
    for name in METRICS.names():
        factory = METRICS.load(name)
        summary = (inspect.getdoc(factory) or "").split("\n\n")[0].replace("\n", " ")
        rows.append((name, summary, defaults(factory)))
    if form == "json":
        shown = [
            {"name": name, "summary": summary, "options": options}
            for name, summary, options in rows
        ]
        click.echo(json.dumps({kind: shown}, ensure_ascii=False, indent=2))
        return
    table = [
        [name, " ".join(f"{key}={value}" for key, value in options.items()), summary]
        for name, summary, options in rows
    ]
    if form == "tsv":
        click.echo(tsv(table, ["name", "options", "summary"]))
        return
    for name, options, summary in table:
        click.echo(f"{name}\n    {summary}\n    {options}")
