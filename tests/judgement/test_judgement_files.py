"""Files of human judgements: each form is told by its header and read as its columns say."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from tests.files import data
from tests.notes import noted

from wordorder.errors import InputError, UsageError
from wordorder.judgement import PairJudgements, Ratings, read_judgements

WMT = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,"
    + ",".join(f"system{n}Number,system{n}Id" for n in range(1, 4))
    + ",system1rank,system2rank,system3rank\n"
)


def written(folder: Path, text: str, name: str = "judgements.tsv") -> Path:
    path = folder / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    return path


def pairs(path: Path, **options: str) -> PairJudgements:
    found = read_judgements(path, **options)
    assert isinstance(found, PairJudgements)
    return found


def ratings(path: Path, items: Path | None = None) -> Ratings:
    found = read_judgements(path, items=items)
    assert isinstance(found, Ratings)
    return found


def shown(found: PairJudgements) -> list[tuple[str, str, str, str, int, int]]:
    """Return item, rater, both systems, outcome and ranking of each row."""
    return [
        (
            found.items[found.item[row]],
            found.raters[found.rater[row]] if found.rater[row] >= 0 else "",
            found.systems[found.first[row]],
            found.systems[found.second[row]],
            int(found.outcome[row]),
            int(found.ranking[row]),
        )
        for row in range(len(found))
    ]


def test_strict_pairs_compressed(tmp_path: Path) -> None:
    text = "segment\tbetter\tworse\n12\tB\tA\n\n3\tA\tC\n"
    found = pairs(written(tmp_path, text, "pairs.tsv.gz"))
    assert shown(found) == [("12", "", "B", "A", 1, 0), ("3", "", "A", "C", 1, 1)]
    assert found.raters == ()
    assert found.wins().tolist() == [[0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_wmt_rankings_drop_blank_ranks(tmp_path: Path) -> None:
    """Rank 1 is best; an output whose rank is -1 is in no pair."""
    text = WMT + (
        "French,English,7,-1,7,judge1,1,newstest2013.fr-en.A.1,2,newstest2013.fr-en.B,3,C,2,1,2\n"
        "French,English,8,-1,8,judge2,1,newstest2013.fr-en.A.1,2,newstest2013.fr-en.B,3,C,1,-1,3\n"
    )
    with noted(r"left out 1 output of 6 \(17 %\) without a rank"):
        found = pairs(written(tmp_path, text, "judgements.csv"))
    assert shown(found) == [
        ("7", "judge1", "A.1", "B", -1, 0),
        ("7", "judge1", "A.1", "C", 0, 0),
        ("7", "judge1", "B", "C", 1, 0),
        ("8", "judge2", "A.1", "C", 1, 1),
    ]


def test_wmt_rankings_of_several_languages(tmp_path: Path) -> None:
    row = "{},English,7,-1,7,j,1,{},2,B,3,C,2,1,2\n"
    path = written(tmp_path, WMT + row.format("French", "A") + row.format("Czech", "D"))
    with pytest.raises(
        UsageError, match=r"Czech-English \(1\), French-English \(1\); languages= ch"
    ):
        read_judgements(path)
    assert pairs(path, languages="Czech-English").systems == ("D", "B", "C")
    with pytest.raises(UsageError, match="legal names: Czech-English, French-English"):
        read_judgements(path, languages="cs-en")


def test_systems_that_share_an_output_are_judged_once(tmp_path: Path) -> None:
    header = "ranking\tsegment\tjudge\tsystems\trank\n"
    text = header + "1\t5\tj\tB,A\t1\n1\t5\tj\tC\t2\n2\t6\tk\tA\t1\n2\t6\tk\tC\t1\n"
    found = pairs(written(tmp_path, text))
    assert shown(found) == [("5", "j", "B", "C", 1, 0), ("6", "k", "A", "C", 0, 1)]
    assert {found.items[i]: others for (i, _), others in found.shared.items()} == {"5": (1,)}
    assert shown(found.expanded()) == [
        ("5", "j", "B", "C", 1, 0),
        ("5", "j", "A", "C", 1, 0),
        ("5", "j", "B", "A", 0, 0),
        ("6", "k", "A", "C", 0, 1),
    ]
    header = "ranking\tsegment\tjudge\tsystems\trank\n"
    text = header + "1\t5\tj\tB,A\t1\n1\t5\tj\tC\t2\n2\t5\tk\tA,B\t3\n2\t5\tk\tC\t1\n"
    found = pairs(written(tmp_path, text))
    assert shown(found) == [("5", "j", "B", "C", 1, 0), ("5", "k", "B", "C", -1, 1)]


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [("x", 1), ("y", -1), ("a", 1), ("B", -1), ("system_b", -1), ("tie", 0), ("=", 0)],
)
def test_preferences(tmp_path: Path, choice: str, outcome: int) -> None:
    text = f"rater\titem\tsystem_a\tsystem_b\tchoice\ttime\nann\t3\tx\ty\t{choice}\t12:00\n"
    found = pairs(written(tmp_path, text))
    assert shown(found) == [("3", "ann", "x", "y", outcome, 0)]


def test_a_system_called_a_is_a_name_and_no_choice_is_left_out(
    tmp_path: Path,
) -> None:
    text = "rater\titem\tsystem_a\tsystem_b\tchoice\nann\t3\tb\ta\ta\nann\t4\tB\tA\ta\n"
    assert pairs(written(tmp_path, text)).outcome.tolist() == [-1, 1]
    text = "rater\titem\tsystem_a\tsystem_b\tchoice\nann\t3\tx\ty\t\nann\t4\tx\ty\ta\n"
    with noted(r"left out 1 answer of 2 \(50 %\) without a choice"):
        found = pairs(written(tmp_path, text))
    assert found.items == ("4",)


def test_ratings_of_raters_and_direct_assessment(tmp_path: Path) -> None:
    text = "rater\titem\tsystem\tvalue\ttime\nann\t3\tA\t6\t1\nbob\t3\tB\t0\t2\nann\t3\tA\t5.5\t3\n"
    found = ratings(written(tmp_path, text))
    assert found.value.tolist() == [6, 0, 5.5]
    assert (found.rater.tolist(), found.system.tolist()) == ([0, 1, 0], [0, 1, 0])
    assert found.means().tolist() == [[5.75], [0]]
    text = "SYS SID RAW.SCR Z.SCR N \nA.1 3 71.5 -0.25 2 \nB.2 3 80 0.5 1 \n"
    found = ratings(written(tmp_path, text, "ad-seg-scores.csv"))
    assert found.standard is not None
    assert (found.value.tolist(), found.standard.tolist()) == ([71.5, 80], [-0.25, 0.5])
    assert (found.systems, found.raters, found.rater.tolist()) == (("A.1", "B.2"), (), [-1, -1])


def test_scores_of_items_need_the_items(tmp_path: Path) -> None:
    scores = written(tmp_path, "item\tjudge\tscore\n2\tj\t60\n1\tj\t50\n", "scores.tsv")
    text = "item\tsystem\tdoc\tsource_line\n1\tA\td\t17\n2\tB\td\t\n"
    items = written(tmp_path, text, "items.tsv")
    found = ratings(scores, items=items)
    assert (found.systems, found.items) == (("B", "A"), ("item 2", "17"))
    with pytest.raises(UsageError, match="items= names the file with their systems"):
        read_judgements(scores)
    with pytest.raises(InputError, match=r"scores\.tsv:2: item is '2'; expected an item of"):
        read_judgements(scores, items=written(tmp_path, text.replace("\n2", "\n3"), "items.tsv"))
    with pytest.raises(InputError, match=r"items\.tsv:1: no column item"):
        read_judgements(scores, items=written(tmp_path, "a\tb\n", "items.tsv"))


def test_mqm_errors_are_summed_by_rating(tmp_path: Path) -> None:
    """Weights as published; each rating is the sum of its errors."""
    header = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = [
        ("A", "1", "r", "Fluency/Grammar", "Major"),
        ("A", "1", "r", "Fluency/Punctuation", "Minor"),
        ("A", "1", "s", "Style/Awkward", "Minor"),
        ("A", "2", "r", "No-error", "No-error"),
        ("B", "2", "r", "Non-translation!", "Major"),
        ("B", "1", "r", "Fluency/Punctuation", "Major"),
    ]
    lines = ["\t".join([s, "d", "1", i, r, "x", 'a "y', c, v]) for s, i, r, c, v in rows]
    found = ratings(written(tmp_path, header + "\n".join(lines) + "\n"))
    assert found.value.tolist() == [-5.1, -1, 0, -25, -5]
    assert found.items == ("1", "2")


def test_mqm_rows_of_rater_checks_are_left_out_and_counted(tmp_path: Path) -> None:
    """A check is no rating: B, of whom there is nothing else on segment 2, has none there."""
    rows = [
        ("A", "1", "Found", "HOTW-test"),
        ("A", "1", "No-error", "No-error"),
        ("B", "1", "accuracy", "Critical"),
        ("B", "2", "Missed", "HOTW-test"),
    ]
    header = "system\tseg_id\trater\tcategory\tseverity\n"
    text = header + "".join(f"{s}\t{i}\tr\t{c}\t{v}\n" for s, i, c, v in rows)
    with noted(r"left out 2 of 4 rows \(50 %\): rater checks"):
        found = ratings(written(tmp_path, text))
    assert (found.systems, found.items) == (("A", "B"), ("1",))
    assert found.value.tolist() == [0, -5]


def test_equal_ratings_in_another_order_tie(tmp_path: Path) -> None:
    """1 + .1 + .1 is not .1 + .1 + 1 in floating point."""
    header = "system\tseg_id\trater\tcategory\tseverity\n"
    minor, comma = "Style/Awkward\tminor\n", "Fluency/Punctuation\tminor\n"
    orders = {"A": [minor, comma, comma], "B": [comma, comma, minor]}
    text = header + "".join(f"{s}\t1\tx\t{row}" for s, rows in orders.items() for row in rows)
    assert ratings(written(tmp_path, text)).value.tolist() == [-1.2, -1.2]
    header = "rater\titem\tsystem\tvalue\ttime\n"
    rated = {"A": ("0.1", "0.2", "0.3"), "B": ("0.3", "0.2", "0.1")}
    rows = [
        f"{r}\t1\t{s}\t{v}\t" for s, each in rated.items() for r, v in zip("xyz", each, strict=True)
    ]
    means = ratings(written(tmp_path, header + "\n".join(rows) + "\n")).means()
    assert means[0, 0] == means[1, 0]


def test_mqm_means_leave_out_what_is_not_rated(tmp_path: Path) -> None:
    text = "system mqm_avg_score seg_id\nA\t-1.5 1\nA\tNone 2\nB\t-0.000000 1\n"
    with noted(r"1 output of 3 \(33 %\) without a score"):
        found = ratings(written(tmp_path, text))
    assert [str(value) for value in found.value.tolist()] == ["-1.5", "0.0"]


WRONG = [
    ("", "an empty file; expected a header with the columns of one form: segment better worse;"),
    ("1\t2\n", "the header is '1 2'; expected a header"),
    ("segment\tbetter\tworse\n", "no judgement; expected one or more after the header"),
    ("segment\tbetter\tworse\n1\tA\n", ":2: 2 columns; expected 3: segment better worse"),
    ("segment\tbetter\tworse\n1\tA\tA\n", ":2: 'A' twice; expected two systems"),
    ("segment\tbetter\tworse\n1\tA\tB\n1\t\tB\n", ":3: better is empty; expected a value"),
    (
        "rater\titem\tsystem_a\tsystem_b\tchoice\nr\t1\tx\ty\tc\n",
        ":2: choice is 'c'; expected the name of one of the two systems, a, b, tie or none",
    ),
    ("rater\titem\tsystem\tvalue\nr\t1\tA\tgood\n", ":2: value is 'good'; expected a number"),
    ("rater\titem\tsystem\tvalue\nr\t1\tA\tnan\n", ":2: value is 'nan'; expected a number"),
    ("rater\titem\tsystem\tvalue\n\t1\tA\t3\n", ":2: rater is empty"),
    ("SYS SID RAW.SCR Z.SCR N\nA 1 2 3\n", ":2: 4 columns; expected 5: SYS SID RAW.SCR"),
    (WMT + "F,E,1,1,1,j,1,A,2,B,3,C,1,2,0\n", ":2: rank is '0'; expected a whole number from 1"),
    (WMT + "F,E,1,1,1,j,1,A,2,B,3,A,1,2,3\n", ":2: a system is listed twice"),
    (
        "ranking\tsegment\tjudge\tsystems\trank\n1\t1\tj\tA\t1\n2\t1\tj\tA\t1\n1\t1\tj\tB\t1\n",
        ":4: ranking 1 goes on here; expected its rows together",
    ),
    (
        "ranking\tsegment\tjudge\tsystems\trank\n1\t1\tj\tA,B\t1\n1\t1\tj\tB\t1\n",
        ":3: a system is listed twice",
    ),
    *(
        (
            f"rater\titem\tsystem\tvalue\nr\t1\tA\t{cell}\n",
            f":2: value is '{shown}'; expected a number, at most 1e+100 from 0",
        )
        for cell, shown in (
            ("1_0", "1_0"),
            ("\u0661", "\u0661"),
            ("\uff11", "\uff11"),
            ("1e308", "1e308"),
        )
    ),
    (
        "system\tseg_id\trater\tcategory\tseverity\nA\t1\tr\tx\tSevere\n",
        ":2: severity is 'Severe'; expected Critical, Major, Minor, Neutral, No-error or HOTW-test",
    ),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_wrong_files(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        read_judgements(written(tmp_path, text))
    assert "judgements.tsv" in str(error.value)
    assert message in str(error.value)


# What the data's own page counts: strict pairs, systems that share an output expanded.
COUNTS = {
    "wmt12-rr/de-en/judgements.csv.gz": (11934, 16),
    "wmt13-rr-pairs/fr-en/rankings-5way.csv.gz": (82296, 13),
    "wmt14-rr-pairs/cs-en/pairs.tsv.gz": (15732, 5),
    "wmt15-rr/en-fi/rankings.tsv.gz": (26266, 10),
    "wmt15-rr/de-en/rankings.tsv.gz": (29851, 13),
}


@pytest.mark.allow_notes
@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_published_judgements(name: str) -> None:
    found = pairs(data("human", name))
    strict = int(np.count_nonzero(found.expanded().outcome))
    assert (strict, len(found.systems)) == COUNTS[name]


@pytest.mark.allow_notes
def test_mqm_errors_give_the_published_means() -> None:
    errors = ratings(data("human", "mqm-ted/en-de/mqm_ted.tsv.gz"))
    means = ratings(data("human", "mqm-ted/en-de/avg_seg_scores.tsv.gz"))
    published = {
        (means.systems[s].removesuffix("-A"), means.items[i]): value
        for s, i, value in zip(means.system, means.item, means.value, strict=True)
    }
    ours = errors.means()
    assert len(published) == np.count_nonzero(~np.isnan(ours)) == 7406
    for (system, item), value in published.items():
        found = ours[errors.systems.index(system), errors.items.index(item)]
        assert abs(found - value) < 1e-6
