# SPDX-License-Identifier: Apache-2.0
"""A test double: a small sector core that keeps every rule of the ports, and flaws that each break one of them.

It enciphers nothing worth the name (one keyed substitution), so that what is tested is the harness. All flaws are in
one model, which reads the number of its flaw from a file when it is made: a build takes longer than a run.
"""

from dataclasses import dataclass, field
from functools import cached_property

from amaranth import Array, C, Cat, Instance, Module, Mux, ResetSignal, Signal
from amaranth.lib import memory, wiring

from wideblock.catalog import KnownAnswer
from wideblock.catalog.kinds import SECTOR, Kind
from wideblock.export.verilog import convert
from wideblock.rtl.shell.axi_stream import AxiStreamShell
from wideblock.rtl.stream.behaviour import Behaviour, Cause, Fault, FixedLength, KeyRule, Output, SectorTiming
from wideblock.rtl.stream.sector import sector_interface

PATH = "flaw.hex"
SELECT = f"""
module flaw_select(output [7:0] flaw);
  reg [7:0] chosen [0:0];
  initial $readmemh("{PATH}", chosen);
  assign flaw = chosen[0];
endmodule
"""

FLAWS = (
    "dropped beat",
    "duplicated sector",
    "wrong byte",
    "wrong direction",
    "tweak of the last beat",
    "unstable valid",
    "payload changes while held",
    "valid in reset",
    "stale output after zeroize",
    "key kept by zeroize",
    "late zeroize",
    "zero key",
    "key inside a sector",
    "wrong fault",
    "no fault",
    "malformed sector leaves",
    "early ready",
    "computed after reset",
    "tweak kept by zeroize",
    "buffer kept by zeroize",
    "key on an idle port",
    "reversed key on an idle port",
    "mask after zeroize",
    "input on an idle port",
    "key bit on a status",
    "data bit beside the data",
)
FAULTS = (Fault(Cause.SHORT, "a sector was too short"), Fault(Cause.LONG, "a sector was too long"))


class Specification:
    """What the toy computes, under one key."""

    def __init__(self, key: bytes):
        self.key = key[:16]

    def encrypt(self, tweak: bytes, sector: bytes) -> bytes:
        return self._blocks(tweak, sector, self._encrypt)

    def decrypt(self, tweak: bytes, sector: bytes) -> bytes:
        return self._blocks(tweak, sector, self._decrypt)

    def key_values(self, blocks):
        yield "K", self.key

    def tweak_values(self, tweak, blocks):
        for i in range(blocks):
            yield f"mask {i}", (_number(tweak) ^ i).to_bytes(16, "little")

    @staticmethod
    def _blocks(tweak, sector, function):
        return b"".join(function(tweak, sector[i : i + 16], i // 16) for i in range(0, len(sector), 16))

    def _encrypt(self, tweak, block, i):
        y = substitute(split(_number(block) ^ _number(tweak) ^ i))
        return (join(y) ^ _number(self.key)).to_bytes(16, "little")

    def _decrypt(self, tweak, block, i):
        x = substitute_back(split(_number(block) ^ _number(self.key)))
        return (join(x) ^ _number(tweak) ^ i).to_bytes(16, "little")


def _number(block):
    return int.from_bytes(block, "little")


def split(number):
    return [number >> k & 0xFFFFFFFF for k in range(0, 128, 32)]


def join(words):
    return sum(word << 32 * k for k, word in enumerate(words))


def substitute(x):
    """Four words to four words, each a value or an int; step k changes one word by two of the others."""
    a, b, c, d = x
    a = a ^ (b & c)
    b = b ^ (c | d)
    c = c ^ (d & a)
    d = d ^ (a | b)
    return [a, b, c, d]


def substitute_back(y):
    a, b, c, d = y
    d = d ^ (a | b)
    c = c ^ (d & a)
    b = b ^ (c | d)
    a = a ^ (b & c)
    return [a, b, c, d]


@dataclass(frozen=True)
class Toy:
    """The subject of a verification: it has the attributes of a contract."""

    asked, icv_bytes, behind, registers = "toy", 0, 0, ()
    width: int = 1
    sector_bytes: int = 64
    key_bits: int = 128
    flawed: bool = False
    block_ram: bool = False
    module: str = "toy"
    specification: type = field(default=Specification, repr=False)

    @property
    def kind(self) -> Kind:
        return SECTOR

    @property
    def parameters(self) -> "Toy":
        return self

    @property
    def streaming(self):
        return self.interface

    def expect_streams(self) -> None:
        """Nothing to raise: the toy has streams."""

    @property
    def beats(self) -> int:
        return self.sector_bytes // (16 * self.width)

    @property
    def timing(self) -> SectorTiming:
        beats, latency = self.beats, 2 * self.beats - 1
        return SectorTiming(beats, latency, busy=latency, interval=beats, setup=5, zeroize=2 * beats + 1)

    @property
    def behaviour(self) -> Behaviour:
        return Behaviour(
            length=FixedLength(self.sector_bytes),
            output=Output.AFTER_WHOLE,
            directions=(False, True),
            keys=KeyRule.ANY,
            faults=FAULTS,
            timing=self.timing,
        )

    @property
    def interface(self):
        return sector_interface(self.width, self.key_bits, FAULTS)

    @cached_property
    def shell(self):
        return AxiStreamShell(Core(self))

    @cached_property
    def verilog(self) -> str:
        text = convert(self.shell, self.module)
        return text + SELECT if self.flawed else text

    @property
    def known_answers(self) -> list[KnownAnswer]:
        key, tweak, sector = bytes(range(self.key_bits // 8)), bytes(range(16, 32)), bytes(self.sector_bytes)
        return [KnownAnswer("zeros", key, tweak, sector, self.specification(key).encrypt(tweak, sector))]


class Core(wiring.Component):
    """Two sector buffers: one fills while the other, substituted on its way out, empties."""

    def __init__(self, toy):
        self.width, self.beats = toy.width, toy.sector_bytes // (16 * toy.width)
        self.flawed, self.block_ram = toy.flawed, toy.block_ram
        self.interface, self.behaviour, self.timing = toy.interface, toy.behaviour, toy.timing
        self.flaw = Signal(8)
        super().__init__(self.interface.members())

    def has(self, flaw):
        return self.flaw == FLAWS.index(flaw) + 1 if self.flawed else C(0)

    def elaborate(self, platform):
        m = Module()
        i, o = self.i.payload, self.o.payload
        rows = 2 * self.beats
        if self.flawed:
            m.submodules.select = Instance("flaw_select", o_flaw=self.flaw)
        m.submodules.buffer = buffer = memory.Memory(
            shape=128 * self.width, depth=rows, init=[], attrs={"ram_style": "block"} if self.block_ram else {}
        )
        write, read = buffer.write_port(), buffer.read_port()

        key = Signal(128)
        loaded, wait, clearing = Signal(), Signal(range(8)), Signal(range(rows + 1), init=rows)
        fill, drain = Signal(), Signal()  # which buffer
        full = Array(Signal(name=f"full{i}") for i in range(2))
        tweak = Array(Signal(128, name=f"tweak{i}") for i in range(2))
        decrypt = Array(Signal(name=f"decrypt{i}") for i in range(2))
        taken, given, discard = Signal(range(self.beats)), Signal(range(self.beats)), Signal()
        next_given, next_drain = Signal.like(given), Signal()  # a row is read the cycle before it is needed
        fault, computed = Signal(2), Signal()
        idle = Signal()
        m.d.comb += [
            idle.eq((taken == 0) & ~discard & ~full[0] & ~full[1]),
            self.ready.eq(loaded & ((wait == 0) | self.has("early ready"))),
            self.fault.eq(fault),
            self.computed.eq(computed | self.has("computed after reset") & ~loaded),
        ]

        # keys, only when idle, or to go on with the rest of a sector that zeroize cut
        key_time = idle | (discard & ~loaded) | self.has("key inside a sector")
        m.d.comb += self.key.ready.eq(key_time & (wait == 0) & (clearing == 0) & ~self.zeroize)
        with m.If(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [key.eq(self.key.payload[:128]), loaded.eq(1), wait.eq(4)]

        # a new key waits for a sector boundary, so a boundary waits for the key
        held_by_key = Signal()
        m.d.comb += held_by_key.eq(self.key.valid & (taken == 0) & ~discard & ~self.has("key inside a sector"))
        have_key = (loaded & (wait == 0)) | self.has("zero key")
        m.d.comb += self.i.ready.eq(have_key & ~full[fill] & ~held_by_key & (clearing == 0) & ~self.zeroize)
        accept, at_end = Signal(), Signal()
        m.d.comb += [
            accept.eq(self.i.valid & self.i.ready),
            at_end.eq(taken == self.beats - 1),
            write.addr.eq(Cat(taken, C(0, 8))[: len(write.addr)] + fill * self.beats),
            write.data.eq(i.data),
            write.en.eq(accept & ~discard & ~(self.has("dropped beat") & (i.data[:5] == 7))),
        ]
        m.d.sync += [fault.eq(0), computed.eq(0)]
        first = Mux(self.has("tweak of the last beat"), i.last, taken == 0)
        with m.If(accept & ~discard & first):
            m.d.sync += [tweak[fill].eq(i.tweak), decrypt[fill].eq(i.decrypt)]
        with m.If(accept):
            with m.If(discard):
                m.d.sync += discard.eq(~i.last)
            with m.Elif(at_end & i.last):
                m.d.sync += [taken.eq(0), full[fill].eq(1), fill.eq(~fill), computed.eq(1)]
            with m.Elif(at_end):
                m.d.sync += [taken.eq(0), discard.eq(1), fault.eq(Mux(self.has("wrong fault"), 1, 2))]
            with m.Elif(i.last):
                m.d.sync += [taken.eq(0), fault.eq(Mux(self.has("no fault"), 0, 1))]
                with m.If(self.has("malformed sector leaves")):
                    m.d.sync += [full[fill].eq(1), fill.eq(~fill)]
            with m.Else():
                m.d.sync += taken.eq(taken + 1)

        # the other buffer empties
        m.d.comb += [
            read.addr.eq(Cat(next_given, C(0, 8))[: len(read.addr)] + next_drain * self.beats),
            next_given.eq(given),
            next_drain.eq(drain),
            self.o.valid.eq(full[drain]),
            o.last.eq(given == self.beats - 1),
        ]
        shown = Signal(128 * self.width)
        m.d.comb += o.data.eq(Mux(self.o.valid, shown, 0))
        for j in range(self.width):
            block, mask, place = read.data[128 * j : 128 * j + 128], Signal(128), Signal(128)
            m.d.comb += [place.eq(Cat(C(j, self.width.bit_length() - 1), given)), mask.eq(tweak[drain] ^ place)]
            forth, back = Signal(128), Signal(128)
            x, y = block ^ mask, block ^ key
            m.d.comb += [
                forth.eq(Cat(substitute([x[k : k + 32] for k in range(0, 128, 32)])) ^ key),
                back.eq(Cat(substitute_back([y[k : k + 32] for k in range(0, 128, 32)])) ^ mask),
            ]
            with m.If(decrypt[drain] & ~self.has("wrong direction")):
                m.d.comb += shown[128 * j : 128 * j + 128].eq(back)
            with m.Else():
                m.d.comb += shown[128 * j : 128 * j + 128].eq(forth)
        m.d.sync += [given.eq(next_given), drain.eq(next_drain)]
        again = Signal()
        with m.If(self.o.valid & self.o.ready):
            m.d.comb += next_given.eq(given + 1)
            with m.If(o.last):
                m.d.comb += next_given.eq(0)
                m.d.sync += again.eq(0)
                with m.If(self.has("duplicated sector") & (o.data[:4] == 5) & ~again):
                    m.d.sync += again.eq(1)
                with m.Else():
                    m.d.sync += full[drain].eq(0)
                    m.d.comb += next_drain.eq(~drain)

        # zeroize, and its walk through the buffer
        walk = Signal(range(rows))
        m.d.sync += walk.eq(Mux((clearing != 0) & (walk != rows - 1), walk + 1, 0))
        with m.If(clearing != 0):
            m.d.sync += clearing.eq(clearing - 1)
            m.d.comb += [
                write.addr.eq(walk),
                write.data.eq(0),
                write.en.eq(~self.has("buffer kept by zeroize")),
            ]
        with m.If(self.zeroize):
            m.d.comb += [next_drain.eq(0), next_given.eq(0)]
            m.d.sync += [
                key.eq(0),
                loaded.eq(0),
                wait.eq(0),
                clearing.eq(rows),
                fill.eq(0),
                drain.eq(0),
                full[0].eq(0),
                full[1].eq(0),
                taken.eq(0),
                given.eq(0),
                discard.eq(discard | (taken != 0)),
                fault.eq(0),
                computed.eq(0),
            ]
            with m.If(~self.has("tweak kept by zeroize")):
                m.d.sync += [register.eq(0) for register in (*tweak, *decrypt)]
            with m.If(self.has("stale output after zeroize")):
                m.d.sync += [full[drain].eq(full[drain]), drain.eq(drain), given.eq(given), key.eq(key), clearing.eq(0)]
                m.d.comb += [next_drain.eq(drain), next_given.eq(given)]
            with m.If(self.has("key kept by zeroize")):
                m.d.sync += [loaded.eq(loaded), key.eq(key)]
        if self.flawed:
            self._break(m, rows, loaded, given)
            self._show(m, key, tweak[0] ^ 1, accept, clearing != 0)
        return m

    def _show(self, m, key, mask, accept, clearing):
        """Flaws of secrecy."""
        i, o, idle = self.i.payload, self.o.payload, ~self.o.valid
        kept, entered = Signal(128), Signal(128)
        with m.If(self.has("mask after zeroize") & ~clearing):
            m.d.sync += kept.eq(mask)
        with m.If((self.has("input on an idle port") | self.has("data bit beside the data")) & accept):
            m.d.sync += entered.eq(i.data)
        with m.If(self.has("key on an idle port") & idle):
            m.d.comb += o.data.eq(key)
        with m.If(self.has("reversed key on an idle port") & idle):
            m.d.comb += o.data[8:40].eq(key[-32:][::-1])
        with m.If(self.has("mask after zeroize") & clearing):
            m.d.comb += o.data.eq(kept)
        with m.If(self.has("input on an idle port") & idle):
            m.d.comb += o.data.eq(entered)
        with m.If(self.has("key bit on a status") & idle & key[5] & ~clearing):
            m.d.comb += self.computed.eq(1)
        with m.If(self.has("data bit beside the data") & idle):
            m.d.comb += o.last.eq(entered[77])

    def _break(self, m, rows, loaded, given):
        """Flaws of the status and of the output stream."""
        o = self.o.payload
        late = Signal(range(rows + 8))
        with m.If(self.zeroize & loaded & self.has("late zeroize")):
            m.d.sync += late.eq(rows + 6)
        with m.Elif(late != 0):
            m.d.sync += late.eq(late - 1)
            m.d.comb += self.ready.eq(1)
        count = Signal(6)
        m.d.sync += count.eq(Mux(self.zeroize, 0, count + 1))
        with m.If(self.has("wrong byte") & (given == self.beats - 1) & (o.data[16:20] == 9)):
            m.d.comb += o.data[8:16].eq(0x55)
        with m.If(self.has("unstable valid") & (count == 0)):
            m.d.comb += self.o.valid.eq(0)
        with m.If(self.has("payload changes while held") & ~self.o.ready):
            m.d.comb += o.data[0].eq(count[0])
        with m.If(self.has("valid in reset") & ResetSignal()):
            m.d.comb += self.o.valid.eq(1)
