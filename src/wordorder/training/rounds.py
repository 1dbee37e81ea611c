"""The rounds of self-training: their results, the files to resume from, the tags of the data."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.messages import joined, percent, render_options
from wordorder.parsing.given_tags import TAG_COLUMNS
from wordorder.reordering.rules import RuleSet
from wordorder.text.checkpoints import Checkpoint, remove_files, require_no_checkpoint
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable
from wordorder.training.references import Readings, SelectionReport
from wordorder.treebank.treebank import Treebank

ROUNDS_FORMAT = "wordorder rounds of self-training"

DATA_TAGS_MODES = ("predict", "auto")


@dataclass(frozen=True)
class Round:
    """The results of a round: candidate lists of the previous model, and trees chosen from them.

    Attributes
    ----------
    lists : SelectionReport
        The selection of trees from the lists.
    before : Readings
        Scores of the trees that the previous model ranks first.
    chosen : Readings
        Scores of the trees that the next model was trained on.
    """

    lists: SelectionReport
    before: Readings
    chosen: Readings

    def to_dict(self) -> dict[str, Any]:
        """Return the round as a dictionary that JSON can hold."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Round:
        """Rebuild a round from the dictionary of `to_dict`."""
        lists = SelectionReport(**data["lists"])
        return cls(lists, *(Readings.from_dict(data[name]) for name in ("before", "chosen")))


class RoundFiles:
    """The files of the rounds: models, trees, and the checkpoint of the training."""

    def __init__(self, output: Path, settings: dict[str, Any], *, keep_files: bool) -> None:
        self.output = os.fspath(output)
        self._settings = settings
        self._keep = keep_files
        self._state = f"{self.output}.rounds"
        self._file = Checkpoint(self._state, ROUNDS_FORMAT)

    def model(self, number: int) -> str:
        """Return the path of the model of a round other than the last."""
        return f"{self.output}.round{number}"

    def trees(self, number: int) -> str:
        """Return the path of the trees chosen in a round."""
        return f"{self.output}.round{number}.conllu"

    def require_other_names(self, *inputs: Path | None) -> None:
        """Raise `UsageError` if a file of the rounds would overwrite an input."""
        round_files = {os.path.realpath(name) for name in (self.output, *self._names())}
        for path in inputs:
            if path and os.path.exists(path) and os.path.realpath(path) in round_files:
                raise UsageError(
                    f"{os.fspath(path)}: is an input, and the training writes a file of this name; "
                    "give one of the two another name"
                )

    def begin(self, *, resume: bool, restart: bool) -> tuple[Round, ...]:
        """Return the rounds of the training to resume.

        If there is nothing to resume, remove the files of earlier rounds and return no rounds.
        """
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
        """Write the checkpoint: the rounds so far and the settings."""
        self._file.write(self._settings, {}, rounds=[round_done.to_dict() for round_done in rounds])

    def end(self) -> None:
        """Remove the files that are needed only for resuming."""
        remove_files([self._state] if self._keep else self._names())

    def _names(self) -> list[str]:
        """Return the paths of all files except the last model."""
        numbers = range(self._settings["rounds"] + 1)
        return [self._state, *map(self.model, numbers), *map(self.trees, numbers)]


def file_signatures(paths: Sequence[Path]) -> list[str]:
    """Return a hash of the contents of each file; for a bundled model, its name."""
    hashes = []
    for path in paths:
        try:
            with open(path, "rb") as stream:
                digest = hashlib.blake2b(digest_size=16)
                while part := stream.read(1 << 20):
                    digest.update(part)
                hashes.append(digest.hexdigest())
        except OSError:
            # The name of a bundled model. A missing file is reported by the function that reads it.
            hashes.append(os.fspath(path))
    return hashes


def rules_signature(rules: RuleSet, path: Path) -> str:
    """Return a signature that distinguishes rules of the same name."""
    rule_provenance = dict(getattr(rules, "provenance", ())).get("rules")
    return rule_provenance or f"{rules.name} {file_signatures([path])[0]}"


def data_tags_mode(mode: str | None, *, has_tagger: bool) -> str:
    """Return the mode by which sentences get their tags.

    Parameters
    ----------
    mode : {"predict", "auto"}, optional
        ``predict`` replaces all tags; ``auto`` keeps the tags that words have, and predicts the
        missing ones. By default ``predict`` if there is a tagger, otherwise ``auto``.
    has_tagger : bool
        Whether the model has a tagger.

    Raises
    ------
    UsageError
        If the mode is unknown, or needs a tagger and the model has none.

    Examples
    --------
    >>> data_tags_mode(None, has_tagger=True), data_tags_mode(None, has_tagger=False)
    ('predict', 'auto')
    """
    if mode is None:
        return "predict" if has_tagger else "auto"
    if choose("data_tags", mode, DATA_TAGS_MODES) == "predict" and not has_tagger:
        raise UsageError("--data-tags=predict needs a tagger; --tagger=none leaves it out")
    return mode


class TagDifference:
    """Counts how often predicted tags differ from the tags that words have.

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
        self._counts = {name: np.zeros(2, np.int64) for name in TAG_COLUMNS}

    def add(self, treebank: Treebank, predicted: Treebank) -> None:
        """Compare the tags of further sentences."""
        for name, counts in self._counts.items():
            column = treebank.columns[name]
            code_of_word = {word: code for code, word in enumerate(column.vocabulary.words)}
            differs = predicted.columns[name].encode(code_of_word, -1) != column.codes
            is_tagged = column.has_value() & predicted.columns[name].has_value()
            counts += int((is_tagged & differs).sum()), int(is_tagged.sum())

    def line(self, name: str) -> str:
        """Return a message on the share of tags that differ; empty if no word had a tag."""
        shares = [
            f"{percent(int(differing), int(tagged))} of the {column_name.upper()}"
            for column_name, (differing, tagged) in self._counts.items()
            if tagged
        ]
        if not shares:
            return ""
        return render_options(
            f"{name}: all tags are predicted, as they will be in text; {joined(shares)} are "
            "others than those of the file, which --data-tags=auto keeps"
        )
