"""Quoting from a file, for messages."""

from __future__ import annotations

import codecs

SHOWN = 30


def quoted(token: bytes) -> str:
    r"""Quote a token in at most 30 characters, control characters escaped.

    Examples
    --------
    >>> print(quoted(b"3,,4"), quoted(b"a\rb"), quoted(b"\xff"), quoted(b"7" * 40))
    '3,,4' 'a\rb' b'\xff' '777777777777777777777777777777'...
    """
    start = token[: SHOWN * 4]
    try:
        # Not final where it was cut: the last character may be in halves.
        text = codecs.getincrementaldecoder("utf-8")().decode(start, final=start == token)
    except UnicodeDecodeError:
        return f"{token[:SHOWN]!r}{'...' if len(token) > SHOWN else ''}"
    return f"{text[:SHOWN]!r}{'...' if len(text) > SHOWN else ''}"
