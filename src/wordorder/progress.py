"""How far long work has come: a bar in notebooks, a line on terminals, nothing in pipes."""

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

# Seconds before the bar is there: work that is done by then does not import tqdm.
PATIENCE = 1.0


class Progress:
    """A bar of ``tqdm.auto`` that is gone at the end.

    Parameters
    ----------
    noun : str
        What is counted: ``"lines"``.
    total : int, optional
        About how many there are.

    Notes
    -----
    There is none in the first second, and none where nobody looks: see `is_watched`.

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
        """Show how many are done."""
        self.show("", done, self._total)

    def show(self, work: str, done: int, total: int | None) -> None:
        """Show how many are done of some part of the work.

        Parameters
        ----------
        work : str
            What the part is called.
        done : int
        total : int or None
            How many the part has, if that is known.
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
                # What was done before there was a bar tells nothing of the speed.
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
    told: Callable[[Progress], Mapping[str, Any]] = lambda line: {"progress": line},
    *,
    total: Callable[[Mapping[str, Any]], int | None] = lambda given: None,
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Let a function that tells its ``progress`` show it to whoever waits.

    Parameters
    ----------
    noun : str
        What it counts.
    told : callable
        Makes the arguments that it tells of a `Progress`.
    total : callable
        Says of the arguments about how many there are.

    Notes
    -----
    A ``progress`` that is given takes the place of the bar. Work that is part of other work has
    no bar of its own.
    """

    def decorated(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def watched(*args: Any, **options: Any) -> Result:
            call = cast(Callable[..., Result], function)
            if _Shown.now or options.get("progress") is not None or not is_watched():
                return call(*args, **options)
            given = inspect.signature(function).bind(*args, **options).arguments
            _Shown.now = True
            try:
                with Progress(noun, total(given)) as line:
                    chosen = {name: value for name, value in options.items() if value is not None}
                    return call(*args, **{**told(line), **chosen})
            finally:
                _Shown.now = False

        return cast(Callable[Parameters, Result], watched)

    return decorated


def is_watched() -> bool:
    """Return whether somebody waits: in a notebook, or at a terminal where the program runs.

    On a terminal where escape codes are not welcome, a line cannot be written over.
    """
    return in_notebook() or (is_on_command_line() and has_escape_codes(sys.stderr))


class _Shown:
    """Whether there is a bar: one is enough."""

    now = False


@functools.cache
def _bars() -> Any:
    """Return the class of bars."""
    import threading
    import warnings

    with warnings.catch_warnings():
        # It warns in notebooks without widgets, and writes lines of text there.
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm

    class Bar(tqdm):  # type: ignore[misc]  # without types
        # No thread that watches it; and below no lock between processes: only one draws it.
        monitor_interval = 0

    Bar.set_lock(threading.RLock())
    return Bar
