"""Models that are installed as packages, found without running any code of theirs."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from wordorder.notes import note

# The entry points of packages with models: ``de = wordorder_de`` names a model and the folder that
# it is in. Nothing is imported: the folder has these files.
GROUP = "wordorder.trained"
MODEL, ABOUT = "model.safetensors", "about.json"


@dataclass(frozen=True)
class InstalledModel:
    """A model that a package brings.

    Attributes
    ----------
    name : str
        What commands call it.
    package, version : str
    path : Path
        Its file.
    about : dict
        What ``about.json`` of the package says: ``data``, ``licence``, ``scores``, …
    """

    name: str
    package: str
    version: str
    path: Path
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        """Its scores on the development part, in per cent."""
        entry = self.about.get("scores")
        return entry if isinstance(entry, dict) else {}


@cache
def installed_models() -> dict[str, InstalledModel]:
    """Return the models of installed packages by name; of two with one name, the one found first.

    Warns
    -----
    note
        If a package declares a model and does not contain one.
    """
    models: dict[str, InstalledModel] = {}
    for distribution in distributions():
        try:
            points = list(distribution.entry_points.select(group=GROUP))
            package, version = distribution.name, distribution.version
        except Exception:
            # The metadata of other packages may be damaged.
            continue
        for point in points:
            # A name alone: no way out of the folder that packages are in.
            folder = Path(str(distribution.locate_file(point.value)))
            if not point.value.isidentifier() or not (folder / MODEL).is_file():
                note(f"passed over: the package {package} has no model {point.name!r}")
                continue
            about = _about(folder / ABOUT)
            model = InstalledModel(point.name, package, version, folder / MODEL, about)
            models.setdefault(point.name, model)
    return dict(sorted(models.items()))


def _about(path: Path) -> dict[str, Any]:
    """Return the metadata of a package's model; empty if it cannot be read."""
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
