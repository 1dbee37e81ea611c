"""The files of rules that the documentation shows are right, and it tells the whole language."""

import re
from pathlib import Path

import pytest

from wordorder.reordering.conditions import CONDITION_KEYS, MAX_ENTRIES, MAX_TEXT_LENGTH, POSITIONS
from wordorder.reordering.rule_reading import FILE_KEYS, RULE_KEYS, read_rules, rule_faults
from wordorder.reordering.unknown_names import SCHEMES
from wordorder.text.toml import MAX_FILE_BYTES, read_toml

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGE = DOCS / "reference" / "rule-files.md"
PAGES = [LANGUAGE, DOCS / "how-to" / "write-rules.md"]
BLOCKS = [
    (page.name, number, block)
    for page in PAGES
    for number, block in enumerate(
        re.findall(r"^```toml\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
    if "entry-points" not in block
]


@pytest.mark.parametrize(("page", "number", "block"), BLOCKS, ids=lambda part: str(part)[:14])
def test_each_file_that_is_shown_is_right(
    page: str, number: int, block: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(block, "utf-8")
    _, faults = rule_faults(read_toml(path))
    assert [fault.what for fault in faults] == []


def test_the_two_notations_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    found = []
    for page, _, block in BLOCKS:
        if page == LANGUAGE.name and "dobj" in block:
            path.write_text(block, "utf-8")
            (rule,) = read_rules(path).rules
            ranks = {each.name: (each.rank, rule.turned[each.rank]) for each in rule.members}
            found.append((rule.head, ranks))
    assert len(found) == 2
    assert found[0] == found[1]


def test_there_are_files_on_both_pages() -> None:
    assert {page for page, _, _ in BLOCKS} == {page.name for page in PAGES}


def test_all_keys_and_names_are_described() -> None:
    page = LANGUAGE.read_text("utf-8")
    for name in (
        *FILE_KEYS,
        *RULE_KEYS,
        *CONDITION_KEYS,
        *POSITIONS,
        *SCHEMES,
        "self",
        "equal",
        "reverse",
    ):
        assert re.search(rf"`[^`\n]*\b{name}\b[^`\n]*`", page), name
    for limit in (MAX_FILE_BYTES, MAX_ENTRIES):
        assert f"{limit:,}" in page
    assert f"{MAX_TEXT_LENGTH} characters" in page
