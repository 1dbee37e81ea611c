"""Parsers and taggers trained and tried on UD English EWT, beside those of others.

    python benchmarks/parsers.py --only greedy beam-8 pipeline

Words are the gold ones, punctuation and whole labels (nsubj:pass) count, on one thread. UDPipe,
spaCy and nltk take part where they are installed. Training everything takes hours of CPU, of which
UDPipe and the beam of 64 take most. Models are kept in WORDORDER_MODELS, or nowhere.

Parsers that no Python package brings are not run; what they reached on the same test part was
measured once, or published, and is kept with our figures as "quoted".
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

from measuring import Report, benchmark, main

PACKAGES = {"nltk-tnt": "nltk", "spacy": "spacy", "udpipe": "ufal.udpipe"}

# A row for each figure: the step of `parser_steps.STEPS`, the figure's name, its place in what the
# step finds, its unit, what is asked of it, and what others reached.
FIGURES = """
greedy train | an epoch | cpu_an_epoch | CPU-s
greedy try | gold tags | gold.las | % LAS | >= 84.5 | MaltParser 83.1; Yara 82.2
greedy try | one root | gold.one_root | % | >= 100 | MaltParser 97.4; Yara 95.5
greedy try | speed | gold.rate | sentences/s | >= 8000 | UDPipe 3220; MaltParser 1600; Yara 1170
beam-8 train | an epoch | cpu_an_epoch | CPU-s | <= 20 | ZPar 62; Yara 75
beam-8 train | memory to train | megabytes | MB | <= 600 | ZPar 880; Yara 1660
beam-8 try | gold tags | gold.las | % LAS | >= 87.3 | ZPar, 5 epochs 86.6; \
Yara, 2 epochs 84.1; UDPipe 1.2, published 86.2
beam-8 try | one root | gold.one_root | % | >= 100 | ZPar 99.9
beam-8 try | speed | gold.rate | sentences/s | >= 1200 | ZPar 410; Yara 380
beam-8 try | memory to parse | megabytes | MB | <= 150 | ZPar 864; Yara 709
beam-8 lists | best of 8 | eight.oracle_las | % LAS | >= 91 | ZPar 90.35
beam-8 lists | lists of 8 | eight.rate | sentences/s
beam-8 lists | lists of 512 | long.rate | sentences/s | >= 20
beam-8 wide | gold tags, searched with a beam of 64 | gold.las | % LAS
beam-8 wide | speed with a beam of 64 | gold.rate | sentences/s | | ZPar 26
beam-64 train | an epoch | cpu_an_epoch | CPU-s | | ZPar 304
beam-64 try | gold tags | gold.las | % LAS | >= 88 | ZPar, 1 epoch 83.5
graph train | an epoch | cpu_an_epoch | CPU-s
graph train | memory | megabytes | MB
graph try | gold tags | gold.las | % LAS | >= 82
graph try | one root | gold.one_root | % | >= 100
graph try | speed | gold.rate | sentences/s
graph try | best of 8 | eight.oracle_las | % LAS
graph try | lists of 8 | eight.rate | sentences/s | >= 200
tnt try | tags | xpos | % XPOS | >= 92.5
tnt try | speed | words_a_second | words/s
pipeline train | memory to train | megabytes | MB | <= 600
pipeline try | tags | tagger.xpos | % XPOS | >= 94.5 | UDPipe 1.2, published 93.9
pipeline try | speed of the tagger | tagger.words_a_second | words/s
pipeline try | own tags | own.las | % LAS | >= 80 | ZPar on tags of TnT 78.1; \
UDPipe 1.2, published 81.1
pipeline try | speed, tagged and parsed | own.rate | sentences/s
pipeline try | memory to parse | megabytes | MB | <= 150
nltk-tnt try | tags | xpos | % XPOS
nltk-tnt try | speed | words_a_second | words/s
spacy train | all training | cpu | CPU-s
spacy train | memory | megabytes | MB
spacy try | own tags | own.las | % LAS
spacy try | tags | own.xpos | % XPOS
spacy try | speed, tagged and parsed | own.rate | sentences/s
spacy try | memory to parse | megabytes | MB
udpipe train | an epoch | cpu_an_epoch | CPU-s
udpipe train | memory | megabytes | MB
udpipe try | gold tags | gold.las | % LAS
udpipe try | gold tags, greedy | gold_greedy.las | % LAS
udpipe try | own tags | own.las | % LAS
udpipe try | tags | own.xpos | % XPOS
udpipe try | one root | gold.one_root | %
udpipe try | speed | gold.rate | sentences/s
udpipe try | speed, greedy | gold_greedy.rate | sentences/s
udpipe try | memory to parse | megabytes | MB
"""


@benchmark("parsing kernels", regular=False, needs="ud-english-ewt")
def parsers(report: Report) -> None:
    """Run each step in a process of its own, and add its figures."""
    rows = [[cell.strip() for cell in row.split("|")] for row in FIGURES.strip().split("\n")]
    steps = list(dict.fromkeys(row[0] for row in rows))
    with tempfile.TemporaryDirectory() as scratch:
        models = Path(os.environ.get("WORDORDER_MODELS", scratch))
        for step in steps:
            system = step.split(" ")[0]
            package = PACKAGES.get(system)
            if report.only and system not in report.only:
                continue
            if package and importlib.util.find_spec(package) is None:
                print(f"{system}: {package} is not installed")
                continue
            found = run(step, report.data, models, report.quick)
            # Everything that the step found is kept with its first figure.
            rest: dict[str, Any] = {"found": found}
            for _, name, place, unit, *more in (row for row in rows if row[0] == step):
                asked, quoted = (*more, "", "")[:2]
                details = {**({"quoted": read_quoted(quoted)} if quoted else {}), **rest}
                bounds: dict[str, Any] = {}
                # A sample of the treebank is not what is asked about.
                if asked and not report.quick:
                    bounds["at_least" if asked[0] == ">" else "at_most"] = float(asked[2:])
                value = value_at(found, place)
                report.add(f"{system}: {name}", value, unit, **bounds, **details)
                rest = {}


def read_quoted(text: str) -> dict[str, float]:
    """Return what others reached: the last word of each part is the value."""
    pairs = (part.strip().rpartition(" ") for part in text.split(";"))
    return {name: float(value) for name, _, value in pairs}


def value_at(found: Any, place: str) -> Any:
    """Return the value at a path of keys."""
    for key in place.split("."):
        found = found[key]
    return found


def run(step: str, folder: Path, models: Path, quick: bool) -> dict[str, Any]:
    """Run a step in a process of its own, so that the peak memory is its own."""
    script = Path(__file__).with_name("parser_steps.py")
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


if __name__ == "__main__":
    main(__doc__)
