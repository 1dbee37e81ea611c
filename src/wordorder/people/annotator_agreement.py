"""How far the annotators of a project agree, each two of them."""

from __future__ import annotations

import os
from itertools import combinations
from typing import Any

from wordorder.counts import joined
from wordorder.errors import InputError
from wordorder.judgement.project_file import project_signature, reading
from wordorder.people.annotations import annotated_sentences
from wordorder.people.link_agreement import LinkAgreement, link_agreement
from wordorder.text.opening import Path


def annotator_agreement(path: Path) -> dict[str, Any]:
    """Compare the confirmed links of each two annotators on the sentences that both finished.

    Returns
    -------
    dict
        ``signature``, and ``pairs``: for each two annotators ``first``, ``second``, ``sentences``,
        ``f1``, ``kappa``, ``not_compared``, ``words`` (source words with how often their links
        differ and how often they occur, the most doubtful first) and ``differences`` (sentences
        with the links of one alone).

    Raises
    ------
    InputError
        If it is no project, or fewer than two annotators have finished a sentence.
    """
    found: dict[str, list[dict[str, Any] | None]] = {}
    with reading(path) as connection:
        for each in annotated_sentences(connection):
            links = [[s, t, "possible" if weak else "sure"] for s, t, weak in each.links]
            answer = each.answer | {"links": links} if each.finished else None
            found.setdefault(each.rater, []).append(answer)
        signature = str(project_signature(connection))
    began = {name: rows for name, rows in found.items() if any(row is not None for row in rows)}
    if len(began) < 2:
        names = f"{joined(list(began))} alone" if began else "nobody"
        what = f"sentences finished by {names}"
        raise InputError(os.fspath(path), what, "two annotators or more")
    pairs = [
        {"first": one, "second": other, **_as_json(link_agreement(began[one], began[other]))}
        for one, other in combinations(began, 2)
    ]
    return {"signature": signature, "pairs": pairs}


def _as_json(found: LinkAgreement) -> dict[str, Any]:
    return {
        "sentences": found.sentences,
        "f1": found.f1,
        "kappa": found.kappa,
        "not_compared": list(found.not_compared),
        "words": [
            {"word": word, "differ": differ, "of": of} for word, differ, of in found.words if differ
        ],
        "differences": [
            {
                "sentence": each.sentence,
                "source": list(each.source),
                "target": list(each.target),
                "only_first": [list(link) for link in each.only_first],
                "only_second": [list(link) for link in each.only_second],
            }
            for each in found.differences
        ],
    }
