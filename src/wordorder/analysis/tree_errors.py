"""Errors of parsers and taggers that change the order, and what corrected trees would score."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, Corpus, Look, OrderScores
from wordorder.analysis.grid import Grid
from wordorder.analysis.repairs import (
    TAGS,
    Confusions,
    TreePair,
    confusions,
    different_rows,
    paired_strings,
)
from wordorder.analysis.rule_effects import NamedRules, rule_effect_sections
from wordorder.analysis.section import Finding, Group, Section, Value, numbered_sections, points
from wordorder.analysis.tags import imperative_sections, tag_table_sections
from wordorder.analysis.tally import DIGITS, costliest_sentences
from wordorder.arrays import Int64, concat_ranges
from wordorder.errors import UsageError
from wordorder.messages import counted
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import called
from wordorder.statistics.paired_tests import Comparison, paired_bootstrap
from wordorder.treebank.treebank import ROOT, Column, Treebank

_HEADS = (
    "Head and label are corrected together. If the result is not a tree, the words that prevent "
    "it (in a cycle, or a second root) are corrected too; 'with others' counts these sentences."
)


def parser_error_sections(look: Look) -> list[Section]:
    """Show which labels and heads a parser confuses, and what that costs the order.

    Parameters
    ----------
    look : Look
        At a system with trees and rules, and perhaps at a second one, whose trees are taken for
        right; by default the gold trees of the corpus are.

    Returns
    -------
    list of Section
        ``relation-errors``, ``head-confusions`` and ``label-confusions``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the two have other words.
    """
    system, metric, scores = look.system, look.metric, look.scores
    right, name = right_trees(look)
    pair = TreePair.of(system, right, name)
    against = called_trees(name)
    relations, heads = relation_errors(pair, scores), head_confusions(pair, scores)
    has = f"in the trees of {system.name} with"
    return [
        confusion_section(
            relations,
            key="relation-errors",
            title=f"Dependency errors of {system.name} (against {against})",
            thing="head or label",
            header=(f"label in {name}",),
            metric=metric,
            said=lambda kind: f"with the label {kind[0]} {has} a wrong head or label",
            columns={"with others": relations.extended.tolist()},
            note=f"Words whose head or label differs, by their label in {against}. {_HEADS}",
        ),
        confusion_section(
            heads,
            key="head-confusions",
            title=f"Head errors of {system.name} (against {against})",
            thing="head",
            header=(f"label in {name}", f"head in {name}", f"head in {system.name}"),
            metric=metric,
            said=lambda kind: (
                f"with the label {kind[0]} {has} the head '{kind[2]}' instead of '{kind[1]}'"
            ),
            columns={
                f"distance in {name}": _mean_distances(heads, pair.right),
                f"distance in {system.name}": _mean_distances(heads, pair.parsed),
                "with others": heads.extended.tolist(),
            },
            note=(
                "A head is shown by its tag and by its side: before or after the word. Distance: "
                f"the mean number of words between the two. {_HEADS}"
            ),
        ),
        confusion_section(
            label_confusions(pair, scores),
            key="label-confusions",
            title=f"Label errors of {system.name} (against {against})",
            thing="label",
            header=(f"label in {name}", f"label in {system.name}"),
            metric=metric,
            said=lambda kind: f"{has} the label {kind[1]} instead of {kind[0]}",
            note=(
                "Only words with the same head in both trees count, and only their label is "
                "corrected."
            ),
        ),
    ]


def relation_errors(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find what wrong heads and labels cost, by gold label.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label,). Heads and labels are set right, as in `head_confusions`.
    """
    parsed, right = pair.parsed, pair.right
    other_label = parsed.label.codes != right.label.codes
    words = np.flatnonzero((parsed.heads != right.heads) | other_label)
    different, kinds = np.unique(right.label.codes[words], return_inverse=True)
    names = [(right.label.vocabulary.words[code],) for code in different.tolist()]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def label_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find which labels a parser confuses, among words with the right head.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, label found). The label alone is set right.

    Examples
    --------
    The auxiliary is taken for a second subject, and stays in front of the object.

    >>> from wordorder.analysis.corpus import scored_system
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> right = Treebank.from_words(
    ...     [["She", "will", "read", "it"]], heads=[[3, 3, 0, 3]],
    ...     upos=[["PRON", "AUX", "VERB", "PRON"]], label=[["nsubj", "aux", "root", "obj"]],
    ... )
    >>> found = right.replace(label=Column.of(["nsubj", "nsubj", "root", "obj"]))
    >>> corpus = Corpus(right, Orders.from_rows([[0, 3, 2, 1]]), gold=right)
    >>> rules, frs = open_rules("R5"), metric("frs")
    >>> orders = rules.orders(found)
    >>> system = scored_system("P1", orders, corpus, frs, treebank=found, rules=rules)
    >>> confused = label_confusions(TreePair.of(system, right), OrderScores(corpus, frs))
    >>> confused.names, orders[0].positions, round(float(confused.lost[0]), 4)
    ((('aux', 'nsubj'),), (0, 1, 3, 2), 0.6667)
    """
    words = pair.differing("label")
    words = words[pair.parsed.heads[words] == pair.right.heads[words]]
    kinds, names = paired_strings(pair, "label", words)
    return confusions(pair, scores, words, kinds, names, columns=["label"])


def head_confusions(pair: TreePair, scores: OrderScores) -> Confusions:
    """Find which words a parser attaches to which wrong heads.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores

    Returns
    -------
    Confusions
        Named (right label, right head, head found). A head is called after its tag and its side,
        ``VERB before`` if it comes before the word, or ``root``. Head and label are set right,
        and where that makes no tree the words in the way too.
    """
    words = np.flatnonzero(pair.parsed.heads != pair.right.heads)
    label, right = pair.right.label, pair.right
    # Tags of the right trees for both: only the heads are to differ.
    tags = right.upos if right.upos.said().any() else right.xpos
    rows = np.stack(
        [
            label.codes[words].astype(np.int64),
            _head_kinds(right, words, tags),
            _head_kinds(pair.parsed, words, tags),
        ],
        axis=1,
    )
    different, kinds = np.unique(rows, axis=0, return_inverse=True)
    kinds = kinds.reshape(-1)
    names = [
        (label.vocabulary.words[code], _head_name(theirs, tags), _head_name(ours, tags))
        for code, theirs, ours in different.tolist()
    ]
    return confusions(pair, scores, words, kinds, names, columns=["label"], heads=True)


def _head_kinds(treebank: Treebank, words: Int64, tags: Column) -> Int64:
    """Return tag and side of the head of each word as one number, 0 for none."""
    heads = treebank.heads[words].astype(np.int64)
    starts = treebank.offsets[np.searchsorted(treebank.offsets, words, side="right") - 1]
    at = np.where(heads == ROOT, words, starts + heads - 1)
    kinds: Int64 = 1 + 2 * tags.codes[at].astype(np.int64) + (at > words)
    return np.where(heads == ROOT, 0, kinds)


def _head_name(kind: int, tags: Column) -> str:
    """Return what a number of `_head_kinds` is called."""
    if kind == 0:
        return "root"
    tag, after = divmod(kind - 1, 2)
    return f"{tags.vocabulary.words[tag]} {'after' if after else 'before'}"


def _mean_distances(confusions: Confusions, treebank: Treebank) -> list[float | None]:
    """Return how far the heads of each confusion are from their words, roots left aside."""
    distances = np.abs(treebank.heads - concat_ranges(1, treebank.lengths))
    means: list[float | None] = []
    for words in confusions.members:
        hung = words[treebank.heads[words] != ROOT]
        means.append(float(distances[hung].mean()) if len(hung) else None)
    return means


# The columns of tags, and what tables call them.
COLUMNS = {"upos": "UPOS", "xpos": "XPOS"}


def tagger_error_sections(look: Look) -> list[Section]:
    """Show which tags a tagger confuses, and what that costs the order.

    The rules read the tags; that a parser would have made another tree with other tags is not
    seen.

    Parameters
    ----------
    look : Look
        As `parser_error_sections` has it.

    Returns
    -------
    list of Section
        ``upos-confusions`` and ``xpos-confusions``; of columns that both have.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the two have other words.
    """
    system, metric, scores = look.system, look.metric, look.scores
    right, name = right_trees(look)
    pair = TreePair.of(system, right, name)
    # Both say much the same.
    told = next((column for column in COLUMNS if pair.says(column)), "")
    return [
        confusion_section(
            tag_confusions(pair, scores, column),
            key=f"{column}-confusions",
            title=f"{called} errors of {system.name} (against {called_trees(name)})",
            thing="tag",
            header=(f"{called} in {name}", f"{called} in {system.name}"),
            metric=metric,
            said=_said(called, system.name) if column == told else None,
            note=(
                f"Only the {called} is corrected; the tree does not change. A different tree that "
                "the parser might build from the correct tag is not considered."
            ),
        )
        for column, called in COLUMNS.items()
        if pair.says(column)
    ]


def _said(called: str, system: str) -> Callable[[Sequence[str]], str]:
    return lambda kind: f"of {system} with the {called} {kind[1]} instead of {kind[0]}"


def tag_confusions(pair: TreePair, scores: OrderScores, column: str) -> Confusions:
    """Find which tags are confused.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    column : "upos" or "xpos"

    Returns
    -------
    Confusions
        Named (right tag, tag found). The tag alone is set right.
    """
    words = pair.differing(column)
    kinds, names = paired_strings(pair, column, words)
    return confusions(pair, scores, words, kinds, names, columns=[column])


COUNTS = ("words", "sentences", "order changed", "better", "worse")

NOTE = (
    "{metric} lost, in hundredths: how much the corpus score rises if only these words are "
    "corrected and the rules are applied again; negative if the mistake helps. Order changed, "
    "better, worse: the number of sentences whose order changes, and whose score rises or falls. "
    "Losses do not add up, because one mistake can hide or undo another."
)


def right_trees(look: Look) -> tuple[Treebank, str]:
    """Return the trees that a system is compared with, and their name.

    These are those of the second system, or else gold trees. Their name is not that of the system.

    Raises
    ------
    UsageError
        If there are none.
    """
    system, gold = look.system, look.corpus.gold
    if len(look.systems) == 1:
        if gold is None:
            raise UsageError("parser errors need gold trees or the trees of another parser")
        return gold, "gold" if system.name != "gold" else "gold trees"
    other = look.systems[1]
    if other.treebank is None:
        raise UsageError(f"{other.name} has no trees")
    return other.treebank, other.name


def called_trees(name: str) -> str:
    """Say which trees a system is compared with, given the name that `right_trees` returns."""
    return "the gold trees" if name in ("gold", "gold trees") else f"the trees of {name}"


def confusion_section(
    confusions: Confusions,
    *,
    key: str,
    title: str,
    thing: str,
    header: tuple[str, ...],
    metric: BaseMetric,
    said: Callable[[Sequence[str]], str] | None = None,
    columns: Mapping[str, Sequence[Value]] = {},
    note: str = "",
) -> Section:
    """Show confusions as a table; those that change no order are only counted.

    Parameters
    ----------
    confusions : Confusions
    key, title : str
    thing : str
        What is confused: ``label``.
    header : tuple of str
        What each part of a confusion's name is.
    metric : BaseMetric
    said : callable, optional
        Says of a confusion's name what is wrong with its words; without it there is no finding.
    columns : mapping of str to sequences
        Further columns of C values.
    note : str
        What to say before the note that all confusions have.
    """
    called_metric = called(metric.name)
    rows: list[tuple[Value, ...]] = []
    examples = []
    for i, name in enumerate(confusions.names):
        if confusions.changed[i]:
            more = (values[i] for values in columns.values())
            rows.append((*name, *confusions.counts(i), *more, 100 * float(confusions.lost[i])))
            examples.append(confusions.examples[i])
    words = int(confusions.words.sum())
    idle = int(confusions.words[confusions.changed == 0].sum())
    differing = f"{counted(words, 'word')} {'differs' if words == 1 else 'differ'} in {thing}"
    if not words:
        reading = f"No word differs in {thing}."
    elif not rows:
        reading = f"{differing}, but no difference changes an order."
    else:
        worst = confusions.names[0]
        reading = (
            f"{differing}, in {counted(len(confusions), 'kind')}; {len(rows)} of them "
            f"{'changes' if len(rows) == 1 else 'change'} an order. "
        )
        if confusions.lost[0] > 0:
            reading += (
                f"{' / '.join(worst)} costs most: {100 * confusions.lost[0]:.2f} hundredths of "
                f"{called_metric}."
            )
        else:
            reading += f"None of them costs {called_metric}."
    notes = [note, NOTE.format(metric=called_metric)]
    if rows and idle:
        words_are = "word is" if idle == 1 else "words are"
        notes.append(f"{idle} {words_are} not listed because their kinds change no order.")
    return Section(
        findings=_findings(confusions, said) if said and metric.name == "frs" else (),
        key=key,
        group=Group.TREES,
        title=title,
        reading=reading.strip(),
        header=(*header, *COUNTS, *columns, f"{metric.name} lost x100"),
        rows=tuple(rows),
        examples=tuple(examples),
        note=" ".join(each for each in notes if each),
    )


def _findings(confusions: Confusions, said: Callable[[Sequence[str]], str]) -> tuple[Finding, ...]:
    """Say what the costliest confusion costs."""
    if not len(confusions) or confusions.lost[0] <= 0:
        return ()
    lost = 100 * float(confusions.lost[0])
    words = counted(int(confusions.words[0]), "word")
    sentence = (
        f"{words} {said(confusions.names[0])}: if only these were corrected, FRS would rise by "
        f"{points(lost)} points."
    )
    return (Finding(sentence, lost, confusions.examples[0]),)


# What is set right in all sentences at once: name, columns, and whether the heads are.
PARTS: tuple[tuple[str, tuple[str, ...], bool], ...] = (
    ("tags", TAGS, False),
    ("labels", ("label",), False),
    ("heads", (), True),
    ("heads and labels", ("label",), True),
    ("everything", ("label", *TAGS), True),
)


@dataclass(frozen=True, eq=False)
class OracleScores:
    """The system with parts of all its trees corrected, P parts.

    Attributes
    ----------
    parts : tuple of str
    comparison : Comparison
        System 0 is the system as it is, system ``p + 1`` has part ``p`` right; all on the same
        resamples.
    changed, better, worse : int64[P]
        Sentences whose order becomes another one, whose score rises, and falls.
    examples : tuple of tuples of int
        For each part the sentences that gain most.
    """

    parts: tuple[str, ...]
    comparison: Comparison
    changed: Int64
    better: Int64
    worse: Int64
    examples: tuple[tuple[int, ...], ...]


def oracle_scores(
    pair: TreePair, scores: OrderScores, *, resamples: int = 1000, seed: int = 12345
) -> OracleScores:
    """Correct parts of all trees, apply the rules again, and score the orders.

    Parameters
    ----------
    pair : TreePair
    scores : OrderScores
    resamples, seed : int
        Of the intervals.
    """
    statistics = [scores.statistics(pair.orders)]
    before = scores.of_sentences(statistics[0])
    changed, better, worse = (np.zeros(len(PARTS), np.int64) for _ in range(3))
    examples: list[tuple[int, ...]] = []
    everything = np.arange(len(before))
    for i, (_, columns, heads) in enumerate(PARTS):
        orders = pair.rules.orders(pair.corrected(columns, heads=heads))
        statistics.append(scores.statistics(orders))
        gains = np.round(scores.of_sentences(statistics[-1]) - before, DIGITS)
        changed[i] = np.count_nonzero(different_rows(orders, pair.orders))
        better[i], worse[i] = np.count_nonzero(gains > 0), np.count_nonzero(gains < 0)
        examples.append(costliest_sentences(everything, np.maximum(gains, 0.0)))
    measured = [scores.measurement(statistics)]
    (comparison,) = paired_bootstrap(measured, resamples=resamples, seed=seed)
    parts = tuple(name for name, _, _ in PARTS)
    return OracleScores(parts, comparison, changed, better, worse, tuple(examples))


def oracle_score_sections(look: Look) -> list[Section]:
    """Show what a system would score with the trees and tags of gold or of another system.

    Parameters
    ----------
    look : Look
        As `parser_error_sections` has it.

    Returns
    -------
    list of Section
        ``set-right``.

    Raises
    ------
    UsageError
        If trees or rules are missing.
    InputError
        If the two have other words.
    """
    system, metric, drawn = look.system, look.metric, look.drawn
    right, name = right_trees(look)
    trees = called_trees(name)
    pair = TreePair.of(system, right, name)
    oracle = oracle_scores(pair, look.scores, resamples=drawn.resamples, seed=drawn.seed)
    values = oracle.comparison.values
    tests = [oracle.comparison.pair(0, part) for part in range(1, len(values))]
    bounds = [test.interval_95 or (None, None) for test in tests]
    gain = 100 * (values[-1] - values[0])
    findings: tuple[Finding, ...] = ()
    if metric.name == "frs" and gain > 0:
        sure = "significant" if tests[-1].mark == "+**" else "not sure"
        sentence = (
            f"{system.name} would have FRS {values[-1]:.4f} instead of {values[0]:.4f} with "
            f"{trees} and their tags: mistakes of its parser and tagger cost {points(gain)} "
            f"points of FRS ({sure})."
        )
        findings = (Finding(sentence, gain, oracle.examples[-1]),)
    return [
        Section.of_columns(
            {
                f"from {name}": oracle.parts,
                metric.name: values[1:],
                "difference": [test.difference for test in tests],
                "95% low": [low for low, _ in bounds],
                "95% high": [high for _, high in bounds],
                "order changed": oracle.changed,
                "better": oracle.better,
                "worse": oracle.worse,
            },
            findings=findings,
            key="set-right",
            group=Group.TREES,
            title=f"{system.name} with {trees}",
            reading=(
                f"{system.name} has {called(metric.name)} {values[0]:.4f}; with {trees}, their "
                f"tags and the same rules it would have {values[-1]:.4f}."
            ),
            examples=oracle.examples,
            note=(
                "Each row corrects one part of all trees at once and applies the rules again. "
                "The trees stay as they are where tags are corrected: the parser does not run "
                "again. The interval is that of the difference, over "
                f"{oracle.comparison.resamples} resamples of the sentences. The rest of the loss "
                "is due to the rules and the reference."
            ),
        )
    ]


def named_treebanks(systems: Sequence[AnalysedSystem], grid: Grid | None) -> dict[str, Treebank]:
    """Return the different trees that systems came from, with the names of their parsers.

    Without a grid trees are called after the first system that came from them.
    """
    banks: dict[int, tuple[str, Treebank]] = {}
    for number, system in enumerate(systems):
        if system.treebank is not None and id(system.treebank) not in banks:
            name = system.name if grid is None else grid.parser_of(number)
            banks[id(system.treebank)] = (name, system.treebank)
    return dict(banks.values())


def tree_error_sections(look: Look) -> Iterator[Section]:
    """Yield what wrong trees and tags cost.

    Each system is held against the gold trees; where there are none, the first system against
    the next one with the same rules and other trees.
    """
    usable = [
        number
        for number, system in enumerate(look.systems)
        if system.treebank is not None and system.rules is not None
    ]
    looks = [look.only(number) for number in usable]
    if look.corpus.gold is None:
        first, rivals = looks[0].system if looks else None, usable[1:]
        looks = [
            look.only(usable[0], number)
            for number in rivals
            if first is not None
            and look.systems[number].rules is first.rules
            and look.systems[number].treebank is not first.treebank
        ][:1]
    tables = (oracle_score_sections, parser_error_sections, tagger_error_sections)
    made = ([section for table in tables for section in table(each)] for each in looks)
    yield from numbered_sections(made, findings=False)


def tagging_sections(
    corpus: Corpus, systems: Sequence[AnalysedSystem], grid: Grid | None, words: Sequence[str]
) -> Iterator[Section]:
    """Yield the imperative rate and the tags of chosen words, of all trees."""
    banks = named_treebanks(systems, grid)
    if banks:
        yield from imperative_sections(banks, corpus.gold)
    if words:
        # Without trees the corpus itself may be tagged.
        yield from tag_table_sections(words, banks or {"source": corpus.words}, corpus.gold)


def rule_sections(look: Look) -> Iterator[Section]:
    """Yield what each rule of the systems does; rule sets without single rules are left out."""
    named = [
        each
        for each in look.each()
        if each.system.treebank is not None
        and isinstance(each.system.rules, NamedRules)
        and each.system.rules.rule_names
    ]
    yield from numbered_sections(map(rule_effect_sections, named), findings=False)
