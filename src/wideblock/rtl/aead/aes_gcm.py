# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AES-GCM for nonces of 12 bytes: the equations, on one AES and one multiplier.

    H   = E(0)                              (once for each key)
    E_0 = E(N || 1),  E_i = E(N || 1 + i)   (the count is four bytes, big-endian)
    C_i = P_i + E_i
    Y   = (Y + X) H  for each X of  pad0(A), pad0(C), be64(8 |A|) || be64(8 |C|)
    T   = Y + E_0

Source: NIST SP 800-38D, 6.4, 6.5, 7.1 and 7.2.
Bytes: the field is read as GCM reads it: one is 80 00 .. 00.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring

from wideblock.rtl.aes.on_the_fly import OnTheFlyEncryption
from wideblock.rtl.aes.planes import named
from wideblock.rtl.bytes import below, kept
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.gf128.serial import SerialMultiplier

from .caesar import Caesar
from .cipher import BlockKind, CipherShape, cipher_signature
from .pace import Pace, Phase
from .parameters import AesHashParameters
from .words import byte_swapped

__all__ = ["BLOCK", "NPUB", "AesGcm", "AesGcmCipher", "lengths"]

BLOCK, NPUB = 16, 12  # bytes


def lengths(ad: Value, data: Value) -> Value:
    """The last block that is hashed, from numbers of bytes: be64(8 |A|) || be64(8 |C|)."""
    return Cat(byte_swapped(Cat(Const(0, 3), n, Const(0, 61 - len(n)))) for n in (ad, data))


class GcmState(enum.Enum):
    """EMPTY: no key. ZERO, HASH_KEY: the block 0 enters the AES, and leaves it as H. LENGTHS, TAG: the last product."""

    EMPTY = 0
    ZERO = 1
    HASH_KEY = 2
    IDLE = 3
    MESSAGE = 4
    LENGTHS = 5
    TAG = 6


class AesGcmCipher(wiring.Component):
    """AES-GCM as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions, tags of 16 bytes.

    The AES makes the key stream a block ahead. A block is accepted when the product of the previous block is complete.
    Y is the register of the multiplier; Y + X enters the register when the block is accepted.

    Timing: a block of data in the latency of the AES, 11 cycles with AES-128 and 15 with AES-256, or in ``mult_cycles``
            if that is more; one of associated data in ``mult_cycles``.
    Paths:  ``i`` to ``o``.
    Cost:   an AES of one round with round keys on the way, a serial multiplier, 128 registers each of H and E_0.
    Security: no masking; no cycle depends on key or data.
    """

    remains = ("N", "multiplier.sum_")

    def __init__(self, parameters: AesHashParameters):
        self.parameters = p = parameters
        self.aes = OnTheFlyEncryption(key_bits=p.key_bits, sbox=p.sbox)
        self.multiplier = SerialMultiplier(cycles=p.mult_cycles)
        self.shape = CipherShape(block=BLOCK, key=p.key_bits // 8, npub=NPUB, tag=16)
        self.setup = self.aes.key_latency + self.aes.timing.latency + 1
        self.flush = 1
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(GcmState)
        self._E_0 = Signal(128, reset_less=True)
        self._masked = Signal()  # E_0 is known

    def timetable(self, *, decrypt: bool) -> Pace:
        call, product = self.aes.timing.latency, self.multiplier.timing.latency

        def phases(kind: BlockKind, size: int, last: bool) -> list[Phase]:
            if kind is BlockKind.NPUB:  # N || 1 enters the AES a cycle later
                return [Phase(until={"E_0": 1 + call + 1, "E_i": 1 + 2 * call})]
            hashed = {"multiplier": product} if size else {}
            if kind is BlockKind.AD:
                return [Phase(("multiplier",), until=hashed)]
            known, result = ("E_i", 0) if size else ("E_0", None)
            return [Phase(("multiplier", known), until={"E_i": call, **hashed}, result=result)]

        return Pace(phases, end=Phase(("multiplier",), delay=1), tag=product)

    def elaborate(self, platform):
        m = Module()
        m.submodules.aes, m.submodules.multiplier = self.aes, self.multiplier
        begin = Signal()
        absorb = Signal()  # a block is taken that has a byte
        m.d.comb += begin.eq((self._state == GcmState.IDLE) & self.i.valid)
        self._keys(m)
        self._counter(m, begin)
        E = self._blocks(m, begin, absorb)
        self._hash(m, begin, absorb, E)
        with m.If(self.clear):
            m.d.comb += [self.aes.clear.eq(1), self.multiplier.clear.eq(1)]
            m.d.sync += [self._masked.eq(0), self._state.eq(GcmState.EMPTY)]
        return m

    def _keys(self, m: Module) -> None:
        """A key, and H."""
        state, aes = self._state, self.aes
        m.d.comb += [
            self.key.ready.eq((state == GcmState.EMPTY) | (state == GcmState.IDLE)),
            aes.key.payload.eq(self.key.payload),
            aes.key.valid.eq(self.key.valid & self.key.ready),
        ]
        with m.If(aes.key.valid):
            m.d.sync += state.eq(GcmState.ZERO)
        with m.If(state == GcmState.ZERO):
            m.d.comb += aes.i.valid.eq(1)
            with m.If(aes.i.ready):
                m.d.sync += state.eq(GcmState.HASH_KEY)

    def _counter(self, m: Module, begin: Value) -> None:
        """N || 1, N || 2, .. enter the AES, as long as it takes them, during a message; for H both are 0."""
        aes = self.aes
        blocks = 1 + -(-self.parameters.longest_data // BLOCK)
        N = Signal(8 * NPUB, reset_less=True)
        count = Signal(range(blocks + 2), reset_less=True)  # the AES is one block ahead
        m.d.comb += aes.i.payload.eq(Cat(N, byte_swapped(Cat(count, Const(0, 32 - len(count))))))
        with m.If(self._state == GcmState.MESSAGE):
            m.d.comb += aes.i.valid.eq(1)
            with m.If(aes.i.ready):
                m.d.sync += count.eq(count + 1)
        with m.If(begin):
            m.d.sync += [N.eq(self.i.payload.data), count.eq(1), self._state.eq(GcmState.MESSAGE)]
        with m.If(self.clear | aes.key.valid):
            m.d.sync += [N.eq(0), count.eq(0)]

    def _blocks(self, m: Module, begin: Value, absorb: Signal) -> Value:
        """Blocks are taken while no product is under way; data when their part of the key stream is known.

        Returns the key stream of the block that is taken, if it is to be hashed, too.
        """
        block, aes, kind = self.i.payload, self.aes, self.i.payload.kind
        some = Signal()
        known = Signal()
        crypt = Signal()
        with m.If(self._state == GcmState.IDLE):
            m.d.comb += self.i.ready.eq(1)
        with m.If(self._state == GcmState.MESSAGE):
            m.d.comb += [
                some.eq(block.size != 0),
                known.eq(self._masked & (aes.o.valid | ~some)),
                self.i.ready.eq(self.multiplier.i.ready & ((kind == BlockKind.AD) | known)),
                absorb.eq(self.i.valid & self.i.ready & some),
                crypt.eq(absorb & (kind == BlockKind.DATA)),
                aes.o.ready.eq(crypt | ~self._masked),
            ]
            with m.If(aes.o.valid & ~self._masked):
                m.d.sync += [self._E_0.eq(aes.o.payload), self._masked.eq(1)]
            with m.If(self.i.valid & self.i.ready & (kind == BlockKind.DATA) & block.last):
                m.d.comb += aes.drop.eq(1)
                m.d.sync += self._state.eq(GcmState.LENGTHS)
        with m.If(begin):
            m.d.sync += self._masked.eq(0)
        E = named(m, "E", kept(aes.o.payload, named(m, "inside", below(block.size, BLOCK))))
        m.d.comb += [
            self.o.valid.eq(crypt),
            self.o.payload.data.eq(block.data ^ E),
            self.o.payload.size.eq(block.size),
        ]
        encrypt = (kind == BlockKind.DATA) & ~block.decrypt
        return named(m, "hashed", E & encrypt.replicate(128))

    def _counted(self, m: Module, begin: Value, absorb: Value) -> tuple[Signal, Signal]:
        """Bytes of associated data, and bytes of the present kind."""
        p, block = self.parameters, self.i.payload
        ad = Signal(range(p.longest_ad + 1), reset_less=True)
        present = Signal(range(max(p.longest_ad, p.longest_data) + 1), reset_less=True)
        total = Signal.like(present)
        ends = Signal()  # associated data ends, maybe with an empty block
        m.d.comb += [
            total.eq(present + block.size),
            ends.eq(self.i.valid & self.i.ready & (block.kind == BlockKind.AD) & block.last),
        ]
        with m.If(absorb):
            m.d.sync += present.eq(total)
        with m.If(ends):
            m.d.sync += ad.eq(total)
        with m.If(begin | ends | self.clear):
            m.d.sync += present.eq(0)
        with m.If(self.clear):
            m.d.sync += ad.eq(0)
        return ad, present

    def _hash(self, m: Module, begin: Value, absorb: Value, E: Value) -> None:
        """Y = (Y + X) H, one product at a time; then the block of the lengths, and the tag."""
        state, multiplier, aes = self._state, self.multiplier, self.aes
        H = Signal(128, reset_less=True)
        forget = Signal()
        Y = multiplier.o.payload
        sizes = lengths(*self._counted(m, begin, absorb))
        m.d.comb += [
            multiplier.clear.eq(begin),
            # the AES was dropped before LENGTHS: E is 0 there
            multiplier.i.payload.a.eq(
                WireReading.GCM.element(Mux(state == GcmState.LENGTHS, sizes, self.i.payload.data) ^ E) ^ Y
            ),
            multiplier.i.payload.b.eq(H),
            multiplier.i.valid.eq(absorb),
            self.tag.valid.eq((state == GcmState.TAG) & multiplier.i.ready),
            self.tag.payload.eq(WireReading.GCM.block(Y) ^ self._E_0),
        ]
        with m.Switch(state):
            with m.Case(GcmState.HASH_KEY):
                m.d.comb += aes.o.ready.eq(1)
                with m.If(aes.o.valid):
                    m.d.sync += [H.eq(WireReading.GCM.element(aes.o.payload)), state.eq(GcmState.IDLE)]
            with m.Case(GcmState.LENGTHS):
                with m.If(multiplier.i.ready):
                    m.d.comb += multiplier.i.valid.eq(1)
                    m.d.sync += state.eq(GcmState.TAG)
            with m.Case(GcmState.TAG):
                with m.If(self.tag.valid & self.tag.ready):
                    m.d.comb += forget.eq(1)
                    m.d.sync += state.eq(GcmState.IDLE)
        with m.If(self.clear):
            m.d.sync += H.eq(0)
        with m.If(self.clear | forget):
            m.d.sync += self._E_0.eq(0)


class AesGcm(Caesar):
    """AES-GCM behind the CAESAR Hardware API."""

    title = "AES-GCM, an authenticated cipher"
    make_cipher = AesGcmCipher
