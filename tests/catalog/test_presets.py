# SPDX-License-Identifier: Apache-2.0
"""Every preset by its statement alone: what it must meet, what it is compared with, and what may be changed in it."""

import dataclasses
import pickle
from importlib import import_module
from pkgutil import iter_modules

import pytest

from wideblock import catalog
from wideblock.catalog.kinds import AEAD, SECTOR
from wideblock.export.contract import contract
from wideblock.rtl.sector.parameters import SlottedHashParameters
from wideblock.rtl.stream.behaviour import SectorTiming
from wideblock.spec.aead import Rejected
from wideblock.spec.fast import FAST
from wideblock.spec.hmch import HMCH

from ..variants import over

pytestmark = pytest.mark.shows("cycle-contract")

PAPER = {"fast-brw-1": 455, "fast-brw-2": 319, "fast-horner-1": 565, "fast-horner-2": 311}
OVERLAP = {"fast-brw-1s": 260, "fast-brw-2s": 130, "fast-brw-4s": 66, "fast-brw-8s": 34, "fast-horner-2s": 130}
PAPER |= {"heh-brw-1": 55, "heh-brw-2": 55, "heh-brw-3": 69, "heh-poly": 83}
PAPER |= {"hmch-brw-1": 66, "hmch-brw-2": 66, "hmch-brw-3": 80, "hmch-poly": 94}
for scheme in ("heh", "hmch"):
    OVERLAP |= {f"{scheme}-brw-1s": 19, f"{scheme}-brw-2s": 19, f"{scheme}-brw-3s": 36, f"{scheme}-polys": 36}
HCTR2 = {"hctr2-1": 450, "hctr2-2": 320, "hctr2-1s": 262, "hctr2-2s": 132, "hctr2-4s": 68, "hctr2-8s": 33}
PAPER |= {"eme2-1": 561, "eme2-2": 305}
PAPER |= {"xcb-1": 569, "xcb-2": 316, "aez-2-pre": 389, "aez-2-otf": 404, "aez-2t": 404}
KEYED = {"fast-brw-1s-k": (260, 71, 3), "fast-brw-2s-k": (130, 71, 3), "fast-brw-4s-k": (66, 71, 3)}
KEYED |= {
    "fast-horner-2s-k": (130, 527, 3),
    "eme2-2s-k": (262, 24, 5),
    "aez-2ts-k": (326, 139, 4),
    "hctr2-1s-k": (262, 277, 3),
    "hctr2-2s-k": (132, 601, 4),
    "hctr2-4s-k": (68, 1120, 6),
    "hmch-brw-2s-k": (130, 30, 3),
    "heh-brw-2s-k": (130, 30, 4),
}  # cycles between sectors, of a load, of a wait
KEYED_ANY = {"hctr2-any-k": (257, 336, 6)}
TOO_SHORT = ("hctr2-4s-k", 512)  # copies of its rows take longer than the interval
OVERLAP |= {"eme2-1s": 520, "eme2-2s": 262, "xcb-1s": 262, "xcb-2s": 132, "aez-2s": 326, "aez-2ts": 326}
BYTES = {"fast": 4096, "heh": 512, "hmch": 512, "eme2": 4096, "xcb": 4096, "aez_core": 4096}
OF_KIND = {
    kind: [name for name, preset in catalog.PRESETS.items() if preset.scheme.kind is kind] for kind in (SECTOR, AEAD)
}
ANY = {  # most cycles between messages of 4096 bytes, and of one alone to its last block
    "hctr2-any": (257, 545),
    "hctr2-any-2": (129, 290),
    "hctr2-any-4": (65, 162),
    "hctr2-any-k": (257, 551),
}
SECTORS = [name for name in OF_KIND[SECTOR] if catalog.preset(name).scheme.name != "xts" and name not in ANY]
AUTHENTICATED = {  # cycles a block
    "aez41": 25,
    "aez5": 25,
    "aez5-32": 100,
    "aez5-p": 6,
    "aes-gcm": 11,
    "aes-gcm-p": 1,
    "minalpher": 19,
    "minalpher-shared": 37,
    "poet": 10,
    "scream": 11,
    "scream-r": 6,
}
UNITS = {  # most cycles between units of 4096 bytes, and of 512
    "xts-enc": (257, 33),
    "xts-dec": (257, 33),
    "xts-2": (130, 17),
    "xts-4": (66, 10),
    "xts-8": (33, 5),
    "xts-both": (256, 32),
    "xts-enc-k": (257, 33),
    "xts-2-k": (129, 17),
    "xts-4-k": (65, 9),
    "xts-both-k": (257, 33),
}


@pytest.fixture(scope="module")
def timing():
    return {name: contract(name).timing for name in catalog.PRESETS}


def presets_of(module):
    return getattr(import_module(f"{catalog.__name__}.{module}"), "PRESETS", ())


def test_names():
    presets = [preset for module in iter_modules(catalog.__path__) for preset in presets_of(module.name)]
    assert sorted(preset.name for preset in presets) == sorted(catalog.PRESETS)  # none has the name of another one
    assert catalog.PRESETS.keys().isdisjoint(catalog.PARTS)
    assert PAPER.keys() | OVERLAP.keys() <= catalog.PRESETS.keys()


@over("name", PAPER)
def test_paper_architecture_meets_the_papers_cycles(timing, name):
    """Source: "Fast Low Level Disk Encryption Using FPGAs", Table 4; IEEE TC 62(2), 2013, Table 3."""
    preset = catalog.preset(name)
    assert not preset.parameters.overlap and preset.parameters.sector_bytes == BYTES[preset.scheme.name]
    assert timing[name].compute <= PAPER[name]
    assert timing[name].interval <= PAPER[name]


@over("name", OVERLAP)
def test_overlap_is_bound_by_the_lanes(timing, name):
    preset = catalog.preset(name)
    p = preset.parameters
    assert p.overlap and p.sector_bytes == BYTES[preset.scheme.name]
    assert p.m // p.lanes < timing[name].interval <= OVERLAP[name]


@over(
    "name,sector_bytes",
    [(name, size) for name in KEYED | KEYED_ANY for size in (4096, 512) if (name, size) != TOO_SHORT],
)
def test_slots_cost_no_cycle_between_sectors(name, sector_bytes):
    core, one = (contract(name, {"sector_bytes": sector_bytes} | more) for more in ({}, {"slots": 0}))
    assert core.parameters.slots == 256 and core.timing.interval == one.timing.interval
    interval, load, wait = (KEYED | KEYED_ANY)[name]
    assert core.timing.latency - one.timing.latency == wait and core.timing.setup <= load
    assert sector_bytes != 4096 or core.timing.interval <= interval


@over("key_bits,sector_bytes,cycles,least", [(128, 512, 11, 22), (128, 1280, 21, 22), (256, 1408, 23, 24)])
def test_copies_that_take_longer_than_the_interval_are_refused(key_bits, sector_bytes, cycles, least):
    """Four lanes of HCTR2; 64 bytes more than the second and the third are enough."""
    changes, name = {"key_bits": key_bits}, TOO_SHORT[0]
    with pytest.raises(ValueError, match=f"for an interval of {cycles} cycles, as .* take {least}, got 256$"):
        contract(name, changes | {"sector_bytes": sector_bytes})
    if sector_bytes > 512:
        assert contract(name, changes | {"sector_bytes": sector_bytes + 64}).timing.interval == least


@over(
    "changes,cycles,words", [({}, 11, 14), ({"key_bits": 256}, 15, 16), ({"round_stages": 2, "mult_stages": 8}, 21, 22)]
)
def test_copies_that_take_longer_than_the_shortest_interval_are_refused(changes, cycles, words):
    """Two lanes of HCTR2 of any length; with two stages a round the shortest interval is longer."""
    with pytest.raises(ValueError, match=f"for an interval of {cycles} cycles, as .* take {words}, got 256$"):
        contract("hctr2-any-2", {"slots": 256} | changes)
    wide, one = (contract("hctr2-any-2", {"round_stages": 2, "slots": slots}).timing for slots in (256, 0))
    assert wide.interval == one.interval


@over("name", HCTR2)
@over("key_bits", [128, 192, 256])
@over("tweak_bytes", [16, 32])
def test_hctr2_needs_no_more_cycles_than_the_fastest_of_its_family(name, key_bits, tweak_bytes):
    core = contract(name, {"key_bits": key_bits, "tweak_bytes": tweak_bytes})
    p = core.parameters
    assert p.sector_bytes == 4096 and p.overlap == name.endswith("s")
    assert p.m // p.lanes < core.timing.interval <= HCTR2[name]
    assert p.overlap or core.timing.compute <= HCTR2[name]


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("sector_bytes", [4096, 512])
def test_units_follow_each_other_but_for_the_tweak(name, sector_bytes):
    core = contract(name, {"sector_bytes": sector_bytes})
    p, t = core.parameters, core.timing
    assert p.beats <= t.interval <= UNITS[name][sector_bytes == 512]
    assert t.latency - p.beats + 1 <= (34 if p.key_bits == 256 else 26)  # the first block
    assert t.compute + 1 == t.latency


def test_every_preset_is_in_a_table():
    tables = (PAPER, OVERLAP, KEYED, HCTR2, UNITS, ANY, AUTHENTICATED)
    assert sorted(name for table in tables for name in table) == sorted(catalog.PRESETS)


@pytest.mark.parametrize("name", ANY)
def test_a_core_for_any_length_states_the_cycles_of_each(timing, name):
    core = contract(name)
    most, alone = ANY[name]
    stated, p = core.behaviour.length, core.parameters
    assert timing[name].interval <= most and timing[name].compute <= alone
    assert stated.timing(p.tweak_bytes, p.sector_bytes) == timing[name]
    for sizes in ((0, 16), (32, 100), (16, 512)):
        changes = {"tweak_bytes": sizes[0], "sector_bytes": sizes[1]}
        assert contract(name, changes).timing == stated.timing(*sizes)


@pytest.mark.parametrize("name", AUTHENTICATED)
def test_authenticated_ciphers_meet_the_papers_cycles_a_block(timing, name):
    """Source: Homsirikamol and Gaj, "AEZ: Anything-but EaZy in Hardware": AES-GCM, 11; Diehl and Gaj: Minalpher, 19."""
    t = timing[name]
    assert t.interval == AUTHENTICATED[name]
    assert t.message(0, 40 * t.cipher.shape.block) - t.message(0, 16 * t.cipher.shape.block) == 24 * t.interval


@over("name", SECTORS)
def test_statement_of_cycles(timing, name):
    """No core takes fewer cycles than its beats need to enter and its blocks to pass through the lanes."""
    t, p = timing[name], catalog.preset(name).parameters
    assert all(isinstance(figure.cycles, int) and figure.cycles > 0 for figure in t.figures())
    assert t.compute >= p.beats + p.m // p.lanes
    assert t.interval >= (max(p.beats, p.m // p.lanes) if p.overlap else p.beats + p.m // p.lanes)
    assert t.interval <= t.latency <= t.busy


@over("name", SECTORS)
def test_overlap_of_a_preset_is_faster_than_the_same_core_without(timing, name):
    p = catalog.preset(name).parameters
    slots = {"slots": 0} if getattr(p, "slots", 0) else {}
    other = contract(name, {"overlap": not p.overlap, **slots}).timing
    with_overlap, without = (timing[name], other) if p.overlap else (other, timing[name])
    assert with_overlap.interval < without.interval


@pytest.mark.parametrize(
    ("name", "changes", "summary"),
    [
        ("fast-brw-2s", {}, "FAST[BRW] for 4096-byte sectors, two AES cores, sectors overlap: "),
        ("fast-brw-2s", {"hash": "horner", "sector_bytes": 512}, "FAST[Horner] for 512-byte sectors, two AES cores, "),
        ("heh-brw-1", {"lanes": 1}, "HEH[BRW] for 512-byte sectors, one AES core each way, squares on the fly, "),
        ("hmch-poly", {}, "HMCH[Poly] for 512-byte sectors, one AES core, the paper's architecture"),
        (
            "hctr2-2",
            {"sector_bytes": 31},
            "HCTR2 for 31-byte sectors, two AES cores, one hash unit, one sector at a ti",
        ),
        ("eme2-1", {}, "EME2-AES for 4096-byte sectors, one AES core for both directions, one sector at a time"),
        (
            "eme2-2s",
            {"sbox": "bram"},
            "EME2-AES for 4096-byte sectors, two AES cores each way, sectors overlap: the lanes",
        ),
        (
            "xcb-1",
            {"sector_bytes": 33},
            "BROKEN, not to protect data: XCB for 33-byte sectors, one AES core, one hash ",
        ),
        ("aez-2ts", {}, "AEZ-core[AES] for 4096-byte sectors, tweaks of 16 bytes, two AES cores, masks on-the-fly, s"),
        (
            "hctr2-any",
            {"tweak_bytes": 8},
            "HCTR2 for messages of 16 to 4096 bytes and tweaks of 0 to 64, figures for 409",
        ),
        ("xts-enc", {"direction": "both"}, "AES-XTS for units of any length from 16 bytes, figures for 4096, both dir"),
    ],
)
def test_summary_is_that_of_the_parameters(name, changes, summary):
    assert contract(name, changes).summary.startswith(summary)


def test_published_rows_are_those_of_the_architecture():
    alike = {name: preset.like for name, preset in catalog.PRESETS.items() if preset.like}
    assert alike["fast-brw-2s"] == "fast-brw-2" and set(alike) == {*OVERLAP, "aez-2t"} - {"fast-brw-4s", "fast-brw-8s"}
    assert set(alike.values()) <= catalog.PRESETS.keys()


def test_core_is_that_of_its_parameters():
    core = contract("fast-brw-2s", {"sector_bytes": "512"})
    assert core.parameters == SlottedHashParameters(hash="brw", sector_bytes=512, width=2, lanes=2, overlap=True)
    assert isinstance(core.timing, SectorTiming)


def test_unknown_preset():
    with pytest.raises(ValueError, match="^unknown preset 'fast-brw-3'; did you mean fast-brw"):
        catalog.preset("fast-brw-3")
    with pytest.raises(ValueError, match="^unknown preset '1'; wideblock list shows the presets"):
        catalog.preset("1")
    with pytest.raises(ValueError, match="^unknown preset 'xts-ENC'; did you mean xts-enc[?]$"):
        catalog.preset("xts-ENC")
    with pytest.raises(ValueError, match="^unknown preset 'XTS-E'; so begin xts-enc, xts-enc-k$"):
        catalog.preset("XTS-E")


def changed(name, **changes):
    return catalog.preset(name).changed(changes)


def under(name, key, **changes):
    preset = catalog.preset(name)
    return preset.scheme.under(preset.changed(changes), key)


def test_changes_are_values_or_text():
    values = {"sector_bytes": 512, "overlap": True, "key_bits": 256, "sbox": "composite", "leaf": 8}
    text = {name: str(value).lower() for name, value in values.items()}
    assert changed("fast-brw-2", **values) == changed("fast-brw-2", **text)
    assert changed("fast-brw-2s", overlap="no") == changed("fast-brw-2")
    for text in ("4k", "0x1000", "4096"):
        assert changed("fast-brw-2s", sector_bytes=text) == catalog.preset("fast-brw-2s").parameters


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pipes": 3}, "unknown parameter 'pipes' of fast-brw-2; it would be one of sector_bytes, width,"),
        ({"scheme": "xcb"}, "unknown parameter 'scheme' of fast-brw-2; it would be one of sector_bytes,"),
        ({"direction": "encrypt"}, "unknown parameter 'direction' of fast-brw-2; it would be one of sector_bytes,"),
        ({"overlap": "maybe"}, "overlap must be true or false, got 'maybe'"),
        ({"sector_bytes": "4kB"}, "sector_bytes must be a whole number such as 4096, 4k or 0x1000, got '4kB'"),
        ({"sector_bytes": ""}, "sector_bytes must be a whole number such as 4096, 4k or 0x1000, got ''"),
        ({"lanes": "3"}, "lanes must be one of 1, 2, 4, 8, got 3"),
        ({"lanes": "4"}, "lanes must divide width: 4 lanes do not divide 2 blocks a beat"),
        ({"sector_bytes": 32}, "FAST with brw needs at least 4 blocks of 16 bytes a sector, got 2"),
        (
            {"sector_bytes": 32, "hash": "horner"},
            "FAST with horner needs at least 3 blocks of 16 bytes a ",
        ),
        (
            {"sector_bytes": 528},
            "sector_bytes must be a multiple of 32 (16 bytes times the width of 2), got 528; width 1",
        ),
    ],
)
def test_change_that_no_core_can_have(changes, message):
    with pytest.raises(ValueError) as error:
        changed("fast-brw-2", **changes)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("change", [{"hash": "horner"}, {"overlap": True}, {"mult_stages": 3}, {"order": "paper"}])
def test_xts_has_no_parameter_of_a_hash(change):
    with pytest.raises(ValueError, match=r"of xts-enc; it would be one of sector_bytes, width, .*direction\b"):
        changed("xts-enc", **change)
    assert contract("xts-enc").settings.keys().isdisjoint(change)


@pytest.mark.parametrize("change", [{"hash": "brw"}, {"squares": "stored"}, {"order": "paper"}])
def test_hctr2_has_no_choice_of_a_hash(change):
    with pytest.raises(
        ValueError, match=r"of hctr2-1; it would be one of sector_bytes, .*tweak_bytes, .*leaf\b.*, icv_bytes\b"
    ):
        changed("hctr2-1", **change)
    assert contract("hctr2-1").settings.keys().isdisjoint(change)


def test_a_core_that_cannot_seal_says_why():
    with pytest.raises(ValueError, match=r"^icv_bytes is no parameter of xcb-1, which seals no sectors: it is broken"):
        changed("xcb-1", icv_bytes=16)


@pytest.mark.parametrize("change", [{"hash": "brw"}, {"key_bits": 192}])
def test_xcb_has_no_choice_of_a_hash_and_two_lengths_of_a_key(change):
    with pytest.raises(ValueError, match=r"of xcb-1; it would be one of |^key_bits must be one of 128, 256, got 192$"):
        changed("xcb-1", **change)


def test_status_is_asked_only_of_a_broken_scheme():
    for scheme in catalog.SCHEMES.values():
        scheme.check_status(accept_broken=True)
        if not scheme.broken:
            scheme.check_status(accept_broken=False)
    broken = [scheme for scheme in catalog.SCHEMES.values() if scheme.broken]
    assert [scheme.name for scheme in broken] == ["xcb"]
    with pytest.raises(ValueError, match="^XCB is broken .*ePrint 2024/1554.* give --accept-broken.$"):
        broken[0].check_status(accept_broken=False)


@pytest.mark.parametrize(("name", "hash"), [("fast-brw-2", "brw"), ("fast-horner-1", "horner")])
@pytest.mark.parametrize("key_bits", [128, 256])
def test_specification(name, hash, key_bits):
    key, tweak, sector = bytes(range(key_bits // 8)), bytes(16), bytes(range(256)) * 2
    specification = under(name, key, sector_bytes=512, key_bits=key_bits)
    ciphertext = specification.encrypt(tweak, sector)
    assert ciphertext == FAST(key, hash=hash, sector_bytes=512).encrypt(tweak, sector) != sector
    assert specification.decrypt(tweak, ciphertext) == sector


@pytest.mark.parametrize(
    ("name", "order"), [("hmch-brw-2", "natural"), ("hmch-brw-2", "paper"), ("hmch-poly", "natural")]
)
def test_specification_of_hmch_takes_both_key_words(name, order):
    key, tweak, sector = bytes(range(32)), bytes(16), bytes(range(256)) * 2
    hash = catalog.preset(name).parameters.hash
    expected = HMCH(key, hash=hash, sector_bytes=512, order=order).encrypt(tweak, sector)
    assert under(name, key, order=order).encrypt(tweak, sector) == expected
    with pytest.raises(ValueError, match="^key must be 32 bytes, got 16$"):
        under(name, key[:16], order=order)


def test_specification_travels_to_other_processes():
    core = contract("fast-brw-2s", {"sector_bytes": "512"})
    travelled = pickle.loads(pickle.dumps(core.specification))
    key, tweak, sector = bytes(16), bytes(16), bytes(512)
    assert travelled(key).encrypt(tweak, sector) == core.specification(key).encrypt(tweak, sector)


@pytest.mark.parametrize("name", OF_KIND[SECTOR])
def test_known_answers_are_right(name):
    core = contract(name)
    answers = core.known_answers
    for answer in answers:
        specification = core.specification(answer.key)
        assert specification.encrypt(answer.tweak, answer.plaintext) == answer.ciphertext != answer.plaintext
        assert specification.decrypt(answer.tweak, answer.ciphertext) == answer.plaintext
    assert answers


@pytest.mark.parametrize("name", OF_KIND[AEAD])
def test_known_answers_of_authenticated_ciphers_are_right(name):
    core = contract(name)
    for answer in core.known_answers:
        specification = core.specification(answer.key)
        if answer.plaintext is None:
            with pytest.raises(Rejected):
                specification.decrypt(answer.npub, answer.ad, answer.ciphertext)
            continue
        assert specification.encrypt(answer.npub, answer.ad, answer.plaintext) == answer.ciphertext
        assert specification.decrypt(answer.npub, answer.ad, answer.ciphertext) == answer.plaintext
    assert {answer.plaintext is None for answer in core.known_answers} == {False, True}


def test_no_known_answer_is_better_than_a_wrong_one():
    assert contract("fast-brw-2", {"key_bits": "256"}).known_answers == []


@pytest.mark.parametrize(("name", "kind", "other"), [("aes-gcm", SECTOR, "AesGcm"), ("eme2-1", AEAD, "Eme2")])
def test_a_scheme_is_of_the_kind_of_its_core(name, kind, other):
    with pytest.raises(ValueError, match=f"^{other} of scheme .* is no core of kind {kind.name}$"):
        _ = dataclasses.replace(catalog.preset(name).scheme, kind=kind).core
