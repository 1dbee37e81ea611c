"""One source, two ways to run it: compiled and interpreted kernels give the same bytes."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import REFERENCE, SYSTEMS
from tests.kernels.answers import answers
from tests.kernels.called_kernels import OFFERED

import wordorder
from wordorder import kernels

# A process that cannot import Cython, installed or not.
WITHOUT_CYTHON = """
import runpy, sys
sys.modules.update(cython=None, Cython=None)
runpy.run_module("tests.kernels.called_kernels", run_name="__main__", alter_sys=True)
"""


def answered(**environment: str) -> tuple[bool, dict[str, Any], set[str]]:
    """Run the answers in a process of their own: compiled or not, answers, functions called."""
    inherited = {key: v for key, v in os.environ.items() if key != "WORDORDER_KERNELS"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_CYTHON],
        capture_output=True,
        check=False,
        cwd=Path(__file__).parents[2],
        env={**inherited, **environment},
    )
    assert done.returncode == 0, done.stderr.decode()
    compiled, found, called = json.loads(done.stdout)
    return compiled, found, set(called)


@pytest.fixture(scope="module")
def interpreted() -> tuple[bool, dict[str, Any], set[str]]:
    return answered(WORDORDER_KERNELS="interpreted")


def test_the_switch_interprets(interpreted: tuple[bool, dict[str, Any], set[str]]) -> None:
    assert not interpreted[0]


def test_every_kernel_is_among_the_answers(
    interpreted: tuple[bool, dict[str, Any], set[str]],
) -> None:
    assert OFFERED
    assert interpreted[2] >= {f"{module}.{name}" for module, name in OFFERED}


@pytest.mark.allow_notes
def test_interpreted_answers_are_those_of_this_process(
    interpreted: tuple[bool, dict[str, Any], set[str]],
) -> None:
    compare(answers(), interpreted[1])


def test_interpreted_answers_are_those_of_the_installed_kernels(
    interpreted: tuple[bool, dict[str, Any], set[str]],
) -> None:
    """Says something too where this process interprets its kernels."""
    compare(answered()[1], interpreted[1])


def compare(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert list(one) == list(other)
    assert [name for name in one if one[name] != other[name]] == []


@pytest.mark.skipif(not kernels.compiled(), reason="needs compiled kernels")
def test_a_kernel_that_was_compiled_too_early_says_so() -> None:
    from wordorder.kernels import edits

    with pytest.raises(ImportError, match=r"kernels\.edits was compiled before it had a_new_one: "):
        _ = edits.a_new_one  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match=r"build_ext --inplace"):
        from wordorder.kernels.edits import a_newer_one  # type: ignore[attr-defined]  # noqa: F401
    assert not hasattr(edits, "__path__")


# -- The package where no kernel is compiled and Cython is not installed. --------------------------


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package without what was compiled."""
    folder = tmp_path_factory.mktemp("source")
    ignored = shutil.ignore_patterns("*.so", "*.pyd", "__pycache__")
    shutil.copytree(Path(wordorder.__file__).parent, folder / "wordorder", ignore=ignored)
    return folder


def python(source: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python where the copy comes first."""
    environment = {key: value for key, value in os.environ.items() if key != "WORDORDER_KERNELS"}
    environment["PYTHONPATH"] = str(source)
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment
    )


def test_the_program(source: Path) -> None:
    hidden = (
        "import sys; sys.modules.update(cython=None, Cython=None)\n"
        "from wordorder.cli import main; main()"
    )
    said = python(source, "-c", hidden, "--version").stdout
    assert said.endswith("kernels interpreted (slow: no C compiler at installation)\n")
    arguments = ["score", REFERENCE, "-i", SYSTEMS[0]]
    slow = python(source, "-c", hidden, *arguments)
    assert slow.returncode == 0, slow.stderr
    fast = subprocess.run(
        [sys.executable, "-m", "wordorder", *arguments], capture_output=True, text=True, check=True
    )
    assert slow.stdout == fast.stdout
    assert "the kernels are not compiled" in slow.stderr


def test_others_get_the_real_cython(source: Path) -> None:
    """What kernels see in its place is seen by nobody else."""
    done = python(
        source,
        "-c",
        "import sys\n"
        "import wordorder.kernels.orders as ours\n"
        "assert ours.__file__.endswith('.py')\n"
        "print([name for name in sys.modules if name.lower().startswith('cython')])\n"
        "import importlib.util\n"
        "found = importlib.util.find_spec('cython')\n"
        "print(found is None or 'wordorder' not in found.origin)",
    )
    assert done.stdout == "[]\nTrue\n", done.stderr
