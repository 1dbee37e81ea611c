"""Rates on one core: metrics, tests, trees, files, tables, language models and the decoder.

    python benchmarks/rates.py                     # all that the data are there for
    python benchmarks/rates.py order_metrics --quick

Rows, pairs or words per CPU second, beside other ways to compute the same numbers, which are
compared first. Permutations and texts of 10 to 40 words are drawn; `bleu_chrf`, `treebank`,
`language_model` and `decoder` read text of WORDORDER_DATA.
"""

from __future__ import annotations

import gzip
import importlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import peers
from measuring import Report, benchmark, main, measure, measure_process, rounded, wordorder_command
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from workload import (
    KINDS,
    links,
    permutations,
    row_lengths,
    translations,
    write_order_files,
)

import wordorder as wo
from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.alignment.reading import write_alignments
from wordorder.arrays import Float64, Int64
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import metrics_for
from wordorder.metrics.text.ngrams import Bleu, Chrf
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import approximate_randomization, paired_bootstrap
from wordorder.translation import Decoder, LanguageModel, train_translation
from wordorder.translation.decoder import PhraseSearch
from wordorder.treebank.reading import read_treebank, write_treebank

ORDER_RATES = {"kendall": 1_500_000}
TEXT_RATES = {"cder": 220_000, "wer": 500_000, "ter": 4_000, "ribes": 200_000, "meteor": 40_000}
# Metrics with what they need beside text; of the slow ones one of so many pairs.
TEXT_METRICS = (
    *("wer", "per", "cder", "ter", "long-jump", "inversion-wer"),
    *("f1", "ribes", "bleu-s", "nist", "bleu", "chrf", "meteor"),
)
PARTS = {"inversion-wer": 40}
WITH_ORDERS = ("senscore", "lrscore")
MODULES = (("exact",), ("exact", "stem"))


def peer_rates(
    name: str, known: dict[str, peers.Peer], segments: Segments, rows: Any
) -> dict[str, float]:
    """Compare the numbers of each peer with ours; return rows per CPU second."""
    rates = {}
    for label, peer in known.items():
        sample = list(rows[: len(rows) // peer.part])
        if peer.same:
            metric = wo.metric(name, **peer.options)
            theirs = peer.function(sample)
            some = segments[: len(sample)]
            listed = isinstance(theirs, list)
            ours = metric.segment_scores(some) if listed else metric.corpus_score(some).value
            if not np.allclose(ours, theirs):
                raise RuntimeError(f"{name}: {label} finds other numbers")
        rates[label] = len(sample) / measure(partial(peer.function, sample), 2).least_cpu
    return rates


@benchmark("metrics/order order kernels")
def order_metrics(report: Report) -> None:
    """Add each order metric, and all of them with making the segments."""
    size = 2_000 if report.quick else 20_000
    wo.set_threads(1)
    names = metrics_for({"permutation"})
    metrics = [wo.metric(name) for name in names]

    def score_all(rows: wo.Ragged) -> None:
        segments = Segments.from_permutations(rows)
        for metric in metrics:
            metric.score(metric.statistics(segments))

    for kind in KINDS:
        rows = permutations(size, kind)
        timing = measure(partial(Segments.from_permutations, rows))
        report.add_rate(f"check permutations and make segments, {kind}", size, timing)
        segments = Segments.from_permutations(rows)
        for name, metric in zip(names, metrics, strict=True):
            rates = peer_rates(name, peers.ORDER_PEERS.get(name, {}), segments, rows)
            timing = measure(partial(score_anew, metric, segments))
            asked = ORDER_RATES.get(name)
            report.add_rate(f"{name}, {kind}", size, timing, at_least=asked, peers=rates)
        title = f"all {len(metrics)} metrics with making the segments, {kind}"
        report.add_rate(title, size, measure(partial(score_all, rows)), at_least=300_000)


def score_anew(metric: BaseMetric, segments: Segments) -> object:
    """Score new segments, so that no metric finds what another has computed."""
    return metric.segment_scores(segments[:])


def align_anew(aligner: MonolingualAligner, segments: Segments) -> object:
    """Align the words of new segments."""
    return aligner.align(segments[:].texts)


def sacrebleu_statistics(
    metric: Callable[[], Any], hypotheses: Sequence[str], references: Sequence[str]
) -> Any:
    """Return the statistics of a new metric of sacreBLEU, which remembers no line."""
    return metric()._extract_corpus_statistics(hypotheses, [references])


def tree_root(values: Int64) -> object:
    """Build a permutation tree, and its nodes as objects."""
    return wo.PermutationTree(values).root


@benchmark("metrics/text alignment kernels")
def text_metrics(report: Report) -> None:
    """Add each metric of text, the monolingual aligner, and making segments."""
    size = 2_000 if report.quick else 20_000
    wo.set_threads(1)
    drawn = translations(size)
    pairs = drawn.tokens()
    made = partial(Segments.from_text, drawn.hypotheses, drawn.references)
    tokens = sum(len(reference) + len(ours) for reference, ours in pairs)
    of_words = partial(Segments.from_text, [b for _, b in pairs], [[a] for a, _ in pairs])
    for title, work in (("strings", made), ("lists of words", of_words)):
        title = f"segments from {title}"
        report.add_rate(title, tokens, measure(work), "tokens/s", at_least=2_000_000)
    plain = made()
    for name in TEXT_METRICS:
        add_text_metric(report, name, made, plain, pairs)
    for modules in MODULES:
        aligner = MonolingualAligner(modules=modules)
        timing = measure(partial(align_anew, aligner, plain))
        title = f"monolingual aligner, {'+'.join(modules)}"
        report.add_rate(title, size, timing, "pairs/s", at_least=40_000)
    for name in WITH_ORDERS:
        ordered = partial(made, aligner=MonolingualAligner(modules=MODULES[-1]))
        add_text_metric(report, name, ordered, ordered(), pairs)


def add_text_metric(
    report: Report, name: str, made: Callable[[], Segments], segments: Segments, pairs: peers.Pairs
) -> None:
    """Measure a metric on new segments, so that it finds nothing that was computed before."""
    metric = wo.metric(name)
    size = len(pairs) // PARTS.get(name, 1)
    unused = [made()[:size] for _ in range(6)]
    timing = measure(lambda: metric.corpus_score(unused.pop()), 5)
    rates = peer_rates(name, peers.TEXT_PEERS.get(name, {}), segments, pairs)
    report.add_rate(name, size, timing, "pairs/s", at_least=TEXT_RATES.get(name), peers=rates)


SACREBLEU: dict[str, tuple[Bleu | Chrf, Callable[[], BLEU | CHRF]]] = {
    "bleu, 13a": (Bleu(), partial(BLEU, force=True)),
    "bleu, none": (Bleu(tokenize="none"), partial(BLEU, tokenize="none", force=True)),
    "bleu, 13a, lowercase": (Bleu(lowercase=True), partial(BLEU, lowercase=True, force=True)),
    "chrf": (Chrf(), CHRF),
    "chrf++": (Chrf(word_order=2), partial(CHRF, word_order=2)),
    "chrf++, lowercase": (
        Chrf(word_order=2, lowercase=True),
        partial(CHRF, word_order=2, lowercase=True),
    ),
}


@benchmark("metrics/text text kernels", needs="human/wmt13-rr-pairs/fr-en")
def bleu_chrf(report: Report) -> None:
    """Add statistics of `bleu` and `chrf` on 3,000 lines of WMT13, 20 times as fast as sacreBLEU.

    sacreBLEU starts each time without what it remembers of tokenised lines.
    """
    size = 300 if report.quick else 3000
    references = text_of(report.data / "reference.en.gz")[:size]
    hypotheses = text_of(min((report.data / "outputs").iterdir()))[:size]
    wo.set_threads(1)
    made = partial(Segments.from_text, hypotheses, references)
    for name, (ours, theirs) in SACREBLEU.items():
        wanted = sacrebleu_statistics(theirs, hypotheses, references)
        statistics = ours.statistics(made())
        if statistics[:, :-1].tolist() != wanted:
            raise RuntimeError(f"{name}: sacreBLEU counts otherwise")
        slow = measure(partial(sacrebleu_statistics, theirs, hypotheses, references), 3)
        rate = size / slow.least_cpu
        unused = [made() for _ in range(8)]
        for title, work in (
            ("statistics", lambda o=ours, u=unused: o.statistics(u.pop())),
            ("statistics, from strings", lambda o=ours: o.statistics(made())),
        ):
            report.add_rate(
                *(f"{name}: {title}", size, measure(work, 7), "pairs/s"),
                at_least=20 * rate,
                peers={"sacrebleu": rate},
            )
        scorer = theirs()

        def score_each(scorer: Any = scorer, rows: Any = wanted) -> list[float]:
            return [scorer._aggregate_and_compute([row]).score for row in rows]

        scored = measure(score_each, 3)
        report.add_rate(
            *(f"{name}: scores of segments", size),
            measure(partial(ours.score, statistics), 7),
            "segments/s",
            peers={"sacrebleu": size / scored.least_cpu},
        )


@benchmark("statistics kernels")
def resampling(report: Report) -> None:
    """Add paired tests of two systems after the statistics: 20,000 segments, 1,000 resamples."""
    size = 2_000 if report.quick else 20_000
    rows = {name: permutations(size, "near", seed) for name, seed in (("A", 2), ("B", 3))}
    systems = [Segments.from_permutations(each) for each in rows.values()]
    frs, *every = (
        Measurement([metric.statistics(s) for s in systems], metric.score)
        for metric in map(wo.metric, ("frs", *metrics_for({"permutation"})))
    )
    others = {"numpy loop": measure(lambda: numpy_bootstrap(frs), 3).least_cpu}
    if find_spec("sacrebleu") is not None:
        texts = [(n, [" ".join(f"w{i}" for i in row) for row in r]) for n, r in rows.items()]
        target = [" ".join(f"w{i}" for i in range(len(row))) for row in rows["A"]]
        others["sacreBLEU"] = measure(peers.sacrebleu_test(texts, target), 1).least_cpu
    for threads in (1, 2):
        wo.set_threads(threads)
        timing = measure(lambda: paired_bootstrap([frs]))
        title = f"frs, 1,000 paired resamples, threads: {threads}"
        report.add_seconds(title, timing, at_most=0.3, peers=others)
        report.add(f"{title}, by the clock", timing.least_wall, "s", at_most=0.3)
    wo.set_threads(1)
    title = f"all {len(every)} metrics at once, 1,000 paired resamples"
    report.add_seconds(title, measure(lambda: paired_bootstrap(every), 3))
    timing = measure(lambda: approximate_randomization([frs]), 3)
    report.add_seconds("frs, 10,000 randomizations", timing)


def numpy_bootstrap(measurement: Measurement, resamples: int = 1000) -> Float64:
    """Sum the chosen rows, resample by resample."""
    generator = np.random.default_rng(1)
    size = measurement.segments
    differences = np.empty(resamples)
    for resample in range(resamples):
        chosen = generator.integers(0, size, size)
        first, second = measurement.score(measurement.statistics[:, chosen].sum(axis=1))
        differences[resample] = second - first
    return differences


@benchmark("order kernels")
def trees(report: Report) -> None:
    """Add permutation trees of long permutations, and of many short ones one by one."""
    size = 10_000 if report.quick else 100_000
    generator = np.random.default_rng(1)
    places = np.arange(size)
    swapped = places ^ 1
    for name, values in {
        "identity": places,
        "inverted": places[::-1],
        "neighbours swapped": swapped[swapped < size],
        # Simple when the size is even: no part of it covers neighbouring values.
        "odd before even": np.concatenate([places[1::2], places[::2]]),
        "moved by a few places": np.argsort(places + generator.normal(0.0, 3.0, size)),
        "random": generator.permutation(size),
    }.items():
        nodes = wo.PermutationTree(values).node_count
        timing = measure(partial(wo.PermutationTree, values), 3)
        title = f"PermutationTree of {size:,} items, {name}"
        report.add_seconds(title, timing, at_most=1.0, nodes=nodes)
        timing = measure(partial(tree_root, values), 3)
        report.add_seconds(f"the same with its nodes as objects, {name}", timing)
    rows = list(permutations(500 if report.quick else 5_000, "near"))
    timing = measure(lambda: [wo.PermutationTree(row) for row in rows], 3)
    report.add_rate("PermutationTree of a sentence", len(rows), timing, "trees/s")


@benchmark("order alignment text kernels")
def reading(report: Report) -> None:
    """Add files of orders and alignments, and reference orders by each rule."""
    rows = 2_000 if report.quick else 20_000
    wo.set_threads(1)

    def add(
        name: str, work: Callable[[], object], peer: Callable[[], object] | None = None
    ) -> None:
        plain = {} if peer is None else {"plain Python": rows / measure(peer, 3).least_cpu}
        report.add_rate(name, rows, measure(work), peers=plain)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reference, (system,) = write_order_files(folder, rows, "near")
        add("read_orders", partial(wo.read_orders, system), partial(peers.python_orders, system))
        ours, theirs = wo.read_orders(system), wo.read_orders(reference)
        add("Segments.from_orders", partial(Segments.from_orders, ours, theirs))
        add("write_orders", partial(wo.write_orders, ours, folder / "again.orders"))
        lengths = row_lengths(rows)
        made = wo.Alignments.from_rows(links(rows, "near"), target_lengths=lengths)
        paths = {notation: folder / f"a.{notation}" for notation in ("pharaoh", "talbot")}
        for notation, path in paths.items():
            write_alignments(made, path, format=notation)
            peer = partial(peers.python_alignments, path) if notation == "pharaoh" else None
            read = partial(wo.read_alignments, path, format=notation)
            add(f"read_alignments, {notation}", read, peer)
        pairs = peers.python_alignments(paths["pharaoh"])
        sorted_by_hand = partial(peers.python_reference_orders, pairs, lengths.tolist())
        orders = partial(wo.reference_orders, made, lengths)
        for rule, unaligned in (("talbot", "next"), ("lrscore", "previous"), ("aligned", "drop")):
            work = partial(orders, rule=rule, unaligned=unaligned)
            by_hand = sorted_by_hand if rule == "lrscore" else None
            add(f"reference_orders, {rule} {unaligned}", work, by_hand)
        values = orders(rule="lrscore", unaligned="previous").positions.values
        if not np.array_equal(values, np.concatenate(sorted_by_hand())):
            raise RuntimeError("plain Python finds other reference orders")


@benchmark("treebank text kernels", needs="ud-english-ewt")
def treebank(report: Report) -> None:
    """Add reading and writing CoNLL-U, beside `conllu` and `pyconll` where they are installed."""
    wo.set_threads(1)
    with gzip.open(report.data / "en_ewt-ud-train.conllu.gz", "rt", encoding="utf-8") as file:
        blocks = file.read().split("\n\n")[: 1_000 if report.quick else 12_000]
    text = "\n\n".join(blocks).rstrip("\n") + "\n\n"
    with tempfile.TemporaryDirectory() as name:
        source, target, third = (Path(name, f"{each}.conllu") for each in "abc")
        source.write_text(text, encoding="utf-8")
        bank = read_treebank(source)

        def rate(work: Callable[[], object], runs: int) -> float:
            return bank.words / measure(work, runs).least_cpu

        readers = dict(peers.treebank_readers())
        report.add_rate(
            "read_treebank",
            bank.words,
            measure(lambda: read_treebank(source)),
            "words/s",
            at_least=500_000,
            peers={package: rate(partial(read, source), 1) for package, read in readers.items()},
            megabytes=len(text) / 1e6,
        )
        report.add_rate(
            "write_treebank",
            bank.words,
            measure(lambda: write_treebank(target, bank)),
            "words/s",
            peers={
                package: rate(partial(write, readers[package](source), third), 1)
                for package, write in peers.TREEBANK_WRITERS.items()
                if package in readers
            },
        )
        if target.read_bytes() != source.read_bytes():
            raise RuntimeError("what was written is not what was read")


@benchmark("arrow segments", regular=False)
def columns(report: Report) -> None:
    """Add columns of pyarrow, Polars and pandas as segments, beside lists of the same rows."""
    size = 2_000 if report.quick else 200_000
    rng = np.random.default_rng(1)
    words = np.array([f"word{i}" if i % 7 else f"wörd{i}" for i in range(5000)], object)
    lengths = rng.integers(5, 41, size).tolist()
    text, other = (
        [" ".join(words[(5000 * rng.random(n) ** 2).astype(np.int64)]) for n in lengths]
        for _ in range(2)
    )
    ours = [rng.permutation(n).tolist() for n in lengths]
    theirs = [list(range(n)) for n in lengths]
    lists = {
        name: (work, measure(partial(work, *given)).least_cpu, given)
        for name, work, given in (
            ("from_text", Segments.from_text, (text, other)),
            ("from_orders", Segments.from_orders, (ours, theirs)),
        )
    }
    for library, make in (("pyarrow", "array"), ("polars", "Series"), ("pandas", "Series")):
        if not find_spec(library):
            print(f"{library} is not installed: left out")
            continue
        convert = getattr(importlib.import_module(library), make)
        for name, (work, seconds, given) in lists.items():
            timing = measure(partial(work, *map(convert, given)))
            title = f"{name}, columns of {library} over lists"
            report.add(title, timing.least_cpu / seconds, "times the CPU-s", list_seconds=seconds)


ESTIMATE = """
import sys
from wordorder.translation import LanguageModel
with open(sys.argv[1], encoding="utf-8", newline="\\n") as text:
    LanguageModel.estimate(text.read().split("\\n")[:-1], order=4)
"""


@benchmark("translation kernels", needs="small_parallel_enja")
def language_model(report: Report) -> None:
    """Add estimating a model of order 4, asking it, and its files.

    KenLM was measured once: its `lmplz` needs a folder of built programs.
    """
    lines = text_of(report.data / "train.en.gz")[: 5000 if report.quick else None]
    wo.set_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        text, path = Path(folder, "text"), Path(folder, "model.arpa")
        text.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
        python: list[str | Path] = [sys.executable, "-c"]
        start = measure_process([*python, "from wordorder.translation import LanguageModel"])
        ours = measure_process([*python, ESTIMATE, text])
        report.add_seconds(
            f"estimating a model of order 4, {len(lines):,} sentences, with starting Python",
            ours,
            at_most=2.0,
            of_which_starting=start.least_cpu,
            megabytes=round(ours.megabytes),
        )
        model = LanguageModel.estimate(lines, order=4)
        numbers: wo.Ragged = model.number(lines)
        words = len(numbers.values) + len(numbers)
        for title, size, unit, work in (
            ("score, lines", words, "words/s", partial(model.score, lines)),
            ("score, rows of numbers", words, "words/s", partial(model.score, numbers)),
            ("save_arpa", len(model), "n-grams/s", partial(model.save_arpa, path)),
            ("load_arpa", len(model), "n-grams/s", partial(LanguageModel.load_arpa, path)),
        ):
            report.add_rate(title, size, measure(work, 3), unit)


# Window, beam, translations listed, and how many sentences a second are asked for.
DECODED = (
    *((0, 40, 1, 4000), (4, 40, 1, 1000), (4, 40, 100, None)),
    *((2, 40, 1, None), (6, 40, 1, None), (63, 40, 1, None)),
    *((4, 10, 1, None), (4, 100, 1, None), (0, 100, 1, None)),
)


@benchmark("translation kernels", needs="small_parallel_enja")
def decoder(report: Report) -> None:
    """Add sentences per CPU second by window and beam, and what the beam loses.

    A model of 50,000 sentence pairs, before tuning, translates the 500 sentences of the test part.
    One counts as worse if a beam of 1,000 without a threshold finds a better score.
    """
    pairs = 5000 if report.quick else None
    train = [text_of(report.data / f"train.{side}.gz")[:pairs] for side in ("en", "ja")]
    lines = text_of(report.data / "test.en.gz")[: 50 if report.quick else None]
    references = text_of(report.data / "test.ja.gz")
    model = train_translation(*train)
    wo.set_threads(1)
    widest: dict[int, Any] = {}
    for window in (0, 4):
        thorough = Decoder(model)
        searched = (model.phrases, model.language_model, np.array(model.weights), window)
        thorough.search = PhraseSearch(*searched, beam=1000, threshold=inf)
        widest[window] = thorough.translate(lines)

    def bleu(translated: Any) -> float:
        metric = wo.metric("bleu", tokenize="none")
        segments = Segments.from_text(translated.lines, references[: len(lines)])
        return rounded(100 * float(metric.score(metric.statistics(segments).sum(axis=0))))

    for window, beam, nbest, asked in DECODED:
        translate = partial(Decoder(model, window=window, beam=beam, nbest=nbest).translate, lines)
        details: dict[str, Any] = {}
        if nbest == 1:
            found = translate()
            details["bleu"] = bleu(found)
            if best := widest.get(window):
                lost = best.scores - found.scores
                details["share_worse"] = rounded(float((lost > 1e-5).mean()))
                details["mean_score_lost"] = rounded(float(lost.mean()))
                details["bleu_of_beam_1000"] = bleu(best)
        title = f"translate, window {window}, beam {beam}"
        title += f", lists of {nbest}" if nbest > 1 else ""
        timing = measure(translate, 3)
        report.add_rate(title, len(lines), timing, "sentences/s", at_least=asked, **details)
    with tempfile.TemporaryDirectory() as folder:
        path, text = Path(folder, "model"), Path(folder, "text")
        model.save(path)
        for times in (1, 40):
            text.write_text("\n".join(lines * times) + "\n", encoding="utf-8", newline="\n")
            run = measure_process(wordorder_command("translate", path, text, "--threads", "1"), 2)
            title = f"wordorder translate, {times * len(lines):,} sentences, with starting Python"
            report.add_seconds(title, run, megabytes=round(run.megabytes))


def text_of(path: Path) -> list[str]:
    """Return the lines of a compressed file."""
    return gzip.decompress(path.read_bytes()).decode().removesuffix("\n").split("\n")


if __name__ == "__main__":
    main(__doc__)
