"""Scores of links: written and read, refused where they are wrong, and how often they are right."""

from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import call
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment import align as module
from wordorder.alignment.align import ALIGNERS, align_files
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments, write_alignments
from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.text import lines as lines_module

SOURCE = ["the house", "", "the book", "x", "a book", "the old house"] * 7
TARGET = ["das haus", "y", "das buch", "", "ein buch", "das alte haus"] * 7


def read(folder: Path, text: str) -> Alignments:
    path = folder / "a.align"
    path.write_bytes(text.encode())
    return read_alignments(path)


@pytest.mark.parametrize(
    ("text", "links", "scores"),
    [
        ("0-0:0.93 1p2:1\n\n2?1:0\r\n", ["0-0 1p2", "", "2p1"], [0.93, 1, 0]),
        ("0-0:.5\t1-1:5e-1", ["0-0 1-1"], [0.5, 0.5]),
        # SimAlign's align_files.py --add-probs: number, tab, mean and highest without their 0.
        ("0\t0-1-.93-.95 1-0-.0-.0\n1\t\n2\t0-0-.3-.4\n", ["0-1 1-0", "", "0-0"], [0.93, 1, 0.3]),
    ],
)
def test_read(tmp_path: Path, text: str, links: list[str], scores: list[float]) -> None:
    found = read(tmp_path, text)
    assert [str(row) for row in found] == links
    assert found.scores is not None
    assert found.scores.tolist() == scores


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("0-0:0.9 1-1:1.2\n", "a.align:1:9:", "'1-1:1.2' is no link"),
        ("0-0:0.9\n1-1:-.1\n", "a.align:2:1:", "in [0, 1]"),
        ("0-0:0.9\n1-1:nan\n", "a.align:2:1:", "is no link"),
        ("0-0:0.9 1-1:\n", "a.align:1:9:", "is no link"),
        ("0-0:0.9\n\n1-1\n", "a.align:3:", "'1-1' has no score, others have one"),
        ("0-0\n1-1\n2-2:1\n", "a.align:1:", "'0-0' has no score, others have one"),
    ],
)
def test_refused(tmp_path: Path, text: str, where: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert where in str(caught.value)
    assert what in str(caught.value)


def test_mixed_in_later_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wordorder.alignment.reading.CHUNK", 2)
    for text, what in (("0-0\n" * 4 + "1-1:1\n", "has a score"), ("0-0:1\n" * 4 + "1-1\n", "no")):
        refuses(InputError, rf"a\.align:5: '1-1.*{what}", read, tmp_path, text)


def test_links_keep_their_scores(tmp_path: Path) -> None:
    with pytest.warns(WordOrderWarning, match="listed twice"):
        found = read(tmp_path, "0-0:.1 1p2:.2\n0-0:.3\n1-0:.4 1-0:.5 2-1:.6\n")
    assert found.scores is not None
    assert found.scores.tolist() == [0.1, 0.2, 0.3, 0.4, 0.6]
    for part, scores in (
        (found[1:], [0.3, 0.4, 0.6]),
        (found.take(np.array([1, 0])), [0.3, 0.1, 0.2]),
        (found.sure(), [0.1, 0.3, 0.4, 0.6]),
        (found.at_least(0.4), [0.4, 0.6]),
        (found.transpose(), [0.1, 0.2, 0.3, 0.4, 0.6]),
        (Alignments.concatenate([found[2:], found[:1]]), [0.4, 0.6, 0.1, 0.2]),
    ):
        assert part.scores is not None
        assert part.scores.tolist() == scores
    write_alignments(found, tmp_path / "b")
    assert (
        tmp_path / "b"
    ).read_text() == "0-0:0.1000 1p2:0.2000\n0-0:0.3000\n1-0:0.4000 2-1:0.6000\n"


@pytest.mark.parametrize("model", ALIGNERS.built_in)
def test_links_are_the_same(model: str) -> None:
    trained = ALIGNERS.load(model).train(SOURCE, TARGET)
    plain, scored = (trained.align(SOURCE, TARGET, scores=scores) for scores in (False, True))
    assert plain == scored
    assert plain.scores is None
    assert scored.scores.shape == scored.source.shape
    assert np.all((scored.scores > 0) & (scored.scores < 1))


@pytest.mark.parametrize("chunk", [1, 5, 41, 42, 43])
def test_a_kept_model_in_parts(tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source, target, kept = (tmp_path / name for name in ("s", "t", "m"))
    source.write_text("".join(f"{line}\n" for line in SOURCE))
    target.write_text("".join(f"{line}\n" for line in TARGET))
    whole = align_files(source, target, tmp_path / "a", save=kept, scores=True)
    monkeypatch.setattr(module, "CHUNK", chunk)
    monkeypatch.setattr(lines_module, "CHUNK", 3)
    assert align_files(source, target, tmp_path / "b", load=kept, scores=True) == whole
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    target.write_text("das haus\n")
    refuses(InputError, "42 lines", align_files, source, target, tmp_path / "c", load=kept)
    assert not (tmp_path / "c").exists()


SCORED = "0-0:0.9 1-1:0.4\n0-0:0.3\n0-1:0.5 1-0:0.8\n"
KEPT = "0-0\n\n0-1 1-0\n"


@pytest.fixture
def three(tmp_path: Path) -> Path:
    (tmp_path / "s").write_text("a b\nc\nd e\n")
    (tmp_path / "t").write_text("A B\nC\nE D\n")
    (tmp_path / "scored").write_text(SCORED)
    (tmp_path / "kept").write_text(KEPT)
    return tmp_path


def test_orders_and_phrases_of_links_with_high_scores(three: Path) -> None:
    """``-O links=0.5`` is the same as a file without the other links."""
    made = {}
    texts = [str(three / name) for name in "st"]
    for name, more in (("scored", ["-O", "links=0.5"]), ("kept", [])):
        links, orders, model = (str(three / f"{name}{end}") for end in ("", ".orders", ".model"))
        done = call("reference", links, "--source", texts[0], "-o", orders, *more).good()
        given = ["--alignments", links, *more]
        done = call("train", "translation", *texts, "-o", model, *given).good()
        phrases = done.stderr.splitlines()[-2:]
        checked = call("reference", links, "--source", texts[0], "--check", *more)
        made[name] = Path(orders).read_text(), phrases, checked.text.replace(name, "")
    assert made["scored"] == made["kept"]


def test_scores_that_are_not_used_are_named(three: Path) -> None:
    done = call("reference", str(three / "scored"), "--source", str(three / "s")).good()
    assert "the links have scores, and all count: -O links=0.5 leaves out" in done.stderr
    links = wo.read_alignments(three / "scored")
    with pytest.warns(WordOrderWarning, match="all count: links=0.5 leaves out"):
        every = wo.reference_orders(links, [2, 1, 2])
    found = wo.reference_orders(links, [2, 1, 2], links=0.5)
    assert found == wo.reference_orders(wo.read_alignments(three / "kept"), [2, 1, 2])
    assert len(every) == 3


@pytest.mark.parametrize(
    ("links", "value", "message"),
    [
        ("kept", "0.5", "the links have no scores"),
        ("scored", "2", "-O links=2: expected all, sure, or the lowest score"),
        ("scored", "1.5", "a score is a number in [0, 1], not 1.5"),
        ("scored", "nan", "-O links=nan: expected all, sure"),
    ],
)
def test_bad_lowest_scores(three: Path, links: str, value: str, message: str) -> None:
    output = three / "o"
    given = [str(three / links), "--source", str(three / "s"), "-o", str(output)]
    done = call("reference", *given, "-O", f"links={value}")
    assert done.status in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not output.exists()


def test_refused_options(tmp_path: Path) -> None:
    files = [tmp_path / name for name in "sta"]
    refuses(UsageError, "pharaoh", align_files, *files, scores=True, format="naacl")
    refuses(UsageError, "0, 1", align_files, *files, min_score=2)
    refuses(UsageError, "no scores", wo.align(SOURCE, TARGET).at_least, 0.5)
