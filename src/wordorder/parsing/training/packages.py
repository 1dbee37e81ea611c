"""Models as packages: wheels with a model, its licence, its scores and a test."""

import base64
import hashlib
import io
import json
import os
import re
import tempfile
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any

from wordorder._version import __version__
from wordorder.errors import UsageError
from wordorder.notes import held_notes
from wordorder.parsing.installed import ABOUT, GROUP, MODEL
from wordorder.parsing.model_file import ROLES, SHIPPED, Loaded, load_models, save_models
from wordorder.parsing.tokenizer import token_f1
from wordorder.parsing.training.compact_models import smaller
from wordorder.parsing.training.scores import parser_scores, tagger_scores
from wordorder.text.opening import Path
from wordorder.text.output import require_folder, write_output
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

# Megabytes that the model of a package may have, unless another size is asked for: a wheel is
# compressed and has at most two thirds of them.
MEGABYTES = 17.0

# LAS in per cent that a smaller file may cost before it is said.
LOSS = 0.3

# Names of files may have bytes that are no UTF-8.
LENIENT = "utf-8", "backslashreplace"

# Sentences that the test of a package parses, and the most words of each.
TESTED, SHORT = 5, 25

# A name of a package, and what such names begin with: ``wordorder-de`` brings the model ``de``.
NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
PREFIX = "wordorder-"
TEST = '''"""Whether the model parses as it did: `python -m pytest --pyargs {module}`."""

from pathlib import Path

from wordorder.parsing.pipeline.sentence_files import parse_files

FOLDER = Path(__file__).parent


def test_trees_are_those_of_the_day_it_was_made(tmp_path: Path) -> None:
    found = tmp_path / "found.conllu"
    parse_files(FOLDER / "{model}", FOLDER / "sample.txt", found, tokenize="none")
    assert found.read_bytes() == (FOLDER / "sample.conllu").read_bytes()
'''

NO_LICENCE = "No licence was named when this model was made; that of its treebank applies."


@dataclass(frozen=True)
class Package:
    """A package that was written.

    Attributes
    ----------
    path : str
        The wheel.
    size : int
        Its bytes.
    model : str
        What the model is called where it is installed.
    scores : dict
        In per cent, on the development part, by its own tags; empty without one.
    whole_scores : dict
        The same of the model before it was made smaller.
    """

    path: str
    size: int
    model: str
    scores: dict[str, float]
    whole_scores: dict[str, float]

    @property
    def loss(self) -> float:
        """LAS that the smaller file costs, in per cent."""
        return self.whole_scores.get("LAS", 0.0) - self.scores.get("LAS", 0.0)


def check_package_name(name: str) -> str:
    """Return the model's name of a package; refuse what no package is called.

    Examples
    --------
    >>> check_package_name("wordorder-de"), check_package_name("my-model")
    ('de', 'my-model')
    """
    if NAME.fullmatch(name) is None:
        raise UsageError(f"a package {name!r}; expected lower case, digits and -: wordorder-de")
    model = name.removeprefix(PREFIX)
    if name == "wordorder":
        raise UsageError(f"a package {name!r}: it would replace wordorder itself")
    if model in SHIPPED:
        raise UsageError(f"a package {name!r}: {model} is the model that comes with wordorder")
    return model


def write_package(
    model: Path,
    name: str,
    folder: Path = ".",
    *,
    dev: Path | None = None,
    megabytes: float = MEGABYTES,
    version: str = __version__,
) -> Package:
    """Write a wheel of a model; the same model gives the same bytes.

    Parameters
    ----------
    model : path
        A file with a tagger and a parser.
    name : str
        Of the package, ``wordorder-de``: the model is then called ``de``.
    folder : path
        Where the wheel goes.
    dev : path, optional
        A treebank that it is scored on; its first short sentences are the package's test.
    megabytes : float
        About how large the model may be: weights near zero are left out.
    version : str

    Raises
    ------
    UsageError
        If the name is not valid, the folder does not exist, or the file has no tagger or parser.
    InputError
        If the treebank cannot be read, or the wheel not be written.
    """
    called = check_package_name(name)
    require_folder(folder)
    full_models = load_models(model)
    if full_models.parser is None or full_models.tagger is None:
        raise UsageError(f"{os.fspath(model)}: a package needs a tagger and a parser")
    parts: dict[str, Any] = {
        role: part
        for role in (*ROLES, "tokenizer")
        if (part := getattr(full_models, role)) is not None
    }
    size = int(megabytes * 1e6)
    packed_models = parts if os.path.getsize(model) <= size else smaller(parts, size)
    small = Loaded(about=full_models.about, **packed_models)
    bank = None if dev is None else read_treebank(dev, trees="required")
    scores = {} if bank is None else own_scores(small, bank)
    full_scores = (
        scores if bank is None or packed_models is parts else own_scores(full_models, bank)
    )
    about = {
        "name": called,
        "package": name,
        "version": version,
        **{key: full_models.about.get(key) for key in ("data", "data_signature", "licence")},
        "sentences": full_models.about.get("sentences"),
        "words": full_models.about.get("words"),
        "scores": scores,
        "scored_on": None if dev is None else os.path.basename(os.fspath(dev)),
    }
    module = name.replace("-", "_").replace(".", "_")
    with tempfile.TemporaryDirectory() as place:
        file = FilePath(place, MODEL)
        save_models(file, packed_models, {**full_models.about, "scores": scores})
        files = {f"{module}/{MODEL}": file.read_bytes()}
    files |= {
        f"{module}/__init__.py": f'"""A model of wordorder, `{called}`: data alone."""\n'.encode(),
        f"{module}/{ABOUT}": json.dumps(about, indent=2, ensure_ascii=False).encode(*LENIENT)
        + b"\n",
        f"{module}/LICENSE.txt": f"{full_models.about.get('licence') or NO_LICENCE}\n".encode(
            *LENIENT
        ),
    }
    if bank is not None:
        files |= {f"{module}/{key}": data for key, data in _test(small, bank, module).items()}
    wheel = f"{module}-{version}-py3-none-any.whl"
    path = os.path.join(os.fspath(folder), wheel)
    data = _wheel(files, module, about)
    with write_output(path) as out:
        out.write(data)
    return Package(path, len(data), called, scores, full_scores)


def own_scores(models: Loaded, gold: Treebank) -> dict[str, float]:
    """Return the scores of a parser on its own tags, of its tagger and tokenizer, in per cent."""
    assert models.tagger is not None
    tagged = models.tagger.tag(gold)
    test_scores = {
        **parser_scores(models.parser, tagged, gold),
        **tagger_scores(models.tagger, gold),
    }
    if models.tokenizer is not None:
        test_scores["tokens"] = token_f1(models.tokenizer, gold)
    return {
        name.upper(): round(100 * value, 2) for name, value in test_scores.items() if name != "tags"
    }


def _test(models: Loaded, bank: Treebank, module: str) -> dict[str, bytes]:
    """Return the files of a package's test: sentences, their trees, and what compares them."""
    assert models.tagger is not None
    assert models.parser is not None
    # Words with blanks inside are no words of plain text.
    rows = [
        row
        for row in bank.sentences()
        if 0 < len(row) <= SHORT and all(len(word.split()) == 1 for word in row)
    ][:TESTED]
    sample = "".join(f"{' '.join(row)}\n" for row in rows)
    with tempfile.TemporaryDirectory() as place:
        from wordorder.parsing.pipeline.sentence_files import parse_files

        text, trees, model = (FilePath(place, name) for name in ("a.txt", "a.conllu", MODEL))
        text.write_text(sample, "utf-8")
        save_models(model, {role: getattr(models, role) for role in ROLES}, models.about)
        # Five sentences may have many unknown words.
        with held_notes():
            parse_files(model, text, trees, tokenize="none")
        written = trees.read_bytes()
    return {
        "sample.txt": sample.encode(),
        "sample.conllu": written,
        f"test_{module}.py": TEST.format(module=module, model=MODEL).encode(),
    }


def _wheel(files: Mapping[str, bytes], module: str, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a wheel (PEP 427)."""
    info = f"{module}-{about['version']}.dist-info"
    contents = {
        **files,
        f"{info}/METADATA": _metadata(about).encode(*LENIENT),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: wordorder {__version__}\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n"
        ).encode(),
        f"{info}/entry_points.txt": f"[{GROUP}]\n{about['name']} = {module}\n".encode(),
        f"{info}/top_level.txt": f"{module}\n".encode(),
    }
    record = []
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record.append(f"{name},sha256={digest},{len(data)}\n")
    contents[f"{info}/RECORD"] = "".join([*record, f"{info}/RECORD,,\n"]).encode()
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            # The same time always, so that the bytes are the same.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return stream.getvalue()


def _metadata(about: Mapping[str, Any]) -> str:
    """Return the METADATA file of the package."""
    scores = "".join(f"| {name} | {value} |\n" for name, value in about["scores"].items())
    table = f"\nOn {about['scored_on']}, by its own tags:\n\n| | % |\n|---|---|\n{scores}"
    licence = str(about["licence"] or NO_LICENCE)
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {about['package']}\n"
        f"Version: {about['version']}\n"
        f"Summary: Tagger and parser of wordorder, trained on {_line(about['data'])}\n"
        f"License: {_line(licence)}\n"
        f"Requires-Dist: wordorder>={__version__}\n"
        "Requires-Python: >=3.10\n"
        "Description-Content-Type: text/markdown\n\n"
        f"`wordorder parse {about['name']} FILE` after `pip install {about['package']}`.\n\n"
        f"Trained on {about['data']} ({about['sentences']} sentences, {about['words']} words, "
        f"signature {about['data_signature']}). {licence}\n{table if scores else ''}"
    )


def _line(text: object) -> str:
    """Return a text on one line, as a header needs it."""
    return " ".join(str(text).split())
