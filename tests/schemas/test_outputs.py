"""The schemas of JSON outputs: what they say, and outputs that no other test makes."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest
from tests.cli.running import REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, python
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.samples import sample_path
from wordorder.schemas import read_schema, schema_names, schema_text

OUTPUTS = [name for name in schema_names() if name != "rule-file"]
JUDGED = str(sample_path("judged.toml", "judged"))


def closed(schema: Any) -> Any:
    """Return a schema that allows no keys but those that it names."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: closed(value) for key, value in schema.items()}
    if isinstance(made.get("properties"), dict) and "additionalProperties" not in made:
        made["additionalProperties"] = False
    return made


def check(name: str, found: Any) -> None:
    """Insist that an output is what its schema says, and has no key that the schema lacks."""
    jsonschema.Draft202012Validator(closed(read_schema(name))).validate(found)


@pytest.mark.parametrize("name", OUTPUTS)
def test_schemas_are_schemas(name: str) -> None:
    schema = read_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["version"]["const"] == 1
    assert {"version", "notes"} <= set(schema["required"])
    verb, *_ = name.split("-")
    assert schema["title"].startswith(f"`wordorder {verb}")


def keys(node: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each key of a schema with its part of the schema."""
    for key, below in node.get("properties", {}).items():
        yield f"{path}.{key}", below
        yield from keys(below, f"{path}.{key}")
    if isinstance(node.get("items"), dict):
        yield from keys(node["items"], f"{path}[]")


@pytest.mark.parametrize("name", OUTPUTS)
def test_keys_say_what_they_are_where_they_stand(name: str) -> None:
    """The page on formats shows each table alone, so none may point to another one."""
    said = [part["description"] for _, part in keys(read_schema(name)) if "description" in part]
    assert len(said) > 2
    assert not [text for text in said if not text or "above" in text]


def test_every_verb_with_json_has_a_schema() -> None:
    """A new verb cannot forget it."""
    from wordorder.cli.program import program

    def verbs(group: click.Group, before: str = "") -> Iterator[str]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            if isinstance(command, click.Group):
                yield from verbs(command, f"{before}{name}-")
            elif command is not None:
                forms = [option.type for option in command.params if "--format" in option.opts]
                if any("json" in getattr(form, "choices", ()) for form in forms):
                    yield f"{before}{name}"

    found = set(verbs(program))
    assert len(found) > 10
    # `export` writes data of a project, not a result.
    assert found - set(OUTPUTS) == {"export"}


FEW = ["--resamples", "9"]
COSTS = ["--human", "rankings", "--fit", "tree-cost.costs", "--aligner", "exact"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("score", ["score", REFERENCE, "-i", *SYSTEMS[:2]]),
        ("score", ["score", TARGET, "-i", TARGET]),
        ("compare", ["compare", REFERENCE, "-i", *SYSTEMS[:2], "--test", "randomization", *FEW]),
        ("analyze", ["analyze", REFERENCE, "-i", SYSTEMS[0], "--source", SOURCE, *FEW]),
        ("analyze", ["analyze", TARGET, "-i", f"A={TARGET}", f"B={SOURCE}", *FEW]),
        ("correlate-fit", ["correlate", JUDGED, "--fit", "0.6*cder + 0.4*per"]),
        ("correlate-fit", ["correlate", JUDGED, *COSTS]),
        ("rules-explain-learned", ["rules", "explain", "en-ja", "--trees", TREES]),
        ("path", ["path", "on friday we met", "we met friday him"]),
        ("path", ["path", "", "", "--metrics", "long-jump"]),
        ("path", ["path", TARGET, SOURCE]),
        ("path", ["path", "a", "b a", "--direction", "candidate"]),
        ("rules-check", ["rules", "check", "no-such.toml"]),
    ],
)
def test_further_outputs(name: str, arguments: list[str]) -> None:
    found = call(*arguments, "--format", "json")
    check(name, found.json)
    # The schema is able to refuse.
    for broken in (
        {**found.json, "version": 2},
        {key: value for key, value in found.json.items() if key != "notes"},
        {**found.json, "notes": "none"},
        {**found.json, "unknown": 1},
    ):
        with pytest.raises(jsonschema.ValidationError):
            check(name, broken)


def test_selection(tmp_path: Path) -> None:
    lists, best = tmp_path / "lists.conllu", tmp_path / "best.conllu"
    call("parse", "en", SOURCE, "--kbest", "2", "-o", lists).good()
    found = call("select", lists, REFERENCE, "--rules", "R5", "-o", best, "--format", "json")
    check("select", found.good().json)


def test_further_keys_are_allowed() -> None:
    """Programs that read an output go on to work when keys are added."""
    found = call("tree", "2 1", "--format", "json").good().json
    later = copy.deepcopy(found) | {"colour": "red"}
    jsonschema.Draft202012Validator(read_schema("tree")).validate(later)


def test_names_and_printing() -> None:
    refuses(UsageError, r"unknown schema 'scor' \(did you mean 'score'\?\)", schema_text, "scor")
    command = ("-m", "wordorder.schemas")
    assert python(*command).good().text.split() == schema_names()
    assert python(*command, "score").good().json == read_schema("score")
    wrong = python(*command, "scor")
    assert (wrong.status, wrong.stderr.count("\n")) == (2, 1)
