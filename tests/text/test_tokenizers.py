"""The tokens of sacreBLEU's tokenizers, and characters."""

import gzip
import random
import time
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from tests.cli.running import call
from tests.files import data
from tests.nasty_text import PIECES, nasty_line
from tests.notes import any_notes

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.text.english_tokenizer import EnglishTokenizer
from wordorder.text.preparation import default_tokenizer
from wordorder.text.raw_lines import RawLines
from wordorder.text.sniffing import uncut_note
from wordorder.text.tokenizers import blank_words, characters, edge_words, mteval_words


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Draw lines, and make all strings of two pieces with a digit before, between or behind."""
    rng = random.Random(1)
    found = ["", " ", *(nasty_line(rng) for _ in range(3000))]
    found += [f"1{a}{b}" for a in PIECES for b in PIECES[::5]]
    found += [f"a{a}.{b}2" for a in PIECES[::5] for b in PIECES]
    # Only lists of tokens can hold line breaks and lone surrogates.
    found += [
        "".join(rng.choices([*".-a1 ,", "\n", "\ud800", "<skipped>"], k=8)) for _ in range(500)
    ]
    return found


def raw(lines: list[str]) -> RawLines:
    """Put the lines into an order of their own, so that their bytes are not in line."""
    given = RawLines.from_strings(lines[::-1], surrogates=True)
    return given.take(np.arange(len(lines))[::-1])


def test_13a(lines: list[str]) -> None:
    tokenize = BLEU(tokenize="13a").tokenizer
    found = mteval_words(raw(lines)).strings(surrogates=True)
    # As BLEU calls it, without the white space at the end.
    assert found == [tokenize(line.rstrip()) for line in lines]


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("a..5 1..5 1.5,7 1. .5", "a . .5 1 . . 5 1.5,7 1 . . 5"),
        ("a...5 1...5 x,", "a . . . 5 1 . . .5 x ,"),
        ("1-2 a-b 1--2 -3", "1 - 2 a-b 1 - -2 -3"),
        ("&amp;lt; &amp;quot; &amp;amp; &lt", "< & quot ; & amp ; & lt"),
        ("<ski<skipped>pped> don't", "< skipped > don't"),
        ("1-\n2 3-\n", "12 3 -"),
    ],
)
def test_13a_by_hand(line: str, wanted: str) -> None:
    assert BLEU(tokenize="13a").tokenizer(line.rstrip()) == wanted
    assert mteval_words(RawLines.from_strings([line])).strings() == [wanted]


def test_white_space(lines: list[str]) -> None:
    found = blank_words(raw(lines)).strings(surrogates=True)
    assert found == [" ".join(line.split()) for line in lines]
    blanks = "".join(char for char in map(chr, range(0x110000)) if char.isspace())
    every = RawLines.from_strings([f"a{blanks}b", *(f"{c}a{c}{c}b{c}" for c in blanks)])
    assert blank_words(every).strings() == ["a b"] * (len(blanks) + 1)
    others = [chr(code) for code in range(0x3100) if not chr(code).isspace()]
    assert blank_words(RawLines.from_strings(others)).strings() == others


def test_edges_of_words(lines: list[str]) -> None:
    split = CHRF(word_order=2)._remove_punctuation
    found = edge_words(raw(lines)).strings(surrogates=True)
    assert found == [" ".join(split(line)) for line in lines]


@pytest.mark.parametrize("white_space", [False, True])
def test_characters(lines: list[str], white_space: bool) -> None:
    points, starts, stops = characters(raw(lines), white_space=white_space)
    wanted = lines if white_space else ["".join(line.split()) for line in lines]
    found = [points[a:b].tolist() for a, b in zip(starts, stops, strict=True)]
    assert found == [list(map(ord, line)) for line in wanted]


def test_no_lines() -> None:
    nothing = RawLines.from_strings([])
    assert mteval_words(nothing).strings() == []
    assert characters(nothing, white_space=True)[0].tolist() == []


# -- Raw English into words: what UD English EWT does, nothing lost, no line too long.


# Sentences of our own, and what the annotation of EWT makes of such.
EXAMPLES = {
    "I don't know, and you can't know.": "I do n't know , and you ca n't know .",
    "She'll say it's the dogs' house.": "She 'll say it 's the dogs ' house .",
    "They shouldn't've gone.": "They should n't 've gone .",
    "We cannot go; I'm gonna stay.": "We can not go ; I 'm gon na stay .",
    "dont DONT": "do nt DO NT",
    'He said, "Stop!"': 'He said , " Stop ! "',
    "Mr. Smith met Dr. J. Jones at 7:30PM.": "Mr. Smith met Dr. J. Jones at 7:30 PM .",
    "the U.S. economy, i.e. money, etc.": "the U.S. economy , i.e. money , etc .",
    "to a.b-c@example.org, http://example.org/a-b?c=1.": (
        "to a.b-c@example.org , http://example.org/a-b?c=1 ."
    ),
    "3.5% of $1,000.50 in 2004.": "3.5 % of $ 1,000.50 in 2004 .",
    "a well-known non-stop pre-owned co-worker": "a well - known non-stop pre-owned co-worker",
    "and/or": "and / or",
    "on 11/28/2000 or 3/8/00 call 713-853-3989.": "on 11/28/2000 or 3/8/00 call 713-853-3989 .",
    "2001-2004 (10-12)": "2001 - 2004 ( 10 - 12 )",
    "Wait... what?! No--yes!!!": "Wait ... what ?! No -- yes !!!",
    "Thanks :) bye;-)": "Thanks :) bye ;-)",
    "the 1990s and the 21st": "the 1990s and the 21st",
    "AT&T (in 5kg) [sic]": "AT&T ( in 5 kg ) [ sic ]",
    "<<file.doc>>": "<< file.doc >>",
    "It’s “fine”, isn’t it?": "It ’s “ fine ” , is n’t it ?",
    "co\u00adworkers can\u200dnot x\u200cy": "co\u00adworkers can\u200d not x\u200cy",
    "\U0001f469\u200d\U0001f4bb \U0001f44d\U0001f3fd\u2764\ufe0f!": (
        "\U0001f469\u200d\U0001f4bb \U0001f44d\U0001f3fd \u2764\ufe0f !"
    ),
    "\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7 5\ufe0f\u20e3.": (
        "\U0001f1e9\U0001f1ea \U0001f1eb\U0001f1f7 5\ufe0f\u20e3 ."
    ),
    "हिन्दी, \u0301a": "हिन्दी , \u0301a",
    "": "",
    " \t ": "",
}


@pytest.mark.parametrize(("raw", "words"), EXAMPLES.items())
def test_words(raw: str, words: str) -> None:
    assert EnglishTokenizer().tokenize(raw) == words.split()


@given(st.text())
def test_no_character_is_lost(line: str) -> None:
    words = EnglishTokenizer().tokenize(line)
    assert "".join(words) == "".join(line.split())
    assert all(words)


@given(
    st.lists(st.sampled_from("a 1 . , - ' @ / : ! n't 'll U.S. www. http:// non- 3 _ ( é".split()))
)
def test_no_character_of_tricky_pieces_is_lost(pieces: list[str]) -> None:
    line = "".join(pieces)
    assert "".join(EnglishTokenizer().tokenize(line)) == line


@given(st.lists(st.sampled_from([*"éñÅ한ộệ a.',-3", "q\u0301", "\u00ad", "\u200d", "ো", "n't"])))
def test_decomposed_characters_are_cut_as_composed_ones(pieces: list[str]) -> None:
    one, other = (normalize(form, "".join(pieces)) for form in ("NFC", "NFD"))
    words = EnglishTokenizer().tokenize(one)
    assert EnglishTokenizer().tokenize(other) == [normalize("NFD", word) for word in words]


def test_a_tokenizer_that_remembers_gives_the_same() -> None:
    tokenizer = EnglishTokenizer()
    line = "The U.S. is big. The U.S."
    expected = ["The", "U.S.", "is", "big", ".", "The", "U.S", "."]
    assert tokenizer.tokenize(line) == tokenizer.tokenize(line) == expected


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "e\u0301",
        "\u0301",
        "a-",
        "1.",
        "123-",
        "a.",
        "n't",
        "a'll",
        "a@b.",
        "(",
        ":-",
        "_",
        "non-",
        "U.",
    ],
)
def test_long_lines_take_linear_time(piece: str) -> None:
    tokenizer = EnglishTokenizer()

    def seconds(times: int) -> float:
        line = piece * times
        begin = time.process_time()
        assert "".join(tokenizer.tokenize(line)) == line
        return time.process_time() - begin

    short, long = min(seconds(1000) for _ in range(3)), seconds(10_000)
    # Ten times as long; a hundred times the seconds would be quadratic.
    assert long < 40 * short + 0.05


@pytest.mark.parametrize("part", ["dev", "test"])
def test_agrees_with_the_treebank(part: str) -> None:
    right = found = given = 0
    tokenizer = EnglishTokenizer()
    path = data("ud-english-ewt", f"en_ewt-ud-{part}.conllu.gz")
    sentences = gzip.decompress(path.read_bytes()).decode().split("\n\n")[:-1]
    for sentence in sentences:
        rows = [line.split("\t") for line in sentence.split("\n")]
        text = next(row[0][9:] for row in rows if row[0].startswith("# text = "))
        gold = ends([row[1] for row in rows if row[0].isdigit()])
        mine = ends(tokenizer.tokenize(text))
        right, found, given = right + len(gold & mine), found + len(mine), given + len(gold)
    assert 2 * right / (found + given) >= 0.99


def ends(words: list[str]) -> set[tuple[int, int]]:
    """Return where words begin and end, blanks not counted."""
    spans, place = set(), 0
    for word in words:
        spans.add((place, place + len(word)))
        place += len(word)
    return spans


# -- The tokenizer of text for which none is named.


THAI = "เมื่อวานนี้เราพบกันที่บ้านหลังใหม่ในหมู่บ้าน"
LAO = "ມື້ວານນີ້ພວກເຮົາພົບກັນຢູ່ເຮືອນໃໝ່"
KHMER = "ម្សិលមិញយើងបានជួបគ្នានៅផ្ទះថ្មី"
BURMESE = "မနေ့ကကျွန်ုပ်တို့အိမ်သစ်မှာတွေ့ခဲ့ကြတယ်"


@pytest.mark.parametrize("line", [THAI, LAO, KHMER, BURMESE, "你好", "私たちは六時に会った。"])
def test_scripts_without_blanks_are_cut_into_characters(line: str) -> None:
    assert default_tokenizer([line]) == "char"


@pytest.mark.parametrize(
    "line",
    [
        "Well, he came.",
        "彼 は 昨日 東京 に 行き まし た 。",
        "他 昨天 去 了 东京",
        "그는 어제 갔습니다.",
        "Он пришёл.",
        "1 2 3",
        "",
    ],
)
def test_all_others_are_cut_into_words(line: str) -> None:
    assert default_tokenizer([line]) == "13a"


def test_the_first_hundred_lines_with_words_decide() -> None:
    """However the text is cut into pieces, and whatever comes after them."""
    assert default_tokenizer([*[""] * 500, *CHINESE * 34, *["we met at six"] * 10**4]) == "char"
    texts = wo.Segments.from_text(["a"] * 10**3, [*CHINESE * 34, *["we met at six"] * 898]).texts
    assert dict(texts.fields)["tok"] == "char"


def test_metrics_with_tokenizers_of_their_own_keep_them() -> None:
    """Values are sacreBLEU's without options, to the last digit."""
    ours, theirs = (
        ['He said: "No," (twice).', "It's 3,5 %."],
        ['"No!", he said (once).', "It is 3.5%."],
    )
    found = wo.score({"a": ours}, theirs, "cder,bleu,ter,chrf", settings={"chrf.word_order": "2"})
    cder, *values = found.values()["a"].values()
    expected = [metric.corpus_score(ours, [theirs]).score for metric in (BLEU(), TER(), CHRF(6, 2))]
    assert [100 * value for value in values] == pytest.approx(expected)
    cut = [[BLEU().tokenizer(line) for line in lines] for lines in (ours, theirs)]
    assert cder == wo.metric("cder").corpus_score(*cut, tokenizer="none").value


def test_links_and_lists_keep_the_words_as_they_are(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("ref", "sys", "src", "links")]
    for path, line in zip(
        paths, ["Yes, he is.", "Yes, is he.", "Ja, er ist.", "0-0 1-1 2-2"], strict=True
    ):
        Path(path).write_text(f"{line}\n")
    reference, system, source, links = paths
    form = ["score", reference, "-i", system, "-m", "frs,cder", "--format", "tsv"]
    aligned = ["--hypothesis-alignments", links, "--reference-alignments", links]
    linked = call(*form, "--source", source, *aligned).good()
    assert "tok:none" in linked.text
    assert "tok:13a" not in linked.text
    plain = call(*form, "--aligner", "exact").good()
    assert "tok:none" not in plain.text
    piped = call(*form[:1], "-", *form[2:], "--aligner", "exact", stdin=b"Yes, he is.\n").good()
    assert piped.stdout == plain.stdout
    lists = wo.score({"a": [["Yes,", "he", "is."]]}, [["Yes,", "he", "is."]], "cder")
    assert "tok:none" in lists.signature


def test_pieces_that_are_cut_in_different_ways_are_refused() -> None:
    running = wo.Accumulator(wo.metric("per"))
    for lines in (JAPANESE, CHINESE):
        running.update(wo.Segments.from_text(lines, lines))
    english = wo.Segments.from_text(["we met"], ["we met"])
    with pytest.raises(UsageError, match="different ways: name one tokenizer, not 13a and char"):
        running.update(english)


# -- Japanese and Chinese without blanks between words: one note, wherever text is read as words.


JAPANESE = ["彼は昨日東京に行きました。", "私たちは六時に会った。", "この本はとても面白いです。"]
CHINESE = ["他昨天去了东京买东西。", "我们六点钟见面了吧。", "这本书非常有意思呢。"]
CUT = ["彼 は 昨日 東京 に 行き まし た 。", "私 たち は 六 時 に 会っ た 。", "本 です 。"]
THAI_LINES = ["เมื่อวานนี้ฉันไปโรงเรียนครับ", "เธอกำลังอ่านหนังสือ ที่บ้านของเพื่อน"]
THAI_LINES_CUT = ["เมื่อวานนี้ ฉัน ไป โรงเรียน ครับ", "เธอ กำลัง อ่าน หนังสือ ที่ บ้าน ของ เพื่อน"]
LAO_LINES, KHMER_LINES, BURMESE_LINES = (
    ["ຂ້ອຍໄປໂຮງຮຽນມື້ວານນີ້"],
    ["ខ្ញុំទៅសាលារៀនកាលពីម្សិលមិញ"],
    ["မနေ့ကကျောင်းသွားခဲ့တယ်"],
)
KOREAN = ["그는 어제 도쿄에 갔습니다 .", "우리는 여섯시에 만났습니다 .", "이 책은 재미있습니다 ."]
ENGLISH = ["he went to Tokyo (東京) yesterday .", "we met at six .", "a book ."]
ABBREVIATED = ["Mr. Smith , of the U.S. , met Dr. Jones .", "they ate , drank , etc. ."]


@pytest.mark.parametrize(
    "lines", [CUT, THAI_LINES_CUT, KOREAN, ENGLISH, ABBREVIATED, [], ["", " "], ["東京", "日本"]]
)
def test_what_is_not_noted(lines: list[str]) -> None:
    assert uncut_note("a", lines, "--tokenizer") == ""


def test_shares_and_languages() -> None:
    said = uncut_note("a", [*JAPANESE, *ENGLISH, ""], "--tokenizer")
    assert said.startswith("a: 50 % of the lines are Japanese without blanks between words")
    assert '--tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --token' in said
    said = uncut_note("a", CHINESE, "-O=bleu.tokenize")
    assert said.endswith(
        "Chinese without blanks between words, so that a line is one word: "
        "-O=bleu.tokenize=zh cuts them, or -O=bleu.tokenize=char"
    )
    assert uncut_note("a", [*JAPANESE, *CUT * 20], "--tokenizer") == ""
    for language, lines in {
        "Thai": THAI_LINES,
        "Lao": LAO_LINES,
        "Khmer": KHMER_LINES,
        "Burmese": BURMESE_LINES,
    }.items():
        said = uncut_note("a", lines, "--tokenizer")
        assert f"of the lines are {language} without blanks between words" in said
        assert said.endswith("one word: --tokenizer=char cuts them")


def notes(function: Any, *args: Any, **options: Any) -> list[str]:
    with any_notes() as found:
        function(*args, **options)
    return [text for text in found if "without blanks" in text]


def test_in_python() -> None:
    """Metrics that cut lines themselves are named; characters are words for all others."""
    said = notes(wo.metric("bleu").corpus_score, JAPANESE * 999, JAPANESE * 999)
    assert len(said) == 1
    assert said[0].startswith("bleu: references: 100 % of the lines are Japanese")
    assert 'tokenizer="ja-mecab"' in said[0]
    assert notes(wo.metric("cder").corpus_score, JAPANESE, JAPANESE) == []
    assert notes(wo.metric("bleu").corpus_score, JAPANESE, JAPANESE, tokenizer="char") == []
    assert len(notes(wo.metric("cder").corpus_score, JAPANESE, JAPANESE, tokenizer="none")) == 1


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
def test_on_the_command_line(verb: str, tmp_path: Path) -> None:
    names = []
    for name in ("ref", "a", "b"):
        names.append(str(tmp_path / name))
        Path(names[-1]).write_text("".join(f"{line}\n" for line in CHINESE * 9), "utf-8")
    command = [verb, names[0], "-i", *names[1:]]
    command += [] if verb == "analyze" else ["-m", "cder,per,bleu"]
    command += ["--input", "text"] if verb == "analyze" else []
    said = [line for line in call(*command).good().stderr.splitlines() if "blanks" in line]
    assert len(said) == 1
    assert said[0].endswith(
        "ref: 100 % of the lines are Chinese without blanks between words, so that a line is one "
        "word: --tokenizer zh cuts them, or --tokenizer char"
    )
    assert "blanks" not in call(*command, "--tokenizer", "zh").good().stderr
    if verb == "score":
        assert "blanks" not in call(verb, names[0], "-i", names[1], "-m", "cder").good().stderr
        bleu = call(verb, names[0], "-i", names[1], "-m", "bleu").good().stderr
        assert "--tokenizer zh cuts them" in bleu
        assert "blanks" not in call(verb, names[0], "-i", names[1], "-m", "chrf").good().stderr


def test_a_missing_mecab_names_our_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sacrebleu.metrics.bleu

    def missing(**_: Any) -> None:
        raise RuntimeError('Please install `pip install "sacrebleu[ja]"`')

    monkeypatch.setattr(sacrebleu.metrics.bleu, "BLEU", missing)
    with pytest.raises(UsageError, match=r'not installed: pip install "wordorder\[ja\]"$'):
        wo.Segments.from_text(JAPANESE, JAPANESE, tokenizer="ja-mecab")
