"""The program: its verbs, and what it says when one of them fails."""

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
from wordorder.cli.command import ALL, Command, Commands, need_action, show_all
from wordorder.cli.messages import NOT_ENOUGH, Messages, lacks_memory, print_line, quiet_option
from wordorder.errors import UsageError, WordOrderError, unknown_name
from wordorder.messages import Program, has_escape_codes, set_on_command_line
from wordorder.text.display import ENCODING, STYLED

# By what one wants. Named here, so that help and completion need not import the verbs.
WANTED = {
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
VERBS = {name: summary for names in WANTED.values() for name, summary in names.items()}

# Verbs that share a file; each of the others has one of its own name.
_SHARED_FILES = {
    **dict.fromkeys(("annotate", "rate", "serve", "export", "progress"), "people"),
    **dict.fromkeys(("score", "compare"), "score"),
    **dict.fromkeys(("rank", "agreement"), "judgements"),
    **dict.fromkeys(("tag", "parse"), "tag"),
    **dict.fromkeys(("tree", "path"), "tree"),
    **dict.fromkeys(("evaluate", "select", "convert"), "evaluate"),
}

# Verbs with several actions.
_GROUPS = ("train", "rules")

# The variable by which a shell asks for its script of completion, or for what may follow.
ASKED = "_WORDORDER_COMPLETE"

# What a shell reports of a program whose reader has gone.
READER_GONE = 141


# What also ends a program that cleans up first.
_ENDING = [signal.SIGTERM, *([signal.SIGHUP] if sys.platform != "win32" else [])]
# Seconds after which an interrupt that did not end the program is raised once more.
AGAIN = 0.5


class ReaderGoneError(Exception):
    """Nobody reads standard output any more; no OSError, of which click would make an exit."""


class ClosedOutput(io.RawIOBase):
    """Closed standard output: each write raises an error.

    Nothing is refused where all results go into files. Its descriptor is taken, so that no file of
    ours gets it, into which a library could print.
    """

    def __init__(self) -> None:
        self.refuses = True
        descriptor = os.open(os.devnull, os.O_WRONLY)
        if descriptor != 1:
            os.close(descriptor)

    def writable(self) -> bool:
        """Return True: whether a write is possible shows when it is tried."""
        return True

    def write(self, data: Any) -> int:
        """Refuse to write."""
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


class Verbs(click.Group):
    """The verbs, each imported when it is called."""

    @_reader_may_go()
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        """Read the command line; help and version are printed here."""
        return super().make_context(*args, **options)

    @_reader_may_go()
    def invoke(self, ctx: click.Context) -> Any:
        """Run the verb."""
        return super().invoke(ctx)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of help."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        if cmd_name not in VERBS:
            return None
        command = _with_shared(verb_command(cmd_name))
        if ASKED in os.environ:
            add_completion(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the verb; the error for an unknown one lists all."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            full_names = {
                action: f"{name} {action}"
                for name in _GROUPS
                for action in _group(name).commands
                if action not in VERBS
            }
            raise unknown_name(
                "command", args[0], VERBS, listed_by="wordorder --help", shown=full_names
            )
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs by what one wants, without importing them; for ``--help-all`` those of
        several actions too.
        """
        for title, names in WANTED.items():
            with formatter.section(title):
                rows: list[tuple[str, str]] = []
                for name, summary in names.items():
                    rows += [(name, summary), *(_actions(name) if ctx.meta.get(ALL) else [])]
                formatter.write_dl(rows)


def _actions(verb: str) -> list[tuple[str, str]]:
    """Return the actions of a verb that has several, and what each of them does."""
    if verb not in _GROUPS:
        return []
    helps = {name: str(command.help).strip() for name, command in _group(verb).commands.items()}
    return [(f"  {verb} {name}", text.partition("\n")[0]) for name, text in helps.items()]


def _group(verb: str) -> click.Group:
    """Import a verb that has several actions."""
    group = verb_command(verb)
    assert isinstance(group, click.Group)
    return group


def verb_command(name: str) -> click.Command:
    """Import a verb.

    Examples
    --------
    >>> verb_command("agreement").name
    'agreement'
    """
    place = _SHARED_FILES.get(name)
    module = importlib.import_module(f"wordorder.cli.{place or name}")
    command: click.Command = getattr(module, f"{name}_command" if place else "command")
    return command


def _with_shared(command: click.Command) -> click.Command:
    """Return a verb that takes ``--quiet`` and ``--help-all``, as all its subcommands do."""
    verb = copy.copy(command)
    if isinstance(verb, click.Group):
        actions = verb.commands
        verb.commands = Commands(actions, lambda name: _with_shared(actions[name]))  # type: ignore[assignment]  # nobody adds to it
    verb.params = [*verb.params, quiet_option, help_all_option]
    return verb


def _last(name: str, callback: Callable[..., None], said: str) -> click.Option:
    """Make an option that prints something, and exits."""
    more = {"is_flag": True, "is_eager": True, "expose_value": False}
    return click.Option([name], callback=callback, help=said, **more)


help_all_option = _last("--help-all", show_all, "Show all options and settings, and exit.")


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, and how the kernels run."""
    if not wanted:
        return
    from wordorder import kernels

    how = "compiled" if kernels.compiled() else "interpreted (slow: no C compiler at installation)"
    click.echo(f"wordorder {__version__}, kernels {how}")
    ctx.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
    params=[
        quiet_option,
        _last(
            "--help-all", show_all, "Show all commands, those of `train` and `rules` too, and exit."
        ),
        _last(
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
    """Run the verb that the command line names; return the exit status, its reason printed."""
    messages = Messages()
    try:
        with warnings.catch_warnings():
            status, reason = _outcome(messages)
    finally:
        messages.release()
    # A library whose import is interrupted may raise an ImportError instead.
    if reason and not received():
        print_line(reason)
    return status


def _outcome(messages: Messages) -> tuple[int, str]:
    """Run the verb; return the exit status and what there is to say about it."""
    closed = ClosedOutput() if sys.stdout is None else None
    on_command_line = set_on_command_line(True)
    Program.print_note = messages.print_note
    try:
        if closed is not None:
            sys.stdout = io.TextIOWrapper(io.BufferedWriter(closed))
        if isinstance(sys.stdout, io.TextIOWrapper):
            ENCODING.set(sys.stdout.encoding)
            STYLED.set("TERM" in os.environ and has_escape_codes(sys.stdout))
            # The same bytes in any locale; a file name that is no text stays visible.
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        # A verb returns nothing; what comes back is the status that it left with.
        status = program.main(prog_name="wordorder", standalone_mode=False, obj=messages)
        sys.stdout.flush()
        return int(status or 0), ""
    except click.Abort:
        raise KeyboardInterrupt from None
    except click.ClickException as error:
        return error.exit_code, f"error: {error.format_message()}"
    except WordOrderError as error:
        if lacks_memory(error):
            return 1, NOT_ENOUGH
        return 2 if isinstance(error, UsageError) else 1, f"error: {error}"
    except (ReaderGoneError, BrokenPipeError):
        return READER_GONE, ""
    except SystemExit as error:
        if ASKED in os.environ:
            return int(error.code or 0), ""
        return 1, f"error: a library ends the program: sys.exit({error.code!r})"
    except OSError as error:
        if lacks_memory(error):
            return 1, NOT_ENOUGH
        # Inputs and outputs with a name have messages of their own.
        place = error.filename or "<stdout>"
        return 1, f"error: {place}: cannot be written: {error.strerror or error}"
    except Exception as error:
        if lacks_memory(error):
            return 1, NOT_ENOUGH
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
    """Make the options of a command, and of its subcommands, complete names and files."""
    for under in getattr(command, "commands", {}).values():
        add_completion(under)
    for parameter in command.params:
        keys = [f"{command.name} {parameter.opts[0]}", *parameter.opts]
        names = next((_NAMES[key] for key in keys if key in _NAMES), None)
        if parameter.opts[0] == "-O" and isinstance(command, Command):
            names = functools.partial(list, [f"{key}=" for key in command.settings()])
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
        items = [CompletionItem(incomplete, type="file")]
        if self.names:
            done = re.sub(r"[^,+*=]*$", "", incomplete)
            words = [f"{done}{name}" for name in self.names()]
            items += [CompletionItem(word) for word in words if word.startswith(incomplete)]
        return items


def _metrics() -> list[str]:
    from wordorder.metrics import METRICS

    return ["all", *METRICS.names()]


def _rules() -> list[str]:
    from wordorder.reordering.rules import RULES

    return RULES.names()


def _models() -> list[str]:
    from wordorder.parsing.adapters.external import PARSERS
    from wordorder.parsing.installed import installed_models
    from wordorder.parsing.model_file import SHIPPED

    return [*SHIPPED, *installed_models(), *(f"{name}:" for name in PARSERS.names())]


def _aligners() -> list[str]:
    from wordorder.alignment.statistical.align import ALIGNERS

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


# The number of the first signal that asked for the end.
_received = 0


def watch() -> None:
    """Raise KeyboardInterrupt at an interrupt, SIGTERM or SIGHUP, and again until `stop` is called.

    Python drops an exception that is raised in a finaliser or in a callback of the garbage
    collector or of an import, and goes on; libraries drop some too.
    """
    # A shell that starts a program in the background has it ignore interrupts; nohup, hang-ups.
    handled = [number for number in _ENDING if signal.getsignal(number) is signal.SIG_DFL]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        handled.append(signal.SIGINT)
    for number in handled:
        signal.signal(number, _interrupt)
    if not handled:
        return
    sys.unraisablehook = _dropped
    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, _interrupt)


def received() -> int:
    """Return the number of the signal that asked for the end, 0 without one."""
    return _received


def stop() -> None:
    """Let no interrupt disturb the last steps, which are short."""
    for number in (signal.SIGINT, *(_ENDING if _received else ())):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_REAL, 0)


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _received
    _received = _received or number
    if sys.platform != "win32":
        # Who presses the key twice must not stop the cleaning up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.setitimer(signal.ITIMER_REAL, AGAIN, AGAIN)
    raise KeyboardInterrupt


def _dropped(dropped: sys.UnraisableHookArgs) -> None:
    """Report an exception that nobody can catch; an interrupt comes again."""
    if not issubclass(dropped.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(dropped)
