"""One verb a file; each a thin wrapper over one public function."""

from __future__ import annotations

import importlib
import os
import sys
import warnings
from typing import Any, NoReturn

import click

from wordorder.errors import UsageError, WordOrderError, WordOrderWarning

# Named here, so that help and completion need not import the verbs.
VERBS = {
    "demo": "Run the whole pipeline on the shipped sample.",
    "reference": "Make reference orders from word alignments, or check the alignments.",
    "score": "Score systems' orders against reference orders.",
    "compare": "Test which systems are better, pair by pair.",
    "tree": "Draw the permutation tree of a permutation.",
    "list": "Show what is installed: metrics.",
}


class Verbs(click.Group):
    """The verbs, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs in the order of a first use."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a verb."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = importlib.import_module(f"wordorder.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb, or say which ones there are."""
        if args and args[0] not in VERBS and not args[0].startswith("-"):
            from wordorder.errors import unknown_name

            raise unknown_name("verb", args[0], VERBS)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the verbs without importing them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the version, and how the kernels run."""
    if not wanted:
        return
    from wordorder import kernels
    from wordorder._version import __version__

    how = "compiled" if kernels.compiled() else "interpreted (slow: no C compiler at installation)"
    click.echo(f"wordorder {__version__}, kernels {how}")
    ctx.exit()


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_version,
    help="Show the version and whether the kernels are compiled, and exit.",
)
def program() -> None:
    """Measure, explain and learn word order in translation.

    Results go to standard output, everything else to standard error; "-" is standard input;
    .gz, .xz, .bz2 and .zst files are read and written as they are. Exit status: 0 fine, 1 the
    data is wrong, 2 the command is wrong, 130 interrupted.
    """


def main() -> NoReturn:
    """Run the command line and exit."""
    warnings.showwarning = _note
    warnings.simplefilter("always", WordOrderWarning)
    try:
        # A verb returns nothing; what comes back is the status that it left with.
        status = program.main(prog_name="wordorder", standalone_mode=False)
        sys.stdout.flush()
        sys.exit(status or 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except WordOrderError as error:
        click.echo(f"wordorder: error: {error}", err=True)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except (KeyboardInterrupt, click.Abort):
        click.echo("wordorder: interrupted", err=True)
        _leave(130)
    except BrokenPipeError:
        # The reader has what it wanted; a write at exit must not complain either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _leave(141)
    except MemoryError:
        click.echo("wordorder: error: not enough memory", err=True)
        sys.exit(1)
    except Exception as error:
        if os.environ.get("WORDORDER_DEBUG"):
            raise
        click.echo(
            f"wordorder: internal error: {type(error).__name__}: {error} "
            "(WORDORDER_DEBUG=1 shows where; please report it)",
            err=True,
        )
        sys.exit(1)


def _leave(status: int) -> NoReturn:
    """Exit at once: threads that still work must not hold up an interrupt."""
    sys.stderr.flush()
    os._exit(status)


def _note(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Print a warning as one line."""
    kind = "note" if issubclass(category, WordOrderWarning) else category.__name__
    click.echo(f"wordorder: {kind}: {message}", err=True)
