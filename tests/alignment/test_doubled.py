"""Links that a file lists more than once are taken once and counted, or refused."""

import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests import oracles_notations as oracles
from tests.cli.running import call
from tests.files import written
from tests.notes import noted

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import AlignmentReader, read_alignments, write_alignments
from wordorder.errors import InputError

Link = tuple[int, int, bool]
Rows = list[list[Link]]
WORDS = 6


def pharaoh(rows: Rows) -> str:
    return "".join(" ".join(f"{s}{'-p'[p]}{t}" for s, t, p in row) + "\n" for row in rows)


def lader(rows: Rows) -> str:
    return oracles.lader_text(
        [[link[:2] for link in row] for row in rows], [(WORDS,) * 2] * len(rows)
    )


def talbot(rows: Rows) -> str:
    lines = []
    for row in rows:
        fields = [[str(s) for s, t, _ in row if t == target] for target in range(WORDS)]
        lines.append(",".join(map("_".join, fields)) + "\n")
    return "".join(lines)


def giza(rows: Rows) -> str:
    lines = []
    for number, row in enumerate(rows, 1):
        fields = [
            f"w ({{ {''.join(f'{t + 1} ' for s, t, _ in row if s == source)}}})"
            for source in range(WORDS)
        ]
        lines.append(
            f"# Sentence pair ({number}) source length {WORDS} target length {WORDS} alignment "
            f"score : 0\n{' '.join('w' * WORDS)}\nNULL ({{ }}) {' '.join(fields)}\n"
        )
    return "".join(lines)


NOTATIONS: dict[str, Callable[[Rows], str]] = {
    **{each.__name__: each for each in (pharaoh, lader, talbot, giza)},
    "naacl": oracles.naacl_text,
}


def once(row: list[Link]) -> set[Link]:
    """Take each link once, as a sure one if it is listed as sure anywhere."""
    sure = {(s, t) for s, t, possible in row if not possible}
    return {(s, t, (s, t) not in sure) for s, t, _ in row}


@pytest.mark.parametrize("name", NOTATIONS)
@pytest.mark.parametrize("seed", range(8))
def test_each_link_counts_once(name: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    marks = [False, True] if name in ("pharaoh", "naacl") else [False]
    ends = range(rng.choice([2, WORDS]))
    rows = [
        [
            (rng.choice(ends), rng.choice(ends), rng.choice(marks))
            for _ in range(rng.choice([0, 1, 3, 12]))
        ]
        for _ in range(30)
    ]
    rows.append([(0, 0, False), (0, 0, marks[-1]), (1, 0, False)])
    path = written(tmp_path, NOTATIONS[name](rows))
    expected = [once(row) for row in rows]
    doubled = sum(map(len, rows)) - sum(map(len, expected))
    lines = sum(len(row) > len(links) for row, links in zip(rows, expected, strict=True))
    with noted() as notes:
        found = read_alignments(path, format=name, sentences=len(rows))
    assert [{(*link, link in row.possible) for link in row.links} for row in found] == expected
    assert [len(row.links) for row in found] == list(map(len, expected))
    assert found.doubled == doubled
    noun = "sentence pairs" if name in ("naacl", "giza") else "lines"
    was = "link was" if doubled == 1 else "links were"
    assert notes == [
        f"{path}: {doubled} {was} listed twice, in {lines} of 31 {noun}; each is "
        "taken once; strict=True refuses them"
    ]
    with pytest.raises(InputError, match="is listed twice"):
        read_alignments(path, format=name, sentences=len(rows), strict=True)


def test_the_first_place_of_a_link_stays(tmp_path: Path) -> None:
    path = written(tmp_path, "2-1 0p0 2-1 1-1 0-0\n")
    with noted("2 links were listed twice, in 1 of 1 line;"):
        (row,) = read_alignments(path)
    assert str(row) == "2-1 0-0 1-1"
    # Nothing is said of files without doubled links.
    assert read_alignments(written(tmp_path, "0-0 1-1\n0-0\n")).doubled == 0


def test_a_link_past_its_sentence_is_found_behind_doubled_ones(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0 0-0\n1-1 0-0 1-1 1-1 5-0 0-0\n")
    with pytest.raises(InputError, match=r":2:17: link 5-0 points past the source \(2 tokens\)"):
        read_alignments(path, source_lengths=[1, 2])


def test_parts_are_counted_together(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0 0-0\n1-1\n" * 4)
    with AlignmentReader(path) as reader:
        assert [reader.take(3).doubled for _ in range(2)] == [2, 1]
        assert reader.take(3).doubled == 1
        with noted("4 links were listed twice, in 4 of 8 lines"):
            assert len(reader.take(3)) == 0


# -- Alignments whose links are target-source: what is said, and how they are read all the same.


def corpus(lines: int, seed: int) -> tuple[list[int], list[int], Alignments]:
    """Return lengths of short sources and of long targets, and links between them."""
    draw = np.random.default_rng(seed)
    sources = draw.integers(2, 7, lines).tolist()
    targets = draw.integers(6, 13, lines).tolist()
    rows = [
        sorted({(i, int(draw.integers(t))) for i in range(s)} | {(s - 1, t - 1)})
        for s, t in zip(sources, targets, strict=True)
    ]
    return sources, targets, Alignments.from_rows(rows)


def refusal(
    path: Path, sources: list[int], targets: list[int] | None, option: str = "--format"
) -> str:
    """Return the message of the error about a file."""
    with pytest.raises(InputError) as error:
        read_alignments(path, source_lengths=sources, target_lengths=targets, format_option=option)
    return str(error.value)


def test_swapped_sides_are_named_and_read(tmp_path: Path) -> None:
    sources, targets, alignments = corpus(40, 1)
    path = tmp_path / "a.align"
    write_alignments(alignments, path, format="pharaoh-reversed")
    assert path.read_text() == "".join(
        " ".join(f"{t}-{s}" for s, t in alignments[row].links) + "\n" for row in range(40)
    )
    for known in (targets, None):
        said = refusal(path, sources, known)
        assert "The sides look swapped (" in said
        assert said.endswith('fit only as target-source): format="pharaoh-reversed"')
        assert "in step" not in said
    said = refusal(path, sources, targets, "--alignment-format")
    assert said.endswith(': alignment_format="pharaoh-reversed"')
    read = read_alignments(
        path, format="pharaoh-reversed", source_lengths=sources, target_lengths=targets
    )
    assert read == alignments
    # In memory there is no option.
    with pytest.raises(InputError, match="look swapped .*: transpose them"):
        read_alignments(path).with_lengths(sources, targets)
    assert read_alignments(path).transpose().with_lengths(sources, targets) == alignments


def test_how_many_lines_show_it(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0\n\n3-1 0-0\n1-1\n4-0\n")
    said = refusal(path, [2, 2, 2, 2, 2], [5, 5, 5, 5, 5])
    assert said.startswith(f"{path}:3:1: link 3-1 points past the source (2 tokens). ")
    assert said.endswith(
        'The sides look swapped (2 of 4 lines fit only as target-source): format="pharaoh-reversed"'
    )


@pytest.mark.parametrize("name", ["naacl", "giza"])
def test_records(name: str, tmp_path: Path) -> None:
    sources, targets, alignments = corpus(9, 2)
    path = tmp_path / "a"
    if name == "naacl":
        write_alignments(alignments.transpose(), path, format=name)
    else:
        links = [[(t, s) for s, t in row.links] for row in alignments]
        words = [[["a"] * n for n in lengths] for lengths in (targets, sources)]
        path.write_text(oracles.giza_text(links, words[0], words[1], range(len(links))))
    with pytest.raises(InputError) as error:
        read_alignments(path, source_lengths=sources, target_lengths=targets)
    if name == "naacl":
        assert str(error.value).endswith(": give source and target the other way round")


def test_one_line_is_a_guess(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0\n2-1\n")
    assert refusal(path, [2, 2], [3, 3]).endswith(
        "Are the files in step? If indices start at 1: one_based=True. If the links are "
        'target-source: format="pharaoh-reversed"'
    )


def test_files_that_are_out_of_step_do_not_look_swapped(tmp_path: Path) -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        lengths = draw.integers(1, 30, (2, 60))
        rows = [[(int(draw.integers(s)), int(draw.integers(t)))] for s, t in lengths.T.tolist()]
        path = tmp_path / "a.align"
        write_alignments(Alignments.from_rows(rows), path)
        moved = np.roll(lengths, 1, axis=1).tolist()
        assert "swapped" not in refusal(path, moved[0], moved[1])
        assert "swapped" not in refusal(path, moved[0], None)


def test_on_the_command_line(tmp_path: Path) -> None:
    sources, targets, alignments = corpus(12, 3)
    texts = ["".join(" ".join(["w"] * n) + "\n" for n in lengths) for lengths in (sources, targets)]
    source, target = (str(written(tmp_path, text, f"{len(text)}.txt")) for text in texts)
    path, straight = str(tmp_path / "a.align"), str(tmp_path / "b.align")
    write_alignments(alignments, path, format="pharaoh-reversed")
    write_alignments(alignments, straight)
    options = ["--source", source]
    answer = call("reference", path, *options)
    answer.refused(1, "The sides look swapped (", ": --format pharaoh-reversed")
    good = call("reference", path, *options, "--format", "pharaoh-reversed").good().stdout
    assert call("reference", straight, *options).good().stdout == good
    links = ["--reference-alignments", path, "--hypothesis-alignments", path]
    scored = ["score", target, "-i", target, "-m", "frs", *options, *links]
    call(*scored).refused(1, "The sides look swapped (", "(--alignment-format pharaoh-reversed")
    call(*scored, "--alignment-format", "pharaoh-reversed").good()
