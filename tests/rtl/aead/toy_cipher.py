# SPDX-License-Identifier: Apache-2.0
"""A toy cipher behind the CAESAR Hardware API, in hardware and in Python: small, so that tests are cheap.

S is 8 bytes. A block X of nonce or associated data, padded, makes S <- f(S + X); a block of the message gives
C = P + S in its length and makes S <- f(S + C + size). f turns the bits by 7 and adds 1. The tag is the low bytes of
f(S + key). One that expands pads the message, too, and each of its blocks is whole. No security at all.
"""

from amaranth import Array, Cat, Module, Mux, Signal
from amaranth.lib import wiring

from wideblock.rtl.aead.cipher import BlockKind, CipherShape, Padding, cipher_signature

__all__ = ["Toy", "ToyCipher"]

MASK = (1 << 64) - 1
MOST_RESULTS = 8


class Toy:
    """The specification under one key."""

    def __init__(self, key, *, expands=False):
        self.key, self.expands = int.from_bytes(key, "little"), expands

    @staticmethod
    def f(s):
        return (s << 7 | s >> 57) + 1 & MASK

    def blocks(self, data, padded):
        parts = [data[at : at + 8] for at in range(0, len(data), 8)] or [b""]
        pad = [b"\x80" if padded and len(part) < 8 else b"" for part in parts]
        return [int.from_bytes(part + one, "little") for part, one in zip(parts, pad, strict=True)]

    def crypt(self, npub, ad, text):
        """The ciphertext of a message, and the tag."""
        if self.expands:
            text += b"\x80" + bytes(-(len(text) + 1) % 8)
        return self.padded(npub, ad, text)

    def padded(self, npub, ad, text):
        """The same for a message that is padded already, rightly or not."""
        s, out = self.key, b""
        for block in [*self.blocks(npub, False), *self.blocks(ad, True)]:
            s = self.f(s ^ block)
        for at in range(0, max(1, len(text)), 8):
            part = text[at : at + 8]
            other = (int.from_bytes(part, "little") ^ s).to_bytes(8, "little")[: len(part)]
            out += other
            s = self.f(s ^ int.from_bytes(other, "little") ^ len(part))
        return out, self.f(s ^ self.key).to_bytes(8, "little")[:6]


class ToyCipher(wiring.Component):
    """The hardware: a block every ``pace`` cycles; the tag ``pace`` cycles after the last block, or after the results.

    One that is not online gives them then, ``gap`` cycles apart. ``kind``: properties of its shape. Results are at
    least two cycles apart.
    """

    remains = ("*",)

    def __init__(self, pace=3, **kind):
        self.gap = max(2, pace)
        self.pace = self.gap if kind.get("expands") else pace  # the last block follows another at once
        self.shape = CipherShape(block=8, key=8, npub=12, tag=6, padding=Padding.ONE, **kind)
        self.setup, self.flush = 1, 1
        super().__init__(cipher_signature(self.shape))
        self.wait, self.ended, self.bad = Signal(8), Signal(), Signal()

    def timetable(self, *, decrypt):
        return Timetable(self, decrypt)

    def elaborate(self, platform):
        m = Module()
        S, key, keyed, begun, received = Signal(64), Signal(64), Signal(), Signal(), Signal(48)
        wait, ended, shape = self.wait, self.ended, self.shape
        block, kind = self.i.payload, self.i.payload.kind
        m.d.comb += [self.key.ready.eq(~begun), self.i.ready.eq(keyed & (wait == 0) & ~ended)]
        own = Cat(Mux((k < block.size) | (shape.expands & ~block.decrypt), S[8 * k : 8 * k + 8], 0) for k in range(8))
        given = Cat(
            Mux((k < block.size) | (shape.expands & ~block.decrypt), block.data[8 * k : 8 * k + 8], 0) for k in range(8)
        )
        masked = Signal(64)
        m.d.comb += masked.eq(own ^ given)
        taken = Signal()
        data = Signal()
        m.d.comb += [taken.eq(self.i.valid & self.i.ready), data.eq(taken & (kind == BlockKind.DATA))]
        with m.If(wait != 0):
            m.d.sync += wait.eq(wait - 1)
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [key.eq(self.key.payload), keyed.eq(1)]
        with m.If(taken):
            m.d.sync += [begun.eq(1), wait.eq(self.pace - 1)]
            with m.If(kind == BlockKind.DATA):
                size = 8 if shape.expands else block.size
                m.d.sync += S.eq(self._f(m, S ^ Mux(block.decrypt, given, masked) ^ size, "data"))
                m.d.sync += ended.eq(block.last & ~(block.decrypt & shape.judges))
            with m.Elif(kind == BlockKind.TAG):
                m.d.sync += [received.eq(block.data), ended.eq(1)]
            with m.Else():
                m.d.sync += S.eq(self._f(m, Mux(begun, S, key) ^ block.data, "other"))
        last = self._results(m, data, masked)
        m.d.comb += [
            self.tag.valid.eq(ended & (wait == 0) & last),
            self.tag.payload.eq((self._f(m, S ^ key, "last")[:48] ^ received) | self.bad),
        ]
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += [begun.eq(0), ended.eq(0), received.eq(0), self.bad.eq(0)]
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (S, key, keyed, wait, ended, begun, received, self.bad)]
            m.d.sync += self.o.payload.as_value().eq(0)
        return m

    def _results(self, m, data, masked):
        """The results, as they are made or after the last block. Returns whether all of them were given."""
        block = self.i.payload
        result = Signal(self.shape.results)
        m.d.comb += [result.data.eq(masked), result.size.eq(block.size)]
        some = block.size != 0
        if self.shape.expands:
            some |= ~block.decrypt
            m.d.comb += result.size.eq(8)
            with m.If(block.decrypt & block.last):
                sizes = [(masked[8 * k :] == 0x80) for k in range(8)]
                for k in range(8):
                    with m.If(sizes[k]):
                        m.d.comb += [result.size.eq(k), result.data.eq(masked & (1 << 8 * k) - 1)]
                with m.If(data & ~sum(sizes).any()):
                    m.d.sync += self.bad.eq(1)
        if self.shape.online:
            m.d.sync += [self.o.valid.eq(data & some), self.o.payload.eq(result)]
            return 1
        stored = Array(Signal(self.shape.results, name=f"result_{k}") for k in range(MOST_RESULTS))
        written, read = Signal(range(MOST_RESULTS + 1)), Signal(range(MOST_RESULTS + 1))
        m.d.sync += self.o.valid.eq(0)
        with m.If(data & some):
            m.d.sync += [stored[written].as_value().eq(result), written.eq(written + 1)]
        with m.If(self.ended & (self.wait == 0) & (read != written)):
            m.d.sync += [self.o.valid.eq(1), self.o.payload.as_value().eq(stored[read].as_value())]
            m.d.sync += [read.eq(read + 1), self.wait.eq(self.gap - 1)]
        with m.If(self.clear | (self.tag.valid & self.tag.ready)):
            m.d.sync += [written.eq(0), read.eq(0)]
        return read == written

    def _f(self, m, s, name):
        turned = Signal(64, name=f"{name}_turned")
        m.d.comb += turned.eq(s.rotate_left(7) + 1)
        return turned


class Timetable:
    def __init__(self, cipher, decrypt):
        self.cipher, self.decrypt, self.free, self.taken = cipher, decrypt, 0, []

    def accept(self, kind, size, *, last, offered):
        at = max(offered, self.free)
        self.free = at + self.cipher.pace
        if kind is BlockKind.DATA and (size or (self.cipher.shape.expands and not self.decrypt)):
            self.taken.append(at)
        return at

    def results(self):
        if self.cipher.shape.online:
            return [at + 1 for at in self.taken]
        return [self.free + n * self.cipher.gap + 1 for n in range(len(self.taken))]

    def tag(self):
        return self.free if self.cipher.shape.online else self.free + len(self.taken) * self.cipher.gap
