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

from wideblock.rtl.aes.iterative import IterativeEncryption
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.gf128.reading import Reading
from wideblock.rtl.gf128.serial import SerialMultiplier

from .caesar import Caesar
from .cipher import CipherShape, Kind, cipher_signature
from .parameters import AesHashParameters
from .words import byte_swapped

__all__ = ["BLOCK", "NPUB", "AesGcm", "AesGcmCipher", "lengths"]

BLOCK, NPUB = 16, 12  # bytes


def lengths(ad: Value, data: Value) -> Value:
    """The last block that is hashed, from numbers of bytes: be64(8 |A|) || be64(8 |C|)."""
    return Cat(byte_swapped(Cat(Const(0, 3), n, Const(0, 61 - len(n)))) for n in (ad, data))


class State(enum.Enum):
    """EMPTY: no key. EXPAND, HASH_KEY: round keys, then H, are made. LENGTHS, SUM: the last product of a message."""

    EMPTY = 0
    EXPAND = 1
    HASH_KEY = 2
    IDLE = 3
    MESSAGE = 4
    LENGTHS = 5
    SUM = 6
    TAG = 7


class AesGcmCipher(wiring.Component):
    """AES-GCM as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions, tags of 16 bytes.

    The AES makes the key stream ahead, one block while the one before it is used.

    Timing: a block of data in the latency of the AES, 11 cycles with AES-128 and 15 with AES-256; one of associated
            data in mult_cycles + 1.
    Cost:   an AES of one round, its key expansion, a serial multiplier, 128 registers each of H, Y, E_0, X and a
            result.
    Security: no masking; no cycle depends on key or data.
    """

    def __init__(self, parameters: AesHashParameters):
        self.parameters = p = parameters
        self.aes = IterativeEncryption(key_bits=p.key_bits, sbox=p.sbox)
        self.expansion = KeyExpansion(key_bits=p.key_bits, sbox=p.sbox)
        self.multiplier = SerialMultiplier(cycles=p.mult_cycles)
        self.shape = CipherShape(block=BLOCK, key=p.key_bits // 8, npub=NPUB, tag=16)
        self.setup = self.expansion.timing.latency + self.aes.timing.latency + 1
        self.flush = 1
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(State)
        self._E_0 = Signal(128, reset_less=True)
        self._masked = Signal()  # E_0 is known
        self._X = Signal(128, reset_less=True)
        self._absorb = Signal()  # X is still to be hashed
        self._bytes = {kind: Signal(16, name=f"{kind.name}_bytes".lower()) for kind in (Kind.AD, Kind.DATA)}

    def timetable(self, *, decrypt: bool) -> "Timetable":
        return Timetable(self.aes.timing.latency, self.multiplier.timing.latency)

    def elaborate(self, platform):
        m = Module()
        m.submodules.aes, m.submodules.expansion, m.submodules.multiplier = self.aes, self.expansion, self.multiplier
        take = Signal()
        m.d.comb += take.eq(self.i.valid & self.i.ready)
        self._keys(m)
        counting = self._counter(m, take)
        self._blocks(m, take)
        self._hash(m, take)
        with m.If(take & (self.i.payload.kind == Kind.DATA) & self.i.payload.last):
            m.d.comb += self.aes.clear.eq(1)
            m.d.sync += [counting.eq(0), self._state.eq(State.LENGTHS)]
        with m.If(self.clear):
            m.d.comb += [self.aes.clear.eq(1), self.expansion.clear.eq(1), self.multiplier.clear.eq(1)]
            registers = (self._E_0, self._masked, self._X, self._absorb, counting, *self._bytes.values())
            m.d.sync += [*(register.eq(0) for register in registers), self._state.eq(State.EMPTY)]
        return m

    def _keys(self, m: Module) -> None:
        """Round keys, and then H, whose block is 0."""
        state, expansion, aes = self._state, self.expansion, self.aes
        open = (state == State.EMPTY) | (state == State.IDLE)
        m.d.comb += [
            expansion.key.payload.eq(self.key.payload),
            expansion.key.valid.eq(self.key.valid & open),
            self.key.ready.eq(expansion.key.ready & open),
            aes.round_keys.eq(expansion.round_keys),
        ]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += state.eq(State.EXPAND)
        with m.If((state == State.EXPAND) & expansion.ready):
            m.d.comb += aes.i.valid.eq(1)
            m.d.sync += state.eq(State.HASH_KEY)

    def _counter(self, m: Module, take: Value) -> Signal:
        """N || 1, N || 2, .. enter the AES, as long as it takes them, while the signal that is returned is high."""
        aes = self.aes
        N = Signal(8 * NPUB, reset_less=True)
        count = Signal(32)
        counting = Signal()
        m.d.comb += aes.i.payload.eq(Mux(counting, Cat(N, byte_swapped(count)), 0))
        with m.If(counting):
            m.d.comb += aes.i.valid.eq(1)
            with m.If(aes.i.ready):
                m.d.sync += count.eq(count + 1)
        with m.If(take & (self.i.payload.kind == Kind.NPUB)):
            m.d.sync += [N.eq(self.i.payload.data), count.eq(1), counting.eq(1), self._state.eq(State.MESSAGE)]
        with m.If(self.clear):
            m.d.sync += [N.eq(0), count.eq(0)]
        return counting

    def _blocks(self, m: Module, take: Value) -> None:
        """Blocks are taken while X is free; data when their part of the key stream is known."""
        block, aes, kind = self.i.payload, self.aes, self.i.payload.kind
        some = Signal()
        m.d.comb += some.eq(block.size != 0)
        with m.Switch(self._state):
            with m.Case(State.IDLE):
                m.d.comb += self.i.ready.eq(1)
            with m.Case(State.MESSAGE):
                known = self._masked & (aes.o.valid | ~some)
                m.d.comb += self.i.ready.eq(~self._absorb & ((kind == Kind.AD) | known))
        with m.If((self._state == State.MESSAGE) & ~self._masked):
            m.d.comb += aes.o.ready.eq(1)
            with m.If(aes.o.valid):
                m.d.sync += [self._E_0.eq(aes.o.payload), self._masked.eq(1)]
        text = Signal(128)
        E = Cat(Mux(k < block.size, aes.o.payload[8 * k : 8 * k + 8], 0) for k in range(BLOCK))
        m.d.comb += text.eq(block.data ^ E)
        crypt = take & (kind == Kind.DATA) & some
        m.d.sync += self.o.valid.eq(crypt)
        with m.If(crypt):
            m.d.comb += aes.o.ready.eq(1)
            m.d.sync += [self.o.payload.data.eq(text), self.o.payload.size.eq(block.size)]
        with m.Else():  # no plaintext stays behind
            m.d.sync += self.o.payload.as_value().eq(0)
        with m.If(take & some):
            m.d.sync += [self._X.eq(Mux((kind == Kind.DATA) & ~block.decrypt, text, block.data))]
            m.d.sync += self._absorb.eq(kind != Kind.NPUB)
        for counted, size in self._bytes.items():
            with m.If(take & (kind == counted)):
                m.d.sync += size.eq(size + block.size)
            with m.If(take & (kind == Kind.NPUB)):
                m.d.sync += size.eq(0)
        with m.If(self.clear):
            m.d.sync += [self.o.valid.eq(0), self.o.payload.as_value().eq(0)]

    def _hash(self, m: Module, take: Value) -> None:
        """Y = (Y + X) H, one product at a time; then the block of the lengths, and the tag."""
        state, multiplier, aes = self._state, self.multiplier, self.aes
        H = Signal(128, reset_less=True)
        Y = Signal(128, reset_less=True)
        busy = Signal()
        start = Signal()
        m.d.comb += [
            start.eq(self._absorb & ~busy),
            multiplier.i.valid.eq(start),
            multiplier.i.payload.a.eq(Y ^ Reading.GCM.element(self._X)),
            multiplier.i.payload.b.eq(H),
            self.tag.valid.eq(state == State.TAG),
            self.tag.payload.eq(Reading.GCM.block(Y) ^ self._E_0),
        ]
        with m.If(start):
            m.d.sync += [busy.eq(1), self._absorb.eq(0)]
        with m.If(multiplier.o.valid):
            m.d.sync += [busy.eq(0), Y.eq(multiplier.o.payload)]
        with m.If(take & (self.i.payload.kind == Kind.NPUB)):
            m.d.sync += [Y.eq(0), self._masked.eq(0)]
        with m.Switch(state):
            with m.Case(State.HASH_KEY):
                m.d.comb += aes.o.ready.eq(1)
                with m.If(aes.o.valid):
                    m.d.sync += [H.eq(Reading.GCM.element(aes.o.payload)), state.eq(State.IDLE)]
            with m.Case(State.LENGTHS):
                with m.If(~self._absorb):
                    m.d.sync += self._X.eq(lengths(*self._bytes.values()))
                    m.d.sync += [self._absorb.eq(1), state.eq(State.SUM)]
            with m.Case(State.SUM):
                with m.If(~self._absorb & ~busy):
                    m.d.sync += state.eq(State.TAG)
            with m.Case(State.TAG):
                with m.If(self.tag.ready):
                    m.d.sync += [self._E_0.eq(0), state.eq(State.IDLE)]
        with m.If(self.clear):
            m.d.sync += [H.eq(0), Y.eq(0), busy.eq(0)]


class Timetable:
    """The cycles of one message in AES-GCM, with an AES of ``latency`` cycles and ``product`` cycles a product."""

    def __init__(self, latency: int, product: int):
        self._latency, self._product = latency, product
        self._masked = self._key_stream = 0  # cycles from which E_0 and the next E_i are known
        self._free = self._idle = 0  # cycles from which X, and the multiplier, is free
        self._last = 0
        self._results: list[int] = []

    def accept(self, kind: Kind, size: int, *, last: bool, offered: int) -> int:
        """The cycle in which a block is accepted that is valid from cycle ``offered`` on."""
        at = offered
        if kind is Kind.NPUB:
            first = at + 1  # N || 1 enters the AES
            self._masked, self._key_stream = first + self._latency + 1, first + 2 * self._latency
            return at
        at = max(at, self._free)
        if kind is Kind.DATA:
            at = max(at, self._key_stream if size else self._masked)
            self._key_stream = at + self._latency
            if size:
                self._results.append(at + 1)
        if size:
            self._absorb(at)
        self._last = at
        return at

    def results(self) -> list[int]:
        """The cycles in which the results are valid: each the cycle after its block was accepted."""
        return self._results

    def tag(self) -> int:
        """The cycle from which on the tag is valid."""
        self._absorb(max(self._last + 1, self._free))
        return self._idle + 1

    def _absorb(self, at: int) -> None:
        """X is stored in cycle ``at``."""
        start = max(at + 1, self._idle)
        self._free, self._idle = start + 1, start + self._product + 1


class AesGcm(Caesar):
    """AES-GCM behind the CAESAR Hardware API.

    Timing: see ``behaviour.timing``.
    Security: that of the specification.
    """

    title = "AES-GCM, an authenticated cipher"
    make_cipher = AesGcmCipher
