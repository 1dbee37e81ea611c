"""Names of files made of what they show."""

from __future__ import annotations

import re

# In bytes: three such names and what joins them are a name that file systems take.
_LONGEST = 60


def file_name(text: str) -> str:
    """Write what any file system takes: letters, digits, hyphens and dots.

    Examples
    --------
    >>> file_name("cder(penalty=length)"), file_name("../ä"), file_name("?")
    ('cder-penalty-length', 'ä', 'unnamed')
    >>> len(file_name("語" * 99))
    20
    """
    name = re.sub(r"[^\w.]+", "-", text).strip("-.")
    return name.encode()[:_LONGEST].decode(errors="ignore") or "unnamed"
