"""Checks of the shipped English-Japanese sample that use none of the package's own code."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import pytest

SAMPLE = files("wordorder") / "samples" / "enja"
DATA = ("source.en", "target.ja", "alignments.talbot", "trees.conllu")
SYSTEMS = ("unchanged", "reversed", "head-final", "head-final-mistakes")
ARTICLES = {"a", "an", "the"}
PUNCTUATION = {",", ".", "?"}
SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "shipped" / "make_sample_orders.py"

# Universal relations with the usual English subtypes, as far as the sample needs them.
RELATION = re.compile(
    r"acl(:relcl)?|advcl|advmod|amod|appos|aux(:pass)?|case|cc(:preconj)?|ccomp|compound(:prt)?"
    r"|conj|cop|det(:predet)?|discourse|expl|fixed|flat|iobj|mark|nmod(:poss)?|nsubj(:pass)?"
    r"|nummod|obj|obl(:agent|:unmarked)?|punct|root|xcomp"
)


def sets(text: str) -> dict[str, set[str]]:
    """The words behind each name of a text: ``name: word word; name: word``."""
    parts = (part.split(": ") for part in " ".join(text.split()).split("; "))
    return {name: set(words.split()) for name, words in parts}


# Which parts of speech a relation allows.
ALLOWED = sets("""
    advmod: ADV PART; amod: ADJ VERB; aux: AUX; aux:pass: AUX; case: ADP PART; cc: CCONJ;
    cc:preconj: CCONJ; compound:prt: ADP; cop: AUX; det: DET PRON; det:predet: DET;
    discourse: INTJ; expl: PRON; fixed: ADP ADV SCONJ; flat: PROPN; iobj: NOUN PRON PROPN;
    mark: SCONJ PART; nmod:poss: NOUN PRON PROPN; nsubj: NOUN PRON PROPN NUM;
    nsubj:pass: NOUN PRON PROPN NUM; nummod: NUM; obj: NOUN PRON PROPN NUM;
    obl:agent: NOUN PRON PROPN; obl:unmarked: NOUN PROPN; punct: PUNCT""")
# And the other way round: where a part of speech may stand.
PLACES = sets("""
    ADP: case compound:prt fixed; AUX: aux aux:pass cop; CCONJ: cc cc:preconj;
    DET: det det:predet; INTJ: discourse; PART: advmod case mark; PUNCT: punct;
    SCONJ: mark fixed""")
# Tags of the Penn Treebank by part of speech.
TAGS = sets("""
    ADJ: JJ JJR JJS; ADP: IN RP; ADV: RB RBR WRB; AUX: MD VB VBD VBG VBN VBP VBZ; CCONJ: CC;
    DET: DT PDT WDT; INTJ: UH; NOUN: NN NNS; NUM: CD; PART: POS RB TO;
    PRON: EX NN PRP PRP$ WDT WP; PROPN: NNP NNPS; PUNCT: , .; SCONJ: IN;
    VERB: VB VBD VBG VBN VBP VBZ""")
# Dependents a function word may have.
LEAVES = {name: set[str]() for name in "aux compound:prt cop det fixed flat punct".split()}
LEAVES |= sets("case: fixed; cc: fixed; mark: fixed")
CLAUSES = {"root", "acl", "advcl", "ccomp", "conj", "csubj", "parataxis", "xcomp"}
ONCE = ("nsubj", "obj", "iobj", "cop", "expl", "cc", "csubj", "det:predet", "compound:prt")


@dataclass(frozen=True)
class Word:
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: dict[str, str]
    head: int
    deprel: str
    deps: str
    misc: str

    @property
    def relation(self) -> str:
        return self.deprel.partition(":")[0]


@dataclass(frozen=True)
class Sentence:
    name: str
    text: str
    words: tuple[Word, ...]  # the word with id 1 stands at 0; heads are ids

    def children(self, head: int) -> list[Word]:
        return [word for word in self.words if word.head == head]


def text_of(name: str) -> str:
    return SAMPLE.joinpath(name).read_bytes().decode("utf-8")


def lines_of(name: str) -> list[str]:
    return text_of(name).removesuffix("\n").split("\n")


def tokens_of(name: str) -> list[list[str]]:
    return [line.split(" ") for line in lines_of(name)]


def fields_of_alignments() -> list[list[set[int]]]:
    return [
        [
            {int(index) for index in field.split("_")} if field else set()
            for field in line.split(",")
        ]
        for line in lines_of("alignments.talbot")
    ]


def read_feats(column: str) -> dict[str, str]:
    if column == "_":
        return {}
    pairs = [pair.partition("=")[::2] for pair in column.split("|")]
    keys = [key for key, _ in pairs]
    assert keys == sorted(set(keys), key=str.lower), column
    assert all(
        re.fullmatch(r"[A-Z][A-Za-z]*=[A-Z0-9][A-Za-z0-9]*", each) for each in column.split("|")
    )
    return dict(pairs)


def read_sentence(block: str) -> Sentence:
    lines = block.split("\n")
    name = re.fullmatch(r"# sent_id = (\S+)", lines[0])
    text = re.fullmatch(r"# text = (\S.*\S)", lines[1])
    assert name, block
    assert text, block
    words = []
    for number, line in enumerate(lines[2:], 1):
        columns = line.split("\t")
        assert len(columns) == 10, line
        assert columns[0] == str(number), line
        assert all(column and column == column.strip() for column in columns), line
        _, form, lemma, upos, xpos, feats, head, *rest = columns
        words.append(Word(form, lemma, upos, xpos, read_feats(feats), int(head), *rest))
    return Sentence(name[1], text[1], tuple(words))


def read_sentences() -> list[Sentence]:
    text = text_of("trees.conllu")
    assert text.endswith("\n")
    return [read_sentence(block) for block in text.removesuffix("\n").rstrip("\n").split("\n\n")]


SENTENCES = read_sentences()


def every_sentence(check: Callable[[Sentence], None]) -> Callable[[], None]:
    """Make one test of what is checked of each sentence; the first that fails is named."""

    def test() -> None:
        for sentence in SENTENCES:
            try:
                check(sentence)
            except AssertionError as error:
                raise AssertionError(sentence.name) from error

    return test


@pytest.mark.parametrize("name", [*DATA, *(f"{system}.orders" for system in SYSTEMS)])
def test_plain_text(name: str) -> None:
    text = text_of(name)
    assert text.endswith("\n")
    assert not text.startswith("\ufeff")
    assert "\r" not in text
    if name != "trees.conllu":
        assert "\t" not in text
        assert "  " not in text
        assert all(line and line == line.strip() for line in lines_of(name))


def test_as_many_lines_everywhere() -> None:
    names = ["source.en", "target.ja", "alignments.talbot", *(f"{name}.orders" for name in SYSTEMS)]
    counts = {name: len(lines_of(name)) for name in names}
    counts["trees.conllu"] = len(SENTENCES)
    assert set(counts.values()) == {72}, counts


def test_lengths_are_spread_over_3_to_25() -> None:
    lengths = Counter(map(len, tokens_of("source.en")))
    assert set(lengths) == set(range(3, 26))
    assert max(lengths.values()) <= 4


def test_no_sentence_twice() -> None:
    assert len(set(lines_of("source.en"))) == len(lines_of("source.en"))
    assert len(set(lines_of("target.ja"))) == len(lines_of("target.ja"))


def test_target_is_japanese() -> None:
    words = [word for tokens in tokens_of("target.ja") for word in tokens]
    kana_or_han = re.compile(r"[\u3001\u3002\u3005\u3040-\u30ff\u4e00-\u9fff]+")
    assert [word for word in words if not kana_or_han.fullmatch(word)] == ["Wi-Fi"]
    assert all(tokens[-1] == "。" for tokens in tokens_of("target.ja"))


def test_one_field_per_target_token_and_none_empty() -> None:
    rows = zip(tokens_of("target.ja"), fields_of_alignments(), strict=True)
    for target, fields in rows:
        assert len(fields) == len(target), target
        assert all(fields), target


def test_alignment_is_written_canonically() -> None:
    for line, fields in zip(lines_of("alignments.talbot"), fields_of_alignments(), strict=True):
        assert line == ",".join("_".join(map(str, sorted(field))) for field in fields)


def test_only_articles_and_punctuation_unaligned() -> None:
    for source, fields in zip(tokens_of("source.en"), fields_of_alignments(), strict=True):
        aligned = set().union(*fields)
        assert aligned <= set(range(len(source))), source
        unaligned = {word.lower() for index, word in enumerate(source) if index not in aligned}
        assert unaligned <= ARTICLES | PUNCTUATION, source
        assert len(source) - 1 in aligned, source


def test_few_non_contiguous_alignments() -> None:
    words = broken = 0
    for source, fields in zip(tokens_of("source.en"), fields_of_alignments(), strict=True):
        for index in range(len(source)):
            places = [place for place, field in enumerate(fields) if index in field]
            words += bool(places)
            broken += bool(places) and places[-1] - places[0] + 1 != len(places)
    assert broken < 0.03 * words


def test_full_stops_and_question_marks_align() -> None:
    rows = zip(tokens_of("source.en"), tokens_of("target.ja"), fields_of_alignments(), strict=True)
    for source, target, fields in rows:
        assert fields[-1] == {len(source) - 1}, source
        question = len(target) > 1 and target[-2] == "か"
        assert question == (source[-1] == "?"), source


@pytest.mark.parametrize("system", SYSTEMS)
def test_orders_are_permutations(system: str) -> None:
    for source, line in zip(tokens_of("source.en"), lines_of(f"{system}.orders"), strict=True):
        order = [int(position) for position in line.split(" ")]
        assert line == " ".join(map(str, order))
        assert sorted(order) == list(range(len(source))), source


def test_trivial_orders() -> None:
    for source, line in zip(tokens_of("source.en"), lines_of("unchanged.orders"), strict=True):
        assert line == " ".join(map(str, range(len(source))))
    for source, line in zip(tokens_of("source.en"), lines_of("reversed.orders"), strict=True):
        assert line == " ".join(map(str, reversed(range(len(source)))))


def test_head_final_puts_objects_before_verbs() -> None:
    for sentence, line in zip(SENTENCES, lines_of("head-final.orders"), strict=True):
        order = line.split(" ")
        assert order[-1] == str(len(sentence.words) - 1)
        for number, word in enumerate(sentence.words, 1):
            if word.deprel == "obj" and word.feats.get("PronType") != "Rel":
                assert order.index(str(number - 1)) < order.index(str(word.head - 1)), sentence


def test_about_a_quarter_has_mistakes() -> None:
    rows = zip(lines_of("head-final.orders"), lines_of("head-final-mistakes.orders"), strict=True)
    wrong = [number for number, (right, other) in enumerate(rows, 1) if right != other]
    assert all(number % 4 == 0 for number in wrong)
    assert 0.2 * len(SENTENCES) <= len(wrong) <= 0.3 * len(SENTENCES)


def test_script_reproduces_the_orders(tmp_path: Path) -> None:
    with as_file(SAMPLE / "trees.conllu") as trees:
        shutil.copy(trees, tmp_path)
    subprocess.run([sys.executable, str(SCRIPT), "--samples", str(tmp_path)], check=True)
    for system in SYSTEMS:
        name = f"{system}.orders"
        assert (tmp_path / name).read_bytes() == SAMPLE.joinpath(name).read_bytes(), name


def test_names_and_forms() -> None:
    expected = [f"enja-{number:03d}" for number in range(1, len(SENTENCES) + 1)]
    assert [sentence.name for sentence in SENTENCES] == expected
    forms = [[word.form for word in sentence.words] for sentence in SENTENCES]
    assert forms == tokens_of("source.en")


@every_sentence
def test_text_is_the_detokenised_sentence(sentence: Sentence) -> None:
    text = ""
    for word in sentence.words:
        assert word.misc in {"_", "SpaceAfter=No"}
        text += word.form + ("" if word.misc == "SpaceAfter=No" else " ")
    assert text.removesuffix(" ") == sentence.text
    assert not re.search(r" [,.?]|\s{2}", sentence.text)
    assert re.match("[A-Z]", sentence.text)


@every_sentence
def test_tree(sentence: Sentence) -> None:
    words = sentence.words
    assert [word.deprel for word in words if word.head == 0] == ["root"]
    assert [word.head for word in words if word.deprel == "root"] == [0]
    for number, word in enumerate(words, 1):
        assert 0 <= word.head <= len(words)
        assert word.deps == "_"
        assert RELATION.fullmatch(word.deprel), word
        seen = {number}
        while number := words[number - 1].head:
            assert number not in seen, word
            seen.add(number)


@every_sentence
def test_tree_is_projective(sentence: Sentence) -> None:
    arcs = [
        (min(number, word.head), max(number, word.head))
        for number, word in enumerate(sentence.words, 1)
        if word.head
    ]
    root = next(number for number, word in enumerate(sentence.words, 1) if not word.head)
    assert not [arc for arc in arcs if arc[0] < root < arc[1]]
    assert not [(one, two) for one in arcs for two in arcs if one[0] < two[0] < one[1] < two[1]]


@every_sentence
def test_final_punctuation_hangs_on_the_root(sentence: Sentence) -> None:
    last = sentence.words[-1]
    assert last.form in {".", "?"}
    assert sentence.words[last.head - 1].deprel == "root"
    assert all(word.form == "," for word in sentence.words[:-1] if word.upos == "PUNCT")


@every_sentence
def test_part_of_speech_and_relation_agree(sentence: Sentence) -> None:
    for word in sentence.words:
        external = word.feats.get("ExtPos", word.upos)
        if word.deprel in ALLOWED:
            assert external in ALLOWED[word.deprel], word
        if external in PLACES:
            assert word.deprel in PLACES[external], word
        assert word.xpos in TAGS[word.upos], word
        assert (word.upos == "PART" and word.deprel == "advmod") == (
            word.feats.get("Polarity") == "Neg"
        ), word


@every_sentence
def test_function_words_have_no_dependents(sentence: Sentence) -> None:
    for number, word in enumerate(sentence.words, 1):
        allowed = LEAVES.get(word.deprel, LEAVES.get(word.relation))
        if allowed is not None:
            assert {child.deprel for child in sentence.children(number)} <= allowed, word


@every_sentence
def test_left_to_right_relations(sentence: Sentence) -> None:
    for number, word in enumerate(sentence.words, 1):
        if word.relation in {"conj", "fixed", "flat", "appos"}:
            assert word.head < number, word
        if word.deprel == "cc":
            head = sentence.words[word.head - 1]
            assert head.deprel == "conj", word
            assert number < word.head, word


@every_sentence
def test_subjects_and_objects(sentence: Sentence) -> None:
    for number, word in enumerate(sentence.words, 1):
        children = sentence.children(number)
        kinds = Counter(child.relation for child in children)
        kinds.update({child.deprel for child in children if ":" in child.deprel})
        assert all(kinds[kind] <= 1 for kind in ONCE), word
        copular = bool(kinds["cop"])
        if kinds["nsubj"] or copular or kinds["aux"] or kinds["mark"]:
            assert word.relation in CLAUSES, word
            assert word.upos == "VERB" or copular, word
        if kinds["obj"] or kinds["iobj"] or kinds["ccomp"] or kinds["xcomp"]:
            assert word.upos in {"VERB", "ADJ"}, word
        if kinds["nsubj"]:
            passive = any(child.deprel == "nsubj:pass" for child in children)
            assert passive == any(child.deprel == "aux:pass" for child in children), word
        assert not (copular and kinds["obj"]), word
        nominal = word.upos in {"NOUN", "PROPN", "PRON"}
        if nominal and not copular:
            assert not kinds["obl"], word
        if kinds["nmod"] or kinds["amod"] or kinds["det"]:
            assert nominal or word.upos == "NUM", word
        if word.deprel in {"obl", "obl:agent", "nmod"}:
            assert "case" in kinds, word
        if word.deprel in {"obl:unmarked", "obj", "nsubj"}:
            assert "case" not in kinds, word


@every_sentence
def test_features(sentence: Sentence) -> None:
    for word in sentence.words:
        feats, tag = word.feats, word.xpos
        if word.upos in {"VERB", "AUX"}:
            assert "VerbForm" in feats, word
            assert (tag in {"VBD", "VBP", "VBZ"}) == (feats.get("Mood") == "Ind"), word
            assert tag == "VB" or feats.get("Mood") != "Imp", word
            if feats.get("Mood") == "Ind":
                assert {"Number", "Person", "Tense"} <= set(feats), word
            assert (feats.get("Tense") == "Past") == (tag in {"VBD", "VBN"}), word
            if tag == "VBZ":
                assert (feats["Number"], feats["Person"]) == ("Sing", "3"), word
        if word.upos in {"NOUN", "PROPN"}:
            assert feats["Number"] == ("Plur" if tag in {"NNS", "NNPS"} else "Sing"), word
        if word.upos == "ADJ":
            degree = {"JJ": "Pos", "JJR": "Cmp", "JJS": "Sup"}[tag]
            assert feats["Degree"] == degree, word
        if word.upos in {"DET", "PRON"} and tag != "EX":
            assert "PronType" in feats, word
        if word.form.lower() in ARTICLES:
            assert feats["PronType"] == "Art", word
            assert feats["Definite"] == ("Def" if word.form.lower() == "the" else "Ind"), word
        if word.upos == "NUM":
            assert feats["NumType"] == "Card", word


def lemma_fits(word: Word) -> bool:
    """Tell whether a regular form has the lemma it should have."""
    form, lemma = word.form.lower(), word.lemma.lower()
    if word.xpos in {"VB", "VBP", "NN", "NNP", "JJ", "RB", "IN", "RP", "CC", "CD", "UH"}:
        irregular = {"are": "be", "n't": "not"}
        return lemma == irregular.get(form, form)
    return word.upos == "PUNCT" or bool(lemma)


@every_sentence
def test_lemmas(sentence: Sentence) -> None:
    for word in sentence.words:
        assert lemma_fits(word), word
        if word.upos not in {"PROPN", "PRON"}:
            assert word.lemma == word.lemma.lower(), word


def count(wanted: str) -> int:
    """Count the sentences with a word of a certain relation."""
    return sum(any(word.deprel == wanted for word in each.words) for each in SENTENCES)


def test_mix_of_sentence_types() -> None:
    roots = [next(word for word in each.words if not word.head) for each in SENTENCES]
    imperatives = [r for r in roots if r.upos == "VERB" and r.feats.get("Mood") == "Imp"]
    assert len(imperatives) >= 10
    questions = [each for each in SENTENCES if each.words[-1].form == "?"]
    wh = [each for each in questions if each.words[0].feats.get("PronType") == "Int"]
    assert len(questions) >= 8
    assert len(wh) >= 4
    assert len(questions) - len(wh) >= 4
    least = {"acl:relcl": 6, "conj": 10, "advcl": 10, "aux:pass": 5, "cop": 10}
    for relation, number in {**least, "ccomp": 4, "xcomp": 4}.items():
        assert count(relation) >= number, relation

    def having(holds: Callable[[Word], bool]) -> int:
        return sum(any(map(holds, each.words)) for each in SENTENCES)

    assert having(lambda w: "Neg" in (w.feats.get("Polarity"), w.feats.get("PronType"))) >= 8
    assert having(lambda word: word.xpos == "MD") >= 5
    assert having(lambda word: word.feats.get("Degree") == "Cmp") >= 5


def test_counts_in_the_readme() -> None:
    readme = (files("wordorder") / "samples" / "README.md").read_text(encoding="utf-8")
    stated = {label: int(value) for label, value in re.findall(r"\| ([a-z ]+) \| (\d+) \|", readme)}
    source, target, fields = tokens_of("source.en"), tokens_of("target.ja"), fields_of_alignments()
    words = sum(map(len, source))
    right = {
        "sentences": len(source),
        "source tokens": words,
        "target tokens": sum(map(len, target)),
        "links": sum(len(field) for row in fields for field in row),
        "unaligned source tokens": words - sum(len(set().union(*row)) for row in fields),
        "unaligned target tokens": 0,
        "questions": sum(tokens[-1] == "?" for tokens in source),
        "with a relative clause": count("acl:relcl"),
        "with coordination": count("conj"),
        "with an adverbial clause": count("advcl"),
        "with a passive": count("aux:pass"),
    }
    assert {label: stated[label] for label in right} == right


def test_reference_orders_are_what_the_package_makes_of_the_alignments(tmp_path: Path) -> None:
    from wordorder.order.reference_files import convert_alignments
    from wordorder.samples import sample_path

    made = tmp_path / "reference.orders"
    convert_alignments(sample_path("alignments.talbot"), sample_path("source.en"), made)
    assert made.read_bytes() == sample_path("reference.orders").read_bytes()
