"""Translations against reference translations, and which files are taken for translations."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    table_column,
    without_compression,
)
from wordorder.text.opening import Path, display_name, first_bytes
from wordorder.text.preparation import SAMPLE_LINES
from wordorder.text.raw_lines import RawLines, interleaved
from wordorder.text.readers import word_reader
from wordorder.text.sniffing import MIN_COLUMNS, SAMPLE, marked_share, uncut_note

if TYPE_CHECKING:
    from wordorder.alignment.monolingual import MonolingualAligner
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.source_aligner import SourceAligner
    from wordorder.text.preparation import Preparation


# From this share of marked words on, and so many lines that end in " .", there is a note.
_MARKED, _STOPS = 0.01, 100


class TextFiles(FileKind):
    """Translations, with an aligner or alignments where word orders are made of them.

    Attributes
    ----------
    words_matter : bool
        Whether more than the metrics reads words, orders and links: then none of these is in vain.
    """

    words_matter: ClassVar[bool] = False

    name = "text"
    default_metrics = "frs,cder,bleu"

    def __init__(self, files: Files) -> None:
        super().__init__(begun(files))
        self.bilingual = is_bilingual(files.aligner)
        self._source_aligner: SourceAligner | None = None
        matched = files.aligner is not None and not self.bilingual
        why = "without a match" if matched else "that only one alignment links"
        self.dropped = f"the word orders leave out {{}} {why}"

    @property
    def columns(self) -> set[str]:
        """Text; orders and links where they are made."""
        served = {"text", "lines"}
        if self.files.aligner is not None or self.files.reference_alignments:
            served.add("permutation")
        if self.files.hypothesis_alignments or self.bilingual:
            served.add("links")
        return served

    @property
    def trains(self) -> bool:
        """Whether the aligner is one that is trained on these files."""
        return self.bilingual and not os.path.isfile(str(self.files.aligner))

    def learn(self, progress: OnProgress | None) -> None:
        """Open or train the aligner that links all translations with the source."""
        if self.bilingual:
            from wordorder.scoring.source_aligner import SourceAligner

            self._source_aligner = SourceAligner.of_files(self.files, self.preparation, progress)

    @cached_property
    def preparation(self) -> Preparation:
        """How lines become words; the first lines of the reference decide on the default."""
        from wordorder.text.preparation import Preparation

        files = self.files
        case = "lower" if files.lowercase else "keep"
        chosen = files.tokenizer
        if chosen == "auto" and (files.compares_alignments or self.bilingual or _has_words(files)):
            # Links count the words of the files.
            chosen = "none"
        prepared = Preparation(chosen, case, files.normalization, files.empty_references)
        if chosen == "auto":
            prepared = prepared.chosen_for(reference_sample(files))
        return prepared

    def check(self) -> None:
        """Refuse options that need others."""
        files = self.files
        files.check_standard_input()
        for path in map(without_compression, files.system_paths if files.kind == "auto" else ()):
            if path.endswith((ORDER_SUFFIX, *ALIGNMENT_SUFFIXES)):
                held = "alignments" if path.endswith(ALIGNMENT_SUFFIXES) else "orders"
                what = f"{path} is named as {held} are, but {files.reference} is taken for text"
                raise UsageError(f"{what}; say what they are: --input")
        if files.aligner is None:
            why = "is for --aligner (meteor has its own: -O=meteor.language=...)"
            files.refuse(options_of(AlignerOptions), why)
        elif self.bilingual:
            self._check_bilingual(files.aligner)
        else:
            self._check_modules(files.aligner)
        files.refuse(options_of(RootOptions), "is for trees")
        if files.compares_alignments:
            self._check_alignments()
        else:
            read = ("rule", "unaligned") if self.bilingual else ()
            groups = (AlignmentFileOptions, OrderOptions, NotationOptions, GoldNotationOptions)
            unread = [name for name in options_of(*groups) if name not in read]
            files.refuse(unread, "is for --hypothesis-alignments and --reference-alignments")

    def _check_bilingual(self, aligner: str) -> None:
        from wordorder.alignment.monolingual.candidates import MODULES
        from wordorder.alignment.statistical.align import ALIGNERS

        if not os.path.isfile(aligner) and aligner not in ALIGNERS.names():
            raise ALIGNERS.unknown(aligner, *MODULES)
        modules = [name for name in options_of(AlignerOptions) if name != "aligner"]
        self.files.refuse(modules, f"is for --aligner=exact+stem, not for {aligner}")
        if self.files.source is None:
            other = "exact+stem matches the words of translation and reference"
            raise UsageError(f"--aligner={aligner} links translations with --source; {other}")

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
        """Note each option that some of the metrics do not see; refuse what none of them does."""
        for metric in metrics:
            super().check_metrics([metric])
            if metric.match != "index":
                what = f"{metric.name}: match={metric.match} is for orders"
                raise UsageError(f"{what}; words of translations are matched by --aligner")
        files = self.files
        members = list(_members(metrics))
        self._note_uncut(members)
        self._note_marks(members)
        note_reference_among(files)
        read = {column for member in members for column in member.columns}
        self._check_tokenizer(members)
        if files.aligner is not None:
            own = "; meteor matches words by options of its own (-O=meteor.language=...)"
            own = own if any(member.name == "meteor" for member in members) else ""
            served = {"permutation", "links"} if self.bilingual else {"permutation"}
            if read.isdisjoint(served) and not self.words_matter:
                _say(f"--aligner makes word orders, which no metric here reads{own}", nobody=True)
            elif own:
                _say(f"--aligner makes word orders{own}", nobody=False)
        unread = read.isdisjoint({"permutation", "links"}) and not self.words_matter
        if files.compares_alignments and unread:
            what = "alignments make word orders, which no metric here reads"
            raise UsageError(f"{what}: name some, -m=frs,kendall")

    def _check_tokenizer(self, members: Sequence[BaseMetric]) -> None:
        """Note which metrics read words that the tokenizer does not cut.

        Refuse it if all do, unless options of theirs choose otherwise.
        """
        from wordorder.metrics.registry import metric
        from wordorder.metrics.text.text_metric import SacreBleuMetric

        name = self.files.tokenizer
        chosen = name not in ("auto", "none")
        unread = [member for member in members if chosen and not member.is_cut_by(name)]
        # What has a tokenizer of its own counts characters, or an option chose another.
        uncut = [member for member in unread if not isinstance(member, SacreBleuMetric)]
        unused = len(unread) == len(members) and not self.words_matter
        names = list(dict.fromkeys(member.name for member in (unread if unused else uncut)))
        if names:
            uncut_ter = any(getattr(m, "normalized", None) == "auto" for m in unread)
            how = " (-O=ter.normalized=yes)" if uncut_ter else ""
            own = f"words are cut by options of the metric alone{how}"
            # Where the default would be reached, an option was chosen in spite of the tokenizer.
            refused = unused and not any(
                metric(reader).with_tokenizer(name).is_cut_by(name) for reader in names
            )
            _say(f"--tokenizer does not reach {joined(names)}: {own}", nobody=refused)

    def _note_marks(self, members: Sequence[BaseMetric]) -> None:
        """Note, once, in which files tokenizers left marks, or full stops apart for raw lines."""
        files = self.files
        texts = {
            display_name(path): first_lines(files, path)
            for path in dict.fromkeys((files.reference, *files.system_paths))
        }
        shares = {name: marked_share(lines) for name, lines in texts.items()}
        worst = max(shares, key=lambda name: shares[name][0])
        others = sum(share > 0 for share, _ in shares.values()) - 1
        more = f"; so in {counted(others, 'other file')}" if others > 0 else ""
        if shares[worst][0] >= _MARKED:
            note(f"{worst}: {shares[worst][1]}{more}")
            return
        # As sacreBLEU does: its metrics cut the lines themselves.
        raw = [m for m in members if getattr(m, "tokenize", "none") != "none"]
        names = joined(list(dict.fromkeys(metric.name for metric in raw)))
        for name, lines in texts.items() if raw else ():
            stops = sum(line.rstrip().endswith(" .") for line in lines)
            if stops >= _STOPS:
                share = f'{percent(stops, len(lines))} of the lines end in " ."'
                note(f"{name}: {share}, as tokenised text does: detokenize it for {names}")
                return

    def _note_uncut(self, members: Sequence[BaseMetric]) -> None:
        """Note, once, that lines are not cut into words."""
        from wordorder.segments.default_match import WESTERN, uncut_metrics

        files = self.files
        read = self.words_matter or files.aligner is not None
        words = read or any("text" in member.columns for member in members)
        words = words and self.preparation.tokenizer in WESTERN
        uncut = uncut_metrics(members)
        if files.tokenizer not in ("auto", *WESTERN) or not (words or uncut):
            return
        some = first_lines(files, files.reference)
        if said := uncut_note(display_name(files.reference), some, "--tokenizer"):
            note(said if words else f"{joined(list(dict.fromkeys(uncut)))}: {said}")

    def lacking(self, missing: set[str]) -> str:
        """Name the options that would serve the columns."""
        if own_run := super().lacking(missing):
            return own_run
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
        """Count alignments without a link."""
        if self._source_aligner is not None:
            return self._source_aligner.counts
        if not self.files.compares_alignments:
            return []
        from wordorder.scoring.file_formats import without_links

        return without_links(inputs.sources)

    def note_counts(self, counts: Counts) -> None:
        """Say which alignments lack links."""
        if self.bilingual:
            from wordorder.scoring.source_aligner import note_without_links

            note_without_links(counts)
        elif counts:
            # Files of alignments, of which all have as many lines.
            said = f"no link in {{}} of {counted(counts[0][1], 'alignment')}"
            note_counts([(name, without) for name, _, without in counts], said, "file")

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
        return Inputs(sources, files.names, self.maker())

    def maker(self) -> Callable[[Sequence[Any], int], list[SegmentsFactory]]:
        """Return what makes segments of rows; see `Inputs`.

        The rows are those of the references, of the source if there is one, of the systems, and of
        the alignments of systems and references, if there are any.
        """
        files = self.files
        preparation, linking = self.preparation, self._source_aligner
        aligner = None if self.bilingual else _aligner(files)

        def segments(parts: Sequence[Any], before: int) -> list[SegmentsFactory]:
            from wordorder.text.texts import Texts

            rest = iter(parts)
            references = list(islice(rest, 1 + len(files.references)))
            source = next(rest) if files.source is not None else None
            systems = list(islice(rest, len(files.systems)))
            ours = list(islice(rest, len(files.hypothesis_alignments)))
            theirs = list(rest) or None
            kept, offsets = _kept_references(references, preparation.empty_references)
            texts = Texts.of_systems(systems, kept, offsets, source, preparation=preparation)
            if linking is not None:
                return linking.makers(texts)
            if not ours:
                return [partial(Segments.from_texts, text, aligner=aligner) for text in texts]
            from wordorder.segments.aligned import AlignedReferences

            aligned = AlignedReferences.of(
                texts[0], theirs, rule=files.rule, unaligned=files.unaligned
            )
            return [
                partial(Segments.beside, aligned, text, links)
                for text, links in zip(texts, ours, strict=True)
            ]

        return segments


def _kept_references(files: Sequence[Any], empty: str) -> tuple[RawLines, Int64]:
    """Return the references of all segments and where those of each begin, without absent ones."""

    references = interleaved(files)
    counts = np.full(len(files[0]), len(files), np.int64)
    if empty == "none":
        filled = references.stops > references.starts
        references = references.take(np.flatnonzero(filled))
        counts = filled.reshape(len(counts), len(files)).sum(axis=1)
    return references, row_offsets(counts)


def open_words(files: Files, path: str) -> Any:
    """Open a text, or the words of a treebank, as lines; what is in memory is read from there."""
    held = files.held.get(path)
    if path in files.streams:
        start = files.streams[path]
        return LinesHeld(start.rest.name, start.first, start)
    return word_reader(path, files.kind) if held is None else LinesHeld(path, held)


class LinesHeld:
    """A source of lines that are in memory, and perhaps of others that follow them.

    Parameters
    ----------
    name : str
        What messages call it.
    lines_held : RawLines
    stream : StreamStart, optional
        Has the lines that follow.
    """

    def __init__(self, name: str, lines_held: RawLines, stream: StreamStart | None = None) -> None:
        self.name = name
        self.lines = 0
        self._held = lines_held
        self._stream = stream

    def take(self, lines: int) -> RawLines:
        """Return up to `lines` further lines; none at the end."""
        part = self._held[self.lines : self.lines + lines]
        if not len(part) and self._stream is not None:
            part = self._stream.rest.take(lines)
        self.lines += len(part)
        return part

    def __enter__(self) -> LinesHeld:
        return self

    def __exit__(self, *_: object) -> None:
        if self._stream is not None:
            self._stream.rest.close()


def begun(files: Files) -> Files:
    """Return files with the first lines of a reference that can be read only once."""
    path = files.reference
    if path in files.streams or path in files.held or not read_only_once(path):
        return files
    files.check_standard_input()
    reader = word_reader(path, files.kind)
    try:
        first = _first(reader)
    except BaseException:
        reader.close()
        raise
    return replace(files, streams={path: StreamStart(first, reader)})


def reference_sample(files: Files) -> list[str]:
    """Return the first lines of the reference; they decide on its tokenizer and language."""
    path = files.reference
    if path in files.streams:
        return files.streams[path].first.strings(surrogates=True)
    with open_words(files, path) as reader:
        return _first(reader).strings(surrogates=True)


def _first(reader: Any) -> RawLines:
    """Return the first lines of a text, as many as are looked at."""
    parts: list[RawLines] = []
    lines = 0
    while lines < SAMPLE_LINES and len(part := reader.take(SAMPLE_LINES - lines)):
        parts.append(part)
        lines += len(part)
    return RawLines.concatenate(parts)


def _has_words(files: Files) -> bool:
    """Return whether a file is a treebank, which has words of its own."""
    paths = (files.reference, *files.references, *files.system_paths)
    return files.kind == "conllu" or (files.kind == "auto" and any(map(is_treebank, paths)))


def first_lines(files: Files, path: str) -> list[str]:
    """Return some lines of a text that can be read again or was begun; none of a treebank."""
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
    """Return files with the default aligner, where metrics of order have none and no alignments.

    Parameters
    ----------
    files : Files
    metrics : sequence of BaseMetric
    language : str, optional
        Of the references; told from their words if it is not given.

    Warns
    -----
    note
        With the metrics and the option that changes what matches.
    """
    ordering = [metric.name for metric in metrics if "permutation" in metric.columns]
    if not ordering or files.compares_alignments or is_bilingual(files.aligner):
        return files
    from wordorder.segments.default_match import default_language, stems_language

    language = language or files.language
    if files.aligner is not None:
        return replace(files, language=language or stems_language(reference_sample(files)))
    language = language or told_language(files)
    modules = modules_of(files, language)
    verb = "compares" if len(ordering) == 1 else "compare"
    how = f"--aligner={modules}{default_language(language)}"
    note(f"{joined(ordering)} {verb} the order of words that match by {how}, the default")
    return replace(files, aligner=modules, language=language)


def modules_of(files: Files, language: str) -> str:
    """Return what matches the words of a translation with those of its reference."""
    if files.aligner is not None and not is_bilingual(files.aligner):
        return files.aligner
    from wordorder.segments.default_match import default_modules

    return default_modules(language)


def told_language(files: Files, known: Sequence[str] | None = None, also: str = "") -> str:
    """Return the language of the references, by the first lines of the reference.

    Parameters
    ----------
    files : Files
    known, also
        As in `wordorder.segments.default_match.language_of`.

    Returns
    -------
    str
        One with a stemmer, or "other"

    Warns
    -----
    note
        If the text is neither English nor in another language with a stemmer; the note names the
        option that sets the language.
    """
    from wordorder.segments.default_match import language_of

    name = display_name(files.reference)
    return language_of(reference_sample(files), name, known, also)


def _aligner(files: Files) -> MonolingualAligner | None:
    """Return the monolingual aligner that the options describe, if they do."""
    if files.aligner is None:
        return None
    from wordorder.alignment.monolingual import MonolingualAligner

    modules = tuple(files.aligner.split("+"))
    resources = files.synonyms, files.paraphrases
    return MonolingualAligner(files.language or "en", modules, *resources)


def _say(message: str, *, nobody: bool) -> None:
    """Refuse an option that does nothing, and note one that does something for some."""
    if nobody:
        raise UsageError(message)
    note(message)


def _members(metrics: Sequence[BaseMetric]) -> Iterator[BaseMetric]:
    """Yield the metrics, and instead of a sum what it adds up."""
    for metric in metrics:
        if metric.members:
            yield from _members([member for _, member in metric.members])
        else:
            yield metric


# Names that the headers of judgements and scores have; text in columns rarely has two of them.
_NAMES = frozenset(
    "rater judge item system segment value score raw.scr z.scr sys sid seg_id severity category "
    "system_a system_b choice better worse ranking rank metric srcindex judgeid system1id "
    "system1rank mqm_avg_score globalsegid".split()
)
_SCORE = re.compile(r"[-+]?[0-9]*\.?[0-9]+([eE][-+]?[0-9]+)?|None")
# Lines that look like orders or alignments.
_ORDER = re.compile(r"[0-9]+([ \t,]+[0-9]+)+")
_LINKS = re.compile(r"[0-9]+[-p?][0-9]+([ \t]+[0-9]+[-p?][0-9]+)+")
# Lines that are compared.
_LOOKED_AT = 5


def kind_of(files: Files, needed: set[str] | None) -> FileKind:
    """Return the kind that files are of.

    Parameters
    ----------
    files : Files
    needed : set of str or None
        The columns that the metrics read; None where they are left open.

    Raises
    ------
    UsageError
        If a file looks like another kind, and nothing says which.
    """
    name = _kind(files, needed)
    if name == "text":
        files = begun(files)
        if files.kind == "auto":
            if needed is None and files.reference in files.streams:
                _refuse_numbers(files.reference, first_lines(files, files.reference))
            for path in dict.fromkeys((files.reference, *files.references, *files.system_paths)):
                if path not in files.held:
                    # Judgements and scores have verbs of their own, as CSV too.
                    if without_compression(path).endswith(".csv"):
                        refuse_table(path)
                    refuse_format(path)
                    refuse_table(path)
        return TextFiles(files)
    from wordorder.scoring.file_formats import AlignmentFiles, OrderFiles, TreeFiles

    kinds: dict[str, type[FileKind]] = {"orders": OrderFiles, "trees": TreeFiles}
    return kinds.get(name, AlignmentFiles)(files)


def _kind(files: Files, needed: set[str] | None) -> str:
    """Return "orders", "text", "alignments" or "trees"."""
    if files.kind in ("orders", "alignments"):
        return files.kind
    names = [without_compression(path) for path in (files.reference, *files.system_paths)]
    orders = names[0].endswith(ORDER_SUFFIX)
    if files.kind == "text":
        # Reordered source lines are text too, but their reference is not.
        asked = needed in (None, {"permutation"}) and not files.makes_orders
        beside = needed is not None and files.source is not None and _holds_orders(files)
        return "orders" if asked and (orders or beside) else "text"
    if files.kind == "auto" and orders:
        return "orders"
    if files.kind == "auto" and names[0].endswith(ALIGNMENT_SUFFIXES):
        return "alignments"
    if needed == {"trees"}:
        return "trees"
    treebanks = [is_treebank(name) for name in names if name != "-"]
    if files.kind == "conllu" or any(treebanks):
        # Treebanks hold trees and words; which of them are read, the metrics say.
        whole = files.kind == "conllu" or all(treebanks)
        return "trees" if needed is None and whole else "text"
    if needed is None:
        if any(name.endswith(ORDER_SUFFIX) for name in names):
            return "orders"
        if any(name.endswith(ALIGNMENT_SUFFIXES) for name in names):
            return "alignments"
        if files.reference not in files.held:
            refuse_numbers(files.reference)
        return "text"
    if needed == {"gold"}:
        return "alignments"
    asked = needed == {"permutation"} and not files.makes_orders
    return "orders" if asked and _holds_orders(files) else "text"


def _holds_orders(files: Files) -> bool:
    """Return whether the first lines of a reference, whose name does not tell, look like orders.

    An empty reference, or a stream that cannot be looked at, counts as orders. Lines that look like
    alignments are refused.
    """
    path = files.reference
    if path in files.held or not read_only_once(path):
        some = first_lines(files, path)
    else:
        some = first_bytes(path).decode(errors="replace").split("\n")
    lines = [line for line in map(str.strip, some) if line][:_LOOKED_AT]
    if any(map(_ORDER.fullmatch, lines)) or all(map(str.isdecimal, lines)):
        return True
    if all(map(_LINKS.fullmatch, lines)):
        raise _numbers_error(path, "alignments")
    return False


def note_reference_among(files: Files) -> None:
    """Note a system that is the file of the reference, as `*.en` may name it."""
    if len(files.systems) > 1 and os.path.isfile(files.reference):
        for name, path in files.systems:
            if os.path.isfile(path) and os.path.samefile(path, files.reference):
                note(f"the system {name} is the reference itself: {path}")


# Formats that are no lines of text, by the ends of names, and what makes lines of them.
_FORMATS = {
    ".xlsx": ("a spreadsheet", "save it as CSV: FILE.csv#COLUMN"),
    ".xls": ("a spreadsheet", "save it as CSV: FILE.csv#COLUMN"),
    ".sgm": ("SGML", "take the text out of its <seg>s, one per line"),
    ".xml": ("XML", "take the text out of its elements, one segment per line"),
    ".json": ("JSON", "write JSON Lines: FILE.jsonl#COLUMN"),
    ".csv": ("a table", "FILE.csv#COLUMN names a column"),
}


def refuse_format(path: str) -> None:
    """Raise a UsageError for a file whose name says that it holds no lines of text.

    Examples
    --------
    >>> refuse_format("news.ref.sgm")
    Traceback (most recent call last):
    ...
    wordorder.errors.UsageError: news.ref.sgm: SGML, not lines of text: take the text out of its ...
    """
    for end, (what, how) in _FORMATS.items():
        if without_compression(path).endswith(end) and table_column(path) is None:
            how = how.replace(f"FILE{end}", path)
            if end == ".csv" and can_be_peeked_at(path):
                first = _cells([next(read_lines(path), "")])[0]
                # A sentence is no name of a column.
                how = how.replace("COLUMN", first[0]) if first[0].isidentifier() else how
            raise UsageError(
                f"{path}: {what}, not lines of text: {how}; `--input text` takes it as text"
            )


def refuse_table(path: Path) -> None:
    """Raise a UsageError if a file that is taken for text is a table of judgements or scores.

    Warns
    -----
    note
        If its lines have equally many columns of another kind between tabs.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.tsv")
    >>> _ = path.write_text("segment\\tbetter\\tworse\\n7\\tA\\tB\\n")
    >>> refuse_table(path)
    Traceback (most recent call last):
    ...
    wordorder.errors.UsageError: ...pairs.tsv looks like a table of judgements (columns segment, ...
    """
    if read_only_once(str(path)) or table_column(path) is not None or is_treebank(path):
        return
    lines = [line for line in islice(read_lines(path), _LOOKED_AT) if line.strip()]
    if len(lines) < 2:
        return
    name = display_name(path)
    either = f"`--input text` takes {name} as text"
    header, *rows = _cells(lines)
    regular = len(header) > 1 and all(len(row) == len(header) for row in rows)
    if regular and len(_NAMES.intersection(cell.strip().lower() for cell in header)) > 1:
        held = "judgements"
        verbs = "`wordorder rank` (--pairs tests the systems) and `wordorder agreement` read"
        if "metric" in header:
            held, verbs = "scores", "`wordorder correlate` reads"
        shown = joined(header[:5]) + (", …" if len(header) > 5 else "")
        what = f"a table of {held} (columns {shown})"
        raise UsageError(f"{name} looks like {what}, which {verbs}; {either}")
    if regular and len(header) == 2 and all(_SCORE.fullmatch(cell[1]) for cell in (header, *rows)):
        what = "a table of scores (a system and its score per line)"
        raise UsageError(f"{name} looks like {what}, which `wordorder correlate` reads; {either}")
    if regular and len(lines) > 2 and "\t" in lines[0] and len(header) < MIN_COLUMNS:
        what = f"looks like a table of {len(header)} columns between tabs"
        taken = "all of them are taken as text (cut -f N takes one)"
        note(f"{name}: {what}; {taken}; {either} without this note")


def refuse_numbers(path: str) -> None:
    """Raise a UsageError if a file that is taken for text begins like orders or alignments."""
    if can_be_peeked_at(path) and not is_treebank(path):
        _refuse_numbers(path, islice(read_lines(path), _LOOKED_AT))


def _refuse_numbers(path: str, some: Iterable[str]) -> None:
    """Raise a UsageError if the first lines of a text all look like orders or alignments."""
    lines = [line for line in map(str.strip, islice(some, _LOOKED_AT)) if line]
    for held, form in (("orders", _ORDER), ("alignments", _LINKS)):
        if lines and all(form.fullmatch(line) for line in lines):
            raise _numbers_error(path, held)


def _numbers_error(path: str, held: str) -> UsageError:
    return UsageError(
        f"{display_name(path)} looks like {held}; say what it is: --input={held}, or text"
    )


def _cells(lines: Sequence[str]) -> list[list[str]]:
    """Cut lines at tabs, else at commas, as the first line has them.

    A line with blanks is no line of names between commas: "It cost 1,000".
    """
    if "\t" in lines[0]:
        return [line.split("\t") for line in lines]
    if "," not in lines[0] or " " in lines[0]:
        return [[line] for line in lines]
    try:
        return list(csv.reader(lines))
    except csv.Error:
        return [[line] for line in lines]
