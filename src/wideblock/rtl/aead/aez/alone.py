# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AEZ's tweakable block cipher and its cipher core, as components that are measured alone."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.pipeline import Timing

from ..cipher import BlockKind
from ..parameters import AeadParameters
from .cipher import AezCipher
from .offsets import Offsets, Power, Tweak, Version
from .round import full_round

__all__ = ["CipherAlone", "TweakableCall"]


class _Rounds(enum.Enum, shape=2):
    """Round keys of a call: four, four of j = 2 in version 4.1, or ten."""

    FOUR = 0
    FOUR_SECOND = 1
    TEN = 2


_TEN = (Tweak.Y_FIRST, Tweak.Y_SECOND, Tweak.MASK_U, Tweak.MASK_V, Tweak.PRF)
_HASHED = (Tweak.TAU, Tweak.NONCE, Tweak.AD_LOW, Tweak.AD_HIGH, Tweak.AD_SHORT)


class TweakableCall(wiring.Component):
    """``o`` is E_K^{j,i}(X), a round a cycle; the offset of the next call is made during the rounds of this one.

    i:     X with its ``tweak``, which says j and i; ``done`` and ``decrypt`` as :class:`Offsets` has them
    power: change of the power of two in this cycle
    key:   I, J and L, taken with ``load``

    In version 4.1 the calls of the hash add the offset to the result, too.

    Timing: eight cycles from a call to its result in an idle core, five from call to call; eleven after one of AES10.
    Cost:   16 S-boxes, one round, :class:`Offsets`; 384 registers of the key, 128 of the state; in version 4.1 128 of
            the offset that is added to the result.
    Security: no masking; no cycle depends on key or data.
    """

    timing = Timing(latency=8, interval=5)

    def __init__(self, version: Version, *, sbox: str = "lut"):
        self.version, self.sbox = version, sbox
        call = data.StructLayout({"X": 128, "tweak": Tweak, "done": 3, "decrypt": 1})
        super().__init__(
            {
                "i": In(stream.Signature(call)),
                "power": In(Power),
                "key": In(384),
                "load": In(1),
                "clear": In(1),
                "o": Out(stream.Signature(128, always_ready=True)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        key = Signal(384, reset_less=True)
        state, mask = (Signal(128, name=name, reset_less=True) for name in ("state", "mask"))
        left = Signal(4)
        made = Signal(2)
        rounds = Signal(_Rounds)
        full = Signal()
        call = self.i.payload
        idle = Signal()
        taken = Signal()
        offset = self._offset(m, key, made)
        m.d.comb += [
            idle.eq(left == 0),
            self.i.ready.eq(idle & (made == 3)),
            taken.eq(self.i.valid & self.i.ready),
            self.o.valid.eq(full & idle),
            self.o.payload.eq(state ^ mask),
        ]
        with m.If(self.load):
            m.d.sync += key.eq(self.key)
        with m.If(taken):
            ten = self._among(_TEN)
            second = call.tweak == Tweak.SECOND_LAYER
            four = Mux(second & (self.version is Version.V4), _Rounds.FOUR_SECOND, _Rounds.FOUR)
            m.d.sync += [
                state.eq(call.X ^ offset),
                rounds.eq(Mux(ten, _Rounds.TEN, four)),
                left.eq(Mux(ten, 10, 4)),
                made.eq(0),
                full.eq(1),
            ]
            if self.version is Version.V4:
                m.d.sync += mask.eq(offset & self._among(_HASHED).replicate(128))
        with m.Else():
            with m.If(self.i.valid & (made != 3)):
                m.d.sync += made.eq(made + 1)
            with m.If(idle):
                m.d.sync += full.eq(0)
            with m.Else():
                m.d.sync += left.eq(left - 1)
                m.d.sync += state.eq(full_round(m, state, self._round_key(m, key, rounds, left), sbox=self.sbox))
        with m.If(self.clear):
            m.d.sync += [register.eq(0) for register in (key, state, mask, left, made, full)]
        return m

    def _offset(self, m: Module, key: Value, made: Value) -> Value:
        m.submodules.offsets = offsets = Offsets(self.version)
        call = self.i.payload
        m.d.comb += [
            Cat(offsets.I, offsets.J, offsets.L).eq(key),
            offsets.tweak.eq(call.tweak),
            offsets.bit.eq(Mux(self.i.valid, 3 - made, 0)),
            offsets.power.eq(self.power),
            offsets.done.eq(call.done),
            offsets.decrypt.eq(call.decrypt),
            offsets.enable.eq(1),
            offsets.clear.eq(self.clear),
        ]
        return offsets.offset

    def _among(self, tweaks: tuple[Tweak, ...]) -> Value:
        return Cat(self.i.payload.tweak == tweak for tweak in tweaks).any()

    def _round_key(self, m: Module, key: Value, rounds: Value, left: Value) -> Value:
        """The key of the round after which ``left`` - 1 are left."""
        I, J, L = (key[at : at + 128] for at in (0, 128, 256))  # noqa: E741
        chosen = Signal(128, name="round_key")
        orders = {
            _Rounds.FOUR: (None, L, I, J),
            _Rounds.FOUR_SECOND: (L, J, I, L),
            _Rounds.TEN: (I, L, J, I, L, J, I, L, J, I),
        }
        with m.Switch(Cat(rounds, left)):
            for kind, words in orders.items():
                for at, word in enumerate(words, 1):
                    if word is not None:
                        with m.Case(kind.value | at << 2):
                            m.d.comb += chosen.eq(word)
        return chosen


class CipherAlone(AezCipher):
    """The cipher without the API, CipherCore in the API's terms.

    Timing: ``timing.latency``: cycles from the last block of a message of one pair to the tag.
            ``timing.interval``: cycles a pair of a long message.
    """

    def __init__(self, parameters: AeadParameters, version: Version):
        super().__init__(parameters, version)
        self.timing = Timing(latency=self._tag(1), interval=self._tag(32) - self._tag(31))

    def _tag(self, pairs: int) -> int:
        """Cycles from the nonce to the tag of ``pairs`` blocks, each of which comes as soon as it can be taken."""
        cipher, at = self.timetable(decrypt=False), 0
        for kind, size, blocks in (
            (BlockKind.NPUB, self.shape.npub, 1),
            (BlockKind.AD, 0, 1),
            (BlockKind.DATA, 32, pairs),
        ):
            for number in range(1, blocks + 1):
                at = cipher.accept(kind, size, last=number == blocks, offered=at) + 1
        return cipher.tag()
