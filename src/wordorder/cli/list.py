"""``wordorder list``: installed metrics, aligners, parsers, rules and evaluators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.command import named_command
from wordorder.cli.messages import print_result
from wordorder.cli.options import format_option

if TYPE_CHECKING:
    from wordorder.report.listing import Listing

# A name, its summary, and its options with their defaults.
Row = tuple[str, str, dict[str, Any]]

KINDS = ("metrics", "aligners", "parsers", "models", "rules", "compat")

LEGEND = (
    "Metrics for `wordorder score -m`. ↑: higher is better, ↓: lower is better. The last line of "
    "each lists its options with their defaults (-O KEY=VALUE)."
)
# Headings by the last column of `Segments` that a metric reads.
HEADING_OF_COLUMN = {
    "permutation": "Metrics of word orders, and of translations with --aligner",
    "text": "Metrics of translations",
    "lines": "Metrics of translations",
    "mix": "A sum of other metrics",
    "links": "Metrics of translations with alignments to the source",
    "gold": "Metrics of alignments",
    "trees": "Metrics of dependency trees and tags",
    "": "Other metrics",
}


@named_command("list", example="wordorder list aligners")
@click.argument("kind", default="metrics", type=click.Choice(KINDS))
@format_option
def command(kind: str, form: str) -> None:
    """Show what is installed, with its options and defaults.

    KIND is metrics; aligners (for `wordorder align --model`); parsers (for `wordorder parse`);
    models (trained ones, with their scores); rules (for `wordorder reorder --rules`); or compat:
    the evaluators whose figures `wordorder score --compat` reproduces.
    """
    from wordorder.report.document import Output
    from wordorder.report.listing import ListedPart, Listing

    readers = (_metric_rows, _aligner_rows, _parser_rows, _model_rows, _rule_rows, _evaluator_rows)
    parts = [
        ListedPart(name, options, summary)
        for name, summary, options in readers[KINDS.index(kind)]()
    ]
    listing = Listing(kind, tuple(parts))
    print_result(
        Output.of(listing, text=lambda: "".join(f"{line}\n" for line in _lines(listing))), form
    )


def _lines(listing: Listing) -> Iterator[str]:
    """Yield the text: per name a title, its summary and its options."""
    from wordorder.report.tables import paragraph

    titles = _titles(listing.kind)
    headings = _headings() if listing.kind == "metrics" else {}
    if headings:
        yield paragraph(LEGEND)
    columns = listing.to_columns()
    for name, options, summary in zip(*columns.values(), strict=True):
        if name in headings:
            yield f"\n{paragraph(headings[name])}\n"
        lines = [paragraph(titles.get(name, name), "", "    ")]
        # Summaries are docstrings with backquotes.
        lines += [paragraph(text.replace("`", ""), "    ", "    ") for text in (summary, options)]
        yield "\n".join(line for line in lines if line.strip())


def _headings() -> dict[str, str]:
    """Return the headings by the first metric under each."""
    from wordorder.metrics import METRICS

    headings: dict[str, str] = {}
    previous_heading = ""
    for name, factory in METRICS.loaded().items():
        column = "mix" if name == "mix" else next(reversed(getattr(factory, "columns", ())), "")
        heading = HEADING_OF_COLUMN.get(column, HEADING_OF_COLUMN[""])
        if heading != previous_heading:
            headings[name] = heading
        previous_heading = heading
    return headings


def _titles(kind: str) -> dict[str, str]:
    """Return the titles of metrics: name, full name, and an arrow if higher or lower is better."""
    if kind != "metrics":
        return {}
    from wordorder.metrics import METRICS
    from wordorder.metrics.registry import FULL_NAMES
    from wordorder.text.display import arrow

    titles = {}
    for name, factory in METRICS.loaded().items():
        title = f"{name}: {FULL_NAMES[name]}" if name in FULL_NAMES else name
        higher_is_better = getattr(factory, "higher_is_better", None)
        titles[name] = (
            f"{title} {arrow(higher_is_better)}" if isinstance(higher_is_better, bool) else title
        )
    return titles


def _metric_rows() -> list[Row]:
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options

    return [
        (name, _first_sentence(factory), default_options(factory))
        for name, factory in METRICS.loaded().items()
    ]


def _aligner_rows() -> list[Row]:
    from wordorder.alignment.statistical.align import ALIGNERS

    return [(name, _first_sentence(factory), {}) for name, factory in ALIGNERS.loaded().items()]


def _parser_rows() -> list[Row]:
    from wordorder.parsing.adapters.external import PARSERS
    from wordorder.parsing.model_file import SHIPPED

    rows: list[Row] = [(name, summary, {}) for name, summary in SHIPPED.items()]
    for name, factory in PARSERS.loaded().items():
        extra = {"extra": name} if name in PARSERS.built_in else {}
        rows.append((f"{name}:MODEL", _first_sentence(factory), extra))
    return rows


def _model_rows() -> list[Row]:
    from wordorder.parsing import installed, model_file

    rows: list[Row] = [(name, summary, {}) for name, summary in model_file.SHIPPED.items()]
    for model in installed.installed_models().values():
        licence = model.about.get("licence") or "no licence named"
        training_text = f"trained on {model.about.get('data')} ({licence})"
        rows.append(
            (model.name, f"{model.package} {model.version}: {training_text}", {**model.scores})
        )
    return rows


def _rule_rows() -> list[Row]:
    from wordorder.reordering.explanation import listed_rules

    rows = []
    for rule_set in listed_rules():
        options = {"scheme": rule_set.scheme, "rules": rule_set.rules}
        features = {key: value for key, value in options.items() if value is not None}
        rows.append((rule_set.name, rule_set.about, features))
    return rows


def _evaluator_rows() -> list[Row]:
    from wordorder.metrics.compat import PRESETS
    from wordorder.scoring.compat import FILE_TOOLS

    rows = []
    for name, preset in PRESETS.items():
        options_or_none = {
            "rule": preset.rule,
            "unaligned": preset.unaligned,
            "blocks": preset.blocks,
        }
        options = {key: value for key, value in options_or_none.items() if value is not None}
        figures = ", ".join(score.label for score in preset.scores)
        rows.append((name, f"{preset.tool}: {figures}", options))
    rows += [
        (name, f"{tool.tool}: {', '.join(tool.figures)}", {"reads": tool.reads})
        for name, tool in FILE_TOOLS.items()
    ]
    return rows


def _first_sentence(factory: Callable[..., object]) -> str:
    """Return the first paragraph of a docstring as one line."""
    return (inspect.getdoc(factory) or "").split("\n\n")[0].replace("\n", " ")
