"""Recipes of parsers (algorithm, features, beam, tagger), also those of Talbot et al. (2011)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordorder.errors import UsageError, choose, whole_number
from wordorder.parsing.tagging.tnt import KNOWN_WORDS
from wordorder.parsing.transition.parser import UPDATE_RULES, check_beam

if TYPE_CHECKING:
    from wordorder.parsing.training.training_run import TrainingRun

ALGORITHMS = ("transition", "graph")

# The feature sets of each algorithm; the first is the default.
FEATURES_BY_ALGORITHM = {
    "transition": ("zhang-nivre", "katz-brown", "hall"),
    "graph": ("hall", "rich"),
}

# The memory of the weights relative to the first feature set, measured on one treebank.
RICHNESS = {
    ("transition", "zhang-nivre"): 1.0,
    ("transition", "katz-brown"): 3.0,
    ("transition", "hall"): 12.0,
    ("graph", "hall"): 2.0,
    ("graph", "rich"): 4.0,
}

# The algorithm "auto": train both parsers, and keep the one that is better on held-out trees.
AUTO = "auto"

TAGGERS = ("perceptron", "tnt", "none")

# The tags from which a parser learns.
TAG_SOURCES = ("gold", "jackknife")

# Talbot et al.'s P3 to P5 are P2 with targeted self-training; according to the paper they differ in
# the method and amount of text, and P5 ignores case. Values: the recipe of the parser, how often
# selected trees are used in an epoch (1 and 10 in Katz-Brown et al.), and whether case is ignored.
SELF_TRAINED = {"P3": ("P2", 1, False), "P4": ("P2", 10, False), "P5": ("P2", 10, True)}


@dataclass(frozen=True)
class Recipe:
    """The algorithm, features, search and tagger of a parser.

    Attributes
    ----------
    algorithm : {"transition", "graph"}
    features : {"zhang-nivre", "katz-brown", "hall"}; {"hall", "rich"} of a graph parser
        The feature templates.
    beam : int
        The beam width of a transition parser.
    update : {"early", "max-violation"}
        Where a transition parser stops a wrong search to update.
    tagger : {"perceptron", "tnt", "none"}
        The tagger that is trained on the same data.
    """

    algorithm: str = "transition"
    features: str = "zhang-nivre"
    beam: int = 8
    update: str = "early"
    tagger: str = "perceptron"

    def settings(self) -> dict[str, Any]:
        """Return the settings of the parser for model files and checkpoints."""
        settings: dict[str, Any] = {"algorithm": self.algorithm, "features": self.features}
        if self.algorithm != "graph":
            settings |= {"beam": self.beam, "update": self.update}
        return settings


# Talbot et al. (2011), section 4.1, with the features and the tagger of Katz-Brown et al. (2011),
# section 4.3.
RECIPES = {
    "P1": Recipe(features="katz-brown", beam=1, tagger="tnt"),
    "P2": Recipe(features="katz-brown", beam=8, tagger="tnt"),
}


def choose_recipe(name: str | None = None, **attributes: str | int | None) -> Recipe:
    """Return a recipe by its name, or the default recipe with some attributes replaced.

    Parameters
    ----------
    name : str, optional
        A recipe of `RECIPES`.
    attributes : str, int or None
        Attributes of `Recipe`; None stands for the default, or the value of the recipe.

    Raises
    ------
    UsageError
        If a value is unknown, contradicts the recipe, or does not apply to the algorithm.

    Examples
    --------
    >>> choose_recipe(beam=1)
    Recipe(algorithm='transition', features='zhang-nivre', beam=1, update='early',
           tagger='perceptron')
    >>> choose_recipe("P2", beam=1)
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: recipe P2 has beam 8, not 1
    """
    chosen = {option: value for option, value in attributes.items() if value is not None}
    algorithm = choose("algorithm", str(chosen.get("algorithm", ALGORITHMS[0])), ALGORITHMS)
    choices = {
        "features": FEATURES_BY_ALGORITHM[algorithm],
        "update": UPDATE_RULES,
        "tagger": TAGGERS,
    }
    for option, names in choices.items():
        if option in chosen:
            choose(option, str(chosen[option]), names)
    whole_number("a beam", chosen.get("beam", 1))
    if name in SELF_TRAINED:
        raise UsageError(
            f"recipe {name} is trained by self-training: `wordorder train parser --self-train TEXT "
            "REFERENCE`, in Python self_train"
        )
    if name is not None:
        recipe = RECIPES[choose("recipe", name, tuple(RECIPES))]
        for option, value in chosen.items():
            if getattr(recipe, option) != value:
                raise UsageError(
                    f"recipe {name} has {option} {getattr(recipe, option)}, not {value}"
                )
        return recipe
    if algorithm == "graph":
        for option in ("beam", "update"):
            if option in chosen:
                raise UsageError(f"{option} is for transition parsers, not for graph parsers")
        chosen.setdefault("features", FEATURES_BY_ALGORITHM["graph"][0])
    return Recipe(**chosen)  # type: ignore[arg-type]  # checked above


@dataclass(frozen=True, kw_only=True)
class TaggerOptions:
    """The options of training a tagger.

    Attributes
    ----------
    model : {"perceptron", "tnt"}
    known_words : {"seen", "open"}, optional
        For ``tnt``: whether known words may only have the tags seen in the treebank.
    epochs : int, optional
        For ``perceptron``: passes over the treebank; 10 by default.
    hidden : float, at least 0 and below 1
        For ``perceptron``: hide this share of the words seen 20 times or less from the tagger
        while it learns, and treat symbols alike, for text of other kinds than the treebank.
    """

    model: str = "perceptron"
    known_words: str | None = None
    epochs: int | None = None
    hidden: float = 0.0

    def check(self, run: TrainingRun) -> None:
        """Raise a UsageError if an option is unknown or the model does not use it."""
        choose("model", self.model, TAGGERS[:2])
        if self.known_words is not None:
            choose("known_words", self.known_words, KNOWN_WORDS)
            if self.model != "tnt":
                raise UsageError("known_words is for model=tnt")
        if self.model != "tnt":
            return
        if self.epochs is not None:
            raise UsageError("epochs is for model=perceptron")
        is_set = {
            "hidden": self.hidden != 0,
            "shards": run.shards != 1,
            "compact": run.compact,
            "size": run.size is not None,
            "resume": run.resume,
            "restart": run.restart,
        }
        for name in is_set:
            if is_set[name]:
                raise UsageError(f"{name} is for model=perceptron; tnt only counts")


@dataclass(frozen=True, kw_only=True)
class ParserOptions:
    """The options of training a parser and its tagger.

    Attributes
    ----------
    recipe : {"P1", "P2"}, optional
        A parser of Talbot et al. (2011).
    algorithm, features, beam, update, tagger
        See `Recipe`, also for the defaults; ``algorithm="auto"`` trains a transition parser and a
        graph parser, and keeps the one that is better on the development part.
    known_words : {"seen", "open"}, optional
        See `TaggerOptions`; for ``tagger="tnt"``.
    epochs : int, optional
        Passes over the treebank; 10 by default.
    hidden : float, at least 0 and below 1
        See `TaggerOptions`; for ``tagger="perceptron"``.
    tags : {"gold", "jackknife"}
        "gold": the parser learns from the tags of the treebank. "jackknife": it also learns from a
        copy of each tree with tags predicted by a tagger of other parts of the treebank.
    feats : str, optional
        Features of FEATS that are added to the parser's tags: ``Case,VerbForm``, ``none``, or
        ``auto`` for those that improve the parser on held-out trees. The default is ``auto`` if
        the tagger predicts FEATS.
    """

    recipe: str | None = None
    algorithm: str | None = None
    features: str | None = None
    beam: int | None = None
    update: str | None = None
    tagger: str | None = None
    known_words: str | None = None
    epochs: int | None = None
    hidden: float = 0.0
    tags: str = "gold"
    feats: str | None = None

    def recipes(self, *, has_dev: bool, is_mixed: bool) -> list[Recipe]:
        """Check all options, and return the recipes of the parsers to train.

        Parameters
        ----------
        has_dev : bool
            Whether there is a development part.
        is_mixed : bool
            Whether the parser learns from further losses.
        """
        is_auto = self.algorithm == AUTO
        if is_auto and not has_dev:
            raise UsageError("algorithm=auto chooses by the trees of dev; there are none")
        if is_auto and (is_mixed or self.recipe is not None):
            raise UsageError(
                "algorithm=auto is for trees alone, without a recipe or further losses"
            )
        recipe = choose_recipe(
            self.recipe,
            algorithm=None if is_auto else self.algorithm,
            features=self.features,
            beam=self.beam,
            update=self.update,
            tagger=self.tagger,
        )
        check_beam(recipe.beam)
        choose("tags", self.tags, TAG_SOURCES)
        if self.tags == "jackknife" and recipe.tagger == "none":
            raise UsageError("tags are jackknifed with the tagger of the model; it has none")
        if self.known_words is not None:
            choose("known_words", self.known_words, KNOWN_WORDS)
            if recipe.tagger != "tnt":
                raise UsageError("known_words is for tagger=tnt")
        if self.hidden and recipe.tagger != "perceptron":
            raise UsageError("hidden is for tagger=perceptron")
        if is_auto:
            return [recipe, choose_recipe(algorithm="graph", tagger=recipe.tagger)]
        return [recipe]
