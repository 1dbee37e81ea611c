"""Names are the field's nouns: no pronouns, prepositions or bare participles.

The words of the code are in `docs/architecture.md`.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import wordorder

ROOT = Path(wordorder.__file__).parent

# Words that do not say what a value is.
VAGUE = set(
    "each found given said told asked spelt spoken lacking beside together own kept held shown "
    "drawn made taken moved wanted named listed placed tried whole others rest more behind before "
    "everybody somebody anything nothing many few some most at what where other one theirs ours "
    "known left worth".split()
)

# Names that stay, by file and name, with the reason.
EXCEPTIONS = {
    ("people/exports.py", "what"): "parameter of the public `export`, called as its option --what",
    ("report/analysis_records.py", "shown"): "key of the JSON of `analyze`",
}

# Vague names that rooms still have; a number only goes down.
STILL = {
    "alignment": 4,
    "analysis": 65,
    "arrays.py": 1,
    "cli": 0,
    "drawing": 2,
    "errors.py": 4,
    "front.py": 3,
    "judgement": 224,
    "messages.py": 3,
    "metrics": 7,
    "options.py": 1,
    "order": 7,
    "parsing": 25,
    "records.py": 1,
    "reordering": 16,
    "report": 60,
    "scale": 6,
    "scoring": 20,
    "segments": 9,
    "statistics": 11,
    "training": 8,
    "translation": 4,
    "treebank": 7,
}


def names(path: Path) -> Iterator[tuple[str, int]]:
    """Yield the names that a file binds: variables, parameters, functions and classes."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, node.lineno


def vague_names(path: Path) -> list[str]:
    """Return the vague names of a file, with their lines."""
    file = path.relative_to(ROOT).as_posix()
    return [
        f"{file}:{line} {name}"
        for name, line in names(path)
        if name.strip("_").lower() in VAGUE and (file, name) not in EXCEPTIONS
    ]


def room(path: Path) -> str:
    """Return the folder of the package that has a file, or the file itself."""
    return path.relative_to(ROOT).parts[0]


@pytest.mark.parametrize("folder", sorted({room(path) for path in ROOT.rglob("*.py")}))
def test_names_say_what_they_are(folder: str) -> None:
    paths = [ROOT / folder] if folder.endswith(".py") else (ROOT / folder).rglob("*.py")
    vague = [name for path in sorted(paths) for name in vague_names(path)]
    assert len(vague) <= STILL.get(folder, 0), "\n".join(vague)


def test_exceptions_are_needed() -> None:
    bound: Counter[tuple[str, str]] = Counter()
    for path in ROOT.rglob("*.py"):
        file = path.relative_to(ROOT).as_posix()
        bound.update((file, name) for name, _ in names(path))
    assert [key for key in EXCEPTIONS if key not in bound] == []
