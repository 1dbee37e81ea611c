"""N-best lists: reading them, what a metric counts for them, and Moses' own files."""

import gzip
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files import data, written
from tests.notes import noted
from tests.refusing import refuses
from tests.training.tuning.lists import translation_lists

from wordorder.arrays import Float64
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import is_formula, metric as made_metric
from wordorder.metrics.text.edits import WordErrorRate as Wer
from wordorder.scoring.files import Files
from wordorder.segments import Segments
from wordorder.training import NBest, tune_moses_files
from wordorder.training.tuning.candidates import CandidateStatistics, list_kind, read_links
from wordorder.training.tuning.mert import LineSearch
from wordorder.training.tuning.moses import moses_bleu, read_moses_problem
from wordorder.training.tuning.tuning import read_problem
from wordorder.training.tuning.weights_file import read_start, weight_lines

METRICS = ["bleu", "ter", "cder", "ribes", "chrf", "lrscore", "meteor", "nist"]
SUMS = ["0.6*cder+0.4*per", "0.5*lr-hb4+0.5*ribes"]
ORDERED = ("lr", "0.5*lr")


@pytest.mark.parametrize("name", [*METRICS, *SUMS])
def test_each_interval_has_the_score_of_its_corpus(name: str, tmp_path: Path) -> None:
    """Cumulative sums along lines, against scoring the chosen translations themselves."""
    path, references = translation_lists(tmp_path)
    aligner = "exact" if name.startswith(ORDERED) else None
    nbest, problem = read_problem(
        [path], references[0], name, references=references[1:], aligner=aligner
    )
    texts = [Path(reference).read_text().splitlines() for reference in references]
    by_segment = [list(each) for each in zip(*texts, strict=True)]
    wanted = made_metric("mix", formula=name) if is_formula(name) else made_metric(name)
    assert problem.higher_is_better == wanted.higher_is_better
    random = np.random.default_rng(3)
    weights = random.normal(size=3)
    directions, sweep = LineSearch(problem).sweep(weights, random.normal(size=(1, 3)))
    sign = 1 if problem.higher_is_better else -1
    looked = 0
    for line, direction in enumerate(directions):
        span = slice(int(sweep.offsets[line]), int(sweep.offsets[line + 1]))
        begins = sweep.begins[span]
        for number, (low, high) in enumerate(pairwise([*begins.tolist(), np.inf])):
            inner = (low + high) / 2 if np.isfinite([low, high]).all() else 0.0
            middle = inner or (low + 1 if np.isfinite(low) else high - 1)
            chosen = problem.chosen(weights + middle * direction)
            segments = Segments.from_text(
                [nbest.text[row] for row in chosen], by_segment, aligner=aligner
            )
            value = wanted.corpus_score(segments).value
            assert sign * sweep.goodness[span][number] == pytest.approx(value, abs=1e-9)
            looked += 1
    assert looked > 15


def test_candidates_are_scored_with_their_own_alignments(tmp_path: Path) -> None:
    rows = ["0-0 1-1 2-2", "0-0 1-2 2-1", "0=0 1-2=1-2"]
    lines = [
        f"0 ||| {text} ||| f= {n} ||| 0 ||| {links}"
        for n, (text, links) in enumerate(zip(["x y z", "x z y", "x y z"], rows, strict=True))
    ]
    (tmp_path / "list").write_text("\n".join(lines))
    for name, text in (("source", "a b c"), ("reference", "x y z"), ("links", "0-0 1-1 2-2")):
        (tmp_path / name).write_text(f"{text}\n")
    texts = {"reference": "x y z", "source": "a b c", "links": "0-0 1-1 2-2"}
    reference, source, given = (written(tmp_path, f"{t}\n", name) for name, t in texts.items())
    options: dict[str, Any] = {"source": source, "reference_alignments": [given], "references": ()}
    nbest, problem = read_problem([str(tmp_path / "list")], reference, "lr-kb1", **options)
    assert nbest.alignments == tuple(rows)
    metric = made_metric("lr-kb1")
    links = [[(0, 0), (1, 1), (2, 2)], [(0, 0), (1, 2), (2, 1)]]
    for row, each in enumerate(links):
        segments = Segments.from_alignments(
            ["a b c"], [nbest.text[row]], ["x y z"], [each], [links[0]]
        )
        assert problem.score(problem.statistics[row]) == metric.corpus_score(segments).value
    assert problem.score(problem.statistics[2]) == 1


def test_links_are_those_of_words_or_of_all_words_of_phrases() -> None:
    assert read_links("0-0 2-1 0-0", "x:1") == [(0, 0), (2, 1)]
    assert read_links("0-1=0 2=1-2", "x:1") == [(0, 0), (1, 0), (2, 1), (2, 2)]
    assert read_links("0-1=0-1 ||| 0-1 1-0", "x:1") == [(0, 1), (1, 0)]
    for wrong in ("", "0", "0-", "0-0-0", "a-b", "1_0-0", "0-99999999999", "0-70000=0-70000"):
        refuses(InputError, "^x:1: ", read_links, wrong, "x:1")


def test_orders_are_candidates_too(tmp_path: Path) -> None:
    first = "0 ||| 0 1 2 ||| f= 1\n0 ||| 2 1 0 ||| f= 2\n"
    path = str(written(tmp_path, first + "1 ||| 0 1 ||| f= 0\n1 ||| 1 0 ||| f= 5\n", "list"))
    reference = written(tmp_path, "2 1 0\n0 1\n", "a.orders")
    nbest, problem = read_problem([path], reference, "frs")
    assert problem.value(np.ones(1)) == pytest.approx(0.5)
    assert problem.value(-np.ones(1)) == pytest.approx(0.5)
    assert problem.statistics[:, 0].tolist() == [0.0, 1.0, 1.0, 0.0]
    assert nbest.offsets.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0 ||| 0 1 ||| f= 1", "list:2: other positions than the order before it has"),
        ("0 ||| 0 1 7 ||| f= 1", "list:2: other positions"),
        ("0 ||| 0 1 1 ||| f= 1", "list:2: position 1 is listed twice"),
        ("0 ||| 0 1 x ||| f= 1", "list:2: 'x'; expected an order"),
        ("3 ||| 0 1 2 ||| f= 1", "list:2: sentence 3, but"),
    ],
)
def test_orders_that_are_none(line: str, said: str, tmp_path: Path) -> None:
    path = str(written(tmp_path, f"0 ||| 0 1 2 ||| f= 2\n{line}\n", "list"))
    reference = written(tmp_path, "2 1 0\n", "a.orders")
    refuses(InputError, said, read_problem, [path], reference, "frs")


@pytest.mark.parametrize(
    ("candidates", "reference", "metric", "weight", "value", "note"),
    [
        (
            *("0 ||| 0 1 2 3 ||| f= 2\n0 ||| 3 2 1 0 ||| f= 1\n", "3 0 1\n", "kendall", -1, 2 / 3),
            "25 % of the words are only in the candidates",
        ),
        (
            *("1 ||| a ||| f= 1\n3 ||| b ||| f= 2\n", "x\na\nx\nb\nx\n", "wer", 1, 0.0),
            r"3 of 5 sentences \(60 %\) have no candidates",
        ),
    ],
)
def test_words_and_references_without_candidates_are_noted(
    candidates: str,
    reference: str,
    metric: str,
    weight: int,
    value: float,
    note: str,
    tmp_path: Path,
) -> None:
    paths = [str(written(tmp_path, candidates, "list")), str(written(tmp_path, reference, "r"))]
    with noted(note):
        _, problem = read_problem(paths[:1], paths[1], metric)
    assert problem.value(np.full(1, float(weight))) == pytest.approx(value)


def test_what_a_metric_lacks(tmp_path: Path) -> None:
    path = str(written(tmp_path, "0 ||| a ||| f= 1\n", "list"))
    reference = written(tmp_path, "a\n", "r")
    with pytest.raises(UsageError, match=r'give aligner="exact\+stem", which .* candidates'):
        read_problem([path], reference, "lrscore")
    with pytest.raises(UsageError, match="las reads trees: n-best lists have"):
        read_problem([path], reference, "las")
    refuses(UsageError, "several metrics: bleu, ter", read_problem, [path], reference, "bleu,ter")
    more = written(tmp_path, "a\nb\n", "r2")
    with pytest.raises(InputError, match="1 line, but .*r2 has 2"):
        read_problem([path], reference, "bleu", references=[more])
    source = written(tmp_path, "a\n", "s")
    links = written(tmp_path, "0-0\n", "l")
    with pytest.raises(InputError, match="list:1: no alignment behind the score"):
        read_problem([path], reference, "lrscore", source=source, reference_alignments=[links])
    path = str(written(tmp_path, "0 ||| a ||| f= 1 ||| 2 ||| 0-1\n", "list"))
    with pytest.raises(InputError, match=r"list:1: link 0-1 points past the candidate \(1 word\)"):
        read_problem([path], reference, "lrscore", source=source, reference_alignments=[links])


class Broken(Wer):
    """Counts no number where a candidate says so."""

    def statistics(self, segments: Segments) -> Float64:
        found = super().statistics(segments)
        bad = [text == "bad" for text in segments.texts.hypothesis_lines]
        found[np.array(bad, np.bool_)] = np.nan
        return found


def test_a_metric_that_counts_no_number(tmp_path: Path) -> None:
    path = str(written(tmp_path, "0 ||| a ||| f= 1\n0 ||| bad ||| f= 2\n", "list"))
    files = Files.of(str(written(tmp_path, "a\n", "r")), {"candidates": path}, {})
    wer = Broken()
    with pytest.raises(InputError, match=r"list:2: wer counts \[nan, nan, nan\]"):
        CandidateStatistics(wer, list_kind(files, wer)).problem(NBest.read(path))


MOSES = "0 ||| a b ||| d= 0 -1.5 lm= -2 ||| -3.5 ||| 0=0 1=1 ||| 0-0 1-1"


def read(folder: Path, *texts: str) -> NBest:
    paths = []
    for number, text in enumerate(texts):
        paths.append(folder / f"{number}.list")
        paths[-1].write_text(text)
    return NBest.read(*paths)


@pytest.mark.parametrize(
    "features",
    ["d= 0 -1.5 lm= -2", "d: 0 -1.5 lm: -2", "d= 0 -1.5 lm=-2", "  d=\t0  -1.5  lm= -2.0e0 "],
)
@pytest.mark.parametrize("begin", ["0 |||", "0|||", " 0  ||| "])
def test_all_notations_of_names(features: str, begin: str, tmp_path: Path) -> None:
    nbest = read(tmp_path, f"{begin} a b  ||| {features} ||| -3.5\n")
    assert nbest.names == ("d_0", "d_1", "lm_0")
    assert nbest.features.tolist() == [[0.0, -1.5, -2.0]]
    assert nbest.text == ("a b",)
    assert nbest.scores is not None
    assert nbest.scores.tolist() == [-3.5]


def test_features_without_names(tmp_path: Path) -> None:
    nbest = read(tmp_path, "5 ||| a ||| 1 2.5\n5 ||| b ||| 3 -4\n")
    assert nbest.names == ("F_0", "F_1")
    assert nbest.sentence.tolist() == [5, 5]
    assert nbest.scores is None
    assert list(nbest.lines()) == ["5 ||| a ||| F= 1 2.5", "5 ||| b ||| F= 3 -4"]


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    more = ["0 ||| b a ||| d= 1e-17 0.1 lm= 123456789.125 ||| 2 ||| 0-0", "7 |||  ||| lm= 1"]
    lines = [MOSES, *more]
    with noted("lack features"):
        nbest = read(tmp_path, "\n".join(lines[:2]), f"{lines[2]} ||| 0\n")
    path = tmp_path / "again.gz"
    nbest.write(path)
    assert gzip.decompress(path.read_bytes()).decode().splitlines()[0] == MOSES
    again = NBest.read(path)
    assert again.features.tolist() == nbest.features.tolist()
    assert (again.text, again.alignments) == (nbest.text, nbest.alignments)
    assert list(again.lines()) == list(nbest.lines())


def test_lists_of_several_runs_are_one(tmp_path: Path) -> None:
    first = "1 ||| a ||| f= 1 ||| 0\n0 ||| b ||| f= 2 ||| 0\n1 ||| c ||| f= 3 ||| 0\n"
    second = "1 ||| a ||| f= 1.0 ||| 9\n1 ||| a ||| f= 4 ||| 0\n0 ||| d ||| f= 5 ||| 0\n"
    nbest = read(tmp_path, first, second)
    assert nbest.text == ("b", "d", "a", "c", "a")
    assert nbest.features.ravel().tolist() == [2.0, 5.0, 1.0, 3.0, 4.0]
    assert nbest.offsets.tolist() == [0, 2, 5]
    assert nbest.location_of(4) == f"{tmp_path}/1.list:2"


def test_missing_features_are_zero_and_some_scores_are_none(tmp_path: Path) -> None:
    with noted(r"2 of 3 candidates \(67 %\) lack features"):
        nbest = read(tmp_path, "0 ||| a ||| f= 1 g= 2\n0 ||| b ||| g= 3\n0 ||| c ||| f= 4\n")
    assert nbest.features.tolist() == [[1.0, 2.0], [0.0, 3.0], [4.0, 0.0]]
    with noted(r"1 of 2 candidates \(50 %\) have no score"):
        assert read(tmp_path, "0 ||| a ||| f= 1 ||| 3\n0 ||| b ||| f= 2\n").scores is None


def test_a_list_is_ranked_by_other_weights(tmp_path: Path) -> None:
    rows = "0 ||| a ||| f= 1\n0 ||| b ||| f= 2\n1 ||| c ||| f= 0\n0 ||| e ||| f= 2.0\n"
    nbest = read(tmp_path, rows)
    ranked = nbest.reranked(np.array([0.5]))
    assert ranked.text == ("b", "e", "a", "c")
    assert ranked.scores is not None
    assert ranked.scores.tolist() == [1.0, 1.0, 0.5, 0.0]
    refuses(UsageError, "2 weights for 1 features", nbest.reranked, np.ones(2))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("0", "1 field; expected ID ||| TEXT"),
        ("0 ||| a", "2 fields"),
        ("0 ||| a ||| f= 1 ||| 1 ||| 0-0 ||| 0-0 ||| x", "7 fields"),
        ("x ||| a ||| f= 1", "'x'; expected the number of a sentence"),
        ("-1 ||| a ||| f= 1", "'-1'"),
        ("٣ ||| a ||| f= 1", "the number of a sentence"),
        (f"{10**30} ||| a ||| f= 1", "the number of a sentence"),
        ("0 ||| a ||| ", "no features"),
        ("0 ||| a ||| f=", "feature f has no value"),
        ("0 ||| a ||| f= nan", "'nan'; expected a number, at most 1e+100 from 0"),
        ("0 ||| a ||| f= inf", "'inf'"),
        ("0 ||| a ||| f= 1e999", "'1e999'"),
        ("0 ||| a ||| f= -2e100", "'-2e100'"),
        ("0 ||| a ||| f= 1_0", "'1_0'"),
        ("0 ||| a ||| f= ٣", "a number, at most"),
        ("0 ||| a ||| f= x", "'x'"),
        ("0 ||| a ||| = 1", "'='; expected a name"),
        ("0 ||| a ||| f= 1 f= 2", "feature f is listed twice"),
        ("0 ||| a ||| f= 1 ||| nan", "'nan'"),
        ("0 ||| a ||| f= 1 2", "2 values of feature f; expected 1, as in"),
    ],
)
def test_broken_lines_are_named(line: str, said: str, tmp_path: Path) -> None:
    message = f"^{tmp_path}/0.list:3: .*{re.escape(said)}"
    refuses(InputError, message, read, tmp_path, f"0 ||| a ||| f= 1\n\n{line}\n")


def test_an_empty_list_and_bytes_that_are_no_text(tmp_path: Path) -> None:
    refuses(InputError, "0.list: there are no candidates", read, tmp_path, "\n \n")
    (tmp_path / "x").write_bytes(b"0 ||| a\xff ||| f= 1\n")
    refuses(InputError, "x:1:8: byte 0xff", NBest.read, tmp_path / "x")


# -- Moses' files of features and statistics, and its own example. ---------------------------------


FEATURES = """FEATURES_TXT_BEGIN_0 0 2 3 d_0 d_1 lm_0
0 -1.5 3
1 0 2e-1
FEATURES_TXT_END_0
FEATURES_TXT_BEGIN_0 1 1 3 d_0 d_1 lm_0
4 5 6
FEATURES_TXT_END_0
"""
SCORES = """SCORES_TXT_BEGIN_0 0 2 9 BLEU
3 4 2 3 1 2 1 1 4
1 4 0 3 0 2 0 1 4
SCORES_TXT_END_0
SCORES_TXT_BEGIN_0 1 1 9 BLEU
4 4 3 3 2 2 1 1 5
SCORES_TXT_END_0
"""


def files(folder: Path, features: str = FEATURES, scores: str = SCORES) -> tuple[Path, Path]:
    (folder / "F").write_text(features)
    (folder / "S").write_text(scores)
    return folder / "F", folder / "S"


def test_both_files_are_read(tmp_path: Path) -> None:
    problem, names = read_moses_problem(*files(tmp_path))
    assert names == ["d_0", "d_1", "lm_0"]
    assert problem.features.tolist() == [[0.0, -1.5, 3.0], [1.0, 0.0, 0.2], [4.0, 5.0, 6.0]]
    assert problem.offsets.tolist() == [0, 2, 3]
    total = np.array([7.0, 8, 5, 6, 3, 4, 2, 2, 9])
    wanted = (7 / 8 * 5 / 6 * 3 / 4 * 1) ** 0.25 * np.exp(1 - 9 / 8)
    assert problem.value(np.array([0.0, 0.0, 1.0])) == pytest.approx(wanted)
    assert moses_bleu(total) == pytest.approx(wanted)
    assert moses_bleu(np.zeros((2, 9))).tolist() == [0.0, 0.0]


def test_blocks_of_one_sentence_are_joined(tmp_path: Path) -> None:
    again = [each.replace("BEGIN_0 1 1", "BEGIN_0 0 1") for each in (FEATURES, SCORES)]
    problem, _ = read_moses_problem(*files(tmp_path, *again))
    assert problem.offsets.tolist() == [0, 3]


@pytest.mark.parametrize(
    ("features", "scores", "said"),
    [
        ("", SCORES, "F: there are no candidates"),
        (FEATURES.replace("FEATURES_TXT_END_0\n", "", 2), SCORES, "F:4: 'FEATURES_TXT_BEGIN_0'"),
        (FEATURES[: -len("FEATURES_TXT_END_0\n")], SCORES, "F:6: the file ends"),
        (FEATURES.replace("TXT_BEGIN_0 0", "BIN_BEGIN_0 0"), SCORES, "F:1: 'FEATURES_BIN_BEGIN_0'"),
        (FEATURES.replace("0 2 3", "0 2 x"), SCORES, "F:1: "),
        (FEATURES.replace("0 2 3 d_0", "0 2 3"), SCORES, "F:1: 2 names of features; expected 3"),
        (FEATURES.replace("3\n1", "3 9\n1"), SCORES, "F:2: 4 numbers; expected 3"),
        (FEATURES.replace("-1.5", "nan"), SCORES, "F:2: 'nan'"),
        (FEATURES.replace("4 5 6\n", ""), SCORES, "F:5: 0 candidates; expected 1"),
        (FEATURES.replace("1 1 3 d_0", "1 1 3 e_0"), SCORES, "F:5: features e_0 d_1 lm_0"),
        (FEATURES, SCORES.replace("BLEU", "TER"), "S:1: statistics of the kind TER"),
        (FEATURES, SCORES.replace("1 1 9", "2 1 9"), "S:5: sentence 2 with 1 candidates"),
        (FEATURES, SCORES[: SCORES.index("SCORES_TXT_BEGIN_0 1")], "S: 1 blocks, but"),
    ],
)
def test_what_does_not_go_together(features: str, scores: str, said: str, tmp_path: Path) -> None:
    refuses(InputError, said, read_moses_problem, *files(tmp_path, features, scores))


def test_weights_to_start_from(tmp_path: Path) -> None:
    path, names = tmp_path / "w", ["d_0", "d_1", "lm_0"]
    path.write_text("1 2 3 # start\n0 0 0\n1 1 9\n")
    start, bounds = read_start(path, names)
    assert start.tolist() == [1.0, 2.0, 3.0]
    assert bounds is not None
    assert [bound.tolist() for bound in bounds] == [[0.0] * 3, [1.0, 1.0, 9.0]]
    path.write_text("# made by hand\nlm= 3\n\nd= 0.5 -1\n")
    start, bounds = read_start(path, names)
    assert (start.tolist(), bounds) == ([0.5, -1.0, 3.0], None)
    path.write_text("\n".join(weight_lines(names, [0.1, 1e-17, -3])))
    assert read_start(path, names)[0].tolist() == [0.1, 1e-17, -3.0]
    # Names without a number, as the header of a file of features may have them.
    bare = ["lm", "d_0"]
    path.write_text("\n".join(weight_lines(bare, [2.0, 3.0])))
    assert read_start(path, bare)[0].tolist() == [2.0, 3.0]
    for text, said in (
        ("1 2\n", "w:1: 2 weights; expected 3"),
        ("1 2 3\n1 2 3\n", "w: 2 lines of numbers"),
        ("", "w: 0 lines of numbers"),
        ("1 2 3\n1 1 1\n2 0 2\n", "the lowest value of d_1 is above the highest"),
        ("d= 1 2\n", "w: no weight of lm_0"),
        ("d= 1 2 3\nlm= 1\n", "w:1: a weight of d_2; expected features d_0"),
        ("d= 1 2\nd= 1 2\nlm= 1\n", "w:2: feature d is listed twice"),
        ("d= 1 x\nlm= 1\n", "w:1: 'x'"),
        ("1 2\nlm= 1\n", "w:1: '1'; expected name= value"),
    ):
        path.write_text(text)
        refuses(InputError, said, read_start, path, names)


@pytest.mark.allow_notes
def test_moses_own_example() -> None:
    """Moses' regression test mert-basic: "Best point: ... => 0.304339"."""
    folder = data("moses-nbest", "mert-basic")
    paths = folder / "FEATSTAT.txt", folder / "SCORESTAT.txt", folder / "INIT"
    printed, value = (folder / "expected-weights.txt").read_text().split("\n")[0].split("=>")
    weights = np.array(printed.split(":")[1].split(), np.float64)
    problem, _ = read_moses_problem(*paths[:2])
    assert f"{problem.value(weights):.6f}" == value.strip()
    assert f"{tune_moses_files(*paths).value:.6f}" == value.strip()
