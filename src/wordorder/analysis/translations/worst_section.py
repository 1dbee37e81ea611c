"""The worst translations of a system, and the sentences that lose most."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.cder_edits import cder_statistics
from wordorder.analysis.translations.losses import sentence_losses
from wordorder.analysis.translations.marked_text import NOTE, marked_texts
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.analysis.translations.translations import Translations
from wordorder.counts import counted
from wordorder.metrics.called import called
from wordorder.metrics.text.cder import CoverDisjointErrorRate
from wordorder.types import Float64, Int64


def worst_section(
    translations: Translations, system: TranslatedSystem, *, rows: int = 20, suffix: str = ""
) -> Section:
    """Make the table ``worst-sentences`` of a system, under the first metric.

    Parameters
    ----------
    translations : Translations
    system : TranslatedSystem
        One of these.
    rows : int
        How many sentences.
    suffix : str
        What the key ends in.
    """
    metric = translations.metrics[0]
    name = called(metric.name)
    ranked = ranked_sentences(system, metric.higher_is_better)
    chosen = ranked[:rows].tolist()
    lost = sentence_losses(CoverDisjointErrorRate(), cder_statistics(translations, system))
    best = 1.0 if metric.higher_is_better else 0.0
    right = int(np.count_nonzero(np.round(system.scores[0], 12) == best))
    return Section(
        key=f"worst-sentences{suffix}",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} has the best {name} there is, {best:g}, on {right} of "
        f"{counted(len(ranked), 'sentence')}; the sentences with the worst come first.",
        header=("sentence", name, "points of CDER", "words", *_text_header(translations)),
        rows=tuple(_row(translations, system, lost, sentence) for sentence in chosen),
        examples=tuple((sentence,) for sentence in chosen),
        note=f"{NOTE} Points of CDER: what the sentence adds to the corpus CDER. Of sentences "
        "with equal scores, the longest come first.",
        signature=translations.segment_signature(0),
    )


def loss_section(
    translations: Translations, system: TranslatedSystem, *, rows: int = 20, suffix: str = ""
) -> Section | None:
    """Make the table ``lossy-sentences``: those that add most to the CDER of the corpus.

    Parameters are those of `worst_section`. None if there are no reference words.
    """
    lost = sentence_losses(CoverDisjointErrorRate(), cder_statistics(translations, system))
    if lost is None:
        return None
    order = np.lexsort((np.arange(len(lost)), -lost))
    chosen = order[:rows].tolist()
    total, part = 100 * float(lost.sum()), 100 * float(lost[order[:rows]].sum())
    sentences = counted(len(chosen), "sentence")
    return Section(
        key=f"lossy-sentences{suffix}",
        title=f"Sentences that lose most: {system.name}",
        reading=f"The {sentences} with most edits and jumps account for {part:.2f} of the "
        f"{total:.2f} points of CDER of {system.name}.",
        header=(
            *("sentence", called(translations.metrics[0].name), "points of CDER", "words"),
            *_text_header(translations),
        ),
        rows=tuple(_row(translations, system, lost, sentence) for sentence in chosen),
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE,
    )


def ranked_sentences(system: TranslatedSystem, higher_is_better: bool) -> Int64:
    """Return the numbers of the scored sentences, the worst first; of equal ones the longest.

    Examples
    --------
    >>> from wordorder.analysis.translations.given_translations import translations_of
    >>> found = translations_of({"A": ["b a", "a b", "c b a"]}, ["a b", "a b", "a b c"])
    >>> ranked_sentences(found.systems[0], True).tolist()
    [2, 0, 1]
    """
    scored = np.flatnonzero(~np.isnan(system.scores[0]))
    scores = np.round(system.scores[0][scored], 12)
    lengths = system.references.lengths[scored]
    order = np.lexsort((scored, -lengths, scores if higher_is_better else -scores))
    return scored[order]


def _text_header(translations: Translations) -> tuple[str, ...]:
    source = () if translations.texts.source is None else ("source",)
    return (*source, "translation", "reference")


def _row(
    translations: Translations, system: TranslatedSystem, lost: Float64 | None, sentence: int
) -> tuple[Value, ...]:
    score = float(system.scores[0][sentence])
    texts = system.texts
    source: tuple[str, ...] = ()
    if texts.source is not None:
        source = (" ".join(texts.words_of(texts.source[sentence : sentence + 1])[0]),)
    return (
        sentence + 1,
        None if np.isnan(score) else score,
        None if lost is None else 100 * float(lost[sentence]),
        int(system.references.lengths[sentence]),
        *source,
        *marked_texts(system, sentence),
    )
