"""The answer of ``analyze`` and ``compare`` test the same difference, of few segments too."""

import random
from pathlib import Path

import pytest
from tests.cli.running import call, write

import wordorder as wo
from wordorder.errors import UsageError

REFERENCE = ["the cat sat on the mat near a door", "we met at six on a cold day"]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Write a reference and two systems that move some words, 40 lines each."""
    rng = random.Random(1)

    def moved(line: str, share: float) -> str:
        words = line.split()
        if rng.random() < share:
            words.append(words.pop(rng.randrange(len(words) - 1)))
        return " ".join(words)

    lines = REFERENCE * 20
    texts = [lines, *([moved(line, share) for line in lines] for share in (0.5, 0.7))]
    names = ("r", "a", "b")
    return [
        write(tmp_path, name, "".join(f"{line}\n" for line in text))
        for name, text in zip(names, texts, strict=True)
    ]


@pytest.mark.parametrize(("given", "resamples"), [((), 10_000), (("--resamples", "500"), 500)])
def test_p_of_few_segments(files: list[str], given: tuple[str, ...], resamples: int) -> None:
    reference, *systems = files
    options = (*given, "-i", *systems, "-m", "kendall", "--format", "json")
    (compared,) = call("compare", reference, *options).good().json["metrics"]
    (pair,) = compared["pairs"]
    sections = {s["key"]: s for s in call("analyze", reference, *options).good().json["sections"]}
    told = " ".join(call("analyze", reference, *options[:-2]).good().text.split())
    assert (compared["test"], compared["resamples"]) == ("randomization", resamples)
    assert 0.001 < pair["p"] < 0.999
    assert sections["kendall-difference-checks"]["rows"][0]["p"] == pytest.approx(pair["p"])
    assert f"(p = {pair['p']:.3f}, {resamples:,} resamples)" in told


def test_the_sentences_about_findings_fit_them(files: list[str]) -> None:
    reference, system, _ = files
    alone = " ".join(call("analyze", reference, "-i", system).good().text.split())
    assert "The first finding says what the difference" not in alone
    assert "pairs of neighbouring matched words in its order" in alone


@pytest.mark.allow_notes
def test_a_hypothesis_in_python(files: list[str]) -> None:
    reference, *systems = map(Path, files)
    report = wo.analyze(dict(zip("ab", systems, strict=True)), reference, hypothesis="subjects")
    assert "Named in advance" in str(report)
    named = wo.analyze(
        dict(zip("ab", systems, strict=True)),
        *(reference, "kendall"),
        hypothesis=["subjects", "verbs and clauses"],
        words="own",
    )
    assert str(named).count("Named in advance") == 2


def test_words_and_hypotheses_of_orders_are_refused(tmp_path: Path) -> None:
    orders = write(tmp_path, "r.orders", "1 0 2\n0 1\n")
    call("analyze", orders, "-i", orders, "--words", "own").refused(2, "--words", "translations")
    with pytest.raises(UsageError, match="words.*translations"):
        wo.analyze({"a": Path(orders)}, Path(orders), words="own")


def test_a_list_of_unlinked_words_replaces_no_input(tmp_path: Path) -> None:
    source = write(tmp_path, "x.orders.unlinked", "a b\n")
    links = write(tmp_path, "links", "0-0 1-1\n")
    output = str(tmp_path / "x.orders")
    call("reference", links, "--source", source, "-o", output).refused(2, "is an input too")
    assert Path(source).read_text() == "a b\n"


def test_few_orders_show_as_little_to_analyze_as_to_compare(tmp_path: Path) -> None:
    """Four sentences can be swapped in 16 ways, of which two differ as much: p is 1/8."""
    paths = {
        name: write(tmp_path, name, text)
        for name, text in {
            "r.orders": "0 1 2\n" * 4,
            "a.orders": "2 1 0\n" * 4,
            "b.orders": "0 1 2\n" * 4,
            "source": "a b c\n" * 4,
        }.items()
    }
    files = (paths["r.orders"], "-i", paths["a.orders"], paths["b.orders"])
    (frs,) = call("compare", *files, "-m", "frs", "--format", "json").good().json["metrics"]
    assert frs["pairs"][0]["p"] == 1 / 8
    found = call("analyze", *files, "--source", paths["source"], "--format", "json").good().json
    assert found["answer"].startswith("No system is surely best: b has the highest")
