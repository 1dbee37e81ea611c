"""The error analysis of translations: all sections of it, and those of single sentences."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from wordorder.analysis import section
from wordorder.analysis.analysed import Analysis, named_systems
from wordorder.analysis.answer import answer_sentence, closest_rival
from wordorder.analysis.sentence_tables import ranked_differences, sentence_section, worst_sentences
from wordorder.analysis.tally import NEAR
from wordorder.analysis.translations.block_sections import block_sections
from wordorder.analysis.translations.difference import DECOMPOSED_METRICS, difference
from wordorder.analysis.translations.difference_examples import typical_sentences
from wordorder.analysis.translations.difference_sections import (
    difference_sections,
    keep_significant_findings,
)
from wordorder.analysis.translations.duplicates import alike_systems_section, duplicates_section
from wordorder.analysis.translations.lengths import (
    length_difference_section,
    score_by_length_sections,
)
from wordorder.analysis.translations.ngrams import ngram_sections
from wordorder.analysis.translations.scores import (
    TestedScores,
    overview_section,
    significance_section,
    uneven_matches,
)
from wordorder.analysis.translations.source import literalness_section, reordering_section
from wordorder.analysis.translations.stored import free_memory, move_to_file
from wordorder.analysis.translations.translations import (
    MARKS_NOTE,
    TRANSLATION_MARKS,
    TranslatedSystem,
    Translations,
)
from wordorder.analysis.translations.word_classes import WordClasses
from wordorder.analysis.translations.words import word_sections
from wordorder.errors import UsageError, choose
from wordorder.messages import counted
from wordorder.metrics.contract import require_segments
from wordorder.metrics.registry import called
from wordorder.metrics.text.edits import CoverDisjointErrorRate
from wordorder.notes import note, note_memory
from wordorder.scoring.comparisons import WORDS
from wordorder.statistics.documents import Documents
from wordorder.statistics.intervals import ResamplingPlan
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import CLOSE, ESCAPES, OPEN, REFERENCE_BREAK, Marked

ROWS = 20

RESAMPLES = 1000

# With fewer resamples standard errors are too rough for tests that are corrected.
FEWEST = 200

# How texts of tables with two translations in a row are marked.
NOTE_OF_TWO = (
    f"{TRANSLATION_MARKS} In a reference, {OPEN}these words{CLOSE} are in neither translation; if "
    f"each translation has its own reference, {REFERENCE_BREAK} is between the two, and these "
    f"words are not in the one translation. {ESCAPES}"
)

# Bytes of memory that the tables take per word of the outputs.
WORD_BYTES = 30


def analyze(
    translations: Translations,
    *,
    focus: Sequence[str] = (),
    hypothesis: str | Sequence[str] = (),
    words: str = "common",
    rows: int = ROWS,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    documents: Documents | None = None,
) -> Analysis[Translations]:
    """Find where and why the translations of systems are in the wrong order.

    Parameters
    ----------
    translations : Translations
    focus : sequence of str
        The systems whose sentences are looked at; by default the best one and the next.
    hypothesis : str or sequence of str
        Kinds of words that were chosen before the outputs were seen: their parts of the difference
        in FRS or Kendall's tau are corrected for each other alone.
    words : "common" or "own"
        On which words order metrics compare systems: on the reference words that both systems of a
        pair match, or each on its own.
    rows : int
        How many rows a table has at most; those that follow each other, as groups of sentences,
        have all.
    level, resamples, seed
        Of the intervals.
    documents : Documents, optional
        Those of the segments, if intervals and tests draw documents.

    Returns
    -------
    Analysis
        What needs a source with links, or trees, is left out where there are none.

    Raises
    ------
    UsageError
        If `focus` names a system that there is not, or one twice, or `hypothesis` an unknown kind,
        or one where no difference is cut into kinds.
    InputError
        If there are no segments.

    Examples
    --------
    >>> from wordorder.analysis.translations.files import translations_of
    >>> lines = {"A": ["on tuesday we met"], "B": ["we met on tuesday"]}
    >>> found = analyze(translations_of(lines, ["we met on tuesday"]))
    >>> [section.key for section in found.sections][:3]
    ['systems', 'tests', 'frs-difference']
    """
    require_segments(len(translations))
    free_memory()
    total = sum(len(system.texts.hypothesis.values) for system in translations.systems)
    segments = counted(len(translations), "segment")
    note_memory(
        f"{segments} of {counted(len(translations.systems), 'system')}",
        WORD_BYTES * total,
        "a sample of the lines needs less",
    )
    drawn = ResamplingPlan(level, resamples or RESAMPLES, seed, documents, resamples)
    own = choose("words", words, WORDS) == "own"
    scores = TestedScores.of(translations, drawn, own=own)
    if drawn.resamples < FEWEST and len(translations.systems) > 1:
        note(
            f"with resamples={resamples} hardly any finding can be sure after it is corrected "
            f"for the number of findings: take at least {FEWEST}"
        )
    best = tuple(scores.intervals[0].ranked()[:2])
    tables = block_sections, word_sections, partial(ngram_sections, best=best[0])
    chosen = named_systems(focus, translations.names) or best
    edits: list[section.Section] = []
    # What is known of each word is most of the memory: it goes as soon as a table has its sums.
    for make in tables:
        edits += map(_with_findings_aside, make(translations))
        translations.forget_derived()
    explained = _difference_sections(
        translations,
        scores,
        chosen if focus else (),
        drawn,
        (hypothesis,) if isinstance(hypothesis, str) else hypothesis,
        own=own,
    )
    free_memory()
    made: list[section.Section | None] = [
        overview_section(scores, translations),
        significance_section(scores),
        *explained,
        *section.signed(edits, _cder_signature(translations)),
        reordering_section(translations, drawn),
        literalness_section(translations, drawn),
        *score_by_length_sections(translations, drawn),
        length_difference_section(translations),
        *_sentence_sections(translations, scores, chosen, rows),
        duplicates_section(translations),
        alike_systems_section(translations),
    ]
    free_memory()
    found = keep_significant_findings(
        [_with_findings_aside(each) for each in made if each is not None], drawn
    )
    sections = section.shortened(_with_examples(found, translations), rows)
    answer = _answer(translations, scores)
    if own and translations.common_pairs:
        answer += " Systems are compared on their own matched words, not on common ones."
    translations.forget_derived()
    return Analysis(translations, scores.intervals, tuple(sections), answer, scores.comparisons)


def _with_findings_aside(table: section.Section) -> section.Section:
    """Keep what findings have of each segment in a temporary file, if it is much."""
    return replace(table, findings=tuple(map(move_to_file, table.findings)))


def _with_examples(
    sections: Sequence[section.Section], translations: Translations
) -> list[section.Section]:
    """Cite the sentences that show each finding best, where it says how often it can be seen.

    A finding that no sentence shows is left out.
    """
    systems = translations.systems
    lengths = np.max([system.references.lengths for system in systems], axis=0)
    lengths = np.max([lengths, *(system.texts.hypothesis.lengths for system in systems)], axis=0)
    edits = np.zeros(len(translations))
    for system in systems:
        edits[system.compared] += system.distances / len(systems)
    return [
        replace(
            table,
            findings=tuple(
                finding
                if finding.seen is None
                else replace(finding, examples=typical_sentences(finding.seen, edits, lengths))
                for finding in table.findings
                if finding.seen is None or finding.seen.max() > NEAR
            ),
        )
        for table in sections
    ]


def _difference_sections(
    translations: Translations,
    scores: TestedScores,
    chosen: tuple[int, ...],
    drawn: ResamplingPlan,
    hypotheses: Sequence[str],
    *,
    own: bool,
) -> list[section.Section]:
    """Make the tables that say why one of two systems is better, pair by pair.

    What is cut into parts is the first metric, or else FRS.
    """
    names = [metric.name for metric in translations.metrics]
    name = names[0] if names[0] in DECOMPOSED_METRICS else "frs"
    pairs: list[tuple[int, int]] = []
    ranked: list[int] = []
    if len(translations.systems) > 1 and name in names and len(chosen) != 1:
        scored = scores.intervals[names.index(name)]
        ranked = scored.ranked()
        pairs = _explained_pairs(scores.comparisons[names.index(name)], ranked, chosen)
    tables: list[list[section.Section]] = []
    classes = WordClasses.of(translations.texts, translations.trees) if pairs else None
    for pair in pairs:
        found = difference(translations, pair, drawn, name, hypotheses, classes, on_own_words=own)
        # Between outputs of the same words in the same order there is nothing to explain.
        if found is None or not (
            found.unequal_words or any(part.points for part in (found.total, *found.classes))
        ):
            continue
        between = ranked[ranked.index(pair[0]) + 1 : ranked.index(pair[1])]
        skipped = () if chosen or tables else [translations.names[number] for number in between]
        tables.append(difference_sections(found, scored.signature, drawn, skipped, len(tables)))
    if hypotheses and not tables:
        raise UsageError(
            f"--hypothesis={hypotheses[0]}: no difference is cut into kinds of words: that needs "
            "two systems, and frs or kendall of matched words among the metrics"
        )
    return list(section.numbered_sections(tables, findings=True))


def _explained_pairs(
    comparison: Comparison, ranked: list[int], chosen: tuple[int, ...]
) -> list[tuple[int, int]]:
    """Return the pairs of systems that are explained, the better one of each first.

    The two that were chosen, or the best one with each system that is surely worse; the best two
    where none is.
    """
    first, *others = [number for number in ranked if number in (chosen or ranked)[:2] or not chosen]
    worse = [each for each in others if comparison.pair(each, first).mark == "+**"]
    pairs = [(first, each) for each in (not chosen and worse) or others[:1]]
    # On the words that both match, the one with the lower score may be better.
    return [
        pair if comparison.pair(*pair).difference <= 0 else (pair[1], pair[0]) for pair in pairs
    ]


def _cder_signature(translations: Translations) -> str:
    """Say what CDER the sections that count edits are of: on words that the aligner matches."""
    columns = translations.systems[0].segments.described(("text", "permutation"))
    return str(CoverDisjointErrorRate().signature().with_fields(*columns))


def _answer(translations: Translations, scores: TestedScores) -> str:
    """Say which system is best, by the first metric, and over how many words if that differs."""
    metric = scores.intervals[0].metric
    if all(np.isnan(system.scores[0]).all() for system in translations.systems):
        return f"No segment has what {called(metric)} needs: matched words, or a reference."
    orders = set(translations.metrics[0].columns) == {"permutation"}
    answer = answer_sentence(
        scores.intervals[0],
        scores.comparisons[0],
        level=scores.plan.level,
        # Other metrics see wrong words too.
        claim="orders words best" if orders else "is best",
    )
    two = scores.intervals[0].ranked()[:1]
    if len(translations.systems) > 1:
        two.append(closest_rival(scores.comparisons[0]))
    uneven = uneven_matches(translations, two)
    return f"{answer} {uneven}".rstrip()


def _sentence_sections(
    translations: Translations, scores: TestedScores, chosen: tuple[int, ...], rows: int
) -> Iterator[section.Section]:
    """Yield the sentences on which the systems differ, and the worst of each."""
    first, *others = chosen
    yield from section.numbered_sections(
        [differences_section(translations, scores, (first, other), rows=rows)] for other in others
    )
    tables = (loss_section, worst_section)
    made = ([table(translations, number, rows=rows) for table in tables] for number in chosen)
    yield from section.numbered_sections(filter(None, each) for each in made)


def differences_section(
    translations: Translations, scores: TestedScores, pair: tuple[int, int], *, rows: int = 20
) -> section.Section:
    """Make the table ``sentence-differences`` of two systems, under the first metric.

    Parameters
    ----------
    translations : Translations
    scores : TestedScores
        Of these.
    pair : two int
        The systems, by number.
    rows : int
        How many sentences.
    """
    first, second = (translations.systems[number] for number in pair)
    name = called(translations.metrics[0].name)
    ranked, gain = ranked_differences(translations, pair)
    chosen = ranked[:rows].tolist()
    values = first.scores[0][chosen], second.scores[0][chosen]
    better, worse = int(np.count_nonzero(gain > 0)), int(np.count_nonzero(gain < 0))
    equal = int(np.count_nonzero(gain == 0))
    test = scores.comparisons[0].pair(pair[1], pair[0])
    between = ""
    if test.interval_95 is not None:
        low, high = test.interval_95
        between = f", with a 95 % interval from {low:+.4f} to {high:+.4f}"
    difference = "No sentence has a score under both."
    if not np.isnan(test.difference):
        difference = (
            f"The difference on the whole corpus is {test.difference:+.4f} {name}{between} "
            f"(p = {max(test.p_value, 1e-4):.4f}, {scores.comparisons[0].test_name}): "
            f"{'more than chance.' if test.mark.endswith('**') else 'that may be chance.'}"
        )
    return section.Section.of_columns(
        {
            "sentence": [sentence + 1 for sentence in chosen],
            f"{name} of {first.name}": values[0],
            f"{name} of {second.name}": values[1],
            "difference": values[0] - values[1],
            f"translation of {first.name}": list(map(first.marked_translation, chosen)),
            f"translation of {second.name}": list(map(second.marked_translation, chosen)),
            "reference": [_reference_of_two(first, second, sentence) for sentence in chosen],
        },
        key="sentence-differences",
        group=section.Group.SENTENCES,
        title=f"Sentences where systems differ most: {first.name} and {second.name}",
        reading=f"{first.name} scores better than {second.name} in {counted(better, 'sentence')}, "
        f"worse in {worse}, the same in {equal}. {difference}",
        examples=tuple((sentence,) for sentence in chosen),
        note=NOTE_OF_TWO,
        signature=translations.segment_signature(),
    )


def _reference_of_two(first: TranslatedSystem, second: TranslatedSystem, sentence: int) -> Marked:
    """Return the reference of two translations, or both if each has its own nearest one."""
    if first.rows[sentence] == second.rows[sentence]:
        return first.marked_reference(sentence, second)
    references = first.marked_reference(sentence), second.marked_reference(sentence)
    return Marked(f" {REFERENCE_BREAK} ".join(references))


def worst_section(translations: Translations, number: int, *, rows: int = 20) -> section.Section:
    """Make the table ``worst-sentences`` of a system, under the first metric.

    Parameters
    ----------
    translations : Translations
    number : int
        The index of the system.
    rows : int
        How many sentences.
    """
    metric, system = translations.metrics[0], translations.systems[number]
    ranked = worst_sentences(translations, number)
    best = 1.0 if metric.higher_is_better else 0.0
    right = int(np.count_nonzero(np.round(system.scores[0], 12) == best))
    return sentence_section(
        *(translations, number, ranked[:rows].tolist()),
        key="worst-sentences",
        title=f"Worst sentences: {system.name}",
        reading=f"{system.name} has the best {called(metric.name)} there is, {best:g}, on {right} "
        f"of {counted(len(ranked), 'sentence')}; the sentences with the worst come first.",
        note=f"{MARKS_NOTE} Points of CDER: what the sentence adds to the corpus CDER. Of "
        "sentences with equal scores, the longest come first.",
    )


def loss_section(
    translations: Translations, number: int, *, rows: int = 20
) -> section.Section | None:
    """Make the table ``lossy-sentences``: those that add most to the CDER of the corpus.

    Parameters are those of `worst_section`. None if there are no reference words.
    """
    lost = translations.cder_losses(number)
    if lost is None:
        return None
    order = np.argsort(-lost, kind="stable")
    chosen, name = order[:rows].tolist(), translations.names[number]
    total, part = 100 * float(lost.sum()), 100 * float(lost[chosen].sum())
    table = sentence_section(
        *(translations, number, chosen),
        key="lossy-sentences",
        title=f"Sentences that lose most: {name}",
        reading=f"The {counted(len(chosen), 'sentence')} with most edits and jumps account for "
        f"{part:.2f} of the {total:.2f} points of CDER of {name}.",
        note=MARKS_NOTE,
    )
    return replace(table, signature=_cder_signature(translations))
