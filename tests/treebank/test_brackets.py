"""Trees in brackets, alone and in lists as n-best parsers write them, and their dependencies.

The trees and their dependencies below were written by hand for this test, by the definitions of the
manual of Stanford Dependencies (de Marneffe and Manning 2008). So were the files of lists:
Charniak's by the description in CoreNLP's `CharniakScoredParsesReaderWriter`, Stanford's by what
CoreNLP's `TreePrint` writes.
"""

import gzip
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.cases import cases
from tests.cli.running import call
from tests.files import written
from tests.notes import any_notes, noted
from tests.refusing import complains, refuses

from wordorder.errors import InputError, UsageError
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.treebank import (
    KBest,
    convert_files,
    dependencies,
    read_brackets,
    read_kbest,
    read_treebank,
    write_treebank,
)
from wordorder.treebank.brackets.phrase import MAX_BRACKET_DEPTH, Node

# Trees, and each word as word/head/label.
GOLD = cases("""
( (S (NP-SBJ-1 (DT The) (JJ old) (NN bridge)) (VP (VBD was) (VP (VBN built)
(NP (-NONE- *-1)) (PP (IN by) (NP-LGS (NNS monks))) (PP-TMP (IN in) (NP (CD 1320))))) (. .)) )
= The/3/det old/3/amod bridge/5/nsubjpass was/5/auxpass built/0/root by/5/prep monks/6/pobj
= in/5/prep 1320/8/pobj ./5/punct
(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP she)) (VP (VB paint))) (. ?))
= What/4/dobj did/4/aux she/4/nsubj paint/0/root ?/4/punct
(SBARQ (WHNP (WP Who)) (SQ (VBD painted) (NP (DT the) (NN door))) (. ?))
= Who/2/nsubj painted/0/root the/4/det door/2/dobj ?/2/punct
(SBARQ (WHNP (WP What)) (SQ (VBZ is) (NP (PRP$ your) (NN name))) (. ?))
= What/2/attr is/0/root your/4/poss name/2/nsubj ?/2/punct
(SQ (VBZ Is) (NP (PRP he)) (ADJP (JJ ill)))
= Is/3/cop he/3/nsubj ill/0/root
(SQ (VBZ Is) (NP (NNP Ann)) (NP (DT a) (NN doctor)))
= Is/4/cop Ann/4/nsubj a/4/det doctor/0/root
(S (NP (EX There)) (VP (VBZ is) (NP (DT a) (NN bridge)) (ADVP (RB here))))
= There/2/expl is/0/root a/4/det bridge/2/nsubj here/2/advmod
(S (NP (PRP He)) (VP (VBD gave) (NP (PRP her)) (NP (DT the) (NN key)) (NP (NN today))))
= He/2/nsubj gave/0/root her/2/iobj the/5/det key/2/dobj today/2/tmod
(S (SBAR (IN If) (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (NP (PRP we)) (VP (MD will)
(RB not) (VP (VB go) (PRT (RP out)))) (. .))
= If/3/mark it/3/nsubj rains/8/advcl ,/8/punct we/8/nsubj will/8/aux not/8/neg go/0/root
= out/8/prt ./8/punct
(S (NP (PRP She)) (VP (VBD said) (SBAR (IN that) (S (NP (DT all) (DT the) (NNS boys))
(VP (VBP want) (S (VP (TO to) (VP (VB sing)))))))))
= She/2/nsubj said/0/root that/7/complm all/6/predet the/6/det boys/7/nsubj want/2/ccomp
= to/9/aux sing/7/xcomp
(NP (NP (DT the) (NN book)) (SBAR (WHNP (WDT which)) (S (NP (PRP you)) (VP (VBD read)))))
= the/2/det book/0/root which/5/rel you/5/nsubj read/2/rcmod
(NP (NP (DT the) (NN dog)) (SBAR (WHNP-1 (WDT that)) (S (NP-SBJ (-NONE- *T*-1))
(VP (VBZ barks)))))
= the/2/det dog/0/root that/4/nsubj barks/2/rcmod
(S (NP (NNP Kim)) (VP (VP (VBD bought) (NP (CD 3) (NNS figs))) (CC and) (VP (VBD ate)
(NP (PRP them)))))
= Kim/2/nsubj bought/0/root 3/4/num figs/2/dobj and/2/cc ate/2/conj them/6/dobj
(S (NP (PRP It)) (VP (VBZ costs) (NP (QP (RB about) ($ $) (CD 5) (CD million)))))
= It/2/nsubj costs/0/root about/4/quantmod $/2/dobj 5/6/number million/4/num
(NP (DT The) (ADJP (RB very) (JJ old)) (, ,) (JJ red) (CC and) (JJ blue) (NNS flags))
= The/8/det very/3/advmod old/8/amod ,/3/punct red/3/conj and/3/cc blue/3/conj flags/0/root
(NP (NP (NN girl) (POS 's)) (NN hat))
= girl/3/poss 's/1/possessive hat/0/root
(S (NP (PRP They)) (VP (VBP have) (VP (VBN left) (PP (IN for) (NP (NP (NNP Rome)) (, ,)
(NP (NNP Paris)) (CC and) (NP (NNP Bonn)))) (NP-TMP (JJ last) (NN week)))))
= They/3/nsubj have/3/aux left/0/root for/3/prep Rome/4/pobj ,/5/punct Paris/5/conj
= and/5/cc Bonn/5/conj last/11/amod week/3/tmod
(S (S-TPC-1 (NP-SBJ (PRP I)) (VP (VBP agree))) (, ,) (NP-SBJ (NNP Ann)) (VP (VBD said)
(SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .))
= I/2/nsubj agree/5/ccomp ,/5/punct Ann/5/nsubj said/0/root ./5/punct
(S (SBAR (IN Whether) (S (NP (PRP he)) (VP (VBZ comes)))) (VP (VBZ is) (ADJP (JJ unclear))))
= Whether/3/complm he/3/nsubj comes/5/csubj is/5/cop unclear/0/root
""")
# Auxiliaries, copulas and conjunctions are heads here; each word as word/head.
SURFACE = cases("""
(S (NP (NNP Ann)) (VP (MD will) (VP (VB say) (SBAR (IN that) (S (NP (PRP it)) (VP (VBZ is)
(ADJP (JJ late))))))))
= Ann/2 will/0 say/2 that/3 it/6 is/4 late/6
(NP (NP (NN girl) (POS 's)) (JJ new) (NN hat))
= girl/2 's/4 new/4 hat/0
""")


def tree_of(text: str, tmp_path: Path) -> Node:
    path = written(tmp_path, text, "a.mrg")
    (found,) = read_brackets(path)
    return found.tree


@pytest.mark.parametrize(("text", "wanted"), GOLD, ids=[wanted[0][:12] for _, wanted in GOLD])
def test_heads_and_labels_of_the_manual(text: str, wanted: list[str], tmp_path: Path) -> None:
    bank = dependencies([tree_of(text, tmp_path)])
    rows = zip(bank.form.strings(), bank.heads.tolist(), bank.label.strings(), strict=True)
    assert [f"{word}/{head}/{label}" for word, head, label in rows] == " ".join(wanted).split()


@pytest.mark.parametrize(("text", "wanted"), SURFACE)
def test_heads_that_are_words_of_grammar(text: str, wanted: list[str], tmp_path: Path) -> None:
    bank = dependencies([tree_of(text, tmp_path)], style="surface")
    rows = zip(bank.form.strings(), bank.heads.tolist(), strict=True)
    assert [f"{word}/{head}" for word, head in rows] == wanted[0].split()
    assert set(bank.label.strings()) == {"root", "dep"}


CATEGORIES = "S NP-SBJ VP PP-TMP SBAR ADJP QP SQ PRN UCP SINV ODD".split()
TAGS = "NN VBD VBN CC IN DT , -NONE- MD TO WDT CD $ RB EX".split()


def random_brackets(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.3:
        return f"({rng.choice(TAGS)} {rng.choice(['a', 'is', 'have', 'both', '*T*-1', 'to'])})"
    parts = [random_brackets(rng, depth - 1) for _ in range(rng.randrange(1, 5))]
    return f"({rng.choice(CATEGORIES)} {' '.join(parts)})"


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32))
def test_any_brackets_become_a_tree_with_their_words(seed: int) -> None:
    """One root, no cycle, and the words and tags as they were, without empty elements."""
    from tempfile import TemporaryDirectory

    rng = random.Random(seed)
    with TemporaryDirectory() as folder:
        tree = tree_of(f"({random_brackets(rng, 5)})", Path(folder))
        words = [(node.word, node.category) for node in tree.words()]
        for style in ("stanford", "surface"):
            bank = dependencies([tree], style=style)
            assert list(zip(bank.form.strings(), bank.xpos.strings(), strict=True)) == words
            heads = bank.heads.tolist()
            assert heads.count(0) == (1 if words else 0)
            for word in range(1, len(heads) + 1):
                above = word
                for _ in heads:
                    above = heads[above - 1] if above else 0
                assert above == 0
            # The reader of CoNLL-U accepts them.
            write_treebank(Path(folder, "a.conllu"), bank)
            assert read_treebank(Path(folder, "a.conllu")).heads.tolist() == heads


# Trees as treebanks of other languages have them, and the head of each word by their grammars.
OTHERS = [
    ("(ROOT (S (NP-SB (ART Die) (NN Katze)) (VVFIN schläft) ($. .)))", [2, 3, 0, 3]),
    (
        "(S (VMFIN Kann) (NP-SB (PPER er)) (VP-OC (NP-OA (NN Brot)) (VVINF backen)) ($. ?))",
        [4, 4, 4, 0, 4],
    ),
    ("( (IP (NP-SBJ (PN 他)) (VP (VV 喝) (NP-OBJ (NN 茶))) (PU 。)) )", [2, 0, 2, 2]),
    ("( (SENT (NP (DET Un) (NC chat)) (VN (V dort)) (PONCT .)) )", [2, 3, 0, 3]),
    ("( (CS (PU “) (X (PU -) (PU -)) (NN a) (PU ”)) )", [4, 3, 4, 0, 4]),
]


@pytest.mark.parametrize("style", ["stanford", "surface"])
@pytest.mark.parametrize(("text", "heads"), OTHERS)
def test_verbs_and_words_are_heads_in_other_treebanks(
    text: str, heads: list[int], style: str, tmp_path: Path
) -> None:
    path, output = written(tmp_path, text, "a.mrg"), tmp_path / "a.conllu"
    with any_notes() as notes:
        convert_files([path], output, heads=style)
    pattern = r"\d+ of \d+ tags and categories \([\d.]+ %\) are not of the Penn Treebank \(\w+"
    assert re.match(pattern, notes[0])
    bank = read_treebank(output)
    if style == "stanford" or "VMFIN" not in text:
        assert bank.heads.tolist() == heads
    marks = [label == "punct" for label in bank.label.strings()]
    assert marks == [not word.isalpha() for word in bank.form.strings()]


def test_words_keep_blanks_that_are_not_ascii(tmp_path: Path) -> None:
    words = "10\u00a0000 \u3000a b\u2009 c\u2028d \x85 e\x0b".split(" ")
    tree = tree_of(f"(NP\t{' '.join(f'(NN {word})' for word in words)})\r\n", tmp_path)
    assert [word.word for word in tree.words()] == words


def test_how_labels_are_read(tmp_path: Path) -> None:
    text = "((S(NP-SBJ=2(-NONE- *))\n(VP-TPC-3(VB Go)\n(PRT|ADVP(RP up)))(-LRB- -LRB-)))"
    tree = tree_of(text, tmp_path)
    assert tree.category == ""
    (clause,) = tree.children
    subject, phrase, bracket = clause.children
    assert (subject.category, subject.functions, subject.index) == ("NP", frozenset({"SBJ"}), "")
    assert (phrase.functions, phrase.index) == (frozenset({"TPC"}), "3")
    assert phrase.children[1].category == "PRT"
    assert (bracket.category, bracket.word) == ("-LRB-", "-LRB-")
    assert [word.word for word in tree.words()] == ["Go", "up", "-LRB-"]
    assert dependencies([tree]).form.strings() == ["Go", "up", "("]


BRACKETS = [
    ("(S (NN a))\n(S (NN a)\n(VP (VB b))\n", 2, "the tree that begins here lacks 1 ')'"),
    ("(S (NN a)))", 1, "')' without '('; expected '(', with which a tree begins"),
    ("(S (NN a))\n\nword", 3, "'word' outside all brackets"),
    ("(S (NN a)\n(NP))", 2, "(NP) is empty; expected (TAG word) or (LABEL (…) …)"),
    ("(S (NN a)\n ())", 2, "() is empty"),
    ("(S\n(NN a b))", 2, "two words in (NN …); expected one word a tag"),
    ("(S (NN a)\n dog)", 2, "the word 'dog' has no tag; expected (TAG dog)"),
    ("(S\n(NN a (VB b)))", 2, "brackets after the word 'a'; expected (NN a)"),
    ("\n" + "(S " * (MAX_BRACKET_DEPTH + 1), 2, f"{MAX_BRACKET_DEPTH} brackets are open"),
]


def test_the_deepest_tree_is_converted(tmp_path: Path) -> None:
    path = written(
        tmp_path, "(S " * (MAX_BRACKET_DEPTH - 1) + "(NN a)" + ")" * (MAX_BRACKET_DEPTH - 1)
    )
    assert convert_files([path], tmp_path / "deep.conllu").words == 1


def test_files_of_several_trees(tmp_path: Path) -> None:
    one = f"{GOLD[0][0]}\n( (S (-NONE- *)) )\n{GOLD[1][0]}\n"
    texts = {"one": one, "two": GOLD[2][0], "none": "\n"}
    sources = [written(tmp_path, text, f"{name}.mrg") for name, text in texts.items()]
    with noted() as caught:
        done = convert_files(sources, tmp_path / "all.conllu")
    found = caught
    assert found == [f"{tmp_path}/none.mrg: no trees", "1 tree has no words and was left out"]
    assert (done.files, done.sentences, done.without_words, done.words) == (3, 3, 1, 20)
    names = [margin.value("sent_id") for margin in read_treebank(tmp_path / "all.conllu").margins]
    assert names == ["one-1", "one-3", "two-1"]


def test_other_readers_say_what_to_do(tmp_path: Path) -> None:
    path = written(tmp_path, "(S (NN a))", "a.mrg")
    for read in (read_treebank, SentenceReader):
        refuses(UsageError, "convert them first: `wordorder convert", read, path)
    refuses(UsageError, "style", dependencies, [], style="collins")
    refuses(UsageError, "no file of trees", convert_files, [])


# -- Lists of trees in brackets, and their way to `wordorder select`. ------------------------------


# "Saw her duck": a noun phrase, or a clause; then "Go".
NOUN = "(S1 (S (VP (VBD Saw) (NP (PRP$ her) (NN duck)))))"
CLAUSE = "(S1 (S (VP (VBD Saw) (S (NP (PRP her)) (VP (VB duck))))))"
GO = "(S1 (S (VP (VB Go))))"

FORMS = {
    "charniak": f"2\t0\n-12.5\n{NOUN}\n-1.4e1\n{CLAUSE}\n\n1\tlast one\n-3\n{GO}\n",
    "berkeley": f"-12.5\t{NOUN}\n-14.0\t{CLAUSE}\n\n-3\t{GO}\n\n",
    "plain": f"-12.5 ( {NOUN} )\r\n-14 ( {CLAUSE} )\r\n-3 ( {GO} )",
    "stanford": (
        f"\n# Parse 1 with score -12.5\n{NOUN}\n\n# Parse 2 with score -14.0\n"
        "(ROOT\n  (S\n    (VP (VBD Saw)\n      (S\n        (NP (PRP her))\n\n"
        f"        (VP (VB duck))))))\n\n# Parse 1 with score -3.0\n{GO}\n"
    ),
}


def check(lists: KBest, name: str) -> None:
    """Compare with the heads and labels by the manual of Stanford Dependencies."""
    assert lists.offsets.tolist() == [0, 2, 3]
    assert lists.scores.tolist() == [-12.5, -14.0, -3.0]
    assert lists.rank.tolist() == [1, 2, 1]
    assert lists.trees.form.strings() == ["Saw", "her", "duck"] * 2 + ["Go"]
    assert lists.trees.xpos.strings() == ["VBD", "PRP$", "NN", "VBD", "PRP", "VB", "VB"]
    assert lists.trees.heads.tolist() == [0, 3, 1, 0, 3, 1, 0]
    labels = ["root", "poss", "dobj", "root", "nsubj", "ccomp", "root"]
    assert lists.trees.label.strings() == labels
    ids = [margin.value("sent_id") for margin in lists.trees.margins]
    assert ids == [f"{name}-1", f"{name}-1", f"{name}-2"]


def converted(folder: Path, text: str) -> KBest:
    """Convert a list, and read it again."""
    convert_files([written(folder, text, "n.mrg")], folder / "n.conllu")
    return read_kbest(folder / "n.conllu")


@pytest.mark.parametrize("form", FORMS)
def test_each_form_becomes_lists(form: str, tmp_path: Path) -> None:
    data = FORMS[form].encode()
    for name, content in (("n.mrg", data), ("g.mrg.gz", gzip.compress(data))):
        done = convert_files([written(tmp_path, content, name)], tmp_path / "n.conllu")
        assert (done.sentences, done.trees, done.words, done.unsorted) == (2, 3, 7, 0)
        check(read_kbest(tmp_path / "n.conllu"), name[0])


def test_standard_input(tmp_path: Path) -> None:
    lists = tmp_path / "n.conllu"
    done = call("convert", "-", "-o", lists, stdin=FORMS["stanford"].encode()).good()
    assert "2 sentences, 3 trees, 7 words" in done.stderr
    check(read_kbest(lists), "stdin")
    done = call("convert", "-", stdin=b"-12.1 ( (S (NP (PRP It)) (VP (VBZ rains))) )\n")
    assert done.text == (
        "# sent_id = stdin-1\n# rank = 1\n# score = -12.1\n"
        "1\tIt\t_\t_\tPRP\t_\t2\tnsubj\t_\t_\n2\trains\t_\t_\tVBZ\t_\t0\troot\t_\t_\n\n"
    )


# "I saw cats with hats": the hats are with the cats, or with the seeing. With heads at the end of
# their phrases these are "I cats with hats saw" and "I with hats cats saw".
@pytest.mark.parametrize(("order", "head"), [("0 2 3 4 1", 3), ("0 3 4 2 1", 2)])
def test_select_takes_the_lists(order: str, head: int, tmp_path: Path) -> None:
    cats, hats = "(NP (NNS cats))", "(PP (IN with) (NP (NNS hats)))"
    tree = "(S1 (S (NP (PRP I)) (VP (VBD saw) {})))"
    noun, verb = tree.format(f"(NP {cats} {hats})"), tree.format(f"{cats} {hats}")
    converted(tmp_path, f"2 0\n-12.5\n{noun}\n-14\n{verb}\n\n1 1\n-3\n{GO}\n")
    orders, best = written(tmp_path, f"{order}\n0\n"), tmp_path / "best.conllu"
    call("select", tmp_path / "n.conllu", orders, "--rules", "headverb-sd", "-o", best).good()
    chosen = read_treebank(best)
    assert chosen.heads.tolist() == [2, 0, 2, head, 4, 0]
    assert [margin.value("sent_id") for margin in chosen.margins] == ["n-1", "n-2"]


def test_lists_of_the_same_words_behind_an_empty_line(tmp_path: Path) -> None:
    assert converted(tmp_path, f"-1 {GO}\n-2 {GO}\n\n-1 {GO}\n").offsets.tolist() == [0, 2, 3]


def test_lists_are_sorted_with_a_note(tmp_path: Path) -> None:
    with noted("1 list of trees was not best first: sorted"):
        lists = converted(tmp_path, f"-14 {CLAUSE}\n-12.5 {NOUN}\n-14 {NOUN}\n\n-3 {GO}\n")
    assert lists.scores.tolist() == [-12.5, -14.0, -14.0, -3.0]
    # Of equal scores the first one of the file stays first.
    assert lists.trees.xpos.strings()[1::3][:3] == ["PRP$", "PRP", "PRP$"]


def test_many_lists_are_written_in_batches(tmp_path: Path) -> None:
    lists = converted(tmp_path, f"-1 {NOUN}\n-2 {CLAUSE}\n\n" * 700)
    assert (len(lists), len(lists.trees)) == (700, 1400)
    ids = [margin.value("sent_id") for margin in lists.best().margins]
    assert ids == [f"n-{number}" for number in range(1, 701)]


WRONG = [
    (f"-1 {GO}\n-x {GO}\n", 2, "score '-x'; expected a finite number"),
    (f"-Infinity\t{GO}\n", 1, "score '-Infinity'; expected a finite number"),
    (f"1e999\t{GO}\n", 1, "score '1e999'; expected a finite number"),
    (f"-1 {GO}\n{GO}\n", 2, "'(S1 (S (VP (VB Go))))' among trees with scores"),
    (f"-1 {GO}\n\n# Parse 1 with score -2\n{GO}\n", 3, "'# Parse 1 with score -2' among trees"),
    (f"-1 {GO}\n2 a\n-2\n{GO}\n", 2, "'2 a' among trees with scores"),
    (f"-1 {GO} {GO}\n", 1, "a tree without a score"),
    (f"-1 {GO}\n\n\n-1 {GO}\n", 3, "a list without trees: two empty lines"),
    (f"-1 {GO}\n-2 (S (VB Go)\n", 2, "the tree that begins here lacks 1 ')'"),
    ("-1 (())\n", 1, "() is empty"),
    (f"1 a\n-1\n{GO}\n\n0 b\n", 5, "a list without trees; expected one or more a sentence"),
    (f"1 a\nx\n{GO}\n", 2, "score 'x'; expected a finite number"),
    (f"1 a\n-1\n{GO}\n3 b\n-1\n{GO}\n", 4, "a list of 3 trees has 1; expected as many as it says"),
    (f"2 a\n-1\n{GO}\n1 b\n-1\n{GO}\n", 4, "'1 b' behind 1 of 2 trees of the list of line 1"),
    (f"1 a\n-1\n{GO}\n-2\n{GO}\n", 4, "'-2' behind a list; expected the number of trees"),
    (f"2 a\n-1\n{GO}\n-2 {GO}\n", 4, "'-2 (S1 (S (VP (VB Go))))' behind 1 of 2 trees"),
    (f"2 a\n-1\n-2\n{GO}\n", 3, "'-2' behind a score; expected a tree"),
    (f"2 a\n-1\n{GO}\n-2\n{NOUN}\n", 5, "a tree with other words than the tree before"),
    ("1 a\n-1\n", 2, "a score without a tree"),
    ("1 a\n", 1, "a list of 1 trees has 0"),
    (f"# Parse 1 with score minus\n{GO}\n", 1, "score 'minus'; expected a finite number"),
    (f"# Parse 2 with score -1\n{GO}\n", 1, "parse 2; expected 1"),
    (f"# Parse 1 with score -1\n{GO}\n# Parse 3 with score -1\n", 3, "parse 3; expected 2, or 1"),
    ("# Parse 1 with score -1\n\n# Parse 1 with score -2\n", 1, "a score without a tree"),
    (f"# Parse 1 with score -1\n{GO}\n{GO}\n", 3, "a tree without a score"),
    (f"# Parse 1 with score -1\n{GO}\n-2 {GO}\n", 3, f"'-2 {GO}' between the trees"),
    (f"{GO}\n-2 {GO}\n", 2, "'-2' outside all brackets"),
    (f"{GO}\n# Parse 1 with score -2\n{GO}\n", 2, "'#' outside all brackets"),
]


@pytest.mark.parametrize(("text", "line", "message"), [*BRACKETS, *WRONG])
def test_brackets_and_lists_that_are_wrong(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    path, output = written(tmp_path, text, "bad.mrg"), tmp_path / "bad.conllu"
    complains(InputError, f"{path}:{line}: {message}", convert_files, [path], output)
    assert not output.exists()


@pytest.mark.parametrize(("order", "found"), [("ab", "lists of trees"), ("ba", "single trees")])
def test_files_of_both_kinds(order: str, found: str, tmp_path: Path) -> None:
    (tmp_path / "a").write_text(GO)
    (tmp_path / "b").write_text(FORMS["plain"])
    with pytest.raises(InputError, match=f"/{order[1]}: {found}.*expected files of one kind"):
        convert_files([tmp_path / each for each in order], tmp_path / "c.conllu")
    assert not (tmp_path / "c.conllu").exists()


def test_lists_are_no_single_trees(tmp_path: Path) -> None:
    path = written(tmp_path, FORMS["plain"])
    refuses(InputError, "'-12.5' outside all brackets", list, read_brackets(path))
