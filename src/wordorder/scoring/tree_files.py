"""Dependency trees of systems against gold trees of the same words."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from wordorder.notes import note
from wordorder.scoring.file_kind import FileKind, Inputs, Make
from wordorder.scoring.files import ALIGNER, ALIGNMENTS, NOTATION, TEXT
from wordorder.segments import Segments
from wordorder.text.in_step import RowSource

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.treebank.treebank import Treebank


class TreeFiles(FileKind):
    """Treebanks whose trees and tags are compared."""

    name = "trees"
    default_metrics = "uas,las"
    row = "sentence"

    @property
    def columns(self) -> set[str]:
        """Trees alone."""
        return {"trees"}

    def check(self) -> None:
        """Refuse what is for translations."""
        self.files.check_standard_input()
        self.files.refuse(
            [*TEXT, *ALIGNER, *ALIGNMENTS, *NOTATION, "source"],
            f"is for translations, but {self.files.reference} is read as trees; "
            "metrics of text read its words: name some with -m",
        )

    def lacking(self, missing: set[str]) -> str:
        """Words of treebanks are for other metrics."""
        return (
            f"does not read trees, as which {self.files.reference} is read here; name metrics of "
            "one kind with -m"
        )

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open the treebanks."""
        from wordorder.segments.trees import matching_trees
        from wordorder.treebank.reading import TreebankReader

        # A file of tags alone has no heads; what other parsers write may have several roots.
        reference = self.files.reference, not self.files.multiple_roots
        sources = [
            stack.enter_context(TreebankReader(path, trees="optional", single_root=single))
            for path, single in (reference, *((path, False) for path in self.files.system_paths))
        ]

        def segments(parts: Sequence[Any], before: int) -> list[Make]:
            gold, *systems = parts
            if before == 0:
                for source, bank in zip(sources, parts, strict=True):
                    _note_returns(source.name, bank)

            def make(source: RowSource, system: Any) -> Segments:
                files = (source.name, sources[0].name)
                return Segments(trees=matching_trees(system, gold, files, before), _checked=True)

            return [partial(make, *pair) for pair in zip(sources[1:], systems, strict=True)]

        return Inputs(sources, self.files.names, segments)


def _note_returns(name: str, bank: Treebank) -> None:
    """Say that a file whose lines end with carriage returns alone is one comment."""
    if not len(bank) or bank.offsets[1] > bank.offsets[0]:
        return
    if any("\r" in comment for comment in bank.margins[0].comments):
        note(
            f"{name}:1: the first sentence is a comment with carriage returns and has no words: "
            r"lines end with \n or \r\n, not with \r alone"
        )
