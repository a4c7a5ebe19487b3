# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The rows of a context, made one after another from the offered key, beside the data path."""

from collections import defaultdict
from functools import reduce
from operator import or_
from typing import Protocol

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value

from wideblock.rtl.aes.forms import logic_sbox
from wideblock.rtl.aes.travelling import LastRoundKeys
from wideblock.rtl.aes.word_serial import WordSerialEncryption
from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.gf128.serial import SerialMultiplier
from wideblock.rtl.ranges import within

from .context import WORD_BITS, Context, ContextRow, ContextStep, Making
from .material import KeyMaterial

__all__ = ["RowMaker"]

PRODUCT_CYCLES = 64
"""Cycles of a product of powers of the hash key."""

Made = tuple[Value, Value]
"""The value of a step, and the signal of completion."""


class DerivationRun(Protocol):
    """The derivation in hand: its ``step``, ``start``, ``making`` and ``resting`` as in the key unit's command."""

    step: Signal
    start: Signal
    making: Signal
    resting: Signal


class RowMaker:
    """Makes the values of the steps of a ``context``, of keys of a ``material``.

    Cost:     a sequential AES for derived words, and after a derived word for the last round keys, else
              :class:`LastRoundKeys`; for powers that no squares make, a sequential multiplier and two registers.
    Security: nothing of a key stays here while no command is in hand.
    """

    def __init__(self, material: KeyMaterial, context: Context, *, sbox: str, reading: WireReading):
        self.material, self.context, self.sbox, self.reading = material, context, logic_sbox(sbox), reading
        self.rows = [self._row_of(step) for step in context.steps]
        steps = zip(context.steps, self.rows, strict=True)
        self.calls = [(n, row.made) for n, (step, row) in enumerate(steps) if row.made and step.making is Making.WORD]
        self.backward = [n for n, row in enumerate(self.rows) if row.last]

    def cycles(self, begun: int) -> int:
        """Cycles of all steps; calls may begin in cycle ``begun``, the first step follows a cycle later."""
        cycle = first = begun + 1
        called = {number for number, _ in self.calls}
        for number, step in enumerate(self.context.steps):
            if step.making is Making.PRODUCT:
                cycle += PRODUCT_CYCLES
            elif number in called:
                cycle += self._encryption().timing.latency
            elif number in self.backward and not self._left:
                cycle = max(cycle, begun + self._last_round_keys().timing.latency)
            cycle += 1
        return cycle - first

    def row(self, step: Value) -> tuple[Value, Value]:
        """The row of a ``step`` in the slot, and whether the step has a row."""
        steps, bits = self.context.steps, self.context.row_bits
        if [each.row for each in steps] == [*range(len(steps))]:
            return step[:bits], Const(1, 1)
        rows = Array(Const(each.row or 0, bits) for each in steps)
        return rows[step], Array(Const(each.row is not None, 1) for each in steps)[step]

    def made(self, m: Module, run: DerivationRun, key: Value, clear: Value) -> Made:
        """The value of the step in hand, made from the offered ``key``, and the signal of completion."""
        values = [self._port(row, key) for row in self.rows]
        self._calls(m, run, key, clear, values)
        self._backward(m, run, key, clear, values)
        if len({step.making for step in self.context.steps}) > 1:
            self._powers(m, run, clear, values)
        return self._chosen(run, values, range(len(values)))

    def _row_of(self, step: ContextStep) -> ContextRow:
        """The row of a step; a step with a hash key that has no row gets a row alike."""
        if step.row is not None:
            return self.context.rows[step.row]
        made = {each.into: each for each in self.material.derivations}
        assert self.material.hash_key is not None, "a step without a row makes a power of the hash key"
        return ContextRow(self.material.hash_key, made=made.get(self.material.hash_key), power=1)

    @property
    def _left(self) -> bool:
        """A call leaves the last round keys before a step takes them."""
        return bool(self.calls and self.backward) and self.calls[0][0] < self.backward[0]

    def _encryption(self) -> WordSerialEncryption:
        return WordSerialEncryption(key_bits=self.material.ciphers[0].bits, sbox=self.sbox)

    def _last_round_keys(self) -> LastRoundKeys:
        return LastRoundKeys(key_bits=self.material.ciphers[0].bits, sbox=self.sbox)

    def _chosen(self, run: DerivationRun, values: list[Made], numbers: range) -> Made:
        """The value of the step in hand, among ``numbers``, by AND and OR: a multiplexer a step takes longer."""
        steps_of = defaultdict[int, list[int]](list)
        for number in numbers:
            steps_of[id(values[number][0])].append(number)
        hits = [(values[same[0]][0], Cat(run.step == n for n in same).any()) for same in steps_of.values()]
        chosen = reduce(or_, (value & hit.replicate(WORD_BITS) for value, hit in hits))
        return chosen, Cat((run.step == number) & values[number][1] for number in numbers).any()

    def _port(self, row: ContextRow, key: Value) -> Made:
        """A word of the key port, or zero."""
        if row.made or row.last or row.word not in self.material.port:
            return Const(0, WORD_BITS), Const(0, 1)
        word = key[self.material.place(row.word)][row.at : row.at + WORD_BITS]
        return (self.reading.hash_key(word) if row.word == self.material.hash_key else word), Const(1, 1)

    def _calls(self, m: Module, run: DerivationRun, key: Value, clear: Value, values: list[Made]) -> None:
        """The ``values`` of the steps with a result of the cipher, and with last round keys left by the cipher."""
        if not self.calls:
            return
        m.submodules.cipher_of_keys = encryption = self._encryption()
        asked = Signal(name="asked_encryption")
        mine = Cat(run.step == number for number, _ in self.calls).any()
        block = Const(0, WORD_BITS)
        for number, call in self.calls:
            block = Mux(run.step == number, call.block, block)
        m.d.comb += [
            encryption.key.eq(key[self.material.place(self.material.ciphers[0])]),
            encryption.i.valid.eq(run.making & mine & ~asked),
            encryption.i.payload.eq(block),
            encryption.o.ready.eq(1),
            encryption.clear.eq(clear | run.resting),
        ]
        m.d.sync += asked.eq(run.making & ~clear & (asked | (mine & encryption.i.ready)) & ~encryption.o.valid)
        for number, call in self.calls:
            of_hash = call.into == self.material.hash_key
            value = self.reading.hash_key(encryption.o.payload) if of_hash else encryption.o.payload
            values[number] = value, encryption.o.valid
        for number in self.backward if self._left else ():
            values[number] = encryption.last[self.rows[number].at :][:WORD_BITS], Const(1, 1)

    def _backward(self, m: Module, run: DerivationRun, key: Value, clear: Value, values: list[Made]) -> None:
        """The ``values`` of the steps with last round keys, where no call leaves the round keys."""
        if self._left or not self.backward:
            return
        m.submodules.last_round_keys = last = self._last_round_keys()
        m.d.comb += [
            last.key.eq(key[self.material.place(self.material.ciphers[0])]),
            last.start.eq(run.start),
            last.clear.eq(clear | run.resting),
        ]
        for number in self.backward:
            values[number] = last.o[self.rows[number].at :][:WORD_BITS], last.done

    def _powers(self, m: Module, run: DerivationRun, clear: Value, values: list[Made]) -> None:
        """The ``values`` of the steps with powers of the hash key, each from the power before."""
        steps = self.context.steps
        first = next(number for number, row in enumerate(self.rows) if row.power == 1)
        walk = range(first, 1 + max(number for number, step in enumerate(steps) if step.making is not Making.WORD))
        tau, power = (Signal(WORD_BITS, name=name, reset_less=True) for name in ("hash_key", "power"))
        square = Signal(WORD_BITS, name="power_squared")
        m.d.comb += square.eq(GF128.square(power))
        products = [number for number in walk if steps[number].making is Making.PRODUCT]
        for number in walk[1:]:
            values[number] = square, Const(1, 1)
        if products:
            m.submodules.multiplier = multiplier = SerialMultiplier(cycles=PRODUCT_CYCLES)
            mine, asked = Cat(run.step == number for number in products).any(), Signal(name="asked_product")
            m.d.comb += [
                multiplier.i.payload.a.eq(power),
                multiplier.i.payload.b.eq(tau),
                multiplier.i.valid.eq(run.making & mine & ~asked),
                multiplier.clear.eq(clear | run.resting),
            ]
            m.d.sync += asked.eq(run.making & ~clear & mine & ~multiplier.o.valid)
            for number in products:
                values[number] = multiplier.o.payload, multiplier.o.valid & asked
        made, done = self._chosen(run, values, walk)
        with m.If(run.making & done & within(run.step, first, walk.stop)):
            m.d.sync += power.eq(made)
            with m.If(run.step == first):
                m.d.sync += tau.eq(made)
        with m.If(run.resting | clear):
            m.d.sync += [tau.eq(0), power.eq(0)]
