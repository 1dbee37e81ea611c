"""Calls of the front door that type checkers refuse: an error that does not come is an error."""

# pyright: reportUnnecessaryTypeIgnoreComment=true

import wordorder as wo

lines = ["we met on tuesday", "it rains"]
systems = {"A": lines, "B": lines}


def call() -> None:
    """Call everything wrongly; checked, never run."""
    wo.score(1, 2)  # type: ignore[arg-type]
    wo.score(lines, systems)  # type: ignore[arg-type]
    wo.score(systems, lines, lowercased=True)  # type: ignore[call-arg]
    wo.score(systems, lines, lowercase="yes")  # type: ignore[arg-type]
    wo.score({"A": [1, 2]}, lines)  # type: ignore[list-item]
    wo.score(systems, lines, 3)  # type: ignore[arg-type]
    wo.score(systems)  # type: ignore[call-arg]
    wo.compare(systems, lines, test="t-test")  # type: ignore[arg-type]
    wo.compare(systems, lines, words="shared")  # type: ignore[arg-type]
    wo.compare(systems, lines, by="paragraph")  # type: ignore[arg-type]
    wo.compare(systems, lines, top=5)  # type: ignore[call-arg]
    wo.analyze(systems, lines, source=3)  # type: ignore[arg-type]
    wo.analyze(systems, lines, empty_references="some")  # type: ignore[arg-type]
    wo.score(systems, lines).to_list()  # type: ignore[attr-defined]
