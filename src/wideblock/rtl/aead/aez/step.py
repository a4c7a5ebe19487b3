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
    """Value that is loaded: V, the memory's output, or H."""

    V = 0
    MEMORY = 1
    H = 2


class Constant(enum.Enum):
    """Added to what is loaded: [128]_128, the padding of a nonce of 12 bytes, or the round of AEZ-tiny."""

    NONE = 0
    TAU = 1
    NONCE = 2
    ROUND = 3


class Text(enum.Enum):
    """T, the text that is added to the AES' result: kept, the memory's output (added, or alone), the result, H."""

    KEEP = 0
    ADD = 1
    MEMORY = 2
    AES = 3
    H = 4


class Hold(enum.Enum):
    """H: kept, V, or the first e nibbles of V, and behind them 8 and zeros, only zeros, or what H has there."""

    KEEP = 0
    V = 1
    PAD = 2
    CUT = 3
    MERGE = 4


class Acc(enum.Enum):
    """The sum: kept, V added, V alone, or the offset added."""

    KEEP = 0
    ADD = 1
    V = 2
    OFFSET = 3


class Row(enum.Enum):
    """Rows of the memory.

    W, X:        of the pair in hand; X has its first block as it came until its own value is known
    INCOMING:    X of the next pair
    MY:          TAG to decipher, ZERO to encipher
    LEFT, RIGHT: P and Q, exchanged in each round of AEZ-tiny
    ZERO:        never written
    INPUT:       the first half of an input block that is hashed
    TAU, DELTA, SX, SY, S, CY: values of these names. P, Q: blocks of the fragment, and intermediate values
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
    P = 26
    Q = 27


class OperandSource(enum.Enum):
    """Value that is written to the memory: nothing, V, the first half of the input block, the sum, 0."""

    NONE = 0
    V = 1
    INPUT = 2
    ACC = 3
    CLEAR = 4


class Turn(enum.Enum):
    """Number of nibbles by which H is turned next: e to the left, or to the right."""

    KEEP = 0
    LEFT = 1
    RIGHT = 2


class Out(enum.Enum):
    """A result: V and H, whole; V and H, of the size of the last block; or V alone, of that size."""

    NONE = 0
    PAIR = 1
    TAIL = 2
    SINGLE = 3


class Count(enum.Enum):
    """The number of pairs that are done: kept, 0, or one more.

    ALL:   it becomes the number of all pairs, and is then 0
    ROUND: the next round of AEZ-tiny
    """

    KEEP = 0
    ZERO = 1
    NEXT = 2
    ALL = 3
    ROUND = 4


class Wait(enum.Enum):
    """Event that a step waits for: an input block, a key, either, H turned as ordered, or the tag taken."""

    NONE = 0
    BLOCK = 1
    KEY = 2
    EITHER = 3
    TURNED = 4
    TAG = 5


class Cond(enum.Enum):
    """When the step at ``target`` follows.

    INPUT_WHOLE, INPUT_LAST, INPUT_MORE: the input block has 32 bytes; it is the last of its kind; it is not
    KEY, ENCRYPT:     a key is offered; the message is enciphered
    LAST:             the block that was accepted before is the last of its kind
    NO_HIGH:          it has at most 16 bytes
    BELOW_16, EXACT_16, WHOLE: it has less than 16 bytes, 16, 32
    LONG:             the fragment has 16 bytes or more
    EVEN:             the size of that block is a multiple of 16
    NONE, DONE, MORE: there is no pair at all; all pairs are done; they are not
    ROUNDS:           another round of AEZ-tiny follows
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


@dataclass(kw_only=True)
class Known:
    """Numbers from which the order of steps follows: ints of one message, or in hardware values.

    offered, final: bytes of the block that is accepted; it is the last one of its kind
    size, last:     the same of the last one that was hashed or enciphered
    key, decrypt:   a key is offered; the message is deciphered
    pairs, done:    pairs of the message; those that are done
    number:         the round of AEZ-tiny
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

    def conditions(self) -> dict[Cond, Any]:
        """Whether each condition holds."""
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
            Cond.ROUNDS: self.number != 7,
            Cond.MORE: self.done != self.pairs,
        }


class Base(enum.Enum):
    """V: T, and with ``result`` the AES' register added; or the pipeline's result added to the memory's output, or to
    the text that came with the call.

    In the latter two nothing is stored, added or given out unless the result is that of a pair.
    """

    TEXT = 0
    ROW = 1
    CARRIED = 2


class Carry(enum.Enum):
    """The text that goes with a call through the pipeline: H, that of the call before, T + result, or V."""

    H = 0
    CARRIED = 1
    Y = 2
    V = 3


class Enter(enum.Enum):
    """Whether the call that is loaded is that of a pair: not; if the result in hand is, too; if the block that is
    accepted leaves the pair before it whole; yes, and its round keys are those of j = 2."""

    NONE = 0
    SAME = 1
    WHOLE = 2
    SECOND = 3


class Added(enum.Enum):
    """The offset of what is loaded: the one made; of it, that of the second layer; that of j = i = 0; the one made
    that the pair's first call had."""

    MADE = 0
    SECOND = 1
    INNER = 2
    FIRST = 3


@dataclass(frozen=True, kw_only=True)
class MicroStep:
    """One cycle. V is as ``base`` says.

    tweak, bit: of the next offset; see :class:`Offsets`
    read:       row that the memory's output has in the next cycle
    write:      row that takes ``source``
    half:       e is half of AEZ-tiny's string, in nibbles; otherwise that of the last block's bytes beyond a multiple
                of 16
    target:     name of a step, or in the end its number
    gather:     T + the pipeline's result is added to the sum
    read_back, write_back: number of pairs before that in hand to which the rows W and X belong

    Fields from ``base`` on are those of a core with a pipeline.
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


WIDTHS = {"result": 1, "half": 1, "bit": 2, "target": 9, "gather": 1, "read_back": 3, "write_back": 3}
"""Bits of the fields that are numbers."""


def layout(steps: Sequence[MicroStep]) -> data.StructLayout:
    """A step in hardware: the fields that any of these steps uses."""
    used = [f for f in fields(MicroStep) if any(getattr(step, f.name) != f.default for step in steps)]
    return data.StructLayout({f.name: WIDTHS.get(f.name) or type(f.default) for f in used})
