"""The parsers of others: opened by name, and what they say as trees (spaCy, Stanza, UDPipe)."""

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
from wordorder.treebank.treebank import NO_HEAD, NOTHING, ROOT, Column, Treebank
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

# Universal Dependencies' relation between sentences that run on without a joint.
FURTHER_ROOT = "parataxis"

TAGS = ("own", "given")
TAG_COLUMNS = ("upos", "xpos", "feats")

# Parts of a pipeline that cost time or cut sentences, and give nothing that is kept here.
UNUSED = ("ner", "lemmatizer", "senter", "sentencizer", "entity_linker", "entity_ruler", "textcat")

# The names that UDPipe has for the columns.
FIELDS = {"lemma": "lemma", "upos": "upostag", "xpos": "xpostag", "feats": "feats"}


def open_parser(name: str, *, tags: str = "own") -> Parser:
    """Load the parser of another project.

    Parameters
    ----------
    name : str
        ``udpipe:MODEL_FILE``, ``spacy:NAME_OR_FOLDER`` or ``stanza:LANGUAGE`` with the package
        after it where it is not the default one, as in ``stanza:en_gum``.
    tags : "own" or "given"
        Whether the words get the tags of that project's tagger, or keep theirs.

    Raises
    ------
    UsageError
        If there is no parser of that name, its package is not installed (the message says how to
        install it), or there is no such model. Nothing is ever downloaded.

    Examples
    --------
    >>> open_parser("udpipe:no-such-file")
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
    """Import a module that only an extra of ours installs.

    Raises
    ------
    UsageError
        If it is not installed, with what to type; or if it breaks while it is imported.

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
        # Of another name: the package is there, and something that it needs is not.
        if error.name != module and not module.startswith(f"{error.name}."):
            raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error
        message = f'{extra}: {module} is not installed; pip install "wordorder[{extra}]"'
        raise UsageError(message) from None
    except (ImportError, OSError) as error:
        raise UsageError(f"{extra}: {module} cannot be imported: {error}") from error


def single_root(parsed: Treebank, tool: str) -> tuple[Treebank, int]:
    """Attach every further root of a sentence to its first, and label the first ``root``.

    Parameters
    ----------
    parsed : Treebank
        With the heads and labels of the other parser.
    tool : str
        What messages call that parser.

    Returns
    -------
    Treebank
        Trees with one root each; the further roots are ``parataxis`` of the first.
    int
        How many sentences had several roots.

    Raises
    ------
    ModelError
        If words hang in a circle, or have no head: that is not repaired.

    Warns
    -----
    note
        If any sentence had several roots.

    Examples
    --------
    >>> two = Treebank.from_words([["Stop", "Go"]], heads=[[0, 0]], label=[["ROOT", "ROOT"]])
    >>> tree, repaired = single_root(two, "spacy")
    >>> tree.heads.tolist(), tree.label.strings(), repaired
    ([0, 1], ['root', 'parataxis'], 1)
    """
    fault = first_tree_fault(parsed.heads, parsed.offsets, trees="required", single_root=False)
    if fault:
        sentence_number, word, problem, _ = fault
        raise ModelError(f"{tool}: sentence {sentence_number + 1}, word {word + 1}: {problem}")
    roots = np.flatnonzero(parsed.heads == ROOT)
    sentence = np.searchsorted(parsed.offsets, roots, side="right") - 1
    main = roots[np.unique(sentence, return_index=True)[1]]
    # The first root of a sentence follows all roots of the sentences before it.
    of = main[np.searchsorted(main, roots, side="right") - 1]
    is_further_root = roots != of
    further, sentence = roots[is_further_root], sentence[is_further_root]
    heads = parsed.heads.copy()
    heads[further] = of[is_further_root] - parsed.offsets[sentence] + 1
    repaired = len(np.unique(sentence))
    if repaired:
        note(
            f"{tool}: {repaired} of {len(parsed)} sentences had several roots; all but the first "
            f"were attached to the first as {FURTHER_ROOT}"
        )
    added = Column.concatenate([parsed.label, Column.of([ROOT_LABEL, FURTHER_ROOT])])
    codes = added.codes[:-2].copy()
    codes[main], codes[further] = added.codes[-2:]
    return parsed.replace(heads=heads, label=Column(codes, added.vocabulary)), repaired


def safe_strings(column: Column) -> list[str]:
    r"""Return the string of each word, never empty and always such that UTF-8 can write it.

    Examples
    --------
    >>> safe_strings(Column.of(["a", "", "\ud800"]))
    ['a', '_', '?']
    """
    return column.map(lambda text: text.encode("utf-8", "replace").decode() or NOTHING).strings()


def tagged(sentences: Treebank, found: Mapping[str, Sequence[str]]) -> Treebank:
    """Return the sentences with the tags found; what a tagger leaves empty becomes ``_``.

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"]])
    >>> tagged(bank, {"upos": ["PRON", ""]}).upos.strings()
    ['PRON', '_']
    """
    columns: dict[str, Any] = {
        name: Column.of([string or NOTHING for string in strings])
        for name, strings in found.items()
    }
    return sentences.replace(**columns)


class OtherParser(ABC):
    """A parser of another project, whose trees get one root.

    Attributes
    ----------
    name : str
    tags : {"own", "given"}
        Whether it gives words its own tags, or sees those that they have.
    repaired : int
        Sentences so far that had several roots.
    """

    name: ClassVar[str]

    def __init__(self, tags: str) -> None:
        self.tags = choose("tags", tags, TAGS)
        self.repaired = 0

    @abstractmethod
    def predict(self, sentences: Treebank) -> Treebank:
        """Parse without putting anything right: what the other project says."""

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root.

        Raises
        ------
        ModelError
            If what the other project says is no tree.
        """
        trees, repaired = single_root(self.predict(sentences), self.name)
        self.repaired += repaired
        return trees


class SpacyParser(OtherParser):
    """Parses and tags with a pipeline of spaCy (Honnibal & Johnson 2015).

    spaCy gets the words unchanged, with the limits of the sentences. Where its parser still
    leaves several roots, they are joined; see `single_root`. Its label ``ROOT`` becomes ``root``;
    all other labels are those of the treebank that the pipeline was trained on, so that the
    pipelines for English of spaCy's own (``en_core_web_sm``, …) give ClearNLP labels, not Universal
    Dependencies. The parser looks at words and not at tags: given tags are kept and change no
    tree. There are no k-best lists.

    Parameters
    ----------
    model : str or path
        The name of an installed pipeline, or its folder.
    tags : "own" or "given"
        Whether the words get spaCy's tags and features (``_`` where the pipeline gives none), or
        keep theirs.

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

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
            self._pipeline = spacy.load(model, exclude=UNUSED)
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
        """Parse without putting anything right but the words' own indices."""
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
        parsed = sentences.replace(heads=heads, label=Column.of(x or NOTHING for x in labels))
        return tagged(parsed, tags) if self.tags == "own" else parsed

    def _documents(self, sentences: Treebank) -> Iterator[Any]:
        """Yield each sentence that has words, so that spaCy neither cuts words nor sentences."""
        forms = safe_strings(sentences.form)
        # Whether a blank follows is something that spaCy's own models look at.
        misc = sentences.columns["misc"]
        blanks = misc.apply(lambda said: "SpaceAfter=No" not in said, np.bool_).tolist()
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            if first < last:
                yield self._doc(
                    self._pipeline.vocab,
                    words=forms[first:last],
                    spaces=blanks[first:last],
                    sent_starts=[True] + [False] * (last - first - 1),
                )


class StanzaParser(OtherParser):
    """Parses and tags with a pipeline of Stanza (Qi et al. 2020).

    Words are never split or joined. There are neither k-best lists nor scores.

    Parameters
    ----------
    language : str
        A language as Stanza names it, followed by the package where it is not the default one:
        ``"en"``, ``"en_gum"``.
    tags : "own" or "given"
        Whether to tag the words with Stanza first, or to parse them with the tags and lemmas that
        they have.
    options : mapping, optional
        Further options of ``stanza.Pipeline``: ``dir``, ``depparse_model_path``, ``use_gpu``, …

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

    Raises
    ------
    UsageError
        If ``stanza`` is not installed, or the models of the language are not: they are not
        downloaded here.
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
            # Stanza has no base class of its errors, and its files may hold anything.
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"stanza: {language!r} cannot be loaded: {reason}") from error
        self._new_document = load_package("stanza.models.common.doc", "stanza").Document

    def predict(self, sentences: Treebank) -> Treebank:
        """Parse without putting anything right: what Stanza itself says."""
        document = self._pipeline(self._document(sentences))
        words = [word for sentence in document.sentences for word in sentence.words]
        heads = np.full(sentences.words, NO_HEAD, np.int32)
        heads[:] = [word.head for word in words]
        parsed = sentences.replace(heads=heads, label=Column.of(w.deprel or NOTHING for w in words))
        if self.tags == "given":
            return parsed
        tag_columns = {
            name: [getattr(word, name) or NOTHING for word in words] for name in TAG_COLUMNS
        }
        return tagged(parsed, tag_columns)

    def _document(self, sentences: Treebank) -> Any:
        """Return the sentences that have words as Stanza's document."""
        names = ("lemma", *TAG_COLUMNS) if self.tags == "given" else ()
        strings = {name: safe_strings(sentences.columns[name]) for name in ("form", *names)}
        rows = []
        bounds = sentences.offsets.tolist()
        for first, last in pairwise(bounds):
            row = []
            for place in range(first, last):
                word: dict[str, Any] = {"id": place - first + 1, "text": strings["form"][place]}
                word.update((name, strings[name][place]) for name in names)
                row.append(word)
            if row:
                rows.append(row)
        return self._new_document(rows)


class UDPipeParser(OtherParser):
    """Parses and tags with a model of UDPipe 1 (Straka & Straková 2017).

    Words are never split or joined. UDPipe searches with a beam and keeps one tree of it without a
    score: there are no k-best lists. Models trained with ``single_root=0`` may give several roots;
    see `single_root`.

    Parameters
    ----------
    model : path
        A model file, ``*.udpipe``.
    tags : "own" or "given"
        Whether to tag the words with the model first, or to parse them with the tags, lemmas and
        features that they have.
    beam : int
        The width of its search; 1 is greedy and about four times as fast.

    Attributes
    ----------
    repaired : int
        Sentences parsed so far that had several roots.

    Raises
    ------
    UsageError
        If ``ufal.udpipe`` is not installed, or there is no such file.
    ModelError
        If the file is no model of UDPipe's.

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
        """Parse without putting anything right: what UDPipe itself says."""
        return self._run(sentences, own_tags=self.tags == "own", parse=True)

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags and features, whatever `tags` says.

        Raises
        ------
        ModelError
            If the model has no tagger.
        """
        return self._run(sentences, own_tags=True, parse=False)

    def _run(self, sentences: Treebank, *, own_tags: bool, parse: bool) -> Treebank:
        forms = safe_strings(sentences.form)
        kept_columns = (
            {} if own_tags else {name: safe_strings(sentences.columns[name]) for name in FIELDS}
        )
        predicted_columns: dict[str, list[str]] = (
            {name: [] for name in TAG_COLUMNS} if own_tags else {}
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
            # By number: iterating gives copies. The first is the artificial root.
            words = [sentence.words[place] for place in range(1, last - first + 1)]
            for name, strings in kept_columns.items():
                for word, string in zip(words, strings[first:last], strict=True):
                    if string != NOTHING:
                        setattr(word, FIELDS[name], string)
            if own_tags:
                self._apply("tagger", sentence)
                for name, column in predicted_columns.items():
                    column.extend(getattr(word, FIELDS[name]) for word in words)
            if parse:
                self._apply("parser", sentence)
                heads[first:last] = [word.head for word in words]
                labels.extend(word.deprel for word in words)
        result = tagged(sentences, predicted_columns)
        return result.replace(heads=heads, label=Column.of(labels)) if parse else result

    def _apply(self, part: str, sentence: Any) -> None:
        """Tag or parse one sentence."""
        error = self._udpipe.ProcessingError()
        if part == "tagger":
            done = self._model.tag(sentence, self._model.DEFAULT, error)
        else:
            done = self._model.parse(sentence, f"beam_search={self.beam}", error)
        if not done:
            reason = error.message if error.occurred() else "it has none"
            raise ModelError(f"udpipe: the {part} of {self.path} cannot be used: {reason}")
