"""Projects that could break or are broken: refused in words, and answers always come out."""

import contextlib
import json
import os
import random
import resource
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from tests.cli.running import PROGRAM, Answer, call
from tests.notes import noted
from tests.people.serving import answer_all, control, items
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.judgement.project_file import project_progress
from wordorder.people import serving
from wordorder.people.items import Item
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE, rating_protocol

TALBOT = rating_protocol("talbot", max_share=1, ratings=2)
PREFERENCE = rating_protocol("preference", ratings=2)
LINKS = {"source": ["a", "b"], "target": ["x"], "links": [[0, 0, "sure"]]}


def judge(name: str, outputs: list[str]) -> object:
    return [(len(name + text) + int(text.split()[1])) % 7 for text in outputs]


def rated(path: Path) -> str:
    """Make a project with all its ratings."""
    with Project.create(path, TALBOT, items(6, "AB"), 2) as project:
        answer_all(project, judge)
    return str(path)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(rated(tmp_path_factory.mktemp("finished") / "p.db"))


def preferred(path: Path) -> str:
    """Make a project of preferences, with control items."""
    with Project.create(path, PREFERENCE, items(6, "AB") + control(2), 2) as project:
        answer_all(project, lambda _, outputs: "AB"[outputs[1] in ("right", "A 1", "A 2")])
    return str(path)


def annotated(path: Path) -> str:
    """Make a project of alignments that two annotators have finished."""
    texts = [Item(n, {"source": ["a", "b"], "target": None}) for n in (1, 2, 3)]
    with Project.create(path, ANNOTATE, texts, 2) as project:
        answer_all(project, lambda *_: LINKS)
    return str(path)


def answer_again(project: Project, answer: list[int]) -> None:
    """Give the first task of the first rater another answer."""
    rater = project.raters()[0]
    task = project.tasks(rater)[0]
    project.save(rater, task, "the newest", answer, project.task(rater, task).version)


def copied_while_served(path: Path, copy: Path, *, log: bool) -> str:
    """Copy a project that is open and whose last answer is in its log."""
    with Project.open(path) as project:
        answer_again(project, [6, 6])
        shutil.copy(path, copy)
        if log:
            shutil.copy(f"{path}-wal", f"{copy}-wal")
    return str(copy)


def values(exported: str) -> list[str]:
    return [line.split("\t")[3] for line in exported.splitlines()[1:]]


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_closed_project_is_one_file_that_reading_leaves_alone(tmp_path: Path) -> None:
    path = rated(tmp_path / "p.db")
    before = Path(path).read_bytes()
    for verb in ("export", "progress", "rank"):
        assert "wal" not in call(verb, path).good().stderr
    assert files(tmp_path) == ["p.db"]
    assert Path(path).read_bytes() == before


def test_a_file_with_two_names_is_refused(tmp_path: Path) -> None:
    path = rated(tmp_path / "p.db")
    os.link(path, tmp_path / "q.db")
    for verb in ("export", "progress", "rank", "agreement", "serve"):
        for name in ("p.db", "q.db"):
            refused = call(verb, tmp_path / name).refused(1, name, "2 names (hard links)")
            assert "make a file of its own with `cp`" in refused.stderr
    assert files(tmp_path) == ["p.db", "q.db"]
    os.unlink(tmp_path / "q.db")
    call("export", path).good()


def test_a_copy_without_its_log_says_so(tmp_path: Path) -> None:
    path = rated(tmp_path / "p.db")
    copy = copied_while_served(tmp_path / "p.db", tmp_path / "copy.db", log=False)
    assert "missing" not in call("export", path).good().stderr
    for _ in range(2):
        lacking = call("export", copy).good()
        assert lacking.stderr.count("copy.db: its copy.db-wal is missing") == 1
        assert "`wordorder export PROJECT.db --backup FILE`" in lacking.stderr
    assert "copy.db-wal" not in files(tmp_path)
    with noted("its copy.db-wal is missing"):
        Project.open(copy).close()
    assert "missing" not in call("export", copy).good().stderr
    with_log = copied_while_served(tmp_path / "p.db", tmp_path / "all.db", log=True)
    answer = call("export", with_log).good()
    assert "missing" not in answer.stderr
    assert values(answer.text).count("6") == values(call("export", path).text).count("6")


def test_projects_of_earlier_versions_are_closed_with_such_a_header(tmp_path: Path) -> None:
    path = rated(tmp_path / "p.db")
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM meta WHERE name = 'log'")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    assert "missing" not in call("export", path).good().stderr


def test_a_backup_has_the_newest_answers(tmp_path: Path) -> None:
    path, backup = rated(tmp_path / "p.db"), tmp_path / "backup.db"
    with Project.open(path) as project:
        answer_again(project, [6, 5])
        call("export", path, "--backup", backup).good()
        assert call("export", backup).good().text == call("export", path).good().text
    assert backup.stat().st_mode & 0o777 == 0o600
    assert call("export", backup, "--what", "events").text.count("[6, 5]") == 1
    before = backup.read_bytes()
    call("export", path, "--backup", backup).refused(2, "backup.db: exists already")
    call("export", path, "--backup", tmp_path / "b.db", "--what", "events").refused(2, "--backup")
    call("export", path, "--backup", path).refused(2, "p.db: exists already")
    assert backup.read_bytes() == before
    assert files(tmp_path) == ["backup.db", "p.db"]
    Project.open(backup).close()


def limited(*args: str | Path, size: int) -> Answer:
    """Run the program where no file can be larger than so many bytes: a full disk."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    # Files of bytecode that end early would make every later run fail.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [PROGRAM, *args], capture_output=True, preexec_fn=limit, timeout=60, env=environment
    )
    return Answer(done.returncode, done.stdout, done.stderr.decode())


@pytest.mark.slow
def test_answers_come_out_of_a_full_disk(tmp_path: Path) -> None:
    """The newest ones too, which are in a log that a killed server left behind."""
    path = rated(tmp_path / "p.db")
    closed = call("export", path).good().text
    copy = copied_while_served(tmp_path / "p.db", tmp_path / "copy.db", log=True)
    left = call("export", path).good().text
    assert left != closed
    before = Path(path).read_bytes()
    for _ in range(2):
        assert limited("export", copy, size=1000).good().text == left
        assert limited("export", path, size=1000).good().text == left
    assert limited("rank", path, size=1000).good().text == call("rank", path).text
    for options in ([], ["--add", "1"]):
        full = limited("serve", path, "--port", "0", *options, size=1000)
        full.refused(1, "p.db: cannot be opened: the disk is full", "`wordorder export` reads it")
    assert Path(path).read_bytes() == before


def test_what_cannot_be_read_without_its_log_says_so(tmp_path: Path) -> None:
    path = rated(tmp_path / "p.db")
    copy = copied_while_served(tmp_path / "p.db", tmp_path / "copy.db", log=True)
    connect = sqlite3.connect

    def on_a_disk_without_writing(address: str, **options: object) -> sqlite3.Connection:
        if "immutable" not in address:
            raise sqlite3.OperationalError("unable to open database file")
        return connect(address, **options)  # type: ignore[call-overload, no-any-return]

    with mock.patch.object(sqlite3, "connect", on_a_disk_without_writing):
        said = call("export", copy).good().stderr
    assert "copy.db: the newest answers, in copy.db-wal, cannot be read here" in said
    assert "missing" not in call("export", path).stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Return a file system of 4 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=True)


@pytest.mark.slow
def test_a_small_disk_that_fills_up(small_disk: Path, tmp_path: Path) -> None:
    path = rated(small_disk / "p.db")
    with Project.open(path) as project:
        answer_again(project, [6, 6])
        left = call("export", path).good().text
        kept = {name: (small_disk / name).read_bytes() for name in ("p.db", "p.db-wal")}
    for name, content in kept.items():
        (small_disk / name).write_bytes(content)
    with open(small_disk / "fill", "wb", 0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"x")
    assert call("export", path).good().text == left
    call("serve", path, "--port", "0", "--add", "1").refused(1, path, "the disk is full")
    call("export", path, "--backup", tmp_path / "backup.db").good()
    refused = call("export", path, "--backup", small_disk / "backup.db")
    refused.refused(1, "backup.db: not saved")
    assert "backup.db" not in files(small_disk)
    assert call("export", tmp_path / "backup.db").good().text == left


DAMAGE = [
    ("UPDATE meta SET value = '{}' WHERE name = 'protocol'", "table meta, row 'protocol'"),
    ("UPDATE meta SET value = 'x' WHERE name = 'protocol'", "table meta, row 'protocol'"),
    ("UPDATE meta SET value = 'x' WHERE name = '--seed'", "table meta, row '--seed'"),
    ("UPDATE meta SET value = '' WHERE name = 'give_back'", "table meta, row 'give_back'"),
    ("DELETE FROM meta WHERE name = 'numbered'", "table meta: no row 'numbered'"),
    ("DELETE FROM meta WHERE name = 'secret'", "table meta: no row 'secret'"),
    ("UPDATE rater SET seen = 'yesterday' WHERE id = 2", "table rater, row 2: seen is 'yesterday'"),
    ("UPDATE rater SET seen = 9e999 WHERE id = 2", "table rater, row 2: seen is inf"),
    ("UPDATE rater SET name = CAST(x'ff' AS TEXT) WHERE id = 2", "name is b'\\xff'"),
    ("UPDATE task SET item = 99 WHERE id = 3", "table task, row 3: refers to item 99"),
    ("DELETE FROM rater WHERE id = 2", "refers to rater 2"),
    ("DELETE FROM item WHERE id = 2", "table output, row 5: refers to item 2"),
    ("DELETE FROM task WHERE id = 2", "refers to task 2"),
    ("UPDATE task SET shown = '[1, 1]' WHERE id = 2", "table task, row 2: shown is '[1, 1]'"),
    ("UPDATE task SET shown = 'x' WHERE id = 2", "table task, row 2: shown is 'x'"),
    ("UPDATE task SET done = 0 WHERE id = 2", "table task, row 2: done is 0"),
    ("UPDATE item SET content = '[]' WHERE id = 0", "table item, row 0: content is '[]'"),
    ("UPDATE event SET value = '[9]' WHERE id = 1", "table event, row 1: value is '[9]'"),
    ("UPDATE event SET value = '[' WHERE id = 1", "table event, row 1: value is '['"),
    ("UPDATE event SET at = 'x' WHERE id = 1", "table event, row 1: at is 'x'"),
]


@pytest.mark.parametrize(("statement", "place"), DAMAGE)
def test_a_row_that_cannot_be_is_named(
    finished: Path, tmp_path: Path, statement: str, place: str
) -> None:
    path = str(shutil.copy(finished, tmp_path / "p.db"))
    change(path, statement)
    call("export", path).refused(1, "p.db: table ", place, "restore a backup")
    refuses(InputError, "restore a backup", project_progress, path)
    refuses(InputError, "restore a backup", Project.open, path)


def change(path: str, statement: str) -> None:
    """Change a project as a person would who wants to, without its guards."""
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        connection.execute("DROP TRIGGER event_fixed")
        connection.execute("DROP TRIGGER event_kept")
        connection.execute(statement)
    connection.close()


def test_control_items_and_alignments_are_checked(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db")
    change(path, "UPDATE output SET better = NULL WHERE better = 1")
    call("rank", path).refused(1, "table output", "better is None")
    path = annotated(tmp_path / "a.db")
    answer = json.dumps(LINKS | {"links": [[0, 7, "sure"]]})
    change(path, f"UPDATE event SET value = '{answer}' WHERE id = 1")
    call("agreement", path).refused(1, "table event, row 1", "a link to target token 7")


VALUES = ["NULL", "'x'", "''", "'[]'", "'{}'", "-1", "99", "9e999", "x'ff00'", "'[[[['", "'null'"]
COLUMNS = {
    "meta": ["name", "value"],
    "item": ["id", "line", "content", "control"],
    "output": ["id", "item", "system", "text", "better"],
    "rater": ["id", "name", "token", "since", "seen", "revoked"],
    "task": ["id", "rater", "item", "place", "shown", "given", "done", "returned"],
    "event": ["id", "task", "key", "at", "undo", "value"],
}


def mutate(path: Path, chance: random.Random) -> str:
    """Damage a project: bytes of the file, or a row; return what was done."""
    kind = chance.choice(["bytes", "bytes", "cut", "cell", "cell", "cell", "delete"])
    if kind in ("bytes", "cut"):
        content = bytearray(path.read_bytes())
        if kind == "cut":
            del content[chance.randrange(len(content)) :]
        for _ in range(chance.choice([1, 3, 20]) * (kind == "bytes")):
            content[chance.randrange(len(content))] = chance.randrange(256)
        path.write_bytes(content)
        return kind
    table = chance.choice(list(COLUMNS))
    key = COLUMNS[table][0]
    with contextlib.closing(sqlite3.connect(path)) as connection:
        keys = [row[0] for row in connection.execute(f"SELECT {key} FROM {table} ORDER BY 1")]
    one = f"{key} = {chance.choice(keys or [0])!r}"
    statement = f"DELETE FROM {table} WHERE {one}"
    if kind == "cell":
        column = chance.choice(COLUMNS[table])
        statement = f"UPDATE OR IGNORE {table} SET {column} = {chance.choice(VALUES)} WHERE {one}"
    try:
        change(str(path), statement)
    except sqlite3.Error:
        return f"refused: {statement}"
    return statement


@pytest.mark.slow
@pytest.mark.parametrize("make", [rated, preferred, annotated])
def test_no_damage_is_an_internal_error(tmp_path: Path, make: object) -> None:
    """200 damaged projects in all, and all verbs that open a project."""
    assert callable(make)
    made = Path(make(tmp_path / "made.db"))
    correlates = ["correlate", "judged.toml", "-m", "bleu", "--human", "human"]
    (tmp_path / "s.txt").write_text("a b\n" * 3)
    (tmp_path / "judged.toml").write_text(
        '[set]\nname = "s"\nreferences = ["r.txt"]\n[set.outputs]\nA = "A.txt"\nB = "B.txt"\n'
        '[set.segment_scores]\nhuman = "p.db"\n'
    )
    for name in ("r.txt", "A.txt", "B.txt"):
        (tmp_path / name).write_text("a b\n" * 6)
    verbs = [
        *([verb, "p.db"] for verb in ("rank", "agreement", "progress", "export")),
        *(["export", "p.db", "--what", each] for each in ("events", "ratings", "alignments")),
        ["export", "p.db", "--anonymous", "--what", "events", "--format", "json"],
        correlates,
        ["progress", "p.db", "--html", "page.html"],
        ["serve", "p.db", "--port", "0", "--no-browser", "--add", "1"],
        ["annotate", "p.db", "-o", "new.db", "--port", "0", "--no-browser"],
        ["annotate", "s.txt", "s.txt", "-o", "p.db", "--port", "0", "--no-browser"],
    ]
    chance = random.Random(39)
    damaged = tmp_path / "p.db"
    with mock.patch.object(serving, "serve", return_value=False):
        for number in range(67):
            shutil.copy(made, damaged)
            done = mutate(damaged, chance)
            whole = damaged.read_bytes()
            for verb in verbs:
                damaged.write_bytes(whole)
                for name in ("p.db-wal", "p.db-shm", "new.db"):
                    (tmp_path / name).unlink(missing_ok=True)
                names = [
                    str(tmp_path / part)
                    if part.endswith((".db", ".txt", ".html", ".toml"))
                    else part
                    for part in verb
                ]
                answer = call(*names)
                assert answer.status in (0, 1, 2), (number, done, verb)
                if answer.status:
                    answer.refused(answer.status)
                assert "internal error" not in answer.stderr, (number, done, verb, answer.stderr)
