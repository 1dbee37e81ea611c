"""The project file: what is asked of whom, what was answered, and that nothing is lost."""

import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.notes import noted
from tests.people.serving import answer_all, control, items, save_again
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.judgement.project_file import project_progress
from wordorder.people.contents import NewProject
from wordorder.people.items import Item, read_input
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE, Protocol, Scale, rating_protocol
from wordorder.people.schema import NotSavedError
from wordorder.people.tasks import ConflictError, NotYoursError, Rater

TALBOT = rating_protocol("talbot", max_share=1)
PREFERENCE = rating_protocol("preference")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.create(tmp_path / "p.db", TALBOT, items(4, "ABC"), 3) as project:
        yield project


def begun(project: Project) -> tuple[Rater, str]:
    """Return the first rater, and what he is asked first."""
    rater = project.raters()[0]
    return rater, project.next_task(rater)[0] or ""


def test_a_rating_is_kept_in_the_order_shown(project: Project) -> None:
    rater = project.raters()[1]
    name, done, total = project.next_task(rater)
    assert name is not None
    assert (done, total) == (0, 4)
    task = project.task(rater, name)
    assert sorted(text.split()[0] for text in task.outputs) == ["A", "B", "C"]
    assert task.as_json()["saved"] is False
    saved = project.save(rater, name, "k1", [0, 6, 3.0])
    assert (saved.done, saved.total, saved.feedback) == (1, 4, None)
    assert project.task(rater, name).answer == [0, 6, 3]
    assert project.next_task(rater)[0] != name


def test_the_same_key_changes_nothing(project: Project) -> None:
    rater, name = begun(project)
    first = project.save(rater, name, "k", [1, 2, 3])
    assert project.save(rater, name, "k", [1, 2, 3]) == first
    refuses(InputError, "used for another answer", project.save, rater, name, "k", [1, 2, 4])
    assert project.task(rater, name).answer == [1, 2, 3]
    assert len(events(project)) == 1


@pytest.mark.parametrize(
    "answer",
    [
        *([7, 1, 1], [-1, 1, 1], [1.5, 1, 1], ["1", 1, 1], [True, 1, 1], [None, 1, 1]),
        *([1, 1], [1, 1, 1, 1], {"a": 1}, 3, None),
        *([float("nan"), 1, 1], [10**400, 1, 1], [[1], 1, 1]),
    ],
)
def test_an_illegal_rating_is_refused(project: Project, answer: object) -> None:
    rater, name = begun(project)
    with pytest.raises(InputError):
        project.save(rater, name, "k", answer)
    assert events(project) == []


@pytest.mark.parametrize("name", ["999", "x", "", "-1", "٣", "9" * 30])
def test_a_task_of_nobody_or_of_another_rater_is_refused(project: Project, name: str) -> None:
    first, second, _ = project.raters()
    others = project.next_task(second)[0] or ""
    for each in (name, others):
        with pytest.raises(NotYoursError):
            project.task(first, each)
        with pytest.raises(NotYoursError):
            project.save(first, each, "k", [1, 2, 3])
        with pytest.raises(NotYoursError):
            project.undo(first, each, "k")


def test_undo_goes_back_answer_by_answer_and_keeps_every_event(project: Project) -> None:
    rater, name = begun(project)
    assert project.undo(rater, name, "nothing yet") is None
    for n in range(3):
        save_again(project, rater, name, f"k{n}", [n, n, n])
    assert project.undo(rater, name, "u1", "k2") == [1, 1, 1]
    assert project.undo(rater, name, "u1", "k2") == [1, 1, 1]
    assert project.undo(rater, name, "u2", "u1") == [0, 0, 0]
    save_again(project, rater, name, "k3", [6, 6, 6])
    assert project.undo(rater, name, "u3", "k3") == [0, 0, 0]
    assert project.undo(rater, name, "u4", "u3") is None
    assert project.undo(rater, name, "u5", "u4") is None
    assert project.task(rater, name).answer is None
    assert project.next_task(rater) == (name, 0, 4)
    assert [value for *_, value in events(project)] == [
        *("[0,0,0]", "[1,1,1]", "[2,2,2]", "[1,1,1]", "[0,0,0]", "[6,6,6]", "[0,0,0]", "null")
    ]


WORDS = {"source": ["a", "b"], "target": ["x", "y"]}
BOTH = WORDS | {"links": [[0, 0, "sure"], [1, 1, "sure"]]}
ONE = WORDS | {"links": [[0, 1, "sure"]]}
SLIDER = Protocol("scale", "all", 1, 1.0, Scale("slider", 0, 100, 1))


@pytest.mark.parametrize(
    ("protocol", "first", "stale"),
    [
        (rating_protocol("talbot", max_share=1, ratings=1), [6, 5], [0, 0]),
        (SLIDER, [60, 50], [0, 0]),
        (rating_protocol("preference", ratings=1), "A", "B"),
        (ANNOTATE, BOTH, ONE),
        (ANNOTATE, BOTH, ONE | {"draft": True}),
        (ANNOTATE, ONE | {"draft": True}, BOTH),
    ],
)
def test_an_answer_from_a_page_shown_before_changes_nothing(
    tmp_path: Path, protocol: Protocol, first: Any, stale: Any
) -> None:
    texts = [Item(1, dict(WORDS))] if protocol == ANNOTATE else items(1, "AB")
    with Project.create(tmp_path / "p.db", protocol, texts, 1) as project:
        (rater,) = project.raters()
        (name,) = project.tasks(rater)
        seen = project.task(rater, name).version
        assert seen is None
        project.save(rater, name, "k1", first, seen)
        state = project.next_task(rater)
        for version in (seen, "k0", "k2"):
            refuses(ConflictError, "reload", project.save, rater, name, "k2", stale, version)
            refuses(ConflictError, "reload", project.undo, rater, name, "k3", version)
        # What was sent twice is not refused: its first reply may have been lost.
        assert project.save(rater, name, "k1", first, seen).event == 1
        task = project.task(rater, name)
        assert (task.answer, task.version) == (first, "k1")
        assert project.next_task(rater) == state
        # A queue names the answer before, which the server need not have sent back.
        other = first if stale == ONE | {"draft": True} else stale
        project.save(rater, name, "k2", other, "k1")
        assert project.undo(rater, name, "k3", "k2") == first


@pytest.mark.parametrize("unfinished", [ONE | {"draft": True}, WORDS | {"links": []}])
def test_a_draft_never_replaces_a_finished_alignment(tmp_path: Path, unfinished: Any) -> None:
    texts = [Item(1, dict(WORDS))]
    with Project.create(tmp_path / "p.db", ANNOTATE, texts, 1) as project:
        (rater,) = project.raters()
        (name,) = project.tasks(rater)
        project.save(rater, name, "k0", unfinished)
        project.save(rater, name, "k1", BOTH, "k0")
        refuses(ConflictError, "a draft", project.save, rater, name, "k2", unfinished, "k1")
        assert project.next_task(rater) == (None, 1, 1)
        assert project.task(rater, name).answer == BOTH


def events(project: Project) -> list[tuple[int, str, int, str]]:
    with sqlite3.connect(project.path) as connection:
        return connection.execute("SELECT task, key, undo, value FROM event ORDER BY id").fetchall()


def test_events_can_be_neither_changed_nor_deleted(project: Project) -> None:
    rater = project.raters()[0]
    project.save(rater, project.next_task(rater)[0] or "", "k", [1, 2, 3])
    with sqlite3.connect(project.path) as connection:
        for statement in ("DELETE FROM event", "UPDATE event SET value = '[0,0,0]'"):
            refuses(sqlite3.IntegrityError, "never", connection.execute, statement)


def test_tokens_are_known_revoked_and_renewed(project: Project) -> None:
    first, second, _ = project.raters()
    assert len({rater.token for rater in project.raters()}) == 3
    assert all(len(rater.token) >= 32 for rater in project.raters())
    assert project.rater_of(first.token) == first
    assert project.rater_of("") is None
    project.revoke(first.name)
    assert project.rater_of(first.token) is None
    renewed = project.renew(first.name)
    assert project.rater_of(renewed.token) == renewed != first
    assert project.rater_of(first.token) is None
    assert project.rater_of(second.token) == second
    refuses(UsageError, "unknown rater 'rater9'", project.revoke, "rater9")


def test_the_file_is_its_owners_alone(project: Project) -> None:
    assert os.stat(project.path).st_mode & 0o077 == 0


def test_a_project_is_opened_again_with_all_answers(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.db", TALBOT, items(2, "AB"), 3, seed=7) as project:
        rater, name = begun(project)
        project.save(rater, name, "k", [0, 5])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.db"]
    with Project.open(tmp_path / "p.db") as project:
        assert project.rater_of(rater.token) == rater
        assert project.task(rater, name).answer == [0, 5]
        assert project.protocol == TALBOT
        assert str(project.signature()).startswith("talbot|ratings:3|max-share:1|raters:3|seed:7|")


def test_an_existing_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    path.write_text("mine")
    refuses(UsageError, "exists already", Project.create, path, TALBOT, items(2, "AB"), 3)
    refuses(InputError, "no project", Project.open, path)
    assert path.read_text() == "mine"
    path.write_bytes(b"")
    refuses(InputError, "no project", Project.open, path)
    refuses(InputError, "no such file", Project.open, tmp_path / "q.db")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.db"]


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.db"
    Project.create(path, TALBOT, items(2, "AB"), 3).close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 2")
    refuses(InputError, "a project of version 2; expected version 1", Project.open, path)


def test_the_same_inputs_go_on_and_others_are_refused(tmp_path: Path) -> None:
    source = tmp_path / "s.txt"
    source.write_text("one\ntwo\n")

    def new(seed: int = 1, protocol: Protocol = TALBOT, raters: int = 3) -> NewProject:
        return NewProject(protocol, items(2, "AB"), raters, seed, [read_input("SOURCE", source)])

    path = tmp_path / "p.db"
    with Project.begin(path, new()) as project:
        token = project.raters()[0].token
    with Project.begin(path, new()) as project:
        assert project.raters()[0].token == token
    with pytest.raises(UsageError, match="was made with seed=1, not 2; give another file"):
        Project.begin(path, new(seed=2))
    refuses(UsageError, "was made with raters=3, not 4", Project.begin, path, new(raters=4))
    with pytest.raises(UsageError, match="was made from another protocol"):
        Project.begin(path, new(protocol=PREFERENCE))
    source.write_text("one\nthree\n")
    refuses(UsageError, "was made from another SOURCE", Project.begin, path, new())
    refuses(InputError, r"SOURCE, .*s\.txt, has changed", Project.open, path)
    Project.open(path, check_inputs=False).close()
    source.unlink()
    Project.open(path).close()


def test_control_items_teach_and_the_first_answer_counts(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.db", PREFERENCE, items(3, "AB") + control(5), 3) as project:
        careful, careless, _ = project.raters()
        taught = 0
        for rater in (careful, careless):
            for n in range(8):
                name = project.next_task(rater)[0] or ""
                outputs = project.task(rater, name).outputs
                answer = "A"
                if "right" in outputs:
                    right = "AB"[outputs.index("right")]
                    answer = right if rater == careful else "unknown"
                saved = project.save(rater, name, f"{rater.name} {n}", answer)
                if "right" in outputs and rater == careless:
                    assert saved.feedback is not None
                    assert saved.feedback["right"] == right
                    assert saved.feedback["explanation"].startswith("because ")
                    save_again(project, rater, name, f"again {n}", right)
                    taught += 1
                else:
                    assert saved.feedback is None
        found = {each.rater: (each.right, each.asked) for each in project.progress()}
    assert taught == 5
    assert found == {"rater1": (5, 5), "rater2": (0, 5), "rater3": (0, 0)}


def test_both_sides_are_random(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.db", PREFERENCE, items(60, "AB"), 3) as project:
        shown = [json.loads(row[0]) for row in project._fetch_all("SELECT shown FROM task")]
    turned = sum(first > second for first, second in shown)
    assert 60 < turned < 120


def test_abandoned_tasks_go_to_others_within_their_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    protocol = rating_protocol("talbot", ratings=1, max_share=0.75)
    path = tmp_path / "p.db"
    with Project.create(path, protocol, items(8, "AB"), 2, give_back=3600) as project:
        first, second = project.raters()
        assert answer_all(project, lambda *_: [1, 2], first) == 4
        project.next_task(second)
        assert project.next_task(first) == (None, 4, 4)
        later = time.time() + 3601
        monkeypatch.setattr("time.time", lambda: later)
        # Two more are his whole share of six.
        assert answer_all(project, lambda *_: [1, 2], first) == 2
        assert project.next_task(first) == (None, 6, 6)
        assert project.next_task(second)[1:] == (0, 2)
        assert answer_all(project, lambda *_: [1, 2], second) == 2
    found = project_progress(project.path)
    assert (found.done, found.items) == (8, 8)


def test_an_answer_to_a_task_that_went_to_another_is_kept(tmp_path: Path) -> None:
    protocol = rating_protocol("talbot", ratings=1, max_share=1)
    with Project.create(tmp_path / "p.db", protocol, items(2, "AB"), 2) as project:
        first, second = project.raters()
        late = project.next_task(second)[0] or ""
        project.revoke(second.name)
        assert answer_all(project, lambda *_: [1, 2], first) == 2
        project.renew(second.name)
        assert project.next_task(second) == (None, 0, 0)
        project.save(second, late, "late", [3, 4])
        assert project.next_task(second) == (None, 1, 1)


def test_new_raters_take_their_part(tmp_path: Path) -> None:
    protocol = rating_protocol("preference", ratings=2)
    with Project.create(tmp_path / "p.db", protocol, items(30, "AB") + control(2), 2) as project:
        project.next_task(project.raters()[0])
        new = project.add_raters(2)
        assert [rater.name for rater in new] == ["rater3", "rater4"]
        totals = [each.total for each in project.progress()]
        assert sum(totals) == 60 + 4 * 2
        assert max(totals) - min(totals) <= 2
        answer_all(project, lambda *_: "unknown")
        found = project_progress(project.path)
        assert (found.done, found.items) == (30, 30)
        rows = project._fetch_all(
            "SELECT rater, item, count(*) FROM task WHERE returned IS NULL GROUP BY rater, item"
        )
    assert all(count == 1 for *_, count in rows)


def test_a_full_disk_is_said_and_nothing_is_half_there(project: Project) -> None:
    rater, name = begun(project)
    project.save(rater, name, "k0", [0, 0, 0])
    connection = project._connection
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")
    saved = []

    def save_many() -> None:
        for n in range(10_000):
            save_again(project, rater, name, f"{n:0200}", [n % 7, 0, 0])
            saved.append(n)

    refuses(NotSavedError, r"p\.db: not saved: database or disk is full", save_many)
    assert len(events(project)) == 1 + len(saved)
    assert project.next_task(rater)[1:] == (1, 4)
    connection.execute("PRAGMA max_page_count = 100000")
    save_again(project, rater, name, "after", [5, 5, 5])
    assert project.task(rater, name).answer == [5, 5, 5]


def test_a_small_step_back_of_the_clock_does_not_turn_times_round(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    rater, name = begun(project)
    project.save(rater, name, "k0", [0, 0, 0])
    before = time.time() - 30
    monkeypatch.setattr("time.time", lambda: before)
    project.save(rater, name, "k1", [1, 1, 1], "k0")
    with Project.open(project.path) as again:
        again.save(rater, name, "k2", [2, 2, 2], "k1")
    times = [at for _, at in times_of(project)]
    assert times[0] == times[1] == times[2]


def times_of(project: Project) -> list[tuple[int, float]]:
    with sqlite3.connect(project.path) as connection:
        return connection.execute("SELECT id, at FROM event ORDER BY id").fetchall()


@pytest.mark.parametrize("opened_again", [False, True])
def test_times_are_right_again_after_a_clock_that_was_ahead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened_again: bool
) -> None:
    """It is said once; answers keep their order, and who left is found to have left."""
    path, now, ahead = tmp_path / "p.db", 1.6e9, 4.1e9
    monkeypatch.setattr("time.time", lambda: now)
    protocol = rating_protocol("talbot", ratings=1, max_share=1)
    project = Project.create(path, protocol, items(6, "AB"), 2, give_back=3600)
    first, second = project.raters()
    name = project.next_task(first)[0] or ""
    monkeypatch.setattr("time.time", lambda: ahead)
    project.save(first, name, "ahead", [1, 1])
    project.next_task(second)
    monkeypatch.setattr("time.time", lambda: now + 5)
    if opened_again:
        project.close()
        project = Project.open(path)
    said = r"p\.db: the last time in it is 2099-12-03 .*, and this clock says 2020-09-13 12:26 UTC"
    with noted(said):
        project.save(first, name, "right", [2, 2], "ahead")
    # Said once, though the answer with the wrong time is kept.
    project.save(first, name, "again", [3, 3], "right")
    project.close()
    monkeypatch.setattr("time.time", lambda: now + 7200)
    with Project.open(path) as project:
        project.save(first, name, "later", [4, 4], "again")
        assert times_of(project) == [(1, ahead), (2, now + 5), (3, now + 5), (4, now + 7200)]
        assert project.task(first, name).answer == [4, 4]
        # The second rater has been silent for two hours.
        assert answer_all(project, lambda *_: [1, 2], first) == 5
    found = project_progress(path)
    assert (found.done, found.items) == (6, 6)


def test_two_threads_and_two_processes_lose_nothing(project: Project) -> None:
    """Two raters at once, each in two places."""

    def work(rater: Rater, opened: Project) -> None:
        name = opened.next_task(rater)[0] or ""
        n = 0
        while n < 20:
            # The other place may have answered in between: then it is not overwritten.
            with contextlib.suppress(ConflictError):
                save_again(opened, rater, name, f"{id(opened)} {rater.name} {n}", [n % 7, 0, 0])
                n += 1

    with Project.open(project.path) as again:
        threads = [
            threading.Thread(target=work, args=(rater, opened))
            for rater in project.raters()[:2]
            for opened in (project, again)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(events(project)) == 80


KILLED = """
import sys
from wordorder.people.project import Project
project = Project.open(sys.argv[1])
rater = project.raters()[0]
name = project.next_task(rater)[0]
n = int(sys.argv[2])
while True:
    version = project.task(rater, name).version
    print(project.save(rater, name, f"k{n}", [n % 7, 0, 0], version).event, n, flush=True)
    n += 1
"""


@pytest.mark.slow
def test_a_killed_process_loses_no_acknowledged_answer(project: Project) -> None:
    said: dict[int, int] = {}
    first = 0
    for kill in range(3):
        with subprocess.Popen(
            [sys.executable, "-c", KILLED, project.path, str(first)],
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            for _ in range(5 + 7 * kill):
                event, n = map(int, process.stdout.readline().split())
                said[event] = n
            process.kill()
            for line in process.stdout:
                if line.endswith("\n"):
                    event, n = map(int, line.split())
                    said[event] = n
        # A save that was not acknowledged may have happened.
        first = max(said.values()) + 2
    kept = {key for _, key, *_ in events(project)}
    assert {f"k{n}" for n in said.values()} <= kept
    assert len(said) == len(set(said.values()))


def test_everybody_annotates_everything_in_order(tmp_path: Path) -> None:
    texts = [
        Item(n, {"source": ["ein", f"Haus{n}"], "target": None, "suggestions": []})
        for n in range(1, 4)
    ]
    with Project.create(tmp_path / "p.db", ANNOTATE, texts, 2) as project:
        (third,) = project.add_raters(1)
        for rater in project.raters():
            name, done, total = project.next_task(rater)
            assert name is not None
            assert (done, total) == (0, 3)
            assert project.task(rater, name).content["source"] == ["ein", "Haus1"]
        assert name is not None
        answer = {"source": ["ein", "Haus", "1"], "target": ["a"], "links": [[0, 0, "sure"]]}
        saved = project.save(third, name, "draft", answer | {"draft": True})
        assert saved.done == 0
        assert project.next_task(third)[0] == name
        assert project.save(third, name, "done", answer, "draft").done == 1
        after = project.task(third, name).next
        assert after == project.next_task(third)[0]
        assert project.task(third, after or "").previous == name


@pytest.mark.parametrize(
    "change",
    [
        {"source": ["ein", "Hund"]},
        {"source": ["ein Haus"]},
        {"target": ["a b"]},
        {"target": None},
        {"target": [""]},
        {"links": [[0, 1, "sure"]]},
        {"links": [[2, 0, "sure"]]},
        {"links": [[-1, 0, "sure"]]},
        {"links": [[0, 0, "maybe"]]},
        {"links": [[0, 0, "sure"], [0, 0, "possible"]]},
        {"links": [[True, 0, "sure"]]},
        {"links": None},
        {"confirmed": [True]},
        {"draft": 1},
        {"nothing": 1},
        {"colour": "red"},
    ],
)
def test_an_illegal_alignment_is_refused(change: dict[str, object]) -> None:
    given = {"source": ["ein", "Haus"], "target": None}
    right = {"source": ["ein", "Haus"], "target": ["house"], "links": []}
    linked = {"links": [[0, 0, "sure"]], "nothing": True}
    refuses(InputError, "true beside a confirmed link", ANNOTATE.check, right | linked, [], given)
    open_ = right | linked | {"confirmed": [False]}
    assert ANNOTATE.check(open_, [], given) == open_
    assert ANNOTATE.check(right, [], given) == right
    with pytest.raises(InputError):
        ANNOTATE.check(right | change, [], given)
