"""Packages of models: wheels with a model, its licence, its scores and a test."""

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
from wordorder.parsing.installed import ABOUT_FILE, ENTRY_POINT_GROUP, MODEL_FILE
from wordorder.parsing.model_file import ROLES, SHIPPED, Loaded, load_models, save_models
from wordorder.parsing.tokenizer import token_f1
from wordorder.parsing.training.compact_models import shrink_models
from wordorder.parsing.training.scores import parser_scores, tagger_scores
from wordorder.text.opening import Path
from wordorder.text.output import require_folder, write_output
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

# The default maximum size of the model of a package; the compressed wheel has at most two thirds
# of it.
MEGABYTES = 17.0

# A loss of more LAS, in per cent, by a smaller file is reported.
MAX_LOSS = 0.3

# File names may have bytes that are not UTF-8.
FILE_NAME_ENCODING = "utf-8", "backslashreplace"

# The number of sentences that the test of a package parses, and the maximum length of each.
TEST_SENTENCES, MAX_TEST_WORDS = 5, 25

# Names of packages, and their usual prefix: ``wordorder-de`` contains the model ``de``.
PACKAGE_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")
PACKAGE_PREFIX = "wordorder-"

# The test module of a package.
TEST_TEMPLATE = '''"""Test that the model parses as it did: `python -m pytest --pyargs {module}`."""

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
        The size of the wheel in bytes.
    model : str
        The name of the installed model in commands.
    scores : dict
        The scores of the model in per cent on the development part, with predicted tags; empty
        without a development part.
    whole_scores : dict
        The same scores of the model before it was made smaller.
    """

    path: str
    size: int
    model: str
    scores: dict[str, float]
    whole_scores: dict[str, float]

    @property
    def loss(self) -> float:
        """The loss of LAS by the smaller file, in per cent."""
        return self.whole_scores.get("LAS", 0.0) - self.scores.get("LAS", 0.0)


def check_package_name(name: str) -> str:
    """Return the name of the model in a package; UsageError if the package name is invalid.

    Examples
    --------
    >>> check_package_name("wordorder-de"), check_package_name("my-model")
    ('de', 'my-model')
    """
    if PACKAGE_NAME.fullmatch(name) is None:
        raise UsageError(f"a package {name!r}; expected lower case, digits and -: wordorder-de")
    model = name.removeprefix(PACKAGE_PREFIX)
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
        The name of the package; the model in ``wordorder-de`` is called ``de``.
    folder : path
        The folder of the wheel.
    dev : path, optional
        A treebank on which the model is scored; its first short sentences become the test.
    megabytes : float
        The approximate maximum size of the model: weights near zero are left out.
    version : str

    Raises
    ------
    UsageError
        If the name is invalid, the folder does not exist, or the file has no tagger or parser.
    InputError
        If the treebank cannot be read or the wheel cannot be written.
    """
    model_name = check_package_name(name)
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
    packed_models = parts if os.path.getsize(model) <= size else shrink_models(parts, size)
    packed = Loaded(about=full_models.about, **packed_models)
    dev_treebank = None if dev is None else read_treebank(dev, trees="required")
    scores = {} if dev_treebank is None else score_models(packed, dev_treebank)
    full_scores = (
        scores
        if dev_treebank is None or packed_models is parts
        else score_models(full_models, dev_treebank)
    )
    about = {
        "name": model_name,
        "package": name,
        "version": version,
        **{key: full_models.about.get(key) for key in ("data", "data_signature", "licence")},
        "sentences": full_models.about.get("sentences"),
        "words": full_models.about.get("words"),
        "scores": scores,
        "scored_on": None if dev is None else os.path.basename(os.fspath(dev)),
    }
    module = name.replace("-", "_").replace(".", "_")
    with tempfile.TemporaryDirectory() as temporary_folder:
        file = FilePath(temporary_folder, MODEL_FILE)
        save_models(file, packed_models, {**full_models.about, "scores": scores})
        files = {f"{module}/{MODEL_FILE}": file.read_bytes()}
    files |= {
        f"{module}/__init__.py": f'"""Data of the wordorder model `{model_name}`."""\n'.encode(),
        f"{module}/{ABOUT_FILE}": json.dumps(about, indent=2, ensure_ascii=False).encode(
            *FILE_NAME_ENCODING
        )
        + b"\n",
        f"{module}/LICENSE.txt": f"{full_models.about.get('licence') or NO_LICENCE}\n".encode(
            *FILE_NAME_ENCODING
        ),
    }
    if dev_treebank is not None:
        files |= {
            f"{module}/{key}": data
            for key, data in _test_files(packed, dev_treebank, module).items()
        }
    wheel = f"{module}-{version}-py3-none-any.whl"
    path = os.path.join(os.fspath(folder), wheel)
    data = _wheel_bytes(files, module, about)
    with write_output(path) as out:
        out.write(data)
    return Package(path, len(data), model_name, scores, full_scores)


def score_models(models: Loaded, gold: Treebank) -> dict[str, float]:
    """Return the scores, in per cent, of a parser on predicted tags, its tagger and tokenizer."""
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


def _test_files(models: Loaded, bank: Treebank, module: str) -> dict[str, bytes]:
    """Return the files of a package's test: sentences, their trees, and the test module."""
    assert models.tagger is not None
    assert models.parser is not None
    # A word with a space would be two words in plain text.
    rows = [
        row
        for row in bank.sentences()
        if 0 < len(row) <= MAX_TEST_WORDS and all(len(word.split()) == 1 for word in row)
    ][:TEST_SENTENCES]
    sample = "".join(f"{' '.join(row)}\n" for row in rows)
    with tempfile.TemporaryDirectory() as temporary_folder:
        from wordorder.parsing.pipeline.sentence_files import parse_files

        text, trees, model = (
            FilePath(temporary_folder, name) for name in ("a.txt", "a.conllu", MODEL_FILE)
        )
        text.write_text(sample, "utf-8")
        save_models(model, {role: getattr(models, role) for role in ROLES}, models.about)
        # Five sentences may happen to have many unknown words.
        with held_notes():
            parse_files(model, text, trees, tokenize="none")
        expected = trees.read_bytes()
    return {
        "sample.txt": sample.encode(),
        "sample.conllu": expected,
        f"test_{module}.py": TEST_TEMPLATE.format(module=module, model=MODEL_FILE).encode(),
    }


def _wheel_bytes(files: Mapping[str, bytes], module: str, about: Mapping[str, Any]) -> bytes:
    """Return the bytes of a wheel (PEP 427)."""
    info = f"{module}-{about['version']}.dist-info"
    contents = {
        **files,
        f"{info}/METADATA": _metadata(about).encode(*FILE_NAME_ENCODING),
        f"{info}/WHEEL": (
            f"Wheel-Version: 1.0\nGenerator: wordorder {__version__}\n"
            "Root-Is-Purelib: true\nTag: py3-none-any\n"
        ).encode(),
        f"{info}/entry_points.txt": f"[{ENTRY_POINT_GROUP}]\n{about['name']} = {module}\n".encode(),
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
            # A constant time, so that equal contents give equal bytes.
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return stream.getvalue()


def _metadata(about: Mapping[str, Any]) -> str:
    """Return the contents of the wheel's METADATA file."""
    scores = "".join(f"| {name} | {value} |\n" for name, value in about["scores"].items())
    table = f"\nOn {about['scored_on']}, by its own tags:\n\n| | % |\n|---|---|\n{scores}"
    licence = str(about["licence"] or NO_LICENCE)
    return (
        "Metadata-Version: 2.1\n"
        f"Name: {about['package']}\n"
        f"Version: {about['version']}\n"
        f"Summary: Tagger and parser of wordorder, trained on {_join_lines(about['data'])}\n"
        f"License: {_join_lines(licence)}\n"
        f"Requires-Dist: wordorder>={__version__}\n"
        "Requires-Python: >=3.10\n"
        "Description-Content-Type: text/markdown\n\n"
        f"`wordorder parse {about['name']} FILE` after `pip install {about['package']}`.\n\n"
        f"Trained on {about['data']} ({about['sentences']} sentences, {about['words']} words, "
        f"signature {about['data_signature']}). {licence}\n{table if scores else ''}"
    )


def _join_lines(text: object) -> str:
    """Return a text on one line, as headers require."""
    return " ".join(str(text).split())
