"""Stanza as a parser and tagger."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.parsing.adapters.package import load_package
from wordorder.parsing.adapters.single_root import single_root
from wordorder.parsing.adapters.strings import safe_strings
from wordorder.parsing.adapters.tags import TAG_COLUMNS, TAGS, tagged
from wordorder.treebank.column import NOTHING, Column
from wordorder.treebank.treebank import NO_HEAD, Treebank


class StanzaParser:
    """Parses and tags with a pipeline of Stanza (Qi et al. 2020).

    Words are never split or joined. There are neither k-best lists nor scores.

    Parameters
    ----------
    language : str
        A language as Stanza names it, with the package behind it where it is not the default one:
        ``"en"``, ``"en_gum"``.
    tags : "own" or "given"
        Whether to tag the words with Stanza first, or to parse them with the tags and lemmas that
        they have.
    options : mapping, optional
        Further options of ``stanza.Pipeline``: ``dir``, ``depparse_model_path``, ``use_gpu``, …

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

    Raises
    ------
    UsageError
        If ``stanza`` is not installed, or the models of the language are not: they are not
        downloaded here.
    ModelError
        If a model cannot be loaded.

    Examples
    --------
    >>> parser = StanzaParser("en")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "stanza"

    def __init__(
        self, language: str, *, tags: str = "own", options: Mapping[str, Any] | None = None
    ) -> None:
        self.tags = choose("tags", tags, TAGS)
        self.repaired = 0
        stanza = load_package("stanza", "stanza")
        code, _, package = language.partition("_")
        asked: dict[str, Any] = {
            "processors": "tokenize,pos,lemma,depparse" if tags == "own" else "depparse",
            "package": package or "default",
            "tokenize_pretokenized": True,
            "depparse_pretagged": tags == "given",
            "download_method": None,
            "verbose": False,
            **(options or {}),
        }
        try:
            self._pipeline = stanza.Pipeline(code, **asked)
        except FileNotFoundError as error:
            reason = " ".join(str(error).split())
            message = f"stanza: the models of {language!r} are not here ({reason})"
            raise UsageError(f"{message}; stanza.download({code!r}) fetches them") from None
        except Exception as error:
            # Stanza has no base class of its errors, and its files may hold anything.
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"stanza: {language!r} cannot be loaded: {reason}") from error
        self._document = load_package("stanza.models.common.doc", "stanza").Document

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root."""
        trees, repaired = single_root(self.predict(sentences), self.name)
        self.repaired += repaired
        return trees

    def predict(self, sentences: Treebank) -> Treebank:
        """Parse without putting anything right: what Stanza itself says."""
        document = self._pipeline(self._given(sentences))
        words = [word for sentence in document.sentences for word in sentence.words]
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        heads[:] = [word.head for word in words]
        parsed = sentences.replace(heads=heads, label=Column.of(w.deprel or NOTHING for w in words))
        if self.tags == "given":
            return parsed
        found = {name: [getattr(word, name) or NOTHING for word in words] for name in TAG_COLUMNS}
        return tagged(parsed, found)

    def _given(self, sentences: Treebank) -> Any:
        """Return the sentences that have words as Stanza's document."""
        names = ("lemma", *TAG_COLUMNS) if self.tags == "given" else ()
        strings = {name: safe_strings(sentences.columns[name]) for name in ("form", *names)}
        rows = []
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            row = []
            for place in range(first, last):
                word: dict[str, Any] = {"id": place - first + 1, "text": strings["form"][place]}
                word.update((name, strings[name][place]) for name in names)
                row.append(word)
            if row:
                rows.append(row)
        return self._document(rows)
