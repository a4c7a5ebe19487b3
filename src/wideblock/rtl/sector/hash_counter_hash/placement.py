# SPDX-License-Identifier: Apache-2.0
"""Where the blocks of a sector are: in the beats of the streams, in the rings, and in the lanes."""

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth import Cat, Mux, Value

from ..parameters import HashedParameters
from .equations import Structure

__all__ = ["Piece", "Place", "Placement"]


@dataclass(frozen=True)
class Piece:
    """``size`` bytes of a special block, from byte ``begin`` on, in block number ``block`` of the stream, there from
    byte ``at`` on.
    """

    block: int
    at: int = 0
    size: int = 16
    begin: int = 0

    def of(self, block: Value) -> Value:
        """The piece that a block of the stream has."""
        return block if self.size == 16 else block[8 * self.at : 8 * (self.at + self.size)]

    def put(self, block: Value, special: Value) -> Value:
        """The block of the stream with the piece of ``special`` in its place."""
        if self.size == 16:
            return special
        piece = special[8 * self.begin : 8 * (self.begin + self.size)]
        return Cat(block[: 8 * self.at], piece, block[8 * (self.at + self.size) :])


@dataclass(frozen=True)
class Place:
    """The part of a bank for a step: ``number`` in the sector, ``row``, and ``part`` in the row."""

    number: Value
    row: Value
    part: Value


@dataclass(frozen=True)
class Placement:
    """Block j = 0.. of a sector; the lanes take blocks ``first`` to ``end`` - 1, ``lanes`` a step.

        streams:  row j // width, column j mod width
        lanes:    step (j - first) // lanes, lane (j - first) mod lanes
        part:     j // lanes, the number of the group of ``lanes`` columns; ``parts`` groups are a row

    If ``first`` is no multiple of ``lanes``, a step reaches over two parts. The rings are then divided into ``banks``,
    column j in bank j mod banks, each a block wide in every part: in step s, a bank's part is s + shift, and every bank
    is read and written at a row a cycle.
    """

    end: int
    width: int
    lanes: int
    first: int
    tail: int = 16
    specials: tuple[tuple[Piece, ...], ...] = ()

    @classmethod
    def of(cls, p: HashedParameters, structure: Structure) -> "Placement":
        """The places in the sectors of a scheme of that ``structure``."""
        if not structure.last:
            specials = tuple((Piece(k),) for k in range(structure.specials))
            return cls(p.m, p.width, p.lanes, structure.first, p.tail, specials)
        begin, end = p.sector_bytes - 16 * structure.specials, p.m - structure.specials
        specials = tuple(_pieces(begin + 16 * k) for k in range(structure.specials))
        return cls(end, p.width, p.lanes, structure.first, begin - 16 * (end - 1), specials)

    def with_specials(self, beat: Sequence[Value], row: Value, known: Sequence[Value]) -> list[Value]:
        """The beat of a row of the stream, with the blocks known last in their places."""
        beat = list(beat)
        for special, pieces in zip(known, self.specials, strict=True):
            for piece in pieces:
                at, column = divmod(piece.block, self.width)
                beat[column] = Mux(row == at, piece.put(beat[column], special), beat[column])
        return beat

    @property
    def parts(self) -> int:
        """Parts of a row: steps that make a beat."""
        return self.width // self.lanes

    @property
    def part_bits(self) -> int:
        """Bits of a part's number in its row: the low bits of a part's number."""
        return self.parts.bit_length() - 1

    @property
    def rows(self) -> int:
        """Beats of the counter mode's results: enough to bring every row of the rings to its end."""
        ends = (
            -(-((last // self.width + 1) * self.parts - shift) // self.parts)
            for bank, shift in enumerate(self.shifts)
            for last in range(self.first, self.end)
            if last % len(self.shifts) == bank
        )
        return max(-(-(self.end - self.first) // self.width), *ends)

    @property
    def steps(self) -> int:
        """Steps of a sector; the last step may have blocks past the end."""
        return self.rows * self.parts

    @property
    def shifts(self) -> tuple[int, ...]:
        """For each bank, its part's number less the step's."""
        shifts = [(self.first + (bank - self.first) % self.lanes) // self.lanes for bank in range(self.lanes)]
        return tuple(shifts) if len(set(shifts)) > 1 else (shifts[0],)

    @property
    def banks(self) -> int:
        return len(self.shifts)

    def columns(self, bank: int) -> range:
        """Columns in a bank, in the order of their blocks in its rows."""
        return range(bank, self.width, self.banks)

    def bank(self, column: int) -> tuple[int, int]:
        """The bank of a column, and the number of its block in the bank's rows."""
        return column % self.banks, column // self.banks

    def read(self, lane: int) -> tuple[int, slice]:
        """The bank of a lane, and the blocks in the bank's row for the lane, a block for each part."""
        bank, block = self.bank((self.first + lane) % self.lanes)
        return bank, slice(block, None, self.lanes // self.banks)

    def written(self, bank: int) -> list[int]:
        """The lanes with results for a part of a bank, in the order of columns."""
        return [(column - self.first) % self.lanes for column in range(bank, self.lanes, self.banks)]

    def place(self, bank: int, step: Value) -> Place:
        """The part of a bank that a ``step`` of the lanes works on."""
        number = step + self.shifts[bank]
        return Place(number, number[self.part_bits :], number[: self.part_bits])


def _pieces(begin: int) -> tuple[Piece, ...]:
    """The pieces of a block that begins at byte ``begin`` of a sector."""
    block, at = divmod(begin, 16)
    return (Piece(block, at, 16 - at), Piece(block + 1, 0, at, 16 - at)) if at else (Piece(block),)
