"""The page of an analysis: one file, escaped, small enough, the same every time."""

import base64
import hashlib
import re
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.notes import noted
from tests.report.page_analyses import (
    hostile_analysis,
    large_analysis,
    order_analysis,
    sample_analysis,
    sections,
    unpacked,
)

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.corpus import AnalysedOrders, Corpus
from wordorder.analysis.section import Finding, Group, Section
from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.report.page.page import report_page, write_page
from wordorder.report.page.sentence_list import LISTED_SENTENCES
from wordorder.report.page.template_data import templates
from wordorder.treebank.treebank import Treebank

VOID = {"meta", "br", "input", "wbr", "link", "img"}
# SVG elements that are written without an end tag close themselves with a slash.
EVENTS = re.compile("on[a-z]+")


class Reader(HTMLParser):
    """Collects tags and text, and checks that what is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len(dict(attrs)) == len(attrs), f"an attribute of {tag} is listed twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] or "" for _, attrs in self.tags if attribute in attrs]


def bare(words: list[list[str]], found: tuple[Section, ...] = ()) -> Analysis[AnalysedOrders]:
    """Return an analysis without any system."""
    reference = Orders.from_rows([range(len(row)) for row in words])
    return order_analysis(Corpus(Treebank.from_words(words), reference), (), found)


@pytest.fixture(scope="module")
def sample() -> str:
    return report_page(sample_analysis())


def test_nothing_is_loaded_and_nothing_runs_but_the_script(sample: str) -> None:
    page = Reader(sample)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == tags.count("style") == 1
    assert not {"link", "img", "iframe", "object", "embed", "form", "base", "use"} & set(tags)
    for tag, attrs in page.tags:
        assert not {"src", "style", "srcset", "action", "xlink:href"} & set(attrs), tag
        assert [name for name in attrs if EVENTS.fullmatch(name)] == []


def test_the_policy_allows_the_two_blocks_alone(sample: str) -> None:
    policy = re.search('Content-Security-Policy" content="([^"]*)"', sample)
    assert policy is not None
    rules = dict(rule.split(" ", 1) for rule in policy[1].replace("&#39;", "'").split("; "))
    for tag in ("style", "script"):
        blocks = re.findall(f"<{tag}>(.*?)</{tag}>", sample, re.DOTALL)
        digest = hashlib.sha256(blocks[0].encode()).digest()
        assert rules[f"{tag}-src"] == f"'sha256-{base64.b64encode(digest).decode()}'"
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy[1]
    # What comes before the policy is not bound by it.
    assert sample.index("Content-Security-Policy") < sample.index("<style>")


def test_the_page_is_well_formed_and_the_same_every_time(sample: str) -> None:
    assert report_page(sample_analysis()) == sample
    Reader(sample)
    page = Reader(unpacked(sample))
    ids = page.values("id")
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    links = page.values("href")
    assert links
    assert {link for link in links if not link.startswith("#")} == set()
    assert {link[1:] for link in links} <= set(ids)
    assert {name for value in page.values("aria-labelledby") for name in value.split()} <= set(ids)
    assert sample.startswith("<!DOCTYPE html>")
    assert sample.endswith("</html>\n")


def test_the_sentence_view_of_talbot_2011() -> None:
    words = "Learn about The 10 Biggest Mistakes Dog Trainers Make .".split()
    text = "Learn about The 10 Biggest Mistakes Dog Trainers Make."
    analysis = sample_analysis()
    made = Treebank.from_words([words])
    margin = replace(made.margins[0], comments=(f"# text = {text}",))
    bank = Treebank(made.offsets, made.heads, made.columns, [margin])
    first = "The 10 | about Learn | Biggest Mistakes | Dog Trainers Make | ."
    second = "Dog Trainers Make The 10 Biggest Mistakes about Learn ."
    reference = Orders.from_rows([[6, 7, 8, 2, 3, 4, 5, 1, 0, 9]])
    results = [[2, 3, 1, 0, 4, 5, 6, 7, 8, 9], [6, 7, 8, 2, 3, 4, 5, 1, 0, 9]]
    systems = tuple(
        replace(
            analysis.analysed.systems[0],
            name=name,
            orders=Orders.from_rows([row]),
            scores=np.array([score]),
            skipped=np.zeros(1, np.bool_),
            treebank=None,
        )
        for name, row, score in zip(("P1R5", "P5R5"), results, (0.5, 1.0), strict=True)
    )
    page = report_page(order_analysis(Corpus(bank, reference), systems))
    cells = [
        [
            re.sub("<[^>]*>", "", cell.replace("<i></i>", "|")).strip()
            for cell in re.findall("<t[hd].*?</t[hd]>", row)
        ]
        for row in re.findall("<tr>.*?</tr>", page[page.index('class="view"') :])
    ]
    assert cells == [
        ["", "FRS", ""],
        ["Text", "", text],
        ["Source order", "", " ".join(words)],
        ["System order P1R5", "0.500", first],
        ["System order P5R5", "1.000", second],
        ["Reference order", "", second],
    ]


def test_ties_unaligned_words_and_quoted_words_from_right_to_left() -> None:
    words = Treebank.from_words([["a", "b", "c", "d"]])
    page = report_page(order_analysis(Corpus(words, Orders.from_rows([[3, [0, 1]]])), ()))
    assert "d <i>{{</i> a b <i>}}</i>" in page
    assert "Not in the reference" in page
    assert "without 1 unaligned word, with ties" in page
    isolated = templates().filters["isolated"]
    said = "A loses '0.75' on 'ילד', 2 <b> on 'b'"
    shown = "A loses &#39;0.75&#39; on <bdi>&#39;ילד&#39;</bdi>, 2 &lt;b&gt; on &#39;b&#39;"
    assert isolated(said) == shown


def test_the_grid_and_its_tests(sample: str) -> None:
    analysis = sample_analysis()
    grid = analysis.grid
    assert grid is not None
    for system, estimate in zip(analysis.analysed.systems, grid.estimates[0], strict=True):
        cell = f"<bdi>{system.name}</bdi> <b>{estimate.value:.4f}</b>"
        assert sample.count(cell) == 1
        assert f"[{estimate.low:.4f}, {estimate.high:.4f}]" in sample
    assert "P2R5 has the best FRS" in sample
    assert sample.count('class="triangle"') == 2 + 3
    assert sample.count('<span class="tag">best</span>') == 1
    assert "<bdi>P1R1, P2R1</bdi>" in sample
    assert '<td class="examples"><a href="#s1">1</a>, <a href="#s6">6</a></td>' in sample
    assert '<th scope="col" class="n" data-kind="number">times</th>' in sample
    assert '<th scope="row"><bdi>words 0</bdi></th>' in sample


def test_systems_without_a_grid_are_in_the_overview() -> None:
    rows = (("A", 0.5),)
    systems = Section("systems", "Systems", "Read.", ("system", "frs"), rows, group=Group.SCORES)
    page = report_page(replace(sample_analysis(), grid=None, sections=(systems,)), pictures=0)
    assert page.index("Read.") < page.index('id="sentences"')
    assert page.index('id="scores"') < page.index('id="section-systems"')
    assert 'id="findings"' not in page
    assert 'id="tables"' not in page
    assert "triangle" not in re.sub("<style>.*?</style>", "", page, flags=re.DOTALL)
    Reader(page)


def captions(page: str) -> list[tuple[str, str, str]]:
    """Return the findings that are drawn, what is said of each, and the sentences."""
    return re.findall(
        r'<figcaption><a href="#finding-(\d)">Finding \1</a>: <span [^>]*>([^<]*)</span> '
        r'<span class="where">Sentence <a href="#s(\d+)">',
        page,
    )


def test_the_first_screen_answers(sample: str) -> None:
    """The answer, three sentences, the findings: those that explain most first; the intervals."""
    parts = [
        "P2R5 orders words best.",
        'id="first"',
        "The words explain most.",
        "The words explain something.",
        'id="scores"',
        'class="scroll wide"',
        'id="tables"',
        'id="sentences"',
    ]
    # What a picture shows is said above it, too.
    assert [sample.count(part) for part in parts] == [1, 1, 2, 2, 1, 1, 1, 1]
    assert sorted(parts, key=sample.index) == parts
    # Of each finding an example; and then another sentence.
    assert sample.count('<svg class="columns"') == 3
    assert captions(sample) == [
        ("1", "The words explain most.", "1"),
        ("2", "The words explain something.", "25"),
    ]
    found = re.search(r"explain most\.[^/]*/span> <span class=.where.><a.*?</li>", sample)
    assert found is not None
    assert re.findall('href="([^"]*)"', found[0]) == ["#section-words-by-form", "#s1", "#s6"]
    # Everything else is folded.
    assert " open>" not in sample
    # What produced a number is said at the foot of its table.
    assert sample.index("frs|words|v:1") > sample.index("A note on words.")


def test_a_finding_says_which_sentence_shows_it() -> None:
    """The sentences that findings name are drawn, with their systems, then other examples."""
    analysis = sample_analysis()
    (first, *others) = analysis.sections
    told = (
        Finding("One.", 3.0, (0,)),
        Finding("Two.", 2.0, (5,), shown=40, systems=("P1R1", "P2R2")),
    )
    page = report_page(replace(analysis, sections=(replace(first, findings=told), *others)))
    assert captions(page) == [("2", "Two.", "41")]
    assert "Finding 2, another sentence</a>" in page
    names = re.findall('class="name"[^>]*>([^<]*)<', page[: page.index('id="findings"')])
    assert names == ["P1R1", "reference", "P2R2"] * 2


def test_long_tables_are_cut_and_pictures_are_those_asked_for_first() -> None:
    page = report_page(sample_analysis(), rows=5)
    assert "15 more rows are not shown." in page
    assert "words 4" in page
    assert "words 5" not in page
    analysis = large_analysis(50, 2, 1)
    page = report_page(analysis, pictures=0, sentences=[7, 3])
    assert page.count('<span class="tag">pictures</span>') == 2
    assert "2 sentences with pictures" in page
    assert '<p><a href="#s4">4</a>, <a href="#s8">8</a></p>' in page
    assert report_page(analysis, pictures=3).count('<span class="tag">pictures</span>') == 3


def test_markup_in_any_field_is_text() -> None:
    text = "<i class='x'>\"&amp;"
    page = report_page(hostile_analysis(text), title=text)
    assert "<i " not in page
    assert "&lt;i class=" in page
    # As many elements as with a harmless word of the same length.
    harmless = report_page(hostile_analysis("x" * len(text)), title=text)
    assert [tag for tag, _ in Reader(page).tags] == [tag for tag, _ in Reader(harmless).tags]


@pytest.mark.parametrize("character", ["\u202e", "\x00", "\ud800", "\x1b", "\u2066"])
def test_characters_that_are_not_text_are_replaced(character: str, tmp_path: Path) -> None:
    analysis = bare([[f"a{character}b"]], sections(1, f"c{character}d"))
    write_page(analysis, tmp_path / "page.html", title=f"e{character}f")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert character not in page
    assert {"a\ufffdb", "e\ufffdf"} <= set(re.findall("[ae]\ufffd[bf]", page))


@pytest.mark.parametrize(("parsers", "rules"), [(2, 3), pytest.param(5, 6, marks=pytest.mark.slow)])
def test_a_thousand_sentences_are_at_most_five_megabytes(parsers: int, rules: int) -> None:
    analysis = large_analysis(1000, parsers, rules)
    page = report_page(analysis)
    assert len(page.encode()) <= 5_000_000
    assert page.count('<details class="sentence"') == LISTED_SENTENCES
    page = unpacked(page)
    assert page.count('<details class="sentence"') == 1000
    assert {f"s{n}" for n in range(1, 1001)} <= set(re.findall(r' id="(s\d+)"', page))
    said = re.search(r"(\d+) sentences with pictures", page)
    assert said is not None
    assert int(said[1]) == page.count('<span class="tag">pictures</span>') >= 10


def test_a_small_limit_leaves_out_sentences_and_says_so() -> None:
    analysis = large_analysis(300, 2, 1)
    whole = report_page(analysis, pictures=0)
    page = report_page(analysis, pictures=0, limit=len(whole) - 5000)
    assert len(page.encode()) <= len(whole) - 5000
    said = re.search(r"(\d+) sentences of the 300 are left out", page)
    assert said is not None
    assert (
        unpacked(page).count('<details class="sentence"') == 300 - int(said[1]) > LISTED_SENTENCES
    )
    assert "left out" not in whole
    with noted("more than 1000"):
        page = report_page(large_analysis(5, 1, 2), limit=1000)
    assert page.count('<details class="sentence"') == 5


def test_the_sentences_on_which_systems_differ_most_are_listed() -> None:
    analysis = large_analysis(200, 2, 1)
    scores = np.array([each.scores for each in analysis.analysed.systems])
    spread = scores.max(axis=0) - scores.min(axis=0)
    page = report_page(analysis, sentences=[7])
    numbers = [int(n) - 1 for n in re.findall(r"<summary><b>(\d+)</b>", page)]
    assert numbers[0] == 7
    assert len(numbers) == LISTED_SENTENCES
    by_hand = sorted(set(range(200)) - {7}, key=lambda i: (-spread[i], i))
    assert numbers[1:] == by_hand[: LISTED_SENTENCES - 1]
    everything = [int(n) for n in re.findall(r"<summary><b>(\d+)</b>", unpacked(page))]
    assert sorted(everything) == list(range(1, 201))
    assert everything[LISTED_SENTENCES:] == sorted(everything[LISTED_SENTENCES:])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pictures": -1}, "pictures"),
        ({"rows": -1}, "rows"),
        ({"limit": -1}, "limit"),
        ({"sentences": [2]}, "sentence 3 is asked for, but there are 2"),
        ({"sentences": [-1]}, "sentence 0"),
    ],
)
def test_wrong_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        report_page(bare([["a"], ["b"]]), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("words", [[], [[]], [["a"]], [["a"], []]])
def test_few_sentences_and_no_systems(words: list[list[str]]) -> None:
    page = report_page(bare(words))
    Reader(page)
    assert page.count('<details class="sentence"') == len(words)


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(bare([["語順"]]), path)
    assert path.read_bytes().decode() == report_page(bare([["語順"]]))
    with pytest.raises(UsageError):
        write_page(bare([["a"]]), tmp_path / "new.html", pictures=-1)
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_a_system_that_skips_a_sentence_has_no_score_there() -> None:
    analysis = sample_analysis()
    systems = tuple(
        replace(system, skipped=np.arange(len(system.scores)) == 0)
        for system in analysis.analysed.systems
    )
    page = report_page(order_analysis(analysis.analysed.corpus, systems, analysis.sections))
    assert "up to 1 sentence of a system" in page
    block = '<details class="sentence" data-keys="3 – – – – – – – – –">\n<summary><b>1</b>'
    assert unpacked(page).count(block) == 1
