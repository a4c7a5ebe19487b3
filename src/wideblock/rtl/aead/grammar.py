# SPDX-License-Identifier: Apache-2.0
"""The grammar of a message of the CAESAR Hardware API: the segment header that may follow."""

from dataclasses import dataclass

from amaranth import Module, Mux, Signal, Value
from amaranth.lib import data

from .cipher import BlockKind, CipherShape
from .words import Type

__all__ = ["Grammar"]


@dataclass(frozen=True)
class Grammar:
    """Order, types and lengths of the segments of a message for a cipher of ``shape``.

    A message has a segment NPUB of ``shape.npub`` bytes, segments of AD, segments of data (PLAINTEXT to encrypt, else
    CIPHERTEXT), and to decrypt a segment TAG of ``shape.tag`` bytes. The segments of a type end with EOT, with at most
    ``ad_bytes`` and ``data_bytes`` in all (``shape.enciphered(data_bytes)`` to decrypt). Segments before the last of a
    type are whole blocks, as is the last segment of expanded ciphertext. A segment may be empty only as the single
    segment of a type. Last is the mark of the message. Partial must be 0; EOI and the reserved bits are not read.

    With ``at_once``, ``ad_bytes`` and ``data_bytes`` are of each segment, and a type has as many bytes in all as the
    signal of the bytes before can count; expanded ciphertext is bounded as without.
    """

    shape: CipherShape
    ad_bytes: int
    data_bytes: int
    at_once: bool = False

    def right(self, m: Module, head: data.View, *, kind: Value, decrypt: Value, done: Value) -> Value:
        """Whether the header ``head`` may follow: a header of ``kind`` is awaited, after ``done`` bytes of the kind.

        Paths: all inputs to the result.
        """
        shape = self.shape
        type = Signal(Type)
        right = Signal()
        last = Signal()
        total = Signal(len(done) + 1)
        counted = Signal()
        whole = (head.length % shape.block == 0) & (head.length != 0)
        fits = self._fits(head, total, counted, self.data_bytes)
        if shape.expands:
            fits = Mux(decrypt, whole & (total <= shape.enciphered(self.data_bytes)), fits)
        m.d.comb += [
            total.eq(done + head.length),
            counted.eq(Mux(head.eot, (head.length != 0) | (done == 0), whole)),
        ]
        with m.Switch(kind):
            with m.Case(BlockKind.NPUB):
                m.d.comb += [type.eq(Type.NPUB), right.eq(head.eot & (head.length == shape.npub))]
            with m.Case(BlockKind.AD):
                m.d.comb += [type.eq(Type.AD), right.eq(self._fits(head, total, counted, self.ad_bytes))]
            with m.Case(BlockKind.DATA):
                m.d.comb += [
                    type.eq(Mux(decrypt, Type.CIPHERTEXT, Type.PLAINTEXT)),
                    right.eq(fits),
                    last.eq(head.eot & ~decrypt),
                ]
            with m.Case(BlockKind.TAG):
                m.d.comb += [type.eq(Type.TAG), right.eq(head.eot & (head.length == shape.tag)), last.eq(1)]
        return right & (head.type == type) & (head.last == last) & ~head.partial

    def _fits(self, head: data.View, total: Signal, counted: Signal, most: int) -> Value:
        """Whether neither the segment nor the ``total`` bytes of the type are too long."""
        return counted & ((head.length <= most) & ~total[-1] if self.at_once else total <= most)
