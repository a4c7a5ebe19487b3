# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The datapath of a column a cycle: a step takes four cycles, for words 3, 2, 1 and 0 of each block.

The last word comes first, as doubling carries from a word to the one before it.
"""

from collections.abc import Sequence

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In

from wideblock.rtl.aes.planes import applied, from_planes, named, to_planes
from wideblock.rtl.aes.rounds import mix_steps
from wideblock.rtl.aes.sbox import sub_bytes
from wideblock.rtl.stream.storage import Ring

from ..cipher import CipherShape
from .datapath import BLOCK, FIRST, datapath_ports, from_nibbles, nibbles
from .offsets import Gates, Power, Version, doubles, places
from .step import Acc, AezKey, Constant, Hold, Operand, OperandSource, Text
from .step import Out as Result

__all__ = ["WORDS", "ColumnDatapath"]

WORD = 32  # bits
WORDS = BLOCK // WORD


class _Turning:
    """A block as registers of its words, turned by a word in each cycle with ``enable``; word 3 leaves first.

    out:       the word in hand
    above:     the word before it in the block, but for word 0
    registers: of the words
    """

    def __init__(self, m: Module, name: str, enable: Value, clear: Value):
        self.registers = [Signal(WORD, name=f"{name}{n}", reset_less=True) for n in range(WORDS)]
        self.out, self.above = self.registers[-1], self.registers[-2]
        self._m, self._enable, self._clear = m, enable, clear

    def take(self, word: Value) -> None:
        """``word`` takes the place of the word in hand."""
        with self._m.If(self._enable):
            self._m.d.sync += Cat(self.registers).eq(Cat(word, *self.registers[:-1]))
        with self._m.If(self._clear):
            self._m.d.sync += Cat(self.registers).eq(0)

    @property
    def whole(self) -> Value:
        """The block, in the cycle of word 0."""
        return Cat(self.registers[-1], *self.registers[:-1])


class ColumnDatapath(wiring.Component):
    """A :class:`~.datapath.Datapath` of one column: carries out a quarter of ``step`` in each cycle with ``run``.

    word:  in, the words in hand: 3, 2, 1, 0 in the cycles of a step or of a turn by a nibble
    go:    in, with ``word`` 0, in the last cycle of a step
    turn:  in, H is turned right by a nibble in four cycles; with ``far`` by a word in one
    read:  in, address of a word; ``write`` too

    Timing: four cycles a step; the memory's output has a word one cycle after its address.
    Cost:   four S-boxes, a column of MixColumns; 384 registers of the key, about 1,100 of blocks; one block memory.
    Security: no masking; no cycle depends on key or data.
    """

    remains: Sequence[str] = ("H?", "before", "T?", "state?", "total?", "next?", "V?", "rows")
    """See :class:`~wideblock.rtl.aead.cipher.Cipher`."""

    def __init__(self, version: Version, shape: CipherShape, layout: data.StructLayout, *, sbox: str, rows: int):
        self.version, self.shape, self.sbox, self.rows = version, shape, sbox, WORDS * rows
        self.room = shape.block // 2 - shape.tag
        super().__init__({**datapath_ports(shape, layout, rows, WORDS), "run": In(1), "word": In(range(WORDS))})

    def elaborate(self, platform):
        m = Module()
        self._V, self._row, self._S = (Signal(WORD, name=name) for name in ("V", "row", "S"))
        self._T, self._total, self._D, self._P, *self._keys = (
            _Turning(m, name, self.run, self.clear) for name in ("T", "total", "offset", "power", "I", "J", "L")
        )
        self._H = _Turning(m, "H", self.run | self.turn, self.clear)
        self._load_key()
        self._offset(m)
        self._memory(m)
        self._aes(m)
        self._texts(m)
        self._hold(m)
        self._results(m)
        return m

    def _of_word(self, block: Value) -> Value:
        """The word in hand of a whole block."""
        return block.word_select(self.word, WORD)

    def _load_key(self) -> None:
        for at, part in enumerate(self._keys):
            given = self._of_word(self.key[BLOCK * at : BLOCK * (at + 1)])
            part.take(Mux(self.load, given, part.out))

    def _doubled(self, m: Module, name: str, x: _Turning) -> Value:
        """The word in hand of two times a block."""
        carry = Signal(name=f"{name}_carry", reset_less=True)
        first = x.registers[0][FIRST]  # the first bit of the block, in the cycle of word 3
        with m.If(self.run):
            m.d.sync += carry.eq(x.out[FIRST])
        with m.If(self.clear):
            m.d.sync += carry.eq(0)
        last = named(m, f"{name}_last", self.word == WORDS - 1)
        bits = _big_endian(x.out)
        twice = Cat(carry & ~last, bits[:-1]) ^ Mux(last & first, 0x87, 0)
        return named(m, f"{name}_doubled", _big_endian(twice))

    def _offset(self, m: Module) -> None:
        """The offset, by Horner's rule, and the power."""
        step, D, P = self.step, self._D, self._P
        done = self.done[:3]
        gates = Gates(m, self.version, step.tweak, step.bit, places(done, self.decrypt, self.room > 0))
        terms = [part.out & gate.replicate(WORD) for part, gate in zip(self._keys, gates.parts, strict=True)]
        terms.append(P.out & gates.power.replicate(WORD))
        twice = self._doubled(m, "offset", D) & ~gates.first.replicate(WORD)
        D.take(Mux(step.bit != 0, twice ^ terms[0] ^ terms[1] ^ terms[2] ^ terms[3], D.out))

        word = Signal(WORD, name="next_power")
        doubled = self._doubled(m, "power", P)
        m.d.comb += word.eq(P.out)
        with m.If(step.power == Power.FIRST_AD):
            m.d.comb += word.eq(self._keys[1 if self.version is Version.V4 else 0].out)
        with m.Elif(step.power == Power.FIRST):
            m.d.comb += word.eq(self._keys[0].out)
        with m.Elif(doubles(step.power, done)):
            m.d.comb += word.eq(doubled)
        P.take(word)

    def _memory(self, m: Module) -> None:
        """The rows, a word in each row of the memory; while clearing, one after another is 0."""
        clear_row = Signal(range(self.rows))
        m.d.sync += clear_row.eq(Mux(self.clear, clear_row + 1, 0))
        ring = Ring(m, "rows", width=WORD, depth=self.rows, clear=self.clear, clear_row=clear_row)
        source = self.step.source
        value = Signal(WORD)
        with m.Switch(source):
            with m.Case(OperandSource.V):
                m.d.comb += value.eq(self._V)
            with m.Case(OperandSource.INPUT):
                m.d.comb += value.eq(self._of_word(self.block[:BLOCK]))
            with m.Case(OperandSource.ACC):
                m.d.comb += value.eq(self._total.out)
        ring.write(self.write, value, self.run & (source != OperandSource.NONE))
        m.d.comb += self._row.eq(ring.read(self.read, 1))

    def _aes(self, m: Module) -> None:
        """The AES' state. All four words change in the last cycle of a step."""
        step = self.step
        words = [Signal(WORD, name=f"state{n}", reset_less=True) for n in range(WORDS)]
        made = [Signal(WORD, name=f"next{n}", reset_less=True) for n in range(1, WORDS)]
        shifted = [Array(words)[(self.word + row)[:2]][8 * row : 8 * row + 8] for row in range(WORDS)]
        column = named(m, "column", Cat(shifted))
        key, operand, constant, word = (Signal(WORD, name=n) for n in ("key_word", "operand", "constant", "next0"))
        m.d.comb += self._S.eq(Array(words)[self.word])
        with m.Switch(step.aes):
            for name, part in zip((AezKey.I, AezKey.J, AezKey.L), self._keys, strict=True):
                with m.Case(name):
                    m.d.comb += key.eq(part.out)
        with m.Switch(step.operand):
            for name, value in {Operand.V: self._V, Operand.MEMORY: self._row, Operand.H: self._H.out}.items():
                with m.Case(name):
                    m.d.comb += operand.eq(value)
        with m.If(self.word == WORDS - 1):
            self._constant(m, constant)
        loaded = operand ^ self._D.out ^ constant
        m.d.comb += word.eq(Mux(step.aes == AezKey.LOAD, loaded, self._mixed(m, column, key)))
        with m.If(self.run):
            m.d.sync += Cat(made).eq(Cat(word, *made[:-1]))
        with m.If(self.go & (step.aes != AezKey.KEEP)):
            m.d.sync += Cat(words).eq(Cat(word, *made))
        with m.If(self.clear):
            m.d.sync += [Cat(words).eq(0), Cat(made).eq(0)]

    def _mixed(self, m: Module, column: Value, key: Value) -> Value:
        """SubBytes, MixColumns and AddRoundKey of a column: of a state of which the other columns are 0."""
        planes = to_planes(Cat(sub_bytes(m, column, self.sbox, "sb"), Const(0, BLOCK - WORD)))
        live = {"s": [named(m, f"sb{b}", plane) for b, plane in enumerate(planes)]}
        keys = to_planes(Cat(key, Const(0, BLOCK - WORD)))
        return from_planes(applied(m, live, mix_steps(keys, last=False), "mix")["s"])[:WORD]

    def _constant(self, m: Module, constant: Signal) -> None:
        """Word 3 of the constant."""
        last = constant[24:]
        with m.Switch(self.step.constant):
            with m.Case(Constant.TAU):
                m.d.comb += last.eq(8 * self.shape.tag)
            with m.Case(Constant.NONCE):
                m.d.comb += constant[8 * self.shape.npub + FIRST - 96].eq(1)
            with m.Case(Constant.ROUND):
                round = self.number ^ self.decrypt.replicate(3)
                if self.room:
                    round = Mux(self.decrypt, Mux(self.brief, 9, 7) - self.number, self.number)
                m.d.comb += last.eq(round)

    def _texts(self, m: Module) -> None:
        """V, T and the sum."""
        T, total, H = self._T, self._total, self._H.out
        text, sum_ = (Signal(WORD, name=name) for name in ("next_T", "next_total"))
        if self.room:
            forced = self.step.forced & (self.word == 0)
            H = H | forced << FIRST
        m.d.comb += [
            self._V.eq(T.out ^ (self._S & self.step.result.replicate(WORD))),
            text.eq(T.out),
            sum_.eq(total.out),
        ]
        with m.Switch(self.step.text):
            for name, value in {
                Text.ADD: T.out ^ self._row,
                Text.MEMORY: self._row,
                Text.AES: self._S,
                Text.H: H,
            }.items():
                with m.Case(name):
                    m.d.comb += text.eq(value)
        with m.Switch(self.step.acc):
            with m.Case(Acc.ADD):
                m.d.comb += sum_.eq(total.out ^ self._V)
            with m.Case(Acc.V):
                m.d.comb += sum_.eq(self._V)
            if self.version is Version.V4:
                with m.Case(Acc.OFFSET):
                    m.d.comb += sum_.eq(total.out ^ self._D.out)
        T.take(text)
        total.take(sum_)

    def _hold(self, m: Module) -> None:
        """H: the second half of an input block, V, its first e nibbles, or H turned."""
        H, hold, e = self._H, self.step.hold, self.nibbles
        cut = (hold == Hold.PAD) | (hold == Hold.CUT)
        partly = named(m, "partly", cut | (hold == Hold.MERGE))
        padded = named(m, "padded", hold == Hold.PAD)
        filled = named(m, "filled", cut | (hold == Hold.CLEAR))
        whole = named(m, "whole", hold == Hold.V)
        here = named(m, "here", e[3:] == self.word)
        beyond = named(m, "beyond", e[3:] > self.word)
        word = Signal(WORD, name="next_H")
        before = Signal(4, reset_less=True)  # the last nibble of word 3, which goes to word 0
        parts, above = nibbles(H.out), nibbles(H.above)
        with m.If(self.turn & (self.word == WORDS - 1)):
            m.d.sync += before.eq(parts[-1])
        with m.If(self.clear):
            m.d.sync += before.eq(0)
        last = Mux(self.word == 0, before, above[-1])
        m.d.comb += word.eq(H.out)
        with m.If(self.turn):
            with m.If(~self.far):
                m.d.comb += word.eq(from_nibbles([last, *parts[:-1]]))
        with m.Elif(self.step.source == OperandSource.INPUT):
            m.d.comb += word.eq(self._of_word(self.block[BLOCK:]))
        with m.Else():
            for k, (h, v) in enumerate(zip(nibbles(word), nibbles(self._V), strict=True)):
                partial = here & (e[:3] > k) if k + 1 < len(parts) else Const(0)  # e is less than all
                below = named(m, f"below_{k}", beyond | partial)
                with m.If(whole | (partly & below)):
                    m.d.comb += h.eq(v)
                with m.Elif(filled):
                    m.d.comb += h.eq(Cat(Const(0, 3), padded & here & (e[:3] == k)))
            if self.room:
                with m.If((hold == Hold.FLIP) & (self.word == 0)):
                    m.d.comb += word[FIRST].eq(H.out[FIRST] ^ self._S[FIRST])
        H.take(word)

    def _results(self, m: Module) -> None:
        """Results, in the cycle of word 0, are V, and H behind V, which is 0 if V is alone; the tag is H."""
        step = self.step
        earlier = [Signal(WORD, name=f"V{n}", reset_less=True) for n in range(1, WORDS)]
        with m.If(self.run):
            m.d.sync += Cat(earlier).eq(Cat(self._V, *earlier[:-1]))
        with m.If(self.clear):
            m.d.sync += Cat(earlier).eq(0)
        m.d.comb += [
            self.result.data.eq(Cat(self._V, *earlier, self._H.whole)),
            self.result.size.eq(Mux(step.out == Result.PAIR, self.shape.block, self.size)),
            self.tag.eq(self._H.whole[8 * self.room :]),
        ]


def _big_endian(word: Value) -> Value:
    """The word with its bytes in the reverse order."""
    return Cat(word[at : at + 8] for at in range(WORD - 8, -1, -8))
