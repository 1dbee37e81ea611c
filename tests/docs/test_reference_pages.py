"""The reference pages describe every public name and every metric."""

import ast
import re
from pathlib import Path

import pytest

import wordorder as wo
from wordorder.metrics import METRICS, metrics_for

DOCS = Path(__file__).parents[2] / "docs"
SOURCE = DOCS.parent / "src"
PARTS = re.MULTILINE | re.DOTALL
# Versions of lrscore, which its page describes.
PRESETS = [name for name in METRICS.built_in if name.startswith("lr-")]
DESCRIBED = [name for name in METRICS.built_in if name not in PRESETS]
FAMILIES = {
    page.stem: page.read_text("utf-8")
    for page in sorted((DOCS / "metrics").glob("*.md"))
    if page.stem != "index"
}


def test_all_public_names_are_described() -> None:
    page = (DOCS / "reference" / "python.md").read_text("utf-8")
    for name in wo.__all__:
        if name != "__version__":
            assert f"::: wordorder.{name}\n" in page, name


def test_all_metrics_are_described() -> None:
    page = (DOCS / "reference" / "metrics.md").read_text("utf-8")
    for place in METRICS.built_in.values():
        assert f"::: {place.replace(':', '.')}\n" in page, place


@pytest.mark.parametrize("name", DESCRIBED)
def test_metrics_have_a_section_on_the_page_of_their_family(name: str) -> None:
    (family,) = [
        page
        for page, text in FAMILIES.items()
        if re.search(rf"^##+ {name}: .* {{#{name}}}$", text, re.M)
    ]
    assert re.search(rf"^\| \[`{name}`\]\(#{name}\)", FAMILIES[family], re.M), "no row in the table"
    if name != "mix":
        assert f"({family}.md#{name})" in (DOCS / "metrics" / "index.md").read_text("utf-8")


def test_presets_stand_beside_their_metric() -> None:
    for name in PRESETS:
        assert f"| `{name}` |" in FAMILIES["mixes"], name


@pytest.mark.parametrize("name", metrics_for({"permutation"}))
def test_pages_of_order_metrics_say_what_short_sentences_score(name: str) -> None:
    (table,) = [
        rows
        for text in FAMILIES.values()
        for rows in re.findall(r"^\| words \|.*\n\|[-|]+\|\n(?:\|.*\n)+", text, re.M)
        if f"`{name}`" in rows
    ]
    head, _, *lines = [
        [cell.strip() for cell in row[1:-1].split("|")] for row in table.splitlines()
    ]
    shown = {cells[0]: cells[head.index(f"`{name}`")] for cells in lines}
    expected = {}
    rows = {"0": [], "1": [0], "2, in order": [0, 1], "2, inverted": [1, 0]}
    for label, row in rows.items():
        segments = wo.Segments.from_permutations([row])
        values = []
        for degenerate in ("standard", "beer"):
            score = wo.metric(name, degenerate=degenerate).corpus_score(segments)
            values.append("left out" if score.skipped else f"{score.value:g}")
        expected[label] = ", ".join(values)
    assert shown == expected


def test_metrics_without_direction_are_named_in_a_warning() -> None:
    inverted = wo.Segments.from_permutations([[4, 3, 2, 1, 0]])
    page = FAMILIES["permutation-trees"]
    warning = page[
        page.index('!!! warning "An inverted sentence gets 1.0"') : page.index("| metric")
    ]
    blind = [
        name
        for name in metrics_for({"permutation"})
        if wo.metric(name).segment_scores(inverted).tolist() == [1.0]
    ]
    assert sorted(blind) == ["maxop", "pet", "pets"]
    assert all(f"`{name}`" in warning for name in blind)


def test_docstrings_describe_parameters_that_are_in_the_signature() -> None:
    """Where one is not, the site is not built: its tools warn, and each warning counts."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.FunctionDef):
                continue
            section = re.search(
                r"^Parameters\n-+\n(.*?)(?=\n\n\S+\n-+$|\Z)", ast.get_docstring(node) or "", PARTS
            )
            taken = node.args
            names = {each.arg for each in [*taken.posonlyargs, *taken.args, *taken.kwonlyargs]}
            names |= {each.arg for each in (taken.vararg, taken.kwarg) if each is not None}
            described = re.findall(r"^(\S.*?)(?: :.*)?$", section[1], re.M) if section else []
            wrong += [
                f"{path.name}:{node.lineno}: {name}"
                for names_of_line in described
                for name in names_of_line.split(", ")
                if name.lstrip("*") not in names
            ]
    assert not wrong
