"""Tables that are given where a text is expected: the message names the verb that reads them."""

from pathlib import Path

import pytest
from tests.cli.running import call, write

from wordorder.samples import sample_path

RANK = "`wordorder rank` (--pairs tests the systems) and `wordorder agreement`"
VERBS = ("score", "compare", "analyze")


def judged(name: str) -> str:
    return str(sample_path(name, "judged"))


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize(
    ("name", "held", "reader"),
    [
        ("ratings.tsv", "judgements (columns rater, item, system, value and time)", RANK),
        ("rankings.csv", "judgements (columns srclang, trglang, srcIndex, ", RANK),
        ("human.seg.score", "scores (a system and its score per line)", "`wordorder correlate`"),
    ],
)
def test_tables_of_the_sample_are_no_texts(verb: str, name: str, held: str, reader: str) -> None:
    """A table of ratings against itself was scored as a perfect translation."""
    path = judged(name)
    said = (f"{path} looks like a table of {held}", reader, "--input text")
    call(verb, path, "-i", path).refused(2, *said)


@pytest.mark.parametrize("verb", ["score", "compare"])
@pytest.mark.parametrize("more", [[], ["-m", "cder"], ["-r"]])
def test_a_table_among_the_systems_or_the_further_references(verb: str, more: list[str]) -> None:
    files = [judged("reference.en"), "-i", judged("elm.en")]
    table = ["-r", judged("ratings.tsv")] if more == ["-r"] else [judged("ratings.tsv"), *more]
    said = "ratings.tsv looks like a table of judgements"
    call(verb, *files, *table).refused(2, said)


def test_scores_of_this_program_are_no_text(tmp_path: Path) -> None:
    form = ("score", judged("reference.en"), "-i", judged("elm.en"), "--format", "tsv")
    table = write(tmp_path, "scores.tsv", call(*form).good().stdout)
    call("score", table, "-i", table).refused(2, "a table of scores", "`wordorder correlate`")
    path = write(tmp_path, "a.txt", "1\twe met\n2\tyes , we\n3\tno\n")
    answer = call("score", path, "-i", path, "-m", "cder").good()
    assert answer.stderr.count("looks like a table of 2 columns between tabs") == 1
    assert "looks" not in call("score", path, "-i", path, "-m", "cder", "--input", "text").stderr


@pytest.mark.parametrize("verb", VERBS)
def test_whoever_says_text_means_text(verb: str) -> None:
    path = judged("ratings.tsv")
    answer = call(verb, path, "-i", path, "--input", "text", "-m", "cder").good()
    assert "looks like" not in answer.stderr


@pytest.mark.parametrize(
    "text",
    [
        "a system , a score\nyes , no\n",
        "it 1\nis 2\nso 3\n",
        "one\tline\n",
        "a\tb\nc\n\nd\te\n",
        "score the system\nrank the item\n",
        'a "quote, b\nsystem, score\n',
        "\n\n",
        "It cost 1,000\nIt cost 2,000\n",
        "Hello, segment, value, what\nGood, morning, day, x\n",
    ],
)
def test_plain_text_is_no_table(tmp_path: Path, text: str) -> None:
    path = write(tmp_path, "a.txt", text)
    assert "looks" not in call("score", path, "-i", path, "-m", "cder").good().stderr


@pytest.mark.parametrize("option", ["-i", "-r"])
def test_analyze_refuses_a_table_wherever_it_is_given(option: str) -> None:
    reference, table = judged("reference.en"), judged("ratings.tsv")
    systems = ["-i", judged("elm.en")] if option == "-r" else []
    call("analyze", reference, *systems, option, table).refused(2, "a table of judgements")
