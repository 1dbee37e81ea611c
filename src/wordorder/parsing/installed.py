"""Models that are installed as packages, found without running the packages' code."""

import json
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

from wordorder.notes import note

# The entry points of packages with models: ``de = wordorder_de`` names a model and its folder.
# The module is not imported: only these files of the folder are read.
ENTRY_POINT_GROUP = "wordorder.trained"
MODEL_FILE, ABOUT_FILE = "model.safetensors", "about.json"


@dataclass(frozen=True)
class InstalledModel:
    """A model of an installed package.

    Attributes
    ----------
    name : str
        The name of the model in commands.
    package, version : str
    path : Path
        The model file.
    about : dict
        The contents of the package's ``about.json``: ``data``, ``licence``, ``scores``, …
    """

    name: str
    package: str
    version: str
    path: Path
    about: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> dict[str, float]:
        """The scores of the model on the development part, in per cent."""
        entry = self.about.get("scores")
        return entry if isinstance(entry, dict) else {}


@cache
def installed_models() -> dict[str, InstalledModel]:
    """Return the models of installed packages by name; of two with the same name, the first.

    Warns
    -----
    note
        If a package declares a model that it does not contain.
    """
    models: dict[str, InstalledModel] = {}
    for distribution in distributions():
        try:
            points = list(distribution.entry_points.select(group=ENTRY_POINT_GROUP))
            package, version = distribution.name, distribution.version
        except Exception:
            # The metadata of other packages may be damaged.
            continue
        for point in points:
            # An identifier cannot lead out of the folder of packages.
            folder = Path(str(distribution.locate_file(point.value)))
            if not point.value.isidentifier() or not (folder / MODEL_FILE).is_file():
                note(f"skipped: the package {package} has no model {point.name!r}")
                continue
            about = _read_about(folder / ABOUT_FILE)
            model = InstalledModel(point.name, package, version, folder / MODEL_FILE, about)
            models.setdefault(point.name, model)
    return dict(sorted(models.items()))


def _read_about(path: Path) -> dict[str, Any]:
    """Return the metadata of a package's model; empty if it cannot be read."""
    try:
        about = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return about if isinstance(about, dict) else {}
