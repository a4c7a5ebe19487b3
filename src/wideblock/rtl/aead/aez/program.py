# SPDX-License-Identifier: Apache-2.0
"""The program of AEZ, step by step: key, nonce, associated data, pairs, fragment, AEZ-prf and AEZ-tiny.

A call of E takes a step to load its operand and one for each round; the next step has its result, and loads the next.
The offset of the next call is made in the last three rounds. A pair of blocks takes two calls in the first pass, ten
cycles, and three in the second, fifteen; two blocks of associated data take ten.

Source: AEZ v5 (2017), 1.5, whose names are used; version 4.1 has other round keys for j = 2, and adds the offset to the
result for j from 3 on.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from .offsets import Power, Tweak, Version
from .step import AES, Acc, Cond, Constant, Count, Hold, Operand, Out, Row, Source, Step, Text, Turn, Wait

__all__ = ["program"]

Parts = Mapping[str, Any]
"""Some of the fields of a step."""

AES4 = (AES.J, AES.I, AES.L, AES.ZERO)
AES4_V4_2 = (AES.L, AES.I, AES.J, AES.L)
"""Round keys for j = 2 in version 4.1."""
AES10 = (AES.I, AES.J, AES.L) * 3 + (AES.I,)


def _merged(*parts: Parts) -> dict[str, Any]:
    """The fields of all, each from one of them."""
    names = [name for part in parts for name in part]
    if len(names) != len(set(names)):
        raise ValueError(f"a step has a field twice: {', '.join(names)}")
    return {name: value for part in parts for name, value in part.items()}


def _offset(tweak: Tweak) -> list[Parts]:
    """Three steps that make the offset of the next call."""
    return [{"tweak": tweak, "bit": bit} for bit in (3, 2, 1)]


def _beside(*tracks: Iterable[Parts]) -> list[Parts]:
    """Tracks of steps that run at the same time, from the first one on, each ended by empty steps."""
    lists = [list(track) for track in tracks]
    length = max(len(track) for track in lists)
    padded = [[*track, *[{}] * (length - len(track))] for track in lists]
    return [_merged(*column) for column in zip(*padded, strict=True)]


class _Program:
    """Steps in the order in which they are written, and names for some of them."""

    def __init__(self, version: Version):
        self.version = version
        self.steps: list[Step] = []
        self.names: dict[str, int] = {}
        self.masked: Parts = {"acc": Acc.OFFSET} if version is Version.V4 else {}
        self.keys_2 = AES4_V4_2 if version is Version.V4 else AES4

    def name(self, name: str) -> None:
        """Names the next step."""
        self.names[name] = len(self.steps)

    def step(self, **parts: Any) -> None:
        """Adds a step."""
        self.steps.append(Step(**parts))

    def run(self, track: Iterable[Parts]) -> None:
        """Adds steps."""
        self.steps.extend(Step(**parts) for parts in track)

    def rounds(self, keys: Sequence[AES], following: Tweak | None, *tracks: Iterable[Parts], **last: Any) -> None:
        """Adds a call's rounds, beside other tracks; ``last`` are fields of the last round."""
        offset = [] if following is None else _offset(following)
        late = [*[{}] * (len(keys) - len(offset)), *offset]
        self.run(_beside([{"aes": key} for key in keys], late, [*[{}] * (len(keys) - 1), last], *tracks))

    def power(self, first: Power) -> list[Parts]:
        """Steps that make the power of blocks or pairs 1 to 8."""
        return [{"power": first}, *[{"power": Power.DOUBLE}] * self.version.doublings]

    def linked(self) -> tuple[Step, ...]:
        """The steps, with numbers as targets."""
        return tuple(
            replace(step, target=self.names[step.target]) if step.cond is not Cond.NEVER else step
            for step in self.steps
        )


@cache
def program(version: Version) -> tuple[Step, ...]:
    """The program; it begins with step 0, without a key."""
    p = _Program(version)
    for routine in (_key, _nonce, _ad, _first_pass, _tail, _middle, _second_pass, _end, _finish, _tiny, _prf):
        routine(p)
    return p.linked()


def _go(name: str, cond: Cond = Cond.ALWAYS) -> Parts:
    return {"cond": cond, "target": name}


def _clear(row: Row) -> Parts:
    """A row that had results is cleared."""
    return {"write": row, "source": Source.CLEAR}


SUM = {"acc": Acc.ADD, "result": 1}
"""The result of a call is added to the sum; T is 0."""
NO_TEXT = {"text": Text.MEMORY}
"""T becomes 0, after a step that read the row ZERO, as steps do that read nothing else."""
LOAD, ACCEPT = {"aes": AES.LOAD}, {"wait": Wait.BLOCK}


def _key(p: _Program) -> None:
    """E(3, 1; tau), once for a key."""
    p.step(wait=Wait.KEY)
    p.name("key")
    p.run(_beside([{}, NO_TEXT], p.power(Power.FIRST_AD), [{}, {}, *_offset(Tweak.TAU)]))
    p.step(**LOAD, operand=Operand.MEMORY, constant=Constant.TAU, acc=Acc.V)
    p.rounds(AES4, Tweak.NONCE, [p.masked])
    p.step(**SUM)
    p.step(write=Row.TAU, source=Source.ACC)


def _nonce(p: _Program) -> None:
    """Idle, then E(4, 0; N). The offset is there already."""
    p.name("idle")
    p.step(wait=Wait.EITHER, write=Row.INPUT, source=Source.INPUT, read=Row.TAU, **_go("key", Cond.KEY))
    power = p.power(Power.FIRST_AD)
    p.step(text=Text.MEMORY, read=Row.INPUT, count=Count.ZERO, **power[0])
    p.step(**LOAD, operand=Operand.MEMORY, constant=Constant.NONCE, acc=Acc.V, **power[1])
    taken = {**ACCEPT, "write": Row.INPUT, "source": Source.INPUT}
    p.rounds(AES4, Tweak.AD_HIGH, [_merged(NO_TEXT, p.masked)], power[2:], **taken)
    p.steps[-1] = replace(p.steps[-1], cond=Cond.INPUT_WHOLE, target="ad")


def _ad(p: _Program) -> None:
    """Blocks of 32 bytes, their second half first: E(5, i; A_i). The last block may be short.

    Each begins with the last result still to be added.
    """
    low = {**LOAD, "operand": Operand.MEMORY}
    p.name("ad short")
    p.step(**SUM, **_go("ad low", Cond.NO_HIGH))
    p.run(_offset(Tweak.AD_SHORT))
    p.step(**LOAD, operand=Operand.H)
    p.rounds(AES4, Tweak.AD_LOW, [p.masked], read=Row.INPUT)
    p.step(**low, **SUM, **_go("ad second"))
    p.name("ad low")
    p.step(**_go("ad low whole", Cond.EXACT_16))
    p.run(_beside(_offset(Tweak.AD_SHORT), [{}, {}, {"read": Row.INPUT}]))
    p.step(**low, **_go("ad second"))
    p.name("ad low whole")
    p.run(_beside(_offset(Tweak.AD_LOW), [{}, {}, {"read": Row.INPUT}]))
    p.step(**low, **_go("ad second"))

    p.name("ad")
    p.step(**LOAD, operand=Operand.H, **SUM)
    p.rounds(AES4, Tweak.AD_LOW, [p.masked], read=Row.INPUT)
    p.step(**low, **SUM)
    p.name("ad second")
    p.step(aes=AES.J, **p.masked, count=Count.NEXT, power=Power.AFTER_4, **_go("ad end", Cond.LAST))
    taken = {**ACCEPT, "write": Row.INPUT, "source": Source.INPUT, **_go("ad", Cond.INPUT_WHOLE)}
    p.rounds(AES4[1:], Tweak.AD_HIGH, **taken)
    p.step(**_go("ad short"))

    p.name("ad end")
    power = p.power(Power.FIRST)
    finish = [{"aes": AES.I, "count": Count.ZERO}, {"aes": AES.L}, {"aes": AES.ZERO}, SUM]
    finish.append({"write": Row.DELTA, "source": Source.ACC, "acc": Acc.V})
    p.run(_beside(finish, power, [{}, {}, *_offset(Tweak.PAIR)]))


def _first_pass(p: _Program) -> None:
    """W_i = M_i + E(1, i; M'_i), X_i = M'_i + E(0, 0; W_i), and the sum of all X_i.

    A block is accepted before the last X_i is stored: if the message ends with less than 16 bytes in it, the pair
    before it is part of the fragment. Its blocks are still there, in the row of X and in T.
    """
    p.step(**ACCEPT, write=Row.X, source=Source.INPUT, **_go("only", Cond.INPUT_LAST))
    p.step(**LOAD, operand=Operand.H, **_go("pair"))
    p.name("next pair")
    p.step(**LOAD, operand=Operand.H, **SUM, write=Row.X, source=Source.V, count=Count.NEXT)
    p.name("pair")
    p.rounds(AES4, Tweak.INNER, [{"read": Row.X}, {"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.W, source=Source.V)
    taken = {**ACCEPT, "write": Row.INCOMING, "source": Source.INPUT, **_go("next pair", Cond.INPUT_MORE)}
    p.rounds(AES4, Tweak.NEXT, [{"text": Text.H, "power": Power.AFTER_8}], **taken)


def _tail(p: _Program) -> None:
    """The blocks of the fragment and M_x into place, and H of the fragment added to the sum."""
    p.name("last")
    p.step(**_go("below 16", Cond.BELOW_16))
    p.step(**SUM, write=Row.X, source=Source.V, count=Count.NEXT, **_go("last block"))
    p.name("only")
    p.step(**_go("without pairs", Cond.BELOW_16))
    p.name("last block")  # row X and H: the string M_u || M_x
    p.step(text=Text.H, read=Row.X, **_go("whole", Cond.WHOLE))
    p.step(text=Text.MEMORY, write=Row.Q, source=Source.V)
    p.step(write=Row.P, source=Source.V, **_go("fragment"))
    p.name("whole")
    p.step(write=Row.P, source=Source.V, **_go("long"))
    p.name("below 16")  # row X is M_u; T and row INCOMING: the string M_v || M_x
    p.step(write=Row.P, source=Source.V, read=Row.INCOMING)
    p.step(text=Text.MEMORY)
    p.step(write=Row.Q, source=Source.V)

    p.name("long")
    p.run(_beside(_offset(Tweak.HASH_U), [{}, NO_TEXT, {"read": Row.X}]))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.P)
    p.rounds(AES4, Tweak.HASH_V, [{"text": Text.MEMORY}, {"hold": Hold.PAD}, NO_TEXT])
    p.step(**LOAD, operand=Operand.H, **SUM, **_go("merge"))
    p.name("fragment")
    p.step(read=Row.P, **_go("no fragment", Cond.EVEN))
    p.run(_beside(_offset(Tweak.HASH_U), [{"text": Text.MEMORY}, {"hold": Hold.PAD}, NO_TEXT]))
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
    p.step(**SUM, **_go("middle"))
    p.name("no fragment")
    p.step(text=Text.MEMORY)
    p.step(hold=Hold.V, **_go("middle"))


def _tag(p: _Program, name: str) -> None:
    """The tag of a decryption is accepted."""
    p.step(**_go(name, Cond.ENCRYPT))
    p.step(**ACCEPT, write=Row.TAG, source=Source.INPUT)
    p.name(name)


def _prf(p: _Program) -> None:
    """AEZ-prf of an empty message, plus the tag of a decryption."""
    p.name("prf")
    _tag(p, "prf tag")
    p.run(_beside(_offset(Tweak.PRF), [{}, {"read": Row.DELTA}, {"text": Text.MEMORY}]))
    p.step(**LOAD, read=Row.MY)
    p.rounds(AES10, Tweak.NONCE, [{"text": Text.MEMORY}])
    p.step(hold=Hold.V, result=1, **_go("tag"))


def _tiny(p: _Program) -> None:
    """AEZ-tiny of the string A || B, A of 16 bytes, with n + 16 nibbles in L and in R, for n bytes of message."""
    p.name("without pairs")
    p.step(**_go("prf", Cond.EVEN))
    _tag(p, "tiny tag")
    p.step(read=Row.MY)
    p.step(text=Text.MEMORY, turn=Turn.RIGHT)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, read=Row.X)
    p.step(text=Text.H, read=Row.X)
    p.step(text=Text.MEMORY, write=Row.Q, source=Source.V)  # B
    p.step(hold=Hold.MERGE)  # A
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=Source.V, half=1, turn=Turn.LEFT)  # L
    p.step(hold=Hold.MERGE, half=1)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, tweak=Tweak.TINY, bit=3)
    p.step(hold=Hold.PAD, half=1, tweak=Tweak.TINY, bit=2)  # R || 1
    p.step(tweak=Tweak.TINY, bit=1)
    p.name("round")
    p.step(text=Text.H, read=Row.DELTA)
    p.step(text=Text.ADD, write=Row.RIGHT, source=Source.V)
    p.step(**LOAD, constant=Constant.ROUND, read=Row.LEFT)
    p.rounds(AES4, None, [{"text": Text.MEMORY}])
    p.step(hold=Hold.PAD, half=1, result=1, count=Count.ROUND, **_go("rounds", Cond.ROUNDS))
    p.step(**_go("round"))

    p.name("rounds")
    p.step(text=Text.H, read=Row.P)
    p.step(text=Text.MEMORY, write=Row.Q, source=Source.V, half=1, turn=Turn.RIGHT)
    p.step(hold=Hold.V)
    p.step(wait=Wait.TURNED, read=Row.Q)
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=Source.V)  # B
    p.step(hold=Hold.MERGE, half=1)
    p.step(text=Text.H)
    p.step(hold=Hold.CUT, write=Row.Q, source=Source.V)  # A
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, out=Out.SINGLE, read=Row.P)
    last = [
        {"text": Text.MEMORY, "hold": Hold.V, "turn": Turn.LEFT},
        _merged({"hold": Hold.MERGE}, _clear(Row.P)),
        _merged({"wait": Wait.TURNED}, NO_TEXT, _clear(Row.Q), _go("tag")),
    ]
    p.run(
        _beside(
            _offset(Tweak.NONCE),
            last,
        )
    )


def _middle(p: _Program) -> None:
    """S_x = M_x + Delta + X + E(0, FIRST; M_y), S_y = M_y + E(-1, FIRST; S_x), S = S_x + S_y."""
    p.name("middle")
    p.step(wait=Wait.TURNED, read=Row.DELTA)
    p.step(text=Text.MEMORY)
    p.step(acc=Acc.ADD, text=Text.H, tweak=Tweak.X_FIRST, bit=3)
    p.step(acc=Acc.ADD, tweak=Tweak.X_FIRST, bit=2)
    p.step(write=Row.SX, source=Source.ACC, tweak=Tweak.X_FIRST, bit=1)
    _tag(p, "middle tag")
    p.step(read=Row.MY)
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.SX)
    p.rounds(AES4, Tweak.Y_FIRST, [{"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.SX, source=Source.V)
    moves = [{}, NO_TEXT, {"acc": Acc.V, "read": Row.MY}, {"text": Text.MEMORY}]
    count = [{"count": Count.ALL}]
    p.rounds(AES10, Tweak.SECOND_LAYER, moves, p.power(Power.FIRST), count, read=Row.SX)
    p.step(result=1, write=Row.SY, source=Source.V, text=Text.ADD)
    p.step(**LOAD, result=1, write=Row.S, source=Source.V, **_go("fragment out", Cond.NONE))


def _second_pass(p: _Program) -> None:
    """Y_i = W_i + S', Z_i = X_i + S', S' = E(2, i; S); C'_i = Y_i + E(0, 0; Z_i), C_i = Z_i + E(1, i; C'_i)."""
    p.name("pair out")
    p.rounds(p.keys_2, Tweak.INNER, [{"read": Row.X}, {"text": Text.MEMORY}])
    p.step(**LOAD, result=1, text=Text.AES, read=Row.W)
    p.rounds(AES4, Tweak.PAIR, [{"text": Text.ADD}, {"acc": Acc.ADD}])
    p.step(**LOAD, result=1, hold=Hold.V, read=Row.W)
    moves = [{"text": Text.ADD, "read": Row.X, "power": Power.AFTER_8, "count": Count.NEXT}, {"text": Text.ADD}]
    p.rounds(AES4, Tweak.SECOND_LAYER, moves, read=Row.S, **_go("pairs out", Cond.DONE))
    p.step(**LOAD, operand=Operand.MEMORY, result=1, out=Out.PAIR, **_go("pair out"))
    p.name("pairs out")
    p.step(result=1, out=Out.PAIR)


def _end(p: _Program) -> None:
    """C_u, C_v and their hash, C_y and C_x."""
    mask_u, mask_v = _offset(Tweak.MASK_U), [{}, {}, {"read": Row.S}]
    p.name("fragment out")
    p.step(**_go("long out", Cond.LONG))
    p.step(**_go("no fragment out", Cond.EVEN))
    p.run(_beside(mask_u, mask_v))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.P)
    p.rounds(AES10, Tweak.HASH_U, [{"text": Text.MEMORY}])
    p.step(**_go("hash out"), hold=Hold.PAD, result=1, write=Row.P, source=Source.V)
    p.name("long out")
    p.run(_beside(mask_u, mask_v))
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.X)
    p.rounds(AES10, Tweak.HASH_U, [{"text": Text.MEMORY}])
    p.step(**LOAD, result=1, write=Row.X, source=Source.V)
    p.rounds(AES4, Tweak.MASK_V, [{}, NO_TEXT], read=Row.S)
    p.step(**LOAD, operand=Operand.MEMORY, **SUM, read=Row.P)
    p.rounds(AES10, Tweak.HASH_V, [{"text": Text.MEMORY}])
    p.step(hold=Hold.PAD, result=1, write=Row.P, source=Source.V)
    p.name("hash out")
    p.step(**LOAD, operand=Operand.H)
    p.rounds(AES4, Tweak.Y_SECOND, [{}, NO_TEXT])
    p.step(**SUM, read=Row.SY, **_go("x and y"))
    p.name("no fragment out")
    p.run(_beside(_offset(Tweak.Y_SECOND), [{}, {}, {"read": Row.SY}]))
    p.name("x and y")
    p.step(**LOAD, operand=Operand.MEMORY, read=Row.SY)
    moves = [
        {"text": Text.MEMORY, "read": Row.DELTA},
        {"text": Text.ADD},
        {"acc": Acc.ADD},
        {"write": Row.Q, "source": Source.ACC, "read": Row.SX},
        {"text": Text.MEMORY},
    ]
    p.rounds(AES10, Tweak.X_SECOND, moves)
    p.step(**LOAD, result=1, write=Row.CY, source=Source.V, read=Row.Q)
    p.rounds(AES4, Tweak.NONCE, [{"text": Text.MEMORY}], turn=Turn.RIGHT)


def _finish(p: _Program) -> None:
    """The last results, and the tag."""
    p.step(hold=Hold.V, result=1)
    p.step(wait=Wait.TURNED)
    p.step(text=Text.H, read=Row.P)
    p.step(text=Text.MEMORY, write=Row.Q, source=Source.V, **_go("long last", Cond.LONG))
    p.step(hold=Hold.MERGE)
    p.step(text=Text.H, read=Row.Q)
    p.step(text=Text.MEMORY, write=Row.P, source=Source.V)
    p.step(hold=Hold.CUT, read=Row.P)
    p.step(text=Text.MEMORY)
    p.step(out=Out.TAIL, read=Row.CY, **_go("own tag"))
    p.name("long last")
    p.step(hold=Hold.MERGE, read=Row.X)
    p.step(text=Text.MEMORY)
    p.step(out=Out.PAIR, read=Row.Q)
    p.step(text=Text.MEMORY, read=Row.CY, **_go("own tag", Cond.EVEN))
    p.step(hold=Hold.CUT)
    p.step(text=Text.H)
    p.run([{}] * 4)  # a result of eight words is being stored
    p.step(out=Out.SINGLE, read=Row.CY)
    p.name("own tag")
    p.step(text=Text.MEMORY, **_clear(Row.P))
    p.step(hold=Hold.V, **_clear(Row.Q))
    p.name("tag")
    p.step(wait=Wait.TAG, **_clear(Row.X), **_go("idle"))
