"""Lists of trees over several tag sequences, against parsing each sequence by itself."""

from pathlib import Path

import numpy as np
import pytest
from tests.refusing import refuses

from wordorder.errors import UsageError
from wordorder.parsing.opened import Opened, as_treebank, open_parser
from wordorder.parsing.sentence_files import parse_files
from wordorder.treebank.kbest_files import read_kbest
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

SENTENCES = ["Click here to open the file .", "dogs bark", "saw", "Time flies like an arrow ."]


@pytest.fixture(scope="module")
def english() -> Opened:
    return open_parser("en")


Reading = tuple[list[str], list[int], list[str]]


def readings(trees: Treebank) -> list[Reading]:
    return [
        (each.upos.strings() + each.xpos.strings(), each.heads.tolist(), each.label.strings())
        for each in (trees[i : i + 1] for i in range(len(trees)))
    ]


@pytest.mark.parametrize(("k", "sequences"), [(1, 1), (5, 2), (7, 7), (12, 5)])
def test_each_sequence_is_parsed_as_if_alone(english: Opened, k: int, sequences: int) -> None:
    lists = english.listed_over_tags(as_treebank(SENTENCES), k, sequences)
    for row, sentence in enumerate(SENTENCES):
        tags = english.tagger.kbest_tags(as_treebank([sentence]), sequences)  # type: ignore[union-attr]
        share, over = divmod(k, len(tags.trees))
        expected: list[tuple[float, Reading]] = []
        for rank in range(len(tags.trees)):
            most = share + (rank < over)
            if most:
                found = english.parser.kbest(tags.trees[rank : rank + 1], most)  # type: ignore[attr-defined]
                scores = found.scores + tags.scores[rank]
                expected += zip(scores.tolist(), readings(found.trees), strict=True)
        own = lists[row : row + 1]
        assert own.scores.tolist() == sorted((score for score, _ in expected), reverse=True)
        listed = list(zip(own.scores.tolist(), readings(own.trees), strict=True))
        assert sorted(listed) == sorted(expected)
        assert len({str(reading) for _, reading in listed}) == len(listed)


def test_given_tags_are_in_all_sequences(english: Opened) -> None:
    given = Treebank.from_words(
        [["Time", "flies", "fast"]], upos=[["_", "NOUN", "_"]], xpos=[["_", "NNS", "_"]]
    )
    lists = english.kbest(given, 20, sequences=10)
    found = {tuple(tags) for tags, _, _ in readings(lists.trees)}
    assert {tags[4] for tags in found} == {"NNS"}
    assert len(found) > 1
    predicted = open_parser("en", tags="predict").kbest(given, 20, sequences=10)
    assert "VBZ" in {tags[4] for tags, _, _ in readings(predicted.trees)}


def test_lists_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("\n".join(SENTENCES) + "\n")
    done = parse_files("en", tmp_path / "a.txt", tmp_path / "a.conllu", kbest=6, kbest_tags=3)
    lists = read_kbest(tmp_path / "a.conllu")
    assert done.trees == len(lists.trees)
    expected = open_parser("en").kbest(SENTENCES, 6, sequences=3)
    np.testing.assert_array_equal(lists.scores, expected.scores)


def test_the_best_tree_over_several_tag_sequences(tmp_path: Path) -> None:
    """Without a list: the best tree of those that each sequence has, by tags and trees together."""
    (tmp_path / "a.txt").write_text("\n".join(SENTENCES) + "\n")
    parse_files("en", tmp_path / "a.txt", tmp_path / "a.conllu", kbest_tags=4)
    found = read_treebank(tmp_path / "a.conllu")
    lists = open_parser("en").kbest(SENTENCES, 4, sequences=4)
    assert found.heads.tolist() == lists.best().heads.tolist()
    assert found.xpos.strings() == lists.best().xpos.strings()
    parse_files("en", tmp_path / "a.txt", tmp_path / "one.conllu", kbest_tags=1)
    parse_files("en", tmp_path / "a.txt", tmp_path / "plain.conllu")
    assert (tmp_path / "one.conllu").read_bytes() == (tmp_path / "plain.conllu").read_bytes()


def test_what_cannot_be_done_is_refused(english: Opened, tmp_path: Path) -> None:
    for sequences in (0, 5, True):
        with pytest.raises(UsageError, match="a whole number from 1 to 4, not"):
            english.listed_over_tags(as_treebank(SENTENCES), 4, sequences)
    with pytest.raises(UsageError, match="predicts no tags, so there are not several"):
        open_parser("en", tags="keep").kbest(SENTENCES, 4, sequences=2)
    with pytest.raises(UsageError, match="kbest_tags is a whole number of at least 1, not 0"):
        parse_files("en", tmp_path / "none", kbest_tags=0)
    refuses(UsageError, "one string is no list of sentences", english.parse, "It rains .")


def test_an_opened_parser_parses_words_and_lines(english: Opened) -> None:
    lines = english.parse(SENTENCES)
    words = english.parse([sentence.split() for sentence in SENTENCES])
    assert lines.heads.tolist() == words.heads.tolist()
    assert lines.has_trees
    assert english.kbest(SENTENCES, 3).best().heads.tolist() == lines.heads.tolist()
