"""Adapters of metrics, orders and trees for other tools, one module per tool.

The tools are spaCy and Stanza, sacreBLEU, torchmetrics, and Hugging Face's evaluate. Only its own
module imports a tool, and no lower layer imports from here.
"""
