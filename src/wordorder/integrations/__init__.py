"""Our metrics, orders and trees in the terms of other tools; each module needs its tool.

spaCy, sacreBLEU, torchmetrics and Hugging Face evaluate. The tools are imported in their
own module only, and nothing below imports from here.
"""
