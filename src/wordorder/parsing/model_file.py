"""Files of taggers and parsers: written whole, checked before anything is believed."""

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
from wordorder.parsing.weights import ALL_BITS, COMPACT_BITS, MOST_ACTIONS, Model, Weights
from wordorder.registry import Registry
from wordorder.text.opening import Path
from wordorder.text.tensors import is_text, read_tensors, select_arrays, unpacked, write_tensors

FORMAT = "wordorder parser"

# Goes up when the same numbers would come to mean something else.
VERSION = 1

# The roles of the models of a file, one of each.
ROLES = ("tagger", "parser")
PARTS = (*ROLES, "tokenizer")

# What each of them must be able to do.
NEEDS = {"tagger": "tag", "parser": "parse", "tokenizer": "tokens"}

# Models that come with the package, each in a file of its own.
SAMPLES = "wordorder.samples"
SHIPPED = {"en": "English: tagger and parser trained on UD English EWT and Atis (CC BY-SA 4.0)"}

# What a model of a package may be called: a path is looked up nowhere else.
NAME = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")

# What a user who named no model needs to know.
WHICH_MODELS = (
    "A model is en (English), udpipe:FILE, spacy:NAME, stanza:LANGUAGE, or a file; "
    "`wordorder train parser TREEBANK.conllu -o FILE` trains one for any language"
)

# No weight of a model is larger: sums of hundreds of them, one a template, stay within 32 bits.
# Those of an unfinished training are not yet averaged.
MOST_WEIGHT, MOST_UNFINISHED = 1 << 22, 1 << 30

# What a model file may hold; a further package brings its own kinds as entry points.
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
        Cuts raw text as the treebank does.
    about : dict
        How they were trained: data, options, licence, and the share of ``unknown`` words in new
        text of the language.
    """

    tagger: Tagger | None = None
    parser: Parser | None = None
    tokenizer: RawTokenizer | None = None
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def unknown(self) -> float | None:
        """The share of unknown words in new text of the language, if the file tells it."""
        share = self.about.get("unknown")
        return share if isinstance(share, float) else None


def save_models(path: Path, models: Mapping[str, Model], about: Mapping[str, Any]) -> None:
    """Write a tagger, a parser or both to one file; the same models give the same bytes.

    Parameters
    ----------
    path : path
        Appears under its name when it is complete.
    models : mapping of ``"tagger"``, ``"parser"``, ``"tokenizer"`` to Model
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
        if role not in PARTS:
            raise unknown_name("role of a model", role, PARTS)
        model_about, parts = model.parts()
        described[role] = {"kind": model.kind, "about": model_about}
        arrays |= {f"{role}.{name}": array for name, array in parts.items()}
    metadata = {"format": FORMAT, "version": VERSION, "models": described, "about": dict(about)}
    write_tensors(path, metadata, arrays)


def load_models(path: Path) -> Loaded:
    """Read the models of a file, or those that come with the package.

    Parameters
    ----------
    path : path
        A file that `save_models` wrote, or the name of a shipped model, ``en``, or of one that is
        installed as a package.

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
            return _read(_installed(name))
        if is_text(name):
            raise UsageError(f"{name} is a text, not a model. {WHICH_MODELS}")
        return _read(name)

    with ExitStack() as stack:
        file = resources.files(SAMPLES) / "models" / f"{name}.safetensors"
        if not file.is_file():
            raise UsageError(f"the model {name!r} is not part of this installation")
        return _read(os.fspath(stack.enter_context(resources.as_file(file))))


def _installed(name: str) -> str:
    """Return the file of a model that a package brings."""
    if NAME.fullmatch(name):
        from wordorder.parsing.installed import installed_models

        models = installed_models()
        if name in models:
            return os.fspath(models[name].path)
        installed = f" Installed as packages: {', '.join(models)}." if models else ""
        raise UsageError(
            f"{name}: no such model or file. {WHICH_MODELS}; with --package wordorder-{name} it "
            f"writes a package, and where `pip install` has put that, `{name}` is a "
            f"model.{installed}"
        )
    raise UsageError(f"{name}: no such model or file. {WHICH_MODELS}")


def _read(name: str) -> Loaded:
    """Read the models of a file."""
    metadata, arrays = read_tensors(name, FORMAT, version=VERSION)
    described, about = metadata.get("models"), metadata.get("about")
    if not isinstance(described, dict) or not isinstance(about, dict) or not described:
        raise ModelError(f"{name}: the description of the models is damaged")
    loaded: dict[str, Any] = {}
    # Files of 1.0.0rc1 have a profile of letters, in which alone the share of unknown words counts.
    profile = described.pop("letters", None)
    if isinstance(profile, dict) and isinstance(profile.get("about"), dict):
        about.setdefault("unknown", profile["about"].get("unknown"))
    for role, entry in described.items():
        if role not in PARTS or not isinstance(entry, dict):
            raise ModelError(f"{name}: the description of the models is damaged")
        kind = entry.get("kind")
        if kind not in MODELS.names():
            names = ", ".join(MODELS.names())
            raise ModelError(f"{name}: a model of the kind {kind!r}; installed kinds: {names}")
        model_class = MODELS.load(kind)
        with unpacked(f"{name}: {role}", "its description"):
            loaded[role] = model_class.from_parts(entry["about"], select_arrays(arrays, f"{role}."))
            if not hasattr(loaded[role], NEEDS[role]):
                raise ModelError(f"a model of the kind {kind!r}, which is no {role}")
    return Loaded(about=about, **loaded)


def weights_arrays(prefix: str, weights: Weights, *, training: bool = False) -> dict[str, Array]:
    """Return the arrays of weights; the same weights give the same arrays.

    Parameters
    ----------
    prefix : str
        What the names of the arrays begin with.
    weights : Weights
    training : bool
        Keep also the sums that averages are made of, to learn on later.

    Raises
    ------
    ModelError
        If a weight is beyond what a model may have.

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
    if not training and np.any(np.abs(value) > MOST_WEIGHT):
        raise ModelError(
            f"{prefix}: a weight is beyond {MOST_WEIGHT >> 10} updates; train for fewer epochs"
        )
    arrays: dict[str, Array] = {"key": keys, "count": counts, "action": action, "value": value}
    if training:
        arrays["moment"] = moment
    if weights.key_mask == COMPACT_BITS:
        levels, codes = np.unique(value, return_inverse=True)
        arrays = {
            "key": keys.astype(np.uint32),
            "count": _smallest(counts, weights.actions),
            "action": _smallest(action, weights.actions),
            "level": levels,
            "value": _smallest(codes, len(levels)),
        }
    return {f"{prefix}.{name}": array for name, array in arrays.items()}


def weights_from_arrays(prefix: str, arrays: Mapping[str, Array], actions: int) -> Weights:
    """Return the weights that `weights_arrays` made arrays of.

    Parameters
    ----------
    prefix : str
    arrays : mapping of name to array
        Nothing of it is believed.
    actions : int
        Number of actions.

    Returns
    -------
    Weights
        To be read, or to learn on with if that was kept.

    Raises
    ------
    ModelError
        If an array is missing, of another type or size than it must have, or if the numbers
        make no sense; the message names it.
    """
    if type(actions) is not int or not 0 <= actions <= MOST_ACTIONS:
        raise ModelError(f"{prefix}: {actions!r} actions; expected 0 to {MOST_ACTIONS}")
    compact = f"{prefix}.level" in arrays
    small = ("u1", "u2") if compact else ()
    keys = _flat(arrays, f"{prefix}.key", "u4" if compact else "u8")
    counts = _flat(arrays, f"{prefix}.count", *small, "i4", size=len(keys))
    action = _flat(arrays, f"{prefix}.action", *small, "i2")
    value = _flat(arrays, f"{prefix}.value", *(small or ("i4",)), size=len(action))
    if len(keys) and not np.all(keys[1:] > keys[:-1]):
        raise ModelError(f"{prefix}.key: the keys do not rise")
    # Both bounds first: a sum of small numbers cannot wrap.
    _bounded(f"{prefix}.count", counts, 1, actions)
    _bounded(f"{prefix}.action", action, 0, actions - 1)
    if int(counts.sum(dtype=np.int64)) != len(action):
        raise ModelError(f"{prefix}.count: the rows do not add up to the entries")
    if compact:
        levels = _flat(arrays, f"{prefix}.level", "i4")
        _bounded(f"{prefix}.level", levels, -MOST_WEIGHT, MOST_WEIGHT)
        _bounded(f"{prefix}.value", value, 0, len(levels) - 1)
        value = levels[value]
    else:
        bound = MOST_UNFINISHED if f"{prefix}.moment" in arrays else MOST_WEIGHT
        _bounded(f"{prefix}.value", value, -bound, bound)
    moment = None
    if f"{prefix}.moment" in arrays:
        # Copies: training that continues must not read from the file that it will replace.
        moment = _flat(arrays, f"{prefix}.moment", "i8", size=len(action)).copy()
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
    """Return the arrays of distinct strings: their letters as UTF-8, and how many each has.

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
    """Return the strings that `strings_arrays` made arrays of.

    Raises
    ------
    ModelError
        If an array is missing or of another type, or if they are not distinct strings.
    """
    letters = _flat(arrays, f"{prefix}.letters", "u1")
    lengths = _flat(arrays, f"{prefix}.bytes", "i4")
    _bounded(f"{prefix}.bytes", lengths, 0, len(letters))
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
    most: int,
    *,
    least: int = 0,
    kind: str = "i4",
    size: int | None = None,
) -> Any:
    """Return a flat array of numbers from `least` to `most`, int32 unless another type is named.

    Raises
    ------
    ModelError
        If it is missing, has another size, or holds anything else.
    """
    array = _flat(arrays, name, kind, size=size)
    _bounded(name, array, least, most)
    return array


def _flat(arrays: Mapping[str, Array], name: str, *types: str, size: int | None = None) -> Array:
    """Return an array that must be there, flat, of one of the types and of a size."""
    array = arrays.get(name)
    if array is None:
        raise ModelError(f"{name} is missing")
    legal = [np.dtype(kind) for kind in types]
    if array.dtype not in legal or array.ndim != 1:
        expected_types = " or ".join(map(str, legal))
        raise ModelError(
            f"{name}: {array.dtype}{list(array.shape)}; expected flat {expected_types}"
        )
    if size is not None and len(array) != size:
        raise ModelError(f"{name}: {len(array)} numbers; expected {size}")
    return np.ascontiguousarray(array)


def _bounded(name: str, array: Array, least: int, most: int) -> None:
    """Refuse numbers outside of bounds."""
    if len(array) and (int(array.min()) < least or int(array.max()) > most):
        raise ModelError(f"{name} holds a number that cannot be: not from {least} to {most}")


def _smallest(array: Array, bound: int) -> Array:
    """Return numbers up to `bound` in as few bytes as hold them all."""
    return array.astype(np.uint8 if bound < 1 << 8 else np.uint16)
