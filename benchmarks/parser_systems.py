"""One parser or tagger, trained or tried in a process of its own, for `parsers.py`.

    python parser_systems.py STEP FOLDER MODELS [--quick]

prints what it found as JSON, the last line. A process of its own so that the peak memory is that
of this step alone.
"""

from __future__ import annotations

import argparse
import importlib
import json
from collections.abc import Callable
from pathlib import Path

from parsing_task import Figures, Task, peak_megabytes

from wordorder.kernels._run import set_threads

# What each step calls: the module, the function, its arguments, and whose models it uses.
STEPS: dict[str, tuple[str, str, tuple[int, ...], str]] = {
    "greedy train": ("parser_own", "transition_train", (1,), "greedy"),
    "greedy try": ("parser_own", "transition_try", (), "greedy"),
    "beam-8 train": ("parser_own", "transition_train", (8,), "beam-8"),
    "beam-8 try": ("parser_own", "transition_try", (), "beam-8"),
    "beam-8 lists": ("parser_own", "transition_lists", (), "beam-8"),
    "beam-8 wide": ("parser_own", "wide_try", (), "beam-8"),
    "beam-64 train": ("parser_own", "transition_train", (64,), "beam-64"),
    "beam-64 try": ("parser_own", "transition_try", (), "beam-64"),
    "graph train": ("parser_own", "graph_train", (), "graph"),
    "graph try": ("parser_own", "graph_try", (), "graph"),
    "tnt try": ("parser_own", "tnt_try", (), "tnt"),
    "pipeline train": ("parser_own", "pipeline_train", (), "pipeline"),
    "pipeline try": ("parser_own", "pipeline_try", (), "pipeline"),
    "nltk-tnt try": ("parser_peers", "nltk_tnt", (), "nltk-tnt"),
    "udpipe train": ("parser_peers", "udpipe_train", (), "udpipe"),
    "udpipe try": ("parser_peers", "udpipe_try", (), "udpipe"),
    "spacy train": ("parser_peers", "spacy_train", (), "spacy"),
    "spacy try": ("parser_peers", "spacy_try", (), "spacy"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("step", choices=sorted(STEPS))
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", type=Path)
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    set_threads(1)
    module, function, arguments, owner = STEPS[options.step]
    work: Callable[[Task], Figures] = getattr(importlib.import_module(module), function)
    if arguments:
        work = work(*arguments)  # type: ignore[assignment, arg-type]
    models = options.models / owner
    models.mkdir(parents=True, exist_ok=True)
    figures = work(Task(options.folder, models, options.quick))
    # What a library printed must stand before it, on a line of its own.
    print(f"\n{json.dumps({**figures, 'megabytes': peak_megabytes()})}", flush=True)


if __name__ == "__main__":
    main()
