"""The page on formats names the keys and columns that the verbs print: keys from the schemas."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TREES, Answer, call, notes_on
from tests.schemas.test_outputs import check

from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol
from wordorder.samples import sample_path
from wordorder.schemas import read_schema, tsv_columns
from wordorder.treebank import Treebank, write_treebank

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
JUDGED = sample_path("judged.toml", "judged")
TWO = " ".join(SYSTEMS[::2])
GRID = f"--trees P1={TREES} P2={TREES} --rules R1 R2 --resamples 20"
# By the verb as the page names it, what follows.
COMMANDS = {
    "score": f"{REFERENCE} -i {TWO} --confidence --segments",
    "compare": f"{REFERENCE} -i {TWO}",
    "evaluate": f"{ALIGNMENTS} {GRID}",
    "evaluate --sensitivity": f"{ALIGNMENTS} {GRID}",
    "analyze": f"{REFERENCE} {GRID}",
    "reference --check": "- --source said --target target -O target-trees=target.conllu",
    "correlate": f"{JUDGED} copy.toml -m per,f1 --human rankings --resamples 20",
    "path": "'on friday we met' 'we met friday him'",
    "tree": "'2 4 5 6 1 3'",
    **dict.fromkeys(("list", "list models", "list parsers", "list rules", "list compat"), ""),
    "rules list": "",
    "rules check": "bad.toml",
    "rules explain": f"R5 --trees {TREES}",
    "rank": "two --resamples 9",
    "progress": "p.db",
    "agreement": "two --resamples 9",
    "tune": "list words --confidence -O retune=2",
    "score --compat": f"lader {ALIGNMENTS} -i none {SYSTEMS[0]} --source {SOURCE}",
}


# Columns that are not always there.
OPTIONAL = ("signature", "line", "spread_a", "runs_a", "spread_b", "runs_b")
# Objects that the page describes in words, or elsewhere.
WHOLE = (
    "options",
    "provenance",
    "signatures",
    "systems[].scores",
    "grid",
    "rows[]",
    "parsers_compared[]",
    "rules_compared[]",
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the files that the commands name."""
    files = {
        "two": "rater\titem\tsystem_a\tsystem_b\tchoice\n"
        "x\t1\tA\tB\ta\ny\t1\tA\tB\tb\nx\t1\tA\tB\ta\n",
        "words": "one two\n",
        "said": "he two\n",
        "target": "a b c\n",
        "list": "0 ||| two ||| d= 1\n0 ||| one two ||| d= 2\n",
        "bad.toml": '[[rule]]\norder = ["nsbj", "*", "self"]\n',
    }
    named = re.sub(r'"([\w.-]+\.\w+)"', rf'"{JUDGED.parent}/\1"', JUDGED.read_text("utf-8"))
    files["copy.toml"] = named.replace('"judged ja-en"', '"copy"')
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    write_treebank(
        tmp_path / "target.conllu",
        Treebank.from_words([["a", "b", "c"]], heads=[[0, 1, 2]], upos=[["NOUN", "NOUN", "ADP"]]),
    )
    items = [Item(1, {"source": "a", "reference": "b"}, (Output("A", "c"),))]
    Project.create(tmp_path / "p.db", rating_protocol("talbot", max_share=1), items, 3).close()
    monkeypatch.chdir(tmp_path)


def schema_name(verb: str) -> str:
    """Return the schema of what a command prints."""
    return "list" if verb.startswith("list") else verb.replace(" --", "-").replace(" ", "-")


def printed(verb: str, form: str, *options: str) -> Answer:
    # Word 0 is linked to targets 0 and 2, target 1 and word 1 to nothing: one finding of each;
    # no pronoun translates "he", and the particle "c" is not linked as the word before it.
    asked = ["--report" if verb == "reference --check" else "--format", form, *options]
    answer = call(*shlex.split(f"{verb} {COMMANDS[verb]}"), *asked, stdin=b"0,,0\n")
    assert answer.status == (verb == "rules check"), answer.stderr
    return answer


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
def test_all_keys_are_described_and_notes_are_those_of_standard_error(
    verb: str, folder: None
) -> None:
    name = schema_name(verb)
    answer = printed(verb, "json")
    names = list(answer.json)
    assert (names[0], names[-1]) == ("version", "notes")
    assert {path.rstrip("[]") for path in keys(answer.json)} <= set(described(read_schema(name)))
    check(name, answer.json)
    assert answer.json["version"] == 1
    assert answer.json["notes"] == notes_on(answer.stderr)
    quiet = printed(verb, "json", "--quiet")
    assert (quiet.stdout, quiet.stderr) == (answer.stdout, "")


@pytest.mark.parametrize("verb", list(COMMANDS))
def test_all_columns_are_described(verb: str, folder: None) -> None:
    described = tsv_columns(schema_name(verb))
    if not described:
        rows = section("TSV columns").split("\n")
        (row,) = (
            row for row in rows if row.startswith((f"| `{verb} --format", f"| `{verb} --report"))
        )
        described = re.findall(r"`([^`]+)`", row.split("|")[2])
    found = printed(verb, "tsv").text.split("\n")[0].split("\t")
    # Some are printed only where there is something to print.
    assert [name for name in described if name in found or name not in OPTIONAL] == found


def test_comparisons_of_a_grid_are_those_of_compare(folder: None) -> None:
    (metric,) = printed("compare", "json").json["metrics"][:1]
    (found,) = printed("evaluate", "json").json["metrics"][:1]
    names = ("parser", "rules")
    for key, own in (("parsers_compared", "rules"), ("rules_compared", "parser")):
        for each in found[key]:
            assert set(each) == set(metric) - {"metric", "signature"} | {*names, "triangle"}
            assert each[own] is not None
            assert [len(row) for row in each["triangle"]] == [1]
