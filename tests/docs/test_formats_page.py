"""The page on formats names the keys and columns that the verbs print: keys from the schemas."""

import io
import json
import re
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.schemas.test_outputs import check

from wordorder.cli.program import run
from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol
from wordorder.samples import sample_path
from wordorder.schemas import read_schema
from wordorder.treebank import Treebank, write_treebank

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
SYSTEMS = [str(sample_path(f"{name}.orders")) for name in ("unchanged", "head-final")]
REFERENCE = str(sample_path("reference.orders"))
TREES = str(sample_path("trees.conllu"))
GRID = ["--trees", f"P1={TREES}", f"P2={TREES}", "--rules", "R1", "R2", "--resamples", "20"]
ALIGNED = str(sample_path("alignments.talbot"))
COMMANDS = {
    "score": ["score", REFERENCE, "-i", *SYSTEMS, "--confidence", "--segments", "--format"],
    "compare": ["compare", REFERENCE, "-i", *SYSTEMS, "--format"],
    "evaluate": ["evaluate", ALIGNED, *GRID, "--format"],
    "evaluate --sensitivity": ["evaluate", ALIGNED, *GRID, "--sensitivity", "--format"],
    "analyze": ["analyze", REFERENCE, *GRID, "--format"],
    "reference --check": [
        *("reference", "-", "--source", "said", "--target", "target"),
        *("-O", "target-trees=target.conllu", "--check", "--report"),
    ],
    "correlate": [
        *("correlate", str(sample_path("judged.toml", "judged")), "copy.toml"),
        *("-m", "per,f1", "--human", "rankings", "--resamples", "20", "--format"),
    ],
    "path": ["path", "on friday we met", "we met friday him", "--format"],
    "tree": ["tree", "2 4 5 6 1 3", "--format"],
    "list": ["list", "--format"],
    "list aligners": ["list", "aligners", "--format"],
    "list parsers": ["list", "parsers", "--format"],
    "list rules": ["list", "rules", "--format"],
    "list compat": ["list", "compat", "--format"],
    "rules list": ["rules", "list", "--format"],
    "rules check": ["rules", "check", "bad.toml", "--format"],
    "rules explain": [*("rules", "explain", "R5", "--trees", TREES, "--format")],
    "rank": ["rank", "two", "--resamples", "9", "--format"],
    "progress": ["progress", "p.db", "--format"],
    "agreement": ["agreement", "two", "--resamples", "9", "--format"],
    "tune": ["tune", "list", "words", "--confidence", "--retune", "2", "--format"],
    "score --compat": [
        *("score", ALIGNED, "-i", "none", SYSTEMS[0]),
        *("--compat", "lader", "--source", str(sample_path("source.en")), "--format"),
    ],
}


# Objects that the page describes in words, or elsewhere.
WHOLE = ("options", "grid", "rows[]", "parsers_compared[]", "rules_compared[]")


def printed(verb: str, form: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (folder / "two").write_text(
        "rater\titem\tsystem_a\tsystem_b\tchoice\nx\t1\tA\tB\ta\ny\t1\tA\tB\tb\nx\t1\tA\tB\ta\n",
        "utf-8",
    )
    (folder / "words").write_text("one two\n", "utf-8")
    (folder / "said").write_text("he two\n", "utf-8")
    (folder / "target").write_text("a b c\n", "utf-8")
    write_treebank(
        folder / "target.conllu",
        Treebank.from_words([["a", "b", "c"]], heads=[[0, 1, 2]], upos=[["NOUN", "NOUN", "ADP"]]),
    )
    (folder / "list").write_text("0 ||| two ||| d= 1\n0 ||| one two ||| d= 2\n", "utf-8")
    (folder / "bad.toml").write_text('[[rule]]\norder = ["nsbj", "*", "self"]\n', "utf-8")
    if verb == "progress":
        items = [Item(1, {"source": "a", "reference": "b"}, (Output("A", "c"),))]
        Project.create(folder / "p.db", rating_protocol("talbot", max_share=1), items, 3).close()
    judged = sample_path("judged.toml", "judged")
    named = re.sub(r'"([\w.-]+\.\w+)"', rf'"{judged.parent}/\1"', judged.read_text("utf-8"))
    (folder / "copy.toml").write_text(named.replace('"judged ja-en"', '"copy"'), "utf-8")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["wordorder", *COMMANDS[verb], form])
    # Word 0 is linked to targets 0 and 2, target 1 and word 1 to nothing: one finding of each;
    # no pronoun translates "he", and the particle "c" is not linked as the word before it.
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"0,,0\n"), "utf-8"))
    written = io.TextIOWrapper(io.BytesIO(), "utf-8")
    monkeypatch.setattr(sys, "stdout", written)
    with warnings.catch_warnings():
        assert run() == (verb == "rules check")
    return written.buffer.getvalue().decode("utf-8")


def section(title: str) -> str:
    """Return the part of the page below a heading."""
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    return found[1]


def keys(value: object, path: str = "") -> Iterator[str]:
    """Yield the path of every number and text in a JSON value, as the page writes it."""
    if isinstance(value, dict) and not path.endswith(WHOLE):
        for key, entry in value.items():
            yield from keys(entry, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for entry in value or [None]:
            yield from keys(entry, f"{path}[]")
    else:
        yield path


def described(node: dict[str, Any], path: str = "") -> Iterator[str]:
    """Yield the path of each key with a description, without the brackets at its end."""
    if "description" in node:
        yield path.rstrip("[]")
    for key, below in node.get("properties", {}).items():
        yield from described(below, f"{path}.{key}" if path else key)
    if isinstance(node.get("items"), dict):
        yield from described(node["items"], f"{path}[]")


@pytest.mark.parametrize("verb", list(COMMANDS))
def test_all_keys_are_described(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = verb.replace(" --", "-").replace(" ", "-")
    found = json.loads(printed(verb, "json", tmp_path, monkeypatch))
    names = list(found)
    assert (names[0], names[-1]) == ("version", "notes")
    assert {path.rstrip("[]") for path in keys(found)} <= set(described(read_schema(name)))
    check(name, found)


@pytest.mark.parametrize("verb", list(COMMANDS))
def test_all_columns_are_described(
    verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = section("TSV columns").split("\n")
    (row,) = (row for row in rows if row.startswith((f"| `{verb} --format", f"| `{verb} --report")))
    described = re.findall(r"`([^`]+)`", row.split("|")[2])
    assert described == printed(verb, "tsv", tmp_path, monkeypatch).split("\n")[0].split("\t")


def test_comparisons_of_a_grid_are_those_of_compare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (metric,) = json.loads(printed("compare", "json", tmp_path, monkeypatch))["metrics"][:1]
    (found,) = json.loads(printed("evaluate", "json", tmp_path, monkeypatch))["metrics"][:1]
    text = read_schema("evaluate")["description"]
    for key, own in (("parsers_compared", "rules"), ("rules_compared", "parser")):
        for each in found[key]:
            assert set(each) == set(metric) - {"metric", "signature"} | {own, "triangle"}
            assert all(f"`{name}`" in text for name in each)
            assert [len(row) for row in each["triangle"]] == [1]
