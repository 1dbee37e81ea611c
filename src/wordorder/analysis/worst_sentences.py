"""The sentences with the worst orders of a system."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.examples import SHOWN
from wordorder.analysis.finding import Finding
from wordorder.analysis.order_text import sentence_texts
from wordorder.analysis.placement import Placement
from wordorder.analysis.points import of_the_loss
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.drawing.marks import BREAK, CLOSE, END_OF_TIE, ESCAPES, OPEN, TIE
from wordorder.metrics.called import called
from wordorder.types import Int64

# The worst of fewer sentences say nothing.
FEW = 20
NOTE = (
    f"In a system order, {BREAK} marks the start of a new chunk, and {OPEN}these words{CLOSE} are "
    f"not in the reference. In the reference order, {TIE} these words {END_OF_TIE} may come in any "
    f"order. {ESCAPES} Of sentences with equal scores, the longest come first."
)


def worst_sentences(
    corpus: Corpus, system: AnalysedSystem, *, higher_is_better: bool = True
) -> Int64:
    """Return the numbers of the scored sentences, the worst first.

    Of equal scores longer sentences come first, of equally long ones the earlier.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.treebank.treebank import Treebank
    >>> orders = Orders.from_rows([[0, 1], [1, 0], [2, 1, 0]])
    >>> words = Treebank.from_words([["a", "b"], ["a", "b"], ["a", "b", "c"]])
    >>> corpus = Corpus(words, Orders.from_rows([[0, 1], [0, 1], [0, 1, 2]]))
    >>> system = AnalysedSystem("A", orders, np.array([1.0, 0, 0]), np.zeros(3, bool))
    >>> worst_sentences(corpus, system).tolist()
    [2, 1, 0]
    """
    scored = np.flatnonzero(~system.skipped)
    scores = np.round(system.scores[scored], 12)
    order = np.lexsort(
        (scored, -corpus.words.lengths[scored], scores if higher_is_better else -scores)
    )
    return scored[order]


def worst_sentence_section(
    corpus: Corpus,
    system: AnalysedSystem,
    placement: Placement,
    *,
    metric: str = "frs",
    higher_is_better: bool = True,
    rows: int = 20,
    suffix: str = "",
) -> Section:
    """Make the table ``worst-sentences``.

    Parameters
    ----------
    corpus : Corpus
    system : AnalysedSystem
    placement : Placement
        Of the system.
    metric : str
        What tables call the scores.
    higher_is_better : bool
    rows : int
        How many sentences.
    suffix : str
        What the key ends in.
    """
    ranked = worst_sentences(corpus, system, higher_is_better=higher_is_better)
    chosen = ranked[:rows].tolist()
    names = sentence_names(corpus, chosen)
    boundaries = np.bincount(placement.sentences[placement.begins], minlength=len(corpus.words))
    whole = placement.scored - int(np.count_nonzero(boundaries))
    table: list[tuple[Value, ...]] = []
    for sentence, name in zip(chosen, names, strict=True):
        table.append(
            (
                sentence + 1,
                *name,
                float(system.scores[sentence]),
                int(corpus.words.lengths[sentence]),
                int(boundaries[sentence]),
                *sentence_texts(corpus, sentence, system.orders, placement),
            )
        )
    return Section(
        findings=_findings(system, placement, len(corpus.words)),
        key=f"worst-sentences{suffix}",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} orders {whole} of {placement.scored} sentences as the reference "
        f"does; sentences with the worst {called(metric)} come first.",
        header=(
            "sentence",
            *(("id",) if names and names[0] else ()),
            *(metric, "words", "broken", "source", "system order", "reference order"),
        ),
        rows=tuple(table),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE,
    )


def _findings(system: AnalysedSystem, placement: Placement, sentences: int) -> tuple[Finding, ...]:
    """Say how much is lost in the tenth of the sentences that lose most."""
    lost = 100 * np.bincount(placement.sentences, placement.lost, sentences)
    worst = np.argsort(-np.round(lost, 12), kind="stable")[: -(-placement.scored // 10)]
    total = float(lost[worst].sum())
    if placement.scored < FEW or total <= 0:
        return ()
    sentence = (
        f"The {len(worst)} worst of {placement.scored} sentences of {system.name} account for "
        f"{of_the_loss(total, placement.frs)}."
    )
    return (Finding(sentence, total, tuple(worst[:SHOWN].tolist())),)


def sentence_names(corpus: Corpus, sentences: list[int]) -> list[tuple[str | None, ...]]:
    """Return the ``sent_id`` of each sentence in a tuple, or empty tuples if none has any."""
    names = [corpus.words.margins[sentence].value("sent_id") for sentence in sentences]
    return [(name,) for name in names] if any(names) else [() for _ in names]
