"""The sections of an analysis that need trees, rules or gold trees."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.grid import Grid
from wordorder.analysis.imperatives import imperative_sections
from wordorder.analysis.oracle_scores import oracle_score_sections
from wordorder.analysis.parser_errors import parser_error_sections
from wordorder.analysis.rule_effects import NamedRules, rule_effect_sections
from wordorder.analysis.section import Section
from wordorder.analysis.section_keys import numbered_keys
from wordorder.analysis.system import AnalysedSystem
from wordorder.analysis.tag_table import tag_table_sections
from wordorder.analysis.tagger_errors import tagger_error_sections
from wordorder.metrics.contract import BaseMetric
from wordorder.treebank.treebank import Treebank


def named_treebanks(systems: Sequence[AnalysedSystem], grid: Grid | None) -> dict[str, Treebank]:
    """Return the different trees that systems came from, with the names of their parsers.

    Without a grid trees are called after the first system that came from them.
    """
    banks: dict[int, tuple[str, Treebank]] = {}
    for number, system in enumerate(systems):
        if system.treebank is not None and id(system.treebank) not in banks:
            name = system.name if grid is None else grid.parsers[number // len(grid.rules)]
            banks[id(system.treebank)] = (name, system.treebank)
    return dict(banks.values())


def tree_error_sections(
    corpus: Corpus,
    looked_at: Sequence[AnalysedSystem],
    metric: BaseMetric,
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> Iterator[Section]:
    """Yield what wrong trees and tags cost.

    Each system is held against the gold trees; where there are none, the first system against
    the next one with the same rules and other trees.
    """
    pairs: list[tuple[AnalysedSystem, AnalysedSystem | None]] = []
    usable = [each for each in looked_at if each.treebank is not None and each.rules is not None]
    if corpus.gold is not None:
        pairs = [(system, None) for system in usable]
    else:
        for rival in usable[1:]:
            same_rules = rival.rules is usable[0].rules
            if not pairs and same_rules and rival.treebank is not usable[0].treebank:
                pairs.append((usable[0], rival))
    for suffix, (system, other) in numbered_keys(pairs):
        yield from oracle_score_sections(
            corpus, system, other, metric=metric, resamples=resamples, seed=seed, suffix=suffix
        )
        yield from parser_error_sections(corpus, system, other, metric=metric, suffix=suffix)
        yield from tagger_error_sections(corpus, system, other, metric=metric, suffix=suffix)


def tagging_sections(
    corpus: Corpus, systems: Sequence[AnalysedSystem], grid: Grid | None, words: Sequence[str]
) -> Iterator[Section]:
    """Yield the imperative rate and the tags of chosen words, of all trees."""
    banks = named_treebanks(systems, grid)
    if banks:
        yield from imperative_sections(banks, corpus.gold)
    if words:
        # Without trees the corpus itself may be tagged.
        yield from tag_table_sections(words, banks or {"source": corpus.words}, corpus.gold)


def rule_sections(
    corpus: Corpus,
    looked_at: Sequence[AnalysedSystem],
    metric: BaseMetric,
    *,
    resamples: int = 1000,
    seed: int = 12345,
) -> Iterator[Section]:
    """Yield what each rule of the systems does; rule sets without single rules are left out."""
    named = [
        system
        for system in looked_at
        if system.treebank is not None
        and isinstance(system.rules, NamedRules)
        and system.rules.rule_names
    ]
    for suffix, system in numbered_keys(named):
        yield from rule_effect_sections(
            corpus, system, metric=metric, resamples=resamples, seed=seed, suffix=suffix
        )
