"""``wordorder translate`` on the sample of the package."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.cli.running import (
    ALIGNMENTS,
    SAMPLE,
    SOURCE,
    TARGET,
    TREES,
    call,
    interrupt,
    write,
)

from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.weights_file import weight_lines
from wordorder.translation import load_translation_model, translate
from wordorder.translation.model import DEFAULT_WEIGHTS, FEATURES

LINES = "he is a doctor .\n\nXyzzy has a dog .\n"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("models") / "sample.model")
    call("train", "translation", SOURCE, TARGET, "-o", path, "--alignments", ALIGNMENTS).good()
    return path


@pytest.mark.allow_notes
def test_lines_come_out_as_they_go_in(model: str, tmp_path: Path) -> None:
    found = translate(load_translation_model(model), LINES.splitlines(), window=2)
    source = write(tmp_path, "in.gz", gzip.compress(LINES.encode()))
    links = tmp_path / "links"
    done = call("translate", model, source, "--window", "2", "--alignment-output", links).good()
    assert done.text == "".join(f"{line}\n" for line in found.lines)
    assert done.text.splitlines()[1] == ""
    assert links.read_text() == "".join(f"{row}\n" for row in found.alignments)
    assert call("translate", model, "--window", "2", stdin=LINES.encode()).stdout == done.stdout
    output = tmp_path / "out.xz"
    call("translate", model, source, "-o", output, "--window", "2", "--threads", "1").good()
    assert call("translate", model, source, "--window", "0").good().stdout != done.stdout


def test_lists_can_be_read_and_weights_change_them(model: str, tmp_path: Path) -> None:
    both = call("translate", model, SOURCE, "--kbest", "5", "--kbest-output", tmp_path / "a").good()
    assert both.stdout == call("translate", model, SOURCE).good().stdout
    lists = call("translate", model, SOURCE, "--kbest", "5").good()
    assert lists.text == (tmp_path / "a").read_text()
    nbest = NBest.read(tmp_path / "a")
    assert nbest.names == FEATURES
    assert nbest.scores == pytest.approx(nbest.features @ np.array(DEFAULT_WEIGHTS), abs=1e-9)
    assert [nbest.text[row] for row in nbest.offsets[:-1]] == both.text.splitlines()
    other = [
        weight * (-1 if name == "WordPenalty0_0" else 1)
        for name, weight in zip(FEATURES, DEFAULT_WEIGHTS, strict=True)
    ]
    weights = write(tmp_path, "w", "\n".join(weight_lines(FEATURES, other)))
    short = call("translate", model, SOURCE, "--weights", weights).good()
    assert len(short.text.split()) < len(both.text.split())


def test_lists_hold_the_same_sentences_and_words_as_the_text(model: str, tmp_path: Path) -> None:
    source = write(tmp_path, "in", "he is a doctor .\n\nhe ||| has a |||| dog .\n")
    reference = write(tmp_path, "ref", "彼 は 医者 だ 。\nx y z\n彼 は ||| 犬 |||| を 。\n")
    lists = str(tmp_path / "lists")
    both = ("--kbest", "3", "--kbest-output", lists)
    done = call("translate", model, source, *both, "-o", tmp_path / "out").good()
    assert "3 translations in the lists have |||" in done.stderr
    nbest = NBest.read(lists)
    best = [nbest.text[row] for row in nbest.offsets[:-1]]
    out = (tmp_path / "out").read_text("utf-8").splitlines()
    escaped = "&#124;&#124;&#124;"
    assert best == [line.replace("|||", escaped) for line in out]
    assert best[1] == ""
    assert f"{escaped}|" in best[2].split()
    start = write(tmp_path, "w", "\n".join(weight_lines(FEATURES, list(DEFAULT_WEIGHTS))))
    # The references may have the word as it is, or as lists have it.
    for rows, words in ((out, "|||"), (best, escaped)):
        text = Path(reference).read_text("utf-8").replace("|||", words)
        text = write(tmp_path, "text", text)
        system = write(tmp_path, "system", "".join(f"{row}\n" for row in rows))
        ask = ("-m", "ter", "--format", "json")
        tuned = call("tune", lists, text, *ask, "--start", start).good().json["before"]
        score = call("score", text, "-i", system, *ask).good().json["systems"][0]["scores"][0]
        assert tuned == score["value"]


def test_unknown_words_are_counted(model: str) -> None:
    done = call("translate", model, stdin=b"he has xyzzy\n" + 4 * b"he has he is he\n").good()
    assert "<stdin>: the model does not know " in done.stderr
    assert "are copied; more training text helps" in done.stderr
    done = call("translate", model, stdin=b"HE IS HE\n").good()
    assert "it knows 100 % of them in lower case" in done.stderr
    assert "--lowercase" in done.stderr
    done = call("translate", model, stdin=b"q w e r\n").good()
    assert "does not know 4 words (100 %)" in done.stderr
    assert "tokenised in the same way?" in done.stderr


def test_wrong_commands(model: str, tmp_path: Path) -> None:
    call("translate", model, "absent").refused(1, "absent")
    call("translate", model, SOURCE, "-o", SOURCE).refused(2, "is an input too")
    call("translate", model, SOURCE, "--kbest-output", "x").refused(2, "--kbest K")
    call("translate", model, SOURCE, "--kbest", "0").refused(2, "--kbest")
    call("translate", model, SOURCE, "-o", "no/such").refused(2, "no/such")
    same = str(tmp_path / "same")
    args = ("translate", model, SOURCE, "-o", same, "--alignment-output", same)
    call(*args).refused(2, "two outputs have one name")
    call("translate", model, SOURCE, "--weights", write(tmp_path, "w", "LM0= 1\n")).refused(
        1, "no weight of LexicalReordering0_0"
    )
    bad = write(tmp_path, "bad", b"good line\n\xff\n")
    call("translate", model, bad, "-o", same).refused(1, "bad:2")
    assert not os.path.exists(same)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks at the process in /proc")
def test_a_line_is_answered_at_once_and_an_interrupt_is_quiet(model: str, tmp_path: Path) -> None:
    running = subprocess.Popen(
        [sys.executable, "-m", "wordorder", "translate", model],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
    )
    assert running.stdin is not None
    assert running.stdout is not None
    for line in (b"he is a doctor .\n", b"\n", b"he has a dog .\n"):
        running.stdin.write(line)
        running.stdin.flush()
        assert (running.stdout.readline() == b"\n") == (line == b"\n")
    interrupt(running)


# -- ``wordorder train translation`` on the sample of the package. ---------------------------------

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
