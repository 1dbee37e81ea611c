"""METEOR 1.5's published parameters, by task and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wordorder.alignment.monolingual.languages import LANGUAGES, MODULES, language_modules
from wordorder.errors import UsageError, choose


@dataclass(frozen=True)
class Parameters:
    """What the score of METEOR is computed with.

    Attributes
    ----------
    alpha : float
        The weight of recall against precision, 0 to 1.
    beta, gamma : float
        The penalty for fragments is ``gamma * fragmentation ** beta``.
    delta : float
        The weight of content words against function words, 0 to 1.
    weights : mapping of str to float
        What a match counts, by module.
    """

    alpha: float
    beta: float
    gamma: float
    delta: float
    weights: Mapping[str, float]


def _parameters(
    alpha: float, beta: float, gamma: float, delta: float, **weights: float
) -> Parameters:
    return Parameters(alpha, beta, gamma, delta, weights)


_HALVES = {"exact": 1.0, "stem": 0.5, "synonym": 0.5, "paraphrase": 0.5}

# Tuned on human rankings.
_RANKING = {
    "en": _parameters(0.85, 0.20, 0.60, 0.75, exact=1, stem=0.6, synonym=0.8, paraphrase=0.6),
    "cs": _parameters(0.95, 0.20, 0.60, 0.80, exact=1, paraphrase=0.4),
    "fr": _parameters(0.90, 1.40, 0.60, 0.65, exact=1, stem=0.2, paraphrase=0.4),
    "es": _parameters(0.65, 1.30, 0.50, 0.80, exact=1, stem=0.8, paraphrase=0.6),
    "de": _parameters(0.95, 1.00, 0.55, 0.55, exact=1, stem=0.8, paraphrase=0.2),
    "ru": _parameters(0.75, 1.40, 0.70, 0.50, exact=1, stem=0.5, paraphrase=0.5),
}
_TUNED: dict[str, dict[str, Parameters]] = {
    "ranking": _RANKING,
    # Tuned on adequacy, on human-targeted edit rates and on the utility of translations.
    "adequacy": {
        "en": _parameters(0.75, 1.40, 0.45, 0.70, exact=1, stem=1, synonym=0.6, paraphrase=0.8)
    },
    "hter": {
        "en": _parameters(0.40, 1.50, 0.35, 0.55, exact=1, stem=0.2, synonym=0.6, paraphrase=0.8)
    },
    "utility": {
        "en": _parameters(0.65, 0.10, 0.55, 0.65, exact=1, stem=0, synonym=0, paraphrase=0.8)
    },
}
# For any language: independent of it, for the tuning of systems, and for new languages.
_GENERAL = {
    "li": Parameters(0.75, 1.40, 0.70, 0.50, _HALVES),
    "tuning": Parameters(0.50, 1.00, 0.50, 0.50, _HALVES),
    "universal": _parameters(0.70, 1.40, 0.30, 0.70, exact=1, paraphrase=0.6),
}
TASKS = ("default", *_TUNED, *_GENERAL)


def resolve_task(language: str, task: str) -> str:
    """Return the task that METEOR 1.5 takes for a language.

    Raises
    ------
    UsageError
        If a name is unknown, or the language has no parameters for the task.

    Examples
    --------
    >>> resolve_task("de", "default"), resolve_task("sv", "default")
    ('ranking', 'li')
    """
    choose("meteor.language", language, LANGUAGES)
    choose("meteor.task", task, TASKS)
    if task == "default":
        return "ranking" if language in _RANKING else "li"
    if task in _TUNED and language not in _TUNED[task]:
        raise UsageError(
            f"METEOR has no parameters for task={task} in language={language}: "
            f"there are some for {', '.join(sorted(_TUNED[task]))}; task=li is for any language"
        )
    return task


def task_parameters(language: str, task: str) -> Parameters:
    """Return the parameters of a task that `resolve_task` gave.

    Examples
    --------
    >>> task_parameters("en", "ranking").weights["synonym"]
    0.8
    """
    return _TUNED[task][language] if task in _TUNED else _GENERAL[task]


def parameters_depend_on_language(task: str) -> bool:
    """Return whether a task has parameters of its own for each language.

    Examples
    --------
    >>> parameters_depend_on_language("ranking"), parameters_depend_on_language("li")
    (True, False)
    """
    return task in _TUNED


def task_modules(language: str, task: str) -> tuple[str, ...]:
    """Return the modules that METEOR 1.5 uses in a language for a task.

    Examples
    --------
    >>> task_modules("de", "ranking"), task_modules("de", "universal")
    (('exact', 'stem', 'paraphrase'), ('exact', 'paraphrase'))
    """
    weights = task_parameters(language, task).weights
    allowed = MODULES if task == "universal" else language_modules(language)
    return tuple(module for module in allowed if module in weights)
