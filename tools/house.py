#!/usr/bin/env python3
"""How large the package is, and how much of it one command needs.

    python tools/house.py

Prints files, lines of code (without docstrings, comments and blank lines), the share of them that
are imports (kernels left out: they import nothing), circles of imports (those inside functions
too), options of all commands, and for some commands the files that they import and those in which
a function runs.
"""

from __future__ import annotations

import ast
import io
import os
import subprocess
import sys
import tempfile
import tokenize
from pathlib import Path

import click

ROOT = Path(__file__).parents[1] / "src" / "wordorder"
ENJA = ROOT / "samples" / "enja"
JUDGED = ROOT / "samples" / "judged"
TEXTS = [str(JUDGED / f"{name}.en") for name in ("reference", "alder", "birch")]
COMMANDS = {
    "score, a text": ["score", TEXTS[0], "-i", TEXTS[1], "-m", "cder"],
    "analyze, two translations": ["analyze", TEXTS[0], "-i", *TEXTS[1:]],
    "correlate --html": ["correlate", str(JUDGED / "judged.toml"), "--html", "page.html"],
    "align": ["align", TEXTS[0], TEXTS[1]],
    "train order": [
        *("train", "order", str(ENJA / "trees.conllu"), str(ENJA / "alignments.talbot")),
        *("--alignment-format", "talbot", "-o", "model.safetensors"),
    ],
    "train translation": ["train", "translation", *TEXTS[1:], "-o", "translation.safetensors"],
    "translate": ["translate", "translation.safetensors", TEXTS[1]],
}
# Prints how many files of the package are imported, and how many have a function that ran.
TRACED = """
import sys, threading
ran = set()
def traced(frame, event, argument, optimized=1):
    # The body of a class runs too, but has no variables of its own in slots.
    if event == "call" and frame.f_code.co_flags & optimized:
        ran.add(frame.f_code.co_filename)
threading.setprofile(traced)
sys.setprofile(traced)
from wordorder.cli import main
try:
    main()
except SystemExit as left:
    status = left.code
finally:
    sys.setprofile(None)
import wordorder
root = wordorder.__path__[0]
ours = [m for n, m in sys.modules.items() if n.split(".")[0] == "wordorder"]
ours = {m.__file__ for m in ours if getattr(m, "__file__", None)}
at_work = {name for name in ran if name.startswith(root)}
sys.stderr.write(f"\\n{status or 0} {len(ours)} {len(at_work)}\\n")
"""


def code_lines(text: str) -> tuple[int, int]:
    """Return how many lines are code, and how many of these are imports."""
    tree = ast.parse(text)
    docstrings: set[int] = set()
    imports: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            imports.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docstrings.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    code: set[int] = set()
    blank = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in blank | {tokenize.ENDMARKER}:
            code.update(range(token.start[0], token.end[0] + 1))
    return len(code - docstrings), len(imports & (code - docstrings))


def imported(paths: dict[str, Path]) -> dict[str, set[str]]:
    """Return what each module imports of ours, inside functions too."""
    found = {}
    for name, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        typing = {
            id(each)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
            for each in ast.walk(node)
        }
        needs = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in typing:
                for alias in node.names:
                    inner = f"{node.module}.{alias.name}"
                    needs.add(inner if inner in paths else node.module)
        found[name] = (needs & set(paths)) - {name}
    return found


def circles(graph: dict[str, set[str]]) -> list[set[str]]:
    """Return the sets of modules that import each other."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen: set[str] = set()
        todo = list(graph[start])
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += graph[name]
        reached[start] = seen
    found: list[set[str]] = []
    for name, seen in reached.items():
        if name in seen:
            circle = {other for other in seen if name in reached[other]}
            if circle not in found:
                found.append(circle)
    return found


def options() -> tuple[int, int]:
    """Return how many options all commands have together, and how many settings (-O)."""
    from wordorder.cli.command import Setting
    from wordorder.cli.program import COMMAND_SUMMARIES, import_command

    todo: list[click.Command] = [import_command(name) for name in COMMAND_SUMMARIES]
    count = settings = 0
    while todo:
        command = todo.pop()
        for each in command.params:
            settings += isinstance(each, Setting)
            count += isinstance(each, click.Option) and not isinstance(each, Setting)
        if isinstance(command, click.Group):
            todo += command.commands.values()
    return count, settings


def main() -> None:
    """Print the figures."""
    paths = {
        ".".join(["wordorder", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(
            ".__init__"
        ): path
        for path in sorted(ROOT.rglob("*.py"))
    }
    counted = {path: code_lines(path.read_text(encoding="utf-8")) for path in paths.values()}
    upper = [path for path in counted if path.relative_to(ROOT).parts[0] != "kernels"]
    lines = sum(counted[path][0] for path in upper)
    imports = sum(counted[path][1] for path in upper)
    print("files", len(paths))
    print("lines of code", sum(code for code, _ in counted.values()))
    print(f"imports, kernels left out: {imports} of {lines} lines, {imports / lines:.1%}")
    print("circles", len(circles(imported(paths))))
    print("options {}, and settings for -O {}".format(*options()))
    with tempfile.TemporaryDirectory() as folder:
        for name, command in COMMANDS.items():
            done = subprocess.run(
                [sys.executable, "-c", TRACED, *command],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(ROOT.parent)},
                capture_output=True,
                text=True,
                check=True,
            )
            status, loaded, at_work = done.stderr.splitlines()[-1].split()
            if status != "0":
                raise SystemExit(f"{name}: {done.stderr}")
            print(f"{name}: {loaded} files imported, {at_work} at work")


if __name__ == "__main__":
    main()
