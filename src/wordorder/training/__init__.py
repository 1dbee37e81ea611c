"""Learning from word order: parsers, pre-orderers, rules and weights trained by the metrics.

Selection, self-training, augmented loss and its costs, rules, orders and tuning. What any tagger or
parser needs to be trained on a treebank is in `parsing.training`; models live with what uses them.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
