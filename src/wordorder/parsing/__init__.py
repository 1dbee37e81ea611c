"""Taggers and parsers: trained from any treebank, with lists of the best and their scores.

What all parsers share is here: protocols, weights, model files, the tokenizer. Taggers, transition
parsers, graph parsers and parsers of other packages (`adapters`) have a folder each. `training`
trains them from treebanks; `pipeline` opens a model and runs it on files. Trees and treebanks are
in `treebank`; costs and selection for a task are in the package's `training`.
"""

from wordorder import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__)
