"""The parsers of others that are installed, by name."""

from __future__ import annotations

from wordorder.errors import UsageError
from wordorder.parsing.base import Parser
from wordorder.registry import Registry

PARSERS = Registry(
    "parser",
    "wordorder.parsers",
    {
        "spacy": "wordorder.parsing.adapters.spacy:SpacyParser",
        "stanza": "wordorder.parsing.adapters.stanza:StanzaParser",
        "udpipe": "wordorder.parsing.adapters.udpipe:UDPipeParser",
    },
    needs=("parse",),
    listed_by="wordorder list parsers",
)


def open_parser(name: str, *, tags: str = "own") -> Parser:
    """Load the parser of another project.

    Parameters
    ----------
    name : str
        ``udpipe:MODEL_FILE``, ``spacy:NAME_OR_FOLDER`` or ``stanza:LANGUAGE`` with the package
        behind it where it is not the default one, as in ``stanza:en_gum``.
    tags : "own" or "given"
        Whether the words get the tags of that project's tagger, or keep theirs.

    Raises
    ------
    UsageError
        If there is no parser of that name, its package is not installed (the message says how to
        install it), or there is no such model. Nothing is ever downloaded.

    Examples
    --------
    >>> open_parser("udpipe:no-such-file")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: udpipe: there is no model file no-such-file
    """
    kind, colon, model = name.partition(":")
    PARSERS.load(kind)
    if not colon or not model:
        raise UsageError(f"{name!r} names no model of {kind}; expected {kind}:MODEL")
    parser: object = PARSERS.make(kind, model, tags=tags)
    if not isinstance(parser, Parser):
        raise UsageError(f"parser {kind!r} of the package {PARSERS.package(kind)} cannot parse")
    return parser
