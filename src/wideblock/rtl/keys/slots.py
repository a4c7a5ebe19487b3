# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The key unit of a core with slots: keys are loaded into slots and evicted from them while messages are processed."""

from collections.abc import Sequence

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import logic_sbox
from wideblock.rtl.aes.travelling import LastRoundKeys
from wideblock.rtl.stream.behaviour import Cause, Fault, KeyRule
from wideblock.rtl.stream.stages import power_of_two

from .material import KeyMaterial
from .under_way import KeysInSlots, SlotCommand

__all__ = ["DAMAGED", "MISPLACED", "SlotUnit"]

MISPLACED = Fault(
    Cause.KEY_SLOT, "a key came for a slot that does not exist or has one, or an eviction for one without"
)
DAMAGED = Fault(Cause.DAMAGE, "a key was not as it was stored; the core has cleared itself as with zeroize")


class SlotUnit(KeysInSlots):
    """Key unit with ``slots`` slots of two AES keys: loads and evicts keys while messages are processed.

    key:       in, a key for ``slot``, or with ``evict`` the end of the slot's key
    misplaced: out, pulses a cycle after a command for a wrong slot was accepted; the command changes nothing
    refused:   out, pulses a cycle after a key of two equal halves was accepted; the key changes nothing
    asked:     in, slot of a message; ``known``: out, without delay: the slot has a key
    begins:    in, pulses with a message; ``computed``: in, pulses as the oldest message is computed; at most ``most``
               are under way
    writing:   out, ``data0`` and ``data1`` are the words of a key for rows ``row0`` and ``row1`` of their memories
    erased:    out, pulses a cycle after the rows of an evicted key were overwritten
    damaged:   in, a stored key was damaged; clears as ``zeroize``
    clear:     out, after reset, ``zeroize`` and ``damaged``, pulses or levels: high while ``clear_row`` goes over
               ``rows`` rows, a power of two, twice after the last such cycle; afterwards no slot has a key

    A key is accepted as soon as it is in place: the next message may name the slot. An eviction is accepted as the slot
    closes: the next message for the slot is refused. The next command is accepted when the messages of the slot are
    computed and the row is overwritten.

    For ``ways`` False the first word of a key is stored as given, for True as its last round keys, and for both in both
    forms, round keys in the upper half of the memory. The second word is stored as given.

    Timing: ``clear`` for 2 * rows cycles, a command in the next cycle: :attr:`clearing`; a key is accepted
            :attr:`load` cycles after its offer, an eviction 1.
    Paths:  none from ``key.valid`` to ``key.ready``; ``asked`` to ``known``.
    Cost:   a bit a slot, two counters of messages, the slots of ``most`` messages; to decrypt one
            :class:`LastRoundKeys`. No register for the key.
    """

    def __init__(
        self,
        material: KeyMaterial,
        *,
        slots: int,
        ways: Sequence[bool],
        sbox: str,
        rows: int,
        most: int,
    ):
        if (len(material.ciphers), material.rule) != (2, KeyRule.HALVES_DIFFER) or material.derivations:
            raise ValueError(f"slots hold two AES keys that must differ; got {material.text}")
        self.ways, bits = tuple(ways), (slots - 1).bit_length()
        self.key_bits = material.ciphers[0].bits
        self.last_round_keys = LastRoundKeys(key_bits=self.key_bits, sbox=logic_sbox(sbox)) if True in ways else None
        first_rows = len(self.ways) << bits
        others = {
            "damaged": In(1),
            "refused": Out(1),
            "writing": Out(1),
            "erased": Out(1),
            **{f"row{k}": Out(range(rows)) for k, rows in enumerate((first_rows, 1 << bits))},
            **{f"data{k}": Out(self.key_bits) for k in range(2)},
        }
        super().__init__(material, others, slots=slots, rows=max(rows, first_rows, power_of_two(most)), most=most)

    @property
    def slot_rows(self) -> tuple[tuple[int, int], ...]:
        """Block memories: bits of a row without parity, and rows a slot."""
        return (self.key_bits, len(self.ways)), (self.key_bits, 1)

    @property
    def load(self) -> int:
        """Cycles from a key offered to it accepted."""
        return self.last_round_keys.timing.latency if self.last_round_keys else 2

    def elaborate(self, platform):
        m = Module()
        forget = self._clear(m)
        run = _Run(Signal(self.bits, name="slot"), self.most)
        self._loaded(m, run, rows=self.rows)
        self._messages_of(m, run, begun=self.asked[: self.bits])
        self._store(m, run)
        m.d.sync += [run.equal.eq(self._key(0) == self._key(1)), self.refused.eq(0), self.misplaced.eq(0)]
        m.d.sync += self.erased.eq(self.writing & run.evicting & run.stored & ~self.clear)
        m.d.comb += run.reported.eq(~self.clear & ~forget)
        states = {
            "idle": self._when_idle,
            "check": self._when_checked,
            "drain": self._when_draining,
            "write": self._when_writing,
        }
        with m.FSM(init="idle"):
            for name, state in states.items():
                with m.State(name):
                    state(m, run)
                    with m.If(self.clear):
                        m.d.sync += [run.slot.eq(0), run.evicting.eq(0), run.beyond.eq(0)]
                        m.next = "idle"
        return m

    def _when_idle(self, m: Module, run: "_Run") -> None:
        m.d.comb += [run.start.eq(self.key.valid & ~self.clear), run.resting.eq(~run.start)]
        with m.If(run.start):
            self._begin(m, run)
            m.next = "check"

    def _when_checked(self, m: Module, run: "_Run") -> None:
        m.d.comb += self.key.ready.eq(~self.clear & (run.mistaken | run.evicting | run.equal))
        with m.If(~self.key.valid):  # withdrawn, which only a clear may do
            m.next = "idle"
        with m.Elif(run.mistaken):
            m.d.sync += self.misplaced.eq(run.reported)
            m.next = "idle"
        with m.Elif(run.evicting):
            m.d.comb += run.closes.eq(1)
            m.next = "drain"
        with m.Elif(run.equal):
            m.d.sync += self.refused.eq(run.reported)
            m.next = "idle"
        with m.Else():
            m.next = "write"

    def _when_draining(self, m: Module, run: "_Run") -> None:
        m.d.comb += run.draining.eq(1)
        with m.If(run.inside == 0):
            m.next = "write"

    def _when_writing(self, m: Module, run: "_Run") -> None:
        m.d.comb += self.writing.eq(run.evicting | self.key.valid)
        with m.If(run.stored):
            m.d.comb += self.key.ready.eq(~run.evicting & ~self.clear)
            m.d.comb += run.opens.eq(self.key.valid & ~run.evicting)
        with m.If(run.stored | ~self.writing):
            m.next = "idle"

    def _key(self, number: int) -> Value:
        """A word of the key that is offered."""
        return self.key.payload[self.material.place(self.material.ciphers[number])]

    def _store(self, m: Module, run: "_Run") -> None:
        """Writes the rows of the slot while ``writing``: words of the key, or zeros."""
        kept = ~run.evicting.replicate(self.key_bits)
        key, last_keys, complete = self._key(0), self._key(0), Const(1, 1)
        if self.last_round_keys:
            m.submodules.last_round_keys = last = self.last_round_keys
            m.d.comb += [
                last.key.eq(key),
                last.start.eq(run.start),
                last.clear.eq(self.clear | run.resting),  # nothing of a key stays outside of the memories
            ]
            last_keys, complete = last.o, last.done | run.evicting
        way = Signal()  # both ways: the row of the second one
        if len(self.ways) == 2:
            m.d.sync += way.eq(self.writing & ~self.clear)
            data0, row0, stored = Mux(way, last_keys, key), Cat(run.slot, way), way & complete
        else:
            data0, row0, stored = last_keys if self.ways[0] else key, run.slot, complete
        m.d.comb += [
            self.row0.eq(row0),
            self.data0.eq(data0 & kept),
            self.row1.eq(run.slot),
            self.data1.eq(self._key(1) & kept),
            run.stored.eq(stored),
        ]


class _Run(SlotCommand):
    """The command in hand.

    equal:  the halves of the key are equal
    stored: the last row of the slot is written in this cycle
    """

    def __init__(self, slot: Signal, most: int):
        super().__init__(slot, most)
        self.equal = Signal()
        self.stored = Signal()
