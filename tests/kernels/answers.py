"""What the public functions answer on small random input, so that two ways can be compared."""

import importlib
import json
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import wordorder as wo
from wordorder.metrics import METRICS
from wordorder.metrics.contract import default_options
from wordorder.metrics.registry import metrics_for
from wordorder.order.permutation_tree import SHORT_LENGTH
from wordorder.statistics.bucket_sums import BucketSums
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare

LENGTHS = [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65]


def answers() -> dict[str, Any]:
    """Return text or hexadecimal bytes under the name of what they answer."""
    found: dict[str, Any] = {}
    rng = random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        for tied in (False, True):
            system = _orders(rng, Path(folder) / "system.orders", tied=False)
            reference = _orders(rng, Path(folder) / "reference.orders", tied=tied)
            wo.write_orders(reference, Path(folder) / "again.orders")
            found[f"written {tied}"] = (Path(folder) / "again.orders").read_text()
            found |= _scores(wo.Segments.from_orders(system, reference), f"tied {tied}")
        found |= _references(rng, Path(folder))
    for number, row in enumerate(_rows(rng)):
        if row:
            tree = wo.PermutationTree(row)
            found[f"tree {number}"] = [tree.to_text(), str(wo.PermutationForest(row).tree_count)]
    for line in ("0 1\n1 1\n", "0 x\n", "0 99999999\n"):
        found[f"refused {line}"] = _refusal(line)
    for path in sorted(Path(__file__).parent.glob("answers_*.py")):
        module = importlib.import_module(f"tests.kernels.{path.stem}")
        for subject, function in list(vars(module).items()):
            own = getattr(function, "__module__", "") == module.__name__
            if own and not subject.startswith("_"):
                more = function(random.Random(7))
                found |= {f"{subject} {name}": answer for name, answer in more.items()}
    # As the other process sends it.
    answered: dict[str, Any] = json.loads(json.dumps(found))
    return answered


def _rows(rng: random.Random) -> list[list[int]]:
    rows = []
    # Long rows take a way of their own to their trees.
    for length in [
        *LENGTHS * 2,
        SHORT_LENGTH - 1,
        SHORT_LENGTH,
        SHORT_LENGTH + 1,
        SHORT_LENGTH + 2,
    ]:
        row = list(range(length))
        if rng.random() < 0.5:
            rng.shuffle(row)
        else:
            # Turned and moved blocks: deep trees.
            for _ in range(4):
                first = rng.randrange(length + 1)
                last = rng.randrange(first, length + 1)
                row[first:last] = reversed(row[first:last])
        rows.append(row)
    return rows


def _orders(rng: random.Random, path: Path, *, tied: bool) -> wo.Orders:
    lines = []
    for row in _rows(rng):
        gaps = [rng.choice(" ," if tied else " ") for _ in row[1:]]
        lines.append("".join(f"{gap}{v}" for gap, v in zip(["", *gaps], row, strict=False)))
    path.write_text("\n".join(lines) + "\n")
    return wo.read_orders(path)


def _scores(segments: wo.Segments, title: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in metrics_for({"permutation"}):
        for ties in ("best", "rank"):
            if ties == "rank" and "ties" not in default_options(METRICS.load(name)):
                continue
            metric = wo.metric(name, ties=ties)
            statistics = metric.statistics(segments)
            found[f"{title} {name} {ties}"] = [
                statistics.tobytes().hex(),
                metric.corpus_score(segments).value.hex(),
            ]
    frs = wo.metric("frs")
    pair = [frs.statistics(segments), wo.metric("frs", ties="rank").statistics(segments)]
    pair[1] = np.roll(pair[1], 1, axis=0)
    measured = [Measurement(pair, frs.score, True)]
    found[f"{title} intervals"] = repr(confidence_intervals(measured, resamples=20, seed=3))
    buckets = BucketSums(measured[0].statistics.shape[2])
    buckets.add(measured[0].statistics[0], first_row=1 << 40)
    found[f"{title} buckets"] = [buckets.to_text(), buckets.totals().tobytes().hex()]
    for test in ("bootstrap", "randomization"):
        compared = compare(measured, test=test, resamples=20, seed=3)[0]
        found[f"{title} {test}"] = repr([compared.values, compared.pairs])
    return found


def _references(rng: random.Random, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    lengths = [(rng.randrange(1, 30), rng.randrange(1, 30)) for _ in range(60)]
    pharaoh, talbot = [], []
    for source, target in lengths:
        links = {(rng.randrange(source), rng.randrange(target)) for _ in range(rng.randrange(40))}
        pharaoh.append(" ".join(f"{s}{rng.choice('-p?')}{t}" for s, t in sorted(links)))
        fields = ["_".join(str(s) for s, t in sorted(links) if t == j) for j in range(target)]
        talbot.append(",".join(fields))
    for name, lines in (("pharaoh", pharaoh), ("talbot", talbot)):
        path = folder / name
        path.write_text("\n".join(lines) + "\n")
        alignments = wo.read_alignments(
            path, source_lengths=[s for s, _ in lengths], target_lengths=[t for _, t in lengths]
        )
        for rule in ("talbot", "lrscore", "aligned"):
            orders = wo.reference_orders(alignments, [s for s, _ in lengths], rule=rule)
            found[f"{name} {rule}"] = [str(order) for order in orders]
        path.write_text(lines[0] + "\n" + lines[1] + ",x\n")
        try:
            wo.read_alignments(path)
        except wo.InputError as error:
            found[f"{name} refused"] = str(error).removeprefix(str(folder))
    return found


def _refusal(line: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bad.orders"
        path.write_text(line)
        try:
            wo.read_orders(path)
        except wo.InputError as error:
            return str(error).removeprefix(folder)
    return "nothing"
