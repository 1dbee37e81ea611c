"""Check alignments of translations that were made to be aligned word by word."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments
from wordorder.arrays import Int64
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.records import Columns, Record, column_names, computed, key
from wordorder.text.lines import read_lines, tokens
from wordorder.text.opening import Path, display_name
from wordorder.text.readers import read_words

Sentences = Iterable[Sequence[str]]

# Words that may stay unaligned, in lower case.
DEFAULT_ALLOWED = frozenset({"a", "an", "the"})
# English personal pronouns, in lower case.
PRONOUNS = frozenset(
    "i me my mine you your yours he him his she her hers it its we us our ours "
    "they them their theirs".split()
)
# Universal tags of particles, and of all words that cannot start a phrase in Japanese.
PARTICLES = frozenset({"ADP", "PART"})
FUNCTION_WORDS = PARTICLES | {"AUX", "SCONJ", "CCONJ", "PUNCT", "SYM"}
# Descriptions of findings in tables; ``{}`` is the finding's target positions.
_DESCRIPTIONS = {
    "unaligned": "unaligned source word",
    "unaligned_target": "unaligned target word",
    "non_contiguous": "non-contiguous links to {}",
    "pronouns": "pronoun that no pronoun translates",
    "particles": "particle without a source word of {}",
}


@dataclass(frozen=True)
class Finding(Record):
    """A word that breaks a guideline."""

    position: int = key("its position in the source or in the target, from 0")
    word: str | None = key("the word there; `null` without the text")
    targets: tuple[int, ...] = key(
        "target positions: those that a source word is linked to; of a particle that of its "
        "content word",
        default=(),
    )


@dataclass(frozen=True)
class SentenceFindings(Record):
    """The words of one sentence pair that break a guideline."""

    line: int = key("the number of the sentence, from 1")
    unaligned: tuple[Finding, ...] = key("source words without a link that may not be")
    unaligned_target: tuple[Finding, ...] = key("target words without a link")
    non_contiguous: tuple[Finding, ...] = key("source words whose target words are not adjacent")
    pronouns: tuple[Finding, ...] = key(
        "with `-O target-trees`: personal pronouns that no pronoun translates", default=()
    )
    particles: tuple[Finding, ...] = key(
        "with `-O target-trees`: particles that share no source word with their content word",
        default=(),
    )

    def __bool__(self) -> bool:
        """Whether there is any finding."""
        return any(value for name, value in vars(self).items() if name != "line")


@dataclass(frozen=True)
class LintReport(Record, columns="line position word finding"):
    """How far an annotation follows the guidelines.

    Positions count from 0. Shares are of all source words or of all target words.
    """

    sentences: int = key("number of sentences")
    source_words: int = key("number of source words")
    target_words: int | None = key("number of target words; `null` where they are not known")
    unaligned: int = key("source words without a link that may not be")
    unaligned_target: int = key("target words without a link")
    non_contiguous: int = key("source words whose target words are not adjacent")
    findings: tuple[SentenceFindings, ...] = key("the sentences in which something was found")
    pronouns: int | None = key(
        "with `-O target-trees`: personal pronouns that no pronoun translates", default=None
    )
    particles: int | None = key(
        "with `-O target-trees`: particles that share no source word with their content word",
        default=None,
    )

    @computed("the share of unaligned source words that may not be")
    def unaligned_share(self) -> float:
        """Return the share of `unaligned` among all source words."""
        return _share(self.unaligned, self.source_words)

    @computed("the share of unaligned target words; `null` where target words are not known")
    def unaligned_target_share(self) -> float | None:
        """Return the share of `unaligned_target` among all target words."""
        if self.target_words is None:
            return None
        return _share(self.unaligned_target, self.target_words)

    @computed("the share of source words whose target words are not adjacent")
    def non_contiguous_share(self) -> float:
        """Return the share of `non_contiguous` among all source words."""
        return _share(self.non_contiguous, self.source_words)

    def to_columns(self) -> Columns:
        """Return a row for each finding."""
        rows = [
            (sentence.line, finding.position, finding.word, _description(name, finding))
            for sentence in self.findings
            for name in _DESCRIPTIONS
            for finding in getattr(sentence, name)
        ]
        names = column_names(LintReport)
        return {name: [row[column] for row in rows] for column, name in enumerate(names)}

    def exceeds(
        self,
        *,
        max_unaligned: float | None = None,
        max_unaligned_target: float | None = None,
        max_non_contiguous: float | None = None,
    ) -> bool:
        """Return whether a share is above its limit, which is from 0 to 1; None is no limit.

        Raises
        ------
        UsageError
            If a limit is not from 0 to 1, or target words are limited but not known.
        """
        limits = (
            ("max_unaligned", max_unaligned, self.unaligned_share),
            ("max_unaligned_target", max_unaligned_target, self.unaligned_target_share),
            ("max_non_contiguous", max_non_contiguous, self.non_contiguous_share),
        )
        for name, limit, _ in limits:
            if limit is not None and not 0 <= limit <= 1:
                raise UsageError(f"{name} is a share from 0 to 1, not {limit}")
        if max_unaligned_target is not None and self.target_words is None:
            raise UsageError("max_unaligned_target needs the target text: its words are not known")
        return any(
            limit is not None and share is not None and share > limit for _, limit, share in limits
        )


def _description(name: str, finding: Finding) -> str:
    """Return the description of a finding in tables; `name` is a field of `SentenceFindings`."""
    return _DESCRIPTIONS[name].format(",".join(map(str, finding.targets)))


def lint(
    alignments: Alignments,
    sources: Sentences,
    *,
    allowed: Collection[str] = DEFAULT_ALLOWED,
    targets: Sentences | None = None,
    target_tags: Sentences | None = None,
    pronouns: Sequence[Collection[int]] | None = None,
) -> LintReport:
    """Check an annotation against the guidelines of alignment-oriented translation.

    Only articles and punctuation stay unaligned, every target word is aligned, and the target
    words of one source word are adjacent (Talbot et al. 2011, section 3.1). With tags of the
    target, two more are checked: every personal pronoun is translated by a pronoun, and a particle
    shares a source word with the content word of its phrase, the nearest one before it.

    Parameters
    ----------
    alignments : Alignments, S rows
        Sure and possible links count alike.
    sources : S sequences of str
        The source words.
    allowed : collection of str
        Source words that may stay unaligned, in upper or lower case. Tokens without a letter or a
        digit always may.
    targets : S sequences of str, optional
        The target words. Without them, target words are checked only if `alignments` has target
        lengths, and the report has only their positions.
    target_tags : S sequences of str, optional
        The universal tags (UPOS) of the target words; needs `targets`. Particles are ADP and PART,
        as in Japanese, where they follow their word.
    pronouns : S collections of int, optional
        Positions of the personal pronouns in each source sentence; by default, English pronouns
        are recognized by their form.

    Raises
    ------
    InputError
        If the numbers of sentences and rows differ, a link points past its sentence, or a sentence
        has more or fewer tags than words.
    UsageError
        If `target_tags` is used without `targets`.

    Examples
    --------
    >>> a = Alignments.from_rows([[(1, 0), (1, 2), (2, 1)]])
    >>> report = lint(a, [["the", "cat", "sleeps", "now"]], targets=[["w", "x", "y", "z"]])
    >>> first = report.findings[0]
    >>> [f.word for f in first.unaligned], [f.word for f in first.unaligned_target]
    (['now'], ['z'])
    >>> first.non_contiguous
    (Finding(position=1, word='cat', targets=(0, 2)),)
    """
    if target_tags is not None and targets is None:
        raise UsageError("the tags of the target need the target text")
    allowed = {word.casefold() for word in allowed}
    source_rows = list(sources)
    target_rows = None if targets is None else list(targets)
    target_lengths = alignments.target_lengths
    if target_rows is not None:
        token_counts = _sentence_lengths(alignments, target_rows, "target")
        if target_lengths is not None:
            # Talbot's format writes a single unaligned word like no word: 0 and 1 may be equal.
            conflicts = np.flatnonzero(
                (target_lengths != token_counts) & ((target_lengths > 0) | (token_counts > 1))
            )
            if len(conflicts):
                row = int(conflicts[0])
                raise InputError(
                    alignments.location_of(row),
                    f"{target_lengths[row]} target words, but the target has {token_counts[row]} "
                    "tokens. Are the files in step?",
                )
        target_lengths = token_counts
    checked = alignments.with_lengths(
        _sentence_lengths(alignments, source_rows, "source"), target_lengths
    )
    tag_rows = None if target_tags is None else list(target_tags)
    if tag_rows is not None and target_rows is not None:
        _check_tags(alignments, target_rows, tag_rows)
    if pronouns is None:
        pronouns = [[n for n, w in enumerate(r) if w.casefold() in PRONOUNS] for r in source_rows]
    lengths = map(len, source_rows)
    if len(pronouns) != len(source_rows) or any(
        max(positions, default=-1) >= length
        for positions, length in zip(pronouns, lengths, strict=True)
    ):
        raise InputError(alignments.path, "the trees of the source have other words than its text")
    findings = []
    for row, source in enumerate(source_rows):
        target = None if target_rows is None else target_rows[row]
        sentence_findings = _check_sentence(checked, row, source, target, allowed)
        if tag_rows is not None and target is not None:
            links = [link[:2] for link in checked[row].links]
            sentence_findings = replace(
                sentence_findings,
                pronouns=_untranslated_pronouns(links, source, pronouns[row], tag_rows[row]),
                particles=_detached_particles(links, target, tag_rows[row]),
            )
        if sentence_findings:
            findings.append(sentence_findings)
    return LintReport(
        sentences=len(checked),
        source_words=sum(map(len, source_rows)),
        target_words=None if target_lengths is None else int(target_lengths.sum()),
        unaligned=sum(len(sentence_findings.unaligned) for sentence_findings in findings),
        unaligned_target=sum(
            len(sentence_findings.unaligned_target) for sentence_findings in findings
        ),
        non_contiguous=sum(len(sentence_findings.non_contiguous) for sentence_findings in findings),
        findings=tuple(findings),
        pronouns=None if tag_rows is None else sum(len(finding.pronouns) for finding in findings),
        particles=None if tag_rows is None else sum(len(finding.particles) for finding in findings),
    )


def _check_tags(
    alignments: Alignments, targets: list[Sequence[str]], tags: list[Sequence[str]]
) -> None:
    """Raise an InputError unless there is one tag for each target word."""
    _sentence_lengths(alignments, tags, "tagged target")
    for row, (words, row_tags) in enumerate(zip(targets, tags, strict=True)):
        if len(words) != len(row_tags):
            problem = (
                f"the target has {counted(len(words), 'token')} and its trees "
                f"{counted(len(row_tags), 'word')}"
            )
            raise InputError(alignments.location_of(row), problem, "one tag for each token")


def _untranslated_pronouns(
    links: Sequence[Sequence[int]],
    source: Sequence[str],
    pronouns: Collection[int],
    tags: Sequence[str],
) -> tuple[Finding, ...]:
    """Return the personal pronouns at positions `pronouns` that are linked to no pronoun."""
    findings = []
    for position in sorted(pronouns):
        targets = sorted(t for s, t in links if s == position)
        if not any(tags[t] == "PRON" for t in targets):
            findings.append(Finding(position, source[position], tuple(targets)))
    return tuple(findings)


def _detached_particles(
    links: Sequence[Sequence[int]], target: Sequence[str], tags: Sequence[str]
) -> tuple[Finding, ...]:
    """Return the particles that share no source word with the content word before them."""
    findings = []
    content_position = None
    for position, tag in enumerate(tags):
        if tag in PARTICLES and content_position is not None:
            particle_sources, content_sources = (
                {s for s, t in links if t == target_position}
                for target_position in (position, content_position)
            )
            # A particle without a link is reported as an unaligned target word.
            if particle_sources and not particle_sources & content_sources:
                findings.append(Finding(position, target[position], (content_position,)))
        elif tag not in FUNCTION_WORDS:
            content_position = position
    return tuple(findings)


def _check_sentence(
    alignments: Alignments,
    row: int,
    source: Sequence[str],
    target: Sequence[str] | None,
    allowed: Collection[str],
) -> SentenceFindings:
    """Return the findings of one sentence pair that need no tags."""
    pair = alignments[row]
    targets_of_source: list[list[int]] = [[] for _ in source]
    for s, t in pair.links:
        targets_of_source[s].append(t)
    linked_targets = {t for _, t in pair.links}
    return SentenceFindings(
        line=alignments.first_line + row,
        unaligned=tuple(
            Finding(position, word)
            for position, word in enumerate(source)
            # Tokens without letters and digits may stay unaligned too.
            if not targets_of_source[position]
            and word.casefold() not in allowed
            and any(map(str.isalnum, word))
        ),
        unaligned_target=tuple(
            Finding(position, None if target is None else target[position])
            for position in range(pair.target_length or 0)
            if position not in linked_targets
        ),
        non_contiguous=tuple(
            Finding(position, source[position], tuple(sorted(targets)))
            for position, targets in enumerate(targets_of_source)
            if targets and max(targets) - min(targets) + 1 > len(targets)
        ),
    )


def _sentence_lengths(alignments: Alignments, sentences: list[Sequence[str]], side: str) -> Int64:
    """Return the length of each sentence; raise an InputError unless each has an alignment."""
    if len(sentences) != len(alignments):
        problem = f"{len(alignments)} alignments for {len(sentences)} {side} sentences"
        raise InputError(alignments.path, problem, "one alignment per sentence")
    return np.fromiter(map(len, sentences), np.int64, len(sentences))


def _share(part: int, total: int) -> float:
    """Return the share of a part, 0 of an empty total."""
    return part / total if total else 0.0


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
    target_tags: Sentences | None = None,
    pronouns: Sequence[Collection[int]] | None = None,
) -> LintReport:
    """Check the alignments of a file against the guidelines of alignment-oriented annotation.

    Parameters
    ----------
    alignments, source, target : path or "-"
        Files with the same number of lines. Without `target`, target words are checked only if
        the format gives the target lengths, as Talbot's does.
    allow : path, optional
        The words that may stay unaligned, one per line; by default articles. Punctuation always
        may.
    format, one_based, strict
        As in `read_alignments`.
    links : "all", "sure", or a number
        Which links count, as in `Alignments.counting`.
    target_tags, pronouns
        As in `lint`.

    Raises
    ------
    InputError
        As `read_alignments`; or if the files have different numbers of lines.
    """
    sources = list(read_words(source))
    targets = None if target is None else list(read_words(target))
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
    return lint(
        linked.counting(links),
        sources,
        allowed=allowed,
        targets=targets,
        target_tags=target_tags,
        pronouns=pronouns,
    )
