"""Adapters of the parsers of other projects: spaCy, Stanza, UDPipe."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, UsageError, choose
from wordorder.notes import note
from wordorder.parsing.base import Parser
from wordorder.registry import Registry
from wordorder.treebank.treebank import NO_HEAD, NO_VALUE, ROOT, Column, Treebank
from wordorder.treebank.trees import first_tree_fault

PARSERS = Registry(
    "parser",
    "wordorder.parsers",
    {
        "spacy": "wordorder.parsing.adapters.external:SpacyParser",
        "stanza": "wordorder.parsing.adapters.external:StanzaParser",
        "udpipe": "wordorder.parsing.adapters.external:UDPipeParser",
    },
    needs=("parse",),
    listed_by="wordorder list parsers",
)

ROOT_LABEL = "root"

# The relation of Universal Dependencies between sentences that are joined without a conjunction.
FURTHER_ROOT = "parataxis"

TAG_OWNERS = ("own", "given")
PREDICTED_COLUMNS = ("upos", "xpos", "feats")

# Components of a spaCy pipeline that cost time or split sentences, and whose output is not used.
EXCLUDED_COMPONENTS = (
    "ner",
    "lemmatizer",
    "senter",
    "sentencizer",
    "entity_linker",
    "entity_ruler",
    "textcat",
)

# UDPipe's names of the columns.
UDPIPE_FIELDS = {"lemma": "lemma", "upos": "upostag", "xpos": "xpostag", "feats": "feats"}


def open_external_parser(name: str, *, tags: str = "own") -> Parser:
    """Load the parser of another project.

    Parameters
    ----------
    name : str
        ``udpipe:MODEL_FILE``, ``spacy:NAME_OR_FOLDER`` or ``stanza:LANGUAGE``, followed by the
        package if it is not the default one, as in ``stanza:en_gum``.
    tags : "own" or "given"
        Whether words get the tags of that project's tagger, or keep their tags.

    Raises
    ------
    UsageError
        If there is no parser of that name, its package is not installed (the message says how to
        install it), or there is no such model. Models are never downloaded.

    Examples
    --------
    >>> open_external_parser("udpipe:no-such-file")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: udpipe: there is no model file no-such-file
    """
    kind, colon, model = name.partition(":")
    PARSERS.load(kind)
    if not colon or not model:
        raise UsageError(f"{name!r} names no model of {kind}; expected {kind}:MODEL")
    parser: object = PARSERS.make(kind, model, tags=tags)
    if not isinstance(parser, Parser):
        raise UsageError(f"parser {kind!r} of the package {PARSERS.package(kind)} cannot parse")
    return parser


def load_package(module: str, extra: str) -> Any:
    """Import a module that an extra of this package installs.

    Raises
    ------
    UsageError
        If it is not installed, with the command that installs it, or cannot be imported.

    Examples
    --------
    >>> load_package("no_such", "udpipe")
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: udpipe: no_such is not installed; pip install "wordorder[udpipe]"
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # The package is installed, but a module that it needs is not.
        if error.name != module and not module.startswith(f"{error.name}."):
            raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error
        message = f'{extra}: {module} is not installed; pip install "wordorder[{extra}]"'
        raise UsageError(message) from None
    except (ImportError, OSError) as error:
        raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error


def attach_further_roots(parsed: Treebank, tool: str) -> tuple[Treebank, int]:
    """Attach every further root of a sentence to its first, and label the first ``root``.

    Parameters
    ----------
    parsed : Treebank
        The output of the other parser.
    tool : str
        The name of that parser in messages.

    Returns
    -------
    Treebank
        Trees with one root each; the further roots are ``parataxis`` of the first.
    int
        The number of sentences with several roots.

    Raises
    ------
    ModelError
        If heads form a cycle, or a word has no head: this is not repaired.

    Warns
    -----
    note
        If any sentence had several roots.

    Examples
    --------
    >>> two = Treebank.from_words([["Stop", "Go"]], heads=[[0, 0]], label=[["ROOT", "ROOT"]])
    >>> tree, repaired = attach_further_roots(two, "spacy")
    >>> tree.heads.tolist(), tree.label.strings(), repaired
    ([0, 1], ['root', 'parataxis'], 1)
    """
    fault = first_tree_fault(parsed.heads, parsed.offsets, trees="required", single_root=False)
    if fault:
        sentence_number, word, problem, _ = fault
        raise ModelError(f"{tool}: sentence {sentence_number + 1}, word {word + 1}: {problem}")
    roots = np.flatnonzero(parsed.heads == ROOT)
    sentence = np.searchsorted(parsed.offsets, roots, side="right") - 1
    main_roots = roots[np.unique(sentence, return_index=True)[1]]
    # The first root of a sentence follows all roots of the sentences before it.
    main_of_root = main_roots[np.searchsorted(main_roots, roots, side="right") - 1]
    is_further_root = roots != main_of_root
    further_roots, sentence = roots[is_further_root], sentence[is_further_root]
    heads = parsed.heads.copy()
    heads[further_roots] = main_of_root[is_further_root] - parsed.offsets[sentence] + 1
    repaired = len(np.unique(sentence))
    if repaired:
        note(
            f"{tool}: {repaired} of {len(parsed)} sentences had several roots; all but the first "
            f"were attached to the first as {FURTHER_ROOT}"
        )
    added = Column.concatenate([parsed.label, Column.of([ROOT_LABEL, FURTHER_ROOT])])
    codes = added.codes[:-2].copy()
    codes[main_roots], codes[further_roots] = added.codes[-2:]
    return parsed.replace(heads=heads, label=Column(codes, added.vocabulary)), repaired


def safe_strings(column: Column) -> list[str]:
    r"""Return the string of each word: ``_`` if it is empty, ``?`` where UTF-8 cannot encode it.

    Examples
    --------
    >>> safe_strings(Column.of(["a", "", "\ud800"]))
    ['a', '_', '?']
    """
    return column.map(lambda text: text.encode("utf-8", "replace").decode() or NO_VALUE).strings()


def add_tags(sentences: Treebank, tags: Mapping[str, Sequence[str]]) -> Treebank:
    """Return the sentences with tags by column; empty tags become ``_``.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]])
    >>> add_tags(bank, {"upos": ["PRON", ""]}).upos.strings()
    ['PRON', '_']
    """
    columns: dict[str, Any] = {
        name: Column.of([string or NO_VALUE for string in strings])
        for name, strings in tags.items()
    }
    return sentences.replace(**columns)


class ExternalParser(ABC):
    """Base class of parsers of other projects, whose trees get one root each.

    Attributes
    ----------
    name : str
    tags : {"own", "given"}
        Whether words get the parser's own tags, or keep their tags.
    repaired : int
        The number of sentences so far that had several roots.
    """

    name: ClassVar[str]

    def __init__(self, tags: str) -> None:
        self.tags = choose("tags", tags, TAG_OWNERS)
        self.repaired = 0

    @abstractmethod
    def predict(self, sentences: Treebank) -> Treebank:
        """Return the sentences with the other project's trees, unrepaired."""

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root.

        Raises
        ------
        ModelError
            If the output of the other project is not a tree.
        """
        trees, repaired = attach_further_roots(self.predict(sentences), self.name)
        self.repaired += repaired
        return trees


class SpacyParser(ExternalParser):
    """Parses and tags with a pipeline of spaCy (Honnibal & Johnson 2015).

    spaCy gets the words unchanged, with the limits of the sentences. Several roots of a sentence
    are joined; see `attach_further_roots`. The label ``ROOT`` becomes ``root``; other labels are
    those of the pipeline's training treebank: spaCy's English pipelines (``en_core_web_sm``, …)
    have ClearNLP labels, not Universal Dependencies. The parser does not read tags: tags of the
    input are kept and do not change trees. There are no k-best lists.

    Parameters
    ----------
    model : str or path
        The name of an installed pipeline, or its folder.
    tags : "own" or "given"
        Whether words get spaCy's tags and features (``_`` if the pipeline predicts none), or keep
        their tags.

    Attributes
    ----------
    repaired : int
        The number of sentences so far that had several roots.

    Raises
    ------
    UsageError
        If ``spacy`` is not installed, or there is no such pipeline, or it has no parser.
    ModelError
        If the pipeline cannot be loaded.

    Examples
    --------
    >>> parser = SpacyParser("en_core_web_sm")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "spacy"

    def __init__(self, model: Path | str, *, tags: str = "own") -> None:
        super().__init__(tags)
        spacy = load_package("spacy", "spacy")
        try:
            self._pipeline = spacy.load(model, exclude=EXCLUDED_COMPONENTS)
        except (OSError, ValueError, KeyError, ImportError) as error:
            # E050: no package or folder of that name; E052: no such folder.
            if str(error).startswith(("[E050]", "[E052]")):
                message = f"spacy: there is no pipeline {str(model)!r}; python -m spacy download"
                raise UsageError(f"{message} {model} fetches those of spaCy's own") from None
            reason = " ".join(str(error).split())
            raise ModelError(f"spacy: {model} cannot be loaded: {reason}") from error
        if not self._pipeline.has_pipe("parser"):
            parts = ", ".join(self._pipeline.pipe_names) or "nothing"
            raise UsageError(f"spacy: the pipeline {model} has no parser; it has {parts}")
        self._doc = load_package("spacy.tokens", "spacy").Doc

    def predict(self, sentences: Treebank) -> Treebank:
        """Return the sentences with spaCy's trees, unrepaired."""
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        labels: list[str] = []
        tags: dict[str, list[str]] = {"upos": [], "xpos": [], "feats": []}
        first = 0
        for document in self._pipeline.pipe(self._documents(sentences)):
            last = first + len(document)
            heads[first:last] = [
                ROOT if token.head.i == token.i else token.head.i + 1 for token in document
            ]
            labels.extend("root" if token.dep_ == "ROOT" else token.dep_ for token in document)
            tags["upos"].extend(token.pos_ for token in document)
            tags["xpos"].extend(token.tag_ for token in document)
            tags["feats"].extend(str(token.morph) for token in document)
            first = last
        parsed = sentences.replace(heads=heads, label=Column.of(x or NO_VALUE for x in labels))
        return add_tags(parsed, tags) if self.tags == "own" else parsed

    def _documents(self, sentences: Treebank) -> Iterator[Any]:
        """Yield each sentence with words as a document that spaCy does not split further."""
        forms = safe_strings(sentences.form)
        # spaCy's models read whether a space follows a word.
        misc = sentences.columns["misc"]
        has_space = misc.apply(lambda value: "SpaceAfter=No" not in value, np.bool_).tolist()
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            if first < last:
                yield self._doc(
                    self._pipeline.vocab,
                    words=forms[first:last],
                    spaces=has_space[first:last],
                    sent_starts=[True] + [False] * (last - first - 1),
                )


class StanzaParser(ExternalParser):
    """Parses and tags with a pipeline of Stanza (Qi et al. 2020).

    Words are never split or joined. There are neither k-best lists nor scores.

    Parameters
    ----------
    language : str
        Stanza's name of the language, followed by the package if it is not the default one:
        ``"en"``, ``"en_gum"``.
    tags : "own" or "given"
        Whether Stanza tags the words first, or parses them with the tags and lemmas they have.
    options : mapping, optional
        Further options of ``stanza.Pipeline``: ``dir``, ``depparse_model_path``, ``use_gpu``, …

    Attributes
    ----------
    repaired : int
        The number of sentences so far that had several roots.

    Raises
    ------
    UsageError
        If ``stanza`` or the models of the language are not installed; they are not downloaded.
    ModelError
        If a model cannot be loaded.

    Examples
    --------
    >>> parser = StanzaParser("en")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "stanza"

    def __init__(
        self, language: str, *, tags: str = "own", options: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(tags)
        stanza = load_package("stanza", "stanza")
        code, _, package = language.partition("_")
        stanza_options: dict[str, Any] = {
            "processors": "tokenize,pos,lemma,depparse" if tags == "own" else "depparse",
            "package": package or "default",
            "tokenize_pretokenized": True,
            "depparse_pretagged": tags == "given",
            "download_method": None,
            "verbose": False,
            **(options or {}),
        }
        try:
            self._pipeline = stanza.Pipeline(code, **stanza_options)
        except FileNotFoundError as error:
            reason = " ".join(str(error).split())
            message = f"stanza: the models of {language!r} are not here ({reason})"
            raise UsageError(f"{message}; stanza.download({code!r}) fetches them") from None
        except Exception as error:
            # Stanza has no base class of errors, and a damaged file may raise any error.
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"stanza: {language!r} cannot be loaded: {reason}") from error
        self._new_document = load_package("stanza.models.common.doc", "stanza").Document

    def predict(self, sentences: Treebank) -> Treebank:
        """Return the sentences with Stanza's trees, unrepaired."""
        document = self._pipeline(self._document(sentences))
        words = [word for sentence in document.sentences for word in sentence.words]
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        heads[:] = [word.head for word in words]
        parsed = sentences.replace(
            heads=heads, label=Column.of(w.deprel or NO_VALUE for w in words)
        )
        if self.tags == "given":
            return parsed
        tag_columns = {
            name: [getattr(word, name) or NO_VALUE for word in words] for name in PREDICTED_COLUMNS
        }
        return add_tags(parsed, tag_columns)

    def _document(self, sentences: Treebank) -> Any:
        """Return Stanza's document of the sentences with words."""
        names = ("lemma", *PREDICTED_COLUMNS) if self.tags == "given" else ()
        strings = {name: safe_strings(sentences.columns[name]) for name in ("form", *names)}
        rows = []
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            row = []
            for index in range(first, last):
                word: dict[str, Any] = {"id": index - first + 1, "text": strings["form"][index]}
                word.update((name, strings[name][index]) for name in names)
                row.append(word)
            if row:
                rows.append(row)
        return self._new_document(rows)


class UDPipeParser(ExternalParser):
    """Parses and tags with a model of UDPipe 1 (Straka & Straková 2017).

    Words are never split or joined. UDPipe returns one tree without a score, so there are no k-best
    lists. Models trained with ``single_root=0`` may predict several roots; see
    `attach_further_roots`.

    Parameters
    ----------
    model : path
        A model file, ``*.udpipe``.
    tags : "own" or "given"
        Whether the model tags the words first, or parses them with the tags, lemmas and features
        they have.
    beam : int
        The beam width; 1 is greedy and about four times as fast.

    Attributes
    ----------
    repaired : int
        The number of sentences so far that had several roots.

    Raises
    ------
    UsageError
        If ``ufal.udpipe`` is not installed, or there is no such file.
    ModelError
        If the file is not a model of UDPipe.

    Examples
    --------
    >>> parser = UDPipeParser("english-ewt.udpipe")  # doctest: +SKIP
    >>> parser.parse(Treebank.from_words([["It", "rains"]])).heads.tolist()  # doctest: +SKIP
    [2, 0]
    """

    name = "udpipe"

    def __init__(self, model: Path | str, *, tags: str = "own", beam: int = 5) -> None:
        super().__init__(tags)
        if beam < 1:
            raise UsageError(f"beam={beam}; expected 1 or more")
        self.beam = beam
        self.path = Path(model)
        if not self.path.is_file():
            raise UsageError(f"udpipe: there is no model file {self.path}")
        self._udpipe = load_package("ufal.udpipe", "udpipe")
        self._model = self._udpipe.Model.load(str(self.path))
        if self._model is None:
            raise ModelError(f"udpipe: {self.path} is no model of UDPipe's, or damaged")

    def predict(self, sentences: Treebank) -> Treebank:
        """Return the sentences with UDPipe's trees, unrepaired."""
        return self._run(sentences, own_tags=self.tags == "own", parse=True)

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags and features, also if `tags` is "given".

        Raises
        ------
        ModelError
            If the model has no tagger.
        """
        return self._run(sentences, own_tags=True, parse=False)

    def _run(self, sentences: Treebank, *, own_tags: bool, parse: bool) -> Treebank:
        forms = safe_strings(sentences.form)
        input_columns = (
            {}
            if own_tags
            else {name: safe_strings(sentences.columns[name]) for name in UDPIPE_FIELDS}
        )
        predicted_columns: dict[str, list[str]] = (
            {name: [] for name in PREDICTED_COLUMNS} if own_tags else {}
        )
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        labels: list[str] = []
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            if first == last:
                continue
            sentence = self._udpipe.Sentence()
            for form in forms[first:last]:
                sentence.addWord(form)
            # Iterating would give copies. Word 0 is the artificial root.
            words = [sentence.words[index] for index in range(1, last - first + 1)]
            for name, strings in input_columns.items():
                for word, string in zip(words, strings[first:last], strict=True):
                    if string != NO_VALUE:
                        setattr(word, UDPIPE_FIELDS[name], string)
            if own_tags:
                self._apply("tagger", sentence)
                for name, column in predicted_columns.items():
                    column.extend(getattr(word, UDPIPE_FIELDS[name]) for word in words)
            if parse:
                self._apply("parser", sentence)
                heads[first:last] = [word.head for word in words]
                labels.extend(word.deprel for word in words)
        result = add_tags(sentences, predicted_columns)
        return result.replace(heads=heads, label=Column.of(labels)) if parse else result

    def _apply(self, part: str, sentence: Any) -> None:
        """Tag or parse one sentence in place."""
        error = self._udpipe.ProcessingError()
        if part == "tagger":
            succeeded = self._model.tag(sentence, self._model.DEFAULT, error)
        else:
            succeeded = self._model.parse(sentence, f"beam_search={self.beam}", error)
        if not succeeded:
            reason = error.message if error.occurred() else "it has none"
            raise ModelError(f"udpipe: the {part} of {self.path} cannot be used: {reason}")
