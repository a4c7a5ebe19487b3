# SPDX-License-Identifier: Apache-2.0
"""Routines of the program for a tag shorter than a block: M_y begins with the message's last bytes.

The message's last bytes go to the row END: 16 less the bytes of the tag. The string before is enciphered as a message.
If all bytes of the last block are in M_y, the block before becomes the last block. The results are joined again. A
message without a byte before M_y has 16 bytes or less with the tag: AEZ-tiny enciphers the string, in ten rounds below
16 bytes.

n is the number of bytes before M_y, modulo 16. Names: see :mod:`.program`.
"""

from .assembler import LOAD, Microprogram, beside, cleared, go, offset
from .offsets import Tweak
from .step import AES4, Cond, Hold, OperandSource, Out, Row, Span, Text, Turn, Wait

__all__ = ["below_16", "cut_block", "finish", "joined_tag", "last_block", "small", "tiny_block", "tiny_out"]

FROM_V = {"source": OperandSource.V}
PART = {"span": Span.PART}


def _last_bytes(p: Microprogram, first: Row, second: Row) -> None:
    """END = the message's last bytes: from byte n of the row ``first`` on, and from byte 0 of the row ``second``."""
    p.step(read=first)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.V, turn=Turn.LEFT)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=second)
    p.step(text=Text.MEMORY, write=Row.END, **FROM_V)
    p.step(hold=Hold.V, turn=Turn.LEFT)
    p.step(wait=Wait.TURNED, read=Row.END)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.MERGE, span=Span.REST)
    p.step(text=Text.H)
    p.step(hold=Hold.CUT, **PART)
    p.step(text=Text.H)
    p.step(write=Row.END, **FROM_V)


def cut_block(p: Microprogram) -> None:
    """The last block is wholly in M_y; the pair before it, in row X and T, becomes the last block."""
    p.name("cut")
    p.step(hold=Hold.V, write=Row.Q, read=Row.INCOMING, **FROM_V)
    p.step(text=Text.MEMORY)
    p.step(write=Row.P, **FROM_V, **go("last bytes"))


def last_block(p: Microprogram) -> None:
    """END of a last block of 16 bytes or more; its second half is in H, and is there again."""
    p.step(text=Text.H)
    p.step(write=Row.Q, **FROM_V)
    p.step(write=Row.P, **FROM_V)
    p.name("last bytes")
    _last_bytes(p, Row.Q, Row.P)
    p.step(read=Row.Q)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.V)


def below_16(p: Microprogram) -> None:
    """END of a last block with less than 16 bytes before M_y; T keeps its value."""
    p.step(text=Text.H, write=Row.P, **FROM_V)
    p.step(write=Row.Q, **FROM_V)
    _last_bytes(p, Row.INCOMING, Row.Q)
    p.step(read=Row.P)
    p.step(text=Text.MEMORY)


def tiny_block(p: Microprogram) -> None:
    """END of a message in AEZ-tiny."""
    p.name("one")
    p.step(read=Row.X, **go("prf", Cond.EMPTY))
    p.step(text=Text.MEMORY, **go("one block"))
    p.name("without pairs")
    p.step(text=Text.H)
    p.name("one block")
    p.step(write=Row.Q, **FROM_V)
    _last_bytes(p, Row.X, Row.Q)


def joined_tag(p: Microprogram) -> None:
    """The tag of a decryption, in row TAG, behind the message's bytes in END."""
    p.step(read=Row.TAG)
    p.step(text=Text.MEMORY, turn=Turn.RIGHT, **PART)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=Row.END)
    p.step(text=Text.ADD)
    p.step(write=Row.END, **FROM_V)


def finish(p: Microprogram) -> None:
    """The last results and the tag: V is C_x, H is to be turned right by n bytes, and C_y is in its row."""
    p.step(hold=Hold.V, result=1)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=Row.P)
    p.step(text=Text.MEMORY, write=Row.Q, **FROM_V, **go("long last", Cond.LONG))
    p.step(hold=Hold.MERGE)
    p.step(text=Text.H)
    p.step(write=Row.P, **FROM_V, **go("join"))
    p.name("long last")
    p.step(hold=Hold.MERGE, read=Row.X)
    p.step(text=Text.MEMORY)
    p.step(out=Out.PAIR)

    p.name("join")  # the first n bytes of row Q, then the message's part of C_y
    p.step(read=Row.CY)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.CUT, **PART)
    p.step(turn=Turn.RIGHT)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.END, **FROM_V)
    p.step(hold=Hold.MERGE, read=Row.P, **go("long join", Cond.LONG))
    p.step(text=Text.MEMORY, **go("cut out", Cond.CUTS))
    p.step(out=Out.TAIL, **go("own tag"))
    p.name("cut out")
    p.step(out=Out.PAIR, read=Row.END)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.CUT)
    p.step(text=Text.H, **p.alone)
    p.run([{}] * 4)  # a result of eight words is being stored
    p.step(out=Out.SINGLE, **go("own tag"))
    p.name("long join")
    p.step(text=Text.H, read=Row.END)
    p.step(text=Text.MEMORY, write=Row.Q, **FROM_V)
    p.step(hold=Hold.CUT, read=Row.Q)
    p.step(text=Text.MEMORY)
    p.step(out=Out.TAIL)

    p.name("own tag")
    p.step(read=Row.CY)
    p.step(text=Text.MEMORY, **cleared(Row.P))
    p.step(hold=Hold.V, **cleared(Row.Q), **go("part of tag"))
    p.name("whole tag")
    p.step(turn=Turn.RIGHT, **PART)
    p.step(wait=Wait.TURNED)
    p.name("part of tag")
    p.step(text=Text.MEMORY, **cleared(Row.END))
    p.step(hold=Hold.MERGE, **PART, **cleared(Row.CY))
    p.name("tag")
    p.step(wait=Wait.TAG, **cleared(Row.X), **go("idle"))


def tiny_out(p: Microprogram) -> None:
    """The results of AEZ-tiny: H is the first block of C, row P the bytes after it, behind bytes of the first."""
    p.step(text=Text.H, read=Row.P)
    p.step(text=Text.MEMORY, write=Row.Q, turn=Turn.LEFT, **FROM_V)
    p.step(hold=Hold.MERGE)
    p.step(wait=Wait.TURNED)
    moves = [{"text": Text.H}, {"write": Row.CY, **FROM_V}, go("join")]
    p.run(beside(offset(Tweak.NONCE), moves))


def _parity(p: Microprogram) -> None:
    """The first bit of H flipped, if E(0, 3) of H with that bit set says so."""
    moves = [{"text": Text.H, "forced": 1, "read": Row.DELTA}, {"text": Text.ADD}]
    p.run(beside(offset(Tweak.PARITY), moves))
    p.step(**LOAD)
    p.rounds(AES4, None)
    p.step(hold=Hold.FLIP)


def small(p: Microprogram) -> None:
    """AEZ-tiny of a string of n bytes, or of 16, that ends END; n or 16 nibbles in L and in R."""
    p.name("small")
    p.step(read=Row.END)
    p.step(text=Text.MEMORY, turn=Turn.RIGHT)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, **go("small halves", Cond.EVEN))
    p.step(**go("small halves", Cond.ENCRYPT))
    _parity(p)
    p.name("small halves")
    p.step(text=Text.H, half=1, turn=Turn.LEFT)
    p.step(write=Row.P, **FROM_V)  # L
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, tweak=Tweak.TINY, bit=3)
    p.step(hold=Hold.PAD, half=1, tweak=Tweak.TINY, bit=2)  # R || 1
    p.step(tweak=Tweak.TINY, bit=1, **go("round", Cond.EVEN))
    p.run(beside(offset(Tweak.TINIER), [{}, {}, go("round")]))

    p.name("small out")  # H is R || 1, row P is L || 1
    p.step(text=Text.MEMORY, write=Row.Q, half=1, turn=Turn.RIGHT, **FROM_V)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, read=Row.Q)
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.MERGE, half=1, **go("small whole", Cond.EVEN))
    p.step(text=Text.H)
    p.step(hold=Hold.CUT, **go("small parity", Cond.ENCRYPT))
    p.step(**go("small whole"))
    p.name("small parity")
    _parity(p)
    p.name("small whole")
    p.step(turn=Turn.LEFT)
    p.step(wait=Wait.TURNED)
    moves = [{"text": Text.H}, {"write": Row.CY, **FROM_V}, {"hold": Hold.CUT, **PART}]
    p.run(beside(offset(Tweak.NONCE), moves))
    p.step(turn=Turn.RIGHT)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, **p.alone)
    p.step(out=Out.SINGLE, **go("own tag"))
