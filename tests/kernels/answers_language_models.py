"""What language models answer on small random text."""

import random
import tempfile
import warnings
from pathlib import Path

from tests.oracles_language_models import compiled_model, random_model

from wordorder.translation.language_model import LanguageModel


def answers(rng: random.Random) -> dict[str, object]:
    """Return tables and scores."""
    found: dict[str, object] = {}
    for order in (1, 3):
        model = compiled_model(random_model(rng, order, "abc"), "abc")
        found[f"table {order}"] = [model.keys.tolist(), model.nodes.tolist()]
        lines = [" ".join(rng.choices("abcd", k=rng.randint(0, 5))) for _ in range(5)]
        found[f"scores {order}"] = [row.tolist() for row in model.word_scores(lines)]
    lines = [" ".join(rng.choices("aabcdef", k=rng.randint(0, 6))) for _ in range(40)]
    # No n-gram is frequent enough for its discounts.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LanguageModel.estimate(lines, order=3)
    for part in ("probability", "backoff", "suffix", "following", "keys", "nodes"):
        found[part] = getattr(model, part).tolist()
    with tempfile.TemporaryDirectory() as folder:
        model.save_arpa(Path(folder) / "a.arpa")
        found["suffix again"] = LanguageModel.load_arpa(Path(folder) / "a.arpa").suffix.tolist()
    return found
