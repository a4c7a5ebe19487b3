# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Minalpher's authenticated encryption: the equations, on one or two iterative permutations.

    L(flag, N) = V + P(V), V = K || flag || 00 00 || N
    C_i  = P(M_i + D) + D,  D = y^(2i-1) L(40, N)
    t    = h(A) + the sum of P(C_i + D) + D,  D = y^(2i) L(40, N), for i < m
    tag  = the first half of P(C_m + t + D) + D,  D = (y + 1) y^(2m-1) L(40, N)
    h(A) = P(A_a + t + D) + D,  D = (y + 1)^j y^(a-1) L(00, 0),  j = 1 for a whole A_a, 2 for a short one,
           t the sum of P(A_i + D) + D,  D = y^i L(00, 0), for i < a; 0 without associated data

Source: Sasaki et al., "Minalpher v1.1", 1.1 to 1.3.
Bytes:  byte 0 of a block is bits 7..0, and holds the coefficient of y^31.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring

from wideblock.rtl.aes.planes import named
from wideblock.rtl.bytes import marked

from .caesar import Caesar
from .cipher import BlockKind, CipherShape, Padding, cipher_signature
from .minalpher_permutation import BLOCK, Permutation
from .pace import Pace, Phase
from .parameters import AeadParameters

__all__ = ["MinalpherCipher", "MinalpherCore"]

KEY, NPUB, TAG = 16, 13, 16  # bytes
FLAG_AD, FLAG_MESSAGE = 0x00, 0x40
LATENCY = Permutation.timing.latency


def times_y(a: Value) -> Value:
    """y a in GF((2^8)^32) mod y^32 + y^3 + y^2 + x over GF(2^8) mod x^8 + x^7 + x^5 + x + 1. Source: 1.2."""
    t = a[:8]
    x_t = Cat(t[7], t[:7]) ^ Mux(t[7], 0xA2, 0)  # 1A3 without the bits that are moved
    return Cat(a[8:], x_t) ^ (t << 8 * 29) ^ (t << 8 * 28)


def over_y(a: Value) -> Value:
    """y^-1 a, the inverse of :func:`times_y`."""
    last = a[8 * 31 :]
    t = Cat(last[1:], last[0]) ^ Mux(last[0], 0x51, 0)  # 1A3 / 2 without the bit that is moved
    return Cat(t, (a ^ (t << 8 * 29) ^ (t << 8 * 28))[: 8 * 31])


class MinalpherState(enum.Enum):
    """Steps of a message.

    EMPTY, IDLE:         no key; the nonce is awaited
    AD_MASK, AD_L:       V of associated data enters P; L is awaited
    AD:                  a block of associated data is awaited, while the block before is in P
    MASK, L:             V of the message enters P; L is awaited
    DATA, SUM:           a block of data is awaited; a block of ciphertext is still offered, for the sum
    SEAL, JUDGE, JUDGED: the tag is made; the tag of a decryption is awaited; the tag was judged
    """

    EMPTY = 0
    IDLE = 1
    AD_MASK = 2
    AD_L = 3
    AD = 4
    MASK = 5
    L = 6
    DATA = 7
    SUM = 8
    SEAL = 9
    JUDGE = 10
    JUDGED = 11


class MinalpherCipher(wiring.Component):
    """Minalpher as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions.

    A permutation serves L and the message. The sums are made in a second permutation, on a block while the first works
    on the next block; or in the same permutation, by turns. D and t are registers: D is the mask of the block in the
    first permutation, multiplied by y when a block enters and when it leaves. t takes the mask of a block of the sum
    when the block enters, and P of the mask when the block leaves.

    Padding is searched in the last result of a decryption in a separate cycle, from flags of bytes.

    Timing: a block of data in 19 cycles, in 37 with one permutation; one of associated data in 19.
    Cost:   the permutations, 512 registers of D and t, 232 of key and nonce, 64 flags of the padding.
    Security: no masking; no cycle depends on key or data.
    """

    remains = ("_N", "_D", "_t")

    def __init__(self, parameters: AeadParameters):
        self.shared = parameters.permutations == 1
        self.P = Permutation()
        self.P_sum = self.P if self.shared else Permutation()
        self.shape = CipherShape(
            block=BLOCK, key=KEY, npub=NPUB, tag=TAG, padding=Padding.ONE, judges=True, expands=True
        )
        self.setup = self.flush = 1
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(MinalpherState)
        self._K = Signal(8 * KEY, reset_less=True)
        self._N = Signal(8 * NPUB, reset_less=True)
        self._D = Signal(8 * BLOCK, reset_less=True)
        self._yD = Signal(8 * BLOCK)
        self._t = Signal(8 * BLOCK, reset_less=True)
        self._mask = Signal(8 * BLOCK)  # of the block that enters the sum
        self._take = Signal()  # a block is accepted
        self._prepare = Signal(2)  # D becomes V / y: of associated data, of messages
        self._enter = Signal()  # a block, or 0, enters the first permutation
        self._leave = Signal()  # a block leaves it
        self._sum = Signal()  # a block enters the sum
        self._ends = Signal()  # it is the last one of its kind
        self._decrypt = Signal()  # properties of the block in the first permutation
        self._last = Signal()
        self._abandoned = Signal()
        self._sealing = Signal()  # the block in the sum gives the tag
        self._wrong = Signal()

    def timetable(self, *, decrypt: bool) -> Pace:
        """``P``: from when the next block can enter, or the tag be accepted; ``no AD``: or an empty block of AD."""
        shared = self.shared

        def phases(kind: BlockKind, size: int, last: bool) -> list[Phase]:
            if kind is BlockKind.NPUB:
                return [Phase(until={"no AD": 2, "P": LATENCY + 2})]
            if kind is BlockKind.AD:
                mask = (LATENCY + 1 if shared and size else 1) if last else 0  # V enters, and L is awaited
                return [Phase(("P",) if size else ("no AD",), until={"P": mask + LATENCY + 1})]
            if kind is BlockKind.TAG:
                return [Phase(("P",), until={"sum": 1})]
            left = LATENCY + (decrypt and last)
            summed = left if shared or not decrypt else 1  # enters the sum
            free = summed + LATENCY + (not (decrypt and last)) if shared else left + 1
            text = Phase(("P",), until={"P": free, "sum": summed + LATENCY}, result=left)
            return [text, Phase(delay=summed, accept=True)] if decrypt else [text]

        return Pace(phases, end=Phase(("sum",)), tag=0)

    def elaborate(self, platform):
        m = Module()
        m.submodules.P = self.P
        if not self.shared:
            m.submodules.P_sum = self.P_sum
        m.d.comb += self._take.eq(self.i.valid & self.i.ready)
        text = Signal(8 * BLOCK)
        m.d.comb += [text.eq(self.P.o.payload ^ self._D), self._yD.eq(times_y(self._D))]
        out, summed = self._permutations(m, text)
        masked = self._masks(m, out, text)
        self._sums(m, summed)
        self._results(m, out & ~masked, text)
        self._keys_and_nonces(m)
        self._associated_data(m, masked)
        self._data(m, masked)
        self._tags(m, summed)
        with m.If(self.clear):
            m.d.comb += [self.P.clear.eq(1), self.P_sum.clear.eq(1)]
            registers = (self._K, self._N, self._D, self._t, self._decrypt, self._last, self._abandoned)
            m.d.sync += [register.eq(0) for register in (*registers, self._sealing, self._wrong)]
            m.d.sync += self._state.eq(MinalpherState.EMPTY)
        return m

    def _permutations(self, m: Module, text: Value) -> tuple[Value, Value]:
        """The blocks that enter, and their masks. Returns whether the first one, and the sum, have a result."""
        block, state, P, P_sum = self.i.payload, self._state, self.P, self.P_sum
        taken = (state == MinalpherState.AD) | (state == MinalpherState.SUM)
        hashed = (state == MinalpherState.AD) & (block.size != 0)
        short = (state == MinalpherState.AD) & (block.size != BLOCK)
        entering = Mux(state == MinalpherState.DATA, block.data, 0) ^ self._yD
        C = Mux(taken, block.data, text)
        summing = named(m, "summing", C ^ Mux(self._ends, self._t, 0) ^ self._mask)
        doubled = Mux(self._ends & short, times_y(self._yD), self._yD)
        m.d.comb += [
            self._sum.eq(self._take & (hashed | (state == MinalpherState.SUM)) | self._leave & ~self._decrypt),
            self._ends.eq(Mux(taken, block.last, self._last)),
            self._mask.eq(doubled ^ Mux(self._ends, self._D, 0)),
            P.i.payload.inverse.eq((state == MinalpherState.DATA) & block.decrypt),
            P.i.valid.eq(self._enter),
            P.i.payload.x.eq(entering),
        ]
        if not self.shared:
            m.d.comb += [P_sum.i.valid.eq(self._sum), P_sum.i.payload.x.eq(summing)]
            return P.o.valid, P_sum.o.valid
        of_sum = Signal()  # the block inside is one of the sum
        with m.If(self._enter | self._sum):
            m.d.sync += of_sum.eq(self._sum)
        with m.If(self._sum):
            m.d.comb += [P.i.valid.eq(1), P.i.payload.x.eq(summing), P.i.payload.inverse.eq(0)]
        with m.If(self.clear):
            m.d.sync += of_sum.eq(0)
        return P.o.valid & ~of_sum, P.o.valid & of_sum

    def _masks(self, m: Module, out: Value, text: Value) -> Value:
        """D: V / y, then V, L, y L, y^2 L, .. Returns whether L is made."""
        state, D = self._state, self._D
        flag = Mux(self._prepare[1], FLAG_MESSAGE, FLAG_AD)
        V = named(m, "V", Cat(self._K, Const(0, 8) | flag, Const(0, 16), Mux(self._prepare[1], self._N, 0)))
        masked = named(m, "masked", out & ((state == MinalpherState.AD_L) | (state == MinalpherState.L)))
        with m.If(self._prepare != 0):
            m.d.sync += D.eq(over_y(V))
        with m.Elif(self._enter | self._leave | (self._sum & (state == MinalpherState.AD))):
            m.d.sync += D.eq(self._yD)
        with m.Elif(masked):
            m.d.sync += D.eq(text)
            m.d.comb += self.P.o.ready.eq(1)
        return masked

    def _sums(self, m: Module, summed: Value) -> None:
        """t: the sum, or its last mask, and what the permutation makes of it."""
        kept = Mux(self._ends, 0, self._t)
        with m.If(self._sum):
            m.d.sync += self._t.eq(kept ^ self._mask)
            m.d.sync += self._sealing.eq(self._ends & (self._state != MinalpherState.AD))
        with m.Elif(summed & ~self._sealing):
            m.d.sync += self._t.eq(self._t ^ self.P_sum.o.payload)
            m.d.comb += self.P_sum.o.ready.eq(1)

    def _results(self, m: Module, out: Value, text: Value) -> None:
        """Drives the results. The last result of a decryption stays a cycle longer, for the search of the padding."""
        some = Signal(BLOCK)  # bytes that are not 00
        one = Signal(BLOCK)  # bytes that are 80
        searched = Signal()
        final = out & self._decrypt & self._last & ~searched
        m.d.comb += self._leave.eq(out & ~final)
        m.d.sync += [searched.eq(final), some.eq(0), one.eq(0)]
        with m.If(final):
            parts = [text[8 * k : 8 * k + 8] for k in range(BLOCK)]
            m.d.sync += [some.eq(Cat(part.any() for part in parts)), one.eq(Cat(part == 0x80 for part in parts))]
        found = named(m, "found", Cat(one[k] & ~some[k + 1 :].any() for k in range(BLOCK)))
        size = [Cat(found[k] for k in range(BLOCK) if k >> b & 1).any() for b in range(BLOCK.bit_length() - 1)]
        m.d.comb += [
            self.o.valid.eq(self._leave & ~self._abandoned),
            self.o.payload.data.eq(text ^ marked(found)),
            self.o.payload.size.eq(Cat(*size, ~found.any())),
        ]
        with m.If(self._leave):
            m.d.comb += self.P.o.ready.eq(1)
        with m.If(searched & ~found.any()):
            m.d.sync += self._wrong.eq(1)
        with m.If(self.clear):
            m.d.sync += [searched.eq(0), some.eq(0), one.eq(0)]

    def _keys_and_nonces(self, m: Module) -> None:
        """A key, and the nonce of a message, for which V of associated data enters the first permutation."""
        state = self._state
        m.d.comb += self.key.ready.eq((state == MinalpherState.EMPTY) | (state == MinalpherState.IDLE))
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [self._K.eq(self.key.payload), state.eq(MinalpherState.IDLE)]
        with m.If(state == MinalpherState.IDLE):
            m.d.comb += self.i.ready.eq(1)
            with m.If(self.i.valid):
                m.d.comb += self._prepare[0].eq(1)
                m.d.sync += [
                    self._N.eq(self.i.payload.data[: 8 * NPUB]),
                    self._t.eq(0),
                    state.eq(MinalpherState.AD_MASK),
                ]
        with m.If(state == MinalpherState.AD_MASK):
            m.d.comb += self._enter.eq(1)
            m.d.sync += state.eq(MinalpherState.AD_L)

    def _associated_data(self, m: Module, masked: Value) -> None:
        """Blocks of associated data, which need no L if there is none; then V of messages."""
        state, block = self._state, self.i.payload
        with m.If(state == MinalpherState.AD_L):
            m.d.comb += self.i.ready.eq(block.size == 0)
            with m.If(self.i.valid & self.i.ready):
                m.d.comb += self.P.clear.eq(1)
            with m.Elif(masked):
                m.d.sync += state.eq(MinalpherState.AD)
        with m.If(state == MinalpherState.AD):
            m.d.comb += self.i.ready.eq(self.P_sum.idle)
        with m.If(self._take & ((state == MinalpherState.AD_L) | (state == MinalpherState.AD)) & block.last):
            m.d.comb += self._prepare[1].eq(1)
            m.d.sync += state.eq(MinalpherState.MASK)
        with m.If((state == MinalpherState.MASK) & self.P.idle):
            m.d.comb += self._enter.eq(1)
            m.d.sync += state.eq(MinalpherState.L)

    def _data(self, m: Module, masked: Value) -> None:
        """Blocks of data. One of ciphertext is accepted when it enters the sum."""
        state, block = self._state, self.i.payload
        with m.If((state == MinalpherState.L) & masked):
            m.d.sync += state.eq(MinalpherState.DATA)
        with m.If((state == MinalpherState.DATA) & self.P.idle):
            m.d.comb += self.i.ready.eq(~block.decrypt)
            with m.If(self.i.valid):
                m.d.comb += self._enter.eq(1)
                m.d.sync += [self._decrypt.eq(block.decrypt), self._last.eq(block.last)]
                m.d.sync += self._abandoned.eq(block.decrypt & (block.size == 0))
                with m.If(block.decrypt):
                    m.d.sync += state.eq(MinalpherState.SUM)
                with m.Elif(block.last):
                    m.d.sync += state.eq(MinalpherState.SEAL)
        with m.If(state == MinalpherState.SUM):
            m.d.comb += self.i.ready.eq(self._leave if self.shared else self.P_sum.idle)
            with m.If(self._take):
                m.d.sync += state.eq(Mux(block.last, MinalpherState.JUDGE, MinalpherState.DATA))

    def _tags(self, m: Module, summed: Value) -> None:
        """The tag, which stays in the sum; that of a decryption is compared, whole, and never shown."""
        state, sum_out = self._state, self.P_sum.o
        tag = named(m, "right", (self._t ^ sum_out.payload)[: 8 * TAG])
        m.d.comb += self.tag.payload.eq(Mux(state == MinalpherState.SEAL, tag, self._wrong))
        with m.If(state == MinalpherState.SEAL):
            m.d.comb += self.tag.valid.eq(summed & self._sealing)
        with m.If(state == MinalpherState.JUDGE):
            m.d.comb += self.i.ready.eq(summed if self.shared else summed & self.P.idle)
            with m.If(self._take):
                m.d.sync += self._wrong.eq(self._wrong | (tag != self.i.payload.data[: 8 * TAG]))
                m.d.sync += state.eq(MinalpherState.JUDGED)
        with m.If(state == MinalpherState.JUDGED):
            m.d.comb += self.tag.valid.eq(1)
        with m.If(self.tag.valid & self.tag.ready):
            m.d.comb += sum_out.ready.eq(1)
            m.d.sync += [self._sealing.eq(0), self._wrong.eq(0), state.eq(MinalpherState.IDLE)]


class MinalpherCore(Caesar):
    """Minalpher behind the CAESAR Hardware API."""

    title = "Minalpher v1.1, an authenticated cipher"
    make_cipher = MinalpherCipher
