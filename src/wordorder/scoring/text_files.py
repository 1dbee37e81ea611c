"""Translations of systems against reference translations."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.counts import joined
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.scoring.file_kind import FileKind, Inputs, Make
from wordorder.scoring.files import ALIGNED, ALIGNER, ALIGNMENTS, NOTATION, ORDERS, Files
from wordorder.scoring.option_names import spoken
from wordorder.segments import Segments
from wordorder.text.compression import without_compression
from wordorder.text.in_step import RowSource

if TYPE_CHECKING:
    from wordorder.alignment.monolingual import MonolingualAligner
    from wordorder.metrics.contract import BaseMetric
    from wordorder.text.preparation import Preparation

# Lines that look like orders or alignments; the beginnings of a file are compared.
_ORDER = re.compile(r"[0-9]+([ \t,]+[0-9]+)+")
_LINKS = re.compile(r"[0-9]+[-p?][0-9]+([ \t]+[0-9]+[-p?][0-9]+)+")
_LOOKED_AT = 5


class TextFiles(FileKind):
    """Translations, with an aligner or alignments where word orders are made of them."""

    name = "text"
    default_metrics = "cder,ter,bleu"

    def __init__(self, files: Files) -> None:
        super().__init__(files)
        why = "without a match" if files.aligner is not None else "that only one alignment links"
        self.dropped = f"the word orders leave out {{}} {why}"

    @property
    def columns(self) -> set[str]:
        """Text; orders and links where they are made."""
        served = {"text", "lines"}
        if self.files.aligner is not None or self.files.reference_alignments:
            served.add("permutation")
        if self.files.hypothesis_alignments:
            served.add("links")
        return served

    def check(self) -> None:
        """Refuse options that need others."""
        files = self.files
        files.check_standard_input()
        for path in map(without_compression, files.system_paths if files.kind == "auto" else ()):
            if path.endswith((ORDERS, *ALIGNED)):
                held = "alignments" if path.endswith(ALIGNED) else "orders"
                raise UsageError(
                    f"{path} is named as {held} are, but {files.reference} is taken for text; "
                    "say what they are: --input"
                )
        if files.aligner is None:
            files.refuse(ALIGNER, "is for --aligner (meteor has its own: -O meteor.language=...)")
        else:
            self._check_modules(files.aligner)
        files.refuse(["multiple_roots"], "is for trees")
        if files.compares_alignments:
            self._check_alignments()
        else:
            files.refuse(
                [*ALIGNMENTS, *NOTATION], "is for --hypothesis-alignment and --reference-alignment"
            )

    def _check_modules(self, aligner: str) -> None:
        if "," in aligner:
            raise UsageError(f"--aligner joins its modules by +: {aligner.replace(',', '+')}")
        for module, option, resource in (
            ("synonym", "--synonyms", self.files.synonyms),
            ("paraphrase", "--paraphrases", self.files.paraphrases),
        ):
            if (module in aligner.split("+")) != (resource is not None):
                raise UsageError(f"--aligner with {module} and {option} need each other")

    def _check_alignments(self) -> None:
        files = self.files
        if files.aligner is not None:
            raise UsageError("--aligner or alignments: word orders come from one of them")
        if files.source is None:
            raise UsageError("--hypothesis-alignment and --reference-alignment need --source")
        if not files.hypothesis_alignments:
            raise UsageError("--reference-alignment needs --hypothesis-alignment too")
        files.check_one_each("hypothesis_alignments", "system", len(files.systems))
        if files.reference_alignments:
            files.check_one_each("reference_alignments", "reference", 1 + len(files.references))
            if files.empty_references == "none":
                raise UsageError("--empty-references none does not go with --reference-alignment")

    def check_metrics(self, metrics: Sequence[BaseMetric]) -> None:
        """Note each option that some of the metrics do not see; refuse what none of them does."""
        for metric in metrics:
            super().check_metrics([metric])
            if metric.match != "index":
                raise UsageError(
                    f"{metric.name}: match={metric.match} is for orders; words of translations are "
                    "matched by --aligner"
                )
        files = self.files
        members = list(_members(metrics))
        read = {column for member in members for column in member.columns}
        raw = [member for member in members if set(member.columns) == {"lines"}]
        if files.tokenizer != "none" and raw:
            names = joined(list(dict.fromkeys(metric.name for metric in raw)))
            own = _own_option(raw, files.tokenizer)
            message = f"--tokenizer does not reach {names}: the lines are read as they are{own}"
            _say(message, nobody=len(raw) == len(members))
        if files.aligner is not None:
            own = "; meteor matches words by options of its own (-O meteor.language=...)"
            own = own if any(member.name == "meteor" for member in members) else ""
            if "permutation" not in read:
                _say(f"--aligner makes word orders, which no metric here reads{own}", nobody=True)
            elif own:
                _say(f"--aligner makes word orders{own}", nobody=False)
        if files.compares_alignments and read.isdisjoint({"permutation", "links"}):
            raise UsageError(
                "alignments make word orders, which no metric here reads: name some, -m frs,kendall"
            )

    def lacking(self, missing: set[str]) -> str:
        """Name the options that would serve the columns."""
        if own_run := super().lacking(missing):
            return own_run
        if "links" in missing:
            return (
                "reads alignments of the source with the systems: give --source and "
                "--hypothesis-alignment"
            )
        if self.files.hypothesis_alignments:
            return "needs --reference-alignment beside --hypothesis-alignment"
        return (
            "needs word orders: give --aligner exact+stem, which matches the words of translation "
            "and reference; or --source, --hypothesis-alignment and --reference-alignment"
        )

    def note_read(self, inputs: Inputs) -> None:
        """Say which alignments lack links."""
        if self.files.compares_alignments:
            from wordorder.scoring.alignment_files import note_without_links

            note_without_links(inputs.sources)

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> TextInputs:
        """Open translations, source and alignments."""
        from wordorder.text.preparation import Preparation
        from wordorder.text.words import word_reader

        files = self.files

        def texts(paths: Iterable[str]) -> list[Any]:
            return [stack.enter_context(word_reader(path, files.kind)) for path in paths]

        def rows(paths: Sequence[str], *, gold: bool) -> Sequence[RowSource]:
            if not paths:
                return ()
            from wordorder.scoring.alignment_files import alignment_rows

            return alignment_rows(paths, files, stack, gold=gold)

        return TextInputs(
            texts([files.reference, *files.references]),
            texts(files.system_paths),
            files.names,
            source=texts([files.source])[0] if files.source is not None else None,
            hypothesis_alignments=rows(files.hypothesis_alignments, gold=False),
            reference_alignments=rows(files.reference_alignments, gold=True),
            preparation=Preparation(
                files.tokenizer,
                "lower" if files.lowercase else "keep",
                files.normalization,
                files.empty_references,
            ),
            aligner=None if files.aligner is None else _aligner(files, files.aligner),
            rule=files.rule,
            unaligned=files.unaligned,
        )


class TextInputs:
    """Open translations.

    Parameters
    ----------
    references, systems : sources of RawLines
        One a reference file, one a system.
    names : sequence of str
        One a system.
    source : source of RawLines, optional
    hypothesis_alignments : sources of Alignments, one a system, or none
        From source to hypothesis; they need `source`.
    reference_alignments : sources of Alignments, one a reference file, or none
    preparation : Preparation
        Also whether an empty line is a reference without words, or no reference.
    aligner : MonolingualAligner, optional
        Where there are no alignments.
    rule, unaligned : str
        How alignments become orders, as in `reference_orders`.
    """

    def __init__(
        self,
        references: Sequence[RowSource],
        systems: Sequence[RowSource],
        names: Sequence[str],
        *,
        source: RowSource | None = None,
        hypothesis_alignments: Sequence[RowSource] = (),
        reference_alignments: Sequence[RowSource] = (),
        preparation: Preparation,
        aligner: MonolingualAligner | None = None,
        rule: str = "lrscore",
        unaligned: str | None = None,
    ) -> None:
        self._preparation = preparation
        self.names = names
        self.sources = [
            *references,
            *([source] if source is not None else []),
            *systems,
            *hypothesis_alignments,
            *reference_alignments,
        ]
        self._references = len(references)
        self._has_source = source is not None
        self._aligned = bool(hypothesis_alignments)
        self._aligner = aligner
        self._rule = rule
        self._unaligned = unaligned

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system."""
        from wordorder.text.raw_lines import interleaved
        from wordorder.text.texts import Texts

        rest = list(parts)
        files = [rest.pop(0) for _ in range(self._references)]
        source = rest.pop(0) if self._has_source else None
        systems = [rest.pop(0) for _ in self.names]
        ours = [rest.pop(0) for _ in self.names] if self._aligned else []
        theirs = rest
        references = interleaved(files)
        counts = np.full(len(files[0]), len(files), np.int64)
        if self._preparation.empty_references == "none":
            filled = references.stops > references.starts
            references = references.take(np.flatnonzero(filled))
            counts = filled.reshape(len(counts), len(files)).sum(axis=1)
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        texts = Texts.of_systems(
            systems, references, offsets, source, preparation=self._preparation
        )

        def maker(number: int) -> Make:
            def make() -> Segments:
                if not self._aligned:
                    return Segments.from_texts(texts[number], aligner=self._aligner)
                from wordorder.segments.aligned import aligned_segments

                return aligned_segments(
                    texts[number],
                    ours[number],
                    theirs or None,
                    rule=self._rule,
                    unaligned=self._unaligned,
                )

            return make

        return [maker(number) for number in range(len(texts))]


def refuse_numbers(path: str) -> None:
    """Raise a UsageError if a file that is taken for text begins like orders or alignments."""
    if not os.path.isfile(path):
        return
    from wordorder.text.lines import read_lines

    lines = [line.strip() for line in islice(read_lines(path), _LOOKED_AT) if line.strip()]
    for held, form in (("orders", _ORDER), ("alignments", _LINKS)):
        if lines and all(form.fullmatch(line) for line in lines):
            raise UsageError(f"{path} looks like {held}; say what it is: --input {held}, or text")


def _aligner(files: Files, modules: str) -> MonolingualAligner:
    """Return the monolingual aligner that the options describe."""
    from wordorder.alignment.monolingual import MonolingualAligner

    return MonolingualAligner(
        language=files.language,
        modules=tuple(modules.split("+")),
        synonyms=files.synonyms,
        paraphrases=files.paraphrases,
    )


def _say(message: str, *, nobody: bool) -> None:
    """Refuse an option that does nothing, and note one that does something for some."""
    if nobody:
        raise UsageError(message)
    note(spoken(message))


def _members(metrics: Sequence[BaseMetric]) -> Iterator[BaseMetric]:
    """Yield the metrics, and instead of a sum what it adds up."""
    for metric in metrics:
        if metric.members:
            yield from _members([member for _, member in metric.members])
        else:
            yield metric


def _own_option(metrics: Sequence[BaseMetric], tokenizer: str) -> str:
    """Name the option that does for one of the metrics what the tokenizer does for others."""
    from wordorder.metrics.options import defaults

    for metric in metrics:
        if "tokenize" in defaults(type(metric)):
            return f", and cut by -O {metric.name}.tokenize={tokenizer}"
    return ", and cut by options of the metric"
