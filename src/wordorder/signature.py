"""Signatures: a metric and its options in one line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from wordorder._version import __version__

_OPTIONS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class Signature:
    """The name of a metric with all options that can change its value.

    Parameters
    ----------
    metric : str
        The metric's name.
    fields : tuple of (key, value)
        Options, in the order in which they are printed; the version follows.

    Notes
    -----
    Two numbers with the same signature on the same input are the same number, on any platform
    and with any number of threads.

    Examples
    --------
    >>> str(Signature("frs", (("match", "index"), ("ties", "best")), version="1.0.0rc1"))
    'frs|match:index|ties:best|v:1.0.0rc1'
    """

    metric: str
    fields: tuple[tuple[str, str], ...] = ()
    version: str = __version__

    def __str__(self) -> str:
        parts = [self.metric, *(f"{key}:{value}" for key, value in self.fields)]
        return "|".join([*parts, f"v:{self.version}"])

    def with_fields(self, *fields: tuple[str, str]) -> Signature:
        """Return a copy with further fields at the end.

        Examples
        --------
        >>> str(Signature("frs", version="1").with_fields(("null", "next")))
        'frs|null:next|v:1'
        """
        return Signature(self.metric, self.fields + fields, self.version)

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Read a signature from its line.

        Raises
        ------
        ValueError
            If the line is not ``metric|key:value|...|v:version``.

        Examples
        --------
        >>> Signature.parse("frs|ties:best|v:1.0.0rc1").fields
        (('ties', 'best'),)
        """
        metric, *remainder = text.split("|")
        pairs = [tuple(part.split(":", 1)) for part in remainder]
        if not metric or not pairs or pairs[-1][0] != "v" or any(len(p) != 2 for p in pairs):
            raise ValueError(f"not a signature: {text!r}")
        return cls(metric, tuple((p[0], p[1]) for p in pairs[:-1]), pairs[-1][1])


def labels(signatures: Sequence[Signature]) -> list[str]:
    """Return a short name for each metric, with the options that distinguish metrics of one name.

    Examples
    --------
    >>> labels([Signature("cder", (("penalty", p), ("ref", "best"))) for p in ("none", "mean")])
    ['cder(penalty=none)', 'cder(penalty=mean)']
    """
    names = [signature.metric for signature in signatures]
    unique = []
    for signature, name in zip(signatures, names, strict=True):
        same = [set(s.fields) for s, n in zip(signatures, names, strict=True) if n == name]
        differing = [field for field in signature.fields if any(field not in s for s in same)]
        # A value may be a sum of metrics: their options are left out of the label.
        options = ",".join(f"{key}={_OPTIONS.sub('', value)}" for key, value in differing)
        unique.append(f"{name}({options})" if options else name)
    return unique
