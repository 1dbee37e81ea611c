"""What monolingual alignment and METEOR answer on small random text."""

import random
import tempfile
from pathlib import Path

from wordorder.alignment.monolingual import MonolingualAligner
from wordorder.metrics.text.matching import Meteor
from wordorder.segments import Segments

WORDS = "the the cat cats sit sits on a mat mats . ,".split()


def answers(rng: random.Random) -> dict[str, object]:
    """Return matches and scores of sentences of up to 70 words, with ambiguous words."""
    lengths = [0, 1, 2, 3, 5, 9, 17, 33, 63, 64, 65, 70]

    def sentence() -> str:
        return " ".join(rng.choice(WORDS) for _ in range(rng.choice(lengths)))

    hypotheses = [sentence() for _ in range(12)]
    references = [[sentence() for _ in range(rng.randrange(3))] for _ in range(12)]
    references[0] = [hypotheses[0]]
    segments = Segments.from_text(hypotheses, references)
    found: dict[str, object] = {}
    with tempfile.TemporaryDirectory() as folder:
        table, sets = Path(folder) / "table", Path(folder) / "sets"
        table.write_text("0.5\non a\nthe\n0.5\nsits\nsit on\n")
        sets.write_text("cat mat\n")
        for java in (False, True):
            aligner = MonolingualAligner(synonyms=sets, paraphrases=table, beam=5, java=java)
            matches = aligner.align(segments.texts)
            found[f"matches {java}"] = [
                column.tolist()
                for column in (
                    matches.start,
                    matches.length,
                    matches.hypothesis_start,
                    matches.hypothesis_length,
                    matches.module,
                    matches.offsets,
                )
            ]
            found[f"permutations {java}"] = aligner.permutations(segments.texts).to_lists()
    found["meteor"] = [v.hex() for v in Meteor().segment_scores(segments).tolist()]
    return found
