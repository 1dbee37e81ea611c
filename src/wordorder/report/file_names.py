"""Names of files made of what they show."""

from __future__ import annotations

import re

_LONGEST = 60


def file_name(text: str) -> str:
    """Write what any file system takes: letters, digits, hyphens and dots.

    Examples
    --------
    >>> file_name("cder(penalty=length)"), file_name("../ä"), file_name("?")
    ('cder-penalty-length', 'ä', 'unnamed')
    """
    return re.sub(r"[^\w.]+", "-", text).strip("-.")[:_LONGEST] or "unnamed"
