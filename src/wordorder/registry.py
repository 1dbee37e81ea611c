"""Registries of metrics and other parts by name: built-in ones and those of other packages."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError, WordOrderError, unknown_name
from wordorder.notes import note

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint
    from types import FrameType


class Registry:
    """The installed parts of one kind, such as metrics.

    Parameters
    ----------
    kind : str
        The noun for a part in messages: ``"metric"``.
    group : str
        The entry-point group of other packages: ``"wordorder.metrics"``.
    built_in : mapping of name to ``"module:attribute"``
        The parts of this package, listed here because searching the environment would take longer
        than scoring a small file.
    needs : collection of str
        The methods that a part must have.
    class_methods : bool
        Whether these are class methods, so that functions which create objects are refused.
    listed_by : str
        The command that lists the names: ``"wordorder list metrics"``.

    Examples
    --------
    >>> built_in = {"ulam": "wordorder.metrics.order.chunks:Ulam"}
    >>> metrics = Registry("metric", "wordorder.metrics", built_in)
    >>> metrics.load("ulam").__name__
    'Ulam'
    """

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: Mapping[str, str],
        needs: Collection[str] = (),
        *,
        class_methods: bool = False,
        listed_by: str = "",
    ) -> None:
        self.kind, self.group = kind, group
        self.built_in = dict(built_in)
        self.needs, self.class_methods = needs, class_methods
        self.listed_by = listed_by
        self._noted: set[str] = set()

    @cached_property
    def installed(self) -> dict[str, EntryPoint]:
        """The entry points of other packages by name; the first one if two have the same name."""
        from importlib.metadata import distributions

        plugins: dict[str, EntryPoint] = {}
        for distribution in distributions():
            # Skip only the package whose entry points cannot be read.
            try:
                points = list(distribution.entry_points.select(group=self.group))
            except Exception:
                continue
            for point in points:
                if point.name not in self.built_in:
                    plugins.setdefault(point.name, point)
        return plugins

    def names(self) -> list[str]:
        """Return all names, built-ins first."""
        return [*self.built_in, *sorted(self.installed)]

    def load(self, name: str) -> Any:
        """Import the part called `name`.

        Raises
        ------
        UsageError
            If the name is unknown (the message has similar names), its package cannot be
            imported, or the part is not valid.
        """
        if name in self.built_in:
            return resolve_name(self.built_in[name])
        if name not in self.installed:
            raise self.unknown(name)
        try:
            with _isolate() as interrupts:
                return self.check_part(self.installed[name].load())
        except BaseException as error:
            if interrupts:
                raise
            raise self._broken(name, "loaded", error) from error

    def make(self, name: str, *arguments: Any, **options: Any) -> Any:
        """Call the part called `name`, and return its result.

        Raises
        ------
        UsageError
            See `load`; also if a part of another package raises anything but a `WordOrderError`.
        """
        part = self.load(name)
        # `installed` searches the environment, so `built_in` is tested first.
        if name in self.built_in or name not in self.installed:
            return part(*arguments, **options)
        try:
            with _isolate() as interrupts:
                return part(*arguments, **options)
        except WordOrderError:
            raise
        except BaseException as error:
            if interrupts:
                raise
            raise self._broken(name, "made", error) from error

    def loaded(self) -> dict[str, Any]:
        """Return all parts by name; parts that cannot be loaded are skipped with a note."""
        parts = {}
        for name in self.names():
            try:
                parts[name] = self.load(name)
            except UsageError as error:
                if name in self.built_in:
                    raise
                self.note_unusable(name, error)
        return parts

    def note_unusable(self, name: str, error: WordOrderError) -> None:
        """Note, once, that a part of another package cannot be used."""
        if name not in self._noted:
            self._noted.add(name)
            part = f"{self.kind} {name!r}"
            # Messages of the registry start with the name of the part, those of the part do not.
            reason = str(error).removeprefix(part).strip()
            note(f"passed over: {part} {reason if reason != str(error) else f'({reason})'}")

    def package(self, name: str) -> str:
        """Return the name of the package that has a part, or the module if that is unknown.

        Examples
        --------
        >>> Registry("toy", "wordorder.toys", {"a": "wordorder.errors:InputError"}).package("a")
        'wordorder'
        """
        if name in self.built_in:
            return "wordorder"
        point = self.installed[name]
        try:
            package: str | None = point.dist.name if point.dist else None
        except Exception:
            # Damaged metadata of the package.
            package = None
        return package or point.value

    def check_part(self, part: Any) -> Any:
        """Check a part of another package, and return it.

        Raises
        ------
        UsageError
            If the part is not callable, or required methods are missing; the message lists them.
        """
        if not callable(part):
            raise UsageError(f"it is of type {type(part).__name__}; expected a class")
        if isinstance(part, type) or self.class_methods:
            missing = [name for name in self.needs if not callable(getattr(part, name, None))]
            if missing:
                type_name = "class" if isinstance(part, type) else type(part).__name__
                name = getattr(part, "__name__", "")
                raise UsageError(f"the {type_name} {name} lacks {', '.join(sorted(missing))}")
        return part

    def unknown(self, name: object, *further: str) -> UsageError:
        """Build the error for a name that is neither registered nor one of the `further` names."""
        legal = [*further, *self.names()]
        return unknown_name(self.kind, str(name), legal, listed_by=self.listed_by)

    def _broken(self, name: str, participle: str, error: BaseException) -> UsageError:
        """Build the error for a part of another package that cannot be "loaded" or "made"."""
        reason = str(error) if isinstance(error, WordOrderError) else type(error).__name__
        if isinstance(error, SystemExit):
            reason = f"it calls sys.exit({error.code!r})"
        elif reason == type(error).__name__ and str(error):
            reason = f"{reason}: {error}"
        origin = f"{self.installed[name].value} (package {self.package(name)})"
        return UsageError(f"{self.kind} {name!r} cannot be {participle} from {origin}: {reason}")


@contextlib.contextmanager
def _isolate() -> Iterator[list[int]]:
    """Run code of another package with its printed output on standard error.

    Yields a list of received interrupts: without one, the package itself raised a
    `KeyboardInterrupt`.
    """
    interrupts: list[int] = []
    previous = signal.getsignal(signal.SIGINT)

    def interrupt(number: int, frame: FrameType | None) -> None:
        interrupts.append(number)
        if callable(previous):
            previous(number, frame)

    # Only the main thread receives signals.
    is_main = threading.current_thread() is threading.main_thread()
    has_handler = callable(previous) and is_main
    if has_handler:
        signal.signal(signal.SIGINT, interrupt)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield interrupts
    finally:
        if has_handler and signal.getsignal(signal.SIGINT) is interrupt:
            signal.signal(signal.SIGINT, previous)
