# SPDX-License-Identifier: Apache-2.0
"""The copies of contexts in a core that stores a sector whole: what joins key unit, gate and the sectors under way."""

from collections.abc import Iterator, Mapping, Sequence

from amaranth import Array, Cat, Const, Module, Value
from amaranth.lib.wiring import connect

from wideblock.rtl.hash.unit import HashUnit
from wideblock.rtl.keys.contexts import ContextUnit
from wideblock.rtl.keys.material import KeyWord
from wideblock.rtl.ranges import within
from wideblock.rtl.stream.slot_gate import SlotGate
from wideblock.rtl.stream.stages import Stages

__all__ = ["Copies", "Words"]

Words = Mapping[KeyWord, Value]
"""The words of the key material, of the key port and derived; AES keys left out."""


class Copies:
    """The words of each sector under way, powers left out: memories with a row a sector, written by the key unit.

    Constructed as a core is elaborated. Connects ``keys`` with the ``gate``.
    """

    def __init__(self, m: Module, stages: Stages, keys: ContextUnit, gate: SlotGate):
        self._m, self._keys = m, keys
        words = [number for number, word in enumerate(keys.context.words) if word.power is None]
        self._slots = {number: stages.slots(f"word{number}") for number in words}
        for number, slots in self._slots.items():
            slots.write(keys.place, keys.data, keys.write & (keys.word == number))
        m.d.comb += [
            gate.clear.eq(keys.clear),
            gate.clear_row.eq(keys.clear_row),
            keys.asked.eq(gate.asked),
            gate.known.eq(keys.known),
            keys.begins.eq(gate.begins),
        ]
        connect(m, gate.copies, keys.copies)

    def read(self, word: KeyWord, sector: Value, *, last: bool = False) -> Value:
        """A word of the key of ``sector``, or its last round keys."""
        return Cat(self._slots[number].read(sector) for number in self._keys.context.places(word, last=last))

    def words(self, sector: Value) -> Words:
        """The words of the key of ``sector`` that are no AES keys."""
        material = self._keys.material
        return _SectorWords(self, [*material.raw, *material.stored], sector)

    def powers(self, unit: HashUnit) -> None:
        """Writes the powers into a hash unit, which forgets with the key unit."""
        m, keys = self._m, self._keys
        numbers = [number for number, word in enumerate(keys.context.words) if word.power is not None]
        first, behind = numbers[0], numbers[-1] + 1
        row, power = keys.word - first, within(keys.word, first, behind)
        if len(numbers) != behind - first:  # other words are among them
            places = [numbers.index(word) if word in numbers else 0 for word in range(len(keys.context.words))]
            row = Array(Const(place, len(unit.copy_row)) for place in places)[keys.word]
            power = Cat(keys.word == number for number in numbers).any()
        m.d.comb += [
            unit.copy.eq(keys.data),
            unit.copy_write.eq(keys.write & power),
            unit.copy_row.eq(row),
            unit.copy_bank.eq(keys.place),
            unit.clear.eq(keys.clear),
            unit.clear_row.eq(keys.clear_row),
        ]


class _SectorWords(Mapping[KeyWord, Value]):
    """Words of the key of a ``sector``; each that is asked for is read, once."""

    def __init__(self, copies: Copies, words: Sequence[KeyWord], sector: Value):
        self._copies, self._words, self._sector = copies, words, sector
        self._read: dict[KeyWord, Value] = {}

    def __getitem__(self, word: KeyWord) -> Value:
        if word not in self._words:
            raise KeyError(word)
        if word not in self._read:
            self._read[word] = self._copies.read(word, self._sector)
        return self._read[word]

    def __iter__(self) -> Iterator[KeyWord]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)
