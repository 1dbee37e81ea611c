"""Notes and JSON of all verbs: what --quiet silences, and what each JSON says beside its result."""

import io
import subprocess
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
    python,
    write,
)
from tests.notes import any_notes
from tests.threads import with_threads

from wordorder.cli.messages import Messages, print_line
from wordorder.cli.program import COMMAND_SUMMARIES, run
from wordorder.kernels._run import run_pieces
from wordorder.notes import grouped_notes, held_notes, note, note_counts


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


@pytest.mark.parametrize("verb", [*COMMAND_SUMMARIES, "train parser", "rules check"])
def test_each_verb_takes_quiet(verb: str) -> None:
    assert "-q, --quiet" in call(*verb.split(), "--help-all").good().text


def test_systems_may_be_followed_by_quiet() -> None:
    few = call("score", TARGET, "-i", SOURCE, TARGET, "--quiet", "--format", "json").good()
    assert [system["system"] for system in few.json["systems"]] == ["source.en", "target.ja"]


def test_counts_of_many_are_given_as_a_range() -> None:
    with any_notes() as found:
        note_counts([("a", 1), ("b", 0), ("c", 2)], "left out {}", "system", "word")
        note_counts([(name, 2) for name in "abcd"], "left out {}", "system", "word")
        note_counts([(name, n) for n, name in enumerate("abcde")], "no link in {}", "file")
    assert found == [
        "a: left out 1 word",
        "c: left out 2 words",
        "4 systems: left out 2 words each",
        "4 files: no link in 1 to 4",
    ]


def test_notes_that_differ_only_in_numbers_are_grouped() -> None:
    with any_notes() as logged, grouped_notes():
        for number in (3, 4, 4, 5, 6):
            note(f"left out {number} words")
        for number in (3, 4, 5):
            note(f"system{number}: no order")
        note("another kind")
    assert logged == [
        *("left out 3 words", "system3: no order", "another kind"),
        *('4 more notes like "left out 3 ..."', "system4: no order", "system5: no order"),
    ]


def test_notes_of_threads_belong_to_the_context_that_started_them() -> None:
    def work(number: int) -> None:
        note(f"part {number}")

    def notes() -> tuple[list[str], list[str]]:
        with any_notes() as logged:
            with held_notes() as held:
                run_pieces(work, [1, 2, 3])
            with grouped_notes():
                run_pieces(work, [1, 2, 3, 4, 5])
        return sorted(held), logged

    for held, logged in with_threads(notes):
        assert held == ["part 1", "part 2", "part 3"]
        assert len(logged) == 2
        assert logged[1].startswith('4 more notes like "part')


PRINTS = "wordorder: note: left out 3 words\n"


@pytest.mark.parametrize(
    ("before", "printed"),
    [
        ("", PRINTS),
        ("logging.getLogger('wordorder').setLevel('ERROR')", ""),
        ("logging.getLogger('wordorder').addHandler(logging.NullHandler())", ""),
        ("logging.basicConfig(format='%(name)s %(message)s')", "wordorder left out 3 words\n" * 2),
    ],
)
def test_python_prints_a_note_once_unless_logging_is_set_up(before: str, printed: str) -> None:
    code = f"import logging; {before}\nfrom wordorder.notes import note\n"
    run = python("-c", code + "note('left out 3 words')\n" * 2)
    assert run.stderr == printed


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
        messages.print_note("left out 3 words")
        messages.print_note("left out 3 words")
        raise reason

    monkeypatch.setattr("wordorder.cli.program._run_command", fail)
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
