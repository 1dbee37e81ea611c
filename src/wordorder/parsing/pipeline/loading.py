"""Parsers and taggers by what a user calls them; lists of trees over several tag sequences."""

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

MODES = ("auto", "keep", "predict")

# Sentences in a batch: `SENTENCES`, or fewer, so that at most `TREES` partial trees are stored for
# one word of each. Enough for all threads, and little memory.
SENTENCES = 1 << 11
TREES = 1 << 15

# What messages call sentences that are in no file.
GIVEN = "the sentences"
Sentences = Treebank | Sequence[str] | Sequence[Sequence[str]]

# How raw text is cut: ``auto`` takes words between blanks, unless it is Japanese or Chinese without
# any.
TOKENIZE = ("auto", "none", "model", "english")


@dataclass(frozen=True)
class ParsingPipeline:
    """A parser and what gives words their tags before it.

    Attributes
    ----------
    parser : Parser
    tagger : Tagger or None
    tags : {"auto", "keep", "predict"}
        ``auto`` keeps each tag that is given and predicts each other, ``keep`` predicts none,
        ``predict`` all.
    tags_itself : bool
        Whether the parser gives words its own tags while it parses.
    name : str
        What the model is called.
    jackknifed : bool
        Whether the parser learnt from predicted tags.
    tokenizer : RawTokenizer, optional
        Cuts raw text as the treebank does that the parser was trained on.
    unknown : float, optional
        The share of words of new text that the parser does not know.
    reads_feats : bool
        Whether the parser is one of another package that gives or reads FEATS like tags.
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
        """Return the properties of a parser that its representation shows, by name."""
        beam = getattr(self.parser, "beam", None)
        default_tagger = "its own" if self.tags_itself else "none"
        modes = {
            "auto": "given tags are kept, others predicted",
            "keep": "given tags are kept",
            "predict": "all tags are predicted",
        }
        return [
            ("model", self.name),
            ("parser", _kind(self.parser)),
            *([] if beam is None else [("beam", str(beam))]),
            ("tagger", default_tagger if self.tagger is None else _kind(self.tagger)),
            ("tags", modes[self.tags]),
        ]

    def parse(self, sentences: Sentences) -> Treebank:
        """Return the trees of sentences, tagged first as `tags` says.

        Parameters
        ----------
        sentences : Treebank, or sequence of str or of sequences of str
            Words of a string are separated by blanks.

        Raises
        ------
        InputError
            If a word has no tag and nothing predicts one, or a sentence cannot be parsed.

        Examples
        --------
        >>> open_parser("en").parse(["It rains ."]).heads.tolist()
        [2, 0, 2]
        """
        return self.parsed(self.tagged(as_treebank(sentences), GIVEN, 0))

    def kbest(self, sentences: Sentences, k: int, *, sequences: int = 1) -> KBest:
        """Return up to `k` distinct trees of each sentence, best first; see `parse`.

        Parameters
        ----------
        sentences : Treebank, or sequence of str or of sequences of str
        k : int
        sequences : int
            Over how many tag sequences of a sentence, as `listed_over_tags` does.

        Raises
        ------
        UsageError
            If the parser gives no lists.

        Examples
        --------
        >>> open_parser("en").kbest([["It", "rains", "."]], 3)
        KBest(1 sentence, 3 trees)
        """
        bank = as_treebank(sentences)
        if sequences != 1:
            return self.listed_over_tags(bank, k, sequences)
        return self.list_trees(self.tagged(bank, GIVEN, 0), k)

    @property
    def batch(self) -> int:
        """Number of sentences parsed at a time: few where many trees of each are kept."""
        return max(1, min(SENTENCES, TREES // getattr(self.parser, "beam", 1)))

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags that the parser knows; none if it does not tell."""
        return self.parser.learnt_tags() if isinstance(self.parser, KnowsTags) else {}

    def unpredicted_columns(self) -> tuple[str, ...]:
        """Return the columns about words that the model does not predict, nor reads as tags."""
        feats = self.reads_feats or given_tags.predicts_feats(self.tagger)
        return ("lemma",) if feats else ("lemma", "feats")

    def tagged(
        self,
        sentences: Treebank,
        where: str,
        before: int,
        seen: given_tags.ForeignTagFilter | None = None,
    ) -> Treebank:
        """Return the sentences with the tags that the parser is to see.

        Parameters
        ----------
        sentences : Treebank
        where : str
            What a message calls the input.
        before : int
            Sentences before these.
        seen : FileTags, optional
            What is known of the tags of the file already.

        Raises
        ------
        InputError
            If a word has no tag and nothing predicts one.
        """
        seen = seen or given_tags.ForeignTagFilter(self.learnt_tags())
        if self.tags == "predict":
            sentences = given_tags.without_tags(sentences)
            return sentences if self.tagger is None else self.tagger.tag(sentences)
        if self.tags == "auto" and self.tagger is not None:
            return given_tags.fill_tags(seen.keep_known(sentences), self.tagger)
        seen.count(sentences)
        if self.tags == "auto" and not self.tags_itself:
            given_tags.require_tags(sentences, where, before)
        return sentences

    def parsed(self, sentences: Treebank) -> Treebank:
        """Return tagged sentences with their trees, without the enhanced ones of other heads."""
        parsed_trees = self.parser.parse(without_enhanced(sentences))
        return (
            given_tags.keep_tags(sentences, parsed_trees)
            if self.tags_itself and self.tags == "auto"
            else parsed_trees
        )

    def list_trees(self, sentences: Treebank, most: int) -> KBest:
        """Return lists of up to `most` trees of tagged sentences."""
        if not isinstance(self.parser, ListParser):
            raise UsageError("this parser gives no lists of trees")
        return self.parser.kbest(without_enhanced(sentences), most)

    def listed_over_tags(
        self,
        sentences: Treebank,
        most: int,
        sequences: int,
        seen: given_tags.ForeignTagFilter | None = None,
    ) -> KBest:
        """Return lists of up to `most` trees over up to `sequences` tag sequences a sentence.

        Parameters
        ----------
        sentences : Treebank
            See `tagged`; tags that are given and stay are in all sequences.
        most, sequences : int
            See `wordorder.parsing.pipeline.loading.trees_over_tags`.
        seen : FileTags, optional
            See `tagged`.

        Raises
        ------
        UsageError
            If parser or tagger gives no lists, or no tags are to be predicted.
        """
        if not isinstance(self.parser, ListParser):
            raise UsageError("this parser gives no lists of trees")
        if self.tags == "keep":
            raise UsageError("tags=keep predicts no tags, so there are not several sequences")
        if not isinstance(self.tagger, ListTagger):
            raise UsageError(f"{self.name}: no tagger that gives several tag sequences")
        seen = seen or given_tags.ForeignTagFilter(self.learnt_tags())
        tagged_input = (
            given_tags.without_tags(sentences)
            if self.tags == "predict"
            else seen.keep_known(sentences)
        )
        tagged_input = without_enhanced(tagged_input)
        return trees_over_tags(self.parser, self.tagger, tagged_input, most, sequences)


def open_parser(model: Path, *, tags: str = "auto", tagger: Path | None = None) -> ParsingPipeline:
    """Load a parser, and the tagger that goes with it.

    Parameters
    ----------
    model : path or name
        A model file, ``en``, or ``udpipe:FILE``, ``spacy:NAME``, ``stanza:LANGUAGE``.
    tags : {"auto", "keep", "predict"}
        As `ParsingPipeline` has it.
    tagger : path or name, optional
        A model whose tagger is used instead of that of `model`.

    Raises
    ------
    UsageError
        If there is no such model or file, or nothing predicts tags and `tags` asks for it.
    ModelError
        If a file cannot be used, or lacks a parser or a tagger.
    """
    choose("tags", tags, MODES)
    if tagger is not None and tags == "keep":
        raise UsageError("tags=keep predicts no tags and needs no tagger")
    own_tagger = None if tagger is None else open_tagger(tagger)
    if _of_others(model):
        from wordorder.parsing.adapters.external import open_parser as open_other

        keeps_tags = tags == "keep" or own_tagger is not None
        parser = open_other(os.fspath(model), tags="given" if keeps_tags else "own")
        if not keeps_tags and isinstance(parser, Tagger):
            # It can tag first: then given tags are seen by the parser.
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
        # As `train_parser_files` writes it, which trained the parser.
        jackknifed=isinstance(trained, dict) and trained.get("tags") == "jackknife",
        tokenizer=loaded.tokenizer,
        unknown=loaded.unknown,
    )
    if tags == "predict" and opened.tagger is None:
        raise UsageError(f"{os.fspath(model)}: has no tagger; tagger= names a model with one")
    return opened


def _kind(made: object) -> str:
    """Return the display name of a parser or tagger."""
    return str(getattr(made, "kind", type(made).__name__))


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
        raise UsageError("one string is no list of sentences; expected [...]")
    return Treebank.from_words([tokens(s) if isinstance(s, str) else s for s in sentences])


def open_tagger(model: Path) -> Tagger:
    """Load a tagger: that of a model file, a shipped one, or another project's.

    Raises
    ------
    UsageError
        If there is no such model, or it has no tagger.
    ModelError
        If a file cannot be used.
    """
    return open_tagging(model)[0]


def open_tagging(model: Path) -> tuple[Tagger, Loaded]:
    """Load a tagger as `open_tagger` does, with what else its file holds."""
    name = os.fspath(model)
    if _of_others(model):
        from wordorder.parsing.adapters.external import open_parser as open_other

        external = open_other(name)
        if not isinstance(external, Tagger):
            raise UsageError(f"{name}: gives tags only together with trees; use parse")
        return external, Loaded()
    loaded = load_models(model)
    if loaded.tagger is None:
        raise UsageError(f"{name}: holds a parser, but no tagger")
    return loaded.tagger, loaded


def raw_tokenizers(
    choice: str | bool, model: Path, own: Callable[[], RawTokenizer | None]
) -> dict[str, Any]:
    """Return the tokenizers of raw text, as arguments of `SentenceReader`.

    Parameters
    ----------
    choice : {"auto", "none", "model", "english"} or bool
        True is ``english``, False ``auto``.
    model : path or name
        What will parse or tag the sentences.
    own : callable
        Returns its tokenizer, if it has one.

    Raises
    ------
    UsageError
        If it has none and is asked for it.

    Warns
    -----
    note
        If words are cut as English, and the model is not the English one.
    """
    if isinstance(choice, bool):
        choice = "english" if choice else "auto"
    choose("tokenizer", choice, TOKENIZE)
    name = os.fspath(model)
    if choice == "auto":
        return {
            "if_uncut": lambda: tokenizer if (tokenizer := own()) and tokenizer.unspaced else None
        }
    if choice == "none":
        return {}
    tokenizer = None if choice == "english" and name in SHIPPED else own()
    if choice == "model":
        if tokenizer is None:
            raise UsageError(
                f"{name}: has no tokenizer of its own; models have that are trained on treebanks "
                "with `# text` or SpaceAfter=No (--tokenizer=english is for raw English)"
            )
        return {"tokenizer": tokenizer}
    if name not in SHIPPED:
        better = f"; --tokenizer=model cuts it as the treebank of {name} is" if tokenizer else ""
        note(f"--tokenizer=english: the text is cut as English is{better}")
    from wordorder.text.english_tokenizer import EnglishTokenizer

    return {"tokenizer": EnglishTokenizer()}


def own_tokenizer(model: Path) -> RawTokenizer | None:
    """Return the tokenizer of a model, if it has one."""
    return None if _of_others(model) else load_models(model).tokenizer


def _of_others(model: Path) -> bool:
    """True if a name is ``KIND:MODEL``, a parser of another project."""
    name = os.fspath(model)
    kind, colon, _ = name.partition(":")
    # One letter before a colon is the drive of a path.
    return bool(colon) and len(kind) > 1 and os.sep not in kind and not os.path.exists(name)


@runtime_checkable
class ListTagger(Protocol):
    """A tagger that gives several tag sequences of each sentence."""

    def kbest_tags(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct tag sequences a sentence, best first, without heads."""


def trees_over_tags(
    parser: ListParser, tagger: ListTagger, given: Treebank, k: int, sequences: int
) -> KBest:
    """Parse each of the best tag sequences of a sentence, and merge their trees into one list.

    Parameters
    ----------
    parser, tagger
    given : Treebank
        Tags that words have stay; so there may be fewer sequences.
    k : int
        Trees of a list; they are shared out evenly among its sequences, and the better sequences
        get the remainder.
    sequences : int, 1 to `k`
        Tag sequences of a sentence.

    Returns
    -------
    KBest
        The score of a tree is that of the parser and that of its tags together.

    Raises
    ------
    UsageError
        If there are more sequences than trees.

    Notes
    -----
    The trees of the best sequences alone would fill a list that is ranked by score, and a reading
    that the tagger finds unlikely would never be seen (Katz-Brown et al. 2011, section 5.3.1).
    """
    if type(sequences) is not int or not 1 <= sequences <= k:
        raise UsageError(
            f"tag sequences of a list of {k} trees: a whole number from 1 to {k}, not {sequences!r}"
        )
    tagged = tagger.kbest_tags(given, sequences)
    if any(given.columns[name].has_value().any() for name in given_tags.TAG_COLUMNS):
        # With given tags in them, some are the same.
        trees = given_tags.keep_tags(given.take(tagged.sentence), tagged.trees)
        tagged = replace(tagged, trees=trees).distinct(trees.upos.codes, trees.xpos.codes)
    counts = np.diff(tagged.offsets)
    # In lists of the same length, sequences of one rank get the same number of trees.
    share = k // np.maximum(counts, 1)
    quota = np.repeat(share, counts) + (tagged.rank <= np.repeat(k - share * counts, counts))
    max_trees = int(quota.max(initial=1))
    tree_lists = parser.kbest(tagged.trees, max_trees)
    selected = np.flatnonzero(tree_lists.rank <= quota[tree_lists.sentence])
    sequence = tree_lists.sentence[selected]
    sentence = tagged.sentence[sequence]
    scores = tree_lists.scores[selected] + tagged.scores[sequence]
    order = np.lexsort((-scores, sentence))
    sizes = np.bincount(sentence, minlength=len(given))
    return KBest(tree_lists.trees.take(selected[order]), row_offsets(sizes), scores[order])
