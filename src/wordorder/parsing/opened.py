"""Parsers and taggers by what a user calls them: a file, a shipped model, another project's."""

from __future__ import annotations

import os
from dataclasses import dataclass

from wordorder.errors import UsageError, choose
from wordorder.parsing.base import ListParser, Parser, Tagger
from wordorder.parsing.given_tags import fill_tags, keep_tags, require_tags
from wordorder.parsing.model_file import load_models
from wordorder.text.opening import Path
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank

MODES = ("auto", "keep", "predict")


@dataclass(frozen=True)
class Opened:
    """A parser and what gives words their tags before it.

    Attributes
    ----------
    parser : Parser
    tagger : Tagger or None
    tags : {"auto", "keep", "predict"}
        ``auto`` keeps each tag that is given and predicts each other, ``keep`` predicts none,
        ``predict`` all.
    tags_itself : bool
        Whether the parser gives words its own tags while it parses.
    """

    parser: Parser
    tagger: Tagger | None
    tags: str
    tags_itself: bool = False

    def tagged(self, sentences: Treebank, where: str, before: int) -> Treebank:
        """Return the sentences with the tags that the parser is to see.

        Parameters
        ----------
        sentences : Treebank
        where : str
            What a message calls the input.
        before : int
            Sentences that stand before these.

        Raises
        ------
        InputError
            If a word has no tag and nothing predicts one.
        """
        if self.tags == "keep" or self.tags_itself:
            return sentences
        if self.tagger is None:
            require_tags(sentences, where, before)
            return sentences
        return (
            fill_tags(sentences, self.tagger) if self.tags == "auto" else self.tagger.tag(sentences)
        )

    def parsed(self, sentences: Treebank) -> Treebank:
        """Return tagged sentences with their trees."""
        found = self.parser.parse(sentences)
        return keep_tags(sentences, found) if self.tags_itself and self.tags == "auto" else found

    def listed(self, sentences: Treebank, most: int) -> KBest:
        """Return lists of up to `most` trees of tagged sentences."""
        if not isinstance(self.parser, ListParser):
            raise UsageError("this parser gives no lists of trees")
        return self.parser.kbest(sentences, most)


def open_parser(model: Path, *, tags: str = "auto", tagger: Path | None = None) -> Opened:
    """Load a parser, and the tagger that goes with it.

    Parameters
    ----------
    model : path or name
        A model file, ``en``, or ``udpipe:FILE``, ``spacy:NAME``, ``stanza:LANGUAGE``.
    tags : {"auto", "keep", "predict"}
        As `Opened` has it.
    tagger : path or name, optional
        A model whose tagger is used instead of that of `model`.

    Raises
    ------
    UsageError
        If there is no such model or file, or nothing predicts tags and `tags` asks for it.
    ModelError
        If a file cannot be used, or lacks a parser or a tagger.
    """
    choose("tags", tags, MODES)
    if tagger is not None and tags == "keep":
        raise UsageError("tags=keep predicts no tags and needs no tagger")
    own = None if tagger is None else open_tagger(tagger)
    if _of_others(model):
        from wordorder.parsing.adapters.opening import open_parser as open_other

        given = tags == "keep" or own is not None
        parser = open_other(os.fspath(model), tags="given" if given else "own")
        if not given and isinstance(parser, Tagger):
            # It can tag first: then given tags are seen by the parser.
            return Opened(open_other(os.fspath(model), tags="given"), parser, tags)
        return Opened(parser, own, tags, tags_itself=not given)
    loaded = load_models(model)
    if loaded.parser is None:
        raise UsageError(f"{os.fspath(model)}: holds a tagger, but no parser")
    opened = Opened(loaded.parser, own or loaded.tagger, tags)
    if tags == "predict" and opened.tagger is None:
        raise UsageError(f"{os.fspath(model)}: has no tagger; tagger= names a model with one")
    return opened


def open_tagger(model: Path) -> Tagger:
    """Load a tagger: that of a model file, a shipped one, or another project's.

    Raises
    ------
    UsageError
        If there is no such model, or it has no tagger.
    ModelError
        If a file cannot be used.
    """
    name = os.fspath(model)
    if _of_others(model):
        from wordorder.parsing.adapters.opening import open_parser as open_other

        other = open_other(name)
        if not isinstance(other, Tagger):
            raise UsageError(f"{name}: tags only while it parses; use parse")
        return other
    tagger = load_models(model).tagger
    if tagger is None:
        raise UsageError(f"{name}: holds a parser, but no tagger")
    return tagger


def _of_others(model: Path) -> bool:
    """Return whether a name is ``KIND:MODEL`` of another project's parser."""
    name = os.fspath(model)
    kind, colon, _ = name.partition(":")
    # One letter before a colon is the drive of a path.
    return bool(colon) and len(kind) > 1 and os.sep not in kind and not os.path.exists(name)
