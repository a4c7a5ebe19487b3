# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""Keys at rest: a memory of raw keys, a row each, with parity."""

from amaranth import Cat, Module, Value
from amaranth.lib import memory, wiring
from amaranth.lib.wiring import In, Out

from wideblock.rtl.aes.planes import named
from wideblock.rtl.stream.storage import store

__all__ = ["KeyStore"]

WORD = 32
"""Bits of a key that share a parity bit."""


class KeyStore(wiring.Component):
    """Memory of keys with parity.

    write: in, writes ``data`` to ``write_row``
    read:  in, reads ``row``; ``key``: out, the key, from the next cycle on
    used:  in, ``key`` is used; ``wrong``: out, a cycle later: the parity of the used key was not as written
    clear: in, rows ``clear_row`` and ``key`` become zero

    A row must not be read for use in the cycle of a write to it.

    Timing: a key can be read in the cycle after it was written.
    Cost:   block memory of ``rows`` rows, a power of two, of ``bits`` and a bit for each 32 of them.
    """

    def __init__(self, *, bits: int, rows: int):
        if bits % WORD:
            raise ValueError(f"bits must be a multiple of {WORD}, got {bits!r}")
        self.bits, self.rows = bits, rows
        attributes = {"ram_style": "block", "no_rw_check": 1}
        self.memory = memory.Memory(shape=bits + bits // WORD, depth=rows, init=[], attrs=attributes)
        super().__init__(
            {
                "write": In(1),
                "write_row": In(range(rows)),
                "data": In(bits),
                "read": In(1),
                "row": In(range(rows)),
                "key": Out(bits),
                "used": In(1),
                "wrong": Out(1),
                "clear": In(1),
                "clear_row": In(range(rows)),
            }
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.keys = keys = self.memory
        word = Cat(self.data, _parity(self.data))
        store(m, keys, self.write_row, word, self.write, clear=self.clear, clear_row=self.clear_row)
        port = keys.read_port(domain="sync")
        m.d.comb += [port.addr.eq(self.row), port.en.eq(self.read), self.key.eq(port.data[: self.bits])]
        with m.If(self.clear):  # the first row is the first that is zero
            m.d.comb += [port.addr.eq(0), port.en.eq(1)]
        read = named(m, "parity", _parity(self.key))
        m.d.sync += self.wrong.eq(self.used & ~self.clear & (read != port.data[self.bits :]))
        return m


def _parity(key: Value) -> Value:
    return Cat(key[at : at + WORD].xor() for at in range(0, len(key), WORD))
