"""Our metrics under sacreBLEU's interface, against sacreBLEU itself."""

from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.ter import TER
from sacrebleu.significance import PairedTest
from tests.refusing import refuses

from wordorder import Segments, metric
from wordorder.errors import UsageError
from wordorder.integrations.sacrebleu import as_sacrebleu

RNG = np.random.default_rng(3)
WORDS = "the cat sat on a mat and saw dogs in old parks".split()
REFERENCES: Any = [[" ".join(RNG.choice(WORDS, RNG.integers(5, 12))) for _ in range(30)]] * 2
REFERENCES[1] = [line + " today" for line in REFERENCES[0]]


def worse(lines: list[str], share: float) -> list[str]:
    """Put the words of some lines into another order."""
    return [
        " ".join(RNG.permutation(line.split())) if RNG.random() < share else line for line in lines
    ]


SYSTEMS: Any = [(f"s{share}", worse(REFERENCES[0], share)) for share in (0.2, 0.9, 0.25)]


def test_the_same_values_as_sacrebleus_own() -> None:
    ours = as_sacrebleu(metric("bleu"))
    for _, hypotheses in SYSTEMS:
        expected = BLEU(tokenize="13a").corpus_score(hypotheses, REFERENCES).score
        found = ours.corpus_score(hypotheses, REFERENCES)
        assert found.score == pytest.approx(expected, rel=1e-12) or found.score == pytest.approx(
            expected / 100, rel=1e-12
        )


@pytest.mark.parametrize("kind", ["bs", "ar"])
def test_paired_tests_of_sacrebleu(kind: str) -> None:
    """The p-values of TER must be those of sacreBLEU's TER: same seed, same resamples."""
    theirs: Any
    ours: Any
    found: Any
    expected: Any
    theirs, ours = {"TER": TER()}, {"ter": as_sacrebleu(metric("ter"))}
    _, expected = PairedTest(SYSTEMS, theirs, REFERENCES, test_type=kind, n_samples=60)()
    signatures, found = PairedTest(SYSTEMS, ours, REFERENCES, test_type=kind, n_samples=60)()
    assert found["System"] == expected["System"]
    scale = expected["TER"][0].score / found["ter"][0].score
    assert scale == pytest.approx(100) or scale == pytest.approx(1)
    for a, b in zip(found["ter"], expected["TER"], strict=True):
        assert a.score * scale == pytest.approx(b.score, rel=1e-9)
        assert a.p_value == b.p_value
    assert f"{kind}:60" in str(signatures["ter"])


def test_cder_in_paired_tests_and_with_intervals() -> None:
    found: Any
    ours = as_sacrebleu(metric("cder"), references=REFERENCES)
    _, found = PairedTest(SYSTEMS, {"cder": ours}, None, test_type="bs", n_samples=200)()
    first, second, third = found["cder"]
    assert second.score > third.score
    assert second.p_value < 0.05 < third.p_value
    direct = metric("cder").corpus_score(
        Segments.from_text(SYSTEMS[0][1], references_by_file=REFERENCES)
    )
    assert first.score == direct.value
    whole = ours.corpus_score(SYSTEMS[0][1], REFERENCES, n_bootstrap=100)
    assert whole.format(4).startswith(f"cder = {direct.value:.4f} (μ = ")


def test_signature_and_sentences() -> None:
    ours = as_sacrebleu(metric("cder"), tokenizer="13a", case="lower")
    assert ours.sentence_score("A b.", ["a b ."]).score == 0
    line = str(ours.get_signature())
    assert "nrefs:1" in line
    assert "tok:13a" in line
    assert line.endswith(f"version:{metric('cder').signature().version}")
    orders = as_sacrebleu(metric("frs"), aligner="exact")
    assert orders.sentence_score("b c a", ["a b c"]).score == 0.5


def test_references_that_are_missing() -> None:
    ours = as_sacrebleu(metric("cder"))
    some: Any = [["a b", "c"], ["b a", None]]
    assert ours.corpus_score(["b a", "c"], some).score == 0
    assert "nrefs:var" in str(ours.get_signature())
    refuses(UsageError, "no references", ours.corpus_score, ["a"], None)
    refuses(UsageError, "different lengths", ours.corpus_score, ["a"], [["a"], ["a", "b"]])


@pytest.mark.parametrize(
    ("name", "message"), [("frs", "give an aligner"), ("aer", "needs"), ("nist", "all references")]
)
def test_what_is_refused(name: str, message: str) -> None:
    refuses(UsageError, message, as_sacrebleu, metric(name))
