"""Metrics of dependency trees and tags."""
