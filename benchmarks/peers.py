"""Other ways to compute the same: packages, and what a short script of Python or numpy does."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import numpy.typing as npt
import sacrebleu
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.nist_score import sentence_nist
from nltk.translate.ribes_score import sentence_ribes
from rapidfuzz.distance import LCSseq, Levenshtein
from scipy.stats import kendalltau, spearmanr

from wordorder.treebank.treebank import Tree, Treebank

Row = npt.NDArray[np.int32]
Pairs = Sequence[tuple[list[str], list[str]]]


@dataclass(frozen=True)
class Peer:
    """Another way to compute a metric, and how it is compared.

    Attributes
    ----------
    function : callable
        Returns the scores of all rows or pairs, or that of the corpus.
    part : int
        One of how many rows it is given: some are too slow for all of them.
    options : dict
        With which our metric finds the same numbers.
    same : bool
        False for one that computes something else in the same manner.
    """

    function: Callable[[Any], list[float] | float]
    part: int = 1
    options: dict[str, str] = field(default_factory=dict)
    same: bool = True


def by_row(score: Callable[..., float]) -> Callable[[Any], list[float]]:
    """Return the scores of all rows, or of all pairs, one call each."""

    def scores(rows: Any) -> list[float]:
        return [score(*row) if isinstance(row, tuple) else score(row) for row in rows]

    return scores


def by_scipy(statistic: Any) -> Callable[[Row], float]:
    """Return a correlation of scipy with the identity, from 0 to 1."""
    return lambda row: (float(statistic(np.arange(len(row)), row).statistic) + 1) / 2


def kendall_numpy(row: Row) -> float:
    pairs = len(row) * (len(row) - 1) / 2
    return 1 - int(np.count_nonzero(np.triu(row[:, None] > row[None, :], 1))) / pairs


def frs_python(row: Row) -> float:
    values: list[int] = row.tolist()
    return sum(b == a + 1 for a, b in pairwise(values)) / (len(values) - 1)


def ulam_rapidfuzz(row: Row) -> float:
    values: list[int] = row.tolist()
    return (int(LCSseq.similarity(values, range(len(values)))) - 1) / (len(values) - 1)


ORDER_PEERS: dict[str, dict[str, Peer]] = {
    "frs": {"plain Python": Peer(by_row(frs_python), 2)},
    "kendall": {
        "scipy.stats.kendalltau": Peer(by_row(by_scipy(kendalltau)), 20),
        "numpy": Peer(by_row(kendall_numpy), 2),
    },
    "spearman": {"scipy.stats.spearmanr": Peer(by_row(by_scipy(spearmanr)), 20)},
    "hamming": {"numpy": Peer(by_row(lambda row: float(np.mean(row == np.arange(len(row))))), 2)},
    "ulam": {"rapidfuzz LCSseq": Peer(by_row(ulam_rapidfuzz))},
}


def words_in_common(reference: list[str], ours: list[str]) -> int:
    return sum((Counter(reference) & Counter(ours)).values())


def per_python(reference: list[str], ours: list[str]) -> float:
    common = words_in_common(reference, ours)
    return (max(len(reference), len(ours)) - common) / len(reference)


def f1_python(reference: list[str], ours: list[str]) -> float:
    return 2 * words_in_common(reference, ours) / (len(reference) + len(ours))


def cder_python(reference: list[str], ours: list[str]) -> float:
    """Equation 1 of Leusch et al. (2006), one row of the grid for each word of the reference."""
    row = [0] + [1] * len(ours)
    for word in reference:
        following = [row[0] + 1]
        for place, other in enumerate(ours):
            following.append(
                min(row[place] + (word != other), row[place + 1] + 1, following[place] + 1)
            )
        jump = min(following) + 1
        row = [min(cost, jump) for cost in following]
    return row[-1] / len(reference)


def cder_numpy(reference: list[str], ours: list[str]) -> float:
    """The same, a row of the grid at a time; runs of insertions cost no less than a jump."""
    numbers: dict[str, int] = {}
    theirs = [numbers.setdefault(word, len(numbers)) for word in reference]
    words = np.array([numbers.setdefault(word, len(numbers)) for word in ours], np.int32)
    row = np.ones(len(ours) + 1, np.int32)
    row[0] = 0
    for word in theirs:
        following = row + 1
        np.minimum(following[1:], row[:-1] + (words != word), out=following[1:])
        row = np.minimum(following, following.min() + 1)
    return int(row[-1]) / len(reference)


def joined(pairs: Pairs) -> tuple[list[str], list[str]]:
    """Return references and hypotheses as lines."""
    return [" ".join(words) for words, _ in pairs], [" ".join(words) for _, words in pairs]


def wer_jiwer(pairs: Pairs) -> float:
    return float(jiwer.process_words(*joined(pairs)).wer)


def ter_sacrebleu(pairs: Pairs) -> list[float]:
    metric = sacrebleu.TER()
    return [
        metric.sentence_score(ours, [reference]).score / 100
        for reference, ours in zip(*joined(pairs), strict=True)
    ]


def corpus_sacrebleu(metric: Callable[[], Any]) -> Callable[[Pairs], float]:
    def score(pairs: Pairs) -> float:
        references, ours = joined(pairs)
        return float(metric().corpus_score(ours, [references]).score) / 100

    return score


def by_nltk(score: Callable[..., float], **options: Any) -> Callable[[Pairs], list[float]]:
    return by_row(lambda reference, ours: float(score([reference], ours, **options)))


_SMOOTHED = {"smoothing_function": SmoothingFunction().method2}
TEXT_PEERS: dict[str, dict[str, Peer]] = {
    "wer": {
        "rapidfuzz": Peer(by_row(lambda a, b: Levenshtein.distance(a, b) / len(a))),
        "jiwer": Peer(wer_jiwer),
    },
    "per": {"plain Python": Peer(by_row(per_python), 4)},
    "f1": {"plain Python": Peer(by_row(f1_python), 4)},
    "cder": {
        "plain Python": Peer(by_row(cder_python), 40),
        "numpy": Peer(by_row(cder_numpy), 40),
    },
    "ter": {"sacrebleu": Peer(ter_sacrebleu, 100)},
    "bleu": {"sacrebleu": Peer(corpus_sacrebleu(sacrebleu.BLEU), 4)},
    "chrf": {"sacrebleu": Peer(corpus_sacrebleu(sacrebleu.CHRF), 10)},
    "bleu-s": {"nltk": Peer(by_nltk(sentence_bleu, **_SMOOTHED), 20)},
    "ribes": {"nltk": Peer(by_nltk(sentence_ribes), 20, {"compat": "nltk"})},
    # It takes the information of n-grams from the references of the one sentence.
    "nist": {"nltk": Peer(by_nltk(sentence_nist), 20, same=False)},
}


def python_rows(path: Path) -> list[list[list[str]]]:
    """Split all lines, check nothing, keep strings: the least that Python can do."""
    blocks = path.read_text(encoding="utf-8").split("\n\n")[:-1]
    return [[line.split("\t") for line in block.split("\n") if line[0] != "#"] for block in blocks]


def treebank_readers() -> Iterator[tuple[str, Callable[[Path], Any]]]:
    """Yield what reads a file in CoNLL-U, by package."""
    yield "plain Python", python_rows
    if find_spec("conllu"):
        conllu = importlib.import_module("conllu")
        yield "conllu", lambda path: conllu.parse(path.read_text(encoding="utf-8"))
    if find_spec("pyconll"):
        pyconll = importlib.import_module("pyconll")
        yield "pyconll", lambda path: pyconll.load_from_file(str(path))


def write_conllu(parsed: Any, path: Path) -> None:
    path.write_text("".join(sentence.serialize() for sentence in parsed), encoding="utf-8")


def write_pyconll(loaded: Any, path: Path) -> None:
    with path.open("w", encoding="utf-8") as file:
        loaded.write(file)


TREEBANK_WRITERS = {"conllu": write_conllu, "pyconll": write_pyconll}


def python_orders(path: Path) -> list[list[int]]:
    """Read orders as a short script does."""
    with path.open() as lines:
        return [[int(word) for word in line.split()] for line in lines]


def python_alignments(path: Path) -> list[list[tuple[int, ...]]]:
    """Read links as a short script does."""
    with path.open() as lines:
        return [[tuple(map(int, link.split("-"))) for link in line.split()] for line in lines]


def python_reference_orders(
    rows: list[list[tuple[int, ...]]], lengths: list[int]
) -> list[list[int]]:
    """Sort source words by first target word; a word without one goes behind the one before."""
    orders = []
    for pairs, length in zip(rows, lengths, strict=True):
        first = [-1] * length
        for source, target in pairs:
            if first[source] < 0 or target < first[source]:
                first[source] = target
        for word in range(1, length):
            if first[word] < 0:
                first[word] = first[word - 1]
        orders.append(sorted(range(length), key=first.__getitem__))
    return orders


def r4_in_python(bank: Treebank) -> list[list[int]]:
    """Put heads last and what follows them in reverse, as a script would."""

    def write(tree: Tree, word: int) -> list[int]:
        children = tree.children(word)
        left = [child for child in children if child < word]
        right = [child for child in children if child > word]
        return [*(w for child in [*left, *right[::-1]] for w in write(tree, child)), word - 1]

    return [write(tree, tree.root) for tree in bank]


def sacrebleu_test(systems: list[tuple[str, list[str]]], target: list[str]) -> Callable[[], None]:
    """Return sacreBLEU's paired bootstrap; the statistics are computed by the first call."""
    paired_test: Any = importlib.import_module("sacrebleu.significance").PairedTest

    class Computed(sacrebleu.BLEU):
        """BLEU that remembers the statistics of texts that it has seen."""

        known: dict[int, Any] = {}

        def _extract_corpus_statistics(self, hypotheses: Any, references: Any) -> Any:
            if id(hypotheses) not in self.known:
                statistics = super()._extract_corpus_statistics(hypotheses, references)
                self.known[id(hypotheses)] = statistics
            return self.known[id(hypotheses)]

    metric = Computed(tokenize="none")
    return lambda: paired_test(systems, {"BLEU": metric}, [target], test_type="bs")()
