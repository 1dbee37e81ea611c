"""Phrase-based translation: n-gram language models, stack decoding, and tuning of weights."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, ulonglong, void
from cython.cimports.libc.math import exp, floor, log1p
from cython.cimports.wordorder.kernels._common import (
    GOLDEN,
    MASK64,
    MIXER,
    golden_hash,
    pair_key,
    slot_of,
)

# N-gram language models.

# The words that begin and end a sentence.
BEGIN = cython.declare(cython.int, 1)
END = cython.declare(cython.int, 2)

# Stack decoding.

# The indices of the features; see `translation.features`.
cython.declare(DISTORTION=cython.int, LANGUAGE=cython.int, WORDS=cython.int, PHRASES=cython.int)
cython.declare(TRANSLATION=cython.int, UNKNOWN=cython.int, FEATURES=cython.int)
DISTORTION, LANGUAGE, WORDS, PHRASES, TRANSLATION, UNKNOWN, FEATURES = 6, 7, 8, 9, 10, 14, 15

# Orientations, in the order of the reordering model's columns. A maximum-entropy model has two: to
# the right, in the place of monotone, and to the left, in the place of swapped.
cython.declare(MONOTONE=cython.int, SWAP=cython.int, DISCONTINUOUS=cython.int)
MONOTONE, SWAP, DISCONTINUOUS = range(3)

# A bit of a coverage, to be shifted.
LOWEST_BIT = cython.declare(ulonglong, 1)
# Lower than any score.
LOWEST_SCORE = cython.declare(double, -1e300)
# Log probabilities of the maximum-entropy model are rounded to multiples of 1 over this.
LOG_STEPS = cython.declare(double, 1048576.0)
# The number of bits of `listed_bits` per slot of the model's table, as a power of two.
SPARSE_BITS = cython.declare(cython.int, 2)
# The number of cached log probabilities of the language model, as a power of two.
CACHE_BITS = cython.declare(cython.int, 14)
# Average number of distinct first words of the phrases for a word, for which arrays have space.
OPENERS = cython.declare(longlong, 16)
# Marks a log probability that has not been computed.
NOT_COMPUTED = cython.declare(double, 1.0)
# Number of hash chains of options with equal contexts, per end of a span.
CHAINS = cython.declare(longlong, 16)
# The maximum number of derivations examined: this number per requested translation, plus this
# number. Most derivations have the words of an earlier one.
DERIVATION_TRIES = cython.declare(longlong, 50)

# The best candidates along a line through the space of weights.

# The ends of a line.
INFINITY = cython.declare(double, float("inf"))
# Two points that are closer than this, relative to their size, may differ by rounding only.
CLOSE_POINTS = cython.declare(double, 1e-9)
# The rounding error of scores, relative to their size.
SCORE_ROUNDING = cython.declare(double, 1e-12)
# Length of the runs of points that are sorted by insertion.
SORTED_RUN = cython.declare(longlong, 8)
# Candidates per block of products.
CANDIDATE_BLOCK = cython.declare(Py_ssize_t, 256)


# -- N-gram language models. -----------------------------------------------------------------------
#
# A model is a trie of nodes. Node 0 is the empty n-gram and node ``word + 1`` a single word. A
# longer n-gram is found by the node of all its words except the last, and the last word, in a table
# with open addressing: ``keys[slot]`` is ``node << 32 | word``, -1 if free, and ``nodes[slot]`` is
# the node of the n-gram. ``suffix[node]`` is the longest known n-gram that is a proper suffix.


@cython.cfunc
@cython.inline
@cython.nogil
def node_slot(keys: cython.const[longlong][::1], key: longlong, shift: cython.int) -> longlong:
    """Return the slot of a key in a table of ``2**(64 - shift)`` slots, or the free one for it."""
    return slot_of(keys, key, golden_hash(key, shift), keys.shape[0] - 1)


def enter_nodes(
    parents: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    start: longlong,
    keys: longlong[::1],
    nodes: cython.int[::1],
    shift: cython.int,
    number: Py_ssize_t,
) -> None:
    """Add distinct new nodes to the table, by their parents and last words.

    The arrays have the values of node ``start + i`` at index `i`.
    """
    with cython.nogil:
        for i in range(number):
            slot: longlong = node_slot(keys, pair_key(parents[i], words[i]), shift)
            keys[slot] = pair_key(parents[i], words[i])
            nodes[slot] = cython.cast(cython.int, start + i)


def build_ngram_trie(
    tokens: cython.const[cython.int][::1],
    shorter: cython.const[cython.int][::1],
    longer: cython.int[::1],
    keys: longlong[::1],
    nodes: cython.int[::1],
    shift: cython.int,
    parents: cython.int[::1],
    words: cython.int[::1],
    suffix: cython.int[::1],
    counts: longlong[::1],
    start: longlong,
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Assign a node to each n-gram of a text, from those one word shorter, and count it.

    ``shorter[t]`` is the node of the shorter n-gram that ends with token `t`, -1 if the sentence is
    too short; `longer` is written in the same way. The values of node ``start + i`` are written to
    index `i` of `parents`, `words`, `suffix` and `counts`. ``state[0]`` is the number of nodes,
    ``state[1]`` the next token: the kernel stops before node ``state[2]``, for which the table has
    no space.
    """
    node: longlong = state[0]
    max_nodes: longlong = state[2]
    state[1] = last
    with cython.nogil:
        for token in range(first, last):
            if token == 0 or shorter[token - 1] < 0 or tokens[token] == BEGIN:
                longer[token] = -1
                continue
            key: longlong = pair_key(shorter[token - 1], tokens[token])
            slot: longlong = node_slot(keys, key, shift)
            if keys[slot] == -1:
                if node >= max_nodes:
                    state[1] = token
                    break
                keys[slot] = key
                nodes[slot] = cython.cast(cython.int, node)
                parents[node - start] = shorter[token - 1]
                words[node - start] = tokens[token]
                suffix[node - start] = shorter[token]
                counts[node - start] = 0
                node += 1
            longer[token] = nodes[slot]
            counts[nodes[slot] - start] += 1
        state[0] = node


def find_nodes(
    ngrams: cython.const[cython.int][::1],
    order: cython.int,
    keys: cython.const[longlong][::1],
    nodes: cython.const[cython.int][::1],
    shift: cython.int,
    nodes_of: cython.int[::1],
    number: Py_ssize_t,
) -> None:
    """Find the nodes of n-grams of one length; -1 for a missing one.

    N-gram `i` is ``ngrams[order * i : order * (i + 1)]``, at least one word.
    """
    cython.declare(k=longlong)
    with cython.nogil:
        for i in range(number):
            node: cython.int = ngrams[order * i] + 1
            for k in range(order * i + 1, order * (i + 1)):
                slot: longlong = node_slot(keys, pair_key(node, ngrams[k]), shift)
                if keys[slot] == -1:
                    node = -1
                    break
                node = nodes[slot]
            nodes_of[i] = node


def score_rows(
    tokens: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    keys: cython.const[longlong][::1],
    nodes: cython.const[cython.int][::1],
    shift: cython.int,
    probability: cython.const[cython.float][::1],
    backoff: cython.const[cython.float][::1],
    suffix: cython.const[cython.int][::1],
    following: cython.const[cython.int][::1],
    scores: double[::1],
    totals: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the log probabilities of the words and the end of each sentence, and their sum.

    Row `r` is ``tokens[offsets[r] : offsets[r + 1]]``; the log probabilities of its words and its
    end are written to ``scores`` from ``offsets[r] + r`` on, their sum to ``totals[r]``. The state
    after a word is ``following[node]`` of the longest known n-gram that ends there: its longest
    suffix that affects later words.
    """
    with cython.nogil:
        for row in range(first, last):
            total: double = 0.0
            state: cython.int = following[BEGIN + 1]
            for i in range(offsets[row], offsets[row + 1] + 1):
                word: cython.int = tokens[i] if i < offsets[row + 1] else END
                score: double = 0.0
                node: cython.int = word + 1
                while state > 0:
                    slot: longlong = node_slot(keys, pair_key(state, word), shift)
                    if keys[slot] != -1:
                        node = nodes[slot]
                        break
                    score += backoff[state]
                    state = suffix[state]
                score += probability[node]
                state = following[node]
                scores[i + row] = score
                total += score
            totals[row] = total


# -- Stack decoding. -------------------------------------------------------------------------------
#
# A hypothesis has translated some words of the source, phrase by phrase, and is in the stack of the
# number of these words. A stack is filled with bundles: pairs of a group of hypotheses of an
# earlier stack, which have translated the same words and end at the same word, and the options of a
# span after them, both sorted. Bundles with the best estimates come first, and extensions that
# cannot enter the stack are skipped. The estimate of an option uses the language model only within
# the phrase, so it is refined with the log probability of its first word (its opener) after the
# preceding words. Each remaining extension becomes an edge to a hypothesis. Hypotheses are
# recombined if all continuations have the same scores; the edges are the lattice of the n-best
# list.
#
# A coverage is the first free word of the source and the set of translated words after it, one bit
# per word: the window limits the set to 63 words, for sentences of any length.
#
# Scores are summed up in double precision, in the order of the statements here, so that results are
# the same on all machines.


@cython.cfunc
@cython.nogil
def log_probability(odds: double) -> double:
    """Return the log of the logistic function of log odds, rounded equally on all machines."""
    logarithm: double = -log1p(exp(-odds)) if odds > 0.0 else odds - log1p(exp(odds))
    return floor(LOG_STEPS * logarithm + 0.5) / LOG_STEPS


@cython.cclass
class StackDecoder:
    """The model, the current sentence, and the arrays of its search."""

    # The phrase table and the language model, in the arrays of their classes.
    cython.declare(target_offsets=cython.const[longlong][::1])
    cython.declare(target_words=cython.const[cython.int][::1])
    cython.declare(table_scores=cython.const[cython.float][::1])
    cython.declare(reordering=cython.const[cython.float][::1])
    cython.declare(probability=cython.const[cython.float][::1])
    cython.declare(backoff=cython.const[cython.float][::1], suffix=cython.const[cython.int][::1])
    cython.declare(following=cython.const[cython.int][::1], keys=cython.const[longlong][::1])
    cython.declare(nodes=cython.const[cython.int][::1], shift=cython.int)
    # A Bloom filter of the table's keys, with `SPARSE_BITS` more bits of the hash than the table.
    cython.declare(listed_bits=cython.const[uchar][::1], weights=cython.const[double][::1])
    cython.declare(longest=longlong, longest_target=longlong, window=longlong, beam=longlong)
    cython.declare(listed=longlong)
    # Whether the reordering model is of maximum entropy: then `reordering` has one number per
    # entry, its summand in the log odds of continuing to the right.
    cython.declare(directed=bint)
    # The sentence: its index, its offset among all words, its length.
    cython.declare(row=longlong, start=longlong, n=longlong)
    # Translation options of spans. The entry is -1 for a copied word.
    cython.declare(options=longlong, entry=longlong[::1], option_start=cython.int[::1])
    cython.declare(option_end=cython.int[::1], base=double[::1], estimate=double[::1])
    cython.declare(previous=double[::1], next=double[::1], said=cython.int[::1])
    # The log probabilities that the next phrase is to the right and to the left.
    cython.declare(sides=double[::1])
    cython.declare(said_start=longlong[::1], context=cython.int[::1], swap_context=cython.int[::1])
    cython.declare(chain=cython.int[::1], swap_chain=cython.int[::1], chain_head=cython.int[::1])
    cython.declare(swap_chain_head=cython.int[::1])
    # Per span, word and length - 1: its options in `ranked`, best first, and the best estimate.
    cython.declare(span_first=longlong[::1], span_last=longlong[::1], ranked=cython.int[::1])
    # For the options in this order: the estimate; the estimate without the first word; the index of
    # that word among the distinct first words of all spans from one word on; orientation costs.
    cython.declare(rank_estimate=double[::1], rank_rest=double[::1], rank_opener=cython.int[::1])
    cython.declare(rank_previous=double[::1], openers=longlong, opener_word=cython.int[::1])
    cython.declare(opener_first=longlong[::1])
    # The index of each target word among the openers, if it is one.
    cython.declare(word_place=longlong[::1], best=double[::1])
    # The best estimate of all words from a position on, and of the words of a gap.
    cython.declare(tail=double[::1], gap_best=double[::1], widest=longlong)
    # The capacity of all arrays below; `short` is set if it is exceeded.
    cython.declare(room=longlong, slots=longlong, short=bint)
    # Coverages: the first free word, the set of translated words after it, the estimated score of
    # the free words.
    cython.declare(coverages=longlong, gap=cython.int[::1], mask=ulonglong[::1], future=double[::1])
    cython.declare(coverage_slot=cython.int[::1], coverage_place=longlong[::1])
    cython.declare(coverage_group=cython.int[::1])
    # Hypotheses, with the best edge to each.
    cython.declare(hypotheses=longlong, score=double[::1], state=cython.int[::1])
    cython.declare(coverage=cython.int[::1], last_option=cython.int[::1])
    cython.declare(last_context=cython.int[::1], best_edge=cython.int[::1])
    cython.declare(hypothesis_slot=cython.int[::1], hypothesis_place=longlong[::1])
    # Edges, with the next worse one to the same hypothesis.
    cython.declare(edges=longlong, edge_from=cython.int[::1], edge_option=cython.int[::1])
    cython.declare(edge_score=double[::1], edge_language=double[::1], edge_worse=cython.int[::1])
    # States of the language model for which a word's openers have log probabilities, and these.
    cython.declare(askings=longlong, asked_slot=cython.int[::1], asked_place=longlong[::1])
    cython.declare(asked_state=cython.int[::1], asked_start=cython.int[::1])
    cython.declare(asked_heard=longlong[::1], hearings=longlong, heard_room=longlong)
    cython.declare(heard=double[::1], heard_state=cython.int[::1])
    # Groups of hypotheses per stack: those with the same coverage that end before the same word.
    cython.declare(groups=longlong, group_coverage=cython.int[::1], group_end=cython.int[::1])
    cython.declare(group_first=longlong[::1], group_last=longlong[::1], group_other=cython.int[::1])
    cython.declare(grouped=cython.int[::1], grouped_count=longlong, ranking=cython.int[::1])
    cython.declare(sorting=cython.int[::1], stack_group=longlong[::1])
    # The bundles of a stack.
    cython.declare(bundles=longlong, bundle_group=cython.int[::1], bundle_span=longlong[::1])
    cython.declare(bundle_coverage=cython.int[::1], bundle_jump=double[::1])
    cython.declare(bundle_start=cython.int[::1])
    # The totals of the best hypotheses of a stack, and the threshold once there are enough.
    cython.declare(keeps=longlong, kept=longlong, kept_total=double[::1], least=double)
    cython.declare(threshold=double, margin=double, margin_behind=double, heap=longlong)
    cython.declare(heap_key=double[::1], heap_item=cython.int[::1])
    # The state after the last word of the language model; the cache of log probabilities, by hash.
    cython.declare(asked=cython.int, memory_key=longlong[::1], memory_state=cython.int[::1])
    cython.declare(memory_score=double[::1])
    # Derivations: an edge and the path after it; and the queue of derivations to examine.
    cython.declare(paths=longlong, path_edge=cython.int[::1], path_next=cython.int[::1])
    cython.declare(ways=longlong, way_edge=cython.int[::1], way_next=cython.int[::1])
    cython.declare(way_score=double[::1])
    # Results.
    cython.declare(listed_here=longlong, found_room=longlong, phrase_room=longlong)
    cython.declare(told_room=longlong, found=longlong, found_row=longlong[::1])
    cython.declare(found_phrases=longlong[::1], found_features=double[::1])
    cython.declare(found_hash=ulonglong[::1], phrases=longlong, phrase_entry=longlong[::1])
    cython.declare(phrase_start=cython.int[::1], phrase_length=cython.int[::1])
    # The words of the listed translations, and their offsets.
    cython.declare(told=cython.int[::1], told_start=longlong[::1])

    def __init__(
        self,
        target_offsets: cython.const[longlong][::1],
        target_words: cython.const[cython.int][::1],
        vocabulary: longlong,
        table_scores: cython.const[cython.float][::1],
        reordering: cython.const[cython.float][::1],
        probability: cython.const[cython.float][::1],
        backoff: cython.const[cython.float][::1],
        suffix: cython.const[cython.int][::1],
        following: cython.const[cython.int][::1],
        keys: cython.const[longlong][::1],
        nodes: cython.const[cython.int][::1],
        shift: cython.int,
        listed_bits: cython.const[uchar][::1],
        weights: cython.const[double][::1],
        longest: longlong,
        longest_target: longlong,
        window: longlong,
        beam: longlong,
        threshold: double,
        margin: double,
        margin_behind: double,
        list_size: longlong,
        directed: bint,
        room: longlong,
    ):
        """Store a model; source phrases have 1 to 63 words, the window 0 to 63."""
        self.target_offsets, self.target_words = target_offsets, target_words
        self.table_scores, self.reordering, self.probability = table_scores, reordering, probability
        self.backoff, self.suffix, self.following, self.keys = backoff, suffix, following, keys
        self.nodes, self.shift, self.listed_bits, self.weights = nodes, shift, listed_bits, weights
        self.longest, self.longest_target, self.window = longest, longest_target, window
        self.beam, self.threshold, self.margin = beam, threshold, margin
        self.margin_behind = margin_behind
        self.word_place = array("q", [0]) * vocabulary
        self.memory_key = array("q", [-1]) * (1 << CACHE_BITS)
        self.memory_state = array("i", [0]) * (1 << CACHE_BITS)
        self.memory_score = array("d", [0.0]) * (1 << CACHE_BITS)
        self.listed = list_size
        self.directed = directed
        self.found = self.phrases = 0
        self.found_row = array("q", [0])
        self.found_phrases = array("q", [0])
        self.found_features = array("d", [0.0]) * FEATURES
        self.found_hash = array("Q", [0])
        self.told_start = array("q", [0])
        self.phrase_entry = array("q", [0])
        self.phrase_start = array("i", [0])
        self.phrase_length = array("i", [0])
        self.told = array("i", [0])
        self.found_room = self.phrase_room = self.told_room = 1
        self.prepare(1, 1)
        self.enlarge(room)

    def prepare(self, words: longlong, options: longlong) -> None:
        """Allocate arrays for sentences of up to `words` words with up to `options` options."""
        ints, longs = array("i", [0]) * options, array("q", [0])
        doubles, threes = array("d", [0.0]) * options, array("d", [0.0]) * (3 * options)
        spans: longlong = words * self.longest + 1
        self.entry, self.option_start, self.option_end = longs * options, ints[:], ints[:]
        self.base, self.estimate, self.sides = doubles[:], doubles[:], doubles * 2
        self.previous, self.next, self.rank_previous = threes[:], threes[:], threes[:]
        self.said, self.said_start = ints * max(self.longest_target, 1), longs * (options + 1)
        self.context, self.chain, self.ranked = ints[:], ints[:], ints[:]
        self.swap_context, self.swap_chain = ints[:], ints[:]
        self.rank_estimate, self.rank_rest = doubles[:], doubles[:]
        self.rank_opener, self.opener_word = ints[:], ints[:]
        self.opener_first, self.stack_group = longs * (words + 1), longs * (words + 2)
        self.chain_head = array("i", [0]) * ((words + 1) * CHAINS)
        self.swap_chain_head = array("i", [0]) * ((words + 1) * CHAINS)
        self.span_first, self.span_last = longs * spans, longs * spans
        self.best, self.tail = array("d", [0.0]) * spans, array("d", [0.0]) * (words + 1)
        self.gap_best = array("d", [0.0]) * ((words + 1) * (self.window + 1))

    def enlarge(self, room: longlong) -> None:
        """Allocate arrays for `room` hypotheses, edges and so on; their contents are lost."""
        slots: longlong = 2
        while slots < 2 * room:
            slots *= 2
        self.room, self.slots, self.short = room, slots, False
        self.coverages = self.askings = 0
        ints, longs, doubles = (
            array("i", [0]) * room,
            array("q", [0]) * room,
            array("d", [0]) * room,
        )
        empty = array("i", [-1]) * slots
        self.coverage_slot, self.hypothesis_slot, self.asked_slot = empty[:], empty[:], empty[:]
        self.gap, self.mask, self.future = ints[:], array("Q", [0]) * room, doubles[:]
        self.coverage_place, self.coverage_group = longs[:], ints[:]
        self.score, self.state, self.coverage = doubles[:], ints[:], ints[:]
        self.last_option, self.last_context, self.best_edge = ints[:], ints[:], ints[:]
        self.hypothesis_place = longs[:]
        self.edge_from, self.edge_option, self.edge_worse = ints[:], ints[:], ints[:]
        self.edge_score, self.edge_language = doubles[:], doubles[:]
        self.asked_place, self.asked_state, self.asked_start = longs[:], ints[:], ints[:]
        self.asked_heard, self.heard_room = longs[:], OPENERS * room
        self.heard, self.heard_state = doubles * OPENERS, ints * OPENERS
        self.group_coverage, self.group_end, self.group_other = ints[:], ints[:], ints[:]
        self.group_first, self.group_last = longs[:], longs[:]
        self.grouped, self.ranking, self.sorting = ints[:], ints[:], ints[:]
        self.bundle_group, self.bundle_coverage, self.bundle_start = ints[:], ints[:], ints[:]
        self.bundle_span, self.bundle_jump = longs[:], doubles[:]
        self.kept_total, self.heap_key, self.heap_item = doubles[:], doubles[:], ints[:]
        self.path_edge, self.path_next = ints[:], ints[:]
        self.way_edge, self.way_next, self.way_score = ints[:], ints[:], doubles[:]

    def widen(self) -> None:
        """Enlarge the arrays of results; their contents stay."""
        zeros = array("q", [0]) * self.found_room
        self.found_row = array("q", self.found_row) + zeros
        self.found_phrases = array("q", self.found_phrases) + zeros
        self.told_start = array("q", self.told_start) + zeros
        self.found_hash = array("Q", self.found_hash) + array("Q", zeros)
        self.found_features = array("d", self.found_features) + array("d", zeros) * FEATURES
        self.found_room *= 2
        zeros = array("q", [0]) * self.phrase_room
        self.phrase_entry = array("q", self.phrase_entry) + zeros
        self.phrase_start = array("i", self.phrase_start) + array("i", zeros)
        self.phrase_length = array("i", self.phrase_length) + array("i", zeros)
        self.phrase_room *= 2
        self.told = array("i", self.told) + array("i", [0]) * self.told_room
        self.told_room *= 2

    def take_results(self) -> tuple[object, object, object, object, object, object]:
        """Return the translations, and clear them.

        Per translation: its sentence, the offset of its phrases, its features. Per phrase: its
        entry in the phrase table, -1 for a copied word, its first word and its length in the
        source.
        """
        result: Py_ssize_t = self.found
        phrases: Py_ssize_t = self.phrases
        self.found = self.phrases = 0
        return (
            self.found_row[:result],
            self.found_phrases[:result],
            self.found_features[: result * FEATURES],
            self.phrase_entry[:phrases],
            self.phrase_start[:phrases],
            self.phrase_length[:phrases],
        )

    # The model

    @cython.cfunc
    @cython.nogil
    def ask_word(self, state: cython.int, word: cython.int) -> double:
        """Return the log probability of a word after a state; `asked` becomes the next state.

        The last result with the same hash is cached.
        """
        memory: longlong = -1
        query: longlong = 0
        total: double = 0.0
        while True:
            key: longlong = pair_key(state, word)
            mixed: ulonglong = (cython.cast(ulonglong, key) * GOLDEN) & MASK64
            slot: longlong = cython.cast(longlong, mixed >> (64 - CACHE_BITS))
            if self.memory_key[slot] == key:
                total += self.memory_score[slot]
                self.asked = self.memory_state[slot]
                break
            if memory < 0:
                memory = slot
                query = key
            node: cython.int = word + 1
            if state > 0:
                node = -1
                bit: longlong = cython.cast(longlong, mixed >> (self.shift - SPARSE_BITS))
                if (self.listed_bits[bit >> 3] >> (bit & 7)) & 1:
                    slot = cython.cast(longlong, mixed >> self.shift)
                    slot = slot_of(self.keys, key, slot, self.keys.shape[0] - 1)
                    if self.keys[slot] == key:
                        node = self.nodes[slot]
            if node >= 0:
                total += self.probability[node]
                self.asked = self.following[node]
                break
            total += self.backoff[state]
            state = self.suffix[state]
        if memory >= 0:
            self.memory_key[memory] = query
            self.memory_state[memory] = self.asked
            self.memory_score[memory] = total
        return total

    @cython.cfunc
    @cython.nogil
    def ask_words(self, first: longlong, last: longlong, state: cython.int) -> double:
        """Return the log probability of words of options; `asked` becomes the next state."""
        total: double = 0.0
        self.asked = state
        for word in range(first, last):
            total += self.ask_word(self.asked, self.said[word] if self.said[word] > 0 else 0)
        return total

    # The options of a sentence

    @cython.cfunc
    @cython.nogil
    def add_option(
        self, entry: longlong, copied: cython.int, start: longlong, length: longlong, odds: double
    ) -> void:
        """Add a translation option of a span: an entry, or the word `copied` if that is -1."""
        option: longlong = self.options
        position: longlong = self.said_start[option]
        base: double = self.weights[PHRASES]
        self.entry[option] = entry
        self.option_start[option] = cython.cast(cython.int, start)
        self.option_end[option] = cython.cast(cython.int, start + length)
        for k in range(3 * option, 3 * option + 3):
            self.previous[k] = self.next[k] = 0.0
        if entry < 0:
            self.said[position] = copied
            position += 1
            base -= self.weights[UNKNOWN]
        else:
            for word in range(self.target_offsets[entry], self.target_offsets[entry + 1]):
                self.said[position] = self.target_words[word]
                position += 1
            for k in range(4):
                base += self.weights[TRANSLATION + k] * self.table_scores[4 * entry + k]
            if self.directed:
                odds += self.reordering[entry]
            else:
                for k in range(3):
                    self.previous[3 * option + k] = self.weights[k] * self.reordering[6 * entry + k]
                    self.next[3 * option + k] = (
                        self.weights[3 + k] * self.reordering[6 * entry + 3 + k]
                    )
        if self.directed:
            self.sides[2 * option] = log_probability(odds)
            self.sides[2 * option + 1] = log_probability(-odds)
            for k in range(3):
                # A maximum-entropy model has only these two.
                word = MONOTONE if k == MONOTONE else SWAP
                self.next[3 * option + k] = self.weights[3 + word] * self.sides[2 * option + word]
        base -= self.weights[WORDS] * (position - self.said_start[option])
        if self.window == 0:
            # Without jumps every phrase is monotone, so that cost belongs to the option.
            base += self.previous[3 * option + MONOTONE]
            if start + length < self.n:
                base += self.next[3 * option + MONOTONE]
            for k in range(3 * option, 3 * option + 3):
                self.previous[k] = self.next[k] = 0.0
        self.said_start[option + 1] = position
        self.base[option] = base
        alone: double = self.weights[LANGUAGE] * self.ask_words(
            self.said_start[option], position, 0
        )
        self.estimate[option] = base + alone
        self.find_context(option)
        self.options += 1

    @cython.cfunc
    @cython.nogil
    def find_context(self, option: longlong) -> void:
        """Find the first option that is equivalent for all continuations.

        Equivalent options have the same end, the same costs of the next phrase's orientations, and
        the same start, if the next phrase may be directly before it and the costs of swapped
        phrases differ from those of others to the left.
        """
        monotone: double = self.next[3 * option + MONOTONE]
        swap: double = self.next[3 * option + SWAP]
        next_cost: double = self.next[3 * option + DISCONTINUOUS]
        chain: longlong = cython.cast(longlong, 4096.0 * (monotone + next_cost)) & (CHAINS - 1)
        chain += self.option_end[option] * CHAINS
        chain_index: cython.int = self.chain_head[chain]
        while chain_index >= 0 and (
            self.next[3 * chain_index + MONOTONE] != monotone
            or self.next[3 * chain_index + DISCONTINUOUS] != next_cost
        ):
            chain_index = self.chain[chain_index]
        if chain_index < 0:
            chain_index = cython.cast(cython.int, option)
            self.chain[chain_index] = self.chain_head[chain]
            self.chain_head[chain] = chain_index
        self.context[option] = self.swap_context[option] = 2 * chain_index
        if self.directed:
            return
        chain_index = self.swap_chain_head[chain]
        while chain_index >= 0 and (
            self.option_start[chain_index] != self.option_start[option]
            or self.next[3 * chain_index + MONOTONE] != monotone
            or self.next[3 * chain_index + SWAP] != swap
            or self.next[3 * chain_index + DISCONTINUOUS] != next_cost
        ):
            chain_index = self.swap_chain[chain_index]
        if chain_index < 0:
            chain_index = cython.cast(cython.int, option)
            self.swap_chain[chain_index] = self.swap_chain_head[chain]
            self.swap_chain_head[chain] = chain_index
        self.swap_context[option] = 2 * chain_index + 1

    @cython.cfunc
    @cython.nogil
    def rank_span(self, span: longlong, start: longlong) -> void:
        """Sort the options of a span, the best estimate first."""
        cython.declare(orientation=longlong)
        first: longlong = self.span_first[span]
        for i in range(first, self.options):
            k: longlong = i
            while k > first and self.estimate[self.ranked[k - 1]] < self.estimate[i]:
                self.ranked[k] = self.ranked[k - 1]
                k -= 1
            self.ranked[k] = cython.cast(cython.int, i)
        self.span_last[span] = self.options
        self.best[span] = LOWEST_SCORE
        if self.options > first:
            self.best[span] = self.estimate[self.ranked[first]]
        for k in range(first, self.options):
            option: cython.int = self.ranked[k]
            word: cython.int = self.said[self.said_start[option]]
            word = word if word > 0 else 0
            i = self.word_place[word]
            if i < self.opener_first[start] or i >= self.openers or self.opener_word[i] != word:
                i = self.openers
                self.word_place[word] = i
                self.opener_word[i] = word
                self.openers += 1
            self.rank_opener[k] = cython.cast(cython.int, i - self.opener_first[start])
            self.rank_estimate[k] = self.estimate[option]
            self.rank_rest[k] = (
                self.estimate[option] - self.weights[LANGUAGE] * self.probability[word + 1]
            )
            for orientation in range(3):
                self.rank_previous[3 * k + orientation] = self.previous[3 * option + orientation]

    @cython.cfunc
    @cython.nogil
    def estimate_gaps(self) -> void:
        """Compute the best estimates of the rest of the sentence, and of gaps in the window."""
        step: longlong = self.window + 1
        self.tail[self.n] = 0.0
        for i in range(self.n - 1, -1, -1):
            best: double = LOWEST_SCORE
            for k in range(1, min(self.longest, self.n - i) + 1):
                span: longlong = i * self.longest + k - 1
                if self.best[span] > LOWEST_SCORE and self.best[span] + self.tail[i + k] > best:
                    best = self.best[span] + self.tail[i + k]
            self.tail[i] = best
        for i in range(self.n, -1, -1):
            self.gap_best[i * step] = 0.0
            for width in range(1, min(self.window, self.n - i) + 1):
                best = LOWEST_SCORE
                for k in range(1, min(self.longest, width) + 1):
                    span = i * self.longest + k - 1
                    if self.best[span] > LOWEST_SCORE:
                        span = (i + k) * step + width - k
                        if self.best[i * self.longest + k - 1] + self.gap_best[span] > best:
                            best = self.best[i * self.longest + k - 1] + self.gap_best[span]
                self.gap_best[i * step + width] = best

    # The search

    @cython.cfunc
    @cython.nogil
    def find_coverage(self, gap: longlong, mask: ulonglong) -> cython.int:
        """Return the index of a coverage; it is added if it is new."""
        key: ulonglong = ((mask * MIXER) & MASK64) ^ cython.cast(ulonglong, gap)
        slots: longlong = self.slots
        total: double = 0.0
        key = (key * GOLDEN) & MASK64
        slot: longlong = cython.cast(longlong, key >> 24) & (slots - 1)
        while self.coverage_slot[slot] >= 0:
            coverage: cython.int = self.coverage_slot[slot]
            if self.gap[coverage] == gap and self.mask[coverage] == mask:
                return coverage
            slot = (slot + 1) & (slots - 1)
        if self.coverages == self.room:
            self.short = True
            return 0
        coverage = cython.cast(cython.int, self.coverages)
        self.coverages += 1
        self.coverage_slot[slot] = coverage
        self.coverage_place[coverage] = slot
        self.coverage_group[coverage] = -1
        self.gap[coverage] = cython.cast(cython.int, gap)
        self.mask[coverage] = mask
        word: longlong = gap
        while mask != 0:
            if mask & 1:
                if word > gap:
                    total += self.gap_best[gap * (self.window + 1) + word - gap]
                gap = word + 1
            mask >>= 1
            word += 1
        self.future[coverage] = total + self.tail[gap]
        return coverage

    @cython.cfunc
    @cython.nogil
    def push(self, key: double, item: cython.int) -> void:
        """Push an item on the heap: the highest key is on top, the first item on ties."""
        i: longlong = self.heap
        while i > 0:
            up: longlong = (i - 1) >> 1
            if self.heap_key[up] > key or (self.heap_key[up] == key and self.heap_item[up] < item):
                break
            self.heap_key[i] = self.heap_key[up]
            self.heap_item[i] = self.heap_item[up]
            i = up
        self.heap_key[i] = key
        self.heap_item[i] = item
        self.heap += 1

    @cython.cfunc
    @cython.nogil
    def pop(self) -> cython.int:
        """Remove the item on top of the heap, and return it."""
        top: cython.int = self.heap_item[0]
        size: longlong = self.heap - 1
        key: double = self.heap_key[size]
        item: cython.int = self.heap_item[size]
        i: longlong = 0
        down: longlong = 1
        self.heap = size
        while down < size:
            if down + 1 < size and (
                self.heap_key[down + 1] > self.heap_key[down]
                or (
                    self.heap_key[down + 1] == self.heap_key[down]
                    and self.heap_item[down + 1] < self.heap_item[down]
                )
            ):
                down += 1
            if key > self.heap_key[down] or (
                key == self.heap_key[down] and item < self.heap_item[down]
            ):
                break
            self.heap_key[i] = self.heap_key[down]
            self.heap_item[i] = self.heap_item[down]
            i = down
            down = 2 * i + 1
        self.heap_key[i] = key
        self.heap_item[i] = item
        return top

    @cython.cfunc
    @cython.nogil
    def keep(self, total: double) -> void:
        """Store the total of a hypothesis, and update the threshold for others.

        The worst of the best totals is on top of the heap.
        """
        if self.kept < self.keeps:
            i: longlong = self.kept
            self.kept += 1
            while i > 0 and self.kept_total[(i - 1) >> 1] > total:
                self.kept_total[i] = self.kept_total[(i - 1) >> 1]
                i = (i - 1) >> 1
        elif total > self.kept_total[0]:
            i = 0
            next: longlong = 1
            while next < self.kept:
                if next + 1 < self.kept and self.kept_total[next + 1] < self.kept_total[next]:
                    next += 1
                if self.kept_total[next] >= total:
                    break
                self.kept_total[i] = self.kept_total[next]
                i = next
                next = 2 * i + 1
        else:
            return
        self.kept_total[i] = total
        if self.kept == self.keeps and self.kept_total[0] > self.least:
            self.least = self.kept_total[0]
        if total - self.threshold > self.least:
            self.least = total - self.threshold

    @cython.cfunc
    @cython.nogil
    def accept(
        self,
        covered: cython.int,
        source: cython.int,
        option: cython.int,
        score: double,
        language: double,
        state: cython.int,
    ) -> void:
        """Add an edge from hypothesis `source` by an option; add or recombine its hypothesis."""
        context: cython.int = self.context[option]
        jump: longlong = self.option_start[option] - self.gap[covered] - 1
        done: bint = self.gap[covered] == self.n
        if done:
            # The translation is complete.
            state = context = 0
        elif jump >= 0 and (self.mask[covered] >> jump) & 1 == 0:
            # The word before the phrase is free.
            context = self.swap_context[option]
        key: ulonglong = (cython.cast(ulonglong, state) * MIXER) & MASK64
        key = ((key ^ (key >> 32) ^ cython.cast(ulonglong, context)) * MIXER) & MASK64
        key = ((key ^ (key >> 32) ^ cython.cast(ulonglong, covered)) * MIXER) & MASK64
        slot: longlong = cython.cast(longlong, key >> 24) & (self.slots - 1)
        previous: cython.int = self.hypothesis_slot[slot]
        while previous >= 0 and not (
            self.state[previous] == state
            and self.last_context[previous] == context
            and self.coverage[previous] == covered
        ):
            slot = (slot + 1) & (self.slots - 1)
            previous = self.hypothesis_slot[slot]
        if previous < 0 or done:
            self.keep(score + self.future[covered])
        if previous >= 0 and self.listed == 1 and self.score[previous] >= score:
            return
        if self.edges == self.room or self.hypotheses == self.room:
            self.short = True
            return
        edge: cython.int = cython.cast(cython.int, self.edges)
        self.edges += 1
        self.edge_from[edge] = source
        self.edge_option[edge] = option
        self.edge_score[edge] = score
        self.edge_language[edge] = language
        if previous < 0:
            previous = cython.cast(cython.int, self.hypotheses)
            self.hypotheses += 1
            self.hypothesis_slot[slot] = previous
            self.hypothesis_place[previous] = slot
            self.state[previous] = state
            self.last_context[previous] = context
            self.coverage[previous] = covered
            self.best_edge[previous] = -1
        edge_index: cython.int = self.best_edge[previous]
        if edge_index < 0 or self.edge_score[edge_index] < score:
            self.edge_worse[edge] = edge_index
            self.best_edge[previous] = edge
            self.score[previous] = score
            self.last_option[previous] = option
        else:
            while (
                self.edge_worse[edge_index] >= 0
                and self.edge_score[self.edge_worse[edge_index]] >= score
            ):
                edge_index = self.edge_worse[edge_index]
            self.edge_worse[edge] = self.edge_worse[edge_index]
            self.edge_worse[edge_index] = edge

    @cython.cfunc
    @cython.nogil
    def hear(self, state: cython.int, start: longlong) -> longlong:
        """Return the index in `heard` of the log probabilities of a word's openers after a state.

        Each is computed once per sentence.
        """
        key: ulonglong = (cython.cast(ulonglong, state) << 20) ^ cython.cast(ulonglong, start)
        key = (key * MIXER) & MASK64
        slot: longlong = cython.cast(longlong, key >> 24) & (self.slots - 1)
        while self.asked_slot[slot] >= 0:
            stored: longlong = self.asked_slot[slot]
            if self.asked_state[stored] == state and self.asked_start[stored] == start:
                return self.asked_heard[stored]
            slot = (slot + 1) & (self.slots - 1)
        entry: longlong = self.hearings
        self.hearings += self.opener_first[start + 1] - self.opener_first[start]
        if self.askings == self.room or self.hearings > self.heard_room:
            self.short = True
            return 0
        self.asked_slot[slot] = cython.cast(cython.int, self.askings)
        self.asked_place[self.askings] = slot
        self.asked_state[self.askings] = state
        self.asked_start[self.askings] = cython.cast(cython.int, start)
        self.asked_heard[self.askings] = entry
        self.askings += 1
        for i in range(entry, self.hearings):
            self.heard[i] = NOT_COMPUTED
        return entry

    @cython.cfunc
    @cython.nogil
    def extend(self, bundle: longlong) -> void:
        """Extend the hypotheses of a bundle by its options, until none can reach the threshold."""
        group: longlong = self.bundle_group[bundle]
        span: longlong = self.bundle_span[bundle]
        covered: cython.int = self.bundle_coverage[bundle]
        start: cython.int = self.bundle_start[bundle]
        future: double = self.future[covered]
        language: double = self.weights[LANGUAGE]
        done: bint = self.gap[covered] == self.n
        first: longlong = self.span_first[span]
        last: longlong = self.span_last[span]
        opener: longlong = self.opener_first[start]
        for i in range(self.group_first[group], self.group_last[group]):
            source: cython.int = self.grouped[i]
            previous: cython.int = self.last_option[source]
            jumped_score: double = self.score[source] + self.bundle_jump[bundle]
            bound: double = self.least - future - jumped_score
            if self.rank_estimate[first] < bound - self.margin:
                break
            orientation: cython.int = DISCONTINUOUS
            if start == self.group_end[group] or (self.directed and start > self.group_end[group]):
                orientation = MONOTONE
            elif (
                previous >= 0 and self.option_end[self.ranked[first]] == self.option_start[previous]
            ):
                orientation = SWAP
            if previous >= 0:
                jumped_score += self.next[3 * previous + orientation]
            entry: longlong = self.hear(self.state[source], start)
            if self.short:
                return
            bound_behind: double = self.least - future - jumped_score - self.margin_behind
            bound = bound_behind + self.margin_behind - self.margin
            for k in range(first, last):
                if self.rank_estimate[k] < bound:
                    break
                score: double = self.rank_rest[k] + self.rank_previous[3 * k + orientation]
                place: longlong = entry + self.rank_opener[k]
                heard: double = self.heard[place]
                if heard == NOT_COMPUTED:
                    heard = self.ask_word(
                        self.state[source], self.opener_word[opener + self.rank_opener[k]]
                    )
                    self.heard[place] = heard
                    self.heard_state[place] = self.asked
                if score + language * heard < bound_behind:
                    continue
                option: cython.int = self.ranked[k]
                heard += self.ask_words(
                    self.said_start[option] + 1,
                    self.said_start[option + 1],
                    self.heard_state[place],
                )
                state: cython.int = self.asked
                if done:
                    heard += self.ask_word(state, END)
                score = jumped_score + self.base[option] + self.rank_previous[3 * k + orientation]
                score += language * heard
                if score + future >= self.least:
                    self.accept(covered, source, option, score, heard, state)
                    bound_behind = self.least - future - jumped_score - self.margin_behind
                    bound = bound_behind + self.margin_behind - self.margin

    @cython.cfunc
    @cython.nogil
    def add_bundles(self, group: longlong, length: longlong) -> void:
        """Offer the extensions of a group by phrases of one length."""
        covered: longlong = self.group_coverage[group]
        gap: longlong = self.gap[covered]
        mask: ulonglong = self.mask[covered]
        block: ulonglong = (LOWEST_BIT << length) - 1
        end: longlong = self.group_end[group]
        for start in range(gap, self.n - length + 1):
            # The first free word must stay in the window.
            if start > gap and start + length - gap > self.window:
                break
            jump: longlong = start - end if start > end else end - start
            if jump > self.window or (mask & (block << (start - gap))) != 0:
                continue
            span: longlong = start * self.longest + length - 1
            if self.span_first[span] == self.span_last[span]:
                continue
            if self.bundles == self.room:
                self.short = True
                return
            after: ulonglong = mask | (block << (start - gap))
            free: longlong = gap
            while after & 1:
                after >>= 1
                free += 1
            self.bundle_group[self.bundles] = cython.cast(cython.int, group)
            self.bundle_span[self.bundles] = span
            self.bundle_start[self.bundles] = cython.cast(cython.int, start)
            self.bundle_coverage[self.bundles] = self.find_coverage(free, after)
            self.bundle_jump[self.bundles] = -self.weights[DISTORTION] * jump
            if self.short:
                return
            # The key is the best estimated total of the bundle.
            self.push(
                self.score[self.grouped[self.group_first[group]]]
                + self.bundle_jump[self.bundles]
                + self.best[span]
                + self.future[self.bundle_coverage[self.bundles]],
                cython.cast(cython.int, self.bundles),
            )
            self.bundles += 1

    @cython.cfunc
    @cython.nogil
    def fill_stack(self, stack: longlong) -> void:
        """Create the hypotheses of a stack, and sort and group the best of them."""
        first: longlong = self.hypotheses
        self.bundles = self.heap = self.kept = 0
        self.keeps = self.beam
        if stack == self.n:
            # The last stack has one hypothesis, whose edges give the n-best list.
            self.keeps = max(self.beam, self.listed)
        self.keeps = min(self.keeps, self.room)
        self.least = LOWEST_SCORE
        for length in range(1, min(self.longest, stack) + 1):
            i: longlong = stack - length
            for group in range(self.stack_group[i], self.stack_group[i + 1]):
                self.add_bundles(group, length)
                if self.short:
                    return
        while self.heap > 0 and self.heap_key[0] + self.margin >= self.least:
            self.extend(self.pop())
            if self.short:
                return
        for i in range(first, self.hypotheses):
            self.hypothesis_slot[self.hypothesis_place[i]] = -1
        self.group_stack(stack, first)

    @cython.cfunc
    @cython.nogil
    def rank_hypotheses(self, first: longlong) -> void:
        """Sort the hypotheses from `first` on by score and estimate, into `ranking`."""
        count: longlong = self.hypotheses - first
        width: longlong = 1
        for position in range(count):
            self.ranking[position] = cython.cast(cython.int, first + position)
            # The arrays of the heap are free again.
            self.heap_key[position] = (
                self.score[first + position] + self.future[self.coverage[first + position]]
            )
        while width < count:
            remaining: longlong = 0
            while remaining < count:
                middle: longlong = min(remaining + width, count)
                last: longlong = min(remaining + 2 * width, count)
                right: longlong = middle
                for position in range(remaining, last):
                    if right == last or (
                        remaining < middle
                        and self.heap_key[self.ranking[remaining] - first]
                        >= self.heap_key[self.ranking[right] - first]
                    ):
                        self.sorting[position] = self.ranking[remaining]
                        remaining += 1
                    else:
                        self.sorting[position] = self.ranking[right]
                        right += 1
                remaining = last
            for position in range(count):
                self.ranking[position] = self.sorting[position]
            width *= 2

    @cython.cfunc
    @cython.nogil
    def group_stack(self, stack: longlong, first: longlong) -> void:
        """Group the best hypotheses of a stack, which start at `first`."""
        count: longlong = min(self.hypotheses - first, self.beam)
        self.rank_hypotheses(first)
        for i in range(count):
            hypothesis: longlong = self.ranking[i]
            end: cython.int = self.option_end[self.last_option[hypothesis]]
            group: cython.int = self.coverage_group[self.coverage[hypothesis]]
            while group >= 0 and self.group_end[group] != end:
                group = self.group_other[group]
            if group < 0:
                if self.groups == self.room:
                    self.short = True
                    return
                group = cython.cast(cython.int, self.groups)
                self.groups += 1
                self.group_coverage[group] = self.coverage[hypothesis]
                self.group_end[group] = end
                self.group_other[group] = self.coverage_group[self.coverage[hypothesis]]
                self.group_last[group] = 0
                self.coverage_group[self.coverage[hypothesis]] = group
            self.group_last[group] += 1
            self.sorting[i] = group
        for i in range(self.stack_group[stack], self.groups):
            hypothesis = self.grouped_count
            self.grouped_count += self.group_last[i]
            self.group_first[i] = hypothesis
            self.group_last[i] = hypothesis
        for i in range(count):
            group = self.sorting[i]
            self.grouped[self.group_last[group]] = self.ranking[i]
            self.group_last[group] += 1
        self.stack_group[stack + 1] = self.groups

    @cython.cfunc
    @cython.nogil
    def search(self) -> void:
        """Search the sentence; the last hypothesis has translated all words."""
        for i in range(self.coverages):
            self.coverage_slot[self.coverage_place[i]] = -1
        self.coverages = 0
        for i in range(self.askings):
            self.asked_slot[self.asked_place[i]] = -1
        self.askings = self.hearings = self.edges = 0
        # The empty hypothesis, alone in the first stack.
        self.hypotheses = 1
        self.score[0] = 0.0
        self.state[0] = self.following[BEGIN + 1]
        self.last_option[0] = -1
        self.best_edge[0] = -1
        self.coverage[0] = self.find_coverage(0, 0)
        self.groups = 1
        self.group_coverage[0] = self.group_end[0] = self.group_first[0] = 0
        self.group_last[0] = 1
        self.grouped[0] = 0
        self.grouped_count = 1
        self.stack_group[0] = 0
        self.stack_group[1] = 1
        for i in range(1, self.n + 1):
            if not self.short:
                self.fill_stack(i)

    # The n-best list

    @cython.cfunc
    @cython.nogil
    def add_way(self, edge: cython.int, next: cython.int, score: double) -> void:
        """Queue a derivation to examine: the best one that ends in these edges."""
        if self.ways == self.room:
            self.short = True
            return
        self.way_edge[self.ways] = edge
        self.way_next[self.ways] = next
        self.way_score[self.ways] = score
        self.push(self.edge_score[edge] + score, cython.cast(cython.int, self.ways))
        self.ways += 1

    @cython.cfunc
    @cython.nogil
    def list_best(self) -> bint:
        """Write the best distinct translations; return False if the arrays are full."""
        goal: longlong = self.hypotheses - 1
        examined: longlong = 0
        self.paths = self.ways = self.heap = self.listed_here = 0
        self.add_way(self.best_edge[goal], -1, 0.0)
        while (
            self.heap > 0
            and self.listed_here < self.listed
            and examined < DERIVATION_TRIES * self.listed
        ):
            examined += 1
            way: cython.int = self.pop()
            edge: cython.int = self.way_edge[way]
            next: cython.int = self.way_next[way]
            score: double = self.way_score[way]
            while edge >= 0:
                if self.edge_worse[edge] >= 0 and self.listed > 1:
                    self.add_way(self.edge_worse[edge], next, score)
                if self.short or self.paths == self.room:
                    self.short = True
                    return False
                self.path_edge[self.paths] = edge
                self.path_next[self.paths] = next
                next = cython.cast(cython.int, self.paths)
                self.paths += 1
                score += self.edge_score[edge] - self.score[self.edge_from[edge]]
                edge = self.best_edge[self.edge_from[edge]]
            if not self.tell(next):
                return False
        return True

    @cython.cfunc
    @cython.nogil
    def is_new(self, words: longlong, key: ulonglong) -> bint:
        """Return whether the translation just written differs from the others of the sentence."""
        begin: longlong = self.told_start[self.found]
        for derivation in range(self.found - self.listed_here, self.found):
            if (
                self.found_hash[derivation] == key
                and self.told_start[derivation + 1] - self.told_start[derivation] == words
            ):
                word: longlong = 0
                while word < words and (
                    self.told[self.told_start[derivation] + word] == self.told[begin + word]
                ):
                    word += 1
                if word == words:
                    return False
        return True

    @cython.cfunc
    @cython.nogil
    def tell(self, path: cython.int) -> bint:
        """Write the translation of a derivation if it is new; return False if arrays are full."""
        edge: cython.int = path
        phrase: longlong = self.phrases
        words: longlong = 0
        begin: longlong = 0
        into: longlong = self.found * FEATURES
        key: ulonglong = 0
        last: longlong = -1
        end: longlong = 0
        if self.found + 2 >= self.found_room:
            return False
        if self.listed_here > 0:
            begin = self.told_start[self.found]
        self.told_start[self.found] = begin
        for k in range(into, into + FEATURES):
            self.found_features[k] = 0.0
        while edge >= 0:
            option: longlong = self.edge_option[self.path_edge[edge]]
            entry: longlong = self.entry[option]
            if phrase >= self.phrase_room:
                return False
            self.phrase_entry[phrase] = entry
            self.phrase_start[phrase] = self.option_start[option]
            self.phrase_length[phrase] = self.option_end[option] - self.option_start[option]
            phrase += 1
            for k in range(self.said_start[option], self.said_start[option + 1]):
                if begin + words >= self.told_room:
                    return False
                self.told[begin + words] = self.said[k]
                key = ((key ^ (cython.cast(ulonglong, self.said[k]) & MASK64)) * MIXER) & MASK64
                key ^= key >> 32
                words += 1
            orientation: longlong = DISCONTINUOUS
            if self.option_start[option] == end:
                orientation = MONOTONE
            elif last >= 0 and self.option_end[option] == self.option_start[last]:
                orientation = SWAP
            k = self.option_start[option] - end
            self.found_features[into + DISTORTION] -= k if k > 0 else -k
            self.found_features[into + LANGUAGE] += self.edge_language[self.path_edge[edge]]
            self.found_features[into + PHRASES] += 1.0
            if entry < 0:
                self.found_features[into + UNKNOWN] -= 1.0
            else:
                for k in range(4):
                    self.found_features[into + TRANSLATION + k] += self.table_scores[4 * entry + k]
                if not self.directed:
                    k = 6 * entry + orientation
                    self.found_features[into + orientation] += self.reordering[k]
            if last >= 0 and self.directed:
                orientation = MONOTONE if self.option_start[option] >= end else SWAP
                k = 2 * last + orientation
                self.found_features[into + 3 + orientation] += self.sides[k]
            elif last >= 0 and self.entry[last] >= 0:
                k = 6 * self.entry[last] + 3 + orientation
                self.found_features[into + 3 + orientation] += self.reordering[k]
            end = self.option_end[option]
            last = option
            edge = self.path_next[edge]
        self.found_features[into + WORDS] = -words
        if self.listed > 1 and not self.is_new(words, key):
            return True
        self.found_row[self.found] = self.row
        self.found_phrases[self.found] = self.phrases
        self.found_hash[self.found] = key
        self.told_start[self.found + 1] = begin + words
        self.found += 1
        self.listed_here += 1
        self.phrases = phrase
        return True

    @cython.cfunc
    @cython.nogil
    def enter(
        self,
        row: longlong,
        offsets: cython.const[longlong][::1],
        copied: cython.const[cython.int][::1],
        first_entry: cython.const[longlong][::1],
        last_entry: cython.const[longlong][::1],
        odds: cython.const[double][::1],
    ) -> void:
        """Start a sentence: collect the options of its spans, and estimate gaps."""
        self.row = row
        self.start = offsets[row]
        self.n = offsets[row + 1] - self.start
        self.options = self.said_start[0] = 0
        for i in range((self.n + 1) * CHAINS):
            self.chain_head[i] = -1
            self.swap_chain_head[i] = -1
        self.openers = 0
        for i in range(self.n):
            self.opener_first[i] = self.openers
            for k in range(1, min(self.longest, self.n - i) + 1):
                span: longlong = (self.start + i) * self.longest + k - 1
                self.span_first[i * self.longest + k - 1] = self.options
                right: double = odds[self.start + i + k - 1] if self.directed else 0.0
                for entry in range(first_entry[span], last_entry[span]):
                    self.add_option(entry, 0, i, k, right)
                if k == 1 and first_entry[span] == last_entry[span]:
                    self.add_option(-1, copied[self.start + i], i, 1, right)
                self.rank_span(i * self.longest + k - 1, i)
        self.opener_first[self.n] = self.openers
        self.estimate_gaps()


def decode(
    decoder: StackDecoder,
    offsets: cython.const[longlong][::1],
    copied: cython.const[cython.int][::1],
    first_entry: cython.const[longlong][::1],
    last_entry: cython.const[longlong][::1],
    odds: cython.const[double][::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Find the best translations of the sentences ``first .. last-1``, and store them in `decoder`.

    For the entries of spans see `alignment.find_options`. ``copied[i]`` is the target word to which
    word `i` is copied if it has no entry of its own; it is negative if the language model does not
    have it, and equal for equal words. ``odds[i]`` are the log odds of continuing to the right
    after word `i`, for a maximum-entropy model. Sentences without words have no translation.
    `prepare` must have been called for the longest sentence.
    """
    row: longlong = first
    while row < last:
        full: bint = False
        with cython.nogil:
            while row < last:
                if offsets[row] < offsets[row + 1]:
                    result: longlong = decoder.found
                    phrases: longlong = decoder.phrases
                    decoder.enter(row, offsets, copied, first_entry, last_entry, odds)
                    decoder.search()
                    full = decoder.short or not decoder.list_best()
                    if full:
                        decoder.found = result
                        decoder.phrases = phrases
                        break
                row += 1
        if full and decoder.short:
            decoder.enlarge(2 * decoder.room)
        elif full:
            decoder.widen()


# -- The best candidates along a line through the space of weights. --------------------------------
#
# On such a line, the score of a candidate at point `x` is ``intercept + x * slope``. The upper
# envelope of a sentence is its highest-scoring candidate at each point, from minus to plus
# infinity.


@cython.cfunc
@cython.inline
@cython.nogil
def project_block(
    features: cython.const[double][::1],
    candidates: Py_ssize_t,
    width: Py_ssize_t,
    directions: cython.const[double][::1],
    direction: Py_ssize_t,
    begin: Py_ssize_t,
    end: Py_ssize_t,
    out: double[::1],
    out_offset: Py_ssize_t,
) -> void:
    """Write the products of the candidates ``begin .. end-1`` with a direction, from `out_offset`
    on.

    Products are summed in the order of the features, so that candidates with equal features have
    equal products. Four features are processed at a time, and several candidates per instruction.
    """
    f: Py_ssize_t = 0
    number: Py_ssize_t = end - begin
    for i in range(number):
        out[out_offset + i] = 0.0
    while f + 4 <= width:
        a: double = directions[direction * width + f]
        b: double = directions[direction * width + f + 1]
        c: double = directions[direction * width + f + 2]
        d: double = directions[direction * width + f + 3]
        row: Py_ssize_t = f * candidates + begin
        for i in range(number):
            out[out_offset + i] = (
                out[out_offset + i]
                + features[row + i] * a
                + features[row + candidates + i] * b
                + features[row + 2 * candidates + i] * c
                + features[row + 3 * candidates + i] * d
            )
        f += 4
    while f < width:
        a = directions[direction * width + f]
        row = f * candidates + begin
        for i in range(number):
            out[out_offset + i] += features[row + i] * a
        f += 1


def project(
    features: cython.const[double][::1],
    directions: cython.const[double][::1],
    width: Py_ssize_t,
    candidates: Py_ssize_t,
    out: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the product of each candidate's features with each direction.

    `features` is [width, candidates], `directions` is [D, width], `out` is [D, candidates].
    """
    number: Py_ssize_t = directions.shape[0] // width
    begin: Py_ssize_t = first
    with cython.nogil:
        # In blocks that stay in the cache.
        while begin < last:
            end: Py_ssize_t = begin + CANDIDATE_BLOCK if begin + CANDIDATE_BLOCK < last else last
            for d in range(number):
                cell: Py_ssize_t = d * candidates + begin
                project_block(features, candidates, width, directions, d, begin, end, out, cell)
            begin = end


def best_candidates(
    scores: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    best: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the first of the candidates with the highest score of each sentence."""
    with cython.nogil:
        for row in range(first, last):
            highest: longlong = offsets[row]
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if scores[i] > scores[highest]:
                    highest = i
            best[row] = highest


@cython.cfunc
@cython.inline
@cython.nogil
def is_wide(begin: double, end: double) -> bint:
    """Return whether an interval is wider than a rounding error, or starts at minus infinity."""
    if begin == -INFINITY:
        return True
    size: double = begin if begin >= 0.0 else -begin
    return begin < INFINITY and end - begin > CLOSE_POINTS * (size if size > 1.0 else 1.0)


@cython.cfunc
@cython.inline
@cython.nogil
def sort_points(points: double[::1], places: longlong[::1], size: longlong) -> longlong:
    """Sort points with their places, with a stable sort; return the offset of the result.

    Both arrays have twice this size: the result is in the first half (0) or in the second
    (`size`). Runs of `SORTED_RUN` points are sorted by insertion, then merged.
    """
    source: longlong = 0
    target: longlong = size
    width: longlong = SORTED_RUN
    low: longlong = 0
    while low < size:
        high: longlong = low + SORTED_RUN if low + SORTED_RUN < size else size
        for index in range(low + 1, high):
            point: double = points[index]
            place: longlong = places[index]
            index_below: longlong = index
            while index_below > low and points[index_below - 1] > point:
                points[index_below] = points[index_below - 1]
                places[index_below] = places[index_below - 1]
                index_below -= 1
            points[index_below] = point
            places[index_below] = place
        low = high
    while width < size:
        low = 0
        while low < size:
            middle: longlong = low + width if low + width < size else size
            high = middle + width if middle + width < size else size
            index = source + low
            second: longlong = source + middle
            index_below = target + low
            while index < source + middle and second < source + high:
                # Which is smaller cannot be predicted, so this has no branch.
                point = points[index]
                beyond: double = points[second]
                first: longlong = point <= beyond
                points[index_below] = point if first else beyond
                places[index_below] = places[index if first else second]
                index += first
                second += 1 - first
                index_below += 1
            while index < source + middle:
                points[index_below] = points[index]
                places[index_below] = places[index]
                index += 1
                index_below += 1
            while second < source + high:
                points[index_below] = points[second]
                places[index_below] = places[second]
                second += 1
                index_below += 1
            low = high
        source, target = target, source
        width *= 2
    return source


@cython.cfunc
@cython.inline
@cython.nogil
def write_edge(
    low: double, start: double, high: double, end: double, edges: double[::1], index: Py_ssize_t
) -> void:
    """Write the straight line through two points, (`start`, `low`) and (`end`, `high`).

    It has a slope, and an intercept that is lowered by more than a rounding error.
    """
    rise: double = (high - low) / (end - start)
    steep: double = rise if rise >= 0.0 else -rise
    size: double = 1.0 + (low if low >= 0.0 else -low) + (high if high >= 0.0 else -high)
    size += steep * ((start if start >= 0.0 else -start) + (end if end >= 0.0 else -end))
    edges[index] = rise
    edges[index + 1] = low - rise * start - SCORE_ROUNDING * size


@cython.cfunc
@cython.inline
@cython.nogil
def write_side(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    outer: longlong,
    between: longlong,
    best: longlong,
    edges: double[::1],
    index: Py_ssize_t,
) -> bint:
    """Write the edges from the outermost candidate over a middle one to the best one.

    If the middle one is below the direct edge, that is written twice. Return whether an edge
    exists.
    """
    start: double = slopes[line + outer]
    middle: double = slopes[line + between]
    end: double = slopes[line + best]
    if start == end:
        return False
    write_edge(intercepts[outer], start, intercepts[best], end, edges, index)
    if (
        middle != start
        and middle != end
        and (intercepts[between] - edges[index] * middle > edges[index + 1])
    ):
        write_edge(intercepts[outer], start, intercepts[between], middle, edges, index)
        write_edge(intercepts[between], middle, intercepts[best], end, edges, index + 2)
    else:
        edges[index + 2] = edges[index]
        edges[index + 3] = edges[index + 1]
    return True


@cython.cfunc
@cython.inline
@cython.nogil
def find_guides(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    best: longlong,
    guides: longlong[::1],
    index: Py_ssize_t,
) -> void:
    """Write the candidates with the lowest and highest slope, and two between them.

    The latter have the highest scores on either side of 0 among every fourth candidate.
    """
    lowest: longlong = 0
    highest: longlong = 0
    left_line: longlong = best
    right_line: longlong = best
    slope: double = slopes[line]
    low: double = slope
    high: double = slope
    least: double = intercepts[0]
    for i in range(1, number):
        slope = slopes[line + i]
        if slope < low:
            low = slope
            lowest = i
        if slope > high:
            high = slope
            highest = i
    for i in range(0, number, 4):
        if intercepts[i] < least:
            least = intercepts[i]
    far: double = (intercepts[best] - least) / (high - low) if high > low else 0.0
    value_before: double = intercepts[best] - far * slopes[line + best]
    value_after: double = intercepts[best] + far * slopes[line + best]
    for i in range(0, number, 4):
        slope = far * slopes[line + i]
        if intercepts[i] - slope > value_before:
            value_before = intercepts[i] - slope
            left_line = i
        if intercepts[i] + slope > value_after:
            value_after = intercepts[i] + slope
            right_line = i
    guides[index] = lowest
    guides[index + 1] = left_line
    guides[index + 2] = right_line
    guides[index + 3] = highest


@cython.cfunc
@cython.inline
@cython.nogil
def find_winners(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    lowest: double,
    highest: double,
    guides: longlong[::1],
    index: Py_ssize_t,
) -> void:
    """Write the candidate with the highest score at each of two points; the first one wins ties."""
    best_before: double = -INFINITY
    best_after: double = -INFINITY
    for i in range(number):
        slope: double = slopes[line + i]
        height: double = intercepts[i]
        if height + lowest * slope > best_before:
            best_before = height + lowest * slope
            guides[index] = i
        if height + highest * slope > best_after:
            best_after = height + highest * slope
            guides[index + 3] = i


@cython.cfunc
@cython.nogil
def envelope(
    intercepts: cython.const[double][::1],
    slopes: cython.const[double][::1],
    line: longlong,
    number: longlong,
    best: longlong,
    lowest: double,
    highest: double,
    guides: longlong[::1],
    guide: Py_ssize_t,
    chosen: longlong[::1],
    begins: double[::1],
    start: longlong,
    shift: longlong,
    points: double[::1],
    places: longlong[::1],
    edges: double[::1],
) -> longlong:
    """Write the envelope of a sentence on a line from `start` on; return its end.

    The slopes start at `line`; candidates are numbered from `shift` on in `chosen`. Only winners
    between the points `lowest` and `highest` are written, unless one of the points is infinite.
    """
    cython.declare(k=longlong)
    size: longlong = 0
    top: longlong = start
    low: double = -INFINITY
    high: double = INFINITY
    if lowest > -INFINITY and highest < INFINITY:
        # Candidates with lower slopes than the first winner, or higher than the last, never win.
        find_winners(intercepts, slopes, line, number, lowest, highest, guides, guide)
        low = slopes[line + guides[guide]]
        high = slopes[line + guides[guide + 3]]
        if guides[guide + 1] < 0:
            guides[guide + 1] = guides[guide + 2] = best
    elif guides[guide] < 0:
        find_guides(intercepts, slopes, line, number, best, guides, guide)
    beaten: bint = write_side(
        intercepts, slopes, line, guides[guide], guides[guide + 1], best, edges, 0
    )
    if write_side(intercepts, slopes, line, guides[guide + 3], guides[guide + 2], best, edges, 4):
        if not beaten:
            for k in range(4):
                edges[k] = edges[4 + k]
    elif beaten:
        for k in range(4):
            edges[4 + k] = edges[k]
    else:
        # The same candidate wins everywhere.
        chosen[start] = best + shift
        begins[start] = -INFINITY
        return start + 1
    rise_0: double = edges[0]
    base_0: double = edges[1]
    rise_1: double = edges[2]
    base_1: double = edges[3]
    rise_2: double = edges[4]
    base_2: double = edges[5]
    rise_3: double = edges[6]
    base_3: double = edges[7]
    for i in range(number):
        slope: double = slopes[line + i]
        height: double = intercepts[i]
        if slope < low or slope > high:
            continue
        if (
            height - rise_0 * slope < base_0
            and height - rise_3 * slope < base_3
            and height - rise_1 * slope < base_1
            and height - rise_2 * slope < base_2
        ):
            continue
        points[size] = slope
        places[size] = i
        size += 1
    size_sorted: longlong = sort_points(points, places, size)
    for i in range(size_sorted, size_sorted + size):
        new: longlong = places[i]
        point: double = -INFINITY
        beaten = False
        while top > start:
            old: longlong = chosen[top - 1]
            rise: double = slopes[line + new] - slopes[line + old]
            if rise > 0.0:
                point = (intercepts[old] - intercepts[new]) / rise
                if point > begins[top - 1]:
                    break
            elif intercepts[new] <= intercepts[old]:
                # Equal slopes: the higher line wins everywhere.
                beaten = True
                break
            top -= 1
        if beaten:
            continue
        if top == start:
            point = -INFINITY
        chosen[top] = new
        begins[top] = point
        top += 1
    # The guides for the next search: halfway from the best candidate to the ends of the envelope.
    size_sorted = start
    while size_sorted < top - 1 and begins[size_sorted + 1] <= 0.0:
        size_sorted += 1
    guides[guide + 1] = chosen[(start + size_sorted) // 2]
    guides[guide + 2] = chosen[(size_sorted + top) // 2]
    for i in range(start, top):
        chosen[i] += shift
    return top


def envelopes(
    features: cython.const[double][::1],
    candidates: Py_ssize_t,
    width: Py_ssize_t,
    directions: cython.const[double][::1],
    axes: cython.const[longlong][::1],
    lows: cython.const[double][::1],
    highs: cython.const[double][::1],
    offsets: cython.const[longlong][::1],
    guides: longlong[::1],
    chosen: longlong[::1],
    begins: double[::1],
    starts: longlong[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    products: double[::1],
    points: double[::1],
    places: longlong[::1],
    edges: double[::1],
    fresh: longlong[::1],
) -> None:
    """Write the upper envelope of each sentence on each of several lines through one point.

    `features` is [width, candidates], and sentence ``s`` has the candidates ``offsets[s] ..
    offsets[s + 1]-1``. The first of the `directions` [1 + R, width] is the point. The first lines
    change one feature of `axes` each; the others go in the other directions. The envelope of
    sentence ``s`` on line ``d`` has ``counts[d * S + s]`` candidates from ``starts[d * S + s]`` on:
    `chosen`, and `begins`, the point from which it wins, minus infinity for the first one. These
    are the winners between the points ``lows[d]`` and ``highs[d]``, on either side of 0, or all
    winners if one of the points is infinite. The first of equal candidates counts; candidates that
    win at a single point are left out. Scratch: three arrays with two numbers for each candidate of
    the longest sentence, then 8, and 4.

    A candidate is below two others everywhere if its point (slope, intercept) is below the straight
    line between theirs. Most candidates are below the lines through five: those with the lowest and
    the highest slope, with the highest intercept, and one on either side of it. The choice of these
    lines affects the time, not the result. With two points, the outermost lines are the winners
    there. The `guides` [sentences, axes, 4] are these candidates except the middle one, from left
    to right, and negative before the first search; those next to the middle are then taken from the
    last envelope.
    """
    sentences: Py_ssize_t = offsets.shape[0] - 1
    number: Py_ssize_t = axes.shape[0]
    lines: Py_ssize_t = number + directions.shape[0] // width - 1
    with cython.nogil:
        for row in range(first, last):
            begin: longlong = offsets[row]
            end: longlong = offsets[row + 1]
            size: longlong = end - begin
            project_block(features, candidates, width, directions, 0, begin, end, products, 0)
            best: longlong = 0
            for i in range(1, size):
                if products[i] > products[best]:
                    best = i
            start: longlong = begin * lines
            for d in range(lines):
                slopes: cython.const[double][::1] = features
                guide_lines: longlong[::1] = guides
                guide: longlong = (row * number + d) * 4
                if d < number:
                    line: longlong = axes[d] * candidates + begin
                else:
                    slopes = products
                    guide_lines = fresh
                    fresh[0] = fresh[1] = -1
                    line = size
                    guide = 0
                    k: longlong = d - number + 1
                    project_block(
                        features, candidates, width, directions, k, begin, end, products, size
                    )
                top: longlong = envelope(
                    products, slopes, line, size, best, lows[d], highs[d], guide_lines, guide,
                    chosen, begins, start, begin, points, places, edges,
                )  # fmt: skip
                starts[d * sentences + row] = start
                counts[d * sentences + row] = top - start
                start = top


def sweeps(
    chosen: cython.const[longlong][::1],
    begins: cython.const[double][::1],
    counts: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    sentences: Py_ssize_t,
    statistics: cython.const[double][::1],
    width: Py_ssize_t,
    offsets: cython.const[longlong][::1],
    interval_starts: double[::1],
    totals: double[::1],
    interval_counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    points: double[::1],
    places: longlong[::1],
    total: double[::1],
) -> None:
    """Write the intervals of each line, with the summed statistics of the winning candidates.

    `chosen`, `begins`, `starts` and `counts` are those of `envelopes`; `statistics` is [candidates,
    width]. Line `d` has space for the intervals ``offsets[d] .. offsets[d + 1]-1`` of
    `interval_starts` and `totals`, one more than the changes of its envelopes; ``kept[d]`` of them
    are written, since intervals without width are left out. Scratch: twice the changes of the
    longest line, and a row.
    """
    with cython.nogil:
        for line in range(first, last):
            for k in range(width):
                total[k] = 0.0
            size: longlong = offsets[line + 1] - offsets[line] - 1
            position: longlong = 0
            for row in range(line * sentences, (line + 1) * sentences):
                start: longlong = chosen[starts[row]] * width
                for k in range(width):
                    total[k] += statistics[start + k]
                for new in range(starts[row] + 1, starts[row] + counts[row]):
                    points[position] = begins[new]
                    places[position] = new
                    position += 1
            start = sort_points(points, places, size)
            out: longlong = offsets[line]
            begin: double = -INFINITY
            for position in range(size + 1):
                if position:
                    old: longlong = chosen[places[start + position - 1] - 1] * width
                    new = chosen[places[start + position - 1]] * width
                    for k in range(width):
                        total[k] += statistics[new + k] - statistics[old + k]
                end: double = points[start + position] if position < size else INFINITY
                if is_wide(begin, end):
                    interval_starts[out] = begin
                    for k in range(width):
                        totals[out * width + k] = total[k]
                    out += 1
                begin = end
            interval_counts[line] = out - offsets[line]
