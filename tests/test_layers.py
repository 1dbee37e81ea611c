"""Who may import whom: the floors of the package, read from its source."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import wordorder

ROOT = Path(wordorder.__file__).parent
MODULES = sorted(ROOT.rglob("*.py"))
NAMES = {path: ".".join(path.relative_to(ROOT).with_suffix("").parts) for path in MODULES}

# Usable from every floor above the kernels.
SHARED = {
    *("errors", "signature", "registry", "messages", "notes", "note_handler", "arrays", "arrow"),
    *("progress", "options", "records", "lazy_names", "_version", "_moved"),
}
# What finds the kernels, and what runs them, and what they see of that.
KERNELS_SEE = {
    "kernels.__init__": ("lazy_names",),
    "kernels._run": ("errors", "messages", "notes", "arrays"),
}
LINES = ("kernels", "text", "alignment", "order", "treebank")
MEASURED = {*LINES, "segments", "statistics", "metrics"}
TREES = ("parsing", "reordering")
# What each floor stands on, besides itself and what is shared.
BELOW: dict[str, set[str]] = {
    "kernels": set(),
    "samples": set(),
    "schemas": {"judgement"},
    "text": {"kernels"},
    "alignment": {"kernels", "text", "drawing"},
    "treebank": {"kernels", "text", "drawing"},
    # Pictures of plain data: what is drawn calls down.
    "drawing": {"kernels", "text"},
    "parsing": {"kernels", "text", "drawing", "treebank"},
    "order": {"kernels", "text", "drawing", "alignment"},
    "reordering": {"kernels", "text", "alignment", "treebank", "order", "parsing"},
    # Sees matrices, knows no metric.
    "statistics": {"kernels"},
    # Of parsing, the words of a model: they tell the language.
    "segments": {"kernels", "text", "drawing", "alignment", "order", "treebank", "parsing"},
    "metrics": {*LINES, "drawing", "segments", "statistics"},
    "scoring": MEASURED,
    # The same work in spans, on engines of others; results are those of the front door.
    "scale": {*MEASURED, *TREES, "scoring", "front"},
    "training": {*MEASURED, *TREES, "scoring", "drawing"},
    # A baseline that shows what an order is worth: it learns, and is tuned with, what is below.
    "translation": {*MEASURED, *TREES, "scoring", "drawing", "training"},
    "judgement": {*MEASURED, "scoring", "drawing"},
    "people": {*MEASURED, "scoring", "drawing", "judgement"},
    "analysis": {*MEASURED, *TREES, "scoring", "drawing"},
    "testing": {
        *("kernels", "alignment", "treebank", "parsing", "order", "reordering"),
        *("segments", "metrics", "training"),
    },
    "report": {
        *(*MEASURED, *TREES, "scoring", "drawing"),
        *("training", "analysis", "judgement", "people", "translation"),
    },
    # In the terms of other tools.
    "integrations": {*MEASURED, *TREES, "scoring"},
    # What `wordorder.score`, `compare` and `analyze` are.
    # Types of what these take.
    "front_types": {"text"},
    "front": {"front_types", "text", "drawing", "statistics", "scoring", "analysis", "report"},
    "__main__": {"cli"},
    "cli": {
        *(*MEASURED, *TREES, "scoring", "drawing", "analysis", "report"),
        *("training", "translation", "judgement", "people", "samples", "scale"),
    },
}


def floor(name: str) -> str:
    """Return the part of the package that a module, named without ``wordorder.``, belongs to."""
    return name.split(".")[0]


@cache
def import_nodes(source: str) -> list[ast.Import | ast.ImportFrom]:
    """Return the imports of a module, inside functions too; most are looked at several times."""
    found: list[ast.Import | ast.ImportFrom] = []
    left: list[ast.AST] = [ast.parse(source)]
    while left:
        node = left.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        # Expressions, most of a module, import nothing.
        inside = (ast.stmt, ast.ExceptHandler, ast.match_case)
        left += [each for each in ast.iter_child_nodes(node) if isinstance(each, inside)]
    return found


def imports(source: str) -> Iterator[str]:
    """Yield what a module imports of ours."""
    for node in import_nodes(source):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "wordorder":
                    yield alias.name.removeprefix("wordorder").removeprefix(".")
        else:
            assert node.level == 0, "relative import"
            module = node.module or ""
            if module == "wordorder":
                yield from (alias.name for alias in node.names)
            elif module.startswith("wordorder."):
                yield module.removeprefix("wordorder.")


def faults(name: str, source: str) -> list[str]:
    """Return what a module called `name` imports and may not."""
    upwards = []
    home = floor(name)
    for imported in imports(source):
        there = floor(imported)
        if home in SHARED:
            right = there in SHARED
        elif home == "kernels":
            right = there == "kernels" or there in KERNELS_SEE.get(name, ())
        else:
            right = there == home or there in SHARED or there in BELOW[home]
        if not right:
            upwards.append(f"{name} imports {imported}")
    return upwards


def test_imports_go_down() -> None:
    below = [path for path in MODULES if path != ROOT / "__init__.py"]
    assert [fault for path in below for fault in faults(NAMES[path], path.read_text())] == []


def test_a_kernel_imports_nothing_of_ours() -> None:
    """Only what finds and runs the kernels knows the package; a kernel knows only numbers."""
    for path in MODULES:
        if floor(NAMES[path]) == "kernels" and path.stem not in ("__init__", "_run"):
            assert list(imports(path.read_text())) == [], path


def uses(name: str, source: str, known: set[str]) -> set[str]:
    """Return the modules that a module called `name` imports, wherever it does."""
    found = set()
    for node in import_nodes(source):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        else:
            # A name of a package may be that of a module.
            named = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module for module in named if module.removeprefix("wordorder.") in known}
            found |= {node.module or ""} if len(found & named) < len(named) else set()
    return {module.removeprefix("wordorder.") for module in found} & known - {name}


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules of a circle, in the order in which they import each other, or none."""
    done: set[str] = set()
    for first in graph:
        way, left = [first], [sorted(graph[first])]
        while way:
            if way[-1] in done or not left[-1]:
                done.add(way.pop())
                left.pop()
            elif (there := left[-1].pop()) in way:
                return way[way.index(there) :]
            elif there not in done:
                way.append(there)
                left.append(sorted(graph[there]))
    return []


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Inside functions and for types neither."""
    names = {NAMES[path].removesuffix(".__init__"): path for path in MODULES}
    # The package itself names what is below it, for the user.
    del names["__init__"]
    known = set(names)
    assert circle({name: uses(name, path.read_text(), known) for name, path in names.items()}) == []


# Pairs of folders that import each other, a folder and one inside it included. This list only
# gets shorter.
MUTUAL: list[tuple[str, str]] = []


def folder_graph(graph: dict[str, set[str]], folders: set[str]) -> dict[str, set[str]]:
    """Return which folders import which; files of the package's own folder are left out."""

    def folder(name: str) -> str:
        return name if name in folders else name.rpartition(".")[0]

    edges: dict[str, set[str]] = {name: set() for name in folders}
    for name, imported in graph.items():
        if home := folder(name):
            edges[home] |= {folder(module) for module in imported} - {home, "", "kernels"}
    return edges


def mutual(edges: dict[str, set[str]]) -> list[tuple[str, str]]:
    """Return the pairs of folders that reach each other, also by way of others."""
    reached: dict[str, set[str]] = {}
    for first in edges:
        reached[first], to_visit = set(), [first]
        while to_visit:
            new = edges[to_visit.pop()] - reached[first]
            reached[first] |= new
            to_visit += new
    return sorted(
        (one, two) for one in edges for two in reached[one] if one < two and one in reached[two]
    )


def test_folders_import_in_one_direction() -> None:
    names = {NAMES[path].removesuffix(".__init__"): path for path in MODULES}
    del names["__init__"]
    graph = {name: uses(name, path.read_text(), set(names)) for name, path in names.items()}
    folders = {NAMES[path].removesuffix(".__init__") for path in MODULES if path.parent != ROOT}
    folders = {name for name in folders if (ROOT / name.replace(".", "/")).is_dir()}
    assert mutual(folder_graph(graph, folders)) == MUTUAL


def test_mutual_imports_of_folders_are_found() -> None:
    graph = {
        "text": set(),
        "text.a": {"text.deep.c"},
        "text.deep.b": {"order.d"},
        "text.deep.c": set(),
        "order.d": {"text.a"},
        "signature": {"order.d"},
    }
    edges = folder_graph(graph, {"text", "text.deep", "order"})
    assert edges == {"text": {"text.deep"}, "text.deep": {"order"}, "order": {"text"}}
    assert mutual(edges) == [("order", "text"), ("order", "text.deep"), ("text", "text.deep")]
    assert mutual(edges | {"order": set()}) == []


def test_a_circle_is_found() -> None:
    known = {"text", "text.a", "text.b", "text.c"}
    sources = {
        "text.a": "if TYPE_CHECKING:\n    from wordorder.text.b import B",
        "text.b": "def f():\n    from wordorder.text import c",
        "text.c": "import wordorder.text.a",
    }
    graph = {name: uses(name, source, known) for name, source in sources.items()}
    assert graph == {"text.a": {"text.b"}, "text.b": {"text.c"}, "text.c": {"text.a"}}
    assert circle(graph) == ["text.a", "text.b", "text.c"]
    assert circle(graph | {"text.c": set()}) == []


def test_nothing_is_imported_with_a_star() -> None:
    for path in MODULES:
        for node in import_nodes(path.read_text()):
            assert all(alias.name != "*" for alias in node.names), path


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("text.lines", "import wordorder.order.orders"),
        ("order.orders", "from wordorder.segments import Segments"),
        ("order.orders", "def f():\n    from wordorder.report.scores import score_text"),
        ("order.orders", "class A:\n    def to_svg(self):\n        from wordorder.report import x"),
        ("statistics.rounded_statistics", "from wordorder.order.orders import Orders"),
        ("statistics.rounded_statistics", "if True:\n    from wordorder import metrics"),
        ("kernels.orders", "from wordorder.errors import InputError"),
        ("metrics.frs", "import wordorder.report"),
        ("report.tables", "from wordorder.cli.program import run"),
        ("drawing.arc_svg", "from wordorder.treebank.reading import Tree"),
        ("treebank.column", "from wordorder.parsing.base import Parser"),
        ("segments.columns", "from wordorder.reordering.orders import Rule"),
        ("scoring.scores", "from wordorder.analysis.grid import Grid"),
        ("scoring.scores", "from wordorder.report.scores import score_output"),
        ("training.tuning.mert", "from wordorder.translation.model import TranslationModel"),
        ("errors", "from wordorder.text.lines import tokens"),
        ("arrays", "from wordorder.kernels._run import call"),
    ],
)
def test_an_import_upwards_is_found(name: str, source: str) -> None:
    assert len(faults(name, source)) == 1


@pytest.mark.parametrize(
    "name",
    (
        "wordorder wordorder.analysis wordorder.judgement wordorder.parsing wordorder.scale "
        "wordorder.scoring wordorder.translation wordorder.treebank"
    ).split(),
)
def test_a_lazy_name_is_not_that_of_a_module(name: str) -> None:
    """A module of the same name would take its place as soon as it is imported."""
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert not modules & set(package.__all__)
