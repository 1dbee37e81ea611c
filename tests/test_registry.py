"""Parts of other packages: found by their entry points, used like built-ins."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from wordorder.errors import UsageError
from wordorder.metrics import METRICS
from wordorder.registry import Registry

MODULE = '''
import numpy as np
from wordorder.metrics.contract import BaseMetric
from wordorder.signature import Signature

class FirstWord(BaseMetric):
    """Whether the first word is right."""
    name = "first-word"
    def __init__(self, *, weight=1.0):
        self.weight = weight
    def statistics(self, segments):
        rows = segments.permutation
        right = [float(len(row) > 0 and row[0] == 0) * self.weight for row in rows]
        return np.array([[value, 1.0] for value in right]).reshape(-1, 2)
    def score(self, totals):
        return np.divide(totals[..., 0], totals[..., 1], out=np.zeros(totals.shape[:-1]),
                         where=totals[..., 1] > 0)
    def signature(self):
        return Signature(self.name, (("weight", repr(self.weight)),), version="7")
'''


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder with another package that brings a metric, and one whose module is missing."""
    (tmp_path / "firstword.py").write_text(MODULE)
    info = tmp_path / "firstword-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: firstword\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[wordorder.metrics]\nfirst-word = firstword:FirstWord\nbroken = nowhere:Metric\n"
    )
    return tmp_path


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(folder)!r}); from wordorder.cli import main; main()"
    )
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_metric_of_another_package(installed: Path) -> None:
    orders = installed / "a.orders"
    orders.write_text("0 1\n1 0\n")
    reference = installed / "r.orders"
    reference.write_text("0 1\n0 1\n")
    done = run(
        installed, "score", str(reference), "-i", str(orders), "-m", "first-word,frs",
        "-O", "weight=0.5", "--confidence",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "0.2500" in done.stdout
    assert "first-word|weight:0.5|v:7" in done.stdout


def test_it_keeps_the_contract(installed: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(installed)!r}); import wordorder as wo; "
        "from wordorder.testing import check_metric; check_metric(wo.metric('first-word'))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_broken_package_is_named(installed: Path) -> None:
    done = run(installed, "score", "r", "-i", "a", "-m", "broken")
    assert done.returncode == 2
    assert "metric 'broken' cannot be loaded from nowhere:Metric" in done.stderr


def test_built_ins_cannot_be_replaced_in_silence(tmp_path: Path) -> None:
    info = tmp_path / "thief-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: thief\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[wordorder.metrics]\nfrs = thief:Metric\n")
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import wordorder as wo; "
        "assert type(wo.metric('frs')).__module__ == 'wordorder.metrics.order.frs'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_names_and_messages() -> None:
    assert METRICS.names()[: len(METRICS.built_in)] == list(METRICS.built_in)
    registry = Registry("toy", "wordorder.nothing", {"a": "wordorder.errors:InputError"})
    assert registry.names() == ["a"]
    with pytest.raises(UsageError, match="unknown toy 'b'; legal names: a"):
        registry.load("b")
