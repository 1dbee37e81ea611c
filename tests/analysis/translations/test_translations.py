"""The data of an analysis of translations: what the files hold, as `score` scores it."""

import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder import notes
from wordorder.analysis.translations import (
    analyze as tables,
    difference,
    difference_examples,
    duplicates,
    files,
    ngrams,
    order_costs,
    part_table,
    stored,
    translations,
    words,
)
from wordorder.analysis.translations.files import (
    DEFAULT_METRICS,
    read_translations,
    reference_trees,
    translations_of,
)
from wordorder.analysis.translations.translations import Translations
from wordorder.errors import InputError
from wordorder.kernels import _run
from wordorder.metrics.registry import metric
from wordorder.notes import held_notes
from wordorder.scoring.files import Files
from wordorder.scoring.scores import score_files as score
from wordorder.segments import Segments
from wordorder.statistics import measurement
from wordorder.text.lockstep import CHUNK_LINES

REFERENCE = ["we met on tuesday at six", "it rains", "", "the cat sat on the mat"]
OTHER = ["on tuesday we met at six", "rain falls", "so", "the cat was sitting on a mat"]
ONE = ["on tuesday we met at six", "rains it", "so", "on the mat sat the cat"]
# Bytes a line.
MOST = 1_000

TWO = ["we met tuesday", "", "", "the cats sat on mats"]


def _write(folder: Path, **files: list[str]) -> dict[str, str]:
    paths = {}
    for name, lines in files.items():
        path = folder / f"{name}.txt"
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        paths[name] = str(path)
    return paths


def _read(paths: dict[str, str], **options: object) -> Translations:
    systems = [paths[name] for name in ("one", "two")]
    with held_notes():
        return read_translations(Files.of(paths["ref"], systems, options))


@pytest.mark.parametrize("further", [False, True])
def test_values_are_those_of_score(tmp_path: Path, further: bool) -> None:
    paths = _write(tmp_path, ref=REFERENCE, other=OTHER, one=ONE, two=TWO)
    options: dict[str, Any] = {"references": [paths["other"]]} if further else {}
    found = _read(paths, **options)
    with held_notes():
        wanted = score(
            [paths["one"], paths["two"]],
            paths["ref"],
            DEFAULT_METRICS,
            aligner="exact+stem",
            segments=True,
            **options,
        )
    for number, made in enumerate(found.metrics):
        values = [wanted.values()[name][made.name] for name in found.names]
        assert found.measurement(number).values().tolist() == values
        scores = [system.scores[number] for system in found.systems]
        assert np.array_equal(scores, wanted.segment_scores(number), equal_nan=True)
    signatures = [each.signature for each in wanted.evaluation.systems[0].scores]
    assert list(map(str, found.signatures)) == list(map(str, signatures))


def test_lines_give_what_files_give(tmp_path: Path) -> None:
    paths = _write(tmp_path, ref=REFERENCE, one=ONE, two=TWO)
    read = _read(paths, tokenizer="none")
    given = translations_of({"one": ONE, "two": TWO}, REFERENCE)
    for theirs, ours in zip(read.systems, given.systems, strict=True):
        assert theirs.texts.hypothesis == ours.texts.hypothesis
        assert theirs.matches.start.tolist() == ours.matches.start.tolist()
        for one, other in zip(theirs.statistics, ours.statistics, strict=True):
            assert np.array_equal(one, other)
    assert list(map(str, read.signatures)) == list(map(str, given.signatures))


def test_the_reference_with_the_lowest_cder_is_compared() -> None:
    references = [list(pair) for pair in zip(REFERENCE, OTHER, strict=True)] + [[]]
    (system,) = translations_of({"one": [*ONE, "so"]}, references).systems
    cder = metric("cder")
    expected = []
    for line, several in zip([*ONE, "so"], references, strict=True):
        costs = [float(cder.segment_scores(Segments.from_text([line], [r]))[0]) for r in several]
        expected.append(costs.index(min(costs)) if costs else -1)
    first = system.texts.reference_offsets[:-1]
    assert (system.rows - first * system.compared).tolist() == expected
    words = system.texts.words_of(system.references)
    chosen = [pair[at].split() for pair, at in zip(references, expected, strict=True) if at >= 0]
    assert words == [*chosen, []]


def test_systems_share_references_and_vocabulary_in_long_files(tmp_path: Path) -> None:
    times = CHUNK_LINES // len(ONE) + 2
    paths = _write(tmp_path, ref=REFERENCE * times, one=ONE * times, two=TWO * times)
    first, second = _read(paths).systems
    assert len(first) == len(ONE) * times > CHUNK_LINES
    assert first.texts.references is second.texts.references
    assert first.texts.vocabulary is second.texts.vocabulary
    assert first.texts.words_of(first.texts.hypothesis[-4:]) == [line.split() for line in ONE]


def test_links_are_those_of_the_files(tmp_path: Path) -> None:
    paths = _write(tmp_path, ref=["a b"], one=["b a"], two=["a b"], source=["x y"])
    for name, links in (("ref", "0-0 1-1"), ("one", "0-1 1-0"), ("two", "0-0")):
        (tmp_path / f"{name}.align").write_text(links + "\n")
    found = _read(
        paths,
        source=paths["source"],
        reference_alignments=[str(tmp_path / "ref.align")],
        hypothesis_alignments=[str(tmp_path / f"{name}.align") for name in ("one", "two")],
    )
    assert found.links is not None
    assert [str(links.hypothesis[0]) for links in found.links] == ["0-1 1-0", "0-0"]
    # One links two words in the other order, two only one word of two.
    assert [float(system.scores[0][0]) for system in found.systems] == [0.0, 0.0]


def test_no_lines_and_one_line(tmp_path: Path) -> None:
    paths = _write(tmp_path, ref=[], one=[], two=[])
    with pytest.raises(InputError, match=r"ref.*: no segments"):
        read_translations(Files.of(paths["ref"], [paths["one"]], {}), "cder")
    assert len(_read(_write(tmp_path, ref=["a b"], one=["b a"], two=["a b"]))) == 1
    paths = _write(tmp_path, ref=REFERENCE, one=ONE, two=TWO[:2])
    refuses(InputError, r"(?s)ref\.txt.*4.*two\.txt.*2|two\.txt.*2.*4", _read, paths)


def test_trees_are_of_all_references_word_by_word() -> None:
    found = translations_of(
        {"one": ONE}, [[a, b] for a, b in zip(REFERENCE, OTHER, strict=True)], parsed=True
    )
    assert found.trees is not None
    words = found.texts.words_of(found.texts.references)
    assert found.trees.sentences() == words
    assert found.trees.has_trees
    assert reference_trees(found.texts).upos.strings() == found.trees.upos.strings()


@pytest.mark.parametrize("large", [False, True])
def test_a_large_analysis_says_what_memory_it_needs(
    large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the words of the outputs, 9 here."""
    monkeypatch.setattr(notes, "NOTED_BYTES", 9 * tables.WORD_BYTES + (not large))
    found = translations_of({"A": ["a b c", "a"], "B": ["b a", "a b c"]}, ["a b c", "a b"])
    with held_notes() as held:
        tables.analyze(found, resamples=200)
    message = "2 segments of 2 systems need about 0.0 GB of memory here"
    assert any(message in each for each in held) == large


def test_statistics_are_the_same_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = _write(tmp_path, reference=REFERENCE, one=ONE, two=TWO)
    files = Files.of(paths["reference"], [paths["one"], paths["two"]], {})
    with held_notes():
        whole = read_translations(files)
        # Tokens of a piece: each sentence is one.
        found = tables.analyze(whole, resamples=200)
        monkeypatch.setattr(_run, "PIECE_NUMBERS", 1)
        monkeypatch.setattr("wordorder.text.lockstep.CHUNK_LINES", 1)
        pieces = read_translations(files)
        again = tables.analyze(pieces, resamples=200)
    assert pieces.texts.vocabulary.words == whole.texts.vocabulary.words
    assert pieces.texts.references == whole.texts.references
    for one, other in zip(whole.systems, pieces.systems, strict=True):
        assert one.texts.hypothesis == other.texts.hypothesis
        columns = [(*each.statistics, *each.marks, each.matches.start) for each in (one, other)]
        for ours, theirs in zip(*columns, strict=True):
            assert np.array_equal(ours, theirs)
    tables_of = [
        [(each.reading, each.rows, each.examples) for each in a.sections] for a in (found, again)
    ]
    assert tables_of[0] == tables_of[1]


@pytest.mark.slow
def test_memory_grows_little_with_the_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To read and analyze two systems takes less than 1 kB a line of 20 words more.

    Arrays that are much larger wait in temporary files.
    """
    # As in large files: what is looked at together is little beside what is kept.
    monkeypatch.setattr(_run, "PIECE_NUMBERS", 1 << 14)
    for name, size in (
        ("MIN_NARROWED", 1 << 10),
        ("MIN_BYTES", 1 << 12),
        ("SHARED_FILE_BYTES", 1 << 20),
    ):
        monkeypatch.setattr(stored, name, size)
    # The bounds that callers have by default.
    monkeypatch.setattr(stored.move_to_file, "__defaults__", (1 << 12,))
    storing = (stored, files, difference, order_costs, part_table, ngrams, translations, words)
    for module in storing:
        monkeypatch.setattr(module, "MIN_BYTES_OF_MANY", 1 << 9)
    monkeypatch.setattr(words, "SPAN_WORDS", 1 << 10)
    monkeypatch.setattr(translations, "MAX_STATISTICS_BYTES", 1 << 17)
    monkeypatch.setattr("wordorder.text.lockstep.CHUNK_LINES", 1 << 9)
    monkeypatch.setattr(measurement, "RESAMPLED_NUMBERS", 1 << 15)
    monkeypatch.setattr(ngrams, "SPAN_NGRAMS", 1 << 13)
    monkeypatch.setattr(order_costs, "SPAN_SEGMENTS", 1 << 9)
    monkeypatch.setattr(difference_examples, "SPAN_SEGMENTS", 1 << 9)
    monkeypatch.setattr(part_table, "BATCH_VALUES", 1 << 13)
    monkeypatch.setattr(part_table, "MAX_BATCH_VALUES", 1 << 15)
    monkeypatch.setattr(duplicates, "SPAN_ROWS", 1 << 9)
    for name in ("SPAN_PAIRS", "MAX_PAIRS"):
        monkeypatch.setattr(duplicates, name, 1 << 12)
    # What is loaded once is there before anything is measured.
    _, *peaks = [_peak(tmp_path, lines) for lines in (100, 4000, 8000)]
    assert (peaks[1] - peaks[0]) / 4000 < MOST


def _peak(folder: Path, lines: int) -> int:
    """Return how many bytes reading and analyzing two systems takes at most at a time."""
    draw = np.random.default_rng(3)
    words = draw.zipf(1.3, (lines, 20)) % 2000
    written = {"ref": [" ".join(map(str, row)) for row in words.tolist()]}
    for name in ("one", "two"):
        other = np.where(
            draw.random(words.shape) < 0.2, draw.integers(2000, size=words.shape), words
        )
        cuts = draw.integers(20, size=lines).tolist()
        written[name] = [
            " ".join(map(str, np.roll(row, cut).tolist()))
            for row, cut in zip(other, cuts, strict=True)
        ]
    paths = _write(folder, **written)
    opened = Files.of(paths["ref"], [paths["one"], paths["two"]], {})
    tracemalloc.start()
    try:
        with held_notes():
            # In a language without trees: the parser takes more than these texts.
            tables.analyze(read_translations(opened, language="other"), resamples=200)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
