"""Options of verbs that can share out their work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

from wordorder.cli.command import option, refuse, setting
from wordorder.cli.messages import put

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
    """Add ``--engine``, ``--plan`` and two settings: an `Engine` or None."""

    @option(
        "--engine",
        ["local", "dask", "ray", "spark"],
        "Share out the work in spans of the files: local: processes of this machine. The "
        "result is the same.",
    )
    @setting(
        "--address",
        "ADDRESS",
        "Where the --engine runs: tcp://HOST:8786 (dask), HOST:6379 (ray), spark://HOST:7077. "
        "[default: workers are started here, one a thread]",
    )
    @setting(
        "--state",
        "DIR",
        "Keep what --engine has done in this folder; the same command goes on from there.",
    )
    @option("--plan", None, "Print the spans of --engine and what they cost.")
    @wraps(function)
    def with_engine(
        *args: Any,
        engine: str | None,
        address: str | None,
        state: str | None,
        plan: bool,
        **options: Any,
    ) -> Any:
        if engine is None:
            refuse(("address", "state", "plan"), "is for --engine")
        found = None if engine is None else Engine(engine, address, state, plan)
        return function(*args, engine=found, **options)

    return with_engine


def print_plan(spans: list[Span]) -> None:
    """Print spans and an estimate."""
    from wordorder.scale.plan import Plan

    put(Plan.of(spans).to_text())


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
