# SPDX-License-Identifier: Apache-2.0
"""The hash unit: pipelined multipliers, a window of waiting blocks, and accumulators, driven by hash programs."""

from collections.abc import Mapping, Sequence

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.hdl import Const
from amaranth.lib import data, memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.field import GF128
from wideblock.rtl.gf128.karatsuba import Multiplier

from .program import Issue, Program
from .sequencer import Sequencer
from .squares import OPEN, plan

__all__ = ["HashUnit", "addition_chain"]

OPERAND_DEPTH = 3  # tables between the memories and the multiplier's inputs: product or row, operand sum, read


def addition_chain(exponents: frozenset[int]) -> list[tuple[int, int, int]]:
    """How the powers of tau are made after a new key: ``(e, a, b)`` with tau^e = tau^a * tau^b, in order.

    By one more where the power below is there, else by a square; powers in between are added where neither can be.
    """
    chain, have = [], {1}

    def make(e):
        if e in have:
            return
        if e - 1 not in have and e % 2 == 0:
            make(e // 2)
            chain.append((e, e // 2, e // 2))
        else:
            make(e - 1)
            chain.append((e, e - 1, 1))
        have.add(e)

    for e in sorted(exponents):
        make(e)
    return chain


class HashUnit(wiring.Component):
    """Evaluates hash ``programs`` over blocks that arrive ``width`` a beat.

    Several programs share the multipliers (one sector at a time), or one program has them for itself and overlaps a
    sector's tail with the next one's head. Results are announced by events: ``event_<e>`` is high while ``result_<e>``
    is the result. ``operand_<tap>`` is the right operand of the tapped product, for those who need what was multiplied;
    it is there one cycle after the product's issue, with ``issue_<tap>``. Events in ``ahead`` are raised a cycle early,
    with the product as it enters the multiplier's output register.

    Members, for each program ``p``: ``p_beat``, ``p_ready``, ``p_decrypt``, ``p_restart``, ``p_last`` (see
    :class:`Sequencer`). ``blocks`` is the beat that goes with ``p_beat``; ``special_<s>`` are the blocks that arrive at
    steps of their own. ``tau`` is taken with ``load``; ``loaded`` pulses when its powers are stored.

    Timing: a product's result is there ``stages`` cycles after its issue, see :class:`Program`; ``setup`` cycles from
            ``load`` to ``loaded``.
    Cost:   the multipliers; per multiplier about 400 tables; memories of a few rows for window, powers, accumulators.
    Paths:  ``p_beat`` to the sequencers' state.
    Source: Chakraborty et al., IEEE TC 62(2), section 3.
    """

    def __init__(
        self,
        programs: Mapping[str, Program],
        *,
        width: int,
        taps: Mapping[str, tuple[str, int | str]],
        leaf: int = 4,
        squares: str = "stored",
        ahead: Sequence[str] = (),
    ):
        self.programs, self.width, self.taps, self.leaf = dict(programs), width, taps, leaf
        some = next(iter(programs.values()))
        self.stages, self.multipliers = some.latency, some.multipliers
        everything = list(programs.values())
        self.banks = 1 + max(a.bank for p in everything for a in p.arrivals)
        self.slots = max(p.window for p in everything)
        self.registers = max(p.registers for p in everything)
        self.squares = {name: plan(p) for name, p in programs.items()} if squares == "on-the-fly" else {}
        self.squarers = max((s.registers for s in self.squares.values()), default=0)
        constants = frozenset[int]().union(*(p.constants for p in everything))
        powers = frozenset({1}).union(*(p.powers for p in everything))
        if self.squares:
            powers = frozenset(e for e in powers if e < 4) | {2}
        self.chain = addition_chain(powers | constants)
        self.powers = {e: row for row, e in enumerate([1, *(e for e, _, _ in self.chain)])}
        seconds = sorted(constants | {b for _, _, b in self.chain} | {1})
        self.constants = {e: self.registers + row for row, e in enumerate(seconds)}
        self.rows = self.registers + len(self.constants)
        self.setup = 1 + len(self.chain) * (self.stages + 1)
        self.depth = max(self.rows, self.slots, len(self.powers))
        self.specials = sorted({a.block for p in everything for a in p.arrivals if isinstance(a.block, str)})
        self.events = sorted({i.product.into for p in everything for i in p.issues if i.into is None})
        self.ahead = frozenset(ahead)
        self.prompt = any(p.fresh(i, b) for p in everything for i in p.issues for b in _blocks_of(i))
        self._operands = {side: self._operand_banks(everything, side, fresh=False) for side in ("left", "right")}
        self._fresh = {side: self._operand_banks(everything, side, fresh=True) for side in ("left", "right")}

        members: dict = {
            "blocks": In(data.ArrayLayout(128, width)),
            "tau": In(128),
            "load": In(1),
            "loaded": Out(1),
            "clear": In(1),
            "clear_row": In(16),
        }
        for name in programs:
            members |= {f"{name}_{port}": In(1) for port in ("beat", "decrypt", "restart")}
            members |= {f"{name}_{port}": Out(1) for port in ("ready", "first", "go", "last")}
        members |= {f"issue_{tap}": Out(1) for tap in taps} | {f"operand_{tap}": Out(128) for tap in taps}
        members |= {f"special_{s}": In(128) for s in self.specials}
        members |= {f"event_{e}": Out(1) for e in self.events} | {f"result_{e}": Out(128) for e in self.events}
        super().__init__(members)

    def _operand_banks(self, programs: Sequence[Program], side: str, *, fresh: bool) -> dict[int, list[int]]:
        """The banks that each multiplier's operand of that ``side`` reads, or whose blocks it takes on their way."""
        banks: dict[int, set[int]] = {u: set() for u in range(self.multipliers)}
        for program in programs:
            bank = {a.block: a.bank for a in program.arrivals}
            for issue in program.issues:
                block = getattr(issue.product, side)
                if block is not None and program.fresh(issue, block) == fresh:
                    banks[issue.multiplier].add(bank[block])
        return {u: sorted(of) for u, of in banks.items()}

    # Control words

    def _layout(self) -> dict[str, int]:
        def bits(count):
            return max(1, (count - 1).bit_length())

        fields = {}
        for b in range(self.banks):
            fields |= {f"write{b}": 1, f"slot{b}": bits(self.slots)}
            fields |= {f"write{b}_{s}": 1 for s in self.specials}
        for u in range(self.multipliers):
            fields |= {
                f"issue{u}": 1,
                f"power{u}": bits(len(self.powers)),
                f"power{u}_decrypt": bits(len(self.powers)),
                f"left{u}_slot": bits(self.slots),
                f"right{u}_slot": bits(self.slots),
                f"row{u}": bits(self.rows),
            }
            fields |= {f"{side}{u}_{b}": 1 for side in ("left", "right") for b in self._operands[side][u]}
            fields |= {f"{side}{u}_fresh{b}": 1 for side in ("left", "right") for b in self._fresh[side][u]}
            fields |= {f"take{u}_{v}": 1 for v in range(self.multipliers)}
            fields |= {f"store{u}": 1, f"into{u}": bits(self.rows), f"first{u}": 1}
        for q in range(self.squarers):
            fields |= {f"open{q}": 1, f"square{q}": 1} | {f"use{u}_{q}": 1 for u in range(self.multipliers)}
        fields |= {"keep": 1, "keep_row": bits(len(self.powers))}
        fields |= {f"event_{e}": 1 for e in self.events}
        fields |= {f"issue_{tap}": 1 for tap in self.taps}
        return fields

    def _words(self, program: Program, name: str) -> dict[int, dict[str, int]]:
        words: dict[int, dict[str, int]] = {}
        for arrival in program.arrivals:
            word = words.setdefault(arrival.step, {})
            b = arrival.bank
            if arrival.block in program.slot:
                word |= {f"write{b}": 1, f"slot{b}": program.slot[arrival.block]}
            if arrival.block in self.specials:
                word[f"write{b}_{arrival.block}"] = 1
        for issue in program.issues:
            words.setdefault(issue.step, {}).update(self._issue_word(program, issue, name))
        if name in self.squares:
            for step, actions in self.squares[name].actions.items():
                for q, action in actions.items():
                    words.setdefault(step, {})[f"{'open' if action == OPEN else 'square'}{q}"] = 1
        return words

    def _issue_word(self, program: Program, issue: Issue, name: str) -> dict[str, int]:
        p, u = issue.product, issue.multiplier
        encrypt, decrypt = p.power if isinstance(p.power, tuple) else (p.power, p.power)
        word = {f"issue{u}": 1}
        register = self.squares[name].source.get((issue.step, u)) if name in self.squares else None
        if register is not None:
            word |= {f"use{u}_{register}": 1}
        else:
            word |= {
                f"power{u}": self.powers[encrypt],
                f"power{u}_decrypt": self.powers[encrypt] ^ self.powers[decrypt],
            }
        bank = {a.block: a.bank for a in program.arrivals}
        for side, block in (("left", p.left), ("right", p.right)):
            if block is not None and program.fresh(issue, block):
                word |= {f"{side}{u}_fresh{bank[block]}": 1}
            elif block is not None:
                word |= {f"{side}{u}_{bank[block]}": 1, f"{side}{u}_slot": program.slot[block]}
        if p.constant is not None:
            word |= {f"row{u}": self.constants[p.constant], f"take{u}_0": 1}
        elif issue.row is not None:
            word |= {f"row{u}": issue.row} | {f"take{u}_{v}": 1 for v in issue.sources}
        if issue.into is not None:
            word |= {f"store{u}": 1, f"into{u}": issue.into, f"first{u}": int(issue.first)}
        else:
            word[f"event_{p.into}"] = 1
        return word | {f"issue_{tap}": 1 for tap, (of, product) in self.taps.items() if (of, product) == (name, p.name)}

    def _setup_words(self) -> dict[int, dict[str, int]]:
        """Every power of tau by one product on multiplier 0; the result goes to the powers and to the constants."""
        words = {}
        for k, (e, a, b) in enumerate(self.chain):
            words[1 + k * (self.stages + 1)] = {
                "issue0": 1,
                "power0": self.powers[a],
                "row0": self.constants[b],
                "take0_0": 1,
                "first0": 1,
                "keep": 1,
                "keep_row": self.powers[e],
                **({"store0": 1, "into0": self.constants[e]} if e in self.constants else {}),
            }
        return words

    # Hardware

    def elaborate(self, platform):
        m = Module()
        layout = self._layout()
        heads, tails = [], []
        for name, program in self.programs.items():
            sequencer = Sequencer(
                self._words(program, name), layout, beats=program.beats, steps=program.steps, stride=program.stride
            )
            m.submodules[f"{name}_sequencer"] = sequencer
            heads.append((name, sequencer))
            tails.append(sequencer.tail)
        setup = Sequencer(self._setup_words(), layout, beats=0, steps=1)
        m.submodules.setup = setup
        m.d.comb += [setup.hold.eq(~self.load), setup.clear.eq(self.clear)]
        loading = Signal(self.setup)
        m.d.sync += loading.eq(Mux(self.clear, 0, Cat(self.load, loading)))
        m.d.comb += self.loaded.eq(loading[-1])
        tails.append(setup.tail)

        shape = setup.shape
        tail = Signal(shape)
        m.d.comb += tail.eq(_union(tails))
        granted = []
        for name, sequencer in heads:
            busy = [tail[f"issue{u}"] & sequencer.head[f"issue{u}"] for u in range(self.multipliers)]
            m.d.comb += [
                sequencer.hold.eq(Cat(busy).any()),
                sequencer.beat.eq(self[f"{name}_beat"]),
                sequencer.decrypt.eq(self[f"{name}_decrypt"]),
                sequencer.restart.eq(self[f"{name}_restart"]),
                sequencer.clear.eq(self.clear),
                self[f"{name}_ready"].eq(sequencer.ready),
                self[f"{name}_first"].eq(sequencer.first),
                self[f"{name}_go"].eq(sequencer.go),
                self[f"{name}_last"].eq(sequencer.last),
            ]
            granted.append(Value.cast(sequencer.head) & sequencer.go.replicate(shape.size))
        word = Signal(shape)
        m.d.comb += word.eq(_union([*granted, tail]))
        self._datapath(m, word)
        return m

    def __getitem__(self, name: str):
        return getattr(self, name)

    def _datapath(self, m: Module, word) -> None:
        arriving = [self._arriving(b, word) for b in range(self.banks)]
        window = [self._window(m, b, word, arriving[b]) for b in range(self.banks)]
        power = memory.Memory(shape=128, depth=max(2, len(self.powers)), init=[])
        m.submodules.powers = power
        accumulators = [memory.Memory(shape=128, depth=max(2, self.rows), init=[]) for _ in range(self.multipliers)]
        m.d.sync += [self[f"issue_{tap}"].eq(word[f"issue_{tap}"] & ~self.clear) for tap in self.taps]

        earlier, tags, sums = [], [], []
        for u in range(self.multipliers):
            m.submodules[f"multiplier{u}"] = Multiplier(
                stages=self.stages,
                leaf=self.leaf,
                input_depth=OPERAND_DEPTH + self.prompt,
                ahead=any(self._multiplier_of(event) == u for event in self.ahead),
            )
            m.submodules[f"accumulators{u}"] = accumulators[u]
            early, tag = self._tag(m, u, word)
            earlier.append(early)
            tags.append(tag)
            # a finished product opens its accumulator or is added to it
            held = _read(m, accumulators[u], tag.into)
            total = Signal(128, name=f"sum{u}")
            product = m.submodules[f"multiplier{u}"].o.payload
            m.d.comb += total.eq(product ^ (held & ~tag.first.replicate(128)))
            if u == 0:
                with m.If(self.load):
                    m.d.comb += total.eq(self.tau)
            with m.If(self.clear):
                m.d.comb += total.eq(0)
            sums.append(total)
            store = accumulators[u].write_port()
            m.d.comb += [store.addr.eq(tag.into), store.data.eq(total), store.en.eq(tag.store)]
            if u == 0:
                with m.If(self.load):
                    m.d.comb += [store.addr.eq(self.constants[1]), store.en.eq(1)]
            with m.If(self.clear):
                m.d.comb += [store.addr.eq(self.clear_row), store.en.eq(1)]

        keep = power.write_port()
        m.d.comb += [keep.addr.eq(tags[0].keep_row), keep.data.eq(sums[0]), keep.en.eq(tags[0].keep)]
        with m.If(self.load):
            m.d.comb += [keep.addr.eq(self.powers[1]), keep.en.eq(1)]
        with m.If(self.clear):
            m.d.comb += [keep.addr.eq(self.clear_row), keep.en.eq(1)]
        for event in self.events:
            u = self._multiplier_of(event)
            multiplier = m.submodules[f"multiplier{u}"]
            tag, product = (earlier[u], multiplier.ahead) if event in self.ahead else (tags[u], multiplier.o.payload)
            m.d.comb += [self[f"event_{event}"].eq(tag[f"event_{event}"]), self[f"result_{event}"].eq(product)]

        squarers = self._squarers(m, power, word)
        for u in range(self.multipliers):
            row = word[f"row{u}"]
            right = Signal(128, name=f"right{u}")
            left = Signal(128, name=f"left{u}")
            terms = []
            for v in range(self.multipliers):
                if not self._takes(u, v):
                    continue
                # what is being stored in this very cycle is taken on its way
                passing = tags[v].store & (tags[v].into == row)
                held = Mux(passing, sums[v], _read(m, accumulators[v], row))
                terms.append(held & word[f"take{u}_{v}"].replicate(128))
            terms += self._blocks(m, window, arriving, "right", u, word)
            m.d.comb += right.eq(_xor(terms))
            m.d.comb += left.eq(
                _xor([*self._power(m, power, squarers, u, word), *self._blocks(m, window, arriving, "left", u, word)])
            )
            operands = m.submodules[f"multiplier{u}"].i
            m.d.comb += [
                operands.valid.eq(word[f"issue{u}"]),
                operands.payload.a.eq(left),
                operands.payload.b.eq(right),
            ]
            for tap, (name, wanted) in self.taps.items():
                if any(i.product.name == wanted and i.multiplier == u for i in self.programs[name].issues):
                    m.d.sync += self[f"operand_{tap}"].eq(right & ~self.clear.replicate(128))

    def _squarers(self, m: Module, power: memory.Memory, word) -> list[Signal]:
        """Registers that go from tau^4 up by squaring."""
        registers = [Signal(128, name=f"squarer{q}") for q in range(self.squarers)]
        for q, register in enumerate(registers):
            argument = Signal(128, name=f"squarer{q}_argument")
            m.d.comb += argument.eq(Mux(word[f"open{q}"], _read(m, power, Const(self.powers[2])), register))
            with m.If(word[f"open{q}"] | word[f"square{q}"]):
                m.d.sync += register.eq(GF128.square(argument))
            with m.If(self.clear):
                m.d.sync += register.eq(0)
        return registers

    def _power(self, m: Module, power: memory.Memory, squarers: list[Signal], u: int, word) -> list[Value]:
        """The power of tau in a left operand: a stored one, or what a squaring register holds."""
        stored = _read(m, power, word[f"power{u}"])
        if not squarers:
            return [stored]
        uses = [word[f"use{u}_{q}"] for q in range(self.squarers)]
        return [
            Mux(Cat(uses).any(), 0, stored),
            *(register & use.replicate(128) for register, use in zip(squarers, uses, strict=True)),
        ]

    def _blocks(self, m: Module, window, arriving, side: str, u: int, word) -> list[Value]:
        """What an operand takes from the window and of what is on its way there, one term a bank that it ever reads."""
        return [
            *(
                _read(m, window[b], word[f"{side}{u}_slot"]) & word[f"{side}{u}_{b}"].replicate(128)
                for b in self._operands[side][u]
            ),
            *(arriving[b] & word[f"{side}{u}_fresh{b}"].replicate(128) for b in self._fresh[side][u]),
        ]

    def _takes(self, u: int, v: int) -> bool:
        """Whether multiplier ``u`` ever adds accumulators of multiplier ``v``."""
        issues = [i for p in self.programs.values() for i in p.issues if i.multiplier == u]
        return any(v in i.sources or (v == 0 and i.product.constant is not None) for i in issues) or u == v == 0

    def _arriving(self, bank: int, word) -> Value:
        """The block that arrives at a bank."""
        block = self.blocks[bank % self.width]
        for special in self.specials:
            if any(a.block == special and a.bank == bank for p in self.programs.values() for a in p.arrivals):
                block = Mux(word[f"write{bank}_{special}"], self[f"special_{special}"], block)
        return block

    def _window(self, m: Module, bank: int, word, arriving: Value) -> memory.Memory | None:
        """The memory of a bank, if any block of it ever waits."""
        if not any(a.bank == bank and a.block in p.slot for p in self.programs.values() for a in p.arrivals):
            return None
        window = memory.Memory(shape=128, depth=max(2, self.slots), init=[])
        m.submodules[f"window{bank}"] = window
        port = window.write_port()
        m.d.comb += [port.addr.eq(word[f"slot{bank}"]), port.data.eq(arriving), port.en.eq(word[f"write{bank}"])]
        with m.If(self.clear):
            m.d.comb += [port.addr.eq(self.clear_row), port.en.eq(1)]
        return window

    def _tag(self, m: Module, u: int, word):
        """What becomes of a product, kept beside it in the multiplier: a cycle before its end, and there."""
        events = {f"event_{e}": 1 for e in self.events if self._multiplier_of(e) == u}
        kept = {"keep": 1, "keep_row": len(word.keep_row)} if u == 0 else {}
        layout = data.StructLayout({"store": 1, "into": len(word[f"into{u}"]), "first": 1, **kept, **events})
        before = tag = Signal(layout, name=f"tag{u}_0")
        for field in layout.members:
            source = f"{field}{u}" if field in ("store", "into", "first") else field
            m.d.comb += tag[field].eq(word[source])
        for stage in range(1, self.stages + 1):
            following = Signal(layout, name=f"tag{u}_{stage}")
            m.d.sync += following.eq(tag)
            with m.If(self.clear):
                m.d.sync += following.eq(0)
            before, tag = tag, following
        return before, tag

    def _multiplier_of(self, event: str) -> int:
        units = {i.multiplier for p in self.programs.values() for i in p.issues if i.product.into == event}
        if len(units) > 1:
            raise ValueError(f"results of event {event!r} come from multipliers {sorted(units)}, must be from one")
        return units.pop()


def _blocks_of(issue: Issue) -> list:
    return [b for b in (issue.product.left, issue.product.right) if b is not None]


def _read(m: Module, of: memory.Memory, row) -> Value:
    """A word of a small memory in this cycle: distributed memory, a table a bit."""
    port = of.read_port(domain="comb")
    m.d.comb += port.addr.eq(row)
    return port.data


def _union(words) -> Value:
    total = Value.cast(words[0])
    for word in words[1:]:
        total = total | Value.cast(word)
    return total


def _xor(terms) -> Value:
    total = terms[0]
    for term in terms[1:]:
        total = total ^ term
    return total
