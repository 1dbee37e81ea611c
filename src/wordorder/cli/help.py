"""The help of commands: an example and the usual options; with ``--help-all`` all, in groups."""

from collections.abc import Sequence
from functools import cache

import click

from wordorder.messages import counted

# A setting, with its name and value as ``-O`` takes them, and its help.
Described = tuple[click.Option, str, str]

# Options that ``--help`` shows at most.
MOST = 14
# Titles in the order in which they are printed, with the options of all verbs below them.
GROUPS = {
    "Systems and files": (
        "system nbest start trees parser rules gold-trees source target input column "
        "reference factors by human scores lm add member languages items"
    ),
    "Metrics": "metrics option compat segments fail-under unit statistic method",
    "Words of translations": "tokenizer lowercase aligner language",
    "Alignments and reference orders": (
        "hypothesis-alignments reference-alignments alignments alignment-format one-based rule"
    ),
    "Model": (
        "model features beam tags tagger keep recipe package weights window symmetrize reordering"
    ),
    "Learning": "dev epochs seed reranked",
    "Intervals and tests": "confidence level resamples test over documents sensitivity hypothesis",
    "What is shown": "focus top sentence text words forest literal direction substitution",
    "Checks": "check report",
    "Results": (
        "output to orders-output alignment-output format html tables figures save load "
        "kbest-output kbest svg what rater anonymous backup heads"
    ),
    "Long and large jobs": "threads resume engine plan",
    "Weights of metrics": "fit",
    "Self-training": "self-train",
    "Raters": "revoke renew protocol scale raters max-share control instructions",
    "Server": "port no-browser lan host",
    "Augmented loss": "augment",
    "Other options": "quiet help-all help",
}
# Options that mean something else in one verb.
OWN_GROUPS = {
    "correlate": {"by": "Metrics", "seed": "Intervals and tests"},
    "score": dict.fromkeys(("by", "seed"), "Intervals and tests"),
    "compare": dict.fromkeys(("by", "seed"), "Intervals and tests"),
    "evaluate": {"seed": "Intervals and tests"},
    "analyze": {"by": "Intervals and tests", "seed": "Intervals and tests", "metric": "Metrics"},
    "parse": {"kbest": "Model", "kbest-tags": "Model"},
    "train parser": {
        **dict.fromkeys(
            "rules metrics input rule alignment-format one-based option".split(), "Self-training"
        ),
        "lowercase": "Learning",
    },
    "train tagger": {"lowercase": "Learning"},
    "train order": {"add": "Model", "member": "Model", "reverse": "Systems and files"},
    "train translation": {"lowercase": "Systems and files", "aligner": "Model"},
    "align": {
        "lowercase": "Systems and files",
        "output": "Results",
        "min-score": "Results",
        "scores": "Results",
    },
    "rank": {"pairs": "Intervals and tests"},
}
# Of each command.
EXAMPLES = {
    "demo": "wordorder demo --html demo.html",
    "reference": "wordorder reference links.align --source source.txt -o reference.orders",
    "score": "wordorder score reference.txt -i a.txt b.txt -m bleu,ter,cder --confidence",
    "compare": "wordorder compare reference.txt -i a.txt b.txt -m ribes,cder",
    "align": "wordorder align source.txt target.txt -o links.align",
    "train parser": "wordorder train parser train.conllu --dev dev.conllu -o my.model",
    "train tagger": "wordorder train tagger train.conllu --dev dev.conllu -o my.model",
    "train order": "wordorder train order source.txt links.align -o my.safetensors",
    "train rules": "wordorder train rules trees.conllu reference.orders -o my.toml",
    "train translation": "wordorder train translation source.txt target.txt -o my.model",
    "translate": "wordorder translate my.model source.txt -o translations.txt",
    "tune": "wordorder tune lists.txt reference.txt -m bleu -o weights.txt",
    "tag": "wordorder tag en source.txt -o tagged.conllu",
    "parse": "wordorder parse en source.txt -o trees.conllu",
    "convert": "wordorder convert trees.mrg -o trees.conllu",
    "select": "wordorder select lists.conllu reference.orders --rules R5 -o chosen.conllu",
    "reorder": "wordorder reorder source.txt --parser en --rules R5 -o reordered.txt",
    "rules check": "wordorder rules check my.toml",
    "rules explain": "wordorder rules explain R5 --text 'she has read the book'",
    "rules list": "wordorder rules list",
    "rules show": "wordorder rules show R5",
    "evaluate": "wordorder evaluate reference.orders --trees en=trees.conllu --rules R1 R5",
    "analyze": "wordorder analyze reference.txt -i a.txt b.txt --html report.html",
    "correlate": "wordorder correlate judged.toml -m bleu,ribes --html page.html",
    "rank": "wordorder rank judgements.csv --by bradley-terry",
    "agreement": "wordorder agreement ratings.tsv",
    "annotate": "wordorder annotate source.txt target.txt -o my.db",
    "rate": "wordorder rate src.txt ref.txt -i a.txt b.txt --protocol preference -o my.db",
    "serve": "wordorder serve my.db --add 1",
    "export": "wordorder export my.db -o ratings.tsv",
    "progress": "wordorder progress my.db",
    "tree": "wordorder tree '2 4 5 6 1 3' --svg tree.svg",
    "path": "wordorder path 'the cat sat down' 'down sat the cat'",
    "list": "wordorder list aligners",
}
# What ``--help`` shows of commands with more options, in this order.
USUAL = {
    "reference": "source target output rule option format one-based check report trees threads",
    "score": (
        "system metrics option source reference tokenizer lowercase aligner language confidence "
        "segments fail-under figures format"
    ),
    "compare": (
        "system metrics option source reference tokenizer lowercase aligner language test seed "
        "figures format output"
    ),
    "align": "output model symmetrize format lowercase save load threads",
    "train parser": (
        "output dev epochs parser beam features tags tagger recipe self-train rules resume "
        "figures option"
    ),
    "train tagger": "output dev model epochs lowercase seed resume figures option",
    "train order": "output model trees parser rule metrics dev add epochs resume figures option",
    "train rules": "output start metrics option seed resume threads",
    "train translation": "output alignments rules parser lm window aligner lowercase option",
    "tune": (
        "output metrics option method start nbest reference tokenizer lowercase seed confidence "
        "reranked resume format"
    ),
    "parse": "output input tokenizer beam kbest tags tagger threads",
    "reorder": (
        "rules parser by to output orders-output input tokenizer factors alignments "
        "alignment-output threads"
    ),
    "evaluate": (
        "trees parser source rules metrics option rule test sensitivity seed figures format output"
    ),
    "analyze": (
        "system metrics html tables focus trees parser source rules target reference aligner "
        "figures format"
    ),
    "correlate": (
        "metrics option scores human unit by statistic test over html figures fit format output"
    ),
    "rate": (
        "system output protocol scale raters max-share control instructions seed "
        "port no-browser lan"
    ),
    "select": "rules metrics output input rule alignment-format one-based threads option format",
}
# Of all commands; their line of help is the last one.
_SHARED = {"quiet", "help-all", "help"}
# Of an option with its choices.
_LONGEST = 70


@cache
def _groups() -> dict[str, str]:
    """Return the title of each option."""
    return {name: title for title, names in GROUPS.items() for name in names.split()}


def write_usual(ctx: click.Context, formatter: click.HelpFormatter, settings: int) -> None:
    """Write usage, an example, the description and at most `MOST` options."""
    verb = _verb(ctx)
    _write_head(ctx, formatter)
    shown = {
        group_name(each): record
        for each in ctx.command.get_params(ctx)
        if isinstance(each, click.Option) and (record := _record(each, ctx))
    }
    usual = USUAL.get(verb, "").split() or [name for name in shown if name not in _SHARED]
    records = [shown[name] for name in usual if name in shown]
    if records:
        with formatter.section("Options"):
            formatter.write_dl(records)
    rest = len(shown.keys() - _SHARED) - len(usual)
    more = [f"{counted(rest, 'more option')}"] * (rest > 0)
    more += [f"{counted(settings, 'setting')} (-O)"] * (settings > 0)
    formatter.write_paragraph()
    formatter.write_text(
        (f"--help-all shows {' and '.join(more)}. " if more else "")
        + "-q prints no notes on standard error, only errors."
    )


def write_all(
    ctx: click.Context, formatter: click.HelpFormatter, settings: Sequence[Described]
) -> None:
    """Write usage, an example, the description and all options, in their groups."""
    _write_head(ctx, formatter)
    found: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
    for parameter in ctx.command.get_params(ctx):
        record = _record(parameter, ctx)
        # What arguments are, the description says.
        if record is not None and isinstance(parameter, click.Option):
            found[group_of(_verb(ctx), parameter)].append(record)
    found["Settings, each as -O NAME=VALUE (-O NAME where no value is shown)"] = [
        _short(*each) for each in settings
    ]
    for title, records in found.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _write_head(ctx: click.Context, formatter: click.HelpFormatter) -> None:
    ctx.command.format_usage(ctx, formatter)
    with formatter.section("Example"):
        formatter.write_text(EXAMPLES[_verb(ctx)])
    ctx.command.format_help_text(ctx, formatter)


def _record(parameter: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    record = parameter.get_help_record(ctx)
    return record and _short(parameter, *record)


def _short(parameter: click.Parameter, name: str, text: str) -> tuple[str, str]:
    """Put the choices of an option into its text where they would be a line too long."""
    if len(name) <= _LONGEST or not isinstance(parameter.type, click.Choice):
        return name, text
    shown, joint = name.partition(" [")[0], " "
    if "=" in shown:
        shown, joint = name.partition("=")[0], "="
    return f"{shown}{joint}NAME", f"{', '.join(parameter.type.choices)}. {text}"


def group_name(parameter: click.Parameter) -> str:
    """Return the name of an option without dashes, the long one where it has two."""
    return next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0]).lstrip("-")


def group_of(verb: str, parameter: click.Parameter) -> str:
    """Return the title under which an option is printed."""
    name, last = group_name(parameter), list(GROUPS)[-1]
    return OWN_GROUPS.get(verb, {}).get(name) or _groups().get(name, last)


def _verb(ctx: click.Context) -> str:
    """Return the verb without the program: ``train parser``."""
    return ctx.command_path.partition(" ")[2]
