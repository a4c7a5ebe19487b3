# SPDX-License-Identifier: Apache-2.0
"""The Python API: its page runs, its import is cheap, its names are those of the page."""

import copy
import pickle
import random
import re
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import wideblock
from tools import reference
from wideblock import api
from wideblock.drive.sector.shape import shape
from wideblock.records import Records
from wideblock.spec.aead import Rejected
from wideblock.spec.sealed import Forged

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
    script = "import sys, wideblock\nprint([m for m in ('amaranth', 'numpy', 'wideblock.api') if m in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "[]\n"
    assert set(wideblock.__all__) <= set(api.__all__) and set(wideblock.__all__) <= set(dir(wideblock))
    assert all(getattr(wideblock, name) is getattr(api, name) for name in wideblock.__all__)
    with pytest.raises(AttributeError, match="'core'"):
        wideblock.core  # noqa: B018


def test_type_hints_reach_users():
    assert (Path(wideblock.__file__).parent / "py.typed").is_file()


def test_an_authenticated_cipher_in_simulation():
    core = wideblock.preset("scream").changed(data_bytes=16384)  # the test of curves has its model, too
    key, nonce = bytes(range(16)), bytes(11)
    with core.simulate(key) as hardware:
        sealed = hardware.encrypt(nonce, b"ad", b"message")
        assert sealed == core.specification(key).encrypt(nonce, b"ad", b"message")
        assert hardware.decrypt(nonce, b"ad", sealed) == b"message" and hardware.cycles > 0
        with pytest.raises(Rejected, match="rejected"):
            hardware.decrypt(nonce, b"other", sealed)
        with pytest.raises(wideblock.UserError, match="nonce must be 11 bytes"):
            hardware.encrypt(b"", b"", b"")


@pytest.mark.parametrize("buffer", [bytes, bytearray, memoryview, lambda data: np.frombuffer(data, "<u4")])
def test_native_code_takes_any_buffer(buffer):
    core, rng = wideblock.preset("hctr2-2s").changed(sector_bytes=80), random.Random(9)
    key, data, tweaks = rng.randbytes(16), rng.randbytes(80 * 9), rng.randbytes(16 * 9)
    scheme, rows = core.specification(key), range(9)
    numbered = b"".join(scheme.encrypt((5 + n).to_bytes(16, "little"), data[80 * n : 80 * n + 80]) for n in rows)
    tweaked = b"".join(scheme.decrypt(tweaks[16 * n : 16 * n + 16], data[80 * n : 80 * n + 80]) for n in rows)
    with core.native(key) as cipher:
        assert cipher.encrypt(bytes(16), data[:80]) == scheme.encrypt(bytes(16), data[:80])
        assert cipher.encrypt_sectors(buffer(data), first=5) == numbered
        assert cipher.encrypt_sectors(buffer(data), first=np.int64(5)) == numbered
        place = np.frombuffer(bytearray(data), np.uint8)
        assert cipher.decrypt_sectors(place, tweaks=buffer(tweaks), out=place, threads=2) is place
        assert place.tobytes() == tweaked
        assert cipher.encrypt_sectors(b"") == b""
    with pytest.raises(wideblock.UserError, match="closed"):
        cipher.encrypt_sectors(data)


def test_closing_a_native_cipher_waits_for_calls_in_other_threads():
    data = bytes(512 * 20000)
    core = wideblock.preset("hctr2-2s").changed(sector_bytes=512)
    for _ in range(5):
        results = []
        begun = threading.Event()

        def work(cipher, begun=begun, results=results):
            begun.set()
            try:
                while True:
                    results.append(cipher.encrypt_sectors(data))
            except wideblock.UserError as error:
                results.append(str(error))

        with core.native(bytes(16)) as cipher:
            right = cipher.encrypt_sectors(data)
            thread = threading.Thread(target=work, args=(cipher,))
            thread.start()
            begun.wait()
        thread.join()
        assert results.pop() == "the cipher is closed; make another" and all(each == right for each in results)
        with pytest.raises(wideblock.UserError, match="closed"):
            cipher.encrypt(bytes(16), bytes(512))


def test_a_simulated_core_is_closed_behind_its_block_and_serves_threads_in_turn():
    core = wideblock.preset("xts-enc").changed(sector_bytes=32)
    scheme = core.specification(KEY := bytes(range(32)))
    with core.simulate(KEY) as hardware, ThreadPoolExecutor(4) as pool:
        tweaks = [bytes([n]) * 16 for n in range(16)]
        found = list(pool.map(lambda tweak: hardware.encrypt(tweak, bytes(32)), tweaks))
        cycles = hardware.cycles
    assert found == [scheme.encrypt(tweak, bytes(32)) for tweak in tweaks]
    assert hardware.cycles == cycles > 0
    with pytest.raises(wideblock.UserError, match="the simulation is closed; begin another"):
        hardware.encrypt(bytes(16), bytes(32))


def test_no_sectors_are_an_empty_buffer():
    with wideblock.preset("hctr2-2s").native(bytes(16)) as cipher:
        assert cipher.encrypt_sectors(b"") == cipher.encrypt_sectors(np.empty((0, 4096), np.uint8)) == b""
        assert cipher.decrypt_sectors(out := np.empty((0, 4096), np.uint8), out=out) is out


def test_errors_have_public_names():
    core = wideblock.preset("aes-gcm").changed(data_bytes=32, ad_bytes=16)
    with pytest.raises(wideblock.Rejected):
        core.specification(bytes(16)).decrypt(bytes(12), b"", bytes(32))
    sealed = wideblock.preset("hctr2-1s").changed(icv_bytes=16, sector_bytes=512)
    with pytest.raises(wideblock.Forged):
        sealed.specification(bytes(16)).decrypt(bytes(16), bytes(528))
    assert issubclass(wideblock.BuildError, Exception)


def test_wrong_buffers_are_user_errors():
    core, data = wideblock.preset("hctr2-2s").changed(sector_bytes=80), bytearray(240)
    with core.native(bytes(16)) as cipher:
        for wrong, message in [
            ({"sectors": bytes(81)}, "sectors must be a multiple of 80 bytes, got 81"),
            ({"sectors": "text"}, "sectors must be a buffer of bytes without gaps, got str"),
            ({"sectors": np.zeros((4, 80), np.uint8)[::2]}, "buffer of bytes without gaps, got ndarray"),
            ({"out": bytes(240)}, "out must be a buffer that can be written, got bytes"),
            ({"out": bytearray(160)}, "out must be an array of shape"),
            ({"sectors": memoryview(data)[:160], "out": memoryview(data)[80:]}, "overlaps"),
            ({"tweaks": bytes(32)}, "there must be a tweak a sector, got 2 for 3 sectors"),
            ({"first": -1}, "first must be a number of 0 to 2.128 - 1, got -1"),
            ({"first": 2**128}, "first must be a number of 0 to 2.128 - 1"),
            ({"first": "7"}, "first must be a number of 0 to 2.128 - 1, got '7'"),
            ({"first": 1.5}, "first must be a number of 0 to 2.128 - 1, got 1.5"),
            ({"threads": "2"}, "threads must be a number of 0 to 2.32 - 1, got '2'"),
        ]:
            with pytest.raises(wideblock.UserError, match=message):
                cipher.encrypt_sectors(**{"sectors": data, **wrong})
    assert data == bytes(240)
    with pytest.raises(wideblock.UserError, match="key must be 16 bytes, got 15"):
        core.native(bytes(15))
    with pytest.raises(wideblock.UserError, match="aes-gcm takes messages; this is for cores that take sectors"):
        wideblock.preset("aes-gcm").native(bytes(16))


def test_a_core_that_seals_sectors_in_simulation():
    core = wideblock.preset("hctr2-1s").changed(sector_bytes=64, icv_bytes=16)
    key, tweak, sector = bytes(range(16)), bytes(16), bytes(range(64))
    scheme = core.specification(key)
    with core.simulate(key) as hardware:
        sealed = hardware.encrypt(tweak, sector)
        assert sealed == scheme.encrypt(tweak, sector) and len(sealed) == 80
        changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
        for opened in (hardware, scheme):
            assert opened.decrypt(tweak, sealed) == sector
            with pytest.raises(Forged, match="forged"):
                opened.decrypt(tweak, changed)
            with pytest.raises(wideblock.UserError, match="^sector must be 64 bytes, got 48, and 16 of its ICV"):
                opened.decrypt(tweak, sector)
            assert opened.decrypt(tweak, sealed) == sector
    with pytest.raises(wideblock.UserError, match="seals sectors; leave out icv_bytes"):
        core.native(key)
    for name in ("xts-enc", "xcb-1s", "aez-2s"):
        with pytest.raises(wideblock.UserError, match=f"^icv_bytes is no parameter of {name}, which seals no"):
            wideblock.preset(name).changed(icv_bytes=16)


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


@pytest.mark.parametrize(
    "name", ["hctr2-1s", "eme2-1s", "fast-brw-1s", "heh-poly", "xts-enc", "xcb-1s", "aez-2t", "hctr2-any"]
)
def test_the_specification_refuses_what_its_core_refuses(name):
    """Lengths just beyond those that the core takes, in the words of the simulation."""
    core = wideblock.preset(name)
    length, tweaks = core.contract.behaviour.length, core.contract.behaviour.length.tweaks
    room = shape(core.contract).tweak_room
    scheme = core.specification(bytes(range(shape(core.contract).key_bytes)))
    usual, tweak = bytes(length.usual), bytes(shape(core.contract).tweak_bytes)
    assert len(scheme.encrypt(tweak, usual)) == len(scheme.decrypt(bytearray(tweak), memoryview(usual))) == len(usual)
    for size in (length.least - 1, length.most + 1):
        with pytest.raises(wideblock.UserError, match=f"^sector must be {length} bytes, got {size}$"):
            scheme.encrypt(tweak, bytes(size))
    for size in {(tweaks.least if tweaks else room) - 1, (tweaks.most if tweaks else room) + 1} - {-1}:
        with pytest.raises(wideblock.UserError, match=f"^tweak must be {tweaks or room} bytes, got {size}$"):
            scheme.decrypt(bytes(size), usual)
    with pytest.raises(wideblock.UserError, match="^sector must be bytes, got str$"):
        scheme.encrypt(tweak, "sector")


CORES = [
    lambda: wideblock.preset("xts-enc"),
    lambda: wideblock.preset("hctr2-2s").changed(sector_bytes=512, lanes=1),
    lambda: wideblock.preset("aes-gcm").named("sealer"),
    lambda: wideblock.presets(scheme="xts"),
]


@pytest.mark.parametrize("make", CORES)
def test_values_are_values(make):
    """Equal, of one hash, and copied and pickled whole, as process pools do."""
    value = make()
    for other in (make(), copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert other == value and hash(other) == hash(value) and repr(other) == repr(value)
    assert len({value, make(), *(make() for make in CORES)}) == len(CORES)
    assert value._repr_html_().startswith("<table>")


def test_a_core_of_another_process_is_the_same():
    core = wideblock.preset("xts-enc").changed(sector_bytes=64)
    other = pickle.loads(pickle.dumps(core))
    assert other.cycles == core.cycles and other.parameters == core.parameters and len(repr(core)) < 60


@pytest.mark.parametrize(
    "wrong, message",
    [
        (lambda: wideblock.preset(5), "the name of a preset is text, got 5"),
        (
            lambda: wideblock.preset("xts-enc").changed(sector_bytes=4096.0),
            "sector_bytes must be a whole number, got 40",
        ),
        (
            lambda: wideblock.preset("xts-enc").changed(sector_bytes=None),
            "sector_bytes must be a whole number, got None",
        ),
        (
            lambda: wideblock.preset("xts-enc").changed(sector_bytes=True),
            "sector_bytes must be a whole number, got True",
        ),
        (
            lambda: wideblock.preset("xts-enc").changed(sector_bytes=1 << 20000),
            "sector_bytes must be a whole number below 2.64, got a longer one",
        ),
        (lambda: wideblock.preset("hctr2-1s").changed(overlap=0), "overlap must be true or false, got 0"),
        (lambda: wideblock.preset("xts-enc").changed(sbox=3), "sbox must be text, got 3"),
        (lambda: wideblock.preset("xts-enc").changed(sector_bytes=np.array(64.7)), "sector_bytes must be a whole"),
        (lambda: wideblock.preset("xts-enc").named(3), "the name of a module has letters"),
        (lambda: wideblock.preset("xts-enc").verify(checks=[]), "checks must name at least one; leave it out for all"),
        (lambda: wideblock.preset("xts-enc").verify(sectors="8"), "sectors must be a number of 0 to 2.32 - 1"),
        (lambda: wideblock.preset("xts-enc").verify(seed=None), "seed must be a number of 0 to 2.64 - 1, got None"),
        (lambda: wideblock.results(""), " is no regular file"),
        (lambda: wideblock.compare(["xts-enc"]), "the name of a preset or part is text, got "),
    ],
)
def test_arguments_of_another_kind_are_refused_by_name(wrong, message):
    with pytest.raises(wideblock.UserError, match=f"^{message}"):
        wrong()
    assert wideblock.preset("xts-enc").changed(sector_bytes=np.int64(64)).parameters["sector_bytes"] == 64


ROWS = Records.of([{"a": 1, "b": "x,y"}, {"a": 2.5, "c": None}])


def test_records_are_rows_under_columns():
    assert ROWS.head == ("a", "b", "c") and ROWS["a"] == [1, 2.5] and len(ROWS) == 2
    assert list(ROWS.where(a=1)) == [{"a": 1, "b": "x,y", "c": None}]
    assert ROWS[0] == ROWS[np.int64(0)] == {"a": 1, "b": "x,y", "c": None} and ROWS[1:] == Records(
        ROWS.head, ROWS.rows[1:]
    )
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
