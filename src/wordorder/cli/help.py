"""The help of commands: an example and the usual options; for ``--help-all`` all, by title."""

from collections.abc import Sequence

import click

from wordorder.messages import counted

# A setting, its ``NAME=VALUE``, and its help text.
DescribedSetting = tuple[click.Option, str, str]

# The maximum number of options in ``--help``; a test checks it.
MAX_USUAL_OPTIONS = 14
# The titles of ``--help-all``, in order.
TITLES = (
    *("Systems and files", "Metrics", "Words of translations", "Alignments and reference orders"),
    *("Model", "Learning", "Intervals and tests", "What is shown", "Checks", "Results"),
    *("Long and large jobs", "Weights of metrics", "Self-training", "Raters", "Server"),
    *("Augmented loss", "Other options"),
)
# Options of all commands, described by the last line of help.
_COMMON_OPTIONS = {"quiet", "help-all", "help"}
# The maximum length of an option with its choices, in characters.
_MAX_NAME_LENGTH = 70


def write_usual(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    example: str,
    usual: Sequence[str],
    setting_count: int,
) -> None:
    """Write usage, an example, the description and the usual options.

    Parameters
    ----------
    ctx : click.Context
    formatter : click.HelpFormatter
    example : str
    usual : sequence of str
        The long names of the options to show; all if it is empty.
    setting_count : int
        The number of settings.
    """
    _write_head(ctx, formatter, example)
    records_by_name = {
        group_name(parameter): record
        for parameter in ctx.command.get_params(ctx)
        if isinstance(parameter, click.Option) and (record := _record(parameter, ctx))
    }
    usual = usual or [name for name in records_by_name if name not in _COMMON_OPTIONS]
    records = [records_by_name[name] for name in usual if name in records_by_name]
    if records:
        with formatter.section("Options"):
            formatter.write_dl(records)
    hidden_count = len(records_by_name.keys() - _COMMON_OPTIONS) - len(usual)
    hidden_parts = [f"{counted(hidden_count, 'more option')}"] * (hidden_count > 0)
    hidden_parts += [f"{counted(setting_count, 'setting')} (-O)"] * (setting_count > 0)
    formatter.write_paragraph()
    formatter.write_text(
        (f"--help-all shows {' and '.join(hidden_parts)}. " if hidden_parts else "")
        + "-q prints no notes on standard error, only errors."
    )


def write_all(
    ctx: click.Context,
    formatter: click.HelpFormatter,
    example: str,
    settings: Sequence[DescribedSetting],
) -> None:
    """Write usage, an example, the description and all options, under their titles."""
    _write_head(ctx, formatter, example)
    records_by_title: dict[str, list[tuple[str, str]]] = {title: [] for title in TITLES}
    for parameter in ctx.command.get_params(ctx):
        record = _record(parameter, ctx)
        # Arguments are explained in the description.
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
    """Move the choices of an option from its name to its text if the name is too long."""
    if len(name) <= _MAX_NAME_LENGTH or not isinstance(parameter.type, click.Choice):
        return name, text
    short_name, separator = name.partition(" [")[0], " "
    if "=" in short_name:
        short_name, separator = name.partition("=")[0], "="
    return f"{short_name}{separator}NAME", f"{', '.join(parameter.type.choices)}. {text}"


def group_name(parameter: click.Parameter) -> str:
    """Return the name of an option without dashes; the long one if it has two."""
    return next((o for o in parameter.opts if o.startswith("--")), parameter.opts[0]).lstrip("-")


def title_of(parameter: click.Parameter) -> str:
    """Return the title under which ``--help-all`` lists an option."""
    return getattr(parameter, "title", "") or TITLES[-1]
