"""What options do not do is said: notes, and refusals of files that cannot be read twice."""

import os
import sys
from pathlib import Path

import pytest
import sacrebleu
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, TARGET, call, process, write

import wordorder as wo

JSON = ["--format", "json"]

TREE = (
    "1\ta\t_\t_\t_\t_\t2\tdep\t_\t_\n"
    "2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n"
    "3\tc\t_\t_\t_\t_\t2\tdep\t_\t_\n\n"
)


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    """Return a reference and a system."""
    reference = write(tmp_path, "r", "a b c\nd e\n")
    return reference, write(tmp_path, "s", "a c b\nd e\n")


def notes(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if line.startswith("wordorder: note: ")]


def test_a_tokenizer_that_reaches_some_metrics(files: tuple[str, str]) -> None:
    form = ["score", files[0], "-i", files[1], "--tokenizer", "13a", "-m"]
    (note,) = notes(call(*form, "cder,ter,bleu,chrf").good().stderr)
    assert "--tokenizer does not reach ter: " in note
    assert "(-O ter.normalized=yes)" in note
    # Advice that was followed is not given again.
    (note,) = notes(call(*form, "cder,ter(normalized=yes)").good().stderr)
    assert "--tokenizer does not reach ter: " in note
    assert "-O" not in note
    (note,) = notes(call(*form, "0.5*cder+0.5*ter").good().stderr)
    assert "--tokenizer does not reach ter: " in note
    assert call(*form, "cder,lrscore,f1", "--aligner", "exact").good().stderr == ""


CHINESE = "我们昨天在北京见面了。\n他明天要去上海，开会。\n这本书非常有意思。\n"
OTHER = "我们昨天在北京见了面。\n他要到上海去，开会。\n这本书很有意思。\n"


def test_a_tokenizer_reaches_the_metrics_that_have_their_own(tmp_path: Path) -> None:
    """The numbers of sacreBLEU with that tokenizer; an option of the metric overrides it."""
    reference, system = write(tmp_path, "r", CHINESE), write(tmp_path, "s", OTHER)
    ours, theirs = OTHER.splitlines(), [CHINESE.splitlines()]
    cut = TokenizerZh()  # type: ignore[no-untyped-call]
    words = [cut(line) for line in ours], [[cut(line) for line in theirs[0]]]
    expected = {
        "bleu": sacrebleu.corpus_bleu(ours, theirs, tokenize="zh"),
        "ter": sacrebleu.corpus_ter(ours, theirs, normalized=True, asian_support=True),
        "chrf(word_order=2)": sacrebleu.corpus_chrf(*words, word_order=2),
    }
    form = ["score", reference, "-i", system, "-m", "cder," + ",".join(expected)]
    answer = call(*form, "--tokenizer", "zh", *JSON).good()
    assert answer.stderr == ""
    for score, metric in zip(answer.json["systems"][0]["scores"][1:], expected, strict=True):
        assert score["value"] == pytest.approx(expected[metric].score / 100, abs=1e-15)
        assert ("asian_support:yes" if metric == "ter" else "tok:zh") in score["signature"]
    # In a sum, and of segments in memory, too.
    total = sum(each.score / 100 for each in expected.values())
    formula = "+".join(f"1*{name}" for name in expected)
    segments = wo.Segments.from_text(ours, theirs[0], tokenizer="zh")
    made = wo.metric("mix", formula=formula, better="higher")
    assert made.corpus_score(segments).value == pytest.approx(total, abs=1e-15)
    assert "sacrebleu-tok:zh" in str(made.sentence_score(ours[0], theirs[0][0], tokenizer="zh"))
    # Chosen options stay; the characters of chrF need no words.
    uncut_ter = sacrebleu.corpus_ter(ours, theirs)
    uncut = {
        "bleu(tokenize=13a)": sacrebleu.corpus_bleu(ours, theirs),
        "ter(asian_support=no)": uncut_ter,
        "chrf(word_order=2,tokenize=none)": sacrebleu.corpus_chrf(ours, theirs, word_order=2),
        "chrf": sacrebleu.corpus_chrf(ours, theirs),
    }
    form[-1] = "cder," + ",".join(uncut)
    answer = call(*form, "--tokenizer", "zh", *JSON).good()
    (note,) = notes(answer.stderr)
    assert "does not reach ter: " in note
    for score, result in zip(answer.json["systems"][0]["scores"][1:], uncut.values(), strict=True):
        assert score["value"] == pytest.approx(result.score / 100, abs=1e-15)
    for option, result in [("normalized=no", uncut_ter), ("asian_support=yes", expected["ter"])]:
        form[-1] = "cder,ter"
        answer = call(*form, "--tokenizer", "zh", "-O", f"ter.{option}", *JSON).good()
        score = answer.json["systems"][0]["scores"][1]
        assert score["value"] == pytest.approx(result.score / 100, abs=1e-15)
    # Also where no other metric reads words; without such an option the tokenizer does nothing.
    for metric, option, result in [
        ("ter", "ter.normalized=no", uncut_ter),
        ("bleu", "bleu.tokenize=13a", uncut["bleu(tokenize=13a)"]),
    ]:
        form[-1] = metric
        answer = call(*form, "--tokenizer", "zh", "-O", option, *JSON).good()
        score = answer.json["systems"][0]["scores"][0]
        assert score["value"] == pytest.approx(result.score / 100, abs=1e-15)
        (note,) = notes(answer.stderr)
        assert f"--tokenizer does not reach {metric}: " in note
    form[-1] = "chrf"
    call(*form, "--tokenizer", "zh").refused(2, "--tokenizer does not reach chrf: ")
    # A tokenizer that cuts at blanks leaves the lines uncut.
    form[-1] = "cder," + ",".join(uncut)
    assert "--tokenizer zh cuts them" in call(*form, "--tokenizer", "13a").good().stderr


def test_metrics_of_one_name_are_told_apart_and_read_back(files: tuple[str, str]) -> None:
    """By names that `correlate --scores` reads, also where a system is called "+bpe"."""
    folder = Path(files[0]).parent
    metrics = "cder,cder(penalty=length)"
    names = ["cder(penalty=none)", "cder(penalty=length)"]
    form = ["score", files[0], "-i", *(f"{name}={files[1]}" for name in ("+bpe", "B", "C"))]
    form += ["-m", metrics, "--format"]
    scores = call(*form, "json").good().json["systems"][0]["scores"]
    assert [score["metric"] for score in scores] == names
    table = call(*form, "tsv", "--segments").good().text
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    assert {(row[0], row[1]) for row in rows} == {(s, m) for s in ("+bpe", "B", "C") for m in names}
    values = wo.score({"A": files[1]}, files[0], metrics).values()["A"]
    assert list(values) == names
    scored = write(folder, "scores.tsv", table)
    human = "".join(f"{s}\t{n}\tda\t{n}\n" for s in ("+bpe", "B", "C") for n in (1, 2))
    judged = write(folder, "judged.tsv", "system\tsegment\tmetric\tvalue\n" + human)
    found = call("correlate", judged, "--scores", scored, "--human", "da", *JSON).good().json
    assert {row["metric"] for row in found["results"]} == set(names)
    call(*form[:-2], "cder,cder(penalty=none)").refused(2, "cder and cder(penalty=none)")


@pytest.mark.parametrize(
    ("lines", "metric", "text"),
    [
        ("the small@@ est rob@@ ots", "wer", '40 % of the words are pieces of words ("small@@")'),
        ("\u2581the \u2581small est \u2581rob ots", "wer", "spm_decode joins them"),
        ("the five @-@ day trip &apos;s over", "wer", "29 % of the words are marks of Moses'"),
        ("it is so .", "bleu,wer", '100 % of the lines end in " .", as tokenised text does'),
        ("it is so .", "wer,bleu(tokenize=none)", ""),
        ("you@home a@b.c R&D @ home", "wer", ""),
    ],
)
def test_marks_of_tokenizers_are_noted(
    files: tuple[str, str], lines: str, metric: str, text: str
) -> None:
    path = write(Path(files[0]).parent, "marked", f"{lines}\n" * 100)
    found = notes(call("score", path, "-i", path, "-m", metric).good().stderr)
    assert len(found) == bool(text)
    assert not found or text in found[0]


def test_files_that_are_no_lines_of_text(files: tuple[str, str]) -> None:
    """Formats are named; a table says how a column is meant, a longer text what is more."""
    folder = Path(files[0]).parent
    for end, text in ((".sgm", "SGML"), (".xlsx", "a spreadsheet"), (".csv", ".csv#text names a")):
        path = write(folder, f"s{end}", "text\na c b\nd e\n")
        call("score", files[0], "-i", path).refused(2, text, "`--input text` takes it as text")
        answer = call("score", files[0], "-i", path, "--input", "text")
        answer.refused(1, "2 lines, but", "has 3")
    assert "(a table with a header? " in answer.stderr
    longer = write(folder, "longer", "a c b\nd e\n\n\n")
    call("score", files[0], "-i", longer).refused(1, "longer ends with 2 empty lines")
    copied = call("score", files[0], "-i", files[1], f"x={files[0]}", "-m", "wer").good()
    assert notes(copied.stderr) == [
        f"wordorder: note: the system x is the reference itself: {files[0]}"
    ]


def test_an_aligner_that_does_not_reach_meteor(files: tuple[str, str]) -> None:
    form = ["score", files[0], "-i", files[1], "--aligner", "exact", "-m"]
    (note,) = notes(call(*form, "meteor,frs").good().stderr)
    assert "meteor matches words by options of its own" in note
    assert call(*form, "frs").good().stderr == ""


@pytest.mark.parametrize(
    "options", [["-m", "bleu", "-O", "bleu.tokenize=ko-mecab"], ["--tokenizer", "ko-mecab"]]
)
def test_a_missing_tokenizer_is_one_line(
    files: tuple[str, str], options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mecab_ko", None)
    answer = call("score", files[0], "-i", files[1], "-m", "cder", *options)
    answer.refused(2, "ko-mecab", "MeCab is not installed: pip install", "wordorder[ko]")
    assert "\\n" not in answer.stderr


@pytest.mark.parametrize("form", ["text", "json", "tsv"])
@pytest.mark.parametrize("suffix", ["txt", "orders", "conllu", "align"])
def test_no_segments_in_files_of_any_kind(tmp_path: Path, suffix: str, form: str) -> None:
    """Nothing is no perfect score, whatever the files hold and whichever command reads them."""
    empty, other = (write(tmp_path, f"{name}.{suffix}", "") for name in ("empty", "other"))
    given = [empty, "-i", f"A={empty}", "-i", f"B={other}", "--format", form]
    further = {
        "txt": [["score", "-m", "cder,ter,bleu"], ["score", "-m", "nist"], ["analyze"]],
        "orders": [["analyze", "--source", other]],
        "align": [["score", "--compat", "lader", "--source", empty]],
    }
    commands = [["score"], ["score", "--confidence", "--segments"], ["compare"]]
    for command in (*commands, *further.get(suffix, ())):
        call(*command, *given).refused(1, f"empty.{suffix}: no segments; expected at least one")


@pytest.mark.parametrize("files_without", [1, 3, 4])
def test_alignments_without_links_are_counted(tmp_path: Path, files_without: int) -> None:
    text = write(tmp_path, "t", "a b\nc d\n")
    full = write(tmp_path, "full.align", "0-0 1-1\n0-0 1-1\n")
    rows = ["\n\n", "0-0\n\n", "\n0-0\n", "\n\n"][:files_without]
    lacking = [write(tmp_path, f"{i}.align", row) for i, row in enumerate(rows)]
    systems = [f"s{i}={text}" for i in range(files_without)]
    answer = call(
        *("score", text, "-i", *systems, "-m", "frs", "--source", text),
        *("--hypothesis-alignments", *lacking, "--reference-alignments", full),
    ).good()
    found = notes(answer.stderr)
    if files_without < 4:
        expected = [row.startswith("\n") + row.endswith("\n\n") for row in rows]
        for path, count in zip(lacking, expected, strict=True):
            assert f"wordorder: note: {path}: no link in {count} of 2 alignments" in found
    else:
        assert "wordorder: note: 4 files: no link in 1 to 2 of 2 alignments" in found


def test_words_left_out_of_many_systems_are_one_note(files: tuple[str, str]) -> None:
    reference, system = files
    names = [f"s{i}={system}" for i in range(4)]
    form = ["-m", "frs", "--aligner", "exact"]
    assert call("score", reference, "-i", *names, *form).good().stderr == ""
    lacking = write(Path(reference).parent, "x", "a c\nd e\n")
    systems = [*names[:1], *(f"x{i}={lacking}" for i in range(4))]
    answer = call("score", reference, "-i", *systems, *form).good()
    assert notes(answer.stderr) == [
        "wordorder: note: 4 systems: the word orders leave out 1 word each without a match "
        "(x0: 0 % of the system's, 20 % of the references')"
    ]


def test_sure_links_alone(tmp_path: Path) -> None:
    text = write(tmp_path, "t", "a b c\n")
    links = write(tmp_path, "l.align", "0-2 1p1 2p0\n")
    straight = write(tmp_path, "s.align", "0-0 1-1 2-2\n")
    form = ["score", text, "-i", text, "-m", "unaligned,frs,cder", "--source", text, *JSON]
    form += ["--hypothesis-alignments", links, "--reference-alignments", straight]
    for which, unaligned in (("all", 0), ("sure", 2 / 3)):
        scores = call(*form, "-O", f"links={which}").good().json["systems"][0]["scores"]
        assert scores[0]["value"] == pytest.approx(unaligned)
        signed = ["|links:sure|" in score["signature"] for score in scores]
        assert signed == [which == "sure", which == "sure", False]


def test_the_check_can_look_at_sure_links_alone(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a", "0-0 1p1\n")
    source = write(tmp_path, "s", "x y\n")
    form = ["reference", alignments, "--source", source, "--check", "--report", "json"]
    assert call(*form).good().json["unaligned"] == 0
    assert call(*form, "-O", "links=sure").good().json["unaligned"] == 1


def test_links_with_a_lowest_score(tmp_path: Path) -> None:
    """As of files without the others; gold links have no scores, and all count."""
    text = write(tmp_path, "t", "a b c\n")
    gold = write(tmp_path, "g.align", "0-2 1p1 2-0\n")
    (tmp_path / "filtered").mkdir()
    scored = write(tmp_path, "l.align", "0-2:0.4999 1-1:0.5 2-0:0.9\n")
    filtered = write(tmp_path / "filtered", "l.align", "1-1 2-0\n")
    trees = write(tmp_path, "t.conllu", TREE)
    at_half = ["-O", "links=0.5"]
    translated = [text, "-i", text, "--source", text, "--reference-alignments", gold]
    translated += ["--hypothesis-alignments"]
    for form in (
        ["score", gold, "-m", "aer,precision,recall", *JSON, "-i"],
        ["score", "-m", "frs,lrscore", *JSON, *translated],
        ["score", "--compat", "moses", *JSON, *translated],
        ["evaluate", "--rules", "R1", "--trees", trees, "-q"],
        ["reference", "--source", text, "--trees", trees, "-o", "-"],
    ):
        found = call(*form, scored, *at_half).good()
        expected = call(*form, filtered).good()
        plain = found.text.replace("links:0.5|", "")
        assert plain == expected.text
        assert plain != call(*form, scored).good().text
        assert ("|links:0.5|" in found.text) == (form[0] != "reference")
        assert found.stderr == expected.stderr
    call("score", gold, "-i", filtered, "-m", "aer", *at_half).refused(
        2, f"{filtered}: the links have no scores"
    )
    call("score", gold, "-i", scored, "-m", "aer", "-O", "links=sure").refused(2, "-O links is for")


def test_other_evaluators_and_sure_links(tmp_path: Path) -> None:
    text = write(tmp_path, "t", "a b c\n")
    gold = write(tmp_path, "g.align", "0-2 1p1 2-0\n")
    plain = write(tmp_path, "p.align", "0-2 2-0\n")
    form = ["-i", "none", "--compat", "lader", "--source", text, *JSON]
    sure = call("score", gold, *form, "-O", "links=sure").good().json["systems"][0]["scores"]
    expected = call("score", plain, *form).good().json["systems"][0]["scores"]
    assert [score["value"] for score in sure] == [score["value"] for score in expected]


def test_literalness_of_files(tmp_path: Path) -> None:
    source = write(tmp_path, "s", "a b c d\ne f\ng h i\n")
    system = write(tmp_path, "t", "w x\ny z\nv\n")
    links = write(tmp_path, "l.align", "0-1 3-0\n0-0 1-1\n\n")
    form = ["--compat", "literalness", "--source", source, "--hypothesis-alignments", links, *JSON]
    scores = call("score", source, "-i", system, *form).good().json["systems"][0]["scores"]
    assert [score["value"] for score in scores] == pytest.approx([100 * 5 / 9, 100 * 0.625 / 2])
    assert [score["skipped"] for score in scores] == [0, 1]
    short = write(tmp_path, "short", "one line\n")
    call("score", short, "-i", system, *form).refused(1, "short: 1 line, but ", "has 3")


def test_links_of_gold_alignments_lie_inside_the_source(tmp_path: Path) -> None:
    source = write(tmp_path, "s", "a b\nc\n")
    gold = write(tmp_path, "gold.align", "0-0 1-1\n0-0\n")
    beyond = write(tmp_path, "sys.align", "0-0 1-1\n0-0 1-1\n")
    form = ["score", gold, "-i", beyond, "--source"]
    call(*form, source).refused(1, f"{beyond}:2:5: link 1-1 points past the source (1 token)")
    longer = write(tmp_path, "longer", "a b\nc\nd\n")
    call("score", gold, "-i", gold, "--source", longer).refused(1, "2 lines", "3")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["score", "{pipe}", "-i", TARGET, "-m", "nist"], "nist reads the references twice"),
        (
            ["score", ALIGNMENTS, "-i", SOURCE, "--compat", "lader", "--source", "{pipe}"],
            "--source is read more than once",
        ),
        (
            ["score", REFERENCE, "-i", SOURCE, TARGET, "--source", "{pipe}"],
            "--source is read more than once",
        ),
        (
            ["reference", ALIGNMENTS, "--source", "{pipe}", "--check", "-o", "{folder}/out"],
            "reads its inputs twice",
        ),
    ],
)
def test_pipes_are_not_read_twice(tmp_path: Path, args: list[str], message: str) -> None:
    """Nobody writes into the pipe: to open it would wait for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    answer = process(*(arg.format(pipe=pipe, folder=tmp_path) for arg in args), timeout=20)
    answer.refused(2, message)


def test_what_skip_leaves_out_is_named_as_what_it_is(tmp_path: Path) -> None:
    orders = write(tmp_path, "one.orders", "0\n0\n0 2 1\n\n")
    form = ["score", orders, "-i", orders, "-m", "frs"]
    assert notes(call(*form, "-O", "degenerate=skip").good().stderr) == [
        "wordorder: note: skipped 3 segments without two words to order (75 % of segments): "
        "lines 1, 2, 4"
    ]
    pooled = call(*form, "-O", "degenerate=skip", "-O", "average=micro").good()
    assert notes(pooled.stderr) == [
        "wordorder: note: skipped 1 segment without a word to order (25 % of segments): line 4"
    ]
    assert "degenerate" not in pooled.text


def test_many_segments_of_one_word_are_noted(tmp_path: Path) -> None:
    orders = "0 1 2\n" * 97 + "0\n" * 3
    reference = write(tmp_path, "r.orders", orders)
    system = write(tmp_path, "s.orders", orders.replace("0 1 2", "1 0 2"))
    form = ["score", reference, "-i", system, "-m", "frs,kendall"]
    assert notes(call(*form).good().stderr) == [
        "wordorder: note: 3 % of segments have one word to order and count as 1 in the mean of "
        "frs and kendall: -O degenerate=skip leaves them out"
    ]
    skipped = call(*form, "-O", "degenerate=skip").good()
    assert "3 skipped" in skipped.text
    assert "have one word" not in skipped.stderr
    assert call(*form, "-O", "average=micro").good().stderr == ""
    few = write(tmp_path, "few.orders", "0 1 2\n" * 300 + "0\n" * 2)
    assert call("score", few, "-i", few, "-m", "frs").good().stderr == ""
