"""Training a translation model on parallel text."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments
from wordorder.alignment.statistical.align import ALIGNERS, align
from wordorder.alignment.statistical.parallel_text import MAX_CELLS
from wordorder.alignment.symmetrization import SYMMETRIZATION_METHODS
from wordorder.arrays import Int64, Ragged
from wordorder.errors import InputError, UsageError, choose, whole_number
from wordorder.messages import counted, names_arguments, percent
from wordorder.notes import note
from wordorder.order.completion import reorder_alignments, reorder_rows
from wordorder.progress import shows_progress
from wordorder.reordering.reordered_text import text_lines
from wordorder.reordering.rules import RuleSet
from wordorder.text.lockstep import line_count_mismatch, read_parallel
from wordorder.text.names import is_treebank
from wordorder.text.opening import Path, display_name
from wordorder.text.preparation import Preparation
from wordorder.text.raw_lines import RawLines
from wordorder.text.readers import read_whole, word_reader
from wordorder.text.tensors import require_writable
from wordorder.text.vocabulary import Vocabulary, number_lines
from wordorder.translation import extraction
from wordorder.translation.jumps import learn_jumps
from wordorder.translation.language_model import LanguageModel, as_raw, require_no_special
from wordorder.translation.model import DEFAULT_WINDOW, TranslationModel
from wordorder.translation.ngrams import MAX_ORDER, SPECIAL_WORDS
from wordorder.translation.phrase_table import TABLE_LIMIT, build_phrase_table
from wordorder.translation.preordering import Preordering, open_order
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Treebank

Lines = RawLines | Sequence[str]

# The reordering models.
MSD, MAXENT = "msd", "maxent"

# Called with the name of the stage, the number of sentences done, and their total.
OnStep = Callable[[str, int, int | None], object]


@dataclass(frozen=True)
class TranslationSettings:
    """How a translation model is trained.

    Attributes
    ----------
    max_phrase : int in 1 .. 8
        The maximum number of words of a phrase, source or target.
    table_limit : int
        The number of target phrases per source phrase to keep, most probable first.
    prune : float, "a+e" or "a-e", optional
        Leave out phrase pairs that co-occur no more often than by chance; see the parameter `limit`
        of `wordorder.translation.extraction.find_significant_pairs`.
    lm_order : int in 1 .. 6
        The order of the language model: the maximum number of words of an n-gram.
    window : int
        The default number of words that the decoder may jump over.
    lowercase : bool
        Whether to ignore case.
    reordering : {"msd", "maxent"}
        The model of the orientation of phrases. "msd": from counts of monotone, swapped and
        discontinuous phrase pairs (Koehn et al. 2005). "maxent": a maximum-entropy classifier,
        which predicts from the words at the end of the last phrase whether the next phrase is to
        its right or to its left (Zens & Ney 2006).
    seed : int
        The seed that shuffles the training examples of the maximum-entropy model.
    model, symmetrize, iterations
        See `wordorder.align`; used if no links are given.

    Raises
    ------
    UsageError
        If a value is not allowed; the message lists the allowed ones.
    """

    max_phrase: int = 7
    table_limit: int = TABLE_LIMIT
    prune: float | str | None = None
    lm_order: int = 4
    window: int = DEFAULT_WINDOW
    lowercase: bool = False
    reordering: str = MSD
    seed: int = 0
    model: str = "agreement"
    symmetrize: str = "grow-diag-final-and"
    iterations: int | None = None

    def __post_init__(self) -> None:
        for name, minimum, maximum in (
            ("max_phrase", 1, extraction.MAX_PHRASE_WORDS),
            ("table_limit", 1, None),
            ("lm_order", 1, MAX_ORDER),
            ("window", 0, None),
            ("seed", 0, None),
        ):
            whole_number(name, getattr(self, name), minimum, maximum)
        extraction.check_phrase_limit(self.prune)
        choose("symmetrize", self.symmetrize, SYMMETRIZATION_METHODS)
        choose("reordering", self.reordering, (MSD, MAXENT))
        ALIGNERS.load(self.model)


def train_translation(
    source: Lines | Treebank,
    target: Lines,
    *,
    alignments: Alignments | None = None,
    order: RuleSet | Path | None = None,
    parser: Path | None = None,
    lm: Sequence[Lines] = (),
    names: Sequence[str] = ("source", "target"),
    progress: OnStep | None = None,
    **options: Any,
) -> TranslationModel:
    """Train a phrase-based translation model on sentence pairs.

    It is a baseline for experiments with word order, and does not compete with neural translation.

    Parameters
    ----------
    source, target : lines
        One sentence per line, words separated by spaces. The source may be a treebank: `order` is
        applied to its trees unless a `parser` is named.
    alignments : Alignments, optional
        Links of these sentence pairs, with positions in the original source order; by default, they
        are computed.
    order : RuleSet, name or path, optional
        The rules that reorder the source before training, and before each translation with the
        model; see `wordorder.reordering.rules.open_rules`.
    parser : path or name, optional
        The parser whose trees `order` reads; see `wordorder.parsing.pipeline.loading.open_parser`.
    lm : sequence of lines, optional
        More text of the target language, on which the language model is trained too.
    names : sequence of str
        The names of source, target and each text of `lm` in messages.
    progress : callable, optional
        Called with the stage, ``ordering`` or ``aligning``, the number of sentences done, and their
        total, or None if it is unknown, as for the passes of an aligner.
    options
        The attributes of `TranslationSettings`.

    Raises
    ------
    InputError
        If source and target, or the alignments, differ in length; a link points past its
        sentence; no sentence pair has a link; or a target word is ``<unk>``, ``<s>`` or ``</s>``.
    UsageError
        If an option is unknown or its value is not allowed.
    ModelError
        If a parser or a learned order cannot be used.

    Warns
    -----
    note
        If sentence pairs have no links.

    Notes
    -----
    Phrase pairs are those that are consistent with the links (Koehn, Och & Marcu 2003); the
    language model is an interpolated modified Kneser–Ney model. The same text and seed give the
    same model, with any number of threads.

    Examples
    --------
    >>> english = ["the house", "the book", "a book", "a house"] * 3
    >>> german = ["das haus", "das buch", "ein buch", "ein haus"] * 3
    >>> model = train_translation(english, german, lm_order=2)
    >>> model.source_words, model.window
    (['<unk>', 'the', 'house', 'book', 'a'], 4)
    """
    unknown = set(options) - set(TranslationSettings.__dataclass_fields__)
    if unknown:
        names_of_options = ", ".join(TranslationSettings.__dataclass_fields__)
        raise UsageError(f"no option {sorted(unknown)[0]!r}; legal options: {names_of_options}")
    settings = TranslationSettings(**options)
    on_progress = progress or (lambda *_: None)
    preordering = open_order(order, parser)
    source_lines = (
        _rows_to_lines(source.form, source.offsets)
        if isinstance(source, Treebank)
        else as_raw(source)
    )
    target_texts = [as_raw(target), *map(as_raw, lm)]
    names = [
        *names,
        *(f"text {number} of lm" for number in range(len(names) - 1, len(target_texts))),
    ]
    if len(source_lines) != len(target_texts[0]):
        raise line_count_mismatch(names[0], len(source_lines), names[1], len(target_texts[0]))
    if alignments is not None and len(alignments) != len(source_lines):
        raise line_count_mismatch(alignments.path, len(alignments), names[0], len(source_lines))
    preparation = Preparation(case="lower" if settings.lowercase else "keep")
    rows, vocabulary = number_lines(preparation.normal(source_lines))
    _refuse_line_breaks(vocabulary.words, names[0])
    lengths = rows.lengths, number_lines(target_texts[0])[0].lengths
    _refuse_long(*lengths, names)
    if alignments is not None:
        alignments = alignments.with_lengths(*lengths)
    if preordering is not None:
        preordering_input = source if isinstance(source, Treebank) else source_lines
        sentence_count = len(source_lines)
        orders = preordering.orders(
            preordering_input, names[0], lambda done: on_progress("ordering", done, sentence_count)
        )
        rows = reorder_rows(rows, orders)
        if alignments is not None:
            alignments = reorder_alignments(alignments, orders)
    target_texts = [preparation.normal(text) for text in target_texts]
    if alignments is None:
        alignments = align(
            _rows_to_lines(Column(rows.values, vocabulary), rows.offsets),
            target_texts[0],
            model=settings.model,
            symmetrize=settings.symmetrize,
            iterations=settings.iterations,
            progress=lambda done: on_progress("aligning", done, None),
        )
    return _train_model(rows, vocabulary, target_texts, alignments, preordering, settings, names)


def summary(model: TranslationModel) -> list[str]:
    """Describe the training data and the size of a trained model in two lines."""
    about, table = model.about, model.phrases
    pairs = counted(about["phrase_pairs"], "phrase pair")
    jumps, pruned = model.jumps is not None, ""
    if about["prune"] is not None:
        share = percent(about["phrase_pairs"] - about["significant"], about["phrase_pairs"])
        pruned = f"; {share} of them meet no more often than by chance (pruned at {about['prune']})"
    return [
        f"{counted(about['sentence_pairs'], 'sentence pair')}, {counted(about['links'], 'link')}, "
        f"{pairs} of up to {counted(about['max_phrase'], 'word')}{pruned}",
        f"kept {counted(table.entries, 'phrase pair')} of {counted(len(table), 'source phrase')}; "
        f"language model of order {model.language_model.order} with "
        f"{counted(len(model.language_model), 'n-gram')}"
        + (f"; maximum-entropy reordering from {counted(about['jumps'], 'jump')}" if jumps else ""),
    ]


def _rows_to_lines(words: Column, offsets: Int64) -> RawLines:
    """Return rows of words as lines."""
    return RawLines.from_bytes(text_lines(words, offsets))


def _train_model(
    rows: Ragged,
    vocabulary: Vocabulary,
    target_texts: Sequence[RawLines],
    links: Alignments,
    preordering: Preordering | None,
    settings: TranslationSettings,
    names: Sequence[str],
) -> TranslationModel:
    """Estimate all parts of a model from source words, target lines and links."""
    _note_links(links, names)
    word_ids, target_vocabulary = number_lines(RawLines.concatenate(target_texts))
    _refuse_line_breaks(target_vocabulary.words, names[1])
    text_lengths = list(zip(names[1:], map(len, target_texts), strict=False))
    require_no_special(word_ids, target_vocabulary.words, text_lengths)
    # Id 0 is an unknown word, or in a lexicon the null word.
    source = Ragged(rows.values + np.int32(1), rows.offsets)
    target_ids = Ragged(word_ids.values + np.int32(len(SPECIAL_WORDS)), word_ids.offsets)
    target = target_ids[: len(source)]
    pairs = extraction.extract_phrase_pairs(source, target, links, settings.max_phrase)
    limit = extraction.check_phrase_limit(settings.prune)
    selected = (
        None if limit is None else extraction.find_significant_pairs(pairs, source, target, limit)
    )
    lexicon = extraction.WordTranslations.of(source, target, links)
    table = build_phrase_table(pairs, lexicon, limit=settings.table_limit, selected=selected)
    pair_count = len(pairs)
    del pairs
    jump_model, reordering_metadata = None, {}
    if settings.reordering == MAXENT:
        jump_options = {"longest": settings.max_phrase, "seed": settings.seed}
        source_vocabulary_size = len(vocabulary.words) + 1
        jump_model, table, jump_count = learn_jumps(
            source, target, links, table, source_vocabulary_size, **jump_options
        )
        reordering_metadata = {"reordering": MAXENT, "seed": settings.seed, "jumps": jump_count}
    words = [*SPECIAL_WORDS, *target_vocabulary.words]
    language_model = LanguageModel.estimate(target_ids, order=settings.lm_order, words=words)
    metadata = {
        "wordorder": __version__,
        "sentence_pairs": len(source),
        "source_words": len(source.values),
        "target_words": len(target.values),
        "links": len(links.source),
        "phrase_pairs": pair_count,
        "max_phrase": settings.max_phrase,
        "table_limit": settings.table_limit,
        "prune": limit,
        "significant": pair_count if selected is None else len(selected),
        **reordering_metadata,
    }
    return TranslationModel(
        table,
        language_model,
        [SPECIAL_WORDS[0], *vocabulary.words],
        window=settings.window,
        case="lower" if settings.lowercase else "keep",
        preordering=preordering,
        jumps=jump_model,
        about=metadata,
    )


def _refuse_line_breaks(words: Sequence[str], name: str) -> None:
    """Raise an error for words with a line break, which strings in memory may contain."""
    for word in words:
        if "\n" in word:
            raise InputError(name, f"a line break in {word!r}", "one sentence per line")


def _refuse_long(source: Int64, target: Int64, names: Sequence[str]) -> None:
    """Raise an error for sentence pairs that need too much memory, with the aligners' limit."""
    cells = source * target
    if len(cells) and cells.max() > MAX_CELLS:
        row = int(np.argmax(cells > MAX_CELLS))
        file_position = f"{' and '.join(map(str, names[:2]))}, sentence pair {row + 1}"
        problem = f"{source[row]} and {target[row]} words"
        raise InputError(
            file_position, problem, f"a product of at most {MAX_CELLS}; split the sentences"
        )


def _note_links(links: Alignments, names: Sequence[str]) -> None:
    """Write a note about sentence pairs without links; raise an error if all lack links."""
    unlinked = int((np.diff(links.offsets) == 0).sum())
    if unlinked == len(links):
        problem = "no sentence pairs" if not len(links) else "no sentence pair has a link"
        file_position = " and ".join(names[:2])
        raise InputError(file_position, problem, "linked sentence pairs to learn phrases from")
    if unlinked:
        pairs = counted(unlinked, "sentence pair")
        verb = "has" if unlinked == 1 else "have"
        note(
            f"{' and '.join(names[:2])}: {pairs} ({percent(unlinked, len(links))}) {verb} "
            "no links; no phrases are learnt from them"
        )


@names_arguments
@shows_progress("sentences", lambda line: {"progress": line.show})
def train_translation_files(
    source: Path,
    target: Path,
    output: Path,
    *,
    alignments: Path | None = None,
    alignment_format: str = "auto",
    one_based: bool = False,
    links: str = "all",
    strict: bool = False,
    order: RuleSet | Path | None = None,
    parser: Path | None = None,
    lm: Sequence[Path] = (),
    progress: OnStep | None = None,
    **options: Any,
) -> TranslationModel:
    """Train a translation model on two files, and write it.

    Parameters
    ----------
    source, target : path or "-"
        Tokenised text, one sentence per line; or a treebank, ``.conllu``, to whose trees `order` is
        applied unless a parser is named.
    output : path
        The file of the model; it is created only when the model is complete.
    alignments : path or "-", optional
        Links of the sentence pairs, with positions in the original source order; by default, they
        are computed.
    alignment_format, one_based, strict
        See `wordorder.read_alignments`.
    order, parser, progress, options
        See `wordorder.translation.train_translation`.
    lm : sequence of path
        More text of the target language.

    Raises
    ------
    InputError
        If a file cannot be read; see also `wordorder.translation.train_translation`.
    UsageError
        If an option is not allowed, or the model cannot be written.
    ModelError
        If a parser or a learned order cannot be used.
    """
    require_writable(output)
    with word_reader(source) as first, word_reader(target) as second:
        sides = read_parallel([first, second])
    trees = None
    if order is not None and parser is None and is_treebank(source):
        trees = read_treebank(source, trees="optional", single_root=False)
    names = [display_name(source), display_name(target)]
    aligned = None
    if alignments is not None:
        lengths = [number_lines(side)[0].lengths for side in sides]
        aligned = read_alignments(
            alignments,
            format=alignment_format,
            one_based=one_based,
            strict=strict,
            source_lengths=lengths[0],
            target_lengths=lengths[1],
            source_name=names[0],
            target_name=names[1],
            format_option="--alignment-format",
        ).counting(links)
    model = train_translation(
        sides[0] if trees is None else trees,
        sides[1],
        alignments=aligned,
        order=order,
        parser=parser,
        lm=[read_whole(path) for path in lm],
        names=[*names, *map(display_name, lm)],
        progress=progress,
        **options,
    )
    model.save(output)
    return model
