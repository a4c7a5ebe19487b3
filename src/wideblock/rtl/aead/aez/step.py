# SPDX-License-Identifier: Apache-2.0
"""A step of the program: what each part of the datapath does in one cycle, and which step follows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from amaranth.lib import data, enum

from .offsets import Power, Tweak

__all__ = [
    "AES4",
    "AES4_V4",
    "WIDTHS",
    "Acc",
    "Added",
    "AezKey",
    "Base",
    "Carry",
    "Cond",
    "Constant",
    "Count",
    "Enter",
    "Hold",
    "Known",
    "MicroStep",
    "Operand",
    "OperandSource",
    "Out",
    "Row",
    "Span",
    "Text",
    "Turn",
    "Wait",
    "layout",
]


class AezKey(enum.Enum):
    """The register of the AES: kept, loaded with operand + offset + constant, or a round under a key."""

    KEEP = 0
    LOAD = 1
    ZERO = 4
    I = 5  # noqa: E741
    J = 6
    L = 7


AES4 = (AezKey.J, AezKey.I, AezKey.L, AezKey.ZERO)
AES4_V4 = (AezKey.L, AezKey.I, AezKey.J, AezKey.L)
"""Round keys for j = 2 in version 4.1."""


class Operand(enum.Enum):
    """The loaded value: V, the memory's output, or H."""

    V = 0
    MEMORY = 1
    H = 2


class Constant(enum.Enum):
    """Added to the loaded value: [128]_128, the padding of a nonce of 12 bytes, or the round of AEZ-tiny."""

    NONE = 0
    TAU = 1
    NONCE = 2
    ROUND = 3


class Text(enum.Enum):
    """T, the text added to the AES' result: kept, the memory's output (added, or alone), the result, H."""

    KEEP = 0
    ADD = 1
    MEMORY = 2
    AES = 3
    H = 4


class Hold(enum.Enum):
    """H: kept, V, or the first e nibbles of V, then 8 and zeros, only zeros, or the nibbles of H.

    FLIP:  the first bit of the AES' result is added to the first bit of H
    CLEAR: 0, in the datapath of a column
    """

    KEEP = 0
    V = 1
    PAD = 2
    CUT = 3
    MERGE = 4
    FLIP = 5
    CLEAR = 6


class Acc(enum.Enum):
    """The sum: kept, V added, V alone, or the offset added."""

    KEEP = 0
    ADD = 1
    V = 2
    OFFSET = 3


class Row(enum.Enum):
    """Rows of the memory.

    W, X:        of the present pair; X has the pair's first block until X is known
    INCOMING:    X of the next pair
    MY:          TAG to decipher, ZERO to encipher
    LEFT, RIGHT: P and Q, exchanged in each round of AEZ-tiny
    ZERO:        never written
    INPUT:       the first half of a hashed input block
    END:         the message's last bytes, then the tag or zeros: M_y with a short tag
    TAU, DELTA, SX, SY, S, CY: values by name. P, Q: blocks of the fragment, and intermediate values
    """

    W = 0
    X = 1
    INCOMING = 2
    MY = 3
    LEFT = 4
    RIGHT = 5
    ZERO = 16
    INPUT = 17
    TAU = 18
    DELTA = 19
    TAG = 20
    SX = 21
    SY = 22
    S = 23
    CY = 24
    END = 25
    P = 26
    Q = 27


class OperandSource(enum.Enum):
    """The value written to the memory: none, V, the first half of the input block, the sum, 0."""

    NONE = 0
    V = 1
    INPUT = 2
    ACC = 3
    CLEAR = 4


class Turn(enum.Enum):
    """Nibbles of the next turn of H: e to the left, or to the right."""

    KEEP = 0
    LEFT = 1
    RIGHT = 2


class Span(enum.Enum):
    """e, in nibbles.

    SIZE: twice the bytes of the last block beyond a multiple of 16, or half of AEZ-tiny's string
    PART: the message's bytes in M_y
    REST: what SIZE leaves of a block
    """

    SIZE = 0
    PART = 1
    REST = 2


class Out(enum.Enum):
    """A result: V and H, whole; V and H, of the last block's size; or V alone, of the last block's size."""

    NONE = 0
    PAIR = 1
    TAIL = 2
    SINGLE = 3


class Count(enum.Enum):
    """Number of pairs done: kept, 0, or one more.

    ALL:   the number of all pairs becomes the number of pairs done, and pairs done is 0
    ROUND: the next round of AEZ-tiny
    """

    KEEP = 0
    ZERO = 1
    NEXT = 2
    ALL = 3
    ROUND = 4


class Wait(enum.Enum):
    """Awaited event: an input block, a key, either, H turned as ordered, or the tag taken."""

    NONE = 0
    BLOCK = 1
    KEY = 2
    EITHER = 3
    TURNED = 4
    TAG = 5


class Cond(enum.Enum):
    """Condition for the step at ``target`` to follow.

    INPUT_WHOLE, INPUT_LAST, INPUT_MORE: the input block has 32 bytes; is the last of its kind; is not the last
    KEY, ENCRYPT:     a key is offered; the message is enciphered
    LAST:             the accepted block is the last of its kind
    NO_HIGH:          the accepted block has at most 16 bytes
    BELOW_16, EXACT_16, WHOLE: the accepted block has less than 16 bytes, 16, 32
    LONG:             the fragment has 16 bytes or more
    EVEN:             the accepted block's size is a multiple of 16
    NONE, DONE, MORE: the message has no pair; all pairs are done; more pairs follow
    ROUNDS:           another round of AEZ-tiny follows
    CUTS, EMPTY:      all bytes of the last block of data are in M_y; the block has no byte
    """

    NEVER = 0
    ALWAYS = 1
    INPUT_WHOLE = 2
    INPUT_LAST = 3
    INPUT_MORE = 4
    KEY = 5
    LAST = 6
    NO_HIGH = 7
    BELOW_16 = 8
    EXACT_16 = 9
    WHOLE = 10
    LONG = 11
    EVEN = 12
    ENCRYPT = 13
    NONE = 14
    DONE = 15
    ROUNDS = 16
    MORE = 17
    CUTS = 18
    EMPTY = 19


@dataclass(kw_only=True)
class Known:
    """Numbers that decide the order of steps: ints of a message, or values in hardware.

    offered, final: bytes of the block being accepted; the block is the last of its kind
    size, last:     bytes of the last block hashed or enciphered; the block is the last of its kind
    key, decrypt:   a key is offered; the message is deciphered
    pairs, done:    pairs of the message; pairs done
    number, most:   round of AEZ-tiny; the last round
    cuts, empty:    all bytes of the last block of data are in M_y; the block has no byte

    ``size`` counts no byte in M_y. If all bytes of the last block are in M_y, ``size`` is of the block before.
    """

    offered: Any = 0
    final: Any = 0
    size: Any = 0
    last: Any = 0
    key: Any = 0
    decrypt: Any = 0
    pairs: Any = 0
    done: Any = 0
    number: Any = 0
    most: Any = 7
    cuts: Any = 0
    empty: Any = 0

    def conditions(self) -> dict[Cond, Any]:
        """The value of each condition."""
        return {
            Cond.NEVER: 0,
            Cond.ALWAYS: 1,
            Cond.INPUT_WHOLE: self.offered == 32,
            Cond.INPUT_LAST: self.final,
            Cond.INPUT_MORE: self.final == 0,
            Cond.KEY: self.key,
            Cond.LAST: self.last,
            Cond.NO_HIGH: self.size <= 16,
            Cond.BELOW_16: self.size < 16,
            Cond.EXACT_16: self.size == 16,
            Cond.WHOLE: self.size == 32,
            Cond.LONG: (self.size & 16) == 0,  # not 16 to 31
            Cond.EVEN: (self.size & 15) == 0,
            Cond.ENCRYPT: self.decrypt == 0,
            Cond.NONE: self.pairs == 0,
            Cond.DONE: self.done == self.pairs,
            Cond.ROUNDS: self.number != self.most,
            Cond.MORE: self.done != self.pairs,
            Cond.CUTS: self.cuts,
            Cond.EMPTY: self.empty,
        }


class Base(enum.Enum):
    """V.

    TEXT:    T, with ``result`` plus the AES' register
    ROW:     the pipeline's result plus the memory's output
    CARRIED: the pipeline's result plus the text of the call
    With ROW and CARRIED only results of pairs are stored, added or given out.
    """

    TEXT = 0
    ROW = 1
    CARRIED = 2


class Carry(enum.Enum):
    """The text beside a call in the pipeline: H, the text of the call before, T + result, or V."""

    H = 0
    CARRIED = 1
    Y = 2
    V = 3


class Enter(enum.Enum):
    """Whether the loaded call is part of a pair.

    NONE: no    SAME: as the current result    WHOLE: yes, unless the accepted block cuts the pair
    SECOND: yes, with the round keys of j = 2
    """

    NONE = 0
    SAME = 1
    WHOLE = 2
    SECOND = 3


class Added(enum.Enum):
    """The offset added to the operand.

    MADE: the current offset    SECOND: the current offset, second layer    INNER: j = i = 0
    FIRST: the offset of the pair's first call
    """

    MADE = 0
    SECOND = 1
    INNER = 2
    FIRST = 3


@dataclass(frozen=True, kw_only=True)
class MicroStep:
    """A cycle; ``base`` selects V.

    tweak, bit: of the next offset; see :class:`Offsets`
    read:       row at the memory's output in the next cycle
    write:      row for ``source``
    half:       e is half of AEZ-tiny's string, in nibbles; low: e is the last block's bytes beyond a multiple of 16
    span:       e, if not as ``half`` says
    forced:     the first bit of H, as a text, is 1
    target:     name of a step; after linking, the step's number
    gather:     T + the pipeline's result is added to the sum
    read_back, write_back: pairs from the pair of rows W and X to the present pair

    Fields from ``base`` on are for a core with a pipeline.
    """

    aes: AezKey = AezKey.KEEP
    operand: Operand = Operand.V
    constant: Constant = Constant.NONE
    result: int = 0
    text: Text = Text.KEEP
    hold: Hold = Hold.KEEP
    half: int = 0
    turn: Turn = Turn.KEEP
    acc: Acc = Acc.KEEP
    read: Row = Row.ZERO
    write: Row = Row.ZERO
    source: OperandSource = OperandSource.NONE
    tweak: Tweak = Tweak.INNER
    bit: int = 0
    power: Power = Power.KEEP
    count: Count = Count.KEEP
    out: Out = Out.NONE
    wait: Wait = Wait.NONE
    cond: Cond = Cond.NEVER
    target: Any = 0
    base: Base = Base.TEXT
    carry: Carry = Carry.H
    enter: Enter = Enter.NONE
    added: Added = Added.MADE
    gather: int = 0
    read_back: int = 0
    write_back: int = 0
    span: Span = Span.SIZE
    forced: int = 0


WIDTHS = {"result": 1, "half": 1, "bit": 2, "target": 9, "gather": 1, "forced": 1, "read_back": 3, "write_back": 3}
"""Bits of number fields."""


def layout(steps: Sequence[MicroStep]) -> data.StructLayout:
    """A step in hardware: the fields used by any step."""
    used = [f for f in fields(MicroStep) if any(getattr(step, f.name) != f.default for step in steps)]
    return data.StructLayout({f.name: WIDTHS.get(f.name) or type(f.default) for f in used})
