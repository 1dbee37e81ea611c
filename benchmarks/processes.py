"""Whole processes: CPU seconds, peak memory, start-up, threads, ten times the lines.

    python benchmarks/processes.py command_line --quick

CPU seconds are those of user and system together, of the fastest run. `analyze_translations` and
`evaluation` read texts and trees of WORDORDER_DATA; the others draw lines of 10 to 40 words.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from measuring import ProcessRun, Report, benchmark, main, measure_process, wordorder_command
from workload import KINDS, permutations, write_order_files, write_text_files

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import write_alignments
from wordorder.order.reading import write_orders
from wordorder.order.reference import reference_orders
from wordorder.people.new_project import annotation_project
from wordorder.reordering.rules import open_rules
from wordorder.treebank.reading import read_treebank, write_treebank
from wordorder.treebank.treebank import Treebank

# What scripts without this package do. Orders: plain Python, tau by counting pairs with numpy.
# Text: one package for Levenshtein, numpy for a row of the grid.
ORDER_SCRIPT = """
import sys
import numpy as np
frs = tau = lines = 0
with open(sys.argv[1]) as reference, open(sys.argv[2]) as system:
    for target, ours in zip(reference, system):
        place = {word: i for i, word in enumerate(target.split())}
        row = [place[word] for word in ours.split()]
        n = len(row)
        frs += sum(b == a + 1 for a, b in zip(row, row[1:])) / (n - 1)
        values = np.array(row)
        wrong = np.count_nonzero(np.triu(values[:, None] > values[None, :], 1))
        tau += 1 - wrong / (n * (n - 1) / 2)
        lines += 1
print(frs / lines, tau / lines)
"""
TEXT_SCRIPT = """
import sys
from collections import Counter
import numpy as np
from rapidfuzz.distance import Levenshtein
wer = per = cder = words = 0
with open(sys.argv[1]) as reference, open(sys.argv[2]) as system:
    for target, ours in zip(reference, system):
        target, ours = target.split(), ours.split()
        words += len(target)
        wer += Levenshtein.distance(target, ours)
        common = sum((Counter(target) & Counter(ours)).values())
        per += max(len(target), len(ours)) - common
        numbers = {}
        theirs = [numbers.setdefault(word, len(numbers)) for word in target]
        others = np.array([numbers.setdefault(word, len(numbers)) for word in ours], np.int32)
        row = np.ones(len(ours) + 1, np.int32)
        row[0] = 0
        for word in theirs:
            following = row + 1
            np.minimum(following[1:], row[:-1] + (others != word), out=following[1:])
            row = np.minimum(following, following.min() + 1)
        cder += int(row[-1])
print(cder / words, wer / words, per / words)
"""


@dataclass
class Scored:
    """Files of drawn lines, and `wordorder score` on them."""

    report: Report
    folder: Path
    write: Callable[[Path, int], tuple[Path, Path]]
    files: dict[int, tuple[Path, Path]] = field(default_factory=dict)

    def paths(self, rows: int) -> tuple[Path, Path]:
        """Return the reference and the system of so many lines."""
        if rows not in self.files:
            self.files[rows] = self.write(self.folder, rows)
        return self.files[rows]

    def run(self, rows: int, *options: str, runs: int = 5) -> ProcessRun:
        reference, system = self.paths(rows)
        return measure_process(wordorder_command("score", reference, "-i", system, *options), runs)

    def script(self, program: str, rows: int, runs: int) -> float:
        """Return the CPU seconds of a script on the same files."""
        return measure_process([sys.executable, "-c", program, *self.paths(rows)], runs).least_cpu

    def growth(self, metrics: str, *, at_least: float | None = None) -> None:
        """Add ten times the lines, and one and two threads."""
        rows = 20_000 if self.report.quick else 100_000
        options = ("-m", metrics, "--threads")
        few, many = (self.run(n * rows, *options, "1", runs=3) for n in (1, 10))
        two = self.run(10 * rows, *options, "2", runs=3)
        self.report.add(
            f"score -m {metrics}: {10 * rows:,} lines over {rows:,}",
            many.least_cpu / few.least_cpu,
            "times the CPU-s",
            at_most=10.5,
            few=few.least_cpu,
            many=many.least_cpu,
        )
        self.report.add(
            f"score -m {metrics}: two threads, {10 * rows:,} lines",
            many.least_wall / two.least_wall,
            "times as fast as one",
            at_least=at_least,
            one=many.least_wall,
            two=two.least_wall,
            cpu_of_one=many.least_cpu,
            cpu_of_two=two.least_cpu,
        )

    def memory(self, metrics: str, most: int | None = None) -> None:
        """Add the peak memory, which must not grow with the lines."""
        quick = self.report.quick
        sizes = (10_000, 100_000) if quick else (100_000, 1_000_000, 4_000_000)
        options = ("-m", metrics, "--threads", "1")
        peaks = {rows: self.run(rows, *options, runs=1).megabytes for rows in sizes[:most]}
        for rows, peak in peaks.items():
            # One block is in memory at a time; the smallest file may be less than one.
            bound = None if quick else 1.2 * peaks[sizes[0]]
            title = f"score -m {metrics}: peak memory, {rows:,} lines"
            self.report.add(title, peak, "MB", at_most=bound)


def write_orders_of(kind: str, folder: Path, rows: int) -> tuple[Path, Path]:
    reference, (system,) = write_order_files(folder, rows, kind)
    return reference, system


@benchmark("cli scoring metrics order statistics kernels")
def command_line(report: Report) -> None:
    """Add start-up, and `score` of files of orders."""
    python = {
        code: measure_process([sys.executable, "-c", code])
        for code in ("pass", "import numpy", "import wordorder", "from wordorder import *")
    }
    others = {
        "python -c pass": python["pass"].least_cpu,
        "import numpy": python["import numpy"].least_cpu,
    }
    report.add_seconds("import wordorder", python["import wordorder"], at_most=0.15, peers=others)
    shown = measure_process(wordorder_command("--help"))
    report.add_seconds("wordorder --help", shown, at_most=0.1)
    title = "import wordorder and every public name"
    report.add_seconds(title, python["from wordorder import *"])
    rows = 2_000 if report.quick else 20_000
    with tempfile.TemporaryDirectory() as name:
        of = {k: Scored(report, Path(name), partial(write_orders_of, k)) for k in KINDS}
        for kind, scored in of.items():
            report.add_seconds(
                f"score -m frs,kendall, {rows:,} lines, {kind}",
                scored.run(rows, "-m", "frs,kendall"),
                at_most=0.35,
                peers={"script with numpy": scored.script(ORDER_SCRIPT, rows, 3)},
            )
            every = scored.run(rows, "-m", "all")
            report.add_seconds(f"score -m all, {rows:,} lines, {kind}", every)
        for metrics in ("frs,kendall", "all"):
            of["near"].growth(metrics, at_least=1.7)
        for metrics in ("frs,kendall", "all"):
            of["near"].memory(metrics)


@benchmark("cli scoring metrics text kernels")
def command_line_text(report: Report) -> None:
    """Add `score` of translations."""
    metrics = "cder,wer,per"
    with tempfile.TemporaryDirectory() as name:
        scored = Scored(report, Path(name), write_text_files)
        report.add_seconds(f"score -m {metrics}, 1 line", scored.run(1, "-m", metrics))
        sizes = (2_000,) if report.quick else (20_000, 200_000)
        for rows in sizes:
            script = "script with rapidfuzz and numpy"
            first = rows == sizes[0]
            peers = {script: rows / scored.script(TEXT_SCRIPT, rows, 1)} if first else {}
            for threads, title in (("1", "1 thread"), ("2", "2 threads")):
                report.add_rate(
                    f"score -m {metrics}, {rows:,} lines, {title}",
                    rows,
                    scored.run(rows, "-m", metrics, "--threads", threads, runs=7),
                    "pairs/s",
                    at_least=None if report.quick else 100_000,
                    peers=peers,
                )
        for other in ("bleu", "ter", "meteor"):
            run = scored.run(sizes[0], "-m", other, "--threads", "1", runs=3)
            report.add_seconds(f"score -m {other}, {sizes[0]:,} lines", run)
        scored.growth(metrics)
        scored.growth("ter")
        scored.memory(metrics)
        scored.memory("ter", 2)


def plain(path: Path, copy: Path, lines: int | None) -> Path:
    """Unpack a file, or its first lines."""
    with gzip.open(path, "rb") as stream:
        copy.write_bytes(b"".join(stream.readlines()[:lines]))
    return copy


@benchmark("analysis report metrics kernels", needs="compare-mt-ted")
def analyze_translations(report: Report) -> None:
    """Add `analyze` with its page, beside compare-mt on the same files where it is installed.

    Two systems of compare-mt's TED talks (2,445 sentences), and five systems of WMT13
    German-English (3,000 sentences, tokenised by 13a). The page has all, parsed references too.
    """
    lines = 300 if report.quick else None
    start = measure_process(wordorder_command("--version")).least_cpu
    wmt = report.data.parent / "human" / "wmt13-rr-pairs" / "de-en"
    ted = [report.data / f"ted.{name}.eng.gz" for name in ("ref", "sys1", "sys2")]
    outputs = sorted((wmt / "outputs").glob("*.gz"))[:5]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        page = folder / "page.html"
        for title, paths, options in (
            ("TED, 2 systems", ted, []),
            ("WMT13, 5 systems", [wmt / "reference.en.gz", *outputs], ["--tokenizer", "13a"]),
        ):
            files = [plain(path, folder / f"{title[:3]}{n}", lines) for n, path in enumerate(paths)]
            command = wordorder_command("analyze", files[0], "-i", *files[1:], *options)
            own = measure_process([*command, "--html", page], 3)
            tables = measure_process(command, 3)
            program = Path(sys.executable).with_name("compare-mt")
            peers = {}
            if program.exists():
                theirs: Sequence[str | Path] = (program, *files[:3], "--output_directory", folder)
                peers["compare-mt, 2 systems"] = measure_process(theirs, 2).least_cpu
            report.add_seconds(
                f"{title}: tables and page, start-up included",
                own,
                peers=peers,
                megabytes=round(own.megabytes),
            )
            after = f"{title}: tables and page after start-up"
            report.add(after, own.least_cpu - start, "CPU-s", at_most=5.0)
            report.add_seconds(f"{title}: tables alone, start-up included", tables)
            size = page.stat().st_size
            report.add(f"{title}: size of the page", size, "bytes", at_most=5_000_000)


@benchmark("analysis reordering metrics kernels", needs="ud-pud")
def evaluation(report: Report) -> None:
    """Add `evaluate` of five parsers times six rule sets on 1,000 sentences.

    The parsers are the same trees with the labels of some words exchanged; the reference orders are
    those of a rule set, from alignments in which every fifth word has no link.
    """
    runs = 1 if report.quick else 5
    bank = read_treebank(report.data / "en_pud-ud-test.conllu.gz")
    rows = np.arange(100 if report.quick else 1_000) % len(bank)
    with tempfile.TemporaryDirectory() as name:
        whole, start = Path(name, "whole"), Path(name, "start")
        write_parsers(whole, bank.take(rows))
        write_parsers(start, bank[:1])

        def run(folder: Path, reference: str, *options: str) -> ProcessRun:
            trees: list[str | Path] = ["--trees", *sorted(folder.glob("*.conllu"))]
            rules = ["--rules", "R1", "R2", "R3", "R4", "R5", "head-final"]
            given = [*trees, *rules, *options, "--threads", "1"]
            command = wordorder_command("evaluate", folder / reference, *given)
            return measure_process(command, runs)

        begun, done = run(start, "reference.orders"), run(whole, "reference.orders")
        report.add_seconds("start-up: the same of one sentence", begun)
        title = "5 parsers x 6 rule sets"
        report.add_seconds(
            f"{title}, whole process",
            done,
            sentences=len(rows),
            words=bank.take(rows).words,
            peak_megabytes=done.megabytes,
        )
        report.add(
            f"{title}, after start-up",
            done.least_cpu - begun.least_cpu,
            "CPU-s",
            at_most=1.0,
            wall=done.least_wall - begun.least_wall,
        )
        varied = run(whole, "links.align", "--sensitivity")
        report.add_seconds(f"{title}, --sensitivity, whole process", varied)
        tested = run(whole, "reference.orders", "--test", "randomization")
        report.add_seconds(f"{title}, --test randomization, whole process", tested)


def write_parsers(folder: Path, bank: Treebank) -> None:
    """Write five treebanks, reference orders and alignments."""
    folder.mkdir()
    draw = np.random.default_rng(1)
    for number in range(5):
        changed = np.arange(bank.words)
        some = np.flatnonzero(draw.random(bank.words) < 0.05 * number)
        changed[some] = draw.permutation(some)
        exchanged = bank.replace(label=bank.label.take(changed))
        write_treebank(folder / f"P{number + 1}.conllu", exchanged)
    orders = open_rules("R5").orders(bank).positions
    links = Alignments.from_rows(
        [
            [(word, place) for place, word in enumerate(row.tolist()) if draw.random() < 0.8]
            for row in orders
        ]
    )
    write_alignments(links, folder / "links.align")
    write_orders(reference_orders(links, bank.lengths), folder / "reference.orders")


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


@benchmark("scoring analysis alignment order parsing reordering kernels", regular=False)
def verbs_by_size(report: Report) -> None:
    """Add peak memory and seconds of each command on texts of 10,000 to 1,000,000 lines.

    `COMMANDS` has a row for each: its name, the largest size that it is run on, and its arguments.
    Larger sizes would take minutes or gigabytes. From the two largest sizes of each command follow
    the bytes per line more, and from the largest the seconds for a million lines.
    """
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
    main(__doc__)
