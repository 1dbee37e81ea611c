"""Files of learned orders: written whole, checked before anything is believed."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Mapping
from typing import Any

from wordorder.errors import ModelError
from wordorder.reordering.learned.base import OrderModel
from wordorder.reordering.learned.kinds import LEARNED
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.text.opening import Path
from wordorder.text.tensors import read_tensors, write_tensors
from wordorder.types import Array

FORMAT = "wordorder order"
# Goes up when the same numbers would come to mean something else.
VERSION = 1


def save_learned(path: Path, model: OrderModel, about: Mapping[str, Any]) -> None:
    """Write a learned order to a file; the same model gives the same bytes.

    Parameters
    ----------
    path : path
        Appears under its name when it is complete.
    model : OrderModel
    about : mapping
        What else a reader should know, as JSON can hold it; see `LearnedOrder.about`.

    Raises
    ------
    UsageError
        If `path` cannot be created.
    InputError
        If the file cannot be written to its end.
    """
    said, arrays = model.parts()
    whole = {"format": FORMAT, "version": VERSION, "kind": model.kind, "model": said}
    write_tensors(path, {**whole, "about": dict(about)}, arrays)


def load_learned(path: Path) -> LearnedOrder:
    """Read a learned order from a file, whatever its kind.

    Raises
    ------
    UsageError
        If there is no such file.
    ModelError
        If it is no file of a learned order, a bit of it is wrong, it is of another version, or
        its kind is not installed.
    """
    name = os.fspath(path)
    said, arrays = read_tensors(name, FORMAT)
    version, about = said.get("version"), said.get("about")
    # True is equal to 1.
    if type(version) is not int or version != VERSION:
        raise ModelError(f"{name}: version {version!r} of the format; expected {VERSION}")
    if not isinstance(about, dict):
        raise ModelError(f"{name}: the description of the model is damaged")
    try:
        model = model_of(said.get("kind"), said.get("model"), arrays)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None
    stem = pathlib.PurePath(name).name.split(".")[0]
    return LearnedOrder(stem or "learned", model, about, _identity(name))


def model_of(kind: object, said: object, arrays: dict[str, Array]) -> OrderModel:
    """Make a model of its parts.

    Raises
    ------
    ModelError
        If there is no such kind, or the parts do not fit together.
    """
    if not isinstance(kind, str) or kind not in LEARNED.names():
        names = ", ".join(LEARNED.names())
        raise ModelError(f"a learned order of the kind {kind!r}; installed kinds: {names}")
    if not isinstance(said, dict):
        raise ModelError("the description of the model is damaged")
    try:
        model: OrderModel = LEARNED.load(kind).from_parts(said, arrays)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        # What a description lacks, or has of another type, that nobody asked about.
        what = f"{type(error).__name__}: {error}"
        raise ModelError(f"the description of the model is damaged ({what})") from error
    return model


def _identity(name: str) -> str:
    with open(name, "rb") as stream:
        return hashlib.sha256(stream.read()).hexdigest()[:8]
