"""UDPipe 1 as a parser and tagger."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.parsing.adapters.package import load_package
from wordorder.parsing.adapters.single_root import single_root
from wordorder.parsing.adapters.strings import safe_strings
from wordorder.parsing.adapters.tags import TAG_COLUMNS, TAGS, tagged
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import NO_HEAD, Treebank

# The names that UDPipe has for the columns.
FIELDS = {"lemma": "lemma", "upos": "upostag", "xpos": "xpostag", "feats": "feats"}


class UDPipeParser:
    """Parses and tags with a model of UDPipe 1 (Straka & Straková 2017).

    Words are never split or joined. UDPipe searches with a beam and keeps one tree of it without a
    score: there are no k-best lists. Models trained with ``single_root=0`` may give several roots;
    see `single_root`.

    Parameters
    ----------
    model : path
        A model file, ``*.udpipe``.
    tags : "own" or "given"
        Whether to tag the words with the model first, or to parse them with the tags, lemmas and
        features that they have.
    beam : int
        The width of its search; 1 is greedy and about four times as fast.

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

    Raises
    ------
    UsageError
        If ``ufal.udpipe`` is not installed, or there is no such file.
    ModelError
        If the file is no model of UDPipe's.

    Examples
    --------
    >>> parser = UDPipeParser("english-ewt.udpipe")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "udpipe"

    def __init__(self, model: Path | str, *, tags: str = "own", beam: int = 5) -> None:
        self.tags = choose("tags", tags, TAGS)
        if beam < 1:
            raise UsageError(f"beam={beam}; expected 1 or more")
        self.beam = beam
        self.path = Path(model)
        self.repaired = 0
        if not self.path.is_file():
            raise UsageError(f"udpipe: there is no model file {self.path}")
        self._udpipe = load_package("ufal.udpipe", "udpipe")
        self._model = self._udpipe.Model.load(str(self.path))
        if self._model is None:
            raise ModelError(f"udpipe: {self.path} is no model of UDPipe's, or damaged")

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root.

        Raises
        ------
        ModelError
            If the model has no parser, or no tagger where it should tag.
        """
        trees, repaired = single_root(self.predict(sentences), self.name)
        self.repaired += repaired
        return trees

    def predict(self, sentences: Treebank) -> Treebank:
        """Parse without putting anything right: what UDPipe itself says."""
        return self._run(sentences, own_tags=self.tags == "own", parse=True)

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags and features, whatever `tags` says.

        Raises
        ------
        ModelError
            If the model has no tagger.
        """
        return self._run(sentences, own_tags=True, parse=False)

    def _run(self, sentences: Treebank, *, own_tags: bool, parse: bool) -> Treebank:
        forms = safe_strings(sentences.form)
        given = {} if own_tags else {name: safe_strings(sentences.columns[name]) for name in FIELDS}
        found: dict[str, list[str]] = {name: [] for name in TAG_COLUMNS} if own_tags else {}
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        labels: list[str] = []
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            if first == last:
                continue
            sentence = self._udpipe.Sentence()
            for form in forms[first:last]:
                sentence.addWord(form)
            # By number: iterating gives copies. The first is the artificial root.
            words = [sentence.words[place] for place in range(1, last - first + 1)]
            for name, strings in given.items():
                for word, string in zip(words, strings[first:last], strict=True):
                    if string != NOTHING:
                        setattr(word, FIELDS[name], string)
            if own_tags:
                self._apply("tagger", sentence)
                for name, column in found.items():
                    column.extend(getattr(word, FIELDS[name]) for word in words)
            if parse:
                self._apply("parser", sentence)
                heads[first:last] = [word.head for word in words]
                labels.extend(word.deprel for word in words)
        result = tagged(sentences, found)
        return result.replace(heads=heads, label=Column.of(labels)) if parse else result

    def _apply(self, part: str, sentence: Any) -> None:
        """Tag or parse one sentence."""
        error = self._udpipe.ProcessingError()
        if part == "tagger":
            done = self._model.tag(sentence, self._model.DEFAULT, error)
        else:
            done = self._model.parse(sentence, f"beam_search={self.beam}", error)
        if not done:
            reason = error.message if error.occurred() else "it has none"
            raise ModelError(f"udpipe: the {part} of {self.path} cannot be used: {reason}")
