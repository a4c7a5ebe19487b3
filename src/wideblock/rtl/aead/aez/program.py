# SPDX-License-Identifier: Apache-2.0
"""The program of AEZ, step by step: key, nonce, associated data, pairs, fragment, AEZ-prf and AEZ-tiny.

A call of E takes a step to load the operand and a step for each round. The next step has the result, and loads the next
operand. The offset of the next call is made in the last three rounds. A pair of blocks takes two calls in the first
pass, ten cycles, and three in the second, fifteen; two blocks of associated data take ten.

Source: AEZ v5 (2017), 1.5, and the names there; version 4.1 has other round keys for j = 2, and adds the offset to the
result for j from 3 on.
"""

from functools import cache

from . import overlap, short_tag
from .assembler import ACCEPT, LOAD, Microprogram, Parts, beside, cleared, go, merged, offset
from .offsets import Power, Tweak, Version
from .step import (
    AES4,
    AES4_V4,
    Acc,
    AezKey,
    Cond,
    Constant,
    Count,
    Hold,
    MicroStep,
    Operand,
    OperandSource,
    Out,
    Row,
    Text,
    Turn,
    Wait,
)

__all__ = ["program"]

AES10 = (AezKey.I, AezKey.J, AezKey.L) * 3 + (AezKey.I,)


SUM = {"acc": Acc.ADD, "result": 1}
"""The result of a call is added to the sum; T is 0."""
NO_TEXT = {"text": Text.MEMORY}
"""T becomes 0, after a step that read the row ZERO, as steps do that read nothing else."""


class _Aez(Microprogram):
    """The program of a version.

    keys_2: round keys for j = 2
    masked: the offset is added to the sum, for j from 3 on in version 4.1
    """

    def __init__(self, version: Version, spacing: int | None, short: bool, narrow: bool):
        super().__init__(spacing, short=short, narrow=narrow)
        self.version = version
        self.keys_2 = AES4_V4 if version is Version.V4 else AES4
        self.my = Row.END if short else Row.MY
        self.masked: Parts = {"acc": Acc.OFFSET} if version is Version.V4 else {}

    def power(self, first: Power) -> list[Parts]:
        """Steps that make the power of blocks or pairs 1 to 8."""
        return [{"power": first}, *[{"power": Power.DOUBLE}] * self.version.doublings]


@cache
def program(
    version: Version, spacing: int | None = None, *, short: bool = False, narrow: bool = False
) -> tuple[MicroStep, ...]:
    """The program; it begins with step 0, without a key.

    spacing: least cycles between two results, for a datapath with a pipeline of four rounds; None for one without
    short:   the tag is shorter than a block
    narrow:  for the datapath of a column
    """
    p = _Aez(version, spacing, short, narrow)
    first, second = (_first_pass, _second_pass) if spacing is None else (overlap.first_pass, overlap.second_pass)
    for routine in (_key, _nonce, _ad, first, _tail, _middle, second, _end, _finish, _tiny, _prf):
        routine(p)
    return p.linked()


def _key(p: _Aez) -> None:
    """E(3, 1; tau), once for a key."""
    p.step(wait=Wait.KEY)
    p.name("key")
    p.run(beside([{}, NO_TEXT], p.power(Power.FIRST_AD), [{}, {}, *offset(Tweak.TAU)]))
    p.step(**LOAD, operand=Operand.MEMORY, constant=Constant.TAU, acc=Acc.V)
    p.rounds(AES4, Tweak.NONCE, [p.masked])
    p.step(**SUM)
    p.step(write=Row.TAU, source=OperandSource.ACC)


def _nonce(p: _Aez) -> None:
    """Idle, then E(4, 0; N). The offset is there already."""
    p.name("idle")
    p.step(wait=Wait.EITHER, write=Row.INPUT, source=OperandSource.INPUT, read=Row.TAU, **go("key", Cond.KEY))
    power = p.power(Power.FIRST_AD)
    p.step(text=Text.MEMORY, read=Row.INPUT, count=Count.ZERO, **power[0])
    p.step(**LOAD, operand=Operand.MEMORY, constant=Constant.NONCE, acc=Acc.V, **power[1])
    taken = {**ACCEPT, "write": Row.INPUT, "source": OperandSource.INPUT, **go("ad", Cond.INPUT_WHOLE)}
    p.rounds(AES4, Tweak.AD_HIGH, [merged(NO_TEXT, p.masked)], power[2:], **taken)


def _ad(p: _Aez) -> None:
    """Blocks of 32 bytes, their second half first: E(5, i; A_i). The last block may be short.

    Each begins with the last result still to be added.
    """
    low = {**LOAD, "operand": Operand.MEMORY}
    p.name("ad short")
    p.step(**SUM, **go("ad low", Cond.NO_HIGH))
    p.run(offset(Tweak.AD_SHORT))
    p.step(**LOAD, operand=Operand.H)
    p.rounds(AES4, Tweak.AD_LOW, [p.masked], read=Row.INPUT)
    p.step(**low, **SUM, **go("ad second"))
    p.name("ad low")
    p.step(**go("ad low whole", Cond.EXACT_16))
    p.run(beside(offset(Tweak.AD_SHORT), [{}, {}, {"read": Row.INPUT}]))
    p.step(**low, **go("ad second"))
    p.name("ad low whole")
    p.run(beside(offset(Tweak.AD_LOW), [{}, {}, {"read": Row.INPUT}]))
    p.step(**low, **go("ad second"))

    p.name("ad")
    p.step(**LOAD, operand=Operand.H, **SUM)
    p.rounds(AES4, Tweak.AD_LOW, [p.masked], read=Row.INPUT)
    p.step(**low, **SUM)
    p.name("ad second")
    p.step(aes=AezKey.J, **p.masked, count=Count.NEXT, power=Power.AFTER_4, **go("ad end", Cond.LAST))
    taken = {**ACCEPT, "write": Row.INPUT, "source": OperandSource.INPUT, **go("ad", Cond.INPUT_WHOLE)}
    p.rounds(AES4[1:], Tweak.AD_HIGH, **taken)
    p.step(**go("ad short"))

    p.name("ad end")
    power = p.power(Power.FIRST)
    finish = [{"aes": AezKey.I, "count": Count.ZERO}, {"aes": AezKey.L}, {"aes": AezKey.ZERO}, SUM]
    finish.append({"write": Row.DELTA, "source": OperandSource.ACC, "acc": Acc.V})
    p.run(beside(finish, power, [{}, {}, *offset(Tweak.PAIR)]))


def _first_pass(p: _Aez) -> None:
    """W_i = M_i + E(1, i; M'_i), X_i = M'_i + E(0, 0; W_i), and the sum of all X_i.

    A block is accepted before the last X_i is stored: if the message ends in the block with less than 16 bytes, the
    pair before is part of the fragment. Both blocks of the pair are still in the row of X and in T.
    """
    p.step(**ACCEPT, write=Row.X, source=OperandSource.INPUT, **go("only", Cond.INPUT_LAST))
    p.step(**LOAD, operand=Operand.H, **go("pair"))
    p.name("next pair")
    p.step(**LOAD, operand=Operand.H, **SUM, write=Row.X, source=OperandSource.V, count=Count.NEXT)
    p.name("pair")
    p.rounds(AES4, Tweak.INNER, [{"read": Row.X}, {"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.W, source=OperandSource.V)
    taken = {**ACCEPT, "write": Row.INCOMING, "source": OperandSource.INPUT, **go("next pair", Cond.INPUT_MORE)}
    p.rounds(AES4, Tweak.NEXT, [{"text": Text.H, "power": Power.AFTER_8}], **taken)
    if p.short:
        p.step(**go("cut", Cond.CUTS))
    p.step(**go("below 16", Cond.BELOW_16))
    p.step(**SUM, write=Row.X, source=OperandSource.V, count=Count.NEXT, **go("last block"))


def _tail(p: _Aez) -> None:
    """The blocks of the fragment and M_x into place, and H of the fragment added to the sum."""
    p.name("only")
    if p.short:
        p.step(**go("one", Cond.CUTS))
    p.step(**go("without pairs", Cond.BELOW_16))
    if p.short:
        p.step(**go("last block"))
        short_tag.cut_block(p)
    p.name("last block")  # row X and H: the string M_u || M_x
    if p.short:
        short_tag.last_block(p)
    p.step(text=Text.H, read=Row.X, **go("whole", Cond.WHOLE))
    p.step(text=Text.MEMORY, write=Row.Q, source=OperandSource.V)
    p.step(write=Row.P, source=OperandSource.V, **go("fragment"))
    p.name("whole")
    p.step(write=Row.P, source=OperandSource.V, **go("long"))
    p.name("below 16")  # row X is M_u; T and row INCOMING: the string M_v || M_x
    if p.short:
        short_tag.below_16(p)
    p.step(write=Row.P, source=OperandSource.V, read=Row.INCOMING)
    p.step(text=Text.MEMORY)
    p.step(write=Row.Q, source=OperandSource.V)

    p.name("long")
    p.run(beside(offset(Tweak.HASH_U), [{}, NO_TEXT, {"read": Row.X}]))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.P)
    p.rounds(AES4, Tweak.HASH_V, [{"text": Text.MEMORY}, {"hold": Hold.PAD}, NO_TEXT])
    p.step(**LOAD, operand=Operand.H, **SUM, **go("merge"))
    p.name("fragment")
    p.step(read=Row.P, **go("no fragment", Cond.EVEN))
    p.run(beside(offset(Tweak.HASH_U), [{"text": Text.MEMORY}, {"hold": Hold.PAD}, NO_TEXT]))
    p.step(**LOAD, operand=Operand.H)
    p.name("merge")
    moves = [
        {"read": Row.P},
        {"text": Text.MEMORY, "read": Row.Q},
        {"text": Text.MEMORY, "hold": Hold.V},
        {"hold": Hold.MERGE, "turn": Turn.LEFT},
    ]
    p.rounds(AES4, None, moves)
    p.step(**NO_TEXT)
    p.step(**SUM, **go("middle"))
    p.name("no fragment")
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.V, **go("middle"))


def _tag(p: Microprogram, name: str, *, joined: bool = False) -> None:
    """The tag of a decryption is accepted. ``joined``: row END takes the tag behind the message's bytes."""
    p.step(**go(name, Cond.ENCRYPT))
    p.step(**ACCEPT, write=Row.TAG, source=OperandSource.INPUT)
    if joined:
        short_tag.joined_tag(p)
    p.name(name)


def _prf(p: _Aez) -> None:
    """AEZ-prf of an empty message, plus the tag of a decryption."""
    p.name("prf")
    _tag(p, "prf tag")
    p.run(beside(offset(Tweak.PRF), [{}, {"read": Row.DELTA}, {"text": Text.MEMORY}]))
    p.step(**LOAD, read=Row.MY)
    p.rounds(AES10, Tweak.NONCE, [{"text": Text.MEMORY}])
    p.step(hold=Hold.V, result=1, **go("tag" if not p.short else "whole tag"))


def _tiny(p: _Aez) -> None:
    """AEZ-tiny of the string A || B, A of 16 bytes, with n + 16 nibbles in L and in R, for n bytes of message."""
    if p.short:
        short_tag.tiny_block(p)
    else:
        p.name("without pairs")
        p.step(**go("prf", Cond.EVEN))
    _tag(p, "tiny tag", joined=p.short)
    if p.short:
        p.step(**go("small", Cond.CUTS))
    p.step(read=p.my)
    p.step(text=Text.MEMORY, turn=Turn.RIGHT)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, read=Row.X)
    p.step(text=Text.H, read=Row.X)
    p.step(text=Text.MEMORY, write=Row.Q, source=OperandSource.V)  # B
    p.step(hold=Hold.MERGE)  # A
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=OperandSource.V, half=1, turn=Turn.LEFT)  # L
    p.step(hold=Hold.MERGE, half=1)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, tweak=Tweak.TINY, bit=3)
    p.step(hold=Hold.PAD, half=1, tweak=Tweak.TINY, bit=2)  # R || 1
    p.step(tweak=Tweak.TINY, bit=1)
    p.name("round")
    p.step(text=Text.H, read=Row.DELTA)
    p.step(text=Text.ADD, write=Row.RIGHT, source=OperandSource.V)
    p.step(**LOAD, constant=Constant.ROUND, read=Row.LEFT)
    p.rounds(AES4, None, [{"text": Text.MEMORY}])
    p.step(hold=Hold.PAD, half=1, result=1, count=Count.ROUND, **go("round", Cond.ROUNDS))

    p.step(text=Text.H, read=Row.P, **(go("small out", Cond.CUTS) if p.short else {}))
    p.step(text=Text.MEMORY, write=Row.Q, source=OperandSource.V, half=1, turn=Turn.RIGHT)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, read=Row.Q)
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=OperandSource.V)  # B
    p.step(hold=Hold.MERGE, half=1)
    if p.short:
        short_tag.tiny_out(p)
        short_tag.small(p)
        return
    p.step(text=Text.H)
    p.step(hold=Hold.CUT, write=Row.Q, source=OperandSource.V)  # A
    p.step(text=Text.H, read=Row.Q, **p.alone)
    p.step(text=Text.MEMORY, out=Out.SINGLE, read=Row.P)
    last = [
        {"text": Text.MEMORY, "hold": Hold.V, "turn": Turn.LEFT},
        merged({"hold": Hold.MERGE}, cleared(Row.P)),
        merged({"wait": Wait.TURNED}, NO_TEXT, cleared(Row.Q), go("tag")),
    ]
    p.run(beside(offset(Tweak.NONCE), last))


def _middle(p: _Aez) -> None:
    """S_x = M_x + Delta + X + E(0, FIRST; M_y), S_y = M_y + E(-1, FIRST; S_x), S = S_x + S_y."""
    p.name("middle")
    p.step(wait=Wait.TURNED, read=Row.DELTA)
    p.step(text=Text.MEMORY)
    p.step(acc=Acc.ADD, text=Text.H, tweak=Tweak.X_FIRST, bit=3)
    p.step(acc=Acc.ADD, tweak=Tweak.X_FIRST, bit=2)
    p.step(write=Row.SX, source=OperandSource.ACC, tweak=Tweak.X_FIRST, bit=1)
    _tag(p, "middle tag", joined=p.short)
    p.step(read=p.my)
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.SX)
    p.rounds(AES4, Tweak.Y_FIRST, [{"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.SX, source=OperandSource.V)
    moves = [{}, NO_TEXT, {"acc": Acc.V, "read": p.my}, {"text": Text.MEMORY}]
    count = [{"count": Count.ALL}]
    following, held = (Tweak.SECOND_LAYER, {}) if p.spacing is None else (Tweak.PAIR, {"hold": Hold.V})
    p.rounds(AES10, following, moves, p.power(Power.FIRST), count, read=Row.SX)
    p.step(result=1, write=Row.SY, source=OperandSource.V, text=Text.ADD)
    p.step(**LOAD, result=1, **held, write=Row.S, source=OperandSource.V, **go("fragment out", Cond.NONE))


def _second_pass(p: _Aez) -> None:
    """Y_i = W_i + S', Z_i = X_i + S', S' = E(2, i; S); C'_i = Y_i + E(0, 0; Z_i), C_i = Z_i + E(1, i; C'_i).

    The rows of a pair are cleared when they were read for the last time.
    """
    p.name("pair out")
    p.rounds(p.keys_2, Tweak.INNER, [{"read": Row.X}, {"text": Text.MEMORY}])
    p.step(**LOAD, result=1, text=Text.AES, read=Row.W)
    p.rounds(AES4, Tweak.PAIR, [{"text": Text.ADD}, {"acc": Acc.ADD}], read=Row.W)
    p.step(**LOAD, result=1, hold=Hold.V, text=Text.ADD, read=Row.X, **cleared(Row.W))
    moves = [{"text": Text.ADD, "power": Power.AFTER_8, "count": Count.NEXT, **cleared(Row.X)}]
    p.rounds(AES4, Tweak.SECOND_LAYER, moves, read=Row.S, **go("pairs out", Cond.DONE))
    p.step(**LOAD, operand=Operand.MEMORY, result=1, out=Out.PAIR, **go("pair out"))
    p.name("pairs out")
    p.step(result=1, out=Out.PAIR)


def _end(p: _Aez) -> None:
    """C_u, C_v and their hash, C_y and C_x."""
    mask_u, mask_v = offset(Tweak.MASK_U), [{}, {}, {"read": Row.S}]
    p.name("fragment out")
    p.step(**go("long out", Cond.LONG))
    p.step(**go("no fragment out", Cond.EVEN))
    p.run(beside(mask_u, mask_v))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.P)
    p.rounds(AES10, Tweak.HASH_U, [{"text": Text.MEMORY}])
    p.step(**go("hash out"), hold=Hold.PAD, result=1, write=Row.P, source=OperandSource.V)
    p.name("long out")
    p.run(beside(mask_u, mask_v))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.X)
    p.rounds(AES10, Tweak.HASH_U, [{"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.X, source=OperandSource.V)
    p.rounds(AES4, Tweak.MASK_V, [{}, NO_TEXT], read=Row.S)
    p.step(**LOAD, operand=Operand.MEMORY, **SUM, read=Row.P)
    p.rounds(AES10, Tweak.HASH_V, [{"text": Text.MEMORY}])
    p.step(hold=Hold.PAD, result=1, write=Row.P, source=OperandSource.V)
    p.name("hash out")
    p.step(**LOAD, operand=Operand.H)
    p.rounds(AES4, Tweak.Y_SECOND, [{}, NO_TEXT])
    p.step(**SUM, read=Row.SY, **go("x and y"))
    p.name("no fragment out")
    p.run(beside(offset(Tweak.Y_SECOND), [{}, {}, {"read": Row.SY}]))
    p.name("x and y")
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.SY)
    moves = [
        {"text": Text.MEMORY, "read": Row.DELTA},
        {"text": Text.ADD},
        {"acc": Acc.ADD},
        {"write": Row.Q, "source": OperandSource.ACC, "read": Row.SX},
        {"text": Text.MEMORY},
    ]
    p.rounds(AES10, Tweak.X_SECOND, moves)
    p.step(**LOAD, result=1, write=Row.CY, source=OperandSource.V, read=Row.Q)
    p.rounds(AES4, Tweak.NONCE, [{"text": Text.MEMORY}], turn=Turn.RIGHT)


def _finish(p: _Aez) -> None:
    """The last results, and the tag."""
    if p.short:
        short_tag.finish(p)
        return
    p.step(hold=Hold.V, result=1)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=Row.P)
    p.step(text=Text.MEMORY, write=Row.Q, source=OperandSource.V, **go("long last", Cond.LONG))
    p.step(hold=Hold.MERGE)
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=OperandSource.V)
    p.step(hold=Hold.CUT, read=Row.P)
    p.step(text=Text.MEMORY)
    p.step(out=Out.TAIL, read=Row.CY, **go("own tag"))
    p.name("long last")
    p.step(hold=Hold.MERGE, read=Row.X)
    p.step(text=Text.MEMORY)
    p.step(out=Out.PAIR, read=Row.Q)
    p.step(text=Text.MEMORY, read=Row.CY, **go("own tag", Cond.EVEN))
    p.step(hold=Hold.CUT)
    p.step(text=Text.H, **p.alone)
    p.run([{}] * 4)  # a result of eight words is being stored
    p.step(out=Out.SINGLE, read=Row.CY)
    p.name("own tag")
    p.step(text=Text.MEMORY, **cleared(Row.P))
    p.step(hold=Hold.V, **cleared(Row.Q))
    p.name("tag")
    p.step(wait=Wait.TAG, **cleared(Row.X), **go("idle"))
