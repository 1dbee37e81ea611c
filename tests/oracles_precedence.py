"""A slow and obvious twin of precedence rules: from what the file says to the order of a tree."""

import json
import random
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from tests.oracles_trees import projectivized
from wordorder.reordering import PrecedenceRules
from wordorder.treebank import Treebank

Said = dict[str, Any]
LABELS = ["nsubj", "nsubj:pass", "obj", "obl", "obl:tmod", "punct", "cc", "conj", "aux", "case"]
TAGS = ["NOUN", "VERB", "ADJ", "PUNCT"]
FORMS = ["a", "Not", "never", "N't"]
FEATS = ["_", "Mood=Imp", "Mood=Imp|VerbForm=Fin", "Polarity=Neg|VerbForm=Fin"]
CLASSES = ["neg", "big", "odd"]


class Sentence:
    """The words of a tree, counted from 1, with projective heads."""

    def __init__(self, rows: list[dict[str, str]], heads: list[int]) -> None:
        self.rows = rows
        self.heads = projectivized(heads)

    def children(self, word: int) -> list[int]:
        return [w for w in range(1, len(self.rows) + 1) if self.heads[w - 1] == word]

    def at(self, word: int, place: str) -> bool:
        head = self.heads[word - 1]
        if place == "left":
            return head > word
        if place == "right":
            return 0 < head < word
        if place == "root":
            return head == 0
        if place == "first":
            return word == 1
        return all(row["label"] == "punct" for row in self.rows[word:])


def text_fits(column: str, pattern: str, text: str) -> bool:
    if column == "feats":
        return all(part in text.split("|") for part in pattern.split("|"))
    if column == "form":
        return fnmatchcase(text.lower(), pattern.lower())
    if column == "label":
        if pattern.endswith(":"):
            return text == pattern[:-1]
        base = text.split(":")[0]
        return fnmatchcase(text, pattern) or (":" not in pattern and fnmatchcase(base, pattern))
    return fnmatchcase(text, pattern)


def parts(said: Said, classes: Said, sentence: Sentence, word: int) -> list[bool]:
    """Whether each thing that is said of a word is so, `not` aside."""
    found = []
    for key, value in said.items():
        options = value if isinstance(value, list) else [value]
        if key == "parent":
            head = sentence.heads[word - 1]
            found.append(all(parts(value, classes, sentence, head)) if head else not value)
        elif key == "child":
            found.append(
                any(meets(value, classes, sentence, child) for child in sentence.children(word))
            )
        elif key == "position":
            found.append(any(sentence.at(word, place) for place in options))
        elif key != "not":
            text = sentence.rows[word - 1][key]
            found.append(any(text_fits(key, pattern, text) for pattern in options))
    return found


def meets(said: Any, classes: Said, sentence: Sentence, word: int) -> bool:
    if isinstance(said, str):
        if said in classes:
            return meets(classes[said], {}, sentence, word)
        return text_fits("label", said, sentence.rows[word - 1]["label"])
    if isinstance(said, list):
        return any(meets(each, classes, sentence, word) for each in said)
    banned = dict(said.get("not", {}))
    above = banned.pop("parent", {})
    head = sentence.heads[word - 1]
    if above and head and any(parts(above, classes, sentence, head)):
        return False
    return all(parts(said, classes, sentence, word)) and not any(
        parts(banned, classes, sentence, word)
    )


def ranked(rule: Said) -> list[tuple[Any, float, bool]]:
    """Each class with its rank and whether equals are turned round."""
    found: list[tuple[Any, float, bool]] = []
    if "order" in rule:
        for rank, item in enumerate(rule["order"]):
            turned = isinstance(item, dict) and item.get("order") == "reverse"
            equals = item["equal"] if isinstance(item, dict) and "equal" in item else item
            listed = equals if isinstance(equals, list) else [equals]
            found += [(each, rank, turned) for each in listed]
        return found
    for name, entry in rule["weights"].items():
        weight, direction = entry if isinstance(entry, list) else (entry, "normal")
        found.append((name, -weight, direction == "reverse"))
    at_zero = any(turned for _, rank, turned in found if rank == 0)
    for name in ("self", "*"):
        if all(each != name for each, _, _ in found):
            found.append((name, 0, at_zero))
    return found


def place(rule: Said, classes: Said, sentence: Sentence, word: int) -> tuple[float, bool]:
    """The rank of a child: classes first, then the nearest of the labels, then all others."""
    entries = ranked(rule)
    for said, rank, turned in entries:
        if (isinstance(said, dict) or said in classes) and meets(said, classes, sentence, word):
            return rank, turned
    label = sentence.rows[word - 1]["label"]
    plain = {
        said: (rank, turned)
        for said, rank, turned in entries
        if isinstance(said, str) and said not in classes and said not in ("self", "*")
    }
    for name in (f"{label}:", label, label.split(":")[0]):
        if name in plain:
            return plain[name]
    for name, found in plain.items():
        if text_fits("label", name, label):
            return found
    return next((rank, turned) for said, rank, turned in entries if said == "*")


def precedence_order(file: Said, rows: list[dict[str, str]], heads: list[int]) -> list[int]:
    """The order of a sentence, counted from 0."""
    sentence = Sentence(rows, heads)
    classes = file.get("classes", {})

    def arranged(word: int) -> list[int]:
        family = sorted([*sentence.children(word), word])
        for rule in file.get("rule", []):
            if "head" in rule and not meets(rule["head"], classes, sentence, word):
                continue
            barriers = rule.get("barriers", file.get("barriers", []))
            pieces: list[list[int]] = [[]]
            fixed: list[int] = []
            for member in family:
                if member != word and any(
                    meets(each, classes, sentence, member) for each in barriers
                ):
                    fixed.append(member)
                    pieces.append([])
                else:
                    pieces[-1].append(member)
            found: list[int] = []
            for number, piece in enumerate(pieces):
                keyed = []
                for member in piece:
                    if member == word:
                        rank, turned = next((r, t) for s, r, t in ranked(rule) if s == "self")
                    else:
                        rank, turned = place(rule, classes, sentence, member)
                    keyed.append((rank, -member if turned else member, member))
                found += [member for _, _, member in sorted(keyed)]
                found += fixed[number : number + 1]
            return found
        return family

    def written(word: int) -> list[int]:
        return [
            w
            for member in arranged(word)
            for w in ([member] if member == word else written(member))
        ]

    return [w - 1 for root in sentence.children(0) for w in written(root)]


def random_rows(rng: random.Random, words: int) -> list[dict[str, str]]:
    return [
        {
            "form": rng.choice(FORMS),
            "upos": rng.choice(TAGS),
            "feats": rng.choice(FEATS),
            "label": rng.choice(LABELS),
        }
        for _ in range(words)
    ]


def random_condition(rng: random.Random, depth: int = 0) -> Said:
    simple: list[Said] = [
        {"upos": rng.choice(["NOUN", ["VERB", "ADJ"], "*"])},
        {"label": rng.choice(["nsubj", "nsubj:", "ob*", ["aux", "case"], "obl:tmod"])},
        {"feats": rng.choice(["Mood=Imp", "Mood=Imp|VerbForm=Fin", ["Polarity=Neg", "_"]])},
        {"form": rng.choice(["n?t", ["NOT", "never"]])},
        {"position": rng.choice(["left", "right", "root", "first", "final", ["left", "final"]])},
    ]
    found: Said = {}
    for part in rng.sample(simple, rng.randrange(1, 3)):
        found |= part
    if depth == 0:
        if rng.random() < 0.3:
            found["parent"] = random_condition(rng, 2)
        if rng.random() < 0.3:
            found["child"] = rng.choice(["punct", "conj", random_condition(rng, 1)])
        if rng.random() < 0.4:
            found["not"] = random_condition(rng, 2)
            if rng.random() < 0.3:
                found["not"] |= {"child": "case", "parent": {"upos": "VERB"}}
    elif depth == 1 and rng.random() < 0.2:
        found["not"] = {"upos": "ADJ"}
    return found


def random_rules(rng: random.Random) -> Said:
    """What a file may say."""
    file: Said = {
        "classes": {
            name: rng.choice([random_condition(rng), [random_condition(rng), {"upos": "ADJ"}]])
            for name in CLASSES
        }
    }
    if rng.random() < 0.5:
        file["barriers"] = rng.sample(["punct", "conj", "odd", "cc"], rng.randrange(1, 3))
    names = [*CLASSES, *LABELS, "nsubj:", "o*"]
    for number in range(rng.randrange(4)):
        rule: Said = {"name": f"r{number}"}
        if rng.random() < 0.8:
            rule["head"] = rng.choice([random_condition(rng), [random_condition(rng), "root"]])
        chosen: list[Any] = [*rng.sample(names, rng.randrange(len(names))), "self", "*"]
        rng.shuffle(chosen)
        if rng.random() < 0.6:
            order: list[Any] = []
            while chosen:
                taken = [chosen.pop() for _ in range(min(len(chosen), rng.randrange(1, 4)))]
                kind = rng.randrange(3)
                if kind == 0:
                    order += taken
                elif kind == 1:
                    order.append(taken)
                else:
                    order.append({"equal": taken, "order": rng.choice(["normal", "reverse"])})
            if rng.random() < 0.3:
                order.insert(0, random_condition(rng))
            rule["order"] = order
        else:
            reverse = {weight: rng.random() < 0.5 for weight in (-2, -1, 0, 1.5)}
            rule["weights"] = {}
            for name in chosen[: rng.randrange(1, len(chosen) + 1)]:
                weight = rng.choice(list(reverse))
                rule["weights"][name] = [weight, "reverse"] if reverse[weight] else weight
        if rng.random() < 0.3:
            rule["barriers"] = rng.sample(["punct", "big", "obl"], rng.randrange(3))
        file.setdefault("rule", []).append(rule)
    return file


def as_toml(file: Said) -> str:
    """Write what a file says."""

    def value(said: Any) -> str:
        if isinstance(said, dict):
            return "{ " + ", ".join(f'"{key}" = {value(v)}' for key, v in said.items()) + " }"
        if isinstance(said, list):
            return "[" + ", ".join(map(value, said)) + "]"
        return json.dumps(said)

    lines = [f"{key} = {value(said)}" for key, said in file.items() if key != "rule"]
    for rule in file.get("rule", []):
        lines.append("[[rule]]")
        lines += [f"{key} = {value(said)}" for key, said in rule.items()]
    return "\n".join(lines) + "\n"


def bank_of(rows: list[list[dict[str, str]]], heads: list[list[int]]) -> Treebank:
    """A treebank of the rows of `random_rows`."""
    columns = {
        name: [[w[name] for w in row] for row in rows] for name in ("upos", "feats", "label")
    }
    return Treebank.from_words([[w["form"] for w in row] for row in rows], heads=heads, **columns)


def rules_of(folder: Path, said: str | Said, name: str = "a.toml") -> PrecedenceRules:
    """Rules from what their file says."""
    path = folder / name
    path.write_text(said if isinstance(said, str) else as_toml(said))
    return PrecedenceRules.read(path)
