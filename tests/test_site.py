# SPDX-License-Identifier: Apache-2.0
"""The site: no figure is cut off, and nothing else than pages is carried into it."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.shows("documents")

ROOT = Path(__file__).parents[1]
PAGES = ("results.html", "index.html", "choosing.html", "families/hash-counter-hash.html")

SCRIPT = """<script>addEventListener("load", () => {
const wide = e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > innerWidth + 1;
const left = n => { const r = document.createRange(); r.selectNode(n); return r.getBoundingClientRect().left };
const torn = td => [...td.childNodes].some(n => n.textContent.trim() && left(n) < left(td) + 100);
const cells = innerWidth > 768 ? [] : [...document.querySelectorAll("td")].filter(torn);
const cut = [...document.querySelectorAll("table, td, pre, h1, h2")].filter(wide).map(e => e.textContent.slice(0, 40));
const first = document.querySelector("td"), p = document.createElement("p");
p.id = "said";
p.textContent = JSON.stringify([document.documentElement.scrollWidth <= innerWidth, cut.length + cells.length,
  first && getComputedStyle(first, "::before").content]);
document.body.append(p) })</script></body>"""


def test_the_site_has_its_rules_for_tables_and_no_file_of_its_making():
    """The theme's own rules cut tables off at 800 pixels; the rules that lift that are named and written."""
    settings, rules = ((ROOT / "docs" / name).read_text() for name in ("mkdocs.yml", "site.css"))
    assert "extra_css: [site.css]" in settings and "extra_javascript: [site.js]" in settings
    (excluded,) = re.findall(r"^exclude_docs: \|\n((?:  .*\n)+)", settings, re.M)
    others = {path.name for path in (ROOT / "docs").iterdir() if path.suffix not in ("", ".md", ".svg", ".css", ".js")}
    assert others and all(name in excluded.split() or f"*{Path(name).suffix}" in excluded.split() for name in others)
    wanted = {
        ".wy-nav-content": "max-width: none",
        ".wy-table-responsive": "overflow: visible",
        "pre code": "white-space: pre-wrap",
        "table.docutils td": "white-space: normal",
    }
    for selector, rule in wanted.items():
        assert re.search(rf"{re.escape(selector)} \{{[^}}]*{rule}", rules), selector


@pytest.mark.slow
@pytest.mark.wants("chromium", "mkdocs")
def test_no_figure_is_cut_off_in_a_browser(tmp_path):
    subprocess.run(["make", "--silent", "-o", ".venv/ready", "site"], cwd=ROOT, check=True)
    site = tmp_path / "site"
    shutil.copytree(ROOT / "build" / "site", site)
    for name in PAGES:
        page = site / name
        page.write_text(page.read_text().replace("</body>", SCRIPT))
        for width, titles in ((1400, "none"), (500, '"')):  # no window is narrower
            browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}/profile"]
            command = [*browser, f"--window-size={width},900", "--virtual-time-budget=2000", "--dump-dom"]
            dom = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=120).stdout
            whole, cut, title = re.search(r'id="said">\[(\w+),(\d+),(.*?)\]<', dom).groups()
            assert (whole, cut) == ("true", "0"), (name, width)
            assert titles in title, (name, width, title)
