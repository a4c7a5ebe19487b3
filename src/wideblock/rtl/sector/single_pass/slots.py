# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The slots of the units under way in single pass, and the stores of keys.

The slot of a unit goes with the unit's tweak through the pipelines into the queue of tweaks. Key2 is read as the unit's
first beat enters the entrance, Key1 together with T.

Key2 stays in the read register of the store until the next unit, so the store is read once more at the end of an
eviction. Key1 is read in every cycle without masks.
"""

from amaranth import Cat, Module, Mux, Value

from wideblock.rtl.keys.slots import SlotUnit
from wideblock.rtl.keys.store import KeyStore
from wideblock.rtl.pipeline import later
from wideblock.rtl.stream.storage import Delay
from wideblock.rtl.stream.unit_entrance import UnitEntrance

__all__ = ["UnitSlots"]


class UnitSlots:
    """``data_keys``: Key1 of the unit with masks in place; ``tweak_keys``: Key2 of the called tweak.

    ``called``: row of Key1, beside a tweak coming out of the pipelines. Constructed as a core is elaborated; adds the
    stores to the core.
    """

    def __init__(self, m: Module, unit: SlotUnit, entrance: UnitEntrance, *, cycles: int, ahead: int):
        self._m, self._unit, self._entrance, self._cycles = m, unit, entrance, cycles
        first, second = (KeyStore(bits=unit.key_bits, rows=1 << len(row)) for row in (unit.row0, unit.row1))
        m.submodules.data_keys, m.submodules.tweak_keys = first, second
        self.data_keys, self.tweak_keys = first, second
        for store, row, key in ((first, unit.row0, unit.data0), (second, unit.row1, unit.data1)):
            m.d.comb += [
                store.write.eq(unit.writing),
                store.write_row.eq(row),
                store.data.eq(key),
                store.clear.eq(unit.clear),
                store.clear_row.eq(unit.clear_row),
            ]
        clear = unit.clear
        entering, renewed = Mux(entrance.renewed, entrance.i.payload.slot, entrance.slot), entrance.renewed
        if ahead:  # as late as the tweak
            entering, renewed = entrance.slot, later(m, "renewed", renewed, cycles=ahead, clear=clear)
        m.d.comb += [
            second.row.eq(entering[: unit.bits]),
            second.read.eq(renewed | unit.erased),
            unit.asked.eq(entrance.i.payload.slot),
            entrance.known.eq(unit.known),
            unit.begins.eq(entrance.opening),
            unit.damaged.eq(first.wrong | second.wrong),
        ]

    @property
    def row(self) -> Value:
        """The row of Key1 for the unit of the called tweak: the slot, and in the upper half of rows to decrypt."""
        slot = self._entrance.slot[: self._unit.bits]
        return Cat(slot, self._entrance.x.decrypt) if len(self._unit.ways) == 2 else slot

    def calls(self, row: Value, enters: Value) -> None:
        """A tweak ``enters`` the pipelines, under Key2; ``row`` goes with it."""
        clear, clear_row = self._unit.clear, self._unit.clear_row
        beside = Delay(self._m, "rows", row, cycles=self._cycles, clear=clear, clear_row=clear_row)
        self.called = beside.value
        self._m.d.comb += self.tweak_keys.used.eq(enters)

    def loads(self, row: Value, due: Value) -> None:
        """Reads Key1 in ``row`` as T is loaded."""
        self._m.d.comb += [self.data_keys.row.eq(row), self.data_keys.read.eq(due)]
