# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The key unit of a core whose sectors take copies: a context for each slot, derived off the data path."""

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.stream.behaviour import KeyRule
from wideblock.rtl.stream.slot_gate import copy_requests

from .context import WORD_BITS, Context
from .derivation import RowMaker
from .material import KeyMaterial
from .store import KeyStore
from .under_way import KeysInSlots, SlotCommand

__all__ = ["ContextUnit"]


class ContextUnit(KeysInSlots):
    """Takes keys into ``slots`` slots, and writes the words of a sector's slot to the sector's place.

    ``key`` is a key for ``slot``, or with ``evict`` the end of the key there. A key is accepted as all rows of its
    context are in place: the next sector may name it. An eviction is accepted as the slot closes: the next sector for
    the slot is refused. The next command is accepted when the sectors of the slot are computed, and the rows and the
    words of unused places are overwritten. ``misplaced`` pulses in the cycle after a command for a wrong slot was
    accepted; the command changes nothing.

    asked:    in, a slot; ``known``: out, in the same cycle: the slot has a key
    begins:   in, pulses: a sector of slot ``copies.begun`` is whole
    computed: in, pulses: the oldest sector needs no word any more; at most ``most`` sectors are under way
    copies:   in, requests of sectors for words
    write:    out, ``data`` is number ``word`` of the words of a sector, for ``place``: one a cycle from the second
              cycle after ``copies.fill`` on
    wiped:    out, pulses: an eviction has overwritten all unused places

    ``copies.filled`` pulses :attr:`Context.lead` cycles after the first word of a sector, in the cycle before the
    sector may begin. In cycles without a word, an eviction writes zeros to every unused place.

    ``damaged`` pulses for a word with a wrong parity. After reset, ``zeroize`` and ``damaged``, pulses or levels,
    ``clear`` is high while ``clear_row`` goes over ``rows`` rows, twice after the last such cycle.

    Timing: ``clear`` for 2 * rows cycles, a command in the next cycle: :attr:`clearing`; a key is accepted
            :attr:`load` cycles after the offer, an eviction 1. The next command is accepted at most
            :attr:`overwriting` cycles after the last sector, where a sector begins every ``interval`` cycles.
    Paths:  none from ``key.valid`` to ``key.ready``; ``asked`` to ``known``.
    Cost:   block memory of the rows with parity; a squaring; a bit a slot; see :class:`RowMaker`.
    Security: no part of a key is in a register once the key is accepted, or once an eviction is through.
    """

    announced = sequenced = False
    calls = 0

    def __init__(
        self,
        material: KeyMaterial,
        context: Context,
        *,
        slots: int,
        places: int,
        interval: int,
        sbox: str,
        rows: int,
        reading: WireReading = WireReading.LE,
    ):
        if material.rule is not KeyRule.ANY or len(material.ciphers) != 1:
            raise ValueError(f"contexts are of one AES key of any value, got {material.text}")
        if len(context.words) + 1 > interval:
            raise ValueError(f"{len(context.words)} words take longer than an interval of {interval} cycles")
        self.context, self.places, bits = context, places, (slots - 1).bit_length()
        self.interval = interval
        self.maker = RowMaker(material, context, sbox=sbox, reading=reading)
        self.store = KeyStore(bits=WORD_BITS, rows=1 << (bits + context.row_bits))
        others = {
            "damaged": Out(1),
            "copies": In(copy_requests(slot_bits=bits, places=places)),
            "write": Out(1),
            "word": Out(range(max(2, len(context.words)))),
            "place": Out(range(places)),
            "data": Out(WORD_BITS),
            "wiped": Out(1),
        }
        super().__init__(material, others, slots=slots, rows=max(rows, self.store.rows), most=places + 2)

    @property
    def slot_rows(self) -> tuple[tuple[int, int], ...]:
        """Block memories: bits of a row without parity, and rows a slot."""
        return ((WORD_BITS, 1 << self.context.row_bits),)

    @property
    def load(self) -> int:
        """Cycles from the offer of a key to acceptance: the rows are made one after another."""
        checked = 2
        return checked + self.maker.cycles(begun=checked - 1) - 1

    @property
    def overwriting(self) -> int:
        """Cycles, at most, from the last sector of a slot computed to the next command looked at.

        Zeros are written in the cycles of an interval without a word of a new sector.
        """
        words = len(self.context.words)
        zeros = self.places * (words + 1)
        return self.most + 4 + len(self.context.steps) + zeros + -(-zeros // (self.interval - words)) * words

    def elaborate(self, platform):
        m = Module()
        m.submodules.store = store = self.store
        forget = self._clear(m)
        wiping = Signal()
        m.d.comb += [
            store.clear.eq(self.clear),
            store.clear_row.eq(self.clear_row[: len(store.clear_row)]),
            self.damaged.eq(store.wrong),
        ]
        filled_slot = self._copies(m, store, wiping)
        self._commands(m, store, wiping, forget, filled_slot)
        return m

    # Copies

    def _copies(self, m: Module, store: KeyStore, wiping: Value) -> Signal:
        """The words of a sector, a word a cycle; between words, ``wiping``, the zeros of an eviction.

        Returns the slot of the rows read while ``filling``.
        """
        words, size, copies = self.context.words, self.word.shape(), self.copies
        number = Signal(range(len(words) + 1), name="number")
        slot = Signal(self.bits, name="filled_slot")
        place = Signal.like(copies.fill_place, name="filled_place")
        reads = Signal(name="word_read")
        copied, copied_word = Signal(name="word_copied"), Signal(size, name="copied_word")
        row = Signal(self.context.row_bits)
        squared = Signal()
        rows = Array(Const(word.row or 0, len(row)) for word in words)
        m.d.comb += [
            reads.eq(copies.fill | (copies.filling & (number != len(words)))),
            row.eq(rows[number]),
            store.read.eq(reads | wiping),  # a row without a key takes the last one's place in the read register
            store.row.eq(Cat(row, Mux(copies.fill, copies.fill_slot, Mux(reads, slot, copies.closing)))),
            store.used.eq(copied & ~squared),
            squared.eq(Array(Const(word.row is None, 1) for word in words)[copied_word]),
            copies.filled.eq(copies.filling & (number == 1 + self.context.lead)),
        ]
        m.d.sync += [copied.eq(reads), copied_word.eq(number)]
        with m.If(copies.fill):
            m.d.sync += [
                number.eq(1),
                slot.eq(copies.fill_slot),
                place.eq(copies.fill_place),
                copies.filling.eq(1),
            ]
        with m.Elif(number == len(words)):
            m.d.sync += [number.eq(0), copies.filling.eq(0)]
        with m.Elif(copies.filling):
            m.d.sync += number.eq(number + 1)
        value = self._squares(m, store.key, copied, squared)
        last, wipes = Signal(name="last_place"), Signal(name="word_wiped")
        wiped_word = Signal(size, name="wiped_word")
        m.d.comb += [
            last.eq(copies.wiped_place == self.places - 1),
            wipes.eq(wiping & ~copied & ~copies.used),
            self.write.eq(copied | wipes),
            self.word.eq(Mux(copied, copied_word, wiped_word)),
            self.place.eq(Mux(copied, place, copies.wiped_place)),
            self.data.eq(value & copied.replicate(WORD_BITS)),
            self.wiped.eq(wiping & last & (copies.used | (wipes & (wiped_word == len(words) - 1)))),
        ]
        with m.If(wiping & (copies.used | (wipes & (wiped_word == len(words) - 1)))):
            m.d.sync += [wiped_word.eq(0), copies.wiped_place.eq(Mux(last, 0, copies.wiped_place + 1))]
        with m.Elif(wipes):
            m.d.sync += wiped_word.eq(wiped_word + 1)
        state = (number, slot, place, copies.filling, copied, copied_word, wiped_word, copies.wiped_place)
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in state]
        return slot

    def _squares(self, m: Module, row: Value, copied: Value, squared: Value) -> Value:
        """The written word: a ``row``, or if ``squared`` the square of the word before."""
        if not any(word.row is None for word in self.context.words):
            return row
        square, value = Signal(WORD_BITS, name="square", reset_less=True), Signal(WORD_BITS, name="copied_value")
        m.d.comb += value.eq(Mux(squared, square, row))
        m.d.sync += square.eq(GF128.square(value) & (copied & ~self.clear).replicate(WORD_BITS))
        return value

    # Commands

    def _commands(self, m: Module, store: KeyStore, wiping: Value, forget: Value, filled_slot: Value) -> None:
        """Loads and evictions, one after another."""
        run = _Run(self.copies.closing, steps=len(self.context.steps), most=self.most)
        self._loaded(m, run, rows=1 << self.bits)
        self._messages_of(m, run, begun=self.copies.begun)
        made, complete = self.maker.made(m, run, self.key.payload, self.clear)
        row, kept = self.maker.row(run.step)
        filled = self.copies.filling & (filled_slot == run.slot)
        m.d.comb += [
            run.final.eq(run.step == len(self.context.steps) - 1),
            run.complete.eq(complete),
            run.reported.eq(~self.clear & ~forget),
            run.entered.eq(~self.copies.held & ~filled),
            store.write.eq(run.done & kept),
            store.write_row.eq(Cat(row, run.slot)),
            store.data.eq(made & ~run.evicting.replicate(WORD_BITS)),
            wiping.eq(run.wiping),
        ]
        m.d.sync += self.misplaced.eq(0)
        states = {
            "idle": self._when_idle,
            "check": self._when_checked,
            "enter": self._when_entering,
            "drain": self._when_draining,
            "write": self._when_writing,
            "wipe": self._when_wiping,
        }
        with m.FSM(init="idle"):
            for name, state in states.items():
                with m.State(name):
                    state(m, run)
                    with m.If(self.clear):
                        m.d.sync += [run.slot.eq(0), run.evicting.eq(0), run.beyond.eq(0), run.step.eq(0)]
                        m.next = "idle"

    def _when_idle(self, m: Module, run: "_Run") -> None:
        m.d.comb += run.resting.eq(1)
        with m.If(self.key.valid & ~self.clear):
            self._begin(m, run)
            m.next = "check"

    def _when_checked(self, m: Module, run: "_Run") -> None:
        m.d.comb += [self.key.ready.eq(~self.clear & (run.mistaken | run.evicting)), run.start.eq(~run.evicting)]
        with m.If(~self.key.valid):  # withdrawn, which only a clear may do
            m.next = "idle"
        with m.Elif(run.mistaken):
            m.d.sync += self.misplaced.eq(run.reported)
            m.next = "idle"
        with m.Elif(run.evicting):
            m.d.comb += run.closes.eq(1)
            m.next = "enter"
        with m.Else():
            m.next = "write"

    def _when_entering(self, m: Module, run: "_Run") -> None:
        with m.If(run.entered):
            m.next = "drain"

    def _when_draining(self, m: Module, run: "_Run") -> None:
        m.d.comb += run.draining.eq(1)
        with m.If(run.inside == 0):
            m.next = "write"

    def _when_writing(self, m: Module, run: "_Run") -> None:
        m.d.comb += run.making.eq(self.key.valid & ~run.evicting)
        m.d.comb += run.done.eq(run.evicting | (run.making & run.complete))
        m.d.comb += self.key.ready.eq(run.final & run.complete & ~run.evicting & ~self.clear)
        with m.If(run.done):
            m.d.sync += run.step.eq(Mux(run.final, 0, run.step + 1))
            with m.If(run.final):
                m.d.comb += run.opens.eq(run.making)
                m.next = "idle"
                with m.If(run.evicting):
                    m.next = "wipe"
        with m.Elif(~run.making):
            m.d.sync += run.step.eq(0)
            m.next = "idle"

    def _when_wiping(self, m: Module, run: "_Run") -> None:
        m.d.comb += run.wiping.eq(1)
        with m.If(self.wiped):
            m.next = "idle"


class _Run(SlotCommand):
    """The command in hand, and the step of the slot's context.

    entered:  each sector of the slot is whole, and no words of the slot are being read
    step:     step of the derivation, with its value ``complete``; ``final``: the last one
    making:   the value of a step is made from the offered key
    done:     pulses at the end of a step
    wiping:   words of places are overwritten
    """

    def __init__(self, slot: Signal, *, steps: int, most: int):
        super().__init__(slot, most)
        self.entered = Signal()
        self.step = Signal(range(max(2, steps)), name="made_step")
        self.complete = Signal()
        self.final = Signal()
        self.making = Signal()
        self.done = Signal(name="step_done")
        self.wiping = Signal(name="wipes")
