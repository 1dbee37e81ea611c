"""Reading of training treebanks, their lowercase copies, and the signature of the data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import InputError, UsageError, whole_number
from wordorder.messages import counted
from wordorder.parsing.training.training import Say
from wordorder.text.opening import Path, display_name
from wordorder.treebank.preparation import has_dotless, split_hyphens, with_lower_case
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Treebank
from wordorder.treebank.trees import SECOND_ROOT

# The columns that taggers and parsers learn from.
LEARNED_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")
DIGEST_BYTES = 16


def data_signature(treebank: Treebank) -> str:
    """Return a hash of the sentences, tags and trees of a treebank.

    Comments, multiword ranges and the columns DEPS and MISC are ignored.

    Returns
    -------
    str
        32 hexadecimal digits (BLAKE2b).

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["Go"]])
    >>> data_signature(bank)
    '702a5e6ef85df87f254708d18a332eae'
    >>> data_signature(bank[:1]) == data_signature(bank)
    False
    """
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    digest.update(treebank.lengths.astype("<i8").tobytes())
    digest.update(treebank.heads.astype("<i4").tobytes())
    for name in LEARNED_COLUMNS:
        # Codes in the order of appearance, so that the hash does not depend on the vocabulary.
        column = Column.of(treebank.columns[name].strings())
        codes, strings = column.codes, column.vocabulary.words
        # Lengths are hashed too, so that no two lists of strings give the same bytes.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        digest.update(np.array([len(codes), *map(len, encoded)], "<i8").tobytes())
        digest.update(b"".join(encoded))
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class TrainingFiles:
    """The files of training treebanks, and options of reading them.

    Attributes
    ----------
    train : path or sequence of paths
        CoNLL-U files.
    dev : path, optional
        A treebank on which the best epoch is chosen; without it the last epoch is used.
    add : sequence of (path, int)
        Further treebanks, and how often each of their trees is used in an epoch (Katz-Brown et al.
        2011, section 5).
    lowercase : bool
        Ignore case, in training and whenever the model is used.
    any_case : bool
        Learn also from a lowercase copy of each sentence, so that accuracy is almost the same on
        text in lower case or in capitals. The parser then sees lowercase words only; the tagger
        still sees capitals.
    split_hyphens : bool
        Split words at hyphens (Katz-Brown et al. 2011, section 4.1).
    """

    train: Path | Sequence[Path]
    _: KW_ONLY
    dev: Path | None = None
    add: Sequence[tuple[Path, int]] = ()
    lowercase: bool = False
    any_case: bool = False
    split_hyphens: bool = False

    @classmethod
    def of(cls, data: TrainingFiles | Path | Sequence[Path]) -> TrainingFiles:
        """Return `data` itself, or training files with these treebanks and default options."""
        return data if isinstance(data, TrainingFiles) else cls(train=data)

    def case(self) -> dict[str, Any]:
        """Return the options on case for the metadata of model files and checkpoints."""
        return {"lowercase": self.lowercase, "any_case": self.any_case}


@dataclass(frozen=True)
class TrainingText:
    """The sentences of the training treebanks.

    Attributes
    ----------
    trees : Treebank
        Each sentence once.
    repeat : int64[S]
        How often each sentence is used in an epoch.
    groups : int64[S]
        An index per sentence, from 0, the same for copies of one sentence.
    dev : Treebank or None
        The development part.
    name : str
        The names of the files, without their folders.
    written : int
        The number of sentences of `TrainingFiles.train`, which come first. Those of `add` may be
        parsed text whose words a tokenizer predicted.
    """

    trees: Treebank
    repeat: Int64
    groups: Int64
    dev: Treebank | None
    name: str
    written: int

    @property
    def repeated(self) -> Treebank:
        """Each sentence as often as it is used in an epoch."""
        if np.all(self.repeat == 1):
            return self.trees
        return self.trees.take(np.repeat(np.arange(len(self.trees)), self.repeat))


def read_training_text(files: TrainingFiles, *, heads: bool = True, say: Say) -> TrainingText:
    """Read the training treebanks.

    Parameters
    ----------
    files : TrainingFiles
    heads : bool
        Whether each sentence must have a tree.
    say : callable
        Takes lines of text about the treebanks.

    Raises
    ------
    UsageError
        If there is no treebank, or the weight of one is not a whole number of at least 1.
    InputError
        If a file cannot be read or has no words.
    """
    train, split = files.train, files.split_hyphens
    paths = [train] if isinstance(train, (str, os.PathLike)) else list(train)
    if not paths:
        raise UsageError("no treebank to train on")
    for path, weight in files.add:
        whole_number(f"{os.fspath(path)}: a weight", weight)
    weighted = [*((path, 1) for path in paths), *files.add]
    parts = [_read(path, split_at_hyphens=split, heads=heads, say=say) for path, _ in weighted]
    for path, weight in files.add:
        say(f"{display_name(path)}: each sentence is taken {counted(weight, 'time')} in an epoch")
    trees = Treebank.concatenate(parts) if len(parts) > 1 else parts[0]
    repeat = np.repeat([weight for _, weight in weighted], list(map(len, parts)))
    groups = np.arange(len(trees))
    held_out = (
        None
        if files.dev is None
        else _read(files.dev, split_at_hyphens=split, heads=heads, say=say)
    )
    if files.any_case:
        dotless = has_dotless(trees.form)
        trees, copied = with_lower_case(trees, dotless=dotless)
        repeat, groups = np.append(repeat, repeat[copied]), np.append(groups, copied)
        held_out = held_out and with_lower_case(held_out, dotless=dotless)[0]
        say(f"{len(copied)} sentences are learnt from in lower case too")
    return TrainingText(
        trees,
        repeat,
        groups,
        held_out,
        ", ".join(os.path.basename(display_name(path)) for path, _ in weighted),
        sum(map(len, parts[: len(paths)])),
    )


def _read(path: Path, *, split_at_hyphens: bool, heads: bool, say: Say) -> Treebank:
    """Read one treebank and print its size."""
    try:
        # Taggers do not need trees.
        treebank = read_treebank(path, trees="required" if heads else "optional", single_root=heads)
    except InputError as error:
        if error.what != SECOND_ROOT:
            raise
        problem = f"{error.what}; train parser needs one root a sentence"
        raise InputError(error.where, problem) from None
    name = display_name(path)
    if not treebank.words:
        raise InputError(name, "no words", "sentences to learn from")
    say(f"{name}: {counted(len(treebank), 'sentence')}, {counted(treebank.words, 'word')}")
    further_trees = sum(margin.value("rank") not in (None, "1") for margin in treebank.margins)
    if further_trees:
        say(
            f"{name}: lists of trees; {further_trees} further trees of lists count as sentences too"
        )
    if split_at_hyphens:
        words = treebank.words
        treebank = split_hyphens(treebank)
        say(f"{name}: splitting at hyphens made {treebank.words - words} more words")
    if not (treebank.upos.has_value() | treebank.xpos.has_value()).any():
        raise InputError(name, "words without tags", "UPOS or XPOS to learn from")
    return treebank
