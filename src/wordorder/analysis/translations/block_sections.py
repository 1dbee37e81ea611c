"""All tables of moved blocks."""

from __future__ import annotations

from wordorder.analysis.section import Section
from wordorder.analysis.translations.block_agreement_section import block_agreement_section
from wordorder.analysis.translations.block_list_section import block_list_section
from wordorder.analysis.translations.loss_section import loss_section
from wordorder.analysis.translations.moved_section import distance_section, moved_section
from wordorder.analysis.translations.moved_tag_sections import (
    moved_relation_section,
    moved_tag_section,
)
from wordorder.analysis.translations.system_blocks import SystemBlocks
from wordorder.analysis.translations.translations import Translations


def block_sections(translations: Translations) -> list[Section]:
    """Make all tables of moved blocks.

    Parameters
    ----------
    translations : Translations

    Returns
    -------
    list of Section
        ``cder-parts``, ``moved-blocks``, ``moved-blocks-by-distance``, where the references are
        parsed ``moved-blocks-by-tag`` and ``moved-blocks-by-relation``, ``moved-blocks-listed``
        and ``blocks-by-source``.
    """
    systems = [SystemBlocks.of(system) for system in translations.systems]
    sections = [loss_section(systems), moved_section(systems), distance_section(systems)]
    trees = translations.trees
    if trees is not None:
        sections += [moved_tag_section(systems, trees), moved_relation_section(systems, trees)]
    return [*sections, block_list_section(systems), block_agreement_section(systems)]
