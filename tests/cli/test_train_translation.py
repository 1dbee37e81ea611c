"""``wordorder train translation`` on the sample of the package."""

from __future__ import annotations

import gzip
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.running import (
    ALIGNMENTS,
    SAMPLE,
    SOURCE,
    TARGET,
    TREES,
    call,
    interrupt,
    ready,
    write,
)

from wordorder.translation import load_translation_model

GIVEN = ("--alignments", ALIGNMENTS)


def train(*args: str) -> list[str]:
    """Train, and return what was said."""
    done = call("train", "translation", *args).good()
    assert done.stdout == b""
    return done.stderr.splitlines()


def test_training_says_what_came_of_it(tmp_path: Path) -> None:
    model = str(tmp_path / "m.model")
    said = train(SOURCE, TARGET, "-o", model, "--rules", "R5", "--window", "6")
    assert said[-2].startswith("wordorder: 72 sentence pairs, ")
    assert said[-2].endswith(" phrase pairs of up to 7 words")
    assert "source phrases; language model of order 4 with " in said[-1]
    found = load_translation_model(model)
    assert found.window == 6
    assert found.preordering is not None
    assert found.preordering.name == "R5"
    assert found.about["sentence_pairs"] == 72


def test_options_reach_the_model(tmp_path: Path) -> None:
    model = str(tmp_path / "m.model")
    more = write(tmp_path, "more.ja", "新しい 語\n")
    some = ("-O", "max-phrase=2", "-O", "table-limit=1", "-O", "lm-order=2", "--lm", more)
    said = train(SOURCE, TARGET, "-o", model, *GIVEN, "--lowercase", *some)
    assert "phrase pairs of up to 2 words" in said[-2]
    found = load_translation_model(model)
    assert found.phrases.longest == 2
    assert found.phrases.entries == len(found.phrases)
    assert found.language_model.order == 2
    assert "新しい" in found.target_words
    assert all(word == word.lower() for word in found.source_words)


def test_a_reordering_model_is_chosen(tmp_path: Path) -> None:
    model = str(tmp_path / "m.model")
    said = train(SOURCE, TARGET, "-o", model, *GIVEN, "--reordering", "maxent", "-O", "seed=2")
    found = load_translation_model(model)
    jumps = found.about["jumps"]
    assert found.about["seed"] == 2
    assert said[-1].endswith(f"; maximum-entropy reordering from {jumps} jumps")
    assert jumps > 1000


def test_a_treebank_and_compressed_text_are_read(tmp_path: Path) -> None:
    plain, other = str(tmp_path / "a.model"), str(tmp_path / "b.model")
    packed = tmp_path / "target.ja.gz"
    packed.write_bytes(gzip.compress((SAMPLE / "target.ja").read_bytes()))
    train(SOURCE, TARGET, "-o", plain, *GIVEN)
    train(TREES, str(packed), "-o", other, *GIVEN, "--alignment-format", "talbot")
    assert Path(plain).read_bytes() == Path(other).read_bytes()


def test_sentence_pairs_without_links_are_counted(tmp_path: Path) -> None:
    files = [
        write(tmp_path, name, text) for name, text in (("a", "x y\n\nz\n"), ("b", "p\nq\nr\n"))
    ]
    links = write(tmp_path, "a.align", "0-0 1-0\n\n0-0\n")
    said = train(*files, "-o", str(tmp_path / "m"), "--alignments", links)
    assert any("1 sentence pair (33 %) has no links; no phrases are learnt" in x for x in said)


@pytest.mark.parametrize(
    ("status", "args", "parts"),
    [
        (2, [SOURCE, TARGET], ["-o"]),
        (2, [SOURCE, TARGET, "-o", "-"], ["-o needs the name of a file"]),
        (2, ["-", "-", "-o", "m"], ["only one input can be standard input"]),
        (2, [SOURCE, TARGET, "-o", "m", "--rules", "R55"], ["R55", "R5"]),
        (2, [SOURCE, TARGET, "-o", "m", "--parser", "en"], ["name the rules"]),
        (2, [SOURCE, TARGET, "-o", "m", "--aligner", "giza"], ["giza", "agreement"]),
        (2, [SOURCE, TARGET, "-o", "m", "--symmetrize", "gdfa"], ["gdfa", "grow-diag-final-and"]),
        (2, [SOURCE, TARGET, "-o", "m", "-O", "max-phrase=9"], ["9"]),
        (2, [SOURCE, TARGET, "-o", "m", "--reordering", "none"], ["none", "msd", "maxent"]),
        (2, [SOURCE, TARGET, "-o", "m", "-O", "seed=2"], ["-O seed is for --reordering maxent"]),
        (2, [SOURCE, TARGET, "-o", "no/such/m"], ["no/such"]),
        (1, [SOURCE, "absent", "-o", "m"], ["absent"]),
        (1, [SOURCE, "short.ja", "-o", "m"], ["source.en: 72 lines, but short.ja has 1"]),
        (1, ["short.ja", "short.ja", "-o", "m", *GIVEN], ["72", "short.ja"]),
        (1, ["short.ja", "short.ja", "-o", "m", "--alignments", "far"], ["far:1", "5"]),
        (1, ["special", "special", "-o", "m"], ["special:1: the word <s>"]),
    ],
)
def test_wrong_commands_leave_nothing_behind(
    status: int, args: list[str], parts: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in (("short.ja", "a b\n"), ("far", "5-0\n"), ("special", "a <s>\n")):
        write(tmp_path, name, text)
    call("train", "translation", *args).refused(status, *parts)
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("m")]


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    target = write(tmp_path, "b", "p\n")
    call("train", "translation", target, target, "-o", target).refused(2, "b")
    assert Path(target).read_text() == "p\n"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at the process in /proc")
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    """The second text never ends: it comes through a pipe."""
    command = [sys.executable, "-m", "wordorder", "train", "translation", SOURCE, "-", "-o", "m"]
    running = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    ready(running)
    interrupt(running)
    assert list(tmp_path.iterdir()) == []
