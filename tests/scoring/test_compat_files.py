"""RIBES and the CoNLL 2018 evaluation, against slow twins of what these programs do."""

import random
from pathlib import Path

import pytest
from tests.oracles_ngrams import ribes
from tests.oracles_shared_task import FIGURES, Tree, Word, score
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.metrics.trees.shared_task import CONTENT, FUNCTION
from wordorder.scoring import compat_scores

# ASCII blanks, the ideographic space, the no-break space, the en quad, next line.
BLANKS = [" ", "  ", "\t", "\u3000", "\u00a0", "\u2000", "\x85"]


def texts(seed: int, lines: int) -> list[str]:
    """Make lines of few words in any case, between blanks of any kind."""
    draw = random.Random(seed)
    words = ["the", "The", "cat", "CAT", "İst", "ΟΔΟΣ", "οδος", "saw", "Saw", "her"]
    found = []
    for number in range(lines):
        line = [draw.choice(words) for _ in range(draw.randint(1, 12))]
        blanks = [draw.choice(BLANKS if number % 2 else [" "]) for _ in line]
        found.append("".join(word + blank for word, blank in zip(line, blanks, strict=True)))
    return found


def written(path: Path, lines: list[str]) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def test_ribes_lowercases_and_splits_at_any_blank(tmp_path: Path) -> None:
    files = [written(tmp_path / name, texts(seed, 60)) for seed, name in enumerate("abc")]
    found = compat_scores("ribes", files[0], files[1], references=files[2])["b"]["RIBES"]
    rows = [
        [line.lower().split() for line in path.read_text("utf-8").split("\n")[:60]]
        for path in files
    ]
    expected = [
        max(ribes(hypothesis, one), ribes(hypothesis, other))
        for one, hypothesis, other in zip(*rows, strict=True)
    ]
    assert found.value == pytest.approx(sum(expected) / 60, abs=1e-12)
    assert (found.segments, found.skipped) == (60, 0)
    assert "|case:lower|norm:none|blanks:unicode|compat:ribes|" in str(found.signature)


def test_ribes_and_empty_lines(tmp_path: Path) -> None:
    system = written(tmp_path / "system", ["a b", "", "a b"])
    reference = written(tmp_path / "reference", ["a b", "a b", "\u3000"])
    with pytest.raises(InputError, match=r"reference:3: an empty reference, at which RIBES 1.03.1"):
        compat_scores("ribes", reference, system)
    found = compat_scores("ribes", reference, system, empty_references="none")["system"]["RIBES"]
    assert (found.value, found.segments, found.skipped) == (0.5, 3, 1)
    short = written(tmp_path / "short", ["a b"])
    with pytest.raises(InputError, match=r"short: 1 line, but .*reference has 3"):
        compat_scores("ribes", reference, short, empty_references="none")


def trees(seed: int, sentences: int) -> list[tuple[Tree, Tree]]:
    """Make pairs of trees of the same words, the system's with some mistakes in each column."""
    draw = random.Random(seed)
    labels = [
        *sorted(CONTENT),
        *sorted(FUNCTION) * 4,
        "punct",
        "nsubj:pass",
        "aux:pass",
        "acl:relcl",
    ]
    feats = "_ Case=Nom Person=3|Case=Nom Case=Nom|Person=3 Style=Coll Mood=Ind|X=1".split()

    def changed(word: Word, head: int) -> Word:
        if draw.random() < 0.5:
            return word
        return Word(
            draw.choice([word.lemma, "be", "_"]),
            draw.choice([word.upos, word.upos, "NOUN"]),
            draw.choice([word.xpos, "NN"]),
            draw.choice([word.feats, word.feats, draw.choice(feats)]),
            head,
            draw.choice([word.label, word.label.split(":")[0], draw.choice(labels)]),
        )

    pairs = []
    for _ in range(sentences):
        size = draw.randint(1, 9)
        gold = [
            Word(
                draw.choice(["it", "be", "_"]),
                draw.choice(["NOUN", "VERB"]),
                draw.choice(["NN", "VB"]),
                draw.choice(feats),
                draw.randint(0 if word == 1 else 1, word - 1),
                draw.choice(labels),
            )
            for word in range(1, size + 1)
        ]
        system = [
            changed(word, draw.choice([word.head, draw.randint(min(1, place), place)]))
            for place, word in enumerate(gold)
        ]
        pairs.append((system, gold))
    return pairs


def conllu(some: list[Tree]) -> str:
    """Write trees; the forms are the numbers of the words."""
    return "".join(
        "".join(
            f"{n}\t{n}\t{w.lemma}\t{w.upos}\t{w.xpos}\t{w.feats}\t{w.head}\t{w.label}\t_\t_\n"
            for n, w in enumerate(tree, 1)
        )
        + "\n"
        for tree in some
    )


@pytest.mark.parametrize("seed", range(3))
def test_the_shared_task(seed: int, tmp_path: Path) -> None:
    pairs = trees(seed, 80)
    for name, side in (("system", 0), ("gold", 1)):
        (tmp_path / name).write_text(conllu([pair[side] for pair in pairs]))
    found = compat_scores("conll18", tmp_path / "gold", tmp_path / "system")["system"]
    assert tuple(found) == FIGURES
    for figure in FIGURES:
        assert found[figure].value == pytest.approx(score(figure, pairs), abs=1e-9), figure
        assert found[figure].signature.metric == figure.lower()
    assert len({round(each.value, 6) for each in found.values()}) >= 8


@pytest.mark.parametrize("preset", ["ribes", "conll18"])
def test_empty_files_are_refused(preset: str, tmp_path: Path) -> None:
    path = written(tmp_path / "empty", [])
    refuses(InputError, "empty: no segments", compat_scores, preset, path, path)


def test_messages_name_the_preset(tmp_path: Path) -> None:
    path = written(tmp_path / "a", ["0-0"])
    with pytest.raises(UsageError, match='^preset="lader" needs the source text: source=$'):
        compat_scores("lader", path, path)
    refuses(UsageError, "^unknown evaluator for preset 'nope'", compat_scores, "nope", path, path)


def test_what_the_shared_task_refuses(tmp_path: Path) -> None:
    two_roots = conllu([[Word("a", "X", "X", "_", 0, "root")] * 2])
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text(conllu([[Word("a", "X", "X", "_", head, "root") for head in (0, 1)]]))
    system.write_text(two_roots)
    refuses(InputError, "root", compat_scores, "conll18", gold, system)
    system.write_text(gold.read_text().replace("2\t2\t", "2\tother\t"))
    refuses(InputError, "word 2", compat_scores, "conll18", gold, system)


@pytest.mark.parametrize(
    ("preset", "option"),
    [
        ("ribes", {"lowercase": True}),
        ("ribes", {"tokenizer": "13a"}),
        ("ribes", {"source": "x"}),
        ("conll18", {"references": ["x"]}),
        ("conll18", {"multiple_roots": True}),
    ],
)
def test_options_without_a_place(preset: str, option: dict[str, object], tmp_path: Path) -> None:
    path = written(tmp_path / "a", ["a b"])
    with pytest.raises(UsageError, match="has no use here: .* reads .* its own way"):
        compat_scores(preset, path, path, **option)
