"""Figures for papers: the results of each command, drawn for print.

With matplotlib, which is imported when a figure is drawn. Pictures inside pages are in `drawing`.
"""
