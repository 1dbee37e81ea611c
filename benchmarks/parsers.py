"""Parsers and taggers trained and tried on UD English EWT, beside those of others.

WORDORDER_DATA names a folder with ud-english-ewt/, the three files as en_ewt-ud-*.conllu.gz. Words
are the gold ones, punctuation and whole labels (nsubj:pass) count, on one thread. UDPipe, spaCy and
nltk take part where they are installed. Training everything takes hours of CPU, of which UDPipe and
the beam of 64 take most: --only names the systems to run. Models are kept in WORDORDER_MODELS, or
in a folder that goes away.

Parsers that no Python package brings are not run; what they reached on the same test part was
measured once, or published, and stands with our figures as "quoted".
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from measuring import Report, main

# The steps of each system, in the order of `parser_systems.STEPS`.
SYSTEMS = {
    "greedy": ("train", "try"),
    "beam-8": ("train", "try", "lists", "wide"),
    "beam-64": ("train", "try"),
    "graph": ("train", "try"),
    "tnt": ("try",),
    "pipeline": ("train", "try"),
    "nltk-tnt": ("try",),
    "spacy": ("train", "try"),
    "udpipe": ("train", "try"),
}
PACKAGES = {"nltk-tnt": "nltk", "spacy": "spacy", "udpipe": "ufal.udpipe"}

LAS, XPOS, MB = "% LAS", "% XPOS", "MB"
RATE, TIME = "sentences/s", "CPU-s"
Asked = dict[str, float]

# Which of its findings each step adds, what is asked of it, and what others reached.
FIGURES: dict[str, list[tuple[str, str, str, Asked, dict[str, float]]]] = {
    "greedy train": [("an epoch", "cpu_an_epoch", TIME, {}, {})],
    "greedy try": [
        ("gold tags", "gold.las", LAS, {"at_least": 84.5}, {"MaltParser": 83.1, "Yara": 82.2}),
        ("one root", "gold.one_root", "%", {"at_least": 100}, {"MaltParser": 97.4, "Yara": 95.5}),
        (
            "speed",
            "gold.sentences_a_second",
            RATE,
            {"at_least": 8000},
            {"UDPipe": 3220, "MaltParser": 1600, "Yara": 1170},
        ),
    ],
    "beam-8 train": [
        ("an epoch", "cpu_an_epoch", TIME, {"at_most": 20}, {"ZPar": 62, "Yara": 75}),
        ("memory to train", "megabytes", MB, {"at_most": 600}, {"ZPar": 880, "Yara": 1660}),
    ],
    "beam-8 try": [
        (
            "gold tags",
            "gold.las",
            LAS,
            {"at_least": 87.3},
            {"ZPar, 5 epochs": 86.6, "Yara, 2 epochs": 84.1, "UDPipe 1.2, published": 86.2},
        ),
        ("one root", "gold.one_root", "%", {"at_least": 100}, {"ZPar": 99.9}),
        ("speed", "gold.sentences_a_second", RATE, {"at_least": 1200}, {"ZPar": 410, "Yara": 380}),
        ("memory to parse", "megabytes", MB, {"at_most": 150}, {"ZPar": 864, "Yara": 709}),
    ],
    "beam-8 lists": [
        ("best of 8", "eight.oracle_las", LAS, {"at_least": 91}, {"ZPar": 90.35}),
        ("lists of 8", "eight.sentences_a_second", RATE, {}, {}),
        ("lists of 512", "long.sentences_a_second", RATE, {"at_least": 20}, {}),
    ],
    "beam-8 wide": [
        ("gold tags, searched with a beam of 64", "gold.las", LAS, {}, {}),
        ("speed with a beam of 64", "gold.sentences_a_second", RATE, {}, {"ZPar": 26}),
    ],
    "beam-64 train": [("an epoch", "cpu_an_epoch", TIME, {}, {"ZPar": 304})],
    "beam-64 try": [("gold tags", "gold.las", LAS, {"at_least": 88}, {"ZPar, 1 epoch": 83.5})],
    "graph train": [
        ("an epoch", "cpu_an_epoch", TIME, {}, {}),
        ("memory", "megabytes", MB, {}, {}),
    ],
    "graph try": [
        ("gold tags", "gold.las", LAS, {"at_least": 82}, {}),
        ("one root", "gold.one_root", "%", {"at_least": 100}, {}),
        ("speed", "gold.sentences_a_second", RATE, {}, {}),
        ("best of 8", "eight.oracle_las", LAS, {}, {}),
        ("lists of 8", "eight.sentences_a_second", RATE, {"at_least": 200}, {}),
    ],
    "tnt try": [
        ("tags", "xpos", XPOS, {"at_least": 92.5}, {}),
        ("speed", "words_a_second", "words/s", {}, {}),
    ],
    "pipeline train": [("memory to train", "megabytes", MB, {"at_most": 600}, {})],
    "pipeline try": [
        ("tags", "tagger.xpos", XPOS, {"at_least": 94.5}, {"UDPipe 1.2, published": 93.9}),
        ("speed of the tagger", "tagger.words_a_second", "words/s", {}, {}),
        (
            "own tags",
            "own.las",
            LAS,
            {"at_least": 80},
            {"ZPar on tags of TnT": 78.1, "UDPipe 1.2, published": 81.1},
        ),
        ("speed, tagged and parsed", "own.sentences_a_second", RATE, {}, {}),
        ("memory to parse", "megabytes", MB, {"at_most": 150}, {}),
    ],
    "nltk-tnt try": [
        ("tags", "xpos", XPOS, {}, {}),
        ("speed", "xpos_words_a_second", "words/s", {}, {}),
    ],
    "spacy train": [("all training", "cpu", TIME, {}, {}), ("memory", "megabytes", MB, {}, {})],
    "spacy try": [
        ("own tags", "own.las", LAS, {}, {}),
        ("tags", "own.xpos", XPOS, {}, {}),
        ("speed, tagged and parsed", "own.sentences_a_second", RATE, {}, {}),
        ("memory to parse", "megabytes", MB, {}, {}),
    ],
    "udpipe train": [
        ("an epoch", "cpu_an_epoch", TIME, {}, {}),
        ("memory", "megabytes", MB, {}, {}),
    ],
    "udpipe try": [
        ("gold tags", "gold.las", LAS, {}, {}),
        ("gold tags, greedy", "gold_greedy.las", LAS, {}, {}),
        ("own tags", "own.las", LAS, {}, {}),
        ("tags", "own.xpos", XPOS, {}, {}),
        ("one root", "gold.one_root", "%", {}, {}),
        ("speed", "gold.sentences_a_second", RATE, {}, {}),
        ("speed, greedy", "gold_greedy.sentences_a_second", RATE, {}, {}),
        ("memory to parse", "megabytes", MB, {}, {}),
    ],
}


def benchmark(report: Report) -> None:
    data = os.environ.get("WORDORDER_DATA")
    if data is None:
        print("WORDORDER_DATA is not set: nothing to parse")
        return
    kept = os.environ.get("WORDORDER_MODELS")
    with tempfile.TemporaryDirectory() as scratch:
        models = Path(kept or scratch)
        for system in report.only or SYSTEMS:
            package = PACKAGES.get(system)
            if package and importlib.util.find_spec(package) is None:
                print(f"{system}: {package} is not installed")
                continue
            for step in SYSTEMS[system]:
                found = run(f"{system} {step}", Path(data, "ud-english-ewt"), models, report.quick)
                add(report, f"{system} {step}", found)


def run(step: str, folder: Path, models: Path, quick: bool) -> dict[str, Any]:
    """Run a step in a process of its own; return what it found."""
    script = Path(__file__).with_name("parser_systems.py")
    command = [sys.executable, str(script), step, str(folder), str(models)]
    # One thread for the libraries of others too.
    one = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    done = subprocess.run(
        [*command, "--quick"] if quick else command,
        capture_output=True,
        text=True,
        env={**os.environ, **one},
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{step}: exit {done.returncode}\n{done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def add(report: Report, step: str, found: dict[str, Any]) -> None:
    """Add the figures of one step; everything that it found is kept with the first."""
    system = step.split(" ")[0]
    rest: dict[str, Any] = {"found": found}
    for name, place, unit, asked, quoted in FIGURES[step]:
        value: Any = found
        for key in place.split("."):
            value = value[key]
        details = {**({"quoted": quoted} if quoted else {}), **rest}
        # A sample of the treebank is not what is asked about.
        bounds: dict[str, Any] = {} if report.quick else dict(asked)
        report.add(f"{system}: {name}", value, unit, **bounds, **details)
        rest = {}


if __name__ == "__main__":
    main(__file__, __doc__, benchmark, tuple(SYSTEMS))
