"""Conversion of spaCy's and Stanza's documents, and a spaCy component that orders words."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrays import concat_ranges
from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.parsing.adapters.external import attach_further_roots, load_package, safe_strings
from wordorder.reordering.rules import RULES, RuleSet, is_rule_file, open_rules, orders_of
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import (
    NO_HEAD,
    NO_MARGIN,
    NO_VALUE,
    STRING_COLUMNS,
    Column,
    Treebank,
)

COMPONENT = "wordorder"
# The attributes of spaCy's tokens, by column of a treebank.
SPACY_ATTRIBUTES = {
    "form": "ORTH",
    "lemma": "LEMMA",
    "upos": "POS",
    "xpos": "TAG",
    "feats": "MORPH",
    "label": "DEP",
}


def from_spacy(docs: Any) -> Treebank:
    """Return the sentences of spaCy's documents as a treebank.

    Parameters
    ----------
    docs : Doc, or iterable of Doc
        A document without sentence boundaries is one sentence.

    Returns
    -------
    Treebank
        Forms, lemmas, UPOS, XPOS, features, labels and ``SpaceAfter=No``. Heads are -1 in documents
        that are not parsed; ``ROOT`` becomes ``root``.

    Examples
    --------
    >>> import spacy  # doctest: +SKIP
    >>> doc = spacy.blank("en")("It rains")  # doctest: +SKIP
    >>> from_spacy(doc).form.strings()  # doctest: +SKIP
    ['It', 'rains']
    """
    doc_type = load_package("spacy.tokens", "spacy").Doc
    documents = [docs] if isinstance(docs, doc_type) else list(docs)
    attributes = [*SPACY_ATTRIBUTES.values(), "SPACY", "SENT_START", "HEAD"]
    tables = [doc.to_array(attributes).reshape(-1, len(attributes)) for doc in documents]
    table = np.concatenate([np.zeros((0, len(attributes)), np.uint64), *tables])
    doc_offsets = np.cumsum([0, *map(len, documents)])
    is_start = np.append(table[:, -2] == 1, True)
    is_start[doc_offsets] = True
    offsets = np.flatnonzero(is_start)
    # spaCy stores a head as its distance from the token; a root has the distance 0.
    distances = table[:, -1].astype(np.int64)
    positions = concat_ranges(0, np.diff(offsets))
    heads = np.where(distances == 0, 0, positions + distances + 1).astype(np.int32)
    is_parsed = [doc.has_annotation("DEP") for doc in documents]
    heads[~np.repeat(np.array(is_parsed, bool), np.diff(doc_offsets))] = NO_HEAD
    stores = list({id(doc.vocab): doc.vocab.strings for doc in documents}.values())
    columns = {
        name: _read_strings(table[:, index], stores) for index, name in enumerate(SPACY_ATTRIBUTES)
    }
    columns["label"] = columns["label"].map(_convert_label)
    spaces = table[:, -3].astype(np.int32)
    columns["misc"] = Column(spaces, Vocabulary(["SpaceAfter=No", NO_VALUE]))
    empty_columns = {
        name: Column.filled(len(table)) for name in STRING_COLUMNS if name not in columns
    }
    return Treebank(offsets, heads, columns | empty_columns, [NO_MARGIN] * (len(offsets) - 1))


def _read_strings(keys: npt.NDArray[np.uint64], stores: list[Any]) -> Column:
    """Return the strings of spaCy's keys; a string has the same key in all string stores."""
    distinct, codes = np.unique(keys, return_inverse=True)
    distinct_keys = distinct.tolist()
    text_by_key: dict[int, str] = {}
    for store in stores:
        text_by_key |= {key: store[key] for key in distinct_keys if key in store}
    strings = [text_by_key.get(key) or NO_VALUE for key in distinct_keys]
    return Column(codes.astype(np.int32).reshape(-1), Vocabulary(strings))


def to_spacy(treebank: Treebank, vocab: Any) -> list[Any]:
    """Return one spaCy document per sentence of a treebank.

    Parameters
    ----------
    treebank : Treebank
    vocab : spacy.vocab.Vocab
        Vocabulary of the pipeline: ``nlp.vocab``.

    Returns
    -------
    list of Doc
        Documents with the tags, lemmas, features and trees of the treebank.
    """
    doc_type = load_package("spacy.tokens", "spacy").Doc
    strings = {
        name: safe_strings(treebank.columns[name])
        for name in ("form", "lemma", "upos", "xpos", "feats", "label", "misc")
    }
    attributes = {
        column: attribute
        for column, attribute in (("lemma", "lemmas"), ("upos", "pos"), ("xpos", "tags"))
        if any(string != NO_VALUE for string in strings[column])
    }
    docs = []
    for start, end in pairwise(treebank.offsets.tolist()):
        arguments: dict[str, Any] = {
            attribute: ["" if s == NO_VALUE else s for s in strings[column][start:end]]
            for column, attribute in attributes.items()
        }
        heads = treebank.heads[start:end].tolist()
        if heads and NO_HEAD not in heads:
            arguments["heads"] = [i if head == 0 else head - 1 for i, head in enumerate(heads)]
            arguments["deps"] = [
                "ROOT" if head == 0 else strings["label"][start + i] for i, head in enumerate(heads)
            ]
        else:
            arguments["sent_starts"] = [i == 0 for i in range(end - start)]
        doc = doc_type(
            vocab,
            words=strings["form"][start:end],
            spaces=["SpaceAfter=No" not in misc for misc in strings["misc"][start:end]],
            **arguments,
        )
        for token, feats in zip(doc, strings["feats"][start:end], strict=True):
            if feats != NO_VALUE:
                token.set_morph(feats)
        docs.append(doc)
    return docs


def orders_of_docs(docs: Any, rules: RuleSet | str) -> Orders:
    """Return the orders of the sentences of spaCy's documents under a rule set.

    Raises
    ------
    UsageError
        If a document is not parsed.
    """
    trees = from_spacy(docs)
    if trees.words and (trees.heads == NO_HEAD).any():
        raise UsageError("spacy: a document has no trees: put a parser before wordorder")
    single_rooted, _ = attach_further_roots(trees, "spacy")
    return orders_of(open_rules(rules) if isinstance(rules, str) else rules, single_rooted)


class Reorderer:
    """Sets ``doc._.order``: the indices of the tokens in target order, sentence by sentence.

    Parameters
    ----------
    rules : RuleSet, or str
        A rule set, or its name or file; see `open_rules`. A missing file raises an error only at
        the first document, because a saved pipeline contains a copy of it.

    Notes
    -----
    A pipeline is saved with the contents of its rule file, so that it works on other machines. Of
    a rule set of another package, only the name is saved.
    """

    def __init__(self, rules: RuleSet | str) -> None:
        register()
        self._on_error: Any = None
        self._name = ""
        self._saved: tuple[str, bytes] | None = None
        self._rules: RuleSet | None = None
        if not isinstance(rules, str):
            self._rules = rules
            return
        self._name = rules
        path = RULES.built_in.get(rules, rules)
        if not is_rule_file(rules) or os.path.exists(path):
            self._rules = open_rules(rules)
        if os.path.isfile(path):
            self._saved = os.path.basename(path), pathlib.Path(path).read_bytes()

    @property
    def rules(self) -> RuleSet:
        """The rule set, which is opened when it is first used."""
        if self._rules is None:
            self._rules = open_rules(self._name)
        return self._rules

    def __call__(self, doc: Any) -> Any:
        """Order the words of a document."""
        self._set_orders([doc])
        return doc

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 128) -> Iterator[Any]:
        """Order the words of many documents in batches, much faster than one by one."""
        batches = iter(stream)
        while docs := list(islice(batches, batch_size)):
            try:
                self._set_orders(docs)
            except Exception:
                # Order the documents one by one, and drop those that fail.
                docs = [doc for doc in docs if self._try_order(doc)]
            yield from docs

    def _try_order(self, doc: Any) -> bool:
        """Order the words of a document; return False if an error went to spaCy's handler."""
        try:
            self._set_orders([doc])
        except Exception as error:
            if self._on_error is None:
                raise
            self._on_error(COMPONENT, self, [doc], error)
            return False
        return True

    def _set_orders(self, docs: list[Any]) -> None:
        """Set ``doc._.order`` of documents."""
        positions = orders_of_docs(docs, self.rules).positions
        # Sentences keep their order, so indices of a sentence are shifted by its start.
        token_indices = positions.values + np.repeat(
            positions.offsets[:-1], np.diff(positions.offsets)
        )
        doc_offsets = np.cumsum([0, *map(len, docs)])
        doc_indices = (token_indices - np.repeat(doc_offsets[:-1], np.diff(doc_offsets))).tolist()
        for doc, (start, end) in zip(docs, pairwise(doc_offsets.tolist()), strict=True):
            doc._.order = doc_indices[start:end]

    def set_error_handler(self, handler: Any) -> None:
        """Set the function that spaCy calls with documents that cannot be ordered."""
        self._on_error = handler

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the name and contents of the rule file in msgpack format."""
        packed: bytes = load_package("srsly", "spacy").msgpack_dumps(self._saved)
        return packed

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Reorderer:
        """Load rules returned by `to_bytes`."""
        saved = load_package("srsly", "spacy").msgpack_loads(data)
        if saved is not None:
            with tempfile.TemporaryDirectory() as folder:
                self._write(folder, *saved)
                self._read(folder)
        return self

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the rule file into a folder."""
        if self._saved is not None:
            os.makedirs(path, exist_ok=True)
            self._write(path, *self._saved)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> Reorderer:
        """Load rules from a folder written by `to_disk`."""
        if os.path.isdir(path):
            self._read(path)
        return self

    def _write(self, folder: str | os.PathLike[str], name: str, content: bytes) -> None:
        """Write a rule file into a folder."""
        (pathlib.Path(folder) / os.path.basename(name)).write_bytes(content)

    def _read(self, folder: str | os.PathLike[str]) -> None:
        """Load the rule file in a folder."""
        for path in pathlib.Path(folder).iterdir():
            self._rules = open_rules(path)
            self._saved = path.name, path.read_bytes()


def register() -> None:
    """Register the component ``wordorder`` in spaCy: ``nlp.add_pipe("wordorder")``.

    Its setting ``rules`` is a rule set, or a file of rules or of a learned order. The component
    follows a parser, and sets ``doc._.order`` and ``doc._.reordered``, the words in that order.
    spaCy finds the component by itself; call this function to use the attributes without a
    pipeline.
    """
    tokens = load_package("spacy.tokens", "spacy")
    load_package("wordorder.integrations.spacy_factory", "spacy")
    if not tokens.Doc.has_extension("order"):
        tokens.Doc.set_extension("order", default=None)
        tokens.Doc.set_extension("reordered", getter=_reordered_words)


def _reordered_words(doc: Any) -> list[str] | None:
    """Return the words of a document in target order; None if it has no order."""
    return None if doc._.order is None else [doc[index].text for index in doc._.order]


def _convert_label(label: str) -> str:
    """Return the treebank's label for a label of spaCy."""
    return "root" if label == "ROOT" else label or NO_VALUE


# The attributes of Stanza's words, by column of a treebank.
STANZA_ATTRIBUTES = {
    "lemma": "lemma",
    "upos": "upos",
    "xpos": "xpos",
    "feats": "feats",
    "label": "deprel",
}


def from_stanza(document: Any) -> Treebank:
    """Return the sentences of a Stanza document as a treebank.

    Its words are the syntactic words, the parts of split tokens (German "im": in dem).

    Parameters
    ----------
    document : stanza.Document

    Returns
    -------
    Treebank
        Forms, lemmas, UPOS, XPOS, features, labels and heads; missing heads are -1.
    """
    sentences = [sentence.words for sentence in document.sentences]
    columns = {
        column: [[getattr(word, attribute) or NO_VALUE for word in words] for words in sentences]
        for column, attribute in STANZA_ATTRIBUTES.items()
    }
    heads = [[NO_HEAD if w.head is None else w.head for w in words] for words in sentences]
    return Treebank.from_words(
        [[word.text for word in words] for words in sentences], heads=heads, **columns
    )


def to_stanza(treebank: Treebank) -> Any:
    """Return a treebank as a Stanza document, with its tags and trees."""
    document_type = load_package("stanza.models.common.doc", "stanza").Document
    strings = {name: safe_strings(treebank.columns[name]) for name in ("form", *STANZA_ATTRIBUTES)}
    sentences = []
    for start, end in pairwise(treebank.offsets.tolist()):
        words = []
        for index in range(start, end):
            word: dict[str, Any] = {"id": index - start + 1, "text": strings["form"][index]}
            for column, attribute in STANZA_ATTRIBUTES.items():
                if strings[column][index] != NO_VALUE:
                    word[attribute] = strings[column][index]
            if treebank.heads[index] != NO_HEAD:
                word["head"] = int(treebank.heads[index])
            words.append(word)
        # Stanza's documents have no empty sentences.
        if words:
            sentences.append(words)
    return document_type(sentences)


def orders_of_document(document: Any, rules: RuleSet | str) -> Orders:
    """Return the orders of the sentences of a Stanza document under a rule set.

    Parameters
    ----------
    document : stanza.Document
        A parsed document.
    rules : RuleSet, or its name or file

    Raises
    ------
    ModelError
        If a sentence is not parsed.
    """
    single_rooted, _ = attach_further_roots(from_stanza(document), "stanza")
    return orders_of(open_rules(rules) if isinstance(rules, str) else rules, single_rooted)
