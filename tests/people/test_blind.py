"""Blind is blind: a rater who has all but the project file knows no more than chance does."""

import http.client
import itertools
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.cli.running import write
from tests.people.asking import HOST, Asker, Reply
from tests.people.serving import Running, control

from wordorder.arrays import Float64
from wordorder.people.app import Endpoints, static_files
from wordorder.people.items import InputText, Item, Output, rating_items
from wordorder.people.plan import rating_plan
from wordorder.people.project import Project
from wordorder.people.protocol import Protocol, Scale, rating_protocol
from wordorder.people.tasks import NotYoursError

SEED = 12345
SENTENCES = 60
ONE = Protocol("scale", "one", 2, 1.0, Scale("points", 0, 6, 1))
# One test in ten million is wrong about an honest server.
DOUBT = 1e-7

# Rater and place of a page, from 1: the system whose output is shown first.
Guess = dict[tuple[int, int], str]


@dataclass(frozen=True)
class Asked:
    """A way of rating, and what its project is made of."""

    protocol: Protocol
    systems: str
    options: tuple[str, ...]
    control: int = 0

    def items(self, sentences: int = SENTENCES) -> list[Item]:
        return [*made(self.systems, self.protocol, sentences), *control(self.control)]


def made(systems: str, protocol: Protocol, sentences: int) -> list[Item]:
    source, reference, *outputs = (
        InputText(name, "", [f"{name} says {n}" for n in range(sentences)])
        for name in ("source", "reference", *systems)
    )
    return rating_items(
        source, reference, list(zip(systems, outputs, strict=True)), protocol.outputs
    )


WAYS = {
    "talbot": Asked(rating_protocol("talbot", max_share=1), "AB", ("--max-share", "1")),
    "preference": Asked(rating_protocol("preference", ratings=2), "ABC", ("-O", "ratings=2"), 3),
    "one": Asked(ONE, "ABC", ()),
}


def drawn_from_the_seed(asked: Asked, sentences: int) -> Guess:
    """Draw from the seed alone, which everybody knows."""
    items = asked.items(sentences)
    plain = np.array([n for n, item in enumerate(items) if item.control is None])
    known = np.array([n for n, item in enumerate(items) if item.control is not None], np.int64)
    protocol = asked.protocol
    mixed = np.random.default_rng([SEED, 1])
    shown = np.random.default_rng([SEED, 2])
    plan = rating_plan(len(plain), 3, ratings=protocol.ratings, max_share=1.0, seed=SEED)
    outputs = iter(range(1, 10**6))
    of_item = [[next(outputs) for _ in item.outputs] for item in items]
    system = [output.system for item in items for output in item.outputs]
    rows = []
    for part in plan:
        places = mixed.integers(len(part) + 1, size=len(known))
        rows.append(np.insert(plain[part], places, mixed.permutation(known)))
    return {
        (rater, place): system[shown.permutation(of_item[item])[0] - 1]
        for rater, part in enumerate(rows, 1)
        for place, item in enumerate(part.tolist(), 1)
    }


def drawn_from(secret: str) -> Callable[[Asked, int], Guess]:
    """Draw as the source does, with a secret that is guessed."""

    def draw(asked: Asked, sentences: int) -> Guess:
        with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
            patch.setattr("secrets.token_hex", lambda _: secret)
            path = Path(folder, "p.db")
            Project.create(path, asked.protocol, asked.items(sentences), 3, seed=SEED).close()
            return truth(path)

    return draw


def truth(path: Path) -> Guess:
    """Return what the file has."""
    system = dict(rows(path, "SELECT id, system FROM output"))
    return {
        (rater, place): system[json.loads(shown)[0]]
        for rater, place, shown in rows(path, "SELECT rater, place, shown FROM task")
    }


@dataclass(frozen=True)
class Page:
    """All that the browser gets of one page."""

    rater: int
    task: dict[str, Any]
    received: bytes

    @property
    def key(self) -> tuple[int, int]:
        return self.rater, self.task["place"]

    def features(self, systems: int) -> Iterator[int]:
        """What a curious rater would look at, as small numbers."""
        name = self.task["task"]
        rest = len(self.received) - sum(len(json.dumps(each)) for each in self.task["outputs"])
        yield from (self.task["place"] % systems, rest % systems, len(name) % systems)
        yield from (ord(letter) % systems for letter in name)
        for other in (self.task["before"], self.task["after"]):
            yield int(str(other) > name)
            yield len(str(other)) % systems


def seen(server: Running) -> list[Page]:
    """Read all pages of all raters over the network."""
    pages: list[Page] = []
    for rater, link in enumerate(server.links.values(), 1):
        address, _, token = link.removeprefix("http://").partition("/#")
        with closing(http.client.HTTPConnection(address, timeout=30)) as connection:
            pages += pages_of(connection, token, rater)
    return pages


def pages_of(connection: http.client.HTTPConnection, token: str, rater: int) -> Iterator[Page]:
    def get(path: str) -> tuple[Any, bytes]:
        connection.request("GET", path, headers={"Authorization": f"Bearer {token}"})
        reply = connection.getresponse()
        body = reply.read()
        sent = str([each for each in reply.getheaders() if each[0] != "date"]).encode()
        return json.loads(body), path.encode() + sent + body

    name = get("/api/next")[0]["task"]
    while before := get(f"/api/task/{name}")[0]["before"]:
        name = before
    while name is not None:
        task, received = get(f"/api/task/{name}")
        yield Page(rater, task, received)
        name = task["after"]


def without_control(pages: list[Page]) -> list[Page]:
    return [page for page in pages if not page.task["source"].startswith("control")]


def is_chance(guess: Guess, path: Path, pages: list[Page]) -> bool:
    """Nor may it be much worse: who is always wrong between two knows as well."""
    right = truth(path)
    hits = sum(guess.get(page.key) == right[page.key] for page in pages)
    chances = hits_of_chance(guess, path, {page.key for page in pages})
    return bool(min(chances[: hits + 1].sum(), chances[hits:].sum()) > DOUBT)


def hits_of_chance(guess: Guess, path: Path, pages: set[tuple[int, int]]) -> Float64:
    """Return how probable 0, 1, 2, … hits are, where a page of a sentence tells of its others.

    The items of a sentence have exchanged their places, each exchange as probable as any other; an
    item's page has its outputs in an order of its own.
    """
    systems: dict[int, dict[int, list[str]]] = {}
    for line, item, system in rows(
        path,
        "SELECT line, item.id, system FROM item JOIN output ON item = item.id "
        "WHERE control IS NULL",
    ):
        systems.setdefault(line, {}).setdefault(item, []).append(system)
    asked: dict[int, list[tuple[int, str | None]]] = {}
    for rater, place, line, item in rows(
        path, "SELECT rater, place, line, item FROM task JOIN item ON item.id = item"
    ):
        if (rater, place) in pages:
            asked.setdefault(line, []).append((item, guess.get((rater, place))))
    chances = np.ones(1)
    for line, guessed in asked.items():
        exchanges = [
            dict(zip(systems[line], each, strict=True))
            for each in itertools.permutations(systems[line].values())
        ]
        of_line = np.zeros(len(guessed) + 1)
        for placed in exchanges:
            one = np.ones(1)
            for item, system in guessed:
                hit = placed[item].count(str(system)) / len(placed[item])
                one = np.convolve(one, [1 - hit, hit])
            of_line += one / len(exchanges)
        chances = np.convolve(chances, of_line)
    return chances


def best_feature(right: Guess, pages: list[Page]) -> tuple[Guess, list[Page]]:
    """Learn on every second sentence what tells the system; return guesses of the others' pages."""
    sentences = sorted({page.task["source"] for page in pages})
    learned = [page for page in pages if page.task["source"] in sentences[::2]]
    asked = [page for page in pages if page.task["source"] in sentences[1::2]]
    names = sorted({right[page.key] for page in pages})
    systems = len(names)
    columns = list(zip(*(page.features(systems) for page in learned), strict=True))
    best, best_hits, says = 0, -1, {}
    for number, column in enumerate(columns):
        counts = {
            value: [
                sum(
                    v == value and right[p.key] == name
                    for v, p in zip(column, learned, strict=True)
                )
                for name in names
            ]
            for value in set(column)
        }
        found = sum(max(each) for each in counts.values())
        if found > best_hits:
            most = {value: names[each.index(max(each))] for value, each in counts.items()}
            best, best_hits, says = number, found, most
    guess = {page.key: says.get(list(page.features(systems))[best], names[0]) for page in asked}
    return guess, asked


@pytest.mark.parametrize("way", WAYS)
def test_everything_but_the_secret_is_no_better_than_chance(tmp_path: Path, way: str) -> None:
    asked = WAYS[way]
    texts = {
        name: write(tmp_path, name, "".join(f"{name} says {n}\n" for n in range(SENTENCES)))
        for name in ("source", "reference", *asked.systems)
    }
    path = tmp_path / "p.db"
    options = [*asked.options, "--protocol", way]
    if way == "one":
        scale = '[scale]\nmin = 0\nmax = 6\noutputs = "one"\nratings = 2\n'
        options = ["--protocol", "scale", "--scale", write(tmp_path, "scale.toml", scale)]
    if asked.control:
        table = "source\treference\tbetter\tworse\texplanation\n" + "".join(
            f"control {n}\t\tright\twrong\tbecause {n}\n" for n in range(1, asked.control + 1)
        )
        options += ["--control", write(tmp_path, "control.tsv", table)]
    given = [texts["source"], texts["reference"]]
    named = [f"{name}={texts[name]}" for name in asked.systems]
    command = ("rate", *given, "-i", *named, "-o", str(path), *options, "--raters", "3")
    with Running(*command, "--port", "0", links=3) as server:
        everything = seen(server)
        links = server.links
    right = truth(path)
    assert len(everything) == len(right)
    pages = without_control(everything)
    tokens = [link.partition("#")[2] for link in links.values()]
    for secret in ("", "None", str(SEED), *tokens):
        assert is_chance(drawn_from(secret)(asked, SENTENCES), path, pages), secret
    assert is_chance(drawn_from_the_seed(asked, SENTENCES), path, pages)
    guess, others = best_feature(right, pages)
    assert is_chance(guess, path, others)
    assert not is_chance(right, path, others)
    if asked.control:
        # Where the checks are is no secret of the seed either.
        replayed = drawn_from_the_seed(asked, SENTENCES)
        checks = [page for page in everything if page not in pages]
        told = sum(replayed[page.key] in ("better", "worse") for page in checks)
        assert told < len(checks) / 2


@pytest.mark.parametrize("way", WAYS)
def test_the_attack_works_on_what_it_is_made_for(tmp_path: Path, way: str) -> None:
    """It knows every page of a file whose secret it has."""
    asked = WAYS[way]
    path = tmp_path / "new.db"
    with Project.create(path, asked.protocol, asked.items(), 3, seed=SEED) as project:
        secret = project.meta["secret"]
    assert drawn_from(secret)(asked, SENTENCES) == truth(path)


def rows(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


class Fixed:
    """Draws the same secret and tokens for each project, as if they were given."""

    def __init__(self) -> None:
        self.count = itertools.count(1)

    def __call__(self, size: int) -> str:
        return f"{next(self.count):0{size}d}"


def replies(path: Path, way: str) -> list[Reply]:
    """All that the browsers get while three raters rate everything, each page twice."""
    found: list[Reply] = []
    with Project.open(path) as project:
        endpoints = Endpoints(project, page="rate.html", static=static_files())
        application = endpoints.application([HOST])
        for rater in project.raters():
            ask = Asker(application, rater.token)
            found += map(ask.get, ("/", "/static/rate.js", "/static/none.js"))
            while True:
                found.append(ask.get("/api/next"))
                name = found[-1].json["task"]
                if name is None:
                    break
                found.append(ask.get(f"/api/task/{name}"))
                count = len(found[-1].json["outputs"])
                answer = "A" if way == "preference" else [3] * count
                found.append(ask.save(name, f"{rater.id} bad {name}", [99]))
                found.append(ask.save(name, f"{rater.id} {name}", answer))
                found.append(ask.get(f"/api/task/{name}"))
        endpoints.close()
    return found


@pytest.mark.parametrize("way", WAYS)
def test_pages_are_the_same_to_the_byte_whichever_system_is_which(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other names of the systems, then another order of them under the same draw."""
    asked = WAYS[way]

    def create(name: str, items: list[Item]) -> Path:
        monkeypatch.setattr("secrets.token_hex", Fixed())
        monkeypatch.setattr("secrets.token_urlsafe", Fixed())
        path = tmp_path / name
        Project.create(path, asked.protocol, items, 3).close()
        return path

    def renamed(item: Item) -> Item:
        turn = dict(zip(asked.systems, [*asked.systems[1:], "a-long-name-" * 9], strict=True))
        outputs = (Output(turn.get(o.system, o.system), o.text, o.better) for o in item.outputs)
        return Item(item.line, item.content, tuple(outputs), item.control)

    items = asked.items(6)
    first = create("first.db", items)
    second = create("second.db", [renamed(item) for item in items])
    third = create(
        "third.db",
        [*made(asked.systems[::-1], asked.protocol, 6), *items[len(items) - asked.control :]],
    )
    draw_as(first, third)
    expected = replies(first, way)
    assert {reply.status for reply in expected} == {200, 404, 422}
    for other in (second, third):
        assert replies(other, way) == expected


def draw_as(first: Path, other: Path) -> None:
    """Give the pages of another project the sentences and the order of outputs of the first."""
    with closing(sqlite3.connect(first)) as one, closing(sqlite3.connect(other)) as two:
        text = dict(one.execute("SELECT id, text FROM output"))
        item_of = {}
        output_of = {}
        for item, line, control_, outputs in two.execute(
            "SELECT item.id, line, control, json_group_array(output.id) FROM item "
            "JOIN output ON item = item.id GROUP BY item.id"
        ):
            ids = json.loads(outputs)
            texts = [
                two.execute("SELECT text FROM output WHERE id = ?", (i,)).fetchone()[0] for i in ids
            ]
            key = (line, control_, *sorted(texts))
            item_of[key] = item
            output_of[key] = dict(zip(texts, ids, strict=True))
        for task, line, control_, shown in one.execute(
            "SELECT task.id, line, control, shown FROM task JOIN item ON item.id = item"
        ).fetchall():
            texts = [text[output] for output in json.loads(shown)]
            key = (line, control_, *sorted(texts))
            order = json.dumps([output_of[key][each] for each in texts])
            two.execute(
                "UPDATE task SET item = ?, shown = ? WHERE id = ?", (item_of[key], order, task)
            )
        two.commit()


def test_the_seed_draws_who_rates_what_and_the_file_draws_the_rest(tmp_path: Path) -> None:
    """The same seed gives everybody the same sentences; a copy of the file draws as the file."""
    asked = WAYS["one"]
    lines = []
    for name in ("one.db", "other.db"):
        Project.create(tmp_path / name, asked.protocol, asked.items(), 3).close()
        query = "SELECT rater, place, line FROM task JOIN item ON item.id = item ORDER BY task.id"
        lines.append(rows(tmp_path / name, query))
    assert lines[0] == lines[1]
    assert rows(tmp_path / "one.db", "SELECT item FROM task ORDER BY id") != rows(
        tmp_path / "other.db", "SELECT item FROM task"
    )
    shutil.copy(tmp_path / "one.db", tmp_path / "copy.db")
    drawn = []
    for name in ("one.db", "copy.db"):
        with Project.open(tmp_path / name) as project:
            (new,) = project.add_raters(1)
            assert project.tasks(new)
            query = "SELECT id, rater, item, place, shown FROM task ORDER BY id"
            drawn.append((project.tasks(new), rows(tmp_path / name, query)))
    assert drawn[0] == drawn[1]


def test_names_of_tasks_tell_no_number(tmp_path: Path) -> None:
    with Project.create(tmp_path / "p.db", ONE, made("ABC", ONE, 40), 2) as project:
        names = [name for rater in project.raters() for name in project.tasks(rater)]
        assert len(set(names)) == len(names) == 240
        assert {len(name) for name in names} == {32}
        assert names != sorted(names)
        for rater in project.raters():
            for guessed in ("1", "2", "240", names[0][:-1]):
                with pytest.raises(NotYoursError):
                    project.task(rater, guessed)
