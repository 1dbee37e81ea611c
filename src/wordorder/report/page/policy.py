"""What a page may load: nothing but its own style and script."""

from __future__ import annotations

import base64
import hashlib


def policy(style: str, script: str) -> str:
    """Write a content security policy that allows one block of style and one of script.

    Everything else is forbidden: whatever text the page contains, it can load and run nothing.

    Parameters
    ----------
    style, script : str
        The text between the tags, to the letter.

    Examples
    --------
    >>> policy("", "").split("; ")[:2]
    ["default-src 'none'", "style-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"]
    """
    rules = [
        "default-src 'none'",
        f"style-src {_hash(style)}",
        f"script-src {_hash(script)}",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(rules)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
