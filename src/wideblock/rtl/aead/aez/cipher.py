# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""AEZ v4.1 and v5 with keys of 48 bytes, nonces of 12 bytes and tags of up to 16 bytes.

Source: Hoang, Krovetz, Rogaway, "AEZ v5: Authenticated Encryption by Enciphering" (2017), and AEZ v4.1 (2015).
Bytes:  byte 0 of a block is bits 7..0; see :mod:`.program` for the equations.
"""

from amaranth import Const, Module
from amaranth.lib import wiring

from wideblock.errors import UserError

from ..caesar import Caesar
from ..cipher import CipherShape, Padding, cipher_signature
from ..parameters import AeadParameters
from .column import WORDS, ColumnDatapath
from .datapath import Datapath
from .offsets import Version
from .pipelined import PipelinedDatapath
from .program import program
from .sequencer import Microsequencer
from .step import Out, Wait
from .timetable import AezTimetable, setup

__all__ = ["AezCipher", "AezV4", "AezV5"]

LONGEST_TAG = 16
SPECIAL_ROWS = 16
MOST_V4_AD, MOST_V4_DATA = 16_015, 32_047
"""Bytes before an offset of version 4.1 repeats: 1000 whole blocks of associated data, and 1000 pairs of a message."""


class AezCipher(wiring.Component):
    """AEZ as a :class:`~wideblock.rtl.aead.cipher.Cipher`, both directions.

    A sequencer carries out a program of one step a cycle on a datapath of one AES round. Its memory has the message and
    intermediate values. ``version`` changes offsets, round keys, and the hash of associated data. With four ``rounds``
    the pairs of a message overlap. With one of four ``columns`` a cycle, a step takes four cycles, and a key or a block
    is accepted in the fourth cycle of valid.

    Timing: 25 cycles a pair of blocks, ten when it comes and fifteen afterwards; five a block of associated data. With
            four rounds, for ``w`` words a pair, max(3, w + 1) when it comes and max(3, w) afterwards. A column a cycle:
            four times the 25 and the five.
    Cost:   see :class:`Datapath` and :class:`Microsequencer`.
    Security: no masking; no cycle depends on key or data.
    """

    def __init__(self, parameters: AeadParameters, version: Version):
        tag = parameters.tag_bytes
        self.words = WORDS if parameters.columns == 1 else 1
        self.shape = CipherShape(
            block=32, key=48, npub=12, tag=tag, padding=Padding.ONE, judges=True, online=False, taking=self.words
        )
        self.pipelined = parameters.rounds > 1
        words = 8 * self.shape.block // parameters.word_bits
        self.steps = program(version, words if self.pipelined else None, short=tag < LONGEST_TAG, narrow=self.words > 1)
        self.setup = setup(self.steps, self.words)
        blocks = -(-parameters.data_bytes // self.shape.block)
        rows = 1 << (2 * blocks + SPECIAL_ROWS - 1).bit_length()
        self.flush = self.words * rows
        self.sequencer = Microsequencer(self.steps, self.shape, rows, words=self.words)
        datapath = PipelinedDatapath if self.pipelined else Datapath if self.words == 1 else ColumnDatapath
        self.remains = tuple(f"datapath.{name}" for name in datapath.remains)
        self.datapath = datapath(version, self.shape, self.sequencer.layout, sbox=parameters.sbox, rows=rows)
        super().__init__(cipher_signature(self.shape))

    def timetable(self, *, decrypt: bool) -> AezTimetable:
        return AezTimetable(self.steps, decrypt=decrypt, room=LONGEST_TAG - self.shape.tag, words=self.words)

    def elaborate(self, platform):
        m = Module()
        m.submodules.sequencer = sequencer = self.sequencer
        m.submodules.datapath = datapath = self.datapath
        wait = sequencer.step.wait
        either = wait == Wait.EITHER
        shown = sequencer.step.out != Out.NONE
        if self.pipelined:
            shown &= datapath.effect
            m.d.comb += datapath.whole.eq(~self.i.payload.last | (self.i.payload.size >= 16 + sequencer.room))
        last = Const(1) if self.words == 1 else sequencer.word == 0
        m.d.comb += [
            self.key.ready.eq(((wait == Wait.KEY) | either) & last),
            self.i.ready.eq(((wait == Wait.BLOCK) | (either & ~self.key.valid)) & last),
            self.o.valid.eq(shown & last),
            self.o.payload.eq(datapath.result),
            self.tag.valid.eq((wait == Wait.TAG) & last),
            self.tag.payload.eq(datapath.tag),
            sequencer.block.eq(self.i.payload),
            sequencer.block_valid.eq(self.i.valid),
            sequencer.key_valid.eq(self.key.valid),
            sequencer.tag_ready.eq(self.tag.ready),
            datapath.block.eq(self.i.payload.data),
            datapath.key.eq(self.key.payload),
            datapath.load.eq(self.key.valid & ((wait == Wait.KEY) | either)),
            *(part.clear.eq(self.clear) for part in (sequencer, datapath)),
        ]
        names = ("step", "go", "read", "write", "done", "number", "nibbles", "turn", "far", "size", "decrypt")
        names += ("brief",) * (sequencer.room > 0) + ("word", "run") * (self.words > 1)
        for name in names:
            m.d.comb += getattr(datapath, name).eq(getattr(sequencer, name))
        return m


class AezV5(Caesar):
    """AEZ v5 behind the CAESAR Hardware API."""

    title = "AEZ v5, an authenticated cipher"

    @staticmethod
    def make_cipher(parameters: AeadParameters) -> AezCipher:
        return AezCipher(parameters, Version.V5)


class AezV4(Caesar):
    """AEZ v4.1 behind the CAESAR Hardware API, for lengths at which no offset repeats."""

    title = "AEZ v4.1, an authenticated cipher"

    @staticmethod
    def make_cipher(parameters: AeadParameters) -> AezCipher:
        return AezCipher(parameters, Version.V4)

    @classmethod
    def check(cls, p: AeadParameters) -> None:
        super().check(p)
        for name, value, most in (("ad_bytes", p.ad_bytes, MOST_V4_AD), ("data_bytes", p.data_bytes, MOST_V4_DATA)):
            if value > most:
                raise UserError(f"{name} of AEZ v4.1 must be at most {most}, before an offset repeats, got {value}")
