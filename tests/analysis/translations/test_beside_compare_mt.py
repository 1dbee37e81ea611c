"""compare-mt finds the same figures, where it has them."""

import pytest
from tests.analysis.translations.compare_mt_figures import figures_of_compare_mt, figures_of_ours
from tests.analysis.translations.translated import Lines, random_lines, ted_lines

from wordorder.analysis.translations.files import translations_of

pytest.importorskip("compare_mt", reason="compare-mt is not installed")


def check(lines: Lines) -> None:
    ours = figures_of_ours(translations_of(lines.systems, lines.references, metrics="cder"))
    theirs = figures_of_compare_mt(lines)
    assert list(ours) == list(theirs)
    for table, expected in theirs.items():
        assert len(ours[table]) == len(expected)
        for found, wanted in zip(ours[table], expected, strict=True):
            assert found.keys() == wanted.keys()
            for row, value in wanted.items():
                assert found[row] == pytest.approx(value, abs=1e-12), (table, row)


@pytest.mark.parametrize("seed", range(4))
def test_random_texts(seed: int) -> None:
    lines = random_lines(seed, segments=80, several=False, words="abcdefghij")
    check(
        Lines(
            [[line or "so" for line in row] for row in lines.references],
            {name: [line or "so" for line in each] for name, each in lines.systems.items()},
        )
    )


def test_ted_talks() -> None:
    check(ted_lines(300))
