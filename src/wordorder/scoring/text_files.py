"""Translations against reference translations, as a kind of files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.arrays import Int64, OnProgress, row_offsets
from wordorder.errors import UsageError
from wordorder.messages import counted, joined, percent
from wordorder.notes import note, note_counts
from wordorder.options import (
    AlignerOptions,
    AlignmentFileOptions,
    GoldNotationOptions,
    NotationOptions,
    OrderOptions,
    RootOptions,
    options_of,
)
from wordorder.scoring.files import (
    ALIGNMENT_SUFFIXES,
    ORDER_SUFFIX,
    Counts,
    FileKind,
    Files,
    Inputs,
    SegmentsFactory,
    StreamStart,
    is_bilingual,
)
from wordorder.segments import Segments
from wordorder.text.lines import read_lines
from wordorder.text.lockstep import RowSource
from wordorder.text.names import (
    can_be_peeked_at,
    is_treebank,
    read_only_once,
    without_compression,
)
from wordorder.text.opening import display_name
from wordorder.text.preparation import SAMPLE_LINES
from wordorder.text.raw_lines import RawLines, interleaved
from wordorder.text.readers import word_reader
from wordorder.text.sniffing import SAMPLE, marked_share, uncut_note

if TYPE_CHECKING:
    from wordorder.alignment.monolingual import MonolingualAligner
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.source_aligner import SourceAligner
    from wordorder.text.preparation import Preparation


# A note is logged from this share of words with marks of tokenizers on, or from this number of
# lines that end in " .".
_MIN_MARKED_SHARE, _MIN_SEPARATE_STOPS = 0.01, 100


class TextFiles(FileKind):
    """Translations, with an aligner or alignments if word orders are derived from them.

    Attributes
    ----------
    has_other_readers : bool
        Whether words, orders and links are used by more than the metrics; then options for them are
        never reported as unused.
    """

    has_other_readers: ClassVar[bool] = False

    name = "text"
    default_metrics = "frs,cder,bleu"

    def __init__(self, files: Files) -> None:
        super().__init__(read_stream_start(files))
        self.bilingual = is_bilingual(files.aligner)
        self._source_aligner: SourceAligner | None = None
        has_modules = files.aligner is not None and not self.bilingual
        which = "without a match" if has_modules else "that only one alignment links"
        self.dropped = f"the word orders leave out {{}} {which}"

    @property
    def columns(self) -> set[str]:
        """The columns of `Segments`: text, and orders and links if they are derived."""
        columns = {"text", "lines"}
        if self.files.aligner is not None or self.files.reference_alignments:
            columns.add("permutation")
        if self.files.hypothesis_alignments or self.bilingual:
            columns.add("links")
        return columns

    @property
    def trains(self) -> bool:
        """Whether `learn` trains an aligner on these files."""
        return self.bilingual and not os.path.isfile(str(self.files.aligner))

    def learn(self, progress: OnProgress | None) -> None:
        """Load or train the aligner that links all translations with the source."""
        if self.bilingual:
            from wordorder.scoring.source_aligner import SourceAligner

            self._source_aligner = SourceAligner.of_files(self.files, self.preparation, progress)

    @cached_property
    def preparation(self) -> Preparation:
        """The preparation of lines; the default tokenizer depends on the first reference lines."""
        from wordorder.text.preparation import Preparation

        files = self.files
        case = "lower" if files.lowercase else "keep"
        tokenizer = files.tokenizer
        # The positions in links refer to the words of the files.
        has_links = files.compares_alignments or self.bilingual
        if tokenizer == "auto" and (has_links or _has_treebank(files)):
            tokenizer = "none"
        preparation = Preparation(tokenizer, case, files.normalization, files.empty_references)
        if tokenizer == "auto":
            preparation = preparation.chosen_for(reference_sample(files))
        return preparation

    def check(self) -> None:
        """Refuse options that need other options, or have no effect on translations."""
        files = self.files
        files.check_standard_input()
        for path in map(without_compression, files.system_paths if files.kind == "auto" else ()):
            if path.endswith((ORDER_SUFFIX, *ALIGNMENT_SUFFIXES)):
                contents = "alignments" if path.endswith(ALIGNMENT_SUFFIXES) else "orders"
                problem = f"{path} is named as {contents} are"
                raise UsageError(
                    f"{problem}, but {files.reference} is taken for text; say what they are: "
                    "--input"
                )
        if files.aligner is None:
            reason = "is for --aligner (meteor has its own: -O=meteor.language=...)"
            files.refuse(options_of(AlignerOptions), reason)
        elif self.bilingual:
            self._check_bilingual(files.aligner)
        else:
            self._check_modules(files.aligner)
        files.refuse(options_of(RootOptions), "is for trees")
        if files.compares_alignments:
            self._check_alignments()
        else:
            allowed = ("rule", "unaligned") if self.bilingual else ()
            groups = (AlignmentFileOptions, OrderOptions, NotationOptions, GoldNotationOptions)
            refused = [name for name in options_of(*groups) if name not in allowed]
            files.refuse(refused, "is for --hypothesis-alignments and --reference-alignments")

    def _check_bilingual(self, aligner: str) -> None:
        from wordorder.alignment.monolingual.candidates import MODULES
        from wordorder.alignment.statistical.align import ALIGNERS

        if not os.path.isfile(aligner) and aligner not in ALIGNERS.names():
            raise ALIGNERS.unknown(aligner, *MODULES)
        modules = [name for name in options_of(AlignerOptions) if name != "aligner"]
        self.files.refuse(modules, f"is for --aligner=exact+stem, not for {aligner}")
        if self.files.source is None:
            remedy = "exact+stem matches the words of translation and reference"
            raise UsageError(f"--aligner={aligner} links translations with --source; {remedy}")

    def _check_modules(self, aligner: str) -> None:
        if "," in aligner:
            raise UsageError(f"--aligner joins its modules by +: {aligner.replace(',', '+')}")
        for module, option, resource in (
            ("synonym", "--aligner-synonyms", self.files.synonyms),
            ("paraphrase", "--aligner-paraphrases", self.files.paraphrases),
        ):
            if (module in aligner.split("+")) != (resource is not None):
                raise UsageError(f"--aligner with {module} and {option} need each other")

    def _check_alignments(self) -> None:
        files = self.files
        if files.aligner is not None:
            raise UsageError("--aligner or alignments: word orders come from one of them")
        if files.source is None:
            raise UsageError("--hypothesis-alignments and --reference-alignments need --source")
        if not files.hypothesis_alignments:
            raise UsageError("--reference-alignments needs --hypothesis-alignments too")
        files.check_one_each("hypothesis_alignments", "system", len(files.systems))
        if files.reference_alignments:
            files.check_one_each("reference_alignments", "reference", 1 + len(files.references))
            if files.empty_references == "none":
                option = "--empty-references=none"
                raise UsageError(f"{option} cannot be combined with --reference-alignments")

    def check_metrics(self, metrics: Sequence[BaseMetric]) -> None:
        """Note options that some metrics do not use; refuse options that no metric uses."""
        for metric in metrics:
            super().check_metrics([metric])
            if metric.match != "index":
                problem = f"{metric.name}: match={metric.match} is for orders"
                raise UsageError(f"{problem}; words of translations are matched by --aligner")
        files = self.files
        members = list(_members(metrics))
        self._note_unsegmented(members)
        self._note_tokenised(members)
        _note_reference_among_systems(files)
        columns = {column for member in members for column in member.columns}
        self._check_tokenizer(members)
        if files.aligner is not None:
            meteor = ""
            if any(member.name == "meteor" for member in members):
                meteor = "; meteor matches words by options of its own (-O=meteor.language=...)"
            derived = {"permutation", "links"} if self.bilingual else {"permutation"}
            if columns.isdisjoint(derived) and not self.has_other_readers:
                problem = "--aligner makes word orders, which no metric here reads"
                raise UsageError(f"{problem}{meteor}")
            if meteor:
                note(f"--aligner makes word orders{meteor}")
        reads_orders = self.has_other_readers or columns & {"permutation", "links"}
        if files.compares_alignments and not reads_orders:
            problem = "alignments make word orders, which no metric here reads"
            raise UsageError(f"{problem}: name some, -m=frs,kendall")

    def _check_tokenizer(self, members: Sequence[BaseMetric]) -> None:
        """Note metrics that do not use ``--tokenizer``; refuse it if no metric uses it.

        It is not refused if an option of a metric overrides it.
        """
        from wordorder.metrics.registry import metric
        from wordorder.metrics.text.text_metric import SacreBleuMetric

        tokenizer = self.files.tokenizer
        if tokenizer in ("auto", "none"):
            return
        unaffected = [member for member in members if not member.is_cut_by(tokenizer)]
        is_unused = len(unaffected) == len(members) and not self.has_other_readers
        if not is_unused:
            # Metrics of sacreBLEU count characters, or an option of theirs names a tokenizer.
            listed = [member for member in unaffected if not isinstance(member, SacreBleuMetric)]
        else:
            listed = unaffected
        names = list(dict.fromkeys(member.name for member in listed))
        if names:
            has_ter = any(getattr(member, "normalized", None) == "auto" for member in unaffected)
            remedy = " (-O=ter.normalized=yes)" if has_ter else ""
            reason = f"words are cut by options of the metric alone{remedy}"
            message = f"--tokenizer does not reach {joined(names)}: {reason}"
            # If the metric without its options used the tokenizer, an option overrides it.
            is_overridden = any(
                metric(name).with_tokenizer(tokenizer).is_cut_by(tokenizer) for name in names
            )
            if is_unused and not is_overridden:
                raise UsageError(message)
            note(message)

    def _note_tokenised(self, members: Sequence[BaseMetric]) -> None:
        """Note the first file that seems tokenised: marks of tokenizers, or separate full stops."""
        files = self.files
        texts = {
            display_name(path): first_lines(files, path)
            for path in dict.fromkeys((files.reference, *files.system_paths))
        }
        shares = {name: marked_share(lines) for name, lines in texts.items()}
        worst = max(shares, key=lambda name: shares[name][0])
        other_count = sum(share > 0 for share, _ in shares.values()) - 1
        remark = f"; so in {counted(other_count, 'other file')}" if other_count > 0 else ""
        if shares[worst][0] >= _MIN_MARKED_SHARE:
            note(f"{worst}: {shares[worst][1]}{remark}")
            return
        # Metrics that tokenise lines themselves, as in sacreBLEU, expect raw text.
        tokenizing = [m for m in members if getattr(m, "tokenize", "none") != "none"]
        names = joined(list(dict.fromkeys(metric.name for metric in tokenizing)))
        for name, lines in texts.items() if tokenizing else ():
            stops = sum(line.rstrip().endswith(" .") for line in lines)
            if stops >= _MIN_SEPARATE_STOPS:
                share = f'{percent(stops, len(lines))} of the lines end in " ."'
                note(f"{name}: {share}, as tokenised text does: detokenize it for {names}")
                return

    def _note_unsegmented(self, members: Sequence[BaseMetric]) -> None:
        """Note a text without spaces between words that no tokenizer splits."""
        from wordorder.segments.default_match import SPACE_BASED_TOKENIZERS, uncut_metrics

        files = self.files
        uses_words = self.has_other_readers or files.aligner is not None
        uses_words = uses_words or any("text" in member.columns for member in members)
        uses_words = uses_words and self.preparation.tokenizer in SPACE_BASED_TOKENIZERS
        uncut = uncut_metrics(members)
        is_tokenizer_ours = files.tokenizer not in ("auto", *SPACE_BASED_TOKENIZERS)
        if is_tokenizer_ours or not (uses_words or uncut):
            return
        sample = first_lines(files, files.reference)
        if message := uncut_note(display_name(files.reference), sample, "--tokenizer"):
            note(message if uses_words else f"{joined(list(dict.fromkeys(uncut)))}: {message}")

    def explain_missing(self, missing: set[str]) -> str:
        """Return the rest of a sentence that names options to get the missing columns."""
        if separate_run := super().explain_missing(missing):
            return separate_run
        if "links" in missing:
            return (
                "reads alignments of the source with the systems: give --source and "
                "--hypothesis-alignments, or --aligner=agreement, which makes them"
            )
        if self.files.hypothesis_alignments:
            return "needs --reference-alignments beside --hypothesis-alignments"
        return (
            "needs word orders: give --aligner=exact+stem, which matches the words of translation "
            "and reference; or --source, --hypothesis-alignments and --reference-alignments"
        )

    def counts(self, inputs: Inputs) -> Counts:
        """Return the counts of alignments without a link."""
        if self._source_aligner is not None:
            return self._source_aligner.counts
        if not self.files.compares_alignments:
            return []
        from wordorder.scoring.file_formats import without_links

        return without_links(inputs.sources)

    def note_counts(self, counts: Counts) -> None:
        """Note the alignments without a link."""
        if self.bilingual:
            from wordorder.scoring.source_aligner import note_without_links

            note_without_links(counts)
        elif counts:
            # All files of alignments have the same number of lines.
            message = f"no link in {{}} of {counted(counts[0][1], 'alignment')}"
            note_counts([(name, without) for name, _, without in counts], message, "file")

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open translations, source and alignments."""
        files = self.files
        source = [] if files.source is None else [files.source]
        paths = (files.reference, *files.references, *source, *files.system_paths)
        sources: list[RowSource] = [stack.enter_context(open_words(files, path)) for path in paths]
        if files.compares_alignments:
            from wordorder.scoring.file_formats import alignment_rows

            sources += alignment_rows(files.hypothesis_alignments, files, stack)
            sources += alignment_rows(files.reference_alignments, files, stack, gold=True)
        return Inputs(sources, files.names, self.segments_function())

    def segments_function(self) -> Callable[[Sequence[Any], int], list[SegmentsFactory]]:
        """Return the function that builds segments; see `Inputs.segments`.

        The order of the sources is: references, the source if there is one, systems, and the
        alignments of systems and of references, if there are any.
        """
        files = self.files
        preparation, source_aligner = self.preparation, self._source_aligner
        aligner = None if self.bilingual else _monolingual_aligner(files)

        def segments(parts: Sequence[Any], first_row: int) -> list[SegmentsFactory]:
            from wordorder.text.texts import Texts

            remaining = iter(parts)
            references = list(islice(remaining, 1 + len(files.references)))
            source = next(remaining) if files.source is not None else None
            systems = list(islice(remaining, len(files.systems)))
            system_alignments = list(islice(remaining, len(files.hypothesis_alignments)))
            reference_alignments = list(remaining) or None
            lines, offsets = _reference_lines(references, preparation.empty_references)
            texts = Texts.of_systems(systems, lines, offsets, source, preparation=preparation)
            if source_aligner is not None:
                return source_aligner.segments_factories(texts)
            if not system_alignments:
                return [partial(Segments.from_texts, text, aligner=aligner) for text in texts]
            from wordorder.segments.aligned import AlignedReferences

            aligned_references = AlignedReferences.of(
                texts[0], reference_alignments, rule=files.rule, unaligned=files.unaligned
            )
            return [
                partial(Segments.from_aligned, aligned_references, text, alignments)
                for text, alignments in zip(texts, system_alignments, strict=True)
            ]

        return segments


def _reference_lines(files: Sequence[Any], empty: str) -> tuple[RawLines, Int64]:
    """Return the references of all segments, and the offset of each segment's first reference.

    If `empty` is "none", empty lines are left out.
    """
    references = interleaved(files)
    counts = np.full(len(files[0]), len(files), np.int64)
    if empty == "none":
        is_filled = references.stops > references.starts
        references = references.take(np.flatnonzero(is_filled))
        counts = is_filled.reshape(len(counts), len(files)).sum(axis=1)
    return references, row_offsets(counts)


def open_words(files: Files, path: str) -> Any:
    """Open a text, in a file or in memory, or the words of a treebank, as lines."""
    if path in files.streams:
        start = files.streams[path]
        return MemoryLines(start.rest.name, start.first, start)
    if path in files.held:
        return MemoryLines(path, files.held[path])
    return word_reader(path, files.kind)


class MemoryLines:
    """A source of lines in memory, optionally followed by lines of a stream.

    Parameters
    ----------
    name : str
        The name of the input in messages.
    memory_lines : RawLines
    stream : StreamStart, optional
        The stream with the following lines.
    """

    def __init__(
        self, name: str, memory_lines: RawLines, stream: StreamStart | None = None
    ) -> None:
        self.name = name
        self.lines = 0
        self._memory_lines = memory_lines
        self._stream = stream

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further lines; none at the end."""
        part = self._memory_lines[self.lines : self.lines + lines]
        if not len(part) and self._stream is not None:
            part = self._stream.rest.take(lines)
        self.lines += len(part)
        return part

    def __enter__(self) -> MemoryLines:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.rest.close()


def read_stream_start(files: Files) -> Files:
    """Read the first lines of a reference that can be read only once; return files with them."""
    path = files.reference
    if path in files.streams or path in files.held or not read_only_once(path):
        return files
    files.check_standard_input()
    reader = word_reader(path, files.kind)
    try:
        first = _read_sample(reader)
    except BaseException:
        reader.close()
        raise
    return replace(files, streams={path: StreamStart(first, reader)})


def reference_sample(files: Files) -> list[str]:
    """Return the first lines of the reference, which determine its tokenizer and language."""
    path = files.reference
    if path in files.streams:
        return files.streams[path].first.strings(surrogates=True)
    with open_words(files, path) as reader:
        return _read_sample(reader).strings(surrogates=True)


def _read_sample(reader: Any) -> RawLines:
    """Read the first `SAMPLE_LINES` lines of a text."""
    parts: list[RawLines] = []
    lines = 0
    while lines < SAMPLE_LINES and len(part := reader.take(SAMPLE_LINES - lines)):
        parts.append(part)
        lines += len(part)
    return RawLines.concatenate(parts)


def _has_treebank(files: Files) -> bool:
    """Return whether a file is a treebank, whose text is divided into words."""
    paths = (files.reference, *files.references, *files.system_paths)
    return files.kind == "conllu" or (files.kind == "auto" and any(map(is_treebank, paths)))


def first_lines(files: Files, path: str) -> list[str]:
    """Return the first lines of a text, or none of a treebank or an unread stream."""
    if path in files.held:
        return files.held[path][:SAMPLE].strings()
    if is_treebank(path) or (files.kind == "conllu" and path in files.streams):
        return []
    if path in files.streams:
        return files.streams[path].first[:SAMPLE].strings(surrogates=True)
    if not can_be_peeked_at(path):
        return []
    return list(islice(read_lines(path), SAMPLE))


def matched_files(
    files: Files, metrics: Sequence[BaseMetric], language: str | None = None
) -> Files:
    """Return files with the default aligner, if order metrics have neither aligner nor alignments.

    Parameters
    ----------
    files : Files
    metrics : sequence of BaseMetric
    language : str, optional
        The language of the references; by default detected from their words.

    Warns
    -----
    note
        If the default aligner is used; the note names the metrics and the option.
    """
    order_metrics = [metric.name for metric in metrics if "permutation" in metric.columns]
    if not order_metrics or files.compares_alignments or is_bilingual(files.aligner):
        return files
    from wordorder.segments.default_match import guess_stemmer_language, language_option

    language = language or files.language
    if files.aligner is not None:
        sample = () if language else reference_sample(files)
        return replace(files, language=language or guess_stemmer_language(sample))
    language = language or detect_language(files)
    modules = modules_of(files, language)
    verb = "compares" if len(order_metrics) == 1 else "compare"
    option = f"--aligner={modules}{language_option(language)}"
    note(f"{joined(order_metrics)} {verb} the order of words that match by {option}, the default")
    return replace(files, aligner=modules, language=language)


def modules_of(files: Files, language: str) -> str:
    """Return the modules of the aligner that matches words of translation and reference."""
    if files.aligner is not None and not is_bilingual(files.aligner):
        return files.aligner
    from wordorder.segments.default_match import default_modules

    return default_modules(language)


def detect_language(
    files: Files, english_vocabulary: Sequence[str] | None = None, other_loss: str = ""
) -> str:
    """Return the language of the references, detected from the first lines of the reference.

    Parameters
    ----------
    files : Files
    english_vocabulary, other_loss
        See `wordorder.segments.default_match.language_of`.

    Returns
    -------
    str
        The code of a language with a stemmer, or "other".

    Warns
    -----
    note
        If the language has no stemmer; the note names the option that sets the language.
    """
    from wordorder.segments.default_match import language_of

    name = display_name(files.reference)
    return language_of(reference_sample(files), name, english_vocabulary, other_loss)


def _monolingual_aligner(files: Files) -> MonolingualAligner | None:
    """Return the monolingual aligner of the options, or None without ``--aligner``."""
    if files.aligner is None:
        return None
    from wordorder.alignment.monolingual import MonolingualAligner

    modules = tuple(files.aligner.split("+"))
    resources = files.synonyms, files.paraphrases
    return MonolingualAligner(files.language or "en", modules, *resources)


def _note_reference_among_systems(files: Files) -> None:
    """Note a system that is the file of the reference; a pattern such as `*.en` may include it."""
    if len(files.systems) > 1 and os.path.isfile(files.reference):
        for name, path in files.systems:
            if os.path.isfile(path) and os.path.samefile(path, files.reference):
                note(f"the system {name} is the reference itself: {path}")


def _members(metrics: Sequence[BaseMetric]) -> Iterator[BaseMetric]:
    """Yield the metrics; instead of a sum, the metrics that it adds."""
    for metric in metrics:
        if metric.members:
            yield from _members([member for _, member in metric.members])
        else:
            yield metric
