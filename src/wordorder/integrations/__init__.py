"""Our metrics, orders and trees in the terms of other tools; each module needs its tool."""
