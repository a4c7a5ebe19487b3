# SPDX-License-Identifier: Apache-2.0
"""The page: every table and plot is there, nothing is fetched, sorting and filters work in a browser."""

import base64
import gzip
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from typer.testing import CliRunner

from wideblock.cli.app import app
from wideblock.errors import UserError
from wideblock.evaluate import report
from wideblock.evaluate.plots import PlotMark, front, scatter, strips
from wideblock.evaluate.report import entries, page
from wideblock.evaluate.store import COMMITTED, add, load
from wideblock.synth.targets import targets

pytestmark = pytest.mark.shows("evaluation")

needs_drawing = pytest.mark.wants("vl-convert-python")
MARKS = [
    PlotMark("a", "g", 1, 1),
    PlotMark("b", "h", 2, 3),
    PlotMark("c", "h", 2, 2),
    PlotMark("d", "g", 3, 3),
    PlotMark("e", "g", 4, 9),
]


class Tables(HTMLParser):
    """Cells of every table, and what the page would fetch."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.named, self.fetched, self._cell, self._label = [], {}, [], False, ""
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        known = dict(attributes)
        if known.get("role") == "region":
            self._label = known["aria-label"]
        if tag == "table":
            self.tables.append([])
            self.named[self._label] = self.tables[-1]
        elif tag == "small":
            self.tables[-1][-1][-1] += "; "
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._cell = True
        self.fetched += [known[name] for name in ("src", "href", "xlink:href", "srcset", "action") if name in known]

    def handle_endtag(self, tag):
        self._cell = self._cell and tag not in ("td", "th")

    def handle_data(self, data):
        if self._cell:
            self.tables[-1][-1][-1] += data.strip()


@pytest.fixture
def points(measurement):
    return [
        measurement("fast-brw-2", lcs=3000, commit="old"),
        measurement("fast-brw-2", lcs=2000, commit="new"),
        measurement("xcb-2", lcs=9000),
        measurement("aes128-pec", lcs=7000, bytes=16, interval=1),
        *(measurement("fast-brw-2", "ecp5", seed=seed, mhz=mhz) for seed, mhz in ((1, 150), (2, 90), (3, 120))),
        measurement("xts-enc", "ecp5", failed="nextpnr-ecp5 failed: <no> place"),
        measurement("xts-enc", "nangate45", mhz=1000),
        measurement("fast-brw-2", "nangate45", mhz=900),
    ]


@pytest.fixture
def drawn(monkeypatch):
    """Plots in the place of those that a library draws: what each was asked to show."""
    asked = []

    def draw(marks, **options):
        asked.append(([(mark.name, mark.x, round(mark.y, 3)) for mark in marks], options["y"]))
        return "<svg></svg>"

    monkeypatch.setattr(report, "scatter", draw)
    monkeypatch.setattr(report, "strips", lambda values, x: asked.append((values, x)) or "<svg></svg>")
    return asked


def test_every_point_is_in_a_table(points, drawn):
    html = page(points)
    named = Tables(html).named
    head, *rows = named["Table of cores"]
    cells = {(row[0].split(";")[0], row[4]): dict(zip(head, row, strict=True)) for row in rows}
    assert len(rows) == 5
    ecp5 = cells["fast-brw-2", "ECP5"]
    assert (ecp5["core"], ecp5["clock, MHz"]) == ("fast-brw-2; aim 200 MHz", "120.0; routed, 3 seeds 90 to 150")
    assert cells["fast-brw-2", "7 series"]["area"] == "2,000 LC" and cells["fast-brw-2", "7 series"]["LUTs"] == "23,456"
    assert cells["xts-enc", "Nangate45"]["clock, MHz"] == "1,000.0; pre-layout"
    assert cells["xcb-2", "7 series"]["status"] == "broken"
    assert [row[0] for row in named["Parts"][1:]] == ["aes128-pec"]
    assert "<no>" not in html and "&lt;no&gt; place" in html
    assert [row[3:] for row in Tables(html).tables[-1][1:]] == [["3,000", "-", "old"], ["2,000", "-", "new"]]


def test_papers_rows_stand_before_ours(points, drawn):
    rows = [row for table in Tables(page(points)).tables for row in table]
    at = next(k for k, row in enumerate(rows) if row[0] == "FAST[AES, BRW]-2")
    assert rows[at][2:9] == ["7,175 slices", "-", "0", "289.6", "319", "308", "29.74"]
    assert [row[:2] for row in rows[at + 1 : at + 4]] == [
        ["fast-brw-2", "LFE5UM5G-85F, CABGA756, speed 8"],
        ["fast-brw-2", "Nangate45, tt 1.1 V 25 C, pre-layout"],
        ["fast-brw-2", "7 series"],
    ]


def test_plots_have_the_cores_of_one_target(points, drawn):
    page(points)
    *plots, seeds = drawn
    plots.sort(key=lambda plot: (plot[1], plot[0][-1][0]))
    assert [(sorted(name for name, _, _ in marks), y) for marks, y in plots] == [
        (["fast-brw-2", "xts-enc"], "Gb/s"),
        (["fast-brw-2", "xcb-2"], "bits a cycle"),
        (["fast-brw-2", "xts-enc"], "latency, ns"),
    ]
    assert seeds == ({"fast-brw-2, ecp5 at 200": (90, 120, 150)}, "clock, MHz")


def test_cycles_are_the_contracts(points, drawn):
    head, *rows = Tables(page(points)).named["Cycles against sector size"]
    assert head == ["core", "512 bytes", "1,024 bytes", "2,048 bytes", "4,096 bytes", "8,192 bytes"]
    cycles = {row[0]: [int(cell) for cell in row[1:]] for row in rows}
    assert cycles.keys() == {"fast-brw-2", "xcb-2", "xts-enc"}
    assert cycles["xts-enc"] == [33, 65, 129, 257, 513]


def test_a_device_has_the_best_of_each_scheme_and_the_price_of_throughput(points, drawn, measurement):
    wide = measurement("fast-brw-2", lcs=3000, interval=200), measurement("fast-brw-4s", lcs=6000, interval=66)
    html = page([*points, *wide])
    assert re.findall(r'<option value="(\w+)">', html)[0] == "ecp5"  # it has a routed clock
    named = Tables(html).named
    head, *rows = named["Throughput and its price, 7 series"]
    prices = {row[1]: dict(zip(head, row, strict=True)) for row in rows}
    fast = prices["fast-brw-4s"]
    assert [fast[name] for name in ("ports, bits", "bits a cycle", "times the area")] == ["512", "496.5", "2.00"]
    assert [row[1] for row in named["Best of each scheme, 7 series"][1:]] == ["fast-brw-4s", "xcb-2"]


def test_sizes_of_sectors_stay_apart(measurement):
    """No plot and no ratio sets a core for 512 bytes beside one for 4,096; tables say the bytes."""
    short = [measurement(name, "ecp5", lcs=1000, bytes=512, interval=40) for name in ("hmch-poly", "hmch-brw-3s")]
    found = entries([*short, *(measurement(name, "ecp5") for name in ("hctr2-1s", "hctr2-4s", "xts-enc"))])
    ecp5 = targets["ecp5"]
    assert report.sizes(found, ecp5) == [4096, 512]
    for plot in (report.throughput, report.latency):
        apart = [plot(found, ecp5, size) for size in (4096, 512)]
        assert [(p.title.split(":")[0], p.caption[:7]) for p in apart if p] == [
            ("ECP5, 4,096 bytes", "3 cores"),
            ("ECP5, 512 bytes", "2 cores"),
        ]
    mixed = entries([short[0], measurement("hmch-poly", "ecp5", changed={"sector_bytes": 4096})])
    assert [(rate, area) for _, rate, area in report.priced(mixed)] == [(1, 1), (1, 1)]


def test_raw_points_come_with_the_page(points, drawn):
    packed = re.search(r"data:application/gzip;base64,([^\"]*)", page(points))
    assert packed is not None
    lines = gzip.decompress(base64.b64decode(packed[1])).decode().splitlines()
    assert lines == [point.evidence.json() for point in points if point.identity.commit != "old"]


def test_the_history_is_short_and_no_removed_core_is_a_part(points, drawn, measurement):
    often = [measurement("fast-brw-2", lcs=1000 + number, commit=f"c{number}") for number in range(9)]
    html = page([*points, *often, measurement("old-core", lcs=4321)])
    shown = html[html.index('id="history"') :]
    assert [f"c{number}</td>" in shown for number in range(9)] == [False] * 6 + [True] * 3
    assert "old-core" not in html


def test_family_and_status_are_the_catalogues(points):
    found = {entry.point.name: (entry.family, entry.status) for entry in entries(points)}
    assert found["xcb-2"] == ("hash counter hash", "broken")
    assert found["xts-enc"] == ("single pass", "recommended")
    assert found["aes128-pec"] == ("part", "part")


def test_no_page_of_nothing():
    with pytest.raises(UserError, match="no measured points to report; wideblock sweep"):
        page([])


def test_a_result_never_replaces_its_store(tmp_path, measurement):
    store = tmp_path / "points.jsonl"
    add(store, measurement("xts-enc"))
    before = store.read_bytes()
    for form in ((), ("--csv",)):
        done = CliRunner().invoke(app, ["report", *form, "--store", str(store), "-o", str(tmp_path / "." / store.name)])
        assert done.exit_code == 1 and "is the store itself" in done.output
    assert store.read_bytes() == before


def test_the_pareto_set():
    assert [m.name for m in front(MARKS, lambda m: m.x, lambda m: m.y)] == ["a", "b", "e"]
    assert [m.name for m in front(MARKS, lambda m: m.x, lambda m: m.y, largest=False)] == ["a"]


def test_a_library_that_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(UserError, match="pip install vl-convert-python"):
        scatter(MARKS, x="area", y="Gb/s")


@needs_drawing
def test_marks_of_a_plot_have_their_words():
    svg = scatter(MARKS, x="area, LC", y="Gb/s")
    assert all(f'aria-label="{m.name}: {m.x:g}, {m.y:g} ({m.group})"' in svg for m in MARKS)
    assert scatter(MARKS, x="area, LC", y="Gb/s") == svg


@needs_drawing
def test_names_of_a_plot_do_not_cover_each_other():
    marks = [
        PlotMark(name, "g", x, y) for name, x, y in (("first", 100, 10), ("second", 104, 10.1), ("third", 900, 11))
    ]
    svg = scatter(marks, x="area, LC", y="Gb/s")
    assert [name for name in ("first", "second", "third") if f">{name}</text>" in svg] == ["first", "third"]


@needs_drawing
def test_seeds_have_a_line_each_core():
    svg = strips({"core a": (90, 120, 150), "core b": (100, 101, 130)}, x="clock, MHz")
    assert all(f'aria-label="{text}"' in svg for text in ("core a: 90", "core a: median 120", "core b: median 101"))


@needs_drawing
def test_the_page_of_the_package_fetches_nothing():
    html = page(load(COMMITTED))
    assert len(html.encode()) < 2_500_000 and html.count("<svg") >= 2
    assert all(where.startswith(("#", "data:")) for where in Tables(html).fetched)
    assert not re.search(r"@import|url\((?!#)|fetch\(|XMLHttpRequest|import\(", html)
    assert "default-src 'none'" in html


SCRIPT = """<script>
const heads = [...document.querySelectorAll("#table thead th")];
const column = title => heads.findIndex(th => th.textContent.trim() === title);
const shown = title => [...document.querySelectorAll("#table tbody tr")].filter(r => !r.hidden)
  .map(r => r.cells[column(title)].textContent.trim()).join(" ");
const say = (id, text) => { const p = document.createElement("p"); p.id = id; p.textContent = text;
  document.body.append(p) };
heads[column("area")].querySelector("button").click();
say("rising", shown("area"));
heads[column("area")].querySelector("button").click();
say("falling", shown("area"));
heads[column("clock, MHz")].querySelector("button").click();
say("missing-last", shown("clock, MHz"));
device.value = "xc7";
device.dispatchEvent(new Event("input"));
const sections = [...document.querySelectorAll("section[data-target]")];
say("sections", sections.filter(s => !s.hidden).map(s => s.dataset.target).join(" "));
width.value = "512";
width.dispatchEvent(new Event("input"));
say("wide", [...document.querySelectorAll("section:not([hidden]) tr[data-width]")].filter(r => !r.hidden).length);
say("cut", document.documentElement.scrollWidth > innerWidth ? "cut" : "whole");
filters.elements.status.value = "broken";
filters.dispatchEvent(new Event("input"));
say("broken", shown("core") + "; " + document.getElementById("count").textContent);
const best = document.querySelector('[aria-label="Best of each scheme, 7 series"] table');
best.tHead.querySelectorAll("button")[6].click();
say("areas", [...best.tBodies[0].rows].map(r => r.cells[6].textContent).join(" "));
say("label", best.tBodies[0].rows[0].cells[6].dataset.l);
say("requests", performance.getEntriesByType("resource").length);
</script></body>"""


@pytest.mark.wants("chromium")
def test_sorting_and_filters_in_a_browser(points, drawn, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page(points).replace("</body>", SCRIPT))
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
    command = [*browser, "--virtual-time-budget=2000", "--dump-dom", file.as_uri()]
    dom = subprocess.run(command, capture_output=True, text=True, timeout=120).stdout
    said = dict(re.findall(r'<p id="([\w-]+)">([^<]*)</p>', dom))
    assert said["rising"] == "70.2 kGE 70.2 kGE 2,000 LC 9,000 LC 23,456 LUT4"
    assert said["falling"] == "23,456 LUT4 9,000 LC 2,000 LC 70.2 kGE 70.2 kGE"
    assert re.findall(r"[\d,]+\.0|-(?= |$)", said["missing-last"]) == ["120.0", "900.0", "1,000.0", "-", "-"]
    assert said["broken"] == "xcb-2; 1 of 5 rows"
    assert (said["sections"], said["wide"], said["cut"]) == ("xc7", "0", "whole")
    assert (said["areas"], said["label"]) == ("2,000 LC 9,000 LC", "area")
    assert said["requests"] == "0"
