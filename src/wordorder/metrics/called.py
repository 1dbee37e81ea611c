"""What readers of papers call the metrics."""

from __future__ import annotations

# Names that are abbreviations: what they are short for.
_LONG = {
    "frs": ("FRS", "fuzzy reordering score"),
    "wer": ("WER", "word error rate"),
    "per": ("PER", "position-independent error rate"),
    "cder": ("CDER", "cover disjoint error rate"),
    "ter": ("TER", "translation edit rate"),
    "gtm": ("GTM", "general text matcher"),
    "bleu": ("BLEU", ""),
    "chrf": ("chrF", ""),
    "inversion-wer": ("inversion WER", ""),
    "long-jump": ("long jump distance", ""),
    "kendall": ("Kendall's tau", ""),
    "spearman": ("Spearman's rho", ""),
    "ulam": ("Ulam score", ""),
    "hamming": ("Hamming score", ""),
    "exact": ("exact match", ""),
}

NAMED = {name: shown for name, (shown, _) in _LONG.items()}


def called(name: str) -> str:
    """Return what tables and sentences call a metric; its own name if it has no other.

    Parameters
    ----------
    name : str
        ``frs``, or with options: ``cder(penalty=mean)``.

    Examples
    --------
    >>> called("frs"), called("cder(penalty=mean)"), called("pet")
    ('FRS', 'CDER(penalty=mean)', 'pet')
    """
    known, bracket, options = name.partition("(")
    return f"{_LONG.get(known, (known,))[0]}{bracket}{options}"


def spelt_out(name: str) -> str:
    """Return the name with what it is short for, for the first time that a page says it.

    Examples
    --------
    >>> spelt_out("frs"), spelt_out("bleu"), spelt_out("mix(frs:1)")
    ('fuzzy reordering score (FRS)', 'BLEU', 'mix(frs:1)')
    """
    long = _LONG.get(name, ("", ""))[1]
    return f"{long} ({called(name)})" if long else called(name)
