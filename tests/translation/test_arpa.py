"""Language models as text: against what lmplz and KenLM print, and there and back."""

import math
import random
from pathlib import Path

import numpy as np
import pytest
from tests.files import written
from tests.oracles_language_models import compiled_model, random_model
from tests.refusing import refuses
from tests.translation.test_language_model import ngrams_of

from wordorder.errors import InputError, UsageError
from wordorder.messages import WordOrderWarning
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.ngrams import SPECIAL

GOLDEN = Path(__file__).parents[1] / "golden" / "language_model"
WORDS = ["a", "b", "c", "d"]
SMALL = r"""\data\
ngram 1=4
ngram 2=2

\1-grams:
-0.8	<unk>
0	<s>	-0.2
-0.7	</s>
-0.3	a	-0.1

\2-grams:
-0.2	<s> a
-0.4	a </s>

\end\
"""

LONGER = SMALL.replace("ngram 2=2\n", "ngram 2=2\nngram 3=1\n").replace(
    "\\end\\", "\\3-grams:\n-0.05\t<s> a a\n\n\\end\\"
)


def listed(model: LanguageModel) -> dict[tuple[str, ...], list[float]]:
    """Return the logarithms to base 10 of each n-gram's probability and weight."""
    pairs = np.stack([model.probability, model.backoff], 1).astype(np.float64) / math.log(10)
    return {ngram: pairs[node].tolist() for node, ngram in ngrams_of(model).items() if ngram}


@pytest.mark.parametrize(
    ("name", "order", "prune"), [("order1", 1, 0), ("order3", 3, 0), ("order3-pruned", 3, 1)]
)
def test_estimates_are_those_of_lmplz(name: str, order: int, prune: int) -> None:
    lines = (GOLDEN / "text.txt").read_text().splitlines()
    ours = listed(LanguageModel.estimate(lines, order=order, prune=prune))
    theirs = listed(LanguageModel.load_arpa(GOLDEN / f"{name}.arpa"))
    assert {*ours} == {*theirs}
    for ngram, pair in theirs.items():
        assert ours[ngram] == pytest.approx(pair, abs=2e-6)


def test_scores_are_those_of_kenlm() -> None:
    asked = [line.split("\t") for line in (GOLDEN / "asked.tsv").read_text().splitlines()]
    assert len(asked) == 20
    for name, sentence, scores in asked:
        model = LanguageModel.load_arpa(GOLDEN / f"{name}.arpa")
        found = model.word_scores([sentence])[0] / math.log(10)
        assert found.tolist() == pytest.approx([float(s) for s in scores.split()], abs=2e-6)


@pytest.mark.parametrize("order", [1, 2, 4, 6])
@pytest.mark.parametrize("name", ["a.arpa", "a.arpa.gz"])
def test_there_and_back(tmp_path: Path, order: int, name: str) -> None:
    model = compiled_model(random_model(random.Random(order), order, WORDS), WORDS)
    model.save_arpa(tmp_path / name)
    again = LanguageModel.load_arpa(tmp_path / name)
    assert list(again.words) == list(model.words)
    assert again.order == order
    for part in ("probability", "backoff", "suffix", "following"):
        assert getattr(again, part).tobytes() == getattr(model, part).tobytes()


def test_the_text_is_that_of_the_format(tmp_path: Path) -> None:
    lines = (GOLDEN / "text.txt").read_text().splitlines()
    LanguageModel.estimate(lines, order=3).save_arpa(tmp_path / "a.arpa")
    theirs = (GOLDEN / "order3.arpa").read_text().splitlines()
    ours = (tmp_path / "a.arpa").read_text().splitlines()
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        assert one.count("\t") == other.count("\t")
        if "\t" not in other:
            assert one == other


def test_the_order_of_words_and_blanks_do_not_matter(tmp_path: Path) -> None:
    lines = SMALL.replace("\t", " ").replace("\n", "\n\n").split("\n")
    unknown = lines.pop(lines.index("-0.8 <unk>"))
    lines.insert(lines.index(r"\2-grams:"), unknown)
    text = "# made by hand\n" + "\n".join(lines).replace("<unk>", "<UNK>")
    one = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    other = LanguageModel.load_arpa(written(tmp_path, SMALL, "a.arpa"))
    assert listed(one) == listed(other)
    assert list(one.words) == [*SPECIAL, "a"]


def test_a_word_may_hold_any_other_blank(tmp_path: Path) -> None:
    text = SMALL.replace("\ta", "\tx\u3000y\u2028z").replace(" a", " x\u3000y\u2028z")
    model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    assert list(model.words) == [*SPECIAL, "x\u3000y\u2028z"]
    model.save_arpa(tmp_path / "b.arpa")
    assert list(LanguageModel.load_arpa(tmp_path / "b.arpa").words) == list(model.words)


def test_without_unk_unknown_words_are_improbable(tmp_path: Path) -> None:
    text = SMALL.replace("-0.8\t<unk>\n", "").replace("ngram 1=4", "ngram 1=3")
    with pytest.warns(WordOrderWarning, match="no <unk>; unknown words get the probability 1e-100"):
        model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    assert listed(model)[("<unk>",)] == pytest.approx([-100, 0])
    assert model.word_scores(["b"])[0][0] / math.log(10) == pytest.approx(-100.2)


def test_the_ending_of_an_ngram_may_be_missing(tmp_path: Path) -> None:
    model = LanguageModel.load_arpa(written(tmp_path, LONGER, "a.arpa"))
    scores = model.word_scores(["a a"])[0] / math.log(10)
    assert scores.tolist() == pytest.approx([-0.2, -0.05, -0.4])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", r": no line \\data\\; expected a language model in the ARPA format"),
        ("\\end\\\n", "", r": no line \\end\\; expected a language model"),
        ("\\end\\", "\\1-grams:", r":15: '\\1-grams:'; expected \\end\\"),
        ("ngram 1=4\nngram 2=2\n", "", r":3: '\\1-grams:'; expected ngram 1=COUNT"),
        ("ngram 2=2", "ngram 3=2", ":3: 'ngram 3=2'; expected ngram 2=COUNT"),
        ("ngram 2=2", "ngram 2=two", ":3: 'ngram 2=two'; expected ngram 2=COUNT"),
        ("ngram 2=2", "ngram 2=1", r":13: '-0.4\\ta </s>'; expected \\end\\"),
        ("ngram 2=2", "ngram 2=3", r":15: '\\end\\'; expected 3 n-grams of 2 words, not 2"),
        ("ngram 1=4", "ngram 1=5", r":11: '\\2-grams:'; expected 5 n-grams of 1 word, not 4"),
        ("ngram 1=4", "ngram 1=3", r":9: '-0.3\\ta\\t-0.1'; expected \\2-grams:"),
        ("\\2-grams:", "\\3-grams:", r":11: '\\3-grams:'; expected \\2-grams:"),
        ("-0.2\t<s> a", "-0.2\t<s>", r":12: '-0.2\\t<s>'; expected a logarithm, 2 words"),
        ("-0.2\t<s> a", "-0.2\t<s> a a a", ":12: .*; expected a logarithm, 2 words"),
        ("-0.2\t<s> a", "0.2\t<s> a", ":12: .*; expected a logarithm to base 10 of a prob"),
        ("-0.2\t<s> a", "nan\t<s> a", ":12: .*; expected a logarithm to base 10 of a prob"),
        ("-0.2\t<s> a", "-inf\t<s> a", ":12: .*; expected a logarithm to base 10 of a prob"),
        ("-0.2\t<s> a", "x\t<s> a", ":12: .*; expected a logarithm to base 10 of a prob"),
        ("a\t-0.1", "a\tinf", ":9: .*; expected a logarithm to base 10$"),
        ("-0.2\t<s> a", "-0.2\t<s> b", ":12: '<s> b': an n-gram with a word that is not listed"),
        ("-0.2\t<s> a", "-0.2\ta </s>", ":13: 'a </s>': an n-gram that is listed twice"),
        ("<s> a a\n", "a a a\n", ":17: 'a a a': an n-gram whose beginning is not listed"),
        ("a\t-0.1", "<s>\t-0.1", ":9: the word '<s>' is listed twice"),
        ("-0.8\t<unk>", "-0.8\tb", ": no <unk>"),
        ("</s>\n", "b\n", ": no </s> among the words; expected a model of sentences"),
    ],
)
def test_what_is_not_of_the_format_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = written(tmp_path, (LONGER if new == "a a a\n" else SMALL).replace(old, new, 1), "a.arpa")
    kind = WordOrderWarning if "no <unk>" in message else InputError
    refuses(kind, f"a.arpa{message}", LanguageModel.load_arpa, path)


def test_ngrams_may_not_be_too_long_and_files_must_be_there(tmp_path: Path) -> None:
    text = "\\data\\\n" + "".join(f"ngram {n}=1\n" for n in range(1, 8))
    message = "8: 'ngram 7=1'; expected n-grams of at most 6 words"
    refuses(InputError, message, LanguageModel.load_arpa, written(tmp_path, text, "a.arpa"))
    refuses(InputError, r"none\.arpa", LanguageModel.load_arpa, tmp_path / "none.arpa")
    model = LanguageModel.load_arpa(GOLDEN / "order3.arpa")
    refuses(UsageError, "cannot be created", model.save_arpa, tmp_path / "none" / "a.arpa")


@pytest.mark.filterwarnings("ignore:too little text")
@pytest.mark.parametrize("word", ["New York", "a\nb", "", "a\rb"])
def test_words_that_the_format_cannot_hold_are_refused(tmp_path: Path, word: str) -> None:
    model = LanguageModel.estimate(["a"], words=[*SPECIAL, "a", word])
    with pytest.raises(InputError, match="word 4: .*; expected a word without blanks"):
        model.save_arpa(tmp_path / "a.arpa")
    assert not (tmp_path / "a.arpa").exists()
