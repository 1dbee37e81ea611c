"""The analysis as one HTML page: overview, findings, and every sentence with pictures.

`page` writes it, `orders` shows sentences of orders, `columns` draws outputs next to the reference,
`sentence_list` selects and compresses sentences, `template_data` prepares values for the templates.
The page is one file without network access; its templates and styles are data files in this
folder. Its numbers and findings are computed in `analysis`.
"""
