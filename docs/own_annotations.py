"""Gives each parameter of the reference pages its own type.

Where a docstring describes several parameters in one entry, griffe shows the type of the first for
all of them. This extension looks each one up in the signature.
"""

from __future__ import annotations

from typing import Any

import griffe


class OwnAnnotations(griffe.Extension):
    """Corrects the types of parameters that share an entry."""

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        """Look up the parameters of one function."""
        if func.docstring is None:
            return
        for section in func.docstring.parsed:
            if section.kind is not griffe.DocstringSectionKind.parameters:
                continue
            entries = [entry for entry in section.value if entry.name in func.parameters]
            for entry in entries:
                own = func.parameters[entry.name]
                sharing = [e for e in entries if e.description == entry.description]
                # A type that is written in the docstring is another object, and stays.
                if any(entry.annotation is func.parameters[e.name].annotation for e in sharing):
                    entry.annotation = own.annotation
                if len(sharing) > 1:
                    entry.value = own.default
