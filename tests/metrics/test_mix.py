"""Weighted sums of metrics: reading formulas, scores, directions, signatures."""

import re
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.registry import is_formula, named_metric, split_names, weighted_metrics
from wordorder.testing import check_metric

ORDERS = wo.Segments.from_permutations(
    [[1, 0, 2], [0, 1], [], [3, 2, 1, 0], [0], [2, 0, 1, 4, 3], [1, 0]]
)


def read(formula: str) -> list[tuple[float, str]]:
    return [(weight, member.name) for weight, member in weighted_metrics(formula)]


@pytest.mark.parametrize(
    ("formula", "terms"),
    [
        ("1*frs", [(1.0, "frs")]),
        ("0.6*frs+0.4*kendall", [(0.6, "frs"), (0.4, "kendall")]),
        (" .6 * frs\t+ 4e-1*kendall ", [(0.6, "frs"), (0.4, "kendall")]),
        ("-2.*frs-boundary - 0.5*ulam", [(-2.0, "frs-boundary"), (-0.5, "ulam")]),
        ("0.5*frs-0.5*ulam", [(0.5, "frs"), (-0.5, "ulam")]),
        ("+1*pef-recursive(beta=0.5)+1*frs", [(1.0, "pef-recursive"), (1.0, "frs")]),
        ("1*mix(formula=0.5*frs+0.5*ulam)+1*frs", [(1.0, "mix"), (1.0, "frs")]),
    ],
)
def test_formulas(formula: str, terms: list[tuple[float, str]]) -> None:
    assert read(formula) == terms
    assert is_formula(formula)


NO_FORMULAS = """
frs | 0.5*frs+ | 0.5*frs 0.5*ulam | 0.5*frs*2 | 0.5*frs++0.5*ulam | 0.5*frs--0.5*ulam | 0.5 frs
*frs | 0.5* | 0.5*+ | 1_0*frs | 0x1*frs | 1e*frs | nan*frs | inf*frs | 1e999*frs | ١*frs | 0.5*frs(
0.5*frs) | 0.5*frs() | 0.5*frs(ties) | 0.5*frs(ties=) | 0.5*frs(=rank) | 0.5*frs(ties=rank,)
0.5*frs(ties=rank,ties=best) | 0.5*frs(ties=rank)x | 0.5*__import__('os') | 0.5*frs.name
"""
DEEP = [
    "1*mix(formula=" * 2000 + "1*frs" + ")" * 2000,
    "1*senscore(ordering=" + "senscore(ordering=" * 2000 + "frs" + ")" * 2001,
]


@pytest.mark.parametrize(
    "formula",
    [*NO_FORMULAS.strip().replace("\n", " | ").split(" | "), *DEEP],
    ids=lambda text: text[:30],
)
def test_what_is_no_formula(formula: str) -> None:
    with pytest.raises(UsageError):
        weighted_metrics(formula)


def test_messages_say_where_and_what() -> None:
    with pytest.raises(UsageError, match=re.escape("' 0.5*ulam' in '0.5*frs 0.5*ulam'")):
        weighted_metrics("0.5*frs 0.5*ulam")
    with pytest.raises(UsageError, match=r"the end in '0.5\*frs\+'; expected number\*name"):
        weighted_metrics("0.5*frs+")
    refuses(UsageError, "did you mean 'kendall'", weighted_metrics, "1*kendal")
    refuses(UsageError, "unknown option of frs 'tie'", weighted_metrics, "1*frs(tie=rank)")
    refuses(UsageError, "mix needs a formula", wo.metric, "mix")


@given(st.text(alphabet="01.e+-*()=, frsulam\t_", max_size=20))
def test_any_text_is_read_or_refused(text: str) -> None:
    for reader in (weighted_metrics, named_metric, split_names):
        with suppress(UsageError):
            reader(text)


def test_names_of_metrics_and_lists_of_them() -> None:
    assert split_names("a") == ["a"]
    assert split_names("a,b(c=d,e=f(g=h,i=j)) , k") == ["a", "b(c=d,e=f(g=h,i=j))", "k"]
    assert split_names("a,") == ["a", ""]
    for text in ("a(", "a)", "a)(", "a((b)"):
        refuses(UsageError, "parentheses do not match", split_names, text)
    assert not any(map(is_formula, ["frs", "frs-boundary", "frs(ties=rank)", "", "f1"]))
    ranked = named_metric(" frs ( ties = rank ) ".replace(" (", "("))
    assert ranked.signature() == wo.metric("frs", ties="rank").signature()
    named = named_metric("pef-recursive(beta=0.25)")
    assert named.signature() == wo.metric("pef-recursive", beta=0.25).signature()
    for text in ("", "frs ulam", "frs(ties=rank)+", "1*frs"):
        with pytest.raises(UsageError):
            named_metric(text)


def test_scores_are_weighted_sums() -> None:
    mix = wo.metric(
        "mix", formula="0.6*frs + 0.3*kendall(average=micro) - 0.1*ulam", better="higher"
    )
    parts = [
        (0.6, wo.metric("frs")),
        (0.3, wo.metric("kendall", average="micro")),
        (-0.1, wo.metric("ulam")),
    ]
    wanted = sum(weight * part.corpus_score(ORDERS).value for weight, part in parts)
    assert mix.corpus_score(ORDERS).value == pytest.approx(wanted, abs=1e-15)
    rows = sum(weight * part.segment_scores(ORDERS) for weight, part in parts)
    assert mix.segment_scores(ORDERS) == pytest.approx(rows, abs=1e-15, nan_ok=True)
    statistics = np.concatenate([part.statistics(ORDERS) for _, part in parts], axis=1)
    assert np.array_equal(mix.statistics(ORDERS), statistics)


def test_what_is_skipped_and_read_is_what_the_members_skip_and_read() -> None:
    assert wo.metric("mix", formula="1*frs+1*ulam").corpus_score(ORDERS).skipped == 1
    lenient = wo.metric("mix", formula="1*frs+1*ulam(degenerate=beer)")
    assert lenient.corpus_score(ORDERS).skipped == 0
    assert wo.metric("mix", formula="1*frs-1*unaligned").columns == ("permutation", "links")


def test_contract() -> None:
    for formula in ("0.6*frs+0.4*kendall", "0.5*kendall(average=micro)+0.5*ulam"):
        check_metric(wo.metric("mix", formula=formula))
    inner = "1*mix(formula=0.5*frs+0.5*ulam)+1*frs"
    check_metric(wo.metric("mix", formula=inner))


def test_what_is_better() -> None:
    assert wo.metric("mix", formula="0.6*frs+0.4*ulam").higher_is_better
    assert not wo.metric("mix", formula="-0.6*frs-0.4*ulam").higher_is_better
    assert not wo.metric("mix", formula="1*unaligned+0*frs").higher_is_better
    assert wo.metric("mix", formula="1*frs-1*unaligned").higher_is_better
    mixed = "1*frs-0.5*ulam"
    with pytest.raises(UsageError, match=r"higher is better for 1\*frs, lower for -0.5\*ulam"):
        wo.metric("mix", formula=mixed)
    assert wo.metric("mix", formula=mixed, better="higher").higher_is_better
    assert not wo.metric("mix", formula=mixed, better="lower").higher_is_better
    refuses(UsageError, "all weights of the formula are 0", wo.metric, "mix", formula="0*frs")
    with pytest.raises(UsageError, match="legal names: auto, higher, lower"):
        wo.metric("mix", formula="1*frs", better="high")


def test_signature_names_every_option_and_reads_back() -> None:
    mix = wo.metric("mix", formula="0.60*frs(ties=rank)-1*unaligned")
    text = str(mix.signature())
    assert text == (
        "mix|formula:0.6*frs(match:index,ties:rank,average:segment,degenerate:standard,few:zero)"
        f" - 1*unaligned(side:source,average:micro)|better:higher|v:{wo.__version__}"
    )
    assert str(wo.Signature.parse(text)) == text
    other = wo.metric("mix", formula="0.6*frs-1*unaligned")
    assert str(other.signature()) != text


def test_the_sum_of_weights_has_a_bound() -> None:
    for formula in ("1e308*kendall+1e308*frs", "6e8*frs-6e8*ulam"):
        with pytest.raises(UsageError, match="the weights of .* are more than 1e\\+09 together"):
            wo.metric("mix", formula=formula)
    # With mixes in mixes, as deep as a formula goes, the score is still a number.
    formula = "1e9*frs"
    for _ in range(8):
        formula = f"1e9*mix(formula={formula})"
    assert np.isfinite(wo.metric("mix", formula=formula).corpus_score(ORDERS).value)


def test_members_that_must_see_the_references_first() -> None:
    segments = wo.Segments.from_text(
        ["the cat sat", "a b"], [["the cat sat on the mat"], ["b a", "a c"]]
    )
    mix = wo.metric("mix", formula="0.5*nist(order=2)+0.5*f1")
    nist, f1 = wo.metric("nist", order=2), wo.metric("f1")
    assert mix.needs_preparation
    wanted = 0.5 * nist.corpus_score(segments).value + 0.5 * f1.corpus_score(segments).value
    assert mix.corpus_score(segments).value == wanted
    rows = 0.5 * nist.segment_scores(segments) + 0.5 * f1.segment_scores(segments)
    assert mix.segment_scores(segments) == pytest.approx(rows)
    prepared = mix.prepare([segments[:1], segments[1:]])
    assert not prepared.needs_preparation
    assert prepared.corpus_score(segments).value == wanted
    assert mix.needs_preparation
    check_metric(prepared, segments)
