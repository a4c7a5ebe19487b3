# SPDX-License-Identifier: Apache-2.0
"""The Python API: its page runs, its import is cheap, its names are those of the page."""

import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import wideblock
from wideblock import api
from wideblock.evaluate import reference
from wideblock.records import Records
from wideblock.spec.aead import Rejected

pytestmark = pytest.mark.shows("api")

PAGE = (Path(__file__).parents[1] / "docs" / "api.md").read_text()
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert len(BLOCKS) > 8
    exec(compile("\n".join(BLOCKS), "docs/api.md", "exec"), {"folder": tmp_path})
    assert (tmp_path / "ecp5.csv").read_text().startswith("core,preset,scheme")


def test_the_reference_is_that_of_the_docstrings():
    assert f"<!-- reference: begin -->\n{reference.body(api)}<!-- reference: end -->" in PAGE


def test_the_import_is_cheap_and_its_names_are_the_apis():
    script = (
        "import sys, time; start = time.process_time(); import wideblock\n"
        "print(time.process_time() - start, [m for m in ('amaranth', 'numpy', 'wideblock.api') if m in sys.modules])"
    )
    seconds, loaded = subprocess.check_output([sys.executable, "-c", script], text=True).split(" ", 1)
    assert float(seconds) < 0.1 and loaded == "[]\n"
    assert set(wideblock.__all__) <= set(api.__all__) and set(wideblock.__all__) <= set(dir(wideblock))
    assert all(getattr(wideblock, name) is getattr(api, name) for name in wideblock.__all__)
    with pytest.raises(AttributeError, match="'core'"):
        wideblock.core  # noqa: B018


def test_an_authenticated_cipher_in_simulation():
    core = wideblock.preset("scream").changed(data_bytes=16, ad_bytes=16)
    key, nonce = bytes(range(16)), bytes(11)
    with core.simulate(key) as hardware:
        sealed = hardware.encrypt(nonce, b"ad", b"message")
        assert sealed == core.specification(key).encrypt(nonce, b"ad", b"message")
        assert hardware.decrypt(nonce, b"ad", sealed) == b"message" and hardware.cycles > 0
        with pytest.raises(Rejected, match="rejected"):
            hardware.decrypt(nonce, b"other", sealed)
        with pytest.raises(wideblock.UserError, match="nonce must be 11 bytes"):
            hardware.encrypt(b"", b"", b"")


def test_wrong_requests_are_user_errors():
    core = wideblock.preset("xts-enc").changed(sector_bytes=64)
    with pytest.raises(wideblock.UserError, match="key must be 32 bytes"):
        core.simulate(bytes(16))
    with core.simulate(bytes(range(32))) as hardware:
        with pytest.raises(wideblock.UserError, match="does not decrypt"):
            hardware.decrypt(bytes(16), bytes(64))
        with pytest.raises(wideblock.UserError, match="sector must be"):
            hardware.encrypt(bytes(16), bytes(3))
    with pytest.raises(wideblock.UserError, match="no preset has width 3; there are"):
        wideblock.presets(width=3)
    with pytest.raises(wideblock.UserError, match="did you mean|so begin"):
        wideblock.preset("hctr3-2s")


ROWS = Records.of([{"a": 1, "b": "x,y"}, {"a": 2.5, "c": None}])


def test_records_are_rows_under_columns():
    assert ROWS.head == ("a", "b", "c") and ROWS["a"] == [1, 2.5] and len(ROWS) == 2
    assert list(ROWS.where(a=1)) == [{"a": 1, "b": "x,y", "c": None}]
    assert ROWS.csv() == 'a,b,c\n1,"x,y",\n2.5,,\n'
    assert str(ROWS).splitlines() == ["a    b    c", "1    x,y  -", "2.5  -    -"]
    assert "<td>x,y</td>" in ROWS._repr_html_() and "<th>a</th>" in ROWS._repr_html_()
    with pytest.raises(wideblock.UserError, match="no column 'd'; there are a, b, c"):
        ROWS["d"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_records_go_to_a_library_that_is_there(library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(wideblock.UserError, match=f"{library} is not installed"):
        getattr(ROWS, library)()
    frame = SimpleNamespace(DataFrame=lambda data, **how: (data, how))
    monkeypatch.setitem(sys.modules, library, frame)
    data, _ = getattr(ROWS, library)()
    assert data == (list(ROWS.rows) if library == "pandas" else {name: ROWS[name] for name in ROWS.head})
