"""Registration of the pipeline component ``wordorder``; spaCy imports it in every process."""

from __future__ import annotations

from typing import Any

from spacy.language import Language


def make_reorderer(nlp: Any, name: str, rules: str) -> Any:
    """Return the component that orders words by a rule set or rule file."""
    from wordorder.integrations.spacy import Reorderer

    return Reorderer(rules)


# Checked by `nlp.analyze_pipes`. Tags are not listed, because not all rules need them.
Language.factory(
    "wordorder",
    default_config={"rules": "R5"},
    requires=["token.dep", "token.head"],
    assigns=["doc._.order", "doc._.reordered"],
    func=make_reorderer,
)
