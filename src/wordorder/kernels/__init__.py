"""The hot loops: flat arrays in, flat arrays out; compiled by the build, readable as they are.

A kernel is called as ``kernel(*arrays, first, last, *scratch)`` and works on the rows
``first .. last-1``. It allocates nothing, raises nothing and knows nothing of the rest of the
package; sizes are checked by its callers. `_run.run_rows` decides on chunks and threads.

``WORDORDER_KERNELS=interpreted`` in the environment loads the Python source even where compiled
kernels are installed: for debugging, coverage and the tests that compare the two.
"""

import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType


class _SourceFinder:
    """Finds the kernels' Python source, never their compiled twins."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith(__name__ + "."):
            return None
        source = Path(__file__).parent / f"{name.rpartition('.')[2]}.py"
        return importlib.util.spec_from_file_location(name, source) if source.exists() else None


INTERPRETED_BY_CHOICE = os.environ.get("WORDORDER_KERNELS") == "interpreted"

if INTERPRETED_BY_CHOICE:
    sys.meta_path.insert(0, _SourceFinder())


def compiled() -> bool:
    """Say whether all kernels of this installation run as compiled code."""
    names = [path.stem for path in Path(__file__).parent.glob("[!_]*.py")]
    specs = [importlib.util.find_spec(f"{__name__}.{name}") for name in names]
    return not any(spec is None or str(spec.origin).endswith(".py") for spec in specs)
