"""English sentences with reference orders from links of our own aligner, and the trees of EWT.

Of small_parallel_enja (lower case, 4 to 16 words); the aligner is trained on the same 50,000 pairs,
and words without a link are dropped. Lines 1 to 4,000 are to learn from; lines 44,001 to 47,000,
which no parser sees, are to test on. The aligner made the references of both.
"""

from __future__ import annotations

from pathlib import Path

from papers.rule_corpora import tanaka_orders
from wordorder.order.reading import write_orders
from wordorder.parsing import train_parser_files
from wordorder.parsing.training.training_run import TrainingRun
from wordorder.reordering import open_rules
from wordorder.training import SelfTraining, self_train
from wordorder.treebank import Treebank, read_treebank
from wordorder.treebank.reading import write_treebank

CHOSEN, TESTED = slice(0, 4000), slice(44_000, 47_000)
SMALL = 2000


class Corpus:
    """The data, of which SCRATCH keeps files.

    Attributes
    ----------
    train, dev : Treebank
        Of UD English EWT.
    text, orders : Path
        The sentences to learn from and their reference orders.
    tested, reference : Treebank and Orders
        The words of the test sentences, and their reference orders.
    rules : RuleSet
        R5.
    """

    def __init__(self, data: Path, scratch: Path) -> None:
        self.scratch = scratch
        folder = data / "ud-english-ewt"
        self.train = read_treebank(folder / "en_ewt-ud-train.conllu.gz")
        self.dev = read_treebank(folder / "en_ewt-ud-dev.conllu.gz")
        english, orders = tanaka_orders(data, scratch)
        self.text, self.orders = scratch / "chosen.txt", scratch / "chosen.orders"
        self.text.write_text("".join(" ".join(row) + "\n" for row in english[CHOSEN]))
        write_orders(orders[CHOSEN], self.orders)
        self.tested = Treebank.from_words(english[TESTED])
        self.reference = orders[TESTED]
        self.rules = open_rules("R5")

    def treebank(self) -> Path:
        """Return a file of the first trees."""
        path = self.scratch / f"ewt-{SMALL}.conllu"
        if not path.exists():
            write_treebank(path, self.train[:SMALL])
        return path

    def base_model(self, seed: int) -> Path:
        """Return the parser that is trained on these trees alone."""
        path = self.scratch / f"base1-{SMALL}-{seed}.model"
        if not path.exists():
            train_parser_files(self.treebank(), TrainingRun(path, seed=seed, restart=True))
        return path

    def targeted_model(self, seed: int) -> Path:
        """Return the parser that is trained again, the treebank twice in an epoch."""
        path = self.scratch / f"targeted-{SMALL}-{seed}.model"
        if not path.exists():
            lists = SelfTraining(
                text=self.text,
                reference=self.orders,
                rules="R5",
                kbest_tags=8,
                start=self.base_model(seed),
            )
            run = TrainingRun(path, seed=seed, resume=True)
            self_train([self.treebank()] * 2, run, lists)
        return path
