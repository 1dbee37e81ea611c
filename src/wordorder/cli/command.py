"""A command: how its command line is read, and how an option of it is declared."""

import difflib
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from wordorder.cli.help import write_all, write_usual
from wordorder.cli.messages import OUTPUT, Messages
from wordorder.errors import UsageError, near_names, unknown_name
from wordorder.messages import joined, set_spellings
from wordorder.options import options_of
from wordorder.text.names import file_of, refuse_two_pipes, split_name

Function = TypeVar("Function", bound=Callable[..., Any])
Decorator = Callable[[Function], Function]

# Where a context keeps that ``--help-all`` was asked for.
ALL = "wordorder.all"

_YES, _NO = ("", "yes", "true", "1"), ("no", "false", "0")

# What other programs call an option; a message about such a name leads to ours.
SYNONYMS = dict.fromkeys(("workers", "jobs", "n-jobs", "processes", "cores", "cpus"), "--threads")
# Options of sacreBLEU's that are called otherwise here.
OF_SACREBLEU = {
    "-w": "four decimals, or --format json with all",
    "-b": "--format tsv",
    "-t": "REFERENCE is a file, which `sacrebleu -t NAME -l PAIR --echo ref` writes",
    "--tok": "--tokenizer",
    "-tok": "--tokenizer",
}


# Commands that print a result in the end, with their notes below it.
RESULT_FIRST = frozenset("score compare analyze evaluate correlate rank agreement".split())


class Option(click.Option):
    """An option, with the title of ``--help-all`` under which it is listed."""

    def __init__(self, *names: Any, title: str = "", **more: Any) -> None:
        super().__init__(*names, **more)
        self.title = title


class Setting(Option):
    """An option that few need: it is given as ``-O NAME=VALUE``, and ``--help-all`` lists it.

    It is a hidden option ``--NAME``, so that types, defaults and messages are those of all options.
    """

    def __init__(self, *names: Any, **more: Any) -> None:
        super().__init__(*names, **{**more, "hidden": True})

    @property
    def key(self) -> str:
        """Its name without dashes."""
        return self.opts[0].lstrip("-")

    def given(self, text: str) -> list[str]:
        """Return what ``-O`` with a text, ``NAME=VALUE``, means on the command line."""
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

    def described(self, ctx: click.Context) -> tuple[str, str]:
        """Return ``NAME=VALUE`` and the help, as other options have it."""
        self.hidden = False
        try:
            name, text = self.get_help_record(ctx) or ("", "")
        finally:
            self.hidden = True
        return name[2:].replace(" ", "=", 1), text

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return what messages call it."""
        return f"'-O {self.key}'"


class Command(click.Command):
    """A command with settings (-O), whose options may take several names.

    An option of several values whose metavar ends in ``...`` takes all names that follow, up to the
    next option: ``-i A B C``.

    Parameters
    ----------
    example : str
        A command line that help shows.
    usual : str
        The long names of the options that ``--help`` shows, in their order; all if it is empty.
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
        """Return whether ``-O`` has options of metrics too."""
        return any(parameter.name == "settings" for parameter in self.params)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the command line, with settings as options and one option for each of its values."""
        set_spellings({f"--{key}": f"-O {key}" for key in self.settings()})
        try:
            spread = tuple(self._repeat_flags(ctx, self._read(ctx, args)))
            return super().parse_args(ctx, list(spread))
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
            greedy_flags = [each for each in spread if each in self._greedy_flags()]
            if greedy_flags and error.param is not None and error.param.name == "reference":
                problem = f"no REFERENCE: {greedy_flags[-1]} takes all names that follow"
                raise UsageError(f"{ctx.info_name}: {problem}; put REFERENCE before it") from None
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, if its output would take the place of no input."""
        ctx.ensure_object(Messages).after_result = self.name in RESULT_FIRST
        output = ctx.meta.get(OUTPUT)
        if output is not None:
            from wordorder.text.display import ENCODING, STYLED
            from wordorder.text.output import is_stream, require_creatable

            require_creatable(output, streams=True)
            file_names = [] if is_stream(output) else list(named_files(ctx))
            refuse_overwriting(output, file_names)
            if any(os.path.abspath(path) == os.path.abspath(output) for path in file_names if path):
                raise UsageError(f"{output}: another option writes it; give one another name")
            ENCODING.set("utf-8")
            STYLED.set(False)
        try:
            return super().invoke(ctx)
        except UsageError as error:
            near = near_names(error.setting.replace("_", "-"), self._find_meant()) * bool(
                error.setting
            )
            if not near:
                raise
            meant = joined([self._find_meant()[name] for name in near], "or")
            raise UsageError(f"{error}; this command has {meant}") from None

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write an example and the usual options; all of them for ``--help-all``."""
        write_usual(ctx, formatter, self.example, self.usual, len(self.settings()))

    def _names(self) -> set[str]:
        """Return the names of all options."""
        return {name for parameter in self.params for name in parameter.opts}

    def _find_meant(self) -> dict[str, str]:
        """Return how what may be meant by the name behind ``-O`` is given."""
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
        """Build the error for an option that does not exist, with the names that are near it."""
        meant = self._find_meant()
        near = [*dict.fromkeys(meant[each] for each in near_names(name.lstrip("-"), meant))]
        hint = f" (did you mean {joined(near, 'or')}?)" if near else ""
        if "--tokenizer" in self._names() and name in OF_SACREBLEU:
            hint = f" (sacreBLEU's; here: {OF_SACREBLEU[name]})"
        all_of_them = f"`{ctx.command_path} --help-all` has all"
        return UsageError(f"No such option {name!r}{hint}; {all_of_them}")

    def _greedy_flags(self) -> set[str]:
        """Return the options that take all names which follow."""
        return {
            name
            for parameter in self.params
            if isinstance(parameter, click.Option) and str(parameter.metavar).endswith(" ...")
            for name in parameter.opts
        }

    def _read(self, ctx: click.Context, args: Iterable[str]) -> Iterator[str]:
        """Yield the command line with settings as the options that they are."""
        settings = self.settings()
        remaining = iter(args)
        for arg in remaining:
            name, _, value = arg.partition("=")
            if arg == "--":
                yield from (arg, *remaining)
            elif settings and (name in ("-O", "--option") or arg[:2] == "-O"):
                glued = value if name == "--option" else arg[2:]
                text = glued or next(remaining, "")
                key = text.partition("=")[0].replace("_", "-")
                if key in settings:
                    yield from settings[key].given(text)
                elif ctx.resilient_parsing or (
                    self.takes_metric_options() and not _misspelt(key, self._find_meant())
                ):
                    yield from ("-O", text)
                else:
                    meant = self._find_meant()
                    options = {each: meant[each] for each in meant.keys() - settings.keys()}
                    raise unknown_name("setting", key, settings, shown=options)
            elif arg[:2] == "--" and name[2:] in settings and not ctx.resilient_parsing:
                raise click.NoSuchOption(name)
            else:
                yield arg

    def _repeat_flags(self, ctx: click.Context, args: Iterable[str]) -> Iterator[str]:
        """Yield the option before each of its names, as click wants it."""
        greedy_flags, taking, names = self._greedy_flags(), "", 0
        remaining = iter((*args, "--"))
        for arg in remaining:
            if arg.startswith("-") and arg != "-" and not arg.startswith("-#"):
                if taking and not names and ctx.resilient_parsing:
                    yield taking
                elif taking and not names:
                    raise UsageError(f"Option {taking!r} requires an argument.")
                taking, names = arg if arg in greedy_flags else "", 0
                if arg == "--":
                    operands = list(remaining)
                    yield from ("--", *operands[:-1]) if operands else ()
                elif not taking:
                    yield arg
            else:
                if taking:
                    yield taking
                    names += 1
                # A column of standard input; click would take it for an option.
                yield f"/dev/stdin{arg[1:]}" if arg.startswith("-#") else arg


class Commands(Mapping[str, click.Command]):
    """The commands of a group, each made when it is asked for."""

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
    """Return whether a name is almost that of a setting, and no option of a metric."""
    if not difflib.get_close_matches(key, settings, cutoff=0.8):
        return False
    from wordorder.metrics import METRICS
    from wordorder.metrics.contract import default_options

    name = key.replace("-", "_")
    return not any(name in default_options(factory) for factory in METRICS.loaded().values())


def show_all(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print all options and leave; the callback of ``--help-all``."""
    if wanted and not ctx.resilient_parsing:
        formatter = ctx.make_formatter()
        if isinstance(ctx.command, Command):
            settings = ctx.command.settings().values()
            described = [(setting, *setting.described(ctx)) for setting in settings]
            write_all(ctx, formatter, ctx.command.example, described)
        else:
            ctx.meta[ALL] = True
            ctx.command.format_help(ctx, formatter)
        click.echo(formatter.getvalue().rstrip("\n"))
        ctx.exit()


class Actions(click.Group):
    """A group of commands; its error for an unknown command lists the known ones.

    Parameters
    ----------
    noun : str
        What one of them is called in messages.
    """

    def __init__(self, *args: Any, noun: str = "action", **more: Any) -> None:
        super().__init__(*args, **more | {"invoke_without_command": True})
        self.noun = noun

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; the error for an unknown one lists all."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_name(self.noun, args[0], self.commands)
        return super().resolve_command(ctx, args)


def need_action(ctx: click.Context) -> None:
    """Print the help of a group, and exit, unless one of its commands is called."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def verb(name: str, *, example: str, usual: str = "") -> Callable[[Callable[..., Any]], Command]:
    """Make a function a command of this name; `example` and `usual` are those of `Command`."""
    return click.command(name, cls=Command, example=example, usual=usual)


def title(text: str) -> Callable[[Function], Function]:
    """List the options below, up to the next title, under a title of ``--help-all``."""

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
    least: int | None = None,
    most: int | None = None,
    **more: Any,
) -> Callable[[Function], Function]:
    """Declare an option.

    Parameters
    ----------
    usage : str
        All its names, and what help calls its value: ``"-o --output FILE"``; or its legal values:
        ``"--ties {count,none}"``. Without either it is a flag; ``FILE ...`` may be several.
    help : str
    choices : sequence of str, optional
        The legal values, where they are listed elsewhere.
    name : str, optional
        Of the parameter, where it is not that of the option.
    least, most : int, optional
        The bounds of a whole number.
    **more
        As `click.option` has them, and `title`: the title of ``--help-all``, where no decorator
        `title` sets it. A default is shown.
    """
    names = [word for word in usage.split() if word[0] == "-"]
    value = " ".join(word for word in usage.split() if word[0] != "-")
    if value.startswith("{"):
        choices = value[1:-1].split(",")
    if choices is not None:
        more["type"] = click.Choice(choices)
    elif value:
        more |= {
            "metavar": value,
            "multiple": value.endswith(" ...") or more.get("multiple", False),
        }
    else:
        more["is_flag"] = True
    if least is not None:
        more["type"] = click.IntRange(least, most)
    more.setdefault("show_default", more.get("default") not in (None, "-"))
    more.setdefault("cls", Option)
    called = [] if name is None else [name]
    return click.option(*names, *called, help=help, **more)


def setting(usage: str, help: str, **more: Any) -> Callable[[Function], Function]:
    """Declare a `Setting`, as `option` does."""
    return option(usage, help, cls=Setting, **more)


def declared(*groups: type, **changes: dict[str, Any] | None) -> Callable[[Function], Function]:
    """Return the options of groups of `wordorder.options`, in their order.

    Parameters
    ----------
    *groups : class
    **changes : dict, or None
        By the name of an option, arguments of `option` that differ in a command; None leaves the
        option out.
    """
    return added(*_declared(groups, changes))


def _declared(
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


def added(
    *decorators: Callable[[Any], Any], title: str | None = None
) -> Callable[[Function], Function]:
    """Join decorators into one; help lists their options in this order, under a title if given."""

    def add(function: Function) -> Function:
        earlier = list(getattr(function, "__click_params__", ()))
        for decorator in reversed(decorators):
            function = decorator(function)
        for parameter in getattr(function, "__click_params__", ()):
            if title is not None and parameter not in earlier and isinstance(parameter, Option):
                parameter.title = title
        return function

    return add


def given(names: Iterable[str]) -> list[str]:
    """Return which of these parameters the command line has, as messages call them."""
    ctx = click.get_current_context()
    requested = set(names)
    return [
        _called(parameter)
        for parameter in ctx.command.params
        if parameter.name in requested
        and ctx.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE
        and ctx.params.get(parameter.name) is not None
    ]


def refuse(names: Iterable[str], why: str) -> None:
    """Raise a UsageError if the command line has one of these parameters: "X is for Y".

    Parameters
    ----------
    names : iterable of str
        Of parameters.
    why : str
        What follows the option: ``"is for --html"``.
    """
    for flag in given(names):
        raise UsageError(f"{flag} {why}")


def refuse_overwriting(output: str | None, inputs: Iterable[str | None]) -> None:
    """Raise a UsageError if the output would take the place of an input."""
    if output in (None, "-") or not os.path.isfile(str(output)):
        return
    paths = [file_of(name) for name in inputs if name is not None]
    if any(os.path.exists(path) and os.path.samefile(str(output), path) for path in paths):
        raise UsageError(f"{output}: is an input too; give the output another name")


def check_files(inputs: Sequence[str | None], *outputs: str | None) -> None:
    """Refuse two inputs from one pipe, and outputs in the place of an input."""
    refuse_two_pipes(inputs)
    for output in outputs:
        refuse_overwriting(output, inputs)


def named_files(ctx: click.Context) -> Iterator[str]:
    """Yield what may be names of files among the values of options, ``NAME=FILE`` without NAME."""
    return _texts(ctx.params.values())


def _texts(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str):
            yield value
            yield split_name(value)[1]
        elif isinstance(value, (list, tuple)):
            yield from _texts(value)


def _called(parameter: click.Parameter) -> str:
    """Return what messages call a parameter."""
    if isinstance(parameter, Setting):
        return f"-O {parameter.key}"
    return parameter.opts[0] if isinstance(parameter, click.Option) else str(parameter.name).upper()
