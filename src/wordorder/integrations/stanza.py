"""Stanza's documents as treebanks and back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from wordorder.order.orders import Orders
from wordorder.parsing.adapters.package import load_package
from wordorder.parsing.adapters.single_root import single_root
from wordorder.parsing.adapters.strings import safe_strings
from wordorder.reordering.base import RuleSet, orders_of
from wordorder.reordering.rules import open_rules
from wordorder.treebank.column import NOTHING
from wordorder.treebank.treebank import NO_HEAD, Treebank

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
