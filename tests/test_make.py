"""`make` where no virtual environment can be made."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

MAKEFILE = Path(__file__).parents[1] / "Makefile"
# As Debian's Python without the package python3-venv: an environment is begun, and has no pip.
WITHOUT_ENSUREPIP = f"""#!/bin/sh
case "$*" in
  "-m venv "*) {sys.executable} -m venv --without-pip "$3"
    echo "The virtual environment was not created successfully because ensurepip is not available."
    exit 1 ;;
  *ensurepip*) echo "ModuleNotFoundError: No module named 'ensurepip'" >&2; exit 1 ;;
  *) exec {sys.executable} "$@" ;;
esac
"""
# Whole but for a pip, whose unpacking would take some seconds.
WITHOUT_A_PIP = f"""#!/bin/sh
exec {sys.executable} "$@" --without-pip
"""
# A disk that is full, or anything else.
BROKEN = """#!/bin/sh
case "$*" in *"-m venv"*) mkdir -p .venv/bin; echo "Error: disk is full" >&2; exit 1 ;; esac
"""

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(folder: Path, python: str, goal: str = "demo") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", f"PYTHON={python}", goal],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        # Not those of a make that runs these tests.
        env={key: value for key, value in os.environ.items() if not key.startswith("MAKE")},
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("pyproject.toml", "setup.py"):
        (tmp_path / name).touch()
    shutil.copy(MAKEFILE, tmp_path)
    return tmp_path


def wrapper(folder: Path, text: str) -> str:
    path = folder / "python-of-debian"
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def ours(done: subprocess.CompletedProcess[str]) -> str:
    """Return what is said besides make's own line about its failed rule."""
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    return "\n".join([*done.stdout.splitlines(), *lines])


def test_a_python_without_ensurepip_says_so_each_time(folder: Path) -> None:
    python = wrapper(folder, WITHOUT_ENSUREPIP)
    for _ in range(2):
        done = make(folder, python)
        assert done.returncode == 2
        assert ours(done) == (
            f"{python} cannot make virtual environments: its module ensurepip is missing. "
            "On Debian and Ubuntu: apt install python3-venv"
        )
        assert not (folder / ".venv").exists()
    # Once the package is there, the same command goes on.
    assert make(folder, wrapper(folder, WITHOUT_A_PIP), ".venv/bin/python").returncode == 0
    assert (folder / ".venv/bin/python").exists()


def test_another_failure_is_shown_and_leaves_nothing(folder: Path) -> None:
    done = make(folder, wrapper(folder, BROKEN))
    assert done.returncode == 2
    assert ours(done).splitlines()[0] == "Error: disk is full"
    assert not (folder / ".venv").exists()


def test_an_environment_of_somebody_else_without_pip_stays(folder: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=folder, check=True)
    done = make(folder, sys.executable)
    assert done.returncode == 2
    assert ours(done).splitlines()[-1] == ".venv has no pip: make clean removes it"
    assert (folder / ".venv/bin/python").exists()
