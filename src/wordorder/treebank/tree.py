"""Tree: one sentence of a treebank with its dependency tree, to look at."""

from __future__ import annotations

import io
from functools import cached_property

import numpy as np

from wordorder.errors import InputError
from wordorder.treebank.projectivity import crossing_arcs, non_projective_words
from wordorder.treebank.treebank import NO_HEAD, ROOT, Margin, Treebank
from wordorder.treebank.trees import check_trees, first_fault
from wordorder.treebank.writing import TreebankWriter


class Tree:
    """One sentence of a treebank.

    Words are counted from 1, as in CoNLL-U; 0 is the artificial root. What asks for the shape of
    the tree raises InputError if the heads make none.

    Parameters
    ----------
    treebank : Treebank
    index : int
        The sentence, counted from 0.

    Examples
    --------
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> labels = [["det", "nsubj:pass", "aux:pass", "root", "nmod"]]
    >>> tree = Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]], label=labels)[0]
    >>> tree.forms[1], tree.heads, tree.root, tree.children(2)
    ('hearing', (2, 4, 4, 0, 2), 4, (1, 5))
    >>> tree.is_projective, tree.non_projective, tree.depth, tree.subtree(2)
    (False, (5,), 3, (1, 2, 5))
    >>> print(tree)
        ┌── A          det
      ┌─┼── hearing    nsubj:pass
      ├─│── is         aux:pass
    ──┴─│── scheduled  root
        └── today      nmod
    """

    def __init__(self, treebank: Treebank, index: int) -> None:
        self._bank = treebank[index : index + 1]

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The words."""
        return self._strings("form")

    @cached_property
    def lemmas(self) -> tuple[str, ...]:
        """The lemma of each word."""
        return self._strings("lemma")

    @cached_property
    def upos(self) -> tuple[str, ...]:
        """The universal tag of each word."""
        return self._strings("upos")

    @cached_property
    def xpos(self) -> tuple[str, ...]:
        """The language's own tag of each word."""
        return self._strings("xpos")

    @cached_property
    def feats(self) -> tuple[str, ...]:
        """The features of each word, as they are written in CoNLL-U."""
        return self._strings("feats")

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The relation of each word to its head."""
        return self._strings("label")

    @cached_property
    def heads(self) -> tuple[int, ...]:
        """The head of each word: 0 is the artificial root, -1 says that none is given."""
        return tuple(self._bank.heads.tolist())

    @property
    def margin(self) -> Margin:
        """Comments, multiword ranges and empty nodes."""
        return self._bank.margins[0]

    @property
    def sent_id(self) -> str | None:
        """What the comment ``# sent_id =`` says, if there is one."""
        return self.margin.value("sent_id")

    @property
    def text(self) -> str:
        """The sentence: what ``# text =`` says, otherwise the words with blanks between them."""
        return self.margin.value("text") or " ".join(self.forms)

    @property
    def roots(self) -> tuple[int, ...]:
        """The words whose head is 0."""
        return self.children(ROOT)

    @property
    def root(self) -> int:
        """The word whose head is 0, the first if there are several; 0 if there is none."""
        return next(iter(self.roots), 0)

    def children(self, word: int) -> tuple[int, ...]:
        """Return the dependents of a word, or those of the root for 0, from left to right."""
        if not 0 <= word <= len(self):
            raise IndexError(f"word {word} of {len(self)}")
        return self._children[word]

    def subtree(self, word: int) -> tuple[int, ...]:
        """Return a word and all that depend on it directly or indirectly, from left to right."""
        self._check()
        below, waiting = [], [word]
        while waiting:
            at = waiting.pop()
            below.append(at)
            waiting.extend(self.children(at))
        return tuple(sorted(below))

    @cached_property
    def depth(self) -> int:
        """How many arcs lead from the artificial root to the word that is farthest from it."""
        self._check()
        depth, level = 0, self.roots
        while level:
            depth += 1
            level = tuple(child for word in level for child in self._children[word])
        return depth

    @cached_property
    def is_tree(self) -> bool:
        """Whether the heads make a tree; several roots are allowed."""
        bank = self._bank
        return not first_fault(bank.heads, bank.offsets, trees="required", single_root=False)

    @cached_property
    def non_projective(self) -> tuple[int, ...]:
        """The words whose head does not dominate all words between the two."""
        return tuple((np.flatnonzero(non_projective_words(self._bank)) + 1).tolist())

    @property
    def is_projective(self) -> bool:
        """Whether each head dominates all words between it and its dependents."""
        return not self.non_projective

    @cached_property
    def crossings(self) -> int:
        """How many pairs of arcs cross, those from the artificial root included."""
        return int(crossing_arcs(self._bank)[0])

    def to_conllu(self) -> str:
        """Return the sentence as it is written in CoNLL-U."""
        stream = io.BytesIO()
        TreebankWriter(stream).write(self._bank)
        return stream.getvalue().decode()

    def to_text(self) -> str:
        """Draw the tree with lines of text; see `wordorder.drawing.arc_text.arc_text`."""
        from wordorder.drawing.arc_text import arc_text

        return arc_text(self)

    def to_svg(self) -> str:
        """Draw the tree as an SVG picture; see `wordorder.drawing.arc_svg.arc_svg`."""
        from wordorder.drawing.arc_svg import arc_svg

        return arc_svg(self)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Tree({self.text!r})"

    def __len__(self) -> int:
        return self._bank.words

    def _strings(self, column: str) -> tuple[str, ...]:
        return tuple(self._bank.columns[column].strings())

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for word, head in enumerate(self.heads, 1):
            if head == NO_HEAD:
                continue
            if not 0 <= head <= len(self):
                raise InputError(f"word {word}", f"head {head}", f"a number from 0 to {len(self)}")
            children[head].append(word)
        return tuple(map(tuple, children))

    def _check(self) -> None:
        """Check that there are no cycles."""
        check_trees(self._bank, self.sent_id or "Tree", trees="optional", single_root=False)
