"""Drawings of trees: permutation trees, forests and dependency trees, as text and as SVG."""

import random
from itertools import permutations
from textwrap import dedent
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st
from tests.drawing.seen import SVG, Edges, apart, attributes, boxes, parsed, within
from tests.oracles_trees import non_projective, random_tree
from tests.refusing import refuses
from tests.strategies import shuffles

from wordorder.drawing.svg import text_width
from wordorder.drawing.tree_svg import tree_svg
from wordorder.drawing.trees import tree_text
from wordorder.errors import InputError
from wordorder.order.permutation_forest import PermutationForest
from wordorder.order.permutation_tree import PermutationTree
from wordorder.text.display import display_width
from wordorder.treebank.treebank import Tree, Treebank

ATTRIBUTES = {
    *("viewBox", "width", "height", "role", "font-family", "font-size", "text-anchor"),
    *("d", "fill", "stroke", "stroke-width", "stroke-linecap", "x", "y", "rx", "points"),
}


def groups(picture: str) -> list[tuple[str, list[str]]]:
    """The boxes of a picture, each with its hint and its lines."""
    root = ElementTree.fromstring(picture)
    return [
        (group.findtext(f"{SVG}title", ""), [text.text or "" for text in group.iter(f"{SVG}text")])
        for group in root.iter(f"{SVG}g")
    ]


def leaves(picture: str) -> list[list[str]]:
    return [lines for hint, lines in groups(picture) if hint.startswith("place ")]


def operators(picture: str) -> list[str]:
    return [lines[0] for hint, lines in groups(picture) if ", places " in hint]


def in_brackets(operator: tuple[int, ...]) -> str:
    return "⟨" + ",".join(map(str, operator)) + "⟩"


def test_text_of_the_papers_example() -> None:
    # Stanojević & Sima'an (2016), Figure 3, with the canonical tree's left-branching chain.
    expected = """
        ⟨2,4,1,3⟩  places 1–6, values 1–6
        ├─ 2
        ├─ ⟨1,2⟩  places 2–4, values 4–6
        │  ├─ ⟨1,2⟩  places 2–3, values 4–5
        │  │  ├─ 4
        │  │  └─ 5
        │  └─ 6
        ├─ 1
        └─ 3"""
    assert str(PermutationTree([2, 4, 5, 6, 1, 3])) == dedent(expected).strip()


def test_text_with_words_and_a_last_child_that_has_children() -> None:
    expected = """
        ⟨2,1⟩  places 1–6, values 1–6
        ├─ 6  .
        └─ ⟨2,4,1,5,3⟩  places 2–6, values 1–5
           ├─ 2  b
           ├─ 4  d
           ├─ 1  a
           ├─ 5
           └─ 3  c"""
    tree = PermutationTree([6, 2, 4, 1, 5, 3])
    assert tree.to_text([".", "b", "d", "a", "", "c"]) == dedent(expected).strip()


def test_text_of_one_word() -> None:
    assert PermutationTree([0]).to_text() == "1"
    assert PermutationTree([0]).to_text(["yes"]) == "1  yes"
    assert PermutationForest([0]).to_text() == "1\n1 permutation tree, 1 entry, 0 inferences"


def test_text_of_the_inverted_forest() -> None:
    # Figure 5c's notation and section 5's count: <4,3,2,1> has five trees.
    expected = """
        3 × ⟨2,1⟩  places 1–4, values 1–4
        ├─ 4
        ├─ 3
        ├─ 2
        └─ 1
        5 permutation trees, 10 entries, 10 inferences
        [0, 4]: ⟨2,1⟩ at 1 | 2 | 3
        [0, 3]: ⟨2,1⟩ at 1 | 2
        [1, 4]: ⟨2,1⟩ at 2 | 3
        [0, 2]: ⟨2,1⟩ at 1
        [1, 3]: ⟨2,1⟩ at 2
        [2, 4]: ⟨2,1⟩ at 3"""
    assert str(PermutationForest([4, 3, 2, 1])) == dedent(expected).strip()


def test_text_of_a_forest_with_a_simple_operator() -> None:
    expected = """
        ⟨2,4,1,3⟩  places 1–6, values 1–6
        ├─ 2  he
        ├─ 2 × ⟨1,2⟩  places 2–4, values 4–6
        │  ├─ 4  did
        │  ├─ 5  not
        │  └─ 6  eat
        ├─ 1  the
        └─ 3  rice
        2 permutation trees, 10 entries, 5 inferences
        [0, 6]: ⟨2,4,1,3⟩ at 1,4,5
        [1, 4]: ⟨1,2⟩ at 2 | 3
        [1, 3]: ⟨1,2⟩ at 2
        [2, 4]: ⟨1,2⟩ at 3"""
    forest = PermutationForest([2, 4, 5, 6, 1, 3])
    assert forest.to_text(["he", "did", "not", "eat", "the", "rice"]) == dedent(expected).strip()


@pytest.mark.parametrize("n", range(1, 7))
def test_forest_sizes_are_those_of_brute_force(n: int) -> None:
    def is_entry(values: tuple[int, ...]) -> bool:
        return max(values) - min(values) == len(values) - 1

    for row in permutations(range(n)):
        entries = [(i, j) for i in range(n) for j in range(i + 1, n + 1) if is_entry(row[i:j])]
        inferences = 0
        for i, j in entries:
            splits = sum((i, k) in entries and (k, j) in entries for k in range(i + 1, j))
            # A part of several words that no border halves is simple: one way to take it apart.
            inferences += splits or j - i > 1
        forest = PermutationForest(row)
        assert (forest.entry_count, forest.inference_count) == (len(entries), inferences)
        assert len(forest.entries) == len(entries)
        assert sum(map(len, forest.entries.values())) == inferences
        listed = [line for line in forest.to_text().splitlines() if line.startswith("[")]
        assert len(listed) == len(entries) - n
        assert sum(line.count("|") + 1 for line in listed) == inferences


def test_huge_counts_of_trees_are_rounded_and_longer_forests_list_no_entries() -> None:
    # Catalan(28) and Catalan(30) as OEIS A000108 lists them.
    assert "263747951750360 permutation trees," in PermutationForest(range(29)).to_text()
    # 3814986502092304
    assert "about 3.81 × 10^15 permutation trees," in PermutationForest(range(31)).to_text()
    assert "\n[0, 12]: " in PermutationForest(range(12)).to_text()
    assert "\n[" not in PermutationForest(range(13)).to_text()


@given(shuffles())
def test_text_and_picture_show_all_nodes_in_order(row: list[int]) -> None:
    tree = PermutationTree(row)
    lines = [line.lstrip("│├└─ ") for line in tree.to_text().splitlines()]
    assert [int(line) for line in lines if not line.startswith("⟨")] == [v + 1 for v in row]
    picture = tree.to_svg()
    assert leaves(picture) == [[str(v + 1)] for v in row]
    wanted = [in_brackets(op) for op in tree.operators() if len(op) <= 24]
    in_text = [line.split("  ")[0] for line in lines if line.startswith("⟨")]
    for shown in (in_text, operators(picture)):
        assert [each for each in shown if "…" not in each] == wanted
        assert len(shown) == tree.node_count


@given(shuffles(), st.randoms(use_true_random=False))
def test_boxes_stay_apart_and_inside_the_picture(row: list[int], draw: random.Random) -> None:
    words = ["w" * draw.randrange(45) for _ in row]
    for picture in (PermutationTree(row).to_svg(words), PermutationForest(row).to_svg(words)):
        root = parsed(picture)
        places = boxes(root)
        within(places, *map(float, root.attrib["viewBox"].split()[2:]))
        apart(places)


def test_svg_kinds_differ_in_colour_and_shape() -> None:
    picture = PermutationTree([2, 1, 3, 7, 9, 6, 8, 5, 4]).to_svg()
    seen: dict[str | None, set[tuple[str, str | None, str]]] = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        shape = group[1]
        look = (shape.tag.removeprefix(SVG), shape.attrib.get("rx"), shape.attrib["fill"])
        seen.setdefault(group.findtext(f"{SVG}text"), set()).add(look)
    assert seen["⟨1,2⟩"] == seen["monotone"] == {("rect", "12", "#009E73")}
    assert seen["⟨2,1⟩"] == seen["inverted"] == {("polygon", None, "#E69F00")}
    assert seen["⟨2,4,1,3⟩"] == seen["simple"] == {("rect", "0", "#B5B5B5")}
    assert "simple nodes" not in PermutationTree([1, 2, 3]).to_svg()
    assert "nodes" not in PermutationTree([0]).to_svg()


def test_svg_of_a_forest_and_titles() -> None:
    picture = PermutationForest([4, 3, 2, 1]).to_svg()
    assert operators(picture) == ["3 × ⟨2,1⟩"]
    assert ("note", ["5 permutation trees, 10 entries, 10 inferences"]) in groups(picture)

    def title(picture: str) -> str | None:
        return ElementTree.fromstring(picture).findtext(f"{SVG}title")

    assert title(picture) == "Permutation forest of 4 3 2 1"
    twenty = " ".join(map(str, range(1, 21)))
    assert title(PermutationTree(range(20)).to_svg()) == f"Permutation tree of {twenty}"
    assert title(PermutationTree(range(21)).to_svg()) == f"Permutation tree of {twenty} …"


HOSTILE = [
    *("<script>alert(1)</script>", "</text></svg><img src=x onerror=alert(1)>", "  "),
    *('" onload="alert(1)', "' onload='alert(1)", "javascript:alert(1)"),
    *("]]>", "<!--", "&amp;", "&#x3c;", "彼は", "🙂"),
]


def test_hostile_words_stay_text() -> None:
    picture = PermutationTree(range(len(HOSTILE))).to_svg(HOSTILE)
    expected = [w if len(w) <= 30 else w[:29] + "…" for w in HOSTILE]
    assert [lines[1] for lines in leaves(picture)] == expected
    hints = [hint for hint, _ in groups(picture) if hint.startswith("place ")]
    assert [hint.split(": ", 1)[1] for hint in hints] == HOSTILE


@given(st.lists(st.text(st.characters(codec=None), max_size=40), min_size=1, max_size=8))
def test_any_words_make_a_picture_of_plain_shapes(words: list[str]) -> None:
    picture = PermutationTree(range(len(words))).to_svg(words)
    picture.encode()
    assert {name for element in parsed(picture).iter() for name in element.attrib} <= ATTRIBUTES
    assert len(leaves(picture)) == len(words)


@given(st.lists(st.text(st.characters(codec=None), max_size=9), min_size=1, max_size=8))
def test_any_words_keep_one_line_each(words: list[str]) -> None:
    tree = PermutationTree(range(len(words)))
    text = tree.to_text(words)
    text.encode()
    assert len(text.splitlines()) == len(words) + tree.node_count


@pytest.mark.parametrize(
    "bad",
    ["\0", "\n", "\r", "\x1b", "\x7f", "\x85", "\u2028", "\u202e", "\u2066", "\ud800", "\uffff"],
)
def test_what_cannot_be_drawn_is_marked(bad: str) -> None:
    assert PermutationTree([0]).to_text([f"a{bad}b"]) == "1  a\ufffdb"
    assert leaves(PermutationTree([0]).to_svg([f"a{bad}b"])) == [["1", "a\ufffdb"]]


def test_words_must_fit_and_a_part_of_a_tree_can_be_drawn() -> None:
    tree, forest = PermutationTree([1, 0]), PermutationForest([1, 0])
    for draw in (tree.to_text, tree.to_svg, forest.to_text, forest.to_svg):
        message = r"^words: 3 words; expected 2, one for each place$"
        refuses(InputError, message, draw, ["a", "b", "c"])
    part = PermutationTree([2, 4, 5, 6, 1, 3]).flat.children[1]
    lines = ["2 × ⟨1,2⟩  places 2–4, values 4–6", "├─ 4  x", "├─ 5  y", "└─ 6  z"]
    assert tree_text(part, ["x", "y", "z"]).splitlines() == lines
    assert leaves(tree_svg(part, ["x", "y", "z"])) == [["4", "x"], ["5", "y"], ["6", "z"]]


def test_notebooks_show_the_picture_and_the_same_input_gives_the_same_bytes() -> None:
    tree, forest = PermutationTree([2, 4, 1, 3]), PermutationForest([2, 4, 1, 3])
    assert tree._repr_html_() == tree.to_svg()
    assert forest._repr_html_() == forest.to_svg()
    assert repr(forest) == "PermutationForest(1 3 0 2)"
    row = random.Random(7).sample(range(60), 60)
    words = [f"w{value}" for value in row]
    assert PermutationTree(row).to_svg(words) == PermutationTree(list(row)).to_svg(list(words))


@pytest.mark.parametrize("n", [63, 64, 65, 199, 200])
def test_svg_draws_all_of_up_to_200_words(n: int) -> None:
    picture = PermutationTree(range(n)).to_svg()
    assert len(leaves(picture)) == n
    assert "…" not in "".join(operators(picture))


def test_svg_draws_the_upper_part_of_longer_trees() -> None:
    picture = PermutationTree(range(201)).to_svg()
    assert [lines[0] for lines in leaves(picture)] == [str(v) for v in range(3, 202)]
    assert operators(picture)[-1] == "… 2 words"
    flat = PermutationForest(range(201)).to_svg()
    assert (leaves(flat), operators(flat)) == ([], ["… 201 words"])


def test_text_draws_100_levels_and_1000_leaves() -> None:
    assert "more nodes" not in PermutationTree(range(101)).to_text()
    lines = PermutationTree(range(102)).to_text().splitlines()
    # The hundredth level's node of the places 1 and 2 is shown, its two words are not.
    at = lines.index("│  " * 100 + "└─ … 2 more nodes")
    assert lines[at - 1] == "│  " * 99 + "├─ ⟨1,2⟩  places 1–2, values 1–2"
    assert lines[-1] == "└─ 102"
    assert len(tree_text(PermutationTree(range(1000)).flat).splitlines()) == 1001
    assert tree_text(PermutationTree(range(1001)).flat) == (
        "1000 × ⟨1,2⟩  places 1–1001, values 1–1001\n└─ … 1001 more nodes"
    )


def test_long_operators_show_their_ends() -> None:
    # 2 4 6 ... n 1 3 5 ... n-1 is simple for every even n from 4 on.
    row = [*range(2, 101, 2), *range(1, 101, 2)]
    shown = "⟨2,4,6,8,10,12,14,16,18,20,22,24,…,77,79,81,83,85,87,89,91,93,95,97,99⟩ (100 parts)"
    assert PermutationTree(row).to_text().startswith(f"{shown}  places 1–100, values 1–100\n├─ 2\n")
    assert operators(PermutationTree(row).to_svg()) == [shown]


@pytest.mark.parametrize("shape", ["identity", "inverted", "random", "simple", "nested"])
def test_20000_words_neither_recurse_nor_explode(shape: str) -> None:
    n = 20_000
    row = {
        "identity": list(range(n)),
        "inverted": list(range(n))[::-1],
        "random": random.Random(1).sample(range(n), n),
        "simple": [*range(1, n, 2), *range(0, n, 2)],
        # The smallest and the greatest of what is left, in turn: a chain that flattens nowhere.
        "nested": [
            v for pair in zip(range(n // 2), range(n - 1, 0, -1), strict=False) for v in pair
        ],
    }[shape]
    tree, forest = PermutationTree(row), PermutationForest(row)
    for text in (tree.to_text(), forest.to_text(), repr(forest)):
        assert len(text) < 200_000
    for picture in (tree.to_svg(), forest.to_svg()):
        assert len(picture) < 200_000
        hidden = [int(o.split()[1]) for o in operators(picture) if o.startswith("…")]
        assert len(leaves(picture)) + sum(hidden) == n


def test_widths_are_estimated_from_above() -> None:
    # A CJK character is one em of 14 pixels; a combining accent takes no place.
    assert text_width("漢字") == 28
    assert text_width("e\u0301") == text_width("e")
    assert text_width("ii") < text_width("aa") < text_width("WW")


# -- Dependency trees.


# What a box drawing character connects.
CONNECTS = dict(
    pair.split(":") for pair in "│:ud ─:lr ┌:dr └:ur ├:udr ┬:dlr ┴:ulr ┼:udlr".split()
) | {" ": ""}


def tree(heads: list[int], forms: list[str] | None = None, **columns: list[str]) -> Tree:
    words = forms or [f"w{i}" for i, _ in enumerate(heads, 1)]
    rows = {name: [column] for name, column in columns.items()}
    return Treebank.from_words([words], heads=[heads], **rows)[0]


def heads_of_drawing(lines: list[str]) -> list[int]:
    """Follow the line to the left of each word, then the upright bar to the word it comes from."""
    found = []
    for row, line in enumerate(lines):
        start = _start(line)
        if start == 0 and line[0] == "─":
            found.append(0)
            continue
        reached = {row}
        for step, way in ((-1, "u"), (1, "d")):
            at = row
            while way in CONNECTS[lines[at][start]]:
                at += step
                reached.add(at)
        owners = [
            at for at in reached - {row} if _start(lines[at]) < start and lines[at][start] != "│"
        ]
        found.append(owners[0] + 1 if len(owners) == 1 else -1)
    return found


def _start(line: str) -> int:
    """Where the line to a word begins: at the bar of its head, past bars it does not touch."""
    column = next(i for i, char in enumerate(line) if char.isalnum()) - 2
    while column > 0 and ("l" in CONNECTS[line[column]] or line[column] == "│"):
        column -= 1
    return column


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_the_heads_can_be_read_from_the_drawing(seed: int, words: int) -> None:
    heads = random_tree(random.Random(seed), words)
    lines = tree(heads).to_text().split("\n")
    assert [line.split()[-1] for line in lines] == [f"w{i}" for i in range(1, words + 1)]
    assert heads_of_drawing(lines) == heads
    # Lines pass bars that they do not touch only where arcs cross.
    if not any(non_projective(heads)):
        assert not any("─│─" in line for line in lines)


def test_a_drawing_with_crossing_arcs() -> None:
    drawn = tree([2, 4, 4, 0, 2], "A hearing is scheduled today".split()).to_text()
    assert drawn == dedent("""\
            ┌── A
          ┌─┼── hearing
          ├─│── is
        ──┴─│── scheduled
            └── today""")


def test_columns_stand_below_each_other_in_any_script() -> None:
    forms = ["語順", "a", "café", "한국", "x\ty"]
    lines = tree([2, 0, 2, 2, 2], forms, xpos=list("ABCDE"), label=["l"] * 5).to_text().split("\n")
    places = {
        display_width(line[: line.index(f"  {tag}  l")])
        for line, tag in zip(lines, "ABCDE", strict=True)
    }
    assert len(places) == 1
    assert "x�y" in lines[4]
    assert "\u200e" not in "".join(lines)
    leftwards = tree([0, 1], ["שלום", "a"], upos=["X", "Y"]).to_text().split("\n")
    assert all(line.startswith("\u200e") for line in leftwards)


def test_what_cannot_be_drawn_with_lines() -> None:
    assert tree([2, 1], ["a", "b"]).to_text() == "1  2  a\n2  1  b"
    assert tree([-1, -1], ["a", "b"]).to_text() == "1  _  a\n2  _  b"
    deep = tree(list(range(200))).to_text().split("\n")
    assert deep[99] == "100   99  w100"
    long = tree([0] + [1] * 1500).to_text().split("\n")
    assert (len(long), long[-1]) == (1001, "… 501 more words")
    assert Treebank.from_words([[]])[0].to_text() == ""


def labelled(picture: str) -> list[tuple[str, Edges]]:
    """Return the text and the edges of each box."""
    found = []
    for group in parsed(picture).iter(f"{SVG}g"):
        text = " ".join(element.text or "" for element in group.iter(f"{SVG}text"))
        found += [(text, box) for box in boxes(group)]
    return found


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 14), st.booleans())
def test_pictures_show_all_and_nothing_lies_on_another(
    seed: int, words: int, leftwards: bool
) -> None:
    rng = random.Random(seed)
    heads = random_tree(rng, words, roots=rng.choice([1, 1, 2]))
    forms = [rng.choice("אבג" if leftwards else "xyz") * rng.randrange(1, 9) for _ in heads]
    labels = [f"l{i}" + "-" * rng.randrange(20) for i, _ in enumerate(heads)]
    shown = tree(heads, forms, label=labels, upos=["T"] * words)
    picture = shown.to_svg()
    assert picture == shown.to_svg()
    root = parsed(picture)
    found = labelled(picture)
    assert sorted(text for text, _ in found) == sorted([*labels, *(f"{form} T" for form in forms)])
    places = [box for _, box in found]
    within(places, *attributes(root, "width", "height"))
    if not any(non_projective(heads)):
        apart(places)
    # Non-projective arcs have pointed labels.
    pointed = sum(len(p.attrib["points"].split()) == 6 for p in root.iter(f"{SVG}polygon"))
    assert pointed == sum(non_projective(heads))
    order = [text for text, _ in sorted(found, key=lambda box: box[1][0]) if text.endswith(" T")]
    expected = [f"{form} T" for form in forms]
    assert order == (expected[::-1] if leftwards else expected)


@pytest.mark.parametrize("heads", [[2, 1], [1, 0], [-1, -1], [9, 0], [0, 0]])
def test_heads_that_make_no_tree_are_drawn_as_they_are(heads: list[int]) -> None:
    picture = tree(heads, ["a", "b"]).to_svg()
    texts = [text for text, _ in labelled(picture)]
    assert texts[-2:] == ["a", "b"]
    assert texts.count("root") == heads.count(0)


def test_long_sentences_are_cut() -> None:
    shown = tree([0] + [1] * 300, ["w" * 99] * 301)
    texts = [text for text, _ in labelled(shown.to_svg())]
    assert "… 101 more words" in texts
    assert "w" * 29 + "…" in texts
    assert len(texts) == 202
