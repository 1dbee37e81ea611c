"""The help of commands: an example and the usual options; with ``--help-all`` all, in groups."""

from collections.abc import Sequence

import click

from wordorder.messages import counted

# A setting, with its name and value as ``-O`` takes them, and its help.
Described = tuple[click.Option, str, str]

# Options that ``--help`` shows at most.
MOST = 14
# The titles of ``--help-all``, in their order.
TITLES = (
    *("Systems and files", "Metrics", "Words of translations", "Alignments and reference orders"),
    *("Model", "Learning", "Intervals and tests", "What is shown", "Checks", "Results"),
    *("Long and large jobs", "Weights of metrics", "Self-training", "Raters", "Server"),
    *("Augmented loss", "Other options"),
)
# Of all commands; their line of help is the last one.
_SHARED = {"quiet", "help-all", "help"}
# Of an option with its choices.
_LONGEST = 70


def write_usual(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    example: str,
    usual: Sequence[str],
    settings: int,
) -> None:
    """Write usage, an example, the description and the usual options.

    Parameters
    ----------
    ctx : click.Context
    formatter : click.HelpFormatter
    example : str
    usual : sequence of str
        The long names of the options that are shown; all if it is empty.
    settings : int
        The number of settings.
    """
    _write_head(ctx, formatter, example)
    records_by_name = {
        group_name(parameter): record
        for parameter in ctx.command.get_params(ctx)
        if isinstance(parameter, click.Option) and (record := _record(parameter, ctx))
    }
    usual = usual or [name for name in records_by_name if name not in _SHARED]
    records = [records_by_name[name] for name in usual if name in records_by_name]
    if records:
        with formatter.section("Options"):
            formatter.write_dl(records)
    hidden_count = len(records_by_name.keys() - _SHARED) - len(usual)
    hidden_parts = [f"{counted(hidden_count, 'more option')}"] * (hidden_count > 0)
    hidden_parts += [f"{counted(settings, 'setting')} (-O)"] * (settings > 0)
    formatter.write_paragraph()
    formatter.write_text(
        (f"--help-all shows {' and '.join(hidden_parts)}. " if hidden_parts else "")
        + "-q prints no notes on standard error, only errors."
    )


def write_all(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    example: str,
    settings: Sequence[Described],
) -> None:
    """Write usage, an example, the description and all options, under their titles."""
    _write_head(ctx, formatter, example)
    records_by_title: dict[str, list[tuple[str, str]]] = {title: [] for title in TITLES}
    for parameter in ctx.command.get_params(ctx):
        record = _record(parameter, ctx)
        # What arguments are, the description says.
        if record is not None and isinstance(parameter, click.Option):
            records_by_title[title_of(parameter)].append(record)
    records_by_title["Settings, each as -O NAME=VALUE (-O NAME where no value is shown)"] = [
        _short(*setting) for setting in settings
    ]
    for title, records in records_by_title.items():
        if records:
            with formatter.section(title):
                formatter.write_dl(records)


def _write_head(ctx: click.Context, formatter: click.HelpFormatter, example: str) -> None:
    ctx.command.format_usage(ctx, formatter)
    with formatter.section("Example"):
        formatter.write_text(example)
    ctx.command.format_help_text(ctx, formatter)


def _record(parameter: click.Parameter, ctx: click.Context) -> tuple[str, str] | None:
    record = parameter.get_help_record(ctx)
    return record and _short(parameter, *record)


def _short(parameter: click.Parameter, name: str, text: str) -> tuple[str, str]:
    """Put the choices of an option into its text where they would be a line too long."""
    if len(name) <= _LONGEST or not isinstance(parameter.type, click.Choice):
        return name, text
    short_name, joint = name.partition(" [")[0], " "
    if "=" in short_name:
        short_name, joint = name.partition("=")[0], "="
    return f"{short_name}{joint}NAME", f"{', '.join(parameter.type.choices)}. {text}"


def group_name(parameter: click.Parameter) -> str:
    """Return the name of an option without dashes, the long one where it has two."""
    return next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0]).lstrip("-")


def title_of(parameter: click.Parameter) -> str:
    """Return the title under which an option is printed."""
    return getattr(parameter, "title", "") or TITLES[-1]
