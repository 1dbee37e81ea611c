"""Reading and writing treebanks in CoNLL-U, beside other packages; on one core.

WORDORDER_DATA names a folder with ud-english-ewt/; without it, sentences are made up. `conllu` and
`pyconll` take part where they are installed.
"""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Report, main, measure

from wordorder.kernels._run import set_threads
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank


def benchmark(report: Report) -> None:
    set_threads(1)
    text = sentences(1_000 if report.quick else 12_000)
    with tempfile.TemporaryDirectory() as name:
        source, target = Path(name, "a.conllu"), Path(name, "b.conllu")
        source.write_text(text, encoding="utf-8")
        bank = read_treebank(source)
        report.add_rate(
            "read_treebank",
            bank.words,
            measure(lambda: read_treebank(source)),
            "words/s",
            at_least=500_000,
            peers=rates(readers(), bank, source),
            megabytes=len(text) / 1e6,
        )
        report.add_rate(
            "write_treebank",
            bank.words,
            measure(lambda: write_treebank(target, bank)),
            "words/s",
            peers=rates(writers(source), bank, Path(name, "c.conllu")),
        )
        if target.read_bytes() != source.read_bytes():
            raise RuntimeError("what was written is not what was read")


def rates(
    works: dict[str, Callable[[Path], object]], bank: Treebank, path: Path
) -> dict[str, float]:
    """Return words per CPU second of each."""
    return {
        name: bank.words / measure(lambda work=work: work(path), 1).least_cpu  # type: ignore[misc]
        for name, work in works.items()
    }


def readers() -> dict[str, Callable[[Path], object]]:
    """Return what reads a file, by package."""
    works: dict[str, Callable[[Path], object]] = {"plain Python": python_rows}
    if importlib.util.find_spec("conllu"):
        conllu = importlib.import_module("conllu")
        works["conllu"] = lambda path: conllu.parse(path.read_text(encoding="utf-8"))
    if importlib.util.find_spec("pyconll"):
        pyconll = importlib.import_module("pyconll")
        works["pyconll"] = lambda path: pyconll.load_from_file(str(path))
    return works


def writers(source: Path) -> dict[str, Callable[[Path], object]]:
    """Return what writes a file that was read before, by package."""
    works: dict[str, Callable[[Path], object]] = {}
    read = readers()
    if "conllu" in read:
        parsed: Any = read["conllu"](source)
        works["conllu"] = lambda path: path.write_text(
            "".join(sentence.serialize() for sentence in parsed), encoding="utf-8"
        )
    if "pyconll" in read:
        loaded: Any = read["pyconll"](source)

        def write(path: Path) -> None:
            with path.open("w", encoding="utf-8") as file:
                loaded.write(file)

        works["pyconll"] = write
    return works


def python_rows(path: Path) -> list[list[list[str]]]:
    """Split all lines, check nothing, keep strings: the least that Python can do."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")[:-1]
    return [[line.split("\t") for line in block.split("\n") if line[0] != "#"] for block in blocks]


def sentences(number: int) -> str:
    """Return the training part of EWT, or sentences of made-up words."""
    data = os.environ.get("WORDORDER_DATA")
    if data is not None:
        path = Path(data, "ud-english-ewt", "en_ewt-ud-train.conllu.gz")
        with gzip.open(path, "rt", encoding="utf-8") as file:
            return "\n\n".join(file.read().split("\n\n")[:number]) + "\n\n"
    rng = np.random.default_rng(1)
    blocks = []
    for row in range(number):
        length = int(rng.integers(5, 30))
        kinds = rng.zipf(1.3, length) % 20_000
        lines = [f"# sent_id = s{row}"]
        for place, kind in enumerate(kinds.tolist(), 1):
            tag = f"{kind % 17}\tT{kind % 45}\tCase=C{kind % 5}"
            lines.append(f"{place}\tw{kind}\tl{kind}\tU{tag}\t{place - 1}\td{kind % 40}\t_\t_")
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n\n"


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
