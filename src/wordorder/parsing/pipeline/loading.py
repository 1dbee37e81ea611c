"""Opening parsers and taggers by name; lists of trees over several tag sequences."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np

from wordorder.arrays import row_offsets
from wordorder.errors import UsageError, choose
from wordorder.notes import note
from wordorder.parsing import given_tags
from wordorder.parsing.base import KnowsTags, ListParser, Parser, RawTokenizer, Tagger
from wordorder.parsing.model_file import SHIPPED, Loaded, load_models
from wordorder.text.lines import tokens
from wordorder.text.opening import Path
from wordorder.treebank.kbest import KBest
from wordorder.treebank.preparation import without_enhanced
from wordorder.treebank.treebank import Treebank

TAG_MODES = ("auto", "keep", "predict")

# The maximum number of sentences per batch, and of partial trees that are stored for one word of
# each: enough for all threads, with little memory.
MAX_BATCH_SENTENCES = 1 << 11
MAX_PARTIAL_TREES = 1 << 15

# The name in messages of sentences that do not come from a file.
SENTENCES_NAME = "the sentences"
Sentences = Treebank | Sequence[str] | Sequence[Sequence[str]]

# How raw text is split: ``auto`` splits at spaces, unless it is Japanese or Chinese without spaces.
TOKENIZER_CHOICES = ("auto", "none", "model", "english")


@dataclass(frozen=True)
class ParsingPipeline:
    """A parser with its tagger and tokenizer.

    Attributes
    ----------
    parser : Parser
    tagger : Tagger or None
    tags : {"auto", "keep", "predict"}
        ``auto`` keeps the tags of the input and predicts the missing ones, ``keep`` predicts none,
        ``predict`` predicts all.
    tags_itself : bool
        Whether the parser predicts tags while it parses.
    name : str
        The name of the model in messages.
    jackknifed : bool
        Whether the parser was trained with predicted tags.
    tokenizer : RawTokenizer, optional
        Splits raw text as in the parser's training treebank.
    unknown : float, optional
        The share of words in new text that the parser does not know.
    reads_feats : bool
        Whether the parser is of another package and predicts or reads FEATS like tags.
    """

    parser: Parser
    tagger: Tagger | None
    tags: str
    tags_itself: bool = False
    name: str = "the model"
    jackknifed: bool = False
    tokenizer: RawTokenizer | None = None
    unknown: float | None = None
    reads_feats: bool = False

    def __repr__(self) -> str:
        properties = ", ".join(f"{name}: {value}" for name, value in self._properties())
        return f"ParsingPipeline({properties})"

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import table_html

        return table_html("ParsingPipeline", ["what", "which"], self._properties())

    def _properties(self) -> list[tuple[str, str]]:
        """Return the names and values that the representation shows."""
        beam = getattr(self.parser, "beam", None)
        default_tagger = "its own" if self.tags_itself else "none"
        modes = {
            "auto": "given tags are kept, others predicted",
            "keep": "given tags are kept",
            "predict": "all tags are predicted",
        }
        return [
            ("model", self.name),
            ("parser", _type_name(self.parser)),
            *([] if beam is None else [("beam", str(beam))]),
            ("tagger", default_tagger if self.tagger is None else _type_name(self.tagger)),
            ("tags", modes[self.tags]),
        ]

    def parse(self, sentences: Sentences) -> Treebank:
        """Tag sentences (see `tags`), parse them, and return the trees.

        Parameters
        ----------
        sentences : Treebank, or sequence of str or of sequences of str
            The words of a string are separated by spaces.

        Raises
        ------
        InputError
            If a word has no tag and there is no tagger, or a sentence cannot be parsed.

        Examples
        --------
        >>> open_parser("en").parse(["It rains ."]).heads.tolist()
        [2, 0, 2]
        """
        return self.parsed(self.tagged(as_treebank(sentences), SENTENCES_NAME, 0))

    def kbest(self, sentences: Sentences, k: int, *, sequences: int = 1) -> KBest:
        """Return up to `k` distinct trees of each sentence, best first; see `parse`.

        Parameters
        ----------
        sentences : Treebank, or sequence of str or of sequences of str
        k : int
        sequences : int
            The number of tag sequences of a sentence that are parsed; see `listed_over_tags`.

        Raises
        ------
        UsageError
            If the parser has no k-best lists.

        Examples
        --------
        >>> open_parser("en").kbest([["It", "rains", "."]], 3)
        KBest(1 sentence, 3 trees)
        """
        bank = as_treebank(sentences)
        if sequences != 1:
            return self.listed_over_tags(bank, k, sequences)
        return self.list_trees(self.tagged(bank, SENTENCES_NAME, 0), k)

    @property
    def batch(self) -> int:
        """The number of sentences parsed at a time; fewer with a wider beam."""
        return max(
            1, min(MAX_BATCH_SENTENCES, MAX_PARTIAL_TREES // getattr(self.parser, "beam", 1))
        )

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags that the parser knows; empty if it has no list of them."""
        return self.parser.learnt_tags() if isinstance(self.parser, KnowsTags) else {}

    def unpredicted_columns(self) -> tuple[str, ...]:
        """Return which of LEMMA and FEATS the model neither predicts nor reads as tags."""
        feats = self.reads_feats or given_tags.predicts_feats(self.tagger)
        return ("lemma",) if feats else ("lemma", "feats")

    def tagged(
        self,
        sentences: Treebank,
        input_name: str,
        sentences_before: int,
        tag_filter: given_tags.ForeignTagFilter | None = None,
    ) -> Treebank:
        """Return the sentences with the tags for the parser.

        Parameters
        ----------
        sentences : Treebank
        input_name : str
            The name of the input in messages.
        sentences_before : int
            The number of sentences of the input before these.
        tag_filter : ForeignTagFilter, optional
            The filter of the file, if it has further sentences.

        Raises
        ------
        InputError
            If a word has no tag and there is no tagger.
        """
        tag_filter = tag_filter or given_tags.ForeignTagFilter(self.learnt_tags())
        if self.tags == "predict":
            sentences = given_tags.without_tags(sentences)
            return sentences if self.tagger is None else self.tagger.tag(sentences)
        if self.tags == "auto" and self.tagger is not None:
            return given_tags.fill_tags(tag_filter.keep_known(sentences), self.tagger)
        tag_filter.count(sentences)
        if self.tags == "auto" and not self.tags_itself:
            given_tags.require_tags(sentences, input_name, sentences_before)
        return sentences

    def parsed(self, sentences: Treebank) -> Treebank:
        """Parse tagged sentences; enhanced dependencies of the input are removed."""
        parsed_trees = self.parser.parse(without_enhanced(sentences))
        return (
            given_tags.keep_tags(sentences, parsed_trees)
            if self.tags_itself and self.tags == "auto"
            else parsed_trees
        )

    def list_trees(self, sentences: Treebank, max_trees: int) -> KBest:
        """Return the list of up to `max_trees` best trees of each tagged sentence."""
        if not isinstance(self.parser, ListParser):
            raise UsageError("this parser has no k-best lists of trees")
        return self.parser.kbest(without_enhanced(sentences), max_trees)

    def listed_over_tags(
        self,
        sentences: Treebank,
        max_trees: int,
        sequences: int,
        tag_filter: given_tags.ForeignTagFilter | None = None,
    ) -> KBest:
        """Return the best trees of each sentence over several of its tag sequences.

        Parameters
        ----------
        sentences : Treebank
            Tags of the input that are kept are in all sequences.
        max_trees, sequences : int
            See `wordorder.parsing.pipeline.loading.trees_over_tags`.
        tag_filter : ForeignTagFilter, optional
            See `tagged`.

        Raises
        ------
        UsageError
            If parser or tagger has no k-best lists, or `tags` is ``keep``.
        """
        if not isinstance(self.parser, ListParser):
            raise UsageError("this parser has no k-best lists of trees")
        if self.tags == "keep":
            raise UsageError("tags=keep predicts no tags, so there are not several sequences")
        if not isinstance(self.tagger, ListTagger):
            raise UsageError(f"{self.name}: no tagger that gives several tag sequences")
        tag_filter = tag_filter or given_tags.ForeignTagFilter(self.learnt_tags())
        tagged_input = (
            given_tags.without_tags(sentences)
            if self.tags == "predict"
            else tag_filter.keep_known(sentences)
        )
        tagged_input = without_enhanced(tagged_input)
        return trees_over_tags(self.parser, self.tagger, tagged_input, max_trees, sequences)


def open_parser(model: Path, *, tags: str = "auto", tagger: Path | None = None) -> ParsingPipeline:
    """Load a parser with its tagger and tokenizer.

    Parameters
    ----------
    model : path or name
        A model file, ``en``, or ``udpipe:FILE``, ``spacy:NAME``, ``stanza:LANGUAGE``.
    tags : {"auto", "keep", "predict"}
        See `ParsingPipeline`.
    tagger : path or name, optional
        A model whose tagger is used instead of that of `model`.

    Raises
    ------
    UsageError
        If there is no such model or file, or `tags` is ``predict`` and there is no tagger.
    ModelError
        If a file cannot be used, or lacks a parser or a tagger.
    """
    choose("tags", tags, TAG_MODES)
    if tagger is not None and tags == "keep":
        raise UsageError("tags=keep predicts no tags and needs no tagger")
    own_tagger = None if tagger is None else open_tagger(tagger)
    if _is_external(model):
        from wordorder.parsing.adapters.external import open_external_parser as open_other

        keeps_tags = tags == "keep" or own_tagger is not None
        parser = open_other(os.fspath(model), tags="given" if keeps_tags else "own")
        if not keeps_tags and isinstance(parser, Tagger):
            # The package can tag first, so that the parser sees the tags of the input.
            tagged_before = open_other(os.fspath(model), tags="given")
            return ParsingPipeline(
                tagged_before, parser, tags, name=os.fspath(model), reads_feats=True
            )
        return ParsingPipeline(
            parser,
            own_tagger,
            tags,
            tags_itself=not keeps_tags,
            name=os.fspath(model),
            reads_feats=own_tagger is None,
        )
    loaded = load_models(model)
    if loaded.parser is None:
        raise UsageError(f"{os.fspath(model)}: holds a tagger, but no parser")
    trained = loaded.about.get("parser")
    opened = ParsingPipeline(
        loaded.parser,
        own_tagger or loaded.tagger,
        tags,
        name=os.fspath(model),
        # Written by `train_parser_files`.
        jackknifed=isinstance(trained, dict) and trained.get("tags") == "jackknife",
        tokenizer=loaded.tokenizer,
        unknown=loaded.unknown,
    )
    if tags == "predict" and opened.tagger is None:
        raise UsageError(f"{os.fspath(model)}: has no tagger; tagger= names a model with one")
    return opened


def _type_name(model: object) -> str:
    """Return the display name of a parser or tagger."""
    return str(getattr(model, "kind", type(model).__name__))


def as_treebank(sentences: Sentences) -> Treebank:
    """Return sentences that may be strings, or lists of words, as a treebank.

    Examples
    --------
    >>> as_treebank(["It rains .", ""]).lengths.tolist()
    [3, 0]
    """
    if isinstance(sentences, Treebank):
        return sentences
    if isinstance(sentences, str):
        raise UsageError("one string is not a list of sentences; expected [...]")
    return Treebank.from_words([tokens(s) if isinstance(s, str) else s for s in sentences])


def open_tagger(model: Path) -> Tagger:
    """Load the tagger of a model: a file, an installed model, or one of another project.

    Raises
    ------
    UsageError
        If there is no such model, or it has no tagger.
    ModelError
        If a file cannot be used.
    """
    return open_tagging(model)[0]


def open_tagging(model: Path) -> tuple[Tagger, Loaded]:
    """Return the tagger of a model (see `open_tagger`), and the contents of its model file."""
    name = os.fspath(model)
    if _is_external(model):
        from wordorder.parsing.adapters.external import open_external_parser as open_other

        external = open_other(name)
        if not isinstance(external, Tagger):
            raise UsageError(f"{name}: gives tags only together with trees; use parse")
        return external, Loaded()
    loaded = load_models(model)
    if loaded.tagger is None:
        raise UsageError(f"{name}: holds a parser, but no tagger")
    return loaded.tagger, loaded


def raw_tokenizers(
    choice: str | bool, model: Path, open_tokenizer: Callable[[], RawTokenizer | None]
) -> dict[str, Any]:
    """Return the tokenizers of raw text, as arguments of `SentenceReader`.

    Parameters
    ----------
    choice : {"auto", "none", "model", "english"} or bool
        True is ``english``, False ``auto``.
    model : path or name
        The model that will parse or tag the sentences.
    open_tokenizer : callable
        Returns the tokenizer of the model, or None if it has none.

    Raises
    ------
    UsageError
        If `choice` is ``model`` and the model has no tokenizer.

    Warns
    -----
    note
        If the text is split as English, and the model is not the English one.
    """
    if isinstance(choice, bool):
        choice = "english" if choice else "auto"
    choose("tokenizer", choice, TOKENIZER_CHOICES)
    name = os.fspath(model)
    if choice == "auto":
        return {
            "if_unspaced": lambda: (
                tokenizer if (tokenizer := open_tokenizer()) and tokenizer.unspaced else None
            )
        }
    if choice == "none":
        return {}
    tokenizer = None if choice == "english" and name in SHIPPED else open_tokenizer()
    if choice == "model":
        if tokenizer is None:
            raise UsageError(
                f"{name}: has no tokenizer of its own; models have that are trained on treebanks "
                "with `# text` or SpaceAfter=No (--tokenizer=english is for raw English)"
            )
        return {"tokenizer": tokenizer}
    if name not in SHIPPED:
        hint = f"; --tokenizer=model cuts it as the treebank of {name} is" if tokenizer else ""
        note(f"--tokenizer=english: the text is cut as English is{hint}")
    from wordorder.text.english_tokenizer import EnglishTokenizer

    return {"tokenizer": EnglishTokenizer()}


def own_tokenizer(model: Path) -> RawTokenizer | None:
    """Return the tokenizer of a model, or None if it has none."""
    return None if _is_external(model) else load_models(model).tokenizer


def _is_external(model: Path) -> bool:
    """True if a name is ``TOOL:MODEL``, a parser of another project."""
    name = os.fspath(model)
    kind, colon, _ = name.partition(":")
    # A single letter before the colon is a drive.
    return bool(colon) and len(kind) > 1 and os.sep not in kind and not os.path.exists(name)


@runtime_checkable
class ListTagger(Protocol):
    """A tagger with k-best lists of tag sequences."""

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences per sentence, best first, without heads."""


def trees_over_tags(
    parser: ListParser, tagger: ListTagger, sentences: Treebank, k: int, sequences: int
) -> KBest:
    """Parse each of the best tag sequences of a sentence, and merge their trees into one list.

    Parameters
    ----------
    parser, tagger
    sentences : Treebank
        Tags that words have are kept, so that there may be fewer sequences.
    k : int
        The number of trees of a list, distributed evenly over its sequences; the better sequences
        get the remainder.
    sequences : int, 1 to `k`
        The number of tag sequences of a sentence.

    Returns
    -------
    KBest
        The score of a tree is the sum of the parser's and the tagger's scores.

    Raises
    ------
    UsageError
        If there are more sequences than trees.

    Notes
    -----
    Without this distribution, trees of the best sequences would fill the list, and an analysis with
    unlikely tags would never be in it (Katz-Brown et al. 2011, section 5.3.1).
    """
    if type(sequences) is not int or not 1 <= sequences <= k:
        raise UsageError(
            f"tag sequences of a list of {k} trees: a whole number from 1 to {k}, not {sequences!r}"
        )
    tagged = tagger.kbest_tags(sentences, sequences)
    if any(sentences.columns[name].has_value().any() for name in given_tags.TAG_COLUMNS):
        # After the tags of the input are restored, some sequences are equal.
        trees = given_tags.keep_tags(sentences.take(tagged.sentence), tagged.trees)
        tagged = replace(tagged, trees=trees).distinct(trees.upos.codes, trees.xpos.codes)
    counts = np.diff(tagged.offsets)
    # The quota of a sequence depends only on its rank and on the number of sequences.
    share = k // np.maximum(counts, 1)
    quota = np.repeat(share, counts) + (tagged.rank <= np.repeat(k - share * counts, counts))
    max_trees = int(quota.max(initial=1))
    tree_lists = parser.kbest(tagged.trees, max_trees)
    selected = np.flatnonzero(tree_lists.rank <= quota[tree_lists.sentence])
    sequence = tree_lists.sentence[selected]
    sentence = tagged.sentence[sequence]
    scores = tree_lists.scores[selected] + tagged.scores[sequence]
    order = np.lexsort((-scores, sentence))
    sizes = np.bincount(sentence, minlength=len(sentences))
    return KBest(tree_lists.trees.take(selected[order]), row_offsets(sizes), scores[order])
