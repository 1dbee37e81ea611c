"""What comes out of a project: the files that others read, and who is left out."""

import csv
import json
import re
import sqlite3
from pathlib import Path

import pytest
from tests.cli.running import process
from tests.flat import flat
from tests.notes import noted
from tests.people.serving import answer_all, control, items, save_again
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import read_alignments
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.judgement import agreement, rank, read_judgements
from wordorder.judgement.judgement_files import read_judged_scores
from wordorder.judgement.judgements import PairJudgements, Ratings
from wordorder.judgement.project_file import project_progress
from wordorder.people.adjudication import adjudication_project
from wordorder.people.annotator_agreement import DoubtfulWord, annotator_agreement
from wordorder.people.exports import export
from wordorder.people.items import Item
from wordorder.people.project import Project
from wordorder.people.protocol import ANNOTATE, rating_protocol
from wordorder.report.judgements import agreement_output, progress_output, ranking_output

pytestmark = pytest.mark.allow_notes
QUALITY = {"A": 5, "B": 3, "C": 0}


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project in which everybody rates as `QUALITY` says."""
    path = tmp_path_factory.mktemp("rated") / "rated.db"
    protocol = rating_protocol("talbot", max_share=0.5)
    with Project.create(path, protocol, items(24, "ABC"), 6) as project:
        answer_all(project, lambda _, outputs: [QUALITY[text[0]] for text in outputs])
        rater = project.raters()[0]
        first = project.tasks(rater)[0]
        save_again(project, rater, first, "changed", [1, 1, 1])
        project.undo(rater, first, "undone", "changed")
    return path


def preferred(path: Path, careless: str = "") -> Path:
    """Return a project in which A is preferred, but not by who is careless."""

    def judge(name: str, outputs: list[str]) -> str:
        if name in careless:
            return "AB"[outputs[0].startswith(("A", "right"))]
        if outputs[0].endswith(" 7"):
            return "unknown"
        return "AB"[outputs[1].startswith(("A", "right"))]

    protocol = rating_protocol("preference")
    with Project.create(path, protocol, items(24, "AB") + control(5), 4) as project:
        answer_all(project, judge)
    return path


def test_ratings_are_exported_and_read_as_they_were_given(rated: Path, tmp_path: Path) -> None:
    out = tmp_path / "ratings.tsv"
    export(rated, out)
    header, *rows = [line.split("\t") for line in out.read_text().splitlines()]
    assert header == ["rater", "item", "system", "value", "time"]
    assert len(rows) == 24 * 3 * 3
    assert all(int(value) == QUALITY[system] for _, _, system, value, _ in rows)
    of_file, of_project = read_judgements(out), read_judgements(rated)
    assert isinstance(of_file, Ratings)
    assert isinstance(of_project, Ratings)
    assert of_file.means().tolist() == of_project.means().tolist()
    assert of_file.raters == of_project.raters == tuple(f"rater{n}" for n in range(1, 7))


def test_csv_is_guarded_for_spreadsheets_and_tsv_is_not(tmp_path: Path) -> None:
    names = ["=1+1", "+bpe", "-a", "@b", "c,-d"]
    protocol = rating_protocol("talbot", max_share=1)
    with Project.create(tmp_path / "p.db", protocol, items(2, names), 3) as project:
        answer_all(project, lambda _, outputs: [3] * len(outputs))
    for name in ("r.tsv", "r.csv"):
        export(tmp_path / "p.db", tmp_path / name, format=name[2:])
    with open(tmp_path / "r.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["system"] for row in rows} == {"'=1+1", "'+bpe", "'-a", "'@b", "c,-d"}
    assert {row["value"] for row in rows} == {"3"}
    read = read_judgements(tmp_path / "r.tsv")
    assert isinstance(read, Ratings)
    assert set(read.systems) == set(names)


def test_correlate_takes_a_project_as_human_scores(rated: Path) -> None:
    with noted(r"judgements talbot\|ratings:3\|max-share:0.5"):
        found = read_judged_scores(rated).rows(24, "segment")
    assert found == {name: [float(value)] * 24 for name, value in QUALITY.items()}


def test_every_event_is_exported(rated: Path, tmp_path: Path) -> None:
    export(rated, tmp_path / "e.json", what="events", format="json")
    events = json.loads((tmp_path / "e.json").read_text())["events"]
    assert len(events) == 24 * 3 + 2
    first = next(each for each in events if each["task"] == 1)
    changed, undone = events[-2:]
    assert (changed["value"], changed["undo"]) == ([1, 1, 1], False)
    assert (undone["value"], undone["undo"]) == (first["value"], True)
    assert first["value"] == [QUALITY[name] for name in first["shown"]]
    export(rated, tmp_path / "e.tsv", what="events")
    assert len((tmp_path / "e.tsv").read_text().splitlines()) == 1 + len(events)


def test_an_anonymous_export_has_other_names_and_no_times(rated: Path, tmp_path: Path) -> None:
    for name, anonymous in (("a.tsv", True), ("again.tsv", True), ("b.tsv", False)):
        export(rated, tmp_path / name, anonymous=anonymous)
    hidden = (tmp_path / "a.tsv").read_text()
    assert hidden.startswith("rater\titem\tsystem\tvalue\n")
    assert "rater1" not in hidden
    assert hidden == (tmp_path / "again.tsv").read_text()
    found = read_judgements(tmp_path / "a.tsv")
    assert sorted(found.raters) == [f"P{n}" for n in range(1, 7)]
    with sqlite3.connect(rated) as connection:
        tokens = [row[0] for row in connection.execute("SELECT token FROM rater")]
    for what in ("ratings", "events"):
        export(rated, tmp_path / "t.json", what=what, format="json")
        assert not any(token in (tmp_path / "t.json").read_text() for token in tokens)


def test_anonymous_events_do_not_tell_who_is_who_by_their_numbers(
    rated: Path, tmp_path: Path
) -> None:
    found = {}
    for anonymous in (True, False):
        export(rated, tmp_path / "e.json", what="events", format="json", anonymous=anonymous)
        found[anonymous] = json.loads((tmp_path / "e.json").read_text())["events"]
    assert len(found[True]) == len(found[False])
    # Tasks are numbered rater by rater, events by time.
    assert set(found[False][0]) - set(found[True][0]) == {"event", "task", "time"}
    export(rated, tmp_path / "e.tsv", what="events", anonymous=True)
    header = (tmp_path / "e.tsv").read_text().split("\n")[0].split("\t")
    assert header == ["rater", "item", "control", "place", "undo", "shown", "value"]


def test_an_export_never_takes_the_place_of_its_project(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db")
    before = path.read_bytes()
    (tmp_path / "link.db").symlink_to(path)
    for output in (path, tmp_path / "link.db"):
        for what in ("ratings", "events"):
            refuses(UsageError, "is the project itself", export, path, output, what=what)
    assert path.read_bytes() == before


def test_a_damaged_project_is_named(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db")
    whole = path.read_bytes()
    path.write_bytes(whole[:8192] + b"Z" * (len(whole) - 8192))
    for use in (export, rank, agreement, Project.open):
        refuses(InputError, r"p\.db: damaged: .* restore a backup", use, path)


def test_rank_and_agreement_read_the_project(rated: Path) -> None:
    found = rank(rated, resamples=20)
    assert [system.system for system in found.systems] == ["A", "B", "C"]
    assert "signature: talbot|ratings:3|max-share:0.5|raters:6|seed:12345|v:" in ranking_output(
        found
    ).printed("text")
    agreed = agreement(rated, resamples=20)
    assert agreed.measures[0].value == 1
    assert agreed.everybody is None
    assert "max-share:0.5" in agreement_output(agreed).printed("text")


def test_preferences_are_exported_and_read(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db")
    export(path, tmp_path / "p.tsv")
    header, *rows = [line.split("\t") for line in (tmp_path / "p.tsv").read_text().splitlines()]
    assert header == ["rater", "item", "system_a", "system_b", "choice", "time"]
    assert len(rows) == 24 * 3
    assert {choice for *_, choice, _ in rows} == {"A", "none"}
    assert {first for _, _, first, *_ in rows} == {"A", "B"}
    of_file, of_project = read_judgements(tmp_path / "p.tsv"), read_judgements(path)
    for found in (of_file, of_project):
        assert isinstance(found, PairJudgements)
        assert len(found) == 23 * 3
        wins = dict(zip(found.systems, found.wins().sum(axis=1).tolist(), strict=True))
        assert wins == {"A": 69, "B": 0}
    test = agreement(path, resamples=5).sign_test
    assert test is not None
    assert (test.better, test.wins, test.losses) == ("A", 69, 0)


def test_raters_who_fail_control_items_are_left_out_and_shown(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db", careless="rater3")
    with noted(r"left out 1 rater .* rater3 \(0 of 5\)"):
        found = rank(path, resamples=20)
    assert found.systems[0].value == 1
    assert found.everybody is not None
    assert found.everybody.systems[0].value == pytest.approx(0.75, abs=0.02)
    assert "rater3 (0 of 5, 0 %)" in flat(ranking_output(found).printed("text"))
    assert "With everybody:" in ranking_output(found).printed("text")
    assert "|control:0.6|v:" in str(found.signature)
    assert "|control:off|v:" in str(found.everybody.signature)
    header, row, _ = (
        line.split("\t") for line in ranking_output(found).printed("tsv").splitlines()
    )
    assert (header[-1], row[-1]) == ("signature", found.signature)
    shown = ranking_output(found).data()["failed_raters"]
    assert shown == [{"rater": "rater3", "right": 0, "asked": 5}]
    with_him, without = agreement(path, resamples=5).everybody, agreement(path, resamples=5)
    assert with_him is not None
    assert with_him.measures[0].value < without.measures[0].value == 1
    assert without.raters == 3
    assert with_him.raters == 4


def test_a_project_in_which_all_fail_says_so(tmp_path: Path) -> None:
    path = preferred(tmp_path / "p.db", careless="rater1 rater2 rater3 rater4")
    refuses(InputError, "all 4 raters fail the control items", read_judgements, path)


def test_a_system_called_none_is_not_an_answer(tmp_path: Path) -> None:
    protocol = rating_protocol("preference", ratings=1)
    with Project.create(tmp_path / "p.db", protocol, items(3, ("none", "B")), 1) as project:
        answers = iter("ABA")
        rater = project.raters()[0]
        for n in range(2):
            task = project.next_task(rater)[0] or ""
            project.save(rater, task, f"{n}", next(answers))
        project.save(rater, project.next_task(rater)[0] or "", "last", "unknown")
    export(tmp_path / "p.db", tmp_path / "p.tsv")
    found = read_judgements(tmp_path / "p.tsv")
    assert isinstance(found, PairJudgements)
    expected = read_judgements(tmp_path / "p.db")
    assert isinstance(expected, PairJudgements)
    assert len(found) == 2
    assert found.outcome.tolist() == expected.outcome.tolist()


@pytest.fixture
def annotated(tmp_path: Path) -> Path:
    """Return a project of three sentences: one done, one a draft, one not begun."""
    path = tmp_path / "annotated.db"
    texts = [Item(n, {"source": ["a", f"b{n}"], "target": None}) for n in (1, 2, 3)]
    done = {
        "source": ["a", "b", "1"],
        "target": ["x", "y", "z"],
        "links": [[2, 0, "sure"], [0, 1, "sure"], [1, 1, "sure"], [0, 2, "possible"]],
    }
    with Project.create(path, ANNOTATE, texts, 2) as project:
        rater = project.raters()[0]
        first = project.next_task(rater)[0] or ""
        project.save(rater, first, "1", done | {"confirmed": [True, True, True, False]})
        draft = {"source": ["a", "b2"], "target": ["x"], "links": [[0, 0, "sure"]], "draft": True}
        project.save(rater, project.next_task(rater)[0] or "", "2", draft)
    return path


def test_alignments_are_exported_and_read_as_they_were_made(
    annotated: Path, tmp_path: Path
) -> None:
    expected = Alignments.from_rows([[(2, 0), (0, 1), (1, 1)], [], []], target_lengths=[3, 0, 0])
    for format in ("pharaoh", "talbot"):
        out = tmp_path / f"out.{format}"
        with noted() as caught:
            export(annotated, out, format=format)
        said = " ".join(caught)
        assert "2 sentences of 3 (67 %) not finished" in said
        assert "left out 1 suggested link of 4 (25 %): not confirmed" in said
        found = read_alignments(out, format=format)
        assert [sorted(row.links) for row in found] == [sorted(row.links) for row in expected]
    export(annotated, tmp_path / "out.json", format="json", rater="rater1")
    rows = json.loads((tmp_path / "out.json").read_text())["alignments"]
    assert [row["source"] for row in rows] == [["a", "b", "1"], ["a", "b2"], ["a", "b3"]]
    assert rows[0]["links"][3] == [0, 2, "possible"]
    with Project.open(annotated) as project:
        second = project.raters()[1]
        nothing = {"source": ["a", "b1"], "target": [], "links": []}
        project.save(second, project.next_task(second)[0] or "", "3", nothing)
    with pytest.raises(UsageError, match="alignments of rater1, rater2; name one with rater="):
        export(annotated, tmp_path / "out.align")
    export(annotated, tmp_path / "out.align", rater="rater2")


UNCONFIRMED = r"2 sentences of 6 \(33 %\) saved as done without a link, and not confirmed as empty"


def test_empty_sentences_are_done_when_they_are_confirmed(tmp_path: Path) -> None:
    """Of six sentences one is linked, two are saved without a link, one is a draft."""
    path = tmp_path / "p.db"
    texts = [Item(n, {"source": ["a"], "target": ["x"]}) for n in range(1, 7)]
    empty = {"source": ["a"], "target": ["x"], "links": []}
    linked = empty | {"links": [[0, 0, "sure"]]}
    with Project.create(path, ANNOTATE, texts, 1) as project:
        (rater,) = project.raters()
        tasks = project.tasks(rater)
        for number, answer in enumerate([linked, empty, empty, linked | {"draft": True}]):
            project.save(rater, tasks[number], f"{number}", answer)
    before = path.read_bytes()
    (row,) = project_progress(path).raters
    assert (row.done, row.total, row.empty, row.unconfirmed) == (1, 6, 0, 2)
    assert project_progress(path).done == 1
    with noted() as caught:
        export(path, tmp_path / "some.align")
    said = caught
    assert any("3 sentences of 6 (50 %) not finished" in each for each in said)
    assert any(re.search(UNCONFIRMED, each) for each in said)
    assert (tmp_path / "some.align").read_text() == "0-0\n" + 5 * "\n"
    with noted(UNCONFIRMED):
        export(path, tmp_path / "some.json", format="json")
    assert path.read_bytes() == before
    with Project.open(path) as project:
        (rater,) = project.raters()
        assert project.next_task(rater) == (tasks[1], 1, 6)
        answer = project.task(rater, tasks[1]).answer
        assert answer["links"] == []
        assert save_again(project, rater, tasks[1], "again", answer).done == 1
        nothing = answer | {"nothing": True}
        assert save_again(project, rater, tasks[1], "confirmed", nothing).done == 2
        assert save_again(project, rater, tasks[2], "linked", linked).done == 3
        assert project.undo(rater, tasks[1], "undone", "confirmed") == answer
        assert project.next_task(rater) == (tasks[1], 2, 6)
        save_again(project, rater, tasks[1], "after all", nothing)
    found = project_progress(path)
    assert found.done == 3
    assert (found.raters[0].empty, found.raters[0].unconfirmed) == (1, 0)
    for form in ("text", "markdown", "latex"):
        assert "1 with nothing to align" in progress_output(found).printed(form)
    with noted() as caught:
        export(path, tmp_path / "new.align")
    said = caught
    confirmed = "1 sentence of 6 (17 %) empty: nothing to align, as the annotator confirmed"
    assert any(confirmed in each for each in said)
    assert (tmp_path / "new.align").read_text() == "0-0\n\n0-0\n\n\n\n"


def test_two_who_found_nothing_agree(tmp_path: Path) -> None:
    texts = [Item(n, {"source": ["a"], "target": ["x"]}) for n in (1, 2)]
    empty = {"source": ["a"], "target": ["x"], "links": []}
    with Project.create(tmp_path / "two.db", ANNOTATE, texts, 2) as project:
        for rater in project.raters():
            first, second = project.tasks(rater)
            project.save(rater, first, f"{rater.name} 1", empty | {"nothing": True})
            project.save(rater, second, f"{rater.name} 2", empty)
    (found,) = annotator_agreement(tmp_path / "two.db").pairs
    assert (found.sentences, found.f1) == (1, 1.0)
    with noted(r"both agree on 1 of 2 sentences"):
        project = adjudication_project(tmp_path / "two.db", tmp_path / "one.db")
    with project:
        (rater,) = project.raters()
        first, second = project.tasks(rater)
        assert project.next_task(rater) == (second, 1, 2)
        assert project.task(rater, first).answer["nothing"] is True
        assert project.task(rater, second).answer is None


def test_annotators_are_compared_on_what_both_finished(tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    texts = [Item(n, {"source": ["a", "b"], "target": ["B", "A"]}) for n in (1, 2, 3)]
    with Project.create(path, ANNOTATE, texts, 2) as project:
        for number, rater in enumerate(project.raters()):
            task = project.next_task(rater)[0] or ""
            links = [[0, 1, "sure"], [1, 0, "sure"], [1, 1, "sure"]]
            given = {"source": ["a", "b"], "target": ["B", "A"], "links": links}
            # The suggestion that the first did not confirm is no link of his.
            confirmed = [True, True, number == 1]
            project.save(rater, task, f"{number}", given | {"confirmed": confirmed})
            if number:
                second = project.next_task(rater)[0] or ""
                project.save(rater, second, "second", given | {"links": []})
    (found,) = annotator_agreement(path).pairs
    assert (found.first, found.second, found.sentences) == ("rater1", "rater2", 1)
    assert found.f1 == pytest.approx(4 / 5)
    assert found.words == (DoubtfulWord("b", 1, 1),)
    assert found.differences[0].only_second == ((1, 1),)
    said = process("agreement", path).good().text
    assert "rater1  rater2          1  0.8000  0.5000" in said
    assert "1 sentence of rater1 and rater2 differs\n  1: rater2 b-A\n" in said


def test_differences_of_two_annotators_are_decided_in_a_project_of_their_own(
    tmp_path: Path,
) -> None:
    texts = [Item(n, {"source": ["a", "bc"], "target": None}) for n in (1, 2, 3, 4)]
    given = {"source": ["a", "bc"], "target": ["x", "y"]}
    cut = given | {"source": ["a", "b", "c"]}
    both = [[0, 0, "sure"], [1, 1, "sure"]]
    answers = [
        # The same, though one has cut a token.
        (given | {"links": both}, cut | {"links": [*both, [2, 1, "sure"]]}),
        (given | {"links": both}, given | {"links": [both[0], [0, 1, "possible"]]}),
        (given | {"links": both}, given | {"target": ["z"], "links": []}),
    ]
    with Project.create(tmp_path / "two.db", ANNOTATE, texts, 2) as project:
        for number, rater in enumerate(project.raters()):
            for task, pair in zip(project.tasks(rater), answers, strict=False):
                project.save(rater, task, f"{rater.name} {task}", pair[number])
    for _ in range(2):
        with adjudication_project(tmp_path / "two.db", tmp_path / "one.db") as project:
            rater = project.raters()[0]
            found = [project.task(rater, task).answer for task in project.tasks(rater)]
            assert project.next_task(rater) == (project.tasks(rater)[1], 1, 4)
            assert len(project._fetch_all("SELECT id FROM event")) == 3
    assert found[0]["source"] == ["a", "b", "c"]
    assert found[0]["confirmed"] == [True] * 3
    assert found[1]["links"] == [[0, 0, "sure"], [0, 1, "possible"], [1, 1, "sure"]]
    assert found[1]["confirmed"] == [True, False, False]
    assert (found[2]["target"], found[2]["confirmed"]) == (["x", "y"], [False, False])
    assert found[3] is None
    with pytest.raises(UsageError, match="finished by rater1; two can be adjudicated"):
        adjudication_project(tmp_path / "one.db", tmp_path / "none.db")


def test_one_annotator_agrees_with_nobody(annotated: Path) -> None:
    with pytest.raises(InputError, match="finished by rater1 alone; expected two annotators"):
        annotator_agreement(annotated)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"what": "alignments"}, "no alignments; expected ratings"),
        ({"what": "everything"}, "unknown value for what"),
        ({"format": "pharaoh"}, "ratings have no format 'pharaoh'; legal names: tsv, csv, json"),
        ({"rater": "rater9"}, "unknown value for rater"),
    ],
)
def test_what_cannot_be_exported_is_said(
    rated: Path, tmp_path: Path, options: dict[str, str], message: str
) -> None:
    with pytest.raises(WordOrderError, match=message):
        export(rated, tmp_path / "out", **options)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_other_databases_and_empty_projects_are_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "other.db") as connection:
        connection.execute("CREATE TABLE event (id)")
    with pytest.raises(InputError, match="no project; expected one that `annotate` or `rate`"):
        read_judgements(tmp_path / "other.db")
    refuses(InputError, "no such file; expected a project", export, tmp_path / "none.db")
    refuses(InputError, "not a file", export, tmp_path)
    Project.create(tmp_path / "p.db", rating_protocol("preference"), items(3, "AB"), 3).close()
    refuses(InputError, "no answer yet", rank, tmp_path / "p.db")


def test_the_verbs_read_a_project_that_is_being_served(rated: Path) -> None:
    with Project.open(rated):
        for verb, expected in (
            (["export"], "rater\titem\tsystem\tvalue\ttime\n"),
            (["progress"], "24 of 24 items (100 %) have all their answers"),
            (["agreement", "--resamples", "5"], "krippendorff-ordinal"),
        ):
            assert expected in process(verb[0], rated, *verb[1:]).good().text
