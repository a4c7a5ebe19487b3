# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The public data input of the CAESAR Hardware API: words of messages, made blocks of a cipher."""

from typing import Any

from amaranth import Const, Module, Mux, Signal, Value
from amaranth.hdl import ValueLike
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from .block_assembler import BlockAssembler
from .cipher import BlockKind, CipherShape, Padding
from .framing import Framing
from .grammar import Grammar
from .post_processor import ORDER, Follow
from .verdict import VerdictState
from .words import HEADER, Opcode, Type, byte_swapped, header, word_shape

__all__ = ["SEGMENT", "PreProcessor"]

SEGMENT = 2
"""Cycles from an acceptable segment header to the segment's first acceptable word: the states HEADER and CHECK."""


class PreState(enum.Enum):
    """Steps of a message.

    REST:                          the rest of a message that failed, or that ``clear`` cut, is dropped
    INSTRUCTION, LOAD:             an instruction is awaited, after the last verdict; a key is
    HEADER, CHECK, WORDS, BLOCK:   a header is awaited; judged; words are collected; their block is offered
    ABANDON:                       a message that failed is ended in the cipher
    """

    REST = 0
    INSTRUCTION = 1
    LOAD = 2
    HEADER = 3
    CHECK = 4
    WORDS = 5
    BLOCK = 6
    ABANDON = 7


class PreProcessor(wiring.Component):
    """Takes messages from ``pdi`` and conducts the cipher and the key loader; hands each message to the verdict.

    An instruction to activate a key raises ``load`` until ``loaded`` or ``refused``; after ``refused`` there is no key.
    Any further instruction begins a message. A segment with Last ends the message. A message fails without a key, with
    an instruction other than to encrypt or decrypt, and with segments outside of the :class:`Grammar`.

    In ``packets`` each message and each activation must end with its packet. A message whose packet ends first, or
    later, ends with its packet and fails. An activation whose packet ends later fails, too, and the key stays.

    ends:     out, first state of the :class:`~wideblock.rtl.aead.verdict.Verdict` of the message; else IDLE
    judging:  in, high while the verdict is not idle; no instruction is accepted then
    decrypt:  out, the message is to be decrypted; stable until the next instruction
    received: out, the received tag, for a cipher that does not judge it; stable while ``judging``
    length:   out, bytes of the result; stable while ``judging``. ``result``: in, results of a cipher that expands
    more:     out, the message has further words
    hold:     out, results are held
    order:    out, header of a segment that leaves online

    ``blocks`` is the cipher's; ``clear`` holds everything but the place in the message.

    ``at_once``: lengths are of the longest segments. If ``shape.opens``, plaintext is announced like ciphertext, and no
    result is held.

    Timing: see :mod:`wideblock.rtl.aead.timing`.
    Paths:  none from ``pdi.valid`` to ``pdi.ready``; to a cipher that is pipelined, ``blocks.ready`` to ``pdi.ready``.
    Cost:   a block of registers, counters of 16 bits; ``at_once`` a counter of 32 bits.
    """

    def __init__(
        self,
        shape: CipherShape,
        *,
        word_bits: int,
        ad_bytes: int,
        data_bytes: int,
        packets: bool = False,
        at_once: bool = False,
    ):
        if packets and shape.npub > shape.block:
            raise ValueError(f"in packets a nonce must be no longer than a block of {shape.block}, got {shape.npub}")
        self.shape, self.word_bits = shape, word_bits
        self.grammar, self.packets = Grammar(shape, ad_bytes, data_bytes, at_once), packets
        self.opens = at_once and shape.opens
        self.assembler = BlockAssembler(block_bytes=shape.block, word_bits=word_bits)
        sized = {"result": In(stream.Signature(shape.results, always_ready=True))} if shape.expands else {}
        super().__init__(
            {
                "pdi": In(stream.Signature(word_shape(word_bits, packets))),
                "load": Out(1),
                "loaded": In(1),
                "refused": In(1),
                "blocks": Out(stream.Signature(shape.blocks)),
                **sized,
                "ends": Out(VerdictState),
                "judging": In(1),
                "decrypt": Out(1),
                "received": Out(8 * shape.tag),
                "length": Out(16),
                "more": Out(1),
                "hold": Out(1),
                "order": Out(stream.Signature(ORDER)),
                "clear": In(1),
            }
        )
        self._state = Signal(PreState)
        self._keyed = Signal()
        self._kind = Signal(BlockKind)  # awaited, or present
        self._header = Signal(HEADER, reset_less=True)
        self._ended = Signal()  # the block has the last word of its segment
        self._done = Signal(32 if at_once else 16)  # bytes of this kind in the blocks before
        self._wrong = Signal()  # the header's packet ends elsewhere than its message

    def elaborate(self, platform):
        m = Module()
        m.submodules.framing = framing = Framing(
            word_bits=self.word_bits, alone=(Opcode.ACTIVATE_KEY,), packets=self.packets
        )
        m.submodules.assembler = self.assembler
        connect(m, flipped(self.pdi), framing.i)
        m.d.comb += [
            self.hold.eq(self._held()),
            self.received.eq(self.assembler.block),
            self.length.eq(self._length(m)),
            self.more.eq(framing.inside),
            framing.clear.eq(self.clear),
        ]
        self._instructions(m, framing)
        self._headers(m, framing)
        self._words(m, framing)
        self._blocks(m, framing)
        self._abandoned(m)
        with m.If(self.clear):
            registers = (self._keyed, self.decrypt, self._ended, self._done)
            m.d.sync += [register.eq(0) for register in (*registers, self._header.as_value())]
            m.d.sync += [self._kind.eq(BlockKind.NPUB), self._state.eq(PreState.REST)]
            if self.packets:
                m.d.sync += self._wrong.eq(0)
        return m

    def _held(self) -> ValueLike:
        """Whether results are held: those of a decryption, and of a message that fails if they come late."""
        if self.opens:
            return 0
        return self.decrypt if self.shape.online else self.decrypt | (self._state == PreState.ABANDON)

    def _whole(self, condition: ValueLike, words: Any) -> ValueLike:
        """The condition, and the end of the word's packet is that of its message."""
        return condition & ~words.payload.wrong if self.packets else condition

    def _instructions(self, m: Module, framing: Framing) -> None:
        """The first word of a message, and keys."""
        state, words = self._state, framing.o
        opcode = data.View(HEADER, words.payload.word[-32:]).type
        crypt = (opcode == Opcode.ENCRYPT) | (opcode == Opcode.DECRYPT)
        with m.If(state == PreState.REST):
            m.d.comb += words.ready.eq(framing.inside)
            with m.If(~framing.inside):
                m.d.sync += state.eq(PreState.INSTRUCTION)
        with m.If((state == PreState.INSTRUCTION) & ~self.judging):
            m.d.comb += [words.ready.eq(1), self.assembler.drop.eq(1)]
            with m.If(words.valid):
                m.d.sync += [
                    self.decrypt.eq(opcode == Opcode.DECRYPT),
                    self._kind.eq(BlockKind.NPUB),
                    self._done.eq(0),
                ]
                with m.If(self._whole(crypt & self._keyed, words)):
                    m.d.sync += state.eq(PreState.HEADER)
                with m.Elif(self._whole(opcode == Opcode.ACTIVATE_KEY, words)):
                    m.d.sync += [state.eq(PreState.LOAD), self._keyed.eq(0)]
                with m.Else():
                    self._hand_over(m, VerdictState.CLEAR)
        with m.If(state == PreState.LOAD):
            m.d.comb += self.load.eq(1)
            with m.If(self.loaded | self.refused):
                m.d.sync += [state.eq(PreState.INSTRUCTION), self._keyed.eq(self.loaded)]

    def _hand_over(self, m: Module, verdict: ValueLike) -> None:
        """Ends a message: the rest of its words is dropped, the next instruction waits for the verdict."""
        m.d.comb += self.ends.eq(verdict)
        m.d.sync += self._state.eq(PreState.REST)

    def _headers(self, m: Module, framing: Framing) -> None:
        """The header of a segment: it is stored, and then judged. One to encrypt online is announced meanwhile."""
        state, words, head, shape = self._state, framing.o, self._header, self.shape
        with m.If(state == PreState.HEADER):
            m.d.comb += words.ready.eq(1)
            with m.If(words.valid):
                m.d.sync += [head.as_value().eq(words.payload.word[-32:]), state.eq(PreState.CHECK)]
                if self.packets:
                    m.d.sync += self._wrong.eq(words.payload.wrong)
        with m.If(state == PreState.CHECK):
            announced = (self._kind == BlockKind.DATA) & (self.opens | ~self.decrypt) if shape.online else Const(0)
            length = Mux(head.eot, shape.enciphered(head.length), head.length) if shape.expands else head.length
            with m.If(~self._right(m)):
                m.d.sync += state.eq(PreState.ABANDON)
            with m.Else():
                first = header(Type.CIPHERTEXT, length, eot=head.eot)
                if self.opens:
                    opened = header(Type.PLAINTEXT, length, eot=head.eot, last=head.eot)
                    first = Mux(self.decrypt, opened, first)
                m.d.comb += [
                    self.order.valid.eq(announced),
                    self.order.payload.first.as_value().eq(first),
                    self.order.payload.follow.eq(Follow.DATA),
                ]
                with m.If(~announced | self.order.ready):
                    m.d.sync += [self._ended.eq(head.length == 0), state.eq(PreState.WORDS)]
                    with m.If(head.length == 0):
                        m.d.sync += state.eq(PreState.BLOCK)

    def _right(self, m: Module) -> Signal:
        """Whether the header is one that may follow what came before."""
        accepted = Signal()
        right = self.grammar.right(m, self._header, kind=self._kind, decrypt=self.decrypt, done=self._done)
        m.d.comb += accepted.eq(right & ~self._wrong if self.packets else right)
        return accepted

    def _words(self, m: Module, framing: Framing) -> None:
        """The words of a segment, collected to a block."""
        words, word, assembler, step = framing.o, framing.o.payload, self.assembler, self.word_bits // 8
        collecting = self._state == PreState.WORDS
        m.d.comb += [
            assembler.word.eq(byte_swapped(word.word)),
            assembler.bytes.eq(word.bytes),
            assembler.further.eq(collecting),
            assembler.clear.eq(self.clear),
        ]
        with m.If(collecting):
            m.d.comb += words.ready.eq(1)
            with m.If(words.valid):
                m.d.comb += assembler.store.eq(1)
                m.d.sync += self._ended.eq(word.end)
                with m.If(word.end & (self._kind == BlockKind.TAG)):
                    if self.shape.judges:
                        m.d.sync += self._state.eq(PreState.BLOCK)
                    else:
                        self._hand_over(m, VerdictState.COMPARE)
                with m.Elif(word.end | (assembler.size == self.shape.block - step)):
                    m.d.sync += self._state.eq(PreState.BLOCK)
                self._end_wrong(m, word)

    def _end_wrong(self, m: Module, word) -> None:
        """Ends a message after a word that ends the packet but not the segments, or the segments but not the packet."""
        if self.packets:
            with m.If(word.wrong):
                m.d.comb += [self.assembler.store.eq(0), self.assembler.drop.eq(1), self.ends.eq(VerdictState.IDLE)]
                m.d.sync += self._state.eq(PreState.ABANDON)

    def _blocks(self, m: Module, framing: Framing) -> None:
        """Offers a block to the cipher. If a whole block ends a message to expand, an empty block follows.

        A pipelined cipher accepts a block together with the first word of the next block.
        """
        state, kind, block, words = self._state, self._kind, self.blocks.payload, framing.o
        assembler, size = self.assembler, self.assembler.size
        last = self._ended & self._header.eot
        if self.shape.expands:
            expanded = last & (kind == BlockKind.DATA) & ~self.decrypt & (size == self.shape.block)
            last = last & ~expanded
        m.d.comb += [block.data.eq(assembler.padded), assembler.pads.eq(self._pads())]
        with m.If(state == PreState.BLOCK):
            m.d.comb += [
                self.blocks.valid.eq(1),
                block.size.eq(size),
                block.kind.eq(kind),
                block.last.eq(last),
                block.decrypt.eq(self.decrypt),
            ]
            with m.If(self.blocks.ready):
                counted = Mux(kind == BlockKind.TAG, 0, size) if self.shape.judges else size
                m.d.comb += assembler.drop.eq(1)
                m.d.sync += self._done.eq(self._done + counted)
                m.d.sync += state.eq(Mux(self._ended, PreState.HEADER, PreState.WORDS))
                if self.shape.pipelined:
                    m.d.comb += words.ready.eq(~self._ended)
                    with m.If(words.valid & ~self._ended):
                        end = words.payload.end | (self.shape.block == self.word_bits // 8)
                        m.d.comb += assembler.store.eq(1)
                        m.d.sync += [
                            self._ended.eq(words.payload.end),
                            state.eq(Mux(end, PreState.BLOCK, PreState.WORDS)),
                        ]
                        self._end_wrong(m, words.payload)
                if self.shape.expands:
                    with m.If(expanded):
                        m.d.sync += state.eq(PreState.BLOCK)
                with m.If(last):
                    self._next_kind(m)

    def _next_kind(self, m: Module) -> None:
        """After the last block of a kind. The bytes of the data stay counted."""
        with m.Switch(self._kind):
            with m.Case(BlockKind.NPUB):
                m.d.sync += [self._kind.eq(BlockKind.AD), self._done.eq(0)]
            with m.Case(BlockKind.AD):
                m.d.sync += [self._kind.eq(BlockKind.DATA), self._done.eq(0)]
            with m.Case(BlockKind.DATA):
                m.d.sync += self._kind.eq(BlockKind.TAG)
                with m.If(~self.decrypt):
                    self._hand_over(m, VerdictState.TAG if self.shape.online else VerdictState.RELEASE)
            if self.shape.judges:
                with m.Case(BlockKind.TAG):
                    self._hand_over(m, VerdictState.COMPARE)

    def _pads(self) -> ValueLike:
        """Whether the block is padded with 10*; the empty blocks that end a message that fails are not."""
        if self.shape.padding is Padding.ZERO:
            return 0
        kind = self._kind
        padded = (kind == BlockKind.AD) | (kind == BlockKind.DATA) if self.shape.judges else kind != BlockKind.NPUB
        return padded & (self._state == PreState.BLOCK)

    def _length(self, m: Module) -> Value:
        """Bytes of the results: the accepted bytes of data; of a cipher that expands, the sum of the results' sizes."""
        if not self.shape.expands:
            return self._done
        length = Signal(16)
        with m.If((self._state == PreState.INSTRUCTION) & ~self.judging | self.clear):
            m.d.sync += length.eq(0)
        with m.Elif(self.result.valid):
            m.d.sync += length.eq(length + self.result.payload.size)
        return length if self.shape.online else Mux(self.decrypt, length, self.shape.enciphered(self._done))

    def _abandoned(self, m: Module) -> None:
        """The end in the cipher of a message that fails: an empty last block of each kind that is left."""
        kind, block, judges = self._kind, self.blocks.payload, self.shape.judges
        decrypt = Const(1) if self.shape.expands else self.decrypt
        tag = kind == BlockKind.TAG
        with m.If(self._state == PreState.ABANDON):
            with m.If(kind == BlockKind.NPUB):
                self._hand_over(m, VerdictState.CLEAR)
            with m.Elif(tag & ~decrypt if judges else tag):
                self._hand_over(m, VerdictState.IGNORE)
            with m.Else():
                m.d.comb += [self.blocks.valid.eq(1), block.kind.eq(kind), block.last.eq(1), block.decrypt.eq(decrypt)]
                with m.If(self.blocks.ready):
                    m.d.sync += kind.eq(Mux(kind == BlockKind.AD, BlockKind.DATA, BlockKind.TAG))
                    if judges:
                        with m.If(tag):
                            self._hand_over(m, VerdictState.IGNORE)
