"""Tables and pictures of results that others computed.

One function for each result says what is printed, in every format (`Output`); `page` and
`judgement_page` are HTML. Nothing is computed here that a reader of JSON would miss.
"""
