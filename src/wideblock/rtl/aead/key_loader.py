# SPDX-License-Identifier: Apache-2.0
"""Keys of the CAESAR Hardware API: the words of the secret data input, made one key."""

from amaranth import Cat, Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .framing import Framing
from .words import HEADER, Opcode, Type, byte_swapped, word_shape

__all__ = ["KeyLoader"]


class KeyState(enum.Enum):
    """``REST`` and ``REFUSED`` take what is left of a message, after ``clear`` and after a fault in it."""

    IDLE = 0
    REST = 1
    INSTRUCTION = 2
    HEADER = 3
    WORDS = 4
    KEY = 5
    REFUSED = 6


class KeyLoader(wiring.Component):
    """Takes a message with a key from ``sdi`` at each ``load``, and offers the key as ``key``.

    ``load`` stays high until ``loaded`` or ``refused`` pulses. ``loaded``: the key was accepted. ``refused``: the
    message was no key of ``key_bytes``, that is, no instruction LOAD_KEY with a single segment of type KEY with EOT and
    Last. A refused message is taken up to its end. In ``packets`` a message must end with the packet; otherwise the
    message is refused, and taken up to the end of the packet.

    While ``clear`` is high no word is taken and the key is forgotten; afterwards the rest of a begun message is dropped
    before the next ``load``.

    Timing: with a valid word in each cycle ``key`` is valid ``latency`` cycles after ``load`` rises.
    Paths:  none from ``sdi.valid`` to ``sdi.ready``; ``key.ready`` to ``loaded``.
    Cost:   the key once.
    """

    def __init__(self, *, key_bytes: int, word_bits: int, packets: bool = False):
        if key_bytes % (word_bits // 8):
            raise ValueError(f"a key must be whole words of {word_bits} bits, got {key_bytes} bytes")
        self.key_bytes, self.word_bits, self.packets = key_bytes, word_bits, packets
        self.latency = 1 + 2 + key_bytes // (word_bits // 8)  # load, instruction and header, words
        super().__init__(
            {
                "sdi": In(stream.Signature(word_shape(word_bits, packets))),
                "key": Out(stream.Signature(8 * key_bytes)),
                "load": In(1),
                "loaded": Out(1),
                "refused": Out(1),
                "clear": In(1),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.framing = framing = Framing(word_bits=self.word_bits, packets=self.packets)
        connect(m, flipped(self.sdi), framing.i)
        words, word = framing.o, framing.o.payload
        state = Signal(KeyState)
        key = Signal(8 * self.key_bytes, reset_less=True)
        shift = Signal()
        forget = Signal()
        header = data.View(HEADER, word.word[-32:])
        is_key = (header.type == Type.KEY) & (header.length == self.key_bytes)
        m.d.comb += [self.key.payload.eq(key), framing.clear.eq(self.clear)]

        def take(right: Value, following: KeyState) -> None:
            """One word that must be right."""
            m.d.comb += words.ready.eq(1)
            with m.If(words.valid):
                right = right & ~word.wrong if self.packets else right
                m.d.sync += state.eq(Mux(right, following, KeyState.REFUSED))

        with m.Switch(state):
            with m.Case(KeyState.IDLE):
                with m.If(framing.inside):
                    m.d.sync += state.eq(KeyState.REST)
                with m.Elif(self.load):
                    m.d.sync += state.eq(KeyState.INSTRUCTION)
            with m.Case(KeyState.REST):
                m.d.comb += words.ready.eq(framing.inside)
                with m.If(~framing.inside):
                    m.d.sync += state.eq(KeyState.IDLE)
            with m.Case(KeyState.INSTRUCTION):
                take(header.type == Opcode.LOAD_KEY, KeyState.HEADER)
            with m.Case(KeyState.HEADER):
                take(is_key & header.eot & header.last & ~header.partial, KeyState.WORDS)
            with m.Case(KeyState.REFUSED):
                m.d.comb += [words.ready.eq(framing.inside), self.refused.eq(~framing.inside)]
                with m.If(~framing.inside):
                    m.d.sync += state.eq(KeyState.IDLE)
            with m.Case(KeyState.WORDS):
                m.d.comb += words.ready.eq(1)
                with m.If(words.valid):
                    m.d.comb += shift.eq(1)
                    with m.If(word.end):
                        m.d.sync += state.eq(KeyState.KEY)
                    if self.packets:
                        with m.If(word.wrong):
                            m.d.comb += forget.eq(1)
                            m.d.sync += state.eq(KeyState.REFUSED)
            with m.Case(KeyState.KEY):
                m.d.comb += [self.key.valid.eq(1), self.loaded.eq(self.key.ready)]
                with m.If(self.key.ready):
                    m.d.comb += forget.eq(1)
                    m.d.sync += state.eq(KeyState.IDLE)
        with m.If(self.clear | forget):
            m.d.sync += key.eq(0)
        with m.Elif(shift):
            m.d.sync += key.eq(Cat(key, byte_swapped(word.word))[self.word_bits :])
        with m.If(self.clear):
            m.d.sync += state.eq(KeyState.IDLE)
        return m
