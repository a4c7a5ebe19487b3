# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The cores of the family running hash: messages of any length, many under way, a beat a cycle.

    i -> entrance -+-> front hash -> R -> [E] or [D] -> G, Z
                   +-> input ring -> counter mode -+-> result ring -> o
                                                   +-> queue -> back hash -> inner

Each stage works on the oldest ready message. A pointer a stage is the number of the next message; small memories have a
row of values for each message under way. The rings are rings of beats: the address of a stage goes over the beats of
all messages in order, and a message takes a row a beat. Messages leave in order.
"""

from dataclasses import replace
from typing import Any

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data

from wideblock.rtl.aes.backward import BackwardDecryption
from wideblock.rtl.aes.forms import beside
from wideblock.rtl.aes.iterative import IterativeDecryption
from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.bytes import bits, up_to
from wideblock.rtl.flow.cycles import Cycles
from wideblock.rtl.hash.run import HornerRun
from wideblock.rtl.keys.context import Context
from wideblock.rtl.keys.material import KeyMaterial
from wideblock.rtl.stream.behaviour import Behaviour, Fault, Length, SectorTiming, StatedLength
from wideblock.rtl.stream.interface import Interface
from wideblock.rtl.stream.queue import PromisedQueue
from wideblock.rtl.stream.sector import sector_interface
from wideblock.rtl.stream.sized_entrance import SizedEntrance
from wideblock.rtl.stream.sized_exit import SizedExit
from wideblock.rtl.stream.stages import blocks, power_of_two, select

from ..parameters import AnyLengthParameters
from ..store_and_forward import StoreAndForward
from .equations import RunningHashEquations
from .values import Carried, RunningFrame, SingleCall
from .walk import Beats, Walk, packed, tweak_blocks

__all__ = ["IN_FLIGHT", "RunningHash"]

LEAST = 16
"""Bytes of the shortest message."""

IN_FLIGHT = 32
"""Messages under way, at most: a row each in distributed memories, which have 32."""


class RunningHash(RunningHashEquations, StoreAndForward):
    """A core of the family for messages of 16 to ``longest`` bytes; a scheme states its :class:`RunningHashEquations`.

    The first beat of a message states the sizes of message and tweak. ``sector_bytes`` and ``tweak_bytes``: sizes for
    ``timing``; :meth:`cycles` has the timing for any sizes.

    Timing, Paths: as :class:`StoreAndForward`, equal for each message of the sizes.
    """

    family = "running hash"

    def __init__(self, parameters: AnyLengthParameters):
        self.parameters = p = parameters
        self.lanes = PipelinedEncryption(
            key_bits=p.key_bits, round_stages=p.round_stages, sbox=p.sbox, lanes=p.lanes, travelling=p.slots > 0
        )
        self.inverse = (BackwardDecryption if p.slots else IterativeDecryption)(**beside(p))
        A = self.cipher_latency = self.lanes.timing.latency
        self.place = (p.beat_bytes - 1).bit_length()  # bits of the number of a byte in its beat
        self.held = self._beats(p.most_tweak_bytes)
        most = self._beats(p.longest)
        steps = {"most": most + self.held, "stages": p.mult_stages, "leaf": p.leaf, "reading": self.reading}
        context = self._context(p) if p.slots else None
        copies = {"copies": context.powers, "banks": IN_FLIGHT} if context else {}
        self.hashes = [HornerRun(**steps, width=p.width, **copies) for _ in range(2)]
        self.queue_depth = power_of_two(A + 8)
        # a row is taken from the step of the front hash to that of the exit: two passes, both ciphers, the way out
        self.ring_rows = power_of_two(3 * most + 2 * A + 2 * p.mult_stages + 8)
        self.row_bits = self.ring_rows.bit_length()  # of an address of beats, with one bit more
        early, interval = self._early(p.tweak_bytes), self._interval(p.tweak_bytes, p.sector_bytes)
        stated = Cycles.stated(
            compute=self._compute(p.tweak_bytes, p.sector_bytes), beats=p.beats, interval=interval, held=early
        )
        super().__init__(
            p,
            cipher_latency=A,
            cycles=replace(stated, pace=None, busy=self._busy(p.tweak_bytes, p.sector_bytes)),
            held=0 if p.slots else early,
            slots=IN_FLIGHT,
            rows=self.ring_rows // IN_FLIGHT,
            depths=[A + p.mult_stages + 2, self.hashes[0].rows, self.queue_depth],
            loading=self.hashes[0].setup,
            context=context,
            least=self._interval(0, LEAST),
        )

    def _context(self, p: AnyLengthParameters) -> Context:
        """The context of a slot. In the shortest runs each power but the lowest is read in the first step."""
        material, called = self.key_material(p), 2 + p.mult_stages
        return Context.of(
            material,
            used=dict.fromkeys(material.ciphers, called) | dict.fromkeys(material.stored, called + self.cipher_latency),
            powers={power: int(power == 1) for power in range(1, (p.mult_stages + 1) * p.width + 1)},
            inverse=called,
        )

    # Cycles, ports and behaviour

    def _beats(self, size: int) -> int:
        return -(-size // self.parameters.beat_bytes)

    def _early(self, tweak_bytes: int) -> int:
        """Steps of a pass before the message's first beat."""
        return max(1, self._beats(tweak_bytes))

    def _compute(self, tweak_bytes: int, size: int) -> int:
        """Both passes, the two ciphers and hashes between them, and two registers."""
        A, s = self.cipher_latency, self.parameters.mult_stages
        return self._early(tweak_bytes) + 2 * self._beats(size) + 2 * s + 2 * A + 2

    def _interval(self, tweak_bytes: int, size: int) -> int:
        """Steps of a pass, or those of the inverse cipher, in either direction."""
        return max(self._early(tweak_bytes) + self._beats(size), self.cipher_latency)

    def _busy(self, tweak_bytes: int, size: int) -> int:
        """A message waits for the next one's single call; where calls set the interval, for all messages under way.

        Behind the queue of a core with slots it waits for the queue's beats, a short one for the begin of another.
        """
        interval, beats, queue = self._interval(tweak_bytes, size), self._beats(size), self.parameters.gate_beats
        waits = 2 if interval == self._early(tweak_bytes) + beats else IN_FLIGHT * interval
        queued = 1 + (queue if beats > queue else interval) if queue else 0
        return self._compute(tweak_bytes, size) + 1 + beats + waits + queued

    def cycles(self, tweak_bytes: int, size: int) -> SectorTiming:
        """The cycle contract for messages of ``size`` bytes under tweaks of ``tweak_bytes``."""
        compute, wait = self._compute(tweak_bytes, size), self.gate_wait
        return replace(
            self.timing,
            compute=compute + wait,
            latency=compute + wait + 1 + self._beats(size),
            busy=self._busy(tweak_bytes, size) + wait,
            interval=self._interval(tweak_bytes, size),
        )

    def _make_entrance(self) -> Any:
        p = self.parameters
        more = {"slots": p.slots > 0, "tag_bits": p.tag_bits}
        return SizedEntrance(width=p.width, least=LEAST, most=p.longest, tweak_bytes=p.most_tweak_bytes, **more)

    def _make_exit(self, sector_bits: int) -> Any:
        p = self.parameters
        return SizedExit(width=p.width, most=p.longest, sector_bits=sector_bits, tag_bits=p.tag_bits)

    def _make_interface(self, material: KeyMaterial, faults: tuple[Fault, ...]) -> Interface:
        p = self.parameters
        return sector_interface(
            p.width,
            material.bits,
            faults,
            key_parts=material.text,
            key_width=p.key_width,
            keep=True,
            tweak_bits=8 * p.most_tweak_bytes,
            sized=True,
            slots=p.slots > 0,
            tag_bits=p.tag_bits,
        )

    def _make_behaviour(self, material: KeyMaterial, faults: tuple[Fault, ...], held: int) -> Behaviour:
        p = self.parameters
        return replace(
            super()._make_behaviour(material, faults, held),
            length=StatedLength(
                LEAST, p.longest, p.sector_bytes, Length(0, p.most_tweak_bytes), p.tweak_bytes, self.cycles
            ),
        )

    # Hardware

    def elaborate(self, platform):
        m = Module()
        f = self._frame(m)
        # decided by a stage, awaited by those before it
        admit = Signal(name="admit")  # the beat at the entrance has a place
        step_go = Signal(name="step_go")  # a step of the counter mode enters the lanes
        single_go = Signal(name="single_go")  # the single call does

        taken, front_row = self._first_pass(f, admit)
        hashed = self._hashed(f)
        slotted, keys = self.parameters.slots > 0, self.key_unit
        flags = {"single": single_go, **({} if slotted else {"derive": keys.derive}), "lane": step_go}
        *_, arriving, arrived = f.stages.delayed("tag", self.cipher_latency, **flags)
        single = self._single_call(f, single_go, hashed, arrived.single)
        queue = self._queue(f, step_go)
        self._steps(f, step_go, queue.room, single)
        self._results(f, queue, arriving.lane, arrived.lane)
        computed = self._second_pass(f, queue, taken)
        left, exit_row = self._way_out(f, computed)

        of_message = (taken - left)[: len(taken)] != IN_FLIGHT
        m.d.comb += admit.eq(of_message & ((front_row - exit_row)[: self.row_bits] != self.ring_rows))
        if slotted:
            m.d.comb += self.entrance.computed.eq(computed)
            self._connect_keys(m, idle=Const(1), derived=Const(1))
            return m
        m.d.comb += self.lanes.round_keys.eq(keys.round_keys)
        idle = self.entrance.between & (taken == computed)
        self._hash_keys(m, self.hashes, idle=idle, returned=arrived.derive, result=f.E[0])
        return m

    def _frame(self, m: Module) -> RunningFrame:
        """Key unit, hashes, ciphers, and the memories of the messages under way."""
        p, header = self.parameters, self.entrance.header
        stages = self._stages(m)
        m.submodules.front_hash, m.submodules.back_hash = self.hashes
        m.submodules.lanes, m.submodules.inverse = self.lanes, self.inverse
        carried = Carried(
            X=stages.slots("X"),
            decrypt=stages.slots("decrypt", 1),
            last_byte=stages.slots("last_byte", len(header.end)),
            tweak=stages.slots("tweak", len(header.tweak) + len(header.tweak_size)),
            R=stages.slots("R"),
            G=stages.slots("G"),
            Z=stages.slots("Z"),
            inner=stages.slots("inner"),
        )
        return RunningFrame(
            m,
            stages,
            self.key_unit.clear,
            carried,
            input=stages.ring("input_ring", 128 * p.width),
            result=stages.ring("result_ring", 128 * p.width),
            E=blocks(self.lanes.o.payload, p.width),
        )

    def _address(self, f: RunningFrame, name: str, advance: Value) -> Signal:
        """An address of beats in the rings; its highest bit tells none from all."""
        address = Signal(self.row_bits, name=f"{name}_row")
        f.stages.hold(address, address + 1, advance)
        return address

    # Stages, in the order of the data

    def _first_pass(self, f: RunningFrame, admit: Value) -> tuple[Signal, Signal]:
        """Takes a message into the front hash and the ring. Returns the next message, and the address of the beat."""
        m, entrance, c = f.m, self.entrance, f.carried
        fault, header = self._spoiled, entrance.header
        walk = Walk(m, "front", header, self.held, self.place, fault | f.clear)
        opening = self._enter(m, admit=admit, offer=walk.go, ready=~walk.early, first=walk.head)
        whole = Signal(name="whole")
        m.d.comb += whole.eq(walk.go & walk.final & ~fault)
        message = f.stages.pointer("front", whole)
        self._tag(message, opening)
        row, base = Signal(self.row_bits, name="front_row"), Signal(self.row_bits, name="base_row")
        f.stages.hold(row, Mux(fault, base, row + 1), entrance.take)  # a fault comes with a beat
        f.stages.hold(base, row + 1, whole)
        f.input.write(row[:-1], entrance.x.data, entrance.take)
        c.X.write(message, entrance.x.data[:128], opening)
        c.decrypt.write(message, header.decrypt, whole)
        c.last_byte.write(message, header.end, whole)
        c.tweak.write(message, Cat(header.tweak, header.tweak_size), whole)
        self._hash(f, self.hashes[0], walk, header, entrance.x.data, walk.go & ~fault, message)
        return message, row

    def _hash(
        self, f: RunningFrame, hash: HornerRun, walk: Walk, header: data.View, own: Value, go: Value, message: Value
    ) -> None:
        """A step of a pass over ``message``, with the blocks of ``own``, or the first blocks of the hash."""
        end, W = header.end, self.parameters.width
        if self.parameters.slots:
            self.copies.powers(hash)
            f.m.d.comb += hash.bank.eq(message)
        tweak = [header.tweak[at : at + 128] for at in range(0, len(header.tweak), 128)]
        before = [self.header(header.tweak_size, end[:4] == 15), *tweak]
        t = tweak_blocks(header)
        taken = []
        for k, (early, block) in enumerate(
            zip(packed(before, t, beats=self.held, width=W), blocks(own, W), strict=True)
        ):
            ends = walk.final & (end[4 : self.place] == k)
            block = Mux(ends, self.padded(block, end[:4]), block)
            if k == 0:
                block = Mux(walk.head, select(before, t), block)
            some = (t != 0).replicate(128)
            taken.append(Mux(walk.early, select(early, walk.held) & some, block))
        f.m.d.comb += [
            hash.go.eq(go),
            hash.first.eq(walk.first),
            hash.left.eq(walk.left),
            hash.ends.eq(end[4 : self.place]),
            hash.block.eq(Cat(taken)),
        ]

    def _hashed(self, f: RunningFrame) -> Signal:
        """R as the front hash is done. Returns the first message whose R is not known."""
        c, hash = f.carried, self.hashes[0]
        message = f.stages.pointer("front_done", hash.done)
        c.R.write(message, self.R([c.X.read(message)], Const(0), hash.result), hash.done)
        return message

    def _single_call(self, f: RunningFrame, go: Value, hashed: Value, arrived: Value) -> SingleCall:
        """The single calls in order, as far apart as the inverse cipher needs, whatever their directions."""
        m, c, inverse = f.m, f.carried, self.inverse
        message = f.stages.pointer("single", go)
        called = f.stages.pointer("single_done", arrived)
        pause = Signal(range(self.cipher_latency), name="pause")
        m.d.comb += go.eq((message != hashed) & (pause == 0))
        f.stages.hold(pause, Mux(go, self.cipher_latency - 1, pause - 1), go | (pause != 0))
        R = c.R.read(message)
        m.d.comb += [
            inverse.i.payload.eq(R),
            inverse.i.valid.eq(go & c.decrypt.read(message)),
            inverse.o.ready.eq(1),
            inverse.clear.eq(f.clear),
        ]
        if self.parameters.slots:
            (K,) = self.key_unit.material.ciphers
            m.d.comb += inverse.key.eq(self.copies.read(K, message, last=True))
        else:
            m.d.comb += inverse.round_keys.eq(self.key_unit.round_keys)
        # with three or more registers a round the inverse cipher is done earlier, and holds its result
        G = Signal(128, name="G_now")
        m.d.comb += G.eq(Mux(c.decrypt.read(called), inverse.o.payload, f.E[0]))
        c.G.write(called, G, arrived)
        c.Z.write(called, self.Z(c.R.read(called), G, None, self._words(called)), arrived)
        return SingleCall(R, go, called, message)

    def _steps(self, f: RunningFrame, go: Value, room: Value, single: SingleCall) -> None:
        """The beats of the oldest message with a Z into the lanes, and the calls before the beats."""
        m, keys, W = f.m, self.key_unit, self.parameters.width
        message, beat = self._beats_of(f, "lane", go)
        m.d.comb += go.eq((message != single.called) & room & ~single.go)
        Z = f.carried.Z.read(message)
        counted = [self.counter(Z, beat.number * W + k) for k in range(W)]
        first = Mux(single.go, single.block, counted[0])
        if self.parameters.slots:
            (K,) = keys.material.ciphers
            m.d.comb += self.lanes.key.eq(self.copies.read(K, Mux(single.go, single.message, message)))
            first = first & ~f.clear.replicate(128)
        else:
            first = Mux(keys.derive | f.clear, keys.block, first)
        m.d.comb += self.lanes.i.payload.eq(Cat(first, *counted[1:]))

    def _beats_of(self, f: RunningFrame, name: str, go: Value) -> tuple[Signal, Beats]:
        """A stage with a beat for each ``go``: the present message, and the beat."""
        final = Signal(name=f"{name}_ends")
        message = f.stages.pointer(name, final)
        beat = Beats(f.m, name, go, f.carried.last_byte.read(message), self.place, f.clear)
        f.m.d.comb += final.eq(go & beat.final)
        return message, beat

    def _queue(self, f: RunningFrame, step: Value) -> PromisedQueue:
        """The beats of results that wait for the back hash."""
        keys = self.key_unit
        f.m.submodules.queue = queue = PromisedQueue(
            width=128 * self.parameters.width, depth=self.queue_depth, parts=1, clear_row_bits=len(keys.clear_row)
        )
        f.m.d.comb += [queue.step.eq(step), queue.clear.eq(keys.clear), queue.clear_row.eq(keys.clear_row)]
        return queue

    def _results(self, f: RunningFrame, queue: PromisedQueue, arriving: Value, arrived: Value) -> None:
        """The beats of Y into the result ring and the queue; the first block of a message, X_1's place, is 0 there."""
        _, beat = self._beats_of(f, "lane_done", arrived)
        plain = f.input.read(self._address(f, "lane_due", arriving)[:-1], Const(1))
        Y, bytes_of_last = Signal(len(plain), name="Y"), Signal(len(plain) // 8, name="bytes_of_last")
        kept = bits(bytes_of_last) | ~beat.final.replicate(len(plain))
        f.m.d.comb += [
            bytes_of_last.eq(up_to(beat.end[: self.place])),
            Y.eq((Cat(f.E) ^ plain) & kept),
            queue.write.eq(arrived),
            queue.data.eq(Cat(Y[:128] & ~beat.first.replicate(128), Y[128:])),
        ]
        f.result.write(self._address(f, "lane_done", arrived)[:-1], queue.data, arrived)

    def _second_pass(self, f: RunningFrame, queue: PromisedQueue, taken: Value) -> Signal:
        """The hash of the results, from header and tweak on. Returns the first message whose Y_1 is not known."""
        m, c, hash = f.m, f.carried, self.hashes[1]
        final = Signal(name="back_ends")
        message = f.stages.pointer("back", final)
        header = data.View(
            self.entrance.header.shape(), Cat(c.tweak.read(message), c.last_byte.read(message), Const(0, 1))
        )
        walk = Walk(m, "back", header, self.held, self.place, f.clear)
        m.d.comb += [
            walk.go.eq((message != taken) & (walk.early | queue.valid)),
            final.eq(walk.go & walk.final),
            queue.read.eq(walk.go & ~walk.early),
            self.computed.eq(hash.done),
        ]
        self._hash(f, hash, walk, header, queue.beat, walk.go, message)
        computed = f.stages.pointer("back_done", hash.done)
        c.inner.write(computed, self.inner(c.G.read(computed), hash.result), hash.done)
        return computed

    def _way_out(self, f: RunningFrame, computed: Value) -> tuple[Value, Signal]:
        """Reads results from the ring, and Y_1 from a memory. Returns the leaving message, and the row."""
        m, c = f.m, f.carried
        leaving = self._leave(m, f.stages, computed)
        row = self._address(f, "exit", leaving.fetch)
        read = f.result.read(row[:-1], leaving.load)
        first = self._beside(m, leaving, "shown_first", leaving.number == 0)
        inner = self._beside(m, leaving, "shown_inner", c.inner.read(leaving.sector))
        m.d.comb += [
            leaving.end.eq(c.last_byte.read(leaving.sector)),
            leaving.data.eq(Cat(Mux(first, inner, read[:128]), read[128:])),
        ]
        return leaving.sector, row
