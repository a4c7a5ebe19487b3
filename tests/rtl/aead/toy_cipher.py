# SPDX-License-Identifier: Apache-2.0
"""A toy cipher behind the CAESAR Hardware API, in hardware and in Python: small, so that tests are cheap.

S is 8 bytes. A block X of nonce or associated data, padded, makes S <- f(S + X); a block of the message gives
C = P + S in its length and makes S <- f(S + C + size). f turns the bits by 7 and adds 1. The tag is the low bytes of
f(S + key). No security at all.
"""

from amaranth import Cat, Module, Mux, Signal
from amaranth.lib import wiring

from wideblock.rtl.aead.cipher import CipherShape, Kind, Padding, cipher_signature

__all__ = ["Toy", "ToyCipher"]

MASK = (1 << 64) - 1


class Toy:
    """The specification under one key."""

    def __init__(self, key):
        self.key = int.from_bytes(key, "little")

    @staticmethod
    def f(s):
        return (s << 7 | s >> 57) + 1 & MASK

    def blocks(self, data, padded):
        parts = [data[at : at + 8] for at in range(0, len(data), 8)] or [b""]
        pad = [b"\x80" if padded and len(part) < 8 else b"" for part in parts]
        return [int.from_bytes(part + one, "little") for part, one in zip(parts, pad, strict=True)]

    def crypt(self, npub, ad, text, *, decrypt=False):
        """The other text, and the tag."""
        s, out = self.key, b""
        for block in [*self.blocks(npub, False), *self.blocks(ad, True)]:
            s = self.f(s ^ block)
        for at in range(0, max(1, len(text)), 8):
            part = text[at : at + 8]
            other = (int.from_bytes(part, "little") ^ s).to_bytes(8, "little")[: len(part)]
            out += other
            s = self.f(s ^ int.from_bytes(part if decrypt else other, "little") ^ len(part))
        return out, self.f(s ^ self.key).to_bytes(8, "little")[:6]


class ToyCipher(wiring.Component):
    """The hardware: a block every ``pace`` cycles; the tag ``pace`` cycles after the last block."""

    def __init__(self, pace=3):
        self.pace = pace
        self.shape = CipherShape(block=8, key=8, npub=12, tag=6, padding=Padding.ONE)
        self.setup, self.delay, self.flush = 1, 1, 1
        super().__init__(cipher_signature(self.shape))

    def timetable(self):
        return Timetable(self.pace)

    def elaborate(self, platform):
        m = Module()
        S, key, keyed, wait, ended = Signal(64), Signal(64), Signal(), Signal(8), Signal()
        block, kind = self.i.payload, self.i.payload.kind
        begun = Signal()
        m.d.comb += [
            self.key.ready.eq(~begun),
            self.i.ready.eq(keyed & (wait == 0) & ~ended),
            self.tag.valid.eq(ended & (wait == 0)),
            self.tag.payload.eq(self._f(m, S ^ key, "last")),
        ]
        masked = Signal(64)
        own = Cat(Mux(k < block.size, S[8 * k : 8 * k + 8], 0) for k in range(8))
        given = Cat(Mux(k < block.size, block.data[8 * k : 8 * k + 8], 0) for k in range(8))
        m.d.comb += masked.eq(own ^ given)
        taken = self.i.valid & self.i.ready
        with m.If(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        m.d.sync += [self.o.valid.eq(0)]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [key.eq(self.key.payload), keyed.eq(1)]
        with m.If(taken):
            m.d.sync += [begun.eq(1), wait.eq(self.pace - 1)]
            with m.If(kind == Kind.DATA):
                m.d.sync += [
                    self.o.valid.eq(block.size != 0),
                    self.o.payload.data.eq(masked),
                    self.o.payload.size.eq(block.size),
                    S.eq(self._f(m, S ^ Mux(block.decrypt, given, masked) ^ block.size, "data")),
                    ended.eq(block.last),
                ]
            with m.Else():
                m.d.sync += S.eq(self._f(m, Mux(begun, S, key) ^ block.data, "other"))
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += [begun.eq(0), ended.eq(0)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (S, key, keyed, wait, ended, begun, self.o.payload.as_value())]
        return m

    def _f(self, m, s, name):
        turned = Signal(64, name=f"{name}_turned")
        m.d.comb += turned.eq(s.rotate_left(7) + 1)
        return turned


class Timetable:
    def __init__(self, pace):
        self.pace, self.free = pace, 0

    def accept(self, kind, size, *, offered):
        at = max(offered, self.free)
        self.free = at + self.pace
        return at

    def tag(self):
        return self.free
