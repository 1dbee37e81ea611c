"""The small data sets that ship with the package; their README says how they were made."""

from pathlib import Path

SYSTEMS = ("unchanged", "reversed", "head-final", "head-final-mistakes")


def sample_path(name: str, sample: str = "enja") -> Path:
    """Return the path of a file of a sample.

    Parameters
    ----------
    name : str
        Empty for the sample's folder.
    sample : {"enja", "judged"}
        Aligned English-Japanese sentences, or made-up judgements of made-up translations.

    Examples
    --------
    >>> sample_path("reference.orders").exists(), sample_path("judged.toml", "judged").exists()
    (True, True)
    """
    return Path(__file__).parent / sample / name
