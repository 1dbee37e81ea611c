"""The error analysis of translations in files."""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.duplicates import repetition_note
from wordorder.analysis.translations.files import read_translations
from wordorder.analysis.translations.translations import Translations
from wordorder.arrays import OnProgress
from wordorder.errors import InputError, UsageError
from wordorder.messages import names_arguments
from wordorder.notes import kept_notes, note
from wordorder.progress import shows_progress
from wordorder.scoring.documents import check_before, check_documents, choose_documents
from wordorder.scoring.files import Files, Metrics, Systems
from wordorder.text.opening import Path

# Options that are passed on to `analyze`.
_TABLE_OPTIONS = {*inspect.signature(analyze).parameters} - {"translations", "documents"}


@names_arguments
@shows_progress("sentences")
def analyze_translations(
    reference: Path,
    systems: Systems,
    metrics: Metrics = (),
    *,
    settings: Sequence[str] = (),
    language: str | None = None,
    by: str = "segment",
    documents: Any = None,
    progress: OnProgress | None = None,
    **options: Any,
) -> Analysis[Translations]:
    """Find where and why translations go wrong, as ``wordorder analyze`` does.

    Parameters
    ----------
    reference : path
        A reference translation, one segment per line.
    systems : path, sequence of paths, or mapping of name to path
        Translations; ``NAME=FILE`` gives a name too.
    metrics : str or sequence of str
        By default frs, cder, bleu, kendall and ter. The first decides which system is best, and
        scores single sentences.
    settings, progress
        As in `score_files`.
    language : str, optional
        Of the references, as METEOR names it; by default ``en`` if their words say so, else
        ``other``.
    by, documents
        As in `score_files`: whether intervals and tests draw documents.
    options
        The options of `wordorder.analysis.translations.analyze.analyze`: ``focus``,
        ``hypothesis``, ``words``, ``rows``, ``level``, ``resamples``, ``seed``; and the further
        fields of `wordorder.scoring.files.Files`, by name: ``references=[…]``,
        ``source="source.txt"``, ``aligner="agreement"``, ``tokenizer="13a"``.

    Returns
    -------
    Analysis
        What needs links with the source, or English references, is left out where they are not.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other.
    InputError
        If a file is wrong, or two differ in their number of lines.

    Warns
    -----
    note
        Of what was assumed or left out.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name, line in (("ref", "we met on tuesday"), ("a", "on tuesday we met")):
    ...     _ = (folder / name).write_text(line + "\\n")
    >>> found = analyze_translations(folder / "ref", [folder / "a"], "cder")
    >>> found.names, found.intervals[0].estimates[0].value
    (('a',), 0.75)
    """
    if not systems:
        either = "give -i=FILE, or pipe it into the command"
        raise UsageError(f"no translations to compare with {reference}: {either}")
    table_options = {name: options.pop(name) for name in _TABLE_OPTIONS & options.keys()}
    files = Files.of(reference, systems, options)
    named = choose_documents(by, documents, files)
    if named is not None:
        check_before(named, files)
        if len(named.documents) == 1:
            raise InputError(named.source, "1 document", "at least 2, since documents are drawn")
    with kept_notes() as notes:
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
        for name, conventions in zip(translations.names, translations.conventions, strict=True):
            for convention in conventions:
                note(convention.describe(name))
        checked = None if named is None else check_documents(named, len(translations))
    analysis = analyze(translations, documents=checked, **table_options)
    return replace(analysis, notes=tuple(dict.fromkeys(notes)))
