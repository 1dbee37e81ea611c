"""Figures for papers: the results of each command, drawn for print."""
