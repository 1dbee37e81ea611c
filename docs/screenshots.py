"""Makes the pictures of the documentation from the running product.

``python docs/screenshots.py`` writes them to docs/images, ``python docs/screenshots.py FOLDER``
elsewhere. Each picture is taken by the test that uses the page; look at all of them afterwards.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# The test that takes each picture.
PICTURES = {
    "report": "test_page.py::test_the_picture_of_the_docs_can_be_made",
    "rate": "test_tutorial_people.py::test_the_tutorial",
    "progress": "test_owner.py::test_by_keyboard_and_in_the_tree_of_a_screen_reader",
    "annotate": "test_tutorial_people.py::test_the_tutorial",
    "preference": "test_tutorial_people.py::test_a_missed_check",
    "notebook": "test_notebook.py::test_a_result_in_a_cell",
}


def main() -> int:
    """Take all pictures; say which are there."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "docs/images").resolve()
    tests = [f"tests/browser/{test}" for test in dict.fromkeys(PICTURES.values())]
    environment = os.environ | {
        "WORDORDER_PICTURES": str(folder),
        "WORDORDER_BROWSER": "required",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", *tests]
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    for name in PICTURES:
        print(folder / f"{name}.png")
    return status


if __name__ == "__main__":
    sys.exit(main())
