"""Annotating alignments and rating translations in the browser, on one's own machine.

Projects, their files, and the server. Pages that only show results are in `report`; `judgement`
evaluates systems and metrics by the answers.
"""
