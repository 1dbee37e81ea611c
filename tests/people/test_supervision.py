"""What the owner of a project sees, and that nobody else does."""

from pathlib import Path

import pytest
from tests.cli.running import call
from tests.people.serving import PageOf, Running, ratings, save_again

from wordorder.judgement.project_file import open_readonly
from wordorder.people.annotator_agreement import annotator_agreement
from wordorder.people.new_project import annotation_project
from wordorder.people.owner_page import project_state, seconds_per_item
from wordorder.people.project import Project


def rated(path: Path) -> str:
    """Make a project in which two raters agree on every sentence but one."""
    name = ratings(path, sentences=12)
    with Project.open(name) as project:
        for rater in project.raters():
            for number, task in enumerate(project.tasks(rater)):
                shown = project.task(rater, task).outputs
                values = [int(text[-1]) % 7 for text in shown]
                project.save(rater, task, f"{rater.name} {number}", values)
    return name


def test_the_page_says_who_did_what(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.people.serving.SYSTEMS", ("alpha-mt", "beta-mt"))
    name, page = rated(tmp_path / "p.db"), tmp_path / "p.html"
    assert "12 of 12 items" in call("progress", name, "--html", str(page)).good().text
    text = page.read_text("utf-8")
    measure = "alpha of higher and lower ratings, between people"
    for part in ("rater1", "100 %", measure, ">1.0<", "export"):
        assert part in text
    # An owner who rates stays blind.
    assert "-mt" not in text


def test_the_page_needs_a_file_of_its_own(tmp_path: Path) -> None:
    name = ratings(tmp_path / "p.db")
    before = Path(name).read_bytes()
    for output in ("-", name):
        assert call("progress", name, "--html", output).status != 0
    assert Path(name).read_bytes() == before


def test_time_per_item_is_from_when_it_was_given_to_the_first_answer(tmp_path: Path) -> None:
    name = ratings(tmp_path / "p.db", raters=2)
    now = 1000.0
    with Project.open(name) as project:
        project._now = lambda: now  # type: ignore[method-assign]
        rater = project.raters()[0]
        for seconds in (10.0, 30.0, 5000.0):
            task, _, _ = project.next_task(rater)
            assert task is not None
            now += seconds
            count = len(project.task(rater, task).outputs)
            project.save(rater, task, f"first {task}", [3] * count)
            # A later correction takes no time.
            save_again(project, rater, task, f"again {task}", [4] * count)
    with open_readonly(name) as connection:
        assert seconds_per_item(connection) == {"rater1": 30.0}


def test_agreement_of_annotators(tmp_path: Path) -> None:
    source, target = tmp_path / "s", tmp_path / "t"
    source.write_text("a b\n", "utf-8")
    target.write_text("x y\n", "utf-8")
    path = tmp_path / "p.db"
    with annotation_project(path, source, target, alignments=None, raters=2) as project:
        assert project_state(path).agreement == []
        others = ("alignments", "json"), ("events", "tsv")
        assert project_state(path).exports == (("alignments", "pharaoh"), *others)
        for rater, links in zip(project.raters(), ([[0, 0], [1, 1]], [[0, 0]]), strict=True):
            (task,) = project.tasks(rater)
            words = {"source": ["a", "b"], "target": ["x", "y"]}
            answer = {**words, "links": [[*link, "sure"] for link in links]}
            project.save(rater, task, rater.name, answer)
    assert project_state(path).exports == (
        ("alignments", "pharaoh", "rater1"),
        ("alignments", "pharaoh", "rater2"),
        *others,
    )
    # The page offers what `reference` reads, one file per annotator, and its commands do it.
    with Running("serve", path, "--port", "0", links=2) as server:
        with Project.open(path) as project:
            owner = project.owner_token()
        page = PageOf(f"{server.links['rater1'].partition('#')[0]}#{owner}")
        texts = [page.get(f"/api/owner/alignments/pharaoh/{name}") for name in ("rater1", "rater2")]
        assert texts == [(200, {"text": "0-0 1-1\n"}), (200, {"text": "0-0\n"})]
        assert page.get("/api/owner/alignments/pharaoh/rater3")[0] == 404
        shown = page.get("/api/owner")[1]["page"]
        page.close()
    assert "--format pharaoh --rater rater2 -o alignments-rater2.pharaoh" in shown
    written = tmp_path / "links.pharaoh"
    written.write_text(texts[0][1]["text"], "utf-8")
    assert call("reference", written, "--source", source).good().text == "0 1\n"
    found = {name: value for name, value, *_ in project_state(path).agreement}
    # By hand: 2 links and 1, of which 1 is common.
    assert found["links in common (F1), rater1 and rater2"] == pytest.approx(2 / 3)
    (pair,) = annotator_agreement(path).pairs
    assert found["beyond chance (kappa), rater1 and rater2"] == pair.kappa


def test_the_owner_alone_sees_it(tmp_path: Path) -> None:
    name = rated(tmp_path / "p.db")
    with Project.open(name) as project:
        owner = project.owner_token()
        tokens = [rater.token for rater in project.raters()]
    assert owner not in tokens
    with Running("serve", name, "--port", "0", links=2) as server:
        address = server.links["rater1"].partition("#")[0]
        reached = [PageOf(f"{address}#{token}") for token in (owner, *tokens, "", "x")]
        first, *others = reached
        paths = ("/api/owner", "/api/owner/ratings/tsv", "/api/owner/events/tsv")
        for path in paths:
            assert first.get(path)[0] == 200
            for other in others:
                status, reply = other.get(path)
                assert (status, list(reply)) == (403, ["error"])
        status, reply = first.get("/api/owner/ratings/json")
        assert status == 404
        assert first.get("/api/owner")[1]["exports"] == [["ratings", "tsv"], ["events", "tsv"]]
        assert first.get("/api/owner/ratings/tsv")[1]["text"].count("\n") > 24
        # It rates nothing.
        assert first.get("/api/next")[0] == 403
        for page in reached:
            page.close()
        status, said = server.end(2)
    assert f"/owner#{owner}" in said
