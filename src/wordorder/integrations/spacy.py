"""spaCy's documents as treebanks and back, and a part of a pipeline that orders words."""

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
from wordorder.parsing.adapters.external import load_package, safe_strings, single_root
from wordorder.reordering.rules import RULES, RuleSet, is_rule_file, open_rules, orders_of
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.treebank import COLUMNS, NO_HEAD, NO_MARGIN, NOTHING, Column, Treebank

COMPONENT = "wordorder"
# Our columns and the attributes of spaCy's tokens.
ATTRIBUTES = {
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
        A document whose sentences are not marked is one sentence.

    Returns
    -------
    Treebank
        Word by word: form, lemma, UPOS, XPOS, features, label and ``SpaceAfter=No``. Heads are
        those of spaCy, -1 where a document is not parsed; ``ROOT`` becomes ``root``.

    Examples
    --------
    >>> import spacy  # doctest: +SKIP
    >>> doc = spacy.blank("en")("It rains")  # doctest: +SKIP
    >>> from_spacy(doc).form.strings()  # doctest: +SKIP
    ['It', 'rains']
    """
    kind = load_package("spacy.tokens", "spacy").Doc
    listed = [docs] if isinstance(docs, kind) else list(docs)
    names = [*ATTRIBUTES.values(), "SPACY", "SENT_START", "HEAD"]
    parts = [doc.to_array(names).reshape(-1, len(names)) for doc in listed]
    table = np.concatenate([np.zeros((0, len(names)), np.uint64), *parts])
    first = np.cumsum([0, *map(len, listed)])
    begins = np.append(table[:, -2] == 1, True)
    begins[first] = True
    offsets = np.flatnonzero(begins)
    # spaCy has heads as distances; that of a root is 0.
    distances = table[:, -1].astype(np.int64)
    places = concat_ranges(0, np.diff(offsets))
    heads = np.where(distances == 0, 0, places + distances + 1).astype(np.int32)
    parsed = [doc.has_annotation("DEP") for doc in listed]
    heads[~np.repeat(np.array(parsed, bool), np.diff(first))] = NO_HEAD
    stores = list({id(doc.vocab): doc.vocab.strings for doc in listed}.values())
    columns = {name: _column(table[:, number], stores) for number, name in enumerate(ATTRIBUTES)}
    columns["label"] = columns["label"].map(_label)
    spaces = table[:, -3].astype(np.int32)
    columns["misc"] = Column(spaces, Vocabulary(["SpaceAfter=No", NOTHING]))
    left = {name: Column.filled(len(table)) for name in COLUMNS if name not in columns}
    return Treebank(offsets, heads, columns | left, [NO_MARGIN] * (len(offsets) - 1))


def _column(keys: npt.NDArray[np.uint64], stores: list[Any]) -> Column:
    """Return the strings that spaCy has for keys, which are the same in all of its stores."""
    distinct, codes = np.unique(keys, return_inverse=True)
    keyed = distinct.tolist()
    known: dict[int, str] = {}
    for store in stores:
        known |= {key: store[key] for key in keyed if key in store}
    words = [known.get(key) or NOTHING for key in keyed]
    return Column(codes.astype(np.int32).reshape(-1), Vocabulary(words))


def to_spacy(treebank: Treebank, vocab: Any) -> list[Any]:
    """Return the sentences of a treebank as spaCy's documents, one each.

    Parameters
    ----------
    treebank : Treebank
    vocab : spacy.vocab.Vocab
        That of the pipeline: ``nlp.vocab``.

    Returns
    -------
    list of Doc
        With the tags, lemmas, features and trees that the treebank has.
    """
    kind = load_package("spacy.tokens", "spacy").Doc
    strings = {
        name: safe_strings(treebank.columns[name])
        for name in ("form", "lemma", "upos", "xpos", "feats", "label", "misc")
    }
    given = {
        ours: theirs
        for ours, theirs in (("lemma", "lemmas"), ("upos", "pos"), ("xpos", "tags"))
        if any(string != NOTHING for string in strings[ours])
    }
    docs = []
    for first, last in pairwise(treebank.offsets.tolist()):
        columns: dict[str, Any] = {
            theirs: ["" if s == NOTHING else s for s in strings[ours][first:last]]
            for ours, theirs in given.items()
        }
        heads = treebank.heads[first:last].tolist()
        if heads and NO_HEAD not in heads:
            columns["heads"] = [i if head == 0 else head - 1 for i, head in enumerate(heads)]
            columns["deps"] = [
                "ROOT" if head == 0 else strings["label"][first + i] for i, head in enumerate(heads)
            ]
        else:
            columns["sent_starts"] = [i == 0 for i in range(last - first)]
        doc = kind(
            vocab,
            words=strings["form"][first:last],
            spaces=["SpaceAfter=No" not in misc for misc in strings["misc"][first:last]],
            **columns,
        )
        for token, feats in zip(doc, strings["feats"][first:last], strict=True):
            if feats != NOTHING:
                token.set_morph(feats)
        docs.append(doc)
    return docs


def orders_of_docs(docs: Any, rules: RuleSet | str) -> Orders:
    """Return the order that rules give each sentence of spaCy's documents.

    Raises
    ------
    UsageError
        If a document is not parsed.
    """
    trees = from_spacy(docs)
    if trees.words and (trees.heads == NO_HEAD).any():
        raise UsageError("spacy: a document has no trees: put a parser before wordorder")
    whole, _ = single_root(trees, "spacy")
    return orders_of(open_rules(rules) if isinstance(rules, str) else rules, whole)


class Reorderer:
    """Sets ``doc._.order``: the numbers of the tokens in target order, sentence by sentence.

    Parameters
    ----------
    rules : RuleSet, or str
        A rule set, or what `open_rules` opens. A file that is missing is missed when the first
        document comes: a saved pipeline brings its own copy.

    Notes
    -----
    A pipeline is saved with the content of the file of its rules, so that it works elsewhere too;
    a rule set of another package is found there by its name.
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
        """What orders the words."""
        if self._rules is None:
            self._rules = open_rules(self._name)
        return self._rules

    def __call__(self, doc: Any) -> Any:
        """Order the words of a document."""
        self._order([doc])
        return doc

    def pipe(self, stream: Iterable[Any], *, batch_size: int = 128) -> Iterator[Any]:
        """Order the words of many documents, a batch at a time: much faster than one by one."""
        batches = iter(stream)
        while docs := list(islice(batches, batch_size)):
            try:
                self._order(docs)
            except Exception:
                # Those that can be ordered are.
                docs = [doc for doc in docs if self._ordered_alone(doc)]
            yield from docs

    def _ordered_alone(self, doc: Any) -> bool:
        """Order the words of a document; hand one that cannot be ordered to spaCy's handler."""
        try:
            self._order([doc])
        except Exception as error:
            if self._on_error is None:
                raise
            self._on_error(COMPONENT, self, [doc], error)
            return False
        return True

    def _order(self, docs: list[Any]) -> None:
        """Set the orders of documents."""
        rows = orders_of_docs(docs, self.rules).positions
        # Sentences keep their places.
        placed = rows.values + np.repeat(rows.offsets[:-1], np.diff(rows.offsets))
        ends = np.cumsum([0, *map(len, docs)])
        within = (placed - np.repeat(ends[:-1], np.diff(ends))).tolist()
        for doc, (first, last) in zip(docs, pairwise(ends.tolist()), strict=True):
            doc._.order = within[first:last]

    def set_error_handler(self, handler: Any) -> None:
        """Take what spaCy calls with documents that cannot be ordered."""
        self._on_error = handler

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the file of the rules, with its name."""
        packed: bytes = load_package("srsly", "spacy").msgpack_dumps(self._saved)
        return packed

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> Reorderer:
        """Take rules that `to_bytes` returned."""
        saved = load_package("srsly", "spacy").msgpack_loads(data)
        if saved is not None:
            with tempfile.TemporaryDirectory() as folder:
                self._write(folder, *saved)
                self._read(folder)
        return self

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Write the file of the rules into a folder."""
        if self._saved is not None:
            os.makedirs(path, exist_ok=True)
            self._write(path, *self._saved)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> Reorderer:
        """Take the rules in a folder that `to_disk` wrote."""
        if os.path.isdir(path):
            self._read(path)
        return self

    def _write(self, folder: str | os.PathLike[str], name: str, content: bytes) -> None:
        (pathlib.Path(folder) / os.path.basename(name)).write_bytes(content)

    def _read(self, folder: str | os.PathLike[str]) -> None:
        for path in pathlib.Path(folder).iterdir():
            self._rules = open_rules(path)
            self._saved = path.name, path.read_bytes()


def register() -> None:
    """Make the part ``wordorder`` known to spaCy: ``nlp.add_pipe("wordorder")``.

    Its setting ``rules`` is a rule set, or a file of rules or of a learned order. The part comes
    behind a parser. It sets ``doc._.order`` and ``doc._.reordered``, the words in that order.
    spaCy finds the part by itself where both are installed; this function is for attributes of
    documents before there is a pipeline.
    """
    tokens = load_package("spacy.tokens", "spacy")
    load_package("wordorder.integrations.spacy_factory", "spacy")
    if not tokens.Doc.has_extension("order"):
        tokens.Doc.set_extension("order", default=None)
        tokens.Doc.set_extension("reordered", getter=_reordered)


def _reordered(doc: Any) -> list[str] | None:
    return None if doc._.order is None else [doc[place].text for place in doc._.order]


def _label(label: str) -> str:
    return "root" if label == "ROOT" else label or NOTHING


# Our columns and the attributes of Stanza's words.
FIELDS = {"lemma": "lemma", "upos": "upos", "xpos": "xpos", "feats": "feats", "label": "deprel"}


def from_stanza(document: Any) -> Treebank:
    """Return the sentences of Stanza's document as a treebank.

    Its words are those of the trees: of a token that is split (German "im": in dem), the parts.

    Parameters
    ----------
    document : stanza.Document

    Returns
    -------
    Treebank
        Form, lemma, UPOS, XPOS, features, label and heads; -1 where there are none.
    """
    sentences = [sentence.words for sentence in document.sentences]
    columns = {
        ours: [[getattr(word, theirs) or NOTHING for word in words] for words in sentences]
        for ours, theirs in FIELDS.items()
    }
    heads = [[NO_HEAD if w.head is None else w.head for w in words] for words in sentences]
    return Treebank.from_words(
        [[word.text for word in words] for words in sentences], heads=heads, **columns
    )


def to_stanza(treebank: Treebank) -> Any:
    """Return a treebank as Stanza's document, with the tags and trees that it has."""
    kind = load_package("stanza.models.common.doc", "stanza").Document
    strings = {name: safe_strings(treebank.columns[name]) for name in ("form", *FIELDS)}
    sentences = []
    for first, last in pairwise(treebank.offsets.tolist()):
        words = []
        for place in range(first, last):
            word: dict[str, Any] = {"id": place - first + 1, "text": strings["form"][place]}
            for ours, theirs in FIELDS.items():
                if strings[ours][place] != NOTHING:
                    word[theirs] = strings[ours][place]
            if treebank.heads[place] != NO_HEAD:
                word["head"] = int(treebank.heads[place])
            words.append(word)
        # Stanza's documents have no empty sentences.
        if words:
            sentences.append(words)
    return kind(sentences)


def orders_of_document(document: Any, rules: RuleSet | str) -> Orders:
    """Return the order that rules give each sentence of Stanza's document.

    Parameters
    ----------
    document : stanza.Document
        Parsed.
    rules : RuleSet, or its name or file

    Raises
    ------
    ModelError
        If a sentence is not parsed.
    """
    whole, _ = single_root(from_stanza(document), "stanza")
    return orders_of(open_rules(rules) if isinstance(rules, str) else rules, whole)
