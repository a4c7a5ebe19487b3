# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The CAESAR Hardware API around a cipher.

    pdi -> pre-processor -> cipher -> result buffer -> post-processor -> do
    sdi -> key loader ----->   |---------> verdict --------->

Source: Homsirikamol et al., "CAESAR Hardware API", version 1.0, ePrint 2016/626.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import connect, flipped

from wideblock.errors import UserError
from wideblock.rtl.stream.clearing import Clearing
from wideblock.rtl.stream.influence import Influence, OutcomeInfluence, lengths

from . import key_loader, pre_processor
from .behaviour import AeadBehaviour
from .cipher import CipherShape
from .framing import header_words
from .interface import caesar_interface
from .key_loader import KeyLoader
from .parameters import AeadParameters
from .post_processor import PostProcessor
from .pre_processor import PreProcessor
from .result_buffer import ResultBuffer
from .timing import AeadTiming
from .verdict import Verdict

__all__ = ["Caesar"]


class Caesar(wiring.Component):
    """A cipher with the ports of the CAESAR Hardware API; a subclass names it.

    Messages and faults: see :class:`PreProcessor` and :class:`Verdict`. A key is taken from ``sdi`` for each
    instruction to activate a key.
    After ``zeroize``, and after a reset, keys, blocks, tags and the result buffer are cleared; meanwhile no word is
    taken or given. The rest of a message that ``zeroize`` cut is dropped without a status; a reset forgets it.

    Timing: see ``behaviour.timing``; no cycle depends on key or data but by ``behaviour.influences``.
    Paths:  none combinational from an input stream to an output.
    Cost:   the cipher, its key twice, a block and a message of the longest length.
    Security: that of the cipher's specification.
    """

    family = "aead"
    title: ClassVar[str]
    """The cipher, in one phrase."""
    make_cipher: ClassVar[Callable[[Any], Any]]
    """From parameters, the :class:`~wideblock.rtl.aead.cipher.Cipher`."""

    @classmethod
    @cache
    def shape(cls, p: Any) -> CipherShape:
        """Sizes of the cipher for these parameters."""
        return cls.make_cipher(p).shape

    @classmethod
    def check(cls, p: Any) -> None:
        """Raises UserError if the cipher does not exist for these parameters."""
        shape = cls.shape(p)
        if p.at_once and not shape.online:
            raise UserError("release=at-once needs results during the message, this cipher has none; leave out release")
        if p.at_once and (least := min(p.ad_bytes, p.data_bytes)) < shape.block:
            raise UserError(f"release=at-once needs segments of at least a block of {shape.block} bytes, got {least}")
        if (longest := shape.enciphered(p.data_bytes)) > 0xFFFF:
            raise UserError(f"data_bytes of {p.data_bytes} give {longest} bytes of ciphertext; the most are 65535")

    def __init__(self, parameters: AeadParameters):
        self.check(parameters)
        self.parameters, self.cipher = parameters, type(self).make_cipher(parameters)
        p, cipher = parameters, self.cipher
        shape = cipher.shape
        longest = shape.enciphered(p.data_bytes)
        self.loader = KeyLoader(key_bytes=shape.key, word_bits=p.word_bits, packets=p.packets)
        self.pre = PreProcessor(
            shape,
            word_bits=p.word_bits,
            ad_bytes=p.ad_bytes,
            data_bytes=p.data_bytes,
            packets=p.packets,
            at_once=p.at_once,
        )
        self.verdict = Verdict(shape, packets=p.packets, opens=self.pre.opens)
        self.buffer = ResultBuffer(shape, word_bits=p.word_bits, most_bytes=longest, watched=p.packets)
        self.post = PostProcessor(word_bits=p.word_bits, tag_bytes=shape.tag, packets=p.packets)
        self.clearing = self.buffer.rows + max(self.buffer.flush, cipher.flush)
        segment = min(p.ad_bytes, p.data_bytes) // shape.block * shape.block if p.at_once else None
        self.timing = AeadTiming(cipher, p.word_bits, self.loader.latency, zeroize=self.clearing + 2, segment=segment)
        self.interface = caesar_interface(p.word_bits, p.packets)
        self.behaviour = AeadBehaviour(shape, p.ad_bytes, p.data_bytes, self.timing, self._influences(), cipher.remains)
        super().__init__(self.interface.members())

    def _influences(self) -> tuple[Influence, ...]:
        """Inputs and values that may matter to handshakes: headers, and the outcome of a decryption."""
        verdict = OutcomeInfluence(
            "verdict._equal",
            "comparison of tags",
            "a decryption ends in SUCCESS or FAILURE; it is known once a message",
        )
        padding = OutcomeInfluence(
            "pre.result__payload.size",
            "size that the padding of a decrypted block states",
            "it is the length of the message; that of a message which is then rejected shows in its cycles, too",
        )
        return (
            header_words("pdi", "pre.framing", "pre._state", pre_processor.PreState),
            header_words("sdi", "loader.framing", "loader.state", key_loader.KeyState),
            *lengths(self.interface),
            verdict,
            *((padding,) if self.cipher.shape.expands else ()),
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.loader = loader = self.loader
        m.submodules.pre = pre = self.pre
        m.submodules.verdict = verdict = self.verdict
        m.submodules.cipher = cipher = self.cipher
        m.submodules.buffer = buffer = self.buffer
        m.submodules.post = post = self.post
        shape = cipher.shape
        clear = self._clear(m)
        connect(m, flipped(self.pdi), pre.pdi)
        connect(m, flipped(self.sdi), loader.sdi)
        connect(m, loader.key, cipher.key)
        connect(m, pre.blocks, cipher.i)
        connect(m, cipher.tag, verdict.tag)
        connect(m, pre.order, verdict.announced)
        connect(m, verdict.order, post.order)
        connect(m, buffer.o, post.words)
        m.d.comb += [
            self.do.payload.eq(post.do.payload),
            self.do.valid.eq(post.do.valid & ~clear),
            post.do.ready.eq(self.do.ready),
            loader.load.eq(pre.load),
            pre.loaded.eq(loader.loaded),
            pre.refused.eq(loader.refused),
            buffer.valid.eq(cipher.o.valid),
            buffer.block.eq(cipher.o.payload),
            buffer.hold.eq(pre.hold if shape.online else pre.hold | verdict.discard),
            buffer.commit.eq(verdict.commit),
            buffer.discard.eq(verdict.discard),
            verdict.pending.eq(buffer.pending),
            verdict.storing.eq(buffer.storing),
            verdict.start.eq(pre.ends),
            pre.judging.eq(verdict.judging),
            *(getattr(verdict, name).eq(getattr(pre, name)) for name in ("decrypt", "received", "length", "more")),
            post.tag.eq(cipher.tag.payload),
            *([pre.result.valid.eq(cipher.o.valid), pre.result.payload.eq(cipher.o.payload)] if shape.expands else []),
            *([post.fill.eq(verdict.fill & buffer.empty)] if self.parameters.packets else []),
            *(part.clear.eq(clear) for part in (cipher, loader, pre, verdict, buffer, post)),
        ]
        return m

    def _clear(self, m: Module) -> Signal:
        """High after a reset, and after ``zeroize``, until every row of the buffer and the cipher is cleared."""
        m.submodules.clearing = clearing = Clearing(rows=self.buffer.rows, cycles=self.clearing)
        m.d.comb += [clearing.zeroize.eq(self.zeroize), self.buffer.clear_row.eq(clearing.row)]
        return clearing.clear
