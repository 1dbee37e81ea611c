"""RIBES and the CoNLL 2018 evaluation, against slow twins of what these programs do."""

import random
from pathlib import Path

import pytest
from tests.notes import noted
from tests.oracles_ngrams import ribes
from tests.oracles_shared_task import FIGURES, Text, Word, score
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.metrics.trees.shared_task import CONTENT_RELATIONS, FUNCTION_RELATIONS
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


LABELS = [
    *sorted(CONTENT_RELATIONS),
    *sorted(FUNCTION_RELATIONS) * 4,
    *("punct", "nsubj:pass", "aux:pass", "acl:relcl"),
]
FEATS = "_ Case=Nom Person=3|Case=Nom Case=Nom|Person=3 Style=Coll Mood=Ind|X=1".split()


def cut(draw: random.Random, text: str, most: int) -> list[str]:
    """Cut a text into pieces of at most so many characters."""
    pieces = []
    while text:
        size = draw.randint(1, most)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


def annotated(draw: random.Random, text: str, multiword: float) -> Text:
    """Cut a text into sentences, tokens and words, with trees and tags."""
    sentences = []
    for piece in cut(draw, text, 14):
        tokens = []
        for token in cut(draw, piece, 4):
            parts = [token]
            if draw.random() < multiword and len(token) > 1:
                parts = cut(draw, token, len(token) - 1)
                parts[0] = draw.choice([parts[0], parts[0].upper(), parts[0] * 2])
            tokens.append((token, parts))
        size = sum(len(parts) for _, parts in tokens)
        heads = iter([0, *(draw.randint(1, word) for word in range(1, size))])
        sentences.append(
            [
                (token, [drawn_word(draw, form, next(heads)) for form in parts])
                for token, parts in tokens
            ]
        )
    return sentences


def drawn_word(draw: random.Random, form: str, head: int) -> Word:
    return Word(
        form,
        draw.choice(["it", "be", "_"]),
        draw.choice(["NOUN", "NOUN", "VERB"]),
        draw.choice(["NN", "NN", "VB"]),
        draw.choice([FEATS[1], draw.choice(FEATS)]),
        head,
        draw.choice(["nsubj", "case", draw.choice(LABELS)]),
    )


def changed(draw: random.Random, text: Text) -> Text:
    """Make mistakes in each column of the same words."""

    def other(word: Word) -> Word:
        drawn = drawn_word(draw, word.form, word.head and draw.choice([word.head, 1]))
        # A first word that has itself as its head is no tree.
        return word if draw.random() < 0.7 or word.head == 0 else drawn

    return [[(token, [other(word) for word in words]) for token, words in row] for row in text]


def conllu(text: Text, space: str = "") -> str:
    """Write trees, with a space in words of some letters."""
    lines = []
    for sentence in text:
        n = 0
        for token, words in sentence:
            if len(words) > 1:
                lines.append(f"{n + 1}-{n + len(words)}\t{token}" + "\t_" * 8)
            for w in words:
                n += 1
                form = w.form[:1] + space + w.form[1:] if w.form[1:] and len(words) == 1 else w.form
                cells = (n, form, w.lemma, w.upos, w.xpos, w.feats, w.head, w.label, "_", "_")
                lines.append("\t".join(map(str, cells)))
        lines.append("")
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("seed", range(12))
def test_the_shared_task(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    # Each letter once, and none whose upper case has another length.
    letters = [letter for letter in map(chr, range(0xE0, 0x24F)) if letter != letter.upper()]
    text = "".join(draw.sample([each for each in letters if each.upper().lower() == each], 150))
    gold = annotated(draw, text, 0.3 * (seed % 4))
    system: Text = []
    for sentence in gold:
        # Every third time all words are those of the gold trees.
        if seed % 3 and draw.random() < 0.5:
            system += annotated(draw, "".join(token for token, _ in sentence), 0.2)
        else:
            system += changed(draw, [sentence])
    (tmp_path / "gold").write_text(conllu(gold))
    (tmp_path / "system").write_text(conllu(system, " "))
    found = compat_scores("conll18", tmp_path / "gold", tmp_path / "system")["system"]
    assert tuple(found) == FIGURES
    for figure in FIGURES:
        assert found[figure].value == pytest.approx(score(figure, system, gold), abs=1e-9), figure
        assert found[figure].signature.metric == figure.lower()
    assert len({round(each.value, 6) for each in found.values()}) >= 8


@pytest.mark.parametrize(
    ("gold", "system", "words"),
    [
        # Multiword tokens: written=word+word.
        ("xyz", "x y z", 0),
        ("xy z", "x y z", 1),
        ("xyz=x+y+z", "x y z", 3),
        ("x yz=y+z v", "x y zv", 2),
        ("xy=X+Y zv=Z+V", "xyz=x+y+z v", 4),
        ("xyz=x+1+z vw=v+w", "xy=x+y zv=z+v w", 4),
        # conll18_ud_eval.py lets in a word before the multiword token, and one that ends after it.
        ("xx yy=9+x", "x x yy", 1),
        ("xyz v", "xy=xyz+9 zv", 1),
    ],
)
def test_words_that_are_aligned(gold: str, system: str, words: int, tmp_path: Path) -> None:
    counts = []
    for name, tokens in (("gold", gold), ("system", system)):
        pairs = [token.partition("=") for token in tokens.split()]
        split = [(written, (parts or written).split("+")) for written, _, parts in pairs]
        heads = iter([0, *[1] * 9])
        row = [
            (written, [Word(form, "_", "X", "_", "_", next(heads), "dep") for form in parts])
            for written, parts in split
        ]
        counts.append(sum(len(parts) for _, parts in row))
        (tmp_path / name).write_text(conllu([row]))
    found = compat_scores("conll18", tmp_path / "gold", tmp_path / "system")["system"]
    assert found["Words"].value == pytest.approx(200 * words / sum(counts))


def test_trees_of_another_text_and_blocks_without_words(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold", tmp_path / "system"
    row = "{}\t{}" + "\t_" * 4 + "\t{}\tdep\t_\t_\n"
    one = row.format(1, "Oh", 0) + "\n"
    gold.write_text(
        one + "# sent_id = b\n" + row.format(1, "He", 2) + row.format(2, "ran", 0) + "\n"
    )
    system.write_text(
        "# text =\n\n" + one + row.format(1, "Her", 2) + row.format(2, "an", 0) + "\n"
    )
    with noted("system: left out 1 block without words"):
        found = compat_scores("conll18", gold, system)["system"]
    assert [found[name].value for name in ("Sentences", "Words")] == [100.0, pytest.approx(100 / 3)]
    system.write_text(one + row.format(1, "He", 2) + row.format(2, "run", 0) + "\n")
    message = (
        r"system: sentence 2: 'un', but 'an' in .*gold: sentence 2 \(b\); expected the same char"
    )
    refuses(InputError, message, compat_scores, "conll18", gold, system)
    system.write_text(one)
    refuses(
        InputError, "sentence 1: the end, but 'Heran' in", compat_scores, "conll18", gold, system
    )
    system.write_text(row.format(1, "\u00a0", 0) + "\n")
    refuses(InputError, "word 1: a word of spaces", compat_scores, "conll18", gold, system)


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
    gold, system = tmp_path / "gold", tmp_path / "system"
    words = [("a", [Word("a", "a", "X", "X", "_", head, "root")]) for head in (0, 1, 0)]
    gold.write_text(conllu([words[:2]]))
    system.write_text(conllu([words[::2]]))
    refuses(InputError, "root", compat_scores, "conll18", gold, system)


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
