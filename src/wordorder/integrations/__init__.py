"""Adapters of metrics, orders and trees for other tools; each module needs its tool.

spaCy, Stanza, sacreBLEU, torchmetrics and Hugging Face evaluate. Only the module of a tool imports
it, and no lower layer imports from here.
"""
