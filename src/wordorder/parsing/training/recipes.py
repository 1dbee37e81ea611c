"""Recipes of parsers: algorithm, features, beam and tagger, and those of Talbot et al. (2011)."""

from dataclasses import dataclass

from wordorder.errors import UsageError, choose, whole_number

ALGORITHMS = ("transition", "graph")

# The first is what a parser has unless another is named.
FEATURES = {"transition": ("zhang-nivre", "katz-brown", "hall"), "graph": ("hall", "rich")}

# Memory of the weights beside that of the first set, measured on one treebank.
RICHNESS = {
    ("transition", "zhang-nivre"): 1.0,
    ("transition", "katz-brown"): 3.0,
    ("transition", "hall"): 12.0,
    ("graph", "hall"): 2.0,
    ("graph", "rich"): 4.0,
}
UPDATES = ("early", "max-violation")
TAGGERS = ("perceptron", "tnt", "none")

# Talbot et al.'s P3 to P5 are P2 with targeted self-training; they differ, the paper says, in how
# and on how much text, and P5 forgets case. Here: the recipe each is made of, how often the chosen
# trees are taken in an epoch (Katz-Brown et al. have 1 and 10), and whether case is forgotten.
SELF_TRAINED = {"P3": ("P2", 1, False), "P4": ("P2", 10, False), "P5": ("P2", 10, True)}


@dataclass(frozen=True)
class Recipe:
    """How a parser is made.

    Attributes
    ----------
    algorithm : {"transition", "graph"}
    features : {"zhang-nivre", "katz-brown", "hall"}; {"hall", "rich"} of a graph parser
        What the parser looks at.
    beam : int
        How many partial trees a transition parser keeps.
    update : {"early", "max-violation"}
        Where a transition parser learns from a mistake.
    tagger : {"perceptron", "tnt", "none"}
        The tagger that is trained on the same data.
    """

    algorithm: str = "transition"
    features: str = "zhang-nivre"
    beam: int = 8
    update: str = "early"
    tagger: str = "perceptron"


# Talbot et al. (2011), section 4.1, with the features and the tagger of Katz-Brown et al. (2011),
# section 4.3.
RECIPES = {
    "P1": Recipe(features="katz-brown", beam=1, tagger="tnt"),
    "P2": Recipe(features="katz-brown", beam=8, tagger="tnt"),
}


def choose_recipe(name: str | None = None, **given: str | int | None) -> Recipe:
    """Return a recipe, or the usual parser with what is given otherwise.

    Parameters
    ----------
    name : str, optional
        A recipe of `RECIPES`.
    given : str, int or None
        Attributes of `Recipe`; None leaves one open.

    Raises
    ------
    UsageError
        If a value is unknown, contradicts the recipe, or is for transition parsers and the
        algorithm is another.

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
    chosen = {option: value for option, value in given.items() if value is not None}
    algorithm = choose("algorithm", str(chosen.get("algorithm", ALGORITHMS[0])), ALGORITHMS)
    legal = {"features": FEATURES[algorithm], "update": UPDATES, "tagger": TAGGERS}
    for option, names in legal.items():
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
        chosen.setdefault("features", FEATURES["graph"][0])
    return Recipe(**chosen)  # type: ignore[arg-type]  # checked above
