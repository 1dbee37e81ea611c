"""Lists of trees: in columns, written, read, and refused."""

import io
import math
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_trees import random_tree
from tests.refusing import refuses

from wordorder.errors import InputError
from wordorder.treebank import kbest_files as kbest_reading
from wordorder.treebank.kbest import KBest
from wordorder.treebank.kbest_files import KBestReader, KBestWriter, read_kbest, write_kbest
from wordorder.treebank.reading import write_treebank
from wordorder.treebank.treebank import Treebank


def some_lists(rng: random.Random, sizes: list[int]) -> KBest:
    words, heads, scores = [], [], []
    for size in sizes:
        sentence = rng.choices(["a", "bb", "語"], k=rng.randrange(1, 6))
        words += [sentence] * size
        heads += [random_tree(rng, len(sentence)) for _ in range(size)]
        scores += sorted(rng.choice([rng.gauss(0, 1e3), 1.5, 1e-310]) for _ in range(size))[::-1]
    offsets = np.concatenate([[0], np.cumsum(np.array(sizes, np.int64))])
    return KBest(Treebank.from_words(words, heads=heads), offsets, np.array(scores, np.float64))


def test_lists_in_columns() -> None:
    lists = some_lists(random.Random(1), [2, 0, 3, 1])
    assert lists.sentence.tolist() == [0, 0, 2, 2, 2, 3]
    assert lists.rank.tolist() == [1, 2, 1, 2, 3, 1]
    assert len(lists.best()) == 3
    part = lists[2:9]
    assert (len(part), part.rank.tolist(), len(part.trees)) == (2, [1, 2, 3, 1], 4)
    assert part.scores.tolist() == lists.scores[2:].tolist()
    assert len(lists[3:1]) == 0
    with pytest.raises(IndexError):
        lists[::2]
    with pytest.raises(TypeError, match="taken by slices"):
        lists[0]  # type: ignore[index]
    whole = KBest.concatenate([lists[:2], lists[2:]])
    assert whole.offsets.tolist() == lists.offsets.tolist()
    assert whole.trees.heads.tolist() == lists.trees.heads.tolist()
    assert len(KBest.concatenate([])) == 0


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.lists(st.integers(1, 4), max_size=5), st.integers(1, 3))
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, seed: int, sizes: list[int], batch: int
) -> None:
    lists = some_lists(random.Random(seed), sizes)
    path = tmp_path_factory.mktemp("lists") / "a.conllu"
    write_kbest(path, lists)
    again = read_kbest(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kbest_reading, "_TREES", 1 + seed % 3)
        parts = []
        with KBestReader(path) as reader:
            while len(part := reader.take(batch)):
                assert len(part) <= batch
                parts.append(part)
        assert reader.lines == len(lists)
    for found in (again, KBest.concatenate(parts)):
        assert found.offsets.tolist() == lists.offsets.tolist()
        assert found.trees.heads.tolist() == lists.trees.heads.tolist()
        assert found.trees.form.strings() == lists.trees.form.strings()
        # To the last bit.
        assert found.scores.tolist() == lists.scores.tolist()
    stream = io.BytesIO()
    KBestWriter(stream).write(again)
    assert stream.getvalue() == path.read_bytes()


def tree(comments: str, form: str = "w") -> str:
    lines = "".join(f"# {comment}\n" for comment in comments.split("; ") if comment)
    return f"{lines}1\t{form}\t_\t_\t_\t_\t0\troot\t_\t_\n\n"


def read(tmp_path: Path, *trees: str) -> KBest:
    path = tmp_path / "a.conllu"
    path.write_text("".join(trees))
    return read_kbest(path)


@pytest.mark.parametrize(
    ("comments", "sizes"),
    [
        (["sent_id = a", "sent_id = a", "sent_id = b", "sent_id = a"], [2, 1, 1]),
        (["rank = 1", "rank = 2", "rank = 1"], [2, 1]),
        (["sent_id = a; rank = 1", "sent_id = a; rank = 1"], [1, 1]),
        (["sent_id = a", "sent_id = a; rank = 2", "sent_id = a"], [3]),
        (["sent_id = a", "rank = 1", "rank = 2", "sent_id = a"], [1, 2, 1]),
    ],
)
def test_where_lists_begin(tmp_path: Path, comments: list[str], sizes: list[int]) -> None:
    lists = read(tmp_path, *map(tree, comments))
    assert np.diff(lists.offsets).tolist() == sizes
    assert all(map(math.isnan, lists.scores))


def test_ranks_and_scores_leave_the_comments(tmp_path: Path) -> None:
    text = "text = w; sent_id = a; rank = 1; score = 2.50; newpar"
    lists = read(tmp_path, tree(text))
    assert lists.trees.margins[0].comments == ("# text = w", "# sent_id = a", "# newpar")
    stream = io.BytesIO()
    KBestWriter(stream).write(lists)
    expected = tree("text = w; sent_id = a; rank = 1; score = 2.5; newpar")
    assert stream.getvalue().decode() == expected


@pytest.mark.parametrize(
    ("trees", "message"),
    [
        (["text = w"], "1: a tree without sent_id and rank; expected a comment # sent_id ="),
        (["sent_id = a; rank = 2"], "2: rank '2'; expected 1"),
        (["rank = 1", "rank = 3"], "4: rank '3'; expected 2"),
        (["rank = 1", "rank = 2", "rank = 2"], "7: rank '2'; expected 3"),
        (["sent_id = a; rank = 1", "sent_id = b; rank = 2"], "6: rank '2'; expected 1"),
        (["rank = 1; score = x"], "2: score 'x'; expected a finite number"),
        (["rank = 1; score = nan"], "2: score 'nan'"),
        (["rank = 1; score = 1e999"], "2: score '1e999'"),
        (["rank = 1; score = 1_0"], "2: score '1_0'"),
        (["rank = 1; score = 1", "rank = 2; score = 2"], "6: score 2 after 1.0; expected scores"),
        (["rank = 1; score = 1", "rank = 2"], "5: a tree without a score after one with"),
        (["rank = 1", "rank = 2; score = 1"], "5: a score after a tree without one"),
        (["rank = 1", ("rank = 2", "v")], "4: other words than the tree before"),
    ],
)
@pytest.mark.parametrize("batch", [1, 100])
def test_lists_that_are_wrong(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    trees: list[str | tuple[str, str]],
    message: str,
    batch: int,
) -> None:
    monkeypatch.setattr(kbest_reading, "_TREES", batch)
    with pytest.raises(InputError) as caught:
        read(tmp_path, *(tree(*t) if isinstance(t, tuple) else tree(t) for t in trees))
    assert str(caught.value).startswith(f"{tmp_path}/a.conllu:{message}")


def test_lists_that_never_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kbest_reading, "MAX_TREES", 5)
    monkeypatch.setattr(kbest_reading, "_TREES", 2)
    refuses(InputError, "a list of more than 5 trees", read, tmp_path, *[tree("sent_id = a")] * 20)


def test_lists_that_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    lists = some_lists(random.Random(1), [1, 0])
    refuses(InputError, "sentence 2: no trees", write_kbest, path, lists)
    infinite = KBest(lists.trees, lists.offsets[:2], np.array([np.inf]))
    refuses(InputError, "sentence 1: an infinite score", write_kbest, path, infinite)
    # Between lists scores may rise.
    pair = Treebank.from_words([["a"]] * 4, heads=[[0]] * 4)
    for bad in ([1.0, 2.0], [1.0, math.nan], [math.nan, 1.0]):
        wrong = KBest(pair, np.array([0, 2, 4]), np.array([0.5, 0.25, *bad]))
        with pytest.raises(InputError, match="sentence 2: score .* before .*; expected numbers"):
            write_kbest(path, wrong)
    assert not path.exists()


def test_a_treebank_is_a_list_of_one_tree_each(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    lists = read(tmp_path, tree("sent_id = a"), tree("sent_id = b"))
    write_treebank(path, lists.best())
    assert np.diff(read_kbest(path).offsets).tolist() == [1, 1]
