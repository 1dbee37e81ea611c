"""Words of a corpus stay text in every picture."""

import pytest
from tests.drawing.seen import HOSTILE, SVG, parsed

from wordorder.alignment.alignments import Alignment
from wordorder.drawing.alignments import alignment_svg
from wordorder.metrics.text.paths import cover_paths
from wordorder.order.orders import Order, order_picture
from wordorder.order.permutation_tree import PermutationTree
from wordorder.text.texts import Texts
from wordorder.treebank.treebank import Treebank

SIZE = len(HOSTILE)
TREE = Treebank.from_words(
    [HOSTILE],
    heads=[[0] + [1] * (SIZE - 1)],
    **{name: [HOSTILE] for name in ("lemma", "upos", "xpos", "feats", "label")},
)
DIAGONAL = Alignment(tuple((i, i) for i in range(SIZE)))
ORDER = Order(tuple((i,) for i in range(SIZE)))
PICTURES = {
    "alignment": alignment_svg(DIAGONAL, HOSTILE, HOSTILE, title=HOSTILE[0]),
    "path": cover_paths(Texts.from_segments([HOSTILE], [[HOSTILE[::-1]]]))[0].to_svg(),
    "order": order_picture(HOSTILE, range(SIZE)[::-1], ORDER, title=HOSTILE[0]),
    "tree": TREE[0].to_svg(),
    "permutation tree": PermutationTree(range(SIZE)).to_svg(HOSTILE),
}


@pytest.mark.parametrize("picture", PICTURES.values(), ids=PICTURES)
def test_text_of_a_corpus_stays_text(picture: str) -> None:
    root = parsed(picture)
    shown = {element.text for element in root.iter(f"{SVG}text")}
    assert {"<script>alert(1)</script>", "a�[2J�b"} <= shown
