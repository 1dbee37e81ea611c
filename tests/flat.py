"""Texts without their line breaks."""


def flat(text: str) -> str:
    """Return a text in one line, for sentences that may be broken anywhere."""
    return " ".join(text.split())
