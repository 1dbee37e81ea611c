"""Metrics of dependency trees and tags: attachment, labels and tags that system and gold share."""
