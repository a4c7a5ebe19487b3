# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""POET v2.01 with AES4: the equations, on one AES for both directions and one AES4.

    K = E_SK(0),  L = E_SK(1),  K_F = E_SK(2)                             once for each key; E and D are under K
    tau = E(E(L) + E(H_1 + 2 L) + E(H_2 + 4 L) + ..)                      over associated data || N || 80 00 .. 00
    X_0 = tau,  Y_0 = tau + 1,  S = E(bits of the message)
    X_i = F(X_(i-1)) + M_i,  Y_i = E(X_i),  C_i = F(Y_(i-1)) + Y_i        D: Y_i = F(Y_(i-1)) + C_i,  X_i = D(Y_i), ..
    S + (M_last || tau) in gives S + (C_last || T);  then tau in gives tau + (the rest of T)

The two directions are one step on two chains U and V: U = F(U) + in, then out = F(V) + V' with V' = E(U) or D(U), and
V = V'. To encrypt, U is X and V is Y; to decrypt, U is Y and V is X.

Source: Abed et al., "The POET Family of On-Line Authenticated Encryption Schemes", version 2.01 (CAESAR, 2015), and
the designers' reference code.
Bytes: doubling reads a block as GCM does; numbers of bits are little-endian.
"""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import enum, wiring

from wideblock.rtl.aes.iterative import IterativeEitherWay, IterativeEncryption
from wideblock.rtl.aes.planes import named
from wideblock.rtl.bytes import below, bits, marked, only
from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.keys.material import Derivation, KeyMaterial, KeyWord
from wideblock.rtl.keys.unit import KeyUnit

from .caesar import Caesar
from .cipher import BlockKind, CipherShape, cipher_signature
from .pace import Pace, Phase
from .parameters import AeadParameters

__all__ = ["Poet", "PoetCipher"]

BLOCK = 16  # bytes; also of key, nonce and tag
ONE = 1 << 120
"""The block 00 .. 00 01."""

SK = KeyWord("SK", 128, "the key")
K, L, K_F = (
    KeyWord("K", 128, "AES key"),
    KeyWord("L", 128, "mask of the header"),
    KeyWord("K_F", 128, "key of AES4", rounds=4),
)
KEYS = KeyMaterial(
    port=(SK,),
    ciphers=(SK,),
    derivations=(Derivation(2 * ONE, SK, K_F), Derivation(0, SK, K), Derivation(ONE, SK, L)),
    expanded=(K_F, K),
)


class PoetStep(enum.Enum):
    """Steps of a message in their order. A step of an AES call takes ten cycles; INIT and SWAP, of F alone, five.

    PARAMETERS: E(L), of the parameter block 0. HEADER: whole blocks of associated data. TAIL, END: the rest of it and
    the nonce. TAU. INIT: F(U_0). DATA: a block but the last. LENGTH: S. LAST: the last block. SWAP: the chains change
    places, to decrypt. SUM: the rest of the tag. TAG: it is offered.
    """

    IDLE = 0
    PARAMETERS = 1
    HEADER = 2
    TAIL = 3
    END = 4
    TAU = 5
    INIT = 6
    DATA = 7
    LENGTH = 8
    LAST = 9
    SWAP = 10
    SUM = 11
    TAG = 12


HEAD = (PoetStep.PARAMETERS, PoetStep.HEADER, PoetStep.TAIL, PoetStep.END)
CHAINS = (PoetStep.DATA, PoetStep.LAST, PoetStep.SUM)
ALONE = (PoetStep.INIT, PoetStep.SWAP)
"""Steps of F without an AES call."""
AT_ONCE = (PoetStep.HEADER, PoetStep.TAIL, PoetStep.END, PoetStep.DATA, PoetStep.LENGTH)
"""Steps that may begin in the last cycle of the previous AES call."""


def among(step: Value, steps: tuple[PoetStep, ...]) -> Value:
    """Whether ``step`` is one of ``steps``."""
    return Cat(step == each for each in steps).any()


def rotated(m: Module, block: Value, by: Value) -> Signal:
    """The block with byte k moved to byte k + ``by`` mod 16."""
    for stage in (2, 0):  # by multiples of four, then by up to three
        choices = [block if n == 0 else block.rotate_left(8 * (n << stage)) for n in range(4)]
        out = Signal(128, name=f"rotated{stage}")
        with m.Switch(by[stage : stage + 2]):
            for n, choice in enumerate(choices):
                with m.Case(n):
                    m.d.comb += out.eq(choice)
        block = out
    return block


class PoetCipher(wiring.Component):
    """POET as a :class:`~wideblock.rtl.aead.cipher.Cipher` that judges its tag, both directions.

    A block enters the AES and F in the same cycle. F(U) is ready five cycles later, for the next block; F then takes V,
    and F(V) is ready with the AES.

    Timing: a block of either kind in ten cycles; see :meth:`timetable`.
    Cost:   an AES for both directions and AES4, a round a cycle each; two sets of round keys; a rotation of a block by
            bytes; 128 registers each of L, N, a block, the mask, both chains and four sums.
    Security: no masking; no cycle depends on key or data.
    """

    remains = ("N", "FU", "FV", "G", "V", "tau", "F.state", "aes.state")

    def __init__(self, parameters: AeadParameters):
        self.parameters = p = parameters
        self.aes = IterativeEitherWay(sbox=p.sbox)
        self.F = IterativeEncryption(sbox=p.sbox, full_rounds=4)
        self.keys = KeyUnit(KEYS, sbox=p.sbox, rows=1, announced=False)
        self.shape = CipherShape(block=BLOCK, key=BLOCK, npub=BLOCK, tag=BLOCK, judges=True)
        self.setup = self.keys.setup(call=self.aes.timing.latency, loading=0)
        self.flush = 2 + 2 * self.keys.rows  # then the key unit takes a key again
        super().__init__(cipher_signature(self.shape))
        self._next = Signal(PoetStep)  # the step that begins next
        self._now = Signal(PoetStep)  # the step under way
        self._count = Signal(range(self.aes.timing.latency + 1))  # its cycle; 0: none is under way
        self._past = Signal(PoetStep)  # the step that ended a cycle ago
        self._begin = Signal()
        self._end = Signal()
        self._decrypt = Signal()
        self._size = Signal(range(BLOCK + 1))  # bytes of the last block, of associated data or of data
        self._full = Signal()  # H has a block
        self._last = Signal()  # it is the last of its kind
        self._judged = Signal()  # it has the first bytes of the tag, to decrypt
        self._H, self._N, self._tau, self._G = (Signal(128, name=n, reset_less=True) for n in ("H", "N", "tau", "G"))
        self._V, self._FU, self._FV, self._T = (Signal(128, name=n, reset_less=True) for n in ("V", "FU", "FV", "T"))

    def timetable(self, *, decrypt: bool) -> Pace:
        """``H``: from when it takes a block; ``AES``: from when a block of the present kind begins; ``last``: LAST."""
        call, alone = self.aes.timing.latency, self.F.timing.latency
        # TAIL, END, and H is free; TAU, INIT
        head = Phase(("AES",), delay=2, until={"H": call + 1, "AES": 3 * call + 2 + alone + 1})

        def phases(kind: BlockKind, size: int, last: bool) -> list[Phase]:
            if kind is BlockKind.NPUB:
                return [Phase(("H",), until={"H": 2, "AES": 1 + call})]
            if kind is BlockKind.TAG:
                return [Phase(("H",), until={"last": 1})]
            if kind is BlockKind.AD and last and size < BLOCK:
                return [Phase(("H",)), head]
            until = {"H": 1, "AES": call}
            if kind is BlockKind.AD:
                return [Phase(("H",)), Phase(("AES",), delay=1, until=until), *([head] if last else [])]
            if last:  # after LENGTH
                return [Phase(("H",)), Phase(("AES",), delay=1, until=until | {"last": call + 1})]
            return [Phase(("H",)), Phase(("AES",), delay=1, until=until, result=call + 1)]

        rest = call + 1 + (alone + 1 if decrypt else 0)
        return Pace(phases, end=Phase(("last",), result=call + 1), tag=rest + call + 2)

    def elaborate(self, platform):
        m = Module()
        m.submodules.aes, m.submodules.F, m.submodules.keys = self.aes, self.F, self.keys
        take = Signal()
        m.d.comb += take.eq(self.i.valid & self.i.ready)
        step = self._order(m, take)
        rotation = self._rotation(m)
        before = bits(below(self._size, BLOCK))  # bytes of the last block, not those behind
        self._blocks(m, take, step, rotation, before)
        chain = self._calls(m, take, step)
        self._chains(m, step, chain)
        self._results(m, take, rotation, before)
        with m.If(self.clear):
            registers = (self._H, self._N, self._tau, self._G, self._V, self._FU, self._FV)
            flags = (self._full, self._last, self._judged, self._decrypt, self._size, self._count)
            m.d.sync += [register.eq(0) for register in (*registers, *flags)]
            m.d.sync += [state.eq(PoetStep.IDLE) for state in (self._next, self._now, self._past)]
        return m

    def _order(self, m: Module, take: Value) -> Signal:
        """The steps, one after another. Returns the one that ``_begin`` begins."""
        step = Signal(PoetStep)
        free = Signal()
        given = Signal()
        now, following, call = self._now, self._next, self.aes.timing.latency
        short = self._size != BLOCK
        m.d.comb += [
            step.eq(Mux((following == PoetStep.DATA) & self._full & self._last, PoetStep.LENGTH, following)),
            self._end.eq((self._count == call) | (among(now, ALONE) & (self._count == self.F.timing.latency))),
            free.eq((self._count == 0) | (self._end & ~among(now, ALONE) & among(step, AT_ONCE))),
            given.eq((step != PoetStep.IDLE) & (step != PoetStep.TAG)),
            self._begin.eq(free & given),
            self.keys.idle.eq(following == PoetStep.IDLE),
            self.tag.valid.eq((following == PoetStep.TAG) & (self._count == 0) & (self._past == PoetStep.IDLE)),
        ]
        with m.Switch(step):
            with m.Case(PoetStep.HEADER):
                m.d.comb += given.eq(self._full & ~(self._last & short))
            with m.Case(PoetStep.DATA):
                m.d.comb += given.eq(self._full)
            with m.Case(PoetStep.LAST):
                m.d.comb += given.eq(~self._decrypt | self._judged)
        m.d.sync += self._past.eq(Mux(self._end, now, PoetStep.IDLE))
        with m.If(self._begin):
            m.d.sync += [now.eq(step), self._count.eq(1)]
            self._follow(m, step)
        with m.Elif(self._end):
            m.d.sync += self._count.eq(0)
        with m.Elif(self._count != 0):
            m.d.sync += self._count.eq(self._count + 1)
        with m.If((step == PoetStep.HEADER) & self._full & self._last & short):
            m.d.sync += following.eq(PoetStep.TAIL)
        with m.If(take & (following == PoetStep.IDLE)):
            m.d.sync += [following.eq(PoetStep.PARAMETERS), self._decrypt.eq(self.i.payload.decrypt)]
        with m.If(self.tag.valid & self.tag.ready):
            m.d.sync += following.eq(PoetStep.IDLE)
        return step

    def _follow(self, m: Module, step: Signal) -> None:
        """The step after ``step``."""
        after = {one: other for one, other in zip(PoetStep, [*PoetStep][1:], strict=False)}
        after |= {PoetStep.HEADER: PoetStep.HEADER, PoetStep.DATA: PoetStep.DATA}
        with m.Switch(step):
            for one, other in after.items():
                with m.Case(one):
                    m.d.sync += self._next.eq(other)
            with m.Default():
                pass
        with m.If((step == PoetStep.LAST) & ~self._decrypt):
            m.d.sync += self._next.eq(PoetStep.SUM)

    def _rotation(self, m: Module) -> Signal:
        """The block that the present step wants, moved by the bytes of the last block; the tag is moved back."""
        source = Signal(128)
        by = Signal(4)
        m.d.comb += by.eq(self._size)
        with m.Switch(self._next):
            with m.Case(PoetStep.HEADER, PoetStep.TAIL):
                m.d.comb += source.eq(self._N)
            with m.Case(PoetStep.LAST):
                m.d.comb += source.eq(self.i.payload.data)
            with m.Case(PoetStep.TAG):
                m.d.comb += [source.eq(self._T), by.eq(-self._size)]
            with m.Default():
                m.d.comb += source.eq(self._tau)
        return rotated(m, source, by)

    def _blocks(self, m: Module, take: Value, step: Value, rotation: Value, before: Value) -> None:
        """H: the block that enters next, and behind a last one the nonce, tau, or the first bytes of the tag."""
        H, block, begin = self._H, self.i.payload, self._begin
        awaited = ~self._full & among(self._next, (PoetStep.HEADER, PoetStep.TAU, PoetStep.INIT, PoetStep.DATA))
        tag_awaited = (self._next == PoetStep.LAST) & self._decrypt & ~self._judged
        m.d.comb += self.i.ready.eq(self.keys.running & ((self._next == PoetStep.IDLE) | awaited | tag_awaited))
        filled = Signal(128)
        m.d.comb += filled.eq(H | (rotation & ~before))
        with m.If(take):
            with m.Switch(block.kind):
                with m.Case(BlockKind.NPUB):
                    m.d.sync += self._N.eq(block.data)
                with m.Case(BlockKind.AD, BlockKind.DATA):
                    m.d.sync += [H.eq(block.data), self._size.eq(block.size), self._last.eq(block.last)]
                    m.d.sync += self._full.eq(1)
                with m.Case(BlockKind.TAG):
                    m.d.sync += [H.eq(filled), self._judged.eq(1)]
        with m.Elif(begin):
            with m.Switch(step):
                with m.Case(PoetStep.HEADER):  # an empty block follows a last one that is whole
                    m.d.sync += [H.eq(0), self._size.eq(0), self._full.eq(self._last)]
                with m.Case(PoetStep.TAIL):
                    m.d.sync += H.eq((rotation & before) | marked(only(self._size, BLOCK)))
                with m.Case(PoetStep.END, PoetStep.DATA):
                    m.d.sync += self._full.eq(0)
                with m.Case(PoetStep.LENGTH):
                    with m.If(~self._decrypt):
                        m.d.sync += H.eq(filled)
                with m.Case(PoetStep.LAST):
                    m.d.sync += [H.eq(0), self._full.eq(0), self._judged.eq(0)]
        with m.Elif((step == PoetStep.HEADER) & self._full & self._last & (self._size != BLOCK)):
            m.d.sync += H.eq(filled)

    def _calls(self, m: Module, take: Value, step: Value) -> Signal:
        """The keys and the blocks of the AES. Returns U."""
        aes, keys, begin = self.aes, self.keys, self._begin
        mask = Signal(128, reset_less=True)
        U = Signal(128)
        bytes_ = Signal(32 if self.parameters.at_once else 16)
        doubled = named(m, "doubled", GF128.double(named(m, "mask_element", WireReading.GCM.element(mask))))
        m.d.comb += [
            keys.key.valid.eq(self.key.valid),
            keys.key.payload.eq(self.key.payload),
            self.key.ready.eq(keys.key.ready),
            keys.zeroize.eq(self.clear),
            keys.derived.eq(1),
            keys.returned.eq(aes.o.valid & ~keys.running),
            keys.result.eq(aes.o.payload),
            aes.clear.eq(self.clear),
            aes.round_keys.eq(keys.round_keys),
            aes.i.valid.eq(keys.derive | (begin & ~among(step, ALONE))),
            aes.decrypt.eq(self._decrypt & among(step, (PoetStep.DATA, PoetStep.LAST))),
            U.eq(self._H ^ self._FU ^ self._G),
        ]
        with m.Switch(step):
            with m.Case(PoetStep.IDLE):
                m.d.comb += aes.i.payload.eq(keys.block)
            with m.Case(*HEAD):
                m.d.comb += aes.i.payload.eq(self._H ^ mask)
            with m.Case(PoetStep.TAU):
                m.d.comb += aes.i.payload.eq(self._tau)
            with m.Case(PoetStep.LENGTH):
                m.d.comb += aes.i.payload.eq(Cat(Const(0, 3), bytes_))
            with m.Default():
                m.d.comb += aes.i.payload.eq(U)
        with m.If(take & (self.i.payload.kind == BlockKind.NPUB)):
            m.d.sync += [mask.eq(keys.value(L)), bytes_.eq(0)]
        with m.Elif(begin & among(step, HEAD)):
            m.d.sync += mask.eq(WireReading.GCM.block(doubled))
        with m.If(take & (self.i.payload.kind == BlockKind.DATA)):
            m.d.sync += bytes_.eq(bytes_ + self.i.payload.size)
        with m.If(self.clear):
            m.d.sync += [mask.eq(0), bytes_.eq(0)]
        return U

    def _chains(self, m: Module, step: Value, U: Value) -> None:
        """tau, S, and the two chains: F(U) five cycles after U entered F, F(V) with the AES."""
        F, now, end, result = self.F, self._now, self._end, self.aes.o.payload
        turn = Signal()
        middle = self._count == F.timing.latency
        V = self._V ^ Mux(step == PoetStep.INIT, ONE, 0)  # U_0 and V_0 differ in that bit, whichever is X
        m.d.comb += [
            turn.eq(middle & among(now, CHAINS)),
            F.i.valid.eq(turn | (self._begin & among(step, (*CHAINS, *ALONE)))),
            F.i.payload.eq(Mux(turn | among(step, ALONE), V, U)),
            F.o.ready.eq(1),
            F.round_keys.eq(self.keys.expanded(K_F)),
            F.clear.eq(self.clear),
        ]
        with m.If(middle & F.o.valid):
            m.d.sync += self._FU.eq(F.o.payload)
        with m.If(end):
            with m.Switch(now):
                with m.Case(PoetStep.PARAMETERS):
                    m.d.sync += [self._tau.eq(result), self._G.eq(0)]
                with m.Case(*HEAD[1:]):
                    m.d.sync += self._tau.eq(self._tau ^ result)
                with m.Case(PoetStep.TAU):
                    m.d.sync += [self._tau.eq(result), self._V.eq(result ^ Mux(self._decrypt, 0, ONE))]
                with m.Case(PoetStep.LENGTH):
                    m.d.sync += self._G.eq(result)
                with m.Case(PoetStep.SWAP):
                    m.d.sync += self._V.eq(self._FU)
                with m.Case(*CHAINS):
                    swapped = (now == PoetStep.SUM) & self._decrypt  # V is F(V) already
                    m.d.sync += [self._V.eq(result), self._FV.eq(Mux(swapped, self._V, F.o.payload) ^ self._G)]
                    with m.If(now == PoetStep.LAST):
                        m.d.sync += self._G.eq(self._tau)

    def _results(self, m: Module, take: Value, rotation: Value, before: Value) -> None:
        """Drives the results and T. To encrypt, T is the tag, rotated; to decrypt, the difference of both tags."""
        T, past = self._T, self._past
        out = Signal(128)
        last = Signal()
        m.d.comb += [
            out.eq(self._V ^ self._FV),
            last.eq(past == PoetStep.LAST),
            self.o.valid.eq((past == PoetStep.DATA) | (last & (self._size != 0))),
            self.o.payload.size.eq(Mux(last, self._size, BLOCK)),
            self.o.payload.data.eq(out & (before | (~last).replicate(128))),
            self.tag.payload.eq(rotation),
        ]
        padding = Mux(self._decrypt, rotation, 0)
        with m.If(take & (self.i.payload.kind == BlockKind.NPUB)):
            m.d.sync += T.eq(0)
        with m.Elif(take & (self.i.payload.kind == BlockKind.TAG)):
            m.d.sync += T.eq(rotation & before)
        with m.Elif(last):
            m.d.sync += T.eq(T ^ ((out ^ padding) & ~before))
        with m.Elif(past == PoetStep.SUM):
            m.d.sync += T.eq(T ^ (out & before))
        with m.If(self.clear | (self.tag.valid & self.tag.ready)):
            m.d.sync += T.eq(0)


class Poet(Caesar):
    """POET behind the CAESAR Hardware API; the cipher compares the tag."""

    title = "POET, an on-line authenticated cipher"
    make_cipher = PoetCipher
