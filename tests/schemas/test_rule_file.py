"""The schema of rule files says what their reader takes, and no more."""

import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import wordorder.reordering
from wordorder.errors import InputError
from wordorder.reordering.conditions import (
    CONDITION_KEYS,
    MAX_ENTRIES,
    MAX_TEXT_LENGTH,
    PATTERN_COLUMNS,
    POSITIONS,
)
from wordorder.reordering.rule_reading import DIRECTIONS, FILE_KEYS, RULE_KEYS, read_rules
from wordorder.reordering.unknown_names import SCHEMES, label_scheme
from wordorder.schemas import read_schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCHEMA = read_schema("rule-file")
PARTS = SCHEMA["definitions"]
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
SETS = sorted(Path(wordorder.reordering.__file__).parent.glob("sets/*.toml"))


def test_the_keys_are_those_of_the_reader() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    assert tuple(SCHEMA["properties"]) == FILE_KEYS
    assert tuple(PARTS["rule"]["properties"]) == RULE_KEYS
    assert set(PARTS["table"]["properties"]) == set(CONDITION_KEYS)
    assert set(PARTS["not"]["properties"]) == set(CONDITION_KEYS) - {"not"}
    assert set(PARTS["word"]["properties"]) == {*PATTERN_COLUMNS, "position"}


def test_the_values_are_those_of_the_reader() -> None:
    assert tuple(SCHEMA["properties"]["scheme"]["enum"]) == SCHEMES
    assert tuple(PARTS["word"]["properties"]["position"]["anyOf"][0]["enum"]) == POSITIONS
    turned = PARTS["entry"]["anyOf"][2]["properties"]["order"]["enum"]
    assert tuple(turned) == tuple(PARTS["weight"]["anyOf"][1]["items"][1]["enum"]) == DIRECTIONS
    one, several = PARTS["texts"]["anyOf"]
    assert (one["maxLength"], several["maxItems"]) == (MAX_TEXT_LENGTH, MAX_ENTRIES)
    labels = {*label_scheme("ud").labels, *label_scheme("sd").labels}
    assert set(PARTS["name"]["anyOf"][0]["enum"]) == {"self", "*", *labels}


@pytest.mark.parametrize("path", SETS, ids=lambda path: path.stem)
def test_built_in_sets_are_valid(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text("utf-8")))


RULE = '[[rule]]\nname = "r"\n'
ORDER = 'order = ["self", "*"'
GOOD = [
    "",
    'name = "a"\nabout = "b"\nscheme = "sd"\nbarriers = ["punct", { upos = "PUNCT" }]\n',
    f'{RULE}head = {{ upos = ["A", "B"], not = {{ child = "obj" }} }}\norder = ["*", "self"]\n',
    f'{RULE}head = ["root", {{ parent = {{ label = "root" }} }}]\n{ORDER}]\n',
    f'{RULE}order = [["obj", "iobj"], {{ equal = ["self", "*"], order = "reverse" }}]\n',
    f'{RULE}weights = {{ obj = 1, self = [-2, "reverse"] }}\nbarriers = []\n',
    f'[classes]\nneg = {{ form = "not", position = "left" }}\n{RULE}order = ["neg", "self", "*"]\n',
]
BAD = [
    *("names = 1\n", "name = 1\n", 'name = "a b"\n', 'scheme = "xd"\n', 'barriers = "punct"\n'),
    *("classes = []\n", RULE, f'{RULE}order = "self"\n', f'{RULE}orders = ["self", "*"]\n'),
    f"{RULE}{ORDER}]\nweights = {{ obj = 1 }}\n",
    f'{RULE}{ORDER}, {{ equal = ["obj"], order = "backward" }}]\n',
    f'{RULE}{ORDER}, {{ equal = ["obj"], turn = "reverse" }}]\n',
    *(f"{RULE}{ORDER}, {entry}]\n" for entry in ("3", '""', '{ pos = "NOUN" }')),
    *(f"{RULE}{ORDER}]\nhead = {{ upos = {value} }}\n" for value in ("3", "[]")),
    f'{RULE}{ORDER}]\nhead = {{ position = "middle" }}\n',
    f'{RULE}{ORDER}]\nhead = {{ not = {{ not = {{ upos = "X" }} }} }}\n',
    f'{RULE}{ORDER}]\nhead = {{ parent = {{ child = "obj" }} }}\n',
    *(f"{RULE}weights = {{ obj = {value} }}\n" for value in ('"1"', '[1, "backward"]')),
]


@pytest.mark.parametrize("text", [*GOOD, *BAD])
def test_reader_and_schema_agree(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text, "utf-8")
    said: Any = tomllib.loads(text)
    valid = VALIDATOR.is_valid(said)
    assert valid == (text in GOOD)
    if valid:
        read_rules(path)
    else:
        with pytest.raises(InputError):
            read_rules(path)
