"""Files of taggers and parsers: written whole, checked before anything is believed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from wordorder.errors import ModelError, UsageError, unknown_name
from wordorder.parsing.base import Parser, Tagger
from wordorder.parsing.learner import Model
from wordorder.parsing.models import MODELS
from wordorder.text.opening import Path
from wordorder.text.tensors import is_text, read_tensors, write_tensors
from wordorder.types import Array

FORMAT = "wordorder parser"
# Goes up when the same numbers would come to mean something else.
VERSION = 1
# What a file may hold, one of each.
ROLES = ("tagger", "parser")
# Models that come with the package, each in a file of its own.
SAMPLES = "wordorder.samples"
SHIPPED = {"en": "English: tagger and parser trained on UD English EWT and Atis (CC BY-SA 4.0)"}

# What a user who named no model needs to know.
WHICH_MODELS = (
    "A model is en (English), udpipe:FILE, spacy:NAME, stanza:LANGUAGE, or a file; "
    "`wordorder train parser TREEBANK.conllu -o FILE` trains one for any language"
)


@dataclass(frozen=True)
class Loaded:
    """What a model file holds.

    Attributes
    ----------
    tagger : Tagger, optional
    parser : Parser, optional
    about : dict
        How they were trained: data, options, licence.
    """

    tagger: Tagger | None = None
    parser: Parser | None = None
    about: dict[str, Any] = field(default_factory=dict)


def save_models(path: Path, models: Mapping[str, Model], about: Mapping[str, Any]) -> None:
    """Write a tagger, a parser or both to one file; the same models give the same bytes.

    Parameters
    ----------
    path : path
        Appears under its name when it is complete.
    models : mapping of ``"tagger"`` and ``"parser"`` to Model
    about : mapping
        What else a reader should know, as JSON can hold it: data, options, licence.

    Raises
    ------
    UsageError
        If there is no model, a role has another name, or `path` cannot be created.
    InputError
        If the file cannot be written to its end.
    """
    if not models:
        raise UsageError("a model file holds a tagger, a parser or both")
    described: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for role, model in models.items():
        if role not in ROLES:
            raise unknown_name("role of a model", role, ROLES)
        said, parts = model.parts()
        described[role] = {"kind": model.kind, "about": said}
        arrays |= {f"{role}.{name}": array for name, array in parts.items()}
    whole = {"format": FORMAT, "version": VERSION, "models": described, "about": dict(about)}
    write_tensors(path, whole, arrays)


def load_models(path: Path) -> Loaded:
    """Read the models of a file, or those that come with the package.

    Parameters
    ----------
    path : path
        A file that `save_models` wrote, or the name of a shipped model: ``en``.

    Raises
    ------
    UsageError
        If there is no such file, or if it is a text.
    ModelError
        If it is no model file, if a bit of it is wrong, if it is of another version, or if it
        holds a kind of model that is not installed.
    """
    name = os.fspath(path)
    if name not in SHIPPED:
        if not os.path.exists(name):
            raise UsageError(f"{name}: no such model or file. {WHICH_MODELS}")
        if is_text(name):
            raise UsageError(f"{name} is a text, not a model. {WHICH_MODELS}")
        return _read(name)
    from importlib import resources

    with ExitStack() as stack:
        file = resources.files(SAMPLES) / "models" / f"{name}.safetensors"
        if not file.is_file():
            raise UsageError(f"the model {name!r} is not part of this installation")
        return _read(os.fspath(stack.enter_context(resources.as_file(file))))


def _read(name: str) -> Loaded:
    """Read the models of a file."""
    said, arrays = read_tensors(name, FORMAT)
    version, described, about = (said.get(key) for key in ("version", "models", "about"))
    # True is equal to 1.
    if type(version) is not int or version != VERSION:
        raise ModelError(f"{name}: version {version!r} of the format; expected {VERSION}")
    if not isinstance(described, dict) or not isinstance(about, dict) or not described:
        raise ModelError(f"{name}: the description of the models is damaged")
    loaded: dict[str, Any] = {}
    for role, entry in described.items():
        if role not in ROLES or not isinstance(entry, dict):
            raise ModelError(f"{name}: the description of the models is damaged")
        kind = entry.get("kind")
        if kind not in MODELS.names():
            names = ", ".join(MODELS.names())
            raise ModelError(f"{name}: a model of the kind {kind!r}; installed kinds: {names}")
        start = f"{role}."
        own = {key[len(start) :]: array for key, array in arrays.items() if key.startswith(start)}
        made = MODELS.load(kind)
        try:
            loaded[role] = made.from_parts(entry["about"], own)
        except ModelError as error:
            raise ModelError(f"{name}: {role}: {error}") from None
        except (
            KeyError,
            TypeError,
            ValueError,
            IndexError,
            AttributeError,
            OverflowError,
        ) as error:
            # What a description lacks, or has of another type, that nobody asked about.
            what = f"{type(error).__name__}: {error}"
            raise ModelError(f"{name}: {role}: its description is damaged ({what})") from error
    return Loaded(loaded.get("tagger"), loaded.get("parser"), about)
