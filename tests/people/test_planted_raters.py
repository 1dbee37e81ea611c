"""Simulations: raters of whom we know what they do, and how many of them are found."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from tests.people.serving import answer_all

from wordorder.judgement import agreement, read_judgements, unusual_raters
from wordorder.judgement.judgements import Ratings
from wordorder.people.items import Item, Output
from wordorder.people.plan import rating_plan
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol
from wordorder.report.judgements import agreement_output

pytestmark = pytest.mark.allow_notes
PLANTED = ("constant", "inverted", "random", "biased")


def planted(seed: int, *, raters: int = 40, of_each: int = 3) -> tuple[dict[int, str], Ratings]:
    """Return who does what, and the ratings of 4 systems on 200 sentences, 3 raters a sentence."""
    random = np.random.default_rng(seed)
    kinds = dict(enumerate(PLANTED * of_each))
    quality = np.array([4.5, 3.5, 3.0, 1.5])
    truth = quality + random.normal(0, 1, (200, 1)) + random.normal(0, 0.8, (200, 4))
    rows = []
    for rater, items in enumerate(rating_plan(200, raters, seed=seed)):
        for item in items.tolist():
            seen = truth[item] + random.normal(0, 0.8, 4)
            values = {
                "constant": np.full(4, 4.0),
                "inverted": 6 - seen,
                "random": random.integers(0, 7, 4).astype(float),
                "biased": seen - 2,
            }.get(kinds.get(rater, ""), seen)
            for system, value in enumerate(np.clip(np.round(values), 0, 6).tolist()):
                rows.append((item, rater, system, value))
    columns = np.array(rows)
    item, rater_, system = columns[:, :3].T.astype(np.int32)
    names = tuple(f"rater{n}" for n in range(raters))
    return kinds, Ratings(
        *(tuple("ABCD"), names, tuple(map(str, range(200))), item, rater_, system, columns[:, 3])
    )


def test_planted_raters_of_ratings_are_found() -> None:
    """Of 60 planted raters of each kind, in 20 projects, and of 560 honest ones."""
    found: Counter[tuple[str, str]] = Counter()
    for seed in range(20):
        kinds, ratings = planted(seed)
        unit = ratings.item.astype(np.int64) * 4 + ratings.system
        said = {
            each.rater: each.what for each in unusual_raters(ratings.rater, unit, ratings.value)
        }
        found.update((kinds.get(n, "honest"), said.get(n, "")) for n in range(40))
    number = {kind: found[kind, kind] for kind in PLANTED}
    assert number["constant"] == number["biased"] == 60
    assert number["inverted"] >= 59
    assert number["random"] >= 58
    # One of each of these two is taken for the other kind, one at random is missed.
    assert sum(count for (kind, said), count in found.items() if kind in PLANTED and said) >= 239
    assert found["honest", ""] == 560


def test_without_others_to_compare_with_there_is_no_correlation() -> None:
    # Neither is trusted: either may have turned the scale round.
    once = np.arange(20) % 7.0
    found = unusual_raters(
        np.repeat([0, 1], 20), np.tile(np.arange(20), 2), np.concatenate([once, 6 - once])
    )
    assert [each.what for each in found] == ["inverted", "inverted"]
    assert np.isnan([[each.correlation, each.bias] for each in found]).all()


def test_planted_raters_of_preferences_fail_control_items(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 3 planted raters of each kind and 6 honest ones, with 20 control items.

    A rater who guesses knows 12 of 20 or more one time in four: these pass.
    """
    # Which side the better one is on, hence who guesses right, is drawn from it.
    monkeypatch.setattr("secrets.token_hex", lambda _: "a secret")
    random = np.random.default_rng(3)
    kinds = PLANTED * 3 + ("honest",) * 6
    both = (Output("good", "good"), Output("bad", "bad"))
    items = [Item(n, {"source": "", "reference": ""}, both) for n in range(1, 37)]
    both = (Output("better", "good", True), Output("worse", "bad", False))
    items += [Item(n, {"source": "", "reference": ""}, both, "because") for n in range(20)]

    def judge(name: str, outputs: list[str]) -> str:
        right = "AB"[outputs.index("good")]
        wrong = {"A": "B", "B": "A"}[right]
        return {
            "constant": "A",
            "inverted": wrong,
            "random": "AB"[int(random.integers(2))],
            # Likes what is on the left nine times in ten.
            "biased": "A" if random.random() < 0.9 else right,
        }.get(kinds[int(name[5:]) - 1], right if random.random() < 0.95 else wrong)

    path = tmp_path / "p.db"
    with Project.create(path, rating_protocol("preference"), items, len(kinds)) as project:
        answer_all(project, judge)
    judgements = read_judgements(path)
    failed = Counter(kinds[int(each.rater[5:]) - 1] for each in judgements.failed)
    assert failed["inverted"] == 3
    assert failed["constant"] + failed["random"] >= 4
    assert failed["biased"] >= 1
    assert failed["honest"] == 0
    found = agreement(judgements, resamples=9)
    assert found.everybody is not None
    assert found.sign_test is not None
    assert found.everybody.sign_test is not None
    share, of_everybody = (
        test.wins / (test.wins + test.losses)
        for test in (found.sign_test, found.everybody.sign_test)
    )
    assert share > of_everybody


def test_agreement_of_a_project_names_unusual_raters(tmp_path: Path) -> None:
    items = [
        Item(n, {"source": "", "reference": ""}, tuple(Output(s, f"{s}{n % 5}") for s in "AB"))
        for n in range(1, 13)
    ]

    def judge(name: str, outputs: list[str]) -> list[int]:
        values = [int(text[1]) + text.startswith("A") for text in outputs]
        changed = {"rater2": [3 for _ in values], "rater3": [6 - value for value in values]}
        return changed.get(name, values)

    with Project.create(
        tmp_path / "p.db", rating_protocol("talbot", max_share=1, ratings=4), items, 4
    ) as project:
        answer_all(project, judge)
    text = agreement_output(agreement(tmp_path / "p.db", resamples=9)).printed("text")
    assert "rater2" in text
    assert "constant" in text
    lines = [line.split()[:2] for line in text.splitlines()]
    assert ["rater2", "constant"] in lines
    assert ["rater3", "inverted"] in lines
    assert not any(line[:1] in (["rater1"], ["rater4"]) for line in lines)
