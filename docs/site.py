"""What the builder of the site lacks: options of verbs, kept figures, old addresses."""

from __future__ import annotations

import importlib
import inspect
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from pathlib import Path
from typing import Any

import click

from wordorder.cli.command import Command, Setting
from wordorder.cli.program import COMMAND_SUMMARIES, import_command, program
from wordorder.drawing.look import style_sheet
from wordorder.metrics import METRICS
from wordorder.schemas import read_schema, schema_names, schema_text, tsv_columns

# The page of a browser that follows an address of an earlier version.
MOVED = """<!doctype html>
<meta charset="utf-8">
<title>Moved</title>
<meta http-equiv="refresh" content="0; url={place}">
<link rel="canonical" href="{place}">
<p>Moved to <a href="{place}">{place}</a>.
"""

MENDED = {
    # Nothing may be fetched from elsewhere, whether the page is served or opened as a file.
    '<meta charset="utf-8">': (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src '
        "'self' file: data: 'unsafe-inline'; base-uri 'none'\">"
    ),
    # What the theme lacks for people who cannot see the page.
    'data-md-component="search" role="dialog"': (
        'data-md-component="search" role="dialog" aria-label="Search"'
    ),
    '<nav class="md-nav" aria-label=': '<nav class="md-nav" role="none" data-label=',
    "<th></th>": "<td></td>",
}

# The search puts terms and metrics first, and guides before the reference.
BOOST = {
    "glossary.html": 4,
    "metrics": 2,
    "reference": 0.5,
    "formats.html": 0.5,
    "papers.html": 0.5,
}


def metric_places(docs: Path) -> dict[str, str]:
    """Return the place of each metric's section, `order.html#frs`."""
    found = {
        name: f"{page.stem}.html#{name}"
        for page in sorted((docs / "metrics").glob("*.md"))
        for name in re.findall(r"^##+ .* \{#([a-z0-9-]+)\}$", page.read_text("utf-8"), re.MULTILINE)
    }
    # Presets of a metric are described in its section.
    return {name: found[name] for name in METRICS.built_in if name in found}


def command_of(name: str) -> click.Command:
    """Return a command by its name, `train parser`; without a name the program itself."""
    command: click.Command = program
    for number, part in enumerate(name.split()):
        if number:
            assert isinstance(command, click.Group)
            command = command.commands[part]
        else:
            command = import_command(part)
    return command


def options_of(command: click.Command) -> str:
    """Return the tables of a command's options and settings, as it describes them itself."""
    rows: dict[str, list[str]] = {"option": [], "setting": []}
    for parameter in command.params:
        if not isinstance(parameter, click.Option):
            continue
        kind, names = "option", ", ".join(f"`{name}`" for name in parameter.opts)
        if isinstance(parameter, Setting):
            kind, names = "setting", f"`-O {parameter.key}`"
        value = ""
        if isinstance(parameter.type, click.Choice):
            value = ", ".join(f"`{choice}`" for choice in parameter.type.choices)
        elif not parameter.is_flag:
            value = f"`{parameter.metavar or parameter.type.name.upper()}`"
        default = "required" if parameter.required else ""
        if parameter.show_default:
            default = f"`{parameter.default}`"
        # "0.6*cder+0.4*per" is no emphasis.
        about = (parameter.help or "").replace("*", "\\*")
        rows[kind].append(f"| {names} | {value} | {default} | {about} |\n")
    return "\n".join(
        f"| {kind} | value | default | |\n|---|---|---|---|\n{''.join(lines)}"
        for kind, lines in rows.items()
        if lines
    )


def commands() -> str:
    """Return a section for each command: its usage, an example, what it does, its options."""
    parts = [f"## Of every command\n\n{options_of(program)}\n"]
    for verb in COMMAND_SUMMARIES:
        command = command_of(verb)
        under = command.commands if isinstance(command, click.Group) else {}
        for name in (verb, *(f"{verb} {each}" for each in under)):
            each = command_of(name)
            with click.Context(each, info_name=f"wordorder {name}") as context:
                usage = " ".join(each.collect_usage_pieces(context))
            example = f"{each.example}\n" if isinstance(each, Command) and each.example else ""
            said = inspect.cleandoc(each.help or "").replace("\b\n", "")
            parts.append(
                f"## {name}\n\n```\nwordorder {name} {usage}\n{example}```\n\n{said}\n\n"
                f"{options_of(each)}\n"
            )
    return "".join(parts)


def described(node: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the path of each key of a schema that has a description, and the description."""
    if path and "description" in node:
        yield path, node["description"]
    for key, below in node.get("properties", {}).items():
        yield from described(below, f"{path}.{key}" if path else key)
    if isinstance(node.get("items"), dict):
        yield from described(node["items"], f"{path}[]")


def outputs() -> str:
    """Return a section for each output: the keys of JSON as its schema describes them, and TSV."""
    parts = []
    for name in schema_names():
        schema = read_schema(name)
        if "version" not in schema["properties"]:
            continue
        of = re.sub(" --(format|report) json|wordorder ", "", schema["title"])
        rows = "".join(f"| `{path}` | {said} |\n" for path, said in described(schema))
        about = f"[Schema](schemas/{name}.json). {schema.get('description', '')}"
        names = ", ".join(f"`{column}`" for column in tsv_columns(name))
        columns = f"Columns of TSV: {names}\n\n" if names else ""
        parts.append(f"## JSON of {of}\n\n{about}\n\n| key | value |\n|---|---|\n{rows}\n{columns}")
    return "".join(parts)


# Tables of experiments: the result that has the figures, its columns, and the rows: what the page
# calls them, and the result. A column that ends in + has its gain beside it.
_ORDER = (
    {"seeds": "seeds", "FRS": "frs+", "exact": "exact+", "LAS, EWT dev": "las+"},
    {
        "treebank alone": "treebank alone",
        "ratio .5": "ratio 0.5",
        "ratio 1": "ratio 1.0",
        "ratio 2": "ratio 2.0",
    },
)
_ARC_LENGTH = (
    {"ALS, dev": "als+", "ALS, test": "als/test+", "LAS, dev": "las+", "LAS, test": "las/test+"},
    {name: name for name in ("treebank alone", "unlabelled", "labelled")},
)
_ROOTS = (
    {"Root-F1": "root-f1+", "UAS": "uas+", "LAS": "las+", "LAS, EWT dev": "las/ewt"},
    {
        "treebank alone": "treebank alone",
        "roots, ratio 1": "roots, ratio 1.0",
        "trees of the questions, nothing else": "Atis trees",
    },
)
KEPT: dict[str, tuple[str, dict[str, str], dict[str, str]]] = {
    "order": ("augmented_order", *_ORDER),
    "order, graph parser": ("augmented_order_graph", *_ORDER),
    "arc length": ("augmented_arc_length", *_ARC_LENGTH),
    "arc length, graph parser": ("augmented_arc_length_graph", *_ARC_LENGTH),
    "roots": ("augmented_root", *_ROOTS),
    "roots, graph parser": (
        "augmented_root_graph",
        _ROOTS[0],
        {
            "treebank alone": "treebank alone",
            "roots, ratio 1": "roots, ratio 1.0",
            "roots, ratio 2": "roots, ratio 2.0",
            "trees of the questions, nothing else": "Atis trees",
        },
    ),
    "references by hand": (
        "self_training_by_hand",
        {
            "seeds": "seeds",
            "FRS, KFTT": "frs/KFTT+",
            "FRS, PUD": "frs/PUD+",
            "LAS, EWT dev": "las/EWT dev",
        },
        {
            "baseline": "baseline",
            "standard, weight 1": "standard, weight 1",
            "targeted, weight 1": "targeted, weight 1",
            "standard, weight 10": "standard, weight 10",
            "targeted, weight 10": "targeted, weight 10",
            "87 of the sentences": "targeted, 87 sentences",
            "173 of the sentences": "targeted, 173 sentences",
            "347 of the sentences": "targeted, 347 sentences",
        },
    ),
    "questions": (
        "questions",
        {"seeds": "seeds", "FRS": "frs+", "LAS, questions of EWT": "las"},
        {
            "baseline": "baseline",
            "standard": "standard, weight 1",
            "targeted": "targeted, weight 1",
            "trees of 846 questions": "treebank, weight 1",
            "trees of the model `en`": "trees of `en`",
        },
    ),
}
RESULTS = Path(__file__).parents[1] / "papers"


def kept_text(result: str) -> str:
    """Return a kept result as JSON; each stands beside its script."""
    (path,) = RESULTS.glob(f"*/{result}.json")
    return path.read_text("utf-8")


def figure(value: float, places: int = 3) -> str:
    """Write a figure as papers do: no zero before the point, a real minus, halves upwards."""
    step = Decimal(1).scaleb(-places)
    text = str(Decimal(str(abs(value))).quantize(step, rounding=ROUND_HALF_UP))
    return ("−" if value < 0 else "") + text.removeprefix("0")


def gain(found: dict[str, Any]) -> str:
    """Write the difference from the first row, with its interval."""
    low, high = map(figure, found["interval"])
    plus = "" if found["difference"] < 0 else "+"
    return f"{plus}{figure(found['difference'])} [{low}, {high}]"


def kept_table(parsers: dict[str, Any], columns: dict[str, str], rows: dict[str, str]) -> str:
    """Return a table of what an experiment has kept, the baseline in the first row."""
    heads: list[str] = []
    for head, column in columns.items():
        heads += [head, "difference"] if column.endswith("+") else [head]
    lines = [f"| | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for label, name in rows.items():
        found, cells = parsers[name], [label]
        for column in columns.values():
            if column == "seeds":
                cells.append(str(len(found["seeds"])))
                continue
            of = found[column.rstrip("+")]
            cells.append(figure(of["value"]))
            if column.endswith("+"):
                cells.append(gain(of) if len(lines) > 2 else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def kept(name: str) -> Callable[[], str]:
    """Return what makes a table of `KEPT`."""

    def made() -> str:
        result, columns, rows = KEPT[name]
        parsers = json.loads(kept_text(result))["parsers"]
        return kept_table(parsers, columns, rows)

    return made


# Rows of the table of rule sets by what happens to words without a link: a corpus, and what was
# kept of it.
UNLINKED = {
    "PUD English-Japanese, gold trees, 750 sentences; 33 % of the words have no link": [
        f"PUD en-ja, unaligned={rule}" for rule in ("drop", "next", "previous")
    ],
    "KFTT dev, parsed, 636 sentences; 25 %": [
        f"KFTT dev, unaligned={rule}" for rule in ("drop", "next", "previous")
    ],
    "*R5 was not chosen on these*: the shipped sample, gold trees, 72 sentences; 10 %": [
        "sample en-ja, gold trees, unaligned=next"
    ],
    "KFTT training text, GIZA++ links, parsed, 969 sentences; 18 %": [
        f"KFTT training sentences, the same, UD trees by a parser, GIZA++ links, unaligned={rule}"
        for rule in ("drop", "next")
    ],
    "WPT05 English-Hindi, links by hand, parsed, 114 sentences; 15 %": [
        f"WPT05 en-hi by hand, parsed, unaligned={rule}" for rule in ("drop", "next")
    ],
}


def rule_results() -> dict[str, Any]:
    """Return what the experiment with rule sets kept, by corpus and rule for unaligned words."""
    found = json.loads(kept_text("talbot_rules"))
    sample = "sample en-ja, gold trees"
    found["unseen"][f"{sample}, unaligned=next"] = found["unseen"].pop(sample)
    return {**found["rules"], **found["stanford"], **found["unseen"]}


def rule_sets() -> str:
    """Return FRS of the rule sets on both corpora that R5 was chosen on."""
    found = rule_results()
    corpora = [
        (found["PUD en-ja, unaligned=drop"]["systems"], "gold"),
        (found["KFTT dev, unaligned=drop"]["systems"], "en"),
    ]
    lines = ["| | PUD en-ja, gold trees | KFTT dev, parsed with `en` |", "|---|---|---|"]
    for rules in ("R1", "R2", "R3", "R4", "head-final", "xu2009", "R5"):
        cells = []
        for systems, trees in corpora:
            value, low, high = map(figure, systems[f"{trees}/{rules}"]["frs"])
            best = max(systems, key=lambda name: systems[name]["frs"][0]) == f"{trees}/{rules}"
            cells.append(f"{f'**{value}**' if best else value} [{low}, {high}]")
        lines.append(f"| `{rules}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def rules_by_language() -> str:
    """Return FRS of rule sets by language and kind of links, the best of a row in bold."""
    sets = json.loads(kept_text("rules_by_language"))["sets"]
    names = ("R1", "head-final", "xu2009", "R5", "vso")
    lines = [f"| | links | {' | '.join(f'`{name}`' for name in names)} |", "|---" * 7 + "|"]
    for language, rows in sets.items():
        for kind in ("by hand", "automatic"):
            values = [rows[kind]["frs"][f"trees/{name}"][0] for name in names]
            cells = [
                f"**{figure(value)}**" if value == max(values) else figure(value)
                for value in values
            ]
            label = language if kind == "by hand" else ""
            lines.append(f"| {label} | {kind} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def unlinked_words() -> str:
    """Return FRS of rule sets by corpus and rule for unaligned words, the best in bold."""
    found = rule_results()
    names = ("R1", "head-final", "xu2009", "R5")
    lines = [
        f"| | `-O unaligned` | {' | '.join(f'`{name}`' for name in names)} |",
        "|---" * (len(names) + 2) + "|",
    ]
    for label, keys in UNLINKED.items():
        for place, key in enumerate(keys):
            of = found[key]
            systems = [name for name in of["systems"] if name.partition("/")[2] in names]
            best = max(systems, key=lambda name: of["systems"][name]["frs"][0])
            cells = []
            for name in names:
                system = next(each for each in systems if each.endswith(f"/{name}"))
                value = figure(of["systems"][system]["frs"][0])
                same = system != best and mark_of(of["triangles"], system, best) == "0"
                cells.append(f"**{value}**" if system == best else f"{value}{'°' * same}")
            rule = key.rpartition("=")[2]
            lines.append(f"| {'' if place else label} | `{rule}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def mark_of(triangles: list[dict[str, Any]], one: str, other: str) -> str:
    """Return the mark between two systems in the first triangle that has both."""
    for triangle in triangles:
        systems = triangle["systems"]
        if one in systems and other in systems:
            first, second = sorted((systems.index(one), systems.index(other)))
            return str(triangle["marks"][first][second - first - 1])
    raise KeyError((one, other))


def language_models() -> str:
    """Return the table of the models of other languages."""
    models = json.loads(kept_text("language_models"))["models"]
    names = {"el": "Greek", "fr": "French", "hu": "Hungarian", "ko": "Korean", "tr": "Turkish"}
    lines = ["| | sentences | LAS | LAS lost by the small file | wheel |", "|---|---|---|---|---|"]
    for code, of in models.items():
        lost = figure(of["loss"], 2)
        lines.append(
            f"| {names[code]} | {of['sentences']:,} | {of['LAS']:.1f} | {lost} | {of['MB']} MB |"
        )
    return "\n".join(lines) + "\n"


# The metrics of each page in the table of cheats, and the part of the kept result.
CHEATS = {
    "order": (
        "texts",
        *("frs", "frs-boundary", "kendall", "kendall-sqrt", "spearman", "hamming", "ulam", "exact"),
    ),
    "permutation-trees": ("texts", "pet", "pets", "maxop", "pef-recursive", "tree-cost"),
    "edits": (
        "texts",
        *("wer", "per", "cder", "cder(direction=candidate)", "long-jump", "inversion-wer", "ter"),
    ),
    "n-grams": ("texts", "bleu", "bleu-s", "nist", "chrf"),
    "matching": ("texts", "f1", "gtm", "ribes", "meteor", "senscore"),
    "mixes": ("texts", "lrscore", "mix(formula=0.6*cder + 0.4*per)"),
    "links": (
        "links",
        *("aer", "precision", "recall"),
        *("anticipation", "synchrony", "non-monotonicity", "unaligned", "frs", "kendall"),
    ),
}


def cheats(page: str) -> str:
    """Return the table of what cheats gain under the metrics of a page."""
    found = json.loads(kept_text("cheats"))
    part, *names = CHEATS[page]
    lines = ["| metric | honest | better than honest |", "|---|---|---|"]
    for name in names:
        of = found[part][name]
        gains = [f"{cheat} {figure(of['values'][cheat])}" for cheat in of["gains"]]
        arrow = "↑" if of["higher is better"] else "↓"
        honest = figure(of["values"]["honest"])
        lines.append(f"| `{name}` {arrow} | {honest} | {'; '.join(gains) or '–'} |")
    return "\n".join(lines) + "\n"


def bibliography() -> str:
    """Return the papers of docs/papers.bib, each with its key as its anchor."""
    parts = []
    text = Path(__file__).with_name("papers.bib").read_text("utf-8")
    for key, body in re.findall(r"^@\w+\{(\S+),\n(.*?)^\}$", text, re.MULTILINE | re.DOTALL):
        of = dict(re.findall(r"^  (\w+) = \{(.*)\},$", body, re.MULTILINE))
        *first, last = of["author"].split(" and ")
        author = f"{', '.join(first)} and {last}" if first else last
        title = f"[{of['title']}]({of['url']})" if "url" in of else of["title"]
        name = of.get("journal", of.get("booktitle"))
        where = f"*{name}*" if name else of["howpublished"]
        if "volume" in of:
            where += f" {of['volume']}"
        if "note" in of:
            where += f", {of['note']}"
        if "pages" in of:
            where += f", pages {of['pages'].replace('--', '–')}"
        stop = "" if title[-1] in "?!" else "."
        parts.append(f"{author}. {of['year']}. {title}{stop} {where}.\n{{ #{key} }}\n")
    return "\n".join(parts)


def citation() -> str:
    """Return how to cite the package, of CITATION.cff, as BibTeX."""
    text = Path(__file__).parents[1].joinpath("CITATION.cff").read_text("utf-8")
    of = dict(re.findall(r'^(title|version|date-released): "?(.*?)"?$', text, re.MULTILINE))
    (author,) = re.findall(r"^authors:\n  - name: (.*)$", text, re.MULTILINE)
    return (
        f"@software{{wordorder,\n  author = {{{{{author}}}}},\n  title = {{{of['title']}}},\n"
        f"  version = {{{of['version']}}},\n  date = {{{of['date-released']}}},\n}}\n"
    )


def measurements() -> str:
    """Return the tables of all figures that the benchmarks keep."""
    folder = Path(__file__).parents[1] / "benchmarks"
    sys.path.insert(0, str(folder))
    try:
        tables = importlib.import_module("measurements_page")
    finally:
        sys.path.remove(str(folder))
    page: str = tables.page(folder / "results")
    return page


# What a page leaves to the package, `::: commands`, and what makes it.
FILLED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "outputs": outputs,
    "bibliography": bibliography,
    "citation": citation,
    "measurements": measurements,
    "kept language models": language_models,
    "kept rule sets": rule_sets,
    "kept rules by language": rules_by_language,
    "kept words without a link": unlinked_words,
    **{f"kept {name}": kept(name) for name in KEPT},
    **{f"kept cheats of {page}": partial(cheats, page) for page in CHEATS},
}


def on_config(config: Any) -> Any:
    """Offer the other versions where the site has them: where `mike` builds it."""
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike"}
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Fill in what the package knows itself; say what the search puts first."""
    page.meta["search"] = {"boost": BOOST.get(page.url.partition("/")[0], 1)}
    for name, filled in FILLED.items():
        if f"::: {name}\n" in markdown:
            markdown = markdown.replace(f"::: {name}\n", filled())
    return markdown


def on_post_page(output: str, page: Any, config: Any) -> str:
    """Mend what the theme lacks; see `MENDED`."""
    for written, mended in MENDED.items():
        output = output.replace(written, mended)
    return output


def on_post_template(output: str, template_name: str, config: Any) -> str:
    """Mend the page of what is not there."""
    return on_post_page(output, None, config) if template_name.endswith(".html") else output


def site_colours() -> str:
    """Return the colours of the package for the site, whose readers choose light or dark."""
    light, _, rest = style_sheet().partition("@media (prefers-color-scheme: dark) {")
    dark = rest.partition("}")[0].replace(":root", "[data-md-color-scheme=slate]")
    return f"{light.replace('  color-scheme: light dark;', '')}{dark}}}\n"


def on_files(files: Any, config: Any) -> Any:
    """Put the schemas and the colours that the package ships on the site."""
    from mkdocs.structure.files import File

    for name in schema_names():
        place = f"schemas/{name}.json"
        files.append(File.generated(config, place, content=schema_text(name)))
    files.append(File.generated(config, "look.css", content=site_colours()))
    return files


def on_post_build(config: Any) -> None:
    """Write the index as a script too, which pages opened as files load, and lead to metrics."""
    index = Path(config.site_dir, "search", "search_index.json")
    text = f"var __index = {index.read_text('utf-8')};\n"
    index.with_suffix(".js").write_text(text, "utf-8")
    for name, place in metric_places(Path(config.docs_dir)).items():
        page = Path(config.site_dir, "metrics", f"{name}.html")
        page.write_text(MOVED.format(place=place), "utf-8")
