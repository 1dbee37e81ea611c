"""The program: its commands, exit statuses, completion in shells, and signals."""

from __future__ import annotations

import contextlib
import copy
import functools
import importlib
import io
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

import click
from click.shell_completion import CompletionItem

from wordorder._version import __version__
from wordorder.cli.command import SHOWS_ALL, Command, LazyCommands, need_action, show_all
from wordorder.cli.messages import OUT_OF_MEMORY, Messages, lacks_memory, print_line, quiet_option
from wordorder.errors import UsageError, WordOrderError, unknown_name
from wordorder.messages import Program, has_escape_codes, set_on_command_line
from wordorder.text.display import ENCODING, STYLED

# Commands by purpose, with their summaries: help and completion need not import the commands.
COMMANDS_BY_GOAL = {
    "Score and compare": {
        "score": "Score translations or orders of systems against references.",
        "compare": "Test which systems are better, pair by pair.",
        "analyze": "Find where and why the order of words is wrong.",
        "evaluate": "Score parsers x rule sets against reference orders.",
        "correlate": "Measure how well metrics agree with human judgements.",
    },
    "Look": {
        "demo": "Run the whole pipeline on the included sample, and write a report.",
        "list": "Show what is installed: metrics, aligners, parsers, rules, evaluators.",
        "tree": "Draw the permutation tree of a permutation.",
        "path": "Show the edits and jumps behind a distance of two sentences.",
    },
    "Align and order": {
        "align": "Align the words of two texts.",
        "reference": "Make reference orders from word alignments, or check the alignments.",
        "reorder": "Put the words of a text into another order.",
        "rules": "Check, explain and list reordering rules.",
    },
    "Parse": {
        "tag": "Tag the words of a text.",
        "parse": "Parse the sentences of a text.",
        "convert": "Convert phrase structure trees to dependency trees.",
        "select": "Choose the tree of each list that gives the best order.",
    },
    "Learn": {
        "train": "Train a tagger, a parser, a pre-orderer, rules or a translator.",
        "tune": "Tune the weights of a system on its n-best lists.",
    },
    "Translate": {"translate": "Translate text by a phrase-based model."},
    "People": {
        "rate": "Let people rate translations in the browser.",
        "annotate": "Let people align words in the browser.",
        "serve": "Resume a project of ratings or alignments.",
        "progress": "Show how far raters or annotators are.",
        "export": "Write the alignments, ratings or events of a project.",
        "rank": "Rank systems by human judgements.",
        "agreement": "Measure how far raters agree with each other.",
    },
}
COMMAND_SUMMARIES = {
    name: summary for names in COMMANDS_BY_GOAL.values() for name, summary in names.items()
}

# Commands that share a file; any other command is in the file of its name.
_SHARED_FILES = {
    **dict.fromkeys(("annotate", "rate", "serve", "export", "progress"), "people"),
    **dict.fromkeys(("score", "compare"), "score"),
    **dict.fromkeys(("rank", "agreement"), "judgements"),
    **dict.fromkeys(("tag", "parse"), "tag"),
    **dict.fromkeys(("tree", "path"), "tree"),
    **dict.fromkeys(("evaluate", "select", "convert"), "evaluate"),
}

# Commands with subcommands.
_COMMAND_GROUPS = ("train", "rules")

# The variable by which a shell asks for its completion script, or for completions.
COMPLETION_VARIABLE = "_WORDORDER_COMPLETE"

# The status that a shell reports for a program whose output pipe was closed.
READER_GONE_STATUS = 141


# Signals that end the program after it has cleaned up, like an interrupt.
_TERMINATION_SIGNALS = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
# Seconds after which an interrupt that did not end the program is raised once more.
REPEAT_SECONDS = 0.5


class ReaderGoneError(Exception):
    """The reader of standard output has closed it; not an OSError, on which click would exit."""


class ClosedOutput(io.RawIOBase):
    """Stand-in for a closed standard output: a write raises an error.

    Commands that write only files still work. Descriptor 1 is opened, so that no output file gets
    it and receives what a library prints.
    """

    def __init__(self) -> None:
        self.refuses = True
        descriptor = os.open(os.devnull, os.O_WRONLY)
        if descriptor != 1:
            os.close(descriptor)

    def writable(self) -> bool:
        """Return True: writes fail later, with an error of their own."""
        return True

    def write(self, data: Any) -> int:
        """Raise a `UsageError`, except during clean-up."""
        if self.refuses:
            raise UsageError("standard output is closed")
        return memoryview(data).nbytes


@contextlib.contextmanager
def _reader_may_go() -> Iterator[None]:
    """Raise a `ReaderGoneError` for a closed pipe."""
    try:
        yield
    except BrokenPipeError:
        raise ReaderGoneError from None


class ProgramGroup(click.Group):
    """The commands, imported when they are called."""

    @_reader_may_go()
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line; print help or version if requested."""
        return super().make_context(*args, **options)

    @_reader_may_go()
    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of help."""
        return list(COMMAND_SUMMARIES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command; None if there is none of this name."""
        if cmd_name not in COMMAND_SUMMARIES:
            return None
        command = _with_shared_options(import_command(cmd_name))
        if COMPLETION_VARIABLE in os.environ:
            add_completion(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command; the error for an unknown one lists all."""
        if args and args[0] not in COMMAND_SUMMARIES and not args[0].startswith("-"):
            full_names = {
                action: f"{name} {action}"
                for name in _COMMAND_GROUPS
                for action in _group(name).commands
                if action not in COMMAND_SUMMARIES
            }
            raise unknown_name(
                "command",
                args[0],
                COMMAND_SUMMARIES,
                listed_by="wordorder --help",
                shown=full_names,
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by purpose, without importing them; if requested, subcommands too."""
        for title, names in COMMANDS_BY_GOAL.items():
            with formatter.section(title):
                rows: list[tuple[str, str]] = []
                for name, summary in names.items():
                    rows += [
                        (name, summary),
                        *(_action_rows(name) if ctx.meta.get(SHOWS_ALL) else []),
                    ]
                formatter.write_dl(rows)


def _action_rows(group_name: str) -> list[tuple[str, str]]:
    """Return the subcommands of a command and their summaries."""
    if group_name not in _COMMAND_GROUPS:
        return []
    helps = {
        name: str(command.help).strip() for name, command in _group(group_name).commands.items()
    }
    return [(f"  {group_name} {name}", text.partition("\n")[0]) for name, text in helps.items()]


def _group(name: str) -> click.Group:
    """Import a command with subcommands."""
    group = import_command(name)
    assert isinstance(group, click.Group)
    return group


def import_command(name: str) -> click.Command:
    """Import a command.

    Examples
    --------
    >>> import_command("agreement").name
    'agreement'
    """
    file_name = _SHARED_FILES.get(name)
    module = importlib.import_module(f"wordorder.cli.{file_name or name}")
    command: click.Command = getattr(module, f"{name}_command" if file_name else "command")
    return command


def _with_shared_options(command: click.Command) -> click.Command:
    """Return a copy of a command with ``--quiet`` and ``--help-all``, for its subcommands too."""
    copied = copy.copy(command)
    if isinstance(copied, click.Group):
        actions = copied.commands
        copied.commands = LazyCommands(actions, lambda name: _with_shared_options(actions[name]))  # type: ignore[assignment]  # nobody adds to it
    copied.params = [*copied.params, quiet_option, help_all_option]
    return copied


def _exit_option(name: str, callback: Callable[..., None], help_text: str) -> click.Option:
    """Return an option whose callback prints something and exits."""
    flag_arguments = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.Option([name], callback=callback, help=help_text, **flag_arguments)


help_all_option = _exit_option("--help-all", show_all, "Show all options and settings, and exit.")


def _version(ctx: click.Context, _: click.Parameter, requested: bool) -> None:
    """Print the version, and whether the kernels are compiled."""
    if not requested:
        return
    from wordorder import kernels

    kernel_state = (
        "compiled" if kernels.compiled() else "interpreted (slow: no C compiler at installation)"
    )
    click.echo(f"wordorder {__version__}, kernels {kernel_state}")
    ctx.exit()


@click.group(
    cls=ProgramGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    params=[
        quiet_option,
        _exit_option(
            "--help-all", show_all, "Show all commands, those of `train` and `rules` too, and exit."
        ),
        _exit_option(
            "--version",
            _version,
            "Show the version and whether the kernels are compiled, and exit.",
        ),
    ],
    subcommand_metavar="COMMAND [ARGS]...",
    epilog="Example: wordorder compare reference.txt -i a.txt b.txt. `wordorder COMMAND --help` "
    "shows the usual options of a command, --help-all all of them.",
)
@click.pass_context
def program(ctx: click.Context) -> None:
    """Measure, explain and learn word order in translation.

    Results go to standard output, everything else to standard error; "-" is standard input;
    .gz, .xz, .bz2 and .zst files are read and written as they are. Exit status: 0 fine, 1 the
    data is wrong, 2 the command is wrong, 130 interrupted.
    """
    need_action(ctx)


def run() -> int:
    """Run the command line; print the reason of a failure and return the exit status."""
    messages = Messages()
    try:
        with warnings.catch_warnings():
            status, reason = _run_command(messages)
    finally:
        messages.release()
    # A library whose import is interrupted may raise an ImportError instead.
    if reason and not received_signal():
        print_line(reason)
    return status


def _run_command(messages: Messages) -> tuple[int, str]:
    """Run the command; return the exit status and its reason, empty after success."""
    closed = ClosedOutput() if sys.stdout is None else None
    on_command_line = set_on_command_line(True)
    Program.print_note = messages.print_note
    try:
        if closed is not None:
            sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed))
        if isinstance(sys.stdout, io.TextIOWrapper):
            ENCODING.set(sys.stdout.encoding)
            STYLED.set("TERM" in os.environ and has_escape_codes(sys.stdout))
            # The same bytes in any locale; file names that are not UTF-8 are escaped.
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        # Commands return None; `main` returns the status of `ctx.exit`.
        status = program.main(prog_name="wordorder", standalone_mode=False, obj=messages)
        sys.stdout.flush()
        return int(status or 0), ""
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        return error.exit_code, f"error: {error.format_message()}"
    except WordOrderError as error:
        if lacks_memory(error):
            return 1, OUT_OF_MEMORY
        return 2 if isinstance(error, UsageError) else 1, f"error: {error}"
    except (ReaderGoneError, BrokenPipeError):
        return READER_GONE_STATUS, ""
    except SystemExit as error:
        if COMPLETION_VARIABLE in os.environ:
            return int(error.code or 0), ""
        return 1, f"error: a library ends the program: sys.exit({error.code!r})"
    except OSError as error:
        if lacks_memory(error):
            return 1, OUT_OF_MEMORY
        # Named inputs and outputs raise errors with messages of their own.
        place = error.filename or "<stdout>"
        return 1, f"error: {place}: cannot be written: {error.strerror or error}"
    except Exception as error:
        if lacks_memory(error):
            return 1, OUT_OF_MEMORY
        if os.environ.get("WORDORDER_DEBUG"):
            raise
        description = f"internal error: {type(error).__name__}: {error}"
        return 1, f"{description} (WORDORDER_DEBUG=1 shows where; please report it)"
    finally:
        set_on_command_line(on_command_line)
        Program.print_note = None
        if closed is not None:
            closed.refuses = False
            sys.stdout = None


def add_completion(command: click.Command) -> None:
    """Make a command and its subcommands complete names and files as values of options."""
    for subcommand in getattr(command, "commands", {}).values():
        add_completion(subcommand)
    for parameter in command.params:
        keys = [f"{command.name} {parameter.opts[0]}", *parameter.opts]
        names = next((_COMPLETIONS[key] for key in keys if key in _COMPLETIONS), None)
        if parameter.opts[0] == "-O" and isinstance(command, Command):
            names = functools.partial(list, [f"{key}=" for key in command.settings()])
        if names or parameter.type is click.STRING:
            parameter.type = _NamesOrFiles(names)


class _NamesOrFiles(click.types.StringParamType):
    """Completes the last name of a list such as ``bleu,te``, and names of files."""

    def __init__(self, names: Callable[[], list[str]] | None) -> None:
        self.names = names

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        # Shells drop the items before one of type "file", so it goes first.
        items = [CompletionItem(incomplete, type="file")]
        if self.names:
            prefix = re.sub(r"[^,+*=]*$", "", incomplete)
            candidates = [f"{prefix}{name}" for name in self.names()]
            items += [
                CompletionItem(candidate)
                for candidate in candidates
                if candidate.startswith(incomplete)
            ]
        return items


def _metric_names() -> list[str]:
    from wordorder.metrics import METRICS

    return ["all", *METRICS.names()]


def _rule_set_names() -> list[str]:
    from wordorder.reordering.rules import RULES

    return RULES.names()


def _model_names() -> list[str]:
    from wordorder.parsing.adapters.external import PARSERS
    from wordorder.parsing.installed import installed_models
    from wordorder.parsing.model_file import SHIPPED

    return [*SHIPPED, *installed_models(), *(f"{name}:" for name in PARSERS.names())]


def _aligner_names() -> list[str]:
    from wordorder.alignment.statistical.align import ALIGNERS

    return ALIGNERS.names()


def _matcher_names() -> list[str]:
    return ["exact", "stem", "synonym", "paraphrase"]


# What completes a value: by option, or by command and option or argument.
_COMPLETIONS: dict[str, Callable[[], list[str]]] = {
    "-m": _metric_names,
    "--rules": _rule_set_names,
    "--order": _rule_set_names,
    "translation --aligner": _aligner_names,
    "check files": _rule_set_names,
    "explain rules": _rule_set_names,
    "show name": _rule_set_names,
    "--parser": _model_names,
    "parser --start": _model_names,
    "rules --start": _rule_set_names,
    "parse model": _model_names,
    "tag model": _model_names,
    "align --model": _aligner_names,
    "--aligner": _matcher_names,
}


# The number of the first signal that ended the run, 0 before.
_first_signal = 0


def handle_signals() -> None:
    """Raise KeyboardInterrupt on SIGINT, SIGTERM or SIGHUP, repeatedly until `ignore_signals`.

    One is not enough: Python drops an exception that is raised in a finaliser, or in a callback
    of the garbage collector or of an import; some libraries drop it too.
    """
    # Signals that the parent set to be ignored stay so: in the background, or under nohup.
    handled = [
        number for number in _TERMINATION_SIGNALS if signal.getsignal(number) is signal.SIG_DFL
    ]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        handled.append(signal.SIGINT)
    for number in handled:
        signal.signal(number, _interrupt)
    if not handled:
        return
    sys.unraisablehook = _report_unraisable
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _interrupt)


def received_signal() -> int:
    """Return the number of the first signal that ended the run, 0 if there was none."""
    return _first_signal


def ignore_signals() -> None:
    """Ignore further interrupts during the last steps, which are short."""
    for number in (signal.SIGINT, *(_TERMINATION_SIGNALS if _first_signal else ())):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _first_signal
    _first_signal = _first_signal or number
    if sys.platform != "win32":
        # A second Ctrl-C must not interrupt the clean-up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, REPEAT_SECONDS, REPEAT_SECONDS)
    raise KeyboardInterrupt


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Report an exception that Python drops, except an interrupt, which is raised again."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
