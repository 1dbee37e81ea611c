"""How a command reads its command line, and how its options are declared."""

import difflib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from wordorder.cli.help import write_all, write_usual
from wordorder.cli.messages import OUTPUT_KEY, Messages
from wordorder.errors import UsageError, near_names, unknown_name
from wordorder.messages import joined, set_option_names
from wordorder.options import options_of
from wordorder.text.names import file_of, refuse_two_pipes, split_name

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

# The key of a context's `meta` that is set for ``--help-all``.
SHOWS_ALL = "wordorder.all"

_YES, _NO = ("", "yes", "true", "1"), ("no", "false", "0")

# Names that other programs use, and the option here; for messages.
SYNONYMS = dict.fromkeys(("workers", "jobs", "n-jobs", "processes", "cores", "cpus"), "--threads")
# Options of sacreBLEU that have another name here.
SACREBLEU_OPTIONS = {
    "-w": "four decimals, or --format json with all",
    "-b": "--format tsv",
    "-t": "REFERENCE is a file, which `sacrebleu -t NAME -l PAIR --echo ref` writes",
    "--tok": "--tokenizer",
    "-tok": "--tokenizer",
}
# Commands whose notes are printed after the result.
RESULT_FIRST = frozenset("score compare analyze evaluate correlate rank agreement".split())


class Option(click.Option):
    """An option, with the title under which ``--help-all`` lists it."""

    def __init__(self, *names: Any, title: str = "", **arguments: Any) -> None:
        super().__init__(*names, **arguments)
        self.title = title


class Setting(Option):
    """An advanced option: written ``-O NAME=VALUE``, and listed by ``--help-all`` only.

    Internally it is a hidden option ``--NAME``, with the types, defaults and messages of options.
    """

    def __init__(self, *names: Any, **arguments: Any) -> None:
        super().__init__(*names, **{**arguments, "hidden": True})

    @property
    def key(self) -> str:
        """Its name without dashes."""
        return self.opts[0].lstrip("-")

    def to_arguments(self, text: str) -> list[str]:
        """Return the arguments that ``-O NAME=VALUE`` stands for: ``--NAME=VALUE``."""
        _, equals, value = text.partition("=")
        if not self.is_flag:
            if not equals:
                values = getattr(self.type, "choices", None) or [self.metavar]
                value_names = "|".join(map(str, values))
                raise UsageError(f"-O {self.key} needs a value: -O {self.key}={value_names}")
            return [f"{self.opts[0]}={value}"]
        if value not in (*_YES, *_NO):
            raise UsageError(f"-O {text}: legal values: yes, no")
        return [self.opts[0]] if value in _YES else []

    def help_entry(self, ctx: click.Context) -> tuple[str, str]:
        """Return ``NAME=VALUE`` and the help text."""
        self.hidden = False
        try:
            name, text = self.get_help_record(ctx) or ("", "")
        finally:
            self.hidden = True
        return name[2:].replace(" ", "=", 1), text

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name used in messages."""
        return f"'-O {self.key}'"


class Command(click.Command):
    """A command with settings (-O) and options of several values.

    An option whose metavar ends in ``...`` takes all values up to the next option: ``-i A B C``.

    Parameters
    ----------
    example : str
        A command line that help shows.
    usual : str
        The long names of the options that ``--help`` shows, in this order; all if it is empty.
    """

    def __init__(self, *args: Any, example: str = "", usual: str = "", **arguments: Any) -> None:
        super().__init__(*args, **arguments)
        self.example = example
        self.usual = usual.split()
        if self.settings() and not self.takes_metric_options():
            titles = (
                parameter.title
                for parameter in self.params
                if isinstance(parameter, Option) and "--metrics" in parameter.opts
            )
            option = Option(
                ["-O", "--option"],
                title=next(titles, "Metrics"),
                help="A setting; --help-all lists them with their values.",
                multiple=True,
                expose_value=False,
                metavar="NAME=VALUE",
            )
            self.params.append(option)

    def settings(self) -> dict[str, Setting]:
        """Return the settings by name."""
        return {
            parameter.key: parameter for parameter in self.params if isinstance(parameter, Setting)
        }

    def takes_metric_options(self) -> bool:
        """Return whether ``-O`` takes options of metrics too."""
        return any(parameter.name == "settings" for parameter in self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line, after settings and options of several values are expanded."""
        set_option_names({f"--{key}": f"-O {key}" for key in self.settings()})
        try:
            expanded_args = tuple(self._repeat_option_names(ctx, self._expand_settings(ctx, args)))
            return super().parse_args(ctx, list(expanded_args))
        except click.NoSuchOption as error:
            raise self._unknown_option(ctx, error.option_name) from None
        except click.UsageError as error:
            if "unexpected extra argument" in str(error) and "--system" in self._names():
                raise UsageError(
                    f"{error.format_message().rstrip('.')}: -i names systems"
                ) from None
            param = error.param if isinstance(error, click.BadParameter) else None
            option = param.opts[0] if param and isinstance(param.type, click.Choice) else ""
            if f"{option}s" in self._names():
                problem = error.format_message().rstrip(".")
                raise UsageError(f"{problem} (did you mean {option}s?)") from None
            if not isinstance(error, click.MissingParameter):
                raise
            greedy_flags = [
                argument for argument in expanded_args if argument in self._greedy_flags()
            ]
            if greedy_flags and error.param is not None and error.param.name == "reference":
                problem = f"no REFERENCE: {greedy_flags[-1]} takes all names that follow"
                raise UsageError(f"{ctx.info_name}: {problem}; put REFERENCE before it") from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, unless its output would overwrite an input."""
        ctx.ensure_object(Messages).after_result = self.name in RESULT_FIRST
        output = ctx.meta.get(OUTPUT_KEY)
        if output is not None:
            from wordorder.text.display import ENCODING, STYLED
            from wordorder.text.output import is_stream, require_creatable

            require_creatable(output, streams=True)
            file_names = [] if is_stream(output) else list(possible_files(ctx))
            refuse_overwriting(output, file_names)
            if any(os.path.abspath(path) == os.path.abspath(output) for path in file_names if path):
                raise UsageError(f"{output}: another option writes it; give one another name")
            ENCODING.set("utf-8")
            STYLED.set(False)
        try:
            return super().invoke(ctx)
        except UsageError as error:
            key = error.setting.replace("_", "-")
            spellings = self._spellings()
            suggestions = [spellings[name] for name in near_names(key, spellings)] if key else []
            if not suggestions:
                raise
            raise UsageError(f"{error}; this command has {joined(suggestions, 'or')}") from None

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write an example and the usual options."""
        write_usual(ctx, formatter, self.example, self.usual, len(self.settings()))

    def _names(self) -> set[str]:
        """Return the names of all options."""
        return {name for parameter in self.params for name in parameter.opts}

    def _spellings(self) -> dict[str, str]:
        """Return how each option and setting is written, by its name and its synonyms."""
        options = {
            name[2:]: name
            for parameter in self.params
            if not isinstance(parameter, Setting)
            for name in parameter.opts
            if name[:2] == "--"
        }
        synonyms = {name: flag for name, flag in SYNONYMS.items() if flag[2:] in options}
        return synonyms | options | {key: f"-O {key}" for key in self.settings()}

    def _unknown_option(self, ctx: click.Context, name: str) -> UsageError:
        """Build the error for an unknown option; it suggests similar names."""
        spellings = self._spellings()
        suggestions = [
            *dict.fromkeys(spellings[flag] for flag in near_names(name.lstrip("-"), spellings))
        ]
        hint = f" (did you mean {joined(suggestions, 'or')}?)" if suggestions else ""
        if "--tokenizer" in self._names() and name in SACREBLEU_OPTIONS:
            hint = f" (sacreBLEU's; here: {SACREBLEU_OPTIONS[name]})"
        all_options = f"`{ctx.command_path} --help-all` has all"
        return UsageError(f"No such option {name!r}{hint}; {all_options}")

    def _greedy_flags(self) -> set[str]:
        """Return the options that take all values up to the next option."""
        return {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and str(parameter.metavar).endswith(" ...")
            for name in parameter.opts
        }

    def _expand_settings(self, ctx: click.Context, args: Iterable[str]) -> Iterator[str]:
        """Yield the arguments with ``-O NAME=VALUE`` replaced by the hidden options."""
        settings = self.settings()
        remaining = iter(args)
        for arg in remaining:
            name, _, value = arg.partition("=")
            if arg == "--":
                yield from (arg, *remaining)
            elif settings and (name in ("-O", "--option") or arg[:2] == "-O"):
                attached = value if name == "--option" else arg[2:]
                text = attached or next(remaining, "")
                key = text.partition("=")[0].replace("_", "-")
                if key in settings:
                    yield from settings[key].to_arguments(text)
                elif ctx.resilient_parsing or (
                    self.takes_metric_options() and not _misspelt(key, self._spellings())
                ):
                    yield from ("-O", text)
                else:
                    spellings = self._spellings()
                    options = {flag: spellings[flag] for flag in spellings.keys() - settings.keys()}
                    raise unknown_name("setting", key, settings, shown=options)
            elif arg[:2] == "--" and name[2:] in settings and not ctx.resilient_parsing:
                raise click.NoSuchOption(name)
            else:
                yield arg

    def _repeat_option_names(self, ctx: click.Context, args: Iterable[str]) -> Iterator[str]:
        """Yield the arguments with options repeated before each of their values, as click needs."""
        greedy_flags, current_flag, value_count = self._greedy_flags(), "", 0
        remaining = iter((*args, "--"))
        for arg in remaining:
            if arg.startswith("-") and arg != "-" and not arg.startswith("-#"):
                if current_flag and not value_count and ctx.resilient_parsing:
                    yield current_flag
                elif current_flag and not value_count:
                    raise UsageError(f"Option {current_flag!r} requires an argument.")
                current_flag, value_count = arg if arg in greedy_flags else "", 0
                if arg == "--":
                    operands = list(remaining)
                    yield from ("--", *operands[:-1]) if operands else ()
                elif not current_flag:
                    yield arg
            else:
                if current_flag:
                    yield current_flag
                    value_count += 1
                # "-#NAME", a column of standard input, would be an option for click.
                yield f"/dev/stdin{arg[1:]}" if arg.startswith("-#") else arg


class LazyCommands(Mapping[str, click.Command]):
    """The commands of a group, made when they are looked up."""

    def __init__(self, names: Iterable[str], make: Callable[[str], click.Command]) -> None:
        self._names = list(names)
        self._make = functools.cache(make)

    def __getitem__(self, name: str) -> click.Command:
        if name not in self._names:
            raise KeyError(name)
        return self._make(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _misspelt(key: str, settings: Iterable[str]) -> bool:
    """Return whether a name resembles that of a setting, and is not an option of a metric."""
    if not difflib.get_close_matches(key, settings, cutoff=0.8):
        return False
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options

    name = key.replace("-", "_")
    return not any(name in default_options(factory) for factory in METRICS.loaded().values())


def show_all(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    """Print all options and exit; the callback of ``--help-all``."""
    if requested and not ctx.resilient_parsing:
        formatter = ctx.make_formatter()
        if isinstance(ctx.command, Command):
            settings = ctx.command.settings().values()
            described = [(setting, *setting.help_entry(ctx)) for setting in settings]
            write_all(ctx, formatter, ctx.command.example, described)
        else:
            ctx.meta[SHOWS_ALL] = True
            ctx.command.format_help(ctx, formatter)
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()


class ActionGroup(click.Group):
    """A group of commands; its error for an unknown command lists the known ones.

    Parameters
    ----------
    noun : str
        The noun for a command in messages.
    """

    def __init__(self, *args: Any, noun: str = "action", **arguments: Any) -> None:
        super().__init__(*args, **arguments | {"invoke_without_command": True})
        self.noun = noun

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; the error for an unknown one lists all."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_name(self.noun, args[0], self.commands)
        return super().resolve_command(ctx, args)


def need_action(ctx: click.Context) -> None:
    """Print the help of a group and exit with status 2, unless a subcommand is called."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def named_command(
    name: str, *, example: str, usual: str = ""
) -> Callable[[Callable[..., Any]], Command]:
    """Turn a function into a `Command` of this name."""
    return click.command(name, cls=Command, example=example, usual=usual)


def title(text: str) -> Callable[[Function], Function]:
    """Set the title in ``--help-all`` of the options below, up to the next title."""

    def add(function: Function) -> Function:
        for parameter in getattr(function, "__click_params__", ()):
            if isinstance(parameter, Option) and not parameter.title:
                parameter.title = text
        return function

    return add


def option(
    usage: str,
    help: str,
    *,
    choices: Sequence[str] | None = None,
    name: str | None = None,
    min_value: int | None = None,
    max_value: int | None = None,
    **arguments: Any,
) -> Callable[[Function], Function]:
    """Declare an option.

    Parameters
    ----------
    usage : str
        The names, and the name of the value in help: ``"-o --output FILE"``; or the legal values:
        ``"--ties {count,none}"``. Without either it is a flag; ``FILE ...`` takes several.
    help : str
    choices : sequence of str, optional
        The legal values, if `usage` does not list them.
    name : str, optional
        The name of the parameter, if it differs from the option.
    min_value, max_value : int, optional
        The bounds of a whole number.
    **arguments
        Arguments of `click.option`, and `title` for ``--help-all``, unless the decorator `title`
        sets it. A default is shown.
    """
    names = [word for word in usage.split() if word[0] == "-"]
    value = " ".join(word for word in usage.split() if word[0] != "-")
    if value.startswith("{"):
        choices = value[1:-1].split(",")
    if choices is not None:
        arguments["type"] = click.Choice(choices)
    elif value:
        arguments |= {
            "metavar": value,
            "multiple": value.endswith(" ...") or arguments.get("multiple", False),
        }
    else:
        arguments["is_flag"] = True
    if min_value is not None:
        arguments["type"] = click.IntRange(min_value, max_value)
    arguments.setdefault("show_default", arguments.get("default") not in (None, "-"))
    arguments.setdefault("cls", Option)
    parameter_name = [] if name is None else [name]
    return click.option(*names, *parameter_name, help=help, **arguments)


def setting(usage: str, help: str, **arguments: Any) -> Callable[[Function], Function]:
    """Declare a `Setting`; the arguments are those of `option`."""
    return option(usage, help, cls=Setting, **arguments)


def declared_options(
    *groups: type, **changes: dict[str, Any] | None
) -> Callable[[Function], Function]:
    """Return a decorator that adds the options of groups of `wordorder.options`.

    Parameters
    ----------
    *groups : class
    **changes : dict, or None
        Arguments of `option` that differ in this command, by the name of the option; None omits
        the option.
    """
    return combine_options(*_declare(groups, changes))


def _declare(
    groups: Sequence[type], changes: Mapping[str, dict[str, Any] | None]
) -> Iterator[Decorator[Any]]:
    for name, declared_option in options_of(*groups).items():
        change = changes.get(name, {})
        if change is None:
            continue
        arguments: dict[str, Any] = {
            "usage": declared_option.usage,
            "help": declared_option.help,
            "name": name,
        }
        arguments |= {"choices": declared_option.choices, "title": declared_option.title}
        if not declared_option.show_default:
            arguments["show_default"] = False
        if declared_option.default == ():
            arguments["multiple"] = True
        elif not declared_option.is_switch:
            arguments["default"] = declared_option.default
        yield (setting if declared_option.setting else option)(**arguments | change)


def combine_options(
    *decorators: Callable[[Any], Any], title: str | None = None
) -> Callable[[Function], Function]:
    """Combine decorators into one; help lists their options in this order, under the title."""

    def add(function: Function) -> Function:
        earlier = list(getattr(function, "__click_params__", ()))
        for decorator in reversed(decorators):
            function = decorator(function)
        for parameter in getattr(function, "__click_params__", ()):
            if title is not None and parameter not in earlier and isinstance(parameter, Option):
                parameter.title = title
        return function

    return add


def passed_options(names: Iterable[str]) -> list[str]:
    """Return those of these parameters that the command line sets, as written in messages."""
    ctx = click.get_current_context()
    requested = set(names)
    return [
        _display_name(parameter)
        for parameter in ctx.command.params
        if parameter.name in requested
        and ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        and ctx.params.get(parameter.name) is not None
    ]


def refuse(names: Iterable[str], why: str) -> None:
    """Raise a UsageError if the command line sets one of these parameters: "X is for Y".

    Parameters
    ----------
    names : iterable of str
        Names of parameters.
    why : str
        The message after the option: ``"is for --html"``.
    """
    for flag in passed_options(names):
        raise UsageError(f"{flag} {why}")


def refuse_overwriting(output: str | None, inputs: Iterable[str | None]) -> None:
    """Raise a UsageError if the output would overwrite an input."""
    if output in (None, "-") or not os.path.isfile(str(output)):
        return
    paths = [file_of(name) for name in inputs if name is not None]
    if any(os.path.exists(path) and os.path.samefile(str(output), path) for path in paths):
        raise UsageError(f"{output}: is an input too; give the output another name")


def check_files(inputs: Sequence[str | None], *outputs: str | None) -> None:
    """Refuse two inputs from one pipe, and outputs that would overwrite an input."""
    refuse_two_pipes(inputs)
    for output in outputs:
        refuse_overwriting(output, inputs)


def possible_files(ctx: click.Context) -> Iterator[str]:
    """Yield the values of options that may be names of files; of ``NAME=FILE`` also FILE."""
    return _flatten_texts(ctx.params.values())


def _flatten_texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
            yield split_name(value)[1]
        elif isinstance(value, (list, tuple)):
            yield from _flatten_texts(value)


def _display_name(parameter: click.Parameter) -> str:
    """Return the name of a parameter in messages."""
    if isinstance(parameter, Setting):
        return f"-O {parameter.key}"
    return parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.name).upper()
