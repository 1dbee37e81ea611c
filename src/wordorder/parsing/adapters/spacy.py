"""spaCy as a parser and tagger."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.parsing.adapters.package import load_package
from wordorder.parsing.adapters.single_root import single_root
from wordorder.parsing.adapters.strings import safe_strings
from wordorder.parsing.adapters.tags import TAGS, tagged
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import NO_HEAD, ROOT, Treebank

# Parts of a pipeline that cost time or cut sentences, and give nothing that is kept here.
UNUSED = ("ner", "lemmatizer", "senter", "sentencizer", "entity_linker", "entity_ruler", "textcat")


class SpacyParser:
    """Parses and tags with a pipeline of spaCy (Honnibal & Johnson 2015).

    spaCy gets the words as they are and is told that each sentence is one. Where its parser still
    leaves several roots, they are joined; see `single_root`. Its label ``ROOT`` becomes ``root``;
    all other labels are those of the treebank that the pipeline was trained on, so that the
    pipelines for English of spaCy's own (``en_core_web_sm``, …) give ClearNLP labels, not Universal
    Dependencies. The parser looks at words and not at tags: given tags are kept and change no
    tree. There are no k-best lists.

    Parameters
    ----------
    model : str or path
        The name of an installed pipeline, or its folder.
    tags : "own" or "given"
        Whether the words get spaCy's tags and features (``_`` where the pipeline gives none), or
        keep theirs.

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

    Raises
    ------
    UsageError
        If ``spacy`` is not installed, or there is no such pipeline, or it has no parser.
    ModelError
        If the pipeline cannot be loaded.

    Examples
    --------
    >>> parser = SpacyParser("en_core_web_sm")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "spacy"

    def __init__(self, model: Path | str, *, tags: str = "own") -> None:
        self.tags = choose("tags", tags, TAGS)
        self.repaired = 0
        spacy = load_package("spacy", "spacy")
        try:
            self._pipeline = spacy.load(model, exclude=UNUSED)
        except (OSError, ValueError, KeyError, ImportError) as error:
            # E050: no package or folder of that name; E052: no such folder.
            if str(error).startswith(("[E050]", "[E052]")):
                message = f"spacy: there is no pipeline {str(model)!r}; python -m spacy download"
                raise UsageError(f"{message} {model} fetches those of spaCy's own") from None
            reason = " ".join(str(error).split())
            raise ModelError(f"spacy: {model} cannot be loaded: {reason}") from error
        if not self._pipeline.has_pipe("parser"):
            parts = ", ".join(self._pipeline.pipe_names) or "nothing"
            raise UsageError(f"spacy: the pipeline {model} has no parser; it has {parts}")
        self._doc = load_package("spacy.tokens", "spacy").Doc

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root."""
        trees, repaired = single_root(self.predict(sentences), self.name)
        self.repaired += repaired
        return trees

    def predict(self, sentences: Treebank) -> Treebank:
        """Parse without putting anything right but the words' own indices."""
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        labels: list[str] = []
        tags: dict[str, list[str]] = {"upos": [], "xpos": [], "feats": []}
        first = 0
        for document in self._pipeline.pipe(self._documents(sentences)):
            last = first + len(document)
            heads[first:last] = [
                ROOT if token.head.i == token.i else token.head.i + 1 for token in document
            ]
            labels.extend("root" if token.dep_ == "ROOT" else token.dep_ for token in document)
            tags["upos"].extend(token.pos_ for token in document)
            tags["xpos"].extend(token.tag_ for token in document)
            tags["feats"].extend(str(token.morph) for token in document)
            first = last
        parsed = sentences.replace(heads=heads, label=Column.of(x or NOTHING for x in labels))
        return tagged(parsed, tags) if self.tags == "own" else parsed

    def _documents(self, sentences: Treebank) -> Iterator[Any]:
        """Yield each sentence that has words, so that spaCy neither cuts words nor sentences."""
        forms = safe_strings(sentences.form)
        # Whether a blank follows is something that spaCy's own models look at.
        blank = sentences.columns["misc"].map(lambda misc: str("SpaceAfter=No" not in misc))
        blanks = [string == "True" for string in blank.strings()]
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            if first < last:
                yield self._doc(
                    self._pipeline.vocab,
                    words=forms[first:last],
                    spaces=blanks[first:last],
                    sent_starts=[True] + [False] * (last - first - 1),
                )
