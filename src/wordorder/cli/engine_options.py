"""Options of verbs that can share out their work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.options import format_option, level_option, seed_option, threads_option
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.scale.written_spans import Span


@dataclass(frozen=True)
class Engine:
    """What shares out the work, as options name it.

    Attributes
    ----------
    name : str
        As `wordorder.scale.engines.ENGINES` has it.
    address, state : str, optional
    plan : bool
        Whether only to say what would be done.
    """

    name: str
    address: str | None
    state: str | None
    plan: bool

    @property
    def place(self) -> dict[str, Any]:
        """The engine, as the functions of `wordorder.scale` take it."""
        return {"engine": self.name, "address": self.address, "state": self.state}


def engine_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add ``--engine``, ``--address``, ``--state`` and ``--plan``: an `Engine` or None."""

    @click.option(
        "--engine",
        type=click.Choice(["local", "dask", "ray", "spark"]),
        help="Share out the work in spans of the files: local: processes of this machine. The "
        "result is the same.",
    )
    @click.option(
        "--address",
        metavar="ADDRESS",
        help="Where the --engine runs: tcp://HOST:8786 (dask), HOST:6379 (ray), spark://HOST:7077. "
        "[default: workers are started here, one a thread]",
    )
    @click.option(
        "--state",
        metavar="DIR",
        help="Keep what --engine has done in this folder; the same command goes on from there.",
    )
    @click.option("--plan", is_flag=True, help="Print the spans of --engine and what they cost.")
    @wraps(function)
    def with_engine(
        *args: Any,
        engine: str | None,
        address: str | None,
        state: str | None,
        plan: bool,
        **options: Any,
    ) -> Any:
        given = (("--address", address), ("--state", state), ("--plan", plan))
        found = None
        if engine is not None:
            found = Engine(engine, address, state, plan)
        else:
            for option, value in given:
                if value:
                    raise UsageError(f"{option} is for --engine")
        return function(*args, engine=found, **options)

    return with_engine


def print_plan(spans: list[Span]) -> None:
    """Print spans and an estimate."""
    from wordorder.scale.plan import Plan

    click.echo(Plan.of(spans).to_text(), nl=False)


def write_or_plan(
    engine: Engine, verb: str, options: dict[str, Any], progress: Any
) -> dict[str, int] | None:
    """Do the work of a verb on an engine; or only say what would be done, and return nothing."""
    from wordorder.scale.engines import check_engine
    from wordorder.scale.written import write_on_engine, written_spans

    if engine.plan:
        check_engine(engine.name, engine.address)
        print_plan(written_spans(verb, options, "."))
        return None
    return write_on_engine(verb, options, **engine.place, progress=progress)


Function = TypeVar("Function", bound=Callable[..., Any])


def judgement_options(function: Function) -> Function:
    """Add the file of judgements, and how its intervals are made and printed."""
    decorators = [
        click.argument("judgements"),
        click.option(
            "--languages",
            metavar="SOURCE-TARGET",
            help="The language pair of a WMT file that has several, as it names them: "
            "French-English.",
        ),
        click.option(
            "--items",
            metavar="FILE",
            help="For scores of items (item judge score): the table with the system of each item.",
        ),
        level_option,
        click.option(
            "--resamples",
            type=click.IntRange(1),
            metavar="N",
            default=1000,
            show_default=True,
            help="How often the judged items are resampled; for trueskill, the number of runs.",
        ),
        seed_option,
        threads_option,
        format_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function
