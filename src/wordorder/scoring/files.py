"""The files of `score` and `compare`: what they hold, and whether the options fit that."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from wordorder.errors import UsageError
from wordorder.text.compression import without_compression
from wordorder.text.named_files import names_and_paths, read_only_once
from wordorder.text.treebank_names import is_treebank

if TYPE_CHECKING:
    from wordorder.metrics.compat import Preset
    from wordorder.metrics.contract import BaseMetric

ALIGNED = (".align", ".talbot")

# Options that say how translations become words and orders, with the attribute of `Files`, and
# what they say unless they are given.
_TEXT: dict[str, tuple[str, object]] = {
    "-r": ("references", ()),
    "--empty-references": ("empty_references", "count"),
    "--tokenizer": ("tokenizer", "none"),
    "--lowercase": ("lowercase", False),
    "--normalize": ("normalization", "none"),
}
_ALIGNER: dict[str, tuple[str, object]] = {
    "--aligner": ("aligner", None),
    "--language": ("language", "en"),
    "--synonyms": ("synonyms", None),
    "--paraphrases": ("paraphrases", None),
}
_ALIGNMENTS: dict[str, tuple[str, object]] = {
    "--hypothesis-alignment": ("hypothesis_alignments", ()),
    "--reference-alignment": ("reference_alignments", ()),
    "--rule": ("rule", "lrscore"),
    "--unaligned": ("unaligned", None),
    "--links": ("links", "all"),
}
_SOURCE: dict[str, tuple[str, object]] = {"--source": ("source", None)}
_NOTATION: dict[str, tuple[str, object]] = {
    "--alignment-format": ("alignment_format", "auto"),
    "--one-based": ("one_based", False),
    "--one-based-reference": ("one_based_reference", False),
}

# Lines that look like orders or alignments; the beginnings of a file are compared.
_ORDER = re.compile(r"[0-9]+([ \t,]+[0-9]+)+")
_LINKS = re.compile(r"[0-9]+[-p?][0-9]+([ \t]+[0-9]+[-p?][0-9]+)+")
_LOOKED_AT = 5


@dataclass(frozen=True)
class Files:
    """What the command line names, by the names of its options."""

    reference: str
    inputs: tuple[str, ...]
    kind: str
    source: str | None
    references: tuple[str, ...]
    empty_references: str
    tokenizer: str
    lowercase: bool
    normalization: str
    aligner: str | None
    language: str
    synonyms: str | None
    paraphrases: str | None
    hypothesis_alignments: tuple[str, ...]
    reference_alignments: tuple[str, ...]
    rule: str
    unaligned: str | None
    links: str
    alignment_format: str
    one_based: bool
    one_based_reference: bool

    @property
    def systems(self) -> list[tuple[str, str]]:
        """Name and path of each system."""
        return names_and_paths(self.inputs)

    @property
    def paths(self) -> list[str | None]:
        """All files that are read."""
        return [
            self.reference,
            *self.references,
            *(path for _, path in self.systems),
            self.source,
            *self.hypothesis_alignments,
            *self.reference_alignments,
        ]

    @property
    def compares_alignments(self) -> bool:
        """Whether source and translations are aligned by files."""
        return bool(self.hypothesis_alignments or self.reference_alignments)

    def holds(self, needed: set[str] | None) -> str:
        """Return what the files hold: "orders", "text", "alignments" or "trees".

        Parameters
        ----------
        needed : set of str or None
            The columns that the metrics read; None where the command line leaves them open.
        """
        if self.kind in ("orders", "alignments"):
            return self.kind
        reference = without_compression(self.reference)
        names = [reference, *(without_compression(path) for _, path in self.systems)]
        orders = reference.endswith(".orders")
        # Orders that are made of translations.
        made = self.aligner is not None or self.compares_alignments
        if self.kind == "text":
            # Reordered source lines are text too, but their reference is not.
            given = orders or (needed is not None and self.source is not None)
            reordered = needed in (None, {"permutation"}) and given and not made
            return "orders" if reordered else "text"
        if self.kind == "auto" and orders:
            return "orders"
        if self.kind == "auto" and reference.endswith(ALIGNED):
            return "alignments"
        if needed == {"trees"}:
            return "trees"
        treebanks = [is_treebank(name) for name in names if name != "-"]
        if self.kind == "conllu" or any(treebanks):
            # Treebanks hold trees and words; which of them are read, the metrics say.
            whole = self.kind == "conllu" or all(treebanks)
            return "trees" if needed is None and whole else "text"
        if needed is None:
            if any(name.endswith(".orders") for name in names):
                return "orders"
            if any(name.endswith(ALIGNED) for name in names):
                return "alignments"
            _refuse_numbers(self.reference)
            return "text"
        if needed == {"gold"}:
            return "alignments"
        return "orders" if needed == {"permutation"} and not made else "text"

    def is_reordered_text(self, path: str) -> bool:
        """Return whether a system beside orders or alignments is given as reordered source lines.

        Raises
        ------
        UsageError
            If it is and there is no source.
        """
        named = without_compression(path).endswith(".orders")
        if self.kind == "text" or (self.kind == "auto" and self.source is not None and not named):
            if self.source is None:
                raise UsageError(f"{path}: reordered text needs --source")
            return True
        return False

    def check_readings(self, readings: int) -> None:
        """Raise a UsageError if the source can be read once and would be several times."""
        if self.source is not None and read_only_once(self.source) and readings > 1:
            raise UsageError("--source is read more than once here: it must be a file")

    def columns(self, held: str) -> set[str]:
        """Return the columns that files of a kind can serve."""
        if held == "orders":
            return {"permutation"}
        if held == "alignments":
            return {"gold"}
        if held == "trees":
            return {"trees"}
        found = {"text", "lines"}
        if self.aligner is not None or self.reference_alignments:
            found.add("permutation")
        if self.hypothesis_alignments:
            found.add("links")
        return found

    def check(self, held: str) -> None:
        """Raise a UsageError for an option that these files leave without effect, or half given."""
        if self.paths.count("-") > 1:
            raise UsageError('only one input can be standard input ("-")')
        if held == "trees":
            self.refuse(
                [_TEXT, _ALIGNER, _ALIGNMENTS, _NOTATION, _SOURCE],
                f"is for translations, but {self.reference} is read as trees; "
                "metrics of text read its words: name some with -m",
            )
        elif held != "text":
            self.refuse(
                [_TEXT, _ALIGNER, _ALIGNMENTS],
                f"is for translations, but {self.reference} {self._taken_for(held)}",
            )
        if held == "orders":
            self.refuse([_NOTATION], "is for alignments")
        if held == "text":
            self._check_text()

    def _taken_for(self, held: str) -> str:
        """Say what the files are taken for, and what to do if they are translations."""
        named = without_compression(self.reference).endswith((".orders", *ALIGNED))
        if self.kind == held or (held == "orders" and named):
            return f"holds {held}"
        if held == "orders":
            return (
                "is taken for orders, which these metrics read; --aligner exact+stem, or "
                "alignments with --source, make orders of translations"
            )
        return f"is taken for {held} (--input text, if it is none)"

    def _check_modules(self, aligner: str) -> None:
        if "," in aligner:
            raise UsageError(f"--aligner joins its modules by +: {aligner.replace(',', '+')}")
        modules = aligner.split("+")
        for module, option, resource in (
            ("synonym", "--synonyms", self.synonyms),
            ("paraphrase", "--paraphrases", self.paraphrases),
        ):
            if (module in modules) != (resource is not None):
                raise UsageError(f"--aligner with {module} and {option} need each other")

    def check_compat(self, preset: Preset) -> None:
        """Raise a UsageError for an option that has no place beside ``--compat``."""
        if self.source is None:
            raise UsageError("--compat needs the source text: --source")
        if self.paths.count("-") > 1:
            raise UsageError('only one input can be standard input ("-")')
        rules = {option: _ALIGNMENTS[option] for option in ("--rule", "--unaligned")}
        self.refuse([_TEXT, _ALIGNER, rules], "does not go with --compat, which has its own rules")
        if preset.links_of_systems:
            if self.reference_alignments:
                raise UsageError("this --compat has no use for --reference-alignment")
            if not self.hypothesis_alignments:
                raise UsageError("this --compat needs --hypothesis-alignment, one a system")
        elif not self.compares_alignments:
            return
        elif not preset.two_alignments:
            raise UsageError(
                "this --compat compares orders with one alignment file, which is REFERENCE; "
                "--hypothesis-alignment and --reference-alignment are for moses"
            )
        self._check_one_each(
            "--hypothesis-alignment", self.hypothesis_alignments, "system", self.systems
        )
        if not preset.links_of_systems:
            self._check_one_each(
                "--reference-alignment", self.reference_alignments, "reference", [self.reference]
            )

    def refuse(self, options: Iterable[dict[str, tuple[str, object]]], why: str) -> None:
        """Raise a UsageError for the first of some options that is given."""
        for group in options:
            for option, (attribute, otherwise) in group.items():
                if getattr(self, attribute) != otherwise:
                    raise UsageError(f"{option} {why}")

    def _check_text(self) -> None:
        for _, path in self.systems:
            if self.kind == "auto" and without_compression(path).endswith((".orders", *ALIGNED)):
                held = "alignments" if without_compression(path).endswith(ALIGNED) else "orders"
                raise UsageError(
                    f"{path} is named as {held} are, but {self.reference} is taken for text; "
                    "say what they are: --input"
                )
        if self.aligner is None:
            self.refuse([_ALIGNER], "is for --aligner (meteor has its own: -O meteor.language=...)")
        else:
            self._check_modules(self.aligner)
        if not self.compares_alignments:
            self.refuse(
                [_ALIGNMENTS, _NOTATION], "is for --hypothesis-alignment and --reference-alignment"
            )
            return
        if self.aligner is not None:
            raise UsageError("--aligner or alignments: word orders come from one of them")
        if self.source is None:
            raise UsageError("--hypothesis-alignment and --reference-alignment need --source")
        if not self.hypothesis_alignments:
            raise UsageError("--reference-alignment needs --hypothesis-alignment too")
        self._check_one_each(
            "--hypothesis-alignment", self.hypothesis_alignments, "system", self.systems
        )
        if self.reference_alignments:
            references = [self.reference, *self.references]
            self._check_one_each(
                "--reference-alignment", self.reference_alignments, "reference", references
            )
            if self.empty_references == "none":
                raise UsageError("--empty-references none does not go with --reference-alignment")

    def _check_one_each(
        self, option: str, files: Sequence[str], what: str, wanted: Sequence[object]
    ) -> None:
        """Raise a UsageError unless an option names as many files as it should."""
        if len(files) != len(wanted):
            systems = what if len(wanted) == 1 else f"{what}s"
            names = "file" if len(files) == 1 else "files"
            raise UsageError(
                f"{option} names {len(files)} {names} for {len(wanted)} {systems}; "
                f"expected one a {what}, in their order"
            )

    def check_served(self, metrics: Sequence[BaseMetric], held: str) -> None:
        """Raise a UsageError that names what a metric lacks."""
        served = self.columns(held)
        for metric in metrics:
            missing = set(metric.columns) - served
            if missing:
                raise UsageError(f"{metric.name} {self._lacking(missing, held)}")
            if held == "text" and metric.match != "index":
                raise UsageError(
                    f"{metric.name}: match={metric.match} is for orders; words of translations are "
                    "matched by --aligner"
                )

    def _lacking(self, missing: set[str], held: str) -> str:
        if held == "alignments":
            return (
                f"does not compare alignments, and {self.reference} is taken for some "
                "(--input text or orders, if it is none); aer, precision and recall do"
            )
        if held == "trees":
            return (
                f"does not read trees, as which {self.reference} is read here; name metrics of "
                "one kind with -m"
            )
        if "trees" in missing:
            return (
                "compares dependency trees, in a run of its own: wordorder score GOLD.conllu "
                "-i SYS.conllu -m uas,las"
            )
        if "gold" in missing:
            return (
                "compares alignments with gold alignments, in a run of its own: wordorder score "
                "GOLD.align -i SYS.align -m aer,precision,recall"
            )
        if held == "orders":
            return (
                f"reads translations, and {self.reference} is taken for orders "
                "(--input text, if it is none)"
            )
        if "links" in missing:
            return (
                "reads alignments of the source with the systems: give --source and "
                "--hypothesis-alignment"
            )
        if self.hypothesis_alignments:
            return "needs --reference-alignment beside --hypothesis-alignment"
        return (
            "needs word orders: give --aligner exact+stem, which matches the words of translation "
            "and reference; or --source, --hypothesis-alignment and --reference-alignment"
        )


def _refuse_numbers(path: str) -> None:
    """Raise a UsageError if a file that nobody named begins like orders or alignments."""
    if not os.path.isfile(path):
        return
    from wordorder.text.lines import read_lines

    lines = [line.strip() for line in islice(read_lines(path), _LOOKED_AT) if line.strip()]
    for held, form in (("orders", _ORDER), ("alignments", _LINKS)):
        if lines and all(form.fullmatch(line) for line in lines):
            raise UsageError(f"{path} looks like {held}; say what it is: --input {held}, or text")
