"""Language models: asked against look-ups in a dictionary, estimated by fractions, and as text."""

import dataclasses
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.files import written
from tests.notes import UnexpectedNote, noted
from tests.oracles_language_models import compiled_model, kneser_ney, random_model, sentence_scores
from tests.refusing import refuses

from wordorder.arrays import Ragged
from wordorder.errors import InputError, ModelError, UsageError
from wordorder.translation.language_model import LanguageModel
from wordorder.translation.ngrams import SPECIAL_WORDS

WORDS = ["a", "b", "c", "d"]


@pytest.fixture
def model() -> LanguageModel:
    return compiled_model(random_model(random.Random(3), 3, WORDS), WORDS)


@pytest.mark.parametrize("order", range(1, 7))
def test_scores_are_those_of_a_dictionary(order: int) -> None:
    rng = random.Random(order)
    for _ in range(10):
        listed = random_model(rng, order, WORDS)
        model = compiled_model(listed, WORDS)
        assert model.order == order
        lines = [rng.choices([*WORDS, "new"], k=rng.randint(0, 9)) for _ in range(8)]
        expected = [sentence_scores(listed, line) for line in lines]
        text = [" ".join(line) for line in lines]
        found = model.word_scores(text)
        assert len(found) == len(expected)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours.tolist() == pytest.approx(theirs, abs=1e-12)
        assert model.score(text).tolist() == pytest.approx(list(map(math.fsum, expected)))


def test_numbers_and_words_give_the_same(model: LanguageModel) -> None:
    rows = model.number(["a b new", "", "d"])
    assert rows.to_lists() == [[3, 4, 0], [], [6]]
    assert model.score(rows).tolist() == model.score(["a b new", "", "d"]).tolist()


def test_perplexity_counts_the_ends(model: LanguageModel) -> None:
    total = model.score(["a b", "c"]).sum()
    assert model.perplexity(["a b", "c"]) == pytest.approx(math.exp(-total / 5))
    refuses(InputError, "no lines; expected at least one sentence", model.perplexity, [])


def test_a_state_is_as_short_as_it_can_be() -> None:
    model = compiled_model(
        {**dict.fromkeys([("<s>",), ("a",)], (-1.0, 0.0)), ("a", "a"): (-1, 0)}, "a"
    )
    # "a" begins an n-gram, "a a" is as long as any, and nothing follows "<s>".
    assert model.following.tolist() == [0, 0, 0, 0, 4, 4]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        *((each, "expected") for each in ("a b", [1], ["a", 2])),
        *((Ragged.from_rows([[1], [3, x]]), f"row 2: word {x}; expected 0 to 6") for x in (-1, 7)),
    ],
)
def test_what_is_no_text_is_refused(model: LanguageModel, given: Any, message: str) -> None:
    refuses(InputError, message, model.score, given)


def put(name: str, value: float) -> Callable[[LanguageModel], dict[str, Any]]:
    """Return what changes one entry of an array."""

    def changed(model: LanguageModel) -> dict[str, Any]:
        array = getattr(model, name).copy()
        array[5] = value
        return {name: array}

    return changed


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (put("suffix", 5), "suffix is not listed before"),
        (put("suffix", -1), "suffix is not listed before"),
        (put("following", 6), "state is not listed before"),
        (put("probability", np.nan), "not a number"),
        (put("backoff", np.inf), "not a number"),
        ({"order": 0}, "order 0; expected 1 to 6"),
        ({"words": ["<s>", "</s>", "<unk>", *WORDS]}, "first words"),
        ({"words": list("abcdefghijklmnopqrstuvwxyz") * 9}, "first words"),
        ({"backoff": np.zeros(3, np.float32)}, "backoff is not a flat float32 array"),
        ({"suffix": np.zeros(3, np.int64)}, "suffix is not a flat int32 array"),
        ({"keys": np.full(4, 7, np.int64), "nodes": np.zeros(4, np.int32)}, "no free slot"),
        ({"keys": np.full(5, -1, np.int64), "nodes": np.zeros(5, np.int32)}, "power of two"),
        ({"keys": np.array([7, -1]), "nodes": np.array([99999, 0], np.int32)}, "not a node"),
    ],
)
def test_arrays_that_do_not_fit_together_are_refused(
    model: LanguageModel, changed: Any, message: str
) -> None:
    parts = changed(model) if callable(changed) else changed
    refuses(ModelError, message, dataclasses.replace, model, **parts)


# -- Estimating language models: against the formulas in fractions. --------------------------------


def text(rng: random.Random, sentences: int, words: int) -> list[list[str]]:
    """Draw sentences of words of unequal frequency, some of them empty."""
    ranks = list(range(1, words + 1))
    shares = [1 / rank for rank in ranks]
    return [
        [f"w{k}" for k in rng.choices(ranks, shares, k=rng.randint(0, 7))] for _ in range(sentences)
    ]


def ngrams_of(model: LanguageModel) -> dict[int, tuple[str, ...]]:
    """Return the words of each node, from the table of its children."""
    found: dict[int, tuple[str, ...]] = {0: ()}
    found |= {number + 1: (word,) for number, word in enumerate(model.words)}
    for slot in np.argsort(model.nodes, kind="stable").tolist():
        if model.keys[slot] >= 0:
            key = int(model.keys[slot])
            found[int(model.nodes[slot])] = (*found[key >> 32], model.words[key & 0xFFFFFFFF])
    return found


@pytest.mark.allow_notes("too little text")
@pytest.mark.parametrize("order", range(1, 7))
@pytest.mark.parametrize("prune", [0, 1, [0, 1, 2, 3, 3, 4]])
@pytest.mark.parametrize("sentences", [1, 2, 60])
def test_the_formulas_in_fractions(order: int, prune: int | list[int], sentences: int) -> None:
    lines = text(random.Random(order), sentences, 9)
    given = prune[:order] if isinstance(prune, list) else prune
    least = [0, 0, *[prune] * 4] if isinstance(prune, int) else prune
    expected = kneser_ney(lines, order, least)
    model = LanguageModel.estimate([" ".join(row) for row in lines], order=order, prune=given)
    ngrams = ngrams_of(model)
    assert len(ngrams) == len(model)
    assert {*ngrams.values()} == {(), *expected, *((word,) for word in SPECIAL_WORDS)}
    for node, ngram in ngrams.items():
        if ngram:
            probability, weight = expected[ngram]
            assert model.probability[node] == pytest.approx(math.log(probability), abs=2e-6)
            assert model.backoff[node] == pytest.approx(math.log(weight), abs=2e-6)
            assert ngrams[int(model.suffix[node])] == ngram[1:]


@pytest.mark.allow_notes("too little text")
@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("prune", [0, 2])
def test_probabilities_sum_to_one_after_every_context(order: int, prune: int) -> None:
    rng = random.Random(order)
    lines = [" ".join(row) for row in text(rng, 80, 12)]
    model = LanguageModel.estimate(lines, order=order, prune=prune)
    words = [word for number, word in enumerate(model.words) if number not in (1, 2)]
    contexts = ["", *lines[:6], *(" ".join(rng.choices(words, k=4)) for _ in range(20))]
    for context in contexts:
        # The end of a sentence is scored behind the context itself.
        scores = [model.word_scores([f"{context} {word}"])[0][-2] for word in words]
        scores.append(model.word_scores([context])[0][-1])
        assert math.fsum(map(math.exp, scores)) == pytest.approx(1, abs=1e-5)


@pytest.mark.allow_notes("too little text")
def test_numbers_of_a_wider_vocabulary() -> None:
    words = [*SPECIAL_WORDS, "b", "a", "never"]
    named = LanguageModel.estimate(["a b", "b a a new"], order=2, words=words)
    numbered = LanguageModel.estimate(
        Ragged.from_rows([[4, 3], [3, 4, 4, 0]]), order=2, words=words
    )
    assert named.score(["a never", "x"]).tolist() == numbered.score(["a never", "x"]).tolist()
    assert list(named.words) == words
    total = sum(math.exp(named.word_scores([word])[0][0]) for word in ("<unk>", *words[3:]))
    assert total + math.exp(named.score([""])[0]) == pytest.approx(1)
    # "new" counted as unknown once, "never" not at all.
    assert named.probability[1] > named.probability[6]
    with pytest.raises(UsageError, match="rows of numbers need the words"):
        LanguageModel.estimate(Ragged.from_rows([[3]]))


def test_too_little_text_is_said() -> None:
    with noted("n-grams of 1, 2, 3 words: 0.5, 1, 1.5 are used"):
        LanguageModel.estimate(["a b"], order=3)


@pytest.mark.allow_notes("too little text")
def test_many_ngrams_make_the_table_grow() -> None:
    rng = random.Random(5)
    lines = [" ".join(str(rng.randrange(300)) for _ in range(9)) for _ in range(200)]
    model = LanguageModel.estimate(lines, order=5)
    known = {
        tuple(row[i : i + n])
        for row in (("<s>", *line.split(), "</s>") for line in lines)
        for n in range(2, 6)
        for i in range(len(row) - n + 1)
    }
    assert len(model) == 1 + len(model.words) + len(known)
    assert {*ngrams_of(model).values()} >= known


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        *(
            (["a", f"b {x}"], f"^line 2: the word {x}, which has .*; expected text")
            for x in SPECIAL_WORDS
        ),
        ([], "no lines of text; expected at least one sentence"),
        (Ragged.from_rows([[4]]), "row 1: word 4; expected 0 to 3"),
    ],
)
def test_text_that_teaches_nothing_is_refused(lines: Any, message: str) -> None:
    words = [*SPECIAL_WORDS, "a"] if isinstance(lines, Ragged) else None
    refuses(InputError, message, LanguageModel.estimate, lines, words=words)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": 0}, "order of a language model is 1 to 6, not 0"),
        ({"order": 7}, "not 7"),
        ({"order": True}, "not True"),
        ({"prune": -1}, "prune: -1; expected a whole number, or 4 that never fall, the first 0"),
        ({"prune": [0, 1]}, "prune"),
        ({"prune": [0, 1, 0, 1]}, "prune"),
        ({"prune": [1, 1, 1, 1]}, "prune"),
        ({"prune": [0, 0, 0, 1.5]}, "prune"),
        ({"prune": "0001"}, "prune"),
    ],
)
def test_options_out_of_their_range_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        LanguageModel.estimate(["a"], **options)  # type: ignore[arg-type]  # that is tested


# -- Models as text: against what lmplz and KenLM print, and there and back. -----------------------


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
    assert list(one.words) == [*SPECIAL_WORDS, "a"]


def test_a_word_may_hold_any_other_blank(tmp_path: Path) -> None:
    text = SMALL.replace("\ta", "\tx\u3000y\u2028z").replace(" a", " x\u3000y\u2028z")
    model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    assert list(model.words) == [*SPECIAL_WORDS, "x\u3000y\u2028z"]
    model.save_arpa(tmp_path / "b.arpa")
    assert list(LanguageModel.load_arpa(tmp_path / "b.arpa").words) == list(model.words)


def test_without_unk_unknown_words_are_improbable(tmp_path: Path) -> None:
    text = SMALL.replace("-0.8\t<unk>\n", "").replace("ngram 1=4", "ngram 1=3")
    with noted("no <unk>; unknown words get the probability 1e-100"):
        model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    assert listed(model)[("<unk>",)] == pytest.approx([-100, 0])
    assert model.word_scores(["b"])[0][0] / math.log(10) == pytest.approx(-100.2)


def test_the_ending_of_an_ngram_may_be_missing(tmp_path: Path) -> None:
    model = LanguageModel.load_arpa(written(tmp_path, LONGER, "a.arpa"))
    scores = model.word_scores(["a a"])[0] / math.log(10)
    assert scores.tolist() == pytest.approx([-0.2, -0.05, -0.4])


def test_an_order_without_ngrams_is_read(tmp_path: Path) -> None:
    """What is longer backs off; each score is a sum by hand."""
    text = SMALL.replace("ngram 2=2", "ngram 2=2\nngram 3=0").replace(
        "\\end", "\\3-grams:\n\n\\end"
    )
    model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    scores = model.score(["a", "a a", "b"]) / math.log(10)
    assert scores.tolist() == pytest.approx([-0.2 - 0.4, -0.2 - 0.1 - 0.3 - 0.4, -0.2 - 0.8 - 0.7])
    model.save_arpa(tmp_path / "b.arpa")
    assert listed(LanguageModel.load_arpa(tmp_path / "b.arpa")) == listed(model)


def test_the_longest_ngrams_may_have_a_weight_that_changes_nothing(tmp_path: Path) -> None:
    text = SMALL.replace("a </s>", "a </s>\t-0")
    model = LanguageModel.load_arpa(written(tmp_path, text, "a.arpa"))
    assert listed(model) == listed(LanguageModel.load_arpa(written(tmp_path, SMALL, "b.arpa")))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ngram 2=2", f"ngram 2={'9' * 15}", r":15: '\\end\\'; expected 9{15} n-grams .*, not 2"),
        ("ngram 2=2", f"ngram 2={'9' * 5000}", ":3: 'ngram 2=9.*; expected ngram 2=COUNT"),
        ("ngram 2=2", "ngram 2=\u0662", ":3: .*; expected ngram 2=COUNT"),
        (
            "a </s>",
            "a </s>\t-0.1",
            ":13: .*; expected no weight after n-grams of 2 words, the long",
        ),
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
    kind = UnexpectedNote if "no <unk>" in message else InputError
    refuses(kind, f"a.arpa{message}", LanguageModel.load_arpa, path)


def test_ngrams_may_not_be_too_long_and_files_must_be_there(tmp_path: Path) -> None:
    text = "\\data\\\n" + "".join(f"ngram {n}=1\n" for n in range(1, 8))
    message = "8: 'ngram 7=1'; expected n-grams of at most 6 words"
    refuses(InputError, message, LanguageModel.load_arpa, written(tmp_path, text, "a.arpa"))
    refuses(InputError, r"none\.arpa", LanguageModel.load_arpa, tmp_path / "none.arpa")
    model = LanguageModel.load_arpa(GOLDEN / "order3.arpa")
    refuses(UsageError, "cannot be created", model.save_arpa, tmp_path / "none" / "a.arpa")


@pytest.mark.allow_notes("too little text")
@pytest.mark.parametrize("word", ["New York", "a\nb", "", "a\rb"])
def test_words_that_the_format_cannot_hold_are_refused(tmp_path: Path, word: str) -> None:
    model = LanguageModel.estimate(["a"], words=[*SPECIAL_WORDS, "a", word])
    with pytest.raises(InputError, match="word 4: .*; expected a word without blanks"):
        model.save_arpa(tmp_path / "a.arpa")
    assert not (tmp_path / "a.arpa").exists()
