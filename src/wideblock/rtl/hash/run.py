# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Horner's rule over a run of blocks; the number of blocks is known with the first: no program, a beat a cycle."""

from collections.abc import Sequence
from typing import Any

from amaranth import Array, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.gf128.karatsuba import Multiplier
from wideblock.rtl.gf128.reading import WireReading
from wideblock.rtl.stream.storage import Slots

__all__ = ["HornerRun"]

OPERAND_DEPTH = 3  # tables before the multiplier's inputs: which power, its read; the row of a chain, its addition


class HornerRun(wiring.Component):
    """Sum of X_i h^(n - i), i from 0, over a run of n blocks X_0..X_(n-1), in up to ``most`` beats of ``width`` blocks.

    go:     in, takes a beat in ``block``; ``first``: in, the run's first beat; ``left``: in, number of beats to follow
    ends:   in, with every beat: the last beat of the run has blocks in columns 0 to ``ends``, zeros behind
    done:   out, pulses with the ``result``
    load:   in, takes the key ``tau``; the powers up to h^(D W) are computed one by one, then ``loaded`` pulses

    With ``copies``, exponents, the powers of each of ``banks`` runs come from outside, in place of ``load``:
    ``copy_write`` writes ``copy``, the power with exponent ``copies[copy_row]``, for ``copy_bank``. ``bank``, beside
    ``go``, is that of the run.

    A run may pause; a new ``first`` abandons the present run. Runs follow each other at once.

    The beats go round over D = ``decimation`` chains, one more than the multiplier has stages: a product is in the row
    of the chain when the next beat of the chain arrives. With W blocks a beat, column k is multiplied by h^(D W - k);
    in the last beat of each chain by h^(left W + ends + 1 - k). The row of the chain is added to column 0. The sum of
    the last D products is the result.

    Timing: ``stages`` cycles from the last beat to ``done``; ``setup`` cycles from ``load`` to ``loaded``.
    Cost:   a multiplier of ``width`` terms, a distributed memory of D W rows read by each column, a memory of D rows,
            a register of 128 bits.
    Paths:  none combinational from ``block`` to ``result``.
    Bytes:  blocks and key as ``reading`` has them.
    Source: Horner's rule, decimated as in "Fast Low Level Disk Encryption Using FPGAs", section 3.
    Security: time depends on n alone; ``clear``, with all of ``clear_row``, forgets key and blocks.
    """

    def __init__(
        self,
        *,
        most: int,
        stages: int,
        leaf: int,
        reading: WireReading,
        width: int = 1,
        copies: Sequence[int] = (),
        banks: int = 1,
    ):
        self.reading, self.width = reading, width
        self.multiplier = Multiplier(stages=stages, leaf=leaf, input_depth=OPERAND_DEPTH, terms=width)
        self.stages, self.decimation = stages, stages + 1
        self.powers = self.decimation * width
        self.setup = (self.powers - 1) * (stages + 1)
        self.copies, self.banks = tuple(copies), banks
        self.place_bits = (self.powers - 1).bit_length()
        self.rows = banks << self.place_bits if copies else self.powers
        bank, row = In(range(banks)), In(range(max(2, len(copies))))
        key = {"load": In(1), "tau": In(128), "loaded": Out(1)}
        if copies:
            key = {"copy": In(128), "copy_write": In(1), "copy_row": row, "copy_bank": bank, "bank": bank}
        super().__init__(
            {
                "go": In(1),
                "first": In(1),
                "left": In(range(most)),
                "ends": In(range(width)),
                "block": In(128 * width),
                "done": Out(1),
                "result": Out(128),
                **key,
                "clear": In(1),
                "clear_row": In(range(self.rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.multiplier0 = multiplier = self.multiplier
        D, W, rows = self.decimation, self.width, {"clear": self.clear, "clear_row": self.clear_row}
        powers = Slots(m, "powers", width=128, slots=self.rows, **rows)  # row k: h^(k + 1)
        chains = Slots(m, "chains", width=128, slots=D, **rows)

        row = self._row(m)
        entering = Signal(data.StructLayout({"go": 1, "row": range(D), "first": 1, "closing": 1, "last": 1, "key": 1}))
        leaving = self._delayed(m, entering)
        product = multiplier.o.payload
        if self.copies:
            self._copy(m, powers)
        issue, number = (Const(0), Const(0)) if self.copies else self._load(m, powers, leaving.key, product)
        fresh = self._fresh(m, row)
        closing = self.left < D
        place = Signal(range(self.powers))  # of column 0's power
        m.d.comb += place.eq(Mux(closing, self.left * W + self.ends, self.powers - 1))
        columns = [self.reading.element(self.block[128 * k : 128 * k + 128]) for k in range(W)]
        columns[0] = columns[0] ^ (chains.read(row) & ~fresh.replicate(128))
        if not self.copies:
            columns[0] = Mux(issue, powers.read(number), columns[0])
            columns[1:] = [column & ~issue.replicate(128) for column in columns[1:]]
        places = [Mux(issue, 0, place), *(Mux(place < k, 0, place - k) for k in range(1, W))]
        m.d.comb += [
            entering.go.eq(self.go),
            entering.row.eq(row),
            entering.first.eq(self.first),
            entering.closing.eq(closing),
            entering.last.eq(self.left == 0),
            entering.key.eq(issue),
            multiplier.i.valid.eq(self.go | issue),
            multiplier.i.payload.a.eq(Cat(columns) & ~self.clear.replicate(128 * W)),
            multiplier.i.payload.b.eq(Cat(powers.read(self._of_bank(at)) for at in places)),
        ]
        chains.write(leaving.row, product, leaving.go)
        self._close(m, leaving, product)
        return m

    def _row(self, m: Module) -> Signal:
        """The chain of the present block."""
        row = Signal(range(self.decimation))
        following = Signal.like(row)
        m.d.comb += row.eq(Mux(self.first, 0, following))
        with m.If(self.clear):
            m.d.sync += following.eq(0)
        with m.Elif(self.go):
            m.d.sync += following.eq(Mux(row == self.decimation - 1, 0, row + 1))
        return row

    def _fresh(self, m: Module, row: Value) -> Value:
        """Whether the present beat is the first of its chain."""
        round_again = Signal()
        with m.If(self.clear):
            m.d.sync += round_again.eq(0)
        with m.Elif(self.go):
            m.d.sync += round_again.eq((row == self.decimation - 1) | (round_again & ~self.first))
        return self.first | ~round_again

    def _delayed(self, m: Module, entering: Any) -> Any:
        """The flags of a product, beside the result."""
        tag = entering
        for k in range(self.stages):
            following = Signal(entering.shape(), name=f"tag{k}")
            m.d.sync += following.eq(tag)
            with m.If(self.clear):
                m.d.sync += following.eq(0)
            tag = following
        return tag

    def _load(self, m: Module, powers: Slots, arrived: Value, product: Value) -> tuple[Value, Value]:
        """The powers of a new key. Returns whether a product h h^k is issued, and k - 1."""
        number = Signal(range(self.powers))
        issue = Signal()
        following = Signal.like(number)
        final = following == self.powers - 1
        m.d.comb += [following.eq(number + 1), self.loaded.eq(arrived & final)]
        powers.write(
            Mux(self.load, 0, following),
            Mux(self.load, self.reading.hash_key(self.tau), product),
            self.load | arrived,
        )
        m.d.sync += issue.eq((self.load | (arrived & ~final)) & ~self.clear)
        with m.If(self.load | self.clear):
            m.d.sync += number.eq(0)
        with m.Elif(arrived):
            m.d.sync += number.eq(following)
        return issue, number

    def _of_bank(self, place: Value) -> Value:
        """The row of a power of the present run."""
        return Cat(Cat(place, Const(0, self.place_bits))[: self.place_bits], self.bank) if self.copies else place

    def _copy(self, m: Module, powers: Slots) -> None:
        """Takes a power of a bank."""
        row = Array(Const(exponent - 1, self.place_bits) for exponent in self.copies)[self.copy_row]
        powers.write(Cat(row, self.copy_bank), self.copy, self.copy_write)

    def _close(self, m: Module, leaving: Any, product: Value) -> None:
        """The sum of the chains' last products."""
        total = Signal(128)
        before = Signal(128)
        m.d.comb += [
            total.eq((before & ~leaving.first.replicate(128)) ^ (product & leaving.closing.replicate(128))),
            self.done.eq(leaving.go & leaving.last),
            self.result.eq(self.reading.block(total)),
        ]
        with m.If(self.clear):
            m.d.sync += before.eq(0)
        with m.Elif(leaving.go):
            m.d.sync += before.eq(total)
