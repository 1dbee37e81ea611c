"""Moved blocks against all choices of blocks that stay; their tables, sentence by sentence."""

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.analysis.translations.block_oracles import SlowBlock, places_of, slow_blocks
from tests.analysis.translations.translated import (
    lines,
    random_lines,
    ted_lines,
)
from tests.files import data

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations import block_sections as sections_module
from wordorder.analysis.translations.block_sections import block_sections, visible_moves
from wordorder.analysis.translations.blocks import Blocks, aligned_blocks, path_blocks
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.metrics.text.edits import CoverDisjointErrorRate
from wordorder.metrics.text.paths import cover_paths
from wordorder.text.texts import Texts

WAYS = ("too early", "repeats", "too late")
# (segment, first reference word, which of its words have a place, block)
Placed = list[tuple[int, int, list[int], SlowBlock]]


class SlowSystem:
    """One system, sentence by sentence.

    Attributes
    ----------
    blocks, aligned : Placed
        Of the paths, and of the alignment.
    steps : Counter of operations
    causeless : Counter of segments
    words : int
    """

    def __init__(self, system: TranslatedSystem) -> None:
        self.blocks: Placed = []
        self.aligned: Placed = []
        self.steps, self.causeless = Counter[str](), Counter[int]()
        self.words = 0
        paths = iter(system.paths)
        alignments = system.matches.alignments()
        for segment, row in enumerate(system.rows.tolist()):
            if row < 0:
                continue
            path = next(paths)
            start = int(system.texts.references.offsets[row])
            self.words += len(path.reference)
            self.steps.update(step.operation for step in path.steps)
            words, places, jumps = places_of(path)
            blocks, self.causeless[segment] = slow_blocks(places, jumps, len(path.hypothesis))
            assert sum(block.cost for block in blocks) == sum(jumps) - self.causeless[segment]
            self.blocks += [(segment, start, words, block) for block in blocks]
            links = sorted((r, h) for h, r in alignments[row].links)
            words, places = [r for r, _ in links], [h for _, h in links]
            blocks, _ = slow_blocks(places, [False] * (len(places) + 1), len(path.hypothesis))
            self.aligned += [(segment, start, words, block) for block in blocks]

    def moved(self) -> Iterator[tuple[int, int, list[int], SlowBlock]]:
        return (each for each in self.blocks if each[3].moved)

    def points(self, edits: float) -> float:
        return 100 * edits / self.words


def compare(found: Blocks, wanted: Placed) -> None:
    assert found.segments.tolist() == [segment for segment, *_ in wanted]
    blocks = [block for *_, block in wanted]
    assert found.words.tolist() == [block.stop - block.first for block in blocks]
    assert found.moved.tolist() == [block.moved for block in blocks]
    assert found.distance.tolist() == [block.distance for block in blocks]
    passed = [
        (start + words[block.passed[0]], start + words[block.passed[-1]])
        if block.passed
        else (-1, -1)
        for _, start, words, block in wanted
    ]
    assert list(zip(found.first_passed, found.last_passed, strict=True)) == passed
    assert np.array_equal(found.too_early | found.too_late | found.repeated, found.moved)
    assert np.array_equal(found.local | found.long | found.repeated, found.moved)


def way(block: SlowBlock) -> str:
    return WAYS[1 + (block.distance > 0) - (block.distance < 0)]


def rows_of(section: Section, key: int) -> dict[tuple[Value, ...], tuple[Value, ...]]:
    found = {row[:key]: row[key:] for row in section.rows}
    assert len(found) == len(section.rows)
    return found


def check(translations: Translations) -> None:
    """Compare all blocks, and recount all tables."""
    systems = {system.name: SlowSystem(system) for system in translations.systems}
    for system in translations.systems:
        slow = systems[system.name]
        by_path = path_blocks(system.paths)
        compare(by_path, slow.blocks)
        assert by_path.cost == pytest.approx([float(block.cost) for *_, block in slow.blocks])
        assert by_path.other_jumps.tolist() == [slow.causeless[n] for n in range(len(system))]
        by_words = aligned_blocks(system.texts, system.rows, system.matches)
        compare(by_words, slow.aligned)
        assert not by_words.cost.any()
    sections = {section.key: section for section in block_sections(translations)}
    check_parts(sections["cder-parts"], systems, translations)
    check_moved(sections["moved-blocks"], systems)
    check_distances(sections["moved-blocks-by-distance"], systems)
    check_list(sections["moved-blocks-listed"], systems, translations)
    if translations.trees is not None:
        check_kinds(sections["moved-blocks-by-tag"], systems, translations, "upos")
        check_kinds(sections["moved-blocks-by-relation"], systems, translations, "label")
    for section in sections.values():
        assert all(len(row) == len(section.header) for row in section.rows)
        assert len(section.examples) in (0, len(section.rows))
        for finding in section.findings:
            assert 0 <= finding.explained < 100


def check_parts(
    section: Section, systems: dict[str, SlowSystem], translations: Translations
) -> None:
    for system, row in zip(translations.systems, section.rows, strict=True):
        slow = systems[system.name]
        jumps = slow.steps["jump"] + slow.steps["deletion"]
        counts = [slow.steps["insertion"], slow.steps["substitution"]]
        counts += [slow.causeless.total(), jumps - slow.causeless.total()]
        assert list(row[:6]) == [system.name, slow.words, *counts]
        assert row[6:10] == pytest.approx([slow.points(count) for count in counts])
        cder = CoverDisjointErrorRate().corpus_score(system.segments).value
        assert row[10] == pytest.approx(100 * cder, rel=1e-12)
        assert sum(counts) / slow.words == pytest.approx(cder, rel=1e-12)
        assert float(sum(b.cost for _, _, _, b in slow.moved())) == pytest.approx(counts[3])


def check_moved(section: Section, systems: dict[str, SlowSystem]) -> None:
    rows = rows_of(section, 2)
    for name, slow in systems.items():
        for source, placed in (("CDER path", slow.blocks), ("word alignment", slow.aligned)):
            blocks = [block for _, _, _, block in placed]
            moved = [block for block in blocks if block.moved]
            far = [abs(block.distance) for block in moved if block.distance]
            wanted = [
                sum(block.stop - block.first for block in blocks),
                len(moved),
                sum(block.stop - block.first for block in moved),
                *(sum(way(block) == each for block in moved) for each in ("too early", "too late")),
                sum(way(block) == "repeats" for block in moved),
                sum(1 <= distance <= 3 for distance in far),
                sum(distance > 3 for distance in far),
            ]
            row = rows[name, source]
            assert list(row[:8]) == wanted
            assert row[8] == (pytest.approx(sum(far) / len(far)) if far else None)
            lost = slow.points(float(sum(block.cost for block in moved)))
            assert row[9] == (pytest.approx(lost) if source == "CDER path" else None)
    for finding in section.findings:
        name, direction = finding.sentence.split(" ")[0], finding.sentence.split(" too ")[1]
        found = f"too {direction.split(',')[0]}"
        late = [block for _, _, _, block in systems[name].moved() if way(block) == found]
        assert f" puts {len(late)} block" in finding.sentence
        lost = systems[name].points(float(sum(block.cost for block in late)))
        assert finding.explained == pytest.approx(lost)


def check_distances(section: Section, systems: dict[str, SlowSystem]) -> None:
    def named(block: SlowBlock) -> str:
        size = abs(block.distance)
        if not size:
            return "0 (repeats)"
        return f"{'1-3' if size < 4 else '4-9' if size < 10 else '10+'} {way(block)}"

    wanted: defaultdict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0] * 5)
    for name, slow in systems.items():
        for column, blocks in ((0, slow.blocks), (2, slow.aligned)):
            for _, _, _, block in blocks:
                if block.moved:
                    cells = wanted[named(block), name]
                    cells[column] += 1
                    cells[column + 1] += block.stop - block.first
                    cells[4] += slow.points(float(block.cost))
    found = {key: row for key, row in rows_of(section, 2).items() if any(row)}
    assert found == {key: pytest.approx(tuple(cells)) for key, cells in wanted.items()}


def check_list(
    section: Section, systems: dict[str, SlowSystem], translations: Translations
) -> None:
    texts = translations.texts
    words = [texts.vocabulary.words[n] for n in texts.references.values]
    wanted = set()
    for name, slow in systems.items():
        for segment, start, numbers, block in slow.moved():
            own = [words[start + n] for n in numbers[block.first : block.stop]]
            wanted.add((name, segment + 1, " ".join(own[:12]), abs(block.distance)))
    for system, sentence, text, direction, distance, passed, *_ in section.rows:
        assert (system, sentence, str(text).removesuffix(" …"), distance) in wanted
        assert (direction == "repeated") == (distance == 0) == (passed == "")
        if distance != 0 and not str(passed).endswith(" …"):
            assert len(str(passed).split(" ")) == distance
    jumps = [float(str(row[-1])) for row in section.rows]
    assert jumps == sorted(jumps, reverse=True)
    most = sorted(
        (float(b.cost) for slow in systems.values() for *_, b in slow.moved()), reverse=True
    )
    assert jumps[:60] == pytest.approx(most[:60])
    assert len(section.rows) + section.hidden == sum(len([*s.moved()]) for s in systems.values())


def check_kinds(
    section: Section, systems: dict[str, SlowSystem], translations: Translations, column: str
) -> None:
    trees = translations.trees
    assert trees is not None
    strings: list[str] = getattr(trees, column).strings()
    heads = [
        0 if head == 0 else head + int(start)
        for start, stop in zip(trees.offsets, trees.offsets[1:], strict=False)
        for head in trees.heads[start:stop].tolist()
    ]

    def depth(place: int) -> int:
        # Heads are counted from 1.
        return 1 if heads[place] == 0 else 1 + depth(heads[place] - 1)

    def head(places: list[int]) -> str:
        return strings[min(places, key=lambda place: (depth(place), place))]

    wanted: defaultdict[tuple[Value, ...], list[float]] = defaultdict(lambda: [0.0] * 5)
    for name, slow in systems.items():
        for own, blocks in ((True, slow.blocks), (False, slow.aligned)):
            for _, start, words, block in blocks:
                if not block.moved:
                    continue
                places = [start + words[i] for i in range(block.first, block.stop)]
                kind = [head(places), way(block)]
                if column == "upos":
                    passed = [start + words[i] for i in block.passed]
                    kind.append(head(passed) if passed else "")
                cells = wanted[(*kind, name)]
                if own:
                    cells[0] += 1
                    cells[1] += len(places)
                    cells[2] += abs(block.distance)
                    cells[4] += slow.points(float(block.cost))
                else:
                    cells[3] += 1
    found = rows_of(section, 4 if column == "upos" else 3)
    for key, (count, size, mean, aligned, lost) in found.items():
        cells = wanted.pop(key, [0.0] * 5)
        assert [count, size, aligned] == [cells[0], cells[1], cells[3]]
        if mean is not None:
            assert mean == pytest.approx(cells[2] / cells[0])
        assert lost == pytest.approx(cells[4])
    left = {key[:-1] for key in wanted}
    assert (f"{len(left)} rarer kind" in section.note) == bool(left)


WORDS = st.lists(st.sampled_from("abcdef"), max_size=9).map(" ".join)


@given(st.lists(st.tuples(WORDS, WORDS), max_size=6).filter(lambda rows: any(r for _, r in rows)))
def test_any_sentences(pairs: list[tuple[str, str]]) -> None:
    check(translations_of({"A": [h for h, _ in pairs]}, [r for _, r in pairs], metrics="cder"))


@pytest.mark.parametrize("seed", range(4))
def test_random_translations_with_several_references_and_none(seed: int) -> None:
    made = random_lines(seed, 60, 3, words="abcd")
    found = translations_of(made.systems, made.references, metrics="cder")
    check(found)
    (section,) = (each for each in block_sections(found) if each.key == "moved-blocks")
    # Every way to move is there, on the paths and in the alignments.
    counts = np.array([row[5:8] for row in section.rows], float)
    assert (counts.sum(axis=0) > 0).all()


def test_visible_moves_are_counted_in_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """A span ends anywhere, and one rare word far behind decides for all."""
    made = random_lines(2, 60, 2, words="abcdefghijklmnopqrstuvwxyz")
    found = translations_of(made.systems, made.references, metrics="cder")
    for rare in (1, 60):
        monkeypatch.setattr(sections_module, "MAX_RARE_COUNT", rare)
        counted = []
        for size in (1 << 20, 7, 1):
            monkeypatch.setattr(sections_module, "SPAN_WORDS", size)
            counted.append([visible_moves(s, s.by_path.moved).tolist() for s in found.systems])
        assert counted[0] == counted[1] == counted[2]
        assert sum(map(sum, counted[0])) > 0


def test_ted_talks_with_trees() -> None:
    made = ted_lines(80)
    check(translations_of(made.systems, made.references, metrics="cder", parsed=True))


@pytest.mark.parametrize(
    ("folder", "language", "systems"),
    [
        ("wmt13-rr-pairs/de-en", "en", ["cu-zeman.2720", "online-A", "rbmt-1"]),
        ("wmt15-rr/en-fi", "fi", ["CMU.4075", "online-B.0"]),
    ],
)
def test_news(folder: str, language: str, systems: list[str]) -> None:
    place = data("human", folder)
    made = {name: lines(place / "outputs" / f"{name}.{language}.gz")[:60] for name in systems}
    references = lines(place / f"reference.{language}.gz")[:60]
    check(translations_of(made, references, metrics="cder", language=language))


def test_one_system_without_moved_blocks() -> None:
    found = translations_of({"A": ["we met", "so"]}, ["we met", "no"], metrics="cder", parsed=True)
    check(found)
    sections = {section.key: section for section in block_sections(found)}
    assert sections["moved-blocks"].reading.endswith("to 0 moved blocks on the CDER path.")
    assert sections["moved-blocks-listed"].rows == ()
    assert sections["moved-blocks-by-tag"].rows == ()


def test_without_words() -> None:
    check(translations_of({"A": ["", "a b"], "B": ["c", ""]}, [["a b"], []], metrics="cder"))
    texts = Texts.from_segments(["", "a", ""], [[""], [""], ["a"]])
    found = path_blocks(cover_paths(texts))
    assert (len(found), found.other_jumps.tolist()) == (0, [0, 1, 0])
    assert len(aligned_blocks(texts, np.arange(3), MonolingualAligner().align(texts))) == 0
    assert len(path_blocks(cover_paths(Texts.from_segments([], [])))) == 0


def test_both_directions_and_distances() -> None:
    texts = Texts.from_segments(
        ["on tuesday we met at six", "we six at seven eight nine met", "b a c"],
        ["we met at six on tuesday", "we met six at seven eight nine", "a b c"],
    )
    found = path_blocks(cover_paths(texts))
    assert found.distance[found.moved].tolist() == [-4]
    by_words = aligned_blocks(texts, np.arange(3), MonolingualAligner().align(texts))
    assert by_words.distance[by_words.moved].tolist() == [-4, 5, -1]
    assert by_words.local[by_words.moved].tolist() == [False, False, True]


def test_words_that_are_taken_twice_and_jumps_over_words_that_are_too_many() -> None:
    found = path_blocks(cover_paths(Texts.from_segments(["a b c d"], ["a b c d a b c d"])))
    assert found.moved.tolist() == found.repeated.tolist() == [False, True]
    assert found.cost.tolist() == [0.0, 1.0]
    texts = Texts.from_segments(["x a b c d y y e f g h z"], ["a b c d e f g h"])
    found = path_blocks(cover_paths(texts))
    assert (found.words.tolist(), found.moved.tolist()) == ([8], [False])
    assert found.other_jumps.tolist() == [3]
