"""Moses' files of features and statistics, and its own example."""

from pathlib import Path

import numpy as np
import pytest
from tests.files import data

from wordorder.errors import InputError
from wordorder.training import tune_moses_files
from wordorder.training.tuning.moses import moses_bleu, read_moses_problem
from wordorder.training.tuning.weights_file import read_start, weight_lines

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
    again = (
        FEATURES.replace("BEGIN_0 1 1", "BEGIN_0 0 1"),
        SCORES.replace("BEGIN_0 1 1", "BEGIN_0 0 1"),
    )
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
    with pytest.raises(InputError) as caught:
        read_moses_problem(*files(tmp_path, features, scores))
    assert said in str(caught.value)


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
        with pytest.raises(InputError) as caught:
            read_start(path, names)
        assert said in str(caught.value)


@pytest.mark.filterwarnings("ignore::wordorder.errors.WordOrderWarning")
def test_moses_own_example() -> None:
    """Moses' regression test mert-basic: "Best point: ... => 0.304339"."""
    folder = data("moses-nbest", "mert-basic")
    paths = folder / "FEATSTAT.txt", folder / "SCORESTAT.txt", folder / "INIT"
    printed, value = (folder / "expected-weights.txt").read_text().split("\n")[0].split("=>")
    weights = np.array(printed.split(":")[1].split(), np.float64)
    problem, _ = read_moses_problem(*paths[:2])
    assert f"{problem.value(weights):.6f}" == value.strip()
    assert f"{tune_moses_files(*paths).value:.6f}" == value.strip()
