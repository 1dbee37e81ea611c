"""Tables of moved blocks against a recount sentence by sentence."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.analysis.translations.block_oracles import SlowBlock, places_of, slow_blocks
from tests.analysis.translations.translated import TED, Lines, lines, random_lines, ted_lines

from wordorder.analysis.section import Section, Value
from wordorder.analysis.translations.block_sections import block_sections
from wordorder.analysis.translations.files import translations_of
from wordorder.analysis.translations.translations import TranslatedSystem, Translations
from wordorder.metrics.text.edits import CoverDisjointErrorRate

HUMAN = TED.parent / "human"
NEEDS_DATA = pytest.mark.skipif(not TED.is_dir(), reason="WORDORDER_DATA names no such folder")
WAYS = ("too early", "repeats", "too late")


class SlowSystem:
    """One system, sentence by sentence.

    Attributes
    ----------
    blocks : list of (segment, first reference word, places of its words, block)
        Of the paths; the words are numbers in the reference.
    aligned : list, likewise
        Of the alignment.
    steps : Counter of operations
    causeless : int
    words : int
    """

    def __init__(self, system: TranslatedSystem) -> None:
        self.blocks: list[tuple[int, int, list[int], SlowBlock]] = []
        self.aligned: list[tuple[int, int, list[int], SlowBlock]] = []
        self.steps = Counter[str]()
        self.causeless = self.words = 0
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
            blocks, causeless = slow_blocks(places, jumps, len(path.hypothesis))
            self.causeless += causeless
            self.blocks += [(segment, start, words, block) for block in blocks]
            links = sorted((r, h) for h, r in alignments[row].links)
            words, places = [r for r, _ in links], [h for _, h in links]
            blocks, _ = slow_blocks(places, [False] * (len(places) + 1), len(path.hypothesis))
            self.aligned += [(segment, start, words, block) for block in blocks]

    def moved(self) -> Iterator[tuple[int, int, list[int], SlowBlock]]:
        return (each for each in self.blocks if each[3].moved)

    def points(self, edits: float) -> float:
        return 100 * edits / self.words


def way(block: SlowBlock) -> str:
    return WAYS[1 + (block.distance > 0) - (block.distance < 0)]


def rows_of(section: Section, key: int) -> dict[tuple[Value, ...], tuple[Value, ...]]:
    found = {row[:key]: row[key:] for row in section.rows}
    assert len(found) == len(section.rows)
    return found


def check(translations: Translations) -> None:
    """Recount all tables."""
    sections = {section.key: section for section in block_sections(translations)}
    systems = {system.name: SlowSystem(system) for system in translations.systems}
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
        counts += [slow.causeless, jumps - slow.causeless]
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


@pytest.mark.parametrize("seed", [3, 4])
def test_random_translations_with_several_references(seed: int) -> None:
    given = random_lines(seed, 40, 3)
    check(translations_of(given.systems, given.references, metrics="cder"))


@NEEDS_DATA
def test_ted_talks_with_trees() -> None:
    given = ted_lines(70)
    check(translations_of(given.systems, given.references, metrics="cder", parsed=True))


def _first(folder: Path, language: str, systems: list[str], segments: int) -> Lines:
    names = [folder / f"reference.{language}.gz"]
    names += [folder / "outputs" / f"{name}.{language}.gz" for name in systems]
    columns = [lines(name)[:segments] for name in names]
    return Lines([[line] for line in columns[0]], dict(zip(systems, columns[1:], strict=True)))


@NEEDS_DATA
@pytest.mark.parametrize(
    ("folder", "language", "systems"),
    [
        ("wmt13-rr-pairs/de-en", "en", ["cu-zeman.2720", "online-A", "rbmt-1"]),
        ("wmt15-rr/en-fi", "fi", ["CMU.4075", "online-B.0"]),
    ],
)
def test_news(folder: str, language: str, systems: list[str]) -> None:
    given = _first(HUMAN / folder, language, systems, 60)
    check(translations_of(given.systems, given.references, metrics="cder", language=language))


def test_one_system_without_moved_blocks() -> None:
    found = translations_of({"A": ["we met", "so"]}, ["we met", "no"], metrics="cder", parsed=True)
    check(found)
    sections = {section.key: section for section in block_sections(found)}
    assert sections["moved-blocks"].reading.endswith("to 0 moved blocks on the CDER path.")
    assert sections["moved-blocks-listed"].rows == ()
    assert sections["moved-blocks-by-tag"].rows == ()


def test_empty_translations_and_references() -> None:
    check(translations_of({"A": ["", "a b"], "B": ["c", ""]}, [["a b"], []], metrics="cder"))
