"""The linter against the guidelines, word by word."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from tests.cli.running import call
from tests.oracles_alignment import Link, is_contiguous
from tests.refusing import refuses
from tests.schemas.test_outputs import check

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.lint import DEFAULT_ALLOWED, Finding, LintReport, lint
from wordorder.errors import InputError, UsageError

WORD = st.sampled_from(["the", "The", "AN", "cat", "'s", ",", "。", "42", "...", "猫"])
Pair = tuple[list[str], list[str], list[Link]]


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    source = draw(st.lists(WORD, max_size=6))
    target = draw(st.lists(WORD, max_size=6))
    if not source or not target:
        return source, target, []
    ends = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(ends, unique=True, max_size=10))


@given(data=st.lists(pairs(), max_size=4))
def test_guidelines(data: list[Pair]) -> None:
    a = Alignments.from_rows([links for _, _, links in data])
    sources = [source for source, _, _ in data]
    targets = [target for _, target, _ in data]
    report = lint(a, sources, targets=targets)
    expected = []
    for line, (source, target, links) in enumerate(data, 1):
        ends = [sorted(t for s, t in links if s == word) for word in range(len(source))]
        unaligned = [
            position
            for position, word in enumerate(source)
            if not ends[position] and word not in ("the", "The", "AN", ",", "。", "...")
        ]
        bare = [t for t in range(len(target)) if t not in {t for _, t in links}]
        torn = [(s, tuple(found)) for s, found in enumerate(ends) if not is_contiguous(found)]
        if unaligned or bare or torn:
            expected.append((line, unaligned, bare, torn))
    seen = [
        (
            found.line,
            [finding.position for finding in found.unaligned],
            [finding.position for finding in found.unaligned_target],
            [(finding.position, finding.targets) for finding in found.non_contiguous],
        )
        for found in report.findings
    ]
    assert seen == expected
    assert report.unaligned == sum(len(row[1]) for row in expected)
    assert report.unaligned_target == sum(len(row[2]) for row in expected)
    assert report.non_contiguous == sum(len(row[3]) for row in expected)
    sizes = (report.sentences, report.source_words, report.target_words)
    assert sizes == (len(data), sum(map(len, sources)), sum(map(len, targets)))
    for found in report.findings:
        for finding in (*found.unaligned, *found.non_contiguous):
            assert finding.word == sources[found.line - 1][finding.position]
        for finding in found.unaligned_target:
            assert finding.word == targets[found.line - 1][finding.position]


def test_the_list_of_allowed_words() -> None:
    a = Alignments.from_rows([[]])
    source = ["the", "Do", "?"]
    assert [f.word for f in lint(a, [source]).findings[0].unaligned] == ["Do"]
    assert lint(a, [source], allowed=[*DEFAULT_ALLOWED, "DO"]).findings == ()
    assert [f.word for f in lint(a, [source], allowed=()).findings[0].unaligned] == ["the", "Do"]


def test_possible_links_count() -> None:
    a = Alignments.from_rows([[(0, 0), (0, 2, True)]])
    assert lint(a, [["x"]]).findings[0].non_contiguous == (Finding(0, "x", (0, 2)),)
    # A part of a file keeps its lines.
    a = Alignments.from_rows([[(0, 0)], [], []])[1:]
    assert [found.line for found in lint(a, [["x"], ["y"]]).findings] == [2, 3]


def test_target_words_that_are_only_counted() -> None:
    known = Alignments.from_rows([[(0, 1)]], target_lengths=[3])
    report = lint(known, [["x"]])
    assert report.findings[0].unaligned_target == (Finding(0, None), Finding(2, None))
    assert (report.target_words, report.unaligned_target_share) == (3, 2 / 3)
    unknown = lint(Alignments.from_rows([[(0, 1)]]), [["x"]])
    assert (unknown.target_words, unknown.unaligned_target_share) == (None, None)
    assert unknown.to_json()["unaligned_target_share"] is None


def test_a_single_unaligned_target_word() -> None:
    a = Alignments.from_rows([[], []], target_lengths=[0, 0])
    report = lint(a, [[], []], targets=[["x"], []])
    assert [found.unaligned_target for found in report.findings] == [(Finding(0, "x"),)]
    what = "0 target words, but the target has 2 tokens"
    refuses(InputError, what, lint, a, [[], []], targets=[["x", "y"], []])


def test_what_does_not_fit() -> None:
    a = Alignments.from_rows([[(0, 0)], [(1, 1)]], path="a.align")
    refuses(InputError, "2 alignments for 1 source sentences", lint, a, [["x"]])
    for source, targets, what in (
        ([["x"], ["x", "y"]], [[], [], []], "2 alignments for 3 target sentences"),
        ([["x"], ["y"]], None, r"^a\.align:2: link 1-1 points past the source \(1 token"),
        (
            [["x"], ["x", "y"]],
            [[], ["x", "y"]],
            r"^a\.align:1: link 0-0 points past the target \(0 ",
        ),
    ):
        refuses(InputError, what, lint, a, source, targets=targets)
    counted = Alignments.from_rows([[(0, 0)]], target_lengths=[2], path="a.align")
    what = r"^a\.align:1: 2 target words, but the target has 1 token"
    refuses(InputError, what, lint, counted, [["x"]], targets=[["z"]])


def report(**numbers: int | None) -> LintReport:
    sizes: dict[str, int | None] = {"sentences": 1, "source_words": 10, "target_words": 5}
    sizes |= dict.fromkeys(("unaligned", "unaligned_target", "non_contiguous"), 0)
    return LintReport(**sizes | numbers, findings=())  # type: ignore[arg-type]


def test_limits() -> None:
    assert not report(unaligned=10, unaligned_target=5, non_contiguous=10).exceeds()
    for name, share in (("unaligned", 0.3), ("unaligned_target", 0.6), ("non_contiguous", 0.3)):
        found = report(**{name: 3})
        assert getattr(found, f"{name}_share") == share
        assert not found.exceeds(**{f"max_{name}": share})
        assert found.exceeds(**{f"max_{name}": share - 0.01})
        assert found.exceeds(**{f"max_{name}": 0})
        assert not report().exceeds(**{f"max_{name}": 0})
        for limit in (-0.1, 1.1, float("nan")):
            refuses(UsageError, "a share from 0 to 1", found.exceeds, **{f"max_{name}": limit})
    with pytest.raises(UsageError, match="needs the target text"):
        report(target_words=None).exceeds(max_unaligned_target=0.5)
    assert report(source_words=0).unaligned_share == 0.0


def test_json() -> None:
    a = Alignments.from_rows([[(0, 0), (0, 2)]])
    plain = json.loads(json.dumps(lint(a, [["x", "y"]], targets=[["p", "q", "r"]]).to_json()))
    found = {
        "unaligned": [{"position": 1, "word": "y", "targets": []}],
        "unaligned_target": [{"position": 1, "word": "q", "targets": []}],
        "non_contiguous": [{"position": 0, "word": "x", "targets": [0, 2]}],
        "pronouns": [],
        "particles": [],
    }
    sizes = {"sentences": 1, "source_words": 2, "target_words": 3}
    unknown = {"pronouns": None, "particles": None}
    shares = {"unaligned": 0.5, "unaligned_target": 1 / 3, "non_contiguous": 0.5}
    assert plain == sizes | unknown | dict.fromkeys(shares, 1) | {
        "findings": [{"line": 1, **found}]
    } | {f"{name}_share": share for name, share in shares.items()}


# Ours: "I gave her the book in Kyoto", said with both pronouns and with neither.
GAVE = "I gave her the book in Kyoto".split()
FULL = "私 は 京都 で 彼女 に 本 を あげ た".split()
FULL_TAGS = "PRON ADP PROPN ADP PRON ADP NOUN ADP VERB AUX".split()
# 私は–I, 京都で–in Kyoto, 彼女に–her, 本を–book, あげた–gave.
FULL_LINKS = [
    *[(0, 0), (0, 1), (6, 2), (5, 3), (6, 3), (2, 4), (2, 5), (4, 6), (4, 7), (1, 8), (1, 9)]
]
SHORT = "京都 で 本 を あげ た".split()
SHORT_TAGS = FULL_TAGS[2:4] + FULL_TAGS[6:]


def tagged(
    links: list[Link],
    source: list[str] = GAVE,
    target: list[str] = FULL,
    tags: list[str] = FULL_TAGS,
    pronouns: list[list[int]] | None = None,
) -> LintReport:
    """Check the links of one sentence pair whose target is tagged."""
    a = Alignments.from_rows([links])
    return lint(a, [source], targets=[target], target_tags=[tags], pronouns=pronouns)


def test_pronouns_and_particles_of_a_translation_made_for_alignment() -> None:
    found = tagged(FULL_LINKS)
    assert (found.pronouns, found.particles, found.findings) == (0, 0, ())


def test_a_dropped_pronoun_and_one_that_a_verb_translates() -> None:
    """I has no word at all; her is linked to the verb."""
    links = [(6, 0), (5, 1), (6, 1), (4, 2), (4, 3), (1, 4), (1, 5), (2, 4)]
    found = tagged(links, target=SHORT, tags=SHORT_TAGS)
    (first,) = found.findings
    assert first.pronouns == (Finding(0, "I"), Finding(2, "her", (4,)))
    assert first.unaligned == (Finding(0, "I"),)
    assert (found.pronouns, found.particles) == (2, 0)
    # Trees of the source say where its pronouns are, in any language.
    assert tagged(links, target=SHORT, tags=SHORT_TAGS, pronouns=[[2]]).pronouns == 1


@pytest.mark.parametrize(
    ("without", "extra", "particles"),
    [
        # で with the preposition alone; を with the verb; both.
        ([(6, 3)], [], [(3, 2)]),
        ([(4, 7)], [(1, 7)], [(7, 6)]),
        ([(6, 3), (4, 7)], [(1, 7)], [(3, 2), (7, 6)]),
        # Its content word has no link, so that the particle cannot go with it.
        ([(4, 6)], [], [(7, 6)]),
    ],
)
def test_particles_go_with_their_content_word(
    without: list[Link], extra: list[Link], particles: list[tuple[int, int]]
) -> None:
    links = [link for link in FULL_LINKS if link not in without] + extra
    found = tagged(links)
    assert found.particles == len(particles)
    shown = found.findings[0].particles
    assert shown == tuple(Finding(place, FULL[place], (content,)) for place, content in particles)


def test_a_particle_behind_a_quotation_and_other_particles() -> None:
    """The phrase's content word is the nearest before it that is neither particle nor mark."""
    target = "「 東京 」 に は 行か なかっ た よ".split()
    tags = "PUNCT PROPN PUNCT ADP ADP VERB AUX AUX PART".split()
    source = "did not go to Tokyo".split()
    links = [(4, 0), (4, 1), (4, 2), (3, 3), (4, 3), (4, 4), (2, 5), (0, 6), (1, 6), (1, 7)]
    links += [(2, 6), (2, 7)]
    assert tagged([*links, (2, 8)], source, target, tags).findings == ()
    found = tagged([*links, (1, 8)], source, target, tags)
    assert found.findings[0].particles == (Finding(8, "よ", (5,)),)


def test_tags_that_do_not_fit() -> None:
    a = Alignments.from_rows([FULL_LINKS], path="a.align")
    with pytest.raises(UsageError, match="the tags of the target need the target text"):
        lint(a, [GAVE], target_tags=[FULL_TAGS])
    with pytest.raises(InputError, match=r"a\.align:1: the target has 10 tokens and its trees 9 w"):
        lint(a, [GAVE], targets=[FULL], target_tags=[FULL_TAGS[:-1]])
    with pytest.raises(InputError, match="1 alignments for 2 tagged target sentences"):
        lint(a, [GAVE], targets=[FULL], target_tags=[FULL_TAGS] * 2)
    with pytest.raises(InputError, match="trees of the source have other words"):
        lint(a, [GAVE], targets=[FULL], target_tags=[FULL_TAGS], pronouns=[[7]])


def test_the_verb_reads_the_tags(tmp_path: Path) -> None:
    links = [link for link in FULL_LINKS if link not in [(6, 3), (0, 0), (0, 1)]]
    (tmp_path / "a.align").write_text(" ".join(f"{s}-{t}" for s, t in links) + "\n")
    (tmp_path / "s").write_text(f"{' '.join(GAVE)}\n")
    (tmp_path / "t").write_text(f"{' '.join(FULL)}\n", "utf-8")
    rows = [
        f"{n}\t{word}\t_\t{tag}\t_\t_\t{max(n - 1, 0)}\t{'dep' if n > 1 else 'root'}\t_\t_\n"
        for n, (word, tag) in enumerate(zip(FULL, FULL_TAGS, strict=True), 1)
    ]
    (tmp_path / "t.conllu").write_text("".join([*rows, "\n"]), "utf-8")
    command: list[str | Path] = [
        *("reference", tmp_path / "a.align", "--source", tmp_path / "s", "--check"),
        *("--target", tmp_path / "t", "-O", f"target-trees={tmp_path / 't.conllu'}"),
    ]
    text = call(*command).good().stdout.decode()
    assert re.search(r"1 +0 +I +pronoun that no pronoun translates", text)
    assert re.search(r"1 +3 +で +particle without a source word of 2", text)
    found = call(*command, "--report", "json").good().json
    check("reference-check", found)
    assert (found["pronouns"], found["particles"]) == (1, 1)
    (tmp_path / "t.conllu").write_text("".join(rows).replace("\tADP\t", "\t_\t") + "\n", "utf-8")
    call(*command).good()
    (tmp_path / "t.conllu").write_text(f"1\t{'あ'}\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    call(*command).refused(1, "t.conllu: no word has a universal tag; expected UPOS in column 4")
    bare = [part for part in command if not str(part).startswith("target-trees")]
    call(*command[:5], "-O", command[-1]).refused(2, "-O target-trees needs --target")
    assert call(*bare[:-1], "--report", "json").good().json["pronouns"] is None
