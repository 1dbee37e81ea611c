"""Progress of long work: a bar in notebooks, a line on terminals, no output in pipes."""

from __future__ import annotations

import functools
import inspect
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar, cast

from wordorder.messages import has_escape_codes, in_notebook, is_on_command_line

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

# Seconds before the bar appears: shorter work does not import tqdm.
PATIENCE = 1.0


class Progress:
    """A bar of ``tqdm.auto``, which disappears at the end.

    Parameters
    ----------
    noun : str
        The unit counted: ``"lines"``.
    total : int, optional
        Approximate number of units.

    Notes
    -----
    The bar appears after a second, and only if `is_watched`.

    Examples
    --------
    >>> with Progress("lines") as progress:
    ...     progress(1000)
    """

    def __init__(self, noun: str, total: int | None = None) -> None:
        self._noun = noun
        self._total = total
        self._begin = time.monotonic() + PATIENCE if is_watched() else float("inf")
        self._bar: Any = None
        self._work = ""

    def __call__(self, done: int) -> None:
        """Show the number of units done."""
        self.show("", done, self._total)

    def show(self, work: str, done: int, total: int | None) -> None:
        """Show the number of units done in a stage of the work.

        Parameters
        ----------
        work : str
            Name of the stage.
        done : int
        total : int or None
            Number of units in the stage, if known.
        """
        if time.monotonic() < self._begin:
            return
        bar = self._bar
        if bar is not None and work != self._work:
            bar.set_description_str(work, refresh=False)
            if total != bar.total or done < bar.n:
                bar.close()
                bar = None
        if bar is None:
            bar = self._bar = _bars()(
                total=total,
                # Units done before the bar appeared do not count for its speed.
                initial=done,
                desc=work or None,
                unit=f" {self._noun}",
                leave=False,
                dynamic_ncols=True,
                mininterval=0.2,
            )
        self._work = work
        bar.update(done - bar.n)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def shows_progress(
    noun: str,
    report_to: Callable[[Progress], Mapping[str, Any]] = lambda line: {"progress": line},
    *,
    total: Callable[[Mapping[str, Any]], int | None] = lambda arguments: None,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Show a progress bar for a function that has a ``progress`` parameter.

    Parameters
    ----------
    noun : str
        The unit counted.
    report_to : callable
        Returns the arguments of the function that report to a `Progress`.
    total : callable
        Returns the approximate number of units, from the arguments of the function.

    Notes
    -----
    If the caller passes ``progress``, there is no bar. Work inside other such work has no bar of
    its own.
    """

    def decorated(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def watched(*args: Any, **options: Any) -> Result:
            call = cast(Callable[..., Result], function)
            if _State.now or options.get("progress") is not None or not is_watched():
                return call(*args, **options)
            arguments = inspect.signature(function).bind(*args, **options).arguments
            _State.now = True
            try:
                with Progress(noun, total(arguments)) as line:
                    chosen = {name: value for name, value in options.items() if value is not None}
                    return call(*args, **{**report_to(line), **chosen})
            finally:
                _State.now = False

        return cast(Callable[Parameters, Result], watched)

    return decorated


def is_watched() -> bool:
    """Return whether progress can be seen: in a notebook, or in the program on a terminal.

    A terminal without escape codes does not count, because its lines cannot be rewritten.
    """
    return in_notebook() or (is_on_command_line() and has_escape_codes(sys.stderr))


class _State:
    """Whether a bar is shown; there is at most one."""

    now = False


@functools.cache
def _bars() -> Any:
    """Return the class of bars; imports tqdm."""
    import threading
    import warnings

    with warnings.catch_warnings():
        # In notebooks without widgets, tqdm warns and writes lines of text.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # without types
        # No monitor thread and, below, no lock between processes: only one draws the bar.
        monitor_interval = 0

    Bar.set_lock(threading.RLock())
    return Bar
