"""Permutations: from alignments, from words; their trees and forests."""
