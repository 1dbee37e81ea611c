"""How letters follow each other."""

import math
from collections import Counter

import numpy as np
import pytest

from wordorder.errors import ModelError
from wordorder.parsing.letters import SCALE, STRANGE, LetterProfile
from wordorder.treebank.treebank import Treebank

WORDS = "the other mother then gathers these feathers there that hat hot".split()


def profile(words: list[str], times: int = 3) -> LetterProfile:
    return LetterProfile.learn(Treebank.from_words([words] * times))


def slow_score(word: str, words: list[str]) -> float:
    """Witten and Bell's smoothing, written down from its definition."""
    text = ["  " + each for each in words]
    threes = Counter(t[k - 2 : k + 1] for t in text for k in range(2, len(t)))
    twos, ones = Counter[str](), Counter[str]()
    for three, times in threes.items():
        twos[three[1:]] += times
        ones[three[2]] += times

    def share(context: str, letter: str, counts: Counter[str], below: float) -> float:
        own = {key[-1]: times for key, times in counts.items() if key[:-1] == context}
        if not own:
            return below
        total = sum(own.values())
        return (own.get(letter, 0) + len(own) * below) / (total + len(own))

    bits = 0.0
    padded = "  " + word
    for k in range(2, len(padded)):
        letter = padded[k]
        alone = ones[letter] / ones.total()
        two = share(padded[k - 1], letter, twos, alone)
        bits += math.log2(share(padded[k - 2 : k], letter, threes, two) / alone)
    return bits


@pytest.mark.parametrize("word", ["the", "mother", "hat", "gathers", "tho", "eee", "rrh"])
def test_scores_are_those_of_the_definition(word: str) -> None:
    # Three sentences: none is held out.
    sums, letters = profile(WORDS).scores([word])
    assert letters.tolist() == [len(word)]
    # What was seen is rounded once a letter, what was not twice or three times.
    assert abs(float(sums[0]) - slow_score(word, WORDS * 3)) <= 3 * len(word) * 0.5 / SCALE + 1e-9


def test_only_letters_count_whatever_their_case() -> None:
    sums, letters = profile(WORDS).scores(["The", "t-h7e.", "", "42"])
    assert letters.tolist() == [3, 3, 0, 0]
    assert sums[0] == sums[1]
    assert sums[2:].tolist() == [0, 0]


def test_letters_that_the_language_does_not_have() -> None:
    sums, _ = profile(WORDS).scores(["слово", "x"])
    assert sums.tolist() == [5 * STRANGE, STRANGE]


def test_a_script_of_names_alone_is_none_of_the_language() -> None:
    words = ["東京", "日本", "京都", "本日"] * 30 + ["ab"]
    sums, _ = profile(words).scores(["ab", "東京"])
    # 2 of 242 letters, each.
    assert sums[0] == pytest.approx(2 * math.log2(2 / 242), abs=1 / SCALE)
    assert sums[1] > 0


def test_new_text_says_how_much_is_unknown() -> None:
    rows = [["aa", "ab"]] * 9 + [["aa", "zz"]]
    found = LetterProfile.learn(Treebank.from_words(rows * 2))
    assert found.unknown == 0.5
    assert LetterProfile.learn(Treebank.from_words([[]])).unknown == 0


def test_what_is_kept_of_a_profile() -> None:
    one = profile(WORDS)
    about, arrays = one.parts()
    again = LetterProfile.from_parts(about, arrays)
    assert again.scores(WORDS)[0].tolist() == one.scores(WORDS)[0].tolist()
    for name, array in (
        ("3.key", arrays["3.key"][::-1].copy()),
        ("2.key", arrays["2.key"].astype(np.int64)),
        ("1.rest", arrays["1.rest"][1:]),
        ("3.score", arrays["3.score"].astype(np.int32)),
    ):
        with pytest.raises(ModelError):
            LetterProfile.from_parts(about, {**arrays, name: array})
