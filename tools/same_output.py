#!/usr/bin/env python3
"""Is everything that the program prints and writes the same as before, byte for byte?

    python tools/same_output.py record FILE     keep what it does now
    python tools/same_output.py compare FILE    do it again, and list what differs

Runs every verb on the shipped samples and on small files that are written here, in this process,
and asks the public Python names for their values. FILE keeps the exit code and the SHA-256 of
standard output, standard error and each file that was written; the folder FILE.bytes beside it
keeps the bytes, so that a difference can be shown. Only the paths of the temporary folder and of
the package are replaced. Verbs that serve pages until they are stopped run as processes, of which
only the exit code counts: addresses and secrets differ each time. The clock that training reads
stands still. Takes half a minute of the processor.
"""

import contextlib
import difflib
import hashlib
import importlib
import importlib.metadata
import io
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

GOLDEN = Path(__file__).resolve().parents[1] / "tests" / "golden"
# What a terminal, a locale or a user's settings would change.
ENVIRONMENT = {"COLUMNS": "100", "LINES": "40", "NO_COLOR": "1", "WORDORDER_DATA": ""}
# Lines of a difference that are shown, and differences that are.
SHOWN_LINES, SHOWN = 12, 40

TABLES = ("text", "json", "tsv")
REPORTS = (*TABLES, "markdown", "latex")
ORDERS = (
    "enja/reference.orders -i enja/unchanged.orders enja/reversed.orders enja/head-final.orders"
)
TEXTS = "judged/reference.en -i judged/alder.en judged/birch.en judged/cedar.en"
TREES = "enja/reference.orders --trees gold=enja/trees.conllu parsed.conllu"
FEW = "--resamples 60"


def commands() -> Iterator[str]:
    """Yield the command lines, in an order in which later ones read what earlier ones wrote."""
    yield from ("", "--help", "-h", "--version", "nosuch", "scor", "--nosuch")
    yield from helps()
    yield from alignments()
    yield from scores()
    yield from trees()
    yield from people()
    yield from analyses()
    yield from learning()
    yield from pictures()
    yield from mistakes()


VERBS = (
    *("demo", "reference", "score", "align", "compare", "train", "train order", "train parser"),
    *("train rules", "train tagger", "train translation", "translate", "tune", "tag", "parse"),
    *("convert", "select", "reorder", "rules", "rules check", "rules explain", "rules list"),
    *("rules show", "evaluate", "analyze", "correlate", "rank", "agreement", "annotate", "rate"),
    *("serve", "export", "progress", "tree", "path", "list"),
)


def helps() -> Iterator[str]:
    """Yield the help of each verb, and what it says without arguments and to a wrong option."""
    for verb in VERBS:
        yield f"{verb} --help"
        yield f"{verb} --nosuch"
    for verb in VERBS:
        # Without arguments the demonstration runs, and the lists are lists.
        if verb not in ("demo", "list", "rules list"):
            yield verb


def alignments() -> Iterator[str]:
    """Yield what reads and writes word alignments."""
    source = "reference enja/alignments.talbot --source enja/source.en"
    yield source
    for rule in ("talbot", "lrscore", "aligned", "lader", "topdown-btg"):
        yield f"{source} --rule {rule}"
    for more in ("next", "previous", "drop"):
        yield f"{source} -O unaligned={more}"
    yield f"{source} --rule lader --blocks keep"
    yield f"{source} -O links=sure"
    yield f"{source} --trees enja/trees.conllu"
    for form in TABLES:
        yield f"{source} --target enja/target.ja --check --report {form}"
    yield f"{source} --check -O max-unaligned=0.05"
    yield f"{source} -o made.orders"
    yield f"{source} -o made.orders.gz"
    yield "reference small.pharaoh --source small.src --target small.tgt --format pharaoh --check"
    yield "reference small.pharaoh --source small.src -O strict"
    for model in ("agreement", "hmm", "ibm1"):
        yield f"align enja/source.en enja/target.ja --model {model} -O iterations=2"
    for form in ("pharaoh", "pharaoh-reversed", "talbot", "lader", "naacl", "giza"):
        yield f"align enja/source.en enja/target.ja --model ibm1 -O iterations=2 --format {form}"
        yield f"align small.src small.tgt --model ibm1 --format {form} -o aligned.{form}"
    for how in ("grow", "intersection", "union", "forward", "backward", "grow-diag"):
        yield f"align small.src small.tgt --symmetrize {how}"
    yield "align enja/source.en enja/target.ja --model hmm --save kept.safetensors -o kept.align"
    yield "align small.src small.tgt --load kept.safetensors"
    yield "align enja/source.en enja/target.ja -O plan"


def scores() -> Iterator[str]:
    """Yield scores and comparisons of systems."""
    for form in REPORTS:
        yield f"score {ORDERS} --format {form}"
        yield f"score {ORDERS} --format {form} --segments"
        yield f"score {ORDERS} -m all --format {form}"
        yield f"score {ORDERS} --confidence {FEW} --format {form}"
        yield f"score {TEXTS} -m bleu,chrf,ter,cder --format {form}"
        yield f"score {TEXTS} -m wer,per,f1,ribes --segments --format {form}"
        yield f"score {TEXTS} -m meteor,long-jump --confidence {FEW} --format {form}"
        yield f"compare {ORDERS} {FEW} --format {form}"
        yield f"compare {TEXTS} -m bleu,cder --test randomization {FEW} --format {form}"
    yield f"score {TEXTS} -m all"
    yield f"score {TEXTS} -m wer,f1 --tokenizer 13a --lowercase"
    yield f"score {TEXTS} -m cder --tokenizer char -O normalize=NFKC"
    yield f"score {TEXTS} -m bleu --tokenizer 13a"
    yield f"score {TEXTS} -m bleu -O bleu.tokenize=char -O bleu.lowercase=true"
    yield f"score {TEXTS} -m kendall,frs --aligner exact"
    yield f"score {TEXTS} -m bleu -r judged/alder.en -O empty-references=none"
    yield f"score {TEXTS} -m bleu -O bleu.smooth_method=floor -O bleu.max_ngram_order=2"
    yield f"score {ORDERS} -m frs -O frs.ties=rank"
    yield f"score {ORDERS} -m frs,kendall -O average=micro"
    yield f"score {ORDERS} --fail-under frs=.5"
    yield f"score {ORDERS} --figures figures-score"
    yield f"compare {ORDERS} {FEW} --figures figures-compare"
    yield f"score {ORDERS} --quiet"
    yield f"score {ORDERS} -O plan"
    yield "score small.align -i small.pharaoh -m aer,precision,recall --alignment-format pharaoh"
    yield "score enja/trees.conllu -i parsed.conllu -m uas,las,root-f1"
    yield "score odd.ref -i odd.hyp -m bleu,wer,chrf"
    yield "score odd.ref -i odd.hyp -m bleu -O bleu.tokenize=none"


def trees() -> Iterator[str]:
    """Yield what reads, makes and reorders trees."""
    yield "tag en enja/source.en"
    yield "tag en enja/source.en -o tagged.conllu"
    yield "tag en plain.txt --tokenizer english --kbest 2"
    yield "tag en enja/trees.conllu --tags auto"
    yield "parse en enja/source.en -o parsed.conllu"
    yield "parse en plain.txt --tokenizer english"
    yield "parse en enja/trees.conllu --tags keep"
    yield "parse en enja/trees.conllu --tags predict --beam 2"
    yield "parse en enja/source.en --kbest 3 -o best.conllu"
    yield "parse en enja/source.en -O plan"
    yield "score enja/trees.conllu -i parsed.conllu -m uas,las,root-f1,uem,'label-f1(label=nsubj)'"
    yield "convert small.mrg"
    yield "convert small.mrg --heads surface -o converted.conllu"
    for form in ("text", "json"):
        yield f"select best.conllu enja/reference.orders --rules R5 --format {form}"
        yield (
            "select best.conllu enja/reference.orders --rules R1 --metrics kendall "
            f"--format {form} -o selected-{form}.conllu"
        )
    for rules in ("R1", "R2", "R3", "R4", "R5", "en-ja", "my.toml"):
        yield f"reorder enja/trees.conllu --rules {rules}"
    for to in ("text", "orders", "conllu", "alignment"):
        yield f"reorder enja/trees.conllu --rules R5 --to {to}"
        yield f"reorder enja/source.en --parser en --rules R1 --to {to} -o reordered.{to}"
    yield "reorder enja/source.en --by enja/head-final.orders --orders-output by.orders"
    yield (
        "reorder enja/source.en --by enja/reference.orders -O missing=next "
        "--alignments enja/alignments.talbot --alignment-output moved.talbot"
    )
    for missing in ("error", "next", "previous", "end", "drop"):
        yield f"reorder enja/source.en --by enja/reference.orders -O missing={missing}"
    yield "reorder enja/trees.conllu --rules R5 --orders-output r5.orders -o r5.txt"
    yield "reorder plain.txt --tokenizer english --parser en --rules R5"
    for form in TABLES:
        yield f"rules check my.toml --format {form}"
        yield f"rules check wrong.toml my.toml --format {form}"
        yield f"rules list --format {form}"
        yield f"rules explain R5 --trees enja/trees.conllu --sentence 2 --format {form}"
        yield f"rules explain my.toml --parser en --text 'He reads a book .' --format {form}"
    for name in ("R1", "R2", "R3", "R4", "R5", "nosuch"):
        yield f"rules show {name}"


def people() -> Iterator[str]:
    """Yield what reads human judgements."""
    for form in TABLES:
        for unit in ("system", "segment", "document"):
            judged = "correlate judged/documents.toml -m bleu,chrf"
            yield f"{judged} --unit {unit} {FEW} --format {form}"
        yield f"rank judged/ratings.tsv {FEW} --format {form}"
        yield f"rank judged/rankings.csv {FEW} --format {form}"
        yield f"agreement judged/ratings.tsv {FEW} --format {form}"
        yield f"agreement judged/rankings.csv {FEW} --format {form}"
        yield f"correlate judged/judged.toml --fit '0.6*cder + 0.4*per' --format {form}"
        yield f"correlate scores.tsv --human people {FEW} --format {form}"
    for way in ("wins", "expected-wins", "bradley-terry", "trueskill", "z"):
        yield f"rank judged/ratings.tsv --by {way} {FEW}"
        yield f"rank judged/rankings.csv --by {way} {FEW}"
    yield f"rank judged/ratings.tsv --over raters {FEW}"
    yield f"rank tied.tsv {FEW} --format json"
    yield f"rank tied.tsv --by wins {FEW} --format json"
    for name in (
        *("pearson", "spearman", "kendall-b", "kendall-c", "kendall-17", "kendall-23"),
        *("accuracy", "acc-eq", "spa", "pce"),
    ):
        unit = "system" if name in ("spa", "pce", "accuracy") else "segment"
        yield f"correlate judged/judged.toml -m bleu,ter --statistic {name} --unit {unit} {FEW}"
    for test in ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap"):
        yield f"correlate judged/judged.toml -m bleu,ter --unit system --test {test} {FEW}"
    yield f"correlate judged/judged.toml -m bleu,ter --html people.html {FEW}"
    yield f"correlate judged/judged.toml -m bleu,ter --figures figures-people {FEW}"


def analyses() -> Iterator[str]:
    """Yield evaluations and analyses, and their pages and figures."""
    for form in REPORTS:
        yield f"evaluate {TREES} {FEW} --format {form}"
        yield f"evaluate {TREES} --rules R1 my.toml -m kendall {FEW} --format {form}"
    yield f"evaluate {TREES} -O triangles=all --test randomization {FEW}"
    yield f"evaluate enja/alignments.talbot --source enja/source.en --parser en {FEW}"
    yield (
        "evaluate enja/alignments.talbot --trees enja/trees.conllu parsed.conllu "
        f"--rules R5 R1 --sensitivity {FEW}"
    )
    yield f"evaluate {TREES} --figures figures-evaluate {FEW}"
    orders = f"analyze {ORDERS} --source enja/source.en {FEW}"
    grid = f"analyze {TREES} --source enja/source.en --rules R1 R5 {FEW}"
    texts = f"analyze {TEXTS} {FEW}"
    for number, command in enumerate((orders, grid, texts)):
        for form in TABLES:
            yield f"{command} --format {form}"
        yield f"{command} --html analysis-{number}.html -O pictures=3 -O title=Samples"
        yield f"{command} --figures figures-{number}"
        yield f"{command} --top 3"
    yield f"{texts} -m bleu --focus birch"
    yield f"{orders} -O word=the --focus reversed"
    yield f"{texts} --source judged/source.ja --tokenizer 13a"
    yield f"{grid} --gold-trees enja/trees.conllu --target enja/target.ja --top 5"
    yield "demo"
    yield "demo --html demo.html --seed 7"


def learning() -> Iterator[str]:
    """Yield training and what the models make."""
    yield "train tagger enja/trees.conllu --epochs 1 -o tagger.model"
    yield "train tagger enja/trees.conllu --model tnt --dev enja/trees.conllu -o tnt.model"
    yield "tag tagger.model enja/source.en"
    yield "tag tnt.model enja/source.en"
    parser = "train parser enja/trees.conllu --epochs 1"
    yield f"{parser} --beam 2 -o transition.model"
    yield f"{parser} --algorithm graph -o graph.model --figures figures-parser"
    learnt = "--beam 2 --seed 3 --dev enja/trees.conllu --lowercase -O compact"
    yield f"{parser} {learnt} -o other.model"
    yield f"{parser} --recipe P1 -o recipe.model"
    yield f"{parser} --nosuch"
    for model in ("transition", "graph", "other"):
        yield f"parse {model}.model enja/source.en"
    yield "parse transition.model enja/source.en --beam 1 --kbest 2"
    rules = "train rules enja/trees.conllu enja/reference.orders -O edits=4"
    yield f"{rules} -o learned.toml"
    yield f"{rules} -O least=2 -O caution=1 --start R1 -O name=mine -o learned-2.toml"
    yield f"{rules} -m kendall -O held-out=0.3 --seed 5 -o learned-3.toml"
    yield "rules check learned.toml learned-2.toml learned-3.toml"
    yield "reorder enja/trees.conllu --rules learned.toml --to orders"
    order = "train order enja/trees.conllu enja/alignments.talbot --epochs 1 -O folds=2"
    for model in ("linear", "consensus"):
        yield f"{order} --model {model} -o {model}.order"
        yield f"reorder enja/trees.conllu --rules {model}.order --to orders"
    yield (
        "train order enja/source.en enja/alignments.talbot --epochs 1 -O folds=2 "
        "--model bracketing -o bracketing.order"
    )
    yield "reorder enja/source.en --rules bracketing.order"
    yield "train translation enja/source.en enja/target.ja -O iterations=2 -o mt.model"
    yield (
        "train translation enja/source.en enja/target.ja --alignments enja/alignments.talbot "
        "-O lm-order=2 -O max-phrase=3 -o mt-2.model"
    )
    yield "translate mt.model enja/source.en"
    yield "translate mt.model enja/source.en --beam 5 --window 2"
    yield "translate mt-2.model enja/source.en --kbest 5 --kbest-output lists.txt -o mt.txt"
    yield "translate mt-2.model enja/source.en --alignment-output mt.align"
    for form in TABLES:
        for method in ("mert", "mira"):
            starts = "-O points=2" if method == "mert" else ""
            yield f"tune lists.txt enja/target.ja --method {method} {starts} --format {form}"
    yield "tune lists.txt enja/target.ja -m cder -O points=2 -o weights.txt --reranked re.txt"
    yield (
        "tune mt-2.model enja/source.en enja/target.ja -m bleu --method mira -O rounds=1 "
        "-o tuned.txt"
    )
    yield "translate mt-2.model enja/source.en --weights weights.txt"


def pictures() -> Iterator[str]:
    """Yield drawings, lists, and the projects of raters and annotators."""
    for form in TABLES:
        for number, order in enumerate(("2 0 1 3", "1 3 0 2", "0", "0 1 2 3 4 5", "3 2 1 0")):
            yield f"tree '{order}' --format {form} --svg tree-{number}.svg"
        yield f"tree '1 3 0 2' --forest --format {form}"
        for metric in ("cder", "long-jump"):
            yield f"path 'a b c d e' 'd e a b x' --metrics {metric} --format {form} --svg p.svg"
        for kind in ("metrics", "aligners", "parsers", "rules", "compat"):
            yield f"list {kind} --format {form}"
    yield "tree '1 0 2' --words 'to be or'"
    yield "path 'a b c' 'c a b' --direction candidate"
    yield "path 'aber c' 'c aver' --substitution levenshtein"
    for form in TABLES:
        yield f"progress links.db --format {form}"
        yield f"progress stars.db --format {form}"
    for what in ("alignments", "ratings", "events"):
        for form in ("pharaoh", "talbot", "tsv", "json"):
            yield f"export links.db --what {what} --format {form}"
            yield f"export stars.db --what {what} --format {form} --anonymous"


def mistakes() -> Iterator[str]:
    """Yield what is refused, each with its own message."""
    yield "score nosuch.orders -i enja/unchanged.orders"
    yield "score enja/reference.orders -i judged/alder.en"
    yield "score enja/reference.orders -i short.orders"
    yield "score broken.orders -i broken.orders"
    yield "score enja/reference.orders -i enja/unchanged.orders -m nosuch"
    yield "score enja/reference.orders -i enja/unchanged.orders -O frs.nosuch=1"
    yield "reference broken.align --source enja/source.en"
    yield "parse en broken.conllu"
    yield "parse nosuch enja/source.en"
    yield "reorder broken.conllu --rules R5"
    yield "rules check broken.toml"
    yield "rank empty.txt"
    yield "correlate broken.toml"
    yield "score empty.txt -i empty.txt"
    yield "tree '0 0'"
    yield "translate enja/source.en enja/source.en"
    yield "serve nosuch.db"
    yield "export nosuch.db"
    yield "rate judged/source.ja judged/reference.en -i judged/alder.en --protocol nosuch -o x.db"


# What has to be stopped: each begins a project that later commands read.
SERVED = (
    "annotate enja/source.en enja/target.ja -o links.db --raters 2 --port 0 --no-browser",
    "rate judged/source.ja judged/reference.en -i judged/alder.en judged/birch.en "
    "--protocol preference --raters 3 --port 0 --no-browser -o stars.db",
)


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[0] not in ("record", "compare"):
        print(__doc__, file=sys.stderr)
        return 2
    kept = Path(arguments[1]).resolve()
    if arguments[0] == "record":
        found = recorded(Path(f"{kept}.bytes"))
        kept.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
        print(f"{len(found)} entries kept in {kept}")
        return 0
    with tempfile.TemporaryDirectory() as fresh:
        found = recorded(Path(fresh))
        return differences(json.loads(kept.read_text()), found, Path(f"{kept}.bytes"), Path(fresh))


def recorded(blobs: Path) -> dict[str, dict[str, Any]]:
    """Run everything in a new folder; keep the bytes of what came in `blobs`."""
    shutil.rmtree(blobs, ignore_errors=True)
    blobs.mkdir(parents=True)
    found: dict[str, dict[str, Any]] = {}
    began, here = time.process_time(), os.getcwd()
    folder = os.path.realpath(tempfile.mkdtemp(prefix="same-output-"))
    try:
        os.chdir(folder)
        with mock.patch.dict(os.environ, ENVIRONMENT):
            prepare(Path(folder))
            for command in SERVED:
                found[command] = {"exit": served(command)}
            program = loaded()
            seen = snapshot()
            for number, command in enumerate(commands()):
                status, out, err = called(program, shlex.split(command))
                entry: dict[str, Any] = {"exit": status}
                for name, content in (("stdout", out), ("stderr", err)):
                    entry[name] = keep(content, folder, blobs)
                after = snapshot()
                for path in sorted(after):
                    if seen.get(path) != after[path]:
                        entry[f"file {path}"] = keep(Path(path).read_bytes(), folder, blobs)
                for path in sorted(seen.keys() - after.keys()):
                    entry[f"file {path}"] = "removed"
                seen = after
                # The same command may come twice: the files it reads may have changed.
                name = command if command not in found else f"{command} ({number})"
                found[name] = entry
            for name, value in python_values():
                found[f"python {name}"] = {"value": keep(value.encode(), folder, blobs)}
    finally:
        os.chdir(here)
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{time.process_time() - began:.0f} seconds of the processor", file=sys.stderr)
    return found


def differences(
    kept: dict[str, dict[str, Any]], found: dict[str, dict[str, Any]], before: Path, now: Path
) -> int:
    """List what is no longer the same; return the exit code."""
    number = 0
    for name in [*kept, *(new for new in found if new not in kept)]:
        old, new = kept.get(name), found.get(name)
        if old == new:
            continue
        number += 1
        if old is None or new is None:
            print(f"## {name}: {'is new' if old is None else 'is gone'}")
            continue
        for part in [*old, *(each for each in new if each not in old)]:
            if old.get(part) == new.get(part):
                continue
            print(f"## {name}: {part}: {old.get(part)} -> {new.get(part)}")
            if number <= SHOWN:
                for line in difference(old.get(part), new.get(part), before, now):
                    print(f"   {line}")
    print(f"{number} of {len(kept | found)} entries differ")
    return int(number > 0)


def difference(old: object, new: object, before: Path, now: Path) -> list[str]:
    """Return the first lines that differ."""
    sides = []
    for digest, folder in ((old, before), (new, now)):
        path = folder / str(digest)
        if not path.is_file():
            return []
        sides.append(path.read_bytes().decode("utf-8", "backslashreplace").splitlines())
    lines = list(difflib.unified_diff(sides[0], sides[1], "before", "now", lineterm="", n=0))[2:]
    shown = [line if len(line) <= 200 else f"{line[:200]}…" for line in lines[:SHOWN_LINES]]
    return [*shown, *([f"… {len(lines) - SHOWN_LINES} more"] if len(lines) > SHOWN_LINES else [])]


def keep(content: bytes, folder: str, blobs: Path) -> str:
    """Keep bytes under their SHA-256, which is returned."""
    package = str(Path(str(importlib.import_module("wordorder").__file__)).parent)
    content = content.replace(folder.encode(), b"FOLDER").replace(package.encode(), b"PACKAGE")
    digest = hashlib.sha256(content).hexdigest()
    (blobs / digest).write_bytes(content)
    return digest


def snapshot() -> dict[str, tuple[int, int]]:
    """Return the files of this folder, but for projects, whose secrets are new each time."""
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in Path().rglob("*")
        if path.is_file() and ".db" not in path.name
    }


def loaded() -> Callable[[], object]:
    """Return the program as its console script starts it."""
    scripts = importlib.metadata.entry_points(group="console_scripts", name="wordorder")
    program: Callable[[], object] = next(iter(scripts)).load()
    return program


def called(program: Callable[[], object], arguments: list[str]) -> tuple[int, bytes, bytes]:
    """Run the program in this process."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors, write_through=True)
        for errors in ("strict", "backslashreplace")
    )
    given = io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8")
    handler, process, leave = signal.getsignal(signal.SIGINT), os.getpid(), os._exit

    def exited(status: int) -> None:
        # A child that was forked ends as it would.
        if os.getpid() != process:
            leave(status)
        raise SystemExit(status)

    with (
        mock.patch.object(os, "_exit", exited),
        # Training says how long it takes, and progress is told as time goes by.
        mock.patch.object(time, "monotonic", return_value=0.0),
        mock.patch.object(sys, "argv", ["wordorder", *arguments]),
        mock.patch.object(sys, "stdin", given),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        try:
            status = program()
            code = status if isinstance(status, int) else 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        except BaseException:
            # Never to be seen; kept, so that it is.
            traceback.print_exc(file=err)
            code = 70
    signal.signal(signal.SIGINT, handler)
    importlib.import_module("wordorder").set_threads(None)
    return code, _bytes(out), _bytes(err)


def _bytes(stream: io.TextIOWrapper) -> bytes:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def served(command: str) -> int:
    """Start a server, stop it once it says where it is, and return its exit code."""
    program = Path(sys.executable).with_name("wordorder")
    with subprocess.Popen(
        [program, *shlex.split(command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as running:
        assert running.stdout is not None
        for line in running.stdout:
            if b"http" in line:
                break
        running.send_signal(signal.SIGINT)
        running.stdout.read()
        return running.wait(timeout=60)


def prepare(folder: Path) -> None:
    """Copy the samples into a folder, and write small files beside them."""
    package = Path(str(importlib.import_module("wordorder").__file__)).parent
    for name, wanted in (("enja", "source.en"), ("judged", "judged.toml")):
        (sample,) = {path.parent for path in package.rglob(wanted)}
        shutil.copytree(sample, folder / name)
    shutil.copytree(GOLDEN, folder / "golden")
    drawn = random.Random(1)
    words = "the a cat dog sees hears big small today never".split()
    lines = [" ".join(drawn.choices(words, k=drawn.randint(1, 9))) for _ in range(30)]
    moved = [" ".join(drawn.sample(line.split(), len(line.split()))) for line in lines]
    links = [
        " ".join(
            f"{place}-{drawn.randrange(len(line.split()))}" for place in range(len(line.split()))
        )
        for line in lines
    ]
    ratings = ["rater\titem\tsystem\tvalue"]
    for item, values in enumerate(((-0.1, -0.3, -0.2), (-0.2, -0.2, -0.2), (-0.3, -0.1, -0.2))):
        for system, value in zip("ABC", values, strict=True):
            ratings += [f"{rater}\t{item + 1}\t{system}\t{value}" for rater in ("r1", "r2")]
    table = ["system\tsegment\tmetric\tvalue"]
    for system in "ABCDEF":
        for segment in range(1, 13):
            quality = ord(system) - 64 + drawn.choice((0, 0.1, 0.2, 0.3))
            table += [
                f"{system}\t{segment}\tpeople\t{quality:.1f}",
                f"{system}\t{segment}\tnear\t{quality + drawn.gauss(0, 1):.4f}",
                f"{system}\t{segment}\tfar\t{quality + drawn.gauss(0, 5):.4f}",
            ]
    files = {
        "small.src": lines,
        "small.tgt": moved,
        "small.pharaoh": links,
        "small.align": [*links[:20], *links[10:20]],
        "plain.txt": ["Dogs don't read newspapers, do they?", "The man who sold it left."],
        "small.mrg": ["(S (NP (DT The) (NN cat)) (VP (VBZ sees) (NP (PRP him))) (. .))"] * 2,
        "my.toml": [
            'name = "mine"',
            "[[rule]]",
            'name = "objects first"',
            'head = { upos = "VERB" }',
            'order = ["nsubj", "obj", "*", "self", "punct"]',
        ],
        "judged/judged.docs": [f"news d{number // 4}" for number in range(40)],
        "judged/documents.toml": (folder / "judged" / "judged.toml")
        .read_text("utf-8")
        .replace('name = "judged ja-en"', 'name = "judged"\ndocuments = "judged.docs"')
        .splitlines(),
        "wrong.toml": ['name = "wrong"', "[[rule]]", 'nosuch = "1"'],
        "broken.toml": ["[[rule"],
        "broken.conllu": ["1\ta\ta\tDET\tDT\t_\t7\tdet\t_\t_", ""],
        "broken.align": ["0-0 x"] * 72,
        "broken.orders": ["0 0"],
        "short.orders": ["0 1 2"],
        "odd.ref": ["a\u3000b c", "\u00e9t\u00e9 ,", "", "same line here now"],
        "odd.hyp": ["a b c", "e\u0301t\u00e9 , x", "y", "same line here now"],
        "tied.tsv": ratings,
        "scores.tsv": table,
    }
    for name, content in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in content), "utf-8")
    (folder / "empty.txt").write_bytes(b"")
    # Before there is a parsed one.
    shutil.copy(folder / "enja" / "trees.conllu", folder / "parsed.conllu")


def python_values() -> Iterator[tuple[str, str]]:
    """Yield public names and values of every metric on every kind of segments."""
    package = importlib.import_module("wordorder")
    for name in package.__all__:
        yield name, type(getattr(package, name)).__name__
    words = (
        ["the cat sees a dog", "b a", "a", "d c b a e"],
        ["a dog sees the cat", "a b", "a", "a b c d e"],
    )
    segments: dict[str, Callable[[], Any]] = {
        "text": lambda: package.Segments.from_text(*words),
        "aligned text": lambda: package.Segments.from_text(*words, aligner="exact"),
        "orders": lambda: package.Segments.from_permutations(
            [[2, 0, 1], [0, 1], [0], [3, 1, 2, 0]]
        ),
        "alignments": lambda: package.Segments.from_alignments(
            words[0],
            words[0],
            words[1],
            [[(0, 0)], [(0, 1), (1, 0)], [(0, 0)], [(1, 2)]],
            [[(0, 3)], [(0, 0), (1, 1)], [(0, 0)], [(1, 2)]],
        ),
        "trees": lambda: package.Segments.from_treebanks("parsed.conllu", "enja/trees.conllu"),
    }
    program = loaded()
    _, out, _ = called(program, ["list", "metrics", "--format", "json"])
    names = [row["name"] for row in json.loads(out)["entries"]]
    for kind, make in segments.items():
        for name in names:
            yield f"{name} of {kind}", _value(package, name, make)
    for make in (
        lambda: package.PermutationTree([2, 0, 1, 3]),
        lambda: package.Alignments.from_rows([[(0, 1)], []]),
        lambda: package.align(words[0], words[1]),
        lambda: package.reference_orders(
            package.read_alignments("enja/alignments.talbot"), [3, 12] + [40] * 70
        ),
        lambda: package.read_orders("enja/reference.orders"),
        lambda: package.Orders.from_rows([[1, 0], [[0, 1], [2]]]),
        lambda: package.Ragged.from_rows([[1, 2], []]).to_lists(),
    ):
        yield f"call {make.__code__.co_names} {make.__code__.co_consts}", _shown(make)


def _value(package: Any, name: str, make: Callable[[], Any]) -> str:
    """Return score, scores of segments and signature of a metric, or why there is none."""

    def measured() -> str:
        metric = package.metric(name)
        segments = make()
        score = metric.score(segments)
        return (
            f"{score!r}\n{metric.segment_scores(segments).tolist()!r}\n{metric.signature(segments)}"
        )

    return _shown(measured)


def _shown(make: Callable[[], Any]) -> str:
    """Return what a call gives, or the error that it raises."""
    try:
        made = make()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    # Addresses in memory differ each time.
    return type(made).__name__ if " at 0x" in repr(made) else str(made)


if __name__ == "__main__":
    # What a shell starts in the background ignores interrupts; what this starts must not.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
