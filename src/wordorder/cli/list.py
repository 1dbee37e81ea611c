"""``wordorder list``: installed metrics, aligners, parsers, rules and evaluators."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.command import verb
from wordorder.cli.messages import show
from wordorder.cli.options import format_option

if TYPE_CHECKING:
    from wordorder.report.listing import Listing

# Name, summary, and the options with their defaults.
Row = tuple[str, str, dict[str, Any]]

KINDS = ("metrics", "aligners", "parsers", "models", "rules", "compat")

LEGEND = (
    "Metrics for `wordorder score -m`. ↑: higher is better, ↓: lower is better. The last line of "
    "each lists its options with their defaults (-O KEY=VALUE)."
)
# By the column of segments that a metric reads.
READS = {
    "permutation": "Metrics of word orders, and of translations with --aligner",
    "text": "Metrics of translations",
    "lines": "Metrics of translations",
    "mix": "A sum of other metrics",
    "links": "Metrics of translations with alignments to the source",
    "gold": "Metrics of alignments",
    "trees": "Metrics of dependency trees and tags",
    "": "Other metrics",
}


@verb("list", example="wordorder list aligners")
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

    readers = (_metrics, _aligners, _parsers, _models, _rules, _evaluators)
    parts = [
        ListedPart(name, options, summary)
        for name, summary, options in readers[KINDS.index(kind)]()
    ]
    listing = Listing(kind, tuple(parts))
    show(Output.of(listing, text=lambda: "".join(f"{line}\n" for line in _lines(listing))), form)


def _lines(listing: Listing) -> Iterator[str]:
    """Yield what a terminal shows: a paragraph for each name, and one for its options."""
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
        # Docstrings have marks of code.
        lines += [paragraph(text.replace("`", ""), "    ", "    ") for text in (summary, options)]
        yield "\n".join(line for line in lines if line.strip())


def _headings() -> dict[str, str]:
    """Return a heading for each metric that reads something else than the one before it."""
    from wordorder.metrics import METRICS

    headings: dict[str, str] = {}
    group = ""
    for name, factory in METRICS.loaded().items():
        column = "mix" if name == "mix" else next(reversed(getattr(factory, "columns", ())), "")
        reads = READS.get(column, READS[""])
        if reads != group:
            headings[name] = reads
        group = reads
    return headings


def _titles(kind: str) -> dict[str, str]:
    """Return what metrics are short for, and in which direction they get better."""
    if kind != "metrics":
        return {}
    from wordorder.metrics import METRICS
    from wordorder.metrics.registry import FULL_NAMES
    from wordorder.text.display import arrow

    titles = {}
    for name, factory in METRICS.loaded().items():
        title = f"{name}: {FULL_NAMES[name]}" if name in FULL_NAMES else name
        better = getattr(factory, "higher_is_better", None)
        titles[name] = f"{title} {arrow(better)}" if isinstance(better, bool) else title
    return titles


def _metrics() -> list[Row]:
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options

    return [
        (name, _summary(factory), default_options(factory))
        for name, factory in METRICS.loaded().items()
    ]


def _aligners() -> list[Row]:
    from wordorder.alignment.statistical.align import ALIGNERS

    return [(name, _summary(factory), {}) for name, factory in ALIGNERS.loaded().items()]


def _parsers() -> list[Row]:
    from wordorder.parsing.adapters.external import PARSERS
    from wordorder.parsing.model_file import SHIPPED

    rows: list[Row] = [(name, summary, {}) for name, summary in SHIPPED.items()]
    for name, factory in PARSERS.loaded().items():
        extra = {"extra": name} if name in PARSERS.built_in else {}
        rows.append((f"{name}:MODEL", _summary(factory), extra))
    return rows


def _models() -> list[Row]:
    from wordorder.parsing import installed, model_file

    rows: list[Row] = [(name, summary, {}) for name, summary in model_file.SHIPPED.items()]
    for model in installed.installed_models().values():
        licence = model.about.get("licence") or "no licence named"
        trained = f"trained on {model.about.get('data')} ({licence})"
        rows.append((model.name, f"{model.package} {model.version}: {trained}", {**model.scores}))
    return rows


def _rules() -> list[Row]:
    from wordorder.reordering.explanation import listed_rules

    rows = []
    for rule_set in listed_rules():
        options = {"scheme": rule_set.scheme, "rules": rule_set.rules}
        features = {key: value for key, value in options.items() if value is not None}
        rows.append((rule_set.name, rule_set.about, features))
    return rows


def _evaluators() -> list[Row]:
    from wordorder.metrics.compat import PRESETS
    from wordorder.scoring.compat import FILE_TOOLS

    rows = []
    for name, preset in PRESETS.items():
        rules = {"rule": preset.rule, "unaligned": preset.unaligned, "blocks": preset.blocks}
        options = {key: value for key, value in rules.items() if value is not None}
        figures = ", ".join(score.label for score in preset.scores)
        rows.append((name, f"{preset.tool}: {figures}", options))
    rows += [
        (name, f"{tool.tool}: {', '.join(tool.figures)}", {"reads": tool.reads})
        for name, tool in FILE_TOOLS.items()
    ]
    return rows


def _summary(made: Callable[..., object]) -> str:
    """Return the first sentence of the docstring of an object."""
    return (inspect.getdoc(made) or "").split("\n\n")[0].replace("\n", " ")
