"""The rounds of self-training: what each found, files to go on from, tags of the data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.messages import joined, percent, spoken
from wordorder.parsing.given_tags import TAGS
from wordorder.reordering.rules import RuleSet
from wordorder.text.checkpoints import Checkpoint, remove_files, require_no_checkpoint
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable
from wordorder.training.references import Readings, SelectionReport
from wordorder.treebank.treebank import Treebank

FORMAT = "wordorder rounds of self-training"

MODES = ("predict", "auto")


@dataclass(frozen=True)
class Round:
    """One round: lists by the model before it, and trees chosen from them.

    Attributes
    ----------
    lists : SelectionReport
    before : Readings
        Of the trees that the model before the round takes for the best.
    chosen : Readings
        Of the trees that the next model was trained on.
    """

    lists: SelectionReport
    before: Readings
    chosen: Readings

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold of it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Round:
        """Make it again."""
        lists = SelectionReport(**data["lists"])
        return cls(lists, *(Readings.from_dict(data[name]) for name in ("before", "chosen")))


class RoundFiles:
    """The models and trees of the rounds, and how far the rounds have come."""

    def __init__(self, output: Path, settings: dict[str, Any], *, keep: bool) -> None:
        self.output = os.fspath(output)
        self._settings = settings
        self._keep = keep
        self._state = f"{self.output}.rounds"
        self._file = Checkpoint(self._state, FORMAT)

    def model(self, number: int) -> str:
        """Return where the model of a round goes, unless it is the last one."""
        return f"{self.output}.round{number}"

    def trees(self, number: int) -> str:
        """Return where the trees go that are chosen in a round."""
        return f"{self.output}.round{number}.conllu"

    def require_other_names(self, *inputs: Path | None) -> None:
        """Refuse inputs whose place the files of the rounds would take."""
        own_files = {os.path.realpath(name) for name in (self.output, *self._names())}
        for path in inputs:
            if path and os.path.exists(path) and os.path.realpath(path) in own_files:
                raise UsageError(
                    f"{os.fspath(path)}: is an input, and the training writes a file of this name; "
                    "give one of the two another name"
                )

    def begin(self, *, resume: bool, restart: bool) -> tuple[Round, ...]:
        """Return the rounds whose trees are chosen; none unless the training is resumed."""
        require_writable(self.output)
        if not resume and not restart:
            require_no_checkpoint(self._state)
        saved = self._file.read(self._settings) if resume else None
        if saved is None:
            remove_files(self._names())
            return ()
        with self._file.unpacked():
            return tuple(map(Round.from_dict, saved[0]["rounds"]))

    def save(self, rounds: tuple[Round, ...]) -> None:
        """Write how far the training is."""
        self._file.write(self._settings, {}, rounds=[round_done.to_dict() for round_done in rounds])

    def end(self) -> None:
        """Remove the files that were kept only to resume from."""
        remove_files([self._state] if self._keep else self._names())

    def _names(self) -> list[str]:
        """Return the names of all files but that of the last model."""
        numbers = range(self._settings["rounds"] + 1)
        return [self._state, *map(self.model, numbers), *map(self.trees, numbers)]


def file_signatures(paths: Sequence[Path]) -> list[str]:
    """Return what tells files from others of the same name."""
    entries = []
    for path in paths:
        try:
            with open(path, "rb") as stream:
                digest = hashlib.blake2b(digest_size=16)
                while part := stream.read(1 << 20):
                    digest.update(part)
                entries.append(digest.hexdigest())
        except OSError:
            # A model that comes with the package; or there is no such file, as its reader says.
            entries.append(os.fspath(path))
    return entries


def rules_signature(rules: RuleSet, path: Path) -> str:
    """Return what tells rules from others of the same name."""
    rule_provenance = dict(getattr(rules, "provenance", ())).get("rules")
    return rule_provenance or f"{rules.name} {file_signatures([path])[0]}"


def tags_of_data(mode: str | None, *, tagger: bool) -> str:
    """Return how sentences get their tags.

    Parameters
    ----------
    mode : {"predict", "auto"}, optional
        ``predict`` replaces tags that they have, ``auto`` keeps each and predicts each other.
        Unless given, all are predicted where there is a tagger.
    tagger : bool
        Whether there is one.

    Raises
    ------
    UsageError
        If the mode is unknown, or needs a tagger and the model has none.

    Examples
    --------
    >>> tags_of_data(None, tagger=True), tags_of_data(None, tagger=False)
    ('predict', 'auto')
    """
    if mode is None:
        return "predict" if tagger else "auto"
    if choose("data_tags", mode, MODES) == "predict" and not tagger:
        raise UsageError("--data-tags=predict needs a tagger; --tagger=none leaves it out")
    return mode


class TagDifference:
    """Counts how often predicted tags are others than those that words have.

    Examples
    --------
    >>> given = Treebank.from_words([["time", "flies"]], upos=[["NOUN", "VERB"]])
    >>> predicted = Treebank.from_words([["time", "flies"]], upos=[["NOUN", "NOUN"]])
    >>> difference = TagDifference()
    >>> difference.add(given, predicted)
    >>> difference.line("a.conllu")
    'a.conllu: all tags are predicted, as they will be in text; 50 % of the UPOS are others than
    those of the file, which data_tags="auto" keeps'
    """

    def __init__(self) -> None:
        self._counts = {name: np.zeros(2, np.int64) for name in TAGS}

    def add(self, treebank: Treebank, predicted: Treebank) -> None:
        """Count the words of some sentences."""
        for name, counts in self._counts.items():
            column = treebank.columns[name]
            numbers = {word: code for code, word in enumerate(column.vocabulary.words)}
            differs = predicted.columns[name].encode(numbers, -1) != column.codes
            is_tagged = column.has_value() & predicted.columns[name].has_value()
            counts += int((is_tagged & differs).sum()), int(is_tagged.sum())

    def line(self, name: str) -> str:
        """Return a line on the share of tags that differ; empty if no word had a tag."""
        shares = [
            f"{percent(int(differing), int(tagged))} of the {tags.upper()}"
            for tags, (differing, tagged) in self._counts.items()
            if tagged
        ]
        if not shares:
            return ""
        return spoken(
            f"{name}: all tags are predicted, as they will be in text; {joined(shares)} are "
            "others than those of the file, which --data-tags=auto keeps"
        )
