"""What spaCy imports, in every process, to know the part ``wordorder`` of a pipeline."""

from __future__ import annotations

from typing import Any

from spacy.language import Language


def make_reorderer(nlp: Any, name: str, rules: str) -> Any:
    """Return the part that orders words by a rule set, or by a file of rules."""
    from wordorder.integrations.spacy import Reorderer

    return Reorderer(rules)


# What `nlp.analyze_pipes` checks. Tags are not required: rules may do without them.
Language.factory(
    "wordorder",
    default_config={"rules": "R5"},
    requires=["token.dep", "token.head"],
    assigns=["doc._.order", "doc._.reordered"],
    func=make_reorderer,
)
