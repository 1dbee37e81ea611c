"""People's work in the browser: alignments made and translations rated on one's own machine.

Projects, their store, the server and what it answers. Pages that only show results are in `report`;
what answers mean for systems and metrics is in `judgement`.
"""
