"""Model files of taggers, parsers and tokenizers: written atomically, checked when read."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib import resources
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.arrays import Array
from wordorder.errors import ModelError, UsageError, unknown_name
from wordorder.parsing.base import Parser, RawTokenizer, Tagger
from wordorder.parsing.weights import ALL_BITS, COMPACT_BITS, MAX_ACTIONS, Model, Weights
from wordorder.registry import Registry
from wordorder.text.opening import Path
from wordorder.text.tensors import is_text, read_tensors, select_arrays, unpacked, write_tensors

MODEL_FORMAT = "wordorder parser"

# Increased when the meaning of the stored numbers changes.
MODEL_VERSION = 1

# The roles of the models of a file; a file has at most one model per role.
ROLES = ("tagger", "parser")
ALL_ROLES = (*ROLES, "tokenizer")

# The method that a model of each role must have.
REQUIRED_METHODS = {"tagger": "tag", "parser": "parse", "tokenizer": "tokens"}

# Models that are part of this package.
SAMPLES_PACKAGE = "wordorder.samples"
SHIPPED = {"en": "English: tagger and parser trained on UD English EWT and Atis (CC BY-SA 4.0)"}

# The names that a model of another package may have, so that a path is never looked up as one.
MODEL_NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

# Ends messages to users who did not name a model.
MODEL_HINT = (
    "A model is en (English), udpipe:FILE, spacy:NAME, stanza:LANGUAGE, or a file; "
    "`wordorder train parser TREEBANK.conllu -o FILE` trains one for any language"
)

# The maximum weight of a model, so that sums over hundreds of templates fit into 32 bits, and of
# an unfinished training, whose weights are not averaged yet.
MAX_WEIGHT, MAX_UNFINISHED_WEIGHT = 1 << 22, 1 << 30

# The classes of models by type; other packages add types by entry points.
MODELS = Registry(
    "kind of model",
    "wordorder.models",
    {
        "transition": "wordorder.parsing.transition.parser:TransitionParser",
        "graph": "wordorder.parsing.graph.parser:GraphParser",
        "perceptron-tagger": "wordorder.parsing.tagging.perceptron:PerceptronTagger",
        "tnt": "wordorder.parsing.tagging.tnt:TnT",
        "character-cuts": "wordorder.parsing.tokenizer:Tokenizer",
    },
    needs=("from_parts",),
    class_methods=True,
)


@dataclass(frozen=True)
class Loaded:
    """The contents of a model file.

    Attributes
    ----------
    tagger : Tagger, optional
    parser : Parser, optional
    tokenizer : RawTokenizer, optional
        Splits raw text as in the treebank.
    about : dict
        Metadata of the training: data, options, licence, and the share of ``unknown`` words in
        new text of the language.
    """

    tagger: Tagger | None = None
    parser: Parser | None = None
    tokenizer: RawTokenizer | None = None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def unknown(self) -> float | None:
        """The share of unknown words in new text of the language, if the file has it."""
        share = self.about.get("unknown")
        return share if isinstance(share, float) else None


def save_models(path: Path, models: Mapping[str, Model], about: Mapping[str, Any]) -> None:
    """Write a tagger, a parser or both to one file; the same models give the same bytes.

    Parameters
    ----------
    path : path
        The file, which appears when it is complete.
    models : mapping of ``"tagger"``, ``"parser"``, ``"tokenizer"`` to Model
    about : mapping
        Further JSON-serialisable metadata: data, options, licence.

    Raises
    ------
    UsageError
        If there is no model, a role is unknown, or `path` cannot be created.
    InputError
        If the file cannot be written completely.
    """
    if not models:
        raise UsageError("a model file holds a tagger, a parser or both")
    described: dict[str, Any] = {}
    arrays: dict[str, Array] = {}
    for role, model in models.items():
        if role not in ALL_ROLES:
            raise unknown_name("role of a model", role, ALL_ROLES)
        model_about, parts = model.parts()
        described[role] = {"kind": model.kind, "about": model_about}
        arrays |= {f"{role}.{name}": array for name, array in parts.items()}
    metadata = {
        "format": MODEL_FORMAT,
        "version": MODEL_VERSION,
        "models": described,
        "about": dict(about),
    }
    write_tensors(path, metadata, arrays)


def load_models(path: Path) -> Loaded:
    """Read the models of a file, or those of a model that is installed.

    Parameters
    ----------
    path : path
        A file that `save_models` wrote, or the name of a shipped model, ``en``, or of a model that
        is installed as a package.

    Raises
    ------
    UsageError
        If there is no such file, or it is a text.
    ModelError
        If the file is not a model file, is damaged, has another version, or has a type of model
        that is not installed.
    """
    name = os.fspath(path)
    if name not in SHIPPED:
        if not os.path.exists(name):
            return _read(_installed_path(name))
        if is_text(name):
            raise UsageError(f"{name} is a text, not a model. {MODEL_HINT}")
        return _read(name)

    with ExitStack() as stack:
        file = resources.files(SAMPLES_PACKAGE) / "models" / f"{name}.safetensors"
        if not file.is_file():
            raise UsageError(f"the model {name!r} is not part of this installation")
        return _read(os.fspath(stack.enter_context(resources.as_file(file))))


def _installed_path(name: str) -> str:
    """Return the file of a model that is installed as a package."""
    if MODEL_NAME.fullmatch(name):
        from wordorder.parsing.installed import installed_models

        models = installed_models()
        if name in models:
            return os.fspath(models[name].path)
        installed = f" Installed as packages: {', '.join(models)}." if models else ""
        raise UsageError(
            f"{name}: no such model or file. {MODEL_HINT}; with --package wordorder-{name} it "
            f"writes a package, and where `pip install` has put that, `{name}` is a "
            f"model.{installed}"
        )
    raise UsageError(f"{name}: no such model or file. {MODEL_HINT}")


def _read(name: str) -> Loaded:
    """Return the models of a file."""
    metadata, arrays = read_tensors(name, MODEL_FORMAT, version=MODEL_VERSION)
    described, about = metadata.get("models"), metadata.get("about")
    if not isinstance(described, dict) or not isinstance(about, dict) or not described:
        raise ModelError(f"{name}: the description of the models is damaged")
    loaded: dict[str, Any] = {}
    # Files of 1.0.0rc1 have the share of unknown words in a profile of letters, not used otherwise.
    profile = described.pop("letters", None)
    if isinstance(profile, dict) and isinstance(profile.get("about"), dict):
        about.setdefault("unknown", profile["about"].get("unknown"))
    for role, entry in described.items():
        if role not in ALL_ROLES or not isinstance(entry, dict):
            raise ModelError(f"{name}: the description of the models is damaged")
        kind = entry.get("kind")
        if kind not in MODELS.names():
            names = ", ".join(MODELS.names())
            raise ModelError(f"{name}: a model of the kind {kind!r}; installed kinds: {names}")
        model_class = MODELS.load(kind)
        with unpacked(f"{name}: {role}", "its description"):
            loaded[role] = model_class.from_parts(entry["about"], select_arrays(arrays, f"{role}."))
            if not hasattr(loaded[role], REQUIRED_METHODS[role]):
                raise ModelError(f"a model of the kind {kind!r}, which is no {role}")
    return Loaded(about=about, **loaded)


def weights_arrays(prefix: str, weights: Weights, *, training: bool = False) -> dict[str, Array]:
    """Return the arrays of weights; the same weights give the same arrays.

    Parameters
    ----------
    prefix : str
        The start of the arrays' names.
    weights : Weights
    training : bool
        Include the sums of the averages, so that training can continue.

    Raises
    ------
    ModelError
        If a weight is larger than a model may have.

    Examples
    --------
    >>> weights = Weights(actions=2)
    >>> key = np.array([7], np.uint64)
    >>> weights.add(key, np.array([1], np.int32), np.array([3], np.int32), before=0)
    >>> arrays = weights_arrays("words", weights)
    >>> sorted(arrays)
    ['words.action', 'words.count', 'words.key', 'words.value']
    >>> weights_from_arrays("words", arrays, actions=2).row(7)
    {1: 3}
    """
    keys, counts, action, value, moment = weights.rows()
    if not training and np.any(np.abs(value) > MAX_WEIGHT):
        raise ModelError(
            f"{prefix}: a weight is beyond {MAX_WEIGHT >> 10} updates; train for fewer epochs"
        )
    arrays: dict[str, Array] = {"key": keys, "count": counts, "action": action, "value": value}
    if training:
        arrays["moment"] = moment
    if weights.key_mask == COMPACT_BITS:
        levels, codes = np.unique(value, return_inverse=True)
        arrays = {
            "key": keys.astype(np.uint32),
            "count": _smallest_type(counts, weights.actions),
            "action": _smallest_type(action, weights.actions),
            "level": levels,
            "value": _smallest_type(codes, len(levels)),
        }
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def weights_from_arrays(prefix: str, arrays: Mapping[str, Array], actions: int) -> Weights:
    """Rebuild weights from the result of `weights_arrays`.

    Parameters
    ----------
    prefix : str
    arrays : mapping of name to array
        Untrusted; everything is checked.
    actions : int
        The number of actions.

    Returns
    -------
    Weights
        Read-only, or writable if the arrays include the sums of the averages.

    Raises
    ------
    ModelError
        If an array is missing, has a wrong type or size, or has invalid numbers; the message
        names it.
    """
    if type(actions) is not int or not 0 <= actions <= MAX_ACTIONS:
        raise ModelError(f"{prefix}: {actions!r} actions; expected 0 to {MAX_ACTIONS}")
    compact = f"{prefix}.level" in arrays
    small_types = ("u1", "u2") if compact else ()
    keys = _flat_array(arrays, f"{prefix}.key", "u4" if compact else "u8")
    counts = _flat_array(arrays, f"{prefix}.count", *small_types, "i4", size=len(keys))
    action = _flat_array(arrays, f"{prefix}.action", *small_types, "i2")
    value = _flat_array(arrays, f"{prefix}.value", *(small_types or ("i4",)), size=len(action))
    if len(keys) and not np.all(keys[1:] > keys[:-1]):
        raise ModelError(f"{prefix}.key: the keys do not rise")
    # The bounds are checked before the sum, which then cannot overflow.
    _check_bounds(f"{prefix}.count", counts, 1, actions)
    _check_bounds(f"{prefix}.action", action, 0, actions - 1)
    if int(counts.sum(dtype=np.int64)) != len(action):
        raise ModelError(f"{prefix}.count: the rows do not add up to the entries")
    if compact:
        levels = _flat_array(arrays, f"{prefix}.level", "i4")
        _check_bounds(f"{prefix}.level", levels, -MAX_WEIGHT, MAX_WEIGHT)
        _check_bounds(f"{prefix}.value", value, 0, len(levels) - 1)
        value = levels[value]
    else:
        bound = MAX_UNFINISHED_WEIGHT if f"{prefix}.moment" in arrays else MAX_WEIGHT
        _check_bounds(f"{prefix}.value", value, -bound, bound)
    moment = None
    if f"{prefix}.moment" in arrays:
        # A copy, since training that continues will replace the file that the array is mapped to.
        moment = _flat_array(arrays, f"{prefix}.moment", "i8", size=len(action)).copy()
    return Weights.from_rows(
        actions,
        keys.astype(np.uint64, copy=False),
        counts,
        action,
        value,
        moment,
        key_mask=COMPACT_BITS if compact else ALL_BITS,
    )


def strings_arrays(prefix: str, strings: Sequence[str]) -> dict[str, Array]:
    """Return the arrays of distinct strings: their concatenated UTF-8, and the bytes of each.

    Examples
    --------
    >>> arrays = strings_arrays("labels", ["nsubj", "語"])
    >>> arrays["labels.bytes"].tolist()
    [5, 3]
    >>> strings_from_arrays("labels", arrays)
    ['nsubj', '語']
    """
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    return {
        f"{prefix}.letters": np.frombuffer(b"".join(encoded), np.uint8),
        f"{prefix}.bytes": np.fromiter(map(len, encoded), np.int32, len(encoded)),
    }


def strings_from_arrays(prefix: str, arrays: Mapping[str, Array]) -> list[str]:
    """Rebuild strings from the result of `strings_arrays`.

    Raises
    ------
    ModelError
        If an array is missing or has a wrong type, or the strings are invalid or not distinct.
    """
    letters = _flat_array(arrays, f"{prefix}.letters", "u1")
    lengths = _flat_array(arrays, f"{prefix}.bytes", "i4")
    _check_bounds(f"{prefix}.bytes", lengths, 0, len(letters))
    ends = np.cumsum(lengths, dtype=np.int64)
    if (int(ends[-1]) if len(ends) else 0) != len(letters):
        raise ModelError(f"{prefix}.bytes: the strings do not add up to the letters")
    data = letters.tobytes()
    try:
        strings = [
            data[start:stop].decode("utf-8", "surrogatepass")
            for start, stop in pairwise([0, *ends.tolist()])
        ]
    except UnicodeDecodeError:
        raise ModelError(f"{prefix}.letters: a string is not UTF-8") from None
    if len(set(strings)) != len(strings):
        raise ModelError(f"{prefix}.letters: a string is listed twice")
    return strings


def numbers_from_arrays(
    name: str,
    arrays: Mapping[str, Array],
    max_value: int,
    *,
    min_value: int = 0,
    kind: str = "i4",
    size: int | None = None,
) -> Any:
    """Return a flat array of numbers from `min_value` to `max_value`, of type `kind`.

    Raises
    ------
    ModelError
        If the array is missing, has another type or size, or a number is out of range.
    """
    array = _flat_array(arrays, name, kind, size=size)
    _check_bounds(name, array, min_value, max_value)
    return array


def _flat_array(
    arrays: Mapping[str, Array], name: str, *types: str, size: int | None = None
) -> Array:
    """Return a required array; ModelError unless it is flat and has a valid type and size."""
    array = arrays.get(name)
    if array is None:
        raise ModelError(f"{name} is missing")
    valid_types = [np.dtype(kind) for kind in types]
    if array.dtype not in valid_types or array.ndim != 1:
        expected_types = " or ".join(map(str, valid_types))
        raise ModelError(
            f"{name}: {array.dtype}{list(array.shape)}; expected flat {expected_types}"
        )
    if size is not None and len(array) != size:
        raise ModelError(f"{name}: {len(array)} numbers; expected {size}")
    return np.ascontiguousarray(array)


def _check_bounds(name: str, array: Array, min_value: int, max_value: int) -> None:
    """Raise a ModelError if a number is out of range."""
    if len(array) and (int(array.min()) < min_value or int(array.max()) > max_value):
        raise ModelError(
            f"{name} holds a number that cannot be: not from {min_value} to {max_value}"
        )


def _smallest_type(array: Array, bound: int) -> Array:
    """Return numbers up to `bound` as uint8 if possible, otherwise as uint16."""
    return array.astype(np.uint8 if bound < 1 << 8 else np.uint16)
