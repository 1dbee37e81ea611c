#!/usr/bin/env python3
"""Make a package with a model for each language that a folder of UD treebanks has.

    python tools/models.py FOLDER --output dist/models

FOLDER holds UD treebanks as they are released, ``UD_French-Sequoia/fr_sequoia-ud-train.conllu``, or
folders named by language with ``train.conllu``; compressed or not. Of a language with several the
largest is taken. What was made is kept: run again, it goes on with the next language, and with the
epoch at which a training was stopped. One table says how good the models are, on the dev parts.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordorder import __version__
from wordorder.errors import WordOrderError
from wordorder.parsing.training.packages import MEGABYTES, write_package
from wordorder.parsing.training.recipes import ParserOptions
from wordorder.parsing.training.train_files import train_parser_files
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.text.output import write_output

TRAIN = re.compile(r"(?:(?P<code>[a-z]{2,3})_\w+-ud-)?train\.conllu(?:\.gz|\.xz|\.bz2|\.zst)?")
COLUMNS = ("sentences", "TOKENS", "UPOS", "XPOS", "UAS", "LAS", "loss", "MB", "seconds")


@dataclass(frozen=True)
class Source:
    """The treebank that a model is made of."""

    language: str
    train: Path
    dev: Path | None
    licence: str | None

    @property
    def key(self) -> str:
        """What a result is kept by: another file or version is trained on again."""
        return f"{self.train.name} {self.train.stat().st_size} {__version__}"


def sources(folder: Path) -> list[Source]:
    """Return the largest treebank of each language."""
    found: dict[str, Source] = {}
    for path in sorted(folder.rglob("*train.conllu*")):
        match = TRAIN.fullmatch(path.name)
        if match is None:
            continue
        language = match["code"] or path.parent.name
        dev = path.with_name(path.name.replace("train.conllu", "dev.conllu"))
        made = Source(language, path, dev if dev.exists() else None, licence_of(path.parent))
        before = found.get(language)
        if before is None or path.stat().st_size > before.train.stat().st_size:
            found[language] = made
    return [found[language] for language in sorted(found)]


def licence_of(folder: Path) -> str | None:
    """Return the licence that the README of a treebank names, as UD writes it."""
    for path in sorted(folder.glob("README*")):
        for line in path.read_text("utf-8", "replace").splitlines():
            if line.startswith("License:"):
                return f"{line.removeprefix('License:').strip()}, trained on {folder.name}"
    return None


def made(source: Source, output: Path, megabytes: float, epochs: int) -> dict[str, Any]:
    """Train a model, write its package, and return what the table has."""
    begin = time.process_time()
    model = output / f"{source.language}.model"
    trained = train_parser_files(
        TrainingFiles(source.train, dev=source.dev),
        TrainingRun(model, licence=source.licence, resume=True),
        ParserOptions(epochs=epochs),
        say=lambda line: print(f"{source.language}: {line}", file=sys.stderr),
    )
    package = write_package(
        model, f"wordorder-{source.language}", output, dev=source.dev, megabytes=megabytes
    )
    model.unlink()
    return {
        "key": source.key,
        "package": os.path.basename(package.path),
        "licence": source.licence,
        "sentences": trained.sentences,
        **package.scores,
        "loss": round(package.loss, 2),
        "MB": round(package.size / 1e6, 1),
        "seconds": round(time.process_time() - begin),
    }


def table(results: dict[str, dict[str, Any]]) -> str:
    """Return the results as a table in Markdown."""
    lines = [f"| language | {' | '.join(COLUMNS)} | licence |", "|---" * (len(COLUMNS) + 2) + "|"]
    for language, row in results.items():
        cells = [str(row.get(name, "")) for name in COLUMNS]
        last = f"not made: {row['error']}" if "error" in row else row["licence"] or "none found"
        lines.append(f"| {language} | {' | '.join(cells)} | {last} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Make what is asked for on the command line."""
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--output", type=Path, default=Path("dist/models"))
    arguments.add_argument("--size", type=float, default=MEGABYTES, help="megabytes of a model")
    arguments.add_argument("--epochs", type=int, default=10)
    given = arguments.parse_args()
    found = sources(given.folder)
    if not found:
        sys.exit(f"{given.folder}: no *-ud-train.conllu, and no folders with train.conllu")
    given.output.mkdir(parents=True, exist_ok=True)
    kept = given.output / "models.json"
    results: dict[str, dict[str, Any]] = json.loads(kept.read_text()) if kept.exists() else {}
    for source in found:
        if results.get(source.language, {}).get("key") == source.key:
            print(f"{source.language}: made before", file=sys.stderr)
            continue
        try:
            row = made(source, given.output, given.size, given.epochs)
        except WordOrderError as error:
            # The other languages are made all the same.
            row = {"error": str(error)}
            print(f"{source.language}: not made: {error}", file=sys.stderr)
        results = dict(sorted({**results, source.language: row}.items()))
        with write_output(kept) as out:
            out.write(json.dumps(results, indent=2, ensure_ascii=False).encode() + b"\n")
        (given.output / "models.md").write_text(table(results), "utf-8")
    print(table(results), end="")
    sys.exit(any("error" in row for row in results.values()))


if __name__ == "__main__":
    main()
