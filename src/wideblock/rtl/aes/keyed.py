# amaranth: UnusedElaboratable=no
# SPDX-License-Identifier: Apache-2.0
"""An AES core with its own key expansion: what the papers' tables call PEC, PDC and SDC."""

from amaranth import Module
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out, connect, flipped

from wideblock.rtl.aes.forms import logic_sbox
from wideblock.rtl.aes.key_expansion import KeyExpansion

__all__ = ["Keyed"]


class Keyed(wiring.Component):
    """``cipher`` under the round keys of the last ``key`` taken; ``ready`` while they are complete.

    What a cipher for both directions takes beside ``i``, ``decrypt``, is a port here, too.

    Timing: that of ``cipher``; key setup that of :class:`KeyExpansion`.
    Cost:   both.
    Security: a key taken while blocks are in flight makes those wrong; ``clear`` zeroes the round keys.
    """

    def __init__(self, cipher):
        self.cipher = cipher
        self.timing = cipher.timing
        self.expansion = KeyExpansion(
            key_bits=cipher.key_bits,
            sbox=logic_sbox(cipher.sbox),
            round_stages=getattr(cipher, "round_stages", 1),
        )
        self.either_way = "decrypt" in cipher.signature.members
        names = ("i", "o", "decrypt") if self.either_way else ("i", "o")
        data = {name: cipher.signature.members[name] for name in names}
        super().__init__({**data, "key": In(stream.Signature(cipher.key_bits)), "clear": In(1), "ready": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.cipher = cipher = self.cipher
        m.submodules.expansion = expansion = self.expansion
        connect(m, flipped(self.i), cipher.i)
        connect(m, cipher.o, flipped(self.o))
        connect(m, flipped(self.key), expansion.key)
        m.d.comb += [
            expansion.clear.eq(self.clear),
            self.ready.eq(expansion.ready),
            cipher.round_keys.eq(expansion.round_keys),
        ]
        if self.either_way:
            m.d.comb += cipher.decrypt.eq(self.decrypt)
        return m
