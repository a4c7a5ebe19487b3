# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""The public data input of the CAESAR Hardware API: its words made blocks of a cipher, and one status a message."""

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
from .words import HEADER, Opcode, StatusWord, Type, byte_swapped, header, status, word_shape

__all__ = ["COMPARISON", "SEGMENT", "PreProcessor"]

SEGMENT = 2
"""Cycles from a segment header that can be accepted to its first word that can be: the states HEADER and CHECK."""
COMPARISON = 2
"""Cycles from the comparison of tags to the order that lets the message leave: the states JUDGE and RELEASE."""


class PreState(enum.Enum):
    """Steps of a message.

    INSTRUCTION, LOAD:             an instruction is awaited; a key is
    HEADER, CHECK, WORDS, BLOCK:   a header is awaited; judged; words are collected; their block is offered
    TAG, END:                      encryption: the tag leaves, and the status
    COMPARE, JUDGE, RELEASE:       decryption: the tags are compared; the outcome is known; the header leaves. An
                                   encryption that is not online is released, too, before its tag
    ABANDON, IGNORE, DROP, CLEAR, FAIL: a message that failed: it is ended in the cipher, and its tag taken; the rest
                                   of its words is dropped; held results are cleared; the status leaves
    REST:                          the rest of a message that ``clear`` cut is dropped
    """

    REST = 0
    INSTRUCTION = 1
    LOAD = 2
    HEADER = 3
    CHECK = 4
    WORDS = 5
    BLOCK = 6
    TAG = 7
    COMPARE = 8
    JUDGE = 9
    RELEASE = 10
    END = 11
    ABANDON = 12
    IGNORE = 13
    DROP = 14
    CLEAR = 15
    FAIL = 16


class PreProcessor(wiring.Component):
    """Takes messages from ``pdi`` and conducts the cipher, the result buffer, the key loader and the post-processor.

    An instruction to activate a key raises ``load`` until ``loaded`` or ``refused``; after the latter there is no key.
    Any other instruction begins a message, which ends with the segment that has Last, and has one status: SUCCESS, or
    FAILURE if its tag is wrong, if there is no key, or if it is not an instruction to encrypt or decrypt and then
    segments by the :class:`Grammar`.

    Encryption: each segment of data gives one of its length at once, the last one what the cipher adds, too; if the
    cipher is not online, one segment leaves after all were taken. Decryption: the whole message leaves as one segment
    after its tag was found right; otherwise held results are cleared, and FAILURE is all that leaves.

    In ``packets`` each message and each activation must end with its packet. A message whose packet ends first, or
    later, ends with its packet and fails; a segment that was announced for it is filled up with words of 0, while
    ``fill`` is high. An activation whose packet ends later fails, too, and the key stays.

    ``tag`` and ``blocks`` are the cipher's, and so is ``result`` of one that expands, whose sizes are added up;
    ``clear`` holds everything but the place in the message.

    Timing: see :mod:`wideblock.rtl.aead.timing`. The time of a comparison and of clearing depends on the lengths alone.
    Paths:  none from ``pdi.valid`` to ``pdi.ready``; ``order.ready`` to ``tag.ready``; to a cipher that is pipelined,
            ``blocks.ready`` to ``pdi.ready``.
    Cost:   a block of registers, a comparison of two tags, counters of 16 bits.
    """

    def __init__(self, shape: CipherShape, *, word_bits: int, ad_bytes: int, data_bytes: int, packets: bool = False):
        if packets and shape.npub > shape.block:
            raise ValueError(f"in packets a nonce must be no longer than a block of {shape.block}, got {shape.npub}")
        self.shape, self.word_bits = shape, word_bits
        self.grammar, self.packets = Grammar(shape, ad_bytes, data_bytes), packets
        self.assembler = BlockAssembler(block_bytes=shape.block, word_bits=word_bits)
        sized = {"result": In(stream.Signature(shape.results, always_ready=True))} if shape.expands else {}
        super().__init__(
            {
                "pdi": In(stream.Signature(word_shape(word_bits, packets))),
                "load": Out(1),
                "loaded": In(1),
                "refused": In(1),
                "blocks": Out(stream.Signature(shape.blocks)),
                "tag": In(stream.Signature(8 * shape.tag)),
                **sized,
                "hold": Out(1),
                "commit": Out(1),
                "discard": Out(1),
                "pending": In(1),
                "storing": In(1),
                "order": Out(stream.Signature(ORDER)),
                **({"fill": Out(1)} if packets else {}),
                "clear": In(1),
            }
        )
        self._state = Signal(PreState)
        self._keyed = Signal()
        self._decrypt = Signal()
        self._kind = Signal(BlockKind)  # awaited, or present
        self._header = Signal(HEADER, reset_less=True)
        self._ended = Signal()  # the block has the last word of its segment
        self._done = Signal(16)  # bytes of this kind in the blocks before
        self._equal = Signal()
        self._wrong = Signal()  # the header's packet ends elsewhere than its message

    def elaborate(self, platform):
        m = Module()
        m.submodules.framing = framing = Framing(
            word_bits=self.word_bits, alone=(Opcode.ACTIVATE_KEY,), packets=self.packets
        )
        m.submodules.assembler = self.assembler
        connect(m, flipped(self.pdi), framing.i)
        m.d.comb += [self.hold.eq(self._held()), framing.clear.eq(self.clear)]
        self._instructions(m, framing)
        self._headers(m, framing)
        self._words(m, framing)
        self._blocks(m, framing)
        self._encrypted(m)
        self._decrypted(m)
        self._failed(m, framing)
        with m.If(self.clear):
            registers = (self._keyed, self._decrypt, self._ended, self._done, self._equal)
            m.d.sync += [register.eq(0) for register in (*registers, self._header.as_value())]
            m.d.sync += [self._kind.eq(BlockKind.NPUB), self._state.eq(PreState.REST)]
            if self.packets:
                m.d.sync += self._wrong.eq(0)
        return m

    def _held(self) -> Value:
        """Whether results are held. Those of an encryption that is not online come late, maybe after it failed."""
        if self.shape.online:
            return self._decrypt
        failing = (PreState.ABANDON, PreState.IGNORE, PreState.DROP, PreState.CLEAR)
        return self._decrypt | sum(self._state == state for state in failing)

    def _whole(self, condition: ValueLike, words: Any) -> ValueLike:
        """The condition, and the end of the word's packet is that of its message."""
        return condition & ~words.payload.wrong if self.packets else condition

    def _order(self, m: Module, first: ValueLike, follow: Follow) -> None:
        """Offers an order to the post-processor."""
        m.d.comb += [
            self.order.valid.eq(1),
            self.order.payload.first.as_value().eq(first),
            self.order.payload.follow.eq(follow),
        ]

    def _instructions(self, m: Module, framing: Framing) -> None:
        """The first word of a message, and keys."""
        state, words = self._state, framing.o
        opcode = data.View(HEADER, words.payload.word[-32:]).type
        crypt = (opcode == Opcode.ENCRYPT) | (opcode == Opcode.DECRYPT)
        with m.If(state == PreState.REST):
            m.d.comb += words.ready.eq(framing.inside)
            with m.If(~framing.inside):
                m.d.sync += state.eq(PreState.INSTRUCTION)
        with m.If(state == PreState.INSTRUCTION):
            m.d.comb += words.ready.eq(1)
            with m.If(words.valid):
                m.d.sync += [
                    self._decrypt.eq(opcode == Opcode.DECRYPT),
                    self._kind.eq(BlockKind.NPUB),
                    self._done.eq(0),
                ]
                m.d.sync += state.eq(Mux(self._whole(crypt & self._keyed, words), PreState.HEADER, PreState.DROP))
                with m.If(self._whole(opcode == Opcode.ACTIVATE_KEY, words)):
                    m.d.sync += [state.eq(PreState.LOAD), self._keyed.eq(0)]
        with m.If(state == PreState.LOAD):
            m.d.comb += self.load.eq(1)
            with m.If(self.loaded | self.refused):
                m.d.sync += [state.eq(PreState.INSTRUCTION), self._keyed.eq(self.loaded)]

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
            announced = (self._kind == BlockKind.DATA) & ~self._decrypt if shape.online else Const(0)
            length = Mux(head.eot, shape.enciphered(head.length), head.length) if shape.expands else head.length
            with m.If(~self._right(m)):
                m.d.sync += state.eq(PreState.ABANDON)
            with m.Else():
                with m.If(announced):
                    self._order(m, header(Type.CIPHERTEXT, length, eot=head.eot), Follow.DATA)
                with m.If(~announced | self.order.ready):
                    m.d.sync += [self._ended.eq(head.length == 0), state.eq(PreState.WORDS)]
                    with m.If(head.length == 0):
                        m.d.sync += state.eq(PreState.BLOCK)

    def _right(self, m: Module) -> Signal:
        """Whether the header is one that may follow what came before."""
        accepted = Signal()
        right = self.grammar.right(m, self._header, kind=self._kind, decrypt=self._decrypt, done=self._done)
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
                    m.d.sync += self._state.eq(PreState.BLOCK if self.shape.judges else PreState.COMPARE)
                with m.Elif(word.end | (assembler.size == self.shape.block - step)):
                    m.d.sync += self._state.eq(PreState.BLOCK)
                self._end_wrong(m, word)

    def _end_wrong(self, m: Module, word) -> None:
        """After a word that is the last one of a packet and not of its segments, or the reverse."""
        if self.packets:
            with m.If(word.wrong):
                m.d.comb += [self.assembler.store.eq(0), self.assembler.drop.eq(1)]
                m.d.sync += self._state.eq(PreState.ABANDON)

    def _blocks(self, m: Module, framing: Framing) -> None:
        """A block is offered to the cipher. A whole one that ends a message to expand is followed by an empty one.

        A cipher that is pipelined takes it together with the first word of the next block.
        """
        state, kind, block, words = self._state, self._kind, self.blocks.payload, framing.o
        assembler, size = self.assembler, self.assembler.size
        last = self._ended & self._header.eot
        if self.shape.expands:
            expanded = last & (kind == BlockKind.DATA) & ~self._decrypt & (size == self.shape.block)
            last = last & ~expanded
        m.d.comb += [block.data.eq(assembler.padded), assembler.pads.eq(self._pads())]
        with m.If(state == PreState.BLOCK):
            m.d.comb += [
                self.blocks.valid.eq(1),
                block.size.eq(size),
                block.kind.eq(kind),
                block.last.eq(last),
                block.decrypt.eq(self._decrypt),
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
        encrypted = PreState.TAG if self.shape.online else PreState.RELEASE
        with m.Switch(self._kind):
            with m.Case(BlockKind.NPUB):
                m.d.sync += [self._kind.eq(BlockKind.AD), self._done.eq(0)]
            with m.Case(BlockKind.AD):
                m.d.sync += [self._kind.eq(BlockKind.DATA), self._done.eq(0)]
            with m.Case(BlockKind.DATA):
                m.d.sync += [
                    self._kind.eq(BlockKind.TAG),
                    self._state.eq(Mux(self._decrypt, PreState.HEADER, encrypted)),
                ]
            if self.shape.judges:
                with m.Case(BlockKind.TAG):
                    m.d.sync += self._state.eq(PreState.COMPARE)

    def _pads(self) -> ValueLike:
        """Whether the block is padded with 10*; the empty blocks that end a message that fails are not."""
        if self.shape.padding is Padding.ZERO:
            return 0
        kind = self._kind
        padded = (kind == BlockKind.AD) | (kind == BlockKind.DATA) if self.shape.judges else kind != BlockKind.NPUB
        return padded & (self._state == PreState.BLOCK)

    def _encrypted(self, m: Module) -> None:
        """The end of an encryption. The cipher keeps its tag until all of it left."""
        with m.If((self._state == PreState.TAG) & self.tag.valid):
            self._order(m, header(Type.TAG, self.shape.tag, eot=1, last=1), Follow.TAG)
            with m.If(self.order.ready):
                m.d.sync += self._state.eq(PreState.END)
        with m.If(self._state == PreState.END):
            self._order(m, status(StatusWord.SUCCESS), Follow.NOTHING)
            with m.If(self.order.ready):
                m.d.comb += self.tag.ready.eq(~self._decrypt)
                m.d.sync += self._state.eq(PreState.INSTRUCTION)

    def _decrypted(self, m: Module) -> None:
        """The end of a decryption. Both tags are compared whole, in one cycle; that of a cipher that judges, with 0."""
        state, length = self._state, self._length(m)
        received = 0 if self.shape.judges else self.assembler.block[: 8 * self.shape.tag]
        with m.If((state == PreState.COMPARE) & self.tag.valid):
            m.d.comb += [self.tag.ready.eq(1), self.assembler.drop.eq(1)]
            m.d.sync += [self._equal.eq(self.tag.payload == received), state.eq(PreState.JUDGE)]
        with m.If(state == PreState.JUDGE):
            with m.If(~self._equal):
                m.d.sync += state.eq(PreState.CLEAR)
            with m.Elif(~self.storing):
                m.d.comb += self.commit.eq(1)
                m.d.sync += state.eq(PreState.RELEASE)
        with m.If(state == PreState.RELEASE):
            self._order(m, header(Type.PLAINTEXT, length, eot=1, last=1), Follow.DATA)
            if not self.shape.online:
                with m.If(~self._decrypt):
                    self._order(m, header(Type.CIPHERTEXT, self.shape.enciphered(self._done), eot=1), Follow.DATA)
            with m.If(self.order.ready):
                m.d.sync += state.eq(
                    PreState.END if self.shape.online else Mux(self._decrypt, PreState.END, PreState.TAG)
                )

    def _length(self, m: Module) -> Signal:
        """Bytes of the message that was decrypted."""
        if not self.shape.expands:
            return self._done
        length = Signal(16)
        with m.If(self._state == PreState.INSTRUCTION):
            m.d.sync += length.eq(0)
        with m.Elif(self.result.valid):
            m.d.sync += length.eq(length + self.result.payload.size)
        with m.If(self.clear):
            m.d.sync += length.eq(0)
        return length

    def _failed(self, m: Module, framing: Framing) -> None:
        """The end of a message that fails."""
        state, block, shape = self._state, self.blocks.payload, self.shape
        decrypt = Const(1) if shape.expands else self._decrypt
        with m.If(state == PreState.ABANDON):
            with m.If(self._kind == BlockKind.NPUB):
                m.d.sync += state.eq(PreState.DROP)
            with m.Elif((self._kind == BlockKind.TAG) & ~decrypt if shape.judges else self._kind == BlockKind.TAG):
                m.d.sync += state.eq(PreState.IGNORE)
            with m.Else():
                m.d.comb += [self.blocks.valid.eq(1), block.kind.eq(self._kind), block.last.eq(1)]
                m.d.comb += block.decrypt.eq(decrypt)
                with m.If(self.blocks.ready):
                    m.d.sync += self._kind.eq(Mux(self._kind == BlockKind.AD, BlockKind.DATA, BlockKind.TAG))
                    if shape.judges:
                        with m.If(self._kind == BlockKind.TAG):
                            m.d.sync += state.eq(PreState.IGNORE)
        with m.If(state == PreState.IGNORE):
            m.d.comb += self.tag.ready.eq(1)
            with m.If(self.tag.valid):
                m.d.sync += state.eq(PreState.DROP)
        with m.If(state == PreState.DROP):
            m.d.comb += framing.o.ready.eq(framing.inside)
            with m.If(~framing.inside):
                m.d.sync += state.eq(PreState.CLEAR)
        with m.If(state == PreState.CLEAR):
            m.d.comb += self.discard.eq(1)
            with m.If(~self.pending):
                m.d.sync += state.eq(PreState.FAIL)
        with m.If(state == PreState.FAIL):
            self._order(m, status(StatusWord.FAILURE), Follow.NOTHING)
            if self.packets:
                m.d.comb += self.fill.eq(1)
            with m.If(self.order.ready):
                m.d.sync += state.eq(PreState.INSTRUCTION)
