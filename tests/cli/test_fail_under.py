"""``score --fail-under``: which scores make a check fail."""

from pathlib import Path

import pytest
from tests.cli.running import SYSTEMS, call, write

HEAD_FINAL = SYSTEMS[2]


@pytest.fixture
def orders(tmp_path: Path) -> list[str]:
    """A reference, and systems with Kendall's tau distance 1, 2/3 and 0 by hand."""
    reference = write(tmp_path, "reference.orders", "0 1 2\n")
    systems = {"same": "0 1 2\n", "swapped": "1 0 2\n", "reversed": "2 1 0\n"}
    return [reference, "-i", *(write(tmp_path, f"{n}.orders", t) for n, t in systems.items())]


@pytest.mark.parametrize(
    ("limit", "failing"),
    [
        ("kendall=0", []),
        # One of three pairs of the second system is in the wrong order.
        ("kendall=0.5", ["reversed"]),
        ("kendall=0.67", ["swapped", "reversed"]),
        # The value itself is good enough.
        ("kendall=1", ["swapped", "reversed"]),
    ],
)
def test_each_system_is_checked(orders: list[str], limit: str, failing: list[str]) -> None:
    without = call("score", *orders, "-m", "kendall").good()
    found = call("score", *orders, "-m", "kendall", "--fail-under", limit)
    assert found.status == (1 if failing else 0)
    assert found.stdout == without.stdout
    lines = [line for line in found.stderr.splitlines() if ": failed: " in line]
    assert [line.split(": ")[2] for line in lines] == failing


def test_where_less_is_better(tmp_path: Path) -> None:
    reference = write(tmp_path, "reference.txt", "a b c d\n")
    system = write(tmp_path, "system.txt", "a b c x\n")
    # One substitution in four words.
    fine = call("score", reference, "-i", system, "-m", "wer", "--fail-under", "wer=0.25")
    fine.good()
    found = call("score", reference, "-i", system, "-m", "wer", "--fail-under", "wer=0.2")
    assert found.status == 1
    assert "wordorder: failed: system: wer is 0.2500, more than 0.2" in found.stderr


def test_several_conditions_and_metrics_with_options(orders: list[str]) -> None:
    arguments = ["-m", "kendall(ties=best),kendall(ties=rank),frs", "--fail-under", "frs=0.1"]
    arguments += ["--fail-under", "kendall(ties=rank)=0.5"]
    found = call("score", *orders, *arguments)
    assert found.status == 1
    assert found.stderr.count("reversed: frs is 0.0000, less than 0.1") == 1
    assert found.stderr.count("reversed: kendall(ties=rank) is 0.0000, less than 0.5") == 1
    arguments[-1] = "kendall=0.5"
    call("score", *orders, *arguments).refused(2, "which of them?", "kendall(ties=best)")
