# SPDX-License-Identifier: Apache-2.0
"""The documents: links lead somewhere, figures are made and not typed, the first pages are short."""

import re
from pathlib import Path

import pytest

from .variants import over

pytestmark = pytest.mark.shows("documents")

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
MADE = re.compile(r"<!-- (\S+): begin -->\n.*?<!-- \1: end -->|```.*?```", re.S)
FIGURE = re.compile(
    r"(?<![+*^x/] )(?<![\w.,-])\d[\d.,]*\d (?:cycles|LCs?|LUTs?|LUT4s?|kGE|MHz|[GM]b/s|block RAMs?|flip-flops|FFs?)\b"
)
LONG = {"README.md": 8_000, "docs/architecture.md": 12_000}
"""Most bytes of the pages that are read first."""


def name(path):
    return path.relative_to(ROOT).as_posix()


def anchors(text):
    """Names of the headings, as sites and repositories make them."""
    heads = re.findall(r"^#+ (.*)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", head.replace("`", "")).strip().lower().replace(" ", "-") for head in heads}


def links(text):
    """Targets of links and images outside of code."""
    return re.findall(r"\]\(([^()\s]+)\)", re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.S))


@over("page", PAGES)
def test_every_link_leads_somewhere(page):
    for link in links(page.read_text()):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_relative_to(ROOT) and target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link


@over("page", PAGES)
def test_every_row_of_a_table_has_the_cells_of_its_head(page):
    """A pipe in a cell is escaped."""
    tables = re.findall(r"(?:^\|.*\n)+", page.read_text(), re.M)
    cells = [{len(re.findall(r"(?<!\\)\|", row)) for row in rows.splitlines()} for rows in tables]
    assert [rows.splitlines()[0] for rows, found in zip(tables, cells, strict=True) if len(found) > 1] == []


def test_links_are_named_by_their_subject():
    """Not by a file, which a reader of the site does not see; pages of the project's folder are known by theirs."""
    pages = [page for page in PAGES if page.name != "CHANGELOG.md"]
    assert [found for page in pages for found in re.findall(r"\[[\w/-]*[a-z-]+\.md\]", page.read_text())] == []


OWN = [ROOT / "README.md", *(ROOT / "docs").glob("families/*.md")]
OWN += [
    ROOT / "docs" / f"{page}.md" for page in ("architecture", "parts", "choosing", "api", "glossary", "command-line")
]


@over("page", OWN)
def test_no_figure_is_typed(page):
    """Cycles, areas and clocks stand between markers, where a command put them and a test compares them."""
    assert FIGURE.findall(MADE.sub("", page.read_text())) == []


@pytest.mark.parametrize(
    "drawing", [p for p in sorted((ROOT / "docs").glob("*.svg")) if 'class="marks"' not in p.read_text()], ids=name
)
def test_words_of_a_line_do_not_overlap(drawing):
    """Texts that begin at one height, a letter half as wide as it is high."""
    text, lines = drawing.read_text(), {}
    for classes, x, y, words in re.findall(r'<text class="([^"]*)" x="(\d+)" y="(\d+)">([^<]*)<', text):
        if "start" in classes.split():
            lines.setdefault(y, []).append((int(x), int(x) + 0.5 * len(words) * (12 if "small" in classes else 14)))
    assert lines
    for places in map(sorted, lines.values()):
        assert all(end <= begin for (_, end), (begin, _) in zip(places, places[1:], strict=False)), places


CLAIM = re.compile(
    r"\b(?:prov(?:ed|en)|verified)\b[^.:|]*\b(?:every|all|each) (?:\w+ )?(?:presets?|cores?|famil|schemes?)"
)


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "CHANGELOG.md"], ids=name)
def test_no_claim_about_all_cores_is_typed(page):
    """The store says of which presets something is proved, and a command writes it between markers."""
    assert CLAIM.findall(" ".join(MADE.sub("", page.read_text()).split())) == []


def test_a_typed_figure_or_claim_would_be_found():
    assert CLAIM.search("Constant time is proved of every preset's Verilog") and CLAIM.search("proved for all families")
    assert not CLAIM.search("the rule is proved. Every preset has a page")
    found = "24 cycles, 1,024 LC, 12.5 MHz, A + 12 cycles, rows x 10 cycles, AES-128 LUTs"
    assert FIGURE.findall(found) == ["24 cycles", "1,024 LC", "12.5 MHz"]
    assert anchors("# A `b` c, d\n## E/f") == {"a-b-c-d", "ef"} and links("`[a](b)` [c](d#e)") == ["d#e"]


@pytest.mark.parametrize("page", LONG)
def test_the_first_pages_are_short(page):
    assert len((ROOT / page).read_bytes()) <= LONG[page]


def test_the_map_of_rooms_has_every_room():
    _, _, rest = (ROOT / "docs/architecture.md").read_text().partition("## Map of rooms")
    named = set(re.findall(r"`([\w/]+)`", rest.partition("\n## ")[0]))
    package = ROOT / "src/wideblock"
    rooms = {path.stem for path in package.iterdir() if path.suffix in ("", ".py") and not path.name.startswith("_")}
    parts = {f"rtl/{path.stem}" for path in (package / "rtl").iterdir() if path.is_dir() and path.name[0] != "_"}
    assert len(parts) > 10 and (rooms - {"rtl"} | parts) - named == set()


@over("page", [page for page in PAGES if page.parent != ROOT])
def test_every_page_can_be_reached(page):
    """From the README, by links."""
    seen, todo = set(), [ROOT / "README.md"]
    while todo:
        here = todo.pop().resolve()
        if here not in seen and here.suffix == ".md":
            seen.add(here)
            todo += [here.parent / link.partition("#")[0] for link in links(here.read_text()) if "://" not in link]
    assert page.resolve() in seen
