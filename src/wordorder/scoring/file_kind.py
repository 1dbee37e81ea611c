"""What all kinds of files that are scored have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from wordorder.errors import InputError, UsageError
from wordorder.scoring.files import Files
from wordorder.segments import Segments
from wordorder.types import OnProgress

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.text.in_step import RowSource

Make = Callable[[], Segments]
# What was counted in each of some files: its name, its rows, and those of them without something.
# Of the parts of a file both add up.
Counts = Sequence[tuple[str, int, int]]

# Columns that only files of their own serve.
_OWN_RUN = {
    "trees": "compares dependency trees, in a run of its own: `wordorder score GOLD.conllu "
    "-i SYS.conllu -m uas,las`",
    "gold": "compares alignments with gold alignments, in a run of its own: `wordorder score "
    "GOLD.align -i SYS.align -m aer,precision,recall`",
}


@dataclass(frozen=True)
class Inputs:
    """Open files that are read in step, and what their rows become.

    Attributes
    ----------
    sources : sequence of RowSource
        All files; messages name the first when others differ from it in length.
    names : sequence of str
        One a system.
    segments : callable
        Given the rows that were read, one part a source, and how many rows came before them,
        returns what makes the segments of each system.
    """

    sources: Sequence[RowSource]
    names: Sequence[str]
    segments: Callable[[Sequence[Any], int], list[Make]]


class FileKind(ABC):
    """Files of one kind: their columns, their default metrics, their options, how they open.

    Parameters
    ----------
    files : Files

    Attributes
    ----------
    name : str
    default_metrics : str
        What scores them where no metric is named.
    row : str
        What messages call a row.
    dropped : str
        What is said of words without a counterpart, ``{}`` being how many.
    orders_alone : bool
        Whether only segments with too few words to order are left out; else whatever a metric
        cannot score.
    """

    name: ClassVar[str]
    default_metrics: ClassVar[str]
    row: ClassVar[str] = "line"
    orders_alone: ClassVar[bool] = False
    dropped: str = "left out {} that only one of system and reference has"

    def __init__(self, files: Files) -> None:
        self.files = files

    @property
    @abstractmethod
    def columns(self) -> set[str]:
        """The columns of segments that these files serve."""

    @property
    def trains(self) -> bool:
        """Whether `learn` reads whole files to train on them."""
        return False

    @abstractmethod
    def check(self) -> None:
        """Raise a UsageError for an option that these files leave without effect, or half given."""

    @abstractmethod
    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open everything that the metrics read; `stack` closes it."""

    def learn(self, progress: OnProgress | None) -> None:  # noqa: B027  # most learn nothing
        """Learn from whole files what their segments need, before they are read in step."""

    def check_metrics(self, metrics: Sequence[BaseMetric]) -> None:
        """Raise a UsageError that names what a metric lacks."""
        for metric in metrics:
            if missing := set(metric.columns) - self.columns:
                raise UsageError(f"{metric.name} {self.lacking(missing)}")

    def lacking(self, missing: set[str]) -> str:
        """Say of a metric why these files do not have the columns that it misses."""
        return next((why for column, why in _OWN_RUN.items() if column in missing), "")

    def hinted(self, error: InputError) -> InputError:
        """Return an error with what may be the reason."""
        return error

    def counts(self, inputs: Inputs) -> Counts:
        """Return what was counted in the files, once they have been read."""
        return []

    def note_counts(self, counts: Counts) -> None:  # noqa: B027  # most have nothing to say
        """Say what was found in the files."""

    def note_read(self, inputs: Inputs) -> None:
        """Say what was found in the files, once they have been read."""
        self.note_counts(self.counts(inputs))
