# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AES-GCM for nonces of 12 bytes, a block a cycle: the equations of :mod:`wideblock.rtl.aead.aes_gcm` on pipelines.

    block -> delay ------------> (+) -> X -> (+) -> multiplier of s stages --> tag
    count -> pipelined AES -------^           ^------------------|

A block is delayed for as long as the AES makes the block's part of the key stream. The multiplier's output is added to
the block that enters. The multiplier holds s sums Y_t, for the last s cycles t:

    Y_t = X_t + Y_(t-s) H^n(t-s)     (n(t): blocks among those of the cycles t + 1 .. t + s; X_t is 0 without one)

At any time T the sum of Y_t H^(blocks after t, up to T) over these s cycles is Horner's sum of all blocks. n(t) is
known in cycle t, since blocks wait longer for the AES than a product takes. The last block is E_0, which no H
multiplies: the tag is the sum of the s products that leave after it.

Source: NIST SP 800-38D, 6.4, 6.5, 7.1 and 7.2.
Bytes: the field is read as GCM reads it: one is 80 00 .. 00.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, enum, wiring

from wideblock.rtl.aes.forms import logic_sbox
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.bytes import below, kept
from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.stream.stages import power_of_two
from wideblock.rtl.stream.storage import Delay, Slots

from .aes_gcm import BLOCK, NPUB, lengths
from .caesar import Caesar
from .cipher import BlockKind, CipherShape, cipher_signature
from .pace import Pace, Phase
from .parameters import AeadParameters
from .words import byte_swapped

__all__ = ["AesGcmP", "AesGcmPCipher"]

OPERAND_DEPTH = 1  # tables before the multiplier's inputs: the addition of X


class GcmPState(enum.Enum):
    """EMPTY: no key. EXPAND, HASH_KEY, POWERS: round keys, H, and its powers are made. LENGTHS, MASK: the last two
    blocks of the hash enter. SUM: the products of the tag are awaited."""

    EMPTY = 0
    EXPAND = 1
    HASH_KEY = 2
    POWERS = 3
    IDLE = 4
    MESSAGE = 5
    LENGTHS = 6
    MASK = 7
    SUM = 8
    TAG = 9


WAITING = data.StructLayout({"data": 128, "size": range(BLOCK + 1), "result": 1, "sum": 1, "lengths": 1, "end": 1})
"""A block beside the AES.

data:    associated data or data; else 0
size:    bytes of it, and of the key stream
result:  the sum of data and key stream leaves
sum:     that sum is hashed; else the data are
lengths: the lengths are hashed
end:     the last block of the hash, E_0
"""


class AesGcmPCipher(wiring.Component):
    """AES-GCM as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions, tags of 16 bytes, a block a cycle.

    Timing: a block in as many cycles as it has words; its result one cycle more than the latency of the AES later.
    Cost:   a pipelined AES, its key expansion, a multiplier, mult_stages + 1 powers of H and the blocks that wait for
            the AES in distributed memory, 128 registers each of X, the power, the tag and a result.
    Security: no masking; no cycle depends on key or data.
    """

    remains = ("_N", "tag", "aes.*")

    def __init__(self, parameters: AeadParameters):
        self.parameters = p = parameters
        self.aes = PipelinedEncryption(key_bits=p.key_bits, sbox=p.sbox, round_stages=p.round_stages)
        self.expansion = KeyExpansion(key_bits=p.key_bits, sbox=logic_sbox(p.sbox), round_stages=p.round_stages)
        self.multiplier = Multiplier(stages=p.mult_stages, leaf=p.leaf, input_depth=OPERAND_DEPTH)
        self.shape = CipherShape(block=BLOCK, key=p.key_bits // 8, npub=NPUB, tag=16, pipelined=True)
        self.words = 8 * BLOCK // p.word_bits
        self._wait, self._stages = self.aes.timing.latency, p.mult_stages
        self._step = p.mult_stages + 3  # cycles of a power: its address, its operand, the multiplier, its storing
        self.setup = self.expansion.timing.latency + self._wait + 1 + (p.mult_stages + 1) * self._step
        self._rows = 1 << self._wait.bit_length()  # of the deepest memory
        self._powers = power_of_two(p.mult_stages + 1)
        self.flush = self._rows + 2 + p.mult_stages + self._powers  # blocks, X, products, and powers one after another
        super().__init__(cipher_signature(self.shape))
        self._state = Signal(GcmPState)
        self._N = Signal(8 * NPUB, reset_less=True)
        self._count = Signal(range(-(-p.longest_data // BLOCK) + 3))
        self._bytes = {
            kind: Signal(32 if p.at_once else 16, name=f"{kind.name}_bytes".lower())
            for kind in (BlockKind.AD, BlockKind.DATA)
        }
        self._hashed = Signal(self._wait - 2)  # bit k: a block that is hashed entered k + 1 cycles ago
        self._X = Signal(128, reset_less=True)
        self._power = Signal(range(p.mult_stages + 1))  # that is being made
        self._making = Signal()  # X is H

    def timetable(self, *, decrypt: bool) -> Pace:
        def phases(kind: BlockKind, size: int, last: bool) -> list[Phase]:
            if kind is not BlockKind.DATA:
                return [Phase(("entrance",))]
            return [Phase(("entrance",), until={"entrance": self.words}, result=self._wait + 1 if size else None)]

        # lengths, E_0, X, and the products after it
        return Pace(phases, end=Phase(), tag=2 + self._wait + 1 + self._stages + 1)

    def elaborate(self, platform):
        m = Module()
        m.submodules.aes, m.submodules.expansion, m.submodules.multiplier = self.aes, self.expansion, self.multiplier
        take = Signal()
        row = Signal(range(self._rows), name="clear_row")
        m.d.comb += take.eq(self.i.valid & self.i.ready)
        m.d.sync += row.eq(Mux(self.clear, row + 1, 0))
        self._keys(m)
        self._messages(m, take)
        waited = self._entrance(m, take, row)
        self._texts(m, waited)
        self._hash(m, waited, row)
        with m.If(self.clear):
            registers = (self._N, self._count, self._hashed, self._power, *self._bytes.values())
            m.d.comb += self.expansion.clear.eq(1)
            m.d.sync += [*(register.eq(0) for register in registers), self._state.eq(GcmPState.EMPTY)]
        return m

    def _keys(self, m: Module) -> None:
        """Round keys, and H, whose block is 0: it stays at the AES' output while its powers are made."""
        state, expansion, aes = self._state, self.expansion, self.aes
        open = (state == GcmPState.EMPTY) | (state == GcmPState.IDLE)
        m.d.comb += [
            expansion.key.payload.eq(self.key.payload),
            expansion.key.valid.eq(self.key.valid & open),
            self.key.ready.eq(expansion.key.ready & open),
            aes.round_keys.eq(expansion.round_keys),
            aes.i.valid.eq((state == GcmPState.EXPAND) & expansion.ready),
            aes.i.payload.eq(Cat(self._N, byte_swapped(Cat(self._count, Const(0, 32 - len(self._count)))))),
        ]
        with m.If(self.key.valid & self.key.ready):
            m.d.sync += [self._N.eq(0), self._count.eq(0), state.eq(GcmPState.EXPAND)]
        with m.If(aes.i.valid):
            m.d.sync += state.eq(GcmPState.HASH_KEY)
        with m.If((state == GcmPState.HASH_KEY) & aes.o.valid):
            m.d.sync += state.eq(GcmPState.POWERS)

    def _messages(self, m: Module, take: Value) -> None:
        """Blocks are accepted in any cycle, but for the distance of two results. N || 1 is enciphered last."""
        state, block, kind = self._state, self.i.payload, self.i.payload.kind
        apart = Signal(range(max(2, self.words)))  # cycles to the next block of data
        m.d.comb += self.i.ready.eq((state == GcmPState.IDLE) | ((state == GcmPState.MESSAGE) & (apart == 0)))
        m.d.sync += apart.eq(Mux(apart == 0, 0, apart - 1))
        for counted, size in self._bytes.items():
            with m.If(take & (kind == counted)):
                m.d.sync += size.eq(size + block.size)
            with m.If(take & (kind == BlockKind.NPUB)):
                m.d.sync += size.eq(0)
        with m.If(take & (kind == BlockKind.NPUB)):
            m.d.sync += [self._N.eq(block.data), self._count.eq(2), state.eq(GcmPState.MESSAGE)]
        with m.If(take & (kind == BlockKind.DATA)):
            m.d.sync += [self._count.eq(self._count + 1), apart.eq(self.words - 1)]
            with m.If(block.last):
                m.d.sync += [self._count.eq(1), state.eq(GcmPState.LENGTHS)]
        with m.If(state == GcmPState.LENGTHS):
            m.d.sync += state.eq(GcmPState.MASK)
        with m.If(state == GcmPState.MASK):
            m.d.sync += state.eq(GcmPState.SUM)
        with m.If(self.clear):
            m.d.sync += apart.eq(0)

    def _entrance(self, m: Module, take: Value, row: Value) -> data.View:
        """A block enters. Returns the one whose part of the key stream leaves the AES."""
        state, block, kind = self._state, self.i.payload, self.i.payload.kind
        enters = Signal(WAITING)
        some = Signal()
        hashed = Signal()
        m.d.comb += [
            some.eq(take & (block.size != 0) & (kind != BlockKind.NPUB)),
            enters.data.eq(Mux(some, block.data, 0)),
            enters.size.eq(Mux(state == GcmPState.MASK, BLOCK, block.size)),
            enters.result.eq(some & (kind == BlockKind.DATA)),
            enters.sum.eq((enters.result & ~block.decrypt) | (state == GcmPState.MASK)),
            enters.lengths.eq(state == GcmPState.LENGTHS),
            enters.end.eq(state == GcmPState.MASK),
            hashed.eq(some | enters.lengths | enters.end),
        ]
        m.d.sync += self._hashed.eq(Cat(hashed, self._hashed))
        beside = Delay(m, "waiting", enters.as_value(), cycles=self._wait, clear=self.clear, clear_row=row)
        waited = Signal(WAITING)
        m.d.comb += waited.eq(beside.value)
        return waited

    def _texts(self, m: Module, waited: data.View) -> None:
        """Result and X: the block, and the key stream in its length. The result's register empties: no text stays."""
        stream = self.aes.o.payload
        masked = Signal(128)
        m.d.comb += masked.eq(kept(stream, below(waited.size, BLOCK)))
        added = Mux(self._making, stream, Mux(waited.sum, masked, 0))
        sizes = Mux(waited.lengths, lengths(*self._bytes.values()), 0)
        m.d.sync += [
            self.o.valid.eq(waited.result),
            self.o.payload.data.eq(Mux(waited.result, waited.data ^ masked, 0)),
            self.o.payload.size.eq(Mux(waited.result, waited.size, 0)),
            self._X.eq(WireReading.GCM.element(waited.data ^ added ^ sizes)),
        ]
        with m.If(self.clear):
            m.d.sync += self.o.valid.eq(0)

    def _hash(self, m: Module, waited: data.View, row: Value) -> None:
        """The multiplier's ring of sums, and the sum of the products after the last block."""
        state, out, s = self._state, self.multiplier.o.payload, self._stages
        close = Signal()
        after = Signal(s + 1)  # bit k: k cycles after the last block
        tag = Signal(128, reset_less=True)
        m.d.comb += [
            self.multiplier.i.valid.eq(0),  # not needed: there is a sum in each cycle
            self.multiplier.i.payload.a.eq(self._X ^ Mux(close, 0, out)),
            self.multiplier.i.payload.b.eq(self._factor(m, out, row)),
            self.tag.valid.eq(state == GcmPState.TAG),
            self.tag.payload.eq(WireReading.GCM.block(tag)),
        ]
        m.d.sync += [
            after.eq(Cat(waited.end, after)),
            close.eq((state == GcmPState.POWERS) | after[:s].any() | self.clear),
        ]
        with m.If(after[0]):
            m.d.sync += tag.eq(0)
        with m.If(after[1:].any()):
            m.d.sync += tag.eq(tag ^ out)
        with m.If(after[s]):
            m.d.sync += state.eq(GcmPState.TAG)
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += state.eq(GcmPState.IDLE)
        with m.If(self.clear):
            m.d.sync += [after.eq(0), tag.eq(0)]

    def _factor(self, m: Module, out: Value, row: Value) -> Signal:
        """H^n for the sum that enters the multiplier, n blocks before it leaves; meanwhile the powers are stored.

        Power k + 1 is that of H and power k, which are the operands for as long as a product takes. One step more
        empties the multiplier.
        """
        s, power = self._stages, self._power
        powers = Slots(m, "powers", width=128, slots=self._powers, clear=self.clear, clear_row=row)
        n = Signal(range(s + 1))
        factor = Signal(128, reset_less=True)
        cycle = Signal(range(self._step))
        done = Signal()
        making = self._state == GcmPState.POWERS
        m.d.comb += [self._making.eq(making & (power != s)), done.eq(cycle == self._step - 1)]
        # X in the s cycles after the next two, in which n and the factor are registered
        coming = [flag == 1 for flag in self._hashed[-s:]]
        m.d.sync += [n.eq(Mux(making, power, sum(coming))), factor.eq(powers.read(n))]
        first = (self._state == GcmPState.HASH_KEY) & self.aes.o.valid  # H^0; the multiplier is empty
        powers.write(Mux(first, 0, power + 1), out | first, first | (self._making & done))
        with m.If(making):
            m.d.sync += cycle.eq(Mux(done, 0, cycle + 1))
            with m.If(done):
                m.d.sync += power.eq(power + 1)
                with m.If(power == s):
                    m.d.sync += [power.eq(0), self._state.eq(GcmPState.IDLE)]
        with m.If(self.clear):
            m.d.sync += [n.eq(0), cycle.eq(0)]
        return factor


class AesGcmP(Caesar):
    """AES-GCM behind the CAESAR Hardware API, a block a cycle with words of 128 bits."""

    title = "AES-GCM, an authenticated cipher, pipelined"
    make_cipher = AesGcmPCipher
