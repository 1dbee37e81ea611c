"""The figures of other evaluators, from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wordorder.errors import InputError, UsageError, location, unknown_name
from wordorder.option_names import names_arguments
from wordorder.scoring.compat_files import FILE_TOOLS, file_tool_scores
from wordorder.scoring.files import ALIGNER, TEXT, Files, Systems
from wordorder.scoring.order_files import order_reader
from wordorder.text.opening import Path, display_name

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.metrics.compat import Preset
    from wordorder.metrics.contract import Score
    from wordorder.order.orders import Orders

# The name of a system that leaves the source as it is.
UNCHANGED = "none"


@names_arguments
def compat_scores(
    preset: str, reference: Path, systems: Systems, **options: Any
) -> dict[str, dict[str, Score]]:
    """Score systems as another evaluator does, as ``wordorder score --compat`` does.

    Parameters
    ----------
    preset : str
        A name of `PRESETS` or of `FILE_TOOLS`.
    reference : path
        Alignments of the source with its translation; or, where `hypothesis_alignments` and
        `reference_alignments` are given, a translation. ``literalness`` needs only the former.
        For ``ribes`` a translation, for ``conll18`` gold trees.
    systems : path, sequence of paths, or mapping of name to path
        Orders of the source, or reordered source lines; ``none`` is the source as it is. Or
        translations or trees, as the reference.
    options
        Fields of `wordorder.scoring.files.Files`, by name: `source`, alignments and how these are
        read; for ``ribes`` further `references` and `empty_references`.

    Returns
    -------
    dict of str to dict of str to Score
        By system, then by the evaluator's label.

    Raises
    ------
    UsageError
        If the preset is unknown, or an option is missing or has no place.
    InputError
        If a file is wrong, or the files do not fit together.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> files = [sample_path(name) for name in ("alignments.talbot", "head-final.orders")]
    >>> found = compat_scores("lader", *files, source=sample_path("source.en"))
    >>> list(found["head-final"])
    ['chunk', 'tau']
    """
    from wordorder.metrics.compat import PRESETS, evaluate_compat
    from wordorder.metrics.contract import require_segments
    from wordorder.text.lines import read_lines, tokens

    files = Files.of(reference, systems, options)
    if preset in FILE_TOOLS:
        return file_tool_scores(preset, files)
    if preset not in PRESETS:
        names = (*PRESETS, *FILE_TOOLS)
        raise unknown_name(
            "evaluator for --compat", preset, names, listed_by="wordorder list compat"
        )
    chosen = PRESETS[preset]
    _check(files, preset, chosen)
    given = [path for path in files.system_paths if not _is_unchanged(path)]
    texts = 0 if files.compares_alignments else sum(map(files.is_reordered_text, given))
    files.check_readings(1 + texts)
    source = [tokens(line) for line in read_lines(str(files.source))]
    gold = None
    if chosen.links_of_systems:
        _check_lines(files.reference, len(source), files)
    else:
        aligned = files.compares_alignments
        gold = _alignments(
            files,
            files.reference_alignments[0] if aligned else files.reference,
            source,
            files.reference if aligned else None,
            one_based=files.one_based or files.one_based_reference,
        )
    found = {}
    for number, (name, path) in enumerate(files.systems):
        system: Orders | Alignments | None = None
        if files.compares_alignments:
            links = files.hypothesis_alignments[number]
            system = _alignments(files, links, source, path, one_based=files.one_based)
        elif not _is_unchanged(path):
            system = _orders(files, path, source)
        require_segments(len(source), display_name(str(files.source)))
        found[name] = evaluate_compat(preset, system, gold, source, links=files.links)
    return found


def tool_name(preset: str) -> str:
    """Return the evaluator behind a name for ``--compat``."""
    from wordorder.metrics.compat import PRESETS

    return FILE_TOOLS[preset].tool if preset in FILE_TOOLS else PRESETS[preset].tool


def _check(files: Files, name: str, preset: Preset) -> None:
    """Raise a UsageError for an option that has no place here."""
    if files.source is None:
        raise UsageError(f"--compat={name} needs the source text: --source")
    files.check_standard_input()
    files.refuse(
        [*TEXT, *ALIGNER, "rule", "unaligned"],
        f"cannot be combined with --compat={name}, which has its own rules",
    )
    if preset.links_of_systems:
        if files.reference_alignments:
            raise UsageError(f"--compat={name} has no use for --reference-alignment")
        if not files.hypothesis_alignments:
            raise UsageError(f"--compat={name} needs --hypothesis-alignment, one a system")
    elif not files.compares_alignments:
        return
    elif not preset.two_alignments:
        raise UsageError(
            f"--compat={name} compares orders with one alignment file, the reference; "
            "--hypothesis-alignment and --reference-alignment are for moses"
        )
    files.check_one_each("hypothesis_alignments", "system", len(files.systems))
    if not preset.links_of_systems:
        files.check_one_each("reference_alignments", "reference", 1)


def _check_lines(path: str, lines: int, files: Files) -> None:
    """Raise unless a text that is not looked at is in step all the same."""
    from wordorder.text.lines import line_count_mismatch, read_lines
    from wordorder.text.opening import display_name

    if (there := sum(1 for _ in read_lines(path))) != lines:
        source = display_name(str(files.source))
        raise line_count_mismatch(display_name(path), there, source, lines)


def _is_unchanged(path: str) -> bool:
    """Return whether a system is the source as it is: its name, unless a file has it."""
    return path == UNCHANGED and not os.path.exists(path)


def _alignments(
    files: Files,
    path: str,
    source: Sequence[Sequence[str]],
    target: str | None,
    *,
    one_based: bool,
) -> Alignments:
    """Read alignments of the source, and the lengths of its translation if that is given."""
    import numpy as np

    from wordorder.alignment.reading import read_alignments
    from wordorder.text.lines import read_lines, tokens
    from wordorder.text.opening import display_name

    lengths = None
    if target is not None:
        lengths = np.array([len(tokens(line)) for line in read_lines(target)], np.int64)
    return read_alignments(
        path,
        format=files.alignment_format,
        format_option="--alignment-format",
        one_based=one_based,
        strict=files.strict,
        source_lengths=np.array([len(words) for words in source], np.int64),
        target_lengths=lengths,
        source_name=display_name(str(files.source)),
        target_name=display_name(str(target)),
    )


def _orders(files: Files, path: str, source: Sequence[Sequence[str]]) -> Orders:
    """Read orders of whole source sentences."""
    from wordorder.order.orders import Orders
    from wordorder.text.in_step import CHUNK
    from wordorder.text.lines import line_count_mismatch
    from wordorder.text.opening import display_name

    parts = []
    with order_reader(path, files) as reader:
        while len(part := reader.take(CHUNK)):
            parts.append(part)
        name, lines = reader.name, reader.lines
    if lines != len(source):
        raise line_count_mismatch(name, lines, display_name(str(files.source)), len(source))
    orders = Orders.concatenate(parts) if parts else Orders.from_rows([])
    for row, words in enumerate(source):
        positions = orders.positions[row]
        if len(positions) != len(words) or (positions >= len(words)).any():
            raise InputError(
                location(name, row + 1),
                f"an order of {len(positions)} words that is not one of the whole source sentence",
                f"each of its {len(words)} words once",
            )
    return orders
