# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The key unit: clearing, round keys, and the program of derivations."""

from amaranth import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.forms import logic_sbox
from wideblock.rtl.aes.key_expansion import KeyExpansion
from wideblock.rtl.stream.behaviour import Cause, Fault, KeyRule
from wideblock.rtl.stream.clearing import Clearing

from .material import KeyMaterial, KeyWord

__all__ = ["REFUSED", "STATES", "KeyUnit"]

STATES = ("clear", "no key", "expansion", "derivation", "running")
"""States of a key unit, by their numbers."""

REFUSED = Fault(Cause.KEY, "a key had two equal halves")


class KeyUnit(wiring.Component):
    """Key unit for one key: loads a key between two sectors, and runs the scheme's derivations.

    clear:     out, after reset and after ``zeroize``, a pulse or a level: high while ``clear_row`` goes over ``rows``
               rows, a power of two, twice after the last cycle of ``zeroize``: once for the memories, once for values
               under way
    taken:     out, pulses as a key is accepted, with ``words``: words of the port, AES keys left out
    running:   out, sectors may enter
    waiting:   out, a key is offered, no further sector may enter
    idle:      in, no sector is under way; the key is accepted a cycle after ``waiting`` and ``idle``. A key that is not
               ``announced`` is accepted at once when the core is idle: no key is ever offered together with a message
    derive:    out, pulses: the cipher must take :attr:`block`
    returned:  in, ``result`` is the cipher's output, two cycles after ``derive`` or later
    derived:   in, the core has all derived values in place
    hash_key_next: out, the next result is the hash key, not kept by the unit
    refused:   out, pulses in the cycle after a key of two equal halves
    round_keys: out, round keys of the AES key; of two AES keys first and second together

    Derivations begin when the round keys are complete. A single derivation of a hash key is done by the core. Otherwise
    the unit asks for one derivation after another, and keeps the words of :meth:`value`. Derived AES keys are expanded
    after the last derivation: ``round_keys`` are then of the last derived key, and :meth:`expanded` gives the round
    keys of every derived key, one more than the rounds.

    Timing: ``clear`` for 2 * rows cycles, a key in the next cycle: see :attr:`clearing`; the rest is :meth:`setup`.
    Paths:  none from ``key.valid`` to ``key.ready``; ``returned`` to ``derive``.
    Cost:   one key expansion; for a second AES key registers for its round keys and the wait of the first; 128
            registers for each derived word that is kept; for each derived AES key registers for its round keys, for
            the last key only for the key.
    """

    def __init__(self, material: KeyMaterial, *, sbox: str, rows: int, round_stages: int = 1, announced: bool = True):
        if (len(material.ciphers), material.rule) not in ((1, KeyRule.ANY), (2, KeyRule.HALVES_DIFFER)):
            raise ValueError(
                f"a key unit takes one AES key, or two that must differ; got {len(material.ciphers)} under the rule "
                f"{material.rule.name}"
            )
        self.material, self.rows, self.announced = material, rows, announced
        short = {word.rounds for word in material.expanded} - {None}
        if len(short) > 1:
            raise ValueError(f"a key unit has one number of rounds below that of AES, got {sorted(short)}")
        self.expansion = KeyExpansion(
            key_bits=material.ciphers[0].bits,
            sbox=logic_sbox(sbox),
            round_stages=round_stages,
            rounds_short=next(iter(short), None),
        )
        self.calls = len(material.derivations)
        self.sequenced = self.calls > 1 or bool(material.stored or material.expanded)
        raw, both = material.raw, len(material.ciphers) == 2
        expanded_bits = 128 * (self.expansion.rounds + 1)
        super().__init__(
            {
                "key": In(stream.Signature(material.bits)),
                "taken": Out(1),
                "zeroize": In(1),
                "idle": In(1),
                "derived": In(1),
                "derive": Out(1),
                "running": Out(1),
                "waiting": Out(1),
                "clear": Out(1),
                "clear_row": Out(range(rows)),
                "round_keys": Out(len(material.ciphers) * expanded_bits),
                **({"words": Out(sum(word.bits for word in raw))} if raw else {}),
                **({"refused": Out(1)} if both else {}),
                **({"returned": In(1), "result": In(128), "hash_key_next": Out(1)} if self.sequenced else {}),
                **{f"value_{word.name}": Out(word.bits) for word in material.stored},
                **{
                    f"round_keys_{word.name}": Out(128 * (1 + (word.rounds or self.expansion.rounds)))
                    for word in material.expanded[:-1]
                },
            }
        )
        self._asked = Signal(range(self.calls + 1), name="asked")  # calls of the program that the cipher has taken
        self._registers = {word: self.value(word) for word in material.stored}
        for word in material.expanded[:-1]:  # the key is the beginning of its round keys
            self._registers[word] = self.expanded(word)[: word.bits]
        for word in material.expanded[-1:]:
            self._registers[word] = Signal(word.bits, name=f"key_{word.name}")

    @property
    def clearing(self) -> int:
        """Cycles from ``zeroize`` to the first cycle for a key."""
        return 2 * self.rows + 1

    def setup(self, *, call: int, loading: int) -> int:
        """Cycles from a key accepted to ``running``: ``call`` of the cipher, ``loading`` from hash key to ``derived``.

        A hash key of the port is loaded while the AES key is expanded. A derived hash key is loaded while later words
        of the program are derived and expanded. Without a hash key, ``loading`` begins with the last derived word.
        """
        latency, expanded = self.expansion.timing.latency, self.material.expanded
        expansion, hash_key = len(self.material.ciphers) * latency, self.material.hash_key
        returned = expansion + self.calls * call
        derived = returned + sum(self.expansion.short_latency if word.rounds else latency for word in expanded)
        derived -= self._first_waits
        into = [derivation.into for derivation in self.material.derivations]
        if hash_key is None:
            return max(derived, returned + loading) + 2
        known = expansion + (into.index(hash_key) + 1) * call if hash_key in into else 0
        return max(derived, known + loading) + 2

    @property
    def block(self) -> Value:
        """The cipher's input while ``derive``: the block of the present derivation."""
        blocks = [derivation.block for derivation in self.material.derivations]
        chosen: Value = Const(blocks[0] if blocks else 0, 128)
        for number, block in enumerate(blocks[1:], 1):
            chosen = Mux(self._asked == number, Const(block, 128), chosen)
        return chosen

    @property
    def _first_waits(self) -> bool:
        """True if the first AES key to expand is known before the last call, whose return begins the expansion."""
        material = self.material
        return bool(material.expanded) and material.expanded[0] != material.derivations[-1].into

    def word(self, word: KeyWord) -> Value:
        """A word of the port, no AES key, in the cycle of ``taken``."""
        start = sum(before.bits for before in self.material.raw[: self.material.raw.index(word)])
        return self.words[start : start + word.bits]

    def value(self, word: KeyWord) -> Signal:
        """A derived word of the unit, while ``running``."""
        return getattr(self, f"value_{word.name}")

    def expanded(self, word: KeyWord) -> Signal:
        """The round keys of a derived AES key, while ``running``."""
        return self.round_keys if word == self.material.expanded[-1] else getattr(self, f"round_keys_{word.name}")

    def elaborate(self, platform):
        m = Module()
        m.submodules.expansion = expansion = self.expansion
        m.submodules.clearing = clearing = Clearing(rows=self.rows, cycles=2 * self.rows)
        taken = self.taken
        accepting = Signal()  # a key: a register, as little may be between it and the enables of all key registers
        accepts = accepting if self.announced else accepting | (self.running & self.idle)
        m.d.comb += [
            self.key.ready.eq(accepts & expansion.key.ready),
            taken.eq(self.key.valid & self.key.ready),
            clearing.zeroize.eq(self.zeroize),
            self.clear.eq(clearing.clear),
            self.clear_row.eq(clearing.row),
        ]
        if raw := self.material.raw:
            m.d.comb += self.words.eq(Cat(self.key.payload[self.material.place(word)] for word in raw))
        # registers take it to the keys, a cycle later: it ends before ``clear``, so that a key can follow that at once
        forget = self.clear & ~clearing.last
        load_keys = self._one_key if len(self.material.ciphers) == 1 else self._two_keys
        expanded, refused = load_keys(m, accepts, forget)
        m.d.sync += self.waiting.eq(self.key.valid & self.running & ~taken)
        derived = self._program(m, taken) if self.sequenced else self.derived
        self._states(m, accepting, clearing.last, expanded, refused, derived)
        return m

    def _states(
        self, m: Module, accepting: Signal, cleared: Value, expanded: Value, refused: Value, derived: Value
    ) -> None:
        """States from one key to the next."""
        taken = self.taken

        def cleared_on_demand():
            with m.If(self.zeroize):
                m.d.sync += [self.running.eq(0), accepting.eq(0)]
                m.next = "clear"

        # ``clear`` and ``running`` go to all of the core: they are registers, and not read from the state.
        with m.FSM():
            with m.State("clear"):
                with m.If(cleared):
                    m.d.sync += accepting.eq(1)
                    m.next = "no key"
                cleared_on_demand()
            with m.State("no key"):
                with m.If(taken):
                    m.d.sync += accepting.eq(0)
                    m.next = "expansion"
                cleared_on_demand()
            with m.State("expansion"):
                with m.If(refused):
                    m.d.sync += accepting.eq(1)
                    m.next = "no key"
                with m.Elif(expanded):
                    m.d.comb += self.derive.eq(1)
                    m.next = "derivation"
                cleared_on_demand()
            with m.State("derivation"):
                if self.sequenced:
                    m.d.comb += self.derive.eq(self.returned & (self._asked != self.calls))
                with m.If(derived):
                    m.d.sync += self.running.eq(1)
                    m.next = "running"
                cleared_on_demand()
            with m.State("running"):
                if self.announced:
                    # An idle core remains so while a key waits; a source that withdraws the key lets a sector in.
                    m.d.sync += accepting.eq(self.waiting & self.idle & self.key.valid & ~taken)
                with m.If(taken):
                    m.d.sync += self.running.eq(0)
                    m.next = "expansion"
                cleared_on_demand()

    def _program(self, m: Module, taken: Value) -> Value:
        """Counts calls and keeps results; high when all calls returned and the core is done."""
        asked = self._asked
        finished = Signal()
        turns = Signal(self.calls, name="turns")  # which call returns next: registers, as so much takes its result
        m.d.sync += turns.eq(Cat(asked == number for number in range(1, self.calls + 1)))
        returned = [self.returned & turn for turn in turns]
        derivations = self.material.derivations
        m.d.sync += asked.eq(asked + self.derive)
        with m.If(returned[-1]):
            m.d.sync += finished.eq(1)
        for derivation, turn, now in zip(derivations, turns, returned, strict=True):
            if derivation.into == self.material.hash_key:
                m.d.comb += self.hash_key_next.eq(turn)
                continue
            register = self._registers[derivation.into]
            with m.If(now):
                m.d.sync += register[derivation.at : derivation.at + 128].eq(self.result)
        with m.If(taken | self.clear):
            m.d.sync += [asked.eq(0), finished.eq(0)]
        done = finished
        if self.material.expanded:
            done = self._expand(m, finished | returned[-1] if self._first_waits else finished)
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in self._registers.values()]
        return done & self.derived

    def _expand(self, m: Module, finished: Value) -> Value:
        """Expands the derived AES keys as the program has ``finished``; high when the last key is complete.

        A key enters the expansion as the round keys of the key before leave.
        """
        expansion, words = self.expansion, self.material.expanded
        begun = Signal(range(len(words) + 1))  # keys that have entered the expansion
        complete = Signal()
        following = Signal(words[0].bits)
        m.d.comb += complete.eq(finished & expansion.ready & ~self.clear)
        for number, word in enumerate(words):
            with m.If(begun == number):
                m.d.comb += following.eq(self._registers[word])
                if word.rounds:
                    m.d.comb += expansion.short.eq(complete)
        with m.If(complete & (begun != len(words))):
            m.d.comb += [expansion.key.valid.eq(1), expansion.key.payload.eq(following)]
            m.d.sync += begun.eq(begun + 1)
        for number, word in enumerate(words[:-1], 1):
            kept = self.expanded(word)
            with m.If(complete & (begun == number)):
                m.d.sync += kept.eq(expansion.round_keys[-len(kept) :])
        with m.If(~finished):
            m.d.sync += begun.eq(0)
        with m.If(self.clear):
            m.d.sync += [self.expanded(word).eq(0) for word in words[:-1]]
        return complete & (begun == len(words))

    def _one_key(self, m: Module, accepts: Value, forget: Value) -> tuple[Value, Value]:
        """Expands the AES key. Returns whether the round keys are complete, and whether the key is refused: never."""
        expansion = self.expansion
        m.d.comb += [
            expansion.key.valid.eq(self.key.valid & accepts),
            expansion.key.payload.eq(self.key.payload[self.material.place(self.material.ciphers[0])]),
            expansion.clear.eq(forget),
            self.round_keys.eq(expansion.round_keys),
        ]
        return expansion.ready, Const(0)

    def _two_keys(self, m: Module, accepts: Value, forget: Value) -> tuple[Value, Value]:
        """Expands the second AES key, then the first. Returns as :meth:`_one_key`.

        The comparison is known a cycle after the keys were taken; only the expansion has begun by then.
        """
        expansion = self.expansion
        key1, key2 = (self.key.payload[self.material.place(word)] for word in self.material.ciphers)
        halfway = Signal()
        forgetting = Signal(init=1)
        offered = Signal()
        first_key = Signal(len(key1), reset_less=True)
        waits = Signal()  # the first key does, for the expansion of the second one
        second_keys = Signal(len(expansion.round_keys), reset_less=True)
        following = Signal()  # the second keys follow the expansion until they are complete
        m.d.comb += [
            offered.eq(self.key.valid & (accepts | self.waiting)),
            halfway.eq(expansion.ready & waits),
            expansion.key.valid.eq((self.key.valid & accepts) | halfway),
            expansion.key.payload.eq(Mux(waits, first_key, key2)),
            expansion.clear.eq(forget | self.refused),
            self.round_keys.eq(Cat(expansion.round_keys, second_keys)),
        ]
        m.d.sync += [
            self.refused.eq(self.taken & (key1 == key2) & ~self.zeroize),
            forgetting.eq(forget | self.refused),
            waits.eq((waits | self.taken) & ~halfway),
            following.eq(waits & ~expansion.ready),
        ]
        # ``taken`` and ``halfway`` come too late to enable many registers. A key that is offered is kept before it
        # is taken, and forgotten if it is not.
        with m.If(offered):
            m.d.sync += first_key.eq(key1)
        with m.If(forgetting | ~(offered | waits)):
            m.d.sync += first_key.eq(0)
        with m.If(following):
            m.d.sync += second_keys.eq(expansion.round_keys)
        with m.If(forgetting):
            m.d.sync += [second_keys.eq(0), waits.eq(0)]
        return expansion.ready & ~waits, self.refused
