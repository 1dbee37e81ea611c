"""Names that options may take, written out so that help and completion import no library."""

from __future__ import annotations

ALIGNMENT_FORMATS = (
    *("auto", "talbot", "pharaoh", "pharaoh-reversed", "lader", "naacl", "giza"),
    *("moses-phrases", "moses-trace"),
)
RULES = ("talbot", "lrscore", "aligned", "lader", "topdown-btg")
# The rules that order single words: what two translations of a source can be compared by.
WORD_RULES = ("lrscore", "talbot", "aligned")
UNALIGNED = ("next", "previous", "drop")
BLOCKS = ("combine", "keep")
LINKS = ("all", "sure")
TOKENIZERS = ("none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")
NORMAL_FORMS = ("none", "NFC", "NFKC", "NFD", "NFKD")
# What `analyze` is about.
ANALYSED = ("auto", "orders", "alignments", "text")
# What `tag` and `parse` read.
SENTENCES = ("auto", "conllu", "text")
# What `train` makes.
TAGGERS = ("perceptron", "tnt", "none")
ALGORITHMS = ("transition", "graph")
FEATURES = ("zhang-nivre", "katz-brown", "hall", "rich")
UPDATES = ("early", "max-violation")
TRAINING_TAGS = ("gold", "jackknife")
DATA_TAGS = ("predict", "auto")
TUNING_METHODS = ("mert", "pro", "mira")
RECIPES = ("P1", "P2", "P3", "P4", "P5")
# What `correlate` compares, and how.
UNITS = ("system", "segment", "document")
GROUPINGS = ("none", "item", "system")
COEFFICIENTS = (
    *("pearson", "spearman", "kendall-a", "kendall-b", "kendall-c"),
    *("kendall-10", "kendall-13", "kendall-14", "kendall-17", "kendall-23"),
    *("accuracy", "acc-eq", "spa", "pce", "consistency", "consistency-strict"),
)
DRAWN = ("segments", "systems", "both")
CORRELATION_TESTS = ("perm-both", "perm-inputs", "perm-systems", "williams", "bootstrap")
# What `rank` ranks by.
RANKED_BY = ("wins", "expected-wins", "bradley-terry", "trueskill", "z")
# What `rank` resamples.
RESAMPLED = ("items", "raters")
# What a pair counts that a metric ties.
TIES = ("strict", "half")
# What `rate` asks of raters.
PROTOCOLS = ("talbot", "preference", "scale")
# What `export` writes of a project, and how.
EXPORTS = ("alignments", "ratings", "events")
EXPORT_FORMATS = ("pharaoh", "talbot", "tsv", "json")
