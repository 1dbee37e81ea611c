"""Drawings of permutation trees and forests."""

import random
from itertools import permutations
from textwrap import dedent
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from wordorder.drawing.svg import text_width
from wordorder.drawing.tree_svg import tree_svg
from wordorder.drawing.trees import tree_text
from wordorder.errors import InputError
from wordorder.order.permutation_forest import PermutationForest
from wordorder.order.permutation_tree import PermutationTree

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "path", "g", "rect", "polygon", "text"}
ATTRIBUTES = {
    *("viewBox", "width", "height", "role", "font-family", "font-size", "text-anchor"),
    *("d", "fill", "stroke", "stroke-width", "stroke-linecap", "x", "y", "rx", "points"),
}


def small_permutations() -> st.SearchStrategy[list[int]]:
    return st.integers(1, 40).flatmap(lambda n: st.permutations(range(n)))


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


def rectangles(picture: str) -> list[tuple[float, float, float, float]]:
    """The left, top, right and bottom of all boxes."""
    found = []
    for element in ElementTree.fromstring(picture).iter():
        if element.tag == f"{SVG}rect":
            x, y, width, height = (
                float(element.attrib[name]) for name in ("x", "y", "width", "height")
            )
            found.append((x, y, x + width, y + height))
        elif element.tag == f"{SVG}polygon":
            points = [tuple(map(float, p.split(","))) for p in element.attrib["points"].split()]
            xs, ys = zip(*points, strict=True)
            found.append((min(xs), min(ys), max(xs), max(ys)))
    return found


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


def test_huge_counts_of_trees_are_rounded() -> None:
    # Catalan(28) and Catalan(30) as OEIS A000108 lists them.
    assert "263747951750360 permutation trees," in PermutationForest(range(29)).to_text()
    # 3814986502092304
    assert "about 3.81 × 10^15 permutation trees," in PermutationForest(range(31)).to_text()


def test_a_longer_forest_lists_no_entries() -> None:
    assert "\n[0, 12]: " in PermutationForest(range(12)).to_text()
    assert "\n[" not in PermutationForest(range(13)).to_text()


@given(small_permutations())
def test_text_shows_all_nodes_in_order(row: list[int]) -> None:
    tree = PermutationTree(row)
    lines = [line.lstrip("│├└─ ") for line in tree.to_text().splitlines()]
    assert [int(line) for line in lines if not line.startswith("⟨")] == [v + 1 for v in row]
    shown = [line.split("  ")[0] for line in lines if line.startswith("⟨")]
    assert [s for s in shown if "…" not in s] == [
        in_brackets(op) for op in tree.operators() if len(op) <= 24
    ]
    assert len(shown) == tree.node_count


@given(small_permutations())
def test_svg_shows_all_nodes_in_order(row: list[int]) -> None:
    tree = PermutationTree(row)
    picture = tree.to_svg()
    assert leaves(picture) == [[str(v + 1)] for v in row]
    shown = operators(picture)
    assert [s for s in shown if "…" not in s] == [
        in_brackets(op) for op in tree.operators() if len(op) <= 24
    ]
    assert len(shown) == tree.node_count


@given(small_permutations(), st.randoms(use_true_random=False))
def test_boxes_stay_apart_and_inside_the_picture(row: list[int], draw: random.Random) -> None:
    words = ["w" * draw.randrange(45) for _ in row]
    for picture in (PermutationTree(row).to_svg(words), PermutationForest(row).to_svg(words)):
        width, height = map(float, ElementTree.fromstring(picture).attrib["viewBox"].split()[2:])
        boxes = rectangles(picture)
        for left, top, right, bottom in boxes:
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height
        for i, (left, top, right, bottom) in enumerate(boxes):
            for other in boxes[:i]:
                assert (
                    right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
                )


def test_svg_kinds_differ_in_colour_and_shape() -> None:
    picture = PermutationTree([2, 1, 3, 7, 9, 6, 8, 5, 4]).to_svg()
    seen: dict[str | None, set[tuple[str, str | None, str]]] = {}
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        shape = group[1]
        look = (shape.tag.removeprefix(SVG), shape.attrib.get("rx"), shape.attrib["fill"])
        seen.setdefault(group.findtext(f"{SVG}text"), set()).add(look)
    assert seen["⟨1,2⟩"] == seen["monotone"] == {("rect", "12", "#009E73")}
    assert seen["⟨2,1⟩"] == seen["inverted"] == {("polygon", None, "#E69F00")}
    assert seen["⟨2,4,1,3⟩"] == seen["simple"] == {("rect", "0", "#CC79A7")}


def test_svg_legend_names_only_what_is_drawn() -> None:
    assert "simple nodes" not in PermutationTree([1, 2, 3]).to_svg()
    assert "nodes" not in PermutationTree([0]).to_svg()


def test_svg_of_a_forest_writes_chains_with_their_number() -> None:
    picture = PermutationForest([4, 3, 2, 1]).to_svg()
    assert operators(picture) == ["3 × ⟨2,1⟩"]
    assert ("note", ["5 permutation trees, 10 entries, 10 inferences"]) in groups(picture)
    title = ElementTree.fromstring(picture).findtext(f"{SVG}title")
    assert title == "Permutation forest of 4 3 2 1"


def test_svg_title_shows_twenty_values_at_most() -> None:
    def title(n: int) -> str | None:
        return ElementTree.fromstring(PermutationTree(range(n)).to_svg()).findtext(f"{SVG}title")

    twenty = " ".join(map(str, range(1, 21)))
    assert title(20) == f"Permutation tree of {twenty}"
    assert title(21) == f"Permutation tree of {twenty} …"


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
    for element in ElementTree.fromstring(picture).iter():
        assert element.tag.removeprefix(SVG) in ELEMENTS
        assert set(element.attrib) <= ATTRIBUTES
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


def test_one_word_for_each_place_is_asked_for() -> None:
    tree, forest = PermutationTree([1, 0]), PermutationForest([1, 0])
    for draw in (tree.to_text, tree.to_svg, forest.to_text, forest.to_svg):
        with pytest.raises(InputError, match=r"^words: 3 words; expected 2, one for each place$"):
            draw(["a", "b", "c"])


def test_a_part_of_a_tree_can_be_drawn() -> None:
    part = PermutationTree([2, 4, 5, 6, 1, 3]).flat.children[1]
    lines = ["2 × ⟨1,2⟩  places 2–4, values 4–6", "├─ 4  x", "├─ 5  y", "└─ 6  z"]
    assert tree_text(part, ["x", "y", "z"]).splitlines() == lines
    assert leaves(tree_svg(part, ["x", "y", "z"])) == [["4", "x"], ["5", "y"], ["6", "z"]]


def test_notebooks_show_the_picture() -> None:
    tree, forest = PermutationTree([2, 4, 1, 3]), PermutationForest([2, 4, 1, 3])
    assert tree._repr_html_() == tree.to_svg()
    assert forest._repr_html_() == forest.to_svg()
    assert repr(forest) == "PermutationForest(1 3 0 2)"


def test_same_input_same_bytes() -> None:
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


def test_text_draws_100_levels() -> None:
    assert "more nodes" not in PermutationTree(range(101)).to_text()
    lines = PermutationTree(range(102)).to_text().splitlines()
    # The hundredth level's node of the places 1 and 2 is shown, its two words are not.
    at = lines.index("│  " * 100 + "└─ … 2 more nodes")
    assert lines[at - 1] == "│  " * 99 + "├─ ⟨1,2⟩  places 1–2, values 1–2"
    assert lines[-1] == "└─ 102"


def test_text_draws_1000_leaves() -> None:
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
