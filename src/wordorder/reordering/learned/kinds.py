"""The kinds of learned orders that are installed."""

from __future__ import annotations

from wordorder.registry import Registry

LEARNED = Registry(
    "kind of learned order",
    "wordorder.orders",
    {
        "linear": "wordorder.reordering.learned.linear.model:Linear",
        "bracketing": "wordorder.reordering.learned.bracketing.model:Bracketing",
        "consensus": "wordorder.reordering.learned.consensus.model:Consensus",
    },
    needs=("orders", "parts", "from_parts", "learner"),
    class_methods=True,
)
