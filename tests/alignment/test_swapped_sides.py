"""Alignments whose links are target-source: what is said, and how they are read all the same."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments, write_alignments
from wordorder.errors import InputError


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
    path = tmp_path / "a.align"
    path.write_text("0-0\n\n3-1 0-0\n1-1\n4-0\n")
    said = refusal(path, [2, 2, 2, 2, 2], [5, 5, 5, 5, 5])
    assert said.startswith(f"{path}:3:1: link 3-1 points past the source (2 tokens). ")
    assert said.endswith(
        'The sides look swapped (2 of 4 lines fit only as target-source): format="pharaoh-reversed"'
    )


@pytest.mark.parametrize("name", ["naacl", "giza"])
def test_records(name: str, tmp_path: Path) -> None:
    sources, targets, alignments = corpus(9, 2)
    path = tmp_path / "a"
    words = [[["a"] * n for n in lengths] for lengths in (targets, sources)]
    write_alignments(alignments.transpose(), path, format=name, source=words[0], target=words[1])
    with pytest.raises(InputError) as error:
        read_alignments(path, source_lengths=sources, target_lengths=targets)
    if name == "naacl":
        assert str(error.value).endswith(": give source and target the other way round")


def test_one_line_is_a_guess(tmp_path: Path) -> None:
    path = tmp_path / "a.align"
    path.write_text("0-0\n2-1\n")
    assert refusal(path, [2, 2], [3, 3]).endswith(
        "Are the files in step? If indices start at 1: one_based=True. If the links are "
        'target-source: format="pharaoh-reversed"'
    )


def test_files_that_are_out_of_step_do_not_look_swapped(tmp_path: Path) -> None:
    for seed in range(20):
        draw = np.random.default_rng(seed)
        lengths = draw.integers(1, 30, (2, 60))
        rows = [
            [(int(draw.integers(s)), int(draw.integers(t))) for _ in range(1)]
            for s, t in lengths.T.tolist()
        ]
        path = tmp_path / "a.align"
        write_alignments(Alignments.from_rows(rows), path)
        moved = np.roll(lengths, 1, axis=1).tolist()
        assert "swapped" not in refusal(path, moved[0], moved[1])
        assert "swapped" not in refusal(path, moved[0], None)


def test_on_the_command_line(tmp_path: Path) -> None:
    sources, targets, alignments = corpus(12, 3)
    names = {}
    for name, lengths in (("source", sources), ("target", targets)):
        names[name] = tmp_path / f"{name}.txt"
        names[name].write_text("".join(" ".join(["w"] * n) + "\n" for n in lengths))
    path = tmp_path / "a.align"
    write_alignments(alignments, path, format="pharaoh-reversed")
    options: list[str | Path] = ["--source", names["source"]]
    answer = call("reference", path, *options)
    answer.refused(1, "The sides look swapped (", ": --format pharaoh-reversed")
    good = call("reference", path, *options, "--format", "pharaoh-reversed").good().stdout
    straight = tmp_path / "b.align"
    write_alignments(alignments, straight)
    assert call("reference", straight, *options).good().stdout == good
    scored: list[str | Path] = [
        "score",
        names["target"],
        "-i",
        names["target"],
        "-m",
        "frs",
        *options,
    ]
    scored += ["--reference-alignments", path, "--hypothesis-alignments", path]
    call(*scored).refused(1, "The sides look swapped (", "(--alignment-format pharaoh-reversed")
    call(*scored, "--alignment-format", "pharaoh-reversed").good()
