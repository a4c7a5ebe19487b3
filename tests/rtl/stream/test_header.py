# SPDX-License-Identifier: Apache-2.0
"""Requests in the first beats of packets: packets that end with them, clearing behind them, and their cycles."""

from itertools import chain

import numpy as np
import pytest

from wideblock.drive.core import reset_at, zeroize_at
from wideblock.drive.sector.simulation import SectorSimulation
from wideblock.drive.sector.traffic import Key
from wideblock.errors import UserError
from wideblock.export.contract import contract
from wideblock.rtl.stream.behaviour import Cause
from wideblock.simulation.script import Script
from wideblock.simulation.verilator import Options
from wideblock.spec.xts import XTS

pytestmark = pytest.mark.shows("protocol")

KEY, SLOT, TWEAK, DATA = bytes(range(32)), 2, bytes(range(16)), bytes(range(48))
RIGHT = XTS(KEY).encrypt(TWEAK, DATA)
CHANGES = {"sector_bytes": 48, "slots": 4, "key_bits": 128, "sbox": "composite", "header": True, "tag_bits": 16}


@pytest.fixture(scope="module")
def core():
    """A core of one block a beat, whose requests are two beats."""
    with SectorSimulation(contract("xts-enc-k", CHANGES), options=Options(optimise=0)) as simulation:
        yield simulation


def packet(tag, data=DATA, beats=5):
    """The first ``beats`` beats of a request and its data, the last one marked."""
    request = TWEAK + SLOT.to_bytes(2, "little") + tag.to_bytes(2, "little") + bytes(1)
    whole = request.ljust(32, b"\xff") + data
    return [(whole[16 * n : 16 * n + 16], n == beats - 1) for n in range(beats)]


def played(core, *packets, earliest=None, **more):
    """The record of packets under a key; beat ``earliest[0]`` of all comes not before cycle ``earliest[1]``."""
    core.reset()
    core.load_key(KEY, SLOT)
    beats = list(chain(*packets))
    words = core.simulation.words("i", len(beats))
    words["data"] = np.frombuffer(b"".join(data for data, _ in beats), np.uint8).reshape(-1, 16)
    words["last"], words["keep"] = [last for _, last in beats], 255
    if earliest:
        words["earliest"][earliest[0]] = earliest[1]
    return core.simulation.play(Script(words={"i": words}, capacity=64, quiet=600, **more))


def left(record):
    """The tags and the data of all beats that left."""
    out = record.words["o"]
    return [int.from_bytes(tag.tobytes(), "little") for tag in out["tag"]], out["data"].tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("beats", [1, 2])
def test_a_packet_that_ends_with_its_request_or_within_it_is_dropped_with_a_fault(core, beats):
    record = played(core, packet(0x1234), packet(0x5678, beats=beats), packet(0x9ABC))
    assert left(record) == ([0x1234] * 3 + [0x9ABC] * 3, 2 * RIGHT)
    ((cycle, fault),) = record.pulses["fault"]
    within = beats == 1  # then the slot is not known, and no slot is taken for it
    assert fault == core.core.behaviour.fault(Cause.SLOT if within else Cause.SHORT)
    tags = [tag for at, tag in record.levels["fault_tag"] if at == cycle]
    assert tags == ([] if within else [0x5678])


@pytest.mark.slow
@pytest.mark.parametrize("taken", [1, 2, 3])
@pytest.mark.parametrize("event", [zeroize_at, reset_at])
def test_a_clear_behind_the_request_ends_its_message_without_a_fault(core, taken, event):
    """After a reset the next beat is the first one of a packet; after zeroize the rest is dropped up to its end."""
    late = 20 + 2 * core.core.timing.zeroize
    rest = packet(0x5678) if event is zeroize_at else packet(0x5678)[:taken]
    record = played(core, rest, packet(0x9ABC), earliest=(taken, late), events=[event(20)])
    assert not left(record)[0]
    slot = core.core.behaviour.fault(Cause.SLOT)  # of the packet behind it: no key is left
    assert [value for _, value in record.pulses["fault"]] == [slot]
    assert [tag for _, tag in record.levels["fault_tag"] if tag] == [0x9ABC]


@pytest.mark.slow
def test_bytes_behind_the_request_and_its_keep_do_not_matter(core):
    beats = packet(7)
    other = [(data[:5] + bytes(11) if n == 1 else data, last) for n, (data, last) in enumerate(beats)]
    assert left(played(core, beats))[1] == left(played(core, other))[1] == RIGHT


@pytest.mark.parametrize(("name", "more"), [("xts-enc-k", 1), ("xts-2-k", 0)])
def test_a_request_costs_no_more_cycles_than_its_beats_beyond_the_one_that_a_tweak_takes(name, more):
    plain = contract(name, CHANGES | {"header": False, "sector_bytes": 4096})
    core = contract(name, CHANGES | {"sector_bytes": 4096})
    assert core.timing.interval == plain.timing.interval + more
    assert core.timing.latency == plain.timing.latency
    assert core.interface.channel("i").header_words == 1 + more


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("xts-enc", {"header": True}, "header must be false without slots, got true; slots 256 goes with it"),
        ("xts-enc-k", {"tag_bits": 12}, "tag_bits must be one of 0, 8, 16, 24, 32, 40, 48, 56, 64, got 12"),
        ("xts-enc-k", {"tag_bits": 72}, "tag_bits must be one of 0, 8, 16, 24, 32, 40, 48, 56, 64, got 72"),
    ],
)
def test_headers_and_tags_that_no_core_can_have_are_one_line(name, changes, message):
    with pytest.raises(UserError) as error:
        contract(name, changes)
    assert str(error.value) == message


@pytest.mark.slow
def test_keys_may_come_between_a_request_and_its_data(core):
    core.reset()
    sectors = np.frombuffer(DATA * 2, np.uint8).reshape(2, -1)
    keys = [Key(KEY, before=n, slot=n) for n in range(2)]
    record = core.play(core.script(sectors, [TWEAK] * 2, slots=[0, 1], keys=keys, quiet=200))
    assert [sector.tobytes() for sector in record.sectors] == [RIGHT] * 2
