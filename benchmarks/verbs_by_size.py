"""Peak memory and seconds of the commands on texts of 10,000, 100,000 and 1,000,000 lines.

Each command is a process of its own, over lines of 10 to 40 words that are drawn here. `COMMANDS`
has a row for each: its name, the largest size that it is run on, and its arguments. Larger sizes
would take minutes or gigabytes. From the two largest sizes of each command follow the bytes per
line more, and from the largest the seconds for a million lines. `--quick` takes 1,000 lines.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from measuring import Report, main, measure_process, wordorder_command
from workload import permutations, write_text_files

from wordorder.people.new_project import annotation_project

SIZES = SMALL, MEDIUM, LARGE = 10_000, 100_000, 1_000_000
QUICK = 1_000
# Of a project; each is on disk before the next, so that more would take minutes to make.
ANSWERS = 1_000


@dataclass
class Inputs:
    """The files of one size, by name; what a command writes is read by the commands after it.

    Parameters
    ----------
    folder : Path
    size : int
        The lines of the texts.
    """

    folder: Path
    size: int
    made: dict[str, Path] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir()
        self.made["reference"], self.made["system"] = write_text_files(self.folder, self.size)

    def path(self, name: str) -> Path:
        """Return the path of a file; some are drawn where they are asked for first."""
        if name not in self.made:
            path = self.made[name] = self.folder / name
            if name in DRAWN:
                DRAWN[name](self, path)
        return self.made[name]

    def command(self, arguments: str) -> list[str | Path]:
        """Return a command; in its arguments files are in braces."""
        words = arguments.split()
        return wordorder_command(
            *(self.path(word[1:-1]) if word[0] == "{" else word for word in words)
        )


def draw_brackets(inputs: Inputs, path: Path) -> None:
    """Write right-branching trees."""
    with open(inputs.path("system")) as lines, open(path, "w") as stream:
        for line in lines:
            words = line.split()
            left = "".join(f"(S (NN {word}) " for word in words[:-1])
            stream.write(f"({left}(NN {words[-1]}){')' * len(words)}\n")


def draw_permutations(inputs: Inputs, path: Path) -> None:
    """Write permutations in which groups of words move."""
    with open(path, "w") as stream:
        for row in permutations(inputs.size, "near").to_lists():
            stream.write(" ".join(map(str, row)) + "\n")


def draw_scores(inputs: Inputs, path: Path) -> None:
    """Write scores by two metrics and by raters of two systems."""
    values = np.random.default_rng(1).random((inputs.size, 2, 3)).round(3).tolist()
    with open(path, "w") as stream:
        stream.write("system\tsegment\tmetric\tvalue\n")
        for segment, systems in enumerate(values, 1):
            for system, scores in zip("AB", systems, strict=True):
                for metric, value in zip(("one", "other", "human"), scores, strict=True):
                    stream.write(f"{system}\t{segment}\t{metric}\t{value}\n")


def draw_ratings(inputs: Inputs, path: Path) -> None:
    """Write ratings of two systems by two of ten raters for each segment."""
    generator = np.random.default_rng(2)
    raters = generator.integers(0, 9, inputs.size).tolist()
    values = generator.integers(0, 101, (inputs.size, 2, 2)).tolist()
    with open(path, "w") as stream:
        stream.write("rater\titem\tsystem\tvalue\ttime\n")
        for item, (first, systems) in enumerate(zip(raters, values, strict=True), 1):
            for system, ratings in zip("AB", systems, strict=True):
                for rater, value in enumerate(ratings, first):
                    stream.write(f"r{rater}\t{item}\t{system}\t{value}\t1\n")


def draw_project(inputs: Inputs, path: Path) -> None:
    """Make a project of alignments, the first of which are answered."""
    with annotation_project(path, inputs.path("system"), inputs.path("reference")) as project:
        (rater,) = project.raters()
        for _ in range(ANSWERS):
            task, *_ = project.next_task(rater)
            assert task is not None
            words = {side: project.task(rater, task).content[side] for side in ("source", "target")}
            project.save(rater, task, task, {**words, "links": [[0, 0, "sure"]]})


def draw_lists(inputs: Inputs, path: Path) -> None:
    """Write the translations and references as lists of two candidates with one feature."""
    lines = (inputs.path(name).read_text().splitlines() for name in ("system", "reference"))
    with open(path, "w") as stream:
        for segment, pair in enumerate(zip(*lines, strict=True)):
            for score, line in enumerate(pair):
                features = f"lm= {-len(line)} d= {score}"
                stream.write(f"{segment} ||| {line} ||| {features} ||| {score}\n")


DRAWN: dict[str, Callable[[Inputs, Path], None]] = {
    "trees.mrg": draw_brackets,
    "permutations": draw_permutations,
    "scores.tsv": draw_scores,
    "ratings.tsv": draw_ratings,
    "project.db": draw_project,
    "lists.txt": draw_lists,
}

# Name, largest size, arguments. Later commands read what earlier ones write.
_SCORE, _PAIR = "score {reference} -i {system} -m cder", "{system} {reference}"
COMMANDS = (
    ("score", LARGE, _SCORE),
    ("score --segments", LARGE, f"{_SCORE} --segments"),
    ("score --segments --format tsv", LARGE, f"{_SCORE} --segments --format tsv"),
    ("score --segments --format json", LARGE, f"{_SCORE} --segments --format json"),
    ("score --confidence", LARGE, f"{_SCORE} --confidence"),
    ("compare", LARGE, f"compare {{reference}} -i {_PAIR} -m cder"),
    ("analyze", MEDIUM, f"analyze {{reference}} -i {_PAIR} --html {{page.html}}"),
    ("correlate", LARGE, "correlate {scores.tsv} --human human"),
    ("path", SMALL, f"path {_PAIR}"),
    ("tree", SMALL, "tree {permutations}"),
    ("align", SMALL, f"align {_PAIR} --save {{lexicon}} -o {{links.align}}"),
    ("align --load", MEDIUM, f"align {_PAIR} --load {{lexicon}} -o {{links.align}}"),
    ("reference", MEDIUM, "reference {links.align} --source {system} -o {orders.orders}"),
    ("score of orders", MEDIUM, "score {orders.orders} -i {orders.orders} -m frs"),
    ("tag", SMALL, "tag en {system} -o {tagged.conllu}"),
    ("parse", SMALL, "parse en {system} -o {trees.conllu}"),
    ("parse --kbest", SMALL, "parse en {system} --kbest 2 -o {lists.conllu}"),
    ("select", SMALL, "select {lists.conllu} {orders.orders} --rules en-ja -o {chosen.conllu}"),
    ("convert", MEDIUM, "convert {trees.mrg} -o {converted.conllu}"),
    ("reorder", SMALL, "reorder {trees.conllu} --rules en-ja -o {reordered.txt}"),
    ("evaluate", SMALL, "evaluate {orders.orders} --trees {trees.conllu} --rules en-ja"),
    ("train order", SMALL, "train order {system} {links.align} -o {order.model}"),
    ("train tagger", SMALL, "train tagger {tagged.conllu} -o {tagger.model}"),
    ("train parser", SMALL, "train parser {trees.conllu} -o {parser.model}"),
    ("train rules", SMALL, "train rules {trees.conllu} {orders.orders} -o {rules.toml}"),
    ("train translation", SMALL, f"train translation {_PAIR} -o {{translation.model}}"),
    ("translate", SMALL, "translate {translation.model} {system} -o {translations.txt}"),
    ("tune", SMALL, "tune {lists.txt} {reference} -o {weights.txt}"),
    ("rank", MEDIUM, "rank {ratings.tsv}"),
    ("agreement", MEDIUM, "agreement {ratings.tsv}"),
    ("progress", MEDIUM, "progress {project.db}"),
    ("export", MEDIUM, "export {project.db} -o {exported.align}"),
)


def benchmark(report: Report) -> None:
    measured: dict[str, list[tuple[int, float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for size in [QUICK] if report.quick else SIZES:
            inputs = Inputs(folder / str(size), size)
            # Trained at the largest size that has it.
            inputs.made["lexicon"] = folder / "lexicon"
            for verb, largest, arguments in COMMANDS:
                if size > largest:
                    continue
                run = measure_process(inputs.command(arguments), runs=1, warm_up=False)
                report.add(
                    f"{verb}: peak memory at {size:,} lines",
                    run.megabytes,
                    "MB",
                    cpu=run.least_cpu,
                    wall=run.least_wall,
                )
                measured.setdefault(verb, []).append((size, run.megabytes, run.least_cpu))
    for verb, runs in measured.items():
        size, megabytes, seconds = runs[-1]
        before, fewer, _ = runs[-2] if len(runs) > 1 else (0, 0.0, 0.0)
        report.add(
            f"{verb}: bytes per line from {before:,} to {size:,} lines",
            max(megabytes - fewer, 0.0) * 2**20 / (size - before),
            "bytes",
        )
        report.add(f"{verb}: a million lines, by {size:,}", seconds / size * 10**6, "CPU-s")


if __name__ == "__main__":
    main(__file__, __doc__, benchmark)
