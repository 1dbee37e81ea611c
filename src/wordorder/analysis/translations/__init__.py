"""Where and why translations are in the wrong order: the sections of their report.

Files are read and matched in `files`, the sections are put together in `analyze`. What holds for
orders of any kind is one folder up.
"""
