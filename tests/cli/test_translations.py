"""Translations, alignments and other evaluators' figures through `score` and `compare`."""

from pathlib import Path

import pytest
import sacrebleu
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, call, write

from wordorder import options
from wordorder.alignment.alignments import Alignments
from wordorder.alignment.reading import FORMATS, read_alignments, write_alignments
from wordorder.metrics.compat import PRESETS, evaluate_compat
from wordorder.order.reading import read_orders
from wordorder.order.reference import DEFAULT_UNALIGNED
from wordorder.text.lines import read_lines, tokens

JSON = ["--format", "json"]
BOTH = ["--hypothesis-alignments", ALIGNMENTS, "--reference-alignments", ALIGNMENTS]
BOTH += ["--source", SOURCE]

REFERENCES = [
    "the cat sat on the mat",
    "on Monday we met at six",
    "yes",
    "",
    "he gave her the book that she wanted",
    "a b c d e f",
]
SECOND = ["a cat sat on a mat", "", "yes .", "", "he gave the book to her", "f e d c b a"]
HYPOTHESES = [
    "on the mat sat the cat",
    "we met at six on Monday",
    "no",
    "a word",
    "",
    "d e f a b c",
]


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """Return reference, second reference and hypothesis."""
    rows = {"ref.txt": REFERENCES, "second.txt": SECOND, "sys.txt": HYPOTHESES}
    one, two, three = (write(tmp_path, n, "\n".join(r) + "\n") for n, r in rows.items())
    return one, two, three


def test_the_names_of_the_command_are_those_of_the_library() -> None:
    assert set(options.ALIGNMENT_FORMATS) == {"auto", *FORMATS}
    assert tuple(DEFAULT_UNALIGNED) == options.RULES
    assert set(options.WORD_RULES) < set(DEFAULT_UNALIGNED)


def test_translations_are_scored_by_three_metrics_unless_told(files: tuple[str, str, str]) -> None:
    reference, _, system = files
    answer = call("score", reference, "-i", system, *JSON)
    assert list(answer.values()) == ["frs", "cder", "bleu"]
    assert answer.json["systems"][0]["system"] == "sys"
    assert "frs compares the order of words that match by --aligner exact+stem" in answer.stderr
    assert "6 segments, 1 skipped" in call("score", reference, "-i", system).text


def test_ter_and_bleu_are_those_of_sacrebleu(files: tuple[str, str, str]) -> None:
    reference, second, system = files
    found = call("score", reference, "-r", second, "-i", system, "-m", "ter,bleu", *JSON).values()
    ter = sacrebleu.corpus_ter(HYPOTHESES, [REFERENCES, SECOND]).score
    assert found["ter"] == pytest.approx(ter / 100)
    bleu = sacrebleu.corpus_bleu(HYPOTHESES, [REFERENCES, SECOND]).score
    assert found["bleu"] == pytest.approx(bleu / 100)


def test_empty_references_count_or_are_none(files: tuple[str, str, str]) -> None:
    reference, second, system = files
    form = ["score", reference, "-i", system, "-r", second, "-m", "wer,bleu", "--segments", *JSON]
    counted = call(*form).good()
    assert (counted.json["skipped"], counted.stderr) == (0, "")
    # All words of a hypothesis without counterpart are wrong: over no words, that is no rate.
    none = call(*form, "-O", "empty-references=none").good()
    assert (none.json["skipped"], none.json["skipped_lines"]) == (1, [4])
    assert "skipped 1 segment that wer and bleu cannot score (" in none.stderr
    assert [score["skipped"] for score in none.json["systems"][0]["scores"]] == [1, 1]
    assert none.json["systems"][0]["scores"][0]["segments"][3] is None


def test_case_normal_form_and_tokenizer(tmp_path: Path) -> None:
    reference = write(tmp_path, "r", "Déjà vu.\n")
    system = write(tmp_path, "s", "de\u0301ja\u0300 vu .\n")
    form = ["score", reference, "-i", system, "-m", "wer", *JSON]
    assert call(*form, "--tokenizer", "none").values() == {"wer": 1.5}
    options = ["--lowercase", "-O", "normalize=NFC"]
    answer = call(*form, *options)
    assert answer.values() == {"wer": 0}
    signature = answer.json["systems"][0]["scores"][0]["signature"]
    assert "tok:13a|case:lower|norm:NFC" in signature


def test_several_systems_sums_and_options(files: tuple[str, str, str]) -> None:
    reference, _, system = files
    names = "cder(penalty=length),0.6*cder+0.4*per,wer,per,cder"
    answer = call("score", reference, "-i", system, f"same={reference}", "-m", names, *JSON).good()
    worse, same = answer.json["systems"]
    found = {score["signature"].split("|v:")[0]: score["value"] for score in worse["scores"]}
    plain = {score["metric"]: score["value"] for score in worse["scores"][2:]}
    assert len(found) == 5
    assert worse["scores"][1]["metric"] == "mix"
    mixed = 0.6 * plain["cder(penalty=none)"] + 0.4 * plain["per"]
    assert worse["scores"][1]["value"] == pytest.approx(mixed)
    assert worse["scores"][0]["value"] > plain["cder(penalty=none)"]
    assert all(score["value"] == 0 for score in same["scores"])


def test_a_sum_as_an_option(files: tuple[str, str, str]) -> None:
    reference, _, system = files
    form = ["score", reference, "-i", system, *JSON, "-m"]
    expected = call(*form, "0.5*cder+0.5*wer").good().stdout
    assert call(*form, "mix", "-O", "formula=0.5*cder+0.5*wer").good().stdout == expected


def test_word_orders_by_matching_words(files: tuple[str, str, str]) -> None:
    reference, _, system = files
    form = ["score", reference, "-i", system, "-m", "frs,kendall,senscore", "--segments", *JSON]
    answer = call(*form, "--aligner", "exact").good()
    scores = answer.json["systems"][0]["scores"]
    assert "|aligner:exact|" in scores[0]["signature"]
    # "d e f a b c" for "a b c d e f": two pieces, and 6 of 15 pairs in order.
    assert scores[0]["segments"][5] == pytest.approx(4 / 5)
    assert scores[1]["segments"][5] == pytest.approx(6 / 15)
    assert "sys: the word orders leave out 12 words without a match" in answer.stderr
    # Without a word of the reference the order scores 0; a line without any words is left out.
    what = "skipped 1 segment that frs, kendall and senscore cannot score (17 % of segments)"
    assert what in answer.stderr
    both = call(*form[:4], "-m", "all", "--aligner", "exact+stem", *JSON).good()
    assert {"frs", "cder", "lrscore", "nist", "meteor"} <= set(both.values())
    call(*form[:4], "-m", "cder", "--aligner", "exact").refused(2, "which no metric here reads")


def test_word_orders_by_alignments_with_the_source() -> None:
    form = ["score", TARGET, "-i", TARGET, f"again={TARGET}", *BOTH[:2], ALIGNMENTS, *BOTH[2:]]
    answer = call(*form, "-m", "all", *JSON)
    found = answer.values(1)
    assert {found[name] for name in ("frs", "kendall", "f1", "wer")} == {1, 0}
    assert {"anticipation", "unaligned", "synchrony", "non-monotonicity"} <= set(found)
    assert found["unaligned"] == pytest.approx(98 / 999)
    one = call(*form[:3], TARGET, "-m", "unaligned", *BOTH[:2], *BOTH[4:], *JSON)
    assert one.values() == {"unaligned": found["unaligned"]}
    talbot = call(*form, "-m", "frs", "--rule", "talbot", "-O", "unaligned=drop", *JSON).good()
    assert "|rule:talbot|null:drop|" in talbot.json["systems"][0]["scores"][0]["signature"]


def test_alignments_are_judged_against_gold_ones(tmp_path: Path) -> None:
    gold = write(tmp_path, "gold.align", "0-0 1p1 2-2\n\n0-1\n")
    system = write(tmp_path, "sys.align", "0-0 1-1\n\n0-0\n")
    expected = {"aer": 1 - (1 + 2) / (3 + 3), "precision": 2 / 3, "recall": 1 / 3}
    answer = call("score", gold, "-i", system, *JSON)
    assert answer.values() == pytest.approx(expected)
    counts_from_1 = write(tmp_path, "one.align", "1-1 2p2 3-3\n\n1-2\n")
    form = ["score", counts_from_1, "-i", system, *JSON]
    assert call(*form, "-O", "one-based-reference").values() == pytest.approx(expected)
    call(*form, "--one-based").refused(1, f"{system}:1:1: ", "below 1")


def test_sentences_without_links_at_the_end_of_naacl_files(tmp_path: Path) -> None:
    gold = write(tmp_path, "gold.wpt", "1 1 1 S\n1 2 2 P\n")
    system = write(tmp_path, "sys.align", "0-0\n\n\n")
    source = write(tmp_path, "source", "a b\nc\nd\n")
    form = ["score", gold, "-i", system, "-m", "aer", *JSON]
    call(*form).refused(1, "1 line, but ", "has 3")
    answer = call(*form, "--source", source)
    assert answer.values() == {"aer": 0}
    assert answer.json["segments"] == 3


def test_words_of_conllu_files(tmp_path: Path) -> None:
    words = "1\ton\tX\tX\t_\t_\t0\troot\t_\t_\n2\tus\tX\tX\t_\t_\t1\tdep\t_\t_\n\n"
    trees = write(tmp_path, "r.conllu", f"# text = on us\n{words}")
    plain = write(tmp_path, "s.txt", "on us\n")
    assert call("score", trees, "-i", plain, "-m", "wer", *JSON).values() == {"wer": 0}
    assert call("score", plain, "-i", trees, "-m", "wer", *JSON).values() == {"wer": 0}
    forced = write(tmp_path, "unnamed", words)
    form = ["score", forced, "-i", trees, "-m", "wer", "--input", "conllu", *JSON]
    assert call(*form).values() == {"wer": 0}


def test_nist_reads_references_twice_and_systems_once(files: tuple[str, str, str]) -> None:
    reference, second, system = files
    form = ["-r", second, "-m", "nist,cder", *JSON]
    expected = call("score", reference, "-i", system, *form).values()
    given = Path(system).read_bytes()
    assert call("score", reference, "-i", "-", *form, stdin=given).values() == expected


@pytest.mark.parametrize(
    ("content", "held"), [("0 1\n1 0,2\n", "orders"), ("0-0 1-1\n\n0-1 1p0\n", "alignments")]
)
def test_files_that_say_not_what_they_are(tmp_path: Path, content: str, held: str) -> None:
    """Numbers are never scored as words unless somebody says that they are words."""
    path = write(tmp_path, "numbers", content)
    for names in ([], ["-m", "all"]):
        form = ["score", path, "-i", path, *names]
        call(*form).refused(2, f"{path} looks like {held}", "--input")
        call(*form, "--input", held).good()
        call(*form, "--input", "text").good()
    named = write(tmp_path, {"orders": "x.orders", "alignments": "x.align"}[held], content)
    metrics = call("score", named, "-i", named, *JSON).values()
    assert next(iter(metrics)) == {"orders": "frs", "alignments": "aer"}[held]


@pytest.mark.parametrize(
    ("lines", "held"), [(b"0 1\n1 0,2\n", "orders"), (b"0-0 1-1\n\n0-1 1p0\n", "alignments")]
)
def test_streams_that_say_not_what_they_are(tmp_path: Path, lines: bytes, held: str) -> None:
    system = write(tmp_path, "s", lines)
    answer = call("score", "-", "-i", system, stdin=lines)
    answer.refused(2, f"<stdin> looks like {held}", "--input")
    call("score", "-", "-i", system, "--input", held, stdin=lines).good()
    call("score", "-", "-i", system, "--input", "text", stdin=lines).good()


def test_a_streamed_reference_has_the_notes_of_a_file(tmp_path: Path) -> None:
    lines = "\u3053\u308c\u306f\u672c\u3067\u3059\u3001\u308f\u304b\u308a\u307e\u3059\u3002\n" * 20
    path = write(tmp_path, "j.txt", lines)
    of_file = call("score", path, "-i", f"s={path}", "-m", "bleu").good().stderr
    streamed = call("score", "-", "-i", f"s={path}", "-m", "bleu", stdin=lines.encode()).good()
    assert "of the lines are Japanese without blanks" in of_file
    assert streamed.stderr == of_file.replace(path, "<stdin>")


@pytest.mark.parametrize("verb", ["score", "compare"])
@pytest.mark.parametrize("metrics", ["frs", "kendall,cder"])
def test_order_metrics_match_words_by_default(
    files: tuple[str, str, str], verb: str, metrics: str
) -> None:
    """As `--aligner exact+stem` does, and a note says so."""
    reference, other, system = files
    form = [verb, reference, "-i", system, other, "-m", metrics, "--format", "tsv"]
    named = call(*form, "--aligner", "exact+stem").good()
    default = call(*form).good()
    assert default.stdout == named.stdout
    assert "words that match by --aligner exact+stem, the default" in default.stderr
    assert "the default" not in named.stderr


def test_words_of_other_languages_match_by_their_stems(tmp_path: Path) -> None:
    text = "wir haben uns gestern mit ihnen über das neue haus im dorf am see unterhalten\n" * 3
    moved = "gestern haben wir uns mit ihnen am see im dorf über das neue haus unterhalten\n" * 3
    form = ["score", write(tmp_path, "ref", text), "-i", write(tmp_path, "sys", moved)]
    form += ["-m", "frs", "--format", "tsv"]
    told = call(*form).good()
    assert "--aligner exact+stem --language de, the default" in told.stderr
    assert "stems:de" in told.text
    assert told.stdout == call(*form, "--aligner", "exact+stem").good().stdout
    english = call(*form, "--language", "en").good()
    assert "stems:en" in english.text
    vietnamese = "chúng tôi đã gặp nhau hôm qua ở ngôi nhà mới trong làng bên hồ\n" * 3
    form[1] = form[3] = write(tmp_path, "vi", vietnamese)
    unknown = call(*form).good()
    assert "--language names the language" in unknown.stderr
    assert "--aligner exact, the default" in unknown.stderr


def test_notes_that_differ_in_numbers_come_once(tmp_path: Path) -> None:
    """Inversions are not looked for in long sentences; each part of the text would say so."""
    long = " ".join(f"w{i}" for i in range(60)) + "\n"
    reference = write(tmp_path, "r", (long + "a b\n" * 9) * 4000)
    system = write(tmp_path, "s", (long + "b a\n" * 9) * 4000)
    answer = call("score", reference, "-i", system, "-m", "inversion-wer", *JSON).good()
    assert answer.json["skipped"] == 4000
    notes = [line for line in answer.stderr.splitlines() if "inversion-wer: " in line]
    assert len(notes) == 2
    assert notes[1].startswith('wordorder: note: 4 more notes like "inversion-wer: ')
    assert (
        "skipped 4000 segments that inversion-wer cannot score (10 % of segments): lines 1, 11, "
        in answer.stderr
    )


def test_comparison_of_translations(files: tuple[str, str, str]) -> None:
    reference, _, system = files
    form = ["compare", reference, "-i", system, f"same={reference}", "-m", "cder,nist,bleu"]
    text = call(*form, "--resamples", "200").good().text
    assert "6 segments, 0 skipped" in text
    found = call(*form, "--resamples", "200", *JSON).good().json["metrics"]
    assert [metric["metric"] for metric in found] == ["cder", "nist", "bleu"]
    assert [metric["systems"][1]["value"] == 0 for metric in found] == [True, False, False]


@pytest.mark.parametrize("preset", [n for n in PRESETS if not PRESETS[n].links_of_systems])
def test_figures_of_other_evaluators(preset: str) -> None:
    source = [tokens(line) for line in read_lines(SOURCE)]
    gold = read_alignments(ALIGNMENTS, source_lengths=[len(words) for words in source])
    form = ["score", ALIGNMENTS, "-i", SYSTEMS[2], "none", "--compat", preset, "--source", SOURCE]
    found = call(*form, *JSON).good().json
    assert found["compat"] == preset
    for system, orders in zip(found["systems"], (read_orders(SYSTEMS[2]), None), strict=True):
        expected = evaluate_compat(preset, orders, gold, source)
        assert [score["figure"] for score in system["scores"]] == list(expected)
        for score, figure in zip(system["scores"], expected.values(), strict=True):
            assert score["value"] == figure.value
            assert score["signature"] == str(figure.signature)
            assert (score["segments"], score["skipped"]) == (72, figure.skipped)
    text = call(*form).good().text
    rows = call(*form, "--format", "tsv").good().text.splitlines()
    assert len(rows) == 1 + 2 * len(PRESETS[preset].scores)
    for label in expected:
        assert f"\n{label}: " in text


def test_moses_compares_two_alignments_too() -> None:
    form = ["score", TARGET, "-i", TARGET, "--compat", "moses", *BOTH, *JSON]
    scores = call(*form).good().json["systems"][0]["scores"]
    assert [score["figure"] for score in scores] == ["HAMMING", "KENDALL"]
    assert all(score["value"] == 1 for score in scores)
    assert all("|brevity:yes|" in score["signature"] for score in scores)


def test_reordered_text_for_other_evaluators() -> None:
    form = ["score", ALIGNMENTS, "-i", SOURCE, "none", "--compat", "lader", "--source", SOURCE]
    text, none = call(*form, *JSON).good().json["systems"]
    assert text["scores"] == none["scores"]


def test_orders_that_are_not_of_the_whole_source(tmp_path: Path) -> None:
    alignments = write(tmp_path, "a.align", "0-0 1-1\n0-0 1-1\n")
    source = write(tmp_path, "s", "a b\na b\n")
    for line in ("0", "0 2", "0 1 2", ""):
        path = write(tmp_path, "x.orders", f"1 0\n{line}\n")
        form = ["score", alignments, "-i", path, "--compat", "beer", "--source", source]
        call(*form).refused(1, f"{path}:2: ", "each of its 2 words once")


@pytest.mark.parametrize("notation", ["pharaoh", "talbot", "lader", "naacl"])
def test_every_notation_gives_the_same_orders(tmp_path: Path, notation: str) -> None:
    words = [tokens(line) for line in read_lines(SOURCE)]
    translations = [tokens(line) for line in read_lines(TARGET)]
    given = read_alignments(ALIGNMENTS)
    rows = [
        sorted({target: (source, target) for source, target in row.links}.values()) for row in given
    ]
    alignments = Alignments.from_rows(
        rows,
        source_lengths=[len(row) for row in words],
        target_lengths=[len(row) for row in translations],
    )
    if notation == "talbot":
        alignments = given
    path = tmp_path / "made"
    write_alignments(alignments, path, format=notation)
    plain = tmp_path / "plain.align"
    write_alignments(alignments, plain, format="pharaoh")
    expected = call("reference", plain, "--source", SOURCE, "--rule", "lrscore").good().stdout
    for named in ("auto", notation):
        form = ["--source", SOURCE, "--rule", "lrscore", "--format", named]
        assert call("reference", path, *form).good().stdout == expected


def test_reordered_text_still_goes_with_orders() -> None:
    form = ["score", REFERENCE, "-i", SOURCE, "-m", "frs", "--source", SOURCE, *JSON]
    found = call(*form).values()
    assert found == call("score", REFERENCE, "-i", SYSTEMS[0], *form[4:6], *JSON).values()


def test_an_analysis_without_a_score_is_json(tmp_path: Path) -> None:
    blank = write(tmp_path, "blank.txt", "\n\n")
    systems = "-i", f"A={blank}", f"B={blank}"
    document = call("analyze", blank, *systems, "--format", "json").good().json
    assert document["answer"].startswith("No segment has what FRS needs")
    assert "nan" not in call("analyze", blank, *systems, "--tables").good().stdout.decode().lower()
