"""Treebanks to learn from: reading, copies in lower case, a signature of the data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass

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

# What taggers and parsers learn from.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")
BYTES = 16


def data_signature(treebank: Treebank) -> str:
    """Return what tells the sentences, tags and trees of a treebank from all others.

    Comments, multiword ranges and the columns DEPS and MISC do not matter.

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
    digest = hashlib.blake2b(digest_size=BYTES)
    digest.update(treebank.lengths.astype("<i8").tobytes())
    digest.update(treebank.heads.astype("<i4").tobytes())
    for name in COLUMNS:
        # Numbered as they come, whatever the numbers were before.
        column = Column.of(treebank.columns[name].strings())
        codes, strings = column.codes, column.vocabulary.words
        # Lengths in between: two lists of strings are never the same bytes.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        digest.update(np.array([len(codes), *map(len, encoded)], "<i8").tobytes())
        digest.update(b"".join(encoded))
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class TrainingText:
    """What is learnt from.

    Attributes
    ----------
    trees : Treebank
        Each sentence once.
    repeat : int64[S]
        How often each is taken in an epoch.
    groups : int64[S]
        Copies of one sentence have the same number, counted from 0.
    dev : Treebank or None
    name : str
        The names of the files, without their folders.
    written : int
        How many of the first sentences are those of the treebanks: further ones may be parsed text,
        whose words had to be found.
    """

    trees: Treebank
    repeat: Int64
    groups: Int64
    dev: Treebank | None
    name: str
    written: int

    @property
    def repeated(self) -> Treebank:
        """Each sentence as often as it is taken."""
        if np.all(self.repeat == 1):
            return self.trees
        return self.trees.take(np.repeat(np.arange(len(self.trees)), self.repeat))


def read_training_text(
    train: Path | Sequence[Path],
    *,
    dev: Path | None = None,
    add: Sequence[tuple[Path, int]] = (),
    split: bool = False,
    heads: bool = True,
    any_case: bool = False,
    say: Say,
) -> TrainingText:
    """Read treebanks to learn from.

    Parameters
    ----------
    train : path or sequence of paths
    dev : path, optional
    add : sequence of (path, int)
        Further treebanks, and how often their sentences are taken in each epoch.
    split : bool
        Whether words are split at hyphens.
    heads : bool
        Whether each sentence must have a tree.
    any_case : bool
        Whether copies in lower case follow, also in the part that is held out.
    say : callable
        Takes lines of text about what was read.

    Raises
    ------
    UsageError
        If there is no treebank, or a weight is no whole number of at least 1.
    InputError
        If a file cannot be read or has no words.
    """
    paths = [train] if isinstance(train, (str, os.PathLike)) else list(train)
    if not paths:
        raise UsageError("no treebank to train on")
    for path, weight in add:
        whole_number(f"{os.fspath(path)}: a weight", weight)
    given = [*((path, 1) for path in paths), *add]
    parts = [_read(path, split=split, heads=heads, say=say) for path, _ in given]
    for path, weight in add:
        say(f"{display_name(path)}: each sentence is taken {counted(weight, 'time')} in an epoch")
    trees = Treebank.concatenate(parts) if len(parts) > 1 else parts[0]
    repeat = np.repeat([weight for _, weight in given], list(map(len, parts)))
    groups = np.arange(len(trees))
    held_out = None if dev is None else _read(dev, split=split, heads=heads, say=say)
    if any_case:
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
        ", ".join(os.path.basename(display_name(path)) for path, _ in given),
        sum(map(len, parts[: len(paths)])),
    )


def _read(path: Path, *, split: bool, heads: bool, say: Say) -> Treebank:
    """Read one treebank and say what is in it."""
    try:
        # A tagger does not look at trees.
        bank = read_treebank(path, trees="required" if heads else "optional", single_root=heads)
    except InputError as error:
        if error.what != SECOND_ROOT:
            raise
        what = f"{error.what}; train parser needs one root a sentence"
        raise InputError(error.where, what) from None
    name = display_name(path)
    if not bank.words:
        raise InputError(name, "no words", "sentences to learn from")
    say(f"{name}: {counted(len(bank), 'sentence')}, {counted(bank.words, 'word')}")
    others = sum(margin.value("rank") not in (None, "1") for margin in bank.margins)
    if others:
        say(f"{name}: lists of trees; {others} further trees of lists count as sentences too")
    if split:
        words = bank.words
        bank = split_hyphens(bank)
        say(f"{name}: splitting at hyphens made {bank.words - words} more words")
    if not (bank.upos.said() | bank.xpos.said()).any():
        raise InputError(name, "words without tags", "UPOS or XPOS to learn from")
    return bank
