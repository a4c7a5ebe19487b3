# SPDX-License-Identifier: Apache-2.0
"""Registers in the place of a pipelined cipher, where a test is about cycles alone."""

from amaranth import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In

from wideblock.rtl.aes.pipelined import PipelinedEncryption
from wideblock.rtl.pipeline import FixedLatency


class Registers(wiring.Component):
    """Ports and timing of a pipelined cipher; control does not depend on what it computes."""

    def __init__(self, *, lanes, key_sets=1, travelling=False, **parameters):
        cipher = PipelinedEncryption(lanes=lanes, **parameters)
        self.timing = cipher.timing
        streams = FixedLatency(128 * lanes, 128 * lanes).members
        round_keys = In(128 * (cipher.rounds + 1) * key_sets)
        keys = {"key": In(cipher.key_bits)} if travelling else {"round_keys": round_keys, "second": In(1)}
        super().__init__({**streams, **keys, "decrypt": In(1)})

    def elaborate(self, platform):
        m = Module()
        value = self.i.payload
        for k in range(self.timing.latency):
            register = Signal(len(value), name=f"s{k}")
            m.d.sync += register.eq(value)
            value = register
        m.d.comb += self.o.payload.eq(value)
        return m
