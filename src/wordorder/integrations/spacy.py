"""spaCy's documents as treebanks and back, and a part of a pipeline that orders words."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.parsing.adapters.package import load_package
from wordorder.parsing.adapters.single_root import single_root
from wordorder.parsing.adapters.strings import safe_strings
from wordorder.reordering.base import RuleSet, orders_of
from wordorder.reordering.rules import open_rules
from wordorder.treebank.column import NOTHING
from wordorder.treebank.treebank import NO_HEAD, Treebank

COMPONENT = "wordorder"


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
    columns: dict[str, list[list[str]]] = {
        name: [] for name in ("form", "lemma", "upos", "xpos", "feats", "label", "misc")
    }
    heads: list[list[int]] = []
    for doc in listed:
        parsed = doc.has_annotation("DEP")
        for sentence in _sentences(doc):
            heads.append(
                [
                    NO_HEAD
                    if not parsed
                    else 0
                    if token.head.i == token.i
                    else token.head.i - sentence.start + 1
                    for token in sentence
                ]
            )
            columns["form"].append([token.text for token in sentence])
            columns["lemma"].append([token.lemma_ or NOTHING for token in sentence])
            columns["upos"].append([token.pos_ or NOTHING for token in sentence])
            columns["xpos"].append([token.tag_ or NOTHING for token in sentence])
            columns["feats"].append([str(token.morph) or NOTHING for token in sentence])
            columns["label"].append([_label(token.dep_) for token in sentence])
            columns["misc"].append(
                [NOTHING if token.whitespace_ else "SpaceAfter=No" for token in sentence]
            )
    form = columns.pop("form")
    return Treebank.from_words(form, heads=heads, **columns)


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
    """Sets ``doc._.order``: the numbers of the tokens in target order, sentence by sentence."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules

    def __call__(self, doc: Any) -> Any:
        """Order the words of a document."""
        order: list[int] = []
        for row in orders_of_docs(doc, self.rules) if len(doc) else ():
            # Sentences keep their places.
            start = len(order)
            order += [start + position for position in row.positions]
        doc._.order = order
        return doc


def register() -> None:
    """Make the part ``wordorder`` known to spaCy: ``nlp.add_pipe("wordorder")``.

    Its setting ``rules`` is a rule set, or a file of rules or of a learned order. The part comes
    behind a parser. It sets ``doc._.order`` and ``doc._.reordered``, the words in that order.
    """
    spacy = load_package("spacy", "spacy")
    tokens = load_package("spacy.tokens", "spacy")
    if not tokens.Doc.has_extension("order"):
        tokens.Doc.set_extension("order", default=None)
        tokens.Doc.set_extension("reordered", getter=_reordered)

    def make(nlp: Any, name: str, rules: str) -> Reorderer:
        return Reorderer(open_rules(rules))

    spacy.language.Language.factory(COMPONENT, default_config={"rules": "R5"}, func=make)


def _reordered(doc: Any) -> list[str] | None:
    return None if doc._.order is None else [doc[place].text for place in doc._.order]


def _sentences(doc: Any) -> Iterable[Any]:
    if not len(doc):
        return ()
    return doc.sents if doc.has_annotation("SENT_START") else (doc[:],)


def _label(label: str) -> str:
    return "root" if label == "ROOT" else label or NOTHING
