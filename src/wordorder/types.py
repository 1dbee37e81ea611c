"""Names of types that many files share: numpy arrays, and who is told of progress."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Bool = npt.NDArray[np.bool_]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
UInt64 = npt.NDArray[np.uint64]

# Is told now and then how many lines, sentences, … are done.
OnProgress = Callable[[int], object]


class ArrowStream(Protocol):
    """A column of a table: of Polars, pandas 3 and chunked ones of pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with a stream."""


class ArrowArray(Protocol):
    """A column of a table: arrays of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return capsules with a type and an array."""


# A column through the Arrow PyCapsule interface.
ArrowColumn = ArrowStream | ArrowArray
