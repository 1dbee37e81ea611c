"""Notes and JSON of all verbs: what --quiet silences, and what each JSON says beside its result."""

import io
import subprocess
import warnings
from pathlib import Path

import pytest
from tests.cli.running import (
    ALIGNMENTS,
    PROGRAM,
    REFERENCE,
    SOURCE,
    SYSTEMS,
    TARGET,
    call,
    notes_on,
    write,
)

from wordorder.cli.messages import Messages, print_line
from wordorder.cli.program import VERBS, run
from wordorder.messages import WordOrderWarning, note, note_each, one_note_of_a_kind
from wordorder.metrics.registry import metric
from wordorder.segments import Segments


def test_notes_are_in_the_json_with_all_their_letters(tmp_path: Path) -> None:
    system = write(tmp_path, "sys.txt", "ein Bär\n")
    reference = write(tmp_path, "ref.txt", "\ufeffein Bär\n")
    answer = call("score", reference, "-i", system, "--tokenizer", "13a", "--format", "json").good()
    assert answer.json["notes"] == notes_on(answer.stderr)
    assert len(answer.json["notes"]) == 2


@pytest.mark.parametrize("place", [0, 1])
def test_quiet_silences_notes_before_and_behind_the_verb(place: int, tmp_path: Path) -> None:
    orders = write(tmp_path, "out.orders", "")
    args = ["reference", ALIGNMENTS, "--source", SOURCE, "-o", orders]
    assert call(*args).good().stderr != ""
    for option in ("-q", "--quiet"):
        quiet = [*args[:place], option, *args[place:]]
        assert call(*quiet).good().stderr == ""


def test_quiet_never_silences_errors() -> None:
    call("--quiet", "score", REFERENCE, "-i", "no-such.orders").refused(1, "no-such.orders")
    call("score", REFERENCE, "-i", SYSTEMS[0], "-m", "kendal", "-q").refused(2, "kendal")


@pytest.mark.parametrize("verb", [*VERBS, "train parser", "rules check"])
def test_each_verb_takes_quiet(verb: str) -> None:
    assert "-q, --quiet" in call(*verb.split(), "--help-all").good().text


def test_systems_may_be_followed_by_quiet() -> None:
    few = call("score", TARGET, "-i", SOURCE, TARGET, "--quiet", "--format", "json").good()
    assert [system["name"] for system in few.json["systems"]] == ["source.en", "target.ja"]


def test_a_note_points_to_the_code_that_called_us() -> None:
    segments = Segments.from_text(["a b c d e f"], ["f e d c b a"])
    with pytest.warns(WordOrderWarning, match="inversion-wer") as found:
        metric("inversion-wer", max_words=3).corpus_score(segments)
    assert found[0].filename == __file__


def test_counts_of_many_are_given_as_a_range() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        note_each([("a", 1), ("b", 0), ("c", 2)], "left out {}", "system", "word")
        note_each([(name, 2) for name in "abcd"], "left out {}", "system", "word")
        note_each([(name, n) for n, name in enumerate("abcde")], "no link in {}", "file")
    assert [str(each.message) for each in found] == [
        "a: left out 1 word",
        "c: left out 2 words",
        "4 systems: left out 2 words each",
        "4 files: no link in 1 to 4",
    ]


def test_one_note_of_a_kind_counts_the_others() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        with one_note_of_a_kind():
            for number in (3, 4, 4, 5, 6):
                note(f"left out {number} words")
            for number in (3, 4, 5):
                note(f"system{number}: no order")
            warnings.warn("another kind", UserWarning, stacklevel=1)
    shown = [str(each.message) for each in found]
    assert shown == [
        *("left out 3 words", "system3: no order", "another kind"),
        *('4 more notes like "left out 3 ..."', "system4: no order", "system5: no order"),
    ]


def test_two_systems_have_a_note_of_their_own(tmp_path: Path) -> None:
    """Their names differ in a number alone."""
    names = [write(tmp_path, f"{n}.txt", f"a b c d\n{'x ' * n}\n") for n in (1, 2)]
    reference = write(tmp_path, "ref.txt", "a b c d\ne f g h\n")
    answer = call("analyze", reference, "-i", *names, "--format", "json").good()
    for n in (1, 2):
        (of_system,) = [text for text in answer.json["notes"] if text.startswith(f"{n}: ")]
        assert f"leave out {n + 4} words" in of_system
        assert of_system in answer.stderr


def test_notes_follow_the_result_and_are_not_lost(tmp_path: Path) -> None:
    """In one file for both streams the result comes first; an error follows the notes."""
    reference = write(tmp_path, "ref.txt", "a b c d\n" * 3)
    system = write(tmp_path, "sys.txt", "b a c e\n" * 3)
    both = tmp_path / "both.txt"
    score: list[str | Path] = [PROGRAM, "score", reference, "-i", system, "-m", "frs"]
    with open(both, "wb") as out:
        subprocess.run(score, stdout=out, stderr=out, check=True)
    lines = both.read_text().splitlines()
    assert lines[0].startswith("system ")
    notes = [n for n, line in enumerate(lines) if line.startswith("wordorder: note: ")]
    assert notes == list(range(len(lines) - len(notes), len(lines)))
    # Without a terminal a note is one line.
    assert len(lines[notes[0]]) > 80
    missing = call("analyze", reference, "-i", system, "--focus", "nobody").stderr.splitlines()
    assert missing[0].startswith("wordorder: note: ")
    assert missing[-1].startswith("wordorder: error: ")


@pytest.mark.parametrize("reason", [KeyboardInterrupt, RuntimeError, MemoryError])
def test_notes_of_a_run_that_ends_early_are_printed(
    reason: type[BaseException], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(messages: Messages) -> tuple[int, str]:
        messages.after_result = True
        messages.warned("left out 3 words", WordOrderWarning)
        messages.warned("left out 3 words", WordOrderWarning)
        raise reason

    monkeypatch.setattr("wordorder.cli.program._outcome", fail)
    with pytest.raises(reason):
        run()
    assert capsys.readouterr().err == "wordorder: note: left out 3 words\n"


def test_notes_are_wrapped_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    print_line(
        f"note: {'some words ' * 10}/a/file-name/that/is/longer-than/the-line/of-the-terminal"
    )
    lines = terminal.getvalue().removeprefix("\r\033[K").splitlines()
    assert len(lines) > 3
    assert all(len(line) <= 40 for line in lines[:-1])
    assert lines[-1] == "    /a/file-name/that/is/longer-than/the-line/of-the-terminal"
