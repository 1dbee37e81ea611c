"""The tags of a file: which of them are tags of a model, and what is to be said of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.parsing.given_tags import TAGS
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Int64

# Where this share of a file's tags or more are not tags of the model, those that are have the
# same name by chance: none of them is used.
FOREIGN = 0.5


@dataclass
class _Use:
    """What became of the tags of one column so far, in words."""

    given: int = 0
    foreign: int = 0
    kept: int = 0
    names: Counter[str] = field(default_factory=Counter)


class FileTags:
    """Takes from the sentences of a file the tags that a model does not have.

    A tag that is not among those of the model counts as missing. From the sentence on with which
    half of the tags so far or more, UPOS or XPOS, are such, all tags of this kind do.

    Parameters
    ----------
    known : mapping of ``"upos"`` and ``"xpos"`` to sets of str
        The tags of the model. A kind without any is not looked at.

    Examples
    --------
    >>> bank = Treebank.from_words([["so", "be", "it"]], xpos=[["RB", "BASE", "PRP"]])
    >>> FileTags({"xpos": frozenset(["RB", "VB", "PRP"])}).own(bank).xpos.strings()
    ['RB', '_', 'PRP']
    """

    def __init__(self, known: Mapping[str, frozenset[str]]) -> None:
        self._known = known
        self._words = 0
        self._uses = {name: _Use() for name in TAGS}

    def own(self, sentences: Treebank) -> Treebank:
        """Return further sentences of the file without the tags that count as missing."""
        self._words += sentences.words
        kept: dict[str, Any] = {name: self._own(name, sentences) for name in TAGS}
        for name, column in kept.items():
            self._uses[name].kept += int(column.said().sum())
        return sentences.replace(**kept)

    def count(self, sentences: Treebank) -> None:
        """Count the tags of further sentences, all of which stay."""
        self.own(sentences)
        for use in self._uses.values():
            use.kept = use.given

    def notes(self, model: str, then: str) -> Iterator[str]:
        """Say of each kind of tags how many are none of the model's.

        Parameters
        ----------
        model : str
        then : str
            What becomes of these.
        """
        for name, use in self._uses.items():
            if use.foreign:
                common = use.names.most_common(1)[0][0]
                some = f"all but {use.kept} " if 0 < use.kept < use.given else "all "
                which = some if use.foreign >= FOREIGN * use.given else ""
                yield (
                    f"{_percent(use.foreign, use.given)} of the {name.upper()} are not tags of "
                    f"{model}, such as {common!r}: {which}{then}"
                )

    def used(self) -> str:
        """Say which tags of the file are used, for what share of its words; empty if none are."""
        kept = {name: use.kept for name, use in self._uses.items()}
        return ", ".join(
            f"{names} of the file for {share} of the words" for names, share in self._shares(kept)
        )

    def missing(self) -> str:
        """Say what share of the words lacks tags that the model knows; empty if none does."""
        lacking = {
            name: self._words - use.given
            for name, use in self._uses.items()
            if self._known.get(name)
        }
        return ", ".join(
            f"{share} of the words have no {names.replace(' and ', ' and no ')}"
            for names, share in self._shares(lacking)
        )

    def _shares(self, counts: Mapping[str, int]) -> Iterator[tuple[str, str]]:
        """Give each share of the words that is not 0, and the kinds of tags that have it."""
        shares: dict[str, list[str]] = {}
        for name, count in counts.items():
            if count:
                shares.setdefault(_percent(count, self._words), []).append(name.upper())
        for share, names in shares.items():
            yield " and ".join(names), share

    def _own(self, name: str, sentences: Treebank) -> Column:
        """Return one column without the tags that count as missing."""
        column, use = sentences.columns[name], self._uses[name]
        given = column.said()
        known = self._known.get(name)
        if not known:
            use.given += int(given.sum())
            return column
        foreign = given & (column.encode(dict.fromkeys(known, 1), 0) == 0)
        mostly = _so_far(use.foreign, foreign, sentences) >= FOREIGN * _so_far(
            use.given, given, sentences
        )
        use.given += int(given.sum())
        use.foreign += int(foreign.sum())
        use.names.update(Column(column.codes[foreign], column.vocabulary).strings())
        dropped = foreign | np.repeat(mostly, sentences.lengths)
        if not dropped.any():
            return column
        numbers = Column.concatenate([column, Column.filled(1)])
        codes = np.where(dropped, numbers.codes[-1], numbers.codes[:-1])
        return Column(codes.astype(np.int32), numbers.vocabulary)


def _so_far(before: int, found: Bool, sentences: Treebank) -> Int64:
    """Count up to the end of each sentence."""
    counts: Int64 = before + np.append(0, np.cumsum(found))[sentences.offsets[1:]]
    return counts


def _percent(part: int, whole: int) -> str:
    """Write a share; what is not all is never written as all, nor what is something as nothing.

    Examples
    --------
    >>> _percent(97, 100), _percent(9999, 10000), _percent(1, 1000)
    ('97 %', '99.99 %', '0.10 %')
    """
    share = 100 * part / whole
    return f"{share:.0f} %" if part == whole or 1 <= share < 99 else f"{share:.2f} %"
