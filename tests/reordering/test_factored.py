"""Factored text: cut at the bars into columns, or refused at its line."""

from __future__ import annotations

import re

import pytest

from wordorder.errors import InputError, UsageError
from wordorder.reordering.compiled import check_factors, split_factors
from wordorder.treebank.treebank import Treebank


def test_each_factor_in_its_column() -> None:
    bank = Treebank.from_words([["a|DT|x|a|DET"], [], ["cats|NNS|y|cat|NOUN", "a|DT|x|a|DET"]])
    found = split_factors(bank, ["form", "xpos", "_", "lemma", "upos"], "a.txt", 0)
    assert found.form.strings() == ["a", "cats", "a"]
    assert found.xpos.strings() == ["DT", "NNS", "DT"]
    assert found.columns["lemma"].strings() == ["a", "cat", "a"]
    assert found.upos.strings() == ["DET", "NOUN", "DET"]
    assert found.columns["feats"].strings() == ["_"] * 3
    assert split_factors(bank[1:2], ["form", "xpos"], "a.txt", 1).words == 0


@pytest.mark.parametrize("token", ["b", "b|B|c", "|B", "b|", "||"])
def test_a_token_with_other_factors_is_named_with_its_line(token: str) -> None:
    bank = Treebank.from_words([["a|A"], [], ["a|A", token]])
    message = f"x.txt:9: the token '{token}'; expected 2 factors, form|xpos"
    with pytest.raises(InputError, match=f"^{re.escape(message)}$"):
        split_factors(bank, ["form", "xpos"], "x.txt", 6)
    # Only words that are there count, not all strings of the vocabulary.
    assert split_factors(bank[:2], ["form", "xpos"], "x.txt", 6).form.strings() == ["a"]


def test_names_of_factors() -> None:
    check_factors(["_", "form", "_"])
    for factors in (["xpos"], ["form", "form"], ["form", "xpos", "xpos"]):
        with pytest.raises(UsageError, match="one form, the word itself, and each other name"):
            check_factors(factors)
    with pytest.raises(UsageError, match="unknown factor 'tag'; legal names: form, lemma, upos"):
        check_factors(["form", "tag"])
