"""The analysis as one HTML page: overview, findings, and every sentence with pictures.

`page` writes it, for translations; `orders` knows sentences of orders, `columns` draws outputs
beside the reference, `sentence_list` chooses and packs sentences, `filling` fills templates. One
file without network; its templates and style are data files beside it. What it says is computed in
`analysis`.
"""
