"""``wordorder parse`` and ``wordorder tag`` from the outside."""

import gzip
import re
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from tests.cli.running import PROGRAM, SOURCE, call, process, write
from tests.parsing.small_treebank import SENTENCES, TREEBANK, without_trees, words

BARE = without_trees(TREEBANK)
TEXT = words(TREEBANK)
# What text becomes: each sentence is called after its line.
NUMBERED = TREEBANK.replace("sent_id = small-", "sent_id = ")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Models of each kind, trained on a small treebank."""
    folder = tmp_path_factory.mktemp("models")
    trees = write(folder, "train.conllu", TREEBANK)
    made = {
        "whole": ["parser"],
        "graph": ["parser", "--algorithm", "graph"],
        "untagged": ["parser", "--tagger", "none"],
        "tagger": ["tagger"],
        "tnt": ["tagger", "--model", "tnt", "-O", "known-words=open"],
    }
    for name, (kind, *options) in made.items():
        epochs = [] if name == "tnt" else ["--epochs", "4"]
        call("train", kind, trees, "-o", folder / name, *options, *epochs).good()
    return {name: str(folder / name) for name in made}


@pytest.mark.parametrize("name", ["whole", "graph"])
def test_text_and_treebanks_get_their_trees(models: dict[str, str], name: str) -> None:
    model = models[name]
    assert call("parse", model, stdin=TEXT.encode()).good().text == NUMBERED
    assert call("parse", model, stdin=BARE.encode()).good().text == TREEBANK
    assert call("parse", model, "-", "--input", "text", stdin=TEXT.encode()).text == NUMBERED
    answer = process("parse", model, stdin=b"she hears a dog .\n").good()
    assert answer.stderr == ""
    assert "2\thears\t_\tVERB\tVBZ\t_\t0\troot\t_\t_\n" in answer.text


@pytest.mark.parametrize("name", ["tagger", "tnt", "whole"])
def test_text_and_treebanks_get_their_tags(models: dict[str, str], name: str) -> None:
    answer = call("tag", models[name], stdin=TEXT.encode()).good()
    rows = [line.split("\t") for line in answer.text.splitlines() if "\t" in line]
    gold = [line.split("\t") for line in TREEBANK.splitlines() if "\t" in line]
    assert [row[:6] for row in rows] == [row[:6] for row in gold]
    assert {tuple(row[6:]) for row in rows} == {("_",) * 4}
    # Trees that are there stay.
    assert call("tag", models[name], stdin=TREEBANK.encode()).good().text == TREEBANK


@pytest.mark.parametrize("options", ["", "--tags predict", "--kbest 2", "-O kbest-tags=2"])
@pytest.mark.parametrize("keep", ["", "lemma", "feats", "lemma,feats"])
def test_columns_that_no_model_predicts(models: dict[str, str], options: str, keep: str) -> None:
    given = (
        "# newdoc\n# sent_id = x\n# text = don't go\n1-2\tdon't" + "\t_" * 8 + "\n"
        "1\tdo\tdo\tAUX\tVBP\tMood=Imp\t_\t_\t_\tA=1\n2\tn't\tnot\tPART\tRB\t_\t_\t_\t_\t_\n"
        "2.1\te" + "\t_" * 8 + "\n3\tgo\tgo\tVERB\tVB\t_\t_\t_\t3:x\tB=2\n\n"
    )
    how = [*options.split(), *(["--keep", keep] if keep else [])]
    answer = call("parse", models["whole"], *how, stdin=given.encode()).good()
    rows = [line.split("\t") for line in answer.text.split("\n\n")[0].splitlines()]
    assert [row[0] for row in rows if len(row) > 1] == ["1-2", "1", "2", "3"]
    words = [(row[2], row[5], row[8], row[9]) for row in rows if row[0].isdigit()]
    lemmas = ["do", "not", "go"] if "lemma" in keep else ["_"] * 3
    feats = ["Mood=Imp", "_", "_"] if "feats" in keep else ["_"] * 3
    assert words == list(zip(lemmas, feats, "___", ["A=1", "_", "B=2"], strict=True))
    assert "left out the enhanced dependencies (DEPS) of 33 % of the words" in answer.stderr
    parts = {"lemma": "LEMMA of 100 %", "feats": "FEATS of 33 %"}
    left_out = [name for name in parts if name not in keep.split(",")]
    shares = " and ".join(parts[name] for name in left_out)
    message = f"left out {shares} of the words: {models['whole']} does not predict them "
    assert (message + f"(--keep {','.join(left_out)} keeps them)" in answer.stderr) == bool(
        left_out
    )


def test_columns_to_keep_have_names(models: dict[str, str]) -> None:
    answer = call("parse", models["whole"], "--keep", "deps", stdin=BARE.encode())
    answer.refused(2, "unknown value for --keep 'deps'; legal names: feats, lemma")


def test_empty_lines_stay_parallel_and_are_counted(models: dict[str, str]) -> None:
    text = f"\n{TEXT.splitlines()[0]}\n \t\n"
    for verb, options in (("parse", []), ("parse", ["--kbest", "2"]), ("tag", [])):
        answer = call(verb, models["whole"], *options, stdin=text.encode()).good()
        blocks = answer.text.split("\n\n")
        assert blocks[0].startswith("# sent_id = 1\n")
        assert blocks[-2].startswith("# sent_id = 3\n")
        assert blocks[-1] == ""
        note = "wordorder: note: <stdin>: 2 empty lines became sentences without words\n"
        assert answer.stderr == note
        again = call("parse", models["whole"], stdin=answer.stdout).good()
        assert again.text.count("# sent_id") == answer.text.count("# sent_id")


def test_no_input_gives_no_output(models: dict[str, str]) -> None:
    for verb in ("parse", "tag"):
        answer = call(verb, models["whole"], stdin=b"").good()
        assert (answer.stdout, answer.stderr) == (b"", "")


@pytest.mark.parametrize("name", ["whole", "graph"])
def test_lists_of_trees(models: dict[str, str], name: str, tmp_path: Path) -> None:
    from wordorder.treebank.kbest_files import read_kbest

    out = tmp_path / "out.conllu"
    call("parse", models[name], "--kbest", "3", "-o", out, stdin=TEXT.encode()).good()
    lists = read_kbest(out)
    assert len(lists) == 27
    assert lists.rank.max() == 3
    assert (lists.best().heads == read_heads(TREEBANK)).all()
    for start, stop in pairwise(lists.offsets.tolist()):
        trees = [(tree.heads, tree.labels) for tree in lists.trees[start:stop]]
        assert len(set(map(str, trees))) == len(trees)
        assert list(lists.scores[start:stop]) == sorted(lists.scores[start:stop], reverse=True)


def read_heads(text: str) -> list[int]:
    return [int(line.split("\t")[6]) for line in text.splitlines() if "\t" in line]


@pytest.mark.parametrize("name", ["tagger", "tnt"])
def test_lists_of_tags(models: dict[str, str], name: str) -> None:
    answer = call("tag", models[name], "--kbest", "2", stdin=TEXT.encode()).good()
    assert answer.text.count("# rank = 1\n") == 27
    assert answer.text.count("# rank = 2\n") > 0
    assert answer.text.count("# score = ") == answer.text.count("# rank = ")


def test_given_tags_and_predicted_ones(models: dict[str, str]) -> None:
    other = BARE.replace("\tbirds\t_\t_\t_\t", "\tbirds\t_\tX\tYY\t")
    answers = {
        mode: call("parse", models["whole"], "--tags", mode, stdin=other.encode()).good()
        for mode in ("auto", "keep", "predict")
    }
    found = {mode: answer.text for mode, answer in answers.items()}
    total = len(TEXT.split())
    share = 100 * (total - 9) / total
    untagged = f"<stdin>: {share:.0f} % of the words have no UPOS and no XPOS, which "
    assert [untagged in answer.stderr for answer in answers.values()] == [False, True, False]
    # Tags that are none of the model's count as missing.
    assert found["auto"] == TREEBANK
    assert found["keep"].count("\tbirds\t_\tX\tYY\t") == 9
    assert "VERB" not in found["keep"]
    assert found["predict"] == TREEBANK


@pytest.mark.parametrize("name", ["whole", "graph"])
def test_tags_of_another_tag_set(models: dict[str, str], name: str) -> None:
    """All of them count as missing, those that have the name of one of the model's too."""
    model = models[name]
    # The plural is called like the singular of the model, and adverbs like its determiners.
    named = {"VBZ": "PRES", "NN": "SG", "NNS": "NN", "DT": "DEF", "JJ": "POS", "PRP": "NOM"}
    named |= {".": "STOP", "RB": "DT"}
    foreign = re.sub(
        r"\t([A-Z.]+)\t_\t(?=\d+\t)", lambda at: f"\t{named.get(at[1], at[1])}\t_\t", TREEBANK
    )
    total, others = (
        len(TEXT.split()),
        len(re.findall(r"\t(PRES|SG|DEF|POS|NOM|STOP)\t_\t\d", foreign)),
    )
    only = re.sub(r"\t[A-Z]+\t(\S+\t_\t\d+\t)", r"\t_\t\1", foreign)
    answer = call("parse", model, stdin=only.encode()).good()
    assert answer.text == TREEBANK
    share = f"{100 * others / total:.0f} % of the XPOS are not tags of {model}, such as"
    assert answer.stderr.count(share) == 1
    assert ": all predicted (--tags keep" in answer.stderr
    assert "tags: " not in answer.stderr
    answer = call("parse", model, "--tags", "keep", stdin=foreign.encode()).good()
    columns = [
        [line.split("\t")[3:5] for line in text.split("\n") if "\t" in line]
        for text in (answer.text, foreign)
    ]
    assert columns[0] == columns[1]
    assert share in answer.stderr
    assert ": all kept; the trees suffer (--tags auto predicts them)" in answer.stderr
    answer = call("parse", model, "--tags", "predict", stdin=foreign.encode()).good()
    assert (answer.text, answer.stderr) == (TREEBANK, "")


def test_the_tags_of_the_file_are_told(models: dict[str, str], tmp_path: Path) -> None:
    answer = call("parse", models["whole"], stdin=TREEBANK.encode()).good()
    assert answer.stderr == (
        "wordorder: note: <stdin>: tags: UPOS and XPOS of the file for 100 % of the words; "
        "`wordorder parse --tags predict` predicts them\n"
    )
    trees = write(tmp_path, "train.conllu", TREEBANK)
    model = str(tmp_path / "jackknifed")
    options = ("--tags", "jackknife", "--tagger", "tnt", "--epochs", "1")
    call("train", "parser", trees, "-o", model, *options).good()
    half = re.sub(r"\t(?:NN|NNS|VBZ|PRP)\t_\t(?=\d+\t)", "\t_\t_\t", TREEBANK)
    answer = call("parse", model, stdin=half.encode()).good()
    assert (
        "tags: UPOS of the file for 100 % of the words, XPOS of the file for 50 %" in answer.stderr
    )
    assert f"{model} was trained for predicted tags (jackknife): with correct" in answer.stderr


def test_universal_tags_of_a_file_decide_the_others(models: dict[str, str]) -> None:
    # A word that was never seen, after which both may follow.
    rows = ["1\tshe\t_\tPRON\tPRP\t_", "2\tblarks\t_\t{}\t_\t_", "3\tbirds\t_\tNOUN\tNNS\t_"]
    text = "\n".join(row + "\t_" * 4 for row in rows) + "\n\n"
    for model in ("whole", "tagger", "tnt"):
        for upos, xpos in (("VERB", "VBZ"), ("ADV", "RB"), ("DET", "DT"), ("ADJ", "JJ")):
            options = ["--tags", "auto"]
            answer = call("tag", models[model], *options, stdin=text.format(upos).encode()).good()
            assert f"\tblarks\t_\t{upos}\t{xpos}\t" in answer.text
    call("tag", models["tnt"], "--kbest", "2", "--tags", "auto").refused(2, "tags=predict")


def test_another_language_is_noted() -> None:
    german = b"der hund sieht die katze und das kind isst einen apfel im garten\n" * 10
    japanese = "彼 は つら い 人生 を 送っ た が 、 それ を 悔い て い ない 。\n".encode()
    what = " of the letters are unknown to en (in its own language mostly below 30 % and 1 %): is"
    for verb, *options in (["parse", "en"], ["tag", "en"], ["reorder", "--rules", "R1"]):
        answer = call(verb, *options, stdin=german).good()
        assert f"69 % of the words and 0 %{what} it another language, or names" in answer.stderr
        answer = call(verb, *options, stdin=japanese).good()
        assert f"100 % of the words and 100 %{what} it another language" in answer.stderr
        source = Path(SOURCE).read_bytes()
        for text in (source, source.lower(), source.upper(), b"der hund sieht die\n"):
            assert call(verb, *options, stdin=text).good().stderr == ""


def test_words_that_a_tagger_found_too_rare_are_no_other_language(tmp_path: Path) -> None:
    trees, model = Path(SOURCE).with_name("trees.conllu"), tmp_path / "tagger"
    call("train", "tagger", trees, "-o", model, "--epochs", "1").good()
    assert call("tag", model, trees).good().stderr == ""


def test_a_sentence_in_another_language_is_noted() -> None:
    german = b"Der Hund sieht die Katze und das Kind isst einen Apfel\n"
    english = b"The committee has not yet decided .\n"
    what = "mostly words unknown to en (sentence 31: 8 of 11): is it another language"
    for verb, *options in (["parse", "en"], ["tag", "en"], ["reorder", "--rules", "R5"]):
        answer = call(verb, *options, stdin=english * 30 + german + english * 60).good()
        assert f"1 of 91 sentences of 5 words or more (1 %) has {what}" in answer.stderr
        # One in more than a hundred is what names and jargon make of English.
        answer = call(verb, *options, stdin=english * 30 + german + english * 80).good()
        assert answer.stderr == ""


def test_the_tokenizer_of_the_model(tmp_path: Path) -> None:
    train, model = tmp_path / "train.conllu", str(tmp_path / "fr.model")
    rows = [("Qu'", "SCONJ", "SpaceAfter=No"), ("il", "PRON", "_"), ("dorme", "VERB", "_")]
    rows += [("de", "ADP", "_"), ("le", "DET", "_"), ("soir", "NOUN", "SpaceAfter=No")]
    rows += [(".", "PUNCT", "_")]
    lines = [
        f"{k}\t{word}\t_\t{tag}\t_\t_\t{0 if k == 3 else 3}\tx\t_\t{misc}"
        for k, (word, tag, misc) in enumerate(rows, 1)
    ]
    lines.insert(3, "4-5\tdu" + "\t_" * 8)
    train.write_text(("\n".join(lines) + "\n\n") * 5)
    call("train", "parser", str(train), "-o", model).good()
    text = b"Qu'il dorme du soir.\n"
    for verb in ("parse", "tag"):
        answer = call(verb, model, "--tokenizer", "model", stdin=text).good()
        found = [line.split("\t") for line in answer.text.split("\n") if "\t" in line]
        assert [fields[1] for fields in found] == "Qu' il dorme du de le soir .".split()
        assert [fields[0] for fields in found][3:6] == ["4-5", "4", "5"]
    reordered = call(
        "reorder", "--rules", "head-final", "--parser", model, "--tokenizer", "model", stdin=text
    ).good()
    assert sorted(reordered.text.split()) == sorted("Qu' il dorme de le soir .".split())
    # English in the place of the model's own is told; so is a model that has none.
    answer = call(verb, model, "--tokenizer", "english", stdin=text).good()
    assert "cut as English is; --tokenizer model cuts it as the treebank of" in answer.stderr
    by = tmp_path / "a.orders"
    by.write_text("0\n")
    answer = call("reorder", "--by", str(by), "--tokenizer", "model", stdin=b"a\n")
    answer.refused(2, "given orders do not need")


def test_a_model_without_a_tagger(models: dict[str, str]) -> None:
    untagged = models["untagged"]
    tagged = call("tag", models["tagger"], stdin=BARE.encode()).good().stdout
    assert call("parse", untagged, stdin=tagged).good().text == TREEBANK
    answer = call("parse", untagged, "--tagger", models["tnt"], stdin=BARE.encode()).good()
    assert answer.text == TREEBANK
    few = SENTENCES[0] + without_trees(SENTENCES[1])
    answer = call("parse", untagged, stdin=few.encode())
    answer.refused(1, "<stdin>: words without tags in sentence 2; expected tags, or a model")
    answer = call("parse", untagged, "--tags", "predict", stdin=few.encode())
    answer.refused(2, f"{untagged}: has no tagger")


def test_beams_and_threads(models: dict[str, str]) -> None:
    text = TEXT.encode() * 20
    expected = call("parse", models["whole"], "--threads", "1", stdin=text).good().stdout
    assert call("parse", models["whole"], "--threads", "3", stdin=text).good().stdout == expected
    assert call("parse", models["whole"], "--beam", "64", stdin=text).good().stdout == expected
    call("parse", models["whole"], "--beam", "1", stdin=text).good()


def test_raw_english(models: dict[str, str]) -> None:
    answer = call(
        "parse", models["whole"], "--tokenizer", "english", stdin=b"She sees birds.\n"
    ).good()
    assert "# text = She sees birds.\n" in answer.text
    assert "3\tbirds\t_\tNOUN\tNNS\t_\t2\tobj\t_\tSpaceAfter=No\n" in answer.text
    # Its treebank has blanks between all words.
    answer = call("parse", models["whole"], "--tokenizer", "model", stdin=b"She sees birds.\n")
    answer.refused(2, f"{models['whole']}: has no tokenizer of its own")
    for choice in ("english", "model"):
        answer = call("parse", "en", "--tokenizer", choice, stdin=b"She doesn't.\n").good()
        assert answer.stderr == ""
        assert "\tn't\t" in answer.text


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["parse", "none.model"], "none.model: no such model or file. A model is en (English), "),
        (["parse", "de", "SOURCE"], "de: no such model or file. A model is en (English), udpipe"),
        (["tag", "de"], "`wordorder train parser TREEBANK.conllu -o FILE` trains one"),
        (["parse", "SOURCE"], "SOURCE is a text, not a model: `wordorder parse en SOURCE` is for"),
        (["tag", "SOURCE"], "SOURCE is a text, not a model: `wordorder tag en SOURCE` is for Eng"),
        (["parse", "WHOLE", "--tagger", "SOURCE"], "SOURCE is a text, not a model. A model is en"),
        (["parse", "FOLDER"], "FOLDER"),
        (["parse", "TAGGER"], "TAGGER: holds a tagger, but no parser"),
        (["tag", "UNTAGGED"], "UNTAGGED: holds a parser, but no tagger"),
        (["parse", "UNTAGGED", "--tagger", "UNTAGGED"], "holds a parser, but no tagger"),
        (["parse", "WHOLE", "--tagger", "TAGGER", "--tags", "keep"], "needs no tagger"),
        (["parse", "GRAPH", "--beam", "4"], "GRAPH: this parser has no beam"),
        (["parse", "GRAPH", "--kbest", "9" * 30], "from 1 to 4096"),
        (["parse", "WHOLE", "--beam", "0"], "--beam"),
        (["parse", "WHOLE", "--kbest", "0"], "--kbest"),
        (["parse", "WHOLE", "--tags", "gold"], "--tags"),
        (
            ["parse", "WHOLE", "--input", "conllu", "--tokenizer", "english"],
            "a tokenizer is for text",
        ),
        (["parse", "WHOLE", "-o", "FOLDER/none/x"], "cannot be created"),
        (["tag", "WHOLE", "-o", "WHOLE"], "is an input too"),
        (["parse", "WHOLE", "-o", "WHOLE"], "is an input too"),
        (["parse", "malt:x"], "unknown parser 'malt'"),
        (["parse", "udpipe:none"], "none"),
        (["tag", "udpipe:"], "names no model"),
        (["parse"], "the model is missing: `wordorder parse en FILE` is for English. A model"),
    ],
)
def test_wrong_commands(models: dict[str, str], args: list[str], part: str, tmp_path: Path) -> None:
    names = {name.upper(): path for name, path in models.items()}
    names |= {"FOLDER": str(tmp_path), "SOURCE": str(SOURCE)}
    for name, path in names.items():
        args = [arg.replace(name, path) for arg in args]
        part = part.replace(name, path)
    call(*args, stdin=TEXT.encode()).refused(2, part)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("verb", ["parse", "tag"])
def test_bad_inputs_leave_nothing_behind(models: dict[str, str], verb: str, tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    bad = {
        TEXT.encode() + b"a \xff b\n": "<stdin>:28:3: byte 0xff",
        (BARE + "1\tx\n\n").encode(): ":",
        (TREEBANK + "1\ta\t_\t_\t_\t_\t1\tx\t_\t_\n\n").encode(): ":",
        gzip.compress(TEXT.encode())[:-9]: "breaks off",
    }
    for content, part in bad.items():
        call(verb, models["whole"], "-o", out, stdin=content).refused(1, "<stdin>", part)
        assert not list(tmp_path.iterdir())
    call(verb, models["whole"], tmp_path / "none").refused(1, "none: No such file")


@pytest.mark.parametrize("verb", ["parse", "tag"])
def test_damaged_models(models: dict[str, str], verb: str, tmp_path: Path) -> None:
    whole = Path(models["whole"]).read_bytes()
    bad = tmp_path / "bad.model"
    for content in (b"", whole[: len(whole) // 2], b"\x80\x04N.", whole[:-1]):
        bad.write_bytes(content)
        call(verb, bad, stdin=TEXT.encode()).refused(1, str(bad))
    bad.write_bytes(b"x")
    call(verb, bad, stdin=TEXT.encode()).refused(2, f"{bad} is a text, not a model")


@pytest.mark.parametrize(
    ("verb", "text"),
    [(verb, True) for verb in ("parse", "tag", "reorder")] + [("parse", False), ("tag", False)],
)
def test_each_line_is_answered_before_the_next_one_comes(
    models: dict[str, str], verb: str, text: bool
) -> None:
    args = [str(PROGRAM), verb, models["whole"]]
    if verb == "reorder":
        args = [str(PROGRAM), verb, "--rules", "head-final", "--parser", models["whole"]]
    row = "1\tbirds" + "\t_" * 8 + "\n\n"
    with subprocess.Popen(args, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        # The second is answered while the third is not there: nothing else could end the wait.
        for count in (1, 1, 3):
            running.stdin.write((b"birds\n" if text else row.encode()) * count)
            running.stdin.flush()
            for _ in range(count):
                lines = []
                while verb != "reorder" and (line := running.stdout.readline()) != b"\n":
                    lines.append(line)
                if verb == "reorder":
                    assert running.stdout.readline() == b"birds\n"
                else:
                    assert lines[-1].startswith(b"1\tbirds\t_\t")
        running.stdin.close()
        assert running.stdout.read() == b""
        assert running.wait() == 0


@pytest.mark.parametrize("name", ["cr.conllu", "cr.txt"])
@pytest.mark.parametrize(
    "command", [("tag", "en"), ("parse", "en"), ("reorder", "--rules", "R5"), ("train", "parser")]
)
def test_lines_that_end_with_a_carriage_return_alone(
    tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    first = "# sent_id = a\n1\tGo\t_\tVERB\tVB\t_\t0\troot\t_\t_\n\n"
    path = tmp_path / name
    path.write_bytes((first + first.replace("\n", "\r")).encode())
    output = str(tmp_path / "output")
    done = call(*command, str(path), "-o", output)
    assert done.status == 1
    what = "lines that end with a carriage return alone"
    assert done.stderr == (f"wordorder: error: {path}:4: {what}; expected \\n or \\r\\n\n")
    # A carriage return within a comment is a character like others.
    path.write_bytes(first.replace("= a", "= a\rb").encode())
    assert call(*command, str(path), "-o", output).status == 0


@pytest.mark.parametrize("command", ["tag", "parse"])
def test_what_cannot_be_written_names_the_file(tmp_path: Path, command: str) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"it rains\nit snows\r")
    done = call(command, "en", str(path))
    assert done.status == 1
    assert done.stderr.startswith(f"wordorder: error: {path}: sentence 2: ")
    listed = call(command, "en", "--kbest", "3", str(path))
    assert listed.stderr.startswith(f"wordorder: error: {path}: sentence 2: ")
