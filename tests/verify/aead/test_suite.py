# SPDX-License-Identifier: Apache-2.0
"""The suite of authenticated ciphers: it passes on a real core, and finds what is wrong."""

from dataclasses import asdict, replace

import pytest

from wideblock.catalog import PRESETS
from wideblock.catalog.kinds import AEAD
from wideblock.drive.aead.exchange import Exchange
from wideblock.drive.aead.simulation import AeadSimulation, PlayedMessages
from wideblock.errors import UserError
from wideblock.export.aead import long_answer, random_answers, vectors
from wideblock.export.contract import Contract, contract
from wideblock.image.aead import ENGINES, by_core, crypt
from wideblock.simulation.structures import PlayOutcome as Ended
from wideblock.spec.aead import Rejected
from wideblock.verify.aead.check import difference
from wideblock.verify.aead.checks import CHECKS
from wideblock.verify.aead.files import verify_files
from wideblock.verify.aead.suite import MESSAGES
from wideblock.verify.core.report import Outcome

pytestmark = pytest.mark.shows("aead")

SMALL = {"data_bytes": 64, "ad_bytes": 48}


@pytest.fixture(scope="module")
def simulation():
    with AeadSimulation(contract("aes-gcm", SMALL)) as made:
        yield made


def test_every_check_passes(simulation):
    core = simulation.core
    report = MESSAGES.verify(core, amount=32, seed=1, vectors=core.known_answers, simulation=simulation)
    assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
    assert [check.name for check in report.checks] == list(CHECKS)
    assert all(check.outcome is Outcome.PASSED and check.cycles for check in report.checks)


PACKETS = {"data_bytes": 32, "ad_bytes": 16, "ports": "axi4-stream"}


@pytest.mark.slow
def test_every_check_passes_in_packets(tmp_path):
    """And the files and the single message, too; of a wrong end of a packet both places are named."""
    core = contract("scream", PACKETS)
    with AeadSimulation(core) as simulation:
        report = MESSAGES.verify(core, amount=16, seed=1, vectors=core.known_answers, simulation=simulation)
        assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
        for name, content in vectors(core, random_answers(core, 6, 1)).items():
            (tmp_path / name).write_text(content)
        assert verify_files(core, tmp_path, simulation).passed
        late = simulation.play([Exchange("", [0x20000000, 0xD200000B], [], [0])], ends={"pdi": [], "sdi": []})
        assert late.out == [] and late.outcome is Ended.STUCK
    sealed = crypt(core, bytes(16), bytes(11), b"ad", bytes(20), decrypt=False)
    assert sealed == core.specification(bytes(16)).encrypt(bytes(11), b"ad", bytes(20))


@pytest.mark.slow
@pytest.mark.parametrize("ports", ["caesar", "axi4-stream"])
@pytest.mark.parametrize("name", ["scream", "aes-gcm", "aes-gcm-p", "poet", "minalpher"])
def test_every_check_passes_where_plaintext_leaves_at_once(name, ports, tmp_path):
    """And files with a message longer than a length can say, and one message by the core; a wrong tag gives nothing."""
    core = contract(name, {**SMALL, "release": "at-once", "ports": ports})
    shape, rows = core.behaviour.shape, core.component.buffer.rows
    assert rows == contract(name, SMALL).component.buffer.rows
    with AeadSimulation(core) as simulation:
        report = MESSAGES.verify(core, amount=16, seed=3, vectors=core.known_answers, simulation=simulation)
        assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
        if core.behaviour.at_once:
            for file, content in vectors(core, [*random_answers(core, 6, 1), long_answer(core)]).items():
                (tmp_path / file).write_text(content)
            assert verify_files(core, tmp_path, simulation).passed
        key, npub, text = bytes(shape.key), bytes(shape.npub), bytes(core.behaviour.data_bytes) + b"more"
        text = text[: core.behaviour.longest(decrypt=True)]
        sealed = core.specification(key).encrypt(npub, text, text)
        assert by_core(simulation, key, npub, text, sealed, decrypt=True) == text
        with pytest.raises(Rejected):
            by_core(simulation, key, npub, b"", sealed, decrypt=True)


@pytest.mark.parametrize(("last", "level"), [([], "low"), ([0, 2], "high")])
def test_a_wrong_end_of_a_packet_is_named(last, level):
    right = [0x43000004, 0x01020304, 0xE0000000]
    found = replace(played(right), last=last)
    assert f"the flag of a packet's last word is {level} in cycle" in difference(
        [Exchange("a", [], [], right)], found, 32
    )
    assert difference([Exchange("a", [], [], right)], replace(found, last=[2]), 32) is None


AEADS = [name for name, preset in PRESETS.items() if preset.scheme.kind is AEAD]


@pytest.mark.slow  # every check of aes-gcm, this one among them, is in every run
@pytest.mark.parametrize("name", AEADS)
def test_registers_that_keep_values_are_those_declared(name):
    report = MESSAGES.verify(contract(name, SMALL), amount=1, checks=["state after a message"])
    assert report.failure is None, report.failure.difference


@pytest.mark.slow
@pytest.mark.parametrize("ports", ["caesar", "axi4-stream"])
@pytest.mark.parametrize("lengths", [{"data_bytes": 96, "ad_bytes": 80}, {"data_bytes": 20, "ad_bytes": 3}], ids=str)
@pytest.mark.parametrize("name", AEADS)
def test_every_check_passes_on_every_preset(name, lengths, ports):
    """Messages of a few blocks, and of one block at most."""
    core = contract(name, {**lengths, "ports": ports})
    report = MESSAGES.verify(core, amount=64, seed=2, vectors=core.known_answers)
    assert report.failure is None, f"{report.failure.name}: {report.failure.difference}"
    assert all(check.outcome is Outcome.PASSED for check in report.checks)


class Wrong:
    """A specification of which one bit of each ciphertext is wrong."""

    tag_bytes = 16

    def __init__(self, right):
        self.right = right

    def encrypt(self, npub, ad, message):
        sealed = self.right.encrypt(npub, ad, message)
        return bytes([sealed[0] ^ 1]) + sealed[1:]

    def decrypt(self, npub, ad, sealed):
        return self.right.decrypt(npub, ad, bytes([sealed[0] ^ 1]) + sealed[1:])


class Misjudged(Contract):
    """A core beside a wrong specification."""

    @property
    def specification(self):
        return lambda key: Wrong(super(Misjudged, self).specification(key))


@pytest.mark.parametrize(
    "check", ["random messages", "gaps and back-pressure", "wrong tags", "malformed input", "keys"]
)
def test_a_difference_is_found_and_explained(simulation, check):
    core = simulation.core
    subject = Misjudged(core.preset, core.parameters, core.make, core.changed)
    report = MESSAGES.verify(subject, amount=8, checks=[check], simulation=simulation)
    assert report.failure is not None
    assert "of its output: right is" in report.failure.difference
    assert f"--check {check!r} --seed 0 --sectors 8" in report.failure.difference


def test_measured_as_stated(simulation):
    stated = {figure.name: figure.cycles for figure in simulation.core.timing.figures()}
    assert asdict(MESSAGES.measure(simulation.core, simulation=simulation)["measured"]) == stated


def test_wrong_cycles_are_found(simulation):
    core = simulation.core
    behaviour, component = core.component.behaviour, core.component
    slow = replace(behaviour, timing=replace(behaviour.timing, loading=behaviour.timing.loading + 1))
    other = type(
        "Stated", (), {"behaviour": slow, "parameters": component.parameters, "interface": component.interface}
    )
    report = MESSAGES.verify(
        Contract(core.preset, core.parameters, lambda: other, core.changed),
        checks=["cycle contract"],
        simulation=simulation,
    )
    assert report.failure and "activation" in report.failure.difference


def test_files_are_played_and_a_wrong_word_is_named(simulation, tmp_path):
    core = simulation.core
    for name, content in vectors(core, random_answers(core, 6, 1)).items():
        (tmp_path / name).write_text(content)
    assert verify_files(core, tmp_path, simulation).passed
    out = tmp_path / "do.txt"
    out.write_text(out.read_text().replace("STT = F0000000", "STT = E0000000"), "utf-8-sig")
    report = verify_files(core, tmp_path, simulation)
    assert "right is e0000000, the core gives f0000000" in report.failure.difference
    (tmp_path / "pdi.txt").write_text("# nothing\n")
    with pytest.raises(UserError, match="pdi.txt of .* has no word"):
        verify_files(core, tmp_path, simulation)
    out.write_bytes(b"# \xe9\n")
    with pytest.raises(UserError, match="do.txt is no text in UTF-8: wrong byte at 2$"):
        verify_files(core, tmp_path, simulation)


def test_bad_input_is_refused(simulation):
    with pytest.raises(UserError, match="no check 'sectors'"):
        MESSAGES.verify(simulation.core, checks=["sectors"], simulation=simulation)
    with pytest.raises(UserError, match="at least 1 random message"):
        MESSAGES.verify(simulation.core, amount=0, simulation=simulation)


def played(out, outcome=Ended.DONE):
    return PlayedMessages(outcome, 99, {"pdi": [1, -1]}, out, [*range(len(out))], None, None)


@pytest.mark.parametrize(
    "out, outcome, says",
    [
        (
            [1, 3],
            Ended.DONE,
            "Exchange 1 (b), word 0 of its output: right is 00000002, the core gives 00000003 in cycle 1.",
        ),
        (
            [1],
            Ended.STUCK,
            "Exchange 1 (b), word 0 of its output: right is 00000002, but the core is stuck after 99 cycles.",
        ),
        ([1, 2, 3], Ended.DONE, "1 words too many leave, the first in cycle 2."),
        ([1, 2], Ended.STUCK, "The core is stuck after 99 cycles: it accepted 1 of 2 words of pdi."),
        ([1, 2], Ended.DONE, None),
    ],
)
def test_the_first_difference(out, outcome, says):
    exchanges = [Exchange("a", [], [], [1]), Exchange("b", [], [], [2])]
    assert difference(exchanges, played(out, outcome), 32) == says


@pytest.mark.parametrize("size", [0, 1, 16, 37])
def test_one_message_by_the_core_and_by_the_specification(simulation, size):
    core, key, npub = simulation.core, bytes(range(16)), bytes(12)
    text = bytes(range(size))
    sealed = crypt(core, key, npub, b"ad", text, decrypt=False, engine="spec")
    assert len(sealed) == size + 16
    assert crypt(core, key, npub, b"ad", text, decrypt=False) == sealed
    for engine in ENGINES:
        assert crypt(core, key, npub, b"ad", sealed, decrypt=True, engine=engine) == text
        with pytest.raises(UserError, match="^ciphertext rejected"):
            crypt(core, key, npub, b"other", sealed, decrypt=True, engine=engine)


@pytest.mark.parametrize(
    "change, says",
    [
        ({"npub": bytes(11)}, "nonce must be 12 bytes, got 11"),
        ({"ad": bytes(49)}, "associated data must be at most 48 bytes; --set ad_bytes=N makes a core for more$"),
        ({"given": bytes(81)}, "a message must be at most 64 bytes; --set data_bytes=N makes a core for more$"),
        ({"given": bytes(15)}, "a ciphertext has at least its tag of 16 bytes, got 15"),
        ({"engine": "native"}, "unknown engine 'native'; there are rtl, spec"),
        ({"key": bytes(15)}, "key must be 16 bytes, got 15"),
    ],
)
def test_one_message_that_no_core_takes(change, says):
    given = {"key": bytes(16), "npub": bytes(12), "ad": b"", "given": bytes(16), "decrypt": True}
    with pytest.raises(UserError, match=f"^{says}"):
        crypt(contract("aes-gcm", SMALL), **given | change)
