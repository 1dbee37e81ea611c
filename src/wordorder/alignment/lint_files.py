"""The linter on files."""

from __future__ import annotations

from wordorder.alignment.lint import DEFAULT_ALLOWED, LintReport, lint
from wordorder.alignment.reading import read_alignments
from wordorder.text.lines import read_lines, tokens
from wordorder.text.opening import Path, display_name


def lint_files(
    alignments: Path,
    source: Path,
    *,
    target: Path | None = None,
    allow: Path | None = None,
    format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    links: str = "all",
) -> LintReport:
    """Check the alignments of a file against the guidelines of alignment-oriented annotation.

    Parameters
    ----------
    alignments, source, target : path or "-"
        As many lines in each. Without `target`, target words are checked only where the notation
        shows them (Talbot's).
    allow : path, optional
        The words that may stay unaligned, one a line; by default articles. Punctuation always may.
    format, one_based, strict
        As in `read_alignments`.
    links : "all" or "sure"
        Whether links that are only possible count.

    Raises
    ------
    InputError
        As `read_alignments`; the files must be in step.
    """
    sources = [tokens(line) for line in read_lines(source)]
    targets = None if target is None else [tokens(line) for line in read_lines(target)]
    linked = read_alignments(
        alignments,
        format=format,
        one_based=one_based,
        strict=strict,
        source_lengths=list(map(len, sources)),
        target_lengths=None if targets is None else list(map(len, targets)),
        source_name=display_name(source),
        target_name="the target" if target is None else display_name(target),
    )
    allowed = DEFAULT_ALLOWED
    if allow is not None:
        allowed = frozenset(word for line in read_lines(allow) for word in tokens(line))
    if links == "sure":
        linked = linked.sure()
    return lint(linked, sources, allowed=allowed, targets=targets)
