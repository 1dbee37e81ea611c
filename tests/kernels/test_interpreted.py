"""One source, two ways to run it: compiled and interpreted kernels give the same bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.kernels.answers import answers
from tests.kernels.called_kernels import OFFERED

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
