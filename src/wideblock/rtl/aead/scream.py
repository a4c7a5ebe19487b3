# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""SCREAM v3: the mode TAE on one instance of the tweakable block cipher Scream.

    C_i = E(N || i || 00, M_i),  a short last block: M_i + E(N || i || 00, [8 r]_128)
    auth  = E(N || 0 || 02, A_0) + E(N || 1 || 02, A_1) + ..,  the last block under 04, a short one under 06
    Sigma = M_0 + M_1 + ..
    T     = E(N || m || 16 r + 1, Sigma) + auth,  for m whole blocks and r bytes

Source: Grosso et al., "SCREAM: Side-Channel Resistant Authenticated Encryption with Masking", version 3 (CAESAR,
second round, 2015); its reference code; TAE by Liskov, Rivest, Wagner, CRYPTO 2002.
Bytes: the counter i is four bytes, big-endian.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring

from wideblock.rtl.bytes import below, kept, marked, only

from .caesar import Caesar
from .cipher import BlockKind, CipherShape, cipher_signature
from .pace import Pace, Phase
from .parameters import AeadParameters
from .scream_tweakable import ScreamBlockCipher
from .words import byte_swapped

__all__ = ["ScreamCipher", "ScreamCore"]

BLOCK, KEY, NPUB, TAG = 16, 16, 11, 16  # bytes


class ScreamState(enum.Enum):
    """EMPTY: no key. SUM: the cipher is awaited for Sigma. TAG: the tag is made, and offered."""

    EMPTY = 0
    IDLE = 1
    MESSAGE = 2
    SUM = 3
    TAG = 4


class ScreamCipher(wiring.Component):
    """SCREAM as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions, tags of 16 bytes.

    Timing: a block of either kind in the latency of the tweakable cipher: 11 cycles with 10 steps and two rounds a
            cycle.
    Cost:   the tweakable cipher, 128 registers each of K, Sigma, auth and the last block, 88 of N.
    Security: no masking; no cycle depends on key or data.
    """

    remains = ("N", "_held", "core.x")

    def __init__(self, parameters: AeadParameters):
        self.parameters = p = parameters
        self.core = ScreamBlockCipher(steps=p.steps, rounds=p.rounds)
        self.shape = CipherShape(block=BLOCK, key=KEY, npub=NPUB, tag=TAG)
        self.setup = self.flush = 1
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(ScreamState)
        self._kind = Signal(BlockKind)  # of the block in the tweakable cipher; TAG for Sigma
        self._size = Signal(range(BLOCK + 1))  # bytes of the last block of data
        self._decrypt = Signal()
        self._ends = Signal()  # the last block of its kind
        self._held = Signal(128, reset_less=True)  # the last block, for its mask if it is short

    def timetable(self, *, decrypt: bool) -> Pace:
        latency = self.core.latency

        def phases(kind: BlockKind, size: int, last: bool) -> list[Phase]:
            if kind is BlockKind.NPUB or not size:
                return [Phase(("cipher",))]
            return [Phase(("cipher",), until={"cipher": latency}, result=latency if kind is BlockKind.DATA else None)]

        return Pace(phases, end=Phase(("cipher",)), tag=1 + latency + 1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.core = core = self.core
        state, block = self._state, self.i.payload
        take = Signal()
        summed = Signal()
        m.d.comb += [
            take.eq(self.i.valid & self.i.ready),
            summed.eq((state == ScreamState.SUM) & core.ready & ~core.done),
            core.start.eq((take & (block.kind != BlockKind.NPUB) & (block.size != 0)) | summed),
            core.clear.eq(self.clear),
        ]
        self._order(m, take, summed)
        self._tweak(m, take, summed)
        self._blocks(m, take, summed)
        with m.If(self.clear):
            registers = (self._kind.as_value(), self._size, self._decrypt, self._ends, self._held)
            m.d.sync += [*(register.eq(0) for register in registers), state.eq(ScreamState.EMPTY)]
        return m

    def _order(self, m: Module, take: Value, summed: Value) -> None:
        """Key, nonce, blocks, tag."""
        state, core, block = self._state, self.core, self.i.payload
        K = Signal(128, reset_less=True)
        m.d.comb += [
            core.key.eq(K),
            self.key.ready.eq((state == ScreamState.EMPTY) | (state == ScreamState.IDLE)),
            self.i.ready.eq((state == ScreamState.IDLE) | ((state == ScreamState.MESSAGE) & core.ready)),
            self.tag.valid.eq((state == ScreamState.TAG) & core.ready & ~core.done),
        ]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [K.eq(self.key.payload), state.eq(ScreamState.IDLE)]
        with m.If(take & (block.kind == BlockKind.NPUB)):
            m.d.sync += state.eq(ScreamState.MESSAGE)
        with m.If(take & (block.kind == BlockKind.DATA) & block.last):
            m.d.sync += state.eq(ScreamState.SUM)
        with m.If(summed):
            m.d.sync += state.eq(ScreamState.TAG)
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += state.eq(ScreamState.IDLE)
        with m.If(take):
            m.d.sync += [self._kind.eq(block.kind), self._decrypt.eq(block.decrypt), self._ends.eq(block.last)]
            m.d.sync += self._size.eq(block.size)
        with m.Elif(summed):
            m.d.sync += self._kind.eq(BlockKind.TAG)
        with m.If(self.clear):
            m.d.sync += K.eq(0)

    def _tweak(self, m: Module, take: Value, summed: Value) -> None:
        """N || i || control. The counter i is that of the next block from the end of a block on."""
        core, block = self.core, self.i.payload
        p = self.parameters
        N = Signal(8 * NPUB, reset_less=True)
        i = Signal(range(max(p.longest_ad, p.longest_data) // BLOCK + 2))
        held = Signal(8)
        control = Signal(8)
        short = block.size != BLOCK
        with m.If(summed):
            m.d.comb += control.eq(Cat(Const(1, 4), self._size[:4]))
        with m.Elif(core.start):
            with m.If(block.kind == BlockKind.AD):
                m.d.comb += control.eq(Mux(block.last, Mux(short, 6, 4), 2))
        with m.Else():
            m.d.comb += control.eq(held)
        m.d.sync += held.eq(control)
        m.d.comb += core.tweak.eq(Cat(N, byte_swapped(Cat(i, Const(0, 32 - len(i)))), control))
        with m.If(take & (block.kind == BlockKind.NPUB)):
            m.d.sync += [N.eq(block.data), i.eq(0)]
        with m.Elif(core.ending):
            with m.If((self._kind == BlockKind.AD) & self._ends):
                m.d.sync += i.eq(0)
            with m.Elif(self._size == BLOCK):
                m.d.sync += i.eq(i + 1)
        with m.If(self.clear):
            m.d.sync += [N.eq(0), i.eq(0), held.eq(0)]

    def _blocks(self, m: Module, take: Value, summed: Value) -> None:
        """The block that enters the cipher: associated data padded, data, the length of short data, or Sigma."""
        core, block = self.core, self.i.payload
        is_data = block.kind == BlockKind.DATA
        short = Signal()
        one = marked(only(block.size, BLOCK) & (~is_data).replicate(BLOCK))
        m.d.comb += [
            short.eq(~summed & is_data & (block.size != BLOCK)),
            core.inverse.eq(~summed & is_data & block.decrypt & ~short),
        ]
        Sigma = self._sums(m, take, summed)
        whole = ~summed & ~short
        length = Cat(Const(0, 123), block.size[:4] & short.replicate(4))  # 8 r in byte 15
        given = (block.data | one) & whole.replicate(128)
        m.d.comb += core.block.eq(given ^ (Sigma & summed.replicate(128)) ^ length)
        with m.If(core.start):
            m.d.sync += self._held.eq(block.data)

    def _sums(self, m: Module, take: Value, summed: Value) -> Signal:
        """Results, auth, and Sigma, which is returned; neither Sigma nor auth outlasts its message."""
        core, block = self.core, self.i.payload
        Sigma = Signal(128, reset_less=True)
        auth = Signal(128, reset_less=True)
        text = core.o ^ (self._held & (self._size != BLOCK).replicate(128))
        result = Signal(128)
        m.d.comb += [
            result.eq(kept(text, below(self._size, BLOCK))),
            self.o.valid.eq(core.done & (self._kind == BlockKind.DATA)),
            self.o.payload.data.eq(result),
            self.o.payload.size.eq(self._size),
            self.tag.payload.eq(auth),
        ]
        with m.If(self.clear | summed):
            m.d.sync += Sigma.eq(0)
        with m.Elif(self.o.valid & self._decrypt):
            m.d.sync += Sigma.eq(Sigma ^ result)
        with m.Elif(take & (block.kind == BlockKind.DATA) & ~block.decrypt):
            m.d.sync += Sigma.eq(Sigma ^ block.data)
        with m.If(self.clear | (self.tag.valid & self.tag.ready)):
            m.d.sync += auth.eq(0)
        with m.Elif(core.done & ~self.o.valid):
            m.d.sync += auth.eq(auth ^ core.o)
        return Sigma


class ScreamCore(Caesar):
    """SCREAM behind the CAESAR Hardware API."""

    title = "SCREAM, an authenticated cipher on a tweakable block cipher"
    make_cipher = ScreamCipher
