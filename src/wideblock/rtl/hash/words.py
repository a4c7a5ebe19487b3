# SPDX-License-Identifier: Apache-2.0
"""The control words of a hash unit: places of values, and the work of every multiplier in each step."""

from collections.abc import Mapping, Sequence

from .products import HashEvent, Special, Tap
from .program import Issue, Program
from .sequencer import Words
from .squares import OPEN, plan

__all__ = ["ControlWords", "addition_chain"]

SIDES = ("left", "right")  # of a product; beside it stand further right operands


def addition_chain(exponents: frozenset[int]) -> list[tuple[int, int, int]]:
    """Products for the powers of tau after a new key: ``(e, a, b)`` with tau^e = tau^a * tau^b, in order.

    A power follows from the power below by tau, else by a square; powers in between are added where needed.
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


class ControlWords:
    """The storage of a unit for ``programs``, and control words in terms of the storage.

    specials, events, taps: of the products, in the order of names
    banks, slots:      window: ``slots`` blocks wait in each of ``banks`` memories
    powers, constants: row of each exponent of tau in the memory of powers and in the accumulators
    rows:              accumulators of a multiplier, constants included
    chain:             products for the powers; see :func:`addition_chain`
    squarers:          registers for squares on the fly, instead of stored powers above tau^2
    prompt:            whether any product takes a block on the way into the window
    sides:             names of the operands with blocks
    summed:            events of sums of products
    copied:            whether the powers are ``copies``, in the order given, without a chain
    constant:          with copies, the exponent of the power in right operands, which is no accumulator
    """

    def __init__(self, programs: Mapping[str, Program], *, squares: str, copies: Sequence[int] = ()):
        self.programs = dict(programs)
        some, everything = next(iter(programs.values())), list(programs.values())
        self.stages, self.multipliers = some.latency, some.multipliers
        self.banks = 1 + max(a.bank for p in everything for a in p.arrivals)
        self.slots = max(p.window for p in everything)
        self.registers = max(p.registers for p in everything)
        self.squares = {name: plan(p) for name, p in programs.items()} if squares == "on-the-fly" else {}
        self.squarers = max((s.registers for s in self.squares.values()), default=0)
        constants = frozenset[int]().union(*(p.constants for p in everything))
        powers = frozenset[int](() if copies else {1}).union(*(p.powers for p in everything))
        if self.squares:
            powers = frozenset(e for e in powers if e < 4) | {2}
        self.copied = bool(copies)
        if self.copied and (missing := (powers | constants) - {*copies}):
            raise ValueError(f"copies must have every power, got {copies!r} without {sorted(missing)}")
        if self.copied and len(constants) > 1:
            raise ValueError(f"copies must have one power as a constant at most, got {sorted(constants)}")
        self.constant = next(iter(constants)) if self.copied and constants else None
        self.chain = [] if self.copied else addition_chain(powers | constants)
        self.powers = {e: row for row, e in enumerate(copies or [1, *(e for e, _, _ in self.chain)])}
        seconds = [] if self.copied else sorted(constants | {b for _, _, b in self.chain} | {1})
        self.constants = {e: self.registers + row for row, e in enumerate(seconds)}
        self.rows = self.registers + len(self.constants)
        products = [issue.product for p in everything for issue in p.issues]
        blocks = {a.block for p in everything for a in p.arrivals} | {b for p in products for b in p.blocks}
        self.specials = sorted((b for b in blocks if isinstance(b, Special)), key=lambda s: s.name)
        self.events = sorted({p.into for p in products if isinstance(p.into, HashEvent)}, key=lambda e: e.name)
        self.taps = sorted({p.name for p in products if isinstance(p.name, Tap)}, key=lambda t: t.name)
        beside = max(len(product.beside) for product in products)
        self.sides = (*SIDES, *(f"beside{k}" for k in range(1, 1 + beside)))
        everywhere = [issue for p in everything for issue in p.issues]
        self.summed = {
            i.product.into for i in everywhere if isinstance(i.product.into, HashEvent) and i.into is not None
        }
        self.prompt = any(p.fresh(i, b) for p in everything for i in p.issues for b in i.product.blocks)
        self.waiting = {side: self._operand_banks(side, fresh=False) for side in self.sides}
        self.fresh = {side: self._operand_banks(side, fresh=True) for side in self.sides}
        self.held = {side: self._operand_specials(side) for side in self.sides}

    def _operand_banks(self, side: str, *, fresh: bool) -> dict[int, list[int]]:
        """The banks with blocks for each multiplier's operand of a ``side``, from the window or on the way."""
        banks: dict[int, set[int]] = {u: set() for u in range(self.multipliers)}
        for program in self.programs.values():
            bank = {a.block: a.bank for a in program.arrivals}
            for issue in program.issues:
                block = issue.product.operands.get(side)
                if block in bank and program.fresh(issue, block) == fresh:
                    banks[issue.multiplier].add(bank[block])
        return {u: sorted(of) for u, of in banks.items()}

    def _operand_specials(self, side: str) -> dict[int, list[Special]]:
        """The held blocks in each multiplier's operand of a ``side``."""
        issues = [issue for program in self.programs.values() for issue in program.issues]
        taken = [(issue.multiplier, issue.product.operands.get(side)) for issue in issues]
        return {u: [s for s in self.specials if s.held and (u, s) in taken] for u in range(self.multipliers)}

    # Questions of the datapath

    def takes_constant(self, u: int) -> bool:
        """Whether a right operand of multiplier ``u`` has a copied power."""
        issues = [issue for program in self.programs.values() for issue in program.issues]
        return self.copied and any(i.multiplier == u and i.product.constant is not None for i in issues)

    def multipliers_of(self, label: HashEvent | Tap) -> set[int]:
        """The multipliers whose products raise an event or are tapped."""
        issues = [issue for program in self.programs.values() for issue in program.issues]
        tapped = isinstance(label, Tap)
        return {i.multiplier for i in issues if label == (i.product.name if tapped else i.product.into)}

    def multiplier_of(self, event: HashEvent) -> int:
        """The multiplier of an event's result. Raises ValueError for several multipliers."""
        units = self.multipliers_of(event)
        if len(units) > 1:
            raise ValueError(f"results of event {event.name} come from multipliers {sorted(units)}, must be from one")
        return units.pop()

    def takes(self, u: int, v: int) -> bool:
        """Whether multiplier ``u`` ever adds accumulators of multiplier ``v``."""
        issues = [i for p in self.programs.values() for i in p.issues if i.multiplier == u]
        if self.copied:
            return any(v in i.sources for i in issues)
        return any(v in i.sources or (v == 0 and i.product.constant is not None) for i in issues) or u == v == 0

    def waits(self, bank: int) -> bool:
        """Whether a block of ``bank`` ever waits in the window."""
        return any(a.bank == bank and a.block in p.slot for p in self.programs.values() for a in p.arrivals)

    def specials_of(self, bank: int) -> Sequence[Special]:
        """The special blocks arriving at ``bank``."""
        found = {a.block for p in self.programs.values() for a in p.arrivals if a.bank == bank}
        return [special for special in self.specials if special in found]

    # Words

    def layout(self) -> dict[str, int]:
        """The fields of a word, with their bits."""

        fields = {}
        for b in range(self.banks):
            fields |= {f"write{b}": 1, f"slot{b}": _bits(self.slots)}
            fields |= {f"write{b}_{s.name}": 1 for s in self.specials}
        for u in range(self.multipliers):
            fields |= {f"issue{u}": 1, f"store{u}": 1, f"power{u}_decrypt": _bits(len(self.powers))} | self.selects(u)
        for q in range(self.squarers):
            fields |= {f"open{q}": 1, f"square{q}": 1}
        fields |= {} if self.copied else {"keep": 1, "keep_row": _bits(len(self.powers))}
        fields |= {f"event_{e.name}": 1 for e in self.events}
        fields |= {f"issue_{tap.name}": 1 for tap in self.taps}
        return fields

    def selects(self, u: int) -> dict[str, int]:
        """The fields of a word for operands and destination of multiplier ``u``, with numbers of bits.

        The fields have no meaning in a word without a product on multiplier ``u``.
        """
        slot, power, row = _bits(self.slots), _bits(len(self.powers)), _bits(self.rows)
        fields = {f"power{u}": power, f"left{u}_slot": slot, f"right{u}_slot": slot, f"row{u}": row}
        fields |= {f"{side}{u}_{b}": 1 for side in self.sides for b in self.waiting[side][u]}
        fields |= {f"{side}{u}_fresh{b}": 1 for side in self.sides for b in self.fresh[side][u]}
        fields |= {f"{side}{u}_{s.name}": 1 for side in self.sides for s in self.held[side][u]}
        for side in self.sides[len(SIDES) :]:
            fields |= {f"{side}{u}_slot": slot, f"{side}{u}_power": power}
        fields |= {f"take{u}_{v}": 1 for v in range(self.multipliers)}
        fields |= {f"use{u}_{q}": 1 for q in range(self.squarers)}
        fields |= {f"constant{u}": 1} if self.takes_constant(u) else {}
        return fields | {f"into{u}": row, f"first{u}": 1}

    def words(self, name: str) -> Words:
        """The words of one program, by step."""
        program, words = self.programs[name], dict[int, dict[str, int]]()
        for arrival in program.arrivals:
            word = words.setdefault(arrival.step, {})
            b = arrival.bank
            if arrival.block in program.slot:
                word |= {f"write{b}": 1, f"slot{b}": program.slot[arrival.block]}
            if isinstance(arrival.block, Special):
                word[f"write{b}_{arrival.block.name}"] = 1
        for issue in program.issues:
            words.setdefault(issue.step, {}).update(self._issue(program, issue, name))
        if name in self.squares:
            for step, actions in self.squares[name].actions.items():
                for q, action in actions.items():
                    words.setdefault(step, {})[f"{'open' if action == OPEN else 'square'}{q}"] = 1
        return words

    def setup_words(self) -> Words:
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

    def _issue(self, program: Program, issue: Issue, name: str) -> dict[str, int]:
        """The part of a word to issue a product."""
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
        for k, pair in enumerate(p.beside, 1):
            if pair is not None:
                word[f"beside{k}{u}_power"] = self.powers[pair[0]]
        for side, block in p.operands.items():
            if isinstance(block, Special) and block.held:
                word |= {f"{side}{u}_{block.name}": 1}
            elif block is not None and program.fresh(issue, block):
                word |= {f"{side}{u}_fresh{bank[block]}": 1}
            elif block is not None:
                word |= {f"{side}{u}_{bank[block]}": 1, f"{side}{u}_slot": program.slot[block]}
        if p.constant is not None:
            if self.copied:
                word |= {f"constant{u}": 1}
            else:
                word |= {f"row{u}": self.constants[p.constant], f"take{u}_0": 1}
        elif issue.row is not None:
            word |= {f"row{u}": issue.row} | {f"take{u}_{v}": 1 for v in issue.sources}
        if isinstance(p.into, HashEvent) and issue.raises:
            word[f"event_{p.into.name}"] = 1
        if issue.into is not None:
            word |= {f"store{u}": int(not issue.raises), f"into{u}": issue.into, f"first{u}": int(issue.first)}
        if isinstance(p.name, Tap):
            word[f"issue_{p.name.name}"] = 1
        return word


def _bits(count: int) -> int:
    """Bits of a number under ``count``, at least one."""
    return max(1, (count - 1).bit_length())
