"""The rule sets that come with the package: what they must do, and that R5 is the best of them."""

import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from tests.cases import cases
from tests.compact_trees import trees_of
from tests.files import data
from tests.oracles_trees import projectivized, random_tree

import wordorder as wo
from wordorder.analysis.grid_systems import evaluate_grid
from wordorder.reordering import PrecedenceRules, open_rules
from wordorder.reordering.explanation import listed_rules
from wordorder.reordering.learned import LearnedOrder
from wordorder.reordering.rules import RULES, RULES_FOLDER
from wordorder.training.order_data import AnnotationSources
from wordorder.training.order_scores import order_score
from wordorder.treebank import Treebank, read_treebank

SAMPLE = Path(wo.__file__).parent / "samples" / "enja"
RESULTS = Path(__file__).parents[2] / "tools" / "shipped"
OTHERS = ["R1", "R2", "R3", "R4", "head-final"]


def recursive(
    heads: list[int], family: Callable[[list[int], int, list[int]], list[int]]
) -> list[int]:
    """The order of a tree from that of each family: children before, head, children after."""
    heads = projectivized(heads)

    def below(word: int) -> list[int]:
        children = [w for w in range(1, len(heads) + 1) if heads[w - 1] == word]
        before, after = [w for w in children if w < word], [w for w in children if w > word]
        found = []
        for member in family(before, word, after):
            found += [word - 1] if member == word else below(member)
        return found

    roots = [w for w in range(1, len(heads) + 1) if heads[w - 1] == 0]
    return [word for root in roots for word in below(root)]


SIMPLE: dict[str, Callable[[list[int], int, list[int]], list[int]]] = {
    "R1": lambda before, head, after: [*before, head, *after],
    "R2": lambda before, head, after: [*after[::-1], head, *before[::-1]],
    "R3": lambda before, head, after: [*before[::-1], *after, head],
    "R4": lambda before, head, after: [*before, *after[::-1], head],
}
# Without labels the sets are what the paper says of all heads.
SIMPLE |= {f"{name}-literal": SIMPLE[name] for name in ("R2", "R3", "R4")}
# Labels of words that are heads in the paper's trees, or follow HEADVERB in its list.
GRAMMAR = {"aux", "auxpass", "cop", "case", "mark", "complm"}


def bank(heads: list[list[int]]) -> Treebank:
    return Treebank.from_words([["w"] * len(row) for row in heads], heads=heads)


SHIPPED = {"learned-en-ja", "en-ja"}
SCHEMES = dict.fromkeys(("R5", "R5-amod-advmod", "headverb", "learned-en-ja", "vso"), "ud")
SCHEMES |= {"R5-sd": "sd", "headverb-sd": "sd"}
# As Talbot et al. (2011, 4.1) print it; the brackets are theirs.
PRINTED = "advcl nsubj prep [other] dobj prt aux neg HEADVERB mark ref compl".split()
WRITTEN = sorted(name for name, path in RULES.built_in.items() if path.endswith(".toml"))
LEARNED = sorted(set(RULES.built_in) - set(WRITTEN))


@pytest.mark.parametrize("name", WRITTEN)
def test_each_opens_under_its_name(name: str) -> None:
    rules = open_rules(name)
    assert rules.name == name
    assert isinstance(rules, PrecedenceRules)
    assert rules.scheme == SCHEMES.get(name, "any")


@pytest.mark.parametrize("name", SIMPLE)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32))
def test_the_simple_sets_are_their_definitions(name: str, seed: int) -> None:
    rng = random.Random(seed)
    heads = [random_tree(rng, words) for words in [1, 2, *(rng.randrange(1, 14) for _ in range(6))]]
    wanted = [recursive(row, SIMPLE[name]) for row in heads]
    assert open_rules(name).orders(bank(heads)).positions.to_lists() == wanted


@pytest.mark.parametrize("name", ["R3", "R4"])
@settings(max_examples=60)
@given(seed=st.integers(0, 2**32))
def test_labels_decide_what_is_a_head(name: str, seed: int) -> None:
    """Words of grammar go behind their word, the outermost last; nothing crosses punctuation."""
    rng = random.Random(seed)
    heads = random_tree(rng, rng.randrange(1, 14))
    kinds = [*sorted(GRAMMAR), "aux:pass", "punct", "p", "obj", "nsubj", "cc", "conj", "prep"]
    labels = [rng.choice(kinds) for _ in heads]

    def family(before: list[int], head: int, after: list[int]) -> list[int]:
        stretches: list[list[int]] = [[]]
        for word in sorted([*before, head, *after]):
            if word != head and labels[word - 1] in ("punct", "p"):
                stretches += [[word], []]
            else:
                stretches[-1].append(word)
        return [word for each in stretches for word in ordered(each, head)]

    def ordered(words: list[int], head: int) -> list[int]:
        if len(words) < 2:
            return words
        grammar = [w for w in words if w != head and labels[w - 1].split(":")[0] in GRAMMAR]
        rest = [w for w in words if w not in grammar and w != head]
        left, right = [w for w in rest if w < head], [w for w in rest if w > head]
        turned = [*left[::-1], *right] if name == "R3" else [*left, *right[::-1]]
        return [*turned, *([head] if head in words else []), *grammar[::-1]]

    trees = Treebank.from_words([["w"] * len(heads)], heads=[heads], label=[labels])
    assert open_rules(name).orders(trees).positions.to_lists() == [recursive(heads, family)]
    plain = open_rules(f"{name}-literal").orders(trees).positions.to_lists()
    assert plain == [recursive(heads, SIMPLE[name])]


@settings(max_examples=40)
@given(st.integers(0, 2**32))
def test_no_reordering_and_all_of_it(seed: int) -> None:
    rng = random.Random(seed)
    lengths = [0, 1, 2, *(rng.randrange(1, 14) for _ in range(6))]
    heads = [random_tree(rng, words, roots=rng.choice([1, 1, 2])) for words in lengths]
    trees = bank(heads)
    stay = open_rules("R1").orders(trees).positions.to_lists()
    assert stay == [list(range(words)) for words in lengths]
    one = bank([row for row in heads if row.count(0) == 1])
    turned = open_rules("R2").orders(one).positions.to_lists()
    assert turned == [list(range(words))[::-1] for words in one.lengths.tolist()]


def parsed(text: str) -> Treebank:
    """A sentence from ``word/tag/head/label`` of each word, with tags of either kind."""
    found = trees_of([text], "form upos heads label")
    return found.replace(xpos=found.upos)


def reordered(rules: str, text: str) -> str:
    trees = parsed(text)
    words = [part.split("/")[0] for part in text.split()]
    return " ".join(words[i] for i in open_rules(rules).orders(trees)[0].positions)


UNIVERSAL = """
She/PRON/4/nsubj has/AUX/4/aux not/PART/4/advmod read/VERB/0/root the/DET/6/det book/NOUN/4/obj
of/ADP/9/case my/PRON/9/nmod:poss friend/NOUN/6/nmod ././4/punct
= She my friend of the book read not has .
We/PRON/2/nsubj met/VERB/0/root him/PRON/2/obj in/ADP/5/case Paris/PROPN/2/obl on/ADP/7/case
Monday/PROPN/2/obl
= We Monday on Paris in him met
the/DET/2/det man/NOUN/0/root who/PRON/4/nsubj sold/VERB/2/acl:relcl bread/NOUN/4/obj
= bread sold who the man
If/SCONJ/3/mark it/PRON/3/nsubj rains/VERB/7/advcl ,/PUNCT/7/punct we/PRON/7/nsubj
will/AUX/7/aux stay/VERB/0/root here/ADV/7/advmod
= it rains If , we here stay will
with/ADP/2/case salt/NOUN/0/root and/CCONJ/4/cc oil/NOUN/2/conj
= salt and oil with
Mr./PROPN/2/nmod:desc Smith/PROPN/3/nsubj met/VERB/0/root President/PROPN/5/nmod:desc
Obama/PROPN/3/obj
= Smith Mr. Obama President met
He/PRON/2/nsubj left/VERB/0/root which/PRON/4/nsubj surprised/VERB/2/advcl:relcl me/PRON/4/obj
= He me surprised which left
It/PRON/4/nsubj is/AUX/4/cop very/ADV/4/advmod cold/ADJ/0/root
= It very cold is
"""
STANFORD = """
She/PRP/4/nsubj has/VBZ/4/aux not/RB/4/neg read/VBN/0/root the/DT/6/det book/NN/4/dobj
of/IN/6/prep my/PRP$/9/poss friend/NN/7/pobj ././4/punct
= She my friend of the book read not has .
the/DT/2/det man/NN/0/root who/WP/4/nsubj sold/VBD/2/rcmod bread/NN/4/dobj
= bread sold who the man
with/IN/0/prep salt/NN/1/pobj and/CC/2/cc oil/NN/2/conj
= salt and oil with
"""
VERB_INITIAL = """
The/DET/3/det old/ADJ/3/amod man/NOUN/4/nsubj gave/VERB/0/root Mary/PROPN/4/iobj a/DET/8/det
red/ADJ/8/amod book/NOUN/4/obj yesterday/ADV/4/advmod ./PUNCT/4/punct
= gave The man old Mary a book red yesterday .
She/PRON/4/nsubj has/AUX/4/aux not/PART/4/advmod seen/VERB/0/root the/DET/6/det house/NOUN/4/obj
of/ADP/9/case the/DET/9/det teacher/NOUN/6/nmod
= not has seen She the house of the teacher
The/DET/2/det book/NOUN/4/nsubj is/AUX/4/cop new/ADJ/0/root
= is new The book
"""
OF_ONE_SET = {"R5": UNIVERSAL, "R5-sd": STANFORD, "vso": VERB_INITIAL}


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [(name, *case) for name, text in OF_ONE_SET.items() for case in cases(text)],
)
def test_sentences_in_their_order_by_hand(name: str, text: str, wanted: list[str]) -> None:
    assert [reordered(name, text)] == wanted


# Worked out by hand from section 4.1 of Talbot et al. (2011): R2, R3 and R4 of each sentence.
BY_HAND = """
# A preposition is behind its noun, and the full stop stays.
He/X/2/nsubj lived/X/0/root in/X/5/case old/X/5/amod Kyoto/X/2/obl ././2/punct
= Kyoto old in lived He .
= He old Kyoto in lived .
= He old Kyoto in lived .
# Auxiliaries and a conjunction, the outermost last; R3 turns what is before the verb.
that/X/5/mark he/X/5/nsubj today/X/5/advmod has/X/5/aux eaten/X/0/root fish/X/5/obj here/X/5/advmod
= here fish eaten has today he that
= today he fish here eaten has that
= he today here fish eaten has that
# A copula; a clause with a comma, which nothing crosses.
If/X/3/mark it/X/3/nsubj rains/X/7/advcl ,/X/7/punct he/X/7/nsubj is/X/7/cop sad/X/0/root
!/X/7/punct
= sad is he , rains it If !
= it rains If , he sad is !
= it rains If , he sad is !
# A possessive, whose mark stands behind its noun already, and a passive.
My/X/2/nmod:poss friend/X/4/nmod:poss 's/X/2/case car/X/7/nsubj:pass was/X/7/aux:pass
not/X/7/advmod sold/X/0/root
= sold not was car 's friend My
= not My friend 's car sold was
= My friend 's car not sold was
# What is coordinated is a child like others: between its head and the verb, with no place of its
# own behind the preposition.
She/X/3/nsubj never/X/3/advmod drank/X/0/root in/X/5/case Rome/X/3/obl and/X/7/cc Turin/X/5/conj
././3/punct
= Turin and Rome in drank never She .
= never She and Turin Rome in drank .
= She never and Turin Rome in drank .
# Stanford labels: the preposition is a head, and its phrase one of three after the verb.
He/X/2/nsubj put/X/0/root the/X/4/det book/X/2/dobj on/X/2/prep a/X/7/det shelf/X/5/pobj
yesterday/X/2/tmod ././2/punct
= yesterday shelf a on book the put He .
= He the book a shelf on yesterday put .
= He yesterday a shelf on the book put .
# A quotation: of R2 the opening mark moves, the two marks at the end stay in their order.
``/X/2/punct Go/X/0/root home/X/2/advmod !/X/2/punct ''/X/2/punct
= home Go `` ! ''
= `` home Go ! ''
= `` home Go ! ''
# Two prepositions of one noun, the outermost last.
a/X/3/det loud/X/3/amod noise/X/0/root from/X/6/case behind/X/6/case trees/X/3/nmod
= trees behind from noise loud a
= loud a trees behind from noise
= a loud trees behind from noise
# "on the issue" is no block with "a hearing", so it counts as a child of "scheduled".
A/X/2/det hearing/X/4/nsubj:pass is/X/4/aux:pass scheduled/X/0/root on/X/7/case the/X/7/det
issue/X/2/nmod today/X/4/obl
= today issue the on scheduled is hearing A
= A hearing the issue on today scheduled is
= A hearing today the issue on scheduled is
"""


@pytest.mark.parametrize(("text", "wanted"), cases(BY_HAND))
def test_reverse_and_head_final_orders_by_hand(text: str, wanted: list[str]) -> None:
    assert [reordered(name, text) for name in ("R2", "R3", "R4")] == wanted
    assert reordered("R1", text) == " ".join(part.split("/")[0] for part in text.split())


# Figure 2 of the paper, with the tree of its parser P5, in the labels of either scheme.
FIGURE_2 = {
    "ud": "Learn/VERB/0/root about/ADP/6/case The/DET/6/det 10/NUM/6/nummod Biggest/ADJ/6/amod "
    "Mistakes/NOUN/1/obl Dog/NOUN/8/compound Trainers/NOUN/9/nsubj Make/VERB/6/acl:relcl "
    "././1/punct",
    "sd": "Learn/VB/0/root about/IN/1/prep The/DT/6/det 10/CD/6/num Biggest/JJS/6/amod "
    "Mistakes/NNS/2/pobj Dog/NN/8/nn Trainers/NNS/9/nsubj Make/VBP/6/rcmod ././1/punct",
}


@pytest.mark.parametrize("scheme", FIGURE_2)
def test_figure_2_of_the_paper_has_one_order_in_both_schemes(scheme: str) -> None:
    """R5 as the paper prints it; the others by hand."""
    wanted = {
        "R1": "Learn about The 10 Biggest Mistakes Dog Trainers Make .",
        "R2": "Make Trainers Dog Mistakes Biggest 10 The about Learn .",
        "R3": "Biggest 10 The Dog Trainers Make Mistakes about Learn .",
        "R4": "The 10 Biggest Dog Trainers Make Mistakes about Learn .",
        "R5" if scheme == "ud" else "R5-sd": "Dog Trainers Make The 10 Biggest Mistakes about "
        "Learn .",
    }
    assert {name: reordered(name, FIGURE_2[scheme]) for name in wanted} == wanted


def test_words_of_grammar_stand_as_in_table_2_of_the_paper() -> None:
    """Its reference order differs from R4 in the place of "I" alone."""
    text = (
        "How/ADV/4/advmod Can/AUX/4/aux I/PRON/4/nsubj Qualify/VERB/0/root For/ADP/9/case "
        "A/DET/9/det Mortgage/NOUN/9/compound Tax/NOUN/9/compound Deduction/NOUN/4/obl ?/./4/punct"
    )
    assert reordered("R4", text) == "How I A Mortgage Tax Deduction For Qualify Can ?"
    printed = "I How A Mortgage Tax Deduction For Qualify Can ?".split()
    positions = [[part.split("/")[0] for part in text.split()].index(word) for word in printed]
    scores = {}
    for name in ("R1", "R2", "R3", "R4", "R4-literal"):
        orders = open_rules(name).orders(parsed(text))
        segments = wo.Segments.from_orders(orders, wo.Orders.from_rows([positions]))
        scores[name] = wo.metric("frs").corpus_score(segments).value
    # Three chunks of ten words: "How", "I", and all that follows.
    assert scores["R4"] == pytest.approx(1 - 2 / 9)
    assert scores["R4"] == max(scores.values()) > scores["R4-literal"]


def test_sets_and_their_literal_forms_have_other_signatures() -> None:
    trees = parsed("He/X/2/nsubj left/X/0/root")
    said = {
        dict(open_rules(f"{name}{form}").orders(trees).provenance)["rules"]
        for name in ("R2", "R3", "R4")
        for form in ("", "-literal")
    }
    assert len({each.split("@")[1] for each in said}) == 6


def precedence_family(labels: dict[str, tuple[str, str]], verb: str, tag: str) -> str:
    """A verb and its children in the opposite of the printed order, with the names of the list."""
    rows = []
    for name in reversed(PRINTED):
        word, label = (name, "root") if name == "HEADVERB" else labels[name]
        head = 0 if name == "HEADVERB" else PRINTED[::-1].index("HEADVERB") + 1
        rows.append(f"{word}/{tag if head == 0 else verb}/{head}/{label}")
    return " ".join(rows)


def test_the_printed_list_is_a_rule_set_with_the_labels_of_the_papers() -> None:
    renamed = {"[other]": "discourse", "compl": "complm"}
    labels = {name: (name, renamed.get(name, name)) for name in PRINTED}
    for tag in ("VBD", "VB", "MD"):
        text = precedence_family(labels, "X", tag)
        assert reordered("headverb-sd", text).split() == PRINTED
    # No list is printed for heads that are no verbs.
    text = precedence_family(labels, "X", "NN")
    assert reordered("headverb-sd", text).split() == PRINTED[::-1]


@pytest.mark.parametrize("upos", ["VERB", "AUX"])
def test_the_printed_list_with_the_labels_of_universal_dependencies(upos: str) -> None:
    """The verb is in a relative clause, where `ref` is, or in a clause that is an argument."""
    for parent, last in (
        ("acl:relcl", ("which", "nsubj", "ref")),
        ("ccomp", ("that", "mark", "compl")),
    ):
        children = [
            ("because", "mark", "mark"), last, ("not", "advmod", "neg"), ("has", "aux:pass", "aux"),
            ("up", "compound:prt", "prt"), ("books", "obj", "dobj"), ("well", "advmod", "[other]"),
            ("Paris", "obl", "prep"), ("she", "nsubj:pass", "nsubj"), ("went", "advcl", "advcl"),
        ]  # fmt: skip
        rows = [f"it/X/0/root took/{upos}/1/{parent}"]
        rows += [f"{word}/X/2/{label}" for word, label, _ in children]
        place = {each: word for word, _, each in children} | {"HEADVERB": "took"}
        wanted = ["it", *(place[name] for name in PRINTED if name in place)]
        assert reordered("headverb", " ".join(rows)).split() == wanted


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_the_variant_of_r5_takes_amod_and_advmod_alike(seed: int) -> None:
    rng = random.Random(seed)
    words = rng.randrange(1, 10)
    heads = random_tree(rng, words)
    forms = [[rng.choice(["red", "not", "when", "only", "first", "now", "w"]) for _ in heads]]
    tags = [[rng.choice(["ADJ", "ADV", "NOUN", "VERB", "SCONJ"]) for _ in heads]]
    labels = [rng.choice(["amod", "advmod", "advmod", "obj", "case", "cop", "acl"]) for _ in heads]
    kinds = {"amod": ["amod", "advmod"], "advmod": ["amod", "advmod"]}
    others = [rng.choice(kinds.get(label, [label])) for label in labels]
    orders = [
        open_rules("R5-amod-advmod")
        .orders(Treebank.from_words(forms, heads=[heads], upos=tags, label=[row]))
        .positions.to_lists()
        for row in (labels, others)
    ]
    assert orders[0] == orders[1]


@pytest.mark.parametrize("red", ["3/amod", "2/amod", "2/advmod", "3/advmod"])
def test_a_red_hot_car_is_not_reordered(red: str) -> None:
    """Katz-Brown et al. (2011, 5.1): whatever "red" depends on."""
    for hot in ("amod", "advmod"):
        text = f"red/ADJ/{red} hot/ADJ/3/{hot} car/NOUN/0/root"
        assert reordered("R5-amod-advmod", text) == "red hot car"


def test_the_variant_is_r5_but_for_amod_and_advmod() -> None:
    """What names neither label is as in R5, so that the two files cannot drift apart."""
    paths = [Path(RULES.built_in[name]) for name in ("R5", "R5-amod-advmod")]
    one, other = (PrecedenceRules.read(path).file.rules for path in paths)
    assert [(rule.name, rule.head) for rule in one] == [(rule.name, rule.head) for rule in other]
    texts = [
        [row.partition("#")[0].strip() for row in path.read_text().split("\n")] for path in paths
    ]
    changed = [row for row in texts[0] if row and row not in texts[1]]
    assert len(changed) <= 12
    # The right sentences of R5 stay right.
    text = "It/PRON/4/nsubj is/AUX/4/cop very/ADV/4/advmod cold/ADJ/0/root"
    assert reordered("R5-amod-advmod", text) == "It very cold is"


@pytest.mark.parametrize("rules", ["R5", "R5-amod-advmod", "vso"])
def test_titles_are_ordered_alike_under_their_old_and_new_label(rules: str) -> None:
    text = "Mr./PROPN/2/{0} Smith/PROPN/3/nsubj met/VERB/0/root Dr./PROPN/5/{0} Ito/PROPN/3/obj"
    old, new = (reordered(rules, text.format(label)) for label in ("compound", "nmod:desc"))
    assert old == new == {"vso": "met Mr. Smith Dr. Ito"}.get(rules, "Smith Mr. Ito Dr. met")


def test_a_predicate_keeps_what_describes_a_name_next_to_it() -> None:
    text = "She/PRON/5/nsubj is/AUX/5/cop the/DET/5/det actress/NOUN/5/{} Fonda/PROPN/0/root"
    old, new = (reordered("R5", text.format(label)) for label in ("compound", "nmod:desc"))
    assert old == new == "She the actress Fonda is"


def test_only_labels_tell_what_is_final() -> None:
    """In R2, whose barrier is the punctuation that ends the sentence."""
    assert reordered("R2", "a/X/0/root b/X/1/dep ,/X/1/punct ./PUNCT/1/dep") == ". , b a"
    assert reordered("R2", "a/X/0/root b/X/1/dep ,/X/1/punct ./X/1/punct") == "b a , ."


def test_head_finalization_moves_words_of_grammar_behind_their_words() -> None:
    text = "that/SCONJ/5/mark he/PRON/5/nsubj has/AUX/5/aux been/AUX/5/aux eating/VERB/0/root "
    assert reordered("head-final", text + "apples/NOUN/5/obj") == "he apples eating been has that"


def test_r5_is_the_best_on_the_sample() -> None:
    trees = read_treebank(SAMPLE / "trees.conllu")
    grid = evaluate_grid(
        SAMPLE / "reference.orders", {"gold": trees}, [*OTHERS, "R5"], metrics=["frs"]
    )
    values = [system.scores[0].value for system in grid.evaluation.systems]
    assert values[-1] > 0.8
    assert max(values[:-1]) < values[-1] - 0.1


def test_r5_is_the_best_on_parallel_treebanks() -> None:
    folder = data("pud-word-alignments", "en-ja")
    trees = read_treebank(folder / "en.conllu.gz")
    links = wo.read_alignments(folder / "en-ja.align.gz", source_lengths=trees.lengths)
    reference = wo.reference_orders(links, trees.lengths, unaligned="drop")
    grid = evaluate_grid(reference, {"gold": trees}, [*OTHERS, "R5"], metrics=["frs"])
    beats = grid.by_parser[0][0].beats()
    assert beats[-1, :-1].all()
    assert grid.evaluation.systems[-1].scores[0].value > 0.69


def test_the_built_in_sets_are_the_files_of_the_folder() -> None:
    files = {path.stem for path in RULES_FOLDER.iterdir()}
    assert set(RULES.built_in) == files >= {"R1", "R5", "R5-sd", "head-final", *SHIPPED}
    listed = {each.name: each for each in listed_rules() if each.package == "wordorder"}
    assert set(listed) == files
    for name, path in RULES.built_in.items():
        assert open_rules(name).name == name
        if name in WRITTEN:
            assert listed[name].about in Path(path).read_text("utf-8")


@pytest.mark.parametrize("name", LEARNED)
def test_a_learned_order_says_what_it_was_trained_on(name: str) -> None:
    rules = open_rules(name)
    assert isinstance(rules, LearnedOrder)
    assert rules.name == name
    assert (rules.parser, rules.about["rule"], rules.about["unaligned"]) == (
        *("en", "topdown-btg", "drop"),
    )
    assert rules.about["licence"].startswith("CC BY-SA 3.0")
    assert all("KFTT" in each or "PUD" in each for each in rules.about["data"])
    (listed,) = (each for each in listed_rules() if each.name == name)
    assert listed.about == rules.about["title"]


@pytest.mark.parametrize("kept", ["learned_model", "learned_en_ja"])
def test_the_learned_orders_are_those_that_were_made(kept: str) -> None:
    """What the scripts kept of their output; who edits the set makes it again."""
    said = json.loads((RESULTS / f"{kept}.json").read_text())
    path = RULES_FOLDER / said.get("file", "en-ja.safetensors")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == said["sha256"]
    assert path.stat().st_size < 3_000_000


def test_the_learned_order_puts_the_sample_in_order() -> None:
    """Trained on other text, it comes near R5; what it scores is what the experiment kept."""
    kept = json.loads((RESULTS / "learned_model.json").read_text())["frs"]
    sources = AnnotationSources("trees", parser="en")
    examples = sources.examples(SAMPLE / "source.en", SAMPLE / "alignments.talbot")
    orders = open_rules("en-ja").orders(examples.treebank)
    value = order_score(wo.Orders(orders.positions), examples, "frs").value
    assert value == pytest.approx(kept["en-ja"]["sample"], abs=1e-4)
    assert value > kept["R1"]["sample"] + 0.4
