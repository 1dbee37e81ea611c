#!/usr/bin/env python3
"""Packages of models for five languages, as `make models` makes them, and how good they are.

    python -m papers.learned_orders.language_models DATA --cache SCRATCH

DATA holds ud-other, a folder for each language with the train and the dev part of one treebank of
Universal Dependencies. Models have at most 11.5 MB. SCRATCH keeps what is made, so that a run that
was stopped goes on. Takes four minutes on one core.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from papers.keeping import arguments_of, keep

MODELS = Path(__file__).resolve().parents[2] / "tools" / "models.py"
LANGUAGES = ("el", "fr", "hu", "ko", "tr")
MEGABYTES = 11.5


def markdown(results: dict[str, Any]) -> str:
    """Write the table."""
    lines = [
        "# Models for five languages",
        "",
        f"Trained on the train part of one UD treebank each, cut to {MEGABYTES} MB and scored on",
        "the dev part by their own tags. *Lost*: points of LAS that the cut model has less than",
        "the whole one. Seconds of CPU: training, cutting and scoring.",
        "",
        "| language | sentences | UPOS | LAS | lost | wheel, MB | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for language, of in results["models"].items():
        lines.append(
            f"| {language} | {of['sentences']:,} | {of['UPOS']} | {of['LAS']} | {of['loss']:.2f} "
            f"| {of['MB']} | {of['seconds']} |"
        )
    return "\n".join([*lines, "", results["made"], ""])


def main() -> None:
    """Make the packages and keep their table."""
    given = arguments_of(__doc__)
    started = time.process_time()
    with tempfile.TemporaryDirectory() as scratch:
        output = Path(given.cache or scratch)
        for language in LANGUAGES:
            subprocess.run(
                [
                    *(sys.executable, str(MODELS), str(given.data / "ud-other" / language)),
                    *("--output", str(output), "--size", str(MEGABYTES)),
                ],
                check=True,
            )
        models = json.loads((output / "models.json").read_text("utf-8"))
    keep(given.output, "language_models", {"models": models}, markdown, started)


if __name__ == "__main__":
    main()
