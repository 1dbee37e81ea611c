"""What a shell may complete: names of metrics, rule sets, models and aligners, and files."""

from __future__ import annotations

import re
from collections.abc import Callable

import click
from click.shell_completion import CompletionItem


def add_completion(command: click.Command) -> None:
    """Make the options of a command, and of its subcommands, complete names and files."""
    for under in getattr(command, "commands", {}).values():
        add_completion(under)
    for parameter in command.params:
        keys = [f"{command.name} {parameter.opts[0]}", *parameter.opts]
        names = next((_NAMES[key] for key in keys if key in _NAMES), None)
        if names or parameter.type is click.STRING:
            parameter.type = _NamesOrFiles(names)


class _NamesOrFiles(click.types.StringParamType):
    """Names of one kind, of which the last in a list is completed; else the names of files."""

    def __init__(self, names: Callable[[], list[str]] | None) -> None:
        self.names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # Shells forget the names before a mark for files, so it goes first.
        found = [CompletionItem(incomplete, type="file")]
        if self.names:
            done = re.sub(r"[^,+*=]*$", "", incomplete)
            words = [f"{done}{name}" for name in self.names()]
            found += [CompletionItem(word) for word in words if word.startswith(incomplete)]
        return found


def _metrics() -> list[str]:
    from wordorder.metrics import METRICS

    return ["all", *METRICS.names()]


def _rules() -> list[str]:
    from wordorder.reordering.rules import RULES

    return RULES.names()


def _models() -> list[str]:
    from wordorder.parsing.adapters.opening import PARSERS
    from wordorder.parsing.model_file import SHIPPED

    return [*SHIPPED, *(f"{name}:" for name in PARSERS.names())]


def _aligners() -> list[str]:
    from wordorder.alignment.aligners import ALIGNERS

    return ALIGNERS.names()


def _matchers() -> list[str]:
    return ["exact", "stem", "synonym", "paraphrase"]


# By an option, or by a command and what it takes.
_NAMES: dict[str, Callable[[], list[str]]] = {
    "-m": _metrics,
    "--rules": _rules,
    "--order": _rules,
    "translation --aligner": _aligners,
    "check files": _rules,
    "explain rules": _rules,
    "show name": _rules,
    "--parser": _models,
    "parser --start": _models,
    "rules --start": _rules,
    "parse model": _models,
    "tag model": _models,
    "align --model": _aligners,
    "--aligner": _matchers,
}
