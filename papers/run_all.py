#!/usr/bin/env python3
"""Run the experiments whose results are kept, or say which results are stale.

    python -m papers.run_all                        # what is kept, and by what it was made
    python -m papers.run_all DATA --cache WORK      # run those that are stale
    python -m papers.run_all DATA --cache WORK leusch_2006 questions

A result is stale when it does not name its commit; when a part of the package that it rests on
computes something else than then (`parts.py`); or when what its script runs, here and in the
modules beside it, has changed since in more than `AS_BEFORE` knows of. DATA is the folder of
corpora (or WORDORDER_DATA says where it is); WORK keeps scores, models and translations for the
next run. A stop loses one experiment; some take hours.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from papers.parts import RESTS_ON, fingerprint

ROOT = Path(__file__).resolve().parents[1]
# The scripts and the modules beside them, by name; each name is there once.
MODULES = {
    path.stem: path.relative_to(ROOT)
    for folder in ("papers", "tools/shipped")
    for path in (ROOT / folder).rglob("*.py")
    if path.stem != "__init__"
}
# The script, with options where it has several experiments; its arguments; the results that it
# keeps.
EXPERIMENTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "birch_osborne_2011": ("{data} --cache {work}", ("birch_osborne_2011",)),
    "leusch_2006": ("{data} --cache {work}", ("leusch_2006",)),
    "stanojevic_simaan_2016": ("{data} --cache {work}", ("stanojevic_simaan_2016",)),
    "talbot_2011_tables": ("{data}", ("talbot_2011_tables",)),
    "further_findings": ("{data}", ("further_findings",)),
    "list_lengths": ("{data} {work}", ("list_lengths",)),
    "people_en_ja": ("{data}", ("people_en_ja",)),
    "trained_costs": ("{data} --cache {work}", ("trained_costs",)),
    "talbot_rules": ("{data} --models {work}", ("talbot_rules",)),
    "printed_rules": ("{data}", ("printed_rules",)),
    "rules_by_language": ("{data}", ("rules_by_language",)),
    "talbot_readings": ("{data}", ("talbot_readings",)),
    "talbot_table_5": ("{data} --cache {work}", ("talbot_table_5",)),
    "talbot_table_5_parsers": ("{data} --cache {work}", ("talbot_table_5_parsers",)),
    "order_today": ("{data} --cache {work}", ("order_today",)),
    "tests_of_two_metrics": ("", ("tests_of_two_metrics",)),
    "bucket_bootstrap": ("", ("bucket_bootstrap",)),
    "tag_sequences": ("{data}", ("tag_sequences",)),
    "talbot_parsers": ("{data} {work}", ("talbot_parsers",)),
    "self_training_by_hand": ("{data} {work}", ("self_training_by_hand",)),
    "questions": ("{data} {work}", ("questions",)),
    "verb_readings": ("{data} {work}", ("verb_readings",)),
    "augmented_epochs": ("{data} {work}", ("augmented_epochs",)),
    "augmented_arc_length": ("{data} {work}", ("augmented_arc_length",)),
    "augmented_arc_length --algorithm graph": ("{data} {work}", ("augmented_arc_length_graph",)),
    "augmented_order": ("{data} {work}", ("augmented_order",)),
    "augmented_order --algorithm graph": ("{data} {work}", ("augmented_order_graph",)),
    "augmented_order --references automatic": ("{data} {work}", ("augmented_order_automatic",)),
    "augmented_root": ("{data} {work}", ("augmented_root",)),
    "augmented_root --algorithm graph": ("{data} {work}", ("augmented_root_graph",)),
    "learned_rules": ("", ("learned_rules",)),
    "learned_order": ("{data} --cache {work}", ("learned_order",)),
    "language_models": ("{data} --cache {work}", ("language_models",)),
    "language_pairs": ("{data} --cache {work}", ("language_pairs",)),
    "link_calibration": ("{data}", ("link_calibration",)),
    "cheats": ("", ("cheats",)),
    "units": ("{data}", ("units",)),
    "null_findings": ("{data}", ("null_findings",)),
    "planted_differences": ("{data}", ("planted_differences",)),
    "judged_findings": ("{data}", ("judged_findings",)),
    "bo07_mert": ("{data}", ("bo07_mert",)),
    "moses_mert": ("{data}", ("moses_mert",)),
    "translation_loop": ("{data} --cache {work}", ("translation_loop",)),
    "translation_loop_reordering": (
        "{data} --cache {work}",
        ("translation_loop_reordering",),
    ),
}
# The last commit of scripts since which a result is the same: what changed before were types,
# arguments, notes and paths, or was not yet committed when the script ran.
AS_BEFORE = {
    "augmented_arc_length": "68879e14",
    "augmented_epochs": "36f3fab2",
    "augmented_order": "68879e14",
    "augmented_root": "68879e14",
    "birch_osborne_2011": "68879e14",
    "bo07_mert": "68879e14",
    "bucket_bootstrap": "2e803612",
    "cheats": "68879e14",
    "judged_findings": "68879e14",
    "language_models": "68879e14",
    "language_pairs": "68879e14",
    "learned_model": "68879e14",
    "learned_rules": "68879e14",
    "leusch_2006": "68879e14",
    "make_learned_rules": "68879e14",
    "moses_mert": "68879e14",
    "order_today": "68879e14",
    "questions": "68879e14",
    "self_training_by_hand": "68879e14",
    "stanojevic_simaan_2016": "68879e14",
    "talbot_parsers": "68879e14",
    "talbot_rules": "68879e14",
    "talbot_table_5": "3b47bfe1",
    "trained_costs": "68879e14",
    "translation_loop": "1eb2ca0a",
    "translation_loop_reordering": "1eb2ca0a",
    "units": "68879e14",
    "verb_readings": "68879e14",
}
# Of how results are kept only these make numbers.
HOW_KEPT = {"keeping": ("compared",), "parts": ()}
# Results that come with a model or rules of the package, or need a file that is not in DATA.
APART = {
    "bracket_heads": ("bracket_heads",),
    "english_model": ("english_model",),
    "learned_model": ("learned_model",),
    "make_learned_rules": ("learned_en_ja",),
}


def kept_path(result: str) -> Path | None:
    """Return the file of a kept result, which stands beside its script."""
    folders = {ROOT / path.parent for path in MODULES.values()}
    return next((path for folder in folders if (path := folder / f"{result}.json").exists()), None)


def made_of(result: str) -> tuple[str, str, str]:
    """Return day, version and commit of a result; a dash where it does not say."""
    path = kept_path(result)
    if path is None:
        return "-", "-", "-"
    found = json.loads(path.read_text("utf-8"))
    versions = found.get("versions", {})
    return (
        found.get("date", "-"),
        versions.get("wordorder", found.get("wordorder", "-")),
        versions.get("commit", "-"),
    )


def stale(script: str, result: str) -> str:
    """Say why a result is stale; empty when it is not."""
    script, _, _ = script.partition(" ")
    _, version, commit = made_of(result)
    path = kept_path(result)
    if path is None:
        return "not there"
    if commit in ("-", "unknown"):
        return "names no commit" if version != "-" else "names no version"
    parts: dict[str, str] = json.loads(path.read_text("utf-8")).get("rests on", {})
    if set(parts) != set(RESTS_ON[result]):
        return "names not the parts that it rests on"
    if other := [part for part, before in parts.items() if fingerprint(part) != before]:
        return f"computes otherwise now: {', '.join(other)}"
    since = AS_BEFORE.get(script, commit.rstrip("+"))
    before = Reached(script, partial(_at, since))
    if not before.found:
        return "its commit is not known here"
    now = Reached(script, _now)
    changed = [name for name in now.found if now.found[name] != before.found.get(name)]
    return f"has changed: {', '.join(changed)}" if changed else ""


def _stem(module: str) -> str:
    return module.rpartition(".")[2]


def _now(module: str) -> str:
    path = MODULES.get(_stem(module))
    return (ROOT / path).read_text("utf-8") if path else ""


@cache
def _at(commit: str, module: str) -> str:
    """Return a module as it was; once all of them were in one folder."""
    stem = _stem(module)
    for path in (MODULES.get(stem), f"experiments/{stem}.py"):
        shown = subprocess.run(
            ["git", "-C", str(ROOT), "show", f"{commit}:{path}"],
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        if not shown.returncode:
            return shown.stdout
    return ""


class Reached:
    """What a script runs, in itself and in the modules beside it.

    Attributes
    ----------
    found : dict of str to str
        What each definition does, by its name, without its text; and the script's own statements.
        Where it stands and what it imports makes no difference: modules may have moved.
    outside : set of str
        The names of the package that these definitions use.
    """

    def __init__(self, script: str, read: Callable[[str], str]) -> None:
        self.read = read
        self.found: dict[str, str] = {}
        self.outside: set[str] = set()
        self._modules: dict[str, tuple[dict[str, ast.stmt], dict[str, tuple[str, str]]]] = {}
        own, _ = self._module(script)
        for name in own:
            self._follow(script, name)

    def _module(self, name: str) -> tuple[dict[str, ast.stmt], dict[str, tuple[str, str]]]:
        """Return the definitions of a module, and what its imports bring."""
        if name not in self._modules:
            defined: dict[str, ast.stmt] = {}
            brought: dict[str, tuple[str, str]] = {}
            for node in ast.parse(self.read(name)).body:
                if isinstance(node, ast.ImportFrom):
                    for each in node.names:
                        brought[each.asname or each.name] = (node.module or "", each.name)
                elif not isinstance(node, ast.Import | ast.Expr):
                    for target in _names_of(node):
                        defined[target] = node
            self._modules[name] = defined, brought
        return self._modules[name]

    def _follow(self, module: str, name: str) -> None:
        """Take a definition, and all that it names."""
        defined, brought = self._module(module)
        if name in brought:
            source, original = brought[name]
            if source.startswith("wordorder"):
                self.outside.add(f"{source}.{original}")
            elif self.read(source) and original in HOW_KEPT.get(_stem(source), (original,)):
                self._follow(source, original)
            return
        if name not in defined or name in self.found:
            return
        node = _Untold().visit(ast.parse(ast.unparse(defined[name])))
        self.found[name] = ast.dump(node)
        for each in ast.walk(node):
            if isinstance(each, ast.Name):
                self._follow(module, each.id)
            elif isinstance(each, ast.Attribute) and ast.unparse(each.value) == "wo":
                self.outside.add(f"wordorder.{each.attr}")


def _names_of(node: ast.stmt) -> list[str]:
    """Return the names that a statement of a module defines; its text if it defines none."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    names = [each for each in ast.walk(node) if isinstance(each, ast.Name)]
    stored = [each.id for each in names if isinstance(each.ctx, ast.Store)]
    return stored or [ast.unparse(node)]


class _Untold(ast.NodeTransformer):
    """Takes away docstrings and annotations."""

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        told = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if told else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)


def table() -> Iterator[str]:
    """Write a line for each result."""
    yield f"{'result':<28} {'day':<11} {'version':<8} {'commit':<10} stale"
    for script, results in {**{s: r for s, (_, r) in EXPERIMENTS.items()}, **APART}.items():
        for result in results:
            day, version, commit = made_of(result)
            why = stale(script, result)
            yield f"{result:<28} {day:<11} {version:<8} {commit:<10} {why}".rstrip()


def run(name: str, data: Path, work: Path) -> None:
    """Run one experiment in a process, and in the scratch folder of its script."""
    script, *options = name.split()
    arguments = EXPERIMENTS[name][0].format(data=data, work=work / script).split() + options
    (work / script).mkdir(parents=True, exist_ok=True)
    print(f"\n== {name}", flush=True)
    subprocess.run(
        [sys.executable, "-m", ".".join(MODULES[script].with_suffix("").parts), *arguments],
        cwd=ROOT,
        env=os.environ | {"WORDORDER_DATA": str(data)},
        check=True,
    )


def main(given: Sequence[str] | None = None) -> None:
    """Run experiments, or list what is kept."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    data = os.environ.get("WORDORDER_DATA")
    parser.add_argument("data", type=Path, nargs="?", default=data, help="the folder of corpora")
    parser.add_argument("names", nargs="*", metavar="NAME", help="instead of those that are stale")
    parser.add_argument("--cache", type=Path, help="where scores and models are kept")
    options = parser.parse_args(given)
    if options.cache is None:
        print("\n".join(table()))
        return
    if options.data is None:
        parser.error("give the folder of corpora, or set WORDORDER_DATA")
    if unknown := [name for name in options.names if name not in EXPERIMENTS]:
        parser.error(f"no experiment {unknown[0]!r}; there are {', '.join(EXPERIMENTS)}")
    wanted = options.names or [
        script
        for script, (_, results) in EXPERIMENTS.items()
        if any(stale(script, result) for result in results)
    ]
    for script in wanted:
        run(script, Path(options.data), options.cache)


if __name__ == "__main__":
    main()
