"""Synonym sets: which words can mean the same, from WordNet or from a plain file."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from wordorder.errors import InputError, location
from wordorder.text.lines import read_lines, tokens

PARTS_OF_SPEECH = ("noun", "verb", "adj", "adv")
# Endings and what replaces them in a base form: WordNet's rules of detachment (morphy).
DETACHMENTS = (
    *(("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh")),
    *(("men", "man"), ("ies", "y")),
    *(("s", ""), ("ies", "y"), ("es", "e"), ("es", "")),
    *(("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    *(("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
)


class SynonymSets:
    """Sets of words that can mean the same.

    Parameters
    ----------
    path : path
        A directory of WordNet's with ``index.noun``, ``index.verb``, ``index.adj``, ``index.adv``
        and the ``.exc`` files (or one that has them in ``dict``); or a file with one synonym set a
        line, its words separated by blanks or tabs.

    Raises
    ------
    InputError
        If nothing can be read there, or a line is not as WordNet's are.

    Notes
    -----
    With WordNet a word has the sets of its base forms too: those that the lists of exceptions
    name, else the first one that a rule of detachment gives. A plain file is taken as it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "synonyms.txt")
    >>> _ = path.write_text("big large\\nlarge sizeable\\n")
    >>> sets = SynonymSets(path)
    >>> sorted(sets.of("big") & sets.of("large")), sets.of("tiny")
    ([0], frozenset())
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._sets: dict[str, set[int]] = {}
        self._bases: dict[str, list[str]] = {}
        self._morphology = os.path.isdir(path)
        self._digest = hashlib.sha256()
        if self._morphology:
            folder = Path(path)
            self._read_wordnet(folder / "dict" if (folder / "dict").is_dir() else folder)
        else:
            for number, line in enumerate(self._lines(path)):
                for word in tokens(line):
                    self._sets.setdefault(word, set()).add(number)

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that identify the content, for signatures."""
        return self._digest.hexdigest()[:8]

    def of(self, word: str) -> frozenset[int]:
        """Return the numbers of the sets that a word or a base form of it is in."""
        sets = set(self._sets.get(word, ()))
        if self._morphology:
            for base in self._bases.get(word) or self._detached(word):
                sets |= self._sets.get(base, set())
        return frozenset(sets)

    def neighbours(self, words: Sequence[str]) -> dict[int, frozenset[int]]:
        """Return for each word number those of other words of `words` that share a set with it."""
        members: dict[int, list[int]] = {}
        sets = [self.of(word) for word in words]
        for number, numbers in enumerate(sets):
            for each in numbers:
                members.setdefault(each, []).append(number)
        known = {}
        for number, numbers in enumerate(sets):
            near = {other for each in numbers for other in members[each]} - {number}
            if near:
                known[number] = frozenset(near)
        return known

    def _detached(self, word: str) -> Iterable[str]:
        """Return the first known word that a rule makes of `word`, if any."""
        if len(word) <= 2 or word.endswith("ss"):
            return ()
        for ending, instead in DETACHMENTS:
            if word.endswith(ending):
                base = word.removesuffix(ending) + instead
                if base in self._sets:
                    return (base,)
        return ()

    def _read_wordnet(self, folder: Path) -> None:
        """Read the index of each part of speech, and its exceptions where there are any."""
        for part, name in enumerate(PARTS_OF_SPEECH):
            path = folder / f"index.{name}"
            for number, line in enumerate(self._lines(path), 1):
                # The licence at the top is indented.
                if not line.startswith(" "):
                    lemma, offsets = _index_entry(line, location(path, number))
                    numbers = (part * 10**8 + offset for offset in offsets)
                    self._sets.setdefault(lemma, set()).update(numbers)
            path = folder / f"{name}.exc"
            if path.exists():
                for line in self._lines(path):
                    form, *bases = tokens(line) or [""]
                    self._bases.setdefault(form, []).extend(bases)

    def _lines(self, path: str | os.PathLike[str]) -> Iterator[str]:
        for line in read_lines(path):
            self._digest.update(line.encode())
            self._digest.update(b"\n")
            yield line


def _index_entry(line: str, where: str) -> tuple[str, list[int]]:
    """Read a line of an index: lemma, part of speech, number of sets, ..., the sets' offsets."""
    fields = tokens(line)
    if len(fields) > 3 and fields[2].isdecimal():
        offsets = fields[-int(fields[2]) :]
        # Lemma, part of speech, three counts and one pointer count precede the offsets.
        if 0 < len(offsets) <= len(fields) - 6 and all(map(str.isdecimal, offsets)):
            return fields[0], [int(offset) for offset in offsets]
    raise InputError(where, repr(line[:40]), "a line of a WordNet index")
