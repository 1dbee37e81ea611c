"""Figures for papers: what each verb found, drawn to be printed."""
