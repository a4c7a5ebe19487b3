# SPDX-License-Identifier: Apache-2.0
"""The hash unit: pipelined multipliers, a window of waiting blocks, and accumulators, driven by hash programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.pipeline import later

from .operands import Operands
from .powers import CopiedPowers, Powers, StoredPowers, read_row
from .products import HashEvent, Special, Tap
from .program import Program
from .sequencer import Sequencer
from .words import ControlWords

__all__ = ["HashPass", "HashUnit"]


@dataclass(frozen=True)
class HashPass:
    """The ports of a program of a hash unit; see :class:`Sequencer`.

    beat, decrypt, restart:  driven by the core; ``beat`` offers the unit's ``blocks``
    ready, first, go, last:  driven by the unit
    ready_next, first_next:  of a unit with a lag, ``ready`` and ``first`` in the next cycle
    bank:                    of a unit with copies, driven by the core: bank of the present sector
    """

    unit: "HashUnit"
    beat: Signal
    decrypt: Signal
    restart: Signal
    ready: Signal
    first: Signal
    go: Signal
    last: Signal
    ready_next: Signal | None
    first_next: Signal | None
    bank: Signal | None


@dataclass(frozen=True)
class _Track:
    """A multiplier, its accumulators and its output.

    tags:  destinations of the products under way, the youngest first, the product at the output last
    total: the product added to the accumulator; while loading and clearing, the stored value
    sum:   ``total`` for operands and events
    """

    multiplier: Multiplier
    accumulators: memory.Memory
    tags: list[Any]
    total: Signal
    sum: Value

    @property
    def tag(self) -> Any:
        """Of the product at the output."""
        return self.tags[-1]


class HashUnit(wiring.Component):
    """Evaluates hash ``programs`` over blocks that arrive ``width`` a beat.

    Several programs share the multipliers, a sector at a time; or a single program overlaps a sector's tail with the
    head of the next sector. For each program ``p`` the unit has the members of :class:`HashPass`, as ``p_beat`` and so
    on. The products declare further members:

    event(e), result(e): out, ``event_<e>`` is high with the ``result_<e>``; events ``ahead`` are a cycle early, with
                         the product as it enters the multiplier's output register
    special(s):          in, ``special_<s>``: the special block, in the step of arrival or as long as held
    issue(t), operand(t): out, one cycle after the tapped product was issued: a pulse, and the right operand
    blocks:              in, the beat of ``p_beat``
    tau:                 in, the hash key, taken with ``load``; ``loaded``: out, pulses when the powers are stored

    All blocks have the same ``reading``. The data are ``lag`` cycles behind the steps: blocks, special blocks, results
    and operands come ``lag`` cycles after ``beat``, ``go``, events and ``issue``.

    With ``copies``, exponents of tau, each of ``banks`` sectors has powers of its own, without a hash key. A program
    reads the powers of bank ``p_bank``. ``copy_write`` writes ``copy``, the power with exponent number ``copy_row``, to
    bank ``copy_bank``, before a step reads the power.

    Timing: a product's result comes ``lag`` + ``stages`` cycles after the step, see :class:`Program`; ``setup`` cycles
            from ``load`` to ``loaded``.
    Cost:   the multipliers; per multiplier about 400 tables; memories of a few rows for window, powers, accumulators.
    Paths:  ``p_beat`` to the sequencers' state.
    Source: Chakraborty et al., IEEE TC 62(2), section 3.
    """

    def __init__(
        self,
        programs: Mapping[str, Program],
        *,
        width: int,
        leaf: int = 4,
        squares: str = "stored",
        ahead: Sequence[HashEvent] = (),
        reading: WireReading = WireReading.LE,
        lag: int = 0,
        copies: Sequence[int] = (),
        banks: int = 1,
    ):
        if copies and (len(programs), lag) != (1, 1):
            raise ValueError(f"copies are for one program with a lag of 1, got {len(programs)} with a lag of {lag}")
        self.programs, self.width, self.leaf, self.reading = dict(programs), width, leaf, reading
        self.lag = lag
        self.ahead = frozenset(ahead)
        self.copies, self.bank_bits = tuple(copies), (banks - 1).bit_length()
        self.control = c = ControlWords(programs, squares=squares, copies=copies)
        if late := c.summed & self.ahead:
            raise ValueError(f"the sum of event {min(e.name for e in late)} is not known before its last product")
        self.events, self.specials, self.taps = c.events, c.specials, c.taps
        self.stages, self.multipliers = c.stages, c.multipliers
        self.setup = 1 + lag + len(c.chain) * (c.stages + 1)
        self.depth = max(c.rows, c.slots, len(c.powers))  # of the deepest memory
        if copies:
            self.depth = max(self.depth, 1 << ((len(copies) - 1).bit_length() + self.bank_bits))
        outputs = ("ready", "first", "go", "last", *(("ready_next", "first_next") if lag else ()))
        members: dict = {
            "blocks": In(data.ArrayLayout(128, width)),
            **({} if copies else {"tau": In(128), "load": In(1), "loaded": Out(1)}),
            "clear": In(1),
            "clear_row": In(16),
        }
        if copies:
            bank = In(self.bank_bits)
            members |= {"copy": In(128), "copy_write": In(1), "copy_row": In(range(len(copies))), "copy_bank": bank}
            members |= {f"{name}_bank": bank for name in programs}
        for name in programs:
            members |= {f"{name}_{port}": In(1) for port in ("beat", "decrypt", "restart")}
            members |= {f"{name}_{port}": Out(1) for port in outputs}
        members |= {f"issue_{t.name}": Out(1) for t in c.taps} | {f"operand_{t.name}": Out(128) for t in c.taps}
        members |= {f"special_{s.name}": In(128) for s in c.specials}
        members |= {f"event_{e.name}": Out(1) for e in c.events} | {f"result_{e.name}": Out(128) for e in c.events}
        super().__init__(members)

    # Members by the objects that the products name

    def hash_pass(self, program: str) -> HashPass:
        """The ports of the program called ``name``."""
        ports = ("beat", "decrypt", "restart", "ready", "first", "go", "last", "ready_next", "first_next", "bank")
        return HashPass(self, **{port: getattr(self, f"{program}_{port}", None) for port in ports})

    def event(self, event: HashEvent) -> Signal:
        """Pulses with the :meth:`result` of the event."""
        return getattr(self, f"event_{event.name}")

    def result(self, event: HashEvent) -> Signal:
        """The result of an event, 128 bits."""
        return getattr(self, f"result_{event.name}")

    def special(self, special: Special) -> Signal:
        """Driven by the core: the special block of the present sector, 128 bits."""
        return getattr(self, f"special_{special.name}")

    def issue(self, tap: Tap) -> Signal:
        """Pulses with the :meth:`operand` of the tapped product."""
        return getattr(self, f"issue_{tap.name}")

    def operand(self, tap: Tap) -> Signal:
        """The right operand of a tapped product, 128 bits."""
        return getattr(self, f"operand_{tap.name}")

    # Hardware

    def elaborate(self, platform):
        m = Module()
        c = self.control
        decided = self._word(m)
        word = data.View(decided.shape(), later(m, "word", decided, cycles=self.lag, clear=self.clear))
        powers = self._copied(m, decided) if self.copies else self._stored(m, word)
        m.d.sync += [self.issue(tap).eq(decided[f"issue_{tap.name}"]) for tap in self.taps]
        tracks = [self._track(m, u, decided) for u in range(self.multipliers)]
        if isinstance(powers, StoredPowers):
            self._keep(m, powers.memory, tracks[0])
        self._announce(m, tracks)
        operands = self._operands(m, word, powers)
        for u, track in enumerate(tracks):
            sums = self._sums(m, tracks, u, decided, word)
            if isinstance(powers, CopiedPowers) and c.takes_constant(u):
                sums.append(powers.constant(u))
            right = operands.right(u, sums)
            left, beside = operands.left(u), operands.beside(u)
            factors = track.multiplier.i
            m.d.comb += [
                factors.valid.eq(word[f"issue{u}"]),
                factors.payload.a.eq(Cat(left, (a for a, _ in beside)) if beside else left),
                factors.payload.b.eq(Cat(right, (b for _, b in beside)) if beside else right),
            ]
            for tap in self.taps:
                if u in c.multipliers_of(tap):
                    m.d.sync += self.operand(tap).eq(self.reading.block(right))
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for tap in self.taps for register in (self.issue(tap), self.operand(tap))]
        return m

    def _word(self, m: Module) -> data.View:
        """The control word of this cycle: the granted heads of the programs, and all tails."""
        layout = self.control.layout()
        heads, tails = [], []
        for name, program in self.programs.items():
            sequencer = Sequencer(
                self.control.words(name),
                layout,
                beats=program.beats,
                steps=program.steps,
                stride=program.stride,
                registered=self.lag > 0,
            )
            m.submodules[f"{name}_sequencer"] = sequencer
            heads.append((self.hash_pass(name), sequencer))
            tails.append(sequencer.tail)
        shape = heads[0][1].shape
        if not self.copies:
            tails.append(self._set_up(m, layout))

        tail = Signal(shape)
        m.d.comb += tail.eq(_union(tails))
        granted = []
        for ports, sequencer in heads:
            m.d.comb += [
                sequencer.hold.eq(self._hold(sequencer, tail, [other for _, other in heads])),
                sequencer.beat.eq(ports.beat),
                sequencer.decrypt.eq(ports.decrypt),
                sequencer.restart.eq(ports.restart),
                sequencer.clear.eq(self.clear),
                ports.ready.eq(sequencer.ready),
                ports.first.eq(sequencer.first),
                ports.go.eq(sequencer.go),
                ports.last.eq(sequencer.last),
            ]
            if self.lag:
                m.d.comb += [ports.ready_next.eq(sequencer.ready_next), ports.first_next.eq(sequencer.first_next)]
            granted.append(Value.cast(sequencer.head) & sequencer.go.replicate(shape.size))
        word = Signal(shape)
        m.d.comb += word.eq(_union([*granted, tail]))
        if len(heads) == 1:  # what only selects need not wait for the grant: nothing takes it before
            ((_, sequencer),) = heads
            for u in range(self.multipliers):
                own = ~tail[f"issue{u}"]
                for name in self.control.selects(u):
                    head = sequencer.head[name]
                    m.d.comb += word[name].eq((head & own.replicate(len(head))) | tail[name])
        self._banks = self._banks_of(m, heads, tail) if self.copies else []
        return word

    def _set_up(self, m: Module, layout: dict[str, int]) -> Signal:
        """The tail of the program for the powers of a new key; drives ``loaded``."""
        setup = Sequencer(self.control.setup_words(), layout, beats=0, steps=1)
        m.submodules.setup = setup
        m.d.comb += [setup.hold.eq(~self.load), setup.clear.eq(self.clear)]
        loading = Signal(self.setup)
        m.d.sync += loading.eq(Mux(self.clear, 0, Cat(self.load, loading)))
        m.d.comb += self.loaded.eq(loading[-1])
        return setup.tail

    def _banks_of(self, m: Module, heads: Sequence[tuple[HashPass, Sequencer]], tail: Any) -> list[Value]:
        """The bank of each multiplier: of the present head, or where a tail issues, of the head before."""
        ((ports, sequencer),) = heads
        assert sequencer.length <= sequencer.steps, "a tail ends before the next one begins"
        before = Signal.like(ports.bank, name="tail_bank")
        with m.If(sequencer.last):
            m.d.sync += before.eq(ports.bank)
        with m.If(self.clear):
            m.d.sync += before.eq(0)
        return [Mux(tail[f"issue{u}"], before, ports.bank) for u in range(self.multipliers)]

    def _stored(self, m: Module, word: Any) -> StoredPowers:
        """The powers of one key."""
        power = memory.Memory(shape=128, depth=max(2, len(self.control.powers)), init=[])
        m.submodules.powers = power
        return StoredPowers(m, power, word, self.control)

    def _copied(self, m: Module, decided: Any) -> CopiedPowers:
        """The powers of the sectors under way."""
        powers = CopiedPowers(m, self.control, decided, self._banks, clear=self.clear)
        powers.write(self.copy_row, self.copy_bank, self.copy, self.copy_write, clear_row=self.clear_row)
        return powers

    def _hold(self, sequencer: Sequencer, tail, sequencers: Sequence[Sequencer]) -> Value:
        """Whether the present step of a head and a word of a tail want one multiplier: the tail goes first.

        No head goes while the tail of the setup does.
        """
        head = sequencer.head
        if sequencer.registered:
            head, tail = sequencer.head_next, data.View(head.shape(), _union([s.tail_next for s in sequencers]))
        return Cat(tail[f"issue{u}"] & head[f"issue{u}"] for u in range(self.multipliers)).any()

    def _track(self, m: Module, u: int, decided) -> _Track:
        """A multiplier and accumulators: a finished product opens an accumulator or is added to an accumulator."""
        m.submodules[f"multiplier{u}"] = multiplier = Multiplier(
            stages=self.stages,
            leaf=self.leaf,
            input_depth=Operands.DEPTH + self.control.prompt,
            ahead=any(self.control.multiplier_of(event) == u for event in self.ahead),
            terms=len(self.control.sides) - 1,
        )
        accumulators = memory.Memory(shape=128, depth=max(2, self.control.rows), init=[])
        m.submodules[f"accumulators{u}"] = accumulators
        tags = self._tags(m, u, decided)
        tag = tags[-1]
        held = read_row(m, accumulators, tag.into)
        total = Signal(128, name=f"sum{u}")
        added = Signal(128, name=f"added{u}")
        m.d.comb += [added.eq(multiplier.o.payload ^ (held & ~tag.first.replicate(128))), total.eq(added)]
        keeps = u == 0 and not self.copies
        if keeps:
            with m.If(self.load):
                m.d.comb += total.eq(self.reading.hash_key(self.tau))
        with m.If(self.clear):
            m.d.comb += total.eq(0)
        store = accumulators.write_port()
        m.d.comb += [store.addr.eq(tag.into), store.data.eq(total), store.en.eq(tag.store)]
        if keeps:
            with m.If(self.load):
                m.d.comb += [store.addr.eq(self.control.constants[1]), store.en.eq(1)]
        with m.If(self.clear):
            m.d.comb += [store.addr.eq(self.clear_row), store.en.eq(1)]
        # with a lag, operands are chosen by registers, and nothing passes while loading or clearing
        return _Track(multiplier, accumulators, tags, total, added if self.lag else total)

    def _tags(self, m: Module, u: int, word) -> list[Any]:
        """The destination of a product, from the ``word`` of its step on, in every cycle up to the output."""
        events = {f"event_{e.name}": 1 for e in self.events if self.control.multiplier_of(e) == u}
        kept = {"keep": 1, "keep_row": len(word.keep_row)} if u == 0 and not self.copies else {}
        layout = data.StructLayout({"store": 1, "into": len(word[f"into{u}"]), "first": 1, **kept, **events})
        tags = [Signal(layout, name=f"tag{u}_0")]
        for field in layout.members:
            source = f"{field}{u}" if field in ("store", "into", "first") else field
            m.d.comb += tags[0][field].eq(word[source])
        for stage in range(1, self.lag + self.stages + 1):
            tags.append(Signal(layout, name=f"tag{u}_{stage}"))
            m.d.sync += tags[-1].eq(tags[-2])
            with m.If(self.clear):
                m.d.sync += tags[-1].eq(0)
        return tags

    def _keep(self, m: Module, power: memory.Memory, track: _Track) -> None:
        """Writes tau and then every new power to the memory of powers."""
        keep = power.write_port()
        m.d.comb += [keep.addr.eq(track.tag.keep_row), keep.data.eq(track.total), keep.en.eq(track.tag.keep)]
        with m.If(self.load):
            m.d.comb += [keep.addr.eq(self.control.powers[1]), keep.en.eq(1)]
        with m.If(self.clear):
            m.d.comb += [keep.addr.eq(self.clear_row), keep.en.eq(1)]

    def _announce(self, m: Module, tracks: Sequence[_Track]) -> None:
        """The events and their results, from the multipliers' outputs or a cycle ahead of them."""
        for event in self.events:
            track = tracks[self.control.multiplier_of(event)]
            early = event in self.ahead
            tag, product = (
                track.tags[self.stages - early],
                track.multiplier.ahead if early else track.multiplier.o.payload,
            )
            if event in self.control.summed:
                product = track.sum
            m.d.comb += [
                self.event(event).eq(tag[f"event_{event.name}"]),
                self.result(event).eq(self.reading.block(product)),
            ]

    def _operands(self, m: Module, word, powers: Powers) -> Operands:
        """Operands that come from blocks and powers, not from accumulators."""
        return Operands(
            m,
            self.control,
            word,
            powers,
            beat=[self.reading.element(block) for block in self.blocks],
            special={special: self.reading.element(self.special(special)) for special in self.specials},
            clear=self.clear,
            clear_row=self.clear_row,
        )

    def _sums(self, m: Module, tracks: Sequence[_Track], u: int, decided, word) -> list[Value]:
        """The sums of products in a right operand, a term a source multiplier."""
        row, terms = word[f"row{u}"], []
        for v, track in enumerate(tracks):
            if not self.control.takes(u, v):
                continue
            # what is being stored in this very cycle is taken on its way
            tag = track.tags[self.stages]
            passing = later(
                m, f"passing{u}_{v}", tag.store & (tag.into == decided[f"row{u}"]), cycles=self.lag, clear=self.clear
            )
            held = Mux(passing, track.sum, read_row(m, track.accumulators, row))
            terms.append(held & word[f"take{u}_{v}"].replicate(128))
        return terms


def _union(words) -> Value:
    total = Value.cast(words[0])
    for word in words[1:]:
        total = total | Value.cast(word)
    return total
