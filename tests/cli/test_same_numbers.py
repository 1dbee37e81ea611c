"""One input, one answer: threads, kernels, chunks, seeds, order of lines; and no NaN."""

import random
import time
from pathlib import Path

import pytest
from tests.cli.running import (
    ALIGNMENTS,
    REFERENCE,
    SAMPLE,
    SOURCE,
    SYSTEMS,
    TARGET,
    call,
    elsewhere,
    process,
    write,
)

import wordorder.text.lockstep as in_step_module
from wordorder.kernels import _run

FULL = ["-m", "all", "--confidence", "--segments", "--format", "json"]
CHOICES = [
    [],
    ["-O", "ties=rank"],
    ["-O", "average=length"],
    ["-O", "degenerate=beer"],
    ["-O", "match=first-unmatched", "--source", SOURCE],
]


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the work as usual, into pieces of a tenth of the size."""
    monkeypatch.setattr(in_step_module, "CHUNK_LINES", in_step_module.CHUNK_LINES // 10)
    monkeypatch.setattr(_run, "SMALLEST_CHUNK", _run.SMALLEST_CHUNK // 10)
    monkeypatch.setattr(_run, "PIECE_NUMBERS", _run.PIECE_NUMBERS // 10)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return a reference with ties and empty lines, and a system, of some 40,000 words."""
    rng = random.Random(5)
    reference, system = [], []
    for _ in range(1_600):
        row = list(range(rng.choice([0, 1, 2, 3, 10, 25, 40, 80])))
        rng.shuffle(row)
        reference.append(
            "".join(f"{'' if not i else rng.choice('   ,')}{v}" for i, v in enumerate(row))
        )
        first = rng.randrange(len(row) + 1)
        row[first:] = sorted(row[first:])
        system.append(" ".join(map(str, row[: len(row) - rng.randrange(2)])))
    folder = tmp_path_factory.mktemp("corpus")
    return (
        write(folder, "reference.orders", "\n".join(reference) + "\n"),
        write(folder, "system.orders", "\n".join(system) + "\n"),
    )


ALIGNED = ["--source", SOURCE, "--reference-alignments", ALIGNMENTS, "--hypothesis-alignments"]
MATCHED = ["-m", "all", "--aligner", "exact+stem", "--segments", "--format", "json"]


@pytest.fixture(scope="module")
def translations(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str, str]:
    """Return a reference, a second one and a system, with empty lines, of some 30,000 words."""
    rng = random.Random(6)
    vocabulary = [f"w{i}" for i in range(300)]
    rows: list[list[str]] = [[], [], []]
    for _ in range(1_800):
        words = [vocabulary[int(rng.random() ** 3 * 300)] for _ in range(rng.randrange(12))]
        for row in rows:
            changed = [w if rng.random() < 0.8 else rng.choice(vocabulary) for w in words]
            cut = rng.randrange(len(words) + 1)
            row.append(" ".join(changed[cut:] + changed[:cut]))
    folder = tmp_path_factory.mktemp("translations")
    first, second, system = (
        write(folder, name, "\n".join(row) + "\n") for name, row in zip("abc", rows, strict=True)
    )
    return first, second, system


@pytest.mark.usefixtures("small_pieces")
def test_translations_by_any_number_of_threads(translations: tuple[str, str, str]) -> None:
    first, second, system = translations
    metrics = "wer,per,cder,ter,nist,ribes,frs,lrscore,meteor"
    form = ["score", first, "-r", second, "-i", system, "-m", metrics, "--aligner", "exact+stem"]
    form += ["-O", "empty-references=none", "--format", "json", "--segments"]
    answers = {call(*form, "--threads", threads).good().stdout for threads in "13"}
    assert len(answers) == 1
    compared = ["compare", first, "-i", system, second, "-m", "cder,nist", "--resamples", "50"]
    assert len({call(*compared, "--threads", threads).good().stdout for threads in "13"}) == 1


def test_translations_by_compiled_and_interpreted_kernels(tmp_path: Path) -> None:
    small = {}
    for path in (TARGET, SOURCE, ALIGNMENTS, SYSTEMS[2]):
        lines = b"".join(Path(path).read_bytes().splitlines(True)[:6])
        small[path] = write(tmp_path, Path(path).name, lines)
    target, source, alignments, orders = small.values()
    system = write(tmp_path, "turned", turned(Path(target).read_text("utf-8")))
    aligned = [alignments if part == ALIGNMENTS else part for part in ALIGNED]
    aligned = [source if part == SOURCE else part for part in aligned]
    forms = [
        ["score", target, "-i", system, "-r", source, *MATCHED],
        ["score", target, "-i", target, "-m", "all", *aligned, alignments, "--format", "json"],
        ["score", alignments, "-i", alignments, "--format", "json"],
        ["score", alignments, "-i", orders, "--compat", "lader-keep", "--source", source],
        ["reference", alignments, "--source", source, "--rule", "topdown-btg"],
    ]
    check_interpreted(forms)


def check_interpreted(forms: list[list[str]]) -> None:
    """Who asks for interpreted kernels gets the same bytes and no warning."""
    for form, slow in zip(forms, elsewhere(forms, WORDORDER_KERNELS="interpreted"), strict=True):
        assert slow.good().stdout == call(*form).good().stdout
        assert "not compiled" not in slow.stderr


def turned(text: str) -> str:
    """Move the first two words of each line to its end."""
    rows = [line.split(" ") for line in text.splitlines()]
    return "".join(" ".join(row[2:] + row[:2]) + "\n" for row in rows)


def test_the_order_of_the_translations_does_not_matter(tmp_path: Path) -> None:
    texts = {"r": Path(TARGET).read_text("utf-8")}
    texts["s"] = turned(texts["r"])
    texts["t"] = Path(SOURCE).read_text("utf-8")
    answers = set()
    for seed in range(8):
        order = list(range(72))
        if seed:
            random.Random(seed).shuffle(order)
        made = {
            name: write(tmp_path, name, "".join(f"{text.split(chr(10))[i]}\n" for i in order))
            for name, text in texts.items()
        }
        form = ["score", made["r"], "-i", made["s"], "-r", made["t"], *MATCHED[:4]]
        answers.add(call(*form, "--format", "json").good().stdout)
    assert len(answers) == 1


def test_short_and_empty_translations_have_scores_and_nothing_is_nan(tmp_path: Path) -> None:
    references = ["", "a", "", "a", "a b", "a b c", "a a", "", "b", "a b c d e"]
    systems = ["", "a", "a", "", "b a", "x y z", "a", "x", "b b", "e d c b a"]
    reference = write(tmp_path, "r", "\n".join(references) + "\n")
    system = write(tmp_path, "s", "\n".join(systems) + "\n")
    for options in ([], ["-O", "empty-references=none"], ["-r", system]):
        form = ["score", reference, "-i", system, *options, *MATCHED, "--confidence"]
        found = call(*form, "--resamples", "50").good().json
        assert found["segments"] == 10
        for score in found["systems"][0]["scores"]:
            assert 0 <= score["skipped"] <= found["skipped"] <= 10
            assert len(score["segments"]) == 10
            assert score["value"] >= 0
            assert score["skipped"] >= (3 if "-O" in options else 0)
    alone = write(tmp_path, "one", "a\n")
    for given in (alone, reference):
        for other in (alone, system):
            if (given == alone) == (other == alone):
                text = call("score", given, "-i", other, "-m", "all").good().text
                assert "nan" not in text.lower()
                assert "inf " not in text.lower()


@pytest.mark.usefixtures("small_pieces")
def test_any_number_of_threads_gives_the_same_bytes(corpus: tuple[str, str]) -> None:
    reference, system = corpus
    forms = [
        ["score", reference, "-i", system, reference, *FULL, "--resamples", "100"],
        ["compare", reference, "-i", system, reference, "-m", "frs,pets", "--format", "json"],
        ["compare", reference, "-i", system, reference, "--test", "randomization"],
    ]
    for form in forms:
        answers = {call(*form, "--threads", threads).good().stdout for threads in "128"}
        assert len(answers) == 1
    assert answers == {call(*forms[-1]).good().stdout}


def test_alignments_by_any_number_of_threads(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a.talbot", Path(ALIGNMENTS).read_bytes() * 300)
    source = write(tmp_path, "s.txt", Path(SOURCE).read_bytes() * 300)
    for threads in "128":
        answer = call("reference", alignments, "--source", source, "--threads", threads).good()
        assert answer.stdout == Path(REFERENCE).read_bytes() * 300


def test_compiled_and_interpreted_kernels_give_the_same_bytes(tmp_path: Path) -> None:
    small = [
        write(tmp_path, Path(path).name, b"".join(Path(path).read_bytes().splitlines(True)[:12]))
        for path in (REFERENCE, *SYSTEMS, SOURCE, ALIGNMENTS)
    ]
    *small, source, aligned = small
    forms = [
        ["score", small[0], "-i", *small[1:], *FULL, "--resamples", "50"],
        ["score", small[0], "-i", *small[1:], *FULL[:2], "--format", "json", "-O", "ties=rank"],
        ["compare", small[0], "-i", *small[1:], "--resamples", "50", "--format", "json"],
        ["compare", small[0], "-i", *small[1:], "--resamples", "50", "--test", "randomization"],
        ["reference", aligned, "--source", source],
        ["reference", aligned, "--source", source, "--check", "--report", "json"],
        ["tree", "2 4 1 3 6 5 7 8", "--format", "json"],
        ["path", "we met on friday", "on friday we met", "--metrics", "long-jump"],
    ]
    check_interpreted(forms)


@pytest.mark.parametrize("choice", CHOICES, ids=" ".join)
def test_the_order_of_the_lines_does_not_matter(tmp_path: Path, choice: list[str]) -> None:
    paths = {"reference": REFERENCE, "system": SYSTEMS[2], "source": SOURCE}
    lines = {name: Path(path).read_bytes().splitlines(True) for name, path in paths.items()}
    metrics = ["-m", "all", "--format", "json"]
    expected = call("score", REFERENCE, "-i", f"system={SYSTEMS[2]}", *metrics, *choice).good()
    order = list(range(72))
    for seed in range(20):
        random.Random(seed).shuffle(order)
        made = {
            name: write(tmp_path, f"{name}.orders", b"".join(rows[i] for i in order))
            for name, rows in lines.items()
        }
        options = [made["source"] if option == SOURCE else option for option in choice]
        answer = call("score", made["reference"], "-i", made["system"], *metrics, *options).good()
        assert answer.stdout == expected.stdout


@pytest.mark.parametrize(
    "form",
    [
        ["score", REFERENCE, "-i", *SYSTEMS, *FULL, "--resamples", "50"],
        ["score", TARGET, "-i", "TURNED", "-r", SOURCE, *MATCHED],
        ["score", TARGET, "-i", TARGET, "-m", "all", *ALIGNED, ALIGNMENTS, "--format", "json"],
        ["score", ALIGNMENTS, "-i", ALIGNMENTS, "--format", "json"],
    ],
    ids=["orders", "translations", "aligned translations", "alignments"],
)
def test_the_cutting_into_chunks_does_not_matter(
    form: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    system = write(tmp_path, "turned", turned(Path(TARGET).read_text("utf-8")))
    form = [system if part == "TURNED" else part for part in form]
    expected = call(*form).good().stdout
    for chunk in (1, 2, 7, 71, 72, 73):
        monkeypatch.setattr(in_step_module, "CHUNK_LINES", chunk)
        assert call(*form).good().stdout == expected, chunk


@pytest.mark.parametrize("rule", ["talbot", "lader", "topdown-btg"])
def test_alignments_in_chunks(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    form = ["reference", ALIGNMENTS, "--source", SOURCE, "--rule", rule]
    expected = call(*form).good()
    assert expected.stdout.count(b"\n") == 72
    if rule == "talbot":
        assert expected.stdout == Path(REFERENCE).read_bytes()
        assert "72 sentences, 999 words: 98 unaligned" in expected.stderr
    for chunk in (1, 5, 71, 72, 73):
        monkeypatch.setattr("wordorder.order.reference_files.CHUNK_SENTENCES", chunk)
        assert call(*form).good() == expected


@pytest.mark.parametrize("choice", CHOICES[:4], ids=" ".join)
def test_scored_and_skipped_make_all_lines_and_nothing_is_nan(
    tmp_path: Path, choice: list[str]
) -> None:
    reference = ["0", "", "0 1", "1 0", "0,1", "0,1,2", "2 1 0", "3 4", "0", "", "5", "0 1 2 3,4"]
    system = ["0", "", "0 1", "0 1", "1 0", "2 0 1", "0 1 2", "0 1", "", "0 1", "6", "4 3 2 1 0"]
    # Lines 8, 9 and 11 have none of their reference's words, which scores 0. Lines 2 and 10 have a
    # reference without words: they are left out.
    paths = [
        write(tmp_path, f"{name}.orders", "\n".join(lines) + "\n")
        for name, lines in (("reference", reference), ("system", system))
    ]
    form = ["score", paths[0], "-i", paths[1], "-m", "all", *choice]
    answer = call(*form, "--format", "json", "--confidence", "--segments").good()
    found = answer.json
    skipped = 0 if "degenerate=beer" in choice else 2
    assert (found["segments"], found["skipped"]) == (12, skipped)
    for score in found["systems"][0]["scores"]:
        assert score["skipped"] == skipped
        assert len(score["segments"]) == 12
        assert 0 <= score["value"] <= 1
        missing = [line for line, value in enumerate(score["segments"], 1) if value is None]
        assert missing == ([2, 10] if skipped else [])
        assert all(0 <= value <= 1 for value in score["segments"] if value is not None)
        assert [score["segments"][line - 1] for line in (8, 9, 11)] == [0, 0, 0] or not skipped
    # One word that both have is right.
    if skipped:
        assert all(score["segments"][0] == 1 for score in found["systems"][0]["scores"])
    assert found["systems"][0]["dropped"] == 9
    assert "left out 9 words that only one of system and reference has" in answer.stderr
    assert f"12 segments, {skipped} skipped" in call(*form).good().text
    if skipped:
        assert found["skipped_lines"] == [2, 10]
        assert "lines 2, 10" in answer.stderr


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_seeds_of_comparisons(test: str) -> None:
    form = ["compare", REFERENCE, "-i", *SYSTEMS[2:], "-m", "frs", "--test", test]
    form += ["--format", "json", "--resamples", "500", "--seed"]
    first = call(*form, "1").good().stdout
    assert call(*form, "1", "--threads", "8").good().stdout == first
    assert process(*form, "1", "--threads", "1").good().stdout == first
    pairs = [call(*form, seed).good().json["metrics"][0]["pairs"] for seed in "12"]
    assert pairs[0][0]["difference"] == pairs[1][0]["difference"]
    assert pairs[0] != pairs[1]


def test_seeds_of_intervals() -> None:
    form = ["score", REFERENCE, "-i", *SYSTEMS, *FULL, "--resamples", "200", "--seed"]
    first = call(*form, "1").good().stdout
    assert call(*form, "1", "--threads", "8").good().stdout == first
    assert call(*form, "2").good().stdout != first


def test_the_demo_runs_the_main_job_by_its_seed(tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    demo = call("demo", "--html", report).good()
    for part in (
        str(SAMPLE),
        "72 sentences, 999 words",
        "The soup that we ordered was cold .\n  we ordered that The soup cold was .",
        "hand/R5 is better than all others, hand/en-ja than all others but hand/R5,",
        "--focus en/R5 --focus en/R1",
        "Rules of en/R5",
        "1,2",
        f"is in\n{report}",
    ):
        assert part in demo.text
    page = report.read_bytes()
    assert b"Reference order" in page
    again = call("demo", "--seed", "12345", "--threads", "1", "--html", report).good()
    assert (again.stdout, report.read_bytes()) == (demo.stdout, page)
    assert call("demo", "--seed", "2", "--html", report).good().stdout != demo.stdout
    call("demo", "--html", "-").refused(2, "--html needs a file")


@pytest.mark.parametrize(
    ("kind", "n"),
    [("shuffled", 100_000), ("reversed", 10_000), ("neighbours", 10_000), ("identity", 10_000)],
)
def test_one_sentence_of_100_000_words(tmp_path: Path, kind: str, n: int) -> None:
    row = list(range(n))
    if kind == "shuffled":
        random.Random(3).shuffle(row)
    elif kind == "reversed":
        row.reverse()
    elif kind == "neighbours":
        row[::2], row[1::2] = row[1::2], row[::2]
    reference = write(tmp_path, "r.orders", " ".join(map(str, range(n))) + "\n")
    system = write(tmp_path, "s.orders", " ".join(map(str, row)) + "\n")
    began = time.process_time()
    form = ["score", reference, "-i", system, "-m", "all", "--format", "json"]
    scores = call(*form).good().json["systems"][0]["scores"]
    assert all(0 <= score["value"] <= 1 for score in scores)
    assert (scores[0]["value"] == 1) == (kind == "identity")
    # Of the processor, some tenths of a second; what took time by the square would take minutes.
    assert time.process_time() - began < 8
    began = time.process_time()
    assert " permutation tree" in call("tree", system).good().text.splitlines()[-1]
    answer = call("tree", system, "--format", "json").good().json["trees"][0]
    if kind != "shuffled":
        assert answer["nodes"] == n - 1
    assert (answer["trees"] is None) == (answer["log10_trees"] > 4300)
    assert time.process_time() - began < 10
