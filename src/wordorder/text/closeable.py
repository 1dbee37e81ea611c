"""What readers share: they are closed at the end of a ``with`` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from types import TracebackType
from typing import TypeVar

Self = TypeVar("Self", bound="Closeable")


class Closeable(ABC):
    """A base class for what holds an input open."""

    @abstractmethod
    def close(self) -> None:
        """Close the input."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
