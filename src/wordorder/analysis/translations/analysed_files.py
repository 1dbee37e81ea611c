"""Error analyses of translations, from files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from wordorder.analysis.translations.analyze import ROWS, analyze
from wordorder.analysis.translations.duplicates_section import repetition_note
from wordorder.analysis.translations.translation_analysis import TranslationAnalysis
from wordorder.analysis.translations.translation_files import read_translations
from wordorder.errors import UsageError
from wordorder.notes import held_notes, note, one_note_of_a_kind
from wordorder.option_names import names_arguments
from wordorder.scoring.files import Files, Systems
from wordorder.scoring.named_metrics import Metrics
from wordorder.text.opening import Path
from wordorder.types import OnProgress

RESAMPLES = 1000


@names_arguments
def analyze_translations(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    language: str | None = None,
    focus: Sequence[str] = (),
    rows: int = ROWS,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> TranslationAnalysis:
    """Find where and why translations go wrong, as ``wordorder analyze`` does.

    Parameters
    ----------
    reference : path
        A reference translation, one segment a line.
    systems : path, sequence of paths, or mapping of name to path
        Translations; ``NAME=FILE`` gives a name too.
    metrics : str or sequence of str
        By default frs, kendall, cder, ter and bleu. The first decides which system is best, and
        scores single sentences.
    settings, progress
        As in `wordorder.scoring.score`.
    language : str, optional
        Of the references, as METEOR names it; by default ``en`` if their words say so, else
        ``other``.
    focus, rows, level, resamples, seed
        As in `wordorder.analysis.translations.analyze.analyze`.
    options
        The further fields of `wordorder.scoring.files.Files`, by name: ``references=[…]``,
        ``source="source.txt"``, ``aligner="agreement"``, ``tokenizer="13a"``.

    Returns
    -------
    TranslationAnalysis
        What needs links with the source, or English references, is left out where they are not.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other.
    InputError
        If a file is wrong, or two differ in their number of lines.

    Warns
    -----
    WordOrderWarning
        Of what was assumed or left out.

    Examples
    --------
    >>> import pathlib, tempfile, warnings
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, line in (("ref", "we met on tuesday"), ("a", "on tuesday we met")):
    ...     _ = (folder / name).write_text(line + "\\n")
    >>> with warnings.catch_warnings(record=True):
    ...     found = analyze_translations(folder / "ref", [folder / "a"], "cder")
    >>> found.names, found.intervals[0].estimates[0].value
    (('a',), 0.75)
    """
    if not systems:
        raise UsageError(f"no translations to compare with {reference}: give -i=FILE")
    files = Files.of(reference, systems, options)
    with _kept_notes() as notes:
        translations = read_translations(
            files, metrics, settings, language=language, progress=progress
        )
        if files.source is not None and translations.links is None:
            note(
                "--source is only shown next to the translations; add --aligner=agreement, or "
                "alignments, to see how much reordering each pair needs"
            )
        if repeated := repetition_note(translations):
            note(repeated)
    found = analyze(
        translations,
        focus=focus,
        rows=rows,
        level=level,
        resamples=resamples or RESAMPLES,
        seed=seed,
    )
    return replace(found, notes=tuple(dict.fromkeys(notes)))


@contextmanager
def _kept_notes() -> Iterator[list[str]]:
    """Give notes at the end, those of a kind once, and keep them for the report."""
    held: list[str] = []
    try:
        with held_notes() as held:
            yield held
    finally:
        with one_note_of_a_kind():
            for message in held:
                note(message)
