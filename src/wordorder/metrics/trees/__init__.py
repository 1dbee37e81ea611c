"""Metrics of dependency trees and tags.

Attachment, labels and tags of words that system and gold trees share.
"""
