"""Japanese and Chinese without blanks between words: one note, wherever text is read as words."""

import warnings
from pathlib import Path
from typing import Any

import pytest
from tests.cli.running import call

import wordorder as wo
from wordorder.errors import UsageError, WordOrderWarning
from wordorder.text.lines import unsegmented_note

JAPANESE = ["彼は昨日東京に行きました。", "私たちは六時に会った。", "この本はとても面白いです。"]
CHINESE = ["他昨天去了东京买东西。", "我们六点钟见面了吧。", "这本书非常有意思呢。"]
CUT = ["彼 は 昨日 東京 に 行き まし た 。", "私 たち は 六 時 に 会っ た 。", "本 です 。"]
KOREAN = ["그는 어제 도쿄에 갔습니다 .", "우리는 여섯시에 만났습니다 .", "이 책은 재미있습니다 ."]
ENGLISH = ["he went to Tokyo (東京) yesterday .", "we met at six .", "a book ."]


@pytest.mark.parametrize("lines", [CUT, KOREAN, ENGLISH, [], ["", " "], ["東京", "日本"]])
def test_what_is_not_noted(lines: list[str]) -> None:
    assert unsegmented_note("a", lines, "--tokenizer") == ""


def test_shares_and_languages() -> None:
    said = unsegmented_note("a", [*JAPANESE, *ENGLISH, ""], "--tokenizer")
    assert said.startswith("a: 50 % of the lines are Japanese without blanks between words")
    assert '--tokenizer=ja-mecab cuts them (pip install "wordorder[ja]"), or --token' in said
    said = unsegmented_note("a", CHINESE, "-O=bleu.tokenize")
    assert said.endswith(
        "Chinese without blanks between words, so that a line is one word: "
        "-O=bleu.tokenize=zh cuts them, or -O=bleu.tokenize=char"
    )
    assert unsegmented_note("a", [*JAPANESE, *CUT * 20], "--tokenizer") == ""


def notes(function: Any, *args: Any, **options: Any) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        function(*args, **options)
    return [str(each.message) for each in found if "without blanks" in str(each.message)]


def test_in_python() -> None:
    said = notes(wo.Segments.from_text, JAPANESE * 999, [[line] for line in JAPANESE * 999])
    assert len(said) == 1
    assert said[0].startswith("hypotheses: 100 % of the lines are Japanese")
    assert 'tokenizer="ja-mecab"' in said[0]
    quiet = [[list(line)] for line in JAPANESE]
    assert notes(wo.Segments.from_text, [list(line) for line in JAPANESE], quiet) == []
    assert notes(wo.Segments.from_text, JAPANESE, JAPANESE, tokenizer="char") == []


@pytest.mark.parametrize("verb", ["score", "compare", "analyze"])
def test_on_the_command_line(verb: str, tmp_path: Path) -> None:
    names = []
    for name in ("ref", "a", "b"):
        names.append(str(tmp_path / name))
        Path(names[-1]).write_text("".join(f"{line}\n" for line in CHINESE * 9), "utf-8")
    command = [verb, names[0], "-i", *names[1:]]
    command += [] if verb == "analyze" else ["-m", "cder,per"]
    command += ["--input", "text"] if verb == "analyze" else []
    said = [line for line in call(*command).good().stderr.splitlines() if "blanks" in line]
    assert len(said) == 1
    assert said[0].endswith(
        "ref: 100 % of the lines are Chinese without blanks between words, so that a line is one "
        "word: --tokenizer zh cuts them, or --tokenizer char"
    )
    assert "blanks" not in call(*command, "--tokenizer", "zh").good().stderr
    if verb == "score":
        bleu = call(verb, names[0], "-i", names[1], "-m", "bleu").good().stderr
        assert "-O bleu.tokenize=zh cuts them" in bleu
        assert "blanks" not in call(verb, names[0], "-i", names[1], "-m", "chrf").good().stderr


def test_a_missing_mecab_names_our_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sacrebleu.metrics.bleu

    def missing(**_: Any) -> None:
        raise RuntimeError('Please install `pip install "sacrebleu[ja]"`')

    monkeypatch.setattr(sacrebleu.metrics.bleu, "BLEU", missing)
    with pytest.raises(UsageError, match=r'not installed: pip install "wordorder\[ja\]"$'):
        wo.Segments.from_text(JAPANESE, JAPANESE, tokenizer="ja-mecab")


def test_notes_are_warnings() -> None:
    with pytest.warns(WordOrderWarning, match="Japanese"):
        wo.Segments.from_text(JAPANESE, JAPANESE)
