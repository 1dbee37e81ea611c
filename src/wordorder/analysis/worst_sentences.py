"""The sentences that a system orders worst."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.order_text import sentence_texts
from wordorder.analysis.placement import Placement
from wordorder.analysis.section import Section, Value
from wordorder.analysis.system import AnalysedSystem
from wordorder.types import Int64

NOTE = (
    "In a result, a bar marks the start of a new chunk, and parentheses enclose a word that the "
    "reference does not have. In the reference, {{ }} enclose words that may come in any order. "
    "Among sentences with the same value the longest come first."
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
        key=f"worst-sentences{suffix}",
        title=f"The worst sentences: {system.name}",
        reading=f"{system.name} orders {whole} of {placement.scored} sentences as the reference "
        f"does; those with the worst {metric} come first.",
        header=(
            "sentence",
            *(("id",) if names and names[0] else ()),
            *(metric, "words", "broken", "source", "result", "reference"),
        ),
        rows=tuple(table),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE,
    )


def sentence_names(corpus: Corpus, sentences: list[int]) -> list[tuple[str | None, ...]]:
    """Return the ``sent_id`` of each sentence in a tuple, or empty tuples if none has any."""
    names = [corpus.words.margins[sentence].value("sent_id") for sentence in sentences]
    return [(name,) for name in names] if any(names) else [() for _ in names]
